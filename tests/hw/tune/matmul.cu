/* A matrix product by tiles in shared memory, for `lanewise tune` and its check on a card (README.md of tests/hw): tiles of TILE by TILE,
 * each thread makes WORK results of a column; UNROLL of the inner loop. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TILE
#define TILE 16
#endif
#ifndef WORK
#define WORK 1
#endif
#ifndef UNROLL
#define UNROLL 8
#endif
#define N 512

__global__ void multiply(float *c, const float *a, const float *b)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum[WORK] = {0};
    constexpr int unroll = UNROLL;
    for (int k = 0; k < N; k += TILE) {
        for (int w = 0; w < WORK; w++) {
            as[y + w * (TILE / WORK)][x] = a[(row + w * (TILE / WORK)) * N + k + x];
            bs[y + w * (TILE / WORK)][x] = b[(k + y + w * (TILE / WORK)) * N + column];
        }
        __syncthreads();
#pragma unroll unroll
        for (int i = 0; i < TILE; i++)
            for (int w = 0; w < WORK; w++) sum[w] += as[y + w * (TILE / WORK)][i] * bs[i][x];
        __syncthreads();
    }
    for (int w = 0; w < WORK; w++) c[(row + w * (TILE / WORK)) * N + column] = sum[w];
}

#include "time.h"

int main(int argc, char **argv)
{
    size_t bytes = sizeof(float) * N * N;
    float *a, *b, *c, *host = (float *)malloc(bytes);
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes);
    cudaMalloc((void **)&c, bytes);
    for (int i = 0; i < N * N; i++) host[i] = (float)(i % N % 5);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    for (int i = 0; i < N * N; i++) host[i] = (float)(i / N % 3);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE / WORK), grid(N / TILE, N / TILE);
    TIME((multiply<<<grid, block>>>(c, a, b)));
    cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);
    float want = 0;
    for (int k = 0; k < N; k++) want += (float)(k % 5 * (k % 3));
    for (int i = 0; i < N * N; i++)
        if (host[i] != want) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
