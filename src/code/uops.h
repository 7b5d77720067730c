/* uops.h: which operands a micro-operation reads and writes, from the columns of insns.def and uops.def. Everything that
 * follows values through a function (slots, spin loops, the count plan) walks them here. */
#ifndef LW_CODE_UOPS_H
#define LW_CODE_UOPS_H

#include "code/decode.h"

/* What an operand is to its micro-operation. */
typedef enum code_operand {
    OPERAND_D = 1,
    OPERAND_A = 2,
    OPERAND_B = 4,
    OPERAND_C = 8,
    OPERAND_E = 16,
    OPERAND_GUARD = 32,
    OPERAND_LIST = 64, /* of an operand list */
    OPERAND_CALL = 128 /* an argument or result of a call */
} code_operand;

typedef struct code_uop_operands {
    uint8_t writes, reads; /* of OPERAND_D to OPERAND_E */
    bool computes;         /* what its registers alone say, and changes nothing else */
} code_uop_operands;
extern const code_uop_operands code_uops[CODE_OP_COUNT];

static inline bool code_is_virtual(code_ref r) { return r != CODE_NO_REF && (r & VIRTUAL); }
static inline uint32_t code_vreg_of(code_ref r) { return (r & ~VIRTUAL) >> 2; }

/* r is a virtual register: code_vreg_of(r) is its number. */
typedef void (*code_operand_fn)(void *user, code_ref r, code_operand what);

static inline void code_visit_operands(const code_insn *i, uint32_t which, code_operand_fn visit, void *user)
{
    if ((which & OPERAND_A) && code_is_virtual(i->a)) visit(user, i->a, OPERAND_A);
    if ((which & OPERAND_B) && code_is_virtual(i->b)) visit(user, i->b, OPERAND_B);
    if ((which & OPERAND_C) && code_is_virtual(i->c)) visit(user, i->c, OPERAND_C);
    if ((which & OPERAND_D) && code_is_virtual(i->d)) visit(user, i->d, OPERAND_D);
    if ((which & OPERAND_E) && code_is_virtual(i->e)) visit(user, i->e, OPERAND_E);
}

static inline void code_visit_list(const code_list *list, bool written, code_operand_fn visit, void *user)
{
    for (uint32_t k = 0; list && k < list->count; k++)
        if ((k < list->results) == written && code_is_virtual(list->ref[k])) visit(user, list->ref[k], OPERAND_LIST);
}

static inline void code_visit_copies(const code_copy *copies, uint32_t count, code_operand_fn visit, void *user)
{
    for (uint32_t k = 0; k < count; k++)
        if (code_is_virtual(copies[k].ref)) visit(user, copies[k].ref, OPERAND_CALL);
}

/* Calls visit for every register that the micro-operation reads. */
static inline void code_each_read(const code_insn *i, const uop_info *n, code_operand_fn visit, void *user)
{
    if (code_is_virtual(i->guard)) visit(user, i->guard, OPERAND_GUARD);
    code_visit_operands(i, code_uops[i->op].reads, visit, user);
    code_visit_list(n->list, false, visit, user);
    if (n->call) code_visit_copies(n->call->arguments, n->call->argument_count, visit, user);
}

/* Calls visit for every register that it writes. */
static inline void code_each_written(const code_insn *i, const uop_info *n, code_operand_fn visit, void *user)
{
    code_visit_operands(i, code_uops[i->op].writes, visit, user);
    code_visit_list(n->list, true, visit, user);
    if (n->call) code_visit_copies(n->call->results, n->call->result_count, visit, user);
}

#endif
