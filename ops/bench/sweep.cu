/*
 * The denominators: plain copies and reads over vector width, loads in flight, grid and cache hint, and the filling of
 * buffers with random bytes.
 */
#include <cuda_runtime.h>
#include "bench.h"

__global__ void fill_kernel(uint4 *p, size_t n, uint64_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t x[2];
        for (int k = 0; k < 2; k++) { /* splitmix64 of the position */
            uint64_t z = seed + (2 * i + k + 1) * 0x9e3779b97f4a7c15u;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            x[k] = z ^ z >> 31;
        }
        p[i] = make_uint4((uint32_t)x[0], (uint32_t)(x[0] >> 32), (uint32_t)x[1], (uint32_t)(x[1] >> 32));
    }
}

template <int HINT> static __device__ __forceinline__ uint4 load(const uint4 *p) { return HINT ? __ldcs(p) : __ldg(p); }

template <int HINT> static __device__ __forceinline__ void store(uint4 *p, uint4 v)
{
    if (HINT) __stcs(p, v);
    else *p = v;
}

/* FLIGHT vectors per thread and step; one step per block unless the grid is fixed. */
template <int FLIGHT, int HINT> __global__ void copy_kernel(uint4 *dst, const uint4 *src, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x * FLIGHT;
    for (size_t base = (size_t)blockIdx.x * blockDim.x * FLIGHT + threadIdx.x; base < n; base += step) {
        uint4 v[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) {
            if (base + (size_t)k * blockDim.x < n) v[k] = load<HINT>(src + base + (size_t)k * blockDim.x);
        }
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) {
            if (base + (size_t)k * blockDim.x < n) store<HINT>(dst + base + (size_t)k * blockDim.x, v[k]);
        }
    }
}

template <int FLIGHT, int HINT> __global__ void read_kernel(uint4 *sink, const uint4 *src, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x * FLIGHT;
    uint32_t all = 0;
    for (size_t base = (size_t)blockIdx.x * blockDim.x * FLIGHT + threadIdx.x; base < n; base += step) {
        uint4 v[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) {
            if (base + (size_t)k * blockDim.x < n) v[k] = load<HINT>(src + base + (size_t)k * blockDim.x);
            else v[k] = make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int k = 0; k < FLIGHT; k++) all ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    if (all == 0x12345678) sink[0].x = all; /* keeps the loads */
}

typedef void (*sweep_fn)(uint4 *, const uint4 *, size_t);
typedef struct sweep_entry {
    const char *name;
    sweep_fn fn;
    int flight, threads, blocks_per_sm; /* 0: as many blocks as the size needs */
} sweep_entry;

static const sweep_entry copies[] = {
    {"copy 1x16B", copy_kernel<1, 0>, 1, 512, 0},
    {"copy 2x16B", copy_kernel<2, 0>, 2, 512, 0},
    {"copy 4x16B", copy_kernel<4, 0>, 4, 256, 0},
    {"copy 4x16B stream", copy_kernel<4, 1>, 4, 256, 0},
    {"copy 2x16B stream", copy_kernel<2, 1>, 2, 512, 0},
    {"copy 8x16B", copy_kernel<8, 0>, 8, 128, 0},
    {"copy 4x16B grid 4/SM", copy_kernel<4, 0>, 4, 512, 4},
    {"copy 4x16B stream grid 2/SM", copy_kernel<4, 1>, 4, 1024, 2},
};
static const sweep_entry reads[] = {
    {"read 4x16B grid 2/SM", read_kernel<4, 1>, 4, 1024, 2},
    {"read 4x16B grid 8/SM", read_kernel<4, 1>, 4, 256, 8},
    {"read 8x16B grid 4/SM", read_kernel<8, 1>, 8, 512, 4},
    {"read 4x16B", read_kernel<4, 0>, 4, 256, 0},
    {"read 8x16B", read_kernel<8, 1>, 8, 256, 0},
    {"read 4x16B grid 1/SM", read_kernel<4, 1>, 4, 1024, 1},
};

static int run(const sweep_entry *e, void *dst, const void *src, size_t bytes, cudaStream_t stream)
{
    size_t n = bytes / 16, per = (size_t)e->flight * e->threads, blocks = (n + per - 1) / per;
    int sms = 132, device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (e->blocks_per_sm && blocks > (size_t)sms * e->blocks_per_sm) blocks = (size_t)sms * e->blocks_per_sm;
    void *args[] = {&dst, (void *)&src, &n};
    return (int)cudaLaunchKernel((const void *)e->fn, dim3((unsigned)blocks), dim3(e->threads), args, 0, stream);
}

extern "C" int bench_copies(void) { return (int)(sizeof copies / sizeof copies[0]); }
extern "C" int bench_reads(void) { return (int)(sizeof reads / sizeof reads[0]); }
extern "C" const char *bench_copy_name(int i) { return copies[i].name; }
extern "C" const char *bench_read_name(int i) { return reads[i].name; }

extern "C" int bench_copy(int i, void *dst, const void *src, size_t bytes, cudaStream_t stream)
{
    return run(&copies[i], dst, src, bytes, stream);
}

extern "C" int bench_read(int i, void *sink, const void *src, size_t bytes, cudaStream_t stream)
{
    return run(&reads[i], sink, src, bytes, stream);
}

extern "C" int bench_fill(void *p, size_t bytes, uint64_t seed, cudaStream_t stream)
{
    fill_kernel<<<1056, 512, 0, stream>>>((uint4 *)p, bytes / 16, seed);
    return (int)cudaGetLastError();
}

#define EMPTY(bytes)                                                                                                   \
    typedef struct parameters_##bytes {                                                                                \
        char c[bytes];                                                                                                 \
    } parameters_##bytes;                                                                                              \
    __global__ void empty_##bytes(parameters_##bytes p) { (void)p; }
EMPTY(128)
EMPTY(256)
EMPTY(512)
EMPTY(1024)
EMPTY(2048)
EMPTY(4000)

extern "C" int bench_empty(int bytes, cudaStream_t stream)
{
    static const parameters_4000 p = {{0}};
    void *args[] = {(void *)&p};
    const void *fn = bytes <= 128    ? (const void *)empty_128
                     : bytes <= 256  ? (const void *)empty_256
                     : bytes <= 512  ? (const void *)empty_512
                     : bytes <= 1024 ? (const void *)empty_1024
                     : bytes <= 2048 ? (const void *)empty_2048
                                     : (const void *)empty_4000;
    return (int)cudaLaunchKernel(fn, dim3(1), dim3(256), args, 0, stream);
}
