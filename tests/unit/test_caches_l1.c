/* caches, L1: what hits there, and what is joined on the way to L2. */
#include "cache_trial.h"

#include "time/pace.h"
#include "time/places.h"

#include <math.h>

static double wavefronts(uint64_t apart)
{
    trial t = {0};
    start(&t, 1, 0, 1);
    put_apart(&t, 0, 0, EVENT_LOAD, BASE, apart);
    double found = cache_launch_replay(t.launch)[0].wavefronts;
    stop(&t);
    return found;
}

UNIT_CASE(lines_leave_l1_together_whose_words_differ)
{
    CHECK_EQ_INT(wavefronts(4), 1);
    CHECK_EQ_INT(wavefronts(8), 2);
    CHECK_EQ_INT(wavefronts(12), 1);
    CHECK_EQ_INT(wavefronts(132), 1);
    CHECK_EQ_INT(wavefronts(4096), 32);
}

/* Warps that load the same line at the same time wait for the same answer; later it is there. */
UNIT_CASE(a_line_on_its_way_is_waited_for)
{
    trial t = {0};
    start_warps(&t, 1, 4);
    for (uint32_t w = 0; w < 4; w++) put_apart(&t, w, 0, EVENT_LOAD, BASE, 4);
    for (uint32_t w = 0; w < 4; w++) put_apart(&t, w, 1, EVENT_LOAD, BASE, 4);
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    CHECK_EQ_INT(s[0].loads, 4);
    CHECK_EQ_INT(s[0].missed_loads, 1);
    CHECK_EQ_INT(s[0].pending_loads, 3);
    CHECK_EQ_INT(s[1].loads, 4);
    CHECK_EQ_INT(s[1].missed_loads + s[1].pending_loads, 0);
    stop(&t);
}

/* What several warps fetch of a line at once is in one page of DRAM, which is opened once; what is fetched later opens it again. */
UNIT_CASE(a_line_opens_its_page_once)
{
    for (uint32_t later = 0; later < 2; later++) {
        trial t = {0};
        start_warps(&t, 1, 4);
        for (uint32_t w = 0; w < 4; w++) {
            if (later && w == 2)
                for (uint32_t k = 0; k < 8; k++) put_apart(&t, w, 1, EVENT_LOAD, 2 * BASE, 4);
            put_apart(&t, w, 0, EVENT_LOAD, BASE + 32 * w, 4096);
        }
        end_block(t.worker[0], 0);
        const cache_site *s = cache_launch_replay(t.launch);
        CHECK_EQ_INT(s[0].dram_read_bytes, 32 * 128);
        CHECK_EQ_INT(s[0].dram_openings, later ? 64 : 32);
        stop(&t);
    }
}

/* Sectors that hit in L1 of 8 lines that a warp loads twice, another of its multiprocessor with a fence of this order and scope between. */
static double hits_behind_fence(event_order order, event_scope scope)
{
    trial t = {0};
    start_warps(&t, 1, 2);
    for (uint32_t k = 0; k < 8; k++) put(t.worker[0], 0, EVENT_LOAD, BASE + k * 128);
    event_sync fence = {.kind = EVENT_FENCE, .order = (uint8_t)order, .scope = (uint8_t)scope, .mask = 1, .warp = 1};
    event_memory other = {.space = EVENT_GLOBAL, .insn = 2, .shape = EVENT_UNIFORM, .bytes = 4, .mask = 1, .warp = 1};
    uint64_t address = 2 * BASE;
    other.address = &address;
    for (uint32_t k = 0; k < 8; k++) cache_memory(t.worker[0], &other); /* by then */
    cache_sync(t.worker[0], &fence);
    for (uint32_t k = 0; k < 8; k++) put(t.worker[0], 0, EVENT_LOAD, BASE + k * 128);
    end_block(t.worker[0], 0);
    double hits = cache_launch_replay(t.launch)[0].l1_hits;
    stop(&t);
    return hits;
}

UNIT_CASE(what_acquires_for_others_drops_l1)
{
    CHECK_EQ_INT(hits_behind_fence(EVENT_ORDER_SC, EVENT_SCOPE_CTA), 32);
    CHECK_EQ_INT(hits_behind_fence(EVENT_ORDER_RELEASE, EVENT_SCOPE_GPU), 32);
    CHECK_EQ_INT(hits_behind_fence(EVENT_ORDER_SC, EVENT_SCOPE_GPU), 0);
    CHECK_EQ_INT(hits_behind_fence(EVENT_ORDER_ACQ_REL, EVENT_SCOPE_SYS), 0);
}

/* A warp that polls a word, and loads others before and behind it. */
UNIT_CASE(polling_counts_once_and_passes_l1)
{
    const event_insn insns[INSNS] = {[2] = {.order = EVENT_ORDER_ACQUIRE, .scope = EVENT_SCOPE_GPU, .loads = true}};
    const event_launch launch = {.insns = insns, .insn_count = INSNS};
    uint64_t address = 2 * BASE;
    event_memory poll = {
        .launch = &launch, .space = EVENT_GLOBAL, .insn = 2, .shape = EVENT_UNIFORM, .bytes = 4, .mask = 1};
    poll.address = &address;
    trial t = {0};
    start_warps(&t, 1, 1);
    for (uint32_t k = 0; k < 1000; k++) cache_memory(t.worker[0], &poll);
    put_in(&launch, t.worker[0], 0, EVENT_LOAD, BASE);
    put_in(&launch, t.worker[0], 0, EVENT_LOAD, BASE);
    cache_memory(t.worker[0], &poll);
    put_in(&launch, t.worker[0], 0, EVENT_LOAD, BASE);
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    CHECK_EQ_INT(s[2].l1_sectors, 2);
    CHECK_NEAR(s[2].polled, 999 / 1001.0, 1e-6);
    CHECK_EQ_INT(s[2].l1_hits, 0);
    CHECK_EQ_INT(s[2].l2_reads, 2);
    CHECK_EQ_INT(s[0].l1_hits, 4); /* of 12: it has acquired in between */
    stop(&t);
}

/* Of a texture: lanes go through L1 by fours, each of which asks for its sectors anew; L2 is asked for each once. */
UNIT_CASE(fetches_from_textures_go_through_l1)
{
    static event_texels texels = {.sets = 1, .rows = 1, .texel_bytes = 4};
    texels.set[0] = (event_texel_set){.mask = UINT32_MAX, .rows = 1, .together = 4, .passes = 2, .base = BASE};
    for (uint32_t l = 0; l < 32; l++) texels.sector[0][l] = l / 8;
    uint64_t lanes[32] = {0};
    event_memory fetch = {
        .space = EVENT_TEXTURE, .op = EVENT_LOAD, .bytes = 4, .mask = UINT32_MAX, .texels = &texels, .address = lanes};
    trial t = {0};
    start_warps(&t, 1, 1);
    cache_memory(t.worker[0], &fetch);
    put(t.worker[0], 0, EVENT_STORE, BASE); /* the same line */
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    CHECK_EQ_INT(s[0].l1_sectors, 16);
    CHECK_EQ_INT(s[0].l1_hits, 12);
    CHECK_EQ_INT(s[0].l2_reads, 4);
    CHECK_EQ_INT(s[1].l1_hits, 4);
    stop(&t);
}

/* Blocks that load the same 32 sectors in each of so many turns, what they ask L2 for as a share of what misses L1. again: how often
 * each is loaded before the next; work: instructions for each memory instruction, 0: not said. */
static double asked_between(uint32_t blocks, uint32_t turns, uint32_t again, uint64_t work)
{
    trial t = {0};
    start(&t, blocks, 0, 1);
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t k = 0; k < turns * 8 * again; k++) {
            uint64_t line = k / again;
            put(t.worker[0], b, EVENT_LOAD, BASE + line * 128);
        }
        end_block(t.worker[0], b);
    }
    cache_launch_ran(t.launch, work * blocks * turns * 8 * again);
    double reads = cache_launch_replay(t.launch)[0].l2_reads;
    stop(&t);
    return reads / (blocks * turns * 32.0);
}

static double asked(uint32_t blocks, uint32_t turns, uint32_t again) { return asked_between(blocks, turns, again, 0); }

UNIT_CASE(neighbours_in_step_ask_l2_once)
{
    CHECK_NEAR(asked(2, 512, 1), 1 - 0.5 * (0.04 + 0.85 * 4 / 29), 0.02); /* 4 sectors at a time */
    CHECK(asked(6, 512, 1) < asked(2, 512, 1) - 0.1);                     /* of several requests one may be met */
    CHECK_NEAR(asked(1, 512, 1), 1, 0.001);
    CHECK_NEAR(asked(2, 64, 8), 1 - 0.5 * 0.058, 0.02); /* it seldom misses L1: they go their own ways */
    CHECK(asked(133, 8, 1) > asked(132, 8, 1) + 0.05);  /* a second block on each */
}

UNIT_CASE(neighbours_with_much_to_do_in_between_are_seldom_in_step)
{
    CHECK_NEAR(asked_between(2, 512, 1, 1), asked(2, 512, 1), 0.01);
    CHECK_NEAR(asked_between(2, 512, 1, 160), 1 - 0.5 * (0.04 + 0.5 * 0.85 * 4 / 29),
               0.02); /* 4 sectors for 160 instructions: half of those */
    CHECK_NEAR(asked_between(2, 512, 1, 100000), 1 - 0.5 * 0.04 * 0.3, 0.005);
}

/* The same of two blocks of so many warps, of which one loads a line between two barriers and has very much to do in between. */
static double asked_behind_barriers(uint32_t warps)
{
    const uint32_t turns = 2048;
    trial t = {0};
    start_warps(&t, 2, warps);
    for (uint32_t b = 0; b < 2; b++) {
        for (uint32_t k = 0; k < turns; k++) {
            event_sync barrier = {.kind = EVENT_BARRIER_RELEASE, .block = b};
            put(t.worker[0], b, EVENT_LOAD, BASE + k * 128);
            cache_sync(t.worker[0], &barrier);
        }
        end_block(t.worker[0], b);
    }
    cache_launch_ran(t.launch, UINT64_C(100000) * 2 * turns);
    double reads = cache_launch_replay(t.launch)[0].l2_reads;
    stop(&t);
    return reads / (2 * turns * 4.0);
}

/* As tests/hw/h200-products.csv has it of bodies. */
UNIT_CASE(barriers_keep_neighbours_of_few_warps_in_step)
{
    CHECK_NEAR(asked_behind_barriers(2), 1 - 0.5 * (0.04 + 1.5 / 2), 0.02);
    CHECK_NEAR(asked_behind_barriers(8), 1 - 0.5 * (0.04 + 1.5 / 8), 0.02);
    CHECK_NEAR(asked_behind_barriers(32), 1 - 0.5 * (0.04 + 1.5 / 32), 0.02);
}

/* The share of what 8 warps store that reaches L2 by itself: each to a word of 64 lines, one line after the other, by two instructions in
 * turn; all to the same words, or each to sectors of its own. */
static double left_of_turns(bool same)
{
    const uint32_t warps = 8, lines = 64;
    trial t = {0};
    start_warps(&t, 1, warps);
    for (uint32_t w = 0; w < warps; w++)
        for (uint32_t k = 0; k < lines; k++) {
            uint64_t place = same ? 0 : w * 32;
            put_apart(&t, w, k % 2, EVENT_STORE, BASE + k / 4 * 1024 + k % 4 * 4 + place, 0);
        }
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = s[0].l2_writes + s[1].l2_writes;
    stop(&t);
    return sectors / (warps * lines);
}

/* A warp that goes first within its turn stores no sooner than the others. */
UNIT_CASE(warps_that_store_the_same_join_whoever_goes_first)
{
    double alone = left_of_turns(false);
    CHECK_NEAR(left_of_turns(true), alone * (1 - 0.30 * 7 / 8), 0.05);
}

/* Sectors that a block on each multiprocessor asks L2 for, of 8 lines that all load at the same time, if they always meet. */
UNIT_CASE(so_many_and_no_more_join_a_load)
{
    trial t = {0};
    device_profile d = h200();
    d.l1_join_start_percent = 100;
    d.l1_join_least_percent = 100;
    cache_shape shape = {.blocks = 132, .warps_per_block = 1, .blocks_per_sm = 8, .insns = INSNS};
    start_on(&t, &d, &shape);
    for (uint32_t b = 0; b < 132; b++) {
        for (uint32_t k = 0; k < 8; k++) put(t.worker[0], b, EVENT_LOAD, BASE + k * 128);
        end_block(t.worker[0], b);
    }
    CHECK_EQ_INT(cache_launch_replay(t.launch)[0].l2_reads, 8 * 4 * 34); /* 6 clusters of 16, 2 of 18 */
    stop(&t);
}

/* A loop that is unrolled as a whole: from the 64th load of a warp on. Those before are of code without loops, which here never meet. */
UNIT_CASE(loads_of_an_unrolled_loop_are_joined)
{
    enum { LOADS = 96, STRAIGHT = 64 };
    trial t = {0};
    device_profile d = h200();
    d.l1_join_start_percent = 0;
    d.l1_join_least_percent = 100;
    cache_shape shape = {.blocks = 132, .warps_per_block = 1, .blocks_per_sm = 8, .insns = LOADS};
    start_on(&t, &d, &shape);
    for (uint32_t b = 0; b < 132; b++) {
        trial_access load = {.block = b, .op = EVENT_LOAD, .address = BASE, .apart = 4};
        for (load.insn = 0; load.insn < LOADS; load.insn++, load.address += 128) put_access(&t, &load);
        end_block(t.worker[0], b);
    }
    const cache_site *sites = cache_launch_replay(t.launch);
    double reads = 0;
    for (uint32_t k = 0; k < LOADS; k++) reads += sites[k].l2_reads;
    CHECK_EQ_INT(reads, STRAIGHT * 4 * 132 + (LOADS - STRAIGHT) * 4 * 34);
    stop(&t);
}

/* The same of block 0 and another, of as many as there are multiprocessors or fewer. */
static double asked_by_two(uint32_t blocks, uint32_t other)
{
    trial t = {0};
    start(&t, blocks, 0, 1);
    for (uint32_t b = 0; b <= other; b += other) {
        for (uint32_t k = 0; k < 512; k++) put(t.worker[0], b, EVENT_LOAD, BASE + k * 128);
        end_block(t.worker[0], b);
    }
    double reads = cache_launch_replay(t.launch)[0].l2_reads;
    stop(&t);
    return reads / (2 * 512 * 4.0);
}

UNIT_CASE(only_loads_of_a_cluster_are_joined)
{
    CHECK(asked_by_two(132, 15) < 0.96);
    CHECK_NEAR(asked_by_two(132, 16), 1, 0.001);
    CHECK(asked_by_two(62, 11) < 0.96); /* 8 and an eighth of the others */
    CHECK_NEAR(asked_by_two(62, 12), 1, 0.001);
}

/* What four blocks of a cluster ask for of a line that all load at the same time, if they always meet. Of some of them the sample holds
 * what another warp loads a little later, which is recorded before it. */
UNIT_CASE(loads_meet_at_their_time_whatever_else_the_sample_holds)
{
    const uint32_t first = 8, blocks = 4;
    trial t = {0};
    device_profile d = h200();
    d.l1_join_first_percent = 100;
    cache_shape shape = {.blocks = 132, .warps_per_block = 2, .blocks_per_sm = 8, .insns = INSNS};
    start_on(&t, &d, &shape);
    for (uint32_t b = first; b < first + blocks; b++) {
        trial_access own = {.block = b, .op = EVENT_LOAD, .address = 2 * BASE + b * 4096, .apart = 4};
        trial_access same = {.block = b, .warp = 1, .insn = 1, .op = EVENT_LOAD, .address = BASE, .apart = 4};
        for (uint32_t k = 0; k < 4 && b % 2; k++, own.address += 128) put_access(&t, &own);
        put_access(&t, &same);
        end_block(t.worker[0], b);
    }
    CHECK_EQ_INT(cache_launch_replay(t.launch)[1].l2_reads, 4);
    stop(&t);
}

/* What pairs of blocks of so many warps, one of which loads so many lines at once that the other block of its pair loads too, ask L2 for, as a
 * share of what misses L1. */
static double asked_at_first(uint32_t warps, uint64_t apart, uint32_t sectors)
{
    const uint32_t blocks = 124, first = 8;
    trial t = {0};
    start_warps(&t, first + blocks, warps);
    for (uint32_t b = first; b < first + blocks; b++) {
        trial_access load = {.block = b, .op = EVENT_LOAD, .address = BASE + ((uint64_t)b / 2 << 16), .apart = apart};
        put_access(&t, &load);
        end_block(t.worker[0], b);
    }
    double reads = cache_launch_replay(t.launch)[0].l2_reads;
    stop(&t);
    return reads / (blocks * sectors);
}

UNIT_CASE(loads_at_the_begin_meet)
{
    CHECK_NEAR(asked_at_first(1, 16, 16), 1 - 0.5 * 0.08, 0.03);
    CHECK_NEAR(asked_at_first(8, 16, 16), 1 - 0.5 * 0.30, 0.06);
    CHECK_NEAR(asked_at_first(32, 16, 16), 1 - 0.5 * 0.30, 0.06);
    CHECK_NEAR(asked_at_first(8, 128, 32), 1 - 0.5 * 0.30 * 0.04, 0.01); /* of 32 lines */
}

/* The same of blocks of 8 warps behind the first wave. */
UNIT_CASE(later_blocks_of_many_warps_hardly_meet_at_their_begin)
{
    const uint32_t sms = 132, sectors = 16;
    trial t = {0};
    cache_shape shape = {.blocks = 2 * sms, .warps_per_block = 8, .blocks_per_sm = 1, .insns = INSNS};
    start_shape(&t, &shape);
    for (uint32_t b = sms; b < 2 * sms; b++) {
        trial_access load = {.block = b, .op = EVENT_LOAD, .address = BASE + ((uint64_t)b / 2 << 16), .apart = 16};
        put_access(&t, &load);
        end_block(t.worker[0], b);
    }
    CHECK_NEAR(cache_launch_replay(t.launch)[0].l2_reads / (sms * sectors), 1 - 0.5 * 0.08 / 8, 0.01);
    stop(&t);
}

/* The share of sectors that hit in L1 if so many warps store a word each to the same 32 lines, so many bytes apart, at the same time. */
static double hits_of_stores(uint32_t warps, uint64_t apart)
{
    trial t = {0};
    start_warps(&t, 1, warps);
    for (uint32_t k = 0; k < 8; k++)
        for (uint32_t w = 0; w < warps; w++) put_apart(&t, w, 1, EVENT_STORE, BASE + k * 32 * apart + 4 * w, apart);
    end_block(t.worker[0], 0);
    double hits = cache_launch_replay(t.launch)[1].l1_hits;
    stop(&t);
    return hits / (8 * 32 * warps);
}

/* As tests/hw/h100-scatter.csv has it of one block a multiprocessor: none finds the line where all lie evenly over the banks. */
UNIT_CASE(stores_right_behind_each_other_find_what_lies_unevenly)
{
    CHECK_NEAR(hits_of_stores(8, 4096), 0, 0.02);
    CHECK_NEAR(hits_of_stores(32, 4096), 0, 0.02);
    CHECK_NEAR(hits_of_stores(8, 128), 0, 0.02);
    CHECK_NEAR(hits_of_stores(8, 3968), 0.70, 0.06);
    CHECK_NEAR(hits_of_stores(32, 3968), 0.77, 0.06);
}

/* The block that the multiprocessor which is kept whole has in a round. */
static uint32_t usual_block(const cache_launch *l, uint64_t round)
{
    return (uint32_t)cache_block_at(l, (cache_place){cache_usual_sm(l), round});
}

/* The same of blocks of 16 warps, four at once on a multiprocessor, of which a whole one is kept for so many accesses. */
static double hits_of_waves(uint64_t waves, uint32_t budget)
{
    const uint32_t warps = 16, lines = 32, sms = 132, at_once = 4;
    trial t = {0};
    cache_shape shape = {.blocks = waves * sms * at_once,
                         .warps_per_block = warps,
                         .blocks_per_sm = at_once,
                         .insns = INSNS,
                         .full_budget = budget};
    start_shape(&t, &shape);
    for (uint64_t round = 0; round < waves * at_once; round++) {
        const uint32_t b = usual_block(t.launch, round);
        trial_access load = {.block = b, .op = EVENT_LOAD, .apart = 4};
        trial_access a = {.block = b, .insn = 1, .op = EVENT_STORE, .apart = 4096};
        for (; a.warp < warps; load.warp = ++a.warp) {
            load.address = 2 * BASE + (b * warps + load.warp) * 128;
            a.address = BASE + b * lines * a.apart + 4 * a.warp;
            put_access(&t, &load);
            put_access(&t, &a);
        }
        end_block(t.worker[0], b);
    }
    const cache_site *s = &cache_launch_replay(t.launch)[1];
    double hits = s->l1_hits / s->l1_sectors;
    stop(&t);
    return hits;
}

/* As in tests/hw/time/h200-transposes.csv, blocks of 32 x 16, of 1024 and 4096: of those that are kept, and of the others too. */
UNIT_CASE(stores_of_later_waves_are_less_in_step)
{
    double all = hits_of_waves(64, 1u << 18);
    CHECK_NEAR(hits_of_waves(4, 1u << 16), 0.39, 0.10);
    CHECK_NEAR(all, 0.69, 0.06);
    CHECK_NEAR(hits_of_waves(64, 1u << 14), all, 0.05);
}

/* The share of sectors that hit in L1 if so many warps store a word each to the same lines, in blocks that follow each other: what they
 * have fetched from shared memory behind a barrier, or what they began with. sectors: how much of it reaches L2. */
static double hits_in_step(uint32_t warps, uint32_t lines, bool shared, double *sectors)
{
    const uint32_t blocks = 32, sms = 132;
    trial t = {0};
    cache_shape shape = {.blocks = blocks * sms, .warps_per_block = warps, .blocks_per_sm = 64 / warps, .insns = INSNS};
    start_shape(&t, &shape);
    for (uint64_t round = 0; round < blocks; round++) {
        const uint32_t b = usual_block(t.launch, round);
        trial_access load = {.block = b, .op = EVENT_LOAD, .apart = 4, .address = 2 * BASE};
        trial_access a = {.block = b, .insn = 1, .op = EVENT_STORE, .apart = 4096, .lanes_again = lines};
        event_memory fetch = {.space = EVENT_SHARED, .op = EVENT_LOAD, .block = b};
        event_sync release = {.kind = EVENT_BARRIER_RELEASE, .block = b};
        for (; shared && load.warp < warps; load.warp++) put_access(&t, &load);
        if (shared) cache_sync(t.worker[0], &release);
        for (; a.warp < warps; fetch.warp = ++a.warp) {
            a.address = BASE + b * lines * a.apart + 128 / lines * a.warp;
            if (shared) cache_memory(t.worker[0], &fetch);
            put_access(&t, &a);
        }
        end_block(t.worker[0], b);
    }
    const cache_site *s = &cache_launch_replay(t.launch)[1];
    double hits = s->l1_hits / s->l1_sectors;
    *sectors = s->l2_writes / s->sectors;
    stop(&t);
    return hits;
}

/* As in tests/hw/time/h200-transposes.csv, kernels shared and only. */
UNIT_CASE(warps_in_step_come_too_soon)
{
    double to_l2;
    CHECK_NEAR(hits_in_step(4, 32, true, &to_l2), 0.28, 0.05);
    CHECK_NEAR(hits_in_step(8, 32, true, &to_l2), 0.17, 0.04);
    CHECK_NEAR(hits_in_step(32, 32, true, &to_l2), 0.015, 0.02);
    CHECK_NEAR(to_l2, 1, 0.001);
    CHECK_NEAR(hits_in_step(8, 32, false, &to_l2), 0.42, 0.08);
    CHECK_NEAR(hits_in_step(32, 32, false, &to_l2), 0, 0.1);
    CHECK_NEAR(hits_in_step(8, 16, true, &to_l2), 0.78, 0.03);
    CHECK_NEAR(to_l2, 1 - 0.75 * 0.82, 0.03);
    CHECK_NEAR(hits_in_step(2, 8, true, &to_l2), 0.5, 0.05);
    CHECK_NEAR(to_l2, 0.5, 0.001);
    CHECK_NEAR(hits_in_step(2, 8, false, &to_l2), 0.5, 0.05);
    CHECK_NEAR(to_l2, 0.5, 0.001);
}

/* Blocks of two warps that only store, again and again, more than L1 holds: each second one finds what the first has stored, and leaves with
 * it (tests/hw/time/h200-thirteenth.csv, kernel_init_column_matrix). */
UNIT_CASE(warps_that_only_store_go_abreast)
{
    const uint32_t blocks = 32, stores = 10, lines = 8, sms = 132;
    trial t = {0};
    cache_shape shape = {.blocks = blocks * sms, .warps_per_block = 2, .blocks_per_sm = blocks, .insns = INSNS};
    start_shape(&t, &shape);
    for (uint32_t b = 0; b < blocks * sms; b += sms) {
        trial_access a = {.block = b, .op = EVENT_STORE, .apart = 4096, .lanes_again = lines};
        for (; a.warp < 2; a.warp++)
            for (uint32_t k = 0; k < stores; k++) {
                a.address = BASE + (b * stores + k) * lines * a.apart + 16 * a.warp;
                put_access(&t, &a);
            }
        end_block(t.worker[0], b);
    }
    const cache_site *s = cache_launch_replay(t.launch);
    CHECK_NEAR(s->l1_hits / s->l1_sectors, 0.5, 0.05);
    CHECK_NEAR(s->l2_writes / s->sectors, 0.5, 0.001);
    stop(&t);
}

/* The share of three stores of every third word that reaches L2, with a load before each that may go before the stores, or may not. */
static double left_of_row(uint16_t load_flags)
{
    const uint32_t rows = 256;
    trial t = {0};
    start_insns(&t, 1, 6);
    uint64_t lanes[32];
    for (uint32_t k = 0; k < rows * 3; k++)
        for (uint32_t op = 0; op < 2; op++) {
            for (uint32_t l = 0; l < 32; l++)
                lanes[l] = op ? BASE + (k / 3 * 96 + 3 * l + k % 3) * 4 : 2 * BASE + (k * 32 + l) * 4;
            event_memory e = {.space = EVENT_GLOBAL,
                              .op = op ? EVENT_STORE : EVENT_LOAD,
                              .flags = op ? 0 : load_flags,
                              .insn = k % 3 * 2 + op,
                              .shape = EVENT_GENERAL,
                              .bytes = 4,
                              .mask = UINT32_MAX,
                              .address = lanes};
            cache_memory(t.worker[0], &e);
        }
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    double sectors = s[1].l2_writes + s[3].l2_writes + s[5].l2_writes;
    stop(&t);
    return sectors / (rows * 36);
}

UNIT_CASE(stores_are_brought_together_over_loads_that_may_go_first)
{
    CHECK_NEAR(left_of_row(0), 1, 0.001);
    CHECK_NEAR(left_of_row(EVENT_NON_COHERENT), 1 / 3.0 + 2 / 3.0 * 0.45, 0.08);
}

/* As in tests/hw/h200-paces.csv, naive48 and coarse12. */
UNIT_CASE(younger_blocks_go_slower)
{
    device_profile d = h200();
    CHECK_NEAR(cache_pace_behind(&d, 0, 8), 1, 1e-9);
    CHECK_NEAR(cache_pace_behind(&d, 3, 8), 0.85, 0.05);
    CHECK_NEAR(cache_pace_behind(&d, 5, 8), 0.37, 0.05);
    CHECK_NEAR(cache_pace_behind(&d, 7, 8), 0.1, 0.02);
    CHECK_NEAR(cache_pace_behind(&d, 1, 32), 0.33, 0.04);
    cache_pace p = cache_pace_begin(100);
    CHECK_EQ_INT(cache_pace_time(&p, 7), 107);
    cache_pace_set(&p, 110, 0.25); /* it has carried out 10 */
    CHECK_EQ_INT(cache_pace_time(&p, 11), 114);
    CHECK_EQ_INT(cache_pace_time(&p, 9), 106);
}

/* How much of what two blocks of 32 warps of a multiprocessor load, so many bytes a lane, is found in L1: both go through the same lines,
 * 16 times as much as L1 holds, with or without barriers in their loop. */
static double found_of_the_other_with(bool barriers, uint8_t bytes, uint64_t instructions)
{
    const uint32_t warps = 32, sms = 132, steps = 4096 / bytes;
    trial t = {0};
    cache_shape shape = {
        .blocks = 2 * sms, .warps_per_block = warps, .blocks_per_sm = 2, .insns = INSNS, .full_budget = 1u << 20};
    start_shape(&t, &shape);
    for (uint64_t round = 0; round < 2; round++) {
        const uint32_t b = usual_block(t.launch, round);
        event_sync release = {.kind = EVENT_BARRIER_RELEASE, .block = b};
        for (uint32_t k = 0; k < steps; k++) {
            for (uint32_t w = 0; w < warps; w++) {
                uint64_t first = BASE + (uint64_t)(k * warps + w) * 32 * bytes;
                event_memory e = {.space = EVENT_GLOBAL,
                                  .op = EVENT_LOAD,
                                  .shape = EVENT_CONSECUTIVE,
                                  .bytes = bytes,
                                  .mask = UINT32_MAX,
                                  .address = &first,
                                  .block = b,
                                  .warp = w};
                cache_memory(t.worker[0], &e);
            }
            if (barriers) cache_sync(t.worker[0], &release);
        }
        end_block(t.worker[0], b);
    }
    cache_launch_ran(t.launch, instructions);
    const cache_site *s = cache_launch_replay(t.launch);
    double found = s->l1_hits / s->l1_sectors;
    stop(&t);
    return found;
}

static double found_of_the_other(bool barriers, uint8_t bytes) { return found_of_the_other_with(barriers, bytes, 0); }

/* Blocks that wait for memory, as those that load more than two words a lane, stay together. */
UNIT_CASE(blocks_at_different_speeds_do_not_share_lines)
{
    CHECK_EQ_INT(found_of_the_other(true, 4) < 0.1, true);
    CHECK_EQ_INT(found_of_the_other(false, 8) < 0.1, true);
    CHECK_NEAR(found_of_the_other(false, 16), 0.5, 0.02);
}

/* 65536 lines of four sectors: with more to issue than there are slots for while L2 brings these (1.6 million), the older block holds up the
 * other, with less it does not. */
UNIT_CASE(blocks_between_barriers_go_together_while_memory_is_what_takes_long)
{
    CHECK_EQ_INT(found_of_the_other_with(true, 4, 10000000) < 0.1, true);
    CHECK_NEAR(found_of_the_other_with(true, 4, 30000), 0.5, 0.02);
}

/* The share of sectors that hit of an array that is loaded and stored in place, each warp three sectors of a line and one of the next. */
static double hits_in_place(uint32_t warps)
{
    const uint32_t lines = 64;
    trial t = {0};
    start_warps(&t, 1, warps);
    for (uint32_t k = 0; k < lines; k++)
        for (uint32_t w = 0; w < warps; w++) put_apart(&t, w, 0, EVENT_LOAD, BASE + (k * warps + w) * 128 + 32, 4);
    for (uint32_t k = 0; k < lines; k++)
        for (uint32_t w = 0; w < warps; w++) put_apart(&t, w, 1, EVENT_STORE, BASE + (k * warps + w) * 128 + 32, 4);
    end_block(t.worker[0], 0);
    double hits = cache_launch_replay(t.launch)[1].l1_hits;
    stop(&t);
    return hits / (lines * warps * 4);
}

/* Of two stores to a line the second one, of a fifth of the lines: that it was loaded does not help (tests/hw/time/h100-twelfth.csv,
 * die_coalescing). */
UNIT_CASE(stores_in_place_come_too_soon)
{
    CHECK_EQ_INT(hits_in_place(1), 1);
    CHECK_NEAR(hits_in_place(8), 1 - 0.22 * 3 / 4 * 7 / 8, 0.03);
}

/* What 8 blocks of a multiprocessor do 16 times: load a line, all the same one or each its own, and store to it. */
typedef struct changes {
    bool own, no_loads;
    uint32_t between; /* loads of other memory behind each store */
} changes;

static double turns_of(changes c)
{
    const uint32_t blocks = 8, sms = 132;
    trial t = {0};
    cache_shape shape = {.blocks = blocks * sms, .warps_per_block = 1, .blocks_per_sm = blocks, .insns = INSNS};
    start_shape(&t, &shape);
    for (uint64_t round = 0; round < blocks; round++) {
        const uint32_t b = usual_block(t.launch, round);
        trial_access load = {.block = b, .op = EVENT_LOAD, .apart = 4, .address = BASE + (c.own ? b * 128 : 0)};
        trial_access store = load, other = load;
        store.op = EVENT_STORE;
        store.insn = 1;
        other.insn = 2;
        other.address = 2 * BASE;
        for (uint32_t k = 0; k < 16; k++) {
            if (!c.no_loads) put_access(&t, &load);
            put_access(&t, &store);
            for (uint32_t o = 0; o < c.between; o++) put_access(&t, &other);
        }
        end_block(t.worker[0], b);
    }
    cache_launch_replay(t.launch);
    cache_hot hot = cache_launch_hot(t.launch);
    if (hot.turns > 0) CHECK_EQ_INT(hot.turn_lines, 1);
    stop(&t);
    return hot.turns;
}

UNIT_CASE(blocks_that_change_a_line_take_turns)
{
    CHECK_NEAR(turns_of((changes){0}), 15 * 7, 2); /* nobody waits for himself */
    CHECK_EQ_INT(turns_of((changes){.own = true}), 0);
    CHECK_EQ_INT(turns_of((changes){.no_loads = true}), 0); /* they leave L1 together */
    CHECK(turns_of((changes){.between = 20}) <= 7);         /* as they begin; later it has long arrived */
}

/* The share of sectors that hit if 32 warps store a word each to the same lines, and then, by another instruction, to the same sectors
 * or to the next. */
static double hits_of_second_stores(bool same_sectors)
{
    trial t = {0};
    start_warps(&t, 1, 32);
    for (uint32_t w = 0; w < 32; w++)
        for (uint32_t k = 0; k < 2; k++)
            put_apart(&t, w, 1 + k, EVENT_STORE, BASE + (w % 4 + (k && !same_sectors ? 8 : 0)) * 4, 4096);
    end_block(t.worker[0], 0);
    double hits = cache_launch_replay(t.launch)[2].l1_hits;
    stop(&t);
    return hits / (32 * 32);
}

UNIT_CASE(a_store_finds_sectors_that_were_stored_before)
{
    CHECK_NEAR(hits_of_second_stores(true), 1, 0.001);
    CHECK(hits_of_second_stores(false) < 0.4);
}

/* Of warps that store to a sector each of a line, 4 at a time: the share of all sectors that hit. */
static double hits_of_few_lines(uint32_t warps)
{
    const uint32_t groups = 256;
    trial t = {0};
    start_warps(&t, 1, warps);
    for (uint32_t k = 0; k < groups; k++)
        for (uint32_t w = 0; w < warps; w++)
            put_apart(&t, w, 1, EVENT_STORE, BASE + (k * warps / 4 + w / 4) * 128 + w % 4 * 32, 0);
    end_block(t.worker[0], 0);
    double hits = cache_launch_replay(t.launch)[1].l1_hits;
    stop(&t);
    return hits / (groups * warps);
}

/* As of bytes in tests/hw/h100-l1.csv: the more warps a block has, up to eight. */
UNIT_CASE(few_stores_of_one_line_come_too_soon)
{
    CHECK_NEAR(hits_of_few_lines(4), (1 - 0.12) * 3 / 4, 0.03);
    CHECK_NEAR(hits_of_few_lines(8), (1 - 0.22) * 3 / 4, 0.02);
    CHECK_NEAR(hits_of_few_lines(16), (1 - 0.22) * 3 / 4, 0.02);
}

/* Sectors of another warp's stores that hit in L1, so many bytes behind one to bytes 0 to 65 of a line: mean of 256 lines. */
static double store_hits(uint64_t behind)
{
    const uint32_t lines = 256;
    trial t = {0};
    start_warps(&t, 1, 2);
    for (uint32_t k = 0; k < lines; k++) {
        put_apart(&t, 0, 0, EVENT_STORE, BASE + k * 1024, 2);
        put_apart(&t, 1, 1, EVENT_STORE, BASE + k * 1024 + behind, 2);
    }
    double hits = cache_launch_replay(t.launch)[1].l1_hits;
    stop(&t);
    return hits / lines;
}

/* Of sectors 1 to 3 the first store has touched two; a sixteenth of such stores come too soon, as the block is small. */
UNIT_CASE(a_store_hits_where_the_line_is)
{
    CHECK_NEAR(store_hits(60), 3 * (1 - 0.06), 0.1);
    CHECK_EQ_INT(store_hits(128), 0); /* the next line */
}

UNIT_MAIN()
