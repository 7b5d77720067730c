/*
 * Histograms. Blocks of 1024 threads walk the samples in 16-byte vectors and count in
 *  shared  32-bit counters in shared memory, one atomic a sample: equal lanes merge in hardware, so skew is free;
 *  packed  16-bit counters: twice the bins; the lane that fills a half moves 0x8000 to the global count;
 *  global  atomics in L2, lanes with the same bin merged first;
 *  lanes   bytes: a counter per value and lane, so that no two lanes of a warp meet in a bank.
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
    if (p.near) { /* the estimate is at most one bin off: floor by adding 2^23, no conversions */
        float r = __fadd_rd((x - p.lo_f) * p.inv_f, 8388608.0f), f = r - 8388608.0f;
        uint32_t b = __float_as_uint(r) - 0x4b000000u;
        if (x < __fmaf_rn(f, p.step_f, p.lo_f)) b--;
        else if (x >= __fmaf_rn(f + 1.0f, p.step_f, p.lo_f)) b++;
        return min(b, p.bins - 1);
    }
    uint32_t b = min((uint32_t)((x - p.lo_f) * p.inv_f), p.bins - 1);
    while (b > 0 && x < even_edge(p, b)) b--;
    while (b + 1 < p.bins && x >= even_edge(p, b + 1)) b++;
    return b;
}

LW_DEV uint32_t even_bin_wide(const lw_hist_params &p, double x) {
    if (!(x >= p.lo_d)) return x != x ? p.nan : p.below;
    if (!(x < p.hi_d)) return x == p.hi_d && p.closed ? p.bins - 1 : p.above;
    if (p.near) { /* as above with 2^52 */
        double r = __dadd_rd((x - p.lo_d) * p.inv_d, 4503599627370496.0), f = r - 4503599627370496.0;
        uint32_t b = (uint32_t)__double2loint(r);
        if (x < __fma_rn(f, p.step_d, p.lo_d)) b--;
        else if (x >= __fma_rn(f + 1.0, p.step_d, p.lo_d)) b++;
        return min(b, p.bins - 1);
    }
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
    if (d < (uint32_t)p.range) {
        if (p.identity || p.bins > p.range) return even_int(p, d);
        /* high half of d * m: the multiplier is rounded up and d below 2^32, so this is exact */
        return (uint32_t)((d * (p.m >> 32) + __umulhi(d, (uint32_t)p.m)) >> 32);
    }
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
    uint32_t key, direct; /* INTEGER: sample - key is the counter if below direct */
    int64_t base;         /* of this histogram in counts */
    const char *samples;
};

/* One more at counter `at` if `hit`; `together`: all lanes of the warp are here. */
template <int S> LW_DEV void add(const lw_hist_params &p, const target &t, uint32_t at, bool hit, bool together) {
    if (S == LW_HIST_SHARED) {
        if (hit) atomicAdd(&t.word[at], 1u);
    } else if (S == LW_HIST_PACKED) {
        if (together && __all_sync(0xffffffffu, at == __shfl_sync(0xffffffffu, at, 0))) {
            if (hit && (threadIdx.x & 31) == 0) add_packed(p, t.word, at, 32, t.base + t.first + at);
        } else if (hit) {
            add_packed(p, t.word, at, 1, t.base + t.first + at);
        }
    } else {
        uint32_t n = 1;
        if (together) {
            uint32_t same = __match_any_sync(0xffffffffu, at);
            n = (threadIdx.x & 31) == (uint32_t)__ffs(same) - 1 ? __popc(same) : 0;
        }
        if (n && hit) add_global(p, t.base + t.first + at, n);
    }
}

/* MODE INTEGER is the short way for bins of one value each when what lies outside is dropped. */
template <int K, int MODE, int S> LW_DEV void count(const lw_hist_params &p, const target &t, uint64_t raw, bool together) {
    uint32_t at;
    bool hit;
    if (MODE == LW_HIST_INTEGER) {
        at = ((uint32_t)raw ^ (uint32_t)p.flip) - t.key;
        hit = at < t.direct;
    } else {
        at = bin_of<K, MODE>(p, raw) - t.first;
        hit = at < t.size;
    }
    add<S>(p, t, at, hit, together);
}

template <int K, int MODE, int S> LW_DEV void count_vector(const lw_hist_params &p, const target &t, uint4 v) {
    const uint32_t w[4] = { v.x, v.y, v.z, v.w };
    if constexpr (kind<K>::bytes == 8) {
        count<K, MODE, S>(p, t, w[0] | (uint64_t)w[1] << 32, true);
        count<K, MODE, S>(p, t, w[2] | (uint64_t)w[3] << 32, true);
    } else {
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            #pragma unroll(MODE == LW_HIST_EDGES ? 1 : 4)
            for (int s = 0; s < 32; s += 8 * kind<K>::bytes) {
                uint32_t raw = kind<K>::bytes == 4 ? w[i] : w[i] >> s & ((1u << (8 * kind<K>::bytes % 32)) - 1);
                count<K, MODE, S>(p, t, raw, true);
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
        count<K, MODE, S>(p, t, raw, false);
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
    target t = { (uint32_t *)shared, (uint32_t)(range * p.window), 0, 0, 0, 0, p.samples };
    t.size = (uint32_t)min(p.window, p.entries - (int64_t)t.first);
    t.key = (uint32_t)p.lo + t.first;
    t.direct = t.first < p.bins ? min(t.size, p.bins - t.first) : 0;
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

/* ---- bytes ---- */

/*
 * Counter [value][lane]: every lane has its own bank, so that neither equal nor different values collide inside a warp.
 * The counts of values go to their bins at the end.
 */
LW_DEV void count_bytes(uint32_t *mine, uint32_t w) {
    atomicAdd(&mine[(w & 255) * 32], 1u);
    atomicAdd(&mine[(w >> 8 & 255) * 32], 1u);
    atomicAdd(&mine[(w >> 16 & 255) * 32], 1u);
    atomicAdd(&mine[(w >> 24) * 32], 1u);
}

LW_DEV void bytes_chunk(const lw_hist_params &p, uint32_t *mine, const char *row, int64_t c) {
    const int64_t span = LW_HIST_THREADS * 16;
    int64_t x0 = c * (span * LW_HIST_WINDOWS) - (int64_t)((uintptr_t)row & 15) + threadIdx.x * 16;
    uint4 v[LW_HIST_WINDOWS];
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        int64_t x = x0 + k * span;
        if (x >= 0 && x + 16 <= p.row_bytes) v[k] = __ldcs((const uint4 *)(row + x));
    }
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        int64_t x = x0 + k * span;
        if (x >= 0 && x + 16 <= p.row_bytes) {
            count_bytes(mine, v[k].x);
            count_bytes(mine, v[k].y);
            count_bytes(mine, v[k].z);
            count_bytes(mine, v[k].w);
            continue;
        }
        for (int64_t b = x; b < x + 16; b++) {
            if (b >= 0 && b < p.row_bytes) atomicAdd(&mine[(uint8_t)row[b] * 32], 1u);
        }
    }
}

template <int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 2) bytes_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, lane = threadIdx.x & 31;
    uint32_t worker = blockIdx.x % p.workers, job = blockIdx.x / p.workers, jobs = gridDim.x / p.workers;
    for (int64_t h = job; h < (p.segmented ? p.rows : 1); h += jobs) {
        for (uint32_t i = threadIdx.x; i < 256 * 32; i += LW_HIST_THREADS) word[i] = 0;
        __syncthreads();
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        for (int64_t c = worker; c < chunks; c += p.workers) {
            int64_t r = p.segmented || p.rows == 1 ? 0 : c / p.chunks_per_row;
            bytes_chunk(p, word + lane, p.samples + (p.segmented ? h : r) * p.row_pitch, c - r * p.chunks_per_row);
        }
        __syncthreads();
        for (uint32_t value = threadIdx.x / 32; value < 256; value += LW_HIST_THREADS / 32) {
            uint32_t n = word[value * 32 + lane];
            for (int d = 16; d; d /= 2) n += __shfl_xor_sync(0xffffffffu, n, d);
            uint32_t bin = n && lane == 0 ? bin_of<LW_K8, MODE>(p, value) : LW_HIST_SKIP;
            if (bin != LW_HIST_SKIP) add_global(p, h * p.entries + bin, n);
        }
        __syncthreads();
    }
}

/* ---- table ---- */

#define STRATEGIES(K, M) \
    { hist_kernel<K, M, LW_HIST_SHARED>, hist_kernel<K, M, LW_HIST_PACKED>, hist_kernel<K, M, LW_HIST_GLOBAL> }
#define MODES(K) { STRATEGIES(K, LW_HIST_INTEGER), STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES) }
#define REAL(K) { { 0, 0, 0 }, STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES) }

static const hist_fn table[LW_KINDS][3][3] = {
    MODES(LW_K8), MODES(LW_K16), MODES(LW_K32), REAL(LW_K64), REAL(LW_KF16), REAL(LW_KBF16), REAL(LW_KF32), REAL(LW_KF64),
};

static hist_fn find(int kind, int mode, int strategy) {
    if (strategy == LW_HIST_LANES) return mode == LW_HIST_EDGES ? bytes_kernel<LW_HIST_EDGES> : bytes_kernel<LW_HIST_EVEN>;
    return table[kind][mode][strategy == LW_HIST_SHARED ? 0 : strategy == LW_HIST_PACKED ? 1 : 2];
}

extern "C" int lw_hist_launch(const lw_hist_params *p, int kind, int mode, int strategy, uint32_t grid, uint32_t shared,
                              lw_stream stream) {
    return LW_LAUNCH(find(kind, mode, strategy), grid, LW_HIST_THREADS, shared, stream, p);
}

extern "C" int lw_hist_clear(void *counts, size_t bytes, lw_stream stream) {
    return (int)cudaMemsetAsync(counts, 0, bytes, stream);
}

extern "C" int lw_hist_setup(const struct lw_ops *ops) {
    static const int strategies[] = { LW_HIST_SHARED, LW_HIST_PACKED, LW_HIST_GLOBAL, LW_HIST_LANES };
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < LW_KINDS * 3 * 4 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 12, i / 4 % 3, strategies[i % 4]);
        if (!fn) continue;
        e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
