/*
 * Histograms. Blocks of 1024 threads walk the samples in 16-byte vectors and count in
 *  shared  32-bit counters in shared memory, one atomic a sample: equal lanes merge in hardware, so skew is free;
 *  packed  16-bit counters: twice the bins; the lane that fills a half moves 0x8000 to the global count;
 *  global  atomics in L2, lanes with the same bin merged first;
 *  lanes   bytes: a counter per value and lane, so that no two lanes of a warp meet in a bank;
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

/*
 * Even levels whose estimated bin is at most one off (the planner knows): floor by adding 2^23 or 2^52 instead of
 * conversions, no branch but for what lies outside.
 */
LW_DEV uint32_t near_bin(const lw_hist_params &p, float x) {
    float r = __fadd_rd((x - p.lo_f) * p.inv_f, 8388608.0f), f = r - 8388608.0f;
    uint32_t b = __float_as_uint(r) - 0x4b000000u;
    b = x < __fmaf_rn(f, p.step_f, p.lo_f) ? b - 1 : x >= __fmaf_rn(f + 1.0f, p.step_f, p.lo_f) ? b + 1 : b;
    b = min(b, p.bins - 1);
    bool in = x >= p.lo_f && x < p.hi_f;
    if (p.outside && !in) return even_bin(p, x);
    return in ? b : LW_HIST_SKIP;
}

LW_DEV uint32_t near_bin_wide(const lw_hist_params &p, double x) {
    double r = __dadd_rd((x - p.lo_d) * p.inv_d, 4503599627370496.0), f = r - 4503599627370496.0;
    uint32_t b = (uint32_t)__double2loint(r);
    b = x < __fma_rn(f, p.step_d, p.lo_d) ? b - 1 : x >= __fma_rn(f + 1.0, p.step_d, p.lo_d) ? b + 1 : b;
    b = min(b, p.bins - 1);
    bool in = x >= p.lo_d && x < p.hi_d;
    if (p.outside && !in) return even_bin_wide(p, x);
    return in ? b : LW_HIST_SKIP;
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

/*
 * Edges in shared memory come with a table of cells of equal width: start[c] edges lie in cells before c. A value's bin is
 * then searched among the edges of its own cell only. The cell is a monotonous function of the value, which is all that
 * the search needs.
 */
#define CELLS LW_HIST_CELLS

LW_DEV float distance(float x, float from) { return x - from; }
LW_DEV float distance(double x, double from) { return (float)(x - from); }
LW_DEV float distance(int64_t x, int64_t from) { return (float)((uint64_t)x - (uint64_t)from); }
LW_DEV float distance(uint64_t x, uint64_t from) { return (float)(x - from); }

template <typename T> LW_DEV uint32_t cell_of(const T *edge, uint32_t bins, T x) {
    float scale = (float)CELLS / distance(edge[bins], edge[0]), c = distance(x, edge[0]) * scale;
    return c < (float)(CELLS - 1) ? (uint32_t)c : CELLS - 1; /* NaN of a degenerate scale: the last */
}

/* Largest i with edge[i] <= x; edges are ascending. */
template <typename T> LW_DEV uint32_t search_bin(const lw_hist_params &p, const T *edge, T x) {
    if (x != x) return p.nan;
    if (x < edge[0]) return p.below;
    if (x >= edge[p.bins]) return x == edge[p.bins] && p.closed ? p.bins - 1 : p.above;
    uint32_t lo = 0, n = p.bins;
    if (p.edges_at) {
        const uint16_t *start = (const uint16_t *)((const char *)edge + p.cells_at);
        uint32_t c = cell_of(edge, p.bins, x), before = start[c], upto = start[c + 1];
        lo = before ? before - 1 : 0;
        n = upto - lo;
    }
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

/* edges: in shared memory where they fit. */
template <int K, int MODE> LW_DEV uint32_t bin_of(const lw_hist_params &p, const void *edges, uint64_t raw) {
    if (K == LW_KF64) {
        double x = __longlong_as_double((long long)raw);
        return MODE == LW_HIST_EDGES ? search_bin(p, (const double *)edges, x)
             : MODE == LW_HIST_INTEGER ? near_bin_wide(p, x) : even_bin_wide(p, x);
    }
    if (kind<K>::real) {
        float x = K == LW_KF32 ? __uint_as_float((uint32_t)raw) :
                  K == LW_KBF16 ? __uint_as_float((uint32_t)raw << 16) : half_value((uint32_t)raw);
        return MODE == LW_HIST_EDGES ? search_bin(p, (const float *)edges, x)
             : MODE == LW_HIST_INTEGER ? near_bin(p, x) : even_bin(p, x);
    }
    int64_t value = (int64_t)raw; /* sign-extended where the type is signed */
    if (p.flip) {
        if (K == LW_K8) value = (int8_t)raw;
        if (K == LW_K16) value = (int16_t)raw;
        if (K == LW_K32) value = (int32_t)raw;
    }
    if (MODE == LW_HIST_EDGES) {
        if (K == LW_K64 && !p.flip) return search_bin(p, (const uint64_t *)edges, raw);
        return search_bin(p, (const int64_t *)edges, value);
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

struct target {
    uint32_t *word; /* shared counters */
    uint32_t first, size;
    uint32_t key, direct; /* INTEGER: sample - key is the counter if below direct */
    int64_t base;         /* of this histogram in counts */
    const char *samples;
    const void *edges;
};

/* The counter of a sample relative to the block's first; what is not below t.size is not counted here. */
template <int K, int MODE> LW_DEV uint32_t counter_of(const lw_hist_params &p, const target &t, uint64_t raw) {
    if (MODE != LW_HIST_INTEGER || kind<K>::real) return bin_of<K, MODE>(p, t.edges, raw) - t.first;
    /* the short way for bins of one value each when what lies outside is dropped; of reals it is near_bin */
    uint32_t at = ((uint32_t)raw ^ (uint32_t)p.flip) - t.key;
    return at < t.direct ? at : LW_HIST_SKIP;
}

/* Adds n to half `at` and returns what the half held; its owner looks for overflow afterwards. */
LW_DEV uint32_t add_half(uint32_t *word, uint32_t at, uint32_t n) {
    uint32_t shift = (at & 1) * 16;
    return atomicAdd(&word[at >> 1], n << shift) >> shift & 0xffff;
}

LW_DEV bool filled(uint32_t half, uint32_t n) {
    return half < 0x8000 && half + n >= 0x8000;
}

/* A half that reached 0x8000 gives that much to the global count. */
LW_DEV void spill(const lw_hist_params &p, const target &t, uint32_t at) {
    atomicAdd(&t.word[at >> 1], 0u - (0x8000u << (at & 1) * 16));
    add_global(p, t.base + t.first + at, 0x8000);
}

/* N samples of every lane of a warp at once, so that their atomics are on the way together. */
template <int S, int N> LW_DEV void add(const lw_hist_params &p, const target &t, const uint32_t *at) {
    if constexpr (S == LW_HIST_SHARED) {
        #pragma unroll
        for (int i = 0; i < N; i++) {
            if (at[i] < t.size) atomicAdd(&t.word[at[i]], 1u);
        }
    } else if constexpr (S == LW_HIST_PACKED) {
        uint32_t one = __shfl_sync(0xffffffffu, at[0], 0), half[N];
        bool same = true;
        #pragma unroll
        for (int i = 0; i < N; i++) same = same && at[i] == one;
        if (__all_sync(0xffffffffu, same)) {
            if (one < t.size && (threadIdx.x & 31) == 0 && filled(add_half(t.word, one, 32 * N), 32 * N)) spill(p, t, one);
            return;
        }
        #pragma unroll
        for (int i = 0; i < N; i++) half[i] = at[i] < t.size ? add_half(t.word, at[i], 1) : 0;
        #pragma unroll
        for (int i = 0; i < N; i++) {
            if (filled(half[i], 1)) spill(p, t, at[i]);
        }
    } else {
        #pragma unroll
        for (int i = 0; i < N; i++) {
            uint32_t same = __match_any_sync(0xffffffffu, at[i]);
            if (at[i] < t.size && (threadIdx.x & 31) == (uint32_t)__ffs(same) - 1) add_global(p, t.base + t.first + at[i], __popc(same));
        }
    }
}

template <int S> LW_DEV void add_one(const lw_hist_params &p, const target &t, uint32_t at) {
    if (at >= t.size) return;
    if (S == LW_HIST_SHARED) atomicAdd(&t.word[at], 1u);
    else if (S == LW_HIST_GLOBAL) add_global(p, t.base + t.first + at, 1);
    else if (filled(add_half(t.word, at, 1), 1)) spill(p, t, at);
}

template <int K, int MODE, int S> LW_DEV void count_vector(const lw_hist_params &p, const target &t, uint4 v) {
    const uint32_t w[4] = { v.x, v.y, v.z, v.w };
    const int bytes = kind<K>::bytes;
    if constexpr (bytes == 8) {
        uint32_t at[2] = { counter_of<K, MODE>(p, t, w[0] | (uint64_t)w[1] << 32),
                           counter_of<K, MODE>(p, t, w[2] | (uint64_t)w[3] << 32) };
        add<S, 2>(p, t, at);
    } else if constexpr (bytes == 4) {
        uint32_t at[4];
        #pragma unroll
        for (int i = 0; i < 4; i++) at[i] = counter_of<K, MODE>(p, t, w[i]);
        add<S, 4>(p, t, at);
    } else {
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t at[4 / bytes];
            #pragma unroll
            for (int j = 0; j < 4 / bytes; j++) {
                at[j] = counter_of<K, MODE>(p, t, w[i] >> (8 * bytes * j) & ((1u << 8 * bytes) - 1));
            }
            add<S, 4 / bytes>(p, t, at);
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
        add_one<S>(p, t, counter_of<K, MODE>(p, t, raw));
    }
}

/* Where a thread stands in a chunk: its first window begins at byte x of the row; windows are aligned in memory. */
struct cursor {
    const char *row;
    int64_t x;
};

#define SPAN ((int64_t)LW_HIST_THREADS * 16)

LW_DEV cursor cursor_of(const lw_hist_params &p, const char *samples, int64_t chunk) {
    int64_t r = p.segmented || p.rows == 1 ? 0 : chunk / p.chunks_per_row;
    cursor at = { samples + r * p.row_pitch, 0 };
    at.x = (chunk - r * p.chunks_per_row) * (SPAN * LW_HIST_WINDOWS) - (int64_t)((uintptr_t)at.row & 15) + threadIdx.x * 16;
    return at;
}

/* Whether all windows k of a warp lie inside the row. */
LW_DEV bool inside(const lw_hist_params &p, const cursor &at, int k) {
    int64_t first = at.x - (threadIdx.x & 31) * 16 + k * SPAN;
    return first >= 0 && first + 512 <= p.row_bytes;
}

LW_DEV void fetch(const lw_hist_params &p, const cursor &at, uint4 *v) {
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        if (inside(p, at, k)) v[k] = __ldcs((const uint4 *)(at.row + at.x + k * SPAN));
    }
}

/* All samples of a histogram's share: the next chunk is on its way while one is counted. */
template <int K, int MODE, int S> LW_DEV void count_all(const lw_hist_params &p, const target &t, int64_t first,
                                                        int64_t chunks) {
    if (first >= chunks) return;
    uint4 v[LW_HIST_WINDOWS], next[LW_HIST_WINDOWS];
    cursor at = cursor_of(p, t.samples, first), then = at;
    fetch(p, at, v);
    for (int64_t c = first; c < chunks; c += p.workers) {
        if (c + p.workers < chunks) {
            then = cursor_of(p, t.samples, c + p.workers);
            fetch(p, then, next);
        }
        #pragma unroll
        for (int k = 0; k < LW_HIST_WINDOWS; k++) {
            if (inside(p, at, k)) count_vector<K, MODE, S>(p, t, v[k]);
            else count_partial<K, MODE, S>(p, t, at.row, at.x + k * SPAN);
            v[k] = next[k];
        }
        at = then;
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

/* start[c] for all cells: edge i fills those after its predecessor's cell up to its own. */
template <typename T> LW_DEV void make_cells(const lw_hist_params &p, const T *edge) {
    uint16_t *start = (uint16_t *)((char *)edge + p.cells_at);
    for (uint32_t i = threadIdx.x; i <= p.bins + 1; i += LW_HIST_THREADS) {
        uint32_t from = i ? cell_of(edge, p.bins, edge[i - 1]) + 1 : 0, to = i <= p.bins ? cell_of(edge, p.bins, edge[i]) : CELLS;
        for (uint32_t c = from; c <= to; c++) start[c] = (uint16_t)i;
    }
}

/* Which histogram, samples and bins a block has: ranges vary fastest, so that they run side by side. */
template <int K, int MODE, int S> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) hist_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    uint32_t range = blockIdx.x % p.ranges, rest = blockIdx.x / p.ranges;
    uint32_t worker = rest % p.workers, job = rest / p.workers, jobs = gridDim.x / p.ranges / p.workers;
    target t = { (uint32_t *)shared, (uint32_t)(range * p.window), 0, 0, 0, 0, p.samples, p.edges };
    t.size = (uint32_t)min(p.window, p.entries - (int64_t)t.first);
    t.key = (uint32_t)p.lo + t.first;
    t.direct = t.first < p.bins ? min(t.size, p.bins - t.first) : 0;
    if (MODE == LW_HIST_EDGES && p.edges_at) {
        const int bytes = kind<K>::wide || !kind<K>::real ? 8 : 4;
        for (uint32_t i = threadIdx.x; i < (p.bins + 1) * (bytes / 4); i += LW_HIST_THREADS) {
            ((uint32_t *)(shared + p.edges_at))[i] = ((const uint32_t *)p.edges)[i];
        }
        t.edges = shared + p.edges_at;
        __syncthreads();
        if (kind<K>::real && !kind<K>::wide) make_cells(p, (const float *)t.edges);
        else if (kind<K>::real) make_cells(p, (const double *)t.edges);
        else if (K == LW_K64 && !p.flip) make_cells(p, (const uint64_t *)t.edges);
        else make_cells(p, (const int64_t *)t.edges);
        __syncthreads();
    }
    for (int64_t row = job; row < (p.segmented ? p.rows : 1); row += jobs) {
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        t.samples = p.samples + (p.segmented ? row * p.row_pitch : 0);
        t.base = row * p.entries;
        if (S != LW_HIST_GLOBAL) {
            clear<S>(t);
            __syncthreads();
        }
        count_all<K, MODE, S>(p, t, worker, chunks);
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

LW_DEV void bytes_chunk(const lw_hist_params &p, uint32_t *mine, const cursor &at) {
    uint4 v[LW_HIST_WINDOWS];
    fetch(p, at, v);
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        if (inside(p, at, k)) {
            count_bytes(mine, v[k].x);
            count_bytes(mine, v[k].y);
            count_bytes(mine, v[k].z);
            count_bytes(mine, v[k].w);
            continue;
        }
        for (int64_t b = at.x + k * SPAN; b < at.x + k * SPAN + 16; b++) {
            if (b >= 0 && b < p.row_bytes) atomicAdd(&mine[(uint8_t)at.row[b] * 32], 1u);
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
            bytes_chunk(p, word + lane, cursor_of(p, p.samples + (p.segmented ? h * p.row_pitch : 0), c));
        }
        __syncthreads();
        for (uint32_t value = threadIdx.x / 32; value < 256; value += LW_HIST_THREADS / 32) {
            uint32_t n = word[value * 32 + lane];
            for (int d = 16; d; d /= 2) n += __shfl_xor_sync(0xffffffffu, n, d);
            uint32_t bin = n && lane == 0 ? bin_of<LW_K8, MODE>(p, p.edges, value) : LW_HIST_SKIP;
            if (bin != LW_HIST_SKIP) add_global(p, h * p.entries + bin, n);
        }
        __syncthreads();
    }
}

/* ---- bytes in pairs ---- */

/*
 * 65,536 packed counters of two samples: half the atomics of one sample each. A filled half gives 0x8000 to the counts of
 * its two values; at the end a value's count is its row's sum plus its column's.
 */
LW_DEV void spill_pair(uint32_t *word, uint32_t *single, uint32_t pair) {
    atomicAdd(&word[pair >> 1], 0u - (0x8000u << (pair & 1) * 16));
    atomicAdd(&single[pair & 255], 0x8000u);
    atomicAdd(&single[pair >> 8], 0x8000u);
}

LW_DEV void add_pair(uint32_t *word, uint32_t *single, uint32_t pair, uint32_t n) {
    if (filled(add_half(word, pair, n), n)) spill_pair(word, single, pair);
}

LW_DEV void count_pairs(uint32_t *word, uint32_t *single, uint4 v) {
    uint32_t one = __shfl_sync(0xffffffffu, v.x, 0);
    if (__all_sync(0xffffffffu, v.x == one && v.y == one && v.z == one && v.w == one)) {
        if ((threadIdx.x & 31) < 2) add_pair(word, single, threadIdx.x & 1 ? one >> 16 : one & 0xffff, 128);
        return;
    }
    const uint32_t w[4] = { v.x, v.y, v.z, v.w };
    #pragma unroll
    for (int i = 0; i < 8; i++) add_pair(word, single, w[i / 2] >> (i & 1) * 16 & 0xffff, 1);
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

LW_DEV void pairs_chunk(const lw_hist_params &p, uint32_t *word, uint32_t *single, const cursor &at, const uint4 *v) {
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        if (inside(p, at, k)) {
            count_pairs(word, single, v[k]);
            continue;
        }
        for (int64_t b = at.x + k * SPAN; b < at.x + k * SPAN + 16; b++) {
            if (b >= 0 && b < p.row_bytes) atomicAdd(&single[(uint8_t)at.row[b]], 1u);
        }
    }
}

template <int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) pairs_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, *single = word + 32768;
    uint32_t worker = blockIdx.x % p.workers, job = blockIdx.x / p.workers, jobs = gridDim.x / p.workers;
    for (int64_t h = job; h < (p.segmented ? p.rows : 1); h += jobs) {
        for (uint32_t i = threadIdx.x; i < 32768 + 256; i += LW_HIST_THREADS) word[i] = 0;
        __syncthreads();
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        const char *samples = p.samples + (p.segmented ? h * p.row_pitch : 0);
        for (int64_t c = worker; c < chunks; c += p.workers) {
            uint4 v[LW_HIST_WINDOWS];
            cursor at = cursor_of(p, samples, c);
            fetch(p, at, v);
            pairs_chunk(p, word, single, at, v);
        }
        __syncthreads();
        sum_pairs(word, single);
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < 256; i += LW_HIST_THREADS) {
            uint32_t bin = single[i] ? bin_of<LW_K8, MODE>(p, p.edges, i) : LW_HIST_SKIP;
            if (bin != LW_HIST_SKIP) add_global(p, h * p.entries + bin, single[i]);
        }
        __syncthreads();
    }
}

/* ---- table ---- */

#define STRATEGIES(K, M) \
    { hist_kernel<K, M, LW_HIST_SHARED>, hist_kernel<K, M, LW_HIST_PACKED>, hist_kernel<K, M, LW_HIST_GLOBAL> }
#define MODES(K) { STRATEGIES(K, LW_HIST_INTEGER), STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES) }
#define LONG(K) { { 0, 0, 0 }, STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES) }

static const hist_fn table[LW_KINDS][3][3] = {
    MODES(LW_K8), MODES(LW_K16), MODES(LW_K32), LONG(LW_K64), MODES(LW_KF16), MODES(LW_KBF16), MODES(LW_KF32), MODES(LW_KF64),
};

static hist_fn find(int kind, int mode, int strategy) {
    if (strategy == LW_HIST_LANES) return mode == LW_HIST_EDGES ? bytes_kernel<LW_HIST_EDGES> : bytes_kernel<LW_HIST_EVEN>;
    if (strategy == LW_HIST_PAIRS) return mode == LW_HIST_EDGES ? pairs_kernel<LW_HIST_EDGES> : pairs_kernel<LW_HIST_EVEN>;
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
    static const int strategies[] = { LW_HIST_SHARED, LW_HIST_PACKED, LW_HIST_GLOBAL, LW_HIST_LANES, LW_HIST_PAIRS };
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < LW_KINDS * 3 * 5 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 15, i / 5 % 3, strategies[i % 5]);
        if (!fn) continue;
        e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
