/*
 * Half precision: __half (half) and __half2 (half2), IEEE binary16.
 */
#ifndef LWC_CUDA_FP16_H
#define LWC_CUDA_FP16_H
#define __CUDA_FP16_H__

#include "lanewise_clang/half_common.h"

/* The value of half bits, exactly. */
LWC_HD float lwc_half_float(unsigned short h)
{
#if defined(__CUDA_ARCH__)
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
#else
    unsigned sign = (unsigned)(h & 0x8000u) << 16, e = (h >> 10) & 31u, m = h & 0x3ffu;
    if (e == 31) return __builtin_bit_cast(float, m ? 0x7fffffffu : sign | 0x7f800000u);
    if (e == 0) {
        float v = (float)m * 5.9604644775390625e-8f; /* 2^-24 */
        return sign ? -v : v;
    }
    return __builtin_bit_cast(float, sign | (e + 112) << 23 | m << 13);
#endif
}
LWC_HD unsigned lwc_half_bits(float x)
{
#if defined(__CUDA_ARCH__)
    unsigned short r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
#else
    return lwc_float_to_bits(x, 5, 10, 0);
#endif
}

struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __half {
    unsigned short __x;
    __half() = default;
    LWC_THD constexpr __half(const __half_raw &r) : __x(r.x) {}
    LWC_THD __half(float v) : __x((unsigned short)lwc_half_bits(v)) {}
    LWC_THD __half(double v) : __x((unsigned short)lwc_half_bits(lwc_narrow(v))) {}
    LWC_THD __half(int v) : __half((double)v) {}
    LWC_THD __half(unsigned v) : __half((double)v) {}
    LWC_THD __half(short v) : __half((float)v) {}
    LWC_THD __half(unsigned short v) : __half((float)v) {}
    LWC_THD __half(long v) : __half((double)v) {}
    LWC_THD __half(unsigned long v) : __half((double)v) {}
    LWC_THD __half(long long v) : __half((double)v) {}
    LWC_THD __half(unsigned long long v) : __half((double)v) {}
    LWC_THD operator float() const { return lwc_half_float(__x); }
    LWC_THD operator __half_raw() const { return __half_raw{__x}; }
    LWC_THD __half &operator=(float v) { return *this = __half(v); }
    LWC_THD __half &operator=(double v) { return *this = __half(v); }
    LWC_THD explicit operator bool() const { return (__x & 0x7fffu) != 0; }
    LWC_HALF_MEMBERS(__half, lwc_half_float)
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    LWC_THD constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
    LWC_THD __half2(const __half2_raw &r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
    LWC_THD operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};

LWC_HD __half lwc_half_from_bits(unsigned b)
{
    __half_raw r = {(unsigned short)b};
    return __half(r);
}
LWC_HD float __half2float(const __half a) { return lwc_half_float(a.__x); }
LWC_HD __half __float2half(const float x) { return __half(x); }
LWC_HD __half __float2half_rn(const float x) { return __half(x); }
LWC_HD __half __float2half_rz(const float x) { return lwc_half_from_bits(lwc_float_to_bits(x, 5, 10, 1)); }
LWC_HD __half __float2half_ru(const float x) { return lwc_half_from_bits(lwc_float_to_bits(x, 5, 10, 2)); }
LWC_HD __half __float2half_rd(const float x) { return lwc_half_from_bits(lwc_float_to_bits(x, 5, 10, 3)); }
LWC_HD __half __double2half(const double x) { return __half(x); }
LWC_HD unsigned short __half_as_ushort(const __half a) { return a.__x; }
LWC_HD short __half_as_short(const __half a) { return (short)a.__x; }
LWC_HD __half __ushort_as_half(const unsigned short b) { return lwc_half_from_bits(b); }
LWC_HD __half __short_as_half(const short b) { return lwc_half_from_bits((unsigned short)b); }

LWC_HD __half2 __halves2half2(const __half a, const __half b) { return __half2(a, b); }
LWC_HD __half2 __half2half2(const __half a) { return __half2(a, a); }
LWC_HD __half2 make_half2(const __half a, const __half b) { return __half2(a, b); }
LWC_HD __half2 __float2half2_rn(const float x) { return __half2half2(__half(x)); }
LWC_HD __half2 __floats2half2_rn(const float a, const float b) { return __half2(__half(a), __half(b)); }
LWC_HD __half2 __float22half2_rn(const float2 a) { return __half2(__half(a.x), __half(a.y)); }
LWC_HD float2 __half22float2(const __half2 a) { return make_float2(__half2float(a.x), __half2float(a.y)); }
LWC_HALF_PARTS(__half, __half2, half, half2, __half2float)

/* ---- Arithmetic: single instructions on the device, through float on the host ---- */
#define LWC_F16_OP(fn, op, host)                                                                                       \
    LWC_HD __half fn(const __half a, const __half b)                                                                   \
    {                                                                                                                  \
        LWC_F16_DEVICE(unsigned short r; asm(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x));                \
                       return lwc_half_from_bits(r);)                                                                  \
        LWC_F16_HOST(return __half(__half2float(a) host __half2float(b));)                                             \
    }                                                                                                                  \
    LWC_HD __half2 fn##2(const __half2 a, const __half2 b)                                                             \
    {                                                                                                                  \
        LWC_F16_DEVICE(unsigned r; asm(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(__builtin_bit_cast(unsigned, a)),       \
                                       "r"(__builtin_bit_cast(unsigned, b)));                                          \
                       return __builtin_bit_cast(__half2, r);)                                                         \
        LWC_F16_HOST(return __half2(fn(a.x, b.x), fn(a.y, b.y));)                                                      \
    }
#if defined(__CUDA_ARCH__)
#define LWC_F16_DEVICE(...) __VA_ARGS__
#define LWC_F16_HOST(...)
#else
#define LWC_F16_DEVICE(...)
#define LWC_F16_HOST(...) __VA_ARGS__
#endif
LWC_F16_OP(__hadd, "add", +)
LWC_F16_OP(__hsub, "sub", -)
LWC_F16_OP(__hmul, "mul", *)
#undef LWC_F16_OP
#undef LWC_F16_DEVICE
#undef LWC_F16_HOST

LWC_FN __half __hfma(const __half a, const __half b, const __half c)
{
    unsigned short r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return lwc_half_from_bits(r);
}
LWC_FN __half2 __hfma2(const __half2 a, const __half2 b, const __half2 c)
{
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)),
          "r"(__builtin_bit_cast(unsigned, c)));
    return __builtin_bit_cast(__half2, r);
}
/* (a.x + i a.y)(b.x + i b.y) + c */
LWC_FN __half2 __hcmadd(const __half2 a, const __half2 b, const __half2 c)
{
    __half re = __hfma(lwc_half_from_bits(a.y.__x ^ 0x8000u), b.y, __hfma(a.x, b.x, c.x)),
           im = __hfma(a.y, b.x, __hfma(a.x, b.y, c.y));
    return __half2(re, im);
}

LWC_HALF_COMPARES(__half, __half2, __half2float, lwc_half_from_bits(0x3c00u), lwc_half_from_bits(0u))
LWC_HALF_MINMAX(__half, __half2, __half2float, __float2half)
LWC_HALF_DERIVED(__half, __half2, __half2float, __float2half)
LWC_HALF_MATH(__half, __half2, __half2float, __float2half)
LWC_HALF_INTEGERS(__half, half, __half2float, __float2half)
LWC_HALF_MEMORY(__half, __half2)
LWC_HALF_OPERATORS(__half, __half2, lwc_half_from_bits(0x3c00u))

/* ---- Atomics: the instruction for pairs, sm_70 for single halves ---- */
LWC_FN __half2 atomicAdd(__half2 *p, __half2 v)
{
    unsigned r;
    asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p), "r"(__builtin_bit_cast(unsigned, v))
                 : "memory");
    return __builtin_bit_cast(__half2, r);
}
LWC_FN __half atomicAdd(__half *p, __half v)
{
    unsigned short r;
    asm volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return lwc_half_from_bits(r);
}

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)

#endif
