/* progress.c: a launch's way to its end from outside: interrupts, and the progress that its host is told of. */
#include "exec/schedule.h"

#include <pthread.h>
#include <stdio.h>

#define SECONDS_BETWEEN_REPORTS 0.25

static void interrupt_launch(exec_run_state *run)
{
    exec_fault *fault = &run->result->fault;
    pthread_mutex_lock(run->fault_lock);
    if (fault->kind == EXEC_NO_FAULT) {
        fault->kind = EXEC_INTERRUPTED;
        snprintf(fault->message, sizeof fault->message, "interrupted");
    }
    __atomic_store_n(&run->stop_at, 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(run->fault_lock);
}

/* A launch that runs for too long: the fault names where this worker's first warp stands. */
static void time_out(exec_worker *worker)
{
    exec_run_state *run = worker->run;
    if (worker->active) {
        unsigned long long done = __atomic_load_n(&run->blocks_done, __ATOMIC_RELAXED);
        char why[200];
        snprintf(why, sizeof why, "the kernel was ended after %g s (--timeout), with %llu of %llu blocks done",
                 run->launch->timeout, done, (unsigned long long)run->block_count);
        exec_hang_fail(worker, worker->active, why);
    }
    __atomic_store_n(&run->stop_at, 0, __ATOMIC_RELEASE);
}

/* Thread instructions of this worker so far: an estimate of the launch's, by which a user sees that it goes on. */
static uint64_t thread_insts(const exec_worker *worker)
{
    uint64_t inst = 0;
    for (uint32_t b = 0; b < worker->run->launch->kernel->block_count; b++) inst += worker->x.block_lanes[b];
    return inst;
}

void exec_progress_check(exec_worker *worker)
{
    exec_run_state *run = worker->run;
    const exec_launch *l = run->launch;
    if (l->interrupt && atomic_load_explicit(l->interrupt, memory_order_relaxed)) interrupt_launch(run);
    bool reports = worker->index == 0 && l->services.progress;
    if (!reports && l->timeout <= 0) return;
    double now = lw_now();
    if (l->timeout > 0 && now - run->started > l->timeout) time_out(worker);
    if (!reports) return;
    if (now - worker->last_progress < SECONDS_BETWEEN_REPORTS) return;
    worker->last_progress = now;
    uint64_t done = __atomic_load_n(&run->blocks_done, __ATOMIC_RELAXED);
    if (!l->services.progress(l->services.user, thread_insts(worker), done, run->block_count)) interrupt_launch(run);
}
