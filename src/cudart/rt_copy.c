/* Copies and sets between linear memory, symbols and arrays. */
#include <string.h>

#include "cudart/cudart.h"

static host_error copy_on(bool per_thread, void *stream, const host_copy *copy, bool wait)
{
    host_stream *s = rt_stream(stream, per_thread);
    return s ? host_copy_put(rt_context(), s, copy, wait) : HOST_INVALID_RESOURCE_HANDLE;
}

static uint64_t at(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static host_error on_cudaMemcpy(bool per_thread, void *dst, const void *src, size_t bytes, int kind)
{
    host_copy copy = host_copy_flat(at(dst), at(src), bytes, kind);
    return copy_on(per_thread, NULL, &copy, true);
}
RT_PAIR(cudaMemcpy, ptds, (void *dst, const void *src, size_t bytes, int kind), (dst, src, bytes, kind))

static host_error on_cudaMemcpyAsync(bool per_thread, void *dst, const void *src, size_t bytes, int kind, void *stream)
{
    host_copy copy = host_copy_flat(at(dst), at(src), bytes, kind);
    return copy_on(per_thread, stream, &copy, false);
}
RT_PAIR(cudaMemcpyAsync, ptsz, (void *dst, const void *src, size_t bytes, int kind, void *stream),
        (dst, src, bytes, kind, stream))

static host_copy copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         int kind)
{
    return (host_copy){{at(dst), dpitch, height}, {at(src), spitch, height}, width, height, 1, kind};
}

static host_error check_pitches(size_t dpitch, size_t spitch, size_t width)
{
    return dpitch < width || spitch < width ? HOST_INVALID_PITCH_VALUE : 0;
}

static host_error on_cudaMemcpy2D(bool per_thread, void *dst, size_t dpitch, const void *src, size_t spitch,
                                  size_t width, size_t height, int kind)
{
    host_copy copy = copy_2d(dst, dpitch, src, spitch, width, height, kind);
    host_error error = check_pitches(dpitch, spitch, width);
    return error ? error : copy_on(per_thread, NULL, &copy, true);
}
RT_PAIR(cudaMemcpy2D, ptds,
        (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind),
        (dst, dpitch, src, spitch, width, height, kind))

static host_error on_cudaMemcpy2DAsync(bool per_thread, void *dst, size_t dpitch, const void *src, size_t spitch,
                                       size_t width, size_t height, int kind, void *stream)
{
    host_copy copy = copy_2d(dst, dpitch, src, spitch, width, height, kind);
    host_error error = check_pitches(dpitch, spitch, width);
    return error ? error : copy_on(per_thread, stream, &copy, false);
}
RT_PAIR(cudaMemcpy2DAsync, ptsz,
        (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, void *stream),
        (dst, dpitch, src, spitch, width, height, kind, stream))

/* ---- three dimensions ----
 * Widths and x positions count elements where an array takes part, bytes otherwise. */
static host_error side_3d(const host_array *array, rt_pos pos, const rt_pitched_ptr *ptr, host_side *out)
{
    if (array) {
        if (!host_array_valid(array)) return HOST_INVALID_VALUE;
        uint64_t rows = LW_MAX(array->height, UINT64_C(1));
        uint64_t offset = (pos.z * rows + pos.y) * array->pitch + pos.x * array->element_bytes;
        *out = (host_side){array->address + offset, array->pitch, rows};
    } else {
        if (!ptr->ptr) return HOST_INVALID_VALUE;
        uint64_t rows = ptr->ysize;
        *out = (host_side){at(ptr->ptr) + (pos.z * rows + pos.y) * ptr->pitch + pos.x, ptr->pitch, rows};
    }
    return 0;
}

host_error rt_copy3d(const void *params, host_copy *out)
{
    const rt_memcpy3d *p = params;
    if (!p) return HOST_INVALID_VALUE;
    if ((p->src_array && p->src_ptr.ptr) || (p->dst_array && p->dst_ptr.ptr)) return HOST_INVALID_VALUE;
    if (p->src_array && !host_array_valid(p->src_array)) return HOST_INVALID_VALUE;
    if (p->dst_array && !host_array_valid(p->dst_array)) return HOST_INVALID_VALUE;
    uint64_t element = p->dst_array ? p->dst_array->element_bytes : p->src_array ? p->src_array->element_bytes : 1;
    *out = (host_copy){
        .width = p->extent.width * element, .height = p->extent.height, .depth = p->extent.depth, .kind = p->kind};
    if (!out->width || !out->height || !out->depth) return 0;
    host_error error = side_3d(p->src_array, p->src_pos, &p->src_ptr, &out->src);
    if (!error) error = side_3d(p->dst_array, p->dst_pos, &p->dst_ptr, &out->dst);
    if (!error && (out->src.pitch < out->width || out->dst.pitch < out->width)) error = HOST_INVALID_PITCH_VALUE;
    if (out->depth > 1 && (out->src.rows < out->height || out->dst.rows < out->height)) error = HOST_INVALID_VALUE;
    return error;
}

static host_error on_cudaMemcpy3D(bool per_thread, const rt_memcpy3d *p)
{
    host_copy copy;
    host_error error = rt_copy3d(p, &copy);
    return error ? error : copy_on(per_thread, NULL, &copy, true);
}
RT_PAIR(cudaMemcpy3D, ptds, (const rt_memcpy3d *p), (p))

static host_error on_cudaMemcpy3DAsync(bool per_thread, const rt_memcpy3d *p, void *stream)
{
    host_copy copy;
    host_error error = rt_copy3d(p, &copy);
    return error ? error : copy_on(per_thread, stream, &copy, false);
}
RT_PAIR(cudaMemcpy3DAsync, ptsz, (const rt_memcpy3d *p, void *stream), (p, stream))

static host_error peer_3d(const rt_memcpy3d_peer *p, rt_memcpy3d *out)
{
    if (!p) return HOST_INVALID_VALUE;
    host_error error = rt_check_device(p->src_device);
    if (!error) error = rt_check_device(p->dst_device);
    *out = (rt_memcpy3d){p->src_array, p->src_pos, p->src_ptr, p->dst_array,
                         p->dst_pos,   p->dst_ptr, p->extent,  HOST_COPY_DEFAULT};
    return error;
}

static host_error on_cudaMemcpy3DPeer(bool per_thread, const rt_memcpy3d_peer *p)
{
    rt_memcpy3d plain;
    host_error error = peer_3d(p, &plain);
    return error ? error : on_cudaMemcpy3D(per_thread, &plain);
}
RT_PAIR(cudaMemcpy3DPeer, ptds, (const rt_memcpy3d_peer *p), (p))

static host_error on_cudaMemcpy3DPeerAsync(bool per_thread, const rt_memcpy3d_peer *p, void *stream)
{
    rt_memcpy3d plain;
    host_error error = peer_3d(p, &plain);
    return error ? error : on_cudaMemcpy3DAsync(per_thread, &plain, stream);
}
RT_PAIR(cudaMemcpy3DPeerAsync, ptsz, (const rt_memcpy3d_peer *p, void *stream), (p, stream))

RT(cudaMemcpyPeer)(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    host_error error = rt_check_device(dst_device);
    if (!error) error = rt_check_device(src_device);
    return rt_end(error ? error : on_cudaMemcpy(false, dst, src, bytes, HOST_COPY_DEFAULT));
}

RT(cudaMemcpyPeerAsync)(void *dst, int dst_device, const void *src, int src_device, size_t bytes, void *stream)
{
    host_error error = rt_check_device(dst_device);
    if (!error) error = rt_check_device(src_device);
    return rt_end(error ? error : on_cudaMemcpyAsync(false, dst, src, bytes, HOST_COPY_DEFAULT, stream));
}

static host_error on_cudaMemcpyBatchAsync(bool per_thread, void *const *dsts, const void *const *srcs,
                                          const size_t *sizes, size_t count, void *attributes, size_t *indices,
                                          size_t attribute_count, void *stream)
{
    (void)attributes, (void)indices, (void)attribute_count; /* hints on order and place */
    if (!dsts || !srcs || !sizes || !count) return HOST_INVALID_VALUE;
    host_error error = 0;
    for (size_t i = 0; i < count && !error; i++)
        error = on_cudaMemcpyAsync(per_thread, dsts[i], srcs[i], sizes[i], HOST_COPY_DEFAULT, stream);
    return error;
}
RT_PAIR(cudaMemcpyBatchAsync, ptsz,
        (void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count, void *attributes,
         size_t *indices, size_t attribute_count, void *stream),
        (dsts, srcs, sizes, count, attributes, indices, attribute_count, stream))

/* ---- symbols ---- */
static host_error to_symbol(bool per_thread, const void *symbol, const void *src, size_t bytes, size_t offset, int kind,
                            void *stream, bool wait)
{
    uint64_t address;
    if (kind != HOST_COPY_H2D && kind != HOST_COPY_D2D && kind != HOST_COPY_DEFAULT)
        return HOST_INVALID_MEMCPY_DIRECTION;
    host_error error = rt_symbol_range(symbol, bytes, offset, &address);
    if (error) return error;
    host_copy copy = host_copy_flat(address, at(src), bytes, kind);
    return copy_on(per_thread, stream, &copy, wait);
}

static host_error from_symbol(bool per_thread, void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
                              void *stream, bool wait)
{
    uint64_t address;
    if (kind != HOST_COPY_D2H && kind != HOST_COPY_D2D && kind != HOST_COPY_DEFAULT)
        return HOST_INVALID_MEMCPY_DIRECTION;
    host_error error = rt_symbol_range(symbol, bytes, offset, &address);
    if (error) return error;
    host_copy copy = host_copy_flat(at(dst), address, bytes, kind);
    return copy_on(per_thread, stream, &copy, wait);
}

static host_error on_cudaMemcpyToSymbol(bool per_thread, const void *symbol, const void *src, size_t bytes,
                                        size_t offset, int kind)
{
    return to_symbol(per_thread, symbol, src, bytes, offset, kind, NULL, true);
}
RT_PAIR(cudaMemcpyToSymbol, ptds, (const void *symbol, const void *src, size_t bytes, size_t offset, int kind),
        (symbol, src, bytes, offset, kind))

static host_error on_cudaMemcpyFromSymbol(bool per_thread, void *dst, const void *symbol, size_t bytes, size_t offset,
                                          int kind)
{
    return from_symbol(per_thread, dst, symbol, bytes, offset, kind, NULL, true);
}
RT_PAIR(cudaMemcpyFromSymbol, ptds, (void *dst, const void *symbol, size_t bytes, size_t offset, int kind),
        (dst, symbol, bytes, offset, kind))

static host_error on_cudaMemcpyToSymbolAsync(bool per_thread, const void *symbol, const void *src, size_t bytes,
                                             size_t offset, int kind, void *stream)
{
    return to_symbol(per_thread, symbol, src, bytes, offset, kind, stream, false);
}
RT_PAIR(cudaMemcpyToSymbolAsync, ptsz,
        (const void *symbol, const void *src, size_t bytes, size_t offset, int kind, void *stream),
        (symbol, src, bytes, offset, kind, stream))

static host_error on_cudaMemcpyFromSymbolAsync(bool per_thread, void *dst, const void *symbol, size_t bytes,
                                               size_t offset, int kind, void *stream)
{
    return from_symbol(per_thread, dst, symbol, bytes, offset, kind, stream, false);
}
RT_PAIR(cudaMemcpyFromSymbolAsync, ptsz,
        (void *dst, const void *symbol, size_t bytes, size_t offset, int kind, void *stream),
        (dst, symbol, bytes, offset, kind, stream))

/* ---- sets ---- */
static host_error fill_on(bool per_thread, void *stream, const host_fill *fill, bool wait)
{
    host_stream *s = rt_stream(stream, per_thread);
    return s ? host_fill_put(rt_context(), s, fill, wait) : HOST_INVALID_RESOURCE_HANDLE;
}

static host_fill fill_of(void *dst, size_t pitch, size_t rows, int value, size_t width, size_t height, size_t depth)
{
    return (host_fill){{at(dst), pitch, rows}, (uint32_t)value & 0xff, 1, width, height, depth};
}

static host_error on_cudaMemset(bool per_thread, void *dst, int value, size_t bytes)
{
    host_fill fill = fill_of(dst, bytes, 1, value, bytes, 1, 1);
    return fill_on(per_thread, NULL, &fill, true);
}
RT_PAIR(cudaMemset, ptds, (void *dst, int value, size_t bytes), (dst, value, bytes))

static host_error on_cudaMemsetAsync(bool per_thread, void *dst, int value, size_t bytes, void *stream)
{
    host_fill fill = fill_of(dst, bytes, 1, value, bytes, 1, 1);
    return fill_on(per_thread, stream, &fill, false);
}
RT_PAIR(cudaMemsetAsync, ptsz, (void *dst, int value, size_t bytes, void *stream), (dst, value, bytes, stream))

static host_error on_cudaMemset2D(bool per_thread, void *dst, size_t pitch, int value, size_t width, size_t height)
{
    host_fill fill = fill_of(dst, pitch, height, value, width, height, 1);
    return fill_on(per_thread, NULL, &fill, true);
}
RT_PAIR(cudaMemset2D, ptds, (void *dst, size_t pitch, int value, size_t width, size_t height),
        (dst, pitch, value, width, height))

static host_error on_cudaMemset2DAsync(bool per_thread, void *dst, size_t pitch, int value, size_t width, size_t height,
                                       void *stream)
{
    host_fill fill = fill_of(dst, pitch, height, value, width, height, 1);
    return fill_on(per_thread, stream, &fill, false);
}
RT_PAIR(cudaMemset2DAsync, ptsz, (void *dst, size_t pitch, int value, size_t width, size_t height, void *stream),
        (dst, pitch, value, width, height, stream))

static host_error on_cudaMemset3D(bool per_thread, rt_pitched_ptr dst, int value, rt_extent extent)
{
    host_fill fill = fill_of(dst.ptr, dst.pitch, dst.ysize, value, extent.width, extent.height, extent.depth);
    return fill_on(per_thread, NULL, &fill, true);
}
RT_PAIR(cudaMemset3D, ptds, (rt_pitched_ptr dst, int value, rt_extent extent), (dst, value, extent))

static host_error on_cudaMemset3DAsync(bool per_thread, rt_pitched_ptr dst, int value, rt_extent extent, void *stream)
{
    host_fill fill = fill_of(dst.ptr, dst.pitch, dst.ysize, value, extent.width, extent.height, extent.depth);
    return fill_on(per_thread, stream, &fill, false);
}
RT_PAIR(cudaMemset3DAsync, ptsz, (rt_pitched_ptr dst, int value, rt_extent extent, void *stream),
        (dst, value, extent, stream))
