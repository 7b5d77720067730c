/* timeline: when each operation of a program begins and ends on the device, in predicted time.
 *
 * An operation is given twice: when the host submits it (what it waits for is fixed then), and when it is carried out
 * (what it takes is known then). It begins when what it waits for has ended, the host has submitted it, and what it needs
 * is free: the multiprocessors as far as its blocks fill them, or a copy engine. The host takes time for a launch and
 * for a wait, and none for its own work: it is 0 when the first operation is submitted. Times are computed in the order of
 * the operations' numbers, so that they do not depend on when they are asked for.
 *
 * Not modelled: host work, pages of managed memory that move, copies and kernels that slow each other down, priorities. */
#ifndef LW_TIME_TIMELINE_H
#define LW_TIME_TIMELINE_H

#include "device/profile.h"
#include "event/event.h"
#include "result/result.h"

typedef struct timeline timeline;

/* What an operation does. Marks (records, functions of the host) take no time and use nothing. */
typedef struct timeline_work {
    result_span_kind kind;
    double seconds;
    double share; /* kernels: of the multiprocessors that its blocks fill, 0 to 1 */
    uint64_t bytes;
    const char *name; /* kernels: lives as long as the timeline */
} timeline_work;

/* Sides of a copy. */
typedef enum timeline_side { TIMELINE_PAGEABLE, TIMELINE_PINNED, TIMELINE_DEVICE } timeline_side;

/* span: an operation whose times are known now; marks are not handed out. */
timeline *timeline_make(const device_profile *device, void (*span)(void *user, const result_span *span), void *user);
void timeline_free(timeline *line); /* NULL: nothing to do */

/* SUBMIT, STREAM_WAIT, GRAPH_WAIT, HOST_WAIT; others say nothing here. */
void timeline_host(timeline *line, const event_host *event);
/* Operation `number` does this; what several calls say adds up. */
void timeline_does(timeline *line, uint64_t number, const timeline_work *work);
/* When operation `number`, which has been carried out, ends. 0: at the begin. */
double timeline_end(timeline *line, uint64_t number);
/* All operations up to `number` have been carried out: their spans are handed out. */
void timeline_finish(timeline *line, uint64_t number);

timeline_work timeline_copy(const device_profile *device, timeline_side to, timeline_side from, uint64_t bytes);
timeline_work timeline_set(const device_profile *device, uint64_t bytes);

#endif
