/* Graphs: creation, nodes of each kind, edges, queries. */
#include <stdlib.h>
#include <string.h>

#include "cuda/cu_graph.h"

CU(cuGraphCreate)(host_graph **out, unsigned flags)
{
    host_error error = cu_need_init();
    if (!error && flags) error = HOST_INVALID_VALUE;
    return cu_end(error ? error : host_graph_create(cu_host(), out));
}

CU(cuGraphDestroy)(host_graph *graph) { return cu_end(host_graph_destroy(graph)); }

CU(cuGraphClone)(host_graph **out, host_graph *graph) { return cu_end(host_graph_clone(graph, out)); }

CU(cuGraphDestroyNode)(host_node *node) { return cu_end(host_node_destroy(node)); }

/* ---- parameters -> operations ---- */
host_error cu_op_kernel(const cu_kernel_params *p, bool with_kernel, host_op *out)
{
    const void *packed;
    size_t bytes;
    if (!p || (p->params && p->extra)) return HOST_INVALID_VALUE;
    host_kernel *kernel = p->function ? p->function : with_kernel ? p->kernel : NULL;
    host_error error = cu_kernel(kernel);
    if (!error) error = cu_packed(p->extra, &packed, &bytes);
    if (error) return error;
    host_launch_config config = cu_config(p->grid, p->block, p->shared, NULL);
    return host_kernel_op(kernel, &config, p->params, packed, bytes, out);
}

host_error cu_op_copy(const cu_memcpy3d *p, host_op *out)
{
    *out = (host_op){.kind = HOST_OP_COPY};
    return cu_copy_3d(p, &out->u.copy.copy);
}

host_error cu_op_fill(const cu_memset_params *p, host_op *out)
{
    if (!p || !p->dst) return HOST_INVALID_VALUE;
    if (p->element_size != 1 && p->element_size != 2 && p->element_size != 4) return HOST_INVALID_VALUE;
    if (p->dst % p->element_size) return HOST_INVALID_VALUE;
    if (p->height > 1 && p->pitch < p->width * p->element_size) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_FILL};
    out->u.fill = (host_fill){{p->dst, p->pitch, p->height}, p->value, p->element_size, p->width, p->height, 1};
    return 0;
}

host_error cu_op_host(const cu_host_params *p, host_op *out)
{
    if (!p || !p->function) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_FUNCTION};
    out->u.function.function = p->function;
    out->u.function.user = p->user;
    return 0;
}

host_error cu_op_event(host_event *event, bool record, host_op *out)
{
    if (!host_event_valid(event)) return HOST_INVALID_RESOURCE_HANDLE;
    *out = (host_op){.kind = record ? HOST_OP_EVENT_RECORD : HOST_OP_EVENT_WAIT};
    out->u.event.event = event;
    return 0;
}

host_error cu_op_child(host_graph *graph, host_op *out)
{
    if (!host_graph_valid(graph)) return HOST_INVALID_VALUE;
    host_op one = {.kind = HOST_OP_GRAPH};
    one.u.graph.graph = graph;
    *out = host_op_copy(&one); /* a clone of its own */
    return 0;
}

static host_error op_alloc(cu_alloc_params *p, host_op *out)
{
    if (!p || !p->bytes) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_MEMORY_ALLOC};
    host_error error = host_malloc(cu_host(), p->bytes, MEM_DEVICE, HOST_GRAPH_MEMORY, &out->u.memory.address);
    out->u.memory.bytes = p->bytes;
    if (!error) p->pointer = out->u.memory.address;
    return error;
}

static host_error op_free(uint64_t pointer, host_op *out)
{
    mem_allocation a;
    *out = (host_op){.kind = HOST_OP_MEMORY_FREE};
    out->u.memory.address = pointer;
    return host_pointer_find(cu_host(), pointer, &a) ? 0 : HOST_INVALID_VALUE;
}

host_error cu_op_any(cu_node_params *p, host_op *out)
{
    if (!p) return HOST_INVALID_VALUE;
    switch (p->type) {
    case HOST_OP_KERNEL: return cu_op_kernel(&p->u.kernel, true, out);
    case HOST_OP_COPY: return cu_op_copy(&p->u.memcpy.copy, out);
    case HOST_OP_FILL: return cu_op_fill(&p->u.memset, out);
    case HOST_OP_FUNCTION: return cu_op_host(&p->u.host, out);
    case HOST_OP_GRAPH: return cu_op_child(p->u.graph.graph, out);
    case HOST_OP_EMPTY: *out = (host_op){.kind = HOST_OP_EMPTY}; return 0;
    case HOST_OP_EVENT_WAIT: return cu_op_event(p->u.event.event, false, out);
    case HOST_OP_EVENT_RECORD: return cu_op_event(p->u.event.event, true, out);
    case HOST_OP_MEMORY_ALLOC: return op_alloc(&p->u.alloc, out);
    case HOST_OP_MEMORY_FREE: return op_free(p->u.free.pointer, out);
    default: return cu_unsupported("cuGraphAddNode of this node type");
    }
}

/* ---- adding ---- */
static int add(host_error error, host_node **out, host_graph *graph, host_node *const *dependencies, size_t count,
               const host_op *op)
{
    if (error) return cu_end(error);
    if (!out || !host_graph_valid(graph)) {
        host_op dropped = *op;
        host_op_free(&dropped);
        return HOST_INVALID_VALUE;
    }
    return cu_end(host_graph_add(graph, op, dependencies, count, out));
}

CU(cuGraphAddKernelNode_v2)(host_node **out, host_graph *graph, host_node *const *deps, size_t count,
                            const cu_kernel_params *p)
{
    host_op op;
    return add(cu_op_kernel(p, true, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddKernelNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, const cu_kernel_params *p)
{
    host_op op;
    return add(cu_op_kernel(p, false, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddMemcpyNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, const cu_memcpy3d *p,
                         cu_context *context)
{
    host_op op;
    (void)context;
    return add(cu_op_copy(p, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddMemsetNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, const cu_memset_params *p,
 cu_context *context)
{
    host_op op;
    (void)context;
    return add(cu_op_fill(p, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddHostNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, const cu_host_params *p)
{
    host_op op;
    return add(cu_op_host(p, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddEmptyNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count)
{
    host_op op = {.kind = HOST_OP_EMPTY};
    return add(0, out, graph, deps, count, &op);
}

CU(cuGraphAddChildGraphNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, host_graph *child)
{
    host_op op;
    return add(cu_op_child(child, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddEventRecordNode)
(host_node **out, host_graph *graph, host_node *const *deps, size_t count, host_event *event)
{
    host_op op;
    return add(cu_op_event(event, true, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddEventWaitNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, host_event *event)
{
    host_op op;
    return add(cu_op_event(event, false, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddMemAllocNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, cu_alloc_params *p)
{
    host_op op;
    return add(op_alloc(p, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddMemFreeNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, uint64_t pointer)
{
    host_op op;
    return add(op_free(pointer, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddNode_v2)
(host_node **out, host_graph *graph, host_node *const *deps, const cu_edge_data *edges, size_t count, cu_node_params *p)
{
    host_op op;
    (void)edges; /* edges without and with programmatic dependency mean the same order here */
    return add(cu_op_any(p, &op), out, graph, deps, count, &op);
}

CU(cuGraphAddNode)(host_node **out, host_graph *graph, host_node *const *deps, size_t count, cu_node_params *p)
{
    return lw_cuda_cuGraphAddNode_v2(out, graph, deps, NULL, count, p);
}

/* ---- edges and queries. Version 2 has edge data, which are all zero here. ---- */
CU(cuGraphAddDependencies)(host_graph *graph, host_node *const *from, host_node *const *to, size_t count)
{
    return cu_end(host_graph_add_edges(graph, from, to, count));
}

CU(cuGraphAddDependencies_v2)
(host_graph *graph, host_node *const *from, host_node *const *to, const cu_edge_data *edges, size_t count)
{
    (void)edges;
    return lw_cuda_cuGraphAddDependencies(graph, from, to, count);
}

CU(cuGraphRemoveDependencies)(host_graph *graph, host_node *const *from, host_node *const *to, size_t count)
{
    return cu_end(host_graph_remove_edges(graph, from, to, count));
}

CU(cuGraphRemoveDependencies_v2)
(host_graph *graph, host_node *const *from, host_node *const *to, const cu_edge_data *edges, size_t count)
{
    (void)edges;
    return lw_cuda_cuGraphRemoveDependencies(graph, from, to, count);
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

CU(cuGraphGetNodes)(host_graph *graph, host_node **nodes, size_t *count)
{
    if (!count || !host_graph_valid(graph)) return HOST_INVALID_VALUE;
    settle_count(nodes, host_graph_nodes(graph, nodes, *count), count);
    return 0;
}

CU(cuGraphGetRootNodes)(host_graph *graph, host_node **nodes, size_t *count)
{
    if (!count || !host_graph_valid(graph)) return HOST_INVALID_VALUE;
    settle_count(nodes, host_graph_roots(graph, nodes, *count), count);
    return 0;
}

CU(cuGraphGetEdges_v2)(host_graph *graph, host_node **from, host_node **to, cu_edge_data *edges, size_t *count)
{
    if (!count || !host_graph_valid(graph)) return HOST_INVALID_VALUE;
    size_t room = *count, have = host_graph_edges(graph, from, to, from && to ? room : 0);
    if (edges && from && to) memset(edges, 0, room * sizeof *edges);
    settle_count(from, have, count);
    if (to && from)
        for (size_t i = have; i < room; i++) to[i] = NULL;
    return 0;
}

CU(cuGraphGetEdges)(host_graph *graph, host_node **from, host_node **to, size_t *count)
{
    return lw_cuda_cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CU(cuGraphNodeGetDependencies_v2)(host_node *node, host_node **list, cu_edge_data *edges, size_t *count)
{
    if (!count || !host_node_valid(node)) return HOST_INVALID_VALUE;
    if (edges && list) memset(edges, 0, *count * sizeof *edges);
    settle_count(list, host_node_dependencies(node, list, *count), count);
    return 0;
}

CU(cuGraphNodeGetDependencies)(host_node *node, host_node **list, size_t *count)
{
    return lw_cuda_cuGraphNodeGetDependencies_v2(node, list, NULL, count);
}

CU(cuGraphNodeGetDependentNodes_v2)(host_node *node, host_node **list, cu_edge_data *edges, size_t *count)
{
    if (!count || !host_node_valid(node)) return HOST_INVALID_VALUE;
    if (edges && list) memset(edges, 0, *count * sizeof *edges);
    settle_count(list, host_node_dependents(node, list, *count), count);
    return 0;
}

CU(cuGraphNodeGetDependentNodes)(host_node *node, host_node **list, size_t *count)
{
    return lw_cuda_cuGraphNodeGetDependentNodes_v2(node, list, NULL, count);
}

CU(cuGraphNodeGetType)(host_node *node, int *out)
{
    if (!out || !host_node_valid(node)) return HOST_INVALID_VALUE;
    *out = (int)host_node_op(node)->kind;
    return 0;
}

CU(cuGraphNodeFindInClone)(host_node **out, host_node *original, host_graph *clone)
{
    if (!out || !host_node_valid(original) || !host_graph_valid(clone)) return HOST_INVALID_VALUE;
    *out = host_graph_find_clone(clone, original);
    return *out ? 0 : HOST_INVALID_VALUE;
}

CU(cuGraphDebugDotPrint)(host_graph *graph, const char *path, unsigned flags)
{
    (void)flags;
    return cu_end(host_graph_write_dot(graph, path));
}

/* ---- user objects ---- */
CU(cuUserObjectCreate)(host_user **out, void *pointer, void (*destroy)(void *), unsigned count, unsigned flags)
{
    enum { NO_DESTRUCTOR_SYNC = 1 };
    CU_NEED_INIT;
    if (!out || !destroy || !count || flags != NO_DESTRUCTOR_SYNC) return HOST_INVALID_VALUE;
    *out = host_user_create(pointer, destroy, count);
    return 0;
}

CU(cuUserObjectRetain)(host_user *object, unsigned count) { return cu_end(host_user_retain(object, count)); }

CU(cuUserObjectRelease)(host_user *object, unsigned count) { return cu_end(host_user_release(object, count)); }

CU(cuGraphRetainUserObject)(host_graph *graph, host_user *object, unsigned count, unsigned flags)
{
    return cu_end(flags > 1 ? HOST_INVALID_VALUE : host_graph_retain(graph, object, count, flags == 1));
}

CU(cuGraphReleaseUserObject)(host_graph *graph, host_user *object, unsigned count)
{
    return cu_end(host_graph_release(graph, object, count));
}
