/* graph.h: the control-flow graph of one function and where its paths meet again. */
#ifndef LW_CODE_GRAPH_H
#define LW_CODE_GRAPH_H

#include "code/decode.h"

#define CODE_NO_BLOCK UINT32_MAX

/* Nodes are the basic blocks in the order of the text, and behind them the virtual exit, node `count`. */
typedef struct code_graph {
    uint32_t count;         /* blocks */
    uint32_t base;          /* number of the function's first block in the kernel */
    uint32_t *first;        /* by block: its first PTX instruction; insn_count for the empty block at the end */
    uint32_t *edge_start;   /* successors of block b: edges[edge_start[b]] to edges[edge_start[b + 1] - 1] */
    LW_VEC(uint32_t) edges; /* nodes */
    bool *leaves;           /* by block: threads leave the kernel from here by an edge that is not in `edges` */
    uint32_t *ipdom;        /* by node: immediate post-dominator, the exit's is itself; CODE_NO_BLOCK: it has none */
} code_graph;

void code_graph_build(const decoder *d, code_graph *g);
void code_graph_free(code_graph *g);

/* By block: lanes that conditions send there do not meet (crossings.c). free() it. */
bool *code_crossed(const decoder *d, const code_graph *g);

/* What the assembler makes of the ways to barriers (guards.c); when branches have their targets. */
void code_guard_barriers(decoder *d, const code_graph *g);

/* The block of a PTX instruction. */
static inline uint32_t code_block_of(const decoder *d, const code_graph *g, uint32_t insn)
{
    return d->block_of_insn[insn] - g->base;
}

#endif
