/* Several devices. All are of one kind, so what is decoded for one is right for all; each has its own copy of a module's
 * variables (module.c), its streams, events and pools. */
#include "host/devices.h"

#include "host/refuse.h"
#include "host/state_priv.h"
#include "host/thread.h"

void host_devices_look(host_context *c)
{
    host_lock(c);
    if (!atomic_load(&c->looked) && !c->init_error) c->init_error = host_options_choose_visible(&c->options);
    atomic_store(&c->looked, true);
    host_unlock(c);
}

uint32_t host_device_count(host_context *c)
{
    if (!atomic_load(&c->looked)) host_devices_look(c);
    return c->options.devices;
}

uint32_t host_device_current(host_context *c) { return c->options.devices > 1 ? host_thread_get(c)->device : 0; }

void host_device_set(host_context *c, uint32_t device) { host_thread_get(c)->device = device; }

bool host_device_exists(host_context *c, int device) { return device >= 0 && (uint32_t)device < host_device_count(c); }

bool host_peer_possible(const host_context *c, uint32_t from, uint32_t to)
{
    return from != to && LW_MAX(from, to) < c->options.devices;
}

host_error host_peer_enable(host_context *c, uint32_t from, uint32_t to)
{
    if (!host_peer_possible(c, from, to)) return HOST_PEER_ACCESS_UNSUPPORTED; /* also of a device with itself */
    host_lock(c);
    bool enabled = c->peers[from] >> to & 1;
    c->peers[from] |= 1u << to;
    host_unlock(c);
    return enabled ? HOST_PEER_ACCESS_ALREADY_ENABLED : 0;
}

bool host_peer_enabled(host_context *c, uint32_t from, uint32_t to) { return c->peers[from] >> to & 1; }

host_error host_peer_disable(host_context *c, uint32_t from, uint32_t to)
{
    host_lock(c);
    bool enabled = c->peers[from] >> to & 1;
    c->peers[from] &= ~(1u << to);
    host_unlock(c);
    return enabled ? 0 : HOST_PEER_ACCESS_NOT_ENABLED;
}

void host_peers_forget(host_context *c, uint32_t device)
{
    host_lock(c);
    c->peers[device] = 0;
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++) c->peers[d] &= ~(1u << device);
    host_unlock(c);
}

uint32_t host_device_out_of_reach(const host_context *c, uint32_t device)
{
    uint32_t all = (1u << c->options.devices) - 1;
    return all & ~(1u << device) & ~c->peers[device];
}

host_error host_refuse_other_device(const char *what, uint32_t its, uint32_t of_stream)
{
    return host_refuse(HOST_INVALID_RESOURCE_HANDLE,
                       "The %s belongs to device %u, the stream to device %u. cudaSetDevice() says for which device "
                       "streams and events are created and kernels are launched.",
                       what, its, of_stream);
}
