/* dominators.h: directed graphs, and which node of one all ways to another lead through. */
#ifndef LW_CODE_DOMINATORS_H
#define LW_CODE_DOMINATORS_H

#include "base/base.h"

#define CODE_NO_NODE UINT32_MAX

typedef struct code_edge {
    uint32_t from, to;
} code_edge;
typedef LW_VEC(code_edge) code_edges;

typedef struct code_digraph {
    uint32_t nodes;
    uint32_t *start;  /* successors of node n: target[start[n]] to target[start[n + 1] - 1] */
    uint32_t *target; /* in the order of the edges that the graph was made of */
} code_digraph;

typedef struct code_dominators {
    uint32_t *up; /* by node: its immediate dominator; the root's is itself; CODE_NO_NODE: the root does not reach it */
    uint32_t *order; /* by node: place in reverse postorder + 1; 0: the root does not reach it */
} code_dominators;

code_digraph code_digraph_new(uint32_t nodes, const code_edges *edges);
void code_digraph_free(code_digraph *g);

/* Sets seen[] of root, which is not seen yet, and of what it reaches without passing nodes that are. */
void code_digraph_reach(const code_digraph *g, uint32_t root, uint8_t *seen);

code_dominators code_dominators_new(const code_digraph *g, uint32_t root);
void code_dominators_free(code_dominators *d);

/* Do all ways from the root to a node lead through `over`? A node that is not reached is only below itself. */
bool code_dominates(const code_dominators *d, uint32_t over, uint32_t node);

#endif
