/*
 * Histograms of interleaved channels, of two and three dimensions, and of weights; ranges found on the device.
 * One kernel per sample type and way of adding: counts, f32 and f64 sums, and sums of integer multiples of a power of
 * two, which do not depend on the order (two 32-bit halves in shared memory, 64 bits in the workspace).
 */
#include "hist/hist_sums.cuh"

#define TILE (LW_HIST_THREADS * LW_ANY_FLIGHT) /* samples of a step of a block */

typedef void (*any_fn)(const lw_hist_any);

/* The entry of one value in its own dimension, or SKIP. */
template <int K> LW_DEV uint32_t value_bin(const lw_hist_params &p, const target &t, bool edged, uint64_t raw)
{
    if (edged) return bin_of<K, LW_HIST_EDGES>(p, t, raw);
    if (kind<K>::real && p.near) {
        uint32_t b = quick_bin<K>(p, raw);
        if (b != LW_HIST_SKIP || !p.outside) return b;
    }
    return bin_of<K, LW_HIST_EVEN>(p, t, raw);
}

/* ---- walking ---- */

/* The edges of all dimensions that have any. */
template <int K> LW_DEV void take_axes(const lw_hist_any &a, target *t, unsigned char *shared)
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        t[c].edges = NULL;
        if (a.edged && (c == 0 || (a.joint && c < a.counted))) take_edges<K>(a.axis[c], t[c], shared);
    }
}

LW_DEV double weight_at(const lw_hist_any &a, int64_t at)
{
    return a.weight_wide ? ((const double *)a.weights)[at] : ((const float *)a.weights)[at];
}

/* Entry of a joint histogram that sample u belongs to, or LW_HIST_SKIP. e: its entry in the first dimension. */
template <int K>
LW_DEV uint32_t joint_entry(const lw_hist_any &a, const target *t, const uint64_t (*raw)[LW_ANY_FLIGHT], int u,
                            uint32_t e)
{
    uint32_t b1 = value_bin<K>(a.axis[1], t[1], a.edged, raw[1][u]), b2 = 0;
    if (a.counted > 2) b2 = value_bin<K>(a.axis[2], t[2], a.edged, raw[2][u]);
    bool skip = b1 == LW_HIST_SKIP || b2 == LW_HIST_SKIP;
    return skip ? LW_HIST_SKIP : e * a.stride[0] + b1 * a.stride[1] + b2;
}

/*
 * Of a tile all loads come first: raw has the samples of a thread, of all dimensions of a joint histogram, w their
 * weights. Both loops stay in one function: the compiler gives other, untimed, machine code where they do not.
 */
template <int K, int W>
__global__ void __launch_bounds__(LW_HIST_THREADS, 1) any_kernel(const __grid_constant__ lw_hist_any a)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, place = shared_address(shared);
    uint32_t words = (uint32_t)(a.in_shared ? (a.group + 1) * (W == LW_ADD_F64 || W == LW_ADD_FIXED ? 2 : 1) : 0);
    int64_t worker = blockIdx.x % a.workers, job = blockIdx.x / a.workers, jobs = gridDim.x / a.workers;
    int64_t tiles = a.tiles_per_row * (a.segmented ? 1 : a.rows);
    scale s = {1, 1, 0};
    if (W == LW_ADD_FIXED) s = fixed_scale(a);
    target t[3];
    take_axes<K>(a, t, shared);
    for (int64_t h = job; h < (a.segmented ? a.rows : 1); h += jobs) {
        for (uint32_t i = threadIdx.x; i < words; i += LW_HIST_THREADS) word[i] = 0;
        __syncthreads();
        for (int64_t tile = worker; tile < tiles; tile += a.workers) {
            int64_t r = a.segmented ? h : tile / a.tiles_per_row;
            int64_t from = (a.segmented ? tile : tile - r * a.tiles_per_row) * TILE + threadIdx.x;
            const char *row = a.samples + r * a.row_pitch;
#pragma unroll 1
            for (int c = 0; c < (a.joint ? 1 : a.counted); c++) {
                uint64_t raw[3][LW_ANY_FLIGHT];
                double w[LW_ANY_FLIGHT];
#pragma unroll
                for (int u = 0; u < LW_ANY_FLIGHT; u++) {
                    int64_t i = from + u * LW_HIST_THREADS;
                    bool in = i < a.row_samples;
                    w[u] = 0;
#pragma unroll
                    for (int d = 0; d < 3; d++) {
                        if (in && (d == 0 || (a.joint && d < a.counted))) {
                            raw[d][u] = load_sample<K>(row + (i * a.channels + c + d) * kind<K>::bytes);
                        }
                    }
                    if (W != LW_ADD_COUNT && in) w[u] = weight_at(a, r * a.row_samples + i);
                }
#pragma unroll
                for (int u = 0; u < LW_ANY_FLIGHT; u++) {
                    uint32_t e = LW_HIST_SKIP;
                    if (from + u * LW_HIST_THREADS < a.row_samples) {
                        e = value_bin<K>(a.axis[0], t[0], a.edged, raw[0][u]);
                        if (a.joint && e != LW_HIST_SKIP) e = joint_entry<K>(a, t, raw, u, e);
                        else if (e != LW_HIST_SKIP) e += (uint32_t)(c * a.entries);
                    }
                    add_entry<W>(a, word, place, h * a.group, e, w[u], s);
                }
            }
        }
        __syncthreads();
        if (a.in_shared) flush_any<W>(a, word, h * a.group);
        __syncthreads();
    }
}

/* Multiples back to sums. */
__global__ void __launch_bounds__(LW_HIST_THREADS) finish_kernel(const __grid_constant__ lw_hist_any a)
{
    int64_t n = a.group * (a.segmented ? a.rows : 1);
    int k = fixed_bits(a);
    double one = scalbn(1.0, -(k / 2)), two = scalbn(1.0, -(k - k / 2));
    int64_t first = blockIdx.x * (int64_t)LW_HIST_THREADS + threadIdx.x, step = (int64_t)gridDim.x * LW_HIST_THREADS;
    for (int64_t i = first; i < n; i += step) {
        double v = (double)(long long)a.fixed[i] * one * two;
        if (a.sum_wide) ((double *)a.sums)[i] = a.accumulate ? ((double *)a.sums)[i] + v : v;
        else ((float *)a.sums)[i] = a.accumulate ? ((float *)a.sums)[i] + (float)v : (float)v;
    }
}

/* ---- what is found on the device ---- */

/* Greatest finite |weight|, as the bits of a double, which order like integers. */
__global__ void __launch_bounds__(LW_HIST_THREADS) weights_kernel(const __grid_constant__ lw_hist_any a)
{
    int64_t n = a.rows * a.row_samples, step = (int64_t)gridDim.x * LW_HIST_THREADS;
    double most = 0;
    for (int64_t i = blockIdx.x * (int64_t)LW_HIST_THREADS + threadIdx.x; i < n; i += step) {
        double w = fabs(a.weight_wide ? ((const double *)a.weights)[i] : (double)((const float *)a.weights)[i]);
        if (w <= 1.7976931348623157e308 && w > most) most = w;
    }
    for (int d = 16; d; d /= 2) most = fmax(most, __shfl_xor_sync(0xffffffffu, most, d));
    if ((threadIdx.x & 31) == 0 && most > 0) {
        atomicMax((unsigned long long *)a.found, (unsigned long long)__double_as_longlong(most));
    }
}

/* Values as unsigned integers of the same order. */
LW_DEV uint64_t order_of(double x)
{
    uint64_t b = (uint64_t)__double_as_longlong(x);
    return b >> 63 ? ~b : b | (uint64_t)1 << 63;
}

LW_DEV double value_of(uint64_t key)
{
    return __longlong_as_double((long long)(key >> 63 ? key & ~((uint64_t)1 << 63) : ~key));
}

/* Least and greatest finite sample: key[0] is the greatest complement, so that both are maxima and begin at 0. */
template <int K>
__global__ void __launch_bounds__(LW_HIST_THREADS) range_kernel(const __grid_constant__ lw_hist_any a)
{
    uint64_t least = 0, most = 0;
    for (int64_t c = blockIdx.x; c < a.tiles_per_row * a.rows; c += gridDim.x) {
        int64_t r = c / a.tiles_per_row, from = (c - r * a.tiles_per_row) * TILE + threadIdx.x;
        for (int64_t i = from; i < from + TILE && i < a.row_samples; i += LW_HIST_THREADS) {
            uint64_t raw = load_sample<K>(a.samples + r * a.row_pitch + i * kind<K>::bytes), key;
            if (kind<K>::real) {
                double x = K == LW_KF64 ? __longlong_as_double((long long)raw) : (double)real_value<K>(raw);
                if (!(fabs(x) <= 1.7976931348623157e308)) continue;
                key = order_of(x);
            } else {
                bool wide_unsigned = K == LW_K64 && !a.axis[0].flip;
                key = wide_unsigned ? raw : (uint64_t)int_value<K>(a.axis[0], raw) ^ (uint64_t)1 << 63;
            }
            least = max(least, ~key);
            most = max(most, key);
        }
    }
    for (int d = 16; d; d /= 2) {
        least = max(least, __shfl_xor_sync(0xffffffffu, least, d));
        most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    if ((threadIdx.x & 31) == 0) {
        if (least) atomicMax(a.fixed, (unsigned long long)least);
        if (most) atomicMax(a.fixed + 1, (unsigned long long)most);
    }
}

/*
 * Edges of even levels by the definition of lw_hist_edges(). a.fixed: keys of the range found, or NULL; a.weights: the
 * range given in device memory. a.sums: lo, hi and, 256 bytes further on, the edges.
 */
__global__ void __launch_bounds__(LW_HIST_THREADS) edges_kernel(const __grid_constant__ lw_hist_any a, int type)
{
    int64_t bins = a.entries, first = blockIdx.x * (int64_t)LW_HIST_THREADS + threadIdx.x;
    bool found = a.fixed && (a.fixed[0] || a.fixed[1]), given = !a.fixed;
    char *edges = (char *)a.sums + 256;
    if (type == LW_F32 || type == LW_F64) {
        double lo = found ? value_of(~a.fixed[0]) : 0, hi = found ? value_of(a.fixed[1]) : 1;
        if (given) lo = type == LW_F64 ? ((const double *)a.weights)[0] : ((const float *)a.weights)[0];
        if (given) hi = type == LW_F64 ? ((const double *)a.weights)[1] : ((const float *)a.weights)[1];
        bool apart = lo < hi;
        float lo_f = (float)lo, hi_f = (float)(apart ? hi : lo), step_f;
        if (!apart) { /* all samples are equal */
            hi_f = fmaxf(lo_f + 0.5f, nextafterf(lo_f, INFINITY));
            lo_f = fminf(lo_f - 0.5f, nextafterf(lo_f, -INFINITY));
            hi = fmax(lo + 0.5, nextafter(lo, (double)INFINITY));
            lo = fmin(lo - 0.5, nextafter(lo, -(double)INFINITY));
        }
        step_f = (float)(((double)hi_f - lo_f) / (double)bins);
        double step = isfinite(hi - lo) ? (hi - lo) / (double)bins : hi / (double)bins - lo / (double)bins;
        for (int64_t i = first; i <= bins; i += (int64_t)gridDim.x * LW_HIST_THREADS) {
            if (type == LW_F64) ((double *)edges)[i] = i >= bins ? hi : fmin(__fma_rn((double)i, step, lo), hi);
            else ((float *)edges)[i] = i >= bins ? hi_f : fminf(__fmaf_rn((float)i, step_f, lo_f), hi_f);
        }
        if (first < 2 && type == LW_F64) ((double *)a.sums)[first] = first ? hi : lo;
        else if (first < 2) ((float *)a.sums)[first] = first ? hi_f : lo_f;
        return;
    }
    uint64_t turn = type == LW_U64 ? 0 : (uint64_t)1 << 63;
    uint64_t lo = found ? ~a.fixed[0] : turn, hi = found ? a.fixed[1] : turn + 1;
    if (given) lo = ((const uint64_t *)a.weights)[0] ^ turn;
    if (given) hi = ((const uint64_t *)a.weights)[1] ^ turn;
    if (hi <= lo) {
        lo = lo == ~(uint64_t)0 ? lo - 1 : lo;
        hi = lo + 1;
    }
    uint64_t q = (hi - lo) / (uint64_t)bins, rest = (hi - lo) % (uint64_t)bins;
    for (int64_t i = first; i <= bins; i += (int64_t)gridDim.x * LW_HIST_THREADS) {
        /* ceil(i * range / bins) = i * q + up */
        uint64_t up = ((uint64_t)i * rest + (uint64_t)bins - 1) / (uint64_t)bins;
        ((uint64_t *)edges)[i] = (lo + (uint64_t)i * q + up) ^ turn;
    }
    if (first < 2) ((uint64_t *)a.sums)[first] = (first ? hi : lo) ^ turn;
}

/* ---- table ---- */

#define ADDS(K)                                                                                                        \
    {any_kernel<K, LW_ADD_COUNT>, any_kernel<K, LW_ADD_F32>, any_kernel<K, LW_ADD_F64>, any_kernel<K, LW_ADD_FIXED>}
static const any_fn table[LW_KINDS][LW_ADDS] = {
    ADDS(LW_K8), ADDS(LW_K16), ADDS(LW_K32), ADDS(LW_K64), ADDS(LW_KF16), ADDS(LW_KBF16), ADDS(LW_KF32), ADDS(LW_KF64),
};
static const any_fn ranges[LW_KINDS] = {
    range_kernel<LW_K8>,   range_kernel<LW_K16>,   range_kernel<LW_K32>,  range_kernel<LW_K64>,
    range_kernel<LW_KF16>, range_kernel<LW_KBF16>, range_kernel<LW_KF32>, range_kernel<LW_KF64>,
};

extern "C" int lw_hist_any_launch(const lw_hist_any *a, int kind, int add, uint32_t grid, uint32_t shared,
                                  lw_stream stream)
{
    return LW_LAUNCH(table[kind][add], grid, LW_HIST_THREADS, shared, stream, a);
}

extern "C" int lw_hist_finish_launch(const lw_hist_any *a, uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(finish_kernel, grid, LW_HIST_THREADS, 0, stream, a);
}

extern "C" int lw_hist_weights_launch(const lw_hist_any *a, uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(weights_kernel, grid, LW_HIST_THREADS, 0, stream, a);
}

extern "C" int lw_hist_range_launch(const lw_hist_any *a, int kind, uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(ranges[kind], grid, LW_HIST_THREADS, 0, stream, a);
}

extern "C" int lw_hist_edges_launch(const lw_hist_any *a, int type, uint32_t grid, lw_stream stream)
{
    void *args[2] = {(void *)a, &type};
    return (int)cudaLaunchKernel((const void *)edges_kernel, dim3(grid), dim3(LW_HIST_THREADS), args, 0, stream);
}

extern "C" int lw_hist_any_setup(lw_ops *ops)
{
    cudaFuncAttributes attr; /* asking loads a kernel, so that no launch has to */
    cudaError_t e = cudaFuncGetAttributes(&attr, (const void *)finish_kernel);
    if (e == cudaSuccess) e = cudaFuncGetAttributes(&attr, (const void *)weights_kernel);
    if (e == cudaSuccess) e = cudaFuncGetAttributes(&attr, (const void *)edges_kernel);
    for (int i = 0; i < LW_KINDS && e == cudaSuccess; i++) {
        e = cudaFuncGetAttributes(&attr, (const void *)ranges[i]);
        for (int w = 0; w < LW_ADDS && e == cudaSuccess; w++) {
            e = cudaFuncSetAttribute((const void *)table[i][w], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     ops->shared_optin);
        }
    }
    return (int)e;
}
