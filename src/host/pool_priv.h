/* pool: pools, and giving memory back (pool.c). */
#ifndef LW_HOST_POOL_PRIV_H
#define LW_HOST_POOL_PRIV_H

#include "host/emit_priv.h"
#include "host/pool.h"
#include "host/state_priv.h"

struct host_pool {
    host_context *context;
    uint64_t max_bytes, used, used_high, release_threshold;
    int flags[4];
    bool is_default, shareable; /* shareable: created so that other processes can import it */
    mem_kind kind;
    uint32_t device;           /* whose memory it gives out; of MEM_DEVICE */
    uint32_t readers, writers; /* of MEM_DEVICE: the devices that may access it */
    /* Of a pool that was imported: the process that it is of, and its number there; 0: it was not. */
    int32_t from_pid;
    uint32_t from_number;
};
#define HOST_POOL_KINDS 3 /* MEM_DEVICE, MEM_MANAGED, MEM_PINNED */

struct host_pools {
    LW_VEC(host_pool *) all; /* but the defaults */
    /* by device and mem_kind */
    host_pool defaults[HOST_DEVICES_MOST][HOST_POOL_KINDS], *current[HOST_DEVICES_MOST][HOST_POOL_KINDS];
};

void host_pools_default(host_context *context); /* as they are on a new device */
bool host_in_pool(const mem_allocation *allocation);
/* 1, 2, 3 ... among those created; 0: a default pool. */
uint32_t host_pool_index(host_context *context, const host_pool *pool);
bool host_pool_known(host_context *context, const host_pool *pool);
/* Without attributes of the caller's: one more pool of the device's memory. */
host_pool *host_pool_add(host_context *context, uint32_t device, mem_kind kind);
/* Frees an allocation if there is one; at: where the operation stands that does, or NULL. */
void host_release(host_context *context, uint64_t address, const host_place *at);

#endif
