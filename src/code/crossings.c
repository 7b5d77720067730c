/* crossings.c: places where the lanes of several conditions come together, but do not meet: those of `||` in `&&` and the
 * like. In `if (a && (b || c)) X; else Y;` lanes of b and c come together at X, and those of a and c at Y: the assembler
 * (ptxas 13.0 for sm_90) lets them meet at the one of the two that is longer, as there is more to execute twice. So it does
 * with `if ((a || b) && c) X; else Y;`, where lanes of a and b come together at c, and those of b and c at Y. */
#include "code/graph.h"
#include "code/plan.h"

#include <stdlib.h>

/* Of a block. */
typedef struct place {
    uint32_t entries; /* edges from blocks before it */
    uint32_t halves;  /* see plan_halves(); a branch is an instruction, too */
} place;

static uint32_t ways_from(const code_graph *g, uint32_t b) { return g->edge_start[b + 1] - g->edge_start[b]; }

static place *find_places(const decoder *d, const code_graph *g)
{
    place *p = lw_alloc((g->count + 1) * sizeof *p);
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++)
            p[g->edges.items[e]].entries += g->edges.items[e] > b;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        uint32_t insn = d->infos.items[u].ptx_insn;
        if (insn >= d->f->insn_count || i->op == OP_block) continue;
        p[code_block_of(d, g, insn)].halves += i->op == OP_bra ? 2 : plan_halves(i);
    }
    return p;
}

/* Where a way leads: past a block that only jumps on. */
static uint32_t end_of_way(const decoder *d, const code_graph *g, const place *p, uint32_t b)
{
    if (b >= g->count || p[b].entries != 1 || ways_from(g, b) != 1) return b;
    uint32_t insns = (b + 1 < g->count ? g->first[b + 1] : (uint32_t)d->f->insn_count) - g->first[b];
    uint32_t to = g->edges.items[g->edge_start[b]];
    return insns == 1 && to != b + 1 ? to : b;
}

bool *code_crossed(const decoder *d, const code_graph *g)
{
    bool *crossed = lw_alloc(g->count + 1);
    place *p = find_places(d, g);
    for (uint32_t b = 0; b < g->count; b++) {
        if (ways_from(g, b) != 2) continue;
        uint32_t one = end_of_way(d, g, p, g->edges.items[g->edge_start[b]]);
        uint32_t other = end_of_way(d, g, p, g->edges.items[g->edge_start[b] + 1]);
        bool inside = one > b && other > b && one != g->ipdom[b] && other != g->ipdom[b];
        if (!inside || p[one].entries < 2 || p[other].entries < 2) continue;
        crossed[one] |= p[one].halves < p[other].halves;
        crossed[other] |= p[other].halves < p[one].halves;
    }
    free(p);
    return crossed;
}
