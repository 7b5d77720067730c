/* emit.c: builds the events of the host and hands them to who wants them: one function per kind. Each asks first whether
 * anybody does. What runs on the engine's thread says at which place; the rest, on the thread that acts. */
#include "host/emit_priv.h"
#include "host/state_priv.h"

static void deliver(host_context *c, const event_host *e)
{
    host_clients *all = c->clients;
    pthread_mutex_lock(&all->lock);
    all->built[e->kind]++;
    for (uint32_t k = 0; k < all->count; k++) {
        const host_client *l = &all->list[k];
        if (l->client->host && (l->client->kinds >> e->kind & 1)) l->client->host(l->session, e);
    }
    pthread_mutex_unlock(&all->lock);
}

/* An event of the operation at a place; NULL: of none. */
static event_host event_at(event_kind kind, const host_place *at)
{
    event_host e = {.kind = (uint8_t)kind};
    if (!at) return e;
    e.number = at->number;
    e.stream = at->stream;
    e.is_default = at->is_default;
    e.blocking = at->blocking;
    e.graph = at->graph;
    e.origin = at->origin;
    return e;
}

void host_emit_submit(host_context *c, const host_place *at, const uint64_t *after, uint32_t after_count)
{
    if (!host_wants(c, EVENT_SUBMIT)) return;
    event_host e = event_at(EVENT_SUBMIT, at);
    e.after = after;
    e.after_count = after_count;
    deliver(c, &e);
}

void host_emit_launch(host_context *c, event_kind kind, const event_launch *launch, const host_place *at)
{
    if (!host_wants(c, kind)) return;
    event_host e = event_at(kind, at);
    e.launch = launch;
    deliver(c, &e);
}

static void emit_copy(host_context *c, const host_copy *k, const host_place *at)
{
    if (!host_wants(c, EVENT_HOST_COPY)) return;
    event_host e = event_at(EVENT_HOST_COPY, at);
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

static void emit_fill(host_context *c, const host_fill *f, const host_place *at)
{
    if (!host_wants(c, EVENT_HOST_FILL)) return;
    event_host e = event_at(EVENT_HOST_FILL, at);
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

static void emit_function(host_context *c, const host_place *at)
{
    if (!host_wants(c, EVENT_HOST_FUNCTION)) return;
    event_host e = event_at(EVENT_HOST_FUNCTION, at);
    deliver(c, &e);
}

static void emit_value(host_context *c, const host_op *op, const host_place *at)
{
    event_kind kind = op->u.value.wait ? EVENT_VALUE_WAIT : EVENT_VALUE_WRITE;
    if (!host_wants(c, kind)) return;
    event_host e = event_at(kind, at);
    e.address = op->u.value.address;
    e.bytes = op->u.value.bytes;
    e.value = op->u.value.value;
    deliver(c, &e);
}

void host_emit_operation(host_context *c, const host_op *op, const host_place *at)
{
    switch (op->kind) {
    case HOST_OP_COPY: emit_copy(c, &op->u.copy.copy, at); break;
    case HOST_OP_FILL: emit_fill(c, &op->u.fill, at); break;
    case HOST_OP_CALLBACK:
    case HOST_OP_FUNCTION: emit_function(c, at); break;
    case HOST_OP_VALUE: emit_value(c, op, at); break;
    default: break; /* launches, frees and records have emitters of their own */
    }
}

void host_emit_access(host_context *c, const host_place *at, const char *call, uint64_t address, uint64_t bytes,
                      uint64_t rows, uint64_t pitch, bool writes)
{
    if (!host_wants(c, EVENT_HOST_ACCESS)) return;
    event_host e = event_at(EVENT_HOST_ACCESS, at);
    e.call = call;
    e.address = address;
    e.bytes = bytes;
    e.rows = rows;
    e.pitch = pitch;
    e.writes = writes;
    deliver(c, &e);
}

void host_emit_alloc(host_context *c, uint64_t address, uint64_t bytes, bool initialised, const host_place *at)
{
    if (!host_wants(c, EVENT_ALLOC)) return;
    event_host e = event_at(EVENT_ALLOC, at);
    e.address = address;
    e.bytes = bytes;
    e.initialised = initialised;
    mem_allocation a;
    if (mem_find(c->memory, address, &a)) e.shared = a.kind == MEM_MANAGED || a.kind == MEM_PINNED;
    deliver(c, &e);
}

void host_emit_free(host_context *c, uint64_t address, const host_place *at)
{
    if (!host_wants(c, EVENT_FREE)) return;
    event_host e = event_at(EVENT_FREE, at);
    mem_allocation a;
    e.address = address;
    if (mem_find(c->memory, address, &a)) e.bytes = a.bytes;
    deliver(c, &e);
}

void host_emit_register(host_context *c, uint64_t address, uint64_t bytes)
{
    if (!host_wants(c, EVENT_REGISTER)) return;
    event_host e = event_at(EVENT_REGISTER, NULL);
    e.address = address;
    e.bytes = bytes;
    deliver(c, &e);
}

void host_emit_unregister(host_context *c, uint64_t address)
{
    if (!host_wants(c, EVENT_UNREGISTER)) return;
    event_host e = event_at(EVENT_UNREGISTER, NULL);
    e.address = address;
    deliver(c, &e);
}

static event_host launch_event(event_kind kind, const event_launch *launch)
{
    event_host e = event_at(kind, NULL);
    if (!launch) return e;
    e.launch = launch;
    e.number = launch->operation;
    e.stream = launch->stream;
    return e;
}

void host_emit_heap_alloc(host_context *c, uint64_t address, uint64_t bytes, const event_launch *launch)
{
    if (!host_wants(c, EVENT_HEAP_ALLOC)) return;
    event_host e = launch_event(EVENT_HEAP_ALLOC, launch);
    e.address = address;
    e.bytes = bytes;
    deliver(c, &e);
}

void host_emit_heap_free(host_context *c, uint64_t address, const event_launch *launch)
{
    if (!host_wants(c, EVENT_HEAP_FREE)) return;
    event_host e = launch_event(EVENT_HEAP_FREE, launch);
    e.address = address;
    deliver(c, &e);
}

void host_emit_record(host_context *c, const host_event *event, const host_place *at)
{
    if (!host_wants(c, EVENT_RECORD)) return;
    event_host e = event_at(EVENT_RECORD, at);
    e.other = (uint64_t)(uintptr_t)event;
    deliver(c, &e);
}

void host_emit_stream_wait(host_context *c, const host_event *event, const host_place *at)
{
    if (!host_wants(c, EVENT_STREAM_WAIT)) return;
    event_host e = event_at(EVENT_STREAM_WAIT, at);
    e.other = (uint64_t)(uintptr_t)event;
    deliver(c, &e);
}

void host_emit_graph_wait(host_context *c, const host_event *event, uint64_t behind, const host_place *at)
{
    if (!host_wants(c, EVENT_GRAPH_WAIT)) return;
    event_host e = event_at(EVENT_GRAPH_WAIT, at);
    e.other = (uint64_t)(uintptr_t)event;
    e.behind = behind;
    deliver(c, &e);
}

void host_emit_wait(host_context *c, const host_place *at, bool all)
{
    if (!host_wants(c, EVENT_HOST_WAIT)) return;
    event_host e = event_at(EVENT_HOST_WAIT, at);
    e.all = all;
    deliver(c, &e);
}

void host_emit_on(host_context *c)
{
    if (!host_wants(c, EVENT_HOST_ON)) return;
    event_host e = event_at(EVENT_HOST_ON, NULL);
    deliver(c, &e);
}

void host_emit_touch(host_context *c, uint64_t address, bool writes, uint64_t pc, const char *file, uint32_t line)
{
    if (!host_wants(c, EVENT_HOST_TOUCH)) return;
    event_host e = event_at(EVENT_HOST_TOUCH, NULL);
    e.address = address;
    e.bytes = 1;
    e.writes = writes;
    e.value = pc;
    e.file = file;
    e.line = line;
    deliver(c, &e);
}
