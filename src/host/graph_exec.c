/* Executable graphs: a clone of a graph put into an order that its edges allow (first created first), with a switch per
 * node. A launch puts the operations on the stream in that order; child graphs are put where their node stands. */
#include <stdlib.h>
#include <string.h>

#include "host/capture_priv.h"
#include "host/condition_priv.h"
#include "host/graph_priv.h"
#include "host/handle_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/state_priv.h"
#include "host/submit_priv.h"

struct host_graph_exec {
    host_context *context;
    host_graph *graph; /* a clone of its own */
    bool has_bodies;   /* of conditional nodes: they are used in place */
    uint64_t flags;
    bool uploaded; /* kernels may launch it, if its flags say so */
    uint64_t last; /* serial number of what its last launch put on a stream */
};

bool host_graph_exec_valid(host_context *c, const host_graph_exec *exec)
{
    return host_handle_is(c, exec, HOST_T_GRAPH_EXEC);
}

/* Kahn's algorithm over the nodes in order of creation. False if there is a cycle. */
static bool sort_nodes(host_graph *g, host_node **order)
{
    size_t count = g->nodes.count, done = 0;
    size_t *waiting = lw_alloc((count + 1) * sizeof *waiting);
    bool *placed = lw_alloc(count + 1);
    for (size_t i = 0; i < count; i++) {
        g->nodes.items[i]->index = (uint32_t)i;
        waiting[i] = g->nodes.items[i]->from.count;
    }
    size_t first = 0; /* everything before it is placed */
    while (done < count) {
        while (first < count && placed[first]) first++;
        size_t i = first;
        while (i < count && (placed[i] || waiting[i])) i++;
        if (i == count) break;
        placed[i] = true;
        order[done++] = g->nodes.items[i];
        for (size_t k = 0; k < g->nodes.items[i]->to.count; k++) waiting[g->nodes.items[i]->to.items[k]->index]--;
    }
    free(waiting);
    free(placed);
    return done == count;
}

static host_error put_in_order(host_graph *g, bool is_body);

static host_error put_bodies_in_order(const host_op *op)
{
    host_error error = 0;
    for (uint32_t k = 0; k < op->u.conditional.count && !error; k++)
        error = put_in_order(op->u.conditional.bodies[k], true);
    return error;
}

/* What a body may hold, driver_types.h at cudaConditionalNodeParams. */
static bool fits_body(const host_op *op)
{
    switch (op->kind) {
    case HOST_OP_KERNEL:
    case HOST_OP_LIBRARY:
    case HOST_OP_COPY:
    case HOST_OP_FILL:
    case HOST_OP_GRAPH:
    case HOST_OP_EMPTY:
    case HOST_OP_CONDITIONAL: return true;
    default: return false;
    }
}

/* Gives a graph, its child graphs and the bodies of its conditional nodes their orders. */
static host_error put_in_order(host_graph *g, bool is_body)
{
    free(g->order);
    g->order = lw_alloc((g->nodes.count + 1) * sizeof *g->order);
    host_error error = sort_nodes(g, g->order) ? 0 : HOST_INVALID_VALUE;
    for (size_t k = 0; k < g->nodes.count && !error; k++) {
        const host_op *op = &g->nodes.items[k]->op;
        if (is_body && !fits_body(op))
            error = host_refuse(HOST_INVALID_VALUE, "The body of a conditional node may hold kernels, copies, fills, "
                                                    "empty nodes, child graphs and conditional nodes only.");
        else if (op->kind == HOST_OP_GRAPH) error = put_in_order(op->u.graph.graph, is_body);
        else if (op->kind == HOST_OP_CONDITIONAL) error = put_bodies_in_order(op);
    }
    return error;
}

enum { UPLOAD = 2, DEVICE_LAUNCH = 4 }; /* cudaGraphInstantiateFlags */

/* A graph that kernels launch does work of the device alone, and some. */
static bool fits_device(const host_graph *g)
{
    for (size_t k = 0; k < g->nodes.count; k++) {
        const host_op *op = &g->nodes.items[k]->op;
        if (op->kind == HOST_OP_GRAPH ? !fits_device(op->u.graph.graph) : op->kind > HOST_OP_FILL) return false;
    }
    return g->nodes.count;
}

static host_error check_graph(host_context *c, host_graph *g, uint64_t flags)
{
    if (host_conditions_unused(c, g))
        return host_refuse(HOST_INVALID_VALUE, "A handle of the graph has no conditional node.");
    if (flags & DEVICE_LAUNCH && !fits_device(g))
        return host_refuse(HOST_INVALID_VALUE, "A graph that kernels launch may hold kernels, copies, fills and child "
                                               "graphs only, and not nothing.");
    return 0;
}

host_error host_graph_instantiate(host_context *c, host_graph *g, uint64_t flags, host_graph_exec **out)
{
    if (!host_graph_valid(c, g) || !out) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (!error) error = check_graph(c, g, flags);
    if (error) return error;
    host_lock(c);
    host_graph_exec *x = lw_alloc(sizeof *x);
    *x = (host_graph_exec){.context = c, .flags = flags, .uploaded = flags & UPLOAD};
    host_graph_clone(c, g, &x->graph);
    x->graph->is_child = true; /* host_graphs_free leaves it to the executable graph */
    error = put_in_order(x->graph, false);
    x->has_bodies = host_graph_has_bodies(x->graph);
    if (!error && flags & DEVICE_LAUNCH) c->graphs->device_launch = true;
    if (!error) lw_vec_push(&c->graphs->execs, x);
    else host_graph_destroy(c, x->graph);
    host_unlock(c);
    if (error) {
        free(x);
        return error;
    }
    host_handle_add(c, x, HOST_T_GRAPH_EXEC);
    *out = x;
    return 0;
}

/* Waits for the last launch: programs read on the host what a graph copied there once they have destroyed it, which is
 * long after a card has done its work. */
host_error host_graph_exec_destroy(host_context *c, host_graph_exec *x)
{
    if (!host_graph_exec_valid(c, x)) return HOST_INVALID_VALUE;
    host_handle_remove(c, x);
    host_queue_wait(c, x->last);
    host_lock(c);
    for (size_t i = 0; i < c->graphs->execs.count; i++) {
        if (c->graphs->execs.items[i] != x) continue;
        c->graphs->execs.items[i] = c->graphs->execs.items[--c->graphs->execs.count];
        break;
    }
    host_graph_destroy(c, x->graph);
    host_unlock(c);
    free(x);
    return 0;
}

void host_graph_execs_free(host_context *c)
{
    while (c->graphs->execs.count) host_graph_exec_destroy(c, c->graphs->execs.items[0]);
}

host_error host_graph_exec_upload(host_context *c, host_graph_exec *x)
{
    if (!host_graph_exec_valid(c, x)) return HOST_INVALID_VALUE;
    x->uploaded = true;
    return 0;
}

bool host_graph_exec_launchable(host_context *c, const host_graph_exec *x)
{
    return host_graph_exec_valid(c, x) && x->flags & DEVICE_LAUNCH && x->uploaded;
}

const host_graph *host_graph_exec_graph(const host_graph_exec *x) { return x->graph; }

uint64_t host_graph_exec_flags(const host_graph_exec *x) { return x->flags; }

/* A node of a graph launch that is on the stream. */
typedef struct put_record {
    const host_node *node;
    uint64_t serial;
} put_record;

/* The child graph whose nodes are being put, and those around it. */
typedef struct nesting {
    const host_node *node;
    const struct nesting *outer;
} nesting;

typedef struct graph_run {
    host_stream *stream;
    host_graph_exec *exec;
    uint64_t number;       /* of the graph launch */
    const nesting *inside; /* NULL: no child graph */
    LW_VEC(put_record) put;
    LW_VEC(uint64_t) after;
} graph_run;

static bool add_operations_of(graph_run *run, const host_node *n)
{
    bool any = false;
    for (size_t k = 0; k < run->put.count; k++) {
        if (run->put.items[k].node != n) continue;
        lw_vec_push(&run->after, run->put.items[k].serial);
        any = true;
    }
    return any;
}

/* The operations that a node waits for: of a child graph all, of a node that put nothing on the stream what that waits
 * for. The first nodes of a child graph wait for what their graph waits for. */
static void add_after(graph_run *run, const host_node *n, const nesting *inside)
{
    for (size_t k = 0; k < n->from.count; k++)
        if (!add_operations_of(run, n->from.items[k])) add_after(run, n->from.items[k], inside);
    if (!n->from.count && inside) add_after(run, inside->node, inside->outer);
}

static void put_node(graph_run *run, const host_node *n, const host_op *op)
{
    host_context *c = run->stream->context;
    if (!host_wants(c, EVENT_SUBMIT)) {
        host_queue_put_node(c, run->stream, op, run->number, NULL, 0);
        return;
    }
    run->after.count = 0;
    add_after(run, n, run->inside);
    uint64_t serial =
        host_queue_put_node(c, run->stream, op, run->number, run->after.items, (uint32_t)run->after.count);
    lw_vec_push(&run->put, ((put_record){n, serial}));
}

static void put_nodes(graph_run *run, const host_graph *g);

/* Its operations count as the node's. */
static void put_child(graph_run *run, const host_node *n)
{
    nesting here = {n, run->inside};
    size_t first = run->put.count;
    run->inside = &here;
    put_nodes(run, n->op.u.graph.graph);
    run->inside = here.outer;
    for (size_t k = first, end = run->put.count; k < end; k++)
        lw_vec_push(&run->put, ((put_record){n, run->put.items[k].serial}));
}

/* Whether a node that is no child graph becomes an operation. Memory of graph nodes keeps its place for the life of the
 * graph: when it runs, clients of events are told; memory of others is not freed. Waits for events are fulfilled by the
 * order of the queue: their operations only stand between those before and those after them. */
static bool is_operation(host_context *c, const host_node *n)
{
    mem_allocation a;
    switch (n->op.kind) {
    case HOST_OP_EMPTY: return false;
    case HOST_OP_MEMORY_FREE: return mem_find(c->memory, n->op.u.memory.address, &a) && host_graph_owns(&a);
    case HOST_OP_EVENT_WAIT:
    case HOST_OP_EVENT_RECORD: return host_event_valid(c, n->op.u.event.event);
    default: return true;
    }
}

/* Conditional nodes of the graph begin with their default values, those of bodies too. */
static void put_defaults(graph_run *run, const host_graph *g)
{
    host_context *c = run->stream->context;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const host_op *op = &g->nodes.items[i]->op;
        if (op->kind == HOST_OP_GRAPH) put_defaults(run, op->u.graph.graph);
        if (op->kind != HOST_OP_CONDITIONAL) continue;
        host_op first = {.kind = HOST_OP_CONDITION};
        first.u.condition.handle = op->u.conditional.handle;
        first.u.condition.value = host_condition_first(c, first.u.condition.handle);
        host_queue_put_node(c, run->stream, &first, run->number, NULL, 0);
        for (uint32_t k = 0; k < op->u.conditional.count; k++) put_defaults(run, op->u.conditional.bodies[k]);
    }
}

/* Puts the nodes of a graph on the stream. Those of bodies are carried out by their conditional node (run.c). */
static void put_nodes(graph_run *run, const host_graph *g)
{
    host_context *c = run->stream->context;
    for (size_t i = 0; i < g->nodes.count; i++) {
        const host_node *n = g->order[i];
        if (n->disabled) continue;
        if (n->op.kind == HOST_OP_GRAPH) {
            put_child(run, n);
            continue;
        }
        if (!is_operation(c, n)) continue;
        host_op op = n->op.kind == HOST_OP_CONDITIONAL ? n->op : host_op_copy(c, &n->op);
        if (op.kind == HOST_OP_KERNEL && run->exec->flags & DEVICE_LAUNCH) op.u.kernel.graph = run->exec;
        put_node(run, n, &op);
    }
}

host_error host_graph_launch(host_graph_exec *x, host_stream *stream)
{
    host_context *c = stream->context;
    if (!host_graph_exec_valid(c, x)) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (!error) error = host_capture_check_legacy(stream);
    if (error) return error;
    if (stream->capture) { /* becomes a child graph of the capture */
        host_op op = {.kind = HOST_OP_GRAPH};
        error = host_graph_clone(c, x->graph, &op.u.graph.graph);
        if (error) return error;
        op.u.graph.graph->is_child = true;
        return host_capture_add(stream, &op);
    }
    host_lock(c);
    graph_run run = {.stream = stream, .exec = x, .number = ++c->graphs->launches};
    host_unlock(c);
    if (x->has_bodies) put_defaults(&run, x->graph);
    x->uploaded = true; /* before its kernels run, which may launch it again */
    put_nodes(&run, x->graph);
    if (c->graphs->device_launch) {
        host_op end = {.kind = HOST_OP_GRAPH_END};
        host_queue_put_node(c, stream, &end, run.number, NULL, 0);
    }
    lw_vec_free(&run.put);
    lw_vec_free(&run.after);
    x->last = stream->last;
    host_submit_goes_on(stream, x->last);
    return 0;
}

static host_node *exec_node(host_context *c, host_graph_exec *x, const host_node *node)
{
    return host_node_valid(c, node) ? host_graph_find_clone(x->graph, node) : NULL;
}

host_error host_graph_exec_set(host_context *c, host_graph_exec *x, const host_node *node, const host_op *op)
{
    host_node *mine = host_graph_exec_valid(c, x) ? exec_node(c, x, node) : NULL;
    if (!mine) {
        host_op dropped = *op;
        host_op_free(c, &dropped);
        return HOST_INVALID_VALUE;
    }
    if (x->has_bodies) host_queue_wait(c, x->last);
    host_error error = host_node_set(c, mine, op);
    if (!error && op->kind == HOST_OP_GRAPH) error = put_in_order(x->graph, false);
    return error;
}

host_error host_graph_exec_enable(host_context *c, host_graph_exec *x, const host_node *node, bool enabled)
{
    host_node *mine = host_graph_exec_valid(c, x) ? exec_node(c, x, node) : NULL;
    if (!mine || mine->op.kind > HOST_OP_FILL) return HOST_INVALID_VALUE; /* kernels, copies and sets only */
    mine->disabled = !enabled;
    return 0;
}

host_error host_graph_exec_enabled(host_context *c, host_graph_exec *x, const host_node *node, bool *out)
{
    host_node *mine = host_graph_exec_valid(c, x) ? exec_node(c, x, node) : NULL;
    if (!mine || !out) return HOST_INVALID_VALUE;
    *out = !mine->disabled;
    return 0;
}

/* cudaGraphExecUpdateResult */
enum { UPDATE_SUCCESS = 0, UPDATE_ERROR = 1, UPDATE_TOPOLOGY = 2, UPDATE_NODE_TYPE = 3 };

static int compare_graphs(const host_graph *old, const host_graph *new, host_node **out_node)
{
    if (old->nodes.count != new->nodes.count) return UPDATE_TOPOLOGY;
    for (size_t i = 0; i < new->nodes.count; i++) {
        const host_node *a = old->nodes.items[i];
        host_node *b = new->nodes.items[i];
        *out_node = b;
        if (a->op.kind != b->op.kind) return UPDATE_NODE_TYPE;
        if (a->op.kind == HOST_OP_CONDITIONAL && (a->op.u.conditional.type != b->op.u.conditional.type ||
                                                  a->op.u.conditional.count != b->op.u.conditional.count))
            return UPDATE_NODE_TYPE;
        if (a->from.count != b->from.count || a->to.count != b->to.count) return UPDATE_TOPOLOGY;
        for (size_t k = 0; k < a->from.count; k++)
            if (a->from.items[k]->index != b->from.items[k]->index) return UPDATE_TOPOLOGY;
    }
    *out_node = NULL;
    return UPDATE_SUCCESS;
}

host_error host_graph_exec_update(host_context *c, host_graph_exec *x, host_graph *g, host_node **out_error_node,
                                  int *out_result)
{
    if (!host_graph_exec_valid(c, x) || !host_graph_valid(c, g)) return HOST_INVALID_VALUE;
    host_node *at = NULL;
    if (x->has_bodies) host_queue_wait(c, x->last);
    host_lock(c);
    for (size_t i = 0; i < g->nodes.count; i++) g->nodes.items[i]->index = (uint32_t)i;
    int result = compare_graphs(x->graph, g, &at);
    for (size_t i = 0; i < g->nodes.count && result == UPDATE_SUCCESS; i++) {
        host_op op = host_op_copy(c, &g->nodes.items[i]->op);
        host_node_set(c, x->graph->nodes.items[i], &op);
    }
    host_error error = put_in_order(x->graph, false);
    host_unlock(c);
    if (out_error_node) *out_error_node = at;
    if (out_result) *out_result = result;
    return result == UPDATE_SUCCESS ? error : HOST_GRAPH_EXEC_UPDATE_FAILURE;
}
