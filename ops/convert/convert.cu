/*
 * Copies that change elements on the way: another type, another byte order, the conjugate of complex pairs; and filling
 * with a constant. Any order of dimensions: where both sides have the same contiguous dimension, runs of it are read
 * and written straight, by vectors of 16 bytes on the wider side if both sides are aligned for them; where they differ,
 * tiles in shared memory turn one into the other, by vectors or 32 x 32 elements one by one. Types are switched at run
 * time (every thread takes the same way); arithmetic is in f32, in f64 only where a side has it, so that every value is
 * rounded once.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "common/kernel.cuh"
#include "convert/convert.h"

#define PER_THREAD 4
#define TILE 32

typedef void (*convert_fn)(const lw_convert_params);

LW_DEV uint64_t load_bits(const char *p, int bytes)
{
    if (bytes == 1) return *(const uint8_t *)p;
    if (bytes == 2) return *(const uint16_t *)p;
    if (bytes == 4) return *(const uint32_t *)p;
    return *(const uint64_t *)p;
}

LW_DEV void store_bits(char *p, uint64_t v, int bytes)
{
    if (bytes == 1) *(uint8_t *)p = (uint8_t)v;
    else if (bytes == 2) *(uint16_t *)p = (uint16_t)v;
    else if (bytes == 4) *(uint32_t *)p = (uint32_t)v;
    else *(uint64_t *)p = v;
}

LW_DEV uint64_t swap_bytes(uint64_t v, int bytes)
{
    uint32_t lo = __byte_perm((uint32_t)v, 0, 0x0123), hi = __byte_perm((uint32_t)(v >> 32), 0, 0x0123);
    if (bytes == 8) return (uint64_t)lo << 32 | hi;
    return lo >> (32 - 8 * bytes);
}

template <typename F> LW_DEV F decode(uint64_t v, int type)
{
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

LW_DEV uint64_t whole(double v, double lo, double hi)
{
    return v != v ? 0 : (uint64_t)(int64_t)__double2int_rn(fmin(fmax(v, lo), hi));
}

LW_DEV uint64_t whole(float v, float lo, float hi)
{
    return v != v ? 0 : (uint64_t)(int64_t)__float2int_rn(fminf(fmaxf(v, lo), hi));
}

LW_DEV uint64_t to_half(float v) { return __half_as_ushort(__float2half_rn(v)); }
LW_DEV uint64_t to_half(double v) { return __half_as_ushort(__double2half(v)); }
LW_DEV uint64_t to_bf16(float v) { return __bfloat16_as_ushort(__float2bfloat16_rn(v)); }
LW_DEV uint64_t to_bf16(double v) { return __bfloat16_as_ushort(__double2bfloat16(v)); }
LW_DEV uint64_t to_fp8(float v, __nv_fp8_interpretation_t k) { return __nv_cvt_float_to_fp8(v, __NV_SATFINITE, k); }
LW_DEV uint64_t to_fp8(double v, __nv_fp8_interpretation_t k) { return __nv_cvt_double_to_fp8(v, __NV_SATFINITE, k); }

template <typename F> LW_DEV uint64_t encode(F v, int type)
{
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
template <typename F> LW_DEV uint64_t change(const lw_convert_params &p, const char *at, int c)
{
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

/* What a block of a straight conversion has: from `row0` on, `skip` items into it, `count` of rows of `items`. */
LW_DEV void block_share(const lw_convert_params &p, int64_t items, uint32_t *row0, int64_t *skip, uint32_t *count)
{
    *skip = 0;
    if (p.rows_per_block) {
        *row0 = blockIdx.x * p.rows_per_block;
        *count = min(p.rows_per_block, p.rows - *row0) * p.width.d;
        return;
    }
    *row0 = fdiv(blockIdx.x, p.col_tiles);
    *skip = (int64_t)(blockIdx.x - *row0 * p.col_tiles.d) * (LW_BLOCK * PER_THREAD);
    *count = (uint32_t)min(items - *skip, (int64_t)(LW_BLOCK * PER_THREAD));
}

template <typename F> __global__ void __launch_bounds__(LW_BLOCK) straight_kernel(const lw_convert_params p)
{
    uint32_t row0, count, n0 = p.width.d;
    int64_t skip;
    block_share(p, p.across, &row0, &skip, &count);
    for (uint32_t first = threadIdx.x; first < count; first += LW_BLOCK * PER_THREAD) {
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++) {
            uint32_t e = first + k * LW_BLOCK, row = p.rows_per_block ? fdiv(e, p.width) : 0;
            int64_t x = skip + (e - row * n0 * (p.rows_per_block != 0)), in = 0, out = 0;
            if (e >= count) continue;
            outer_decode(p.outer, row0 + row, &in, &out);
            for (int c = 0; c < p.parts; c++) {
                store_bits(p.out + out + x * p.across_out + c * p.out_bytes,
                           change<F>(p, p.in + in + x * p.across_in, c), p.out_bytes);
            }
        }
    }
}

/* ---- straight, by vectors: w holds the components of B bytes as they stand in memory ---- */

template <int BYTES> LW_DEV void load_vector(const char *at, uint32_t *w)
{
    if constexpr (BYTES == 16) {
        uint4 v = load16(at);
        w[0] = v.x;
        w[1] = v.y;
        w[2] = v.z;
        w[3] = v.w;
    } else if constexpr (BYTES == 8) {
        uint2 v = *(const uint2 *)at;
        w[0] = v.x;
        w[1] = v.y;
    } else {
        w[0] = (uint32_t)load_bits(at, BYTES);
    }
}

template <int BYTES> LW_DEV void store_vector(char *at, const uint32_t *w)
{
    if constexpr (BYTES == 16) store16(at, make_uint4(w[0], w[1], w[2], w[3]));
    else if constexpr (BYTES == 8) *(uint2 *)at = make_uint2(w[0], w[1]);
    else store_bits(at, w[0], BYTES);
}

/* The bytes of every component reversed. */
template <int B, int COUNT> LW_DEV void swap_vector(uint32_t *w)
{
#pragma unroll
    for (int i = 0; i < (B * COUNT + 3) / 4; i++) w[i] = __byte_perm(w[i], 0, B == 2 ? 0x2301 : 0x0123);
    if constexpr (B == 8) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            uint32_t x = w[2 * i];
            w[2 * i] = w[2 * i + 1];
            w[2 * i + 1] = x;
        }
    }
}

template <int B> LW_DEV uint64_t get_part(const uint32_t *w, int i)
{
    if constexpr (B == 8) return w[2 * i] | (uint64_t)w[2 * i + 1] << 32;
    else if constexpr (B == 4) return w[i];
    else return w[i * B / 4] >> (8 * B * i & 31) & ((1u << 8 * B) - 1);
}

/* Components in ascending order: the first of a word clears the rest of it. */
template <int B> LW_DEV void set_part(uint32_t *w, int i, uint64_t v)
{
    if constexpr (B == 8) {
        w[2 * i] = (uint32_t)v;
        w[2 * i + 1] = (uint32_t)(v >> 32);
    } else if constexpr (B == 4) {
        w[i] = (uint32_t)v;
    } else {
        uint32_t x = ((uint32_t)v & ((1u << 8 * B) - 1)) << (8 * B * i & 31);
        w[i * B / 4] = i * B % 4 ? w[i * B / 4] | x : x;
    }
}

/* The types of B bytes; f is called with the one that it is, as a constant. */
template <int T> struct type_tag {
    static const int type = T;
};

template <int B, typename F> LW_DEV void by_type(int type, F f)
{
    if constexpr (B == 8) f(type_tag<LW_F64>());
    else if constexpr (B == 4) f(type_tag<LW_F32>());
    else if constexpr (B == 2) {
        if (type == LW_F16) f(type_tag<LW_F16>());
        else f(type_tag<LW_BF16>());
    } else if (type == LW_U8) f(type_tag<LW_U8>());
    else if (type == LW_I8) f(type_tag<LW_I8>());
    else if (type == LW_F8E4M3) f(type_tag<LW_F8E4M3>());
    else f(type_tag<LW_F8E5M2>());
}

/* COUNT components; F char: the bits stay, but for the order of bytes and the sign. */
template <typename F, int IN, int OUT, int COUNT> LW_DEV void change_vector(const lw_convert_params &p, uint32_t *w)
{
    if (IN > 1 && p.swap_in) swap_vector<IN, COUNT>(w);
    if constexpr (sizeof(F) == 1) {
        if (p.conjugate) {
#pragma unroll
            for (int i = 1; i < COUNT; i += 2) w[(8 * IN * (i + 1) - 1) / 32] ^= 1u << ((8 * IN * (i + 1) - 1) & 31);
        }
    } else {
        F x[COUNT];
        by_type<IN>(p.in_type, [&](auto tag) {
#pragma unroll
            for (int i = 0; i < COUNT; i++) x[i] = decode<F>(get_part<IN>(w, i), tag.type);
        });
        if (p.conjugate) {
#pragma unroll
            for (int i = 1; i < COUNT; i += 2) x[i] = -x[i];
        }
        by_type<OUT>(p.out_type, [&](auto tag) {
#pragma unroll
            for (int i = 0; i < COUNT; i++) set_part<OUT>(w, i, encode<F>(x[i], tag.type));
        });
    }
    if (OUT > 1 && p.swap_out) swap_vector<OUT, COUNT>(w);
}

/* Here `across` counts components, and a row has width vectors of them, the last one perhaps in part. */
template <typename F, int IN, int OUT>
__global__ void __launch_bounds__(LW_BLOCK) vector_kernel(const lw_convert_params p)
{
    const int COUNT = 16 / (IN > OUT ? IN : OUT);
    uint32_t row0, count, n0 = p.width.d;
    int64_t skip;
    block_share(p, (p.across + COUNT - 1) / COUNT, &row0, &skip, &count);
    for (uint32_t first = threadIdx.x; first < count; first += LW_BLOCK * PER_THREAD) {
        uint32_t w[PER_THREAD][4];
        int64_t in[PER_THREAD], out[PER_THREAD];
        int rest[PER_THREAD]; /* components of the vector, 0: none */
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++) {
            uint32_t e = first + k * LW_BLOCK, row = p.rows_per_block ? fdiv(e, p.width) : 0;
            int64_t x = (skip + (e - row * n0 * (p.rows_per_block != 0))) * COUNT;
            rest[k] = e < count ? (int)min(p.across - x, (int64_t)COUNT) : 0;
            in[k] = x * IN;
            out[k] = x * OUT;
            if (!rest[k]) continue;
            outer_decode(p.outer, row0 + row, &in[k], &out[k]);
            if (rest[k] == COUNT) load_vector<IN * COUNT>(p.in + in[k], w[k]);
        }
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++) {
            if (rest[k] == COUNT) {
                change_vector<F, IN, OUT, COUNT>(p, w[k]);
                store_vector<OUT * COUNT>(p.out + out[k], w[k]);
                continue;
            }
#pragma unroll 1
            for (int c = 0; c < rest[k]; c++) { /* a vector starts at an even component */
                uint64_t v = change<F>(p, p.in + in[k] + (c & ~1) * IN, c & 1);
                store_bits(p.out + out[k] + c * OUT, v, OUT);
            }
        }
    }
}

/* Dimension 0 is contiguous in the output, dimension 1 (of `down`) in the input. */
template <typename F> __global__ void __launch_bounds__(LW_BLOCK) turned_kernel(const lw_convert_params p)
{
    __shared__ uint64_t tile[2][TILE][TILE + 1];
    uint32_t q1 = fdiv(blockIdx.x, p.col_tiles), q2 = fdiv(q1, p.row_tiles), lane = threadIdx.x & 31;
    int64_t x0 = (int64_t)(blockIdx.x - q1 * p.col_tiles.d) * TILE, y0 = (int64_t)(q1 - q2 * p.row_tiles.d) * TILE,
            in = 0, out = 0;
    outer_decode(p.outer, q2, &in, &out);
    for (int r = threadIdx.x >> 5; r < TILE; r += LW_BLOCK / 32) {
        if (x0 + r >= p.across || y0 + lane >= p.down) continue;
        const char *at = p.in + in + (x0 + r) * p.across_in + (y0 + lane) * p.down_in;
        for (int c = 0; c < p.parts; c++) tile[c][r][lane] = change<F>(p, at, c);
    }
    __syncthreads();
    for (int r = threadIdx.x >> 5; r < TILE; r += LW_BLOCK / 32) {
        if (x0 + lane >= p.across || y0 + r >= p.down) continue;
        char *at = p.out + out + (x0 + lane) * p.across_out + (y0 + r) * p.down_out;
        for (int c = 0; c < p.parts; c++) store_bits(at + c * p.out_bytes, tile[c][lane][r], p.out_bytes);
    }
}

/* The words of a vector `by` places on, if asked. */
LW_DEV void turn_vector(uint32_t *v, int by, bool asked)
{
    uint32_t u[4] = {v[0], v[1], v[2], v[3]};
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = asked ? u[(i - by) & 3] : u[i];
}

/*
 * As turned_kernel, by vectors. A thread reads SIDE vectors of SIDE components from neighbouring rows of the input,
 * changes them and writes the SIDE pieces of output rows that they make to its slots of the tile. A row of the tile is
 * an output row; its slots are exchanged by the input's vector, so that neither side meets in banks. The steps stay in
 * one function: the compiler gives other, untimed, machine code where they do not.
 */
/* 16 bytes of a row of the output, from component x on, or those of them that exist. */
template <int OUT> LW_DEV void store_part(const lw_convert_params &p, char *to, const uint32_t *v, int64_t x)
{
    if (x + 16 / OUT <= p.across) {
        store_vector<16>(to, v);
        return;
    }
#pragma unroll
    for (int k = 0; k < 16 / OUT; k++) {
        if (x + k < p.across) store_bits(to + k * OUT, get_part<OUT>(v, k), OUT);
    }
}

template <typename F, int IN, int OUT>
__global__ void __launch_bounds__(LW_BLOCK) turned_vector_kernel(const lw_convert_params p)
{
    const int SIDE = LW_CONVERT_SIDE(IN, OUT), SLOTS = LW_CONVERT_SLOTS(IN, OUT), ACROSS = LW_BLOCK / SLOTS;
    /* SIDE: components of a vector of the input, and such vectors; SLOTS, ACROSS: threads along either side of a tile */
    const int ROW = SLOTS * SIDE * OUT, SPREAD = SLOTS > ACROSS ? SLOTS / ACROSS : 1; /* bytes of a row of the tile */
    __shared__ __align__(16) char tile[ACROSS * SIDE * ROW];
    uint32_t q1 = fdiv(blockIdx.x, p.col_tiles), q2 = fdiv(q1, p.row_tiles);
    int64_t x0 = (int64_t)(blockIdx.x - q1 * p.col_tiles.d) * (SLOTS * SIDE), in = 0, out = 0;
    int64_t y0 = (int64_t)(q1 - q2 * p.row_tiles.d) * (ACROSS * SIDE);
    outer_decode(p.outer, q2, &in, &out);
    uint32_t w[SIDE][4], across = threadIdx.x % ACROSS, slot = threadIdx.x / ACROSS;
    int64_t x = x0 + slot * SIDE, y = y0 + across * SIDE;
    const char *from = p.in + in + x * p.across_in + y * IN;
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        if (x + i < p.across && y + SIDE <= p.down) load_vector<IN * SIDE>(from + i * p.across_in, w[i]);
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        if (x + i < p.across && y + SIDE <= p.down) change_vector<F, IN, OUT, SIDE>(p, w[i]);
    }
    if (y + SIDE <= p.down) {
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            uint32_t piece[4];
#pragma unroll
            for (int i = 0; i < SIDE; i++) set_part<OUT>(piece, i, get_part<OUT>(w[i], j));
            store_vector<OUT * SIDE>(tile + (across * SIDE + j) * ROW + (slot ^ (across * SPREAD) % SLOTS) * OUT * SIDE,
                                     piece);
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < SIDE * SIDE; k++) {
            int i = k / SIDE, j = k % SIDE;
            if (x + i >= p.across || y + j >= p.down) continue;
            store_bits(tile + (across * SIDE + j) * ROW + (slot ^ (across * SPREAD) % SLOTS) * OUT * SIDE + i * OUT,
                       change<F>(p, from + i * p.across_in + j * IN, 0), OUT);
        }
    }
    __syncthreads();
    const int PIECES = 16 / (OUT * SIDE), LANES = ROW / 16; /* slots of a vector, vectors of a row */
#pragma unroll 4
    for (int r = threadIdx.x / LANES; r < ACROSS * SIDE; r += LW_BLOCK / LANES) {
        int column = threadIdx.x % LANES * (16 / OUT);
        uint32_t v[4];
        if (y0 + r >= p.down || x0 + column >= p.across) continue;
#pragma unroll
        for (int k = 0; k < PIECES; k++) { /* neighbouring rows begin with other pieces, for the banks' sake */
            uint32_t s = (column / SIDE + (k + r) % PIECES) ^ (r / SIDE * SPREAD) % SLOTS;
            load_vector<OUT * SIDE>(tile + r * ROW + s * OUT * SIDE, v + k * OUT * SIDE / 4);
        }
#pragma unroll
        for (int turn = 1; turn < PIECES; turn *= 2) turn_vector(v, turn * OUT * SIDE / 4, r & turn);
        char *to = p.out + out + (x0 + column) * OUT + (y0 + r) * p.down_out;
        store_part<OUT>(p, to, v, x0 + column);
    }
}

/* Rows of `pieces` pieces of V bytes with a repeating pattern. */
template <int V> __global__ void __launch_bounds__(LW_BLOCK) fill_kernel(const lw_fill_params p)
{
    uint32_t row0 = p.rows_per_block ? blockIdx.x * p.rows_per_block : fdiv(blockIdx.x, p.parts);
    int64_t skip = p.rows_per_block ? 0 : (int64_t)(blockIdx.x - row0 * p.parts.d) * (LW_BLOCK * PER_THREAD), in, out;
    uint32_t count = p.rows_per_block ? min(p.rows_per_block, p.rows - row0) * p.width.d
                                      : (uint32_t)min(p.pieces - skip, (int64_t)(LW_BLOCK * PER_THREAD));
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

/* By vectors: log2 of the bytes of a component of the input and of the output. */
#define VECTOR_KERNELS(kernel, double81)                                                                               \
    {                                                                                                                  \
        {{kernel<char, 1, 1>},                                                                                         \
         {NULL, kernel<char, 2, 2>},                                                                                   \
         {NULL, NULL, kernel<char, 4, 4>},                                                                             \
         {NULL, NULL, NULL, kernel<char, 8, 8>}},                                                                      \
            {{kernel<float, 1, 1>, kernel<float, 1, 2>, kernel<float, 1, 4>},                                          \
             {kernel<float, 2, 1>, kernel<float, 2, 2>, kernel<float, 2, 4>},                                          \
             {kernel<float, 4, 1>, kernel<float, 4, 2>},                                                               \
             {NULL}},                                                                                                  \
        {                                                                                                              \
            {NULL, NULL, NULL, kernel<double, 1, 8>}, {NULL, NULL, NULL, kernel<double, 2, 8>},                        \
                {NULL, NULL, NULL, kernel<double, 4, 8>},                                                              \
            {                                                                                                          \
                double81, kernel<double, 8, 2>, kernel<double, 8, 4>                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
static const convert_fn vectors[2][3][4][4] = {VECTOR_KERNELS(vector_kernel, (vector_kernel<double, 8, 1>)),
                                               VECTOR_KERNELS(turned_vector_kernel, NULL)};
static const convert_fn table[2][3] = {
    {straight_kernel<char>, straight_kernel<float>, straight_kernel<double>},
    {turned_kernel<char>, turned_kernel<float>, turned_kernel<double>},
};
typedef void (*fill_fn)(const lw_fill_params);
static const fill_fn fills[5] = {fill_kernel<1>, fill_kernel<2>, fill_kernel<4>, fill_kernel<8>, fill_kernel<16>};

static int log_of(int bytes) { return bytes == 8 ? 3 : bytes / 2; }

extern "C" int lw_convert_launch(const lw_convert_params *p, int form, int arithmetic, uint32_t grid, lw_stream stream)
{
    convert_fn fn = table[form == LW_CONVERT_TURNED][arithmetic];
    if (form >= LW_CONVERT_VECTORS) {
        fn = vectors[form == LW_CONVERT_TURNED_VECTORS][arithmetic][log_of(p->in_bytes)][log_of(p->out_bytes)];
    }
    return LW_LAUNCH(fn, grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_fill_launch(const lw_fill_params *p, int vec, uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(fills[vec == 1   ? 0
                           : vec == 2 ? 1
                           : vec == 4 ? 2
                           : vec == 8 ? 3
                                      : 4],
                     grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_convert_setup(lw_ops *)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 6 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)table[i / 3][i % 3]);
    for (int i = 0; i < 5 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)fills[i]);
    for (int i = 0; i < 96 && e == cudaSuccess; i++) {
        convert_fn fn = vectors[i / 48][i / 16 % 3][i / 4 % 4][i % 4];
        if (fn) e = cudaFuncGetAttributes(&a, (const void *)fn);
    }
    return (int)e;
}
