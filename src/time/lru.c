/* lru.c: lines in an array, those of a set chained in order of use, found through a hash table. */
#include "time/lru.h"

#include <stdlib.h>
#include <string.h>

void cache_lru_init(cache_lru *c, uint32_t capacity, uint32_t ways)
{
    uint32_t slots = 4;
    LW_ASSERT(capacity && ways);
    *c = (cache_lru){.set_count = LW_MAX(capacity / ways, 1u)};
    c->ways = capacity / c->set_count;
    c->capacity = c->ways * c->set_count;
    while (slots < 2 * c->capacity) slots *= 2;
    c->slot_mask = slots - 1;
    c->room = lw_alloc((c->capacity + (size_t)1) * sizeof *c->lines);
    c->lines = (cache_line *)((char *)c->room + (-(uintptr_t)c->room & (sizeof *c->lines - 1)));
    c->sets = lw_alloc(c->set_count * sizeof *c->sets);
    c->slots = lw_alloc(slots * sizeof *c->slots);
    cache_lru_clear(c);
}

void cache_lru_free(cache_lru *c)
{
    free(c->room);
    free(c->sets);
    free(c->slots);
    *c = (cache_lru){0};
}

void cache_lru_clear(cache_lru *c)
{
    c->count = 0;
    c->lasts = 0;
    for (uint32_t k = 0; k < c->set_count; k++)
        c->sets[k] = (cache_set){.newest = CACHE_NO_LINE, .oldest = CACHE_NO_LINE};
    memset(c->slots, 0, (c->slot_mask + (size_t)1) * sizeof *c->slots);
}

/* The slot of the line, or the free one where it would stand. */
static uint32_t slot_of(const cache_lru *c, uint64_t tag)
{
    uint32_t hash = cache_lru_hash(tag), slot = hash & c->slot_mask;
    for (; c->slots[slot].line; slot = (slot + 1) & c->slot_mask)
        if (c->slots[slot].hash == hash && c->lines[c->slots[slot].line - 1].tag == tag) break;
    return slot;
}

/* Frees a slot; lines behind it that it kept from their home move up. */
static void free_slot(cache_lru *c, uint32_t hole)
{
    for (uint32_t slot = (hole + 1) & c->slot_mask; c->slots[slot].line; slot = (slot + 1) & c->slot_mask) {
        bool stays = ((slot - c->slots[slot].hash) & c->slot_mask) < ((slot - hole) & c->slot_mask);
        if (stays) continue;
        c->slots[hole] = c->slots[slot];
        hole = slot;
    }
    c->slots[hole].line = 0;
}

static void unchain(cache_lru *c, cache_set *set, const cache_line *line)
{
    if (line->newer == CACHE_NO_LINE) set->newest = line->older;
    else c->lines[line->newer].older = line->older;
    if (line->older == CACHE_NO_LINE) set->oldest = line->newer;
    else c->lines[line->older].newer = line->newer;
}

static void chain_newest(cache_lru *c, cache_set *set, uint32_t index)
{
    cache_line *line = &c->lines[index];
    line->newer = CACHE_NO_LINE;
    line->older = set->newest;
    if (set->newest == CACHE_NO_LINE) set->oldest = index;
    else c->lines[set->newest].newer = index;
    set->newest = index;
}

cache_line *cache_lru_find(const cache_lru *c, uint64_t tag)
{
    uint32_t line = c->slots[slot_of(c, tag)].line;
    if (!line) return NULL;
    cache_lru_see_cleanings(c, &c->lines[line - 1]);
    return &c->lines[line - 1];
}

/* The place of the set's first line. */
static uint32_t begin_of(const cache_lru *c, const cache_set *set) { return (uint32_t)(set - c->sets) * c->ways; }

static bool counts_as_dirty(const cache_line *line) { return line->dirty && !line->last; }

static void forget(cache_lru *c, cache_set *set, const cache_line *line)
{
    free_slot(c, slot_of(c, line->tag));
    unchain(c, set, line);
    set->dirty -= counts_as_dirty(line);
    set->lasts -= line->last;
    c->lasts -= line->last;
}

/* Lines that go after others are as if they had just been used, if it is their turn before these. */
static void pass_over_lasts(cache_lru *c, cache_set *set)
{
    for (uint32_t left = set->lasts < set->count ? set->lasts : 0; left && c->lines[set->oldest].last; left--) {
        uint32_t index = set->oldest;
        unchain(c, set, &c->lines[index]);
        chain_newest(c, set, index);
    }
}

/* A line to fill: one not used yet, or the oldest of the set. */
static uint32_t take_line(cache_lru *c, cache_set *set, cache_line *evicted)
{
    if (set->count < c->ways) {
        c->count++;
        return begin_of(c, set) + set->count++;
    }
    pass_over_lasts(c, set);
    uint32_t index = set->oldest;
    cache_lru_see_cleanings(c, &c->lines[index]);
    *evicted = c->lines[index];
    forget(c, set, evicted);
    __builtin_prefetch(&c->lines[set->oldest]); /* the next one */
    return index;
}

static void chain_oldest(cache_lru *c, cache_set *set, uint32_t index)
{
    cache_line *line = &c->lines[index];
    line->older = CACHE_NO_LINE;
    line->newer = set->oldest;
    if (set->oldest == CACHE_NO_LINE) set->newest = index;
    else c->lines[set->oldest].older = index;
    set->oldest = index;
}

static void go_first(cache_lru *c, cache_set *set, uint32_t index)
{
    unchain(c, set, &c->lines[index]);
    chain_oldest(c, set, index);
}

/* Lines that have been written back go first, and those without sectors among them: the places that stores from the other partition took. */
static void see_set_cleanings(cache_lru *c, cache_set *set)
{
    if (set->cleanings == c->cleanings) return;
    set->cleanings = c->cleanings;
    for (uint32_t k = set->newest, left = set->count, older; set->dirty && left; left--, k = older) {
        bool dirty = counts_as_dirty(&c->lines[k]), empty = !c->lines[k].touched;
        older = c->lines[k].older;
        cache_lru_see_cleanings(c, &c->lines[k]);
        if (dirty || empty) go_first(c, set, k);
        set->dirty -= dirty;
    }
    set->dirty = 0;
}

cache_line *cache_lru_use(cache_lru *c, uint64_t tag, cache_line *evicted)
{
    evicted->touched = 0;
    uint32_t slot = slot_of(c, tag);
    cache_set *set = cache_lru_set(c, tag);
    see_set_cleanings(c, set);
    if (c->slots[slot].line) {
        uint32_t index = c->slots[slot].line - 1;
        cache_lru_see_cleanings(c, &c->lines[index]);
        if (index == set->newest) return &c->lines[index];
        unchain(c, set, &c->lines[index]);
        chain_newest(c, set, index);
        return &c->lines[index];
    }
    uint32_t index = take_line(c, set, evicted);
    c->lines[index] = (cache_line){.tag = tag, .cleanings = c->cleanings};
    chain_newest(c, set, index);
    c->slots[slot_of(c, tag)] = (cache_slot){index + 1, cache_lru_hash(tag)};
    return &c->lines[index];
}

void cache_lru_dirty(cache_lru *c, cache_line *line, uint32_t sectors)
{
    if (!line->dirty == !sectors) {
        line->dirty = (uint8_t)sectors;
        return;
    }
    cache_set *set = cache_lru_set(c, line->tag);
    set->dirty -= counts_as_dirty(line);
    line->dirty = (uint8_t)sectors;
    set->dirty += counts_as_dirty(line);
}

static void set_last(cache_lru *c, cache_set *set, cache_line *line, bool last)
{
    set->dirty -= counts_as_dirty(line);
    set->lasts += last - line->last;
    c->lasts += last - line->last;
    line->last = last;
    set->dirty += counts_as_dirty(line);
}

void cache_lru_keep(cache_lru *c, cache_line *line, double share)
{
    cache_set *set = cache_lru_set(c, line->tag);
    uint32_t most = (uint32_t)(share * c->ways + 0.5);
    set_last(c, set, line, true);
    for (uint32_t k = set->oldest; set->lasts > most && k != CACHE_NO_LINE; k = c->lines[k].newer)
        set_last(c, set, &c->lines[k], false);
}

void cache_lru_forget_kept(cache_lru *c)
{
    for (uint32_t set = 0; set < c->set_count && c->lasts; set++)
        for (uint32_t k = c->sets[set].oldest; k != CACHE_NO_LINE; k = c->lines[k].newer)
            set_last(c, &c->sets[set], &c->lines[k], false);
}

void cache_lru_go_first(cache_lru *c, const cache_line *line)
{
    go_first(c, cache_lru_set(c, line->tag), (uint32_t)(line - c->lines));
}

cache_line *cache_lru_oldest_dirty(const cache_lru *c, const cache_set *set)
{
    cache_line *oldest = NULL;
    for (uint32_t k = set->oldest; k != CACHE_NO_LINE; k = c->lines[k].newer) {
        cache_line *line = &c->lines[k];
        cache_lru_see_cleanings(c, line);
        if (!counts_as_dirty(line)) continue;
        if (!c->soon || line->soon) return line;
        if (!oldest) oldest = line;
    }
    return oldest;
}

/* The last line of the set takes its place, so that those in use stay together. */
void cache_lru_drop(cache_lru *c, cache_line *line)
{
    cache_set *set = cache_lru_set(c, line->tag);
    uint32_t index = (uint32_t)(line - c->lines), last = begin_of(c, set) + set->count - 1;
    forget(c, set, line);
    set->count--;
    c->count--;
    if (index == last) return;
    cache_line *moved = &c->lines[last];
    c->slots[slot_of(c, moved->tag)].line = index + 1;
    if (moved->newer == CACHE_NO_LINE) set->newest = index;
    else c->lines[moved->newer].older = index;
    if (moved->older == CACHE_NO_LINE) set->oldest = index;
    else c->lines[moved->older].newer = index;
    *line = *moved;
}
