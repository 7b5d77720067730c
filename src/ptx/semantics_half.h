/* ptx/semantics_half.h: lane functions of f16, bf16, fp8 and tf32 rows. Included by semantics.h.
 *
 * A small float is computed in f32 (or f64 where f32 would round twice) and rounded once by round_code(): the sum and
 * the product of two f16 or bf16 are exact enough in f32 that rounding again is harmless (24 >= 2p + 2 bits), a fused
 * multiply-add is rounded to odd first. Every function works in any host rounding mode: what it computes is exact, or
 * the row's own mode is meant. NaN results are canonical: 0x7fff for f16 and bf16, 0x7f for e4m3 and e5m2. */

/* ---------------------------------------------------------------- unpacking */
SEM f32 f32_of_h16(u32 h)
{
    u32 m = h & 0x7fffu;
    u32 normal = (m << 13) + (112u << 23);
    u32 small = bits_f32((f32)(s32)m * 0x1p-24f);
    u32 r = m < 0x400u ? small : m >= 0x7c00u ? normal + (112u << 23) : normal;
    return f32_bits(r | (h & 0x8000u) << 16);
}
SEM f32 f32_of_b16(u32 b) { return f32_bits(b << 16); }

/* ---------------------------------------------------------------- rounding
 * Written without short circuits: branches would keep the loops from vectorising. */
SEM u32 is_nearest(u32 mods) { return (mods & PTX_RND_MASK) == PTX_RND_RN; }
SEM u32 is_away(bool negative, u32 mods)
{
    u32 rm = (mods & PTX_RND_MASK) == PTX_RND_RM, rp = (mods & PTX_RND_MASK) == PTX_RND_RP;
    return negative ? rm : rp;
}
/* The magnitude of x as the code of a float with `mant` mantissa bits and least normal exponent `emin` (exponent field
 * << mant | mantissa), rounded in the direction of PTX_RND_MASK. The code has no upper limit: the caller looks for
 * overflow. */
#define ROUND_CODE(F, U, fmant, fbias)                                                                                 \
    SEM u32 round_code_##F(F x, int mant, int emin, F scale, u32 mods)                                                 \
    {                                                                                                                  \
        const U sign = (U)1 << (8 * sizeof(U) - 1);                                                                    \
        U bits = bits_##F(x), u = bits & ~sign;                                                                        \
        U nearest = is_nearest(mods), away = is_away((bits & sign) != 0, mods);                                        \
        const int drop = fmant - mant;                                                                                 \
        U low = u & (((U)1 << drop) - 1), q = u >> drop, half = (U)1 << (drop - 1);                                    \
        U normal = q + ((nearest & (low + (q & 1) > half)) | (away & (low != 0))) - ((U)(fbias + emin - 1) << mant);   \
        u32 small = all_if(u < (U)(fbias + emin) << fmant);                                                            \
        F t = F##_bits(u & (U)(s32)small) * scale; /* in units of the least subnormal, exact */                        \
        s32 k = (s32)t;                                                                                                \
        F rest = t - (F)k;                                                                                             \
        u32 above = rest > (F)0.5, tie = rest == (F)0.5, some = rest > 0;                                              \
        u32 up = ((u32)nearest & (above | (tie & (u32)k))) | ((u32)away & some);                                       \
        return select_u32(small, (u32)k + up, (u32)normal);                                                            \
    }
ROUND_CODE(f32, u32, 23, 127)
ROUND_CODE(f64, u64, 52, 1023)
#undef ROUND_CODE

/* From a rounded code to the bits of an f16 (inf = 0x7c00, one = 0x3c00) or bf16 (0x7f80, 0x3f80). */
SEM u32 finish_half(u32 code, u32 negative, u32 nan, u32 infinite, u32 inf, u32 one, u32 mods)
{
    u32 sat = all_if(mods & PTX_SAT), relu = all_if(mods & PTX_RELU), finite = (mods & PTX_SATFINITE) != 0;
    u32 to_inf = (infinite | is_nearest(mods) | is_away(negative, mods)) & !finite;
    u32 most = to_inf ? inf : inf - 1;
    code = code >= inf ? most : code;
    code = select_u32(sat, code > one ? one : code, code);
    code &= ~((sat | relu) & all_if(negative));
    code |= negative ? 0x8000u & ~(sat | relu) : 0;
    return select_u32(all_if(nan), 0x7fffu & ~sat, code);
}
SEM u32 h16_of_f32(f32 x, u32 mods)
{
    u32 code = round_code_f32(x, 10, -14, 0x1p24f, mods), u = bits_f32(x);
    return finish_half(code, u >> 31, x != x, (u << 1) == 0xff000000u, 0x7c00u, 0x3c00u, mods);
}
SEM u32 h16_of_f64(f64 x, u32 mods)
{
    u32 code = round_code_f64(x, 10, -14, 0x1p24, mods);
    u64 u = bits_f64(x);
    return finish_half(code, u >> 63, x != x, (u << 1) == 0xffe0000000000000u, 0x7c00u, 0x3c00u, mods);
}
SEM u32 b16_of_f32(f32 x, u32 mods)
{
    u32 u = bits_f32(x), low = u & 0xffffu, q = (u & 0x7fffffffu) >> 16;
    u32 code = q + ((is_nearest(mods) & (low + (q & 1) > 0x8000u)) | (is_away(u >> 31, mods) & (low != 0)));
    return finish_half(code, u >> 31, x != x, (u << 1) == 0xff000000u, 0x7f80u, 0x3f80u, mods);
}
SEM u32 b16_of_f64(f64 x, u32 mods)
{
    u32 code = round_code_f64(x, 7, -126, 0x1p133, mods);
    u64 u = bits_f64(x);
    return finish_half(code, u >> 63, x != x, (u << 1) == 0xffe0000000000000u, 0x7f80u, 0x3f80u, mods);
}

/* a + b rounded to odd: the nearest value, moved to an odd mantissa on the side of the error if inexact. */
#define ADD_TO_ODD(F, U, infinity)                                                                                     \
    SEM F add_to_odd_##F(F a, F b)                                                                                     \
    {                                                                                                                  \
        F s = a + b, t = s - a, error = (a - (s - t)) + (b - t);                                                       \
        U u = bits_##F(s), e = bits_##F(error), towards_zero = (e ^ u) >> (8 * sizeof(U) - 1);                         \
        U moves = (U)(e << 1 != 0) & (U)((u & infinity) != infinity) & ~u & 1;                                         \
        return F##_bits(u + ((1 - 2 * towards_zero) & (0 - moves)));                                                   \
    }
ADD_TO_ODD(f32, u32, 0x7f800000u)
ADD_TO_ODD(f64, u64, 0x7ff0000000000000u)
#undef ADD_TO_ODD

/* ---------------------------------------------------------------- f16, bf16 arithmetic */
SEM u32 ftz_h16(u32 h, u32 mods) { return h & ((h & 0x7c00u ? 0xffffu : 0x8000u) | ~all_if(mods & PTX_FTZ)); }
SEM f32 in_h16(u32 h, u32 mods) { return f32_of_h16(ftz_h16(h, mods)); }
SEM f32 in_b16(u32 b, u32 mods) { return (void)mods, f32_of_b16(b); }
/* x: exact or rounded to odd. Flushed is what is tiny before rounding. */
SEM u32 out_h16(f32 x, u32 mods)
{
    u32 u = bits_f32(x), kept = (u & 0x7fffffffu) < 0x38800000u ? 0x80000000u : ~0u;
    return h16_of_f32(f32_bits(u & (kept | ~all_if(mods & PTX_FTZ))), mods);
}
SEM u32 out_b16(f32 x, u32 mods) { return b16_of_f32(x, mods); }

/* Without rounding, as the special function unit gives them; beyond the largest is infinity. */
SEM u32 cut_b16(f32 x) { return bits_f32(canonical_f32(x)) >> 16; }
SEM u32 cut_h16(f32 x) { return x >= 0x1p16f ? 0x7c00u : h16_of_f32(x, PTX_RND_RZ); }

#define HALF_ARITHMETIC(H)                                                                                             \
    SEM u32 add_##H(u32 a, u32 b, u32 mods) { return out_##H(in_##H(a, mods) + in_##H(b, mods), mods); }               \
    SEM u32 sub_##H(u32 a, u32 b, u32 mods) { return out_##H(in_##H(a, mods) - in_##H(b, mods), mods); }               \
    SEM u32 mul_##H(u32 a, u32 b, u32 mods) { return out_##H(in_##H(a, mods) * in_##H(b, mods), mods); }               \
    SEM u32 min_##H(u32 a, u32 b, u32 mods)                                                                            \
    {                                                                                                                  \
        return H##_of_f32(min_f32(in_##H(a, mods), in_##H(b, mods), mods & ~(u32)PTX_FTZ), 0);                         \
    }                                                                                                                  \
    SEM u32 max_##H(u32 a, u32 b, u32 mods)                                                                            \
    {                                                                                                                  \
        return H##_of_f32(max_f32(in_##H(a, mods), in_##H(b, mods), mods & ~(u32)PTX_FTZ), 0);                         \
    }                                                                                                                  \
    SEM u32 ex2_##H(u32 a, u32 mods) { return cut_##H(sfu_ex2(in_##H(a, mods))); }                                     \
    SEM u32 tanh_##H(u32 a, u32 mods) { return cut_##H(sfu_tanh(in_##H(a, mods))); }
HALF_ARITHMETIC(h16)
HALF_ARITHMETIC(b16)
#undef HALF_ARITHMETIC

/* The product of two f16 is exact in f32, that of two bf16 in f64. */
/* With .oob a or b that is the NaN 0x7ff7 (found on cc 9.0), whatever its sign, gives 0. */
SEM u32 not_oob(u32 a, u32 b, u32 mods)
{
    u32 found = ((a & 0x7fffu) == 0x7ff7u) | ((b & 0x7fffu) == 0x7ff7u);
    return ~(all_if(mods & PTX_OOB) & all_if(found));
}
SEM u32 fma_h16(u32 a, u32 b, u32 c, u32 mods)
{
    u32 r = out_h16(add_to_odd_f32(in_h16(a, mods) * in_h16(b, mods), in_h16(c, mods)), mods);
    return r & not_oob(a, b, mods);
}
SEM u32 fma_b16(u32 a, u32 b, u32 c, u32 mods)
{
    f64 p = (f64)f32_of_b16(a) * (f64)f32_of_b16(b);
    return b16_of_f64(add_to_odd_f64(p, (f64)f32_of_b16(c)), mods) & not_oob(a, b, mods);
}
SEM u32 neg_h16(u32 a, u32 mods) { return (a & 0x7fffu) > 0x7c00u ? 0x7fffu : ftz_h16(a, mods) ^ 0x8000u; }
SEM u32 neg_b16(u32 a, u32 mods) { return (void)mods, (a & 0x7fffu) > 0x7f80u ? 0x7fffu : a ^ 0x8000u; }
SEM u32 abs_h16(u32 a, u32 mods) { return neg_h16(a | 0x8000u, mods); }
SEM u32 abs_b16(u32 a, u32 mods) { return neg_b16(a | 0x8000u, mods); }

/* ---------------------------------------------------------------- conversions */
/* An integer as f64 with what does not fit in 53 bits as a sticky last bit: rounds once more to a short float. */
SEM f64 sticky_f64_u(u64 x)
{
    if (x >> 53) x = (x & ~(u64)0x7ff) | (x & 0x7ff ? 0x800 : 0);
    return from_u_f64((f64)x);
}
SEM f64 sticky_f64_s(s64 x)
{
    f64 r = sticky_f64_u(x < 0 ? 0 - (u64)x : (u64)x);
    return x < 0 ? -r : r;
}
SEM f32 rint_if(f32 x, u32 mods) { return mods & PTX_RINT ? __builtin_rintf(x) : x; }
SEM u32 cvt_h16_h16(u32 h, u32 mods) { return h16_of_f32(rint_if(f32_of_h16(h), mods), mods); }
SEM u32 cvt_b16_b16(u32 b, u32 mods) { return b16_of_f32(rint_if(f32_of_b16(b), mods), mods); }
SEM f32 cvt_f32_half(f32 x, u32 mods)
{
    if (mods & PTX_FTZ) x = ftz_f32(x);
    x = canonical_f32(x);
    return mods & PTX_SAT ? sat_f32(x) : x;
}
SEM f32 cvt_f32_b16(u32 b, u32 mods) /* a NaN keeps its payload */
{
    return mods & (PTX_FTZ | PTX_SAT) ? cvt_f32_half(f32_of_b16(b), mods) : f32_of_b16(b);
}
/* From f64 a NaN keeps its sign and the high bits of its payload, quieted. */
SEM u32 cvt_h16_f64(f64 x, u32 mods)
{
    u64 u = bits_f64(x);
    u32 nan = ((u32)(u >> 48) & 0x8000u) | 0x7e00u | ((u32)(u >> 42) & 0x1ffu);
    return select_u32(all_if(x == x) | all_if(mods & PTX_SAT), h16_of_f64(x, mods), nan);
}
SEM u32 cvt_b16_f64(f64 x, u32 mods)
{
    u64 u = bits_f64(x);
    u32 nan = ((u32)(u >> 48) & 0x8000u) | 0x7fc0u | ((u32)(u >> 45) & 0x3fu);
    return select_u32(all_if(x == x) | all_if(mods & PTX_SAT), b16_of_f64(x, mods), nan);
}

/* e4m3 (most 448 = 0x7e) and e5m2 (most 57344 = 0x7b): always .rn.satfinite. */
SEM u32 finish_fp8(u32 code, f32 x, u32 most, u32 mods)
{
    u32 negative = bits_f32(x) >> 31, cut = all_if(negative) & all_if(mods & PTX_RELU);
    u32 r = ((code > most ? most : code) | negative << 7) & ~cut;
    return select_u32(all_if(x != x), 0x7fu, r);
}
SEM u32 e4m3_of_f32(f32 x, u32 mods) { return finish_fp8(round_code_f32(x, 3, -6, 0x1p9f, 0), x, 0x7eu, mods); }
SEM u32 e5m2_of_f32(f32 x, u32 mods) { return finish_fp8(round_code_f32(x, 2, -14, 0x1p16f, 0), x, 0x7bu, mods); }
SEM u32 h16_of_e5m2(u32 e, u32 mods) { return cvt_h16_h16(e << 8, mods); }
SEM u32 h16_of_e4m3(u32 e, u32 mods)
{
    u32 m = e & 0x7fu;
    f32 small = (f32)(s32)m * 0x1p-9f;
    u32 x = select_u32(all_if(m < 8), bits_f32(small), (m << 20) + (120u << 23)) | all_if(m == 0x7f);
    return h16_of_f32(f32_bits(x | (e & 0x80u) << 24), mods);
}
/* tf32: an f32 with 10 mantissa bits. .rn and .rz give one NaN; .rna cuts a NaN, and .satfinite takes a unit off
 * what then has the greatest exponent, NaN included, as cc 9.0. */
SEM u32 tf32_of_f32(f32 x, u32 mods)
{
    u32 u = bits_f32(x), m = u & 0x7fffffffu, sign = u & 0x80000000u;
    if (mods & PTX_RNA) {
        u32 r = (m >= 0x7f800000u ? m : m + 0x1000u) & ~0x1fffu;
        if ((mods & PTX_SATFINITE) && r >= 0x7f800000u) r -= 0x2000u;
        return (mods & PTX_RELU) && sign ? 0 : r | sign;
    }
    bool rz = (mods & PTX_RND_MASK) == PTX_RND_RZ;
    u32 r = (rz ? m : m + 0xfffu + (m >> 13 & 1)) & ~0x1fffu;
    if ((mods & PTX_SATFINITE) && r >= 0x7f800000u) r = 0x7f7fe000u;
    r = (mods & PTX_RELU) && sign ? 0 : r | sign;
    return x == x ? r : 0x7fffe000u;
}

/* cvt.pack.sat: a and b saturated to `bits` bits, below c shifted up */
SEM u32 pack_sat(s32 x, int bits, bool is_signed)
{
    s32 high = (s32)((1u << (is_signed ? bits - 1 : bits)) - 1), low = is_signed ? -high - 1 : 0;
    return (u32)(x < low ? low : x > high ? high : x) & ((1u << bits) - 1);
}
SEM u32 cvt_pack(s32 a, s32 b, u32 c, int bits, bool is_signed)
{
    u32 ab = pack_sat(a, bits, is_signed) << bits | pack_sat(b, bits, is_signed);
    return bits == 16 ? ab : c << (2 * bits & 31) | ab;
}
