/* Graphs: nodes in order of creation, each with its operation and edges both ways. Nodes keep their number through
 * clones, which is how a node is found again in a clone or an executable graph. */
#include <stdlib.h>
#include <string.h>

#include "host/condition_priv.h"
#include "host/graph_priv.h"
#include "host/handle_priv.h"
#include "host/kernel_priv.h"
#include "host/memory_priv.h"
#include "host/state_priv.h"

void host_op_free(host_context *c, host_op *op)
{
    if (op->kind == HOST_OP_GRAPH && op->u.graph.graph) host_graph_destroy(c, op->u.graph.graph);
    if (op->kind == HOST_OP_CONDITIONAL) {
        for (uint32_t k = 0; k < op->u.conditional.count; k++) host_graph_destroy(c, op->u.conditional.bodies[k]);
        free(op->u.conditional.bodies);
    }
    host_op_free_buffers(op);
}

host_op host_op_copy(host_context *c, const host_op *op)
{
    host_op copy = *op;
    host_op_copy_buffers(&copy);
    if (op->kind == HOST_OP_GRAPH) {
        copy.u.graph.graph = NULL;
        host_graph_clone(c, op->u.graph.graph, &copy.u.graph.graph);
        if (copy.u.graph.graph) copy.u.graph.graph->is_child = true;
    }
    if (op->kind == HOST_OP_CONDITIONAL) {
        uint32_t count = op->u.conditional.count;
        copy.u.conditional.bodies = lw_alloc(count * sizeof *copy.u.conditional.bodies);
        for (uint32_t k = 0; k < count; k++) {
            host_graph_clone(c, op->u.conditional.bodies[k], &copy.u.conditional.bodies[k]);
            copy.u.conditional.bodies[k]->is_child = true;
        }
    }
    return copy;
}

bool host_graph_valid(host_context *c, const host_graph *g) { return host_handle_is(c, g, HOST_T_GRAPH); }

bool host_node_valid(host_context *c, const host_node *n) { return host_handle_is(c, n, HOST_T_NODE); }

host_error host_graph_create(host_context *c, host_graph **out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_graph *g = lw_alloc(sizeof *g);
    g->context = c;
    host_lock(c);
    lw_vec_push(&c->graphs->all, g);
    host_unlock(c);
    host_handle_add(c, g, HOST_T_GRAPH);
    *out = g;
    return 0;
}

static void node_free(host_context *c, host_node *n)
{
    host_handle_remove(c, n);
    host_op_free(c, &n->op);
    lw_vec_free(&n->from);
    lw_vec_free(&n->to);
    free(n->params);
    free(n);
}

host_error host_graph_destroy(host_context *c, host_graph *g)
{
    if (!host_graph_valid(c, g)) return HOST_INVALID_VALUE;
    host_handle_remove(c, g);
    host_lock(c);
    for (size_t i = 0; i < c->graphs->all.count; i++) {
        if (c->graphs->all.items[i] != g) continue;
        c->graphs->all.items[i] = c->graphs->all.items[--c->graphs->all.count];
        break;
    }
    host_conditions_orphan(c, g);
    for (size_t i = 0; i < g->nodes.count; i++) node_free(c, g->nodes.items[i]);
    host_unlock(c);
    lw_vec_free(&g->nodes);
    free(g->order);
    host_graph_users_drop(g);
    free(g);
    return 0;
}

static bool vec_has(const host_node_vec *v, const host_node *n)
{
    for (size_t i = 0; i < v->count; i++)
        if (v->items[i] == n) return true;
    return false;
}

static void vec_remove(host_node_vec *v, const host_node *n)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i] != n) continue;
        memmove(v->items + i, v->items + i + 1, (v->count - i - 1) * sizeof *v->items);
        v->count--;
        return;
    }
}

static void link_nodes(host_node *from, host_node *to)
{
    lw_vec_push(&from->to, to);
    lw_vec_push(&to->from, from);
}

host_error host_graph_add(host_context *c, host_graph *g, const host_op *op, host_node *const *dependencies,
                          size_t count, host_node **out)
{
    host_error error = host_graph_valid(c, g) ? 0 : HOST_INVALID_VALUE;
    if (!error && count && !dependencies) error = HOST_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        if (!host_node_valid(c, dependencies[i]) || dependencies[i]->graph != g) error = HOST_INVALID_VALUE;
    bool conditional = op->kind == HOST_OP_CONDITIONAL;
    if (!error && conditional && !host_condition_take(c, op->u.conditional.handle, g)) error = HOST_INVALID_VALUE;
    if (error) {
        host_op mine = *op;
        host_op_free(c, &mine);
        return error;
    }
    host_node *n = lw_alloc(sizeof *n);
    n->graph = g;
    n->op = *op;
    if (n->op.kind == HOST_OP_KERNEL) n->op.u.kernel.config.stream = NULL;
    for (uint32_t k = 0; conditional && k < op->u.conditional.count; k++) op->u.conditional.bodies[k]->outer = g;
    host_lock(c);
    n->id = ++c->graphs->last_node;
    for (size_t i = 0; i < count; i++)
        if (!vec_has(&n->from, dependencies[i])) link_nodes(dependencies[i], n);
    lw_vec_push(&g->nodes, n);
    host_unlock(c);
    host_handle_add(c, n, HOST_T_NODE);
    if (out) *out = n;
    return 0;
}

host_error host_conditional_op(host_context *c, uint64_t handle, int type, uint32_t count, host_op *out)
{
    host_error error = host_condition_check(c, handle, type, count);
    if (error) return error;
    *out = (host_op){.kind = HOST_OP_CONDITIONAL};
    out->u.conditional.handle = handle;
    out->u.conditional.type = type;
    out->u.conditional.count = count;
    out->u.conditional.bodies = lw_alloc(count * sizeof *out->u.conditional.bodies);
    for (uint32_t k = 0; k < count; k++) {
        host_graph_create(c, &out->u.conditional.bodies[k]);
        out->u.conditional.bodies[k]->is_child = true;
    }
    return 0;
}

host_error host_node_destroy(host_context *c, host_node *n)
{
    if (!host_node_valid(c, n)) return HOST_INVALID_VALUE;
    host_lock(c);
    for (size_t i = 0; i < n->from.count; i++) vec_remove(&n->from.items[i]->to, n);
    for (size_t i = 0; i < n->to.count; i++) vec_remove(&n->to.items[i]->from, n);
    vec_remove(&n->graph->nodes, n);
    host_unlock(c);
    node_free(c, n);
    return 0;
}

static host_error check_edges(host_context *c, host_graph *g, host_node *const *from, host_node *const *to,
                              size_t count)
{
    if (!host_graph_valid(c, g) || (count && (!from || !to))) return HOST_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!host_node_valid(c, from[i]) || !host_node_valid(c, to[i])) return HOST_INVALID_VALUE;
        if (from[i]->graph != g || to[i]->graph != g || from[i] == to[i]) return HOST_INVALID_VALUE;
    }
    return 0;
}

host_error host_graph_add_edges(host_context *c, host_graph *g, host_node *const *from, host_node *const *to,
                                size_t count)
{
    host_error error = check_edges(c, g, from, to, count);
    if (error) return error;
    host_lock(c);
    for (size_t i = 0; i < count && !error; i++) {
        if (vec_has(&to[i]->from, from[i])) error = HOST_INVALID_VALUE; /* the edge is there */
        else link_nodes(from[i], to[i]);
    }
    host_unlock(c);
    return error;
}

host_error host_graph_remove_edges(host_context *c, host_graph *g, host_node *const *from, host_node *const *to,
                                   size_t count)
{
    host_error error = check_edges(c, g, from, to, count);
    if (error) return error;
    host_lock(c);
    for (size_t i = 0; i < count && !error; i++) {
        if (!vec_has(&to[i]->from, from[i])) {
            error = HOST_INVALID_VALUE;
        } else {
            vec_remove(&to[i]->from, from[i]);
            vec_remove(&from[i]->to, to[i]);
        }
    }
    host_unlock(c);
    return error;
}

const host_op *host_node_op(const host_node *n) { return &n->op; }

host_error host_node_set(host_context *c, host_node *n, const host_op *op)
{
    host_op mine = *op;
    if (!host_node_valid(c, n) || n->op.kind != op->kind) {
        host_op_free(c, &mine);
        return HOST_INVALID_VALUE;
    }
    host_lock(c);
    host_op_free(c, &n->op);
    n->op = mine;
    if (mine.kind == HOST_OP_KERNEL) n->op.u.kernel.config.stream = NULL;
    host_unlock(c);
    return 0;
}

void **host_node_params(host_node *n)
{
    const code_kernel *code = n->op.u.kernel.kernel->code;
    host_lock(n->graph->context);
    free(n->params);
    n->params = lw_alloc((code->param_count + 1) * sizeof *n->params);
    for (uint32_t i = 0; i < code->param_count; i++) n->params[i] = n->op.u.kernel.params + code->params[i].offset;
    host_unlock(n->graph->context);
    return n->params;
}

bool host_graph_has_bodies(const host_graph *g)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const host_op *op = &g->nodes.items[i]->op;
        if (op->kind == HOST_OP_CONDITIONAL) return true;
        if (op->kind == HOST_OP_GRAPH && host_graph_has_bodies(op->u.graph.graph)) return true;
    }
    return false;
}

bool host_graph_is_body(const host_graph *g) { return g->outer != NULL; }

static size_t copy_nodes(const host_node_vec *v, host_node **out, size_t capacity)
{
    for (size_t i = 0; out && i < v->count && i < capacity; i++) out[i] = v->items[i];
    return v->count;
}

size_t host_graph_nodes(const host_graph *g, host_node **out, size_t capacity)
{
    return copy_nodes(&g->nodes, out, capacity);
}

size_t host_graph_roots(const host_graph *g, host_node **out, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < g->nodes.count; i++) {
        if (g->nodes.items[i]->from.count) continue;
        if (out && count < capacity) out[count] = g->nodes.items[i];
        count++;
    }
    return count;
}

size_t host_graph_edges(const host_graph *g, host_node **from, host_node **to, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < g->nodes.count; i++) {
        host_node *n = g->nodes.items[i];
        for (size_t k = 0; k < n->to.count; k++, count++) {
            if (count >= capacity) continue;
            if (from) from[count] = n;
            if (to) to[count] = n->to.items[k];
        }
    }
    return count;
}

size_t host_node_dependencies(const host_node *n, host_node **out, size_t capacity)
{
    return copy_nodes(&n->from, out, capacity);
}

size_t host_node_dependents(const host_node *n, host_node **out, size_t capacity)
{
    return copy_nodes(&n->to, out, capacity);
}

host_node *host_graph_find_clone(host_graph *clone, const host_node *original)
{
    host_node *found = NULL;
    for (size_t i = 0; i < clone->nodes.count && !found; i++) {
        host_node *n = clone->nodes.items[i];
        if (n->id == original->id) return n;
        if (n->op.kind == HOST_OP_GRAPH) found = host_graph_find_clone(n->op.u.graph.graph, original);
        if (n->op.kind != HOST_OP_CONDITIONAL) continue;
        for (uint32_t k = 0; k < n->op.u.conditional.count && !found; k++)
            found = host_graph_find_clone(n->op.u.conditional.bodies[k], original);
    }
    return found;
}

host_error host_graph_clone(host_context *c, host_graph *g, host_graph **out)
{
    if (!host_graph_valid(c, g) || !out) return HOST_INVALID_VALUE;
    host_graph *copy;
    host_error error = host_graph_create(c, &copy);
    if (error) return error;
    host_lock(c);
    for (size_t i = 0; i < g->nodes.count; i++) {
        host_node *n = lw_alloc(sizeof *n);
        n->graph = copy;
        n->id = g->nodes.items[i]->id;
        n->op = host_op_copy(c, &g->nodes.items[i]->op);
        n->index = (uint32_t)i;
        g->nodes.items[i]->index = (uint32_t)i;
        lw_vec_push(&copy->nodes, n);
        host_handle_add(c, n, HOST_T_NODE);
    }
    for (size_t i = 0; i < g->nodes.count; i++) {
        const host_node *n = g->nodes.items[i];
        for (size_t k = 0; k < n->to.count; k++)
            link_nodes(copy->nodes.items[i], copy->nodes.items[n->to.items[k]->index]);
    }
    host_unlock(c);
    host_graph_users_copy(g, copy);
    *out = copy;
    return 0;
}

void host_graphs_free(host_context *c)
{
    for (bool again = true; again;) { /* child graphs go with their parents, in any order of the list */
        again = false;
        for (size_t i = 0; i < c->graphs->all.count && !again; i++) {
            if (c->graphs->all.items[i]->is_child) continue;
            host_graph_destroy(c, c->graphs->all.items[i]);
            again = true;
        }
    }
}

/* ---- memory of allocation nodes ---- */
bool host_graph_owns(const mem_allocation *a) { return a->kind == MEM_DEVICE && (a->flags & HOST_GRAPH_MEMORY); }

/* Removes address from those that are there; false if it was not. */
static bool take_live(host_context *c, uint64_t address)
{
    bool found = false;
    host_lock(c);
    for (size_t i = 0; i < c->graphs->live.count && !found; i++) {
        if (c->graphs->live.items[i] != address) continue;
        c->graphs->live.items[i] = c->graphs->live.items[--c->graphs->live.count];
        found = true;
    }
    host_unlock(c);
    return found;
}

void host_graph_memory_begin(host_context *c, uint64_t address, uint64_t bytes, const host_place *at)
{
    host_graph_memory_end(c, address, at);
    host_lock(c);
    lw_vec_push(&c->graphs->live, address);
    host_unlock(c);
    host_fill_fresh(c, address, bytes);
    host_emit_alloc(c, address, bytes, false, at);
}

void host_graph_memory_end(host_context *c, uint64_t address, const host_place *at)
{
    if (take_live(c, address)) host_emit_free(c, address, at);
}

/* ---- as text ---- */
host_error host_graph_write_dot(host_context *c, const host_graph *graph, const char *path)
{
    if (!host_graph_valid(c, graph) || !path) return HOST_INVALID_VALUE;
    size_t count = host_graph_nodes(graph, NULL, 0), edges = host_graph_edges(graph, NULL, NULL, 0);
    host_node **nodes = lw_alloc((count + 1) * sizeof *nodes);
    host_node **from = lw_alloc((edges + 1) * sizeof *from), **to = lw_alloc((edges + 1) * sizeof *to);
    host_graph_nodes(graph, nodes, count);
    host_graph_edges(graph, from, to, edges);
    static const char *const kinds[] = {"kernel", "memcpy", "memset",     "host",
                                        "graph",  "empty",  "wait event", "record event"};
    lw_text text = {0};
    lw_text_add(&text, "digraph dot {\n");
    for (size_t i = 0; i < count; i++) {
        unsigned kind = host_node_op(nodes[i])->kind;
        lw_text_add(&text, "    \"%p\" [label=\"%s\"];\n", (void *)nodes[i],
                    kind < 8                      ? kinds[kind]
                    : kind == HOST_OP_CONDITIONAL ? "conditional"
                                                  : "memory");
    }
    for (size_t i = 0; i < edges; i++) lw_text_add(&text, "    \"%p\" -> \"%p\";\n", (void *)from[i], (void *)to[i]);
    lw_text_add(&text, "}\n");
    lw_status status = lw_file_write(path, text.data, text.size, NULL);
    lw_text_free(&text);
    free(nodes);
    free(from);
    free(to);
    return status ? HOST_OPERATING_SYSTEM : 0;
}
