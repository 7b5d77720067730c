/* plan_chase.c: kernels that follow links through an array which they also change (list ranking, union-find): where a
 * thread arrives depends on what others have written by then. This is no matter of the assembler, but of the schedule;
 * accesses at such addresses, and to the array, whose number may depend on it, are marked. An array is known by the parameter that points to it, so two parameters that
 * point to one array are missed. */
#include "code/plan.h"

static uint32_t bit_of(uint8_t base) { return base && base != PLAN_SEVERAL ? UINT32_C(1) << base : 0; }

static uint32_t index_of(const decoder *d, const code_insn *i) { return (uint32_t)(i - d->out->insns); }

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

uint32_t plan_changed(const decoder *d, const plan_value *values)
{
    uint32_t changed = 0, elsewhere = 0;
    for (size_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        plan_value address = plan_value_of(d, values, i->a);
        if (i->op == OP_st || i->op == OP_atom) changed |= bit_of(address.base);
        if (i->op == OP_ld && address.from) elsewhere |= bit_of(address.base);
    }
    return changed & elsewhere;
}

/* Arrays that the kernel's atomics change. */
static uint32_t changed_by_atomics(const decoder *d, const plan_value *values)
{
    uint32_t arrays = 0;
    for (size_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_atom) arrays |= bit_of(plan_value_of(d, values, d->insns.items[u].a).base);
    return arrays;
}

static void mark_memory(decoder *d, uint32_t first, uint32_t last, enum plan_rule rule)
{
    for (uint32_t u = first; u <= last; u++) {
        uint32_t site = d->insns.items[u].site;
        if (!d->builder->sites.items[site].is_memory) continue;
        if (rule == PLAN_RACED) plan_mark_warps(d, site, rule);
        else plan_mark(d, site, rule);
    }
}

/* Do lanes leave the loop by what an atomic returned? Those of another thread come through shared memory (HeCBench asta: a
 * block follows a cycle until it meets another one there); loops that ask atomics themselves are spin loops. */
static bool ends_by_order(const decoder *d, const plan_value *values, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_bra || i->guard == CODE_NO_REF) continue;
        uint32_t target = index_of(d, i->branch.to->target);
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
        uint32_t first = index_of(d, i->branch.to->target);
        bool counts = i->guard != CODE_NO_REF && plan_value_of(d, values, i->guard & ~1u).from & arrays;
        if (counts || ends_by_order(d, values, first, u)) mark_memory(d, first, u, PLAN_ROUNDS);
    }
}

static plan_value guard_of(const decoder *d, const plan_value *values, const code_insn *i)
{
    return plan_value_of(d, values, i->guard == CODE_NO_REF ? CODE_NO_REF : i->guard & ~1u);
}

/* Bits of the arrays of which all threads of a block load and store the same words: each warp does the block's work, and
 * the later ones find what the first has left. */
static uint32_t raced(const decoder *d, const plan_value *values)
{
    uint32_t loaded = 0, stored = 0,
             some = 0; /* up to there some lanes of a warp may have jumped over what stands here */
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        bool varies = guard_of(d, values, i).uniform == PLAN_VARIES;
        if (i->op == OP_bra && varies) some = LW_MAX(some, index_of(d, i->branch.to->target));
        if (i->op != OP_ld && i->op != OP_st) continue;
        plan_value address = plan_value_of(d, values, i->a);
        uint32_t array = bit_of(address.base);
        if (i->mem.space != PTX_GLOBAL || !array || address.uniform == PLAN_VARIES) continue;
        if (i->op == OP_ld) loaded |= array;
        else if (!varies && some <= u) stored |= array;
    }
    return loaded & stored;
}

/* What is executed or not by what a branch asks of such arrays, or of data that a lane took from where an atomic said. */
static void mark_behind_branches(decoder *d, const plan_value *values)
{
    uint32_t arrays = raced(d, values);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_bra || i->guard == CODE_NO_REF) continue;
        plan_value guard = guard_of(d, values, i);
        bool taken = guard.order & PLAN_ORDER_DATA;
        if (!taken && !(guard.from & arrays)) continue;
        const code_branch *b = i->branch.to;
        uint32_t target = index_of(d, b->target), end = LW_MAX(target, b->join ? index_of(d, b->join) : 0);
        mark_memory(d, LW_MIN(target, u + 1), b->backward ? u : end - 1, taken ? PLAN_TAKEN : PLAN_RACED);
    }
}

void plan_chase(decoder *d, const plan_value *values)
{
    mark_rounds(d, values);
    mark_behind_branches(d, values);
    uint32_t arrays = followed_and_written(d, values);
    for (size_t u = 0; arrays && u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_ld && i->op != OP_st && i->op != OP_atom) continue;
        plan_value address = plan_value_of(d, values, i->a);
        if ((address.from | bit_of(address.base)) & arrays) plan_mark(d, i->site, PLAN_CHASED);
    }
}
