/* submit: where work of the program enters, and what carries it out in the end (submit.c, run.c). */
#ifndef LW_HOST_SUBMIT_PRIV_H
#define LW_HOST_SUBMIT_PRIV_H

#include "host/emit_priv.h"
#include "host/op.h"

/* Puts an operation on the stream, or into its capture. wait: returns when it is done (not for captures). */
host_error host_submit(host_stream *stream, const host_op *op, bool wait);

/* A host thread goes on behind what it submitted, or waited for: what it accesses now is watched if somebody asks
 * (guard.c). number: of the last operation it submitted, 0: none. */
void host_submit_goes_on(host_stream *stream, uint64_t number);

void host_run(host_context *context, const host_op *op, const host_place *at); /* a host_run_fn */

#endif
