/* Copies and sets. Kinds are given by the name of the call, or found from the pointers. */
#include <string.h>

#include "cuda/driver.h"

static uint64_t at(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static host_error copy_on(bool per_thread, void *stream, const host_copy *copy, bool wait)
{
    host_stream *s = cu_stream(stream, per_thread);
    return s ? host_copy_put(cu_host(), s, copy, wait) : HOST_INVALID_RESOURCE_HANDLE;
}

static host_error flat(bool per_thread, uint64_t dst, uint64_t src, size_t bytes, int kind, void *stream, bool wait)
{
    host_copy copy = host_copy_flat(dst, src, bytes, kind);
    return copy_on(per_thread, stream, &copy, wait);
}

static host_error on_cuMemcpy(bool per_thread, uint64_t dst, uint64_t src, size_t bytes)
{
    return flat(per_thread, dst, src, bytes, HOST_COPY_DEFAULT, NULL, true);
}
CU_PAIR(cuMemcpy, ptds, (uint64_t dst, uint64_t src, size_t bytes), (dst, src, bytes))

static host_error on_cuMemcpyAsync(bool per_thread, uint64_t dst, uint64_t src, size_t bytes, void *stream)
{
    return flat(per_thread, dst, src, bytes, HOST_COPY_DEFAULT, stream, false);
}
CU_PAIR(cuMemcpyAsync, ptsz, (uint64_t dst, uint64_t src, size_t bytes, void *stream), (dst, src, bytes, stream))

static host_error on_cuMemcpyHtoD(bool per_thread, uint64_t dst, const void *src, size_t bytes)
{
    return flat(per_thread, dst, at(src), bytes, HOST_COPY_H2D, NULL, true);
}
CU_PAIR_V2(cuMemcpyHtoD, ptds, (uint64_t dst, const void *src, size_t bytes), (dst, src, bytes))

static host_error on_cuMemcpyDtoH(bool per_thread, void *dst, uint64_t src, size_t bytes)
{
    return flat(per_thread, at(dst), src, bytes, HOST_COPY_D2H, NULL, true);
}
CU_PAIR_V2(cuMemcpyDtoH, ptds, (void *dst, uint64_t src, size_t bytes), (dst, src, bytes))

static host_error on_cuMemcpyDtoD(bool per_thread, uint64_t dst, uint64_t src, size_t bytes)
{
    return flat(per_thread, dst, src, bytes, HOST_COPY_D2D, NULL, true);
}
CU_PAIR_V2(cuMemcpyDtoD, ptds, (uint64_t dst, uint64_t src, size_t bytes), (dst, src, bytes))

static host_error on_cuMemcpyHtoDAsync(bool per_thread, uint64_t dst, const void *src, size_t bytes, void *stream)
{
    return flat(per_thread, dst, at(src), bytes, HOST_COPY_H2D, stream, false);
}
CU_PAIR_V2(cuMemcpyHtoDAsync, ptsz, (uint64_t dst, const void *src, size_t bytes, void *stream),
           (dst, src, bytes, stream))

static host_error on_cuMemcpyDtoHAsync(bool per_thread, void *dst, uint64_t src, size_t bytes, void *stream)
{
    return flat(per_thread, at(dst), src, bytes, HOST_COPY_D2H, stream, false);
}
CU_PAIR_V2(cuMemcpyDtoHAsync, ptsz, (void *dst, uint64_t src, size_t bytes, void *stream), (dst, src, bytes, stream))

static host_error on_cuMemcpyDtoDAsync(bool per_thread, uint64_t dst, uint64_t src, size_t bytes, void *stream)
{
    return flat(per_thread, dst, src, bytes, HOST_COPY_D2D, stream, false);
}
CU_PAIR_V2(cuMemcpyDtoDAsync, ptsz, (uint64_t dst, uint64_t src, size_t bytes, void *stream), (dst, src, bytes, stream))

static host_error on_cuMemcpyPeer(bool per_thread, uint64_t dst, cu_context *to, uint64_t src, cu_context *from,
                                  size_t bytes)
{
    if (!cu_context_valid(to) || !cu_context_valid(from)) return HOST_DEVICE_UNINITIALIZED;
    return on_cuMemcpy(per_thread, dst, src, bytes);
}
CU_PAIR(cuMemcpyPeer, ptds, (uint64_t dst, cu_context *to, uint64_t src, cu_context *from, size_t bytes),
        (dst, to, src, from, bytes))

static host_error on_cuMemcpyPeerAsync(bool per_thread, uint64_t dst, cu_context *to, uint64_t src, cu_context *from,
                                       size_t bytes, void *stream)
{
    if (!cu_context_valid(to) || !cu_context_valid(from)) return HOST_DEVICE_UNINITIALIZED;
    return on_cuMemcpyAsync(per_thread, dst, src, bytes, stream);
}
CU_PAIR(cuMemcpyPeerAsync, ptsz,
        (uint64_t dst, cu_context *to, uint64_t src, cu_context *from, size_t bytes, void *stream),
        (dst, to, src, from, bytes, stream))

static host_error on_cuMemcpyBatchAsync(bool per_thread, const uint64_t *dsts, const uint64_t *srcs,
                                        const size_t *sizes, size_t count, void *attributes, size_t *indices,
                                        size_t attribute_count, void *stream)
{
    (void)attributes, (void)indices, (void)attribute_count; /* hints on order and place */
    if (!dsts || !srcs || !sizes || !count) return HOST_INVALID_VALUE;
    host_error error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = on_cuMemcpyAsync(per_thread, dsts[i], srcs[i], sizes[i], stream);
    return error;
}
CU_PAIR_V2(cuMemcpyBatchAsync, ptsz,
           (const uint64_t *dsts, const uint64_t *srcs, const size_t *sizes, size_t count, void *attributes,
            size_t *indices, size_t attribute_count, void *stream),
           (dsts, srcs, sizes, count, attributes, indices, attribute_count, stream))

/* ---- two and three dimensions ---- */
/* One side: x in bytes, y in rows, z in slices. */
static host_error side(const cu_copy_side_3d *in, size_t default_rows, size_t width, host_side *out, int *out_type)
{
    uint64_t base = 0, pitch = in->pitch ? in->pitch : width, rows = in->height ? in->height : default_rows;
    *out_type = in->type;
    switch (in->type) {
    case CU_MEMORY_HOST: base = at(in->host); break;
    case CU_MEMORY_DEVICE:
    case CU_MEMORY_UNIFIED: base = in->device; break;
    case CU_MEMORY_ARRAY:
        if (!host_array_valid(in->array)) return HOST_INVALID_RESOURCE_HANDLE;
        base = in->array->address;
        pitch = in->array->pitch;
        rows = LW_MAX(in->array->height, UINT64_C(1));
        if (in->x + width > in->array->width * in->array->element_bytes) return HOST_INVALID_VALUE;
        break;
    default: return HOST_INVALID_VALUE;
    }
    if (!base || in->lod || pitch < in->x + width) return HOST_INVALID_VALUE;
    *out = (host_side){base + (in->z * rows + in->y) * pitch + in->x, pitch, rows};
    return 0;
}

static int kind_of(int dst, int src)
{
    if (dst == CU_MEMORY_UNIFIED || src == CU_MEMORY_UNIFIED) return HOST_COPY_DEFAULT;
    if (dst == CU_MEMORY_HOST) return src == CU_MEMORY_HOST ? HOST_COPY_H2H : HOST_COPY_D2H;
    return src == CU_MEMORY_HOST ? HOST_COPY_H2D : HOST_COPY_D2D;
}

host_error cu_copy_3d(const void *params, host_copy *out)
{
    const cu_memcpy3d *p = params;
    int dst = 0, src = 0;
    if (!p) return HOST_INVALID_VALUE;
    *out = (host_copy){.width = p->width, .height = p->height, .depth = p->depth, .kind = HOST_COPY_DEFAULT};
    if (!p->width || !p->height || !p->depth) return 0;
    host_error error = side(&p->src, p->height, p->width, &out->src, &src);
    if (!error) error = side(&p->dst, p->height, p->width, &out->dst, &dst);
    if (!error && p->depth > 1 && (out->src.rows < p->height || out->dst.rows < p->height)) error = HOST_INVALID_VALUE;
    out->kind = kind_of(dst, src);
    return error;
}

static cu_copy_side_3d side_of_2d(const cu_copy_side_2d *s)
{
    return (cu_copy_side_3d){.x = s->x,
                             .y = s->y,
                             .type = s->type,
                             .host = s->host,
                             .device = s->device,
                             .array = s->array,
                             .pitch = s->pitch};
}

host_error cu_copy_2d(const cu_memcpy2d *p, host_copy *out)
{
    if (!p) return HOST_INVALID_VALUE;
    cu_memcpy3d wide = {side_of_2d(&p->src), side_of_2d(&p->dst), p->width, p->height, 1};
    return cu_copy_3d(&wide, out);
}

static host_error on_cuMemcpy2D(bool per_thread, const cu_memcpy2d *p)
{
    host_copy copy;
    host_error error = cu_copy_2d(p, &copy);
    return error ? error : copy_on(per_thread, NULL, &copy, true);
}
CU_PAIR_V2(cuMemcpy2D, ptds, (const cu_memcpy2d *p), (p))
CU_PAIR_OF(cuMemcpy2D, cuMemcpy2DUnaligned_v2, ptds, (const cu_memcpy2d *p), (p))

static host_error on_cuMemcpy2DAsync(bool per_thread, const cu_memcpy2d *p, void *stream)
{
    host_copy copy;
    host_error error = cu_copy_2d(p, &copy);
    return error ? error : copy_on(per_thread, stream, &copy, false);
}
CU_PAIR_V2(cuMemcpy2DAsync, ptsz, (const cu_memcpy2d *p, void *stream), (p, stream))

static host_error on_cuMemcpy3D(bool per_thread, const cu_memcpy3d *p)
{
    host_copy copy;
    host_error error = cu_copy_3d(p, &copy);
    return error ? error : copy_on(per_thread, NULL, &copy, true);
}
CU_PAIR_V2(cuMemcpy3D, ptds, (const cu_memcpy3d *p), (p))
CU_PAIR_OF(cuMemcpy3D, cuMemcpy3DPeer, ptds, (const cu_memcpy3d *p), (p))

static host_error on_cuMemcpy3DAsync(bool per_thread, const cu_memcpy3d *p, void *stream)
{
    host_copy copy;
    host_error error = cu_copy_3d(p, &copy);
    return error ? error : copy_on(per_thread, stream, &copy, false);
}
CU_PAIR_V2(cuMemcpy3DAsync, ptsz, (const cu_memcpy3d *p, void *stream), (p, stream))
CU_PAIR_OF(cuMemcpy3DAsync, cuMemcpy3DPeerAsync, ptsz, (const cu_memcpy3d *p, void *stream), (p, stream))

/* ---- between arrays and linear memory: one row, offsets in bytes ---- */
static cu_copy_side_3d array_side(host_array *array, size_t offset)
{
    return (cu_copy_side_3d){.x = offset, .type = CU_MEMORY_ARRAY, .array = array};
}

static cu_copy_side_3d host_place(void *pointer) { return (cu_copy_side_3d){.type = CU_MEMORY_HOST, .host = pointer}; }

static cu_copy_side_3d device_place(uint64_t pointer)
{
    return (cu_copy_side_3d){.type = CU_MEMORY_DEVICE, .device = pointer};
}

static host_error row(bool per_thread, cu_copy_side_3d dst, cu_copy_side_3d src, size_t bytes, void *stream, bool wait)
{
    cu_memcpy3d p = {src, dst, bytes, 1, 1};
    host_copy copy;
    host_error error = cu_copy_3d(&p, &copy);
    return error ? error : copy_on(per_thread, stream, &copy, wait);
}

static host_error on_cuMemcpyHtoA(bool per_thread, host_array *dst, size_t offset, const void *src, size_t bytes)
{
    return row(per_thread, array_side(dst, offset), host_place((void *)src), bytes, NULL, true);
}
CU_PAIR_V2(cuMemcpyHtoA, ptds, (host_array * dst, size_t offset, const void *src, size_t bytes),
           (dst, offset, src, bytes))

static host_error on_cuMemcpyAtoH(bool per_thread, void *dst, host_array *src, size_t offset, size_t bytes)
{
    return row(per_thread, host_place(dst), array_side(src, offset), bytes, NULL, true);
}
CU_PAIR_V2(cuMemcpyAtoH, ptds, (void *dst, host_array *src, size_t offset, size_t bytes), (dst, src, offset, bytes))

static host_error on_cuMemcpyDtoA(bool per_thread, host_array *dst, size_t offset, uint64_t src, size_t bytes)
{
    return row(per_thread, array_side(dst, offset), device_place(src), bytes, NULL, true);
}
CU_PAIR_V2(cuMemcpyDtoA, ptds, (host_array * dst, size_t offset, uint64_t src, size_t bytes), (dst, offset, src, bytes))

static host_error on_cuMemcpyAtoD(bool per_thread, uint64_t dst, host_array *src, size_t offset, size_t bytes)
{
    return row(per_thread, device_place(dst), array_side(src, offset), bytes, NULL, true);
}
CU_PAIR_V2(cuMemcpyAtoD, ptds, (uint64_t dst, host_array *src, size_t offset, size_t bytes), (dst, src, offset, bytes))

static host_error on_cuMemcpyAtoA(bool per_thread, host_array *dst, size_t to, host_array *src, size_t from,
                                  size_t bytes)
{
    return row(per_thread, array_side(dst, to), array_side(src, from), bytes, NULL, true);
}
CU_PAIR_V2(cuMemcpyAtoA, ptds, (host_array * dst, size_t to, host_array *src, size_t from, size_t bytes),
           (dst, to, src, from, bytes))

static host_error on_cuMemcpyHtoAAsync(bool per_thread, host_array *dst, size_t offset, const void *src, size_t bytes,
                                       void *stream)
{
    return row(per_thread, array_side(dst, offset), host_place((void *)src), bytes, stream, false);
}
CU_PAIR_V2(cuMemcpyHtoAAsync, ptsz, (host_array * dst, size_t offset, const void *src, size_t bytes, void *stream),
           (dst, offset, src, bytes, stream))

static host_error on_cuMemcpyAtoHAsync(bool per_thread, void *dst, host_array *src, size_t offset, size_t bytes,
                                       void *stream)
{
    return row(per_thread, host_place(dst), array_side(src, offset), bytes, stream, false);
}
CU_PAIR_V2(cuMemcpyAtoHAsync, ptsz, (void *dst, host_array *src, size_t offset, size_t bytes, void *stream),
           (dst, src, offset, bytes, stream))

/* ---- sets: a value of 1, 2 or 4 bytes; the address must be aligned to it ---- */
static host_error fill(bool per_thread, uint64_t dst, size_t pitch, uint32_t value, uint32_t element, size_t width,
                       size_t height, void *stream, bool wait)
{
    host_stream *s = cu_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    if (dst % element || (height > 1 && (pitch % element || pitch < width * element))) return HOST_INVALID_VALUE;
    host_fill f = {{dst, height > 1 ? pitch : width * element, height}, value, element, width, height, 1};
    return host_fill_put(cu_host(), s, &f, wait);
}

/* The four forms of one element size. */
#define SETS(bits, type)                                                                                               \
    static host_error on_cuMemsetD##bits(bool per_thread, uint64_t dst, type value, size_t count)                      \
    {                                                                                                                  \
        return fill(per_thread, dst, 0, value, bits / 8, count, 1, NULL, true);                                        \
    }                                                                                                                  \
    CU_PAIR_V2(cuMemsetD##bits, ptds, (uint64_t dst, type value, size_t count), (dst, value, count))                   \
    static host_error on_cuMemsetD##bits##Async(bool per_thread, uint64_t dst, type value, size_t count, void *stream) \
    {                                                                                                                  \
        return fill(per_thread, dst, 0, value, bits / 8, count, 1, stream, false);                                     \
    }                                                                                                                  \
    CU_PAIR(cuMemsetD##bits##Async, ptsz, (uint64_t dst, type value, size_t count, void *stream),                      \
            (dst, value, count, stream))                                                                               \
    static host_error on_cuMemsetD2D##bits(bool per_thread, uint64_t dst, size_t pitch, type value, size_t width,      \
                                           size_t height)                                                              \
    {                                                                                                                  \
        return fill(per_thread, dst, pitch, value, bits / 8, width, height, NULL, true);                               \
    }                                                                                                                  \
    CU_PAIR_V2(cuMemsetD2D##bits, ptds, (uint64_t dst, size_t pitch, type value, size_t width, size_t height),         \
               (dst, pitch, value, width, height))                                                                     \
    static host_error on_cuMemsetD2D##bits##Async(bool per_thread, uint64_t dst, size_t pitch, type value,             \
                                                  size_t width, size_t height, void *stream)                           \
    {                                                                                                                  \
        return fill(per_thread, dst, pitch, value, bits / 8, width, height, stream, false);                            \
    }                                                                                                                  \
    CU_PAIR(cuMemsetD2D##bits##Async, ptsz,                                                                            \
            (uint64_t dst, size_t pitch, type value, size_t width, size_t height, void *stream),                       \
            (dst, pitch, value, width, height, stream))
SETS(8, uint8_t)
SETS(16, uint16_t)
SETS(32, uint32_t)
