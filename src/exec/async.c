/* async.c: placeholder until its executors arrive. */
#include "exec/exec_priv.h"
void run_mapa(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_getctarank(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_cp_async(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_cp_async_group(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_bulk(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_bulk_group(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_mbarrier(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_st_async(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_ldmatrix(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_stmatrix(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_movmatrix(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_tex(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
void run_createpolicy(exec_ctx *x, const code_insn *i, uint32_t mask) { (void)mask; exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, 0, 0, 0, false, "code", "not supported"); }
