/* L1 as an H200 has it (tests/hw/h200-sets.csv): which of the lines that one warp loads it still has. */
#include "time/l1.h"
#include "cache_trial.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_32_KB = 1792, LINES_132_KB = 992, LINES_164_KB = 736, MOST = 8192 };

typedef struct row {
    char what[64], which[MOST / 4 + 2];
    unsigned share, bits, seed, loads, touched_after, lost;
} row;

static bool next_row(FILE *f, row *r)
{
    char line[MOST];
    while (fgets(line, sizeof line, f)) {
        r->which[0] = 0;
        int fields = sscanf(line, "%63[^,],%u,%u,%u,%u,%u,%u,%2049[0-9a-f]", r->what, &r->share, &r->bits, &r->seed,
                            &r->loads, &r->touched_after, &r->lost, r->which);
        if (fields >= 7) return true;
    }
    return false;
}

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

static uint64_t line_of(const row *r, uint32_t k)
{
    return r->bits ? mix(r->seed + k * 2654435761u) >> (32 - r->bits) : k;
}

static void load(cache_l1 *c, uint64_t line, uint32_t now)
{
    cache_line evicted, *at = cache_l1_use(c, line, now, EVENT_EVICT_NORMAL, &evicted);
    if (at->touched) cache_l1_hit(c, at);
    at->touched = 1;
}

static void init(cache_l1 *c, const row *r)
{
    static uint32_t free_lines;
    if (!free_lines) free_lines = (uint32_t)h200().l1_free_lines;
    cache_l1_init(c, (r->share == 0 ? LINES_32_KB : r->share == 44 ? LINES_132_KB : LINES_164_KB) - free_lines);
}

/* Whether load k is lost behind the others. */
static bool is_lost(const row *r, uint32_t k)
{
    cache_l1 c;
    init(&c, r);
    for (uint32_t i = 0; i < r->loads; i++) {
        if (i && i == r->touched_after) load(&c, line_of(r, k), r->loads);
        load(&c, line_of(r, i), i);
    }
    bool lost = !cache_l1_find(&c, line_of(r, k));
    cache_l1_free(&c);
    return lost;
}

static bool is_lost_on_card(const row *r, uint32_t k)
{
    char digit[] = {r->which[k / 4], 0};
    return strtoul(digit, NULL, 16) >> k % 4 & 1;
}

UNIT_CASE(of_lines_at_random_the_same_are_lost_as_on_a_card)
{
    FILE *f = fopen(unit_path("hw/h200-sets.csv"), "r");
    static row r;
    unsigned loads = 0, wrong = 0, lost = 0;
    CHECK(f);
    while (next_row(f, &r)) {
        if (strcmp(r.what, "at random")) continue;
        cache_l1 c;
        init(&c, &r);
        for (uint32_t k = 0; k < r.loads; k++) load(&c, line_of(&r, k), k);
        for (uint32_t k = 0; k < r.loads; k++) {
            bool card = is_lost_on_card(&r, k);
            wrong += !cache_l1_find(&c, line_of(&r, k)) != card;
            lost += card;
        }
        loads += r.loads;
        cache_l1_free(&c);
    }
    fclose(f);
    CHECK_EQ_INT(loads, 17 * 3 * 1536);
    CHECK(lost > 6000);
    CHECK_EQ_INT(wrong, 0);
}

/* Lines that came one after the other, with and without a load of the first again: as many as on the card, but for where the hand stands. */
UNIT_CASE(what_is_loaded_again_stays)
{
    FILE *f = fopen(unit_path("hw/h200-sets.csv"), "r");
    static row r;
    unsigned rows = 0;
    CHECK(f);
    while (next_row(f, &r)) {
        uint32_t lost = 0, of = strncmp(r.what, "the first", 9) ? r.loads : 512;
        if (!strcmp(r.what, "at random")) continue;
        const uint32_t step = 8; /* of the lines that are looked at */
        for (uint32_t k = 0; k < of; k += step) lost += is_lost(&r, k) ? step : 0;
        CHECK_NEAR(lost, r.lost, r.share == 58 ? 130 : 90);
        rows++;
    }
    fclose(f);
    CHECK_EQ_INT(rows, 3 * (17 + 14));
}

UNIT_MAIN()
