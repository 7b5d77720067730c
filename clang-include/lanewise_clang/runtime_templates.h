/*
 * The C++ overloads of the runtime API: typed pointers, symbols by reference, kernels as functions, occupancy search.
 */
#ifndef LWC_RUNTIME_TEMPLATES_H
#define LWC_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"
#include <utility>

/* ---- Allocation with typed pointers ---- */
template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n) { return cudaMalloc((void **)p, n); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n, unsigned flags = 0)
{
    return cudaHostAlloc((void **)p, n, flags);
}
static inline cudaError_t cudaMallocHost(void **p, size_t n, unsigned flags) { return cudaHostAlloc(p, n, flags); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned flags)
{
    return cudaHostAlloc((void **)p, n, flags);
}
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)d, h, flags);
}
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)p, n, flags);
}
template <class T> static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t w, size_t h)
{
    return cudaMallocPitch((void **)p, pitch, w, h);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t s)
{
    return cudaMallocAsync((void **)p, n, s);
}
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
    return cudaMallocFromPoolAsync((void **)p, n, pool, s);
}
static inline cudaError_t cudaMallocAsync(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
    return cudaMallocFromPoolAsync(p, n, pool, s);
}
template <class T> static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t n, cudaMemPool_t pool,
                                                                     cudaStream_t s)
{
    return cudaMallocFromPoolAsync((void **)p, n, pool, s);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, T *p, size_t n = 0,
                                                   unsigned flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(s, (void *)p, n, flags);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }

/* ---- Symbols: the address of the host's shadow names the device variable ---- */
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t n, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, src, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t n, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t s = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, src, n, offset, kind, s);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t n, size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(dst, (const void *)&symbol, n, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t n, size_t offset = 0,
                                                    cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t s = 0)
{
    return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, n, offset, kind, s);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *n, const T &symbol)
{
    return cudaGetSymbolSize(n, (const void *)&symbol);
}

/* ---- Kernels as functions ---- */
template <class T>
static inline cudaError_t cudaLaunchKernel(T *f, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t s = 0)
{
    return cudaLaunchKernel((const void *)f, grid, block, args, shared, s);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *f, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                                      cudaStream_t s = 0)
{
    return cudaLaunchCooperativeKernel((const void *)f, grid, block, args, shared, s);
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*f)(P...), A &&...a)
{
    auto launch = [&](P... p) {
        void *args[] = {(void *)&p..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)f, args);
    };
    return launch(std::forward<A>(a)...);
}
template <class T> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, T *f)
{
    return cudaFuncGetAttributes(a, (const void *)f);
}
template <class T> static inline cudaError_t cudaFuncSetAttribute(T *f, cudaFuncAttribute a, int value)
{
    return cudaFuncSetAttribute((const void *)f, a, value);
}
template <class T> static inline cudaError_t cudaFuncSetCacheConfig(T *f, cudaFuncCache c)
{
    return cudaFuncSetCacheConfig((const void *)f, c);
}
template <class T> static inline cudaError_t cudaFuncSetSharedMemConfig(T *f, cudaSharedMemConfig c)
{
    return cudaFuncSetSharedMemConfig((const void *)f, c);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *f)
{
    return cudaFuncGetName(name, (const void *)f);
}
template <class T> static inline cudaError_t cudaGetKernel(cudaKernel_t *k, T *f)
{
    return cudaGetKernel(k, (const void *)f);
}
template <class T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *g, T *f)
{
    return cudaGetFuncBySymbol(g, (const void *)f);
}

/* ---- Occupancy ---- */
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, T f, int block, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, (const void *)f, block, shared,
                                                                  cudaOccupancyDefault);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, T f, int block, size_t shared,
                                                                                 unsigned flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, (const void *)f, block, shared, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *n, T *f, int blocks, int block)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(n, (const void *)f, blocks, block);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *n, T *f, const cudaLaunchConfig_t *c)
{
    return cudaOccupancyMaxPotentialClusterSize(n, (const void *)f, c);
}
template <class T> static inline cudaError_t cudaOccupancyMaxActiveClusters(int *n, T *f, const cudaLaunchConfig_t *c)
{
    return cudaOccupancyMaxActiveClusters(n, (const void *)f, c);
}

/* The block size, a multiple of the warp, that keeps most threads resident; the larger one wins a tie. */
template <class SharedOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid, int *best, T f,
                                                                                  SharedOf shared_of, int limit = 0,
                                                                                  unsigned flags = 0)
{
    int device, per_sm, sms, warp, device_max;
    cudaFuncAttributes attr;
    cudaError_t e;
    if (!min_grid || !best || !f) return cudaErrorInvalidValue;
    if ((e = cudaGetDevice(&device)) || (e = cudaFuncGetAttributes(&attr, f)) ||
        (e = cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device)) ||
        (e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device)) ||
        (e = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device)) ||
        (e = cudaDeviceGetAttribute(&device_max, cudaDevAttrMaxThreadsPerBlock, device)))
        return e;
    if (attr.maxThreadsPerBlock < device_max) device_max = attr.maxThreadsPerBlock;
    if (limit <= 0 || limit > device_max) limit = device_max;
    int top = (limit + warp - 1) / warp * warp, most = 0;
    *min_grid = *best = 0;
    for (int size = top; size > 0 && most < per_sm; size -= warp) {
        int block = size < limit ? size : limit, blocks;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, block, shared_of(block), flags);
        if (e) return e;
        if (blocks * block > most) {
            most = blocks * block;
            *min_grid = blocks * sms;
            *best = block;
        }
    }
    return cudaSuccess;
}
template <class SharedOf, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *best, T f,
                                                                         SharedOf shared_of, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid, best, f, shared_of, limit, 0);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *best, T f, size_t shared = 0,
                                                                      int limit = 0, unsigned flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        min_grid, best, f, [shared](int) { return shared; }, limit, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *best, T f, size_t shared = 0,
                                                             int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid, best, f, shared, limit, 0);
}

static inline cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t x, size_t y)
{
    cudaPitchedPtr r = {p, pitch, x, y};
    return r;
}
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    cudaExtent r = {w, h, d};
    return r;
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    cudaPos r = {x, y, z};
    return r;
}

/* ---- Graphs: the form of CUDA 10 and 11; the node and the log of an error are left empty ---- */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                               char *log, size_t bytes)
{
    if (error_node) *error_node = nullptr;
    if (log && bytes) *log = 0;
    return cudaGraphInstantiate(exec, graph, 0);
}

#endif
