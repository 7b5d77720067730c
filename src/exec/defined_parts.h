/* defined_parts.h: what the files that find undefined bits share: results while they are found (defined_result.c), what
 * undefined bits decide (defined_use.c), and operations of a warp's lanes together (defined_warp.c). */
#ifndef LW_EXEC_DEFINED_PARTS_H
#define LW_EXEC_DEFINED_PARTS_H

#include "exec/defined.h"

/* ---- results ---- */
/* A result while it is found. */
typedef struct exec_unknown {
    uint64_t bits[32]; /* undefined ones; of predicates bit 0 */
    event_origin origin;
    bool any; /* an operand has undefined bits: origin is one of theirs */
} exec_unknown;

/* An operand takes part. */
void exec_unknown_inherit(exec_ctx *x, exec_unknown *r, code_ref ref);
void exec_unknown_fill(exec_unknown *r, uint32_t lanes); /* all bits of these lanes */
/* Undefined bits, and the value, of one lane of a register of so many bytes (0: a predicate). */
uint64_t exec_unknown_at(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane);
uint64_t exec_known_at(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane);
/* The lanes of mask of a register get the undefined bits of r. */
void exec_unknown_set(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, const exec_unknown *r);

/* Lanes of which an undefined guard decides whether the operation is done. */
typedef struct exec_undecided {
    uint32_t lanes;
    event_origin origin; /* of the guard's bits */
} exec_undecided;
/* Either the old result or the new one: unknown. */
void exec_unknown_leave_open(exec_unknown *r, const exec_undecided *open, uint32_t mask);

/* ---- uses ---- */
/* Bits that decide: tells of the lanes, which count as defined from then on. */
void exec_undefined_use(exec_ctx *x, const code_insn *i, code_ref ref, uint32_t bytes, uint32_t mask, event_use what);
/* What is neither an access nor a result: where undefined bits decide at once. */
void exec_undefined_use_operands(exec_ctx *x, const code_insn *i, uint32_t mask);
/* What an undefined guard decides; of other operations only the results. */
bool exec_guard_decides(uint32_t op, event_use *out);

/* ---- lanes together: each runs the operation ---- */
bool exec_is_collective(uint32_t op);
void exec_undefined_collective(exec_ctx *x, const code_insn *i, uint32_t mask);
void exec_undefined_product(exec_ctx *x, const code_insn *i, uint32_t mask);
void exec_undefined_group_product(exec_ctx *x, const code_insn *i, uint32_t mask); /* wgmma */

#endif
