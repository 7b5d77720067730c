/* Memory: allocation of every kind, attributes of pointers, batches of hints. */
#include <string.h>

#include "cudart/cudart.h"

static host_error allocate(void **out, uint64_t bytes, mem_kind kind, uint32_t flags)
{
    rt_use();
    uint64_t address = 0;
    if (!out) return HOST_INVALID_VALUE;
    host_error error = host_malloc(host_get(), bytes, kind, flags, &address);
    if (!error) *out = (void *)(uintptr_t)address;
    return error;
}

RT(cudaMalloc)(void **out, size_t bytes) { return rt_end(allocate(out, bytes, MEM_DEVICE, 0)); }

RT(cudaMallocManaged)(void **out, size_t bytes, unsigned flags)
{
    if (flags != FACE_ATTACH_GLOBAL && flags != FACE_ATTACH_HOST) return rt_end(HOST_INVALID_VALUE);
    return rt_end(allocate(out, bytes, MEM_MANAGED, flags));
}

static host_error allocate_pinned(void **out, size_t bytes, unsigned flags)
{
    if (flags & ~FACE_HOST_FLAGS) return HOST_INVALID_VALUE;
    return allocate(out, bytes, MEM_PINNED, flags | FACE_HOST_MAPPED); /* all pinned memory is mapped */
}

RT(cudaHostAlloc)(void **out, size_t bytes, unsigned flags) { return rt_end(allocate_pinned(out, bytes, flags)); }

RT(cudaMallocHost)(void **out, size_t bytes) { return rt_end(allocate_pinned(out, bytes, 0)); }

RT(cudaMallocPitch)(void **out, size_t *pitch, size_t width, size_t height)
{
    if (!out || !pitch) return rt_end(HOST_INVALID_VALUE);
    *pitch = lw_round_up(width, FACE_ROW_ALIGNMENT);
    uint64_t bytes;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return rt_end(HOST_MEMORY_ALLOCATION);
    return rt_end(allocate(out, bytes, MEM_DEVICE, 0));
}

RT(cudaMalloc3D)(rt_pitched_ptr *out, rt_extent extent)
{
    if (!out) return rt_end(HOST_INVALID_VALUE);
    *out = (rt_pitched_ptr){NULL, lw_round_up(extent.width, FACE_ROW_ALIGNMENT), extent.width, extent.height};
    uint64_t rows, bytes;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows) || __builtin_mul_overflow(rows, out->pitch, &bytes))
        return rt_end(HOST_MEMORY_ALLOCATION);
    return rt_end(allocate(&out->ptr, bytes, MEM_DEVICE, 0));
}

RT(cudaFree)(void *pointer)
{
    rt_use(); /* cudaFree(0) is how programs ask for the context */
    return rt_end(host_free(host_get(), (uint64_t)(uintptr_t)pointer));
}

RT(cudaFreeHost)(void *pointer) { return rt_end(host_free_pinned(host_get(), (uint64_t)(uintptr_t)pointer)); }

static host_error find_host(const void *pointer, mem_allocation *out)
{
    host_error error = host_status(host_get());
    if (error) return error;
    if (!host_pointer_find(host_get(), (uint64_t)(uintptr_t)pointer, out)) return HOST_INVALID_VALUE;
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
    host_error error = host_status(host_get());
    if (error) return rt_end(error);
    host_memory_info(host_get(), host_device_current(host_get()), &available, &total);
    if (out_free) *out_free = available;
    if (out_total) *out_total = total;
    return rt_end(0);
}

/* cudaMemoryType */
enum { UNREGISTERED, HOST, DEVICE, MANAGED };

static int memory_type(mem_kind kind)
{
    switch (kind) {
    case MEM_PINNED:
    case MEM_REGISTERED: return HOST;
    case MEM_MANAGED: return MANAGED;
    default: return DEVICE;
    }
}

RT(cudaPointerGetAttributes)(rt_pointer_attributes *out, const void *pointer)
{
    if (!out) return rt_end(HOST_INVALID_VALUE);
    host_error error = host_status(host_get());
    if (error) return rt_end(error);
    memset(out, 0, sizeof *out);
    mem_allocation a;
    void *address = (void *)(uintptr_t)pointer;
    if (!host_pointer_find(host_get(), (uint64_t)(uintptr_t)pointer, &a)) {
        out->type = UNREGISTERED;
        out->device = HOST_DEVICE_INVALID;
        out->host_pointer = address;
        return rt_end(0);
    }
    out->type = memory_type(a.kind);
    out->device = (int)a.device;
    out->device_pointer = address;
    if (out->type != DEVICE) out->host_pointer = address;
    return rt_end(0);
}

/* ---- stream-ordered allocation ---- */
static host_error allocate_async(void *stream, bool per_thread, void *pool, size_t bytes, uint64_t *out)
{
    uint64_t address = 0;
    host_stream *s = face_stream(stream, per_thread);
    if (!out) return HOST_INVALID_VALUE;
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = host_malloc_async(host_get(), pool, s, bytes, &address);
    if (!error) *out = address;
    return error;
}
RT_TWICE(cudaMallocAsync, ptsz, (uint64_t *out, size_t bytes, void *stream),
         allocate_async(stream, per_thread, NULL, bytes, out))
RT_TWICE(cudaMallocFromPoolAsync, ptsz, (uint64_t *out, size_t bytes, void *pool, void *stream),
         allocate_async(stream, per_thread, pool, bytes, out))

/* ---- batches ---- */
/* Discarding says that contents are not needed, prefetching where they will be: neither changes what is read. */
static host_error check_batch(void *stream, bool per_thread, const uint64_t *pointers, const size_t *sizes,
                              size_t count, uint64_t flags)
{
    if (!pointers || !sizes || !count || flags) return HOST_INVALID_VALUE;
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = 0;
    for (size_t i = 0; i < count && !error; i++) error = host_managed_check(host_get(), pointers[i], sizes[i]);
    return error;
}
RT_TWICE(cudaMemDiscardBatchAsync, ptsz,
         (uint64_t *pointers, size_t *sizes, size_t count, unsigned long long flags, void *stream),
         check_batch(stream, per_thread, pointers, sizes, count, flags))

/* Location k is for the ranges from indices[k] on. */
static host_error prefetch_batch(void *stream, bool per_thread, const uint64_t *pointers, const size_t *sizes,
                                 size_t count, const host_location *locations, const size_t *indices,
                                 size_t location_count, uint64_t flags)
{
    host_error error = locations && indices && location_count ? 0 : HOST_INVALID_VALUE;
    for (size_t i = 0; i < location_count && !error; i++) error = host_location_check(host_get(), locations[i]);
    if (!error) error = check_batch(stream, per_thread, pointers, sizes, count, flags);
    for (size_t i = 0, at = 0; i < count && !error; i++) {
        while (at + 1 < location_count && indices[at + 1] <= i) at++;
        error = host_managed_prefetch(host_get(), pointers[i], sizes[i], locations[at]);
    }
    return error;
}
#define PREFETCH_BATCH(name)                                                                                           \
    RT_TWICE(name, ptsz,                                                                                               \
             (uint64_t *pointers, size_t *sizes, size_t count, host_location *locations, size_t *indices,              \
              size_t location_count, unsigned long long flags, void *stream),                                          \
             prefetch_batch(stream, per_thread, pointers, sizes, count, locations, indices, location_count, flags))
PREFETCH_BATCH(cudaMemPrefetchBatchAsync)
PREFETCH_BATCH(cudaMemDiscardAndPrefetchBatchAsync)
