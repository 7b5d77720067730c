/* The range of a predicted time: src/result/ranges.def says how wide it is for which reason. */
#include <math.h>

#include "time/parts_priv.h"

typedef struct spread {
    double up, down;
} spread;

static spread of_range(result_range range)
{
    static const spread rows[RESULT_RANGES] = {
#define RANGE(id, up, down, words) {(up) / 100.0, (down) / 100.0},
#include "result/ranges.def"
#undef RANGE
    };
    return rows[range];
}

static spread between(spread from, spread to, double share)
{
    return (spread){from.up + (to.up - from.up) * share, from.down + (to.down - from.down) * share};
}

/* 0: a warp executes little; 1: much, so that small errors of each turn of its loops add up. */
static double length_of_code(const time_demand *t)
{
    double each = t->work.issue / ((double)t->blocks * t->warps_per_block);
    return each > RANGE_SHORT_CODE ? fmin(log2(each / RANGE_SHORT_CODE), 1) : 0;
}

/* Of starting a kernel and of what goes through the units at their rate much is known; of waits less, and least where they are in
 * doubt. */
static spread spread_of(const time_demand *t, int resource, result_range *why)
{
    bool waits = resource == RESULT_LATENCY || resource == RESULT_ATOMICS;
    bool doubt = resource == RESULT_LATENCY && t->doubt >= RESULT_RANGE_BLOCKS;
    double length = length_of_code(t);
    result_range brief = doubt ? RESULT_RANGE_DOUBTED : RESULT_RANGE_SHORT;
    result_range full = doubt ? t->doubt : waits ? RESULT_RANGE_WAITS : RESULT_RANGE_LONG;
    if (t->policies && (resource == RESULT_L2 || resource == RESULT_DRAM)) brief = full = RESULT_RANGE_POLICIES;
    if (resource == RESULT_LAUNCH) brief = full = RESULT_RANGE_STARTS;
    /* who meets whom at a word decides how often each tries */
    if (resource == RESULT_ATOMICS && t->atomic_crowd > 0) brief = full = RESULT_RANGE_ORDER;
    *why = doubt || length > 0.5 ? full : brief;
    return between(of_range(brief), of_range(full), length);
}

/* The spread of the resources that take most of the time, by the eighth powers of their times, so that two count only where they take
 * about as long. */
void time_range(const time_demand *t, time_prediction *p)
{
    double inexact = RANGE_INEXACT / 100.0 * fmin(fmax(t->inexact, 0), 1);
    double weights = 0, most = -1;
    spread sum = {0};
    for (int k = 0; k < RESULT_RESOURCES; k++) {
        result_range why;
        double weight = pow(p->resource[k] / p->seconds, 8);
        spread s = spread_of(t, k, &why);
        weights += weight;
        sum.up += s.up * weight;
        sum.down += s.down * weight;
        if (weight > most) p->range = why;
        most = fmax(most, weight);
    }
    if (t->inexact > 0.5 && p->range == RESULT_RANGE_SHORT) p->range = RESULT_RANGE_COUNTS; /* as wide as long code */
    p->low = p->seconds / (1 + sum.down / weights + inexact);
    p->high = p->seconds * (1 + sum.up / weights + inexact);
}
