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
#include "exec/tensor_terms.inl"

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

IN_PLACE void round_f16(int bits, const signed_columns *sum, const signed_columns *add, const signed_columns *most,
                        signed_columns *c)
{
    for (uint32_t j = 0; j < COLUMNS; j++) {
        double scale = as_double((uint64_t)(int64_t)((*most)[j] - bits + 1023) << 52);
        uint16_t half = lw_half_of_double(((double)(*sum)[j] + (*add)[j]) * scale);
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

/* f32 results of (sum + add) x 2^(top - bits), truncated; bad: what is no normal number, or too large a sum. */
IN_PLACE void round_f32(const sum_rule *s, const signed_columns *sum, const signed_columns *add,
                        const signed_columns *top, signed_columns *c, signed_columns *bad)
{
    signed_columns all = *sum + *add, sign = all >> 31, magnitude = (all ^ sign) - sign, bits, zero = magnitude == 0;
    signed_columns over = ((*sum ^ all) & (*add ^ all)) | (magnitude + 64); /* from 2^31 - 64 on it rounds to 2^31 */
    columns near = __builtin_convertvector(magnitude, columns);             /* to the nearest: perhaps one too high */
    memcpy(&bits, &near, sizeof bits);
    bits += __builtin_convertvector(near, signed_columns) > magnitude;
    bits &= ~((1 << (23 - s->keep)) - 1);
    bits += (*top - s->bits) << 23;
    signed_columns normal = ((bits - 0x00800000) ^ INT32_MIN) < (0x7f000000 ^ INT32_MIN); /* as if without a sign */
    *bad |= (~normal & ~zero) | over >> 31;
    *c = (bits | (sign & INT32_MIN)) & ~zero;
}

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
    if (s->half) round_f16(s->bits, &sum, &add.sig, &top, c);
    else round_f32(s, &sum, &add.sig, &top, c, bad);
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

/* Element i of what a lane has of C; row, column: where it lies. */
static uint32_t addend_of(exec_ctx *x, const code_tensor *t, const code_ref *rc, uint32_t lane, uint32_t i,
                          uint32_t row, uint32_t column)
{
    if (t->half_c) {
        uint32_t holder = 16 * (row >> 2) + (lane & 12) + (row & 3), bits;
        float value = widen(LANES(uint32_t, rc[column])[holder] >> 16 * (column & 1) & 0xffff);
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (t->c == TENSOR_F32) return LANES(uint32_t, rc[i])[lane];
    return LANES(uint32_t, rc[i / 2])[lane] >> 16 * (i & 1) & 0xffff;
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
                uint32_t c = addend_of(x, t, rc, lane, i, row, column);
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
