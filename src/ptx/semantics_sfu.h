/* ptx/semantics_sfu.h: the special function unit (machine instruction MUFU), bit for bit as on cc 9.0, and the .approx and
 * .full instructions that the assembler makes of it. Included by semantics.h.
 *
 * The unit interpolates: the upper bits of the operand's fraction choose a row of a table, the lower 17 bits x give
 * c0 + c1 x + c2 x^2 without rounding, and what does not fit the result is cut off. Of x^2 it has the 15 leading bits only,
 * and only those partial products that reach them. Tables, widths and cuts were found from all results of an H200, and all
 * results for the 2^32 operands of each instruction agree (tests/hw/sfu). */
#ifndef LW_PTX_SEMANTICS_SFU_H
#define LW_PTX_SEMANTICS_SFU_H

typedef struct ptx_sfu_row {
    f64 c0;     /* in units of the result's last place at its largest exponent, as are the others */
    s32 c1, c2; /* times x / 2^17; times x^2 / 2^35 */
} ptx_sfu_row;

/* sfu.c */
extern const ptx_sfu_row ptx_sfu_rcp[128];      /* 1 / m, m in [1, 2) */
extern const ptx_sfu_row ptx_sfu_rsqrt[2 * 64]; /* 1 / sqrt(m), m in [1, 2), then in [2, 4) */
extern const ptx_sfu_row ptx_sfu_sqrt[2 * 64];  /* the same of sqrt(m) */
extern const ptx_sfu_row ptx_sfu_ex2[64];       /* 2^f, f in [0, 1) */
extern const ptx_sfu_row ptx_sfu_lg2[64];       /* log2(m), m in [1, 2) */
extern const ptx_sfu_row ptx_sfu_sin[64];       /* sin(f pi / 2), f in [0, 1) */
extern const ptx_sfu_row ptx_sfu_tanh[51];      /* tanh, binade by binade from 2^-8 on */

/* The binades of tanh: its argument is cut to so many bits behind the point, of which the upper ones count rows. */
typedef struct ptx_sfu_binade {
    s32 fraction_bits, first_row;
} ptx_sfu_binade;
enum { SFU_TANH_FIRST = 127 - 8, SFU_TANH_LAST = 127 + 2 }; /* exponent fields; below tanh(x) is x, above it is 1 */
extern const ptx_sfu_binade ptx_sfu_tanh_binade[SFU_TANH_LAST - SFU_TANH_FIRST + 1];

/* ---------------------------------------------------------------- the unit */
/* x^2 / 2^19 of a 17-bit x: the squarer has no partial products below 2^19. h: the upper 8 bits. */
SEM u32 sfu_square(u32 x)
{
    u32 h = x >> 9, sum = h * h >> 1;
    for (u32 i = 2; i < 9; i++) sum += (0u - (x >> i & 1)) & h >> (9 - i);
    return sum;
}

SEM f64 sfu_interpolate(const ptx_sfu_row *table, u32 row, u32 x)
{
    f64 linear = (f64)table[row].c1 * ((f64)(s32)x * 0x1p-17);
    f64 square = (f64)table[row].c2 * ((f64)(s32)sfu_square(x) * 0x1p-16);
    return table[row].c0 + linear + square; /* exact: at most 45 bits */
}

/* Of a 23-bit fraction the upper 6 bits are the row. */
SEM f64 sfu_of_fraction(const ptx_sfu_row *table, u32 f) { return sfu_interpolate(table, f >> 17, f & 0x1ffff); }

SEM f64 sfu_cut(f64 v) { return f64_bits(bits_f64(v) & ~(u64)0x1fffffff); } /* to the 24 bits of an f32 */
SEM f64 sfu_power(s32 e) { return f64_bits((u64)(1023 + e) << 52); }        /* 2^e */
SEM f32 sfu_flush(f64 v) { return __builtin_fabs(v) < 0x1p-126 ? 0.0f : (f32)v; }
SEM s32 sfu_exponent(u32 u) { return (s32)(u >> 23 & 255) - 127; }
/* What an infinite or subnormal operand, which the unit takes for 0, gives instead of r; NaN gives NaN. */
SEM f32 sfu_special(f32 a, f32 r, f32 of_zero, f32 of_infinity)
{
    s32 e = sfu_exponent(bits_f32(a));
    r = e == -127 ? of_zero : e == 128 ? of_infinity : r;
    return a != a ? f32_bits(F32_NAN_BITS) : r;
}
SEM f32 sfu_with_sign(f32 r, u32 of) { return f32_bits(bits_f32(r) | (of & 0x80000000u)); }

SEM f32 sfu_rcp(f32 a)
{
    u32 u = bits_f32(a), f = u & 0x7fffff;
    f64 v = sfu_cut(sfu_interpolate(ptx_sfu_rcp, f >> 16, (f & 0xffff) << 1));
    f32 r = sfu_flush(v * sfu_power(-24 - sfu_exponent(u)));
    return sfu_with_sign(sfu_special(a, r, __builtin_inff(), 0.0f), a == a ? u : 0);
}

/* a = m 4^k, m in [1, 4): the row of m, and k */
SEM u32 sfu_root_row(u32 u) { return (~u >> 23 & 1) << 6 | (u >> 17 & 63); }
SEM s32 sfu_root_exponent(u32 u) { return sfu_exponent(u) >> 1; }

SEM f32 sfu_rsqrt(f32 a)
{
    u32 u = bits_f32(a);
    f64 v = sfu_cut(sfu_interpolate(ptx_sfu_rsqrt, sfu_root_row(u), u & 0x1ffff));
    v = (u & 0xffffff) == 0x800000 ? 0x1p24 : v; /* powers of 4 are exact */
    f32 r = (f32)(v * sfu_power(-24 - sfu_root_exponent(u)));
    r = (s32)u < 0 ? f32_bits(F32_NAN_BITS) : r;
    return sfu_special(a, r, sfu_with_sign(__builtin_inff(), u), (s32)u < 0 ? f32_bits(F32_NAN_BITS) : 0.0f);
}

SEM f32 sfu_sqrt(f32 a)
{
    u32 u = bits_f32(a);
    f64 v = sfu_cut(sfu_interpolate(ptx_sfu_sqrt, sfu_root_row(u), u & 0x1ffff));
    f32 r = (f32)(v * sfu_power(-23 + sfu_root_exponent(u)));
    r = (s32)u < 0 ? f32_bits(F32_NAN_BITS) : r;
    return sfu_special(a, r, sfu_with_sign(0.0f, u), (s32)u < 0 ? f32_bits(F32_NAN_BITS) : a);
}

/* The sum of exponent and fraction has 36 bits behind the point; of a negative one all bits are inverted. */
SEM f32 sfu_lg2(f32 a)
{
    u32 u = bits_f32(a);
    f64 sum = (f64)sfu_exponent(u) * 0x1p36 + sfu_of_fraction(ptx_sfu_lg2, u & 0x7fffff) * 0x1p13;
    f64 size = __builtin_floor(sum < 0 ? -sum - 0x1p-2 : sum);
    f32 r = (f32)(sfu_cut(size) * (sum < 0 ? -0x1p-36 : 0x1p-36));
    r = u == 0x3f800000u ? 0.0f : (s32)u < 0 ? f32_bits(F32_NAN_BITS) : r;
    return sfu_special(a, r, -__builtin_inff(), (s32)u < 0 ? f32_bits(F32_NAN_BITS) : a);
}

/* The operand has 23 bits behind the point; of a negative one that is no integer all bits are inverted. */
SEM f32 sfu_ex2(f32 a)
{
    f32 size = __builtin_fabsf(a);
    s32 n = (s32)((size < 255.0f ? size : 255.0f) * 0x1p23f);
    s32 inverted = n & 0x7fffff ? ~n : -n;
    n = a < 0 ? inverted : n;
    s32 e = n >> 23;
    f32 r = sfu_flush(sfu_cut(sfu_of_fraction(ptx_sfu_ex2, (u32)n & 0x7fffff)) * sfu_power(e - 23));
    r = e < 128 ? r : __builtin_inff();
    return a != a ? f32_bits(F32_NAN_BITS) : r;
}

/* sin(2 pi t), and with quarter 1 cos(2 pi t): t has 25 bits behind the point, quarters that fall are counted backwards */
SEM f32 sfu_sin(f32 t, u32 quarter)
{
    f64 size = __builtin_fabs((f64)t);
    size = f64_bits(bits_f64(size) & (0 - (u64)(size < 0x1p30))); /* beyond, a whole number of turns */
    u32 n = (u32)(s32)((size - (f64)(s32)size) * 0x1p25) + (quarter << 23);
    u32 f = (n ^ (0u - (n >> 23 & 1))) & 0x7fffff;
    f32 r = (f32)(sfu_cut(sfu_of_fraction(ptx_sfu_sin, f)) * 0x1p-24);
    u32 sign = (n << 7 ^ (quarter ? 0 : bits_f32(t))) & 0x80000000u;
    r = f32_bits(bits_f32(r) ^ sign);
    return __builtin_fabsf(t) < __builtin_inff() ? r : f32_bits(F32_NAN_BITS);
}

SEM f32 sfu_tanh(f32 a)
{
    u32 u = bits_f32(a);
    s32 e = (s32)(u >> 23 & 255), within = e < SFU_TANH_FIRST ? SFU_TANH_FIRST : e > SFU_TANH_LAST ? SFU_TANH_LAST : e;
    const ptx_sfu_binade *b = &ptx_sfu_tanh_binade[within - SFU_TANH_FIRST];
    f32 x = f32_bits((u & 0x7fffff) | (u32)within << 23);
    u32 n = (u32)(s32)((f64)x * sfu_power(b->fraction_bits));
    u32 first = 1u << (within - 127 + b->fraction_bits - 17); /* n >> 17 where the binade begins */
    u32 row = (u32)b->first_row + (n >> 17) - first;
    f32 r = (f32)(sfu_cut(sfu_interpolate(ptx_sfu_tanh, row, n & 0x1ffff)) * 0x1p-24);
    r = e < SFU_TANH_FIRST ? f32_bits(u & 0x7fffffffu) : e > SFU_TANH_LAST ? 1.0f : r;
    return a != a ? f32_bits(F32_NAN_BITS) : sfu_with_sign(r, u);
}

/* ---------------------------------------------------------------- instructions of f32
 * As ptxas 13.0 assembles them for sm_90: subnormals are scaled before the unit, which flushes them, and after it. With .ftz
 * there are none. */
SEM bool is_subnormal_f32(f32 a) { return __builtin_fabsf(a) < 0x1p-126f; }

SEM f32 rcp_approx(f32 a)
{
    f32 scale = is_subnormal_f32(a) ? 0x1p24f : __builtin_fabsf(a) > 0x1p126f ? 0.25f : 1.0f;
    return scale * sfu_rcp(a * scale);
}
SEM f32 rsqrt_approx(f32 a)
{
    bool small = is_subnormal_f32(a);
    return sfu_rsqrt(a * (small ? 0x1p24f : 1.0f)) * (small ? 0x1p12f : 1.0f);
}
SEM f32 sqrt_approx(f32 a)
{
    bool small = is_subnormal_f32(a);
    return sfu_sqrt(a * (small ? 0x1p24f : 1.0f)) * (small ? 0x1p-12f : 1.0f);
}
SEM f32 lg2_approx(f32 a)
{
    bool small = is_subnormal_f32(a);
    return sfu_lg2(a * (small ? 0x1p24f : 1.0f)) - (small ? 24.0f : 0.0f);
}
SEM f32 ex2_approx(f32 a)
{
    bool small = a < -126.0f;
    f32 r = sfu_ex2(a * (small ? 0.5f : 1.0f)), square = r * r;
    return small ? square : r;
}
/* a / 2 pi, rounded towards zero: what sin and cos give to the unit */
SEM f32 turns_of_radians(f32 a) { return (f32)sfu_cut((f64)a * 0x1.45f306p-3); }
SEM f32 sin_approx(f32 a) { return sfu_sin(turns_of_radians(a), 0); }
SEM f32 cos_approx(f32 a) { return sfu_sin(turns_of_radians(a), 1); }
SEM f32 div_approx(f32 a, f32 b)
{
    f32 scale = is_subnormal_f32(b) ? 0x1p24f : 1.0f;
    return a * scale * sfu_rcp(b * scale);
}
SEM f32 div_full(f32 a, f32 b)
{
    f32 scale = is_subnormal_f32(b) ? 0x1p24f : __builtin_fabsf(b) > 0x1p126f ? 0.25f : 1.0f;
    return a * scale * sfu_rcp(b * scale);
}

/* ---------------------------------------------------------------- instructions of f64: on the high word, by the same tables */
SEM f64 sfu_high_word(u64 high) { return f64_bits(high << 32); }
SEM bool sfu_is_nan(u32 high)
{
    return (high & 0x7fffffff) > 0x7ff00000;
} /* of a NaN in the low word it knows nothing */

SEM f64 sfu_rcp_f64(f64 a)
{
    u32 u = (u32)(bits_f64(a) >> 32), sign = u & 0x80000000u, f = (u & 0xfffff) << 3, e = u >> 20 & 0x7ff;
    u64 m = bits_f64(sfu_interpolate(ptx_sfu_rcp, f >> 16, (f & 0xffff) << 1) * 0x1p-24) >> 32;
    s32 exponent = (s32)(m >> 20) + 1023 - (s32)e; /* m is in (0.5, 1] */
    u64 r = exponent > 0 ? (u64)exponent << 20 | (m & 0xfffff) : 0;
    r = e == 0 ? 0x7ff00000u : e == 0x7ff ? 0 : r;
    return sfu_high_word(sfu_is_nan(u) ? 0x7fffffffu : r | sign);
}

SEM f64 sfu_rsqrt_f64(f64 a)
{
    u32 u = (u32)(bits_f64(a) >> 32), sign = u & 0x80000000u, f = (u & 0xfffff) << 3, e = u >> 20 & 0x7ff, even = e & 1;
    u64 m = bits_f64(sfu_interpolate(ptx_sfu_rsqrt, (even ^ 1) << 6 | f >> 17, f & 0x1ffff) * 0x1p-24) >> 32;
    m = f == 0 && even ? 0x3ff00000u : m; /* powers of 4 are exact */
    s32 half = ((s32)e - 1023) >> 1;
    u64 r = m - ((u64)(s64)half << 20);
    r = e == 0 ? 0x7ff00000u | sign : sign ? 0x7fffffffu : e == 0x7ff ? 0 : r;
    return sfu_high_word(sfu_is_nan(u) ? 0x7fffffffu : r & 0xffffffffu);
}

/* One step of Newton's method from the unit's value */
SEM f64 rsqrt_refined(f64 a)
{
    f64 y = sfu_rsqrt_f64(a), rest = __builtin_fma(a, -(y * y), 1.0);
    return __builtin_fma(__builtin_fma(rest, 0.375, 0.5), y * rest, y);
}
SEM f64 rsqrt_approx_f64(f64 a, u32 mods)
{
    if (mods & PTX_FTZ) return sfu_rsqrt_f64(a);
    if (a != a) return quiet_f64(a);
    if (a == 0) return f64_bits(bits_f64(a) | 0x7ff0000000000000u);
    if (a < 0) return f64_bits(F64_NAN_BITS);
    if (a == __builtin_inf()) return 0;
    return a < 0x1p-1022 ? rsqrt_refined(a * 0x1p54) * 0x1p27 : rsqrt_refined(a);
}

#endif
