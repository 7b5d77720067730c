#!/usr/bin/env python3
"""Writes clang-include/lanewise_clang/math/polynomials.h: the polynomials of the device math functions.

Each is the interpolant of an analytic function at Chebyshev nodes of its interval, computed with 120 digits and
rounded once to double (error within a small factor of the best polynomial of that degree). Needs mpmath.
Usage: fit_polynomials.py > polynomials.h
"""
from mpmath import mp, mpf, sqrt, exp, log, atan, asin, sin, cos, erf, erfc, gamma, loggamma, pi
from mpmath import matrix, lu_solve

mp.dps = 120


def interpolate(f, a, b, degree):
    """Monomial coefficients of the interpolant of f on [a, b] at degree + 1 Chebyshev nodes."""
    a, b = mpf(a), mpf(b)
    n = degree + 1
    xs = [(a + b) / 2 + (b - a) / 2 * cos((2 * k + 1) * pi / (2 * n)) for k in range(n)]
    m = matrix(n, n)
    v = matrix(n, 1)
    for i, x in enumerate(xs):
        p = mpf(1)
        for j in range(n):
            m[i, j] = p
            p *= x
        v[i] = f(x)
    return [c for c in lu_solve(m, v)]


def worst(f, coefs, a, b):
    e = mpf(0)
    for k in range(201):
        x = mpf(a) + (mpf(b) - mpf(a)) * (k + mpf(1) / 3) / 202
        p = mpf(0)
        for c in reversed(coefs):
            p = p * x + c
        e = max(e, abs(p / f(x) - 1))
    return e


def near_zero(f, order):
    """f with its removable singularity at 0 filled from a series: f gets x and must be even or smooth there."""
    return lambda x: f(x if abs(x) > mpf(10) ** -30 else mpf(10) ** -30)


def sq(f):
    return lambda z: f(sqrt(z)) if z > mpf(10) ** -40 else f(mpf(10) ** -20)


def erfcx_scaled(t):
    x = 4 * (1 + t) / (1 - t)
    if x > 60:  # asymptotic series of exp(x^2) erfc(x)
        s, term = mpf(0), mpf(1)
        for k in range(0, 40):
            s += term
            term *= -(2 * k + 1) / (2 * x * x)
        v = s / (x * sqrt(pi))
    else:
        mp.dps = 120 + int(2 * float(x) ** 2 / 2.3)
        v = exp(x * x) * erfc(x)
        mp.dps = 120
    return v * (1 + 2 * x)


def stirling(z):
    """(ln gamma(x) - (x - 1/2) ln x + x - ln(2 pi)/2) * x with z = 1/x^2."""
    if z < mpf(10) ** -12:
        return mpf(1) / 12 - z / 360
    x = 1 / sqrt(z)
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


def lg(center):
    def f(t):
        if abs(t) < mpf(10) ** -30:
            t = mpf(10) ** -30
        return loggamma(center + t) / t
    return f


LN2H = log(2) / 2 + mpf('0.0003')
PI4 = pi / 4 + mpf('0.0005')
Z_LOG = mpf('0.0296')

JOBS = [
    ('exp', '(e^x - 1 - x) / x^2, |x| <= ln(2)/2', near_zero(lambda x: (exp(x) - 1 - x) / x ** 2, 2), -LN2H, LN2H, 10),
    ('exp2', '(2^x - 1) / x, |x| <= 1/2', near_zero(lambda x: (mpf(2) ** x - 1) / x, 1), -mpf('0.501'), mpf('0.501'), 12),
    ('expf', 'e^x, |x| <= ln(2)/2, for float', exp, -LN2H, LN2H, 7),
    ('exp2f', '2^x, |x| <= 1/2, for float', lambda x: mpf(2) ** x, -mpf('0.501'), mpf('0.501'), 7),
    ('log', '(2 atanh(s) / s - 2) / z, z = s^2, s = (m - 1)/(m + 1), m in [sqrt(1/2), sqrt(2)]',
     sq(lambda s: (log((1 + s) / (1 - s)) / s - 2) / s ** 2), 0, Z_LOG, 8),
    ('log_tail', '(2 atanh(s) / s - 2 - 2/3 z) / z^2, z = s^2',
     sq(lambda s: (log((1 + s) / (1 - s)) / s - 2 - mpf(2) / 3 * s ** 2) / s ** 4), 0, Z_LOG, 7),
    ('logf', '2 atanh(s) / s, z = s^2, for float', sq(lambda s: log((1 + s) / (1 - s)) / s), 0, Z_LOG, 4),
    ('sin', '(sin x / x - 1) / z, z = x^2, |x| <= pi/4', sq(lambda x: (sin(x) / x - 1) / x ** 2), 0, PI4 ** 2, 6),
    ('cos', '(cos x - 1 + z/2) / z^2, z = x^2, |x| <= pi/4',
     sq(lambda x: (cos(x) - 1 + x ** 2 / 2) / x ** 4), 0, PI4 ** 2, 6),
    ('sinf', 'sin x / x, z = x^2, |x| <= pi/4, for float', sq(lambda x: sin(x) / x), 0, PI4 ** 2, 4),
    ('cosf', 'cos x, z = x^2, |x| <= pi/4, for float', sq(cos), 0, PI4 ** 2, 5),
    ('atan', '(atan x / x - 1) / z, z = x^2, |x| <= sqrt(2) - 1',
     sq(lambda x: (atan(x) / x - 1) / x ** 2), 0, mpf('0.1722'), 13),
    ('asin', '(asin x / x - 1) / z, z = x^2, |x| <= 1/2', sq(lambda x: (asin(x) / x - 1) / x ** 2), 0, mpf('0.2502'), 15),
    ('erf', 'erf x / x - 1, z = x^2, |x| <= 1', sq(lambda x: erf(x) / x - 1), 0, 1, 14),
    ('erfcx', '(1 + 2x) e^(x^2) erfc x, t = (x - 4)/(x + 4), x >= 0', erfcx_scaled, -1, mpf('0.99999999999'), 28),
    ('lgamma1', 'ln gamma(1 + t) / t, t in [-1/2, 1/2]', lg(mpf(1)), -mpf('0.5'), mpf('0.5'), 28),
    ('lgamma2', 'ln gamma(2 + t) / t, t in [-1/2, 1/2]', lg(mpf(2)), -mpf('0.5'), mpf('0.5'), 19),
    ('stirling', 'x (ln gamma x - Stirling), z = 1/x^2, x >= 8', stirling, 0, mpf(1) / 64, 7),
    ('gamma2', 'gamma(2 + t), t in [-1/2, 1/2]', lambda t: gamma(2 + t), -mpf('0.5'), mpf('0.5'), 20),
    ('expm1', '(e^x - 1 - x - x^2/2) / x^3, |x| <= 0.4',
     near_zero(lambda x: (exp(x) - 1 - x - x ** 2 / 2) / x ** 3, 3), -mpf('0.4'), mpf('0.4'), 10),
    ('sinh', '(sinh x / x - 1) / z, z = x^2, |x| <= 1', sq(lambda x: ((exp(x) - exp(-x)) / (2 * x) - 1) / x ** 2), 0, 1, 6),
    ('tanh', '(tanh x / x - 1) / z, z = x^2, |x| <= 1/2',
     sq(lambda x: ((exp(2 * x) - 1) / (exp(2 * x) + 1) / x - 1) / x ** 2), 0, mpf('0.2502'), 11),
]


def near_double(c):
    return repr(float(c))


def main():
    print('''/*
 * The polynomials of the device math functions, by Horner's rule with fused steps.
 * Written by tests/clang/fit_polynomials.py; each comment gives what is approximated and the fit's relative error.
 */
#ifndef LWC_MATH_POLYNOMIALS_H
#define LWC_MATH_POLYNOMIALS_H
''')
    for name, text, f, a, b, degree in JOBS:
        c = interpolate(f, a, b, degree)
        e = worst(f, c, a, b)
        print('/* %s; %s */' % (text, mp.nstr(e, 2)))
        print('LWM_FN double lwm_poly_%s(double x)\n{' % name)
        print('    double p = %s;' % near_double(c[-1]))
        for k in reversed(c[:-1]):
            print('    p = LWM_FMA(p, x, %s);' % near_double(k))
        print('    return p;\n}\n')
    print('#endif')


main()
