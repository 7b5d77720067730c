/*
 * Hyperbolic functions, roots, lengths and remainders in double.
 */
#ifndef LWC_MATH_HYPER_H
#define LWC_MATH_HYPER_H

#include "exp_log.h"

LWM_FN double lwm_sinh(double x)
{
    double a = lwm_abs(x), r;
    if (!lwm_isfinite(x)) return x;
    if (a < 1.0) {
        double z = x * x;
        return LWM_FMA(x * z, lwm_poly_sinh(z), x);
    }
    if (a > 711.0) r = LWM_INF;
    else {
        r = lwm_exp_core(a, 0.0, -1);
        if (a < 22.0) r -= 0.25 / r;
    }
    return lwm_copysign(r, x);
}

LWM_FN double lwm_cosh(double x)
{
    double a = lwm_abs(x);
    if (x != x) return x;
    if (a > 711.0) return LWM_INF;
    double r = lwm_exp_core(a, 0.0, -1);
    return a < 22.0 ? r + 0.25 / r : r;
}

LWM_FN double lwm_tanh(double x)
{
    double a = lwm_abs(x), r;
    if (x != x || x == 0.0) return x;
    if (a <= 0.5) {
        double z = x * x;
        return LWM_FMA(x * z, lwm_poly_tanh(z), x);
    }
    r = a > 22.0 ? 1.0 : 1.0 - 2.0 / (lwm_exp_core(2.0 * a, 0.0, 0) + 1.0);
    return lwm_copysign(r, x);
}

LWM_FN double lwm_asinh(double x)
{
    double a = lwm_abs(x), r;
    if (!lwm_isfinite(x) || a < 1e-9) return x;
    if (a > 1e9) r = lwm_log_finish(lwm_log_parts(a), 0.0) + 0.6931471805599453;
    else {
        double q = a * a;
        r = lwm_log1p(a + q / (1.0 + __builtin_sqrt(1.0 + q)));
    }
    return lwm_copysign(r, x);
}

LWM_FN double lwm_acosh(double x)
{
    if (!(x >= 1.0)) return LWM_NAN;
    if (x == LWM_INF) return x;
    if (x > 1e9) return lwm_log_finish(lwm_log_parts(x), 0.0) + 0.6931471805599453;
    double t = x - 1.0;
    return lwm_log1p(t + __builtin_sqrt(2.0 * t + t * t));
}

LWM_FN double lwm_atanh(double x)
{
    double a = lwm_abs(x);
    if (!(a <= 1.0)) return LWM_NAN;
    if (a < 1e-9) return x;
    if (a == 1.0) return lwm_copysign(LWM_INF, x);
    return lwm_copysign(0.5 * lwm_log1p(a < 0.5 ? 2.0 * a + 2.0 * a * a / (1.0 - a) : 2.0 * a / (1.0 - a)), x);
}

/* ---- Roots and lengths ---- */
LWM_FN double lwm_cbrt(double x)
{
    LWM_EXACT
    double a = lwm_abs(x), scale = 1.0;
    if (!lwm_isfinite(x) || x == 0.0) return x;
    if (a < 1e-290) {
        a *= 3.213876088517981e60;     /* 2^201, a cube */
        scale = 6.776263578034403e-21; /* 2^-67 */
    } else if (a > 1e300) {
        a *= 3.111507638930571e-61;    /* 2^-201 */
        scale = 1.4757395258967641e20; /* 2^67 */
    }
    double y = lwm_double(lwm_bits(a) / 3 + 0x2a9f7893782da1ceull);
    for (int i = 0; i < 3; i++) {
        double c = y * y * y;
        y = y * ((c + 2.0 * a) / (2.0 * c + a));
    }
    lwm_dd s = lwm_prod(y, y);
    lwm_dd c = lwm_prod(s.hi, y);
    double r = (c.hi - a) + (c.lo + s.lo * y);
    y -= r / (3.0 * s.hi);
    return lwm_copysign(y * scale, x);
}

LWM_FN double lwm_rcbrt(double x) { return 1.0 / lwm_cbrt(x); }

/* sqrt(a^2 + b^2 + c^2 + d^2), scaled by the largest. */
LWM_FN double lwm_norm(double a, double b, double c, double d, int reciprocal)
{
    LWM_EXACT
    a = lwm_abs(a), b = lwm_abs(b), c = lwm_abs(c), d = lwm_abs(d);
    if (lwm_isinf(a) || lwm_isinf(b) || lwm_isinf(c) || lwm_isinf(d)) return reciprocal ? 0.0 : LWM_INF;
    double big = a > b ? a : b;
    big = big > c ? big : c;
    big = big > d ? big : d;
    if (a + b + c + d != a + b + c + d && (a != a || b != b || c != c || d != d)) return LWM_NAN;
    if (big == 0.0) return reciprocal ? LWM_INF : 0.0;
    int e = (int)((lwm_bits(big) >> 52) & 0x7ff) - 1023;
    if (e < -1000) e = -1000;
    double scale = lwm_pow2(-(e > 1000 ? 1000 : e));
    int back = e > 1000 ? 1000 : e;
    a *= scale, b *= scale, c *= scale, d *= scale;
    lwm_dd s = lwm_prod(a, a);
    s = lwm_dd_add(s, lwm_prod(b, b));
    s = lwm_dd_add(s, lwm_prod(c, c));
    s = lwm_dd_add(s, lwm_prod(d, d));
    double r = __builtin_sqrt(s.hi);
    double l = (LWM_FMA(-r, r, s.hi) + s.lo) / (2.0 * r);
    if (reciprocal) {
        double q = 1.0 / r;
        q = LWM_FMA(q, LWM_FMA(-q, r, 1.0) - q * l, q);
        return lwm_ldexp(q, -back);
    }
    return lwm_ldexp(r + l, back);
}
LWM_FN double lwm_hypot(double x, double y) { return lwm_norm(x, y, 0.0, 0.0, 0); }
LWM_FN double lwm_rhypot(double x, double y) { return lwm_norm(x, y, 0.0, 0.0, 1); }

LWM_FN double lwm_rsqrt(double x)
{
    double s = __builtin_sqrt(x), r = 1.0 / s;
    if (!(x > 0.0 && x < LWM_INF)) return x < 0.0 ? LWM_NAN : r;
    /* One Newton step on the residual of both roundings: s^2 - x, and r s - 1. */
    double e = LWM_FMA(-s, s, x) * (0.5 * r); /* sqrt(x) = s + e */
    return LWM_FMA(r, LWM_FMA(-r, s, 1.0) - r * e, r);
}

/* ---- Remainders: integer long division of the significands, eleven bits at a time ---- */
struct lwm_remainder_t {
    double rest; /* |x| mod |y| */
    lwm_u64 quotient;
};

LWM_FN int lwm_rem_exponent(lwm_u64 b)
{
    int e = (int)(b >> 52);
    return e ? e : 1;
}

/* x >= y > 0, both finite. The quotient's low bits are right. */
LWM_SLOW lwm_remainder_t lwm_rem_positive(double x, double y)
{
    lwm_u64 bx = lwm_bits(x), by = lwm_bits(y);
    int ex = lwm_rem_exponent(bx), ey = lwm_rem_exponent(by);
    lwm_u64 mx = bx & 0xfffffffffffffull, my = by & 0xfffffffffffffull;
    if (bx >> 52) mx |= 0x10000000000000ull;
    if (by >> 52) my |= 0x10000000000000ull;
    lwm_remainder_t r;
    r.quotient = mx / my;
    mx %= my;
    for (int left = ex - ey; left > 0;) {
        int step = left < 11 ? left : 11;
        mx <<= step;
        r.quotient = (r.quotient << step) + mx / my;
        mx %= my;
        left -= step;
    }
    /* mx * 2^(ey - 1075): mx < 2^53, so the product is exact. */
    r.rest = lwm_ldexp((double)mx, ey - 1075);
    return r;
}

LWM_FN double lwm_fmod(double x, double y)
{
    double ax = lwm_abs(x), ay = lwm_abs(y);
    if (!(ax < LWM_INF) || !(ay > 0.0)) return LWM_NAN;
    if (ax < ay) return x;
    return lwm_copysign(lwm_rem_positive(ax, ay).rest, x);
}

LWM_FN lwm_remainder_t lwm_remquo(double x, double y)
{
    double ax = lwm_abs(x), ay = lwm_abs(y);
    lwm_remainder_t r = {x, 0};
    if (!(ax < LWM_INF) || !(ay > 0.0)) {
        r.rest = LWM_NAN;
        return r;
    }
    if (ay == LWM_INF) return r;
    r.rest = ax;
    if (ax >= ay) r = lwm_rem_positive(ax, ay);
    double other = ay - r.rest;
    if (r.rest > other || (r.rest == other && (r.quotient & 1))) {
        r.rest = -other;
        r.quotient++;
    }
    if (r.rest == 0.0) r.rest = 0.0;
    if (lwm_signbit(x)) r.rest = -r.rest;
    return r;
}

LWM_FN double lwm_nextafter(double x, double y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0.0) return lwm_copysign(4.9406564584124654e-324, y);
    lwm_u64 b = lwm_bits(x);
    return lwm_double((x < y) == (x > 0.0) ? b + 1 : b - 1);
}

#endif
