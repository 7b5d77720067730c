// The host side of the runtime API: the C++ overloads as programs call them. Compiled, not run.
#include <cuda.h>
#include <cuda_runtime.h>

__constant__ float weights[64];
__device__ int flag;
__global__ void kernel(float *p, int n, float4 v) { p[n] = v.x + weights[n & 63] + flag; }

#define CHECK(e)                                                                                                       \
    do {                                                                                                               \
        if ((e) != cudaSuccess) return 1;                                                                              \
    } while (0)

int main()
{
    float *d, *h, *m, *p;
    int n, grid, block;
    size_t pitch, bytes;
    void *address;
    cudaStream_t s;
    cudaEvent_t e;
    cudaDeviceProp prop;
    cudaFuncAttributes attr;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaMalloc(&d, 1024));
    CHECK(cudaMallocHost(&h, 1024));
    CHECK(cudaMallocManaged(&m, 1024));
    CHECK(cudaHostAlloc(&p, 64, cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaHostGetDevicePointer(&p, p, 0));
    CHECK(cudaMallocPitch(&p, &pitch, 100, 10));
    CHECK(cudaMallocAsync(&p, 64, nullptr));
    CHECK(cudaMemcpyToSymbol(weights, h, sizeof weights));
    CHECK(cudaMemcpyToSymbol(flag, &n, sizeof n, 0, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyFromSymbol(&n, flag, sizeof n));
    CHECK(cudaMemcpyToSymbolAsync(flag, &n, sizeof n));
    CHECK(cudaGetSymbolAddress(&address, weights));
    CHECK(cudaGetSymbolSize(&bytes, flag));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventCreate(&e, cudaEventDisableTiming));
    CHECK(cudaEventRecord(e));
    CHECK(cudaStreamWaitEvent(s, e));
    CHECK(cudaFuncGetAttributes(&attr, kernel));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    CHECK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel));
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, kernel, [](int b) { return (size_t)b * 4; }));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 128, 0));
    float4 v = make_float4(1, 2, 3, 4);
    void *args[] = {&d, &n, &v};
    CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(32), args, 0, s));
    CHECK(cudaLaunchKernel((void *)kernel, 1, 32, args));
    CHECK(cudaLaunchCooperativeKernel(kernel, 1, 32, args));
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 2, a[0].val.clusterDim.y = 1, a[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = 4, c.blockDim = dim3(32, 2), c.attrs = a, c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, kernel, d, 3, v));
    CHECK(cudaOccupancyMaxActiveClusters(&n, kernel, &c));
    kernel<<<prop.multiProcessorCount, 32, 0, s>>>(d, n, v);
    CHECK(cudaMemset2D(d, pitch, 0, 4, 4));
    CHECK(cudaMemcpy3D(nullptr));
    cudaExtent x = make_cudaExtent(1, 2, 3);
    cudaGraph_t g;
    cudaGraphExec_t ge;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamEndCapture(s, &g));
    CHECK(cudaGraphInstantiate(&ge, g));
    CHECK(cudaGraphLaunch(ge, s));
    CHECK(cudaFreeAsync(p, nullptr));
    CUdeviceptr dp;
    CUcontext ctx;
    if (cuInit(0) || cuMemAlloc(&dp, 100) || cuCtxGetCurrent(&ctx) || cuMemcpyHtoD(dp, h, 10) || cuMemFree(dp))
        return 1;
    return (int)x.depth - 3;
}
