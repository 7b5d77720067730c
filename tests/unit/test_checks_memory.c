/* test_checks_memory: leakcheck, and what fresh memory holds (--fill). */
#include "host/host.h"
#include "host/refuse.h"
#include "result/result.h"
#include "unit.h"

#include <unistd.h>

static const char reader[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry reader(.param .u64 p)\n"
    "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n.shared .align 4 .b8 s[16];\n.local .align 4 .b8 l[16];\n"
    "ld.param.u64 %rd1, [p];\nld.shared.u32 %r1, [s+4];\nst.global.u32 [%rd1], %r1;\n"
    "ld.local.u32 %r2, [l+8];\nst.global.u32 [%rd1+4], %r2;\n"
    "st.shared.u32 [s+4], 5;\nst.local.u32 [l+8], 5;\nret;\n}\n";

static char path[256];
static result_set all;

__attribute__((constructor)) static void make_results(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/lw-test-checks-memory-%d", folder ? folder : "/tmp", (int)getpid());
    if (result_log_create(path, NULL)) exit(2);
}

__attribute__((destructor)) static void remove_results(void) { unlink(path); }

/* The context with other options. */
static host_context *with(uint32_t checks, mem_fill fill)
{
    host_context *c = NULL;
    host_options options = {.results = path, .checks = {.set = checks}, .fill = fill, .launch_count = UINT64_MAX};
    CHECK_EQ_INT(host_open(&options, &c), 0);
    return c;
}

/* Findings of leakcheck until now. */
static size_t read_leaks(const result_finding *out[8])
{
    size_t count = 0;
    result_set_free(&all);
    all = (result_set){0};
    CHECK_EQ_INT(result_log_read(path, &all, NULL), 0);
    for (size_t i = 0; i < all.findings.count && count < 8; i++)
        if (!strcmp(all.findings.items[i].check, "leakcheck")) out[count++] = &all.findings.items[i];
    return count;
}

__attribute__((noinline)) static uint64_t take(host_context *c, mem_kind kind, uint64_t bytes)
{
    uint64_t a = 0;
    CHECK_EQ_INT(host_malloc(c, bytes, kind, 0, &a), 0);
    return a;
}

UNIT_CASE(what_is_freed_or_not_asked_for_is_no_leak)
{
    const result_finding *found[8];
    host_context *c = with(0, (mem_fill){0});
    take(c, MEM_DEVICE, 100);
    CHECK_EQ_INT(host_reset(c), 0);
    CHECK_EQ_INT(read_leaks(found), 0);
    c = with(1u << CHECK_LEAKCHECK, (mem_fill){0});
    uint64_t a = take(c, MEM_DEVICE, 100);
    uint64_t b = take(c, MEM_PINNED, 100);
    CHECK_EQ_INT(host_free(c, a), 0);
    CHECK_EQ_INT(host_free_pinned(c, b), 0);
    CHECK_EQ_INT(host_free_async(c, host_stream_resolve(c, NULL, false), take(c, MEM_DEVICE, 10)), 0);
    CHECK_EQ_INT(host_reset(c), 0);
    CHECK_EQ_INT(read_leaks(found), 0);
}

UNIT_CASE(leaks_are_notes_one_for_each_place)
{
    const result_finding *found[8];
    host_context *c = with(1u << CHECK_LEAKCHECK, (mem_fill){0});
    for (volatile int k = 0; k < 3; k++) take(c, MEM_DEVICE, 100); /* volatile: one call, not three in a row */
    take(c, MEM_MANAGED, 50);
    CHECK_EQ_INT(host_reset(c), 0);
    REQUIRE(read_leaks(found) == 2);
    CHECK_STR(found[0]->severity, "note");
    CHECK_EQ_INT(found[0]->count, 3);
    CHECK_HAS(found[0]->message, "never freed: 3 blocks, 300 bytes in all; the first is a block of 100 bytes");
    CHECK_HAS(found[1]->message, "never freed: a managed block of 50 bytes");
    CHECK_EQ_INT(host_reset(c), 0);
    CHECK_EQ_INT(read_leaks(found), 2); /* told once */
}

/* ---- what calls are refused for ---- */
static const char *refused(host_error error)
{
    const host_refusal *why = host_refusal_take(error);
    return why ? why->words : "";
}

UNIT_CASE(double_frees_name_the_block)
{
    host_context *c = with(0, (mem_fill){0});
    uint64_t a = take(c, MEM_DEVICE, 100);
    CHECK_EQ_INT(host_free(c, a + 4), HOST_INVALID_VALUE);
    CHECK_HAS(refused(HOST_INVALID_VALUE), "lies 4 bytes inside an allocation");
    CHECK_EQ_INT(host_free(c, a), 0);
    CHECK_EQ_INT(host_free(c, a), HOST_INVALID_VALUE);
    const char *words = refused(HOST_INVALID_VALUE);
    CHECK_HAS(words, "The memory was freed already: 100 bytes at 0x");
    CHECK_HAS(words, "allocated");
    CHECK_HAS(words, "freed");
}

/* Each side of a copy of `rows` rows of 100 bytes: how far it goes too far, and in which block. */
UNIT_CASE(copies_past_either_end_name_the_block)
{
    host_context *c = with(0, (mem_fill){0});
    host_stream *stream = host_stream_resolve(c, NULL, false);
    uint64_t small = take(c, MEM_DEVICE, 1000);
    uint64_t large = take(c, MEM_DEVICE, 2000);
    host_copy copy = host_copy_flat(small, large, 1004, HOST_COPY_D2D);
    CHECK_EQ_INT(host_copy_put(c, stream, &copy, true), HOST_INVALID_VALUE);
    const char *words = refused(HOST_INVALID_VALUE);
    CHECK_HAS(words, "1004 bytes into the destination, which begins 0 bytes into a block of 1000 bytes");
    CHECK_HAS(words, ": 4 too far");
    copy = host_copy_flat(large, small + 8, 1000, HOST_COPY_D2D);
    CHECK_EQ_INT(host_copy_put(c, stream, &copy, true), HOST_INVALID_VALUE);
    CHECK_HAS(refused(HOST_INVALID_VALUE), "1000 bytes into the source, which begins 8 bytes into a block of 1000");
    copy = host_copy_flat(large, small, 100, HOST_COPY_D2D);
    copy.height = 11;
    copy.src.pitch = copy.dst.pitch = 100;
    CHECK_EQ_INT(host_copy_put(c, stream, &copy, true), HOST_INVALID_VALUE);
    CHECK_HAS(refused(HOST_INVALID_VALUE), "1100 bytes into the source");
    copy.height = 10;
    CHECK_EQ_INT(host_copy_put(c, stream, &copy, true), 0);
    CHECK_EQ_INT(host_free(c, small), 0);
    CHECK_EQ_INT(host_copy_put(c, stream, &copy, true), HOST_INVALID_VALUE);
    CHECK_HAS(refused(HOST_INVALID_VALUE), "The memory of the source was freed: 1000 bytes at 0x");
    CHECK_EQ_INT(host_reset(c), 0);
}

UNIT_CASE(fills_are_read)
{
    mem_fill f;
    REQUIRE(mem_fill_parse("0xab", &f));
    CHECK_EQ_INT(f.kind, MEM_FILL_BYTE);
    CHECK_EQ_INT(f.byte, 0xab);
    REQUIRE(mem_fill_parse("random:12", &f));
    CHECK_EQ_INT(f.kind, MEM_FILL_RANDOM);
    CHECK_EQ_INT(f.seed, 12);
    CHECK(!mem_fill_parse("256", &f));
    CHECK(!mem_fill_parse("-1", &f));
    CHECK(!mem_fill_parse("", &f));
    CHECK(!mem_fill_parse("random:", &f));
    CHECK(!mem_fill_parse("random:x", &f));
}

/* What a kernel of `blocks` blocks, and a program, find where nothing was written: device, shared and local memory. */
static void look(mem_fill fill, uint32_t blocks, uint32_t out[3])
{
    host_context *c = with(0, fill);
    host_part part = {"reader.ptx", reader, strlen(reader)};
    host_module *m = NULL;
    host_kernel *k = NULL;
    lw_error error = {0};
    REQUIRE(!host_module_load(c, &part, 1, &m, &error));
    REQUIRE(!host_module_kernel(m, "reader", &k));
    uint64_t p = take(c, MEM_DEVICE, 64);
    uint64_t shared_with_host = take(c, MEM_MANAGED, 64);
    CHECK_EQ_INT(*(uint32_t *)mem_storage(shared_with_host), 0);
    memcpy(&out[0], mem_storage(p + 60), 4);
    host_launch_config config = {
        .grid = {blocks, 1, 1}, .block = {1, 1, 1}, .stream = host_stream_resolve(c, NULL, false)};
    CHECK_EQ_INT(host_launch(k, &config, (void *[]){&p}, NULL, 0), 0);
    CHECK_EQ_INT(host_synchronize(c), 0);
    memcpy(&out[1], mem_storage(p), 8);
    CHECK_EQ_INT(host_reset(c), 0);
}

UNIT_CASE(fresh_memory_holds_what_was_asked_for)
{
    uint32_t first[3], again[3], other[3];
    look((mem_fill){.kind = MEM_FILL_NONE}, 1, first);
    CHECK_EQ_INT(first[0], 0);
    look((mem_fill){.kind = MEM_FILL_BYTE, .byte = 0xab}, 5,
         first); /* later blocks do not see what earlier ones wrote */
    for (int k = 0; k < 3; k++) CHECK_EQ_INT(first[k], 0xabababab);
    look((mem_fill){.kind = MEM_FILL_RANDOM, .seed = 1}, 1, first);
    look((mem_fill){.kind = MEM_FILL_RANDOM, .seed = 1}, 1, again);
    look((mem_fill){.kind = MEM_FILL_RANDOM, .seed = 2}, 1, other);
    for (int k = 1; k < 3; k++) CHECK_EQ_INT(first[k], again[k]);
    for (int k = 0; k < 3; k++) CHECK(first[k] != other[k]);
}

UNIT_MAIN()
