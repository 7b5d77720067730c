/* timeline: the times of operations on the device, with --time (client_timeline.c). */
#ifndef LW_HOST_TIMELINE_PRIV_H
#define LW_HOST_TIMELINE_PRIV_H

#include "host/state_priv.h"

/* How long the launch that runs takes; on the engine's thread, before it ends. */
void host_timeline_predicted(host_context *context, double seconds);
/* Seconds between two operations that have been carried out: records of events. context->timeline is not NULL. */
double host_timeline_elapsed(host_context *context, uint64_t from, uint64_t to);
void host_timeline_forked(host_context *context);

#endif
