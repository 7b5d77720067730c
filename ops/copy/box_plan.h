/* What the planners of boxes share, box_plan.c and runs_plan.c, and how copy_plan.c asks for one. Not installed. */
#ifndef LW_OPS_BOX_PLAN_H
#define LW_OPS_BOX_PLAN_H

#include "common/internal.h"

#define LW_RUNS_BYTES 16384 /* most bytes of a box moved as runs */
#define LW_ANY_COST 1e30
/*
 * Bytes of the output for a multiprocessor: below, all is in L2. Squares in registers win there, 512 KiB 1.8 us,
 * gathered 3.3, boxes 3.9, and blocks of no more threads than squares; above, more squares at once lose (4 x 4 of 2 B:
 * 0.88 to 0.70; an H200).
 */
#define LW_SMALL_SHARE (192 << 10)

typedef enum box_side_name { BOX_OUT = 0, BOX_IN = 1 } box_side_name;

/* What one side's strides say of every box. */
typedef struct box_side {
    int order[LW_BOX_DIMS];    /* dimensions, fastest first */
    int64_t step[LW_BOX_DIMS]; /* bytes, in that order, as magnitudes */
    int chain;                 /* the first so many of them lie one after the other in memory */
    bool even;                 /* all dimensions but the contiguous one step by whole sectors */
} box_side;

/* How boxes of an extent end in a dimension: a division that is not repeated for every box that is tried. */
typedef struct box_ends {
    int32_t t;
    bool cut;     /* the last one is smaller */
    double waste; /* places of all boxes / those that exist */
} box_ends;

typedef struct box_work {
    lw_dim d[LW_BOX_DIMS]; /* by output stride */
    int nd, unit, vload, vstore;
    double share;           /* bytes of the output for every multiprocessor */
    int64_t capacity;       /* bytes of a box */
    int32_t t[LW_BOX_DIMS]; /* the box: extents */
    box_side side[2];       /* output, input */
    box_ends ends[LW_BOX_DIMS];
    double cost;            /* of the chosen box: estimated time per byte, 1 is the best copy's */
    bool runs;              /* for runs.cu: any alignment, limited windows and table */
    int64_t shared;         /* runs: most bytes of shared memory */
    uint32_t pitch, passes; /* runs: of the tile; of two stores of a warp to it, at best 2 */
} box_work;

typedef struct gather_form {
    bool linear; /* runs of the output are of its fastest dimension */
    int group;   /* log2 of the lanes to a run of the output */
} gather_form;

/* What was chosen for a shape whatever the alignment: the boxes of runs.cu and gather.cu, for a plan of another one. */
typedef struct box_memo {
    int other;  /* that alignment, 0: none */
    bool again; /* it has the same unit, so that the choices will be asked for once more */
    bool runs_known, runs_found, gather_known;
    box_work runs, gather; /* the chosen ones */
    gather_form form;
} box_memo;

/* A variant for that alignment, which is put into `v`. False: no box fits. memo: zeros at first, but for `other`. */
bool lw_box_plan(const lw_ops *ops, const lw_copy_shape *shape, int align, box_memo *memo, lw_copy_variant *v);
/* What a box is: it does not fit; no better than another one; the best by now. */
typedef enum box_verdict { BOX_UNFIT, BOX_WORSE, BOX_BEST } box_verdict;
typedef box_verdict (*box_look)(void *context, box_work *b, int64_t volume);
/*
 * Tries boxes that hold runs of either side in several lengths: for every second run of the output, and for those
 * beside the best one's, the longest runs of the input that fit into the capacity. look: judges a box.
 */
void lw_box_try(box_work *b, box_look look, void *context);
/* Dimensions by side, and what its strides say of every box; with `d`, `nd` and `unit` known. */
void lw_box_sides(box_work *b);
/* At most two cut dimensions, and offsets inside a box below 2^32. Looks at the ends. */
bool lw_box_fits(box_work *b);
double lw_box_waste(box_work *b); /* places of all boxes / those that exist */
/* What boxes of so many bytes cost more if there are few of them: among those of one kind, not from one to another. */
double lw_box_few(const box_work *b, int64_t volume);
/* Bytes of one side that lie together in memory, and whether all runs begin with sectors. */
int64_t lw_box_together(const box_work *b, box_side_name side, bool *even);
/* Dimensions of one side, fastest first, that make up a run in a box; its units. */
int lw_box_run(const box_work *b, box_side_name side, int64_t *units);
/* The box of the least estimated time per byte, if that is less than `most`. */
bool lw_box_choose(box_work *b, double most);
int64_t lw_box_volume(const box_work *b); /* bytes */
/*
 * The dimensions along which boxes are counted, `nd` of them, and how many boxes there are. limit: 1 or 2 for
 * dimensions that are cut, else 0. False: too many boxes.
 */
bool lw_box_grid(const box_work *b, lw_box_dim *d, int32_t *nd, int *limit, uint32_t *boxes);
bool lw_runs_fits(const box_work *b);
void lw_runs_pitch(box_work *b, double most); /* the pitch of the fewest passes; `most`: what may be too many */
/*
 * Fill a variant with the form of gather.cu or direct.cu where one does and takes less than *cost, which then becomes
 * its estimate.
 */
bool lw_gather_plan(const lw_ops *ops, const box_work *b, double *cost, box_memo *memo, lw_copy_variant *v);
bool lw_direct_plan(const box_work *b, int align, double *cost, lw_copy_variant *v);
/* Fills a variant with the form of runs.cu; false: does not fit. */
bool lw_runs_plan(const lw_ops *ops, const box_work *b, lw_copy_variant *v);

#endif
