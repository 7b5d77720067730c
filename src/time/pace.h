/* pace: how fast blocks of a multiprocessor go through their memory instructions. */
#ifndef LW_TIME_PACE_H
#define LW_TIME_PACE_H

#include "device/profile.h"

#include <math.h>
#include <stdint.h>

/* Where a block is: it had carried out so many memory instructions then, and carries out so many in each unit of time. */
typedef struct cache_pace {
    uint64_t since;
    double done, speed;
} cache_pace;

/* Of a block that begins, as if it were alone. */
cache_pace cache_pace_begin(uint64_t now);

/* From now on it goes at another speed. */
void cache_pace_set(cache_pace *p, uint64_t now, double speed);

/* When it carries out the memory instruction of this number, or did. */
static inline uint64_t cache_pace_time(const cache_pace *p, uint32_t number)
{
    if (p->speed == 1 && p->done == 0) return p->since + number; /* most are alone, or do not hinder each other */
    return (uint64_t)((double)p->since + ceil(((double)number - p->done) / p->speed));
}

/* The speed of a block behind so many others on its multiprocessor, as a share of that of the first. */
double cache_pace_behind(const device_profile *d, uint32_t older, uint32_t warps_per_block);

#endif
