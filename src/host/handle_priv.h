/* handle: the live objects that programs hold pointers to (handle.c). */
#ifndef LW_HOST_HANDLE_PRIV_H
#define LW_HOST_HANDLE_PRIV_H

#include "host/state_priv.h"

typedef enum host_type {
    HOST_T_STREAM = 1,
    HOST_T_EVENT,
    HOST_T_MODULE,
    HOST_T_KERNEL,
    HOST_T_GRAPH,
    HOST_T_NODE,
    HOST_T_GRAPH_EXEC,
    HOST_T_POOL,
    HOST_T_ARRAY,
    HOST_T_MIPMAP,
    HOST_T_USER,
    HOST_T_PHYSICAL
} host_type;

host_handles *host_handles_make(void);
void host_handles_forked(host_handles *handles); /* in a child of fork() */
void host_handle_add(host_context *context, const void *object, host_type type);
void host_handle_remove(host_context *context, const void *object);
bool host_handle_is(host_context *context, const void *object, host_type type);

#endif
