/* op: what operations own, and lists of nodes (op.c). */
#ifndef LW_HOST_OP_PRIV_H
#define LW_HOST_OP_PRIV_H

#include "host/op.h"

typedef LW_VEC(host_node *) host_node_vec;

/* What an operation owns but for a child graph (host_op_free, host_op_copy). copy: after a copy by assignment. */
void host_op_free_buffers(host_op *op);
void host_op_copy_buffers(host_op *op);
void *host_op_copy_args(const host_library_call *call, const void *args); /* for the operation to own */

#endif
