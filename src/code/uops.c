/* uops.c: the operand columns of insns.def and uops.def as data. */
#include "code/uops.h"

enum { d = OPERAND_D, a = OPERAND_A, b = OPERAND_B, c = OPERAND_C, e = OPERAND_E };

const code_uop_operands code_uops[CODE_OP_COUNT] = {
#define R1(id, ...) [OP_##id] = {d, a},
#define R2(id, ...) [OP_##id] = {d, a | b},
#define R3(id, ...) [OP_##id] = {d, a | b | c},
#define F1(id, ...) [OP_##id] = {d, a},
#define F2(id, ...) [OP_##id] = {d, a | b},
#define F3(id, ...) [OP_##id] = {d, a | b | c},
#define RC(id, ...) [OP_##id] = {d | e, a | b | c}, /* e: the second predicate, c: the one it is combined with */
#define P1(id, ...) [OP_##id] = {d, a},
#define P2(id, ...) [OP_##id] = {d, a | b},
#include "ptx/insns.def"
#define UOP(id, writes, reads) [OP_##id] = {writes, reads},
#include "code/uops.def"
#undef UOP
};
