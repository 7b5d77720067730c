/*
 * Tools of the math functions: bits of doubles, error-free sums and products, scaling.
 * The includer defines LWM_FN (qualifiers of a function to be inlined) and LWM_SLOW (of a rare, large one). Nothing
 * here needs CUDA: tests/clang/math_test.cpp compiles the same text for the host.
 */
#ifndef LWC_MATH_CORE_H
#define LWC_MATH_CORE_H

#define LWM_FMA __builtin_fma
#define LWM_INF __builtin_inf()
#define LWM_NAN __builtin_nan("")

typedef unsigned long long lwm_u64;
typedef long long lwm_i64;
typedef unsigned int lwm_u32;

/* An unevaluated sum: hi carries the value rounded, lo the rest. */
struct lwm_dd {
    double hi, lo;
};

LWM_FN lwm_u64 lwm_bits(double x) { return __builtin_bit_cast(lwm_u64, x); }
LWM_FN double lwm_double(lwm_u64 b) { return __builtin_bit_cast(double, b); }
LWM_FN lwm_u32 lwm_bitsf(float x) { return __builtin_bit_cast(lwm_u32, x); }
LWM_FN float lwm_floatb(lwm_u32 b) { return __builtin_bit_cast(float, b); }

LWM_FN double lwm_abs(double x) { return lwm_double(lwm_bits(x) & 0x7fffffffffffffffull); }
LWM_FN double lwm_copysign(double x, double s)
{
    return lwm_double((lwm_bits(x) & 0x7fffffffffffffffull) | (lwm_bits(s) & 0x8000000000000000ull));
}
LWM_FN int lwm_signbit(double x) { return (int)(lwm_bits(x) >> 63); }
LWM_FN int lwm_isnan(double x) { return x != x; }
LWM_FN int lwm_isinf(double x) { return (lwm_bits(x) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull; }
LWM_FN int lwm_isfinite(double x) { return (lwm_bits(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull; }

/* a + b exactly; the fast form needs |a| >= |b|. */
LWM_FN lwm_dd lwm_fast_sum(double a, double b)
{
    LWM_EXACT
    lwm_dd r;
    r.hi = a + b;
    r.lo = b - (r.hi - a);
    return r;
}
LWM_FN lwm_dd lwm_sum(double a, double b)
{
    LWM_EXACT
    lwm_dd r;
    r.hi = a + b;
    double t = r.hi - a;
    r.lo = (a - (r.hi - t)) + (b - t);
    return r;
}
LWM_FN lwm_dd lwm_prod(double a, double b)
{
    LWM_EXACT
    lwm_dd r;
    r.hi = a * b;
    r.lo = LWM_FMA(a, b, -r.hi);
    return r;
}
LWM_FN lwm_dd lwm_dd_mul(lwm_dd a, lwm_dd b)
{
    LWM_EXACT
    lwm_dd p = lwm_prod(a.hi, b.hi);
    p.lo = LWM_FMA(a.hi, b.lo, LWM_FMA(a.lo, b.hi, p.lo));
    return lwm_fast_sum(p.hi, p.lo);
}
LWM_FN lwm_dd lwm_dd_add(lwm_dd a, lwm_dd b)
{
    LWM_EXACT
    lwm_dd s = lwm_sum(a.hi, b.hi);
    s.lo += a.lo + b.lo;
    return lwm_fast_sum(s.hi, s.lo);
}
/* a / b, good to about 2^-100. */
LWM_FN lwm_dd lwm_dd_div(lwm_dd a, lwm_dd b)
{
    LWM_EXACT
    double q = a.hi / b.hi;
    double r = LWM_FMA(-q, b.hi, a.hi) + (a.lo - q * b.lo);
    return lwm_fast_sum(q, r / b.hi);
}

LWM_FN double lwm_pow2(int e) { return lwm_double((lwm_u64)(e + 1023) << 52); } /* -1022 <= e <= 1023 */

/* x * 2^e with one rounding for every e; x may be anything. */
LWM_FN double lwm_ldexp(double x, int e)
{
    if (e > 2100) e = 2100;
    if (e < -2200) e = -2200;
    if (e >= -1022 && e <= 1023) return x * lwm_pow2(e);
    if (e > 1023) {
        x *= lwm_pow2(1023);
        e -= 1023;
        if (e > 1023) {
            x *= lwm_pow2(1023);
            e -= 1023;
            if (e > 1023) e = 1023;
        }
        return x * lwm_pow2(e);
    }
    /* Steps of 2^-969 keep 53 bits until the last one, so that only it rounds. */
    x *= lwm_pow2(-969);
    e += 969;
    if (e < -1022) {
        x *= lwm_pow2(-969);
        e += 969;
        if (e < -1022) e = -1022;
    }
    return x * lwm_pow2(e);
}

/* y * 2^n for a y near 1, as exp ends: two steps where the result is subnormal or overflows. */
LWM_FN double lwm_scale(double y, int n)
{
    if (n >= -1021 && n <= 1022) return y * lwm_pow2(n);
    int h = n / 2;
    return y * lwm_pow2(h) * lwm_pow2(n - h);
}

#endif
