/* sync_phases: which phases of mbarriers somebody waited for (sync_phases.c). */
#ifndef LW_CHECK_SYNC_PHASES_H
#define LW_CHECK_SYNC_PHASES_H

#include "check/check.h"

typedef struct sync_object {
    uint32_t cluster;
    uint64_t address; /* as in event_sync */
    bool completed;   /* a phase of it was completed */
    bool observed;    /* and somebody waited for the last one with success */
    uint8_t parity;   /* of that phase */
} sync_object;

/* The objects of a worker's clusters. Those of clusters that ended are dropped when another cluster takes their place. */
typedef struct sync_phases {
    LW_VEC(sync_object) objects;
    size_t last; /* index of the one that was used last */
} sync_phases;

void sync_phases_use(sync_phases *p, const event_sync *e); /* EVENT_MBARRIER */
/* EVENT_MBARRIER_PHASE. true: nobody waited for the phase before. */
bool sync_phases_end(sync_phases *p, const event_sync *e);
void sync_phases_free(sync_phases *p);

#endif
