/* ipc: what processes share of an event, and the part of the context (ipc_slot.c, ipc.c). */
#ifndef LW_HOST_IPC_PRIV_H
#define LW_HOST_IPC_PRIV_H

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
    uint32_t device, slot;
    uint64_t offset, bytes;
} host_ipc_content;

typedef struct host_ipc_opened {
    int32_t pid;
    uint64_t offset;                   /* in the other's file */
    uint64_t address, users;           /* of the memory here */
    uint64_t reserved, reserved_bytes; /* where it is mapped */
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

host_ipc *host_ipc_make(void);
host_ipc_slot *host_ipc_slot_make(host_context *context); /* NULL: there are too many */
/* Opens the file that a handle names; -1: it is gone, or is not the run's. */
int host_ipc_open_file(const host_ipc_content *content);
host_ipc_slot *host_ipc_slot_open(const host_ipc_content *content);
uint64_t host_ipc_recorded(const host_ipc_slot *slot);
bool host_ipc_done(const host_ipc_slot *slot, uint64_t number); /* that record's work is */
void host_ipc_complete(host_ipc_slot *slot, uint64_t number);
void host_ipc_free_all(host_context *context); /* a reset: what was opened is closed; without the lock */

#endif
