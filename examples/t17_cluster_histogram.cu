/* T17: a histogram whose bins may need more shared memory than one block has: they are spread over the blocks of a
 * cluster, and a thread adds to a bin of another block through map_shared_rank.
 * The cluster size follows from the number of bins: 1 while all bins fit into one block, then 2, 4 and 8; when not
 * even 8 blocks can hold them, the bins stay in global memory. The bins of a block are rounded up, so that none is
 * lost when their number is no multiple of the cluster size, and the grid is rounded to whole clusters.
 * Needs cc 9.0 (the global kernel runs everywhere). Argument: the number of inputs, 32768 by default. */
#include "example.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define BLOCK 256
#define SHARED_LIMIT (32 * 1024) /* bytes a block may use here, so that a few thousand bins already need a cluster */

__device__ int clamp_bin(int value, int nbins) {
    return value < 0 ? 0 : value >= nbins ? nbins - 1 : value;
}

__global__ void histogram_cluster(int *bins, int nbins, int bins_per_block, const int *__restrict__ input, size_t n) {
    extern __shared__ int smem[];
    cg::cluster_group cluster = cg::this_cluster();
    size_t stride = (size_t)gridDim.x * blockDim.x;
    int first = cluster.block_rank() * bins_per_block;

    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        smem[i] = 0;
    cluster.sync(); /* every block's bins are zero, and every block has started, before anyone adds */

    for (size_t i = cg::this_grid().thread_rank(); i < n; i += stride) {
        int bin = clamp_bin(input[i], nbins);
        int *remote = cluster.map_shared_rank(smem, bin / bins_per_block);

        atomicAdd(remote + bin % bins_per_block, 1);
    }
    cluster.sync(); /* all adds are done, and no block leaves while another may still add to its bins */

    for (int i = threadIdx.x; i < bins_per_block && first + i < nbins; i += blockDim.x)
        atomicAdd(&bins[first + i], smem[i]);
}

__global__ void histogram_global(int *bins, int nbins, const int *__restrict__ input, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[clamp_bin(input[i], nbins)], 1);
}

/* The smallest power of two of blocks that holds all bins, or 0. */
static int choose_cluster(int nbins) {
    for (int size = 1; size <= 8; size *= 2) {
        if ((size_t)((nbins + size - 1) / size) * sizeof(int) <= SHARED_LIMIT)
            return size;
    }
    return 0;
}

static void launch(int cluster_size, int *d_bins, int nbins, const int *d_input, size_t n) {
    int grid = (int)((n + BLOCK - 1) / BLOCK) / 8;
    int bins_per_block;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];

    grid = grid < 1 ? 1 : grid;
    if (cluster_size == 0) {
        histogram_global<<<grid, BLOCK>>>(d_bins, nbins, d_input, n);
        CHECK(cudaGetLastError());
        return;
    }
    bins_per_block = (nbins + cluster_size - 1) / cluster_size;
    config.gridDim = (grid + cluster_size - 1) / cluster_size * cluster_size;
    config.blockDim = BLOCK;
    config.dynamicSmemBytes = bins_per_block * sizeof(int);
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster_size;
    attribute[0].val.clusterDim.y = 1;
    attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaFuncSetAttribute(histogram_cluster, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)config.dynamicSmemBytes));
    CHECK(cudaLaunchKernelEx(&config, histogram_cluster, d_bins, nbins, bins_per_block, d_input, n));
}

static int run_bins(int nbins, const int *input, const int *d_input, size_t n) {
    size_t bytes = nbins * sizeof(int);
    int *expected = (int *)calloc(nbins, sizeof(int)), *got = (int *)malloc(bytes), *d_bins;
    int cluster_size = choose_cluster(nbins), pass;
    char name[64];

    for (size_t i = 0; i < n; i++)
        expected[input[i] < 0 ? 0 : input[i] >= nbins ? nbins - 1 : input[i]]++;
    CHECK(cudaMalloc((void **)&d_bins, bytes));
    CHECK(cudaMemset(d_bins, 0, bytes));
    launch(cluster_size, d_bins, nbins, d_input, n);
    CHECK(cudaMemcpy(got, d_bins, bytes, cudaMemcpyDeviceToHost));
    snprintf(name, sizeof name, "%d bins", nbins);
    pass = same_ints(name, expected, got, nbins);
    if (cluster_size > 0)
        printf("%6d bins: clusters of %d\n", nbins, cluster_size);
    else
        printf("%6d bins: global memory\n", nbins);
    CHECK(cudaFree(d_bins));
    free(expected);
    free(got);
    return pass;
}

int main(int argc, char **argv) {
    static const int sizes[] = {256, 9000, 20011, 50000, 100000};
    size_t n = arg_int(argc, argv, 1, 1 << 15);
    int *input = (int *)malloc(n * sizeof(int)), *d_input, pass = 1;
    unsigned state = 12345;

    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        input[i] = (int)(state >> 12) % 120000 - 1000; /* some fall off both ends */
    }
    CHECK(cudaMalloc((void **)&d_input, n * sizeof(int)));
    CHECK(cudaMemcpy(d_input, input, n * sizeof(int), cudaMemcpyHostToDevice));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        pass &= run_bins(sizes[i], input, d_input, n);
    CHECK(cudaFree(d_input));
    free(input);
    return finish(pass);
}
