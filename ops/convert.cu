/*
 * Copies that change elements on the way: another type, another byte order, the conjugate of complex pairs; and filling
 * with a constant. Any order of dimensions: where both sides have the same contiguous dimension, runs of it are read
 * and written straight; where they differ, 32 x 32 tiles in shared memory turn one into the other. Types are switched
 * at run time (every thread takes the same way); arithmetic is in f32, in f64 only where a side has it, so that every
 * value is rounded once.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "kernel.cuh"

#define PER_THREAD 4
#define TILE 32

typedef void (*convert_fn)(const lw_convert_params);

LW_DEV uint64_t load_bits(const char *p, int bytes) {
    if (bytes == 1) return *(const uint8_t *)p;
    if (bytes == 2) return *(const uint16_t *)p;
    if (bytes == 4) return *(const uint32_t *)p;
    return *(const uint64_t *)p;
}

LW_DEV void store_bits(char *p, uint64_t v, int bytes) {
    if (bytes == 1) *(uint8_t *)p = (uint8_t)v;
    else if (bytes == 2) *(uint16_t *)p = (uint16_t)v;
    else if (bytes == 4) *(uint32_t *)p = (uint32_t)v;
    else *(uint64_t *)p = v;
}

LW_DEV uint64_t swap_bytes(uint64_t v, int bytes) {
    uint32_t lo = __byte_perm((uint32_t)v, 0, 0x0123), hi = __byte_perm((uint32_t)(v >> 32), 0, 0x0123);
    if (bytes == 8) return (uint64_t)lo << 32 | hi;
    return lo >> (32 - 8 * bytes);
}

template <typename F> LW_DEV F decode(uint64_t v, int type) {
    switch (type) {
    case LW_U8: return (F)(uint8_t)v;
    case LW_I8: return (F)(int8_t)v;
    case LW_F16: return (F)__half2float(__ushort_as_half((unsigned short)v));
    case LW_BF16: return (F)__uint_as_float((uint32_t)v << 16);
    case LW_F8E4M3: return (F)__half2float(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, __NV_E4M3)));
    case LW_F8E5M2: return (F)__half2float(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, __NV_E5M2)));
    case LW_F64: return (F)__longlong_as_double((long long)v);
    default: return (F)__uint_as_float((uint32_t)v);
    }
}

LW_DEV uint64_t whole(double v, double lo, double hi) {
    return v != v ? 0 : (uint64_t)(int64_t)__double2int_rn(fmin(fmax(v, lo), hi));
}

LW_DEV uint64_t whole(float v, float lo, float hi) {
    return v != v ? 0 : (uint64_t)(int64_t)__float2int_rn(fminf(fmaxf(v, lo), hi));
}

LW_DEV uint64_t to_half(float v) { return __half_as_ushort(__float2half_rn(v)); }
LW_DEV uint64_t to_half(double v) { return __half_as_ushort(__double2half(v)); }
LW_DEV uint64_t to_bf16(float v) { return __bfloat16_as_ushort(__float2bfloat16_rn(v)); }
LW_DEV uint64_t to_bf16(double v) { return __bfloat16_as_ushort(__double2bfloat16(v)); }
LW_DEV uint64_t to_fp8(float v, __nv_fp8_interpretation_t k) { return __nv_cvt_float_to_fp8(v, __NV_SATFINITE, k); }
LW_DEV uint64_t to_fp8(double v, __nv_fp8_interpretation_t k) { return __nv_cvt_double_to_fp8(v, __NV_SATFINITE, k); }

template <typename F> LW_DEV uint64_t encode(F v, int type) {
    switch (type) {
    case LW_U8: return whole(v, (F)0, (F)255);
    case LW_I8: return whole(v, (F)-128, (F)127);
    case LW_F16: return to_half(v);
    case LW_BF16: return to_bf16(v);
    case LW_F8E4M3: return to_fp8(v, __NV_E4M3);
    case LW_F8E5M2: return to_fp8(v, __NV_E5M2);
    case LW_F64: return (uint64_t)__double_as_longlong((double)v);
    default: return __float_as_uint((float)v);
    }
}

/* Component c of an element; F void: the bits stay, but for the order of bytes and the sign. */
template <typename F> LW_DEV uint64_t change(const lw_convert_params &p, const char *at, int c) {
    uint64_t v = load_bits(at + c * p.in_bytes, p.in_bytes);
    if (p.swap_in) v = swap_bytes(v, p.in_bytes);
    if constexpr (sizeof(F) == 1) {
        if (c && p.conjugate) v ^= 1ull << (8 * p.in_bytes - 1);
    } else {
        F x = decode<F>(v, p.in_type);
        v = encode<F>(c && p.conjugate ? -x : x, p.out_type);
    }
    return p.swap_out ? swap_bytes(v, p.out_bytes) : v;
}

template <typename F> __global__ void __launch_bounds__(LW_BLOCK) straight_kernel(const lw_convert_params p) {
    uint32_t row0, count, n0 = p.width.d;
    int64_t skip = 0;
    if (p.rows_per_block) {
        row0 = blockIdx.x * p.rows_per_block;
        count = min(p.rows_per_block, p.rows - row0) * n0;
    } else {
        row0 = fdiv(blockIdx.x, p.col_tiles);
        skip = (int64_t)(blockIdx.x - row0 * p.col_tiles.d) * (LW_BLOCK * PER_THREAD);
        count = (uint32_t)min(p.n0 - skip, (int64_t)(LW_BLOCK * PER_THREAD));
    }
    for (uint32_t first = threadIdx.x; first < count; first += LW_BLOCK * PER_THREAD) {
        #pragma unroll
        for (int k = 0; k < PER_THREAD; k++) {
            uint32_t e = first + k * LW_BLOCK, row = p.rows_per_block ? fdiv(e, p.width) : 0;
            int64_t x = skip + (e - row * n0 * (p.rows_per_block != 0)), in = 0, out = 0;
            if (e >= count) continue;
            outer_decode(p.outer, row0 + row, &in, &out);
            for (int c = 0; c < p.parts; c++) {
                store_bits(p.out + out + x * p.out0 + c * p.out_bytes, change<F>(p, p.in + in + x * p.in0, c),
                           p.out_bytes);
            }
        }
    }
}

/* Dimension 0 is contiguous in the output, dimension 1 (of n1) in the input. */
template <typename F> __global__ void __launch_bounds__(LW_BLOCK) turned_kernel(const lw_convert_params p) {
    __shared__ uint64_t tile[2][TILE][TILE + 1];
    uint32_t q1 = fdiv(blockIdx.x, p.col_tiles), q2 = fdiv(q1, p.row_tiles), lane = threadIdx.x & 31;
    int64_t x0 = (int64_t)(blockIdx.x - q1 * p.col_tiles.d) * TILE, y0 = (int64_t)(q1 - q2 * p.row_tiles.d) * TILE,
            in = 0, out = 0;
    outer_decode(p.outer, q2, &in, &out);
    for (int r = threadIdx.x >> 5; r < TILE; r += LW_BLOCK / 32) {
        if (x0 + r >= p.n0 || y0 + lane >= p.n1) continue;
        const char *at = p.in + in + (x0 + r) * p.in0 + (y0 + lane) * p.in1;
        for (int c = 0; c < p.parts; c++) tile[c][r][lane] = change<F>(p, at, c);
    }
    __syncthreads();
    for (int r = threadIdx.x >> 5; r < TILE; r += LW_BLOCK / 32) {
        if (x0 + lane >= p.n0 || y0 + r >= p.n1) continue;
        char *at = p.out + out + (x0 + lane) * p.out0 + (y0 + r) * p.out1;
        for (int c = 0; c < p.parts; c++) store_bits(at + c * p.out_bytes, tile[c][lane][r], p.out_bytes);
    }
}

/* Rows of `n0` pieces of V bytes with a repeating pattern. */
template <int V> __global__ void __launch_bounds__(LW_BLOCK) fill_kernel(const lw_fill_params p) {
    uint32_t row0 = p.rows_per_block ? blockIdx.x * p.rows_per_block : fdiv(blockIdx.x, p.parts);
    int64_t skip = p.rows_per_block ? 0 : (int64_t)(blockIdx.x - row0 * p.parts.d) * (LW_BLOCK * PER_THREAD), in, out;
    uint32_t count = p.rows_per_block ? min(p.rows_per_block, p.rows - row0) * p.width.d
                                      : (uint32_t)min(p.n0 - skip, (int64_t)(LW_BLOCK * PER_THREAD));
    for (uint32_t e = threadIdx.x; e < count; e += LW_BLOCK) {
        uint32_t row = p.rows_per_block ? fdiv(e, p.width) : 0;
        int64_t x = skip + (e - row * p.width.d * (p.rows_per_block != 0));
        uint32_t from = V >= p.elem ? 0 : (uint32_t)(x * V % p.elem);
        in = out = 0;
        outer_decode(p.outer, row0 + row, &in, &out);
        if (V == 16) store16(p.out + out + x * 16, *(const uint4 *)(p.pattern + from));
        else copy_small(p.out + out + x * V, (const char *)p.pattern + from, V);
    }
}

static const convert_fn table[2][3] = {
    { straight_kernel<char>, straight_kernel<float>, straight_kernel<double> },
    { turned_kernel<char>, turned_kernel<float>, turned_kernel<double> },
};
typedef void (*fill_fn)(const lw_fill_params);
static const fill_fn fills[5] = { fill_kernel<1>, fill_kernel<2>, fill_kernel<4>, fill_kernel<8>, fill_kernel<16> };

extern "C" int lw_convert_launch(const lw_convert_params *p, int turned, int arithmetic, uint32_t grid,
                                 lw_stream stream) {
    return LW_LAUNCH(table[turned][arithmetic], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_fill_launch(const lw_fill_params *p, int vec, uint32_t grid, lw_stream stream) {
    return LW_LAUNCH(fills[vec == 1   ? 0
                           : vec == 2 ? 1
                           : vec == 4 ? 2
                           : vec == 8 ? 3
                                      : 4],
                     grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_convert_setup(void) {
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 6 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)table[i / 3][i % 3]);
    for (int i = 0; i < 5 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)fills[i]);
    return (int)e;
}
