/*
 * Complex numbers: cuFloatComplex and cuDoubleComplex are float2 and double2. Host and device.
 */
#ifndef LWC_CUCOMPLEX_H
#define LWC_CUCOMPLEX_H
#define CU_COMPLEX_H_

#include "vector_functions.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* Absolute value without overflow of the squares; quotient by scaling with the divisor's size. */
#define LWC_COMPLEX(C, T, s, e, fabs_, sqrt_)                                                                          \
    LWC_HD C make_cu##s##Complex(T re, T im)                                                                           \
    {                                                                                                                  \
        C r = {re, im};                                                                                                \
        return r;                                                                                                      \
    }                                                                                                                  \
    LWC_HD T cuCreal##e(C a) { return a.x; }                                                                           \
    LWC_HD T cuCimag##e(C a) { return a.y; }                                                                           \
    LWC_HD C cuConj##e(C a) { return make_cu##s##Complex(a.x, -a.y); }                                                 \
    LWC_HD C cuCadd##e(C a, C b) { return make_cu##s##Complex(a.x + b.x, a.y + b.y); }                                 \
    LWC_HD C cuCsub##e(C a, C b) { return make_cu##s##Complex(a.x - b.x, a.y - b.y); }                                 \
    LWC_HD C cuCmul##e(C a, C b) { return make_cu##s##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }         \
    LWC_HD C cuCdiv##e(C a, C b)                                                                                       \
    {                                                                                                                  \
        T k = (T)1 / (fabs_(b.x) + fabs_(b.y));                                                                        \
        T ar = a.x * k, ai = a.y * k, br = b.x * k, bi = b.y * k, n = (T)1 / (br * br + bi * bi);                      \
        return make_cu##s##Complex((ar * br + ai * bi) * n, (ai * br - ar * bi) * n);                                  \
    }                                                                                                                  \
    LWC_HD T cuCabs##e(C a)                                                                                            \
    {                                                                                                                  \
        T x = fabs_(a.x), y = fabs_(a.y), big = x > y ? x : y, little = x > y ? y : x;                                 \
        if (!(big > (T)0) || big == (T)__builtin_inf()) return x + y;                                                  \
        T q = little / big;                                                                                            \
        return big * sqrt_((T)1 + q * q);                                                                              \
    }
LWC_COMPLEX(cuFloatComplex, float, Float, f, __builtin_fabsf, __builtin_sqrtf)
LWC_COMPLEX(cuDoubleComplex, double, Double, , __builtin_fabs, __builtin_sqrt)
#undef LWC_COMPLEX

LWC_HD cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
LWC_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a)
{
    return make_cuDoubleComplex((double)a.x, (double)a.y);
}
LWC_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return make_cuFloatComplex((float)a.x, (float)a.y); }
LWC_HD cuComplex cuCfmaf(cuComplex a, cuComplex b, cuComplex c)
{
    return make_cuComplex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);
}
LWC_HD cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c)
{
    return make_cuDoubleComplex(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);
}

#endif
