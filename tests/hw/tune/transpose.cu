/* A transpose in several ways, for `lanewise tune` and its check on a card (README.md of tests/hw): KIND 0 reads rows and writes columns,
 * 1 the other way round, 2 by a tile in shared memory, 3 by one with a padded row. Blocks of BX by BY threads; a tile has BX by BX
 * elements. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef KIND
#define KIND 3
#endif
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 8
#endif
#define N 2048 /* 16 MiB each way: within L2 */

__global__ void transpose(float *to, const float *from)
{
#if KIND < 2
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    if (KIND == 0) to[x * N + y] = from[y * N + x];
    else to[y * N + x] = from[x * N + y];
#else
    __shared__ float tile[BX][BX + (KIND == 3)];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BX + threadIdx.y;
    for (int k = 0; k < BX; k += BY) tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * N + x];
    __syncthreads();
    x = blockIdx.y * BX + threadIdx.x;
    y = blockIdx.x * BX + threadIdx.y;
    for (int k = 0; k < BX; k += BY) to[(y + k) * N + x] = tile[threadIdx.x][threadIdx.y + k];
#endif
}

#include "time.h"

int main(int argc, char **argv)
{
    size_t bytes = sizeof(float) * N * N;
    float *from, *to, *host = (float *)malloc(bytes);
    for (int i = 0; i < N * N; i++) host[i] = (float)(i % 8191);
    cudaMalloc((void **)&from, bytes);
    cudaMalloc((void **)&to, bytes);
    cudaMemcpy(from, host, bytes, cudaMemcpyHostToDevice);
    dim3 block(BX, BY), grid(N / BX, N / (KIND < 2 ? BY : BX));
    TIME((transpose<<<grid, block>>>(to, from)));
    cudaMemcpy(host, to, bytes, cudaMemcpyDeviceToHost);
    for (int y = 0; y < N; y += 7)
        for (int x = 0; x < N; x++)
            if (host[y * N + x] != (float)((x * N + y) % 8191)) return puts("FAIL"), 1;
    puts("PASS");
    return 0;
}
