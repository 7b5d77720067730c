/* control.c: control flow of one decoded function: basic blocks, immediate post-dominators (where the lanes of a
 * divergent branch wait for each other), branch targets, and loops whose exit depends on what other threads do (spin
 * loops).
 *
 * Post-dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph with one
 * virtual exit. Blocks that cannot reach the exit (endless loops) get an edge to it. */
#include "code/uops.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct graph {
    uint32_t count;       /* blocks; node `count` is the virtual exit */
    uint32_t base;        /* number of the function's first block in the kernel */
    uint32_t *first;      /* first PTX instruction of a block */
    uint32_t *edge_start; /* successors of block b: edges[edge_start[b] .. edge_start[b+1]) */
    uint8_t *leaves;      /* blocks with an edge that drop_exits took away */
    LW_VEC(uint32_t) edges;
    uint32_t *ipdom; /* immediate post-dominator of each node; NONE: it has none */
} graph;

static uint32_t block_of(const decoder *d, const graph *g, uint32_t insn) { return d->block_of_insn[insn] - g->base; }

static void add_successors(decoder *d, graph *g, uint32_t b)
{
    const ptx_function *f = d->f;
    uint32_t end = b + 1 < g->count ? g->first[b + 1] : (uint32_t)f->insn_count;
    if (g->first[b] >= f->insn_count) { /* the empty block at the end */
        lw_vec_push(&g->edges, g->count);
        return;
    }
    const ptx_insn *in = &f->insns[end - 1];
    decode_parts p = decode_split(in->mnemonic);
    bool guarded = in->guard >= 0, falls = true;
    if (decode_part_is(&p, 0, "bra")) {
        if (in->operand_count && in->operands[0].kind == PTX_OP_LABEL)
            lw_vec_push(&g->edges, block_of(d, g, (uint32_t)in->operands[0].imm));
        falls = guarded;
    } else if (decode_part_is(&p, 0, "brx")) {
        const ptx_targets *t = in->operand_count > 1 ? in->operands[1].targets : NULL;
        for (size_t k = 0; t && k < t->count; k++) lw_vec_push(&g->edges, block_of(d, g, t->labels[k]));
        falls = guarded;
    } else if (decode_part_is(&p, 0, "ret") || decode_part_is(&p, 0, "exit") || decode_part_is(&p, 0, "trap")) {
        lw_vec_push(&g->edges, g->count);
        falls = guarded;
    }
    if (falls) lw_vec_push(&g->edges, b + 1 < g->count ? b + 1 : g->count);
}

/* Does block b of an entry function do nothing but end the thread? */
static bool only_exits(const decoder *d, const graph *g, uint32_t b)
{
    if (b == g->count || g->first[b] >= d->f->insn_count) return true;
    const ptx_insn *in = &d->f->insns[g->first[b]];
    decode_parts p = decode_split(in->mnemonic);
    return in->guard < 0 && (decode_part_is(&p, 0, "ret") || decode_part_is(&p, 0, "exit"));
}

/* Threads that leave the kernel meet nobody: the assembler makes `exit` of a branch to the final `ret`, and lets the
 * others meet where their own paths do (tests/hw/kernels/divergence.cu: or_chain). */
static void drop_exits(const decoder *d, graph *g, uint32_t b)
{
    uint32_t from = g->edge_start[b], kept = from;
    for (uint32_t e = from; e < g->edges.count; e++)
        if (!only_exits(d, g, g->edges.items[e])) g->edges.items[kept++] = g->edges.items[e];
    if (kept == from || kept == g->edges.count) return;
    g->edges.count = kept;
    g->leaves[b] = 1;
}

static void build_graph(decoder *d, graph *g)
{
    uint32_t n = (uint32_t)d->f->insn_count;
    g->base = d->block_of_insn[0];
    g->count = d->block_of_insn[n] - g->base + 1;
    g->first = lw_alloc((g->count + 1) * sizeof *g->first);
    g->edge_start = lw_alloc((g->count + 2) * sizeof *g->edge_start);
    g->leaves = lw_alloc(g->count + 1);
    for (uint32_t k = n + 1; k-- > 0;) g->first[block_of(d, g, k)] = k;
    for (uint32_t b = 0; b < g->count; b++) {
        g->edge_start[b] = (uint32_t)g->edges.count;
        add_successors(d, g, b);
        if (d->f->is_entry) drop_exits(d, g, b);
    }
    g->edge_start[g->count] = (uint32_t)g->edges.count;
}

/* ---------------------------------------------------------------- post-dominators */
/* The graph with its edges turned round, and its nodes in postorder from the exit. */
typedef struct reversed {
    uint32_t nodes;  /* blocks and the exit */
    uint32_t *start; /* predecessors of node n: edges[start[n] .. start[n + 1]) */
    uint32_t *edges;
    uint8_t *extra; /* blocks that get an edge to the exit because they cannot reach it */
    uint32_t *post; /* nodes in postorder; the exit comes last */
    uint32_t post_count;
    uint32_t *number; /* index of a node in post */
} reversed;

/* A depth-first search that keeps its path here, not on the host's stack. */
typedef struct search {
    uint8_t *seen;
    uint32_t *path; /* nodes from the root to the one at hand */
    uint32_t *next; /* by depth: the edge of path[depth] to follow next */
} search;

static search search_begin(uint32_t nodes)
{
    search s = {.seen = lw_alloc(nodes)};
    s.path = lw_alloc(nodes * sizeof *s.path);
    s.next = lw_alloc(nodes * sizeof *s.next);
    return s;
}

static void search_end(search *s)
{
    free(s->seen);
    free(s->path);
    free(s->next);
}

static void enter_node(const reversed *r, search *s, uint32_t depth, uint32_t node)
{
    s->seen[node] = 1;
    s->path[depth] = node;
    s->next[depth] = r->start[node];
}

/* Visits what is not seen yet; number: and appends it to the postorder. */
static void search_from(reversed *r, search *s, uint32_t root, bool number)
{
    uint32_t depth = 0;
    enter_node(r, s, depth, root);
    for (;;) {
        uint32_t node = s->path[depth];
        if (s->next[depth] < r->start[node + 1]) {
            uint32_t other = r->edges[s->next[depth]++];
            if (!s->seen[other]) enter_node(r, s, ++depth, other);
            continue;
        }
        if (number) r->post[r->post_count++] = node;
        if (!depth) return;
        depth--;
    }
}

static void reverse_edges(const graph *g, reversed *r)
{
    r->nodes = g->count + 1;
    r->start = lw_alloc((r->nodes + 1) * sizeof *r->start);
    r->edges = lw_alloc((g->edges.count + 1) * sizeof *r->edges);
    for (size_t k = 0; k < g->edges.count; k++) r->start[g->edges.items[k] + 1]++;
    for (uint32_t k = 0; k < r->nodes; k++) r->start[k + 1] += r->start[k];
    uint32_t *filled = lw_alloc(r->nodes * sizeof *filled);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++) {
            uint32_t to = g->edges.items[e];
            r->edges[r->start[to] + filled[to]++] = b;
        }
    free(filled);
}

/* Endless loops get an edge to the exit. A loop that is endless only for want of a dropped edge leaves where that one
 * was, whatever lies behind it: those first. */
static void let_endless_loops_exit(const graph *g, reversed *r)
{
    search s = search_begin(r->nodes);
    r->extra = lw_alloc(r->nodes);
    search_from(r, &s, g->count, false);
    for (int dropped = 1; dropped >= 0; dropped--)
        for (uint32_t b = g->count; b-- > 0;) {
            if (s.seen[b] || g->leaves[b] < dropped) continue;
            r->extra[b] = 1;
            search_from(r, &s, b, false);
        }
    search_end(&s);
}

/* Endless loops first, the exit's own component last: the exit must have the highest number. */
static void number_nodes(const graph *g, reversed *r)
{
    search s = search_begin(r->nodes);
    r->post = lw_alloc(r->nodes * sizeof *r->post);
    r->number = lw_alloc(r->nodes * sizeof *r->number);
    for (uint32_t b = 0; b < g->count; b++)
        if (r->extra[b] && !s.seen[b]) search_from(r, &s, b, true);
    search_from(r, &s, g->count, true);
    for (uint32_t k = 0; k < r->post_count; k++) r->number[r->post[k]] = k;
    search_end(&s);
}

/* The nearest node that post-dominates both. */
static uint32_t meet(const graph *g, const reversed *r, uint32_t x, uint32_t y)
{
    while (x != y) {
        while (r->number[x] < r->number[y]) x = g->ipdom[x];
        while (r->number[y] < r->number[x]) y = g->ipdom[y];
    }
    return x;
}

/* Where the successors of b that have a post-dominator meet; NONE: none has one yet. */
static uint32_t meet_of_successors(const graph *g, const reversed *r, uint32_t b)
{
    uint32_t best = r->extra[b] ? g->count : NONE;
    for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++) {
        uint32_t s = g->edges.items[e];
        if (g->ipdom[s] == NONE) continue;
        best = best == NONE ? s : meet(g, r, s, best);
    }
    return best;
}

static void post_dominators(graph *g)
{
    reversed r = {0};
    reverse_edges(g, &r);
    let_endless_loops_exit(g, &r);
    number_nodes(g, &r);
    g->ipdom = lw_alloc(r.nodes * sizeof *g->ipdom);
    for (uint32_t k = 0; k < r.nodes; k++) g->ipdom[k] = NONE;
    g->ipdom[g->count] = g->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = r.post_count; k-- > 0;) {
            uint32_t b = r.post[k], best = b == g->count ? b : meet_of_successors(g, &r, b);
            changed |= best != g->ipdom[b];
            g->ipdom[b] = best;
        }
    }
    free(r.start);
    free(r.edges);
    free(r.extra);
    free(r.post);
    free(r.number);
}

/* ---------------------------------------------------------------- spin loops */
static bool reads_shared_state(const decoder *d, uint32_t u)
{
    const code_insn *i = &d->insns.items[u];
    switch (i->op) {
    case OP_atom: return true;
    case OP_mbarrier: return i->mem.mbarrier.operation == MBAR_TEST_WAIT || i->mem.mbarrier.operation == MBAR_TRY_WAIT;
    case OP_ld: return i->mem.access.ordered;
    default: return false;
    }
}

/* Registers whose values follow from what other threads do. */
typedef struct taint_walk {
    uint8_t *taint; /* by virtual register */
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
static void taint_region(const decoder *d, const graph *g, uint32_t u, uint32_t last, taint_walk *w)
{
    uint32_t join = g->ipdom[block_of(d, g, d->infos.items[u].ptx_insn)];
    if (join == NONE || join >= g->count) return;
    uint32_t end = d->uop_of_insn[g->first[join]];
    for (uint32_t v = u + 1; v < end && v <= last; v++) taint_written(d, v, w);
}

static bool any_reads_shared_state(const decoder *d, uint32_t first, uint32_t last)
{
    for (uint32_t u = first; u <= last; u++)
        if (reads_shared_state(d, u)) return true;
    return false;
}

/* One pass over [first, last]: results of tainted sources are tainted. */
static void spread_taint(const decoder *d, const graph *g, uint32_t first, uint32_t last, taint_walk *w)
{
    for (uint32_t u = first; u <= last; u++) {
        const code_insn *i = &d->insns.items[u];
        w->tainted = reads_shared_state(d, u);
        code_each_read(i, &d->infos.items[u], find_taint, w);
        if (w->tainted) taint_written(d, u, w);
        bool guarded = i->op == OP_bra && i->guard != CODE_NO_REF;
        if (guarded && w->taint[code_vreg_of(i->guard)]) taint_region(d, g, u, last, w);
    }
}

/* Does a branch out of micro-operations [first, last] (a loop) depend on an atomic, volatile or mbarrier result? */
static bool is_spin_loop(const decoder *d, const graph *g, uint32_t first, uint32_t last)
{
    enum { LONGEST = 4000 }; /* longer loops wait for nobody */
    if (last - first > LONGEST || !any_reads_shared_state(d, first, last)) return false;
    taint_walk w = {.taint = lw_alloc(d->vregs.count), .changed = true};
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
static const code_insn *block_insn(decoder *d, const graph *g, uint32_t block)
{
    return &d->out->insns[d->uop_of_insn[g->first[block]]];
}

static const code_insn *join_of(decoder *d, graph *g, uint32_t block)
{
    uint32_t j = g->ipdom[block];
    if (j == NONE || j >= g->count) return NULL;
    d->insns.items[d->uop_of_insn[g->first[j]]].block.joins = true;
    return block_insn(d, g, j);
}

static void patch_branch(decoder *d, graph *g, uint32_t u, uint32_t block)
{
    code_insn *i = &d->insns.items[u];
    code_branch *br = LW_NEW(d->arena, code_branch);
    uint32_t target = d->uop_of_insn[i->branch.label];
    br->target = &d->out->insns[target];
    br->backward = target <= u;
    br->join = join_of(d, g, block);
    if (br->backward) br->spin = is_spin_loop(d, g, target, u);
    i->branch.to = br;
}

static void patch_table(decoder *d, graph *g, uint32_t u, uint32_t block)
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
    graph g = {0};
    build_graph(d, &g);
    post_dominators(&g);
    for (uint32_t u = 0; u < d->insns.count; u++) {
        code_insn *i = &d->insns.items[u];
        uint32_t insn = d->infos.items[u].ptx_insn;
        uint32_t block = insn <= d->f->insn_count ? block_of(d, &g, insn) : 0;
        if (i->op == OP_bra) {
            patch_branch(d, &g, u, block);
        } else if (i->op == OP_brx) {
            patch_table(d, &g, u, block);
        } else if (i->op == OP_call) {
            uint32_t next = d->uop_of_insn[insn + 1];
            d->infos.items[u].call->join = &d->out->insns[next];
            d->insns.items[next].block.joins = true;
        }
    }
    free(g.first), free(g.edge_start), free(g.leaves), free(g.ipdom);
    lw_vec_free(&g.edges);
    return LW_OK;
}
