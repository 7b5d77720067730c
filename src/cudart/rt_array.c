/* Arrays and copies with them. */
#include "cudart/cudart.h"

/* cudaChannelFormatKind...Normalized...: 5 to 16, by sign, bits and channels. */
enum { NORMALIZED_FIRST = 5, NORMALIZED_SIGNED = 6, NORMALIZED_16 = 3, NORMALIZED_END = 17 };

host_format rt_format(const rt_channel_desc *d)
{
    host_format f = {.bits = {d->x, d->y, d->z, d->w}, .kind = d->f};
    if (d->f < NORMALIZED_FIRST || d->f >= NORMALIZED_END) return f;
    f.normalized = true;
    f.kind = d->f >= NORMALIZED_FIRST + NORMALIZED_SIGNED ? HOST_FORMAT_SIGNED : HOST_FORMAT_UNSIGNED;
    return f;
}

rt_channel_desc rt_channel(const host_format *f)
{
    rt_channel_desc d = {f->bits[0], f->bits[1], f->bits[2], f->bits[3], f->kind};
    if (!f->normalized) return d;
    int channels = f->bits[3] ? 2 : f->bits[1] ? 1 : 0;
    d.f = NORMALIZED_FIRST + (f->kind == HOST_FORMAT_SIGNED ? NORMALIZED_SIGNED : 0) +
          (f->bits[0] == 16 ? NORMALIZED_16 : 0) + channels;
    return d;
}

rt_channel_desc lw_cudart_cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (rt_channel_desc){x, y, z, w, f};
}

static host_error make_array(host_array **out, const rt_channel_desc *desc, rt_extent extent, unsigned flags)
{
    if (!out || !desc) return HOST_INVALID_VALUE;
    if (flags & ~(unsigned)HOST_ARRAY_FLAGS) return rt_unsupported("cudaMalloc3DArray with these flags");
    if (desc->f >= NORMALIZED_END) return rt_unsupported("an array of block-compressed or packed texels");
    host_format format = rt_format(desc);
    return host_array_create(host_get(), &format, extent.width, extent.height, extent.depth, flags, out);
}

RT(cudaMalloc3DArray)(host_array **out, const rt_channel_desc *desc, rt_extent extent, unsigned flags)
{
    return rt_end(make_array(out, desc, extent, flags));
}

RT(cudaMallocArray)(host_array **out, const rt_channel_desc *desc, size_t width, size_t height, unsigned flags)
{
    return rt_end(make_array(out, desc, (rt_extent){width, height, 0}, flags));
}

RT(cudaMallocMipmappedArray)(host_mipmap **out, const rt_channel_desc *desc, rt_extent extent, unsigned levels,
                             unsigned flags)
{
    if (!out || !desc) return rt_end(HOST_INVALID_VALUE);
    if (flags & ~(unsigned)HOST_ARRAY_FLAGS) return rt_end(rt_unsupported("cudaMallocMipmappedArray with these flags"));
    if (desc->f >= NORMALIZED_END) return rt_end(rt_unsupported("an array of block-compressed or packed texels"));
    host_format format = rt_format(desc);
    uint64_t size[3] = {extent.width, extent.height, extent.depth};
    return rt_end(host_mipmap_create(host_get(), &format, size, levels, flags, out));
}

RT(cudaGetChannelDesc)(rt_channel_desc *out, const host_array *array)
{
    if (!out || !host_array_valid(host_get(), array)) return rt_end(HOST_INVALID_VALUE);
    *out = rt_channel(&array->format);
    return rt_end(0);
}

RT(cudaArrayGetInfo)(rt_channel_desc *desc, rt_extent *extent, unsigned *flags, host_array *array)
{
    if (!host_array_valid(host_get(), array)) return rt_end(HOST_INVALID_VALUE);
    if (desc) *desc = rt_channel(&array->format);
    if (extent) *extent = (rt_extent){array->width, array->height, array->depth};
    if (flags) *flags = array->flags;
    return rt_end(0);
}

/* ---- copies with arrays: offsets and widths in bytes, rows in elements' rows ---- */
static host_error array_side(const host_array *a, size_t x, size_t y, size_t width, size_t height, host_side *out)
{
    if (!host_array_valid(host_get(), a)) return HOST_INVALID_VALUE;
    uint64_t row = a->width * a->element_bytes, rows = LW_MAX(a->height, UINT64_C(1));
    if (x > row || width > row - x || y > rows || height > rows - y) return HOST_INVALID_VALUE;
    *out = (host_side){a->address + y * a->pitch + x, a->pitch, rows};
    return 0;
}

static host_error to_array_2d(void *stream, bool per_thread, host_array *dst, size_t x, size_t y, host_side src,
                              size_t width, size_t height, int kind, bool wait)
{
    host_copy copy = {{0, 0, 0}, src, width, height, 1, kind, false};
    rt_single_row(&copy.src, width);
    if (copy.src.pitch < width) return rt_refuse_pitch(width);
    host_error error = array_side(dst, x, y, width, height, &copy.dst);
    return error ? error : face_copy_put(stream, per_thread, &copy, wait);
}
RT_TWICE(cudaMemcpy2DToArray, ptds,
         (host_array * dst, size_t x, size_t y, uint64_t src, size_t pitch, size_t width, size_t height, int kind),
         to_array_2d(NULL, per_thread, dst, x, y, (host_side){src, pitch, height}, width, height, kind, true))
RT_TWICE(cudaMemcpy2DToArrayAsync, ptsz,
         (host_array * dst, size_t x, size_t y, uint64_t src, size_t pitch, size_t width, size_t height, int kind,
          void *stream),
         to_array_2d(stream, per_thread, dst, x, y, (host_side){src, pitch, height}, width, height, kind, false))

static host_error from_array_2d(void *stream, bool per_thread, host_side dst, const host_array *src, size_t x, size_t y,
                                size_t width, size_t height, int kind, bool wait)
{
    host_copy copy = {dst, {0, 0, 0}, width, height, 1, kind, false};
    rt_single_row(&copy.dst, width);
    if (copy.dst.pitch < width) return rt_refuse_pitch(width);
    host_error error = array_side(src, x, y, width, height, &copy.src);
    return error ? error : face_copy_put(stream, per_thread, &copy, wait);
}
RT_TWICE(cudaMemcpy2DFromArray, ptds,
         (uint64_t dst, size_t pitch, const host_array *src, size_t x, size_t y, size_t width, size_t height, int kind),
         from_array_2d(NULL, per_thread, (host_side){dst, pitch, height}, src, x, y, width, height, kind, true))
RT_TWICE(cudaMemcpy2DFromArrayAsync, ptsz,
         (uint64_t dst, size_t pitch, const host_array *src, size_t x, size_t y, size_t width, size_t height, int kind,
          void *stream),
         from_array_2d(stream, per_thread, (host_side){dst, pitch, height}, src, x, y, width, height, kind, false))

static host_error between_arrays_2d(bool per_thread, host_array *dst, size_t dx, size_t dy, const host_array *src,
                                    size_t sx, size_t sy, size_t width, size_t height, int kind)
{
    host_copy copy = {{0, 0, 0}, {0, 0, 0}, width, height, 1, kind, false};
    host_error error = array_side(dst, dx, dy, width, height, &copy.dst);
    if (!error) error = array_side(src, sx, sy, width, height, &copy.src);
    return error ? error : face_copy_put(NULL, per_thread, &copy, true);
}
RT_TWICE(cudaMemcpy2DArrayToArray, ptds,
         (host_array * dst, size_t dx, size_t dy, const host_array *src, size_t sx, size_t sy, size_t width,
          size_t height, int kind),
         between_arrays_2d(per_thread, dst, dx, dy, src, sx, sy, width, height, kind))

/* The one-dimensional forms go on from the end of one row to the start of the next: whole rows, or part of one. */
static host_error split_rows(const host_array *a, size_t x, size_t bytes, size_t *width, size_t *height)
{
    if (!host_array_valid(host_get(), a)) return HOST_INVALID_VALUE;
    uint64_t row = a->width * a->element_bytes;
    bool whole = x == 0 && bytes % row == 0 && bytes;
    *width = whole ? row : bytes;
    *height = whole ? bytes / row : 1;
    return !whole && x + bytes > row ? rt_unsupported("an array copy over parts of several rows") : 0;
}

static host_error to_array(void *stream, bool per_thread, host_array *dst, size_t x, size_t y, uint64_t src,
                           size_t bytes, int kind, bool wait)
{
    size_t width, height;
    host_error error = split_rows(dst, x, bytes, &width, &height);
    if (error) return error;
    host_side rows = {src, width, height};
    return to_array_2d(stream, per_thread, dst, x, y, rows, width, height, kind, wait);
}
RT_TWICE(cudaMemcpyToArray, ptds, (host_array * dst, size_t x, size_t y, uint64_t src, size_t bytes, int kind),
         to_array(NULL, per_thread, dst, x, y, src, bytes, kind, true))
RT_TWICE(cudaMemcpyToArrayAsync, ptsz,
         (host_array * dst, size_t x, size_t y, uint64_t src, size_t bytes, int kind, void *stream),
         to_array(stream, per_thread, dst, x, y, src, bytes, kind, false))

static host_error from_array(void *stream, bool per_thread, uint64_t dst, const host_array *src, size_t x, size_t y,
                             size_t bytes, int kind, bool wait)
{
    size_t width, height;
    host_error error = split_rows(src, x, bytes, &width, &height);
    if (error) return error;
    host_side rows = {dst, width, height};
    return from_array_2d(stream, per_thread, rows, src, x, y, width, height, kind, wait);
}
RT_TWICE(cudaMemcpyFromArray, ptds, (uint64_t dst, const host_array *src, size_t x, size_t y, size_t bytes, int kind),
         from_array(NULL, per_thread, dst, src, x, y, bytes, kind, true))
RT_TWICE(cudaMemcpyFromArrayAsync, ptsz,
         (uint64_t dst, const host_array *src, size_t x, size_t y, size_t bytes, int kind, void *stream),
         from_array(stream, per_thread, dst, src, x, y, bytes, kind, false))

static host_error between_arrays(bool per_thread, host_array *dst, size_t dx, size_t dy, const host_array *src,
                                 size_t sx, size_t sy, size_t bytes, int kind)
{
    size_t width, height, src_width, src_height;
    host_error error = split_rows(dst, dx, bytes, &width, &height);
    if (!error) error = split_rows(src, sx, bytes, &src_width, &src_height);
    if (!error && width != src_width) error = rt_unsupported("an array copy between rows of different length");
    return error ? error : between_arrays_2d(per_thread, dst, dx, dy, src, sx, sy, width, height, kind);
}
RT_TWICE(cudaMemcpyArrayToArray, ptds,
         (host_array * dst, size_t dx, size_t dy, const host_array *src, size_t sx, size_t sy, size_t bytes, int kind),
         between_arrays(per_thread, dst, dx, dy, src, sx, sy, bytes, kind))
