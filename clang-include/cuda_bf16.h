/*
 * bfloat16: __nv_bfloat16 and __nv_bfloat162, the upper half of a float.
 */
#ifndef LWC_CUDA_BF16_H
#define LWC_CUDA_BF16_H
#define __CUDA_BF16_H__

#include "lanewise_clang/half_common.h"

LWC_HD float lwc_bfloat16_float(unsigned short h) { return __builtin_bit_cast(float, (unsigned)h << 16); }
LWC_HD unsigned lwc_bfloat16_bits(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned short r;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
#else
    return lwc_float_to_bits(x, 8, 7, 0);
#endif
}

struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    LWC_THD constexpr __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
    LWC_THD __nv_bfloat16(float v) : __x((unsigned short)lwc_bfloat16_bits(v)) {}
    LWC_THD __nv_bfloat16(double v) : __x((unsigned short)lwc_bfloat16_bits(lwc_narrow(v))) {}
    LWC_THD __nv_bfloat16(int v) : __nv_bfloat16((double)v) {}
    LWC_THD __nv_bfloat16(unsigned v) : __nv_bfloat16((double)v) {}
    LWC_THD __nv_bfloat16(short v) : __nv_bfloat16((float)v) {}
    LWC_THD __nv_bfloat16(unsigned short v) : __nv_bfloat16((float)v) {}
    LWC_THD __nv_bfloat16(long v) : __nv_bfloat16((double)v) {}
    LWC_THD __nv_bfloat16(unsigned long v) : __nv_bfloat16((double)v) {}
    LWC_THD __nv_bfloat16(long long v) : __nv_bfloat16((double)v) {}
    LWC_THD __nv_bfloat16(unsigned long long v) : __nv_bfloat16((double)v) {}
    LWC_THD operator float() const { return lwc_bfloat16_float(__x); }
    LWC_THD operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    LWC_THD __nv_bfloat16 &operator=(float v) { return *this = __nv_bfloat16(v); }
    LWC_THD __nv_bfloat16 &operator=(double v) { return *this = __nv_bfloat16(v); }
    LWC_THD explicit operator bool() const { return (__x & 0x7fffu) != 0; }
    LWC_HALF_MEMBERS(__nv_bfloat16, lwc_bfloat16_float)
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    LWC_THD constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
    LWC_THD __nv_bfloat162(const __nv_bfloat162_raw &r) : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y}) {}
    LWC_THD operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};

LWC_HD __nv_bfloat16 lwc_bfloat16_from_bits(unsigned b)
{
    __nv_bfloat16_raw r = {(unsigned short)b};
    return __nv_bfloat16(r);
}
LWC_HD float __bfloat162float(const __nv_bfloat16 a) { return lwc_bfloat16_float(a.__x); }
LWC_HD __nv_bfloat16 __float2bfloat16(const float x) { return __nv_bfloat16(x); }
LWC_HD __nv_bfloat16 __float2bfloat16_rn(const float x) { return __nv_bfloat16(x); }
LWC_HD __nv_bfloat16 __float2bfloat16_rz(const float x)
{
    return lwc_bfloat16_from_bits(lwc_float_to_bits(x, 8, 7, 1));
}
LWC_HD __nv_bfloat16 __float2bfloat16_ru(const float x)
{
    return lwc_bfloat16_from_bits(lwc_float_to_bits(x, 8, 7, 2));
}
LWC_HD __nv_bfloat16 __float2bfloat16_rd(const float x)
{
    return lwc_bfloat16_from_bits(lwc_float_to_bits(x, 8, 7, 3));
}
LWC_HD __nv_bfloat16 __double2bfloat16(const double x) { return __nv_bfloat16(x); }
LWC_HD unsigned short __bfloat16_as_ushort(const __nv_bfloat16 a) { return a.__x; }
LWC_HD short __bfloat16_as_short(const __nv_bfloat16 a) { return (short)a.__x; }
LWC_HD __nv_bfloat16 __ushort_as_bfloat16(const unsigned short b) { return lwc_bfloat16_from_bits(b); }
LWC_HD __nv_bfloat16 __short_as_bfloat16(const short b) { return lwc_bfloat16_from_bits((unsigned short)b); }

LWC_HD __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 a, const __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
LWC_HD __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 a) { return __nv_bfloat162(a, a); }
LWC_HD __nv_bfloat162 make_bfloat162(const __nv_bfloat16 a, const __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
LWC_HD __nv_bfloat162 __float2bfloat162_rn(const float x) { return __bfloat162bfloat162(__nv_bfloat16(x)); }
LWC_HD __nv_bfloat162 __floats2bfloat162_rn(const float a, const float b)
{
    return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
LWC_HD __nv_bfloat162 __float22bfloat162_rn(const float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
LWC_HD float2 __bfloat1622float2(const __nv_bfloat162 a)
{
    return make_float2(__bfloat162float(a.x), __bfloat162float(a.y));
}
LWC_HALF_PARTS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, __bfloat162float)

LWC_HALF_BINARY(__nv_bfloat16, __nv_bfloat162, __hadd, __bfloat162float, __float2bfloat16, x + y)
LWC_HALF_BINARY(__nv_bfloat16, __nv_bfloat162, __hsub, __bfloat162float, __float2bfloat16, x - y)
LWC_HALF_BINARY(__nv_bfloat16, __nv_bfloat162, __hmul, __bfloat162float, __float2bfloat16, x *y)

LWC_FN __nv_bfloat162 __hfma2(const __nv_bfloat162 a, const __nv_bfloat162 b, const __nv_bfloat162 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)),
          "r"(__builtin_bit_cast(unsigned, c)));
    return __builtin_bit_cast(__nv_bfloat162, r);
#else
    /* The product of two is exact in float; their sum with c is exact enough in double, with a sticky last bit. */
    return __nv_bfloat162(__nv_bfloat16((double)__bfloat162float(a.x) * __bfloat162float(b.x) + __bfloat162float(c.x)),
                          __nv_bfloat16((double)__bfloat162float(a.y) * __bfloat162float(b.y) + __bfloat162float(c.y)));
#endif
}
LWC_FN __nv_bfloat16 __hfma(const __nv_bfloat16 a, const __nv_bfloat16 b, const __nv_bfloat16 c)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    unsigned short r;
    asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return lwc_bfloat16_from_bits(r);
#else
    return __nv_bfloat16((double)__bfloat162float(a) * __bfloat162float(b) + __bfloat162float(c));
#endif
}

LWC_HALF_COMPARES(__nv_bfloat16, __nv_bfloat162, __bfloat162float, lwc_bfloat16_from_bits(0x3f80u),
                  lwc_bfloat16_from_bits(0u))
LWC_HALF_MINMAX(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16)
LWC_HALF_DERIVED(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16)
LWC_HALF_MATH(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16)
LWC_HALF_INTEGERS(__nv_bfloat16, bfloat16, __bfloat162float, __float2bfloat16)
LWC_HALF_MEMORY(__nv_bfloat16, __nv_bfloat162)
LWC_HALF_OPERATORS(__nv_bfloat16, __nv_bfloat162, lwc_bfloat16_from_bits(0x3f80u))

/* ---- Atomics: instructions from sm_90 on, compare and swap below ---- */
LWC_FN __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned r;
    asm volatile("atom.add.noftz.bf16x2 %0, [%1], %2;"
                 : "=r"(r)
                 : "l"(p), "r"(__builtin_bit_cast(unsigned, v))
                 : "memory");
    return __builtin_bit_cast(__nv_bfloat162, r);
#else
    LWC_HALF_ATOMIC_CAS(__nv_bfloat162, unsigned, __hadd2)
#endif
}
LWC_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned short r;
    asm volatile("atom.add.noftz.bf16 %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");
    return lwc_bfloat16_from_bits(r);
#else
    LWC_HALF_ATOMIC_CAS(__nv_bfloat16, unsigned short, __hadd)
#endif
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)

#endif
