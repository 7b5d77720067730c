// deviceQuery: properties and attributes must agree with each other and be plausible.
#include <cstdio>
#include <cstring>

static int bad = 0;
#define EXPECT(c) do { if (!(c)) { printf("not true: %s\n", #c); bad++; } } while (0)

static int attr(cudaDeviceAttr a) {
    int v = -1;
    if (cudaDeviceGetAttribute(&v, a, 0) != cudaSuccess) bad++;
    return v;
}

__global__ void ids(unsigned *out) {
    unsigned warpsize_, sm, nsm, lane;
    asm("mov.u32 %0, WARP_SZ;" : "=r"(warpsize_));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(nsm));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (threadIdx.x == 37) {
        out[0] = warpsize_;
        out[1] = sm < nsm;
        out[2] = lane;
        out[3] = warpSize;
#ifdef __CUDA_ARCH__
        out[4] = __CUDA_ARCH__;
#endif
    }
}

int main() {
    int count = 0, driver = 0, runtime = 0, device = -1;
    cudaDeviceProp p;
    EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1);
    EXPECT(cudaSetDevice(0) == cudaSuccess && cudaGetDevice(&device) == cudaSuccess && device == 0);
    EXPECT(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    EXPECT(runtime >= 11000 && driver >= runtime / 1000 * 1000);
    printf("Device 0: \"%s\"\n", p.name);
    printf("  CUDA capability: %d.%d\n", p.major, p.minor);
    printf("  Global memory: %.0f MBytes, %d-bit bus, L2 %d bytes\n", p.totalGlobalMem / 1048576.0, p.memoryBusWidth,
           p.l2CacheSize);
    printf("  Multiprocessors: %d\n", p.multiProcessorCount);
    printf("  Shared memory per block %zu, opt-in %zu, per SM %zu\n", p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
           p.sharedMemPerMultiprocessor);
    printf("  Registers per block %d\n", p.regsPerBlock);
    printf("  Block dim (%d,%d,%d), grid dim (%d,%d,%d)\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
           p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    EXPECT(strlen(p.name) > 0);
    EXPECT(p.warpSize == 32 && attr(cudaDevAttrWarpSize) == 32);
    EXPECT(p.major == attr(cudaDevAttrComputeCapabilityMajor) && p.minor == attr(cudaDevAttrComputeCapabilityMinor));
    EXPECT(p.multiProcessorCount == attr(cudaDevAttrMultiProcessorCount) && p.multiProcessorCount > 0);
    EXPECT(p.maxThreadsPerBlock == 1024 && attr(cudaDevAttrMaxThreadsPerBlock) == 1024);
    EXPECT(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[1] == 1024 && p.maxThreadsDim[2] == 64);
    EXPECT(p.maxGridSize[0] == 2147483647 && p.maxGridSize[1] == 65535 && p.maxGridSize[2] == 65535);
    EXPECT((int)p.sharedMemPerBlock == attr(cudaDevAttrMaxSharedMemoryPerBlock) && p.sharedMemPerBlock == 49152);
    EXPECT((int)p.sharedMemPerBlockOptin == attr(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    EXPECT((int)p.sharedMemPerMultiprocessor == attr(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    EXPECT((int)p.totalConstMem == attr(cudaDevAttrTotalConstantMemory) && p.totalConstMem == 65536);
    EXPECT(p.regsPerBlock == 65536 && attr(cudaDevAttrMaxRegistersPerBlock) == 65536);
    EXPECT(p.l2CacheSize == attr(cudaDevAttrL2CacheSize) && p.l2CacheSize > 0);
    EXPECT(p.maxThreadsPerMultiProcessor == attr(cudaDevAttrMaxThreadsPerMultiProcessor) &&
           p.maxThreadsPerMultiProcessor % 32 == 0);
    EXPECT(p.unifiedAddressing == 1 && attr(cudaDevAttrUnifiedAddressing) == 1);
    EXPECT(p.canMapHostMemory == 1 && p.concurrentKernels == 1);
    EXPECT(attr(cudaDevAttrManagedMemory) == 1 && p.managedMemory == 1);
    EXPECT(attr(cudaDevAttrClockRate) > 0);
    EXPECT(p.totalGlobalMem > (1ull << 28));
    EXPECT(p.maxBlocksPerMultiProcessor == attr(cudaDevAttrMaxBlocksPerMultiprocessor) &&
           p.maxBlocksPerMultiProcessor >= 8);
    int chosen = -1;
    EXPECT(cudaChooseDevice(&chosen, &p) == cudaSuccess && chosen >= 0 && chosen < count);
    size_t free_mem, total_mem;
    EXPECT(cudaMemGetInfo(&free_mem, &total_mem) == cudaSuccess && free_mem <= total_mem &&
           total_mem <= p.totalGlobalMem);
    char bus[32];
    int by_bus = -1;
    EXPECT(cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess &&
           cudaDeviceGetByPCIBusId(&by_bus, bus) == cudaSuccess && by_bus == 0);
    unsigned *d, h[5];
    cudaMalloc(&d, sizeof h);
    ids<<<1, 64>>>(d);
    EXPECT(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(h[0] == 32 && h[1] == 1 && h[2] == 5 && h[3] == 32);
    EXPECT((int)h[4] <= p.major * 100 + p.minor * 10);
    cudaFree(d);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
