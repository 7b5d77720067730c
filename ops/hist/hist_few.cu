/*
 * Histograms of one row of few samples, in shared memory as in hist.cu, but dealt out to all multiprocessors: every
 * thread takes aligned vectors from all over the row, the first of which are on their way while the counters are
 * cleared. The samples before the first vector and behind the last one are counted by one block, a sample a thread.
 */
#include "hist/hist.cuh"

#define WINDOWS 2 /* vectors of 16 bytes under way per thread */

struct few_line {
    const uint4 *vectors;
    uint32_t count;
    uint32_t head, tail; /* samples before and behind */
};

template <int K> LW_DEV few_line few_line_of(const lw_hist_params &p)
{
    uint32_t bytes = (uint32_t)p.row_bytes, head = min((uint32_t)-(uintptr_t)p.samples & 15, bytes);
    few_line l = {(const uint4 *)(p.samples + head), (bytes - head) / 16, head / kind<K>::bytes,
                  (bytes - head) % 16 / kind<K>::bytes};
    return l;
}

LW_DEV void fetch_few(const few_line &l, uint32_t first, uint32_t step, uint4 *v)
{
#pragma unroll
    for (int k = 0; k < WINDOWS; k++) {
        if (first + k * step < l.count) v[k] = __ldg(l.vectors + first + k * step);
    }
}

/* place: of the lane's counter of bin 0. */
template <int K, int MODE, int R>
LW_DEV void count_few(const lw_hist_params &p, const target &t, uint32_t place, uint4 v)
{
    const int all = 16 / kind<K>::bytes, group = all < 4 ? all : 4;
#pragma unroll
    for (int i = 0; i < all; i += group) {
        uint32_t at[group];
        vector_counters<K, MODE, group>(p, t, v, i, at);
#pragma unroll
        for (int j = 0; j < group; j++) count_one(place, min(at[j], t.size) * R);
    }
}

template <int K, int MODE, int R>
LW_DEV void count_ends(const lw_hist_params &p, const target &t, uint32_t place, const few_line &l)
{
    const char *sample = p.samples + threadIdx.x * kind<K>::bytes;
    if (threadIdx.x >= l.head + l.tail) return;
    if (threadIdx.x >= l.head) sample += (int64_t)l.count * 16;
    count_one(place, min(bin_of<K, MODE>(p, t, load_sample<K>(sample)), t.size) * R);
}

/* A bin's counters, in every lane from another one on, so that no two lanes meet in a bank. */
template <int R> LW_DEV uint32_t few_sum(const uint32_t *word, uint32_t bin)
{
    uint32_t n = 0, from = bin / (32 / R);
#pragma unroll
    for (uint32_t j = 0; j < R; j++) n += word[bin * R + (from + j) % R];
    return n;
}

/* T threads; R counters of a bin, side by side, for as many lanes: fewer lanes of a warp meet in a bank. */
template <int K, int MODE, int T, int R> __global__ void __launch_bounds__(T) few_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t step = gridDim.x * T, i = blockIdx.x * T + threadIdx.x;
    few_line l = few_line_of<K>(p);
    uint4 v[WINDOWS];
    fetch_few(l, i, step, v);
    target t = target_of<K, MODE>(p, shared, 0);
    uint32_t place = t.place + threadIdx.x % R * 4;
    for (uint32_t k = threadIdx.x; k < (t.size * R + 3) / 4; k += T) ((uint4 *)shared)[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    for (; i + (WINDOWS - 1) * step < l.count; i += WINDOWS * step) {
#pragma unroll
        for (int k = 0; k < WINDOWS; k++) count_few<K, MODE, R>(p, t, place, v[k]);
        fetch_few(l, i + WINDOWS * step, step, v);
    }
#pragma unroll
    for (int k = 0; k < WINDOWS - 1; k++) {
        if (i + k * step < l.count) count_few<K, MODE, R>(p, t, place, v[k]);
    }
    if (blockIdx.x + 1 == gridDim.x) count_ends<K, MODE, R>(p, t, place, l);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < t.size; k += T) {
        uint32_t n = few_sum<R>(t.word, k);
        if (n) add_global(p, k, n);
    }
}

#define FORMS(K, M) {few_kernel<K, M, LW_FEW_THREADS, 1>, few_kernel<K, M, LW_HIST_THREADS, LW_FEW_COUNTERS>}
#define MODES(K) {FORMS(K, LW_HIST_INTEGER), FORMS(K, LW_HIST_EVEN)}
static const hist_fn table[LW_KINDS][2][2] = {
    MODES(LW_K8),   MODES(LW_K16),   MODES(LW_K32),  {{0, 0}, FORMS(LW_K64, LW_HIST_EVEN)},
    MODES(LW_KF16), MODES(LW_KBF16), MODES(LW_KF32), MODES(LW_KF64),
};

extern "C" int lw_hist_few_launch(const lw_hist_params *p, int kind, int mode, bool many, uint32_t grid,
                                  uint32_t shared, lw_stream stream)
{
    return LW_LAUNCH(table[kind][mode][many], grid, many ? LW_HIST_THREADS : LW_FEW_THREADS, shared, stream, p);
}

extern "C" int lw_hist_few_setup(lw_ops *ops)
{
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < LW_KINDS * 4 && e == cudaSuccess; i++) {
        hist_fn fn = table[i / 4][i / 2 % 2][i % 2];
        if (!fn) continue;
        e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
