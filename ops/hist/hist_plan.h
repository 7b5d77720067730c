/*
 * What the planners of histograms share: levels.c is their base, hist_plain.c and hist_any_plan.c are the two kinds, and
 * hist_plan.c is the front. Not installed.
 */
#ifndef LW_OPS_HIST_PLAN_H
#define LW_OPS_HIST_PLAN_H

#include "common/plan.h"
#include "hist/hist.h"
#include "hist/kernels.h"

#define LW_HIST_MAX_BINS 16777216

typedef struct hist_plan {
    lw_plan base;
    lw_hist what;    /* with a range from the device: binning by edges */
    int strategy;    /* lw_hist_strategy */
    int mode;        /* of the kernels: lw_hist_mode_of() */
    int passes;      /* ranges of bins */
    uint32_t shared; /* bytes of a block */
    int blocks;      /* per launch of one pass */
    int64_t entries; /* of one histogram, with the two outside counts */
    size_t clear_bytes;
    size_t edges_bytes; /* workspace of ranges from the device */
    /* a plain histogram */
    lw_hist_params p;
    int few;             /* few samples (hist_few.cu): counters of a bin; 0: not by that kernel */
    int64_t window;      /* bins per pass */
    int64_t round_tiles; /* partition: tiles of one round, */
    size_t tiles_bytes;  /* and the workspace's parts */
    size_t table_bytes;
    int cluster; /* blocks of a cluster */
    /* channels, dimensions, weights */
    lw_hist_any any;
    bool is_any;
    bool sums;          /* by the kernels of hist_sum.cu */
    int add;            /* lw_hist_add */
    size_t fixed_bytes; /* workspace of deterministic sums */
} hist_plan;

/* levels.c: types, even levels, the constants of the binning. */
int lw_hist_kind_of(int type); /* lw_hist_kind */
bool lw_hist_is_real(int type);
uint64_t lw_hist_sign(int type); /* sign bit of a signed integer type, else 0 */
lw_ops_status lw_hist_check_levels(const lw_hist *w, lw_ops_error *err);
void lw_hist_constants(const lw_hist *w, lw_hist_params *p);
/* The edges and their cells behind *shared bytes of counters, if there is room. */
void lw_hist_place_edges(const lw_ops *ops, const lw_hist *w, lw_hist_params *p, uint32_t *shared);
/* INTEGER also for even levels of reals whose estimate is good. */
int lw_hist_mode_of(const lw_hist *w, const lw_hist_params *p, int64_t entries);

/* hist_plain.c: one value per sample, counted. h->what is set and checked; plans what h->base needs as well. */
lw_ops_status lw_hist_plan_plain(hist_plan *h, lw_ops_error *err);
int lw_hist_run_plain(const hist_plan *h, void *counts, const void *samples, const void *edges, char *workspace,
                      lw_stream stream);
void lw_hist_describe_plain(const hist_plan *h, char *text, size_t size);
const char *lw_hist_strategy_name(int strategy);

/* hist_any_plan.c: channels, dimensions, weights; ranges that are found on the device. */
bool lw_hist_is_any(const lw_hist *w);
lw_ops_status lw_hist_check_any(const lw_hist *w, lw_ops_error *err);
lw_ops_status lw_hist_plan_any(hist_plan *h, lw_ops_error *err);
/* The levels' edges into the start of the workspace; *edges is then where they are. */
int lw_hist_make_edges(const hist_plan *h, const void *samples, const void *given, char *workspace, const void **edges,
                       lw_stream stream);
int lw_hist_run_any(const hist_plan *h, void *sums, const void *samples, const void *weights, const void *edges,
                    char *workspace, lw_stream stream);
void lw_hist_describe_any(const hist_plan *h, char *text, size_t size);

#endif
