/* Forms of calls that CUDA 13 dropped or changed, for C++ programs written before: old names, and overloads with the
 * old parameters. */
#ifndef LWC_BEFORE_13_H
#define LWC_BEFORE_13_H

static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
static inline cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

static inline cudaMemLocation lwc_location(int device)
{
    cudaMemLocation place = {};
    place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    place.id = device == cudaCpuDeviceId ? 0 : device;
    return place;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, int device, cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(p, count, lwc_location(device), 0u, stream);
}

static inline cudaError_t cudaMemAdvise(const void *p, size_t count, cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(p, count, advice, lwc_location(device));
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                              cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
}

static inline cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult *status = 0)
{
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

#endif
