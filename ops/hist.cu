/*
 * Histograms. Blocks of 1024 threads walk the samples in 16-byte vectors and count in
 *  shared  32-bit counters in shared memory, one atomic a sample: equal lanes merge in hardware, so skew is free;
 *  packed  16-bit counters: twice the bins; the lane that fills a half moves 0x8000 to the global count;
 *  global  atomics in L2, lanes with the same bin merged first;
 *  pairs   bytes: two samples per 16-bit counter of a 256 x 256 table.
 * When the bins do not fit one block, `ranges` blocks walk the same samples at the same time, each counting its part: the
 * samples come from DRAM once and from L2 for the others.
 */
#include "kernel.cuh"
#include "hist.h"

typedef void (*hist_fn)(const lw_hist_params);

template <int K> struct kind {
    static const int bytes = K == LW_K8 ? 1 : K == LW_K16 || K == LW_KF16 || K == LW_KBF16 ? 2 :
                             K == LW_K32 || K == LW_KF32 ? 4 : 8;
    static const bool real = K >= LW_KF16;
    static const bool wide = K == LW_K64 || K == LW_KF64;
};

/* ---- the bin of a sample ---- */

LW_DEV float half_value(uint32_t h) {
    uint32_t sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 1023;
    if (e == 0) { /* zero and subnormal numbers: m * 2^-24 is exact */
        float v = (float)m * 5.9604644775390625e-8f;
        return sign ? -v : v;
    }
    return __uint_as_float(sign | (e == 31 ? 255u : e + 112) << 23 | m << 13);
}

/* Edge i of even levels, as lw_hist_edges() defines it. */
LW_DEV float even_edge(const lw_hist_params &p, uint32_t i) {
    return i >= p.bins ? p.hi_f : fminf(__fmaf_rn((float)i, p.step_f, p.lo_f), p.hi_f);
}

LW_DEV double even_edge_wide(const lw_hist_params &p, uint32_t i) {
    return i >= p.bins ? p.hi_d : fmin(__fma_rn((double)i, p.step_d, p.lo_d), p.hi_d);
}

LW_DEV uint32_t even_bin(const lw_hist_params &p, float x) {
    if (!(x >= p.lo_f)) return x != x ? p.nan : p.below;
    if (!(x < p.hi_f)) return x == p.hi_f && p.closed ? p.bins - 1 : p.above;
    uint32_t b = min((uint32_t)((x - p.lo_f) * p.inv_f), p.bins - 1);
    while (b > 0 && x < even_edge(p, b)) b--;
    while (b + 1 < p.bins && x >= even_edge(p, b + 1)) b++;
    return b;
}

LW_DEV uint32_t even_bin_wide(const lw_hist_params &p, double x) {
    if (!(x >= p.lo_d)) return x != x ? p.nan : p.below;
    if (!(x < p.hi_d)) return x == p.hi_d && p.closed ? p.bins - 1 : p.above;
    uint32_t b = min((uint32_t)((x - p.lo_d) * p.inv_d), p.bins - 1);
    while (b > 0 && x < even_edge_wide(p, b)) b--;
    while (b + 1 < p.bins && x >= even_edge_wide(p, b + 1)) b++;
    return b;
}

/* floor(d * bins / range) for d < range. */
LW_DEV uint32_t even_int(const lw_hist_params &p, uint64_t d) {
    if (p.identity) return (uint32_t)d;
    if (p.bins > p.range) return (uint32_t)(d * p.bins / p.range);
    uint64_t b = __umul64hi(d, p.m);
    if (!p.wide) return (uint32_t)b; /* the multiplier is rounded up and d below 2^32: exact */
    uint64_t hi1 = __umul64hi(b + 1, p.range), lo1 = (b + 1) * p.range, hi2 = __umul64hi(d, p.bins), lo2 = d * p.bins;
    return (uint32_t)(hi1 < hi2 || (hi1 == hi2 && lo1 <= lo2) ? b + 1 : b);
}

LW_DEV uint32_t int_bin(const lw_hist_params &p, uint64_t key) {
    if (key < p.lo) return p.below;
    uint64_t d = key - p.lo;
    if (d >= p.range) return d == p.range && p.closed ? p.bins - 1 : p.above;
    return even_int(p, d);
}

LW_DEV uint32_t int_bin32(const lw_hist_params &p, uint32_t key) {
    uint32_t d = key - (uint32_t)p.lo;
    if (d < (uint32_t)p.range) return p.identity ? d : even_int(p, d);
    if (key < (uint32_t)p.lo) return p.below;
    return d == (uint32_t)p.range && p.closed ? p.bins - 1 : p.above;
}

/* Largest i with edge[i] <= x; edges are ascending. */
template <typename T> LW_DEV uint32_t search_bin(const lw_hist_params &p, const T *edge, T x) {
    if (x != x) return p.nan;
    if (x < edge[0]) return p.below;
    if (x >= edge[p.bins]) return x == edge[p.bins] && p.closed ? p.bins - 1 : p.above;
    uint32_t lo = 0, n = p.bins;
    while (n > 1) {
        uint32_t half = n / 2;
        if (edge[lo + half] <= x) {
            lo += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return lo;
}

template <int K, int MODE> LW_DEV uint32_t bin_of(const lw_hist_params &p, uint64_t raw) {
    if (K == LW_KF64) {
        double x = __longlong_as_double((long long)raw);
        return MODE == LW_HIST_EDGES ? search_bin(p, (const double *)p.edges, x) : even_bin_wide(p, x);
    }
    if (kind<K>::real) {
        float x = K == LW_KF32 ? __uint_as_float((uint32_t)raw) :
                  K == LW_KBF16 ? __uint_as_float((uint32_t)raw << 16) : half_value((uint32_t)raw);
        return MODE == LW_HIST_EDGES ? search_bin(p, (const float *)p.edges, x) : even_bin(p, x);
    }
    int64_t value = (int64_t)raw; /* sign-extended where the type is signed */
    if (p.flip) {
        if (K == LW_K8) value = (int8_t)raw;
        if (K == LW_K16) value = (int16_t)raw;
        if (K == LW_K32) value = (int32_t)raw;
    }
    if (MODE == LW_HIST_EDGES) {
        if (K == LW_K64 && !p.flip) return search_bin(p, (const uint64_t *)p.edges, raw);
        return search_bin(p, (const int64_t *)p.edges, value);
    }
    if (K != LW_K64 && !p.wide) return int_bin32(p, (uint32_t)raw ^ (uint32_t)p.flip);
    if (K == LW_K64) return int_bin(p, raw ^ p.flip);
    return int_bin(p, (uint64_t)value ^ 0x8000000000000000u);
}

/* ---- counting ---- */

LW_DEV void add_global(const lw_hist_params &p, int64_t at, uint32_t n) {
    if (p.wide_counts) atomicAdd((unsigned long long *)p.counts + at, (unsigned long long)n);
    else atomicAdd((unsigned int *)p.counts + at, n);
}

/* n more in half `bin` of the packed counters: what reaches 0x8000 moves to the global count. */
LW_DEV void add_packed(const lw_hist_params &p, uint32_t *word, uint32_t bin, uint32_t n, int64_t global) {
    uint32_t shift = (bin & 1) * 16, half = atomicAdd(&word[bin >> 1], n << shift) >> shift & 0xffff;
    if (half < 0x8000 && half + n >= 0x8000) {
        atomicAdd(&word[bin >> 1], 0u - (0x8000u << shift));
        add_global(p, global, 0x8000);
    }
}

struct target {
    uint32_t *word; /* shared counters */
    uint32_t first, size;
    int64_t base;   /* of this histogram in counts */
    const char *samples;
};

/* One sample per lane; `together`: all lanes of the warp are here. */
template <int S> LW_DEV void count(const lw_hist_params &p, const target &t, uint32_t bin, bool together) {
    uint32_t at = bin - t.first;
    if (S == LW_HIST_SHARED) {
        if (at < t.size) atomicAdd(&t.word[at], 1u);
    } else if (S == LW_HIST_PACKED) {
        if (together && __all_sync(0xffffffffu, at == __shfl_sync(0xffffffffu, at, 0))) {
            if (at < t.size && (threadIdx.x & 31) == 0) add_packed(p, t.word, at, 32, t.base + bin);
        } else if (at < t.size) {
            add_packed(p, t.word, at, 1, t.base + bin);
        }
    } else {
        uint32_t n = 1;
        if (together) {
            uint32_t same = __match_any_sync(0xffffffffu, at);
            n = (threadIdx.x & 31) == (uint32_t)__ffs(same) - 1 ? __popc(same) : 0;
        }
        if (n && at < t.size) add_global(p, t.base + bin, n);
    }
}

template <int K, int MODE, int S> LW_DEV void count_vector(const lw_hist_params &p, const target &t, uint4 v) {
    const uint32_t w[4] = { v.x, v.y, v.z, v.w };
    if constexpr (kind<K>::bytes == 8) {
        count<S>(p, t, bin_of<K, MODE>(p, w[0] | (uint64_t)w[1] << 32), true);
        count<S>(p, t, bin_of<K, MODE>(p, w[2] | (uint64_t)w[3] << 32), true);
    } else {
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            #pragma unroll(MODE == LW_HIST_EDGES ? 1 : 4)
            for (int s = 0; s < 32; s += 8 * kind<K>::bytes) {
                uint32_t raw = kind<K>::bytes == 4 ? w[i] : w[i] >> s & ((1u << (8 * kind<K>::bytes % 32)) - 1);
                count<S>(p, t, bin_of<K, MODE>(p, raw), true);
            }
        }
    }
}

/* The samples of a vector that lie inside the row, one by one. */
template <int K, int MODE, int S> LW_DEV void count_partial(const lw_hist_params &p, const target &t, const char *row,
                                                            int64_t x) {
    const int bytes = kind<K>::bytes;
    int64_t from = x < 0 ? 0 : x, to = x + 16 < p.row_bytes ? x + 16 : p.row_bytes;
    for (int64_t b = from; b < to; b += bytes) {
        uint64_t raw = bytes == 1 ? *(const uint8_t *)(row + b) : bytes == 2 ? *(const uint16_t *)(row + b) :
                       bytes == 4 ? *(const uint32_t *)(row + b) : *(const uint64_t *)(row + b);
        count<S>(p, t, bin_of<K, MODE>(p, raw), false);
    }
}

/* One chunk of a row. Windows are aligned in memory; those that stick out of the row go sample by sample. */
template <int K, int MODE, int S> LW_DEV void count_chunk(const lw_hist_params &p, const target &t, int64_t chunk) {
    int64_t r = p.segmented || p.rows == 1 ? 0 : chunk / p.chunks_per_row, c = chunk - r * p.chunks_per_row;
    const char *row = t.samples + r * p.row_pitch;
    int64_t x0 = c * (LW_HIST_THREADS * LW_HIST_WINDOWS * 16) - (int64_t)((uintptr_t)row & 15) + threadIdx.x * 16;
    int64_t warp0 = x0 - (threadIdx.x & 31) * 16;
    uint4 v[LW_HIST_WINDOWS];
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        int64_t first = warp0 + (int64_t)k * (LW_HIST_THREADS * 16);
        if (first >= 0 && first + 512 <= p.row_bytes) v[k] = __ldcs((const uint4 *)(row + x0 + k * (LW_HIST_THREADS * 16)));
    }
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        int64_t first = warp0 + (int64_t)k * (LW_HIST_THREADS * 16);
        if (first >= 0 && first + 512 <= p.row_bytes) count_vector<K, MODE, S>(p, t, v[k]);
    }
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        int64_t first = warp0 + (int64_t)k * (LW_HIST_THREADS * 16);
        if (first >= 0 && first + 512 <= p.row_bytes) continue;
        count_partial<K, MODE, S>(p, t, row, x0 + k * (LW_HIST_THREADS * 16));
    }
}

template <int S> LW_DEV void clear(const target &t) {
    uint32_t words = S == LW_HIST_SHARED ? t.size : (t.size + 1) / 2;
    for (uint32_t i = threadIdx.x; i < words; i += LW_HIST_THREADS) t.word[i] = 0;
}

template <int S> LW_DEV void flush(const lw_hist_params &p, const target &t) {
    for (uint32_t i = threadIdx.x; i < t.size; i += LW_HIST_THREADS) {
        uint32_t n = S == LW_HIST_SHARED ? t.word[i] : t.word[i >> 1] >> (i & 1) * 16 & 0xffff;
        if (n) add_global(p, t.base + t.first + i, n);
    }
}

/* Which histogram, samples and bins a block has: ranges vary fastest, so that they run side by side. */
template <int K, int MODE, int S> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) hist_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    uint32_t range = blockIdx.x % p.ranges, rest = blockIdx.x / p.ranges;
    uint32_t worker = rest % p.workers, job = rest / p.workers, jobs = gridDim.x / p.ranges / p.workers;
    target t = { (uint32_t *)shared, (uint32_t)(range * p.window), 0, 0, p.samples };
    t.size = (uint32_t)min(p.window, p.entries - (int64_t)t.first);
    for (int64_t row = job; row < (p.segmented ? p.rows : 1); row += jobs) {
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        t.samples = p.samples + (p.segmented ? row * p.row_pitch : 0);
        t.base = row * p.entries;
        if (S != LW_HIST_GLOBAL) {
            clear<S>(t);
            __syncthreads();
        }
        for (int64_t c = worker; c < chunks; c += p.workers) count_chunk<K, MODE, S>(p, t, c);
        if (S == LW_HIST_GLOBAL) continue;
        __syncthreads();
        flush<S>(p, t);
        __syncthreads();
    }
}

/* ---- bytes in pairs ---- */

/* 65,536 packed counters; afterwards a byte's count is its row's sum plus its column's. */
LW_DEV void add_pair(const lw_hist_params &p, uint32_t *word, uint32_t pair, uint32_t n, uint32_t *single) {
    uint32_t shift = (pair & 1) * 16, half = atomicAdd(&word[pair >> 1], n << shift) >> shift & 0xffff;
    if (half < 0x8000 && half + n >= 0x8000) {
        atomicAdd(&word[pair >> 1], 0u - (0x8000u << shift));
        atomicAdd(&single[pair & 255], 0x8000u);
        atomicAdd(&single[pair >> 8], 0x8000u);
    }
}

LW_DEV void count_pairs(const lw_hist_params &p, uint32_t *word, uint32_t *single, uint4 v) {
    uint32_t first = __shfl_sync(0xffffffffu, v.x, 0);
    bool same = v.x == first && v.y == first && v.z == first && v.w == first;
    if (__all_sync(0xffffffffu, same)) {
        if ((threadIdx.x & 31) == 0) {
            add_pair(p, word, first & 0xffff, 128, single);
            add_pair(p, word, first >> 16, 128, single);
        }
        return;
    }
    const uint32_t w[4] = { v.x, v.y, v.z, v.w };
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        add_pair(p, word, w[i] & 0xffff, 1, single);
        add_pair(p, word, w[i] >> 16, 1, single);
    }
}

/* The table's rows and columns into the counts of single bytes: warps take rows, lanes keep columns. */
LW_DEV void sum_pairs(const uint32_t *word, uint32_t *single) {
    uint32_t lane = threadIdx.x & 31, column[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
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

template <int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) pairs_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, *single = word + 32768;
    uint32_t worker = blockIdx.x % p.workers, job = blockIdx.x / p.workers, jobs = gridDim.x / p.workers;
    const int64_t span = LW_HIST_THREADS * 16;
    for (int64_t h = job; h < (p.segmented ? p.rows : 1); h += jobs) {
        for (uint32_t i = threadIdx.x; i < 32768 + 256; i += LW_HIST_THREADS) word[i] = 0;
        __syncthreads();
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        for (int64_t c = worker; c < chunks; c += p.workers) {
            int64_t r = c / p.chunks_per_row;
            const char *row = p.samples + (p.segmented ? h : r) * p.row_pitch;
            int64_t x0 = (c - r * p.chunks_per_row) * (span * LW_HIST_WINDOWS) - (int64_t)((uintptr_t)row & 15) +
                         threadIdx.x * 16;
            int64_t warp0 = x0 - (threadIdx.x & 31) * 16;
            uint4 v[LW_HIST_WINDOWS];
            #pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) {
                int64_t first = warp0 + k * span;
                if (first >= 0 && first + 512 <= p.row_bytes) v[k] = __ldcs((const uint4 *)(row + x0 + k * span));
            }
            #pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) {
                int64_t first = warp0 + k * span;
                if (first >= 0 && first + 512 <= p.row_bytes) {
                    count_pairs(p, word, single, v[k]);
                    continue;
                }
                for (int64_t b = x0 + k * span; b < x0 + k * span + 16; b++) {
                    if (b >= 0 && b < p.row_bytes) atomicAdd(&single[(uint8_t)row[b]], 1u);
                }
            }
        }
        __syncthreads();
        sum_pairs(word, single);
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < 256; i += LW_HIST_THREADS) {
            uint32_t bin = single[i] ? bin_of<LW_K8, MODE>(p, i) : LW_HIST_SKIP;
            if (bin != LW_HIST_SKIP) add_global(p, h * p.entries + bin, single[i]);
        }
        __syncthreads();
    }
}

/* ---- table ---- */

#define STRATEGIES(K, M) \
    { hist_kernel<K, M, LW_HIST_SHARED>, hist_kernel<K, M, LW_HIST_PACKED>, hist_kernel<K, M, LW_HIST_GLOBAL> }
#define MODES(K) { STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES) }

static const hist_fn table[LW_KINDS][2][3] = {
    MODES(LW_K8), MODES(LW_K16), MODES(LW_K32), MODES(LW_K64), MODES(LW_KF16), MODES(LW_KBF16), MODES(LW_KF32),
    MODES(LW_KF64),
};

static hist_fn find(int kind, bool edges, int strategy) {
    if (strategy == LW_HIST_PAIRS) return edges ? pairs_kernel<LW_HIST_EDGES> : pairs_kernel<LW_HIST_EVEN>;
    return table[kind][edges][strategy == LW_HIST_SHARED ? 0 : strategy == LW_HIST_PACKED ? 1 : 2];
}

extern "C" int lw_hist_launch(const lw_hist_params *p, int kind, bool edges, int strategy, uint32_t grid, uint32_t shared,
                              lw_stream stream) {
    return LW_LAUNCH(find(kind, edges, strategy), grid, LW_HIST_THREADS, shared, stream, p);
}

extern "C" int lw_hist_clear(void *counts, size_t bytes, lw_stream stream) {
    return (int)cudaMemsetAsync(counts, 0, bytes, stream);
}

extern "C" int lw_hist_setup(const struct lw_ops *ops) {
    static const int strategies[] = { LW_HIST_SHARED, LW_HIST_PACKED, LW_HIST_GLOBAL, LW_HIST_PAIRS };
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < LW_KINDS * 2 * 4 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 8, i / 4 % 2, strategies[i % 4]);
        e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
