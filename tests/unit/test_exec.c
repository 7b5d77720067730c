/* test_exec: small PTX kernels through parse, link, decode and execution: control flow, memory, barriers, faults. */
#include "fixture.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static exec_result run(fixture *f, uint32_t blocks, uint32_t threads, const void *params, uint32_t workers)
{
    exec_launch l = launch_of(f, blocks, threads, params);
    l.stop_at_errors = true;
    l.threads = workers;
    l.timed = true;
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    return r;
}

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* %r1 = global thread index, %rd1 = buffer, %rd3 = &buffer[index] */
#define BEGIN                                                                                                          \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n"                                 \
         ".reg .pred %p<10>;\n.reg .f32 %f<9>;\n"                                                                      \
         "ld.param.u64 %rd1, [p];\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"              \
         "mad.lo.s32 %r1, %r3, %r4, %r2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"

UNIT_CASE(stores_indices)
{
    fixture f;
    CHECK(load(&f, BEGIN "st.global.u32 [%rd3], %r1;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 1000);
    exec_result r = run(&f, 10, 100, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 1000; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k);
    CHECK_EQ_INT(r.inst_executed, 10 * 4 * 9);
    CHECK_EQ_INT(r.thread_inst, 1000 * 9);
    exec_result_free(&r);
    unload(&f);
}

/* Collatz steps: a loop every lane leaves at its own time; the store after it is executed once per warp. */
UNIT_CASE(divergent_loop_reconverges)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "add.u32 %r5, %r1, 1;\nmov.u32 %r6, 0;\n"
                     "LOOP: setp.eq.u32 %p1, %r5, 1;\n@%p1 bra DONE;\nand.b32 %r7, %r5, 1;\n"
                     "setp.eq.u32 %p2, %r7, 0;\n@%p2 bra EVEN;\n"
                     "mad.lo.u32 %r5, %r5, 3, 1;\nbra NEXT;\nEVEN: shr.u32 %r5, %r5, 1;\n"
                     "NEXT: add.u32 %r6, %r6, 1;\nbra LOOP;\n"
                     "DONE: st.global.u32 [%rd3], %r6;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t n = k + 1, steps = 0;
        for (; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n / 2;
        CHECK_EQ_INT(((uint32_t *)p)[k], steps);
    }
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "st.global", 9)) CHECK_EQ_INT(r.site_inst[s], 2);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(shared_memory_and_barrier)
{
    fixture f;
    CHECK(load(&f,
               HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
                    ".shared .align 4 .b8 s[512];\n"
                    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\n"
                    "add.s32 %r4, %r3, %r2;\n"
                    "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nsub.s32 %r5, 127, %r1;\nshl.b32 %r5, %r5, 2;\n"
                    "add.s32 %r6, %r3, %r5;\n"
                    "ld.shared.u32 %r7, [%r6];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                    "st.global.u32 [%rd3], %r7;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 512);
    exec_result r = run(&f, 1, 128, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 128; k++) CHECK_EQ_INT(((uint32_t *)p)[k], 127 - k);
    exec_result_free(&r);
    unload(&f);
}

/* The first warp of each block goes round a loop 100 times, and the second waits for it at a barrier; then the second does. */
/* An instruction of shared memory that is given a generic address in 64 bits takes its low half, as on an H100 (cp.async of a program
 * that passes the pointer). */
UNIT_CASE(generic_address_for_shared_memory)
{
    fixture f;
    CHECK(load(&f,
               HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
                    ".shared .align 4 .b8 s[512];\nld.param.u64 %rd1, [p];\nmov.u64 %rd4, s;\n"
                    "cvta.shared.u64 %rd5, %rd4;\nst.shared.u32 [%rd5+8], 5;\nld.shared.u32 %r5, [s+8];\n"
                    "st.global.u32 [%rd1], %r5;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4);
    exec_result r = run(&f, 1, 1, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(*(uint32_t *)p, 5);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(blocks_take_as_long_as_their_slowest_warps)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "shr.u32 %r5, %r2, 5;\nmov.u32 %r6, 0;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra M;\n"
                     "A: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 100;\n@%p2 bra A;\n"
                     "M: bar.sync 0;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra E;\n"
                     "B: add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 100;\n@%p2 bra B;\n"
                     "E: st.global.u32 [%rd3], %r6;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 3 * 64 * 4);
    exec_result r = run(&f, 3, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    uint64_t loops = 200 * CODE_CLOCK_BLOCK, rest = 8 * CODE_CLOCK_BLOCK;
    CHECK(r.clock_longest >= loops && r.clock_longest <= loops + rest);
    CHECK_EQ_INT(r.clock_blocks, 3 * r.clock_longest);
    CHECK(r.clock_work >= 3 * loops && r.clock_work <= 3 * (loops + 2 * rest)); /* waiting is no work */
    exec_result_free(&r);
    unload(&f);
}

/* A barrier of the whole grid: blocks that wait may not look again at every step of those that come after them. */
UNIT_CASE(grid_barrier_spins_little)
{
    enum { BLOCKS = 200 };
    fixture f;
    CHECK(load(&f,
               BEGIN "mov.u32 %r5, %nctaid.x;\nmov.u32 %r6, 0;\n"
                     "STEP: bar.sync 0;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 16;\n@%p1 bra STEP;\n"
                     "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra JOIN;\natom.global.add.u32 %r7, [%rd1], 1;\n"
                     "WAIT: ld.volatile.global.u32 %r8, [%rd1];\nsetp.lt.u32 %p3, %r8, %r5;\n@%p3 bra WAIT;\n"
                     "JOIN: bar.sync 0;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4);
    *(uint32_t *)p = 0;
    exec_result r = run(&f, BLOCKS, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(*(uint32_t *)p, BLOCKS);
    CHECK(r.inst_executed < BLOCKS * UINT64_C(10000));
    exec_result_free(&r);
    unload(&f);
}

/* Barriers of the grid by equality: the count stands at each goal only until the first block comes to the next barrier,
 * so that every block must look between. */
UNIT_CASE(grid_barriers_by_equality)
{
    enum { BLOCKS = 40, ROUNDS = 8 };
    fixture f;
    CHECK(load(&f,
               BEGIN "mov.u32 %r5, %nctaid.x;\nmov.u32 %r6, 0;\nmov.u32 %r9, 0;\n"
                     "STEP: add.u32 %r6, %r6, 1;\nadd.u32 %r9, %r9, %r5;\nbar.sync 0;\n"
                     "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra JOIN;\natom.global.add.u32 %r7, [%rd1], 1;\n"
                     "WAIT: ld.volatile.global.u32 %r8, [%rd1];\nsetp.ne.u32 %p3, %r8, %r9;\n@%p3 bra WAIT;\n"
                     "JOIN: bar.sync 0;\nsetp.lt.u32 %p1, %r6, 8;\n@%p1 bra STEP;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4);
    *(uint32_t *)p = 0;
    exec_result r = run(&f, BLOCKS, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(*(uint32_t *)p, BLOCKS * ROUNDS);
    exec_result_free(&r);
    unload(&f);
}

/* A comparison that writes both its result and the contrary, without a third predicate. */
UNIT_CASE(comparison_with_two_results)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "mov.u32 %r5, 0;\nsetp.lt.u32 %p1|%p2, %r1, 20;\n@%p1 add.u32 %r5, %r5, 1;\n"
                     "@%p2 add.u32 %r5, %r5, 10;\ncvt.rn.f32.u32 %f1, %r1;\n"
                     "setp.ge.f32 _|%p3, %f1, 0f41F00000;\n@%p3 add.u32 %r5, %r5, 100;\n"
                     "st.global.u32 [%rd3], %r5;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(((uint32_t *)p)[k], (k < 20 ? 1 : 10) + (k < 30 ? 100 : 0));
    exec_result_free(&r);
    unload(&f);
}

/* A lock between the lanes of one warp, as old textbooks write it. */
UNIT_CASE(spin_lock_in_a_warp)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "SPIN: atom.global.cas.b32 %r5, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra SPIN;\n"
                     "ld.volatile.global.u32 %r6, [%rd1+4];\nadd.u32 %r6, %r6, 1;\n"
                     "st.volatile.global.u32 [%rd1+4], %r6;\n"
                     "membar.gl;\natom.global.exch.b32 %r7, [%rd1], 0;\nret;\n}\n",
               "k"));
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint64_t p = buffer(&f, 8);
        exec_result r = run(&f, 4, 64, &p, workers);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(((uint32_t *)p)[1], 256);
        CHECK(r.schedule_dependent);
        exec_result_free(&r);
    }
    unload(&f);
}

/* Each thread sleeps until the one before it has set its byte, which is not volatile: of one warp, too. */
UNIT_CASE(lanes_sleep_until_their_neighbour_has_gone)
{
    fixture f;
    CHECK(load(&f,
               BEGIN ".reg .b16 %h<3>;\n.shared .b8 done[64];\nmov.u32 %r5, done;\nadd.u32 %r5, %r5, %r2;\n"
                     "mov.u16 %h1, 0;\nst.shared.u8 [%r5], %h1;\nbar.sync 0;\n"
                     "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra GO;\nbra.uni LOOK;\n"
                     "NAP: mov.u32 %r6, 1000;\nnanosleep.u32 %r6;\n"
                     "LOOK: ld.shared.u8 %h1, [%r5+-1];\nsetp.ne.u16 %p2, %h1, 0;\n@%p2 bra GO;\nbra.uni NAP;\n"
                     "GO: ld.global.u32 %r7, [%rd1];\nadd.u32 %r7, %r7, 1;\nst.global.u32 [%rd1], %r7;\n"
                     "mov.u16 %h2, 1;\nst.shared.u8 [%r5], %h2;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 8);
    exec_launch l = launch_of(&f, 1, 64, &p);
    l.threads = 1;
    l.timeout = 20;
    exec_result r;
    CHECK(exec_run(&l, &r, &f.error) == LW_OK);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(((uint32_t *)p)[0], 64);
    exec_result_free(&r);
    unload(&f);
}

/* Block 0 waits for a flag that the last block sets. */
UNIT_CASE(blocks_wait_for_each_other)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra OTHERS;\n"
                     "WAIT: ld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra WAIT;\n"
                     "bra END;\n"
                     "OTHERS: setp.ne.u32 %p3, %r3, 7;\n@%p3 bra END;\nmov.u32 %r6, 1;\n"
                     "st.volatile.global.u32 [%rd1], %r6;\n"
                     "END: ret;\n}\n",
               "k"));
    for (uint32_t workers = 1; workers <= 2; workers++) {
        uint64_t p = buffer(&f, 8);
        exec_result r = run(&f, 8, 32, &p, workers);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        exec_result_free(&r);
    }
    unload(&f);
}

/* The same, but what was read decides only by a branch whether the loop goes on, and a barrier stands in it: for all
 * threads of the blocks that wait, then for a few lanes of them, the others having left. */
UNIT_CASE(blocks_wait_round_a_barrier)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.eq.u32 %p1, %r3, 7;\n@%p1 bra LAST;\nmov.u32 %r6, 0;\n"
                     "ld.global.u32 %r7, [%rd1+4];\nsetp.ge.u32 %p2, %r2, %r7;\n@%p2 bra END;\n"
                     "LOOP: ld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra NOT_YET;\n"
                     "add.u32 %r6, %r6, 1;\n"
                     "NOT_YET: bar.sync 0;\nsetp.lt.u32 %p4, %r6, 3;\n@%p4 bra LOOP;\nbra END;\n"
                     "LAST: mov.u32 %r8, 1;\nst.volatile.global.u32 [%rd1], %r8;\n"
                     "END: ret;\n}\n",
               "k"));
    static const uint32_t lanes[] = {64, 4};
    for (size_t k = 0; k < LW_COUNT(lanes); k++) {
        uint64_t p = buffer(&f, 8);
        ((uint32_t *)p)[0] = 0;
        ((uint32_t *)p)[1] = lanes[k];
        exec_result r = run(&f, 8, 64, &p, 1);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK(r.schedule_dependent);
        exec_result_free(&r);
    }
    unload(&f);
}

/* Half of a warp goes to a barrier; the other half past it: lanes let go from the join finish, no hang. */
UNIT_CASE(barrier_in_divergent_code)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.gt.u32 %p1, %r2, 15;\n@%p1 bra PAST;\natom.global.add.u32 %r5, [%rd1+256], 1;\nbar.sync 0;\n"
                     "PAST: st.global.u32 [%rd3], %r1;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 65);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k);
    CHECK_EQ_INT(r.warning.kind, EXEC_DIVERGENT_BARRIER);
    CHECK_HAS(r.warning.message, "16 threads from (0,0,0) wait at a barrier");
    CHECK_HAS(r.warning.message, "the other threads went past it");
    exec_result_free(&r);
    unload(&f);
}

/* Both halves of a warp go to a barrier of their own. */
UNIT_CASE(two_barriers_in_divergent_code)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.gt.u32 %p1, %r2, 15;\n@%p1 bra OTHER;\nbar.sync 0;\nbra JOIN;\nOTHER: bar.sync 0;\nJOIN:\n"
                     "st.global.u32 [%rd3], %r1;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.warning.kind, EXEC_DIVERGENT_BARRIER);
    CHECK_HAS(r.warning.message, "16 of the warp's 32 threads are here, 16 go another way");
    exec_result_free(&r);
    unload(&f);
}

/* Lanes that parted where one way ends in a trap meet nowhere before the barrier, but all come to it. */
UNIT_CASE(one_barrier_behind_a_trap)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.gt.u32 %p1, %r2, 15;\n@%p1 bra OTHER;\nadd.u32 %r3, %r2, 1;\nbra HERE;\n"
                     "OTHER: setp.gt.u32 %p2, %r2, 4000;\n@%p2 bra BAD;\nadd.u32 %r3, %r2, 2;\n"
                     "HERE: bar.sync 0;\nst.global.u32 [%rd3], %r1;\nret;\nBAD: trap;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(r.warning.kind, EXEC_NO_FAULT);
    exec_result_free(&r);
    unload(&f);
}

/* The lanes that come to the barrier last are a group in the place of one that has exited, which the others join. */
UNIT_CASE(last_group_at_a_barrier_is_the_first)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.gt.u32 %p1, %r2, 7;\n@%p1 bra OTHER;\nst.global.u32 [%rd3], %r1;\nret;\n"
                     "OTHER: setp.gt.u32 %p1, %r2, 15;\nsetp.gt.u32 %p2, %r2, 4000;\n@%p1 bra SECOND;\nbra HERE;\n"
                     "SECOND: @%p2 bra BAD;\n"
                     "HERE: bar.sync 0;\nst.global.u32 [%rd3], %r1;\nret;\nBAD: trap;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 32);
    exec_result r = run(&f, 1, 32, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k);
    exec_result_free(&r);
    unload(&f);
}

/* A block out of line behind the final `ret`, and a last loop that only ends there: lanes meet before the barrier. */
UNIT_CASE(out_of_line_block_rejoins)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.lt.u32 %p1, %r2, 5;\n@%p1 bra AWAY;\nBACK: bar.sync 0;\nmov.u32 %r6, 0;\n"
                     "LOOP: st.global.u32 [%rd3], %r6;\nadd.u32 %r6, %r6, 1;\nsetp.le.u32 %p2, %r6, %r2;\n"
                     "@%p2 bra LOOP;\nEND: ret;\nAWAY: add.u32 %r7, %r1, 1;\nbra BACK;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(r.warning.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k);
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "bar.sync", 8)) CHECK_EQ_INT(r.site_inst[s], 2);
    exec_result_free(&r);
    unload(&f);
}

/* A way that stores and ends, out of a nest of branches: the others meet where their ways do, not at the end. */
UNIT_CASE(ends_of_their_own_part_nobody_else)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "and.b32 %r4, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra MEET;\nand.b32 %r5, %r2, 2;\n"
                     "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra ENDS;\nadd.u32 %r6, %r2, 1;\n"
                     "MEET: st.global.u32 [%rd3], %r1;\nbra OUT;\n"
                     "ENDS: st.global.u32 [%rd3], 77;\nOUT: ret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 32);
    exec_result r = run(&f, 1, 32, &p, 1);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(((uint32_t *)p)[k], (k & 3) == 1 ? 77 : k);
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "st.global", 9)) CHECK_EQ_INT(r.site_inst[s], 1);
    exec_result_free(&r);
    unload(&f);
}

/* Lanes leave a loop in different rounds, some to the end by a jump of its own block, as the compiler writes `return` in a
 * loop (HeCBench bwt: bitonic_sort_step): those that store meet before they do. */
UNIT_CASE(jumps_to_the_end_part_nobody)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "mov.u32 %r4, 0;\nand.b32 %r5, %r2, 7;\nLOOP: setp.ne.u32 %p1, %r4, %r5;\n@%p1 bra NEXT;\n"
                     "bra.uni FOUND;\nNEXT: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 7;\n@%p2 bra LOOP;\n"
                     "bra.uni OUT;\nFOUND: setp.lt.u32 %p3, %r4, 9;\n@%p3 bra STORE;\nbra.uni OUT;\n"
                     "STORE: st.global.u32 [%rd3], %r1;\nOUT: ret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 32);
    exec_result r = run(&f, 1, 32, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(((uint32_t *)p)[k], (k & 7) == 7 ? 0 : k);
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "st.global", 9)) CHECK_EQ_INT(r.site_inst[s], 1);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(hang_is_reported)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "setp.gt.u32 %p1, %r2, 31;\n@%p1 bra B;\nbar.sync 1, 64;\nret;\nB: bar.sync 2, 64;\nret;\n"
                     "}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_HANG);
    CHECK(strstr(r.fault.message, "barrier") != NULL);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(out_of_bounds_and_misaligned)
{
    fixture f;
    CHECK(load(&f, BEGIN "st.global.u32 [%rd3+4], %r1;\nret;\n}\n", "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(r.fault.thread[0], 63);
    CHECK(strstr(r.fault.message, "just past the end") != NULL);
    exec_result_free(&r);
    p += 2;
    r = run(&f, 1, 32, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_MISALIGNED);
    exec_result_free(&r);
    unload(&f);
}

/* fib(n) by recursion: frames, parameters, results, divergence inside calls. */
UNIT_CASE(recursion)
{
    fixture f;
    CHECK(load(&f,
               HEAD ".func (.param .b32 r) fib(.param .b32 n) {\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"
                    "ld.param.u32 %r1, [n];\n"
                    "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra BASE;\nsub.u32 %r2, %r1, 1;\n"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"
                    "call (b), fib, (a);\nld.param.b32 %r3, [b]; }\nsub.u32 %r4, %r1, 2;\n"
                    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r4;\n"
                    "call (b), fib, (a);\nld.param.b32 %r5, [b]; }\nadd.u32 %r1, %r3, %r5;\n"
                    "BASE: st.param.b32 [r], %r1;\nret;\n}\n"
                    ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
                    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
                    "and.b32 %r2, %r1, 7;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2;\n"
                    "call (b), fib, (a);\nld.param.b32 %r3, [b]; }\n"
                    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r3;\nret;\n"
                    "}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 64);
    exec_result r = run(&f, 1, 64, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    static const uint32_t fib[8] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(((uint32_t *)p)[k], fib[k & 7]);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(shuffles_and_votes)
{
    fixture f;
    CHECK(load(&f,
               BEGIN "shfl.sync.down.b32 %r5|%p1, %r1, 1, 0x1f, -1;\nselp.b32 %r6, %r5, 1000, %p1;\n"
                     "vote.sync.ballot.b32 %r7, %p1, -1;\n"
                     "add.u32 %r6, %r6, %r7;\nst.global.u32 [%rd3], %r6;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 32);
    exec_result r = run(&f, 1, 32, &p, 1);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(((uint32_t *)p)[k], (k < 31 ? k + 1 : 1000) + 0x7fffffffu);
    exec_result_free(&r);
    unload(&f);
}

/* As on an H200: lanes beside the branch, lanes whose guard is false, and lanes that have exited give 0. */
UNIT_CASE(shuffle_from_lanes_that_do_not_take_part)
{
    static const char *const ways[] = {
        "@!%p1 bra HERE;\nshfl.sync.idx.b32 %r5, %r4, 20, 31, -1;\nHERE: ",
        "@%p1 shfl.sync.idx.b32 %r5, %r4, 20, 31, -1;\n",
        "@!%p1 exit;\nshfl.sync.idx.b32 %r5, %r4, 20, 31, -1;\n",
    };
    for (uint32_t w = 0; w < 3; w++) {
        fixture f;
        char text[2000];
        snprintf(text, sizeof text,
                 "%sadd.u32 %%r4, %%r1, 100;\nmov.u32 %%r5, 7;\nsetp.lt.u32 %%p1, %%r2, 16;\n%s"
                 "st.global.u32 [%%rd3], %%r5;\nret;\n}\n",
                 BEGIN, ways[w]);
        CHECK(load(&f, text, "k"));
        uint64_t p = buffer(&f, 4 * 32);
        exec_result r = run(&f, 1, 32, &p, 1);
        for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(((uint32_t *)p)[k], k < 16 || w == 2 ? 0 : 7);
        exec_result_free(&r);
        unload(&f);
    }
}

/* Masks that differ must hold the own lane (an H100: votes); one mask for the warp is not looked at. */
UNIT_CASE(masks_without_the_own_lane)
{
    static const struct {
        const char *body;
        exec_fault_kind fault;
    } cases[] = {
        {"shl.b32 %r4, 1, %r2;\nsub.u32 %r4, %r4, 1;\nvote.sync.ballot.b32 %r5, %p1, %r4;\n", EXEC_ILLEGAL_INSTRUCTION},
        {"shl.b32 %r4, 1, %r2;\nsub.u32 %r4, %r4, 1;\nshfl.sync.idx.b32 %r5, %r1, 0, 31, %r4;\n",
         EXEC_ILLEGAL_INSTRUCTION},
        {"shl.b32 %r4, 2, %r2;\nsub.u32 %r4, %r4, 1;\nvote.sync.ballot.b32 %r5, %p1, %r4;\n", EXEC_NO_FAULT},
        {"vote.sync.ballot.b32 %r5, %p1, 0xffff;\n", EXEC_NO_FAULT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fixture f;
        char text[2000];
        snprintf(text, sizeof text, "%ssetp.lt.u32 %%p1, %%r2, 16;\n%sst.global.u32 [%%rd3], %%r5;\nret;\n}\n", BEGIN,
                 cases[k].body);
        CHECK(load(&f, text, "k"));
        uint64_t p = buffer(&f, 4 * 32);
        exec_result r = run(&f, 1, 32, &p, 1);
        CHECK_EQ_INT(r.fault.kind, cases[k].fault);
        exec_result_free(&r);
        unload(&f);
    }
}

/* The kernel must be refused, for this reason. */
static void check_refused(const char *body, const char *why)
{
    fixture f;
    char text[2000];
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", BEGIN, body);
    CHECK(!load(&f, text, "k"));
    CHECK_EQ_INT(f.error.status, LW_UNSUPPORTED);
    if (!strstr(f.error.message, why)) CHECK_STR(f.error.message, why);
    f.error.message[0] = 0;
    unload(&f);
}

/* Warp 0 arrives and exits: that is one arrival less to wait for, not one more. Warp 1 must wait for warp 2's store. */
UNIT_CASE(cluster_barrier_forgets_threads_that_exit)
{
    fixture f;
    CHECK(load(&f,
               BEGIN ".shared .align 4 .b8 s[4];\nmov.u32 %r5, s;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 bra FIRST;\n"
                     "setp.lt.u32 %p2, %r2, 64;\n@%p2 bra MEET;\nmov.u32 %r6, 7;\nst.shared.u32 [%r5], %r6;\n"
                     "MEET: barrier.cluster.arrive;\nbarrier.cluster.wait;\nld.shared.u32 %r7, [%r5];\n"
                     "st.global.u32 [%rd3], %r7;\nret;\nFIRST: barrier.cluster.arrive;\nret;\n}\n",
               "k"));
    uint64_t p = buffer(&f, 4 * 96);
    exec_result r = run(&f, 1, 96, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    for (uint32_t k = 32; k < 96; k++) CHECK_EQ_INT(((uint32_t *)p)[k], 7);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(unknown_modes_are_refused)
{
    static const char *const rows[] = {
        "shfl.sync.left.b32 %r5, %r1, 1, 31, -1;",
        "shfl.sync.b32 %r5, %r1, 1, 31, -1;",
        "shfl.sync.up.idx.b32 %r5, %r1, 1, 31, -1;",
        "shfl.sync.idx.b64 %r5, %r1, 1, 31, -1;",
        "vote.sync.some.pred %p1, %p2, -1;",
        "vote.sync.pred %p1, %p2, -1;",
        "vote.sync.ballot.pred %r5, %p2, -1;",
        "match.some.sync.b32 %r5, %r1, -1;",
        "match.sync.b32 %r5, %r1, -1;",
        "redux.sync.mul.s32 %r5, %r1, -1;",
        "ld.global.fancy.u32 %r5, [%rd1];",
        "st.fancy.global.u32 [%rd1], %r1;",
        "atom.global.add.fancy.u32 %r5, [%rd1], 1;",
        "setp.lt.fancy.s32 %p1, %r1, 2;",
        "cvta.to.fancy.global.u64 %rd5, %rd1;",
        "fence.fancy.sys;",
        "vadd.fancy.s32.s32.s32 %r5, %r1, %r2;",
        "membar.fancy;",
        "addc.fancy.u32 %r5, %r1, %r2;",
        "selp.fancy.b32 %r5, %r1, %r2, %p1;",
        "cp.async.wait_all.fancy;",
        "bar.wait 0;",
        "barrier.cta.aligned 0;",
        "barrier.cluster.depart;",
    };
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        char opcode[64];
        snprintf(opcode, sizeof opcode, "'%.*s'", (int)strcspn(rows[k], " ;"), rows[k]);
        check_refused(rows[k], opcode);
    }
}

UNIT_CASE(problems_say_where)
{
    check_refused("shfl.sync.b32 %r5, %r1, 1, 31, -1;", "  test.ptx:16:1: unknown instruction 'shfl.sync.b32'");
    fixture f;
    CHECK(!load(&f,
                HEAD ".file 1 \"/home/me/a.cu\"\n.visible .entry k() {\n.reg .b32 %r<4>;\n.loc 1 7 5\n"
                     "shfl.sync.b32 %r1, %r2, 1, 31, -1;\nret;\n}\n",
                "k"));
    CHECK(strstr(f.error.message, "  /home/me/a.cu:7 (PTX line 8): unknown instruction"));
    f.error.message[0] = 0;
    unload(&f);
}

/* An unrolled loop names what it cannot run once, not 900 times. */
UNIT_CASE(equal_problems_are_one)
{
    enum { TIMES = 900 };
    lw_text text = {0};
    fixture f;
    lw_text_add(&text, "%s", BEGIN);
    for (int k = 0; k < TIMES; k++) lw_text_add(&text, "shfl.sync.b32 %%r1, %%r2, 1, 31, -1;\n");
    lw_text_add(&text, "istypep.texref %%p1, %%rd1;\nret;\n}\n");
    CHECK(!load(&f, text.data, "k"));
    CHECK(strstr(f.error.message, "cannot run (2 problems)"));
    CHECK(strstr(f.error.message, "unknown instruction 'shfl.sync.b32' (900 times; this is the first)\n"));
    CHECK(strlen(f.error.message) < 400);
    f.error.message[0] = 0;
    unload(&f);
    lw_text_free(&text);
}

/* Each stage parts the warp, unites it again by a barrier before the place where the parts would have met, and goes one
 * level deeper: 70 places where nobody arrives. */
UNIT_CASE(too_many_joins_are_a_fault)
{
    enum { STAGES = 70 };
    lw_text text = {0};
    fixture f;
    lw_text_add(&text, "%s", BEGIN "setp.eq.u32 %p1, %r2, 99;\nsetp.lt.u32 %p2, %r2, 16;\n");
    for (int k = 0; k < STAGES; k++)
        lw_text_add(&text, "@%%p2 bra X%d;\n@%%p1 bra OUT%d;\nX%d: bar.sync 0;\n", k, k, k);
    for (int k = STAGES; k-- > 0;) lw_text_add(&text, "OUT%d: add.u32 %%r1, %%r1, 1;\n", k);
    lw_text_add(&text, "st.global.u32 [%%rd3], %%r1;\nret;\n}\n");
    CHECK(load(&f, text.data, "k"));
    uint64_t p = buffer(&f, 4 * 32);
    exec_result r = run(&f, 1, 32, &p, 1);
    CHECK_EQ_INT(r.fault.kind, EXEC_STACK_OVERFLOW);
    CHECK(strstr(r.fault.message, "more than 64 places"));
    exec_result_free(&r);
    unload(&f);
    lw_text_free(&text);
}

/* ---------------------------------------------------------------- what depends on the schedule */
static bool schedule_dependent(const char *body, uint32_t blocks)
{
    fixture f;
    char text[2000];
    snprintf(text, sizeof text, "%s.shared .align 4 .b32 s;\n%s\nret;\n}\n", BEGIN, body);
    CHECK(load(&f, text, "k"));
    uint64_t p = buffer(&f, 4096);
    exec_result r = run(&f, blocks, 32, &p, 1);
    bool dependent = r.schedule_dependent;
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    exec_result_free(&r);
    unload(&f);
    return dependent;
}

UNIT_CASE(addresses_from_atomics_depend_on_the_schedule)
{
    static const char store[] = "atom.global.add.u32 %r5, [%rd1], 1;\nmul.wide.u32 %rd4, %r5, 4;\n"
                                "add.s64 %rd5, %rd1, %rd4;\n"
                                "st.global.u32 [%rd5+8], %r1;";
    CHECK(schedule_dependent(store, 4));
    CHECK(!schedule_dependent(store, 1)); /* one block: its warps run in one order */
    CHECK(schedule_dependent("atom.global.add.u32 %r5, [%rd1], 1;\nshfl.sync.idx.b32 %r6, %r5, 0, 31, -1;\n"
                             "mul.wide.u32 %rd4, %r6, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r7, [%rd5+8];",
                             4));
    CHECK(!schedule_dependent("atom.shared.add.u32 %r5, [s], 1;\nand.b32 %r5, %r5, 31;\nmul.wide.u32 %rd4, %r5, 4;\n"
                              "add.s64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5+8], %r1;",
                              4));
    CHECK(!schedule_dependent("atom.global.add.u32 %r5, [%rd1], 1;\nst.global.u32 [%rd3+8], %r5;", 4));
}

/* Whether the lanes of some warp part at the branch that the count plan's row of the load in this loop depends on. */
static bool loop_parts(const char *bound)
{
    fixture f;
    lw_text text = {0};
    lw_text_add(&text, "%s%s%s", BEGIN, bound,
                "mov.u32 %r6, 0;\nL: ld.global.u32 %r5, [%rd3];\nst.global.u32 [%rd3+4], %r5;\n"
                "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r7;\n@%p1 bra L;\nret;\n}\n");
    CHECK(load(&f, text.data, "k"));
    uint64_t p = buffer(&f, 4 * 65);
    exec_result r = run(&f, 1, 64, &p, 1);
    bool parted = false;
    CHECK(f.kernel->parting_count > 0);
    for (uint32_t k = 0; k < f.kernel->parting_count; k++) parted |= r.site_parted[f.kernel->partings[k].first];
    exec_result_free(&r);
    unload(&f);
    lw_text_free(&text);
    return parted;
}

UNIT_CASE(a_loop_parts_lanes_or_not)
{
    CHECK(loop_parts("mov.u32 %r7, %r1;\n"));
    CHECK(!loop_parts("ld.global.u32 %r7, [%rd3];\n")); /* 0 in all lanes, which only the run shows */
}

UNIT_MAIN()
