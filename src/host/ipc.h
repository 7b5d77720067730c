/* Memory and events that processes of one run share (ipc.c, ipc_event.c). A handle names a file of the process that made
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

#endif
