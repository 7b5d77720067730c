/* lanes: which lines the lanes of an access have, and which of them a sample keeps. */
#ifndef LW_TIME_LANES_H
#define LW_TIME_LANES_H

#include <stdint.h>

/* A bit of each lane. */
typedef struct cache_lanes {
    uint32_t wanted;  /* the sample keeps its line */
    uint32_t another; /* its line is not that of the active lane before */
    uint32_t first;   /* its line is that of the first one */
} cache_lanes;

/* mask: active lanes, at least one; drop: bits of a line's hash of which the sample keeps those that have none. */
void cache_lanes_of(const uint64_t address[32], uint32_t mask, uint32_t drop, cache_lanes *lanes);

#endif
