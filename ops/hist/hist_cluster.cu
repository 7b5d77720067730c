/*
 * Histograms whose counters are spread over the shared memory of a cluster of 2, 4 or 8 blocks (compute capability
 * 9.0): block r of the cluster owns the entries r << part_bits and up, and every sample is one atomic in its owner's
 * memory. Samples of 4 and 8 bytes. Simple, and slower than ranges of bins (EXPERIMENTS.md): it is there to be forced and
 * compared.
 */
#include "hist/hist.cuh"

LW_DEV uint32_t cluster_rank(void)
{
#if __CUDA_ARCH__ >= 900
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
#else
    return 0;
#endif
}

LW_DEV void cluster_barrier(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

LW_DEV void count_in_cluster(const lw_hist_params &p, uint32_t place, uint32_t at)
{
#if __CUDA_ARCH__ >= 900
    uint32_t word = place + (at & ((1u << p.part_bits) - 1)) * 4, there;
    if (at >= p.entries) return;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(word), "r"(at >> p.part_bits));
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
#endif
}

template <int K, int MODE> LW_DEV void cluster_vector(const lw_hist_params &p, const target &t, uint4 v)
{
    const int all = 16 / kind<K>::bytes;
    uint64_t raw[all];
    uint32_t at[all];
#pragma unroll
    for (int i = 0; i < all; i++) raw[i] = sample_of<K>(v, i);
    counters_of<K, MODE, all>(p, t, raw, at);
#pragma unroll
    for (int i = 0; i < all; i++) count_in_cluster(p, t.place, at[i]);
}

template <int K, int MODE>
__global__ void __launch_bounds__(LW_HIST_THREADS, 1) cluster_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t first = cluster_rank() << p.part_bits, slice = 1u << p.part_bits;
    uint32_t size = first < p.entries ? min(slice, (uint32_t)p.entries - first) : 0;
    int64_t chunks = p.chunks_per_row * p.rows;
    target t = target_of<K, MODE>(p, shared, 0);
    for (uint32_t i = threadIdx.x; i < size; i += LW_HIST_THREADS) t.word[i] = 0;
    cluster_barrier();
    for (int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
        cursor at = cursor_of(p, p.samples, c);
        uint4 v[LW_HIST_WINDOWS];
        fetch(p, at, v);
        if (whole(p, at)) {
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) cluster_vector<K, MODE>(p, t, v[k]);
            continue;
        }
        for (int64_t x = at.x; x < at.x + SPAN * LW_HIST_WINDOWS; x += SPAN) {
            for (int64_t b = x < 0 ? 0 : x; b < x + 16 && b < p.row_bytes; b += kind<K>::bytes) {
                count_in_cluster(p, t.place, bin_of<K, MODE>(p, t, load_sample<K>(at.row + b)));
            }
        }
    }
    cluster_barrier(); /* the other blocks have counted here */
    for (uint32_t i = threadIdx.x; i < size; i += LW_HIST_THREADS) {
        if (t.word[i]) add_global(p, (int64_t)first + i, t.word[i]);
    }
}

#define MODES(K) {cluster_kernel<K, LW_HIST_INTEGER>, cluster_kernel<K, LW_HIST_EVEN>, cluster_kernel<K, LW_HIST_EDGES>}
#define LONG(K) {0, cluster_kernel<K, LW_HIST_EVEN>, cluster_kernel<K, LW_HIST_EDGES>}

static hist_fn find(int kind, int mode)
{
    static const hist_fn table[4][3] = {MODES(LW_K32), LONG(LW_K64), MODES(LW_KF32), MODES(LW_KF64)};
    int row = kind == LW_K32 ? 0 : kind == LW_K64 ? 1 : kind == LW_KF32 ? 2 : kind == LW_KF64 ? 3 : -1;
    return row < 0 ? 0 : table[row][mode];
}

extern "C" int lw_hist_cluster_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t cluster,
                                      uint32_t shared, lw_stream stream)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute size = {};
    void *args[1] = {(void *)p};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = cluster;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(LW_HIST_THREADS);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &size;
    config.numAttrs = 1;
    return (int)cudaLaunchKernelExC(&config, (const void *)find(kind, mode), args);
}

extern "C" int lw_hist_cluster_setup(lw_ops *ops)
{
    cudaError_t e = cudaSuccess;
    if (ops->cc < 90) return 0;
    for (int i = 0; i < LW_KINDS * 3 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 3, i % 3);
        if (!fn) continue;
        e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
