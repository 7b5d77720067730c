/*
 * What the tests of large sizes know about a buffer: byte x holds the top byte of x * C, C odd, so that a place that is
 * wrong by any power of two, 2^32 included, is seen. Indices are 64 bits wide and worked out by plain divisions,
 * nothing of the library is used.
 */
#include "large.h"

static __device__ unsigned char byte_at(int64_t x) { return (unsigned char)((uint64_t)x * 0x9e3779b97f4a7c15u >> 56); }

static __global__ void fill_kernel(unsigned char *p, int64_t bytes)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < bytes; i += step) p[i] = byte_at(i);
}

static __global__ void index_kernel(int32_t *index, int64_t count, int64_t mul, int64_t rows)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < count; i += step) {
        index[i] = (int32_t)(i * mul % rows);
    }
}

static __device__ bool right(const large_check *c, const unsigned char *out, int64_t src)
{
    if (c->mode == LARGE_FLOAT) return *(const float *)out == (float)byte_at(src);
    for (int b = 0; b < c->elem; b++) {
        if (out[b] != (c->mode == LARGE_CONSTANT ? c->constant : byte_at(src + b))) return false;
    }
    return true;
}

static __global__ void check_kernel(large_check c, int64_t total, unsigned long long *wrong)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < total; e += step) {
        int64_t rest = e, out = c.out_base, src = c.src_base;
        for (int d = LARGE_RANK - 1; d >= 0; d--) {
            int64_t i = rest % c.extent[d];
            rest /= c.extent[d];
            out += (d == 0 && c.out_mul ? i * c.out_mul % c.extent[0] : i) * c.out_stride[d];
            src += (d == 0 && c.src_mul ? i * c.src_mul % c.extent[0] : i) * c.src_stride[d];
        }
        if (!right(&c, c.out + out, src)) atomicAdd(wrong, 1ull);
    }
}

static unsigned blocks(int64_t n)
{
    int64_t b = (n + 255) / 256;
    return b < 1 ? 1 : b > 8192 ? 8192 : (unsigned)b;
}

extern "C" int large_fill(void *p, int64_t bytes, cudaStream_t stream)
{
    fill_kernel<<<blocks(bytes), 256, 0, stream>>>((unsigned char *)p, bytes);
    return (int)cudaGetLastError();
}

extern "C" int large_index(int32_t *index, int64_t count, int64_t mul, int64_t rows, cudaStream_t stream)
{
    index_kernel<<<blocks(count), 256, 0, stream>>>(index, count, mul, rows);
    return (int)cudaGetLastError();
}

extern "C" int64_t large_wrong(const large_check *check, cudaStream_t stream)
{
    unsigned long long *wrong = NULL, result = 0;
    int64_t total = 1;
    for (int d = 0; d < LARGE_RANK; d++) total *= check->extent[d];
    if (!total) return 0;
    int e = (int)cudaMalloc((void **)&wrong, sizeof *wrong);
    if (!e) e = (int)cudaMemsetAsync(wrong, 0, sizeof *wrong, stream);
    if (!e) {
        check_kernel<<<blocks(total), 256, 0, stream>>>(*check, total, wrong);
        e = (int)cudaGetLastError();
    }
    if (!e) e = (int)cudaMemcpyAsync(&result, wrong, sizeof result, cudaMemcpyDeviceToHost, stream);
    if (!e) e = (int)cudaStreamSynchronize(stream);
    cudaFree(wrong);
    return e ? -(int64_t)e : (int64_t)result;
}
