/* Graphs and executable graphs (graph.c, graph_exec.c). */
#ifndef LW_HOST_GRAPH_H
#define LW_HOST_GRAPH_H

#include "host/op.h"

host_error host_graph_create(host_context *context, host_graph **out);
host_error host_graph_destroy(host_context *context, host_graph *graph);
host_error host_graph_clone(host_context *context, host_graph *graph, host_graph **out);
bool host_graph_valid(host_context *context, const host_graph *graph);
/* Whether it has conditional nodes, or a child graph has. */
bool host_graph_has_bodies(const host_graph *graph);
bool host_graph_is_body(const host_graph *graph); /* of a conditional node, which owns it */
bool host_node_valid(host_context *context, const host_node *node);
bool host_graph_exec_valid(host_context *context, const host_graph_exec *exec);
/* Takes over what *op owns. */
host_error host_graph_add(host_context *context, host_graph *graph, const host_op *op, host_node *const *dependencies,
                          size_t count, host_node **out);
/* The operation of a conditional node, with empty bodies of its own; their array lives as long as the node. */
host_error host_conditional_op(host_context *context, uint64_t handle, int type, uint32_t count, host_op *out);
host_error host_node_destroy(host_context *context, host_node *node);
host_error host_graph_add_edges(host_context *context, host_graph *graph, host_node *const *from, host_node *const *to,
                                size_t count);
host_error host_graph_remove_edges(host_context *context, host_graph *graph, host_node *const *from,
                                   host_node *const *to, size_t count);
const host_op *host_node_op(const host_node *node);
/* Replaces the operation by one of the same kind; takes over what *op owns. */
host_error host_node_set(host_context *context, host_node *node, const host_op *op);
/* Kernel nodes: one pointer per parameter into the node's own image; valid until the node changes. */
void **host_node_params(host_node *node);
size_t host_graph_nodes(const host_graph *graph, host_node **out, size_t capacity); /* returns how many there are */
size_t host_graph_roots(const host_graph *graph, host_node **out, size_t capacity);
/* The nodes and edges in the language of Graphviz. */
host_error host_graph_write_dot(host_context *context, const host_graph *graph, const char *path);
size_t host_graph_edges(const host_graph *graph, host_node **from, host_node **to, size_t capacity);
size_t host_node_dependencies(const host_node *node, host_node **out, size_t capacity);
size_t host_node_dependents(const host_node *node, host_node **out, size_t capacity);
host_node *host_graph_find_clone(host_graph *clone, const host_node *original);

/* HOST_INVALID_VALUE for a cycle. */
host_error host_graph_instantiate(host_context *context, host_graph *graph, uint64_t flags, host_graph_exec **out);
host_error host_graph_exec_destroy(host_context *context, host_graph_exec *exec);
host_error host_graph_launch(host_graph_exec *exec, host_stream *stream);
host_error host_graph_exec_upload(host_context *context, host_graph_exec *exec);
uint64_t host_graph_exec_flags(const host_graph_exec *exec);
/* node: of the graph it was instantiated from (or of a clone's original). Takes over what *op owns. */
host_error host_graph_exec_set(host_context *context, host_graph_exec *exec, const host_node *node, const host_op *op);
host_error host_graph_exec_enable(host_context *context, host_graph_exec *exec, const host_node *node, bool enabled);
host_error host_graph_exec_enabled(host_context *context, host_graph_exec *exec, const host_node *node, bool *out);
/* Whole-graph update; *out_result: cudaGraphExecUpdateResult. */
host_error host_graph_exec_update(host_context *context, host_graph_exec *exec, host_graph *graph,
                                  host_node **out_error_node, int *out_result);
void host_op_free(host_context *context, host_op *op);
/* Deep copy (params, staged data, child graphs). */
host_op host_op_copy(host_context *context, const host_op *op);
/* A kernel operation from launch arguments, checked as host_launch does. */
host_error host_kernel_op(host_kernel *kernel, const host_launch_config *config, void *const *params,
                          const void *packed, size_t packed_bytes, host_op *out);

#endif
