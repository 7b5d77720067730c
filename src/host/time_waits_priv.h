/* time_waits: what a launch executed without the rounds in which warps only waited for others (time_waits.c). */
#ifndef LW_HOST_TIME_WAITS_PRIV_H
#define LW_HOST_TIME_WAITS_PRIV_H

#include "code/code.h"
#include "device/profile.h"
#include "exec/exec.h"

/* Per site: exec_result.site_inst without the rounds of exec_result.site_waits; site_count entries, the caller frees them. How often
 * the executor lets a warp look in vain says nothing of a card, which runs the blocks that are waited for at once. */
double *host_work_of_sites(const code_kernel *code, const exec_result *result);

/* Cycles that warps wait at barriers of all blocks, for which a thread of each block counts itself in and asks whether the others have:
 * all that thread does is in it (tests/hw/h100-grid-barriers.csv). executed: host_work_of_sites(). */
double host_grid_barrier_cycles(const device_profile *device, const code_kernel *code, const exec_result *result,
                                const double *executed, uint64_t blocks);

/* The instruction that a branch of a function goes to; NULL: it is none, or goes to several. */
const ptx_insn *host_branch_target(const ptx_function *function, const ptx_insn *insn);

#define HOST_NO_INSN (-1)

/* Per instruction of a function the first and the last one of the innermost loop around it, or HOST_NO_INSN. */
typedef struct host_loops {
    int32_t *begin, *end;
} host_loops;

host_loops host_loops_of(const ptx_function *function);
void host_loops_free(host_loops *loops); /* zeros are none */

/* Waits until all that the warp has written is there for other blocks: as long as the way to L2 and back. */
bool host_is_fence(const char *mnemonic);

/* The same for other warps of the block: only what is under way to shared memory and L1. */
bool host_is_block_fence(const char *mnemonic);

/* A branch over few instructions that an assembler writes as guards of these instructions: nobody waits at it, and their loads are
 * under way together with those before and behind it. Where it goes to; NULL: it stays a branch. */
const ptx_insn *host_branch_guards(const device_profile *device, const ptx_function *function, const ptx_insn *branch);

/* Whether an atomic fetches work: it is in a loop that what it returns decides to leave. */
bool host_fetches_work(const code_site *atomic);

/* The block barrier behind a branch that closes a loop in which one waits until all blocks have come; 0: it is no such loop. */
uint32_t host_barrier_behind(const code_kernel *code, uint32_t branch);

#endif
