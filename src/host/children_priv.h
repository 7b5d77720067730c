/* children_priv: what children.c shows to device_call.c. */
#ifndef LW_HOST_CHILDREN_PRIV_H
#define LW_HOST_CHILDREN_PRIV_H

#include "host/children.h"

/* Where a launch's arguments are written, and what it will be. */
struct host_buffer {
    uint64_t address;
    host_kernel *kernel;
    host_launch_config config;
    bool open; /* not launched yet */
};

/* The last error of a thread that has one. */
struct host_thread_error {
    uint64_t block;
    uint32_t thread;
    host_error error;
};

/* All with the lock held. */
/* Device memory until the children have run; 0: there is none. */
uint64_t host_children_memory(host_children *children, uint64_t bytes);
host_error host_children_buffer(host_children *children, host_kernel *kernel, const host_launch_config *config,
                                uint64_t *out_address);
host_error host_children_launch(host_children *children, const exec_device_call *call, uint64_t buffer,
                                uint64_t stream);
/* An operation that is not a launch; what it owns is taken over. */
host_error host_children_put(host_children *children, const exec_device_call *call, const host_op *op, uint64_t stream);
bool host_children_stream(const host_children *children, uint64_t stream);
uint64_t host_children_handle(host_children *children);

#endif
