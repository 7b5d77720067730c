/* CUB's histograms and Thrust's reversals as peers, and the making of samples on the device. */
#include <cub/device/device_histogram.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reverse.h>
#include "lanewise/ops.h"
#include "peers.h"

static __device__ uint64_t mix(uint64_t z)
{
    z = (z + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static __device__ uint32_t bin_of(uint64_t i, uint64_t n, uint32_t bins, int style)
{
    uint64_t r = mix(i);
    if (style == 0) return (uint32_t)((r >> 32) * bins >> 32);
    if (style == 1) return bins / 2;
    if (style == 3) return (uint32_t)((double)i / (double)n * bins);
    double v = (double)(r & 0xffffff) * (double)(r >> 24 & 0xffffff) * (double)(r >> 48 & 0xff);
    return (uint32_t)(v / (16777216.0 * 16777216.0 * 256.0) * bins);
}

__global__ void samples_kernel(int32_t *s, int64_t n, uint32_t bins, int style)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        s[i] = (int32_t)bin_of((uint64_t)i, (uint64_t)n, bins, style);
    }
}

__global__ void bytes_kernel(uint8_t *s, int64_t n, int style)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        s[i] = (uint8_t)bin_of((uint64_t)i, (uint64_t)n, 256, style);
    }
}

__global__ void real_kernel(void *s, int64_t n, int wide)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        uint64_t r = mix((uint64_t)i);
        if (wide) ((double *)s)[i] = (double)(r >> 11) * 0x1p-53;
        else ((float *)s)[i] = (float)(r >> 40) * 0x1p-24f;
    }
}

extern "C" int bench_samples(void *samples, int64_t n, uint32_t bins, int style, cudaStream_t stream)
{
    samples_kernel<<<2048, 256, 0, stream>>>((int32_t *)samples, n, bins, style);
    return (int)cudaGetLastError();
}

extern "C" int bench_samples_bytes(void *samples, int64_t n, int style, cudaStream_t stream)
{
    bytes_kernel<<<2048, 256, 0, stream>>>((uint8_t *)samples, n, style);
    return (int)cudaGetLastError();
}

extern "C" int bench_samples_real(void *samples, int64_t n, int wide, cudaStream_t stream)
{
    real_kernel<<<2048, 256, 0, stream>>>(samples, n, wide);
    return (int)cudaGetLastError();
}

template <typename T> static int cub_even(void *temp, size_t temp_bytes, const void *samples, void *counts, int bins,
                                          double lo, double hi, int64_t n, cudaStream_t stream)
{
    size_t need = 0;
    typedef cub::DeviceHistogram h;
    cudaError_t e =
        h::HistogramEven((void *)0, need, (const T *)samples, (int *)counts, bins + 1, (T)lo, (T)hi, (int)n, stream);
    if (e == cudaSuccess && need > temp_bytes) return (int)cudaErrorMemoryAllocation;
    if (e == cudaSuccess) {
        e = h::HistogramEven(temp, need, (const T *)samples, (int *)counts, bins + 1, (T)lo, (T)hi, (int)n, stream);
    }
    return (int)e;
}

static int cub_even_bytes(void *temp, size_t temp_bytes, const void *samples, void *counts, int bins, int64_t n,
                          cudaStream_t stream)
{
    size_t need = 0;
    typedef cub::DeviceHistogram h;
    const uint8_t *s = (const uint8_t *)samples;
    cudaError_t e = h::HistogramEven((void *)0, need, s, (int *)counts, bins + 1, 0, bins, (int)n, stream);
    if (e == cudaSuccess && need > temp_bytes) return (int)cudaErrorMemoryAllocation;
    if (e == cudaSuccess) e = h::HistogramEven(temp, need, s, (int *)counts, bins + 1, 0, bins, (int)n, stream);
    return (int)e;
}

template <typename T> static int cub_range(void *temp, size_t temp_bytes, const void *samples, void *counts,
                                           const void *edges, int bins, int64_t n, cudaStream_t stream)
{
    size_t need = 0;
    typedef cub::DeviceHistogram h;
    cudaError_t e = h::HistogramRange((void *)0, need, (const T *)samples, (int *)counts, bins + 1, (const T *)edges,
                                      (int)n, stream);
    if (e == cudaSuccess && need > temp_bytes) return (int)cudaErrorMemoryAllocation;
    if (e == cudaSuccess) {
        e = h::HistogramRange(temp, need, (const T *)samples, (int *)counts, bins + 1, (const T *)edges, (int)n,
                              stream);
    }
    return (int)e;
}

extern "C" int peer_cub_hist(int type, void *temp, size_t temp_bytes, const void *samples, void *counts,
                             const void *edges, int bins, double lo, double hi, int64_t n, cudaStream_t stream)
{
    switch (type) {
    case LW_U8: /* its levels are of another type than the samples: 256 does not fit into a byte */
        return cub_even_bytes(temp, temp_bytes, samples, counts, bins, n, stream);
    case LW_I32: return cub_even<int>(temp, temp_bytes, samples, counts, bins, lo, hi, n, stream);
    case LW_F32:
        return edges ? cub_range<float>(temp, temp_bytes, samples, counts, edges, bins, n, stream)
                     : cub_even<float>(temp, temp_bytes, samples, counts, bins, lo, hi, n, stream);
    default:
        return edges ? cub_range<double>(temp, temp_bytes, samples, counts, edges, bins, n, stream)
                     : cub_even<double>(temp, temp_bytes, samples, counts, bins, lo, hi, n, stream);
    }
}

template <typename T> static int thrust_reverse(void *out, const void *in, int64_t n, cudaStream_t stream)
{
    try {
        if (out == in) thrust::reverse(thrust::cuda::par_nosync.on(stream), (T *)out, (T *)out + n);
        else thrust::reverse_copy(thrust::cuda::par_nosync.on(stream), (const T *)in, (const T *)in + n, (T *)out);
    } catch (...) {
        return (int)cudaErrorUnknown;
    }
    return (int)cudaGetLastError();
}

extern "C" int peer_thrust_reverse(void *out, const void *in, int64_t n, int elem, cudaStream_t stream)
{
    switch (elem) {
    case 1: return thrust_reverse<uint8_t>(out, in, n, stream);
    case 2: return thrust_reverse<uint16_t>(out, in, n, stream);
    case 4: return thrust_reverse<uint32_t>(out, in, n, stream);
    case 8: return thrust_reverse<uint64_t>(out, in, n, stream);
    default: return thrust_reverse<uint4>(out, in, n, stream);
    }
}
