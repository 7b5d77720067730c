/* Memory: device, managed and pinned; attributes of pointers; stream-ordered allocation. */
#include <string.h>

#include "cuda/cu_calls.h"

static host_error allocate(uint64_t *out, uint64_t bytes, mem_kind kind, uint32_t flags)
{
    return out && bytes ? host_malloc(host_get(), bytes, kind, flags, out) : HOST_INVALID_VALUE;
}

CU(cuMemAlloc_v2)(uint64_t *out, size_t bytes)
{
    CU_NEED;
    return cu_end(allocate(out, bytes, MEM_DEVICE, 0));
}

CU(cuMemAllocManaged)(uint64_t *out, size_t bytes, unsigned flags)
{
    CU_NEED;
    if (flags != FACE_ATTACH_GLOBAL && flags != FACE_ATTACH_HOST) return cu_end(HOST_INVALID_VALUE);
    return cu_end(allocate(out, bytes, MEM_MANAGED, flags));
}

CU(cuMemAllocPitch_v2)(uint64_t *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
    uint64_t bytes;
    CU_NEED;
    if (!out || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
        return cu_end(HOST_INVALID_VALUE);
    *pitch = lw_round_up(width, FACE_ROW_ALIGNMENT);
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return cu_end(HOST_MEMORY_ALLOCATION);
    return cu_end(allocate(out, bytes, MEM_DEVICE, 0));
}

CU(cuMemFree_v2)(uint64_t pointer)
{
    CU_NEED_INIT;
    return cu_end(host_free(host_get(), pointer));
}

CU(cuMemHostAlloc)(void **out, size_t bytes, unsigned flags)
{
    uint64_t address = 0;
    CU_NEED;
    if (!out || flags & ~FACE_HOST_FLAGS) return cu_end(HOST_INVALID_VALUE);
    host_error error =
        allocate(&address, bytes, MEM_PINNED, flags | FACE_HOST_MAPPED); /* all pinned memory is mapped */
    if (!error) *out = (void *)(uintptr_t)address;
    return cu_end(error);
}

CU(cuMemAllocHost_v2)(void **out, size_t bytes) { return lw_cuda_cuMemHostAlloc(out, bytes, 0); }

CU(cuMemAllocHost)(void **out, unsigned bytes) { return lw_cuda_cuMemHostAlloc(out, bytes, 0); }

CU(cuMemFreeHost)(void *pointer)
{
    CU_NEED_INIT;
    return cu_end(pointer ? host_free_pinned(host_get(), (uint64_t)(uintptr_t)pointer) : HOST_INVALID_VALUE);
}

CU(cuMemHostRegister)(void *pointer, size_t bytes, unsigned flags)
{
    return lw_cuda_cuMemHostRegister_v2(pointer, bytes, flags);
}

static host_error find_host(const void *pointer, mem_allocation *out)
{
    if (!host_pointer_find(host_get(), (uint64_t)(uintptr_t)pointer, out)) return HOST_INVALID_VALUE;
    return out->kind == MEM_PINNED || out->kind == MEM_REGISTERED || out->kind == MEM_MANAGED ? 0 : HOST_INVALID_VALUE;
}

CU(cuMemHostGetDevicePointer_v2)(uint64_t *out, void *pointer, unsigned flags)
{
    mem_allocation a;
    CU_NEED;
    host_error error = out && !flags ? find_host(pointer, &a) : HOST_INVALID_VALUE;
    if (!error) *out = (uint64_t)(uintptr_t)pointer; /* one address space */
    return cu_end(error);
}

CU(cuMemHostGetFlags)(unsigned *out, void *pointer)
{
    mem_allocation a;
    CU_NEED_INIT;
    host_error error = out ? find_host(pointer, &a) : HOST_INVALID_VALUE;
    if (!error) *out = a.flags;
    return cu_end(error);
}

CU(cuMemGetInfo_v2)(size_t *out_free, size_t *out_total)
{
    uint64_t available = 0, total = 0;
    CU_NEED;
    if (!out_free || !out_total) return cu_end(HOST_INVALID_VALUE);
    host_error error = host_status(host_get());
    if (error) return cu_end(error);
    host_memory_info(host_get(), host_device_current(host_get()), &available, &total);
    *out_free = available;
    *out_total = total;
    return cu_end(0);
}

CU(cuMemGetAddressRange_v2)(uint64_t *base, size_t *bytes, uint64_t pointer)
{
    mem_allocation a;
    CU_NEED_INIT;
    if (!host_pointer_find(host_get(), pointer, &a)) return cu_end(HOST_SYMBOL_NOT_FOUND);
    if (base) *base = a.address;
    if (bytes) *bytes = a.bytes;
    return cu_end(0);
}

/* ---- pointer attributes ---- */
enum {
    PA_CONTEXT = 1,
    PA_MEMORY_TYPE,
    PA_DEVICE_POINTER,
    PA_HOST_POINTER,
    PA_P2P_TOKENS,
    PA_SYNC_MEMOPS,
    PA_BUFFER_ID,
    PA_IS_MANAGED,
    PA_DEVICE_ORDINAL,
    PA_IS_LEGACY_IPC,
    PA_RANGE_START,
    PA_RANGE_SIZE,
    PA_MAPPED,
    PA_HANDLE_TYPES,
    PA_IS_RDMA,
    PA_ACCESS_FLAGS,
    PA_POOL,
    PA_MAPPING_SIZE,
    PA_MAPPING_BASE,
    PA_BLOCK_ID,
    PA_LAST = 21
};

static void put64(void *out, uint64_t value) { memcpy(out, &value, sizeof value); }

static void put32(void *out, uint32_t value) { memcpy(out, &value, sizeof value); }

/* CUmemorytype; 0 for memory that is not ours. */
static uint32_t memory_type(const mem_allocation *a)
{
    if (!a) return 0;
    return a->kind == MEM_PINNED || a->kind == MEM_REGISTERED ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
}

/* Contexts of a device share its memory: the current one, if it is of that device. */
static cu_context *context_of(const mem_allocation *a)
{
    cu_context *current = cu_current();
    return current && current->device == a->device ? current : cu_primary(a->device);
}

/* a NULL: memory that is not ours; only the vectored call answers for it. */
static host_error pointer_attribute(void *out, int which, uint64_t pointer, const mem_allocation *a)
{
    bool host = a && (a->kind == MEM_PINNED || a->kind == MEM_REGISTERED);
    bool managed = a && a->kind == MEM_MANAGED;
    const host_pool *pool = a ? host_pool_holding(host_get(), a) : NULL;
    switch (which) {
    case PA_CONTEXT: put64(out, a ? (uint64_t)(uintptr_t)context_of(a) : 0); return 0;
    case PA_MEMORY_TYPE: put32(out, memory_type(a)); return 0;
    case PA_DEVICE_POINTER: put64(out, a ? pointer : 0); return 0;
    case PA_HOST_POINTER:
        if (a && !host && !managed) return HOST_INVALID_VALUE;
        put64(out, a ? pointer : 0);
        return 0;
    case PA_SYNC_MEMOPS: *(uint8_t *)out = 0; return 0;
    case PA_BUFFER_ID: put64(out, a ? a->serial : 0); return 0;
    case PA_IS_MANAGED: *(uint8_t *)out = managed; return 0;
    case PA_DEVICE_ORDINAL: put32(out, a ? a->device : (uint32_t)HOST_DEVICE_INVALID); return 0;
    case PA_IS_LEGACY_IPC: /* what cuIpcGetMemHandle takes */
        *(uint8_t *)out = a && a->kind == MEM_DEVICE && !a->mapped && !pool;
        return 0;
    case PA_IS_RDMA: *(uint8_t *)out = 0; return 0;
    case PA_RANGE_START:
    case PA_MAPPING_BASE: put64(out, a ? a->address : 0); return 0;
    case PA_RANGE_SIZE:
    case PA_MAPPING_SIZE: put64(out, a ? a->bytes : 0); return 0;
    case PA_MAPPED: *(uint8_t *)out = a != NULL; return 0;
    case PA_HANDLE_TYPES: put64(out, pool && host_pool_shareable(pool) ? FACE_HANDLE_FD : 0); return 0;
    case PA_ACCESS_FLAGS: put32(out, a ? HOST_ACCESS_READ_WRITE : HOST_ACCESS_NONE); return 0;
    case PA_POOL: put64(out, (uint64_t)(uintptr_t)pool); return 0;
    case PA_BLOCK_ID: put64(out, a ? a->serial : 0); return 0;
    case PA_P2P_TOKENS: return HOST_NOT_SUPPORTED;
    case PA_LAST: put32(out, 0); return 0; /* hardware decompression */
    default: return HOST_INVALID_VALUE;
    }
}

CU(cuPointerGetAttribute)(void *out, int which, uint64_t pointer)
{
    mem_allocation a;
    CU_NEED_INIT;
    if (!out || !host_pointer_find(host_get(), pointer, &a)) return cu_end(HOST_INVALID_VALUE);
    return cu_end(pointer_attribute(out, which, pointer, &a));
}

CU(cuPointerGetAttributes)(unsigned count, const int *which, void **out, uint64_t pointer)
{
    mem_allocation a;
    CU_NEED_INIT;
    if (!which || !out) return cu_end(HOST_INVALID_VALUE);
    bool found = host_pointer_find(host_get(), pointer, &a);
    for (unsigned i = 0; i < count; i++) {
        if (which[i] < PA_CONTEXT || which[i] > PA_LAST || !out[i]) return cu_end(HOST_INVALID_VALUE);
        if (pointer_attribute(out[i], which[i], pointer, found ? &a : NULL)) put64(out[i], 0);
    }
    return cu_end(0);
}

CU(cuPointerSetAttribute)(const void *value, int which, uint64_t pointer)
{
    mem_allocation a;
    CU_NEED_INIT;
    bool good = value && which == PA_SYNC_MEMOPS && host_pointer_find(host_get(), pointer, &a);
    return cu_end(good ? 0 : HOST_INVALID_VALUE); /* memory operations are in order anyway */
}

/* ---- hints about managed memory: version 1 names a device, or -1 for the host ---- */
static host_location location_of(int device)
{
    return device < 0 ? (host_location){HOST_LOCATION_HOST, 0} : (host_location){HOST_LOCATION_DEVICE, device};
}

CU(cuMemAdvise)(uint64_t pointer, size_t bytes, int advice, int device)
{
    return lw_cuda_cuMemAdvise_v2(pointer, bytes, advice, location_of(device));
}

CU_TWICE(cuMemPrefetchAsync, ptsz, (uint64_t pointer, size_t bytes, int device, void *stream),
         face_prefetch(stream, per_thread, pointer, bytes, location_of(device), 0))

/* ---- stream-ordered allocation ---- */
static host_error allocate_async(void *stream, bool per_thread, void *pool, size_t bytes, uint64_t *out)
{
    host_stream *s = face_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    return host_malloc_async(host_get(), pool, s, bytes,
                             out); /* no bytes: no address, and no error, as drivers do on Linux */
}
CU_TWICE(cuMemAllocAsync, ptsz, (uint64_t *out, size_t bytes, void *stream),
         allocate_async(stream, per_thread, NULL, bytes, out))
CU_TWICE(cuMemAllocFromPoolAsync, ptsz, (uint64_t *out, size_t bytes, void *pool, void *stream),
         allocate_async(stream, per_thread, pool, bytes, out))
