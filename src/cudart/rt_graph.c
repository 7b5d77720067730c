/* Graphs: creation, nodes of each kind, edges, queries. Parameters travel between the program's structures and the host
 * room's operations here, in both directions. */
#include <stdlib.h>
#include <string.h>

#include "cudart/rt_graph.h"

RT(cudaGraphCreate)(host_graph **out, unsigned flags)
{
    return rt_end(flags ? HOST_INVALID_VALUE : host_graph_create(rt_context(), out));
}

RT(cudaGraphDestroy)(host_graph *graph) { return rt_end(host_graph_destroy(graph)); }

RT(cudaGraphClone)(host_graph **out, host_graph *graph) { return rt_end(host_graph_clone(graph, out)); }

RT(cudaGraphDestroyNode)(host_node *node) { return rt_end(host_node_destroy(node)); }

/* ---- parameters -> operations ---- */
host_error rt_op_kernel(const rt_kernel_params *p, host_op *out)
{
    host_kernel *k;
    if (!p) return HOST_INVALID_VALUE;
    host_error error = rt_kernel(p->func, &k);
    if (error) return error;
    host_launch_config config = rt_config(p->grid, p->block, p->shared_bytes, NULL);
    const void *packed = NULL;
    size_t bytes = 0;
    for (void **e = p->extra; e && *e; e += 2) { /* pairs of key and value, as cuLaunchKernel takes them */
        if (*e == (void *)1) packed = e[1];
        if (*e == (void *)2) bytes = *(size_t *)e[1];
    }
    return host_kernel_op(k, &config, p->params, packed, bytes, out);
}

host_error rt_op_copy(const rt_memcpy3d *p, host_op *out)
{
    *out = (host_op){.kind = HOST_OP_COPY};
    return rt_copy3d(p, &out->u.copy.copy);
}

host_error rt_op_copy_flat(void *dst, const void *src, size_t bytes, int kind, host_op *out)
{
    if (kind < 0 || kind > HOST_COPY_DEFAULT) return HOST_INVALID_MEMCPY_DIRECTION;
    if (bytes && (!dst || !src)) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_COPY};
    out->u.copy.copy = host_copy_flat((uint64_t)(uintptr_t)dst, (uint64_t)(uintptr_t)src, bytes, kind);
    return 0;
}

host_error rt_op_symbol(void *linear, const void *symbol, size_t bytes, size_t offset, int kind, bool to_symbol,
                        host_op *out)
{
    uint64_t address, size;
    host_error error = rt_symbol(symbol, &address, &size);
    if (error) return error;
    if (offset > size || bytes > size - offset) return HOST_INVALID_VALUE;
    void *place = (void *)(uintptr_t)(address + offset);
    return to_symbol ? rt_op_copy_flat(place, linear, bytes, kind, out)
                     : rt_op_copy_flat(linear, place, bytes, kind, out);
}

host_error rt_op_fill(const rt_memset_params *p, host_op *out)
{
    if (!p || !p->dst) return HOST_INVALID_VALUE;
    if (p->element_size != 1 && p->element_size != 2 && p->element_size != 4) return HOST_INVALID_VALUE;
    if (p->height > 1 && p->pitch < p->width * p->element_size) return HOST_INVALID_VALUE;
    uint64_t address = (uint64_t)(uintptr_t)p->dst;
    if (address % p->element_size) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_FILL};
    out->u.fill = (host_fill){{address, p->pitch, p->height}, p->value, p->element_size, p->width, p->height, 1};
    return 0;
}

host_error rt_op_host(const rt_host_params *p, host_op *out)
{
    if (!p || !p->function) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_FUNCTION};
    out->u.function.function = p->function;
    out->u.function.user = p->user;
    return 0;
}

host_error rt_op_event(host_event *event, bool record, host_op *out)
{
    if (!host_event_valid(event)) return HOST_INVALID_RESOURCE_HANDLE;
    *out = (host_op){.kind = record ? HOST_OP_EVENT_RECORD : HOST_OP_EVENT_WAIT};
    out->u.event.event = event;
    return 0;
}

host_error rt_op_child(host_graph *graph, host_op *out)
{
    if (!host_graph_valid(graph)) return HOST_INVALID_VALUE;
    host_op one = {.kind = HOST_OP_GRAPH};
    one.u.graph.graph = graph;
    *out = host_op_copy(&one); /* a clone of its own */
    return 0;
}

/* ---- adding ---- */
static int add(host_error error, host_node **out, host_graph *graph, host_node *const *dependencies, size_t count,
               const host_op *op)
{
    if (error) return rt_end(error);
    if (!out || !host_graph_valid(graph)) {
        host_op dropped = *op;
        host_op_free(&dropped);
        return rt_end(HOST_INVALID_VALUE);
    }
    return rt_end(host_graph_add(graph, op, dependencies, count, out));
}

RT(cudaGraphAddKernelNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count,
                           const rt_kernel_params *p)
{
    host_op op;
    return add(rt_op_kernel(p, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddMemcpyNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, const rt_memcpy3d *p)
{
    host_op op;
    return add(rt_op_copy(p, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddMemcpyNode1D)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, void *dst,
                             const void *src, size_t bytes, int kind)
{
    host_op op;
    return add(rt_op_copy_flat(dst, src, bytes, kind, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddMemcpyNodeToSymbol)(host_node **out, host_graph *graph, host_node *const *deps, size_t count,
                                   const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    host_op op;
    return add(rt_op_symbol((void *)src, symbol, bytes, offset, kind, true, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddMemcpyNodeFromSymbol)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, void *dst, const void *symbol, size_t bytes,
 size_t offset, int kind)
{
    host_op op;
    return add(rt_op_symbol(dst, symbol, bytes, offset, kind, false, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddMemsetNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count,
                           const rt_memset_params *p)
{
    host_op op;
    return add(rt_op_fill(p, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddHostNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, const rt_host_params *p)
{
    host_op op;
    return add(rt_op_host(p, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddEmptyNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count)
{
    host_op op = {.kind = HOST_OP_EMPTY};
    return add(0, out, graph, deps, count, &op);
}

RT(cudaGraphAddChildGraphNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, host_graph *child)
{
    host_op op;
    return add(rt_op_child(child, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddEventRecordNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, host_event *event)
{
    host_op op;
    return add(rt_op_event(event, true, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddEventWaitNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, host_event *event)
{
    host_op op;
    return add(rt_op_event(event, false, &op), out, graph, deps, count, &op);
}

static host_error op_alloc(rt_alloc_params *p, host_op *out)
{
    if (!p || !p->bytes) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_MEMORY_ALLOC};
    host_error error = host_malloc(rt_context(), p->bytes, MEM_DEVICE, HOST_GRAPH_MEMORY, &out->u.memory.address);
    out->u.memory.bytes = p->bytes;
    if (!error) p->pointer = (void *)(uintptr_t)out->u.memory.address;
    return error;
}

static host_error op_free(void *pointer, host_op *out)
{
    mem_allocation a;
    *out = (host_op){.kind = HOST_OP_MEMORY_FREE};
    out->u.memory.address = (uint64_t)(uintptr_t)pointer;
    return host_pointer_find(rt_context(), out->u.memory.address, &a) ? 0 : HOST_INVALID_VALUE;
}

RT(cudaGraphAddMemAllocNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, rt_alloc_params *p)
{
    host_op op;
    return add(op_alloc(p, &op), out, graph, deps, count, &op);
}

RT(cudaGraphAddMemFreeNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, void *pointer)
{
    host_op op;
    return add(op_free(pointer, &op), out, graph, deps, count, &op);
}

/* Any kind by its number. */
host_error rt_op_any(rt_node_params *p, host_op *out)
{
    if (!p) return HOST_INVALID_VALUE;
    switch (p->type) {
    case HOST_OP_KERNEL: return rt_op_kernel(&p->u.kernel, out);
    case HOST_OP_COPY: return rt_op_copy(&p->u.memcpy.copy, out);
    case HOST_OP_FILL: return rt_op_fill(&p->u.memset, out);
    case HOST_OP_FUNCTION: return rt_op_host(&p->u.host, out);
    case HOST_OP_GRAPH: return rt_op_child(p->u.graph.graph, out);
    case HOST_OP_EMPTY: *out = (host_op){.kind = HOST_OP_EMPTY}; return 0;
    case HOST_OP_EVENT_WAIT: return rt_op_event(p->u.event.event, false, out);
    case HOST_OP_EVENT_RECORD: return rt_op_event(p->u.event.event, true, out);
    case HOST_OP_MEMORY_ALLOC: return op_alloc(&p->u.alloc, out);
    case HOST_OP_MEMORY_FREE: return op_free(p->u.free.pointer, out);
    default: return rt_unsupported("cudaGraphAddNode of this node type");
    }
}

RT(cudaGraphAddNode)
(host_node **out, host_graph *graph, host_node *const *deps, const rt_edge_data *edges, size_t count, rt_node_params *p)
{
    host_op op;
    (void)edges; /* edges without and with programmatic dependency mean the same order here */
    return add(rt_op_any(p, &op), out, graph, deps, count, &op);
}

/* ---- edges and queries ---- */
RT(cudaGraphAddDependencies)(host_graph *graph, host_node *const *from, host_node *const *to, const rt_edge_data *edges,
                             size_t count)
{
    (void)edges;
    return rt_end(host_graph_add_edges(graph, from, to, count));
}

RT(cudaGraphRemoveDependencies)
(host_graph *graph, host_node *const *from, host_node *const *to, const rt_edge_data *edges, size_t count)
{
    (void)edges;
    return rt_end(host_graph_remove_edges(graph, from, to, count));
}

/* The list calls: *count is the room on the way in, what there is (or was given) on the way out; surplus room is
 * cleared. */
static void settle_count(host_node **list, size_t have, size_t *count)
{
    if (list) {
        for (size_t i = have; i < *count; i++) list[i] = NULL;
        *count = LW_MIN(*count, have);
    } else {
        *count = have;
    }
}

RT(cudaGraphGetNodes)(host_graph *graph, host_node **nodes, size_t *count)
{
    if (!count || !host_graph_valid(graph)) return rt_end(HOST_INVALID_VALUE);
    settle_count(nodes, host_graph_nodes(graph, nodes, *count), count);
    return 0;
}

RT(cudaGraphGetRootNodes)(host_graph *graph, host_node **nodes, size_t *count)
{
    if (!count || !host_graph_valid(graph)) return rt_end(HOST_INVALID_VALUE);
    settle_count(nodes, host_graph_roots(graph, nodes, *count), count);
    return 0;
}

RT(cudaGraphGetEdges)(host_graph *graph, host_node **from, host_node **to, rt_edge_data *edges, size_t *count)
{
    if (!count || !host_graph_valid(graph)) return rt_end(HOST_INVALID_VALUE);
    size_t room = *count, have = host_graph_edges(graph, from, to, from && to ? room : 0);
    if (edges) memset(edges, 0, room * sizeof *edges);
    settle_count(from, have, count);
    if (to && from)
        for (size_t i = have; i < room; i++) to[i] = NULL;
    return 0;
}

RT(cudaGraphNodeGetDependencies)(host_node *node, host_node **list, rt_edge_data *edges, size_t *count)
{
    if (!count || !host_node_valid(node)) return rt_end(HOST_INVALID_VALUE);
    if (edges) memset(edges, 0, *count * sizeof *edges);
    settle_count(list, host_node_dependencies(node, list, *count), count);
    return 0;
}

RT(cudaGraphNodeGetDependentNodes)(host_node *node, host_node **list, rt_edge_data *edges, size_t *count)
{
    if (!count || !host_node_valid(node)) return rt_end(HOST_INVALID_VALUE);
    if (edges) memset(edges, 0, *count * sizeof *edges);
    settle_count(list, host_node_dependents(node, list, *count), count);
    return 0;
}

RT(cudaGraphNodeGetType)(host_node *node, int *out)
{
    if (!out || !host_node_valid(node)) return rt_end(HOST_INVALID_VALUE);
    *out = (int)host_node_op(node)->kind;
    return 0;
}

RT(cudaGraphNodeFindInClone)(host_node **out, host_node *original, host_graph *clone)
{
    if (!out || !host_node_valid(original) || !host_graph_valid(clone)) return rt_end(HOST_INVALID_VALUE);
    *out = host_graph_find_clone(clone, original);
    return rt_end(*out ? 0 : HOST_INVALID_VALUE);
}

/* ---- user objects ---- */
RT(cudaUserObjectCreate)(host_user **out, void *pointer, void (*destroy)(void *), unsigned count, unsigned flags)
{
    enum { NO_DESTRUCTOR_SYNC = 1 };
    if (!out || !destroy || !count || flags != NO_DESTRUCTOR_SYNC) return rt_end(HOST_INVALID_VALUE);
    *out = host_user_create(pointer, destroy, count);
    return 0;
}

RT(cudaUserObjectRetain)(host_user *object, unsigned count) { return rt_end(host_user_retain(object, count)); }

RT(cudaUserObjectRelease)(host_user *object, unsigned count) { return rt_end(host_user_release(object, count)); }

RT(cudaGraphRetainUserObject)(host_graph *graph, host_user *object, unsigned count, unsigned flags)
{
    return rt_end(flags > 1 ? HOST_INVALID_VALUE : host_graph_retain(graph, object, count, flags == 1));
}

RT(cudaGraphReleaseUserObject)(host_graph *graph, host_user *object, unsigned count)
{
    return rt_end(host_graph_release(graph, object, count));
}

RT(cudaGraphDebugDotPrint)(host_graph *graph, const char *path, unsigned flags)
{
    (void)flags;
    return rt_end(host_graph_write_dot(graph, path));
}
