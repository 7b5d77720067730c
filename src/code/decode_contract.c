/* decode_contract.c: products and sums that the assembler fuses (contract.c) as one fma. */
#include "code/decode.h"

#include <stdio.h>
#include <string.h>

/* The regular row of an operation on the type of the instruction being decoded. */
static const code_row *row_of(const decoder *d, const char *operation)
{
    char key[32];
    const char *type = strrchr(d->in->mnemonic, '.') + 1;
    int n = snprintf(key, sizeof key, "%s.%s", operation, type);
    return lw_map_get(&d->image->rows, key, (size_t)n);
}

static code_ref emit_into_temp(decoder *d, code_op op, uint32_t bytes, code_ref a, code_ref b, uint32_t mods)
{
    code_ref to = decode_temp(d, bytes);
    code_insn *i = decode_emit_unguarded(d, op);
    i->d = to;
    i->a = a;
    i->b = b;
    i->alu.mods = (uint16_t)mods;
    return to;
}

static code_ref negated(decoder *d, code_ref value)
{
    const code_row *r = row_of(d, "neg");
    return emit_into_temp(d, (code_op)r->op, code_lane_bytes((lane_type)r->lane[0]), value, CODE_NO_REF, 0);
}

/* `scale` where |b| compares so with the bits of a number, else `otherwise` */
static code_ref scale_where(decoder *d, code_op compare, code_ref magnitude, uint32_t bits, float scale,
                            code_ref otherwise)
{
    uint32_t scale_bits = 0;
    memcpy(&scale_bits, &scale, sizeof scale_bits);
    code_ref fits = emit_into_temp(d, compare, 0, magnitude, decode_constant(d, bits, 4), 0);
    code_ref s = decode_constant(d, scale_bits, 4), to = decode_temp(d, 4);
    code_insn *i = decode_emit_unguarded(d, OP_selp32);
    i->d = to;
    i->a = s;
    i->b = otherwise;
    i->c = fits;
    return to;
}

/* a / b as a product: a and the reciprocal of b, both scaled where b's own would overflow or be subnormal (the limits are
 * those of div_approx() and div_full(), semantics_sfu.h). */
static void emit_quotient_factors(decoder *d, code_ref factor[2])
{
    uint32_t mods = d->mods & PTX_FTZ;
    code_ref one = decode_constant(d, 0x3f800000, 4);
    code_ref magnitude = emit_into_temp(d, OP_abs_f32, 4, factor[1], CODE_NO_REF, 0);
    code_ref scale = scale_where(d, OP_setp_lt_u32, magnitude, 0x00800000, 0x1p24f, one);
    if (d->row->op == OP_div_full_f32) scale = scale_where(d, OP_setp_gt_u32, magnitude, 0x7e800000, 0.25f, scale);
    code_ref divisor = emit_into_temp(d, OP_mul_f32, 4, factor[1], scale, mods);
    factor[0] = emit_into_temp(d, OP_mul_f32, 4, factor[0], scale, mods);
    factor[1] = emit_into_temp(d, OP_rcp_approx_f32, 4, divisor, CODE_NO_REF, mods);
}

/* What a product is made of, for sums further on. */
static void keep_factors(decoder *d, uint32_t k)
{
    bool is_quotient = d->contract[k].kind == CONTRACT_QUOTIENT;
    lane_type lane = (lane_type)d->row->lane[1];
    uint32_t bytes = code_lane_bytes(lane);
    code_ref *factor = d->factors[k];
    for (uint32_t n = 0; n < 2; n++) factor[n] = decode_source(d, &d->ops[n + 1], lane);
    if (is_quotient) emit_quotient_factors(d, factor);
    for (uint32_t n = 0; n < 2 && !is_quotient; n++)
        factor[n] = emit_into_temp(d, decode_mov_of_bytes(bytes), bytes, factor[n], CODE_NO_REF, 0);
}

static void emit_fused(decoder *d, const contract_insn *c)
{
    const code_row *r = row_of(d, "fma");
    lane_type lane = (lane_type)r->lane[1];
    const ptx_operand *product = d->f->insns[c->product].operands;
    code_ref factor[2];
    for (uint32_t n = 0; n < 2; n++)
        factor[n] =
            d->contract[c->product].copied ? d->factors[c->product][n] : decode_source(d, &product[n + 1], lane);
    code_ref other = decode_source(d, &d->ops[c->operand == 0 ? 2 : 1], lane);
    if (c->minus) factor[0] = negated(d, factor[0]);
    if (c->minus_other) other = negated(d, other);
    code_ref to = decode_result(d, &d->ops[0], lane);
    code_insn *i = decode_emit(d, (code_op)r->op);
    i->d = to;
    i->a = factor[0];
    i->b = factor[1];
    i->c = other;
    i->alu.mods = (uint16_t)d->mods;
    decode_flush(d);
}

bool decode_contracted(decoder *d, uint32_t k)
{
    const contract_insn *c = d->contract ? &d->contract[k] : NULL;
    if (!c || c->kind == CONTRACT_NONE) return false;
    if (c->copied) keep_factors(d, k);
    if (c->product >= 0) emit_fused(d, c);
    return c->product >= 0 || c->dropped;
}
