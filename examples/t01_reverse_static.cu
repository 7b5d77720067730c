/* T1: reverse an array of 64 ints in one block through static shared memory.
 * The threads load s[t] and read s[n - 1 - t]: coalesced loads and stores, no bank conflict. The barrier between the
 * write and the read of s is needed (faults/t01_missing_barrier.cu leaves it out). The second kernel does without
 * shared memory: its reads run downwards, which is coalesced from cc 1.2 on. */
#include "example.h"

#define N 64

__global__ void reverse_static(int *d, int n) {
    __shared__ int s[N];
    int t = threadIdx.x;
    int tr = n - t - 1;

    s[t] = d[t];
    __syncthreads();
    d[t] = s[tr];
}

__global__ void reverse_global(int *out, const int *in, int n) {
    int t = threadIdx.x;

    out[t] = in[n - t - 1];
}

int main(void) {
    int a[N], r[N], d[N];
    int *d_d, *d_out;
    int pass;

    for (int i = 0; i < N; i++) {
        a[i] = i;
        r[i] = N - i - 1;
        d[i] = 0;
    }
    CHECK(cudaMalloc((void **)&d_d, N * sizeof(int)));
    CHECK(cudaMalloc((void **)&d_out, N * sizeof(int)));

    CHECK(cudaMemcpy(d_d, a, N * sizeof(int), cudaMemcpyHostToDevice));
    reverse_static<<<1, N>>>(d_d, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d, d_d, N * sizeof(int), cudaMemcpyDeviceToHost));
    pass = same_ints("reverse_static", r, d, N);

    reverse_global<<<1, N>>>(d_out, d_d, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(d, d_out, N * sizeof(int), cudaMemcpyDeviceToHost));
    pass &= same_ints("reverse_global", a, d, N);

    CHECK(cudaFree(d_d));
    CHECK(cudaFree(d_out));
    return finish(pass);
}
