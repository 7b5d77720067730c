#include "time/hot.h"

#include "time/lru.h"

#include <stdlib.h>

#define PLACES 4096u  /* a power of two */
#define CHUNK_SHIFT 9 /* 512 bytes */

struct cache_hot_counts {
    uint64_t all, at[PLACES];
    uint8_t lines[PLACES]; /* the set of those of a chunk that they go to */
};

static void count(cache_hot_counts *c, uint64_t address)
{
    size_t place = cache_mix(address >> CHUNK_SHIFT) % PLACES;
    c->at[place]++;
    c->all++;
    c->lines[place] |= (uint8_t)(1u << (address >> CACHE_LINE_SHIFT & 3));
}

void cache_hot_add(cache_hot_counts **counts, const event_memory *e, uint32_t time)
{
    const uint64_t one_in = 4; /* enough: where there are few they do not matter */
    uint64_t key = (uint64_t)e->block << 32 ^ (uint64_t)time << 10 ^ e->warp;
    if (cache_mix(key) % one_in) return;
    if (!*counts) *counts = lw_alloc(sizeof **counts);
    uint64_t last = UINT64_MAX;
    for (uint32_t mask = e->mask; mask; mask &= mask - 1) {
        uint64_t address = e->address[__builtin_ctz(mask)];
        if (address / CACHE_SECTOR_BYTES == last) continue; /* in most cases one sector for both lanes */
        last = address / CACHE_SECTOR_BYTES;
        count(*counts, address);
    }
}

void cache_hot_join(cache_hot_counts **sum, const cache_hot_counts *more)
{
    if (!more) return;
    if (!*sum) *sum = lw_alloc(sizeof **sum);
    (*sum)->all += more->all;
    for (size_t k = 0; k < PLACES; k++) {
        (*sum)->at[k] += more->at[k];
        (*sum)->lines[k] |= more->lines[k];
    }
}

cache_hot cache_hot_of(const cache_hot_counts *c)
{
    size_t most = 0;
    if (!c) return (cache_hot){0};
    for (size_t k = 1; k < PLACES; k++)
        if (c->at[k] > c->at[most]) most = k;
    return (cache_hot){(double)c->at[most] / (double)c->all, lw_popcount(c->lines[most]) == 1};
}
