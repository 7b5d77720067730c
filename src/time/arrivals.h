/* arrivals: lines that come into a cache of sets otherwise than by a launch: what the host copies, what a profiler goes through. They are
 * many, and a launch may use few: each waits until its set is used, or too many wait there. What the cache holds then is the same. */
#ifndef LW_TIME_ARRIVALS_H
#define LW_TIME_ARRIVALS_H

#include "time/lru.h"

/* How a line comes in: whole, and of no launch; */
#define CACHE_ARRIVES_DIRTY (UINT64_C(1) << 63)    /* memory does not have it yet; */
#define CACHE_ARRIVES_RESTORED (UINT64_C(1) << 62) /* a profiler has put it back */

/* Of a set. */
typedef struct cache_waiting {
    uint32_t cleanings; /* of the cache, when the last line came to wait */
    uint8_t count;      /* lines that wait; none from before that cleaning where a line is dirty */
} cache_waiting;

typedef struct cache_arrivals {
    uint64_t *lines; /* of each set so many places, in order; how they come in stands above the address */
    cache_waiting *sets;
    bool any;
} cache_arrivals;

void cache_arrivals_init(cache_arrivals *a, const cache_lru *c);
void cache_arrivals_free(cache_arrivals *a);
void cache_arrivals_clear(cache_arrivals *a, const cache_lru *c);

void cache_arrive(cache_arrivals *a, cache_lru *c, uint64_t line, uint64_t how);
/* The lines that wait for this set, of the cache's sets, come in. */
void cache_arrivals_settle_set(cache_arrivals *a, cache_lru *c, uint32_t set);
void cache_arrivals_settle_all(cache_arrivals *a, cache_lru *c);

/* Before a line is used or looked for. */
static inline void cache_arrivals_settle(cache_arrivals *a, cache_lru *c, uint64_t line)
{
    if (!a->any) return;
    uint32_t set = (uint32_t)(cache_lru_set(c, line) - c->sets);
    if (a->sets[set].count) cache_arrivals_settle_set(a, c, set);
}

#endif
