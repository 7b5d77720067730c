/* Pools that processes of one run share. A pool's file descriptor is a file without a name that tells whose pool it is; the
 * data of an exported pointer name the file that holds its pages, as a handle of cudaMalloc's memory does (ipc.c). */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/capture_priv.h"
#include "host/devices.h"
#include "host/emit_priv.h"
#include "host/ipc_priv.h"
#include "host/memory_priv.h"
#include "host/pool_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"

#define POOL_FILE "lanewise-pool"

host_error host_ipc_pool_export(host_context *c, const host_pool *pool, int *out)
{
    host_error error = host_status(c);
    if (error) return error;
    if (!host_pool_known(c, pool)) return HOST_INVALID_VALUE;
    if (!pool->shareable)
        return host_refuse(HOST_INVALID_VALUE, "The pool was created without handleTypes, or by another process.");
    host_ipc_content content = {.magic = HOST_IPC_MAGIC_POOL, .pid = getpid(), .device = pool->device};
    content.kind = (uint32_t)pool->kind;
    content.slot = host_pool_index(c, pool);
    int fd = memfd_create(POOL_FILE, MFD_CLOEXEC);
    if (fd < 0) return HOST_OPERATING_SYSTEM;
    if (pwrite(fd, &content, sizeof content, 0) != (ssize_t)sizeof content) {
        close(fd);
        return HOST_OPERATING_SYSTEM;
    }
    *out = fd;
    return 0;
}

host_error host_ipc_pool_import(host_context *c, int fd, host_pool **out)
{
    host_ipc_content content = {.pid = 0};
    host_error error = host_status(c);
    if (error) return error;
    bool read = pread(fd, &content, sizeof content, 0) == (ssize_t)sizeof content;
    if (!read || memcmp(content.magic, HOST_IPC_MAGIC_POOL, sizeof content.magic))
        return host_refuse(HOST_INVALID_VALUE, "The file descriptor is none of a pool of this run.");
    if (!host_device_exists(c, (int)content.device)) return HOST_INVALID_VALUE;
    host_pool *pool = host_pool_add(c, content.device, (mem_kind)content.kind);
    pool->from_pid = content.pid;
    pool->from_number = content.slot;
    *out = pool;
    return 0;
}

host_error host_ipc_pool_pointer(host_context *c, uint64_t address, host_ipc_handle *out)
{
    mem_allocation a;
    host_error error = host_status(c);
    if (error) return error;
    bool found = mem_find(c->memory, address, &a) && a.address == address;
    const host_pool *pool = found ? host_pool_holding(c, &a) : NULL;
    if (!pool || !pool->shareable)
        return host_refuse(HOST_INVALID_VALUE, "Only memory of a pool that was created with handleTypes is exported.");
    if (a.kind != MEM_DEVICE)
        return host_refuse(HOST_NOT_SUPPORTED, "Memory of the host, of pools, is not shared between processes.");
    host_ipc_content content = {.magic = HOST_IPC_MAGIC_POINTER, .pid = getpid(), .device = a.device, .bytes = a.bytes};
    content.slot = host_pool_index(c, pool);
    host_queue_synchronize(c);
    if (mem_share(c->memory, address, &content.fd, &content.offset)) return HOST_MEMORY_ALLOCATION;
    host_ipc_write(&content, out);
    return 0;
}

host_error host_ipc_pool_open(host_context *c, host_pool *pool, const host_ipc_handle *handle, uint64_t *out)
{
    host_ipc_content content;
    host_error error = host_status(c);
    if (error) return error;
    bool read = host_ipc_read(handle, HOST_IPC_MAGIC_POINTER, &content);
    if (!read || !host_pool_known(c, pool) || !pool->from_pid) return HOST_INVALID_VALUE;
    if (pool->from_pid != content.pid || pool->from_number != content.slot)
        return host_refuse(HOST_INVALID_VALUE, "The pointer was exported from another pool than was imported.");
    host_lock(c);
    const host_ipc_opened *known = host_ipc_find(c, &content, pool);
    if (known) *out = known->address;
    else error = host_ipc_map(c, &content, pool, pool->readers, pool->writers, out);
    host_unlock(c);
    if (!error && !known) host_emit_alloc(c, *out, content.bytes, true, NULL);
    return error;
}
