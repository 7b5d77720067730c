/*
 * Definitions of the device math functions: thin names over math/, which has the methods and their errors.
 * Functions that CUDA has and C has not are for host and device.
 */
#ifndef LWC_MATH_DEVICE_H
#define LWC_MATH_DEVICE_H

#include "math_declare.h"
#include "integer.h"
#include "rounding.h"

#define LWM_FN static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
#define LWM_SLOW static __inline__ __attribute__((host, device, noinline, unused))
/* No fusing in error-free sums; clang's CUDA mode fuses by default. */
#define LWM_EXACT _Pragma("clang fp contract(off)")
#include "math/f32.h"

#define LWC_DOUBLE_AND_ROUNDED(fn)                                                                                     \
    LWC_FN double fn(double x) { return lwm_##fn(x); }                                                                 \
    LWC_FN float fn(float x) { return (float)lwm_##fn((double)x); }                                                    \
    LWC_FN float fn##f(float x) { return (float)lwm_##fn((double)x); }
#define LWC_DOUBLE_AND_FLOAT(fn)                                                                                       \
    LWC_FN double fn(double x) { return lwm_##fn(x); }                                                                 \
    LWC_FN float fn(float x) { return lwm_##fn##f(x); }                                                                \
    LWC_FN float fn##f(float x) { return lwm_##fn##f(x); }
#define LWC_BUILTIN(fn)                                                                                                \
    LWC_FN double fn(double x) { return __builtin_##fn(x); }                                                           \
    LWC_FN float fn(float x) { return __builtin_##fn##f(x); }                                                          \
    LWC_FN float fn##f(float x) { return __builtin_##fn##f(x); }

LWC_BUILTIN(ceil)
LWC_BUILTIN(fabs)
LWC_BUILTIN(floor)
LWC_BUILTIN(nearbyint)
LWC_BUILTIN(rint)
LWC_BUILTIN(sqrt)
LWC_BUILTIN(trunc)
LWC_BUILTIN(round)

LWC_DOUBLE_AND_ROUNDED(acos)
LWC_DOUBLE_AND_ROUNDED(acosh)
LWC_DOUBLE_AND_ROUNDED(asin)
LWC_DOUBLE_AND_ROUNDED(asinh)
LWC_DOUBLE_AND_ROUNDED(atan)
LWC_DOUBLE_AND_ROUNDED(atanh)
LWC_DOUBLE_AND_ROUNDED(cbrt)
LWC_DOUBLE_AND_ROUNDED(cosh)
LWC_DOUBLE_AND_ROUNDED(erf)
LWC_DOUBLE_AND_ROUNDED(erfc)
LWC_DOUBLE_AND_ROUNDED(expm1)
LWC_DOUBLE_AND_ROUNDED(lgamma)
LWC_DOUBLE_AND_ROUNDED(log1p)
LWC_DOUBLE_AND_ROUNDED(logb)
LWC_DOUBLE_AND_ROUNDED(sinh)
LWC_DOUBLE_AND_ROUNDED(tanh)
LWC_DOUBLE_AND_ROUNDED(tgamma)

#if defined(__USE_FAST_MATH__)
#define LWC_FAST(fn)                                                                                                   \
    LWC_FN double fn(double x) { return lwm_##fn(x); }                                                                 \
    LWC_FN float fn(float x) { return __##fn##f(x); }                                                                  \
    LWC_FN float fn##f(float x) { return __##fn##f(x); }
#else
#define LWC_FAST(fn) LWC_DOUBLE_AND_FLOAT(fn)
#endif
LWC_FAST(cos)
LWC_FAST(exp)
LWC_FAST(log)
LWC_FAST(log10)
LWC_FAST(log2)
LWC_FAST(sin)
LWC_FAST(tan)
LWC_FAST(exp2)
#undef LWC_FAST

#define LWC_TWO(fn, df, ff)                                                                                            \
    LWC_FN double fn(double x, double y) { return df(x, y); }                                                          \
    LWC_FN float fn(float x, float y) { return ff(x, y); }                                                             \
    LWC_FN float fn##f(float x, float y) { return ff(x, y); }
LWC_FN float lwc_atan2f(float y, float x) { return (float)lwm_atan2((double)y, (double)x); }
LWC_FN float lwc_fmodf(float x, float y) { return (float)lwm_fmod((double)x, (double)y); }
LWC_FN float lwc_remainderf(float x, float y) { return (float)lwm_remquo((double)x, (double)y).rest; }
LWC_FN double lwc_remainder(double x, double y) { return lwm_remquo(x, y).rest; }
LWC_FN double lwc_fdim(double x, double y) { return x <= y ? 0.0 : x - y; }
LWC_FN float lwc_fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
LWC_TWO(atan2, lwm_atan2, lwc_atan2f)
LWC_TWO(copysign, __builtin_copysign, __builtin_copysignf)
LWC_TWO(fdim, lwc_fdim, lwc_fdimf)
LWC_TWO(fmax, __builtin_fmax, __builtin_fmaxf)
LWC_TWO(fmin, __builtin_fmin, __builtin_fminf)
LWC_TWO(fmod, lwm_fmod, lwc_fmodf)
LWC_TWO(hypot, lwm_hypot, lwm_hypotf)
LWC_TWO(nextafter, lwm_nextafter, lwm_nextafterf)
#if defined(__USE_FAST_MATH__)
LWC_TWO(pow, lwm_pow, __powf)
#else
LWC_TWO(pow, lwm_pow, lwm_powf)
#endif
LWC_TWO(remainder, lwc_remainder, lwc_remainderf)
#undef LWC_TWO

LWC_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LWC_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LWC_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

LWC_FN int ilogb(double x) { return lwm_ilogb(x); }
LWC_FN int ilogb(float x) { return lwm_ilogb((double)x); }
LWC_FN int ilogbf(float x) { return lwm_ilogb((double)x); }
LWC_FN long lrint(double x) { return (long)__double2ll_rn(x); }
LWC_FN long lrint(float x) { return (long)__float2ll_rn(x); }
LWC_FN long lrintf(float x) { return (long)__float2ll_rn(x); }
LWC_FN long long llrint(double x) { return __double2ll_rn(x); }
LWC_FN long long llrint(float x) { return __float2ll_rn(x); }
LWC_FN long long llrintf(float x) { return __float2ll_rn(x); }
LWC_FN long lround(double x) { return (long)__double2ll_rz(__builtin_round(x)); }
LWC_FN long lround(float x) { return (long)__float2ll_rz(__builtin_roundf(x)); }
LWC_FN long lroundf(float x) { return (long)__float2ll_rz(__builtin_roundf(x)); }
LWC_FN long long llround(double x) { return __double2ll_rz(__builtin_round(x)); }
LWC_FN long long llround(float x) { return __float2ll_rz(__builtin_roundf(x)); }
LWC_FN long long llroundf(float x) { return __float2ll_rz(__builtin_roundf(x)); }

/* ---- Parts ---- */
LWC_FN double ldexp(double x, int e) { return lwm_ldexp(x, e); }
LWC_FN float ldexp(float x, int e) { return (float)lwm_ldexp((double)x, e < -400 ? -400 : e > 400 ? 400 : e); }
LWC_FN float ldexpf(float x, int e) { return ldexp(x, e); }
LWC_FN double scalbn(double x, int e) { return lwm_ldexp(x, e); }
LWC_FN float scalbn(float x, int e) { return ldexp(x, e); }
LWC_FN float scalbnf(float x, int e) { return ldexp(x, e); }
LWC_FN int lwc_clamp_exponent(long e) { return e < -5000 ? -5000 : e > 5000 ? 5000 : (int)e; }
LWC_FN double scalbln(double x, long e) { return lwm_ldexp(x, lwc_clamp_exponent(e)); }
LWC_FN float scalbln(float x, long e) { return ldexp(x, lwc_clamp_exponent(e)); }
LWC_FN float scalblnf(float x, long e) { return ldexp(x, lwc_clamp_exponent(e)); }
LWC_FN double frexp(double x, int *e)
{
    if (x == 0.0 || !lwm_isfinite(x)) {
        *e = 0;
        return x;
    }
    int k = lwm_ilogb(x) + 1;
    *e = k;
    return lwm_ldexp(x, -k);
}
LWC_FN float frexp(float x, int *e) { return (float)frexp((double)x, e); }
LWC_FN float frexpf(float x, int *e) { return (float)frexp((double)x, e); }
LWC_FN double modf(double x, double *whole)
{
    double t = __builtin_trunc(x);
    *whole = t;
    return lwm_copysign(lwm_isinf(x) ? 0.0 : x - t, x);
}
LWC_FN float modf(float x, float *whole)
{
    double w, r = modf((double)x, &w);
    *whole = (float)w;
    return (float)r;
}
LWC_FN float modff(float x, float *whole) { return modf(x, whole); }
LWC_FN double remquo(double x, double y, int *q)
{
    lwm_remainder_t r = lwm_remquo(x, y);
    int k = (int)(r.quotient & 7);
    *q = lwm_signbit(x) != lwm_signbit(y) ? -k : k;
    return r.rest;
}
LWC_FN float remquo(float x, float y, int *q) { return (float)remquo((double)x, (double)y, q); }
LWC_FN float remquof(float x, float y, int *q) { return (float)remquo((double)x, (double)y, q); }
LWC_FN double nan(const char *) { return __builtin_nan(""); }
LWC_FN float nanf(const char *) { return __builtin_nanf(""); }

LWC_FN int abs(int x) { return x < 0 ? -x : x; }
LWC_FN long abs(long x) { return x < 0 ? -x : x; }
LWC_FN long long abs(long long x) { return x < 0 ? -x : x; }
LWC_FN float abs(float x) { return __builtin_fabsf(x); }
LWC_FN double abs(double x) { return __builtin_fabs(x); }
LWC_FN long labs(long x) { return x < 0 ? -x : x; }
LWC_FN long long llabs(long long x) { return x < 0 ? -x : x; }

/* ---- In glibc for the host, not in C++: device only here ---- */
LWC_FN void sincos(double x, double *s, double *c)
{
    lwm_sincos_t r = lwm_sincos(x);
    *s = r.s;
    *c = r.c;
}
LWC_FN void sincosf(float x, float *s, float *c)
{
#if defined(__USE_FAST_MATH__)
    __sincosf(x, s, c);
#else
    lwm_sincosf_t r = lwm_sincosf(x);
    *s = r.s;
    *c = r.c;
#endif
}
LWC_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
LWC_FN double exp10(double x) { return lwm_exp10(x); }
LWC_FN float exp10f(float x) { return lwm_exp10f(x); }
LWC_FN float exp10(float x) { return lwm_exp10f(x); }
LWC_FN double cyl_bessel_i0(double x) { return lwm_bessel_i01(0, x); }
LWC_FN double cyl_bessel_i1(double x) { return lwm_bessel_i01(1, x); }
LWC_FN float cyl_bessel_i0f(float x) { return (float)lwm_bessel_i01(0, x); }
LWC_FN float cyl_bessel_i1f(float x) { return (float)lwm_bessel_i01(1, x); }
LWC_FN double j0(double x) { return lwm_bessel_j01(0, x); }
LWC_FN double j1(double x) { return lwm_bessel_j01(1, x); }
LWC_FN double jn(int n, double x) { return lwm_bessel_jn(n, x); }
LWC_FN double y0(double x) { return lwm_bessel_y01(0, x); }
LWC_FN double y1(double x) { return lwm_bessel_y01(1, x); }
LWC_FN double yn(int n, double x) { return lwm_bessel_yn(n, x); }
LWC_FN float j0f(float x) { return (float)lwm_bessel_j01(0, x); }
LWC_FN float j1f(float x) { return (float)lwm_bessel_j01(1, x); }
LWC_FN float jnf(int n, float x) { return (float)lwm_bessel_jn(n, x); }
LWC_FN float y0f(float x) { return (float)lwm_bessel_y01(0, x); }
LWC_FN float y1f(float x) { return (float)lwm_bessel_y01(1, x); }
LWC_FN float ynf(int n, float x) { return (float)lwm_bessel_yn(n, x); }

/* ---- CUDA's own ---- */
LWC_HD double rsqrt(double x) { return lwm_rsqrt(x); }
#if defined(__CUDA_ARCH__)
LWC_HD float rsqrtf(float x)
{
    float r;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
#else
LWC_HD float rsqrtf(float x) { return (float)lwm_rsqrt((double)x); }
#endif
LWC_HD float rsqrt(float x) { return rsqrtf(x); }

#define LWC_CUDA1(fn)                                                                                                  \
    LWC_HD double fn(double x) { return lwm_##fn(x); }                                                                 \
    LWC_HD float fn##f(float x) { return (float)lwm_##fn((double)x); }                                                 \
    LWC_HD float fn(float x) { return (float)lwm_##fn((double)x); }
LWC_CUDA1(sinpi)
LWC_CUDA1(cospi)
LWC_CUDA1(rcbrt)
LWC_CUDA1(erfcx)
LWC_CUDA1(erfinv)
LWC_CUDA1(erfcinv)
LWC_CUDA1(normcdf)
LWC_CUDA1(normcdfinv)
#undef LWC_CUDA1
LWC_HD void sincospi(double x, double *s, double *c)
{
    lwm_sincos_t r = lwm_sincospi(x);
    *s = r.s;
    *c = r.c;
}
LWC_HD void sincospif(float x, float *s, float *c)
{
    lwm_sincos_t r = lwm_sincospi((double)x);
    *s = (float)r.s;
    *c = (float)r.c;
}
LWC_HD double rhypot(double x, double y) { return lwm_rhypot(x, y); }
LWC_HD float rhypotf(float x, float y) { return (float)lwm_rhypot((double)x, (double)y); }
LWC_HD double norm3d(double a, double b, double c) { return lwm_norm(a, b, c, 0.0, 0); }
LWC_HD double rnorm3d(double a, double b, double c) { return lwm_norm(a, b, c, 0.0, 1); }
LWC_HD double norm4d(double a, double b, double c, double d) { return lwm_norm(a, b, c, d, 0); }
LWC_HD double rnorm4d(double a, double b, double c, double d) { return lwm_norm(a, b, c, d, 1); }
LWC_HD float norm3df(float a, float b, float c) { return (float)lwm_norm(a, b, c, 0.0, 0); }
LWC_HD float rnorm3df(float a, float b, float c) { return (float)lwm_norm(a, b, c, 0.0, 1); }
LWC_HD float norm4df(float a, float b, float c, float d) { return (float)lwm_norm(a, b, c, d, 0); }
LWC_HD float rnorm4df(float a, float b, float c, float d) { return (float)lwm_norm(a, b, c, d, 1); }

LWC_FN int __isnan(double x) { return x != x; }
LWC_FN int __isnanf(float x) { return x != x; }
LWC_FN int __isinf(double x) { return lwm_isinf(x); }
LWC_FN int __isinff(float x) { return lwm_isinf((double)x); }
LWC_FN int __finite(double x) { return lwm_isfinite(x); }
LWC_FN int __finitef(float x) { return lwm_isfinite((double)x); }
LWC_FN int __signbit(double x) { return lwm_signbit(x); }
LWC_FN int __signbitf(float x) { return (int)(lwm_bitsf(x) >> 31); }

#undef LWC_BUILTIN
#undef LWC_DOUBLE_AND_FLOAT
#undef LWC_DOUBLE_AND_ROUNDED

#endif
