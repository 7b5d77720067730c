/* Unordered writes: of one same value they are a warning, of different ones an error, whatever the values are. */
#include "cases.h"

#include <cooperative_groups.h>

/* ---------------------------------------------------------------- blocks */
template <typename T> __global__ void blocks_write(T *out, T first, T step)
{
    if (threadIdx.x == 0)
        *out = T(first + step * T(blockIdx.x)); // found values_63, values_128, values_high, values_byte, values_half: racecheck error
}

template <typename T> static void run_blocks(T first, T step)
{
    T *d = zeros<T>(1);
    blocks_write<<<2, 32>>>(d, first, step);
    finish(d, 1);
}

CASE(values_63) { run_blocks<int>(0, 63); }
CASE(values_128) { run_blocks<unsigned>(5, 128); }
CASE(values_high) { run_blocks<unsigned long long>(5, 1ull << 63); }
CASE(values_byte) { run_blocks<unsigned char>(0, 63); }
CASE(values_half) { run_blocks<unsigned short>(1, 63 * 64); }

template <typename T> __global__ void blocks_agree(T *out, T value)
{
    if (threadIdx.x == 0)
        *out = value; // found values_agree, values_agree_byte, values_agree_double: racecheck warning
}

template <typename T> static void run_agree(T value)
{
    T *d = zeros<T>(1);
    blocks_agree<<<4, 32>>>(d, value);
    finish(d, 1);
}

CASE(values_agree) { run_agree<int>(63); }
CASE(values_agree_byte) { run_agree<unsigned char>(200); }
CASE(values_agree_double) { run_agree<double>(1.5); }

/* Many places, each of which two blocks write; the values of two blocks differ by multiples of 63. */
__global__ void many_places(int *out, int step)
{
    int i = threadIdx.x * 33 % 1024;
    out[i] = i * 63 + int(blockIdx.x) * step * 63; // found values_many: racecheck error
}

CASE(values_many) { int *d = zeros<int>(1024); many_places<<<2, 1024>>>(d, 1); finish(d, 1024); }

/* Between the two writes of one place block 0 writes so much that its first value is not remembered. */
__global__ void far_between(int *out)
{
    const int apart = 1 << 18; // 1 MiB of int
    if (threadIdx.x)
        return;
    *out = 5; // found values_forgotten: racecheck warning
    if (blockIdx.x == 0)
        out[apart] = 6;
}

CASE(values_forgotten) { int *d = zeros<int>((1 << 18) + 1); far_between<<<2, 32>>>(d); finish(d, 1); }

/* ---------------------------------------------------------------- warps, in shared memory */
template <typename T> __global__ void warps_write(int *out, int step)
{
    __shared__ T s;
    if (threadIdx.x % 32 == 0)
        s = T(7 + int(threadIdx.x / 32) * step); // found values_shared, values_shared_byte: racecheck error
    __syncthreads();
    out[threadIdx.x] = int(s);
}

CASE(values_shared) { int *d = zeros<int>(64); warps_write<int><<<1, 64>>>(d, 63); finish(d, 64); }
CASE(values_shared_byte) { int *d = zeros<int>(64); warps_write<unsigned char><<<1, 64>>>(d, 63); finish(d, 64); }

__global__ void warps_write_vector(int *out, int step)
{
    __shared__ int4 s;
    if (threadIdx.x % 32 == 0)
        s = make_int4(1, 2, 3, 4 + int(threadIdx.x / 32) * step); // found values_vector: racecheck error
    __syncthreads();
    out[threadIdx.x] = s.w;
}

CASE(values_vector) { int *d = zeros<int>(64); warps_write_vector<<<1, 64>>>(d, 63); finish(d, 64); }

/* ---------------------------------------------------------------- whole lines whose lanes store different values */
__global__ void rows(int *out, int other)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (!other)
        out[lane] = lane * 7; // found rows_agree: racecheck warning
    else
        out[lane] = lane * 7 + (warp == 3 && lane == 20 ? other : 0); // found rows_differ: racecheck error
}

CASE(rows_agree) { int *d = zeros<int>(32); rows<<<1, 128>>>(d, 0); finish(d, 32); }
CASE(rows_differ) { int *d = zeros<int>(32); rows<<<1, 128>>>(d, 63); finish(d, 32); }

template <int OTHER> __global__ void rows_of_blocks(float4 *out)
{
    float v = threadIdx.x + (blockIdx.x == 1 && threadIdx.x == 9 ? OTHER : 0);
    if (OTHER)
        out[threadIdx.x] = make_float4(threadIdx.x, 1, 2, v); // found rows_blocks_differ: racecheck error
    else
        out[threadIdx.x] = make_float4(threadIdx.x, 1, 2, v); // found rows_blocks_agree: racecheck warning
}

static void run_rows(void (*kernel)(float4 *))
{
    float4 *d = zeros<float4>(32);
    kernel<<<3, 32>>>(d);
    finish(reinterpret_cast<float *>(d), 128);
}

CASE(rows_blocks_agree) { run_rows(rows_of_blocks<0>); }
CASE(rows_blocks_differ) { run_rows(rows_of_blocks<63>); }

/* One warp takes the line as a whole, the other one a part of it. */
template <int OTHER> __global__ void row_and_part(int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32, value = lane * 5 + 1;
    if (threadIdx.x < 32 && OTHER)
        s[lane] = value; // found row_part_differs: racecheck error
    else if (threadIdx.x < 32)
        s[lane] = value; // found row_part_agree: racecheck warning
    else if (lane % 3 == 1 && OTHER)
        s[lane] = value + (lane == 4 ? OTHER : 0); // found row_part_differs: racecheck error
    else if (lane % 3 == 1)
        s[lane] = value; // found row_part_agree: racecheck warning
    __syncthreads();
    out[threadIdx.x] = s[lane];
}

CASE(row_part_agree) { int *d = zeros<int>(64); row_and_part<0><<<1, 64>>>(d); finish(d, 64); }
CASE(row_part_differs) { int *d = zeros<int>(64); row_and_part<63><<<1, 64>>>(d); finish(d, 64); }

/* ---------------------------------------------------------------- the shared memory of another block */
__global__ void __cluster_dims__(3, 1, 1) ranks_write(int *out, int step)
{
    __shared__ int s;
    cooperative_groups::cluster_group all = cooperative_groups::this_cluster();
    all.sync();
    if (threadIdx.x == 0 && all.block_rank() > 0 && step)
        *all.map_shared_rank(&s, 0) = 9 + int(all.block_rank()) * step; // found values_cluster: racecheck error
    if (threadIdx.x == 0 && all.block_rank() > 0 && !step)
        *all.map_shared_rank(&s, 0) = 9; // found values_cluster_agree: racecheck warning
    all.sync();
    if (all.block_rank() == 0)
        out[threadIdx.x] = s;
}

CASE(values_cluster) { int *d = zeros<int>(32); ranks_write<<<3, 32>>>(d, 63); finish(d, 32); }
CASE(values_cluster_agree) { int *d = zeros<int>(32); ranks_write<<<3, 32>>>(d, 0); finish(d, 32); }
