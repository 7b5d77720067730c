/* Stream capture: while a stream captures, its operations become nodes of a graph. A stream's front is the set of nodes
 * the next operation depends on; recording an event remembers the front, waiting for it elsewhere forks or joins.
 * Everything here runs under the context's lock. */
#include <stdlib.h>
#include <string.h>

#include "host/capture_priv.h"
#include "host/graph_priv.h"
#include "host/state_priv.h"
#include "host/thread.h"

static void front_set(host_node_vec *front, host_node *const *nodes, size_t count)
{
    front->count = 0;
    for (size_t i = 0; i < count; i++) lw_vec_push(front, nodes[i]);
}

static void front_add(host_node_vec *front, host_node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool have = false;
        for (size_t k = 0; k < front->count && !have; k++) have = front->items[k] == nodes[i];
        if (!have) lw_vec_push(front, nodes[i]);
    }
}

void host_capture_invalidate(host_capture *capture) { capture->status = HOST_CAPTURE_INVALIDATED; }

void host_capture_leave(host_stream *s)
{
    front_add(&s->capture->left, s->front.items, s->front.count);
    s->capture = NULL;
    s->front.count = 0;
}

void host_capture_drop(host_capture *capture, bool with_graph)
{
    host_context *c = capture->origin->context;
    host_lock(c);
    for (size_t i = 0; i < c->streams->all.count; i++) {
        host_stream *s = c->streams->all.items[i];
        if (s->capture != capture) continue;
        s->capture = NULL;
        s->front.count = 0;
    }
    for (size_t i = 0; i < c->streams->events.count; i++) {
        host_event *e = c->streams->events.items[i];
        if (e->capture != capture) continue;
        e->capture = NULL;
        e->front.count = 0;
    }
    for (size_t i = 0; i < c->streams->captures.count; i++) {
        if (c->streams->captures.items[i] != capture) continue;
        c->streams->captures.items[i] = c->streams->captures.items[--c->streams->captures.count];
        break;
    }
    if (with_graph && capture->own_graph) host_graph_destroy(c, capture->graph);
    host_unlock(c);
    lw_vec_free(&capture->left);
    free(capture);
}

host_error host_capture_begin(host_stream *s, int mode, host_graph *into, host_node *const *dependencies, size_t count)
{
    host_context *c = s->context;
    if (mode < HOST_CAPTURE_GLOBAL || mode > HOST_CAPTURE_RELAXED) return HOST_INVALID_VALUE;
    if (host_stream_is_legacy(s)) return HOST_STREAM_CAPTURE_UNSUPPORTED;
    if (s->capture) return HOST_ILLEGAL_STATE;
    if (into && !host_graph_valid(c, into)) return HOST_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!host_node_valid(c, dependencies[i]) || dependencies[i]->graph != into) return HOST_INVALID_VALUE;
    host_capture *k = lw_alloc(sizeof *k);
    *k = (host_capture){.graph = into, .own_graph = !into, .status = HOST_CAPTURE_ACTIVE, .mode = mode, .origin = s};
    if (!into) {
        host_error error = host_graph_create(c, &k->graph);
        if (error) {
            free(k);
            return error;
        }
    }
    host_lock(c);
    k->id = ++c->streams->last_capture;
    k->thread = host_thread_get(c)->id;
    s->capture = k;
    front_set(&s->front, dependencies, count);
    lw_vec_push(&c->streams->captures, k);
    host_unlock(c);
    return 0;
}

host_error host_capture_add(host_stream *s, const host_op *op)
{
    host_context *c = s->context;
    host_op mine = *op;
    host_lock(c);
    host_error error = s->capture->status == HOST_CAPTURE_ACTIVE ? 0 : HOST_STREAM_CAPTURE_INVALIDATED;
    if (op->kind >= HOST_OP_CALLBACK) {
        error = HOST_STREAM_CAPTURE_UNSUPPORTED;
        host_capture_invalidate(s->capture);
    }
    host_node *node = NULL;
    if (error) host_op_free(c, &mine);
    else error = host_graph_add(c, s->capture->graph, op, s->front.items, s->front.count, &node);
    if (node) front_set(&s->front, &node, 1);
    host_unlock(c);
    return error;
}

host_error host_capture_record(host_event *e, host_stream *s, uint32_t flags)
{
    host_context *c = s->context;
    if (s->capture->status != HOST_CAPTURE_ACTIVE) return HOST_STREAM_CAPTURE_INVALIDATED;
    if (flags & HOST_EVENT_EXTERNAL) { /* external: a node that records when the graph runs */
        host_op op = {.kind = HOST_OP_EVENT_RECORD};
        op.u.event.event = e;
        return host_capture_add(s, &op);
    }
    host_lock(c);
    e->capture = s->capture;
    front_set(&e->front, s->front.items, s->front.count);
    host_unlock(c);
    return 0;
}

static host_error wait_locked(host_stream *s, host_event *e)
{
    if (!e->capture) { /* an event from outside the capture */
        host_capture_invalidate(s->capture);
        return HOST_STREAM_CAPTURE_ISOLATION;
    }
    if (e->capture->status != HOST_CAPTURE_ACTIVE) return HOST_STREAM_CAPTURE_INVALIDATED;
    if (!s->capture) {
        if (host_stream_is_legacy(s)) {
            host_capture_invalidate(e->capture);
            return HOST_STREAM_CAPTURE_IMPLICIT;
        }
        s->capture = e->capture;
        front_set(&s->front, e->front.items, e->front.count);
        return 0;
    }
    if (s->capture != e->capture) {
        host_capture_invalidate(s->capture);
        host_capture_invalidate(e->capture);
        return HOST_STREAM_CAPTURE_MERGE;
    }
    front_add(&s->front, e->front.items, e->front.count);
    return 0;
}

host_error host_capture_wait(host_stream *s, host_event *e, uint32_t flags)
{
    if (s->capture && s->capture->status != HOST_CAPTURE_ACTIVE) return HOST_STREAM_CAPTURE_INVALIDATED;
    if (s->capture && (flags & HOST_EVENT_EXTERNAL)) {
        host_op op = {.kind = HOST_OP_EVENT_WAIT};
        op.u.event.event = e;
        return host_capture_add(s, &op);
    }
    host_lock(s->context);
    host_error error = wait_locked(s, e);
    host_unlock(s->context);
    return error;
}

/* Marks what the nodes depend on; a node of the origin's final front reaches it. */
static void mark_ancestors(host_node *const *nodes, size_t count)
{
    host_node_vec todo = {0};
    for (size_t i = 0; i < count; i++) lw_vec_push(&todo, nodes[i]);
    while (todo.count) {
        host_node *n = todo.items[--todo.count];
        if (n->index) continue;
        n->index = 1;
        for (size_t i = 0; i < n->from.count; i++) lw_vec_push(&todo, n->from.items[i]);
    }
    lw_vec_free(&todo);
}

static bool all_marked(const host_node_vec *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (!nodes->items[i]->index) return false;
    return true;
}

static bool all_joined(host_context *c, const host_capture *k)
{
    for (size_t i = 0; i < k->graph->nodes.count; i++) k->graph->nodes.items[i]->index = 0;
    mark_ancestors(k->origin->front.items, k->origin->front.count);
    for (size_t i = 0; i < c->streams->all.count; i++)
        if (c->streams->all.items[i]->capture == k && !all_marked(&c->streams->all.items[i]->front)) return false;
    return all_marked(&k->left);
}

host_error host_capture_end(host_stream *s, host_graph **out)
{
    host_context *c = s->context;
    if (out) *out = NULL;
    host_capture *k = s->capture;
    if (!k) return HOST_ILLEGAL_STATE;
    if (k->origin != s) return HOST_STREAM_CAPTURE_UNMATCHED;
    if (k->mode != HOST_CAPTURE_RELAXED && k->thread != host_thread_get(c)->id) return HOST_STREAM_CAPTURE_WRONG_THREAD;
    host_error error = k->status == HOST_CAPTURE_ACTIVE ? 0 : HOST_STREAM_CAPTURE_INVALIDATED;
    host_lock(c);
    if (!error && !all_joined(c, k)) error = HOST_STREAM_CAPTURE_UNJOINED;
    host_unlock(c);
    host_graph *graph = k->graph;
    host_capture_drop(k, error != 0);
    if (!error && out) *out = graph;
    return error;
}

host_error host_capture_query(host_stream *s, host_capture_info *out)
{
    *out = (host_capture_info){0};
    if (host_stream_is_legacy(s)) return host_capture_check_legacy(s);
    const host_capture *k = s->capture;
    if (!k) return 0;
    *out = (host_capture_info){k->status, k->id, k->graph, s->front.items, s->front.count};
    return 0;
}

host_error host_capture_set_dependencies(host_stream *s, host_node *const *nodes, size_t count, bool replace)
{
    host_context *c = s->context;
    if (!s->capture) return HOST_ILLEGAL_STATE;
    if (s->capture->status != HOST_CAPTURE_ACTIVE) return HOST_STREAM_CAPTURE_INVALIDATED;
    for (size_t i = 0; i < count; i++)
        if (!host_node_valid(c, nodes[i]) || nodes[i]->graph != s->capture->graph) return HOST_INVALID_VALUE;
    host_lock(c);
    if (replace) s->front.count = 0;
    front_add(&s->front, nodes, count);
    host_unlock(c);
    return 0;
}

host_error host_capture_forbid(host_context *c)
{
    if (!c->streams->captures.count) return 0;
    const host_thread *t = host_thread_get(c);
    if (t->capture_mode == HOST_CAPTURE_RELAXED) return 0;
    host_error error = 0;
    host_lock(c);
    for (size_t i = 0; i < c->streams->captures.count; i++) {
        host_capture *k = c->streams->captures.items[i];
        bool mine = k->thread == t->id;
        bool strict = k->mode == HOST_CAPTURE_GLOBAL ? (mine || t->capture_mode == HOST_CAPTURE_GLOBAL)
                                                     : k->mode == HOST_CAPTURE_THREAD_LOCAL && mine;
        if (!strict) continue;
        host_capture_invalidate(k);
        error = HOST_STREAM_CAPTURE_UNSUPPORTED;
    }
    host_unlock(c);
    return error;
}

/* The legacy stream would wait for the capturing one, unless that is non-blocking. */
host_error host_capture_check_legacy(host_stream *s)
{
    host_context *c = s->context;
    if (!host_stream_is_legacy(s) || !c->streams->captures.count) return 0;
    host_error error = 0;
    host_lock(c);
    for (size_t i = 0; i < c->streams->captures.count; i++) {
        host_capture *k = c->streams->captures.items[i];
        if (k->origin->flags & HOST_STREAM_NON_BLOCKING) continue;
        host_capture_invalidate(k);
        error = HOST_STREAM_CAPTURE_IMPLICIT;
    }
    host_unlock(c);
    return error;
}

host_error host_capture_forbid_peer(host_stream *s)
{
    if (!s->capture) return 0;
    host_capture_invalidate(s->capture);
    return HOST_STREAM_CAPTURE_UNSUPPORTED;
}
