/* emit.c: builds the events of the host and hands them to who wants them: one function per kind. Each asks first whether
 * anybody does. Operations that the engine runs have their number and stream in engine.running. */
#include "host/host_priv.h"

static void deliver(host_context *c, const event_host *e)
{
    host_clients *all = &c->clients;
    pthread_mutex_lock(&all->lock);
    all->built[e->kind]++;
    for (uint32_t k = 0; k < all->count; k++) {
        const host_client *l = &all->list[k];
        if (l->client->host && (l->client->kinds >> e->kind & 1)) l->client->host(l->session, e);
    }
    pthread_mutex_unlock(&all->lock);
}

/* An event of a stream; NULL: of none. */
static event_host stream_event(event_kind kind, uint64_t number, const host_stream *s)
{
    event_host e = {.kind = (uint8_t)kind, .number = number};
    if (!s) return e;
    e.stream = s->id;
    e.is_default = s->is_default;
    e.blocking = !(s->flags & 1);
    return e;
}

/* An event of the operation that the engine runs. */
static event_host running_event(const host_context *c, event_kind kind)
{
    event_host e = {.kind = (uint8_t)kind};
    const host_queued *q = c->engine.running;
    if (!q) return e;
    e.number = q->serial;
    e.stream = q->place.stream;
    e.is_default = q->place.is_default;
    e.blocking = q->place.blocking;
    e.graph = q->place.graph;
    return e;
}

void host_emit_submit(host_context *c, const host_queued *q, const host_stream *stream, const uint64_t *after,
                      uint32_t after_count)
{
    if (!host_wants(c, EVENT_SUBMIT)) return;
    event_host e = stream_event(EVENT_SUBMIT, q->serial, stream);
    e.graph = q->place.graph;
    e.after = after;
    e.after_count = after_count;
    deliver(c, &e);
}

void host_emit_launch(host_context *c, event_kind kind, const event_launch *launch)
{
    if (!host_wants(c, kind)) return;
    event_host e = running_event(c, kind);
    e.launch = launch;
    deliver(c, &e);
}

static void emit_copy(host_context *c, const host_copy *k)
{
    if (!host_wants(c, EVENT_HOST_COPY)) return;
    event_host e = running_event(c, EVENT_HOST_COPY);
    e.address = k->dst.address;
    e.source = k->src.address;
    e.bytes = k->width;
    e.rows = k->height;
    e.pitch = k->dst.pitch;
    e.source_pitch = k->src.pitch;
    for (uint64_t z = 0; z < k->depth; z++) { /* one event per plane */
        deliver(c, &e);
        e.address += k->dst.pitch * k->dst.rows;
        e.source += k->src.pitch * k->src.rows;
    }
}

static void emit_fill(host_context *c, const host_fill *f)
{
    if (!host_wants(c, EVENT_HOST_FILL)) return;
    event_host e = running_event(c, EVENT_HOST_FILL);
    e.address = f->dst.address;
    e.bytes = f->width * f->element_bytes;
    e.rows = f->height;
    e.pitch = f->dst.pitch;
    e.value = f->value;
    for (uint64_t z = 0; z < f->depth; z++) {
        deliver(c, &e);
        e.address += f->dst.pitch * f->dst.rows;
    }
}

static void emit_function(host_context *c)
{
    if (!host_wants(c, EVENT_HOST_FUNCTION)) return;
    event_host e = running_event(c, EVENT_HOST_FUNCTION);
    deliver(c, &e);
}

static void emit_value(host_context *c, const host_op *op)
{
    event_kind kind = op->u.value.wait ? EVENT_VALUE_WAIT : EVENT_VALUE_WRITE;
    if (!host_wants(c, kind)) return;
    event_host e = running_event(c, kind);
    e.address = op->u.value.address;
    e.bytes = op->u.value.bytes;
    e.value = op->u.value.value;
    deliver(c, &e);
}

void host_emit_operation(host_context *c, const host_op *op)
{
    switch (op->kind) {
    case HOST_OP_COPY: emit_copy(c, &op->u.copy.copy); break;
    case HOST_OP_FILL: emit_fill(c, &op->u.fill); break;
    case HOST_OP_CALLBACK:
    case HOST_OP_FUNCTION: emit_function(c); break;
    case HOST_OP_VALUE: emit_value(c, op); break;
    default: break; /* launches, frees and records have emitters of their own */
    }
}

void host_emit_alloc(host_context *c, uint64_t address, uint64_t bytes)
{
    if (!host_wants(c, EVENT_ALLOC)) return;
    event_host e = stream_event(EVENT_ALLOC, 0, NULL);
    e.address = address;
    e.bytes = bytes;
    deliver(c, &e);
}

void host_emit_free(host_context *c, uint64_t address)
{
    if (!host_wants(c, EVENT_FREE)) return;
    event_host e = stream_event(EVENT_FREE, 0, NULL);
    if (host_engine_on_thread(c)) e = running_event(c, EVENT_FREE);
    e.address = address;
    deliver(c, &e);
}

void host_emit_record(host_context *c, const host_event *event, const host_stream *stream)
{
    if (!host_wants(c, EVENT_RECORD)) return;
    event_host e = stream_event(EVENT_RECORD, event->serial, stream);
    e.other = (uint64_t)(uintptr_t)event;
    deliver(c, &e);
}

void host_emit_stream_wait(host_context *c, const host_stream *stream, const host_event *event)
{
    if (!host_wants(c, EVENT_STREAM_WAIT)) return;
    event_host e = stream_event(EVENT_STREAM_WAIT, event->serial, stream);
    e.other = (uint64_t)(uintptr_t)event;
    deliver(c, &e);
}

void host_emit_wait(host_context *c, uint64_t number, const host_stream *stream, bool all)
{
    if (!host_wants(c, EVENT_HOST_WAIT)) return;
    event_host e = stream_event(EVENT_HOST_WAIT, number, stream);
    e.all = all;
    deliver(c, &e);
}
