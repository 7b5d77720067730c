/* barrier.c: block barriers (PTX bar, barrier), cluster barriers, and the waiting of warp-level collectives.
 *
 * Barriers count threads, as from Volta on: an exited thread is not waited for. With an explicit thread count a warp
 * that is incomplete because the block size is no multiple of 32 counts as whole (PTX ISA, bar: counts in warps). */
#include "exec/emit.h"
#include "exec/warp.h"

#include <stdio.h>

/* ---------------------------------------------------------------- block barriers */
static void write_reduction(const exec_barrier *b, const exec_group *g, const code_insn *i)
{
    uint8_t *registers = g->frame->registers;
    if (i->barrier.operation == BAR_RED_POPC) {
        uint32_t *d = (uint32_t *)(registers + (i->d & ~3u));
        for (uint32_t m = g->mask; m; m &= m - 1) d[__builtin_ctz(m)] = b->popc;
    } else if (i->barrier.operation == BAR_RED_AND || i->barrier.operation == BAR_RED_OR) {
        uint32_t *d = (uint32_t *)(registers + (i->d & ~3u));
        bool value = i->barrier.operation == BAR_RED_AND ? b->all : b->any;
        *d = value ? *d | g->mask : *d & ~g->mask;
    }
}

/* The turn of the block's cluster ends: whoever left the barrier goes on together with the others. */
static void note_release(exec_worker *worker, exec_released what)
{
    if (what > worker->released) worker->released = what;
}

static void release_barrier(exec_ctx *x, const code_insn *i, exec_block *block, uint32_t id)
{
    exec_emit_barrier_release(x, i, block, id);
    exec_barrier *b = &block->barriers[id];
    exec_barrier done = *b;
    *b = (exec_barrier){.generation = done.generation + 1};
    note_release(x->worker, done.arrived < block->live_threads ? RELEASED_SOME : RELEASED_ALL);
    for (uint32_t k = 0; k < block->warp_count; k++) {
        exec_warp *w = &block->warps[k];
        for (uint32_t m = w->groups_used; m; m &= m - 1) {
            exec_group *g = &w->groups[__builtin_ctz(m)];
            if (g->state != GROUP_BARRIER || g->barrier != id) continue;
            write_reduction(&done, g, g->pc - 1);
            exec_group_set_state(w, g, GROUP_READY);
        }
        if (w->groups_used & (w->groups_used - 1)) exec_groups_merge(w);
    }
}

static void barrier_check(exec_ctx *x, const code_insn *i, exec_block *block, uint32_t id)
{
    exec_barrier *b = &block->barriers[id];
    uint32_t expected = b->expected ? b->expected : block->live_threads;
    if (b->arrived && b->arrived >= expected) release_barrier(x, i, block, id);
}

/* Part of a warp at a barrier that all of its threads must reach together: where the others are. */
static void warn_divergent(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const exec_warp *w = x->warp;
    const code_site *sites = x->launch->kernel->sites;
    char text[800];
    size_t n = (size_t)snprintf(text, sizeof text, "barrier in divergent code: %u of the warp's %u threads are here",
                                lw_popcount(mask), lw_popcount(w->live));
    for (uint32_t m = w->groups_used; m && n < sizeof text; m &= m - 1) {
        const exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g == x->group) continue;
        const ptx_line *at = sites[g->state == GROUP_BARRIER ? g->pc[-1].site : g->pc->site].insn->source;
        n += (size_t)snprintf(text + n, sizeof text - n, ", %u %s", lw_popcount(g->mask),
                              g->state == GROUP_BARRIER ? "wait at a barrier" : "go another way");
        if (at && n < sizeof text) n += (size_t)snprintf(text + n, sizeof text - n, " at line %u", at->line);
    }
    exec_warn(x, i, EXEC_DIVERGENT_BARRIER, (uint32_t)__builtin_ctz(mask), text);
}

void run_bar(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask), id = LANES(uint32_t, i->a)[lane];
    exec_group *g = x->group;
    exec_block *block = x->block;
    if (id >= EXEC_BARRIERS) {
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, lane, id, 0, false, "code",
                  "barrier %u does not exist (barriers are 0 to 15)", id);
        return;
    }
    if (mask != x->mask) { /* guarded off: these go on */
        exec_group_new(x->warp, x->mask & ~mask, x->pc, g->frame, g->join);
        x->mask = g->mask = mask;
    }
    if (mask != x->warp->live && i->barrier.aligned) warn_divergent(x, i, mask);
    exec_barrier *b = &block->barriers[id];
    if (!b->arrived) b->all = true;
    b->expected = i->b == CODE_NO_REF ? 0 : LANES(uint32_t, i->b)[lane];
    bool whole = b->expected && mask == x->warp->live && x->warp->live == x->warp->started;
    uint32_t counts = whole ? 32 : lw_popcount(mask);
    b->arrived += counts;
    if (i->c != CODE_NO_REF) {
        uint32_t p = PREDICATE(i->c) & mask;
        b->popc += lw_popcount(p);
        b->any |= p != 0;
        b->all &= p == mask;
    }
    exec_emit_barrier_arrive(x, i, id, mask, counts, i->barrier.operation != BAR_ARRIVE);
    if (i->barrier.operation == BAR_ARRIVE) {
        barrier_check(x, i, block, id);
        return;
    }
    g->pc = x->pc;
    g->mask = x->mask;
    g->barrier = (uint8_t)id;
    exec_group_set_state(x->warp, g, GROUP_BARRIER);
    x->go = 0;
    uint32_t generation = b->generation;
    barrier_check(x, i, block, id);
    if (b->generation == generation) exec_warpsync_check(x, x->warp);
}

/* ---------------------------------------------------------------- cluster barrier */
static void cluster_barrier_check(exec_ctx *x, exec_cluster *c)
{
    if (!c->barrier_arrived || c->barrier_arrived < c->live_threads) return;
    exec_emit_cluster_release(x, c);
    c->barrier_arrived = 0;
    c->barrier_phase++;
    note_release(x->worker, RELEASED_SOME);
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) {
            exec_warp *w = &c->blocks[b].warps[k];
            w->cluster_arrived = 0;
            for (uint32_t m = w->groups_used; m; m &= m - 1) {
                exec_group *g = &w->groups[__builtin_ctz(m)];
                if (g->state == GROUP_CLUSTER) exec_group_set_state(w, g, GROUP_READY);
            }
            if (w->groups_used & (w->groups_used - 1)) exec_groups_merge(w);
        }
}

/* ---------------------------------------------------------------- exit */
void exec_threads_exit(exec_ctx *x, exec_block *b, uint32_t threads)
{
    b->live_threads -= threads;
    b->cluster->live_threads -= threads;
    if (!b->live_threads) {
        b->done = true;
        b->cluster->blocks_done++;
        exec_emit_block(x, b, EVENT_BLOCK_EXIT);
    } else {
        for (uint32_t id = 0; id < EXEC_BARRIERS; id++)
            if (b->barriers[id].arrived && !b->barriers[id].expected) barrier_check(x, NULL, b, id);
    }
    cluster_barrier_check(x, b->cluster);
}

void run_cluster_bar(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_group *g = x->group;
    exec_cluster *c = x->block->cluster;
    if (!i->cluster.waits) {
        uint32_t fresh = mask & ~x->warp->cluster_arrived;
        x->warp->cluster_arrived |= fresh;
        c->barrier_arrived += lw_popcount(fresh);
        if (fresh) exec_emit_cluster_arrive(x, i, fresh);
        cluster_barrier_check(x, c);
        return;
    }
    if (!(x->warp->cluster_arrived & mask)) {
        exec_emit_cluster_wait(x, i, mask);
        return;
    }
    g->pc = i; /* look again when released */
    g->mask = x->mask;
    exec_group_set_state(x->warp, g, GROUP_CLUSTER);
    x->go = 0;
}

/* ---------------------------------------------------------------- warp-level collectives
 * A collective waits until every live lane of its member mask has come to it. Groups that wait at one instruction are
 * executed together, each then goes on under its own join. */
bool exec_warpsync_ready(exec_ctx *x, const code_insn *i, uint32_t members, uint32_t mask, uint32_t *out_lanes)
{
    exec_group *g = x->group;
    uint32_t needed = members & x->warp->live;
    *out_lanes = needed & x->mask ? needed & x->mask : mask;
    if (g->forced || !(needed & ~x->mask)) {
        g->forced = false;
        return true;
    }
    g->pc = i;
    g->mask = x->mask;
    g->wait_mask = members;
    exec_group_set_state(x->warp, g, GROUP_WARPSYNC);
    x->go = 0;
    x->group = NULL;
    exec_warpsync_check(x, x->warp);
    return false;
}

/* Executes instruction i for the lanes of all groups that wait there. */
static void run_united(exec_ctx *x, exec_warp *w, const code_insn *i, exec_frame *frame, uint32_t lanes)
{
    exec_ctx saved = *x;
    exec_group united = {.pc = i, .frame = frame, .mask = lanes, .forced = true};
    x->warp = w;
    x->group = &united;
    x->mask = lanes;
    x->pc = i + 1;
    x->file[CODE_FRAME] = frame->registers;
    x->file[CODE_WARP] = w->file;
    uint32_t mask = lanes;
    if (i->guard != CODE_NO_REF) {
        uint32_t p = *(uint32_t *)(frame->registers + (i->guard & ~3u));
        mask &= i->guard & 1 ? ~p : p;
    }
    if (mask) i->run(x, i, mask);
    *x = saved;
}

/* Groups that came to different bar.warp.sync: they go on together. */
static void emit_released(exec_ctx *x, exec_warp *w, const code_insn *i, uint32_t lanes)
{
    exec_warp *running = x->warp;
    x->warp = w;
    exec_emit_warp_sync(x, i, lanes);
    x->warp = running;
}

void exec_warpsync_check(exec_ctx *x, exec_warp *w)
{
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state != GROUP_WARPSYNC) continue;
        uint32_t lanes = 0, needed = g->wait_mask & w->live;
        bool same_insn = g->pc->op != OP_warpsync;
        for (uint32_t n = w->groups_used; n; n &= n - 1) {
            exec_group *o = &w->groups[__builtin_ctz(n)];
            if (o->state != GROUP_WARPSYNC || o->frame != g->frame) continue;
            if (same_insn ? o->pc == g->pc : o->pc->op == OP_warpsync) lanes |= o->mask;
        }
        if (needed & ~lanes) continue;
        const code_insn *i = g->pc;
        exec_frame *frame = g->frame;
        if (same_insn) run_united(x, w, i, frame, lanes);
        else emit_released(x, w, i, lanes & needed);
        for (uint32_t n = w->groups_used; n; n &= n - 1) {
            exec_group *o = &w->groups[__builtin_ctz(n)];
            if (o->state != GROUP_WARPSYNC || o->frame != frame || (same_insn ? o->pc != i : o->pc->op != OP_warpsync))
                continue;
            if (!same_insn && !(o->mask & needed)) continue;
            o->pc++;
            exec_group_set_state(w, o, GROUP_READY);
        }
        exec_groups_merge(w);
        exec_warpsync_check(x, w); /* the set of groups changed: look again */
        return;
    }
}

bool exec_warpsync_force(exec_warp *w)
{
    bool any = false;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state != GROUP_WARPSYNC) continue;
        g->forced = true;
        exec_group_set_state(w, g, GROUP_READY);
        any = true;
    }
    return any;
}

void run_warpsync(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lanes, members = 0;
    for (uint32_t m = mask; m; m &= m - 1) members |= LANES(uint32_t, i->a)[__builtin_ctz(m)];
    if (exec_warpsync_ready(x, i, members, mask, &lanes)) exec_emit_warp_syncs(x, i, i->a, mask);
}

void run_fence(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    x->worker->signals++;
    exec_emit_fence(x, i, mask);
}
