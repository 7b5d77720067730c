// cudaFuncGetAttributes of different kernels, setting attributes, names, kernels as handles, device limits.
#include <cstdio>
#include <cstring>

__constant__ float coefficients[100];

__global__ void plain(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void with_shared(int *p) {
    __shared__ int s[333];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void with_local(float *p, const int *index) {
    float a[64];
    for (int i = 0; i < 64; i++) a[i] = p[i] * coefficients[i];
    for (int i = 0; i < 64; i++) a[index[i] & 63] += a[(i * index[1]) & 63];
    p[threadIdx.x] = a[index[threadIdx.x] & 63];
}

#define EXPECT(c) do { if (!(c)) { printf("not true: %s\n", #c); ok = false; } } while (0)

int main() {
    bool ok = true;
    cudaFuncAttributes a;
    EXPECT(cudaFuncGetAttributes(&a, plain) == cudaSuccess);
    printf("plain: %d registers, %zu shared, %zu local, binary %d, ptx %d, at most %d threads\n", a.numRegs,
           a.sharedSizeBytes, a.localSizeBytes, a.binaryVersion, a.ptxVersion, a.maxThreadsPerBlock);
    EXPECT(a.sharedSizeBytes == 0 && a.localSizeBytes == 0 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
    EXPECT(a.ptxVersion >= 50 && a.binaryVersion >= 50 && a.constSizeBytes <= 65536);
    EXPECT(cudaFuncGetAttributes(&a, with_shared) == cudaSuccess && a.sharedSizeBytes == 333 * 4);
    EXPECT(a.maxDynamicSharedSizeBytes == 48 * 1024 - 333 * 4);
    EXPECT(cudaFuncGetAttributes(&a, with_local) == cudaSuccess && a.localSizeBytes >= 256);
    cudaError_t e = cudaFuncGetAttributes(&a, (const void *)&ok); // not a kernel; which error depends on the runtime
    printf("attributes of no kernel: %s\n", cudaGetErrorName(e));
    EXPECT(e == cudaErrorInvalidDeviceFunction || e == cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    EXPECT(cudaFuncSetAttribute(with_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50) == cudaSuccess);
    cudaFuncGetAttributes(&a, with_shared);
    EXPECT(a.preferredShmemCarveout == 50);
    EXPECT(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1) == cudaSuccess);
    const char *name = nullptr;
    EXPECT(cudaFuncGetName(&name, (const void *)with_shared) == cudaSuccess && name && strstr(name, "with_shared"));

    size_t stack, fifo, heap;
    EXPECT(cudaDeviceGetLimit(&stack, cudaLimitStackSize) == cudaSuccess && stack >= 512);
    EXPECT(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize) == cudaSuccess && fifo >= 1 << 16);
    EXPECT(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize) == cudaSuccess && heap >= 1 << 20);
    EXPECT(cudaDeviceSetLimit(cudaLimitStackSize, 4096) == cudaSuccess);
    EXPECT(cudaDeviceGetLimit(&stack, cudaLimitStackSize) == cudaSuccess && stack >= 4096);
    int least, greatest;
    EXPECT(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && greatest <= least);

    int h[64], *d, index[64];
    float coef[100], f[64], *df;
    for (int i = 0; i < 64; i++) {
        index[i] = (i * 5 + 3) & 63;
        f[i] = i;
    }
    for (int i = 0; i < 100; i++) coef[i] = i % 3;
    float w[64], out[64];
    for (int i = 0; i < 64; i++) w[i] = f[i] * coef[i];
    for (int i = 0; i < 64; i++) w[index[i] & 63] += w[(i * index[1]) & 63];
    cudaMemcpyToSymbol(coefficients, coef, sizeof coef);
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&df, sizeof f);
    cudaMemcpy(d, index, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(df, f, sizeof f, cudaMemcpyHostToDevice);
    with_local<<<1, 1>>>(df, d);
    cudaMemcpy(out, df, sizeof f, cudaMemcpyDeviceToHost);
    EXPECT(out[0] == w[index[0] & 63]);
    plain<<<1, 64>>>(d);
    with_shared<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) ok &= h[i] == 63 - i;
    EXPECT(cudaGetLastError() == cudaSuccess);
    cudaFree(d);
    cudaFree(df);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
