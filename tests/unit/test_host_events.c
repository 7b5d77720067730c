/* test_host_events: clients of events in the host room: every kind of host event occurs, operations and graph edges have
 * their numbers, and a finding of any client reaches the result log. */
#include "unit.h"

#include "host/clients_priv.h"
#include "host/graph_priv.h"
#include "host/host.h"
#include "host/results_priv.h"

#include <unistd.h>

static const char kernels[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry add(.param .u64 p)\n"
                              "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                              "ld.param.u64 %rd1, [p];\n"
                              "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                              "ld.global.u32 %r3, [%rd3];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [%rd3], %r3;\nret;\n}\n";

/* ---------------------------------------------------------------- a client */
enum { KEPT = 256, AFTER = 4 };

typedef struct record {
    const event_session *session;
    uint64_t kinds[EVENT_KIND_COUNT], accesses;
    event_host events[KEPT];
    uint64_t after[KEPT][AFTER];
    uint32_t count;
} record;

static record seen; /* of the process's one session */

static void *session_begin(const event_session *session)
{
    seen.session = session;
    return &seen;
}

static void on_host(void *session, const event_host *e)
{
    record *r = session;
    r->kinds[e->kind]++;
    if (r->count == KEPT) return;
    r->events[r->count] = *e;
    for (uint32_t k = 0; k < e->after_count && k < AFTER; k++) r->after[r->count][k] = e->after[k];
    r->count++;
}

static void on_memory(void *launch, const event_memory *e)
{
    __atomic_fetch_add(&((record *)launch)->accesses, (uint64_t)lw_popcount(e->mask), __ATOMIC_RELAXED);
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    (void)state;
    event_related other = {"here as well", 0, {0, 0, 0}, {2, 0, 0}};
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
    record *r = session;
    r->session->finding(r->session->owner, &f);
}

static const event_client fake = {
    .name = "fake",
    .kinds = ~UINT64_C(0) & ~EVENT_BIT(EVENT_COUNTED),
    .session_begin = session_begin,
    .launch_end = launch_end,
    .host = on_host,
    .memory = on_memory,
};

static const event_host *find(event_kind kind, uint32_t n)
{
    for (uint32_t k = 0; k < seen.count; k++)
        if (seen.events[k].kind == kind && !n--) return &seen.events[k];
    return NULL;
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

static void operations(host_context *c, host_stream *s, uint64_t p)
{
    host_part part = {"test.ptx", kernels, strlen(kernels)};
    host_module *m = NULL;
    host_kernel *k = NULL;
    lw_error error = {0};
    uint32_t values[32] = {0};
    CHECK_EQ_INT(host_module_load(c, &part, 1, &m, &error), 0);
    CHECK_EQ_INT(host_module_kernel(m, "add", &k), 0);
    host_copy in = host_copy_flat(p, (uint64_t)(uintptr_t)values, sizeof values, HOST_COPY_H2D);
    CHECK_EQ_INT(host_copy_put(c, s, &in, true), 0);
    host_fill fill = {.dst = {.address = p, .pitch = 128, .rows = 1}, .width = 32, .height = 1, .depth = 1};
    fill.element_bytes = 4;
    CHECK_EQ_INT(host_fill_put(c, s, &fill, false), 0);
    void *params[] = {&p};
    host_launch_config g = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = s};
    CHECK_EQ_INT(host_launch(k, &g, params, NULL, 0), 0);
    CHECK_EQ_INT(host_function_put(s, nothing, NULL), 0);
    CHECK_EQ_INT(host_value_put(s, p, 7, 4, false, 0), 0);
    CHECK_EQ_INT(host_value_put(s, p, 7, 4, true, 1), 0);
}

static void waits(host_context *c, host_stream *s, host_stream *t)
{
    host_event *e;
    CHECK_EQ_INT(host_event_create(c, 0, &e), 0);
    CHECK_EQ_INT(host_event_record(e, s, 0), 0);
    CHECK_EQ_INT(host_stream_wait_event(t, e, 0), 0);
    CHECK_EQ_INT(host_event_synchronize(host_get(), e), 0);
    CHECK_EQ_INT(host_stream_synchronize(t), 0);
    CHECK_EQ_INT(host_synchronize(c), 0);
    host_event_destroy(host_get(), e);
}

UNIT_CASE(every_host_kind_occurs)
{
    host_context *c = context();
    host_stream *s, *t;
    uint64_t p = 0;
    CHECK_EQ_INT(host_stream_create(c, 1, 0, &s), 0);
    CHECK_EQ_INT(host_stream_create(c, 0, 0, &t), 0);
    CHECK_EQ_INT(host_malloc(c, 4096, MEM_DEVICE, 0, &p), 0);
    operations(c, s, p);
    waits(c, s, t);
    CHECK_EQ_INT(host_free(c, p), 0);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) {
        if (event_kinds[k].payload != EVENT_PAYLOAD_host) continue;
        if (!seen.kinds[k]) UNIT_FAIL("no event of kind '%s'", event_kinds[k].name);
        CHECK_EQ_INT(seen.kinds[k], c->clients->built[k]);
    }
    CHECK_EQ_INT(seen.accesses, 64);
    const event_host *begin = find(EVENT_LAUNCH_BEGIN, 0), *copy = find(EVENT_HOST_COPY, 0);
    REQUIRE(begin && copy);
    CHECK_EQ_INT(begin->stream, host_stream_id(s));
    CHECK(!begin->blocking && begin->number > copy->number && copy->number > 0);
    CHECK_EQ_INT(copy->address, p);
    CHECK_EQ_INT(copy->bytes, 128);
    CHECK_EQ_INT(find(EVENT_ALLOC, 0)->address, p);
    CHECK_EQ_INT(find(EVENT_FREE, 0)->address, p);
    CHECK_EQ_INT(find(EVENT_STREAM_WAIT, 0)->number, find(EVENT_RECORD, 0)->number);
    CHECK_EQ_INT(find(EVENT_STREAM_WAIT, 0)->stream, host_stream_id(t));
    host_stream_destroy(host_get(), s);
    host_stream_destroy(host_get(), t);
}

/* a -> b, a -> child graph of one node -> d */
UNIT_CASE(graph_edges_are_numbers_of_operations)
{
    host_context *c = context();
    host_stream *s;
    host_graph *g, *child;
    host_graph_exec *x;
    host_node *a, *b, *inner, *nested, *d;
    host_op op = {.kind = HOST_OP_FUNCTION}, graph = {.kind = HOST_OP_GRAPH};
    op.u.function.function = nothing;
    CHECK_EQ_INT(host_stream_create(c, 1, 0, &s), 0);
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
    seen.count = 0;
    CHECK_EQ_INT(host_graph_launch(x, s), 0);
    CHECK_EQ_INT(host_stream_synchronize(s), 0);
    const event_host *put[4];
    for (uint32_t k = 0; k < 4; k++) {
        put[k] = find(EVENT_SUBMIT, k);
        REQUIRE(put[k] != NULL);
        CHECK(put[k]->graph > 0 && put[k]->graph == put[0]->graph);
        CHECK_EQ_INT(put[k]->after_count, k > 0);
    }
    const uint64_t *after[4];
    for (uint32_t k = 0; k < 4; k++) after[k] = seen.after[put[k] - seen.events];
    CHECK_EQ_INT(after[1][0], put[0]->number);
    CHECK_EQ_INT(after[2][0], put[0]->number); /* the child's first node waits for what its graph waits for */
    CHECK_EQ_INT(after[3][0], put[2]->number);
    CHECK_EQ_INT(host_graph_exec_destroy(host_get(), x), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), g), 0);
    CHECK_EQ_INT(host_graph_destroy(host_get(), child), 0);
    host_stream_destroy(host_get(), s);
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
    CHECK_EQ_INT(set.launches.count, 1); /* the counting client beside it */
    result_set_free(&set);
    unlink(log_path);
}

UNIT_MAIN()
