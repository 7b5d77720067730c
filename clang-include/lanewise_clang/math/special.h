/*
 * Error function, gamma function, normal distribution and their inverses, Bessel functions, in double.
 * erfc x = e^(-x^2) f(x) with x^2 as double-double. gamma: recurrence to [3/2, 5/2] or Stirling from 8 (lgamma) on.
 * Inverses: a closed starting value and Halley steps. Bessel functions: backward recurrence and quadrature.
 */
#ifndef LWC_MATH_SPECIAL_H
#define LWC_MATH_SPECIAL_H

#include "exp_log.h"
#include "hyper.h"
#include "trig.h"

/* e^(x^2) erfc x for x >= 0. */
LWM_FN double lwm_erfcx_positive(double x)
{
    if (x > 1e8) return 0.5641895835477563 / x;
    double t = (x - 4.0) / (x + 4.0);
    return lwm_poly_erfcx(t) / LWM_FMA(2.0, x, 1.0);
}

/* erfc(x + lo), x > 0. */
LWM_FN double lwm_erfc_tail(double x, double lo)
{
    LWM_EXACT
    if (x > 27.3) return 0.0;
    lwm_dd q = lwm_prod(x, x);
    return lwm_exp_core(-q.hi, -LWM_FMA(2.0 * x, lo, q.lo), 0) * lwm_erfcx_positive(x);
}

LWM_FN double lwm_erf(double x)
{
    double a = lwm_abs(x);
    if (x != x) return x;
    if (a <= 1.0) return LWM_FMA(x, lwm_poly_erf(x * x), x);
    if (a > 6.0) return lwm_copysign(1.0, x);
    return lwm_copysign(1.0 - lwm_erfc_tail(a, 0.0), x);
}

LWM_FN double lwm_erfc_dd(double x, double lo)
{
    if (x != x) return x;
    if (lwm_abs(x) < 0.5) return 1.0 - LWM_FMA(x, lwm_poly_erf(x * x), x);
    return x > 0.0 ? lwm_erfc_tail(x, lo) : 2.0 - lwm_erfc_tail(-x, -lo);
}
LWM_FN double lwm_erfc(double x) { return lwm_erfc_dd(x, 0.0); }

LWM_FN double lwm_erfcx(double x)
{
    LWM_EXACT
    if (x != x) return x;
    if (x >= 0.0) return lwm_erfcx_positive(x);
    if (x < -26.7) return LWM_INF;
    lwm_dd q = lwm_prod(x, x);
    return lwm_exp_core(q.hi, q.lo, 1) - lwm_erfcx_positive(-x);
}

LWM_FN double lwm_normcdf(double x)
{
    LWM_EXACT
    double h = x * -0.7071067811865476;
    double l = LWM_FMA(x, -0.7071067811865476, -h) + x * 4.833646656726457e-17;
    if (!lwm_isfinite(x)) return x != x ? x : x > 0.0 ? 1.0 : 0.0;
    return 0.5 * lwm_erfc_dd(h, l);
}

/* The y with erfc y = q, 0 < q <= 1: two Halley steps on ln erfc, whose curvature is mild. */
LWM_FN double lwm_erfcinv_half(double q)
{
    double p = 1.0 - q, y;
    double w = -lwm_log(q * (2.0 - q));     /* -ln(1 - p^2) */
    double a = 4.330746750799873 - 0.5 * w; /* Winitzki's form, relative error about 2e-3 */
    y = __builtin_sqrt(__builtin_sqrt(a * a + w * 6.802721088435374) - a);
    if (q > 0.9) y = 0.886226925452758 * p;
    for (int i = 0; i < 3; i++) {
        double g = lwm_erfcx_positive(y);
        double lnq = -y * y + lwm_log(g);
        double d = -1.1283791670955126 / g; /* derivative of ln erfc */
        double f = q > 0.3 ? (lwm_erfc(y) - q) / lwm_erfc(y) : lnq - lwm_log(q);
        double s = f / d;
        double d2 = q > 0.3 ? -2.0 * y : -2.0 * y - d; /* second derivative over the first */
        y -= s / (1.0 - 0.5 * s * d2);
    }
    return y;
}
LWM_FN double lwm_erfcinv(double q)
{
    if (!(q >= 0.0 && q <= 2.0)) return LWM_NAN;
    if (q == 0.0 || q == 2.0) return q == 0.0 ? LWM_INF : -LWM_INF;
    return q <= 1.0 ? lwm_erfcinv_half(q) : -lwm_erfcinv_half(2.0 - q);
}
LWM_FN double lwm_erfinv(double p)
{
    double a = lwm_abs(p);
    if (!(a <= 1.0)) return LWM_NAN;
    if (a == 1.0) return lwm_copysign(LWM_INF, p);
    if (a > 0.5) return lwm_copysign(lwm_erfcinv_half(1.0 - a), p);
    double y = 0.886226925452758 * a;
    for (int i = 0; i < 4; i++) {
        double f = lwm_erf(y) - a, s = f / (1.1283791670955126 * lwm_exp(-y * y));
        y -= s / (1.0 + s * y);
    }
    return lwm_copysign(y, p);
}
LWM_FN double lwm_normcdfinv(double p) { return -1.4142135623730951 * lwm_erfcinv(2.0 * p); }

/* ---- Gamma ---- */
LWM_FN double lwm_lgamma_positive(double x)
{
    if (x < 0.5) {
        if (x < 1e-17) return -lwm_log(x);
        /* gamma(x) = gamma(1 + x) / x */
        return x * lwm_poly_lgamma1(x) - lwm_log(x);
    }
    if (x < 1.5) return (x - 1.0) * lwm_poly_lgamma1(x - 1.0) + 0.0;
    if (x < 2.5) return (x - 2.0) * lwm_poly_lgamma2(x - 2.0) + 0.0;
    if (x < 8.0) {
        double p = 1.0;
        while (x > 2.5) {
            x -= 1.0;
            p *= x;
        }
        return lwm_log(p) + (x - 2.0) * lwm_poly_lgamma2(x - 2.0);
    }
    if (x > 1e305) return x > 2.5e305 ? LWM_INF : x * (lwm_log(x) - 1.0);
    double l = lwm_log(x), i = 1.0 / x;
    return LWM_FMA(x - 0.5, l - 1.0, 0.4189385332046727) + (x < 1e9 ? i * lwm_poly_stirling(i * i) : 0.0);
}

LWM_FN double lwm_lgamma(double x)
{
    if (!lwm_isfinite(x)) return x * x;
    if (x > 0.0) return lwm_lgamma_positive(x);
    if (__builtin_trunc(x) == x) return LWM_INF;
    double s = lwm_abs(lwm_sinpi(x));
    if (x > -1e-17) return -lwm_log(-x);
    return lwm_log(3.141592653589793 / (-x * s)) - lwm_lgamma_positive(-x);
}

/* gamma x for x >= 1/2 below overflow. */
LWM_FN double lwm_tgamma_positive(double x)
{
    LWM_EXACT
    if (x > 20.0) {
        /* x^(x - 1/2) e^-x sqrt(2 pi) with the exponent as double-double. */
        double i = 1.0 / x;
        lwm_dd l = lwm_log_dd(x), h = {x - 0.5, 0.0};
        lwm_dd e = lwm_dd_mul(l, h);
        lwm_dd m = {-x, 0.0};
        e = lwm_dd_add(e, m);
        lwm_dd c = {0.9189385332046728, -3.8782941580672414e-17};
        e = lwm_dd_add(e, c);
        return lwm_exp_core(e.hi, e.lo + i * lwm_poly_stirling(i * i), 0);
    }
    lwm_dd p = {1.0, 0.0};
    while (x > 2.5) {
        x -= 1.0;
        lwm_dd f = {x, 0.0};
        p = lwm_dd_mul(p, f);
    }
    if (x < 1.5) return lwm_poly_gamma2(x - 1.0) / x;
    double g = lwm_poly_gamma2(x - 2.0);
    return p.hi * g + p.lo * g;
}

LWM_FN double lwm_tgamma(double x)
{
    if (x != x || x == LWM_INF) return x;
    if (x == 0.0) return lwm_copysign(LWM_INF, x);
    if (x >= 0.5) return x > 171.7 ? LWM_INF : lwm_tgamma_positive(x);
    if (__builtin_trunc(x) == x) return LWM_NAN;
    if (x > -0.5) return lwm_poly_gamma2(x) / (x * (x + 1.0)); /* gamma(2 + x) */
    if (x < -184.0) return lwm_copysign(0.0, ((lwm_i64)__builtin_floor(x) & 1) ? -1.0 : 1.0);
    /* Reflection at -x, which is exact; its gamma may overflow where the quotient does not. */
    double y = -x, s = -lwm_sinpi(x) * x;
    if (y <= 171.0) return 3.141592653589793 / (s * lwm_tgamma_positive(y));
    double d = 3.141592653589793 / (s * lwm_tgamma_positive(y - 16.0));
    for (int i = 1; i <= 16; i++) d /= y - (double)i;
    return d;
}

/* ---- Bessel functions of integer order: Bessel's integral by the trapezoidal rule, which converges geometrically
 * once the number of points passes |x| + n; large arguments use Hankel's expansion. Absolute errors near 1e-15. ---- */
struct lwm_hankel_t {
    double p, q;
};
LWM_FN lwm_hankel_t lwm_hankel(int n, double x)
{
    double mu = 4.0 * n * n, term = 1.0, z = 1.0 / (8.0 * x);
    lwm_hankel_t h = {1.0, 0.0};
    for (int k = 1; k <= 30; k++) {
        double odd = 2.0 * k - 1.0, next = term * (mu - odd * odd) * z / k;
        if (lwm_abs(next) >= lwm_abs(term) && k > n) break;
        term = next;
        double v = (k & 2) ? -term : term;
        if (k & 1) h.q += v;
        else h.p += v;
        if (lwm_abs(term) < 1e-18) break;
    }
    return h;
}

LWM_SLOW double lwm_bessel_j_small(int n, double x)
{
    int points = 64;
    double sum = 0.0;
    for (int i = 0; i < points; i++) {
        double t = ((double)i + 0.5) / points; /* in half turns */
        lwm_sincos_t a = lwm_sincospi(t), b = lwm_sincospi((double)n * t), c = lwm_sincos(x * a.s);
        sum += b.c * c.c + b.s * c.s; /* cos(n t - x sin t) */
    }
    return sum / points;
}

LWM_SLOW double lwm_bessel_j01(int n, double x)
{
    double a = lwm_abs(x), r;
    if (x != x) return x;
    if (a == LWM_INF) return 0.0;
    if (a < 25.0) {
        if (a < 1e-8) return n ? 0.5 * x : 1.0;
        r = a < 0.5 && n == 1
                ? a * 0.5 *
                      (1.0 -
                       a * a / 8.0 *
                           (1.0 - a * a / 24.0 * (1.0 - a * a / 48.0 * (1.0 - a * a / 80.0 * (1.0 - a * a / 120.0)))))
                : lwm_bessel_j_small(n, a);
    } else {
        lwm_hankel_t h = lwm_hankel(n, a);
        lwm_sincos_t t = lwm_sincos(a);
        /* cos and sin of a - n pi/2 - pi/4, times sqrt 2 */
        double c = n ? t.s - t.c : t.c + t.s, s = n ? -t.s - t.c : t.s - t.c;
        r = (h.p * c - h.q * s) * 0.5641895835477563 / __builtin_sqrt(a);
    }
    return n && x < 0.0 ? -r : r;
}

/* Miller's backward recurrence where the order exceeds the argument, else forward. */
/* I0 and I1: the power series, whose terms have one sign, so that nothing cancels. */
LWM_SLOW double lwm_bessel_i01(int n, double x)
{
    double q = 0.25 * x * x, t = n ? 0.5 * x : 1.0, s = t;
    for (int k = 1; k < 2000 && t != 0.0 && s - s == 0.0; k++) {
        t *= q / ((double)k * (k + n));
        double next = s + t;
        if (next == s) break;
        s = next;
    }
    return s;
}

LWM_SLOW double lwm_bessel_jn(int n, double x)
{
    double sign = 1.0;
    if (n < 0) {
        n = -n;
        sign = (n & 1) ? -1.0 : 1.0;
    }
    if (x < 0.0) {
        x = -x;
        sign = (n & 1) ? -sign : sign;
    }
    if (n < 2) return sign * lwm_bessel_j01(n, x);
    if (x == 0.0 || x == LWM_INF) return 0.0;
    if ((double)n <= x) {
        double a = lwm_bessel_j01(0, x), b = lwm_bessel_j01(1, x);
        for (int k = 1; k < n; k++) {
            double c = 2.0 * k / x * b - a;
            a = b;
            b = c;
        }
        return sign * b;
    }
    int m = 2 * ((n + (int)__builtin_sqrt(160.0 * n) + 20) / 2);
    double up = 0.0, v = 1e-300, sum = 0.0, hit = 0.0;
    for (int k = m; k > 0; k--) {
        double down = 2.0 * k / x * v - up;
        up = v;
        v = down;
        if (lwm_abs(v) > 1e200) v *= 1e-200, up *= 1e-200, sum *= 1e-200, hit *= 1e-200;
        if (((k - 1) & 1) == 0) sum += k == 1 ? v : 2.0 * v;
        if (k - 1 == n) hit = v;
    }
    return sign * hit / sum;
}

/* Y0 and Y1 for small arguments by Neumann's series over the J_2k. */
LWM_SLOW double lwm_bessel_y01(int n, double x)
{
    if (x != x) return x;
    if (x < 0.0) return LWM_NAN;
    if (x == 0.0) return -LWM_INF;
    if (x == LWM_INF) return 0.0;
    if (x >= 25.0) {
        lwm_hankel_t h = lwm_hankel(n, x);
        lwm_sincos_t t = lwm_sincos(x);
        double c = n ? t.s - t.c : t.c + t.s, s = n ? -t.s - t.c : t.s - t.c;
        return (h.p * s + h.q * c) * 0.5641895835477563 / __builtin_sqrt(x);
    }
    double lg = lwm_log(0.5 * x) + 0.5772156649015329, j0 = lwm_bessel_j01(0, x), s = 0.0;
    if (n == 0) {
        for (int k = 1; k <= 30; k++) s += ((k & 1) ? 1.0 : -1.0) * lwm_bessel_jn(2 * k, x) / k;
        return 0.6366197723675814 * (lg * j0 + 2.0 * s);
    }
    double j1 = lwm_bessel_j01(1, x);
    for (int k = 1; k <= 30; k++)
        s += ((k & 1) ? -1.0 : 1.0) * (2.0 * k + 1.0) / (k * (k + 1.0)) * lwm_bessel_jn(2 * k + 1, x);
    return 0.6366197723675814 * (-j0 / x + (lg - 1.0) * j1 - s);
}

LWM_SLOW double lwm_bessel_yn(int n, double x)
{
    double sign = 1.0;
    if (n < 0) {
        n = -n;
        sign = (n & 1) ? -1.0 : 1.0;
    }
    if (n < 2 || !(x > 0.0) || x == LWM_INF) return sign * lwm_bessel_y01(n != 0, x);
    double a = lwm_bessel_y01(0, x), b = lwm_bessel_y01(1, x);
    for (int k = 1; k < n && b > -LWM_INF; k++) {
        double c = 2.0 * k / x * b - a;
        a = b;
        b = c;
    }
    return sign * b;
}

#endif
