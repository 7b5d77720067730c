#include "time/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEGACY_STREAM 1   /* event_host.stream of the default stream */
#define MOST_INTERVALS 64 /* of a resource that are looked at; what began before them is taken as a wall */
#define NO_TIME (-1.0)

static const double nano = 1e-9;

/* ---------------------------------------------------------------- resources */
typedef struct interval {
    double begin, end, share;
} interval;

/* What operations share: at each time the shares of those that use it are 1 at most. */
typedef struct resource {
    interval used[MOST_INTERVALS];
    uint32_t count;
    double wall; /* nothing begins before */
} resource;

static double share_at(const resource *r, double time)
{
    double sum = 0;
    for (uint32_t k = 0; k < r->count; k++)
        if (r->used[k].begin <= time && time < r->used[k].end) sum += r->used[k].share;
    return sum;
}

/* The next time from which on there is room, if there is none for all of begin to end; else begin. */
static double room_from(const resource *r, double begin, double end, double share)
{
    const double most = 1 + 1e-9;
    double next = begin;
    bool full = share_at(r, begin) + share > most;
    for (uint32_t k = 0; k < r->count && !full; k++) {
        double at = r->used[k].begin;
        full = at > begin && at < end && share_at(r, at) + share > most;
    }
    for (uint32_t k = 0; k < r->count && full; k++) {
        double later = r->used[k].end;
        if (later > begin && (next <= begin || later < next)) next = later;
    }
    return next;
}

static void drop_first(resource *r)
{
    uint32_t first = 0;
    for (uint32_t k = 1; k < r->count; k++)
        if (r->used[k].end < r->used[first].end) first = k;
    r->wall = fmax(r->wall, r->used[first].end);
    r->used[first] = r->used[--r->count];
}

/* Takes the first room of the resource from `ready` on; returns when that begins. */
static double take(resource *r, double ready, double seconds, double share)
{
    double begin = fmax(ready, r->wall);
    for (;;) {
        double next = room_from(r, begin, begin + seconds, share);
        if (next <= begin) break;
        begin = next;
    }
    if (r->count == MOST_INTERVALS) drop_first(r);
    r->used[r->count++] = (interval){begin, begin + seconds, share};
    return begin;
}

/* ---------------------------------------------------------------- the line */
typedef LW_VEC(uint64_t) numbers;

/* An operation that was submitted and whose times are not known yet. */
typedef struct operation {
    uint64_t number, stream, graph;
    numbers after;
    double submitted; /* on the host's clock */
    bool inner;       /* a node of a graph that waits for another */
    timeline_work work;
} operation;

typedef struct stream {
    uint64_t id;
    bool blocking;  /* ordered with the legacy stream */
    numbers last;   /* what the next operation waits for */
    numbers base;   /* of a graph launch: what was before it */
    uint64_t graph; /* that `last` is of; 0: none */
} stream;

enum { ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_ON_DEVICE, ENGINES };

struct timeline {
    const device_profile *device;
    void (*span)(void *user, const result_span *span);
    void *user;
    double host;            /* the host's clock */
    LW_VEC(double) ends;    /* of operation k + 1 */
    LW_VEC(operation) open; /* in the order of their numbers */
    size_t first;           /* of open that is not done */
    LW_VEC(stream) streams;
    double latest;   /* of ends */
    uint64_t graph;  /* the launch whose submission the host paid last */
    uint64_t record; /* number of the last record of an event */
    resource processors, engines[ENGINES];
};

timeline *timeline_make(const device_profile *device, void (*span)(void *user, const result_span *span), void *user)
{
    timeline *t = lw_alloc(sizeof *t);
    t->device = device;
    t->span = span;
    t->user = user;
    return t;
}

void timeline_free(timeline *t)
{
    if (!t) return;
    for (size_t k = t->first; k < t->open.count; k++) lw_vec_free(&t->open.items[k].after);
    for (size_t k = 0; k < t->streams.count; k++) {
        lw_vec_free(&t->streams.items[k].last);
        lw_vec_free(&t->streams.items[k].base);
    }
    lw_vec_free(&t->open);
    lw_vec_free(&t->ends);
    lw_vec_free(&t->streams);
    free(t);
}

static double end_of(const timeline *t, uint64_t number)
{
    return number && number <= t->ends.count ? t->ends.items[number - 1] : 0;
}

/* ---------------------------------------------------------------- what is submitted */
static stream *stream_of(timeline *t, uint64_t id)
{
    for (size_t k = 0; k < t->streams.count; k++)
        if (t->streams.items[k].id == id) return &t->streams.items[k];
    lw_vec_push(&t->streams, ((stream){.id = id}));
    return &t->streams.items[t->streams.count - 1];
}

static void add_all(numbers *to, const numbers *from)
{
    for (size_t k = 0; k < from->count; k++) lw_vec_push(to, from->items[k]);
}

/* What an operation of no graph waits for. */
static void add_stream(timeline *t, const stream *s, numbers *after)
{
    add_all(after, &s->last);
    for (size_t k = 0; k < t->streams.count; k++) {
        const stream *other = &t->streams.items[k];
        if (other == s) continue;
        bool waits = s->id == LEGACY_STREAM ? other->blocking : s->blocking && other->id == LEGACY_STREAM;
        if (waits) add_all(after, &other->last);
    }
}

static void enter_graph(timeline *t, stream *s, const event_host *e)
{
    if (s->graph == e->graph) return;
    s->base.count = 0;
    add_stream(t, s, &s->base);
    s->last.count = 0;
}

/* What the host takes to submit; a graph is submitted once, a record costs little. */
static void pay(timeline *t, const event_host *e)
{
    bool paid = e->graph && e->graph == t->graph;
    if (paid || e->number == t->record) return;
    if (e->graph) t->graph = e->graph;
    t->host += (double)t->device->time_submit_ns * nano;
}

static void submitted(timeline *t, const event_host *e)
{
    stream *s = stream_of(t, e->stream);
    operation o = {.number = e->number, .stream = e->stream, .graph = e->graph, .submitted = t->host};
    s->blocking = e->blocking || e->is_default;
    if (e->graph) {
        enter_graph(t, s, e);
        add_all(&o.after, &s->base);
        for (uint32_t k = 0; k < e->after_count; k++) lw_vec_push(&o.after, e->after[k]);
        o.inner = e->after_count > 0;
    } else {
        add_stream(t, s, &o.after);
        s->last.count = 0;
    }
    s->graph = e->graph;
    lw_vec_push(&s->last, e->number);
    lw_vec_push(&t->open, o);
    pay(t, e);
}

static void graph_wait(timeline *t, const event_host *e)
{
    for (size_t k = t->open.count; k-- > t->first;)
        if (t->open.items[k].number == e->number) lw_vec_push(&t->open.items[k].after, e->behind);
}

/* ---------------------------------------------------------------- what is carried out */
static resource *resource_of(timeline *t, result_span_kind kind)
{
    uint64_t engines = LW_MAX(t->device->async_engines, (uint64_t)1);
    switch (kind) {
    case RESULT_SPAN_KERNEL: return &t->processors;
    case RESULT_SPAN_TO_DEVICE: return &t->engines[ENGINE_TO_DEVICE];
    case RESULT_SPAN_TO_HOST: return &t->engines[engines > 1 ? ENGINE_TO_HOST : ENGINE_TO_DEVICE];
    case RESULT_SPAN_ON_DEVICE:
    case RESULT_SPAN_SET: return &t->engines[engines > 2 ? ENGINE_ON_DEVICE : ENGINE_TO_DEVICE];
    default: return NULL;
    }
}

/* A node that follows another is started by the device: what starts a launch is hidden but for a little. */
static double seconds_of(const timeline *t, const operation *o)
{
    double launch = (double)t->device->time_launch_ns * nano;
    double node = (double)t->device->time_graph_node_ns * nano;
    if (o->work.kind != RESULT_SPAN_KERNEL || !o->inner) return o->work.seconds;
    return fmax(o->work.seconds - launch, 0) + fmin(node, launch);
}

static void hand_out(timeline *t, const operation *o, double begin, double end)
{
    result_span span = {
        .kind = o->work.kind,
        .stream = o->stream,
        .name = o->work.name,
        .begin = begin,
        .end = end,
        .seconds = end - begin,
        .bytes = o->work.bytes,
        .count = 1,
    };
    t->span(t->user, &span);
}

static void finish(timeline *t, operation *o)
{
    double begin = o->submitted;
    bool mark = o->work.kind == RESULT_SPAN_MARK;
    if (!mark) begin += (double)t->device->time_start_ns * nano;
    for (size_t k = 0; k < o->after.count; k++) begin = fmax(begin, end_of(t, o->after.items[k]));
    double seconds = mark ? 0 : seconds_of(t, o);
    resource *r = resource_of(t, o->work.kind);
    if (r) begin = take(r, begin, seconds, o->work.share);
    double end = begin + seconds;
    while (t->ends.count < o->number) lw_vec_push(&t->ends, 0);
    t->ends.items[o->number - 1] = end;
    t->latest = fmax(t->latest, end);
    if (!mark) hand_out(t, o, begin, end);
    lw_vec_free(&o->after);
}

void timeline_finish(timeline *t, uint64_t number)
{
    while (t->first < t->open.count && t->open.items[t->first].number <= number) finish(t, &t->open.items[t->first++]);
    size_t left = t->open.count - t->first;
    if (t->first < left) return;
    memmove(t->open.items, t->open.items + t->first, left * sizeof *t->open.items);
    t->open.count = left;
    t->first = 0;
}

double timeline_end(timeline *t, uint64_t number)
{
    timeline_finish(t, number);
    return end_of(t, number);
}

void timeline_does(timeline *t, uint64_t number, const timeline_work *work)
{
    timeline_finish(t, number - 1);
    if (t->first == t->open.count || t->open.items[t->first].number != number) return;
    timeline_work *w = &t->open.items[t->first].work;
    double seconds = w->seconds + work->seconds;
    uint64_t bytes = w->bytes + work->bytes;
    *w = *work;
    w->seconds = seconds;
    w->bytes = bytes;
}

/* ---------------------------------------------------------------- copies */
/* fixed: what a copy of no bytes takes; rate: bytes a second. */
static timeline_work moves(const device_profile *d, result_span_kind kind, uint64_t bytes, double rate)
{
    double fixed = (double)d->copy_start_ns * nano;
    return (timeline_work){.kind = kind, .seconds = fixed + (double)bytes / rate, .share = 1, .bytes = bytes};
}

/* Bytes a second of device memory. */
static double memory_rate(const device_profile *d, uint64_t percent)
{
    double peak = (double)d->memory_clock_khz * 1e3 * 2 * (double)d->memory_bus_bits / 8;
    return peak * (double)percent / 100;
}

timeline_work timeline_copy(const device_profile *d, timeline_side to, timeline_side from, uint64_t bytes)
{
    const double mega = 1e6;
    const uint64_t to_device[] = {d->copy_to_device_pageable, d->copy_to_device_pinned};
    const uint64_t to_host[] = {d->copy_to_host_pageable, d->copy_to_host_pinned};
    if (to == TIMELINE_DEVICE && from == TIMELINE_DEVICE)
        return moves(d, RESULT_SPAN_ON_DEVICE, bytes, memory_rate(d, d->copy_on_device_percent) / 2);
    if (to == TIMELINE_DEVICE) return moves(d, RESULT_SPAN_TO_DEVICE, bytes, (double)to_device[from] * mega);
    if (from == TIMELINE_DEVICE) return moves(d, RESULT_SPAN_TO_HOST, bytes, (double)to_host[to] * mega);
    return moves(d, RESULT_SPAN_ON_HOST, bytes, (double)d->copy_on_host * mega);
}

timeline_work timeline_set(const device_profile *d, uint64_t bytes)
{
    return moves(d, RESULT_SPAN_SET, bytes, memory_rate(d, d->copy_set_percent));
}

/* ---------------------------------------------------------------- the host */
/* All has ended: nobody needs to wait for it any more. */
static void forget_streams(timeline *t)
{
    for (size_t k = 0; k < t->streams.count; k++) {
        lw_vec_free(&t->streams.items[k].last);
        lw_vec_free(&t->streams.items[k].base);
    }
    t->streams.count = 0;
}

static void host_wait(timeline *t, const event_host *e)
{
    uint64_t number = e->number;
    timeline_finish(t, number);
    double end = end_of(t, number);
    if (e->all) end = t->latest;
    if (end > 0) t->host = fmax(t->host, end + (double)t->device->time_wait_ns * nano);
    if (e->all && t->first == t->open.count) forget_streams(t);
}

void timeline_host(timeline *t, const event_host *e)
{
    switch (e->kind) {
    case EVENT_RECORD: t->record = e->number; break;
    case EVENT_SUBMIT: submitted(t, e); break;
    case EVENT_STREAM_WAIT: lw_vec_push(&stream_of(t, e->stream)->last, e->number); break;
    case EVENT_GRAPH_WAIT: graph_wait(t, e); break;
    case EVENT_HOST_WAIT: host_wait(t, e); break;
    default: break;
    }
}
