/*
 * Boxes of the index space, the base of the planners box_plan.c, runs_plan.c, gather_plan.c and direct_plan.c: what the
 * strides of both sides say, which boxes are tried, what fits. Not installed.
 */
#ifndef LW_OPS_BOX_H
#define LW_OPS_BOX_H

#include "copy/costs.h"
#include "copy/kernels.h"

#define LW_ANY_COST 1e30

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
    int32_t extent; /* this is about */
    bool cut;       /* the last box is smaller */
    double waste;   /* places of all boxes / those that exist */
} box_ends;

typedef struct box_work {
    lw_dim dim[LW_BOX_DIMS]; /* by output stride, n in units */
    int dims;
    int low;                  /* what all addresses would be multiples of if the pointers were, at most 16 */
    int unit;                 /* bytes that move as one: the same with the pointers */
    int vload, vstore;        /* bytes of a vector on either side */
    double share;             /* bytes of the output for every multiprocessor */
    int64_t capacity;         /* bytes of a box, at most */
    int32_t box[LW_BOX_DIMS]; /* the box: its extents */
    box_side side[2];         /* output, input */
    box_ends ends[LW_BOX_DIMS];
    bool every_length;      /* runs of the output are tried in all lengths */
    double cost;            /* of the chosen box: estimated time per byte, 1 is the best copy's */
    uint32_t pitch, passes; /* runs: bytes from one to the next in the tile; of two stores of a warp, at best 2 */
    int64_t shared;         /* runs: most bytes of shared memory */
} box_work;

/* The units of a copy of elements of `elem` bytes for addresses that are multiples of `align`; no box yet. */
void lw_box_make(box_work *b, const lw_dim *d, int dims, int64_t elem, int align, int sms);
/* What a box is: it does not fit; no better than another one; the best by now. */
typedef enum box_verdict { BOX_UNFIT, BOX_WORSE, BOX_BEST } box_verdict;
typedef box_verdict (*box_look)(void *context, box_work *b, int64_t volume);
/*
 * Tries boxes that hold runs of either side in several lengths: for every second run of the output, and for those
 * beside the best one's, the longest runs of the input that fit into the capacity. look: judges a box.
 */
void lw_box_try(box_work *b, box_look look, void *context);
/* At most two cut dimensions, and offsets inside a box below 2^32. Looks at the ends. */
bool lw_box_fits(box_work *b);
double lw_box_waste(box_work *b); /* places of all boxes / those that exist */
/* What boxes of so many bytes cost more if there are few of them: among those of one kind, not from one to another. */
double lw_box_few(const box_work *b, int64_t volume);
/* Bytes of one side that lie together in memory, and whether all runs begin with sectors. */
int64_t lw_box_together(const box_work *b, box_side_name side, bool *even);
/* Dimensions of one side, fastest first, that make up a run in a box; its units. */
int lw_box_run(const box_work *b, box_side_name side, int64_t *units);
int64_t lw_box_volume(const box_work *b); /* bytes */
/*
 * The dimensions along which boxes are counted, how many dimensions and boxes there are. limit: 1 or 2 for dimensions
 * that are cut, else 0. False: too many boxes.
 */
bool lw_box_grid(const box_work *b, lw_box_dim *grid, int32_t *grid_dims, int *limit, uint32_t *boxes);
/* Blocks that take about the same number of boxes, if so many are resident per multiprocessor. */
uint32_t lw_box_blocks_even(uint32_t boxes, int blocks, int sms);
int lw_unit_row(int unit); /* of tables by units of 1, 2, 4, 8, 16 bytes */

/* How boxes of one form are estimated. */
typedef struct box_estimate {
    const lw_box_weights *weights;
    double (*time)(const box_work *b); /* per byte of a box of cost 1 */
    bool (*fits)(const box_work *b);   /* limits of the kernel; NULL: none */
    /* Lays a chosen box out and says what that adds to its cost, which no longer matters from `most` on; NULL: nothing */
    double (*arrange)(box_work *b, double most);
} box_estimate;

/* The box of the least estimated time per byte, if that is less than `most`. */
bool lw_box_choose(box_work *b, const box_estimate *e, double most);

#endif
