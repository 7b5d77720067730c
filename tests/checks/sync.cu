/* Barriers, masks and what lanes wait for. */
#include "cases.h"

#include <cooperative_groups.h>

__global__ void half_barrier(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16)
        __syncthreads(); // found barrier_divergent: synccheck warning
    else
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

CASE(barrier_divergent) { int *d = zeros<int>(64); half_barrier<<<1, 64>>>(d); finish(d, 64); }

__global__ void warp_branches(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

CASE(barrier_in_both_branches) { int *d = zeros<int>(64); warp_branches<<<1, 64>>>(d); finish(d, 64); } // silent

template <unsigned MASK> __global__ void masked_shuffle(int *out)
{
    int v = 0;
    if (threadIdx.x < 16)
        v = __shfl_down_sync(MASK, int(threadIdx.x), 1); // found mask_not_here: synccheck error, note
    out[threadIdx.x] = v;
}

CASE(mask_not_here) { int *d = zeros<int>(32); masked_shuffle<0xffff0000u><<<1, 32>>>(d); finish(d, 32); }

__global__ void full_shuffle(int *out)
{
    int v = __shfl_down_sync(0xffffu, int(threadIdx.x), 1, 16);
    out[threadIdx.x] = v;
}

CASE(mask_of_half) { int *d = zeros<int>(16); full_shuffle<<<1, 16>>>(d); finish(d, 16); } // silent

__global__ void count_barrier(int *out, int count)
{
    asm volatile("barrier.sync 1, %0;" ::"r"(count) : "memory");
    out[threadIdx.x] = 1;
}

CASE(count_right) { int *d = zeros<int>(64); count_barrier<<<1, 64>>>(d, 64); finish(d, 64); } // silent

__global__ void and_barrier(int *out)
{
    out[threadIdx.x] = __syncthreads_and(threadIdx.x < 64) + __syncthreads_count(threadIdx.x % 2);
}

CASE(barrier_reductions) { int *d = zeros<int>(64); and_barrier<<<1, 64>>>(d); finish(d, 64); } // silent

__global__ void loop_barrier(int *out)
{
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            out[i] = i;
        __syncthreads();
        if (out[i] != i)
            return;
    }
}

CASE(barrier_in_loop) { int *d = zeros<int>(3); loop_barrier<<<1, 64>>>(d); finish(d, 3); } // silent

__global__ void grid_wide(int *out)
{
    cooperative_groups::this_grid().sync(); // found grid_plain_launch: memcheck error
    out[threadIdx.x + 32 * blockIdx.x] = 1;
}
CASE(grid_plain_launch) { int *d = zeros<int>(64); grid_wide<<<2, 32>>>(d); finish(d, 64); }
CASE(grid_cooperative) // silent
{
    int *d = zeros<int>(64);
    void *arguments[] = {&d};
    cudaLaunchCooperativeKernel(grid_wide, 2, 32, arguments);
    finish(d, 64);
}
