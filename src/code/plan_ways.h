/* plan_ways.h: inside code/: ways between basic blocks as the machine code has them, for who moves loads along them
 * (plan_sink.c), and for stores that are made once where ways meet (plan_meet.c). */
#ifndef LW_CODE_PLAN_WAYS_H
#define LW_CODE_PLAN_WAYS_H

#include "code/dominators.h"
#include "code/plan.h"

#define PLAN_NONE UINT32_MAX /* no block, no micro-operation */

/* A basic block, and what was moved to its start. */
typedef struct plan_block {
    uint32_t first, end; /* micro-operations; the first is OP_block */
    uint32_t jump, fall; /* where its end leads to: blocks, or PLAN_NONE */
    uint32_t entered;    /* edges that lead to it */
    uint32_t from;       /* the block that the last of them comes from */
    bool several;        /* its end is none of these: a table */
    /* first micro-operations of PTX instructions, the last one first; those that block_of[] has elsewhere went on */
    LW_VEC(uint32_t) moved;
    LW_VEC(uint32_t) edge;   /* the same, of those on the way from the block before it alone */
    LW_VEC(uint32_t) raised; /* the same, of those that go before the branch at its end */
} plan_block;

typedef struct plan_ways {
    decoder *d;
    plan_block *blocks;
    uint32_t count;
    uint32_t *block_of;         /* by micro-operation: where it is executed, as moved */
    bool *gone;                 /* by micro-operation: it stands elsewhere */
    code_dominators dominators; /* nodes: blocks */
} plan_ways;

void plan_ways_find(plan_ways *s); /* blocks, the edges between them, and what dominates what */
void plan_ways_free(plan_ways *s);

const code_insn *plan_last_of(const plan_ways *s, uint32_t b);
bool plan_ends_thread(const code_insn *i);
/* Arithmetic that branches to no slow path. */
bool plan_is_arithmetic(const code_insn *i);
/* Do all ways from the start to b lead through block `through`? To one that is never reached no way leads. */
bool plan_leads_through(const plan_ways *s, uint32_t through, uint32_t b);

/* Where lanes come that are sent to b, which may do no more than jump on. */
uint32_t plan_behind_jumps(const plan_ways *s, uint32_t b);
/* Is that where the kernel ends? */
bool plan_only_ends(const plan_ways *s, uint32_t b);
/* Where block b leads to, if to one place; or PLAN_NONE. */
uint32_t plan_only_way(const plan_ways *s, uint32_t b);
/* Where lanes come that do not take the branch of block b, `@p bra A; bra.uni B;` as if it said `@!p bra B;`. */
uint32_t plan_way_on(const plan_ways *s, uint32_t b);
/* Does the assembler execute block `to`, one of two ways, under a predicate? */
bool plan_becomes_predicated(const plan_ways *s, uint32_t to, uint32_t other);
/* Is block `to`, one of two ways, no more than a second condition for where the other leads, `if (p || q)`? */
bool plan_is_condition(const plan_ways *s, uint32_t to, uint32_t other);

#endif
