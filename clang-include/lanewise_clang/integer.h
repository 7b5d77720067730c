/*
 * Integer intrinsics, type casts by bits, min and max.
 */
#ifndef LWC_INTEGER_H
#define LWC_INTEGER_H

#include "../vector_types.h"

/* ---- Bits ---- */
LWC_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
LWC_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
LWC_FN int __ffs(int x) { return __builtin_ffs(x); }
LWC_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
LWC_FN int __popc(unsigned x) { return __builtin_popcount(x); }
LWC_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LWC_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
LWC_FN unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

LWC_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    unsigned r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s & 0x7777u));
    return r;
}

LWC_FN unsigned __fns(unsigned mask, unsigned base, int offset)
{
    unsigned r;
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
    return r;
}

#define LWC_SHF(name, op)                                                                                              \
    LWC_FN unsigned name(unsigned lo, unsigned hi, unsigned n)                                                         \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm("shf." op ".b32 %0, %1, %2, %3;" : "=r"(r) : "r"(lo), "r"(hi), "r"(n));                                    \
        return r;                                                                                                      \
    }
LWC_SHF(__funnelshift_l, "l.wrap")
LWC_SHF(__funnelshift_lc, "l.clamp")
LWC_SHF(__funnelshift_r, "r.wrap")
LWC_SHF(__funnelshift_rc, "r.clamp")
#undef LWC_SHF

/* ---- Arithmetic ---- */
LWC_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
LWC_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
LWC_FN long long __mul64hi(long long a, long long b)
{
    long long r;
    asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
LWC_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    unsigned long long r;
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
LWC_FN int __mul24(int a, int b)
{
    int r;
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
LWC_FN unsigned __umul24(unsigned a, unsigned b)
{
    unsigned r;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}
LWC_FN unsigned __sad(int a, int b, unsigned c)
{
    unsigned r;
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
LWC_FN unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
/* Averages without overflow: rounded down (hadd) and rounded up (rhadd). */
LWC_FN int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
LWC_FN int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
LWC_FN unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
LWC_FN unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }

/* ---- Dot products of packed bytes and halves (sm_61) ---- */
#define LWC_DP(name, op, ta, tb, tr)                                                                                   \
    LWC_FN tr name(ta a, tb b, tr c)                                                                                   \
    {                                                                                                                  \
        tr r;                                                                                                          \
        asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                                                 \
        return r;                                                                                                      \
    }
LWC_DP(__dp4a, "dp4a.s32.s32", int, int, int)
LWC_DP(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
LWC_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
LWC_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
LWC_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
LWC_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
#undef LWC_DP
LWC_FN int __dp4a(char4 a, char4 b, int c) { return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }
LWC_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c)
{
    return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

/* ---- Casts by bits ---- */
LWC_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LWC_FN unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
LWC_FN float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LWC_FN float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
LWC_FN long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
LWC_FN double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LWC_FN int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
LWC_FN int __double2loint(double x) { return (int)(unsigned)__builtin_bit_cast(unsigned long long, x); }
LWC_FN double __hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double, ((unsigned long long)(unsigned)hi << 32) | (unsigned)lo);
}

/* ---- min, max and absolute value: host and device ---- */
LWC_HD int min(int a, int b) { return a < b ? a : b; }
LWC_HD unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
LWC_HD unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
LWC_HD unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
LWC_HD long min(long a, long b) { return a < b ? a : b; }
LWC_HD unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
LWC_HD unsigned long min(long a, unsigned long b) { return min((unsigned long)a, b); }
LWC_HD unsigned long min(unsigned long a, long b) { return min(a, (unsigned long)b); }
LWC_HD long long min(long long a, long long b) { return a < b ? a : b; }
LWC_HD unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
LWC_HD unsigned long long min(long long a, unsigned long long b) { return min((unsigned long long)a, b); }
LWC_HD unsigned long long min(unsigned long long a, long long b) { return min(a, (unsigned long long)b); }
LWC_HD float min(float a, float b) { return __builtin_fminf(a, b); }
LWC_HD double min(double a, double b) { return __builtin_fmin(a, b); }
LWC_HD double min(float a, double b) { return __builtin_fmin((double)a, b); }
LWC_HD double min(double a, float b) { return __builtin_fmin(a, (double)b); }
LWC_HD int max(int a, int b) { return a > b ? a : b; }
LWC_HD unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
LWC_HD unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
LWC_HD unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
LWC_HD long max(long a, long b) { return a > b ? a : b; }
LWC_HD unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
LWC_HD unsigned long max(long a, unsigned long b) { return max((unsigned long)a, b); }
LWC_HD unsigned long max(unsigned long a, long b) { return max(a, (unsigned long)b); }
LWC_HD long long max(long long a, long long b) { return a > b ? a : b; }
LWC_HD unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
LWC_HD unsigned long long max(long long a, unsigned long long b) { return max((unsigned long long)a, b); }
LWC_HD unsigned long long max(unsigned long long a, long long b) { return max(a, (unsigned long long)b); }
LWC_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
LWC_HD double max(double a, double b) { return __builtin_fmax(a, b); }
LWC_HD double max(float a, double b) { return __builtin_fmax((double)a, b); }
LWC_HD double max(double a, float b) { return __builtin_fmax(a, (double)b); }
LWC_HD unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
LWC_HD unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
LWC_HD long long llmin(long long a, long long b) { return a < b ? a : b; }
LWC_HD long long llmax(long long a, long long b) { return a > b ? a : b; }
LWC_HD unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
LWC_HD unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

#endif
