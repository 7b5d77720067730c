/* test_race: racecheck. Small kernels, racy and clean: what is found, at which instructions, for one worker and for two. */
#include "fixture.h"

#include "check/check.h"
#include "check/race_order.h"

extern const event_client check_race;

/* ---------------------------------------------------------------- a kernel and what is found in it */
/* r0: thread, r1: block, r4: its word of shared memory, r5: that of thread 255 - r0, d0: global memory, d1: the thread's
 * word there, d2: the block's word there (256 words on). p0: thread 0, p1: lane 0, p2: warp 0. */
static const char prelude[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k(.param .u64 p)\n{\n"
                              ".reg .b32 %r<32>;\n.reg .b64 %d<16>;\n.reg .pred %p<8>;\n.reg .b16 %h<8>;\n"
                              ".shared .align 128 .b8 s[4096];\n"
                              "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n"
                              "mov.u32 %r2, s;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r4, %r2, %r3;\n"
                              "sub.u32 %r6, 255, %r0;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r5, %r2, %r6;\n"
                              "mul.wide.u32 %d3, %r0, 4;\nadd.u64 %d1, %d0, %d3;\n"
                              "mul.wide.u32 %d4, %r1, 4;\nadd.u64 %d2, %d0, %d4;\n"
                              "and.b32 %r7, %r0, 31;\nsetp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r7, 0;\n"
                              "setp.lt.u32 %p2, %r0, 32;\nmov.u32 %r8, 1;\n";

typedef struct trial_row {
    const char *name;
    uint32_t blocks, threads, cluster, cc;
    const char *body;
    const char *found; /* "severity words; severity words": each finding has one of them; "": nothing is found */
} trial_row;

typedef struct seen {
    lw_text text;
    uint32_t count;
    uint32_t thread, other; /* of the first finding */
} seen;

static void keep(void *owner, const event_finding *f)
{
    seen *s = owner;
    CHECK_STR(f->check, "racecheck");
    if (!f->related_count) return; /* how many more there are */
    if (!s->count++) {
        s->thread = f->thread[0];
        s->other = f->related[0].thread[0];
    }
    lw_text_add(&s->text, "%s %s [%u %u/%u, %u %u/%u]; ", f->severity, f->message, f->insn, f->block[0], f->thread[0],
                f->related[0].insn, f->related[0].block[0], f->related[0].thread[0]);
}

static void run(const trial_row *row, uint32_t workers, seen *out)
{
    fixture f;
    *out = (seen){0};
    lw_text text = {0};
    lw_text_add(&text, "%s%s\nret;\n}\n", prelude, row->body);
    if (!load(&f, text.data, "k")) {
        UNIT_FAIL("%s: %s", row->name, f.error.message);
        lw_text_free(&text);
        return;
    }
    uint64_t memory = buffer(&f, 1 << 16);
    check_options checks = {.set = 1u << CHECK_RACECHECK};
    event_session services = {.owner = out, .finding = keep, .checks = &checks};
    event_launch shown = {0};
    exec_launch l = {.kernel = f.kernel,
                     .grid = {row->blocks, 1, 1},
                     .block = {row->threads, 1, 1},
                     .cluster = {LW_MAX(row->cluster, 1u), 1, 1},
                     .params = (const uint8_t *)&memory,
                     .grid_id = 1,
                     .threads = workers,
                     .memory = f.memory,
                     .device = {.cc = row->cc ? row->cc : 90, .sm_count = 4, .max_blocks_per_sm = 8}};
    exec_describe_launch(&l, &shown);
    void *session = check_race.session_begin(&services);
    void *state = check_race.launch_begin(session, &shown);
    event_listener listener = {&check_race, state};
    l.event = &shown;
    l.listeners = &listener;
    l.listener_count = 1;
    exec_result result = {0};
    CHECK(exec_run(&l, &result, &f.error) == LW_OK);
    CHECK_STR(result.fault.message, "");
    check_race.launch_end(session, &shown, state);
    check_race.session_end(session);
    exec_result_free(&result);
    unload(&f);
    lw_text_free(&text);
}

/* Every wanted part is in some finding, and there are as many findings as parts. */
static void compare(const trial_row *row, const seen *s)
{
    uint32_t wanted = 0;
    char parts[512];
    snprintf(parts, sizeof parts, "%s", row->found);
    for (char *part = strtok(parts, ";"); part; part = strtok(NULL, ";")) {
        while (*part == ' ') part++;
        wanted++;
        if (!s->text.data || !strstr(s->text.data, part))
            UNIT_FAIL("%s: no '%s' in: %s", row->name, part, s->text.data ? s->text.data : "nothing");
    }
    if (wanted != s->count)
        UNIT_FAIL("%s: %u findings instead of %u: %s", row->name, s->count, wanted, s->text.data ? s->text.data : "");
}

static void run_rows(const trial_row *rows, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        seen one, two;
        run(&rows[k], 1, &one);
        run(&rows[k], 2, &two);
        compare(&rows[k], &one);
        CHECK_STR(one.text.data ? one.text.data : "", two.text.data ? two.text.data : "");
        lw_text_free(&one.text);
        lw_text_free(&two.text);
    }
}

/* ---------------------------------------------------------------- shared memory of a block */
#define ST "st.shared.u32 [%r4], %r0;\n"
#define LD_OTHER "ld.shared.u32 %r10, [%r5];\nst.global.u32 [%d1], %r10;\n"

UNIT_CASE(shared_memory)
{
    static const trial_row rows[] = {
        {"no barrier", 1, 256, 0, 0, ST LD_OTHER, "error read after write of 4 bytes by two warps"},
        {"barrier", 1, 256, 0, 0, ST "bar.sync 0;\n" LD_OTHER, ""},
        {"several blocks", 3, 256, 0, 0, ST "bar.sync 0;\n" LD_OTHER "bar.sync 0;\n" ST,
         "warning two writes of 4 bytes by threads of two blocks"},
        {"write after read", 1, 256, 0, 0, ST "bar.sync 0;\n" LD_OTHER ST,
         "error write after read of 4 bytes by two warps"},
        {"reduction with barrier", 1, 256, 0, 0, ST "bar.red.popc.u32 %r11, 0, %p0;\n" LD_OTHER, ""},
        {"own word", 1, 256, 0, 0, ST "ld.shared.u32 %r10, [%r4];\n" ST, ""},
        {"own bytes, twice", 1, 64, 0, 0,
         "add.u32 %r9, %r2, %r0;\nst.shared.u8 [%r9], %r0;\nst.shared.u8 [%r9], %r0;\nld.shared.u8 %r10, [%r9];\n", ""},
        {"a neighbour's byte", 1, 64, 0, 0,
         "add.u32 %r9, %r2, %r0;\nst.shared.u8 [%r9], %r0;\nld.shared.u8 %r10, [%r9+1];\n",
         "error read after write of 1 byte by two lanes; error read after write of 1 byte by two warps"},
        {"half of a word against the whole", 1, 64, 0, 0,
         "@%p2 st.shared.u16 [%r4+130], %r0;\n@!%p2 ld.shared.u32 %r10, [%r4];\n",
         "error read after write of 4 bytes by two warps"},
        {"exited threads are not waited for", 1, 256, 0, 0,
         "setp.ge.u32 %p3, %r0, 128;\n@%p3 ret;\n" ST "bar.sync 0;\nxor.b32 %r9, %r3, 252;\nadd.u32 %r9, %r9, %r2;\n"
         "ld.shared.u32 %r10, [%r9];\n",
         ""},
        {"two warps' broadcast read, then a write", 1, 64, 0, 0,
         "@%p0 st.shared.u32 [%r2], %r0;\nbar.sync 0;\nld.shared.u32 %r10, [%r2];\n@%p0 st.shared.u32 [%r2], %r0;\n",
         "error write after read of 4 bytes by two warps"},
    };
    run_rows(rows, LW_COUNT(rows));
}

UNIT_CASE(both_sides_are_named)
{
    seen s;
    run(&(trial_row){"named", 1, 256, 0, 0, ST LD_OTHER, ""}, 1, &s);
    CHECK_EQ_INT(s.count, 1);
    CHECK_EQ_INT(s.thread + s.other, 255); /* the two that share a word */
    lw_text_free(&s.text);
}

/* ---------------------------------------------------------------- named barriers */
#define TO_OTHER_WARP "xor.b32 %r9, %r3, 128;\nadd.u32 %r9, %r9, %r2;\n"

UNIT_CASE(barriers_of_some_warps)
{
    static const trial_row rows[] = {
        {"two warps of four", 1, 128, 0, 0,
         ST "setp.lt.u32 %p3, %r0, 64;\n@!%p3 bra END;\nbar.sync 1, 64;\n" TO_OTHER_WARP
            "ld.shared.u32 %r10, [%r9];\nEND:\n",
         ""},
        {"the other two do not take part", 1, 128, 0, 0,
         ST "setp.lt.u32 %p3, %r0, 64;\n@!%p3 bra END;\nbar.sync 1, 64;\nEND:\nxor.b32 %r9, %r3, 256;\n"
            "add.u32 %r9, %r9, %r2;\nld.shared.u32 %r10, [%r9];\n",
         "error read after write of 4 bytes by two warps"},
        {"producer and consumer", 1, 64, 0, 0,
         "@!%p2 bra C;\n" ST "bar.arrive 1, 64;\nbra END;\nC:\nbar.sync 1, 64;\n" TO_OTHER_WARP
         "ld.shared.u32 %r10, [%r9];\nEND:\n",
         ""},
        {"who only arrives acquires nothing", 1, 64, 0, 0,
         "@!%p2 bra C;\nbar.arrive 1, 64;\n" TO_OTHER_WARP "ld.shared.u32 %r10, [%r9];\nbra END;\nC:\n" ST
         "bar.sync 1, 64;\nEND:\n",
         "by two warps"},
        {"written again behind the arrival", 1, 64, 0, 0,
         "@!%p2 bra C;\n" ST "bar.arrive 1, 64;\n" ST "bra END;\nC:\nbar.sync 1, 64;\n" TO_OTHER_WARP
         "ld.shared.u32 %r10, [%r9];\nEND:\n",
         "by two warps"},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* ---------------------------------------------------------------- lanes of a warp */
#define TO_OTHER_LANE "xor.b32 %r9, %r3, 4;\nadd.u32 %r9, %r9, %r2;\n"
#define LD_LANE TO_OTHER_LANE "ld.shared.u32 %r10, [%r9];\n"

UNIT_CASE(lanes_of_a_warp)
{
    static const trial_row rows[] = {
        {"no warp sync", 1, 32, 0, 0, ST LD_LANE, "error read after write of 4 bytes by two lanes"},
        {"no warp sync, in step", 1, 32, 0, 60, ST LD_LANE, ""},
        {"warp sync", 1, 32, 0, 0, ST "bar.warp.sync 0xffffffff;\n" LD_LANE, ""},
        {"warp sync of half of the lanes, for pairs", 1, 32, 0, 0,
         ST "setp.lt.u32 %p3, %r0, 16;\n@%p3 bar.warp.sync 0xffff;\n@!%p3 bar.warp.sync 0xffff0000;\n" LD_LANE, ""},
        {"lanes that are not in the mask", 1, 32, 0, 0,
         ST "setp.lt.u32 %p3, %r0, 16;\n@%p3 bar.warp.sync 0xffff;\n" LD_LANE,
         "error read after write of 4 bytes by two lanes"},
        {"a vote", 1, 32, 0, 0, ST "vote.sync.ballot.b32 %r11, %p0, 0xffffffff;\n" LD_LANE,
         "warning read after write of 4 bytes by two lanes of a warp"},
        {"a vote and a warp sync", 1, 32, 0, 0,
         ST "vote.sync.ballot.b32 %r11, %p0, 0xffffffff;\nbar.warp.sync 0xffffffff;\n" LD_LANE, ""},
        {"volatile", 1, 32, 0, 0,
         "st.volatile.shared.u32 [%r4], %r0;\n" TO_OTHER_LANE "ld.volatile.shared.u32 %r10, [%r9];\n",
         "warning read after write of 4 bytes by two lanes of a warp"},
        {"volatile, in step", 1, 32, 0, 60,
         "st.volatile.shared.u32 [%r4], %r0;\n" TO_OTHER_LANE "ld.volatile.shared.u32 %r10, [%r9];\n", ""},
        {"volatile between warps", 1, 64, 0, 0,
         "st.volatile.shared.u32 [%r4], %r0;\n" TO_OTHER_WARP "ld.volatile.shared.u32 %r10, [%r9];\n", ""},
        {"one word, different values", 1, 32, 0, 0, "st.shared.u32 [%r2], %r0;\n",
         "warning write after write of 4 bytes by two lanes"},
        {"one word, one value", 1, 32, 0, 0, "st.shared.u32 [%r2], %r8;\n", ""},
        {"one word, one value, two warps", 1, 64, 0, 0, "@%p1 st.shared.u32 [%r2], %r8;\n",
         "warning write after write of 4 bytes"},
        {"one word, two values, two warps", 1, 64, 0, 0, "@%p1 st.shared.u32 [%r2], %r0;\n",
         "error write after write of 4 bytes"},
        {"atomics", 1, 64, 0, 0, "atom.shared.add.u32 %r10, [%r2], 1;\nred.shared.add.u32 [%r2], 1;\n", ""},
        {"an atomic and a plain read", 1, 64, 0, 0,
         "@%p2 red.shared.add.u32 [%r2], 1;\n@!%p2 ld.shared.u32 %r10, [%r2];\n",
         "error read after write of 4 bytes by two warps"},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* ---------------------------------------------------------------- blocks of a launch */
#define COUNT_IN "membar.gl;\natom.global.inc.u32 %r11, [%d0+4096], 1000;\n"

UNIT_CASE(blocks_of_a_launch)
{
    static const trial_row rows[] = {
        {"one word of two blocks", 2, 32, 0, 0, "@%p0 st.global.u32 [%d0], %r1;\n",
         "error two writes of 4 bytes by threads of two blocks"},
        {"a word each", 4, 32, 0, 0, "@%p0 st.global.u32 [%d2], %r1;\n", ""},
        {"the neighbour block's word", 4, 32, 0, 0,
         "@%p0 st.global.u32 [%d2], %r1;\n@%p0 ld.global.u32 %r10, [%d2+4];\n",
         "error read and write of 4 bytes by threads of two blocks"},
        {"read by all", 4, 64, 0, 0, "ld.global.u32 %r10, [%d1];\n", ""},
        {"read by all, written by one", 4, 64, 0, 0,
         "ld.global.u32 %r10, [%d1];\nsetp.eq.u32 %p3, %r1, 2;\n@%p3 st.global.u32 [%d1], %r0;\n",
         "error read and write of 4 bytes by threads of two blocks"},
        {"atomics", 4, 64, 0, 0, "red.global.add.u32 [%d0], 1;\n", ""},
        {"atomics of a block's scope", 2, 32, 0, 0, "@%p0 red.relaxed.cta.global.add.u32 [%d0], 1;\n",
         "the scope of an atomic"},
        {"atomics and a plain read", 4, 32, 0, 0,
         "@%p0 red.global.add.u32 [%d0], 1;\n@%p0 ld.global.u32 %r10, [%d0];\n",
         "error read and write of 4 bytes by threads of two blocks"},
        {"one value", 4, 32, 0, 0, "@%p0 st.global.u32 [%d0], %r8;\n", "warning two writes"},
        {"last block, textbook", 4, 32, 0, 0,
         "@!%p0 bra W;\nst.global.u32 [%d2], %r1;\n" COUNT_IN "st.shared.u32 [%r2], %r11;\nW:\nbar.sync 0;\n"
         "ld.shared.u32 %r12, [%r2];\nsetp.ne.u32 %p3, %r12, 3;\n@%p3 ret;\nld.global.u32 %r10, [%d0];\n"
         "ld.global.u32 %r10, [%d0+4];\nld.global.u32 %r10, [%d0+12];\n",
         ""},
        {"the last block begins the count anew", 4, 32, 0, 0,
         "@!%p0 bra W;\n" COUNT_IN "st.shared.u32 [%r2], %r11;\nW:\nbar.sync 0;\nld.shared.u32 %r12, [%r2];\n"
         "setp.ne.u32 %p3, %r12, 3;\n@%p3 ret;\n@%p0 st.global.u32 [%d0+4096], 0;\n",
         ""},
        {"last block without the fence", 4, 32, 0, 0,
         "@!%p0 bra W;\nst.global.u32 [%d2], %r1;\natom.global.inc.u32 %r11, [%d0+4096], 1000;\n"
         "st.shared.u32 [%r2], %r11;\nmembar.gl;\nW:\nbar.sync 0;\n"
         "ld.shared.u32 %r12, [%r2];\nsetp.ne.u32 %p3, %r12, 3;\n@%p3 ret;\nld.global.u32 %r10, [%d0];\n",
         "error read and write of 4 bytes by threads of two blocks"},
        {"last block, one thread, no fence behind the atomic", 4, 32, 0, 0,
         "@!%p0 ret;\nst.global.u32 [%d2], %r1;\n" COUNT_IN "setp.ne.u32 %p3, %r11, 3;\n@%p3 ret;\n"
         "ld.global.u32 %r10, [%d0];\n",
         "warning read and write of 4 bytes by threads of two blocks"},
        {"a chain of releases", 4, 32, 0, 0,
         "@!%p0 ret;\nst.global.u32 [%d2], %r1;\natom.acq_rel.gpu.global.add.u32 %r11, [%d0+4096], 1;\n"
         "setp.ne.u32 %p3, %r11, 3;\n@%p3 ret;\nld.global.u32 %r10, [%d0];\nld.global.u32 %r10, [%d0+8];\n",
         ""},
        {"release of a block's scope", 2, 32, 0, 0,
         "@!%p0 ret;\nst.global.u32 [%d2], %r1;\nfence.acq_rel.cta;\natom.global.add.u32 %r11, [%d0+4096], 1;\n"
         "fence.acq_rel.gpu;\nsetp.ne.u32 %p3, %r11, 1;\n@%p3 ret;\nld.global.u32 %r10, [%d0];\n",
         "error read and write of 4 bytes by threads of two blocks"},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* ---------------------------------------------------------------- asynchronous copies */
#define CP "cp.async.ca.shared.global [%r4], [%d1], 4;\n"
#define BARRIER_AT "[%r2+2048]"
#define INIT(n) "@%p0 mbarrier.init.shared::cta.b64 " BARRIER_AT ", " n ";\nbar.sync 0;\n"
#define WAIT_PHASE                                                                                                     \
    "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, " BARRIER_AT ", 0;\n@!%p4 bra W;\n" TO_OTHER_WARP               \
    "ld.shared.u32 %r10, [%r9];\n"

UNIT_CASE(asynchronous_copies)
{
    static const trial_row rows[] = {
        {"wait and barrier", 1, 256, 0, 0, CP "cp.async.wait_all;\nbar.sync 0;\n" LD_OTHER, ""},
        {"no wait", 1, 256, 0, 0, CP "bar.sync 0;\nld.shared.u32 %r10, [%r5];\n",
         "error read after write of 4 bytes beside"},
        {"no wait by the thread itself", 1, 32, 0, 0, CP "ld.shared.u32 %r10, [%r4];\n",
         "error read after write of 4 bytes beside"},
        {"no barrier", 1, 64, 0, 0, CP "cp.async.wait_all;\n" TO_OTHER_WARP "ld.shared.u32 %r10, [%r9];\n",
         "of 4 bytes by two warps"},
        {"the group before the last", 1, 32, 0, 0,
         CP "cp.async.commit_group;\ncp.async.ca.shared.global [%r4+128], [%d1], 4;\ncp.async.commit_group;\n"
            "cp.async.wait_group 1;\nld.shared.u32 %r10, [%r4];\n",
         ""},
        {"the last group", 1, 32, 0, 0,
         CP "cp.async.commit_group;\ncp.async.ca.shared.global [%r4+128], [%d1], 4;\ncp.async.commit_group;\n"
            "cp.async.wait_group 1;\nld.shared.u32 %r10, [%r4+128];\n",
         "error read after write of 4 bytes beside"},
        {"the source is overwritten", 1, 32, 0, 0, CP "st.global.u32 [%d1], %r0;\n",
         "error write after read of 4 bytes beside"},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* A warpgroup reads 256 bytes at s: 8 columns of 16 elements. */
#define PRODUCT                                                                                                        \
    "{\n.reg .f32 %f<4>;\nshr.u32 %r20, %r2, 4;\ncvt.u64.u32 %d10, %r20;\nor.b64 %d10, %d10, 0x1000080000;\n"          \
    "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "              \
    "{%r0, %r1, %r2, %r3}, %d10, 0, 1, 1, 0;\nwgmma.commit_group.sync.aligned;\n}\n"
#define WAIT_PRODUCTS(n) "wgmma.wait_group.sync.aligned " n ";\n"

UNIT_CASE(products_of_a_warpgroup)
{
    static const trial_row rows[] = {
        {"a barrier", 1, 128, 0, 0, ST "bar.sync 0;\n" PRODUCT, ""},
        {"no barrier", 1, 128, 0, 0, ST PRODUCT,
         "error read after write of 16 bytes by two warps; error write after read of 4 bytes beside; warning read "
         "after write"},
        {"waited for", 1, 128, 0, 0, PRODUCT WAIT_PRODUCTS("0") ST, ""},
        {"waited for, by one thread", 1, 128, 0, 0, PRODUCT WAIT_PRODUCTS("0") "@%p0 " ST, ""},
        {"not waited for", 1, 128, 0, 0, PRODUCT "bar.sync 0;\n" ST, "error write after read of 4 bytes beside"},
        {"the group before the last", 1, 128, 0, 0, PRODUCT "add.u32 %r2, %r2, 1024;\n" PRODUCT WAIT_PRODUCTS("1") ST,
         ""},
        {"the last group", 1, 128, 0, 0, PRODUCT WAIT_PRODUCTS("1") ST, "error write after read of 4 bytes beside"},
        {"another warpgroup", 1, 256, 0, 0,
         "setp.lt.u32 %p5, %r0, 128;\n@!%p5 bra B;\n" PRODUCT WAIT_PRODUCTS(
             "0") "bra END;\nB:\nsub.u32 %r4, %r4, 512;\n" ST "END:\n",
         "error write after read of 4 bytes by two warps"},
    };
    run_rows(rows, LW_COUNT(rows));
}

UNIT_CASE(mbarriers)
{
    static const trial_row rows[] = {
        {"all arrive", 1, 64, 0, 0,
         INIT("32") "@!%p2 bra W;\n" ST "mbarrier.arrive.shared::cta.b64 _, " BARRIER_AT ";\nbra END;\n" WAIT_PHASE
                    "END:\n",
         ""},
        {"one lane arrives for all", 1, 64, 0, 0,
         INIT("1") "@!%p2 bra W;\n" ST "@%p1 mbarrier.arrive.shared::cta.b64 _, " BARRIER_AT ";\nbra END;\n" WAIT_PHASE
                   "END:\n",
         "error read after write of 4 bytes by two warps"},
        {"one lane arrives behind a warp sync", 1, 64, 0, 0,
         INIT("1") "@!%p2 bra W;\n" ST "bar.warp.sync 0xffffffff;\n@%p1 mbarrier.arrive.shared::cta.b64 _, " BARRIER_AT
                   ";\nbra END;\n" WAIT_PHASE "END:\n",
         ""},
        {"a bulk copy and its bytes", 1, 64, 0, 0,
         INIT("1") "@!%p0 bra W;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, " BARRIER_AT ", 256;\n"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d0], 256, " BARRIER_AT
                   ";\n" WAIT_PHASE,
         ""},
        {"a bulk copy that nobody waits for", 1, 64, 0, 0,
         INIT("1") "@!%p0 bra L;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, " BARRIER_AT ", 256;\n"
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d0], 256, " BARRIER_AT
                   ";\nL:\n@!%p2 ld.shared.u32 %r10, [%r4];\n",
         "beside an asynchronous"},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* ---------------------------------------------------------------- clusters */
#define REMOTE "mov.u32 %r13, %cluster_ctarank;\nxor.b32 %r13, %r13, 1;\nmapa.shared::cluster.u32 %r14, %r5, %r13;\n"
#define LD_REMOTE REMOTE "ld.shared::cluster.u32 %r10, [%r14];\n"
#define CLUSTER_SYNC "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

/* Thread 0 copies 256 bytes to s; the phase is that of its object. */
#define BULK                                                                                                           \
    INIT("1")                                                                                                          \
    "@!%p0 bra L;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, " BARRIER_AT ", 256;\n"                                \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d0], 256, " BARRIER_AT ";\nL:\n"
#define TRY "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, " BARRIER_AT ", 0;\n@!%p4 bra W;\n"
#define LD_OWN "ld.shared.u32 %r10, [%r4];\n"
/* Each thread stores to the other block's word of it. */
#define STORE_ASYNC                                                                                                    \
    INIT("1")                                                                                                          \
    "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, " BARRIER_AT ", 256;\n" CLUSTER_SYNC REMOTE                     \
    "mapa.shared::cluster.u32 %r14, %r4, %r13;\nadd.u32 %r15, %r2, 2048;\nmapa.shared::cluster.u32 %r16, %r15, "       \
    "%r13;\nst.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r14], %r0, [%r16];\n"

UNIT_CASE(copies_that_end_on_an_mbarrier)
{
    static const trial_row rows[] = {
        {"all wait", 1, 64, 0, 0, BULK TRY LD_OWN, ""},
        {"a barrier and no wait", 1, 64, 0, 0, BULK "bar.sync 0;\n" LD_OWN TRY,
         "error read after write of 4 bytes beside"},
        {"one waits, then a barrier", 1, 64, 0, 0, BULK "@!%p0 bra J;\n" TRY "J:\nbar.sync 0;\n" LD_OWN, ""},
        {"one waits, and no barrier", 1, 64, 0, 0, BULK "@!%p0 bra J;\n" TRY "J:\n" LD_OWN,
         "error read after write of 4 bytes beside"},
        {"one warp waits, then a barrier, and barriers more", 1, 64, 0, 0,
         BULK "@!%p2 bra J;\n" TRY "J:\nbar.sync 0;\nbar.sync 0;\n" LD_OWN "bar.sync 0;\n" LD_OWN, ""},
        {"the issuing thread reads too early", 1, 64, 0, 0, BULK "@%p0 " LD_OWN TRY,
         "error read after write of 4 bytes beside"},
        {"overwritten too early", 1, 64, 0, 0, BULK "bar.sync 0;\nst.shared.u32 [%r4], %r0;\n" TRY,
         "error write after write of 4 bytes beside"},
        {"a store to another block, waited for", 2, 64, 2, 0, STORE_ASYNC TRY LD_OWN CLUSTER_SYNC, ""},
        {"a store to another block, read too early", 2, 64, 2, 0, STORE_ASYNC CLUSTER_SYNC LD_OWN TRY CLUSTER_SYNC,
         "error"},
    };
    run_rows(rows, LW_COUNT(rows));
}

UNIT_CASE(clusters)
{
    static const trial_row rows[] = {
        {"synchronised twice", 4, 256, 2, 0, ST CLUSTER_SYNC LD_REMOTE CLUSTER_SYNC, ""},
        {"not before", 2, 256, 2, 0, ST LD_REMOTE CLUSTER_SYNC,
         "error read and write of 4 bytes by threads of two blocks; error read of 4 bytes in another block"},
        {"not behind", 2, 256, 2, 0, ST CLUSTER_SYNC "setp.ne.u32 %p5, %r1, 0;\n@%p5 ret;\n" LD_REMOTE,
         "may have exited"},
        {"relaxed arrival", 2, 256, 2, 0,
         ST "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n" LD_REMOTE CLUSTER_SYNC,
         "error read and write of 4 bytes by threads of two blocks; may not have begun"},
        {"written behind the arrival", 2, 256, 2, 0,
         "barrier.cluster.arrive;\n" ST "barrier.cluster.wait;\n" LD_REMOTE CLUSTER_SYNC,
         "error read and write of 4 bytes by threads of two blocks"},
        {"atomics", 2, 64, 2, 0,
         CLUSTER_SYNC REMOTE "red.shared::cluster.add.u32 [%r14], 1;\nred.shared.add.u32 [%r5], 1;\n" CLUSTER_SYNC, ""},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* ---------------------------------------------------------------- flags and locks */
#define LOCK "L:\natom.global.cas.b32 %r11, [%d0+4096], 0, 1;\nsetp.ne.u32 %p4, %r11, 0;\n@%p4 bra L;\n"
#define ADD "ld.global.u32 %r12, [%d0];\nadd.u32 %r12, %r12, 1;\nst.global.u32 [%d0], %r12;\n"
#define UNLOCK "atom.global.exch.b32 %r11, [%d0+4096], 0;\n"
#define FENCE "membar.gl;\n"

UNIT_CASE(flags_and_locks)
{
    static const trial_row rows[] = {
        {"lock", 6, 32, 0, 0, "@!%p0 ret;\n" LOCK FENCE ADD FENCE UNLOCK, ""},
        {"lock, no fence before it is left", 6, 32, 0, 0, "@!%p0 ret;\n" LOCK FENCE ADD UNLOCK,
         "error read and write; error two writes"},
        {"lock, no fence behind its entry", 6, 32, 0, 0, "@!%p0 ret;\n" LOCK ADD FENCE UNLOCK,
         "warning read and write; warning two writes"},
        {"flag", 2, 32, 0, 0,
         "@!%p0 ret;\nsetp.eq.u32 %p3, %r1, 0;\n@!%p3 bra C;\nst.global.u32 [%d0], 1;\n" FENCE
         "st.volatile.global.u32 [%d0+4096], 1;\nret;\nC:\nld.volatile.global.u32 %r11, [%d0+4096];\n"
         "setp.eq.u32 %p4, %r11, 0;\n@%p4 bra C;\n" FENCE "ld.global.u32 %r12, [%d0];\n",
         ""},
        {"flag with release and acquire", 2, 32, 0, 0,
         "@!%p0 ret;\nsetp.eq.u32 %p3, %r1, 0;\n@!%p3 bra C;\nst.global.u32 [%d0], 1;\n"
         "st.release.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\nld.acquire.gpu.global.u32 %r11, [%d0+4096];\n"
         "setp.eq.u32 %p4, %r11, 0;\n@%p4 bra C;\nld.global.u32 %r12, [%d0];\n",
         ""},
        {"flag without release", 2, 32, 0, 0,
         "@!%p0 ret;\nsetp.eq.u32 %p3, %r1, 0;\n@!%p3 bra C;\nst.global.u32 [%d0], 1;\n"
         "st.volatile.global.u32 [%d0+4096], 1;\nret;\nC:\nld.volatile.global.u32 %r11, [%d0+4096];\n"
         "setp.eq.u32 %p4, %r11, 0;\n@%p4 bra C;\n" FENCE "ld.global.u32 %r12, [%d0];\n",
         "error read and write of 4 bytes by threads of two blocks"},
        {"a read, and a write behind a relaxed flag", 2, 32, 0, 0,
         "@!%p0 ret;\nsetp.eq.u32 %p3, %r1, 0;\n@!%p3 bra C;\nld.global.u32 %r12, [%d0];\n"
         "st.relaxed.gpu.global.u32 [%d0+4096], 1;\nret;\nC:\nld.relaxed.gpu.global.u32 %r11, [%d0+4096];\n"
         "setp.eq.u32 %p4, %r11, 0;\n@%p4 bra C;\nst.global.u32 [%d0], 7;\n",
         "note read and write of 4 bytes by threads of two blocks"},
        {"flag between warps", 1, 64, 0, 0,
         "@!%p1 ret;\n@!%p2 bra C;\nst.shared.u32 [%r2+512], 1;\nmembar.cta;\n"
         "st.volatile.shared.u32 [%r2+516], 1;\nret;\nC:\nld.volatile.shared.u32 %r11, [%r2+516];\n"
         "setp.eq.u32 %p4, %r11, 0;\n@%p4 bra C;\nmembar.cta;\nld.shared.u32 %r12, [%r2+512];\n",
         ""},
    };
    run_rows(rows, LW_COUNT(rows));
}

/* ---------------------------------------------------------------- operations of streams */
enum { LEGACY = 1, S = 2, T = 3, FREE = 4 }; /* FREE: not ordered with the default stream */

static void submit(race_order *o, uint64_t number, uint64_t stream, uint64_t graph, uint64_t after)
{
    event_host e = {.kind = EVENT_SUBMIT, .number = number, .stream = stream, .graph = graph};
    e.is_default = stream == LEGACY;
    e.blocking = stream == S || stream == T;
    e.after = &after;
    e.after_count = after != 0;
    race_order_on_host(o, &e);
}

static void mark(race_order *o, event_kind kind, uint64_t stream, uint64_t event, uint64_t number, bool all)
{
    event_host e = {.kind = (uint8_t)kind, .stream = stream, .other = event, .number = number, .all = all};
    race_order_on_host(o, &e);
}

UNIT_CASE(streams_and_events_order_operations)
{
    race_order o = {0};
    submit(&o, 1, S, 0, 0);
    submit(&o, 2, T, 0, 0);
    submit(&o, 3, S, 0, 0);
    CHECK(race_order_before(&o, 1, 3));
    CHECK(!race_order_before(&o, 1, 2));
    CHECK(!race_order_before(&o, 2, 3));
    mark(&o, EVENT_RECORD, S, 77, 3, false);
    submit(&o, 4, S, 0, 0);
    mark(&o, EVENT_STREAM_WAIT, T, 77, 3, false);
    submit(&o, 5, T, 0, 0);
    CHECK(race_order_before(&o, 1, 5) && race_order_before(&o, 3, 5));
    CHECK(!race_order_before(&o, 4, 5));
    submit(&o, 6, LEGACY, 0, 0);
    CHECK(race_order_before(&o, 4, 6) && race_order_before(&o, 5, 6));
    submit(&o, 7, FREE, 0, 0);
    CHECK(!race_order_before(&o, 6, 7));
    submit(&o, 8, S, 0, 0);
    CHECK(race_order_before(&o, 6, 8));
    CHECK(!race_order_before(&o, 7, 8));
    mark(&o, EVENT_HOST_WAIT, 0, 0, 7, false);
    submit(&o, 9, S, 0, 0);
    CHECK(race_order_before(&o, 7, 9));
    race_order_free(&o);
}

UNIT_CASE(nodes_of_a_graph_are_ordered_by_their_edges)
{
    race_order o = {0};
    submit(&o, 1, S, 0, 0);
    submit(&o, 2, S, 1, 0);
    submit(&o, 3, S, 1, 0);
    submit(&o, 4, S, 1, 2);
    submit(&o, 5, S, 0, 0);
    CHECK(race_order_before(&o, 1, 2) && race_order_before(&o, 1, 3));
    CHECK(!race_order_before(&o, 2, 3));
    CHECK(race_order_before(&o, 2, 4));
    CHECK(!race_order_before(&o, 3, 4));
    CHECK(race_order_before(&o, 3, 5) && race_order_before(&o, 4, 5));
    submit(&o, 6, T, 0, 0);
    CHECK(!race_order_before(&o, 5, 6));
    mark(&o, EVENT_HOST_WAIT, 0, 0, 6, true);
    submit(&o, 7, FREE, 0, 0);
    CHECK(race_order_before(&o, 5, 7) && race_order_before(&o, 6, 7));
    for (uint64_t n = 8; n < 8 + 300; n++) submit(&o, n, n & 1 ? S : FREE, 0, 0);
    CHECK(race_order_before(&o, 305, 307) && !race_order_before(&o, 304, 307));
    CHECK(race_order_before(&o, 9, 306)); /* too long ago: counts as ordered */
    race_order_free(&o);
}

UNIT_MAIN()
