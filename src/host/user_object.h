/* User objects (user_object.c). */
#ifndef LW_HOST_USER_OBJECT_H
#define LW_HOST_USER_OBJECT_H

#include "host/types.h"

/* User objects: something with a destructor that runs when the last reference goes. Graphs (and their clones) keep the
 * references they retain until they are destroyed; work that was launched is finished first. */
typedef struct host_user host_user;
host_user *host_user_create(host_context *context, void *pointer, void (*destroy)(void *pointer), uint32_t count);
host_error host_user_retain(host_context *context, host_user *user, uint32_t count);
host_error host_user_release(host_context *context, host_user *user, uint32_t count);
/* move: the caller's references become the graph's. */
host_error host_graph_retain(host_context *context, host_graph *graph, host_user *user, uint32_t count, bool move);
host_error host_graph_release(host_context *context, host_graph *graph, host_user *user, uint32_t count);

#endif
