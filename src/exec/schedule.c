/* schedule.c: who runs next, and for how long: groups of a warp, warps of a cluster, clusters of a worker.
 *
 * A worker runs one cluster at a time, its blocks and warps in order, each until it waits. Only when everything
 * resident waits in spin loops does it bring in another cluster (up to the device's residency), so memory is bounded by
 * resident blocks. When nothing can run at all, lanes waiting at joins are let go (a barrier in divergent code); if
 * that does not help the kernel hangs and the launch ends with a fault that says who waits where.
 *
 * docs/EXECUTION.md draws the states. The order of turns decides what a program with races computes, so it is part of
 * what lanewise promises: with one worker it depends on nothing but the program. */
#include "exec/invariants.h"
#include "exec/schedule.h"
#include "exec/warp.h"

#include <pthread.h>
#include <sched.h>

/* Every number that decides about turns. Slices are counted in backward branches, each at the cost that warp.h names. */
typedef struct schedule_policy {
    int64_t slice;         /* of a group: then other warps have their turn */
    int64_t spin_slice;    /* of a group whose last slice ended in a spin loop */
    uint32_t stops;        /* times a warp may wait and go on at once before other warps have their turn */
    uint32_t group_spins;  /* slices in a row that a group may spin before other warps have their turn */
    uint32_t turns_alone;  /* of the newest cluster, which others wait for, before these look again */
    uint32_t turns_barren; /* turns in a row that only went round spin loops: then another cluster is brought in */
    uint32_t lookers;      /* so many clusters look whenever the newest may have told them something */
    /* A worker all of whose clusters spin, and that may bring in no other: */
    uint32_t unblock_rounds; /* turns between attempts to let lanes at joins go */
    double unblock_seconds;  /* not before, if other workers may still do what is waited for */
    double stopping_seconds; /* when other clusters have stopped by a fault: whoever still spins waits for them */
    uint32_t hang_rounds;    /* a hang: so many turns and so many seconds */
    double hang_seconds;
} schedule_policy;

static const schedule_policy policy = {.slice = 1 << 16,
                                       .spin_slice = 1 << 12,
                                       .stops = 1024,
                                       .group_spins = 4,
                                       .turns_alone = 64,
                                       .turns_barren = 64,
                                       .lookers = 256,
                                       .unblock_rounds = 64,
                                       .unblock_seconds = 0.5,
                                       .stopping_seconds = 0.1,
                                       .hang_rounds = 4096,
                                       .hang_seconds = 10.0};

/* Most launches are over before helper threads would have started. */
#define SECONDS_BEFORE_HELPERS 2e-4
enum { TURNS_BETWEEN_CHECKS = 64 }; /* of interrupts and progress */

/* ---------------------------------------------------------------- groups of a warp */
/* The group at the least address: the others wait for it at joins behind it, sooner or later. */
static exec_group *group_lowest(exec_warp *w)
{
    exec_group *best = NULL;
    for (uint32_t used = w->groups_used; used; used &= used - 1) {
        exec_group *g = &w->groups[__builtin_ctz(used)];
        if (g->state == GROUP_READY && (!best || g->pc < best->pc)) best = g;
    }
    return best;
}

/* After a spin: the others first, in turn. */
static exec_group *group_after_last(exec_warp *w)
{
    for (uint32_t k = 1; k <= 32; k++) {
        uint32_t n = (w->last_group + k) & 31;
        if ((w->groups_used >> n & 1) && w->groups[n].state == GROUP_READY) return &w->groups[n];
    }
    return NULL;
}

/* The interpreter: micro-operations of the running group until one of them clears x->go. */
static void interpret(exec_ctx *x)
{
    while (x->go) {
        LW_ASSERT(x->mask && x->mask == x->group->mask);
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

/* How a slice ended. */
typedef enum slice_end {
    SLICE_WAITS, /* the group waits somewhere, is part of another, or has ended */
    SLICE_LONG,  /* its time is over, in a loop that computes */
    SLICE_SPUN   /* its time is over, in a loop that waits for what others write */
} slice_end;

static slice_end run_slice(exec_worker *worker, exec_warp *w, exec_group *g)
{
    exec_ctx *x = &worker->x;
    LW_ASSERT(g && g->state == GROUP_READY);
    w->last_group = (uint32_t)(g - w->groups);
    x->group = g;
    x->pc = g->pc;
    x->mask = g->mask;
    x->file[CODE_FRAME] = g->frame->registers;
    x->slice = g->spins ? policy.spin_slice : policy.slice;
    x->go = 1;
    worker->spun = false;
    interpret(x);
    bool ready = x->group && x->group->state == GROUP_READY; /* x->group: executors clear it with the group */
    if (ready) {
        x->group->pc = x->pc;
        x->group->mask = x->mask;
    }
    if (!ready || x->slice > 0) return SLICE_WAITS;
    return worker->spun ? SLICE_SPUN : SLICE_LONG;
}

/* A lock between lanes of one warp: the lanes that left the spinning group's own loop wait at its exit; let them go. */
static void release_loop_leavers(exec_worker *worker, exec_group *g)
{
    const code_insn *branch = worker->spin_branch;
    const code_branch *br = branch->branch.to;
    exec_join *j = g->join;
    if (!j || !j->arrived || !j->creator) return;
    bool made_in_loop = j->creator >= br->target && j->creator <= branch;
    if (made_in_loop) worker->schedule_dependent |= exec_join_release(worker->x.warp, j);
}

static void enter_warp(exec_worker *worker, exec_warp *w)
{
    exec_ctx *x = &worker->x;
    x->warp = w;
    x->block = w->block;
    x->shared = w->block->shared;
    x->file[CODE_BLOCK] = w->block->file;
    x->file[CODE_WARP] = w->file;
}

/* A warp's turn: its groups run until none is ready or a slice is over. Returns false if it only spun. */
static bool run_warp(exec_worker *worker, exec_warp *w)
{
    bool rotate = false, progress = false;
    uint32_t stops = 0;
    uint64_t updates = worker->updates;
    enter_warp(worker, w);
    while (w->ready) {
        exec_group *g = rotate || w->groups[w->last_group].spins ? group_after_last(w) : group_lowest(w);
        slice_end end = run_slice(worker, w, g);
        if (exec_stopped(worker->run, w->block->cluster)) return true;
        exec_check_warp(w);
        g = worker->x.group;
        if (end == SLICE_WAITS) {
            if (g) g->spins = 0;
            progress = true;
            rotate = false;
            if (++stops < policy.stops) continue;
            exec_progress_check(worker); /* a loop round a barrier that waits for nobody here */
            return true;
        }
        if (end == SLICE_LONG) {
            g->spins = 0;
            exec_progress_check(worker);
            return true;
        }
        g->spins++;
        bool others = w->ready > 1;
        release_loop_leavers(worker, g);
        if (w->ready == 1 || (others && g->spins > policy.group_spins)) return progress || worker->updates != updates;
        rotate = true;
    }
    return progress;
}

/* ---------------------------------------------------------------- clusters of a worker */
/* What a turn showed. */
typedef struct turn {
    bool ran;      /* some group was ready, or has been let go */
    bool progress; /* more than spinning happened */
    bool spinning; /* all that the newest cluster could go on with spins */
    bool told;     /* a global atomic or a fence: clusters that wait may see something new */
    bool barren;   /* the last of policy.turns_barren turns without anything but spinning */
    bool newcomer; /* another cluster was brought in after it */
} turn;

/* Once around a cluster's warps, in order. */
static void run_cluster(exec_worker *worker, exec_cluster *c, turn *t)
{
    for (uint32_t b = 0; b < c->block_count; b++) {
        exec_block *block = &c->blocks[b];
        for (uint32_t k = 0; k < block->warp_count && block->ready_warps; k++) {
            if (!block->warps[k].ready) continue;
            t->ran = true;
            t->progress |= run_warp(worker, &block->warps[k]);
            if (exec_stopped(worker->run, c)) return;
        }
    }
}

/* A cluster's turn, and what follows from how it ended. Returns the link to the next cluster. */
static exec_cluster **turn_of_cluster(exec_worker *worker, exec_cluster **link, turn *t)
{
    exec_cluster *c = *link;
    if (exec_cluster_ready(c) && !exec_stopped(worker->run, c)) run_cluster(worker, c, t);
    if (exec_stopped(worker->run, c)) { /* never to be run again */
        *link = c->next;
        worker->active_count--;
        t->progress = true;
        return link;
    }
    exec_check_cluster(c);
    if (c->blocks_done == c->block_count) {
        exec_cluster_retire(worker, link);
        t->progress = true;
        return link;
    }
    if (!exec_cluster_ready(c)) {
        exec_hang_warn(worker, c);
        if (!exec_cluster_unblock(c)) exec_hang_fail(worker, c);
        t->ran = true;
    }
    return &c->next;
}

/* ---------------------------------------------------------------- the worker's states */
typedef enum worker_state {
    RUN_ALL,        /* a turn for every resident cluster */
    RUN_NEWEST,     /* a turn for the cluster brought in last: the others were seen to wait */
    LET_OTHERS_LOOK /* a turn for all but the newest: it may have told them something */
} worker_state;

typedef struct scheduler {
    worker_state state;
    uint32_t turns;  /* so far */
    uint32_t alone;  /* turns in a row that the newest had for itself */
    uint32_t barren; /* turns in a row that only went round spin loops */
    /* patience: turns in a row without progress */
    uint32_t rounds;
    uint64_t events; /* run->events when they began, or when another worker last got on */
    double since;    /* and the time then */
} scheduler;

/* The one place that says what a worker does next. */
static worker_state next_state(const scheduler *s, const turn *t)
{
    /* Whoever waited, waits for what none of the resident clusters did. They need not look before the new one has had
     * the time to do it: for n clusters that would be n turns of n. */
    if (t->newcomer) return RUN_NEWEST;
    /* All had their turn, or have seen what there is to see: nobody is known to wait in vain. */
    if (s->state != RUN_NEWEST) return RUN_ALL;
    /* Programs exist whose waits miss a value that does not stand long (`while (count != goal)`). */
    if (t->told) return LET_OTHERS_LOOK;
    /* The newest is over, or itself waits for one of the others. */
    if (!t->progress || t->spinning || t->barren) return RUN_ALL;
    /* It gets on. But what it writes without atomics or fences shows to nobody who is not asked. */
    return s->alone < policy.turns_alone ? RUN_NEWEST : RUN_ALL;
}

/* With a barrier in a spin loop each turn looks like progress. That it is none shows if it goes on for long, ends no
 * cluster and changes no mbarrier object. */
static bool count_barren(scheduler *s, bool spun, bool achieved)
{
    s->barren = spun && !achieved ? s->barren + 1 : 0;
    return s->barren >= policy.turns_barren;
}

/* Brings in another cluster if those whose turn it was wait: for it, perhaps. */
static bool bring_in(exec_worker *worker, scheduler *s, const turn *t)
{
    bool waits = t->barren || (t->spinning && (s->state == RUN_NEWEST || !t->progress));
    if (!waits || worker->active_count >= worker->run->residency || !exec_cluster_next(worker)) return false;
    worker->schedule_dependent = true;
    s->barren = 0;
    return true;
}

/* One turn of those whose turn it is. */
static turn take_turn(exec_worker *worker, scheduler *s)
{
    turn t = {0};
    uint64_t spin_edges = worker->spin_edges, signals = worker->signals;
    uint64_t achieved = worker->retired + worker->updates;
    exec_cluster **link = s->state == LET_OTHERS_LOOK ? &worker->active->next : &worker->active;
    if (s->state == RUN_NEWEST) turn_of_cluster(worker, link, &t);
    else
        while (*link) link = turn_of_cluster(worker, link, &t);
    if (++s->turns % TURNS_BETWEEN_CHECKS == 0 || !t.progress) exec_progress_check(worker);
    t.spinning = worker->active && t.ran && exec_cluster_only_spins(worker->active);
    t.told = worker->signals != signals && worker->active_count <= policy.lookers;
    t.barren = count_barren(s, worker->spin_edges != spin_edges, worker->retired + worker->updates != achieved);
    t.newcomer = bring_in(worker, s, &t);
    s->alone = s->state == RUN_NEWEST && !t.newcomer ? s->alone + 1 : 0;
    return t;
}

/* Everything resident only spins, and no further cluster may come: wait for other workers, let lanes at joins go, give
 * up. Once a fault has stopped other clusters nobody waits long: theirs may be the writes that are waited for. */
static void wait_for_others(exec_worker *worker, scheduler *s)
{
    exec_run_state *run = worker->run;
    bool alone = run->worker_count == 1;
    worker->schedule_dependent = true;
    uint64_t events = __atomic_load_n(&run->events, __ATOMIC_RELAXED);
    double now = lw_now();
    if (events != s->events || !s->rounds) {
        s->events = events;
        s->since = now;
    }
    s->rounds++;
    if (!alone) sched_yield();
    double waited = now - s->since;
    bool stopping = exec_stop_at(run) != UINT64_MAX;
    if (stopping && (alone || waited > policy.stopping_seconds)) {
        worker->active = NULL;
        worker->active_count = 0;
        return;
    }
    if (s->rounds % policy.unblock_rounds == 0 && (alone || waited > policy.unblock_seconds))
        for (exec_cluster *c = worker->active; c; c = c->next) exec_cluster_unblock(c);
    bool hangs = s->rounds > policy.hang_rounds && waited > policy.hang_seconds;
    if (hangs && !worker->host_visible) exec_hang_fail(worker, worker->active);
}

/* ---------------------------------------------------------------- workers of a launch */
static void *worker_main(void *argument);

static void start_helpers(exec_run_state *run)
{
    uint64_t begun = __atomic_load_n(&run->next_cluster, __ATOMIC_RELAXED);
    if (lw_now() - run->started < SECONDS_BEFORE_HELPERS || begun >= run->cluster_count) return;
    for (run->helpers = 1; run->helpers < run->worker_count; run->helpers++)
        if (pthread_create(&run->threads[run->helpers], NULL, worker_main, &run->workers[run->helpers])) break;
}

static void *worker_main(void *argument)
{
    exec_worker *worker = argument;
    exec_run_state *run = worker->run;
    scheduler s = {.state = RUN_ALL};
    for (;;) {
        if (!worker->index && !run->helpers && run->worker_count > 1) start_helpers(run);
        if (!worker->active && !exec_cluster_next(worker)) return NULL;
        turn t = take_turn(worker, &s);
        s.state = next_state(&s, &t);
        exec_check_worker(worker);
        if (t.progress) __atomic_fetch_add(&run->events, 1, __ATOMIC_RELAXED);
        if (t.progress || s.state == RUN_NEWEST) s.rounds = 0;
        else if (t.ran) wait_for_others(worker, &s);
    }
}

void exec_schedule_run(exec_run_state *run)
{
    exec_check_run(run);
    run->threads = LW_NEW_ARRAY(&run->arena, pthread_t, run->worker_count);
    worker_main(&run->workers[0]);
    for (uint32_t n = 1; n < run->helpers; n++) pthread_join(run->threads[n], NULL);
    exec_check_run(run);
}
