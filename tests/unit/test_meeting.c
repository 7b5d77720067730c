/* test_meeting: lanes that conditions send to one place meet there before the place where all do, or not, as in machine code. */
#include "fixture.h"

#define BEGIN                                                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n"           \
    ".reg .b64 %rd<9>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"                            \
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r3, 0;\nand.b32 %r2, %r1, 3;\n"
#define END "E: st.global.u64 [%rd1+128], %rd1;\nret;\n}\n"

/* How often a warp executes the store of a word. */
static uint64_t stores_of(const char *text)
{
    fixture f;
    uint64_t stores = 0;
    if (!load(&f, text, "k")) {
        UNIT_FAIL("the kernel does not load");
        unload(&f);
        return 0;
    }
    uint64_t p = buffer(&f, 256);
    exec_launch launch = launch_of(&f, 1, 32, &p);
    exec_result r;
    CHECK(exec_run(&launch, &r, NULL) == LW_OK && !r.fault.kind);
    for (uint32_t s = 0; s < f.kernel->site_count; s++)
        if (!strncmp(f.kernel->sites[s].insn->mnemonic, "st.global.u32", 13)) stores += r.site_inst[s];
    exec_result_free(&r);
    unload(&f);
    return stores;
}

/* `if (a && b) ...; else store;` in two forms, of which the compiler makes one or the other. */
UNIT_CASE(lanes_of_an_else_meet)
{
    CHECK_EQ_INT(stores_of(BEGIN "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nsetp.eq.u32 %p2, %r2, 1;\n@%p2 bra L;\n"
                                 "st.global.u64 [%rd1+136], %rd1;\nbra.uni E;\nL: st.global.u32 [%rd3], %r2;\n" END),
                 1);
    CHECK_EQ_INT(stores_of(BEGIN "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra A;\nbra.uni L;\nA: setp.ne.u32 %p2, %r2, 1;\n"
                                 "@%p2 bra B;\nbra.uni L;\nB: st.global.u64 [%rd1+136], %rd1;\nbra.uni E;\n"
                                 "L: st.global.u32 [%rd3], %r2;\n" END),
                 1);
}

/* The same in a loop with a way out: they do not. */
UNIT_CASE(lanes_of_an_else_in_a_loop_that_is_left_do_not)
{
    CHECK_EQ_INT(stores_of(BEGIN "L: setp.ne.u32 %p1, %r2, 0;\n@%p1 bra A;\nbra.uni B;\nA: setp.ne.u32 %p2, %r2, 1;\n"
                                 "@%p2 bra C;\nbra.uni B;\nB: st.global.u32 [%rd3], %r2;\nC: setp.eq.u32 %p1, %r3, 9;\n"
                                 "@%p1 bra E;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 1;\n@%p2 bra L;\n" END),
                 2);
}

/* `if (a && (b || c)) ...; else store;`: lanes come together at two places across each other, and meet at the longer one. */
#define OR_IN_AND(then, otherwise)                                                                                     \
    BEGIN "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra Y;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra X;\n"                             \
          "setp.eq.u32 %p2, %r2, 2;\n@%p2 bra Y;\nX: st.global.u64 [%rd1+136], %rd1;\n" then                           \
          "bra.uni E;\nY: st.global.u32 [%rd3], %r2;\n" otherwise END

UNIT_CASE(lanes_of_or_in_and_meet_at_the_longer_place)
{
    static const char then_is_longer[] = OR_IN_AND("add.u32 %r4, %r3, 1;\n", "");
    static const char else_is_longer[] = OR_IN_AND("", "add.u32 %r4, %r3, 1;\nadd.u32 %r4, %r4, 1;\n");
    CHECK_EQ_INT(stores_of(then_is_longer), 2);
    CHECK_EQ_INT(stores_of(else_is_longer), 1);
}

/* What stands before a `break` is executed in each round in which lanes come there. */
UNIT_CASE(lanes_that_leave_a_loop_in_different_rounds_do_not)
{
    CHECK_EQ_INT(
        stores_of(BEGIN "L: setp.eq.u32 %p1, %r3, %r2;\n@%p1 bra B;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 8;\n"
                        "@%p2 bra L;\nbra.uni E;\nB: st.global.u32 [%rd3], %r3;\n" END),
        4);
}

UNIT_MAIN()
