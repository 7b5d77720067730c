/* cu_graph.h: graph parameters of the driver API -> operations of the host room (cu_graph.c). */
#ifndef LW_CU_GRAPH_H
#define LW_CU_GRAPH_H

#include "cuda/driver.h"

/* with_kernel: version 2 of the structure, which can also name a CUkernel. */
host_error cu_op_kernel(const cu_kernel_params *params, bool with_kernel, host_op *out);
host_error cu_op_copy(const cu_memcpy3d *params, host_op *out);
host_error cu_op_fill(const cu_memset_params *params, host_op *out);
host_error cu_op_host(const cu_host_params *params, host_op *out);
host_error cu_op_event(host_event *event, bool record, host_op *out);
host_error cu_op_child(host_graph *graph, host_op *out);
host_error cu_op_any(cu_node_params *params, host_op *out);

#endif
