/* racecheck's shadow: packed lines remember what arrays of slots do, and what each kind of line costs (docs/CHECKS.md). */
#include "unit.h"

#include "check/race_shadow.h"

static uint64_t random_state = 88172645463325252u;
static uint32_t draw(uint32_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % below;
}

static race_slot slot(uint32_t site, uint32_t warp, uint32_t lane, uint32_t width)
{
    return race_put(site, RACE_SITE_AT) | race_put(lane, RACE_LANE_AT) | race_put(warp, RACE_WARP_AT) |
           race_put(width, RACE_WIDTH_AT) | race_put(1, RACE_S_AT) | race_put(1, RACE_B_AT);
}

/* Blocks are numbered from 0 on; owners are 1 more. */
static void write_unit(shadow_memory *m, shadow_line *l, uint32_t unit, race_slot what, uint32_t block)
{
    shadow_cell was = shadow_get(l, unit), now = was;
    now.w = what;
    now.w_owner = block + 1;
    shadow_put(m, l, unit, &was, &now);
}

static void read_unit(shadow_memory *m, shadow_line *l, uint32_t unit, race_slot what, uint32_t block)
{
    shadow_cell was = shadow_get(l, unit), now = was;
    now.r = what;
    now.r_owner = block + 1;
    shadow_put(m, l, unit, &was, &now);
}

/* A packed write may be known without its value. */
static bool same_cell(const shadow_cell *x, const shadow_cell *y)
{
    bool aside = RACE_FIELD(x->w, VALUE) == RACE_VALUE_ASIDE && RACE_FIELD(y->w, VALUE);
    race_slot w = aside ? y->w | race_put(RACE_VALUE_ASIDE, RACE_VALUE_AT) : y->w;
    return x->w == w && x->r == y->r && x->w_owner == y->w_owner && x->r_owner == y->r_owner;
}

/* ---------------------------------------------------------------- packed as in arrays */
/* One access, of a lane or of a line, to a line of both memories. */
static void access_both(shadow_memory *const m[2], shadow_line *const l[2], uint32_t kinds, uint32_t values)
{
    race_slot what = slot(1 + draw(kinds), draw(kinds), draw(32), 2) | race_put(draw(values), RACE_VALUE_AT);
    if (draw(2)) what = race_with_crowd(what, RACE_LANES);
    if (!draw(8)) what = race_with_kind(what, RACE_READER);
    uint32_t block = draw(kinds), unit = draw(SHADOW_LINE), writes = draw(2), action = draw(40);
    for (int k = 0; k < 2; k++) {
        bool whole = !(l[k]->split & (SHADOW_SPLIT_W | SHADOW_SPLIT_R | SHADOW_OWNERS));
        if (action == 0) shadow_split(m[k], l[k], 0, true);
        if (action < 4 && whole) {
            *(writes ? &l[k]->w : &l[k]->r) = what;
            *(writes ? &l[k]->w_owner : &l[k]->r_owner) = block + 1;
        }
        uint32_t at = unit % shadow_units(l[k]);
        (writes ? write_unit : read_unit)(m[k], l[k], at, action == 39 ? 0 : what, block);
    }
}

static void compare_both(shadow_line *const l[2], uint32_t round)
{
    if (shadow_units(l[0]) != shadow_units(l[1])) UNIT_FAIL("round %u: units differ", round);
    for (uint32_t u = 0; u < shadow_units(l[0]); u++) {
        shadow_cell x = shadow_get(l[0], u), y = shadow_get(l[1], u);
        if (same_cell(&x, &y)) continue;
        UNIT_FAIL("round %u, unit %u: the packed line remembers something else", round, u);
        return;
    }
}

UNIT_CASE(packed_lines_remember_what_arrays_do)
{
    shadow_memory packed = {.compact = true, .more_most = SHADOW_MORE}, arrays = {0};
    shadow_memory *const m[2] = {&packed, &arrays};
    for (uint32_t round = 0; round < 400; round++) {
        shadow_line *const l[2] = {shadow_line_at(&packed, (uint64_t)round * SHADOW_LINE),
                                   shadow_line_at(&arrays, (uint64_t)round * SHADOW_LINE)};
        for (uint32_t k = 0; k < 600; k++) {
            access_both(m, l, 1 + round % 31, 1 + round % 63);
            if (k % 50 == 0) compare_both(l, round);
        }
        compare_both(l, round);
    }
    CHECK_EQ_INT(packed.forgotten, 0);
    CHECK(packed.units < arrays.units);
    shadow_free(&packed);
    shadow_free(&arrays);
}

/* ---------------------------------------------------------------- what it costs */
enum { LINES = 1024 };
typedef void access_line(shadow_memory *m, shadow_line *l);

/* Hundredths of a byte of shadow for each byte of memory, headers included. */
static uint32_t cost(access_line *access)
{
    shadow_memory m = {.compact = true, .more_most = SHADOW_MORE};
    for (uint32_t k = 0; k < LINES; k++) access(&m, shadow_line_at(&m, (uint64_t)k * SHADOW_LINE));
    CHECK_EQ_INT(m.forgotten, 0);
    uint64_t bytes = m.units + LINES * sizeof(shadow_line);
    shadow_free(&m);
    return (uint32_t)(bytes * 100 / (LINES * SHADOW_LINE));
}

static void line_whole(shadow_memory *m, shadow_line *l)
{
    (void)m;
    l->w = slot(1, 0, 0, 2);
    l->w_owner = 1;
}
static void line_by_words(shadow_memory *m, shadow_line *l)
{
    for (uint32_t u = 0; u < 32; u++) write_unit(m, l, u, slot(1, u, 31 - u, 2), 0);
}
static void line_by_words_both(shadow_memory *m, shadow_line *l)
{
    line_by_words(m, l);
    for (uint32_t u = 0; u < 32; u++) read_unit(m, l, u, slot(2, u, 5, 2), 0);
}
/* A part of the line for each of 15 blocks, which another one reads. */
static void line_by_blocks(shadow_memory *m, shadow_line *l)
{
    for (uint32_t u = 0; u < 30; u++) write_unit(m, l, u, slot(1, 0, u, 2), u / 2);
    for (uint32_t u = 0; u < 30; u++) read_unit(m, l, u, slot(2, 1, u, 2), u / 2 + 1);
}
/* Characters of two rows of threads, read by another block. */
static void line_by_bytes(shadow_memory *m, shadow_line *l)
{
    shadow_split(m, l, 0, true);
    for (uint32_t u = 0; u < SHADOW_LINE; u++) write_unit(m, l, u, slot(1, u / 64, u % 32, 0), 0);
    for (uint32_t u = 0; u < SHADOW_LINE; u++) read_unit(m, l, u, slot(2, u / 64, u % 32, 0), 1);
}
/* Each word is written and read by threads of other blocks. */
/* Characters of two rows of threads, all different. */
static void line_of_values(shadow_memory *m, shadow_line *l)
{
    shadow_split(m, l, 0, true);
    for (uint32_t u = 0; u < SHADOW_LINE; u++)
        write_unit(m, l, u, slot(1, u / 64, u % 32, 0) | race_put(1 + u % 61, RACE_VALUE_AT), 0);
}
/* Of blocks that all write the same, which stays known. */
static void line_of_one_value(shadow_memory *m, shadow_line *l)
{
    for (uint32_t u = 0; u < 32; u++) write_unit(m, l, u, slot(1, 0, u, 2) | race_put(7, RACE_VALUE_AT), u);
    for (uint32_t u = 0; u < 32; u++) CHECK_EQ_INT(RACE_FIELD(shadow_get(l, u).w, VALUE), 7);
}
static void line_all_words_differ(shadow_memory *m, shadow_line *l)
{
    for (uint32_t u = 0; u < 32; u++) write_unit(m, l, u, slot(1, 0, 0, 2), u);
    for (uint32_t u = 0; u < 32; u++) read_unit(m, l, u, slot(2, 0, 0, 2), 100 + u);
}
static void line_all_bytes_differ(shadow_memory *m, shadow_line *l)
{
    shadow_split(m, l, 0, true);
    for (uint32_t u = 0; u < SHADOW_LINE; u++) write_unit(m, l, u, slot(1, 0, 0, 0), u);
    for (uint32_t u = 0; u < SHADOW_LINE; u++) read_unit(m, l, u, slot(2, 0, 0, 0), 1000 + u);
}

UNIT_CASE(a_line_costs_what_the_page_says)
{
    CHECK_EQ_INT(sizeof(shadow_line), 64);
    CHECK_EQ_INT(cost(line_whole), 50);
    CHECK_EQ_INT(cost(line_by_words), 250);
    CHECK_EQ_INT(cost(line_by_words_both), 450);
    CHECK_EQ_INT(cost(line_by_blocks), 450);
    CHECK_EQ_INT(cost(line_by_bytes), 500);
    CHECK_EQ_INT(cost(line_of_values), 650);
    CHECK_EQ_INT(cost(line_of_one_value), 600);
    CHECK_EQ_INT(cost(line_all_words_differ), 900); /* what is above 5 comes out of SHADOW_MORE */
    CHECK_EQ_INT(cost(line_all_bytes_differ), 3050);
}

/* More lines than there is room for: what is not forgotten is right, and the last access is there. */
static void check_bound(access_line *access, uint32_t lines)
{
    const uint64_t more = 4 << 20;
    shadow_memory m = {.compact = true, .more_most = more};
    for (uint32_t k = 0; k < lines; k++) {
        shadow_line *l = shadow_line_at(&m, (uint64_t)k * SHADOW_LINE);
        access(&m, l);
        shadow_cell last = shadow_get(l, shadow_units(l) - 1);
        if (!last.r) UNIT_FAIL("line %u: the last access is forgotten", k);
        for (uint32_t u = 0; u < shadow_units(l); u++) {
            shadow_cell c = shadow_get(l, u);
            uint32_t block = shadow_units(l) == SHADOW_LINE ? 1000 : 100;
            if (c.w && c.w_owner != u + 1) UNIT_FAIL("line %u, unit %u: not its writer", k, u);
            if (c.r && c.r_owner != block + u + 1) UNIT_FAIL("line %u, unit %u: not its reader", k, u);
        }
    }
    CHECK(m.forgotten > 0);
    CHECK(m.units <= (uint64_t)lines * SHADOW_UNITS_MOST + more);
    CHECK(m.bytes <= (uint64_t)lines * 5 * SHADOW_LINE + more + (8 << 20)); /* chunks: the last is not full */
    shadow_free(&m);
}

UNIT_CASE(memory_is_bounded_where_all_differs)
{
    check_bound(line_all_bytes_differ, 2048);
    check_bound(line_all_words_differ, 10240);
}

UNIT_MAIN()
