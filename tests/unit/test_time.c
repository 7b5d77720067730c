#include <math.h>
/* time: launches whose time and bottleneck follow from one resource, and what instructions cost. */
#include "time/time.h"
#include "unit.h"

static device_profile h200(void)
{
    device_profile d;
    CHECK_EQ_INT(device_find("h200", &d, NULL), LW_OK);
    return d;
}

/* 132 multiprocessors full of blocks that do nothing. */
static time_demand idle(uint64_t blocks_each)
{
    return (time_demand){.blocks = 132 * blocks_each, .warps_per_block = 8, .blocks_per_sm = 8};
}

static result_resource bottleneck(const time_prediction *p)
{
    result_time t = {
        .count = 1, .seconds = p->seconds, .low = p->low, .high = p->high, .launch_below = 5e-6, .busy_from = 0.37};
    memcpy(t.busy, p->busy, sizeof t.busy);
    return result_bottleneck(&t);
}

UNIT_CASE(an_empty_launch_takes_the_launch)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1};
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.seconds, d.time_launch_ns * 1e-9, 0.3e-6);
    CHECK_EQ_INT(bottleneck(&p), RESULT_LAUNCH);
    CHECK(p.low < p.seconds && p.seconds < p.high);
}

/* Two blocks of 32 warps fit: warps start one after the other, and a block waits for all warps of the one whose place it takes. */
UNIT_CASE(blocks_behind_the_first_wait_for_all_warps_of_a_block)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132 * 2, .warps_per_block = 32, .blocks_per_sm = 2};
    time_prediction first = time_predict(&d, &t);
    t.blocks = 132 * 10;
    time_prediction all = time_predict(&d, &t);
    CHECK_NEAR((all.resource[RESULT_LAUNCH] - first.resource[RESULT_LAUNCH]) * 1980e6,
               8.0 * 32 * (double)d.time_warp_start_cycles, 1);
    double block = (double)d.time_block_cycles + 32 * (double)d.time_warp_start_cycles;
    CHECK_NEAR((all.resource[RESULT_LATENCY] - first.resource[RESULT_LATENCY]) * 1980e6, 4 * block, 1);
    t.global_waits = 132 * 10 * 16; /* half of the warps load */
    double loads = time_predict(&d, &t).resource[RESULT_LATENCY] - all.resource[RESULT_LATENCY];
    double load = 5 * (double)d.time_l1_cycles / 2;
    CHECK_NEAR(loads * 1980e6, load + 5 * 16 * (double)d.time_warp_turn_cycles, 1);
}

/* tests/hw/time/h100-eleventh.csv, convertPixelFormat: 32,400 blocks of 32 warps of which nearly all end at once, 35.7 us. */
UNIT_CASE(blocks_that_end_at_once)
{
    device_profile d;
    CHECK_EQ_INT(device_find("h100", &d, NULL), LW_OK);
    time_demand t = {.blocks = 32400, .warps_per_block = 32, .blocks_per_sm = 2};
    double warps = (double)t.blocks * t.warps_per_block;
    t.work.issue = 10.9 * warps;
    t.path = 40 * warps;
    CHECK_NEAR(time_predict(&d, &t).seconds, 35.7e-6, 12e-6);
}

/* In waves of two blocks less overlaps than in waves of eight, or in one. */
UNIT_CASE(few_blocks_overlap_less)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132 * 16, .warps_per_block = 8, .blocks_per_sm = 8, .dram_read_bytes = 4e8};
    double cycles = 132 * 1980e6;
    t.shared_wavefronts = 4e8 / 4.81e12 * cycles;
    double many = time_predict(&d, &t).seconds;
    t.warps_per_block = 32;
    t.blocks = 132 * 4;
    t.blocks_per_sm = 2;
    double few = time_predict(&d, &t).seconds;
    t.blocks_per_sm = 4;
    double wave = time_predict(&d, &t).seconds;
    CHECK(few > 1.01 * many && few > 1.01 * wave);
}

/* Writes alone do not turn the bus round; mixed with as much read they are as fast as these are. */
UNIT_CASE(bytes_that_are_only_written)
{
    device_profile d;
    CHECK_EQ_INT(device_find("h100", &d, NULL), LW_OK);
    time_demand t = idle(8);
    t.dram_write_bytes = 4e9;
    double peak = (double)d.memory_clock_khz * 1e3 * 2 * (double)d.memory_bus_bits / 8;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_DRAM], 4e9 / (peak * (double)d.time_dram_written_percent / 100),
               1e-9);
    CHECK(d.time_dram_written_percent > d.time_dram_percent);
    t.dram_read_bytes = 4e9;
    double mixed = (double)(d.time_dram_percent - d.time_dram_mixed_loss) / 100;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_DRAM], 8e9 / (peak * mixed), 1e-9);
    t.dram_write_bytes = 0;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_DRAM], 4e9 / (peak * (double)d.time_dram_percent / 100), 1e-9);
}

/* Loads and atomics go through the tags of L2 one after the other (tests/hw/time/h100-ninth.csv, sgdUpdateKernel: 40 million of these and
 * 48 million sectors of those take as long as both together). */
UNIT_CASE(loads_and_atomics_share_the_tags_of_l2)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.l2_atomic_sectors = 48e6;
    double atomics = time_predict(&d, &t).resource[RESULT_ATOMICS];
    t.l2_read_requests = t.l2_read_sectors = 40e6;
    time_prediction both = time_predict(&d, &t);
    double loads = 40e6 / ((double)d.time_l2_read_requests * 1e9);
    CHECK_NEAR(both.resource[RESULT_ATOMICS], atomics + loads, 1e-9);
    CHECK(both.resource[RESULT_L2] < 1.2 * loads);
    t.l2_atomic_sectors = 4e6;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_L2], atomics / 12 + loads, 1e-9);
}

UNIT_CASE(bytes_over_bandwidth)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.dram_read_bytes = 4e9;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.seconds, 4e9 / (4.81e12 * (double)d.time_dram_percent / 100), 10e-6);
    CHECK_EQ_INT(bottleneck(&p), RESULT_DRAM);
    t.dram_scattered = 4e9 / 64;
    CHECK(time_predict(&d, &t).seconds > 1.5 * p.seconds);
}

UNIT_CASE(instructions_over_rate)
{
    device_profile d = h200();
    double second = 132.0 * 1980e6; /* cycles of all multiprocessors */
    struct {
        time_work work;
        result_resource is;
    } cases[] = {
        {{.issue = 4 * second}, RESULT_ISSUE}, {{.fp32 = 4 * second}, RESULT_FP32},
        {{.integer = 2 * second}, RESULT_INT}, {{.fp64 = 2 * second}, RESULT_FP64},
        {{.sfu = second / 2}, RESULT_SFU},
    };
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        time_demand t = idle(80);
        t.work = cases[k].work;
        t.work.issue += 1;
        time_prediction p = time_predict(&d, &t);
        CHECK_EQ_INT(bottleneck(&p), cases[k].is);
        CHECK_NEAR(p.seconds, 1, 0.15);
    }
}

UNIT_CASE(shared_memory_and_l1_share_a_stage)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.shared_wavefronts = 132 * 1980e6;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.seconds, 1, 0.02);
    CHECK_EQ_INT(bottleneck(&p), RESULT_SHARED);
    t.l1_wavefronts = 2 * t.shared_wavefronts;
    p = time_predict(&d, &t);
    CHECK_NEAR(p.seconds, 3, 0.06);
    CHECK_EQ_INT(bottleneck(&p), RESULT_L1);
}

UNIT_CASE(a_chain_of_loads_waits)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1, .global_waits = 1e6};
    t.missed_l1 = 1;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.seconds, 1e6 * (double)d.time_l2_cycles / 1980e6, 3e-6);
    CHECK_EQ_INT(bottleneck(&p), RESULT_LATENCY);
}

UNIT_CASE(the_longest_block_ends_a_launch)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 1, .blocks_per_sm = 1, .global_waits = 132e3};
    t.missed_l1 = 1;
    double even = time_predict(&d, &t).seconds;
    t.block_mean = 1;
    t.block_longest = 10;
    CHECK_NEAR(time_predict(&d, &t).seconds / even, 10, 0.5);
    t.blocks = 264; /* two waves, of which the second has it */
    t.global_waits *= 2;
    CHECK_NEAR(time_predict(&d, &t).seconds / even, 11, 0.5);
}

/* What all warps wait for as often, the longest does not wait for more often than others. */
UNIT_CASE(even_waits_are_not_longer_for_a_long_warp)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 1, .blocks_per_sm = 1, .global_waits = 132e3, .missed_l1 = 1};
    double even = time_predict(&d, &t).seconds;
    t.block_mean = 1;
    t.block_longest = 3;
    t.even_waits = 66e3; /* half of them */
    CHECK_NEAR(time_predict(&d, &t).seconds / even, 2, 0.1);
}

/* Instructions that all warps execute as often: a reduction in shared memory, whose turns all warps go through, the first few to add. */
UNIT_CASE(even_instructions_are_not_longer_for_a_long_warp)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 1, .blocks_per_sm = 1, .path = 132e5};
    double even = time_predict(&d, &t).seconds;
    t.block_mean = t.block_longest = 3;
    t.even_path = 66e5; /* half of them */
    CHECK_NEAR(time_predict(&d, &t).seconds / even, 2, 0.1);
}

/* All warps of a block come by its barriers, the one that is at work longest not more often. */
UNIT_CASE(barriers_are_not_longer_for_a_long_warp)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 8, .blocks_per_sm = 8, .barrier_waits = 132 * 8 * 1e4};
    double even = time_predict(&d, &t).seconds;
    t.block_mean = t.block_longest = 10;
    CHECK_NEAR(time_predict(&d, &t).seconds / even, 1, 0.01);
}

UNIT_CASE(atomics_that_need_each_other_go_one_after_the_other)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.l2_atomic_sectors = t.atomic_chain = 1e5;
    t.hot_atomics = t.hot_lines = 1;
    double cycles = 1e5 * (double)d.time_atomic_cycles;
    CHECK_NEAR(time_predict(&d, &t).seconds, cycles / 1980e6, 5e-6);
    t.atomic_chain = 0;
    t.l2_atomic_sectors = 1e8;
    double whole = time_predict(&d, &t).seconds;
    t.float_atomics = 1;
    CHECK_NEAR(time_predict(&d, &t).seconds / whole, 2.41, 0.01); /* 1e8 in 176 ms: one in three clocks of L2 */
    t.hot_lines = 0;                                              /* further words are begun before a sum is there */
    CHECK_NEAR(time_predict(&d, &t).seconds / whole, 2, 0.01);
}

/* Blocks of a multiprocessor that change a line without atomics wait for each other (hyu_histogram, histogram_race_kernel: 1986 warps of a
 * multiprocessor, 8 lines each, 490 us). */
UNIT_CASE(who_loads_what_others_store_waits_for_them)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.turns = 1986;
    t.turn_lines = 8;
    CHECK_NEAR(time_predict(&d, &t).seconds, 496e-6, 10e-6);
}

/* Flags that 512 blocks hand on (tests/hw/h200-orders.csv, D: 168 us; with fences 289 us). */
UNIT_CASE(blocks_that_hand_on_go_one_after_the_other)
{
    device_profile d = h200();
    time_demand t = idle(1);
    t.blocks = 512;
    double before = time_predict(&d, &t).seconds;
    t.links = 511;
    CHECK_NEAR(time_predict(&d, &t).seconds - before, 163e-6, 8e-6);
    t.link_fences = true;
    CHECK_NEAR(time_predict(&d, &t).seconds - before, 286e-6, 12e-6);
    t.link_loads = 511; /* what they load is in L2 */
    CHECK(time_predict(&d, &t).seconds - before > 340e-6);
}

/* A sum of blocks' parts in one word takes as long as the word does (hyu_reduce, reduce_shared_kernel: 16384 sums, 32.1 us). */
UNIT_CASE(nobody_waits_for_atomics_that_are_not_read)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.l2_atomic_sectors = 1e5;
    t.hot_atomics = 1;
    double queue = time_predict(&d, &t).resource[RESULT_ATOMICS];
    t.work.issue = 0.8 * queue * 1980e6 * 4 * 132;
    CHECK_NEAR(time_predict(&d, &t).seconds / queue, 1.06, 0.03);
    t.read_atomics = 1;
    CHECK(time_predict(&d, &t).seconds > 1.12 * queue);
}

UNIT_CASE(doubles_take_longer_to_be_used)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1, .path = 4e6};
    double single = time_predict(&d, &t).seconds;
    t.work.fp64 = 1e6;
    CHECK_NEAR(time_predict(&d, &t).seconds / single, (double)d.time_fp64_cycles / (double)d.time_alu_cycles, 0.02);
}

/* Scattered stores of 8 multiprocessors of 132: they are not as fast as L2, and no unit of the device is busy. */
UNIT_CASE(few_multiprocessors_write_slowly)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.l2_write_packets = (double)d.time_l2_write_packets * 1e9;
    CHECK_NEAR(time_predict(&d, &t).seconds, 1, 0.05);
    t.blocks = 8;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.seconds, t.l2_write_packets * (double)d.time_store_cycles / (8 * 1980e6), 0.15);
    CHECK_EQ_INT(bottleneck(&p), RESULT_LATENCY);
}

/* Reads and writes share the way to L2: each alone would take half of the time. */
UNIT_CASE(requests_share_the_way_to_l2)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.l2_read_requests = (double)d.time_l2_read_requests * 0.5e9;
    t.l2_write_packets = (double)d.time_l2_write_packets * 0.5e9;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_L2], 1, 1e-9);
}

UNIT_CASE(blocks_start_one_behind_the_other)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132 * UINT64_C(240), .warps_per_block = 1, .blocks_per_sm = 32};
    double cycles = 240.0 * (double)d.time_block_start_cycles;
    CHECK_NEAR(time_predict(&d, &t).seconds, cycles / 1980e6 + (double)d.time_launch_ns * 1e-9, 1e-6);
}

/* 16 of 264 blocks have all the work: 16 multiprocessors of 132. */
UNIT_CASE(a_multiprocessor_with_a_long_block_ends_last)
{
    device_profile d = h200();
    time_demand t = {.blocks = 264, .warps_per_block = 8, .blocks_per_sm = 1, .shared_wavefronts = 132 * 1980e6};
    t.block_mean = 1;
    t.block_longest = 16;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_SHARED], 8, 1e-6);
}

/* The warps of a block that is alone wait at a barrier for what they load: nothing else goes on. */
UNIT_CASE(a_block_alone_overlaps_nothing)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 32, .blocks_per_sm = 1, .shared_wavefronts = 132 * 1980e6};
    t.global_waits = 132 * 32 * 6.6e6;
    t.missed_l1 = 1;
    double overlap = time_predict(&d, &t).seconds;
    t.barrier_waits = 1;
    double turn = 1 + (double)d.time_stage_percent / 100; /* waits, and for its turn */
    CHECK_NEAR(overlap, pow(1 + pow(turn, TIME_OVERLAP), 1 / TIME_OVERLAP), 0.01);
    CHECK_NEAR(time_predict(&d, &t).seconds, 2, 0.02);
}

/* Where all blocks wait for each other, what they do between goes on before and behind: the times add up. */
UNIT_CASE(barriers_of_all_blocks_overlap_nothing)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 8, .blocks_per_sm = 8, .shared_wavefronts = 132 * 1980e6};
    double work = time_predict(&d, &t).seconds;
    t.grid_cycles = 132 * 8 * 1980e6;
    CHECK_NEAR(time_predict(&d, &t).seconds, work + 1, 1e-6);
}

UNIT_CASE(printf_and_memory_of_the_host_take_their_time)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1};
    double empty = time_predict(&d, &t).seconds;
    t.prints = 3;
    CHECK_NEAR(time_predict(&d, &t).seconds - empty, 3 * (double)d.time_print_ns * 1e-9, 1e-9);
    t.prints = 0;
    t.host_read_bytes = (double)d.copy_to_device_pinned * 1e6 * (double)d.time_host_percent / 100;
    t.host_write_bytes = t.host_read_bytes / 2; /* the other way of the bus */
    CHECK_NEAR(time_predict(&d, &t).seconds - empty, 1, 1e-9);
}

/* The three that a ray tracer makes: 22.8 us with the launch on an H100 (tests/hw/time/h100-ninth.csv). */
UNIT_CASE(the_device_heap_takes_its_time)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1, .heap_calls = 3};
    CHECK_NEAR(time_predict(&d, &t).seconds, 22.8e-6, 3e-6);
    t.heap_calls = 976; /* 17,290 us */
    CHECK_NEAR(time_predict(&d, &t).seconds, 17290e-6, 1000e-6);
    t.heap_calls = 1; /* one of each of 10,000 threads: 11,015 us */
    t.heap_lanes = 10000;
    CHECK_NEAR(time_predict(&d, &t).seconds, 11.0e-3, 0.2e-3);
}

UNIT_CASE(printf_of_other_warps_goes_the_same_way)
{
    device_profile d = h200();
    time_demand t = {
        .blocks = 48, .warps_per_block = 1, .blocks_per_sm = 1, .prints = 1, .print_warps = 1, .print_lanes = 32};
    double one = time_predict(&d, &t).seconds;
    t.print_warps = 48;
    t.print_lanes = 48 * 32;
    double more = 47 * (double)d.time_print_warp_ns + 47 * 32 * (double)d.time_print_lane_ns;
    CHECK_NEAR(time_predict(&d, &t).seconds - one, more * 1e-9, 1e-9);
}

UNIT_CASE(a_warp_alone_on_its_scheduler_waits_for_no_other)
{
    device_profile d = h200();
    time_demand t = {.blocks = 132, .warps_per_block = 4, .blocks_per_sm = 1, .block_mean = 1, .block_longest = 1};
    t.work.issue = 132 * 4 * 1e6;
    t.path = 132 * 4 * 2.5e6;
    double four = time_predict(&d, &t).resource[RESULT_LATENCY];
    CHECK_NEAR(four, 2.5e6 / 1980e6, 1e-6);
    t.warps_per_block = 16; /* four on each, with as much to do */
    t.work.issue *= 4;
    t.path *= 4;
    double sixteen = time_predict(&d, &t).resource[RESULT_LATENCY];
    CHECK(sixteen > 1.3 * four);
    t.block_longest = 16; /* but one has all of it: nobody is in its way */
    t.path /= 16;
    t.work.issue /= 16;
    CHECK(time_predict(&d, &t).resource[RESULT_LATENCY] < 1.01 * four);
}

UNIT_CASE(compare_and_swaps_that_fail_take_their_time)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.atomic_chain = 1000;
    t.atomic_crowd = 32;
    double few = time_predict(&d, &t).resource[RESULT_ATOMICS];
    CHECK_NEAR(few, 1000 * (double)d.time_atomic_cycles / 1980e6, 1e-9);
    t.atomic_crowd = 1e6;
    double many = time_predict(&d, &t).resource[RESULT_ATOMICS];
    CHECK_NEAR(many, 1000 * 0.5e6 / ((double)d.time_atomic_tries * 1e6), 1e-9);
    t.atomic_yields = true;
    double yields = time_predict(&d, &t).resource[RESULT_ATOMICS];
    CHECK_NEAR(yields, many * (double)d.time_atomic_rounds / 1000, 1e-9);
}

UNIT_CASE(constants_cost_l1_only_where_lanes_read_several)
{
    device_profile d = h200();
    time_demand t = idle(8);
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_L1], 0, 1e-12);
    t.constant_words = 132 * 1e6;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_L1], 1e6 * (double)d.time_constant_tenths / 10 / 1980e6, 1e-9);
}

UNIT_CASE(either_pipe_is_chosen_so_that_both_have_as_many)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.work = (time_work){.integer = 10e9, .fp32 = 20e9, .either = 30e9}; /* 30 and 30 */
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.resource[RESULT_INT], 30e9 * 32 / 64 / (132 * 1980e6), 1e-6);
    CHECK_NEAR(p.resource[RESULT_FP32], 30e9 * 32 / 128 / (132 * 1980e6), 1e-6);
    t.work.fp32 = 50e9; /* all to the integers */
    p = time_predict(&d, &t);
    CHECK_NEAR(p.resource[RESULT_INT], 40e9 * 32 / 64 / (132 * 1980e6), 1e-6);
}

UNIT_CASE(the_range_holds_the_time)
{
    device_profile d = h200();
    time_demand t = idle(80);
    for (int k = 0; k < 2; k++) {
        time_prediction p = time_predict(&d, &t);
        CHECK(p.low < p.seconds && p.seconds < p.high && p.high < 1.7 * p.low);
        t.dram_read_bytes = 1e9;
    }
}

UNIT_CASE(inexact_counts_widen_the_range)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.dram_read_bytes = 1e9;
    time_prediction exact = time_predict(&d, &t);
    t.inexact = 0.5;
    time_prediction half = time_predict(&d, &t);
    t.inexact = 1;
    time_prediction none = time_predict(&d, &t);
    CHECK(half.seconds == exact.seconds && none.seconds == exact.seconds);
    CHECK(none.low < half.low && half.low < exact.low);
    CHECK(exact.high < half.high && half.high < none.high);
}

/* An H100 takes longer to begin than an H200: its shortest kernels were recorded at 2.06 to 2.18 us. */
UNIT_CASE(the_shortest_kernels_of_an_h100)
{
    device_profile d;
    REQUIRE(device_find("h100", &d, NULL) == LW_OK);
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 1};
    time_prediction p = time_predict(&d, &t);
    CHECK(2.0e-6 < p.seconds && p.seconds < 2.2e-6);
}

UNIT_CASE(one_line_takes_all_atomics)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.l2_atomic_sectors = 1e9;
    double spread = time_predict(&d, &t).seconds;
    t.hot_atomics = 1;
    double one = time_predict(&d, &t).seconds;
    CHECK(spread < one / 20);
    t.hot_atomics = 1.0 / 8; /* 4 KiB: probes.cu's "32 lines for all", 10.41 G a second */
    CHECK_NEAR(1 / time_predict(&d, &t).seconds, 10.41, 0.8);
}

UNIT_CASE(blocks_everywhere_begin_and_end_later)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 8};
    double one = time_predict(&d, &t).seconds;
    t.blocks = 132;
    CHECK_NEAR(time_predict(&d, &t).seconds - one, d.time_spread_ns * 1e-9, 1e-8);
}

/* What waits is predicted within a range that is wider where it is in doubt; bytes over bandwidth are not. */
UNIT_CASE(doubt_is_of_waits)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1, .blocks_per_sm = 8, .fence_cycles = 1980000};
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.resource[RESULT_LATENCY], 1e-3, 1e-5);
    t.doubt = RESULT_RANGE_ORDER;
    time_prediction q = time_predict(&d, &t);
    CHECK(q.seconds == p.seconds && q.low < 0.9 * p.low && q.high > 1.1 * p.high);
    CHECK_EQ_INT(p.range, RESULT_RANGE_SHORT);
    CHECK_EQ_INT(q.range, RESULT_RANGE_ORDER);
    time_demand bytes = idle(8);
    bytes.dram_read_bytes = 4e9;
    p = time_predict(&d, &bytes);
    bytes.doubt = RESULT_RANGE_ORDER;
    q = time_predict(&d, &bytes);
    CHECK_NEAR(q.high, p.high, 0.02 * p.high);
}

UNIT_CASE(atomics_hold_l1_and_cost_more_if_they_are_read)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.atomic_lines = t.l2_atomic_sectors = 1e9;
    time_prediction unread = time_predict(&d, &t);
    CHECK_NEAR(unread.resource[RESULT_L1], 1e9 / 132 / 1.98e9, 1e-4);
    t.read_atomics = 1;
    double percent = (double)d.time_atomics_read_percent;
    CHECK_NEAR(time_predict(&d, &t).resource[RESULT_ATOMICS] * percent / 100, unread.resource[RESULT_ATOMICS], 1e-6);
}

/* Shares of units are of the peaks by which a profiler divides, not of what kernels reach. */
UNIT_CASE(units_are_shares_of_their_peaks)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.dram_read_bytes = 4.81e9;
    t.l2_read_sectors = 4.81e9 / 32;
    t.l2_read_requests = 4.81e9 / 128;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.busy[RESULT_DRAM], 1e-3, 5e-6);
    CHECK(p.resource[RESULT_DRAM] > 1.1e-3);
    t.dram_read_bytes = 0;
    p = time_predict(&d, &t);
    CHECK(p.busy[RESULT_L2] < 0.6 * p.resource[RESULT_L2]); /* the way back takes two sectors a clock */
    CHECK_NEAR(p.busy[RESULT_L2], 0.52 * t.l2_read_sectors / 163e9, 1e-5);
}

/* A recorded copy of 32 MiB: 34.3 % of the way to L2, 40.9 % of DRAM (tests/hw/time/h200-cold.csv). */
UNIT_CASE(units_of_a_recorded_copy)
{
    device_profile d = h200();
    time_demand t = {.blocks = 32768, .warps_per_block = 8, .blocks_per_sm = 8};
    const double us = 1e-6, taken = 24.4 * us;
    t.l2_read_sectors = t.l2_write_sectors = 1 << 20;
    t.l2_read_requests = 1 << 18;
    t.l2_write_packets = 1 << 19;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.busy[RESULT_L2] / taken, 0.343, 0.02);
}

/* What a unit shows of requests, packets and atomics are facts of the device. */
UNIT_CASE(units_have_the_weights_of_the_device)
{
    device_profile d = h200(), other = d;
    time_demand t = idle(1);
    t.atomic_lines = 1e6;
    t.l2_atomic_sectors = 1e6;
    other.time_unit_l1_atomic_percent *= 2;
    other.time_unit_l2_way_percent *= 2;
    other.time_unit_l2_tag_percent = other.time_unit_l2_tag_sector_percent = 0;
    time_prediction p = time_predict(&d, &t), q = time_predict(&other, &t);
    CHECK_NEAR(q.busy[RESULT_L1] / p.busy[RESULT_L1], 2, 1e-9);
    CHECK_NEAR(q.busy[RESULT_L2] / p.busy[RESULT_L2], 2 * 85 / (120.0 + 20), 1e-9);
}

/* Of kernels whose busiest unit is predicted at 36 to 40 % most are measured above 40. */
UNIT_CASE(nearly_busy_is_busy)
{
    result_time t = {.count = 1, .seconds = 1e-3, .launch_below = 5e-6, .busy_from = 0.37};
    t.busy[RESULT_L2] = 0.38e-3;
    CHECK_EQ_INT(result_bottleneck(&t), RESULT_L2);
    t.busy[RESULT_L2] = 1.2 * t.seconds;
    CHECK_NEAR(result_unit_share(&t, RESULT_L2), 1, 1e-12);
    t.busy[RESULT_L2] = 0.36e-3;
    CHECK_EQ_INT(result_bottleneck(&t), RESULT_LATENCY);
    t.busy_from = 0.35;
    CHECK_EQ_INT(result_bottleneck(&t), RESULT_L2);
    t.launch_below = 2e-3;
    CHECK_EQ_INT(result_bottleneck(&t), RESULT_LAUNCH);
    result_time_add(&t, &(result_time){0}); /* of a launch without a prediction */
    CHECK_EQ_INT(result_bottleneck(&t), RESULT_LAUNCH);
}

/* Barriers, constants and places of blocks go through a unit of half an instruction a cycle, which a profiler's issue names, too. */
UNIT_CASE(barriers_and_constants_are_issue)
{
    device_profile d = h200();
    time_demand t = idle(80);
    t.work.issue = 132 * 1.98e6;
    t.uniforms = 132 * 1.98e6 / 2;
    time_prediction p = time_predict(&d, &t);
    CHECK_NEAR(p.busy[RESULT_ISSUE], 1e-3, 1e-5);
    t.other_wavefronts = 2 * 132 * 1.98e6;
    t.l1_wavefronts = 1e6;
    p = time_predict(&d, &t);
    CHECK_NEAR(p.busy[RESULT_SHARED], 2e-3, 1e-4);
}

/* Errors of each turn add up: what a warp executes much of has a wide range, and what executes little a narrow one, whatever limits it. */
UNIT_CASE(long_code_has_a_wide_range)
{
    device_profile d = h200();
    time_demand t = {.blocks = 1000, .warps_per_block = 8, .blocks_per_sm = 8, .global_waits = 8e5, .missed_l1 = 1};
    t.work.issue = 100.0 * 8000;
    time_prediction p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_SHORT);
    CHECK(p.high < 1.5 * p.low);
    t.work.issue = 450.0 * 8000; /* in between */
    time_prediction q = time_predict(&d, &t);
    CHECK(q.high / q.low > 1.2 * p.high / p.low);
    t.work.issue = 1000.0 * 8000;
    p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_WAITS);
    CHECK(p.high > 2 * p.low);
    t.shared_wavefronts = 1e10;
    p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_LONG);
    CHECK(1.5 * p.low < p.high && p.high < 2 * p.low);
}

/* Tries until a swap succeeds are as many as the order of warps makes them; sums that are made where they are go one after the other. */
UNIT_CASE(swaps_that_are_tried_are_in_doubt)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.hot_atomics = 1;
    t.hot_lines = 1;
    t.atomic_chain = 1e6;
    time_prediction p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_SHORT);
    t.atomic_crowd = 32;
    p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_ORDER);
}

/* A range that is as wide only because of the counts has that for its reason. */
UNIT_CASE(inexact_counts_are_the_reason_of_a_wide_range)
{
    device_profile d = h200();
    time_demand t = idle(8);
    t.dram_read_bytes = 4e9;
    t.inexact = 0.4;
    time_prediction p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_SHORT);
    t.inexact = 0.6;
    p = time_predict(&d, &t);
    CHECK_EQ_INT(p.range, RESULT_RANGE_COUNTS);
}

UNIT_CASE(of_a_launch_that_was_stopped_blocks_that_ended_tell_what_all_do)
{
    CHECK_NEAR(time_counted_blocks(100, 100), 100, 0);
    CHECK_NEAR(time_counted_blocks(101, 99), 100, 0);
    CHECK(time_counted_blocks(1, 0) == 0); /* the only block was stopped, who knows how far it had come */
    CHECK(time_counted_blocks(10, 4) == 0);
    CHECK(time_counted_blocks(0, 0) == 0); /* nothing has run */
}

UNIT_CASE(instructions_have_their_pipes)
{
    device_profile d = h200();
    CHECK_EQ_INT(time_work_of("fma.rn.f32").fp32, 1);
    CHECK_EQ_INT(time_work_of("fma.rn.f64").fp64, 1);
    CHECK_EQ_INT(time_work_of("add.s32").either, 1);
    CHECK_EQ_INT(time_work_of("addc.u32").integer, 1); /* not "add" */
    CHECK_EQ_INT(time_work_of("ex2.approx.ftz.f32").sfu, 1);
    CHECK_EQ_INT(time_work_of("ld.global.nc.v4.f32").lsu, 1);
    CHECK_EQ_INT(time_work_of("ld.param.u64").issue, 0);
    CHECK(time_work_of("div.rn.f32").parts && !time_work_of("div.approx.f32").parts);
    CHECK_EQ_INT(time_tensor_of(&d, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), 2048);
    CHECK_EQ_INT(time_tensor_of(&d, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), 2048);
    CHECK_EQ_INT(time_tensor_of(&d, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), 2048);
    CHECK_EQ_INT(time_tensor_of(&d, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), 4096);
    CHECK(time_tensor_of(&d, "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16") > 4 * 2048);
    /* a root in 64 bits is a sequence; with .ftz one instruction */
    time_work root = time_work_of("rsqrt.approx.f64");
    CHECK(root.parts && root.fp64 == 5 && root.latency > time_work_of("rsqrt.approx.f32").latency);
    CHECK_EQ_INT(time_work_of("rsqrt.approx.ftz.f64").issue, 1);
    CHECK_EQ_INT(time_work_of("rsqrt.approx.f32").issue, 4);
    CHECK_EQ_INT(time_work_of("ld.shared.u32").latency, 30);
    CHECK_EQ_INT(time_work_of("ld.global.u32").latency, 0);
    CHECK(time_work_of("div.rn.f32").issue > 5);
    CHECK_EQ_INT(time_work_of("xor.b32").issue, 1);
}

UNIT_MAIN()
