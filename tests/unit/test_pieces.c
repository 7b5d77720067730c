/* test_pieces: loops that the assembler has unrolled in pieces of 4, 2 and 1 rounds: lanes go round them as in machine code, as
 * often as in PTX. */
#include "fixture.h"

#include "code/code.h"

/* Lanes go round as often as %r2 says, even and odd ones (but once if `skips` lets them), and add up what they load. */
#define KERNEL(rounds, skips, bound, compare, step)                                                                    \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                             \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"          \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nand.b32 %r2, %r1, 1;\n" rounds                             \
    "mov.u32 %r4, 0;\n" bound skips "mov.u64 %rd4, %rd3;\nL: ld.global.u32 %r5, [%rd4+128];\nadd.s64 %rd4, %rd4, "     \
    "128;\nadd.u32 %r4, %r4, %r5;\nadd.s32 %r3, %r3, " step ";\n" compare                                              \
    "@%p1 bra L;\nB: st.global.u32 [%rd3], %r4;\nret;\n}\n"
#define UP(rounds, skips) KERNEL(rounds, skips, "mov.u32 %r3, 0;\n", "setp.lt.s32 %p1, %r3, %r2;\n", "1")
#define DOWN(rounds, skips) KERNEL(rounds, skips, "mov.u32 %r3, %r2;\n", "setp.ne.s32 %p1, %r3, 0;\n", "-1")
#define THREE_OR_FOUR "add.u32 %r2, %r2, 3;\n"
#define NONE_OR_FOUR "shl.b32 %r2, %r2, 2;\n"
#define SKIPS "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra B;\n"

/* How often the load is executed in a warp whose machine code has it so often; even and odd: rounds of those lanes. */
static uint64_t loads_of(const char *text, uint32_t copies, uint32_t even, uint32_t odd)
{
    enum { WORDS = 32 * 9 };
    fixture f;
    code_accesses machine = {0};
    machine[CODE_OF_GLOBAL][CODE_LOADS][2] = copies;
    machine[CODE_OF_GLOBAL][CODE_STORES][2] = 1;
    code_options options = {.stack_known = true, .accesses = &machine};
    uint64_t loads = 0;
    if (!load_with(&f, text, "k", &options)) {
        UNIT_FAIL("the kernel does not load");
        unload(&f);
        return 0;
    }
    uint64_t p = buffer(&f, 4 * WORDS);
    uint32_t *words = mem_storage(p);
    for (uint32_t k = 0; k < WORDS; k++) words[k] = 1;
    exec_launch launch = launch_of(&f, 1, 32, &p);
    exec_result r;
    CHECK(exec_run(&launch, &r, NULL) == LW_OK && !r.fault.kind);
    for (uint32_t t = 0; t < 32; t++) CHECK_EQ_INT(words[t], t % 2 ? odd : even);
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "ld.global", 9)) loads += r.site_inst[s];
    exec_result_free(&r);
    unload(&f);
    return loads;
}

UNIT_CASE(lanes_go_round_in_pieces)
{
    CHECK_EQ_INT(loads_of(UP(THREE_OR_FOUR, SKIPS), 1, 3, 4), 4); /* as in PTX: as often as the last lane */
    CHECK_EQ_INT(loads_of(UP(THREE_OR_FOUR, SKIPS), 7, 3, 4), 4 + 2 + 1);
    CHECK_EQ_INT(loads_of(DOWN(THREE_OR_FOUR, SKIPS), 7, 3, 4), 4 + 2 + 1);
    CHECK_EQ_INT(loads_of(UP(NONE_OR_FOUR, SKIPS), 7, 0, 4), 4);
    CHECK_EQ_INT(loads_of(UP(NONE_OR_FOUR, ""), 8, 1, 4), 1 + 4); /* who has no round left goes one alone */
}

UNIT_MAIN()
