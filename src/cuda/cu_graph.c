/* Graphs of the driver alone: what its copy parameters look like, and older versions of calls. */
#include <string.h>

#include "cuda/cu_calls.h"

CU(cuGraphMemcpyNodeGetParams)(host_node *node, cu_memcpy3d *out)
{
    const host_op *op = face_node_op(node, HOST_OP_COPY);
    if (!op || !out) return cu_end(HOST_INVALID_VALUE);
    const host_copy *k = &op->u.copy.copy;
    memset(out, 0, sizeof *out);
    out->src.type = CU_MEMORY_UNIFIED;
    out->src.device = k->src.address;
    out->src.pitch = k->src.pitch;
    out->src.height = k->src.rows;
    out->dst.type = CU_MEMORY_UNIFIED;
    out->dst.device = k->dst.address;
    out->dst.pitch = k->dst.pitch;
    out->dst.height = k->dst.rows;
    out->width = k->width;
    out->height = k->height;
    out->depth = k->depth;
    return cu_end(0);
}

CU(cuGraphConditionalHandleCreate)(uint64_t *out, host_graph *graph, void *context, unsigned value, unsigned flags)
{
    (void)context; /* a handle serves any */
    return cu_end(host_condition_create(host_get(), graph, value, flags, out));
}

/* ---- kernel nodes: version 1 of the structure lacks the last two fields ---- */
CU(cuGraphKernelNodeGetParams_v2)(host_node *node, face_kernel_params *out)
{
    host_error error = face_node_kernel(node, out, FACE_KERNEL_PARAMS_V2);
    if (!error) out->context = cu_current();
    return cu_end(error);
}

CU(cuGraphAddKernelNode)(host_node **out, host_graph *graph, host_node *const *dependencies, size_t count,
                         const face_kernel_params *p)
{
    host_op op;
    host_error error = face_op_kernel(&cu_face, p, FACE_KERNEL_PARAMS_V1, &op);
    return cu_end(face_graph_add(error, &op, graph, dependencies, count, out));
}

CU(cuGraphKernelNodeSetParams)(host_node *node, const face_kernel_params *p)
{
    host_op op;
    host_error error = face_op_kernel(&cu_face, p, FACE_KERNEL_PARAMS_V1, &op);
    return cu_end(face_node_set(error, &op, node));
}

CU(cuGraphExecKernelNodeSetParams)(host_graph_exec *exec, host_node *node, const face_kernel_params *p)
{
    host_op op;
    host_error error = face_op_kernel(&cu_face, p, FACE_KERNEL_PARAMS_V1, &op);
    return cu_end(face_exec_set(error, &op, exec, node));
}

/* ---- versions without edge data ---- */
CU(cuGraphAddNode)(host_node **out, host_graph *graph, host_node *const *dependencies, size_t count,
                   face_node_params *p)
{
    return lw_cuda_cuGraphAddNode_v2(out, graph, dependencies, NULL, count, p);
}

CU(cuGraphAddDependencies)(host_graph *graph, host_node *const *from, host_node *const *to, size_t count)
{
    return lw_cuda_cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

CU(cuGraphRemoveDependencies)(host_graph *graph, host_node *const *from, host_node *const *to, size_t count)
{
    return lw_cuda_cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

CU(cuGraphGetEdges)(host_graph *graph, host_node **from, host_node **to, size_t *count)
{
    return lw_cuda_cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CU(cuGraphNodeGetDependencies)(host_node *node, host_node **list, size_t *count)
{
    return lw_cuda_cuGraphNodeGetDependencies_v2(node, list, NULL, count);
}

CU(cuGraphNodeGetDependentNodes)(host_node *node, host_node **list, size_t *count)
{
    return lw_cuda_cuGraphNodeGetDependentNodes_v2(node, list, NULL, count);
}

/* ---- instantiation and update: versions that tell about errors in other ways ---- */
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

CU(cuGraphExecUpdate)(host_graph_exec *exec, host_graph *graph, host_node **bad, int *out)
{
    face_update_info info;
    int error = lw_cuda_cuGraphExecUpdate_v2(exec, graph, &info);
    if (bad) *bad = info.error_node;
    if (out) *out = info.result;
    return cu_end(error);
}
