/* fault.c: a fault stops its cluster and all later ones; earlier ones run on, since they may fault too. Clusters are
 * handed out in order, so the fault that is kept, the one of the lowest cluster, is the same for every number of host
 * threads. */
#include "exec/exec_priv.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

void exec_thread_of_lane(const exec_warp *w, uint32_t lane, const uint32_t block_dim[3], uint32_t out[3])
{
    uint32_t t = w->index * 32 + lane;
    out[0] = t % block_dim[0];
    out[1] = t / block_dim[0] % block_dim[1];
    out[2] = t / block_dim[0] / block_dim[1];
}

const char *exec_space_name(event_space space)
{
    static const char *const names[EVENT_SPACE_COUNT] = {"global",   "shared",  "distributed shared", "local",
                                                         "constant", "texture", "parameter"};
    return names[space];
}

static uint64_t place_of(const exec_fault *f, const exec_launch *l)
{
    uint64_t block = f->block[0] + (uint64_t)l->grid[0] * (f->block[1] + (uint64_t)l->grid[1] * f->block[2]);
    uint64_t thread = f->thread[0] + (uint64_t)l->block[0] * (f->thread[1] + (uint64_t)l->block[1] * f->thread[2]);
    return block * 1024 + thread;
}

void exec_warn(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, const char *message)
{
    exec_fault f = {.kind = kind, .site = i->site, .space = "code"};
    memcpy(f.block, x->block->id, sizeof f.block);
    exec_thread_of_lane(x->warp, lane, x->launch->block, f.thread);
    snprintf(f.message, sizeof f.message, "%s", message);
    exec_run_state *run = x->worker->run;
    exec_fault *have = &run->result->warning;
    pthread_mutex_lock(run->fault_lock);
    if (have->kind == EXEC_NO_FAULT || place_of(&f, run->launch) < place_of(have, run->launch)) *have = f;
    pthread_mutex_unlock(run->fault_lock);
}

void exec_fail(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, uint64_t address, uint32_t bytes,
               bool is_write, const char *space, const char *format, ...)
{
    exec_run_state *run = x->worker->run;
    exec_fault f = {
        .kind = kind, .site = i->site, .address = address, .bytes = bytes, .is_write = is_write, .space = space};
    memcpy(f.block, x->block->id, sizeof f.block);
    exec_thread_of_lane(x->warp, lane, x->launch->block, f.thread);
    va_list args;
    va_start(args, format);
    vsnprintf(f.message, sizeof f.message, format, args);
    va_end(args);
    x->go = 0;
    uint64_t cluster = x->block->cluster->index;
    pthread_mutex_lock(run->fault_lock);
    if (cluster < run->stop_at) {
        run->result->fault = f;
        __atomic_store_n(&run->stop_at, cluster, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(run->fault_lock);
}
