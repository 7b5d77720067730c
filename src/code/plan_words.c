/* plan_words.c: which parts of loaded values are needed. Of a 64-bit value of which everything needs one half alone the
 * assembler loads that half. A 16-bit value that something needs extended with zeros is loaded by itself, into a register
 * of its own (machine code of ptxas 13.0). */
#include "code/plan.h"

#include <stdlib.h>

enum { LOW = PLAN_LOW_HALF, HIGH = PLAN_HIGH_HALF, BOTH = LOW | HIGH };

/* The walk over what one micro-operation reads. */
typedef struct need_walk {
    const decoder *d;
    uint8_t *needs; /* by virtual register */
    const code_insn *i;
    bool changed;
} need_walk;

static uint8_t result_needs(const need_walk *w)
{
    return code_is_virtual(w->i->d) ? w->needs[code_vreg_of(w->i->d)] : BOTH;
}

/* Sums and products need no more of their operands than the halves up to the highest that is needed of them. */
static uint8_t up_to(uint8_t needed) { return needed & HIGH ? BOTH : needed; }

static uint8_t shift_needs(const need_walk *w)
{
    uint64_t by;
    if (!plan_constant(w->d, w->i->b, &by)) return BOTH;
    return by >= 32 ? LOW : up_to(result_needs(w));
}

static uint8_t and_needs(const need_walk *w, code_ref r)
{
    uint64_t mask = 0;
    bool constant = plan_constant(w->d, r == w->i->a ? w->i->b : w->i->a, &mask);
    return result_needs(w) & (constant && mask >> 32 == 0 ? LOW : BOTH);
}

static uint8_t unpack_needs(const need_walk *w)
{
    const code_list *list = w->i->pack.list;
    if (w->i->pack.bytes != 4 || list->count != 2) return BOTH;
    uint8_t needed = 0;
    for (uint32_t k = 0; k < 2; k++)
        if (code_is_virtual(list->ref[k]) && w->needs[code_vreg_of(list->ref[k])]) needed |= k ? HIGH : LOW;
    return needed;
}

/* What the micro-operation needs of register r. */
static uint8_t needs_of(const need_walk *w, code_ref r, code_operand what)
{
    switch (w->i->op) {
    case OP_cvt_u32_u64:
    case OP_cvt_s32_u64:
    case OP_cvt_u32_s64:
    case OP_cvt_s32_s64:
    case OP_cvt_u16_u64:
    case OP_cvt_u16_s64:
    case OP_cvt_s16_s64:
    case OP_cvt_u8_u64:
    case OP_cvt_u8_s64:
    case OP_cvt_s8_s64: return what == OPERAND_A ? LOW : BOTH;
    case OP_add_s64:
    case OP_add_u64:
    case OP_sub_s64:
    case OP_sub_u64:
    case OP_mul_lo_s64:
    case OP_mul_lo_u64:
    case OP_mad_lo_s64:
    case OP_mad_lo_u64: return up_to(result_needs(w));
    case OP_or_b64:
    case OP_xor_b64:
    case OP_not_b64:
    case OP_mov_b64: return result_needs(w);
    case OP_selp64: return what == OPERAND_C ? BOTH : result_needs(w);
    case OP_and_b64: return and_needs(w, r);
    case OP_shl_b64: return what == OPERAND_A ? shift_needs(w) : BOTH;
    case OP_unpack: return unpack_needs(w);
    case OP_st: return what == OPERAND_LIST && w->i->mem.vector == 1 && w->i->mem.bytes <= 4 ? LOW : BOTH;
    default: return BOTH;
    }
}

static void add_need(void *user, code_ref r, code_operand what)
{
    need_walk *w = user;
    uint8_t *now = &w->needs[code_vreg_of(r)];
    uint8_t more = what == OPERAND_GUARD || what == OPERAND_CALL ? BOTH : needs_of(w, r, what);
    w->changed |= (more & ~*now) != 0;
    *now |= more;
}

/* Reads of a 16-bit register that need zeros above it. */
static bool extends(uint16_t op)
{
    switch (op) {
    case OP_add_s16:
    case OP_add_u16:
    case OP_sub_s16:
    case OP_sub_u16:
    case OP_and_b16:
    case OP_or_b16:
    case OP_xor_b16:
    case OP_not_b16:
    case OP_shl_b16:
    case OP_shr_u16:
    case OP_shr_b16:
    case OP_selp16:
    case OP_div_u16:
    case OP_rem_u16:
    case OP_mul_hi_u16:
    case OP_mul_wide_u16:
    case OP_mad_hi_u16:
    case OP_mad_wide_u16:
    case OP_setp_lt_u16:
    case OP_setp_le_u16:
    case OP_setp_gt_u16:
    case OP_setp_ge_u16:
    case OP_setp_lo_u16:
    case OP_setp_ls_u16:
    case OP_setp_hi_u16:
    case OP_setp_hs_u16:
    case OP_cvt_u32_u16:
    case OP_cvt_s32_u16:
    case OP_cvt_u64_u16:
    case OP_cvt_s64_u16:
    case OP_cvt_f32_b16: return true;
    default: return false;
    }
}

static void mark_extended(void *user, code_ref r, code_operand what)
{
    (void)what;
    ((uint8_t *)user)[code_vreg_of(r)] |= PLAN_EXTENDED;
}

uint8_t *plan_needs(const decoder *d)
{
    need_walk w = {.d = d, .needs = lw_alloc(d->vregs.count + 1), .changed = true};
    while (w.changed) {
        w.changed = false;
        for (size_t u = d->insns.count; u-- > 0;) {
            w.i = &d->insns.items[u];
            code_each_read(w.i, &d->infos.items[u], add_need, &w);
        }
    }
    for (size_t u = 0; u < d->insns.count; u++)
        if (extends(d->insns.items[u].op))
            code_each_read(&d->insns.items[u], &d->infos.items[u], mark_extended, w.needs);
    return w.needs;
}
