/* Which multiprocessors' loads reach L2 as one, and within which time; where blocks run.
 * joins place   threads, grid, smids of its blocks in order: grids of one wave
 * joins pairs   a launch per pair (0, b) and per delay of b: to be run under ncu, in order of its output */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

/* Blocks run until all have begun. */
__global__ void place(unsigned *out)
{
    if (!threadIdx.x) out[blockIdx.x] = smid();
    long long begin = clock64();
    while (clock64() - begin < 200000) {}
}

__device__ volatile unsigned arrived;

/* One block a multiprocessor; those on a and b wait for each other and read the same fresh lines, one warp, one line at a time;
 * `gap` cycles of other work between two lines. b begins `delay` cycles later. */
__global__ void meet(const float *data, float *out, unsigned a, unsigned b, unsigned delay, unsigned gap, unsigned lines)
{
    extern __shared__ float big[];
    unsigned me = smid();
    if ((me != a && me != b) || threadIdx.x >= 32) return;
    if (!threadIdx.x) { atomicAdd((unsigned *)&arrived, 1); while (arrived < 2) {} }
    __syncwarp();
    long long begin = clock64();
    if (me == b) while (clock64() - begin < delay) {}
    float sum = 0;
    for (unsigned k = 0; k < lines; k++) {
        float x;
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x) : "l"(data + k * 32 + threadIdx.x) : "memory");
        sum += x;
        if (sum == 12345.f) out[1] = sum; /* waits for it */
        if (gap) { long long now = clock64(); while (clock64() - now < gap) {} }
    }
    out[me * 32 + threadIdx.x] = sum;
}

static void one(const float *d, float *o, unsigned a, unsigned b, unsigned delay, unsigned gap)
{
    unsigned zero = 0;
    cudaMemcpyToSymbol(arrived, &zero, sizeof zero);
    meet<<<132, 64, 200 << 10>>>(d, o, a, b, delay, gap, 1024);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%u,%u,%u,%u,%s\n", a, b, delay, gap, e ? cudaGetErrorString(e) : "ok");
}

int main(int c, char **v)
{
    float *d, *o;
    cudaMalloc(&d, 1 << 20);
    cudaMalloc(&o, 1 << 20);
    cudaMemset(d, 0, 1 << 20);
    if (c > 1 && !strcmp(v[1], "place")) {
        static unsigned h[4096];
        printf("threads,grid,smids\n");
        for (int g : {62, 100, 132, 232, 264, 326, 528, 792, 1024, 1056, 2112}) {
            int threads = g > 1056 ? 64 : 256;
            place<<<g, threads>>>((unsigned *)o);
            cudaMemcpy(h, o, g * 4, cudaMemcpyDeviceToHost);
            printf("%d,%d,", threads, g);
            for (int k = 0; k < g; k++) printf("%u%c", h[k], k + 1 < g ? ' ' : '\n');
        }
        return 0;
    }
    cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    printf("a,b,delay,gap,error\n");
    for (unsigned b = 1; b < 132; b++) one(d, o, 0, b, 0, 0);
    for (unsigned delay : {20, 50, 100, 150, 200, 300, 500, 1000}) one(d, o, 0, 1, delay, 0);
    for (unsigned gap : {50, 100, 200, 400, 800}) one(d, o, 0, 1, 0, gap);
    return 0;
}
