/* rt_graph.h: graph parameters of the runtime API -> operations of the host room (rt_graph.c). */
#ifndef LW_RT_GRAPH_H
#define LW_RT_GRAPH_H

#include "cudart/cudart.h"

host_error rt_op_kernel(const rt_kernel_params *params, host_op *out);
host_error rt_op_copy(const rt_memcpy3d *params, host_op *out);
host_error rt_op_copy_flat(void *dst, const void *src, size_t bytes, int kind, host_op *out);
host_error rt_op_symbol(void *linear, const void *symbol, size_t bytes, size_t offset, int kind, bool to_symbol,
                        host_op *out);
host_error rt_op_fill(const rt_memset_params *params, host_op *out);
host_error rt_op_host(const rt_host_params *params, host_op *out);
host_error rt_op_event(host_event *event, bool record, host_op *out);
host_error rt_op_child(host_graph *graph, host_op *out);
host_error rt_op_any(rt_node_params *params, host_op *out);

#endif
