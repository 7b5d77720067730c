// Loops that wait for what another block stores later, without a loop condition that reads it: the flag decides by a
// branch whether the counter goes on, with and without a barrier in the loop, for whole blocks, a warp, some lanes.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void round_barrier(volatile int *flag, int *out, int lanes) {
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x == 0) *flag = 1;
        return;
    }
    int i = threadIdx.x < lanes ? 0 : 3;
    while (i < 3) {
        if (*flag > 0) i++;
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = i;
}

__global__ void no_barrier(volatile int *flag, int *out) {
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x == 0) *flag = 1;
        return;
    }
    int i = 0;
    while (i < 3) {
        if (*flag > 0) {
            if (threadIdx.x == 0) out[blockIdx.x] = i + 1;
            i++;
        }
    }
}

/* Each block hands on to the one before it: blocks become ready in the reverse of their order. */
__global__ void backwards(volatile int *ready, int *out) {
    int b = blockIdx.x, left = 1;
    while (left > 0) {
        if (b == gridDim.x - 1 || ready[b + 1]) left--;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[b] = b == gridDim.x - 1 ? 1 : ((volatile int *)out)[b + 1] + 1;
        __threadfence();
        ready[b] = 1;
    }
}

static int wrong(const char *name, const int *out, int count, int first, int step) {
    int host[64], bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(host, out, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < count; b++) bad += host[b] != first + step * b;
    if (bad) printf("%s: %d wrong\n", name, bad);
    return bad;
}

int main() {
    int *flag, *out, bad = 0;
    cudaMalloc(&flag, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    for (int lanes : {1, 6, 40, 128}) {
        cudaMemset(flag, 0, 64 * sizeof(int));
        round_barrier<<<20, 128>>>(flag, out, lanes);
        bad += wrong("round_barrier", out, 19, 3, 0);
        cudaMemset(out, 0, 64 * sizeof(int));
    }
    cudaMemset(flag, 0, 64 * sizeof(int));
    no_barrier<<<14, 64>>>(flag, out);
    bad += wrong("no_barrier", out, 13, 3, 0);
    cudaMemset(flag, 0, 64 * sizeof(int));
    backwards<<<30, 96>>>(flag, out);
    bad += wrong("backwards", out, 30, 30, -1);
    printf(bad ? "FAIL\n" : "PASS\n");
    return bad != 0;
}
