/*
 * The CUDA runtime API, C part: declarations with the binary interface of CUDA 13.0.
 * Parameters are unnamed where their types say what they are; the CUDA runtime API reference describes each call.
 */
#ifndef LWC_CUDA_RUNTIME_API_H
#define LWC_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__

#include "host_defines.h"
#include "builtin_types.h"

#define CUDART_VERSION 13000

#include "lanewise_clang/per_thread.h"

#if defined(__cplusplus)
#define LWC_DEF(v) = v
extern "C" {
#else
#define LWC_DEF(v)
#endif

/* ---- Devices ---- */
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const struct cudaChannelFormatDesc *, int device);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr, int device);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr, int src, int dst);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetValidDevices(int *devices, int n);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaGetDeviceFlags(unsigned int *);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, cudaIpcEventHandle_t);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *);
cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* ---- Streams and events ---- */
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned int flags, int priority);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int *);
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long *);
cudaError_t cudaStreamGetDevice(cudaStream_t, int *);
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaLaunchAttributeID, cudaLaunchAttributeValue *);
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaLaunchAttributeID, const cudaLaunchAttributeValue *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int flags LWC_DEF(0));
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *user, unsigned int flags);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t length LWC_DEF(0), unsigned int flags LWC_DEF(4));
cudaError_t cudaStreamBeginCapture(cudaStream_t, enum cudaStreamCaptureMode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t *, const cudaGraphEdgeData *,
                                          size_t n, enum cudaStreamCaptureMode);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaStreamIsCapturing(cudaStream_t, enum cudaStreamCaptureStatus *);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, enum cudaStreamCaptureStatus *, unsigned long long *id LWC_DEF(0),
                                     cudaGraph_t *graph LWC_DEF(0), const cudaGraphNode_t **deps LWC_DEF(0),
                                     const cudaGraphEdgeData **edges LWC_DEF(0), size_t *n LWC_DEF(0));
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t *, const cudaGraphEdgeData *, size_t n,
                                                unsigned int flags LWC_DEF(0));
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t LWC_DEF(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t LWC_DEF(0), unsigned int flags LWC_DEF(0));
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

/* ---- Launches and functions ---- */
cudaError_t cudaLaunchKernel(const void *, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **args);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *user);
cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache);
cudaError_t cudaFuncSetSharedMemConfig(const void *, enum cudaSharedMemConfig);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int value);
cudaError_t cudaFuncGetName(const char **, const void *);
cudaError_t cudaFuncGetParamInfo(const void *, size_t index, size_t *offset, size_t *size);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int block_size, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int block_size, size_t shared,
                                                                   unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int blocks, int block_size);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaOccupancyMaxActiveClusters(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *, const void *);
cudaError_t cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *, const void *code, enum cudaJitOption *, void **, unsigned int,
                                enum cudaLibraryOption *, void **, unsigned int);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *, const char *file, enum cudaJitOption *, void **, unsigned int,
                                    enum cudaLibraryOption *, void **, unsigned int);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *name);
cudaError_t cudaLibraryGetGlobal(void **, size_t *bytes, cudaLibrary_t, const char *name);
cudaError_t cudaLibraryGetManaged(void **, size_t *bytes, cudaLibrary_t, const char *name);
cudaError_t cudaLibraryGetKernelCount(unsigned int *, cudaLibrary_t);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *, unsigned int n, cudaLibrary_t);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, enum cudaFuncAttribute, int value, int device);
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status LWC_DEF(0));

/* ---- Memory ---- */
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned int flags LWC_DEF(1));
cudaError_t cudaMallocPitch(void **, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t width, size_t height LWC_DEF(0),
                            unsigned int flags LWC_DEF(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent,
                              unsigned int flags LWC_DEF(0));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *, const struct cudaChannelFormatDesc *, struct cudaExtent,
                                     unsigned int levels, unsigned int flags LWC_DEF(0));
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *, cudaMipmappedArray_const_t, unsigned int level);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned int flags);
cudaError_t cudaHostRegister(void *, size_t, unsigned int flags);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *, void *);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned int *flags, cudaArray_t);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);
cudaError_t cudaGetSymbolAddress(void **, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *, const void *symbol);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, struct cudaMemLocation, unsigned int flags,
                                 cudaStream_t LWC_DEF(0));
cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute, const void *, size_t);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *, size_t n, const void *,
                                      size_t);

/* ---- Copies and sets ---- */
cudaError_t cudaMemcpy(void *dst, const void *src, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t, enum cudaMemcpyKind, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t,
                                cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                     size_t height, enum cudaMemcpyKind, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx, size_t sy,
                                     size_t width, size_t height,
                                     enum cudaMemcpyKind LWC_DEF(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t x, size_t y, const void *src, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t, size_t x, size_t y, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t, size_t offset LWC_DEF(0),
                               enum cudaMemcpyKind LWC_DEF(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t, size_t offset LWC_DEF(0),
                                 enum cudaMemcpyKind LWC_DEF(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t, size_t offset, enum cudaMemcpyKind,
                                    cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t, size_t offset, enum cudaMemcpyKind,
                                      cudaStream_t LWC_DEF(0));
cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t n,
                                 struct cudaMemcpyAttributes *, size_t *indices, size_t attrs, cudaStream_t);
cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *, unsigned long long flags, cudaStream_t);
cudaError_t cudaMemset(void *, int value, size_t);
cudaError_t cudaMemsetAsync(void *, int value, size_t, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemset2D(void *, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *, size_t pitch, int value, size_t width, size_t height, cudaStream_t LWC_DEF(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr, int value, struct cudaExtent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr, int value, struct cudaExtent, cudaStream_t LWC_DEF(0));

/* ---- Stream-ordered memory ---- */
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaMallocFromPoolAsync(void **, size_t, cudaMemPool_t, cudaStream_t);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const struct cudaMemAccessDesc *, size_t n);
cudaError_t cudaMemPoolExportToShareableHandle(void *out, cudaMemPool_t, enum cudaMemAllocationHandleType,
                                               unsigned flags);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *, void *handle, enum cudaMemAllocationHandleType,
                                                 unsigned flags);
cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *, void *pointer);
cudaError_t cudaMemPoolImportPointer(void **out, cudaMemPool_t, struct cudaMemPoolPtrExportData *);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *, cudaMemPool_t, struct cudaMemLocation *);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *, const struct cudaMemPoolProps *);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);

/* ---- Textures and surfaces ---- */
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *, cudaArray_const_t);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *, const struct cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *, cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *, cudaSurfaceObject_t);

#include "lanewise_clang/graph_api.h"

/* ---- What compiled code calls ---- */
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared LWC_DEF(0),
                                         struct CUstream_st *LWC_DEF(0));
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

#if defined(__cplusplus)
}
#endif

#endif
