/* places: which multiprocessor a block runs on, beside what an H200 did (tests/hw/h200-places.csv). */
#include "cache_trial.h"

#include "time/places.h"

#include <stdlib.h>
#include <string.h>

#define SMS 132u
#define ROWS 11u /* of the table */

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

/* Of a device of which no more is known. */
UNIT_CASE(blocks_come_in_turn_where_no_cluster_is_smaller)
{
    device_profile d = h200();
    d.place_few_sms = d.place_few_second = d.place_few_each = 0;
    cache_shape shape = {.blocks = 3 * SMS + 7, .warps_per_block = 1, .blocks_per_sm = 8, .insns = INSNS};
    trial t = {.session = cache_session_make(&d, false)};
    t.launch = cache_launch_make(t.session, &shape);
    for (uint32_t b = 0; b < shape.blocks; b++) {
        cache_place p = cache_place_in(t.launch, b);
        CHECK(p.sm == b % SMS && p.round == b / SMS);
        CHECK_EQ_INT(cache_block_at(t.launch, p), b);
    }
    stop(&t);
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

/* NULL: the table cannot be read, or has other rows. */
static const recorded *recorded_places(void)
{
    static recorded rows[ROWS + 1];
    FILE *f = fopen(unit_path("hw/h200-places.csv"), "r");
    char *line = NULL;
    size_t room = 0;
    uint32_t count = 0;
    while (f && getline(&line, &room, f) > 0) count += count <= ROWS && read_row(line, &rows[count]);
    free(line);
    if (f) fclose(f);
    return count == ROWS ? rows : NULL;
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
    const recorded *rows = recorded_places();
    REQUIRE(rows != NULL);
    uint32_t pairs = 0, same = 0;
    for (uint32_t k = 0; k < ROWS; k++) {
        trial t = {0};
        count_next(&rows[k], grid_of(&t, rows[k].blocks, rows[k].blocks_per_sm), &pairs, &same);
        stop(&t);
    }
    CHECK(pairs > 5000);
    CHECK((double)same / pairs > 0.93); /* the few come up to 3 blocks sooner or later than by the rule */
}

/* What is left behind the full rounds: the few first, then spread over all, to within six multiprocessors. */
UNIT_CASE(the_rest_is_spread_as_on_the_card)
{
    const uint32_t few = 8;
    const recorded *rows = recorded_places();
    REQUIRE(rows != NULL);
    uint32_t number[SMS] = {0}, blocks = 0;
    for (uint32_t k = 0; k < ROWS; k++)
        for (uint32_t b = 0; b < SMS && rows[k].blocks == SMS; b++) number[rows[k].sm[b]] = b;
    for (uint32_t k = 0; k < ROWS; k++) {
        trial t = {0};
        const cache_launch *l = grid_of(&t, rows[k].blocks, rows[k].blocks_per_sm);
        uint32_t full = rows[k].blocks / SMS * SMS;
        for (uint32_t b = full; b < rows[k].blocks; b++, blocks++) {
            int64_t card = number[rows[k].sm[b]], ours = cache_place_in(l, b).sm;
            if (b - full < few) CHECK(card < few && ours < few);
            else CHECK(llabs(card - ours) <= 6);
        }
        stop(&t);
    }
    CHECK_EQ_INT(blocks, 62 + 100 + 100 + 62 + 100);
}

UNIT_MAIN()
