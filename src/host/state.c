/* The state of the context that every file reads: its status, its device, its memory, and what the faces keep in it. */
#include "host/state_priv.h"

host_error host_status(host_context *c) { return c->init_error ? c->init_error : atomic_load(&c->sticky); }

void host_fault(host_context *c, host_error error)
{
    int none = 0;
    atomic_compare_exchange_strong(&c->sticky, &none, error);
}

const struct device_profile *host_device(const host_context *c) { return c->device; }

mem_window *host_memory(host_context *c) { return c->memory; }

void *host_face(host_context *c, host_face_id id, size_t bytes)
{
    host_lock(c);
    if (!c->faces[id]) {
        c->faces[id] = lw_alloc(bytes);
        pthread_mutex_init(c->faces[id], NULL);
    }
    host_unlock(c);
    return c->faces[id];
}

bool host_face_made(host_context *c, host_face_id id)
{
    host_lock(c);
    bool made = c->faces[id] != NULL;
    host_unlock(c);
    return made;
}
