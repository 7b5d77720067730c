/*
 * SIMD intrinsics on the four bytes or two halves of a 32-bit word, and the min/max combinations of sm_90.
 * Each is one lane's formula in int, applied lane by lane; the compiler makes of it what the target has.
 */
#ifndef LWC_SIMD_H
#define LWC_SIMD_H

#include "integer.h"

/* Signed and unsigned value of lane i of w; B is the lane's width in bits. */
#define LWC_S(B, w, i) ((int)((w) << (32 - (B) - (i) * (B))) >> (32 - (B)))
#define LWC_U(B, w, i) ((int)(((w) >> ((i) * (B))) & ((1u << (B)) - 1)))
#define LWC_SMAX(B) ((1 << ((B) - 1)) - 1)
#define LWC_SMIN(B) (-(1 << ((B) - 1)))
#define LWC_UMAX(B) ((1 << (B)) - 1)
#define LWC_CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

#define LWC_SIMD2(name, B, get, expr)                                                                                  \
    LWC_FN unsigned name(unsigned a, unsigned b)                                                                       \
    {                                                                                                                  \
        unsigned r = 0;                                                                                                \
        _Pragma("unroll") for (int i = 0; i < 32 / B; i++)                                                             \
        {                                                                                                              \
            const int x = get(B, a, i), y = get(B, b, i);                                                              \
            r |= ((unsigned)(expr) & ((1u << B) - 1)) << (i * B);                                                      \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define LWC_SIMD1(name, B, get, expr)                                                                                  \
    LWC_FN unsigned name(unsigned a)                                                                                   \
    {                                                                                                                  \
        unsigned r = 0;                                                                                                \
        _Pragma("unroll") for (int i = 0; i < 32 / B; i++)                                                             \
        {                                                                                                              \
            const int x = get(B, a, i);                                                                                \
            r |= ((unsigned)(expr) & ((1u << B) - 1)) << (i * B);                                                      \
        }                                                                                                              \
        return r;                                                                                                      \
    }
#define LWC_SIMDSUM(name, B, get)                                                                                      \
    LWC_FN unsigned name(unsigned a, unsigned b)                                                                       \
    {                                                                                                                  \
        unsigned r = 0;                                                                                                \
        _Pragma("unroll") for (int i = 0; i < 32 / B; i++)                                                             \
        {                                                                                                              \
            const int d = get(B, a, i) - get(B, b, i);                                                                 \
            r += (unsigned)(d < 0 ? -d : d);                                                                           \
        }                                                                                                              \
        return r;                                                                                                      \
    }

#define LWC_SIMD_CMP(n, B, suffix, get, op)                                                                            \
    LWC_SIMD2(__vcmp##suffix##n, B, get, x op y ? -1 : 0)                                                              \
    LWC_SIMD2(__vset##suffix##n, B, get, x op y)

#define LWC_SIMD_ALL(n, B)                                                                                             \
    LWC_SIMD1(__vabs##n, B, LWC_S, x < 0 ? -x : x)                                                                     \
    LWC_SIMD1(__vabsss##n, B, LWC_S, x < 0 ? (x == LWC_SMIN(B) ? LWC_SMAX(B) : -x) : x)                                \
    LWC_SIMD1(__vneg##n, B, LWC_S, -x)                                                                                 \
    LWC_SIMD1(__vnegss##n, B, LWC_S, x == LWC_SMIN(B) ? LWC_SMAX(B) : -x)                                              \
    LWC_SIMD2(__vadd##n, B, LWC_U, x + y)                                                                              \
    LWC_SIMD2(__vaddss##n, B, LWC_S, LWC_CLAMP(x + y, LWC_SMIN(B), LWC_SMAX(B)))                                       \
    LWC_SIMD2(__vaddus##n, B, LWC_U, LWC_CLAMP(x + y, 0, LWC_UMAX(B)))                                                 \
    LWC_SIMD2(__vsub##n, B, LWC_U, x - y)                                                                              \
    LWC_SIMD2(__vsubss##n, B, LWC_S, LWC_CLAMP(x - y, LWC_SMIN(B), LWC_SMAX(B)))                                       \
    LWC_SIMD2(__vsubus##n, B, LWC_U, LWC_CLAMP(x - y, 0, LWC_UMAX(B)))                                                 \
    LWC_SIMD2(__vabsdiffs##n, B, LWC_S, x < y ? y - x : x - y)                                                         \
    LWC_SIMD2(__vabsdiffu##n, B, LWC_U, x < y ? y - x : x - y)                                                         \
    LWC_SIMD2(__vavgs##n, B, LWC_S, (x + y + (x + y >= 0)) >> 1)                                                       \
    LWC_SIMD2(__vavgu##n, B, LWC_U, (x + y + 1) >> 1)                                                                  \
    LWC_SIMD2(__vhaddu##n, B, LWC_U, (x + y) >> 1)                                                                     \
    LWC_SIMD2(__vmaxs##n, B, LWC_S, x > y ? x : y)                                                                     \
    LWC_SIMD2(__vmaxu##n, B, LWC_U, x > y ? x : y)                                                                     \
    LWC_SIMD2(__vmins##n, B, LWC_S, x < y ? x : y)                                                                     \
    LWC_SIMD2(__vminu##n, B, LWC_U, x < y ? x : y)                                                                     \
    LWC_SIMD_CMP(n, B, eq, LWC_U, ==)                                                                                  \
    LWC_SIMD_CMP(n, B, ne, LWC_U, !=)                                                                                  \
    LWC_SIMD_CMP(n, B, ges, LWC_S, >=)                                                                                 \
    LWC_SIMD_CMP(n, B, geu, LWC_U, >=)                                                                                 \
    LWC_SIMD_CMP(n, B, gts, LWC_S, >)                                                                                  \
    LWC_SIMD_CMP(n, B, gtu, LWC_U, >)                                                                                  \
    LWC_SIMD_CMP(n, B, les, LWC_S, <=)                                                                                 \
    LWC_SIMD_CMP(n, B, leu, LWC_U, <=)                                                                                 \
    LWC_SIMD_CMP(n, B, lts, LWC_S, <)                                                                                  \
    LWC_SIMD_CMP(n, B, ltu, LWC_U, <)                                                                                  \
    LWC_SIMDSUM(__vsads##n, B, LWC_S)                                                                                  \
    LWC_SIMDSUM(__vsadu##n, B, LWC_U)

LWC_SIMD_ALL(4, 8)
LWC_SIMD_ALL(2, 16)

/* ---- Dynamic programming helpers (DPX): add, min, max, relu in one call; plain code below sm_90 and here ---- */
LWC_FN int lwc_wrap_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
LWC_FN int __viaddmax_s32(int a, int b, int c) { return max(lwc_wrap_add(a, b), c); }
LWC_FN unsigned __viaddmax_u32(unsigned a, unsigned b, unsigned c) { return max(a + b, c); }
LWC_FN int __viaddmin_s32(int a, int b, int c) { return min(lwc_wrap_add(a, b), c); }
LWC_FN unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
LWC_FN int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
LWC_FN int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
LWC_FN int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
LWC_FN unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return max(max(a, b), c); }
LWC_FN int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
LWC_FN unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
LWC_FN int __vimax3_s32_relu(int a, int b, int c) { return max(max(max(a, b), c), 0); }
LWC_FN int __vimin3_s32_relu(int a, int b, int c) { return max(min(min(a, b), c), 0); }
LWC_FN int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
LWC_FN int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
LWC_FN int __vibmax_s32(int a, int b, bool *p)
{
    *p = a >= b;
    return max(a, b);
}
LWC_FN unsigned __vibmax_u32(unsigned a, unsigned b, bool *p)
{
    *p = a >= b;
    return max(a, b);
}
LWC_FN int __vibmin_s32(int a, int b, bool *p)
{
    *p = a <= b;
    return min(a, b);
}
LWC_FN unsigned __vibmin_u32(unsigned a, unsigned b, bool *p)
{
    *p = a <= b;
    return min(a, b);
}
LWC_FN unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vmaxs2(a, b), c); }
LWC_FN unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vmaxu2(a, b), c); }
LWC_FN unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vmins2(a, b), c); }
LWC_FN unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vminu2(a, b), c); }
LWC_FN unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__vadd2(a, b), c); }
LWC_FN unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) { return __vmaxu2(__vadd2(a, b), c); }
LWC_FN unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) { return __vmins2(__vadd2(a, b), c); }
LWC_FN unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) { return __vminu2(__vadd2(a, b), c); }
LWC_FN unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmaxs2(a, b), 0); }
LWC_FN unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__vmins2(a, b), 0); }

#undef LWC_S
#undef LWC_U
#undef LWC_SMAX
#undef LWC_SMIN
#undef LWC_UMAX
#undef LWC_CLAMP
#undef LWC_SIMD1
#undef LWC_SIMD2
#undef LWC_SIMDSUM
#undef LWC_SIMD_CMP
#undef LWC_SIMD_ALL

#endif
