/* race.c: the client of events that is racecheck. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/race_access.h"
#include "check/race_ops.h"
#include "check/race_steps.h"

#include <pthread.h>

struct race_session {
    const event_session *services;
    lw_map told; /* findings that were told */
    lw_arena keys;
    race_ops ops;         /* under lock: events of the host come from any thread */
    race_launch *running; /* NULL: none */
    pthread_mutex_t lock;
    shadow_pool pool;
    race_values_pool values;
};

extern const event_client check_race;

/* ---------------------------------------------------------------- session and launch */
static void *session_begin(const event_session *session)
{
    if (!check_wanted(session->checks, CHECK_RACECHECK)) return NULL;
    struct race_session *s = lw_alloc(sizeof *s);
    s->services = session;
    s->ops.services = session;
    pthread_mutex_init(&s->lock, NULL);
    shadow_pool_begin(&s->pool);
    race_values_pool_begin(&s->values);
    return s;
}

static void session_end(void *session)
{
    struct race_session *s = session;
    race_ops_free(&s->ops);
    shadow_pool_end(&s->pool);
    race_values_pool_end(&s->values);
    pthread_mutex_destroy(&s->lock);
    lw_map_free(&s->told);
    lw_arena_free(&s->keys);
    free(s);
}

static void find_orders(race_launch *l)
{
    for (uint32_t k = 0; k < l->launch->insn_count; k++) {
        const event_insn *what = &l->launch->insns[k];
        l->polls |= what->loads && what->order != EVENT_ORDER_WEAK && what->scope >= EVENT_SCOPE_GPU;
        if (what->order < EVENT_ORDER_ACQUIRE || what->bulk) continue;
        l->orders = true;
        l->orders_blocks |= what->scope >= EVENT_SCOPE_GPU;
    }
}

static void *launch_begin(void *session, const event_launch *launch)
{
    race_launch *l = lw_alloc(sizeof *l);
    l->session = session;
    l->pool = &l->session->pool;
    l->values = &l->session->values;
    l->launch = launch;
    find_orders(l);
    pthread_mutex_init(&l->heap.lock, NULL);
    pthread_mutex_lock(&l->session->lock);
    l->session->running = l;
    pthread_mutex_unlock(&l->session->lock);
    return l;
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    struct race_session *s = session;
    race_launch *l = state;
    if (l->first) race_found_merge(&l->found, &l->first->found);
    if (l->first) race_worker_forget_values(l->first);
    race_found_tell(&l->found, launch, s->services, &s->told, &s->keys);
    if (l->first && l->first->global.forgotten) race_found_tell_forgotten(launch, s->services, &s->told, &s->keys);
    race_found_free(&l->found);
    pthread_mutex_lock(&s->lock);
    race_ops_kernel(&s->ops, launch, l->first);
    s->running = NULL;
    pthread_mutex_unlock(&s->lock);
    lw_vec_free(&l->heap.again);
    pthread_mutex_destroy(&l->heap.lock);
    free(l);
}

static void on_host(void *session, const event_host *e)
{
    struct race_session *s = session;
    bool heap = e->kind == EVENT_HEAP_ALLOC || e->kind == EVENT_HEAP_FREE;
    pthread_mutex_lock(&s->lock);
    if (heap && s->running && s->running->launch == e->launch) race_heap_note(&s->running->heap, e);
    else race_ops_on_host(&s->ops, e);
    pthread_mutex_unlock(&s->lock);
}

static bool one_worker(void *launch)
{
    const race_launch *l = launch;
    return l->orders_blocks || l->polls;
}

/* ---------------------------------------------------------------- workers */
static void *worker_begin(void *launch, uint32_t worker)
{
    (void)worker;
    race_launch *l = launch;
    return race_worker_new(l);
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    (void)worker;
    race_launch *l = launch;
    if (!l->first) {
        l->first = state;
        return;
    }
    race_merge(l->first, state);
    race_worker_free(state);
}

static void on_memory(void *worker, const event_memory *e) { race_on_memory(worker, e); }

/* ---------------------------------------------------------------- synchronisation */
static void on_cluster(race_worker *k, race_block *b, const event_sync *e)
{
    race_cluster *c = race_worker_cluster(k, e->cluster);
    race_warp *w = &b->warp[e->warp];
    if (e->kind == EVENT_CLUSTER_WAIT) {
        race_acquire(w, e->mask, c->released);
        return;
    }
    if (e->kind == EVENT_CLUSTER_RELEASE) {
        race_know_drop(c->released);
        c->released = c->arriving;
        c->arriving = NULL;
        return;
    }
    if (e->order != EVENT_ORDER_RELEASE && e->order != EVENT_ORDER_ACQ_REL) return;
    race_know *out = race_release(b, w, e->mask);
    race_know_join(&c->arriving, out);
    race_know_drop(out);
}

static race_flag *mbarrier_at(race_worker *k, race_block *b, uint64_t address)
{
    race_block *home = race_worker_rank(k, b->cluster, (uint32_t)(address >> 24));
    return home ? race_flag_make(&home->mbarriers, address & 0xffffff) : NULL;
}

static void arrive_on(race_flag *f, race_block *b, race_warp *w, uint32_t mask)
{
    race_know *out = race_release(b, w, mask);
    race_know_join(&f->a, out);
    race_know_drop(out);
}

static void on_mbarrier(race_worker *k, race_block *b, const event_sync *e)
{
    race_flag *f = mbarrier_at(k, b, e->address);
    race_warp *w = &b->warp[e->warp];
    if (!f) return;
    if (e->kind == EVENT_MBARRIER_PHASE) {
        race_know **done = e->phase ? &f->c : &f->b;
        race_know_drop(*done);
        *done = f->a;
        f->a = NULL;
        return;
    }
    if (e->op != EVENT_MBARRIER_COMPLETE_TX) race_on_mbarrier(k, b, e);
    switch (e->op) {
    case EVENT_MBARRIER_INIT: race_flag_empty(f); break;
    case EVENT_MBARRIER_ARRIVE:
    case EVENT_MBARRIER_ARRIVE_DROP:
    case EVENT_MBARRIER_ASYNC_ARRIVE: arrive_on(f, b, w, e->mask); break;
    case EVENT_MBARRIER_TEST_WAIT:
    case EVENT_MBARRIER_TRY_WAIT: race_acquire(w, e->mask, e->phase ? f->c : f->b); break;
    default: break;
    }
}

static void on_complete(race_worker *k, race_block *b, const event_sync *e)
{
    race_block *home = race_lands(k, b, e) ? race_worker_rank(k, b->cluster, (uint32_t)(e->address >> 24)) : NULL;
    if (!home) {
        race_on_complete(k, b, e);
        return;
    }
    race_flag *f = race_flag_make(&home->mbarriers, e->address & 0xffffff);
    race_on_land(k, b, e, home, f);
    if (e->bulk) arrive_on(f, b, &b->warp[e->warp], e->mask);
}

static void on_sync(void *worker, const event_sync *e)
{
    race_worker *k = worker;
    race_block *b = race_worker_block(k, e->block, e->cluster);
    race_steps_pass(b, e);
    switch (e->kind) {
    case EVENT_BLOCK_EXIT:
        race_on_exit(k, b);
        race_worker_block_exit(k, b);
        break;
    case EVENT_LANES_EXIT: race_on_lanes_exit(b, e); break;
    case EVENT_BARRIER_ARRIVE: race_on_arrive(b, e); break;
    case EVENT_BARRIER_RELEASE: race_on_release(b, e); break;
    case EVENT_WARP_SYNC: race_on_warp_sync(b, e); break;
    case EVENT_FENCE: race_on_fence(b, e); break;
    case EVENT_CLUSTER_ARRIVE:
    case EVENT_CLUSTER_RELEASE:
    case EVENT_CLUSTER_WAIT: on_cluster(k, b, e); break;
    case EVENT_MBARRIER:
    case EVENT_MBARRIER_PHASE: on_mbarrier(k, b, e); break;
    case EVENT_ASYNC_COMPLETE: on_complete(k, b, e); break;
    default: break;
    }
}

const event_client check_race = {
    .name = "racecheck",
    .kinds = EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_BLOCK_START) | EVENT_BIT(EVENT_BLOCK_EXIT) |
             EVENT_BIT(EVENT_LANES_EXIT) | EVENT_BIT(EVENT_BARRIER_ARRIVE) | EVENT_BIT(EVENT_BARRIER_RELEASE) |
             EVENT_BIT(EVENT_WARP_SYNC) | EVENT_BIT(EVENT_FENCE) | EVENT_BIT(EVENT_CLUSTER_ARRIVE) |
             EVENT_BIT(EVENT_CLUSTER_RELEASE) | EVENT_BIT(EVENT_CLUSTER_WAIT) | EVENT_BIT(EVENT_MBARRIER) |
             EVENT_BIT(EVENT_MBARRIER_PHASE) | EVENT_BIT(EVENT_ASYNC_COMPLETE) | EVENT_BIT(EVENT_SUBMIT) |
             EVENT_BIT(EVENT_HOST_COPY) | EVENT_BIT(EVENT_HOST_FILL) | EVENT_BIT(EVENT_HOST_ACCESS) |
             EVENT_BIT(EVENT_RECORD) | EVENT_BIT(EVENT_STREAM_WAIT) | EVENT_BIT(EVENT_GRAPH_WAIT) |
             EVENT_BIT(EVENT_HOST_WAIT) | EVENT_BIT(EVENT_HOST_FUNCTION) | EVENT_BIT(EVENT_VALUE_WRITE) |
             EVENT_BIT(EVENT_HOST_ON) | EVENT_BIT(EVENT_HOST_TOUCH) | EVENT_BIT(EVENT_HEAP_ALLOC) |
             EVENT_BIT(EVENT_HEAP_FREE) | EVENT_BIT(EVENT_FREE),
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .host = on_host,
    .one_worker = one_worker,
    .worker_begin = worker_begin,
    .worker_end = worker_end,
    .memory = on_memory,
    .sync = on_sync,
};
