/* unwaited: what the program asks of its work, or leaves behind, before it has waited for it. A wait of the host for any
 * operation counts here for all that was submitted before: what is said is then right for every order of streams. */
#ifndef LW_HOST_UNWAITED_PRIV_H
#define LW_HOST_UNWAITED_PRIV_H

#include "host/op.h"
#include "host/state_priv.h"

host_unwaited *host_unwaited_make(void);
void host_unwaited_forked(host_context *context); /* in a child of fork() */

/* An operation comes into the queue; under the queue's lock. by_program: by a thread of the program. */
void host_unwaited_put(host_context *context, uint64_t number, const host_op *op, bool by_program);
void host_unwaited_wait(host_context *context); /* the host has waited for some operation */
/* The host's wait since then is none of the program's. */
uint64_t host_unwaited_known(host_context *context);
void host_unwaited_forget_wait(host_context *context, uint64_t known);

/* Is the answer to whether this operation is done "not ready", although it is done? Once for each, with checks, as a device
 * has hardly begun when a program asks at once: whether a program waits must not depend on who is faster. */
bool host_unwaited_asks(host_context *context, uint64_t number);
/* The time of an event is asked for, which is recorded by this operation. */
void host_unwaited_time(host_context *context, uint64_t number);
/* The process ends: a warning of synccheck if something failed that the program has not waited for. */
void host_unwaited_report(host_context *context);

#endif
