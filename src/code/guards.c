/* guards.c: barriers that only one way of a branch leads to. The assembler executes a short block without branches under a
 * predicate, barriers in it, too (`@!P0 BAR.SYNC`): a warp then comes to the barrier whole, whoever takes the branch. Around a
 * longer block it branches: lanes that do not come by are waited for there, but never come.
 *
 * What ptxas 13.0 does for sm_90 (1,747 barriers of 1,458 small kernels: of 1,551 that are said to be either, 94 % are, and none
 * that is said to be branched around is guarded; tools/compare_machine.py compares): up to 8 machine instructions with the
 * barrier; with loads from global memory, whose latency it hides behind what stands before and behind, up to 20, but none behind a
 * second condition, `if (p && q)`, for which memory is accessed (of 140 small kernels with such all are branched around). Blocks with
 * atomics, calls, slow paths, fences, shuffles and votes are branched around. */
#include "code/graph.h"
#include "code/plan.h"
#include "code/uops.h"

#include <stdlib.h>

/* Halves of machine instructions before the branch and where the ways meet, to hide a load behind. */
enum { ENOUGH = 10 };
/* The address of shared memory: a special register, a constant, and both put together; computed once for all that follow. */
enum { WINDOW = 6 };
enum { DIVISION = 32 }; /* of whole numbers by what is no constant */

typedef struct guards {
    decoder *d;
    const code_graph *g;
    uint32_t *entered;      /* by block: how many edges lead to it */
    uint32_t *from;         /* by block: where the last of them comes from */
    uint32_t shared_before; /* the first PTX instruction that names a shared variable */
} guards;

/* ---------------------------------------------------------------- the graph */
static void find_entries(guards *s)
{
    const code_graph *g = s->g;
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++) {
            s->entered[g->edges.items[e]]++;
            s->from[g->edges.items[e]] = b;
        }
}

static uint32_t ways_from(const guards *s, uint32_t b) { return s->g->edge_start[b + 1] - s->g->edge_start[b]; }
static uint32_t way_from(const guards *s, uint32_t b, uint32_t k) { return s->g->edges.items[s->g->edge_start[b] + k]; }
static uint32_t first_uop(const guards *s, uint32_t b) { return s->d->uop_of_insn[s->g->first[b]]; }
static uint32_t end_of_block(const guards *s, uint32_t b)
{
    return b + 1 < s->g->count ? first_uop(s, b + 1) : (uint32_t)s->d->insns.count;
}

/* Does block b do no more than jump on? */
static bool only_jumps(const guards *s, uint32_t b)
{
    if (b >= s->g->count || ways_from(s, b) != 1) return false;
    const code_insn *i = &s->d->insns.items[first_uop(s, b) + 1];
    return end_of_block(s, b) - first_uop(s, b) == 2 && i->op == OP_bra && i->guard == CODE_NO_REF;
}

static uint32_t behind_jumps(const guards *s, uint32_t b)
{
    for (int jumps = 0; jumps < 4 && only_jumps(s, b); jumps++) b = way_from(s, b, 0); /* jumps may go round */
    return b;
}

/* Does block b end the thread, and nothing else? */
static bool only_ends(const guards *s, uint32_t b)
{
    return end_of_block(s, b) - first_uop(s, b) <= 2 && ways_from(s, b) == 1 && way_from(s, b, 0) == s->g->count;
}

/* A branch of which a block is one way, and both ways meet behind it. */
typedef struct fork {
    uint32_t from, meet; /* blocks */
    const code_insn *branch;
} fork;

static bool find_fork(const guards *s, uint32_t b, fork *out)
{
    if (s->entered[b] != 1 || ways_from(s, b) != 1) return false;
    uint32_t a = s->from[b], meet = behind_jumps(s, way_from(s, b, 0));
    if (only_jumps(s, a) && s->entered[a] == 1) a = s->from[a];
    if (a >= b || ways_from(s, a) != 2 || meet >= s->g->count) return false;
    uint32_t other = behind_jumps(s, way_from(s, a, 0));
    if (other == b) other = behind_jumps(s, way_from(s, a, 1));
    bool is_way = other < s->g->count && other != meet && s->entered[other] == 1 && ways_from(s, other) == 1;
    if (is_way) other = behind_jumps(s, way_from(s, other, 0));
    const code_insn *bra = &s->d->insns.items[end_of_block(s, a) - 1];
    *out = (fork){a, meet, bra};
    return other == meet && bra->op == OP_bra && bra->branch.to->join;
}

/* ---------------------------------------------------------------- how long it is */
static bool names_shared(const ptx_insn *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++) {
        const ptx_variable *v = in->operands[k].variable;
        if (v && v->space == PTX_SHARED) return true;
    }
    return false;
}

static uint32_t halves_of(const guards *s, uint32_t u)
{
    const code_insn *i = &s->d->insns.items[u];
    const ptx_insn *in = &s->d->f->insns[s->d->infos.items[u].ptx_insn];
    switch (i->op) {
    case OP_ld: return i->mem.space == PTX_PARAM ? 0 : 2;
    case OP_mov_b16:
    case OP_mov_b32:
    case OP_mov_b64: return in->operands[1].kind == PTX_OP_INT ? 2 : 0; /* floats, too */
    case OP_shl_b32: return 0;                                          /* one with the addition behind it */
    case OP_cvta: return 2; /* of a parameter, which must be loaded to be added to */
    default: return plan_splits_block(s->d, i) ? DIVISION : plan_halves(i);
    }
}

/* What may stand under a predicate. */
static bool may_be_guarded(const code_insn *i)
{
    switch (i->op) {
    case OP_block:
    case OP_nop:
    case OP_ld:
    case OP_st:
    case OP_activemask:
    case OP_cp_async:
    case OP_special: return true;
    case OP_bar: return i->barrier.operation == BAR_SYNC;
    default: return code_uops[i->op].computes && !plan_has_slow_path(i->op);
    }
}

/* Of a whole block, or up to its barrier. */
static uint32_t halves_of_block(const guards *s, uint32_t b)
{
    uint32_t halves = 0;
    for (uint32_t u = first_uop(s, b); u < end_of_block(s, b) && halves < ENOUGH; u++) {
        if (s->d->insns.items[u].op == OP_bar) break;
        halves += halves_of(s, u);
    }
    return halves;
}

/* Of a block and those before it: what is put under predicates there becomes one block with it. */
static uint32_t halves_before(const guards *s, uint32_t b)
{
    enum { BLOCKS = 4 };
    uint32_t halves = halves_of_block(s, b);
    for (uint32_t k = 1; k < BLOCKS && b && s->from[b] < b; k++)
        halves += halves_of_block(s, --b); /* not out of a loop */
    return halves;
}

/* Where it is a matter of few instructions, neither is sure. */
static code_barrier_way way_by_length(const guards *s, const fork *f, uint32_t halves, bool loads)
{
    uint32_t limit = loads ? PLAN_LONGEST_HALVES : PLAN_HALVES;
    if (halves > limit) return loads && halves <= limit + limit / 4 ? BARRIER_EITHER : BARRIER_BRANCHED;
    bool hides = !loads || halves_before(s, f->from) + halves_of_block(s, f->meet) >= ENOUGH;
    return hides ? BARRIER_GUARDED : BARRIER_EITHER;
}

static bool has_access(const guards *s, uint32_t b)
{
    for (uint32_t u = first_uop(s, b); u < end_of_block(s, b); u++) {
        uint16_t op = s->d->insns.items[u].op;
        if (op == OP_ld || op == OP_st || op == OP_atom) return true;
    }
    return false;
}

/* Does the branch before the fork lead to where its ways meet, too, `if (p && q)`, and is q not computed with p? */
static bool is_second(const guards *s, const fork *f)
{
    uint32_t before = s->from[f->from];
    if (s->entered[f->from] != 1 || before >= f->from || ways_from(s, before) != 2) return false;
    bool meets =
        behind_jumps(s, way_from(s, before, 0)) == f->meet || behind_jumps(s, way_from(s, before, 1)) == f->meet;
    return meets && has_access(s, f->from);
}

static code_barrier_way way_of_block(const guards *s, uint32_t b, const fork *f)
{
    uint32_t halves = 0;
    bool window = s->shared_before >= s->g->first[b], loads = false;
    for (uint32_t u = first_uop(s, b); u < end_of_block(s, b); u++) {
        const code_insn *i = &s->d->insns.items[u];
        if (i->op == OP_bra && i->guard == CODE_NO_REF) break;
        if (i->op == OP_bar && i->barrier.operation != BAR_SYNC) return BARRIER_EITHER;
        if (!may_be_guarded(i)) return BARRIER_BRANCHED;
        loads |= i->op == OP_ld && (i->mem.space == PTX_GLOBAL || i->mem.space == PTX_GENERIC);
        if (window && names_shared(&s->d->f->insns[s->d->infos.items[u].ptx_insn])) {
            halves += WINDOW;
            window = false;
        }
        halves += halves_of(s, u);
        if (halves > 2 * PLAN_LONGEST_HALVES) return BARRIER_BRANCHED;
    }
    if (loads && is_second(s, f)) return BARRIER_BRANCHED;
    code_barrier_way way = way_by_length(s, f, halves, loads);
    return way == BARRIER_GUARDED && only_ends(s, f->meet) ? BARRIER_EITHER : way; /* or the others end before */
}

static void mark_barrier(guards *s, uint32_t u)
{
    code_insn *i = &s->d->insns.items[u];
    uint32_t b = code_block_of(s->d, s->g, s->d->infos.items[u].ptx_insn);
    fork f;
    if (i->guard != CODE_NO_REF || !i->barrier.aligned) return;
    i->barrier.way = find_fork(s, b, &f) ? way_of_block(s, b, &f) : BARRIER_BRANCHED;
    if (i->barrier.way == BARRIER_GUARDED) i->barrier.join = f.branch->branch.to->join;
}

/* Names every barrier's way; before, all are BARRIER_EITHER. Functions that are called are left out, and what is assembled
 * for a debugger: everything is branched around there, but then lanes wait for each other. */
void code_guard_barriers(decoder *d, const code_graph *g)
{
    uint32_t first = 0;
    while (first < d->insns.count && d->insns.items[first].op != OP_bar) first++;
    if (first == d->insns.count || !d->f->is_entry || d->kernel->no_count_plan || d->module->debug_target) return;
    guards s = {.d = d, .g = g};
    s.entered = lw_alloc((g->count + 1) * sizeof *s.entered);
    s.from = lw_alloc((g->count + 1) * sizeof *s.from);
    find_entries(&s);
    while (s.shared_before < d->f->insn_count && !names_shared(&d->f->insns[s.shared_before])) s.shared_before++;
    for (uint32_t u = first; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_bar) mark_barrier(&s, u);
    free(s.entered);
    free(s.from);
}
