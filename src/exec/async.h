/* async.h: inside exec/: what the executors of bulk operations share (async.c): their events, and their mbarriers. */
#ifndef LW_EXEC_ASYNC_H
#define LW_EXEC_ASYNC_H

#include "exec/emit.h"

/* One side of a bulk operation of one lane, or a piece of it. */
typedef struct exec_bulk_side {
    event_op op;
    event_space space;
    uint32_t lane, bytes;
    uint64_t address, other; /* as in event_memory */
    uint32_t async;          /* number of the operation */
    bool one_sided;          /* there is no other side: what is written comes from nowhere */
    uint8_t flags;           /* EVENT_... besides the instruction's */
    uint8_t only;            /* as in exec_access */
} exec_bulk_side;
void exec_tell_bulk(exec_ctx *x, const code_insn *i, const exec_bulk_side *side);

/* An operation of a lane that will complete on the object at (rank << 24) + offset. */
void exec_async_issue_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                         uint32_t number);
/* It is complete, and so many bytes arrive. false: a fault. */
bool exec_async_complete_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                            uint32_t number);

#endif
