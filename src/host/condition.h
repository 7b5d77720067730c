/* condition: what conditional nodes of graphs decide by (condition.c). A handle is a number that kernels get as an
 * argument. Graph launches are carried out one after the other, so that one value per handle serves all of them. */
#ifndef LW_HOST_CONDITION_H
#define LW_HOST_CONDITION_H

#include "host/op.h"

host_error host_condition_create(host_context *context, host_graph *graph, uint32_t value, unsigned flags,
                                 uint64_t *out);
host_error host_condition_check(host_context *context, uint64_t handle, int type, uint32_t count);

#endif
