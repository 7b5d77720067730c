// Reductions with cooperative groups: cg::reduce on tiles, hierarchical partitions, one atomic per block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;

__device__ int thread_sum(const int *input, int n) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        int4 in = ((const int4 *)input)[i];
        sum += in.x + in.y + in.z + in.w;
    }
    return sum;
}

__device__ int reduce_sum(cg::thread_group g, int *temp, int val) {
    int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = val;
        g.sync();
        if (lane < i) val += temp[lane + i];
        g.sync();
    }
    return val;
}

__global__ void sum_kernel_block(int *sum, const int *input, int n) {
    int my_sum = thread_sum(input, n);
    extern __shared__ int temp[];
    auto g = cg::this_thread_block();
    int block_sum = reduce_sum(g, temp, my_sum);
    if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
}

template <int tile_sz> __global__ void sum_kernel_tile(int *sum, const int *input, int n) {
    int my_sum = thread_sum(input, n);
    auto tile = cg::tiled_partition<tile_sz>(cg::this_thread_block());
    int tile_sum = cg::reduce(tile, my_sum, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(sum, tile_sum);
}

__global__ void max_kernel(int *out, const int *input, int n) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    __shared__ int best[32];
    int m = -2147483647;
    for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size())
        m = max(m, input[i]);
    m = cg::reduce(tile, m, cg::greater<int>());
    if (tile.thread_rank() == 0) best[tile.meta_group_rank()] = m;
    block.sync();
    if (tile.meta_group_rank() == 0) {
        m = tile.thread_rank() < tile.meta_group_size() ? best[tile.thread_rank()] : -2147483647;
        m = cg::reduce(tile, m, [](int a, int b) { return a > b ? a : b; });
        if (tile.thread_rank() == 0) atomicMax(out, m);
    }
}

int main() {
    const int n = 1 << 15, blockSize = 256, nBlocks = 12;
    std::vector<int> data(n);
    for (int i = 0; i < n; i++) data[i] = (i * 31) % 211 - 100;
    data[12345] = 7777;
    int want = std::accumulate(data.begin(), data.end(), 0);
    int *sum, *in;
    cudaMallocManaged(&sum, sizeof(int));
    cudaMallocManaged(&in, n * sizeof(int));
    std::copy(data.begin(), data.end(), in);
    bool ok = true;
    auto check = [&](const char *name, int expected) {
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess || *sum != expected) {
            printf("%s: %d, expected %d (%s)\n", name, *sum, expected, cudaGetErrorString(e));
            ok = false;
        }
        *sum = 0;
    };
    *sum = 0;
    sum_kernel_block<<<nBlocks, blockSize, blockSize * sizeof(int)>>>(sum, in, n);
    check("block", want);
    sum_kernel_tile<32><<<nBlocks, blockSize>>>(sum, in, n);
    check("tile 32", want);
    sum_kernel_tile<8><<<nBlocks, blockSize>>>(sum, in, n);
    check("tile 8", want);
    sum_kernel_tile<4><<<nBlocks, blockSize>>>(sum, in, n);
    check("tile 4", want);
    max_kernel<<<nBlocks, blockSize>>>(sum, in, n);
    check("max", 7777);
    cudaFree(sum);
    cudaFree(in);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
