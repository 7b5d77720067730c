/* Arrays and texture objects. */
#include <string.h>

#include "cudart/cudart.h"

host_format rt_format(const rt_channel_desc *d) { return (host_format){{d->x, d->y, d->z, d->w}, d->f}; }

rt_channel_desc rt_channel(const host_format *f)
{
    return (rt_channel_desc){f->bits[0], f->bits[1], f->bits[2], f->bits[3], f->kind};
}

rt_channel_desc lw_cudart_cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (rt_channel_desc){x, y, z, w, f};
}

RT(cudaMalloc3DArray)(host_array **out, const rt_channel_desc *desc, rt_extent extent, unsigned flags)
{
    enum { LAYERED = 1, SURFACE = 2, CUBEMAP = 4 };
    if (!out || !desc) return rt_end(HOST_INVALID_VALUE);
    if (flags & ~(unsigned)(LAYERED | SURFACE)) return rt_end(rt_unsupported("cudaMalloc3DArray with these flags"));
    host_format format = rt_format(desc);
    return rt_end(host_array_create(rt_context(), &format, extent.width, extent.height, extent.depth, flags, out));
}

RT(cudaMallocArray)(host_array **out, const rt_channel_desc *desc, size_t width, size_t height, unsigned flags)
{
    return lw_cudart_cudaMalloc3DArray(out, desc, (rt_extent){width, height, 0}, flags);
}

RT(cudaFreeArray)(host_array *array) { return rt_end(host_array_destroy(rt_context(), array)); }

RT(cudaGetChannelDesc)(rt_channel_desc *out, const host_array *array)
{
    if (!out || !host_array_valid(array)) return rt_end(HOST_INVALID_VALUE);
    *out = rt_channel(&array->format);
    return 0;
}

RT(cudaArrayGetInfo)(rt_channel_desc *desc, rt_extent *extent, unsigned *flags, host_array *array)
{
    if (!host_array_valid(array)) return rt_end(HOST_INVALID_VALUE);
    if (desc) *desc = rt_channel(&array->format);
    if (extent) *extent = (rt_extent){array->width, array->height, array->depth};
    if (flags) *flags = array->flags;
    return 0;
}

/* ---- copies with arrays: offsets and widths in bytes, rows in elements' rows ---- */
static host_error array_side(const host_array *a, size_t x, size_t y, size_t width, size_t height, host_side *out)
{
    if (!host_array_valid(a)) return HOST_INVALID_VALUE;
    uint64_t row = a->width * a->element_bytes, rows = LW_MAX(a->height, UINT64_C(1));
    if (x > row || width > row - x || y > rows || height > rows - y) return HOST_INVALID_VALUE;
    *out = (host_side){a->address + y * a->pitch + x, a->pitch, rows};
    return 0;
}

static host_error put(bool per_thread, void *stream, const host_copy *copy, bool wait)
{
    host_stream *s = rt_stream(stream, per_thread);
    return s ? host_copy_put(rt_context(), s, copy, wait) : HOST_INVALID_RESOURCE_HANDLE;
}

static host_error to_array_2d(bool per_thread, host_array *dst, size_t x, size_t y, const void *src, size_t pitch,
                              size_t width, size_t height, int kind, void *stream, bool wait)
{
    host_copy copy = {{0, 0, 0}, {(uint64_t)(uintptr_t)src, pitch, height}, width, height, 1, kind};
    if (pitch < width) return HOST_INVALID_PITCH_VALUE;
    host_error error = array_side(dst, x, y, width, height, &copy.dst);
    return error ? error : put(per_thread, stream, &copy, wait);
}

static host_error from_array_2d(bool per_thread, void *dst, size_t pitch, const host_array *src, size_t x, size_t y,
                                size_t width, size_t height, int kind, void *stream, bool wait)
{
    host_copy copy = {{(uint64_t)(uintptr_t)dst, pitch, height}, {0, 0, 0}, width, height, 1, kind};
    if (pitch < width) return HOST_INVALID_PITCH_VALUE;
    host_error error = array_side(src, x, y, width, height, &copy.src);
    return error ? error : put(per_thread, stream, &copy, wait);
}

static host_error on_cudaMemcpy2DToArray(bool per_thread, host_array *dst, size_t x, size_t y, const void *src,
                                         size_t pitch, size_t width, size_t height, int kind)
{
    return to_array_2d(per_thread, dst, x, y, src, pitch, width, height, kind, NULL, true);
}
RT_PAIR(cudaMemcpy2DToArray, ptds,
        (host_array * dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height, int kind),
        (dst, x, y, src, pitch, width, height, kind))

static host_error on_cudaMemcpy2DToArrayAsync(bool per_thread, host_array *dst, size_t x, size_t y, const void *src,
                                              size_t pitch, size_t width, size_t height, int kind, void *stream)
{
    return to_array_2d(per_thread, dst, x, y, src, pitch, width, height, kind, stream, false);
}
RT_PAIR(cudaMemcpy2DToArrayAsync, ptsz,
        (host_array * dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height, int kind,
         void *stream),
        (dst, x, y, src, pitch, width, height, kind, stream))

static host_error on_cudaMemcpy2DFromArray(bool per_thread, void *dst, size_t pitch, const host_array *src, size_t x,
                                           size_t y, size_t width, size_t height, int kind)
{
    return from_array_2d(per_thread, dst, pitch, src, x, y, width, height, kind, NULL, true);
}
RT_PAIR(cudaMemcpy2DFromArray, ptds,
        (void *dst, size_t pitch, const host_array *src, size_t x, size_t y, size_t width, size_t height, int kind),
        (dst, pitch, src, x, y, width, height, kind))

static host_error on_cudaMemcpy2DFromArrayAsync(bool per_thread, void *dst, size_t pitch, const host_array *src,
                                                size_t x, size_t y, size_t width, size_t height, int kind, void *stream)
{
    return from_array_2d(per_thread, dst, pitch, src, x, y, width, height, kind, stream, false);
}
RT_PAIR(cudaMemcpy2DFromArrayAsync, ptsz,
        (void *dst, size_t pitch, const host_array *src, size_t x, size_t y, size_t width, size_t height, int kind,
         void *stream),
        (dst, pitch, src, x, y, width, height, kind, stream))

static host_error on_cudaMemcpy2DArrayToArray(bool per_thread, host_array *dst, size_t dx, size_t dy,
                                              const host_array *src, size_t sx, size_t sy, size_t width, size_t height,
                                              int kind)
{
    host_copy copy = {{0, 0, 0}, {0, 0, 0}, width, height, 1, kind};
    host_error error = array_side(dst, dx, dy, width, height, &copy.dst);
    if (!error) error = array_side(src, sx, sy, width, height, &copy.src);
    return error ? error : put(per_thread, NULL, &copy, true);
}
RT_PAIR(cudaMemcpy2DArrayToArray, ptds,
        (host_array * dst, size_t dx, size_t dy, const host_array *src, size_t sx, size_t sy, size_t width,
         size_t height, int kind),
        (dst, dx, dy, src, sx, sy, width, height, kind))

/* The one-dimensional forms go on from the end of one row to the start of the next: whole rows, or part of one. */
static host_error split_rows(const host_array *a, size_t x, size_t bytes, size_t *width, size_t *height)
{
    if (!host_array_valid(a)) return HOST_INVALID_VALUE;
    uint64_t row = a->width * a->element_bytes;
    bool whole = x == 0 && bytes % row == 0 && bytes;
    *width = whole ? row : bytes;
    *height = whole ? bytes / row : 1;
    return !whole && x + bytes > row ? rt_unsupported("an array copy over parts of several rows") : 0;
}

static host_error to_array(bool per_thread, host_array *dst, size_t x, size_t y, const void *src, size_t bytes,
                           int kind, void *stream, bool wait)
{
    size_t width, height;
    host_error error = split_rows(dst, x, bytes, &width, &height);
    return error ? error : to_array_2d(per_thread, dst, x, y, src, width, width, height, kind, stream, wait);
}

static host_error from_array(bool per_thread, void *dst, const host_array *src, size_t x, size_t y, size_t bytes,
                             int kind, void *stream, bool wait)
{
    size_t width, height;
    host_error error = split_rows(src, x, bytes, &width, &height);
    return error ? error : from_array_2d(per_thread, dst, width, src, x, y, width, height, kind, stream, wait);
}

static host_error on_cudaMemcpyArrayToArray(bool per_thread, host_array *dst, size_t dx, size_t dy,
                                            const host_array *src, size_t sx, size_t sy, size_t bytes, int kind)
{
    size_t width, height, src_width, src_height;
    host_error error = split_rows(dst, dx, bytes, &width, &height);
    if (!error) error = split_rows(src, sx, bytes, &src_width, &src_height);
    if (!error && width != src_width) error = rt_unsupported("an array copy between rows of different length");
    return error ? error : on_cudaMemcpy2DArrayToArray(per_thread, dst, dx, dy, src, sx, sy, width, height, kind);
}
RT_PAIR(cudaMemcpyArrayToArray, ptds,
        (host_array * dst, size_t dx, size_t dy, const host_array *src, size_t sx, size_t sy, size_t bytes, int kind),
        (dst, dx, dy, src, sx, sy, bytes, kind))

static host_error on_cudaMemcpyToArray(bool per_thread, host_array *dst, size_t x, size_t y, const void *src,
                                       size_t bytes, int kind)
{
    return to_array(per_thread, dst, x, y, src, bytes, kind, NULL, true);
}
RT_PAIR(cudaMemcpyToArray, ptds, (host_array * dst, size_t x, size_t y, const void *src, size_t bytes, int kind),
        (dst, x, y, src, bytes, kind))

static host_error on_cudaMemcpyToArrayAsync(bool per_thread, host_array *dst, size_t x, size_t y, const void *src,
                                            size_t bytes, int kind, void *stream)
{
    return to_array(per_thread, dst, x, y, src, bytes, kind, stream, false);
}
RT_PAIR(cudaMemcpyToArrayAsync, ptsz,
        (host_array * dst, size_t x, size_t y, const void *src, size_t bytes, int kind, void *stream),
        (dst, x, y, src, bytes, kind, stream))

static host_error on_cudaMemcpyFromArray(bool per_thread, void *dst, const host_array *src, size_t x, size_t y,
                                         size_t bytes, int kind)
{
    return from_array(per_thread, dst, src, x, y, bytes, kind, NULL, true);
}
RT_PAIR(cudaMemcpyFromArray, ptds, (void *dst, const host_array *src, size_t x, size_t y, size_t bytes, int kind),
        (dst, src, x, y, bytes, kind))

static host_error on_cudaMemcpyFromArrayAsync(bool per_thread, void *dst, const host_array *src, size_t x, size_t y,
                                              size_t bytes, int kind, void *stream)
{
    return from_array(per_thread, dst, src, x, y, bytes, kind, stream, false);
}
RT_PAIR(cudaMemcpyFromArrayAsync, ptsz,
        (void *dst, const host_array *src, size_t x, size_t y, size_t bytes, int kind, void *stream),
        (dst, src, x, y, bytes, kind, stream))

/* ---- texture objects ---- */
static host_error read_resource(const rt_resource_desc *r, host_texture_desc *out)
{
    out->resource = r->type;
    switch (r->type) {
    case 0:
        if (!host_array_valid(r->u.array)) return HOST_INVALID_VALUE;
        out->array = r->u.array;
        out->format = out->array->format;
        return 0;
    case 2:
        out->address = (uint64_t)(uintptr_t)r->u.linear.pointer;
        out->bytes = r->u.linear.bytes;
        out->format = rt_format(&r->u.linear.desc);
        return 0;
    case 3:
        out->address = (uint64_t)(uintptr_t)r->u.pitch.pointer;
        out->width = r->u.pitch.width;
        out->height = r->u.pitch.height;
        out->pitch = r->u.pitch.pitch;
        out->format = rt_format(&r->u.pitch.desc);
        return 0;
    case 1: return rt_unsupported("a texture object over a mipmapped array");
    default: return HOST_INVALID_VALUE;
    }
}

RT(cudaCreateTextureObject)(uint64_t *out, const rt_resource_desc *resource, const rt_texture_desc *texture,
                            const void *view)
{
    host_texture_desc t = {0};
    if (!out || !resource || !texture) return rt_end(HOST_INVALID_VALUE);
    if (view) return rt_end(rt_unsupported("a texture object with a resource view"));
    host_error error = read_resource(resource, &t);
    if (error) return rt_end(error);
    memcpy(t.address_mode, texture->address_mode, sizeof t.address_mode);
    t.filter_mode = texture->filter_mode;
    t.read_mode = texture->read_mode;
    t.normalized_coordinates = texture->normalized != 0;
    t.srgb = texture->srgb != 0;
    if (t.srgb) return rt_end(rt_unsupported("a texture object that converts from sRGB"));
    memcpy(t.border, texture->border, sizeof t.border);
    return rt_end(host_texture_create(rt_context(), &t, out));
}

RT(cudaDestroyTextureObject)(uint64_t texture) { return rt_end(host_texture_destroy(rt_context(), texture)); }

RT(cudaGetTextureObjectResourceDesc)(rt_resource_desc *out, uint64_t texture)
{
    const host_texture_desc *t = host_texture_get(rt_context(), texture);
    if (!out || !t) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    out->type = t->resource;
    if (t->resource == 0) {
        out->u.array = t->array;
    } else if (t->resource == 2) {
        out->u.linear.pointer = (void *)(uintptr_t)t->address;
        out->u.linear.desc = rt_channel(&t->format);
        out->u.linear.bytes = t->bytes;
    } else {
        out->u.pitch.pointer = (void *)(uintptr_t)t->address;
        out->u.pitch.desc = rt_channel(&t->format);
        out->u.pitch.width = t->width;
        out->u.pitch.height = t->height;
        out->u.pitch.pitch = t->pitch;
    }
    return 0;
}

RT(cudaGetTextureObjectTextureDesc)(rt_texture_desc *out, uint64_t texture)
{
    const host_texture_desc *t = host_texture_get(rt_context(), texture);
    if (!out || !t) return rt_end(HOST_INVALID_VALUE);
    memset(out, 0, sizeof *out);
    memcpy(out->address_mode, t->address_mode, sizeof out->address_mode);
    out->filter_mode = t->filter_mode;
    out->read_mode = t->read_mode;
    out->normalized = t->normalized_coordinates;
    memcpy(out->border, t->border, sizeof out->border);
    return 0;
}
