/* syscalls: the first system call of the program while memory is guarded that the system itself must be able to access.
 * Linux tells it before the call runs (syscall user dispatch, Linux 5.11 and later); elsewhere nothing is watched. */
#ifndef LW_HOST_SYSCALLS_PRIV_H
#define LW_HOST_SYSCALLS_PRIV_H

#include <stdbool.h>

/* Can calls of this thread be watched now? Not if it is not the process's first thread or not the program's only one, if it
 * blocks SIGSYS or the program handles that, or if the system cannot do it. helpers: threads that are not the program's. */
bool host_syscalls_ready(unsigned helpers);
/* After that: `first` is called before the next system call of this thread, once, in a signal's handler. */
void host_syscalls_watch(void (*first)(void *user), void *user);
/* No longer. Before this thread takes a lock that `first` takes; async-signal-safe, and cheap. */
void host_syscalls_pass(void);
/* In a handler of SIGSEGV, with its context: the instruction that faulted runs once more, then `after` is called, and calls are
 * watched again if it says so. False: that is not possible, and nothing is done. */
bool host_syscalls_step(void *context, bool (*after)(void *user), void *user);
void host_syscalls_forked(void); /* in a child of fork() */

#endif
