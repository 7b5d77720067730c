/*
 * Copies that change elements on the way: another type, another byte order, the conjugate of complex pairs; and filling
 * with a constant. Any order of dimensions: where both sides have the same contiguous dimension, runs of it are read
 * and written straight, as vectors where addresses allow ("dense"); where they differ, 32 x 32 tiles in shared memory
 * turn one into the other. Types are switched at run time (every thread takes the same way); arithmetic is in f32, in
 * f64 only where a side has it, so that every value is rounded once.
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

/* ---- dense: vectors of G values, 16 bytes on the wider side ---- */

#define DENSE_VECTORS(group) ((group) >= 8 ? 2 : 4) /* of a thread, all on their way at once */

template <int B> struct packed {
    uint32_t w[B < 4 ? 1 : B / 4];
};

template <int B> LW_DEV packed<B> load_packed(const char *p) {
    packed<B> r;
    if constexpr (B == 16) *(uint4 *)r.w = *(const uint4 *)p;
    else if constexpr (B == 8) *(uint2 *)r.w = *(const uint2 *)p;
    else if constexpr (B == 4) r.w[0] = *(const uint32_t *)p;
    else r.w[0] = *(const uint16_t *)p;
    return r;
}

template <int B> LW_DEV void store_packed(char *p, const packed<B> &v) {
    if constexpr (B == 16) *(uint4 *)p = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]);
    else if constexpr (B == 8) *(uint2 *)p = make_uint2(v.w[0], v.w[1]);
    else if constexpr (B == 4) *(uint32_t *)p = v.w[0];
    else *(uint16_t *)p = (uint16_t)v.w[0];
}

/* Value j, of S bytes. */
template <int S, int B> LW_DEV uint64_t unpack(const packed<B> &v, int j) {
    if constexpr (S == 8) return (uint64_t)v.w[2 * j + 1] << 32 | v.w[2 * j];
    else if constexpr (S == 4) return v.w[j];
    else return v.w[j * S / 4] >> (j * S % 4 * 8) & ((1u << (8 * S)) - 1);
}

template <int S, int B> LW_DEV void pack(packed<B> *v, int j, uint64_t x) {
    if constexpr (S == 8) {
        v->w[2 * j] = (uint32_t)x;
        v->w[2 * j + 1] = (uint32_t)(x >> 32);
    } else if constexpr (S == 4) {
        v->w[j] = (uint32_t)x;
    } else {
        uint32_t low = (uint32_t)x & ((1u << (8 * S)) - 1);
        v->w[j * S / 4] = j * S % 4 ? v->w[j * S / 4] | low << (j * S % 4 * 8) : low;
    }
}

/* One type of all values: the switch stands outside. Only bits (F of one byte) are swapped and conjugated here. */
template <typename F, int IN, int OUT, int G, int FROM, int TO>
LW_DEV void change_as(const lw_convert_params &p, const packed<IN * G> &in, packed<OUT * G> *out) {
    #pragma unroll
    for (int j = 0; j < G; j++) {
        uint64_t v = unpack<IN>(in, j);
        if constexpr (sizeof(F) == 1) {
            if (p.swap_in) v = swap_bytes(v, IN);
            if ((j & 1) && p.conjugate) v ^= 1ull << (8 * IN - 1);
            if (p.swap_out) v = swap_bytes(v, OUT);
        } else {
            v = encode<F>(decode<F>(v, FROM), TO);
        }
        pack<OUT>(out, j, v);
    }
}

template <typename F, int IN, int OUT, int G, int FROM>
LW_DEV void change_to(const lw_convert_params &p, const packed<IN * G> &in, packed<OUT * G> *out) {
    if constexpr (sizeof(F) == 1 || OUT == 4) change_as<F, IN, OUT, G, FROM, LW_F32>(p, in, out);
    else if constexpr (OUT == 8) change_as<F, IN, OUT, G, FROM, LW_F64>(p, in, out);
    else if constexpr (OUT == 2) {
        if (p.out_type == LW_F16) change_as<F, IN, OUT, G, FROM, LW_F16>(p, in, out);
        else change_as<F, IN, OUT, G, FROM, LW_BF16>(p, in, out);
    } else {
        if (p.out_type == LW_U8) change_as<F, IN, OUT, G, FROM, LW_U8>(p, in, out);
        else if (p.out_type == LW_I8) change_as<F, IN, OUT, G, FROM, LW_I8>(p, in, out);
        else if (p.out_type == LW_F8E4M3) change_as<F, IN, OUT, G, FROM, LW_F8E4M3>(p, in, out);
        else change_as<F, IN, OUT, G, FROM, LW_F8E5M2>(p, in, out);
    }
}

template <typename F, int IN, int OUT, int G>
LW_DEV void change_all(const lw_convert_params &p, const packed<IN * G> &in, packed<OUT * G> *out) {
    if constexpr (sizeof(F) == 1 || IN == 4) change_to<F, IN, OUT, G, LW_F32>(p, in, out);
    else if constexpr (IN == 8) change_to<F, IN, OUT, G, LW_F64>(p, in, out);
    else if constexpr (IN == 2) {
        if (p.in_type == LW_F16) change_to<F, IN, OUT, G, LW_F16>(p, in, out);
        else change_to<F, IN, OUT, G, LW_BF16>(p, in, out);
    } else {
        if (p.in_type == LW_U8) change_to<F, IN, OUT, G, LW_U8>(p, in, out);
        else if (p.in_type == LW_I8) change_to<F, IN, OUT, G, LW_I8>(p, in, out);
        else if (p.in_type == LW_F8E4M3) change_to<F, IN, OUT, G, LW_F8E4M3>(p, in, out);
        else change_to<F, IN, OUT, G, LW_F8E5M2>(p, in, out);
    }
}

/* A row's last values, which fill no vector. */
template <typename F, int IN, int OUT>
LW_DEV void change_rest(const lw_convert_params &p, char *out, const char *in, int64_t x) {
    for (; x < p.values; x++) {
        int c = p.parts == 2 ? (int)(x & 1) : 0; /* change() reads component c behind the element's first */
        store_bits(out + x * OUT, change<F>(p, in + (x - c) * IN, c), OUT);
    }
}

template <typename F, int IN, int OUT>
__global__ void __launch_bounds__(LW_BLOCK) dense_kernel(const lw_convert_params p) {
    const int G = 16 / (IN > OUT ? IN : OUT), N = DENSE_VECTORS(G);
    packed<IN * G> v[N];
    char *to[N];
    #pragma unroll
    for (int k = 0; k < N; k++) {
        uint32_t at = blockIdx.x * (LW_BLOCK * N) + k * LW_BLOCK + threadIdx.x, row = 0;
        int64_t in = 0, out = 0;
        to[k] = NULL;
        if (at >= p.vectors) continue;
        if (p.rows > 1) {
            row = fdiv(at, p.per_row);
            outer_decode(p.outer, row, &in, &out);
        }
        int64_t x = (int64_t)(at - row * p.per_row.d) * G;
        if (x + G > p.values) {
            change_rest<F, IN, OUT>(p, p.out + out, p.in + in, x);
            continue;
        }
        v[k] = load_packed<IN * G>(p.in + in + x * IN);
        to[k] = p.out + out + x * OUT;
    }
    #pragma unroll
    for (int k = 0; k < N; k++) {
        packed<OUT * G> w;
        if (!to[k]) continue;
        change_all<F, IN, OUT, G>(p, v[k], &w);
        store_packed<OUT * G>(to[k], w);
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
/* By the logarithms of the bytes of both sides; without an entry: no such conversion. */
static const convert_fn dense[3][4][4] = {
    { { dense_kernel<char, 1, 1> },
      { NULL, dense_kernel<char, 2, 2> },
      { NULL, NULL, dense_kernel<char, 4, 4> },
      { NULL, NULL, NULL, dense_kernel<char, 8, 8> } },
    { { dense_kernel<float, 1, 1>, dense_kernel<float, 1, 2>, dense_kernel<float, 1, 4> },
      { dense_kernel<float, 2, 1>, dense_kernel<float, 2, 2>, dense_kernel<float, 2, 4> },
      { dense_kernel<float, 4, 1>, dense_kernel<float, 4, 2> } },
    { { NULL, NULL, NULL, dense_kernel<double, 1, 8> },
      { NULL, NULL, NULL, dense_kernel<double, 2, 8> },
      { NULL, NULL, NULL, dense_kernel<double, 4, 8> },
      { dense_kernel<double, 8, 1>, dense_kernel<double, 8, 2>, dense_kernel<double, 8, 4> } },
};
typedef void (*fill_fn)(const lw_fill_params);
static const fill_fn fills[5] = { fill_kernel<1>, fill_kernel<2>, fill_kernel<4>, fill_kernel<8>, fill_kernel<16> };

extern "C" int lw_convert_launch(const lw_convert_params *p, int turned, int arithmetic, uint32_t grid,
                                 lw_stream stream) {
    return LW_LAUNCH(table[turned][arithmetic], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_convert_group(int in_bytes, int out_bytes) {
    return 16 / (in_bytes > out_bytes ? in_bytes : out_bytes);
}

extern "C" uint32_t lw_convert_block(int group) {
    return LW_BLOCK * DENSE_VECTORS(group);
}

static int log_of(int bytes) {
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

extern "C" int lw_convert_dense_launch(const lw_convert_params *p, int arithmetic, uint32_t grid, lw_stream stream) {
    return LW_LAUNCH(dense[arithmetic][log_of(p->in_bytes)][log_of(p->out_bytes)], grid, LW_BLOCK, 0, stream, p);
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
    for (int i = 0; i < 48 && e == cudaSuccess; i++) {
        const void *fn = (const void *)dense[i / 16][i / 4 % 4][i % 4];
        if (fn) e = cudaFuncGetAttributes(&a, fn);
    }
    return (int)e;
}
