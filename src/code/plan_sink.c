/* plan_sink.c: loads that the assembler moves: behind a branch, `v = a[i]; if (i < n) b[i] = v;` loads for those lanes alone
 * that take the branch; and out of loops. The one part of the count plan that execution follows: such a load is executed where the machine
 * code has it.
 *
 * What ptxas 13.0 was seen to do for sm_90 (tests/unit/test_plan.c has a kernel for each point): a load moves from the end of its block
 * into the block that a branch leads to, if nothing else comes there and nothing else uses its value, and from there further
 * on. It does not move across a write that may touch what it reads, a barrier or a call; loads of read-only data (ld.global.nc)
 * do. The block must be the one that follows in the text, or the branch's other way must be that of those who leave: to the end
 * of the kernel, or to where both ways meet, or be executed under a predicate. A short block without branches is executed under
 * a predicate, not branched around; so its loads stay where they are, unless the branch leads to the end. So is a second
 * condition for one way, `if (p || q)`, computed with the first.
 *
 * Before an innermost loop go the loads that stand before its first branch at an address that does not change, if the loop
 * writes no such memory, waits for nobody and branches to no slow path: NVVM does the same, but not around inline assembly,
 * as which __ldg() of vectors comes.
 *
 * Before a branch goes what both of its ways load, once for both, if both are executed under predicates, do not end the kernel,
 * and no store to this memory stands in the way that comes first, that of lanes that do not take the branch, or before the load
 * in the other. */
#include "code/plan_ways.h"

#include <stdlib.h>
#include <string.h>

typedef struct sinker {
    plan_ways ways;
    uint32_t *definition_start; /* the same as use_start, of who writes it */
    uint32_t *definitions;
    uint32_t *use_start; /* by virtual register: uses[use_start[v]] to uses[use_start[v + 1]] are who reads it */
    uint32_t *uses;      /* micro-operations */
    uint8_t *reached;    /* by block: scratch of is_live_at() */
    uint32_t *stack;
    bool any;
} sinker;

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
    uint32_t follower;                     /* scratch: the one whose result is being looked at, or PLAN_NONE */
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
    const decoder *d = s->ways.d;
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

static void see_redefined(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    if (l->access->a == r) l->ok = false;
}

/* Can the load be executed behind the micro-operation at u? */
static bool passes(load *l, uint32_t u)
{
    const decoder *d = l->s->ways.d;
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
    if (plan_is_arithmetic(i)) return true;
    return l->read_only && i->op != OP_call && i->op != OP_brx && !plan_has_slow_path(i->op);
}

/* The same for what stands behind it in block b, moved loads aside: they write nothing. */
static bool passes_rest(load *l, uint32_t b, uint32_t from)
{
    for (uint32_t u = from; u < l->s->ways.blocks[b].end; u++)
        if (!l->s->ways.gone[u] && !passes(l, u)) return false;
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

/* The first of list[start[v]] to list[start[v + 1]] that lies in block b, in the text; PLAN_NONE: none does. */
static uint32_t first_in(const sinker *s, const uint32_t *start, const uint32_t *list, uint32_t v, uint32_t b)
{
    for (uint32_t k = start[v]; k < start[v + 1]; k++)
        if (list[k] >= s->ways.blocks[b].first && list[k] < s->ways.blocks[b].end) return list[k];
    return PLAN_NONE;
}

static void visit_block(sinker *s, uint32_t b, uint32_t *depth)
{
    if (b == PLAN_NONE || s->reached[b]) return;
    s->reached[b] = 1;
    s->stack[(*depth)++] = b;
}

/* Is virtual register v read on a way from the start of block b, before it is written? */
static bool is_live_at(sinker *s, uint32_t v, uint32_t b)
{
    uint32_t depth = 0;
    memset(s->reached, 0, s->ways.count);
    visit_block(s, b, &depth);
    while (depth) {
        uint32_t at = s->stack[--depth];
        uint32_t use = first_in(s, s->use_start, s->uses, v, at);
        uint32_t definition = first_in(s, s->definition_start, s->definitions, v, at);
        if (use != PLAN_NONE && use <= definition) return true;
        if (s->ways.blocks[at].several) return false; /* not looked into */
        if (definition != PLAN_NONE && s->ways.d->insns.items[definition].guard == CODE_NO_REF) continue;
        visit_block(s, s->ways.blocks[at].jump, &depth);
        visit_block(s, s->ways.blocks[at].fall, &depth);
    }
    return false;
}

/* Is the one of two registers that is live behind the branch what moves? Then the other one, which is not, keeps it here. */
static bool is_own_live(load *l, const code_ref refs[3])
{
    const decoder *d = l->s->ways.d;
    for (uint32_t k = 0; k < 3; k++) {
        if (!code_is_virtual(refs[k]) || !is_live_at(l->s, code_vreg_of(refs[k]), l->to)) continue;
        for (uint32_t u = l->first; u < l->end; u++)
            if (d->insns.items[u].op == OP_ld && d->insns.items[u].mem.list->ref[0] == refs[k]) return true;
    }
    return false;
}

/* Of the registers that i reads, is at most one not live behind block l->to anyway? With another, where the load needs none for
 * its address, the assembler was seen to do both. */
static bool is_one_register(load *l, const code_insn *i)
{
    const code_ref refs[] = {i->a, i->b, i->c};
    uint64_t value;
    uint32_t registers = 0, live = 0;
    if (i->e != CODE_NO_REF) return false;
    for (uint32_t k = 0; k < LW_COUNT(refs); k++) {
        if (refs[k] == CODE_NO_REF || plan_constant(l->s->ways.d, refs[k], &value)) continue;
        if (!code_is_virtual(refs[k])) return false;
        registers++;
    }
    for (uint32_t k = 0; registers > 1 && k < LW_COUNT(refs); k++)
        if (code_is_virtual(refs[k])) live += is_live_at(l->s, code_vreg_of(refs[k]), l->to);
    if (registers <= live + 1 && !(registers == 2 && live == 1 && is_own_live(l, refs))) return true;
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
        if (plan_leads_through(&s->ways, l->to, s->ways.block_of[u])) l->used++;
        else if (!find_follower(l, u)) l->ok = false;
    }
    for (uint32_t k = s->definition_start[v]; l->ok && k < s->definition_start[v + 1]; k++) {
        uint32_t u = s->definitions[k];
        bool own = (u >= l->first && u < l->end) || u == l->follower;
        if (!own && !plan_leads_through(&s->ways, l->to, s->ways.block_of[u])) l->ok = false;
    }
}

static void see_factor(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    const sinker *s = l->s;
    uint32_t v = code_vreg_of(r), insn = s->ways.d->infos.items[l->follower].ptx_insn;
    for (uint32_t k = s->use_start[v]; l->ok && k < s->use_start[v + 1]; k++) {
        bool own = s->ways.d->infos.items[s->uses[k]].ptx_insn == insn;
        if (!own && !plan_leads_through(&l->s->ways, l->to, s->ways.block_of[s->uses[k]])) l->ok = false;
        else if (!own) l->used++;
    }
}

/* A product at u that sums behind the branch take in (contract.c), and what they need of its factors: it is not moved here, but
 * the assembler may. */
static bool is_taken_in(load *l, uint32_t u)
{
    const decoder *d = l->s->ways.d;
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
    const decoder *d = l->s->ways.d;
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
    l->follower = PLAN_NONE;
    l->perhaps = false;
    for (uint32_t u = l->first; u < l->end; u++)
        code_each_written(&l->s->ways.d->insns.items[u], &l->s->ways.d->infos.items[u], see_result, l);
    return l->ok && l->used;
}

/* The block that follows b without a branch, however lanes get there: its own end, or one that two ways under predicates
 * lead to. PLAN_NONE: there is none. */
static uint32_t straight_on(load *l, uint32_t b)
{
    const sinker *s = l->s;
    const plan_block *k = &s->ways.blocks[b];
    uint32_t next = plan_only_way(&s->ways, b);
    if (next != PLAN_NONE) return s->ways.blocks[next].entered == 1 ? next : PLAN_NONE;
    if (k->several || k->jump == PLAN_NONE || k->fall == PLAN_NONE) return PLAN_NONE;
    uint32_t side = k->fall, meet = k->jump, on = plan_way_on(&s->ways, b);
    if (plan_is_condition(&s->ways, on, k->jump)) return on;
    if (plan_is_condition(&s->ways, k->jump, on)) return k->jump;
    if (s->ways.blocks[side].entered != 1 || plan_only_way(&s->ways, side) != meet || s->ways.blocks[meet].entered != 2)
        return PLAN_NONE;
    bool same = plan_becomes_predicated(&s->ways, side, meet) && passes_rest(l, side, s->ways.blocks[side].first);
    return same ? meet : PLAN_NONE;
}

/* Does block `to` take what the branch to it need not do for the other way? */
static bool takes(const sinker *s, uint32_t b, uint32_t to, uint32_t other)
{
    if (to == PLAN_NONE || other == PLAN_NONE || to == other || s->ways.blocks[to].entered != 1) return false;
    if (plan_becomes_predicated(&s->ways, to, other) || plan_is_condition(&s->ways, to, other)) return false;
    bool follows = to == plan_way_on(&s->ways, b) && plan_behind_jumps(&s->ways, to) == to;
    if (follows || plan_only_ends(&s->ways, other) || plan_becomes_predicated(&s->ways, other, to)) return true;
    return s->ways.blocks[plan_behind_jumps(&s->ways, other)].entered > 1;
}

/* A loop that begins with block `to`, which b falls into. */
static bool takes_edge(const sinker *s, uint32_t b, uint32_t to)
{
    if (to == PLAN_NONE || to != s->ways.blocks[b].fall || s->ways.blocks[b].jump == PLAN_NONE ||
        s->ways.blocks[to].entered != 2)
        return false;
    for (uint32_t p = 0; p < s->ways.count; p++) {
        bool leads = s->ways.blocks[p].jump == to || s->ways.blocks[p].fall == to;
        if (p != b && (s->ways.blocks[p].several || (leads && !plan_leads_through(&s->ways, to, p)))) return false;
    }
    return true;
}

static void move_insn(sinker *s, uint32_t first, uint32_t to, bool edge)
{
    if (edge) lw_vec_push(&s->ways.blocks[to].edge, first);
    else lw_vec_push(&s->ways.blocks[to].moved, first);
    for (uint32_t u = first; u < end_of_insn(s->ways.d, first); u++) {
        s->ways.gone[u] = true;
        s->ways.block_of[u] = to;
    }
    s->any = true;
}

/* The load comes first in the text, so last here. */
static void move(load *l, uint32_t to, bool edge)
{
    if (l->perhaps) {
        plan_mark(l->s->ways.d, l->access->site, PLAN_MOVED_PERHAPS);
        return;
    }
    for (uint32_t k = l->follower_count; k-- > 0;) move_insn(l->s, l->followers[k], to, edge);
    move_insn(l->s, l->first, to, edge);
}

/* Moves a load of block b as far as the assembler does. from: what stands behind it there; moved: it was moved before. */
static bool sink(load *l, uint32_t b, uint32_t from)
{
    sinker *s = l->s;
    for (uint32_t at = b; at != PLAN_NONE; from = s->ways.blocks[at].first) {
        if (!passes_rest(l, at, from)) return false;
        const plan_block *k = &s->ways.blocks[at];
        uint32_t fall = plan_way_on(&s->ways, at);
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
        if (at == PLAN_NONE) return false;
    }
    return false;
}

/* Loads of block b, the last one first: what another moved load needs may follow it. */
static void sink_block_loads(sinker *s, uint32_t b)
{
    plan_block *k = &s->ways.blocks[b];
    load l;
    for (uint32_t u = k->end; u-- > k->first;)
        if (!s->ways.gone[u] && find_load(s, u, &l)) sink(&l, b, l.end);
    for (size_t n = 0; n < k->moved.count; n++) { /* those moved here: the last one comes first */
        uint32_t m = k->moved.items[n];
        if (s->ways.block_of[m] == b && find_load(s, m, &l)) sink(&l, b, k->first);
    }
}

/* ---------------------------------------------------------------- out of loops */
/* By block: the last one that jumps back to it, or PLAN_NONE; and how many do. */
typedef struct back_jumps {
    uint32_t *last, *count;
} back_jumps;

static back_jumps find_back_jumps(const sinker *s)
{
    back_jumps j = {lw_alloc(s->ways.count * sizeof *j.last), lw_alloc(s->ways.count * sizeof *j.count)};
    memset(j.last, 0xff, s->ways.count * sizeof *j.last);
    for (uint32_t b = 0; b < s->ways.count; b++) {
        uint32_t to = s->ways.blocks[b].jump;
        if (to == PLAN_NONE || to > b) continue;
        j.last[to] = b;
        j.count[to]++;
    }
    return j;
}

/* Are blocks `head` to `last` an innermost loop that is entered at its head alone? */
static bool is_innermost(const sinker *s, uint32_t head, uint32_t last)
{
    for (uint32_t b = head; b <= last; b++) {
        const plan_block *k = &s->ways.blocks[b];
        if (k->several || !plan_leads_through(&s->ways, head, b)) return false;
        if (k->jump != PLAN_NONE && k->jump <= b && k->jump > head) return false;
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
    const decoder *d = l->s->ways.d;
    l->ok = true;
    for (uint32_t u = l->first; u < l->end; u++)
        code_each_written(&d->insns.items[u], &d->infos.items[u], see_single, l);
    if (!l->ok) return false;
    for (uint32_t u = l->s->ways.blocks[head].first; u < l->s->ways.blocks[last].end; u++) {
        bool own = u >= l->first && u < l->end;
        if (!own && !plan_ends_thread(&d->insns.items[u]) && !passes(l, u)) return false;
    }
    return true;
}

/* Does the loop go on by a comparison of what a constant is added to? The assembler unrolls it, in pieces with a load each. */
static bool is_counted(const sinker *s, uint32_t head, uint32_t last)
{
    const decoder *d = s->ways.d;
    const code_insn *bra = plan_last_of(&s->ways, last);
    uint32_t first = s->ways.blocks[head].first, end = s->ways.blocks[last].end - 1;
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
    uint32_t u = s->ways.blocks[b].first;
    while (u < s->ways.blocks[b].end && !plan_splits_block(s->ways.d, &s->ways.d->insns.items[u])) u++;
    return u;
}

/* What stands before the first branch of an innermost loop and loads the same in each round is loaded before the loop. */
static void hoist_loads(sinker *s, uint32_t head, uint32_t last, bool falls_in)
{
    load l;
    for (uint32_t u = end_of_start(s, head); u-- > s->ways.blocks[head].first;) {
        if (s->ways.gone[u] || !find_load(s, u, &l)) continue;
        bool known = l.access->mem.space == PTX_SHARED || l.access->mem.space == PTX_GLOBAL;
        if (!known || !repeats(&l, head, last)) continue;
        bool wide = l.access->mem.space == PTX_SHARED && l.access->mem.vector > 2; /* it was seen to stay */
        if (wide || !falls_in || is_counted(s, head, last)) plan_mark(s->ways.d, l.access->site, PLAN_HOISTED_PERHAPS);
        if (!wide && falls_in) move_insn(s, l.first, head, true);
    }
}

static void hoist(sinker *s)
{
    back_jumps j = find_back_jumps(s);
    for (uint32_t head = 1; head < s->ways.count; head++) {
        if (j.last[head] == PLAN_NONE || !is_innermost(s, head, j.last[head])) continue;
        bool falls_in = s->ways.blocks[head - 1].fall == head && s->ways.blocks[head].entered == j.count[head] + 1;
        hoist_loads(s, head, j.last[head], falls_in);
    }
    free(j.last);
    free(j.count);
}

/* ---------------------------------------------------------------- before a branch */
/* Do both load the same bytes in the same way? */
static bool is_same_load(const load *l, const load *other)
{
    const code_insn *i = l->access, *o = other->access;
    bool place = i->a == o->a && i->mem.offset == o->mem.offset && i->mem.space == o->mem.space;
    bool narrow = i->mem.bytes < 4;
    const decoder *d = l->s->ways.d;
    if (narrow && strcmp(mnemonic_of(d, l->first), mnemonic_of(d, other->first)) != 0) return false;
    return place && i->mem.bytes == o->mem.bytes && i->mem.vector == o->mem.vector && l->read_only == other->read_only;
}

static void see_early(void *user, code_ref r, code_operand what)
{
    (void)what;
    load *l = user;
    sinker *s = l->s;
    uint32_t v = code_vreg_of(r), from = s->ways.block_of[l->first];
    uint32_t written = first_in(s, s->definition_start, s->definitions, v, from);
    l->ok &= written >= l->first && written < l->end && !is_live_at(s, v, from) && !is_live_at(s, v, l->to);
}

/* Can the load be executed before the branch that leads to its block? Then it is for the lanes of block `other`, too. */
static bool can_rise(load *l, uint32_t other)
{
    sinker *s = l->s;
    uint32_t own = s->ways.block_of[l->first];
    for (uint32_t u = s->ways.blocks[own].first; u < l->first; u++)
        if (!s->ways.gone[u] && !passes(l, u)) return false;
    l->to = other;
    l->ok = true;
    for (uint32_t u = l->first; u < l->end; u++)
        code_each_written(&s->ways.d->insns.items[u], &s->ways.d->infos.items[u], see_early, l);
    return l->ok;
}

static void raise_insn(sinker *s, uint32_t first, uint32_t to)
{
    lw_vec_push(&s->ways.blocks[to].raised, first);
    for (uint32_t u = first; u < end_of_insn(s->ways.d, first); u++) {
        s->ways.gone[u] = true;
        s->ways.block_of[u] = to;
    }
    s->any = true;
}

/* The load of block `jump` is one with that of block `fall` if both are. */
static bool load_once(load *l, uint32_t b, uint32_t fall, uint32_t jump)
{
    sinker *s = l->s;
    decoder *d = s->ways.d;
    load other;
    for (uint32_t u = s->ways.blocks[fall].first; u < s->ways.blocks[fall].end; u++) {
        if (s->ways.gone[u] || !find_load(s, u, &other) || !is_same_load(l, &other)) continue;
        if (!passes_rest(l, fall, s->ways.blocks[fall].first) || !can_rise(l, fall) || !can_rise(&other, jump))
            return false;
        d->insns.items[l->first].event_op = CODE_NO_EVENT;
        d->builder->sites.items[l->access->site].is_memory = false;
        raise_insn(s, l->first, b);
        raise_insn(s, other.first, b);
        return true;
    }
    return false;
}

/* What both ways of a branch load is loaded once, before it, if both are executed under predicates: they are one basic block
 * then, the way of those who do not take the branch first. */
static void raise_loads(sinker *s, uint32_t b)
{
    const plan_ways *w = &s->ways;
    if (w->blocks[b].jump == PLAN_NONE || w->blocks[b].fall == PLAN_NONE) return;
    uint32_t fall = plan_behind_jumps(w, plan_way_on(w, b)), jump = plan_behind_jumps(w, w->blocks[b].jump);
    if (fall == jump || fall == PLAN_NONE || jump == PLAN_NONE) return;
    if (w->blocks[fall].entered != 1 || w->blocks[jump].entered != 1) return;
    uint32_t meet = plan_only_way(w, fall);
    if (meet == PLAN_NONE || plan_only_ends(w, meet)) return; /* the first then end by themselves */
    if (!plan_becomes_predicated(w, fall, jump) || !plan_becomes_predicated(w, jump, fall)) return;
    load l;
    for (uint32_t u = w->blocks[jump].first; u < w->blocks[jump].end; u++)
        if (!w->gone[u] && find_load(s, u, &l)) load_once(&l, b, fall, jump);
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
    lw_vec_push(&o->insns, s->ways.d->insns.items[u]);
    lw_vec_push(&o->infos, s->ways.d->infos.items[u]);
}

/* What was moved to block b, which has this number. */
static void put_moved(sinker *s, new_order *o, const uint32_t *insns, size_t count, uint32_t b, uint32_t number)
{
    for (size_t n = count; n-- > 0;) {
        if (s->ways.block_of[insns[n]] != b) continue;
        code_site *site = &s->ways.d->builder->sites.items[s->ways.d->insns.items[insns[n]].site];
        site->block = number;
        site->moved = true;
        for (uint32_t u = insns[n], end = end_of_insn(s->ways.d, u); u < end; u++) put(s, o, u);
    }
}

/* A block of its own on the way into a loop. */
static void put_edge(sinker *s, new_order *o, uint32_t b)
{
    const plan_block *k = &s->ways.blocks[b];
    code_insn block = s->ways.d->insns.items[k->first];
    block.block.index = s->ways.d->kernel->block_count++;
    block.block.joins = false;
    lw_vec_push(&o->insns, block);
    lw_vec_push(&o->infos, s->ways.d->infos.items[k->first]);
    put_moved(s, o, k->edge.items, k->edge.count, b, block.block.index);
}

static void reorder(sinker *s)
{
    decoder *d = s->ways.d;
    new_order o = {.place = lw_alloc((d->insns.count + 1) * sizeof *o.place)};
    for (uint32_t b = 0; b < s->ways.count; b++) {
        const plan_block *k = &s->ways.blocks[b];
        if (k->edge.count) put_edge(s, &o, b);
        put(s, &o, k->first);
        put_moved(s, &o, k->moved.items, k->moved.count, b, d->insns.items[k->first].block.index);
        for (uint32_t u = k->first + 1; u < k->end; u++) {
            if (u == k->end - 1)
                put_moved(s, &o, k->raised.items, k->raised.count, b, d->insns.items[k->first].block.index);
            if (!s->ways.gone[u]) put(s, &o, u);
        }
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
    sinker s = {.ways.d = d};
    plan_ways_find(&s.ways);
    s.reached = lw_alloc(s.ways.count + 1);
    s.stack = lw_alloc((s.ways.count + 1) * sizeof *s.stack);
    index_registers(d, code_each_read, &s.use_start, &s.uses);
    index_registers(d, code_each_written, &s.definition_start, &s.definitions);
    for (uint32_t b = 0; b < s.ways.count; b++) sink_block_loads(&s, b);
    hoist(&s);
    for (uint32_t b = 0; b < s.ways.count; b++) raise_loads(&s, b);
    if (s.any) reorder(&s);
    free(s.definitions);
    free(s.definition_start);
    free(s.use_start);
    free(s.uses);
    free(s.reached);
    free(s.stack);
    plan_ways_free(&s.ways);
}
