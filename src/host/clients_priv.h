/* clients: the clients of events through sessions and launches (clients.c, clients.def). */
#ifndef LW_HOST_CLIENTS_PRIV_H
#define LW_HOST_CLIENTS_PRIV_H

#include "host/emit_priv.h"

/* The clients that listen to one launch. */
typedef struct host_listeners {
    event_listener listener[HOST_CLIENT_LIMIT];
    void *session[HOST_CLIENT_LIMIT];
    uint32_t count;
} host_listeners;

/* services: what sessions get, but for their owner, the context */
void host_clients_begin(host_context *context, const event_client *const *clients, size_t count,
                        const event_session *services);
void host_clients_end(host_context *context);
void host_clients_forked(host_context *context);                         /* in a child of fork() */
void host_client_add(host_context *context, const event_client *client); /* beside the rows of the table */
void host_clients_launch_begin(host_context *context, const event_launch *launch, const host_place *at,
                               host_listeners *out);
void host_clients_launch_end(host_context *context, const event_launch *launch, const host_place *at,
                             const host_listeners *listeners);

#endif
