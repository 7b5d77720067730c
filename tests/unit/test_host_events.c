/* test_host_events: clients of events in the host room: every kind of host event occurs, operations and graph edges have
 * their numbers, and a finding of any client reaches the result log. */
#include "event_record.h"

#include "host/clients_priv.h"
#include "host/graph_priv.h"
#include "host/host.h"
#include "host/results_priv.h"

#include <unistd.h>

static const char kernels[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                              ".extern .func free(.param .b64 p);\n"
                              ".visible .entry add(.param .u64 p)\n"
                              "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                              "ld.param.u64 %rd1, [p];\n"
                              "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                              "ld.global.u32 %r3, [%rd3];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd3], %r3;\nret;\n}\n"
                              ".visible .entry heap()\n"
                              "{\n.reg .b64 %rd<4>;\n"
                              "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 64;\n"
                              "call.uni (r), malloc, (n);\nld.param.b64 %rd1, [r];\n}\n"
                              "{\n.param .b64 p;\nst.param.b64 [p], %rd1;\ncall.uni free, (p);\n}\nret;\n}\n"
                              ".visible .entry leak()\n"
                              "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 64;\n"
                              "call.uni (r), malloc, (n);\nret;\n}\n"
                              ".file 1 \"look.cu\"\n.visible .entry look_back(.param .u64 p)\n"
                              "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                              "ld.param.u64 %rd1, [p];\n.loc 1 7 1\nld.relaxed.gpu.global.u32 %r1, [%rd1];\n"
                              ".loc 1 8 1\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
                              "AGAIN:\n.loc 1 7 1\nld.relaxed.gpu.global.u32 %r1, [%rd1];\n"
                              ".loc 1 8 1\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra AGAIN;\nDONE:\nret;\n}\n"
                              ".visible .entry fill(.param .u64 counter, .param .u64 list)\n"
                              "{\n.reg .b32 %r<4>; .reg .b64 %rd<6>;\nld.param.u64 %rd1, [counter];\n"
                              "ld.param.u64 %rd2, [list];\natom.global.add.u32 %r1, [%rd1], 1;\n"
                              "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                              "st.global.u32 [%rd4], %r2;\nret;\n}\n"
                              ".visible .entry gather(.param .u64 list, .param .u64 data)\n"
                              "{\n.reg .b32 %r<4>; .reg .b64 %rd<8>;\nld.param.u64 %rd1, [list];\n"
                              "ld.param.u64 %rd2, [data];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n"
                              "add.s64 %rd4, %rd1, %rd3;\n.loc 1 6 1\nld.global.u32 %r2, [%rd4];\n.loc 1 7 1\n"
                              "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd2, %rd5;\nld.global.u32 %r3, [%rd6];\n"
                              ".loc 1 8 1\nst.global.u32 [%rd4], %r3;\nret;\n}\n";

/* ---------------------------------------------------------------- a client */
static record seen; /* of the process's one session */
static const event_session *the_session;

static void *session_begin(const event_session *session)
{
    the_session = session;
    record_begin(&seen);
    return &seen;
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    (void)session;
    (void)state;
    if (strcmp(launch->kernel, "add")) return;
    event_related other = {.message = "here as well", .thread = {2, 0, 0}};
    event_finding f = {.check = "fakecheck",
                       .severity = "warning",
                       .message = "found by a client",
                       .launch = launch,
                       .insn = launch->insn_count - 1,
                       .thread = {1, 0, 0},
                       .has_place = true,
                       .count = 3,
                       .related = &other,
                       .related_count = 1};
    the_session->finding(the_session->owner, &f);
}

static uint64_t to_guard; /* a block of 4096 bytes; 0: none */

static void on_host(void *session, const event_host *e)
{
    record_host(session, e);
    if (e->kind == EVENT_HOST_ON && to_guard) the_session->guard(the_session->owner, to_guard, 4096, true, false);
}

static const event_client fake = {
    .name = "fake",
    .kinds = ~UINT64_C(0) & ~EVENT_BIT(EVENT_COUNTED),
    .session_begin = session_begin,
    .launch_end = launch_end,
    .host = on_host,
    .worker_begin = record_worker_begin,
    .memory = record_memory,
    .worker_end = record_worker_end,
};

/* The n-th event of the kind; NULL: fewer came. */
static const event_host *find(event_kind kind, uint32_t n)
{
    const seen_host *h = find_host(&seen, kind, n);
    return h ? &h->e : NULL;
}

/* When the n-th event of the kind came. */
static size_t when(event_kind kind, uint32_t n)
{
    const seen_host *h = find_host(&seen, kind, n);
    if (!h) UNIT_FAIL("no event %u of kind '%s'", n, event_kinds[kind].name);
    return h ? (size_t)(h - seen.hosts.items) : 0;
}

/* ---------------------------------------------------------------- a program */
static char log_path[64];

static host_context *context(void)
{
    static bool begun;
    if (!begun) {
        begun = true;
        snprintf(log_path, sizeof log_path, "/tmp/lw_test_host_events_%d", (int)getpid());
        CHECK(result_log_create(log_path, NULL) == LW_OK);
        setenv("LANEWISE_RESULTS", log_path, 1);
        host_client_add(host_get(), &fake);
    }
    return host_get();
}

static void nothing(void *user) { (void)user; }

static host_kernel *kernel(const char *name)
{
    static host_module *m;
    host_part part = {"test.ptx", kernels, strlen(kernels)};
    host_kernel *k = NULL;
    lw_error error = {0};
    if (!m) CHECK_EQ_INT(host_module_load(context(), &part, 1, &m, &error), 0);
    CHECK_EQ_INT(host_module_kernel(m, name, &k), 0);
    return k;
}

static void launch(const char *name, host_stream *s, uint32_t blocks, uint32_t threads, uint64_t p)
{
    void *params[] = {&p};
    host_launch_config g = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .stream = s};
    CHECK_EQ_INT(host_launch(kernel(name), &g, params, NULL, 0), 0);
}

static host_stream *stream(uint32_t flags)
{
    host_stream *s = NULL;
    CHECK_EQ_INT(host_stream_create(context(), flags, 0, &s), 0);
    return s;
}

static void operations(host_context *c, host_stream *s, uint64_t p)
{
    uint32_t values[32] = {0};
    host_copy in = host_copy_flat(p, (uint64_t)(uintptr_t)values, sizeof values, HOST_COPY_H2D);
    CHECK_EQ_INT(host_copy_put(c, s, &in, true), 0);
    host_fill fill = {.dst = {.address = p, .pitch = 128, .rows = 1}, .width = 32, .height = 1, .depth = 1};
    fill.element_bytes = 4;
    CHECK_EQ_INT(host_fill_put(c, s, &fill, false), 0);
    launch("add", s, 1, 32, p);
    launch("heap", s, 1, 1, 0);
    CHECK_EQ_INT(host_function_put(s, nothing, NULL), 0);
    CHECK_EQ_INT(host_value_put(s, p, 7, 4, false, 0), 0);
    CHECK_EQ_INT(host_value_put(s, p, 7, 4, true, 1), 0);
}

/* A graph of a wait for the event and of a function after it. */
static void launch_waiting_graph(host_context *c, host_stream *s, host_event *e)
{
    host_graph *g;
    host_graph_exec *x;
    host_node *wait, *next;
    host_op wait_op = {.kind = HOST_OP_EVENT_WAIT}, next_op = {.kind = HOST_OP_FUNCTION};
    wait_op.u.event.event = e;
    next_op.u.function.function = nothing;
    CHECK_EQ_INT(host_graph_create(c, &g), 0);
    CHECK_EQ_INT(host_graph_add(c, g, &wait_op, NULL, 0, &wait), 0);
    CHECK_EQ_INT(host_graph_add(c, g, &next_op, &wait, 1, &next), 0);
    CHECK_EQ_INT(host_graph_instantiate(c, g, 0, &x), 0);
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_graph_exec_destroy(c, x), 0);
    CHECK_EQ_INT(host_graph_destroy(c, g), 0);
}

static void read_a_word(host_library *l, const void *args)
{
    uint64_t address;
    memcpy(&address, args, sizeof address);
    CHECK(host_library_use(l, (host_library_memory){address, 4, 3, 16}, HOST_LIBRARY_UPDATES) != NULL);
}

static void library(host_stream *s, uint64_t p)
{
    host_library_call call = {.name = "read_a_word", .run = read_a_word, .args_bytes = sizeof p};
    CHECK_EQ_INT(host_library_put(s, &call, &p, false), 0);
}

static void waits(host_context *c, host_stream *s, host_stream *t)
{
    host_event *e;
    CHECK_EQ_INT(host_event_create(c, 0, &e), 0);
    CHECK_EQ_INT(host_event_record(e, s, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(t, e, 0), 0);
    launch_waiting_graph(c, t, e);
    CHECK_EQ_INT(host_event_synchronize(c, e), 0);
    CHECK_EQ_INT(host_stream_synchronize(t), 0);
    CHECK_EQ_INT(host_synchronize(c), 0);
    host_event_destroy(c, e);
}

/* The host reads guarded memory twice: the first read is told, with the value that is there, and before the wait. */
static void access_guarded(host_context *c, host_stream *s)
{
    uint64_t p = 0;
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_MANAGED, 0, &p), 0);
    volatile uint32_t *values = (volatile uint32_t *)(uintptr_t)p;
    values[5] = 41;
    to_guard = p;
    launch("heap", s, 1, 1, 0);
    CHECK_EQ_INT(seen.kinds[EVENT_HOST_TOUCH], 0);
    CHECK_EQ_INT(values[5], 41);
    CHECK_EQ_INT(values[6], 0);
    CHECK_EQ_INT(seen.kinds[EVENT_HOST_TOUCH], 0); /* it is told when the program calls */
    size_t before = seen.hosts.count;
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    to_guard = 0;
    const event_host *read = find(EVENT_HOST_TOUCH, 0);
    REQUIRE(read);
    CHECK_EQ_INT(when(EVENT_HOST_TOUCH, 0), before);
    CHECK(seen.kinds[EVENT_HOST_TOUCH] >= 1); /* the second one, too, where the system lets the page be guarded again */
    CHECK_EQ_INT(read->address, p + 5 * sizeof *values);
    CHECK(!read->writes && read->value);
    CHECK_EQ_INT(host_free(c, p), 0);
}

UNIT_CASE(every_host_kind_occurs)
{
    host_context *c = context();
    host_stream *s = stream(1), *t = stream(0);
    uint64_t p = 0;
    uint32_t values[32];
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_DEVICE, 0, &p), 0);
    CHECK_EQ_INT(host_register(c, values, sizeof values, 0), 0);
    operations(c, s, p);
    library(s, p);
    waits(c, s, t);
    access_guarded(c, s);
    CHECK_EQ_INT(host_unregister(c, values), 0);
    CHECK_EQ_INT(host_free(c, p), 0);
    check_kinds(&seen, event_kinds_of(EVENT_PAYLOAD_host), c->clients->built);
    const uint64_t params = 3 + 3; /* of two calls in the kernel `heap`, by it and by malloc and free */
    CHECK_EQ_INT(seen.accesses.count, 2 + 2 * (params + 1)); /* and of global memory; to free is to write */
    const event_host *read = find(EVENT_HOST_ACCESS, 0), *write = find(EVENT_HOST_ACCESS, 1);
    REQUIRE(read && write);
    CHECK(!read->writes && write->writes && write->address == p && write->rows == 3 && write->pitch == 16);
    const event_host *begin = find(EVENT_LAUNCH_BEGIN, 0), *copy = find(EVENT_HOST_COPY, 0);
    REQUIRE(begin && copy);
    CHECK_EQ_INT(begin->stream, host_stream_id(s));
    CHECK(!begin->blocking && begin->number > copy->number && copy->number > 0);
    CHECK_EQ_INT(copy->address, p);
    CHECK_EQ_INT(copy->bytes, 128);
    CHECK_EQ_INT(find(EVENT_ALLOC, 0)->address, p);
    CHECK_EQ_INT(find(EVENT_FREE, 1)->address, p); /* behind the managed block */
    CHECK_EQ_INT(find(EVENT_STREAM_WAIT, 0)->number, find(EVENT_RECORD, 0)->number);
    CHECK_EQ_INT(find(EVENT_STREAM_WAIT, 0)->stream, host_stream_id(t));
    host_stream_destroy(c, s);
    host_stream_destroy(c, t);
}

/* ---------------------------------------------------------------- orders */
UNIT_CASE(freeing_waits_for_what_was_submitted)
{
    host_context *c = context();
    host_stream *s = stream(1);
    uint64_t p = 0;
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_DEVICE, 0, &p), 0);
    record_clear(&seen);
    launch("heap", s, 1, 1, 0);
    CHECK_EQ_INT(host_free(c, p), 0);
    size_t ended = when(EVENT_LAUNCH_END, 0), waited = when(EVENT_HOST_WAIT, 0), freed = when(EVENT_FREE, 0);
    CHECK(ended < waited && waited < freed);
    const event_host *wait = find(EVENT_HOST_WAIT, 0);
    CHECK(wait->all && wait->number >= find(EVENT_SUBMIT, 0)->number);
    CHECK_EQ_INT(seen.kinds[EVENT_HOST_WAIT], 1);
    host_stream_destroy(c, s);
}

static void free_it(void *user) { CHECK_EQ_INT(host_free(context(), *(uint64_t *)user), 0); }

/* The engine cannot wait for what is behind it. */
UNIT_CASE(freeing_in_a_host_function_waits_for_nothing)
{
    host_context *c = context();
    host_stream *s = stream(1);
    uint64_t p = 0;
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_DEVICE, 0, &p), 0);
    record_clear(&seen);
    CHECK_EQ_INT(host_function_put(s, free_it, &p), 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    CHECK_EQ_INT(find(EVENT_FREE, 0)->number, find(EVENT_HOST_FUNCTION, 0)->number);
    CHECK_EQ_INT(seen.kinds[EVENT_HOST_WAIT], 1); /* the stream's */
    CHECK(!find(EVENT_HOST_WAIT, 0)->all);
    host_stream_destroy(c, s);
}

UNIT_CASE(heap_blocks_are_freed_before_they_are_given_again)
{
    enum { THREADS = 256, BLOCKS = 8 };
    host_context *c = context();
    host_stream *s = stream(1);
    record_clear(&seen);
    launch("heap", s, BLOCKS, THREADS / BLOCKS, 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    CHECK_EQ_INT(seen.kinds[EVENT_HEAP_ALLOC], THREADS);
    CHECK_EQ_INT(seen.kinds[EVENT_HEAP_FREE], THREADS);
    size_t begin = when(EVENT_LAUNCH_BEGIN, 0), end = when(EVENT_LAUNCH_END, 0);
    for (size_t k = 0; k < seen.hosts.count; k++) {
        const event_host *e = &seen.hosts.items[k].e;
        if (e->kind != EVENT_HEAP_ALLOC && e->kind != EVENT_HEAP_FREE) continue;
        CHECK(begin < k && k < end);
        CHECK_EQ_INT(e->number, find(EVENT_LAUNCH_BEGIN, 0)->number);
        bool live = false; /* as the events before say */
        for (size_t n = 0; n < k; n++) {
            const event_host *before = &seen.hosts.items[n].e;
            if (before->address == e->address && before->kind == EVENT_HEAP_ALLOC) live = true;
            if (before->address == e->address && before->kind == EVENT_HEAP_FREE) live = false;
        }
        CHECK_EQ_INT(live, e->kind == EVENT_HEAP_FREE);
        if (e->kind == EVENT_HEAP_ALLOC) CHECK_EQ_INT(e->bytes, 64);
    }
    host_stream_destroy(c, s);
}

UNIT_CASE(registrations_alternate)
{
    host_context *c = context();
    uint8_t bytes[64];
    uint64_t address = (uint64_t)(uintptr_t)bytes;
    record_clear(&seen);
    CHECK_EQ_INT(host_register(c, bytes, sizeof bytes, 0), 0);
    CHECK_EQ_INT(host_register(c, bytes, sizeof bytes, 0), HOST_HOST_MEMORY_ALREADY_REGISTERED);
    CHECK_EQ_INT(host_unregister(c, bytes), 0);
    CHECK_EQ_INT(host_unregister(c, bytes), HOST_HOST_MEMORY_NOT_REGISTERED);
    CHECK_EQ_INT(seen.hosts.count, 2); /* what fails is no event */
    CHECK(when(EVENT_REGISTER, 0) < when(EVENT_UNREGISTER, 0));
    CHECK_EQ_INT(find(EVENT_REGISTER, 0)->address, address);
    CHECK_EQ_INT(find(EVENT_REGISTER, 0)->bytes, sizeof bytes);
    CHECK_EQ_INT(find(EVENT_UNREGISTER, 0)->address, address);
}

/* The record is an operation of one stream, the waiting node one of a graph launch in another. */
UNIT_CASE(graph_nodes_wait_for_events)
{
    host_context *c = context();
    host_stream *s = stream(1), *t = stream(1);
    host_event *e;
    CHECK_EQ_INT(host_event_create(c, 0, &e), 0);
    record_clear(&seen);
    CHECK_EQ_INT(host_function_put(s, nothing, NULL), 0);
    CHECK_EQ_INT(host_event_record(e, s, 0), 0);
    launch_waiting_graph(c, t, e);
    const event_host *recorded = find(EVENT_RECORD, 0), *wait = find(EVENT_GRAPH_WAIT, 0);
    REQUIRE(recorded && wait);
    CHECK_EQ_INT(wait->behind, recorded->number);
    CHECK_EQ_INT(wait->other, recorded->other);
    CHECK(wait->graph > 0);
    CHECK_EQ_INT(wait->stream, host_stream_id(t));
    const seen_host *last = NULL; /* the function after it */
    for (uint32_t n = 0; find(EVENT_SUBMIT, n); n++) last = find_host(&seen, EVENT_SUBMIT, n);
    REQUIRE(last && last->e.after_count == 1);
    CHECK_EQ_INT(last->after[0], wait->number);
    CHECK_EQ_INT(last->e.graph, wait->graph);
    host_event_destroy(c, e);
    host_stream_destroy(c, s);
    host_stream_destroy(c, t);
}

/* a -> b, a -> child graph of one node -> d */
UNIT_CASE(graph_edges_are_numbers_of_operations)
{
    host_context *c = context();
    host_stream *s = stream(1);
    host_graph *g, *child;
    host_graph_exec *x;
    host_node *a, *b, *inner, *nested, *d;
    host_op op = {.kind = HOST_OP_FUNCTION}, graph = {.kind = HOST_OP_GRAPH};
    op.u.function.function = nothing;
    CHECK_EQ_INT(host_graph_create(c, &g), 0);
    CHECK_EQ_INT(host_graph_create(c, &child), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), child, &op, NULL, 0, &inner), 0);
    CHECK_EQ_INT(host_graph_clone(host_get(), child, &graph.u.graph.graph), 0);
    graph.u.graph.graph->is_child = true;
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, NULL, 0, &a), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, &a, 1, &b), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &graph, &a, 1, &nested), 0);
    CHECK_EQ_INT(host_graph_add(host_get(), g, &op, &nested, 1, &d), 0);
    CHECK_EQ_INT(host_graph_instantiate(host_get(), g, 0, &x), 0);
    record_clear(&seen);
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    const seen_host *put[4];
    for (uint32_t k = 0; k < 4; k++) {
        put[k] = find_host(&seen, EVENT_SUBMIT, k);
        REQUIRE(put[k] != NULL);
        CHECK(put[k]->e.graph > 0 && put[k]->e.graph == put[0]->e.graph);
        CHECK_EQ_INT(put[k]->e.after_count, k > 0);
    }
    CHECK_EQ_INT(put[1]->after[0], put[0]->e.number);
    CHECK_EQ_INT(put[2]->after[0], put[0]->e.number); /* the child's first node waits for what its graph waits for */
    CHECK_EQ_INT(put[3]->after[0], put[2]->e.number);
    CHECK_EQ_INT(host_graph_exec_destroy(host_get(), x), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), g), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), child), 0);
    host_stream_destroy(host_get(), s);
}

/* ---------------------------------------------------------------- what comes and goes without a call of its own */
static const char variables[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".global .align 4 .b8 counter[4];\n.const .align 8 .b8 table[24] = {1, 2, 3};\n"
                                ".visible .entry none()\n{\nret;\n}\n";

static host_module *load_variables(host_context *c)
{
    host_module *m = NULL;
    host_part part = {"variables.ptx", variables, strlen(variables)};
    lw_error error = {0};
    CHECK_EQ_INT(host_module_load(c, &part, 1, &m, &error), 0);
    return m;
}

/* How often the kind of event names address. */
static uint32_t times(event_kind kind, uint64_t address)
{
    uint32_t n = 0;
    for (size_t k = 0; k < seen.hosts.count; k++)
        n += seen.hosts.items[k].e.kind == kind && seen.hosts.items[k].e.address == address;
    return n;
}

UNIT_CASE(variables_are_allocations)
{
    host_context *c = context();
    record_clear(&seen);
    host_module *m = load_variables(c);
    uint64_t address = 0, table = 0, bytes = 0;
    CHECK_EQ_INT(host_module_symbol(m, "table", &table, NULL), 0);
    CHECK_EQ_INT(host_module_symbol(m, "counter", &address, &bytes), 0);
    CHECK_EQ_INT(bytes, 4);
    CHECK_EQ_INT(seen.kinds[EVENT_ALLOC], 2);
    CHECK_EQ_INT(times(EVENT_ALLOC, address), 1);
    CHECK_EQ_INT(times(EVENT_ALLOC, table), 1);
    for (uint32_t n = 0; n < 2; n++) {
        const event_host *e = find(EVENT_ALLOC, n);
        REQUIRE(e != NULL);
        CHECK(e->initialised && e->number == 0);
        CHECK_EQ_INT(e->bytes, e->address == table ? 24 : 4);
    }
    CHECK_EQ_INT(seen.kinds[EVENT_FREE], 0);
    CHECK_EQ_INT(host_module_unload(c, m), 0);
    CHECK_EQ_INT(seen.kinds[EVENT_FREE], 2);
    CHECK_EQ_INT(times(EVENT_FREE, address), 1);
    CHECK_EQ_INT(times(EVENT_FREE, table), 1);
    CHECK(when(EVENT_HOST_WAIT, 0) < when(EVENT_FREE, 0));
}

/* A graph: memory is allocated, filled, and (frees) given back. */
static host_graph_exec *memory_graph(host_context *c, bool frees, uint64_t *out_address)
{
    host_graph *g;
    host_graph_exec *x = NULL;
    host_node *a, *b, *d;
    host_op alloc = {.kind = HOST_OP_MEMORY_ALLOC}, fill = {.kind = HOST_OP_FILL}, give = {.kind = HOST_OP_MEMORY_FREE};
    CHECK_EQ_INT(host_malloc(c, 256, MEM_DEVICE, HOST_GRAPH_MEMORY, out_address), 0);
    alloc.u.memory.address = give.u.memory.address = *out_address;
    alloc.u.memory.bytes = 256;
    fill.u.fill = (host_fill){.dst = {.address = *out_address, .pitch = 256, .rows = 1}, .width = 64, .height = 1};
    fill.u.fill.depth = 1;
    fill.u.fill.element_bytes = 4;
    CHECK_EQ_INT(host_graph_create(c, &g), 0);
    CHECK_EQ_INT(host_graph_add(c, g, &alloc, NULL, 0, &a), 0);
    CHECK_EQ_INT(host_graph_add(c, g, &fill, &a, 1, &b), 0);
    if (frees) CHECK_EQ_INT(host_graph_add(c, g, &give, &b, 1, &d), 0);
    CHECK_EQ_INT(host_graph_instantiate(c, g, 0, &x), 0);
    CHECK_EQ_INT(host_graph_destroy(c, g), 0);
    return x;
}

UNIT_CASE(graphs_allocate_and_free_when_they_run)
{
    host_context *c = context();
    host_stream *s = stream(1);
    uint64_t address = 0;
    record_clear(&seen);
    host_graph_exec *x = memory_graph(c, true, &address);
    CHECK_EQ_INT(seen.hosts.count, 0); /* a node is no allocation yet */
    for (uint32_t n = 0; n < 2; n++) {
        CHECK_EQ_INT(host_graph_launch(x, s), 0);
        CHECK_EQ_INT(host_stream_synchronize(s), 0);
        CHECK_EQ_INT(times(EVENT_ALLOC, address), n + 1);
        CHECK_EQ_INT(times(EVENT_FREE, address), n + 1);
        const event_host *alloc = find(EVENT_ALLOC, n), *fill = find(EVENT_HOST_FILL, n), *give = find(EVENT_FREE, n);
        REQUIRE(alloc && fill && give);
        CHECK(when(EVENT_ALLOC, n) < when(EVENT_HOST_FILL, n) && when(EVENT_HOST_FILL, n) < when(EVENT_FREE, n));
        CHECK(!alloc->initialised);
        CHECK_EQ_INT(alloc->bytes, 256);
        CHECK_EQ_INT(alloc->stream, host_stream_id(s));
        CHECK(alloc->graph > 0 && alloc->graph == fill->graph && fill->graph == give->graph);
        const seen_host *put = find_host(&seen, EVENT_SUBMIT, 3 * n + 1);
        REQUIRE(put && put->e.number == fill->number && put->e.after_count == 1);
        CHECK_EQ_INT(put->after[0], alloc->number); /* the fill waits for the allocation */
    }
    CHECK_EQ_INT(host_graph_exec_destroy(c, x), 0);
    host_stream_destroy(c, s);
}

UNIT_CASE(memory_that_a_graph_leaves_is_freed_once)
{
    host_context *c = context();
    host_stream *s = stream(1);
    uint64_t address = 0;
    host_graph_exec *x = memory_graph(c, false, &address);
    record_clear(&seen);
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_graph_launch(x, s), 0); /* as if instantiated to free by itself */
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    CHECK_EQ_INT(times(EVENT_ALLOC, address), 2);
    CHECK_EQ_INT(times(EVENT_FREE, address), 1);
    CHECK(when(EVENT_FREE, 0) < when(EVENT_ALLOC, 1));
    CHECK_EQ_INT(host_free(c, address), 0);
    CHECK_EQ_INT(times(EVENT_FREE, address), 2);
    CHECK_EQ_INT(host_free(c, address), 0); /* it stays the graph's: no event of nothing */
    CHECK_EQ_INT(times(EVENT_FREE, address), 2);
    CHECK_EQ_INT(host_graph_exec_destroy(c, x), 0);
    host_stream_destroy(c, s);
}

UNIT_CASE(a_reset_frees_all)
{
    host_context *c = context();
    host_stream *s = stream(1);
    uint64_t device = 0, managed = 0, pinned = 0, of_graph = 0, idle = 0, variable = 0;
    uint32_t own[16];
    host_array *array = NULL;
    host_format bytes_of_4 = {.bits = {8, 8, 8, 8}, .kind = 1};
    host_module *m = load_variables(c);
    CHECK_EQ_INT(host_module_symbol(m, "counter", &variable, NULL), 0);
    CHECK_EQ_INT(host_malloc(c, 512, MEM_DEVICE, 0, &device), 0);
    CHECK_EQ_INT(host_malloc(c, 512, MEM_MANAGED, 0, &managed), 0);
    CHECK_EQ_INT(host_malloc(c, 512, MEM_PINNED, 0, &pinned), 0);
    CHECK_EQ_INT(host_register(c, own, sizeof own, 0), 0);
    CHECK_EQ_INT(host_array_create(c, &bytes_of_4, 8, 8, 0, 0, &array), 0);
    CHECK_EQ_INT(host_graph_launch(memory_graph(c, false, &of_graph), s), 0);
    memory_graph(c, false, &idle); /* never launched: never there */
    launch("leak", s, 1, 32, 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    uint64_t array_at = find(EVENT_ALLOC, seen.kinds[EVENT_ALLOC] - 2)->address; /* before the graph's */
    record_clear(&seen);
    CHECK_EQ_INT(host_reset(c), 0);
    const uint64_t freed[] = {device, managed, pinned, of_graph, variable, array_at};
    for (uint32_t k = 0; k < LW_COUNT(freed); k++) CHECK_EQ_INT(times(EVENT_FREE, freed[k]), 1);
    CHECK_EQ_INT(times(EVENT_FREE, idle), 0);
    CHECK_EQ_INT(seen.kinds[EVENT_FREE], LW_COUNT(freed) + 1); /* the other variable */
    CHECK_EQ_INT(times(EVENT_UNREGISTER, (uint64_t)(uintptr_t)own), 1);
    CHECK_EQ_INT(seen.kinds[EVENT_HEAP_FREE], 32);
    CHECK(find(EVENT_HEAP_FREE, 0)->launch == NULL);
    const event_host *wait = find(EVENT_HOST_WAIT, 0);
    CHECK(wait && wait->all && when(EVENT_HOST_WAIT, 0) < when(EVENT_FREE, 0));
    CHECK_EQ_INT(times(EVENT_ALLOC, variable), 1); /* the module is still there, with first values */
    CHECK_EQ_INT(seen.kinds[EVENT_ALLOC], 2);
    CHECK(find(EVENT_ALLOC, 0)->initialised && when(EVENT_FREE, 6) < when(EVENT_ALLOC, 0));
    record_clear(&seen);
    CHECK_EQ_INT(host_module_unload(c, m), 0);
    CHECK_EQ_INT(times(EVENT_FREE, variable), 1);
}

/* Of a launch of one kernel with so many blocks: whether the loads of line 7 are exact. */
static bool loads_are_exact(const result_set *set, const char *kernel_name, uint32_t blocks)
{
    for (size_t n = 0; n < set->launches.count; n++) {
        const result_launch *l = &set->launches.items[n];
        if (strcmp(l->kernel, kernel_name) != 0 || l->grid[0] != blocks) continue;
        for (size_t k = 0; k < l->row_count; k++)
            if (l->rows[k].line == 7 && !strcmp(l->rows[k].op, "load")) return l->rows[k].exact;
    }
    UNIT_FAIL("no row of %s with %u blocks", kernel_name, blocks);
    return false;
}

/* Nobody had to wait for what the loop of line 7 waits for; on a card a block may have to for another one. */
UNIT_CASE(a_loop_that_nobody_waited_in_is_marked)
{
    host_stream *s = stream(1);
    uint64_t flag = 0;
    CHECK_EQ_INT(host_malloc(context(), 4, MEM_MANAGED, 0, &flag), 0);
    *(uint32_t *)(uintptr_t)flag = 1;
    launch("look_back", s, 1, 32, flag);
    launch("look_back", s, 2, 32, flag);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    result_set set = {0};
    REQUIRE(result_log_read(log_path, &set, NULL) == LW_OK);
    CHECK(loads_are_exact(&set, "look_back", 1));
    CHECK(!loads_are_exact(&set, "look_back", 2));
    result_set_free(&set);
}

static void launch_2(const char *name, host_stream *s, uint32_t blocks, uint64_t p, uint64_t q)
{
    void *params[] = {&p, &q};
    host_launch_config g = {.grid = {blocks, 1, 1}, .block = {32, 1, 1}, .stream = s};
    CHECK_EQ_INT(host_launch(kernel(name), &g, params, NULL, 0), 0);
}

/* Blocks ask an atomic where their numbers go; who takes these as an index counts by the order in which the blocks came. */
UNIT_CASE(addresses_from_lists_that_atomics_ordered_are_marked)
{
    host_stream *s = stream(1);
    uint64_t counter = 0, list = 0, plain = 0, data = 0;
    CHECK_EQ_INT(host_malloc(context(), 4, MEM_DEVICE, 0, &counter), 0);
    CHECK_EQ_INT(host_malloc(context(), 1024, MEM_DEVICE, 0, &list), 0);
    CHECK_EQ_INT(host_malloc(context(), 1024, MEM_DEVICE, 0, &plain), 0);
    CHECK_EQ_INT(host_malloc(context(), 1024, MEM_DEVICE, 0, &data), 0);
    launch_2("fill", s, 1, counter, plain); /* one block: its warps come in one order */
    launch_2("gather", s, 1, plain, data);
    launch_2("fill", s, 2, counter, list);
    launch_2("gather", s, 2, list, data);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    result_set set = {0};
    REQUIRE(result_log_read(log_path, &set, NULL) == LW_OK);
    CHECK(loads_are_exact(&set, "gather", 1));
    CHECK(!loads_are_exact(&set, "gather", 2));
    result_set_free(&set);
}

UNIT_CASE(findings_of_any_client_reach_the_log)
{
    context();
    result_set set = {0};
    REQUIRE(result_log_read(log_path, &set, NULL) == LW_OK);
    REQUIRE(set.findings.count == 1);
    const result_finding *f = &set.findings.items[0];
    CHECK_STR(f->check, "fakecheck");
    CHECK_STR(f->severity, "warning");
    CHECK_STR(f->message, "found by a client");
    CHECK_STR(f->kernel, "add");
    CHECK(f->file != NULL && f->line > 0);
    CHECK_EQ_INT(f->thread[0], 1);
    CHECK_EQ_INT(f->count, 3);
    REQUIRE(f->related_count == 1);
    CHECK_STR(f->related[0].message, "here as well");
    CHECK_EQ_INT(f->related[0].thread[0], 2);
    REQUIRE(set.launches.count > 0); /* by the counting client beside it */
    CHECK_STR(set.launches.items[0].kernel, "add");
    result_set_free(&set);
    unlink(log_path);
}

UNIT_MAIN()
