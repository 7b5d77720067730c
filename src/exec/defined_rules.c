/* defined_rules.c: the table of rules, and each rule for one lane. */
#include "exec/defined_rules.h"
#include "ptx/semantics.h"

/* ---------------------------------------------------------------- the rows */
#define SHAPE(id, count, ...) [OP_##id] = {.sources = count, __VA_ARGS__},
const exec_row_shape exec_row_shapes[CODE_OP_COUNT] = {
#define R1(id, key, mods, ptx, sm, D, A, expr) SHAPE(id, 1, .result = sizeof(D), .operand = {sizeof(A)})
#define R2(id, key, mods, ptx, sm, D, A, B, expr) SHAPE(id, 2, .result = sizeof(D), .operand = {sizeof(A), sizeof(B)})
#define R3(id, key, mods, ptx, sm, D, A, B, C, expr)                                                                   \
    SHAPE(id, 3, .result = sizeof(D), .operand = {sizeof(A), sizeof(B), sizeof(C)})
#define F1(id, key, mods, ptx, sm, T, expr) SHAPE(id, 1, .result = sizeof(T), .operand = {sizeof(T)})
#define F2(id, key, mods, ptx, sm, T, expr) SHAPE(id, 2, .result = sizeof(T), .operand = {sizeof(T), sizeof(T)})
#define F3(id, key, mods, ptx, sm, T, expr)                                                                            \
    SHAPE(id, 3, .result = sizeof(T), .operand = {sizeof(T), sizeof(T), sizeof(T)})
#define RC(id, key, mods, ptx, sm, A, expr) SHAPE(id, 2, .operand = {sizeof(A), sizeof(A)}, .compares = true)
#define P1(id, key, ptx, sm, expr) SHAPE(id, 1, .result = 0)
#define P2(id, key, ptx, sm, expr) SHAPE(id, 2, .result = 0)
#include "ptx/insns.def"
};

/* ---------------------------------------------------------------- the rules */
typedef enum rule {
    RULE_ALL, /* an undefined bit of an operand makes the whole result undefined */
    RULE_MOVE,
    RULE_MOVE_SIGNED, /* extends the sign */
    RULE_NOT,
    RULE_AND,
    RULE_OR,
    RULE_XOR,
    RULE_LOP3,
    RULE_SHL,
    RULE_SHR,
    RULE_SHR_SIGNED,
    RULE_SHF_L_WRAP, /* funnel shifts */
    RULE_SHF_L_CLAMP,
    RULE_SHF_R_WRAP,
    RULE_SHF_R_CLAMP,
    RULE_BFE, /* bit fields */
    RULE_BFE_SIGNED,
    RULE_REVERSE,
    RULE_PRMT,
    RULE_ADD,
    RULE_SUB,
    RULE_NEG,
    RULE_MUL,
    RULE_MUL_SIGNED, /* operands are narrower than the result, and signed */
    RULE_MAD,
    RULE_MAD_SIGNED,
    RULE_MIN,
    RULE_MIN_SIGNED,
    RULE_MAX,
    RULE_MAX_SIGNED,
    RULE_SELECT_SIGN, /* slct by an integer */
    RULE_SELECT_REAL, /* slct by an f32 */
    RULE_HALVES,      /* two halves, each on its own */
    RULE_EQUAL,       /* eq, ne */
    RULE_LESS,        /* lt, ge */
    RULE_LESS_SIGNED,
    RULE_GREATER, /* gt, le */
    RULE_GREATER_SIGNED,
    RULE_HALF_COMPARE /* of one half of packed operands */
} rule;

/* clang-format off */
#define BY_WIDTH(op, rule) [OP_##op##_b16] = rule, [OP_##op##_b32] = rule, [OP_##op##_b64] = rule,
#define BY_UNSIGNED(op, rule) [OP_##op##_u16] = rule, [OP_##op##_u32] = rule, [OP_##op##_u64] = rule,
#define BY_SIGNED(op, rule) [OP_##op##_s16] = rule, [OP_##op##_s32] = rule, [OP_##op##_s64] = rule,
#define BY_TYPE(op, rule) BY_UNSIGNED(op, rule) BY_SIGNED(op, rule)
#define BY_SIGN(op, rule) BY_UNSIGNED(op, rule) BY_SIGNED(op, rule##_SIGNED)
#define FROM(S, rule) \
    [OP_cvt_u8_##S] = rule, [OP_cvt_s8_##S] = rule, [OP_cvt_u16_##S] = rule, [OP_cvt_s16_##S] = rule, \
    [OP_cvt_u32_##S] = rule, [OP_cvt_s32_##S] = rule, [OP_cvt_u64_##S] = rule, [OP_cvt_s64_##S] = rule,
#define PAIRS(op) [OP_##op##_h16x2] = RULE_HALVES, [OP_##op##_b16x2] = RULE_HALVES,
#define PAIR_COMPARE(op) [OP_setp_##op##_h16x2] = RULE_HALF_COMPARE, [OP_setp_##op##_b16x2] = RULE_HALF_COMPARE,
#define SELECT(by, rule) \
    [OP_slct_b16_##by] = rule, [OP_slct_u16_##by] = rule, [OP_slct_s16_##by] = rule, [OP_slct_b32_##by] = rule, \
    [OP_slct_u32_##by] = rule, [OP_slct_s32_##by] = rule, [OP_slct_f32_##by] = rule, [OP_slct_b64_##by] = rule, \
    [OP_slct_u64_##by] = rule, [OP_slct_s64_##by] = rule, [OP_slct_f64_##by] = rule,

static const uint8_t rule_of[CODE_OP_COUNT] = {
    BY_WIDTH(mov, RULE_MOVE) [OP_mov_pred] = RULE_MOVE,
    BY_WIDTH(not, RULE_NOT) [OP_not_pred] = RULE_NOT,
    BY_WIDTH(and, RULE_AND) [OP_and_pred] = RULE_AND,
    BY_WIDTH(or, RULE_OR) [OP_or_pred] = RULE_OR,
    BY_WIDTH(xor, RULE_XOR) [OP_xor_pred] = RULE_XOR,
    [OP_lop3_b32] = RULE_LOP3,
    BY_WIDTH(shl, RULE_SHL) BY_WIDTH(shr, RULE_SHR) BY_SIGN(shr, RULE_SHR)
    [OP_shf_l_wrap_b32] = RULE_SHF_L_WRAP, [OP_shf_l_clamp_b32] = RULE_SHF_L_CLAMP,
    [OP_shf_r_wrap_b32] = RULE_SHF_R_WRAP, [OP_shf_r_clamp_b32] = RULE_SHF_R_CLAMP,
    [OP_bfe_u32] = RULE_BFE, [OP_bfe_u64] = RULE_BFE, [OP_bfe_s32] = RULE_BFE_SIGNED, [OP_bfe_s64] = RULE_BFE_SIGNED,
    [OP_brev_b32] = RULE_REVERSE, [OP_brev_b64] = RULE_REVERSE,
    [OP_prmt_b32] = RULE_PRMT,
    BY_TYPE(add, RULE_ADD) BY_TYPE(sub, RULE_SUB) BY_SIGNED(neg, RULE_NEG)
    BY_TYPE(mul_lo, RULE_MUL) BY_TYPE(mad_lo, RULE_MAD)
    [OP_mul_wide_u16] = RULE_MUL, [OP_mul_wide_u32] = RULE_MUL,
    [OP_mul_wide_s16] = RULE_MUL_SIGNED, [OP_mul_wide_s32] = RULE_MUL_SIGNED,
    [OP_mad_wide_u16] = RULE_MAD, [OP_mad_wide_u32] = RULE_MAD,
    [OP_mad_wide_s16] = RULE_MAD_SIGNED, [OP_mad_wide_s32] = RULE_MAD_SIGNED,
    BY_SIGN(min, RULE_MIN) BY_SIGN(max, RULE_MAX)
    SELECT(s32, RULE_SELECT_SIGN) SELECT(f32, RULE_SELECT_REAL)
    FROM(u8, RULE_MOVE) FROM(u16, RULE_MOVE) FROM(u32, RULE_MOVE) FROM(u64, RULE_MOVE)
    FROM(s8, RULE_MOVE_SIGNED) FROM(s16, RULE_MOVE_SIGNED) FROM(s32, RULE_MOVE_SIGNED) FROM(s64, RULE_MOVE_SIGNED)
    PAIRS(add) PAIRS(sub) PAIRS(mul) PAIRS(min) PAIRS(max) PAIRS(fma) PAIRS(neg) PAIRS(abs) PAIRS(ex2) PAIRS(tanh)
    [OP_add_u16x2] = RULE_HALVES, [OP_add_s16x2] = RULE_HALVES, [OP_min_u16x2] = RULE_HALVES,
    [OP_min_s16x2] = RULE_HALVES, [OP_max_u16x2] = RULE_HALVES, [OP_max_s16x2] = RULE_HALVES,
    BY_TYPE(setp_eq, RULE_EQUAL) BY_TYPE(setp_ne, RULE_EQUAL)
    BY_WIDTH(setp_bits_eq, RULE_EQUAL) BY_WIDTH(setp_bits_ne, RULE_EQUAL)
    BY_SIGN(setp_lt, RULE_LESS) BY_SIGN(setp_ge, RULE_LESS) BY_SIGN(setp_gt, RULE_GREATER) BY_SIGN(setp_le, RULE_GREATER)
    BY_UNSIGNED(setp_lo, RULE_LESS) BY_UNSIGNED(setp_hs, RULE_LESS)
    BY_UNSIGNED(setp_hi, RULE_GREATER) BY_UNSIGNED(setp_ls, RULE_GREATER)
    PAIR_COMPARE(eq) PAIR_COMPARE(ne) PAIR_COMPARE(lt) PAIR_COMPARE(le) PAIR_COMPARE(gt) PAIR_COMPARE(ge)
    PAIR_COMPARE(equ) PAIR_COMPARE(neu) PAIR_COMPARE(ltu) PAIR_COMPARE(leu) PAIR_COMPARE(gtu) PAIR_COMPARE(geu)
    PAIR_COMPARE(num) PAIR_COMPARE(nan)
};
/* clang-format on */

bool exec_only_moves(uint32_t op)
{
    switch (rule_of[op]) {
    case RULE_MOVE:
    case RULE_MOVE_SIGNED:
    case RULE_SHL:
    case RULE_SHR:
    case RULE_SHF_L_WRAP:
    case RULE_SHF_L_CLAMP:
    case RULE_SHF_R_WRAP:
    case RULE_SHF_R_CLAMP:
    case RULE_BFE:
    case RULE_PRMT:
    case RULE_AND:
    case RULE_OR:
    case RULE_LOP3: return true; /* fields are cut out and put together by these */
    default: return false;
    }
}

/* ---------------------------------------------------------------- one lane */
/* An operand: what it is, and the least and greatest it may be. */
typedef struct operand {
    uint64_t value, undefined;
    uint64_t least, most; /* unsigned */
} operand;

static uint64_t width_mask(uint32_t bytes) { return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1; }

static uint64_t extended(uint64_t v, uint32_t bytes)
{
    uint32_t unused = 64 - 8 * LW_MIN(bytes, 8u);
    return (uint64_t)((int64_t)(v << unused) >> unused);
}

static operand operand_of(uint64_t value, uint64_t undefined)
{
    return (operand){value, undefined, value & ~undefined, value | undefined};
}

/* Signed: an undefined sign is set in the least, clear in the greatest. */
static int64_t least_signed(operand o, uint32_t bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)extended(o.least | (o.undefined & sign), bytes);
}

static int64_t most_signed(operand o, uint32_t bytes)
{
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)extended(o.most & ~(o.undefined & sign), bytes);
}

/* From the lowest bit set upwards. */
static uint64_t upwards(uint64_t bits) { return bits | (0 - bits); }

static uint64_t sum(operand a, operand b)
{
    return a.undefined | b.undefined | ((a.least + b.least) ^ (a.most + b.most));
}

static uint64_t difference(operand a, operand b)
{
    return a.undefined | b.undefined | ((a.least - b.most) ^ (a.most - b.least));
}

/* Bits of a product below the lowest undefined bit of its factors are defined. */
static uint64_t product(operand a, operand b)
{
    if (!a.undefined && !b.undefined) return 0;
    if (!b.undefined) return b.value ? upwards(a.undefined) << __builtin_ctzll(b.value) : 0;
    if (!a.undefined) return a.value ? upwards(b.undefined) << __builtin_ctzll(a.value) : 0;
    return upwards(a.undefined | b.undefined);
}

static uint64_t multiply_add(operand a, operand b, operand c)
{
    uint64_t unknown = product(a, b);
    if (unknown) return upwards(unknown | c.undefined);
    return sum(operand_of(a.value * b.value, 0), c);
}

/* Either of two values: where they agree, it does not matter which. */
static uint64_t either(operand a, operand b) { return a.undefined | b.undefined | (a.value ^ b.value); }

static uint64_t select(operand a, operand b, bool unknown, bool first)
{
    if (unknown) return either(a, b);
    return first ? a.undefined : b.undefined;
}

/* All results that the eight combinations of flipped operands give. */
static uint64_t any_table(operand a, operand b, operand c, uint32_t table)
{
    uint32_t base = lop3((u32)a.value, (u32)b.value, (u32)c.value, table), changed = 0;
    for (uint32_t k = 1; k < 8; k++) {
        u32 x = (u32)(a.value ^ (k & 1 ? a.undefined : 0));
        u32 y = (u32)(b.value ^ (k & 2 ? b.undefined : 0));
        u32 z = (u32)(c.value ^ (k & 4 ? c.undefined : 0));
        changed |= lop3(x, y, z, table) ^ base;
    }
    return changed;
}

static uint64_t halves(uint64_t bits) { return (bits & 0xffff ? 0xffff : 0) | (bits >> 16 & 0xffff ? 0xffff0000 : 0); }

static uint64_t shift_right(uint64_t bits, uint32_t by, uint32_t width, bool is_signed)
{
    if (is_signed) return (uint64_t)((int64_t)extended(bits, width / 8) >> LW_MIN(by, width - 1));
    return by >= width ? 0 : bits >> by;
}

/* Shifts: what moves by a known number of places. */
static uint64_t shifted(rule r, operand a, operand b, operand c, uint32_t bytes)
{
    bool is_funnel = r >= RULE_SHF_L_WRAP && r <= RULE_SHF_R_CLAMP;
    uint32_t low = (u32)a.undefined, high = (u32)b.undefined;
    if (is_funnel ? c.undefined : b.undefined) return UINT64_MAX;
    switch (r) {
    case RULE_SHL: return b.value >= 8 * bytes ? 0 : a.undefined << b.value;
    case RULE_SHR: return shift_right(a.undefined, (uint32_t)LW_MIN(b.value, 64u), 8 * bytes, false);
    case RULE_SHR_SIGNED: return shift_right(a.undefined, (uint32_t)LW_MIN(b.value, 64u), 8 * bytes, true);
    case RULE_SHF_L_WRAP: return shf_l(low, high, (u32)c.value & 31);
    case RULE_SHF_L_CLAMP: return shf_l(low, high, (u32)LW_MIN(c.value, 32u));
    case RULE_SHF_R_WRAP: return shf_r(low, high, (u32)c.value & 31);
    default: return shf_r(low, high, (u32)LW_MIN(c.value, 32u));
    }
}

static uint64_t field(rule r, operand a, operand b, operand c, uint32_t bytes)
{
    bool is_long = bytes == 8;
    if (b.undefined || c.undefined) return UINT64_MAX;
    u32 at = (u32)b.value, count = (u32)c.value;
    if (r == RULE_BFE) return is_long ? bfe_u64(a.undefined, at, count) : bfe_u32((u32)a.undefined, at, count);
    if (is_long) return (u64)bfe_s64((s64)a.undefined, at, count);
    return (u32)bfe_s32((s32)(u32)a.undefined, at, count);
}

/* Which of two is taken by size. */
static uint64_t extreme(rule r, operand a, operand b, uint32_t bytes)
{
    bool is_signed = r == RULE_MIN_SIGNED || r == RULE_MAX_SIGNED;
    bool greatest = r == RULE_MAX || r == RULE_MAX_SIGNED;
    bool a_below = is_signed ? most_signed(a, bytes) <= least_signed(b, bytes) : a.most <= b.least;
    bool b_below = is_signed ? most_signed(b, bytes) <= least_signed(a, bytes) : b.most <= a.least;
    if (a_below) return greatest ? b.undefined : a.undefined;
    if (b_below) return greatest ? a.undefined : b.undefined;
    return either(a, b);
}

/* Is it known whether a < b? */
static bool order_known(operand a, operand b, uint32_t bytes, bool is_signed)
{
    if (is_signed)
        return most_signed(a, bytes) < least_signed(b, bytes) || least_signed(a, bytes) >= most_signed(b, bytes);
    return a.most < b.least || a.least >= b.most;
}

static bool compare_known(rule r, const code_insn *i, operand a, operand b, uint32_t bytes)
{
    uint64_t unknown = a.undefined | b.undefined;
    switch (r) {
    case RULE_EQUAL: return !unknown || ((a.value ^ b.value) & ~unknown) != 0;
    case RULE_LESS: return order_known(a, b, bytes, false);
    case RULE_LESS_SIGNED: return order_known(a, b, bytes, true);
    case RULE_GREATER: return order_known(b, a, bytes, false);
    case RULE_GREATER_SIGNED: return order_known(b, a, bytes, true);
    case RULE_HALF_COMPARE: return !(unknown >> i->alu.imm & 0xffff);
    default: return !unknown;
    }
}

static operand sign_extended(operand o, uint32_t bytes)
{
    return operand_of(extended(o.value, bytes), extended(o.undefined, bytes));
}

static uint64_t arithmetic(rule r, operand a, operand b, operand c, uint32_t bytes)
{
    switch (r) {
    case RULE_ADD: return sum(a, b);
    case RULE_SUB: return difference(a, b);
    case RULE_NEG: return difference(operand_of(0, 0), a);
    case RULE_MUL: return product(a, b);
    case RULE_MUL_SIGNED: return product(sign_extended(a, bytes), sign_extended(b, bytes));
    case RULE_MAD: return multiply_add(a, b, c);
    default: return multiply_add(sign_extended(a, bytes), sign_extended(b, bytes), c);
    }
}

static uint64_t bitwise(rule r, const code_insn *i, operand a, operand b, operand c)
{
    uint64_t both = a.undefined & b.undefined;
    switch (r) {
    case RULE_AND: return both | (a.undefined & b.value) | (b.undefined & a.value);
    case RULE_OR: return both | (a.undefined & ~b.value) | (b.undefined & ~a.value);
    case RULE_XOR: return a.undefined | b.undefined;
    case RULE_LOP3: return any_table(a, b, c, (uint32_t)i->alu.imm);
    default: return a.undefined;
    }
}

uint64_t exec_undefined_result(const code_insn *i, const uint64_t value[3], const uint64_t undefined[3])
{
    const exec_row_shape *s = &exec_row_shapes[i->op];
    rule r = (rule)rule_of[i->op];
    operand a = operand_of(value[0], undefined[0]);
    operand b = operand_of(value[1], undefined[1]);
    operand c = operand_of(value[2], undefined[2]);
    uint64_t any = a.undefined | b.undefined | c.undefined;
    uint64_t all = s->result ? width_mask(s->result) : 1;
    uint32_t bytes = s->operand[0];
    if (!any) return 0;
    if (s->compares) return !compare_known(r, i, a, b, bytes);
    if (i->alu.mods & (PTX_SAT | PTX_RELU) && s->result && r != RULE_HALVES) return all;
    switch (r) {
    case RULE_ALL: return all;
    case RULE_MOVE: return a.undefined & all;
    case RULE_MOVE_SIGNED: return extended(a.undefined, bytes) & all;
    case RULE_NOT:
    case RULE_AND:
    case RULE_OR:
    case RULE_XOR:
    case RULE_LOP3: return bitwise(r, i, a, b, c) & all;
    case RULE_BFE:
    case RULE_BFE_SIGNED: return field(r, a, b, c, bytes) & all;
    case RULE_REVERSE: return bytes == 8 ? brev64(a.undefined) : brev32((u32)a.undefined);
    case RULE_PRMT: return c.undefined ? all : prmt((u32)a.undefined, (u32)b.undefined, (u32)c.value);
    case RULE_MIN:
    case RULE_MIN_SIGNED:
    case RULE_MAX:
    case RULE_MAX_SIGNED: return extreme(r, a, b, bytes) & all;
    case RULE_SELECT_SIGN: return select(a, b, c.undefined >> 31 & 1, !(c.value >> 31 & 1)) & all;
    case RULE_SELECT_REAL: return select(a, b, c.undefined != 0, f32_bits((u32)c.value) >= 0) & all;
    case RULE_HALVES: return halves(any);
    case RULE_SHL:
    case RULE_SHR:
    case RULE_SHR_SIGNED:
    case RULE_SHF_L_WRAP:
    case RULE_SHF_L_CLAMP:
    case RULE_SHF_R_WRAP:
    case RULE_SHF_R_CLAMP: return shifted(r, a, b, c, bytes) & all;
    default: return arithmetic(r, a, b, c, bytes) & all;
    }
}
