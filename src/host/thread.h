/* State per host thread (thread.c). */
#ifndef LW_HOST_THREAD_H
#define LW_HOST_THREAD_H

#include "host/types.h"

/* What is kept per host thread. Made on first use; zero-initialised; freed at thread exit. */
typedef struct host_thread {
    host_stream *default_stream;              /* the per-thread default stream; NULL: not made yet */
    void (*free_stream)(host_stream *stream); /* of default_stream */
    int capture_mode;                         /* host_capture_mode of the thread */
    uint64_t id;                              /* 1, 2, 3 ... */
    const void *launched_from;                /* the <<<>>> whose launch is under way: a return address; else NULL */
    const void *launches_next_from;           /* the same of the call behind the one that is about to end */
    void *runtime, *driver;                   /* the faces' own state, free()d with the thread ... */
    void *calls;                              /* ... and what they count together */
} host_thread;
host_thread *host_thread_get(host_context *context);

#endif
