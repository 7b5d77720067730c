// Cooperative groups: thread blocks, tiles of every size, shuffles, votes, scans and nested partitions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

struct Result {
    int tile4_sum, tile8_rank, tile16_first, tile32_scan, any, all, ballot, meta, up, exclusive, match;
};

__global__ void tiles(Result *out) {
    cg::thread_block block = cg::this_thread_block();
    auto t32 = cg::tiled_partition<32>(block);
    auto t16 = cg::tiled_partition<16>(t32);
    auto t8 = cg::tiled_partition<8>(t16);
    auto t4 = cg::tiled_partition<4>(block);
    int r = block.thread_rank();
    Result x;
    x.tile4_sum = cg::reduce(t4, r, cg::plus<int>());
    x.tile8_rank = t8.thread_rank() * 100 + t8.size();
    x.tile16_first = t16.shfl(r, 0);
    x.tile32_scan = cg::inclusive_scan(t32, r % 5);
    x.exclusive = cg::exclusive_scan(t16, r % 3, cg::plus<int>());
    x.any = t8.any(r % 8 == 3 && r > 40);
    x.all = t4.all(r >= 60);
    x.ballot = t8.ballot(r & 1);
    x.meta = t16.meta_group_rank() * 10 + t16.meta_group_size();
    x.up = t8.shfl_up(r, 2);
    x.match = t8.match_any(r % 4);
    out[block.group_index().x * block.size() + r] = x;
}

__global__ void dynamic_tiles(int *out, int size) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, size);
    __shared__ int s[128];
    int r = block.thread_rank();
    s[r] = tile.thread_rank();
    tile.sync();
    out[r] = s[r / size * size + size - 1] * 1000 + (int)tile.size();
}

__global__ void grid_indices(int *out) {
    auto grid = cg::this_grid();
    out[grid.thread_rank()] = (int)(grid.block_rank() * 100000 + grid.num_blocks() * 1000 + grid.size() % 1000);
}

int main() {
    const int n = 128;
    Result *d;
    std::vector<Result> h(n);
    cudaMalloc(&d, n * sizeof(Result));
    tiles<<<1, n>>>(d);
    cudaMemcpy(h.data(), d, n * sizeof(Result), cudaMemcpyDeviceToHost);
    bool ok = true;
    int scan = 0, ex = 0;
    for (int r = 0; r < n; r++) {
        if (r % 32 == 0) scan = 0;
        if (r % 16 == 0) ex = 0;
        scan += r % 5;
        Result w;
        w.tile4_sum = (r / 4 * 4) * 4 + 6;
        w.tile8_rank = r % 8 * 100 + 8;
        w.tile16_first = r / 16 * 16;
        w.tile32_scan = scan;
        w.exclusive = ex;
        ex += r % 3;
        w.any = r / 8 * 8 + 3 > 40;
        w.all = r / 4 * 4 >= 60;
        w.ballot = 0xAA;
        w.meta = r / 16 % 2 * 10 + 2;
        w.up = r % 8 < 2 ? r : r - 2;
        w.match = 0x11 << (r % 4);
        Result &g = h[r];
        bool same = w.tile4_sum == g.tile4_sum && w.tile8_rank == g.tile8_rank && w.tile16_first == g.tile16_first &&
                    w.tile32_scan == g.tile32_scan && w.exclusive == g.exclusive && !w.any == !g.any &&
                    !w.all == !g.all && w.ballot == g.ballot && w.meta == g.meta && w.up == g.up && w.match == g.match;
        if (!same) printf("thread %d differs\n", r);
        ok &= same;
    }
    int *di, hi[128];
    cudaMalloc(&di, sizeof hi);
    for (int size = 2; size <= 32; size *= 2) {
        dynamic_tiles<<<1, 128>>>(di, size);
        cudaMemcpy(hi, di, sizeof hi, cudaMemcpyDeviceToHost);
        for (int r = 0; r < 128; r++) ok &= hi[r] == (size - 1) * 1000 + size;
    }
    grid_indices<<<dim3(2, 2), dim3(8, 4)>>>(di);
    cudaMemcpy(hi, di, sizeof hi, cudaMemcpyDeviceToHost);
    for (int r = 0; r < 128; r++) ok &= hi[r] == r / 32 * 100000 + 4000 + 128;
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    cudaFree(di);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
