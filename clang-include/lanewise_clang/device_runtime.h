/* device_runtime.h: functions of the device runtime that launch kernels from kernels. Declared only: headers of Thrust and CUB
 * name them in functions that no program calls here. One that does lacks device code of another file. */
#ifndef LANEWISE_CLANG_DEVICE_RUNTIME_H
#define LANEWISE_CLANG_DEVICE_RUNTIME_H

extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void *cudaGetParameterBufferV2(void *func, dim3 gridDimension, dim3 blockDimension, unsigned sharedMemSize);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameterBuffer, dim3 gridDimension, dim3 blockDimension,
                                        unsigned sharedMemSize, cudaStream_t stream);
__device__ cudaError_t cudaLaunchDeviceV2(void *parameterBuffer, cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}

#endif
