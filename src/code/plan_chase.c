/* plan_chase.c: kernels that follow links through an array which they also change (list ranking, union-find): where a
 * thread arrives depends on what others have written by then. This is no matter of the assembler, but of the schedule;
 * accesses at such addresses, and to the array, whose number may depend on it, are marked. An array is known by the parameter that points to it, so two parameters that
 * point to one array are missed. */
#include "code/plan.h"

static uint32_t bit_of(uint8_t base) { return base && base != PLAN_SEVERAL ? UINT32_C(1) << base : 0; }

/* Bits of the arrays that a link is followed through (a load at an address that was loaded from the same array), and of
 * those that are written. */
static uint32_t followed_and_written(const decoder *d, const plan_value *values)
{
    uint32_t followed = 0;
    uint32_t written = 0;
    for (size_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        plan_value address = plan_value_of(d, values, i->a);
        if (i->op == OP_ld && i->mem.space == PTX_GLOBAL) followed |= bit_of(address.base) & address.from;
        if (i->op == OP_st || i->op == OP_atom) written |= bit_of(address.base);
    }
    return followed & written;
}

void plan_chase(decoder *d, const plan_value *values)
{
    uint32_t arrays = followed_and_written(d, values);
    for (size_t u = 0; arrays && u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_ld && i->op != OP_st && i->op != OP_atom) continue;
        plan_value address = plan_value_of(d, values, i->a);
        if ((address.from | bit_of(address.base)) & arrays) plan_mark(d, i->site, PLAN_CHASED);
    }
}
