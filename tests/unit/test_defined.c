/* Which bits of a result are undefined, for every row of insns.def but those of f32 and f64: against all results that
 * flipping undefined bits of the operands gives. */
#include "unit.h"

#include "exec/defined_rules.h"
#include "ptx/semantics.h"

#include <string.h>

typedef uint64_t (*row_fn)(const uint64_t v[3], uint32_t mods, int64_t imm);

#define OPERAND(T, name, k)                                                                                            \
    T name;                                                                                                            \
    memcpy(&name, &v[k], sizeof name);                                                                                 \
    (void)name
#define RESULT(D, expr)                                                                                                \
    uint64_t out = 0;                                                                                                  \
    (void)mods, (void)imm;                                                                                             \
    D result = (D)(expr);                                                                                              \
    memcpy(&out, &result, sizeof result);                                                                              \
    return out
#define EVALUATED(id) static uint64_t row_##id(const uint64_t v[3], uint32_t mods, int64_t imm)
#define R1(id, key, M, ptx, sm, D, A, expr)                                                                            \
    EVALUATED(id)                                                                                                      \
    {                                                                                                                  \
        OPERAND(A, a, 0);                                                                                              \
        RESULT(D, expr);                                                                                               \
    }
#define R2(id, key, M, ptx, sm, D, A, B, expr)                                                                         \
    EVALUATED(id)                                                                                                      \
    {                                                                                                                  \
        OPERAND(A, a, 0);                                                                                              \
        OPERAND(B, b, 1);                                                                                              \
        RESULT(D, expr);                                                                                               \
    }
#define R3(id, key, M, ptx, sm, D, A, B, C, expr)                                                                      \
    EVALUATED(id)                                                                                                      \
    {                                                                                                                  \
        OPERAND(A, a, 0);                                                                                              \
        OPERAND(B, b, 1);                                                                                              \
        OPERAND(C, c, 2);                                                                                              \
        RESULT(D, expr);                                                                                               \
    }
#define RC(id, key, M, ptx, sm, A, expr)                                                                               \
    EVALUATED(id)                                                                                                      \
    {                                                                                                                  \
        OPERAND(A, a, 0);                                                                                              \
        OPERAND(A, b, 1);                                                                                              \
        RESULT(bool, expr);                                                                                            \
    }
#include "ptx/insns.def"

/* exact: no bit too many, of operations that move or combine bits, if what says where they go is defined. */
typedef struct row {
    const char *name;
    uint32_t op, allowed;
    row_fn run;
} row;
#define ENTRY(id, M) {#id, OP_##id, M, row_##id},
static const row rows[] = {
#define R1(id, key, M, ...) ENTRY(id, M)
#define R2(id, key, M, ...) ENTRY(id, M)
#define R3(id, key, M, ...) ENTRY(id, M)
#define RC(id, key, M, ...) ENTRY(id, M)
#include "ptx/insns.def"
};

static uint64_t seed = 1;
static uint64_t draw(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Operands are often small or like each other, so that comparisons and shifts do something. */
static uint64_t draw_operand(uint32_t bytes, uint64_t other)
{
    uint64_t mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    switch (draw() % 4) {
    case 0: return draw() % 40;
    case 1: return (other ^ UINT64_C(1) << draw() % 64) & mask;
    default: return draw() & mask;
    }
}

enum { FLIPS = 5 };

typedef struct trial {
    uint64_t value[3], undefined[3];
    uint32_t place[FLIPS], count; /* 64 * operand + bit */
} trial;

static trial draw_trial(const row *r)
{
    const exec_row_shape *s = &exec_row_shapes[r->op];
    trial t = {.count = 1 + (uint32_t)(draw() % FLIPS)};
    for (uint32_t k = 0; k < s->sources; k++) t.value[k] = draw_operand(s->operand[k], k ? t.value[0] : 0);
    for (uint32_t n = 0; n < t.count; n++) {
        uint32_t k = (uint32_t)(draw() % s->sources);
        t.place[n] = 64 * k + (uint32_t)(draw() % (8u * s->operand[k]));
        t.undefined[k] |= UINT64_C(1) << t.place[n] % 64;
    }
    return t;
}

/* Bits of the result that some flip changes. */
static uint64_t changing(const row *r, const trial *t, const code_insn *i)
{
    uint64_t first = r->run(t->value, i->alu.mods, i->alu.imm), changed = 0;
    for (uint32_t flips = 1; flips < 1u << t->count; flips++) {
        uint64_t v[3];
        memcpy(v, t->value, sizeof v);
        for (uint32_t n = 0; n < t->count; n++)
            if (flips >> n & 1) v[t->place[n] / 64] ^= UINT64_C(1) << t->place[n] % 64;
        changed |= r->run(v, i->alu.mods, i->alu.imm) ^ first;
    }
    return changed;
}

static code_insn insn_of(const row *r)
{
    code_insn i = {.op = (uint16_t)r->op};
    i.alu.imm = r->op == OP_lop3_b32 ? (int64_t)(draw() & 255) : draw() & 1 ? 16 : 0;
    return i;
}

UNIT_CASE(no_undefined_bit_is_called_defined)
{
    for (size_t k = 0; k < LW_COUNT(rows); k++)
        for (uint32_t n = 0; n < 200; n++) {
            trial t = draw_trial(&rows[k]);
            code_insn i = insn_of(&rows[k]);
            uint64_t missed = changing(&rows[k], &t, &i) & ~exec_undefined_result(&i, t.value, t.undefined);
            if (!missed) continue;
            UNIT_FAIL("%s of %llx %llx %llx, undefined %llx %llx %llx: misses %llx", rows[k].name,
                      (unsigned long long)t.value[0], (unsigned long long)t.value[1], (unsigned long long)t.value[2],
                      (unsigned long long)t.undefined[0], (unsigned long long)t.undefined[1],
                      (unsigned long long)t.undefined[2], (unsigned long long)missed);
            break;
        }
}

UNIT_CASE(what_moves_bits_is_exact)
{
    static const uint32_t exact[] = {OP_mov_b16,     OP_mov_b32,     OP_mov_b64,     OP_not_b32,
                                     OP_and_b16,     OP_and_b32,     OP_and_b64,     OP_or_b32,
                                     OP_or_b64,      OP_xor_b32,     OP_lop3_b32,    OP_brev_b32,
                                     OP_cvt_u64_u32, OP_cvt_u16_u32, OP_cvt_s64_s32, OP_cvt_s32_s16};
    static const uint32_t by_known[] = {OP_shl_b32,  OP_shl_b64,        OP_shr_u32,        OP_shr_s32,
                                        OP_shr_s64,  OP_bfe_u32,        OP_bfe_s32,        OP_bfe_u64,
                                        OP_prmt_b32, OP_shf_l_wrap_b32, OP_shf_r_clamp_b32};
    for (size_t k = 0; k < LW_COUNT(rows); k++)
        for (uint32_t n = 0; n < 200; n++) {
            bool all = false, known = false;
            for (size_t e = 0; e < LW_COUNT(exact); e++) all |= exact[e] == rows[k].op;
            for (size_t e = 0; e < LW_COUNT(by_known); e++) known |= by_known[e] == rows[k].op;
            if (!all && !known) break;
            trial t = draw_trial(&rows[k]);
            bool funnel =
                rows[k].op == OP_prmt_b32 || rows[k].op == OP_shf_l_wrap_b32 || rows[k].op == OP_shf_r_clamp_b32;
            if (known && ((!funnel && t.undefined[1]) || t.undefined[2])) continue;
            code_insn i = insn_of(&rows[k]);
            uint64_t said = exec_undefined_result(&i, t.value, t.undefined), true_bits = changing(&rows[k], &t, &i);
            if (said != true_bits)
                UNIT_FAIL("%s says %llx, not %llx", rows[k].name, (unsigned long long)said,
                          (unsigned long long)true_bits);
        }
}

UNIT_MAIN()
