/* joins: loads of multiprocessors of a cluster (GPC) that want the same sectors at the same time, which reach L2 as one. */
#ifndef LW_TIME_JOINS_H
#define LW_TIME_JOINS_H

#include "time/gather.h"
#include "time/session.h"
#include "time/table.h"
#include "time/trace.h"

/* What multiprocessors ask of L2. */
typedef struct cache_demand {
    uint64_t time;  /* of the last load that asked for something; 0: there was none */
    double sectors; /* then, of the sample */
    bool first;     /* nothing was asked for before then */
    double mean;    /* before then: sectors of a multiprocessor in each memory instruction */
} cache_demand;

typedef struct cache_joins {
    const device_profile *device;
    cache_table *asked; /* cache_asked per line and cluster: what was asked for when */
    uint32_t sms;
    uint32_t cluster_sms; /* of most clusters; the others have two more */
    uint32_t narrow;      /* clusters of so many */
    uint32_t residents;   /* blocks of the first wave */
    uint32_t warps;       /* of a block */
    bool barriers;        /* in loops */
    double sampled;       /* what all ask for, for each sector of the sample */
    double work;  /* instructions of all warps of a multiprocessor for each memory instruction of one; 0: not known */
    double apart; /* how much less often loads meet, as blocks of a multiprocessor go at different speeds */
    double apart_full; /* the same of loads of whole lines, in loops without barriers */
    cache_demand demand;
} cache_joins;

/* Who asks: a block on a multiprocessor. */
typedef struct cache_asker {
    uint32_t sm, block;
    uint64_t time; /* in memory instructions of its warp, at its pace */
    uint64_t now;
    uint32_t busy; /* multiprocessors that have a block then */
} cache_asker;

/* Of a launch whose first wave has so many blocks, the same number on each multiprocessor. `joins` points into its session, which has to
 * outlive it. */
void cache_joins_begin(cache_joins *joins, const cache_launch *launch, const cache_record *record, uint32_t residents);
/* The entry of this multiprocessor comes soon: what finds what its cluster has asked for is fetched. */
void cache_joins_expect(const cache_joins *joins, const cache_entry *entry, uint32_t sm);
/* The sectors that nobody in the cluster has asked for just now. */
uint32_t cache_joins_left(cache_joins *joins, const cache_entry *entry, const cache_asker *who, uint32_t sectors);

#endif
