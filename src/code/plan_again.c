/* plan_again.c: a load from an address that was loaded before, with nothing between that may write it. The assembler
 * may load once and keep the value (tests/programs2/sample_groups_barriers.cu: scans, labelled). Whether it does
 * depends on registers and basic blocks: such rows are marked. */
#include "code/plan.h"

#include <stdlib.h>

typedef LW_VEC(uint32_t) load_list;

static bool ends_values(const code_insn *i)
{
    switch (i->op) {
    case OP_st: return i->mem.space != PTX_LOCAL;
    case OP_atom:
    case OP_bar:
    case OP_cluster_bar:
    case OP_fence:
    case OP_call:
    case OP_builtin: return true;
    default: return false;
    }
}

static bool is_plain_load(const code_insn *i)
{
    if (i->op != OP_ld) return false;
    bool space = i->mem.space == PTX_GLOBAL || i->mem.space == PTX_SHARED;
    return space && i->event_op != CODE_NO_EVENT && !i->mem.access.ordered;
}

static bool same_access(const code_insn *i, const code_insn *other)
{
    return i->a != CODE_NO_REF && i->a == other->a && i->mem.offset == other->mem.offset &&
           i->mem.bytes == other->mem.bytes && i->mem.vector == other->mem.vector && i->mem.space == other->mem.space;
}

typedef struct again {
    const decoder *d;
    load_list loads; /* micro-operations whose address still holds what they loaded */
} again;

static void drop_written(void *user, code_ref written, code_operand what)
{
    (void)what;
    const decoder *d = ((again *)user)->d;
    load_list *loads = &((again *)user)->loads;
    size_t kept = 0;
    for (size_t k = 0; k < loads->count; k++) {
        uint32_t u = loads->items[k];
        if (d->insns.items[u].a != written) loads->items[kept++] = u;
    }
    loads->count = kept;
}

static void add_load(decoder *d, load_list *loads, uint32_t u)
{
    const code_insn *i = &d->insns.items[u];
    for (size_t k = 0; k < loads->count; k++) {
        const code_insn *other = &d->insns.items[loads->items[k]];
        if (!same_access(i, other)) continue;
        plan_mark(d, other->site, PLAN_LOADED_AGAIN);
        plan_mark(d, i->site, PLAN_LOADED_AGAIN);
    }
    enum { REMEMBERED = 256 }; /* keeps straight-line code of many thousand loads linear */
    if (loads->count == REMEMBERED) loads->count = 0;
    lw_vec_push(loads, u);
}

void plan_again(decoder *d)
{
    again a = {.d = d};
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (ends_values(i)) a.loads.count = 0;
        if (is_plain_load(i)) add_load(d, &a.loads, u);
        code_each_written(i, &d->infos.items[u], drop_written, &a);
    }
    lw_vec_free(&a.loads);
}
