/* schedule.c: who runs next, and for how long: groups of a warp, warps of a cluster, clusters of a worker.
 *
 * A worker runs one cluster at a time. Its warps take turns in rounds, short ones first: those that begin together or
 * leave a barrier together go on together, as on a card. Only when everything resident waits in spin loops does the
 * worker bring in another cluster (up to the device's residency), so memory is bounded by resident blocks. When nothing
 * can run at all, lanes waiting at joins are let go (a barrier in divergent code); if that does not help the kernel
 * hangs and the launch ends with a fault that says who waits where.
 *
 * docs/EXECUTION.md draws the states. The order of turns decides what a program with races computes, so it is part of
 * what lanewise promises: with one worker it depends on nothing but the program. */
#include "exec/defined.h"
#include "exec/invariants.h"
#include "exec/schedule.h"
#include "exec/warp.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Every number that decides about turns. Slices are counted in backward branches, each at the cost that warp.h names. */
typedef struct schedule_policy {
    /* Rounds of a cluster that begins or leaves a barrier. On an H200 32 warps leave a barrier within 28 clocks, and
     * none of them uses what it loads before all have loaded (tests/hw/h200-schedule.csv). */
    uint32_t short_rounds; /* so many */
    uint32_t first_round;  /* backward branches of each warp in the first */
    uint32_t round_growth; /* times as many in the next */
    uint32_t to_store;     /* at most so many in the one that follows these, up to the next store */
    /* --schedule=random:SEED */
    uint32_t random_rounds;    /* of a cluster's turn, on average */
    uint32_t random_turn_log2; /* most micro-operations of a warp in a round */
    uint32_t random_residency; /* most clusters that take turns */
    int64_t slice;             /* of a group: then other warps have their turn */
    int64_t spin_slice;        /* of a group whose last slice ended in a spin loop */
    uint32_t stops;            /* times a warp may wait and go on at once before other warps have their turn */
    uint32_t group_spins;      /* slices in a row that a group may spin before other warps have their turn */
    uint32_t turns_alone;      /* of the newest cluster, which others wait for, before these look again */
    uint32_t turns_barren;     /* turns in a row that only went round spin loops: then another cluster is brought in */
    uint32_t lookers;          /* so many clusters look whenever the newest may have told them something */
    /* A worker all of whose clusters spin, and that may bring in no other: */
    uint32_t unblock_rounds; /* turns between attempts to let lanes at joins go */
    double unblock_seconds;  /* not before, if other workers may still do what is waited for */
    double stopping_seconds; /* when other clusters have stopped by a fault: whoever still spins waits for them */
    uint32_t hang_rounds;    /* a hang: so many turns and so many seconds */
    double hang_seconds;
} schedule_policy;

static const schedule_policy policy = {.short_rounds = 2,
                                       .first_round = 4,
                                       .round_growth = 4,
                                       .to_store = 1 << 16,
                                       .random_rounds = 32,
                                       .random_turn_log2 = 8,
                                       .random_residency = 8,
                                       .slice = 1 << 16,
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

#define NO_PROGRESS "the kernel cannot make progress"

/* Most launches are over before helper threads would have started. */
#define SECONDS_BEFORE_HELPERS 2e-4

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

/* ---------------------------------------------------------------- the interpreter */
static inline void step(exec_ctx *x)
{
    LW_ASSERT(x->mask && x->mask == x->group->mask);
    const code_insn *i = x->pc++;
    uint32_t mask = x->mask;
    if (i->guard != CODE_NO_REF) {
        uint32_t p = *(uint32_t *)(x->file[CODE_FRAME] + (i->guard & ~3u));
        mask &= i->guard & 1 ? ~p : p;
        if (!mask) return;
    }
    i->run(x, i, mask);
}

/* Micro-operations of the running group until one of them clears x->go. */
static __attribute__((noinline)) void interpret(exec_ctx *x)
{
    while (x->go) step(x);
}

/* The same where undefined bits are followed. */
static void step_following(exec_ctx *x)
{
    if (exec_frame_is_dirty(x->group->frame)) exec_step_undefined(x);
    else step(x);
}

static __attribute__((noinline)) void interpret_following(exec_ctx *x)
{
    while (x->go) step_following(x);
}

static void interpret_any(exec_ctx *x)
{
    if (__builtin_expect(x->undefined != NULL, 0)) interpret_following(x);
    else interpret(x);
}

static inline void step_any(exec_ctx *x)
{
    if (__builtin_expect(x->undefined != NULL, 0)) step_following(x);
    else step(x);
}

/* How far a warp runs in a round. */
typedef enum turn_length {
    TURN_TOGETHER, /* a few times round a loop, and not beyond a change of access: see turn_allows() */
    TURN_TO_STORE, /* the same, but up to the next basic block that stores, however far */
    TURN_COUNTED,  /* so many micro-operations */
    TURN_FREE      /* until it waits, or its slice is over */
} turn_length;

typedef struct warp_turn {
    turn_length length;
    uint32_t left; /* TURN_COUNTED: micro-operations; TURN_TOGETHER, TURN_TO_STORE: backward branches */
    uint32_t seen; /* TURN_TOGETHER, TURN_TO_STORE: accesses so far, a bit for each kind and space */
} warp_turn;

enum { SEEN_LOAD = 1, SEEN_STORE = 2, SEEN_ATOMIC = 4, SEEN_KINDS = 7 };
enum { SEEN_GLOBAL = 1, SEEN_SHARED = 8, SEEN_SPACES = SEEN_GLOBAL | SEEN_SHARED }; /* times a kind: a bit */

/* What may end a turn: accesses by kind, and the start of a basic block. */
enum { STARTS_BLOCK = 8 };
static const uint8_t turn_ends_at[CODE_OP_COUNT] = {
    [OP_ld] = SEEN_LOAD,        [OP_st] = SEEN_STORE,    [OP_ldmatrix] = SEEN_LOAD,
    [OP_stmatrix] = SEEN_STORE, [OP_atom] = SEEN_ATOMIC, [OP_block] = STARTS_BLOCK,
};

static const uint8_t seen_in_space[PTX_SHARED_CLUSTER + 1] = {[PTX_GLOBAL] = SEEN_GLOBAL,
                                                              [PTX_SHARED] = SEEN_SHARED,
                                                              [PTX_SHARED_CLUSTER] = SEEN_SHARED,
                                                              [PTX_GENERIC] = SEEN_SPACES};

/* A turn ends where the warp goes over from one kind of access to another in the same space, from loads to a store or
 * from a store to loads: on a card what is loaded takes longer to come than the other warps take to get there. */
static inline bool turn_allows(warp_turn *t, const code_insn *i, uint32_t kind)
{
    uint32_t spaces = seen_in_space[i->mem.space];
    if (t->seen & spaces * (SEEN_KINDS & ~kind)) return false;
    t->seen |= spaces * kind;
    return true;
}

/* Up to where the turn ends (then false), or a basic block begins that does not store. */
static inline __attribute__((always_inline)) bool careful_steps(exec_ctx *x, warp_turn *t, void (*next)(exec_ctx *x))
{
    while (x->go) {
        const code_insn *i = x->pc;
        uint32_t kind = turn_ends_at[i->op];
        if (__builtin_expect(kind, 0)) {
            if (kind == STARTS_BLOCK) {
                if (!i->block.stores || t->length == TURN_TO_STORE) return true;
            } else if (!turn_allows(t, i, kind)) {
                return false;
            }
        }
        next(x);
    }
    return false;
}

static __attribute__((noinline)) bool careful_steps_following(exec_ctx *x, warp_turn *t)
{
    return careful_steps(x, t, step_following);
}

static inline bool interpret_carefully(exec_ctx *x, warp_turn *t)
{
    if (__builtin_expect(x->undefined != NULL, 0)) return careful_steps_following(x, t);
    return careful_steps(x, t, step);
}

/* Carefully through basic blocks that store, fast through the others. */
static __attribute__((noinline)) void interpret_together(exec_ctx *x, warp_turn *t)
{
    while (interpret_carefully(x, t)) {
        x->stops_at_stores = true;
        interpret_any(x);
        if (x->stops_at_stores) { /* it was something else that ended the loop */
            x->stops_at_stores = false;
            return;
        }
        x->go = 1;
        t->seen |= SEEN_SPACES * (t->length == TURN_TO_STORE ? SEEN_KINDS : SEEN_LOAD); /* perhaps */
    }
}

static void interpret_counted(exec_ctx *x, warp_turn *t)
{
    for (; x->go && t->left; t->left--) step_any(x);
}

/* ---------------------------------------------------------------- turns of a warp */
/* How a slice ended. */
typedef enum slice_end {
    SLICE_WAITS, /* the group waits somewhere, is part of another, or has ended */
    SLICE_SHORT, /* the warp's turn is over */
    SLICE_LONG,  /* its time is over, in a loop that computes */
    SLICE_SPUN   /* its time is over, in a loop that waits for what others write */
} slice_end;

static slice_end run_slice(exec_worker *worker, exec_warp *w, exec_group *g, warp_turn *turn)
{
    exec_ctx *x = &worker->x;
    LW_ASSERT(g && g->state == GROUP_READY);
    w->last_group = (uint32_t)(g - w->groups);
    x->group = g;
    x->pc = g->pc;
    x->mask = g->mask;
    x->file[CODE_FRAME] = g->frame->registers;
    bool short_turn = turn->length == TURN_TOGETHER || turn->length == TURN_TO_STORE;
    x->slice = short_turn ? turn->left : g->spins ? policy.spin_slice : policy.slice;
    x->go = 1;
    worker->spun = false;
    switch (turn->length) {
    case TURN_TOGETHER:
    case TURN_TO_STORE: interpret_together(x, turn); break;
    case TURN_COUNTED: interpret_counted(x, turn); break;
    case TURN_FREE: interpret_any(x); break;
    }
    bool ready = x->group && x->group->state == GROUP_READY; /* x->group: executors clear it with the group */
    if (ready) {
        x->group->pc = x->pc;
        x->group->mask = x->mask;
    }
    if (ready && (x->go || (x->slice <= 0 && short_turn))) return SLICE_SHORT;
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
    exec_emit_enter(x);
}

/* Does a complete barrier end the turn of a cluster? */
static bool turns_are_together(const exec_run_state *run)
{
    return run->launch->schedule.kind != EXEC_SCHEDULE_TO_BARRIER;
}

/* A warp's turn: its groups run until none is ready, a slice or the turn is over, or a barrier has let others go. Returns
 * false if it only spun. */
static bool run_warp(exec_worker *worker, exec_warp *w, warp_turn *turn)
{
    bool rotate = false, progress = false;
    uint32_t stops = 0;
    uint64_t updates = worker->updates;
    enter_warp(worker, w);
    while (w->ready) {
        exec_group *g = rotate || w->groups[w->last_group].spins ? group_after_last(w) : group_lowest(w);
        slice_end end = run_slice(worker, w, g, turn);
        if (exec_stopped(worker->run, w->block->cluster)) return true;
        exec_check_warp(w);
        g = worker->x.group;
        if (end == SLICE_SHORT) return progress;
        if (end == SLICE_WAITS) {
            if (g) g->spins = 0;
            progress = true;
            rotate = false;
            if (worker->released != RELEASED_NONE && turns_are_together(worker->run)) return true;
            if (++stops < policy.stops) continue;
            exec_progress_check(worker); /* a loop round a barrier that waits for nobody here */
            return true;
        }
        if (end == SLICE_LONG) {
            g->spins = 0;
            /* now and then: after 1, 2, 4, 8 ... slices */
            if ((w->long_slices & (w->long_slices + 1)) == 0) exec_endless_check(&worker->x, step_any);
            w->long_slices++;
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
    bool released; /* it ended behind a barrier */
    bool barren;   /* the last of policy.turns_barren turns without anything but spinning */
    bool newcomer; /* another cluster was brought in after it */
} turn;

/* --schedule=random: a number below n, the same ones for the same seed (splitmix64). */
static uint32_t draw(exec_worker *worker, uint32_t n)
{
    uint64_t z = worker->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) % n);
}

/* Short turns are more frequent than long ones. */
static warp_turn random_turn(exec_worker *worker)
{
    uint32_t most = 1u << draw(worker, policy.random_turn_log2 + 1);
    return (warp_turn){.length = TURN_COUNTED, .left = 1 + draw(worker, most)};
}

/* Once around a block's warps: in order, or by chance from any on, upwards or downwards. */
static void run_block_round(exec_worker *worker, exec_block *block, const warp_turn *length, turn *t)
{
    bool random = length->length == TURN_COUNTED;
    uint32_t n = block->warp_count;
    uint32_t first = random ? draw(worker, n) : 0, step = random && draw(worker, 2) ? n - 1 : 1;
    uint32_t at = first;
    for (uint32_t k = 0; k < n && block->ready_warps; k++) {
        exec_warp *w = &block->warps[at];
        at = at + step < n ? at + step : at + step - n;
        if (!w->ready) continue;
        t->ran = true;
        warp_turn own = *length;
        if (random) own = random_turn(worker);
        t->progress |= run_warp(worker, w, &own);
        if (exec_stopped(worker->run, block->cluster)) return;
        if (worker->released == RELEASED_ALL && turns_are_together(worker->run)) return;
    }
}

static uint32_t ready_warps(const exec_cluster *c)
{
    uint32_t ready = 0;
    for (uint32_t b = 0; b < c->block_count; b++) ready += c->blocks[b].ready_warps;
    return ready;
}

/* How far warps run in the given round of a cluster's turn. A warp that is alone need not wait for others. */
static warp_turn length_of_round(exec_worker *worker, uint32_t round, uint32_t ready)
{
    exec_schedule_kind kind = worker->run->launch->schedule.kind;
    if (kind == EXEC_SCHEDULE_RANDOM && draw(worker, policy.random_rounds)) return (warp_turn){.length = TURN_COUNTED};
    if (kind != EXEC_SCHEDULE_CARD || ready == 1 || round > policy.short_rounds)
        return (warp_turn){.length = TURN_FREE};
    if (round == policy.short_rounds) return (warp_turn){.length = TURN_TO_STORE, .left = policy.to_store};
    warp_turn t = {.length = TURN_TOGETHER, .left = policy.first_round};
    for (uint32_t k = 0; k < round; k++) t.left *= policy.round_growth;
    return t;
}

/* Rounds around a cluster's warps, until a barrier is complete, behind which the next turn begins, or all have run as far
 * as they can. */
static void run_cluster(exec_worker *worker, exec_cluster *c, turn *t)
{
    warp_turn length = {0};
    worker->released = RELEASED_NONE;
    for (uint32_t round = 0; length.length != TURN_FREE && worker->released == RELEASED_NONE; round++) {
        uint32_t ready = ready_warps(c);
        if (!ready) return;
        length = length_of_round(worker, round, ready);
        for (uint32_t b = 0; b < c->block_count; b++) {
            run_block_round(worker, &c->blocks[b], &length, t);
            if (exec_stopped(worker->run, c)) return;
        }
    }
    t->released = worker->released != RELEASED_NONE;
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
        if (!exec_cluster_unblock(c)) exec_hang_fail(worker, c, NO_PROGRESS);
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
static bool count_barren(scheduler *s, const turn *t, bool spun, bool achieved)
{
    if (achieved || (!spun && !t->released)) s->barren = 0;
    else s->barren += spun;
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
    exec_progress_check(worker); /* each time, since a turn may take a second; and before it, while there is who runs */
    exec_cluster **link = s->state == LET_OTHERS_LOOK ? &worker->active->next : &worker->active;
    if (s->state == RUN_NEWEST) turn_of_cluster(worker, link, &t);
    else
        while (*link) link = turn_of_cluster(worker, link, &t);
    t.spinning = worker->active && t.ran && exec_cluster_only_spins(worker->active);
    t.told = worker->signals != signals && worker->active_count <= policy.lookers;
    t.barren = count_barren(s, &t, worker->spin_edges != spin_edges, worker->retired + worker->updates != achieved);
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
    if (hangs && !worker->host_visible) exec_hang_fail(worker, worker->active, NO_PROGRESS);
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

/* Clusters that take turns from the start. One, but by chance some. */
static uint32_t clusters_together(exec_worker *worker)
{
    const exec_run_state *run = worker->run;
    if (run->launch->schedule.kind != EXEC_SCHEDULE_RANDOM) return 1;
    return 1 + draw(worker, LW_MIN(run->residency, policy.random_residency));
}

static void *worker_main(void *argument)
{
    exec_worker *worker = argument;
    exec_run_state *run = worker->run;
    scheduler s = {.state = RUN_ALL};
    uint32_t together = clusters_together(worker);
    for (;;) {
        if (!worker->index && !run->helpers && run->worker_count > 1) start_helpers(run);
        if (!worker->active && !exec_cluster_next(worker)) return NULL;
        while (worker->active_count < together && exec_cluster_next(worker)) {}
        turn t = take_turn(worker, &s);
        s.state = next_state(&s, &t);
        exec_check_worker(worker);
        if (t.progress) __atomic_fetch_add(&run->events, 1, __ATOMIC_RELAXED);
        if (t.progress || s.state == RUN_NEWEST) s.rounds = 0;
        else if (t.ran) wait_for_others(worker, &s);
    }
}

bool exec_schedule_parse(const char *text, exec_schedule *out)
{
    static const char random[] = "random:";
    bool is_random = !strncmp(text, random, strlen(random));
    char *end = NULL;
    *out = (exec_schedule){.kind = EXEC_SCHEDULE_CARD};
    if (!strcmp(text, "card")) return true;
    if (!strcmp(text, "to-barrier")) out->kind = EXEC_SCHEDULE_TO_BARRIER;
    if (is_random && text[strlen(random)] >= '0' && text[strlen(random)] <= '9') {
        out->kind = EXEC_SCHEDULE_RANDOM;
        out->seed = strtoull(text + strlen(random), &end, 10);
    }
    return out->kind != EXEC_SCHEDULE_CARD && (!end || !*end);
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Blocks in order, or by chance: from any on, with any stride that meets them all. */
static void order_clusters(exec_run_state *run)
{
    exec_worker *worker = &run->workers[0];
    uint32_t n = (uint32_t)run->cluster_count;
    run->cluster_stride = 1;
    if (run->launch->schedule.kind != EXEC_SCHEDULE_RANDOM) return;
    worker->random = run->launch->schedule.seed + run->launch->grid_id;
    run->first_cluster = draw(worker, n);
    do run->cluster_stride = 1 + draw(worker, n);
    while (common_factor(run->cluster_stride, n) > 1);
}

void exec_schedule_run(exec_run_state *run)
{
    exec_check_run(run);
    order_clusters(run);
    run->threads = LW_NEW_ARRAY(&run->arena, pthread_t, run->worker_count);
    worker_main(&run->workers[0]);
    for (uint32_t n = 1; n < run->helpers; n++) pthread_join(run->threads[n], NULL);
    exec_check_run(run);
}
