/* ref_float.h: exact binary floating point for the tests of the instruction table: values as integers of up to 124 bits
 * with an exponent, operations without rounding (what falls off the end stays as a sticky last bit), and one rounding,
 * bit by bit, into any format. Written to be obviously right, not fast; shares nothing with src/. */
#ifndef LW_TESTS_REF_FLOAT_H
#define LW_TESTS_REF_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

typedef struct ref_format {
    int mantissa, exponent; /* bits */
} ref_format;
static const ref_format REF_F16 = {10, 5}, REF_BF16 = {7, 8}, REF_F32 = {23, 8}, REF_F64 = {52, 11}, REF_E5M2 = {2, 5},
                        REF_E4M3 = {3, 4}, REF_TF32 = {10, 8};

typedef enum ref_kind { REF_ZERO, REF_FINITE, REF_INF, REF_NAN } ref_kind;
typedef struct ref_num {
    ref_kind kind;
    bool negative;
    u128 m; /* value = m * 2^e; the last bit may stand for "and something more" */
    int e;
} ref_num;
typedef enum ref_mode { REF_RN, REF_RZ, REF_RM, REF_RP, REF_RNA } ref_mode;

static int ref_bits(ref_format f) { return 1 + f.exponent + f.mantissa; }
static int ref_bias(ref_format f) { return (1 << (f.exponent - 1)) - 1; }
static int ref_top_bit(u128 m)
{
    int n = -1;
    for (; m; m >>= 1) n++;
    return n;
}

static ref_num ref_unpack(uint64_t bits, ref_format f)
{
    uint64_t mantissa = bits & (((uint64_t)1 << f.mantissa) - 1);
    int exponent = (int)(bits >> f.mantissa & ((1u << f.exponent) - 1)), all = (1 << f.exponent) - 1;
    ref_num r = {.negative = bits >> (ref_bits(f) - 1) & 1};
    if (exponent == all && f.mantissa == 3) { /* e4m3 has no infinity and one NaN */
        r.kind = mantissa == 7 ? REF_NAN : REF_FINITE;
    } else if (exponent == all) {
        r.kind = mantissa ? REF_NAN : REF_INF;
    } else {
        r.kind = exponent || mantissa ? REF_FINITE : REF_ZERO;
    }
    r.m = exponent ? mantissa | (uint64_t)1 << f.mantissa : mantissa;
    r.e = (exponent ? exponent : 1) - ref_bias(f) - f.mantissa;
    return r;
}

static u128 ref_shift_right(u128 m, int n) /* keeps lost bits as the last one */
{
    if (n > 127) return m != 0;
    u128 r = m >> n;
    return r << n == m ? r : r | 1;
}

/* Brings the top bit to 124. */
static ref_num ref_normal(ref_num x)
{
    if (x.kind != REF_FINITE) return x;
    int n = 124 - ref_top_bit(x.m);
    x.m = n >= 0 ? x.m << n : ref_shift_right(x.m, -n);
    x.e -= n;
    return x;
}

static ref_num ref_neg(ref_num x) { return x.negative = !x.negative, x; }

static ref_num ref_add(ref_num a, ref_num b, ref_mode mode)
{
    ref_num nan = {.kind = REF_NAN};
    if (a.kind == REF_NAN || b.kind == REF_NAN) return nan;
    if (a.kind == REF_INF) return b.kind == REF_INF && a.negative != b.negative ? nan : a;
    if (b.kind == REF_INF) return b;
    ref_num zero = {.kind = REF_ZERO, .negative = a.negative == b.negative ? a.negative : mode == REF_RM};
    if (a.kind == REF_ZERO) return b.kind == REF_ZERO ? zero : b;
    if (b.kind == REF_ZERO) return a;
    a = ref_normal(a), b = ref_normal(b);
    if (a.e < b.e) {
        ref_num t = a;
        a = b, b = t;
    }
    b.m = ref_shift_right(b.m, a.e - b.e);
    if (a.negative == b.negative) {
        a.m += b.m;
        return a;
    }
    if (a.m == b.m) return zero;
    if (a.m < b.m) a.negative = b.negative, a.m = b.m - a.m;
    else a.m -= b.m;
    return a;
}

static ref_num ref_mul(ref_num a, ref_num b)
{
    ref_num r = {.kind = REF_FINITE, .negative = a.negative != b.negative, .m = a.m * b.m, .e = a.e + b.e};
    if (a.kind == REF_NAN || b.kind == REF_NAN) r.kind = REF_NAN;
    else if (a.kind == REF_INF || b.kind == REF_INF)
        r.kind = a.kind == REF_ZERO || b.kind == REF_ZERO ? REF_NAN : REF_INF;
    else if (a.kind == REF_ZERO || b.kind == REF_ZERO) r.kind = REF_ZERO;
    return r;
}

static ref_num ref_div(ref_num a, ref_num b)
{
    ref_num r = {.kind = REF_FINITE, .negative = a.negative != b.negative};
    if (a.kind == REF_NAN || b.kind == REF_NAN || (a.kind == b.kind && a.kind != REF_FINITE)) r.kind = REF_NAN;
    else if (a.kind == REF_INF || b.kind == REF_ZERO) r.kind = REF_INF;
    else if (a.kind == REF_ZERO || b.kind == REF_INF) r.kind = REF_ZERO;
    if (r.kind != REF_FINITE) return r;
    a = ref_normal(a);
    r.m = a.m / b.m, r.e = a.e - b.e; /* b has at most 53 bits: the quotient at least 71 */
    if (r.m * b.m != a.m) r.m |= 1;
    return r;
}

static ref_num ref_sqrt(ref_num a)
{
    if (a.kind == REF_NAN || a.kind == REF_ZERO) return a;
    if (a.negative) return (ref_num){.kind = REF_NAN};
    if (a.kind == REF_INF) return a;
    a = ref_normal(a);
    if (a.e & 1) a.m >>= 1, a.e++; /* its low bits are zero: the source has 53 */
    u128 root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        u128 t = root | (u128)1 << bit;
        if (t * t <= a.m) root = t;
    }
    a.e /= 2;
    a.m = root * root == a.m ? root << 1 : root << 1 | 1;
    a.e--;
    return a;
}

/* Rounds to a multiple of 2^q; the result m is in units of 2^q. */
static u128 ref_round_to(ref_num x, int q, ref_mode mode, bool *inexact)
{
    if (q <= x.e) return *inexact = false, x.m << (x.e - q);
    int drop = q - x.e;
    u128 kept = drop > 127 ? 0 : x.m >> drop, rest = drop > 127 ? x.m : x.m - (kept << drop);
    *inexact = rest != 0;
    int against_half = -1; /* rest compared with half a unit */
    if (drop <= 127) {
        u128 half = (u128)1 << (drop - 1);
        against_half = rest > half ? 1 : rest == half ? 0 : -1;
    }
    bool up = false;
    switch (mode) {
    case REF_RN: up = against_half > 0 || (against_half == 0 && (kept & 1)); break;
    case REF_RNA: up = against_half >= 0; break;
    case REF_RZ: break;
    case REF_RM: up = *inexact && x.negative; break;
    case REF_RP: up = *inexact && !x.negative; break;
    }
    return kept + up;
}

/* NaN is left to the caller. *tiny: below the least normal number before rounding. */
static uint64_t ref_pack(ref_num x, ref_format f, ref_mode mode, bool *tiny)
{
    uint64_t sign = (uint64_t)x.negative << (ref_bits(f) - 1), inf = (((uint64_t)1 << f.exponent) - 1) << f.mantissa;
    *tiny = false;
    if (x.kind == REF_ZERO) return sign;
    if (x.kind == REF_INF) return sign | inf;
    int least = 1 - ref_bias(f), exponent = x.e + ref_top_bit(x.m);
    *tiny = exponent < least;
    int q = (*tiny ? least : exponent) - f.mantissa;
    bool inexact;
    u128 m = ref_round_to(x, q, mode, &inexact);
    if (m >> (f.mantissa + 1)) m >>= 1, q++;
    uint64_t field = m >> f.mantissa ? (uint64_t)(q + f.mantissa + ref_bias(f)) : 0;
    if (field >= (((uint64_t)1 << f.exponent) - 1)) {
        bool away = mode == REF_RN || mode == REF_RNA || (x.negative ? mode == REF_RM : mode == REF_RP);
        return sign | (away ? inf : inf - 1);
    }
    return sign | field << f.mantissa | ((uint64_t)m & (((uint64_t)1 << f.mantissa) - 1));
}

/* An integer value as a number, and a number rounded to an integer and clamped to [low, high]. */
static ref_num ref_of_int(i128 v)
{
    ref_num r = {.kind = v ? REF_FINITE : REF_ZERO, .negative = v < 0, .m = v < 0 ? (u128)-v : (u128)v};
    return r;
}
static i128 ref_to_int(ref_num x, ref_mode mode, i128 low, i128 high)
{
    if (x.kind == REF_ZERO) return 0;
    if (x.kind == REF_INF || x.e + ref_top_bit(x.m) > 100) return x.negative ? low : high;
    bool inexact;
    i128 v = (i128)ref_round_to(x, 0, mode, &inexact);
    if (x.negative) v = -v;
    return v < low ? low : v > high ? high : v;
}

#endif
