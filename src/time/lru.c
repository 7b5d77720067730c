/* lru.c: lines in an array, chained in order of use, found through a hash table. */
#include "time/lru.h"

#include <stdlib.h>
#include <string.h>

void cache_lru_init(cache_lru *c, uint32_t capacity)
{
    uint32_t slots = 4;
    LW_ASSERT(capacity);
    while (slots < 2 * capacity) slots *= 2;
    *c = (cache_lru){.capacity = capacity, .slot_mask = slots - 1};
    c->lines = lw_alloc(capacity * sizeof *c->lines);
    c->slots = lw_alloc(slots * sizeof *c->slots);
    cache_lru_clear(c);
}

void cache_lru_free(cache_lru *c)
{
    free(c->lines);
    free(c->slots);
    *c = (cache_lru){0};
}

void cache_lru_clear(cache_lru *c)
{
    c->count = 0;
    c->newest = CACHE_NO_LINE;
    c->oldest = CACHE_NO_LINE;
    memset(c->slots, 0, (c->slot_mask + (size_t)1) * sizeof *c->slots);
}

static uint32_t home_slot(const cache_lru *c, uint64_t tag) { return (uint32_t)(cache_mix(tag) >> 20) & c->slot_mask; }

/* The slot of the line, or the free one where it would stand. */
static uint32_t slot_of(const cache_lru *c, uint64_t tag)
{
    uint32_t slot = home_slot(c, tag);
    while (c->slots[slot] && c->lines[c->slots[slot] - 1].tag != tag) slot = (slot + 1) & c->slot_mask;
    return slot;
}

/* Frees a slot; lines behind it that it kept from their home move up. */
static void free_slot(cache_lru *c, uint32_t hole)
{
    for (uint32_t slot = (hole + 1) & c->slot_mask; c->slots[slot]; slot = (slot + 1) & c->slot_mask) {
        uint32_t home = home_slot(c, c->lines[c->slots[slot] - 1].tag);
        bool stays = ((slot - home) & c->slot_mask) < ((slot - hole) & c->slot_mask);
        if (stays) continue;
        c->slots[hole] = c->slots[slot];
        hole = slot;
    }
    c->slots[hole] = 0;
}

static void unchain(cache_lru *c, const cache_line *line)
{
    if (line->newer == CACHE_NO_LINE) c->newest = line->older;
    else c->lines[line->newer].older = line->older;
    if (line->older == CACHE_NO_LINE) c->oldest = line->newer;
    else c->lines[line->older].newer = line->newer;
}

static void chain_newest(cache_lru *c, uint32_t index)
{
    cache_line *line = &c->lines[index];
    line->newer = CACHE_NO_LINE;
    line->older = c->newest;
    if (c->newest == CACHE_NO_LINE) c->oldest = index;
    else c->lines[c->newest].newer = index;
    c->newest = index;
}

cache_line *cache_lru_find(const cache_lru *c, uint64_t tag)
{
    uint32_t slot = slot_of(c, tag);
    return c->slots[slot] ? &c->lines[c->slots[slot] - 1] : NULL;
}

/* A line to fill: one not used yet, or the oldest. */
static uint32_t take_line(cache_lru *c, cache_line *evicted)
{
    if (c->count < c->capacity) return c->count++;
    uint32_t index = c->oldest;
    if (c->random) {
        c->random++;
        index = (uint32_t)((cache_mix(c->random) >> 11) % c->capacity);
    }
    *evicted = c->lines[index];
    free_slot(c, slot_of(c, evicted->tag));
    unchain(c, evicted);
    return index;
}

cache_line *cache_lru_use(cache_lru *c, uint64_t tag, uint64_t now, cache_line *evicted)
{
    evicted->touched = 0;
    uint32_t slot = slot_of(c, tag);
    if (c->slots[slot]) {
        uint32_t index = c->slots[slot] - 1;
        c->lines[index].used = now;
        if (index == c->newest) return &c->lines[index];
        unchain(c, &c->lines[index]);
        chain_newest(c, index);
        return &c->lines[index];
    }
    uint32_t index = take_line(c, evicted);
    c->lines[index] = (cache_line){.tag = tag, .used = now};
    chain_newest(c, index);
    c->slots[slot_of(c, tag)] = index + 1;
    return &c->lines[index];
}

/* The last line of the array takes its place, so that those in use stay together. */
void cache_lru_drop(cache_lru *c, cache_line *line)
{
    uint32_t index = (uint32_t)(line - c->lines), last = c->count - 1;
    free_slot(c, slot_of(c, line->tag));
    unchain(c, line);
    c->count--;
    if (index == last) return;
    cache_line *moved = &c->lines[last];
    c->slots[slot_of(c, moved->tag)] = index + 1;
    if (moved->newer == CACHE_NO_LINE) c->newest = index;
    else c->lines[moved->newer].older = index;
    if (moved->older == CACHE_NO_LINE) c->oldest = index;
    else c->lines[moved->older].newer = index;
    *line = *moved;
}
