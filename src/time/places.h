/* places: on which multiprocessor a block runs. */
#ifndef LW_TIME_PLACES_H
#define LW_TIME_PLACES_H

#include "time/caches.h"

/* A multiprocessor, and how many blocks it has had before. */
typedef struct cache_place {
    uint32_t sm;
    uint64_t round;
} cache_place;

/* A multiprocessor that has as many blocks as most. */
uint32_t cache_usual_sm(const cache_launch *launch);

cache_place cache_place_in(const cache_launch *launch, uint32_t block);

/* The block of the place: none of the grid, if its number is too high. */
uint64_t cache_block_at(const cache_launch *launch, cache_place place);

#endif
