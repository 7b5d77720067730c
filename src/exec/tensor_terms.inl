/* tensor_terms.inl: inside lanes_tensor.c: rows of A and columns of B as numbers that can be multiplied and added eight at a time. */

/* Vectors of columns, in the order 0 2 4 6 1 3 5 7: so a row of an accumulator is a run of four lanes of one register and the
 * same of the next. They are passed by address: without AVX their place in calls is no fixed one. */
typedef float columns __attribute__((vector_size(4 * COLUMNS)));
typedef int32_t signed_columns __attribute__((vector_size(4 * COLUMNS)));
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

/* ---------------------------------------------------------------- rows and columns of 16 halves, eight numbers at a time */
enum { HALVES = 16 };

/* Exponents as exec_tensor_decode() has them; bad: of a NaN or an infinity. */
IN_PLACE void exponents_of(uint32_t type, const signed_columns *raw, signed_columns *exponent, signed_columns *bad)
{
    int fraction = type == TENSOR_F16 ? 10 : 7, all = type == TENSOR_F16 ? 31 : 255;
    signed_columns e = *raw >> fraction & all, some = (*raw & 0x7fff) != 0;
    *bad |= e == all;
    *exponent = ((e - (e == 0) - (all >> 1)) & some) | (NO_EXPONENT & ~some);
}

/* The numbers themselves, of which single precision has all. */
IN_PLACE void widen_halves(uint32_t type, const signed_columns *raw, columns *out)
{
    signed_columns bits = *raw << 16, power = (*raw & 0) + ((127 + 112) << 23);
    columns up;
    if (type == TENSOR_F16) bits = (bits & INT32_MIN) | (*raw & 0x7fff) << 13; /* 2^112 too small, subnormals as well */
    memcpy(out, &bits, sizeof bits);
    memcpy(&up, &power, sizeof up);
    if (type == TENSOR_F16) *out *= up;
}

/* false: one is not finite, or needs a common exponent. */
IN_PLACE bool decode_half_rows(uint32_t type, const fragments *f, row_terms *out)
{
    signed_columns bad = {0}, none = bad + NO_EXPONENT;
    for (uint32_t i = 0; i < 16; i++) {
        signed_columns most = none;
        for (uint32_t k = 0; k < HALVES; k += COLUMNS) {
            uint16_t halves[COLUMNS];
            int32_t wide[COLUMNS];
            signed_columns raw, exponent;
            memcpy(halves, f->a[i] + 2 * k, sizeof halves);
            for (uint32_t n = 0; n < COLUMNS; n++) wide[n] = halves[n];
            memcpy(&raw, wide, sizeof raw);
            exponents_of(type, &raw, &exponent, &bad);
            columns value;
            widen_halves(type, &raw, &value);
            memcpy(&out->exponent[i][k], &exponent, sizeof exponent);
            memcpy(&out->value[i][k], &value, sizeof value);
            raise(&most, &exponent);
        }
        if (type == TENSOR_BF16) {
            signed_columns high = most > 15, enough = most >= LOW / 4, some = most != NO_EXPONENT;
            bad |= high;
            if (!any(&enough) && any(&some)) return false;
        }
        out->most[i] = 0;
        out->finite[i] = true;
    }
    return !any(&bad);
}

#if defined __clang__
#define SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define SHUFFLE(x, y, ...) __builtin_shuffle(x, y, (signed_columns){__VA_ARGS__})
#endif

/* Words 4r..4r+3 of all columns, each of which is a vector then. */
IN_PLACE void turn_columns(const fragments *f, uint32_t r, signed_columns out[4])
{
    signed_columns pair[4], low[2], high[2];
    for (uint32_t q = 0; q < 4; q++) {
        memcpy(&pair[q], f->b[2 * q] + 16 * r, 16);
        memcpy((uint8_t *)&pair[q] + 16, f->b[2 * q + 1] + 16 * r, 16);
    }
    for (uint32_t h = 0; h < 2; h++) { /* within 16 bytes: what unpck does */
        low[h] = SHUFFLE(pair[2 * h], pair[2 * h + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        high[h] = SHUFFLE(pair[2 * h], pair[2 * h + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    out[0] = SHUFFLE(low[0], low[1], 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SHUFFLE(low[0], low[1], 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = SHUFFLE(high[0], high[1], 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = SHUFFLE(high[0], high[1], 2, 3, 10, 11, 6, 7, 14, 15);
}

/* false: as decode_half_rows() */
IN_PLACE bool decode_half_columns(uint32_t type, const fragments *f, column_terms *out)
{
    signed_columns bad = {0}, most = bad + NO_EXPONENT;
    for (uint32_t r = 0; r < 2; r++) {
        signed_columns words[4];
        turn_columns(f, r, words);
        for (uint32_t k = 0; k < 8; k++) {
            signed_columns raw = k & 1 ? words[k / 2] >> 16 & 0xffff : words[k / 2] & 0xffff, exponent;
            columns value;
            exponents_of(type, &raw, &exponent, &bad);
            widen_halves(type, &raw, &value);
            memcpy(out->exponent[8 * r + k], &exponent, sizeof exponent);
            memcpy(out->value[8 * r + k], &value, sizeof value);
            raise(&most, &exponent);
        }
    }
    memset(out->most, 0, sizeof out->most);
    if (type == TENSOR_BF16) bad |= (most > 15) | ((most < LOW / 4) & (most != NO_EXPONENT));
    return !any(&bad);
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
    if (kept == HALVES && t->a == TENSOR_F16 && decode_half_rows(TENSOR_F16, f, out)) return;
    if (kept == HALVES && t->a == TENSOR_BF16 && decode_half_rows(TENSOR_BF16, f, out)) return;
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
    if (t->k == HALVES && t->b == TENSOR_F16 && decode_half_columns(TENSOR_F16, f, out)) return true;
    if (t->k == HALVES && t->b == TENSOR_BF16 && decode_half_columns(TENSOR_BF16, f, out)) return true;
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
