/* Graph node parameters (get and set) and executable graphs. */
#include <stdlib.h>
#include <string.h>

#include "cudart/rt_graph.h"

static const host_op *node_op(const host_node *node, host_op_kind kind)
{
    if (!host_node_valid(node)) return NULL;
    const host_op *op = host_node_op(node);
    return op->kind == kind ? op : NULL;
}

static int set(host_error error, host_node *node, const host_op *op)
{
    return rt_end(error ? error : host_node_set(node, op));
}

static int exec_set(host_error error, host_graph_exec *exec, host_node *node, const host_op *op)
{
    return rt_end(error ? error : host_graph_exec_set(exec, node, op));
}

/* ---- kernel nodes ---- */
RT(cudaGraphKernelNodeGetParams)(host_node *node, rt_kernel_params *out)
{
    const host_op *op = node_op(node, HOST_OP_KERNEL);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    const host_launch_config *g = &op->u.kernel.config;
    *out = (rt_kernel_params){op->u.kernel.kernel,
                              {g->grid[0], g->grid[1], g->grid[2]},
                              {g->block[0], g->block[1], g->block[2]},
                              (uint32_t)g->dynamic_shared,
                              NULL,
                              NULL};
    out->params = host_node_params(node);
    return 0;
}

RT(cudaGraphKernelNodeSetParams)(host_node *node, const rt_kernel_params *p)
{
    host_op op;
    return set(rt_op_kernel(p, &op), node, &op);
}

RT(cudaGraphExecKernelNodeSetParams)(host_graph_exec *exec, host_node *node, const rt_kernel_params *p)
{
    host_op op;
    return exec_set(rt_op_kernel(p, &op), exec, node, &op);
}

RT(cudaGraphKernelNodeGetAttribute)(host_node *node, int attribute, rt_attribute_value *out)
{
    const host_op *op = node_op(node, HOST_OP_KERNEL);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    const host_launch_config *g = &op->u.kernel.config;
    memset(out, 0, sizeof *out);
    switch (attribute) {
    case RT_ATTRIBUTE_COOPERATIVE: out->number = g->cooperative; return 0;
    case RT_ATTRIBUTE_CLUSTER: memcpy(out->cluster, g->cluster, sizeof g->cluster); return 0;
    case RT_ATTRIBUTE_PRIORITY: out->number = g->priority; return 0;
    default: return rt_end(attribute >= 0 && attribute <= 16 ? 0 : HOST_INVALID_VALUE);
    }
}

RT(cudaGraphKernelNodeSetAttribute)(host_node *node, int attribute, const rt_attribute_value *value)
{
    const host_op *now = node_op(node, HOST_OP_KERNEL);
    if (!now || !value) return rt_end(HOST_INVALID_VALUE);
    rt_attribute one = {attribute, 0, *value};
    host_op op = host_op_copy(now);
    host_error error = rt_config_attributes(&op.u.kernel.config, &one, 1);
    if (error) host_op_free(&op);
    return set(error, node, &op);
}

RT(cudaGraphKernelNodeCopyAttributes)(host_node *dst, host_node *src)
{
    const host_op *from = node_op(src, HOST_OP_KERNEL), *to = node_op(dst, HOST_OP_KERNEL);
    if (!from || !to) return rt_end(HOST_INVALID_VALUE);
    host_op op = host_op_copy(to);
    const host_launch_config *g = &from->u.kernel.config;
    op.u.kernel.config.cooperative = g->cooperative;
    op.u.kernel.config.priority = g->priority;
    return set(0, dst, &op);
}

/* ---- copy nodes ---- */
RT(cudaGraphMemcpyNodeGetParams)(host_node *node, rt_memcpy3d *out)
{
    const host_op *op = node_op(node, HOST_OP_COPY);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    const host_copy *k = &op->u.copy.copy;
    memset(out, 0, sizeof *out);
    out->src_ptr = (rt_pitched_ptr){(void *)(uintptr_t)k->src.address, k->src.pitch, k->width, k->src.rows};
    out->dst_ptr = (rt_pitched_ptr){(void *)(uintptr_t)k->dst.address, k->dst.pitch, k->width, k->dst.rows};
    out->extent = (rt_extent){k->width, k->height, k->depth};
    out->kind = k->kind;
    return 0;
}

RT(cudaGraphMemcpyNodeSetParams)(host_node *node, const rt_memcpy3d *p)
{
    host_op op;
    return set(rt_op_copy(p, &op), node, &op);
}

RT(cudaGraphExecMemcpyNodeSetParams)(host_graph_exec *exec, host_node *node, const rt_memcpy3d *p)
{
    host_op op;
    return exec_set(rt_op_copy(p, &op), exec, node, &op);
}

RT(cudaGraphMemcpyNodeSetParams1D)(host_node *node, void *dst, const void *src, size_t bytes, int kind)
{
    host_op op;
    return set(rt_op_copy_flat(dst, src, bytes, kind, &op), node, &op);
}

RT(cudaGraphExecMemcpyNodeSetParams1D)(host_graph_exec *exec, host_node *node, void *dst, const void *src, size_t bytes,
                                       int kind)
{
    host_op op;
    return exec_set(rt_op_copy_flat(dst, src, bytes, kind, &op), exec, node, &op);
}

RT(cudaGraphMemcpyNodeSetParamsToSymbol)
(host_node *node, const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    host_op op;
    return set(rt_op_symbol((void *)src, symbol, bytes, offset, kind, true, &op), node, &op);
}

RT(cudaGraphExecMemcpyNodeSetParamsToSymbol)
(host_graph_exec *exec, host_node *node, const void *symbol, const void *src, size_t bytes, size_t offset, int kind)
{
    host_op op;
    return exec_set(rt_op_symbol((void *)src, symbol, bytes, offset, kind, true, &op), exec, node, &op);
}

RT(cudaGraphMemcpyNodeSetParamsFromSymbol)(host_node *node, void *dst, const void *symbol, size_t bytes, size_t offset,
                                           int kind)
{
    host_op op;
    return set(rt_op_symbol(dst, symbol, bytes, offset, kind, false, &op), node, &op);
}

RT(cudaGraphExecMemcpyNodeSetParamsFromSymbol)(host_graph_exec *exec, host_node *node, void *dst, const void *symbol,
                                               size_t bytes, size_t offset, int kind)
{
    host_op op;
    return exec_set(rt_op_symbol(dst, symbol, bytes, offset, kind, false, &op), exec, node, &op);
}

/* ---- set, host, event, child and memory nodes ---- */
RT(cudaGraphMemsetNodeGetParams)(host_node *node, rt_memset_params *out)
{
    const host_op *op = node_op(node, HOST_OP_FILL);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    const host_fill *f = &op->u.fill;
    *out = (rt_memset_params){
        (void *)(uintptr_t)f->dst.address, f->dst.pitch, f->value, f->element_bytes, f->width, f->height};
    return 0;
}

RT(cudaGraphMemsetNodeSetParams)(host_node *node, const rt_memset_params *p)
{
    host_op op;
    return set(rt_op_fill(p, &op), node, &op);
}

RT(cudaGraphExecMemsetNodeSetParams)(host_graph_exec *exec, host_node *node, const rt_memset_params *p)
{
    host_op op;
    return exec_set(rt_op_fill(p, &op), exec, node, &op);
}

RT(cudaGraphHostNodeGetParams)(host_node *node, rt_host_params *out)
{
    const host_op *op = node_op(node, HOST_OP_FUNCTION);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    *out = (rt_host_params){op->u.function.function, op->u.function.user};
    return 0;
}

RT(cudaGraphHostNodeSetParams)(host_node *node, const rt_host_params *p)
{
    host_op op;
    return set(rt_op_host(p, &op), node, &op);
}

RT(cudaGraphExecHostNodeSetParams)(host_graph_exec *exec, host_node *node, const rt_host_params *p)
{
    host_op op;
    return exec_set(rt_op_host(p, &op), exec, node, &op);
}

static int get_event(host_node *node, host_op_kind kind, host_event **out)
{
    const host_op *op = node_op(node, kind);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    *out = op->u.event.event;
    return 0;
}

RT(cudaGraphEventRecordNodeGetEvent)(host_node *node, host_event **out)
{
    return get_event(node, HOST_OP_EVENT_RECORD, out);
}

RT(cudaGraphEventWaitNodeGetEvent)(host_node *node, host_event **out)
{
    return get_event(node, HOST_OP_EVENT_WAIT, out);
}

RT(cudaGraphEventRecordNodeSetEvent)(host_node *node, host_event *event)
{
    host_op op;
    return set(rt_op_event(event, true, &op), node, &op);
}

RT(cudaGraphEventWaitNodeSetEvent)(host_node *node, host_event *event)
{
    host_op op;
    return set(rt_op_event(event, false, &op), node, &op);
}

RT(cudaGraphExecEventRecordNodeSetEvent)(host_graph_exec *exec, host_node *node, host_event *event)
{
    host_op op;
    return exec_set(rt_op_event(event, true, &op), exec, node, &op);
}

RT(cudaGraphExecEventWaitNodeSetEvent)(host_graph_exec *exec, host_node *node, host_event *event)
{
    host_op op;
    return exec_set(rt_op_event(event, false, &op), exec, node, &op);
}

RT(cudaGraphChildGraphNodeGetGraph)(host_node *node, host_graph **out)
{
    const host_op *op = node_op(node, HOST_OP_GRAPH);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    *out = op->u.graph.graph;
    return 0;
}

RT(cudaGraphExecChildGraphNodeSetParams)(host_graph_exec *exec, host_node *node, host_graph *child)
{
    host_op op;
    return exec_set(rt_op_child(child, &op), exec, node, &op);
}

RT(cudaGraphMemAllocNodeGetParams)(host_node *node, rt_alloc_params *out)
{
    const host_op *op = node_op(node, HOST_OP_MEMORY_ALLOC);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    out->props.alloc_type = 1;
    out->props.location.type = 1;
    out->bytes = op->u.memory.bytes;
    out->pointer = (void *)(uintptr_t)op->u.memory.address;
    return 0;
}

RT(cudaGraphMemFreeNodeGetParams)(host_node *node, void **out)
{
    const host_op *op = node_op(node, HOST_OP_MEMORY_FREE);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    *out = (void *)(uintptr_t)op->u.memory.address;
    return 0;
}

RT(cudaGraphNodeSetParams)(host_node *node, rt_node_params *p)
{
    host_op op;
    return set(rt_op_any(p, &op), node, &op);
}

RT(cudaGraphExecNodeSetParams)(host_graph_exec *exec, host_node *node, rt_node_params *p)
{
    host_op op;
    return exec_set(rt_op_any(p, &op), exec, node, &op);
}

/* ---- executable graphs ---- */
RT(cudaGraphInstantiate)(host_graph_exec **out, host_graph *graph, unsigned long long flags)
{
    enum { DEVICE_LAUNCH = 4 };
    if (flags & ~15ull) return rt_end(HOST_INVALID_VALUE);
    if (flags & DEVICE_LAUNCH) return rt_end(rt_unsupported("cudaGraphInstantiate for device launch"));
    return rt_end(host_graph_instantiate(graph, flags, out));
}

RT(cudaGraphInstantiateWithFlags)(host_graph_exec **out, host_graph *graph, unsigned long long flags)
{
    return lw_cudart_cudaGraphInstantiate(out, graph, flags);
}

RT(cudaGraphInstantiateWithParams)(host_graph_exec **out, host_graph *graph, rt_instantiate_params *p)
{
    if (!p) return rt_end(HOST_INVALID_VALUE);
    int error = lw_cudart_cudaGraphInstantiate(out, graph, p->flags);
    p->error_node = NULL;
    p->result = error ? 1 : 0;
    return error;
}

RT(cudaGraphInstantiateWithParams_ptsz)(host_graph_exec **out, host_graph *graph, rt_instantiate_params *p)
{
    return lw_cudart_cudaGraphInstantiateWithParams(out, graph, p);
}

RT(cudaGraphExecDestroy)(host_graph_exec *exec) { return rt_end(host_graph_exec_destroy(exec)); }

RT(cudaGraphExecGetFlags)(host_graph_exec *exec, unsigned long long *out)
{
    if (!out || !host_graph_exec_valid(exec)) return rt_end(HOST_INVALID_VALUE);
    *out = host_graph_exec_flags(exec);
    return 0;
}

static host_error on_cudaGraphLaunch(bool per_thread, host_graph_exec *exec, void *stream)
{
    host_stream *s = rt_stream(stream, per_thread);
    return s ? host_graph_launch(exec, s) : HOST_INVALID_RESOURCE_HANDLE;
}
RT_PAIR(cudaGraphLaunch, ptsz, (host_graph_exec * exec, void *stream), (exec, stream))

static host_error on_cudaGraphUpload(bool per_thread, host_graph_exec *exec, void *stream)
{
    if (!rt_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_graph_exec_valid(exec) ? 0 : HOST_INVALID_VALUE;
}
RT_PAIR(cudaGraphUpload, ptsz, (host_graph_exec * exec, void *stream), (exec, stream))

RT(cudaGraphExecUpdate)(host_graph_exec *exec, host_graph *graph, rt_update_info *out)
{
    host_node *node = NULL;
    int result = 0;
    host_error error = host_graph_exec_update(exec, graph, &node, &result);
    if (out) *out = (rt_update_info){result, node, NULL};
    return rt_end(error);
}

RT(cudaGraphNodeSetEnabled)(host_graph_exec *exec, host_node *node, unsigned enabled)
{
    return rt_end(host_graph_exec_enable(exec, node, enabled != 0));
}

RT(cudaGraphNodeGetEnabled)(host_graph_exec *exec, host_node *node, unsigned *out)
{
    bool enabled = false;
    host_error error = out ? host_graph_exec_enabled(exec, node, &enabled) : HOST_INVALID_VALUE;
    if (!error) *out = enabled;
    return rt_end(error);
}

RT(cudaDeviceGraphMemTrim)(int device) { return rt_end(rt_check_device(device)); }

RT(cudaDeviceGetGraphMemAttribute)(int device, int attribute, void *value)
{
    host_error error = value && attribute >= 0 && attribute <= 3 ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *(uint64_t *)value = 0; /* memory of graphs comes from the one device memory: none is held back */
    return rt_end(error);
}

RT(cudaDeviceSetGraphMemAttribute)(int device, int attribute, void *value)
{
    bool high = attribute == 1 || attribute == 3;
    return rt_end(value && high ? rt_check_device(device) : HOST_INVALID_VALUE);
}
