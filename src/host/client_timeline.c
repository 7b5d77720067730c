/* The timeline as a client: tells it what operations do, and hands their times to the results and to those who ask for the
 * times of events. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/results_priv.h"
#include "host/services_priv.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/timeline_priv.h"
#include "time/timeline.h"

struct host_timeline {
    pthread_mutex_t lock; /* of all but `predicted` */
    timeline *line;
    double predicted; /* the engine's thread alone: of the launch that runs, by who counts; 0: not counted */
    lw_map known;     /* kernel and configuration -> seconds of the last such launch that was predicted */
    lw_map names;     /* of kernels, which may be gone before their spans */
    lw_arena arena;   /* of both */
    bool managed;     /* the program has managed memory */
    bool noted;       /* and that was said */
};

static void write_span(void *user, const result_span *span)
{
    host_context *c = user;
    result_log *log = host_log(c);
    result_span out = *span;
    out.stream -= LW_MIN(out.stream, (uint64_t)HOST_RESERVED_STREAMS); /* 0: the default stream */
    if (log) result_log_span(log, &out);
}

static void *session_begin(const event_session *session)
{
    host_context *c = session->owner;
    if (!c->options.time || !c->options.caches || !c->device || c->device->cc < 50) return NULL;
    host_timeline *t = lw_alloc(sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    t->line = timeline_make(c->device, write_span, c);
    c->timeline = t;
    return c;
}

static void session_end(void *session)
{
    host_context *c = session;
    host_timeline *t = c->timeline;
    c->timeline = NULL;
    timeline_finish(t->line, UINT64_MAX);
    timeline_free(t->line);
    lw_map_free(&t->known);
    lw_map_free(&t->names);
    lw_arena_free(&t->arena);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void host_timeline_forked(host_context *c)
{
    host_timeline *t = c->timeline;
    if (!t) return;
    pthread_mutex_init(&t->lock, NULL);
    t->line = timeline_make(c->device, write_span, c); /* the operations of the old one are the parent's */
}

/* ---- kernels ---- */
void host_timeline_predicted(host_context *c, double seconds)
{
    if (c->timeline) c->timeline->predicted = seconds;
}

static const char *lasting_name(host_timeline *t, const char *name)
{
    size_t length = strlen(name);
    const char *known = lw_map_get(&t->names, name, length);
    if (known) return known;
    known = lw_arena_strndup(&t->arena, name, length);
    lw_map_put(&t->names, known, length, (void *)known);
    return known;
}

/* Of a launch that is not counted: as long as the last like it; 0: there was none. Lock held. */
static double seconds_of(host_context *c, const event_launch *launch)
{
    host_timeline *t = c->timeline;
    lw_text key = {0};
    lw_text_add(&key, "%s %u,%u,%u %u,%u,%u", launch->kernel, launch->grid[0], launch->grid[1], launch->grid[2],
                launch->block[0], launch->block[1], launch->block[2]);
    double *last = lw_map_get(&t->known, key.data, key.size);
    if (!last && t->predicted > 0) {
        last = LW_NEW(&t->arena, double);
        lw_map_put(&t->known, lw_arena_strndup(&t->arena, key.data, key.size), key.size, last);
    }
    lw_text_free(&key);
    if (t->predicted > 0) *last = t->predicted;
    return last ? *last : 0;
}

/* Without locks: who writes notes takes the context's, and its owners emit events. */
static void say_what_is_left_out(host_context *c, const event_launch *launch, bool predicted)
{
    host_timeline *t = c->timeline;
    if (!predicted) host_note(c, "timeline: launches of %s are not predicted and count as empty", launch->kernel);
    if (!t->managed || t->noted) return;
    t->noted = true;
    host_note(c, "the times take managed memory as if it always lay on the device: moving pages costs nothing");
}

static void *launch_begin(void *session, const event_launch *launch)
{
    host_context *c = session;
    (void)launch;
    c->timeline->predicted = 0;
    return c;
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    (void)state;
    host_context *c = session;
    host_timeline *t = c->timeline;
    const host_launch_facts *facts = launch->owner;
    const host_launch_config *g = &facts->op->u.kernel.config;
    host_kernel *k = facts->op->u.kernel.kernel;
    uint64_t blocks = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2];
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    double room = (double)c->device->sm_count * LW_MAX(host_blocks_per_sm(k, threads, g->dynamic_shared), 1u);
    pthread_mutex_lock(&t->lock);
    double seconds = seconds_of(c, launch);
    timeline_work work = {
        .kind = RESULT_SPAN_KERNEL,
        .seconds = seconds > 0 ? seconds : (double)c->device->time_launch_ns * 1e-9,
        .share = LW_MIN((double)blocks / room, 1.0),
        .name = lasting_name(t, host_kernel_demangled(k)),
    };
    timeline_does(t->line, launch->operation, &work);
    pthread_mutex_unlock(&t->lock);
    say_what_is_left_out(c, launch, seconds > 0);
}

/* ---- the host's operations ---- */
static timeline_side side_of(host_context *c, uint64_t address)
{
    mem_allocation a;
    if (!mem_find(c->memory, address, &a)) return TIMELINE_PAGEABLE;
    return a.kind == MEM_PINNED || a.kind == MEM_REGISTERED ? TIMELINE_PINNED : TIMELINE_DEVICE;
}

/* Kernels move the pages of managed memory, which is not modelled. */
static bool is_managed(host_context *c, const event_host *e)
{
    mem_allocation a;
    return e->shared && mem_find(c->memory, e->address, &a) && a.kind == MEM_MANAGED;
}

static void on_host(void *session, const event_host *e)
{
    host_context *c = session;
    host_timeline *t = c->timeline;
    timeline_work work;
    pthread_mutex_lock(&t->lock);
    switch (e->kind) {
    case EVENT_HOST_COPY:
        work = timeline_copy(c->device, side_of(c, e->address), side_of(c, e->source), e->bytes * e->rows);
        timeline_does(t->line, e->number, &work);
        break;
    case EVENT_HOST_FILL:
        work = timeline_set(c->device, e->bytes * e->rows);
        timeline_does(t->line, e->number, &work);
        break;
    case EVENT_ALLOC: t->managed |= is_managed(c, e); break;
    default: timeline_host(t->line, e); break;
    }
    pthread_mutex_unlock(&t->lock);
}

/* ---- events ---- */
double host_timeline_elapsed(host_context *c, uint64_t from, uint64_t to)
{
    const double resolution = 0.5e-6; /* of events; programs divide by what they get */
    host_timeline *t = c->timeline;
    pthread_mutex_lock(&t->lock);
    double begin = timeline_end(t->line, from);
    double seconds = timeline_end(t->line, to) - begin;
    pthread_mutex_unlock(&t->lock);
    return seconds >= 0 && seconds < resolution ? resolution : seconds;
}

const event_client host_client_timeline = {
    .name = "timeline",
    .kinds = EVENT_BIT(EVENT_SUBMIT) | EVENT_BIT(EVENT_RECORD) | EVENT_BIT(EVENT_STREAM_WAIT) |
             EVENT_BIT(EVENT_GRAPH_WAIT) | EVENT_BIT(EVENT_HOST_WAIT) | EVENT_BIT(EVENT_HOST_COPY) |
             EVENT_BIT(EVENT_HOST_FILL) | EVENT_BIT(EVENT_ALLOC),
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .host = on_host,
};
