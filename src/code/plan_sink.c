/* plan_sink.c: loads that the assembler moves: behind a branch, `v = a[i]; if (i < n) b[i] = v;` loads for those lanes alone
 * that take the branch; and out of loops. The one part of the count plan that execution follows: such a load is executed where the machine
 * code has it.
 *
 * What ptxas 13.0 was seen to do for sm_90 (tests/unit/test_plan.c has a kernel for each point): a load moves from the end of its block
 * into the block that a branch leads to, if nothing else comes there and nothing else uses its value, and from there further
 * on. It does not move across a write that may touch what it reads, a barrier or a call; loads of read-only data (ld.global.nc)
 * do. The block must be the one that follows in the text, or the branch's other way must be that of those who leave: to the end
 * of the kernel, or to where both ways meet. A short block without branches is executed under a predicate, not branched
 * around; so its loads stay where they are, unless the branch leads to the end.
 *
 * Before an innermost loop go the loads that stand before its first branch at an address that does not change, if the loop
 * writes no such memory, waits for nobody and branches to no slow path: NVVM does the same, but not around inline assembly,
 * as which __ldg() of vectors comes. */
#include "code/dominators.h"
#include "code/plan.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Machine instructions that the assembler executes under a predicate instead of branching around them. */
enum { PREDICATED = 8 };

/* A basic block, and what was moved to its start. */
typedef struct sink_block {
    uint32_t first, end; /* micro-operations; the first is OP_block */
    uint32_t jump, fall; /* where its end leads to: blocks, or NONE */
    uint32_t entered;    /* edges that lead to it */
    bool several;        /* its end is none of these: a table */
    /* first micro-operations of PTX instructions, the last one first; those that block_of[] has elsewhere went on */
    LW_VEC(uint32_t) moved;
    LW_VEC(uint32_t) edge; /* the same, of those on the way from the block before it alone */
} sink_block;

typedef struct sinker {
    decoder *d;
    sink_block *blocks;
    uint32_t count;
    uint32_t *block_of;         /* by micro-operation: where it is executed, as moved */
    bool *gone;                 /* by micro-operation: it stands elsewhere */
    uint32_t *definition_start; /* the same of who writes it */
    uint32_t *definitions;
    uint32_t *use_start;        /* by virtual register: uses[use_start[v]] to uses[use_start[v + 1]] are who reads it */
    uint32_t *uses;             /* micro-operations */
    code_dominators dominators; /* nodes: blocks */
    uint8_t *reached;           /* by block: scratch of is_live_at() */
    uint32_t *stack;
    bool any;
} sinker;

/* ---------------------------------------------------------------- the graph, as the machine code has it */
static uint32_t block_at(const sinker *s, uint32_t label) { return s->block_of[s->d->uop_of_insn[label]]; }

static const code_insn *last_of(const sinker *s, uint32_t b) { return &s->d->insns.items[s->blocks[b].end - 1]; }

static bool ends_thread(const code_insn *i) { return i->op == OP_ret || i->op == OP_exit || i->op == OP_trap; }

static void find_blocks(sinker *s)
{
    const decoder *d = s->d;
    for (uint32_t u = 0; u < d->insns.count; u++) s->count += d->insns.items[u].op == OP_block;
    s->blocks = lw_alloc((s->count + 1) * sizeof *s->blocks);
    s->block_of = lw_alloc((d->insns.count + 1) * sizeof *s->block_of);
    uint32_t b = NONE;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        if (d->insns.items[u].op == OP_block) s->blocks[++b].first = u;
        s->blocks[b].end = u + 1;
        s->block_of[u] = b;
    }
}

static void add_edge(sinker *s, code_edges *edges, uint32_t from, uint32_t to)
{
    s->blocks[to].entered++;
    lw_vec_push(edges, ((code_edge){from, to}));
}

/* And what dominates what. */
static void find_edges(sinker *s)
{
    code_edges edges = {0};
    for (uint32_t b = 0; b < s->count; b++) {
        sink_block *k = &s->blocks[b];
        const code_insn *i = last_of(s, b);
        bool falls = i->guard != CODE_NO_REF || !(i->op == OP_bra || ends_thread(i) || i->op == OP_brx);
        k->jump = i->op == OP_bra ? block_at(s, i->branch.label) : NONE;
        k->fall = falls && b + 1 < s->count ? b + 1 : NONE;
        k->several = i->op == OP_brx;
        if (k->jump != NONE) add_edge(s, &edges, b, k->jump);
        if (k->fall != NONE) add_edge(s, &edges, b, k->fall);
        if (i->op != OP_brx) continue;
        const ptx_targets *t = i->table.labels;
        for (size_t n = 0; n < t->count; n++) add_edge(s, &edges, b, block_at(s, t->labels[n]));
    }
    code_digraph g = code_digraph_new(s->count, &edges);
    s->dominators = code_dominators_new(&g, 0);
    code_digraph_free(&g);
    lw_vec_free(&edges);
}

/* Where lanes come that are sent to b, which may do no more than jump on. */
static uint32_t behind_jumps(const sinker *s, uint32_t b)
{
    for (int jumps = 0; jumps < 4 && b != NONE; jumps++) { /* jumps may go round */
        const sink_block *k = &s->blocks[b];
        const code_insn *i = last_of(s, b);
        if (k->end - k->first != 2 || i->op != OP_bra || i->guard != CODE_NO_REF) break;
        b = k->jump;
    }
    return b;
}

static bool only_ends(const sinker *s, uint32_t b)
{
    b = behind_jumps(s, b);
    if (b == NONE || !s->d->f->is_entry) return false;
    const code_insn *i = &s->d->insns.items[s->blocks[b].first + 1];
    return s->blocks[b].end - s->blocks[b].first >= 2 && ends_thread(i) && i->guard == CODE_NO_REF;
}

/* Do all ways from the start to b lead through block `through`? To one that is never reached no way leads. */
static bool dominates(const sinker *s, uint32_t through, uint32_t b)
{
    return !s->dominators.order[b] || code_dominates(&s->dominators, through, b);
}

/* ---------------------------------------------------------------- definitions and uses */
typedef void (*each_fn)(const code_insn *i, const uop_info *n, code_operand_fn visit, void *user);

typedef struct index_walk {
    uint32_t *start; /* by virtual register; while it is counted: one further on */
    uint32_t *items;
    uint32_t *next; /* by virtual register: where its next item goes */
    uint32_t u;
} index_walk;

static void count_item(void *user, code_ref r, code_operand what)
{
    (void)what;
    ((index_walk *)user)->start[code_vreg_of(r) + 1]++;
}

static void add_item(void *user, code_ref r, code_operand what)
{
    (void)what;
    index_walk *w = user;
    w->items[w->next[code_vreg_of(r)]++] = w->u;
}

/* The micro-operations that read, or write, each virtual register v: items[start[v]] to items[start[v + 1]]. */
static void index_registers(const decoder *d, each_fn each, uint32_t **start, uint32_t **items)
{
    size_t registers = d->vregs.count;
    index_walk w = {.start = lw_alloc((registers + 1) * sizeof *w.start),
                    .next = lw_alloc((registers + 1) * sizeof *w.next)};
    for (uint32_t u = 0; u < d->insns.count; u++) each(&d->insns.items[u], &d->infos.items[u], count_item, &w);
    for (size_t v = 0; v < registers; v++) w.start[v + 1] += w.start[v];
    w.items = lw_alloc((w.start[registers] + 1) * sizeof *w.items);
    memcpy(w.next, w.start, registers * sizeof *w.next);
    for (w.u = 0; w.u < d->insns.count; w.u++) each(&d->insns.items[w.u], &d->infos.items[w.u], add_item, &w);
    free(w.next);
    *start = w.start;
    *items = w.items;
}

/* ---------------------------------------------------------------- what may move */
/* The micro-operations of one PTX instruction that loads. */
typedef struct load {
    sinker *s;
    uint32_t first, end;
    const code_insn *access;
    bool read_only;                        /* ld.global.nc: nothing in the kernel writes it */
    bool ok;                               /* scratch of visitors */
    uint32_t to;                           /* scratch: the block that may take it */
    uint32_t used;                         /* scratch: uses behind it that were found */
    uint32_t followers[8], follower_count; /* scratch: what moves with it, as found */
    bool perhaps;                          /* scratch: the assembler was seen not to move such ones, too */
    uint32_t follower;                     /* scratch: the one whose result is being looked at, or NONE */
} load;

static const char *mnemonic_of(const decoder *d, uint32_t u)
{
    uint32_t insn = d->infos.items[u].ptx_insn;
    return insn < d->f->insn_count ? d->f->insns[insn].mnemonic : "";
}

/* Micro-operations from u on that are of its PTX instruction. */
static uint32_t end_of_insn(const decoder *d, uint32_t u)
{
    uint32_t end = u + 1;
    while (end < d->insns.count && d->insns.items[end].op != OP_block &&
           d->infos.items[end].ptx_insn == d->infos.items[u].ptx_insn)
        end++;
    return end;
}

static bool begins_insn(const decoder *d, uint32_t u)
{
    return u && (d->insns.items[u - 1].op == OP_block || d->infos.items[u - 1].ptx_insn != d->infos.items[u].ptx_insn);
}

/* Is the PTX instruction that begins at u a plain load for all lanes? */
static bool find_load(sinker *s, uint32_t u, load *out)
{
    const decoder *d = s->d;
    const code_insn *i = &d->insns.items[u];
    if (i->op != OP_ld || i->event_op != EVENT_LOAD || i->guard != CODE_NO_REF || i->mem.access.ordered) return false;
    ptx_space space = (ptx_space)i->mem.space;
    if (space != PTX_GLOBAL && space != PTX_SHARED && space != PTX_LOCAL && space != PTX_GENERIC) return false;
    *out = (load){.s = s, .first = u, .access = i, .read_only = strstr(mnemonic_of(d, u), ".nc") != NULL};
    out->end = end_of_insn(d, u);
    for (uint32_t v = u + 1; v < out->end; v++)
        if (d->insns.items[v].guard != CODE_NO_REF || d->insns.items[v].op >= OP_block) return false;
    return begins_insn(d, u);
}

/* May what is written in one space be read in the other? */
static bool may_overlap(ptx_space a, ptx_space b) { return a == b || a == PTX_GENERIC || b == PTX_GENERIC; }

static bool is_arithmetic(const code_insn *i)
{
    return (code_uops[i->op].computes || i->op == OP_special) && !plan_has_slow_path(i->op);
}

static void see_redefined(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    if (l->access->a == r) l->ok = false;
}

/* Can the load be executed behind the micro-operation at u? */
static bool passes(load *l, uint32_t u)
{
    const decoder *d = l->s->d;
    const code_insn *i = &d->insns.items[u];
    l->ok = true;
    code_each_written(i, &d->infos.items[u], see_redefined, l);
    if (!l->ok) return false;
    switch (i->op) {
    case OP_bra:
    case OP_ld:
    case OP_shfl:
    case OP_vote:
    case OP_redux: return true;
    case OP_st:
    case OP_atom:
        if (!may_overlap((ptx_space)i->mem.space, (ptx_space)l->access->mem.space)) return true;
        break;
    default: break;
    }
    if (is_arithmetic(i)) return true;
    return l->read_only && i->op != OP_call && i->op != OP_brx && !plan_has_slow_path(i->op);
}

/* The same for what stands behind it in block b, moved loads aside: they write nothing. */
static bool passes_rest(load *l, uint32_t b, uint32_t from)
{
    for (uint32_t u = from; u < l->s->blocks[b].end; u++)
        if (!l->s->gone[u] && !passes(l, u)) return false;
    return true;
}

/* ---------------------------------------------------------------- where it may go */
/* What reads one register alone, or others that are live behind the branch anyway, needs no more of them if it moves with the
 * load; not all of these do. */
static bool stays(uint16_t op)
{
    switch (op) {
    case OP_popc_b32:
    case OP_popc_b64:
    case OP_neg_s16:
    case OP_neg_s32:
    case OP_neg_s64:
    case OP_cvt_u64_u32:
    case OP_cvt_s64_s32:
    case OP_cvt_s64_u32:
    case OP_cvt_u64_s32:
    case OP_rcp_approx_f32:
    case OP_sqrt_approx_f32:
    case OP_rsqrt_approx_f32:
    case OP_sin_approx_f32:
    case OP_cos_approx_f32:
    case OP_lg2_approx_f32:
    case OP_ex2_approx_f32:
    case OP_tanh_approx_f32: return true;
    default: return op >= OP_block && op != OP_cvta;
    }
}

/* The first of list[start[v]] to list[start[v + 1]] that lies in block b, in the text; NONE: none does. */
static uint32_t first_in(const sinker *s, const uint32_t *start, const uint32_t *list, uint32_t v, uint32_t b)
{
    for (uint32_t k = start[v]; k < start[v + 1]; k++)
        if (list[k] >= s->blocks[b].first && list[k] < s->blocks[b].end) return list[k];
    return NONE;
}

static void visit_block(sinker *s, uint32_t b, uint32_t *depth)
{
    if (b == NONE || s->reached[b]) return;
    s->reached[b] = 1;
    s->stack[(*depth)++] = b;
}

/* Is virtual register v read on a way from the start of block b, before it is written? */
static bool is_live_at(sinker *s, uint32_t v, uint32_t b)
{
    uint32_t depth = 0;
    memset(s->reached, 0, s->count);
    visit_block(s, b, &depth);
    while (depth) {
        uint32_t at = s->stack[--depth];
        uint32_t use = first_in(s, s->use_start, s->uses, v, at);
        uint32_t definition = first_in(s, s->definition_start, s->definitions, v, at);
        if (use != NONE && use <= definition) return true;
        if (s->blocks[at].several) return false; /* not looked into */
        if (definition != NONE && s->d->insns.items[definition].guard == CODE_NO_REF) continue;
        visit_block(s, s->blocks[at].jump, &depth);
        visit_block(s, s->blocks[at].fall, &depth);
    }
    return false;
}

/* Of the registers that i reads, is one alone not live behind block l->to anyway? With another, where the load needs none for
 * its address, the assembler was seen to do both. */
static bool is_one_register(load *l, const code_insn *i)
{
    const code_ref refs[] = {i->a, i->b, i->c};
    uint64_t value;
    uint32_t registers = 0, live = 0;
    if (i->e != CODE_NO_REF) return false;
    for (uint32_t k = 0; k < LW_COUNT(refs); k++) {
        if (refs[k] == CODE_NO_REF || plan_constant(l->s->d, refs[k], &value)) continue;
        if (!code_is_virtual(refs[k])) return false;
        registers++;
    }
    for (uint32_t k = 0; registers > 1 && k < LW_COUNT(refs); k++)
        if (code_is_virtual(refs[k])) live += is_live_at(l->s, code_vreg_of(refs[k]), l->to);
    if (registers == live + 1) return true;
    bool first = !l->perhaps;
    l->perhaps = true;
    return first && registers == live + 2 && l->access->a == CODE_NO_REF;
}

static bool find_follower(load *l, uint32_t u);

static void see_result(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    sinker *s = l->s;
    uint32_t v = code_vreg_of(r);
    for (uint32_t k = s->use_start[v]; l->ok && k < s->use_start[v + 1]; k++) {
        uint32_t u = s->uses[k];
        if (u >= l->first && u < l->end) continue;
        if (dominates(s, l->to, s->block_of[u])) l->used++;
        else if (!find_follower(l, u)) l->ok = false;
    }
    for (uint32_t k = s->definition_start[v]; l->ok && k < s->definition_start[v + 1]; k++) {
        uint32_t u = s->definitions[k];
        bool own = (u >= l->first && u < l->end) || u == l->follower;
        if (!own && !dominates(s, l->to, s->block_of[u])) l->ok = false;
    }
}

static void see_factor(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    const sinker *s = l->s;
    uint32_t v = code_vreg_of(r), insn = s->d->infos.items[l->follower].ptx_insn;
    for (uint32_t k = s->use_start[v]; l->ok && k < s->use_start[v + 1]; k++) {
        bool own = s->d->infos.items[s->uses[k]].ptx_insn == insn;
        if (!own && !dominates(l->s, l->to, s->block_of[s->uses[k]])) l->ok = false;
        else if (!own) l->used++;
    }
}

/* A product at u that sums behind the branch take in (contract.c), and what they need of its factors: it is not moved here, but
 * the assembler may. */
static bool is_taken_in(load *l, uint32_t u)
{
    const decoder *d = l->s->d;
    uint32_t before = l->follower;
    if (strncmp(mnemonic_of(d, u), "mul.", 4) != 0) return false;
    while (!begins_insn(d, u)) u--;
    l->follower = u;
    for (uint32_t v = u; l->ok && v < end_of_insn(d, u); v++)
        code_each_written(&d->insns.items[v], &d->infos.items[v], see_factor, l);
    l->follower = before;
    l->perhaps = true;
    return l->ok;
}

/* Does what uses the loaded value at u, before block l->to, move with the load? */
static bool find_follower(load *l, uint32_t u)
{
    const decoder *d = l->s->d;
    const code_insn *i = &d->insns.items[u];
    bool one = begins_insn(d, u) && end_of_insn(d, u) == u + 1;
    if (!one && is_taken_in(l, u)) return true;
    if (!one || i->guard != CODE_NO_REF || stays(i->op) || !is_one_register(l, i)) return false;
    for (uint32_t k = 0; k < l->follower_count; k++)
        if (l->followers[k] == u) return true;
    if (l->follower_count == LW_COUNT(l->followers)) return false;
    l->followers[l->follower_count++] = u;
    uint32_t before = l->follower;
    l->follower = u;
    code_each_written(i, &d->infos.items[u], see_result, l);
    l->follower = before;
    return l->ok; /* also if nothing reads its result: a product that sums behind the branch have taken in */
}

/* Is what it loads used behind block b only, but for what moves with it? */
static bool is_used_behind(load *l, uint32_t b)
{
    l->to = b;
    l->ok = true;
    l->used = l->follower_count = 0;
    l->follower = NONE;
    l->perhaps = false;
    for (uint32_t u = l->first; u < l->end; u++)
        code_each_written(&l->s->d->insns.items[u], &l->s->d->infos.items[u], see_result, l);
    return l->ok && l->used;
}

/* Machine instructions of a micro-operation, in halves: about as many as the assembler makes of it. */
static uint32_t halves_of(const code_insn *i)
{
    switch (i->op) {
    case OP_block:
    case OP_nop:
    case OP_cvta:
    case OP_pack:
    case OP_unpack:
    case OP_cvt_u64_u32:
    case OP_cvt_s64_s32:
    case OP_cvt_u32_u64:
    case OP_cvt_s64_u32:
    case OP_cvt_u64_s32:
    case OP_mul_wide_s32: /* one with the addition behind it */
    case OP_mul_wide_u32: return 0;
    case OP_shl_b64: return 4;
    default: return 2;
    }
}

/* A short block without branches, calls or atomics. */
static bool is_predicated(const sinker *s, uint32_t b)
{
    const sink_block *k = &s->blocks[b];
    uint32_t halves = 0;
    for (uint32_t u = k->first; u < k->end; u++) {
        const code_insn *i = &s->d->insns.items[u];
        if (u == k->end - 1 && i->guard == CODE_NO_REF && (i->op == OP_bra || ends_thread(i))) break;
        if (!is_arithmetic(i) && i->op != OP_ld && i->op != OP_st) return false;
        if (!s->gone[u]) halves += halves_of(i);
    }
    return halves <= 2 * PREDICATED;
}

/* Where block b leads to, if to one place. */
static uint32_t only_successor(const sinker *s, uint32_t b)
{
    const sink_block *k = &s->blocks[b];
    if (k->several || (k->jump != NONE && k->fall != NONE)) return NONE;
    return k->jump != NONE ? k->jump : k->fall;
}

/* Does the assembler execute block `to`, one of two ways, under a predicate? */
static bool becomes_predicated(const sinker *s, uint32_t to, uint32_t other)
{
    if (only_ends(s, other) || !is_predicated(s, to)) return false;
    uint32_t next = only_successor(s, to);
    if (next == NONE) return ends_thread(last_of(s, to));
    next = behind_jumps(s, next);
    other = behind_jumps(s, other);
    return next == other || only_ends(s, next) || behind_jumps(s, only_successor(s, other)) == next;
}

/* The block that follows b without a branch, however lanes get there: its own end, or one that two ways under predicates
 * lead to. NONE: there is none. */
static uint32_t straight_on(load *l, uint32_t b)
{
    const sinker *s = l->s;
    const sink_block *k = &s->blocks[b];
    uint32_t next = only_successor(s, b);
    if (next != NONE) return s->blocks[next].entered == 1 ? next : NONE;
    if (k->several || k->jump == NONE || k->fall == NONE) return NONE;
    uint32_t side = k->fall, meet = k->jump;
    if (s->blocks[side].entered != 1 || only_successor(s, side) != meet || s->blocks[meet].entered != 2) return NONE;
    bool same = becomes_predicated(s, side, meet) && passes_rest(l, side, s->blocks[side].first);
    return same ? meet : NONE;
}

/* Where lanes come that do not take the branch of block b, `@p bra A; bra.uni B;` as if it said `@!p bra B;`. */
static uint32_t way_on(const sinker *s, uint32_t b)
{
    uint32_t fall = s->blocks[b].fall, to = behind_jumps(s, fall);
    return to != NONE && s->blocks[b].jump != NONE && s->blocks[to].entered == 1 ? to : fall;
}

/* Does block `to` take what the branch to it need not do for the other way? */
static bool takes(const sinker *s, uint32_t b, uint32_t to, uint32_t other)
{
    if (to == NONE || other == NONE || to == other || s->blocks[to].entered != 1) return false;
    if (becomes_predicated(s, to, other)) return false;
    bool follows = to == way_on(s, b) && behind_jumps(s, to) == to;
    return follows || only_ends(s, other) || s->blocks[behind_jumps(s, other)].entered > 1;
}

/* A loop that begins with block `to`, which b falls into. */
static bool takes_edge(const sinker *s, uint32_t b, uint32_t to)
{
    if (to == NONE || to != s->blocks[b].fall || s->blocks[b].jump == NONE || s->blocks[to].entered != 2) return false;
    for (uint32_t p = 0; p < s->count; p++) {
        bool leads = s->blocks[p].jump == to || s->blocks[p].fall == to;
        if (p != b && (s->blocks[p].several || (leads && !dominates(s, to, p)))) return false;
    }
    return true;
}

static void move_insn(sinker *s, uint32_t first, uint32_t to, bool edge)
{
    if (edge) lw_vec_push(&s->blocks[to].edge, first);
    else lw_vec_push(&s->blocks[to].moved, first);
    for (uint32_t u = first; u < end_of_insn(s->d, first); u++) {
        s->gone[u] = true;
        s->block_of[u] = to;
    }
    s->any = true;
}

/* The load comes first in the text, so last here. */
static void move(load *l, uint32_t to, bool edge)
{
    if (l->perhaps) {
        plan_mark(l->s->d, l->access->site, PLAN_MOVED_PERHAPS);
        return;
    }
    for (uint32_t k = l->follower_count; k-- > 0;) move_insn(l->s, l->followers[k], to, edge);
    move_insn(l->s, l->first, to, edge);
}

/* Moves a load of block b as far as the assembler does. from: what stands behind it there; moved: it was moved before. */
static bool sink(load *l, uint32_t b, uint32_t from)
{
    sinker *s = l->s;
    for (uint32_t at = b; at != NONE; from = s->blocks[at].first) {
        if (!passes_rest(l, at, from)) return false;
        const sink_block *k = &s->blocks[at];
        uint32_t fall = way_on(s, at);
        uint32_t ways[2][2] = {{fall, k->jump}, {k->jump, fall}};
        for (int w = 0; w < 2; w++) {
            uint32_t to = ways[w][0];
            if (takes(s, at, to, ways[w][1]) && is_used_behind(l, to)) {
                move(l, to, false);
                return true;
            }
            if (takes_edge(s, at, to) && is_used_behind(l, to)) {
                move(l, to, true);
                return true;
            }
        }
        at = straight_on(l, at);
        if (at == NONE) return false;
    }
    return false;
}

/* Loads of block b, the last one first: what another moved load needs may follow it. */
static void sink_block_loads(sinker *s, uint32_t b)
{
    sink_block *k = &s->blocks[b];
    load l;
    for (uint32_t u = k->end; u-- > k->first;)
        if (!s->gone[u] && find_load(s, u, &l)) sink(&l, b, l.end);
    for (size_t n = 0; n < k->moved.count; n++) { /* those moved here: the last one comes first */
        uint32_t m = k->moved.items[n];
        if (s->block_of[m] == b && find_load(s, m, &l)) sink(&l, b, k->first);
    }
}

/* ---------------------------------------------------------------- out of loops */
/* By block: the last one that jumps back to it, or NONE; and how many do. */
typedef struct back_jumps {
    uint32_t *last, *count;
} back_jumps;

static back_jumps find_back_jumps(const sinker *s)
{
    back_jumps j = {lw_alloc(s->count * sizeof *j.last), lw_alloc(s->count * sizeof *j.count)};
    memset(j.last, 0xff, s->count * sizeof *j.last);
    for (uint32_t b = 0; b < s->count; b++) {
        uint32_t to = s->blocks[b].jump;
        if (to == NONE || to > b) continue;
        j.last[to] = b;
        j.count[to]++;
    }
    return j;
}

/* Are blocks `head` to `last` an innermost loop that is entered at its head alone? */
static bool is_innermost(const sinker *s, uint32_t head, uint32_t last)
{
    for (uint32_t b = head; b <= last; b++) {
        const sink_block *k = &s->blocks[b];
        if (k->several || !dominates(s, head, b)) return false;
        if (k->jump != NONE && k->jump <= b && k->jump > head) return false;
    }
    return true;
}

static void see_single(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    const sinker *s = l->s;
    for (uint32_t v = code_vreg_of(r), k = s->definition_start[v]; k < s->definition_start[v + 1]; k++)
        if (s->definitions[k] < l->first || s->definitions[k] >= l->end) l->ok = false;
}

/* Does it load the same in each round of the loop? */
static bool repeats(load *l, uint32_t head, uint32_t last)
{
    const decoder *d = l->s->d;
    l->ok = true;
    for (uint32_t u = l->first; u < l->end; u++)
        code_each_written(&d->insns.items[u], &d->infos.items[u], see_single, l);
    if (!l->ok) return false;
    for (uint32_t u = l->s->blocks[head].first; u < l->s->blocks[last].end; u++) {
        bool own = u >= l->first && u < l->end;
        if (!own && !ends_thread(&d->insns.items[u]) && !passes(l, u)) return false;
    }
    return true;
}

/* Does the loop go on by a comparison of what a constant is added to? The assembler unrolls it, in pieces with a load each. */
static bool is_counted(const sinker *s, uint32_t head, uint32_t last)
{
    const decoder *d = s->d;
    const code_insn *bra = last_of(s, last);
    uint32_t first = s->blocks[head].first, end = s->blocks[last].end - 1;
    if (bra->guard == CODE_NO_REF || d->f->insns[bra->branch.label].nounroll) return false;
    for (uint32_t u = first; u < end; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->d == CODE_NO_REF || (i->d & ~1u) != (bra->guard & ~1u)) continue;
        if (plan_adds_constant(d, first, end, i->a) || plan_adds_constant(d, first, end, i->b)) return true;
    }
    return false;
}

/* The end of what stands before the first branch of the machine code's block. */
static uint32_t end_of_start(const sinker *s, uint32_t b)
{
    uint32_t u = s->blocks[b].first;
    while (u < s->blocks[b].end && !plan_splits_block(s->d, &s->d->insns.items[u])) u++;
    return u;
}

/* What stands before the first branch of an innermost loop and loads the same in each round is loaded before the loop. */
static void hoist_loads(sinker *s, uint32_t head, uint32_t last, bool falls_in)
{
    load l;
    for (uint32_t u = end_of_start(s, head); u-- > s->blocks[head].first;) {
        if (s->gone[u] || !find_load(s, u, &l)) continue;
        bool known = l.access->mem.space == PTX_SHARED || l.access->mem.space == PTX_GLOBAL;
        if (!known || !repeats(&l, head, last)) continue;
        bool wide = l.access->mem.space == PTX_SHARED && l.access->mem.vector > 2; /* it was seen to stay */
        if (wide || !falls_in || is_counted(s, head, last)) plan_mark(s->d, l.access->site, PLAN_HOISTED_PERHAPS);
        if (!wide && falls_in) move_insn(s, l.first, head, true);
    }
}

static void hoist(sinker *s)
{
    back_jumps j = find_back_jumps(s);
    for (uint32_t head = 1; head < s->count; head++) {
        if (j.last[head] == NONE || !is_innermost(s, head, j.last[head])) continue;
        bool falls_in = s->blocks[head - 1].fall == head && s->blocks[head].entered == j.count[head] + 1;
        hoist_loads(s, head, j.last[head], falls_in);
    }
    free(j.last);
    free(j.count);
}

/* ---------------------------------------------------------------- the new order */
typedef struct new_order {
    LW_VEC(code_insn) insns;
    LW_VEC(uop_info) infos;
    uint32_t *place; /* by old micro-operation: the new one */
} new_order;

static void put(sinker *s, new_order *o, uint32_t u)
{
    o->place[u] = (uint32_t)o->insns.count;
    lw_vec_push(&o->insns, s->d->insns.items[u]);
    lw_vec_push(&o->infos, s->d->infos.items[u]);
}

/* What was moved to block b, which has this number. */
static void put_moved(sinker *s, new_order *o, const uint32_t *insns, size_t count, uint32_t b, uint32_t number)
{
    for (size_t n = count; n-- > 0;) {
        if (s->block_of[insns[n]] != b) continue;
        code_site *site = &s->d->builder->sites.items[s->d->insns.items[insns[n]].site];
        site->block = number;
        site->moved = true;
        for (uint32_t u = insns[n], end = end_of_insn(s->d, u); u < end; u++) put(s, o, u);
    }
}

/* A block of its own on the way into a loop. */
static void put_edge(sinker *s, new_order *o, uint32_t b)
{
    const sink_block *k = &s->blocks[b];
    code_insn block = s->d->insns.items[k->first];
    block.block.index = s->d->kernel->block_count++;
    block.block.joins = false;
    lw_vec_push(&o->insns, block);
    lw_vec_push(&o->infos, s->d->infos.items[k->first]);
    put_moved(s, o, k->edge.items, k->edge.count, b, block.block.index);
}

static void reorder(sinker *s)
{
    decoder *d = s->d;
    new_order o = {.place = lw_alloc((d->insns.count + 1) * sizeof *o.place)};
    for (uint32_t b = 0; b < s->count; b++) {
        const sink_block *k = &s->blocks[b];
        if (k->edge.count) put_edge(s, &o, b);
        put(s, &o, k->first);
        put_moved(s, &o, k->moved.items, k->moved.count, b, d->insns.items[k->first].block.index);
        for (uint32_t u = k->first + 1; u < k->end; u++)
            if (!s->gone[u]) put(s, &o, u);
    }
    for (size_t k = 0; k <= d->f->insn_count; k++) d->uop_of_insn[k] = o.place[d->uop_of_insn[k]];
    lw_vec_free(&d->insns);
    lw_vec_free(&d->infos);
    d->insns.items = o.insns.items;
    d->insns.count = o.insns.count;
    d->insns.capacity = o.insns.capacity;
    d->infos.items = o.infos.items;
    d->infos.count = o.infos.count;
    d->infos.capacity = o.infos.capacity;
    free(o.place);
}

void plan_sink(decoder *d)
{
    if (d->kernel->no_count_plan || d->module->debug_target) return;
    sinker s = {.d = d};
    find_blocks(&s);
    s.gone = lw_alloc(d->insns.count + 1);
    s.reached = lw_alloc(s.count + 1);
    s.stack = lw_alloc((s.count + 1) * sizeof *s.stack);
    find_edges(&s);
    index_registers(d, code_each_read, &s.use_start, &s.uses);
    index_registers(d, code_each_written, &s.definition_start, &s.definitions);
    for (uint32_t b = 0; b < s.count; b++) sink_block_loads(&s, b);
    hoist(&s);
    if (s.any) reorder(&s);
    for (uint32_t b = 0; b < s.count; b++) {
        lw_vec_free(&s.blocks[b].moved);
        lw_vec_free(&s.blocks[b].edge);
    }
    free(s.blocks);
    free(s.block_of);
    free(s.gone);
    free(s.definitions);
    free(s.definition_start);
    free(s.use_start);
    free(s.uses);
    code_dominators_free(&s.dominators);
    free(s.reached);
    free(s.stack);
}
