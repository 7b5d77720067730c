/* race_ops: operations of streams that may run together: kernels against kernels, copies and fills. */
#ifndef LW_CHECK_RACE_OPS_H
#define LW_CHECK_RACE_OPS_H

#include "check/race_op.h"
#include "check/race_order.h"

/* A race of the host that was told. */
typedef struct race_told {
    const char *kernel; /* NULL: a copy or fill */
    uint32_t insn;
    bool writes;
    uint64_t pc;
} race_told;

typedef struct race_ops {
    race_order order;
    LW_VEC(race_op) kept; /* those that a later one may run together with, the oldest first */
    LW_VEC(race_told) told;
    const event_session *services;
} race_ops;

void race_ops_free(race_ops *ops);
void race_ops_on_host(race_ops *ops, const event_host *e);
/* A kernel has ended. accesses is the receiver's from now on; may be NULL. */
void race_ops_kernel(race_ops *ops, const event_launch *launch, race_worker *accesses);

#endif
