/*
 * Steps of a permutation in place: batch times, m x n blocks of bytes become n x m. permute_plan.c makes the sequence of
 * them; step_passes.c and step_tiles.c are kinds of steps. Not installed.
 */
#ifndef LW_OPS_STEPS_H
#define LW_OPS_STEPS_H

#include "common/plan.h"
#include "inplace/inplace.h"

typedef struct lw_step lw_step;

/* What is done with a step; a kind is one of these. */
typedef struct lw_step_kind {
    int (*launches)(const lw_step *s); /* kernels and copies of one run */
    lw_ops_status (*run)(const lw_step *s, char *data, char *scratch, lw_stream stream);
    int (*describe)(const lw_step *s, char *text, size_t size); /* as snprintf */
} lw_step_kind;

struct lw_step {
    const lw_step_kind *kind;
    int64_t batch;
    int64_t one;     /* bytes of one of the batch */
    int64_t scratch; /* bytes */
    /* square, plan: the plan; fit: into the scratch, `group` of the batch at once, and what is left over */
    lw_plan *whole, *rest;
    int64_t group;
    int64_t offset; /* plan: where its data begins */
    /* passes */
    lw_shuffle_params p;
    int unit;               /* bytes; tiles: of an element */
    bool backwards, rotate; /* the inverse passes; m and n have a common divisor */
    int64_t row;            /* bytes */
    int64_t strip;          /* units of a strip of columns */
    int64_t rows_each;      /* rows of a block, or rows in the scratch */
    uint32_t turn_shared;   /* shared bytes; 0: rows do not fit into shared memory */
    /* tiles, chunks */
    lw_panel_params panel;
    uint32_t tiles;
};

static inline int64_t lw_bigger(int64_t a, int64_t b) { return a > b ? a : b; }

static inline int64_t lw_smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t lw_gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Fills in a step through the passes of shuffle.cu, with at most `cap` bytes of scratch. */
lw_ops_status lw_passes_step(const lw_ops *ops, lw_step *s, int64_t batch, int64_t m, int64_t n, int64_t block,
                             int align, int64_t cap, lw_ops_error *err);
/* Fills in up to three steps through the tiles and chunks of panel.cu: how many, 0: not this way. */
int lw_tiles_steps(const lw_ops *ops, lw_step *s, int64_t batch, int64_t m, int64_t n, int64_t elem, int64_t cap);

#endif
