/* clients.c: drives the clients of events through the life of the process: their sessions, their part in each launch,
 * and the events of the host. Knows none of them: context.c has the rows of clients.def. */
#include "host/clients_priv.h"
#include "host/state_priv.h"

void host_clients_forked(host_context *c) { pthread_mutex_init(&c->clients->lock, NULL); }

void host_client_add(host_context *c, const event_client *client)
{
    host_clients *all = c->clients;
    LW_ASSERT(all->count < HOST_CLIENT_LIMIT);
    void *state = client->session_begin ? client->session_begin(&all->session) : &all->session;
    if (!state) return;
    all->list[all->count++] = (host_client){client, state};
    if (client->host) all->host_kinds |= client->kinds & event_kinds_of(EVENT_PAYLOAD_host);
}

void host_clients_begin(host_context *c, const event_client *const *clients, size_t count,
                        const event_session *services)
{
    if (!c->clients) c->clients = lw_alloc(sizeof *c->clients); /* else: after host_clients_end() */
    host_clients_forked(c);
    c->clients->session = *services;
    c->clients->session.owner = c;
    for (size_t k = 0; k < count; k++) host_client_add(c, clients[k]);
}

void host_clients_end(host_context *c)
{
    for (uint32_t k = 0; k < c->clients->count; k++) {
        const host_client *l = &c->clients->list[k];
        if (l->client->session_end) l->client->session_end(l->session);
    }
    c->clients->count = 0;
    c->clients->host_kinds = 0;
}

void host_clients_launch_begin(host_context *c, const event_launch *launch, const host_place *at, host_listeners *out)
{
    out->count = 0;
    for (uint32_t k = 0; k < c->clients->count; k++) {
        const host_client *l = &c->clients->list[k];
        void *state = l->client->launch_begin ? l->client->launch_begin(l->session, launch) : l->session;
        if (!state) continue;
        out->session[out->count] = l->session;
        out->listener[out->count++] = (event_listener){l->client, state};
    }
    host_emit_launch(c, EVENT_LAUNCH_BEGIN, launch, at);
}

void host_clients_launch_end(host_context *c, const event_launch *launch, const host_place *at,
                             const host_listeners *listeners)
{
    host_emit_launch(c, EVENT_LAUNCH_END, launch, at);
    for (uint32_t k = 0; k < listeners->count; k++) {
        const event_listener *l = &listeners->listener[k];
        if (l->client->launch_end) l->client->launch_end(listeners->session[k], launch, l->launch);
    }
}
