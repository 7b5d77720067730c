/* Shared memory of other blocks of a cluster, and barriers of clusters and grids. */
#include "cases.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) exchange(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    s[t] = rank * 32 + t;
    cluster.sync();
    int *other = cluster.map_shared_rank(s, rank ^ 1);
    out[rank * 32 + t] = other[31 - t];
    cluster.sync();
}

CASE(exchange_clean) { int *d = zeros<int>(64); exchange<<<2, 32>>>(d); finish(d, 64); } // silent

template <int SYNC> __global__ void __cluster_dims__(2) rewrite(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    s[t] = t;
    cluster.sync();
    int v = cluster.map_shared_rank(s, rank ^ 1)[t]; // found rewrite_nosync: racecheck error
    if (SYNC)
        cluster.sync();
    s[t] = 2 * t; // found rewrite_nosync: racecheck error
    cluster.sync();
    out[rank * 32 + t] = v + s[t];
}

CASE(rewrite_nosync) { int *d = zeros<int>(64); rewrite<0><<<2, 32>>>(d); finish(d, 64); }
CASE(rewrite_sync) { int *d = zeros<int>(64); rewrite<1><<<2, 32>>>(d); finish(d, 64); } // silent

template <int BLOCK> __global__ void __cluster_dims__(2) push(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    cluster.sync();
    cluster.map_shared_rank(s, rank ^ 1)[t] = t; // found push_blockbar: racecheck error
    if (BLOCK)
        __syncthreads();
    else
        cluster.sync();
    out[rank * 32 + t] = s[t]; // found push_blockbar: racecheck error
    cluster.sync();
}

CASE(push_blockbar) { int *d = zeros<int>(64); push<1><<<2, 32>>>(d); finish(d, 64); }
CASE(push_clean) { int *d = zeros<int>(64); push<0><<<2, 32>>>(d); finish(d, 64); } // silent

template <int ATOMIC> __global__ void __cluster_dims__(2) gather(int *out)
{
    __shared__ int sum;
    cg::cluster_group cluster = cg::this_cluster();
    sum = 0;
    cluster.sync();
    int *first = cluster.map_shared_rank(&sum, 0);
    if (ATOMIC)
        atomicAdd(first, 1);
    else
        *first += 1; // found gather_plain: racecheck error, warning
    cluster.sync();
    if (cluster.block_rank() == 0)
        out[0] = sum;
}

CASE(gather_plain) { int *d = zeros<int>(1); gather<0><<<2, 1>>>(d); finish(d, 1); }
CASE(gather_atomic) { int *d = zeros<int>(1); gather<1><<<2, 1>>>(d); finish(d, 1); } // silent

template <int SPLIT> __global__ void __cluster_dims__(2) arrive_wait(int *out)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, rank = cluster.block_rank();
    if (!SPLIT)
        s[t] = t;
    cluster.barrier_arrive();
    if (SPLIT)
        s[t] = t; // found write_behind_arrive: racecheck error
    cluster.barrier_wait();
    out[rank * 32 + t] = cluster.map_shared_rank(s, rank ^ 1)[t]; // found write_behind_arrive: racecheck error
    cluster.sync();
}

CASE(write_behind_arrive) { int *d = zeros<int>(64); arrive_wait<1><<<2, 32>>>(d); finish(d, 64); }
CASE(write_before_arrive) { int *d = zeros<int>(64); arrive_wait<0><<<2, 32>>>(d); finish(d, 64); } // silent

template <int SYNC> __global__ void phases(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x, n = gridDim.x;
    a[i] = i; // found grid_nosync: racecheck error
    if (SYNC)
        grid.sync();
    b[i] = a[(i + 1) % n]; // found grid_nosync: racecheck error
}

static void run_phases(void (*kernel)(int *, int *))
{
    int *a = zeros<int>(9), *d = zeros<int>(9);
    void *args[] = {&a, &d};
    cudaLaunchCooperativeKernel((void *)kernel, dim3(9), dim3(1), args, 0, 0);
    finish(d, 9);
    cudaFree(a);
}

CASE(grid_nosync) { run_phases(phases<0>); }
CASE(grid_sync) { run_phases(phases<1>); } // silent

template <int SYNC> __global__ void tiles(int *out)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t; // found tile_nosync: racecheck error
    if (SYNC)
        tile.sync();
    out[t] = s[t ^ 7]; // found tile_nosync: racecheck error
}

CASE(tile_nosync) { int *d = zeros<int>(64); tiles<0><<<1, 64>>>(d); finish(d, 64); }
CASE(tile_sync) { int *d = zeros<int>(64); tiles<1><<<1, 64>>>(d); finish(d, 64); } // silent
