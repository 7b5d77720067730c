/* plan_loops.c: the count plan of loops: spin loops, counted loops whose trips differ by lane, loops that lanes leave
 * to several places. */
#include "code/plan.h"

#include <stdlib.h>

static uint32_t target_of(const decoder *d, const code_branch *b) { return (uint32_t)(b->target - d->out->insns); }

static void mark_memory(decoder *d, uint32_t first, uint32_t last, enum plan_rule rule)
{
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (d->builder->sites.items[i->site].is_memory) plan_mark(d, i->site, rule);
    }
}

/* The same, should lanes part at a branch of [from, to]. */
static void mark_if_parted(decoder *d, uint32_t first, uint32_t last, uint32_t from, uint32_t to, enum plan_rule rule)
{
    const code_insn *insns = d->insns.items;
    for (uint32_t u = first; u <= last; u++)
        if (d->builder->sites.items[insns[u].site].is_memory)
            plan_mark_parting(d, insns[u].site, insns[from].site, insns[to].site, rule);
}

/* Does the block go round together, with nothing but its own shared memory to look at? Then nobody waits for long, and the
 * rounds are counted (HeCBench merge: `while (!found)` of a volatile variable, and barriers). */
static bool rounds_of_block(const decoder *d, uint32_t first, uint32_t last)
{
    bool barrier = false;
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_atom || i->op == OP_mbarrier) return false;
        if (i->op == OP_ld && i->mem.access.ordered && i->mem.space != PTX_SHARED) return false;
        barrier |= i->op == OP_bar && i->guard == CODE_NO_REF;
    }
    return barrier;
}

static void plan_spin(decoder *d, size_t u)
{
    const code_branch *b = d->insns.items[u].branch.to;
    if (!b->spin || rounds_of_block(d, target_of(d, b), (uint32_t)u)) return;
    mark_memory(d, target_of(d, b), (uint32_t)u, PLAN_SPIN_LOOP);
    for (uint32_t v = target_of(d, b); v <= u; v++) d->builder->sites.items[d->insns.items[v].site].waits = true;
}

bool plan_adds_constant(const decoder *d, uint32_t first, uint32_t last, code_ref r)
{
    uint64_t value;
    for (uint32_t u = first; r != CODE_NO_REF && (r & VIRTUAL) && u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        bool add = i->op == OP_add_s32 || i->op == OP_add_u32 || i->op == OP_add_s64 || i->op == OP_add_u64;
        if (i->d == r && add && plan_constant(d, i->b, &value)) return true;
    }
    return false;
}

static bool holds_loop(const decoder *d, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u < last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_bra && i->branch.to && i->branch.to->backward) return true;
    }
    return false;
}

static bool is_own_access(const code_insn *i, code_ref base)
{
    if ((i->op != OP_ld && i->op != OP_st) || i->a != base || i->mem.access.ordered) return false;
    return i->mem.space == PTX_SHARED || i->mem.space == PTX_LOCAL;
}

/* Marks i if an access of [first, last] begins, a round later, where it ends, and that one, too. */
static void mark_with_next(decoder *d, uint32_t first, uint32_t last, const code_insn *i, uint32_t step)
{
    int64_t next = i->mem.offset + i->mem.bytes * i->mem.vector - (int64_t)step;
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *other = &d->insns.items[u];
        if (!is_own_access(other, i->a) || other->op != i->op || other->mem.offset != next) continue;
        plan_mark(d, i->site, PLAN_UNROLLED);
        plan_mark(d, other->site, PLAN_UNROLLED);
    }
}

static int64_t step_of(const decoder *d, uint32_t first, uint32_t last, code_ref r, int depth)
{
    uint64_t by = 0;
    uint32_t u = last + 1;
    while (u > first && d->insns.items[u - 1].d != r) u--;
    if (r == CODE_NO_REF || !(r & VIRTUAL) || u == first || !depth) return 0;
    const code_insn *i = &d->insns.items[u - 1];
    switch (i->op) {
    case OP_add_s32:
    case OP_add_u32:
    case OP_add_s64:
    case OP_add_u64:
        if (i->a == r) return plan_constant(d, i->b, &by) ? (int64_t)by : 0;
        return step_of(d, first, last, i->a, depth - 1) + step_of(d, first, last, i->b, depth - 1);
    case OP_shl_b32:
    case OP_shl_b64: return plan_constant(d, i->b, &by) && by < 8 ? step_of(d, first, last, i->a, depth - 1) << by : 0;
    case OP_mul_wide_s32:
    case OP_mul_wide_u32:
    case OP_mul_lo_s32:
    case OP_mul_lo_u32: return plan_constant(d, i->b, &by) ? step_of(d, first, last, i->a, depth - 1) * (int64_t)by : 0;
    default: return 0;
    }
}

int64_t plan_step(const decoder *d, uint32_t first, uint32_t last, code_ref r)
{
    enum { DEEPEST = 4 };
    return step_of(d, first, last, r, DEEPEST);
}

/* Shared and local accesses whose address goes on by their own size, or that of a few neighbours, in each round: unrolled
 * they are neighbours. Where the address is computed in each round they may become one only if it is known to be aligned. */
static void mark_neighbours(decoder *d, uint32_t first, uint32_t last, const plan_value *values)
{
    enum { LONGEST = 1024 };
    code_ref base = CODE_NO_REF;
    int64_t step = 0;
    for (uint32_t u = first; u <= last && last - first < LONGEST; u++) {
        const code_insn *i = &d->insns.items[u];
        if (!is_own_access(i, i->a) || i->a == CODE_NO_REF) continue;
        if (i->a != base) step = plan_step(d, first, last, i->a);
        base = i->a;
        bool known = plan_adds_constant(d, first, last, base) || plan_value_of(d, values, base).zeros >= 3;
        if (step > 0 && step < 16 && known) mark_with_next(d, first, last, i, (uint32_t)step);
    }
}

bool plan_ends_counted_loop(const decoder *d, uint32_t u, const plan_value *values, bool *varies)
{
    const code_insn *bra = &d->insns.items[u];
    const code_branch *b = bra->branch.to;
    if (bra->op != OP_bra || !b->backward || b->nounroll || bra->guard == CODE_NO_REF) return false;
    code_ref guard = bra->guard & ~1u;
    uint32_t first = target_of(d, b);
    if (holds_loop(d, first, u)) return false;
    bool counted = false;
    *varies = true;
    for (uint32_t k = first; k < u; k++) {
        const code_insn *i = &d->insns.items[k];
        if ((i->d & ~1u) != guard || i->d == CODE_NO_REF || !(i->d & VIRTUAL)) continue;
        *varies &= plan_value_of(d, values, i->d).uniform == PLAN_VARIES;
        counted = plan_adds_constant(d, first, u, i->a) || plan_adds_constant(d, first, u, i->b);
    }
    return counted;
}

/* Do its loads and stores stand in machine code as often as here? */
static bool stands_once(const decoder *d, const plan_machine *m, uint32_t first, uint32_t last)
{
    uint32_t accesses = 0;
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        plan_access access;
        if (!plan_access_of(i, &access)) continue;
        if (!plan_is_equal(m, i)) return false;
        accesses++;
    }
    return accesses;
}

/* Do branches in it ask what other threads write meanwhile? */
static bool asks_changed(const decoder *d, const plan_value *values, uint32_t changed, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->guard == CODE_NO_REF) continue;
        plan_value guard = plan_value_of(d, values, i->guard & ~1u);
        if (guard.order || guard.from & changed) return true;
    }
    return false;
}

/* An innermost counted loop that lanes leave at different times may be unrolled further, in pieces of 16, 8 and 4 trips. */
static void plan_loop(decoder *d, uint32_t u, const plan_value *values, const plan_machine *m, uint32_t changed,
                      bool known)
{
    bool varies;
    if (!plan_ends_counted_loop(d, u, values, &varies)) return;
    uint32_t first = target_of(d, d->insns.items[u].branch.to);
    mark_neighbours(d, first, u, values);
    if (!varies) return;
    if (!known && !stands_once(d, m, first, u)) mark_if_parted(d, first, u, u, u, PLAN_LANE_LOOP);
    else if (asks_changed(d, values, changed, first, u)) mark_if_parted(d, first, u, u, u, PLAN_CHANGED);
}

void plan_counted_loops(decoder *d, const plan_value *values, const plan_machine *m, bool known)
{
    uint32_t changed = plan_changed(d, values);
    for (uint32_t u = 0; u < d->insns.count; u++)
        if (d->insns.items[u].op == OP_bra) plan_loop(d, u, values, m, changed, known);
}

bool plan_loads_in_pieces(const decoder *d, const plan_value *values, bool (*loads)(const code_insn *), uint32_t more)
{
    enum { COPIES = 16 / 4 + 8 / 4 }; /* of a loop of 4 trips, in its pieces of 16 and 8 */
    bool varies;
    uint32_t in_loops = 0;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        if (!plan_ends_counted_loop(d, u, values, &varies)) continue;
        uint32_t in_loop = 0;
        for (uint32_t k = target_of(d, d->insns.items[u].branch.to); k < u; k++) in_loop += loads(&d->insns.items[k]);
        if (in_loop && in_loop * COPIES == more) return true;
        in_loops += in_loop;
    }
    return in_loops * COPIES == more;
}

/* ---------------------------------------------------------------- loops with several ways out */
/* Does the branch at u take some lanes out of [first, last]? */
static bool leaves(const decoder *d, const plan_value *values, uint32_t u, uint32_t first, uint32_t last, uint32_t *to)
{
    const code_insn *i = &d->insns.items[u];
    if (i->op != OP_bra || i->guard == CODE_NO_REF || !i->branch.to) return false;
    if (plan_value_of(d, values, i->guard & ~1u).uniform == PLAN_UNIFORM) return false;
    uint32_t target = target_of(d, i->branch.to);
    bool inside = target >= first && target <= last;
    *to = inside ? u + 1 : target;
    return !inside || u == last;
}

/* The code at u, as far as a branch or the place `join`. */
static uint32_t end_of_way(const decoder *d, uint32_t u, uint32_t join)
{
    while (u + 1 != join && u + 1 < d->insns.count && d->insns.items[u].op != OP_bra &&
           d->insns.items[u].op != OP_ret && d->insns.items[u].op != OP_exit)
        u++;
    return u;
}

/* Marks in seen[] what can be reached from u without leaving [first, last]. */
static void reach(const decoder *d, uint32_t u, uint32_t first, uint32_t last, bool *seen)
{
    while (u >= first && u <= last && !seen[u - first]) {
        const code_insn *i = &d->insns.items[u];
        seen[u - first] = true;
        if (i->op == OP_ret || i->op == OP_exit || i->op == OP_trap || i->op == OP_brx) return;
        bool jumps = i->op == OP_bra && i->branch.to;
        if (jumps && i->guard == CODE_NO_REF) {
            u = target_of(d, i->branch.to);
            continue;
        }
        if (jumps) reach(d, target_of(d, i->branch.to), first, last, seen);
        u++;
    }
}

static bool reaches_end(const decoder *d, uint32_t u, uint32_t first, uint32_t last)
{
    bool *seen = lw_alloc(last - first + 1);
    reach(d, u, first, last, seen);
    bool found = seen[last - first];
    free(seen);
    return found;
}

/* Where lanes that part at u meet again; UINT32_MAX: nowhere. */
static uint32_t join_of(const decoder *d, uint32_t u)
{
    const code_insn *join = d->insns.items[u].branch.to->join;
    return join ? (uint32_t)(join - d->out->insns) : UINT32_MAX;
}

/* Does a branch in the loop [first, last] send lanes on two ways that both stay in it, but that meet only behind it, since
 * a path between them leaves it? The assembler takes lanes that leave out of the barrier; the others meet in the loop. */
static bool part_for_good(const decoder *d, const plan_value *values, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u < last; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_bra || i->guard == CODE_NO_REF || !i->branch.to) continue;
        if (plan_value_of(d, values, i->guard & ~1u).uniform == PLAN_UNIFORM) continue;
        uint32_t at = join_of(d, u), target = target_of(d, i->branch.to);
        if (target <= u || (at >= first && at <= last)) continue;
        if (reaches_end(d, target, first, last) && reaches_end(d, u + 1, first, last)) return true;
    }
    return false;
}

/* By micro-operation: the last branch back to it + 1. */
static uint32_t *find_ends(const decoder *d)
{
    uint32_t *ends = lw_alloc((d->insns.count + 1) * sizeof *ends);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op == OP_bra && i->branch.to->backward) ends[target_of(d, i->branch.to)] = u + 1;
    }
    return ends;
}

/* A branch back to the end of a loop, which the compiler has placed before its begin: a `continue`, that ends no loop, if
 * there are others behind it (the ninth draw's als_convolution1D). */
static bool only_continues(const decoder *d, const plan_alignment *a, const uint32_t *ends, uint32_t last)
{
    const code_insn *bra = &d->insns.items[last];
    uint32_t first = target_of(d, bra->branch.to);
    const code_site *sites = d->builder->sites.items;
    return ends[first] != last + 1 && !plan_dominates(a, d->insns.items[first].block.index, sites[bra->site].block);
}

/* Do lanes that come to u only end, or go round for ever? They meet nobody (graph.c), and the others meet where they leave the
 * loop. */
static bool only_ends(const decoder *d, uint32_t u)
{
    uint32_t jumped = UINT32_MAX;
    for (int steps = 0; steps < 8 && u < d->insns.count; steps++) { /* jumps may go round */
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_block && i->guard != CODE_NO_REF) return false;
        if (i->op == OP_exit || i->op == OP_ret) return d->f->is_entry;
        if (i->op != OP_block && (i->op != OP_bra || !i->branch.to)) return false;
        if (u == jumped) return d->f->is_entry;
        if (i->op == OP_bra) jumped = u;
        u = i->op == OP_bra ? target_of(d, i->branch.to) : u + 1;
    }
    return false;
}

/* Lanes leave the loop that ends at `last` to two places. Behind one of them the assembler lets the lanes wait for each
 * other; the other it may place inside the loop, where each lane goes at once. What lies on their ways as far as where all
 * meet is marked; there they do (the twelfth draw's roo_fractal: a ladder of exits that store nothing). */
static void plan_exits(decoder *d, uint32_t last, const plan_value *values)
{
    uint32_t first = target_of(d, d->insns.items[last].branch.to), one = UINT32_MAX, to = 0;
    bool several = false;
    for (uint32_t u = first; u <= last; u++) {
        if (!leaves(d, values, u, first, last, &to) || only_ends(d, to)) continue;
        several |= one != UINT32_MAX && one != to;
        one = to;
    }
    if (part_for_good(d, values, first, last)) mark_if_parted(d, first, last, first, last, PLAN_LOOP_PATHS);
    for (uint32_t u = first; several && u <= last; u++)
        if (leaves(d, values, u, first, last, &to) && to != join_of(d, u))
            mark_if_parted(d, to, end_of_way(d, to, join_of(d, u)), first, last, PLAN_SEVERAL_EXITS);
}

void plan_loops(decoder *d, const plan_value *values, const plan_alignment *a)
{
    uint32_t *ends = find_ends(d);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        if (d->insns.items[u].op != OP_bra) continue;
        plan_spin(d, u);
        if (d->insns.items[u].branch.to->backward && !only_continues(d, a, ends, u)) plan_exits(d, u, values);
    }
    free(ends);
}
