/* plan_cases: for each rule of the count plan (plan.def) bodies of kernels on which it acts, and like ones on which it does not
 * (test_plan.c). */
#ifndef LW_TESTS_PLAN_CASES_H
#define LW_TESTS_PLAN_CASES_H

#include "code/plan.h"

#define BEGIN                                                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[4096];\n"                                  \
    ".global .align 16 .b8 g16[4096];\n"                                                                               \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                                                           \
    ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"                                                        \
    ".func again(.param .u32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\n.param .b32 q;\n"                        \
    "st.param.b32 [q], %r1;\n"                                                                                         \
    "call again, (q);\nret;\n}\n"                                                                                      \
    ".shared .align 4 .b8 s4[4096];\n.func leaf()\n{\nbar.sync 0;\nret;\n}\n"                                          \
    ".func with_array()\n{\n.local .align 4 .b8 own[64];\nst.local.u32 [own], 1;\nret;\n}\n"                           \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<9>;\n"                  \
    ".reg .f32 %f<9>;\n.reg .b16 %h<4>;\n.local .align 4 .b8 l[64];\nld.param.u64 %rd1, [p];\n"                        \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"                                                               \
    "add.s64 %rd3, %rd1, %rd2;\nshl.b32 %r2, %r1, 3;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\n"
#define END "ret;\n}\n"
/* two words at an offset %r9 that is computed so */
#define PAIR_AT(compute)                                                                                               \
    "cvt.u16.u32 %h1, %r1;\n" compute                                                                                  \
    "add.u32 %r10, %r3, %r9;\nld.shared.u32 %r5, [%r10];\nld.shared.u32 %r6, [%r10+4];\n"
#define MULTIPLE "shl.b16 %h2, %h1, 3;\n"
/* a load and a store of that type */
#define EACH(type, r) "ld.shared." type " " r ", [%r4];\nst.global." type " [%rd3], " r ";\n"
/* a load of 8 bytes, and one of 16, in a loop in whose rounds the address goes on by so many */
#define PAIR_IN_LOOP(step)                                                                                             \
    "mov.u32 %r6, 0;\nL: ld.shared.v2.u32 {%r5, %r7}, [%r4];\nld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r3+64];\n"    \
    "st.global.v2.u32 [%rd3], {%r5, %r7};\nst.global.v4.u32 [%rd3+16], {%r8, %r9, %r10, %r11};\n"                      \
    "add.u32 %r4, %r4, " step ";\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, 8;\n@%p1 bra L;\n"
/* leaves the loop L by two ways or one */
#define PROBE(out)                                                                                                     \
    "L: ld.global.u32 %r5, [%rd3];\nsetp.eq.s32 %p1, %r5, 7;\n@%p1 bra A;\nsetp.eq.s32 %p2, %r5, 9;\n"                 \
    "@%p2 bra " out ";\nadd.s64 %rd3, %rd3, 4;\nbra.uni L;\nA: st.global.u32 [%rd1], %r5;\nret;\n"                     \
    "B: st.global.u32 [%rd2], %r5;\n"
/* a loop whose end T stands before its begin */
#define END_FIRST(to)                                                                                                  \
    "bra.uni H;\nT: add.s64 %rd3, %rd3, 4;\nH: ld.global.u32 %r5, [%rd3];\nsetp.eq.s32 %p1, %r5, 9;\n@%p1 bra A;\n"    \
    "setp.eq.s32 %p2, %r5, 7;\n@%p2 bra " to ";\nst.global.u32 [%rd1+4], %r5;\nbra.uni T;\n"                           \
    "A: st.global.u32 [%rd1], %r5;\nret;\nB: st.global.u32 [%rd2], %r5;\n"
/* a load in a loop whose step is no constant */
#define ROUNDS(space, address, rest)                                                                                   \
    "mov.u32 %r6, 0;\nL: ld." space ".u32 %r5, " address ";\n" rest "add.s32 %r6, %r6, %r1;\n"                         \
    "setp.lt.s32 %p1, %r6, 99;\n@%p1 bra L;\n"
/* one thread's atomic says whether the block goes round again */
#define ENDED_BY(atomic)                                                                                               \
    "L: setp.ne.s32 %p1, %r1, 0;\n@%p1 bra A;\natom.global." atomic " %r5, [%rd1], 1;\nst.shared.u32 [s+64], %r5;\n"   \
    "A: bar.sync 0;\nld.shared.u32 %r6, [s+64];\nsetp.eq.s32 %p2, %r6, 0;\n@%p2 bra L;\n"
/* a branch on what was loaded from `place`, beside a store to where an atomic says */
#define TAKEN(place)                                                                                                   \
    "atom.shared.add.u32 %r5, [s], 4;\nadd.u32 %r6, %r3, %r5;\nst.shared.u32 [%r6], %r1;\nbar.sync 0;\n"               \
    "ld.shared.u32 %r7, [" place "];\nsetp.eq.s32 %p1, %r7, 7;\n@%p1 bra A;\nst.global.u32 [%rd3], %r1;\nA: "
/* a block's word that says whether its work is done, stored where `who` is 0 */
#define RACED(who)                                                                                                     \
    "mov.u32 %r7, %ctaid.x;\nmul.wide.u32 %rd5, %r7, 4;\nadd.s64 %rd6, %rd1, %rd5;\nld.global.u32 %r5, [%rd6];\n"      \
    "setp.eq.s32 %p1, %r5, 7;\n@%p1 bra A;\nst.global.u32 [%rd3], %r1;\nA: setp.ne.s32 %p2, " who ", 0;\n"             \
    "@%p2 bra B;\nst.global.u32 [%rd6], 7;\nB: "
/* four stores behind one that shows how their base is aligned; what is computed before that block, and in it */
#define PROVEN(before, within)                                                                                         \
    before "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra A;\nret;\nA: " within                                                   \
           "st.global.v4.f32 [%rd7], {%f1, %f2, %f3, %f4};\nst.global.f32 [%rd7+160], %f1;\n"                          \
           "st.global.f32 [%rd7+164], %f2;\nst.global.f32 [%rd7+168], %f3;\nst.global.f32 [%rd7+172], %f4;\n"
/* two halves, which need hold no more */
#define HALVES(first, second)                                                                                          \
    "ld.global.u16 %h1, [" first "];\nld.global.u16 %h2, [" second "];\nmul.lo.s16 %h3, %h1, %h2;\n"                   \
    "st.global.u16 [%rd1], %h3;\n"
#define OF_VARIABLE "mul.wide.u32 %rd5, %r1, 16;\nmov.u64 %rd6, g16;\nadd.s64 %rd7, %rd6, %rd5;\n"
/* four halves, what reads them, and two words behind them */
#define SMALL(reads)                                                                                                   \
    "ld.global.v4.u16 {%h0, %h1, %h2, %h3}, [%rd3];\n" reads                                                           \
    "st.global.f32 [%rd3+16], %f1;\nst.global.f32 [%rd3+20], %f2;\n"
/* a loop that goes on by a step that was computed before */
#define STEPS(step)                                                                                                    \
    "mov.u32 %r5, %ntid.x;\n" step "mov.u64 %rd8, %rd3;\nL: add.s64 %rd7, %rd8, %rd5;\n"                               \
    "st.global.v4.f32 [%rd7], {%f1, %f2, %f3, %f4};\nadd.s64 %rd9, %rd7, %rd5;\nst.global.f32 [%rd9], %f1;\n"          \
    "st.global.f32 [%rd9+4], %f2;\nst.global.f32 [%rd9+8], %f3;\nst.global.f32 [%rd9+12], %f4;\n"                      \
    "mov.u64 %rd8, %rd9;\nsetp.lt.u64 %p1, %rd8, %rd2;\n@%p1 bra L;\n"
/* stores at an address that is computed again in an inner loop, or in the outer one, as a product of an extended register */
#define RECOMPUTED(wide, extend, inner, outer)                                                                         \
    "mul.wide." wide " %rd5, %r1, 48;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.v2.u32 [%rd6], {%r1, %r2};\n"              \
    "mov.u32 %r8, 0;\nM: mov.u32 %r6, 0;\nL: " inner extend " %rd7, %r1;\nmul.lo.s64 %rd8, %rd7, 48;\n"                \
    "add.s64 %rd9, %rd1, %rd8;\nld.global.u32 %r5, [%rd9+4];\n" outer "st.global.u32 [%rd6], %r5;\n"                   \
    "st.global.u32 [%rd6+4], %r2;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p3, %r8, %r2;\n@%p3 bra M;\n"
#define ROUND_OF_L "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, %r2;\n@%p2 bra L;\n"
#define LOCAL_PAIR(second) "mov.u64 %rd5, l;\nst.local.u32 [%rd5], %r1;\nst.local.u32 [%rd5+" second "], %r2;\n"
/* words of a local array, one of them behind a branch */
#define LOCAL_BEHIND(between)                                                                                          \
    "mov.u64 %rd5, l;\nadd.s64 %rd6, %rd5, 4;\nadd.s64 %rd7, %rd5, %rd2;\nld.local.u32 %r5, [%rd6];\n" between         \
    "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra A;\nld.local.u32 %r6, [%rd5];\nst.global.u32 [%rd1], %r6;\nA: "
/* a load in each round of a counted loop */
#define LOCAL_IN_LOOP(head) LOCAL_IN_LOOP_AT("L", head)
#define LOCAL_IN_LOOP_AT(label, head)                                                                                  \
    "mov.u64 %rd5, l;\nmov.u32 %r6, 0;\n" label ": " head "mul.wide.u32 %rd6, %r6, 4;\nadd.s64 %rd7, %rd5, %rd6;\n"    \
    "ld.local.u32 %r5, [%rd7];\nst.global.u32 [%rd3], %r5;\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, 16;\n"         \
    "@%p1 bra " label ";\n"
/* two loads in each round of a loop that goes on by 8 bytes */
#define PAIRS_IN_LOOP(second)                                                                                          \
    "mov.u32 %r6, 0;\nL: ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r7, [%r4+" second                                   \
    "];\nst.global.u32 [%rd3], %r5;\n"                                                                                 \
    "st.global.u32 [%rd3+4], %r7;\nadd.u32 %r4, %r4, 8;\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r1;\n@%p1 bra "  \
    "L;\n"
/* the same, at an address that is computed of how often it went round */
#define COUNTER_IN_LOOP(base, step)                                                                                    \
    "mov.u32 %r6, 0;\nL: shl.b32 %r7, %r6, 2;\nadd.u32 %r8, " base                                                     \
    ", %r7;\nld.shared.u32 %r5, [%r8];\nld.shared.u32 %r10, [%r8+4];\nst.global.u32 [%rd3], %r5;\n"                    \
    "st.global.u32 [%rd3+4], %r10;\nadd.u32 %r6, %r6, " step ";\nsetp.lt.s32 %p1, %r6, 64;\n@%p1 bra L;\n"
/* four neighbours in 8 or 16 bytes, at a multiple of 32 bytes */
#define FOUR(type, r, a, b, c, d)                                                                                      \
    "ld.shared." type " " r "1, [%r8+" a "];\nld.shared." type " " r "2, [%r8+" b "];\n"                               \
    "ld.shared." type " " r "3, [%r8+" c "];\nld.shared." type " " r "0, [%r8+" d "];\n"
#define AT_32 "shl.b32 %r7, %r1, 5;\nadd.u32 %r8, %r3, %r7;\n"
#define BESIDE "ld.shared.u32 %r5, [%r8];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra A;\nst.global.u32 [%rd1], %r1;\nA: "
/* a load of four words, two of which were stored before */
#define STORED_WORDS(before)                                                                                           \
    before "st.global.v2.u32 [%rd3], {%r1, %r2};\nld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3];\n"                    \
           "st.shared.v2.u32 [%r4], {%r5, %r6};\nst.shared.v2.u32 [%r4+64], {%r7, %r8};\n"
#define BASE "add.s64 %rd7, %rd1, %rd2;\n"
/* two ways through the loop L that meet in it, one of them with a way to `out` */
#define INTERPRETER(out)                                                                                               \
    "L: ld.global.u32 %r5, [%rd3];\nsetp.eq.s32 %p1, %r5, 7;\n@%p1 bra A;\nsetp.eq.s32 %p2, %r5, 9;\n"                 \
    "@%p2 bra " out ";\nadd.s64 %rd3, %rd3, 4;\nbra.uni C;\nA: add.s64 %rd3, %rd3, 8;\n"                               \
    "C: setp.ne.s32 %p3, %r5, 1;\n@%p3 bra L;\nB: st.global.u32 [%rd2], %r5;\n"
/* leaves the loop L by two ways, on one of which is `way`, that meet behind it */
#define LADDER(way)                                                                                                    \
    "L: ld.global.u32 %r5, [%rd3];\nsetp.eq.s32 %p1, %r5, 7;\n@%p1 bra A;\nsetp.eq.s32 %p2, %r5, 9;\n"                 \
    "@%p2 bra B;\nadd.s64 %rd3, %rd3, 4;\nbra.uni L;\nA: " way "mov.u32 %r6, 1;\nbra.uni C;\n"                         \
    "B: mov.u32 %r6, 2;\nC: st.global.u32 [%rd1], %r6;\n"
/* INTERPRETER with an empty loop that has no end */
#define INTERPRETER_OR_STOP(out) INTERPRETER(out) "ret;\nS: bra.uni S;\n"
/* a load, `between`, a branch to `to`, and what makes the block behind it too long for a predicate */
#define LOAD(space, between, to)                                                                                       \
    "ld." space ".u32 %r5, [%rd3];\n" between "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra " to ";\n"
#define USE "st.global.u32 [%rd1], %r5;\n"
#define USE_1 "st.global.u32 [%rd2], %r1;\n"
/* what lanes do that do not take a branch, what the others do, and what both do then */
#define WAYS(fall, jump, behind) "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra A;\n" fall "bra.uni Z;\nA: " jump "Z: " behind
#define LOAD_6(space, at) "ld." space ".u32 %r6, [" at "];\nadd.u32 %r5, %r6, 1;\n"
#define LOAD_7(space, at) "ld." space ".u32 %r7, [" at "];\nsub.u32 %r5, %r7, %r1;\n"
#define FOUR_MORE                                                                                                      \
    "st.global.u32 [%rd1+64], %r1;\nst.global.u32 [%rd1+128], %r1;\nst.global.u32 [%rd1+192], %r1;\n"                  \
    "st.global.u32 [%rd1+256], %r1;\n"
#define AGAIN(label)                                                                                                   \
    "mov.u32 %r9, 0;\n" label ": add.u32 %r9, %r9, 1;\nst.global.u32 [%rd2], %r9;\nsetp.lt.s32 %p3, %r9, %r1;\n"       \
    "@%p3 bra " label ";\n"
/* a second condition, and what is computed for it */
#define OR(before) before "setp.gt.s32 %p2, %r5, 9;\n@%p2 bra A;\n"
#define SIX                                                                                                            \
    "mul.lo.s32 %r6, %r5, %r5;\nmul.lo.s32 %r6, %r6, %r5;\nmul.lo.s32 %r6, %r6, %r5;\nmul.lo.s32 %r6, %r6, %r5;\n"     \
    "mul.lo.s32 %r6, %r6, %r5;\nmul.lo.s32 %r5, %r6, %r5;\n"
/* stores before a branch, what one way does, what the other does, and what stands where they meet */
#define MEET(before, way, other, behind)                                                                               \
    before "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra A;\n" other "bra.uni B;\nA: " way "B: " behind
#define ZERO "st.shared.u32 [%r4], %r3;\n"
#define FILL "ld.global.u32 %r5, [%rd3];\nst.shared.u32 [%r4], %r5;\n"
#define ROUND(within)                                                                                                  \
    "L: " within MEET(ZERO, FILL, "", "bar.sync 0;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p2, %r1, 99;\n@%p2 bra L;\n")
/* a load, and a select of its value or another one, which was loaded before */
#define SELECTED(between, other, behind)                                                                               \
    "ld.global.u32 %r6, [%rd3+4];\nld.global.u32 %r5, [%rd3];\n" between "setp.eq.s32 %p1, %r1, 3;\n"                  \
    "selp.b32 %r7, %r5, " other ", %p1;\nst.global.u32 [%rd1], %r7;\n" behind
#define INNER "setp.eq.s32 %p2, %r7, 1;\n@%p2 bra M;\n"
#define NEIGHBOUR "ld.global.u32 %r7, [%rd3+64];\nmul.wide.u32 %rd5, %r7, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
#define ASKED(before, where)                                                                                           \
    before "ld.global.u32 %r8, [" where "];\nsetp.eq.s32 %p2, %r8, 1;\n@%p2 st.global.u32 [%rd3+8], %r6;\n"
#define COUNTED(head, bound)                                                                                           \
    "mov.u32 %r6, 0;\nL: " head "ld.global.u32 %r5, [%rd3];\nst.global.u32 [%rd3+4], %r5;\nadd.s32 %r6, %r6, 1;\n"     \
    "setp.lt.s32 %p1, %r6, " bound ";\n@%p1 bra L;\n"

/* What a rule that keeps a row exact makes of a kernel's memory micro-operations. */
typedef enum effect {
    MARKED,
    MARKED_IF_PARTED,
    IS_REDUCTION,
    IS_ADD_1,
    IS_ONE_LANE,
    IS_MERGED,
    IS_NARROWED,
    IS_HALVED,
    IS_APART,
    IS_OF_ROUNDS, /* joined with those of the next rounds */
    IS_QUAD,      /* joined with others to 16 bytes */
    IS_GONE,
    IS_MOVED,
    IS_GUARDED,
    IS_IN_PIECES
} effect;

typedef struct plan_case {
    enum plan_rule rule;
    effect effect;
    const char *hit, *miss; /* bodies; miss: as like as can be, without the effect */
    const char
        *directive; /* of the kernel of hit; or what the machine code beside both says: bytes of their stack, loads from
                       there, 1: it was linked; "=": just what the plan says,
                       "=6": and six loads and stores more */
} plan_case;

static const plan_case cases[] = {
    {PLAN_DEAD_ATOMIC, IS_REDUCTION, "atom.global.max.u32 %r5, [%rd3], %r1;\n",
     "atom.global.max.u32 %r5, [%rd3], %r1;\nst.global.u32 [%rd3], %r5;\n", NULL},
    {PLAN_DEAD_ATOMIC, IS_REDUCTION,
     "atom.global.add.u32 %r5, [%rd3], %r1;\nadd.u32 %r6, %r5, 1;\nshfl.sync.idx.b32 %r7|%p2, %r6, 0, 31, -1;\n",
     "atom.global.add.u32 %r5, [%rd3], %r1;\nshfl.sync.idx.b32 %r7|%p2, %r5, 0, 31, -1;\nst.global.u32 [%rd3], %r7;\n",
     NULL},
    {PLAN_DEAD_ATOMIC, IS_REDUCTION, "atom.global.add.noftz.f16x2 %r5, [%rd3], %r1;\n",
     "atom.add.noftz.f16x2 %r5, [%rd3], %r1;\n", NULL},
    /* of what is to be linked: none */
    {PLAN_DEAD_ATOMIC, IS_REDUCTION, "red.global.add.u32 [%rd3], %r1;\n", "atom.global.add.u32 %r5, [%rd3], %r1;\n",
     "0 0 1"},
    {PLAN_DEAD_ATOMIC, IS_REDUCTION, "atom.global.add.u32 %r5, [%rd3], %r1;\nfence.proxy.async;\n",
     "atom.global.add.u32 %r5, [%rd3], %r1;\nmembar.gl;\n", NULL},
    {PLAN_DEAD_ATOMIC, IS_REDUCTION, "atom.global.add.u32 %r5, [%rd3], %r1;\nbar.sync 0;\n",
     "fence.acq_rel.cta;\natom.global.add.u32 %r5, [%rd3], %r1;\n", NULL},
    {PLAN_DEAD_ATOMIC, IS_REDUCTION, "red.global.add.u32 [%rd3], %r1;\n", "red.add.u32 [%rd3], %r1;\n", NULL},
    {PLAN_HALF_CAS_LOOP, MARKED, "mov.b16 %h1, 0;\natom.global.add.noftz.f16 %h2, [%rd3], %h1;\n",
     "atom.global.add.noftz.f16x2 %r5, [%rd3], %r1;\n", NULL},
    {PLAN_LOOP_PATHS, MARKED_IF_PARTED, INTERPRETER("B"), INTERPRETER("C"), NULL},
    {PLAN_LOOP_PATHS, MARKED_IF_PARTED, INTERPRETER_OR_STOP("B"), INTERPRETER_OR_STOP("S"), NULL},
    {PLAN_ADD_ONE, IS_ADD_1, "atom.shared.add.u32 %r5, [%r4], 1;\n", "atom.shared.add.u32 %r5, [%r4], 2;\n", NULL},
    {PLAN_UNIFORM_ATOMIC, IS_ONE_LANE, "atom.global.add.u32 %r5, [%rd1], 1;\n", "atom.global.add.u32 %r5, [%rd3], 1;\n",
     NULL},
    {PLAN_UNIFORM_PERHAPS, MARKED,
     "mov.u32 %r6, %ctaid.x;\nsetp.eq.s32 %p1, %r6, 99;\nmov.u64 %rd5, %rd1;\n@%p1 add.s64 %rd5, %rd1, 8;\n"
     "atom.global.add.u32 %r5, [%rd5], 1;\n",
     "atom.global.add.u32 %r5, [%rd1], 1;\n", NULL},
    /* what the assembler knows of low bits (machine code of ptxas 13.0) */
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT("mul.wide.u16 %r9, %h1, 8;\n"), PAIR_AT("mul.wide.u16 %r9, %h1, 4;\n"),
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT(MULTIPLE "cvt.u32.u16 %r9, %h2;\n"),
     PAIR_AT(MULTIPLE "sub.s16 %h3, 1024, %h2;\ncvt.u32.u16 %r9, %h3;\n"), NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT("and.b16 %h2, %h1, -8;\ncvt.s32.s16 %r9, %h2;\n"),
     PAIR_AT("and.b16 %h2, %h1, -4;\ncvt.s32.s16 %r9, %h2;\n"), NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT(MULTIPLE "mad.lo.s16 %h3, %h1, 8, %h2;\ncvt.u32.u16 %r9, %h3;\n"),
     PAIR_AT(MULTIPLE "mad.lo.s16 %h3, %h1, 4, %h2;\ncvt.u32.u16 %r9, %h3;\n"), NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT(MULTIPLE "or.b16 %h3, %h2, 512;\nmul.wide.s16 %r9, %h3, 1;\n"),
     PAIR_AT(MULTIPLE "or.b16 %h3, %h2, 4;\nmul.wide.s16 %r9, %h3, 1;\n"), NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT("mad.wide.u32 %rd5, %r1, 8, 64;\ncvt.u32.u64 %r9, %rd5;\n"),
     PAIR_AT("mul.hi.u32 %r9, %r2, %r2;\n"), NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT("neg.s32 %r9, %r2;\n"), PAIR_AT("abs.s32 %r9, %r2;\n"), NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, PAIR_AT("mad24.lo.u32 %r9, %r1, 8, %r2;\n"), PAIR_AT("min.u32 %r9, %r2, 512;\n"),
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, "ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, [%r4+4];\n",
     "ld.shared.u32 %r5, [%r4+4];\nld.shared.u32 %r6, [%r4+8];\n", NULL},
    {PLAN_SHARED_MERGED, IS_MERGED,
     "ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, [%r4+4];\n", /* nor across what is called */
     "ld.shared.u32 %r5, [%r4];\n{\n.param .b32 r;\ncall.uni (r), __cudaCDP2GetLastError, ();\n}\nld.shared.u32 %r6, "
     "[%r4+4];\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, /* of a variable that is linked the assembler knows what its declaration says */
     "ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, [%r4+4];\n",
     "mov.u32 %r7, s4;\nadd.u32 %r8, %r7, %r2;\nld.shared.u32 %r5, [%r8];\nld.shared.u32 %r6, [%r8+4];\n", "0 0 1"},
    {PLAN_SHARED_MERGED, IS_MERGED, "ld.shared.u32 %r5, [s];\nld.shared.u32 %r6, [s+4];\n",
     "ld.shared.u32 %r5, [s4];\nld.shared.u32 %r6, [s4+4];\n", "0 0 1"},
    {PLAN_GLOBAL_MERGED, IS_MERGED,
     "st.global.f32 [%rd3], %f1;\nst.global.f32 [%rd3+4], %f2;\nst.global.f32 [%rd3+8], %f3;\n"
     "st.global.f32 [%rd3+12], %f4;\nst.global.v4.f32 [%rd3+16], {%f1, %f2, %f3, %f4};\n",
     "st.global.f32 [%rd3], %f1;\nst.global.f32 [%rd3+4], %f2;\nst.global.f32 [%rd3+8], %f3;\n"
     "st.global.f32 [%rd3+12], %f4;\nst.global.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};\n",
     NULL},
    {PLAN_GLOBAL_MERGED, IS_MERGED, /* of a variable's address the assembler knows nothing, however it was declared */
     "mul.wide.u32 %rd5, %r1, 16;\nmov.u64 %rd6, g16;\nadd.s64 %rd7, %rd6, %rd5;\nst.global.v2.u64 [%rd7+16], {%rd2, "
     "%rd3};\n"
     "ld.global.u64 %rd8, [%rd7];\nld.global.u64 %rd9, [%rd7+8];\nst.global.u64 [%rd1], %rd8;\nst.global.u64 "
     "[%rd1+64], %rd9;\n",
     "mul.wide.u32 %rd5, %r1, 16;\nmov.u64 %rd6, g16;\nadd.s64 %rd7, %rd6, %rd5;\nld.global.u64 %rd8, [%rd7];\n"
     "ld.global.u64 %rd9, [%rd7+8];\nst.global.u64 [%rd1], %rd8;\nst.global.u64 [%rd1+64], %rd9;\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, /* the same where an access names the variable; not so of shared memory */
     "st.shared.u32 [s+16], %r1;\nst.shared.u32 [s+20], %r2;\n",
     "st.global.u32 [g16+16], %r1;\nst.global.u32 [g16+20], %r2;\n", NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, /* elements of 64 bits and smaller ones stay apart */
     "mul.lo.u32 %r5, %r1, 16;\nadd.u32 %r6, %r3, %r5;\nst.shared.v2.u32 [%r6], {%r1, %r2};\nst.shared.v2.f32 [%r6+8], "
     "{%f1, %f2};\n",
     "mul.lo.u32 %r5, %r1, 16;\nadd.u32 %r6, %r3, %r5;\nst.shared.v2.u32 [%r6], {%r1, %r2};\nst.shared.u64 [%r6+8], "
     "%rd2;\n",
     NULL},
    /* an access before proves it, also for what is computed from the base; not one that may not have been made */
    {PLAN_GLOBAL_MERGED, IS_MERGED,
     "st.global.u64 [%rd3+64], %rd2;\nsetp.eq.s32 %p1, %r1, 3;\n@%p1 bra A;\nbar.sync 0;\nA: st.global.f32 [%rd3], "
     "%f1;\n"
     "st.global.f32 [%rd3+4], %f2;\n",
     "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra A;\nst.global.u64 [%rd3+64], %rd2;\nbar.sync 0;\nA: st.global.f32 [%rd3], "
     "%f1;\n"
     "st.global.f32 [%rd3+4], %f2;\n",
     NULL},
    {PLAN_GLOBAL_MERGED, IS_MERGED,
     "st.global.u64 [%rd3+64], %rd2;\nmul.wide.u32 %rd5, %r1, 24;\nadd.s64 %rd6, %rd3, %rd5;\n"
     "st.global.f32 [%rd6], %f1;\nst.global.f32 [%rd6+4], %f2;\n",
     "st.global.u64 [%rd1+64], %rd2;\nmul.wide.u32 %rd5, %r1, 24;\nadd.s64 %rd6, %rd1, %rd5;\n"
     "st.global.f32 [%rd6], %f1;\nst.global.f32 [%rd6+4], %f2;\n",
     NULL},
    /* the base is computed in the basic block of the access that shows it, or before */
    {PLAN_GLOBAL_MERGED, IS_MERGED, PROVEN("", BASE), PROVEN(BASE, ""), NULL},
    {PLAN_GLOBAL_MERGED, IS_MERGED, PROVEN("", BASE), PROVEN("", BASE "div.rn.f32 %f1, %f2, %f3;\n"), NULL},
    {PLAN_GLOBAL_MERGED, IS_MERGED, STEPS("mul.wide.u32 %rd5, %r5, 16;\n"),
     STEPS("cvt.u64.u32 %rd6, %r5;\nshl.b64 %rd5, %rd6, 4;\n"), NULL},
    {PLAN_HALVES_MERGED, IS_MERGED,
     "ld.shared.u16 %h1, [%r4];\nld.shared.u16 %h2, [%r4+2];\nmul.lo.s16 %h1, %h1, %h2;\nst.global.u16 [%rd1], %h1;\n",
     "ld.shared.u16 %h1, [%r4];\nld.shared.u16 %h2, [%r4+2];\nadd.s16 %h1, %h1, %h2;\nst.global.u16 [%rd1], %h1;\n",
     NULL},
    {PLAN_HALVES_MERGED, IS_MERGED, "ld.shared.u16 %h1, [%r4];\nld.shared.u16 %h2, [%r4+2];\n",
     "ld.shared.u16 %r5, [%r4];\nld.shared.u16 %r6, [%r4+2];\n", NULL},
    {PLAN_HALVES_MERGED, IS_MERGED,
     "ld.shared.u16 %h1, [%r4+2];\nld.shared.u16 %h2, [%r4+4];\nld.shared.u16 %h3, [%r4+6];\n",
     "ld.shared.u16 %h1, [%r4+2];\nld.shared.u16 %h2, [%r4+4];\n", NULL},
    {PLAN_HALVES_MERGED, IS_MERGED, "st.shared.u16 [%r4], %h1;\nst.shared.u16 [%r4+2], %h2;\n",
     "st.shared.u8 [%r4], %h1;\nst.shared.u8 [%r4+1], %h2;\n", NULL},
    /* global ones where another access shows that the address is a multiple of 4: a word, or one that is left of a vector */
    {PLAN_HALVES_MERGED, IS_MERGED, "st.global.u32 [%rd3], %r1;\n" HALVES("%rd3+8", "%rd3+10"),
     "st.global.u16 [%rd3], %h3;\n" HALVES("%rd3+8", "%rd3+10"), NULL},
    {PLAN_HALVES_MERGED, IS_MERGED, "st.global.u32 [%rd3], %r1;\n" HALVES("%rd3+8", "%rd3+10"),
     "st.global.u32 [%rd3], %r1;\n" HALVES("%rd3+10", "%rd3+12"), NULL},
    {PLAN_HALVES_MERGED, IS_MERGED,
     "ld.global.v2.u32 {%r5, %r6}, [%rd3];\n" HALVES("%rd3+8", "%rd3+10") "st.global.u32 [%rd1], %r5;\n",
     "ld.global.u16 %h3, [%rd3];\n" HALVES("%rd3+8", "%rd3+10") "st.global.u32 [%rd1], %r5;\n", NULL},
    {PLAN_HALVES_MERGED, IS_MERGED, /* nor does a variable's address show it */
     OF_VARIABLE "st.global.u32 [%rd7+16], %r1;\n" HALVES("%rd7", "%rd7+2"), OF_VARIABLE HALVES("%rd7", "%rd7+2"),
     NULL},
    {PLAN_HALVES_MERGED, IS_MERGED, "ld.shared.u16 %h1, [s+8];\nld.shared.u16 %h2, [s+10];\n",
     HALVES("g16+8", "g16+10"), NULL},
    /* small elements show what all of them need, if all are read */
    {PLAN_GLOBAL_MERGED, IS_MERGED, SMALL("st.global.v4.u16 [%rd1], {%h0, %h1, %h2, %h3};\n"),
     SMALL("st.global.u16 [%rd1], %h0;\n"), NULL},
    {PLAN_UNREAD_WORDS, IS_NARROWED,
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nst.global.f32 [%rd1], %f3;\nst.global.f32 [%rd1], %f4;\n",
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nst.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1], %f3;\n"
     "st.global.f32 [%rd1], %f4;\n",
     NULL},
    {PLAN_UNREAD_WORDS, IS_NARROWED,
     "add.s64 %rd5, %rd3, 12;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5+-12];\nst.global.f32 [%rd1], %f3;\n"
     "st.global.f32 [%rd1], %f4;\n",
     "add.s64 %rd5, %rd3, 12;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5+-12];\nst.global.f32 [%rd1], %f1;\n"
     "st.global.f32 [%rd1], %f3;\nst.global.f32 [%rd1], %f4;\n",
     NULL},
    {PLAN_LOW_WORD, IS_HALVED, "ld.global.u64 %rd5, [%rd3];\nshl.b64 %rd6, %rd5, 32;\nst.global.u64 [%rd1], %rd6;\n",
     "ld.global.u64 %rd5, [%rd3];\nshl.b64 %rd6, %rd5, 31;\nst.global.u64 [%rd1], %rd6;\n", NULL},
    {PLAN_LOW_WORD, IS_HALVED, "ld.global.u64 %rd5, [%rd3];\nst.global.u32 [%rd1], %rd5;\n",
     "ld.global.u64 %rd5, [%rd3];\nst.global.u32 [%rd1], %rd5;\nst.global.u64 [%rd1], %rd5;\n", NULL},
    /* those who jump leave; a store stands in between */
    {PLAN_MOVED, IS_MOVED,
     LOAD("global", "", "A") USE "A: ", LOAD("global", "st.global.u32 [%rd3], %r1;\n", "A") USE "A: ", NULL},
    {PLAN_MOVED, IS_MOVED, LOAD("global.nc", "st.global.u32 [%rd3], %r1;\nbar.sync 0;\n", "A") USE "A: ",
     LOAD("global", "bar.sync 0;\n", "A") USE "A: ", NULL},
    {PLAN_MOVED, IS_MOVED, LOAD("global", "st.shared.u32 [%r4], %r1;\n", "A") USE "A: ",
     LOAD("volatile.global", "st.shared.u32 [%r4], %r1;\n", "A") USE "A: ", NULL},
    /* both ways meet: long enough for a branch, or executed under a predicate */
    {PLAN_MOVED, IS_MOVED, LOAD("global", "", "A") USE FOUR_MORE FOUR_MORE "A: st.global.u32 [%rd2], %r1;\n",
     LOAD("global", "", "A") USE FOUR_MORE "A: st.global.u32 [%rd2], %r1;\n", NULL},
    {PLAN_MOVED, IS_MOVED, LOAD("global", "", "A") USE FOUR_MORE FOUR_MORE "A: st.global.u32 [%rd2], %r1;\n",
     LOAD("global", "", "A") USE FOUR_MORE FOUR_MORE "A: st.global.u32 [%rd2], %r5;\n", NULL},
    /* two ways, and the value is used on the one that follows in the text, or on the other */
    {PLAN_MOVED, IS_MOVED, LOAD("global", "", "A") USE AGAIN("L") "bra.uni Z;\nA: " AGAIN("M") "Z: ",
     LOAD("global", "", "A") AGAIN("L") "bra.uni Z;\nA: " USE AGAIN("M") "Z: ", NULL},
    /* as well where a jump leads to it */
    {PLAN_MOVED, IS_MOVED, LOAD("global", "", "A") "bra.uni B;\nA: " AGAIN("M") "bra.uni Z;\nB: " USE AGAIN("L") "Z: ",
     LOAD("global", "", "A") "bra.uni B;\nA: " USE AGAIN("M") "bra.uni Z;\nB: " AGAIN("L") "Z: ", NULL},
    /* not into a second condition, unless that is long or those for whom it holds leave */
    {PLAN_MOVED, IS_MOVED,
     LOAD("global", "", "A") OR("") AGAIN("L") "A: ", LOAD("global", "", "A") OR("") AGAIN("L") "A: " AGAIN("M"), NULL},
    {PLAN_MOVED, IS_MOVED, LOAD("global", "", "A") OR(SIX) AGAIN("L") "A: " AGAIN("M"),
     LOAD("global", "", "A") OR("not.b32 %r5, %r5;\n") AGAIN("L") "A: " AGAIN("M"), NULL},
    /* with what reads one register; what stays with its operand */
    {PLAN_MOVED, IS_MOVED, LOAD("global", "and.b32 %r6, %r5, 255;\n", "A") "st.global.u32 [%rd1], %r6;\nA: ",
     LOAD("global", "popc.b32 %r6, %r5;\n", "A") "st.global.u32 [%rd1], %r6;\nA: ", NULL},
    /* with what reads another register, too, that is live behind the branch anyway; %r1 is */
    {PLAN_MOVED, IS_MOVED,
     "mov.u32 %r9, 5;\nadd.u32 %r9, %r9, %r1;\n" LOAD("global", "mul.lo.u32 %r6, %r5, %r9;\n",
                                                      "A") "st.global.u32 [%rd1], %r6;\n"
                                                           "st.global.u32 [%rd1], %r9;\nA: ",
     "mov.u32 %r9, 5;\nadd.u32 %r9, %r9, %r1;\n" LOAD("global", "mul.lo.u32 %r6, %r5, %r9;\n",
                                                      "A") "st.global.u32 [%rd1], %r6;\nA: ",
     NULL},
    /* and where the loaded value itself is live there, too */
    {PLAN_MOVED, IS_MOVED,
     "mov.u32 %r9, 5;\nadd.u32 %r9, %r9, %r1;\n" LOAD(
         "global", "mul.lo.u32 %r6, %r5, %r9;\n",
         "A") "st.global.u32 [%rd1], %r6;\nst.global.u32 [%rd1], %r9;\nst.global.u32 [%rd1], %r5;\nA: ",
     "mov.u32 %r9, 5;\nadd.u32 %r9, %r9, %r1;\n" LOAD(
         "global", "mul.lo.u32 %r6, %r5, %r9;\n", "A") "st.global.u32 [%rd1], %r6;\nst.global.u32 [%rd1], %r5;\nA: ",
     NULL},
    /* on the way into a loop, which has one or two */
    {PLAN_MOVED, IS_MOVED,
     "mov.u32 %r9, 0;\n" LOAD("global", "", "A") "L: st.global.u32 [%rd2], %r5;\nadd.u32 %r9, %r9, 1;\n"
                                                 "setp.lt.s32 %p3, %r9, %r1;\n@%p3 bra L;\nA: ",
     "mov.u32 %r9, 0;\nsetp.eq.s32 %p4, %r1, 9;\n@%p4 bra L;\n" LOAD(
         "global", "",
         "A") "L: st.global.u32 [%rd2], %r5;\nadd.u32 %r9, %r9, 1;\nsetp.lt.s32 %p3, %r9, %r1;\n@%p3 bra L;\nA: ",
     NULL},
    /* across a short block under a predicate; across one that writes */
    {PLAN_MOVED, IS_MOVED,
     LOAD("global", "", "B") "add.u32 %r9, %r1, 7;\nB: setp.eq.s32 %p2, %r1, 4;\n@%p2 bra A;\n" USE "A: ",
     LOAD("global", "", "B") "st.global.u32 [%rd2], %r1;\nB: setp.eq.s32 %p2, %r1, 4;\n@%p2 bra A;\n" USE "A: ", NULL},
    /* a loop begins with it */
    {PLAN_MOVED, IS_MOVED,
     LOAD("global", "mov.u32 %r9, 0;\n",
          "A") "L: add.u32 %r5, %r5, 3;\nst.global.u32 [%rd2], %r5;\nadd.u32 %r9, %r9, 1;\n"
               "setp.lt.s32 %p3, %r9, %r1;\n@%p3 bra L;\nA: ",
     LOAD("global", "mov.u32 %r9, 0;\n",
          "A") "L: add.u32 %r5, %r5, 3;\nst.global.u32 [%rd2], %r5;\nadd.u32 %r9, %r9, 1;\n"
               "setp.lt.s32 %p3, %r9, %r1;\n@%p3 bra L;\nA: st.global.u32 [%rd1], %r5;\n",
     NULL},
    /* the address changes on the way */
    {PLAN_MOVED, IS_MOVED, LOAD("global", "add.s64 %rd2, %rd2, 4;\n", "A") USE "A: ",
     LOAD("global", "add.s64 %rd3, %rd3, 4;\n", "A") USE "A: ", NULL},
    /* one register for another, as the load needs none for its address */
    {PLAN_MOVED_PERHAPS, MARKED,
     "mov.u32 %r9, 5;\nadd.u32 %r9, %r9, %r1;\nsetp.eq.s32 %p1, %r1, 3;\nld.shared.u32 %r5, [s];\n"
     "mul.lo.u32 %r6, %r5, %r9;\n@%p1 bra A;\nst.global.u32 [%rd1], %r6;\nA: ",
     "mov.u32 %r9, 5;\nadd.u32 %r9, %r9, %r1;\nsetp.eq.s32 %p1, %r1, 3;\nld.shared.u32 %r5, [%r4];\n"
     "mul.lo.u32 %r6, %r5, %r9;\n@%p1 bra A;\nst.global.u32 [%rd1], %r6;\nA: ",
     NULL},
    /* sums behind the branch take the product in */
    {PLAN_MOVED_PERHAPS, MARKED,
     "setp.eq.s32 %p1, %r1, 3;\nld.shared.f32 %f1, [%r4];\nld.param.f32 %f2, [p];\nmul.f32 %f3, %f1, %f2;\n@%p1 bra "
     "A;\n"
     "add.f32 %f4, %f3, %f5;\nst.global.f32 [%rd1], %f4;\nA: ",
     "setp.eq.s32 %p1, %r1, 3;\nld.shared.f32 %f1, [%r4];\nld.param.f32 %f2, [p];\nmul.rn.f32 %f3, %f1, %f2;\n@%p1 bra "
     "A;\n"
     "add.f32 %f4, %f3, %f5;\nst.global.f32 [%rd1], %f4;\nA: ",
     NULL},
    /* the same in each round; a store stands in the loop, which does not matter to what nobody writes */
    /* ways that load from global memory are longer under a predicate; of two ways the one that is branched around */
    {PLAN_MOVED, IS_MOVED, LOAD("global", "", "A") "ld.shared.u32 %r6, [%r4];\n" USE FOUR_MORE FOUR_MORE "A: " USE_1,
     LOAD("global", "", "A") "ld.global.u32 %r6, [%rd3+4];\n" USE FOUR_MORE FOUR_MORE "A: " USE_1, NULL},
    {PLAN_MOVED, IS_MOVED, "ld.global.u32 %r5, [%rd3];\n" WAYS(FOUR_MORE, USE FOUR_MORE FOUR_MORE, USE_1),
     "ld.global.u32 %r5, [%rd3];\n" WAYS(FOUR_MORE FOUR_MORE, USE FOUR_MORE FOUR_MORE, USE_1), NULL},
    {PLAN_LOADED_BEFORE, IS_MOVED, WAYS(LOAD_6("global", "%rd3"), LOAD_7("global", "%rd3"), USE),
     WAYS(LOAD_6("global", "%rd3"), LOAD_7("global", "%rd3+4"), USE), NULL},
    {PLAN_LOADED_BEFORE, IS_MOVED, /* the way that comes first stores nothing there */
     WAYS(LOAD_6("shared", "%r4"), LOAD_7("shared", "%r4") "st.shared.u32 [%r4+8], %r7;\n", USE),
     WAYS(LOAD_6("shared", "%r4") "st.shared.u32 [%r4+8], %r6;\n", LOAD_7("shared", "%r4"), USE), NULL},
    {PLAN_LOADED_BEFORE, IS_MOVED, WAYS(LOAD_6("shared", "%r4"), LOAD_7("shared", "%r4"), USE),
     WAYS(LOAD_6("shared", "%r4"), LOAD_7("shared", "%r4"), ""), NULL}, /* the first ends the thread by itself */
    {PLAN_LOADED_BEFORE, IS_MOVED, WAYS(LOAD_6("shared", "%r4"), LOAD_7("shared", "%r4") FOUR_MORE, USE),
     WAYS(LOAD_6("shared", "%r4"), LOAD_7("shared", "%r4") FOUR_MORE FOUR_MORE, USE), NULL},
    {PLAN_LOADED_BEFORE, IS_MOVED,
     WAYS(LOAD_6("global", "%rd3"), LOAD_7("global", "%rd3"), USE), /* its old value is read */
     WAYS(LOAD_6("global", "%rd3"), "ld.global.u32 %r7, [%rd3];\nadd.u32 %r5, %r6, %r7;\n", USE), NULL},
    {PLAN_HOISTED, IS_MOVED, ROUNDS("shared", "[%r4]", "st.global.u32 [%rd2], %r5;\n"),
     ROUNDS("shared", "[%r4]", "st.shared.u32 [%r3], %r5;\n"), NULL},
    {PLAN_HOISTED, IS_MOVED, ROUNDS("global.nc", "[%rd3]", "st.global.u32 [%rd2], %r5;\nbar.sync 0;\n"),
     ROUNDS("global", "[%rd3]", "st.global.u32 [%rd2], %r5;\n"), NULL},
    {PLAN_HOISTED, IS_MOVED, ROUNDS("shared", "[%r4]", "shfl.sync.idx.b32 %r7|%p2, %r5, 0, 31, -1;\n"),
     ROUNDS("shared", "[%r4]", "bar.warp.sync -1;\n"), NULL},
    /* an outer loop, and behind a branch */
    {PLAN_HOISTED, IS_MOVED,
     ROUNDS("shared", "[%r4]", "setp.eq.s32 %p2, %r5, 1;\n@%p2 bra M;\nadd.u32 %r7, %r5, 1;\nM: "),
     ROUNDS("shared", "[%r4]", "M: add.u32 %r7, %r7, %r5;\nsetp.lt.s32 %p2, %r7, 9;\n@%p2 bra M;\n"), NULL},
    {PLAN_HOISTED, IS_MOVED, ROUNDS("shared", "[%r4]", "div.s32 %r7, %r6, %r1;\n"),
     "mov.u32 %r6, 0;\nL: div.s32 %r7, %r6, %r1;\nld.shared.u32 %r5, [%r4];\nadd.s32 %r6, %r6, %r1;\n"
     "setp.lt.s32 %p1, %r6, 99;\n@%p1 bra L;\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, "ld.shared.u32 %r5, [%r4];\nrem.s32 %r7, %r5, %r1;\nld.shared.u32 %r6, [%r4+4];\n",
     "st.shared.u32 [%r4], %r1;\nrem.s32 %r7, %r1, %r2;\nst.shared.u32 [%r4+4], %r7;\n", NULL},
    {PLAN_HOISTED, IS_MOVED, ROUNDS("shared", "[%r4]", ""), ROUNDS("shared", "[%r6]", ""), NULL},
    /* of a difference of two registers the assembler knows no alignment (bitsandbytes gemm_4bit_sm80) */
    {PLAN_SHARED_MERGED, IS_MERGED, "sub.u32 %r8, %r4, 64;\nst.shared.u32 [%r8], %r1;\nst.shared.u32 [%r8+4], %r2;\n",
     "sub.u32 %r8, %r4, %r2;\nst.shared.u32 [%r8], %r1;\nst.shared.u32 [%r8+4], %r2;\n", NULL},
    {PLAN_HOISTED_PERHAPS, MARKED,
     "mov.u32 %r6, 0;\nL: ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd3], %r5;\nadd.s32 %r6, %r6, 1;\n"
     "setp.lt.s32 %p1, %r6, %r1;\n@%p1 bra L;\n",
     ROUNDS("shared", "[%r4]", ""), NULL},
    {PLAN_LOW_WORD, IS_HALVED,
     "ld.global.u64 %rd5, [%rd3];\nadd.s64 %rd6, %rd5, %rd2;\ncvt.u32.u64 %r6, %rd6;\nst.global.u32 [%rd1], %r6;\n",
     "ld.global.u64 %rd5, [%rd3];\nshr.u64 %rd6, %rd5, 3;\ncvt.u32.u64 %r6, %rd6;\nst.global.u32 [%rd1], %r6;\n", NULL},
    {PLAN_LOW_WORD, IS_HALVED, "ld.global.u64 %rd5, [%rd3];\nmov.b64 {%r6, %r7}, %rd5;\nst.global.u32 [%rd1], %r7;\n",
     "ld.global.u64 %rd5, [%rd3];\nmov.b64 {%r6, %r7}, %rd5;\nst.global.u32 [%rd1], %r7;\nst.global.u32 [%rd1], %r6;\n",
     NULL},
    {PLAN_WORDS_APART, IS_APART,
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nst.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1], %f3;\n",
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nst.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1], %f2;\n", NULL},
    {PLAN_GLOBAL_MERGED,
     IS_MERGED, /* words apart do not prove an alignment by which others are joined (HeCBench nms) */
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nld.global.f32 %f5, [%rd3+32];\nld.global.f32 %f6, [%rd3+36];\n"
     "st.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1+64], %f2;\n",
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nld.global.f32 %f5, [%rd3+32];\nld.global.f32 %f6, [%rd3+36];\n"
     "st.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1+64], %f3;\n",
     NULL},
    {PLAN_WORDS_APART, IS_APART, /* a word between them that is loaded again is loaded with them */
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nst.shared.f32 [%r4], %f1;\nst.shared.f32 [%r4+64], %f3;\n"
     "ld.global.f32 %f5, [%rd3+16];\nst.shared.f32 [%r4+128], %f5;\n",
     "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd3];\nst.shared.f32 [%r4], %f1;\nst.shared.f32 [%r4+64], %f3;\n"
     "ld.global.f32 %f5, [%rd3+4];\nst.shared.f32 [%r4+128], %f5;\n",
     NULL},
    /* an address that an inner loop computes again (curand_init) */
    {PLAN_GLOBAL_MERGED, IS_MERGED, RECOMPUTED("u32", "cvt.s64.s32", "", ROUND_OF_L),
     RECOMPUTED("u32", "cvt.u64.u32", "", ROUND_OF_L), NULL},
    {PLAN_GLOBAL_MERGED, IS_MERGED, RECOMPUTED("u32", "cvt.u64.u32", ROUND_OF_L, ""),
     RECOMPUTED("u32", "cvt.u64.u32", "", ROUND_OF_L), NULL},
    {PLAN_LOADED_ONCE, IS_MERGED,
     "ld.global.u32 %r5, [%rd3];\nst.shared.u32 [%r4], %r5;\nld.global.u32 %r6, [%rd3];\nst.global.u32 [%rd1], %r6;\n",
     "ld.global.u32 %r5, [%rd3];\nbar.warp.sync -1;\nld.global.u32 %r6, [%rd3];\nst.global.u32 [%rd1], %r6;\n", NULL},
    {PLAN_LOADED_ONCE, IS_MERGED, /* words of vectors, but not a word of a 64-bit value */
     "st.global.v2.u32 [%rd3], {%r1, %r2};\nld.global.u32 %r5, [%rd3+4];\nst.global.u32 [%rd1], %r5;\n",
     "st.global.u64 [%rd3], %rd2;\nld.global.u32 %r5, [%rd3+4];\nst.global.u32 [%rd1], %r5;\n", NULL},
    {PLAN_LOADED_ONCE, IS_MERGED, /* of a vector only what is used must be there */
     "ld.global.u32 %r5, [%rd3+4];\nld.global.v2.u32 {%r6, %r7}, [%rd3];\nadd.u32 %r5, %r5, %r7;\nst.global.u32 "
     "[%rd1], "
     "%r5;\n",
     "ld.global.u32 %r5, [%rd3+4];\nld.global.v2.u32 {%r6, %r7}, [%rd3+8];\nadd.u32 %r5, %r5, %r7;\nst.global.u32 "
     "[%rd1], "
     "%r5;\n",
     NULL},
    /* the words that the last store gave are not loaded, if loads of another width show that to the assembler */
    /* of halves the word that holds one that is read */
    {PLAN_UNREAD_WORDS, IS_HALVED, SMALL("st.global.u16 [%rd1], %h0;\nst.global.u16 [%rd1], %h1;\n"),
     SMALL("st.global.u16 [%rd1], %h1;\nst.global.u16 [%rd1], %h2;\n"), NULL},
    {PLAN_UNREAD_WORDS, IS_NARROWED, STORED_WORDS("ld.global.u32 %r9, [%rd3+32];\n"),
     STORED_WORDS("ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd3+32];\n"), NULL},
    {PLAN_OVERWRITTEN, IS_MERGED,
     "st.shared.u32 [%r4], %r1;\nld.shared.u32 %r5, [%r4];\nxor.b32 %r6, %r5, 9;\nst.shared.u32 [%r4], %r6;\n",
     "st.volatile.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4], %r2;\n", NULL},
    {PLAN_OVERWRITTEN, IS_MERGED, "st.global.u32 [%rd3], %r1;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd3], %r5;\n",
     "st.global.u32 [%rd3], %r1;\nld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd3], %r5;\n", NULL},
    {PLAN_OVERWRITTEN, IS_MERGED, "st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4], %r2;\n",
     "setp.eq.s32 %p1, %r2, 9;\nst.shared.u32 [%r4], %r1;\n@%p1 st.shared.u32 [%r4], %r2;\n", NULL},
    {PLAN_OVERWRITTEN, IS_MERGED, "st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4], %r2;\n",
     "st.shared.u32 [%r4], %r1;\nbar.sync 0;\nst.shared.u32 [%r4], %r2;\n", NULL},
    {PLAN_MET, IS_MERGED, MEET(ZERO, FILL, "", "bar.sync 0;\n"),
     ZERO "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra B;\n" FILL "B: bar.sync 0;\n", NULL},
    {PLAN_MET, IS_MERGED, ZERO "setp.eq.s32 %p1, %r1, 3;\n@%p1 bra B;\n" FILL "B: bar.sync 0;\n" AGAIN("L"),
     MEET(ZERO "ld.shared.u32 %r6, [%r4+64];\nst.global.u32 [%rd2], %r6;\n", FILL, "", "bar.sync 0;\n"), NULL},
    {PLAN_MET, IS_MERGED, MEET("ld.shared.u32 %r6, [%r4+64];\n" ZERO, FILL, "", "st.global.u32 [%rd2], %r6;\n"),
     MEET(ZERO, "ld.shared.u32 %r5, [%r4+64];\nst.shared.u32 [%r4], %r5;\n", "", "bar.sync 0;\n"), NULL},
    {PLAN_MET, IS_MERGED, MEET("st.shared.u32 [%r4+64], %r3;\nbar.sync 0;\n" ZERO, FILL, "", ""),
     MEET("st.shared.u32 [%r4+64], %r3;\n" ZERO, FILL, "", ""), NULL},
    {PLAN_MET, IS_MERGED, MEET(ZERO "st.shared.u32 [%r4+64], %r3;\n", FILL "st.shared.u32 [%r4+64], %r5;\n", "", ""),
     MEET(ZERO, FILL "st.shared.u32 [%r4+64], %r5;\n", "", ""), NULL},
    {PLAN_MET, IS_MERGED, MEET(ZERO, FILL, "st.global.u32 [%rd1], %r1;\n", ""),
     MEET(ZERO, FILL, "st.shared.u32 [%r4+64], %r1;\n", ""), NULL},
    {PLAN_MET, IS_MERGED, MEET(ZERO, FILL, "", "st.shared.u32 [%r4+64], %r1;\n"),
     MEET(ZERO, FILL "bar.warp.sync -1;\n", "", ""), NULL},
    {PLAN_MET, IS_MERGED, MEET("st.global.u32 [%rd3], %r3;\n", "st.global.u32 [%rd3], %r1;\n", "", ""),
     MEET("st.global.u32 [%rd3], %r3;\n", "ld.global.u32 %r5, [%rd3];\nst.global.u32 [%rd3], %r5;\n", "", ""), NULL},
    {PLAN_MET, IS_MERGED, MEET("st.global.u32 [%rd3], %r3;\n" ZERO, "st.shared.u32 [%r4], %r1;\n", "", ""),
     MEET("st.global.u32 [%rd3+4], %r3;\n" ZERO, FILL, "", ""), NULL},
    {PLAN_MET, IS_MERGED, ROUND(""), ROUND("shl.b32 %r2, %r1, 2;\nadd.u32 %r4, %r3, %r2;\n"), NULL},
    {PLAN_LOADED_ONCE, IS_MERGED, "ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\nld.shared.u32 %r6, [%r4];\n",
     "ld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r4+128], %r5;\nld.shared.u32 %r6, [%r4];\n", NULL},
    {PLAN_LOADED_ONCE, IS_MERGED,
     "st.global.u32 [%rd3], %r1;\nld.global.u32 %r6, [%rd3];\nst.global.u32 [%rd1], %r6;\n",
     "st.global.u32 [%rd3], %r1;\nst.global.u32 [%rd1], %r1;\nld.global.u32 %r6, [%rd3];\nst.global.u32 [%rd1], %r6;\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED,
     "shl.b32 %r7, %r1, 4;\nadd.u32 %r8, %r3, %r7;\nld.shared.u32 %r5, [%r8+4];\nld.shared.u32 %r6, [%r8+8];\n"
     "ld.shared.u32 %r9, [%r8+12];\n",
     "shl.b32 %r7, %r1, 4;\nadd.u32 %r8, %r3, %r7;\nld.shared.u32 %r5, [%r8+4];\nld.shared.u32 %r6, [%r8+8];\n", NULL},
    /* by two registers that hold the same (HeCBench moe); another register could be anywhere */
    {PLAN_SHARED_MERGED, IS_MERGED,
     "add.u32 %r5, %r4, 8;\nst.shared.u32 [%r5], %r1;\nadd.u32 %r6, %r4, 8;\nst.shared.u32 [%r6+4], %r1;\n",
     "add.u32 %r5, %r4, 8;\nst.shared.u32 [%r5], %r1;\nadd.u32 %r6, %r4, %r1;\nst.shared.u32 [%r6+4], %r1;\n", NULL},
    {PLAN_SHARED_TWICE, MARKED, "st.shared.v2.u32 [%r4], {%r1, %r2};\nst.shared.u32 [%r4+4], %r1;\n",
     "ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r6, [%r4+4];\nld.shared.v2.u32 {%r7, %r8}, [%r4];\n"
     "st.global.u32 [%rd1], %r7;\nst.global.u32 [%rd1+4], %r8;\n",
     NULL},
    /* a vector that holds words which were loaded before it */
    {PLAN_SHARED_MERGED, IS_QUAD,
     "ld.shared.u32 %r5, [s+24];\nld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [s+16];\nst.global.v4.u32 [%rd1], {%r6, %r7, "
     "%r8, %r9};\n",
     "ld.shared.u32 %r5, [s+32];\nld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [s+16];\nst.global.v4.u32 [%rd1], {%r6, %r7, "
     "%r8, %r9};\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED, /* a word beside two others, and beside a 64-bit value */
     AT_32 BESIDE "ld.shared.v2.u32 {%r9, %r10}, [%r8+8];\nst.global.v2.u32 [%rd2], {%r9, %r10};\n",
     AT_32 BESIDE "ld.shared.u64 %rd5, [%r8+8];\nst.global.u64 [%rd2], %rd5;\n", NULL},
    /* eight halves are two loads */
    {PLAN_SHARED_MERGED, IS_QUAD, AT_32 FOUR("u32", "%r1", "0", "4", "8", "12"),
     AT_32 FOUR("u16", "%h", "0", "2", "4", "6") FOUR("u16", "%h", "8", "10", "12", "14"), NULL},
    /* the first of them is not always executed */
    {PLAN_SHARED_ELSEWHERE, MARKED,
     "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra A;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\nA: ld.shared.u32 "
     "%r6, [%r4+4];\n",
     "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra A;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd1], %r5;\nA: ld.shared.u32 "
     "%r6, [%r4+64];\n",
     NULL},
    /* in another block, with branches, atomics and a way that leaves between; across a barrier, a division, a loop */
    {PLAN_SHARED_MERGED, IS_MERGED,
     "ld.shared.u32 %r5, [%r4];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra A;\nld.shared.u32 %r6, [%r4+4];\nA: ",
     "ld.shared.u32 %r5, [%r4];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra A;\nbar.sync 0;\nld.shared.u32 %r6, [%r4+4];\nA: ",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED,
     "ld.shared.u32 %r5, [%r4];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra A;\nred.global.add.u32 [%rd3], %r5;\n"
     "bra.uni B;\nA: bar.sync 0;\nexit;\nB: ld.shared.u32 %r6, [%r4+4];\n",
     "ld.shared.u32 %r5, [%r4];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra A;\nred.global.add.u32 [%rd3], %r5;\n"
     "bra.uni B;\nA: bar.sync 0;\nB: ld.shared.u32 %r6, [%r4+4];\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED,
     "ld.shared.u32 %r5, [%r4];\natom.global.add.u32 %r7, [%rd3], %r5;\nld.shared.u32 %r6, [%r4+4];\n",
     "ld.shared.u32 %r5, [%r4];\nL: add.u32 %r5, %r5, 1;\nsetp.lt.s32 %p1, %r5, %r1;\n@%p1 bra L;\n"
     "ld.shared.u32 %r6, [%r4+4];\n",
     NULL},
    /* pairs of words, and the fourth word of which three are one load */
    {PLAN_SHARED_MERGED, IS_MERGED,
     "setp.eq.s32 %p1, %r1, 0;\nld.shared.u32 %r5, [s];\nld.shared.u32 %r6, [s+64];\n@%p1 bra A;\n"
     "st.global.u32 [%rd1], %r5;\nA: ld.shared.v2.u32 {%r7, %r8}, [s+8];\nst.global.v2.u32 [%rd2], {%r7, %r8};\n",
     "setp.eq.s32 %p1, %r1, 0;\nld.shared.u32 %r5, [s];\nld.shared.u32 %r6, [s+64];\n@%p1 bra A;\n"
     "st.shared.u32 [%r4], %r5;\nA: ld.shared.v2.u32 {%r7, %r8}, [s+8];\nst.global.v2.u32 [%rd2], {%r7, %r8};\n",
     NULL},
    {PLAN_SHARED_MERGED, IS_MERGED,
     "ld.shared.u32 %r5, [%r4];\nld.shared.u32 %r7, [%r4+128];\nld.shared.u32 %r6, [%r4+4];\n",
     "ld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r4+128], %r5;\nld.shared.u32 %r6, [%r4+4];\n", NULL},
    {PLAN_SHARED_MERGED, IS_MERGED,
     "st.shared.u32 [%r4], %r1;\nst.global.u32 [%rd1], %r1;\nst.shared.u32 [%r4+4], %r1;\n",
     "st.shared.u32 [%r4], %r1;\nst.shared.u32 [%r4+128], %r1;\nst.shared.u32 [%r4+4], %r1;\n", NULL},
    {PLAN_SHARED_CAS_LOOP, MARKED, "atom.shared.max.u64 %rd5, [%r4], %rd6;\n",
     "atom.shared.add.u64 %rd5, [%r4], %rd6;\n", NULL},
    {PLAN_SHARED_CAS_LOOP, MARKED, "atom.shared.add.noftz.f16x2 %r5, [%r4], %r1;\n",
     "atom.shared.add.f32 %f1, [%r4], 0f3F800000;\n", NULL},
    {PLAN_SPIN_LOOP, MARKED, "L: ld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra L;\n",
     "ld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra L;\nL: ", NULL},
    {PLAN_SPIN_LOOP, MARKED,
     "L: ld.volatile.global.u32 %r5, [%rd1];\nbar.sync 0;\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra L;\n",
     "L: ld.volatile.shared.u32 %r5, [%r3];\nbar.sync 0;\nsetp.eq.s32 %p1, %r5, 0;\n@%p1 bra L;\n", NULL},
    {PLAN_ORDER, MARKED,
     "atom.global.add.u32 %r5, [%rd1], %r1;\nmul.wide.u32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd1, %rd5;\n"
     "st.global.u32 [%rd6], %r1;\n",
     "ld.global.u32 %r5, [%rd1];\nmul.wide.u32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r1;\n",
     NULL},
    {PLAN_ORDER, MARKED,
     "atom.global.add.u32 %r5, [%rd1], %r1;\nst.shared.u32 [s+64], %r5;\nbar.sync 0;\nld.shared.u32 %r6, [s+64];\n"
     "mul.wide.u32 %rd5, %r6, 4;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r1;\n",
     "atom.global.add.u32 %r5, [%rd1], %r1;\nst.shared.u32 [s+64], %r5;\nbar.sync 0;\nld.shared.u32 %r6, [s+128];\n"
     "mul.wide.u32 %rd5, %r6, 4;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r1;\n",
     NULL},
    {PLAN_CHASED, MARKED,
     "ld.global.u32 %r5, [%rd3];\nmul.wide.u32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd1, %rd5;\nld.global.u32 %r6, [%rd6];\n"
     "st.global.u32 [%rd3], %r6;\n",
     "ld.global.u32 %r5, [%rd3];\nmul.wide.u32 %rd5, %r5, 4;\nadd.s64 %rd6, %rd1, %rd5;\nst.global.u32 [%rd6], %r5;\n",
     NULL},
    {PLAN_ROUNDS, MARKED,
     "red.global.add.u32 [%rd1], 1;\nmov.u32 %r6, 0;\nL: ld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd3], "
     "%r6;\nadd.u32 %r6, %r6, 1;\n"
     "setp.lt.u32 %p1, %r6, %r5;\n@%p1 bra L;\n",
     "red.shared.add.u32 [%r4], 1;\nmov.u32 %r6, 0;\nL: ld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd3], "
     "%r6;\nadd.u32 %r6, %r6, 1;\n"
     "setp.lt.u32 %p1, %r6, %r5;\n@%p1 bra L;\n",
     NULL},
    /* another thread's atomic, through shared memory, ends the loop; a ticket does for all of them together */
    {PLAN_ROUNDS, MARKED, ENDED_BY("exch.b32"), ENDED_BY("add.u32"), NULL},
    /* data from a stack that atomics keep, not from where each thread puts its own */
    {PLAN_TAKEN, MARKED, TAKEN("%r6"), TAKEN("%r4"), NULL},
    /* all warps of a block load and store one word; one thread of it stores */
    {PLAN_RACED, MARKED_IF_PARTED, RACED("%r7"), RACED("%r1"), NULL},
    {PLAN_LOCAL_PROMOTED, MARKED,
     "mov.u64 %rd5, l;\nand.b64 %rd6, %rd2, 60;\nadd.s64 %rd7, %rd5, %rd6;\nst.local.u32 [%rd7], %r1;\n",
     "st.global.u32 [%rd3], %r1;\n", NULL},
    {PLAN_LOCAL_PROMOTED,
     MARKED, /* functions without arrays need no memory, where the machine code needs as much as the array */
     "st.local.u32 [l], %r1;\ncall with_array;\n", "st.local.u32 [l], %r1;\ncall leaf;\n", "64"},
    {PLAN_LOCAL_MERGED, IS_GONE,
     "mov.u64 %rd5, l;\nand.b64 %rd6, %rd2, 48;\nadd.s64 %rd7, %rd5, %rd6;\nst.local.u32 [%rd7], %r1;\n"
     "st.local.u32 [%rd7+4], %r2;\n",
     "mov.u64 %rd5, l;\nand.b64 %rd6, %rd2, 48;\nadd.s64 %rd7, %rd5, %rd6;\nst.local.u32 [%rd7+4], %r1;\n"
     "st.local.u32 [%rd7+8], %r2;\n",
     "64"},
    {PLAN_LOCAL_MERGED, IS_GONE,
     "mov.u64 %rd5, l;\nand.b64 %rd6, %rd2, 48;\nadd.s64 %rd7, %rd5, %rd6;\nst.local.u32 [%rd7], %r1;\n"
     "atom.global.add.u32 %r5, [%rd3], 1;\nrem.u32 %r6, %r5, %r1;\nst.local.u32 [%rd7+4], %r6;\n",
     "mov.u64 %rd5, l;\nand.b64 %rd6, %rd2, 48;\nadd.s64 %rd7, %rd5, %rd6;\nst.local.u32 [%rd7], %r1;\n"
     "bar.sync 0;\nst.local.u32 [%rd7+4], %r2;\n",
     "64"},
    {PLAN_LOCAL_MERGED, IS_MERGED, LOCAL_BEHIND("st.global.u32 [%rd3], %r5;\n"), LOCAL_BEHIND("bar.sync 0;\n"), "64 1"},
    {PLAN_LOCAL_MERGED, IS_MERGED, LOCAL_BEHIND("st.shared.u32 [%r4], %r5;\n"),
     LOCAL_BEHIND("st.local.u32 [%rd7], %r5;\n"), "64 1"},
    {PLAN_LOCAL_GONE, IS_GONE, "st.local.u32 [l], %r1;\n", "st.global.u32 [%rd3], %r1;\n", "0"},
    {PLAN_LOCAL_MERGED, IS_GONE, LOCAL_PAIR("4"), LOCAL_PAIR("8"), "64"},
    {PLAN_LOCAL_MERGED, IS_GONE, "{\n.param .b64 n;\nst.param.b64 [n], 64;\n}\n" LOCAL_PAIR("4"), LOCAL_PAIR("8"),
     "64"},
    {PLAN_LOCAL_LOADED, MARKED, "ld.local.u32 %r5, [l];\nst.local.u32 [l+32], %r1;\nld.local.u32 %r6, [l+32];\n",
     "ld.local.u32 %r5, [l];\n", "64 1"},
    {PLAN_LOCAL_LOADED, MARKED, "ld.local.u32 %r5, [l];\n", "st.local.u32 [l], %r1;\n", "64"},
    {PLAN_LOCAL_LOADED, MARKED, LOCAL_IN_LOOP(".pragma \"nounroll\";\n"), LOCAL_IN_LOOP(""), "64 7"},
    {PLAN_LOCAL_LOADED, MARKED, "ld.local.u32 %r7, [l];\n" LOCAL_IN_LOOP(""), LOCAL_IN_LOOP(""), "64 7"},
    {PLAN_LOCAL_LOADED, MARKED, LOCAL_IN_LOOP("") LOCAL_IN_LOOP_AT("M", ".pragma \"nounroll\";\n"),
     LOCAL_IN_LOOP("") LOCAL_IN_LOOP_AT("M", ""), "64 14"},
    {PLAN_LANE_LOOP, MARKED_IF_PARTED, COUNTED("", "%r1"), COUNTED("", "9"), NULL},
    {PLAN_LANE_LOOP, MARKED_IF_PARTED, COUNTED("", "%r1"), COUNTED(".pragma \"nounroll\";\n", "%r1"), NULL},
    {PLAN_LANE_LOOP, MARKED_IF_PARTED, COUNTED("", "%r1"), COUNTED("M: ld.global.u32 %r7, [%rd3];\n" INNER, "%r1"),
     NULL},
    {PLAN_PIECES, IS_IN_PIECES, COUNTED("", "%r1"), COUNTED("", "9"), "=6"},
    {PLAN_CHANGED, MARKED_IF_PARTED, COUNTED(ASKED(NEIGHBOUR, "%rd6"), "%r1"), COUNTED(ASKED(NEIGHBOUR, "%rd3"), "%r1"),
     "="},
    {PLAN_UNROLLED, MARKED, COUNTER_IN_LOOP("%r4", "2"), COUNTER_IN_LOOP("%r4", "4"), NULL},
    {PLAN_UNROLLED, MARKED, COUNTER_IN_LOOP("%r4", "2"),
     "shl.b32 %r9, %r1, 2;\nadd.u32 %r9, %r3, %r9;\n" COUNTER_IN_LOOP("%r9", "2"), NULL},
    {PLAN_UNROLLED, MARKED,
     "mov.u32 %r6, 0;\nL: ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd3], %r5;\nadd.u32 %r4, %r4, 4;\n"
     "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r1;\n@%p1 bra L;\n",
     "mov.u32 %r6, 0;\nL: ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd3], %r5;\nadd.u32 %r4, %r4, 128;\n"
     "add.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, %r1;\n@%p1 bra L;\n",
     NULL},
    {PLAN_UNROLLED, MARKED, PAIRS_IN_LOOP("4"), PAIRS_IN_LOOP("32"),
     NULL}, /* a round's last word beside the next one's first */
    {PLAN_ROUNDS_JOINED, IS_OF_ROUNDS, PAIR_IN_LOOP("8"), PAIR_IN_LOOP("16"), "U4"},
    {PLAN_OTHER_WIDTHS, MARKED, EACH("u64", "%rd5"), EACH("u32", "%r5"), "=1"}, /* the machine code has a word more */
    {PLAN_SEVERAL_EXITS, MARKED_IF_PARTED, PROBE("B"), PROBE("A"), NULL},
    {PLAN_SEVERAL_EXITS, MARKED_IF_PARTED, END_FIRST("B"), END_FIRST("T"), NULL},
    {PLAN_SEVERAL_EXITS, MARKED_IF_PARTED, PROBE("B"), PROBE("Z") "Z:\n", NULL},
    {PLAN_SEVERAL_EXITS, MARKED_IF_PARTED, LADDER("st.global.u32 [%rd2], %r5;\n"), LADDER(""), NULL},
    {PLAN_SPILLS, MARKED, "ld.global.u32 %r5, [%rd3];\n", "ld.global.u32 %r5, [%rd3];\n", ".maxnreg 2"},
    {PLAN_CALLS, MARKED,
     "ld.global.u32 %r5, [%rd3];\n{\n.param .b32 q;\nst.param.b32 [q], %r5;\ncall.uni again, (q);\n}\n",
     "ld.global.u32 %r5, [%rd3];\n", NULL},
    {PLAN_LOADED_AGAIN, MARKED, "ld.global.u32 %r5, [%rd3];\nbar.warp.sync -1;\nld.global.u32 %r6, [%rd3];\n",
     "ld.global.u32 %r5, [%rd3];\nst.global.u32 [%rd1], %r5;\nld.global.u32 %r6, [%rd3];\n", NULL},
    {PLAN_DEVICE_RUNTIME, MARKED,
     "ld.global.u32 %r5, [%rd3];\n{\n.param .b32 r;\ncall.uni (r), __cudaCDP2GetLastError, ();\n}\n",
     "ld.global.u32 %r5, [%rd3];\n", NULL},
    /* the operand that is computed last, if the other one's register is free then */
    {PLAN_SELECTED, IS_GUARDED, SELECTED("", "%r6", ""), SELECTED("", "9", ""), NULL},
    {PLAN_SELECTED, IS_GUARDED, SELECTED("", "%r6", ""), SELECTED("", "%r6", "st.global.u32 [%rd1+8], %r6;\n"), NULL},
    {PLAN_SELECTED, IS_GUARDED, SELECTED("", "%r6", ""), SELECTED("", "%r6", "st.global.u32 [%rd1+8], %r5;\n"), NULL},
    {PLAN_SELECTED, IS_GUARDED, SELECTED("st.shared.u32 [%r4], %r1;\n", "%r6", ""),
     SELECTED("st.global.u32 [%rd1+8], %r1;\n", "%r6", ""), NULL},
    {PLAN_SELECTED, IS_GUARDED, SELECTED("", "%r6", ""), SELECTED("mul.lo.s32 %r8, %r1, %r1;\n", "%r8", ""), NULL},
    {PLAN_SELECTED, IS_GUARDED, SELECTED("", "%r6", ""), SELECTED("A: ", "%r6", ""), NULL},
    {PLAN_SELECTED_PERHAPS, MARKED, SELECTED("@%p1 mov.b32 %r6, 9;\n", "%r6", ""), SELECTED("", "%r6", ""), NULL},
    {PLAN_WMMA, MARKED, "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r5}, [%rd3];\n",
     "wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 {%r5, %r6, %r7, %r8}, [%rd3];\n", NULL},
    {PLAN_MULTIMEM, MARKED, "multimem.st.relaxed.sys.global.u32 [%rd3], %r1;\n",
     "st.relaxed.sys.global.u32 [%rd3], %r1;\n", NULL},
};

#endif
