/* condition_priv: what condition.c shows to the rest of the room. */
#ifndef LW_HOST_CONDITION_PRIV_H
#define LW_HOST_CONDITION_PRIV_H

#include "host/condition.h"

enum { HOST_CONDITION_IF, HOST_CONDITION_WHILE, HOST_CONDITION_SWITCH }; /* = cudaGraphConditionalNodeType */

bool host_condition_valid(host_context *context, uint64_t handle);
/* The node's graph, or one that it lies in, made the handle, and no other node has it. Then the node has it. */
bool host_condition_take(host_context *context, uint64_t handle, const host_graph *graph);
void host_condition_set(host_context *context, uint64_t handle, uint32_t value);
uint32_t host_condition_get(host_context *context, uint64_t handle);
uint32_t host_condition_first(host_context *context, uint64_t handle); /* its value when a graph is launched */
/* Whether no node has some handle that was made for the graph, or for a body in it. */
bool host_conditions_unused(host_context *context, const host_graph *graph);
void host_conditions_orphan(host_context *context, const host_graph *graph); /* that is destroyed: no new nodes */
/* Which body comes next, given how many ran; -1: none. */
int host_condition_body(host_context *context, const host_op *op, uint64_t done);

#endif
