#include "time/hot.h"

#include "time/lru.h"

#include <stdlib.h>

#define PLACES 4096u      /* a power of two */
#define WAVES 16u         /* that are told apart; of a launch with more of them, so many evenly spread */
#define WAVE_PLACES 1024u /* a power of two */
#define CHUNK_SHIFT 9     /* 512 bytes */
#define ONE_IN 4u         /* is counted: enough, where there are few they do not matter */
/* Atomics that may be under way to L2: a wave with fewer does not wait for them before the next goes to other memory. Kernels of public
 * programs: one sum a warp, 8,448 a wave, takes as long as with a fifth of its share; histograms of 118,000 and more as with all of it. */
#define UNDER_WAY 32768.0

struct cache_hot_counts {
    uint64_t all, at[PLACES];
    uint8_t lines[PLACES]; /* the set of those of a chunk that they go to */
    uint32_t in_wave[WAVES][WAVE_PLACES];
};

static void count(cache_hot_counts *c, uint64_t address, uint32_t *wave)
{
    uint64_t place = cache_mix(address >> CHUNK_SHIFT);
    c->at[place % PLACES]++;
    c->all++;
    c->lines[place % PLACES] |= (uint8_t)(1u << (address >> CACHE_LINE_SHIFT & 3));
    if (wave) wave[place % WAVE_PLACES]++;
}

/* Where the wave's are counted; NULL: it is none of those that are told apart. */
static uint32_t *counts_of(cache_hot_counts *c, cache_hot_wave wave)
{
    uint64_t step = (wave.waves + WAVES - 1) / WAVES;
    return wave.number % step ? NULL : c->in_wave[wave.number / step];
}

void cache_hot_add(cache_hot_counts **counts, const event_memory *e, uint32_t time, cache_hot_wave wave)
{
    uint64_t key = (uint64_t)e->block << 32 ^ (uint64_t)time << 10 ^ e->warp;
    if (cache_mix(key) % ONE_IN) return;
    if (!*counts) *counts = lw_alloc(sizeof **counts);
    uint32_t *in_wave = counts_of(*counts, wave);
    uint64_t last = UINT64_MAX;
    for (uint32_t mask = e->mask; mask; mask &= mask - 1) {
        uint64_t address = e->address[__builtin_ctz(mask)];
        if (address / CACHE_SECTOR_BYTES == last) continue; /* in most cases one sector for both lanes */
        last = address / CACHE_SECTOR_BYTES;
        count(*counts, address, in_wave);
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
    for (size_t k = 0; k < WAVES; k++)
        for (size_t p = 0; p < WAVE_PLACES; p++) (*sum)->in_wave[k][p] += more->in_wave[k][p];
}

/* The share of those of the waves that go where most of their wave go. Of a few the one with most is so by chance: there it is where most
 * of the launch go. */
static double share_in_waves(const cache_hot_counts *c, double of_launch)
{
    const uint32_t enough = 64;
    double all = 0, hot = 0;
    for (size_t k = 0; k < WAVES; k++) {
        uint64_t wave = 0;
        uint32_t most = 0;
        for (size_t p = 0; p < WAVE_PLACES; p++) {
            wave += c->in_wave[k][p];
            most = LW_MAX(most, c->in_wave[k][p]);
        }
        double together = LW_MIN(ONE_IN * (double)wave / UNDER_WAY, 1.0);
        all += (double)wave;
        hot += most >= enough ? LW_MAX(together * most, of_launch * (double)wave) : of_launch * (double)wave;
    }
    return all > 0 ? hot / all : of_launch;
}

cache_hot cache_hot_of(const cache_hot_counts *c)
{
    size_t most = 0;
    if (!c) return (cache_hot){0};
    for (size_t k = 1; k < PLACES; k++)
        if (c->at[k] > c->at[most]) most = k;
    double of_launch = (double)c->at[most] / (double)c->all;
    return (cache_hot){.share = LW_MAX(share_in_waves(c, of_launch), of_launch),
                       .lines = lw_popcount(c->lines[most]) == 1};
}
