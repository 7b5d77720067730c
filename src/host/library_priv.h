/* library: calls of libraries as operations (library.c). */
#ifndef LW_HOST_LIBRARY_PRIV_H
#define LW_HOST_LIBRARY_PRIV_H

#include "host/emit_priv.h"

typedef struct host_library_said { /* what a call said that it accesses */
    host_library_memory memory;
    host_library_access access;
} host_library_said;

/* ---- calls that are made again (library_repeat.c); on the thread that drains the queue ---- */
host_repeats *host_repeats_make(void);
/* If the call was carried out before with these arguments, and what it reads is as it was then, writes its results and gives what
 * it accesses, until the next host_repeat_keep(). NULL: it has to be carried out. */
const host_library_said *host_repeat(host_context *context, const host_library_call *call, const void *args,
                                     size_t *out_count);
/* After a call that repeats (host_library_repeats()), which took so many seconds. */
void host_repeat_keep(host_context *context, const host_library_call *call, const void *args,
                      const host_library_said *said, size_t count, double seconds);

void host_library_run(host_context *context, const host_op *op, const host_place *at);

#endif
