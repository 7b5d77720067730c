/* queue: the one FIFO of the operations of all streams, and the engine, which is the thread that drains it. */
#ifndef LW_HOST_QUEUE_PRIV_H
#define LW_HOST_QUEUE_PRIV_H

#include <stdatomic.h>

#include "host/emit_priv.h"
#include "host/op.h"

#define HOST_QUEUE_DEPTH 1024 /* operations in flight before the caller waits, as on a card */

/* Carries an operation out, on the thread that calls. at NULL: it stands nowhere, nothing was before it. */
typedef void host_run_fn(host_context *context, const host_op *op, const host_place *at);

host_queue *host_queue_make(host_run_fn *run);
void host_queue_forked(host_queue *queue); /* in a child of fork(): what was queued belongs to the parent */

/* Puts an operation at the end; takes over what it owns. Returns its number. */
uint64_t host_queue_put(host_context *context, host_stream *stream, const host_op *op);
/* A node of a graph launch: it waits for the operations `after`. */
uint64_t host_queue_put_node(host_context *context, host_stream *stream, const host_op *op, uint64_t graph,
                             const uint64_t *after, uint32_t after_count);
void host_queue_run_now(host_context *context, const host_op *op); /* on this thread, beside the queue */

/* Waits return at once on the engine's thread: what it would wait for is behind it. */
void host_queue_wait(host_context *context, uint64_t number); /* until the operation with this number is done */
/* The same, for some seconds at most. false: it is not done. */
bool host_queue_wait_for(host_context *context, uint64_t number, uint32_t seconds);
void host_queue_drain(host_context *context);       /* until all that was put before is done */
void host_queue_synchronize(host_context *context); /* the same, for the program: clients hear of it */
bool host_queue_idle(host_context *context);
/* Nothing runs: it is idle, or stands before a function of the program. */
bool host_queue_rests(host_context *context);
uint64_t host_queue_issued(host_context *context); /* the number of the last operation that was put */
bool host_queue_done(host_context *context, uint64_t number);
/* Where the operation stands that this thread carries out; NULL on the program's threads. */
const host_place *host_queue_place(host_context *context);

/* Events: their number and time are protected by the queue's lock. */
bool host_queue_record_now(host_context *context, host_event *event); /* if nothing is before it; false: put it */
/* Time that kernels waited for by the device's clock and that went by here at once: later events come by so much later. */
void host_queue_skip(host_context *context, double seconds);
double host_queue_elapsed(host_context *context, const host_event *from, const host_event *to); /* seconds */
/* Who waits for the stream from now on waits for the event's record too. */
void host_queue_join(host_context *context, host_stream *stream, const host_event *event);

/* From a signal handler: the operation that runs is to end; false: none does. */
bool host_queue_interrupt(host_queue *queue, int signal);
atomic_int *host_queue_interrupt_flag(host_context *context); /* set while an operation is to end */

#endif
