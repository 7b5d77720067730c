/* test_invariants: every invariant of execution is broken on purpose, and its assertion is seen to fire. The checks are
 * compiled here with LW_DEBUG, so that this runs in every build. */
#include "fires.h"

#include "exec/invariants.h"

/* ---------------------------------------------------------------- a small world in order */
/* A worker with a cluster of two blocks of one warp. In the first, lanes 0-3 wait at a join for lanes 4-15, which wait
 * at barrier 2, and for lanes 16-31, which are ready. The second has exited. */
typedef struct world {
    exec_launch launch;
    exec_run_state run;
    exec_worker worker;
    exec_cluster cluster;
    exec_block blocks[2];
    exec_warp warps[2];
    code_insn insns[4];
} world;

enum { WAITING = 0xf, AT_BARRIER = 0xfff0, RUNNING = 0xffff0000 };

static void world_begin(world *w)
{
    *w = (world){0};
    exec_warp *warp = &w->warps[0];
    for (int k = 0; k < 2; k++) {
        w->warps[k].block = &w->blocks[k];
        w->warps[k].started = FULL_MASK;
        w->blocks[k] =
            (exec_block){.cluster = &w->cluster, .warps = &w->warps[k], .warp_count = 1, .rank = (uint32_t)k};
    }
    warp->live = FULL_MASK;
    warp->root.lanes = FULL_MASK;
    warp->ready = 1;
    warp->groups_used = 3;
    warp->joins_used = 1;
    warp->joins[0] = (exec_join){.pc = &w->insns[3], .frame = &warp->root, .mask = FULL_MASK, .arrived = WAITING};
    warp->groups[0] = (exec_group){.mask = AT_BARRIER, .state = GROUP_BARRIER, .barrier = 2};
    warp->groups[1] = (exec_group){.mask = RUNNING, .state = GROUP_READY};
    for (int k = 0; k < 2; k++) {
        warp->groups[k].pc = &w->insns[k];
        warp->groups[k].frame = &warp->root;
        warp->groups[k].join = &warp->joins[0];
    }
    w->blocks[0].live_threads = 32;
    w->blocks[0].ready_warps = 1;
    w->blocks[0].barriers[2].arrived = 12;
    w->blocks[0].barriers_open = 1u << 2;
    w->blocks[1].done = true;
    w->cluster = (exec_cluster){.blocks = w->blocks, .block_count = 2, .blocks_done = 1, .live_threads = 32};
    w->run = (exec_run_state){.launch = &w->launch, .block_count = 2, .residency = 1, .stop_at = UINT64_MAX};
    w->worker = (exec_worker){.run = &w->run, .active = &w->cluster, .active_count = 1};
}

static void check_all(const world *w)
{
    exec_check_cluster(&w->cluster);
    exec_check_worker(&w->worker);
    exec_check_run(&w->run);
}

/* The text of the assertion that a world broken by BREAK (statements on `w` and its first warp and block) fires. */
#define BROKEN(expected, BREAK)                                                                                        \
    do {                                                                                                               \
        static world broken;                                                                                           \
        world *w = &broken;                                                                                            \
        world_begin(w);                                                                                                \
        exec_warp *warp = &w->warps[0];                                                                                \
        exec_block *block = &w->blocks[0];                                                                             \
        (void)warp, (void)block;                                                                                       \
        BREAK;                                                                                                         \
        FIRES(expected, check_all(w));                                                                                 \
    } while (0)

UNIT_CASE(a_world_in_order_fires_nothing) { BROKEN("nothing", ); }

UNIT_CASE(groups)
{
    BROKEN("used == (g->state != GROUP_FREE)", warp->groups_used = 7);
    BROKEN("used == (g->state != GROUP_FREE)", warp->groups_used = 1);
    BROKEN("used == (g->state != GROUP_FREE)", warp->groups[0].state = GROUP_FREE);
    BROKEN("g->mask != 0", warp->groups[1].mask = 0);
    BROKEN("(g->mask & ~w->live) == 0", warp->live &= ~(1u << 20));
    BROKEN("(g->mask & ~g->frame->lanes) == 0", warp->root.lanes &= ~(1u << 20));
    BROKEN("(g->state != GROUP_BARRIER && g->state != GROUP_COUNTED) || g->barrier < EXEC_BARRIERS + EXEC_WARPGROUPS",
           warp->groups[0].barrier = EXEC_BARRIERS + EXEC_WARPGROUPS);
    BROKEN("(here & lanes) == 0", warp->groups[1].mask |= 1u << 4);
    BROKEN("w->ready == ready", warp->ready = 2);
}

UNIT_CASE(joins)
{
    BROKEN("(j->mask & ~w->live) == 0", warp->live = warp->root.lanes = AT_BARRIER | RUNNING);
    BROKEN("(j->arrived & ~j->mask) == 0", warp->joins[0].mask = RUNNING);
    BROKEN("j->arrived != j->mask", warp->joins[0].mask = WAITING);
    BROKEN("j->arrived != j->mask", warp->joins[0].mask = warp->joins[0].arrived = 0);
    BROKEN("(here & lanes) == 0", warp->joins[0].arrived |= 1u << 31);
}

UNIT_CASE(lanes_of_a_warp)
{
    BROKEN("lanes == w->live", warp->joins[0].arrived = 1);
    BROKEN("lanes == w->live", warp->groups[1].mask &= ~(1u << 31));
    BROKEN("(w->live & ~w->started) == 0", warp->started = 0xffff);
    BROKEN("(w->cluster_arrived & ~w->live) == 0", w->warps[1].cluster_arrived = 1);
}

UNIT_CASE(blocks)
{
    BROKEN("b->live_threads == live", block->live_threads = 31);
    BROKEN("b->ready_warps == ready", block->ready_warps = 0);
    BROKEN("b->done == (live == 0)", block->done = true);
    BROKEN("b->done == (live == 0)", w->blocks[1].done = false);
}

UNIT_CASE(barriers_never_rest_complete)
{
    BROKEN("!b->barriers[id].arrived || b->barriers[id].arrived < expected", block->barriers[2].arrived = 32);
    BROKEN("!b->barriers[id].arrived || b->barriers[id].arrived < expected", block->barriers[2].expected = 12);
    BROKEN("id >= EXEC_BARRIERS || (b->barriers_open >> id & 1) == (b->barriers[id].arrived != 0)",
           block->barriers_open = 0);
    BROKEN("nothing", block->barriers[2].expected = 64);
}

UNIT_CASE(clusters)
{
    BROKEN("c->live_threads == live", w->cluster.live_threads = 64);
    BROKEN("c->blocks_done == done", w->cluster.blocks_done = 2);
    BROKEN("c->barrier_arrived == arrived", w->cluster.barrier_arrived = 1);
    BROKEN("c->barrier_arrived == arrived", warp->cluster_arrived = 1);
    BROKEN("nothing", warp->cluster_arrived = w->cluster.barrier_arrived = 1);
    BROKEN("!arrived || arrived < live", warp->cluster_arrived = FULL_MASK; w->cluster.barrier_arrived = 32);
}

UNIT_CASE(workers_and_launches)
{
    BROKEN("worker->active_count == active", w->worker.active_count = 2);
    BROKEN("active <= worker->run->residency", w->run.residency = 0);
    BROKEN("__atomic_load_n(&run->blocks_done, __ATOMIC_RELAXED) <= run->block_count", w->run.blocks_done = 3);
    BROKEN("run->shared_bytes <= run->reserved_at && run->shared_bytes <= run->shared_end", w->run.shared_bytes = 1);
}

UNIT_MAIN()
