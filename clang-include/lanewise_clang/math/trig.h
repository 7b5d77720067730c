/*
 * Sine, cosine, tangent and their inverses in double.
 * Reduction by pi/2: to 2^20 in three fused steps, beyond with 192 bits of 2/pi chosen by the exponent.
 */
#ifndef LWC_MATH_TRIG_H
#define LWC_MATH_TRIG_H

#include "core.h"
#include "polynomials.h"

#define LWM_PIO2 1.5707963267948966
#define LWM_PIO2_LO 6.123233995736766e-17
#define LWM_PIO2_LO2 -1.4973849048591698e-33
#define LWM_PI 3.141592653589793
#define LWM_PI_LO 1.2246467991473532e-16

struct lwm_reduced {
    double hi, lo; /* in about [-pi/4, pi/4] */
    int quadrant;  /* mod 4 */
};

/* |x| >= 2^20, finite. Every multiple of four quadrants is dropped by starting in the middle of 2/pi's bits. */
LWM_SLOW lwm_reduced lwm_reduce_large(double x)
{
    /* One word of zeros, then 2/pi. */
    static const lwm_u64 two_over_pi[21] = {0,
                                            0xa2f9836e4e441529ull,
                                            0xfc2757d1f534ddc0ull,
                                            0xdb6295993c439041ull,
                                            0xfe5163abdebbc561ull,
                                            0xb7246e3a424dd2e0ull,
                                            0x06492eea09d1921cull,
                                            0xfe1deb1cb129a73eull,
                                            0xe88235f52ebb4484ull,
                                            0xe99c7026b45f7e41ull,
                                            0x3991d639835339f4ull,
                                            0x9c845f8bbdf9283bull,
                                            0x1ff897ffde05980full,
                                            0xef2f118b5a0a6d1full,
                                            0x6d367ecf27cb09b7ull,
                                            0x4f463f669e5fea2dull,
                                            0x7527bac7ebe5f17bull,
                                            0x3d0739f78a5292eaull,
                                            0x6bfb5fb11f8d5d08ull,
                                            0x56033046fc7b6babull,
                                            0xf0cfbc209af4361dull};
    lwm_u64 b = lwm_bits(x);
    int e = (int)((b >> 52) & 0x7ff) - 1075; /* |x| = m 2^e */
    lwm_u64 m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
    /* The window's first bit has weight 2^(1 - e) in 2/pi: after the product, weight 2 quadrants. */
    int first = e - 2 + 64, word = first >> 6, shift = first & 63;
    lwm_u64 w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = two_over_pi[word + i] << shift;
        if (shift) w[i] |= two_over_pi[word + i + 1] >> (64 - shift);
    }
    unsigned __int128 p2 = (unsigned __int128)m * w[2];
    unsigned __int128 p1 = (unsigned __int128)m * w[1] + (lwm_u64)(p2 >> 64);
    lwm_u64 top = m * w[0] + (lwm_u64)(p1 >> 64), mid = (lwm_u64)p1;
    lwm_reduced r;
    r.quadrant = (int)(top >> 62);
    /* The fraction of a quadrant, 126 bits, rounded to the nearest: signed. */
    unsigned __int128 f = (((unsigned __int128)top << 64) | mid) << 2;
    f |= (lwm_u64)p2 >> 62;
    int negative = (int)(f >> 127);
    if (negative) {
        f = -f;
        r.quadrant++;
    }
    lwm_u64 fh = (lwm_u64)(f >> 64), fl = (lwm_u64)f;
    int lead = fh ? __builtin_clzll(fh) : 64 + (fl ? __builtin_clzll(fl) : 63);
    f <<= lead;
    fh = (lwm_u64)(f >> 64);
    fl = (lwm_u64)f;
    /* 53 bits and the next 64, as doubles. */
    double scale = lwm_pow2(-lead - 53);
    double hi = (double)(fh >> 11) * scale;
    double lo = ((double)((fh & 0x7ff) << 53 | fl >> 11)) * (scale * 5.421010862427522e-20); /* 2^-64 */
    lwm_dd v = {hi, lo}, c = {LWM_PIO2, LWM_PIO2_LO};
    v = lwm_dd_mul(v, c);
    if (negative) v.hi = -v.hi, v.lo = -v.lo;
    if (b >> 63) {
        v.hi = -v.hi, v.lo = -v.lo;
        r.quadrant = -r.quadrant;
    }
    r.hi = v.hi;
    r.lo = v.lo;
    r.quadrant &= 3;
    return r;
}

LWM_FN lwm_reduced lwm_reduce(double x)
{
    LWM_EXACT
    lwm_reduced r;
    double ax = lwm_abs(x);
    if (ax <= 0.7853981633974483) {
        r.hi = x;
        r.lo = 0.0;
        r.quadrant = 0;
        return r;
    }
    if (ax >= 1048576.0) return lwm_reduce_large(x);
    double n = __builtin_rint(x * 0.6366197723675814);
    double a = LWM_FMA(n, -LWM_PIO2, x); /* exact */
    lwm_dd p = lwm_prod(n, LWM_PIO2_LO);
    lwm_dd s = lwm_sum(a, -p.hi);
    s = lwm_fast_sum(s.hi, s.lo - LWM_FMA(n, LWM_PIO2_LO2, p.lo));
    r.hi = s.hi;
    r.lo = s.lo;
    r.quadrant = (int)n & 3;
    return r;
}

LWM_FN double lwm_sin_kernel(double r, double lo)
{
    double z = r * r;
    return r + LWM_FMA(r * z, lwm_poly_sin(z), LWM_FMA(lo, -0.5 * z, lo));
}
LWM_FN double lwm_cos_kernel(double r, double lo)
{
    LWM_EXACT
    double z = r * r, h = 0.5 * z, w = 1.0 - h;
    /* z's own rounding error goes back in through the fused square. */
    double zlo = LWM_FMA(r, r, -z);
    return w + (((1.0 - w) - h) + LWM_FMA(z * z, lwm_poly_cos(z), -LWM_FMA(r, lo, 0.5 * zlo)));
}

LWM_FN double lwm_sin(double x)
{
    if (!lwm_isfinite(x)) return LWM_NAN;
    if (x == 0.0) return x;
    lwm_reduced r = lwm_reduce(x);
    double v = (r.quadrant & 1) ? lwm_cos_kernel(r.hi, r.lo) : lwm_sin_kernel(r.hi, r.lo);
    return (r.quadrant & 2) ? -v : v;
}
LWM_FN double lwm_cos(double x)
{
    if (!lwm_isfinite(x)) return LWM_NAN;
    lwm_reduced r = lwm_reduce(x);
    double v = (r.quadrant & 1) ? lwm_sin_kernel(r.hi, r.lo) : lwm_cos_kernel(r.hi, r.lo);
    return ((r.quadrant + 1) & 2) ? -v : v;
}
struct lwm_sincos_t {
    double s, c;
};
LWM_FN lwm_sincos_t lwm_sincos_of(lwm_reduced r)
{
    lwm_sincos_t o;
    double s = lwm_sin_kernel(r.hi, r.lo), c = lwm_cos_kernel(r.hi, r.lo);
    o.s = (r.quadrant & 1) ? c : s;
    o.c = (r.quadrant & 1) ? s : c;
    if (r.quadrant & 2) o.s = -o.s;
    if ((r.quadrant + 1) & 2) o.c = -o.c;
    return o;
}
LWM_FN lwm_sincos_t lwm_sincos(double x)
{
    lwm_sincos_t o;
    if (!lwm_isfinite(x)) {
        o.s = o.c = LWM_NAN;
        return o;
    }
    o = lwm_sincos_of(lwm_reduce(x));
    if (x == 0.0) o.s = x;
    return o;
}

LWM_FN double lwm_tan(double x)
{
    LWM_EXACT
    if (!lwm_isfinite(x)) return LWM_NAN;
    if (x == 0.0) return x;
    lwm_reduced r = lwm_reduce(x);
    double z = r.hi * r.hi, h = 0.5 * z, w = 1.0 - h, zlo = LWM_FMA(r.hi, r.hi, -z);
    lwm_dd s = lwm_fast_sum(r.hi, LWM_FMA(r.hi * z, lwm_poly_sin(z), LWM_FMA(r.lo, -h, r.lo)));
    lwm_dd c = lwm_fast_sum(w, ((1.0 - w) - h) + LWM_FMA(z * z, lwm_poly_cos(z), -LWM_FMA(r.hi, r.lo, 0.5 * zlo)));
    if (r.quadrant & 1) {
        lwm_dd q = lwm_dd_div(c, s);
        return -q.hi;
    }
    return lwm_dd_div(s, c).hi;
}

/* sin(pi x) and cos(pi x): the reduction is exact. */
LWM_FN lwm_reduced lwm_reduce_pi(double x)
{
    LWM_EXACT
    lwm_reduced r;
    double t = x - 2.0 * __builtin_trunc(0.5 * x); /* exact, |t| < 2 */
    double n = __builtin_rint(2.0 * t), f = LWM_FMA(n, -0.5, t);
    r.hi = f * LWM_PI;
    r.lo = LWM_FMA(f, LWM_PI_LO, LWM_FMA(f, LWM_PI, -r.hi));
    r.quadrant = (int)n & 3;
    return r;
}
LWM_FN lwm_sincos_t lwm_sincospi(double x)
{
    lwm_sincos_t o;
    if (!lwm_isfinite(x)) {
        o.s = o.c = LWM_NAN;
        return o;
    }
    o = lwm_sincos_of(lwm_reduce_pi(x));
    if (__builtin_trunc(x) == x) o.s = lwm_copysign(0.0, x);
    else if (__builtin_trunc(2.0 * x) == 2.0 * x) o.c = 0.0;
    return o;
}
LWM_FN double lwm_sinpi(double x) { return lwm_sincospi(x).s; }
LWM_FN double lwm_cospi(double x) { return lwm_sincospi(x).c; }

/* ---- Inverses ---- */
LWM_FN double lwm_atan_small(double t)
{
    double z = t * t;
    return t * z * lwm_poly_atan(z); /* atan t - t, |t| <= sqrt 2 - 1 */
}

/* atan(y / x) for positive y and x: the quotient's error is carried. */
LWM_FN double lwm_atan_ratio(double y, double ylo, double x)
{
    LWM_EXACT
    lwm_dd t;
    double hi = 0.0, lo = 0.0;
    if (y > 2.414213562373095 * x) {
        t.hi = -x / y;
        t.lo = (LWM_FMA(-t.hi, y, -x) - t.hi * ylo) / y;
        hi = LWM_PIO2;
        lo = LWM_PIO2_LO;
    } else if (y > 0.4142135623730951 * x) {
        lwm_dd n = lwm_sum(y, -x), d = lwm_sum(y, x);
        n.lo += ylo;
        d.lo += ylo;
        t = lwm_dd_div(n, d);
        hi = 0.7853981633974483;
        lo = 3.061616997868383e-17;
    } else {
        t.hi = y / x;
        t.lo = (LWM_FMA(-t.hi, x, y) + ylo) / x;
        return t.hi + (t.lo + lwm_atan_small(t.hi));
    }
    lwm_dd s = lwm_fast_sum(hi, t.hi);
    return s.hi + (s.lo + (lo + t.lo + lwm_atan_small(t.hi)));
}

LWM_FN double lwm_atan(double x)
{
    double a = lwm_abs(x);
    if (x != x) return x;
    if (a < 1e-9) return x;
    if (a > 1e17) return lwm_copysign(LWM_PIO2, x);
    return lwm_copysign(lwm_atan_ratio(a, 0.0, 1.0), x);
}

LWM_FN double lwm_atan2(double y, double x)
{
    LWM_EXACT
    double ay = lwm_abs(y), ax = lwm_abs(x), r;
    if (x != x || y != y) return x + y;
    if (ay == 0.0) r = 0.0;
    else if (ax == 0.0) r = LWM_PIO2;
    else if (lwm_isinf(ax)) r = lwm_isinf(ay) ? 0.7853981633974483 : 0.0;
    else if (lwm_isinf(ay) || ay > ax * 1e18) r = LWM_PIO2;
    else if (ay < ax * 1e-18 && x > 0.0) r = ay / ax;
    else {
        /* Bring both near 1, so that no product of the quotient's error under- or overflows. */
        int e = (int)((lwm_bits(ax > ay ? ax : ay) >> 52) & 0x7ff) - 1023;
        ax = lwm_ldexp(ax, -e);
        ay = lwm_ldexp(ay, -e);
        if (x < 0.0) {
            if (ay < 0.4142135623730951 * ax) {
                double q = ay / ax, l = LWM_FMA(-q, ax, ay) / ax;
                lwm_dd s = lwm_fast_sum(LWM_PI, -q);
                return lwm_copysign(s.hi + (s.lo + (LWM_PI_LO - l - lwm_atan_small(q))), y);
            }
            lwm_dd s = lwm_fast_sum(LWM_PI, -lwm_atan_ratio(ay, 0.0, ax));
            return lwm_copysign(s.hi + (s.lo + LWM_PI_LO), y);
        }
        r = lwm_atan_ratio(ay, 0.0, ax);
    }
    if (lwm_signbit(x)) r = LWM_PI - r;
    return lwm_copysign(r, y);
}

/* asin: |x| <= 1/2 directly, else by the half angle with the root's error. */
LWM_FN double lwm_asin(double x)
{
    LWM_EXACT
    double a = lwm_abs(x);
    if (!(a <= 1.0)) return LWM_NAN;
    if (a <= 0.5) {
        double z = x * x;
        return LWM_FMA(x * z, lwm_poly_asin(z), x);
    }
    double z = 0.5 * (1.0 - a), s = __builtin_sqrt(z);
    double c = s > 0.0 ? LWM_FMA(-s, s, z) / (2.0 * s) : 0.0;
    lwm_dd h = lwm_fast_sum(LWM_PIO2, -2.0 * s);
    return lwm_copysign(h.hi + (h.lo + (LWM_PIO2_LO - 2.0 * LWM_FMA(s * z, lwm_poly_asin(z), c))), x);
}

LWM_FN double lwm_acos(double x)
{
    LWM_EXACT
    double a = lwm_abs(x);
    if (!(a <= 1.0)) return LWM_NAN;
    if (a <= 0.5) {
        double z = x * x;
        lwm_dd h = lwm_fast_sum(LWM_PIO2, -x);
        return h.hi + (h.lo + (LWM_PIO2_LO - x * z * lwm_poly_asin(z)));
    }
    double z = 0.5 * (1.0 - a), s = __builtin_sqrt(z);
    double c = s > 0.0 ? LWM_FMA(-s, s, z) / (2.0 * s) : 0.0;
    double t = LWM_FMA(s * z, lwm_poly_asin(z), c);
    if (x > 0.0) return 2.0 * (s + t);
    lwm_dd h = lwm_fast_sum(LWM_PI, -2.0 * s);
    return h.hi + (h.lo + (LWM_PI_LO - 2.0 * t));
}

#endif
