/* T20: where a variable lives decides its scope, its lifetime and its cost.
 *   a plain variable          register, one thread, the kernel's run
 *   an array indexed at run   local memory (in device memory), one thread, the kernel's run
 *   __shared__                shared memory, one block, the block's run
 *   __device__                device memory, all threads and the host, the program's run
 *   __constant__              constant memory, read only for kernels, the program's run */
#include "example.h"

#define BLOCK 64
#define GRID 2
#define DEPTH 16

__device__ int counter;
__device__ int per_block[GRID];
__constant__ int scale;

__global__ void places(int *out, const int *order) {
    __shared__ int shared_sum;
    int local_array[DEPTH]; /* the index is known only at run time: it cannot stay in registers */
    int t = threadIdx.x;
    int in_register = blockIdx.x * blockDim.x + t;

    if (t == 0)
        shared_sum = 0;
    __syncthreads();
    for (int i = 0; i < DEPTH; i++)
        local_array[order[i]] = in_register * i;
    atomicAdd(&shared_sum, in_register);
    __syncthreads();
    out[in_register] = local_array[order[t % DEPTH]] * scale + shared_sum;
    if (t == 0) {
        per_block[blockIdx.x] += shared_sum; /* survives this kernel */
        atomicAdd(&counter, 1);
    }
}

int main(void) {
    int order[DEPTH], expected[GRID * BLOCK], got[GRID * BLOCK], sums[GRID], expected_sums[GRID];
    int *d_out, *d_order, three = 3, blocks_seen, pass;

    for (int i = 0; i < DEPTH; i++)
        order[i] = (i * 7 + 3) % DEPTH;
    for (int b = 0; b < GRID; b++) {
        expected_sums[b] = 0;
        for (int t = 0; t < BLOCK; t++)
            expected_sums[b] += b * BLOCK + t;
    }
    for (int i = 0; i < GRID * BLOCK; i++)
        expected[i] = i * (i % BLOCK % DEPTH) * three + expected_sums[i / BLOCK];

    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    CHECK(cudaMalloc((void **)&d_order, sizeof order));
    CHECK(cudaMemcpy(d_order, order, sizeof order, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(scale, &three, sizeof three));
    places<<<GRID, BLOCK>>>(d_out, d_order);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    pass = same_ints("first launch", expected, got, GRID * BLOCK);
    places<<<GRID, BLOCK>>>(d_out, d_order);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyFromSymbol(&blocks_seen, counter, sizeof blocks_seen));
    CHECK(cudaMemcpyFromSymbol(sums, per_block, sizeof sums));
    for (int b = 0; b < GRID; b++)
        expected_sums[b] *= 2; /* the device variables kept the first launch's values, the shared sum did not */
    pass &= same_ints("kept by device variables", expected_sums, sums, GRID);
    pass &= blocks_seen == 2 * GRID;
    CHECK(cudaFree(d_out));
    CHECK(cudaFree(d_order));
    return finish(pass);
}
