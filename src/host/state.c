/* The state of the context that every file reads: its status, its device, its memory, and what the faces keep in it. */
#include "host/devices.h"
#include "host/state_priv.h"

/* As two H100s answer: an error stays with its device until a call for that device returns it, and is every device's
 * from then on. */
static host_error shared_status(host_context *c, uint32_t device, int own)
{
    int told = 0;
    if (atomic_load(&c->gone) >> device & 1) return HOST_DEVICES_UNAVAILABLE;
    if (own) atomic_compare_exchange_strong(&c->told, &told, own);
    told = atomic_load(&c->told);
    return told ? told : own;
}

host_error host_no_device(host_context *c)
{
    if (!atomic_load(&c->looked)) host_devices_look(c);
    return c->init_error;
}

host_error host_status_of(host_context *c, uint32_t device)
{
    if (host_no_device(c)) return c->init_error;
    int own = atomic_load(&c->sticky[device]);
    return c->options.devices > 1 ? shared_status(c, device, own) : own;
}

host_error host_status(host_context *c) { return host_status_of(c, host_device_current(c)); }

void host_fault(host_context *c, uint32_t device, host_error error)
{
    int none = 0;
    atomic_compare_exchange_strong(&c->sticky[device], &none, error);
}

bool host_is_sticky(host_context *c, host_error error)
{
    for (uint32_t d = 0; d < c->options.devices; d++) {
        host_error its = atomic_load(&c->sticky[d]);
        if (its && (!error || its == error)) return true;
    }
    return error == HOST_DEVICES_UNAVAILABLE && atomic_load(&c->gone);
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
