/* Operands for tensor-core instructions, made from a seed with integers alone, so that a card, a C program and a test make the
 * same bits. C and CUDA.
 *
 * An operand set is A (m x k), B (k x n) and C (m x n) for one instruction. Sets are numbered from 0:
 *   bit 0 of the number: 0 random operands, 1 edge cases
 *   bit 1: 1 = held out: not looked at until the algorithm is frozen
 * An element is a function of (operation, set, matrix, row, column) alone.
 */
#ifndef LANEWISE_TENSOR_OPERANDS_H
#define LANEWISE_TENSOR_OPERANDS_H
#include <stdint.h>

#ifdef __CUDACC__
#define TENSOR_FN static __host__ __device__ inline
#else
#define TENSOR_FN static inline
#endif

enum { TENSOR_SEED = 20261122 };

/* ---- types ---- */
enum tensor_type {
    T_F16,
    T_BF16,
    T_TF32, /* an f32 whose low 13 bits the card is to ignore: they are random in some sets */
    T_E4M3,
    T_E5M2,
    T_F32, /* accumulators only */
    T_F64,
    T_S8,
    T_U8,
    T_S4,
    T_U4,
    T_B1,
    T_S32 /* accumulators only */
};

struct tensor_format {
    int bits;     /* of storage */
    int exponent; /* bits; 0: an integer */
    int fraction; /* bits that count */
    int unused;   /* low bits of storage that do not count */
    int finite;   /* 1: no infinities, all ones is the only NaN (e4m3) */
};

TENSOR_FN struct tensor_format tensor_format_of(int type)
{
    struct tensor_format f = {32, 0, 0, 0, 0};
    switch (type) {
    case T_F16: f.bits = 16, f.exponent = 5, f.fraction = 10; break;
    case T_BF16: f.bits = 16, f.exponent = 8, f.fraction = 7; break;
    case T_TF32: f.bits = 32, f.exponent = 8, f.fraction = 10, f.unused = 13; break;
    case T_E4M3: f.bits = 8, f.exponent = 4, f.fraction = 3, f.finite = 1; break;
    case T_E5M2: f.bits = 8, f.exponent = 5, f.fraction = 2; break;
    case T_F32: f.bits = 32, f.exponent = 8, f.fraction = 23; break;
    case T_F64: f.bits = 64, f.exponent = 11, f.fraction = 52; break;
    case T_S8:
    case T_U8: f.bits = 8; break;
    case T_S4:
    case T_U4: f.bits = 4; break;
    case T_B1: f.bits = 1; break;
    default: break;
    }
    return f;
}

/* ---- random numbers: the finalizer of splitmix64 over the words of a key ---- */
TENSOR_FN uint64_t tensor_mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

/* `what`: 0 A, 1 B, 2 C, 3 sparse metadata, 4 the set itself. */
TENSOR_FN uint64_t tensor_random(uint32_t operation, uint32_t set, uint32_t what, uint32_t row, uint32_t column)
{
    uint64_t key = tensor_mix(((uint64_t)TENSOR_SEED << 32) ^ operation);
    key = tensor_mix(key ^ set);
    return tensor_mix(key ^ ((uint64_t)what << 40 | (uint64_t)row << 20 | column));
}

/* ---- elements ---- */
/* sign, exponent relative to 1.0 (clamped to the format: below it a subnormal with that leading bit, or 0), random fraction. */
TENSOR_FN uint64_t tensor_compose(struct tensor_format f, int sign, int exponent, uint64_t fraction)
{
    int bias = (1 << (f.exponent - 1)) - 1;
    int most = f.finite ? bias + 1 : bias;
    uint64_t mask = ((uint64_t)1 << f.fraction) - 1, body;
    if (exponent > most) exponent = most;
    fraction &= mask;
    if (exponent >= 1 - bias) {
        body = (uint64_t)(exponent + bias) << f.fraction | fraction;
        if (f.finite && body == (((uint64_t)1 << (f.exponent + f.fraction)) - 1)) body--; /* e4m3: all ones is a NaN */
    } else {
        int shift = 1 - bias - exponent; /* 1: the leading bit is the highest of the fraction */
        body = shift > f.fraction ? 0 : (((uint64_t)1 << f.fraction) | fraction) >> shift;
    }
    return ((uint64_t)(sign & 1) << (f.exponent + f.fraction) | body) << f.unused;
}

TENSOR_FN uint64_t tensor_special(struct tensor_format f, uint64_t r)
{
    int bias = (1 << (f.exponent - 1)) - 1, sign = (int)(r >> 8) & 1;
    uint64_t ones = ((uint64_t)1 << f.exponent) - 1, fraction = ((uint64_t)1 << f.fraction) - 1;
    uint64_t body = 0;
    switch (r & 15) {
    case 0:
    case 1: body = 0; break;            /* zeros of both signs */
    case 2: body = 1; break;            /* least subnormal */
    case 3: body = fraction; break;     /* largest subnormal */
    case 4: body = fraction + 1; break; /* least normal */
    case 5: body = (ones << f.fraction) - (f.finite ? 0 : 1) + (f.finite ? fraction - 1 : 0); break; /* largest */
    case 6: body = ones << f.fraction | (f.finite ? fraction : 0); break; /* infinity, or e4m3's NaN */
    case 7: body = ones << f.fraction | fraction; break;                  /* NaN, all ones */
    case 8: body = ones << f.fraction | 1; break;                         /* NaN, signalling */
    case 9:
        body = ones << f.fraction | ((fraction + 1) >> 1) | ((r >> 16) & fraction >> 1);
        break;                                             /* NaN, any payload */
    case 10: body = ((uint64_t)bias << f.fraction); break; /* 1 */
    case 11: body = ((uint64_t)bias << f.fraction) + 1; break;
    case 12: body = ((uint64_t)bias << f.fraction) - 1; break;
    case 13: body = (uint64_t)(bias + f.fraction) << f.fraction; break;
    case 14: body = (uint64_t)(bias > f.fraction ? bias - f.fraction : 1) << f.fraction; break;
    default: body = (r >> 16) & fraction; break; /* any subnormal */
    }
    return ((uint64_t)sign << (f.exponent + f.fraction) | body) << f.unused;
}

/* What kind of set this is: the same for its three matrices. */
enum tensor_kind {
    K_WINDOW_SMALL,      /* exponents within 8, as data have them */
    K_WINDOW_WIDE,       /* exponents within 30 */
    K_CANCEL,            /* products in pairs that nearly cancel */
    K_UNIFORM,           /* any bit pattern but infinities and NaNs */
    K_EDGE,              /* the first kind of the edge sets */
    K_SPECIALS = K_EDGE, /* one element in 8 is special: zeros, subnormals, largest, infinities, NaNs */
    K_SPECIALS_DENSE,    /* every other element is */
    K_SUBNORMAL,         /* A and B subnormal or just above; C small */
    K_GAPS,              /* exponents far apart: the least, 0 or the largest */
    K_WIDTH,             /* one large product, the others 2^-q: how many bits are kept */
    K_GROUP,             /* +large at one k, -large at another, the rest small: which products are summed together */
    K_ROUNDING,          /* powers of two around the last place of a large C */
    K_ZEROS,             /* zeros of both signs, few others */
    K_OVERFLOW,          /* sums near the largest number of the result */
    K_TINY,              /* products below the least normal number of the result */
    K_CARRY,             /* all fractions ones, equal exponents */
    K_C_SPECIAL,         /* C is special, A and B are not */
    K_C_LARGE,           /* C far above the products */
    K_BITS,              /* any bit pattern */
    K_COUNT
};

TENSOR_FN int tensor_kind_of(uint32_t operation, uint32_t set)
{
    uint32_t pick = (uint32_t)(tensor_random(operation, set, 4, 0, 0) >> 33);
    return set & 1 ? K_EDGE + (int)(pick % (K_COUNT - K_EDGE)) : (int)(pick % K_EDGE);
}

TENSOR_FN uint64_t tensor_window(struct tensor_format f, uint64_t r, int middle, int width)
{
    return tensor_compose(f, (int)(r >> 63), middle - width / 2 + (int)((r >> 48) % (uint32_t)width), r);
}

/* A number of a set that all its elements share. */
TENSOR_FN uint32_t tensor_choice(uint32_t operation, uint32_t set, uint32_t which, uint32_t below)
{
    return (uint32_t)(tensor_random(operation, set, 4, 1, which) >> 32) % below;
}

/* Floating-point A or B: `inner` is the index along k, `outer` the row of A or the column of B; k products in all. */
TENSOR_FN uint64_t tensor_factor(int type, uint32_t operation, uint32_t set, int what, int outer, int inner, int k)
{
    struct tensor_format f = tensor_format_of(type);
    int bias = (1 << (f.exponent - 1)) - 1;
    int kind = tensor_kind_of(operation, set);
    uint64_t r = tensor_random(operation, set, (uint32_t)what, (uint32_t)outer, (uint32_t)inner), bits;
    int small = -(int)tensor_choice(operation, set, 8, 40) / 2; /* half of an exponent of a small product */
    switch (kind) {
    case K_WINDOW_SMALL: bits = tensor_window(f, r, 0, 8); break;
    case K_WINDOW_WIDE: bits = tensor_window(f, r, 0, 30); break;
    case K_CANCEL:
        if (inner & 1) {
            uint64_t before = tensor_factor(type, operation, set, what, outer, inner - 1, k);
            uint64_t sign = what == 0 ? (uint64_t)1 << (f.exponent + f.fraction + f.unused) : 0;
            bits = before ^ sign ^ ((r & 7) == 0 ? (uint64_t)1 << f.unused : 0);
            if (f.finite && (bits & 0x7f) == 0x7f) bits ^= 1;
        } else {
            bits = tensor_window(f, r, 0, 16);
        }
        break;
    case K_UNIFORM:
        bits = tensor_compose(f, (int)(r >> 63),
                              1 - bias - f.fraction + (int)((r >> 40) % (uint32_t)(2 * bias + f.fraction)), r);
        break;
    case K_SPECIALS: bits = (r >> 60) < 2 ? tensor_special(f, r >> 20) : tensor_window(f, r, 0, 12); break;
    case K_SPECIALS_DENSE: bits = (r >> 60) < 8 ? tensor_special(f, r >> 20) : tensor_window(f, r, 0, 12); break;
    case K_SUBNORMAL: bits = tensor_window(f, r, 1 - bias - f.fraction / 2, f.fraction + 4); break;
    case K_GAPS:
        bits = tensor_compose(f, (int)(r >> 63), (r >> 50) % 3 == 0 ? 1 - bias : (r >> 50) % 3 == 1 ? 0 : bias, r);
        break;
    case K_WIDTH:
        if (inner == (int)tensor_choice(operation, set, 1, (uint32_t)k))
            bits = tensor_compose(f, (int)(r >> 63), (int)tensor_choice(operation, set, 2, 8), r >> 62 & 1 ? r : 0);
        else bits = tensor_compose(f, what == 0 ? (int)(r >> 63) : 0, small, (r >> 60 & 3) == 0 ? r : 0);
        break;
    case K_GROUP: {
        int plus = (int)tensor_choice(operation, set, 1, (uint32_t)k),
            minus = (int)tensor_choice(operation, set, 2, (uint32_t)k);
        if (inner == plus || inner == minus)
            bits = tensor_compose(f, what == 0 && inner == minus && minus != plus, bias / 2 < 7 ? bias / 2 : 7, 0);
        else bits = tensor_compose(f, what == 0 ? (int)(r >> 63) : 0, small, r);
        break;
    }
    case K_ROUNDING:
        bits = tensor_compose(f, what == 0 ? (int)(r >> 63) : 0, -(int)((r >> 40) % 15), (r >> 60 & 7) == 0 ? r : 0);
        break;
    case K_ZEROS:
        bits = (r >> 60) < 15 ? tensor_compose(f, (int)(r >> 59) & 1, -100000, 0) : tensor_window(f, r, 0, 4);
        break;
    case K_OVERFLOW: bits = tensor_compose(f, what == 0 ? (r >> 60) < 3 : 0, bias - (int)((r >> 40) % 3), r); break;
    case K_TINY: {
        /* products between 2^-120 and 2^-160 for wide exponents, and below the least normal f16 for narrow ones */
        int middle = f.exponent >= 8 && f.exponent < 11 ? -70 : f.exponent == 11 ? -530 : 1 - bias;
        bits = tensor_window(f, r, middle, 20);
        break;
    }
    case K_CARRY:
        bits = tensor_compose(f, what == 0 ? (int)tensor_choice(operation, set, 1, 2) : 0,
                              (int)tensor_choice(operation, set, 2, 7) - 3, (r >> 60) < 14 ? ~(uint64_t)0 : r);
        break;
    case K_C_SPECIAL:
    case K_C_LARGE: bits = tensor_window(f, r, 0, 12); break;
    default: bits = r >> 7; break;
    }
    if (f.unused && tensor_choice(operation, set, 3, 2)) bits |= (r >> 5) & (((uint64_t)1 << f.unused) - 1);
    return f.bits == 64 ? bits : bits & (((uint64_t)1 << f.bits) - 1);
}

TENSOR_FN uint64_t tensor_addend(int type, uint32_t operation, uint32_t set, int row, int column)
{
    struct tensor_format f = tensor_format_of(type);
    int bias = (1 << (f.exponent - 1)) - 1;
    int kind = tensor_kind_of(operation, set);
    uint64_t r = tensor_random(operation, set, 2, (uint32_t)row, (uint32_t)column), bits;
    if ((r >> 20 & 7) == 0 && kind != K_BITS && kind != K_C_SPECIAL)
        return (uint64_t)(r >> 24 & 1) << (f.bits - 1); /* one in eight: a zero */
    switch (kind) {
    case K_WINDOW_WIDE:
    case K_UNIFORM: bits = tensor_window(f, r, 0, 30); break;
    case K_SPECIALS:
    case K_SPECIALS_DENSE: bits = (r >> 60) < 2 ? tensor_special(f, r >> 20) : tensor_window(f, r, 0, 12); break;
    case K_SUBNORMAL: bits = tensor_window(f, r, 1 - bias - f.fraction / 2, f.fraction + 20); break;
    case K_GAPS:
        bits = tensor_compose(f, (int)(r >> 63), (r >> 50) % 3 == 0 ? 1 - bias : (r >> 50) % 3 == 1 ? 0 : bias, r);
        break;
    case K_WIDTH:
    case K_ZEROS: bits = (uint64_t)(r >> 63) << (f.bits - 1); break;
    case K_GROUP:
        bits = (r >> 60) < 8 ? (uint64_t)(r >> 59 & 1) << (f.bits - 1) : tensor_compose(f, (int)(r >> 63), 14, 0);
        break;
    case K_ROUNDING:
        bits = tensor_compose(f, (int)(r >> 63), f.fraction - 14 + (int)((r >> 40) % 10),
                              (r >> 60 & 1)   ? r
                              : (r >> 61 & 1) ? ~(uint64_t)0
                                              : 0);
        break;
    case K_OVERFLOW: bits = tensor_compose(f, (r >> 60) < 5, bias - (int)((r >> 40) % 2), r); break;
    case K_TINY: bits = tensor_window(f, r, 1 - bias - f.fraction / 2, f.fraction + 4); break;
    case K_CARRY: bits = tensor_compose(f, (r >> 60) < 4, (int)((r >> 40) % 12), ~(uint64_t)0); break;
    case K_C_SPECIAL: bits = tensor_special(f, r >> 20); break;
    case K_C_LARGE: bits = tensor_window(f, r, 20, 40); break;
    case K_BITS: bits = r >> 7; break;
    default: bits = tensor_window(f, r, 0, 12); break;
    }
    return f.bits == 64 ? bits : bits & (((uint64_t)1 << f.bits) - 1);
}

/* Integers: any bits; edge sets take the extremes, and C near its limits. */
TENSOR_FN uint64_t tensor_integer(int type, uint32_t operation, uint32_t set, int what, int row, int column)
{
    struct tensor_format f = tensor_format_of(type);
    uint64_t r = tensor_random(operation, set, (uint32_t)what, (uint32_t)row, (uint32_t)column);
    uint64_t mask = ((uint64_t)1 << f.bits) - 1;
    if (what == 2) {
        if (!(set & 1)) return (r >> 60) < 8 ? r & mask : r & 0xfffff;
        switch (r >> 60 & 3) {
        case 0: return (0x7fffffffull - ((r >> 8) & 0xffff)) & mask;
        case 1: return (0x80000000ull + ((r >> 8) & 0xffff)) & mask;
        case 2: return (r >> 58 & 1) ? 0x7fffffffull : 0x80000000ull;
        default: return r & mask;
        }
    }
    if (f.bits == 1) return set & 1 ? (r >> 60) < tensor_choice(operation, set, 1, 17) : r >> 63;
    if (!(set & 1) || tensor_choice(operation, set, 1, 4) == 0) return r >> 8 & mask;
    switch (r >> 60 & 3) {
    case 0: return (uint64_t)1 << (f.bits - 1);       /* most negative, or half */
    case 1: return ((uint64_t)1 << (f.bits - 1)) - 1; /* most positive */
    case 2: return mask;                              /* -1, or the largest */
    default: return tensor_choice(operation, set, 2, 2) ? mask : r >> 8 & mask;
    }
}

/* The bits of A[row][column] (what 0), B[row][column] (1), C[row][column] (2). `k`: products of the instruction; of a sparse A
 * the kept elements, so that its columns are half of k. */
TENSOR_FN uint64_t tensor_element(int type, uint32_t operation, uint32_t set, int what, int row, int column, int k)
{
    if (tensor_format_of(type).exponent == 0) return tensor_integer(type, operation, set, what, row, column);
    if (what == 2) return tensor_addend(type, operation, set, row, column);
    return what == 0 ? tensor_factor(type, operation, set, 0, row, column, k)
                     : tensor_factor(type, operation, set, 1, column, row, k);
}

/* The 32 bits of sparse metadata that a lane gives (all lanes give some, also where the instruction reads few of them): legal
 * pairs of four, or for tf32 one of two. */
TENSOR_FN uint32_t tensor_metadata(int type, uint32_t operation, uint32_t set, int lane)
{
    uint64_t r = tensor_random(operation, set, 3, (uint32_t)lane, 0);
    uint32_t out = 0;
    for (int chunk = 0; chunk < 8; chunk++) {
        uint32_t pairs = 0xedc984u, pick = (uint32_t)(r >> (6 * chunk)) % 6; /* 0100 1000 1001 1100 1101 1110 */
        uint32_t nibble = type == T_TF32 ? ((r >> (6 * chunk)) & 1 ? 0xe : 0x4) : pairs >> (4 * pick) & 15;
        out |= nibble << (4 * chunk);
    }
    return out;
}

/* ---- results ---- */
/* FNV-1a over the words of D in order of rows, then columns; an f16 or f32 or s32 is one word, an f64 two (low one first). */
TENSOR_FN uint32_t tensor_hash(uint32_t hash, uint32_t word)
{
    for (int k = 0; k < 4; k++) hash = (hash ^ (word >> (8 * k) & 255)) * 16777619u;
    return hash;
}
#define TENSOR_HASH_START 2166136261u
#endif
