/*
 * The passes of a transposition in place (Catanzaro, Keller and Garland, "A decomposition for in-place matrix
 * transposition", 2014): an m x n matrix becomes its transpose by permutations of its rows and its columns alone, each
 * out of place between the matrix and a small scratch or inside shared memory.
 *  band   rotates columns: row x of column j comes from row x + s(j), by tiles that read the rows they need once
 *  lines  moves whole rows (of a strip of columns) by the permutation q
 *  turn   permutes the elements of every row, in shared memory; `spread` does so out of a scratch for longer rows
 * Elements are k units of 1, 2, 4, 8 or 16 bytes.
 */
#include "common/kernel.cuh"
#include "inplace/inplace.h"

typedef void (*shuffle_fn)(const lw_shuffle_params);

#define BAND_ROWS(U) ((U) == 16 ? 32 : 64) /* output rows of a tile; up to 31 more are read */

/* How far column j is rotated: j or j / b, as a distance below m. */
LW_DEV uint32_t rotation(const lw_shuffle_params &p, uint32_t unit)
{
    uint32_t j = fdiv(unit, p.k);
    if (p.by_block) j = fdiv(j, p.b);
    return j - fdiv(j, p.m) * p.m.d;
}

/* The distance from the tile's least rotated column; columns side by side differ by 0 or 1. */
template <int U> __global__ void __launch_bounds__(LW_BLOCK) band_kernel(const lw_shuffle_params p)
{
    typedef typename vec<U>::t unit;
    const int rows = BAND_ROWS(U), LOADS = (rows + 31 + LW_BLOCK / 32 - 1) / (LW_BLOCK / 32);
    __shared__ unit tile[(rows + 31) * 32];
    uint32_t row_tile = fdiv(blockIdx.x, p.col_tiles), col_tile = blockIdx.x - row_tile * p.col_tiles.d;
    uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, col = col_tile * 32 + lane, m = p.m.d;
    bool inside = col < p.units;
    uint32_t s = rotation(p, p.first_unit + (inside ? col : p.units - 1));
    uint32_t low = __shfl_sync(~0u, s, 0), high = __shfl_sync(~0u, s, 31);
    uint32_t from_low = s >= low ? s - low : s + m - low, span = high >= low ? high - low : high + m - low;
    uint32_t own = p.backwards ? span - from_low : from_low, row0 = row_tile * rows;
    uint32_t base =
        p.backwards ? (row0 >= high ? row0 - high : row0 + m - high) : (row0 + low >= m ? row0 + low - m : row0 + low);
    const char *src = p.src + (int64_t)col * U;
    unit v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) { /* all on their way before the first is stored */
        uint32_t r = warp + k * (LW_BLOCK / 32), row = base + r;
        row -= fdiv(row, p.m) * m;
        if (inside && r < rows + span) v[k] = *(const unit *)(src + row * p.src_row);
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        uint32_t r = warp + k * (LW_BLOCK / 32);
        if (inside && r < rows + span) tile[r * 32 + lane] = v[k];
    }
    __syncthreads();
    char *dst = p.dst + (int64_t)col * U;
    for (uint32_t r = warp; r < rows && row0 + r < m; r += LW_BLOCK / 32) {
        if (inside) *(unit *)(dst + (row0 + r) * p.dst_row) = tile[(r + own) * 32 + lane];
    }
}

/* Row i of a strip, or row q(i), in vectors of V bytes. */
template <int V> __global__ void __launch_bounds__(LW_BLOCK) lines_kernel(const lw_shuffle_params p)
{
    typedef typename vec<V>::t value;
    uint32_t first = blockIdx.x * p.rows_per_block, rows = min(p.rows_per_block, p.m.d - first);
    uint32_t total = rows * p.units;
    for (uint32_t e0 = threadIdx.x; e0 < total; e0 += 4 * LW_BLOCK) {
        value v[4];
        char *to_at[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t e = e0 + k * LW_BLOCK, r = p.rows_per_block == 1 ? 0 : fdiv(e, p.k), at = e - r * p.units,
                     i = first + r, q = i;
            if (e >= total) continue;
            if (p.lines != LW_LINES_STRAIGHT) q = (uint32_t)(((uint64_t)i * p.n.d - fdiv(i, p.a)) % p.m.d);
            uint32_t from = p.lines == LW_LINES_GATHER ? q : i, to = p.lines == LW_LINES_SCATTER ? q : i;
            to_at[k] = p.dst + to * p.dst_row + (int64_t)at * V;
            v[k] = *(const value *)(p.src + from * p.src_row + (int64_t)at * V);
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (e0 + k * LW_BLOCK < total) *(value *)to_at[k] = v[k];
        }
    }
}

/* Where element j of row i goes: ((i + j / b) mod m + j m) mod n. */
LW_DEV uint32_t place_of(const lw_shuffle_params &p, uint32_t i, uint32_t j)
{
    uint32_t x = i + fdiv(j, p.b), far;
    if (x >= p.m.d) x -= p.m.d;
    x -= fdiv(x, p.n) * p.n.d;
    if (p.n.d < 46340) {
        far = j * p.m_mod_n;
        far -= fdiv(far, p.n) * p.n.d;
    } else {
        far = (uint32_t)((uint64_t)j * p.m_mod_n % p.n.d);
    }
    x += far;
    return x >= p.n.d ? x - p.n.d : x;
}

/* Rows in shared memory, read and written once. */
template <int U> __global__ void __launch_bounds__(LW_BLOCK) turn_kernel(const lw_shuffle_params p)
{
    typedef typename vec<U>::t unit;
    LW_DYNAMIC_SHARED(shared);
    unit *tile = (unit *)shared;
    uint32_t first = blockIdx.x * p.rows_per_block, rows = min(p.rows_per_block, p.m.d - first), total = rows * p.units;
    unit *data = (unit *)(p.dst + first * p.dst_row);
    for (uint32_t e0 = threadIdx.x; e0 < total; e0 += 8 * LW_BLOCK) {
        unit v[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (e0 + i * LW_BLOCK < total) v[i] = data[e0 + i * LW_BLOCK];
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            uint32_t e = e0 + i * LW_BLOCK, r = fdiv(e, p.row_units), c = e - r * p.units, j = fdiv(c, p.k), at = e;
            if (e >= total) continue;
            if (!p.backwards) at = r * p.units + place_of(p, first + r, j) * p.k.d + (c - j * p.k.d);
            tile[at] = v[i];
        }
    }
    __syncthreads();
#pragma unroll 4
    for (uint32_t e = threadIdx.x; e < total; e += LW_BLOCK) {
        uint32_t r = fdiv(e, p.row_units), c = e - r * p.units, j = fdiv(c, p.k), at = e;
        if (p.backwards) at = r * p.units + place_of(p, first + r, j) * p.k.d + (c - j * p.k.d);
        data[e] = tile[at];
    }
}

/* Long rows, first_row on, from a scratch: one block takes 4 units per thread of one row. */
template <int U> __global__ void __launch_bounds__(LW_BLOCK) spread_kernel(const lw_shuffle_params p)
{
    typedef typename vec<U>::t unit;
    uint32_t r = fdiv(blockIdx.x, p.col_tiles), part = blockIdx.x - r * p.col_tiles.d;
    const unit *src = (const unit *)(p.src + r * p.src_row);
    unit *dst = (unit *)(p.dst + r * p.dst_row);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t e = part * (4 * LW_BLOCK) + k * LW_BLOCK + threadIdx.x;
        if (e >= p.units) return;
        uint32_t j = fdiv(e, p.k), at = place_of(p, p.first_row + r, j) * p.k.d + (e - j * p.k.d);
        if (p.backwards) dst[e] = src[at];
        else dst[at] = src[e];
    }
}

#define ROW(U) {band_kernel<U>, lines_kernel<U>, turn_kernel<U>, spread_kernel<U>}
static const shuffle_fn table[5][4] = {ROW(1), ROW(2), ROW(4), ROW(8), ROW(16)};

static int row_of(int unit) { return unit == 1 ? 0 : unit == 2 ? 1 : unit == 4 ? 2 : unit == 8 ? 3 : 4; }

extern "C" int lw_shuffle_launch(const lw_shuffle_params *p, int pass, int unit, uint32_t grid, uint32_t shared,
                                 lw_stream stream)
{
    return LW_LAUNCH(table[row_of(unit)][pass], grid, LW_BLOCK, shared, stream, p);
}

extern "C" int lw_shuffle_band_rows(int unit) { return BAND_ROWS(unit); }

extern "C" int lw_shuffle_setup(lw_ops *ops)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 20 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)table[i / 4][i % 4]);
    for (int i = 0; i < 5 && e == cudaSuccess; i++) {
        e = cudaFuncSetAttribute((const void *)table[i][LW_PASS_TURN], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 ops->shared_optin);
    }
    return (int)e;
}
