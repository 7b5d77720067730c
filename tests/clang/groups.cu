// Cooperative groups, reductions, scans and asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

struct pair {
    double a;
    int b;
};

__device__ int sum_of(cg::thread_group g, int *s, int v)
{
    int rank = (int)g.thread_rank();
    for (int i = (int)g.size() / 2; i > 0; i /= 2) {
        s[rank] = v;
        g.sync();
        if (rank < i) v += s[rank + i];
        g.sync();
    }
    return v;
}

template <unsigned N> __device__ int tile_work(int v, pair p)
{
    auto block = cg::this_thread_block();
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(block);
    int all;
    v = cg::reduce(tile, v, cg::plus<int>()) + cg::reduce(tile, v, cg::greater<int>()) +
        (int)cg::reduce(tile, 1.0f, cg::plus<float>());
    v += cg::inclusive_scan(tile, v) + cg::exclusive_scan(tile, v, cg::plus<int>());
    v += tile.shfl(v, 0) + tile.shfl_up(v, 1) + tile.shfl_down(v, 1) + tile.shfl_xor(p, 1).b;
    v += tile.any(v) + tile.all(v) + (int)tile.ballot(v) + (int)tile.match_any(v) + (int)tile.match_all(v, all);
    tile.sync();
    return v + (int)(tile.size() + tile.num_threads() + tile.thread_rank() + tile.meta_group_rank() +
                     tile.meta_group_size());
}

__global__ void tiles(int *out, pair p)
{
    __shared__ int s[256];
    auto block = cg::this_thread_block();
    int v = tile_work<32>(out[0], p) + tile_work<16>(out[1], p) + tile_work<8>(out[2], p) + tile_work<1>(out[3], p);
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    v += (int)(quad.meta_group_size() + quad.meta_group_rank()) + quad.shfl(v, 1);
    v += sum_of(block, s, v) + sum_of(cg::tiled_partition(block, 8), s, v) + sum_of(warp, s, v);
    if (v & 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        v += cg::reduce(active, v, cg::plus<int>()) + active.shfl(v, 0) + active.shfl_down(v, 1) +
             active.shfl_up(v, 1) + (int)active.ballot(v) + active.any(v) + active.all(v) + (int)active.match_any(v) +
             (int)active.thread_rank();
        active.sync();
    }
    v += (int)cg::labeled_partition(warp, v & 3).size() + (int)cg::binary_partition(warp, v & 1).thread_rank();
    block.sync();
    cg::sync(block);
    out[block.thread_rank()] =
        v + (int)block.group_index().x + (int)block.thread_index().y + (int)block.dim_threads().x;
    cg::invoke_one(block, [=]() { out[9] = v; });
}

__global__ void whole_grid(int *out)
{
    auto grid = cg::this_grid();
    out[grid.thread_rank()] = (int)(grid.size() + grid.num_blocks() + grid.block_rank());
    grid.sync();
    out[0] += out[grid.size() - 1];
    auto token = grid.barrier_arrive();
    grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
}

__global__ void whole_cluster(int *out)
{
    __shared__ int s[32];
    auto cluster = cg::this_cluster();
    s[threadIdx.x] = (int)cluster.block_rank();
    cluster.sync();
    int *other = cluster.map_shared_rank(s, (int)((cluster.block_rank() + 1) % cluster.num_blocks()));
    out[cluster.thread_rank()] =
        other[threadIdx.x] + (int)cluster.dim_blocks().x + (int)cluster.query_shared_rank(other);
    cluster.barrier_arrive();
    cluster.barrier_wait();
}

__global__ void copies(const float4 *in, float4 *out, int n)
{
    __shared__ __align__(16) float4 s[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof s);
    cg::wait(block);
    cg::memcpy_async(block, s, 256, in + 256, (size_t)n);
    cg::wait_prior<1>(block);
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 16);
    __pipeline_memcpy_async((char *)&s[threadIdx.x], (const char *)&in[threadIdx.x], 8, 4);
    __pipeline_memcpy_async((char *)&s[threadIdx.x], (const char *)&in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[255 - threadIdx.x];
}

int main() { return 0; }
