/* CUB's histogram as a peer, and the making of samples on the device. */
#include <cub/device/device_histogram.cuh>
#include "peers.h"

static __device__ uint64_t mix(uint64_t z) {
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static __device__ uint32_t bin_of(uint64_t i, uint64_t n, uint32_t bins, int style) {
    uint64_t r = mix(i);
    if (style == 0) return (uint32_t)((r >> 32) * bins >> 32);
    if (style == 1) return bins / 2;
    if (style == 3) return (uint32_t)((double)i / (double)n * bins);
    double v = (double)(r & 0xffffff) * (double)(r >> 24 & 0xffffff) * (double)(r >> 48 & 0xff);
    return (uint32_t)(v / (16777216.0 * 16777216.0 * 256.0) * bins);
}

__global__ void samples_kernel(int32_t *s, int64_t n, uint32_t bins, int style) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        s[i] = (int32_t)bin_of((uint64_t)i, (uint64_t)n, bins, style);
    }
}

__global__ void bytes_kernel(uint8_t *s, int64_t n, int style) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        s[i] = (uint8_t)bin_of((uint64_t)i, (uint64_t)n, 256, style);
    }
}

__global__ void real_kernel(void *s, int64_t n, int wide) {
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        uint64_t r = mix((uint64_t)i);
        if (wide) ((double *)s)[i] = (double)(r >> 11) * 0x1p-53;
        else ((float *)s)[i] = (float)(r >> 40) * 0x1p-24f;
    }
}

extern "C" int bench_samples(void *samples, int64_t n, uint32_t bins, int style, cudaStream_t stream) {
    samples_kernel<<<2048, 256, 0, stream>>>((int32_t *)samples, n, bins, style);
    return (int)cudaGetLastError();
}

extern "C" int bench_samples_bytes(void *samples, int64_t n, int style, cudaStream_t stream) {
    bytes_kernel<<<2048, 256, 0, stream>>>((uint8_t *)samples, n, style);
    return (int)cudaGetLastError();
}

extern "C" int bench_samples_real(void *samples, int64_t n, int wide, cudaStream_t stream) {
    real_kernel<<<2048, 256, 0, stream>>>(samples, n, wide);
    return (int)cudaGetLastError();
}

extern "C" int peer_cub_hist(void *temp, size_t temp_bytes, const void *samples, void *counts, int bins, int64_t n,
                             cudaStream_t stream) {
    size_t need = 0;
    cudaError_t e = cub::DeviceHistogram::HistogramEven((void *)0, need, (const int *)samples, (int *)counts, bins + 1, 0,
                                                        bins, (int)n, stream);
    if (e == cudaSuccess && need > temp_bytes) return (int)cudaErrorMemoryAllocation;
    if (e == cudaSuccess) {
        e = cub::DeviceHistogram::HistogramEven(temp, need, (const int *)samples, (int *)counts, bins + 1, 0, bins, (int)n,
                                                stream);
    }
    return (int)e;
}
