/* Compares the recorded results with a model of the tensor cores in integers: each step sums its products and the accumulator
 * exactly, after each was truncated to a multiple of 2^(M - F), where M is the largest exponent among them; the sum is
 * truncated (f32) or rounded to even (f16). Integer operations are exact.
 *
 *   gcc -O2 check_tensor.c -o check_tensor -lm
 *   check_tensor FOLDER [held]    FOLDER: results.csv, hashes.bin, samples.bin; only sets that are not held out, without `held`
 */
#include "operands.h"
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct number {
    int class; /* 0 zero, 1 finite, 2 infinity, 3 NaN */
    int sign;
    int exponent; /* of the bit `fraction` of sig */
    uint64_t sig;
    int fraction; /* how many bits of sig are behind the point */
};

static struct number decode(int type, uint64_t bits)
{
    struct tensor_format f = tensor_format_of(type);
    struct number n = {1, 0, 0, 0, f.fraction};
    int bias = (1 << (f.exponent - 1)) - 1;
    bits >>= f.unused;
    uint64_t frac = bits & (((uint64_t)1 << f.fraction) - 1);
    int ex = (int)(bits >> f.fraction & ((1u << f.exponent) - 1));
    n.sign = (int)(bits >> (f.fraction + f.exponent)) & 1;
    if (ex == (1 << f.exponent) - 1 && (!f.finite || frac == 7)) {
        n.class = frac ? 3 : 2;
        return n;
    }
    n.exponent = (ex ? ex : 1) - bias;
    n.sig = frac | (ex ? (uint64_t)1 << f.fraction : 0);
    n.class = n.sig ? 1 : 0;
    return n;
}

static struct number multiply(struct number a, struct number b)
{
    struct number p = {1, a.sign ^ b.sign, a.exponent + b.exponent, a.sig * b.sig, a.fraction + b.fraction};
    if (a.class == 3 || b.class == 3 || (a.class == 2 && b.class == 0) || (a.class == 0 && b.class == 2)) p.class = 3;
    else if (a.class == 2 || b.class == 2) p.class = 2;
    else if (a.class == 0 || b.class == 0) p.class = 0;
    return p;
}

/* fp8 that was converted to f16: what was subnormal is normal, above 2^-14. */
static struct number through_f16(struct number n)
{
    while (n.class == 1 && !(n.sig >> n.fraction) && n.exponent > -14) {
        n.sig <<= 1;
        n.exponent--;
    }
    return n;
}

/* magnitude `sum` x 2^unit to the bits of a format: truncated or rounded to even; keep: fraction bits that are kept. */
static uint32_t encode(int type, int sign, uint64_t sum, int unit, int keep, int nearest)
{
    struct tensor_format f = tensor_format_of(type);
    int bias = (1 << (f.exponent - 1)) - 1, top = 63;
    uint32_t s = (uint32_t)sign << (f.exponent + f.fraction);
    if (!sum) return 0;
    while (!(sum >> top)) top--;
    int exponent = top + unit;
    if (exponent < 1 - bias) exponent = 1 - bias;
    int drop = exponent - keep - unit; /* bits below the last kept one */
    uint64_t m;
    if (drop <= 0) {
        m = sum << -drop;
    } else if (drop > 63) {
        m = 0;
    } else {
        m = sum >> drop;
        uint64_t rest = sum & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
        if (nearest && (rest > half || (rest == half && (m & 1)))) m++;
    }
    if (m >> (keep + 1)) {
        m >>= 1;
        exponent++;
    }
    if (!m) return 0; /* what rounds to zero is +0, also below it */
    m <<= f.fraction - keep;
    if (exponent > bias) return s | ((1u << f.exponent) - 1) << f.fraction;
    if (!(m >> f.fraction)) return s | (uint32_t)m;
    return s | (uint32_t)((uint64_t)(exponent + bias) << f.fraction | (m & (((uint64_t)1 << f.fraction) - 1)));
}

struct rule {
    int step;       /* products a step */
    int bits;       /* F */
    int keep;       /* fraction bits of an f32 result */
    int emulated;   /* fp8 through f16: k mod 4 in {0, 1}, then {2, 3}, then C is added */
    int zero_floor; /* exponent that zero terms have in the maximum, or -100000 */
};
static struct rule rule;

static uint32_t one_step(int type, const struct number *p, int count, uint32_t c, int no_c)
{
    struct number add = decode(type, c);
    int most = rule.zero_floor, nan = 0, inf[2] = {0, 0};
    for (int k = -1; k < count; k++) {
        const struct number *t = k < 0 ? &add : &p[k];
        if (k < 0 && no_c) continue;
        if (t->class == 3) nan = 1;
        else if (t->class == 2) inf[t->sign] = 1;
        else if (t->class == 1 && t->exponent > most) most = t->exponent;
    }
    if (nan || (inf[0] && inf[1])) return type == T_F16 ? 0x7fff : 0x7fffffff;
    if (inf[0] || inf[1])
        return (type == T_F16 ? 0x7c00u : 0x7f800000u) | (uint32_t)inf[1] << (type == T_F16 ? 15 : 31);
    int64_t sum = 0;
    for (int k = -1; k < count; k++) {
        const struct number *t = k < 0 ? &add : &p[k];
        if ((k < 0 && no_c) || t->class == 0) continue;
        int shift = rule.bits - t->fraction - (most - t->exponent);
        uint64_t v = shift >= 0 ? t->sig << shift : shift < -63 ? 0 : t->sig >> -shift;
        sum += t->sign ? -(int64_t)v : (int64_t)v;
    }
    return encode(type, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), most - rule.bits, type == T_F16 ? 10 : rule.keep,
                  type == T_F16);
}

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static uint32_t add_rounded(int type, uint32_t a, uint32_t b)
{
    if (type == T_F32) {
        float s = as_float(a) + as_float(b);
        uint32_t bits;
        memcpy(&bits, &s, 4);
        return s != s ? 0x7fffffff : bits;
    }
    _Float16 x, y;
    uint16_t ha = (uint16_t)a, hb = (uint16_t)b;
    memcpy(&x, &ha, 2);
    memcpy(&y, &hb, 2);
    _Float16 s = x + y;
    memcpy(&ha, &s, 2);
    return s != s ? 0x7fff : ha;
}

struct operation {
    int id, m, n, k, type_a, type_b, type_c;
    const char *name, *family;
};
static const struct operation table[] = {
#define OP(id, name, m, n, k, ta, tb, tc, family, na, nb, nc, text, tail) {id, m, n, k, ta, tb, tc, name, #family},
#include "operations.def"
#undef OP
    {170, 16, 16, 16, T_F16, T_F16, T_F32, "wmma", "WMMA"},   {171, 32, 8, 16, T_F16, T_F16, T_F32, "wmma", "WMMA"},
    {172, 8, 32, 16, T_F16, T_F16, T_F32, "wmma", "WMMA"},    {173, 16, 16, 16, T_F16, T_F16, T_F16, "wmma", "WMMA"},
    {174, 32, 8, 16, T_F16, T_F16, T_F16, "wmma", "WMMA"},    {175, 8, 32, 16, T_F16, T_F16, T_F16, "wmma", "WMMA"},
    {176, 16, 16, 16, T_BF16, T_BF16, T_F32, "wmma", "WMMA"}, {177, 32, 8, 16, T_BF16, T_BF16, T_F32, "wmma", "WMMA"},
    {178, 8, 32, 16, T_BF16, T_BF16, T_F32, "wmma", "WMMA"},  {179, 16, 16, 8, T_TF32, T_TF32, T_F32, "wmma", "WMMA"},
    {180, 8, 8, 4, T_F64, T_F64, T_F64, "wmma", "WMMA"},      {181, 16, 16, 16, T_S8, T_S8, T_S32, "wmma", "WMMA"},
    {182, 32, 8, 16, T_S8, T_S8, T_S32, "wmma", "WMMA"},      {183, 8, 32, 16, T_U8, T_U8, T_S32, "wmma", "WMMA"},
};

/* ---- sparse: which of the logical k a kept element is ---- */
static int is_sparse(const struct operation *o)
{
    return !strncmp(o->family, "SPARSE", 6) || !strncmp(o->family, "WGMMA_SP", 8);
}

static int selector_of(const struct operation *o)
{
    return o->family[0] == 'S' ? o->family[6] - '0' : strstr(o->name, "sel1") != NULL;
}

static int metadata_position(const struct operation *o, uint32_t set, int row, int kept)
{
    int bits = tensor_format_of(o->type_a).bits, selector = selector_of(o), per_pair = o->type_a == T_TF32 ? 1 : 2;
    int unit = bits == 4 ? 2 : 1; /* 4-bit elements are kept in pairs */
    int warp = row / 16;          /* of a warpgroup */
    row %= 16;
    int chunk = kept / unit / per_pair, which = kept / unit % per_pair, g = row & 7, lane, nibble;
    if (bits >= 16) {
        int per_lane = 4;                               /* chunks of a row in a lane */
        int chunks = (o->k * (bits == 32 ? 2 : 1)) / 4; /* in a row: 4 or 8 */
        int t = chunks == 4 ? selector : 2 * selector + chunk / per_lane;
        lane = 32 * warp + 4 * g + t;
        nibble = chunk % per_lane + (row >= 8 ? 4 : 0);
    } else {
        int chunks = o->k / unit / 4; /* 8 or 16 in a row */
        int t = chunks == 8 ? 2 * selector + (row >= 8) : (row >= 8) + 2 * (chunk / 8);
        lane = 32 * warp + 4 * g + t;
        nibble = chunk % 8;
    }
    uint32_t two = tensor_metadata(o->type_a, (uint32_t)o->id, set, lane) >> (4 * nibble) & 15;
    if (o->type_a == T_TF32) return 2 * chunk + (two == 0xe);
    int index = which ? two >> 2 : two & 3;
    return (4 * chunk + index) * unit + kept % unit;
}

static int64_t integer_value(int type, uint64_t bits)
{
    switch (type) {
    case T_S8: return (int8_t)bits;
    case T_S4: return (int64_t)((bits & 15) ^ 8) - 8;
    default: return (int64_t)bits;
    }
}

static uint64_t A[64 * 256], B[256 * 32], C[64 * 32];
static int position[64 * 256];

static float widen(uint64_t half)
{
    _Float16 h;
    uint16_t bits = (uint16_t)half;
    memcpy(&h, &bits, 2);
    return (float)h;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* The first NaN of B, C and A, in this order, is the result, quieted; a new one is negative. */
static double fma_card(double a, double b, double c)
{
    const double from[3] = {b, c, a};
    for (int k = 0; k < 3; k++) {
        uint64_t bits;
        memcpy(&bits, &from[k], 8);
        if (from[k] != from[k]) return as_double(bits | (uint64_t)1 << 51);
    }
    double value = fma(a, b, c);
    return value != value ? as_double(0xfff8000000000000u) : value;
}

/* f64: a chain of fused multiply-adds from C, k ascending, in the instruction's rounding mode. */
static uint64_t chain_f64(const struct operation *o, int row, int column)
{
    volatile double sum = as_double(C[row * o->n + column]);
    fesetround(strstr(o->name, ".rz")   ? FE_TOWARDZERO
               : strstr(o->name, ".rm") ? FE_DOWNWARD
               : strstr(o->name, ".rp") ? FE_UPWARD
                                        : FE_TONEAREST);
    for (int k = 0; k < o->k; k++) sum = fma_card(as_double(A[row * o->k + k]), as_double(B[k * o->n + column]), sum);
    fesetround(FE_TONEAREST);
    uint64_t bits;
    double value = sum;
    memcpy(&bits, &value, 8);
    return bits;
}

/* mma.m8n8k4 of f16 is a chain of f32 operations on sm_90. */
static uint32_t m8n8k4(const struct operation *o, int row, int column, uint32_t c)
{
    float a[4], b[4], sum;
    for (int k = 0; k < 4; k++) {
        a[k] = widen(A[row * 4 + k]);
        b[k] = widen(B[k * o->n + column]);
    }
    float low = fmaf(a[1], b[1], a[0] * b[0]);
    if (o->type_c == T_F32) {
        sum = 0;
        for (int k = 0; k < 4; k++) sum = fmaf(a[k], b[k], sum);
        sum += as_float(c);
        uint32_t bits;
        memcpy(&bits, &sum, 4);
        return sum != sum ? 0x7fffffff : bits;
    }
    sum = (low + widen(c)) + fmaf(a[3], b[3], a[2] * b[2]);
    _Float16 h = (_Float16)sum;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return sum != sum ? 0x7fff : bits;
}

static uint32_t model(const struct operation *o, int row, int column, int kept)
{
    int sparse = is_sparse(o), no_c = strstr(o->name, "scale_d_0") != NULL;
    struct number p[64];
    uint32_t c = no_c ? 0 : (uint32_t)C[row * o->n + column];
    if (o->type_c == T_S32) {
        int64_t sum = (int32_t)c;
        for (int k = 0; k < kept; k++) {
            uint64_t a = A[row * kept + k], b = B[(sparse ? position[row * kept + k] : k) * o->n + column];
            if (o->type_a == T_B1) sum += strstr(o->name, "xor") ? (int)(a ^ b) : (int)(a & b);
            else sum += integer_value(o->type_a, a) * integer_value(o->type_b, b);
        }
        if (strstr(o->name, "satfinite")) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        return (uint32_t)sum;
    }
    for (int k = 0; k < kept; k++) {
        struct number a = decode(o->type_a, A[row * kept + k]);
        struct number b = decode(o->type_b, B[(sparse ? position[row * kept + k] : k) * o->n + column]);
        p[k] = rule.emulated ? multiply(through_f16(a), through_f16(b)) : multiply(a, b);
        if (strstr(o->name, "negate_a")) p[k].sign ^= 1;
    }
    if (o->m == 8 && o->k == 4) return m8n8k4(o, row, column, c);
    if (rule.emulated) {
        uint32_t d = 0;
        for (int half = 0; half < 2; half++) {
            struct number q[64];
            int count = 0;
            for (int k = 0; k < kept; k++)
                if ((k & 2) / 2 == half) q[count++] = p[k];
            for (int at = 0; at < count; at += rule.step)
                d = one_step(o->type_c, q + at, count - at < rule.step ? count - at : rule.step, d, 0);
        }
        return add_rounded(o->type_c, d, c);
    }
    for (int at = 0; at < kept; at += rule.step)
        c = one_step(o->type_c, p + at, kept - at < rule.step ? kept - at : rule.step, c, no_c && at == 0);
    return c;
}

static void choose_rule(const struct operation *o)
{
    int fp8 = o->type_a == T_E4M3 || o->type_a == T_E5M2, wgmma = !strncmp(o->family, "WGMMA", 5);
    rule.step = fp8 && wgmma ? 32 : o->type_a == T_TF32 ? (strncmp(o->family, "WMMA", 4) ? 8 : 4) : 16;
    rule.bits = fp8 && wgmma ? 13 : 25;
    rule.keep = fp8 && wgmma ? 13 : 23;
    rule.emulated = fp8 && !wgmma;
    rule.zero_floor = getenv("FLOOR") ? atoi(getenv("FLOOR")) : o->type_c == T_F32 ? -133 : -100000;
    if (getenv("STEP")) rule.step = atoi(getenv("STEP"));
    if (getenv("BITS")) rule.bits = atoi(getenv("BITS"));
}

static int is_nan(int type, uint32_t bits)
{
    return type == T_F16 ? (bits & 0x7fff) > 0x7c00 : type == T_F32 && (bits & 0x7fffffff) > 0x7f800000u;
}

int main(int argc, char **argv)
{
    static const char *kinds[] = {"window_small", "window_wide", "cancel", "uniform",   "specials", "specials_dense",
                                  "subnormal",    "gaps",        "width",  "group",     "rounding", "zeros",
                                  "overflow",     "tiny",        "carry",  "c_special", "c_large",  "bits"};
    char path[512], line[512], name[128];
    int held = argc > 2 && !strcmp(argv[2], "held"), limit = getenv("SETS") ? atoi(getenv("SETS")) : 0;
    const char *only = getenv("ONLY");
    FILE *index, *samples, *hashes;
    snprintf(path, sizeof path, "%s/results.csv", argv[1]);
    index = fopen(path, "r");
    snprintf(path, sizeof path, "%s/samples.bin", argv[1]);
    samples = fopen(path, "rb");
    snprintf(path, sizeof path, "%s/hashes.bin", argv[1]);
    hashes = fopen(path, "rb");
    if (!index || !samples || !hashes || !fgets(line, sizeof line, index)) return 1;
    for (long number = 0; fgets(line, sizeof line, index); number++) {
        int id, m, n, k, sets, count;
        size_t words, first;
        if (sscanf(line, "%d,%127[^,],%d,%d,%d,%d,%d,%zu,%zu", &id, name, &m, &n, &k, &sets, &count, &words, &first) !=
            9)
            return 1;
        const struct operation *o = NULL;
        for (size_t j = 0; j < sizeof table / sizeof *table; j++)
            if (table[j].id == id) o = &table[j];
        if (!o || (only && !strstr(name, only))) continue;
        choose_rule(o);
        uint32_t *hash = malloc(4 * (size_t)sets), *d = malloc(4 * words * (size_t)count);
        fseek(hashes, number * 4L * sets, SEEK_SET);
        fseek(samples, (long)(4 * first), SEEK_SET);
        if (fread(hash, 4, (size_t)sets, hashes) != (size_t)sets ||
            fread(d, 4, words * (size_t)count, samples) != words * (size_t)count)
            return 1;
        int kept = is_sparse(o) ? k / 2 : k, good = 0, all = 0, wrong[32] = {0}, seen[32] = {0}, shown = 0;
        for (int set = 0; set < sets && (!limit || set < limit); set++) {
            if ((set >> 1 & 1) != held) continue;
            for (int r = 0; r < m; r++)
                for (int j = 0; j < kept; j++) {
                    A[r * kept + j] = tensor_element(o->type_a, (uint32_t)id, (uint32_t)set, 0, r, j, kept);
                    position[r * kept + j] = kept < k ? metadata_position(o, (uint32_t)set, r, j) : j;
                }
            for (int j = 0; j < k; j++)
                for (int c = 0; c < n; c++)
                    B[j * n + c] = tensor_element(o->type_b, (uint32_t)id, (uint32_t)set, 1, j, c, k);
            for (int r = 0; r < m * n; r++)
                C[r] = tensor_element(o->type_c, (uint32_t)id, (uint32_t)set, 2, r / n, r % n, k);
            uint32_t h = TENSOR_HASH_START;
            int sample = set / 4 * 2 + (set & 1);
            int kind = tensor_kind_of((uint32_t)id, (uint32_t)set);
            if (o->type_c == T_F64)
                for (int r = 0; r < m * n; r++) {
                    uint64_t value = chain_f64(o, r / n, r % n);
                    h = tensor_hash(tensor_hash(h, (uint32_t)value), (uint32_t)(value >> 32));
                    if (!held && sample < count && getenv("SHOW") && shown < atoi(getenv("SHOW"))) {
                        uint64_t card;
                        memcpy(&card, &d[(size_t)sample * words + 2 * (size_t)r], 8);
                        if (card != value) shown++, printf("   set %d %s: card %016llx model %016llx\n", set, kinds[kind], (unsigned long long)card, (unsigned long long)value);
                    }
                }
            for (int r = 0; r < m * n && o->type_c != T_F64; r++) {
                uint32_t value = model(o, r / n, r % n, kept);
                h = tensor_hash(h, value);
                if (!held && sample < count && value != d[(size_t)sample * words + (size_t)r]) {
                    uint32_t card = d[(size_t)sample * words + (size_t)r];
                    if (shown++ < (getenv("SHOW") ? atoi(getenv("SHOW")) : 0))
                        printf("   set %d %s row %d column %d: card %08x model %08x C %08x%s\n", set, kinds[kind],
                               r / n, r % n, card, value, (uint32_t)C[r], is_nan(o->type_c, card) ? " NaN" : "");
                }
            }
            all++;
            seen[kind]++;
            if (h == hash[set]) good++;
            else wrong[kind]++;
        }
        printf("%-44s %5d of %5d", name, good, all);
        for (int j = 0; j < K_COUNT; j++)
            if (wrong[j]) printf("  %s %d/%d", kinds[j], wrong[j], seen[j]);
        printf("\n");
        free(hash);
        free(d);
    }
    return 0;
}
