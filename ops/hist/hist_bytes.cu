/*
 * Histograms of bytes: a counter per value and lane, or two samples per counter of a 256 x 256 table.
 */
#include "hist/hist.cuh"

/* ---- bytes ---- */

/*
 * Counter [value][lane]: every lane has its own bank, so that neither equal nor different values collide inside a warp.
 * The counts of values go to their bins at the end.
 */
LW_DEV void count_bytes(uint32_t mine, uint32_t w)
{
    count_one(mine, (w & 255) * 32);
    count_one(mine, (w >> 8 & 255) * 32);
    count_one(mine, (w >> 16 & 255) * 32);
    count_one(mine, (w >> 24) * 32);
}

LW_DEV void count_16(uint32_t mine, uint4 v)
{
    count_bytes(mine, v.x);
    count_bytes(mine, v.y);
    count_bytes(mine, v.z);
    count_bytes(mine, v.w);
}

LW_DEV void bytes_chunk(const lw_hist_params &p, uint32_t mine, const cursor &at)
{
    uint4 v[LW_HIST_WINDOWS];
    if (whole(p, at)) {
        fetch(p, at, v);
#pragma unroll
        for (int k = 0; k < LW_HIST_WINDOWS; k++) count_16(mine, v[k]);
        return;
    }
    for (int64_t x = at.x; x < at.x + SPAN * LW_HIST_WINDOWS; x += SPAN) {
        for (int64_t b = x < 0 ? 0 : x; b < x + 16 && b < p.row_bytes; b++) count_one(mine, (uint8_t)at.row[b] * 32);
    }
}

template <int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 2) bytes_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, lane = threadIdx.x & 31;
    uint32_t worker = blockIdx.x % p.workers, job = blockIdx.x / p.workers, jobs = gridDim.x / p.workers;
    target t = target_of<LW_K8, MODE>(p, shared, 0);
    uint32_t place = t.place + lane * 4;
    for (int64_t h = job; h < (p.segmented ? p.rows : 1); h += jobs) {
        for (uint32_t i = threadIdx.x; i < 256 * 32; i += LW_HIST_THREADS) word[i] = 0;
        __syncthreads();
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        for (int64_t c = worker; c < chunks; c += p.workers) {
            bytes_chunk(p, place, cursor_of(p, p.samples + (p.segmented ? h * p.row_pitch : 0), c));
        }
        __syncthreads();
        for (uint32_t value = threadIdx.x / 32; value < 256; value += LW_HIST_THREADS / 32) {
            uint32_t n = word[value * 32 + lane];
            for (int d = 16; d; d /= 2) n += __shfl_xor_sync(0xffffffffu, n, d);
            uint32_t bin = n && lane == 0 ? bin_of<LW_K8, MODE>(p, t, value) : LW_HIST_SKIP;
            if (bin != LW_HIST_SKIP) add_global(p, h * p.entries + bin, n);
        }
        __syncthreads();
    }
}

/* ---- bytes in pairs ---- */

/*
 * 65,536 packed counters of two samples: half the atomics of one sample each. A filled half gives 0x8000 to the counts
 * of its two values; at the end a value's count is its row's sum plus its column's.
 */
LW_DEV void spill_pair(uint32_t *word, uint32_t *single, uint32_t pair)
{
    atomicAdd(&word[pair >> 1], 0u - (0x8000u << (pair & 1) * 16));
    atomicAdd(&single[pair & 255], 0x8000u);
    atomicAdd(&single[pair >> 8], 0x8000u);
}

LW_DEV void add_pair(uint32_t *word, uint32_t *single, uint32_t pair, uint32_t n)
{
    if (filled(add_half(word, pair, n), n)) spill_pair(word, single, pair);
}

LW_DEV void count_pairs(uint32_t *word, uint32_t *single, uint4 v)
{
    uint32_t one = __shfl_sync(0xffffffffu, v.x, 0);
    if (__all_sync(0xffffffffu, v.x == one && v.y == one && v.z == one && v.w == one)) {
        if ((threadIdx.x & 31) < 2) add_pair(word, single, threadIdx.x & 1 ? one >> 16 : one & 0xffff, 128);
        return;
    }
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 8; i++) add_pair(word, single, w[i / 2] >> (i & 1) * 16 & 0xffff, 1);
}

/* The table's rows and columns into the counts of single bytes: warps take rows, lanes keep columns. */
LW_DEV void sum_pairs(const uint32_t *word, uint32_t *single)
{
    uint32_t lane = threadIdx.x & 31, column[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t row = threadIdx.x / 32; row < 256; row += LW_HIST_THREADS / 32) {
        uint32_t sum = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t w = word[row * 128 + lane + 32 * k];
            column[2 * k] += w & 0xffff;
            column[2 * k + 1] += w >> 16;
            sum += (w & 0xffff) + (w >> 16);
        }
        for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (lane == 0 && sum) atomicAdd(&single[row], sum);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        if (column[k]) atomicAdd(&single[2 * (lane + 32 * (k / 2)) + (k & 1)], column[k]);
    }
}

LW_DEV void pairs_ends(const lw_hist_params &p, uint32_t *word, uint32_t *single, const cursor &at)
{
#pragma unroll 1
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        if (inside(p, at, k)) {
            count_pairs(word, single, load_window(p, at, k));
            continue;
        }
        int64_t x = at.x + k * SPAN;
        for (int64_t b = x < 0 ? 0 : x; b < x + 16 && b < p.row_bytes; b++) atomicAdd(&single[(uint8_t)at.row[b]], 1u);
    }
}

template <int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) pairs_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, *single = word + 32768;
    uint32_t worker = blockIdx.x % p.workers, job = blockIdx.x / p.workers, jobs = gridDim.x / p.workers;
    target t = target_of<LW_K8, MODE>(p, shared, 0);
    for (int64_t h = job; h < (p.segmented ? p.rows : 1); h += jobs) {
        for (uint32_t i = threadIdx.x; i < 32768 + 256; i += LW_HIST_THREADS) word[i] = 0;
        __syncthreads();
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        const char *samples = p.samples + (p.segmented ? h * p.row_pitch : 0);
        uint4 v[LW_HIST_WINDOWS], next[LW_HIST_WINDOWS];
        cursor at = cursor_of(p, samples, worker);
        if (worker < chunks) fetch(p, at, v);
        for (int64_t c = worker; c < chunks; c += p.workers) {
            cursor then = cursor_of(p, samples, c + p.workers < chunks ? c + p.workers : c);
            if (c + p.workers < chunks) fetch(p, then, next);
            if (whole(p, at)) {
#pragma unroll
                for (int k = 0; k < LW_HIST_WINDOWS; k++) count_pairs(word, single, v[k]);
            } else {
                pairs_ends(p, word, single, at);
            }
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) v[k] = next[k];
            at = then;
        }
        __syncthreads();
        sum_pairs(word, single);
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < 256; i += LW_HIST_THREADS) {
            uint32_t bin = single[i] ? bin_of<LW_K8, MODE>(p, t, i) : LW_HIST_SKIP;
            if (bin != LW_HIST_SKIP) add_global(p, h * p.entries + bin, single[i]);
        }
        __syncthreads();
    }
}

hist_fn lw_hist_bytes_kernel(int mode, int strategy)
{
    if (strategy == LW_HIST_LANES)
        return mode == LW_HIST_EDGES ? bytes_kernel<LW_HIST_EDGES> : bytes_kernel<LW_HIST_EVEN>;
    return mode == LW_HIST_EDGES ? pairs_kernel<LW_HIST_EDGES> : pairs_kernel<LW_HIST_EVEN>;
}
