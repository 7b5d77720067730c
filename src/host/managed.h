/* Hints about managed memory (managed.c). */
#ifndef LW_HOST_MANAGED_H
#define LW_HOST_MANAGED_H

#include "host/types.h"

/* Hints about managed memory (managed.c): kept, without effect. type and id as in cudaMemLocation, advice as
 * cudaMemoryAdvise, attribute as cudaMemRangeAttribute number them; data: `size` bytes, a multiple of 4. */
typedef struct host_location {
    int type, id;
} host_location;
host_error host_location_check(host_context *context, host_location location); /* 0, invalid device or value */
host_error host_managed_check(host_context *context, uint64_t pointer, uint64_t bytes);
host_error host_managed_advise(host_context *context, uint64_t pointer, uint64_t bytes, int advice,
                               host_location location);
host_error host_managed_prefetch(host_context *context, uint64_t pointer, uint64_t bytes, host_location location);
host_error host_managed_attribute(host_context *context, void *data, size_t size, int attribute, uint64_t pointer,
                                  uint64_t bytes);

#endif
