/* cluster.c: the life of a cluster: its storage, its beginning, its end. A launch without clusters has clusters of one
 * block. Storage belongs to the worker and is used again by its later clusters, so it is bounded by what is resident. */
#include "exec/defined.h"
#include "exec/schedule.h"
#include "exec/warp.h"

#include <string.h>

/* ---------------------------------------------------------------- storage */
static void warp_init(exec_worker *worker, exec_block *b, uint32_t index)
{
    const struct code_body *body = worker->run->launch->kernel->body;
    const code_function *entry = body->functions[0];
    exec_warp *w = &b->warps[index];
    w->block = b;
    w->index = index;
    w->file = lw_arena_alloc_aligned(&worker->arena, body->warp.bytes, 64);
    w->root.registers = lw_arena_alloc_aligned(&worker->arena, entry->register_bytes, 64);
    w->root.function = entry;
    exec_fill_warp(worker->run, w);
}

static void block_init(exec_worker *worker, exec_cluster *c, uint32_t rank)
{
    const exec_run_state *run = worker->run;
    exec_block *b = &c->blocks[rank];
    b->cluster = c;
    b->warp_count = run->warps_per_block;
    b->shared = lw_arena_alloc_aligned(&worker->arena, run->shared_end + 128, 128);
    b->file = lw_arena_alloc_aligned(&worker->arena, run->launch->kernel->body->block.bytes, 64);
    b->warps = lw_arena_alloc_aligned(&worker->arena, run->warps_per_block * sizeof *b->warps, 64);
    for (uint32_t w = 0; w < b->warp_count; w++) warp_init(worker, b, w);
}

static exec_cluster *cluster_new(exec_worker *worker)
{
    exec_cluster *c = LW_NEW(&worker->arena, exec_cluster);
    c->block_count = worker->run->cluster_size;
    c->blocks = LW_NEW_ARRAY(&worker->arena, exec_block, c->block_count);
    for (uint32_t rank = 0; rank < c->block_count; rank++) block_init(worker, c, rank);
    return c;
}

/* ---------------------------------------------------------------- beginning */
static void warp_start(const exec_run_state *run, exec_warp *w)
{
    uint32_t first = w->index * 32, threads = run->threads_per_block;
    w->started = threads - first >= 32 ? FULL_MASK : (1u << (threads - first)) - 1;
    w->live = w->started;
    w->ready = 0;
    w->groups_used = 0;
    w->joins_used = 0;
    exec_groups_reset(w);
    w->cluster_arrived = 0;
    w->cluster_owing = 0;
    w->products = 0;
    w->last_group = 0;
    w->clock = EXEC_CLOCK_START;
    w->clock_reads = 0;
    w->waited = 0;
    w->rounds_used = 0;
    w->long_slices = 0;
    w->local_unfilled = run->launch->fill.kind != MEM_FILL_NONE;
    w->root.lanes = w->live;
    w->root.base = 0;
    w->root.extra = 0;
    exec_defined_forget(w->root.defined);
    exec_group_new(w, w->live, w->root.function->insns, &w->root, NULL);
}

/* Where in the grid the block of a rank lies: clusters count along x, then y, then z, ranks inside them the same way. */
static void block_place(const exec_launch *l, uint32_t cluster, exec_block *b)
{
    uint32_t across = l->grid[0] / l->cluster[0], down = l->grid[1] / l->cluster[1];
    uint32_t at[3] = {cluster % across, cluster / across % down, cluster / across / down};
    uint32_t wide = l->cluster[0], high = l->cluster[1];
    uint32_t in[3] = {b->rank % wide, b->rank / wide % high, b->rank / wide / high};
    for (uint32_t d = 0; d < 3; d++) b->id[d] = at[d] * l->cluster[d] + in[d];
    b->linear = b->id[0] + l->grid[0] * (b->id[1] + l->grid[1] * b->id[2]);
}

static void block_start(exec_run_state *run, exec_cluster *c, uint32_t rank)
{
    exec_block *b = &c->blocks[rank];
    b->rank = rank;
    block_place(run->launch, c->index, b);
    b->virtual_sm = b->linear % LW_MAX(run->launch->device.sm_count, 1u);
    b->async_issued = 0;
    b->live_threads = run->threads_per_block;
    b->ready_warps = 0;
    b->done = false;
    b->remote_by = NULL;
    memset(b->barriers, 0, sizeof b->barriers);
    b->barriers_open = 0;
    mem_fill_bytes(&run->launch->fill, (uint64_t)b->linear << 32, b->shared, run->shared_bytes);
    exec_fill_block(run, b);
    for (uint32_t w = 0; w < b->warp_count; w++) warp_start(run, &b->warps[w]);
}

static exec_cluster *take_storage(exec_worker *worker)
{
    exec_cluster *c = worker->free_clusters;
    if (!c) return cluster_new(worker);
    worker->free_clusters = c->next;
    return c;
}

/* The number of the launch's next cluster: in order, or as --schedule=random has it. false: there is none. */
static bool take_number(exec_run_state *run, uint64_t *out)
{
    uint64_t taken = __atomic_fetch_add(&run->next_cluster, 1, __ATOMIC_RELAXED);
    if (taken >= run->cluster_count) return false;
    if (run->cluster_stride == 1 && !run->first_cluster) { /* nearly always: a division of 128 bits is dear */
        *out = taken;
        return true;
    }
    /* the stride has no common factor with the number of clusters, so each comes once */
    *out = (uint64_t)(((unsigned __int128)taken * run->cluster_stride + run->first_cluster) % run->cluster_count);
    return true;
}

bool exec_cluster_next(exec_worker *worker)
{
    exec_run_state *run = worker->run;
    uint64_t index;
    do {
        if (!take_number(run, &index)) return false;
    } while (index >= exec_stop_at(run));
    exec_cluster *c = take_storage(worker);
    c->index = (uint32_t)index;
    c->blocks_done = 0;
    c->barrier_arrived = 0;
    c->barrier_phase = 0;
    c->live_threads = run->threads_per_block * c->block_count;
    for (uint32_t r = 0; r < c->block_count; r++) {
        block_start(run, c, r);
        exec_emit_block(&worker->x, &c->blocks[r], EVENT_BLOCK_START);
    }
    c->next = worker->active;
    worker->active = c;
    worker->active_count++;
    return true;
}

/* ---------------------------------------------------------------- end */
void exec_cluster_retire(exec_worker *worker, exec_cluster **link)
{
    exec_cluster *c = *link;
    LW_ASSERT(c->blocks_done == c->block_count && worker->active_count);
    *link = c->next;
    c->next = worker->free_clusters;
    worker->free_clusters = c;
    worker->active_count--;
    worker->retired++;
    __atomic_fetch_add(&worker->run->blocks_done, c->block_count, __ATOMIC_RELAXED);
    __atomic_fetch_add(&worker->run->events, 1, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- what its groups do */
bool exec_cluster_ready(const exec_cluster *c)
{
    for (uint32_t b = 0; b < c->block_count; b++)
        if (c->blocks[b].ready_warps) return true;
    return false;
}

static bool warp_only_spins(const exec_warp *w)
{
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        const exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state == GROUP_READY && !g->spins) return false;
    }
    return true;
}

bool exec_cluster_only_spins(const exec_cluster *c)
{
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++)
            if (!warp_only_spins(&c->blocks[b].warps[k])) return false;
    return true;
}

bool exec_cluster_unblock(exec_cluster *c)
{
    bool any = false;
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) any |= exec_joins_break(&c->blocks[b].warps[k]);
    for (uint32_t b = 0; b < c->block_count && !any; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) any |= exec_warpsync_force(&c->blocks[b].warps[k]);
    return any;
}
