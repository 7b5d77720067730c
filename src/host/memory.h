/* Memory: allocations and what is registered (memory.c). */
#ifndef LW_HOST_MEMORY_H
#define LW_HOST_MEMORY_H

#include "memory/memory.h"
#include "host/types.h"

/* A flag of MEM_DEVICE: memory of an allocation node. Its address is the graph's for good, and the next launch of the
 * graph needs it again: freeing it, by a node or a call, leaves it where it is. */
#define HOST_GRAPH_MEMORY UINT32_C(0x40000000)
host_error host_malloc(host_context *context, uint64_t bytes, mem_kind kind, uint32_t flags, uint64_t *out_address);
/* Frees memory of this kind group after all work is done: device (also managed, pool memory) or pinned. */
host_error host_free(host_context *context, uint64_t address);
host_error host_free_pinned(host_context *context, uint64_t address);
host_error host_register(host_context *context, void *pointer, uint64_t bytes, uint32_t flags);
host_error host_unregister(host_context *context, void *pointer);
/* The allocation that holds pointer; false for pageable host memory. */
bool host_pointer_find(host_context *context, uint64_t pointer, mem_allocation *out);

#endif
