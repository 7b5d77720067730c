/* Virtual memory management. Physical memory is a file without a name (memfd), which is mapped at the storage of each
 * address that a program maps it at: aliases share their bytes, and so do processes that one hands the file to. Each
 * mapping is an allocation of its own, so that accesses are checked as those of cudaMalloc are. The file's name tells
 * who imports it whose memory it is. */
#define _GNU_SOURCE /* memfd_create */
#include "host/virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/capture_priv.h"
#include "host/devices.h"
#include "host/emit_priv.h"
#include "host/handle_priv.h"
#include "host/memory_priv.h"
#include "host/origin_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/refuse_memory.h"
#include "host/virtual_priv.h"

#define FILE_NAME "lanewise-device-"

struct host_physical {
    host_physical_props props;
    int fd;
    uint64_t bytes;
    uint32_t holders, mappings;
};

typedef struct mapping {
    uint64_t address, bytes;
    host_physical *physical;
} mapping;

struct host_virtual {
    LW_VEC(host_physical *) all; /* that somebody holds or maps */
    LW_VEC(mapping) mappings;    /* in no order */
};

host_virtual *host_virtual_make(void) { return lw_alloc(sizeof(host_virtual)); }

/* ---- physical memory ---- */
host_error host_physical_check(host_context *c, const host_physical_props *p)
{
    enum { FD = 1 }; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
    if (p->type != HOST_ALLOCATION_PINNED) return HOST_INVALID_VALUE;
    if (p->location.type == HOST_LOCATION_HOST || p->location.type == HOST_LOCATION_HOST_NUMA ||
        p->location.type == HOST_LOCATION_HOST_NUMA_CURRENT)
        return host_refuse(HOST_NOT_SUPPORTED, "Physical memory of the host (cuMemCreate) is not supported.");
    if (p->location.type != HOST_LOCATION_DEVICE) return HOST_INVALID_VALUE;
    if (p->handle_types & ~FD)
        return host_refuse(HOST_NOT_SUPPORTED, "Physical memory is shared by POSIX file descriptors alone.");
    return host_location_check(c, p->location);
}

static host_physical *add_physical(host_context *c, int fd, uint64_t bytes, const host_physical_props *props)
{
    host_physical *p = lw_alloc(sizeof *p);
    *p = (host_physical){.props = *props, .fd = fd, .bytes = bytes, .holders = 1};
    host_lock(c);
    lw_vec_push(&c->virtual_memory->all, p);
    host_unlock(c);
    host_handle_add(c, p, HOST_T_PHYSICAL);
    return p;
}

static int make_file(uint32_t device, uint64_t bytes)
{
    char name[40];
    snprintf(name, sizeof name, FILE_NAME "%u", device);
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0 || !ftruncate(fd, (off_t)bytes)) return fd;
    close(fd);
    return -1;
}

host_error host_physical_create(host_context *c, uint64_t bytes, const host_physical_props *props, host_physical **out)
{
    host_error error = host_status(c);
    if (!error) error = host_physical_check(c, props);
    if (error) return error;
    if (!bytes || bytes % HOST_PHYSICAL_GRAIN)
        return host_refuse(HOST_INVALID_VALUE, "The size must be a multiple of the granularity, 2 MiB.");
    uint32_t device = (uint32_t)props->location.id;
    if (mem_charge(c->memory, device, bytes)) return host_refuse_allocation(c, bytes);
    int fd = make_file(device, bytes);
    if (fd < 0) {
        mem_discharge(c->memory, device, bytes);
        return HOST_MEMORY_ALLOCATION;
    }
    *out = add_physical(c, fd, bytes, props);
    return 0;
}

bool host_physical_valid(host_context *c, const host_physical *p) { return host_handle_is(c, p, HOST_T_PHYSICAL); }

const host_physical_props *host_physical_properties(const host_physical *p) { return &p->props; }

/* Lock held. */
static void free_unused(host_context *c, host_physical *p)
{
    if (p->holders || p->mappings) return;
    host_virtual *v = c->virtual_memory;
    for (size_t i = 0; i < v->all.count; i++) {
        if (v->all.items[i] != p) continue;
        v->all.items[i] = v->all.items[--v->all.count];
        break;
    }
    mem_discharge(c->memory, (uint32_t)p->props.location.id, p->bytes);
    close(p->fd);
    free(p);
}

host_error host_physical_release(host_context *c, host_physical *p)
{
    if (!host_physical_valid(c, p)) return HOST_INVALID_VALUE;
    host_lock(c);
    if (!--p->holders) host_handle_remove(c, p);
    free_unused(c, p);
    host_unlock(c);
    return 0;
}

/* Lock held. The mapping that holds the address; NULL: none does. */
static mapping *find(host_context *c, uint64_t address)
{
    host_virtual *v = c->virtual_memory;
    for (size_t i = 0; i < v->mappings.count; i++)
        if (address - v->mappings.items[i].address < v->mappings.items[i].bytes) return &v->mappings.items[i];
    return NULL;
}

host_error host_physical_at(host_context *c, uint64_t address, host_physical **out)
{
    host_lock(c);
    const mapping *m = find(c, address);
    if (m) {
        *out = m->physical;
        if (!m->physical->holders++) host_handle_add(c, m->physical, HOST_T_PHYSICAL);
    }
    host_unlock(c);
    return m ? 0 : HOST_INVALID_VALUE;
}

host_error host_physical_export(host_context *c, const host_physical *p, int *out)
{
    if (!host_physical_valid(c, p)) return HOST_INVALID_VALUE;
    if (!p->props.handle_types)
        return host_refuse(HOST_INVALID_VALUE, "The memory was created without requestedHandleTypes.");
    int fd = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return HOST_OPERATING_SYSTEM;
    *out = fd;
    return 0;
}

/* Of which device's memory the file is; -1: of none. */
static int device_of_file(int fd)
{
    char link[64];
    char name[128] = "";
    unsigned device;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, name, sizeof name - 1) < 0) return -1;
    return sscanf(name, "/memfd:" FILE_NAME "%u", &device) == 1 ? (int)device : -1;
}

host_error host_physical_import(host_context *c, int fd, host_physical **out)
{
    struct stat st;
    int device = device_of_file(fd);
    if (device < 0 || !host_device_exists(c, device) || fstat(fd, &st))
        return host_refuse(HOST_INVALID_VALUE, "The file descriptor is none of device memory of this run.");
    host_physical_props props = {.type = HOST_ALLOCATION_PINNED, .handle_types = 1};
    props.location = (host_location){HOST_LOCATION_DEVICE, device};
    if (mem_charge(c->memory, (uint32_t)device, (uint64_t)st.st_size)) return HOST_MEMORY_ALLOCATION;
    *out = add_physical(c, fcntl(fd, F_DUPFD_CLOEXEC, 0), (uint64_t)st.st_size, &props);
    return 0;
}

/* ---- addresses ---- */
host_error host_virtual_reserve(host_context *c, uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *out)
{
    host_error error = host_status(c);
    if (error) return error;
    lw_status status = mem_reserve(c->memory, bytes, alignment, wanted, out);
    return status == LW_NO_MEMORY ? HOST_MEMORY_ALLOCATION : status ? HOST_INVALID_VALUE : 0;
}

host_error host_virtual_free(host_context *c, uint64_t address, uint64_t bytes)
{
    host_error error = host_status(c);
    if (error) return error;
    host_queue_synchronize(c);
    return mem_unreserve(c->memory, address, bytes) ? HOST_INVALID_VALUE : 0;
}

host_error host_virtual_map(host_context *c, uint64_t address, uint64_t bytes, host_physical *p)
{
    host_error error = host_status(c);
    if (error) return error;
    bool fits = host_physical_valid(c, p) && bytes && bytes <= p->bytes;
    if (!fits || address % HOST_PHYSICAL_GRAIN || bytes % HOST_PHYSICAL_GRAIN) return HOST_INVALID_VALUE;
    lw_status status = mem_map(c->memory, (uint32_t)p->props.location.id, address, bytes, p->fd, 0);
    if (status) return host_memory_error(status);
    mem_note_made(c->memory, address, host_origin_here(c));
    host_lock(c);
    p->mappings++;
    lw_vec_push(&c->virtual_memory->mappings, ((mapping){address, bytes, p}));
    host_unlock(c);
    host_emit_alloc(c, address, bytes, true, NULL); /* an alias may have written it */
    return 0;
}

/* The bytes of whole mappings that [address, address + bytes) consists of, without gaps at its ends; 0: not so. */
static bool is_whole(host_context *c, uint64_t address, uint64_t bytes)
{
    uint64_t at = address;
    while (at < address + bytes) {
        const mapping *m = find(c, at);
        if (!m || m->address != at) return false;
        at += m->bytes;
    }
    return bytes && at == address + bytes;
}

/* Lock held. */
static void unmap(host_context *c, uint64_t address)
{
    host_virtual *v = c->virtual_memory;
    mapping *m = find(c, address);
    host_physical *p = m->physical;
    *m = v->mappings.items[--v->mappings.count];
    mem_unmap(c->memory, address);
    p->mappings--;
    free_unused(c, p);
}

host_error host_virtual_unmap(host_context *c, uint64_t address, uint64_t bytes)
{
    host_error error = host_status(c);
    if (error) return error;
    host_queue_synchronize(c);
    host_lock(c);
    bool whole = is_whole(c, address, bytes);
    host_unlock(c);
    mem_allocation a;
    for (uint64_t at = address; whole && at < address + bytes && mem_find(c->memory, at, &a); at += a.bytes) {
        host_emit_free(c, at, host_queue_place(c)); /* without the lock: clients may take it */
        host_lock(c);
        if (find(c, at)) unmap(c, at);
        host_unlock(c);
    }
    if (whole) return 0;
    return host_refuse(HOST_INVALID_VALUE, "The range does not consist of whole mappings.");
}

/* ---- access ---- */
host_error host_virtual_set_access(host_context *c, uint64_t address, uint64_t bytes, host_location location,
                                   int access)
{
    bool known = access == HOST_ACCESS_NONE || access == HOST_ACCESS_READ || access == HOST_ACCESS_READ_WRITE;
    if (!known || host_location_check(c, location)) return HOST_INVALID_VALUE; /* as an H100 answers, of devices too */
    if (location.type != HOST_LOCATION_DEVICE)
        return host_refuse(HOST_NOT_SUPPORTED, "Access by the host to mapped device memory is not supported.");
    uint32_t bit = 1u << location.id;
    host_queue_synchronize(c);
    host_lock(c);
    bool whole = is_whole(c, address, bytes);
    mem_allocation a;
    for (uint64_t at = address; whole && at < address + bytes && mem_find(c->memory, at, &a); at += a.bytes)
        mem_set_access(c->memory, at, access == HOST_ACCESS_NONE ? a.readers & ~bit : a.readers | bit,
                       access == HOST_ACCESS_READ_WRITE ? a.writers | bit : a.writers & ~bit);
    host_unlock(c);
    return whole ? 0 : HOST_INVALID_VALUE;
}

host_error host_virtual_access(host_context *c, uint64_t address, host_location location, int *out)
{
    mem_allocation a;
    host_error error = host_location_check(c, location);
    if (error) return error;
    if (!mem_find(c->memory, address, &a) || !a.mapped) return HOST_INVALID_VALUE;
    *out = HOST_ACCESS_NONE;
    if (location.type != HOST_LOCATION_DEVICE) return 0;
    if (a.readers >> location.id & 1) *out = HOST_ACCESS_READ;
    if (a.writers >> location.id & 1) *out = HOST_ACCESS_READ_WRITE;
    return 0;
}

void host_virtual_free_all(host_context *c)
{
    host_virtual *v = c->virtual_memory;
    while (v->mappings.count) unmap(c, v->mappings.items[v->mappings.count - 1].address);
    while (v->all.count) host_physical_release(c, v->all.items[0]);
    mem_unreserve_all(c->memory);
}
