/* Kernels that never end, that take longer than they may, and that wait for the clock. */
#include "fixture.h"

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n"            \
    ".reg .b64 %rd<9>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n"

static exec_result run(fixture *f, uint64_t p, double timeout)
{
    exec_result r = {0};
    exec_launch launch = {.kernel = f->kernel,
                          .grid = {2, 1, 1},
                          .block = {64, 1, 1},
                          .cluster = {1, 1, 1},
                          .params = (const uint8_t *)&p,
                          .threads = 2,
                          .timeout = timeout,
                          .memory = f->memory,
                          .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    CHECK(exec_run(&launch, &r, &f->error) == LW_OK);
    return r;
}

/* Runs a body; the fault must be a hang that says `words`. */
static void expect_hang(const char *text, const char *words, double timeout)
{
    fixture f;
    REQUIRE(load(&f, text, "k"));
    exec_result r = run(&f, buffer(&f, 1 << 16), timeout);
    CHECK_EQ_INT(r.fault.kind, EXEC_HANG);
    CHECK_HAS(r.fault.message, words);
    CHECK(r.inst_executed > 0);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(no_way_leads_out)
{
    expect_hang(HEAD "L: add.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\nbra L;\n}\n", "no way leads out", 0);
}

/* The exit is there, but its condition never changes; the loop is entered by one warp of two. */
UNIT_CASE(a_round_changes_nothing)
{
    expect_hang(HEAD "setp.lt.u32 %p2, %r1, 32;\n@%p2 bra E;\nL: add.u32 %r3, %r2, %r1;\nsetp.ne.u32 %p1, %r3, 7;\n"
                     "@%p1 bra L;\nE: ret;\n}\n",
                "changes no value", 0);
}

/* It changes values, and an exit is there: nothing is certain, so time decides. */
UNIT_CASE(a_long_loop_is_timed_out)
{
    expect_hang(HEAD "mov.u64 %rd2, 0;\nL: add.u64 %rd2, %rd2, 1;\nsetp.ne.u64 %p1, %rd2, 0;\n@%p1 bra L;\nret;\n}\n",
                "--timeout", 0.2);
}

UNIT_CASE(a_loop_that_ends_is_no_hang)
{
    fixture f;
    REQUIRE(load(&f,
                 HEAD "L: add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 300000;\n@%p1 bra L;\nst.global.u32 [%rd1], "
                      "%r2;\nret;\n}\n",
                 "k"));
    uint64_t out = buffer(&f, 1 << 16);
    exec_result r = run(&f, out, 100);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(*(uint32_t *)(uintptr_t)out, 300000);
    exec_result_free(&r);
    unload(&f);
}

/* A second of %clock64, a second of %globaltimer: some hundred rounds each, and not much more than a second. */
UNIT_CASE(waiting_for_the_clock_is_short)
{
    static const char *const clocks[] = {"%clock64", "%globaltimer"};
    for (size_t k = 0; k < LW_COUNT(clocks); k++) {
        fixture f;
        char text[1024];
        snprintf(text, sizeof text, "%smov.u64 %%rd2, %s;\nL: mov.u64 %%rd3, %s;\n%s", HEAD, clocks[k], clocks[k],
                 "sub.u64 %rd4, %rd3, %rd2;\nsetp.lt.u64 %p1, %rd4, 1000000000;\n@%p1 bra L;\n"
                 "st.global.u64 [%rd1], %rd4;\nret;\n}\n");
        REQUIRE(load(&f, text, "k"));
        uint64_t out = buffer(&f, 1 << 16);
        exec_result r = run(&f, out, 0);
        uint64_t waited = *(uint64_t *)(uintptr_t)out;
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK(waited >= 1000000000 && waited < 1100000000);
        CHECK(r.inst_executed < 4 * 5 * 1000);
        exec_result_free(&r);
        unload(&f);
    }
}

/* Whoever reads the clock to give up waiting for others, must not give up sooner. */
UNIT_CASE(a_wait_for_others_is_not_cut_short)
{
    fixture f;
    REQUIRE(load(&f,
                 HEAD
                 "mov.u64 %rd2, %clock64;\nL: ld.volatile.global.u32 %r3, [%rd1+64];\nsetp.ne.u32 %p2, %r3, 0;\n"
                 "@%p2 bra E;\nmov.u64 %rd3, %clock64;\nsub.u64 %rd4, %rd3, %rd2;\nsetp.lt.u64 %p1, %rd4, 1000000;\n"
                 "@%p1 bra L;\nE: st.global.u64 [%rd1], %rd4;\nret;\n}\n",
                 "k"));
    uint64_t out = buffer(&f, 1 << 16);
    exec_result r = run(&f, out, 0);
    uint64_t waited = *(uint64_t *)(uintptr_t)out;
    CHECK(waited >= 1000000 && waited < 1000100);
    CHECK(r.inst_executed > 10000);
    exec_result_free(&r);
    unload(&f);
}

UNIT_MAIN()
