/* ref_float_ops.h: the rest of ref_ops.h: floating point, comparisons, conversions. */
#ifndef LW_TESTS_REF_FLOAT_OPS_H
#define LW_TESTS_REF_FLOAT_OPS_H

#include "ref_ops.h"

static bool ref_format_of(const char *t, ref_format *f)
{
    static const struct {
        const char *name;
        const ref_format *format;
    } names[] = {{"f16", &REF_F16},     {"bf16", &REF_BF16},   {"f32", &REF_F32},
                 {"f64", &REF_F64},     {"f16x2", &REF_F16},   {"bf16x2", &REF_BF16},
                 {"e4m3x2", &REF_E4M3}, {"e5m2x2", &REF_E5M2}, {"tf32", &REF_TF32}};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (!strcmp(names[k].name, t)) return *f = *names[k].format, true;
    return false;
}
static bool ref_same(ref_format a, ref_format b) { return a.mantissa == b.mantissa && a.exponent == b.exponent; }

/* The NaN of a result without a NaN to pass on. */
static uint64_t ref_nan(ref_format f)
{
    if (ref_same(f, REF_F64)) return 0xfff8000000000000u;
    return ((uint64_t)1 << (ref_bits(f) - 1)) - 1;
}
static uint64_t ref_quiet(uint64_t bits) { return bits | 0x0008000000000000u; }
static ref_num ref_operand(uint64_t bits, ref_format f, uint32_t mods)
{
    ref_num x = ref_unpack(bits, f);
    bool subnormal = x.kind == REF_FINITE && !(x.m >> f.mantissa);
    if ((mods & PTX_FTZ) && subnormal && !ref_same(f, REF_BF16)) x.kind = REF_ZERO;
    return x;
}

/* Rounds and applies .ftz (to what is tiny before rounding), .relu, .sat, .satfinite. */
static uint64_t ref_result(ref_num x, ref_format f, uint32_t mods)
{
    uint64_t sign = (uint64_t)1 << (ref_bits(f) - 1), one = (uint64_t)ref_bias(f) << f.mantissa;
    uint64_t inf = (((uint64_t)1 << f.exponent) - 1) << f.mantissa;
    if (x.kind == REF_NAN) return mods & PTX_SAT ? 0 : ref_nan(f);
    bool tiny;
    uint64_t r = ref_pack(x, f, ref_rounding(mods), &tiny);
    if ((mods & PTX_FTZ) && tiny) r &= sign;
    if ((mods & PTX_SATFINITE) && (r & ~sign) == inf) r -= 1;
    if ((mods & PTX_RELU) && (r & sign)) r = 0;
    if (mods & PTX_SAT) r = r & sign ? 0 : r > one ? one : r;
    return r;
}

/* ---------------------------------------------------------------- arithmetic */
/* cc 9.0 passes one f64 NaN on, quieted: the first in this order of operands. */
static bool ref_pass_nan(const ref_call *c, ref_format f, const char *order, uint64_t *out)
{
    for (; ref_same(f, REF_F64) && *order; order++)
        if (ref_unpack(c->in[*order - 'a'], f).kind == REF_NAN) return *out = ref_quiet(c->in[*order - 'a']), true;
    return false;
}

static uint64_t ref_extreme(const ref_call *c, ref_format f)
{
    bool max = ref_is(c, 0, "max");
    uint64_t sign = (uint64_t)1 << (ref_bits(f) - 1), signs = (c->in[0] ^ c->in[1]) & sign, v[2], order[2];
    bool nan[2];
    for (int k = 0; k < 2; k++) {
        ref_num x = ref_operand(c->in[k], f, c->mods);
        nan[k] = x.kind == REF_NAN;
        v[k] = x.kind == REF_ZERO ? c->in[k] & sign : c->in[k];
        if (c->mods & PTX_XORSIGN) v[k] &= ~sign;
        order[k] = v[k] & sign ? ~v[k] : v[k] | sign; /* increasing with the value; -0 below +0 */
        order[k] = ref_cut(order[k], ref_bits(f));
    }
    if (nan[0] && nan[1] && ref_same(f, REF_F64)) return ref_quiet(c->in[1]);
    if ((nan[0] && nan[1]) || ((nan[0] || nan[1]) && (c->mods & PTX_NAN))) return ref_nan(f);
    int take = nan[0] ? 1 : nan[1] ? 0 : (order[0] < order[1]) == max;
    return c->mods & PTX_XORSIGN ? (v[take] & ~sign) | signs : v[take];
}

static uint64_t ref_sign_op(const ref_call *c, ref_format f)
{
    uint64_t sign = (uint64_t)1 << (ref_bits(f) - 1);
    ref_num x = ref_operand(c->in[0], f, c->mods);
    if (x.kind == REF_NAN) return ref_same(f, REF_F64) ? ref_quiet(c->in[0]) : ref_nan(f);
    uint64_t v = x.kind == REF_ZERO ? c->in[0] & sign : c->in[0];
    return ref_is(c, 0, "neg") ? v ^ sign : v & ~sign;
}

static bool ref_fused_oob(const ref_call *c)
{
    return (c->mods & PTX_OOB) && ((c->in[0] & 0x7fff) == 0x7ff7 || (c->in[1] & 0x7fff) == 0x7ff7); /* cc 9.0 */
}

static long double ref_value(ref_num x)
{
    long double v = x.kind == REF_ZERO  ? 0
                    : x.kind == REF_INF ? INFINITY
                    : x.kind == REF_NAN ? NAN
                                        : ldexpl((long double)x.m, x.e);
    return x.negative ? -v : v;
}
static ref_num ref_of_value(long double v)
{
    ref_num r = {.kind = REF_FINITE, .negative = signbit(v)};
    if (isnan(v)) r.kind = REF_NAN;
    else if (isinf(v)) r.kind = REF_INF;
    else if (v == 0) r.kind = REF_ZERO;
    if (r.kind != REF_FINITE) return r;
    int e;
    r.m = (u128)ldexpl(frexpl(fabsl(v), &e), 64);
    r.e = e - 64;
    return r;
}

static bool ref_approximate(ref_call *c, ref_format f, uint64_t *out)
{
    const char *op = c->part[0];
    ref_num a = ref_operand(c->in[0], f, c->mods);
    long double x = ref_value(a), r;
    /* the ISA's bounds; tests/unit/test_sfu.c holds the bits */
    c->relative = ldexp(f.mantissa == 23 ? 2 : 1.01, -f.mantissa);
    c->absolute = ldexp(1.01, 1 - ref_bias(f) - f.mantissa);
    if (!strcmp(op, "ex2")) r = exp2l(x);
    else if (!strcmp(op, "lg2")) r = log2l(x), c->absolute = 0x1p-22;
    else if (!strcmp(op, "tanh")) r = tanhl(x), c->relative += 0x1p-11;
    else if (!strcmp(op, "sqrt")) r = sqrtl(x);
    else if (!strcmp(op, "rsqrt")) r = 1 / sqrtl(x);
    else if (!strcmp(op, "rcp")) r = 1 / x;
    else if (!strcmp(op, "sin") || !strcmp(op, "cos")) {
        bool is_sin = op[0] == 's';
        r = is_sin ? sinl(x) : cosl(x);
        c->absolute = fabsl(x) < 3.2L ? 0x1p-20 : 2; /* beyond pi the ISA promises nothing: recorded vectors hold it */
        c->relative = 0;
    } else if (!strcmp(op, "div")) {
        ref_num b = ref_operand(c->in[1], f, c->mods);
        long double y = fabsl(ref_value(b));
        r = x / ref_value(b);
        if (y > 0x1p126L && y < 0x1p128L && ref_is(c, 1, "approx"))
            r = a.kind == REF_INF ? NAN : x * (signbit(ref_value(b)) ? -0.0L : 0.0L);
    } else return false;
    *out = ref_result(ref_of_value(r), f, c->mods & PTX_FTZ);
    return true;
}

/* rcp and rsqrt .approx.ftz.f64 work on the high word. */
static uint64_t ref_high_word(ref_call *c)
{
    uint64_t high = c->in[0] & 0xffffffff00000000u;
    ref_num a = ref_operand(high, REF_F64, PTX_FTZ);
    long double x = ref_value(a), r = ref_is(c, 0, "rcp") ? 1 / x : 1 / sqrtl(x);
    c->relative = 0x1p-19;
    if (isnan(r)) return 0x7fffffff00000000u;
    return ref_result(ref_of_value(r), REF_F64, PTX_FTZ) & 0xffffffff00000000u;
}

static bool ref_float_arithmetic(ref_call *c, ref_format f, uint64_t *out)
{
    const char *op = c->part[0];
    ref_mode mode = ref_rounding(c->mods);
    ref_num a = ref_operand(c->in[0], f, c->mods), b = ref_operand(c->in[1], f, c->mods),
            z = ref_operand(c->in[2], f, c->mods), r;
    bool approximate = ref_has(c, "approx") || ref_has(c, "full");
    bool high_word = ref_same(f, REF_F64) && ((c->mods & PTX_FTZ) || !strcmp(op, "rcp"));
    if (approximate && high_word) return *out = ref_high_word(c), true;
    if (approximate) return (ref_same(f, REF_F64) && ref_pass_nan(c, f, "a", out)) || ref_approximate(c, f, out);
    if (!strcmp(op, "min") || !strcmp(op, "max")) return *out = ref_extreme(c, f), true;
    if (!strcmp(op, "abs") || !strcmp(op, "neg")) return *out = ref_sign_op(c, f), true;
    if (!strcmp(op, "fma") && ref_fused_oob(c)) return *out = 0, true;
    const char *order = "ba";
    if (!strcmp(op, "add")) r = ref_add(a, b, mode);
    else if (!strcmp(op, "sub")) r = ref_add(a, b.kind == REF_NAN ? b : ref_neg(b), mode);
    else if (!strcmp(op, "mul")) r = ref_mul(a, b);
    else if (!strcmp(op, "fma") || !strcmp(op, "mad")) r = ref_add(ref_mul(a, b), z, mode), order = "bca";
    else if (!strcmp(op, "div")) r = ref_div(a, b), order = "ab";
    else if (!strcmp(op, "rcp")) r = ref_div((ref_num){.kind = REF_FINITE, .m = 1}, a), order = "a";
    else if (!strcmp(op, "sqrt")) r = ref_sqrt(a), order = "a";
    else return false;
    if (r.kind == REF_NAN && ref_pass_nan(c, f, order, out)) return true;
    *out = ref_result(r, f, c->mods);
    return true;
}

/* Both halves of a packed type. */
static bool ref_float_op(ref_call *c, uint64_t *out)
{
    ref_format f;
    if (!ref_format_of(c->type, &f)) return false;
    if (!strcmp(c->part[0], "copysign"))
        return *out = (c->in[0] & (uint64_t)1 << (ref_bits(f) - 1)) |
                      (c->in[1] & (((uint64_t)1 << (ref_bits(f) - 1)) - 1)),
               true;
    if (!strstr(c->type, "x2")) return ref_float_arithmetic(c, f, out);
    ref_call half = *c;
    uint64_t low = 0, high = 0;
    for (int k = 0; k < 3; k++) half.in[k] = c->in[k] & 0xffff;
    bool ok = ref_float_arithmetic(&half, f, &low);
    for (int k = 0; k < 3; k++) half.in[k] = c->in[k] >> 16 & 0xffff;
    ok = ok && ref_float_arithmetic(&half, f, &high);
    c->relative = half.relative, c->absolute = half.absolute;
    *out = low | high << 16;
    return ok;
}

/* ---------------------------------------------------------------- comparisons and selection */
static bool ref_compare_result(const char *op, bool unordered, int order)
{
    bool eq = !unordered && order == 0, lt = !unordered && order < 0, gt = !unordered && order > 0;
    size_t n = strlen(op);
    char base[8] = "";
    bool also = n == 3 && op[2] == 'u';
    memcpy(base, op, also ? 2 : n);
    if (!strcmp(op, "num")) return !unordered;
    if (!strcmp(op, "nan")) return unordered;
    if (unordered) return also;
    if (!strcmp(base, "eq")) return eq;
    if (!strcmp(base, "ne")) return !eq;
    if (!strcmp(base, "lt") || !strcmp(base, "lo")) return lt;
    if (!strcmp(base, "le") || !strcmp(base, "ls")) return lt || eq;
    if (!strcmp(base, "gt") || !strcmp(base, "hi")) return gt;
    return gt || eq; /* ge hs */
}
static int ref_order(ref_num a, ref_num b)
{
    ref_num d = ref_add(a, ref_neg(b), REF_RN);
    if (a.kind == REF_INF && b.kind == REF_INF && a.negative == b.negative) return 0;
    return d.kind == REF_ZERO ? 0 : d.negative ? -1 : 1;
}
static bool ref_setp(const ref_call *c, uint64_t *out)
{
    ref_format f;
    if (!ref_format_of(c->type, &f)) {
        const char *t = c->type[0] == 'b' ? (c->type[1] == '1' ? "u16" : c->type[1] == '3' ? "u32" : "u64") : c->type;
        i128 a = ref_int(c->in[0], t), b = ref_int(c->in[1], t);
        *out = ref_compare_result(c->part[1], false, a < b ? -1 : a > b);
        return true;
    }
    *out = 0;
    for (int k = 0; k < (strstr(c->type, "x2") ? 2 : 1); k++) {
        ref_num a = ref_operand(c->in[0] >> 16 * k, f, c->mods), b = ref_operand(c->in[1] >> 16 * k, f, c->mods);
        bool unordered = a.kind == REF_NAN || b.kind == REF_NAN;
        *out |= (uint64_t)ref_compare_result(c->part[1], unordered, unordered ? 0 : ref_order(a, b)) << k;
    }
    return true;
}
static bool ref_testp(const ref_call *c, uint64_t *out)
{
    ref_format f;
    if (!ref_format_of(c->type, &f)) return false;
    ref_num x = ref_unpack(c->in[0], f);
    const char *what = c->part[1];
    bool subnormal = x.kind == REF_FINITE && !(x.m >> f.mantissa), finite = x.kind == REF_FINITE || x.kind == REF_ZERO;
    *out = !strcmp(what, "finite")       ? finite
           : !strcmp(what, "infinite")   ? x.kind == REF_INF
           : !strcmp(what, "number")     ? x.kind != REF_NAN
           : !strcmp(what, "notanumber") ? x.kind == REF_NAN
           : !strcmp(what, "normal")     ? finite && !subnormal
                                         : subnormal;
    return true;
}
static bool ref_slct(const ref_call *c, uint64_t *out)
{
    bool first = !(c->in[2] >> 31 & 1);
    if (!strcmp(c->type, "f32")) {
        ref_num z = ref_operand(c->in[2] & 0xffffffffu, REF_F32, c->mods);
        first = z.kind == REF_ZERO || (z.kind != REF_NAN && !z.negative);
    }
    *out = ref_cut(c->in[first ? 0 : 1], ref_width(c->part[1]));
    return true;
}

/* ---------------------------------------------------------------- conversions */
static bool ref_cvt_pack(const ref_call *c, uint64_t *out)
{
    const char *t = c->part[2];
    int w = ref_width(t);
    uint64_t hi = ref_cut((uint64_t)ref_clamp(ref_int(c->in[0], "s32"), t), w),
             lo = ref_cut((uint64_t)ref_clamp(ref_int(c->in[1], "s32"), t), w);
    *out = (w == 16 ? 0 : c->in[2] << 2 * w & 0xffffffffu) | hi << w | lo;
    return true;
}

/* A NaN that becomes another format: what cc 9.0 does. */
static uint64_t ref_convert_nan(const ref_call *c, ref_format to, ref_format from)
{
    uint64_t sign = c->in[0] >> (ref_bits(from) - 1) & 1, payload = c->in[0] & (((uint64_t)1 << from.mantissa) - 1);
    uint64_t all = (((uint64_t)1 << to.exponent) - 1) << to.mantissa | sign << (ref_bits(to) - 1),
             quiet = (uint64_t)1 << (to.mantissa - 1);
    bool plain = !(c->mods & ~(uint32_t)PTX_RND_MASK), copies = ref_same(to, from) && to.mantissa >= 23 && plain;
    if (c->mods & PTX_SAT) return 0;
    if (copies || (ref_same(to, REF_F32) && ref_same(from, REF_BF16) && plain))
        return c->in[0] << (to.mantissa - from.mantissa);
    if (ref_same(to, REF_F64) && ref_same(from, REF_F32) && (c->mods & PTX_FTZ)) return 0x7fffffffe0000000u;
    if (ref_same(to, REF_F64)) return all | quiet | payload << (to.mantissa - from.mantissa);
    if (ref_same(from, REF_F64)) return all | quiet | payload >> (from.mantissa - to.mantissa);
    return ref_nan(to);
}

static uint64_t ref_convert_float(const ref_call *c, uint64_t bits, ref_format to, ref_format from)
{
    ref_call one = *c;
    one.in[0] = bits;
    uint32_t mods = c->mods;
    bool touches_f32 = ref_same(to, REF_F32) || ref_same(from, REF_F32);
    if (!touches_f32 || ref_same(to, REF_F16) || ref_same(from, REF_F16))
        mods &= ~(uint32_t)PTX_FTZ; /* .ftz is of f32 alone */
    ref_num x = ref_unpack(bits, from);
    if (x.kind == REF_NAN) return ref_convert_nan(&one, to, from);
    if ((mods & PTX_FTZ) && ref_same(from, REF_F32)) x = ref_operand(bits, from, mods);
    if ((mods & PTX_FTZ) && ref_same(from, REF_BF16) && x.kind == REF_FINITE && !(x.m >> 7)) x.kind = REF_ZERO;
    if ((mods & PTX_RINT) && x.kind == REF_FINITE) {
        bool inexact, negative = x.negative;
        if (x.e < 0) x.m = ref_round_to(x, 0, ref_rounding(mods), &inexact), x.e = 0;
        if (!x.m) x.kind = REF_ZERO;
        x.negative = negative;
    }
    return ref_result(x, to, mods);
}

/* tf32: an f32 whose low 13 bits are zero */
static uint64_t ref_cvt_tf32(const ref_call *c)
{
    uint64_t bits = c->in[0] & 0xffffffffu;
    ref_num x = ref_unpack(bits, REF_F32);
    if (x.kind == REF_NAN && !(c->mods & PTX_RNA)) return 0x7fffe000u;
    if ((c->mods & PTX_RELU) && bits >> 31) return 0;
    if (x.kind == REF_NAN) return (bits >> 13 << 13) - (c->mods & PTX_SATFINITE ? 0x2000 : 0); /* cc 9.0 */
    return ref_result(x, REF_TF32, c->mods) << 13;
}

static uint64_t ref_float_to_int(const ref_call *c, const char *to, ref_format from)
{
    int w = ref_width(to);
    bool as_f64 = ref_same(from, REF_F64);
    ref_num x = ref_operand(c->in[0], from, ref_same(from, REF_F32) ? c->mods : 0);
    i128 low = to[0] == 's' ? -((i128)1 << (w - 1)) : 0, high = to[0] == 's' ? -low - 1 : ((i128)1 << w) - 1;
    if (x.kind == REF_NAN) return as_f64 || w == 64 ? (uint64_t)1 << (w - 1) : 0;
    return ref_cut((uint64_t)ref_to_int(x, ref_rounding(c->mods), low, high), w);
}

static uint64_t ref_fp8(const ref_call *c, uint64_t bits, ref_format to, ref_format from)
{
    ref_num x = ref_unpack(bits, from);
    if (x.kind == REF_NAN) return 0x7f;
    uint64_t most = ref_same(to, REF_E4M3) ? 0x7e : 0x7b, sign = x.negative ? 0x80 : 0;
    if ((c->mods & PTX_RELU) && sign) return 0;
    ref_format wide = {to.mantissa, 8}; /* so that nothing overflows */
    x.negative = false;
    if (x.kind == REF_INF) return most | sign;
    bool tiny;
    ref_num scaled = x;
    scaled.e += 127 - ref_bias(to); /* the same field in both formats, subnormals too */
    scaled.e -= 127 - ref_bias(to);
    uint64_t r;
    int exponent = x.kind == REF_FINITE ? x.e + ref_top_bit(x.m) : -1000, least = 1 - ref_bias(to);
    if (exponent >= least) {
        r = ref_pack(scaled, wide, REF_RN, &tiny) - ((uint64_t)(127 - ref_bias(to)) << to.mantissa);
    } else {
        bool inexact;
        r = x.kind == REF_ZERO ? 0 : (uint64_t)ref_round_to(x, least - to.mantissa, REF_RN, &inexact);
    }
    return (r > most ? most : r) | sign;
}

static bool ref_cvt(ref_call *c, uint64_t *out)
{
    if (ref_is(c, 1, "pack")) return ref_cvt_pack(c, out);
    const char *to = c->part[1], *from = c->type;
    ref_format ft, ff;
    bool to_float = ref_format_of(to, &ft), from_float = ref_format_of(from, &ff);
    if (!strcmp(to, "tf32")) return *out = ref_cvt_tf32(c), true;
    if (!to_float && !from_float) {
        i128 v = ref_int(c->in[0], from);
        return *out = ref_cut((uint64_t)(c->mods & PTX_SAT ? ref_clamp(v, to) : v), ref_width(to)), true;
    }
    if (!to_float) return *out = ref_float_to_int(c, to, ff), true;
    if (!from_float)
        return *out = ref_result(ref_of_int(ref_int(c->in[0], from)), ft, c->mods & ~(uint32_t)PTX_FTZ), true;
    if (to[0] == 'e') { /* to fp8: from two f32 or one f16x2 */
        bool packed = strstr(from, "x2") != NULL;
        uint64_t hi = packed ? c->in[0] >> 16 & 0xffff : c->in[0], lo = packed ? c->in[0] & 0xffff : c->in[1];
        return *out = ref_fp8(c, hi, ft, ff) << 8 | ref_fp8(c, lo, ft, ff), true;
    }
    if (from[0] == 'e')
        return *out = ref_convert_float(c, c->in[0] >> 8 & 0xff, ft, ff) << 16 |
                      ref_convert_float(c, c->in[0] & 0xff, ft, ff),
               true;
    if (strstr(to, "x2"))
        return *out = ref_convert_float(c, c->in[0], ft, ff) << 16 | ref_convert_float(c, c->in[1], ft, ff), true;
    return *out = ref_convert_float(c, c->in[0], ft, ff), true;
}

/* ---------------------------------------------------------------- all */
/* false: no reference for this key. */
static bool reference(ref_call *c, uint64_t *out)
{
    ref_format f;
    const char *op = c->part[0];
    if (!strcmp(op, "setp")) return ref_setp(c, out);
    if (!strcmp(op, "testp")) return ref_testp(c, out);
    if (!strcmp(op, "slct")) return ref_slct(c, out);
    if (!strcmp(op, "cvt")) return ref_cvt(c, out);
    if (ref_format_of(c->type, &f)) return ref_float_op(c, out);
    return ref_integer(c, out);
}

static void ref_prepare(ref_call *c, const char *key, uint32_t mods, uint64_t imm)
{
    memset(c, 0, sizeof *c);
    strncpy(c->text, key, sizeof c->text - 1);
    for (char *at = strtok(c->text, "."); at && c->parts < 8; at = strtok(NULL, ".")) c->part[c->parts++] = at;
    c->type = c->part[c->parts - 1];
    if (!strcmp(c->part[0], "prmt")) c->type = c->part[1];
    c->mods = mods, c->imm = imm;
}

#endif
