// More than 48 KB of dynamic shared memory: refused by default, granted after cudaFuncSetAttribute, limits and queries.
#include <cstdio>

__global__ void reverse_big(int *data, int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[blockIdx.x * n + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[n - 1 - i];
}

__global__ void static_and_dynamic(int *out) {
    __shared__ int fixed[1024];
    extern __shared__ int s[];
    fixed[threadIdx.x] = threadIdx.x;
    s[threadIdx.x] = 1000 + threadIdx.x;
    __syncthreads();
    unsigned dyn, total;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dyn));
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
    out[threadIdx.x] = fixed[blockDim.x - 1 - threadIdx.x] + s[threadIdx.x];
    if (threadIdx.x == 0) {
        out[1024] = dyn;
        out[1025] = total >= dyn + 4096;
    }
}

int main() {
    int optin, per_block, per_sm;
    cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlock, 0);
    cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
    printf("%d by default, %d at most, %d a multiprocessor\n", per_block, optin, per_sm);
    bool ok = per_block == 48 * 1024 && optin >= per_block && per_sm >= optin;

    const int blocks = 2, words = 24 * 1024; // 96 KB
    int *h = new int[blocks * words], *d;
    cudaMalloc(&d, blocks * words * sizeof(int));
    for (int i = 0; i < blocks * words; i++) h[i] = i;
    cudaMemcpy(d, h, blocks * words * sizeof(int), cudaMemcpyHostToDevice);
    reverse_big<<<blocks, 256, words * sizeof(int)>>>(d, words);
    ok &= cudaGetLastError() == cudaErrorInvalidValue;
    ok &= cudaFuncSetAttribute(reverse_big, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1024) ==
          cudaErrorInvalidValue;
    cudaGetLastError();
    ok &= cudaFuncSetAttribute(reverse_big, cudaFuncAttributeMaxDynamicSharedMemorySize, words * (int)sizeof(int)) ==
          cudaSuccess;
    cudaFuncAttributes attr;
    cudaFuncGetAttributes(&attr, reverse_big);
    ok &= attr.maxDynamicSharedSizeBytes == words * (int)sizeof(int);
    reverse_big<<<blocks, 256, words * sizeof(int)>>>(d, words);
    ok &= cudaGetLastError() == cudaSuccess;
    cudaMemcpy(h, d, blocks * words * sizeof(int), cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < words; i++) ok &= h[b * words + i] == b * words + words - 1 - i;

    cudaFuncGetAttributes(&attr, static_and_dynamic);
    ok &= attr.sharedSizeBytes == 4096;
    static_and_dynamic<<<1, 1024, 44 * 1024>>>(d); // 4 KB + 44 KB: exactly the limit
    ok &= cudaGetLastError() == cudaSuccess;
    cudaMemcpy(h, d, 1026 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 1024; t++) ok &= h[t] == 1023 - t + 1000 + t;
    ok &= h[1024] == 44 * 1024 && h[1025] == 1;
    static_and_dynamic<<<1, 1024, 44 * 1024 + 4>>>(d);
    ok &= cudaGetLastError() == cudaErrorInvalidValue;
    cudaFree(d);
    delete[] h;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
