/* What operations own. Child graphs of nodes belong to graph.c, which also frees and copies operations that have one. */
#include <stdlib.h>
#include <string.h>

#include "host/op_priv.h"

void host_op_free_buffers(host_op *op)
{
    if (op->kind == HOST_OP_KERNEL) free(op->u.kernel.params);
    if (op->kind == HOST_OP_COPY) free(op->u.copy.staged);
    if (op->kind == HOST_OP_LIBRARY) free(op->u.library.args);
    *op = (host_op){.kind = HOST_OP_EMPTY};
}

void *host_op_copy_args(const host_library_call *call, const void *args)
{
    void *copy = lw_alloc(LW_MAX(call->args_bytes, 1u));
    if (call->args_bytes) memcpy(copy, args, call->args_bytes);
    return copy;
}

void host_op_copy_buffers(host_op *op)
{
    if (op->kind == HOST_OP_LIBRARY) op->u.library.args = host_op_copy_args(&op->u.library.call, op->u.library.args);
    if (op->kind == HOST_OP_KERNEL) {
        const uint8_t *params = op->u.kernel.params;
        op->u.kernel.params = lw_alloc(op->u.kernel.param_bytes);
        if (op->u.kernel.param_bytes) memcpy(op->u.kernel.params, params, op->u.kernel.param_bytes);
    } else if (op->kind == HOST_OP_COPY && op->u.copy.staged) {
        const host_copy *k = &op->u.copy.copy;
        size_t bytes = (size_t)(k->width * k->height * k->depth);
        const uint8_t *staged = op->u.copy.staged;
        op->u.copy.staged = lw_alloc(bytes);
        memcpy(op->u.copy.staged, staged, bytes);
        op->u.copy.copy.src.address = (uint64_t)(uintptr_t)op->u.copy.staged;
    }
}
