/*
 * What half and bfloat16 share: one set of macros makes both types' functions from a type's conversions and its few
 * hardware instructions. H is the scalar type, H2 the pair, HN and HN2 their names in the functions' names.
 * Additions, products, quotients and roots computed in float and rounded once equal the directly rounded ones, because
 * float has more than twice the bits; so only the fused product needs its own instruction.
 */
#ifndef LWC_HALF_COMMON_H
#define LWC_HALF_COMMON_H

#include "../cuda_runtime.h"

/* Float to a format of E exponent and M significand bits, to nearest even (mode 0), to zero (1), up (2), down (3). */
LWC_HD unsigned lwc_float_to_bits(float x, int E, int M, int mode)
{
    unsigned b = __builtin_bit_cast(unsigned, x), sign = b >> 31 << (E + M), a = b & 0x7fffffffu;
    const unsigned max_exp = (1u << E) - 1, bias = (1u << (E - 1)) - 1;
    if (a > 0x7f800000u)
        return (1u << (E + M)) - 1u; /* the canonical NaN: sign clear, all ones */
    if (a == 0x7f800000u)
        return sign | (max_exp << M);
    int exp = (int)(a >> 23) - 127 + (int)bias;
    unsigned m = a >> 23 ? (a & 0x7fffffu) | 0x800000u : (a & 0x7fffffu) << 1;
    int drop = 23 - M;
    if (exp <= 0) {
        drop += 1 - exp;
        exp = 0;
    }
    unsigned kept, rest, half;
    if (drop > 25) {
        kept = 0;
        rest = a != 0;
        half = 2;
    } else {
        kept = m >> drop;
        rest = m & ((1u << drop) - 1u);
        half = drop ? 1u << (drop - 1) : 1u;
    }
    unsigned up = mode == 0   ? (drop && (rest > half || (rest == half && (kept & 1))))
                  : mode == 1 ? 0
                  : mode == 2 ? (rest && !sign)
                              : (rest && sign);
    /* The hidden bit adds one to the exponent of a normal number; a carry from rounding does so too. */
    unsigned r = (exp > 0 ? (unsigned)(exp - 1) << M : 0u) + kept + up;
    if (r >= max_exp << M)
        r = up || mode == 0 ? max_exp << M : (max_exp << M) - 1u;
    return sign | r;
}

/* Double to float for a second rounding: an inexact one leaves a sticky last bit, so that the second is right. */
LWC_HD float lwc_sticky(double v)
{
    float f = (float)v;
    if ((double)f == v)
        return f;
    unsigned long long b = __builtin_bit_cast(unsigned long long, v) & ~0x1fffffffull; /* cut to 24 bits */
    float t = (float)__builtin_bit_cast(double, b);
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, t) | 1u);
}
template <class T> static LWC_THD T lwc_saturate(float x)
{
    const bool is_signed = (T)-1 < (T)0;
    const int bits = (int)sizeof(T) * 8 - (is_signed ? 1 : 0);
    const T top = (T)(~0ull >> (64 - bits)), bottom = is_signed ? (T)(-top - 1) : (T)0;
    if (x != x)
        return sizeof(T) == 8 ? (T)(1ull << 63) : (T)0;
    if (x >= (float)(1ull << (bits - 1)) * 2.0f)
        return top;
    if (x <= (float)bottom)
        return bottom;
    return (T)x;
}
LWC_HD float lwc_narrow(double v) { return lwc_sticky(v); }

/* ---- Scalars and pairs: arithmetic, comparison, conversion ---- */
#define LWC_HALF_BINARY(H, H2, fn, toF, fromF, expr)                                                          \
    LWC_HD H fn(const H a, const H b)                                                                               \
    {                                                                                                               \
        const float x = toF(a), y = toF(b);                                                                         \
        return fromF(expr);                                                                                         \
    }                                                                                                               \
    LWC_HD H2 fn##2(const H2 a, const H2 b) { return H2(fn(a.x, b.x), fn(a.y, b.y)); }
#define LWC_HALF_COMPARE(H, H2, fn, fn2, toF, one, zero, expr)                                                      \
    LWC_HD bool fn(const H a, const H b)                                                                            \
    {                                                                                                               \
        const float x = toF(a), y = toF(b);                                                                         \
        return expr;                                                                                                \
    }                                                                                                               \
    LWC_HD H2 fn##2(const H2 a, const H2 b)                                                                         \
    {                                                                                                               \
        return H2(fn(a.x, b.x) ? one : zero, fn(a.y, b.y) ? one : zero);                                            \
    }                                                                                                               \
    LWC_HD unsigned fn##2_mask(const H2 a, const H2 b)                                                              \
    {                                                                                                               \
        return (fn(a.x, b.x) ? 0xffffu : 0u) | (fn(a.y, b.y) ? 0xffff0000u : 0u);                                   \
    }                                                                                                               \
    LWC_HD bool fn2##2(const H2 a, const H2 b) { return fn(a.x, b.x) && fn(a.y, b.y); }
#define LWC_HALF_UNARY(H, H2, fn, fn2, toF, fromF, expr)                                                            \
    LWC_FN H fn(const H a)                                                                                          \
    {                                                                                                               \
        const float x = toF(a);                                                                                     \
        return fromF(expr);                                                                                         \
    }                                                                                                               \
    LWC_FN H2 fn2(const H2 a) { return H2(fn(a.x), fn(a.y)); }

#define LWC_HALF_COMPARES(H, H2, toF, one, zero)                                                                    \
    LWC_HALF_COMPARE(H, H2, __heq, __hbeq, toF, one, zero, x == y)                                                  \
    LWC_HALF_COMPARE(H, H2, __hne, __hbne, toF, one, zero, x < y || x > y)                                          \
    LWC_HALF_COMPARE(H, H2, __hlt, __hblt, toF, one, zero, x < y)                                                   \
    LWC_HALF_COMPARE(H, H2, __hle, __hble, toF, one, zero, x <= y)                                                  \
    LWC_HALF_COMPARE(H, H2, __hgt, __hbgt, toF, one, zero, x > y)                                                   \
    LWC_HALF_COMPARE(H, H2, __hge, __hbge, toF, one, zero, x >= y)                                                  \
    LWC_HALF_COMPARE(H, H2, __hequ, __hbequ, toF, one, zero, !(x < y || x > y))                                     \
    LWC_HALF_COMPARE(H, H2, __hneu, __hbneu, toF, one, zero, x != y)                                                \
    LWC_HALF_COMPARE(H, H2, __hltu, __hbltu, toF, one, zero, !(x >= y))                                             \
    LWC_HALF_COMPARE(H, H2, __hleu, __hbleu, toF, one, zero, !(x > y))                                              \
    LWC_HALF_COMPARE(H, H2, __hgtu, __hbgtu, toF, one, zero, !(x <= y))                                             \
    LWC_HALF_COMPARE(H, H2, __hgeu, __hbgeu, toF, one, zero, !(x < y))                                              \
    LWC_HD bool __hisnan(const H a) { const float x = toF(a); return x != x; }                                      \
    LWC_HD H2 __hisnan2(const H2 a) { return H2(__hisnan(a.x) ? one : zero, __hisnan(a.y) ? one : zero); }          \
    LWC_HD int __hisinf(const H a)                                                                                  \
    {                                                                                                               \
        const float x = toF(a);                                                                                     \
        return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0;                                         \
    }

/* Minimum and maximum: the operand that is no NaN, or with _nan the canonical NaN. */
#define LWC_HALF_MINMAX(H, H2, toF, fromF)                                                                          \
    LWC_HALF_BINARY(H, H2, __hmin, toF, fromF, x != x ? y : y != y ? x : x < y || (x == y && __builtin_signbit(x)) ? x : y) \
    LWC_HALF_BINARY(H, H2, __hmax, toF, fromF, x != x ? y : y != y ? x : x > y || (x == y && !__builtin_signbit(x)) ? x : y) \
    LWC_HD H __hmin_nan(const H a, const H b) { return __hisnan(a) || __hisnan(b) ? fromF(__builtin_nanf("")) : __hmin(a, b); } \
    LWC_HD H __hmax_nan(const H a, const H b) { return __hisnan(a) || __hisnan(b) ? fromF(__builtin_nanf("")) : __hmax(a, b); } \
    LWC_HD H2 __hmin2_nan(const H2 a, const H2 b) { return H2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }        \
    LWC_HD H2 __hmax2_nan(const H2 a, const H2 b) { return H2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }

#define LWC_HALF_MATH(H, H2, toF, fromF)                                                                            \
    LWC_HALF_UNARY(H, H2, hsqrt, h2sqrt, toF, fromF, __builtin_sqrtf(x))                                            \
    LWC_HALF_UNARY(H, H2, hrsqrt, h2rsqrt, toF, fromF, rsqrtf(x))                                                   \
    LWC_HALF_UNARY(H, H2, hrcp, h2rcp, toF, fromF, 1.0f / x)                                                        \
    LWC_HALF_UNARY(H, H2, hexp, h2exp, toF, fromF, lwm_expf(x))                                                     \
    LWC_HALF_UNARY(H, H2, hexp2, h2exp2, toF, fromF, lwm_exp2f(x))                                                  \
    LWC_HALF_UNARY(H, H2, hexp10, h2exp10, toF, fromF, lwm_exp10f(x))                                               \
    LWC_HALF_UNARY(H, H2, hlog, h2log, toF, fromF, lwm_logf(x))                                                     \
    LWC_HALF_UNARY(H, H2, hlog2, h2log2, toF, fromF, lwm_log2f(x))                                                  \
    LWC_HALF_UNARY(H, H2, hlog10, h2log10, toF, fromF, lwm_log10f(x))                                               \
    LWC_HALF_UNARY(H, H2, hsin, h2sin, toF, fromF, lwm_sinf(x))                                                     \
    LWC_HALF_UNARY(H, H2, hcos, h2cos, toF, fromF, lwm_cosf(x))                                                     \
    LWC_HALF_UNARY(H, H2, htanh, h2tanh, toF, fromF, (float)lwm_tanh((double)x))                                    \
    LWC_HALF_UNARY(H, H2, hfloor, h2floor, toF, fromF, __builtin_floorf(x))                                         \
    LWC_HALF_UNARY(H, H2, hceil, h2ceil, toF, fromF, __builtin_ceilf(x))                                            \
    LWC_HALF_UNARY(H, H2, htrunc, h2trunc, toF, fromF, __builtin_truncf(x))                                         \
    LWC_HALF_UNARY(H, H2, hrint, h2rint, toF, fromF, __builtin_rintf(x))

/* Members of a 16-bit float's class, as in the toolkit: what it takes from integers, and gives to them, rounded towards
 * zero and saturated. toF: its bits as a float. The toolkit's conversions to integers are implicit; here an implicit one
 * goes through float. */
#define LWC_HALF_TAKES(H, type) LWC_THD H &operator=(type v) { return *this = H(v); }
#define LWC_HALF_GIVES(toF, type)                                                                                   \
    LWC_THD explicit operator type() const { return lwc_saturate<type>(__builtin_truncf(toF(__x))); }
#define LWC_HALF_MEMBERS(H, toF)                                                                                    \
    LWC_HALF_TAKES(H, short)                                                                                        \
    LWC_HALF_TAKES(H, unsigned short)                                                                               \
    LWC_HALF_TAKES(H, int)                                                                                          \
    LWC_HALF_TAKES(H, unsigned)                                                                                     \
    LWC_HALF_TAKES(H, long long)                                                                                    \
    LWC_HALF_TAKES(H, unsigned long long)                                                                           \
    LWC_HALF_GIVES(toF, char)                                                                                       \
    LWC_HALF_GIVES(toF, signed char)                                                                                \
    LWC_HALF_GIVES(toF, unsigned char)                                                                              \
    LWC_HALF_GIVES(toF, short)                                                                                      \
    LWC_HALF_GIVES(toF, unsigned short)                                                                             \
    LWC_HALF_GIVES(toF, int)                                                                                        \
    LWC_HALF_GIVES(toF, unsigned)                                                                                   \
    LWC_HALF_GIVES(toF, long)                                                                                       \
    LWC_HALF_GIVES(toF, unsigned long)                                                                              \
    LWC_HALF_GIVES(toF, long long)                                                                                  \
    LWC_HALF_GIVES(toF, unsigned long long)

/* Integers: through double, which holds every 32-bit value and decides 64-bit ones outside the format's precision. */
#define LWC_HALF_INTEGER(H, HN, iname, itype, toF, fromD)                                                           \
    LWC_HD itype __##HN##2##iname##_rz(const H a) { return lwc_saturate<itype>(__builtin_truncf(toF(a))); }         \
    LWC_HD itype __##HN##2##iname##_rn(const H a) { return lwc_saturate<itype>(__builtin_rintf(toF(a))); }          \
    LWC_HD itype __##HN##2##iname##_ru(const H a) { return lwc_saturate<itype>(__builtin_ceilf(toF(a))); }          \
    LWC_HD itype __##HN##2##iname##_rd(const H a) { return lwc_saturate<itype>(__builtin_floorf(toF(a))); }         \
    LWC_HD H __##iname##2##HN##_rn(const itype v) { return fromD(lwc_sticky((double)v)); }
#define LWC_HALF_INTEGERS(H, HN, toF, fromD)                                                                        \
    LWC_HALF_INTEGER(H, HN, int, int, toF, fromD)                                                                   \
    LWC_HALF_INTEGER(H, HN, uint, unsigned int, toF, fromD)                                                         \
    LWC_HALF_INTEGER(H, HN, short, short, toF, fromD)                                                               \
    LWC_HALF_INTEGER(H, HN, ushort, unsigned short, toF, fromD)                                                     \
    LWC_HALF_INTEGER(H, HN, ll, long long, toF, fromD)                                                              \
    LWC_HALF_INTEGER(H, HN, ull, unsigned long long, toF, fromD)

/* ---- Pairs: parts ---- */
#define LWC_HALF_PARTS(H, H2, lowf, highf, toF)                                                                     \
    LWC_HD H __low2##lowf(const H2 a) { return a.x; }                                                               \
    LWC_HD H __high2##lowf(const H2 a) { return a.y; }                                                              \
    LWC_HD H2 __low2##highf(const H2 a) { return H2(a.x, a.x); }                                                    \
    LWC_HD H2 __high2##highf(const H2 a) { return H2(a.y, a.y); }                                                   \
    LWC_HD H2 __lows2##highf(const H2 a, const H2 b) { return H2(a.x, b.x); }                                       \
    LWC_HD H2 __highs2##highf(const H2 a, const H2 b) { return H2(a.y, b.y); }                                      \
    LWC_HD float __low2float(const H2 a) { return toF(a.x); }                                                       \
    LWC_HD float __high2float(const H2 a) { return toF(a.y); }                                                      \
    LWC_HD H2 __lowhigh2highlow(const H2 a) { return H2(a.y, a.x); }

/* ---- Shuffles, loads, operators ---- */
#define LWC_HALF_SHUFFLE(H, H2, fn, btype)                                                                          \
    LWC_FN H fn(unsigned m, H v, btype b, int w = 32)                                                               \
    {                                                                                                               \
        return __builtin_bit_cast(H, (unsigned short)fn(m, (unsigned)__builtin_bit_cast(unsigned short, v), b, w)); \
    }                                                                                                               \
    LWC_FN H2 fn(unsigned m, H2 v, btype b, int w = 32)                                                             \
    {                                                                                                               \
        return __builtin_bit_cast(H2, fn(m, __builtin_bit_cast(unsigned, v), b, w));                                \
    }
#define LWC_HALF_LOAD(H, H2, fn)                                                                                    \
    LWC_FN H fn(const H *p) { return __builtin_bit_cast(H, fn((const unsigned short *)p)); }                        \
    LWC_FN H2 fn(const H2 *p) { return __builtin_bit_cast(H2, fn((const unsigned *)p)); }
#define LWC_HALF_STORE(H, H2, fn)                                                                                   \
    LWC_FN void fn(H *p, H v) { fn((unsigned short *)p, __builtin_bit_cast(unsigned short, v)); }                   \
    LWC_FN void fn(H2 *p, H2 v) { fn((unsigned *)p, __builtin_bit_cast(unsigned, v)); }
#define LWC_HALF_MEMORY(H, H2)                                                                                      \
    LWC_HALF_SHUFFLE(H, H2, __shfl_sync, int)                                                                       \
    LWC_HALF_SHUFFLE(H, H2, __shfl_up_sync, unsigned)                                                               \
    LWC_HALF_SHUFFLE(H, H2, __shfl_down_sync, unsigned)                                                             \
    LWC_HALF_SHUFFLE(H, H2, __shfl_xor_sync, int)                                                                   \
    LWC_HALF_LOAD(H, H2, __ldg) LWC_HALF_LOAD(H, H2, __ldca) LWC_HALF_LOAD(H, H2, __ldcg)                           \
    LWC_HALF_LOAD(H, H2, __ldcs) LWC_HALF_LOAD(H, H2, __ldcv) LWC_HALF_LOAD(H, H2, __ldlu)                          \
    LWC_HALF_STORE(H, H2, __stwb) LWC_HALF_STORE(H, H2, __stcg) LWC_HALF_STORE(H, H2, __stcs)                       \
    LWC_HALF_STORE(H, H2, __stwt)

#define LWC_HALF_OPERATOR(H, H2, op, fn)                                                                            \
    LWC_HD H operator op(const H &a, const H &b) { return fn(a, b); }                                               \
    LWC_HD H &operator op##=(H &a, const H &b) { a = fn(a, b); return a; }                                          \
    LWC_HD H2 operator op(const H2 &a, const H2 &b) { return fn##2(a, b); }                                         \
    LWC_HD H2 &operator op##=(H2 &a, const H2 &b) { a = fn##2(a, b); return a; }
#define LWC_HALF_RELATION(H, H2, op, fn, fn2)                                                                       \
    LWC_HD bool operator op(const H &a, const H &b) { return fn(a, b); }                                            \
    LWC_HD bool operator op(const H2 &a, const H2 &b) { return fn2(a, b); }
#define LWC_HALF_OPERATORS(H, H2, one)                                                                              \
    LWC_HALF_OPERATOR(H, H2, +, __hadd)                                                                             \
    LWC_HALF_OPERATOR(H, H2, -, __hsub)                                                                             \
    LWC_HALF_OPERATOR(H, H2, *, __hmul)                                                                             \
    LWC_HALF_OPERATOR(H, H2, /, lwc_hdiv)                                                                           \
    LWC_HALF_RELATION(H, H2, ==, __heq, __hbeq2)                                                                    \
    LWC_HALF_RELATION(H, H2, !=, __hneu, __hbneu2)                                                                  \
    LWC_HALF_RELATION(H, H2, <, __hlt, __hblt2)                                                                     \
    LWC_HALF_RELATION(H, H2, <=, __hle, __hble2)                                                                    \
    LWC_HALF_RELATION(H, H2, >, __hgt, __hbgt2)                                                                     \
    LWC_HALF_RELATION(H, H2, >=, __hge, __hbge2)                                                                    \
    LWC_HD H operator+(const H &a) { return a; }                                                                    \
    LWC_HD H operator-(const H &a) { return __hneg(a); }                                                            \
    LWC_HD H2 operator+(const H2 &a) { return a; }                                                                  \
    LWC_HD H2 operator-(const H2 &a) { return __hneg2(a); }                                                         \
    LWC_HD H &operator++(H &a) { a = __hadd(a, one); return a; }                                                    \
    LWC_HD H &operator--(H &a) { a = __hsub(a, one); return a; }                                                    \
    LWC_HD H operator++(H &a, int) { H o = a; a = __hadd(a, one); return o; }                                       \
    LWC_HD H operator--(H &a, int) { H o = a; a = __hsub(a, one); return o; }

/* What follows from the basic operations, for both types. */
#define LWC_HALF_DERIVED(H, H2, toF, fromF)                                                                         \
    LWC_HD H __hneg(const H a)                                                                                      \
    {                                                                                                               \
        return __builtin_bit_cast(H, (unsigned short)(__builtin_bit_cast(unsigned short, a) ^ 0x8000u));            \
    }                                                                                                               \
    LWC_HD H __habs(const H a)                                                                                      \
    {                                                                                                               \
        return __builtin_bit_cast(H, (unsigned short)(__builtin_bit_cast(unsigned short, a) & 0x7fffu));            \
    }                                                                                                               \
    LWC_HD H2 __hneg2(const H2 a) { return __builtin_bit_cast(H2, __builtin_bit_cast(unsigned, a) ^ 0x80008000u); } \
    LWC_HD H2 __habs2(const H2 a) { return __builtin_bit_cast(H2, __builtin_bit_cast(unsigned, a) & 0x7fff7fffu); } \
    LWC_HD H __hdiv(const H a, const H b) { return fromF(toF(a) / toF(b)); }                                        \
    LWC_HD H2 __h2div(const H2 a, const H2 b) { return H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                    \
    LWC_HD H lwc_hdiv(const H a, const H b) { return __hdiv(a, b); }                                                \
    LWC_HD H2 lwc_hdiv2(const H2 a, const H2 b) { return __h2div(a, b); }                                           \
    LWC_HD H lwc_hsat(const H a)                                                                                    \
    {                                                                                                               \
        const float x = toF(a);                                                                                     \
        return fromF(x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f);                                                      \
    }                                                                                                               \
    LWC_HD H2 lwc_hsat2(const H2 a) { return H2(lwc_hsat(a.x), lwc_hsat(a.y)); }                                    \
    LWC_HD H lwc_hrelu(const H a) { return toF(a) < 0.0f ? fromF(0.0f) : a; }                                       \
    LWC_HD H __hadd_sat(const H a, const H b) { return lwc_hsat(__hadd(a, b)); }                                    \
    LWC_HD H __hsub_sat(const H a, const H b) { return lwc_hsat(__hsub(a, b)); }                                    \
    LWC_HD H __hmul_sat(const H a, const H b) { return lwc_hsat(__hmul(a, b)); }                                    \
    LWC_HD H2 __hadd2_sat(const H2 a, const H2 b) { return lwc_hsat2(__hadd2(a, b)); }                              \
    LWC_HD H2 __hsub2_sat(const H2 a, const H2 b) { return lwc_hsat2(__hsub2(a, b)); }                              \
    LWC_HD H2 __hmul2_sat(const H2 a, const H2 b) { return lwc_hsat2(__hmul2(a, b)); }                              \
    LWC_HD H __hadd_rn(const H a, const H b) { return __hadd(a, b); }                                               \
    LWC_HD H __hsub_rn(const H a, const H b) { return __hsub(a, b); }                                               \
    LWC_HD H __hmul_rn(const H a, const H b) { return __hmul(a, b); }                                               \
    LWC_HD H2 __hadd2_rn(const H2 a, const H2 b) { return __hadd2(a, b); }                                          \
    LWC_HD H2 __hsub2_rn(const H2 a, const H2 b) { return __hsub2(a, b); }                                          \
    LWC_HD H2 __hmul2_rn(const H2 a, const H2 b) { return __hmul2(a, b); }                                          \
    LWC_FN H __hfma_sat(const H a, const H b, const H c) { return lwc_hsat(__hfma(a, b, c)); }                      \
    LWC_FN H2 __hfma2_sat(const H2 a, const H2 b, const H2 c) { return lwc_hsat2(__hfma2(a, b, c)); }               \
    LWC_FN H __hfma_relu(const H a, const H b, const H c) { return lwc_hrelu(__hfma(a, b, c)); }                    \
    LWC_FN H2 __hfma2_relu(const H2 a, const H2 b, const H2 c)                                                      \
    {                                                                                                               \
        H2 r = __hfma2(a, b, c);                                                                                    \
        return H2(lwc_hrelu(r.x), lwc_hrelu(r.y));                                                                  \
    }

/* A pair as atomic, by compare and swap where the instruction is missing. */
#define LWC_HALF_ATOMIC_CAS(H, bits, add)                                                                           \
    {                                                                                                               \
        bits old = *(volatile bits *)p, seen;                                                                       \
        do {                                                                                                        \
            seen = old;                                                                                             \
            old = atomicCAS((bits *)p, seen, __builtin_bit_cast(bits, add(__builtin_bit_cast(H, seen), v)));        \
        } while (old != seen);                                                                                      \
        return __builtin_bit_cast(H, old);                                                                          \
    }

#endif
