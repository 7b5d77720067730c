/* hot: where the atomics of a launch go. Memory of 512 bytes lies in one slice of L2, the next in another (tests/hw/h200-probes.csv,
 * atomic: 32 lines take eight times as many as one): what all go to at the same time is served by one slice. */
#ifndef LW_TIME_HOT_H
#define LW_TIME_HOT_H

#include "time/caches.h"

/* One in a few is counted, whoever runs it, by a hash of where it goes: two places that share a count matter only where there are so many
 * that none is hot. */
typedef struct cache_hot_counts cache_hot_counts;

/* A wave of blocks, by which what goes on at the same time is told from what comes later. */
typedef struct cache_hot_wave {
    uint64_t number, waves; /* 0, 1 ... of so many */
} cache_hot_wave;

/* An atomic of a warp of the wave. time: memory instructions of the warp before it. *counts: NULL before the first. */
void cache_hot_add(cache_hot_counts **counts, const event_memory *event, uint32_t time, cache_hot_wave wave);
/* Adds what one worker counted to what others did. */
void cache_hot_join(cache_hot_counts **sum, const cache_hot_counts *more);
cache_hot cache_hot_of(const cache_hot_counts *counts);

#endif
