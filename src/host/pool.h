/* Stream-ordered allocation (pool.c). */
#ifndef LW_HOST_POOL_H
#define LW_HOST_POOL_H

#include "host/cuda_numbers.h"
#include "memory/memory.h"
#include "host/types.h"

/* Pools (stream-ordered allocation) of device, managed or pinned memory. NULL pool: the device's current one.
 * host_pool_kind: what cudaMemLocationType and cudaMemAllocationType name together. */
host_error host_pool_kind(int location, int allocation, mem_kind *out);
host_pool *host_pool_default(host_context *context, uint32_t device, mem_kind kind);
host_pool *host_pool_current(host_context *context, uint32_t device, mem_kind kind);
host_error host_pool_set_current(host_context *context, uint32_t device, mem_kind kind, host_pool *pool);
/* shareable: other processes can import it (host/ipc.h). */
host_error host_pool_create(host_context *context, uint32_t device, mem_kind kind, uint64_t max_bytes, bool shareable,
                            host_pool **out);
/* The pool that an allocation came from or was imported with; NULL: none. */
host_pool *host_pool_holding(host_context *context, const mem_allocation *allocation);
bool host_pool_shareable(const host_pool *pool);
/* cudaMemAccessFlags of a device (HOST_LOCATION_DEVICE) or the host; 0 for what is no pool. */
int host_pool_access(host_context *context, const host_pool *pool, int location, int device);
host_error host_pool_set_access(host_context *context, host_pool *pool, int device, int access);
host_error host_pool_destroy(host_context *context, host_pool *pool);
/* attribute: a host_pool_number; value: int up to HOST_POOL_INTERNAL_DEPENDENCIES, uint64_t from
 * HOST_POOL_RELEASE_THRESHOLD on. */
host_error host_pool_attribute(host_context *context, host_pool *pool, int attribute, void *value, bool set);
host_error host_malloc_async(host_context *context, host_pool *pool, host_stream *stream, uint64_t bytes,
                             uint64_t *out_address);
host_error host_free_async(host_context *context, host_stream *stream, uint64_t address);

#endif
