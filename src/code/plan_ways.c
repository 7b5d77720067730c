/* plan_ways.c: ways between basic blocks as the machine code has them: where branches lead, which blocks the assembler executes
 * under a predicate instead of branching around them, and which it computes with the condition before them. */
#include "code/plan_ways.h"

#include <stdlib.h>

static uint32_t block_at(const plan_ways *s, uint32_t label) { return s->block_of[s->d->uop_of_insn[label]]; }

const code_insn *plan_last_of(const plan_ways *s, uint32_t b) { return &s->d->insns.items[s->blocks[b].end - 1]; }

bool plan_ends_thread(const code_insn *i) { return i->op == OP_ret || i->op == OP_exit || i->op == OP_trap; }

static void find_blocks(plan_ways *s)
{
    const decoder *d = s->d;
    for (uint32_t u = 0; u < d->insns.count; u++) s->count += d->insns.items[u].op == OP_block;
    s->blocks = lw_alloc((s->count + 1) * sizeof *s->blocks);
    s->block_of = lw_alloc((d->insns.count + 1) * sizeof *s->block_of);
    uint32_t b = PLAN_NONE;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        if (d->insns.items[u].op == OP_block) s->blocks[++b].first = u;
        s->blocks[b].end = u + 1;
        s->block_of[u] = b;
    }
}

static void add_edge(plan_ways *s, code_edges *edges, uint32_t from, uint32_t to)
{
    s->blocks[to].entered++;
    s->blocks[to].from = from;
    lw_vec_push(edges, ((code_edge){from, to}));
}

/* And what dominates what. */
static void find_edges(plan_ways *s)
{
    code_edges edges = {0};
    for (uint32_t b = 0; b < s->count; b++) {
        plan_block *k = &s->blocks[b];
        const code_insn *i = plan_last_of(s, b);
        bool falls = i->guard != CODE_NO_REF || !(i->op == OP_bra || plan_ends_thread(i) || i->op == OP_brx);
        k->jump = i->op == OP_bra ? block_at(s, i->branch.label) : PLAN_NONE;
        k->fall = falls && b + 1 < s->count ? b + 1 : PLAN_NONE;
        k->several = i->op == OP_brx;
        if (k->jump != PLAN_NONE) add_edge(s, &edges, b, k->jump);
        if (k->fall != PLAN_NONE) add_edge(s, &edges, b, k->fall);
        if (i->op != OP_brx) continue;
        const ptx_targets *t = i->table.labels;
        for (size_t n = 0; n < t->count; n++) add_edge(s, &edges, b, block_at(s, t->labels[n]));
    }
    code_digraph g = code_digraph_new(s->count, &edges);
    s->dominators = code_dominators_new(&g, 0);
    code_digraph_free(&g);
    lw_vec_free(&edges);
}

void plan_ways_find(plan_ways *s)
{
    find_blocks(s);
    s->gone = lw_alloc(s->d->insns.count + 1);
    find_edges(s);
}

void plan_ways_free(plan_ways *s)
{
    for (uint32_t b = 0; b < s->count; b++) {
        lw_vec_free(&s->blocks[b].moved);
        lw_vec_free(&s->blocks[b].edge);
        lw_vec_free(&s->blocks[b].raised);
    }
    free(s->blocks);
    free(s->block_of);
    free(s->gone);
    code_dominators_free(&s->dominators);
}

/* Where block b leads to, if it does no more than jump on; or PLAN_NONE. */
static uint32_t jump_of(const plan_ways *s, uint32_t b)
{
    const plan_block *k = &s->blocks[b];
    const code_insn *i = plan_last_of(s, b);
    return k->end - k->first == 2 && i->op == OP_bra && i->guard == CODE_NO_REF ? k->jump : PLAN_NONE;
}

enum { MOST_JUMPS = 4 }; /* they may go round */

uint32_t plan_behind_jumps(const plan_ways *s, uint32_t b)
{
    for (int jumps = 0; jumps < MOST_JUMPS && b != PLAN_NONE && jump_of(s, b) != PLAN_NONE; jumps++) b = jump_of(s, b);
    return b;
}

/* The same, as far as nobody else comes to the jumps. */
static uint32_t behind_own_jumps(const plan_ways *s, uint32_t b)
{
    for (int jumps = 0; jumps < MOST_JUMPS && s->blocks[b].entered == 1 && jump_of(s, b) != PLAN_NONE; jumps++)
        b = jump_of(s, b);
    return b;
}

bool plan_only_ends(const plan_ways *s, uint32_t b)
{
    b = plan_behind_jumps(s, b);
    if (b == PLAN_NONE || !s->d->f->is_entry) return false;
    const code_insn *i = &s->d->insns.items[s->blocks[b].first + 1];
    return s->blocks[b].end - s->blocks[b].first >= 2 && plan_ends_thread(i) && i->guard == CODE_NO_REF;
}

bool plan_leads_through(const plan_ways *s, uint32_t through, uint32_t b)
{
    return !s->dominators.order[b] || code_dominates(&s->dominators, through, b);
}

bool plan_is_arithmetic(const code_insn *i)
{
    return (code_uops[i->op].computes || i->op == OP_special) && !plan_has_slow_path(i->op);
}

uint32_t plan_only_way(const plan_ways *s, uint32_t b)
{
    const plan_block *k = &s->blocks[b];
    if (k->several || (k->jump != PLAN_NONE && k->fall != PLAN_NONE)) return PLAN_NONE;
    return k->jump != PLAN_NONE ? k->jump : k->fall;
}

uint32_t plan_way_on(const plan_ways *s, uint32_t b)
{
    uint32_t fall = s->blocks[b].fall, to = plan_behind_jumps(s, fall);
    return to != PLAN_NONE && s->blocks[b].jump != PLAN_NONE && s->blocks[to].entered == 1 ? to : fall;
}

/* Of a register, or of a constant that is an operand of what reads it. */
static bool is_copy(const decoder *d, uint32_t u)
{
    switch (d->insns.items[u].op) {
    case OP_mov_b16:
    case OP_mov_b32:
    case OP_mov_b64: return d->f->insns[d->infos.items[u].ptx_insn].operands[1].kind != PTX_OP_INT;
    default: return false;
    }
}

/* How long a block is, in halves of machine instructions. */
typedef struct way_length {
    uint32_t halves;
    bool plain; /* it holds no branches, calls or atomics */
    bool loads; /* from global memory */
} way_length;

static way_length length_of(const plan_ways *s, uint32_t b)
{
    const plan_block *k = &s->blocks[b];
    way_length l = {.plain = true};
    for (uint32_t u = k->first; l.plain && u < k->end; u++) {
        const code_insn *i = &s->d->insns.items[u];
        if (u == k->end - 1 && i->guard == CODE_NO_REF && (i->op == OP_bra || plan_ends_thread(i))) break;
        l.plain = (plan_is_arithmetic(i) || i->op == OP_ld || i->op == OP_st) && l.halves <= PLAN_LONGEST_HALVES;
        if (s->gone[u]) continue;
        l.halves += is_copy(s->d, u) ? 0 : plan_halves(i);
        l.loads |= i->op == OP_ld && (i->mem.space == PTX_GLOBAL || i->mem.space == PTX_GENERIC);
    }
    return l;
}

/* Are lanes that do not take the branch before it sent to block b? The assembler puts that way first, and a jump at its end. */
static bool is_fall(const plan_ways *s, uint32_t b)
{
    uint32_t from = s->blocks[b].from;
    if (jump_of(s, from) != PLAN_NONE && s->blocks[from].entered == 1) from = s->blocks[from].from;
    return plan_way_on(s, from) == b;
}

/* Does a way that is so long fit under a predicate beside the other? One that loads from global memory may be longer, to hide
 * what that takes; so may be one beside it, a little, or as far as both together are no longer. */
static bool fits_beside(way_length way, way_length other)
{
    uint32_t most = way.loads ? PLAN_LONGEST_HALVES : PLAN_HALVES;
    if (!way.loads && other.loads) {
        uint32_t rest = PLAN_LONGEST_HALVES - LW_MIN(other.halves, PLAN_LONGEST_HALVES);
        most = LW_MAX(PLAN_LONGEST_HALVES / 2, rest);
    }
    return way.plain && way.halves <= most;
}

/* One of two ways that meet behind them. The one of lanes that take the branch is put under a predicate if the other is, too:
 * then the branch leads around nothing but it. */
static bool fits_of_two(const plan_ways *s, uint32_t to, uint32_t other)
{
    enum { JUMP = 2 };
    bool first = is_fall(s, to);
    way_length fall = length_of(s, first ? to : other), jump = length_of(s, first ? other : to);
    fall.halves += JUMP;
    return fits_beside(fall, jump) && (first || fits_beside(jump, fall));
}

bool plan_becomes_predicated(const plan_ways *s, uint32_t to, uint32_t other)
{
    if (plan_only_ends(s, other)) return false;
    bool fits = fits_beside(length_of(s, to), (way_length){0});
    uint32_t next = plan_only_way(s, to);
    if (next == PLAN_NONE) return fits && plan_ends_thread(plan_last_of(s, to));
    next = plan_behind_jumps(s, next);
    other = plan_behind_jumps(s, other);
    if (next == other || plan_only_ends(s, next)) return fits;
    return plan_behind_jumps(s, plan_only_way(s, other)) == next && fits_of_two(s, to, other);
}

/* A copy, or what an operand of the next instruction says by itself. */
static bool is_free(uint16_t op)
{
    switch (op) {
    case OP_mov_b32:
    case OP_mov_b64:
    case OP_abs_f32:
    case OP_abs_f64:
    case OP_neg_f32:
    case OP_neg_f64: return true;
    default: return false;
    }
}

/* So little arithmetic, and so no load, that the assembler computes both conditions without a branch in between. */
bool plan_is_condition(const plan_ways *s, uint32_t to, uint32_t other)
{
    enum { MOST = 5 }; /* machine instructions */
    if (to == PLAN_NONE || other == PLAN_NONE || plan_only_ends(s, other)) return false;
    const plan_block *k = &s->blocks[to];
    uint32_t meet = behind_own_jumps(s, other), halves = 0;
    if (k->entered != 1 || k->jump == PLAN_NONE || k->fall == PLAN_NONE || plan_behind_jumps(s, meet) != meet)
        return false;
    if (behind_own_jumps(s, k->jump) != meet && behind_own_jumps(s, k->fall) != meet) return false;
    for (uint32_t u = k->first; u < k->end - 1 && halves <= 2 * MOST; u++) {
        const code_insn *i = &s->d->insns.items[u];
        if (!plan_is_arithmetic(i)) return false;
        halves += is_free(i->op) ? 0 : plan_halves(i);
    }
    return halves <= 2 * MOST;
}
