/* fault.c: a fault stops its cluster and all later ones; earlier ones run on, since they may fault too. Clusters are
 * handed out in order, so the fault that is kept, the one of the lowest cluster, is the same for every number of host
 * threads. */
#include "exec/exec_priv.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The worker's record of this instruction's accesses to memory of this owner; made if there is none. */
static exec_passed *passed_of(exec_worker *worker, uint32_t site, uint32_t owner)
{
    for (size_t k = worker->passed.count; k > 0; k--) {
        exec_passed *p = worker->passed.items[k - 1];
        if (p->fault.site == site && p->owner == owner) return p;
    }
    exec_passed *made = lw_alloc(sizeof *made);
    made->fault.site = site;
    made->owner = owner;
    lw_vec_push(&worker->passed, made);
    return made;
}

exec_fault *exec_pass(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, uint32_t owner)
{
    const exec_launch *l = x->launch;
    exec_passed *p = passed_of(x->worker, i->site, owner);
    exec_fault f = {.kind = kind, .site = i->site};
    memcpy(f.block, x->block->id, sizeof f.block);
    exec_thread_of_lane(x->warp, lane, l->block, f.thread);
    if (p->count++ && place_of(&p->fault, l) <= place_of(&f, l)) return NULL;
    p->fault = f;
    return &p->fault;
}

/* Joins what a worker let pass with what others did: the lowest place stays. */
static void merge_passed(exec_result *r, const exec_launch *l, exec_passed *from)
{
    for (uint32_t k = 0; k < r->passed_count; k++) {
        exec_passed *have = &r->passed[k];
        if (have->fault.site != from->fault.site || have->owner != from->owner) continue;
        have->count += from->count;
        if (place_of(&from->fault, l) < place_of(&have->fault, l)) have->fault = from->fault;
        return;
    }
    r->passed = lw_realloc(r->passed, (r->passed_count + 1) * sizeof *r->passed);
    r->passed[r->passed_count++] = *from;
}

void exec_pass_end(exec_worker *worker)
{
    for (size_t k = 0; k < worker->passed.count; k++) {
        merge_passed(worker->run->result, worker->run->launch, worker->passed.items[k]);
        free(worker->passed.items[k]);
    }
    lw_vec_free(&worker->passed);
}

static bool comes_before(const exec_passed *a, const exec_passed *b, const exec_launch *l)
{
    uint64_t here = place_of(&a->fault, l), there = place_of(&b->fault, l);
    return here != there ? here < there : a->fault.site < b->fault.site;
}

void exec_pass_sort(exec_result *r, const exec_launch *l)
{
    for (uint32_t k = 1; k < r->passed_count; k++)
        for (uint32_t n = k; n > 0 && comes_before(&r->passed[n], &r->passed[n - 1], l); n--) {
            exec_passed moved = r->passed[n];
            r->passed[n] = r->passed[n - 1];
            r->passed[n - 1] = moved;
        }
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
        if (!run->assertions) run->result->fault = f; /* what follows from a failed assert is not what failed */
        __atomic_store_n(&run->stop_at, cluster, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(run->fault_lock);
}

/* Clusters that are on the device when the launch begins: a failed assert in one of them does not stop the others before
 * theirs fail, too. */
static uint64_t first_wave(const exec_run_state *run)
{
    const exec_device *d = &run->launch->device;
    uint64_t blocks = (uint64_t)LW_MAX(d->sm_count, 1u) * LW_MAX(d->max_blocks_per_sm, 1u);
    return LW_MAX(blocks / run->cluster_size, UINT64_C(1));
}

void exec_assert(exec_ctx *x, const code_insn *i, uint32_t lane, const char *format, ...)
{
    enum { MOST_LINES = 4096 }; /* a card's buffer holds some thousand as well */
    exec_run_state *run = x->worker->run;
    const exec_services *s = &x->launch->services;
    exec_fault f = {.kind = EXEC_ASSERT, .site = i->site, .space = "code"};
    memcpy(f.block, x->block->id, sizeof f.block);
    exec_thread_of_lane(x->warp, lane, x->launch->block, f.thread);
    va_list args;
    va_start(args, format);
    vsnprintf(f.message, sizeof f.message, format, args);
    va_end(args);
    uint64_t cluster = x->block->cluster->index;
    pthread_mutex_lock(run->fault_lock);
    exec_fault *have = &run->result->fault;
    bool first = have->kind == EXEC_NO_FAULT;
    bool before = have->kind == EXEC_ASSERT && place_of(&f, run->launch) < place_of(have, run->launch);
    if (first || before) *have = f;
    have->count = ++run->assertions;
    bool enough = run->assertions >= MOST_LINES;
    if (s->assertion) s->assertion(s->user, f.message);
    uint64_t stop_at = enough ? cluster : LW_MAX(cluster + 1, first_wave(run));
    if (stop_at < run->stop_at) __atomic_store_n(&run->stop_at, stop_at, __ATOMIC_RELEASE);
    pthread_mutex_unlock(run->fault_lock);
    if (enough) x->go = 0;
}
