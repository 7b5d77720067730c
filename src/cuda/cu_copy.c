/* Copies and sets. Kinds are given by the name of the call, or found from the pointers. */

#include "cuda/driver.h"

static uint64_t at(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

CU_TWICE(cuMemcpy, ptds, (uint64_t dst, uint64_t src, size_t bytes),
         face_copy_flat(NULL, per_thread, dst, src, bytes, HOST_COPY_DEFAULT, true))
CU_TWICE(cuMemcpyAsync, ptsz, (uint64_t dst, uint64_t src, size_t bytes, void *stream),
         face_copy_flat(stream, per_thread, dst, src, bytes, HOST_COPY_DEFAULT, false))
CU_TWICE(cuMemcpyHtoD_v2, ptds, (uint64_t dst, const void *src, size_t bytes),
         face_copy_flat(NULL, per_thread, dst, at(src), bytes, HOST_COPY_H2D, true))
CU_TWICE(cuMemcpyHtoDAsync_v2, ptsz, (uint64_t dst, const void *src, size_t bytes, void *stream),
         face_copy_flat(stream, per_thread, dst, at(src), bytes, HOST_COPY_H2D, false))
CU_TWICE(cuMemcpyDtoH_v2, ptds, (void *dst, uint64_t src, size_t bytes),
         face_copy_flat(NULL, per_thread, at(dst), src, bytes, HOST_COPY_D2H, true))
CU_TWICE(cuMemcpyDtoHAsync_v2, ptsz, (void *dst, uint64_t src, size_t bytes, void *stream),
         face_copy_flat(stream, per_thread, at(dst), src, bytes, HOST_COPY_D2H, false))
CU_TWICE(cuMemcpyDtoD_v2, ptds, (uint64_t dst, uint64_t src, size_t bytes),
         face_copy_flat(NULL, per_thread, dst, src, bytes, HOST_COPY_D2D, true))
CU_TWICE(cuMemcpyDtoDAsync_v2, ptsz, (uint64_t dst, uint64_t src, size_t bytes, void *stream),
         face_copy_flat(stream, per_thread, dst, src, bytes, HOST_COPY_D2D, false))

/* Between contexts, which share their memory. */
static host_error peer(void *stream, bool per_thread, uint64_t dst, const cu_context *to, uint64_t src,
                       const cu_context *from, size_t bytes, bool wait)
{
    if (!to) to = cu_current();
    if (!from) from = cu_current();
    if (!cu_context_valid(to) || !cu_context_valid(from)) return HOST_DEVICE_UNINITIALIZED;
    return face_copy_peer(stream, per_thread, dst, (int)to->device, src, (int)from->device, bytes, wait);
}
CU_TWICE(cuMemcpyPeer, ptds, (uint64_t dst, cu_context *to, uint64_t src, cu_context *from, size_t bytes),
         peer(NULL, per_thread, dst, to, src, from, bytes, true))
CU_TWICE(cuMemcpyPeerAsync, ptsz,
         (uint64_t dst, cu_context *to, uint64_t src, cu_context *from, size_t bytes, void *stream),
         peer(stream, per_thread, dst, to, src, from, bytes, false))

/* ---- two and three dimensions ---- */
/* One side: x in bytes, y in rows, z in slices. A pitch or height of 0 stands for that of the copy. */
static host_error side(const cu_copy_side_3d *in, const cu_memcpy3d *p, host_side *out, int *out_type)
{
    size_t default_rows = p->height, width = p->width;
    uint64_t base = 0;
    uint64_t pitch = in->pitch ? in->pitch : width;
    uint64_t rows = in->height ? in->height : default_rows;
    *out_type = in->type;
    switch (in->type) {
    case CU_MEMORY_HOST: base = at(in->host); break;
    case CU_MEMORY_DEVICE:
    case CU_MEMORY_UNIFIED: base = in->device; break;
    case CU_MEMORY_ARRAY:
        if (!host_array_valid(host_get(), in->array)) return HOST_INVALID_RESOURCE_HANDLE;
        base = in->array->address;
        pitch = in->array->pitch;
        rows = LW_MAX(in->array->height, UINT64_C(1));
        if (in->x + width > in->array->width * in->array->element_bytes) return HOST_INVALID_VALUE;
        if (in->y + p->height > rows || in->z + p->depth > LW_MAX(in->array->depth, UINT64_C(1)))
            return HOST_INVALID_VALUE;
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
    int dst = 0;
    int src = 0;
    if (!p) return HOST_INVALID_VALUE;
    *out = (host_copy){.width = p->width, .height = p->height, .depth = p->depth, .kind = HOST_COPY_DEFAULT};
    if (!p->width || !p->height || !p->depth) return 0;
    host_error error = side(&p->src, p, &out->src, &src);
    if (!error) error = side(&p->dst, p, &out->dst, &dst);
    if (!error && p->depth > 1 && (out->src.rows < p->height || out->dst.rows < p->height)) error = HOST_INVALID_VALUE;
    out->kind = kind_of(dst, src);
    return error;
}

CU_TWICE(cuMemcpy3DPeer, ptds, (const cu_memcpy3d *p), face_copy_3d(&cu_face, NULL, per_thread, p, true))
CU_TWICE(cuMemcpy3DPeerAsync, ptsz, (const cu_memcpy3d *p, void *stream),
         face_copy_3d(&cu_face, stream, per_thread, p, false))

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

static host_error copy_2d(void *stream, bool per_thread, const cu_memcpy2d *p, bool wait)
{
    if (!p) return HOST_INVALID_VALUE;
    cu_memcpy3d wide = {side_of_2d(&p->src), side_of_2d(&p->dst), p->width, p->height, 1};
    return face_copy_3d(&cu_face, stream, per_thread, &wide, wait);
}
CU_TWICE(cuMemcpy2D_v2, ptds, (const cu_memcpy2d *p), copy_2d(NULL, per_thread, p, true))
CU_TWICE(cuMemcpy2DUnaligned_v2, ptds, (const cu_memcpy2d *p), copy_2d(NULL, per_thread, p, true))
CU_TWICE(cuMemcpy2DAsync_v2, ptsz, (const cu_memcpy2d *p, void *stream), copy_2d(stream, per_thread, p, false))

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

static host_error row(void *stream, bool per_thread, cu_copy_side_3d dst, cu_copy_side_3d src, size_t bytes, bool wait)
{
    cu_memcpy3d p = {src, dst, bytes, 1, 1};
    return face_copy_3d(&cu_face, stream, per_thread, &p, wait);
}

CU_TWICE(cuMemcpyHtoA_v2, ptds, (host_array * dst, size_t offset, const void *src, size_t bytes),
         row(NULL, per_thread, array_side(dst, offset), host_place((void *)src), bytes, true))
CU_TWICE(cuMemcpyHtoAAsync_v2, ptsz, (host_array * dst, size_t offset, const void *src, size_t bytes, void *stream),
         row(stream, per_thread, array_side(dst, offset), host_place((void *)src), bytes, false))
CU_TWICE(cuMemcpyAtoH_v2, ptds, (void *dst, host_array *src, size_t offset, size_t bytes),
         row(NULL, per_thread, host_place(dst), array_side(src, offset), bytes, true))
CU_TWICE(cuMemcpyAtoHAsync_v2, ptsz, (void *dst, host_array *src, size_t offset, size_t bytes, void *stream),
         row(stream, per_thread, host_place(dst), array_side(src, offset), bytes, false))
CU_TWICE(cuMemcpyDtoA_v2, ptds, (host_array * dst, size_t offset, uint64_t src, size_t bytes),
         row(NULL, per_thread, array_side(dst, offset), device_place(src), bytes, true))
CU_TWICE(cuMemcpyAtoD_v2, ptds, (uint64_t dst, host_array *src, size_t offset, size_t bytes),
         row(NULL, per_thread, device_place(dst), array_side(src, offset), bytes, true))
CU_TWICE(cuMemcpyAtoA_v2, ptds, (host_array * dst, size_t to, host_array *src, size_t from, size_t bytes),
         row(NULL, per_thread, array_side(dst, to), array_side(src, from), bytes, true))

/* ---- sets: a value of 1, 2 or 4 bytes; the address must be aligned to it ---- */
static host_error fill(void *stream, bool per_thread, uint64_t dst, size_t pitch, uint32_t value, uint32_t element,
                       size_t width, size_t height, bool wait)
{
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    if (dst % element) return HOST_INVALID_VALUE;
    if (height > 1 && (pitch % element || pitch < width * element)) return HOST_INVALID_VALUE;
    host_fill f = {{dst, height > 1 ? pitch : width * element, height}, value, element, width, height, 1};
    return face_fill_put(stream, per_thread, &f, wait);
}

/* The four forms of one element size. */
#define SETS(bits, type)                                                                                               \
    CU_TWICE(cuMemsetD##bits##_v2, ptds, (uint64_t dst, type value, size_t count),                                     \
             fill(NULL, per_thread, dst, 0, value, bits / 8, count, 1, true))                                          \
    CU_TWICE(cuMemsetD##bits##Async, ptsz, (uint64_t dst, type value, size_t count, void *stream),                     \
             fill(stream, per_thread, dst, 0, value, bits / 8, count, 1, false))                                       \
    CU_TWICE(cuMemsetD2D##bits##_v2, ptds, (uint64_t dst, size_t pitch, type value, size_t width, size_t height),      \
             fill(NULL, per_thread, dst, pitch, value, bits / 8, width, height, true))                                 \
    CU_TWICE(cuMemsetD2D##bits##Async, ptsz,                                                                           \
             (uint64_t dst, size_t pitch, type value, size_t width, size_t height, void *stream),                      \
             fill(stream, per_thread, dst, pitch, value, bits / 8, width, height, false))
SETS(8, uint8_t)
SETS(16, uint16_t)
SETS(32, uint32_t)
