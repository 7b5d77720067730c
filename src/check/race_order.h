/* race_order: which operations of the host's streams happen before which others.
 *
 * Operations have numbers in the order in which they were submitted. What happens before one is kept for the
 * RACE_WINDOW operations before it; older ones count as ordered. */
#ifndef LW_CHECK_RACE_ORDER_H
#define LW_CHECK_RACE_ORDER_H

#include "event/event.h"

enum { RACE_WINDOW = 64 };

/* Operations that happened before something. Bit k: operation at - 1 - k; those from `at` on did not. */
typedef struct race_before {
    uint64_t at, set;
} race_before;

typedef struct race_stream {
    uint64_t id;
    bool blocking;
    uint64_t graph;         /* of the last operation */
    race_before last, base; /* what the next operation comes after; base: the nodes of a graph launch */
} race_stream;

typedef struct race_event {
    uint64_t id;
    race_before behind;
} race_event;

typedef struct race_order {
    uint64_t last;                    /* number of the last operation that was submitted */
    bool streams;                     /* some stream but the default one has been used */
    race_before host;                 /* what host threads have waited for */
    race_before legacy;               /* the default stream's */
    race_before ops[4 * RACE_WINDOW]; /* by number: what happened before it */
    LW_VEC(race_stream) all;
    LW_VEC(race_event) events;
} race_order;

void race_order_free(race_order *o);
void race_order_on_host(race_order *o, const event_host *e);
/* Does operation `first` happen before `second`? Both were submitted. */
bool race_order_before(const race_order *o, uint64_t first, uint64_t second);
/* Has a host thread waited for it? */
bool race_order_host_knows(const race_order *o, uint64_t number);

#endif
