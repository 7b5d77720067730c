/* The exact sum of one step of the tensor cores. */
#include "exec/tensor_sum.h"

#include "base/half.h"

#include <string.h>

#include "base/base.h"

typedef struct format {
    uint8_t exponent, fraction, unused; /* bits; unused: below the fraction */
    bool finite;                        /* no infinities: all ones is the only NaN */
} format;

static format format_of(code_tensor_type type)
{
    switch (type) {
    case TENSOR_F16: return (format){5, 10, 0, false};
    case TENSOR_BF16: return (format){8, 7, 0, false};
    case TENSOR_TF32: return (format){8, 10, 13, false};
    case TENSOR_E4M3: return (format){4, 3, 0, true};
    case TENSOR_E5M2: return (format){5, 2, 0, false};
    default: return (format){8, 23, 0, false};
    }
}

tensor_number exec_tensor_decode(code_tensor_type type, uint32_t bits)
{
    format f = format_of(type);
    int bias = (1 << (f.exponent - 1)) - 1;
    bits >>= f.unused;
    uint32_t fraction = bits & ((1u << f.fraction) - 1);
    int exponent = (int)(bits >> f.fraction & ((1u << f.exponent) - 1));
    tensor_number n = {TENSOR_FINITE, bits >> (f.fraction + f.exponent) & 1, 0, f.fraction, 0};
    if (exponent == (1 << f.exponent) - 1 && (!f.finite || fraction == 7)) {
        n.class = fraction ? TENSOR_NAN : TENSOR_INFINITE;
        return n;
    }
    n.exponent = (exponent ? exponent : 1) - bias;
    n.sig = fraction | (exponent ? UINT64_C(1) << f.fraction : 0);
    n.class = n.sig ? TENSOR_FINITE : TENSOR_ZERO;
    return n;
}

tensor_number exec_tensor_product(tensor_number a, tensor_number b)
{
    tensor_number p = {TENSOR_FINITE, a.negative != b.negative, a.exponent + b.exponent, a.fraction + b.fraction,
                       a.sig * b.sig};
    bool invalid = (a.class == TENSOR_INFINITE && b.class == TENSOR_ZERO) ||
                   (a.class == TENSOR_ZERO && b.class == TENSOR_INFINITE);
    if (a.class == TENSOR_NAN || b.class == TENSOR_NAN || invalid) p.class = TENSOR_NAN;
    else if (a.class == TENSOR_INFINITE || b.class == TENSOR_INFINITE) p.class = TENSOR_INFINITE;
    else if (a.class == TENSOR_ZERO || b.class == TENSOR_ZERO) p.class = TENSOR_ZERO;
    return p;
}

tensor_number exec_tensor_through_f16(tensor_number n)
{
    while (n.class == TENSOR_FINITE && !(n.sig >> n.fraction) && n.exponent > -14) {
        n.sig <<= 1;
        n.exponent--;
    }
    return n;
}

int exec_tensor_floor(const code_tensor *t) { return t->c == TENSOR_F32 ? -133 : -100000; }

/* sum x 2^unit in the format: its fraction bits beyond `keep` are zero; truncated, or rounded to nearest even. */
static uint32_t encode(code_tensor_type type, bool negative, uint64_t sum, int unit, int keep)
{
    format f = format_of(type);
    bool nearest = type == TENSOR_F16;
    int bias = (1 << (f.exponent - 1)) - 1;
    uint32_t sign = (uint32_t)negative << (f.exponent + f.fraction);
    if (!sum) return 0;
    int exponent = LW_MAX(63 - __builtin_clzll(sum) + unit, 1 - bias);
    int drop = exponent - keep - unit; /* bits below the last one that is kept */
    uint64_t m = drop <= 0 ? sum << -drop : drop > 63 ? 0 : sum >> drop;
    if (nearest && drop > 0 && drop <= 63) {
        uint64_t rest = sum & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
        m += rest > half || (rest == half && (m & 1));
    }
    if (m >> (keep + 1)) {
        m >>= 1;
        exponent++;
    }
    if (!m) return 0; /* what rounds to zero is +0, also below it */
    m <<= f.fraction - keep;
    if (exponent > bias) return sign | ((1u << f.exponent) - 1) << f.fraction;
    if (!(m >> f.fraction)) return sign | (uint32_t)m;
    return sign | (uint32_t)(exponent + bias) << f.fraction | (uint32_t)(m & ((UINT64_C(1) << f.fraction) - 1));
}

uint32_t exec_tensor_step(const code_tensor *t, const tensor_number *products, uint32_t count, uint32_t c, bool has_c)
{
    code_tensor_type type = (code_tensor_type)t->c;
    bool half = type == TENSOR_F16, nan = false, infinite[2] = {false, false};
    tensor_number add = exec_tensor_decode(type, c);
    if (!has_c) add.class = TENSOR_ZERO;
    int most = exec_tensor_floor(t);
    for (uint32_t k = 0; k <= count; k++) {
        const tensor_number *n = k < count ? &products[k] : &add;
        if (n->class == TENSOR_NAN) nan = true;
        else if (n->class == TENSOR_INFINITE) infinite[n->negative] = true;
        else if (n->class == TENSOR_FINITE && n->exponent > most) most = n->exponent;
    }
    if (nan || (infinite[0] && infinite[1])) return half ? 0x7fff : 0x7fffffff;
    if (infinite[0] || infinite[1]) return (half ? 0x7c00u : 0x7f800000u) | (uint32_t)infinite[1] << (half ? 15 : 31);
    int64_t sum = 0;
    for (uint32_t k = 0; k <= count; k++) {
        const tensor_number *n = k < count ? &products[k] : &add;
        if (n->class == TENSOR_ZERO) continue;
        int shift = t->bits - n->fraction - (most - n->exponent);
        uint64_t v = shift >= 0 ? n->sig << shift : shift < -63 ? 0 : n->sig >> -shift;
        sum += n->negative ? -(int64_t)v : (int64_t)v;
    }
    return encode(type, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), most - t->bits, half ? 10 : t->keep);
}

uint32_t exec_tensor_add(const code_tensor *t, uint32_t sum, uint32_t c)
{
    if (t->c == TENSOR_F32) {
        float x, y;
        memcpy(&x, &sum, sizeof x);
        memcpy(&y, &c, sizeof y);
        x += y;
        memcpy(&sum, &x, sizeof sum);
        return x != x ? 0x7fffffff : sum;
    }
    float both = lw_float_of_half((uint16_t)sum) + lw_float_of_half((uint16_t)c); /* rounded twice, as if once */
    return both != both ? 0x7fff : lw_half_of_float(both);
}
