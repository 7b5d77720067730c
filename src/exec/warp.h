/* warp.h: what can be done with the groups and joins of a warp. Whoever adds a way to part or to wait does it with these
 * functions, which keep the counts of what is ready and the bits of what is in use. */
#ifndef LW_EXEC_WARP_H
#define LW_EXEC_WARP_H

#include "exec/exec_priv.h"

/* ---- groups ---- */
/* A ready group. There is always a free one: groups are disjoint, so a warp has at most 32. */
exec_group *exec_group_new(exec_warp *w, uint32_t mask, const code_insn *pc, exec_frame *frame, exec_join *join);
void exec_group_free(exec_warp *w, exec_group *g);
void exec_group_set_state(exec_warp *w, exec_group *g, exec_group_state state);
/* Groups that stand at one pc under one join are one group again (after a broken join or a barrier). The running group may
 * be among them: exec_group_settle() before, exec_group_follow() after. */
void exec_groups_merge(exec_warp *w);
/* The running group, if it still runs, gets the place and lanes that x has; x gets the lanes it has now, and stops if it has
 * become part of another. */
void exec_group_settle(exec_ctx *x);
void exec_group_follow(exec_ctx *x);

/* ---- joins ---- */
/* Lanes of the running group, not all, leave it for target (NULL: their return); all meet at join_pc (NULL: the return).
 * false after a fault. creator: the instruction at which they part. */
bool exec_group_part(exec_ctx *x, uint32_t lanes, const code_insn *target, const code_insn *join_pc,
                     const code_insn *creator);
/* The running group reached its join: waits, or goes on with all lanes. Clears x->go if it ceased to run. */
void exec_group_arrive(exec_ctx *x, exec_join *join);
/* Lanes that j and the joins above it waited for have exited: those that wait go on if they are all that is left. */
void exec_joins_settle(exec_warp *w, exec_join *j);
/* Lets the lanes that wait at a join go on without the others. false: nobody waits there, or a barrier has counted them. */
bool exec_join_release(exec_warp *w, exec_join *j);
/* The same for every join of the warp: the last resort when nothing can run. */
bool exec_joins_break(exec_warp *w);

/* ---- basic blocks (control.c) ---- */
/* The running group meets those who wait, or stand, at its block. false: it waits itself. */
bool exec_meet(exec_ctx *x, const code_insn *block);
/* And begins with what is in it. */
void exec_enter_block(exec_ctx *x, const code_insn *block);

/* ---- loops in pieces (pieces.c) ---- */
/* The executor of a micro-operation that has a part in such a loop; NULL: it has none. */
code_run_fn exec_piece_run(const code_insn *i);

/* ---- time ---- */
/* What a group's slice pays: a backward branch, one of a loop that waits for what others write, a nap. */
enum { EXEC_COST_BRANCH = 1, EXEC_COST_SPIN = 512, EXEC_COST_SLEEP = 1024 };

/* Jumps through tables and calls may be loops, too: a launch must stay interruptible. */
static inline void exec_count_jump(exec_ctx *x)
{
    x->slice -= EXEC_COST_BRANCH;
    if (x->slice > 0) return;
    x->worker->spun = false;
    x->go = 0;
}

/* Virtual cycles, which %clock shows. */
enum { EXEC_CLOCK_START = 1024, EXEC_CLOCK_READ = 32 };
/* Loops that wait for the clock: at most so many cycles from read to read, so many reads until time goes by faster, in steps
 * of one part in so many. */
enum { EXEC_CLOCK_LOOP = 64, EXEC_CLOCK_LOOP_TIMED = 256, EXEC_CLOCK_PATIENCE = 64, EXEC_CLOCK_PART = 16 };

#endif
