/* global.h: kernels with an array in global memory, `array`, whose order of elements is a parameter, as in kernels.h. `other` is read or
 * written so that warps touch as few sectors as they can. None of them was looked at while the rules were written. */
#pragma once

#include <cuda_pipeline_primitives.h>

#define GLOBAL_KERNEL template <class L> __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

GLOBAL_KERNEL g_lengths(float *array, float *other)
{
    float x = array[L::at(THREAD * 3)], y = array[L::at(THREAD * 3 + 1)], z = array[L::at(THREAD * 3 + 2)];
    other[THREAD] = x * x + y * y + z * z;
}

GLOBAL_KERNEL g_move_particles(float *array, float *other)
{
    for (int k = 0; k < 3; k++) array[L::at(THREAD * 6 + k)] += other[THREAD] * array[L::at(THREAD * 6 + k + 3)];
}

GLOBAL_KERNEL g_grey(unsigned char *array, unsigned char *other)
{
    int sum = array[L::at(THREAD * 3)] * 3 + array[L::at(THREAD * 3 + 1)] * 6 + array[L::at(THREAD * 3 + 2)];
    other[THREAD] = (unsigned char)(sum / 10);
}

GLOBAL_KERNEL g_row_sums(float *array, float *other)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 64; k++) sum += array[L::at(THREAD * 64 + k)];
    other[THREAD] = sum;
}

GLOBAL_KERNEL g_transpose(float *array, float *other)
{
    int x = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y;
    for (int k = 0; k < 64; k += 32) array[L::at((x + k) * 64 + y)] = other[y * 64 + x + k];
}

GLOBAL_KERNEL g_rows_of_33(float *array, float *other)
{
    int y = blockIdx.x * 8 + threadIdx.y;
    other[y * 32 + threadIdx.x] = array[L::at(y * 33 + threadIdx.x)];
}

GLOBAL_KERNEL g_three_points(float *array, float *other)
{
    int i = THREAD + 8;
    other[THREAD] = array[L::at(i - 1)] + array[L::at(i)] + array[L::at(i + 1)];
}

GLOBAL_KERNEL g_behind_a_header(int *array, int *other) { other[THREAD] = array[L::at(THREAD + 3)]; }

GLOBAL_KERNEL g_halo(float *array, float *other)
{
    int y = blockIdx.x * 8 + threadIdx.y;
    for (int x = threadIdx.x; x < 64; x += 32) other[y * 64 + x] = array[L::at((y + 1) * 66 + x + 1)];
}

GLOBAL_KERNEL g_gather(int *array, int *other)
{
    unsigned i = THREAD * 2654435761u >> 20;
    other[THREAD] = array[L::at(i)];
}

GLOBAL_KERNEL g_chunks_of_eight(float *array, float *other)
{
    float most = 0;
#pragma unroll 1
    for (int k = 0; k < 8; k++) most = fmaxf(most, array[L::at(THREAD * 8 + k)]);
    other[THREAD] = most;
}

GLOBAL_KERNEL g_one_field_of_four(double *array, double *other) { other[THREAD] = 2 * array[L::at(THREAD * 4)]; }

GLOBAL_KERNEL g_nodes(int *array, int *other)
{
    int sum = 0;
    if (array[L::at(THREAD * 5)] > 0) sum = array[L::at(THREAD * 5 + 3)];
    other[THREAD] = sum;
}

GLOBAL_KERNEL g_matrix_vector(double *array, double *other)
{
    double sum = 0;
#pragma unroll 1
    for (int k = 0; k < 48; k++) sum += array[L::at(THREAD * 48 + k)] * other[k];
    other[64 + THREAD] = sum;
}

GLOBAL_KERNEL g_counters_of_threads(unsigned *array, unsigned *other)
{
#pragma unroll 1
    for (int k = 0; k < 8; k++) array[L::at(THREAD * 16 + other[k * 256 + THREAD] % 16)]++;
}

GLOBAL_KERNEL g_interleaved_channels(short *array, short *other)
{
    other[THREAD] = (short)(array[L::at(THREAD * 2)] - array[L::at(THREAD * 2 + 1)]);
}

GLOBAL_KERNEL g_slices(float *array, float *other)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    other[(z * 8 + y) * 32 + x] = array[L::at((x * 8 + y) * 8 + z)];
}

GLOBAL_KERNEL g_rows_of_21(double *array, double *other)
{
    int y = blockIdx.x * 8 + threadIdx.y;
    if (threadIdx.x < 16) other[y * 16 + threadIdx.x] = array[L::at(y * 21 + threadIdx.x)];
}

GLOBAL_KERNEL g_votes(int *array, int *other)
{
    atomicAdd(&array[L::at(THREAD % 32 * 40 + THREAD / 32)], other[THREAD]);
}

GLOBAL_KERNEL g_diagonal(float *array, float *other) { other[THREAD] = array[L::at(THREAD * 65)]; }

GLOBAL_KERNEL g_triangle(float *array, float *other)
{
    float sum = 0;
    for (int k = 0; k <= blockIdx.x; k++) sum += array[L::at(k * 128 + threadIdx.x)];
    other[THREAD] = sum;
}

/* Arrays of which no other layout may be counted; check.py has the reasons. */
GLOBAL_KERNEL g_no_two_arguments(float *array, float *other) { other[THREAD * 2] = array[L::at(THREAD * 2)]; }

GLOBAL_KERNEL g_no_two_arrays(float *array, float *other)
{
    float *from = threadIdx.x % 2 ? array : other;
    from[L::at(THREAD * 4)] += 1;
}

GLOBAL_KERNEL g_no_asynchronous_copy(float *array, float *other)
{
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &array[L::at(THREAD * 3)], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    other[THREAD] = tile[threadIdx.x];
}

GLOBAL_KERNEL g_no_end(float *array, float *other)
{
    other[THREAD] = array[L::at(THREAD * 3 + 2)]; /* the array has one element too few */
}

GLOBAL_KERNEL g_only_begun_later(float *array, float *other)
{
    other[THREAD] = array[L::at(THREAD * 2)]; /* the argument points into an allocation: only its begin may move */
}
