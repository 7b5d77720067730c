/* Which lines of a store are gone when the next warp comes to them, beside what a card did. */
#include "cache_trial.h"
#include "time/banks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t gone_lines(const uint64_t *line, uint32_t count, uint32_t between)
{
    static device_profile d;
    if (!d.l1_store_rows) d = h200();
    cache_rows rows = cache_rows_of(line, count);
    return cache_lines_gone(&rows, between, (uint32_t)d.l1_store_rows, (uint32_t)d.l1_store_leaving_lines);
}

/* A row of tests/hw/h100-scatter.csv. */
typedef struct recorded {
    char kernel[16];
    unsigned blocks, warps, lines, stride, moved, rounds, step;
    double stores, hits;
} recorded;

static bool next_row(FILE *f, recorded *r)
{
    char line[256];
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%15[a-z],%u,%u,%u,%u,%u,%u,%u,%lf,%lf", r->kernel, &r->blocks, &r->warps, &r->lines,
                   &r->stride, &r->moved, &r->rounds, &r->step, &r->stores, &r->hits) == 10)
            return true;
    return false;
}

static unsigned gone_of(const recorded *r, unsigned block)
{
    uint64_t line[CACHE_STORE_LINES];
    for (unsigned k = 0; k < r->lines; k++) line[k] = (uint64_t)(block * r->lines + k) * r->stride;
    return (unsigned)__builtin_popcount(gone_lines(line, r->lines, 0));
}

/* The share of stores that find their line: of every block's warps all but the first do, but for lines that are gone. */
static double share_found(const recorded *r)
{
    double found = 0;
    for (unsigned b = 0; b < r->blocks; b++) found += 1 - (double)gone_of(r, b) / r->lines;
    return found / r->blocks * (r->warps - 1) / r->warps;
}

UNIT_CASE(strides_keep_lines_as_they_lie_over_the_banks)
{
    FILE *f = fopen(unit_path("hw/h100-scatter.csv"), "r");
    double sum = 0, most = 0;
    unsigned rows = 0;
    recorded r;
    CHECK(f);
    while (next_row(f, &r)) {
        if (r.kernel[0] != 's') continue;
        double differs = fabs(share_found(&r) - r.hits / r.stores);
        sum += differs;
        most = fmax(most, differs);
        rows++;
    }
    fclose(f);
    CHECK_EQ_INT(rows, 3 * 136);
    CHECK(sum / rows < 0.04);
    CHECK(most < 0.25);
}

/* Of 32 lines that lie evenly the last is moved: no store finds one if it stays in its bank. */
UNIT_CASE(banks_are_those_of_the_card)
{
    FILE *f = fopen(unit_path("hw/h100-scatter.csv"), "r");
    const double none = 0.02;
    unsigned rows = 0, wrong = 0;
    recorded r;
    CHECK(f);
    while (next_row(f, &r)) {
        if (r.kernel[0] != 'm') continue;
        bool same = cache_bank_of(31) == cache_bank_of(31 ^ r.moved);
        wrong += same != (r.hits / r.stores < none);
        rows++;
    }
    fclose(f);
    CHECK_EQ_INT(rows, 16 * 32);
    CHECK_EQ_INT(wrong, 0);
}

/* As many as L1 keeps at once are all there. */
UNIT_CASE(few_rows_stay)
{
    uint64_t line[CACHE_STORE_LINES];
    for (unsigned k = 0; k < 28; k++) line[k] = k;
    CHECK_EQ_INT(gone_lines(line, 28, 0), 0);
    for (unsigned k = 0; k < 32; k++) line[k] = k * 32;
    CHECK_EQ_INT(gone_lines(line, 32, 0), UINT32_MAX);
    CHECK_EQ_INT(gone_lines(line, 32, 1), 0);
    CHECK_EQ_INT(gone_lines(line, 16, 0), 0);
    CHECK_EQ_INT(gone_lines(line, 16, 1), (1 << 16) - 1);
}

UNIT_MAIN()
