/* async.h: inside exec/: what the executors of bulk operations share (async.c): their mbarriers. */
#ifndef LW_EXEC_ASYNC_H
#define LW_EXEC_ASYNC_H

#include "exec/emit.h"

/* An operation of a lane that will complete on the object at (rank << 24) + offset. */
void exec_async_issue_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                         uint32_t number);
/* It is complete, and so many bytes arrive. false: a fault. */
bool exec_async_complete_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                            uint32_t number);

#endif
