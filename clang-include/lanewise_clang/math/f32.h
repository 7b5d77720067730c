/*
 * The float functions: computed in double with short polynomials and rounded once, so that nearly all results are
 * correctly rounded. What is not called in inner loops simply rounds the double function.
 */
#ifndef LWC_MATH_F32_H
#define LWC_MATH_F32_H

#include "special.h"

LWM_FN float lwm_expf(float x)
{
    if (x > 89.0f) return (float)LWM_INF;
    if (x < -104.0f) return 0.0f;
    if (x != x) return x;
    double d = x, n = __builtin_rint(d * LWM_LOG2E), r = LWM_FMA(n, -0.6931471805599453, d);
    return (float)(lwm_poly_expf(r) * lwm_pow2((int)n));
}
LWM_FN float lwm_exp2f(float x)
{
    if (x >= 128.0f) return (float)LWM_INF;
    if (x < -150.0f) return 0.0f;
    if (x != x) return x;
    double d = x, n = __builtin_rint(d);
    return (float)(lwm_poly_exp2f(d - n) * lwm_pow2((int)n));
}
LWM_FN float lwm_exp10f(float x)
{
    if (x > 38.6f) return (float)LWM_INF;
    if (x < -45.5f) return 0.0f;
    if (x != x) return x;
    double d = x, n = __builtin_rint(d * 3.321928094887362), r = LWM_FMA(n, -0.3010299956639812, d);
    return (float)(lwm_poly_expf(r * 2.302585092994046) * lwm_pow2((int)n));
}

/* ln m and the exponent, in double; x positive and finite. Every float is a normal double. */
struct lwm_logf_t {
    double k, l;
};
LWM_FN lwm_logf_t lwm_logf_parts(double x)
{
    lwm_u64 t = lwm_bits(x) - 0x3fe6a09e667f3bcdull;
    double m = lwm_double((t & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
    double s = (m - 1.0) / (m + 1.0);
    lwm_logf_t r = {(double)(int)((lwm_i64)t >> 52), s * lwm_poly_logf(s * s)};
    return r;
}
LWM_FN int lwm_logf_ordinary(float x) { return x > 0.0f && x < (float)LWM_INF; }
LWM_FN float lwm_logf(float x)
{
    if (!lwm_logf_ordinary(x)) return (float)lwm_log_special(x);
    lwm_logf_t p = lwm_logf_parts(x);
    return (float)LWM_FMA(p.k, 0.6931471805599453, p.l);
}
LWM_FN float lwm_log2f(float x)
{
    if (!lwm_logf_ordinary(x)) return (float)lwm_log_special(x);
    lwm_logf_t p = lwm_logf_parts(x);
    return (float)LWM_FMA(p.l, LWM_LOG2E, p.k);
}
LWM_FN float lwm_log10f(float x)
{
    if (!lwm_logf_ordinary(x)) return (float)lwm_log_special(x);
    lwm_logf_t p = lwm_logf_parts(x);
    return (float)LWM_FMA(p.k, 0.3010299956639812, p.l * LWM_LOG10E);
}

LWM_FN float lwm_powf(float x, float y)
{
    if (x > 0.0f && x < (float)LWM_INF && y > -(float)LWM_INF && y < (float)LWM_INF)
        return (float)lwm_exp((double)y * lwm_log((double)x));
    return (float)lwm_pow((double)x, (double)y);
}

struct lwm_reducedf {
    double r;
    int quadrant;
};
LWM_FN lwm_reducedf lwm_reducef(float x)
{
    lwm_reducedf o;
    double d = x;
    if (x > -1048576.0f && x < 1048576.0f) {
        double n = __builtin_rint(d * 0.6366197723675814);
        o.r = LWM_FMA(n, -LWM_PIO2_LO, LWM_FMA(n, -LWM_PIO2, d));
        o.quadrant = (int)n & 3;
        return o;
    }
    if (!lwm_isfinite(d)) {
        o.r = LWM_NAN;
        o.quadrant = 0;
        return o;
    }
    lwm_reduced w = lwm_reduce_large(d);
    o.r = w.hi;
    o.quadrant = w.quadrant;
    return o;
}
LWM_FN float lwm_sin_of(double r, int quadrant)
{
    double z = r * r, v = (quadrant & 1) ? lwm_poly_cosf(z) : r * lwm_poly_sinf(z);
    return (float)((quadrant & 2) ? -v : v);
}
LWM_FN float lwm_sinf(float x)
{
    lwm_reducedf r = lwm_reducef(x);
    return x == 0.0f ? x : lwm_sin_of(r.r, r.quadrant);
}
LWM_FN float lwm_cosf(float x)
{
    lwm_reducedf r = lwm_reducef(x);
    return lwm_sin_of(r.r, r.quadrant + 1);
}
LWM_FN float lwm_tanf(float x)
{
    lwm_reducedf r = lwm_reducef(x);
    double z = r.r * r.r, s = r.r * lwm_poly_sinf(z), c = lwm_poly_cosf(z);
    if (x == 0.0f) return x;
    return (float)((r.quadrant & 1) ? -c / s : s / c);
}
struct lwm_sincosf_t {
    float s, c;
};
LWM_FN lwm_sincosf_t lwm_sincosf(float x)
{
    lwm_reducedf r = lwm_reducef(x);
    lwm_sincosf_t o = {x == 0.0f ? x : lwm_sin_of(r.r, r.quadrant), lwm_sin_of(r.r, r.quadrant + 1)};
    return o;
}

LWM_FN float lwm_hypotf(float x, float y)
{
    double a = x, b = y;
    if (lwm_isinf(a) || lwm_isinf(b)) return (float)LWM_INF;
    return (float)__builtin_sqrt(LWM_FMA(a, a, b * b));
}

LWM_FN float lwm_nextafterf(float x, float y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0.0f) return lwm_floatb((lwm_bitsf(y) & 0x80000000u) | 1u);
    lwm_u32 b = lwm_bitsf(x);
    return lwm_floatb((x < y) == (x > 0.0f) ? b + 1 : b - 1);
}

#endif
