/* Graphs of the runtime alone: nodes that copy one row or a symbol, and what its copy parameters look like. */
#include <string.h>

#include "cudart/rt_calls.h"

static host_error op_flat(uint64_t dst, uint64_t src, size_t bytes, int kind, host_op *out)
{
    if (kind < 0 || kind > HOST_COPY_DEFAULT) return HOST_INVALID_MEMCPY_DIRECTION;
    if (bytes && (!dst || !src)) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_COPY};
    out->u.copy.copy = host_copy_flat(dst, src, bytes, kind);
    return 0;
}

static host_error op_to_symbol(const void *symbol, uint64_t src, size_t bytes, size_t offset, int kind, host_op *out)
{
    uint64_t address;
    host_error error = rt_symbol_range(symbol, bytes, offset, &address);
    return error ? error : op_flat(address, src, bytes, kind, out);
}

static host_error op_from_symbol(uint64_t dst, const void *symbol, size_t bytes, size_t offset, int kind, host_op *out)
{
    uint64_t address;
    host_error error = rt_symbol_range(symbol, bytes, offset, &address);
    return error ? error : op_flat(dst, address, bytes, kind, out);
}

/* The three calls of one kind of node: params and args follow the usual ones, make fills `op`. */
#define UNPACK(...) __VA_ARGS__
#define NODE_CALLS(add_name, set_name, exec_name, params, make)                                                        \
    RT(add_name)                                                                                                       \
    (host_node * *out, host_graph * graph, host_node *const *dependencies, size_t count, UNPACK params)                \
    {                                                                                                                  \
        host_op op;                                                                                                    \
        return rt_end(face_graph_add(make, &op, graph, dependencies, count, out));                                     \
    }                                                                                                                  \
    RT(set_name)(host_node * node, UNPACK params)                                                                      \
    {                                                                                                                  \
        host_op op;                                                                                                    \
        return rt_end(face_node_set(make, &op, node));                                                                 \
    }                                                                                                                  \
    RT(exec_name)(host_graph_exec * exec, host_node * node, UNPACK params)                                             \
    {                                                                                                                  \
        host_op op;                                                                                                    \
        return rt_end(face_exec_set(make, &op, exec, node));                                                           \
    }

NODE_CALLS(cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D,
           (uint64_t dst, uint64_t src, size_t bytes, int kind), op_flat(dst, src, bytes, kind, &op))
NODE_CALLS(cudaGraphAddMemcpyNodeToSymbol, cudaGraphMemcpyNodeSetParamsToSymbol,
           cudaGraphExecMemcpyNodeSetParamsToSymbol,
           (const void *symbol, uint64_t src, size_t bytes, size_t offset, int kind),
           op_to_symbol(symbol, src, bytes, offset, kind, &op))
NODE_CALLS(cudaGraphAddMemcpyNodeFromSymbol, cudaGraphMemcpyNodeSetParamsFromSymbol,
           cudaGraphExecMemcpyNodeSetParamsFromSymbol,
           (uint64_t dst, const void *symbol, size_t bytes, size_t offset, int kind),
           op_from_symbol(dst, symbol, bytes, offset, kind, &op))

RT(cudaGraphMemcpyNodeGetParams)(host_node *node, rt_memcpy3d *out)
{
    const host_op *op = face_node_op(node, HOST_OP_COPY);
    if (!op || !out) return rt_end(HOST_INVALID_VALUE);
    const host_copy *k = &op->u.copy.copy;
    memset(out, 0, sizeof *out);
    out->src_ptr = (rt_pitched_ptr){(void *)(uintptr_t)k->src.address, k->src.pitch, k->width, k->src.rows};
    out->dst_ptr = (rt_pitched_ptr){(void *)(uintptr_t)k->dst.address, k->dst.pitch, k->width, k->dst.rows};
    out->extent = (rt_extent){k->width, k->height, k->depth};
    out->kind = k->kind;
    return rt_end(0);
}

RT(cudaGraphConditionalHandleCreate)(uint64_t *out, host_graph *graph, unsigned value, unsigned flags)
{
    return rt_end(host_condition_create(host_get(), graph, value, flags, out));
}

RT(cudaGraphInstantiate)(host_graph_exec **out, host_graph *graph, uint64_t flags)
{
    return rt_end(face_graph_instantiate(&rt_face, graph, flags, out));
}
