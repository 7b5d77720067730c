/* apart: work done in a thread of its own, so that what it allocates comes from another part of the heap. */
#ifndef LW_HOST_APART_H
#define LW_HOST_APART_H

#include <stdbool.h>

/* Calls work(user) in a new thread and waits for it. false: it was not called, and will not be: there is no thread to be
 * had, or the caller is inside the dynamic loader (a constructor of a library that dlopen() loads), which the thread
 * might have to wait for. */
bool host_apart_call(void (*work)(void *user), void *user);

#endif
