/* test_checks_bounds: memcheck of shared variables: accesses that leave the variable that their address derives from, and
 * correct ones that look alike. Kernels have 32 threads. */
#include "check/check.h"
#include "fixture.h"
#include "unit.h"

extern const event_client check_bounds;

/* a lies in front of b; %r2: 4 times the thread's index, %r4: the address of a, %r5 of b */
#define BEGIN                                                                                                          \
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"                        \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<9>;\n"                     \
    ".shared .align 4 .b8 a[128];\n.shared .align 16 .b8 b[120];\n"                                                    \
    "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r4, a;\nmov.u32 %r5, b;\nld.shared.u32 %r6, "                \
    "[b];\nld.shared.u32 %r6, [a];\n"
#define END "ret;\n}\n"

static const struct row {
    const char *name, *found, *text; /* found: what the message has; NULL: nothing is found */
} rows[] = {
    {"inside", NULL, BEGIN "add.s32 %r7, %r4, %r2;\nst.shared.u32 [%r7], %r1;\n" END},
    {"one element too far", "shared write of 4 bytes: just past the end of shared variable a of 128 bytes, inside b",
     BEGIN "add.s32 %r7, %r4, %r2;\nst.shared.u32 [%r7+4], %r1;\n" END},
    {"one before", "shared read of 4 bytes: 4 bytes before shared variable b of 120 bytes, inside a",
     BEGIN "add.s32 %r7, %r2, %r5;\nld.shared.u32 %r8, [%r7+-4];\n" END},
    {"across the end", "across the end of shared variable b",
     BEGIN "mad.lo.s32 %r7, %r1, 0, %r5;\nld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r7+112];\n" END},
    {"an atomic by its name", "just past the end of shared variable a",
     BEGIN "atom.shared.add.u32 %r7, [a+128], 1;\n" END},
    {"a loop's pointer", "past the end of shared variable a",
     BEGIN "mov.u32 %r7, %r4;\nL:\nst.shared.u32 [%r7], %r1;\nadd.s32 %r7, %r7, 4;\nadd.s32 %r8, %r4, 132;\n"
           "setp.lt.u32 %p1, %r7, %r8;\n@%p1 bra L;\n" END},
    {"a generic address", "past the end of shared variable a",
     BEGIN "cvt.u64.u32 %rd1, %r4;\ncvta.shared.u64 %rd2, %rd1;\nst.u32 [%rd2+128], %r1;\n" END},
    {"before the dynamic array", "4 bytes before shared variable dynamic",
     BEGIN "mov.u32 %r7, dynamic;\nst.shared.u32 [%r7+-4], %r1;\n" END},
    {"far into the dynamic array", NULL, BEGIN "mov.u32 %r7, dynamic;\nst.shared.u32 [%r7+200], %r1;\n" END},
    {"one or the other variable", NULL,
     BEGIN "setp.eq.u32 %p1, %r1, 0;\nselp.b32 %r7, %r4, %r5, %p1;\nst.shared.u32 [%r7+128], %r1;\n" END},
    {"by the difference of two", NULL,
     BEGIN "sub.s32 %r7, %r5, %r4;\nadd.s32 %r8, %r4, %r7;\nst.shared.u32 [%r8], %r1;\n" END},
    {"back from outside", NULL,
     BEGIN "add.s32 %r7, %r4, 512;\nsub.s32 %r8, %r7, %r2;\nst.shared.u32 [%r8+-388], %r1;\n" END},
};

typedef struct found {
    uint32_t count;
    char message[512];
} found;

static void keep(void *owner, const event_finding *f)
{
    found *out = owner;
    if (out->count++) return;
    snprintf(out->message, sizeof out->message, "%s", f->message);
    CHECK_STR(f->check, "memcheck");
    CHECK_STR(f->severity, "error");
}

static void run_checked(fixture *f, uint32_t threads, found *out)
{
    const check_options checks = {.set = 1u << CHECK_MEMCHECK};
    const event_session services = {.owner = out, .finding = keep, .checks = &checks};
    uint64_t p = buffer(f, 4096);
    exec_launch l = {.kernel = f->kernel,
                     .grid = {4, 1, 1},
                     .block = {32, 1, 1},
                     .cluster = {1, 1, 1},
                     .dynamic_shared_bytes = 256,
                     .params = (const uint8_t *)&p,
                     .threads = threads,
                     .memory = f->memory,
                     .device = {.cc = 80, .sm_count = 4, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    event_launch shown = {0};
    exec_describe_launch(&l, &shown);
    void *session = check_bounds.session_begin(&services);
    event_listener listener = {&check_bounds, check_bounds.launch_begin(session, &shown)};
    REQUIRE(listener.launch != NULL);
    l.event = &shown;
    l.listeners = &listener;
    l.listener_count = 1;
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    check_bounds.launch_end(session, &shown, listener.launch);
    exec_result_free(&r);
}

UNIT_CASE(accesses_that_leave_their_variable)
{
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        fixture f;
        found out = {0};
        if (!load(&f, rows[k].text, "k")) {
            UNIT_FAIL("%s: %s", rows[k].name, f.error.message);
            continue;
        }
        run_checked(&f, 1 + k % 2, &out);
        if (!rows[k].found && out.count) UNIT_FAIL("%s: %s", rows[k].name, out.message);
        if (rows[k].found && out.count != 1) UNIT_FAIL("%s: %u findings", rows[k].name, out.count);
        if (rows[k].found && out.count) CHECK_HAS(out.message, rows[k].found);
        unload(&f);
    }
}

UNIT_CASE(a_single_variable_is_left_to_execution)
{
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.shared .align 4 .b8 a[128];\n"
                               "ld.shared.u32 %r1, [a];\nret;\n}\n";
    fixture f;
    REQUIRE(load(&f, text, "k"));
    for (uint32_t k = 0; k < f.kernel->site_count; k++) CHECK(f.kernel->event_insns[k].variable == NULL);
    unload(&f);
}

UNIT_MAIN()
