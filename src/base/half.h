/* half.h: f16 numbers as bits, without the compiler's _Float16, which clang has not for every target. */
#ifndef LW_HALF_H
#define LW_HALF_H

#include <stdint.h>
#include <string.h>

static inline float lw_float_of_half(uint16_t half)
{
    uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
    uint32_t bits = exponent == 31 ? 0x7f800000u | (fraction ? 0x400000u : 0) : (exponent + 112) << 23;
    float out;
    bits |= fraction << 13;
    memcpy(&out, &bits, sizeof out);
    if (!exponent) out = (float)fraction * 0x1p-24f;
    return half & 0x8000 ? -out : out;
}

/* Rounded to nearest even. */
static inline uint16_t lw_half_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024) return (uint16_t)(sign | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
    if (exponent < -26) return sign;
    int drop = exponent < -14 ? 42 - 14 - exponent : 42; /* bits below the last one that is kept */
    uint64_t all = fraction | UINT64_C(1) << 52;
    uint64_t kept = all >> drop, rest = all & ((UINT64_C(1) << drop) - 1), middle = UINT64_C(1) << (drop - 1);
    kept += rest > middle || (rest == middle && (kept & 1));
    if (exponent >= -14) kept += (uint64_t)(exponent + 14) << 10; /* the leading bit of kept adds one */
    return (uint16_t)(sign | (kept < 0x7c00 ? kept : 0x7c00));
}

static inline uint16_t lw_half_of_float(float x) { return lw_half_of_double((double)x); }

#endif
