/* What the planners of boxes share: box_plan.c and runs_plan.c. Not installed. */
#ifndef LW_OPS_BOX_PLAN_H
#define LW_OPS_BOX_PLAN_H

#include "internal.h"

#define LW_RUNS_BYTES 16384 /* most bytes of a box moved as runs */

typedef struct box_work {
    lw_dim d[LW_BOX_DIMS]; /* by output stride */
    int nd, unit, vload, vstore;
    int64_t capacity; /* bytes of a box */
    int in_order[LW_BOX_DIMS];
    int64_t t[LW_BOX_DIMS];
    double cost;      /* of the chosen box: estimated time per byte, 1 is the best copy's */
    int64_t shared;   /* runs: most bytes of shared memory */
    bool runs;        /* for runs.cu: any alignment, limited windows and table */
} box_work;

/* Dimensions of one side, fastest first, that make up a run in a box; its units. */
int lw_box_run(const box_work *b, bool input, int64_t *units);
bool lw_box_choose(box_work *b);
int64_t lw_box_volume(const box_work *b); /* bytes */
bool lw_runs_fits(const box_work *b);
int lw_runs_passes(const box_work *b); /* of two stores of a warp to the tile, at best 2 */
/* Fills a variant with the form of runs.cu; false: does not fit. */
bool lw_runs_plan(const lw_ops *ops, const box_work *b, lw_copy_variant *v);

#endif
