#include "time/pace.h"

#include "base/base.h"

#include <math.h>

cache_pace cache_pace_begin(uint64_t now) { return (cache_pace){.since = now, .speed = 1}; }

void cache_pace_set(cache_pace *p, uint64_t now, double speed)
{
    if (speed == p->speed) return;
    p->done += (double)(now - p->since) * p->speed;
    p->since = now;
    p->speed = speed;
}

/* Of a warp behind so many: half of that of the first behind some 40, a tenth behind 60. */
static double speed_behind(double warps, double half)
{
    const double steep = 5;
    return 1 / (1 + pow(warps / half, steep));
}

/* A scheduler issues for the oldest of its warps that can go on: those behind so many that they keep it busy get what is left. Measured
 * (tests/hw/h200-paces.csv): of 8 blocks of 8 warps 1, 0.97, 0.95, 0.85, 0.6, 0.4, 0.16 and 0.1, of 2 blocks of 32 warps 1 and 0.35. */
double cache_pace_behind(const device_profile *d, uint32_t older, uint32_t warps_per_block)
{
    const double half = (double)LW_MAX(d->pace_half_warps, (uint64_t)1), middle = 0.5, least = 0.02;
    double speed = 0, first = 0;
    for (uint32_t k = 0; k < warps_per_block; k++) {
        speed += speed_behind((double)older * warps_per_block + k + middle, half);
        first += speed_behind(k + middle, half);
    }
    return fmax(speed / first, least);
}
