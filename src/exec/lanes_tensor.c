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
/* Finite terms as numbers of one shape: magnitude x 2^(exponent - fraction); zeros have an exponent below all. */
#define NO_EXPONENT (-20000)
typedef struct terms {
    uint32_t sig;
    int32_t exponent;
    uint32_t sign; /* all ones: negative */
} terms;

enum { MOST_KEPT = 32 }; /* of floating point, sparse ones included */
typedef struct row_terms {
    terms a[16][MOST_KEPT]; /* in the order in which they are summed */
    bool finite[16];
} row_terms;
typedef struct column_terms {
    uint32_t sig[MOST_K][COLUMNS];
    int32_t exponent[MOST_K][COLUMNS];
    uint32_t sign[MOST_K][COLUMNS];
} column_terms;

/* exec_tensor_decode() for a whole loop: bits of exponent and fraction, and below it. */
static const struct term_format {
    uint8_t exponent, fraction, unused;
    bool finite; /* the only NaN is all ones */
} term_formats[] = {
    [TENSOR_F16] = {5, 10, 0, false}, [TENSOR_BF16] = {8, 7, 0, false}, [TENSOR_TF32] = {8, 10, 13, false},
    [TENSOR_E4M3] = {4, 3, 0, true},  [TENSOR_E5M2] = {5, 2, 0, false}, [TENSOR_F32] = {8, 23, 0, false}};

/* false: a NaN or an infinity. */
static inline bool term_of(const code_tensor *t, uint8_t type, uint32_t bits, terms *out)
{
    const struct term_format *f = &term_formats[type];
    uint32_t all = (1u << f->exponent) - 1, v = bits >> f->unused;
    uint32_t fraction = v & ((1u << f->fraction) - 1), exponent = v >> f->fraction & all;
    out->sig = fraction | (uint32_t)(exponent != 0) << f->fraction;
    out->exponent = out->sig ? (int32_t)(exponent + !exponent) - (int32_t)(all >> 1) : NO_EXPONENT;
    out->sign = 0u - (v >> (f->fraction + f->exponent) & 1);
    if (t->through_f16 && out->sig) {
        tensor_number n = exec_tensor_through_f16(exec_tensor_decode((code_tensor_type)type, bits));
        out->sig = (uint32_t)n.sig;
        out->exponent = n.exponent;
    }
    return exponent != all || (f->finite && fraction != 7);
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

/* f32 results of sum x 2^(most - bits), truncated; false: a subnormal is among them. */
static bool round_f32(const code_tensor *t, const int64_t *sum, const int32_t *most, uint32_t *out)
{
    uint64_t drop = ~((UINT64_C(1) << (52 - t->keep)) - 1);
    bool small = false;
    for (uint32_t j = 0; j < COLUMNS; j++) {
        double scale = as_double((uint64_t)(int64_t)(most[j] - t->bits + 1023) << 52);
        double exact = (double)sum[j] * scale;
        float cut = (float)as_double(double_bits(exact) & drop);
        small |= exact != 0 && fabs(exact) < 0x1p-126;
        memcpy(&out[j], &cut, sizeof cut);
    }
    return !small;
}

typedef uint32_t columns __attribute__((vector_size(4 * COLUMNS)));
typedef int32_t signed_columns __attribute__((vector_size(4 * COLUMNS)));

/* One row times all columns, one step of products order[0..step); c: in and out. false: it must be done slowly. */
static bool step_row(const code_tensor *t, const terms *a, const column_terms *b, const uint16_t *at, uint32_t step,
                     int32_t fraction, uint32_t *c)
{
    int32_t most[COLUMNS];
    uint32_t up[COLUMNS], down[COLUMNS], sig_c[COLUMNS], sign_c[COLUMNS];
    int32_t exponent_c[COLUMNS], shift_c = t->bits - (t->c == TENSOR_F16 ? 10 : 23), beyond = LW_MAX(-shift_c, 0);
    for (uint32_t j = 0; j < COLUMNS; j++) {
        terms n;
        if (!term_of(&(code_tensor){0}, t->c, c[j], &n)) return false;
        sig_c[j] = n.sig << LW_MAX(shift_c, 0);
        exponent_c[j] = n.exponent;
        sign_c[j] = n.sign;
        most[j] = LW_MAX(t->c == TENSOR_F16 ? -900 : -133, n.exponent);
    }
    /* a vector of columns: compilers unroll loops of eight instead of using vectors */
    signed_columns top, e[32];
    columns raised = {0}, lowered = {0};
    memcpy(&top, most, sizeof top);
    for (uint32_t k = 0; k < step; k++) {
        memcpy(&e[k], b->exponent[at[k]], sizeof e[k]);
        e[k] += a[k].exponent;
        signed_columns higher = e[k] > top;
        top = (e[k] & higher) | (top & ~higher);
    }
    memcpy(most, &top, sizeof top);
    int32_t shift = t->bits - fraction;
    for (uint32_t k = 0; k < step; k++) {
        columns v, sign;
        signed_columns away = top - e[k], far = away > 31;
        memcpy(&v, b->sig[at[k]], sizeof v);
        memcpy(&sign, b->sign[at[k]], sizeof sign);
        v = (v * a[k].sig << shift) >> (columns)((away & ~far) | (far & 31));
        sign ^= a[k].sign;
        raised += v & ~sign;
        lowered += v & sign;
    }
    memcpy(up, &raised, sizeof up);
    memcpy(down, &lowered, sizeof down);
    int64_t sum[COLUMNS];
    for (uint32_t j = 0; j < COLUMNS; j++) {
        uint32_t v = sig_c[j] >> LW_MIN((uint32_t)(most[j] - exponent_c[j] + beyond), 31u);
        sum[j] = (int64_t)up[j] + (v & ~sign_c[j]) - (int64_t)down[j] - (v & sign_c[j]);
    }
    if (t->c == TENSOR_F32) return round_f32(t, sum, most, c);
    for (uint32_t j = 0; j < COLUMNS; j++) {
        double scale = as_double((uint64_t)(int64_t)(most[j] - t->bits + 1023) << 52);
        uint16_t out = lw_half_of_double((double)sum[j] * scale);
        c[j] = out == 0x8000 ? 0 : out;
    }
    return true;
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
    uint32_t bits = element_bits(t->a), kept = t->sparse ? t->k / 2u : t->k;
    LW_ASSERT(kept <= MOST_KEPT);
    order_of(t, kept, order);
    for (uint32_t i = 0; i < t->m; i++) {
        out->finite[i] = true;
        for (uint32_t k = 0; k < kept; k++)
            out->finite[i] &= term_of(t, t->a, element(f->a[i], bits, order[k]), &out->a[i][k]);
    }
}

static void multiply_floats(const code_tensor *t, fragments *f, const row_terms *a)
{
    column_terms b;
    uint16_t order[MOST_K], at[MOST_K], turned[MOST_K];
    uint32_t bits = element_bits(t->a), kept = t->sparse ? t->k / 2u : t->k, step = order_of(t, kept, order);
    int32_t fraction = t->a == TENSOR_BF16 ? 14
                       : bits >= 16        ? 20
                                           : (t->a == TENSOR_E4M3 ? 3 : 2) + (t->b == TENSOR_E4M3 ? 3 : 2);
    bool finite = true;
    for (uint32_t k = 0; k < t->k; k++)
        for (uint32_t j = 0; j < COLUMNS; j++) {
            terms n;
            finite &= term_of(t, t->b, element(f->b[j], bits, k), &n);
            b.sig[k][j] = n.sig;
            b.exponent[k][j] = n.exponent;
            b.sign[k][j] = n.sign;
        }
    for (uint32_t i = 0; i < t->m; i++) {
        uint32_t c[COLUMNS];
        bool fast = finite && a->finite[i];
        positions(t, f, i, kept, at);
        for (uint32_t k = 0; k < kept; k++) turned[k] = at[order[k]];
        for (uint32_t j = 0; j < COLUMNS; j++) c[j] = t->through_f16 ? 0 : (uint32_t)f->c[i][j];
        for (uint32_t k = 0; fast && k < kept; k += step)
            fast = step_row(t, a->a[i] + k, &b, turned + k, step, fraction, c);
        for (uint32_t j = 0; j < COLUMNS; j++) {
            if (!fast) f->c[i][j] = sum_slowly(t, f, i, j, at, order, kept, step);
            else f->c[i][j] = t->through_f16 ? exec_tensor_add(t, c[j], (uint32_t)f->c[i][j]) : c[j];
        }
    }
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
    gather_c(x, t, c, &f);
    if (t->sparse) memcpy(f.metadata, LANES(uint32_t, c[t->registers_c]), sizeof f.metadata);
    if (t->c == TENSOR_F64) multiply_doubles(t, &f);
    else if (t->c == TENSOR_S32) multiply_integers(t, &f);
    else {
        row_terms rows;
        decode_rows(t, &f, &rows);
        multiply_floats(t, &f, &rows);
    }
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
        exec_shared_matrix_tell(x, i, &r, &o->unknown);
        r.part = true;
    }
}

/* The 16 rows of this warp, eight columns at a time. false: a fault */
static bool multiply_group(exec_ctx *x, const code_insn *i, const group_operands *o)
{
    const code_tensor *t = i->tensor.form;
    const code_ref *d = i->tensor.list->ref, *a = d + t->registers_c, *c = a + t->registers_a + 1;
    uint32_t each = t->c == TENSOR_F16 ? 2 : 4;
    fragments f;
    if (!t->shared_a) gather_rows(x, a, 4, 2, 4, f.a);
    else if (!exec_shared_matrix_read(x, i, &o->a, x->warp->index % 4 * 16, 16, f.a)) return false;
    if (t->negate_a != t->negate_b) negate(t, 16, f.a);
    row_terms rows;
    if (t->c != TENSOR_S32) decode_rows(t, &f, &rows);
    for (uint32_t j = 0; j < t->columns / 8u; j++) {
        if (!exec_shared_matrix_read(x, i, &o->b, 8 * j, 8, f.b)) return false;
        gather_c(x, t, c + each * j, &f);
        if (!(PREDICATE(i->c) & 1)) memset(f.c, 0, sizeof f.c);
        if (t->c == TENSOR_S32) multiply_integers(t, &f);
        else multiply_floats(t, &f, &rows);
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
