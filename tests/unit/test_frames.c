/* test_frames: registers that machine code saves where functions are called by address or call themselves, from the cubin to
 * the counters, and what malloc and free of the device access. */
#include "event_record.h"
#include "fixture.h"
#include "unit.h"

#include "code/code_priv.h"
#include "device/profile.h"
#include "exec/exec_priv.h"
#include "fatbin/fatbin.h"
#include "model/model.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- machine code */
static char *read_sample(lw_span *out)
{
    char *data = NULL;
    size_t size = 0;
    CHECK(lw_file_read(unit_path("fuzz/corpus/fatbin/frames.cubin"), &data, &size, NULL) == LW_OK);
    *out = (lw_span){(const uint8_t *)data, size};
    return data;
}

/* As cuobjdump -sass shows. */
static const struct {
    const char *kernel;
    struct fatbin_frame frame;
} functions[] = {
    {"by_address", {"by_address", true, true, 24, 24, 0, 1}},
    {"by_address", {"_ZNK6spiral4areaEf", true, true, 32, 0, 8, 0}},
    {"by_address", {"_ZNK6square4areaEf", true, true, 8, 0, 1, 0}},
    {"make", {"_ZNK6square4areaEf", true, true, 8, 0, 1, 0}},
    {"itself", {"_Z5turnsj", true, true, 24, 0, 5, 0}},
    {"direct",
     {"_Z5plainf", true, true, 0, 0, 0, 0}}, /* called in no other way: it keeps out of its caller's registers */
    {"direct", {"_Z5turnsj", false, false, 0, 0, 0, 0}},
};

UNIT_CASE(saves_of_functions)
{
    lw_span cubin;
    char *data = read_sample(&cubin);
    for (size_t k = 0; k < LW_COUNT(functions); k++) {
        const struct fatbin_frame *e = &functions[k].frame;
        struct fatbin_frame f = {.function = e->function};
        CHECK(fatbin_cubin_frames(cubin, functions[k].kernel, &f, 1, NULL) == LW_OK);
        if (f.found != e->found || f.plain != e->plain || f.bytes != e->bytes || f.arrays != e->arrays ||
            f.saves != e->saves || f.loads != e->loads)
            UNIT_FAIL("%s of %s: %d %d, %u bytes, %u below %u saves, %u loads", e->function, functions[k].kernel,
                      f.found, f.plain, f.bytes, f.arrays, f.saves, f.loads);
    }
    free(data);
}

/* A store of something else where the saves lie: the frame is none that is understood. */
UNIT_CASE(saves_that_are_overwritten)
{
    static const uint8_t store[8] = {0x87, 0x73, 0x00, 0x01, 0x14, 0x10, 0x00, 0x00}; /* STL [R1+0x10], R20 */
    lw_span cubin;
    char *data = read_sample(&cubin);
    unsigned places = 0;
    for (size_t k = 0; k + sizeof store <= cubin.size; k += 8)
        if (!memcmp(data + k, store, sizeof store)) {
            data[k + 4] = 0x18; /* R24 */
            places++;
        }
    CHECK_EQ_INT(places, 2); /* spiral, for each of two kernels */
    struct fatbin_frame f = {.function = "_ZNK6spiral4areaEf"};
    CHECK(fatbin_cubin_frames(cubin, "by_address", &f, 1, NULL) == LW_OK);
    CHECK(f.found && !f.plain);
    CHECK_EQ_INT(f.saves, 7);
    free(data);
}

/* A function that yields: lanes that called it apart may go on together. */
UNIT_CASE(functions_that_yield)
{
    static const uint8_t give_back[8] = {0x10, 0x78, 0x01, 0x01, 0x18, 0x00, 0x00, 0x00}; /* IADD3 R1, R1, 0x18, RZ */
    static const uint8_t yield[8] = {0x46, 0x79};
    lw_span cubin;
    char *data = read_sample(&cubin);
    unsigned places = 0;
    for (size_t k = 0; k + sizeof yield <= cubin.size; k += 8)
        if (!memcmp(data + k, give_back, sizeof give_back)) {
            memcpy(data + k, yield, sizeof yield);
            places++;
        }
    CHECK_EQ_INT(places, 1);
    struct fatbin_frame f = {.function = "_Z5turnsj"};
    CHECK(fatbin_cubin_frames(cubin, "itself", &f, 1, NULL) == LW_OK);
    CHECK(f.found && !f.plain);
    CHECK_EQ_INT(f.saves, 5);
    free(data);
}

/* ---------------------------------------------------------------- the plan, and events */
static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".func (.param .b32 r) down(.param .b32 n)\n{\n.reg .b32 %r<5>;\n.reg .pred %p<2>;\n"
                           ".local .align 4 .b8 own[8];\nld.param.b32 %r1, [n];\nst.local.u32 [own], %r1;\n"
                           "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra Z;\nsub.u32 %r2, %r1, 1;\n{\n.param .b32 a;\n"
                           ".param .b32 b;\nst.param.b32 [a], %r2;\ncall (b), down, (a);\nld.param.b32 %r3, [b];\n}\n"
                           "Z: st.param.b32 [r], %r1;\nret;\n}\n"
                           ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n"
                           "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %laneid;\nshr.u32 %r1, %r1, 4;\n{\n"
                           ".param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall (b), down, (a);\n"
                           "ld.param.b32 %r2, [b];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n"
                           ".visible .entry slow(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n"
                           ".reg .b64 %rd<3>;\n.reg .pred %p<4>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %laneid;\n"
                           "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], 0;\ncall (b), down, (a);\n"
                           "ld.param.b32 %r2, [b];\n}\nmov.f32 %f1, 0f3F800000;\nsetp.eq.u32 %p1, %r1, 3;\n"
                           "selp.f32 %f2, 0f00000000, %f1, %p1;\ndiv.rn.f32 %f3, %f2, %f1;\n"
                           "setp.eq.u32 %p2, %r1, 5;\nselp.f32 %f4, 0fBF800000, %f1, %p2;\nsqrt.rn.f32 %f5, %f4;\n"
                           "setp.ge.u32 %p3, %r1, 30;\nselp.f32 %f6, 0f7F000000, %f1, %p3;\nrcp.rn.f32 %f7, %f6;\n"
                           "add.f32 %f7, %f7, %f5;\nadd.f32 %f7, %f7, %f3;\nst.global.f32 [%rd1], %f7;\nret;\n}\n"
                           ".visible .entry reads(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
                           "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

static void give_frames(void *user, code_frame *frames, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        frames[k].found = frames[k].plain = true;
        if (!strcmp(frames[k].function, "down")) frames[k] = *(const code_frame *)user;
        if (strstr(frames[k].function, "_f32_slowpath")) frames[k].saves = 1;
    }
}

/* Why accesses of the kernel are not certain; NULL: all are. */
static const char *doubt_of(code_frame down)
{
    fixture f;
    code_options options = {.frames = give_frames, .user = &down, .stack_known = true, .stack_bytes = UINT32_MAX};
    const char *why = NULL;
    if (!load_with(&f, text, "k", &options)) UNIT_FAIL("the kernel does not load");
    for (uint32_t s = 0; f.kernel && s < f.kernel->site_count && !why; s++)
        if (f.kernel->sites[s].is_memory && !f.kernel->sites[s].exact) why = f.kernel->sites[s].why;
    unload(&f);
    return why;
}

UNIT_CASE(frames_that_are_known_need_no_mark)
{
    code_frame down = {"down", true, true, 8, 5, 0};
    CHECK(!doubt_of(down));
    down.plain = false;
    CHECK_HAS(doubt_of(down), "what they save of registers");
    down = (code_frame){"down", true, true, 24, 5, 0}; /* 16 bytes of values that found no register */
    CHECK_HAS(doubt_of(down), "spills");
    down = (code_frame){"down", false, false, 0, 0, 0};
    CHECK_HAS(doubt_of(down), "what they save of registers");
}

/* One warp of a kernel of `text`, whose function `down` saves 5 registers; the caller frees what was recorded. */
static bool record_calls(const char *kernel, uint64_t kinds, record *r)
{
    const event_client client = {.name = "recorder",
                                 .kinds = kinds,
                                 .worker_begin = record_worker_begin,
                                 .sync = record_sync,
                                 .worker_end = record_worker_end};
    fixture f;
    code_frame down = {"down", true, true, 8, 5, 0};
    code_options options = {.frames = give_frames, .user = &down};
    record_begin(r);
    if (!load_with(&f, text, kernel, &options)) return false;
    uint64_t out = buffer(&f, 4);
    exec_launch l = launch_of(&f, 1, 32, &out);
    event_listener listener = {&client, r};
    exec_result result = {0};
    l.listeners = &listener;
    l.listener_count = 1;
    l.device.stack_bytes = 1024;
    bool ran = exec_run(&l, &result, &f.error) == LW_OK;
    exec_result_free(&result);
    unload(&f);
    return ran;
}

/* Lanes 16 to 31 call once more: each call stores what it saves for its own lanes, and loads it for them. */
UNIT_CASE(saves_are_told)
{
    static const struct saves {
        event_kind kind;
        uint32_t mask;
    } expected[] = {
        {EVENT_SAVE, UINT32_MAX}, {EVENT_SAVE, 0xffff0000}, {EVENT_RESTORE, 0xffff0000}, {EVENT_RESTORE, UINT32_MAX}};
    record r;
    REQUIRE(record_calls("k", EVENT_BIT(EVENT_SAVE) | EVENT_BIT(EVENT_RESTORE), &r));
    REQUIRE(r.syncs.count == LW_COUNT(expected));
    for (size_t k = 0; k < LW_COUNT(expected); k++) {
        CHECK_EQ_INT(r.syncs.items[k].kind, expected[k].kind);
        CHECK_EQ_INT(r.syncs.items[k].mask, expected[k].mask);
        CHECK_EQ_INT(r.syncs.items[k].count, 5);
        CHECK(r.syncs.items[k].again == (k == 1));
    }
    record_free(&r);
}

/* Zero divided, the root of a negative number, the reciprocal of 2^127: lanes 3, 5, 30 and 31. The first is `down`. */
UNIT_CASE(slow_paths_save_registers)
{
    static const uint32_t masks[] = {UINT32_MAX, 1u << 3, 1u << 5, 3u << 30};
    record r;
    REQUIRE(record_calls("slow", EVENT_BIT(EVENT_SAVE), &r));
    REQUIRE(r.syncs.count == LW_COUNT(masks));
    for (size_t k = 0; k < LW_COUNT(masks); k++) {
        CHECK_EQ_INT(r.syncs.items[k].mask, masks[k]);
        CHECK_EQ_INT(r.syncs.items[k].count, k ? 1 : 5);
    }
    record_free(&r);
}

/* As recorded on a card. */
UNIT_CASE(divisions_that_take_the_slow_path)
{
    FILE *f = fopen(unit_path("hw/h200-slow-divisions.csv"), "r");
    REQUIRE(f != NULL);
    char line[256];
    int rows = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned a, b, slow;
        if (sscanf(line, "%8x,%8x,%1u", &a, &b, &slow) != 3) continue; /* a comment, the names of the columns */
        if (exec_divides_slowly(a, b) != slow)
            UNIT_FAIL("%08x / %08x: %s on the card", a, b, slow ? "slow" : "not slow");
        rows++;
    }
    fclose(f);
    CHECK_EQ_INT(rows, 569);
}

/* Does an access of the kernel say that it touched memory of that kind as it does the device heap? */
static bool touches_heap(mem_kind kind)
{
    fixture f;
    uint64_t address = 0;
    exec_result result = {0};
    bool touched = false;
    if (!load(&f, text, "reads")) UNIT_FAIL("the kernel does not load");
    CHECK(mem_alloc(f.memory, 64, 0, kind, 0, "memory", &address) == LW_OK);
    exec_launch l = launch_of(&f, 1, 32, &address);
    CHECK(exec_run(&l, &result, &f.error) == LW_OK);
    for (uint32_t s = 0; s < f.kernel->site_count; s++) touched |= result.site_on_heap[s];
    exec_result_free(&result);
    unload(&f);
    return touched;
}

UNIT_CASE(accesses_to_the_heap_are_known)
{
    CHECK(touches_heap(MEM_HEAP));
    CHECK(!touches_heap(MEM_INTERNAL)); /* kernel parameters, with a tensor map among them */
    CHECK(!touches_heap(MEM_DEVICE));
}

/* ---------------------------------------------------------------- the model */
typedef struct call_sums {
    model_call_result part[8];
    uint32_t count;
} call_sums;

static void keep_call(void *user, const model_call_result *call)
{
    call_sums *sums = user;
    if (sums->count < LW_COUNT(sums->part)) sums->part[sums->count++] = *call;
}

static call_sums count_calls(const event_sync *events, uint32_t count, uint64_t taken)
{
    device_profile device = {.cc = 90};
    model_options options = {.heap_taken = taken};
    call_sums sums = {.count = 0};
    model *m;
    CHECK(model_create(&m, &device, 4, NULL) == LW_OK);
    CHECK(model_set_options(m, &options, NULL) == LW_OK);
    void *workers[2] = {model_worker_begin(m, 0), model_worker_begin(m, 1)};
    for (uint32_t k = 0; k < count; k++) model_client.sync(workers[k % 2], &events[k]);
    model_each_call(m, keep_call, &sums);
    model_destroy(m);
    return sums;
}

/* 5 registers, of a whole warp and of lanes 6 to 9. */
UNIT_CASE(saves_are_counted)
{
    const event_sync events[] = {{.kind = EVENT_SAVE, .insn = 2, .mask = UINT32_MAX, .count = 5},
                                 {.kind = EVENT_SAVE, .insn = 2, .mask = 0x3c0, .count = 5},
                                 {.kind = EVENT_RESTORE, .insn = 3, .mask = 0x3c0, .count = 5}};
    call_sums sums = count_calls(events, LW_COUNT(events), 0);
    REQUIRE(sums.count == 2);
    const model_call_result *stores = &sums.part[0], *loads = &sums.part[1];
    CHECK(stores->what == MODEL_SAVES && stores->space == EVENT_LOCAL && stores->op == EVENT_STORE && !stores->why);
    CHECK_EQ_INT(stores->counters.value[COUNTER_REQUESTS], 10);
    CHECK_EQ_INT(stores->counters.value[COUNTER_SECTORS], 5 * 4 + 5 * 2);
    CHECK_EQ_INT(stores->counters.value[COUNTER_TAGS], 10);
    CHECK(loads->insn == 3 && loads->op == EVENT_LOAD);
    CHECK_EQ_INT(loads->counters.value[COUNTER_SECTORS], 5 * 2);
}

UNIT_CASE(recursion_of_some_lanes_is_not_certain)
{
    device_profile device = {.cc = 90};
    model *m;
    CHECK(model_create(&m, &device, 4, NULL) == LW_OK);
    void *worker = model_worker_begin(m, 0);
    event_sync e = {.kind = EVENT_SAVE, .insn = 2, .mask = 1, .count = 5};
    model_client.sync(worker, &e);
    CHECK(!model_call_doubt(m));
    e.again = true;
    model_client.sync(worker, &e);
    CHECK(model_call_doubt(m) != NULL);
    model_destroy(m);
}

/* tests/hw/h200/sample_groups_barriers.csv, create: two blocks, beside 4 stores of its own. */
UNIT_CASE(calls_of_malloc)
{
    static const uint64_t requests[] = {48, 12, 16, 142, 156};
    const event_sync events[] = {{.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 1, .bytes = 24},
                                 {.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 1, .bytes = 24}};
    call_sums sums = count_calls(events, 2, 15 * model_heap_taken(24));
    REQUIRE(sums.count == LW_COUNT(requests));
    for (uint32_t k = 0; k < LW_COUNT(requests); k++) {
        CHECK(sums.part[k].what == MODEL_HEAP && !sums.part[k].why);
        CHECK_EQ_INT(sums.part[k].counters.value[COUNTER_REQUESTS], requests[k]);
        CHECK_EQ_INT(sums.part[k].counters.value[COUNTER_SECTORS], requests[k]);
    }
    sums = count_calls(events, 2, 23 * model_heap_taken(24)); /* the 24th is the first of another chunk */
    REQUIRE(sums.count && sums.part[0].why);
    CHECK_HAS(sums.part[0].why, "1.6 KB");
    const event_sync large[] = {{.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 1, .bytes = 2000}};
    sums = count_calls(large, 1, 0);
    REQUIRE(sums.count && sums.part[0].why);
}

UNIT_CASE(calls_of_free)
{
    static const uint64_t requests[] = {46, 16, 94,
                                        92}; /* the same, destroy: 4 loads of its own, and 7 saved registers */
    const event_sync one = {.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 4, .frees = true};
    const event_sync events[] = {one, one};
    call_sums sums = count_calls(events, 2, 2);
    REQUIRE(sums.count == LW_COUNT(requests));
    for (uint32_t k = 0; k < LW_COUNT(requests); k++)
        CHECK_EQ_INT(sums.part[k].counters.value[COUNTER_REQUESTS], requests[k]);
}

UNIT_CASE(calls_of_malloc_that_are_not_certain)
{
    event_sync lanes[] = {{.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 3}};
    call_sums sums = count_calls(lanes, 1, 0);
    REQUIRE(sums.count && sums.part[0].why);
    CHECK_HAS(sums.part[0].why, "several threads");
    event_sync warps[] = {{.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 1},
                          {.kind = EVENT_HEAP_CALL, .insn = 1, .mask = 1, .block = 1}};
    sums = count_calls(warps, 2, 0);
    REQUIRE(sums.count && sums.part[0].why);
    CHECK_HAS(sums.part[0].why, "several threads");
}

UNIT_MAIN()
