/* memory: what the memory room answers, as an error of CUDA. */
#ifndef LW_HOST_MEMORY_PRIV_H
#define LW_HOST_MEMORY_PRIV_H

#include "host/memory.h"

static inline host_error host_memory_error(lw_status status)
{
    switch (status) {
    case LW_OK: return 0;
    case LW_NO_MEMORY: return HOST_MEMORY_ALLOCATION;
    default: return HOST_INVALID_VALUE;
    }
}

#endif
