/* Copies and sets of linear memory and symbols, and copies in three dimensions, which take arrays too. */
#include "cudart/cudart.h"
#include "host/refuse.h"

static uint64_t at(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

RT_TWICE(cudaMemcpy, ptds, (uint64_t dst, uint64_t src, size_t bytes, int kind),
         face_copy_flat(NULL, per_thread, dst, src, bytes, kind, true))
RT_TWICE(cudaMemcpyAsync, ptsz, (uint64_t dst, uint64_t src, size_t bytes, int kind, void *stream),
         face_copy_flat(stream, per_thread, dst, src, bytes, kind, false))

void rt_single_row(host_side *side, size_t width)
{
    if (!side->pitch && side->rows <= 1) side->pitch = width;
}

static host_error refuse_pitch(host_error error, size_t width)
{
    return host_refuse(
        error,
        "A pitch, the bytes from one row to the next, is less than the width of a row, %zu bytes. Both are in "
        "bytes, not in elements.",
        width);
}

host_error rt_refuse_pitch(size_t width) { return refuse_pitch(HOST_INVALID_PITCH_VALUE, width); }

/* As an H200 answers: no rows, nothing is looked at; a single row may have the pitch 0, but none below its width. */
static host_error check_pitch(host_side *side, size_t width)
{
    rt_single_row(side, width);
    if (!side->rows || side->pitch >= width) return 0;
    return refuse_pitch(side->rows > 1 ? HOST_INVALID_PITCH_VALUE : HOST_INVALID_VALUE, width);
}

static host_error copy_rows(void *stream, bool per_thread, host_side dst, host_side src, size_t width, int kind,
                            bool wait)
{
    host_error error = check_pitch(&dst, width);
    if (!error) error = check_pitch(&src, width);
    if (error) return error;
    host_copy copy = {dst, src, width, dst.rows, 1, kind, false};
    return face_copy_put(stream, per_thread, &copy, wait);
}

RT_TWICE(cudaMemcpy2D, ptds,
         (uint64_t dst, size_t dst_pitch, uint64_t src, size_t src_pitch, size_t width, size_t height, int kind),
         copy_rows(NULL, per_thread, (host_side){dst, dst_pitch, height}, (host_side){src, src_pitch, height}, width,
                   kind, true))
RT_TWICE(cudaMemcpy2DAsync, ptsz,
         (uint64_t dst, size_t dst_pitch, uint64_t src, size_t src_pitch, size_t width, size_t height, int kind,
          void *stream),
         copy_rows(stream, per_thread, (host_side){dst, dst_pitch, height}, (host_side){src, src_pitch, height}, width,
                   kind, false))

/* ---- three dimensions ----
 * Widths and x positions count elements where an array takes part, bytes otherwise. */
static bool holds(uint64_t size, uint64_t at, uint64_t count) { return at <= size && count <= size - at; }

static host_error side_3d(const host_array *array, rt_pos pos, const rt_pitched_ptr *ptr, rt_extent extent,
                          host_side *out)
{
    if (array) {
        if (!host_array_valid(host_get(), array)) return HOST_INVALID_VALUE;
        uint64_t rows = LW_MAX(array->height, UINT64_C(1)), slices = LW_MAX(array->depth, UINT64_C(1));
        if (!holds(array->width, pos.x, extent.width) || !holds(rows, pos.y, extent.height) ||
            !holds(slices, pos.z, extent.depth))
            return host_refuse(HOST_INVALID_VALUE, "The copy goes beyond the array of %llu x %llu x %llu elements.",
                               (unsigned long long)array->width, (unsigned long long)rows, (unsigned long long)slices);
        uint64_t offset = (pos.z * rows + pos.y) * array->pitch + pos.x * array->element_bytes;
        *out = (host_side){array->address + offset, array->pitch, rows};
    } else {
        if (!ptr->ptr) return HOST_INVALID_VALUE;
        uint64_t rows = ptr->ysize;
        *out = (host_side){at(ptr->ptr) + (pos.z * rows + pos.y) * ptr->pitch + pos.x, ptr->pitch, rows};
    }
    return 0;
}

host_error rt_copy_3d(const void *params, host_copy *out)
{
    const rt_memcpy3d *p = params;
    if (!p) return HOST_INVALID_VALUE;
    if ((p->src_array && p->src_ptr.ptr) || (p->dst_array && p->dst_ptr.ptr)) return HOST_INVALID_VALUE;
    if (p->src_array && !host_array_valid(host_get(), p->src_array)) return HOST_INVALID_VALUE;
    if (p->dst_array && !host_array_valid(host_get(), p->dst_array)) return HOST_INVALID_VALUE;
    const host_array *array = p->dst_array ? p->dst_array : p->src_array;
    uint64_t element = array ? array->element_bytes : 1;
    *out = (host_copy){
        .width = p->extent.width * element, .height = p->extent.height, .depth = p->extent.depth, .kind = p->kind};
    if (!out->width || !out->height || !out->depth) return 0;
    host_error error = side_3d(p->src_array, p->src_pos, &p->src_ptr, p->extent, &out->src);
    if (!error) error = side_3d(p->dst_array, p->dst_pos, &p->dst_ptr, p->extent, &out->dst);
    if (!error && (out->src.pitch < out->width || out->dst.pitch < out->width)) error = rt_refuse_pitch(out->width);
    if (out->depth > 1 && (out->src.rows < out->height || out->dst.rows < out->height)) error = HOST_INVALID_VALUE;
    return error;
}

/* ---- between devices ---- */
static host_error check_devices(int dst, int src)
{
    host_error error = rt_check_device(dst);
    return error ? error : rt_check_device(src);
}

static host_error copy_3d_peer(void *stream, bool per_thread, const rt_memcpy3d_peer *p, bool wait)
{
    if (!p) return HOST_INVALID_VALUE;
    host_error error = check_devices(p->src_device, p->dst_device);
    if (error) return error;
    rt_memcpy3d plain = {p->src_array, p->src_pos, p->src_ptr, p->dst_array,
                         p->dst_pos,   p->dst_ptr, p->extent,  HOST_COPY_DEFAULT};
    return face_copy_3d(&rt_face, stream, per_thread, &plain, wait);
}
RT_TWICE(cudaMemcpy3DPeer, ptds, (const rt_memcpy3d_peer *p), copy_3d_peer(NULL, per_thread, p, true))
RT_TWICE(cudaMemcpy3DPeerAsync, ptsz, (const rt_memcpy3d_peer *p, void *stream),
         copy_3d_peer(stream, per_thread, p, false))

RT(cudaMemcpyPeer)(uint64_t dst, int dst_device, uint64_t src, int src_device, size_t bytes)
{
    host_error error = bytes ? check_devices(dst_device, src_device) : 0;
    return rt_end(error ? error : face_copy_peer(NULL, false, dst, dst_device, src, src_device, bytes, true));
}

RT(cudaMemcpyPeerAsync)(uint64_t dst, int dst_device, uint64_t src, int src_device, size_t bytes, void *stream)
{
    host_error error = bytes ? check_devices(dst_device, src_device) : 0;
    return rt_end(error ? error : face_copy_peer(stream, false, dst, dst_device, src, src_device, bytes, false));
}

/* ---- symbols ---- */
static host_error to_symbol(void *stream, bool per_thread, const void *symbol, uint64_t src, size_t bytes,
                            size_t offset, int kind, bool wait)
{
    uint64_t dst;
    if (kind != HOST_COPY_H2D && kind != HOST_COPY_D2D && kind != HOST_COPY_DEFAULT)
        return HOST_INVALID_MEMCPY_DIRECTION;
    host_error error = rt_symbol_range(symbol, bytes, offset, &dst);
    return error ? error : face_copy_flat(stream, per_thread, dst, src, bytes, kind, wait);
}

static host_error from_symbol(void *stream, bool per_thread, uint64_t dst, const void *symbol, size_t bytes,
                              size_t offset, int kind, bool wait)
{
    uint64_t src;
    if (kind != HOST_COPY_D2H && kind != HOST_COPY_D2D && kind != HOST_COPY_DEFAULT)
        return HOST_INVALID_MEMCPY_DIRECTION;
    host_error error = rt_symbol_range(symbol, bytes, offset, &src);
    return error ? error : face_copy_flat(stream, per_thread, dst, src, bytes, kind, wait);
}

RT_TWICE(cudaMemcpyToSymbol, ptds, (const void *symbol, uint64_t src, size_t bytes, size_t offset, int kind),
         to_symbol(NULL, per_thread, symbol, src, bytes, offset, kind, true))
RT_TWICE(cudaMemcpyFromSymbol, ptds, (uint64_t dst, const void *symbol, size_t bytes, size_t offset, int kind),
         from_symbol(NULL, per_thread, dst, symbol, bytes, offset, kind, true))
RT_TWICE(cudaMemcpyToSymbolAsync, ptsz,
         (const void *symbol, uint64_t src, size_t bytes, size_t offset, int kind, void *stream),
         to_symbol(stream, per_thread, symbol, src, bytes, offset, kind, false))
RT_TWICE(cudaMemcpyFromSymbolAsync, ptsz,
         (uint64_t dst, const void *symbol, size_t bytes, size_t offset, int kind, void *stream),
         from_symbol(stream, per_thread, dst, symbol, bytes, offset, kind, false))

/* ---- sets ---- */
static host_error fill(void *stream, bool per_thread, host_side dst, int value, rt_extent extent, bool wait)
{
    host_fill fill = {dst, (uint32_t)value & 0xff, 1, extent.width, extent.height, extent.depth};
    return face_fill_put(stream, per_thread, &fill, wait);
}

RT_TWICE(cudaMemset, ptds, (uint64_t dst, int value, size_t bytes),
         fill(NULL, per_thread, (host_side){dst, bytes, 1}, value, (rt_extent){bytes, 1, 1}, true))
RT_TWICE(cudaMemsetAsync, ptsz, (uint64_t dst, int value, size_t bytes, void *stream),
         fill(stream, per_thread, (host_side){dst, bytes, 1}, value, (rt_extent){bytes, 1, 1}, false))

RT_TWICE(cudaMemset2D, ptds, (uint64_t dst, size_t pitch, int value, size_t width, size_t height),
         fill(NULL, per_thread, (host_side){dst, pitch, height}, value, (rt_extent){width, height, 1}, true))
RT_TWICE(cudaMemset2DAsync, ptsz, (uint64_t dst, size_t pitch, int value, size_t width, size_t height, void *stream),
         fill(stream, per_thread, (host_side){dst, pitch, height}, value, (rt_extent){width, height, 1}, false))

RT_TWICE(cudaMemset3D, ptds, (rt_pitched_ptr dst, int value, rt_extent extent),
         fill(NULL, per_thread, (host_side){at(dst.ptr), dst.pitch, dst.ysize}, value, extent, true))
RT_TWICE(cudaMemset3DAsync, ptsz, (rt_pitched_ptr dst, int value, rt_extent extent, void *stream),
         fill(stream, per_thread, (host_side){at(dst.ptr), dst.pitch, dst.ysize}, value, extent, false))
