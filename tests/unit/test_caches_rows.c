/* Which stores leave L1 together: of a warp one after the other, and of several warps. */
#include "cache_trial.h"

#include <math.h>

/* Sectors that stores `apart` bytes apart send to L2: so many instructions behind the first another, a word further, or one again. */
static double stored_behind(uint64_t apart, uint32_t insns)
{
    trial t = {0};
    start_insns(&t, 1, insns + 1);
    put_apart(&t, 0, 0, EVENT_STORE, BASE, apart);
    put_apart(&t, 0, insns, EVENT_STORE, BASE + 4, apart);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = s[0].l2_writes + (insns ? s[insns].l2_writes : 0);
    stop(&t);
    return sectors;
}

static double stored(uint64_t apart, bool same) { return stored_behind(apart, same ? 0 : 1); }

UNIT_CASE(members_stored_in_a_row_leave_l1_together)
{
    CHECK_EQ_INT(stored(8, false), 8);     /* pairs: 8 sectors, not 16 */
    CHECK_EQ_INT(stored(8, true), 16);     /* another time */
    CHECK_EQ_INT(stored(4096, false), 64); /* far apart: too slow */
    CHECK_EQ_INT(stored(4, false), 9);     /* the same words, all but one: 4 sectors, then 5 */
}

/* Structures of so many words stored member by member, by warps of a block that have left a barrier, or just loaded, or neither, behind so
 * many instructions in all: sectors that leave L1 for each of them. */
typedef struct members_case {
    uint32_t words, warps, instructions;
    bool loads, released;
} members_case;

static double left_of_members(const members_case *c)
{
    enum { MOST = 24 };
    trial t = {0};
    cache_shape shape = {.blocks = 1, .warps_per_block = c->warps, .blocks_per_sm = 1, .insns = MOST};
    start_shape(&t, &shape);
    event_sync release = {.kind = EVENT_BARRIER_RELEASE};
    if (c->loads || c->released)
        for (uint32_t w = 0; w < c->warps; w++) put_apart(&t, w, 0, EVENT_LOAD, 2 * BASE + w * 128, 4);
    if (c->released) cache_sync(t.worker[0], &release);
    for (uint32_t w = 0; w < c->warps; w++)
        for (uint32_t k = 0; k < c->words; k++)
            put_apart(&t, w, k, EVENT_STORE, BASE + (w * 32 * c->words + k) * 4, c->words * 4);
    end_block(t.worker[0], 0);
    if (c->instructions) cache_launch_ran(t.launch, c->instructions);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = 0;
    for (uint32_t k = 0; k < c->words; k++) sectors += s[k].l2_writes;
    stop(&t);
    return sectors / (c->warps * 32 * c->words / 8);
}

/* L1 gathers 29 lines of what is under way (tests/hw/h200-rows.csv): those of a warp with 8 or 16 lines, of two with 12 each, not of two
 * with 16, nor of four with 8; of warps that leave a barrier, or begin, together even less. */
UNIT_CASE(members_leave_l1_together_as_far_as_it_gathers_their_lines)
{
    static const struct {
        members_case c;
        double card, within;
    } cases[] = {
        {{8, 1, 0, false, false}, 1, 0.01},       {{16, 1, 0, false, false}, 1, 0.01},
        {{12, 2, 0, false, false}, 8 / 6.8, 1.2}, {{16, 2, 0, false, false}, 8, 1.6},
        {{8, 4, 0, true, false}, 8 / 1.3, 1.5},   {{6, 8, 0, true, false}, 2.11, 0.5},
        {{6, 32, 0, false, false}, 6, 0.3},       {{4, 8, 0, false, true}, 4 / 2.0, 0.6},
        {{3, 32, 0, false, true}, 2.6, 0.5},
    };
    for (size_t k = 0; k < LW_COUNT(cases); k++)
        CHECK_NEAR(left_of_members(&cases[k].c), cases[k].card, cases[k].within);
}

/* The longer they compute before, the less they do so at the same time. */
UNIT_CASE(warps_that_compute_for_long_do_not_store_at_once)
{
    members_case c = {12, 32, 32 * 12 * 12 * 2, false, false};
    CHECK_NEAR(left_of_members(&c), 8, 0.8);
    c.instructions *= 30;
    CHECK_NEAR(left_of_members(&c), 1, 0.2);
}

/* Sectors that leave L1 of eight members that are changed one by one, each loaded behind the store of the one before: `apart` bytes from
 * what is stored. */
static double left_of_changed(uint64_t apart)
{
    const uint32_t members = 8;
    trial t = {0};
    start_insns(&t, 1, members * 2);
    for (uint32_t k = 0; k < members; k++) {
        put_apart(&t, 0, 2 * k, EVENT_LOAD, BASE + apart + 4 * k, 32);
        put_apart(&t, 0, 2 * k + 1, EVENT_STORE, BASE + 4 * k, 32);
    }
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = 0;
    for (uint32_t k = 0; k < members; k++) sectors += s[2 * k + 1].l2_writes;
    stop(&t);
    return sectors;
}

/* The assembler loads them all first. */
UNIT_CASE(members_changed_one_by_one_leave_l1_together)
{
    CHECK_NEAR(left_of_changed(0), 32, 4);
    CHECK_NEAR(left_of_changed(1 << 20), 32 * 8, 0.5);
}

UNIT_CASE(members_with_much_in_between_leave_l1_alone)
{
    CHECK_EQ_INT(stored_behind(8, 2), 8);
    CHECK_EQ_INT(stored_behind(8, 100), 16);
}

/* The same of two neighbours, the second one behind a load of shared memory in its basic block. */
static double stored_behind_load(bool same_block)
{
    const event_insn insns[INSNS] = {[1] = {.awaits = true, .part = !same_block}};
    const event_launch launch = {.insns = insns, .insn_count = INSNS};
    trial t = {0};
    start_insns(&t, 1, INSNS);
    trial_access a = {.launch = &launch, .op = EVENT_STORE, .address = BASE, .apart = 8};
    for (; a.insn < 2; a.insn++, a.address += 4) put_access(&t, &a);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = s[0].l2_writes + s[1].l2_writes;
    stop(&t);
    return sectors;
}

/* The assembler brings the load before the first store, but not over a branch. */
UNIT_CASE(a_store_that_waits_for_shared_memory_leaves_l1_alone)
{
    CHECK_EQ_INT(stored_behind_load(true), 8);
    CHECK_EQ_INT(stored_behind_load(false), 16);
}

/* Sectors that two stores of so many bytes a lane send to L2, the second one to what is behind them; lanes so many bytes apart. */
static double stored_next(uint32_t bytes, uint64_t apart)
{
    trial t = {0};
    start(&t, 1, 0, 1);
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t lanes[32];
        for (uint32_t l = 0; l < 32; l++) lanes[l] = BASE + l * apart + (k * bytes) % 4;
        event_memory e = {.space = EVENT_GLOBAL,
                          .op = EVENT_STORE,
                          .insn = k,
                          .shape = EVENT_GENERAL,
                          .bytes = (uint8_t)bytes,
                          .mask = UINT32_MAX,
                          .address = lanes};
        cache_memory(t.worker[0], &e);
    }
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = s[0].l2_writes + s[1].l2_writes;
    stop(&t);
    return sectors;
}

UNIT_CASE(bytes_of_a_word_stored_in_a_row_leave_l1_together)
{
    CHECK_EQ_INT(stored_next(1, 4), 4);
    CHECK_EQ_INT(stored_next(2, 4), 4);
    CHECK_EQ_INT(stored_next(4, 4), 8);   /* the same word */
    CHECK_EQ_INT(stored_next(1, 32), 64); /* of 8 lines */
}

/* Sectors that leave L1 of pixels of so many bytes, stored byte by byte by all warps of a block, for each that they have: lanes go along
 * rows of `across` pixels of an image. */
static double left_of_pixels(uint32_t bytes, uint32_t warps, uint32_t across)
{
    const uint32_t width = 640, rows = 32 / across;
    trial t = {0};
    cache_shape shape = {.blocks = 1, .warps_per_block = warps, .blocks_per_sm = 1, .insns = 4};
    start_shape(&t, &shape);
    for (uint32_t w = 0; w < warps; w++)
        for (uint32_t k = 0; k < bytes; k++) {
            uint64_t lanes[32];
            for (uint32_t l = 0; l < 32; l++)
                lanes[l] = BASE + ((w * rows + l / across) * (uint64_t)width + l % across) * bytes + k;
            event_memory e = {.space = EVENT_GLOBAL,
                              .op = EVENT_STORE,
                              .insn = k,
                              .shape = EVENT_GENERAL,
                              .bytes = 1,
                              .mask = UINT32_MAX,
                              .address = lanes,
                              .warp = w};
            cache_memory(t.worker[0], &e);
        }
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = 0;
    for (uint32_t k = 0; k < bytes; k++) sectors += s[k].l2_writes;
    stop(&t);
    return sectors / (warps * bytes);
}

/* tests/hw/h100-pixels.csv, warps that begin with it. */
UNIT_CASE(bytes_of_pixels_leave_l1_alone_the_more_warps_are_in_step)
{
    CHECK_NEAR(left_of_pixels(3, 1, 32), 1.00, 0.01);
    CHECK_NEAR(left_of_pixels(4, 1, 32), 1.00, 0.01);
    CHECK_NEAR(left_of_pixels(3, 8, 32), 1.67, 0.3);
    CHECK_NEAR(left_of_pixels(4, 8, 32), 2.25, 0.4);
    CHECK_NEAR(left_of_pixels(3, 8, 16), 2.84, 0.6);
    CHECK_NEAR(left_of_pixels(3, 32, 32), 2.25, 0.3);
}

/* Sectors that 4 warps send to L2 that store a word each to the same sectors of so many lines, at the same time; together: in blocks that have
 * waited for the same line. */
static double stored_by_warps(uint32_t lines, bool first_wave, bool together)
{
    trial t = {0};
    start_warps(&t, first_wave ? 1 : 132 * 8 + 1, 4);
    uint32_t block = first_wave ? 0 : 132 * 8;
    for (uint32_t b = 0; b < block; b++) {
        put(t.worker[0], b, EVENT_LOAD, 2 * BASE + (together ? 0 : b * 128));
        end_block(t.worker[0], b);
    }
    for (uint32_t k = 0; k < 64; k++)
        for (uint32_t w = 0; w < 4; w++) {
            uint64_t lanes[32];
            for (uint32_t l = 0; l < 32; l++)
                lanes[l] = BASE + (k * lines + l % lines) * 4096 + 8 * w + l / lines % 2 * 4;
            event_memory e = {.space = EVENT_GLOBAL,
                              .op = EVENT_STORE,
                              .insn = 1,
                              .shape = EVENT_GENERAL,
                              .bytes = 4,
                              .mask = UINT32_MAX,
                              .address = lanes,
                              .block = block,
                              .warp = w};
            cache_memory(t.worker[0], &e);
        }
    end_block(t.worker[0], block);
    double sectors = cache_launch_replay(t.launch)[1].l2_writes;
    stop(&t);
    return sectors / (64 * 4 * lines);
}

UNIT_CASE(stores_of_some_lines_leave_l1_with_those_of_other_warps)
{
    CHECK_NEAR(stored_by_warps(16, true, false), 1 - 0.75 * 0.42, 0.03); /* of 4 warps 3 find a store to join */
    CHECK_NEAR(stored_by_warps(16, false, false), 1 - 0.75 * 0.10, 0.03);
    CHECK_NEAR(stored_by_warps(16, false, true), 1 - 0.75 * 0.90 * 0.87, 0.05);
    CHECK_NEAR(stored_by_warps(32, true, false), 1, 0.001);
    CHECK_NEAR(stored_by_warps(1, false, false), 1 - 0.75 * 0.30, 0.06);
}

/* The share of what blocks of one warp store that leaves L1, each to all of so many lines; where the sample has none of these, of the whole
 * multiprocessors. */
static double stored_by_blocks(uint32_t blocks, uint32_t lines)
{
    trial t = {0};
    start_warps(&t, blocks, 1);
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t k = 0; k < lines; k++) put(t.worker[0], b, EVENT_STORE, BASE + k * 128);
        end_block(t.worker[0], b);
    }
    const cache_site *sites = cache_launch_replay(t.launch);
    double stored = 0, left = 0;
    for (uint32_t k = 0; k < INSNS; k++) {
        const cache_site *s = &sites[k];
        stored += s->sectors ? s->sectors : s->unseen;
        left += s->sectors ? s->l2_writes : s->unseen_writes;
    }
    stop(&t);
    return left / stored;
}

UNIT_CASE(blocks_that_store_to_the_same_few_lines_leave_little)
{
    CHECK_NEAR(stored_by_blocks(132 * 64, 1), 1 - 0.82, 0.06);
    CHECK_NEAR(stored_by_blocks(132 * 512, 1), 1 - 0.82, 0.06); /* the sample has not the line */
    CHECK_NEAR(stored_by_blocks(132 * 64, 16), 1, 0.35);        /* they push each other out */
}

enum { ADD_LOADS_X, ADD_LOADS_Y, ADD_STORES, ADD_INSNS, ADD_UNROLLED = 4 };

/* How a thread adds x to y, element by element. */
typedef struct adding {
    bool rolled, only_x;
    uint64_t apart; /* bytes from an element of x to the next; 0: 4 */
    bool barriers;  /* behind each element */
} adding;

/* The share of stores that hit in L1, and of all loads. */
static double hits_in_place(adding how, double *loads)
{
    const uint32_t elements = 256, turns = how.rolled ? 1 : ADD_UNROLLED;
    const uint64_t apart = how.apart ? how.apart : 4;
    const event_sync release = {.kind = EVENT_BARRIER_RELEASE, .block = 0};
    trial t = {0};
    cache_shape shape = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1, .insns = ADD_INSNS * ADD_UNROLLED};
    start_shape(&t, &shape);
    for (uint32_t k = 0; k < elements; k++) {
        uint32_t first = k % turns * ADD_INSNS;
        put_apart(&t, 0, first + ADD_LOADS_X, EVENT_LOAD, 2 * BASE + k * apart, 0);
        if (!how.only_x) put_apart(&t, 0, first + ADD_LOADS_Y, EVENT_LOAD, BASE + k * 4, 0);
        put_apart(&t, 0, first + ADD_STORES, EVENT_STORE, BASE + k * 4, 0);
        if (how.barriers) cache_sync(t.worker[0], &release);
    }
    end_block(t.worker[0], 0);
    const cache_site *sites = cache_launch_replay(t.launch);
    double loaded = 0, stored = 0;
    for (uint32_t k = 0; k < shape.insns; k++) {
        bool stores = k % ADD_INSNS == ADD_STORES;
        stored += stores ? sites[k].l1_hits : 0;
        loaded += stores ? 0 : sites[k].l1_hits;
    }
    stop(&t);
    *loads = loaded / (elements * (how.only_x ? 1 : 2));
    return stored / elements;
}

/* As in tests/hw/h200-inplace.csv: add, add_rolled and other, of floats. */
UNIT_CASE(every_other_store_of_an_unrolled_loop_is_behind_its_line)
{
    double loads;
    CHECK_NEAR(hits_in_place((adding){0}, &loads), 0.500, 0.01);
    CHECK_NEAR(loads, 0.656, 0.04);
    CHECK_NEAR(hits_in_place((adding){.rolled = true}, &loads), 1.000, 0.01);
    CHECK_NEAR(loads, 0.875, 0.01);
    CHECK_NEAR(hits_in_place((adding){.only_x = true}, &loads), 0.969, 0.01);
    CHECK_NEAR(loads, 0.875, 0.01);
}

/* Reductions in place (tests/hw/time/h100-nineteenth.csv, qia_reduceInteger2): all find their line. */
UNIT_CASE(stores_that_wait_find_their_line)
{
    double loads;
    CHECK_NEAR(hits_in_place((adding){.apart = 4096}, &loads), 1.000, 0.01);
    CHECK_NEAR(loads, 0.5 * 0.875, 0.01);
    CHECK_NEAR(hits_in_place((adding){.barriers = true}, &loads), 1.000, 0.01);
    CHECK_NEAR(loads, 0.875, 0.01);
}

/* The same, mar_reduceInteger and sao_parallelReductionShared: what a warp stores between volatile loads of the line never finds it. */
UNIT_CASE(volatile_loads_leave_nothing_in_l1)
{
    const uint32_t turns = 64;
    trial t = {0};
    trial_access load = {.insn = 1, .op = EVENT_LOAD, .address = BASE, .apart = 4, .flags = EVENT_VOLATILE};
    start_insns(&t, 1, 3);
    for (uint32_t k = 0; k < turns; k++) {
        put_apart(&t, 0, 0, EVENT_LOAD, BASE, 4);
        put_access(&t, &load);
        put_apart(&t, 0, 2, EVENT_STORE, BASE, 4);
    }
    end_block(t.worker[0], 0);
    const cache_site *sites = cache_launch_replay(t.launch);
    CHECK_EQ_INT(sites[2].l1_hits, 0);
    CHECK(sites[0].l1_hits > 4 * (turns - 2));
    stop(&t);
}

UNIT_MAIN()
