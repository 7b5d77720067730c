/* Graph node parameters (get and set) and executable graphs. */
#include <string.h>

#include "cuda/cu_graph.h"

static const host_op *node_op(const host_node *node, host_op_kind kind)
{
    if (!host_node_valid(node)) return NULL;
    const host_op *op = host_node_op(node);
    return op->kind == kind ? op : NULL;
}

static int set(host_error error, host_node *node, const host_op *op)
{
    return cu_end(error ? error : host_node_set(node, op));
}

static int exec_set(host_error error, host_graph_exec *exec, host_node *node, const host_op *op)
{
    return cu_end(error ? error : host_graph_exec_set(exec, node, op));
}

/* ---- kernel nodes. Version 1 of the structure lacks the last two fields. ---- */
static int get_kernel(host_node *node, cu_kernel_params *out, size_t bytes)
{
    const host_op *op = node_op(node, HOST_OP_KERNEL);
    if (!op || !out) return HOST_INVALID_VALUE;
    const host_launch_config *g = &op->u.kernel.config;
    cu_kernel_params p = {.function = op->u.kernel.kernel, .shared = (uint32_t)g->dynamic_shared};
    memcpy(p.grid, g->grid, sizeof p.grid);
    memcpy(p.block, g->block, sizeof p.block);
    p.params = host_node_params(node);
    p.context = cu_current();
    memcpy(out, &p, bytes);
    return 0;
}

CU(cuGraphKernelNodeGetParams_v2)(host_node *node, cu_kernel_params *out) { return get_kernel(node, out, sizeof *out); }

CU(cuGraphKernelNodeGetParams)(host_node *node, cu_kernel_params *out)
{
    return get_kernel(node, out, offsetof(cu_kernel_params, kernel));
}

CU(cuGraphKernelNodeSetParams_v2)(host_node *node, const cu_kernel_params *p)
{
    host_op op;
    return set(cu_op_kernel(p, true, &op), node, &op);
}

CU(cuGraphKernelNodeSetParams)(host_node *node, const cu_kernel_params *p)
{
    host_op op;
    return set(cu_op_kernel(p, false, &op), node, &op);
}

CU(cuGraphExecKernelNodeSetParams_v2)(host_graph_exec *exec, host_node *node, const cu_kernel_params *p)
{
    host_op op;
    return exec_set(cu_op_kernel(p, true, &op), exec, node, &op);
}

CU(cuGraphExecKernelNodeSetParams)(host_graph_exec *exec, host_node *node, const cu_kernel_params *p)
{
    host_op op;
    return exec_set(cu_op_kernel(p, false, &op), exec, node, &op);
}

CU(cuGraphKernelNodeGetAttribute)(host_node *node, int attribute, cu_attribute_value *out)
{
    const host_op *op = node_op(node, HOST_OP_KERNEL);
    if (!op || !out || attribute < 0 || attribute > CU_ATTRIBUTE_LAST) return HOST_INVALID_VALUE;
    const host_launch_config *g = &op->u.kernel.config;
    memset(out, 0, sizeof *out);
    if (attribute == CU_ATTRIBUTE_COOPERATIVE) out->number = g->cooperative;
    if (attribute == CU_ATTRIBUTE_CLUSTER) memcpy(out->cluster, g->cluster, sizeof g->cluster);
    if (attribute == CU_ATTRIBUTE_PRIORITY) out->number = g->priority;
    return 0;
}

CU(cuGraphKernelNodeSetAttribute)(host_node *node, int attribute, const cu_attribute_value *value)
{
    const host_op *now = node_op(node, HOST_OP_KERNEL);
    if (!now || !value) return HOST_INVALID_VALUE;
    cu_attribute one = {attribute, 0, *value};
    host_op op = host_op_copy(now);
    host_error error = cu_config_attributes(&op.u.kernel.config, &one, 1);
    if (error) host_op_free(&op);
    return set(error, node, &op);
}

CU(cuGraphKernelNodeCopyAttributes)(host_node *dst, host_node *src)
{
    const host_op *from = node_op(src, HOST_OP_KERNEL), *to = node_op(dst, HOST_OP_KERNEL);
    if (!from || !to) return HOST_INVALID_VALUE;
    host_op op = host_op_copy(to);
    op.u.kernel.config.cooperative = from->u.kernel.config.cooperative;
    op.u.kernel.config.priority = from->u.kernel.config.priority;
    return set(0, dst, &op);
}

/* ---- copy and set nodes ---- */
CU(cuGraphMemcpyNodeGetParams)(host_node *node, cu_memcpy3d *out)
{
    const host_op *op = node_op(node, HOST_OP_COPY);
    if (!op || !out) return HOST_INVALID_VALUE;
    const host_copy *k = &op->u.copy.copy;
    memset(out, 0, sizeof *out);
    out->src.type = out->dst.type = CU_MEMORY_UNIFIED;
    out->src.device = k->src.address;
    out->src.pitch = k->src.pitch;
    out->src.height = k->src.rows;
    out->dst.device = k->dst.address;
    out->dst.pitch = k->dst.pitch;
    out->dst.height = k->dst.rows;
    out->width = k->width;
    out->height = k->height;
    out->depth = k->depth;
    return 0;
}

CU(cuGraphMemcpyNodeSetParams)(host_node *node, const cu_memcpy3d *p)
{
    host_op op;
    return set(cu_op_copy(p, &op), node, &op);
}

CU(cuGraphExecMemcpyNodeSetParams)(host_graph_exec *exec, host_node *node, const cu_memcpy3d *p, cu_context *context)
{
    host_op op;
    (void)context;
    return exec_set(cu_op_copy(p, &op), exec, node, &op);
}

CU(cuGraphMemsetNodeGetParams)(host_node *node, cu_memset_params *out)
{
    const host_op *op = node_op(node, HOST_OP_FILL);
    if (!op || !out) return HOST_INVALID_VALUE;
    const host_fill *f = &op->u.fill;
    *out = (cu_memset_params){f->dst.address, f->dst.pitch, f->value, f->element_bytes, f->width, f->height};
    return 0;
}

CU(cuGraphMemsetNodeSetParams)(host_node *node, const cu_memset_params *p)
{
    host_op op;
    return set(cu_op_fill(p, &op), node, &op);
}

CU(cuGraphExecMemsetNodeSetParams)
(host_graph_exec *exec, host_node *node, const cu_memset_params *p, cu_context *context)
{
    host_op op;
    (void)context;
    return exec_set(cu_op_fill(p, &op), exec, node, &op);
}

/* ---- host, event, child and memory nodes ---- */
CU(cuGraphHostNodeGetParams)(host_node *node, cu_host_params *out)
{
    const host_op *op = node_op(node, HOST_OP_FUNCTION);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = (cu_host_params){op->u.function.function, op->u.function.user};
    return 0;
}

CU(cuGraphHostNodeSetParams)(host_node *node, const cu_host_params *p)
{
    host_op op;
    return set(cu_op_host(p, &op), node, &op);
}

CU(cuGraphExecHostNodeSetParams)(host_graph_exec *exec, host_node *node, const cu_host_params *p)
{
    host_op op;
    return exec_set(cu_op_host(p, &op), exec, node, &op);
}

static int get_event(host_node *node, host_op_kind kind, host_event **out)
{
    const host_op *op = node_op(node, kind);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = op->u.event.event;
    return 0;
}

CU(cuGraphEventRecordNodeGetEvent)(host_node *node, host_event **out)
{
    return get_event(node, HOST_OP_EVENT_RECORD, out);
}

CU(cuGraphEventWaitNodeGetEvent)(host_node *node, host_event **out) { return get_event(node, HOST_OP_EVENT_WAIT, out); }

CU(cuGraphEventRecordNodeSetEvent)(host_node *node, host_event *event)
{
    host_op op;
    return set(cu_op_event(event, true, &op), node, &op);
}

CU(cuGraphEventWaitNodeSetEvent)(host_node *node, host_event *event)
{
    host_op op;
    return set(cu_op_event(event, false, &op), node, &op);
}

CU(cuGraphExecEventRecordNodeSetEvent)(host_graph_exec *exec, host_node *node, host_event *event)
{
    host_op op;
    return exec_set(cu_op_event(event, true, &op), exec, node, &op);
}

CU(cuGraphExecEventWaitNodeSetEvent)(host_graph_exec *exec, host_node *node, host_event *event)
{
    host_op op;
    return exec_set(cu_op_event(event, false, &op), exec, node, &op);
}

CU(cuGraphChildGraphNodeGetGraph)(host_node *node, host_graph **out)
{
    const host_op *op = node_op(node, HOST_OP_GRAPH);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = op->u.graph.graph;
    return 0;
}

CU(cuGraphExecChildGraphNodeSetParams)(host_graph_exec *exec, host_node *node, host_graph *child)
{
    host_op op;
    return exec_set(cu_op_child(child, &op), exec, node, &op);
}

CU(cuGraphMemAllocNodeGetParams)(host_node *node, cu_alloc_params *out)
{
    const host_op *op = node_op(node, HOST_OP_MEMORY_ALLOC);
    if (!op || !out) return HOST_INVALID_VALUE;
    memset(out, 0, sizeof *out);
    out->props.alloc_type = 1;
    out->props.location.type = 1;
    out->bytes = op->u.memory.bytes;
    out->pointer = op->u.memory.address;
    return 0;
}

CU(cuGraphMemFreeNodeGetParams)(host_node *node, uint64_t *out)
{
    const host_op *op = node_op(node, HOST_OP_MEMORY_FREE);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = op->u.memory.address;
    return 0;
}

CU(cuGraphNodeSetParams)(host_node *node, cu_node_params *p)
{
    host_op op;
    return set(cu_op_any(p, &op), node, &op);
}

CU(cuGraphExecNodeSetParams)(host_graph_exec *exec, host_node *node, cu_node_params *p)
{
    host_op op;
    return exec_set(cu_op_any(p, &op), exec, node, &op);
}

/* ---- executable graphs ---- */
CU(cuGraphInstantiateWithFlags)(host_graph_exec **out, host_graph *graph, unsigned long long flags)
{
    enum { DEVICE_LAUNCH = 4 };
    if (flags & ~15ull) return HOST_INVALID_VALUE;
    if (flags & DEVICE_LAUNCH) return cu_unsupported("cuGraphInstantiate for device launch");
    return cu_end(host_graph_instantiate(graph, flags, out));
}

/* Versions 1 and 2 tell about errors in other ways. */
CU(cuGraphInstantiate_v2)(host_graph_exec **out, host_graph *graph, host_node **bad, char *log, size_t bytes)
{
    if (bad) *bad = NULL;
    if (log && bytes) *log = 0;
    return lw_cuda_cuGraphInstantiateWithFlags(out, graph, 0);
}

CU(cuGraphInstantiate)(host_graph_exec **out, host_graph *graph, host_node **bad, char *log, size_t bytes)
{
    return lw_cuda_cuGraphInstantiate_v2(out, graph, bad, log, bytes);
}

CU(cuGraphInstantiateWithParams)(host_graph_exec **out, host_graph *graph, cu_instantiate_params *p)
{
    if (!p) return HOST_INVALID_VALUE;
    int error = lw_cuda_cuGraphInstantiateWithFlags(out, graph, p->flags);
    p->error_node = NULL;
    p->result = error ? 1 : 0;
    return error;
}

CU(cuGraphInstantiateWithParams_ptsz)(host_graph_exec **out, host_graph *graph, cu_instantiate_params *p)
{
    return lw_cuda_cuGraphInstantiateWithParams(out, graph, p);
}

CU(cuGraphExecDestroy)(host_graph_exec *exec) { return cu_end(host_graph_exec_destroy(exec)); }

CU(cuGraphExecGetFlags)(host_graph_exec *exec, uint64_t *out)
{
    if (!out || !host_graph_exec_valid(exec)) return HOST_INVALID_VALUE;
    *out = host_graph_exec_flags(exec);
    return 0;
}

static host_error on_cuGraphLaunch(bool per_thread, host_graph_exec *exec, void *stream)
{
    host_stream *s = cu_stream(stream, per_thread);
    return s ? host_graph_launch(exec, s) : HOST_INVALID_RESOURCE_HANDLE;
}
CU_PAIR(cuGraphLaunch, ptsz, (host_graph_exec * exec, void *stream), (exec, stream))

static host_error on_cuGraphUpload(bool per_thread, host_graph_exec *exec, void *stream)
{
    if (!cu_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_graph_exec_valid(exec) ? 0 : HOST_INVALID_VALUE;
}
CU_PAIR(cuGraphUpload, ptsz, (host_graph_exec * exec, void *stream), (exec, stream))

CU(cuGraphExecUpdate_v2)(host_graph_exec *exec, host_graph *graph, cu_update_info *out)
{
    host_node *node = NULL;
    int result = 0;
    host_error error = host_graph_exec_update(exec, graph, &node, &result);
    if (out) *out = (cu_update_info){result, node, NULL};
    return cu_end(error);
}

CU(cuGraphExecUpdate)(host_graph_exec *exec, host_graph *graph, host_node **bad, int *out)
{
    cu_update_info info;
    int error = lw_cuda_cuGraphExecUpdate_v2(exec, graph, &info);
    if (bad) *bad = info.error_node;
    if (out) *out = info.result;
    return error;
}

CU(cuGraphNodeSetEnabled)(host_graph_exec *exec, host_node *node, unsigned enabled)
{
    return cu_end(host_graph_exec_enable(exec, node, enabled != 0));
}

CU(cuGraphNodeGetEnabled)(host_graph_exec *exec, host_node *node, unsigned *out)
{
    bool enabled = false;
    host_error error = out ? host_graph_exec_enabled(exec, node, &enabled) : HOST_INVALID_VALUE;
    if (!error) *out = enabled;
    return cu_end(error);
}
