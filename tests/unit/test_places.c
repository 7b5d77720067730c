/* places: which multiprocessor a block runs on, beside what an H200 did (tests/hw/h200-places.csv). */
#include "cache_trial.h"

#include "time/places.h"

#include <stdlib.h>
#include <string.h>

#define SMS 132u

static cache_launch *grid_of(trial *t, uint64_t blocks, uint32_t blocks_per_sm)
{
    static device_profile d;
    d = h200();
    cache_shape shape = {.blocks = blocks, .warps_per_block = 1, .blocks_per_sm = blocks_per_sm, .insns = INSNS};
    t->session = cache_session_make(&d, false);
    return t->launch = cache_launch_make(t->session, &shape);
}

UNIT_CASE(every_multiprocessor_gets_a_block_of_each_round)
{
    for (uint32_t blocks = 10 * SMS; blocks < 10 * SMS + 100; blocks += 33) {
        trial t = {0};
        cache_launch *l = grid_of(&t, blocks, 2);
        uint32_t of_round[11] = {0}, again = 0;
        for (uint32_t b = 0; b < blocks; b++) {
            cache_place p = cache_place_in(l, b);
            REQUIRE(p.round < LW_COUNT(of_round) && p.sm < SMS);
            CHECK_EQ_INT(cache_block_at(l, p), b);
            of_round[p.round]++;
            again += b >= 2 * SMS && p.sm == b % SMS;
        }
        for (uint32_t k = 0; k < 10; k++) CHECK_EQ_INT(of_round[k], SMS);
        CHECK(again <= 2 * SMS);
        stop(&t);
    }
}

/* Blocks of a grid of one wave and the multiprocessors that they ran on, numbered as their first blocks in a grid of one for each. */
typedef struct recorded {
    uint32_t blocks, blocks_per_sm;
    uint32_t sm[4096];
} recorded;

static bool read_row(char *line, recorded *r)
{
    unsigned threads, blocks;
    if (sscanf(line, "%u,%u,", &threads, &blocks) != 2 || blocks > LW_COUNT(r->sm)) return false;
    r->blocks = blocks;
    r->blocks_per_sm = LW_MIN(2048 / threads, 32u);
    char *at = strrchr(line, ',') + 1;
    for (uint32_t b = 0; b < blocks; b++) r->sm[b] = (uint32_t)strtoul(at, &at, 10);
    return true;
}

/* Where the next block runs that the card had on the same multiprocessor as this one: of the blocks of full rounds. */
static void count_next(const recorded *r, const cache_launch *l, uint32_t *pairs, uint32_t *same)
{
    uint32_t full = r->blocks / SMS * SMS;
    for (uint32_t b = 0; b < full; b++) {
        uint32_t next = b + 1;
        while (next < full && r->sm[next] != r->sm[b]) next++;
        if (next == full) continue;
        ++*pairs;
        *same += cache_place_in(l, b).sm == cache_place_in(l, next).sm;
    }
}

UNIT_CASE(blocks_share_a_multiprocessor_as_on_the_card)
{
    FILE *f = fopen(unit_path("hw/h200-places.csv"), "r");
    REQUIRE(f != NULL);
    char *line = NULL;
    size_t room = 0;
    uint32_t rows = 0, pairs = 0, same = 0;
    static recorded r;
    while (getline(&line, &room, f) > 0) {
        if (!read_row(line, &r)) continue;
        trial t = {0};
        count_next(&r, grid_of(&t, r.blocks, r.blocks_per_sm), &pairs, &same);
        rows++;
        stop(&t);
    }
    free(line);
    fclose(f);
    CHECK_EQ_INT(rows, 11);
    CHECK(pairs > 5000);
    CHECK((double)same / pairs > 0.93); /* the few come up to 3 blocks sooner or later than by the rule */
}

/* What is left behind the full rounds: the few first, then spread over all, to within six multiprocessors. */
UNIT_CASE(the_rest_is_spread_as_on_the_card)
{
    FILE *f = fopen(unit_path("hw/h200-places.csv"), "r");
    REQUIRE(f != NULL);
    char *line = NULL;
    size_t room = 0;
    uint32_t number[SMS], blocks = 0;
    const uint32_t few = 8;
    static recorded rest[11], all;
    uint32_t count = 0;
    while (getline(&line, &room, f) > 0) {
        if (!read_row(line, &all)) continue;
        if (all.blocks == SMS)
            for (uint32_t b = 0; b < SMS; b++) number[all.sm[b]] = b;
        if (all.blocks % SMS) rest[count++] = all;
    }
    free(line);
    fclose(f);
    CHECK_EQ_INT(count, 5);
    for (uint32_t k = 0; k < count; k++) {
        trial t = {0};
        const cache_launch *l = grid_of(&t, rest[k].blocks, rest[k].blocks_per_sm);
        uint32_t full = rest[k].blocks / SMS * SMS;
        for (uint32_t b = full; b < rest[k].blocks; b++, blocks++) {
            int64_t card = number[rest[k].sm[b]], ours = cache_place_in(l, b).sm;
            if (b - full < few) CHECK(card < few && ours < few);
            else CHECK(llabs(card - ours) <= 6);
        }
        stop(&t);
    }
    CHECK_EQ_INT(blocks, 62 + 100 + 100 + 62 + 100);
}

UNIT_MAIN()
