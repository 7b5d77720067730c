// Thread block clusters: ranks and shapes, remote shared memory reads and writes, a ring and a cluster reduction.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) ring(int *out) {
    __shared__ int mine[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    cluster.sync();
    const int *next = cluster.map_shared_rank(mine, (rank + 1) % size);
    int v = next[63 - threadIdx.x];
    cluster.sync();
    int *previous = cluster.map_shared_rank(mine, (rank + size - 1) % size);
    previous[threadIdx.x] = v; // write into the neighbour
    cluster.sync();
    out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
}

__global__ void cluster_sum(const float *in, float *out, int n) {
    __shared__ float partial[8];
    __shared__ float total;
    cg::cluster_group cluster = cg::this_cluster();
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0;
        for (int w = 0; w < blockDim.x / 32; w++) total += partial[w];
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() != 0) atomicAdd(cluster.map_shared_rank(&total, 0), total);
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) atomicAdd(out, total);
}

__global__ void shape(int *out) {
    cg::cluster_group c = cg::this_cluster();
    dim3 bi = c.block_index(), db = c.dim_blocks();
    if (threadIdx.x == 0) {
        int b = blockIdx.y * gridDim.x + blockIdx.x;
        out[b] = c.block_rank() * 10000 + bi.x * 1000 + bi.y * 100 + db.x * 10 + db.y;
    }
    c.barrier_arrive();
    c.barrier_wait();
}

int main() {
    bool ok = true;
    int *d, h[8 * 64];
    cudaMalloc(&d, sizeof h);
    ring<<<8, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 8; b++)
        for (int t = 0; t < 64; t++) {
            int writer = b / 4 * 4 + (b + 1) % 4, from = b / 4 * 4 + (writer + 1) % 4;
            if (h[b * 64 + t] != from * 1000 + 63 - t) ok = false;
        }
    if (!ok) printf("ring is wrong\n");

    const int n = 10000;
    std::vector<float> in(n);
    float want = 0, got, *d_in, *d_out;
    for (auto &v : in) want += v = rand() % 8;
    cudaMalloc(&d_in, n * 4);
    cudaMalloc(&d_out, 4);
    cudaMemcpy(d_in, in.data(), n * 4, cudaMemcpyHostToDevice);
    for (int size = 1; size <= 8; size *= 2) {
        cudaLaunchConfig_t config = {};
        config.gridDim = 16;
        config.blockDim = 128;
        cudaLaunchAttribute attr;
        attr.id = cudaLaunchAttributeClusterDimension;
        attr.val.clusterDim = {(unsigned)size, 1, 1};
        config.attrs = &attr;
        config.numAttrs = 1;
        int clusters = 0;
        ok &= cudaOccupancyMaxActiveClusters(&clusters, cluster_sum, &config) == cudaSuccess && clusters > 0;
        cudaMemset(d_out, 0, 4);
        ok &= cudaLaunchKernelEx(&config, cluster_sum, (const float *)d_in, d_out, n) == cudaSuccess;
        cudaMemcpy(&got, d_out, 4, cudaMemcpyDeviceToHost);
        if (got != want) {
            printf("cluster of %d: %f, expected %f\n", size, got, want);
            ok = false;
        }
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4, 4);
    config.blockDim = 32;
    cudaLaunchAttribute attr;
    attr.id = cudaLaunchAttributeClusterDimension;
    attr.val.clusterDim = {2, 2, 1};
    config.attrs = &attr;
    config.numAttrs = 1;
    ok &= cudaLaunchKernelEx(&config, shape, d) == cudaSuccess;
    cudaMemcpy(h, d, 16 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < 16; b++) {
        int x = b % 4 % 2, y = b / 4 % 2;
        ok &= h[b] == (y * 2 + x) * 10000 + x * 1000 + y * 100 + 22;
    }
    // a grid that is no multiple of the cluster
    config.gridDim = dim3(3, 4);
    ok &= cudaLaunchKernelEx(&config, shape, d) != cudaSuccess;
    cudaGetLastError();
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    cudaFree(d); cudaFree(d_in); cudaFree(d_out);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
