// The occupancy API: blocks a multiprocessor, best block size, with dynamic shared memory given as a function.
#include <cstdio>

__global__ void light(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= a[i];
}

__global__ void heavy_shared(int *a) {
    __shared__ int s[8192]; // 32 KB
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void dynamic_shared(float *p) {
    extern __shared__ float s[];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 1];
}

struct SharedBytes {
    __host__ __device__ size_t operator()(int block) const { return block * 160; }
};

int main() {
    bool ok = true;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    int warps = prop.maxThreadsPerMultiProcessor / 32;
    for (int block = 32; block <= 1024; block *= 2) {
        int n = 0;
        ok &= cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, light, block, 0) == cudaSuccess;
        int expect = prop.maxThreadsPerMultiProcessor / block;
        if (expect > prop.maxBlocksPerMultiProcessor) expect = prop.maxBlocksPerMultiProcessor;
        printf("block %4d: %2d blocks, occupancy %.0f %%\n", block, n, 100.0 * n * block / 32 / warps);
        ok &= n == expect; // a kernel of few registers: only threads and blocks limit it
    }
    int n = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, heavy_shared, 128, 0);
    printf("32 KB static: %d blocks\n", n);
    ok &= n == (int)(prop.sharedMemPerMultiprocessor / (32768 + prop.reservedSharedMemPerBlock));
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, dynamic_shared, 256, 40960, cudaOccupancyDefault);
    ok &= n == (int)(prop.sharedMemPerMultiprocessor / (40960 + prop.reservedSharedMemPerBlock));
    ok &= cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, light, 2048, 0) == cudaSuccess ? n == 0 : true;
    cudaGetLastError();

    int min_grid = 0, block = 0;
    ok &= cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, light, 0, 0) == cudaSuccess;
    printf("suggested block %d, grid at least %d\n", block, min_grid);
    ok &= block > 0 && block <= 1024 && block % 32 == 0;
    int per_sm = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, light, block, 0);
    ok &= min_grid == per_sm * prop.multiProcessorCount && per_sm * block == prop.maxThreadsPerMultiProcessor;
    int limited = 0;
    cudaOccupancyMaxPotentialBlockSize(&min_grid, &limited, light, 0, 128);
    ok &= limited <= 128 && limited > 0;
    SharedBytes smem;
    ok &= cudaOccupancyMaxPotentialBlockSizeVariableSMem(&min_grid, &block, dynamic_shared, smem) == cudaSuccess;
    ok &= block > 0 && smem(block) <= 48 * 1024;
    size_t available = 0;
    ok &= cudaOccupancyAvailableDynamicSMemPerBlock(&available, dynamic_shared, 2, 128) == cudaSuccess;
    printf("two blocks of 128: %zu bytes each\n", available);
    ok &= available > 0 && available <= prop.sharedMemPerMultiprocessor / 2;

    // use the suggestion
    const int size = 10000;
    int *h = new int[size], *d;
    cudaOccupancyMaxPotentialBlockSize(&min_grid, &block, (void *)light);
    cudaMalloc(&d, size * sizeof(int));
    for (int i = 0; i < size; i++) h[i] = i;
    cudaMemcpy(d, h, size * sizeof(int), cudaMemcpyHostToDevice);
    light<<<(size + block - 1) / block, block>>>(d, size);
    cudaMemcpy(h, d, size * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < size; i++) ok &= h[i] == i * i;
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    delete[] h;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
