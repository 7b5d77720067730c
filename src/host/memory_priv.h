/* memory: what the memory room answers, as an error of CUDA. */
#ifndef LW_HOST_MEMORY_PRIV_H
#define LW_HOST_MEMORY_PRIV_H

#include "host/memory.h"
#include "host/state_priv.h"

static inline host_error host_memory_error(lw_status status)
{
    switch (status) {
    case LW_OK: return 0;
    case LW_NO_MEMORY: return HOST_MEMORY_ALLOCATION;
    default: return HOST_INVALID_VALUE;
    }
}

/* What the program did not write yet: --fill. Managed and pinned memory are zeros, as on a card. */
static inline void host_fill_fresh(const host_context *c, uint64_t address, uint64_t bytes)
{
    mem_fill_bytes(&c->options.fill, address, mem_storage(address), bytes);
}

#endif
