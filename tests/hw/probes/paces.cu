/* How fast blocks of a multiprocessor go, and which of them find in L1 what others have fetched.
 * paces log   clock of each warp each 32 steps: kernel,smid,block,warp,step,clock
 * paces shapes   the same of blocks of different shapes
 * paces all   launches for counters, to be run under ncu */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }

struct entry { unsigned sm, block, warp, step, clock; };

__device__ unsigned logged;

__device__ void note(entry *log, unsigned step)
{
    if (!log || (threadIdx.y * blockDim.x + threadIdx.x) % 32) return;
    unsigned s = smid();
    if (s != 0 && s != 40) return;
    unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c));
    unsigned k = atomicAdd(&logged, 1);
    unsigned w = (threadIdx.y * blockDim.x + threadIdx.x) / 32;
    log[k] = {s, blockIdx.y * gridDim.x + blockIdx.x, w, step, c};
}

/* A row of a product for each block or a part of it. */
template <typename T>
__global__ void rows(const T *a, const T *b, T *c, int n, entry *log)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / n, col = i % n;
    T sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        note(log, k0);
        for (int k = k0; k < k0 + 32; k++) sum += a[row * n + k] * b[k * n + col];
    }
    note(log, n);
    c[i] = sum;
}

template <int COARSE>
__global__ void coarse(const int *a, const int *b, int *c, int n, entry *log)
{
    size_t row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 * COARSE + threadIdx.x, ty = threadIdx.y, tx = threadIdx.x;
    __shared__ int sa[32][32], sb[32][32];
    int v[COARSE] = {};
    for (size_t i = 0; i < n; i += 32) {
        note(log, i);
        sa[ty][tx] = a[row * n + i + tx];
        for (int j = 0; j < COARSE; j++) {
            sb[ty][tx] = b[(i + ty) * n + col + j * 32];
            __syncthreads();
            for (int k = 0; k < 32; k++) v[j] += sa[ty][k] * sb[k][tx];
            __syncthreads();
        }
    }
    note(log, n);
    for (int j = 0; j < COARSE; j++) c[row * n + col + j * 32] = v[j];
}

__global__ void naive(const float *a, const float *b, float *c, int n, entry *log)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        note(log, k0);
        for (int k = k0; k < k0 + 32; k++) sum += a[row * n + k] * b[k * n + col];
    }
    note(log, n);
    c[row * n + col] = sum;
}

template <int T> __global__ void tiled(const float *a, const float *b, float *c, int n, entry *log)
{
    __shared__ float sa[T][T], sb[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n; t += T) {
        if (t % 32 == 0) note(log, t);
        sa[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    note(log, n);
    c[row * n + col] = sum;
}

static entry *d_log;

static void out(const char *name, bool log)
{
    cudaDeviceSynchronize();
    if (!log) return;
    unsigned n, z = 0;
    cudaMemcpyFromSymbol(&n, logged, 4);
    entry *h = (entry *)malloc(n * sizeof *h);
    cudaMemcpy(h, d_log, n * sizeof *h, cudaMemcpyDeviceToHost);
    for (unsigned k = 0; k < n; k++) printf("%s,%u,%u,%u,%u,%u\n", name, h[k].sm, h[k].block, h[k].warp, h[k].step, h[k].clock);
    cudaMemcpyToSymbol(logged, &z, 4);
    free(h);
}

int main(int c, char **v)
{
    bool log = c > 1 && (!strcmp(v[1], "log") || !strcmp(v[1], "shapes"));
    char *m; cudaMalloc(&m, 96 << 20); cudaMemset(m, 0, 96 << 20);
    if (log) cudaMalloc(&d_log, 64 << 20);
    float *a = (float *)m, *b = (float *)(m + (32 << 20)), *o = (float *)(m + (64 << 20));
    if (c > 1 && !strcmp(v[1], "shapes")) {
        const int x[] = {8, 16, 8, 32, 16, 256, 32}, y[] = {8, 4, 16, 8, 16, 1, 32};
        for (int k = 0; k < 7; k++) {
            char name[32];
            sprintf(name, "naive%dx%d", x[k], y[k]);
            naive<<<dim3(512 / x[k], 512 / y[k]), dim3(x[k], y[k])>>>(a, b, o, 512, d_log);
            out(name, true);
        }
        naive<<<dim3(128, 128), dim3(8, 8)>>>(a, b, o, 1024, d_log); out("naive8x8of1024", true);
        tiled<8><<<dim3(64, 64), dim3(8, 8)>>>(a, b, o, 512, d_log); out("tiled8", true);
        tiled<16><<<dim3(32, 32), dim3(16, 16)>>>(a, b, o, 512, d_log); out("tiled16", true);
        tiled<32><<<dim3(16, 16), dim3(32, 32)>>>(a, b, o, 512, d_log); out("tiled32", true);
        return 0;
    }
    rows<<<1024, 256>>>(a, b, o, 512, d_log); out("rows1024x256", log);
    rows<<<1024, 256>>>(a, b, o, 512, d_log); out("rows1024x256again", log);
    rows<<<512, 512>>>((double *)a, (double *)b, (double *)o, 512, d_log); out("rows512x512d", log);
    coarse<2><<<dim3(12, 24), dim3(32, 32)>>>((int *)a, (int *)b, (int *)o, 768, d_log); out("coarse12", log);
    naive<<<dim3(48, 48), dim3(16, 16)>>>(a, b, o, 768, d_log); out("naive48", log);
    naive<<<dim3(24, 24), dim3(32, 32)>>>(a, b, o, 768, d_log); out("naive24", log);
    if (log) return 0;
    rows<<<512, 512>>>(a, b, o, 512, d_log);
    rows<<<528, 256>>>(a, b, o, 512, d_log);
    rows<<<264, 256>>>(a, b, o, 512, d_log);
    rows<<<132, 256>>>(a, b, o, 512, d_log);
    rows<<<512, 128>>>(a, b, o, 128, d_log);
    rows<<<2048, 256>>>(a, b, o, 1024, d_log);
    rows<<<4096, 64>>>(a, b, o, 512, d_log);
    coarse<2><<<dim3(11, 22), dim3(32, 32)>>>((int *)a, (int *)b, (int *)o, 704, d_log);
    coarse<2><<<dim3(16, 32), dim3(32, 32)>>>((int *)a, (int *)b, (int *)o, 1024, d_log);
    coarse<1><<<dim3(22, 22), dim3(32, 32)>>>((int *)a, (int *)b, (int *)o, 704, d_log);
    coarse<1><<<dim3(33, 33), dim3(32, 32)>>>((int *)a, (int *)b, (int *)o, 1056, d_log);
    naive<<<dim3(33, 33), dim3(16, 16)>>>(a, b, o, 528, d_log);
    naive<<<dim3(66, 66), dim3(16, 16)>>>(a, b, o, 1056, d_log);
    naive<<<dim3(32, 32), dim3(32, 32)>>>(a, b, o, 1024, d_log);
    naive<<<dim3(33, 132), dim3(32, 8)>>>(a, b, o, 1056, d_log);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
