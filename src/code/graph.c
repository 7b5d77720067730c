/* graph.c: the control-flow graph of a function: basic blocks, and immediate post-dominators: dominators of the
 * reversed graph with one virtual exit. Blocks that cannot reach the exit (endless loops) get an edge to it. */
#include "code/graph.h"

#include "code/dominators.h"

#include <stdlib.h>
#include <string.h>

/* The edges of the last instruction of a block; a guarded branch has one more, to the block behind it. */
static void add_successors(const decoder *d, code_graph *g, uint32_t b)
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
            lw_vec_push(&g->edges, code_block_of(d, g, (uint32_t)in->operands[0].imm));
        falls = guarded;
    } else if (decode_part_is(&p, 0, "brx")) {
        const ptx_targets *t = in->operand_count > 1 ? in->operands[1].targets : NULL;
        for (size_t k = 0; t && k < t->count; k++) lw_vec_push(&g->edges, code_block_of(d, g, t->labels[k]));
        falls = guarded;
    } else if (decode_part_is(&p, 0, "ret") || decode_part_is(&p, 0, "exit") || decode_part_is(&p, 0, "trap")) {
        lw_vec_push(&g->edges, g->count);
        falls = guarded;
    }
    if (falls) lw_vec_push(&g->edges, b + 1 < g->count ? b + 1 : g->count);
}

/* Does block b of an entry function do nothing but end the thread, perhaps by jumps to where that is done? From an empty loop
 * nobody comes back, either: the compiler makes one of a loop whose step is a blockDim of 0 (the eleventh draw's dap_matVec). */
static bool only_exits(const decoder *d, const code_graph *g, uint32_t b)
{
    for (int jumps = 0; jumps < 4; jumps++) { /* jumps may go round */
        if (b == g->count || g->first[b] >= d->f->insn_count) return true;
        const ptx_insn *in = &d->f->insns[g->first[b]];
        decode_parts p = decode_split(in->mnemonic);
        if (in->guard >= 0) return false;
        if (decode_part_is(&p, 0, "ret") || decode_part_is(&p, 0, "exit")) return true;
        bool jump = decode_part_is(&p, 0, "bra") && in->operand_count && in->operands[0].kind == PTX_OP_LABEL;
        if (!jump) return false;
        uint32_t to = code_block_of(d, g, (uint32_t)in->operands[0].imm);
        if (to == b) return true;
        b = to;
    }
    return false;
}

/* Threads that leave the kernel meet nobody: the assembler makes `exit` of a branch to the final `ret`, and lets the
 * others meet where their own paths do (tests/hw/kernels/divergence.cu: or_chain). */
static void drop_exits(const decoder *d, code_graph *g, uint32_t b)
{
    uint32_t from = g->edge_start[b], kept = from;
    for (uint32_t e = from; e < g->edges.count; e++)
        if (!only_exits(d, g, g->edges.items[e])) g->edges.items[kept++] = g->edges.items[e];
    if (kept == from || kept == g->edges.count) return;
    g->edges.count = kept;
    g->leaves[b] = true;
}

/* What is reached from block s, as long as nobody else gets there: those blocks lead to the end of the kernel only. */
typedef struct closed_region {
    uint32_t blocks[64]; /* larger ones are taken for the kernel's own way on */
    uint32_t count;
} closed_region;

static bool region_has(const closed_region *r, uint32_t b)
{
    for (uint32_t k = 0; k < r->count; k++)
        if (r->blocks[k] == b) return true;
    return false;
}

static bool region_add(closed_region *r, uint32_t b)
{
    if (region_has(r, b)) return true;
    if (r->count == sizeof r->blocks / sizeof *r->blocks) return false;
    r->blocks[r->count++] = b;
    return true;
}

/* entered: by block, how many edges lead to it. */
static bool meets_nobody(const decoder *d, const code_graph *g, const uint32_t *entered, uint32_t s)
{
    closed_region r = {.blocks = {s}, .count = 1};
    uint32_t inner = 0, all = 0;
    for (uint32_t k = 0; k < r.count; k++) {
        uint32_t b = r.blocks[k];
        for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++) {
            uint32_t to = g->edges.items[e];
            if (only_exits(d, g, to)) continue;
            if (!region_add(&r, to)) return false;
            inner++;
        }
    }
    for (uint32_t k = 0; k < r.count; k++) all += entered[r.blocks[k]];
    return all == inner + 1; /* the one from outside is that to s */
}

/* Can threads come to block b again? by_block, stack: scratch, each of g->count items; by_block holds no b + 1 yet. */
static bool in_loop(const code_graph *g, uint32_t b, uint32_t *by_block, uint32_t *stack)
{
    uint32_t depth = 0;
    stack[depth++] = b;
    while (depth) {
        uint32_t at = stack[--depth];
        for (uint32_t e = g->edge_start[at]; e < g->edge_start[at + 1]; e++) {
            uint32_t to = g->edges.items[e];
            if (to == b) return true;
            if (to == g->count || by_block[to] == b + 1) continue;
            by_block[to] = b + 1;
            stack[depth++] = to;
        }
    }
    return false;
}

/* Threads that end behind a branch, in code of their own, meet nobody either: `if (done) { *out = v; return; }`. The
 * others meet where their paths do (machine code of ptxas 13.0: HeCBench depixel). Not in loops: what lies behind a
 * loop is such an end too. */
static void drop_ends(const decoder *d, code_graph *g)
{
    uint32_t *entered = lw_alloc((g->count + 1) * sizeof *entered);
    uint32_t *scratch = lw_alloc((2 * g->count + 1) * sizeof *scratch);
    bool *drop = lw_alloc(g->edges.count + 1);
    for (size_t e = 0; e < g->edges.count; e++) entered[g->edges.items[e]]++;
    for (uint32_t b = 0; b < g->count; b++) {
        uint32_t from = g->edge_start[b], to = g->edge_start[b + 1], ends = 0;
        if (to - from < 2) continue;
        for (uint32_t e = from; e < to; e++) {
            uint32_t s = g->edges.items[e];
            drop[e] = !only_exits(d, g, s) && entered[s] == 1 && meets_nobody(d, g, entered, s);
            ends += drop[e];
        }
        if (ends && (ends == to - from || in_loop(g, b, scratch, scratch + g->count))) {
            memset(drop + from, 0, to - from);
        } else {
            g->leaves[b] |= ends > 0;
        }
    }
    size_t kept = 0;
    for (uint32_t b = 0, e = 0; b < g->count; b++) {
        uint32_t to = g->edge_start[b + 1];
        g->edge_start[b] = (uint32_t)kept;
        for (; e < to; e++)
            if (!drop[e]) g->edges.items[kept++] = g->edges.items[e];
    }
    g->edges.count = kept;
    g->edge_start[g->count] = (uint32_t)kept;
    free(entered);
    free(scratch);
    free(drop);
}

static void build_graph(const decoder *d, code_graph *g)
{
    uint32_t n = (uint32_t)d->f->insn_count;
    g->base = d->block_of_insn[0];
    g->count = d->block_of_insn[n] - g->base + 1;
    g->first = lw_alloc((g->count + 1) * sizeof *g->first);
    g->edge_start = lw_alloc((g->count + 2) * sizeof *g->edge_start);
    g->leaves = lw_alloc(g->count + 1);
    for (uint32_t k = n + 1; k-- > 0;) g->first[code_block_of(d, g, k)] = k;
    for (uint32_t b = 0; b < g->count; b++) {
        g->edge_start[b] = (uint32_t)g->edges.count;
        add_successors(d, g, b);
        if (d->f->is_entry) drop_exits(d, g, b);
    }
    g->edge_start[g->count] = (uint32_t)g->edges.count;
    if (d->f->is_entry) drop_ends(d, g);
}

/* ---------------------------------------------------------------- post-dominators */
/* The graph with its edges turned round. */
static code_edges turned_round(const code_graph *g)
{
    code_edges turned = {0};
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++)
            lw_vec_push(&turned, ((code_edge){g->edges.items[e], b}));
    return turned;
}

/* Blocks that are not seen get an edge to the exit, the last first; leaving: only those with a dropped edge. */
static void add_edges_to_exit(const code_graph *g, const code_digraph *r, uint8_t *seen, bool leaving, code_edges *out)
{
    for (uint32_t b = g->count; b-- > 0;) {
        if (seen[b] || (leaving && !g->leaves[b])) continue;
        lw_vec_push(out, ((code_edge){g->count, b}));
        code_digraph_reach(r, b, seen);
    }
}

/* Endless loops get an edge to the exit. A loop that is endless only for want of a dropped edge leaves where that one
 * was, whatever lies behind it: those first. */
static void let_endless_loops_exit(const code_graph *g, code_edges *turned)
{
    code_digraph r = code_digraph_new(g->count + 1, turned);
    uint8_t *seen = lw_alloc(r.nodes);
    code_digraph_reach(&r, g->count, seen);
    add_edges_to_exit(g, &r, seen, true, turned);
    add_edges_to_exit(g, &r, seen, false, turned);
    free(seen);
    code_digraph_free(&r);
}

static void post_dominators(code_graph *g)
{
    code_edges turned = turned_round(g);
    let_endless_loops_exit(g, &turned);
    code_digraph r = code_digraph_new(g->count + 1, &turned);
    code_dominators d = code_dominators_new(&r, g->count);
    g->ipdom = d.up;
    d.up = NULL;
    code_dominators_free(&d);
    code_digraph_free(&r);
    lw_vec_free(&turned);
}

void code_graph_build(const decoder *d, code_graph *g)
{
    *g = (code_graph){0};
    build_graph(d, g);
    post_dominators(g);
}

void code_graph_free(code_graph *g)
{
    free(g->first);
    free(g->edge_start);
    free(g->leaves);
    free(g->ipdom);
    lw_vec_free(&g->edges);
}
