/* Barriers that part of a warp's lanes reach: what the assembler makes of the way there, and what a card then does. What an
 * H100 did is in tests/hw/h100-partial-barriers.txt. */
#include "fixture.h"

#include "code/code_priv.h"

#define BEGIN                                                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[4096];\n"                                   \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<30>;\n.reg .b64 %rd<20>;\n.reg .pred %p<9>;\n"                  \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"           \
    "and.b32 %r2, %r1, 31;\nsetp.gt.u32 %p1, %r2, 15;\nsetp.gt.u32 %p2, %r2, 23;\n"
#define PART "@%p1 bra MEET;\n"
#define END "ret;\n}\n"
#define STORES(k) "st.shared.u32 [%r4+" #k "], %r1;\n"
#define WINDOW "mov.u32 %r3, s;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r4, %r3, %r2;\n"
#define LONG "atom.global.add.u32 %r9, [%rd1+1024], 1;\n"

/* ---------------------------------------------------------------- what the assembler makes of it */
/* The ways of the kernel's barriers, a character each: g(uarded), b(ranched), e(ither). */
static const char *ways(const char *body)
{
    static char out[16];
    char text[4000];
    fixture f;
    size_t n = 0;
    snprintf(text, sizeof text, "%s%s%s", BEGIN, body, END);
    CHECK(load(&f, text, "k"));
    const code_function *k = f.kernel->body->functions[0];
    for (uint32_t u = 0; u < k->insn_count && n + 1 < sizeof out; u++) {
        const code_insn *i = &k->insns[u];
        if (i->op != OP_bar) continue;
        out[n++] = "egb"[i->barrier.way];
        CHECK((i->barrier.join != NULL) == (i->barrier.way == BARRIER_GUARDED));
    }
    out[n] = 0;
    unload(&f);
    return out;
}

UNIT_CASE(short_blocks_are_guarded)
{
    CHECK_STR(ways(PART "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "g");
    CHECK_STR(ways("bar.sync 0;\nst.global.u32 [%rd3], %r1;\n"), "b");
    /* 8 instructions: three for the window of shared memory, unless it is known before */
    CHECK_STR(ways(PART WINDOW STORES(0) STORES(4) STORES(8) "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "g");
    CHECK_STR(
        ways(PART WINDOW STORES(0) STORES(4) STORES(8) STORES(12) "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"),
        "b");
    CHECK_STR(ways(WINDOW STORES(16) PART STORES(0) STORES(4) STORES(8) STORES(12) "bar.sync 0;\nMEET: "
                                                                                   "st.global.u32 [%rd3], %r1;\n"),
              "g");
    CHECK_STR(ways(PART "activemask.b32 %r5;\nbar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "g");
    CHECK_STR(ways(PART "vote.sync.ballot.b32 %r5, %p2, 65535;\nbar.sync 0;\nMEET: st.global.u32 [%rd3], %r5;\n"), "b");
    CHECK_STR(ways(PART LONG "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "b");
    /* the others end */
    CHECK_STR(ways("@%p1 bra MEET;\nbar.sync 0;\nst.global.u32 [%rd3], %r1;\nMEET:\n"), "b");
}

UNIT_CASE(loads_are_guarded_where_something_hides_them)
{
#define LOADS                                                                                                          \
    "ld.global.u32 %r5, [%rd3];\nld.global.u32 %r6, [%rd3+512];\nld.global.u32 %r7, [%rd3+1024];\n" WINDOW             \
    "st.shared.u32 [%r4], %r5;\nst.shared.u32 [%r4+512], %r6;\nst.shared.u32 [%r4+1024], %r7;\n"
    CHECK_STR(ways(PART LOADS "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "g");
    CHECK_STR(ways(PART LOADS LOADS LOADS LOADS "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "b");
    /* not behind a second condition that leads to the same place and that memory is asked for; only loads are such a matter */
#define SECOND "@%p1 bra MEET;\nld.global.u32 %r8, [%rd3+64];\nsetp.eq.u32 %p3, %r8, 9;\n@%p3 bra MEET;\n"
    CHECK_STR(ways(SECOND LOADS "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "b");
    CHECK_STR(ways("@%p1 bra MEET;\nsetp.eq.u32 %p3, %r1, 9;\n@%p3 bra MEET;\n" LOADS
                   "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"),
              "g");
    CHECK_STR(ways(SECOND "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "g");
}

UNIT_CASE(both_ways_of_a_branch)
{
    CHECK_STR(ways("@%p1 bra OTHER;\nbar.sync 0;\nbra MEET;\nOTHER: bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"),
              "gg");
    CHECK_STR(
        ways("@%p1 bra OTHER;\n" LONG "bar.sync 0;\nbra MEET;\nOTHER: bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"),
        "bg");
    /* blocks that only jump stand in between */
    CHECK_STR(ways("@%p1 bra OTHER;\nbra ONE;\nOTHER: " LONG
                   "bra MEET;\nONE: bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"),
              "g");
    /* a block of a nest, and one that has a nest */
    CHECK_STR(ways("@%p1 bra MEET;\n@%p2 bra INNER;\nst.global.u32 [%rd3], %r1;\nINNER: bar.sync 0;\nMEET: "
                   "st.global.u32 [%rd3], %r1;\n"),
              "b");
    CHECK_STR(
        ways("@%p1 bra MEET;\n" LONG "@%p2 bra INNER;\nbar.sync 0;\nINNER: " LONG "MEET: st.global.u32 [%rd3], %r1;\n"),
        "g");
}

UNIT_CASE(what_is_not_known)
{
    CHECK_STR(ways(PART "barrier.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n"), "e");
    CHECK_STR(ways(PART "bar.red.popc.u32 %r5, 0, %p2;\nMEET: st.global.u32 [%rd3], %r1;\n"), "e");
    CHECK_STR(ways(PART "bar.arrive 1, 64;\nMEET: st.global.u32 [%rd3], %r1;\n"), "e");
}

/* ---------------------------------------------------------------- what then happens */
static exec_result run(fixture *f, uint64_t p, uint32_t threads)
{
    exec_result r = {0};
    exec_launch launch = {.kernel = f->kernel,
                          .grid = {1, 1, 1},
                          .block = {threads, 1, 1},
                          .cluster = {1, 1, 1},
                          .params = (const uint8_t *)&p,
                          .threads = 1,
                          .memory = f->memory,
                          .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    CHECK(exec_run(&launch, &r, &f->error) == LW_OK);
    return r;
}

/* Warps that execute the n-th instruction of this name. */
static uint64_t executed(const fixture *f, const exec_result *r, const char *mnemonic, uint32_t n)
{
    for (uint32_t s = 0; s < f->kernel->site_count; s++)
        if (!strncmp(f->kernel->sites[s].insn->mnemonic, mnemonic, strlen(mnemonic)) && !n--) return r->site_inst[s];
    return UINT64_MAX;
}

static fixture start(const char *body)
{
    fixture f;
    char text[4000];
    snprintf(text, sizeof text, "%s%s%s", BEGIN, body, END);
    CHECK(load(&f, text, "k"));
    return f;
}

/* Half of each of two warps comes by; both go on whole, and what the other halves wrote before is seen. */
UNIT_CASE(warps_come_whole)
{
    fixture f =
        start(WINDOW STORES(0) PART "bar.sync 0;\nld.shared.u32 %r5, [s+252];\nst.global.u32 [%rd3+256], %r5;\n"
                                    "MEET: st.global.u32 [%rd3], %r1;\nbar.sync 0;\nst.global.u32 [%rd3], %r1;\n");
    uint64_t p = buffer(&f, 2048);
    exec_result r = run(&f, p, 64);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(executed(&f, &r, "st.global", 1), 2);
    CHECK_EQ_INT(executed(&f, &r, "bar.sync", 1), 2);
    CHECK_EQ_INT(((uint32_t *)p)[64 + 3], 63);
    CHECK_EQ_INT(r.warning.kind, EXEC_DIVERGENT_BARRIER);
    CHECK_HAS(r.warning.message, "16 of the warp's 32 threads are here");
    exec_result_free(&r);
    unload(&f);
}

/* A warp that goes both ways passes two barriers, one that goes one way passes one, and the last of the kernel beside the
 * second: it does not wait for what the first writes behind its second. */
UNIT_CASE(both_ways_are_two_barriers)
{
    fixture f =
        start("setp.ge.u32 %p1, %r1, 16;\nsetp.ge.u32 %p3, %r1, 32;\nst.shared.u32 [s], 5;\n"
              "selp.u32 %r8, 1, 2000, %p3;\nmov.u32 %r7, 0;\n"
              "@%p1 bra OTHER;\nbar.sync 0;\nbra MEET;\nOTHER: bar.sync 0;\n"
              "MEET: add.u32 %r7, %r7, 1;\nWAIT: add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p4, %r7, %r8;\n@%p4 bra WAIT;\n"
              "@!%p3 st.shared.u32 [s], 7;\nbar.sync 0;\nld.shared.u32 %r5, [s];\nst.global.u32 [%rd3], %r5;\n");
    uint64_t p = buffer(&f, 2048);
    exec_result r = run(&f, p, 64);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(executed(&f, &r, "bar.sync", 0), 1);
    CHECK_EQ_INT(executed(&f, &r, "bar.sync", 1), 2);
    CHECK_EQ_INT(executed(&f, &r, "st.global", 0), 2);
    CHECK_EQ_INT(((uint32_t *)p)[0], 7);
    CHECK_EQ_INT(((uint32_t *)p)[32], 5);
    exec_result_free(&r);
    unload(&f);
}

/* Within a longer part, which the other lanes leave the kernel before. */
UNIT_CASE(whole_is_who_came_to_the_branch)
{
    fixture f =
        start("@%p2 bra AWAY;\n" LONG "@%p1 bra MEET;\nbar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\nbar.sync 0;\n"
              "st.global.u32 [%rd3], %r1;\nAWAY:\n");
    uint64_t p = buffer(&f, 2048);
    exec_result r = run(&f, p, 64);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(executed(&f, &r, "bar.sync", 0), 2);
    CHECK_EQ_INT(executed(&f, &r, "st.global", 0), 2);
    exec_result_free(&r);
    unload(&f);
}

static void expect_hang(const char *body, const char *words)
{
    fixture f = start(body);
    uint64_t p = buffer(&f, 2048);
    exec_result r = run(&f, p, 64);
    CHECK_EQ_INT(r.fault.kind, EXEC_HANG);
    CHECK_HAS(r.fault.message, "meet at one barrier only");
    CHECK_HAS(r.fault.message, words);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(lanes_at_two_barriers_hang)
{
    expect_hang("@%p1 bra OTHER;\n" LONG "bar.sync 0;\nbra MEET;\nOTHER: " LONG
                "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n",
                "warp 0: 16 threads from (0,0,0) wait at a barrier");
    expect_hang(PART LONG "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\nbar.sync 0;\n",
                "16 threads from (16,0,0) wait at");
    /* as many rounds as the lane says, then one for all */
    expect_hang("mov.u32 %r7, 0;\nLOOP: " LONG
                "bar.sync 0;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, %r2;\n@%p3 bra LOOP;\n"
                "bar.sync 0;\n",
                "threads from (2,0,0) wait at");
}

/* The same without a hang on a card: the others leave; barriers that need not be reached together; the same barrier in
 * another round of the loop; other warps. */
UNIT_CASE(who_does_not_hang)
{
    static const char *const bodies[] = {
        PART LONG "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n",
        "@%p1 bra OTHER;\n" LONG "barrier.sync 0;\nbra MEET;\nOTHER: " LONG
        "barrier.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n",
        "mov.u32 %r7, 0;\nLOOP: setp.eq.u32 %p3, %r7, 1;\nand.pred %p3, %p3, %p1;\n@%p3 bra NEXT;\n" LONG
        "bar.sync 0;\n"
        "NEXT: add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p3, %r7, 4;\n@%p3 bra LOOP;\n",
        "setp.gt.u32 %p1, %r1, 31;\n@%p1 bra OTHER;\n" LONG "bar.sync 0;\nbra MEET;\nOTHER: " LONG
        "bar.sync 0;\nMEET: st.global.u32 [%rd3], %r1;\n",
    };
    for (size_t k = 0; k < LW_COUNT(bodies); k++) {
        fixture f = start(bodies[k]);
        uint64_t p = buffer(&f, 2048);
        exec_result r = run(&f, p, 64);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        exec_result_free(&r);
        unload(&f);
    }
}

UNIT_MAIN()
