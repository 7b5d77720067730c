/* policy.c: the 64-bit values of createpolicy, and what a policy says of an access. Values as an H200 gives them (2026-11-29): the high byte is
 * the primary priority, + 1 if the secondary one is evict_first; below it stand the sixteenths of the accesses that the primary one is
 * for, less one. + 8: of a range of addresses, whose place and size stand below and are left out here. */
#include "code/decode.h"

#include <math.h>
#include <string.h>

#define UNCHANGED UINT64_C(0x10)
#define FIRST UINT64_C(0x12)
#define LAST UINT64_C(0x14)
#define NORMAL UINT64_C(0x16)
#define RANGE UINT64_C(0x08)
#define PRIORITY_SHIFT 56
#define SHARE_SHIFT 52
#define SHARES 16

static uint64_t priority_of(const decode_parts *p, uint32_t k)
{
    if (decode_part_is(p, k, "L2::evict_last")) return LAST;
    if (decode_part_is(p, k, "L2::evict_first")) return FIRST;
    if (decode_part_is(p, k, "L2::evict_normal")) return NORMAL;
    return decode_part_is(p, k, "L2::evict_unchanged") ? UNCHANGED : 0;
}

static double fraction_of(const ptx_operand *o)
{
    double wide;
    float narrow;
    uint32_t bits = (uint32_t)o->imm;
    if (o->kind == PTX_OP_F32) {
        memcpy(&narrow, &bits, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, &o->imm, sizeof wide);
    return o->kind == PTX_OP_F64 ? wide : 1;
}

uint64_t code_policy(const ptx_insn *in)
{
    decode_parts p = decode_split(in->mnemonic);
    uint64_t primary = 0, secondary = 0;
    for (uint32_t k = 1; k < p.count; k++) {
        uint64_t priority = priority_of(&p, k);
        if (priority && primary) secondary = priority;
        if (priority && !primary) primary = priority;
    }
    if (secondary == FIRST) primary |= 1;
    if (decode_parts_have(&p, "range")) return (primary | RANGE) << PRIORITY_SHIFT;
    double fraction = in->operand_count > 1 ? fraction_of(&in->operands[1]) : 1;
    uint64_t shares = (uint64_t)fmin(fmax(ceil(fraction * SHARES), 1), SHARES);
    return primary << PRIORITY_SHIFT | (shares - 1) << SHARE_SHIFT;
}

static bool begins(const ptx_insn *in, const char *with) { return !strncmp(in->mnemonic, with, strlen(with)); }

/* The only instruction of the function that gives the register a value; NULL: there are others, or none. */
static const ptx_insn *maker_of(const ptx_function *f, int32_t reg)
{
    const ptx_insn *found = NULL;
    for (size_t k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        if (!in->operand_count || in->operands[0].kind != PTX_OP_REG || in->operands[0].reg != reg) continue;
        if (begins(in, "st.")) continue; /* it reads it */
        if (found) return NULL;
        found = in;
    }
    return found;
}

/* Policies that are converted are that already. */
static bool is_move(const ptx_insn *in)
{
    return (begins(in, "mov.") || begins(in, "createpolicy.cvt.")) && in->operand_count == 2;
}

/* Not of a share of the accesses that stands in a register. */
static bool is_made(const ptx_insn *in)
{
    bool computed = in->operand_count > 1 && in->operands[1].kind == PTX_OP_REG;
    return begins(in, "createpolicy.") && !begins(in, "createpolicy.cvt.") && !computed;
}

/* The policy that the operand stands for; 0: it is not known before the kernel runs. */
static uint64_t value_of(const ptx_function *f, const ptx_operand *o)
{
    enum { MOVES_MOST = 8 };
    for (int moves = 0; moves < MOVES_MOST; moves++) {
        if (o->kind == PTX_OP_INT) return (uint64_t)o->imm;
        const ptx_insn *in = o->kind == PTX_OP_REG ? maker_of(f, o->reg) : NULL;
        if (!in) return 0;
        if (is_made(in)) return code_policy(in);
        if (!is_move(in)) return 0;
        o = &in->operands[1];
    }
    return 0;
}

uint8_t code_policy_eviction(const ptx_function *f, const ptx_insn *in)
{
    uint64_t value = value_of(f, &in->operands[in->operand_count - 1]), priority = value >> PRIORITY_SHIFT;
    bool all = (value >> SHARE_SHIFT & (SHARES - 1)) == SHARES - 1 && !(priority & (RANGE | 1));
    if (priority == NORMAL || priority == UNCHANGED) return EVENT_EVICT_NORMAL; /* of some accesses, too */
    if (!all) return EVENT_EVICT_UNKNOWN;
    return priority == FIRST ? EVENT_EVICT_FIRST : priority == LAST ? EVENT_EVICT_LAST : EVENT_EVICT_UNKNOWN;
}
