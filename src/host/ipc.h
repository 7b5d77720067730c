/* Memory and events that processes of one run share (ipc.c, ipc_pool.c, ipc_slot.c). A handle names a file of the process that made
 * it, by its /proc/PID/fd, and a place in it. */
#ifndef LW_HOST_IPC_H
#define LW_HOST_IPC_H

#include "host/types.h"

typedef struct host_ipc_handle { /* = cudaIpcMemHandle_t, cudaIpcEventHandle_t, CUipcMemHandle, CUipcEventHandle */
    uint8_t data[64];
} host_ipc_handle;

/* address: that a cudaMalloc returned. */
host_error host_ipc_memory_handle(host_context *context, uint64_t address, host_ipc_handle *out);
/* The memory of another process. Opened again it is the same address; the last close unmaps it. */
host_error host_ipc_memory_open(host_context *context, const host_ipc_handle *handle, uint64_t *out_address);
host_error host_ipc_memory_close(host_context *context, uint64_t address);

host_error host_ipc_event_handle(host_context *context, const host_event *event, host_ipc_handle *out);
host_error host_ipc_event_open(host_context *context, const host_ipc_handle *handle, host_event **out);

/* ---- pools (ipc_pool.c) ---- */
/* A file descriptor for the caller to close, which names the pool to other processes of the run. */
host_error host_ipc_pool_export(host_context *context, const host_pool *pool, int *out_fd);
/* The pool of another process (or of this one): nothing can be allocated from it, only pointers are imported. */
host_error host_ipc_pool_import(host_context *context, int fd, host_pool **out);
/* address: that an allocation from a pool returned that was created to be shared. */
host_error host_ipc_pool_pointer(host_context *context, uint64_t address, host_ipc_handle *out);
/* The memory of the other process's pool. Imported again it is the same address; one free unmaps it. */
host_error host_ipc_pool_open(host_context *context, host_pool *pool, const host_ipc_handle *handle,
                              uint64_t *out_address);

#endif
