/* time_units: which of a kernel's instructions go to the unit of constants, barriers and places of blocks, and which to L1's data stage
 * beside its accesses; what is expected was read in the counters of recorded kernels (tests/hw/time). */
#include "fixture.h"
#include "unit.h"

#include <stdlib.h>

#include "host/time_folds_priv.h"
#include "host/time_units_priv.h"
#include "host/time_waits_priv.h"

/* What a kernel of one warp asks of the units; the instructions of a body behind `@%p1 bra A;` up to `A:` are executed once in four. */
static time_demand units_of(const char *body)
{
    fixture f;
    lw_text text = {0};
    device_profile d;
    time_demand t = {.blocks = 1, .warps_per_block = 1};
    CHECK_EQ_INT(device_find("h200", &d, NULL), LW_OK);
    lw_text_add(&text,
                ".version 9.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[4096];\n.const .b32 c[64];\n"
                ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<20>;\n"
                ".reg .f32 %%f<20>;\n.reg .b64 %%rd<20>;\n%s\nret;\n}\n",
                body);
    if (!load(&f, text.data, "k")) {
        UNIT_FAIL("the kernel does not load: %s", body);
        return t;
    }
    double *executed = lw_alloc((f.kernel->site_count + 1) * sizeof *executed);
    const ptx_insn *to = NULL;
    for (uint32_t k = 0; k < f.kernel->site_count; k++) {
        const ptx_insn *insn = f.kernel->sites[k].insn;
        if (insn == to) to = NULL;
        executed[k] = to ? 0.25 : 1;
        if (!strncmp(insn->mnemonic, "bra", 3)) to = &f.kernel->sites[k].function->insns[insn->operands[0].imm];
    }
    const ptx_function *function = f.kernel->sites[0].function;
    uint8_t *all = host_folds_of(function), *folds = lw_alloc(f.kernel->site_count + (size_t)1);
    for (uint32_t k = 0; k < f.kernel->site_count; k++) folds[k] = all[f.kernel->sites[k].insn - function->insns];
    host_time_units(&d, &t, f.kernel, folds, executed);
    free(all);
    free(folds);
    free(executed);
    unload(&f);
    lw_text_free(&text);
    return t;
}

/* But for the begin of the warp's stack, which every kernel has. */
static double uniforms_of(const char *body) { return units_of(body).uniforms - 1; }

UNIT_CASE(every_warp_finds_its_stack) { CHECK_NEAR(units_of("").uniforms, 1, 0); }

UNIT_CASE(barriers_and_constants_by_index_go_through_the_unit_of_constants)
{
    CHECK_NEAR(uniforms_of("bar.sync 0;"), 1, 0);
    CHECK_NEAR(uniforms_of("bar.warp.sync -1;"), 0, 0);
    CHECK_NEAR(uniforms_of("mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 4; ld.const.u32 %r2, [%rd1];"), 1, 0);
    CHECK_NEAR(uniforms_of("ld.const.u32 %r2, [%rd1];"), 0, 0); /* the same for all lanes: the uniform datapath */
    CHECK_NEAR(uniforms_of("ld.const.u32 %r2, [c];"), 0, 0);    /* an operand of the instruction that takes it */
}

/* What a loop adds up is in registers; two words that follow each other come at once. */
UNIT_CASE(summands_of_loops_are_loaded)
{
    static const char begin[] = "mov.u64 %rd1, c; L: ld.const.u32 %r1, [%rd1]; add.s32 %r3, %r3, %r1; ",
                      turn[] = "add.s64 %rd1, %rd1, 32; bra L;";
    char body[512];
    snprintf(body, sizeof body, "%s%s", begin, turn);
    CHECK_NEAR(uniforms_of(body), 1, 0);
    snprintf(body, sizeof body, "%sld.const.u32 %%r2, [%%rd1+16]; add.s32 %%r3, %%r3, %%r2; %s", begin, turn);
    CHECK_NEAR(uniforms_of(body), 2, 0);
    snprintf(body, sizeof body, "%sld.const.u32 %%r2, [%%rd1+4]; add.s32 %%r3, %%r3, %%r2; %s", begin, turn);
    CHECK_NEAR(uniforms_of(body), 1, 0);
}

/* tests/hw/time/h100-twelfth.csv, benchmark_shmem: of the data stage 2.5 wavefronts more for each, of shared memory one. */
UNIT_CASE(fences_within_a_block_go_through_the_data_stage)
{
    device_profile d;
    CHECK_EQ_INT(device_find("h200", &d, NULL), LW_OK);
    CHECK_NEAR(units_of("membar.cta;").shared_wavefronts, (double)d.time_fence_block_tenths / 10, 1e-9);
    CHECK_NEAR(units_of("fence.acq_rel.cta;").shared_wavefronts, (double)d.time_fence_block_tenths / 10, 1e-9);
    CHECK_NEAR(units_of("membar.gl;").shared_wavefronts, 0, 0);
}

/* Where lanes go past, each in a register of its own, each time. */
UNIT_CASE(guarded_constants_and_parameters_are_loaded)
{
    CHECK_NEAR(uniforms_of("setp.eq.s32 %p1, %r1, 0; @%p1 bra A; ld.const.u32 %r2, [c]; A: mov.u32 %r3, 1;"), 0.25, 0);
    CHECK_NEAR(uniforms_of("ld.param.u64 %rd1, [p]; setp.eq.s32 %p1, %r1, 0; @%p1 bra A; st.global.u32 [%rd1], %r1; "
                           "st.global.u32 [%rd1+4], %r1; A: mov.u32 %r3, 1;"),
               0.5, 0);
}

UNIT_CASE(places_of_blocks_go_there_and_places_of_threads_to_the_data_stage)
{
    CHECK_NEAR(uniforms_of("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;"), 2, 0);
    time_demand t = units_of("mov.u32 %r1, %tid.x;");
    CHECK_NEAR(t.uniforms, 1, 0);
    CHECK_NEAR(t.other_wavefronts, 1, 0);
    CHECK_NEAR(units_of("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;").other_wavefronts, 1, 0);
}

/* Its base is found out once. */
UNIT_CASE(the_base_of_shared_memory_is_a_uniform)
{
    CHECK_NEAR(uniforms_of("mov.u32 %r1, s; st.shared.u32 [%r1], %r2;"), 1, 0);
    CHECK_NEAR(uniforms_of("mov.u32 %r1, s; mov.u32 %r2, s; st.shared.u32 [%r1], %r2;"), 1, 0);
}

/* The assembler loads a parameter where no instruction takes it from constant memory. */
UNIT_CASE(parameters_are_loaded_where_a_register_is_needed)
{
    const char *product = "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r1, 4;";
    lw_text text = {0};
    lw_text_add(&text, "%s add.s64 %%rd4, %%rd2, %%rd3;", product);
    CHECK_NEAR(uniforms_of(text.data), 1, 0);
    lw_text_add(&text, "add.s64 %%rd5, %%rd2, %%rd3;");
    CHECK_NEAR(uniforms_of(text.data), 1, 0); /* once */
    lw_text_free(&text);
    CHECK_NEAR(uniforms_of("ld.param.u64 %rd1, [p]; add.s64 %rd4, %rd1, %rd3;"), 0, 0); /* of no product */
    CHECK_NEAR(uniforms_of("ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r1;"), 1, 0);
    CHECK_NEAR(uniforms_of("ld.param.u32 %r1, [n]; st.global.u32 [%rd1], %r1;"), 1, 0);
    CHECK_NEAR(uniforms_of("ld.param.u32 %r1, [n]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3;"), 0, 0);
}

/* Guarded instructions are issued as well for warps all of whose lanes go past them. */
UNIT_CASE(what_a_short_branch_goes_over_is_issued_all_the_same)
{
    time_demand t = units_of("setp.eq.s32 %p1, %r1, 0; @%p1 bra A; st.global.u32 [%rd1], %r1; A: mov.u32 %r2, 1;");
    CHECK_NEAR(t.other_wavefronts, 0.75, 0);
    CHECK_NEAR(t.off_issue, 0.75, 0);
    t = units_of("setp.eq.s32 %p1, %r1, 0; @%p1 bra A; bar.sync 0; st.global.u32 [%rd1], %r1; A: mov.u32 %r2, 1;");
    CHECK_NEAR(t.off_issue, 0, 0); /* a branch that stays one */
}

UNIT_MAIN()

/* Whether the atomic of a body fetches work. */
static bool fetches(const char *body)
{
    fixture f;
    lw_text text = {0};
    bool answer = false;
    lw_text_add(
        &text,
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %%p<9>;\n"
        ".reg .b32 %%r<20>;\n.reg .b64 %%rd<20>;\nld.param.u64 %%rd1, [p];\n%s\nret;\n}\n",
        body);
    if (!load(&f, text.data, "k")) {
        UNIT_FAIL("the kernel does not load: %s", body);
        return false;
    }
    for (uint32_t k = 0; k < f.kernel->site_count; k++)
        if (!strncmp(f.kernel->sites[k].insn->mnemonic, "atom", 4)) answer |= host_fetches_work(&f.kernel->sites[k]);
    unload(&f);
    lw_text_free(&text);
    return answer;
}

UNIT_CASE(an_atomic_by_which_a_loop_ends_fetches_work)
{
    CHECK(fetches("A: st.global.u32 [%rd1+8], %r3; atom.global.add.u32 %r1, [%rd1], 1;\n"
                  "add.u32 %r2, %r1, 5; setp.lt.u32 %p1, %r2, 99; @%p1 bra A;"));
    CHECK(fetches("A: atom.global.add.u32 %r1, [%rd1], 1; setp.ge.u32 %p1, %r1, 99; @%p1 bra B;\n"
                  "st.global.u32 [%rd1+8], %r1; bra A; B:"));
}

UNIT_CASE(an_atomic_in_no_loop_or_one_that_ends_by_something_else_does_not)
{
    CHECK(!fetches(
        "atom.global.add.u32 %r1, [%rd1], 1; setp.ge.u32 %p1, %r1, 99; @%p1 bra B; st.global.u32 [%rd1+8], %r1; B:"));
    CHECK(!fetches("A: atom.global.add.u32 %r1, [%rd1], 1; st.global.u32 [%rd1+8], %r1;\n"
                   "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 99; @%p1 bra A;"));
    CHECK(!fetches("A: atom.global.add.u32 %r1, [%rd1], 0; setp.lt.u32 %p1, %r1, 99; @%p1 bra A;")); /* looks */
}
