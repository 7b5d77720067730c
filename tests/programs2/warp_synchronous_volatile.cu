// Reductions of the textbooks' years before independent thread scheduling: the last warp works on volatile shared memory
// without any barrier; all seven kernels of the classic, selected by a template switch, with threadfence reduction.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
template <class T> struct SharedMemory { __device__ inline operator T *() { extern __shared__ int s[]; return (T *)s; } };
template <> struct SharedMemory<double> { __device__ inline operator double *() { extern __shared__ double sd[]; return (double *)sd; } };

__global__ void reduceNeighbored(int *g, int *o, unsigned n) {
    unsigned tid = threadIdx.x; int *idata = g + blockIdx.x * blockDim.x; if (blockIdx.x * blockDim.x + tid >= n) return;
    for (int s = 1; s < blockDim.x; s *= 2) { if (tid % (2 * s) == 0) idata[tid] += idata[tid + s]; __syncthreads(); }
    if (tid == 0) o[blockIdx.x] = idata[0];
}
__global__ void reduceInterleaved(int *g, int *o, unsigned n) {
    unsigned tid = threadIdx.x; int *idata = g + blockIdx.x * blockDim.x; if (blockIdx.x * blockDim.x + tid >= n) return;
    for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (tid < s) idata[tid] += idata[tid + s]; __syncthreads(); }
    if (tid == 0) o[blockIdx.x] = idata[0];
}
__global__ void reduceUnrollWarps8(int *g, int *o, unsigned n) {
    unsigned tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 8 + threadIdx.x; int *idata = g + blockIdx.x * blockDim.x * 8;
    if (idx + 7 * blockDim.x < n) { int a = 0; for (int k = 0; k < 8; k++) a += g[idx + k * blockDim.x]; g[idx] = a; }
    __syncthreads();
    for (int s = blockDim.x / 2; s > 32; s >>= 1) { if (tid < s) idata[tid] += idata[tid + s]; __syncthreads(); }
    if (tid < 32) { volatile int *v = idata; v[tid] += v[tid + 32]; v[tid] += v[tid + 16]; v[tid] += v[tid + 8]; v[tid] += v[tid + 4]; v[tid] += v[tid + 2]; v[tid] += v[tid + 1]; }
    if (tid == 0) o[blockIdx.x] = idata[0];
}
template <typename T, unsigned B> __device__ void warpReduce(volatile T *s, unsigned t) {
    if (B >= 64) s[t] += s[t + 32]; if (B >= 32) s[t] += s[t + 16]; if (B >= 16) s[t] += s[t + 8];
    if (B >= 8) s[t] += s[t + 4]; if (B >= 4) s[t] += s[t + 2]; if (B >= 2) s[t] += s[t + 1];
}
template <class T, unsigned B, bool nIsPow2> __global__ void reduce6(T *in, T *out, unsigned n) {
    T *s = SharedMemory<T>(); unsigned tid = threadIdx.x, i = blockIdx.x * B * 2 + tid, grid = B * 2 * gridDim.x; T sum = 0;
    while (i < n) { sum += in[i]; if (nIsPow2 || i + B < n) sum += in[i + B]; i += grid; }
    s[tid] = sum; __syncthreads();
    if (B >= 512) { if (tid < 256) s[tid] = sum = sum + s[tid + 256]; __syncthreads(); }
    if (B >= 256) { if (tid < 128) s[tid] = sum = sum + s[tid + 128]; __syncthreads(); }
    if (B >= 128) { if (tid < 64) s[tid] = sum = sum + s[tid + 64]; __syncthreads(); }
    if (tid < 32) warpReduce<T, B>(s, tid);
    if (tid == 0) out[blockIdx.x] = s[0];
}
__device__ unsigned int retirementCount = 0;
__global__ void reduceSinglePass(const float *in, volatile float *out, unsigned n) {
    __shared__ float s[128]; __shared__ bool amLast; float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    s[threadIdx.x] = sum; __syncthreads();
    for (int k = 64; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
    if (threadIdx.x == 0) { out[blockIdx.x] = s[0]; __threadfence(); amLast = atomicInc(&retirementCount, gridDim.x) == gridDim.x - 1; }
    __syncthreads();
    if (amLast) {
        sum = 0; for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += out[i];
        s[threadIdx.x] = sum; __syncthreads();
        for (int k = 64; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
        if (threadIdx.x == 0) { out[0] = s[0]; retirementCount = 0; }
    }
}
template <class T> T run6(T *d, T *o, int n, int threads, int blocks, bool pow2) {
    size_t smem = (threads <= 32 ? 2 : 1) * threads * sizeof(T);
#define CASE(B) case B: if (pow2) reduce6<T, B, true><<<blocks, B, smem>>>(d, o, n); else reduce6<T, B, false><<<blocks, B, smem>>>(d, o, n); break
    switch (threads) { CASE(512); CASE(256); CASE(128); CASE(64); CASE(32); CASE(16); CASE(8); CASE(4); CASE(2); CASE(1); }
    cudaDeviceSynchronize(); T s = 0; for (int i = 0; i < blocks; i++) s += o[i]; return s;
}
int main() {
    int bad = 0; const int n = 1 << 14; int *h = (int *)malloc(n * 4), *d, *o; cudaMalloc(&d, n * 4); cudaMallocManaged(&o, 4096 * 8); int want = 0;
    for (int i = 0; i < n; i++) want += h[i] = rand() & 0xff;
    for (int v = 0; v < 3; v++) {
        cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice); int bs = 256, g = n / bs, s = 0;
        if (v == 0) reduceNeighbored<<<g, bs>>>(d, o, n); else if (v == 1) reduceInterleaved<<<g, bs>>>(d, o, n); else { g /= 8; reduceUnrollWarps8<<<g, bs>>>(d, o, n); }
        cudaDeviceSynchronize(); for (int i = 0; i < g; i++) s += o[i];
        if (s != want) { printf("variant %d: %d != %d\n", v, s, want); bad++; }
    }
    cudaMemcpy(d, h, n * 4, cudaMemcpyHostToDevice);
    for (int t = 1; t <= 512; t *= 2) { int s = run6<int>(d, o, n, t, 8, true); if (s != want) { printf("reduce6 %d: %d\n", t, s); bad++; } }
    int m = n - 77, wm = 0; for (int i = 0; i < m; i++) wm += h[i];
    for (int t = 1; t <= 512; t *= 2) { int s = run6<int>(d, o, m, t, 5, false); if (s != wm) { printf("reduce6 ragged %d: %d\n", t, s); bad++; } }
    double *dd; cudaMallocManaged(&dd, n * 8); double wd = 0; for (int i = 0; i < n; i++) wd += dd[i] = h[i] * 0.5;
    for (int t = 64; t <= 512; t *= 2) if (run6<double>(dd, (double *)o, n, t, 7, true) != wd) { printf("double %d\n", t); bad++; }
    float *f; cudaMallocManaged(&f, n * 4); for (int i = 0; i < n; i++) f[i] = h[i];
    for (int rep = 0; rep < 3; rep++) { reduceSinglePass<<<33, 128>>>(f, (float *)o, n); cudaDeviceSynchronize(); if (((float *)o)[0] != (float)want) { printf("single pass %f\n", ((float *)o)[0]); bad++; } }
    if (cudaGetLastError()) bad++;
    puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
