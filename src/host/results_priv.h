/* results: the results file and what was said already (results.c). */
#ifndef LW_HOST_RESULTS_PRIV_H
#define LW_HOST_RESULTS_PRIV_H

#include "host/state_priv.h"
#include "result/result.h"

/* A failed call whose error the program has not read (failure.c). */
typedef struct host_open_failure {
    uint64_t thread; /* host_thread.id */
    host_error error;
    result_open *record; /* in the results file; NULL: there is none, or it is full */
    char *message;       /* without a results file: for stderr, when the process ends */
} host_open_failure;

struct host_results {
    result_log *log;      /* through host_log(); NULL: nobody listens */
    result_log *parents;  /* child of fork(): its parent's mapping, for what a signal handler has to say */
    bool open_later;      /* child of fork(): opens the log when it has something to write */
    LW_VEC(char *) notes; /* said already */
    atomic_ulong races;   /* findings of racecheck so far, notes left out */
    LW_VEC(host_open_failure) failures;
    lw_map passed; /* place -> exec_passed: errors that stopped nothing; the engine's thread alone */
    lw_map names;  /* of kernels and source files, for findings after their module has gone */
    pthread_mutex_t names_lock;
};

result_log *host_log(host_context *context); /* NULL: nobody listens */
result_log *host_log_in_signal(host_context *context);
void host_results_open(host_context *context);
void host_results_close(host_context *context);
/* In a child of fork(): the mapping is the parent's. This process writes records of its own if it has anything to say:
 * most children only call exec or _exit. */
void host_results_forked(host_context *context);

#endif
