/* event_record.h: a client of events that keeps what it sees, for the tests of events. Its session, its launch and its
 * workers are one `record`; hooks may be called from several threads. */
#ifndef LW_TESTS_EVENT_RECORD_H
#define LW_TESTS_EVENT_RECORD_H

#include "unit.h"

#include "event/event.h"

#include <pthread.h>

enum { RECORD_AFTER = 4 }; /* edges kept of a host event */

typedef struct seen_access {
    event_memory e; /* its pointers are dead, but for launch */
    event_details details;
    uint64_t address[32]; /* of the lanes in e.mask */
    uint8_t order;        /* event_order */
} seen_access;

typedef struct seen_host {
    event_host e; /* its pointers are dead */
    uint64_t after[RECORD_AFTER];
} seen_host;

typedef struct record {
    pthread_mutex_t lock;
    LW_VEC(seen_access) accesses;
    LW_VEC(event_sync) syncs;
    LW_VEC(seen_host) hosts;
    uint64_t kinds[EVENT_KIND_COUNT];
    uint64_t by_worker[8]; /* accesses */
} record;

/* What a worker's hooks get. */
typedef struct record_worker {
    record *all;
    uint32_t worker;
} record_worker;

__attribute__((unused)) static void record_begin(record *r)
{
    *r = (record){0};
    pthread_mutex_init(&r->lock, NULL);
}

__attribute__((unused)) static void record_clear(record *r)
{
    r->accesses.count = r->syncs.count = r->hosts.count = 0;
    memset(r->kinds, 0, sizeof r->kinds);
    memset(r->by_worker, 0, sizeof r->by_worker);
}

__attribute__((unused)) static void record_free(record *r)
{
    lw_vec_free(&r->accesses);
    lw_vec_free(&r->syncs);
    lw_vec_free(&r->hosts);
    pthread_mutex_destroy(&r->lock);
}

/* ---- hooks of an event_client */
__attribute__((unused)) static void *record_worker_begin(void *launch, uint32_t worker)
{
    record_worker *w = lw_alloc(sizeof *w);
    *w = (record_worker){launch, worker};
    return w;
}

__attribute__((unused)) static void record_worker_end(void *launch, uint32_t worker, void *state)
{
    (void)launch;
    (void)worker;
    free(state);
}

__attribute__((unused)) static void record_memory(void *state, const event_memory *e)
{
    const record_worker *w = state;
    record *r = w->all;
    seen_access a = {.e = *e, .order = event_insn_of(e)->order};
    for (uint32_t l = 0; l < 32; l++)
        if (e->mask >> l & 1) a.address[l] = e->address[l];
    if (e->details) a.details = *e->details;
    pthread_mutex_lock(&r->lock);
    r->kinds[e->kind]++;
    r->by_worker[w->worker]++;
    lw_vec_push(&r->accesses, a);
    pthread_mutex_unlock(&r->lock);
}

__attribute__((unused)) static void record_sync(void *state, const event_sync *e)
{
    record *r = ((record_worker *)state)->all;
    pthread_mutex_lock(&r->lock);
    r->kinds[e->kind]++;
    lw_vec_push(&r->syncs, *e);
    pthread_mutex_unlock(&r->lock);
}

__attribute__((unused)) static void record_host(void *session, const event_host *e)
{
    record *r = session;
    seen_host h = {.e = *e};
    for (uint32_t k = 0; k < e->after_count && k < RECORD_AFTER; k++) h.after[k] = e->after[k];
    pthread_mutex_lock(&r->lock);
    r->kinds[e->kind]++;
    lw_vec_push(&r->hosts, h);
    pthread_mutex_unlock(&r->lock);
}

/* ---- what was seen */
/* The n-th event of its kind (0: the first), or NULL. */
__attribute__((unused)) static const event_sync *find_sync(const record *r, event_kind kind, uint32_t n)
{
    for (size_t k = 0; k < r->syncs.count; k++)
        if (r->syncs.items[k].kind == kind && !n--) return &r->syncs.items[k];
    return NULL;
}

__attribute__((unused)) static const seen_host *find_host(const record *r, event_kind kind, uint32_t n)
{
    for (size_t k = 0; k < r->hosts.count; k++)
        if (r->hosts.items[k].e.kind == kind && !n--) return &r->hosts.items[k];
    return NULL;
}

/* Every kind of the set was seen, as often as it was built. */
__attribute__((unused)) static void check_kinds(const record *r, uint64_t set, const uint64_t *built)
{
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) {
        if (!(set >> k & 1)) continue;
        if (!r->kinds[k]) UNIT_FAIL("no event of kind '%s'", event_kinds[k].name);
        CHECK_EQ_INT(r->kinds[k], built[k]);
    }
}

#endif
