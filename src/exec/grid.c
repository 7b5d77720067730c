/* grid.c: one launch: clusters handed to host threads, blocks and warps in turn.
 *
 * A worker runs one cluster at a time, its blocks and warps in order, each until it waits. Only when everything
 * resident waits in spin loops does it bring in another cluster (up to the device's residency), so memory is bounded by
 * resident blocks. When nothing can run at all, lanes waiting at joins are let go (a barrier in divergent code); if
 * that does not help the kernel hangs and the launch ends with a fault that says who waits where. */
#include "exec/exec_priv.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICE = 1 << 16, SPIN_SLICE = 1 << 12 };

/* Waits without others to wait for that a warp may run through before other warps have their turn. */
enum { STOPS = 1024 };

/* Turns that a cluster which others wait for may have before these look again. Up to LOOKERS of them look whenever it may
 * have told them something: programs exist whose waits miss a value that does not stand long (`while (count != goal)`). */
enum { TURNS_ALONE = 64, TURNS_BARREN = 64, LOOKERS = 256 };

/* Shared memory the system keeps in a block (cooperative groups put the barriers of tiles of several warps there): two
 * parts whose offsets a kernel reads. A card has 1 KiB before the program's variables; here it lies behind them. */
enum { RESERVED_PART = 1024 };

/* ---------------------------------------------------------------- special registers and lane files */
static uint64_t launch_special(const exec_run_state *run, const code_fill *f)
{
    const exec_launch *l = run->launch;
    uint32_t c = f->component, special = (uint32_t)(f->value & 0xffff), number = (uint32_t)(f->value >> 16);
    uint32_t dims[3] = {l->grid[0] / l->cluster[0], l->grid[1] / l->cluster[1], l->grid[2] / l->cluster[2]};
    switch (special) {
    case PTX_SPECIAL_NTID: return c < 3 ? l->block[c] : 0;
    case PTX_SPECIAL_NCTAID: return c < 3 ? l->grid[c] : 0;
    case PTX_SPECIAL_NWARPID: return 64;
    case PTX_SPECIAL_NSMID: return l->device.sm_count;
    case PTX_SPECIAL_GRIDID: return l->grid_id;
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
        return run->cluster_size > 1 || l->kernel->entry->explicitcluster ? ~(uint64_t)0 : 0;
    case PTX_SPECIAL_NCLUSTERID: return c < 3 ? dims[c] : 0;
    case PTX_SPECIAL_CLUSTER_NCTAID: return c < 3 ? l->cluster[c] : 0;
    case PTX_SPECIAL_CLUSTER_NCTARANK: return run->cluster_size;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
    case PTX_SPECIAL_AGGR_SMEM_SIZE: return run->shared_bytes;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE: return l->dynamic_shared_bytes;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_0: return run->reserved_at;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_1: return run->reserved_at + RESERVED_PART;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_CAP: return run->shared_end;
    case PTX_SPECIAL_ENVREG:
        return number == 1 ? run->grid_workspace >> 32 : number == 2 ? (uint32_t)run->grid_workspace : 0;
    default: return 0;
    }
}

static uint64_t block_special(const exec_block *b, const exec_launch *l, const code_fill *f)
{
    uint32_t c = f->component;
    uint32_t in_cluster[3] = {b->id[0] % l->cluster[0], b->id[1] % l->cluster[1], b->id[2] % l->cluster[2]};
    switch (f->value & 0xffff) {
    case PTX_SPECIAL_CTAID: return c < 3 ? b->id[c] : 0;
    case PTX_SPECIAL_SMID: return b->linear % LW_MAX(l->device.sm_count, 1u);
    case PTX_SPECIAL_CLUSTERID: return c < 3 ? b->id[c] / l->cluster[c] : 0;
    case PTX_SPECIAL_CLUSTER_CTAID: return c < 3 ? in_cluster[c] : 0;
    case PTX_SPECIAL_CLUSTER_CTARANK: return b->rank;
    default: return 0;
    }
}

static uint64_t warp_special(const exec_warp *w, const exec_launch *l, const code_fill *f, uint32_t lane)
{
    uint32_t thread[3], bit = 1u << lane;
    switch (f->value & 0xffff) {
    case PTX_SPECIAL_TID:
        exec_thread_of_lane(w, lane, l->block, thread);
        return f->component < 3 ? thread[f->component] : 0;
    case PTX_SPECIAL_LANEID: return lane;
    case PTX_SPECIAL_WARPID: return w->index;
    case PTX_SPECIAL_LANEMASK_EQ: return bit;
    case PTX_SPECIAL_LANEMASK_LE: return bit | (bit - 1);
    case PTX_SPECIAL_LANEMASK_LT: return bit - 1;
    case PTX_SPECIAL_LANEMASK_GE: return ~(bit - 1);
    case PTX_SPECIAL_LANEMASK_GT: return ~(bit | (bit - 1));
    default: return 0;
    }
}

static void store_lane(uint8_t *file, const code_fill *f, uint32_t lane, const void *value)
{
    memcpy(file + f->offset + (size_t)lane * f->bytes, value, f->bytes);
}

static void store_all(uint8_t *file, const code_fill *f, const void *value)
{
    if (!f->bytes) memcpy(file + f->offset, value, 4); /* a predicate */
    for (uint32_t lane = 0; lane < 32 && f->bytes; lane++) store_lane(file, f, lane, value);
}

static void fill_launch(exec_run_state *run)
{
    const code_file *file = &run->launch->kernel->body->launch;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        uint64_t value[2] = {f->value, 0};
        if (f->kind == FILL_PARAM) {
            value[0] = 0;
            memcpy(value, run->params + f->value, f->component);
            if (f->generic && f->component < 8 && (value[0] >> (8 * f->component - 1) & 1))
                value[0] |= ~(uint64_t)0 << (8 * f->component);
        } else if (f->kind == FILL_PARAM_ADDRESS) {
            value[0] = run->params_address + f->value;
        } else if (f->kind == FILL_SPECIAL) {
            value[0] = launch_special(run, f);
        }
        store_all(run->launch_file, f, value);
    }
}

static void fill_block(const exec_run_state *run, exec_block *b)
{
    const code_file *file = &run->launch->kernel->body->block;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        uint64_t value = f->kind == FILL_SHARED ? ((uint64_t)b->rank << MEM_SHARED_SLOT_SHIFT) + f->value +
                                                      (f->generic ? MEM_SHARED_WINDOW : 0)
                                                : block_special(b, run->launch, f);
        store_all(b->file, f, &value);
    }
}

static void fill_warp(const exec_run_state *run, exec_warp *w)
{
    const code_file *file = &run->launch->kernel->body->warp;
    for (uint32_t k = 0; k < file->count; k++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t value = warp_special(w, run->launch, &file->fills[k], lane);
            store_lane(w->file, &file->fills[k], lane, &value);
        }
}

/* ---------------------------------------------------------------- clusters */
static exec_cluster *cluster_new(exec_worker *worker)
{
    exec_run_state *run = worker->run;
    const code_kernel *k = run->launch->kernel;
    exec_cluster *c = LW_NEW(&worker->arena, exec_cluster);
    c->block_count = run->cluster_size;
    c->blocks = LW_NEW_ARRAY(&worker->arena, exec_block, c->block_count);
    for (uint32_t n = 0; n < c->block_count; n++) {
        exec_block *b = &c->blocks[n];
        b->cluster = c;
        b->warp_count = run->warps_per_block;
        b->shared = lw_arena_alloc_aligned(&worker->arena, run->shared_end + 128, 128);
        b->file = lw_arena_alloc_aligned(&worker->arena, k->body->block.bytes, 64);
        b->warps = lw_arena_alloc_aligned(&worker->arena, run->warps_per_block * sizeof *b->warps, 64);
        for (uint32_t w = 0; w < run->warps_per_block; w++) {
            exec_warp *warp = &b->warps[w];
            warp->block = b;
            warp->index = w;
            warp->file = lw_arena_alloc_aligned(&worker->arena, k->body->warp.bytes, 64);
            warp->root.registers = lw_arena_alloc_aligned(&worker->arena, k->body->functions[0]->register_bytes, 64);
            warp->root.function = k->body->functions[0];
            fill_warp(run, warp);
        }
    }
    return c;
}

static void start_warp(const exec_run_state *run, exec_warp *w)
{
    uint32_t first = w->index * 32, threads = run->threads_per_block;
    w->started = w->live = threads - first >= 32 ? FULL_MASK : (1u << (threads - first)) - 1;
    w->ready = w->groups_used = w->cluster_arrived = 0;
    w->last_group = 0;
    w->clock = 1024;
    w->root.lanes = w->live;
    w->root.base = w->root.extra = 0;
    w->joins_used = 0;
    exec_group_new(w, w->live, w->root.function->insns, &w->root, NULL);
}

static void start_block(exec_run_state *run, exec_cluster *c, uint32_t rank)
{
    const exec_launch *l = run->launch;
    exec_block *b = &c->blocks[rank];
    uint32_t across = l->grid[0] / l->cluster[0], down = l->grid[1] / l->cluster[1];
    uint32_t at[3] = {c->index % across, c->index / across % down, c->index / across / down};
    uint32_t in[3] = {rank % l->cluster[0], rank / l->cluster[0] % l->cluster[1], rank / l->cluster[0] / l->cluster[1]};
    for (uint32_t d = 0; d < 3; d++) b->id[d] = at[d] * l->cluster[d] + in[d];
    b->linear = b->id[0] + l->grid[0] * (b->id[1] + l->grid[1] * b->id[2]);
    b->rank = rank;
    b->live_threads = run->threads_per_block;
    b->ready_warps = 0;
    b->done = false;
    memset(b->barriers, 0, sizeof b->barriers);
    fill_block(run, b);
    for (uint32_t w = 0; w < b->warp_count; w++) start_warp(run, &b->warps[w]);
}

static exec_cluster *next_cluster(exec_worker *worker)
{
    exec_run_state *run = worker->run;
    uint64_t index = __atomic_fetch_add(&run->next_cluster, 1, __ATOMIC_RELAXED);
    if (index >= run->cluster_count || index >= __atomic_load_n(&run->stop_at, __ATOMIC_ACQUIRE)) return NULL;
    exec_cluster *c = worker->free_clusters;
    if (c) worker->free_clusters = c->next;
    else c = cluster_new(worker);
    c->index = (uint32_t)index;
    c->blocks_done = c->barrier_arrived = c->barrier_phase = 0;
    c->live_threads = run->threads_per_block * c->block_count;
    for (uint32_t r = 0; r < c->block_count; r++) start_block(run, c, r);
    c->next = worker->active;
    worker->active = c;
    worker->active_count++;
    return c;
}

/* ---------------------------------------------------------------- progress and interruption */
static bool stopped(const exec_run_state *run, const exec_cluster *c)
{
    return c->index >= __atomic_load_n(&run->stop_at, __ATOMIC_ACQUIRE);
}

/* Is anything to stop? Then what spins may wait for a cluster that has stopped already. */
static bool stopping(const exec_run_state *run)
{
    return __atomic_load_n(&run->stop_at, __ATOMIC_ACQUIRE) != UINT64_MAX;
}

static void stop_all(exec_run_state *run) { __atomic_store_n(&run->stop_at, 0, __ATOMIC_RELEASE); }

static void interrupt_launch(exec_run_state *run)
{
    pthread_mutex_lock(run->fault_lock);
    if (run->result->fault.kind == EXEC_NO_FAULT) {
        run->result->fault.kind = EXEC_INTERRUPTED;
        snprintf(run->result->fault.message, sizeof run->result->fault.message, "interrupted");
    }
    stop_all(run);
    pthread_mutex_unlock(run->fault_lock);
}

static void check_progress(exec_worker *worker)
{
    exec_run_state *run = worker->run;
    const exec_launch *l = run->launch;
    if (l->interrupt && atomic_load_explicit(l->interrupt, memory_order_relaxed)) interrupt_launch(run);
    if (worker->index || !l->services.progress) return;
    double now = lw_now();
    if (now - worker->last_progress < 0.25) return;
    worker->last_progress = now;
    uint64_t inst = 0;
    for (uint32_t b = 0; b < l->kernel->block_count; b++) inst += worker->x.block_lanes[b];
    uint64_t done = __atomic_load_n(&run->blocks_done, __ATOMIC_RELAXED);
    if (!l->services.progress(l->services.user, inst, done, run->block_count)) interrupt_launch(run);
}

/* ---------------------------------------------------------------- running a warp */
static exec_group *pick_group(exec_warp *w, bool rotate)
{
    exec_group *best = NULL;
    uint32_t used = w->groups_used;
    if (rotate) { /* after a spin: the others first */
        for (uint32_t k = 1; k <= 32; k++) {
            exec_group *g = &w->groups[(w->last_group + k) & 31];
            if ((used >> ((w->last_group + k) & 31) & 1) && g->state == GROUP_READY) return g;
        }
        return NULL;
    }
    for (; used; used &= used - 1) {
        exec_group *g = &w->groups[__builtin_ctz(used)];
        if (g->state == GROUP_READY && (!best || g->pc < best->pc)) best = g;
    }
    return best;
}

static void interpret(exec_ctx *x)
{
    while (x->go) {
        const code_insn *i = x->pc++;
        uint32_t mask = x->mask;
        if (i->guard != CODE_NO_REF) {
            uint32_t p = *(uint32_t *)(x->file[CODE_FRAME] + (i->guard & ~3u));
            mask &= i->guard & 1 ? ~p : p;
            if (!mask) continue;
        }
        i->run(x, i, mask);
    }
}

/* A lock between lanes of one warp: the lanes that left the spinning group's own loop wait at its exit; let them go. */
static void release_loop_leavers(exec_worker *worker, exec_group *g)
{
    const code_insn *branch = worker->spin_branch;
    const code_branch *br = branch->ptr;
    exec_join *j = g->join;
    if (!j || !j->arrived || !j->creator || j->creator < br->target || j->creator > branch) return;
    worker->schedule_dependent |= exec_join_release(worker->x.warp, j);
}

/* Runs the warp's groups until none is ready or a time slice ends. Returns false if it only spun. */
static bool run_warp(exec_worker *worker, exec_warp *w)
{
    exec_ctx *x = &worker->x;
    bool rotate = false, progress = false;
    uint32_t stops = 0;
    uint64_t updates = worker->updates;
    x->warp = w;
    x->block = w->block;
    x->shared = w->block->shared;
    x->file[CODE_BLOCK] = w->block->file;
    x->file[CODE_WARP] = w->file;
    while (w->ready) {
        exec_group *g = pick_group(w, rotate || w->groups[w->last_group & 31].spins);
        w->last_group = (uint32_t)(g - w->groups);
        x->group = g;
        x->pc = g->pc;
        x->mask = g->mask;
        x->file[CODE_FRAME] = g->frame->registers;
        x->slice = g->spins ? SPIN_SLICE : SLICE;
        x->go = 1;
        worker->spun = false;
        interpret(x);
        if (stopped(worker->run, w->block->cluster)) return true;
        bool yielded = x->group && x->group->state == GROUP_READY && x->slice <= 0;
        if (x->group && x->group->state == GROUP_READY) x->group->pc = x->pc, x->group->mask = x->mask;
        if (!yielded) {
            if (x->group) x->group->spins = 0;
            progress = true;
            rotate = false;
            if (++stops < STOPS) continue;
            check_progress(worker); /* a loop round a barrier that waits for nobody here */
            return true;
        }
        if (!worker->spun) { /* a long loop: other warps next */
            x->group->spins = 0;
            check_progress(worker);
            return true;
        }
        x->group->spins++;
        uint32_t others = w->ready - 1;
        release_loop_leavers(worker, x->group);
        if (w->ready - 1 == 0 || (others && x->group->spins > 4)) return progress || worker->updates != updates;
        rotate = true;
    }
    return progress;
}

/* ---------------------------------------------------------------- hangs */
static void describe_waiters(const exec_run_state *run, const exec_cluster *c, char *out, size_t size)
{
    size_t n = 0;
    uint32_t shown = 0;
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) {
            const exec_warp *w = &c->blocks[b].warps[k];
            for (uint32_t m = w->groups_used; m && shown < 8; m &= m - 1, shown++) {
                const exec_group *g = &w->groups[__builtin_ctz(m)];
                const code_insn *at = g->state == GROUP_BARRIER ? g->pc - 1 : g->pc;
                const ptx_insn *in = run->launch->kernel->sites[at->site].insn;
                uint32_t first[3];
                exec_thread_of_lane(w, (uint32_t)__builtin_ctz(g->mask), run->launch->block, first);
                n += (size_t)snprintf(out + n, size - n, "%sblock (%u,%u,%u) warp %u: %u threads from (%u,%u,%u) %s %s",
                                      n ? "; " : "", c->blocks[b].id[0], c->blocks[b].id[1], c->blocks[b].id[2], k,
                                      lw_popcount(g->mask), first[0], first[1], first[2],
                                      g->state == GROUP_BARRIER    ? "wait at a barrier"
                                      : g->state == GROUP_WARPSYNC ? "wait for lanes of their warp"
                                      : g->state == GROUP_CLUSTER  ? "wait at the cluster barrier"
                                                                   : "spin",
                                      in->source ? "" : "");
                if (in->source && n < size) n += (size_t)snprintf(out + n, size - n, " at line %u", in->source->line);
                if (n >= size) return;
            }
        }
}

/* The first group of a cluster that waits, made the running one so that a message can name its place. */
static const code_insn *first_waiter(exec_worker *worker, exec_cluster *c, uint32_t *out_lane)
{
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) {
            exec_warp *w = &c->blocks[b].warps[k];
            if (!w->groups_used) continue;
            exec_group *g = &w->groups[__builtin_ctz(w->groups_used)];
            worker->x.warp = w, worker->x.block = w->block;
            *out_lane = (uint32_t)__builtin_ctz(g->mask);
            return g->state == GROUP_BARRIER ? g->pc - 1 : g->pc;
        }
    return NULL;
}

static void fail_hang(exec_worker *worker, exec_cluster *c)
{
    char who[900] = "";
    uint32_t lane;
    describe_waiters(worker->run, c, who, sizeof who);
    const code_insn *at = first_waiter(worker, c, &lane);
    if (at) exec_fail(&worker->x, at, EXEC_HANG, lane, 0, 0, false, "code", "the kernel cannot make progress: %s", who);
}

/* Before lanes are let go from a join because the others wait at a barrier: says who waits where. */
static void warn_divergent_barrier(exec_worker *worker, exec_cluster *c)
{
    char who[800] = "", text[1000];
    uint32_t lane;
    const code_insn *at = first_waiter(worker, c, &lane);
    if (!at || at->op != OP_bar) return;
    describe_waiters(worker->run, c, who, sizeof who);
    snprintf(text, sizeof text,
             "barrier in divergent code, reached by part of the block only: %s; the other threads went past it", who);
    exec_warn(&worker->x, at, EXEC_DIVERGENT_BARRIER, lane, text);
}

/* Nothing in the cluster can run: let lanes at joins go, then collectives run alone. false: a hang. */
static bool unblock(exec_cluster *c)
{
    bool any = false;
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) any |= exec_joins_break(&c->blocks[b].warps[k]);
    for (uint32_t b = 0; b < c->block_count && !any; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) any |= exec_warpsync_force(&c->blocks[b].warps[k]);
    return any;
}

/* ---------------------------------------------------------------- the worker's loop */
static void retire(exec_worker *worker, exec_cluster **link)
{
    exec_cluster *c = *link;
    *link = c->next;
    c->next = worker->free_clusters;
    worker->free_clusters = c;
    worker->active_count--;
    worker->retired++;
    __atomic_fetch_add(&worker->run->blocks_done, c->block_count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&worker->run->events, 1, __ATOMIC_RELAXED);
}

static bool cluster_ready(const exec_cluster *c)
{
    for (uint32_t b = 0; b < c->block_count; b++)
        if (c->blocks[b].ready_warps) return true;
    return false;
}

/* Once around a cluster's warps. *out_ran: something was ready. Returns whether more than spinning happened. */
static bool run_cluster(exec_worker *worker, exec_cluster *c, bool *out_ran)
{
    bool progress = false;
    for (uint32_t b = 0; b < c->block_count; b++) {
        exec_block *block = &c->blocks[b];
        for (uint32_t k = 0; k < block->warp_count && block->ready_warps; k++) {
            if (!block->warps[k].ready) continue;
            *out_ran = true;
            progress |= run_warp(worker, &block->warps[k]);
            if (stopped(worker->run, c)) return true;
        }
    }
    return progress;
}

typedef struct patience {
    uint32_t rounds; /* turns in which everything only spun */
    uint64_t events; /* run->events then */
    double since;
} patience;

/* Everything resident only spins, and no further block may come: wait for other workers, let lanes at joins go, give
 * up. Once a fault has stopped other clusters nobody waits long: theirs may be the writes that are waited for. */
static void handle_spinning(exec_worker *worker, patience *p)
{
    exec_run_state *run = worker->run;
    worker->schedule_dependent = true;
    uint64_t events = __atomic_load_n(&run->events, __ATOMIC_RELAXED);
    double now = lw_now();
    if (events != p->events || !p->rounds) p->events = events, p->since = now;
    p->rounds++;
    if (run->worker_count > 1) sched_yield();
    if (stopping(run) && (run->worker_count == 1 || now - p->since > 0.1)) {
        worker->active = NULL;
        return;
    }
    if (p->rounds % 64 == 0 && (run->worker_count == 1 || now - p->since > 0.5))
        for (exec_cluster *c = worker->active; c; c = c->next) unblock(c);
    if (p->rounds > 4096 && now - p->since > 10.0 && !worker->host_visible) fail_hang(worker, worker->active);
}

typedef enum turn_of { TURN_ALL, TURN_NEWEST, TURN_OTHERS } turn_of;

/* One turn over the active clusters, over the newest or over the others. Returns whether more than spinning happened. */
static bool turn(exec_worker *worker, turn_of who, bool *out_ran)
{
    bool progress = false;
    exec_cluster **link = who == TURN_OTHERS ? &worker->active->next : &worker->active;
    while (*link) {
        exec_cluster *c = *link;
        if (cluster_ready(c) && !stopped(worker->run, c)) progress |= run_cluster(worker, c, out_ran);
        if (stopped(worker->run, c)) {
            *link = c->next; /* never to be run again */
            worker->active_count--;
            progress = true;
        } else if (c->blocks_done == c->block_count) {
            progress = true;
            retire(worker, link);
        } else if (!cluster_ready(c)) {
            warn_divergent_barrier(worker, c);
            if (!unblock(c)) fail_hang(worker, c);
            *out_ran = true;
            link = &c->next;
        } else {
            link = &c->next;
        }
        if (who == TURN_NEWEST) break;
    }
    return progress;
}

static bool only_spins(const exec_cluster *c)
{
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) {
            const exec_warp *w = &c->blocks[b].warps[k];
            for (uint32_t m = w->groups_used; m; m &= m - 1) {
                const exec_group *g = &w->groups[__builtin_ctz(m)];
                if (g->state == GROUP_READY && !g->spins) return false;
            }
        }
    return true;
}

static void *worker_main(void *argument);

/* Helper threads start when the first worker has run for a while: most launches are over by then. */
static void start_helpers(exec_run_state *run)
{
    if (lw_now() - run->started < 2e-4 || __atomic_load_n(&run->next_cluster, __ATOMIC_RELAXED) >= run->cluster_count)
        return;
    for (run->helpers = 1; run->helpers < run->worker_count; run->helpers++)
        if (pthread_create(&run->threads[run->helpers], NULL, worker_main, &run->workers[run->helpers])) break;
}

/* Turns in a row that went round spin loops and ended no cluster: with a barrier in the loop each looks like progress. */
static uint32_t count_barren(const exec_worker *worker, uint64_t spin_edges, uint64_t ended, uint32_t barren)
{
    return worker->spin_edges != spin_edges && worker->retired + worker->updates == ended ? barren + 1 : 0;
}

static void *worker_main(void *argument)
{
    exec_worker *worker = argument;
    exec_run_state *run = worker->run;
    patience patience = {0};
    uint32_t turns = 0, alone = 0, barren = 0;
    bool newest_only = false, told = false;
    for (;;) {
        if (!worker->index && !run->helpers && run->worker_count > 1) start_helpers(run);
        if (!worker->active && !next_cluster(worker)) break;
        uint64_t spin_edges = worker->spin_edges, ended = worker->retired + worker->updates, signals = worker->signals;
        bool ran = false;
        bool progress = turn(worker, newest_only ? TURN_NEWEST : told ? TURN_OTHERS : TURN_ALL, &ran);
        if (++turns % 64 == 0 || !progress) check_progress(worker);
        bool spinning = worker->active && ran && only_spins(worker->active);
        barren = count_barren(worker, spin_edges, ended, barren);
        bool waits = (spinning && (newest_only || !progress)) || barren >= TURNS_BARREN;
        bool more = waits && worker->active_count < run->residency && next_cluster(worker);
        alone = newest_only && !more ? alone + 1 : 0;
        /* the others only spin: while the newest gets on they need not look (for n clusters that is n turns of n) */
        told = newest_only && !more && worker->signals != signals && worker->active_count <= LOOKERS;
        newest_only = more || (newest_only && progress && !waits && !spinning && !told && alone < TURNS_ALONE);
        if (more) worker->schedule_dependent = true, barren = 0;
        if (progress) __atomic_fetch_add(&run->events, 1, __ATOMIC_RELAXED);
        if (progress || newest_only) patience.rounds = 0;
        else if (ran) handle_spinning(worker, &patience);
    }
    return NULL;
}

/* ---------------------------------------------------------------- setting up and summing up */
static void worker_begin(exec_run_state *run, uint32_t index)
{
    exec_worker *worker = &run->workers[index];
    const exec_launch *l = run->launch;
    const code_kernel *k = l->kernel;
    exec_ctx *x = &worker->x;
    worker->run = run;
    worker->index = index;
    worker->last_progress = run->started;
    x->worker = worker;
    x->launch = l;
    x->file[CODE_LAUNCH] = run->launch_file;
    x->shared_bytes = run->shared_end;
    x->local_stride = run->local_stride;
    x->sinks = l->sinks;
    x->block_inst = LW_NEW_ARRAY(&worker->arena, uint64_t, k->block_count + 1);
    x->block_lanes = LW_NEW_ARRAY(&worker->arena, uint64_t, k->block_count + 1);
    x->lanes_on = LW_NEW_ARRAY(&worker->arena, uint64_t, k->site_count + 1);
    x->caches = LW_NEW_ARRAY(&worker->arena, exec_alloc_cache, k->site_count + 1);
    x->sink_state = LW_NEW_ARRAY(&worker->arena, void *, l->sink_count + 1);
    for (uint32_t n = 0; n < l->sink_count; n++) {
        const event_sink *s = &l->sinks[n];
        x->sink_state[n] = s->worker_begin ? s->worker_begin(s->self, index) : s->self;
        if (s->mem) x->sink_count = l->sink_count;
    }
    for (uint32_t n = 0; n <= k->site_count; n++) x->caches[n] = (exec_alloc_cache){.low = 1};
}

static void worker_end(exec_run_state *run, exec_worker *worker)
{
    const exec_launch *l = run->launch;
    exec_result *r = run->result;
    for (uint32_t n = 0; n < l->sink_count; n++)
        if (l->sinks[n].worker_end) l->sinks[n].worker_end(l->sinks[n].self, worker->index, worker->x.sink_state[n]);
    for (uint32_t s = 0; s < l->kernel->site_count; s++) {
        uint32_t block = l->kernel->sites[s].block;
        r->site_inst[s] += worker->x.block_inst[block];
        r->site_lanes[s] += worker->x.block_lanes[block];
        r->site_lanes_on[s] += worker->x.lanes_on[s];
    }
    r->schedule_dependent |= worker->schedule_dependent;
    lw_arena_free(&worker->arena);
}

/* Local memory of a thread: the deepest chain of frames, plus the stack limit when recursion makes it unknown. A frame
 * here holds every parameter of every call, an assembler's only the registers it saves: half as much and less. Three
 * times the limit lets what fits on a card fit here. */
static uint32_t local_bytes_of(const exec_launch *l)
{
    const struct code_body *b = l->kernel->body;
    uint32_t bytes = b->functions[0]->stack_bytes, alloca_bytes = 0;
    bool unknown = b->functions[0]->recursive || b->uses_indirect;
    for (uint32_t k = 0; k < b->function_count; k++) {
        for (uint32_t u = 0; u < b->functions[k]->insn_count; u++)
            if (b->functions[k]->insns[u].op == OP_alloca && !b->functions[k]->insns[u].sub) alloca_bytes = 1;
        if (unknown) bytes = LW_MAX(bytes, b->functions[k]->local_bytes);
    }
    bytes += 64 * b->function_count; /* alignment of frames */
    if (unknown || alloca_bytes) bytes += 3 * LW_MAX(l->device.stack_bytes, 1024u);
    return (uint32_t)lw_round_up(bytes, 64);
}

static bool asks_for_reserved(const code_kernel *k)
{
    for (uint32_t n = 0; n < k->body->launch.count; n++) {
        const code_fill *f = &k->body->launch.fills[n];
        uint32_t special = (uint32_t)(f->value & 0xffff);
        if (f->kind == FILL_SPECIAL && special >= PTX_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN &&
            special <= PTX_SPECIAL_RESERVED_SMEM_OFFSET_1)
            return true;
    }
    return false;
}

static void place_reserved(exec_run_state *run)
{
    run->reserved_at = (uint32_t)lw_round_up(run->shared_bytes, 128);
    run->shared_end = asks_for_reserved(run->launch->kernel) ? run->reserved_at + 2 * RESERVED_PART : run->shared_bytes;
}

static lw_status set_up(exec_run_state *run, lw_error *error)
{
    const exec_launch *l = run->launch;
    const code_kernel *k = l->kernel;
    run->threads_per_block = l->block[0] * l->block[1] * l->block[2];
    run->warps_per_block = (run->threads_per_block + 31) / 32;
    run->cluster_size = l->cluster[0] * l->cluster[1] * l->cluster[2];
    run->block_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    run->cluster_count = run->block_count / run->cluster_size;
    run->shared_bytes =
        (uint32_t)lw_round_up(k->static_shared_bytes, k->uses_dynamic_shared ? k->dynamic_shared_alignment : 1) +
        l->dynamic_shared_bytes;
    place_reserved(run);
    run->local_stride = local_bytes_of(l);
    uint64_t resident =
        (uint64_t)LW_MAX(l->device.max_blocks_per_sm, 1u) * LW_MAX(l->device.sm_count, 1u) / run->cluster_size;
    run->residency = (uint32_t)LW_MAX(l->cooperative ? run->cluster_count : resident / run->worker_count, 1u);
    LW_TRY(mem_alloc(l->memory, LW_MAX(k->param_bytes, 1u), 0, MEM_INTERNAL, 0, "kernel parameters",
                     &run->params_address));
    run->params = (uint8_t *)(uintptr_t)run->params_address;
    memcpy(run->params, l->params, k->param_bytes);
    run->launch_file = lw_arena_alloc_aligned(&run->arena, k->body->launch.bytes, 64);
    run->grid_workspace = l->grid_workspace;
    fill_launch(run);
    (void)error;
    return LW_OK;
}

static void run_workers(exec_run_state *run)
{
    run->threads = LW_NEW_ARRAY(&run->arena, pthread_t, run->worker_count);
    worker_main(&run->workers[0]);
    for (uint32_t n = 1; n < run->helpers; n++) pthread_join(run->threads[n], NULL);
}

lw_status exec_run(const exec_launch *launch, exec_result *out, lw_error *error)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint32_t sites = launch->kernel->site_count;
    *out = (exec_result){0};
    exec_run_state run = {
        .launch = launch, .result = out, .fault_lock = &lock, .started = lw_now(), .stop_at = UINT64_MAX};
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    run.worker_count = (uint32_t)LW_MIN((uint64_t)LW_MAX(launch->threads, 1u), LW_MAX(blocks, (uint64_t)1));
    lw_status status = set_up(&run, error);
    if (status != LW_OK) return lw_fail(error, status, "no device memory for the kernel's parameters");
    out->site_inst = lw_alloc((sites + 1) * sizeof(uint64_t));
    out->site_lanes = lw_alloc((sites + 1) * sizeof(uint64_t));
    out->site_lanes_on = lw_alloc((sites + 1) * sizeof(uint64_t));
    run.workers = lw_arena_alloc_aligned(&run.arena, run.worker_count * sizeof *run.workers, 64);
    for (uint32_t n = 0; n < run.worker_count; n++) worker_begin(&run, n);
    run_workers(&run);
    out->seconds = lw_now() - run.started;
    for (uint32_t n = 0; n < run.worker_count; n++) worker_end(&run, &run.workers[n]);
    for (uint32_t s = 0; s < sites; s++) {
        out->inst_executed += out->site_inst[s];
        out->thread_inst += out->site_lanes[s];
        out->schedule_dependent |= launch->kernel->sites[s].follows_atomic && out->site_inst[s] && blocks > 1;
    }
    mem_free(launch->memory, run.params_address);
    lw_arena_free(&run.arena);
    return LW_OK;
}

void exec_result_free(exec_result *result)
{
    if (!result) return;
    free(result->site_inst), free(result->site_lanes), free(result->site_lanes_on);
    *result = (exec_result){0};
}
