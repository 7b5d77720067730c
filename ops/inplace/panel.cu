/*
 * Transposition in place of m x n elements by permutations of chunks of some hundred bytes and transpositions of
 * tiles in shared memory, each of them one trip through memory.
 *  Few columns, m = P M: panels of P rows are transposed in shared memory, which makes M x n chunks of P elements;
 *  then these become n x M. The way back does the same in the other order.
 *  Otherwise m = P M, n = Q N: in each of M panels P x N chunks of Q elements become N x P, tiles of P x Q are
 *  transposed, and M x n chunks of P elements become n x M.
 * Chunks follow the cycles of their permutation: the first `saved` chunks are copied to the scratch beforehand, so a
 * warp starts at each of these places, fills it from where its content comes from, goes on with the hole that leaves,
 * and ends at a saved chunk. Every chunk is read and written by one warp only. A cycle that meets no saved chunk is
 * walked by the warp that looks at its least place.
 */
#include "common/kernel.cuh"
#include "inplace/inplace.h"

typedef void (*panel_fn)(const lw_panel_params);

#define FLIGHT 16 /* loads of a thread on the way at once */

/* A panel of rows x cols becomes cols x rows, or back. Lines of the tile are p.pitch elements apart. */
template <int U> __global__ void __launch_bounds__(LW_BLOCK) panel_kernel(const lw_panel_params p)
{
    typedef typename vec<U>::t elem;
    LW_DYNAMIC_SHARED(shared);
    elem *tile = (elem *)shared;
    elem *data = (elem *)(p.data + (int64_t)blockIdx.x * p.panel_bytes);
    const uint32_t total = p.rows.d * p.cols.d, far = p.back ? p.pitch : 1, near = p.back ? 1 : p.pitch;
    const lw_fdiv across = p.back ? p.rows : p.cols, along = p.back ? p.cols : p.rows;
    for (uint32_t e0 = threadIdx.x; e0 < total; e0 += FLIGHT * LW_BLOCK) {
        elem v[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) {
            if (e0 + k * LW_BLOCK < total) v[k] = data[e0 + k * LW_BLOCK];
        }
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) {
            uint32_t e = e0 + k * LW_BLOCK, q = fdiv(e, across);
            if (e < total) tile[q * far + (e - q * across.d) * near] = v[k];
        }
    }
    __syncthreads();
#pragma unroll 8
    for (uint32_t e = threadIdx.x; e < total; e += LW_BLOCK) {
        uint32_t q = fdiv(e, along);
        data[e] = tile[q * near + (e - q * along.d) * far];
    }
}

template <int V> LW_DEV void move_chunk(char *to, const char *from, uint32_t bytes, uint32_t lane)
{
    typedef typename vec<V>::t value;
    const value *src = (const value *)from + lane;
    value *dst = (value *)to + lane;
    const uint32_t n = bytes / V;
    for (uint32_t i = lane; i < n; i += 32 * 4) {
        value v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (i + 32 * k < n) v[k] = src[i - lane + 32 * k];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (i + 32 * k < n) dst[i - lane + 32 * k] = v[k];
        }
    }
}

/* Whose content belongs at place x. */
LW_DEV uint32_t comes_from(const lw_panel_params &p, uint32_t x)
{
    uint32_t q = fdiv(x, p.source);
    return (x - q * p.source.d) * p.others + q;
}

/* From the hole at `first` on, to a saved chunk or, where none is in the cycle, to the one held in shared memory. */
template <int V> LW_DEV void follow(const lw_panel_params &p, uint32_t first, const char *held, uint32_t lane)
{
    for (uint32_t hole = first;;) {
        uint32_t from = comes_from(p, hole);
        const char *src = p.data + (int64_t)from * p.chunk;
        bool last = held ? from == first : from < p.saved;
        if (last) src = held ? held : p.scratch + (int64_t)from * p.chunk;
        move_chunk<V>(p.data + (int64_t)hole * p.chunk, src, p.chunk, lane);
        if (last) return;
        hole = from;
    }
}

template <int V> __global__ void __launch_bounds__(LW_BLOCK) chunk_kernel(lw_panel_params p)
{
    __shared__ __align__(16) char held[LW_BLOCK / 32][LW_PANEL_CHUNK];
    const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, all = blockIdx.x * (LW_BLOCK / 32) + warp;
    const uint32_t batch = fdiv(all, p.warps), id = all - batch * p.warps.d;
    if (batch >= p.batches) return;
    p.data += batch * p.one;
    p.scratch += (int64_t)batch * p.saved * p.chunk;
    if (id < p.saved) {
        follow<V>(p, id, NULL, lane);
        return;
    }
    uint32_t x = p.saved + (id - p.saved) * 32 + lane, y = x;
    bool leader = false;
    if (x < p.chunks && comes_from(p, x) != x) {
        do y = comes_from(p, y);
        while (y > x);
        leader = y == x;
    }
    for (uint32_t some = __ballot_sync(~0u, leader); some; some &= some - 1) {
        uint32_t first = __shfl_sync(~0u, x, __ffs((int)some) - 1);
        move_chunk<V>(held[warp], p.data + (int64_t)first * p.chunk, p.chunk, lane);
        __syncwarp();
        follow<V>(p, first, held[warp], lane);
        __syncwarp();
    }
}

#define ROW(U) {panel_kernel<U>, chunk_kernel<U>}
static const panel_fn table[5][2] = {ROW(1), ROW(2), ROW(4), ROW(8), ROW(16)};

static int row_of(int unit) { return unit == 1 ? 0 : unit == 2 ? 1 : unit == 4 ? 2 : unit == 8 ? 3 : 4; }

extern "C" int lw_panel_launch(const lw_panel_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream)
{
    return LW_LAUNCH(table[row_of(unit)][0], grid, LW_BLOCK, shared, stream, p);
}

/* vec: bytes of a vector, which divides a chunk and the data's address. */
extern "C" int lw_chunk_launch(const lw_panel_params *p, int vec, lw_stream stream)
{
    uint64_t warps = (uint64_t)p->warps.d * p->batches;
    uint32_t grid = (uint32_t)((warps + LW_BLOCK / 32 - 1) / (LW_BLOCK / 32));
    return LW_LAUNCH(table[row_of(vec)][1], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_panel_setup(lw_ops *ops)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 10 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)table[i / 2][i % 2]);
    for (int i = 0; i < 5 && e == cudaSuccess; i++) {
        e = cudaFuncSetAttribute((const void *)table[i][0], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 ops->shared_optin);
    }
    return (int)e;
}
