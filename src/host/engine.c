/* The engine: one thread that drains one FIFO of the operations of all streams. The order in which a program issues
 * work is a valid order for every stream and event relation CUDA has (an event can only be waited for after it was
 * recorded), so nothing ever waits inside the queue. Calls block when HOST_QUEUE_DEPTH operations are in flight.
 * The thread is made with the first operation and once more in a child of fork(). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host_priv.h"
#include "host/invariants.h"

void host_engine_init(host_engine *e)
{
    memset(e, 0, sizeof *e);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->work, NULL);
    pthread_cond_init(&e->done, NULL);
}

double host_event_now(host_context *c)
{
    const double step = 1e-6; /* events are never closer than one microsecond: elapsed times stay above zero */
    double now = lw_now();
    c->engine.last_time = LW_MAX(now, c->engine.last_time + step);
    return c->engine.last_time;
}

static void record_event(host_context *c, const host_queued *q)
{
    host_event *event = q->op.u.event.event;
    pthread_mutex_lock(&c->engine.lock);
    if (event->serial == q->serial) event->time = host_event_now(c);
    pthread_mutex_unlock(&c->engine.lock);
}

static void wait_for_value(host_context *c, const host_op *op)
{
    enum { WAIT_MASK = 3 }; /* the other bits ask for a flush */
    /* The writer is the program: another thread or mapped memory. */
    for (unsigned spin = 0; !atomic_load(&c->engine.interrupt) && !atomic_load(&c->sticky); spin++) {
        bool wide = op->u.value.bytes == 8;
        uint64_t want = op->u.value.value;
        uint64_t have = wide ? *(const volatile uint64_t *)(uintptr_t)op->u.value.address
                             : *(const volatile uint32_t *)(uintptr_t)op->u.value.address;
        bool hit = false;
        switch (op->u.value.flags & WAIT_MASK) {
        case HOST_WAIT_GEQ: hit = wide ? (int64_t)(have - want) >= 0 : (int32_t)(uint32_t)(have - want) >= 0; break;
        case HOST_WAIT_EQ: hit = have == want; break;
        case HOST_WAIT_AND: hit = (have & want) != 0; break;
        case HOST_WAIT_NOR: hit = (wide ? ~(have | want) : (uint32_t)~(have | want)) != 0; break;
        }
        if (hit) return;
        usleep(spin < 100 ? 10 : 1000);
    }
}

static void write_value(const host_op *op)
{
    if (op->u.value.bytes == 8) *(volatile uint64_t *)(uintptr_t)op->u.value.address = op->u.value.value;
    else *(volatile uint32_t *)(uintptr_t)op->u.value.address = (uint32_t)op->u.value.value;
}

void host_run_op(host_context *c, const host_op *op)
{
    int sticky = atomic_load(&c->sticky);
    if (op->kind == HOST_OP_CALLBACK) {
        host_emit_operation(c, op);
        op->u.function.callback(op->u.function.handle, sticky, op->u.function.user);
        return;
    }
    if (sticky) return;
    if (op->kind != HOST_OP_VALUE) host_emit_operation(c, op);
    switch (op->kind) {
    case HOST_OP_KERNEL: host_launch_run(c, op); break;
    case HOST_OP_COPY: host_copy_run(&op->u.copy.copy); break;
    case HOST_OP_FILL: host_fill_run(&op->u.fill); break;
    case HOST_OP_FUNCTION: op->u.function.function(op->u.function.user); break;
    case HOST_OP_MEMORY_FREE: host_release_async(c, op->u.memory.address); break;
    case HOST_OP_VALUE:
        if (op->u.value.wait) wait_for_value(c, op);
        else write_value(op);
        host_emit_operation(c, op);
        break;
    default: break;
    }
}

static void *engine_main(void *pointer)
{
    host_context *c = pointer;
    host_engine *e = &c->engine;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        while (!e->head) pthread_cond_wait(&e->work, &e->lock);
        host_queued *q = e->head;
        e->running = q;
        pthread_mutex_unlock(&e->lock);
        if (q->op.kind == HOST_OP_EVENT_RECORD) record_event(c, q);
        else host_run_op(c, &q->op);
        bool interrupted = atomic_load(&c->engine.interrupt);
        pthread_mutex_lock(&e->lock);
        e->running = NULL;
        e->head = q->next;
        if (!e->head) e->tail = NULL;
        host_check_serial(e->completed, q->serial);
        e->completed = q->serial;
        pthread_cond_broadcast(&e->done);
        host_op_free(c, &q->op);
        free(q);
        if (interrupted) {
            atomic_store(&c->engine.interrupt, 0);
            kill(getpid(), SIGINT); /* the handler has removed itself: the program ends as it would have */
        }
    }
    return NULL;
}

/* Lock held. The program's signals are not the engine's business. */
static void engine_start(host_context *c)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&c->engine.thread, NULL, engine_main, c)) lw_out_of_memory(1);
    pthread_detach(c->engine.thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    c->engine.started = true;
}

bool host_engine_on_thread(host_context *c)
{
    return c->engine.started && pthread_equal(pthread_self(), c->engine.thread);
}

static host_place place_of(const host_stream *s, uint64_t graph)
{
    if (!s) return (host_place){.graph = graph};
    return (host_place){.stream = s->id, .graph = graph, .is_default = s->is_default, .blocking = !(s->flags & 1)};
}

uint64_t host_engine_put(host_context *c, host_stream *stream, const host_op *op)
{
    return host_engine_put_node(c, stream, op, 0, NULL, 0);
}

uint64_t host_engine_put_node(host_context *c, host_stream *stream, const host_op *op, uint64_t graph,
                              const uint64_t *after, uint32_t after_count)
{
    host_engine *e = &c->engine;
    host_queued *q = lw_alloc(sizeof *q);
    q->op = *op;
    q->place = place_of(stream, graph);
    pthread_mutex_lock(&e->lock);
    if (!e->started) engine_start(c);
    while (e->issued - e->completed >= HOST_QUEUE_DEPTH && !host_engine_on_thread(c))
        pthread_cond_wait(&e->done, &e->lock);
    uint64_t serial = q->serial = ++e->issued;
    if (stream) stream->last = serial;
    if (op->kind == HOST_OP_EVENT_RECORD) {
        op->u.event.event->serial = serial;
        op->u.event.event->recorded = true;
        host_emit_record(c, op->u.event.event, stream);
    }
    host_emit_submit(c, q, stream, after, after_count); /* before it can run */
    if (e->tail) e->tail->next = q;
    else e->head = q;
    e->tail = q;
    pthread_cond_signal(&e->work);
    pthread_mutex_unlock(&e->lock);
    return serial;
}

void host_engine_wait(host_context *c, uint64_t serial)
{
    host_engine *e = &c->engine;
    if (host_engine_on_thread(c)) return;
    pthread_mutex_lock(&e->lock);
    while (e->completed < serial) pthread_cond_wait(&e->done, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

void host_engine_drain(host_context *c)
{
    pthread_mutex_lock(&c->engine.lock);
    uint64_t serial = c->engine.issued;
    pthread_mutex_unlock(&c->engine.lock);
    host_engine_wait(c, serial);
}

bool host_engine_done(host_context *c, uint64_t serial)
{
    pthread_mutex_lock(&c->engine.lock);
    bool done = c->engine.completed >= serial;
    pthread_mutex_unlock(&c->engine.lock);
    return done;
}

bool host_engine_idle(host_context *c)
{
    pthread_mutex_lock(&c->engine.lock);
    bool idle = c->engine.completed == c->engine.issued;
    pthread_mutex_unlock(&c->engine.lock);
    return idle;
}

host_error host_submit(host_stream *stream, const host_op *op, bool wait)
{
    host_context *c = stream->context;
    host_op mine = *op;
    host_error error = host_status(c);
    if (!error) error = host_capture_check_legacy(stream);
    if (error) {
        host_op_free(c, &mine);
        return error;
    }
    if (stream->capture) return host_capture_add(stream, op);
    bool small = op->kind == HOST_OP_COPY || op->kind == HOST_OP_FILL;
    if (wait && small && !c->clients.host_kinds && host_engine_idle(c)) {
        host_run_op(c, op); /* nothing is before it: no need to wake the engine */
        host_op_free(c, &mine);
    } else {
        uint64_t serial = host_engine_put(c, stream, op);
        if (wait) {
            host_engine_wait(c, serial);
            host_emit_wait(c, serial, stream, false);
        }
    }
    if (!wait) return 0;
    host_print_flush(c);
    return host_status(c);
}
