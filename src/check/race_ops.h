/* race_ops: operations of streams that may run together: kernels against kernels, copies and fills. */
#ifndef LW_CHECK_RACE_OPS_H
#define LW_CHECK_RACE_OPS_H

#include "check/race_order.h"
#include "check/race_worker.h"

/* What an operation accessed. */
typedef struct race_op {
    uint64_t number;
    char *name;            /* "kernel 'k'", "a copy" */
    race_worker *accesses; /* of a kernel: its shadow; NULL: a range */
    event_place *places;   /* of a kernel that is kept: by instruction */
    uint32_t place_count;
    uint32_t grid[3], block[3]; /* of a kernel */
    uint64_t address, bytes;
    bool writes; /* a range */
} race_op;

typedef struct race_ops {
    race_order order;
    LW_VEC(race_op) kept; /* those that a later one may run together with, the oldest first */
    const event_session *services;
} race_ops;

void race_ops_free(race_ops *ops);
void race_ops_on_host(race_ops *ops, const event_host *e);
/* A kernel has ended. accesses is the receiver's from now on; may be NULL. */
void race_ops_kernel(race_ops *ops, const event_launch *launch, race_worker *accesses);

#endif
