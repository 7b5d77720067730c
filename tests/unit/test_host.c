/* test_host: the device runtime without a compiler: memory, copies, streams, events, graphs, capture, device
 * printf, the device heap, modules from PTX text, launches and their errors. */
#include "unit.h"

#include "host/host.h"
#include "host/services_priv.h"
#include "host/settings_priv.h"
#include "host/source_priv.h"

#include <unistd.h>

static const char kernels[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .entry add(.param .u64 p, .param .u32 k)\n"
    "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [k];\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r3, [%rd3];\nadd.u32 %r3, %r3, %r1;\nst.global.u32 [%rd3], %r3;\nret;\n}\n"
    ".visible .entry bad()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 0;\nst.global.u32 [%rd1], 1;\nret;\n}\n"
    ".visible .entry bounded() .maxntid 64, 1, 1\n{\nret;\n}\n";

static host_module *load(void)
{
    host_part part = {"test.ptx", kernels, strlen(kernels)};
    host_module *m = NULL;
    lw_error error = {0};
    CHECK_EQ_INT(host_module_load(host_get(), &part, 1, &m, &error), 0);
    if (error.status) printf("    %s\n", error.message);
    return m;
}

static host_kernel *kernel(host_module *m, const char *name)
{
    host_kernel *k = NULL;
    CHECK_EQ_INT(host_module_kernel(m, name, &k), 0);
    return k;
}

static uint64_t device(uint64_t bytes)
{
    uint64_t a = 0;
    CHECK_EQ_INT(host_malloc(host_get(), bytes, MEM_DEVICE, 0, &a), 0);
    return a;
}

static host_stream *stream(void)
{
    host_stream *s = NULL;
    CHECK_EQ_INT(host_stream_create(host_get(), 1, 0, &s), 0);
    return s;
}

static uint64_t at(const void *p) { return (uint64_t)(uintptr_t)p; }

UNIT_CASE(errors_table)
{
    CHECK_STR(host_error_find(0)->runtime_name, "cudaSuccess");
    CHECK_STR(host_error_find(700)->driver_name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK_STR(host_error_find(9)->text, "invalid configuration argument");
    CHECK(host_error_find(9)->driver_name == NULL);
    CHECK(host_error_find(12345) == NULL);
}

UNIT_CASE(memory_and_copies)
{
    host_context *c = host_get();
    host_stream *legacy = host_stream_resolve(c, NULL, false);
    uint64_t a = device(1000), zero = 1;
    char h[1001], back[1000];
    for (int i = 0; i < 1001; i++) h[i] = (char)(i * 7);
    host_copy in = host_copy_flat(a, at(h), 1000, HOST_COPY_H2D),
              out = host_copy_flat(at(back), a, 1000, HOST_COPY_D2H);
    CHECK_EQ_INT(host_copy_put(c, legacy, &in, true), 0);
    CHECK_EQ_INT(host_copy_put(c, legacy, &out, true), 0);
    CHECK(!memcmp(h, back, 1000));
    in.width = 1001; /* past the end of the allocation */
    CHECK_EQ_INT(host_copy_put(c, legacy, &in, true), HOST_INVALID_VALUE);
    in = host_copy_flat(a, at(h), 10, HOST_COPY_D2H); /* the source is no device memory */
    CHECK_EQ_INT(host_copy_put(c, legacy, &in, true), HOST_INVALID_VALUE);
    in.kind = 7;
    CHECK_EQ_INT(host_copy_put(c, legacy, &in, true), HOST_INVALID_MEMCPY_DIRECTION);
    CHECK_EQ_INT(host_malloc(c, 0, MEM_DEVICE, 0, &zero), 0);
    CHECK_EQ_INT(zero, 0);
    CHECK_EQ_INT(host_malloc(c, UINT64_C(1) << 50, MEM_DEVICE, 0, &zero), HOST_MEMORY_ALLOCATION);
    CHECK_EQ_INT(host_free(c, a + 4), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_free_pinned(c, a), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_free(c, a), 0);
    CHECK_EQ_INT(host_free(c, a), HOST_INVALID_VALUE);
}

UNIT_CASE(copies_and_sets_of_rows)
{
    host_context *c = host_get();
    host_stream *s = stream();
    uint64_t a = device(64 * 6);
    host_fill fill = {{a, 64, 3}, 0xab, 1, 5, 2, 2}; /* 5 bytes of 2 rows of 2 slices of 3 rows */
    CHECK_EQ_INT(host_fill_put(c, s, &fill, true), 0);
    const uint8_t *p = mem_storage(a);
    int set = 0;
    for (int i = 0; i < 64 * 6; i++) set += p[i] == 0xab;
    CHECK_EQ_INT(set, 20);
    CHECK(p[4] == 0xab && p[5] == 0 && p[64] == 0xab && p[128] == 0 && p[192] == 0xab);
    uint8_t h[10];
    host_copy copy = {{at(h), 5, 2}, {a, 64, 3}, 5, 2, 1, HOST_COPY_D2H, false};
    CHECK_EQ_INT(host_copy_put(c, s, &copy, true), 0);
    for (int i = 0; i < 10; i++) CHECK_EQ_INT(h[i], 0xab);
    copy.dst.pitch = 4;
    CHECK_EQ_INT(host_copy_put(c, s, &copy, true), HOST_INVALID_PITCH_VALUE);
    fill = (host_fill){{a, 64, 1}, 0x11223344, 4, 3, 1, 1};
    CHECK_EQ_INT(host_fill_put(c, s, &fill, true), 0);
    CHECK_EQ_INT(lw_read_u32(p + 8), 0x11223344);
    CHECK_EQ_INT(host_stream_destroy(host_get(), s), 0);
    CHECK_EQ_INT(host_stream_destroy(host_get(), s), HOST_INVALID_RESOURCE_HANDLE);
    CHECK(host_stream_resolve(c, s, false) == NULL);
    host_free(c, a);
}

/* Bytes the caller may overwrite as soon as an asynchronous copy returns. */
UNIT_CASE(pageable_sources_are_staged)
{
    host_context *c = host_get();
    host_stream *s = stream();
    uint64_t a = device(4096);
    char h[4096];
    for (int round = 0; round < 50; round++) {
        memset(h, round, sizeof h);
        host_copy in = host_copy_flat(a, at(h), sizeof h, HOST_COPY_H2D);
        CHECK_EQ_INT(host_copy_put(c, s, &in, false), 0);
        memset(h, 0xee, sizeof h);
        CHECK_EQ_INT(host_stream_synchronize(s), 0);
        CHECK_EQ_INT(*(char *)mem_storage(a + 4095), round);
    }
    host_stream_destroy(host_get(), s);
    host_free(c, a);
}

static void append(void *user) { lw_text_add(user, "x"); }

UNIT_CASE(streams_events_and_functions)
{
    host_context *c = host_get();
    host_stream *s = stream(), *t = stream();
    host_event *a, *b;
    float ms = -1;
    lw_text text = {0};
    CHECK_EQ_INT(host_event_create(c, 0, &a), 0);
    CHECK_EQ_INT(host_event_create(c, 0, &b), 0);
    CHECK_EQ_INT(host_event_elapsed(host_get(), a, b, &ms), HOST_INVALID_RESOURCE_HANDLE); /* never recorded */
    CHECK_EQ_INT(host_event_record(a, s, 0), 0);
    for (int i = 0; i < 100; i++) CHECK_EQ_INT(host_function_put(i & 1 ? s : t, append, &text), 0);
    CHECK_EQ_INT(host_event_record(b, s, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(t, b, 0), 0);
    CHECK_EQ_INT(host_event_synchronize(host_get(), b), 0);
    CHECK_EQ_INT(text.size, 100);
    CHECK_EQ_INT(host_event_query(host_get(), b), 0);
    CHECK_EQ_INT(host_event_elapsed(host_get(), a, b, &ms), 0);
    CHECK(ms > 0);
    CHECK_EQ_INT(host_stream_query(s), 0);
    CHECK_EQ_INT(host_event_create(c, 0x77, &a), HOST_INVALID_VALUE);
    host_event_destroy(host_get(), b);
    CHECK_EQ_INT(host_event_query(host_get(), b), HOST_INVALID_RESOURCE_HANDLE);
    host_stream_destroy(host_get(), s);
    host_stream_destroy(host_get(), t);
    lw_text_free(&text);
}

static void late(void *user)
{
    usleep(20000);
    *(volatile int *)user = 1;
}

/* A stream with no work of its own that waits for another's event: to wait for it is to wait for the event. */
UNIT_CASE(waiting_streams_wait_when_synchronised)
{
    host_stream *s = stream(), *t = stream();
    host_event *e;
    volatile int done = 0;
    CHECK_EQ_INT(host_event_create(host_get(), 0, &e), 0);
    CHECK_EQ_INT(host_function_put(s, late, (void *)(uintptr_t)&done), 0);
    CHECK_EQ_INT(host_event_record(e, s, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(t, e, 0), 0);
    CHECK_EQ_INT(host_stream_query(t), HOST_NOT_READY);
    CHECK_EQ_INT(host_stream_synchronize(t), 0);
    CHECK_EQ_INT(done, 1);
    host_event_destroy(host_get(), e);
    host_stream_destroy(host_get(), s);
    host_stream_destroy(host_get(), t);
}

UNIT_CASE(device_printf)
{
    host_context *c = host_get();
    uint8_t args[64] = {0};
    exec_printed read;
    int32_t n = -7;
    double f = 1.5;
    int64_t wide = INT64_C(1234567890123);
    memcpy(args, &n, 4);
    memcpy(args + 8, &f, 8); /* after four bytes of padding */
    memcpy(args + 16, &wide, 8);
    c->print->text.size = 0;
    CHECK_EQ_INT(host_print(c, "k", "[%d|%5.2f|%lld|%%]", args, sizeof args, &read, NULL), 3);
    CHECK_STR(c->print->text.data, "[-7| 1.50|1234567890123|%]");
    CHECK_EQ_INT(read.read, 24);
    CHECK_EQ_INT(read.arguments, 3);
    CHECK_EQ_INT(read.wide, 2);
    c->print->text.size = 0;
    memcpy(args, "\x05\0\0\0\x2a\0\0\0", 8); /* a width of its own */
    CHECK_EQ_INT(host_print(c, "k", "%*d.", args, sizeof args, &read, NULL), 1);
    CHECK_STR(c->print->text.data, "   42.");
    CHECK_EQ_INT(read.arguments, 2);
    c->print->text.size = 0;
    CHECK_EQ_INT(host_print(c, "k", "no end %", args, sizeof args, &read, NULL), 0);
    CHECK_STR(c->print->text.data, "no end %");
    c->print->text.size = 0;
    CHECK_EQ_INT(host_print(c, "k", NULL, args, sizeof args, &read, NULL), -1);
    memset(args, 0x11, sizeof args);
    c->print->text.size = 0;
    CHECK_EQ_INT(host_print(c, "k", "%x %x %llx %x", args, 8, &read, NULL), 4); /* two of the four are there */
    CHECK_STR(c->print->text.data, "11111111 11111111 0 0");
    CHECK_EQ_INT(read.read, 8);
    c->print->text.size = 0;
    CHECK_EQ_INT(host_print(c, "k", "%d", NULL, 0, &read, NULL), 1);
    CHECK_STR(c->print->text.data, "0");
    CHECK_EQ_INT(read.read, 0);
    uint64_t text = device(8), pointer = text;
    memcpy(mem_storage(text), "no end..", 8);
    c->print->text.size = 0;
    CHECK_EQ_INT(host_print(c, "k", "<%s>", (const uint8_t *)&pointer, 8, &read, NULL), 1);
    CHECK_STR(c->print->text.data, "<no end..[cut]>");
    CHECK_EQ_INT(read.strings, 1);
    CHECK_EQ_INT(read.text_bytes, 9);
    c->print->text.size = 0;
    host_free(c, text);
}

UNIT_CASE(device_heap)
{
    host_context *c = host_get();
    uint64_t a = host_heap_alloc(c, 0, 100, NULL), b = host_heap_alloc(c, 0, 1, NULL), d;
    CHECK(a && b && a != b && a % 16 == 0 && b % 16 == 0 && b - a >= 100);
    CHECK_EQ_INT(host_heap_alloc(c, 0, host_limit_of(c, 0, HOST_LIMIT_MALLOC_HEAP_SIZE), NULL),
                 0); /* does not fit any more */
    host_heap_free(c, a, NULL, NULL);
    d = host_heap_alloc(c, 0, 100, NULL);
    CHECK_EQ_INT(d, a); /* first fit */
    host_heap_free(c, b, NULL, NULL);
    host_heap_free(c, d, NULL, NULL);
    d = host_heap_alloc(c, 0, host_limit_of(c, 0, HOST_LIMIT_MALLOC_HEAP_SIZE) - 64, NULL); /* neighbours were joined */
    CHECK(d != 0);
    host_heap_free(c, d, NULL, NULL);
    host_heap_free(c, 0, NULL, NULL);
}

UNIT_CASE(modules_and_launches)
{
    host_context *c = host_get();
    host_module *m = load();
    REQUIRE(m != NULL);
    host_kernel *add = kernel(m, "add"), *bounded = kernel(m, "bounded"), *none;
    CHECK_EQ_INT(host_module_kernel(m, "absent", &none), HOST_SYMBOL_NOT_FOUND);
    CHECK_EQ_INT(host_module_kernel_count(m), 3);
    uint64_t address, bytes;
    CHECK_EQ_INT(host_module_symbol(m, "counter", &address, &bytes), 0);
    CHECK_EQ_INT(bytes, 4);
    CHECK_EQ_INT(lw_read_u32(mem_storage(address)), 5);
    uint64_t p = device(256);
    uint32_t k = 3;
    void *params[] = {&p, &k};
    host_launch_config g = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .stream = host_stream_resolve(c, NULL, false)};
    CHECK_EQ_INT(host_launch(add, &g, params, NULL, 0), 0);
    uint8_t packed[12];
    memcpy(packed, &p, 8);
    memcpy(packed + 8, &k, 4);
    CHECK_EQ_INT(host_launch(add, &g, NULL, packed, sizeof packed), 0);
    CHECK_EQ_INT(host_synchronize(c), 0);
    CHECK_EQ_INT(lw_read_u32(mem_storage(p + 63 * 4)), 6);
    g.block[0] = 1025;
    CHECK_EQ_INT(host_launch(add, &g, params, NULL, 0), HOST_INVALID_VALUE);
    g.block[0] = 65;
    CHECK_EQ_INT(host_launch(bounded, &g, NULL, NULL, 0), HOST_INVALID_VALUE);
    g.block[0] = 64;
    CHECK_EQ_INT(host_launch(bounded, &g, NULL, NULL, 0), 0);
    CHECK_EQ_INT(host_launch(add, &g, NULL, NULL, 0), HOST_INVALID_VALUE); /* no arguments */
    g.cluster_given = true;
    g.cluster[0] = 3, g.cluster[1] = g.cluster[2] = 1; /* does not divide the grid */
    CHECK_EQ_INT(host_launch(add, &g, params, NULL, 0), HOST_INVALID_CLUSTER_SIZE);
    host_free(c, p);
    CHECK_EQ_INT(host_module_unload(host_get(), m), 0);
    CHECK(!host_kernel_valid(host_get(), add));
}

typedef struct worker_arg {
    host_module *module;
    int number, wrong;
} worker_arg;

static void *worker(void *pointer)
{
    worker_arg *w = pointer;
    host_context *c = host_get();
    host_stream *s;
    host_event *e;
    host_kernel *add;
    uint64_t p = 0;
    if (host_stream_create(c, 0, 0, &s) || host_event_create(c, 0, &e) || host_malloc(c, 256, MEM_DEVICE, 0, &p) ||
        host_module_kernel(w->module, "add", &add)) {
        w->wrong = 1;
        return NULL;
    }
    uint32_t k = (uint32_t)w->number;
    void *params[] = {&p, &k};
    host_launch_config g = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .stream = s};
    for (int i = 0; i < 20; i++) {
        w->wrong += host_launch(add, &g, params, NULL, 0) != 0;
        w->wrong += host_event_record(e, s, 0) != 0;
        w->wrong += host_stream_wait_event(s, e, 0) != 0;
    }
    uint32_t h[64];
    host_copy out = host_copy_flat(at(h), p, 256, HOST_COPY_D2H);
    w->wrong += host_copy_put(c, s, &out, false) != 0;
    w->wrong += host_stream_synchronize(s) != 0;
    for (int i = 0; i < 64; i++) w->wrong += h[i] != 20 * k;
    host_event_destroy(host_get(), e);
    host_stream_destroy(host_get(), s);
    w->wrong += host_free(c, p) != 0;
    return NULL;
}

UNIT_CASE(several_host_threads)
{
    host_module *m = load();
    REQUIRE(m != NULL);
    pthread_t threads[6];
    worker_arg args[6];
    for (int i = 0; i < 6; i++) {
        args[i] = (worker_arg){m, i + 1, 0};
        pthread_create(&threads[i], NULL, worker, &args[i]);
    }
    for (int i = 0; i < 6; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ_INT(args[i].wrong, 0);
    }
    CHECK_EQ_INT(host_module_unload(host_get(), m), 0);
}

static void count_destruction(void *pointer) { ++*(int *)pointer; }

UNIT_CASE(user_objects_live_as_long_as_graphs)
{
    int destroyed = 0;
    host_graph *g, *clone;
    host_user *u = host_user_create(host_get(), &destroyed, count_destruction, 1);
    CHECK_EQ_INT(host_graph_create(host_get(), &g), 0);
    CHECK_EQ_INT(host_graph_retain(host_get(), g, u, 1, true), 0); /* moved: the graph has the only one */
    CHECK_EQ_INT(host_graph_clone(host_get(), g, &clone), 0);
    CHECK_EQ_INT(host_graph_release(host_get(), g, u, 2), HOST_INVALID_VALUE);
    host_graph_destroy(host_get(), g);
    CHECK_EQ_INT(destroyed, 0);
    host_graph_destroy(host_get(), clone);
    CHECK_EQ_INT(destroyed, 1);
    CHECK_EQ_INT(host_user_release(host_get(), u, 1), HOST_INVALID_VALUE);
}

UNIT_CASE(faults_are_sticky)
{
    host_context *c = host_get();
    host_module *m = load();
    REQUIRE(m != NULL);
    host_launch_config g = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = host_stream_resolve(c, NULL, false)};
    CHECK_EQ_INT(host_launch(kernel(m, "bad"), &g, NULL, NULL, 0), 0); /* the launch itself is fine */
    uint64_t a;
    CHECK_EQ_INT(host_synchronize(c), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_synchronize(c), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_malloc(c, 16, MEM_DEVICE, 0, &a), HOST_ILLEGAL_ADDRESS);
    CHECK_EQ_INT(host_reset(c), 0);
    CHECK_EQ_INT(host_malloc(c, 16, MEM_DEVICE, 0, &a), 0);
    host_free(c, a);
}

UNIT_CASE(bad_modules_say_why)
{
    host_module *m = NULL;
    static const struct {
        const char *text;
        host_error error;
    } rows[] = {
        {".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate", HOST_INVALID_PTX},
        {"\x7f"
         "ELF garbage",
         HOST_INVALID_KERNEL_IMAGE},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        lw_error error = {0};
        host_part part = {"bad", rows[i].text, strlen(rows[i].text)};
        host_error got = host_module_load(host_get(), &part, 1, &m, &error);
        CHECK(got != 0 && error.message[0]);
        if (!i) CHECK_EQ_INT(got, rows[i].error);
    }
}

static void finish_late(void *user)
{
    usleep(20000);
    *(int *)user = 1;
}

UNIT_CASE(destroying_a_graph_waits_for_its_launch)
{
    host_graph *g;
    host_node *n;
    host_graph_exec *x;
    volatile int finished = 0;
    host_op op = {.kind = HOST_OP_FUNCTION};
    op.u.function.function = finish_late;
    op.u.function.user = (void *)&finished;
    host_stream *s = stream();
    CHECK_EQ_INT(host_graph_create(host_get(), &g), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, NULL, 0, &n), 0);
    CHECK_EQ_INT(host_graph_instantiate(host_get(), g, 0, &x), 0);
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_graph_exec_destroy(host_get(), x), 0);
    CHECK_EQ_INT(finished, 1);
    CHECK_EQ_INT(host_graph_destroy(host_get(), g), 0);
    host_stream_destroy(host_get(), s);
}

UNIT_CASE(graphs)
{
    host_context *c = host_get();
    host_graph *g, *clone;
    host_node *n[3], *list[4];
    host_graph_exec *x;
    lw_text text = {0};
    host_op op = {.kind = HOST_OP_FUNCTION};
    op.u.function.function = append;
    op.u.function.user = &text;
    CHECK_EQ_INT(host_graph_create(c, &g), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, NULL, 0, &n[0]), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, &n[0], 1, &n[1]), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, &n[1], 1, &n[2]), 0);
    CHECK_EQ_INT(host_graph_nodes(g, NULL, 0), 3);
    CHECK_EQ_INT(host_graph_roots(g, list, 4), 1);
    CHECK(list[0] == n[0]);
    CHECK_EQ_INT(host_graph_edges(g, NULL, NULL, 0), 2);
    CHECK_EQ_INT(host_graph_instantiate(host_get(), g, 0, &x), 0);
    host_stream *s = stream();
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    CHECK_EQ_INT(text.size, 6);
    CHECK_EQ_INT(host_graph_clone(host_get(), g, &clone), 0);
    host_node *twin = host_graph_find_clone(clone, n[1]);
    CHECK(twin && twin != n[1] && host_node_dependents(twin, NULL, 0) == 1);
    CHECK_EQ_INT(host_graph_add_edges(host_get(), g, &n[2], &n[0], 1), 0); /* a cycle */
    host_graph_exec *none;
    CHECK_EQ_INT(host_graph_instantiate(host_get(), g, 0, &none), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_graph_remove_edges(host_get(), g, &n[2], &n[0], 1), 0);
    CHECK_EQ_INT(host_node_destroy(host_get(), n[1]), 0);
    CHECK(!host_node_valid(host_get(), n[1]));
    CHECK_EQ_INT(host_graph_roots(g, NULL, 0), 2);
    int result = -1;
    CHECK_EQ_INT(host_graph_exec_update(host_get(), x, g, NULL, &result), HOST_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK_EQ_INT(result, 2); /* the topology changed */
    CHECK_EQ_INT(host_graph_exec_update(host_get(), x, clone, NULL, &result), 0);
    CHECK_EQ_INT(host_graph_exec_destroy(host_get(), x), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), clone), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), g), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), g), HOST_INVALID_VALUE);
    host_stream_destroy(host_get(), s);
    lw_text_free(&text);
}

UNIT_CASE(capture_with_fork_and_join)
{
    host_context *c = host_get();
    host_stream *s = stream(), *t = stream();
    host_event *fork, *join;
    host_graph *g = NULL;
    lw_text text = {0};
    host_event_create(c, 2, &fork);
    host_event_create(c, 2, &join);
    CHECK_EQ_INT(host_capture_begin(s, 0, NULL, NULL, 0), 0);
    CHECK_EQ_INT(host_capture_begin(s, 0, NULL, NULL, 0), HOST_ILLEGAL_STATE);
    CHECK_EQ_INT(host_function_put(s, append, &text), 0);
    CHECK_EQ_INT(host_event_record(fork, s, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(t, fork, 0), 0);
    CHECK_EQ_INT(host_function_put(t, append, &text), 0);
    CHECK_EQ_INT(host_function_put(s, append, &text), 0);
    CHECK_EQ_INT(host_event_record(join, t, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(s, join, 0), 0);
    CHECK_EQ_INT(host_function_put(s, append, &text), 0);
    CHECK_EQ_INT(host_capture_end(t, &g), HOST_STREAM_CAPTURE_UNMATCHED);
    CHECK_EQ_INT(host_capture_end(s, &g), 0);
    REQUIRE(g != NULL);
    CHECK_EQ_INT(text.size, 0); /* captured, not run */
    CHECK_EQ_INT(host_graph_nodes(g, NULL, 0), 4);
    CHECK_EQ_INT(host_graph_edges(g, NULL, NULL, 0), 4);
    host_graph_destroy(host_get(), g);

    CHECK_EQ_INT(host_capture_begin(s, 0, NULL, NULL, 0), 0);
    host_function_put(s, append, &text);
    host_event_record(fork, s, 0);
    host_stream_wait_event(t, fork, 0);
    host_function_put(t, append, &text);
    CHECK_EQ_INT(host_capture_end(s, &g), HOST_STREAM_CAPTURE_UNJOINED);
    for (int joined = 0; joined < 2; joined++) { /* a stream that is destroyed meanwhile must be joined, too */
        host_stream *u = stream();
        CHECK_EQ_INT(host_capture_begin(s, 0, NULL, NULL, 0), 0);
        host_event_record(fork, s, 0);
        host_stream_wait_event(u, fork, 0);
        host_function_put(u, append, &text);
        host_event_record(join, u, 0);
        if (joined) CHECK_EQ_INT(host_stream_wait_event(s, join, 0), 0);
        CHECK_EQ_INT(host_stream_destroy(host_get(), u), 0);
        CHECK_EQ_INT(host_capture_end(s, &g), joined ? 0 : HOST_STREAM_CAPTURE_UNJOINED);
        if (joined) host_graph_destroy(host_get(), g);
    }
    CHECK_EQ_INT(host_capture_begin(s, 0, NULL, NULL, 0), 0);
    uint64_t a;
    CHECK_EQ_INT(host_malloc(c, 16, MEM_DEVICE, 0, &a), HOST_STREAM_CAPTURE_UNSUPPORTED);
    CHECK_EQ_INT(host_function_put(s, append, &text), HOST_STREAM_CAPTURE_INVALIDATED);
    CHECK_EQ_INT(host_capture_end(s, &g), HOST_STREAM_CAPTURE_INVALIDATED);
    CHECK_EQ_INT(host_capture_end(s, &g), HOST_ILLEGAL_STATE);
    host_stream_destroy(host_get(), s);
    host_stream_destroy(host_get(), t);
    lw_text_free(&text);
}

UNIT_CASE(limits_and_attributes)
{
    host_context *c = host_get();
    uint64_t value;
    int threads = 0;
    CHECK_EQ_INT(host_limit_get(c, 2, &value), 0);
    CHECK_EQ_INT(value, 8388608);
    CHECK_EQ_INT(host_limit_get(c, 3, &value), HOST_UNSUPPORTED_LIMIT);
    CHECK_EQ_INT(host_limit_set(c, 50, 1), HOST_INVALID_VALUE);
    CHECK_EQ_INT(host_device_attribute(c, 0, 1, &threads), 0);
    CHECK_EQ_INT(threads, 1024);
    CHECK_EQ_INT(host_device_attribute(c, 0, 100000, &threads), HOST_INVALID_VALUE);
}

UNIT_CASE(mangled_names_in_messages)
{
    static const char *const rows[][2] = {
        {"kernel '_Z3addIfEvPT_i' cannot run", "kernel 'void add<float>(float*, int)' cannot run"},
        {"_Z1kv", "k()"},
        {"x_Z1kv _Zno _ _Z", "x_Z1kv _Zno _ _Z"},
        {"", ""},
    };
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        char *shown = host_demangle_text(rows[k][0]);
        CHECK_STR(shown, rows[k][1]);
        free(shown);
    }
}

UNIT_CASE(toolkit_headers)
{
    CHECK(host_is_toolkit_file("/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_60_atomic_functions.hpp"));
    CHECK(host_is_toolkit_file("/opt/cuda-13/targets/x86_64-linux/include/cccl/cub/block/block_scan.cuh"));
    CHECK(host_is_toolkit_file("/usr/include/c++/12/bits/stl_vector.h"));
    CHECK(!host_is_toolkit_file("/home/someone/cuda/kernels/transpose.cu"));
    CHECK(!host_is_toolkit_file("kernel.cu"));
}

UNIT_MAIN()
