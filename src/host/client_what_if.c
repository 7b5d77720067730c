/* What --what-if needs, as a client: the accesses of a launch to shared memory, each kind once, and those to global memory, all. Of
 * launches of one kernel with one configuration the first that has something to gain is recounted, the others are only counted. */
#include <stdlib.h>
#include <string.h>

#include "host/what_if_priv.h"

#define MOST_ACCESSES (1u << 16) /* different ones of one launch: 20 MB a host thread */

#define MOST_TRACED                                                                                                    \
    (INT64_C(64) << 20) /* bytes of a launch's accesses to global memory: two million of neighbours or strides */

struct host_what_if {
    what_if_seen seen; /* of the last launch; accesses NULL: it is not looked at */
    lw_map done;       /* kernel and configuration, of those that were recounted */
    lw_arena names;    /* of the map */
    lw_arena arena;    /* what rows are given */
};

static void *session_begin(const event_session *session)
{
    host_context *c = session->owner;
    if (!c->options.what_if || !c->device || c->device->cc < 50) return NULL;
    c->what_if = lw_alloc(sizeof *c->what_if);
    return c;
}

static void drop_launch(host_what_if *w)
{
    model_accesses_free(w->seen.accesses);
    for (size_t k = 0; k < w->seen.traces.count; k++) model_trace_free(w->seen.traces.items[k]);
    lw_vec_free(&w->seen.traces);
    lw_arena_free(&w->arena);
    w->seen = (what_if_seen){0};
    w->arena = (lw_arena){0};
}

static void session_end(void *session)
{
    host_context *c = session;
    drop_launch(c->what_if);
    lw_map_free(&c->what_if->done);
    lw_arena_free(&c->what_if->names);
    free(c->what_if);
    c->what_if = NULL;
}

/* A launch's kernel and configuration, as a text. */
static void key_of(const host_launch_facts *facts, lw_text *out)
{
    const host_launch_config *g = &facts->op->u.kernel.config;
    lw_text_add(out, "%p %llu", (void *)facts->op->u.kernel.kernel, (unsigned long long)g->dynamic_shared);
    for (int d = 0; d < 3; d++) lw_text_add(out, " %u %u", g->grid[d], g->block[d]);
}

static void *launch_begin(void *session, const event_launch *launch)
{
    host_context *c = session;
    host_what_if *w = c->what_if;
    const host_launch_facts *facts = launch->owner;
    host_kernel *kernel = facts->op->u.kernel.kernel;
    lw_text key = {0};
    drop_launch(w);
    key_of(facts, &key);
    bool wanted = host_selection_has(c, kernel) && !lw_map_get(&w->done, key.data, key.size);
    lw_text_free(&key);
    if (!wanted) return NULL;
    w->seen.accesses = model_accesses_make(MOST_ACCESSES);
    w->seen.budget = MOST_TRACED;
    return w;
}

static void *worker_begin(void *launch, uint32_t worker)
{
    host_what_if *w = launch;
    (void)worker;
    what_if_seen *seen = lw_alloc(sizeof *seen);
    seen->accesses = model_accesses_make(MOST_ACCESSES);
    lw_vec_push(&seen->traces, model_trace_make(&w->seen.budget));
    return seen;
}

static void memory(void *worker, const event_memory *e)
{
    what_if_seen *seen = worker;
    if (e->space == EVENT_GLOBAL || e->space == EVENT_TEXTURE) model_trace_add(seen->traces.items[0], e);
    if (e->space == EVENT_DSHARED) seen->clusters = true;
    if (e->space != EVENT_SHARED) return;
    if (e->flags & EVENT_BULK) seen->bulk = true;
    else model_accesses_add(seen->accesses, e);
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    host_what_if *w = launch;
    what_if_seen *seen = state;
    (void)worker;
    model_accesses_join(w->seen.accesses, seen->accesses);
    lw_vec_push(&w->seen.traces, seen->traces.items[0]);
    w->seen.bulk |= seen->bulk;
    w->seen.clusters |= seen->clusters;
    model_accesses_free(seen->accesses);
    lw_vec_free(&seen->traces);
    free(seen);
}

what_if_seen *host_what_if_seen(const host_context *c)
{
    return c->what_if && c->what_if->seen.accesses ? &c->what_if->seen : NULL;
}

void host_what_if_done(host_context *c, const host_launch_facts *facts)
{
    lw_text key = {0};
    key_of(facts, &key);
    const char *kept = lw_arena_strndup(&c->what_if->names, key.data, key.size);
    lw_map_put(&c->what_if->done, kept, key.size, (void *)kept);
    lw_text_free(&key);
}

lw_arena *host_what_if_arena(host_context *c) { return &c->what_if->arena; }

const event_client host_client_what_if = {
    .name = "what-if",
    .kinds = EVENT_BIT(EVENT_COUNTED),
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .worker_begin = worker_begin,
    .memory = memory,
    .worker_end = worker_end,
};
