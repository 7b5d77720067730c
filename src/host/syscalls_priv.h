/* syscalls: the system calls of the program while memory is guarded that the system itself must be able to access.
 * Linux tells them before they run (syscall user dispatch, Linux 5.11 and later); elsewhere nothing is watched. */
#ifndef LW_HOST_SYSCALLS_PRIV_H
#define LW_HOST_SYSCALLS_PRIV_H

#include <stdbool.h>
#include <stdint.h>

enum { HOST_SYSCALL_ARGUMENTS = 6 };

/* A system call that is about to run. */
typedef struct host_syscall {
    long number;
    uint64_t arguments[HOST_SYSCALL_ARGUMENTS], pc;
} host_syscall;

/* Can calls of this thread be watched now? Not if it is not the process's first thread, if it blocks SIGSYS or the program handles
 * that, or if the system cannot do it. *out_all: these are all calls of the program, which has no other thread. helpers: threads
 * that are not the program's. */
bool host_syscalls_ready(unsigned helpers, bool *out_all);
/* After that: `before` is called before the next system call of this thread, in a signal's handler; again before the one after
 * it if `before`, and then `after`, behind the call, say so. If that is not possible `before` is called once more, with NULL. */
void host_syscalls_watch(bool (*before)(void *user, const host_syscall *call), bool (*after)(void *user), void *user);
/* No longer, if this is the thread that is watched. Before it takes a lock that `before` takes; async-signal-safe, and cheap. */
void host_syscalls_pass(void);
/* In a handler of SIGSEGV, with its context: the instruction that faulted runs once more, then `after` is called, and calls are
 * watched again if it says so. False: that is not possible (as in other threads than the first), and nothing is done. */
bool host_syscalls_step(void *context, bool (*after)(void *user), void *user);
/* Does the call access no memory but its arguments, start no thread or process, and leave signals as they are? */
bool host_syscall_is_plain(const host_syscall *call);
bool host_syscall_writes(const host_syscall *call); /* to memory, as far as is known */
void host_syscalls_forked(void);                    /* in a child of fork() */

#endif
