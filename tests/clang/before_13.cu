// Members and calls of CUDA before 13 that many programs still use, and the guards by which sample helpers know
// headers.
#include <cuda.h>
#include <cuda_runtime.h>

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__cuda_cuda_h__)
#error "a guard that helpers ask for is missing"
#endif

__global__ void add_one(int *data) { data[threadIdx.x]++; }

int old_members()
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return -1;
    return p.clockRate + p.memoryClockRate + p.computeMode + p.deviceOverlap + p.kernelExecTimeoutEnabled +
           p.singleToDoublePrecisionPerfRatio + p.cooperativeMultiDeviceLaunch + p.reserved[0];
}

cudaError_t old_calls(cudaGraphExec_t exec, cudaGraph_t graph)
{
    int *data;
    size_t limit;
    void *function;
    CUcontext context;
    cudaGraphNode_t node;
    cudaGraphExecUpdateResult result;
    cudaMallocManaged(&data, 32 * sizeof(int));
    cudaMemAdvise(data, 32 * sizeof(int), cudaMemAdviseSetReadMostly, 0);
    cudaMemPrefetchAsync(data, 32 * sizeof(int), 0);
    add_one<<<1, 32>>>(data);
    cudaThreadSynchronize();
    cudaMemPrefetchAsync(data, 32 * sizeof(int), cudaCpuDeviceId, NULL);
    cudaThreadGetLimit(&limit, cudaLimitStackSize);
    cudaThreadSetLimit(cudaLimitStackSize, limit);
    cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault);
    cudaGraphExecUpdate(exec, graph, &node, &result);
    cuCtxCreate(&context, 0, 0);
    return cudaThreadExit();
}
