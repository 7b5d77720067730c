/* Pools, and stream-ordered allocation from them. A pool counts; the memory itself comes from where all memory of its kind
 * does. An asynchronous free gives it back when the engine reaches it. */
#include "host/capture_priv.h"
#include "host/devices.h"
#include "host/graph_priv.h"
#include "host/handle_priv.h"
#include "host/ipc_priv.h"
#include "host/memory_priv.h"
#include "host/origin_priv.h"
#include "host/pool_priv.h"
#include "host/queue_priv.h"
#include "host/refuse.h"
#include "host/refuse_memory.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/submit_priv.h"

/* With the number of the pool (0: the default pool of the kind) in the flags of an allocation. */
#define POOL_FLAG UINT32_C(0x80000000)

bool host_in_pool(const mem_allocation *a)
{
    bool has_pools = a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED;
    return has_pools && (a->flags & POOL_FLAG);
}

_Static_assert(MEM_DEVICE < HOST_POOL_KINDS && MEM_MANAGED < HOST_POOL_KINDS && MEM_PINNED < HOST_POOL_KINDS,
               "one pool of each kind");

host_error host_pool_kind(int location, int allocation, mem_kind *out)
{
    if (location < HOST_LOCATION_NONE || location > HOST_LOCATION_HOST_NUMA_CURRENT) return HOST_INVALID_VALUE;
    if (allocation == HOST_ALLOCATION_MANAGED) {
        *out = MEM_MANAGED;
        return 0;
    }
    if (allocation != HOST_ALLOCATION_PINNED || location == HOST_LOCATION_NONE) return HOST_INVALID_VALUE;
    *out = location == HOST_LOCATION_DEVICE ? MEM_DEVICE : MEM_PINNED;
    return 0;
}

static host_pool new_pool(host_context *c, uint32_t device, mem_kind kind)
{
    uint32_t own = 1u << device;
    return (host_pool){
        .context = c, .flags = {0, 1, 1, 1}, .kind = kind, .device = device, .readers = own, .writers = own};
}

host_pool *host_pool_holding(host_context *c, const mem_allocation *a)
{
    if (a->mapped) return host_ipc_pool_of(c, a->address);
    if (!host_in_pool(a)) return NULL;
    uint32_t number = a->flags & ~(POOL_FLAG | MEM_ASYNC);
    bool created = number && number <= c->pools->all.count;
    return created ? c->pools->all.items[number - 1] : &c->pools->defaults[a->device][a->kind];
}

void host_pools_default(host_context *c)
{
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++) {
        for (int kind = 0; kind < HOST_POOL_KINDS; kind++) {
            c->pools->defaults[d][kind] = new_pool(c, d, (mem_kind)kind);
            c->pools->defaults[d][kind].is_default = true;
            c->pools->current[d][kind] = &c->pools->defaults[d][kind];
        }
    }
}

host_pool *host_pool_default(host_context *c, uint32_t device, mem_kind kind)
{
    return &c->pools->defaults[device][kind];
}

host_pool *host_pool_current(host_context *c, uint32_t device, mem_kind kind)
{
    return c->pools->current[device][kind];
}

static bool is_default(const host_context *c, const host_pool *pool)
{
    const host_pool *first = &c->pools->defaults[0][0];
    return pool >= first && pool < first + HOST_DEVICES_MOST * HOST_POOL_KINDS;
}

bool host_pool_known(host_context *c, const host_pool *pool)
{
    return is_default(c, pool) || host_handle_is(c, pool, HOST_T_POOL);
}

int host_pool_access(host_context *c, const host_pool *pool, int location, int device)
{
    if (!host_pool_known(c, pool)) return HOST_ACCESS_NONE;
    if (pool->kind != MEM_DEVICE) return HOST_ACCESS_READ_WRITE;
    if (location != HOST_LOCATION_DEVICE || !(pool->readers >> device & 1)) return HOST_ACCESS_NONE;
    return pool->writers >> device & 1 ? HOST_ACCESS_READ_WRITE : HOST_ACCESS_READ;
}

typedef struct pool_visit {
    host_context *context;
    const host_pool *pool;
} pool_visit;

static void set_access(void *user, const mem_allocation *a)
{
    const pool_visit *v = user;
    if (host_pool_holding(v->context, a) == v->pool)
        mem_set_access(v->context->memory, a->address, v->pool->readers, v->pool->writers);
}

host_error host_pool_set_access(host_context *c, host_pool *pool, int device, int access)
{
    uint32_t bit = 1u << device;
    bool known = access == HOST_ACCESS_NONE || access == HOST_ACCESS_READ || access == HOST_ACCESS_READ_WRITE;
    if (!host_pool_known(c, pool) || !known) return HOST_INVALID_VALUE;
    if (pool->kind != MEM_DEVICE) return 0;
    if (access == HOST_ACCESS_READ) return HOST_NOT_SUPPORTED; /* as an H100 answers */
    if (pool->device == (uint32_t)device) return access == HOST_ACCESS_READ_WRITE ? 0 : HOST_INVALID_DEVICE;
    host_lock(c);
    pool->readers = access == HOST_ACCESS_NONE ? pool->readers & ~bit : pool->readers | bit;
    pool->writers = access == HOST_ACCESS_READ_WRITE ? pool->writers | bit : pool->writers & ~bit;
    host_unlock(c);
    pool_visit visit = {c, pool};
    mem_each(c->memory, set_access, &visit);
    return 0;
}

host_error host_pool_set_current(host_context *c, uint32_t device, mem_kind kind, host_pool *pool)
{
    if (!host_pool_known(c, pool) || pool->kind != kind || pool->from_pid) return HOST_INVALID_VALUE;
    if (kind == MEM_DEVICE && pool->device != device) return HOST_INVALID_VALUE;
    c->pools->current[device][kind] = pool;
    return 0;
}

host_pool *host_pool_add(host_context *c, uint32_t device, mem_kind kind)
{
    host_pool *p = lw_alloc(sizeof *p);
    *p = new_pool(c, device, kind);
    host_lock(c);
    lw_vec_push(&c->pools->all, p);
    host_unlock(c);
    host_handle_add(c, p, HOST_T_POOL);
    return p;
}

host_error host_pool_create(host_context *c, uint32_t device, mem_kind kind, uint64_t max_bytes, bool shareable,
                            host_pool **out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (error) return error;
    *out = host_pool_add(c, device, kind);
    (*out)->max_bytes = max_bytes;
    (*out)->shareable = shareable;
    return 0;
}

bool host_pool_shareable(const host_pool *pool) { return pool->shareable; }

host_error host_pool_destroy(host_context *c, host_pool *pool)
{
    if (!host_handle_is(c, pool, HOST_T_POOL)) return HOST_INVALID_VALUE;
    host_handle_remove(c, pool);
    host_queue_drain(c);
    host_lock(c);
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++)
        if (c->pools->current[d][pool->kind] == pool)
            c->pools->current[d][pool->kind] = &c->pools->defaults[d][pool->kind];
    host_unlock(c);
    return 0; /* the record stays: allocations refer to it until they are freed */
}

host_error host_pool_attribute(host_context *c, host_pool *pool, int attribute, void *value, bool set)
{
    if (!host_pool_known(c, pool) || !value) return HOST_INVALID_VALUE;
    host_error error = 0;
    host_lock(c);
    if (attribute >= HOST_POOL_FOLLOW_EVENTS && attribute <= HOST_POOL_INTERNAL_DEPENDENCIES) {
        if (set) pool->flags[attribute] = *(int *)value != 0;
        else *(int *)value = pool->flags[attribute];
    } else if (attribute == HOST_POOL_RELEASE_THRESHOLD) {
        if (set) pool->release_threshold = *(uint64_t *)value;
        else *(uint64_t *)value = pool->release_threshold;
    } else if (attribute >= HOST_POOL_RESERVED && attribute <= HOST_POOL_USED_HIGH) {
        bool high = attribute == HOST_POOL_RESERVED_HIGH || attribute == HOST_POOL_USED_HIGH;
        if (!set) *(uint64_t *)value = high ? pool->used_high : pool->used;
        else if (high && *(uint64_t *)value == 0) pool->used_high = pool->used;
        else error = HOST_INVALID_VALUE;
    } else {
        error = HOST_INVALID_VALUE;
    }
    host_unlock(c);
    return error;
}

uint32_t host_pool_index(host_context *c, const host_pool *pool)
{
    for (size_t i = 0; i < c->pools->all.count; i++)
        if (c->pools->all.items[i] == pool) return (uint32_t)i + 1;
    return 0; /* the default pool */
}

static host_error pool_alloc(host_context *c, host_pool *pool, uint64_t bytes, uint64_t *out)
{
    host_lock(c);
    host_error error = 0;
    if (pool->max_bytes && pool->used + bytes > pool->max_bytes) error = HOST_MEMORY_ALLOCATION;
    uint32_t flags = POOL_FLAG | MEM_ASYNC | host_pool_index(c, pool);
    if (!error)
        error = host_memory_error(mem_alloc_on(c->memory, pool->device, bytes, 0, pool->kind, flags, NULL, out));
    if (!error && host_device_count(c) > 1 && pool->kind == MEM_DEVICE)
        mem_set_access(c->memory, *out, pool->readers, pool->writers);
    if (!error) {
        pool->used += bytes;
        pool->used_high = LW_MAX(pool->used_high, pool->used);
    }
    host_unlock(c);
    if (!error) mem_note_made(c->memory, *out, host_origin_here(c));
    if (!error && pool->kind == MEM_DEVICE) host_fill_fresh(c, *out, bytes);
    if (!error) host_emit_alloc(c, *out, bytes, false, NULL);
    return error;
}

host_error host_malloc_async(host_context *c, host_pool *pool, host_stream *stream, uint64_t bytes, uint64_t *out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (!error) error = host_capture_check_legacy(stream);
    if (error) return error;
    if (!pool) pool = c->pools->current[stream->device][MEM_DEVICE];
    if (!host_pool_known(c, pool)) return HOST_INVALID_VALUE;
    if (pool->from_pid)
        return host_refuse(HOST_INVALID_VALUE, "The pool is another process's: memory of it can only be imported.");
    *out = 0;
    if (!bytes) return 0;
    if (stream->capture) { /* memory of graphs belongs to no pool */
        error = host_memory_error(
            mem_alloc_on(c->memory, stream->device, bytes, 0, MEM_DEVICE, HOST_GRAPH_MEMORY | MEM_ASYNC, NULL, out));
        if (error) return error;
        mem_note_made(c->memory, *out, host_origin_here(c));
        host_op op = {.kind = HOST_OP_MEMORY_ALLOC};
        op.u.memory.address = *out;
        op.u.memory.bytes = bytes;
        return host_submit(stream, &op, false);
    }
    error = pool_alloc(c, pool, bytes, out);
    if (error == HOST_MEMORY_ALLOCATION) { /* frees may still be on their way */
        host_queue_drain(c);
        error = pool_alloc(c, pool, bytes, out);
    }
    return error;
}

void host_release(host_context *c, uint64_t address, const host_place *at)
{
    mem_allocation a;
    if (!mem_find(c->memory, address, &a) || a.address != address) return;
    if (a.mapped) {
        host_ipc_pool_release(c, address, at);
        return;
    }
    if (host_graph_owns(&a)) {
        host_graph_memory_end(c, address, at);
        return;
    }
    host_lock(c);
    if (host_in_pool(&a)) {
        host_pool *pool = host_pool_holding(c, &a);
        pool->used -= LW_MIN(pool->used, a.bytes);
    }
    host_unlock(c);
    host_emit_free(c, address, at);
    mem_free(c->memory, address);
}

host_error host_free_async(host_context *c, host_stream *stream, uint64_t address)
{
    if (!address) return host_status(c);
    mem_allocation a;
    if (!mem_find(c->memory, address, &a) || a.address != address) return HOST_INVALID_VALUE;
    bool right = a.mapped ? host_ipc_pool_of(c, address) != NULL : a.kind == MEM_DEVICE || host_in_pool(&a);
    if (!right) return HOST_INVALID_VALUE;
    host_op op = {.kind = HOST_OP_MEMORY_FREE};
    op.u.memory.address = address;
    mem_note_freed(c->memory, address, host_origin_here(c), true); /* said now: the engine frees it later */
    return host_submit(stream, &op, false);
}
