/* uops.c: the columns of insns.def and uops.def as data. */
#include "code/uops.h"

enum { COMPUTES = true };
enum { d = OPERAND_D, a = OPERAND_A, b = OPERAND_B, c = OPERAND_C, e = OPERAND_E };

const code_uop_operands code_uops[CODE_OP_COUNT] = {
#define R1(id, ...) [OP_##id] = {d, a, COMPUTES},
#define R2(id, ...) [OP_##id] = {d, a | b, COMPUTES},
#define R3(id, ...) [OP_##id] = {d, a | b | c, COMPUTES},
#define F1(id, ...) [OP_##id] = {d, a, COMPUTES},
#define F2(id, ...) [OP_##id] = {d, a | b, COMPUTES},
#define F3(id, ...) [OP_##id] = {d, a | b | c, COMPUTES},
#define RC(id, ...)                                                                                                    \
    [OP_##id] = {d | e, a | b | c, COMPUTES}, /* e: the second predicate, c: the one it is combined with */
#define P1(id, ...) [OP_##id] = {d, a, COMPUTES},
#define P2(id, ...) [OP_##id] = {d, a | b, COMPUTES},
#include "ptx/insns.def"
#define UOP(id, writes, reads, does) [OP_##id] = {writes, reads, does},
#include "code/uops.def"
#undef UOP
};
