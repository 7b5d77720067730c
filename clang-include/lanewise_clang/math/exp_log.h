/*
 * Exponentials, logarithms and powers in double.
 * exp: reduction by ln 2 to |r| <= 0.347 and a polynomial. log: x = 2^k m, s = (m - 1)/(m + 1), and the odd series of
 * atanh with the quotient's rounding error carried along. pow: the same with both parts as double-double.
 * Errors are below 1 ulp; the reference is the host's long double in tests/clang/math_test.cpp.
 */
#ifndef LWC_MATH_EXP_LOG_H
#define LWC_MATH_EXP_LOG_H

#include "core.h"
#include "polynomials.h"

#define LWM_LN2_HI 0.6931471805598903 /* 42 bits: n * hi is exact for |n| < 2^11 */
#define LWM_LN2_LO 5.497923018708371e-14
#define LWM_LOG2E 1.4426950408889634
#define LWM_LOG2E_LO 2.0355273740931033e-17
#define LWM_LOG10E 0.4342944819032518
#define LWM_LOG10E_LO 1.098319650216765e-17

/* e^(x + lo) * 2^k for finite x in [-1500, 1500], |lo| small. */
LWM_FN double lwm_exp_core(double x, double lo, int k)
{
    LWM_EXACT
    double n = __builtin_rint(x * LWM_LOG2E);
    double h = LWM_FMA(n, -LWM_LN2_HI, x);
    double l = LWM_FMA(n, -LWM_LN2_LO, lo);
    double r = h + l;
    double e = (h - r) + l;
    double t = LWM_FMA(r * r, lwm_poly_exp(r), LWM_FMA(e, r, e));
    return lwm_scale(1.0 + (r + t), (int)n + k);
}

LWM_FN double lwm_exp(double x)
{
    if (x > 709.8) return LWM_INF;
    if (x < -746.0) return 0.0;
    if (x != x) return x;
    return lwm_exp_core(x, 0.0, 0);
}

LWM_FN double lwm_exp2(double x)
{
    if (x >= 1024.0) return LWM_INF;
    if (x < -1076.0) return 0.0;
    if (x != x) return x;
    double n = __builtin_rint(x), r = x - n;
    return lwm_scale(LWM_FMA(r, lwm_poly_exp2(r), 1.0), (int)n);
}

LWM_FN double lwm_exp10(double x)
{
    LWM_EXACT
    if (x > 308.3) return LWM_INF;
    if (x < -324.0) return 0.0;
    if (x != x) return x;
    double n = __builtin_rint(x * 3.321928094887362);
    double r = LWM_FMA(n, -0.30102999566395283, x); /* 43 bits of log10 2 */
    r = LWM_FMA(n, -2.8363394551044964e-14, r);
    double t = r * 2.302585092994046;
    double l = LWM_FMA(r, 2.302585092994046, -t) + r * -2.1707562233822494e-16;
    double p = LWM_FMA(t * t, lwm_poly_exp(t), LWM_FMA(l, t, l));
    return lwm_scale(1.0 + (t + p), (int)n);
}

LWM_FN double lwm_expm1(double x)
{
    LWM_EXACT
    if (x != x || x == 0.0) return x;
    if (x > 709.8) return LWM_INF;
    if (x < -40.0) return -1.0;
    if (lwm_abs(x) < 0.4) {
        /* x + x^2/2 with the product's error, then the rest. */
        lwm_dd s = lwm_prod(x, 0.5 * x);
        lwm_dd t = lwm_fast_sum(x, s.hi);
        return t.hi + (t.lo + LWM_FMA(x * x * x, lwm_poly_expm1(x), s.lo));
    }
    if (x > 40.0) return lwm_exp_core(x, 0.0, 0);
    double n = __builtin_rint(x * LWM_LOG2E);
    double h = LWM_FMA(n, -LWM_LN2_HI, x), l = n * -LWM_LN2_LO;
    double r = h + l, e = (h - r) + l;
    double t = LWM_FMA(r * r, lwm_poly_exp(r), LWM_FMA(e, r, e));
    double p = lwm_pow2((int)n);
    lwm_dd a = lwm_sum(p - 1.0, p * r);
    return a.hi + (a.lo + p * t);
}

/* ---- Logarithms ---- */
struct lwm_logparts {
    double k, s, slo; /* x = 2^k m, s + slo = (m - 1)/(m + 1) */
};

LWM_FN lwm_logparts lwm_log_split(double m, double k)
{
    LWM_EXACT
    lwm_logparts r;
    double f = m - 1.0, d = m + 1.0;
    double dlo = m - (d - 1.0);
    r.k = k;
    r.s = f / d;
    r.slo = (LWM_FMA(-r.s, d, f) - r.s * dlo) / d;
    return r;
}

/* For finite positive x. */
LWM_FN lwm_logparts lwm_log_parts(double x)
{
    int k = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        k = -54;
    }
    lwm_u64 b = lwm_bits(x);
    lwm_u64 t = b - 0x3fe6a09e667f3bcdull; /* sqrt(1/2): m falls into [sqrt(1/2), sqrt(2)) */
    k += (int)((lwm_i64)t >> 52);
    return lwm_log_split(lwm_double((t & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull), (double)k);
}

LWM_FN double lwm_log_special(double x) { return x == 0.0 ? -LWM_INF : x < 0.0 ? LWM_NAN : x + x; }
LWM_FN int lwm_log_ordinary(double x) { return x > 0.0 && x < LWM_INF; }

LWM_FN double lwm_log_finish(lwm_logparts p, double more)
{
    LWM_EXACT
    double z = p.s * p.s;
    double lo = LWM_FMA(p.s * z, lwm_poly_log(z), 2.0 * p.slo) + more;
    lwm_dd h = lwm_fast_sum(p.k * LWM_LN2_HI, 2.0 * p.s);
    if (p.k == 0.0) return 2.0 * p.s + lo;
    return h.hi + (h.lo + LWM_FMA(p.k, LWM_LN2_LO, lo));
}

LWM_FN double lwm_log(double x)
{
    if (!lwm_log_ordinary(x)) return lwm_log_special(x);
    return lwm_log_finish(lwm_log_parts(x), 0.0);
}

LWM_FN double lwm_log1p(double x)
{
    LWM_EXACT
    if (!(x > -1.0 && x < LWM_INF)) return x == -1.0 ? -LWM_INF : x < -1.0 ? LWM_NAN : x + x;
    if (x > -0.29 && x < 0.41) {
        lwm_logparts p;
        if (lwm_abs(x) < 1e-17) return x;
        double d = 2.0 + x, dlo = x - (d - 2.0);
        p.k = 0.0;
        p.s = x / d;
        p.slo = (LWM_FMA(-p.s, d, x) - p.s * dlo) / d;
        return lwm_log_finish(p, 0.0);
    }
    lwm_dd u = lwm_sum(1.0, x);
    return lwm_log_finish(lwm_log_parts(u.hi), u.lo / u.hi);
}

/* The logarithm of m alone (without k ln 2) as double-double, relative error about 2^-64. */
LWM_FN lwm_dd lwm_log_mantissa(lwm_logparts p)
{
    LWM_EXACT
    lwm_dd s = {p.s, p.slo};
    lwm_dd z = lwm_dd_mul(s, s);
    lwm_dd third = {0.6666666666666666, 3.700743415417188e-17};
    lwm_dd c = lwm_dd_mul(lwm_dd_mul(s, z), third);
    double tail = p.s * z.hi * z.hi * lwm_poly_log_tail(z.hi);
    lwm_dd r = lwm_fast_sum(2.0 * p.s, c.hi);
    r.lo += c.lo + 2.0 * p.slo + tail;
    return lwm_fast_sum(r.hi, r.lo);
}

LWM_FN lwm_dd lwm_log_dd(double x)
{
    LWM_EXACT
    lwm_logparts p = lwm_log_parts(x);
    lwm_dd m = lwm_log_mantissa(p);
    lwm_dd h = lwm_fast_sum(p.k * LWM_LN2_HI, m.hi);
    if (p.k == 0.0) return m;
    lwm_dd l = lwm_prod(p.k, LWM_LN2_LO);
    lwm_dd a = lwm_fast_sum(h.hi, h.lo + l.hi);
    /* h.lo + l.hi loses at most 2^-53 of a number below 2^-41: enough for pow. */
    return lwm_fast_sum(a.hi, a.lo + (m.lo + l.lo + p.k * 1.94704509238075e-31));
}

LWM_FN double lwm_log2(double x)
{
    LWM_EXACT
    if (!lwm_log_ordinary(x)) return lwm_log_special(x);
    lwm_logparts p = lwm_log_parts(x);
    lwm_dd c = {LWM_LOG2E, LWM_LOG2E_LO};
    lwm_dd r = lwm_dd_mul(lwm_log_mantissa(p), c);
    lwm_dd s = lwm_fast_sum(p.k, r.hi);
    if (p.k == 0.0) return r.hi;
    return s.hi + (s.lo + r.lo);
}

LWM_FN double lwm_log10(double x)
{
    if (!lwm_log_ordinary(x)) return lwm_log_special(x);
    lwm_dd c = {LWM_LOG10E, LWM_LOG10E_LO};
    return lwm_dd_mul(lwm_log_dd(x), c).hi;
}

LWM_FN double lwm_logb(double x)
{
    if (x == 0.0) return -LWM_INF;
    if (!lwm_isfinite(x)) return x * x;
    int sub = lwm_abs(x) < 2.2250738585072014e-308;
    if (sub) x *= 18014398509481984.0;
    return (double)((int)((lwm_bits(x) >> 52) & 0x7ff) - 1023 - (sub ? 54 : 0));
}

LWM_FN int lwm_ilogb(double x)
{
    if (x == 0.0 || x != x) return -2147483647 - 1;
    if (lwm_isinf(x)) return 2147483647;
    return (int)lwm_logb(x);
}

/* ---- Powers ---- */
/* 0: y is no integer, 1: odd, 2: even. */
LWM_FN int lwm_parity(double y)
{
    double a = lwm_abs(y);
    if (a >= 9007199254740992.0) return 2;
    if (__builtin_trunc(a) != a) return 0;
    return ((lwm_i64)a & 1) ? 1 : 2;
}

LWM_FN double lwm_pow_special(double x, double y)
{
    double ax = lwm_abs(x);
    int parity = lwm_parity(y);
    if (x != x || y != y) return x + y;
    if (lwm_isinf(y)) {
        if (ax == 1.0) return 1.0;
        return (ax > 1.0) == (y > 0.0) ? LWM_INF : 0.0;
    }
    /* x is zero or infinite. */
    double r = (ax == 0.0) == (y > 0.0) ? 0.0 : LWM_INF;
    return lwm_signbit(x) && parity == 1 ? -r : r;
}

LWM_FN double lwm_pow(double x, double y)
{
    LWM_EXACT
    double ax = lwm_abs(x);
    if (y == 0.0 || x == 1.0) return 1.0;
    if (!(ax > 0.0 && ax < LWM_INF) || !lwm_isfinite(y)) return lwm_pow_special(x, y);
    int odd = 0;
    if (x < 0.0) {
        int parity = lwm_parity(y);
        if (!parity) return LWM_NAN;
        odd = parity == 1;
    }
    lwm_dd l = lwm_log_dd(ax);
    double r, guess = y * l.hi;
    if (guess > 710.0) r = LWM_INF;
    else if (guess < -746.0) r = 0.0;
    else {
        lwm_dd p = lwm_prod(y, l.hi);
        p.lo = LWM_FMA(y, l.lo, p.lo);
        r = lwm_exp_core(p.hi, p.lo, 0);
    }
    return odd ? -r : r;
}

#endif
