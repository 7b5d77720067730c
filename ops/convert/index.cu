/*
 * Gather and scatter of rows by index. Rows move in 16-byte windows aligned in the destination and read at any
 * alignment; row ends go in pieces of gran bytes. Short rows share a block, long ones are cut into segments.
 */
#include "common/kernel.cuh"
#include "convert/convert.h"

#define WINDOWS 4

/* Source and destination of row i; false if its index is outside the table. */
LW_DEV bool row_of(const lw_index_params &p, int64_t i, char **dst, const char **src)
{
    int64_t at = p.wide ? ((const int64_t *)p.index)[i] : ((const int32_t *)p.index)[i];
    if (p.wrap && at < 0) at += p.table_rows;
    if (at < 0 || at >= p.table_rows) return false;
    *dst = p.out + (p.scatter ? at : i) * p.out_pitch;
    *src = p.in + (p.scatter ? i : at) * p.in_pitch;
    return true;
}

LW_DEV void window(const lw_index_params &p, char *dst, const char *src, int64_t w)
{
    int64_t x = w * 16 - (int64_t)((uintptr_t)dst & 15);
    if (x >= 0 && x + 16 <= p.row_bytes) {
        store16(dst + x, load16_any(src + x, p.lo, p.hi, p.gran));
        return;
    }
    int64_t to = min(x + 16, p.row_bytes);
    for (int64_t b = x < 0 ? 0 : x; b < to; b += p.gran) copy_small(dst + b, src + b, p.gran);
}

__global__ void __launch_bounds__(LW_BLOCK) index_kernel(const lw_index_params p)
{
    char *dst;
    const char *src;
    if (p.segments) {
        int64_t row = blockIdx.x / p.segments,
                w = (int64_t)(blockIdx.x % p.segments) * (LW_BLOCK * WINDOWS) + threadIdx.x;
        if (!row_of(p, row, &dst, &src)) return;
#pragma unroll
        for (int k = 0; k < WINDOWS; k++) {
            if ((w + k * LW_BLOCK) * 16 < p.row_bytes + 15) window(p, dst, src, w + k * LW_BLOCK);
        }
        return;
    }
    int64_t row0 = (int64_t)blockIdx.x * p.rows_per_block;
    uint32_t rows = (uint32_t)min((int64_t)p.rows_per_block, p.count - row0);
    for (uint32_t i = threadIdx.x; i < rows * p.windows.d; i += LW_BLOCK) {
        uint32_t r = fdiv(i, p.windows);
        if (row_of(p, row0 + r, &dst, &src)) window(p, dst, src, i - r * p.windows.d);
    }
}

extern "C" int lw_index_launch(const lw_index_params *p, uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(index_kernel, grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_index_setup(lw_ops *)
{
    cudaFuncAttributes a;
    return (int)cudaFuncGetAttributes(&a, (const void *)index_kernel);
}
