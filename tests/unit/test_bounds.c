/* test_bounds: accesses outside of what a program has: which a card lets through (tests/hw/h200-bounds.csv), what
 * becomes of them, and what is reported. */
#include "fixture.h"
#include "unit.h"

#include <string.h>

static exec_result run_at(fixture *f, uint32_t blocks, uint32_t threads, const void *params, uint32_t workers,
                          bool stop)
{
    exec_launch l = {.kernel = f->kernel,
                     .grid = {blocks, 1, 1},
                     .block = {threads, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = params,
                     .stop_at_errors = stop,
                     .threads = workers,
                     .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    exec_result r;
    CHECK(exec_run(&l, &r, &f->error) == LW_OK);
    return r;
}

static exec_result run(fixture *f, uint32_t threads, const void *params)
{
    return run_at(f, 1, threads, params, 1, false);
}

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* %rd1, %rd4: buffers; %r1: an offset in the first; %r2: the thread's index; %rd3: its word behind the offset */
#define BEGIN                                                                                                          \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 offset) {\n"                                     \
         ".reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .b32 %f<5>;\n"                                                   \
         "ld.param.u64 %rd1, [p];\nld.param.u64 %rd4, [q];\nld.param.u64 %rd5, [offset];\nmov.u32 %r2, %tid.x;\n"      \
         "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd5;\nadd.s64 %rd3, %rd3, %rd2;\n"                          \
         "add.s64 %rd6, %rd4, %rd2;\n"

/* As buffer(), of device memory: not the host's. */
static uint64_t device(fixture *f, uint64_t bytes)
{
    uint64_t a = 0;
    CHECK(mem_alloc(f->memory, bytes, 0, MEM_DEVICE, 0, NULL, &a) == LW_OK);
    return a;
}

typedef struct params {
    uint64_t p, q, offset;
} params;

static const char store_then_load[] = BEGIN "add.u32 %r3, %r2, 7;\nst.global.u32 [%rd3], %r3;\n"
                                            "ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd6], %r4;\nret;\n}\n";

UNIT_CASE(slack_keeps_what_is_written)
{
    fixture f;
    REQUIRE(load(&f, store_then_load, "k"));
    params p = {.p = device(&f, 400), .q = device(&f, 4096), .offset = 384};
    exec_result r = run(&f, 32, &p); /* the first four threads are inside, the others in 384 + 16 .. 512 */
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    const uint32_t *q = mem_storage(p.q);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(q[k], k + 7);
    REQUIRE(r.passed_count == 2); /* the store and the load */
    CHECK_EQ_INT(r.passed[0].count, 28);
    CHECK_EQ_INT(r.passed[0].fault.thread[0], 4);
    CHECK_EQ_INT(r.passed[0].fault.address, p.p + 400);
    CHECK_EQ_INT(r.passed[0].owner, EVENT_GLOBAL << 8 | MEM_DEVICE);
    CHECK_HAS(r.passed[0].fault.message, "global write of 4 bytes");
    CHECK_HAS(r.passed[0].fault.message, "just past the end of a block of 400 bytes (the 1st cudaMalloc)");
    CHECK_HAS(r.passed[1].fault.message, "global read of 4 bytes");
    exec_result_free(&r);
    r = run_at(&f, 1, 32, &p, 1, true);
    CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(r.passed_count, 0);
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(a_red_zone_holds_nothing)
{
    fixture f;
    REQUIRE(load(&f, store_then_load, "k"));
    params p = {.p = device(&f, 400), .q = device(&f, 4096), .offset = 512};
    exec_result r = run(&f, 32, &p);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    const uint32_t *q = mem_storage(p.q);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(q[k], 0);
    REQUIRE(r.passed_count == 2);
    CHECK_EQ_INT(r.passed[0].count, 32);
    CHECK_HAS(r.passed[0].fault.message, "112 bytes past the end");
    CHECK_HAS(r.passed[0].fault.message, "nothing is written");
    CHECK_HAS(r.passed[1].fault.message, "0 is read");
    exec_result_free(&r);
    unload(&f);
}

/* The first word past the red zone is the next allocation's: not noticed. Before all and behind their 2 MiB there is nothing. */
UNIT_CASE(beyond_the_red_zone)
{
    fixture f;
    REQUIRE(load(&f, store_then_load, "k"));
    params p = {.p = device(&f, 400), .q = device(&f, 4096)};
    p.offset = p.q - p.p;
    exec_result r = run(&f, 1, &p);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    CHECK_EQ_INT(r.passed_count, 0);
    exec_result_free(&r);
    uint64_t outside[] = {6 << 20, (uint64_t)-4, UINT64_C(1) << 30};
    for (size_t k = 0; k < LW_COUNT(outside); k++) {
        p.offset = outside[k];
        r = run(&f, 1, &p);
        CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
        CHECK_EQ_INT(r.fault.address, p.p + outside[k]);
        exec_result_free(&r);
    }
    unload(&f);
}

/* A block of a card's pool stays as it was while the pool has others; what has pages of its own is gone. */
UNIT_CASE(freed_memory)
{
    fixture f;
    REQUIRE(load(&f, store_then_load, "k"));
    params p = {.p = device(&f, 400), .q = device(&f, 4096)};
    CHECK_EQ_INT(mem_free(f.memory, p.p), LW_OK);
    exec_result r = run(&f, 32, &p);
    CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
    REQUIRE(r.passed_count == 2);
    CHECK_HAS(r.passed[0].fault.message, "inside freed memory: 400 bytes at 0x5500");
    CHECK_HAS(r.passed[0].fault.message, "allocated by the 1st cudaMalloc, freed by the 1st cudaFree");
    CHECK_EQ_INT(((const uint32_t *)mem_storage(p.q))[5], 12);
    exec_result_free(&r);
    p.p = device(&f, 3 << 20);
    CHECK_EQ_INT(mem_free(f.memory, p.p), LW_OK);
    r = run(&f, 32, &p);
    CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
    CHECK_HAS(r.fault.message, "inside freed memory: 3145728 bytes");
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(a_freed_block_in_an_empty_pool)
{
    fixture f;
    REQUIRE(load(&f, BEGIN "st.global.u32 [%rd3], %r2;\nret;\n}\n", "k"));
    params p = {.p = device(&f, 400)};
    CHECK_EQ_INT(mem_free(f.memory, p.p), LW_OK);
    exec_result r = run(&f, 32, &p);
    CHECK_EQ_INT(r.fault.kind, EXEC_ILLEGAL_ADDRESS);
    CHECK_HAS(r.fault.message, "inside freed memory");
    exec_result_free(&r);
    unload(&f);
}

/* The least block and thread stands for all, whatever the number of host threads. */
UNIT_CASE(records_do_not_depend_on_host_threads)
{
    for (uint32_t workers = 1; workers <= 4; workers++) {
        fixture f;
        REQUIRE(load(&f, BEGIN "st.global.u32 [%rd3], %r2;\nret;\n}\n", "k"));
        params p = {.p = device(&f, 400), .offset = 300};
        exec_result r = run_at(&f, 64, 32, &p, workers, false);
        REQUIRE(r.passed_count == 1);
        CHECK_EQ_INT(r.passed[0].count, 64 * 7);
        CHECK_EQ_INT(r.passed[0].fault.block[0], 0);
        CHECK_EQ_INT(r.passed[0].fault.thread[0], 25);
        exec_result_free(&r);
        unload(&f);
    }
}

/* A copy of any length that ends in the red zone: what lies before is written, what is read there is zero. */
UNIT_CASE(long_copies)
{
    fixture f;
    REQUIRE(load(&f,
                 BEGIN ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 bar;\nmov.u32 %r9, s;\n"
                       "mbarrier.init.shared.b64 [bar], 1;\n"
                       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 1024, [bar];\n"
                       "cp.async.bulk.global.shared::cta.bulk_group [%rd4], [s], 1024;\nret;\n}\n",
                 "k"));
    params p = {.p = device(&f, 512), .q = device(&f, 512)};
    memset(mem_storage(p.p), 5, 512);
    for (int round = 0; round < 2; round++) {
        exec_result r = run(&f, 1, &p);
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(r.passed_count, 2);
        exec_result_free(&r);
        const uint8_t *q = mem_storage(p.q);
        for (uint32_t k = 0; k < 512; k++) CHECK_EQ_INT(q[k], 5);
        p.p = p.q; /* whose red zone was written */
    }
    mem_free(f.memory, p.q);
    unload(&f);
}

static const char shared_kernel[] =
    HEAD ".visible .entry k(.param .u64 p, .param .u32 offset) {\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n"
         ".shared .align 4 .b8 s[100];\nld.param.u64 %rd1, [p];\nld.param.u32 %r1, [offset];\nmov.u32 %r2, s;\n"
         "add.u32 %r2, %r2, %r1;\nmov.u32 %r3, 9;\nst.shared.u32 [%r2], %r3;\nld.shared.u32 %r4, [%r2];\n"
         "cvt.u64.u32 %rd2, %r2;\ncvt.s64.s32 %rd2, %r2;\ncvta.shared.u64 %rd3, %rd2;\nld.u32 %r5, [%rd3];\n"
         "st.global.u32 [%rd1], %r4;\nst.global.u32 [%rd1+4], %r5;\nret;\n}\n";

typedef struct offset_params {
    uint64_t p;
    uint32_t offset;
} offset_params;

static void check_shared(int32_t offset, uint32_t passed, uint32_t value)
{
    fixture f;
    REQUIRE(load(&f, shared_kernel, "k"));
    offset_params p = {device(&f, 400), (uint32_t)offset};
    exec_result r = run(&f, 1, &p);
    const uint32_t *out = mem_storage(p.p);
    if (value == UINT32_MAX) {
        CHECK_EQ_INT(r.fault.kind, EXEC_SHARED_RANGE);
    } else {
        CHECK_EQ_INT(r.fault.kind, EXEC_NO_FAULT);
        CHECK_EQ_INT(r.passed_count, passed);
        CHECK_EQ_INT(out[0], value);
        CHECK_EQ_INT(out[1], value);
        if (passed) CHECK_HAS(r.passed[0].fault.message, "outside the block's 100 bytes of shared memory");
    }
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(shared_memory_up_to_its_granule)
{
    check_shared(96, 0, 9);
    check_shared(100, 3, 9);
    check_shared(124, 3, 9);
    check_shared(128, 0, UINT32_MAX);
    check_shared(-4, 3, 0);
    check_shared(-1024, 3, 0);
    check_shared(-1028, 0, UINT32_MAX);
}

static const char local_kernel[] =
    HEAD ".visible .entry k(.param .u64 p, .param .u32 offset) {\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n"
         ".local .align 4 .b8 l[20];\nld.param.u64 %rd1, [p];\nld.param.u32 %r1, [offset];\nmov.u64 %rd2, l;\n"
         "cvt.u64.u32 %rd3, %r1;\nadd.s64 %rd2, %rd2, %rd3;\nmov.u32 %r3, 9;\nst.local.u32 [%rd2], %r3;\n"
         "ld.local.u32 %r4, [%rd2];\nst.global.u32 [%rd1], %r4;\nret;\n}\n";

static void check_local(uint32_t offset, uint32_t passed, bool faults)
{
    fixture f;
    REQUIRE(load(&f, local_kernel, "k"));
    offset_params p = {device(&f, 400), offset};
    exec_result r = run(&f, 1, &p);
    CHECK_EQ_INT(r.fault.kind, faults ? EXEC_SHARED_RANGE : EXEC_NO_FAULT);
    CHECK_EQ_INT(r.passed_count, passed);
    if (passed) CHECK_HAS(r.passed[0].fault.message, "outside the 20 bytes of the thread's local variables");
    exec_result_free(&r);
    unload(&f);
}

UNIT_CASE(local_memory_up_to_the_end_of_the_stack)
{
    check_local(16, 0, false);
    check_local(20, 2, false);
    check_local(1000, 2, false);
    check_local(20 + 1104, 0, true);
    check_local(1 << 20, 0, true);
}

UNIT_MAIN()
