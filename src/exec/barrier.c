/* barrier.c: block barriers (PTX bar, barrier), cluster barriers, and the waiting of warp-level collectives.
 *
 * Barriers count threads, as from Volta on: an exited thread is not waited for. With an explicit thread count a warp
 * that is incomplete because the block size is no multiple of 32 counts as whole (PTX ISA, bar: counts in warps). */
#include "exec/defined.h"
#include "exec/operand.h"
#include "exec/schedule.h"
#include "exec/warp.h"

#include <stdio.h>

/* ---------------------------------------------------------------- block barriers */
static void write_reduction(const exec_barrier *b, const exec_group *g, const code_insn *i)
{
    uint8_t *registers = g->frame->registers;
    if (i->barrier.operation == BAR_RED_POPC) {
        uint32_t *d = (uint32_t *)(registers + (i->d & ~3u));
        LANES_OF(g->mask) d[l] = b->popc;
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

/* The groups of a warp that wait at barrier id are about to go on: they came to one instruction, and nobody is missing. That
 * they came one after the other is not the program's doing: lanes that parted before a trap meet again nowhere else. */
static void check_together(exec_ctx *x, exec_warp *w, uint32_t id)
{
    exec_group *lowest = NULL;
    uint32_t here = 0;
    bool parted = false;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state != GROUP_BARRIER || g->barrier != id) continue;
        here |= g->mask;
        parted |= lowest && g->pc != lowest->pc;
        if (!lowest || __builtin_ctz(g->mask) < __builtin_ctz(lowest->mask)) lowest = g;
    }
    if (!lowest || !lowest->pc[-1].barrier.aligned || (here == w->live && !parted)) return;
    exec_ctx saved = *x;
    x->warp = w;
    x->group = lowest;
    warn_divergent(x, lowest->pc - 1, lowest->mask);
    *x = saved;
}

/* Warps leave a barrier when the slowest has come: their clocks meet. */
static void meet_clocks(exec_worker *worker, exec_block *block)
{
    uint64_t last = 0;
    uint64_t worked = 0; /* without waits: of the warp that was at work longest */
    for (uint32_t k = 0; k < block->warp_count; k++) {
        const exec_warp *w = &block->warps[k];
        if (!w->live) continue;
        last = LW_MAX(last, w->clock);
        worked = LW_MAX(worked, w->clock - w->waited);
    }
    for (uint32_t k = 0; k < block->warp_count; k++) {
        exec_warp *w = &block->warps[k];
        if (!w->live) continue;
        worker->clock_work -= worked - (w->clock - w->waited);
        w->clock = last;
        w->waited = last - worked;
    }
}

/* A block ends: how long it took, and what its warps did. */
static void note_clocks(exec_worker *worker, const exec_block *block)
{
    uint64_t longest = 0;
    for (uint32_t k = 0; k < block->warp_count; k++) {
        uint64_t cycles = block->warps[k].clock - block->warps[k].waited - EXEC_CLOCK_START;
        worker->clock_work += cycles;
        longest = LW_MAX(longest, cycles);
    }
    worker->clock_blocks += longest;
    worker->clock_longest = LW_MAX(worker->clock_longest, longest);
}

/* Lanes of a warp that wait at different barriers around which the machine code branches: there WARPSYNC.ALL stands before a
 * barrier, and waits for the others to come to this one (tests/hw/h100-partial-barriers.txt: part_then_all, both). */
static bool never_meet(const exec_warp *w, uint32_t id)
{
    const code_insn *at = NULL;
    bool parted = false;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        const exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state != GROUP_BARRIER || g->barrier != id) return false;
        if (g->pc[-1].op != OP_bar || g->pc[-1].barrier.way != BARRIER_BRANCHED) return false;
        parted |= at && at != g->pc;
        at = g->pc;
    }
    return parted;
}

/* Before the barrier lets go whom a card would keep. */
static bool fail_parted(exec_ctx *x, exec_block *block, uint32_t id)
{
    if (block->barriers[id].expected) return false;
    for (uint32_t k = 0; k < block->warp_count; k++) {
        exec_warp *w = &block->warps[k];
        bool several = w->groups_used & (w->groups_used - 1);
        if (!several || !never_meet(w, id)) continue;
        exec_hang_parted(x->worker, w);
        return true;
    }
    return false;
}

/* The groups of a warp that waited at the barrier go on; `done` is the round that ended. */
static void release_groups(exec_warp *w, uint32_t id, const exec_barrier *done)
{
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *g = &w->groups[__builtin_ctz(m)];
        bool waits = g->state == GROUP_BARRIER;
        if ((!waits && g->state != GROUP_COUNTED) || g->barrier != id) continue;
        if (waits) write_reduction(done, g, g->pc - 1);
        if (g->join) g->join->counted = false;
        exec_group_set_state(w, g, GROUP_READY);
    }
    bool several = w->groups_used & (w->groups_used - 1);
    if (several) exec_groups_merge(w);
}

static void release_barrier(exec_ctx *x, const code_insn *i, exec_block *block, uint32_t id)
{
    exec_barrier *b = &block->barriers[id];
    LW_ASSERT(b->arrived >= (b->expected ? b->expected : block->live_threads));
    if (fail_parted(x, block, id)) return;
    exec_emit_barrier_release(x, i, block, id);
    exec_barrier done = *b;
    *b = (exec_barrier){.generation = done.generation + 1};
    block->barriers_open &= ~(1u << id);
    note_release(x->worker, done.arrived < block->live_threads ? RELEASED_SOME : RELEASED_ALL);
    exec_group_settle(x);
    if (x->launch->timed && done.arrived == block->live_threads) meet_clocks(x->worker, block);
    for (uint32_t k = 0; k < block->warp_count; k++) {
        exec_warp *w = &block->warps[k];
        bool whole = w->groups_used && w->groups[__builtin_ctz(w->groups_used)].mask == w->live;
        if (!whole) check_together(x, w, id);
        release_groups(w, id, &done);
    }
    exec_group_follow(x);
}

static void barrier_check(exec_ctx *x, const code_insn *i, exec_block *block, uint32_t id)
{
    exec_barrier *b = &block->barriers[id];
    uint32_t expected = b->expected ? b->expected : block->live_threads;
    if (b->arrived && b->arrived >= expected) release_barrier(x, i, block, id);
}

/* The arrival of mask counts for so many threads. */
static uint32_t count_arrival(const exec_warp *w, uint32_t mask, uint32_t expected)
{
    bool whole = mask == w->live && w->live == w->started;
    return expected && whole ? 32 : lw_popcount(mask);
}

/* Adds the predicates of mask to a reduction. */
static void reduce(exec_ctx *x, const code_insn *i, uint32_t mask, exec_barrier *b)
{
    uint32_t p = PREDICATE(i->c) & mask;
    b->popc += lw_popcount(p);
    b->any |= p != 0;
    b->all &= p == mask;
}

/* The running group stops, to go on at pc when its state is GROUP_READY again. */
static void park(exec_ctx *x, exec_group_state state, const code_insn *pc)
{
    exec_group *g = x->group;
    g->pc = pc;
    g->mask = x->mask;
    exec_group_set_state(x->warp, g, state);
    x->go = 0;
}

/* Lanes that the guard switches off go on as a group of their own. */
static void leave_behind(exec_ctx *x, uint32_t mask)
{
    exec_group *g = x->group;
    if (mask == x->mask) return;
    exec_group_new(x->warp, x->mask & ~mask, x->pc, g->frame, g->join);
    x->mask = mask;
    g->mask = mask;
}

/* The thread counts of a barrier must be whole warps, the same for all, and not exceeded. */
static void check_counts(exec_ctx *x, const code_insn *i, const exec_barrier *b, uint32_t mask, uint32_t expected)
{
    uint32_t whole = (uint32_t)lw_round_up(x->worker->run->threads_per_block, 32);
    uint32_t before = b->expected ? b->expected : whole, now = expected ? expected : whole;
    if (expected % 32) exec_emit_misuse(x, i, EVENT_MISUSE_BARRIER_COUNT, mask, 0);
    else if (b->arrived && before != now) exec_emit_misuse(x, i, EVENT_MISUSE_BARRIER_COUNTS_DIFFER, mask, 0);
    else if (expected && b->arrived + count_arrival(x->warp, mask, expected) > expected)
        exec_emit_misuse(x, i, EVENT_MISUSE_BARRIER_TOO_MANY, mask, 0);
}

/* Is this a group that will come to join j by another way? */
static bool goes_beside(const exec_ctx *x, const exec_group *g, const exec_join *j)
{
    return g != x->group && g->state == GROUP_READY && g->join == j;
}

/* Who arrives with the lanes of mask, as machine code executes the barrier under a predicate: all that parted at the branch
 * before it. Those that do not come by wait as long, wherever they are. */
static uint32_t take_along(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t id)
{
    exec_warp *w = x->warp;
    exec_join *j = x->group->join;
    if (i->barrier.way != BARRIER_GUARDED || !j || j->pc != i->barrier.join || j->frame != x->group->frame) return mask;
    uint32_t all = mask | j->arrived;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        const exec_group *g = &w->groups[__builtin_ctz(m)];
        if (goes_beside(x, g, j)) all |= g->mask;
    }
    if (all != j->mask) return mask;
    j->counted = true;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *g = &w->groups[__builtin_ctz(m)];
        if (!goes_beside(x, g, j)) continue;
        g->barrier = (uint8_t)id;
        exec_group_set_state(w, g, GROUP_COUNTED);
    }
    return all;
}

void run_bar(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t id = LANES(uint32_t, i->a)[lane];
    exec_block *block = x->block;
    bool waits = i->barrier.operation != BAR_ARRIVE;
    if (id >= EXEC_BARRIERS) {
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, lane, id, 0, false, "code",
                  "barrier %u does not exist (barriers are 0 to 15)", id);
        return;
    }
    leave_behind(x, mask);
    if (!waits && mask != x->warp->live && i->barrier.aligned) warn_divergent(x, i, mask);
    exec_barrier *b = &block->barriers[id];
    if (!b->arrived) b->all = true;
    uint32_t expected = i->b == CODE_NO_REF ? 0 : LANES(uint32_t, i->b)[lane];
    uint32_t coming = take_along(x, i, mask, id);
    if (exec_wants(x, EVENT_MISUSE)) check_counts(x, i, b, coming, expected);
    b->expected = expected;
    uint32_t counts = count_arrival(x->warp, coming, b->expected);
    b->arrived += counts;
    block->barriers_open |= 1u << id;
    if (i->c != CODE_NO_REF) reduce(x, i, mask, b);
    exec_emit_barrier_arrive(x, i, id, mask, counts, waits);
    uint32_t generation = b->generation;
    if (waits) {
        x->group->barrier = (uint8_t)id;
        park(x, GROUP_BARRIER, x->pc);
    }
    barrier_check(x, i, block, id);
    if (waits && b->generation == generation) exec_warpsync_check(x, x->warp);
}

void run_wgmma_commit(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_groups_use(x, i, mask); }

/* wgmma.wait_group: a product is one of four warps: when one knows that it is complete, it is so for all. One thread of
 * them may then say that the operands in shared memory may be overwritten. */
void run_wgmma_wait(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_groups_use(x, i, mask);
    uint32_t id = EXEC_BARRIERS + x->warp->index / 4;
    exec_block *block = x->block;
    if (!(x->warp->products & mask)) return;
    leave_behind(x, mask);
    x->warp->products &= ~mask;
    exec_barrier *b = &block->barriers[id];
    b->expected = 128;
    b->arrived += lw_popcount(mask);
    exec_emit_barrier_arrive(x, i, id, mask, lw_popcount(mask), true);
    uint32_t generation = b->generation;
    x->group->barrier = (uint8_t)id;
    park(x, GROUP_BARRIER, x->pc);
    barrier_check(x, i, block, id);
    if (b->generation == generation) exec_warpsync_check(x, x->warp);
}

/* ---------------------------------------------------------------- cluster barriers */
static void release_cluster_groups(exec_warp *w)
{
    w->cluster_arrived = 0;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state == GROUP_CLUSTER) exec_group_set_state(w, g, GROUP_READY);
    }
    bool several = w->groups_used & (w->groups_used - 1);
    if (several) exec_groups_merge(w);
}

static void cluster_barrier_check(exec_ctx *x, exec_cluster *c)
{
    if (!c->barrier_arrived || c->barrier_arrived < c->live_threads) return;
    exec_emit_cluster_release(x, c);
    c->barrier_arrived = 0;
    c->barrier_phase++;
    note_release(x->worker, RELEASED_SOME);
    exec_group_settle(x);
    for (uint32_t b = 0; b < c->block_count; b++)
        for (uint32_t k = 0; k < c->blocks[b].warp_count; k++) release_cluster_groups(&c->blocks[b].warps[k]);
    exec_group_follow(x);
}

static void cluster_arrive(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_cluster *c = x->block->cluster;
    uint32_t fresh = mask & ~x->warp->cluster_arrived;
    x->warp->cluster_arrived |= fresh;
    x->warp->cluster_owing |= mask;
    c->barrier_arrived += lw_popcount(fresh);
    if (fresh) exec_emit_cluster_arrive(x, i, fresh);
    cluster_barrier_check(x, c);
}

void run_cluster_bar(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (!i->cluster.waits) {
        cluster_arrive(x, i, mask);
        return;
    }
    uint32_t alone = mask & ~x->warp->cluster_owing;
    if (alone) exec_emit_misuse(x, i, EVENT_MISUSE_CLUSTER_WAIT, alone, 0);
    x->warp->cluster_owing |= mask; /* said once */
    bool released = !(x->warp->cluster_arrived & mask);
    if (!released) {
        park(x, GROUP_CLUSTER, i); /* look again when released */
        return;
    }
    x->warp->cluster_owing &= ~mask;
    exec_emit_cluster_wait(x, i, mask);
}

/* ---------------------------------------------------------------- exit */
/* A block whose memory others accessed ends: a barrier of the cluster since then kept it. Clusters that use mbarriers have
 * other ways to know. */
static void check_end(exec_ctx *x, const exec_block *b)
{
    const exec_cluster *c = b->cluster;
    if (!b->remote_by || b->remote_phase != c->barrier_phase) return;
    for (uint32_t r = 0; r < c->block_count; r++)
        if (c->blocks[r].mbarriers && c->blocks[r].mbarriers_of == (uint64_t)c->blocks[r].linear + 1) return;
    exec_emit_block_misuse(x, b->remote_by, b, EVENT_MISUSE_CLUSTER_END);
}

void exec_threads_exit(exec_ctx *x, exec_block *b, uint32_t threads)
{
    LW_ASSERT(threads <= b->live_threads);
    b->live_threads -= threads;
    b->cluster->live_threads -= threads;
    if (!b->live_threads) {
        b->done = true;
        if (x->launch->timed) note_clocks(x->worker, b);
        check_end(x, b);
        b->cluster->blocks_done++;
        exec_emit_block(x, b, EVENT_BLOCK_EXIT);
    } else {
        for (uint32_t open = b->barriers_open; open; open &= open - 1) {
            uint32_t id = (uint32_t)__builtin_ctz(open);
            if (!b->barriers[id].expected) barrier_check(x, NULL, b, id);
        }
    }
    cluster_barrier_check(x, b->cluster);
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
        if (needed & ~x->mask) exec_emit_misuse(x, i, EVENT_MISUSE_LANES_MISSING, mask, needed & ~x->mask);
        g->forced = false;
        return true;
    }
    g->wait_mask = members;
    park(x, GROUP_WARPSYNC, i);
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
    if (mask && exec_frame_is_dirty(frame)) exec_run_undefined(x, i, mask, 0);
    else if (mask) i->run(x, i, mask);
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

/* Do both wait for one collective? A bar.warp.sync is the same wherever it stands, others are one instruction. */
static bool waits_with(const exec_group *o, const exec_group *g)
{
    if (o->state != GROUP_WARPSYNC || o->frame != g->frame) return false;
    return g->pc->op == OP_warpsync ? o->pc->op == OP_warpsync : o->pc == g->pc;
}

static uint32_t lanes_waiting_with(const exec_warp *w, const exec_group *g)
{
    uint32_t lanes = 0;
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        const exec_group *o = &w->groups[__builtin_ctz(m)];
        if (waits_with(o, g)) lanes |= o->mask;
    }
    return lanes;
}

/* The collective that `waiting` waits for runs for `lanes`, and those who waited go on; a bar.warp.sync holds only the
 * members, `needed`. */
static void run_collective(exec_ctx *x, exec_warp *w, exec_group waiting, uint32_t lanes, uint32_t needed)
{
    bool is_barrier = waiting.pc->op == OP_warpsync;
    if (is_barrier) emit_released(x, w, waiting.pc, lanes & needed);
    else run_united(x, w, waiting.pc, waiting.frame, lanes);
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        exec_group *o = &w->groups[__builtin_ctz(m)];
        if (!waits_with(o, &waiting)) continue;
        if (is_barrier && !(o->mask & needed)) continue;
        o->pc++;
        exec_group_set_state(w, o, GROUP_READY);
    }
    exec_group_settle(x);
    exec_groups_merge(w);
    exec_group_follow(x);
}

void exec_warpsync_check(exec_ctx *x, exec_warp *w)
{
    for (uint32_t m = w->groups_used; m; m &= m - 1) {
        const exec_group *g = &w->groups[__builtin_ctz(m)];
        if (g->state != GROUP_WARPSYNC) continue;
        uint32_t lanes = lanes_waiting_with(w, g), needed = g->wait_mask & w->live;
        if (needed & ~lanes) continue;
        run_collective(x, w, *g, lanes, needed);
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
    uint32_t lanes, members = 0, inside = 0;
    LANES_OF(mask)
    {
        members |= LANES(uint32_t, i->a)[l];
        inside |= LANES(uint32_t, i->a)[l] & 1u << l;
    }
    if (inside != mask) exec_emit_misuse(x, i, EVENT_MISUSE_OWN_LANE, mask & ~inside, mask & ~inside);
    if (exec_warpsync_ready(x, i, members, mask, &lanes)) exec_emit_warp_syncs(x, i, i->a, mask);
}

/* ---------------------------------------------------------------- fences */
void run_fence(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    x->worker->signals++;
    exec_emit_fence(x, i, mask);
}
