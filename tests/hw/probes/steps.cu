// Cycles from an instruction to the next of warps that hardly wait: how much of its own work a warp has to go on with.
//     nvcc -arch=sm_90 -O3 -lineinfo -cudart shared tests/hw/probes/steps.cu -o steps
//     ncu --clock-control none --cache-control none --metrics smsp__inst_executed.sum,smsp__cycles_active.max,gpu__time_duration.sum ./steps
// Prints a line a launch: kernel, parameter, threads.
#include <cuda_runtime.h>
#include <stdio.h>

#define SMS 132
#define ROUNDS 256

// an outer product of registers, as products of tiles have it: N x N sums, of which none waits for another
template <int N> __global__ void outer(float *out)
{
    float a[N], b[N], s[N][N] = {};
    for (int i = 0; i < N; i++) a[i] = threadIdx.x + i, b[i] = threadIdx.x - i;
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++)
#pragma unroll
        for (int u = 0; u < 4; u++) {
#pragma unroll
            for (int i = 0; i < N; i++)
#pragma unroll
                for (int j = 0; j < N; j++) s[i][j] += a[i] * b[j];
            a[u % N] += 1;
        }
    float all = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) all += s[i][j];
    if (all == 12345) *out = all;
}
// CHAINS chains of sums, logic and rotations, as hashes have them
template <int CHAINS> __global__ void mix(unsigned *out, unsigned c)
{
    unsigned v[CHAINS];
    for (int i = 0; i < CHAINS; i++) v[i] = threadIdx.x + i;
#pragma unroll 1
    for (int k = 0; k < ROUNDS; k++)
#pragma unroll
        for (int u = 0; u < 64 / CHAINS; u++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++) v[i] = (__funnelshift_r(v[i], v[i], 7) ^ c) + v[i];
    unsigned all = 0;
    for (int i = 0; i < CHAINS; i++) all += v[i];
    if (all == 12345) *out = all;
}

static int list_only;
#define RUN(name, call)                                                                                                          \
    do {                                                                                                                         \
        if (list_only) printf("%s,%d\n", name, threads);                                                                         \
        else { call; cudaDeviceSynchronize(); }                                                                                  \
    } while (0)

int main(int argc, char **argv)
{
    float *out = NULL;
    (void)argv;
    list_only = argc > 1;
    if (!list_only && cudaMalloc(&out, 4)) return 1;
    for (int threads = 32; threads <= 256; threads *= 2) {
        RUN("outer 2", (outer<2><<<SMS, threads>>>(out)));
        RUN("outer 4", (outer<4><<<SMS, threads>>>(out)));
        RUN("outer 8", (outer<8><<<SMS, threads>>>(out)));
        RUN("mix 1", (mix<1><<<SMS, threads>>>((unsigned *)out, 5)));
        RUN("mix 2", (mix<2><<<SMS, threads>>>((unsigned *)out, 5)));
        RUN("mix 4", (mix<4><<<SMS, threads>>>((unsigned *)out, 5)));
        RUN("mix 8", (mix<8><<<SMS, threads>>>((unsigned *)out, 5)));
    }
    return 0;
}
