/* results: the results file and what was said already (results.c). */
#ifndef LW_HOST_RESULTS_PRIV_H
#define LW_HOST_RESULTS_PRIV_H

#include "host/state_priv.h"
#include "result/result.h"

struct host_results {
    result_log *log;      /* through host_log(); NULL: nobody listens */
    bool open_later;      /* child of fork(): opens the log when it has something to write */
    LW_VEC(char *) notes; /* said already */
};

result_log *host_log(host_context *context); /* NULL: nobody listens */
void host_results_open(host_context *context);
void host_results_close(host_context *context);
/* In a child of fork(): the mapping is the parent's. This process writes records of its own if it has anything to say:
 * most children only call exec or _exit. */
void host_results_forked(host_context *context);

#endif
