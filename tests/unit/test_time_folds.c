/* time_folds: what machine code has fewer of than PTX; what is expected was read in the code that ptxas 13.0 writes for 9.0. */
#include "host/time_folds_priv.h"
#include "unit.h"

#include <stdlib.h>

/* Per instruction of a function's body one of ".apcdum": as it is, away, takes a product, a copy, a divisor that is known, a branch whose lanes meet,
 * a constant of all lanes, a product and sum of three registers, one whose two banks are asked for the same again. */
static void check_folds(const char *body, const char *expected)
{
    static const char letters[] = ".apcdumrb";
    char found[64];
    char text[2048];
    ptx_module *m = NULL;
    lw_error error;
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90\n.address_size 64\n.const .b32 c[64];\n.visible .entry k(.param .u64 "
             "p)\n{\n.reg .pred "
             "%%p<9>;\n.reg .b32 %%r<20>;\n"
             ".reg .f32 %%f<20>;\n.reg .b64 %%d<20>;\n%s\nret;\n}\n",
             body);
    if (ptx_parse(&m, "t.ptx", text, strlen(text), &error) != LW_OK) UNIT_FAIL("%s", error.message);
    const ptx_function *f = ptx_find_function(m, "k");
    uint8_t *kinds = host_folds_of(f);
    size_t count = f->insn_count - 1; /* without ret */
    REQUIRE(count < sizeof found);
    for (size_t k = 0; k < count; k++) found[k] = letters[kinds[k]];
    found[count] = 0;
    free(kinds);
    ptx_module_free(m);
    if (strcmp(found, expected) != 0) UNIT_FAIL("%s is %s, expected %s", body, found, expected);
}

UNIT_CASE(a_sum_takes_a_product)
{
    check_folds("mul.f32 %f3, %f1, %f2; sub.f32 %f4, %f3, %f5;", "a.");
    check_folds("mul.rn.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f5;", "..");
    check_folds("mul.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f5; abs.f32 %f6, %f3;", "...");
    check_folds("mul.wide.s32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;", "app");
    check_folds("mul.lo.s64 %d3, %d1, 3; add.s64 %d4, %d3, 1;", ".a");
    check_folds("shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3;", "a.");
    check_folds("mul.lo.s32 %r3, %r1, %r2; mul.lo.s32 %r4, %r5, %r6; add.s32 %r7, %r3, %r4;", "a.p");
}

UNIT_CASE(three_inputs_are_one_operation)
{
    check_folds("and.b32 %r3, %r1, %r2; or.b32 %r5, %r3, %r4;", "a.");
    check_folds("and.b32 %r3, %r1, %r2; or.b32 %r5, %r3, %r4; xor.b32 %r7, %r5, %r6;", "a..");
    check_folds("and.b32 %r3, %r1, %r2; or.b32 %r5, %r3, %r4; xor.b32 %r7, %r3, %r6;", "...");
    check_folds("and.b32 %r4, %r1, %r2; not.b32 %r5, %r1; and.b32 %r6, %r5, %r3; xor.b32 %r7, %r4, %r6;", "aaa.");
    check_folds("xor.b32 %r4, %r1, %r2; and.b32 %r5, %r4, %r3; and.b32 %r6, %r1, %r2; xor.b32 %r7, %r5, %r6;", "aaa.");
    check_folds("and.b32 %r4, %r1, %r2; not.b32 %r5, %r0; and.b32 %r6, %r5, %r3; xor.b32 %r7, %r4, %r6;", "aa..");
    check_folds("add.s32 %r3, %r1, %r2; sub.s32 %r5, %r3, %r4;", "a.");
    check_folds("add.s32 %r3, %r1, %r2; and.b32 %r5, %r3, %r4;", "..");
}

UNIT_CASE(predicates_are_operands_of_comparisons)
{
    check_folds("setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p2, %r3, %r4; and.pred %p3, %p1, %p2;", "..a");
    check_folds("and.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 0;", ".a");
    check_folds("and.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 1;", "..");
}

/* BSSY and BSYNC: where lanes may go different ways, and only there. */
UNIT_CASE(lanes_meet_behind_a_branch)
{
    static const char rest[] = "bra IN; st.global.u32 [%d1], %r1; IN: st.global.u32 [%d2], %r2;";
    char body[512];
    snprintf(body, sizeof body, "mov.u32 %%r1, %%tid.x; setp.lt.s32 %%p1, %%r1, %%r2; @%%p1 %s", rest);
    check_folds(body, "c.m..");
    snprintf(body, sizeof body, "mov.u32 %%r1, %%ctaid.x; setp.lt.s32 %%p1, %%r1, %%r2; @%%p1 %s", rest);
    check_folds(body, "c....");
    snprintf(body, sizeof body,
             "mov.u32 %%r1, %%tid.x; ld.global.u32 %%r2, [%%d1]; setp.lt.s32 %%p1, %%r2, 4; @%%p1 %s", rest);
    check_folds(body, "c.....");
    check_folds("mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 4; @%p1 bra END; st.global.u32 [%d1], %r1; END: ", "c...");
    check_folds("mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 4; setp.lt.s32 %p2, %r1, 2; @%p1 bra IN; @%p2 bra IN; "
                "st.global.u32 [%d1], %r1; IN: st.global.u32 [%d2], %r2;",
                "c..m...");
    /* what some lanes pass only differs from then on */
    check_folds("mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 4; mov.u32 %r3, 0; @%p1 bra IN; mov.u32 %r3, 1; IN: "
                "setp.eq.s32 %p2, %r3, 0; @%p2 bra OUT; st.global.u32 [%d1], %r1; OUT: st.global.u32 [%d2], %r2;",
                "c..m..m..");
    check_folds("mov.u32 %r1, %tid.x; TURN: setp.lt.s32 %p1, %r1, 4; @%p1 bra OUT; add.s32 %r1, %r1, 1; bra TURN; "
                "OUT: st.global.u32 [%d2], %r2;",
                "c.....");
}

/* The second of two branches is the first, the other way round; one behind something else stays. */
UNIT_CASE(of_two_branches_one_stays)
{
    check_folds(
        "setp.lt.s32 %p1, %r1, 4; @%p1 bra IN; bra OUT; IN: st.global.u32 [%d1], %r1; OUT: st.global.u32 [%d2], %r2;",
        "..a..");
    check_folds(
        "setp.lt.s32 %p1, %r1, 4; @%p1 bra IN; st.global.u32 [%d1], %r1; bra OUT; IN: st.global.u32 [%d1], %r2; "
        "OUT: st.global.u32 [%d2], %r2;",
        "......");
}

/* ULDC, or an operand; LDC where each lane has a place of its own. */
UNIT_CASE(constants_that_lanes_share_come_by_the_uniform_datapath)
{
    check_folds("ld.const.u32 %r1, [c]; ld.const.u32 %r2, [c+4];", "uu");
    check_folds("mov.u64 %d1, c; L: ld.const.u32 %r1, [%d1]; add.s64 %d1, %d1, 4; bra L;", ".u..");
    check_folds("mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; ld.const.u32 %r2, [%d2];", "c..");
    /* LDC of what a loop adds up, LDC.64 of two words; products and sums take it as it comes */
    check_folds("mov.u64 %d1, c; L: ld.const.u32 %r1, [%d1]; ld.const.u32 %r3, [%d1+4]; add.s32 %r2, %r2, %r1; "
                "add.s32 %r2, %r2, %r3; add.s64 %d1, %d1, 8; bra L;",
                "..a....");
    check_folds(
        "mov.u64 %d1, c; L: ld.const.f32 %f1, [%d1]; fma.rn.f32 %f2, %f1, %f3, %f2; add.s64 %d1, %d1, 4; bra L;",
        ".u...");
    check_folds("ld.const.u32 %r1, [c]; add.s32 %r4, %r2, %r1;", "u.");
    /* lanes may go past the second: LDC, and so the first, which goes by the same register; not what stands at a place of its own */
    check_folds("mov.u64 %d1, c; mov.u32 %r1, %tid.x; setp.lt.s32 %p1, %r1, 7; ld.const.f32 %f1, [%d1]; @%p1 bra A; "
                "ld.const.f32 %f2, [%d1+8]; A: ld.const.f32 %f3, [c]; st.global.f32 [%d2], %f1;",
                ".c..m.u.");
    /* all lanes go the same way */
    check_folds("mov.u64 %d1, c; setp.lt.s32 %p1, %r1, 7; ld.const.f32 %f1, [%d1]; @%p1 bra A; "
                "ld.const.f32 %f2, [%d1+8]; A: st.global.f32 [%d2], %f1;",
                "..u.u.");
}

UNIT_CASE(what_goes_round_is_copied)
{
    check_folds("mov.b32 %r1, 0; mov.b32 %r2, 0; L: mov.b32 %r2, %r1; add.s32 %r1, %r2, 1; bra L;", "..c..");
    check_folds("mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %r1;", "c..");
}

UNIT_CASE(loops_know_a_divisor_that_they_do_not_change)
{
    check_folds(
        "add.u32 %r2, %r9, 1; L: rem.u32 %r3, %r4, %r2; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra L;",
        ".d...");
    check_folds(
        "L: add.u32 %r2, %r9, 1; rem.u32 %r3, %r4, %r2; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra L;",
        ".....");
    check_folds("add.u32 %r2, %r9, 1; rem.u32 %r3, %r4, %r2;", "..");
}

/* The reciprocal of the first; of signed numbers it is another one. */
UNIT_CASE(divisions_by_the_same_share_its_reciprocal)
{
    check_folds("rem.s32 %r3, %r1, %r2; rem.s32 %r4, %r5, %r2; div.s32 %r6, %r7, %r2;", ".dd");
    check_folds("rem.s32 %r3, %r1, %r2; rem.u32 %r4, %r5, %r2; rem.s32 %r6, %r5, %r7;", "...");
    check_folds("rem.s32 %r3, %r1, %r2; add.s32 %r2, %r2, %r2; rem.s32 %r4, %r5, %r2;", "...");
    check_folds("rem.s32 %r3, %r1, %r2; ld.global.v2.u32 {%r6, %r2}, [%d1]; rem.s32 %r4, %r5, %r2;", "...");
    check_folds("rem.s32 %r3, %r1, %r2; @%p1 bra IN; st.global.u32 [%d1], %r3; IN: rem.s32 %r4, %r5, %r2;", "...d");
    check_folds("rem.s32 %r3, %r1, %r2; @%p1 bra IN; rem.s32 %r6, %r1, %r7; IN: rem.s32 %r4, %r5, %r7;", "....");
    check_folds("@%p1 bra IN; rem.s32 %r3, %r1, %r2; IN: rem.s32 %r4, %r5, %r2; rem.s32 %r6, %r7, %r2;", "...d");
    check_folds("L: shr.u32 %r2, %r2, 1; rem.s32 %r3, %r1, %r2; @%p1 bra IN; rem.s32 %r4, %r5, %r2; IN: bra L;",
                "...d.");
}

/* FFMA of three registers; ".reuse" where the one before had one of them, and need not be waited for. */
UNIT_CASE(two_banks_give_three_registers_one_after_the_other)
{
    check_folds("fma.rn.f32 %f3, %f1, %f2, %f3;", "r");
    check_folds("fma.rn.f32 %f2, %f1, %f1, %f2;", ".");
    check_folds("fma.rn.f32 %f3, %f1, 0f3F800000, %f3;", ".");
    check_folds("fma.rn.f32 %f3, %f1, %f2, %f3; fma.rn.f32 %f4, %f1, %f5, %f4;", "r.");
    check_folds("fma.rn.f32 %f3, %f1, %f2, %f9; fma.rn.f32 %f4, %f5, %f6, %f9;", "r.");
    check_folds("fma.rn.f32 %f3, %f1, %f2, %f3; fma.rn.f32 %f3, %f6, %f5, %f3;", "rr");
    check_folds("fma.rn.f32 %f3, %f3, %f1, %f2; fma.rn.f32 %f3, %f3, %f1, %f2; fma.rn.f32 %f3, %f3, %f1, %f2;", "rbb");
    check_folds(
        "fma.rn.f32 %f3, %f3, %f1, %f2; L: fma.rn.f32 %f3, %f3, %f1, %f2; bra L; fma.rn.f32 %f3, %f3, %f1, %f2;",
        "rb.r");
    check_folds("fma.rn.f64 %d3, %d1, %d2, %d3;", ".");
    /* of parameters one can be an operand, two are loaded */
    check_folds("ld.param.f32 %f1, [p]; fma.rn.f32 %f3, %f3, %f1, %f4;", "..");
    check_folds("ld.param.f32 %f1, [p]; ld.param.f32 %f2, [p+4]; fma.rn.f32 %f3, %f3, %f1, %f2;", "..r");
    check_folds("ld.param.f32 %f1, [p]; mov.f32 %f2, 0f3F800000; fma.rn.f32 %f3, %f3, %f1, %f2;", "...");
}

UNIT_MAIN()
