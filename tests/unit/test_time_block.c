/* time_block: what a warp waits for in a basic block. What is expected was read in the code that ptxas 13.0 writes for 9.0. */
#include "fixture.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "host/time_block_priv.h"
#include "host/time_waits_priv.h"

static device_profile h200(void)
{
    device_profile d;
    CHECK_EQ_INT(device_find("h200", &d, NULL), LW_OK);
    return d;
}

static bool load_body(fixture *f, const char *body)
{
    lw_text text = {0};
    lw_text_add(&text,
                ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[4096];\n"
                ".visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<40>;\n.reg .f32 %%f<50>;\n"
                ".reg .b64 %%rd<9>;\n%s\nret;\n}\n",
                body);
    bool loaded = load(f, text.data, "k");
    if (!loaded) UNIT_FAIL("the kernel does not load: %s: %s", body, f->error.message);
    lw_text_free(&text);
    return loaded;
}

/* What one warp with so many registers waits for in a body of one basic block that it executes so often, of whose loads this share
 * misses L1, and none L2. */
static time_demand waits_of_both(const char *body, uint32_t registers, double missed, double before, double times)
{
    fixture f;
    const device_profile d = h200();
    time_demand t = {.blocks = 1, .warps_per_block = 1};
    block_waits waits = {.block = UINT32_MAX, .now = UINT32_MAX, .most = host_together_most(&d, registers)};
    if (!load_body(&f, body)) return t;
    for (uint32_t k = 0; k < f.kernel->site_count; k++) {
        const code_site *site = &f.kernel->sites[k];
        const cache_site seen = {.loads = 1, .missed_loads = missed, .missed_lines = missed};
        time_work work = time_work_of(site->insn->mnemonic);
        if (!k) host_enter_block(&waits, site);
        host_add_waits(&d, &t, &waits, site, &seen, k ? times : before, &work);
    }
    waits.runs = times;
    host_end_block(&d, &t, &waits);
    host_leave_function(&waits);
    unload(&f);
    return t;
}

static time_demand waits_of_times(const char *body, uint32_t registers, double missed, double times)
{
    return waits_of_both(body, registers, missed, times, times);
}

/* The same of a body whose first instruction is before a loop, that the others are. */
static time_demand waits_of_loop(const char *body, double before, double turns)
{
    return waits_of_both(body, 16, 1, before, turns);
}

static time_demand waits_of(const char *body, uint32_t registers, double missed)
{
    return waits_of_times(body, registers, missed, 1);
}

#define LOAD_AT(n, at) "ld.global.nc.v4.f32 {%f" #n "0, %f" #n "1, %f" #n "2, %f" #n "3}, [%rd1+" #at "];"
#define LOAD(n) LOAD_AT(n, n##0)

/* The loop of an n-body kernel of 30 registers: of four loads of four registers the first two are used before the others begin. */
UNIT_CASE(loads_wait_together_as_far_as_there_are_registers)
{
    static const char body[] = LOAD(1) LOAD(2) LOAD(3) LOAD(4);
    CHECK_NEAR(waits_of(body, 30, 1).global_waits, 2, 0);
    CHECK_NEAR(waits_of(body, 64, 1).global_waits, 1, 0);
    static const char words[] = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];";
    CHECK_NEAR(waits_of(words, 16, 1).global_waits, 1, 0);
    static const char same[] = LOAD_AT(1, 0) LOAD_AT(2, 0) LOAD_AT(3, 0) LOAD_AT(4, 0); /* what is there is kept */
    CHECK_NEAR(waits_of(same, 30, 1).global_waits, 1, 0);
}

/* ISETP and BRA: 13 cycles; ISETP and SEL: 4. */
UNIT_CASE(predicates_guard_later_than_they_are_operands)
{
    const device_profile d = h200();
    static const char operand[] = "setp.lt.s32 %p1, %r1, 9; selp.b32 %r2, %r1, %r3, %p1;";
    static const char guard[] = "setp.lt.s32 %p1, %r1, 9; @%p1 add.s32 %r2, %r1, %r3;";
    double longer = waits_of(guard, 16, 1).path - waits_of(operand, 16, 1).path;
    CHECK_NEAR(longer, (double)d.time_guard_cycles, 0.01);
}

/* What all warps load, once or in each turn of a loop that all come to, is not what makes some of them longer. */
UNIT_CASE(what_all_warps_load_is_even)
{
    static const char body[] = "ld.global.f32 %f1, [%rd1]; bar.sync 0; ld.global.f32 %f2, [%rd1+4];";
    CHECK_NEAR(waits_of_times(body, 16, 1, 1).even_waits, 2, 0);
    CHECK_NEAR(waits_of_times(body, 16, 1, 0.5).even_waits, 0, 0);
    CHECK_NEAR(waits_of_times(body, 16, 1, 3).even_waits, 0, 0); /* of a loop that some may not come to */
    static const char loop[] = "mov.u32 %r1, 0; L: ld.global.f32 %f1, [%rd1]; add.s32 %r1, %r1, 1; bra L;";
    CHECK_NEAR(waits_of_loop(loop, 1, 3).even_waits, 3, 0);
    CHECK_NEAR(waits_of_loop(loop, 1, 3.5).even_waits, 0, 0);
    CHECK_NEAR(waits_of_loop(loop, 0.5, 3).even_waits, 0, 0);
    CHECK_NEAR(waits_of_loop(loop, 0.0625, 1).even_waits, 0, 0); /* one of sixteen warps turns sixteen times */
}

/* Nor is what all warps execute. */
UNIT_CASE(what_all_warps_execute_is_even)
{
    static const char loop[] = "mov.u32 %r1, 0; L: add.s32 %r1, %r1, 1; bra L;";
    time_demand all = waits_of_loop(loop, 1, 3), some = waits_of_loop(loop, 1, 3.5);
    CHECK(all.path > 0);
    CHECK_NEAR(all.even_path, all.path, 1e-9);
    CHECK(some.path > 0);
    CHECK_NEAR(some.even_path, 0, 0);
}

/* Stores of sums that go on, matvec_cudav2 (tests/hw/time/h100-eleventh.csv): LDS, LDS, DFMA, STS, and only then the next LDS; but what is
 * known to be elsewhere is not waited for. */
UNIT_CASE(loads_of_shared_memory_come_behind_stores)
{
    static const char sums[] = "ld.shared.f32 %f1, [%r1]; add.f32 %f2, %f1, %f9; st.shared.f32 [%r2], %f2;"
                               "ld.shared.f32 %f3, [%r1+4]; add.f32 %f4, %f3, %f2; st.shared.f32 [%r2], %f4;";
    static const char apart[] = "ld.shared.f32 %f1, [%r1]; add.f32 %f2, %f1, %f9; st.shared.f32 [%r1+8], %f2;"
                                "ld.shared.f32 %f3, [%r1+4]; add.f32 %f4, %f3, %f2; st.shared.f32 [%r1+12], %f4;";
    static const char barrier[] =
        "ld.shared.f32 %f1, [%r1]; add.f32 %f2, %f1, %f9; st.shared.f32 [%r1+8], %f2; bar.sync 0;"
        "ld.shared.f32 %f3, [%r1+4]; add.f32 %f4, %f3, %f2; st.shared.f32 [%r1+12], %f4;";
    double load = time_work_of("ld.shared.f32").latency, add = time_work_of("add.f32").latency;
    CHECK_NEAR(waits_of(sums, 16, 0).path, 2 * (load + add), 1e-9);
    CHECK(waits_of(apart, 16, 0).path < 2 * load);
    CHECK_NEAR(waits_of(barrier, 16, 0).path, 2 * (load + add), 1e-9);
}

/* `for (k = 0; k < n; k++) s += in[k * 32];` of CUDA has four loads a turn in PTX, and 16 that wait together in machine code. */
UNIT_CASE(turns_that_are_joined_have_more_loads)
{
    static const char turn[] =
        "L: ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+128]; ld.global.f32 %f3, [%rd1+256];"
        "ld.global.f32 %f4, [%rd1+384]; add.s32 %r1, %r1, 4; setp.ne.s32 %p1, %r1, 99; @%p1 bra L;";
    CHECK_NEAR(waits_of_times(turn, 29, 1, 1000).global_waits, 1000 / 4.0, 1);
}

/* What is stored at a register's address and loaded from other bytes there are different places: the assembler begins the loads of a
 * turn, and of the turns that it joins, before the stores. Of other addresses it does not know that. */
UNIT_CASE(loads_go_before_stores_to_other_bytes)
{
    static const char apart[] = "ld.global.f32 %f1, [%rd1+4]; st.global.f32 [%rd1], %f1; ld.global.f32 %f2, [%rd1+8];"
                                "st.global.f32 [%rd1+4], %f2; ld.global.f32 %f3, [%rd1+12];";
    CHECK_NEAR(waits_of(apart, 29, 1).global_waits, 1, 0);
    static const char same[] = "ld.global.f32 %f1, [%rd1+4]; st.global.f32 [%rd1], %f1; ld.global.f32 %f2, [%rd1];";
    CHECK_NEAR(waits_of(same, 29, 1).global_waits, 2, 0);
    static const char wide[] =
        "ld.global.f32 %f1, [%rd1+8]; st.global.v2.f32 [%rd1], {%f1, %f1}; ld.global.f32 %f2, [%rd1+4];";
    CHECK_NEAR(waits_of(wide, 29, 1).global_waits, 2, 0);
    static const char other[] = "ld.global.f32 %f1, [%rd1+4]; st.global.f32 [%rd2], %f1; ld.global.f32 %f2, [%rd1+8];";
    CHECK_NEAR(waits_of(other, 29, 1).global_waits, 2, 0);
    static const char both[] = "ld.global.f32 %f1, [%rd1+4]; st.global.f32 [%rd1], %f1; st.global.f32 [%rd2], %f1; "
                               "ld.global.f32 %f2, [%rd1+8];";
    CHECK_NEAR(waits_of(both, 29, 1).global_waits, 2, 0);
    static const char turn[] =
        "L: ld.global.f32 %f1, [%rd1+4]; st.global.f32 [%rd1], %f1; ld.global.f32 %f2, [%rd1+8];"
        "st.global.f32 [%rd1+4], %f2; add.s32 %r1, %r1, 2; setp.ne.s32 %p1, %r1, 99; @%p1 bra L;";
    CHECK_NEAR(waits_of_times(turn, 29, 1, 1000).global_waits, 1000 / 4.0, 1);
}

/* A sequence with a branch of its own ends a basic block: what stands behind it begins behind it. */
UNIT_CASE(sequences_with_a_branch_end_a_block)
{
    static const char behind[] = "div.rn.f32 %f1, %f2, %f3; mul.f32 %f4, %f5, %f6; mul.f32 %f4, %f4, %f4;";
    static const char before[] = "mul.f32 %f4, %f5, %f6; mul.f32 %f4, %f4, %f4; div.rn.f32 %f1, %f2, %f3;";
    double sums = 2 * time_work_of("mul.f32").latency, all = time_work_of("div.rn.f32").latency;
    CHECK_NEAR(waits_of(before, 16, 1).path, fmax(waits_of(before, 16, 1).path, all), 0.01);
    CHECK_NEAR(waits_of(behind, 16, 1).path, waits_of(before, 16, 1).path + sums, 0.01);
}

/* Who waits for asynchronous copies waits as long as these take. */
UNIT_CASE(copies_are_waited_for_as_loads)
{
#define COPY "cp.async.ca.shared.global [s], [%rd1], 4;"
    CHECK_NEAR(waits_of(COPY "cp.async.wait_all;", 16, 0.5).missed_l1, 0.5, 0.01);
    CHECK_NEAR(waits_of("cp.async.wait_all;", 16, 0.5).missed_l1, 0, 0.01); /* there are none */
    CHECK_NEAR(waits_of(COPY "cp.async.commit_group; cp.async.wait_group 0;", 16, 1).missed_l1, 1, 0.01);
}

/* Four loads that go over the same lines: each time one of them is the first to come to the next. */
UNIT_CASE(loads_at_one_address_miss_one_after_the_other)
{
    static const char same[] = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4]; ld.global.f32 %f3, [%rd1+8];"
                               "ld.global.f32 %f4, [%rd1+12];";
    static const char others[] = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; ld.global.f32 %f3, [%rd3];"
                                 "ld.global.f32 %f4, [%rd4];";
    CHECK_NEAR(waits_of(same, 64, 0.125).missed_l1, 0.5, 1e-9);
    CHECK_NEAR(waits_of(same, 64, 0.5).missed_l1, 1, 1e-9);
    CHECK_NEAR(waits_of(others, 64, 0.125).missed_l1, 0.125, 1e-9);
}

/* How many instructions behind a branch its ways meet, if the assembler makes guards of it; 0: it stays a branch. */
static ptrdiff_t guards(const char *body)
{
    fixture f;
    const device_profile d = h200();
    ptrdiff_t found = -1;
    if (!load_body(&f, body)) return found;
    for (uint32_t k = 0; k < f.kernel->site_count && found < 0; k++) {
        const code_site *site = &f.kernel->sites[k];
        if (strncmp(site->insn->mnemonic, "bra", 3) != 0) continue;
        const ptx_insn *to = host_branch_guards(&d, site->function, site->insn);
        found = to ? to - site->insn : 0;
    }
    unload(&f);
    return found;
}

UNIT_CASE(both_ways_of_a_short_branch_become_guards)
{
#define LOADS "ld.global.f32 %f1, [%rd1];"
#define ZERO "mov.f32 %f1, 0f00000000;"
#define THEN "st.shared.f32 [s], %f1;"
    CHECK_EQ_INT(guards("@%p1 bra A;" LOADS "A:" THEN), 2);
    CHECK_EQ_INT(guards("@%p1 bra A;" LOADS "bra B; A:" ZERO "B:" THEN), 4);
    CHECK_EQ_INT(guards("@%p1 bra A; bra.uni B; A:" LOADS "bra.uni C; B:" ZERO "C:" THEN), 5);
    CHECK_EQ_INT(guards("@%p1 bra A; bra.uni B; A:" LOADS "B:" THEN), 3);
    CHECK_EQ_INT(guards("@%p1 bra A;" LOADS "bra B; A: bar.sync 0; B:" THEN), 0);
    CHECK_EQ_INT(guards("@%p1 bra A; @%p2 bra B;" LOADS "A:" ZERO "B:" THEN), 0);
    CHECK_EQ_INT(guards("C: @%p1 bra A; bra.uni C; A:" LOADS "B:" THEN), 0);
}

/* Whether the loop that closes first in a body is taken to wait for all blocks. */
static bool waits_for_all(const char *body)
{
    fixture f;
    bool found = false, waits = false;
    if (!load_body(&f, body)) return false;
    for (uint32_t k = 0; k < f.kernel->site_count && !found; k++) {
        const ptx_insn *to = host_branch_target(f.kernel->sites[k].function, f.kernel->sites[k].insn);
        found = to && to <= f.kernel->sites[k].insn;
        waits = found && host_barrier_behind(f.kernel, k);
    }
    unload(&f);
    return waits;
}

UNIT_CASE(barriers_of_all_blocks_count_who_has_come)
{
#define ADD "atom.global.add.u32 %r1, [%rd1], 1;"
#define ASK(where) "L: ld.volatile.global.u32 %r2, [" where "]; setp.lt.u32 %p1, %r2, %r3; @%p1 bra L; bar.sync 0;"
    CHECK(waits_for_all(ADD ASK("%rd1")));
    CHECK(waits_for_all("red.global.add.u32 [%rd1], 1;" ASK("%rd1")));
    CHECK(waits_for_all(ADD ASK("%rd2"))); /* a flag that the last one sets */
    CHECK(!waits_for_all(ASK("%rd1")));    /* a flag of another block */
    CHECK(!waits_for_all(ADD "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;" ASK("%rd3")));
    CHECK(!waits_for_all(ADD "L: ld.volatile.shared.u32 %r2, [s]; setp.lt.u32 %p1, %r2, 9; @%p1 bra L; bar.sync 0;"));
}

UNIT_MAIN()
