/* pools: where a card would place small allocations. It takes them from chunks of 2 MiB, one behind the other. Their place in
 * the chunk decides which lines share a tag bank, and so in how many passes a scattered atomic goes; the window's addresses
 * agree with it modulo 2 MiB. First fit in a map of granules, behind whose end allocations lie anywhere. */
#include "memory/window_priv.h"

#define CHUNK (MEM_BIG_GRAIN / MEM_GRAIN) /* granules */

static bool is_taken(const mem_pool *p, uint64_t granule) { return p->taken[granule / 64] >> granule % 64 & 1; }

uint64_t mem_pool_take(mem_pool *p, uint64_t bytes)
{
    uint64_t wanted = bytes / MEM_GRAIN, run = 0;
    for (uint64_t g = 0; g < MEM_POOL_GRANULES; g++) {
        if (g % 64 == 0 && p->taken[g / 64] == UINT64_MAX) {
            run = 0;
            g += 63;
            continue;
        }
        if (g % CHUNK == 0) run = 0; /* none lies across two chunks */
        run = is_taken(p, g) ? 0 : run + 1;
        if (run < wanted) continue;
        uint64_t first = g + 1 - wanted;
        for (uint64_t k = first; k <= g; k++) p->taken[k / 64] |= UINT64_C(1) << k % 64;
        return first * MEM_GRAIN + 1;
    }
    return 0;
}

void mem_pool_give(mem_pool *p, uint64_t place, uint64_t bytes)
{
    uint64_t at = place - 1;
    if (!place) return;
    for (uint64_t k = at / MEM_GRAIN; k < (at + bytes) / MEM_GRAIN; k++) p->taken[k / 64] &= ~(UINT64_C(1) << k % 64);
}
