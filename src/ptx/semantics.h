/* ptx/semantics.h: the functions that rows of insns.def call: pure functions of lane values, PTX ISA 9.0 semantics.
 * Includes nothing of exec, so that another back end can compile the same text. Compiled with -fwrapv and
 * -ffp-contract=off. Approximations: semantics_sfu.h; half, bfloat and fp8
 * arithmetic: semantics_half.h; SIMD video: semantics_video.h. */
#ifndef LW_PTX_SEMANTICS_H
#define LW_PTX_SEMANTICS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ptx/mods.h"

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef uint16_t h16, b16; /* bits of an f16, a bf16 */
typedef uint32_t h32, b32; /* two of them */

#define SEM static inline __attribute__((always_inline, unused))

SEM u32 bits_f32(f32 x)
{
    u32 u;
    memcpy(&u, &x, 4);
    return u;
}
SEM f32 f32_bits(u32 u)
{
    f32 x;
    memcpy(&x, &u, 4);
    return x;
}
SEM u64 bits_f64(f64 x)
{
    u64 u;
    memcpy(&u, &x, 8);
    return u;
}
SEM f64 f64_bits(u64 u)
{
    f64 x;
    memcpy(&x, &u, 8);
    return x;
}

/* Masks and selection without a branch: a conditional whose arms are long keeps a loop from vectorising. */
SEM u32 all_if(u32 flag) { return 0u - (flag != 0); }
SEM u32 select_u32(u32 mask, u32 a, u32 b) { return (a & mask) | (b & ~mask); }

/* ---------------------------------------------------------------- integers */
SEM s32 clamp_s32(s64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x; }
SEM s32 sat_add_s32(s32 a, s32 b) { return clamp_s32((s64)a + b); }
SEM s32 sat_sub_s32(s32 a, s32 b) { return clamp_s32((s64)a - b); }
SEM s32 relu_s32(s32 x, u32 mods) { return (mods & PTX_RELU) && x < 0 ? 0 : x; }
SEM s32 sext24(s32 x) { return (s32)((u32)x << 8) >> 8; }
SEM u64 mul_hi_u64(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
SEM s64 mul_hi_s64(s64 a, s64 b) { return (s64)(((__int128)a * b) >> 64); }

/* clang-format off */
#define DIVISION_UNSIGNED(T)                                                                                           \
    SEM T div_##T(T a, T b) { return b ? a / b : (T)~(T)0; }                                                           \
    SEM T rem_##T(T a, T b) { return b ? a % b : (T)~(T)0; }
#define DIVISION_SIGNED(T, U)                                                                                          \
    SEM T div_##T(T a, T b) { return b == 0 ? (T)-1 : b == -1 ? (T)(0 - (U)a) : a / b; }                               \
    SEM T rem_##T(T a, T b) { return b == 0 ? (T)-1 : b == -1 ? 0 : a % b; }
DIVISION_UNSIGNED(u16) DIVISION_SIGNED(s16, u16)
#ifndef __AVX512DQ__
DIVISION_UNSIGNED(u32) DIVISION_UNSIGNED(u64) DIVISION_SIGNED(s32, u32) DIVISION_SIGNED(s64, u64)
#endif
/* clang-format on */
#undef DIVISION_UNSIGNED
#undef DIVISION_SIGNED
#ifdef __AVX512DQ__
    /* Where the host converts 64-bit integers in vectors it divides integers as doubles, since it has no vectors of quotients of
 * integers. Of 32 bits the quotient of doubles, cut off, is exact. Of 64 bits the first quotient is wrong by at most
 * 2^12, and what is left over is divided again, which leaves an error of 1. b is not 0. */
    SEM u64 quotient_u64(u64 a, u64 b)
{
    const f64 greatest = 0x1.fffffffffffffp63;
    f64 by = (f64)b, first = (f64)a / by;
    u64 q = (u64)(first < greatest ? first : greatest);
    q += (u64)(s64)((f64)(s64)(a - q * b) / by);
    s64 rest = (s64)(a - q * b);
    q += rest < 0 ? ~(u64)0 : (u64)rest >= b;
    /* b of 2^62 and more: what is left over may not fit 63 bits, but q is at most 3 */
    u64 few = (u64)(a >= b) + (u64)(a >= b && a - b >= b) + (u64)(!(b >> 63) && a >= b && a - b >= b && a - 2 * b >= b);
    return b >> 62 ? few : q;
}
SEM u32 div_u32(u32 a, u32 b)
{
    u32 q = (u32)((f64)a / (f64)(b ? b : 1));
    return b ? q : ~0u;
}
SEM u32 rem_u32(u32 a, u32 b)
{
    u32 rest = a - div_u32(a, b) * b;
    return b ? rest : ~0u;
}
SEM s32 div_s32(s32 a, s32 b)
{
    s32 q = (s32)((f64)a / (f64)(b + 1u > 1 ? b : 1));
    return b == 0 ? -1 : b == -1 ? (s32)(0 - (u32)a) : q;
}
SEM s32 rem_s32(s32 a, s32 b)
{
    s32 rest = (s32)((u32)a - (u32)div_s32(a, b) * (u32)b);
    return b == 0 ? -1 : rest;
}
SEM u64 div_u64(u64 a, u64 b)
{
    u64 q = quotient_u64(a, b ? b : 1);
    return b ? q : ~(u64)0;
}
SEM u64 rem_u64(u64 a, u64 b)
{
    u64 by = b ? b : 1, rest = a - quotient_u64(a, by) * by;
    return b ? rest : ~(u64)0;
}
SEM s64 div_s64(s64 a, s64 b)
{
    u64 of = a < 0 ? 0 - (u64)a : (u64)a, by = b < 0 ? 0 - (u64)b : (u64)b;
    u64 q = quotient_u64(of, by ? by : 1);
    s64 with_sign = (s64)((a ^ b) < 0 ? 0 - q : q);
    return b ? with_sign : -1;
}
SEM s64 rem_s64(s64 a, s64 b)
{
    s64 rest = (s64)((u64)a - (u64)div_s64(a, b) * (u64)b);
    return b ? rest : -1;
}
#endif

/* SWAR bit counts: vectorise on every instruction set. */
SEM u32 popc32(u32 x)
{
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (x * 0x01010101u) >> 24;
}
SEM u32 brev32(u32 x)
{
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    return __builtin_bswap32(x);
}
SEM u64 brev64(u64 x) { return (u64)brev32((u32)x) << 32 | brev32((u32)(x >> 32)); }
SEM u32 bfind_u32(u32 x, bool shift)
{
    if (!x) return ~0u;
    u32 n = 31u - (u32)__builtin_clz(x);
    return shift ? 31u - n : n;
}
SEM u32 bfind_u64(u64 x, bool shift)
{
    if (!x) return ~0u;
    u32 n = 63u - (u32)__builtin_clzll(x);
    return shift ? 63u - n : n;
}
/* Position of the n-th set bit of mask from base, upwards (n > 0) or downwards; n = 0: base itself if set. The least n
 * gives 0 whatever the mask, as cc 9.0. */
SEM u32 fns_b32(u32 mask, u32 base, s32 n)
{
    if (n == INT32_MIN) return 0;
    if (base > 31) return ~0u;
    if (n == 0) return mask >> base & 1 ? base : ~0u;
    s32 step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
    for (s32 p = (s32)base; p >= 0 && p < 32; p += step)
        if ((mask >> p & 1) && --left == 0) return (u32)p;
    return ~0u;
}
SEM u32 bfe_u32(u32 a, u32 b, u32 c)
{
    u32 pos = b & 0xff, len = c & 0xff;
    if (pos > 31 || !len) return 0;
    u32 x = a >> pos;
    return len > 31 ? x : x & ((1u << len) - 1);
}
SEM s32 bfe_s32(s32 a, u32 b, u32 c)
{
    u32 pos = b & 0xff, len = c & 0xff, msb = 31;
    if (!len) return 0;
    u32 top = pos + len - 1;
    u32 sign = (u32)a >> (top < msb ? top : msb) & 1;
    u32 x = pos > 31 ? 0 : (u32)a >> pos;
    u32 have = pos > 31 ? 0 : 32 - pos;
    u32 keep = len < have ? len : have;
    u32 low = keep > 31 ? ~0u : (1u << keep) - 1;
    return (s32)((x & low) | (sign ? ~low : 0));
}
/* The 64-bit forms do not mask b and c to 8 bits, whatever the ISA says: so does cc 9.0. */
SEM u64 bfe_u64(u64 a, u32 pos, u32 len)
{
    if (pos > 63 || !len) return 0;
    u64 x = a >> pos;
    return len > 63 ? x : x & (((u64)1 << len) - 1);
}
SEM s64 bfe_s64(s64 a, u32 pos, u32 len)
{
    if (!len) return 0;
    u64 top = (u64)pos + len - 1;
    u64 sign = (u64)a >> (top < 63 ? top : 63) & 1;
    u64 x = pos > 63 ? 0 : (u64)a >> pos;
    u32 have = pos > 63 ? 0 : 64 - pos;
    u32 keep = len < have ? len : have;
    u64 low = keep > 63 ? ~(u64)0 : ((u64)1 << keep) - 1;
    return (s64)((x & low) | (sign ? ~low : 0));
}
/* bfi: bits of a inserted into b at c, length d (the decoder passes four sources). */
SEM u32 bfi_b32(u32 a, u32 b, u32 c, u32 d)
{
    u32 pos = c & 0xff, len = d & 0xff;
    if (pos > 31 || !len) return b;
    u32 m = (len > 31 ? ~0u : (1u << len) - 1) << pos;
    return (b & ~m) | ((a << pos) & m);
}
SEM u64 bfi_b64(u64 a, u64 b, u32 pos, u32 len) /* c and d not masked: see bfe */
{
    if (pos > 63 || !len) return b;
    u64 m = (len > 63 ? ~(u64)0 : ((u64)1 << len) - 1) << pos;
    return (b & ~m) | ((a << pos) & m);
}
SEM u32 bmsk_clamp(u32 a, u32 b)
{
    if (a > 31 || !b) return 0;
    return (b > 31 ? ~0u : (1u << b) - 1) << a;
}
SEM u32 szext_u32(u32 a, u32 b) { return b > 31 ? a : b == 0 ? 0 : a & ((1u << b) - 1); }
SEM s32 szext_s32(s32 a, u32 b) { return b > 31 ? a : b == 0 ? 0 : (s32)((u32)a << (32 - b)) >> (32 - b); }
/* shf: {b,a} as a 64-bit value, a the low word; the high (left) or low (right) word of the shifted value. */
SEM u32 shf_l(u32 a, u32 b, u32 n) { return n == 0 ? b : n > 31 ? a : b << n | a >> (32 - n); }
SEM u32 shf_r(u32 a, u32 b, u32 n) { return n == 0 ? a : n > 31 ? b : a >> n | b << (32 - n); }
/* Shannon expansion over c, b, a: 17 bit operations for any table. */
SEM u32 lop3(u32 a, u32 b, u32 c, u32 table)
{
#define BIT_MASK(k) (0u - (table >> (k) & 1))
    u32 t0 = BIT_MASK(0) ^ (c & (BIT_MASK(0) ^ BIT_MASK(1))), t1 = BIT_MASK(2) ^ (c & (BIT_MASK(2) ^ BIT_MASK(3)));
    u32 t2 = BIT_MASK(4) ^ (c & (BIT_MASK(4) ^ BIT_MASK(5))), t3 = BIT_MASK(6) ^ (c & (BIT_MASK(6) ^ BIT_MASK(7)));
#undef BIT_MASK
    u32 u0 = t0 ^ (b & (t0 ^ t1)), u1 = t2 ^ (b & (t2 ^ t3));
    return u0 ^ (a & (u0 ^ u1));
}

SEM u32 prmt_byte(u64 ab, u32 selector)
{
    u32 byte = (u32)(ab >> (8 * (selector & 7))) & 0xff;
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
SEM u32 prmt(u32 a, u32 b, u32 c)
{
    u64 ab = (u64)b << 32 | a;
    return prmt_byte(ab, c & 15) | prmt_byte(ab, c >> 4 & 15) << 8 | prmt_byte(ab, c >> 8 & 15) << 16 |
           prmt_byte(ab, c >> 12 & 15) << 24;
}
SEM u32 prmt_f4e(u32 a, u32 b, u32 c) { return (u32)(((u64)b << 32 | a) >> (8 * (c & 3))); }
SEM u32 prmt_b4e(u32 a, u32 b, u32 c)
{
    static const u16 selectors[4] = {0x5670, 0x6701, 0x7012, 0x0123};
    return prmt(a, b, selectors[c & 3]);
}
SEM u32 prmt_rc8(u32 a, u32 c) { return (a >> (8 * (c & 3)) & 0xff) * 0x01010101u; }
SEM u32 prmt_ecl(u32 a, u32 c)
{
    static const u16 selectors[4] = {0x3210, 0x3211, 0x3222, 0x3333};
    return prmt(a, 0, selectors[c & 3]);
}
SEM u32 prmt_ecr(u32 a, u32 c)
{
    static const u16 selectors[4] = {0x0000, 0x1110, 0x2210, 0x3210};
    return prmt(a, 0, selectors[c & 3]);
}
SEM u32 prmt_rc16(u32 a, u32 c) { return (c & 1 ? a >> 16 : a & 0xffff) * 0x00010001u; }

SEM u32 byte_of(u32 x, u32 k) { return x >> (8 * k) & 0xff; }
SEM s32 sbyte_of(u32 x, u32 k) { return (s8)(x >> (8 * k)); }
SEM u32 dp4a_uu(u32 a, u32 b)
{
    return byte_of(a, 0) * byte_of(b, 0) + byte_of(a, 1) * byte_of(b, 1) + byte_of(a, 2) * byte_of(b, 2) +
           byte_of(a, 3) * byte_of(b, 3);
}
SEM u32 dp4a_us(u32 a, u32 b)
{
    return (u32)((s32)byte_of(a, 0) * sbyte_of(b, 0) + (s32)byte_of(a, 1) * sbyte_of(b, 1) +
                 (s32)byte_of(a, 2) * sbyte_of(b, 2) + (s32)byte_of(a, 3) * sbyte_of(b, 3));
}
SEM u32 dp4a_ss(u32 a, u32 b)
{
    return (u32)(sbyte_of(a, 0) * sbyte_of(b, 0) + sbyte_of(a, 1) * sbyte_of(b, 1) + sbyte_of(a, 2) * sbyte_of(b, 2) +
                 sbyte_of(a, 3) * sbyte_of(b, 3));
}
/* dp2a: the two 16-bit halves of a times bytes 0,1 (lo) or 2,3 (hi) of b. */
SEM u32 dp2a(u32 a, u32 b, bool a_signed, bool b_signed, u32 hi)
{
    u32 sum = 0;
    for (u32 k = 0; k < 2; k++) {
        s32 x = a_signed ? (s16)(a >> (16 * k)) : (s32)(a >> (16 * k) & 0xffff);
        s32 y = b_signed ? sbyte_of(b, 2 * hi + k) : (s32)byte_of(b, 2 * hi + k);
        sum += (u32)(x * y);
    }
    return sum;
}

SEM u32 add_u16x2(u32 a, u32 b) { return ((a + b) & 0xffffu) | (((a >> 16) + (b >> 16)) << 16); }
SEM u32 min_u16x2(u32 a, u32 b)
{
    u32 lo = (a & 0xffff) < (b & 0xffff) ? a : b, hi = (a >> 16) < (b >> 16) ? a : b;
    return (lo & 0xffff) | (hi & 0xffff0000u);
}
SEM u32 max_u16x2(u32 a, u32 b)
{
    u32 lo = (a & 0xffff) > (b & 0xffff) ? a : b, hi = (a >> 16) > (b >> 16) ? a : b;
    return (lo & 0xffff) | (hi & 0xffff0000u);
}
SEM u32 relu_s16x2(u32 x, u32 mods)
{
    if (mods & PTX_RELU) x &= (x & 0x8000u ? 0 : 0xffffu) | (x & 0x80000000u ? 0 : 0xffff0000u);
    return x;
}
SEM u32 min_s16x2(u32 a, u32 b, u32 mods)
{
    u32 lo = (s16)a < (s16)b ? a : b, hi = (s32)(a & 0xffff0000u) < (s32)(b & 0xffff0000u) ? a : b;
    return relu_s16x2((lo & 0xffff) | (hi & 0xffff0000u), mods);
}
SEM u32 max_s16x2(u32 a, u32 b, u32 mods)
{
    u32 lo = (s16)a > (s16)b ? a : b, hi = (s32)(a & 0xffff0000u) > (s32)(b & 0xffff0000u) ? a : b;
    return relu_s16x2((lo & 0xffff) | (hi & 0xffff0000u), mods);
}

/* ---------------------------------------------------------------- f32, f64 */
#define F32_NAN_BITS 0x7fffffffu         /* the canonical NaN of every f32 result */
#define F64_NAN_BITS 0xfff8000000000000u /* of an f64 operation without a NaN operand */

SEM u32 ftz_bits(u32 x, u32 mods) { return x & ((x & 0x7f800000u ? ~0u : 0x80000000u) | ~all_if(mods & PTX_FTZ)); }
SEM f32 ftz_f32(f32 x) { return f32_bits(bits_f32(x) & 0x7f800000u ? bits_f32(x) : bits_f32(x) & 0x80000000u); }
SEM f32 canonical_f32(f32 x) { return x == x ? x : f32_bits(F32_NAN_BITS); }
/* f64 results: the first NaN among the operands in the order given here, quieted; else the default NaN. With nans false
 * any NaN will do: executors look a second time, with nans true, only when there was one. */
SEM f64 quiet_f64(f64 x) { return f64_bits(bits_f64(x) | 0x0008000000000000u); }
SEM f64 nan1_f64(bool nans, f64 r, f64 a)
{
    return !nans || r == r ? r : a != a ? quiet_f64(a) : f64_bits(F64_NAN_BITS);
}
SEM f64 nan2_f64(bool nans, f64 r, f64 a, f64 b)
{
    return !nans || r == r || a == a ? nan1_f64(nans, r, b) : quiet_f64(a);
}
SEM f64 nan3_f64(bool nans, f64 r, f64 a, f64 b, f64 c)
{
    return !nans || r == r || a == a ? nan2_f64(nans, r, b, c) : quiet_f64(a);
}
SEM f32 sat_f32(f32 x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; } /* NaN and -0 give +0 */

/* The lesser (which = 0) or greater (which = ~0): one NaN gives the other operand, -0 is below +0. */
SEM f32 extreme_f32(f32 fa, f32 fb, u32 mods, u32 which)
{
    u32 a = ftz_bits(bits_f32(fa), mods), b = ftz_bits(bits_f32(fb), mods);
    u32 xorsign = all_if(mods & PTX_XORSIGN), sign = (bits_f32(fa) ^ bits_f32(fb)) & 0x80000000u & xorsign;
    a &= ~(xorsign & 0x80000000u), b &= ~(xorsign & 0x80000000u);
    /* in the order of the values */
    s32 ka = (s32)(a ^ (u32)((s32)a >> 31) >> 1), kb = (s32)(b ^ (u32)((s32)b >> 31) >> 1);
    u32 na = all_if((a & 0x7fffffffu) > 0x7f800000u), nb = all_if((b & 0x7fffffffu) > 0x7f800000u);
    u32 take_a = ((all_if(ka < kb) ^ which) & ~na) | nb, nan = (na & nb) | ((na | nb) & all_if(mods & PTX_NAN));
    return f32_bits(select_u32(nan, F32_NAN_BITS, select_u32(take_a, a, b) | sign));
}
SEM f32 min_f32(f32 a, f32 b, u32 mods) { return extreme_f32(a, b, mods, 0); }
SEM f32 max_f32(f32 a, f32 b, u32 mods) { return extreme_f32(a, b, mods, ~0u); }
SEM f64 min_f64(f64 a, f64 b)
{
    if (a != a && b != b) return quiet_f64(b);
    if (a != a) return b;
    if (b != b) return a;
    return a < b || (a == b && (bits_f64(a) >> 63)) ? a : b;
}
SEM f64 max_f64(f64 a, f64 b)
{
    if (a != a && b != b) return quiet_f64(b);
    if (a != a) return b;
    if (b != b) return a;
    return a > b || (a == b && !(bits_f64(a) >> 63)) ? a : b;
}
#include "ptx/semantics_sfu.h"

/* abs and neg of a NaN: canonical in f32, f16 and bf16, quieted in f64. */
SEM bool is_nan_bits_f32(u32 a) { return (a & 0x7fffffffu) > 0x7f800000u; }
SEM u32 abs_f32(u32 a, u32 mods) { return is_nan_bits_f32(a) ? F32_NAN_BITS : ftz_bits(a, mods) & 0x7fffffffu; }
SEM u32 neg_f32(u32 a, u32 mods) { return is_nan_bits_f32(a) ? F32_NAN_BITS : ftz_bits(a, mods) ^ 0x80000000u; }
SEM bool is_nan_bits_f64(u64 a) { return (a & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }
SEM u64 abs_f64(u64 a) { return is_nan_bits_f64(a) ? a | 0x0008000000000000u : a & 0x7fffffffffffffffu; }
SEM u64 neg_f64(u64 a) { return is_nan_bits_f64(a) ? a | 0x0008000000000000u : a ^ 0x8000000000000000u; }

/* Zeros count as normal. */
#define TESTP_OF(T, BITS, exponent, mantissa)                                                                          \
    SEM bool testp_finite_##T(T x) { return (BITS(x) & exponent) != exponent; }                                        \
    SEM bool testp_infinite_##T(T x) { return (BITS(x) & (exponent | mantissa)) == exponent; }                         \
    SEM bool testp_number_##T(T x) { return x == x; }                                                                  \
    SEM bool testp_notanumber_##T(T x) { return x != x; }                                                              \
    SEM bool testp_normal_##T(T x)                                                                                     \
    {                                                                                                                  \
        return (BITS(x) & exponent) != exponent && ((BITS(x) & exponent) || !(BITS(x) & mantissa));                    \
    }                                                                                                                  \
    SEM bool testp_subnormal_##T(T x) { return !(BITS(x) & exponent) && (BITS(x) & mantissa); }
TESTP_OF(f32, bits_f32, 0x7f800000u, 0x7fffffu)
TESTP_OF(f64, bits_f64, 0x7ff0000000000000u, 0xfffffffffffffu)
#undef TESTP_OF

/* ---------------------------------------------------------------- conversions
 * Rounding to an integer and to a narrower float uses the host's rounding mode, which the executor sets from the row's
 * rounding flag. Out of range saturates; NaN gives 0, or 1 << (width-1) when the source is f64 or the result 64 bits.
 */
#define FLOAT_TO_INT(T, F, RINT, lowest, above, nan)                                                                   \
    SEM T cvt_##T##_##F(F x, u32 mods)                                                                                 \
    {                                                                                                                  \
        if (sizeof(F) == 4 && (mods & PTX_FTZ)) x = (F)ftz_f32((f32)x);                                                \
        F r = RINT(x);                                                                                                 \
        return r != r ? (T)(nan) : r < (F)(lowest) ? (T)(lowest) : r >= (F)(above) ? (T)above_max_##T : (T)r;          \
    }
#define above_max_u8 0xff
#define above_max_s8 0x7f
#define above_max_u16 0xffff
#define above_max_s16 0x7fff
#define above_max_u32 0xffffffffu
#define above_max_s32 0x7fffffff
#define above_max_u64 0xffffffffffffffffu
#define above_max_s64 0x7fffffffffffffff
#define FLOAT_TO_INTS(F, RINT, nan32)                                                                                  \
    FLOAT_TO_INT(u8, F, RINT, 0, 256, nan32 ? 0x80 : 0)                                                                \
    FLOAT_TO_INT(s8, F, RINT, -128, 128, nan32 ? -128 : 0)                                                             \
    FLOAT_TO_INT(u16, F, RINT, 0, 65536, nan32 ? 0x8000 : 0)                                                           \
    FLOAT_TO_INT(s16, F, RINT, -32768, 32768, nan32 ? -32768 : 0)                                                      \
    FLOAT_TO_INT(u32, F, RINT, 0, 4294967296., nan32 ? 0x80000000u : 0)                                                \
    FLOAT_TO_INT(s32, F, RINT, -2147483648., 2147483648., nan32 ? INT32_MIN : 0)                                       \
    FLOAT_TO_INT(u64, F, RINT, 0, 18446744073709551616., 0x8000000000000000u)                                          \
    FLOAT_TO_INT(s64, F, RINT, -9223372036854775808., 9223372036854775808., INT64_MIN)
FLOAT_TO_INTS(f32, __builtin_rintf, 0)
FLOAT_TO_INTS(f64, __builtin_rint, 1)

#define CLAMP_INT(T, W, low, high)                                                                                     \
    SEM T sat_##T##_s(s64 x) { return x<(s64)(low) ? (T)(low) : x>(s64)(high) ? (T)(high) : (T)x; }                    \
    SEM T sat_##T##_u(u64 x) { return x > (u64)(high) ? (T)(high) : (T)x; }
CLAMP_INT(u8, 8, 0, 0xff)
CLAMP_INT(s8, 8, -128, 127)
CLAMP_INT(u16, 16, 0, 0xffff)
CLAMP_INT(s16, 16, -32768, 32767)
CLAMP_INT(u32, 32, 0, 0xffffffffll)
CLAMP_INT(s32, 32, INT32_MIN, INT32_MAX)
CLAMP_INT(s64, 64, INT64_MIN, INT64_MAX)
SEM u64 sat_u64_s(s64 x) { return x < 0 ? 0 : (u64)x; }
SEM u64 sat_u64_u(u64 x) { return x; }
#undef CLAMP_INT

/* Integers as floats in the host's rounding mode. An unsigned 0 is +0: what compilers make of the conversion rounds 0
 * to -0 towards minus infinity. */
SEM f32 from_s_f32(f32 x) { return x; }
SEM f64 from_s_f64(f64 x) { return x; }
SEM f32 from_u_f32(f32 x) { return f32_bits(bits_f32(x) & 0x7fffffffu); }
SEM f64 from_u_f64(f64 x) { return f64_bits(bits_f64(x) & 0x7fffffffffffffffu); }

/* A NaN keeps its sign and the high bits of its payload, quieted. What is tiny before rounding is flushed. */
SEM f32 cvt_f32_f64(f64 x, u32 mods)
{
    u64 u = bits_f64(x);
    u32 nan = (u32)(u >> 32) & 0x80000000u, tiny = (u & 0x7fffffffffffffffu) < 0x3810000000000000u;
    f32 r = x == x ? (f32)x : f32_bits(nan | 0x7fc00000u | ((u32)(u >> 29) & 0x3fffffu));
    if ((mods & PTX_FTZ) && tiny) r = f32_bits(nan);
    return mods & PTX_SAT ? sat_f32(r) : r;
}
SEM f64 cvt_f64_f32(f32 x, u32 mods)
{
    if (mods & PTX_FTZ) x = canonical_f32(ftz_f32(x));
    f64 r = x;
    return mods & PTX_SAT ? (r > 0 ? (r < 1 ? r : 1) : 0) : r;
}
SEM f32 cvt_f32_f32(f32 x, u32 mods)
{
    if (mods & PTX_FTZ) x = ftz_f32(x);
    if (mods & PTX_RINT) x = __builtin_rintf(x);
    if (mods & (PTX_FTZ | PTX_RINT | PTX_SAT)) x = canonical_f32(x); /* else a plain copy */
    return mods & PTX_SAT ? sat_f32(x) : x;
}
SEM f64 cvt_f64_f64(f64 x, u32 mods)
{
    if (mods & PTX_RINT) x = __builtin_rint(x);
    return mods & PTX_SAT ? (x > 0 ? (x < 1 ? x : 1) : 0) : x;
}

#include "ptx/semantics_half.h"
#include "ptx/semantics_video.h"

#endif
