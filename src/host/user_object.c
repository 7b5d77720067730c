/* User objects: counted references with a destructor, held by programs and by graphs. */
#include <stdlib.h>

#include "host/graph_priv.h"
#include "host/handle_priv.h"
#include "host/queue_priv.h"
#include "host/state_priv.h"
#include "host/user_object.h"

struct host_user {
    void *pointer;
    void (*destroy)(void *pointer);
    uint32_t count;
};

host_user *host_user_create(host_context *c, void *pointer, void (*destroy)(void *pointer), uint32_t count)
{
    host_user *u = lw_alloc(sizeof *u);
    *u = (host_user){pointer, destroy, count};
    host_handle_add(c, u, HOST_T_USER);
    return u;
}

host_error host_user_retain(host_context *c, host_user *u, uint32_t count)
{
    if (!count || !host_handle_is(c, u, HOST_T_USER)) return HOST_INVALID_VALUE;
    __atomic_add_fetch(&u->count, count, __ATOMIC_RELAXED);
    return 0;
}

host_error host_user_release(host_context *c, host_user *u, uint32_t count)
{
    if (!count || !host_handle_is(c, u, HOST_T_USER) || count > __atomic_load_n(&u->count, __ATOMIC_RELAXED))
        return HOST_INVALID_VALUE;
    if (__atomic_sub_fetch(&u->count, count, __ATOMIC_ACQ_REL)) return 0;
    host_handle_remove(c, u);
    u->destroy(u->pointer);
    free(u);
    return 0;
}

static host_user_ref *find_ref(host_graph *g, const host_user *u)
{
    for (size_t i = 0; i < g->users.count; i++)
        if (g->users.items[i].user == u) return &g->users.items[i];
    return NULL;
}

host_error host_graph_retain(host_context *c, host_graph *g, host_user *u, uint32_t count, bool move)
{
    if (!count || !host_handle_is(c, g, HOST_T_GRAPH) || !host_handle_is(c, u, HOST_T_USER)) return HOST_INVALID_VALUE;
    if (!move) host_user_retain(c, u, count);
    host_lock(c);
    host_user_ref *ref = find_ref(g, u);
    if (ref) ref->count += count;
    else lw_vec_push(&g->users, ((host_user_ref){u, count}));
    host_unlock(c);
    return 0;
}

host_error host_graph_release(host_context *c, host_graph *g, host_user *u, uint32_t count)
{
    if (!count || !host_handle_is(c, g, HOST_T_GRAPH)) return HOST_INVALID_VALUE;
    host_lock(c);
    host_user_ref *ref = find_ref(g, u);
    bool enough = ref && ref->count >= count;
    if (enough) {
        ref->count -= count;
        if (!ref->count) *ref = g->users.items[--g->users.count];
    }
    host_unlock(c);
    return enough ? host_user_release(c, u, count) : HOST_INVALID_VALUE;
}

void host_graph_users_copy(const host_graph *from, host_graph *to)
{
    for (size_t i = 0; i < from->users.count; i++)
        host_graph_retain(to->context, to, from->users.items[i].user, from->users.items[i].count, false);
}

void host_graph_users_drop(host_graph *g)
{
    if (g->users.count) host_queue_drain(g->context); /* launched work may still use them */
    for (size_t i = 0; i < g->users.count; i++)
        host_user_release(g->context, g->users.items[i].user, g->users.items[i].count);
    lw_vec_free(&g->users);
}
