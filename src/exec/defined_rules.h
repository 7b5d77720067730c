/* defined_rules: which bits of a result are undefined, by the operation and the operands' values and undefined bits. A bit
 * is undefined if flipping undefined bits of the operands may change it: never too few, and for operations that move bits,
 * combine them bit by bit, add or compare integers hardly any too many. */
#ifndef LW_EXEC_DEFINED_RULES_H
#define LW_EXEC_DEFINED_RULES_H

#include "code/code_priv.h"

/* Of the rows of insns.def. */
typedef struct exec_row_shape {
    uint8_t sources;            /* 0: no such row */
    uint8_t result, operand[3]; /* bytes of a lane; of predicates 0 */
    bool compares;              /* the result is a predicate, of lanes that are none */
} exec_row_shape;
extern const exec_row_shape exec_row_shapes[CODE_OP_COUNT];

/* Undefined bits of one lane's result: values and undefined bits of a, b, c, zero-extended. Predicates are bits 0. */
uint64_t exec_undefined_result(const code_insn *i, const uint64_t value[3], const uint64_t undefined[3]);
/* Does the operation only move bits? Then what comes out is not computed. */
bool exec_only_moves(uint32_t op);

#endif
