/* find_seed: for a launch that racecheck finds something in, a schedule that changes its result (find_seed.c). */
#ifndef LW_HOST_FIND_SEED_PRIV_H
#define LW_HOST_FIND_SEED_PRIV_H

#include "event/event.h"
#include "exec/exec.h"
#include "host/state_priv.h"

typedef struct host_seed_search host_seed_search;

/* Keeps device memory as it is now for running the launch again: NULL if that is not wanted, or cannot be done. */
host_seed_search *host_find_seed_begin(host_context *context, const exec_launch *launch);
/* The launch and its clients' part are over; how it ended. Searches if racecheck found something since then, says what
 * came of it, and frees the search, which may be NULL. */
void host_find_seed_end(host_context *context, host_seed_search *search, const event_launch *shown, bool ran);

#endif
