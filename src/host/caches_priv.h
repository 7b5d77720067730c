/* caches: the client that predicts caches and DRAM (client_caches.c), for who writes the rows of a launch. */
#ifndef LW_HOST_CACHES_PRIV_H
#define LW_HOST_CACHES_PRIV_H

#include "host/launch_priv.h"
#include "host/state_priv.h"
#include "model/model.h"
#include "time/caches.h"

/* What was found of the launch that has just ended, by instruction; NULL: nothing was asked for. */
const cache_site *host_caches_of_launch(const host_context *context);
cache_hot host_hot_of_launch(const host_context *context);
/* Adds the counters of the caches to those of an instruction: what was found of a sample, applied to what was counted. */
void host_caches_add(const cache_site *found, const model_site_result *site, counter_set *counters);
/* The same for what a call accesses by itself: printf, malloc, free, and saved registers. */
void host_caches_add_call(const model_call_result *call, counter_set *counters);
/* Of a launch whose time is predicted: what DRAM writes in that time that is not its own. */
void host_caches_add_idle(const device_profile *device, result_launch *launch);

/* How long the launch takes on the device. rows: the launch's, which get what their lines cost. */
result_time host_time_of_launch(const host_context *context, const host_launch_facts *facts,
                                const result_launch *launch, result_row *rows);

#endif
