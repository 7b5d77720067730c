/*
 * Device code that all histogram kernels share: the bin of a sample, and how a block walks the samples in chunks of
 * 16-byte vectors.
 */
#ifndef LW_OPS_HIST_CUH
#define LW_OPS_HIST_CUH

#include "common/kernel.cuh"
#include "hist/hist.h"
#include "hist/kernels.h"

typedef void (*hist_fn)(const lw_hist_params);
hist_fn lw_hist_bytes_kernel(int mode, int strategy); /* lanes and pairs */
hist_fn lw_hist_fields_kernel(int kind, int mode);    /* packed */

/*
 * Counters are addressed by 32-bit shared addresses that went through a shuffle: otherwise the compiler makes the
 * address of shared memory again before every access (four instructions, one of them slow). Atomics take no predicate,
 * and a branch round each costs as much as the rest: what is not counted goes to a counter behind the last that nobody
 * reads.
 */
LW_DEV uint32_t shared_address(const void *p)
{
    return __shfl_sync(0xffffffffu, (uint32_t)__cvta_generic_to_shared(p), 0);
}

LW_DEV void count_one(uint32_t word, uint32_t at)
{
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(word + at * 4) : "memory");
}

LW_DEV uint32_t load_shared(uint32_t at)
{
    uint32_t v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    return v;
}

LW_DEV void store_shared(uint32_t at, uint32_t v)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}

LW_DEV void store_shared16(uint32_t at, uint32_t v)
{
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"((unsigned short)v) : "memory");
}

template <int K> struct kind {
    static const int bytes = K == LW_K8                                     ? 1
                             : K == LW_K16 || K == LW_KF16 || K == LW_KBF16 ? 2
                             : K == LW_K32 || K == LW_KF32                  ? 4
                                                                            : 8;
    static const bool real = K >= LW_KF16;
    static const bool wide = K == LW_K64 || K == LW_KF64;
};

/* ---- the bin of a sample ---- */

LW_DEV float half_value(uint32_t h)
{
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"((unsigned short)h));
    return v;
}

/* Edge i of even levels, as lw_hist_edges() defines it. */
LW_DEV float even_edge(const lw_hist_params &p, uint32_t i)
{
    return i >= p.bins ? p.hi_f : fminf(__fmaf_rn((float)i, p.step_f, p.lo_f), p.hi_f);
}

LW_DEV double even_edge_wide(const lw_hist_params &p, uint32_t i)
{
    return i >= p.bins ? p.hi_d : fmin(__fma_rn((double)i, p.step_d, p.lo_d), p.hi_d);
}

LW_DEV uint32_t even_bin(const lw_hist_params &p, float x)
{
    if (!(x >= p.lo_f)) return x != x ? p.nan : p.below;
    if (!(x < p.hi_f)) return x == p.hi_f && p.closed ? p.bins - 1 : p.above;
    uint32_t b = min((uint32_t)((x - p.lo_f) * p.inv_f), p.bins - 1);
    while (b > 0 && x < even_edge(p, b)) b--;
    while (b + 1 < p.bins && x >= even_edge(p, b + 1)) b++;
    return b;
}

LW_DEV uint32_t even_bin_wide(const lw_hist_params &p, double x)
{
    if (!(x >= p.lo_d)) return x != x ? p.nan : p.below;
    if (!(x < p.hi_d)) return x == p.hi_d && p.closed ? p.bins - 1 : p.above;
    uint32_t b = min((uint32_t)((x - p.lo_d) * p.inv_d), p.bins - 1);
    while (b > 0 && x < even_edge_wide(p, b)) b--;
    while (b + 1 < p.bins && x >= even_edge_wide(p, b + 1)) b++;
    return b;
}

/*
 * Even levels whose estimate errs by less than half a bin (the planner knows): half a bin lower it is the bin or the
 * one before, so that one comparison settles it. Floor by adding 2^23 or 2^52 instead of conversions, and no branch.
 * SKIP for what lies outside.
 */
LW_DEV uint32_t near_bin(const lw_hist_params &p, float x)
{
    float r = fmaxf(__fadd_rd(__fmaf_rn(x, p.inv_f, p.off_f), 8388607.5f), 8388608.0f);
    uint32_t b = __float_as_uint(r) - 0x4b000000u;
    b += x >= __fmaf_rn(r - 8388607.0f, p.step_f, p.lo_f);
    return x >= p.lo_f && x < p.hi_f ? min(b, p.bins - 1) : LW_HIST_SKIP;
}

LW_DEV uint32_t near_bin_wide(const lw_hist_params &p, double x)
{
    double r = fmax(__dadd_rd(__fma_rn(x, p.inv_d, p.off_d), 4503599627370495.5), 4503599627370496.0);
    uint32_t b = (uint32_t)__double2loint(r);
    b += x >= __fma_rn(r - 4503599627370495.0, p.step_d, p.lo_d);
    return x >= p.lo_d && x < p.hi_d ? min(b, p.bins - 1) : LW_HIST_SKIP;
}

/* floor(d * bins / range) for d < range. */
LW_DEV uint32_t even_int(const lw_hist_params &p, uint64_t d)
{
    if (p.identity) return (uint32_t)d;
    if (p.bins > p.range) return (uint32_t)(d * p.bins / p.range);
    uint64_t b = __umul64hi(d, p.m);
    if (!p.wide) return (uint32_t)b; /* the multiplier is rounded up and d below 2^32: exact */
    uint64_t hi1 = __umul64hi(b + 1, p.range), lo1 = (b + 1) * p.range, hi2 = __umul64hi(d, p.bins), lo2 = d * p.bins;
    return (uint32_t)(hi1 < hi2 || (hi1 == hi2 && lo1 <= lo2) ? b + 1 : b);
}

LW_DEV uint32_t int_bin(const lw_hist_params &p, uint64_t key)
{
    if (key < p.lo) return p.below;
    uint64_t d = key - p.lo;
    if (d >= p.range) return d == p.range && p.closed ? p.bins - 1 : p.above;
    return even_int(p, d);
}

LW_DEV uint32_t int_bin32(const lw_hist_params &p, uint32_t key)
{
    uint32_t d = key - (uint32_t)p.lo;
    if (d < (uint32_t)p.range) {
        if (p.identity || p.bins > p.range) return even_int(p, d);
        /* high half of d * m: the multiplier is rounded up and d below 2^32, so this is exact */
        return (uint32_t)((d * (p.m >> 32) + __umulhi(d, (uint32_t)p.m)) >> 32);
    }
    if (key < (uint32_t)p.lo) return p.below;
    return d == (uint32_t)p.range && p.closed ? p.bins - 1 : p.above;
}

/* What a block counts, and where. */
struct target {
    uint32_t *word; /* shared counters */
    uint32_t place; /* their shared address */
    uint32_t first, size;
    uint32_t key, direct; /* INTEGER: sample - key is the counter if below direct */
    int64_t base;         /* of this histogram in counts */
    const char *samples;
    const void *edges;
    const uint32_t *cells;             /* NULL: the whole array of edges is searched */
    uint32_t edges_place, cells_place; /* shared addresses */
    uint64_t edge_lo, edge_hi;         /* bits of the first and last edge */
    float scale;                       /* cells per unit */
    bool stepped, by_bits;             /* f32: the cells are steps, see step_bins() */
    uint32_t step_bits, step_base; /* bits of a place inside its cell; shared address of the word for float bits 0 */
    uint32_t step_from;            /* the value, as bits, that begins cell 1 */
    float step_off;
};

/*
 * Edges in shared memory come with a table of cells of equal width: the first bin a value of the cell can have and how
 * many bins it can have. A value is then searched among those only. The cell is a monotonous function of the value,
 * which is all that the search needs.
 */
template <typename T> LW_DEV T edge_value(uint64_t bits);
template <> __device__ __forceinline__ float edge_value<float>(uint64_t bits)
{
    return __uint_as_float((uint32_t)bits);
}
template <> __device__ __forceinline__ double edge_value<double>(uint64_t bits)
{
    return __longlong_as_double((long long)bits);
}
template <> __device__ __forceinline__ int64_t edge_value<int64_t>(uint64_t bits) { return (int64_t)bits; }
template <> __device__ __forceinline__ uint64_t edge_value<uint64_t>(uint64_t bits) { return bits; }

LW_DEV bool edge_is_real(float) { return true; }
LW_DEV bool edge_is_real(double) { return true; }
LW_DEV bool edge_is_real(int64_t) { return false; }
LW_DEV bool edge_is_real(uint64_t) { return false; }

LW_DEV float distance(float x, float from) { return x - from; }
LW_DEV float distance(double x, double from) { return (float)(x - from); }
LW_DEV float distance(int64_t x, int64_t from) { return (float)((uint64_t)x - (uint64_t)from); }
LW_DEV float distance(uint64_t x, uint64_t from) { return (float)(x - from); }

template <typename T> LW_DEV uint32_t cell_of(const lw_hist_params &p, const target &t, T x)
{
    float c = distance(x, edge_value<T>(t.edge_lo)) * t.scale;
    return c < (float)(p.cells - 1) ? (uint32_t)c : p.cells - 1; /* NaN of a degenerate scale: the last */
}

/* Where a cell stands in the table: samples on a coarse grid of values would else meet in one bank. */
template <typename T> LW_DEV uint32_t slot_of(uint32_t cell)
{
    if (edge_is_real((T)0)) return cell;
    return (cell & ~31u) | ((cell + (cell >> 5) + (cell >> 10)) & 31);
}

/* Largest i with edge[i] <= x < edge[bins]; edges are ascending. SKIP: x is outside. */
template <typename T> LW_DEV uint32_t search_inside(const lw_hist_params &p, const target &t, T x)
{
    const T *edge = (const T *)t.edges;
    uint32_t lo = 0, n = p.bins;
    if (sizeof(T) == 4 && t.stepped) { /* rare: row ends */
    } else if (t.cells) {
        uint32_t cell = t.cells[slot_of<T>(cell_of(p, t, x))];
        lo = cell & 0xffff;
        n = cell >> 16;
        bool up = edge[lo + n / 2] <= x; /* most searches end here: no loop for them */
        lo += up ? n / 2 : 0;
        n = up ? n - n / 2 : n / 2;
    }
    while (n > 1) {
        uint32_t half = n / 2;
        bool up = edge[lo + half] <= x;
        lo += up ? half : 0;
        n = up ? n - half : half;
    }
    return x >= edge_value<T>(t.edge_lo) && x < edge_value<T>(t.edge_hi) ? lo : LW_HIST_SKIP;
}

template <typename T> LW_DEV T load_edge(uint32_t at)
{
    if (sizeof(T) == 4) return edge_value<T>(load_shared(at));
    uint64_t v;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(v) : "r"(at) : "memory");
    return edge_value<T>(v);
}

/* search_inside() for N values with cells: their loads are on the way together, and most need no loop. */
template <typename T, int N>
LW_DEV void search_cells(const lw_hist_params &p, const target &t, const T *x, uint32_t *at)
{
    uint32_t n[N], most = 0;
#pragma unroll
    for (int i = 0; i < N; i++) n[i] = load_shared(t.cells_place + slot_of<T>(cell_of(p, t, x[i])) * 4);
#pragma unroll
    for (int i = 0; i < N; i++) {
        at[i] = n[i] & 0xffff;
        n[i] >>= 16;
        bool up = load_edge<T>(t.edges_place + (at[i] + n[i] / 2) * (uint32_t)sizeof(T)) <= x[i];
        at[i] += up ? n[i] / 2 : 0;
        n[i] = up ? n[i] - n[i] / 2 : n[i] / 2;
        most = max(most, n[i]);
    }
    if (most > 1) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            while (n[i] > 1) {
                uint32_t half = n[i] / 2;
                bool up = load_edge<T>(t.edges_place + (at[i] + half) * (uint32_t)sizeof(T)) <= x[i];
                at[i] += up ? half : 0;
                n[i] = up ? n[i] - half : half;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (!(x[i] >= edge_value<T>(t.edge_lo) && x[i] < edge_value<T>(t.edge_hi))) at[i] = LW_HIST_SKIP;
    }
}

/*
 * f32 edges: a value becomes a place, 23 bits, by a monotonous function: of the value, or of its bits (for edges that
 * grow like a logarithm). The upper bits are its cell, the lower ones where it is in the cell. The table has one word
 * per cell: the number of edges in cells before and, if one edge is in the cell, the complement of that edge's lower
 * bits. The value's lower bits added to that carry over if the value is above the edge: the upper part is then the
 * number of edges not above the value. Equal lower bits (a sum of ones) and cells of several edges (STEP_MANY) are
 * settled by a search among the cell's edges. Places are kept as the mantissa of a number from 1 to 2: no conversion.
 */
#define STEP_MANY 0x80000000u
#define STEP_ONE 0x3f800000u

LW_DEV uint32_t step_place(const target &t, float x)
{
    float d = x - edge_value<float>(t.step_from);
    if (t.by_bits) d = (float)(max((int)__float_as_uint(x + 0.0f), -1) - (int)t.step_from);
    return __float_as_uint(__fadd_rn(__saturatef(__fmaf_rn(d, t.scale, t.step_off)), 1.0f)); /* NaN: as 0 */
}

LW_DEV uint32_t step_cell(const target &t, float x) { return (step_place(t, x) - STEP_ONE) >> t.step_bits; }

LW_DEV uint32_t step_edges_before(const lw_hist_params &p, const target &t, uint32_t cell)
{
    return cell > p.cells ? p.bins + 1 : load_shared(t.cells_place + cell * 4) >> t.step_bits & 0xffff;
}

/* Number of edges not above x, by search among those of its cell. */
LW_DEV uint32_t step_search(const lw_hist_params &p, const target &t, float x)
{
    uint32_t lo = 0, hi = p.bins + 1;
    if (t.scale > 0) {
        uint32_t cell = step_cell(t, x);
        lo = step_edges_before(p, t, cell);
        hi = step_edges_before(p, t, cell + 1);
    }
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        bool up = edge_value<float>(load_shared(t.edges_place + mid * 4)) <= x;
        lo = up ? mid + 1 : lo;
        hi = up ? hi : mid;
    }
    return lo;
}

/* Bins of N values; SKIP or p.bins for those outside. */
template <int N> LW_DEV void step_bins(const lw_hist_params &p, const target &t, const float *x, uint32_t *at)
{
    uint32_t sum[N], many = 0, least = ~0u, low = (1u << t.step_bits) - 1;
#pragma unroll
    for (int i = 0; i < N; i++) {
        uint32_t place = step_place(t, x[i]);
        sum[i] = load_shared(t.step_base + (place >> t.step_bits) * 4) + (place & low);
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        many |= sum[i];
        least = min(least, ~sum[i] & low);
        at[i] = (sum[i] >> t.step_bits) - 1;
    }
    if (many < STEP_MANY && least != 0) return;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (sum[i] >= STEP_MANY || (~sum[i] & low) == 0) at[i] = step_search(p, t, x[i]) - 1;
    }
}

template <typename T> LW_DEV uint32_t outside_edges(const lw_hist_params &p, const target &t, T x)
{
    if (x != x) return p.nan;
    if (x < edge_value<T>(t.edge_lo)) return p.below;
    if (x == edge_value<T>(t.edge_hi) && p.closed) return p.bins - 1;
    return x >= edge_value<T>(t.edge_hi) ? p.above : LW_HIST_SKIP;
}

template <typename T> LW_DEV uint32_t search_bin(const lw_hist_params &p, const target &t, T x)
{
    uint32_t b = search_inside(p, t, x);
    return b == LW_HIST_SKIP ? outside_edges(p, t, x) : b;
}

/* A sample's value; 64-bit unsigned ones as the same bits. */
template <int K> LW_DEV float real_value(uint64_t raw)
{
    return K == LW_KF32    ? __uint_as_float((uint32_t)raw)
           : K == LW_KBF16 ? __uint_as_float((uint32_t)raw << 16)
                           : half_value((uint32_t)raw);
}

template <int K> LW_DEV int64_t int_value(const lw_hist_params &p, uint64_t raw)
{
    if (!p.flip || K == LW_K64) return (int64_t)raw;
    return K == LW_K8 ? (int8_t)raw : K == LW_K16 ? (int16_t)raw : (int32_t)raw;
}

/* The entry that counts a sample, or SKIP. MODE INTEGER of reals: even levels with a good estimate. */
template <int K, int MODE> LW_DEV uint32_t bin_of(const lw_hist_params &p, const target &t, uint64_t raw)
{
    if (K == LW_KF64) {
        double x = __longlong_as_double((long long)raw);
        return MODE == LW_HIST_EDGES ? search_bin(p, t, x) : even_bin_wide(p, x);
    }
    if (kind<K>::real)
        return MODE == LW_HIST_EDGES ? search_bin(p, t, real_value<K>(raw)) : even_bin(p, real_value<K>(raw));
    if (MODE == LW_HIST_EDGES) {
        return K == LW_K64 && !p.flip ? search_bin(p, t, raw) : search_bin(p, t, int_value<K>(p, raw));
    }
    if (K != LW_K64 && !p.wide) return int_bin32(p, (uint32_t)raw ^ (uint32_t)p.flip);
    if (K == LW_K64) return int_bin(p, raw ^ p.flip);
    return int_bin(p, (uint64_t)int_value<K>(p, raw) ^ 0x8000000000000000u);
}

/* A sample as the type of the edges. */
template <int K> LW_DEV void as_edge(const lw_hist_params &, uint64_t raw, float *x) { *x = real_value<K>(raw); }
template <int K> LW_DEV void as_edge(const lw_hist_params &, uint64_t raw, double *x)
{
    *x = __longlong_as_double((long long)raw);
}
template <int K> LW_DEV void as_edge(const lw_hist_params &, uint64_t raw, uint64_t *x) { *x = raw; }
template <int K> LW_DEV void as_edge(const lw_hist_params &p, uint64_t raw, int64_t *x) { *x = int_value<K>(p, raw); }

template <typename T, int K, int N>
LW_DEV void search_all(const lw_hist_params &p, const target &t, const uint64_t *raw, uint32_t *at)
{
    T x[N];
#pragma unroll
    for (int i = 0; i < N; i++) as_edge<K>(p, raw[i], &x[i]);
    if constexpr (sizeof(T) == 4) {
        if (t.stepped) {
            step_bins<N>(p, t, x, at);
            if (!p.outside) return;
#pragma unroll
            for (int i = 0; i < N; i++) at[i] = at[i] < p.bins ? at[i] : LW_HIST_SKIP;
            return;
        }
    }
    if (t.cells) {
        search_cells<T, N>(p, t, x, at);
        return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) at[i] = search_inside(p, t, x[i]);
}

/* Even levels, only for samples inside them, without branches: SKIP for all others. Integers: p.scaled. */
template <int K> LW_DEV uint32_t quick_bin(const lw_hist_params &p, uint64_t raw)
{
    if (K == LW_KF64) return near_bin_wide(p, __longlong_as_double((long long)raw));
    if (kind<K>::real) return near_bin(p, real_value<K>(raw));
    uint32_t d = ((uint32_t)raw ^ (uint32_t)p.flip) - (uint32_t)p.lo;
    /* high half of d * m: the multiplier is rounded up and d below 2^32, so this is exact */
    uint32_t b = (uint32_t)((d * (p.m >> 32) + __umulhi(d, (uint32_t)p.m)) >> 32);
    return d < (uint32_t)p.range ? b : LW_HIST_SKIP;
}

/* The entry of a sample outside the levels; SKIP also for one that is inside. EVEN integers: p.scaled. */
template <int K, int MODE> LW_DEV uint32_t outside_bin(const lw_hist_params &p, const target &t, uint64_t raw)
{
    if (MODE == LW_HIST_EDGES) {
        if (K == LW_KF64) return outside_edges(p, t, __longlong_as_double((long long)raw));
        if (kind<K>::real) return outside_edges(p, t, real_value<K>(raw));
        return K == LW_K64 && !p.flip ? outside_edges(p, t, raw) : outside_edges(p, t, int_value<K>(p, raw));
    }
    if (kind<K>::real) {
        double x = K == LW_KF64 ? __longlong_as_double((long long)raw) : (double)real_value<K>(raw);
        double lo = K == LW_KF64 ? p.lo_d : (double)p.lo_f, hi = K == LW_KF64 ? p.hi_d : (double)p.hi_f;
        if (x != x) return p.nan;
        return x < lo ? p.below : x == hi && p.closed ? p.bins - 1 : x >= hi ? p.above : LW_HIST_SKIP;
    }
    uint32_t key = (uint32_t)raw ^ (uint32_t)p.flip, d = key - (uint32_t)p.lo;
    if (key < (uint32_t)p.lo) return p.below;
    return d < (uint32_t)p.range ? LW_HIST_SKIP : d == (uint32_t)p.range && p.closed ? p.bins - 1 : p.above;
}

/* Edges and their cells in shared memory. All threads of the block. */
template <typename T> LW_DEV void make_cells(const lw_hist_params &p, const target &t, uint32_t *cell)
{
    const T *edge = (const T *)t.edges;
    uint32_t from[LW_HIST_CELLS / LW_HIST_THREADS], upto[LW_HIST_CELLS / LW_HIST_THREADS];
    for (uint32_t i = threadIdx.x; i <= p.bins + 1; i += LW_HIST_THREADS) { /* edges in cells before c */
        uint32_t first = i ? cell_of(p, t, edge[i - 1]) + 1 : 0, last = i <= p.bins ? cell_of(p, t, edge[i]) : p.cells;
        for (uint32_t c = first; c <= last; c++) cell[c] = i;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < LW_HIST_CELLS / LW_HIST_THREADS; k++) {
        uint32_t c = threadIdx.x + k * LW_HIST_THREADS;
        from[k] = c < p.cells && cell[c] ? cell[c] - 1 : 0;
        upto[k] = c < p.cells ? cell[c + 1] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < LW_HIST_CELLS / LW_HIST_THREADS; k++) {
        uint32_t c = threadIdx.x + k * LW_HIST_THREADS;
        if (c < p.cells) cell[slot_of<T>(c)] = from[k] | (upto[k] - from[k]) << 16;
    }
}

/* Number of edges in cells before `cell`. */
LW_DEV uint32_t step_count(const lw_hist_params &p, const target &t, uint32_t cell)
{
    uint32_t lo = 0, hi = p.bins + 1;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        bool up = step_cell(t, ((const float *)t.edges)[mid]) < cell;
        lo = up ? mid + 1 : lo;
        hi = up ? hi : mid;
    }
    return lo;
}

/* The table of steps; returns how many cells have several edges. All threads of the block. */
LW_DEV int make_steps(const lw_hist_params &p, target &t, uint32_t *cell, bool by_bits)
{
    const float *edge = (const float *)t.edges;
    int several = 0;
    t.by_bits = by_bits;
    /* by bits from the second edge on: the first is often 0, many powers of two below */
    t.step_from = by_bits ? (uint32_t)max((int)__float_as_uint(edge[1]), 0) : (uint32_t)t.edge_lo;
    float width = by_bits ? (float)((int)t.edge_hi - (int)t.step_from)
                          : edge_value<float>(t.edge_hi) - edge_value<float>(t.edge_lo);
    t.step_bits = 24 - (uint32_t)__ffs(p.cells);
    t.step_off = 1.0f / (float)p.cells;
    t.scale = (float)(p.cells - 2) * t.step_off / width;
    if (!(t.scale > 0 && t.scale < 3e38f)) t.scale = 0;
    __syncthreads();
    for (uint32_t c = threadIdx.x; c - threadIdx.x <= p.cells; c += LW_HIST_THREADS) {
        uint32_t before = c <= p.cells ? step_count(p, t, c) : 0;
        uint32_t behind = c < p.cells ? step_count(p, t, c + 1) : p.bins + 1;
        bool many = c <= p.cells && (behind - before > 1 || t.scale == 0);
        uint32_t low = behind - before == 1 ? ~step_place(t, edge[before]) & ((1u << t.step_bits) - 1) : 0;
        if (c <= p.cells) cell[c] = before << t.step_bits | (many ? STEP_MANY : low);
        several += __syncthreads_count(many);
    }
    return several;
}

/* Steps by value or by bits, whichever leaves fewer cells with several edges. */
LW_DEV void choose_steps(const lw_hist_params &p, target &t, uint32_t *cell)
{
    int several = make_steps(p, t, cell, false);
    if (several && (int32_t)t.edge_lo >= 0) {
        int other = make_steps(p, t, cell, true);
        if (other >= several) make_steps(p, t, cell, false);
    }
    t.stepped = true;
}

template <typename T> LW_DEV void edge_limits(const lw_hist_params &p, target &t)
{
    const T *edge = (const T *)t.edges;
    T lo = edge[0], hi = edge[p.bins];
    t.scale = (float)p.cells / distance(hi, lo);
    if (sizeof(T) == 4) {
        t.edge_lo = ((const uint32_t *)t.edges)[0];
        t.edge_hi = ((const uint32_t *)t.edges)[p.bins];
    } else {
        t.edge_lo = ((const uint64_t *)t.edges)[0];
        t.edge_hi = ((const uint64_t *)t.edges)[p.bins];
    }
}

/* Prepares t for edges; with p.edges_at they and their cells go to shared memory. All threads of the block. */
template <int K> LW_DEV void take_edges(const lw_hist_params &p, target &t, unsigned char *shared)
{
    const int bytes = kind<K>::wide || !kind<K>::real ? 8 : 4;
    t.edges = p.edges;
    t.cells = NULL;
    t.stepped = false;
    if (p.edges_at) {
        for (uint32_t i = threadIdx.x; i < (p.bins + 1) * (bytes / 4); i += LW_HIST_THREADS) {
            ((uint32_t *)(shared + p.edges_at))[i] = ((const uint32_t *)p.edges)[i];
        }
        t.edges = shared + p.edges_at;
        __syncthreads();
    }
    if (K == LW_KF64) edge_limits<double>(p, t);
    else if (kind<K>::real) edge_limits<float>(p, t);
    else if (K == LW_K64 && !p.flip) edge_limits<uint64_t>(p, t);
    else edge_limits<int64_t>(p, t);
    if (!p.edges_at) return;
    uint32_t *cell = (uint32_t *)(shared + p.cells_at);
    if (K == LW_KF64) make_cells<double>(p, t, cell);
    else if (kind<K>::real) choose_steps(p, t, cell);
    else if (K == LW_K64 && !p.flip) make_cells<uint64_t>(p, t, cell);
    else make_cells<int64_t>(p, t, cell);
    __syncthreads();
    t.cells = cell;
    t.edges_place = shared_address(t.edges);
    t.cells_place = shared_address(cell);
    if (t.stepped) t.step_base = t.cells_place - (STEP_ONE >> t.step_bits) * 4;
}

/* ---- counting ---- */

LW_DEV void add_global(const lw_hist_params &p, int64_t at, uint32_t n)
{
    if (p.wide_counts) atomicAdd((unsigned long long *)p.counts + at, (unsigned long long)n);
    else atomicAdd((unsigned int *)p.counts + at, n);
}

/*
 * The counters of N samples relative to the block's first; what is not below t.size is not counted here. The quick way
 * has no branches, so that the samples' arithmetic overlaps; what it leaves out is looked at only if it may count.
 */
template <int K, int MODE, int N> LW_DEV void counters_of(const lw_hist_params &p, const target &t, const uint64_t *raw,
                                                          uint32_t *at)
{
    const bool direct = MODE == LW_HIST_INTEGER && !kind<K>::real;
    bool quick =
        direct || MODE == LW_HIST_INTEGER || MODE == LW_HIST_EDGES || (!kind<K>::real && !kind<K>::wide && p.scaled);
    if (!quick) {
#pragma unroll
        for (int i = 0; i < N; i++) at[i] = bin_of<K, MODE>(p, t, raw[i]) - t.first;
        return;
    }
    if constexpr (MODE == LW_HIST_EDGES) {
        if constexpr (K == LW_KF64) search_all<double, K, N>(p, t, raw, at);
        else if constexpr (kind<K>::real) search_all<float, K, N>(p, t, raw, at);
        else if (K == LW_K64 && !p.flip) search_all<uint64_t, K, N>(p, t, raw, at);
        else search_all<int64_t, K, N>(p, t, raw, at);
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (direct) {
            at[i] = (K == LW_K32 ? (uint32_t)raw[i] : (uint32_t)raw[i] ^ (uint32_t)p.flip) - t.key;
        } else {
            if (MODE != LW_HIST_EDGES) at[i] = quick_bin<K>(p, raw[i]);
            if (t.first) at[i] = at[i] == LW_HIST_SKIP ? at[i] : at[i] - t.first;
        }
    }
    if (!p.outside) return;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (direct ? at[i] >= t.direct : at[i] == LW_HIST_SKIP) at[i] = outside_bin<K, MODE>(p, t, raw[i]) - t.first;
    }
}

/* Adds n to half `at` and returns what the half held; its owner looks for overflow afterwards. */
LW_DEV uint32_t add_half(uint32_t *word, uint32_t at, uint32_t n)
{
    uint32_t shift = (at & 1) * 16;
    return atomicAdd(&word[at >> 1], n << shift) >> shift & 0xffff;
}

LW_DEV bool filled(uint32_t half, uint32_t n) { return half < 0x8000 && half + n >= 0x8000; }

/* What a block counts that has bins first..first + size - 1. */
template <int K, int MODE> LW_DEV target target_of(const lw_hist_params &p, unsigned char *shared, uint32_t first)
{
    target t = {(uint32_t *)shared, shared_address(shared), first};
    t.size = (uint32_t)min(p.window, p.entries - (int64_t)first);
    t.key = ((uint32_t)p.lo + first) ^ (K == LW_K32 ? (uint32_t)p.flip : 0);
    t.direct = first < p.bins ? min(t.size, p.bins - first) : 0;
    t.samples = p.samples;
    if (MODE == LW_HIST_EDGES) take_edges<K>(p, t, shared);
    return t;
}

/* ---- walking ---- */

/* Where a thread stands in a chunk: its first window begins at byte x of the row; windows are aligned in memory. */
struct cursor {
    const char *row;
    int64_t x;
};

#define SPAN ((int64_t)LW_HIST_THREADS * 16)

LW_DEV cursor cursor_of(const lw_hist_params &p, const char *samples, int64_t chunk)
{
    int64_t r = p.segmented || p.rows == 1 ? 0 : chunk / p.chunks_per_row;
    cursor at = {samples + r * p.row_pitch, 0};
    at.x = (chunk - r * p.chunks_per_row) * (SPAN * LW_HIST_WINDOWS) - (int64_t)((uintptr_t)at.row & 15) +
           threadIdx.x * 16;
    return at;
}

/* Whether all windows k of a warp lie inside the row. */
LW_DEV bool inside(const lw_hist_params &p, const cursor &at, int k)
{
    int64_t first = at.x - (threadIdx.x & 31) * 16 + k * SPAN;
    return first >= 0 && first + 512 <= p.row_bytes;
}

LW_DEV uint4 load_window(const lw_hist_params &p, const cursor &at, int k)
{
    const uint4 *from = (const uint4 *)(at.row + at.x + k * SPAN);
    return p.keep ? __ldg(from) : __ldcs(from); /* keep: other blocks read the same from L2 */
}

/* Whether all of a block's chunk lies inside the row. */
LW_DEV bool whole(const lw_hist_params &p, const cursor &at)
{
    int64_t first = at.x - threadIdx.x * 16;
    return first >= 0 && first + SPAN * LW_HIST_WINDOWS <= p.row_bytes;
}

LW_DEV void fetch(const lw_hist_params &p, const cursor &at, uint4 *v)
{
    if (!whole(p, at)) return;
#pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) v[k] = load_window(p, at, k);
}

/* The chunks of a single row that lie inside it, and where this thread's part of chunk 0 would be. */
struct line {
    const char *start;
    uint32_t first, end;
};

LW_DEV line line_of(const lw_hist_params &p, const target &t)
{
    uint32_t before = (uint32_t)(uintptr_t)t.samples & 15;
    line l = {t.samples - before + threadIdx.x * 16, before != 0,
              (uint32_t)((p.row_bytes + before) / (SPAN * LW_HIST_WINDOWS))};
    return l;
}

/* This thread's part of chunk c if all of the chunk is inside its row, else NULL. */
LW_DEV const uint4 *chunk_at(const lw_hist_params &p, const target &t, const line &l, uint32_t c)
{
    if (p.segmented || p.rows == 1) {
        return c >= l.first && c < l.end ? (const uint4 *)(l.start + (int64_t)c * (SPAN * LW_HIST_WINDOWS)) : NULL;
    }
    cursor at = cursor_of(p, t.samples, c);
    return whole(p, at) ? (const uint4 *)(at.row + at.x) : NULL;
}

LW_DEV void fetch_chunk(const uint4 *from, uint4 *v)
{
#pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) v[k] = __ldg(from + k * LW_HIST_THREADS);
}

LW_DEV void prefetch(const uint4 *at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

/* Sample i of a vector, zero-extended. */
template <int K> LW_DEV uint64_t sample_of(const uint4 &v, int i)
{
    const int bytes = kind<K>::bytes, at = i * bytes / 4;
    uint32_t w = at == 0 ? v.x : at == 1 ? v.y : at == 2 ? v.z : v.w;
    if (bytes == 8) return w | (uint64_t)(at == 0 ? v.y : v.w) << 32;
    return bytes == 4 ? w : bytes == 2 ? (i & 1 ? w >> 16 : w & 0xffff) : w >> (8 * i & 31) & 255;
}

/* The counters of N samples of a vector, from sample `first` on. */
template <int K, int MODE, int N>
LW_DEV void vector_counters(const lw_hist_params &p, const target &t, uint4 v, int first, uint32_t *at)
{
    uint64_t raw[N];
#pragma unroll
    for (int j = 0; j < N; j++) raw[j] = sample_of<K>(v, first + j);
    counters_of<K, MODE, N>(p, t, raw, at);
}

template <int K> LW_DEV uint64_t load_sample(const char *at)
{
    return kind<K>::bytes == 1   ? *(const uint8_t *)at
           : kind<K>::bytes == 2 ? *(const uint16_t *)at
           : kind<K>::bytes == 4 ? *(const uint32_t *)at
                                 : *(const uint64_t *)at;
}

#endif
