/* Graphs: what is in them, executable graphs, user objects. */
#include <string.h>

#include "face/face.h"
#include "host/refuse.h"

/* ---- lists ---- */
static void settle_count(host_node **list, size_t have, size_t *count)
{
    if (!list) {
        *count = have;
        return;
    }
    for (size_t i = have; i < *count; i++) list[i] = NULL;
    *count = LW_MIN(*count, have);
}

/* Edge data of plain edges are zero. Without a list there is no room to speak of in *count. */
static void clear_edges(face_edge_data *edges, bool listed, size_t room)
{
    if (edges && listed) memset(edges, 0, room * sizeof *edges);
}

host_error face_graph_nodes(const host_graph *graph, host_node **out, size_t *count)
{
    if (!count || !host_graph_valid(host_get(), graph)) return HOST_INVALID_VALUE;
    settle_count(out, host_graph_nodes(graph, out, *count), count);
    return 0;
}

host_error face_graph_roots(const host_graph *graph, host_node **out, size_t *count)
{
    if (!count || !host_graph_valid(host_get(), graph)) return HOST_INVALID_VALUE;
    settle_count(out, host_graph_roots(graph, out, *count), count);
    return 0;
}

host_error face_graph_edges(const host_graph *graph, host_node **from, host_node **to, face_edge_data *edges,
                            size_t *count)
{
    if (!count || !host_graph_valid(host_get(), graph)) return HOST_INVALID_VALUE;
    bool listed = from && to;
    size_t room = *count;
    size_t have = host_graph_edges(graph, from, to, listed ? room : 0);
    clear_edges(edges, listed, room);
    settle_count(from, have, count);
    for (size_t i = have; listed && i < room; i++) to[i] = NULL;
    return 0;
}

host_error face_node_dependencies(const host_node *node, host_node **out, face_edge_data *edges, size_t *count)
{
    if (!count || !host_node_valid(host_get(), node)) return HOST_INVALID_VALUE;
    clear_edges(edges, out, *count);
    settle_count(out, host_node_dependencies(node, out, *count), count);
    return 0;
}

host_error face_node_dependents(const host_node *node, host_node **out, face_edge_data *edges, size_t *count)
{
    if (!count || !host_node_valid(host_get(), node)) return HOST_INVALID_VALUE;
    clear_edges(edges, out, *count);
    settle_count(out, host_node_dependents(node, out, *count), count);
    return 0;
}

host_error face_node_type(const host_node *node, int *out)
{
    if (!out || !host_node_valid(host_get(), node)) return HOST_INVALID_VALUE;
    host_op_kind kind = host_node_op(node)->kind;
    *out = kind == HOST_OP_LIBRARY ? HOST_OP_KERNEL : (int)kind;
    return 0;
}

host_error face_graph_destroy(host_graph *graph)
{
    bool good = host_graph_valid(host_get(), graph) && !host_graph_is_body(graph);
    return good ? host_graph_destroy(host_get(), graph) : HOST_INVALID_VALUE;
}

host_error face_graph_clone(host_graph *graph, host_graph **out)
{
    if (host_graph_valid(host_get(), graph) && host_graph_has_bodies(graph))
        return host_refuse(HOST_NOT_SUPPORTED, "Graphs with conditional nodes cannot be cloned.");
    return host_graph_clone(host_get(), graph, out);
}

host_error face_node_in_clone(const host_node *original, host_graph *clone, host_node **out)
{
    if (!out || !host_node_valid(host_get(), original) || !host_graph_valid(host_get(), clone))
        return HOST_INVALID_VALUE;
    *out = host_graph_find_clone(clone, original);
    return *out ? 0 : HOST_INVALID_VALUE;
}

/* ---- executable graphs ---- */
host_error face_graph_instantiate(const face *self, host_graph *graph, uint64_t flags, host_graph_exec **out)
{
    enum { FREE = 1, UPLOAD = 2, DEVICE = 4, PRIORITY = 8, ALL = FREE | UPLOAD | DEVICE | PRIORITY };
    (void)self;
    if (flags & ~(uint64_t)ALL || (flags & FREE && flags & DEVICE)) return HOST_INVALID_VALUE;
    return host_graph_instantiate(host_get(), graph, flags, out);
}

host_error face_graph_instantiate_with(const face *self, host_graph *graph, face_instantiate_params *params,
                                       host_graph_exec **out)
{
    if (!params) return HOST_INVALID_VALUE;
    host_error error = face_graph_instantiate(self, graph, params->flags, out);
    params->error_node = NULL;
    params->result = error ? 1 : 0;
    return error;
}

host_error face_exec_flags(const host_graph_exec *exec, uint64_t *out)
{
    if (!out || !host_graph_exec_valid(host_get(), exec)) return HOST_INVALID_VALUE;
    *out = host_graph_exec_flags((host_graph_exec *)exec);
    return 0;
}

host_error face_exec_update(host_graph_exec *exec, host_graph *graph, face_update_info *out)
{
    host_node *node = NULL;
    int result = 0;
    host_error error = host_graph_exec_update(host_get(), exec, graph, &node, &result);
    if (out) *out = (face_update_info){result, node, NULL};
    return error;
}

host_error face_exec_enabled(host_graph_exec *exec, const host_node *node, unsigned *out)
{
    bool enabled = false;
    host_error error = out ? host_graph_exec_enabled(host_get(), exec, node, &enabled) : HOST_INVALID_VALUE;
    if (!error) *out = enabled;
    return error;
}

/* ---- user objects ---- */
host_error face_user_create(host_user **out, void *pointer, void (*destroy)(void *), unsigned count, unsigned flags)
{
    enum { NO_DESTRUCTOR_SYNC = 1 };
    if (!out || !destroy || !count || flags != NO_DESTRUCTOR_SYNC) return HOST_INVALID_VALUE;
    *out = host_user_create(host_get(), pointer, destroy, count);
    return 0;
}

host_error face_graph_retain(host_graph *graph, host_user *user, unsigned count, unsigned flags)
{
    enum { MOVE = 1 };
    return flags > MOVE ? HOST_INVALID_VALUE : host_graph_retain(host_get(), graph, user, count, flags == MOVE);
}
