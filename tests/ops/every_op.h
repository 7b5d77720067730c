/*
 * Every kind of plan and every call without one, on the same buffers, for tests of what ops.h promises of all alike.
 * The buffers are on the device that is current at setup.
 */
#ifndef LW_OPS_TEST_EVERY_OP_H
#define LW_OPS_TEST_EVERY_OP_H

#include "harness.h"

#define EVERY_N 4096 /* elements of 4 bytes, as 64 x 64 */

/* Plans; HIST is the last one that takes counts. Then the calls. */
enum {
    EVERY_COPY,
    EVERY_TRANSPOSE,
    EVERY_PERMUTE,
    EVERY_FLIP,
    EVERY_FLIP_IN_PLACE,
    EVERY_SQUARE,
    EVERY_IN_PLACE,
    EVERY_PERMUTE_IN_PLACE,
    EVERY_RECORD_IN_PLACE,
    EVERY_CONVERT,
    EVERY_PAD,
    EVERY_RECORD,
    EVERY_HIST,
    EVERY_SHARES,
    EVERY_LEVELS,
    EVERY_WEIGHTS,
    EVERY_FIXED,
    EVERY_PLANS,
    EVERY_TO_AOS = EVERY_PLANS,
    EVERY_GATHER,
    EVERY_SCATTER,
    EVERY_ONE_COPY,
    EVERY_ONE_PERMUTE,
    EVERY_ONE_FLIP,
    EVERY_ONE_HIST,
    EVERY_CALLS
};

typedef struct every_op {
    test_state *t;
    const lw_ops *ops;
    lw_plan *plan[EVERY_PLANS];
    const char *name[EVERY_CALLS];
    test_buffer in, out, index, counts, weights;
    void *workspace;
    int which; /* what every_call() does */
} every_op;

lw_ops_status every_plan(const lw_ops *ops, int which, lw_plan **plan, lw_ops_error *err);
void every_setup(test_state *t, const lw_ops *ops, every_op *c);
void every_free(every_op *c);
/* A test_call: `context` is the every_op. */
lw_ops_status every_call(void *context, cudaStream_t stream);
/* What the call writes. */
test_buffer *every_result(every_op *c);

#endif
