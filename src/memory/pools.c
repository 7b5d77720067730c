/* pools: where a card would place allocations below 2 MiB. It takes them from chunks of 2 MiB, where they fit best. Their place
 * in the chunk decides which lines share a tag bank, and so in how many passes a scattered atomic goes; the window's addresses
 * agree with it modulo 2 MiB. Recorded on an H200: tests/hw/h200-placement.csv. What finds no room in the map lies anywhere. */
#include "memory/window_priv.h"

#define CHUNK (MEM_BIG_GRAIN / MEM_POOL_GRAIN) /* granules */

typedef struct run {
    uint64_t first, granules;
} run;

static bool is_taken(const mem_pool *p, uint64_t granule) { return p->taken[granule / 64] >> granule % 64 & 1; }

/* The free granules from `from` on, as far as the end of the chunk. */
static run run_at(const mem_pool *p, uint64_t from)
{
    uint64_t end = from / CHUNK * CHUNK + CHUNK, g = from;
    while (g < end && !is_taken(p, g)) g += g % 64 == 0 && !p->taken[g / 64] ? 64 : 1;
    return (run){from, g - from};
}

/* The smallest run that holds so many granules, or none. Behind the first chunk that is free nothing is taken. */
static run best_fit(const mem_pool *p, uint64_t wanted)
{
    run best = {0, 0};
    for (uint64_t g = 0; g < MEM_POOL_GRANULES;) {
        run r = run_at(p, g);
        if (r.granules >= wanted && (!best.granules || r.granules < best.granules)) best = r;
        if (r.granules == CHUNK) break;
        g += LW_MAX(r.granules, 1);
        while (g < MEM_POOL_GRANULES && is_taken(p, g)) g += g % 64 == 0 && p->taken[g / 64] == UINT64_MAX ? 64 : 1;
    }
    return best;
}

static void mark(mem_pool *p, uint64_t first, uint64_t granules, bool taken)
{
    for (uint64_t k = first; k < first + granules; k++) {
        uint64_t bit = UINT64_C(1) << k % 64;
        p->taken[k / 64] = taken ? p->taken[k / 64] | bit : p->taken[k / 64] & ~bit;
    }
}

uint64_t mem_pool_take(mem_pool *p, uint64_t bytes)
{
    run r = best_fit(p, bytes / MEM_POOL_GRAIN);
    if (!r.granules) return 0;
    mark(p, r.first, bytes / MEM_POOL_GRAIN, true);
    return r.first * MEM_POOL_GRAIN + 1;
}

void mem_pool_give(mem_pool *p, uint64_t place, uint64_t bytes)
{
    if (place) mark(p, (place - 1) / MEM_POOL_GRAIN, bytes / MEM_POOL_GRAIN, false);
}
