/*
 * 8-bit floating point: e4m3 (no infinities, largest 448) and e5m2 (infinities, largest 57344), conversions only.
 * Plain integer code for host and device; to nearest even, with or without saturation to the largest finite value.
 */
#ifndef LWC_CUDA_FP8_H
#define LWC_CUDA_FP8_H
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

LWC_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t sat,
                                                const __nv_fp8_interpretation_t kind)
{
    const unsigned b = __builtin_bit_cast(unsigned, x), sign = b >> 24 & 0x80u;
    const int m = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    const unsigned top = kind == __NV_E4M3 ? 0x7eu : 0x7bu;  /* the largest finite value's bits */
    const unsigned past = kind == __NV_E4M3 ? 0x7fu : 0x7cu; /* what lies beyond it: NaN, infinity */
    const float a = __builtin_fabsf(x);
    if (x != x) return (__nv_fp8_storage_t)(kind == __NV_E4M3 ? 0x7fu | sign : 0x7eu | sign);
    /* Round in units of the last place: the exponent of the format's subnormals is the smallest. */
    int e = (int)(__builtin_bit_cast(unsigned, a) >> 23) - 127;
    if (e < 1 - bias) e = 1 - bias;
    unsigned r;
    if (e > 2 * bias + 1) r = 0x80u;
    else {
        float unit = __builtin_bit_cast(float, (unsigned)(127 + m - e) << 23); /* 2^(m - e) */
        float n = __builtin_rintf(a * unit);                                   /* below 2^(m + 1), or just that */
        r = (unsigned)n + ((unsigned)(e - (1 - bias)) << m);
    }
    if (r > top) r = sat == __NV_SATFINITE ? top : past;
    return (__nv_fp8_storage_t)(r | sign);
}
LWC_HD float lwc_fp8_to_float(const __nv_fp8_storage_t v, const __nv_fp8_interpretation_t kind)
{
    const int m = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
    const unsigned e = (v & 0x7fu) >> m, f = v & ((1u << m) - 1u);
    if (kind == __NV_E4M3 ? (v & 0x7fu) == 0x7fu : (v & 0x7fu) > 0x7cu) return __builtin_nanf("");
    if (kind == __NV_E5M2 && (v & 0x7fu) == 0x7cu) return (v & 0x80u) ? -__builtin_inff() : __builtin_inff();
    float unit = __builtin_bit_cast(float, (unsigned)(127 - bias - m + (int)(e ? e : 1)) << 23);
    float r = (float)(e ? f | 1u << m : f) * unit;
    return (v & 0x80u) ? -r : r;
}

LWC_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t s,
                                                 const __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8(lwc_narrow(x), s, k);
}
LWC_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t s,
                                                  const __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), s, k);
}
LWC_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t s,
                                                      const __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), s, k);
}
LWC_HD __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t v, const __nv_fp8_interpretation_t k)
{
    return __half(lwc_fp8_to_float(v, k));
}
LWC_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t s,
                                                     const __nv_fp8_interpretation_t k)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, s, k) | __nv_cvt_float_to_fp8(x.y, s, k) << 8);
}
LWC_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t s,
                                                       const __nv_fp8_interpretation_t k)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), s, k);
}
LWC_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t v, const __nv_fp8_interpretation_t k)
{
    return __floats2half2_rn(lwc_fp8_to_float((__nv_fp8_storage_t)v, k),
                             lwc_fp8_to_float((__nv_fp8_storage_t)(v >> 8), k));
}

#define LWC_FP8(T, kind)                                                                                               \
    struct T {                                                                                                         \
        __nv_fp8_storage_t __x;                                                                                        \
        T() = default;                                                                                                 \
        LWC_THD explicit T(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {}                           \
        LWC_THD explicit T(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}                         \
        LWC_THD explicit T(int v) : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, kind)) {}                    \
        LWC_THD explicit T(unsigned v) : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, kind)) {}               \
        LWC_THD explicit T(__half v) : __x(__nv_cvt_float_to_fp8(__half2float(v), __NV_SATFINITE, kind)) {}            \
        LWC_THD explicit T(__nv_bfloat16 v) : __x(__nv_cvt_float_to_fp8(__bfloat162float(v), __NV_SATFINITE, kind)) {} \
        LWC_THD explicit operator float() const { return lwc_fp8_to_float(__x, kind); }                                \
        LWC_THD explicit operator double() const { return (double)lwc_fp8_to_float(__x, kind); }                       \
        LWC_THD explicit operator __half() const { return __half(lwc_fp8_to_float(__x, kind)); }                       \
        LWC_THD explicit operator __nv_bfloat16() const { return __nv_bfloat16(lwc_fp8_to_float(__x, kind)); }         \
        LWC_THD explicit operator int() const { return (int)lwc_fp8_to_float(__x, kind); }                             \
        LWC_THD explicit operator bool() const { return (__x & 0x7f) != 0; }                                           \
    };
#define LWC_FP8_PACKED(T2, T4, kind)                                                                                   \
    struct __attribute__((aligned(2))) T2 {                                                                            \
        __nv_fp8x2_storage_t __x;                                                                                      \
        T2() = default;                                                                                                \
        LWC_THD explicit T2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                      \
        LWC_THD explicit T2(__half2 v) : __x(__nv_cvt_float2_to_fp8x2(__half22float2(v), __NV_SATFINITE, kind)) {}     \
        LWC_THD explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); }           \
        LWC_THD explicit operator float2() const                                                                       \
        {                                                                                                              \
            return make_float2(lwc_fp8_to_float((__nv_fp8_storage_t)__x, kind),                                        \
                               lwc_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind));                                \
        }                                                                                                              \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) T4 {                                                                            \
        __nv_fp8x4_storage_t __x;                                                                                      \
        T4() = default;                                                                                                \
        LWC_THD explicit T4(float4 v)                                                                                  \
            : __x((unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.x, v.y), __NV_SATFINITE, kind) |                    \
                  (unsigned)__nv_cvt_float2_to_fp8x2(make_float2(v.z, v.w), __NV_SATFINITE, kind) << 16)               \
        {                                                                                                              \
        }                                                                                                              \
        LWC_THD explicit operator float4() const                                                                       \
        {                                                                                                              \
            return make_float4(lwc_fp8_to_float((__nv_fp8_storage_t)__x, kind),                                        \
                               lwc_fp8_to_float((__nv_fp8_storage_t)(__x >> 8), kind),                                 \
                               lwc_fp8_to_float((__nv_fp8_storage_t)(__x >> 16), kind),                                \
                               lwc_fp8_to_float((__nv_fp8_storage_t)(__x >> 24), kind));                               \
        }                                                                                                              \
    };
LWC_FP8(__nv_fp8_e4m3, __NV_E4M3)
LWC_FP8(__nv_fp8_e5m2, __NV_E5M2)
LWC_FP8_PACKED(__nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
LWC_FP8_PACKED(__nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef LWC_FP8
#undef LWC_FP8_PACKED

#endif
