/* The mistakes that programs make with pointers, in words (refuse_memory.c). Each returns the error it is given or names. */
#ifndef LW_HOST_REFUSE_MEMORY_H
#define LW_HOST_REFUSE_MEMORY_H

#include "host/copy.h"

/* A side of a copy or the memory of a set, `name` ("the destination"), that is no memory of `bytes` bytes. */
host_error host_refuse_side(host_context *context, const char *name, uint64_t address, uint64_t bytes);
/* A copy whose kind calls pageable memory of the host the device's: the destination or else the source. */
host_error host_refuse_direction(bool destination);
/* What cannot be freed by cudaFree (pinned: by cudaFreeHost). */
host_error host_refuse_free(host_context *context, uint64_t address, bool pinned);
/* An allocation for which there is no room. */
host_error host_refuse_allocation(host_context *context, uint64_t bytes);

#endif
