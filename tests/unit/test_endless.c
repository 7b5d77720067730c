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

/* ---- the clock of a device ---- */
static double one_each(const char *mnemonic) { return strncmp(mnemonic, "mov", 3) ? 1 : 0; }

typedef const ptx_insn *(*guard_fn)(const void *device, const ptx_function *function, const ptx_insn *branch);

/* Runs a kernel with the clock of a device; what it costs: 10 cycles an instruction, loads 1000 (shared), 10000, 100000. */
static exec_result run_timed(fixture *f, uint32_t blocks, uint64_t out, guard_fn guards)
{
    const code_clock_costs costs = {one_each, 10, 1000, 10000, 100000, 500, guards, NULL};
    code_set_clocks(f->kernel, &costs);
    exec_result r = {0};
    exec_launch launch = {.kernel = f->kernel,
                          .grid = {blocks, 1, 1},
                          .block = {32, 1, 1},
                          .cluster = {1, 1, 1},
                          .params = (const uint8_t *)&out,
                          .threads = 1,
                          .timed = true,
                          .memory = f->memory,
                          .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .clock_khz = 2000000}};
    CHECK(exec_run(&launch, &r, &f->error) == LW_OK);
    CHECK_EQ_INT(r.blocks_done, blocks);
    return r;
}

/* Of a body that leaves cycles in %rd4. */
static uint64_t timed_by(const char *body, guard_fn guards)
{
    fixture f;
    char text[2048];
    snprintf(text, sizeof text, "%s%s\nst.global.u64 [%%rd1], %%rd4;\nret;\n}\n", HEAD, body);
    if (!load(&f, text, "k")) return 0;
    uint64_t out = buffer(&f, 1 << 16);
    exec_result r = run_timed(&f, 1, out, guards);
    uint64_t cycles = *(uint64_t *)(uintptr_t)out;
    exec_result_free(&r);
    unload(&f);
    return cycles;
}

static uint64_t timed(const char *body) { return timed_by(body, NULL); }

#define BETWEEN(reads, body) "mov.u64 %rd2, " reads ";\n" body "mov.u64 %rd3, " reads ";\nsub.u64 %rd4, %rd3, %rd2;"
#define READING 32 /* what a reading itself takes */

UNIT_CASE(the_clock_counts_instructions_and_what_is_waited_for)
{
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "")), READING);
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "add.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\n")), READING + 20);
    /* a load that is not used costs its issue; used, its latency; two at once wait together, a chain twice */
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "ld.global.u32 %r3, [%rd1];\n")), READING + 10);
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "ld.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r3, 1;\n")), READING + 100020);
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\n"
                                           "add.u32 %r4, %r3, %r4;\n")),
                 READING + 100030);
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "ld.global.u64 %rd5, [%rd1+8];\nadd.u64 %rd5, %rd5, %rd1;\n"
                                           "ld.global.u32 %r4, [%rd5];\nadd.u32 %r4, %r4, 1;\n")),
                 READING + 200040);
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "bar.sync 0;\n")), READING + 510);
    /* matrices are loaded, too */
    CHECK_EQ_INT(timed(BETWEEN("%clock64", "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                                           "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], 16;\nadd.u32 %r4, %r3, 1;\n")),
                 READING + 100020);
}

static const ptx_insn *all_guard(const void *device, const ptx_function *function, const ptx_insn *branch)
{
    (void)device;
    return strncmp(branch->mnemonic, "bra", 3) ? NULL : &function->insns[branch->operands[0].imm];
}

/* Loads behind branches wait one after the other, unless the machine code has guards instead. */
UNIT_CASE(guarded_loads_wait_together)
{
    static const char body[] =
        BETWEEN("%clock64", "setp.eq.u32 %p1, %r1, 99;\nmov.u32 %r3, 0;\nmov.u32 %r4, 0;\n@%p1 bra A;\n"
                            "ld.global.u32 %r3, [%rd1];\nA: @%p1 bra B;\nld.global.u32 %r4, [%rd1+4];\n"
                            "B: add.u32 %r4, %r3, %r4;\n");
    CHECK_NEAR(timed_by(body, NULL), 200000, 200);
    CHECK_NEAR(timed_by(body, all_guard), 100000, 200);
}

UNIT_CASE(the_timer_counts_nanoseconds)
{
    CHECK_NEAR(timed(BETWEEN("%globaltimer", "nanosleep.u32 5000;\n")), 5000, 50);
    CHECK_NEAR(timed(BETWEEN("%clock64", "nanosleep.u32 5000;\n")), 10000, 100);
}

UNIT_CASE(a_wait_for_the_clock_is_known)
{
    static const code_clock_costs costs = {one_each, 10, 1000, 10000, 100000, 500, NULL, NULL};
    fixture f;
    REQUIRE(load(&f,
                 HEAD "mov.u64 %rd2, %clock64;\nL: mov.u64 %rd3, %clock64;\nsub.u64 %rd4, %rd3, %rd2;\n"
                      "setp.lt.u64 %p1, %rd4, 1000000;\n@%p1 bra L;\nret;\n}\n",
                 "k"));
    code_set_clocks(f.kernel, &costs);
    exec_result r = run(&f, buffer(&f, 1 << 16), 0);
    CHECK(r.clock_wait > 980000 && r.clock_wait < 1100000);
    CHECK(strstr(f.kernel->sites[r.clock_site].insn->mnemonic, "mov") != NULL);
    exec_result_free(&r);
    unload(&f);
}

/* As cuda::barrier::wait does: a warp that looks at the clock beside the barrier that it waits for, a thousand times. */
UNIT_CASE(a_wait_for_a_barrier_is_none_for_the_clock)
{
    fixture f;
    REQUIRE(load(
        &f,
        HEAD
        ".shared .align 8 .b64 bar;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 32;\n"
        "READY: bar.sync 0;\n"
        "NEXT: mbarrier.arrive.shared.b64 %rd5, [bar];\nmov.u64 %rd2, %clock64;\n"
        "L: mbarrier.test_wait.shared.b64 %p2, [bar], %rd5;\n@!%p2 bra L;\n"
        "add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 1000;\n@%p1 bra NEXT;\nst.global.u64 [%rd1], %rd2;\nret;\n}\n",
        "k"));
    exec_result r = run_timed(&f, 2, buffer(&f, 1 << 16), NULL);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(r.clock_wait, 0);
    exec_result_free(&r);
    unload(&f);
}

UNIT_MAIN()

static uint64_t waits_in(const fixture *f, const exec_result *r)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; r->site_waits && k < f->kernel->site_count; k++) sum += r->site_waits[k];
    return sum;
}

/* Block 0 looks until the last block has written; how often is the executor's doing, and not in the cycles of the launch. */
UNIT_CASE(rounds_of_a_warp_that_only_waits_are_left_out)
{
    fixture f;
    CHECK(load(&f,
               HEAD
               "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra OTHERS;\n"
               "WAIT: ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nbra END;\n"
               "OTHERS: setp.ne.u32 %p1, %r1, 7;\n@%p1 bra END;\nmov.u32 %r3, 1;\nst.volatile.global.u32 [%rd1], %r3;\n"
               "END: ret;\n}\n",
               "k"));
    uint64_t out = buffer(&f, 8);
    *(uint64_t *)(uintptr_t)out = 0;
    exec_result r = run_timed(&f, 8, out, NULL);
    CHECK(waits_in(&f, &r) > 100);
    CHECK(r.clock_longest < 70 * 100100);
    exec_result_free(&r);
    unload(&f);
}

/* A loop that ends by what an atomic gives it, and does a piece of work each time. */
UNIT_CASE(rounds_that_fetch_work_are_not_waits)
{
    fixture f;
    CHECK(load(
        &f, HEAD "NEXT: atom.global.add.u32 %r2, [%rd1], 1;\nsetp.lt.u32 %p1, %r2, 32000;\n@%p1 bra NEXT;\nret;\n}\n",
        "k"));
    uint64_t out = buffer(&f, 8);
    *(uint64_t *)(uintptr_t)out = 0;
    exec_result r = run_timed(&f, 1, out, NULL);
    CHECK_EQ_INT(waits_in(&f, &r), 0);
    CHECK(r.clock_longest > 1000 * UINT64_C(100000));
    exec_result_free(&r);
    unload(&f);
}
