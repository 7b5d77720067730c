/* arrivals.c: a row of waiting lines for each set. */
#include "time/arrivals.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 32u /* of a set */
#define TAG (CACHE_ARRIVES_RESTORED - 1)

void cache_arrivals_init(cache_arrivals *a, const cache_lru *c)
{
    *a = (cache_arrivals){.any = false};
    a->lines = lw_alloc((size_t)c->set_count * PLACES * sizeof *a->lines);
    a->sets = lw_alloc(c->set_count * sizeof *a->sets);
}

void cache_arrivals_free(cache_arrivals *a)
{
    free(a->lines);
    free(a->sets);
    *a = (cache_arrivals){.any = false};
}

void cache_arrivals_clear(cache_arrivals *a, const cache_lru *c)
{
    memset(a->sets, 0, c->set_count * sizeof *a->sets);
    a->any = false;
}

/* Of a line that waits several times only the last one counts. */
static void drop_repeats(cache_waiting *w, uint64_t *lines)
{
    uint32_t left = PLACES;
    uint64_t last[PLACES]; /* filled from its end */
    for (uint32_t k = w->count; k-- > 0;) {
        uint32_t same = left;
        while (same < PLACES && (last[same] ^ lines[k]) & TAG) same++;
        if (same < PLACES) continue;
        last[--left] = lines[k];
    }
    w->count = (uint8_t)(PLACES - left);
    memcpy(lines, &last[left], w->count * sizeof *lines);
}

static void come_in(cache_lru *c, uint64_t arrival)
{
    cache_line evicted; /* what memory has still to get of it is left out */
    cache_line *line = cache_lru_use(c, arrival & TAG, &evicted);
    cache_lru_dirty(c, line, arrival & CACHE_ARRIVES_DIRTY ? CACHE_ALL_SECTORS : 0);
    line->valid = CACHE_ALL_SECTORS;
    line->touched = CACHE_ALL_SECTORS;
    line->launch = arrival & CACHE_ARRIVES_RESTORED ? CACHE_RESTORED : 0;
}

static void all_come_in(cache_waiting *w, cache_lru *c, uint64_t *lines)
{
    for (uint32_t k = 0; k < w->count; k++) cache_lru_expect(c, lines[k] & TAG);
    drop_repeats(w, lines);
    for (uint32_t k = 0; k < w->count; k++) come_in(c, lines[k]);
    w->count = 0;
}

/* Where a line is dirty, those that wait since before the last cleaning come in as before it. */
static void see_cleanings(cache_waiting *w, cache_lru *c, uint32_t set, uint64_t *lines)
{
    uint32_t now = c->cleanings;
    if (w->cleanings == now) return;
    bool dirty = c->sets[set].dirty;
    for (uint32_t k = 0; k < w->count; k++) dirty |= lines[k] & CACHE_ARRIVES_DIRTY;
    c->cleanings = w->cleanings;
    if (dirty) all_come_in(w, c, lines);
    c->cleanings = w->cleanings = now;
}

void cache_arrivals_settle_set(cache_arrivals *a, cache_lru *c, uint32_t set)
{
    cache_waiting *w = &a->sets[set];
    uint64_t *lines = &a->lines[(size_t)set * PLACES];
    see_cleanings(w, c, set, lines);
    all_come_in(w, c, lines);
}

void cache_arrivals_settle_all(cache_arrivals *a, cache_lru *c)
{
    for (uint32_t set = 0; a->any && set < c->set_count; set++) cache_arrivals_settle_set(a, c, set);
}

void cache_arrive(cache_arrivals *a, cache_lru *c, uint64_t line, uint64_t how)
{
    uint32_t set = (uint32_t)(cache_lru_set(c, line) - c->sets);
    cache_waiting *w = &a->sets[set];
    uint64_t *lines = &a->lines[(size_t)set * PLACES];
    see_cleanings(w, c, set, lines);
    if (w->count == PLACES) {
        drop_repeats(w, lines);
        if (w->count > PLACES / 2) cache_arrivals_settle_set(a, c, set);
    }
    lines[w->count++] = line | how;
    a->any = true;
}
