/* guard: what the host's own code reads and writes in managed and pinned memory beside operations that nobody has waited
 * for (guard.c). Only if a client of events asks. */
#ifndef LW_HOST_GUARD_PRIV_H
#define LW_HOST_GUARD_PRIV_H

#include "host/emit_priv.h"

enum { HOST_GUARD_SECONDS = 2 }; /* what is submitted is waited for so long, that its accesses are known */

host_guard *host_guard_make(void);
void host_guard_forked(host_context *context); /* in a child of fork() */

/* Does somebody ask, and is there such memory? */
bool host_guard_wanted(host_context *context);
void host_guard_give_up(host_context *context); /* an operation waits for the host: guards only cost time */

/* On a thread of the program: asks the clients what to guard, and guards it if the queue is idle. */
void host_guard_arm(host_context *context, bool (*idle)(host_context *));
/* Nothing is guarded any more. Before any operation runs. */
void host_guard_lift(host_context *context);
/* Tells what the host accessed: before something is submitted or waited for. */
void host_guard_tell(host_context *context);
/* A host thread has waited: host_emit_wait() with this around it. */
void host_guard_wait(host_context *context, const host_place *at, bool all);

/* In a handler of SIGSEGV, with its context: true if the access was to guarded memory. It can be made again then. */
bool host_guard_fault(host_context *c, uint64_t address, bool writes, uint64_t pc, void *context);

/* event_session.shared and guard */
void host_guard_shared(void *context, void (*visit)(void *user, uint64_t address, uint64_t bytes), void *user);
void host_guard_add(void *context, uint64_t address, uint64_t bytes, bool reads, bool sparse);

#endif
