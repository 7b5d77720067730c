/* ref_ops.h: what every regular instruction gives, read off its mnemonic and computed the slow way: integers bit by bit
 * or in 128 bits, floats exactly (ref_float.h), approximations by long double functions with a tolerance. Independent
 * of src/: the semantics come from the PTX ISA and, where it leaves a choice, from what cc 9.0 does (said in place). */
#ifndef LW_TESTS_REF_OPS_H
#define LW_TESTS_REF_OPS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/mods.h"
#include "ref_float.h"

typedef struct ref_call {
    char text[64];
    char *part[8]; /* of the key, split at dots */
    int parts;
    const char *type; /* the last part */
    uint32_t mods;
    uint64_t in[3], imm;
    double relative, absolute; /* tolerance of the result; 0: exact */
} ref_call;

static bool ref_is(const ref_call *c, int k, const char *text) { return k < c->parts && !strcmp(c->part[k], text); }
static bool ref_has(const ref_call *c, const char *text)
{
    for (int k = 1; k < c->parts; k++)
        if (!strcmp(c->part[k], text)) return true;
    return false;
}
static ref_mode ref_rounding(uint32_t mods)
{
    static const ref_mode modes[] = {REF_RN, REF_RZ, REF_RM, REF_RP};
    return mods & PTX_RNA ? REF_RNA : modes[mods & PTX_RND_MASK];
}

/* ---------------------------------------------------------------- integers */
static int ref_width(const char *t) { return atoi(t + 1); }
static uint64_t ref_cut(uint64_t x, int width) { return width == 64 ? x : x & (((uint64_t)1 << width) - 1); }
static i128 ref_int(uint64_t bits, const char *t)
{
    int w = ref_width(t);
    i128 v = (i128)ref_cut(bits, w);
    return t[0] == 's' && v >> (w - 1) & 1 ? v - ((i128)1 << w) : v;
}
static i128 ref_clamp(i128 v, const char *t)
{
    int w = ref_width(t);
    i128 low = t[0] == 's' ? -((i128)1 << (w - 1)) : 0, high = t[0] == 's' ? -low - 1 : ((i128)1 << w) - 1;
    return v < low ? low : v > high ? high : v;
}
static bool ref_bit(uint64_t x, uint64_t k) { return k < 64 && x >> k & 1; }

static uint64_t ref_bfe(uint64_t a, uint64_t pos, uint64_t len, int w, bool is_signed)
{
    if (w == 32) pos &= 0xff, len &= 0xff; /* cc 9.0 masks in the 32-bit form alone */
    else pos &= 0xffffffffu, len &= 0xffffffffu;
    uint64_t top = (uint64_t)w - 1, last = pos + len - 1, d = 0;
    bool sign = is_signed && len && ref_bit(a, last < top ? last : top);
    for (uint64_t i = 0; i <= top; i++)
        if (i < len && pos + i <= top ? ref_bit(a, pos + i) : sign) d |= (uint64_t)1 << i;
    return d;
}

static uint64_t ref_fns(uint32_t mask, uint32_t base, int32_t n)
{
    if (n == INT32_MIN) return 0; /* cc 9.0 */
    if (base > 31) return 0xffffffffu;
    if (n == 0) return ref_bit(mask, base) ? base : 0xffffffffu;
    int seen = 0;
    for (int64_t pos = base; pos >= 0 && pos < 32; pos += n > 0 ? 1 : -1)
        if (ref_bit(mask, (uint64_t)pos) && ++seen == llabs(n)) return (uint64_t)pos;
    return 0xffffffffu;
}

static uint64_t ref_bfind(uint64_t a, const char *t, bool amount)
{
    int w = ref_width(t);
    bool skip = t[0] == 's' && ref_bit(a, (uint64_t)w - 1);
    for (int k = w; k-- > 0;)
        if (ref_bit(a, (uint64_t)k) != skip) return (uint64_t)(amount ? w - 1 - k : k);
    return 0xffffffffu;
}

static uint32_t ref_pick(uint32_t a, uint32_t b, uint32_t which)
{
    return (which < 4 ? a >> 8 * which : b >> 8 * (which - 4)) & 0xff;
}
static uint32_t ref_prmt(const ref_call *c)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    /* selectors of bytes 3 2 1 0 for c & 3 */
    static const char *const rows[6][4] = {{"3210", "4321", "5432", "6543"}, {"5670", "6701", "7012", "0123"},
                                           {"0000", "1111", "2222", "3333"}, {"3210", "3211", "3222", "3333"},
                                           {"0000", "1110", "2210", "3210"}, {"1010", "3232", "1010", "3232"}};
    uint32_t a = (uint32_t)c->in[0], b = (uint32_t)c->in[1], s = (uint32_t)c->in[2], d = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t byte = 0;
        if (c->parts == 2) {
            uint32_t selector = s >> 4 * k & 15;
            byte = ref_pick(a, b, selector & 7);
            if (selector & 8) byte = byte & 0x80 ? 0xff : 0;
        } else {
            for (int m = 0; m < 6; m++)
                if (ref_is(c, 2, modes[m])) byte = ref_pick(a, b, (uint32_t)(rows[m][s & 3][3 - k] - '0'));
        }
        d |= byte << 8 * k;
    }
    return d;
}

static uint32_t ref_dot(const ref_call *c, uint32_t (*element)(uint32_t x, uint32_t k, bool wide), int count,
                        uint32_t first)
{
    i128 sum = (i128)(int32_t)(uint32_t)c->in[2];
    int types = ref_is(c, 1, "lo") || ref_is(c, 1, "hi") ? 2 : 1;
    for (int k = 0; k < count; k++) {
        uint32_t x = element((uint32_t)c->in[0], (uint32_t)k, count == 2),
                 y = element((uint32_t)c->in[1], first + (uint32_t)k, false);
        i128 p = c->part[types][0] == 's' ? (count == 2 ? (i128)(int16_t)x : (i128)(int8_t)x) : (i128)x;
        sum += p * (c->part[types + 1][0] == 's' ? (i128)(int8_t)y : (i128)y);
    }
    return (uint32_t)(uint64_t)sum;
}
static uint32_t ref_element(uint32_t x, uint32_t k, bool wide)
{
    return wide ? x >> 16 * k & 0xffff : x >> 8 * k & 0xff;
}

/* The product, exact: unsigned 64-bit ones do not fit a signed 128-bit integer. */
static uint64_t ref_product_part(uint64_t a, uint64_t b, const char *t, int from)
{
    if (t[0] == 's') return (uint64_t)((ref_int(a, t) * ref_int(b, t)) >> from);
    return (uint64_t)(((u128)ref_cut(a, ref_width(t)) * ref_cut(b, ref_width(t))) >> from);
}

static bool ref_multiply(const ref_call *c, uint64_t *out)
{
    const char *t = c->type;
    int w = ref_width(t);
    bool adds = !strncmp(c->part[0], "mad", 3), is24 = strstr(c->part[0], "24") != NULL;
    uint64_t r;
    if (is24) {
        i128 a = ref_cut(c->in[0], 24), b = ref_cut(c->in[1], 24);
        if (t[0] == 's' && a >> 23) a -= 1 << 24;
        if (t[0] == 's' && b >> 23) b -= 1 << 24;
        i128 p = a * b;
        r = (uint64_t)(ref_is(c, 1, "hi") ? p >> 16 : p);
    } else {
        r = ref_product_part(c->in[0], c->in[1], t, ref_is(c, 1, "hi") ? w : 0);
    }
    if (ref_is(c, 1, "wide")) w *= 2;
    if (adds && (c->mods & PTX_SAT)) r = (uint64_t)ref_clamp(ref_int(r, t) + ref_int(c->in[2], t), t);
    else if (adds) r += c->in[2];
    *out = ref_cut(r, w);
    return true;
}

static uint64_t ref_shift(const ref_call *c)
{
    int w = ref_width(c->type);
    uint64_t n = c->in[1] & 0xffffffffu, a = ref_cut(c->in[0], w), d = 0;
    bool left = ref_is(c, 0, "shl"), fill = c->type[0] == 's' && ref_bit(a, (uint64_t)w - 1);
    for (uint64_t k = 0; k < (uint64_t)w; k++) {
        bool bit = left ? k >= n && ref_bit(a, k - n) : k + n < (uint64_t)w ? ref_bit(a, k + n) : fill;
        if (bit) d |= (uint64_t)1 << k;
    }
    return d;
}
static uint32_t ref_funnel(const ref_call *c)
{
    uint64_t both = (c->in[1] & 0xffffffffu) << 32 | (c->in[0] & 0xffffffffu), n = c->in[2] & 0xffffffffu;
    n = ref_is(c, 2, "wrap") ? n % 32 : n < 32 ? n : 32;
    return (uint32_t)(ref_is(c, 1, "l") ? both << n >> 32 : both >> n);
}
static uint32_t ref_mask_bits(const ref_call *c) /* bmsk */
{
    uint64_t a = c->in[0] & 0xffffffffu, b = c->in[1] & 0xffffffffu;
    if (ref_is(c, 1, "wrap")) a %= 32, b %= 32;
    uint32_t d = 0;
    for (uint64_t k = 0; k < 32; k++)
        if (k >= a && k < a + b) d |= 1u << k;
    return d;
}
static uint32_t ref_extend(const ref_call *c) /* szext */
{
    uint64_t n = c->in[1] & 0xffffffffu;
    if (ref_is(c, 1, "wrap")) n %= 32;
    uint32_t d = 0;
    bool sign = c->type[0] == 's' && n && ref_bit(c->in[0], n < 32 ? n - 1 : 31);
    for (uint64_t k = 0; k < 32; k++)
        if (k < n ? ref_bit(c->in[0], k) : sign) d |= 1u << k;
    return d;
}

static bool ref_packed_int(const ref_call *c, uint64_t *out) /* u16x2, s16x2 */
{
    const char *t = c->type[0] == 's' ? "s16" : "u16";
    *out = 0;
    for (int k = 0; k < 2; k++) {
        i128 a = ref_int(c->in[0] >> 16 * k, t), b = ref_int(c->in[1] >> 16 * k, t), r = a + b;
        if (ref_is(c, 0, "min")) r = a < b ? a : b;
        else if (ref_is(c, 0, "max")) r = a > b ? a : b;
        else if (!ref_is(c, 0, "add")) return false;
        if ((c->mods & PTX_RELU) && r < 0) r = 0;
        *out |= ref_cut((uint64_t)r, 16) << 16 * k;
    }
    return true;
}

static uint64_t ref_count(const char *op, uint64_t a, int w)
{
    uint64_t ones = 0, zeros = 0, reversed = 0;
    for (int k = 0; k < w; k++) {
        ones += ref_bit(a, (uint64_t)k);
        zeros = ref_bit(a, (uint64_t)k) ? 0 : zeros + 1;
        reversed = reversed << 1 | ref_bit(a, (uint64_t)k);
    }
    return !strcmp(op, "popc") ? ones : !strcmp(op, "clz") ? zeros : reversed;
}

static bool ref_arithmetic(const ref_call *c, uint64_t *out)
{
    const char *op = c->part[0], *t = c->type;
    i128 a = ref_int(c->in[0], t), b = ref_int(c->in[1], t), z = ref_int(c->in[2], t), r;
    if (!strcmp(op, "add")) r = a + b;
    else if (!strcmp(op, "sub")) r = a - b;
    else if (!strcmp(op, "sad")) r = z + (a > b ? a - b : b - a);
    else if (!strcmp(op, "div")) r = b ? a / b : -1;
    else if (!strcmp(op, "rem")) r = b ? a % b : -1;
    else if (!strcmp(op, "abs")) r = a < 0 ? -a : a;
    else if (!strcmp(op, "neg")) r = -a;
    else if (!strcmp(op, "min")) r = a < b ? a : b;
    else if (!strcmp(op, "max")) r = a < b ? b : a;
    else return false;
    if (c->mods & PTX_SAT) r = ref_clamp(r, t);
    if ((c->mods & PTX_RELU) && r < 0) r = 0;
    *out = ref_cut((uint64_t)r, ref_width(t));
    return true;
}

static bool ref_integer(const ref_call *c, uint64_t *out)
{
    const char *op = c->part[0], *t = c->type;
    int w = ref_width(t);
    uint64_t a = c->in[0], b = c->in[1], z = c->in[2];
    if (strstr(t, "x2")) return ref_packed_int(c, out);
    if (!strncmp(op, "mul", 3) || !strncmp(op, "mad", 3)) return ref_multiply(c, out);
    if (ref_arithmetic(c, out)) return true;
    if (!strcmp(op, "popc") || !strcmp(op, "clz") || !strcmp(op, "brev")) *out = ref_count(op, a, w);
    else if (!strcmp(op, "bfind")) *out = ref_bfind(a, t, ref_is(c, 1, "shiftamt"));
    else if (!strcmp(op, "fns")) *out = ref_fns((uint32_t)a, (uint32_t)b, (int32_t)(uint32_t)z);
    else if (!strcmp(op, "bfe")) *out = ref_bfe(a, b, z, w, t[0] == 's');
    else if (!strcmp(op, "bmsk")) *out = ref_mask_bits(c);
    else if (!strcmp(op, "szext")) *out = ref_extend(c);
    else if (!strcmp(op, "and")) *out = ref_cut(a & b, w);
    else if (!strcmp(op, "or")) *out = ref_cut(a | b, w);
    else if (!strcmp(op, "xor")) *out = ref_cut(a ^ b, w);
    else if (!strcmp(op, "not")) *out = ref_cut(~a, w);
    else if (!strcmp(op, "cnot")) *out = !ref_cut(a, w);
    else if (!strcmp(op, "mov")) *out = ref_cut(a, w);
    else if (!strcmp(op, "shl") || !strcmp(op, "shr")) *out = ref_shift(c);
    else if (!strcmp(op, "shf")) *out = ref_funnel(c);
    else if (!strcmp(op, "prmt")) *out = ref_prmt(c);
    else if (!strcmp(op, "dp4a")) *out = ref_dot(c, ref_element, 4, 0);
    else if (!strcmp(op, "dp2a")) *out = ref_dot(c, ref_element, 2, ref_is(c, 1, "hi") ? 2 : 0);
    else if (!strcmp(op, "lop3")) {
        *out = 0;
        for (uint64_t k = 0; k < 32; k++)
            if (c->imm >> (ref_bit(a, k) << 2 | ref_bit(b, k) << 1 | ref_bit(z, k)) & 1) *out |= (uint64_t)1 << k;
    } else return false;
    return true;
}

#endif
