/* schedule.h: what the files that run a launch share: launch.c sets it up, schedule.c says who runs next, cluster.c
 * begins and ends clusters, specials.c fills lane files, progress.c stops, hang.c explains. Executors need none of it.
 *
 * Direction: launch.c uses schedule.c, which uses cluster.c (specials.c), progress.c and hang.c. */
#ifndef LW_EXEC_SCHEDULE_H
#define LW_EXEC_SCHEDULE_H

#include "exec/exec_priv.h"

/* Shared memory the system keeps in a block (cooperative groups put the barriers of tiles of several warps there): two
 * parts of so many bytes, whose offsets a kernel reads. A card has 1 KiB before the program's variables; here it lies
 * behind them. */
enum { EXEC_RESERVED_PART = 1024 };

/* ---- lane files (specials.c) ---- */
void exec_fill_launch(exec_run_state *run);                     /* run->launch_file, once per launch */
void exec_fill_block(const exec_run_state *run, exec_block *b); /* b->file, for every block that begins */
void exec_fill_warp(const exec_run_state *run, exec_warp *w);   /* w->file, once: it is the same in every block */

/* ---- clusters (cluster.c) ---- */
/* Begins the launch's next cluster, at the head of worker->active. false: there is none, or it is to stop. */
bool exec_cluster_next(exec_worker *worker);
/* Ends the cluster at *link, whose blocks are all done: its storage is the next one's. */
void exec_cluster_retire(exec_worker *worker, exec_cluster **link);
bool exec_cluster_ready(const exec_cluster *c);      /* some group of it can run */
bool exec_cluster_only_spins(const exec_cluster *c); /* its ready groups all ended their last slice in a spin loop */
/* Nothing in the cluster can run: lets lanes at joins go, and if there are none, collectives run with the lanes that are
 * there. false: nothing to let go, a hang. */
bool exec_cluster_unblock(exec_cluster *c);

/* ---- progress and interruption (progress.c) ---- */
/* The launch's end from outside: asks for an interrupt, and tells progress, at most four times a second. */
void exec_progress_check(exec_worker *worker);
static inline uint64_t exec_stop_at(const exec_run_state *run)
{
    return __atomic_load_n(&run->stop_at, __ATOMIC_ACQUIRE);
}
static inline bool exec_stopped(const exec_run_state *run, const exec_cluster *c)
{
    return c->index >= exec_stop_at(run);
}

/* ---- hangs (hang.c) ---- */
/* The fault of a cluster that cannot make progress: says why, and who waits where. */
void exec_hang_fail(exec_worker *worker, exec_cluster *c, const char *why);
/* Is it certain that the running group of x, which has just used up a slice, never leaves the loop it is in? Then a fault.
 * Runs it on for a little while. */
void exec_endless_check(exec_ctx *x, void (*step)(exec_ctx *x));
/* Before lanes are let go from a join because the others wait at a barrier: says who waits where. */
void exec_hang_warn(exec_worker *worker, exec_cluster *c);
/* The same for a warp whose lanes wait at barriers at which they never meet. */
void exec_hang_parted(exec_worker *worker, exec_warp *w);

/* ---- who runs next (schedule.c) ---- */
void exec_schedule_run(exec_run_state *run); /* runs all clusters of the launch; returns when all workers have ended */

#endif
