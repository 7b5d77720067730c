/* Parts of the model of a launch's time: what a profiler's units show (units.c), and its range (range.c). */
#ifndef LW_TIME_PARTS_PRIV_H
#define LW_TIME_PARTS_PRIV_H

#include "time/time.h"

/* Instructions that warps issue, those with which a warp starts and ends included. */
static inline double time_slots(const device_profile *d, const time_demand *t)
{
    double frames = (double)d->time_frame * (double)t->blocks * t->warps_per_block;
    return t->work.issue + frames;
}

/* Cycles of L1's data stage, of all multiprocessors together, for fetches from textures. */
static inline double time_texel_cycles(const device_profile *d, const time_demand *t)
{
    return t->texels / (double)LW_MAX(d->time_texels, (uint64_t)1);
}

/* Sets seconds that the profiler's units would be busy, as result_time.busy has them, of a launch that asks for this. busy has those of
 * the pipes. */
void time_units(const device_profile *device, const time_demand *demand, double *busy);

/* Sets low, high and range; the rest is predicted. */
void time_range(const time_demand *demand, time_prediction *prediction);

#endif
