/* lanes_tensor.c: mma.sync and wgmma, per host instruction set. Fragments are gathered into matrices, multiplied, and put back.
 *
 * Within a register the elements of 4 lanes 4g..4g+3 follow each other along k: so a row of A, and a column of B, is a run of
 * 16-byte pieces, a register each. */
#include "exec/lanes.h"
#include "exec/defined.h"
#include "exec/shared_matrix.h"
#include "exec/tensor_sum.h"
#include "base/half.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx/mods.h"

#define MOST_K 256
#define MOST_SPARSE_K 64 /* of floating point, with the elements of B that a sparse A leaves out */
#define COLUMNS 8

/* The operands as they lie in registers: rows of A and columns of B, k packed. */
typedef struct fragments {
    uint8_t a[16][128], b[COLUMNS][128];
    uint64_t c[16][COLUMNS]; /* also of D */
    uint32_t metadata[32];
} fragments;

/* ---------------------------------------------------------------- gathering */
static void gather_rows(exec_ctx *x, const code_ref *refs, uint32_t registers, uint32_t halves, uint32_t bytes,
                        uint8_t rows[][128])
{
    for (uint32_t r = 0; r < registers; r++) {
        const uint8_t *lanes = (const uint8_t *)LANES(uint32_t, refs[r]);
        for (uint32_t g = 0; g < 8; g++)
            memcpy(rows[g + 8 * (r % halves)] + 4 * bytes * (r / halves), lanes + 4 * bytes * g, 4 * bytes);
    }
}

/* Column and row of element i of lane l in C. */
static uint32_t row_of(uint32_t l, uint32_t i) { return (l >> 2) + 8 * (i >> 1); }
static uint32_t column_of(uint32_t l, uint32_t i) { return 2 * (l & 3) + (i & 1); }

static void gather_c(exec_ctx *x, const code_tensor *t, const code_ref *refs, fragments *f)
{
    uint32_t elements = (uint32_t)t->m * t->n / 32;
    for (uint32_t i = 0; i < elements; i++)
        for (uint32_t l = 0; l < 32; l++) {
            uint64_t *to = &f->c[row_of(l, i)][column_of(l, i)];
            if (t->c == TENSOR_F64) *to = LANES(uint64_t, refs[i])[l];
            else if (t->c == TENSOR_F16) *to = LANES(uint32_t, refs[i / 2])[l] >> 16 * (i & 1) & 0xffff;
            else *to = LANES(uint32_t, refs[i])[l];
        }
}

static void scatter_d(exec_ctx *x, const code_tensor *t, const code_ref *refs, const fragments *f)
{
    uint32_t elements = (uint32_t)t->m * t->n / 32;
    for (uint32_t i = 0; i < elements; i += t->c == TENSOR_F16 ? 2 : 1) {
        code_ref ref = refs[t->c == TENSOR_F16 ? i / 2 : i];
        if (ref == CODE_NO_REF) continue;
        for (uint32_t l = 0; l < 32; l++) {
            uint64_t d = f->c[row_of(l, i)][column_of(l, i)];
            if (t->c == TENSOR_F16) d |= f->c[row_of(l, i + 1)][column_of(l, i + 1)] << 16;
            if (t->c == TENSOR_F64) LANES(uint64_t, ref)[l] = d;
            else LANES(uint32_t, ref)[l] = (uint32_t)d;
        }
    }
}

static uint32_t element_bits(uint8_t type)
{
    switch (type) {
    case TENSOR_F16:
    case TENSOR_BF16: return 16;
    case TENSOR_F64: return 64;
    case TENSOR_TF32: return 32;
    case TENSOR_S4:
    case TENSOR_U4: return 4;
    case TENSOR_B1: return 1;
    default: return 8;
    }
}

static uint32_t element(const uint8_t *row, uint32_t bits, uint32_t k)
{
    uint32_t word;
    memcpy(&word, row + k * bits / 32 * 4, sizeof word);
    return bits == 32 ? word : word >> k * bits % 32 & ((1u << bits) - 1);
}

/* ---------------------------------------------------------------- sparse: which k a kept element of A is */
static uint32_t position(const code_tensor *t, const fragments *f, uint32_t row, uint32_t kept)
{
    uint32_t bits = element_bits(t->a), unit = bits == 4 ? 2 : 1; /* 4-bit elements are kept in pairs */
    uint32_t pair = t->a == TENSOR_TF32 ? 1 : 2;                  /* kept of a chunk */
    uint32_t chunk = kept / unit / pair, which = kept / unit % pair, lane, nibble;
    if (bits >= 16) {
        uint32_t chunks = t->k * (bits == 32 ? 2u : 1u) / 4;
        lane = 4 * (row & 7) + (chunks == 4 ? t->selector : 2u * t->selector + chunk / 4);
        nibble = chunk % 4 + (row >= 8 ? 4 : 0);
    } else {
        uint32_t chunks = t->k / unit / 4;
        lane = 4 * (row & 7) + (row >= 8) + 2 * (chunks == 8 ? t->selector : chunk / 8);
        nibble = chunk % 8;
    }
    uint32_t two = f->metadata[lane & 31] >> 4 * nibble & 15;
    if (t->a == TENSOR_TF32) return 2 * chunk + (two == 14);
    return (4 * chunk + (which ? two >> 2 : two & 3)) * unit + kept % unit;
}

/* Where B is read for each kept element of a row. */
static void positions(const code_tensor *t, const fragments *f, uint32_t row, uint32_t kept, uint16_t *out)
{
    for (uint32_t k = 0; k < kept; k++) out[k] = (uint16_t)(t->sparse ? position(t, f, row, k) % t->k : k);
}

/* ---------------------------------------------------------------- integers */
static int32_t integer(uint8_t type, uint32_t bits)
{
    switch (type) {
    case TENSOR_S8: return (int8_t)bits;
    case TENSOR_S4: return (int32_t)(bits ^ 8) - 8;
    default: return (int32_t)bits;
    }
}

static void multiply_integers(const code_tensor *t, fragments *f)
{
    int32_t b[MOST_K][COLUMNS];
    uint16_t at[MOST_K];
    uint32_t bits = element_bits(t->a), kept = t->sparse ? t->k / 2u : t->k;
    for (uint32_t k = 0; k < t->k; k++)
        for (uint32_t j = 0; j < COLUMNS; j++) b[k][j] = integer(t->b, element(f->b[j], bits, k));
    for (uint32_t i = 0; i < t->m; i++) {
        int32_t sum[COLUMNS] = {0};
        positions(t, f, i, kept, at);
        for (uint32_t k = 0; k < kept; k++) {
            int32_t a = integer(t->a, element(f->a[i], bits, k));
            for (uint32_t j = 0; j < COLUMNS; j++) {
                int32_t y = b[at[k]][j];
                sum[j] += t->a != TENSOR_B1 ? a * y : t->exclusive ? a ^ y : (a & y);
            }
        }
        for (uint32_t j = 0; j < COLUMNS; j++) { /* products alone never reach 2^31 */
            int64_t all = (int64_t)(int32_t)f->c[i][j] + sum[j];
            if (t->satfinite) all = LW_MIN(LW_MAX(all, INT32_MIN), INT32_MAX);
            f->c[i][j] = (uint32_t)all;
        }
    }
}

/* ---------------------------------------------------------------- f64: fused multiply-adds, k ascending */
static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The first NaN of B, C and A, in this order, is the result, quieted; a new one is negative. */
static double fused(double a, double b, double c)
{
    const double from[3] = {b, c, a};
    for (uint32_t k = 0; k < 3; k++)
        if (from[k] != from[k]) return as_double(double_bits(from[k]) | UINT64_C(1) << 51);
    double value = fma(a, b, c);
    return value != value ? as_double(UINT64_C(0xfff8000000000000)) : value;
}

static void multiply_doubles(const code_tensor *t, fragments *f)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    int before = fegetround();
    fesetround(modes[t->rounding]);
    for (uint32_t i = 0; i < t->m; i++)
        for (uint32_t j = 0; j < COLUMNS; j++) {
            volatile double sum = as_double(f->c[i][j]);
            for (uint32_t k = 0; k < t->k; k++) {
                double a, b;
                memcpy(&a, f->a[i] + 8 * k, sizeof a);
                memcpy(&b, f->b[j] + 8 * k, sizeof b);
                sum = fused(a, b, sum);
            }
            f->c[i][j] = double_bits(sum);
        }
    fesetround(before);
}

/* ---------------------------------------------------------------- floating point */
/* A finite number is value x 2^most, where `most` is the largest exponent of its row or column: so that single precision holds
 * every product that counts exactly, whatever the exponents. Zeros have an exponent below all. */
#define NO_EXPONENT (-20000)
enum {
    MOST_KEPT = 32, /* of floating point, sparse ones included */
    LOW = -80,      /* least exponent of a sum among values at which single precision holds what counts */
    HIGH = 60       /* from here on products vanish beside the accumulator */
};
typedef struct row_terms {
    float value[16][MOST_KEPT]; /* in the order in which they are summed */
    int32_t exponent[16][MOST_KEPT], most[16];
    bool finite[16];
} row_terms;
typedef struct column_terms {
    float value[MOST_SPARSE_K][COLUMNS];
    int32_t exponent[MOST_SPARSE_K][COLUMNS], most[COLUMNS];
} column_terms;

/* exec_tensor_decode() for a whole loop: bits of exponent and fraction, and below it. */
static const struct term_format {
    uint8_t exponent, fraction, unused;
    bool finite; /* the only NaN is all ones */
} term_formats[] = {
    [TENSOR_F16] = {5, 10, 0, false}, [TENSOR_BF16] = {8, 7, 0, false}, [TENSOR_TF32] = {8, 10, 13, false},
    [TENSOR_E4M3] = {4, 3, 0, true},  [TENSOR_E5M2] = {5, 2, 0, false}, [TENSOR_F32] = {8, 23, 0, false}};

/* Elements of a row or column, unpacked. */
static inline void unpack(uint32_t bits, uint32_t count, const uint8_t *row, uint32_t *out)
{
    uint16_t halves[MOST_SPARSE_K];
    if (bits == 16) memcpy(halves, row, 2 * (size_t)count);
    if (bits == 32) memcpy(out, row, 4 * (size_t)count);
    else if (bits == 16)
        for (uint32_t k = 0; k < count; k++) out[k] = halves[k];
    else
        for (uint32_t k = 0; k < count; k++) out[k] = row[k];
}

/* fp8 as f16 has it: what is subnormal in e4m3 is normal. */
static void through_f16(const code_tensor *t, uint8_t type, uint32_t count, const uint32_t *raw, uint32_t *sig,
                        int32_t *exponent)
{
    for (uint32_t k = 0; t->through_f16 && k < count; k++) {
        if (!sig[k]) continue;
        tensor_number n = exec_tensor_through_f16(exec_tensor_decode((code_tensor_type)type, raw[k]));
        sig[k] = (uint32_t)n.sig;
        exponent[k] = n.exponent;
    }
}

/* What a row's or column's values are divided by, as an exponent: nothing, as long as single precision has room. */
static int32_t common_exponent(uint32_t count, const int32_t *exponent)
{
    int32_t highest = NO_EXPONENT;
    for (uint32_t k = 0; k < count; k++) highest = LW_MAX(highest, exponent[k]);
    return highest == NO_EXPONENT || (highest >= LOW / 4 && highest <= 15) ? 0 : highest;
}

/* false: a NaN or an infinity is among them. With constants for count and type the loops become vectors. */
static inline __attribute__((always_inline)) bool decode_terms(const code_tensor *t, uint8_t type, uint32_t count,
                                                               const uint8_t *row, float *value, int32_t *exponent,
                                                               int32_t *most)
{
    const struct term_format *f = &term_formats[type];
    uint32_t raw[MOST_SPARSE_K], sig[MOST_SPARSE_K], all = (1u << f->exponent) - 1, bad = 0;
    uint32_t fractions = (1u << f->fraction) - 1, top = f->fraction + f->exponent;
    int32_t bias = (int32_t)(all >> 1);
    unpack(element_bits(type), count, row, raw);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = raw[k] >> f->unused, fraction = v & fractions, e = v >> f->fraction & all;
        bad |= (uint32_t)(e == all) & (uint32_t)(!f->finite | (fraction == 7));
        sig[k] = fraction | (e ? fractions + 1 : 0);
        exponent[k] = sig[k] ? (int32_t)(e + !e) - bias : NO_EXPONENT;
    }
    through_f16(t, type, count, raw, sig, exponent);
    *most = type == TENSOR_F16 ? 0 : common_exponent(count, exponent); /* of f16's there is always room for all */
    uint32_t bits[MOST_SPARSE_K];
    float scale[MOST_SPARSE_K];
    for (uint32_t k = 0; k < count; k++) { /* 2^n, with the sign; below single precision 0 */
        int32_t n = exponent[k] - *most - f->fraction + 127;
        bits[k] = (uint32_t)LW_MAX(n, 0) << 23 | (raw[k] >> f->unused >> top & 1) << 31;
    }
    memcpy(scale, bits, count * sizeof *scale);
    for (uint32_t k = 0; k < count; k++) value[k] = (float)(int32_t)sig[k] * scale[k];
    return !bad;
}

/* The formats that most programs have, with constants; then the others. */
static bool decode_run(const code_tensor *t, uint8_t type, uint32_t count, const uint8_t *row, float *value,
                       int32_t *exponent, int32_t *most)
{
    static const code_tensor plain;
    if (type == TENSOR_F16 && count == 16) return decode_terms(&plain, TENSOR_F16, 16, row, value, exponent, most);
    if (type == TENSOR_BF16 && count == 16) return decode_terms(&plain, TENSOR_BF16, 16, row, value, exponent, most);
    return decode_terms(t, type, count, row, value, exponent, most);
}

/* One number at a time, whatever they are. */
static uint32_t sum_slowly(const code_tensor *t, const fragments *f, uint32_t i, uint32_t j, const uint16_t *at,
                           const uint16_t *order, uint32_t kept, uint32_t step)
{
    uint32_t bits = element_bits(t->a), c = (uint32_t)f->c[i][j], sum = t->through_f16 ? 0 : c;
    tensor_number p[32];
    for (uint32_t k = 0; k < kept; k += step) {
        for (uint32_t n = 0; n < step; n++) {
            tensor_number a = exec_tensor_decode((code_tensor_type)t->a, element(f->a[i], bits, order[k + n]));
            tensor_number b = exec_tensor_decode((code_tensor_type)t->b, element(f->b[j], bits, at[order[k + n]]));
            if (t->through_f16) a = exec_tensor_through_f16(a), b = exec_tensor_through_f16(b);
            p[n] = exec_tensor_product(a, b);
        }
        sum = exec_tensor_step(t, p, step, sum, true);
    }
    return t->through_f16 ? exec_tensor_add(t, sum, c) : sum;
}

/* Vectors of columns, in the order 0 2 4 6 1 3 5 7: so a row of an accumulator is a run of four lanes of one register and the
 * same of the next. They are passed by address: without AVX their place in calls is no fixed one. */
typedef float columns __attribute__((vector_size(4 * COLUMNS)));
typedef int32_t signed_columns __attribute__((vector_size(4 * COLUMNS)));
typedef double double_columns __attribute__((vector_size(8 * COLUMNS)));
typedef int64_t long_columns __attribute__((vector_size(8 * COLUMNS)));
#define IN_PLACE static inline __attribute__((always_inline))

static uint32_t lane_of_column(uint32_t j) { return j / 2 + (j & 1) * 4; }

/* gcc makes two instructions of what is one. */
IN_PLACE void raise(signed_columns *to, const signed_columns *by)
{
#if defined __AVX2__ && !defined __clang__
    *to = (signed_columns)__builtin_ia32_pmaxsd256((int __attribute__((vector_size(32)))) * by,
                                                   (int __attribute__((vector_size(32)))) * to);
#else
    signed_columns more = *by > *to;
    *to = (*by & more) | (*to & ~more);
#endif
}

static bool any(const signed_columns *v)
{
    int64_t parts[COLUMNS / 2], all = 0;
    memcpy(parts, v, sizeof parts);
    for (uint32_t k = 0; k < LW_COUNT(parts); k++) all |= parts[k];
    return all != 0;
}

/* The accumulators: magnitude, exponent, all ones where negative. bad: a NaN or an infinity. */
typedef struct accumulators {
    signed_columns sig, exponent, sign;
} accumulators;

IN_PLACE void read_accumulators(bool half, const signed_columns *c, accumulators *out, signed_columns *bad)
{
    int fraction = half ? 10 : 23, all = half ? 31 : 255;
    signed_columns v = *c, e = v >> fraction & all, some;
    out->sign = -(v >> (half ? 15 : 31) & 1);
    out->sig = (v & ((1 << fraction) - 1)) | ((e != 0) & (1 << fraction));
    some = out->sig != 0;
    out->exponent = ((e - (e == 0) - (all >> 1)) & some) | (NO_EXPONENT & ~some);
    *bad |= e == all;
}

/* Accumulators as whole multiples of 2^(top - bits), truncated. */
IN_PLACE void align_accumulators(bool half, int bits, const signed_columns *top, accumulators *c)
{
    int fraction = bits - (half ? 10 : 23);
    signed_columns away = *top - c->exponent - LW_MIN(fraction, 0), far = away > 31;
    c->sig = (c->sig << LW_MAX(fraction, 0)) >> ((away & ~far) | (31 & far));
    c->sig = (c->sig ^ c->sign) - c->sign;
}

/* f32 results of sum x 2^(most - bits), truncated; bad: a subnormal. */
IN_PLACE void round_f32(int bits, int keep, const double_columns *sum, const signed_columns *most, signed_columns *c,
                        signed_columns *bad)
{
    long_columns wide = (__builtin_convertvector(*most - bits, long_columns) + 1023) << 52;
    int64_t drop = (int64_t)~((UINT64_C(1) << (52 - keep)) - 1);
    double_columns scale;
    memcpy(&scale, &wide, sizeof scale);
    double_columns exact = *sum * scale;
    memcpy(&wide, &exact, sizeof wide);
    wide &= drop;
    memcpy(&exact, &wide, sizeof exact);
    columns cut = __builtin_convertvector(exact, columns);
    memcpy(c, &cut, sizeof cut);
    *bad |= ((*c & 0x7f800000) == 0) & __builtin_convertvector(*sum != 0, signed_columns);
}

IN_PLACE void round_f16(int bits, const double_columns *sum, const signed_columns *most, signed_columns *c)
{
    for (uint32_t j = 0; j < COLUMNS; j++) {
        double scale = as_double((uint64_t)(int64_t)((*most)[j] - bits + 1023) << 52);
        uint16_t half = lw_half_of_double((*sum)[j] * scale);
        (*c)[j] = half == 0x8000 ? 0 : half;
    }
}

/* What decides how a product is summed; constants where it matters. */
typedef struct sum_rule {
    bool half; /* f16 accumulators */
    bool dense;
    int bits, keep;
    uint32_t step;
} sum_rule;

/* One row of A in a step: values, exponents, what the values are to be multiplied by, which k of B belongs to each. */
typedef struct row_step {
    const float *value;
    const int32_t *exponent;
    int32_t most;
    const uint16_t *at; /* unless dense */
} row_step;

/* One row times all columns, one step of products; c: in and out. bad: columns that must be done slowly. A product's conversion to
 * an integer drops what lies below 2^(top - bits), as a card does; sums of 16 are below 2^31, as products are below 4. */
IN_PLACE void step_row(const sum_rule *s, const row_step *a, const column_terms *b, signed_columns *c,
                       signed_columns *bad)
{
    accumulators add;
    signed_columns none = {0}, products = none + 2 * NO_EXPONENT, sum = none, from, top;
    read_accumulators(s->half, c, &add, bad);
    for (uint32_t k = 0; k < s->step; k++) {
        memcpy(&top, b->exponent[s->dense ? k : a->at[k]], sizeof top);
        top += a->exponent[k];
        raise(&products, &top);
    }
    top = none + (s->half ? -900 : -133);
    raise(&top, &products);
    raise(&top, &add.exponent);
    memcpy(&from, b->most, sizeof from);
    from = top - from - a->most; /* the exponent of the sum among the values */
    signed_columns least = none + LOW, high = none - HIGH;
    *bad |= (from < LOW) & (products > NO_EXPONENT);
    raise(&from, &least);
    from = -from;
    raise(&from, &high);
    columns scale;
    from = (from + s->bits + 127) << 23; /* 2^bits without the exponent */
    memcpy(&scale, &from, sizeof scale);
    for (uint32_t k = 0; k < s->step; k++) {
        columns v;
        memcpy(&v, b->value[s->dense ? k : a->at[k]], sizeof v);
        sum += __builtin_convertvector(v * a->value[k] * scale, signed_columns);
    }
    align_accumulators(s->half, s->bits, &top, &add);
    double_columns total =
        __builtin_convertvector(sum, double_columns) + __builtin_convertvector(add.sig, double_columns);
    if (s->half) round_f16(s->bits, &total, &top, c);
    else round_f32(s->bits, s->keep, &total, &top, c, bad);
}

/* In which order k is summed: ascending; of fp8 first those with k mod 4 in {0, 1}, then the others. */
static uint32_t order_of(const code_tensor *t, uint32_t kept, uint16_t *order)
{
    uint32_t count = 0;
    for (uint32_t half = 0; half < (t->through_f16 ? 2 : 1); half++)
        for (uint32_t k = 0; k < kept; k++)
            if (!t->through_f16 || (k & 2) / 2 == half) order[count++] = (uint16_t)k;
    return LW_MIN(t->step, t->through_f16 ? kept / 2 : kept);
}

/* The rows of A, which several products may share. */
static void decode_rows(const code_tensor *t, const fragments *f, row_terms *out)
{
    uint16_t order[MOST_K];
    uint32_t kept = t->sparse ? t->k / 2u : t->k;
    LW_ASSERT(kept <= MOST_KEPT);
    order_of(t, kept, order);
    for (uint32_t i = 0; i < t->m; i++) {
        out->finite[i] = decode_run(t, t->a, kept, f->a[i], out->value[i], out->exponent[i], &out->most[i]);
        if (!t->through_f16) continue;
        float value[MOST_KEPT];
        int32_t exponent[MOST_KEPT];
        memcpy(value, out->value[i], sizeof value);
        memcpy(exponent, out->exponent[i], sizeof exponent);
        for (uint32_t k = 0; k < kept; k++) {
            out->value[i][k] = value[order[k]];
            out->exponent[i][k] = exponent[order[k]];
        }
    }
}

/* false: one is not finite. */
static bool decode_columns(const code_tensor *t, const fragments *f, column_terms *out)
{
    float value[COLUMNS][MOST_SPARSE_K];
    int32_t exponent[COLUMNS][MOST_SPARSE_K];
    bool finite = true;
    for (uint32_t n = 0; n < COLUMNS; n++) {
        uint32_t j = n < 4 ? 2 * n : 2 * n - 7;
        finite &= decode_run(t, t->b, t->k, f->b[j], value[n], exponent[n], &out->most[n]);
    }
    for (uint32_t k = 0; k < t->k; k++)
        for (uint32_t n = 0; n < COLUMNS; n++) {
            out->value[k][n] = value[n][k];
            out->exponent[k][n] = exponent[n][k];
        }
    return finite;
}

/* Row i of an accumulator, as a vector of columns, written by halves. */
IN_PLACE void load_row(exec_ctx *x, bool half, const code_ref *refs, uint32_t i, signed_columns *out)
{
    uint32_t first = half ? i / 8 : i / 8 * 2, lane = i % 8 * 4;
    uint8_t *to = (uint8_t *)out;
    if (half) {
        uint32_t both[COLUMNS];
        memcpy(both, LANES(uint32_t, refs[first]) + lane, 16);
        for (uint32_t n = 0; n < 4; n++) both[n + 4] = both[n] >> 16, both[n] &= 0xffff;
        memcpy(to, both, sizeof both);
        return;
    }
    memcpy(to, LANES(uint32_t, refs[first]) + lane, 16);
    memcpy(to + 16, LANES(uint32_t, refs[first + 1]) + lane, 16);
}

IN_PLACE void store_row(exec_ctx *x, bool half, const code_ref *refs, uint32_t i, const signed_columns *row)
{
    uint32_t first = half ? i / 8 : i / 8 * 2, lane = i % 8 * 4, both[COLUMNS];
    memcpy(both, row, sizeof both);
    if (half)
        for (uint32_t n = 0; n < 4; n++) both[n] |= both[n + 4] << 16;
    if (refs[first] != CODE_NO_REF) memcpy(LANES(uint32_t, refs[first]) + lane, both, 16);
    if (!half && refs[first + 1] != CODE_NO_REF) memcpy(LANES(uint32_t, refs[first + 1]) + lane, both + 4, 16);
}

/* The product of floats under way: what is summed, and in which registers. */
typedef struct float_product {
    const code_tensor *form;
    fragments *f;
    const row_terms *a;
    const code_ref *c, *d; /* registers of C and D */
    bool from_zero;        /* C does not count */
    bool finite;           /* all of B */
    uint32_t kept;
} float_product;

/* A row, one number at a time. c: what it was */
static void multiply_slowly(const float_product *p, uint32_t i, const signed_columns *c, signed_columns *out)
{
    uint16_t order[MOST_K], all[MOST_K];
    const code_tensor *t = p->form;
    uint32_t step = order_of(t, p->kept, order);
    positions(t, p->f, i, p->kept, all);
    for (uint32_t j = 0; j < COLUMNS; j++) p->f->c[i][j] = (uint32_t)(*c)[lane_of_column(j)];
    for (uint32_t j = 0; j < COLUMNS; j++)
        (*out)[lane_of_column(j)] = (int32_t)sum_slowly(t, p->f, i, j, all, order, p->kept, step);
}

/* Row i by one rule; c: in and out. bad: columns that must be done slowly. */
IN_PLACE void multiply_row(const float_product *p, const sum_rule *s, const column_terms *b, uint32_t i,
                           const uint16_t *order, signed_columns *c, signed_columns *bad)
{
    const code_tensor *t = p->form;
    uint16_t at[MOST_K], turned[MOST_K];
    row_step r = {p->a->value[i], p->a->exponent[i], p->a->most[i], turned};
    signed_columns before = *c;
    if (s->dense) {
        step_row(s, &r, b, c, bad);
        return;
    }
    positions(t, p->f, i, p->kept, at);
    for (uint32_t k = 0; k < p->kept; k++) turned[k] = at[order[k]];
    if (t->through_f16) *c -= *c;
    for (uint32_t k = 0; k < p->kept; k += s->step) {
        step_row(s, &r, b, c, bad);
        r.value += s->step, r.exponent += s->step, r.at += s->step;
    }
    for (uint32_t n = 0; t->through_f16 && n < COLUMNS; n++)
        (*c)[n] = (int32_t)exec_tensor_add(t, (uint32_t)(*c)[n], (uint32_t)before[n]);
}

/* All rows by one rule. Accumulators are loaded and stored for all rows together: a row comes from two registers, and to load it as one
 * vector right after its halves were stored would wait for them. */
IN_PLACE void multiply_rows(exec_ctx *x, const float_product *p, const sum_rule *s, const column_terms *b)
{
    uint32_t rows = p->form->m, slow = 0;
    uint16_t order[MOST_K];
    signed_columns c[16], bad[16], none = {0}, worst = none;
    if (!s->dense) order_of(p->form, p->kept, order);
    for (uint32_t i = 0; i < rows; i++) {
        c[i] = bad[i] = none;
        if (!p->from_zero) load_row(x, s->half, p->c, i, &c[i]);
        slow |= (uint32_t)(!p->finite || !p->a->finite[i]) << i;
    }
    for (uint32_t i = 0; i < rows; i++) {
        multiply_row(p, s, b, i, order, &c[i], &bad[i]);
        worst |= bad[i];
    }
    for (uint32_t i = 0; i < rows && any(&worst); i++) slow |= (uint32_t)any(&bad[i]) << i;
    for (uint32_t m = slow; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        signed_columns before = none;
        if (!p->from_zero) load_row(x, s->half, p->c, i, &before);
        multiply_slowly(p, i, &before, &c[i]);
    }
    for (uint32_t i = 0; i < rows; i++) store_row(x, s->half, p->d, i, &c[i]);
}

/* D = A B + C for eight columns. What most programs do has its rule as constants. */
static void multiply_floats(exec_ctx *x, float_product *p)
{
    const code_tensor *t = p->form;
    column_terms b;
    uint16_t order[MOST_K];
    p->kept = t->sparse ? t->k / 2u : t->k;
    sum_rule rule = {t->c == TENSOR_F16, false, t->bits, t->keep, order_of(t, p->kept, order)};
    p->finite = decode_columns(t, p->f, &b);
    bool whole = !t->sparse && rule.step == p->kept && !t->through_f16 && t->bits == 25 && t->keep == 23;
    if (whole && rule.step == 16 && !rule.half) multiply_rows(x, p, &(sum_rule){false, true, 25, 23, 16}, &b);
    else if (whole && rule.step == 16) multiply_rows(x, p, &(sum_rule){true, true, 25, 23, 16}, &b);
    else if (whole && rule.step == 8 && !rule.half) multiply_rows(x, p, &(sum_rule){false, true, 25, 23, 8}, &b);
    else multiply_rows(x, p, &rule, &b);
}

/* ---------------------------------------------------------------- m8n8k4 of f16: four products, and a way of its own */
static float widen(uint32_t bits) { return lw_float_of_half((uint16_t)bits); }

static uint32_t chain_of_four(const code_tensor *t, const float *a, const float *b, uint32_t c)
{
    float sum, add;
    if (t->c == TENSOR_F32) {
        uint32_t bits;
        sum = 0;
        for (uint32_t k = 0; k < 4; k++) sum = fmaf(a[k], b[k], sum);
        memcpy(&add, &c, sizeof add);
        sum += add;
        memcpy(&bits, &sum, sizeof bits);
        return sum != sum ? 0x7fffffff : bits;
    }
    float low = fmaf(a[1], b[1], a[0] * b[0]);
    sum = (low + widen(c)) + fmaf(a[3], b[3], a[2] * b[2]);
    return sum != sum ? 0x7fff : lw_half_of_float(sum);
}

/* Element i of a lane's four of A or B. */
static float half_of(exec_ctx *x, const code_ref *refs, uint32_t lane, uint32_t i)
{
    return widen(LANES(uint32_t, refs[i / 2])[lane] >> 16 * (i & 1));
}

/* The lanes 4p..4p+3 and 16+4p..16+4p+3 hold product p. h: upper half of the warp, q: lane in its four. */
static void multiply_quads(exec_ctx *x, const code_tensor *t, const code_list *l)
{
    const code_ref *d = l->ref, *ra = d + t->registers_c, *rb = ra + 2, *rc = rb + 2;
    for (uint32_t p = 0; p < 4; p++) {
        float a[8][4], b[8][4];
        uint32_t out[32][8];
        for (uint32_t n = 0; n < 8; n++) {
            uint32_t q = n & 3, h = n >> 2, lane = 16 * h + 4 * p + q;
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t row = t->column_a ? i + 4 * h : q + 4 * h, k = t->column_a ? q : i;
                a[row][k] = half_of(x, ra, lane, i);
                uint32_t column = t->row_b ? i + 4 * h : q + 4 * h, kb = t->row_b ? q : i;
                b[column][kb] = half_of(x, rb, lane, i);
            }
        }
        for (uint32_t n = 0; n < 8; n++) {
            uint32_t q = n & 3, h = n >> 2, lane = 16 * h + 4 * p + q;
            for (uint32_t i = 0; i < 8; i++) {
                bool wide = t->c == TENSOR_F32;
                uint32_t row = wide ? (lane & 1) + (i & 2) + 4 * h : q + 4 * h;
                uint32_t column = wide ? (i & 4) + (lane & 2) + (i & 1) : i;
                uint32_t c =
                    wide ? LANES(uint32_t, rc[i])[lane] : LANES(uint32_t, rc[i / 2])[lane] >> 16 * (i & 1) & 0xffff;
                out[n][i] = chain_of_four(t, a[row], b[column], c);
            }
        }
        for (uint32_t n = 0; n < 8; n++) {
            uint32_t lane = 16 * (n >> 2) + 4 * p + (n & 3);
            for (uint32_t r = 0; r < t->registers_c; r++) {
                if (d[r] == CODE_NO_REF) continue;
                LANES(uint32_t, d[r])[lane] = t->c == TENSOR_F32 ? out[n][r] : out[n][2 * r] | out[n][2 * r + 1] << 16;
            }
        }
    }
}

/* ---------------------------------------------------------------- the instruction */
static void run_product(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_tensor *t = i->tensor.form;
    const code_list *l = i->tensor.list;
    uint32_t lanes;
    if (!exec_warpsync_ready(x, i, UINT32_MAX, mask, &lanes)) return;
    exec_emit_warp_sync(x, i, lanes);
    if (t->m == 8 && t->k == 4 && t->a == TENSOR_F16) {
        multiply_quads(x, t, l);
        return;
    }
    fragments f;
    const code_ref *a = l->ref + t->registers_c, *b = a + t->registers_a, *c = b + t->registers_b;
    uint32_t bytes = t->a == TENSOR_F64 ? 8 : 4;
    gather_rows(x, a, t->registers_a, t->m / 8, bytes, f.a);
    gather_rows(x, b, t->registers_b, 1, bytes, f.b);
    if (t->sparse) memcpy(f.metadata, LANES(uint32_t, c[t->registers_c]), sizeof f.metadata);
    if (t->c != TENSOR_F64 && t->c != TENSOR_S32) {
        row_terms rows;
        float_product p = {.form = t, .f = &f, .a = &rows, .c = c, .d = l->ref};
        decode_rows(t, &f, &rows);
        multiply_floats(x, &p);
        return;
    }
    gather_c(x, t, c, &f);
    if (t->c == TENSOR_F64) multiply_doubles(t, &f);
    else multiply_integers(t, &f);
    scatter_d(x, t, l->ref, &f);
}

/* ---------------------------------------------------------------- wgmma */
static void negate(const code_tensor *t, uint32_t count, uint8_t rows[][128])
{
    uint32_t bytes = element_bits(t->a) / 8;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t k = bytes - 1; k < 32; k += bytes) rows[r][k] ^= 0x80;
}

/* The operands of a warp: its rows, or those of A that lie in shared memory; of B as the descriptor says. */
typedef struct group_operands {
    exec_shared_matrix a, b;
    uint32_t number; /* of the asynchronous operation */
    exec_product_unknown unknown;
} group_operands;

static void open_operands(exec_ctx *x, const code_insn *i, group_operands *o)
{
    const code_tensor *t = i->tensor.form;
    const code_ref *a = i->tensor.list->ref + t->registers_c, *b = a + t->registers_a;
    o->unknown = (exec_product_unknown){.any = false};
    exec_shared_matrix_open(x, *b, t->row_b, &o->b);
    if (t->shared_a) exec_shared_matrix_open(x, *a, t->column_a, &o->a);
}

/* A warp reads its own rows of A; B is read for all four. */
static void tell_operands(exec_ctx *x, const code_insn *i, group_operands *o)
{
    const code_tensor *t = i->tensor.form;
    uint32_t quarter = x->warp->index % 4;
    x->lanes_on[i->site] += 32;
    if (!exec_wants_access(x, i)) return;
    exec_matrix_reading r = {.matrix = &o->a, .first = quarter * 16, .count = 16, .async = o->number, .counted = true};
    if (t->shared_a) exec_shared_matrix_tell(x, i, &r, &o->unknown);
    r = (exec_matrix_reading){
        .matrix = &o->b, .async = o->number, .is_b = true, .part = t->shared_a, .counted = !quarter};
    for (; r.first < t->columns; r.first += 16) {
        r.count = LW_MIN(16u, t->columns - r.first);
        for (r.deep = 0; r.deep < 1u + t->sparse; r.deep++) {
            exec_shared_matrix_tell(x, i, &r, &o->unknown);
            r.part = true;
        }
    }
}

/* The 16 rows of this warp, eight columns at a time. false: a fault */
static bool multiply_group(exec_ctx *x, const code_insn *i, const group_operands *o)
{
    const code_tensor *t = i->tensor.form;
    const code_ref *d = i->tensor.list->ref, *a = d + t->registers_c, *c = a + t->registers_a + 1;
    uint32_t each = t->c == TENSOR_F16 ? 2 : 4;
    bool anew = !(PREDICATE(i->c) & 1);
    fragments f;
    if (t->sparse) memcpy(f.metadata, LANES(uint32_t, c[t->registers_c]), sizeof f.metadata);
    if (!t->shared_a) gather_rows(x, a, 4, 2, 4, f.a);
    else if (!exec_shared_matrix_read(x, i, &o->a, x->warp->index % 4 * 16, 16, 1, f.a)) return false;
    if (t->negate_a != t->negate_b) negate(t, 16, f.a);
    row_terms rows;
    if (t->c != TENSOR_S32) decode_rows(t, &f, &rows);
    for (uint32_t j = 0; j < t->columns / 8u; j++) {
        if (!exec_shared_matrix_read(x, i, &o->b, 8 * j, 8, 1u + t->sparse, f.b)) return false;
        if (t->c != TENSOR_S32) {
            float_product p = {.form = t, .f = &f, .a = &rows, .c = c + each * j, .d = d + each * j, .from_zero = anew};
            multiply_floats(x, &p);
            continue;
        }
        gather_c(x, t, c + each * j, &f);
        if (anew) memset(f.c, 0, sizeof f.c);
        multiply_integers(t, &f);
        scatter_d(x, t, d + each * j, &f);
    }
    return true;
}

static void run_group_product(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    group_operands o;
    uint32_t lanes;
    if (!exec_warpsync_ready(x, i, UINT32_MAX, mask, &lanes)) return;
    exec_emit_warp_sync(x, i, lanes);
    if ((x->warp->index | 3) >= x->block->warp_count) {
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code",
                  "wgmma: the warpgroup has fewer than four warps");
        return;
    }
    x->warp->products = FULL_MASK;
    open_operands(x, i, &o);
    if (!multiply_group(x, i, &o)) return;
    o.number = exec_groups_issue(x, i, FULL_MASK, 0);
    tell_operands(x, i, &o);
    if (o.unknown.any) exec_undefined_of_operands(x, i, &o.unknown);
}

const exec_run_entry ISA(exec_rows_tensor)[] = {{OP_mma, run_product}, {OP_wgmma, run_group_product}, {0, NULL}};
