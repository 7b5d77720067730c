/* The public calculator (include/lanewise/occupancy.h): answers, the table over block sizes and its best, what is
 * refused and in which words. The calculation itself is tested by test_occupancy.c. */
#include "lanewise/occupancy.h"
#include "unit.h"

static const lw_occupancy_query plain = {.threads = 256, .registers = 40, .carveout = LW_CARVEOUT_DEFAULT};

/* The message of a query that must fail. */
static const char *refusal(lw_occupancy_query q)
{
    static lw_message message;
    lw_occupancy o;
    message.text[0] = 0;
    CHECK(lw_occupancy_of(&q, &o, &message) > 0);
    CHECK(lw_occupancy_of(&q, &o, NULL) > 0);
    CHECK(!strchr(message.text, '\n'));
    return message.text;
}

static lw_occupancy answer(lw_occupancy_query q)
{
    lw_occupancy o = {0};
    lw_message message = {""};
    if (lw_occupancy_of(&q, &o, &message)) UNIT_FAIL("%s", message.text);
    return o;
}

UNIT_CASE(an_answer)
{
    lw_occupancy_query q = plain;
    q.shared = 1000;
    lw_occupancy o = answer(q);
    CHECK_EQ_INT(o.threads, 256);
    CHECK_EQ_INT(o.blocks_per_sm, 6);
    CHECK_EQ_INT(o.warps_per_sm, 48);
    CHECK_EQ_INT(o.max_warps_per_sm, 64);
    CHECK_EQ_INT(o.limited_by, 1u << LW_LIMIT_REGISTERS);
    CHECK_EQ_INT(o.limits[LW_LIMIT_WARPS], 8);
    CHECK_EQ_INT(o.limits[LW_LIMIT_REGISTERS], 6);
    CHECK_EQ_INT(o.limits[LW_LIMIT_BLOCKS], 32);
    CHECK_EQ_INT(o.registers_per_block, 8 * 1280);
    CHECK_EQ_INT(o.registers_per_sm, 65536);
    CHECK_EQ_INT(o.shared_per_block, 2048); /* 1,000 and 1,024 of the driver in units of 128 */
    CHECK_EQ_INT(o.shared_reserved, 1024);
    CHECK(!o.needs_opt_in);
    CHECK_EQ_INT(o.cluster, 1);
    CHECK_STR(lw_limit_name(LW_LIMIT_SHARED), "shared memory");
    CHECK_STR(lw_limit_name((lw_limit)99), "?");
}

UNIT_CASE(registers_that_are_not_known_limit_nothing)
{
    lw_occupancy_query q = plain;
    q.registers = 0;
    lw_occupancy o = answer(q);
    CHECK_EQ_INT(o.limits[LW_LIMIT_REGISTERS], LW_UNLIMITED);
    CHECK_EQ_INT(o.blocks_per_sm, 8);
}

UNIT_CASE(shared_memory_and_carveout)
{
    lw_occupancy_query q = {.threads = 64, .shared = 49152, .carveout = LW_CARVEOUT_DEFAULT};
    CHECK(!answer(q).needs_opt_in);
    CHECK_EQ_INT(answer(q).blocks_per_sm, 4);
    q.shared = 49153;
    CHECK(answer(q).needs_opt_in);
    q.shared = 232448;
    CHECK_EQ_INT(answer(q).blocks_per_sm, 1);
    q.shared = 8192; /* 9,216 with the driver's part */
    CHECK_EQ_INT(answer(q).shared_per_sm, 233472);
    q.carveout = 50; /* 116,736 bytes: the next size is 132 KiB */
    CHECK_EQ_INT(answer(q).shared_per_sm, 135168);
    CHECK_EQ_INT(answer(q).blocks_per_sm, 14);
    q.carveout = LW_CARVEOUT_PREFER_EQUAL;
    CHECK_EQ_INT(answer(q).blocks_per_sm, 14);
    q.carveout = LW_CARVEOUT_PREFER_L1; /* no more than one block needs: 16 KiB */
    CHECK_EQ_INT(answer(q).shared_per_sm, 16384);
    CHECK_EQ_INT(answer(q).blocks_per_sm, 1);
    q.carveout = LW_CARVEOUT_PREFER_SHARED;
    CHECK_EQ_INT(answer(q).shared_per_sm, 233472);
    q.shared_per_thread = 16;
    CHECK_EQ_INT(answer(q).shared_per_block, 8192 + 64 * 16 + 1024);
    q = (lw_occupancy_query){.device = "cc:6.1", .threads = 64, .shared = 8192, .carveout = 10};
    CHECK_EQ_INT(answer(q).blocks_per_sm, 12); /* 96 KiB, whatever is preferred */
}

UNIT_CASE(clusters)
{
    lw_occupancy_query q = plain;
    q.cluster = 16;
    q.shared = 102400;
    lw_occupancy o = answer(q);
    CHECK_EQ_INT(o.active_clusters, 14);
    CHECK(!o.clusters_estimated);
    CHECK(o.needs_nonportable);
    q.device = "h100";
    q.cluster = 8;
    o = answer(q);
    CHECK(o.clusters_estimated);
    CHECK(!o.needs_nonportable);
}

UNIT_CASE(sizes_hold_the_answers_and_the_best)
{
    lw_occupancy sizes[LW_OCCUPANCY_SIZES];
    size_t n = 0, best = 0;
    lw_occupancy_query q = plain;
    REQUIRE(!lw_occupancy_sizes(&q, sizes, &n, &best, NULL));
    CHECK_EQ_INT(n, 32);
    REQUIRE(best < n);
    CHECK_EQ_INT(sizes[best].threads, 768);
    for (size_t i = 0; i < n; i++) {
        q.threads = sizes[i].threads;
        lw_occupancy one = answer(q);
        CHECK_EQ_INT(sizes[i].threads, 32 * (i + 1));
        CHECK(!memcmp(one.limits, sizes[i].limits, sizeof one.limits));
        CHECK_EQ_INT(one.blocks_per_sm, sizes[i].blocks_per_sm);
        CHECK(sizes[i].warps_per_sm <= sizes[best].warps_per_sm);
    }
    /* shared memory that grows: sizes that are too large have no blocks, and are no error */
    q.shared_per_thread = 400;
    REQUIRE(!lw_occupancy_sizes(&q, sizes, &n, &best, NULL));
    CHECK_EQ_INT(sizes[31].blocks_per_sm, 0);
    CHECK_EQ_INT(sizes[best].threads, 576); /* 230,400 bytes and 1,024 of the driver; 608 threads need 243,200 */
    CHECK_EQ_INT(sizes[18].blocks_per_sm, 0);
    q.shared = 232448;
    REQUIRE(!lw_occupancy_sizes(&q, sizes, &n, &best, NULL));
    CHECK_EQ_INT(best, LW_OCCUPANCY_SIZES);
}

UNIT_CASE(impossible_inputs_are_named)
{
    lw_occupancy_query q = plain;
    q.threads = 1025;
    CHECK_HAS(refusal(q), "1025 threads: a block of NVIDIA H200 has at most 1024");
    q.threads = 0;
    CHECK_HAS(refusal(q), "at least 1");
    q = plain, q.registers = 257;
    CHECK_HAS(refusal(q), "257 registers");
    q.registers = 256;
    CHECK_EQ_INT(answer(q).blocks_per_sm, 1);
    q.device = "cc:6.1";
    CHECK_HAS(refusal(q), "has at most 255");
    q = plain, q.shared = 232449;
    CHECK_HAS(refusal(q), "at most 232448");
    q = plain, q.shared_per_thread = UINT32_MAX;
    CHECK_HAS(refusal(q), "for each of 256 threads");
    q = plain, q.barriers = 17;
    CHECK_HAS(refusal(q), "17 barriers");
    q = plain, q.cluster = 17;
    CHECK_HAS(refusal(q), "allows at most 16");
    q.device = "a100", q.cluster = 2;
    CHECK_HAS(refusal(q), "has no clusters");
    q = plain, q.carveout = 101;
    CHECK_HAS(refusal(q), "carve-out of 101");
    q.carveout = -5;
    CHECK_HAS(refusal(q), "carve-out of -5");
    q = plain, q.device = "h20000";
    CHECK_HAS(refusal(q), "unknown device 'h20000'");
    q = plain, q.threads = 1024, q.registers = 65; /* each is possible: an answer */
    CHECK_EQ_INT(answer(q).blocks_per_sm, 0);
    CHECK_EQ_INT(answer(q).limited_by, 1u << LW_LIMIT_REGISTERS);
}

UNIT_MAIN()
