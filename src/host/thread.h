/* State per host thread (thread.c). */
#ifndef LW_HOST_THREAD_H
#define LW_HOST_THREAD_H

#include "host/options.h"
#include "host/types.h"

/* What is kept per host thread. Made on first use; zero-initialised; freed at thread exit. */
typedef struct host_thread {
    uint32_t device;                                /* the current one: 0, 1, 2 ... (devices.h) */
    host_stream *default_stream[HOST_DEVICES_MOST]; /* the per-thread default streams; NULL: not made yet */
    void (*free_stream)(host_stream *stream);       /* of those */
    int capture_mode;                               /* host_capture_mode of the thread */
    uint64_t id;                                    /* 1, 2, 3 ... */
    const void *launched_from;      /* the <<<>>> whose launch is under way: a return address; else NULL */
    const void *launches_next_from; /* the same of the call behind the one that is about to end */
    void *runtime, *driver;         /* the faces' own state, free()d with the thread ... */
    void *calls;                    /* ... and what they count together */
} host_thread;
host_thread *host_thread_get(host_context *context);

#endif
