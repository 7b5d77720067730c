/*
 * Weighted histograms of one channel in shared memory: samples and weights of 4 bytes, sums in f32 or in multiples of a
 * power of two. Everything else is done by hist_any.cu. Vectors of four samples and their weights, the next ones on
 * their way while the present are added. Lanes that all meet in one bin keep sums of their own until the bin changes.
 *
 * f32 sums in shared memory would be compare-and-swap loops. Instead every block takes the greatest of a few thousand
 * of its weights and adds multiples of a power of two to 64-bit sums, two native 32-bit atomics each. The window of
 * such multiples keeps all 24 bits of weights from 2^-15 to 8 times that greatest one; what lies outside the window,
 * infinities and NaN are added to the result itself. Above 28 K bins, where 64-bit sums have no room, the loops remain.
 */
#include "hist/hist_sums.cuh"

#define SUM_CHUNK (SPAN * LW_SUM_WINDOWS)

typedef void (*sum_fn)(const lw_hist_any);

struct sum_cursor {
    const char *row, *weights; /* of the row */
    int64_t x;                 /* this thread's first window, in bytes from the start of both */
};

template <int W> struct run { /* of samples in one bin; the sums of each lane */
    uint32_t at;
    long long sum;
};
template <> struct run<LW_ADD_F32> {
    uint32_t at;
    float sum;
};

LW_DEV sum_cursor sum_cursor_of(const lw_hist_any &a, const lw_hist_params &p, int64_t row, int64_t chunk)
{
    int64_t r = p.segmented ? row : p.rows == 1 ? 0 : chunk / p.chunks_per_row;
    sum_cursor at = {a.samples + r * p.row_pitch, (const char *)a.weights + r * p.row_bytes, 0};
    if (!p.segmented) chunk -= r * p.chunks_per_row;
    at.x = chunk * SUM_CHUNK - (int64_t)((uintptr_t)at.row & 15) + threadIdx.x * 16;
    return at;
}

LW_DEV bool all_inside(const lw_hist_params &p, const sum_cursor &at)
{
    int64_t first = at.x - threadIdx.x * 16;
    return first >= 0 && first + SUM_CHUNK <= p.row_bytes;
}

LW_DEV uint4 load_weights(const char *from)
{
    if (((uintptr_t)from & 15) == 0) return __ldcs((const uint4 *)from);
    const uint32_t *w = (const uint32_t *)from;
    return make_uint4(__ldcs(w), __ldcs(w + 1), __ldcs(w + 2), __ldcs(w + 3));
}

/* ---- adding ---- */

LW_DEV uint32_t swap_word(uint32_t at, uint32_t expected, uint32_t desired)
{
    uint32_t old;
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "r"(at), "r"(expected), "r"(desired) : "memory");
    return old;
}

template <int N> LW_DEV void add_each(const target &t, const uint32_t *at, const float *w)
{
    uint32_t place[N], old[N], open = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        place[i] = t.place + min(at[i], t.size) * 4; /* behind the sums is a word that nobody reads */
        old[i] = load_shared(place[i]);
        if (at[i] < t.size) open |= 1u << i;
    }
    while (open) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (!(open >> i & 1)) continue;
            uint32_t seen = swap_word(place[i], old[i], __float_as_uint(__uint_as_float(old[i]) + w[i]));
            if (seen == old[i]) open &= ~(1u << i);
            old[i] = seen;
        }
    }
}

template <int N> LW_DEV void add_each(const target &t, const uint32_t *at, const long long *w)
{
    uint32_t place[N], high[N];
#pragma unroll
    for (int i = 0; i < N; i++) { /* what is not counted adds 0 to a sum of the lane's own bank */
        bool counts = at[i] < t.size;
        long long v = counts ? w[i] : 0;
        place[i] = t.place + (counts ? at[i] : min(threadIdx.x & 31, t.size)) * 8;
        uint32_t low = (uint32_t)v, old;
        asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(place[i]), "r"(low) : "memory");
        high[i] = (uint32_t)((unsigned long long)v >> 32) + (old + low < old);
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(place[i] + 4), "r"(high[i]) : "memory");
    }
}

LW_DEV void add_sum(const target &t, uint32_t at, float w)
{
    if (at < t.size) atomicAdd((float *)t.word + at, w);
}

LW_DEV void add_sum(const target &t, uint32_t at, long long w)
{
    if (at < t.size) add_halves(t.word, at, w);
}

template <int W> LW_DEV void end_run(const target &t, run<W> &r)
{
    if (r.at >= t.size) return; /* the same for all lanes */
    auto sum = sum_of_warp(r.sum);
    if ((threadIdx.x & 31) == 0) add_sum(t, r.at, sum);
}

LW_DEV void weight_of(const scale &, uint32_t w, float *v) { *v = __uint_as_float(w); }
LW_DEV void weight_of(const scale &s, uint32_t w, long long *v) { *v = multiples(s, (double)__uint_as_float(w)); }

/* ---- multiples whose unit a block chooses ---- */

#define SAMPLED 4 /* weights that every thread looks at */

/* |weight| whose bits are all kept: from least to below most, as f32 bits; 2^unit is one multiple. */
struct span {
    uint32_t least, most;
    int unit;
    double one;
};

LW_DEV bool outside_span(const span &s, uint32_t w)
{
    w &= 0x7fffffff;
    return w - s.least >= s.most - s.least && w != 0;
}

LW_DEV void weight_of(const span &s, uint32_t w, long long *v)
{
    *v = outside_span(s, w) ? 0 : __double2ll_rn((double)__uint_as_float(w) * s.one);
}

/* Of weights spread over the block's chunks; `most` is shared memory. All threads of the block. */
LW_DEV void take_span(const lw_hist_any &a, const lw_hist_params &p, int64_t row, int64_t first, uint32_t *most,
                      span *s)
{
    int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows), mine = (chunks - first + a.workers - 1) / a.workers;
    if (threadIdx.x == 0) *most = 0;
    __syncthreads();
    const int sampled = mine < 64 ? 1 : SAMPLED; /* each costs a sector */
    for (int i = 0; i < sampled && mine > 0; i++) {
        int64_t c = first + (int64_t)((uint64_t)(threadIdx.x + i * LW_HIST_THREADS) * (uint64_t)mine /
                                      (sampled * LW_HIST_THREADS)) *
                                a.workers;
        sum_cursor at = sum_cursor_of(a, p, row, c);
        if (at.x < 0 || at.x + 4 > p.row_bytes) continue;
        uint32_t w = *(const uint32_t *)(at.weights + at.x) & 0x7fffffff;
        if (w < 0x7f800000) atomicMax(most, w);
    }
    __syncthreads();
    uint32_t exponent = *most >> 23; /* the greatest is below 2^(exponent - 126) */
    __syncthreads();
    int head = 0;
    while (((int64_t)1 << head) < mine * (SUM_CHUNK / 4)) head++;
    int top = (int)exponent - 126 + 3;
    s->unit = top + head - 62; /* n multiples below 2^(62 - head) */
    s->most = (uint32_t)min(max(top + 127, 0), 255) << 23;
    s->least = min((uint32_t)min(max(s->unit + 23 + 127, 1), 255) << 23, s->most);
    s->one = scalbn(1.0, -s->unit);
}

/* What lies outside the window goes to the result. */
LW_DEV void add_outside(const lw_hist_any &a, const target &t, const span &s, uint32_t at, uint32_t w)
{
    if (outside_span(s, w) && at < t.size) add_real(a, t.base + at, __uint_as_float(w));
}

LW_DEV void add_outside(const lw_hist_any &, const target &, const scale &, uint32_t, uint32_t) {}

template <int W> LW_DEV void flush_sums(const lw_hist_any &a, const target &t, const scale &)
{
    flush_any<W>(a, t.word, t.base);
}

template <int W> LW_DEV void flush_sums(const lw_hist_any &a, const target &t, const span &s)
{
    double unit = scalbn(1.0, s.unit);
    for (int64_t i = threadIdx.x; i < a.group; i += LW_HIST_THREADS) {
        long long v = (long long)(t.word[2 * i] | (unsigned long long)t.word[2 * i + 1] << 32);
        if (v) add_real(a, t.base + i, (double)v * unit);
    }
}

template <int W> struct scaling {
    typedef scale type;
};
template <> struct scaling<LW_ADD_NEAR> {
    typedef span type;
};

/* ---- walking ---- */

template <int K, int MODE, int W>
LW_DEV void sum_vector(const lw_hist_any &a, const target &t, const typename scaling<W>::type &s, run<W> &r, uint4 v,
                       uint4 wv)
{
    const lw_hist_params &p = a.axis[0];
    const uint32_t bits[4] = {wv.x, wv.y, wv.z, wv.w};
    uint64_t raw[4];
    uint32_t at[4];
    decltype(r.sum) w[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        raw[i] = sample_of<K>(v, i);
        weight_of(s, bits[i], &w[i]);
    }
    counters_of<K, MODE, 4>(p, t, raw, at);
#pragma unroll
    for (int i = 0; i < 4; i++) add_outside(a, t, s, at[i], bits[i]);
    uint32_t one = __shfl_sync(0xffffffffu, at[0], 0);
    bool same = at[0] == one && at[1] == one && at[2] == one && at[3] == one;
    if (!__all_sync(0xffffffffu, same)) {
        add_each<4>(t, at, w);
        return;
    }
    if (one != r.at) {
        end_run<W>(t, r);
        r.at = one;
        r.sum = 0;
    }
    r.sum += (w[0] + w[1]) + (w[2] + w[3]);
}

template <int K, int MODE, int W>
LW_DEV void sum_partial(const lw_hist_any &a, const target &t, const typename scaling<W>::type &s, const sum_cursor &at,
                        int64_t x)
{
    const lw_hist_params &p = a.axis[0];
    for (int64_t b = x < 0 ? 0 : x; b < x + 16 && b < p.row_bytes; b += 4) {
        decltype(run<W>::sum) w;
        uint32_t bits = *(const uint32_t *)(at.weights + b), bin = bin_of<K, MODE>(p, t, load_sample<K>(at.row + b));
        weight_of(s, bits, &w);
        add_outside(a, t, s, bin, bits);
        add_sum(t, bin, w);
    }
}

template <int K, int MODE, int W>
LW_DEV void sum_all(const lw_hist_any &a, const target &t, const typename scaling<W>::type &s, int64_t row,
                    int64_t first)
{
    const lw_hist_params &p = a.axis[0];
    int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
    uint4 v[LW_SUM_WINDOWS], w[LW_SUM_WINDOWS];
    bool all = false;
    run<W> r = {LW_HIST_SKIP, 0};
    for (int64_t c = first; c < chunks; c += a.workers) {
        sum_cursor next = {}; /* the next chunk, if all of it is there */
        if (c + a.workers < chunks) {
            next = sum_cursor_of(a, p, row, c + a.workers);
            if (!all_inside(p, next)) next.row = NULL;
        }
        if (!all) {
            sum_cursor at = sum_cursor_of(a, p, row, c);
#pragma unroll 1
            for (int k = 0; k < LW_SUM_WINDOWS; k++) sum_partial<K, MODE, W>(a, t, s, at, at.x + k * SPAN);
        }
#pragma unroll
        for (int k = 0; k < LW_SUM_WINDOWS; k++) { /* fetched again as soon as it is counted */
            if (all) sum_vector<K, MODE, W>(a, t, s, r, v[k], w[k]);
            if (!next.row) continue;
            v[k] = __ldcs((const uint4 *)(next.row + next.x + k * SPAN));
            w[k] = load_weights(next.weights + next.x + k * SPAN);
        }
        all = next.row != NULL;
    }
    end_run<W>(t, r);
}

template <int K, int MODE, int W>
__global__ void __launch_bounds__(LW_HIST_THREADS, 1) sum_kernel(const __grid_constant__ lw_hist_any a)
{
    LW_DYNAMIC_SHARED(shared);
    const lw_hist_params &p = a.axis[0];
    int64_t worker = blockIdx.x % a.workers, job = blockIdx.x / a.workers, jobs = gridDim.x / a.workers;
    uint32_t words = (uint32_t)(a.group + 1) * (W == LW_ADD_F32 ? 1 : 2);
    typename scaling<W>::type s = {};
    if constexpr (W == LW_ADD_FIXED) s = fixed_scale(a);
    target t = target_of<K, MODE>(p, shared, 0);
    for (int64_t h = job; h < (a.segmented ? a.rows : 1); h += jobs) {
        t.base = h * a.group;
        if constexpr (W == LW_ADD_NEAR) take_span(a, p, h, worker, t.word, &s);
        for (uint32_t i = threadIdx.x; i < words; i += LW_HIST_THREADS) t.word[i] = 0;
        __syncthreads();
        sum_all<K, MODE, W>(a, t, s, h, worker);
        __syncthreads();
        flush_sums<W>(a, t, s);
        __syncthreads();
    }
}

#define MODES(K, W) {sum_kernel<K, LW_HIST_INTEGER, W>, sum_kernel<K, LW_HIST_EVEN, W>, sum_kernel<K, LW_HIST_EDGES, W>}
static const sum_fn table[3][2][3] = {
    {MODES(LW_K32, LW_ADD_F32), MODES(LW_KF32, LW_ADD_F32)},
    {MODES(LW_K32, LW_ADD_FIXED), MODES(LW_KF32, LW_ADD_FIXED)},
    {MODES(LW_K32, LW_ADD_NEAR), MODES(LW_KF32, LW_ADD_NEAR)},
};

extern "C" int lw_hist_sum_launch(const lw_hist_any *a, int kind, int mode, int add, uint32_t grid, uint32_t shared,
                                  lw_stream stream)
{
    return LW_LAUNCH(table[add == LW_ADD_NEAR ? 2 : add == LW_ADD_FIXED][kind == LW_KF32][mode], grid, LW_HIST_THREADS,
                     shared, stream, a);
}

extern "C" int lw_hist_sum_setup(lw_ops *ops)
{
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 18 && e == cudaSuccess; i++) {
        e = cudaFuncSetAttribute((const void *)table[i / 6][i / 3 % 2][i % 3],
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
