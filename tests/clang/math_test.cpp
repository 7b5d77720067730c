/*
 * Accuracy of the device math functions, compiled for the host: the largest error in ulps against the host's
 * long double over sampled arguments, and exact agreement on special values. Fails when a bound is exceeded.
 * Build: c++ -O2 -mfma -ffp-contract=off -I<clang-include> math_test.cpp -lm
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cfloat>
#include <initializer_list>

#define LWM_FN static inline __attribute__((unused))
#define LWM_SLOW static __attribute__((unused))
#define LWM_EXACT
#include "lanewise_clang/math/f32.h"

typedef long double ld;

static int failures;
static unsigned long long seed = 0x9e3779b97f4a7c15ull;

static double uniform(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Arguments: half evenly spread, half with evenly spread exponents and either sign inside [a, b]. */
static double argument(double a, double b)
{
    if (uniform() < 0.5)
        return a + (b - a) * uniform();
    for (;;) {
        double m = fabs(a) > fabs(b) ? fabs(a) : fabs(b), x = m * exp2(-40.0 * uniform());
        if (uniform() < 0.5)
            x = -x;
        if (x >= a && x <= b)
            return x;
    }
}

static double ulps(double got, ld want, int digits, int emin)
{
    if (std::isnan(got) || std::isnan(want))
        return std::isnan(got) && std::isnan(want) ? 0 : 1e9;
    if (std::isinf(got) && fabsl(want) >= (digits == 24 ? FLT_MAX : DBL_MAX))
        return 0;
    int e;
    frexpl(want, &e);
    if (e < emin)
        e = emin;
    return (double)(fabsl((ld)got - want) / ldexpl(1, e - digits));
}

static void report(const char *name, double worst, double at, double at2, double bound)
{
    printf("%-10s %7.3f ulp (bound %g) at %.17g %.17g%s\n", name, worst, bound, at, at2, worst > bound ? "  FAIL" : "");
    if (worst > bound)
        failures++;
}

template <class F, class R> static void test1(const char *name, F f, R r, double a, double b, double bound, int n = 200000)
{
    double worst = 0, at = 0;
    for (int i = 0; i < n; i++) {
        double x = argument(a, b), u = ulps(f(x), r((ld)x), 53, -1021);
        if (u > worst)
            worst = u, at = x;
    }
    report(name, worst, at, 0, bound);
}
template <class F, class R> static void test1f(const char *name, F f, R r, double a, double b, double bound, int n = 200000)
{
    double worst = 0, at = 0;
    for (int i = 0; i < n; i++) {
        float x = (float)argument(a, b);
        double u = ulps(f(x), r((ld)x), 24, -125);
        if (u > worst)
            worst = u, at = x;
    }
    report(name, worst, at, 0, bound);
}
template <class F, class R>
static void test2(const char *name, F f, R r, double a, double b, double c, double d, double bound, int n = 200000)
{
    double worst = 0, at = 0, at2 = 0;
    for (int i = 0; i < n; i++) {
        double x = argument(a, b), y = argument(c, d), u = ulps(f(x, y), r((ld)x, (ld)y), 53, -1021);
        if (u > worst)
            worst = u, at = x, at2 = y;
    }
    report(name, worst, at, at2, bound);
}
template <class F, class R>
static void test2f(const char *name, F f, R r, double a, double b, double c, double d, double bound, int n = 200000)
{
    double worst = 0, at = 0, at2 = 0;
    for (int i = 0; i < n; i++) {
        float x = (float)argument(a, b), y = (float)argument(c, d);
        double u = ulps(f(x, y), r((ld)x, (ld)y), 24, -125);
        if (u > worst)
            worst = u, at = x, at2 = y;
    }
    report(name, worst, at, at2, bound);
}

/* Special values must agree in every bit, but for the sign and payload of a NaN. */
static int same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || !memcmp(&a, &b, sizeof a); }

static const double specials[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 1e300, -1e300, 4.9e-324, -4.9e-324,
                                  1e-310, DBL_MIN, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN, 0x1p52, 0x1p53, 0x1p53 + 2, 1024.0};
static const int special_count = sizeof specials / sizeof *specials;

template <class F, class R> static void special1(const char *name, F f, R r, double near = 0)
{
    for (int i = 0; i < special_count; i++) {
        double x = specials[i], a = f(x), b = r(x);
        if (!same(a, b) && !(near > 0 && std::isfinite(b) && b != 0 && fabs(a - b) <= near * fabs(b))) {
            printf("%s(%g) = %g, expected %g  FAIL\n", name, x, a, b);
            failures++;
        }
    }
}
template <class F, class R> static void special2(const char *name, F f, R r, double near = 0)
{
    for (int i = 0; i < special_count; i++)
        for (int j = 0; j < special_count; j++) {
            double x = specials[i], y = specials[j], a = f(x, y), b = r(x, y);
            if (!same(a, b) && !(near > 0 && std::isfinite(b) && b != 0 && fabs(a - b) <= near * fabs(b))) {
                printf("%s(%g, %g) = %g, expected %g  FAIL\n", name, x, y, a, b);
                failures++;
            }
        }
}

static ld normcdf_ref(ld x) { return 0.5L * erfcl(-x * 0.70710678118654752440084436210484903929L); }
static const ld pi_l = 3.14159265358979323846264338327950288L;
static ld sinpi_ref(ld x)
{
    ld n = rintl(x), s = sinl(pi_l * (x - n));
    return fmodl(n, 2) != 0 ? -s : s;
}
static ld cospi_ref(ld x) { return cosl(pi_l * x); }
static ld exp10_ref(ld x) { return exp10l(x); }

#define T1(fn, a, b, bound) test1(#fn, lwm_##fn, [](ld x) { return fn##l(x); }, a, b, bound)
#define T1F(fn, a, b, bound) test1f(#fn "f", lwm_##fn##f, [](ld x) { return fn##l(x); }, a, b, bound)
#define S1(f, near) special1(#f, lwm_##f, [](double x) { return f(x); }, near)

static void test_double(void)
{
    T1(exp, -745, 709.5, 1), T1(exp2, -1070, 1023.5, 1), T1(expm1, -40, 700, 1.5), T1(expm1, -1, 1, 1);
    test1("exp10", lwm_exp10, exp10_ref, -320, 308, 1);
    T1(log, 1e-300, 1e300, 1), T1(log, 0.5, 2, 1), T1(log2, 1e-10, 1e10, 1), T1(log2, 0.9, 1.1, 1);
    T1(log10, 1e-10, 1e10, 1), T1(log1p, -0.999, 1e3, 1), T1(log1p, -0.1, 0.1, 1);
    T1(sin, -10, 10, 1), T1(sin, -1e6, 1e6, 1), T1(sin, -1e300, 1e300, 1), T1(cos, -10, 10, 1), T1(cos, -1e9, 1e9, 1);
    T1(cos, -1e300, 1e300, 1), T1(tan, -10, 10, 1), T1(tan, -1e15, 1e15, 1);
    test1("sinpi", lwm_sinpi, sinpi_ref, -3, 3, 1), test1("cospi", lwm_cospi, cospi_ref, -0.49, 0.49, 1);
    T1(asin, -1, 1, 1), T1(acos, -1, 1, 1), T1(atan, -1e3, 1e3, 1), T1(atan, -2, 2, 1);
    T1(sinh, -700, 700, 2), T1(sinh, -3, 3, 2), T1(cosh, -700, 700, 2), T1(cosh, -3, 3, 2), T1(tanh, -20, 20, 2);
    T1(asinh, -1e3, 1e3, 2), T1(asinh, -2, 2, 2.5), T1(acosh, 1, 1e3, 2), T1(atanh, -0.9999, 0.9999, 2.5);
    T1(cbrt, -1e300, 1e300, 1), T1(erf, -5.9, 5.9, 2), T1(erfc, -5, 26, 4), T1(tgamma, -20.3, 170, 6), T1(tgamma, 0.1, 20, 4);
    test1("rsqrt", lwm_rsqrt, [](ld x) { return 1 / sqrtl(x); }, 1e-300, 1e300, 1);
    test1("normcdf", lwm_normcdf, normcdf_ref, -37, 8, 5);
    T1(lgamma, 2.6, 1e6, 4), T1(lgamma, 1e-3, 2.4, 4);
    test1("erfinv", [](double p) { return lwm_erf(lwm_erfinv(p)); }, [](ld p) { return p; }, -0.999, 0.999, 6, 20000);
    test1("erfcinv", [](double y) { return lwm_erfcinv(lwm_erfc(y)); }, [](ld y) { return y; }, 1, 25, 6, 20000);
    test2("pow", lwm_pow, [](ld x, ld y) { return powl(x, y); }, 1e-5, 1e5, -60, 60, 1);
    test2("pow", lwm_pow, [](ld x, ld y) { return powl(x, y); }, 0.9, 1.1, -3000, 3000, 1);
    test2("atan2", lwm_atan2, [](ld x, ld y) { return atan2l(x, y); }, -1e3, 1e3, -1e3, 1e3, 1);
    test2("hypot", lwm_hypot, [](ld x, ld y) { return hypotl(x, y); }, -1e300, 1e300, -1e300, 1e300, 1);
    test2("fmod", lwm_fmod, [](ld x, ld y) { return fmodl(x, y); }, -1e30, 1e30, -1e3, 1e3, 0);
    test2("remainder", [](double x, double y) { return lwm_remquo(x, y).rest; },
          [](ld x, ld y) { return remainderl(x, y); }, -1e20, 1e20, -1e3, 1e3, 0);
}

/* Bessel functions: absolute error, since they cross zero; the host's double functions are the reference. */
static void test_bessel(void)
{
    double worst[6] = {0};
    for (int i = 0; i < 2000; i++) {
        double x = 60 * uniform() + 0.01, big = 40 * uniform() + 12;
        double e[6] = {lwm_bessel_j01(0, x) - j0(x), lwm_bessel_j01(1, x) - j1(x), lwm_bessel_y01(0, x) - y0(x),
                       (lwm_bessel_y01(1, x) - y1(x)) / (1 + 1 / x), lwm_bessel_jn(5, x) - jn(5, x),
                       lwm_bessel_yn(4, big) - yn(4, big)};
        for (int k = 0; k < 6; k++)
            if (fabs(e[k]) > worst[k])
                worst[k] = fabs(e[k]);
    }
    for (int k = 0; k < 6; k++) {
        printf("bessel %d: absolute error %.2e%s\n", k, worst[k], worst[k] > 1e-14 ? "  FAIL" : "");
        failures += worst[k] > 1e-14;
    }
    double i01 = 0; /* they grow as exp(x): relative error */
    for (int i = 0; i < 2000; i++) {
        double x = 700 * uniform();
        for (int n = 0; n < 2; n++) i01 = fmax(i01, fabs(lwm_bessel_i01(n, x) / std::cyl_bessel_i(n, x) - 1));
    }
    i01 = fmax(i01, lwm_bessel_i01(0, 0.0) != 1 || lwm_bessel_i01(1, 0.0) != 0 || lwm_bessel_i01(1, -2.0) > 0);
    printf("bessel i0, i1: relative error %.2e%s\n", i01, i01 > 1e-13 ? "  FAIL" : "");
    failures += !(i01 <= 1e-13);
}

static void test_float(void)
{
    T1F(exp, -103, 88.7, 1), T1F(exp2, -149, 127.9, 1), T1F(log, 1e-40, 1e38, 1), T1F(log, 0.5, 2, 1);
    T1F(log2, 1e-40, 1e38, 1), T1F(log10, 1e-40, 1e38, 1), T1F(sin, -100, 100, 1), T1F(sin, -1e38, 1e38, 1);
    T1F(cos, -100, 100, 1), T1F(cos, -1e38, 1e38, 1), T1F(tan, -100, 100, 1), T1F(log2, 0.9, 1.1, 1);
    test1f("exp10f", lwm_exp10f, exp10_ref, -45, 38.5, 1);
    test2f("powf", lwm_powf, [](ld x, ld y) { return powl(x, y); }, 1e-5, 1e5, -7, 7, 1);
    test2f("powf", lwm_powf, [](ld x, ld y) { return powl(x, y); }, 0.9, 1.1, -500, 500, 1);
    test2f("hypotf", lwm_hypotf, [](ld x, ld y) { return hypotl(x, y); }, -1e30, 1e30, -1e30, 1e30, 1);
}

static void test_special(void)
{
    S1(exp, 1e-15), S1(exp2, 1e-15), S1(expm1, 1e-15), S1(log, 1e-15), S1(log2, 1e-15), S1(log10, 1e-15), S1(log1p, 1e-15);
    S1(sin, 1e-15), S1(cos, 1e-15), S1(tan, 1e-15), S1(asin, 1e-15), S1(acos, 1e-15), S1(atan, 1e-15), S1(sinh, 1e-15);
    S1(cosh, 1e-15), S1(tanh, 1e-15), S1(asinh, 1e-15), S1(acosh, 1e-15), S1(atanh, 1e-15), S1(cbrt, 1e-15);
    S1(erf, 1e-15), S1(erfc, 1e-15), S1(lgamma, 1e-14), S1(logb, 0);
    special1("tgamma", lwm_tgamma, [](double x) { return tgamma(x); }, 1e-14);
    special2("pow", lwm_pow, [](double x, double y) { return pow(x, y); }, 1e-15);
    special2("atan2", lwm_atan2, [](double x, double y) { return atan2(x, y); }, 1e-15);
    special2("hypot", lwm_hypot, [](double x, double y) { return hypot(x, y); }, 1e-15);
    special2("fmod", lwm_fmod, [](double x, double y) { return fmod(x, y); });
    special2("nextafter", lwm_nextafter, [](double x, double y) { return nextafter(x, y); });
    special2("remainder", [](double x, double y) { return lwm_remquo(x, y).rest; },
             [](double x, double y) { return remainder(x, y); });
    special2("remquo", [](double x, double y) { return (double)((int)lwm_remquo(x, y).quotient & 7); },
             [](double x, double y) { int q = 0; remquo(x, y, &q); return (double)(abs(q) & 7); });
    for (int e = -2200; e <= 2200; e += 7)
        for (double x : {1.0, -1.3, 0x1.fffffffffffffp0, 5e-324, 1e300, 0x1.8000000000001p-1022})
            if (!same(lwm_ldexp(x, e), ldexp(x, e))) {
                printf("ldexp(%a, %d) = %a, expected %a  FAIL\n", x, e, lwm_ldexp(x, e), ldexp(x, e));
                failures++;
            }
}

int main(void)
{
    test_double();
    test_float();
    test_bessel();
    test_special();
    printf("%s: %d failures\n", failures ? "FAIL" : "PASS", failures);
    return failures != 0;
}
