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

_Static_assert(sizeof(host_ipc_content) <= sizeof(host_ipc_handle), "room in a handle");

static void write_handle(const host_ipc_content *content, host_ipc_handle *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->data, content, sizeof *content);
}

static bool read_handle(const host_ipc_handle *handle, const char *magic, host_ipc_content *out)
{
    memcpy(out, handle->data, sizeof *out);
    return !strncmp(out->magic, magic, sizeof out->magic);
}

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
    write_handle(&content, out);
    return 0;
}

/* Lock held. */
static host_ipc_opened *find(host_context *c, const host_ipc_content *content)
{
    for (size_t i = 0; i < c->ipc->opened.count; i++) {
        host_ipc_opened *o = &c->ipc->opened.items[i];
        if (o->pid == content->pid && o->offset == content->offset) return o;
    }
    return NULL;
}

/* Lock held. */
static host_error map_memory(host_context *c, const host_ipc_content *content, uint64_t *out)
{
    const uint64_t page = 4096;
    const uint64_t grain = UINT64_C(2) << 20;
    uint64_t inside = content->offset % page; /* the allocation's place in its first page */
    host_ipc_opened o = {.pid = content->pid, .offset = content->offset, .users = 1};
    o.reserved_bytes = lw_round_up(inside + content->bytes, grain);
    int fd = host_ipc_open_file(content);
    if (fd < 0) return host_refuse(HOST_INVALID_VALUE, "The process that made the handle is not there any more.");
    lw_status status = mem_reserve(c->memory, o.reserved_bytes, 0, 0, &o.reserved);
    o.address = o.reserved + inside;
    if (!status) status = mem_map(c->memory, content->device, o.address, content->bytes, fd, content->offset);
    close(fd);
    if (status) return HOST_MEMORY_ALLOCATION;
    mem_set_access(c->memory, o.address, UINT32_MAX, UINT32_MAX);
    mem_note_made(c->memory, o.address, host_origin_here(c));
    lw_vec_push(&c->ipc->opened, o);
    *out = o.address;
    return 0;
}

host_error host_ipc_memory_open(host_context *c, const host_ipc_handle *handle, uint64_t *out)
{
    host_ipc_content content;
    host_error error = host_status(c);
    if (error) return error;
    if (!read_handle(handle, HOST_IPC_MAGIC_MEMORY, &content) || content.device >= c->options.devices)
        return HOST_INVALID_VALUE;
    if (content.pid == getpid()) /* as a card's driver: a handle is for other processes */
        return host_refuse(HOST_DEVICE_UNINITIALIZED, "A handle cannot be opened by the process that made it.");
    host_lock(c);
    host_ipc_opened *known = find(c, &content);
    if (known) {
        known->users++;
        *out = known->address;
    } else {
        error = map_memory(c, &content, out);
    }
    host_unlock(c);
    if (!error && !known) host_emit_alloc(c, *out, content.bytes, true, NULL);
    return error;
}

/* Without the lock, which clients of events may take. */
static void unmap_memory(host_context *c, host_ipc_opened o)
{
    host_emit_free(c, o.address, host_queue_place(c));
    mem_unmap(c->memory, o.address);
    mem_unreserve(c->memory, o.reserved, o.reserved_bytes);
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
        if (o->address != address) continue;
        o->users--;
        found = *o;
        if (!o->users) *o = c->ipc->opened.items[--c->ipc->opened.count];
    }
    host_unlock(c);
    if (!found.address) return HOST_INVALID_VALUE;
    if (!found.users) unmap_memory(c, found);
    return 0;
}

void host_ipc_free_all(host_context *c)
{
    while (c->ipc->opened.count) unmap_memory(c, c->ipc->opened.items[--c->ipc->opened.count]);
}

/* ---- events ---- */
host_error host_ipc_event_handle(host_context *c, const host_event *e, host_ipc_handle *out)
{
    if (!host_event_valid(c, e)) return HOST_INVALID_RESOURCE_HANDLE;
    if (!e->shared || e->opened)
        return host_refuse(HOST_INVALID_RESOURCE_HANDLE, "The event was not created with cudaEventInterprocess.");
    host_ipc_content content = {.magic = HOST_IPC_MAGIC_EVENT, .pid = getpid(), .fd = c->ipc->slots_fd};
    content.device = e->device;
    content.slot = (uint32_t)(e->shared - c->ipc->slots);
    write_handle(&content, out);
    return 0;
}

host_error host_ipc_event_open(host_context *c, const host_ipc_handle *handle, host_event **out)
{
    host_ipc_content content;
    if (!read_handle(handle, HOST_IPC_MAGIC_EVENT, &content)) return HOST_INVALID_VALUE;
    host_ipc_slot *slot = host_ipc_slot_open(&content);
    if (!slot) return host_refuse(HOST_INVALID_VALUE, "The process that made the handle is not there any more.");
    host_error error = host_event_create(c, HOST_EVENT_NO_TIMING, out);
    if (error) return error;
    (*out)->shared = slot;
    (*out)->opened = true;
    return 0;
}
