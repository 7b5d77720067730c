/* Streams and events. A stream is a name for a place in the one FIFO: it knows the serial of its last operation. An
 * event knows the serial of its last record, and the time at which the engine passed it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/capture_priv.h"
#include "host/device.h"
#include "host/devices.h"
#include "host/guard_priv.h"
#include "host/handle_priv.h"
#include "host/ipc_priv.h"
#include "host/queue_priv.h"
#include "host/services_priv.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/submit_priv.h"
#include "host/thread.h"
#include "host/timeline_priv.h"
#include "host/unwaited_priv.h"

host_streams *host_streams_make(host_context *c)
{
    host_streams *all = lw_alloc(sizeof *all);
    all->last_id = HOST_RESERVED_STREAMS;
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++)
        all->legacy[d] =
            (host_stream){.context = c, .device = d, .id = d ? HOST_LEGACY_STREAMS + d : 1, .is_default = true};
    return all;
}

static void stream_free(host_stream *s)
{
    host_context *c = s->context;
    host_lock(c);
    if (s->capture) {
        if (s->capture->origin == s) host_capture_drop(s->capture, true);
        else host_capture_leave(s);
    }
    for (size_t i = 0; i < c->streams->all.count; i++) {
        if (c->streams->all.items[i] != s) continue;
        c->streams->all.items[i] = c->streams->all.items[--c->streams->all.count];
        break;
    }
    host_unlock(c);
    lw_vec_free(&s->front);
    free(s);
}

/* A thread's own stream, when the thread ends. */
static void free_default(host_stream *s)
{
    host_queue_wait(s->context, s->last);
    stream_free(s);
}

static host_stream *thread_stream(host_context *c)
{
    host_thread *t = host_thread_get(c);
    if (!t->default_stream[t->device]) {
        host_stream *s = lw_alloc(sizeof *s);
        host_lock(c);
        *s = (host_stream){.context = c, .device = t->device, .id = ++c->streams->last_id, .is_default = true};
        lw_vec_push(&c->streams->all, s);
        host_unlock(c);
        t->default_stream[t->device] = s;
        t->free_stream = free_default;
    }
    return t->default_stream[t->device];
}

host_stream *host_stream_resolve(host_context *c, void *handle, bool per_thread)
{
    uintptr_t number = (uintptr_t)handle;
    if (number == 2 || (number == 0 && per_thread)) return thread_stream(c);
    if (number < 2) return &c->streams->legacy[host_device_current(c)];
    return host_handle_is(c, handle, HOST_T_STREAM) ? handle : NULL;
}

host_error host_stream_create(host_context *c, uint32_t flags, int priority, host_stream **out)
{
    if (!out || flags > HOST_STREAM_NON_BLOCKING) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (error) return error;
    host_stream *s = lw_alloc(sizeof *s);
    uint32_t device = host_device_current(c);
    priority = LW_MIN(0, LW_MAX(priority, -5)); /* the range of cc 6.0 and later cards; others are clamped */
    host_lock(c);
    *s = (host_stream){.context = c, .flags = flags, .priority = priority, .id = ++c->streams->last_id};
    s->device = device;
    lw_vec_push(&c->streams->all, s);
    host_unlock(c);
    host_handle_add(c, s, HOST_T_STREAM);
    *out = s;
    return 0;
}

host_error host_stream_destroy(host_context *c, host_stream *s)
{
    if (!host_handle_is(c, s, HOST_T_STREAM)) return HOST_INVALID_RESOURCE_HANDLE;
    host_handle_remove(c, s);
    /* Queued operations keep a pointer only for their serial; let them finish so that it stays valid. */
    if (!s->capture) host_queue_wait(s->context, s->last);
    stream_free(s);
    return 0;
}

void host_streams_free(host_context *c)
{
    while (c->streams->captures.count) host_capture_drop(c->streams->captures.items[0], true);
    for (size_t i = c->streams->all.count; i-- > 0;) {
        host_stream *s = c->streams->all.items[i];
        if (s->is_default) continue; /* the threads own them */
        host_handle_remove(c, s);
        stream_free(s);
    }
    for (size_t i = 0; i < c->streams->events.count; i++) {
        host_handle_remove(c, c->streams->events.items[i]);
        lw_vec_free(&c->streams->events.items[i]->front);
        free(c->streams->events.items[i]);
    }
    c->streams->events.count = 0;
}

void host_streams_free_device(host_context *c, uint32_t device)
{
    for (size_t i = c->streams->all.count; i-- > 0;) {
        host_stream *s = c->streams->all.items[i];
        if (s->is_default || s->device != device) continue;
        host_handle_remove(c, s);
        stream_free(s);
    }
    for (size_t i = c->streams->events.count; i-- > 0;)
        if (c->streams->events.items[i]->device == device) host_event_destroy(c, c->streams->events.items[i]);
}

/* Waiting for a stream that captures is not allowed and spoils the capture. */
static host_error forbid_wait(host_stream *s)
{
    if (!s->capture) return 0;
    host_capture_invalidate(s->capture);
    return HOST_STREAM_CAPTURE_UNSUPPORTED;
}

static void emit_wait_of(const host_stream *s)
{
    host_place at = host_place_of(s, s->last);
    host_guard_wait(s->context, &at, false);
}

host_error host_stream_synchronize(host_stream *s)
{
    host_context *c = s->context;
    host_error error = forbid_wait(s);
    if (!error) error = host_capture_check_legacy(s);
    if (error) return error;
    /* The default stream waits for every blocking stream: in one FIFO, for everything issued so far. */
    if (s->is_default) host_queue_drain(c);
    else host_queue_wait(c, s->last);
    emit_wait_of(s);
    host_submit_goes_on(s, 0);
    host_print_flush(c);
    return host_status_of(c, s->device);
}

host_error host_stream_query(host_stream *s)
{
    host_error error = forbid_wait(s);
    if (!error) error = host_capture_check_legacy(s);
    if (!error) error = host_status_of(s->context, s->device);
    if (error) return error;
    bool done = s->is_default ? host_queue_idle(s->context) : host_queue_done(s->context, s->last);
    if (done && host_unwaited_asks(s->context, s->is_default ? host_queue_issued(s->context) : s->last)) done = false;
    if (done) emit_wait_of(s);
    return done ? 0 : HOST_NOT_READY;
}

uint32_t host_stream_flags(const host_stream *s) { return s->flags; }

int host_stream_priority(const host_stream *s) { return s->priority; }

uint64_t host_stream_id(const host_stream *s) { return s->id; }

int host_stream_device(const host_stream *s) { return (int)s->device; }

/* As an H200 does: it refuses 160 MiB, not 128, takes any other `hit` and `miss`, and does not look at the address. */
host_error host_access_window_check(host_context *c, uint32_t device, const host_access_window *w)
{
    int most = 0;
    host_device_attribute(c, device, HOST_DEVICE_MAX_ACCESS_POLICY_WINDOW_SIZE, &most);
    bool allowed = w->bytes <= (uint64_t)most && w->hit_ratio >= 0 && w->hit_ratio <= 1;
    return allowed && w->miss != HOST_ACCESS_PERSISTING ? 0 : HOST_INVALID_VALUE;
}

host_error host_stream_set_window(host_stream *s, const host_access_window *window)
{
    host_error error = host_access_window_check(s->context, s->device, window);
    if (error) return error;
    host_lock(s->context);
    s->window = *window;
    host_unlock(s->context);
    return 0;
}

host_access_window host_stream_window(const host_stream *s)
{
    host_lock(s->context);
    host_access_window window = s->window;
    host_unlock(s->context);
    return window;
}

host_error host_synchronize(host_context *c)
{
    host_error error = host_capture_forbid(c);
    if (error) return error;
    host_queue_synchronize(c);
    host_print_flush(c);
    return host_status(c);
}

host_error host_function_put(host_stream *s, void (*function)(void *user), void *user)
{
    if (!function) return HOST_INVALID_VALUE;
    host_op op = {.kind = HOST_OP_FUNCTION};
    op.u.function.function = function;
    op.u.function.user = user;
    return host_submit(s, &op, false);
}

host_error host_callback_put(host_stream *s, void (*function)(void *stream, int error, void *user), void *handle,
                             void *user)
{
    if (!function) return HOST_INVALID_VALUE;
    if (s->capture) return forbid_wait(s);
    host_op op = {.kind = HOST_OP_CALLBACK};
    op.u.function.callback = function;
    op.u.function.handle = handle;
    op.u.function.user = user;
    return host_submit(s, &op, false);
}

host_error host_value_put(host_stream *s, uint64_t address, uint64_t value, uint32_t bytes, bool wait, uint32_t flags)
{
    mem_allocation a;
    if (address % bytes || !mem_find(s->context->memory, address, &a)) return HOST_INVALID_VALUE;
    host_op op = {.kind = HOST_OP_VALUE};
    op.u.value.address = address;
    op.u.value.value = value;
    op.u.value.bytes = bytes;
    op.u.value.wait = wait;
    op.u.value.flags = flags;
    return host_submit(s, &op, false);
}

/* ---- events ---- */
#define EVENT_FLAGS ((uint32_t)(HOST_EVENT_BLOCKING_SYNC | HOST_EVENT_NO_TIMING | HOST_EVENT_INTERPROCESS))

host_error host_event_create(host_context *c, uint32_t flags, host_event **out)
{
    if (!out || (flags & ~EVENT_FLAGS)) return HOST_INVALID_VALUE;
    if ((flags & HOST_EVENT_INTERPROCESS) && !(flags & HOST_EVENT_NO_TIMING))
        return HOST_INVALID_VALUE; /* interprocess events have no timing */
    host_error error = host_status(c);
    if (error) return error;
    host_event *e = lw_alloc(sizeof *e);
    *e = (host_event){.context = c, .flags = flags, .device = host_device_current(c)};
    if (flags & HOST_EVENT_INTERPROCESS) e->shared = host_ipc_slot_make(c);
    host_lock(c);
    lw_vec_push(&c->streams->events, e);
    host_unlock(c);
    host_handle_add(c, e, HOST_T_EVENT);
    *out = e;
    return 0;
}

bool host_event_valid(host_context *c, const host_event *e) { return host_handle_is(c, e, HOST_T_EVENT); }

host_error host_event_destroy(host_context *c, host_event *e)
{
    if (!host_event_valid(c, e)) return HOST_INVALID_RESOURCE_HANDLE;
    host_handle_remove(c, e);
    host_queue_wait(c, e->serial);
    host_lock(c);
    for (size_t i = 0; i < c->streams->events.count; i++) {
        if (c->streams->events.items[i] != e) continue;
        c->streams->events.items[i] = c->streams->events.items[--c->streams->events.count];
        break;
    }
    host_unlock(c);
    lw_vec_free(&e->front);
    free(e);
    return 0;
}

/* ---- events that processes share: their records are functions in streams ---- */
typedef struct shared_record {
    host_context *context;
    host_ipc_slot *slot;
    uint64_t number;
} shared_record;

static void complete_record(void *user)
{
    shared_record *r = user;
    host_ipc_complete(r->slot, r->number);
    free(r);
}

static void wait_until_done(host_context *c, const host_ipc_slot *slot, uint64_t number)
{
    const useconds_t pause = 50;
    while (!host_ipc_done(slot, number) && !atomic_load(host_queue_interrupt_flag(c)) && !host_is_sticky(c, 0))
        usleep(pause);
}

static void wait_for_record(void *user)
{
    shared_record *r = user;
    wait_until_done(r->context, r->slot, r->number);
    free(r);
}

static host_error put_shared(host_stream *s, host_ipc_slot *slot, uint64_t number, void (*function)(void *user))
{
    shared_record *r = lw_alloc(sizeof *r);
    *r = (shared_record){s->context, slot, number};
    host_op op = {.kind = HOST_OP_FUNCTION};
    op.u.function.function = function;
    op.u.function.user = r;
    return host_submit(s, &op, false);
}

static host_error record_shared(host_event *e, host_stream *s)
{
    uint64_t number = __atomic_add_fetch(&e->shared->recorded, 1, __ATOMIC_ACQ_REL);
    host_error error = put_shared(s, e->shared, number, complete_record);
    e->serial = s->last;
    e->recorded = true;
    return error;
}

static host_error wait_shared(host_stream *s, host_event *e)
{
    uint64_t number = host_ipc_recorded(e->shared);
    return host_ipc_done(e->shared, number) ? 0 : put_shared(s, e->shared, number, wait_for_record);
}

host_error host_event_record(host_event *e, host_stream *s, uint32_t flags)
{
    host_context *c = s->context;
    if (!host_event_valid(c, e)) return HOST_INVALID_RESOURCE_HANDLE;
    if (flags > HOST_EVENT_EXTERNAL) return HOST_INVALID_VALUE;
    if (e->device != s->device) return host_refuse_other_device("event", e->device, s->device);
    host_error error = host_status_of(c, s->device);
    if (!error) error = host_capture_check_legacy(s);
    if (error) return error;
    if (s->capture) return host_capture_record(e, s, flags);
    if (e->shared) return record_shared(e, s);
    host_lock(c);
    e->capture = NULL;
    host_unlock(c);
    /* The timeline knows operations alone. Where the queue is idle it takes the number of the last operation of all, which says too much to who orders them. */
    if (!c->timeline && !host_wants(c, EVENT_HOST_TOUCH) && host_queue_record_now(c, e)) {
        host_place at = host_place_of(s, e->serial);
        host_emit_record(c, e, &at);
        return 0;
    }
    host_op op = {.kind = HOST_OP_EVENT_RECORD};
    op.u.event.event = e;
    host_queue_put(c, s, &op);
    return 0;
}

static host_error check_captured(host_event *e)
{
    if (!e->capture) return 0;
    host_capture_invalidate(e->capture);
    return HOST_CAPTURED_EVENT;
}

host_error host_event_synchronize(host_context *c, host_event *e)
{
    if (!host_event_valid(c, e)) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = check_captured(e);
    if (error) return error;
    host_queue_wait(c, e->serial);
    if (e->shared) wait_until_done(c, e->shared, host_ipc_recorded(e->shared));
    host_guard_wait(c, &(host_place){.number = e->serial}, false);
    host_guard_arm(c, host_queue_idle);
    host_print_flush(c);
    return host_status_of(c, e->device);
}

host_error host_event_query(host_context *c, host_event *e)
{
    if (!host_event_valid(c, e)) return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = check_captured(e);
    if (!error) error = host_status_of(c, e->device);
    if (error) return error;
    bool done = host_queue_done(c, e->serial);
    if (e->shared) done = done && host_ipc_done(e->shared, host_ipc_recorded(e->shared));
    if (done && host_unwaited_asks(c, e->serial)) done = false;
    if (done) host_guard_wait(c, &(host_place){.number = e->serial}, false);
    return done ? 0 : HOST_NOT_READY;
}

host_error host_event_elapsed(host_context *c, host_event *a, host_event *b, float *out)
{
    if (!out) return HOST_INVALID_VALUE;
    if (!host_event_valid(c, a) || !host_event_valid(c, b)) return HOST_INVALID_RESOURCE_HANDLE;
    if (a->device != b->device) return HOST_INVALID_RESOURCE_HANDLE;
    if (((a->flags | b->flags) & HOST_EVENT_NO_TIMING) || !a->recorded || !b->recorded)
        return HOST_INVALID_RESOURCE_HANDLE;
    host_error error = host_status(c);
    if (error) return error;
    host_unwaited_time(c, LW_MAX(a->serial, b->serial));
    if (!host_queue_done(c, a->serial) || !host_queue_done(c, b->serial)) return HOST_NOT_READY;
    host_guard_wait(c, &(host_place){.number = b->serial}, false); /* it knows that they are done */
    double seconds = c->timeline ? host_timeline_elapsed(c, a->serial, b->serial) : host_queue_elapsed(c, a, b);
    *out = (float)(seconds * 1e3);
    return 0;
}

host_error host_stream_wait_event(host_stream *s, host_event *e, uint32_t flags)
{
    if (!host_event_valid(s->context, e)) return HOST_INVALID_RESOURCE_HANDLE;
    if (flags > HOST_EVENT_EXTERNAL) return HOST_INVALID_VALUE;
    host_error error = host_status_of(s->context, s->device);
    if (error) return error;
    if (s->capture || e->capture) return host_capture_wait(s, e, flags);
    error = host_capture_check_legacy(s);
    if (error) return error;
    if (e->shared) return wait_shared(s, e);
    /* The record stands before it in the queue already; who waits for the stream waits for it too. */
    host_queue_join(s->context, s, e);
    host_place at = host_place_of(s, e->serial);
    host_emit_stream_wait(s->context, e, &at);
    return 0;
}
