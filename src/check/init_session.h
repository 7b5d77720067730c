/* init_session: what initcheck holds of a process. */
#ifndef LW_CHECK_INIT_SESSION_H
#define LW_CHECK_INIT_SESSION_H

#include "check/init_found.h"
#include "check/init_shadow.h"

typedef struct init_session {
    const event_session *services;
    init_shadow shadow;          /* of global memory */
    pthread_mutex_t lock;        /* of records */
    LW_VEC(init_record) records; /* who stored computed values */
    bool at_load;                /* --init-at-load */
} init_session;

/* Lanes stored what was computed from undefined bits in words that only device code has seen yet: who did. */
uint32_t init_host_record(init_session *s, const event_launch *launch, uint32_t insn, const event_origin *origin);
/* Events of the host (init_host.c). */
void init_host_event(init_session *s, const event_host *e);

#endif
