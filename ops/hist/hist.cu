/*
 * Histograms. Blocks of 1024 threads walk the samples in 16-byte vectors and count in
 *  shared  32-bit counters in shared memory, one atomic a sample: equal lanes merge in hardware, so skew is free;
 *  packed  counters of 3 to 16 bits: up to ten times the bins (hist_fields.cu);
 *  global  atomics in L2, lanes with the same bin merged first;
 *  lanes   bytes: a counter per value and lane, so that no two lanes of a warp meet in a bank;
 *  pairs   bytes: two samples per 16-bit counter of a 256 x 256 table.
 * When the bins do not fit one block, `ranges` blocks walk the same samples at the same time, each counting its part:
 * the samples come from DRAM once and from L2 for the others.
 */
#include "hist/hist.cuh"

/* ---- counting ---- */

/* N samples of every lane of a warp at once, so that their atomics are on the way together. */
template <int S, int N> LW_DEV void add(const lw_hist_params &p, const target &t, const uint32_t *at)
{
    uint32_t lane = threadIdx.x & 31;
    if constexpr (S == LW_HIST_SHARED) {
#pragma unroll
        for (int i = 0; i < N; i++)
            count_one(t.place, min(at[i], t.size)); /* equal lanes merge, also in the last one */
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) {
            uint32_t same = __match_any_sync(0xffffffffu, at[i]);
            if (at[i] < t.size && lane == (uint32_t)__ffs(same) - 1)
                add_global(p, t.base + t.first + at[i], __popc(same));
        }
    }
}

template <int S> LW_DEV void add_one(const lw_hist_params &p, const target &t, uint32_t at)
{
    if (at >= t.size) return;
    if (S == LW_HIST_SHARED) atomicAdd(&t.word[at], 1u);
    else add_global(p, t.base + t.first + at, 1);
}

template <int K, int MODE, int S> LW_DEV void count_vector(const lw_hist_params &p, const target &t, uint4 v)
{
    const int all = 16 / kind<K>::bytes, group = all < 4 ? all : 4;
#pragma unroll
    for (int i = 0; i < all; i += group) {
        uint32_t at[group];
        vector_counters<K, MODE, group>(p, t, v, i, at);
        add<S, group>(p, t, at);
    }
}

/* The samples of a vector that lie inside the row, one by one. */
template <int K, int MODE, int S> LW_DEV void count_partial(const lw_hist_params &p, const target &t, const char *row,
                                                            int64_t x)
{
    const int bytes = kind<K>::bytes;
    int64_t from = x < 0 ? 0 : x, to = x + 16 < p.row_bytes ? x + 16 : p.row_bytes;
    for (int64_t b = from; b < to; b += bytes) {
        add_one<S>(p, t, bin_of<K, MODE>(p, t, load_sample<K>(row + b)) - t.first);
    }
}

/* The same with fewer registers: the next chunk is brought to L2 while the present one is counted. */
template <int K, int MODE, int S>
LW_DEV void count_all_lean(const lw_hist_params &p, const target &t, uint32_t first, uint32_t chunks)
{
    uint4 v[LW_HIST_WINDOWS];
    line l = line_of(p, t);
    const uint4 *next = first < chunks ? chunk_at(p, t, l, first) : NULL;
    bool all = next != NULL;
    if (all) fetch_chunk(next, v);
    for (uint32_t c = first; c < chunks; c += p.workers) {
        next = c + p.workers < chunks ? chunk_at(p, t, l, c + p.workers) : NULL;
        if (next) {
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) prefetch(next + k * LW_HIST_THREADS);
        }
        if (all) {
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) count_vector<K, MODE, S>(p, t, v[k]);
        } else {
            cursor at = cursor_of(p, t.samples, c);
#pragma unroll 1
            for (int k = 0; k < LW_HIST_WINDOWS; k++) {
                if (inside(p, at, k)) count_vector<K, MODE, S>(p, t, load_window(p, at, k));
                else count_partial<K, MODE, S>(p, t, at.row, at.x + k * SPAN);
            }
        }
        all = next != NULL;
        if (all) fetch_chunk(next, v);
    }
}

/* All samples of a histogram's share: the next chunk is on its way while one is counted. */
template <int K, int MODE, int S> LW_DEV void count_all(const lw_hist_params &p, const target &t, int64_t first,
                                                        int64_t chunks)
{
    if (first >= chunks) return;
    uint4 v[LW_HIST_WINDOWS], next[LW_HIST_WINDOWS];
    cursor at = cursor_of(p, t.samples, first);
    fetch(p, at, v);
    for (int64_t c = first; c < chunks; c += p.workers) {
        cursor then = cursor_of(p, t.samples, c + p.workers < chunks ? c + p.workers : c);
        if (c + p.workers < chunks) fetch(p, then, next);
        if (whole(p, at)) {
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) count_vector<K, MODE, S>(p, t, v[k]);
        } else {
#pragma unroll 1
            for (int k = 0; k < LW_HIST_WINDOWS; k++) {
                if (inside(p, at, k)) count_vector<K, MODE, S>(p, t, load_window(p, at, k));
                else count_partial<K, MODE, S>(p, t, at.row, at.x + k * SPAN);
            }
        }
#pragma unroll
        for (int k = 0; k < LW_HIST_WINDOWS; k++) v[k] = next[k];
        at = then;
    }
}

LW_DEV void clear(const target &t)
{
    for (uint32_t i = threadIdx.x; i <= t.size; i += LW_HIST_THREADS) t.word[i] = 0; /* the last takes the uncounted */
}

LW_DEV void flush(const lw_hist_params &p, const target &t)
{
    for (uint32_t i = threadIdx.x; i < t.size; i += LW_HIST_THREADS) {
        if (t.word[i]) add_global(p, t.base + t.first + i, t.word[i]);
    }
}

/* Which histogram, samples and bins a block has: ranges vary fastest, so that they run side by side. */
template <int K, int MODE, int S>
__global__ void __launch_bounds__(LW_HIST_THREADS, 1) hist_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t range = blockIdx.x % p.ranges, rest = blockIdx.x / p.ranges;
    uint32_t worker = rest % p.workers, job = rest / p.workers, jobs = gridDim.x / p.ranges / p.workers;
    target t = target_of<K, MODE>(p, shared, (uint32_t)(range * p.window));
    for (int64_t row = job; row < (p.segmented ? p.rows : 1); row += jobs) {
        int64_t chunks = p.chunks_per_row * (p.segmented ? 1 : p.rows);
        t.samples = p.samples + (p.segmented ? row * p.row_pitch : 0);
        t.base = row * p.entries;
        if (S != LW_HIST_GLOBAL) {
            clear(t);
            __syncthreads();
        }
        if (MODE == LW_HIST_INTEGER && !kind<K>::real) count_all<K, MODE, S>(p, t, worker, chunks);
        else count_all_lean<K, MODE, S>(p, t, worker, (uint32_t)chunks); /* of 64 KiB: below 2^31 */
        if (S == LW_HIST_GLOBAL) continue;
        __syncthreads();
        flush(p, t);
        __syncthreads();
    }
}

/* ---- table ---- */

#define STRATEGIES(K, M) {hist_kernel<K, M, LW_HIST_SHARED>, hist_kernel<K, M, LW_HIST_GLOBAL>}
#define MODES(K) {STRATEGIES(K, LW_HIST_INTEGER), STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES)}
#define LONG(K) {{0, 0}, STRATEGIES(K, LW_HIST_EVEN), STRATEGIES(K, LW_HIST_EDGES)}

static const hist_fn table[LW_KINDS][3][2] = {
    MODES(LW_K8),   MODES(LW_K16),   MODES(LW_K32),  LONG(LW_K64),
    MODES(LW_KF16), MODES(LW_KBF16), MODES(LW_KF32), MODES(LW_KF64),
};

static hist_fn find(int kind, int mode, int strategy)
{
    if (strategy == LW_HIST_LANES || strategy == LW_HIST_PAIRS) return lw_hist_bytes_kernel(mode, strategy);
    if (strategy == LW_HIST_PACKED) return lw_hist_fields_kernel(kind, mode);
    return table[kind][mode][strategy == LW_HIST_SHARED ? 0 : 1];
}

extern "C" int lw_hist_launch(const lw_hist_params *p, int kind, int mode, int strategy, uint32_t grid, uint32_t shared,
                              lw_stream stream)
{
    return LW_LAUNCH(find(kind, mode, strategy), grid, LW_HIST_THREADS, shared, stream, p);
}

typedef struct clear_params {
    char *at;
    size_t bytes;
} clear_params;

/* Zeros, 16 bytes a thread; at and bytes are multiples of 4. */
__global__ void __launch_bounds__(LW_BLOCK) clear_kernel(const clear_params p)
{
    size_t from = ((size_t)blockIdx.x * LW_BLOCK + threadIdx.x) * 16;
    if (((uintptr_t)p.at & 15) == 0 && from + 16 <= p.bytes) {
        store16(p.at + from, make_uint4(0, 0, 0, 0));
        return;
    }
    for (size_t b = from; b < from + 16 && b < p.bytes; b += 4) *(uint32_t *)(p.at + b) = 0;
}

/* Not by cudaMemsetAsync: in a graph that costs 2.3 us before a kernel, this 0.65 us (an H200). */
extern "C" int lw_hist_clear(void *counts, size_t bytes, lw_stream stream)
{
    clear_params p = {(char *)counts, bytes};
    if (!bytes) return 0;
    return LW_LAUNCH(clear_kernel, (unsigned)((bytes + 16 * LW_BLOCK - 1) / (16 * LW_BLOCK)), LW_BLOCK, 0, stream, &p);
}

extern "C" int lw_hist_setup(lw_ops *ops)
{
    static const int strategies[] = {LW_HIST_SHARED, LW_HIST_PACKED, LW_HIST_GLOBAL, LW_HIST_LANES, LW_HIST_PAIRS};
    cudaFuncAttributes a;
    cudaError_t e = cudaFuncGetAttributes(&a, (const void *)clear_kernel);
    for (int i = 0; i < LW_KINDS * 3 * 5 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 15, i / 5 % 3, strategies[i % 5]);
        if (!fn) continue;
        e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
