/* The benchmark's limit on time: rounds go down when a run is behind, and no row begins when the time is up. */
#include <stdio.h>
#include "../../ops/bench/limit.h"

static int failures;

static void check(bool ok, const char *what)
{
    if (ok) return;
    failures++;
    printf("FAIL: %s\n", what);
}

/* A run of `total` rows that each take `fixed` seconds and `each` per round; returns when it ends. */
static double run(bench_limit *l, int total, double fixed, double each, int *measured, int *least)
{
    double now = 0.5;
    l->counting = true;
    for (int i = 0; i < total; i++) check(bench_limit_rounds(l, now, 15) == 0, "a row was measured while counting");
    l->counting = false;
    *measured = 0;
    *least = 99;
    for (int i = 0; i < total; i++) {
        int rounds = bench_limit_rounds(l, now, 15);
        if (!rounds) continue;
        now += fixed + each * rounds;
        (*measured)++;
        if (rounds < *least) *least = rounds;
    }
    return now;
}

int main(void)
{
    int measured, least;
    bench_limit none = {0}, quick = {.seconds = 60}, slow = quick, hopeless = quick, few = quick;
    check(run(&none, 500, 0.1, 0.05, &measured, &least) > 400 && measured == 500 && least == 15, "without a limit");
    check(run(&quick, 300, 0.02, 0.005, &measured, &least) < 40 && measured == 300 && least == 15, "in time");
    double e = run(&slow, 300, 0.05, 0.02, &measured, &least);
    check(e < 60 && measured == 300 && least == BENCH_ROUNDS_LEAST && slow.skipped == 0, "a run that is behind");
    check(run(&hopeless, 300, 0.5, 0.1, &measured, &least) < 60 && measured > 40 && least == BENCH_ROUNDS_LEAST &&
              hopeless.skipped == 300 - measured && hopeless.done == 300,
          "a run without hope");
    few.counting = false;
    few.total = 1;
    check(bench_limit_rounds(&few, 59, 2) == 0 && few.skipped == 1, "the last row, too late");
    few.done = 0;
    check(bench_limit_rounds(&few, 50, 2) == 2, "not more rounds than were asked for");
    printf("bench_limit: %d failures\n", failures);
    return failures > 0;
}
