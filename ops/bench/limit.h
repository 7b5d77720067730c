/*
 * A limit on the time of a whole run. The rows are counted first (a pass that measures nothing); then every row is told
 * its rounds: the least when the run is behind an even pace, none when the time is up.
 */
#ifndef LW_OPS_BENCH_LIMIT_H
#define LW_OPS_BENCH_LIMIT_H

#include <stdbool.h>

#define BENCH_ROUNDS_LEAST 3
#define BENCH_SLACK 0.1    /* of the limit: how far a run may be behind, for rows differ */
#define BENCH_RESERVE 0.05 /* of the limit: the last row's end, and freeing */

typedef struct bench_limit {
    double seconds; /* 0: none */
    bool counting;
    int total, done, skipped;
} bench_limit;

/* Rounds of the next row, `elapsed` seconds after the program's start; 0: do not measure it. */
static inline int bench_limit_rounds(bench_limit *l, double elapsed, int rounds)
{
    if (l->counting) {
        l->total++;
        return 0;
    }
    double usable = l->seconds * (1 - BENCH_RESERVE), part = l->total ? (double)l->done / l->total : 0;
    l->done++;
    if (l->seconds <= 0) return rounds;
    if (elapsed >= usable) {
        l->skipped++;
        return 0;
    }
    if (elapsed <= usable * (part + BENCH_SLACK * (1 - part)) || rounds < BENCH_ROUNDS_LEAST) return rounds;
    return BENCH_ROUNDS_LEAST;
}

#endif
