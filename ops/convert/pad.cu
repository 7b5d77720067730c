/*
 * Pads in one launch where everything lies at multiples of 16 bytes and rows are long: a vector of the output comes
 * from the source, or is the pattern. Rows are the output's, in segments of 1024 vectors, one per block; which row of
 * the source one is follows from its coordinates.
 */
#include "common/kernel.cuh"
#include "convert/convert.h"

#define WINDOWS 4 /* per thread: 64 bytes in flight */

/* The source's row for row `row` of the output; 0: there is none. */
LW_DEV const char *source_row(const lw_pad_params &p, uint32_t row)
{
    const char *src = p.in;
    for (int i = 0; i < p.dims; i++) {
        uint32_t q = i + 1 < p.dims ? fdiv(row, p.dim[i].extent) : 0, c = row - q * p.dim[i].extent.d - p.dim[i].before;
        if (c >= p.dim[i].size) return 0;
        src += (int64_t)c * p.dim[i].stride;
        row = q;
    }
    return src;
}

__global__ void __launch_bounds__(LW_BLOCK) pad_kernel(const lw_pad_params p)
{
    uint32_t row = fdiv(blockIdx.x, p.segments);
    int64_t segment = (int64_t)(blockIdx.x - row * p.segments.d) * (LW_BLOCK * WINDOWS * 16);
    const char *src = source_row(p, row);
    char *dst = p.out + row * p.width;
    uint4 v[WINDOWS];
#pragma unroll
    for (int k = 0; k < WINDOWS; k++) {
        int64_t x = segment + (threadIdx.x + k * LW_BLOCK) * 16, y = x - p.first;
        v[k] = *(const uint4 *)p.pattern;
        if (src && y >= 0 && y < p.len) v[k] = load16(src + y);
    }
#pragma unroll
    for (int k = 0; k < WINDOWS; k++) {
        int64_t x = segment + (threadIdx.x + k * LW_BLOCK) * 16;
        if (x < p.width) store16(dst + x, v[k]);
    }
}

extern "C" int lw_pad_segment(void) { return LW_BLOCK * WINDOWS * 16; }

extern "C" int lw_pad_launch(const lw_pad_params *p, uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(pad_kernel, grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_pad_setup(lw_ops *)
{
    cudaFuncAttributes a;
    return (int)cudaFuncGetAttributes(&a, (const void *)pad_kernel);
}
