/* race_access: one access of a warp against what the shadow remembers. */
#ifndef LW_CHECK_RACE_ACCESS_H
#define LW_CHECK_RACE_ACCESS_H

#include "check/race_worker.h"

void race_on_memory(race_worker *k, const event_memory *e);
/* An operation of threads on an mbarrier, as an access to it. */
void race_on_mbarrier(race_worker *k, race_block *b, const event_sync *e);
/* The copies under way that event e completes (EVENT_ASYNC_COMPLETE) now count as made by who waited. */
void race_on_complete(race_worker *k, race_block *b, const event_sync *e);
/* Does the event tell of a copy, store or reduction that ends on an mbarrier by itself (not by cp.async.mbarrier.arrive)? */
bool race_lands(const race_worker *k, const race_block *b, const event_sync *e);
/* It does, on object f of block home: who waits for f knows what was written, nobody else. */
void race_on_land(race_worker *k, race_block *b, const event_sync *e, race_block *home, race_flag *f);
/* A block of a cluster exits: others must not access its shared memory any more. */
void race_on_exit(race_worker *k, race_block *b);
/* Compares global memory as two workers saw it; what `from` saw is added to `into`. */
void race_merge(race_worker *into, race_worker *from);

#endif
