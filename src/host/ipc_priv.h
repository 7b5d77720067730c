/* ipc: what processes share of an event, and the part of the context (ipc_slot.c, ipc_opened.c). */
#ifndef LW_HOST_IPC_PRIV_H
#define LW_HOST_IPC_PRIV_H

#include "host/emit_priv.h"
#include "host/ipc.h"
#include "host/state_priv.h"

/* Of an event, in memory that processes share; both atomic. */
typedef struct host_ipc_slot {
    uint64_t recorded;  /* records that were put into a stream, by any process */
    uint64_t completed; /* up to which of them the work before is done */
} host_ipc_slot;

typedef struct host_ipc_content { /* of a handle */
    char magic[8];
    int32_t pid, fd;
    uint32_t device, slot; /* slot: of an event; of a pool and of memory of one: the pool's number */
    uint64_t offset, bytes;
    uint32_t kind, unused; /* kind: of a pool, its mem_kind */
} host_ipc_content;

typedef struct host_ipc_opened {
    int32_t pid;
    uint64_t offset;                   /* in the other's file */
    uint64_t address, users;           /* of the memory here */
    uint64_t reserved, reserved_bytes; /* where it is mapped */
    host_pool *pool;                   /* that it was imported with; NULL: opened by a handle */
} host_ipc_opened;

struct host_ipc {
    int slots_fd;         /* of this process's events; -1: not made yet */
    host_ipc_slot *slots; /* HOST_IPC_SLOTS of them */
    uint32_t slot_count;
    LW_VEC(host_ipc_opened) opened;
};

#define HOST_IPC_SLOTS 4096u
#define HOST_IPC_MAGIC_MEMORY "lanewm1"
#define HOST_IPC_MAGIC_EVENT "lanewe1"
#define HOST_IPC_MAGIC_POOL "lanewp1"
#define HOST_IPC_MAGIC_POINTER "lanewq1"

host_ipc *host_ipc_make(void);
host_ipc_slot *host_ipc_slot_make(host_context *context); /* NULL: there are too many */
/* Opens the file that a handle names; -1: it is gone, or is not the run's. */
int host_ipc_open_file(const host_ipc_content *content);
host_ipc_slot *host_ipc_slot_open(const host_ipc_content *content);
uint64_t host_ipc_recorded(const host_ipc_slot *slot);
bool host_ipc_done(const host_ipc_slot *slot, uint64_t number); /* that record's work is */
void host_ipc_complete(host_ipc_slot *slot, uint64_t number);
void host_ipc_write(const host_ipc_content *content, host_ipc_handle *out);
bool host_ipc_read(const host_ipc_handle *handle, const char *magic,
                   host_ipc_content *out); /* false: of another kind */
/* Lock held. The mapping of what content names that was made with the pool (NULL: with none), or NULL. */
host_ipc_opened *host_ipc_find(host_context *context, const host_ipc_content *content, const host_pool *pool);
/* Lock held. Maps what content names; the devices of the sets may access it. */
host_error host_ipc_map(host_context *context, const host_ipc_content *content, host_pool *pool, uint32_t readers,
                        uint32_t writers, uint64_t *out_address);
/* Unmaps; without the lock, which clients of events may take. at: where the operation stands that does, or NULL. */
void host_ipc_unmap(host_context *context, const host_ipc_opened *opened, const host_place *at);
/* With the pool that the memory at address was imported with; NULL: it was not. */
host_pool *host_ipc_pool_of(host_context *context, uint64_t address);
/* Frees memory that was imported with a pool. */
void host_ipc_pool_release(host_context *context, uint64_t address, const host_place *at);
void host_ipc_free_all(host_context *context); /* a reset: what was opened is closed; without the lock */

#endif
