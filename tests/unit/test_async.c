/* test_async: the kernels of tests/ptx/async through parse, link, decode and execution: results, faults and events of
 * asynchronous copies, mbarrier objects, clusters, matrix instructions, textures and the stack.
 *
 * What the kernels compute (reductions also of subnormals, infinities and NaNs) is bit for bit what an H200 gave, with
 * two exceptions: async_arrive, whose arrivals come later on a card, and `sizes`, whose cache hint it refused. A card
 * does not notice most of the misuse of mbarrier objects that is a fault here. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

/* A kernel of a file, and its last run. */
typedef struct file_fixture {
    fixture base;
    exec_result result;
    uint32_t cluster;
    const event_listener *listener;
    exec_services services;
} file_fixture;

static lw_status open_file(file_fixture *f, const char *file, const char *kernel)
{
    char path[64], *text = NULL;
    size_t size = 0;
    *f = (file_fixture){.cluster = 1};
    snprintf(path, sizeof path, "ptx/async/%s", file);
    LW_TRY(lw_file_read(unit_path(path), &text, &size, &f->base.error));
    lw_status status = open_kernel(&f->base, text, kernel, NULL);
    free(text);
    return status;
}

static bool load_file(file_fixture *f, const char *file, const char *kernel)
{
    bool ok = open_file(f, file, kernel) == LW_OK;
    if (!ok) UNIT_FAIL("%s: %s: %s", file, kernel, f->base.error.message);
    return ok;
}

static void unload_file(file_fixture *f)
{
    exec_result_free(&f->result);
    unload(&f->base);
}

static void *pinned(file_fixture *f, uint64_t bytes) { return (void *)(uintptr_t)buffer(&f->base, bytes); }

static exec_fault_kind run(file_fixture *f, uint32_t blocks, uint32_t threads, const void *params)
{
    exec_launch l = launch_of(&f->base, blocks, threads, params);
    l.cluster[0] = f->cluster;
    l.stop_at_errors = true;
    l.services = f->services;
    l.listeners = f->listener;
    l.listener_count = f->listener ? 1 : 0;
    exec_result_free(&f->result);
    CHECK(exec_run(&l, &f->result, &f->base.error) == LW_OK);
    return f->result.fault.kind;
}

static void expect_no_fault(file_fixture *f, exec_fault_kind kind)
{
    if (kind != EXEC_NO_FAULT) UNIT_FAIL("fault %d: %s", kind, f->result.fault.message);
}

/* ---------------------------------------------------------------- events */
typedef struct seen {
    event_memory mem[64];
    uint64_t address[64][32], address2[64][32];
    uint32_t mem_count;
    event_sync sync[64];
    uint32_t sync_count;
} seen;

static void note_mem(void *state, const event_memory *e)
{
    seen *s = state;
    if (s->mem_count == 64) return;
    uint32_t n = s->mem_count++;
    s->mem[n] = *e;
    for (uint32_t l = 0; l < 32; l++) {
        if (!(e->mask >> l & 1)) continue;
        s->address[n][l] = e->address[l];
        if (e->address2) s->address2[n][l] = e->address2[l];
    }
}

static void note_sync(void *state, const event_sync *e)
{
    seen *s = state;
    if (s->sync_count < 64) s->sync[s->sync_count++] = *e;
}

static const event_client noter = {.kinds = EVENT_BIT(EVENT_COUNTED) | EVENT_BIT(EVENT_ASYNC_COMMIT) |
                                            EVENT_BIT(EVENT_ASYNC_WAIT),
                                   .memory = note_mem,
                                   .sync = note_sync};

/* The n-th event of an operation in a space, or -1. */
static int find_mem(const seen *s, uint32_t op, uint32_t space, uint32_t n)
{
    for (uint32_t k = 0; k < s->mem_count; k++)
        if (s->mem[k].op == op && s->mem[k].space == space && !n--) return (int)k;
    return -1;
}

/* ---------------------------------------------------------------- cp.async */
static void fill_bytes(uint8_t *p, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) p[k] = (uint8_t)(k * 7 + 3);
}

UNIT_CASE(cp_async_sizes_and_events)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "cp_async.ptx", "sizes"));
    uint8_t *out = pinned(&f, 512), *in = pinned(&f, 512);
    fill_bytes(in, 512);
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 1, 32, params));
    for (uint32_t k = 0; k < 512; k++) CHECK_EQ_INT(out[k], k % 16 >= 5 && k % 16 < 8 ? 0 : in[k]);
    int read = find_mem(&s, EVENT_COPY_READ, EVENT_GLOBAL, 1), write = find_mem(&s, EVENT_COPY_WRITE, EVENT_SHARED, 2);
    REQUIRE(read >= 0 && write >= 0);
    CHECK_EQ_INT(s.mem[read].bytes, 4);
    CHECK_EQ_INT(s.mem[write].bytes, 8);
    CHECK_EQ_INT(s.mem[write].flags, 0);
    CHECK_EQ_INT(s.mem[write].mask, -1u);
    CHECK_EQ_INT(s.address[read][3], (uintptr_t)in + 4 + 48);
    CHECK_EQ_INT(s.address2[read][3], 52);
    CHECK_EQ_INT(s.address[write][31], 31 * 16 + 8);
    CHECK_EQ_INT(s.address2[write][31], (uintptr_t)in + 31 * 16 + 8);
    CHECK(f.base.kernel->sites[s.mem[write].insn].is_memory);
    CHECK_EQ_INT(s.sync[0].kind, EVENT_ASYNC_COMMIT);
    CHECK_EQ_INT(s.sync[1].kind, EVENT_ASYNC_WAIT);
    unload_file(&f);
}

UNIT_CASE(cp_async_zero_fill)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "cp_async.ptx", "fills"));
    uint8_t *out = pinned(&f, 512), *in = pinned(&f, 512);
    fill_bytes(in, 512);
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 1, 32, params));
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t valid = lane % 4 == 0 ? 16 : lane % 4 == 1 ? lane / 2 : 0;
        for (uint32_t b = 0; b < 16; b++) CHECK_EQ_INT(out[16 * lane + b], b < valid ? in[16 * lane + b] : 0);
    }
    int first = find_mem(&s, EVENT_COPY_WRITE, EVENT_SHARED, 0), sized = find_mem(&s, EVENT_COPY_READ, EVENT_GLOBAL, 1);
    REQUIRE(first >= 0 && sized >= 0);
    CHECK_EQ_INT(s.mem[first].flags, EVENT_BYPASS_L1);
    CHECK_EQ_INT(s.mem[first].mask, 0x11111111);
    CHECK_EQ_INT(s.mem[sized].mask, 0x22222220); /* lane 1 asks for 0 bytes */
    CHECK_EQ_INT(find_mem(&s, EVENT_COPY_READ, EVENT_GLOBAL, 2), -1);
    CHECK(find_mem(&s, EVENT_COPY_WRITE, EVENT_SHARED, 3) >= 0);
    unload_file(&f);
}

static void expect_fault(const char *file, const char *kernel, uint32_t cluster, exec_fault_kind kind,
                         const char *words)
{
    file_fixture f;
    REQUIRE(load_file(&f, file, kernel));
    uint64_t params[] = {(uintptr_t)pinned(&f, 4096), (uintptr_t)pinned(&f, 4096)};
    f.cluster = cluster;
    CHECK_EQ_INT(run(&f, cluster == 1 ? 2 : cluster, 1, params), kind);
    CHECK_HAS(f.result.fault.message, words);
    unload_file(&f);
}

UNIT_CASE(cp_async_faults)
{
    file_fixture f;
    REQUIRE(load_file(&f, "cp_async.ptx", "no_source"));
    uint64_t *out = pinned(&f, 16), params[] = {(uintptr_t)out, 0};
    out[0] = out[1] = 1;
    expect_no_fault(&f, run(&f, 1, 1, params));
    CHECK(!out[0] && !out[1]);
    unload_file(&f);
    expect_fault("cp_async.ptx", "misaligned", 1, EXEC_MISALIGNED, "global read of 16 bytes");
    expect_fault("cp_async.ptx", "too_long", 1, EXEC_ILLEGAL_INSTRUCTION, "with a source size of");
}

UNIT_CASE(cp_async_repeated)
{
    file_fixture f;
    REQUIRE(load_file(&f, "cp_async.ptx", "repeated"));
    uint8_t *out = pinned(&f, 512), *in = pinned(&f, 4 * 512);
    for (uint32_t k = 0; k < 4 * 512; k++) in[k] = (uint8_t)(k * 7 + k / 256);
    struct {
        uint64_t out, in;
        uint32_t rounds;
    } params = {(uintptr_t)out, (uintptr_t)in, 4};
    expect_no_fault(&f, run(&f, 1, 32, &params));
    CHECK(!memcmp(out, in + 3 * 512, 512));
    params.rounds = 5; /* the fifth lies behind the source */
    CHECK_EQ_INT(run(&f, 1, 32, &params), EXEC_ILLEGAL_ADDRESS);
    CHECK_HAS(f.result.fault.message, "just past the end");
    unload_file(&f);
}

/* ---------------------------------------------------------------- mbarrier */
static void expect_words(const char *file, const char *kernel, uint32_t threads, const uint32_t *want, uint32_t count)
{
    file_fixture f;
    REQUIRE(load_file(&f, file, kernel));
    uint32_t *out = pinned(&f, 4096);
    memset(out, 0xcc, 4096);
    uint64_t params[] = {(uintptr_t)out, 0};
    expect_no_fault(&f, run(&f, 1, threads, params));
    for (uint32_t k = 0; k < count; k++) CHECK_EQ_INT(out[k], want[k]);
    CHECK(!f.result.schedule_dependent);
    unload_file(&f);
}

UNIT_CASE(mbarrier_phases)
{
    static const uint32_t phases[] = {0, 5, 1, 1, 0, 5, 104}, bytes[] = {0, 0, 1, 0, 0, 1};
    expect_words("mbarrier.ptx", "phases", 1, phases, LW_COUNT(phases));
    expect_words("mbarrier.ptx", "bytes", 1, bytes, LW_COUNT(bytes));
}

UNIT_CASE(mbarrier_between_warps)
{
    uint32_t want[128];
    for (uint32_t t = 0; t < 128; t++) want[t] = t < 32 ? 0 : 3;
    expect_words("mbarrier.ptx", "rounds", 128, want, 128);
    for (uint32_t t = 0; t < 32; t++) want[t] = 2; /* all 32 lanes arrive in one instruction */
    expect_words("mbarrier.ptx", "async_arrive", 32, want, 32);
}

UNIT_CASE(mbarrier_misuse)
{
    static const struct {
        const char *kernel;
        exec_fault_kind kind;
        const char *words;
    } cases[] = {
        {"never_initialised", EXEC_ILLEGAL_INSTRUCTION, "no mbarrier was initialised"},
        {"invalidated", EXEC_ILLEGAL_INSTRUCTION, "or it was invalidated"},
        {"overwritten", EXEC_ILLEGAL_INSTRUCTION, "overwritten by an ordinary store"},
        {"too_many", EXEC_ILLEGAL_INSTRUCTION, "more arrivals than the phase expects"},
        {"completes", EXEC_ILLEGAL_INSTRUCTION, ".noComplete"},
        {"overflow", EXEC_ILLEGAL_INSTRUCTION, "transaction bytes"},
        {"zero_count", EXEC_ILLEGAL_INSTRUCTION, "count must be 1"},
        {"misaligned", EXEC_MISALIGNED, "misaligned"},
        {"in_global", EXEC_ILLEGAL_INSTRUCTION, "not shared memory"},
        {"stale", EXEC_ILLEGAL_INSTRUCTION, "no mbarrier was initialised"},
    };
    for (size_t k = 0; k < LW_COUNT(cases); k++)
        expect_fault("mbarrier.ptx", cases[k].kernel, 1, cases[k].kind, cases[k].words);
}

/* ---------------------------------------------------------------- bulk copies */
UNIT_CASE(bulk_round_trip)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "bulk.ptx", "round_trip"));
    uint32_t *out = pinned(&f, 1024), *in = pinned(&f, 1024);
    for (uint32_t k = 0; k < 256; k++) in[k] = k * k;
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 1, 256, params));
    for (uint32_t k = 0; k < 256; k++) CHECK_EQ_INT(out[k], k * k + 1);
    int read = find_mem(&s, EVENT_COPY_READ, EVENT_GLOBAL, 1), write = find_mem(&s, EVENT_COPY_WRITE, EVENT_SHARED, 1);
    REQUIRE(read >= 0 && write >= 0);
    CHECK_EQ_INT(s.mem[read].flags & EVENT_BULK, EVENT_BULK);
    CHECK_EQ_INT(s.mem[read].bytes_total, 512);
    CHECK_EQ_INT(s.mem[read].mask, 1);
    CHECK_EQ_INT(s.address[read][0], (uintptr_t)in + 512);
    CHECK_EQ_INT(s.address[write][0], 512);
    CHECK_EQ_INT(s.address2[write][0], (uintptr_t)in + 512);
    CHECK(find_mem(&s, EVENT_COPY_READ, EVENT_SHARED, 1) >= 0 && find_mem(&s, EVENT_COPY_WRITE, EVENT_GLOBAL, 1) >= 0);
    unload_file(&f);
}

typedef struct reduction_case {
    const char *name;
    uint32_t bytes;
    uint64_t to, from, want; /* of one element */
} reduction_case;

static const reduction_case reductions[] = {
    {"add_u32", 4, 5, 0xffffffff, 4},
    {"add_s32", 4, 5, 0xfffffff0, 0xfffffff5},
    {"add_u64", 8, 0xffffffff, 1, UINT64_C(0x100000000)},
    {"min_u32", 4, 5, 0xffffffff, 5},
    {"min_s32", 4, 5, 0xffffffff, 0xffffffff},
    {"min_u64", 8, 5, ~UINT64_C(0), 5},
    {"min_s64", 8, 5, ~UINT64_C(0), ~UINT64_C(0)},
    {"max_u32", 4, 5, 0xffffffff, 0xffffffff},
    {"max_s32", 4, 5, 0xffffffff, 5},
    {"max_u64", 8, 5, ~UINT64_C(0), ~UINT64_C(0)},
    {"max_s64", 8, 5, ~UINT64_C(0), 5},
    {"inc_u32", 4, 7, 7, 0},
    {"dec_u32", 4, 0, 9, 9},
    {"and_b32", 4, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
    {"or_b32", 4, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
    {"xor_b32", 4, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
    {"and_b64", 8, UINT64_C(0xff00000000000001), UINT64_C(0x8100000000000003), UINT64_C(0x8100000000000001)},
    {"or_b64", 8, UINT64_C(0xff00000000000001), UINT64_C(0x8100000000000002), UINT64_C(0xff00000000000003)},
    {"xor_b64", 8, UINT64_C(0xff00000000000001), UINT64_C(0x8100000000000003), UINT64_C(0x7e00000000000002)},
    {"add_f32", 4, 0x3f800000, 0x40000000, 0x40400000},
    {"add_f64", 8, UINT64_C(0x3ff0000000000000), UINT64_C(0x4000000000000000), UINT64_C(0x4008000000000000)},
    {"add_noftz_f16", 2, 0x3c00, 0x4000, 0x4200},
    {"add_noftz_bf16", 2, 0x3f80, 0x4000, 0x4040},
    {"min_f16", 2, 0x3c00, 0xc000, 0xc000},
    {"max_f16", 2, 0x3c00, 0xc000, 0x3c00},
    {"min_bf16", 2, 0x3f80, 0xc000, 0xc000},
    {"max_bf16", 2, 0x3f80, 0xc000, 0x3f80},
};

static void check_reduction(const reduction_case *c)
{
    file_fixture f;
    char name[64];
    snprintf(name, sizeof name, "reduce_%s", c->name);
    REQUIRE(load_file(&f, "bulk.ptx", name));
    uint8_t *out = pinned(&f, 80), *in = pinned(&f, 64);
    for (uint32_t k = 0; k < 64; k += c->bytes) memcpy(out + k, &c->to, c->bytes), memcpy(in + k, &c->from, c->bytes);
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    expect_no_fault(&f, run(&f, 1, 1, params));
    for (uint32_t k = 0; k < 80; k += c->bytes) {
        uint64_t got = 0;
        memcpy(&got, out + k, c->bytes);
        if (got != (k < 64 ? c->want : 0))
            UNIT_FAIL("%s: element at %u is 0x%llx, expected 0x%llx", name, k, (unsigned long long)got,
                      (unsigned long long)c->want);
    }
    unload_file(&f);
}

UNIT_CASE(bulk_reductions)
{
    for (size_t k = 0; k < LW_COUNT(reductions); k++) check_reduction(&reductions[k]);
}

UNIT_CASE(bulk_faults)
{
    expect_fault("bulk.ptx", "size_24", 1, EXEC_MISALIGNED, "24 bytes");
    expect_fault("bulk.ptx", "source_odd", 1, EXEC_MISALIGNED, "multiples of 16");
    expect_fault("bulk.ptx", "beyond_global", 1, EXEC_ILLEGAL_ADDRESS, "past the end");
    expect_fault("bulk.ptx", "beyond_shared", 1, EXEC_SHARED_RANGE, "outside the block's");
    expect_fault("bulk.ptx", "no_barrier", 1, EXEC_ILLEGAL_INSTRUCTION, "no mbarrier was initialised");
}

UNIT_CASE(bulk_masks_and_zeroing)
{
    file_fixture f;
    REQUIRE(load_file(&f, "bulk_sm100.ptx", "masked"));
    uint8_t *out = pinned(&f, 128), *in = pinned(&f, 64);
    fill_bytes(in, 64);
    memset(out, 0xee, 128);
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    expect_no_fault(&f, run(&f, 1, 1, params));
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(out[k], 0x5007 >> k % 16 & 1 ? in[k] : 0xee);
    for (uint32_t k = 0; k < 64; k++) CHECK_EQ_INT(out[64 + k], (k >= 8 && k < 48) || k >= 56 ? 0 : in[k]);
    unload_file(&f);
}

/* ---------------------------------------------------------------- multimem */
/* One device: the plain accesses. Not recorded. */
UNIT_CASE(multimem_on_one_device)
{
    file_fixture f;
    REQUIRE(load_file(&f, "multimem.ptx", "plain"));
    uint32_t *out = pinned(&f, 64), *in = pinned(&f, 64);
    const float f32[] = {1, 2, 3, 4};
    const uint32_t f16[] = {0x3c004000, 0x40003c00, 0xc0003c00, 0x42003c00};
    memset(out, 0, 64);
    for (uint32_t k = 0; k < 16; k++) in[k] = 100 + k;
    memcpy(in + 4, f32, sizeof f32);
    memcpy(in + 8, f16, sizeof f16);
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    expect_no_fault(&f, run(&f, 1, 1, params));
    const float sums[] = {4 + 1, 3 + 2, 2, 1};
    const uint32_t most[] = {0x42004000, 0x42003c00, 0x42003c00, 0x42003c00};
    CHECK_EQ_INT(out[0], 105);
    CHECK_EQ_INT(out[2], 0xffffffff);
    CHECK(!memcmp(out + 4, sums, sizeof sums));
    CHECK(!memcmp(out + 8, most, sizeof most));
    for (uint32_t k = 0; k < 8; k++) CHECK_EQ_INT(((uint16_t *)out)[24 + k], ((uint16_t *)in)[31 - k]);
    CHECK(!f.base.kernel->sites[2].exact);
    unload_file(&f);
}

/* ---------------------------------------------------------------- clusters */
UNIT_CASE(cluster_addresses)
{
    file_fixture f;
    REQUIRE(load_file(&f, "cluster.ptx", "ring"));
    uint32_t *out = pinned(&f, 20 * 8);
    uint64_t params[] = {(uintptr_t)out};
    f.cluster = 4;
    expect_no_fault(&f, run(&f, 8, 1, params));
    for (uint32_t b = 0; b < 8; b++) {
        uint32_t rank = b % 4, left = (rank + 3) % 4;
        CHECK_EQ_INT(out[5 * b], (rank + 1) % 4);
        CHECK_EQ_INT(out[5 * b + 1], (rank + 1) % 4);
        CHECK_EQ_INT(out[5 * b + 2], 100 + left);
        CHECK_EQ_INT(out[5 * b + 3], 100 + left);
        CHECK_EQ_INT(out[5 * b + 4], rank);
    }
    CHECK(f.base.kernel->uses_cluster);
    unload_file(&f);
}

UNIT_CASE(asynchronous_stores)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "cluster.ptx", "gather"));
    uint32_t *out = pinned(&f, 136);
    uint64_t params[] = {(uintptr_t)out};
    f.cluster = 4;
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 4, 1, params));
    for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t k = 0; k < 4; k++) CHECK_EQ_INT(out[8 * r + k], r + k);
        CHECK_EQ_INT(out[8 * r + 4], r + 3);
        CHECK_EQ_INT(out[8 * r + 5], 0);
        CHECK_EQ_INT(out[8 * r + 6], r + 2);
    }
    CHECK_EQ_INT(out[32], 3 + 4 + 5 + 6);
    int remote = find_mem(&s, EVENT_STORE, EVENT_DSHARED, 0), reduced = find_mem(&s, EVENT_REDUCTION, EVENT_DSHARED, 0);
    REQUIRE(remote >= 0 && reduced >= 0);
    CHECK_EQ_INT(s.mem[remote].bytes, 16);
    CHECK_EQ_INT(s.address[remote][0] >> 24, 0);
    CHECK_EQ_INT(s.mem[reduced].atomic, EVENT_ATOMIC_ADD);
    unload_file(&f);
}

UNIT_CASE(multicast_and_block_to_block)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "cluster.ptx", "spread"));
    uint32_t *out = pinned(&f, 512), *in = pinned(&f, 64);
    for (uint32_t k = 0; k < 16; k++) in[k] = 10 + k;
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    f.cluster = 4;
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 4, 1, params));
    CHECK(find_mem(&s, EVENT_COPY_READ, EVENT_GLOBAL, 0) >= 0 &&
          find_mem(&s, EVENT_COPY_READ, EVENT_GLOBAL, 1) < 0); /* once */
    CHECK(find_mem(&s, EVENT_COPY_WRITE, EVENT_DSHARED, 2) >= 0 &&
          find_mem(&s, EVENT_COPY_WRITE, EVENT_DSHARED, 3) < 0);
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t k = 0; k < 16; k++) CHECK_EQ_INT(out[32 * r + k], 10 + k);
    for (uint32_t k = 0; k < 4; k++) {
        CHECK_EQ_INT(out[64 + 16 + k], 10 + k);     /* 0 + data */
        CHECK_EQ_INT(out[64 + 20 + k], 2 + 14 + k); /* rank + data, greater than the data of the max */
        CHECK_EQ_INT(out[32 + 20 + k], 1);          /* block 1's is untouched */
    }
    unload_file(&f);
}

UNIT_CASE(cluster_faults)
{
    expect_fault("cluster.ptx", "wrong_block", 4, EXEC_ILLEGAL_INSTRUCTION, "they must be the same");
    expect_fault("cluster.ptx", "no_such_rank", 4, EXEC_SHARED_RANGE, "block rank 7 of a cluster of 4");
    expect_fault("cluster.ptx", "wait_on_remote", 4, EXEC_ILLEGAL_INSTRUCTION, "mbarriers of its own block");
}

/* ---------------------------------------------------------------- matrices */
/* What lane t holds of a matrix of 8 rows of 8. */
static uint32_t fragment(const uint16_t *matrix, uint32_t t, bool transposed)
{
    uint32_t group = t / 4, pair = 2 * (t % 4);
    if (transposed) return matrix[8 * pair + group] | (uint32_t)matrix[8 * (pair + 1) + group] << 16;
    return matrix[8 * group + pair] | (uint32_t)matrix[8 * group + pair + 1] << 16;
}

UNIT_CASE(matrix_loads)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "matrix.ptx", "load4"));
    uint32_t *out = pinned(&f, 1536);
    uint16_t *in = pinned(&f, 512);
    for (uint32_t k = 0; k < 256; k++) in[k] = (uint16_t)(k * 257 + 5);
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 1, 32, params));
    for (uint32_t t = 0; t < 32; t++) {
        for (uint32_t m = 0; m < 4; m++) {
            CHECK_EQ_INT(out[4 * t + m], fragment(in + 64 * m, t, false));
            CHECK_EQ_INT(out[128 + 4 * t + m], fragment(in + 64 * m, t, true));
        }
        CHECK_EQ_INT(out[256 + 4 * t], fragment(in, t, false));
        CHECK_EQ_INT(out[256 + 4 * t + 1], fragment(in + 64, t, false));
        CHECK_EQ_INT(out[256 + 4 * t + 2], fragment(in, t, true));
        CHECK_EQ_INT(out[256 + 4 * t + 3], fragment(in, t, true)); /* movmatrix */
    }
    int four = find_mem(&s, EVENT_MATRIX_LOAD, EVENT_SHARED, 0), two = find_mem(&s, EVENT_MATRIX_LOAD, EVENT_SHARED, 2);
    REQUIRE(four >= 0 && two >= 0);
    CHECK_EQ_INT(s.mem[four].matrices, 4);
    CHECK_EQ_INT(s.mem[four].mask, -1u);
    CHECK_EQ_INT(s.mem[two].matrices, 2);
    CHECK_EQ_INT(s.mem[two].mask, 0xffff);
    CHECK_EQ_INT(s.mem[two].bytes, 16);
    CHECK_EQ_INT(s.address[two][15], 15 * 16);
    CHECK(s.mem[two].generic);
    unload_file(&f);
}

UNIT_CASE(matrix_stores)
{
    file_fixture f;
    REQUIRE(load_file(&f, "matrix.ptx", "store4"));
    uint16_t *out = pinned(&f, 1024);
    uint32_t *in = pinned(&f, 512);
    for (uint32_t k = 0; k < 128; k++) in[k] = k * 0x9e3779b1u + 1;
    uint64_t params[] = {(uintptr_t)out, (uintptr_t)in};
    expect_no_fault(&f, run(&f, 1, 32, params));
    for (uint32_t t = 0; t < 32; t++) {
        for (uint32_t m = 0; m < 4; m++) CHECK_EQ_INT(fragment(out + 64 * m, t, false), in[4 * t + m]);
        for (uint32_t m = 0; m < 2; m++) CHECK_EQ_INT(fragment(out + 256 + 64 * m, t, true), in[4 * t + m]);
        CHECK_EQ_INT(fragment(out + 384, t, false), in[4 * t + 2]);
    }
    unload_file(&f);
}

UNIT_CASE(matrix_faults)
{
    file_fixture f;
    REQUIRE(load_file(&f, "matrix.ptx", "misaligned"));
    uint64_t params[2] = {0, 0};
    CHECK_EQ_INT(run(&f, 1, 32, params), EXEC_MISALIGNED);
    CHECK_EQ_INT(run(&f, 1, 4, params), EXEC_ILLEGAL_INSTRUCTION); /* lanes 4 to 7 do not exist */
    CHECK_HAS(f.result.fault.message, "lane 4 gives the address");
    unload_file(&f);
}

/* ---------------------------------------------------------------- stack, textures, refusals */
UNIT_CASE(alloca_and_stack)
{
    file_fixture f;
    REQUIRE(load_file(&f, "misc.ptx", "stack"));
    uint32_t *out = pinned(&f, 16 * 64);
    uint64_t params[] = {(uintptr_t)out};
    expect_no_fault(&f, run(&f, 1, 64, params));
    for (uint32_t t = 0; t < 64; t++) {
        CHECK_EQ_INT(out[4 * t], 0);
        CHECK_EQ_INT(out[4 * t + 1], t);
        CHECK_EQ_INT(out[4 * t + 2], t + 1000);
        CHECK_EQ_INT(out[4 * t + 3], 1); /* the restored stack gives the same address again */
    }
    unload_file(&f);
}

static void fetch_lane(const exec_texture_fetch *f, uint32_t lane)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < f->dimensions; k++) {
        float x;
        memcpy(&x, &f->coordinate[k][lane], 4);
        sum = 10 * sum + (f->real ? (uint32_t)x : f->coordinate[k][lane]);
    }
    for (uint32_t k = 0; k < 4; k++) {
        float v = (float)(sum + k);
        f->out[k][lane] = sum + k;
        if (f->type == PTX_F32) memcpy(&f->out[k][lane], &v, 4);
    }
    f->address[lane] = 0x1000 + 4 * sum;
    if (f->dimensions == 2) *f->located |= 1u << lane;
}

static bool fetch(void *user, const exec_texture_fetch *f, uint32_t *out_bad)
{
    (void)user;
    for (uint32_t lane = 0; lane < 32; lane++) {
        if (!(f->mask >> lane & 1)) continue;
        *out_bad = lane;
        if (f->texture[lane] != 42) return false;
        fetch_lane(f, lane);
    }
    return true;
}

UNIT_CASE(textures)
{
    file_fixture f;
    seen s = {0};
    event_listener listener = {&noter, &s};
    REQUIRE(load_file(&f, "misc.ptx", "texture"));
    uint32_t *out = pinned(&f, 32 * 32);
    float *real = (float *)out;
    uint64_t params[] = {(uintptr_t)out, 42};
    f.services.texture = fetch;
    f.listener = &listener;
    expect_no_fault(&f, run(&f, 1, 32, params));
    for (uint32_t t = 0; t < 32; t++) {
        CHECK_EQ_INT(out[8 * t], t);
        CHECK_EQ_INT(out[8 * t + 1], t + 3);
        CHECK_EQ_INT(real[8 * t + 2], 10 * t + 2);
        CHECK_EQ_INT(real[8 * t + 3], 10 * t + 3);
        CHECK_EQ_INT(out[8 * t + 4], 110 * t + 5);
        CHECK_EQ_INT(out[8 * t + 5], 110 * t + 7);
        CHECK_EQ_INT(out[8 * t + 6], 1);
    }
    int e = find_mem(&s, EVENT_LOAD, EVENT_TEXTURE, 0);
    REQUIRE(e >= 0);
    CHECK_EQ_INT(s.address[e][7], 0x1000 + 4 * 72);
    CHECK_EQ_INT(find_mem(&s, EVENT_LOAD, EVENT_TEXTURE, 1), -1);
    params[1] = 7;
    CHECK_EQ_INT(run(&f, 1, 32, params), EXEC_ILLEGAL_ADDRESS);
    CHECK_HAS(f.result.fault.message, "no texture object");
    unload_file(&f);
}

static void check_refusals(const char *kernel, const char *const *words, size_t count)
{
    file_fixture f;
    CHECK_EQ_INT(open_file(&f, "refused.ptx", kernel), LW_UNSUPPORTED);
    for (size_t k = 0; k < count; k++) CHECK_HAS(f.base.error.message, words[k]);
    unload_file(&f);
}

UNIT_CASE(refusals_are_named_together)
{
    static const char *const all[] = {"15 problems",
                                      "ldmatrix.sync.aligned.m16n16",
                                      "b6x16_p32",
                                      "stmatrix.sync.aligned.m16n8",
                                      "tex.2dms",
                                      "comparisons of depths",
                                      "a sampler of its own",
                                      "istypep",
                                      "'.global' of 'st.async.release.gpu.global.b32': needs sm_100a",
                                      "cta_group::2",
                                      "clusterlaunchcontrol",
                                      "'add.rn.ftz.f32x2': needs sm_100",
                                      "'fma.rn.sat.f32.bf16': needs sm_100",
                                      "'min.NaN.abs.f32': needs sm_100",
                                      "e3m2x2.f32': needs sm_100",
                                      "'cvt.rs.relu.f16x2.f32': needs sm_100"};
    static const char *const more[] = {"6 problems",
                                       "'min.NaN.f32': needs sm_100",
                                       "'.f32' of 'redux.sync.max.NaN.f32': needs sm_100a",
                                       "'.e5m2x4' of 'multimem.ld_reduce",
                                       "ue8m0': needs sm_120a",
                                       "'vadd.u32.u32.u32.sat': hardware deviates",
                                       "e2m1x2.f16x2': needs sm_100"};
    check_refusals("all", all, LW_COUNT(all));
    check_refusals("more", more, LW_COUNT(more));
}

/* A phase is seen by all who wait for it before one of them goes on; to end an object twice is no fault. */
UNIT_CASE(waiters_see_a_phase_together)
{
    for (uint32_t threads = 32; threads <= 1024; threads += 31 * 32) {
        file_fixture f;
        REQUIRE(load_file(&f, "mbarrier.ptx", "ended_early"));
        uint64_t params[] = {0};
        CHECK_EQ_INT(run(&f, 1, threads, params), EXEC_NO_FAULT);
        CHECK_EQ_INT(f.result.warning.kind, EXEC_DIVERGENT_BARRIER);
        CHECK_HAS(f.result.warning.message, "a second time");
        unload_file(&f);
    }
}

/* Nobody arrives: reported after a while as a hang, with the place. The loop's way out is a jump without a guard. */
UNIT_CASE(endless_wait_is_a_hang)
{
    file_fixture f;
    REQUIRE(load_file(&f, "mbarrier.ptx", "forever"));
    uint64_t params[] = {0};
    CHECK_EQ_INT(run(&f, 1, 1, params), EXEC_HANG);
    CHECK_HAS(f.result.fault.message, "spin");
    unload_file(&f);
}

UNIT_MAIN()
