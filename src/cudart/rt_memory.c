/* Memory: allocation of every kind, pointer attributes, managed-memory hints, pools. */
#include <string.h>

#include "cudart/cudart.h"

static host_error allocate(void **out, uint64_t bytes, mem_kind kind, uint32_t flags)
{
    rt_use();
    uint64_t address = 0;
    if (!out) return HOST_INVALID_VALUE;
    host_error error = host_malloc(rt_context(), bytes, kind, flags, &address);
    if (!error) *out = (void *)(uintptr_t)address;
    return error;
}

RT(cudaMalloc)(void **out, size_t bytes) { return rt_end(allocate(out, bytes, MEM_DEVICE, 0)); }

RT(cudaMallocManaged)(void **out, size_t bytes, unsigned flags)
{
    enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST) return rt_end(HOST_INVALID_VALUE);
    return rt_end(allocate(out, bytes, MEM_MANAGED, flags));
}

RT(cudaHostAlloc)(void **out, size_t bytes, unsigned flags)
{
    enum { PORTABLE = 1, MAPPED = 2, WRITE_COMBINED = 4 };
    if (flags & ~(unsigned)(PORTABLE | MAPPED | WRITE_COMBINED)) return rt_end(HOST_INVALID_VALUE);
    return rt_end(allocate(out, bytes, MEM_PINNED, flags | MAPPED)); /* all pinned memory is mapped */
}

RT(cudaMallocHost)(void **out, size_t bytes) { return lw_cudart_cudaHostAlloc(out, bytes, 0); }

#define ROW_ALIGNMENT 512 /* as an H200's driver rounds pitches */

RT(cudaMallocPitch)(void **out, size_t *pitch, size_t width, size_t height)
{
    if (!out || !pitch) return rt_end(HOST_INVALID_VALUE);
    *pitch = lw_round_up(width, ROW_ALIGNMENT);
    uint64_t bytes;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return rt_end(HOST_MEMORY_ALLOCATION);
    return rt_end(allocate(out, bytes, MEM_DEVICE, 0));
}

RT(cudaMalloc3D)(rt_pitched_ptr *out, rt_extent extent)
{
    if (!out) return rt_end(HOST_INVALID_VALUE);
    *out = (rt_pitched_ptr){NULL, lw_round_up(extent.width, ROW_ALIGNMENT), extent.width, extent.height};
    uint64_t rows, bytes;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows) || __builtin_mul_overflow(rows, out->pitch, &bytes))
        return rt_end(HOST_MEMORY_ALLOCATION);
    return rt_end(allocate(&out->ptr, bytes, MEM_DEVICE, 0));
}

RT(cudaFree)(void *pointer)
{
    rt_use(); /* cudaFree(0) is how programs ask for the context */
    return rt_end(host_free(rt_context(), (uint64_t)(uintptr_t)pointer));
}

RT(cudaFreeHost)(void *pointer) { return rt_end(host_free_pinned(rt_context(), (uint64_t)(uintptr_t)pointer)); }

RT(cudaHostRegister)(void *pointer, size_t bytes, unsigned flags)
{
    return rt_end(host_register(rt_context(), pointer, bytes, flags));
}

RT(cudaHostUnregister)(void *pointer) { return rt_end(host_unregister(rt_context(), pointer)); }

static host_error find_host(const void *pointer, mem_allocation *out)
{
    host_error error = host_status(rt_context());
    if (error) return error;
    if (!host_pointer_find(rt_context(), (uint64_t)(uintptr_t)pointer, out)) return HOST_INVALID_VALUE;
    return out->kind == MEM_PINNED || out->kind == MEM_REGISTERED ? 0 : HOST_INVALID_VALUE;
}

RT(cudaHostGetDevicePointer)(void **out, void *pointer, unsigned flags)
{
    mem_allocation a;
    if (!out || flags) return rt_end(HOST_INVALID_VALUE);
    host_error error = find_host(pointer, &a);
    if (!error) *out = pointer; /* one address space */
    return rt_end(error);
}

RT(cudaHostGetFlags)(unsigned *out, void *pointer)
{
    mem_allocation a;
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = find_host(pointer, &a);
    if (!error) *out = a.flags;
    return rt_end(error);
}

RT(cudaMemGetInfo)(size_t *out_free, size_t *out_total)
{
    uint64_t available = 0, total = 0;
    host_error error = host_status(rt_context());
    if (error) return rt_end(error);
    host_memory_info(rt_context(), &available, &total);
    if (out_free) *out_free = available;
    if (out_total) *out_total = total;
    return 0;
}

RT(cudaPointerGetAttributes)(rt_pointer_attributes *out, const void *pointer)
{
    enum { UNREGISTERED, HOST, DEVICE, MANAGED };
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = host_status(rt_context());
    if (error) return rt_end(error);
    memset(out, 0, sizeof *out);
    mem_allocation a;
    void *address = (void *)(uintptr_t)pointer;
    if (!host_pointer_find(rt_context(), (uint64_t)(uintptr_t)pointer, &a)) {
        out->type = UNREGISTERED;
        out->device = -2;
        out->host_pointer = address;
        return 0;
    }
    bool host = a.kind == MEM_PINNED || a.kind == MEM_REGISTERED;
    out->type = host ? HOST : a.kind == MEM_MANAGED ? MANAGED : DEVICE;
    out->device_pointer = address;
    if (out->type != DEVICE) out->host_pointer = address;
    return 0;
}

/* ---- managed memory: hints ---- */
static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

RT(cudaMemAdvise)(const void *pointer, size_t bytes, int advice, host_location location)
{
    return rt_end(host_managed_advise(rt_context(), address_of(pointer), bytes, advice, location));
}

static host_error on_cudaMemPrefetchAsync(bool per_thread, const void *pointer, size_t bytes, host_location location,
                                          unsigned flags, void *stream)
{
    if (flags) return HOST_INVALID_VALUE;
    if (!rt_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_managed_prefetch(rt_context(), address_of(pointer), bytes, location);
}
RT_PAIR(cudaMemPrefetchAsync, ptsz,
        (const void *pointer, size_t bytes, host_location location, unsigned flags, void *stream),
        (pointer, bytes, location, flags, stream))

RT(cudaMemRangeGetAttribute)(void *data, size_t size, int attribute, const void *pointer, size_t bytes)
{
    return rt_end(host_managed_attribute(rt_context(), data, size, attribute, address_of(pointer), bytes));
}

RT(cudaMemRangeGetAttributes)
(void **data, size_t *sizes, int *attributes, size_t count, const void *pointer, size_t bytes)
{
    if (!data || !sizes || !attributes) return rt_end(HOST_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        int error = lw_cudart_cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, bytes);
        if (error) return error;
    }
    return 0;
}

/* ---- pools ---- */
static host_error on_cudaMallocFromPoolAsync(bool per_thread, void **out, size_t bytes, void *pool, void *stream)
{
    uint64_t address = 0;
    host_stream *s = rt_stream(stream, per_thread);
    if (!out) return HOST_INVALID_VALUE;
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = host_malloc_async(rt_context(), pool, s, bytes, &address);
    if (!error) *out = (void *)(uintptr_t)address;
    return error;
}
RT_PAIR(cudaMallocFromPoolAsync, ptsz, (void **out, size_t bytes, void *pool, void *stream), (out, bytes, pool, stream))

static host_error on_cudaMallocAsync(bool per_thread, void **out, size_t bytes, void *stream)
{
    return on_cudaMallocFromPoolAsync(per_thread, out, bytes, NULL, stream);
}
RT_PAIR(cudaMallocAsync, ptsz, (void **out, size_t bytes, void *stream), (out, bytes, stream))

static host_error on_cudaFreeAsync(bool per_thread, void *pointer, void *stream)
{
    host_stream *s = rt_stream(stream, per_thread);
    return s ? host_free_async(rt_context(), s, (uint64_t)(uintptr_t)pointer) : HOST_INVALID_RESOURCE_HANDLE;
}
RT_PAIR(cudaFreeAsync, ptsz, (void *pointer, void *stream), (pointer, stream))

RT(cudaDeviceGetDefaultMemPool)(void **out, int device)
{
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = host_pool_default(rt_context(), MEM_DEVICE);
    return rt_end(error);
}

RT(cudaDeviceGetMemPool)(void **out, int device)
{
    host_error error = out ? rt_check_device(device) : HOST_INVALID_VALUE;
    if (!error) *out = host_pool_current(rt_context(), MEM_DEVICE);
    return rt_end(error);
}

RT(cudaDeviceSetMemPool)(int device, void *pool)
{
    host_error error = rt_check_device(device);
    return rt_end(error ? error : host_pool_set_current(rt_context(), MEM_DEVICE, pool));
}

/* The kind of memory of a pool at a location. */
static host_error pool_kind(const host_location *location, int type, mem_kind *out)
{
    host_error error = location ? host_pool_kind(location->type, type, out) : HOST_INVALID_VALUE;
    return !error && location->type == 1 ? rt_check_device(location->id) : error;
}

RT(cudaMemPoolCreate)(void **out, const face_pool_props *props)
{
    mem_kind kind;
    if (!out || !props) return rt_end(HOST_INVALID_VALUE);
    host_error error = pool_kind(&props->location, props->alloc_type, &kind);
    if (!error && props->handle_types) error = rt_unsupported("cudaMemPoolCreate with shareable handles");
    return rt_end(error ? error : host_pool_create(rt_context(), kind, props->max_size, (host_pool **)out));
}

RT(cudaMemPoolDestroy)(void *pool) { return rt_end(host_pool_destroy(pool)); }

RT(cudaMemPoolGetAttribute)(void *pool, int attribute, void *value)
{
    return rt_end(host_pool_attribute(pool, attribute, value, false));
}

RT(cudaMemPoolSetAttribute)(void *pool, int attribute, void *value)
{
    return rt_end(host_pool_attribute(pool, attribute, value, true));
}

RT(cudaMemPoolTrimTo)(void *pool, size_t keep)
{
    uint64_t used;
    (void)keep; /* nothing is kept back */
    return rt_end(host_pool_attribute(pool, 7, &used, false));
}

RT(cudaMemPoolSetAccess)(void *pool, const face_access_desc *list, size_t count)
{
    uint64_t used;
    host_error error = list || !count ? host_pool_attribute(pool, 7, &used, false) : HOST_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++) error = host_location_check(list[i].location);
    return rt_end(error);
}

RT(cudaMemPoolGetAccess)(int *out, void *pool, host_location *location)
{
    uint64_t used;
    host_error error = out && location ? host_pool_attribute(pool, 7, &used, false) : HOST_INVALID_VALUE;
    if (!error) error = host_location_check(*location);
    if (!error) *out = host_pool_access(pool, location->type);
    return rt_end(error);
}

/* ---- pools by location ---- */
RT(cudaMemGetDefaultMemPool)(void **out, host_location *location, int type)
{
    mem_kind kind;
    host_error error = out ? pool_kind(location, type, &kind) : HOST_INVALID_VALUE;
    if (!error) *out = host_pool_default(rt_context(), kind);
    return rt_end(error);
}

RT(cudaMemGetMemPool)(void **out, host_location *location, int type)
{
    mem_kind kind;
    host_error error = out ? pool_kind(location, type, &kind) : HOST_INVALID_VALUE;
    if (!error) *out = host_pool_current(rt_context(), kind);
    return rt_end(error);
}

RT(cudaMemSetMemPool)(host_location *location, int type, void *pool)
{
    mem_kind kind;
    host_error error = pool_kind(location, type, &kind);
    return rt_end(error ? error : host_pool_set_current(rt_context(), kind, pool));
}

/* Discarding says that contents are not needed, prefetching where they will be: neither changes what is read. */
static host_error check_batch(bool per_thread, void **pointers, const size_t *sizes, size_t count, uint64_t flags,
                              void *stream)
{
    if (!pointers || !sizes || !count || flags) return HOST_INVALID_VALUE;
    if (!rt_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = host_managed_check(rt_context(), address_of(pointers[i]), sizes[i]);
    return error;
}

static host_error on_cudaMemDiscardBatchAsync(bool per_thread, void **pointers, size_t *sizes, size_t count,
                                              unsigned long long flags, void *stream)
{
    return check_batch(per_thread, pointers, sizes, count, flags, stream);
}
RT_PAIR(cudaMemDiscardBatchAsync, ptsz,
        (void **pointers, size_t *sizes, size_t count, unsigned long long flags, void *stream),
        (pointers, sizes, count, flags, stream))

static host_error on_cudaMemPrefetchBatchAsync(bool per_thread, void **pointers, size_t *sizes, size_t count,
                                               host_location *locations, size_t *indices, size_t location_count,
                                               unsigned long long flags, void *stream)
{
    host_error error = locations && indices && location_count ? 0 : HOST_INVALID_VALUE;
    for (size_t i = 0; i < location_count && !error; i++) error = host_location_check(locations[i]);
    if (!error) error = check_batch(per_thread, pointers, sizes, count, flags, stream);
    for (size_t i = 0, at = 0; i < count && !error; i++) { /* location k is for ranges from indices[k] on */
        while (at + 1 < location_count && indices[at + 1] <= i) at++;
        error = host_managed_prefetch(rt_context(), address_of(pointers[i]), sizes[i], locations[at]);
    }
    return error;
}
RT_PAIR(cudaMemPrefetchBatchAsync, ptsz,
        (void **pointers, size_t *sizes, size_t count, host_location *locations, size_t *indices, size_t location_count,
         unsigned long long flags, void *stream),
        (pointers, sizes, count, locations, indices, location_count, flags, stream))

static host_error on_cudaMemDiscardAndPrefetchBatchAsync(bool per_thread, void **pointers, size_t *sizes, size_t count,
                                                         host_location *locations, size_t *indices,
                                                         size_t location_count, unsigned long long flags, void *stream)
{
    return on_cudaMemPrefetchBatchAsync(per_thread, pointers, sizes, count, locations, indices, location_count, flags,
                                        stream);
}
RT_PAIR(cudaMemDiscardAndPrefetchBatchAsync, ptsz,
        (void **pointers, size_t *sizes, size_t count, host_location *locations, size_t *indices, size_t location_count,
         unsigned long long flags, void *stream),
        (pointers, sizes, count, locations, indices, location_count, flags, stream))
