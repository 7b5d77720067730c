// Tiles of several warps: cooperative_groups::tiled_partition of 64 to 512 threads with block_tile_memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

namespace cg = cooperative_groups;

// Each tile: sums over its threads, and a value of its thread 5; even tiles alone synchronise more often.
template <unsigned Size> __global__ void tiles(int *sums, int *fifths, int *flags)
{
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ int board[1024];
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<Size>(block);
    int me = (int)block.thread_rank();
    board[me] = me;
    tile.sync();
    if (tile.meta_group_rank() % 2 == 0)
        for (int i = 0; i < 3; i++) tile.sync();
    int neighbour = board[tile.meta_group_rank() * Size + (tile.thread_rank() + 1) % Size];
    int sum = cg::reduce(tile, neighbour, cg::plus<int>());
    long long wide = cg::reduce(tile, (long long)me << 32, cg::plus<long long>());
    int fifth = tile.shfl(me * 3, 5);
    int flag = tile.any(me == 70) + 2 * tile.all(me < 600) + 4 * (wide == (long long)sum << 32);
    sums[me] = sum;
    fifths[me] = fifth;
    flags[me] = flag;
}

template <unsigned Size> static int check(int threads)
{
    std::vector<int> sums(threads), fifths(threads), flags(threads);
    int *device;
    cudaMalloc(&device, 3 * threads * sizeof(int));
    tiles<Size><<<1, threads>>>(device, device + threads, device + 2 * threads);
    cudaMemcpy(sums.data(), device, threads * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(fifths.data(), device + threads, threads * sizeof(int), cudaMemcpyDeviceToHost);
    cudaError_t error = cudaMemcpy(flags.data(), device + 2 * threads, threads * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    if (error != cudaSuccess) return printf("%u: %s\n", Size, cudaGetErrorString(error)), 1;
    for (int i = 0; i < threads; i++) {
        int first = i / (int)Size * (int)Size, last = first + (int)Size - 1;
        int flag = (first <= 70 && 70 <= last) + 2 * (last < 600) + 4;
        if (sums[i] != (first + last) * (int)Size / 2 || fifths[i] != (first + 5) * 3 || flags[i] != flag)
            return printf("%u of %d: thread %d: %d %d %d\n", Size, threads, i, sums[i], fifths[i], flags[i]), 1;
    }
    return 0;
}

int main()
{
    if (check<64>(1024) || check<64>(192) || check<128>(1024) || check<256>(512) || check<512>(1024)) return 1;
    printf("PASS\n");
    return 0;
}
