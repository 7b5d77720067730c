/* The queue: one FIFO of the operations of all streams, drained by one thread, the engine. The order in which a program
 * issues work is a valid order for every stream and event relation CUDA has (an event can only be waited for after it
 * was recorded), so nothing ever waits inside the queue. Calls block when HOST_QUEUE_DEPTH operations are in flight.
 * What an operation does is not known here: host_queue.run carries it out (run.c). The thread is made with the first
 * operation and once more in a child of fork(). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/guard_priv.h"
#include "host/invariants.h"
#include "host/origin_priv.h"
#include "host/queue_priv.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/unwaited_priv.h"

enum { REST_NANOSECONDS = 50000000, RESTS_MOST = 64, ENDING_SECONDS = 2 };
#define SECONDS_OF_ONE_REQUEST 1.0 /* signals to end that come within this time are one */

typedef struct queued {
    struct queued *next;
    host_op op;
    host_place place;
} queued;

struct host_queue {
    host_run_fn *run;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t thread; /* the engine; valid with started */
    bool started;
    queued *head, *tail;
    const queued *running;              /* the engine's thread only */
    _Atomic uint64_t issued, completed; /* numbers: 1, 2, 3 ...; written under the lock, read by a signal handler */
    atomic_int interrupt;               /* the signal by which the operation that runs is to end; 0: none */
    _Atomic double interrupted_at;      /* when it came: lw_now(); lock-free, as a signal handler needs */
    double last_time;                   /* event clock: strictly increasing */
    double skipped;                     /* host_queue_skip() */
    bool rests;                         /* the engine stands before a function of the program (rest()) */
    uint32_t rest_count, waiting;       /* rests ever; threads that wait for operations */
};

static void init_queue(host_queue *q, host_run_fn *run)
{
    memset(q, 0, sizeof *q);
    q->run = run;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->work, NULL);
    pthread_cond_init(&q->done, NULL);
}

host_queue *host_queue_make(host_run_fn *run)
{
    host_queue *q = lw_alloc(sizeof *q);
    init_queue(q, run);
    return q;
}

void host_queue_forked(host_queue *q) { init_queue(q, q->run); }

/* Lock held. */
static double event_clock(host_queue *q)
{
    const double step = 1e-6; /* events are never closer than one microsecond: elapsed times stay above zero */
    double now = lw_now() + q->skipped;
    q->last_time = LW_MAX(now, q->last_time + step);
    return q->last_time;
}

void host_queue_skip(host_context *c, double seconds)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    q->skipped += seconds;
    pthread_mutex_unlock(&q->lock);
}

static void record_event(host_queue *q, const queued *item)
{
    host_event *event = item->op.u.event.event;
    pthread_mutex_lock(&q->lock);
    if (event->serial == item->place.number) event->time = event_clock(q);
    pthread_mutex_unlock(&q->lock);
}

static bool is_function(const host_op *op) { return op->kind == HOST_OP_FUNCTION || op->kind == HOST_OP_CALLBACK; }

/* Lock held. The engine goes on; who may have seen it rest sees that it does not any more. */
static void end_rest(host_queue *q)
{
    if (q->rests) pthread_cond_signal(&q->work);
    q->rests = false;
}

/* Lock held; let go meanwhile. What a function tells the host is not known, so that from then on nothing that came before it
 * is guarded (guard.c). A device is not that fast: until the host waits or submits something, and for so long at most, it
 * does not run, and what the host accesses until then it accesses too early, whatever it is told later. */
static void rest(host_context *c, host_queue *q)
{
    if (!host_guard_wanted(c) || q->waiting || q->rest_count == RESTS_MOST) return;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += REST_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int error = 0;
    q->rests = true;
    q->rest_count++;
    pthread_cond_broadcast(&q->done);
    while (q->rests && !error) error = pthread_cond_timedwait(&q->work, &q->lock, &until);
    q->rests = false;
}

/* Lock held; let go while the operation runs. */
static void run_head(host_context *c, host_queue *q)
{
    queued *item = q->head;
    if (is_function(&item->op)) rest(c, q);
    q->running = item;
    pthread_mutex_unlock(&q->lock);
    if (item->op.kind == HOST_OP_EVENT_RECORD) {
        record_event(q, item);
    } else {
        host_guard_lift(c);
        if (is_function(&item->op)) host_guard_tell(c); /* before it tells the host something */
        q->run(c, &item->op, &item->place);
    }
    int interrupted = atomic_load(&q->interrupt);
    pthread_mutex_lock(&q->lock);
    q->running = NULL;
    q->head = item->next;
    if (!q->head) q->tail = NULL;
    host_check_serial(q->completed, item->place.number);
    q->completed = item->place.number;
    pthread_cond_broadcast(&q->done);
    host_op_free_buffers(&item->op);
    free(item);
    if (interrupted) {
        atomic_store(&q->interrupt, 0);
        signal(interrupted, SIG_DFL); /* the program ends as it would have */
        kill(getpid(), interrupted);
        sleep(ENDING_SECONDS); /* no other operation takes up what this one left while the signal is on its way */
    }
}

static void *engine_main(void *pointer)
{
    host_context *c = pointer;
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        while (!q->head) pthread_cond_wait(&q->work, &q->lock);
        run_head(c, q);
    }
    return NULL;
}

/* Lock held. The program's signals are not the engine's business. */
static void engine_start(host_context *c, host_queue *q)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&q->thread, NULL, engine_main, c)) lw_out_of_memory(1);
    pthread_detach(q->thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    q->started = true;
}

static bool on_engine(const host_queue *q) { return q->started && pthread_equal(pthread_self(), q->thread); }

const host_place *host_queue_place(host_context *c)
{
    const host_queue *q = c->queue;
    return on_engine(q) && q->running ? &q->running->place : NULL;
}

uint64_t host_queue_put(host_context *c, host_stream *stream, const host_op *op)
{
    return host_queue_put_node(c, stream, op, 0, NULL, 0);
}

/* Lock held. */
static void append(host_queue *q, queued *item)
{
    if (q->tail) q->tail->next = item;
    else q->head = item;
    q->tail = item;
    pthread_cond_signal(&q->work);
    end_rest(q);
}

/* Lock held. */
static void put_record(host_context *c, host_event *event, const host_place *at)
{
    event->serial = at->number;
    event->recorded = true;
    host_emit_record(c, event, at);
}

/* Where the program asks for it, if racecheck may name that: of what kernels do their own lines are named. */
static uint32_t asked_at(host_context *c, const host_op *op)
{
    switch (op->kind) {
    case HOST_OP_COPY:
    case HOST_OP_FILL:
    case HOST_OP_MEMORY_FREE:
    case HOST_OP_LIBRARY: return check_wanted(&c->options.checks, CHECK_RACECHECK) ? host_origin_here(c) : 0;
    default: return 0;
    }
}

uint64_t host_queue_put_node(host_context *c, host_stream *stream, const host_op *op, uint64_t graph,
                             const uint64_t *after, uint32_t after_count)
{
    host_queue *q = c->queue;
    queued *item = lw_alloc(sizeof *item);
    item->op = *op;
    uint32_t origin = asked_at(c, op);
    host_guard_tell(c);
    pthread_mutex_lock(&q->lock);
    if (!q->started) engine_start(c, q);
    while (q->issued - q->completed >= HOST_QUEUE_DEPTH && !on_engine(q)) pthread_cond_wait(&q->done, &q->lock);
    uint64_t number = ++q->issued;
    item->place = host_place_of(stream, number);
    item->place.graph = graph;
    item->place.origin = origin;
    if (stream) stream->last = number;
    if (op->kind == HOST_OP_EVENT_RECORD) put_record(c, op->u.event.event, &item->place);
    host_emit_submit(c, &item->place, after, after_count); /* before it can run */
    if (op->kind == HOST_OP_EVENT_WAIT)
        host_emit_graph_wait(c, op->u.event.event, op->u.event.event->serial, &item->place);
    host_unwaited_put(c, number, op, !on_engine(q));
    append(q, item);
    pthread_mutex_unlock(&q->lock);
    return number;
}

void host_queue_run_now(host_context *c, const host_op *op) { c->queue->run(c, op, NULL); }

void host_queue_wait(host_context *c, uint64_t number)
{
    host_queue *q = c->queue;
    if (on_engine(q)) return;
    pthread_mutex_lock(&q->lock);
    q->waiting++;
    if (q->completed < number) end_rest(q);
    while (q->completed < number) pthread_cond_wait(&q->done, &q->lock);
    q->waiting--;
    pthread_mutex_unlock(&q->lock);
}

bool host_queue_wait_for(host_context *c, uint64_t number, uint32_t seconds)
{
    host_queue *q = c->queue;
    if (on_engine(q)) return true;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    int error = 0;
    pthread_mutex_lock(&q->lock);
    while (q->completed < number && !q->rests && !error) error = pthread_cond_timedwait(&q->done, &q->lock, &until);
    bool done = q->completed >= number || q->rests;
    pthread_mutex_unlock(&q->lock);
    return done;
}

void host_queue_drain(host_context *c)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    uint64_t number = q->issued;
    pthread_mutex_unlock(&q->lock);
    host_queue_wait(c, number);
}

void host_queue_synchronize(host_context *c)
{
    if (on_engine(c->queue)) return;
    host_queue_drain(c);
    host_guard_wait(c, &(host_place){.number = c->queue->completed}, true);
}

bool host_queue_done(host_context *c, uint64_t number)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    bool done = q->completed >= number;
    pthread_mutex_unlock(&q->lock);
    return done;
}

uint64_t host_queue_issued(host_context *c) { return atomic_load(&c->queue->issued); }

bool host_queue_idle(host_context *c)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    bool idle = q->completed == q->issued;
    pthread_mutex_unlock(&q->lock);
    return idle;
}

bool host_queue_rests(host_context *c)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    bool rests = q->completed == q->issued || q->rests;
    pthread_mutex_unlock(&q->lock);
    return rests;
}

/* ---- events ---- */
bool host_queue_record_now(host_context *c, host_event *event)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    bool idle = q->issued == q->completed;
    if (idle) {
        event->serial = q->issued;
        event->recorded = true;
        event->time = event_clock(q);
    }
    pthread_mutex_unlock(&q->lock);
    return idle;
}

double host_queue_elapsed(host_context *c, const host_event *from, const host_event *to)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    double seconds = to->time - from->time;
    pthread_mutex_unlock(&q->lock);
    return seconds;
}

void host_queue_join(host_context *c, host_stream *stream, const host_event *event)
{
    host_queue *q = c->queue;
    pthread_mutex_lock(&q->lock);
    if (stream->last < event->serial) stream->last = event->serial;
    pthread_mutex_unlock(&q->lock);
}

/* ---- interrupts ---- */
/* The engine ends the operation, reports it, and raises the signal again. One request may come as several signals: to
 * the process and to its group (timeout); what comes a second later is impatience. */
bool host_queue_interrupt(host_queue *q, int number)
{
    if (q->issued == q->completed) return false;
    if (atomic_load(&q->interrupt)) return lw_now() - q->interrupted_at < SECONDS_OF_ONE_REQUEST;
    q->interrupted_at = lw_now();
    atomic_store(&q->interrupt, number);
    return true;
}

atomic_int *host_queue_interrupt_flag(host_context *c) { return &c->queue->interrupt; }
