/* T17 with its fault: the cluster.sync() after the adds is missing. A block may end, and its shared memory be given
 * away, while another block of the cluster still adds to it. */
#include "../example.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define BLOCK 128
#define CLUSTER 4
#define BINS_PER_BLOCK 64
#define BINS (CLUSTER * BINS_PER_BLOCK)

__global__ void __cluster_dims__(CLUSTER, 1, 1) histogram(int *bins, const int *input, int n) {
    __shared__ int smem[BINS_PER_BLOCK];
    cg::cluster_group cluster = cg::this_cluster();

    for (int i = threadIdx.x; i < BINS_PER_BLOCK; i += blockDim.x)
        smem[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int bin = input[i] % BINS;
        atomicAdd(cluster.map_shared_rank(smem, bin / BINS_PER_BLOCK) + bin % BINS_PER_BLOCK, 1);
    }
    __syncthreads(); /* orders one block only */
    for (int i = threadIdx.x; i < BINS_PER_BLOCK; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * BINS_PER_BLOCK + i], smem[i]);
}

int main(void) {
    enum { N = 8192 };
    static int input[N];
    int expected[BINS] = {0}, got[BINS], *d_input, *d_bins;

    for (int i = 0; i < N; i++) {
        input[i] = i * 37 % 1000;
        expected[input[i] % BINS]++;
    }
    CHECK(cudaMalloc((void **)&d_input, sizeof input));
    CHECK(cudaMalloc((void **)&d_bins, sizeof got));
    CHECK(cudaMemcpy(d_input, input, sizeof input, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_bins, 0, sizeof got));
    histogram<<<2 * CLUSTER, BLOCK>>>(d_bins, d_input, N);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_input));
    CHECK(cudaFree(d_bins));
    return finish(same_ints("bins", expected, got, BINS));
}
