/* test_rounds: loads that the assembler joins with those of the next rounds of a loop: so many are counted as in machine code, of 16
 * bytes each, and all rounds load what they should. */
#include "event_record.h"
#include "fixture.h"

#include "code/code.h"

/* Eight rounds, in each of which the next two words are loaded and added up. */
#define KERNEL                                                                                                         \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"                             \
    ".shared .align 16 .b8 s[256];\n.reg .b32 %r<12>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\nld.param.u64 %rd1, "      \
    "[p];\n"                                                                                                           \
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nshl.b32 %r2, %r1, 2;\n"              \
    "mov.u32 %r4, s;\nadd.u32 %r2, %r4, %r2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\nmov.u32 %r3, 0;\nmov.u32 %r10, " \
    "0;\n"                                                                                                             \
    "L: ld.shared.v2.u32 {%r5, %r6}, [%r4];\nadd.u32 %r10, %r10, %r5;\nadd.u32 %r10, %r10, %r6;\n"                     \
    "add.u32 %r4, %r4, 8;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 8;\n@%p1 bra L;\n"                              \
    "st.global.u32 [%rd3], %r10;\nret;\n}\n"

/* How many loads of so many bytes are counted where the machine code has these. */
static uint32_t loads_of(const char *text, uint32_t of_8, uint32_t of_16, uint32_t bytes)
{
    fixture f;
    record r;
    code_accesses machine = {0};
    machine[CODE_OF_SHARED][CODE_LOADS][3] = of_8;
    machine[CODE_OF_SHARED][CODE_LOADS][4] = of_16;
    machine[CODE_OF_SHARED][CODE_STORES][2] = machine[CODE_OF_GLOBAL][CODE_STORES][2] = 1;
    code_options options = {.stack_known = true, .accesses = &machine};
    if (!load_with(&f, text, "k", &options)) {
        UNIT_FAIL("the kernel does not load");
        unload(&f);
        return 0;
    }
    record_begin(&r);
    static const event_client client = {.name = "recorder",
                                        .kinds = EVENT_BIT(EVENT_COUNTED),
                                        .worker_begin = record_worker_begin,
                                        .memory = record_memory,
                                        .worker_end = record_worker_end};
    event_listener listener = {&client, &r};
    uint64_t out = buffer(&f, 128);
    exec_launch l = launch_of(&f, 1, 32, &out);
    l.listeners = &listener;
    l.listener_count = 1;
    exec_result result;
    uint32_t loads = 0;
    CHECK(exec_run(&l, &result, NULL) == LW_OK && !result.fault.kind);
    CHECK_EQ_INT(*(uint32_t *)mem_storage(out), 15 * 16 / 2); /* 0 to 15 */
    for (size_t k = 0; k < r.accesses.count; k++) {
        const event_memory *e = &r.accesses.items[k].e;
        if (e->space == EVENT_SHARED && e->op == EVENT_LOAD && e->bytes == bytes) loads++;
    }
    exec_result_free(&result);
    record_free(&r);
    unload(&f);
    return loads;
}

UNIT_CASE(loads_of_rounds_are_joined)
{
    CHECK_EQ_INT(loads_of(KERNEL, 1, 0, 8), 8); /* not unrolled */
    CHECK_EQ_INT(loads_of(KERNEL, 0, 4, 8), 0); /* unrolled whole */
    CHECK_EQ_INT(loads_of(KERNEL, 0, 4, 16), 4);
    CHECK_EQ_INT(loads_of(KERNEL, 0, 1, 16), 4); /* by twos */
    CHECK_EQ_INT(loads_of(KERNEL, 1, 4, 8), 8);  /* not all: how, is not known */
}

UNIT_MAIN()
