/* defined: which bits of the registers are undefined: read from memory that nothing wrote, and what came of them. Followed
 * only if a client asks (EVENT_FIELD_UNDEFINED). While no register of an activation has such bits, nothing is done: they
 * come in by loads, whose events the client answers. The rules are in defined_rules.c. */
#ifndef LW_EXEC_DEFINED_H
#define LW_EXEC_DEFINED_H

#include "exec/shared_matrix.h"

/* Of one activation. A register is dirty if some lane of it may have undefined bits; of others `bits` mean nothing. */
struct exec_defined {
    uint8_t *bits;        /* 1: undefined; as the lane file lies */
    uint8_t *dirty;       /* by offset / 4 of the register */
    event_origin *origin; /* the same; of dirty registers */
    uint32_t count;       /* of dirty registers */
    uint32_t bytes;       /* of a lane file that this has room for */
};

static inline bool exec_frame_is_dirty(const exec_frame *f) { return f->defined && f->defined->count; }

void exec_defined_forget(exec_defined *d); /* an activation begins: all is defined. d may be NULL */

/* The micro-operation at x->pc, in an activation with dirty registers. */
void exec_step_undefined(exec_ctx *x);
/* i for the lanes of mask; deciding: undefined lanes of its guard. Runs it as well. */
void exec_run_undefined(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t deciding);

/* ---- registers ---- */
/* The dirty bits of a register, or NULL. Constants have none. */
static inline uint8_t *exec_undefined_bits(const exec_ctx *x, code_ref ref)
{
    const exec_defined *d = x->group->frame->defined;
    if ((ref & 3) != CODE_FRAME || !d || !d->dirty[ref >> 2]) return NULL;
    return d->bits + ref;
}
static inline const event_origin *exec_undefined_origin(const exec_ctx *x, code_ref ref)
{
    return &x->group->frame->defined->origin[ref >> 2];
}
/* The lanes of mask whose part of the register (bytes; 0: a predicate) has undefined bits. */
uint32_t exec_undefined_lanes(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask);
/* Makes the register dirty; its bits, all 0 if it was not. */
uint8_t *exec_make_dirty(exec_ctx *x, code_ref ref, uint32_t bytes, const event_origin *origin);
/* The lanes of mask become defined. */
void exec_make_defined(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask);
/* The same for all lanes, of whatever width. */
void exec_make_all_defined(exec_ctx *x, code_ref ref);

/* ---- accesses (defined_access.c) ---- */
/* Before the event of an access: what its lanes store. */
void exec_undefined_give(exec_ctx *x, const code_insn *i, event_memory *e, const exec_access *a);
/* After it: what its lanes read. */
void exec_undefined_take(exec_ctx *x, const code_insn *i, const event_memory *e, const exec_access *a);
/* What wgmma read in shared memory: D gets it. */
void exec_undefined_of_operands(exec_ctx *x, const code_insn *i, const exec_product_unknown *from);

#endif
