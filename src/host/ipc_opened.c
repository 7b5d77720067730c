/* Handles as bytes, and what this process has mapped of the memory of others (ipc.c: by handles of cudaMalloc's memory; ipc_pool.c:
 * by pointers that pools exported). */
#include <string.h>
#include <unistd.h>

#include "host/emit_priv.h"
#include "host/ipc_priv.h"
#include "host/origin_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"

_Static_assert(sizeof(host_ipc_content) <= sizeof(host_ipc_handle), "room in a handle");

void host_ipc_write(const host_ipc_content *content, host_ipc_handle *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->data, content, sizeof *content);
}

bool host_ipc_read(const host_ipc_handle *handle, const char *magic, host_ipc_content *out)
{
    memcpy(out, handle->data, sizeof *out);
    return !strncmp(out->magic, magic, sizeof out->magic);
}

host_ipc_opened *host_ipc_find(host_context *c, const host_ipc_content *content, const host_pool *pool)
{
    for (size_t i = 0; i < c->ipc->opened.count; i++) {
        host_ipc_opened *o = &c->ipc->opened.items[i];
        if (o->pid == content->pid && o->offset == content->offset && o->pool == pool) return o;
    }
    return NULL;
}

host_error host_ipc_map(host_context *c, const host_ipc_content *content, host_pool *pool, uint32_t readers,
                        uint32_t writers, uint64_t *out)
{
    const uint64_t page = 4096;
    const uint64_t grain = UINT64_C(2) << 20;
    uint64_t inside = content->offset % page; /* the allocation's place in its first page */
    host_ipc_opened o = {.pid = content->pid, .offset = content->offset, .users = 1, .pool = pool};
    o.reserved_bytes = lw_round_up(inside + content->bytes, grain);
    int fd = host_ipc_open_file(content);
    if (fd < 0) return host_refuse(HOST_INVALID_VALUE, "The process that made the handle is not there any more.");
    lw_status status = mem_reserve(c->memory, o.reserved_bytes, 0, 0, &o.reserved);
    o.address = o.reserved + inside;
    if (!status) status = mem_map(c->memory, content->device, o.address, content->bytes, fd, content->offset);
    close(fd);
    if (status) return HOST_MEMORY_ALLOCATION;
    mem_set_access(c->memory, o.address, readers, writers);
    mem_note_made(c->memory, o.address, host_origin_here(c));
    lw_vec_push(&c->ipc->opened, o);
    *out = o.address;
    return 0;
}

void host_ipc_unmap(host_context *c, const host_ipc_opened *o, const host_place *at)
{
    host_emit_free(c, o->address, at);
    mem_unmap(c->memory, o->address);
    mem_unreserve(c->memory, o->reserved, o->reserved_bytes);
}

host_pool *host_ipc_pool_of(host_context *c, uint64_t address)
{
    host_pool *pool = NULL;
    host_lock(c);
    for (size_t i = 0; i < c->ipc->opened.count && !pool; i++)
        if (c->ipc->opened.items[i].address == address) pool = c->ipc->opened.items[i].pool;
    host_unlock(c);
    return pool;
}

void host_ipc_pool_release(host_context *c, uint64_t address, const host_place *at)
{
    host_ipc_opened found = {.pool = NULL};
    host_lock(c);
    for (size_t i = 0; i < c->ipc->opened.count && !found.pool; i++) {
        host_ipc_opened *o = &c->ipc->opened.items[i];
        if (o->address != address || !o->pool) continue;
        found = *o;
        *o = c->ipc->opened.items[--c->ipc->opened.count];
    }
    host_unlock(c);
    if (found.pool) host_ipc_unmap(c, &found, at);
}

void host_ipc_free_all(host_context *c)
{
    while (c->ipc->opened.count) {
        host_ipc_opened o = c->ipc->opened.items[--c->ipc->opened.count];
        host_ipc_unmap(c, &o, host_queue_place(c));
    }
}
