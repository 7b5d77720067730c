/*
 * Helpers of the kernels: 16-byte vectors, funnel shifts, division by launch constants, launching.
 * Kernels take one struct by value, so that one typed table of kernels serves all their variants.
 */
#ifndef LW_OPS_KERNEL_CUH
#define LW_OPS_KERNEL_CUH

#include <cuda_runtime.h>
#include "common/base.h"

#define LW_DEV static __device__ __forceinline__

#ifndef LW_LAUNCH
/* The launch returns its own error: the thread's last error is not read. */
#define LW_LAUNCH(fn, grid, block, shared, stream, params)                                                             \
    lw_launch_kernel((const void *)(fn), (grid), (block), (shared), (stream), (params))
static inline int lw_launch_kernel(const void *fn, unsigned grid, unsigned block, size_t shared, lw_stream stream,
                                   const void *params)
{
    void *args[1] = {(void *)params};
    return (int)cudaLaunchKernel(fn, dim3(grid), dim3(block), args, shared, stream);
}
#define LW_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#endif

/* B bytes that move at once. */
template <int B> struct vec;
template <> struct vec<1> {
    typedef unsigned char t;
};
template <> struct vec<2> {
    typedef uint16_t t;
};
template <> struct vec<4> {
    typedef uint32_t t;
};
template <> struct vec<8> {
    typedef uint2 t;
};
template <> struct vec<16> {
    typedef uint4 t;
};

LW_DEV uint32_t fdiv(uint32_t n, lw_fdiv f) { return (__umulhi(n, f.m) + n) >> f.s; }

/* Cache hints are compared by the tuning program (bench/tune_tile.cu); EXPERIMENTS.md has the outcome. */
LW_DEV uint4 load16(const char *p)
{
#ifdef LW_TUNE_HINT
    return __ldcs((const uint4 *)p);
#else
    return *(const uint4 *)p;
#endif
}

/*
 * The same for pieces of rows that do not end where lines of memory do: the aligned 256 bytes around are fetched into
 * L2 as well, as the neighbours' pieces are next. A hint: nothing of it is read.
 */
LW_DEV uint4 load16_near(const char *p)
{
#if __CUDA_ARCH__ >= 800
    uint4 v;
    asm volatile("ld.global.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
#else
    return load16(p);
#endif
}

template <bool NEAR> LW_DEV uint4 load16_as(const char *p) { return NEAR ? load16_near(p) : load16(p); }

LW_DEV void store16(char *p, uint4 v)
{
#ifdef LW_TUNE_HINT
    __stcs((uint4 *)p, v);
#else
    *(uint4 *)p = v;
#endif
}

/* Bytes shift..shift+15 of the 32 bytes lo, hi; shift 0..15. */
LW_DEV uint4 shift32(uint4 lo, uint4 hi, uint32_t shift)
{
    uint32_t w0 = lo.x, w1 = lo.y, w2 = lo.z, w3 = lo.w, w4 = hi.x, w5 = hi.y, w6 = hi.z, w7 = hi.w;
    if (shift & 8) {
        w0 = w2;
        w1 = w3;
        w2 = w4;
        w3 = w5;
        w4 = w6;
        w5 = w7;
    }
    if (shift & 4) {
        w0 = w1;
        w1 = w2;
        w2 = w3;
        w3 = w4;
        w4 = w5;
    }
    uint32_t bits = (shift & 3) * 8;
    return make_uint4(__funnelshift_r(w0, w1, bits), __funnelshift_r(w1, w2, bits), __funnelshift_r(w2, w3, bits),
                      __funnelshift_r(w3, w4, bits));
}

/* 16 bytes at any address aligned to gran, by loads of that size. */
LW_DEV uint4 load16_slow(const char *p, uint32_t gran)
{
    uint32_t w[4];
    if (gran >= 4) {
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = ((const uint32_t *)p)[i];
    } else if (gran == 2) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            w[i] = ((const uint16_t *)p)[2 * i] | (uint32_t)((const uint16_t *)p)[2 * i + 1] << 16;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned char *b = (const unsigned char *)p + 4 * i;
            w[i] = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        }
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/*
 * 16 bytes at any address: two aligned vectors and a shift where both lie inside lo..hi, small loads elsewhere. lo..hi
 * is the tensor's range from its first to its last byte: the bytes before and after p that come along are not used.
 */
template <bool NEAR = false> LW_DEV uint4 load16_any(const char *p, const char *lo, const char *hi, uint32_t gran)
{
    uint32_t shift = (uint32_t)(uintptr_t)p & 15;
    const char *a = p - shift;
    if (shift == 0) return load16_as<NEAR>(p);
    if (a >= lo && a + 32 <= hi) return shift32(load16_as<NEAR>(a), load16_as<NEAR>(a + 16), shift);
    return load16_slow(p, gran);
}

LW_DEV void copy_small(char *dst, const char *src, uint32_t bytes)
{
    if (bytes == 8) *(uint2 *)dst = *(const uint2 *)src;
    else if (bytes == 4) *(uint32_t *)dst = *(const uint32_t *)src;
    else if (bytes == 2) *(uint16_t *)dst = *(const uint16_t *)src;
    else *dst = *src;
}

/* Reverses the elements of E bytes inside 16 bytes. */
template <int E> LW_DEV uint4 reverse16(uint4 v)
{
    if (E == 16) return v;
    if (E == 8) return make_uint4(v.z, v.w, v.x, v.y);
    if (E == 4) return make_uint4(v.w, v.z, v.y, v.x);
    uint32_t sel = E == 2 ? 0x1032 : 0x0123;
    return make_uint4(__byte_perm(v.w, 0, sel), __byte_perm(v.z, 0, sel), __byte_perm(v.y, 0, sel),
                      __byte_perm(v.x, 0, sel));
}

/* Start of the block's outer index in both tensors. */
LW_DEV void outer_decode(const lw_outer &o, uint32_t index, int64_t *in, int64_t *out)
{
    int64_t a = 0, b = 0;
    for (int i = 0; i < o.dims; i++) {
        uint32_t q = i + 1 < o.dims ? fdiv(index, o.div[i]) : 0;
        uint32_t c = index - q * o.div[i].d;
        a += (int64_t)c * o.in[i];
        b += (int64_t)c * o.out[i];
        index = q;
    }
    *in += a;
    *out += b;
}

#endif
