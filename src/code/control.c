/* control.c: control flow of one decoded function: branch targets, where the lanes of a divergent branch wait for each
 * other (graph.c finds it), and loops whose exit depends on what other threads do (spin loops). */
#include "code/graph.h"
#include "code/invariants.h"
#include "code/uops.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- spin loops */
static bool is_plain_load(const code_insn *i)
{
    ptx_space space = (ptx_space)i->mem.space;
    return i->op == OP_ld && (space == PTX_GLOBAL || space == PTX_SHARED || space == PTX_GENERIC);
}

/* plain: loads that are neither volatile nor ordered count, too. */
static bool reads_shared_state(const decoder *d, uint32_t u, bool plain)
{
    const code_insn *i = &d->insns.items[u];
    switch (i->op) {
    case OP_atom: return true;
    case OP_mbarrier: return i->mem.mbarrier.operation == MBAR_TEST_WAIT || i->mem.mbarrier.operation == MBAR_TRY_WAIT;
    case OP_ld: return i->mem.access.ordered || (plain && is_plain_load(i));
    default: return false;
    }
}

/* Whoever sleeps waits for somebody. */
static bool sleeps_in(const decoder *d, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u <= last; u++)
        if (d->insns.items[u].op == OP_nanosleep) return true;
    return false;
}

/* Registers whose values follow from what other threads do. */
typedef struct taint_walk {
    uint8_t *taint; /* by virtual register */
    bool plain;     /* see reads_shared_state() */
    bool tainted;   /* a source was found */
    bool changed;   /* a result was added */
} taint_walk;

static void find_taint(void *user, code_ref r, code_operand what)
{
    taint_walk *w = user;
    bool source = what != OPERAND_GUARD && what != OPERAND_CALL;
    w->tainted |= source && w->taint[code_vreg_of(r)];
}

static void add_taint(void *user, code_ref r, code_operand what)
{
    taint_walk *w = user;
    uint8_t *t = &w->taint[code_vreg_of(r)];
    if (*t || what == OPERAND_CALL) return;
    *t = 1;
    w->changed = true;
}

/* Micro-operation a branch goes to, whether patched already or not. */
static uint32_t branch_target(const decoder *d, uint32_t u)
{
    const code_insn *i = &d->insns.items[u];
    return i->branch.to ? (uint32_t)(i->branch.to->target - d->out->insns) : d->uop_of_insn[i->branch.label];
}

/* Does straight code from u leave the loop [first, last]? A way out is often a jump without a guard, behind a branch
 * that goes round it. */
static bool leads_out(const decoder *d, uint32_t u, uint32_t first, uint32_t last)
{
    for (uint32_t steps = 0; u >= first && u <= last && steps <= last - first; steps++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_brx || (i->op == OP_bra && i->guard != CODE_NO_REF)) return false;
        if (i->guard == CODE_NO_REF && (i->op == OP_exit || i->op == OP_ret)) return true;
        u = i->op == OP_bra ? branch_target(d, u) : u + 1;
    }
    return u < first || u > last;
}

static void taint_written(const decoder *d, uint32_t u, taint_walk *w)
{
    code_each_written(&d->insns.items[u], &d->infos.items[u], add_taint, w);
}

/* What is written between a branch of the loop and the place where its lanes meet again depends on the branch too:
 * `if (flag >= 0) i += step;`. */
static void taint_region(const decoder *d, const code_graph *g, uint32_t u, uint32_t last, taint_walk *w)
{
    uint32_t join = g->ipdom[code_block_of(d, g, d->infos.items[u].ptx_insn)];
    if (join == CODE_NO_BLOCK || join >= g->count) return;
    uint32_t end = d->uop_of_insn[g->first[join]];
    for (uint32_t v = u + 1; v < end && v <= last; v++) taint_written(d, v, w);
}

static bool any_reads_shared_state(const decoder *d, uint32_t first, uint32_t last, bool plain)
{
    for (uint32_t u = first; u <= last; u++)
        if (reads_shared_state(d, u, plain)) return true;
    return false;
}

/* One pass over [first, last]: results of tainted sources are tainted. */
static void spread_taint(const decoder *d, const code_graph *g, uint32_t first, uint32_t last, taint_walk *w)
{
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        w->tainted = reads_shared_state(d, u, w->plain);
        code_each_read(i, &d->infos.items[u], find_taint, w);
        if (w->tainted) taint_written(d, u, w);
        bool guarded = i->op == OP_bra && i->guard != CODE_NO_REF;
        if (guarded && w->taint[code_vreg_of(i->guard)]) taint_region(d, g, u, last, w);
    }
}

/* Does a branch out of micro-operations [first, last] (a loop) depend on an atomic, volatile or mbarrier result? Or on that
 * of any load, if the loop sleeps: a flag without `volatile` is read again there (the twelfth draw: ngo_serial). */
static bool is_spin_loop(const decoder *d, const code_graph *g, uint32_t first, uint32_t last)
{
    enum { LONGEST = 4000 }; /* longer loops wait for nobody */
    if (last - first > LONGEST) return false;
    bool plain = sleeps_in(d, first, last);
    if (!any_reads_shared_state(d, first, last, plain)) return false;
    taint_walk w = {.taint = lw_alloc(d->vregs.count), .plain = plain, .changed = true};
    while (w.changed) {
        w.changed = false;
        spread_taint(d, g, first, last, &w);
    }
    bool spin = false;
    for (uint32_t u = first; u <= last && !spin; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_bra || i->guard == CODE_NO_REF) continue;
        if (!w.taint[code_vreg_of(i->guard)]) continue;
        spin = leads_out(d, branch_target(d, u), first, last) || leads_out(d, u + 1, first, last);
    }
    free(w.taint);
    return spin;
}

/* ---------------------------------------------------------------- patching */
static const code_insn *block_insn(decoder *d, const code_graph *g, uint32_t block)
{
    return &d->out->insns[d->uop_of_insn[g->first[block]]];
}

static const code_insn *join_of(decoder *d, code_graph *g, uint32_t block)
{
    uint32_t j = g->ipdom[block];
    if (j == CODE_NO_BLOCK || j >= g->count) return NULL;
    d->insns.items[d->uop_of_insn[g->first[j]]].block.joins = true;
    return block_insn(d, g, j);
}

/* Innermost loops, by micro-operation. */
typedef struct loops {
    uint32_t *end; /* the first branch behind it that leads back to it, or before it; or UINT32_MAX */
    bool *left;    /* of such a branch: others lead out of the loop as well */
    bool *crossed; /* by block of the graph: see code_crossed() */
} loops;

static void find_ends(const decoder *d, uint32_t *ends)
{
    for (uint32_t u = 0; u < d->insns.count; u++) ends[u] = UINT32_MAX;
    for (uint32_t v = 0; v < d->insns.count; v++) {
        if (d->insns.items[v].op != OP_bra || branch_target(d, v) > v) continue;
        uint32_t first = branch_target(d, v), u = v + 1;
        while (u > first) { /* loops inside are passed over */
            u--;
            if (ends[u] == UINT32_MAX) ends[u] = v;
            else u = LW_MIN(u, branch_target(d, ends[u]));
        }
    }
}

static loops find_loops(const decoder *d, const code_graph *g)
{
    loops l = {lw_alloc((d->insns.count + 1) * sizeof *l.end), lw_alloc(d->insns.count + 1), code_crossed(d, g)};
    find_ends(d, l.end);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        uint32_t end = l.end[u];
        if (d->insns.items[u].op == OP_bra && end != UINT32_MAX && branch_target(d, u) > end) l.left[end] = true;
    }
    return l;
}

/* Lanes that conditions send to the same place meet there (exec/control.c), but not those that leave a loop in different
 * rounds: each goes on at once (the ninth draw's histogram_coarsened: what stands before a `break`). */
static bool may_meet_at_target(const loops *l, uint32_t u, uint32_t target)
{
    return target > u && (l->end[u] == UINT32_MAX || target <= l->end[u]);
}

/* The block behind a branch, if it only jumps on to where lanes meet: `if (a && b)` as `@a bra 1; bra.uni 2; 1:`. Not in
 * loops with a `break` (the same draw's aag_merge merge_sorted_array_kernel_v2: its lanes do not meet at the else). */
static const code_insn *jump_behind(const decoder *d, const loops *l, uint32_t u)
{
    if (d->insns.items[u].guard == CODE_NO_REF || u + 2 >= d->insns.count) return NULL;
    if (l->end[u] != UINT32_MAX && l->left[l->end[u]]) return NULL;
    const code_insn *jump = &d->insns.items[u + 2];
    bool jumps = d->insns.items[u + 1].op == OP_block && jump->op == OP_bra && jump->guard == CODE_NO_REF;
    return jumps && may_meet_at_target(l, u + 2, branch_target(d, u + 2)) ? &d->out->insns[u + 1] : NULL;
}

static void patch_branch(decoder *d, code_graph *g, const loops *l, uint32_t u, uint32_t block)
{
    code_insn *i = &d->insns.items[u];
    code_branch *br = LW_NEW(d->arena, code_branch);
    uint32_t target = d->uop_of_insn[i->branch.label];
    br->target = &d->out->insns[target];
    br->backward = target <= u;
    bool crossed = l->crossed[code_block_of(d, g, i->branch.label)];
    if (may_meet_at_target(l, u, target) && !crossed) d->insns.items[target].block.joins = true;
    if (!br->backward) br->over = jump_behind(d, l, u);
    br->join = join_of(d, g, block);
    if (br->backward) {
        br->spin = is_spin_loop(d, g, target, u);
        br->nounroll = d->f->insns[i->branch.label].nounroll;
    }
    i->branch.to = br;
}

static void patch_table(decoder *d, code_graph *g, uint32_t u, uint32_t block)
{
    code_insn *i = &d->insns.items[u];
    const ptx_targets *t = i->table.labels;
    code_table *table = lw_arena_alloc(d->arena, sizeof *table + t->count * sizeof table->target[0]);
    table->count = (uint32_t)t->count;
    table->join = join_of(d, g, block);
    for (size_t k = 0; k < t->count; k++) table->target[k] = &d->out->insns[d->uop_of_insn[t->labels[k]]];
    i->table.to = table;
}

lw_status code_control_flow(decoder *d, lw_error *error)
{
    (void)error;
    code_graph g;
    code_graph_build(d, &g);
    loops l = find_loops(d, &g);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        code_insn *i = &d->insns.items[u];
        uint32_t insn = d->infos.items[u].ptx_insn;
        uint32_t block = insn <= d->f->insn_count ? code_block_of(d, &g, insn) : 0;
        if (i->op == OP_bra) {
            patch_branch(d, &g, &l, u, block);
        } else if (i->op == OP_brx) {
            patch_table(d, &g, u, block);
        } else if (i->op == OP_call) {
            uint32_t next = d->uop_of_insn[insn + 1];
            d->infos.items[u].call->join = &d->out->insns[next];
            d->insns.items[next].block.joins = true;
        }
    }
    code_guard_barriers(d, &g);
    code_check_joins(&g);
    code_graph_free(&g);
    free(l.end);
    free(l.left);
    free(l.crossed);
    return LW_OK;
}
