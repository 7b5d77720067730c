/*
 * Strided copies whose fastest dimension is contiguous on both sides: rows are copied, or their elements reversed, in
 * 16-byte windows of the destination. Aligned rows of up to two more dimensions go a window a thread (lines). Otherwise
 * long rows are cut into segments of 1024 windows, one per block; of short rows a block takes several. The "any" form,
 * for copies only (flip.cu has the rest), lets source and destination have any alignment: windows are aligned in the
 * destination, the source is read by two aligned vectors and a shift; the rows' ends go in pieces of `gran` bytes, all
 * lanes taking part.
 */
#include "common/kernel.cuh"
#include "copy/kernels.h"

#define WINDOWS 4 /* per thread: 64 bytes in flight */

typedef void (*rows_fn)(const lw_rows_params);

/* A row's window w: bytes x..x+15 of the output row; the reversed source lies mirrored in the row. */
template <int R> LW_DEV int64_t source_of(int64_t x, int64_t len) { return R ? len - 16 - x : x; }

/* What lies before the first and after the last full window of a row: piece i of up to 32 / gran. */
LW_DEV void row_end(char *dst, const char *src, uint32_t i, int64_t len, uint32_t gran)
{
    uint32_t head = (16 - ((uint32_t)(uintptr_t)dst & 15)) & 15;
    if (head > len) head = (uint32_t)len;
    uint32_t tail = (uint32_t)(len - head) & 15, b = i * gran;
    if (b >= head + tail) return;
    int64_t at = b < head ? b : b + (len - head - tail);
    copy_small(dst + at, src + at, gran);
}

template <int R, bool ANY> __global__ void __launch_bounds__(LW_BLOCK) rows_kernel(const lw_rows_params p)
{
    uint32_t block = blockIdx.x, first, count, row0;
    if (p.rows_per_block) {
        row0 = block * p.rows_per_block;
        count = min(p.rows_per_block, p.rows - row0) * p.windows.d;
        first = 0;
    } else {
        row0 = fdiv(block, p.segments);
        first = 0;
        count = LW_BLOCK * WINDOWS;
    }
    int64_t segment = (int64_t)(block - row0 * p.segments.d) * (LW_BLOCK * WINDOWS);
    int64_t in0 = 0, out0 = 0;
    if (!p.rows_per_block) outer_decode(p.outer, row0, &in0, &out0);
    const int64_t len = p.len;
    for (first = threadIdx.x; first < count; first += LW_BLOCK * WINDOWS) {
        uint4 v[WINDOWS];
        int64_t x[WINDOWS];
        char *dst[WINDOWS];
        const char *src[WINDOWS];
#pragma unroll
        for (int k = 0; k < WINDOWS; k++) {
            uint32_t i = first + k * LW_BLOCK;
            int64_t in = in0, out = out0, w = segment + i;
            if (p.rows_per_block) {
                uint32_t row = fdiv(i, p.windows);
                w = i - row * p.windows.d;
                outer_decode(p.outer, row0 + row, &in, &out);
            }
            dst[k] = p.out + out;
            src[k] = p.in + in;
            x[k] = w * 16 - (ANY ? (int64_t)((uintptr_t)dst[k] & 15) : 0);
            if (i >= count) x[k] = len;
            if (x[k] >= 0 && x[k] + 16 <= len) {
                int64_t s = source_of<R>(x[k], len);
                v[k] = ANY ? load16_any(src[k] + s, p.lo, p.hi, p.gran) : load16(src[k] + s);
            }
        }
#pragma unroll
        for (int k = 0; k < WINDOWS; k++) {
            if (x[k] >= 0 && x[k] + 16 <= len) store16(dst[k] + x[k], R ? reverse16<R ? R : 16>(v[k]) : v[k]);
        }
    }
    if (!ANY) return;
    const uint32_t pieces = 32 / p.gran;
    if (!p.rows_per_block) {
        if (segment == 0 && threadIdx.x < pieces) row_end(p.out + out0, p.in + in0, threadIdx.x, len, p.gran);
        return;
    }
    uint32_t rows = count / p.windows.d;
    for (uint32_t i = threadIdx.x; i < rows * pieces; i += LW_BLOCK) {
        int64_t in = 0, out = 0;
        outer_decode(p.outer, row0 + i / pieces, &in, &out);
        row_end(p.out + out, p.in + in, i % pieces, len, p.gran);
    }
}

/*
 * Aligned rows of few dimensions, one window per thread, counted through all rows: little to work out before the load
 * is under way. ND: dimensions besides the row.
 */
template <int R, int ND> __global__ void __launch_bounds__(LW_BLOCK) line_kernel(const lw_rows_params p)
{
    const char *in = p.in;
    char *out = p.out;
    int64_t x;
    if (ND == 0) {
        x = ((int64_t)blockIdx.x * LW_BLOCK + threadIdx.x) * 16;
        if (x >= p.len) return;
    } else {
        uint32_t i = blockIdx.x * LW_BLOCK + threadIdx.x, row = fdiv(i, p.windows);
        if (row >= p.rows) return;
        x = (int64_t)(i - row * p.windows.d) * 16;
#pragma unroll
        for (int k = 0; k < ND; k++) {
            uint32_t q = k + 1 < ND ? fdiv(row, p.outer.div[k]) : 0, c = row - q * p.outer.div[k].d;
            in += (int64_t)c * p.outer.in[k];
            out += (int64_t)c * p.outer.out[k];
            row = q;
        }
    }
    uint4 v = load16(in + source_of<R>(x, p.len));
    store16(out + x, R ? reverse16<R ? R : 16>(v) : v);
}

static const rows_fn table[6][2] = {
    {rows_kernel<0, false>, rows_kernel<0, true>},
    {rows_kernel<1, false>, 0},
    {rows_kernel<2, false>, 0},
    {rows_kernel<4, false>, 0},
    {rows_kernel<8, false>, 0},
    {rows_kernel<16, false>, 0},
};

#define DIMS(R) {line_kernel<R, 0>, line_kernel<R, 1>, line_kernel<R, 2>}
static const rows_fn lines[6][LW_LINE_DIMS + 1] = {DIMS(0), DIMS(1), DIMS(2), DIMS(4), DIMS(8), DIMS(16)};

static int row_of(int reversed)
{
    return reversed == 0 ? 0 : reversed == 1 ? 1 : reversed == 2 ? 2 : reversed == 4 ? 3 : reversed == 8 ? 4 : 5;
}

extern "C" int lw_rows_launch(const lw_rows_params *p, int reversed, bool misaligned, uint32_t grid, lw_stream stream)
{
    if (p->line) return LW_LAUNCH(lines[row_of(reversed)][p->outer.dims], grid, LW_BLOCK, 0, stream, p);
    if (!table[row_of(reversed)][misaligned]) return (int)cudaErrorInvalidValue;
    return LW_LAUNCH(table[row_of(reversed)][misaligned], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_rows_code(int *code)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaFuncGetAttributes(&a, (const void *)table[0][0]);
    if (e == cudaSuccess) *code = a.ptxVersion;
    return (int)e;
}

extern "C" int lw_rows_setup(lw_ops *)
{
    cudaFuncAttributes a;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 2 + LW_LINE_DIMS + 1; j++) {
            rows_fn fn = j < 2 ? table[i][j] : lines[i][j - 2];
            if (!fn) continue;
            cudaError_t e = cudaFuncGetAttributes(&a, (const void *)fn);
            if (e != cudaSuccess) return (int)e;
        }
    }
    return 0;
}
