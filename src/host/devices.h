/* Several devices of one kind, which share the address space and the queue (devices.c): which one is current on a thread,
 * and which accesses the memory of which. */
#ifndef LW_HOST_DEVICES_H
#define LW_HOST_DEVICES_H

#include "host/options.h"
#include "host/types.h"

uint32_t host_device_count(host_context *context);   /* 1 to HOST_DEVICES_MOST, also without a device */
uint32_t host_device_current(host_context *context); /* of the calling thread */
void host_device_set(host_context *context, uint32_t device);
bool host_device_exists(host_context *context, int device);
/* Reads CUDA_VISIBLE_DEVICES, once: at the first call and not when the program starts, since programs set it. */
void host_devices_look(host_context *context);

/* Peers. from accesses memory of to. */
bool host_peer_possible(const host_context *context, uint32_t from, uint32_t to);
host_error host_peer_enable(host_context *context, uint32_t from, uint32_t to);
bool host_peer_enabled(host_context *context, uint32_t from, uint32_t to);
host_error host_peer_disable(host_context *context, uint32_t from, uint32_t to);
void host_peers_forget(host_context *context, uint32_t device); /* what was enabled from and to it ends */
/* Set of the devices whose ordinary memory a kernel on this one cannot access. */
uint32_t host_device_out_of_reach(const host_context *context, uint32_t device);

/* HOST_INVALID_RESOURCE_HANDLE with the reason. what: "kernel", "event". */
host_error host_refuse_other_device(const char *what, uint32_t its, uint32_t of_stream);

#endif
