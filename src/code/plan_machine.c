/* plan_machine.c: rules of the count plan that would change how many loads and stores the machine code has, or how wide they
 * are, did not act where it has just those of the plan; and where it has some of a width that the plan has not, or the other
 * way round, something acted that is no rule of the plan. Known of kernels whose machine code lies beside their PTX, and that
 * call nothing: which of its instructions belong to a function is not to be seen there. */
#include "code/plan.h"

#include <stdlib.h>
#include <string.h>

static bool space_of(uint8_t space, uint8_t *out)
{
    switch (space) {
    case PTX_GENERIC: *out = CODE_OF_GENERIC; return true;
    case PTX_GLOBAL: *out = CODE_OF_GLOBAL; return true;
    case PTX_SHARED: *out = CODE_OF_SHARED; return true;
    case PTX_LOCAL: *out = CODE_OF_LOCAL; return true;
    default: return false;
    }
}

bool plan_access_of(const code_insn *i, plan_access *out)
{
    enum { WORD_BYTES = 4 };
    if ((i->op != OP_ld && i->op != OP_st) || (i->event_op != EVENT_LOAD && i->event_op != EVENT_STORE)) return false;
    uint32_t bytes =
        i->mem.access.joined_words ? i->mem.access.joined_words * WORD_BYTES : i->mem.bytes * i->mem.vector;
    if (!space_of(i->mem.space, &out->space) || !bytes) return false;
    out->direction = i->op == OP_st ? CODE_STORES : CODE_LOADS;
    out->width = (uint8_t)(31 - __builtin_clz(bytes));
    return out->width < CODE_ACCESS_WIDTHS;
}

plan_machine plan_compare(const decoder *d)
{
    const kernel_builder *b = d->builder;
    plan_machine m = {.known = b->options.accesses && b->queue.count == 1 && !b->uses_indirect};
    for (size_t u = 0; m.known && u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        plan_access a;
        if (plan_access_of(i, &a)) m.planned[a.space][a.direction][a.width] += i->mem.access.apart ? 2 : 1;
        if (i->op == OP_atom && b->sites.items[i->site].swaps)
            m.planned[CODE_OF_SHARED][CODE_LOADS][i->mem.bytes == 8 ? 3 : 2]++;
    }
    for (uint32_t s = 0; m.known && s < CODE_ACCESS_SPACES; s++)
        for (uint32_t k = 0; k < CODE_ACCESS_DIRECTIONS; k++)
            m.equal[s][k] = !memcmp(m.planned[s][k], (*b->options.accesses)[s][k], sizeof m.planned[s][k]);
    return m;
}

bool plan_is_equal(const plan_machine *m, const code_insn *i)
{
    plan_access a;
    return m->known && plan_access_of(i, &a) && m->equal[a.space][a.direction];
}

/* Are there micro-operations that load or store beside loads and stores, as loops around atomics do? */
static bool has_others(const decoder *d)
{
    for (size_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_ld || i->op == OP_st || !d->builder->sites.items[i->site].is_memory) continue;
        if (i->op != OP_atom || i->mem.bytes == 2 || d->builder->sites.items[i->site].swaps) return true;
        if (i->mem.atomic.event_class == EVENT_ATOMIC_FADD) return true; /* packed halves */
    }
    return false;
}

/* Copies, of loops or of what stands behind branches, are as wide as what they are of. */
static bool other_widths(const uint32_t *planned, const uint32_t *machine, bool others)
{
    for (uint32_t w = 0; w < CODE_ACCESS_WIDTHS; w++)
        if ((planned[w] && !machine[w]) || (machine[w] && !planned[w] && !others)) return true;
    return false;
}

/* Marks loads and stores where widths show that the assembler did what the plan does not know. Local memory has rules of its
 * own, and generic accesses may have become ones of a space. */
static void mark_other_widths(decoder *d, const plan_machine *m)
{
    bool marked[CODE_ACCESS_SPACES][CODE_ACCESS_DIRECTIONS] = {{false}};
    bool generic = false, others = has_others(d);
    for (uint32_t k = 0; k < CODE_ACCESS_DIRECTIONS; k++)
        for (uint32_t w = 0; w < CODE_ACCESS_WIDTHS; w++) generic |= m->planned[CODE_OF_GENERIC][k][w];
    for (uint32_t k = 0; k < CODE_ACCESS_DIRECTIONS && !generic; k++) {
        const code_accesses *machine = d->builder->options.accesses;
        marked[CODE_OF_GLOBAL][k] = other_widths(m->planned[CODE_OF_GLOBAL][k], (*machine)[CODE_OF_GLOBAL][k], others);
        marked[CODE_OF_SHARED][k] = other_widths(m->planned[CODE_OF_SHARED][k], (*machine)[CODE_OF_SHARED][k], others);
    }
    for (size_t u = 0; u < d->insns.count; u++) {
        plan_access a;
        const code_insn *i = &d->insns.items[u];
        if (plan_access_of(i, &a) && marked[a.space][a.direction]) plan_mark_surely(d, i->site, PLAN_OTHER_WIDTHS);
    }
}

void plan_settle(decoder *d, const plan_machine *m)
{
    kernel_builder *b = d->builder;
    bool *equal = lw_alloc(b->sites.count + 1); /* by site */
    for (size_t u = 0; m->known && u < d->insns.count; u++)
        equal[d->insns.items[u].site] |= plan_is_equal(m, &d->insns.items[u]);
    for (size_t k = 0; k < b->doubts.count; k++)
        if (!equal[b->doubts.items[k].site])
            plan_mark_surely(d, b->doubts.items[k].site, (enum plan_rule)b->doubts.items[k].rule);
    b->doubts.count = 0;
    if (m->known) mark_other_widths(d, m);
    free(equal);
}
