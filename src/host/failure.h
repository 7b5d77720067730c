/* Calls of the program that failed, as findings (failure.c). */
#ifndef LW_HOST_FAILURE_H
#define LW_HOST_FAILURE_H

#include "host/types.h"

typedef struct host_failure {
    const char *call; /* as the program writes it: "cudaMemcpy" */
    host_error error;
    const char *error_name; /* "cudaErrorInvalidValue" */
    uint64_t number;        /* it was the number-th call of its name in this thread */
    uint64_t thread;        /* host_thread.id */
    bool pending;           /* an error until the program reads it, then a note; else a note at once */
} host_failure;

/* Nothing for an error that only repeats a fault, which is a finding already. */
void host_failure_report(host_context *context, const host_failure *failure);
/* The program has asked for the last error of a thread, or for the name or text of an error. */
void host_failures_read_thread(host_context *context, uint64_t thread);
void host_failures_read_error(host_context *context, host_error error);

#endif
