/*
 * Conversions and arithmetic with the rounding mode in the name, and the fast approximations of the hardware.
 * All are single PTX instructions (or two), so that the compiler neither fuses nor reorders them.
 */
#ifndef LWC_ROUNDING_H
#define LWC_ROUNDING_H

#include "integer.h"

#define LWC_CVT1(name, to, from, op, cto, cfrom)                                                                       \
    LWC_FN to name(from x)                                                                                             \
    {                                                                                                                  \
        to r;                                                                                                          \
        asm("cvt." op " %0, %1;" : "=" cto(r) : cfrom(x));                                                             \
        return r;                                                                                                      \
    }
/* Floating to integer: the integral rounding modes (rni, rzi, rpi, rmi). */
#define LWC_F2I(name, to, from, types, cto, cfrom)                                                                     \
    LWC_CVT1(name##_rn, to, from, "rni." types, cto, cfrom)                                                            \
    LWC_CVT1(name##_rz, to, from, "rzi." types, cto, cfrom)                                                            \
    LWC_CVT1(name##_ru, to, from, "rpi." types, cto, cfrom)                                                            \
    LWC_CVT1(name##_rd, to, from, "rmi." types, cto, cfrom)
#define LWC_I2F(name, to, from, types, cto, cfrom)                                                                     \
    LWC_CVT1(name##_rn, to, from, "rn." types, cto, cfrom)                                                             \
    LWC_CVT1(name##_rz, to, from, "rz." types, cto, cfrom)                                                             \
    LWC_CVT1(name##_ru, to, from, "rp." types, cto, cfrom)                                                             \
    LWC_CVT1(name##_rd, to, from, "rm." types, cto, cfrom)

LWC_F2I(__float2int, int, float, "s32.f32", "r", "f")
LWC_F2I(__float2uint, unsigned, float, "u32.f32", "r", "f")
LWC_F2I(__float2ll, long long, float, "s64.f32", "l", "f")
LWC_F2I(__float2ull, unsigned long long, float, "u64.f32", "l", "f")
LWC_F2I(__double2int, int, double, "s32.f64", "r", "d")
LWC_F2I(__double2uint, unsigned, double, "u32.f64", "r", "d")
LWC_F2I(__double2ll, long long, double, "s64.f64", "l", "d")
LWC_F2I(__double2ull, unsigned long long, double, "u64.f64", "l", "d")
LWC_I2F(__int2float, float, int, "f32.s32", "f", "r")
LWC_I2F(__uint2float, float, unsigned, "f32.u32", "f", "r")
LWC_I2F(__ll2float, float, long long, "f32.s64", "f", "l")
LWC_I2F(__ull2float, float, unsigned long long, "f32.u64", "f", "l")
LWC_I2F(__ll2double, double, long long, "f64.s64", "d", "l")
LWC_I2F(__ull2double, double, unsigned long long, "f64.u64", "d", "l")
LWC_I2F(__double2float, float, double, "f32.f64", "f", "d")
LWC_CVT1(__int2double_rn, double, int, "rn.f64.s32", "d", "r")
LWC_CVT1(__uint2double_rn, double, unsigned, "rn.f64.u32", "d", "r")
#undef LWC_CVT1
#undef LWC_F2I
#undef LWC_I2F

#define LWC_OP1(name, t, op, c)                                                                                        \
    LWC_FN t name(t a)                                                                                                 \
    {                                                                                                                  \
        t r;                                                                                                           \
        asm(op " %0, %1;" : "=" c(r) : c(a));                                                                          \
        return r;                                                                                                      \
    }
#define LWC_OP2(name, t, op, c)                                                                                        \
    LWC_FN t name(t a, t b)                                                                                            \
    {                                                                                                                  \
        t r;                                                                                                           \
        asm(op " %0, %1, %2;" : "=" c(r) : c(a), c(b));                                                                \
        return r;                                                                                                      \
    }
#define LWC_OP3(name, t, op, c)                                                                                        \
    LWC_FN t name(t a, t b, t d)                                                                                       \
    {                                                                                                                  \
        t r;                                                                                                           \
        asm(op " %0, %1, %2, %3;" : "=" c(r) : c(a), c(b), c(d));                                                      \
        return r;                                                                                                      \
    }
#define LWC_MODES(M, name, t, op, type, c)                                                                             \
    M(name##_rn, t, op ".rn." type, c)                                                                                 \
    M(name##_rz, t, op ".rz." type, c) M(name##_ru, t, op ".rp." type, c) M(name##_rd, t, op ".rm." type, c)

LWC_MODES(LWC_OP2, __fadd, float, "add", "f32", "f")
LWC_MODES(LWC_OP2, __fsub, float, "sub", "f32", "f")
LWC_MODES(LWC_OP2, __fmul, float, "mul", "f32", "f")
LWC_MODES(LWC_OP2, __fdiv, float, "div", "f32", "f")
LWC_MODES(LWC_OP3, __fmaf, float, "fma", "f32", "f")
LWC_MODES(LWC_OP3, __fmaf_ieee, float, "fma", "f32", "f")
LWC_MODES(LWC_OP1, __frcp, float, "rcp", "f32", "f")
LWC_MODES(LWC_OP1, __fsqrt, float, "sqrt", "f32", "f")
LWC_MODES(LWC_OP2, __dadd, double, "add", "f64", "d")
LWC_MODES(LWC_OP2, __dsub, double, "sub", "f64", "d")
LWC_MODES(LWC_OP2, __dmul, double, "mul", "f64", "d")
LWC_MODES(LWC_OP2, __ddiv, double, "div", "f64", "d")
LWC_MODES(LWC_OP3, __fma, double, "fma", "f64", "d")
LWC_MODES(LWC_OP1, __drcp, double, "rcp", "f64", "d")
LWC_MODES(LWC_OP1, __dsqrt, double, "sqrt", "f64", "d")

/* ---- Approximations of the special function unit ---- */
LWC_OP1(lwc_ex2_approx, float, "ex2.approx.f32", "f")
LWC_OP1(lwc_lg2_approx, float, "lg2.approx.f32", "f")
LWC_OP1(__sinf, float, "sin.approx.f32", "f")
LWC_OP1(__cosf, float, "cos.approx.f32", "f")
LWC_OP1(__tanhf, float, "tanh.approx.f32", "f")
LWC_OP2(__fdividef, float, "div.approx.f32", "f")
LWC_OP1(__saturatef, float, "cvt.sat.f32.f32", "f")
#undef LWC_OP1
#undef LWC_OP2
#undef LWC_OP3
#undef LWC_MODES

LWC_FN float __log2f(float x) { return lwc_lg2_approx(x); }
LWC_FN float __logf(float x) { return lwc_lg2_approx(x) * 0.69314718056f; }
LWC_FN float __log10f(float x) { return lwc_lg2_approx(x) * 0.30102999566f; }
LWC_FN float __exp2f(float x) { return lwc_ex2_approx(x); }
LWC_FN float __expf(float x) { return lwc_ex2_approx(x * 1.4426950409f); }
LWC_FN float __exp10f(float x) { return lwc_ex2_approx(x * 3.3219280949f); }
LWC_FN float __powf(float x, float y) { return lwc_ex2_approx(y * lwc_lg2_approx(x)); }
LWC_FN float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
LWC_FN void __sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}
LWC_FN float fdividef(float a, float b) { return a / b; }
/* Correctly rounded up to the double rounding of 1/sqrt in double, which is exact enough for all floats. */
LWC_FN float __frsqrt_rn(float x) { return __double2float_rn(__ddiv_rn(1.0, __dsqrt_rn((double)x))); }

#endif
