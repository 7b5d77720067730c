/* test_exec_stores: lanes of one store that write the same place: the lowest lane's value stays, as on an H200
 * (tests/hw/schedule/same_word_lanes.cu, h200-schedule.csv), in every space, width and shape, and whether or not a client
 * asks for values. */
#include "fixture.h"
#include "unit.h"

#include <string.h>

/* How lanes write: a mnemonic's end, the registers and how they are filled. */
typedef struct width {
    const char *store;        /* ".v2.u32" */
    const char *move;         /* from a 32-bit register to one of those stored */
    const char *prefix;       /* of the registers stored */
    const char *open, *close; /* around their list */
    uint32_t bytes, vector;   /* of an element; elements */
} width;

/* Where to. */
typedef struct target {
    const char *name, *space, *address;
    bool in_shared;
} target;

/* One store of a warp. Lanes go to places 0, 1 ... (places - 1) in turn, by lane modulo places, 16 bytes apart. */
typedef struct form {
    const width *width;
    const target *target;
    uint32_t places;
    uint32_t first, last; /* lanes that store */
} form;

/* Stores v = lane + 1 + 32 * element; what lies in shared memory is copied to global memory. */
static void write_kernel(const form *f, char *out, size_t size)
{
    const width *w = f->width;
    const target *t = f->target;
    size_t n = (size_t)snprintf(
        out, size,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %%r<40>;\n.reg .b64 %%rd<40>;\n.reg .b16 %%h<40>;\n.reg .pred %%p<4>;\n"
        ".shared .align 16 .b8 s[64];\n"
        "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nrem.u32 %%r2, %%r1, %u;\nshl.b32 %%r2, %%r2, 4;\n"
        "cvt.u64.u32 %%rd2, %%r2;\nadd.u64 %%rd3, %%rd1, %%rd2;\nmov.u32 %%r3, s;\nadd.u32 %%r4, %%r3, %%r2;\n"
        "cvt.u64.u32 %%rd4, %%r4;\ncvta.shared.u64 %%rd5, %%rd4;\n"
        "setp.lt.u32 %%p1, %%r1, %u;\nsetp.gt.or.u32 %%p2, %%r1, %u, %%p1;\n",
        f->places, f->first, f->last);
    for (uint32_t k = 0; k < w->vector; k++)
        n += (size_t)snprintf(out + n, size - n, "add.u32 %%r20, %%r1, %u;\n%s %s%u, %%r20;\n", 1 + 32 * k, w->move,
                              w->prefix, 21 + k);
    n += (size_t)snprintf(out + n, size - n, "@!%%p2 st%s%s [%s], %s", t->space, w->store, t->address, w->open);
    for (uint32_t k = 0; k < w->vector; k++)
        n += (size_t)snprintf(out + n, size - n, "%s%s%u", k ? ", " : "", w->prefix, 21 + k);
    n += (size_t)snprintf(out + n, size - n, "%s;\nbar.warp.sync 0xffffffff;\n", w->close);
    if (t->in_shared)
        n += (size_t)snprintf(out + n, size - n,
                              "ld.shared.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%r4];\n"
                              "st.global.v4.u32 [%%rd3], {%%r5, %%r6, %%r7, %%r8};\n");
    snprintf(out + n, size - n, "ret;\n}\n");
}

static void see(void *state, const event_memory *e)
{
    (void)state;
    (void)e;
}

static const event_client values = {
    .name = "values", .kinds = EVENT_BIT(EVENT_ACCESS), .fields = EVENT_FIELD_VALUES, .memory = see};

static uint32_t lowest_lane(const form *f, uint32_t at)
{
    uint32_t lane = f->first;
    while (lane % f->places != at) lane++;
    return lane;
}

/* The stored element, k-th of place `at`. */
static uint64_t stored(const form *f, const uint8_t *memory, uint32_t at, uint32_t k)
{
    uint64_t v = 0;
    memcpy(&v, memory + 16 * at + k * f->width->bytes, f->width->bytes);
    return v;
}

static void check_form(const form *f, bool watched)
{
    char text[4096];
    fixture x;
    write_kernel(f, text, sizeof text);
    bool loaded = load(&x, text, "k");
    if (!loaded) UNIT_FAIL("%s\n%s", x.error.message, text);
    REQUIRE(loaded);
    uint64_t p = buffer(&x, 64);
    memset(mem_storage(p), 0, 64);
    event_listener listener = {&values, &x};
    exec_launch l = launch_of(&x, 1, 32, &p);
    l.listeners = &listener;
    l.listener_count = watched;
    exec_result r;
    CHECK(exec_run(&l, &r, &x.error) == LW_OK);
    CHECK_STR(r.fault.message, "");
    for (uint32_t at = 0; at < f->places; at++)
        for (uint32_t k = 0; k < f->width->vector; k++) {
            uint64_t want = lowest_lane(f, at) + 1 + 32 * k, got = stored(f, mem_storage(p), at, k);
            if (got != want)
                UNIT_FAIL("%s%s, lanes %u to %u, place %u of %u: lane %lld's value", f->target->name, f->width->store,
                          f->first, f->last, at, f->places, (long long)(got - 1 - 32 * k));
        }
    exec_result_free(&r);
    unload(&x);
}

static const width widths[] = {
    {".u8", "mov.b32", "%r", "", "", 1, 1},       {".u16", "cvt.u16.u32", "%h", "", "", 2, 1},
    {".u32", "mov.b32", "%r", "", "", 4, 1},      {".u64", "cvt.u64.u32", "%rd", "", "", 8, 1},
    {".v4.u8", "mov.b32", "%r", "{", "}", 1, 4},  {".v2.u32", "mov.b32", "%r", "{", "}", 4, 2},
    {".v4.u32", "mov.b32", "%r", "{", "}", 4, 4}, {".v2.u64", "cvt.u64.u32", "%rd", "{", "}", 8, 2},
};

static const target targets[] = {{"global", ".global", "%rd3", false},
                                 {"shared", ".shared", "%r4", true},
                                 {"generic to global", "", "%rd3", false},
                                 {"generic to shared", "", "%rd5", true}};

static void check_lanes(const width *w, const target *t, uint32_t first, uint32_t last)
{
    for (uint32_t places = 1; places <= 3; places++) {
        form f = {w, t, places, first, last};
        check_form(&f, false);
        check_form(&f, true);
    }
}

UNIT_CASE(of_lanes_that_store_to_one_place_the_lowest_stays)
{
    for (size_t n = 0; n < LW_COUNT(widths); n++)
        for (size_t t = 0; t < LW_COUNT(targets); t++) {
            check_lanes(&widths[n], &targets[t], 0, 31);
            check_lanes(&widths[n], &targets[t], 4, 10);
        }
}

UNIT_MAIN()
