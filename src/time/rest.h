/* rest: a multiprocessor that is kept whole is kept only at the begin of a launch that accesses much: some waves of its blocks, or the
 * begin of its first wave. Where a launch goes over the same memory again and again that is when its lines are fetched. The rest of
 * the launch is seen by the sample of lines alone. */
#ifndef LW_TIME_REST_H
#define LW_TIME_REST_H

#include "time/caches.h"

#include <stdbool.h>

/* Of the loads of one instruction; in sectors. */
typedef struct cache_rest {
    double begun, begun_hits;   /* of the sample of lines: as long as multiprocessors are kept whole */
    double after, after_hits;   /* of the sample of lines: later */
    double latest, latest_hits; /* of whole multiprocessors: in the last half of the time for which they are */
} cache_rest;

/* Of the sample of lines; kept: a whole multiprocessor is at that time. */
void cache_rest_add(cache_rest *rest, bool kept, uint32_t sectors, uint32_t hits);

/* Sets right what the site says of L1 and of loads that miss it. kept: share of the accesses of a multiprocessor that is kept. */
void cache_rest_apply(cache_site *site, const cache_rest *rest, double kept);

#endif
