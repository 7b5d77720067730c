/* T21: barriers and branches. A barrier may stand in a branch that all threads of the block take or leave together
 * (the condition depends on the block, not on the thread); otherwise it must stand outside, as in the first kernel.
 * faults/t21_divergent_barrier.cu has a barrier that half of the block reaches. */
#include "example.h"

#define BLOCK 128
#define GRID 4

/* Tree reduction: fewer threads work each round, all of them reach the barrier. */
__global__ void sum_block(int *out, const int *in) {
    __shared__ int s[BLOCK];
    int t = threadIdx.x;

    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* Even blocks reverse their part: the branch is the same for a whole block. */
__global__ void reverse_even_blocks(int *data) {
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;

    if (blockIdx.x % 2 == 0) {
        s[t] = data[i];
        __syncthreads();
        data[i] = s[BLOCK - 1 - t];
    }
}

int main(void) {
    int in[GRID * BLOCK], got[GRID * BLOCK], expected[GRID * BLOCK], sums[GRID], expected_sums[GRID] = {0};
    int *d_in, *d_sums, pass;

    for (int i = 0; i < GRID * BLOCK; i++) {
        int b = i / BLOCK, t = i % BLOCK;
        in[i] = i * i % 1009;
        expected_sums[b] += in[i];
        expected[b % 2 == 0 ? b * BLOCK + BLOCK - 1 - t : i] = in[i];
    }
    CHECK(cudaMalloc((void **)&d_in, sizeof in));
    CHECK(cudaMalloc((void **)&d_sums, sizeof sums));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    sum_block<<<GRID, BLOCK>>>(d_sums, d_in);
    CHECK(cudaGetLastError());
    reverse_even_blocks<<<GRID, BLOCK>>>(d_in);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got, d_in, sizeof got, cudaMemcpyDeviceToHost));
    pass = same_ints("sums", expected_sums, sums, GRID);
    pass &= same_ints("even blocks reversed", expected, got, GRID * BLOCK);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_sums));
    return finish(pass);
}
