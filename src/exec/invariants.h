/* invariants.h: what must hold whenever no executor is running: of a warp, a block, a cluster, a worker, a launch.
 *
 * docs/EXECUTION.md says why. With LW_DEBUG (sanitizer builds, and tests/unit/test_invariants.c, which breaks each of
 * them on purpose) the scheduler checks them after every slice and every turn; else the calls are nothing. */
#ifndef LW_EXEC_INVARIANTS_H
#define LW_EXEC_INVARIANTS_H

#include "exec/exec_priv.h"

#ifdef LW_DEBUG

/* A group is in use, or free, as the bit says; its lanes live, and are in its frame. Returns them. */
static inline uint32_t exec_check_group(const exec_warp *w, uint32_t k)
{
    const exec_group *g = &w->groups[k];
    bool used = w->groups_used >> k & 1;
    LW_ASSERT(used == (g->state != GROUP_FREE));
    if (!used) return 0;
    LW_ASSERT(g->mask != 0);
    LW_ASSERT((g->mask & ~w->live) == 0);
    LW_ASSERT((g->mask & ~g->frame->lanes) == 0);
    LW_ASSERT((g->state != GROUP_BARRIER && g->state != GROUP_COUNTED) || g->barrier < EXEC_BARRIERS + EXEC_WARPGROUPS);
    return g->mask;
}

/* Whom a join waits for, lives; whoever has arrived is waited for no longer; if all have, there is no join. Returns the
 * lanes that wait there. */
static inline uint32_t exec_check_join(const exec_warp *w, uint32_t k)
{
    const exec_join *j = &w->joins[k];
    if (!(w->joins_used >> k & 1)) return 0;
    LW_ASSERT((j->mask & ~w->live) == 0);
    LW_ASSERT((j->arrived & ~j->mask) == 0);
    LW_ASSERT(j->arrived != j->mask);
    return j->arrived;
}

/* Every live lane is at one place: in one group, or waiting at one join. */
static inline void exec_check_warp(const exec_warp *w)
{
    uint32_t lanes = 0, ready = 0;
    for (uint32_t k = 0; k < LW_COUNT(w->groups); k++) {
        uint32_t here = exec_check_group(w, k);
        LW_ASSERT((here & lanes) == 0);
        lanes |= here;
        ready += w->groups[k].state == GROUP_READY;
    }
    for (uint32_t k = 0; k < LW_COUNT(w->joins); k++) {
        uint32_t here = exec_check_join(w, k);
        LW_ASSERT((here & lanes) == 0);
        lanes |= here;
    }
    LW_ASSERT(lanes == w->live);
    LW_ASSERT(w->ready == ready);
    LW_ASSERT((w->live & ~w->started) == 0);
    LW_ASSERT((w->cluster_arrived & ~w->live) == 0);
}

/* A barrier never rests complete: whoever completes it lets the waiting groups go. */
static inline void exec_check_barriers(const exec_block *b)
{
    for (uint32_t id = 0; id < LW_COUNT(b->barriers); id++) {
        uint32_t expected = b->barriers[id].expected ? b->barriers[id].expected : b->live_threads;
        LW_ASSERT(!b->barriers[id].arrived || b->barriers[id].arrived < expected);
        LW_ASSERT(id >= EXEC_BARRIERS || (b->barriers_open >> id & 1) == (b->barriers[id].arrived != 0));
    }
}

static inline void exec_check_block(const exec_block *b)
{
    uint32_t live = 0, ready = 0;
    for (uint32_t k = 0; k < b->warp_count; k++) {
        exec_check_warp(&b->warps[k]);
        live += lw_popcount(b->warps[k].live);
        ready += b->warps[k].ready != 0;
    }
    LW_ASSERT(b->live_threads == live);
    LW_ASSERT(b->ready_warps == ready);
    LW_ASSERT(b->done == (live == 0));
    if (!b->done) exec_check_barriers(b);
}

static inline void exec_check_cluster(const exec_cluster *c)
{
    uint32_t live = 0, done = 0, arrived = 0;
    for (uint32_t r = 0; r < c->block_count; r++) {
        const exec_block *b = &c->blocks[r];
        exec_check_block(b);
        live += b->live_threads;
        done += b->done;
        for (uint32_t k = 0; k < b->warp_count; k++) arrived += lw_popcount(b->warps[k].cluster_arrived);
    }
    LW_ASSERT(c->live_threads == live);
    LW_ASSERT(c->blocks_done == done);
    LW_ASSERT(c->barrier_arrived == arrived);
    LW_ASSERT(!arrived || arrived < live);
}

/* Memory is bounded: no more clusters are resident than the launch allows. */
static inline void exec_check_worker(const exec_worker *worker)
{
    uint32_t active = 0;
    for (const exec_cluster *c = worker->active; c; c = c->next) active++;
    LW_ASSERT(worker->active_count == active);
    LW_ASSERT(active <= worker->run->residency);
}

static inline void exec_check_run(const exec_run_state *run)
{
    LW_ASSERT(__atomic_load_n(&run->blocks_done, __ATOMIC_RELAXED) <= run->block_count);
    LW_ASSERT(run->shared_bytes <= run->reserved_at && run->shared_bytes <= run->shared_end);
}

#else
#define exec_check_warp(warp) ((void)(warp))
#define exec_check_cluster(cluster) ((void)(cluster))
#define exec_check_worker(worker) ((void)(worker))
#define exec_check_run(run) ((void)(run))
#endif

#endif
