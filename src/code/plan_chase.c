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

/* Arrays that the kernel's atomics change. */
static uint32_t changed_by_atomics(const decoder *d, const plan_value *values)
{
    uint32_t arrays = 0;
    for (size_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_atom) arrays |= bit_of(plan_value_of(d, values, d->insns.items[u].a).base);
    return arrays;
}

static void mark_memory(decoder *d, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u <= last; u++)
        if (d->builder->sites.items[d->insns.items[u].site].is_memory)
            plan_mark(d, d->insns.items[u].site, PLAN_ROUNDS);
}

/* Do lanes leave the loop by what an atomic returned? Those of another thread come through shared memory (HeCBench asta: a
 * block follows a cycle until it meets another one there); loops that ask atomics themselves are spin loops. */
static bool ends_by_order(const decoder *d, const plan_value *values, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_bra || i->guard == CODE_NO_REF) continue;
        uint32_t target = (uint32_t)(i->branch.to->target - d->out->insns);
        bool leaves = u == last || target < first || target > last;
        if (leaves && plan_value_of(d, values, i->guard & ~1u).order & PLAN_ORDER_ROUNDS) return true;
    }
    return false;
}

/* `for (i = 0; i < *count; i++)` where other threads add to *count meanwhile (a fourth draw of public programs: ELL_kernel). */
static void mark_rounds(decoder *d, const plan_value *values)
{
    uint32_t arrays = changed_by_atomics(d, values);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_bra || !i->branch.to->backward) continue;
        uint32_t first = (uint32_t)(i->branch.to->target - d->out->insns);
        bool counts = i->guard != CODE_NO_REF && plan_value_of(d, values, i->guard & ~1u).from & arrays;
        if (counts || ends_by_order(d, values, first, u)) mark_memory(d, first, u);
    }
}

void plan_chase(decoder *d, const plan_value *values)
{
    mark_rounds(d, values);
    uint32_t arrays = followed_and_written(d, values);
    for (size_t u = 0; arrays && u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_ld && i->op != OP_st && i->op != OP_atom) continue;
        plan_value address = plan_value_of(d, values, i->a);
        if ((address.from | bit_of(address.base)) & arrays) plan_mark(d, i->site, PLAN_CHASED);
    }
}
