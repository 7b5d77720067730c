/* race_host: what the host's own code reads and writes beside operations that it has not waited for (race_host.c). */
#ifndef LW_CHECK_RACE_HOST_H
#define LW_CHECK_RACE_HOST_H

#include "check/race_ops.h"

/* Finds what the host may not access before it has waited for the operation. */
void race_host_guards(race_op *op, const event_session *services);
/* The host may know of the end of this operation, and of those before it, without a wait. */
void race_host_told(race_ops *ops, uint64_t number);
void race_host_on(race_ops *ops);                             /* EVENT_HOST_ON */
void race_host_touch(race_ops *ops, const event_host *event); /* EVENT_HOST_TOUCH */

#endif
