/* Memory that processes of one run share: the pages of an exported allocation become those of a file without a name, at
 * the same addresses; who opens the handle maps the file at addresses of its own. As on a card, whole pages are shared:
 * small neighbours of the allocation are, too, but only its own bytes can be accessed here. */
#include <string.h>
#include <unistd.h>

#include "host/capture_priv.h"
#include "host/emit_priv.h"
#include "host/ipc_priv.h"
#include "host/memory_priv.h"
#include "host/origin_priv.h"
#include "host/pool_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/stream_priv.h"

host_error host_ipc_memory_handle(host_context *c, uint64_t address, host_ipc_handle *out)
{
    mem_allocation a;
    host_error error = host_status(c);
    if (error) return error;
    bool fits = mem_find(c->memory, address, &a) && a.address == address && a.kind == MEM_DEVICE && !a.mapped;
    if (!fits || a.name[0] || host_in_pool(&a))
        return host_refuse(HOST_INVALID_VALUE, "Handles are made of addresses that cudaMalloc returned.");
    host_ipc_content content = {.magic = HOST_IPC_MAGIC_MEMORY, .pid = getpid(), .device = a.device, .bytes = a.bytes};
    host_queue_synchronize(c);
    if (mem_share(c->memory, address, &content.fd, &content.offset)) return HOST_MEMORY_ALLOCATION;
    host_ipc_write(&content, out);
    return 0;
}

host_error host_ipc_memory_open(host_context *c, const host_ipc_handle *handle, uint64_t *out)
{
    host_ipc_content content;
    host_error error = host_status(c);
    if (error) return error;
    if (!host_ipc_read(handle, HOST_IPC_MAGIC_MEMORY, &content) || content.device >= c->options.devices)
        return HOST_INVALID_VALUE;
    if (content.pid == getpid()) /* as a card's driver: a handle is for other processes */
        return host_refuse(HOST_DEVICE_UNINITIALIZED, "A handle cannot be opened by the process that made it.");
    host_lock(c);
    host_ipc_opened *known = host_ipc_find(c, &content, NULL);
    if (known) {
        known->users++;
        *out = known->address;
    } else {
        error = host_ipc_map(c, &content, NULL, UINT32_MAX, UINT32_MAX, out);
    }
    host_unlock(c);
    if (!error && !known) host_emit_alloc(c, *out, content.bytes, true, NULL);
    return error;
}

host_error host_ipc_memory_close(host_context *c, uint64_t address)
{
    host_error error = host_status(c);
    if (error) return error;
    host_queue_synchronize(c);
    host_ipc_opened found = {0};
    host_lock(c);
    for (size_t i = 0; i < c->ipc->opened.count && !found.address; i++) {
        host_ipc_opened *o = &c->ipc->opened.items[i];
        if (o->address != address || o->pool) continue;
        o->users--;
        found = *o;
        if (!o->users) *o = c->ipc->opened.items[--c->ipc->opened.count];
    }
    host_unlock(c);
    if (!found.address) return HOST_INVALID_VALUE;
    if (!found.users) host_ipc_unmap(c, &found, host_queue_place(c));
    return 0;
}

/* ---- events ---- */
host_error host_ipc_event_handle(host_context *c, const host_event *e, host_ipc_handle *out)
{
    memset(out, 0, sizeof *out); /* programs that do not look at the error look at the bytes */
    if (!host_event_valid(c, e)) return HOST_INVALID_RESOURCE_HANDLE;
    if (!e->shared || e->opened)
        return host_refuse(HOST_INVALID_RESOURCE_HANDLE, "The event was not created with cudaEventInterprocess.");
    host_ipc_content content = {.magic = HOST_IPC_MAGIC_EVENT, .pid = getpid(), .fd = c->ipc->slots_fd};
    content.device = e->device;
    content.slot = (uint32_t)(e->shared - c->ipc->slots);
    host_ipc_write(&content, out);
    return 0;
}

host_error host_ipc_event_open(host_context *c, const host_ipc_handle *handle, host_event **out)
{
    host_ipc_content content;
    if (!host_ipc_read(handle, HOST_IPC_MAGIC_EVENT, &content)) return HOST_INVALID_VALUE;
    host_ipc_slot *slot = host_ipc_slot_open(&content);
    if (!slot) return host_refuse(HOST_INVALID_VALUE, "The process that made the handle is not there any more.");
    host_error error = host_event_create(c, HOST_EVENT_NO_TIMING, out);
    if (error) return error;
    (*out)->shared = slot;
    (*out)->opened = true;
    return 0;
}
