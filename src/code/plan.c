/* plan.c: applies the count plan (plan.def) to a decoded function before registers are assigned. */
#include "code/decode.h"
#include "exec/event.h"

#include <stdlib.h>

enum {
#define PLAN(id, exact, why, proof) PLAN_##id,
#include "code/plan.def"
#undef PLAN
};
static const struct { bool exact; const char *why; } rules[] = {
#define PLAN(id, exact, why, proof) {exact, why},
#include "code/plan.def"
#undef PLAN
};

static void mark(decoder *d, uint32_t site, uint32_t rule)
{
    if (rules[rule].exact) return;
    code_site *s = &d->builder->sites.items[site];
    s->exact = false;
    if (!s->why) s->why = rules[rule].why;
}

static void count_read(uint32_t *reads, code_ref r)
{
    if (r != CODE_NO_REF && (r & VIRTUAL)) reads[(r & ~VIRTUAL) >> 2]++;
}

/* How often each virtual register is read. */
static uint32_t *count_reads(const decoder *d)
{
    uint32_t *reads = lw_alloc(d->vregs.count * sizeof *reads);
    for (size_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        const uop_info *n = &d->infos.items[u];
        count_read(reads, i->guard), count_read(reads, i->a), count_read(reads, i->b), count_read(reads, i->c);
        if (!n->writes_e || i->op == OP_add_cc || i->op == OP_mad_cc) count_read(reads, i->e);
        if (!n->writes_d || n->reads_d) count_read(reads, i->d);
        for (uint32_t k = 0; n->list && k < n->list->count; k++)
            if (!(n->list->written >> k & 1)) count_read(reads, n->list->ref[k]);
        for (uint32_t k = 0; n->call && k < n->call->argument_count; k++) count_read(reads, n->call->arguments[k].ref);
    }
    return reads;
}

static bool is_constant_one(const decoder *d, code_ref r)
{
    if (r == CODE_NO_REF || (r & VIRTUAL) || (r & 3) != CODE_LAUNCH) return false;
    for (size_t k = 0; k < d->builder->fills[CODE_LAUNCH].count; k++) {
        const code_fill *f = &d->builder->fills[CODE_LAUNCH].items[k];
        if (f->offset == (r & ~3u)) return f->kind == FILL_IMM && f->value == 1;
    }
    return false;
}

static void plan_atomic(decoder *d, code_insn *i, const uop_info *n, const uint32_t *reads)
{
    bool dead = true, shared = i->space == CODE_SHARED;
    for (uint32_t k = 0; k < i->vector; k++) {
        code_ref r = n->list->ref[k];
        if (r != CODE_NO_REF && (r & VIRTUAL) && reads[(r & ~VIRTUAL) >> 2]) dead = false;
    }
    if (i->event_op == EV_ATOMIC && dead && i->sub != ATOM_CAS && i->sub != ATOM_EXCH) i->event_op = EV_REDUCTION;
    if (dead && i->atomic == EV_ATOMIC_ADD && i->bytes == 4 && is_constant_one(d, n->list->ref[i->vector]))
        i->atomic = EV_ATOMIC_ADD_1;
    if (shared && (i->atomic == EV_ATOMIC_FADD || (i->bytes == 8 && i->sub != ATOM_EXCH && i->sub != ATOM_CAS)))
        mark(d, i->site, PLAN_SHARED_CAS_LOOP);
}

static void plan_spin(decoder *d, size_t u)
{
    const code_branch *b = d->insns.items[u].ptr;
    if (!b->spin) return;
    for (const code_insn *t = b->target; t <= &d->out->insns[u]; t++) {
        const code_insn *i = &d->insns.items[t - d->out->insns];
        if (d->builder->sites.items[i->site].is_memory) mark(d, i->site, PLAN_SPIN_LOOP);
    }
}

void apply_plan(decoder *d)
{
    if (d->kernel->no_count_plan) return;
    uint32_t *reads = count_reads(d);
    for (size_t u = 0; u < d->insns.count; u++) {
        code_insn *i = &d->insns.items[u];
        if (i->op == OP_atom) plan_atomic(d, i, &d->infos.items[u], reads);
        if (i->op == OP_bra) plan_spin(d, u);
        if ((i->op == OP_ld || i->op == OP_st) && i->space == CODE_LOCAL) mark(d, i->site, PLAN_LOCAL_PROMOTED);
    }
    free(reads);
}
