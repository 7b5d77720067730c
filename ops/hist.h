/*
 * What the histogram's planner, kernels and CPU reference share: parameters, and the definition of a sample's bin as code
 * that compiles for both. Order keys: integers are compared as unsigned after their sign bit is turned.
 */
#ifndef LW_OPS_HIST_H
#define LW_OPS_HIST_H

#include <stdint.h>

#define LW_HIST_SKIP 0xffffffffu
#define LW_HIST_THREADS 1024
#define LW_HIST_CELLS 2048 /* cells of the table that shortens the search among edges */
#define LW_HIST_WINDOWS 4 /* 16-byte vectors in flight per thread */

typedef struct lw_hist_params {
    const char *samples;
    const char *edges;
    void *counts;
    int64_t rows, row_bytes, row_pitch;
    int64_t entries;        /* of one histogram */
    int64_t window;         /* bins one block counts */
    int64_t chunks_per_row; /* pieces of THREADS * WINDOWS * 16 bytes, one more for rows that start anywhere */
    int32_t ranges;         /* blocks that look at the same samples for different bins */
    int32_t workers;        /* blocks (times ranges) that share one histogram */
    int32_t segmented;
    uint32_t cells_at;      /* bytes from the edges in shared memory to the table of cells */
    uint32_t edges_at;      /* byte in shared memory where the edges are kept, 0: they stay in global memory */
    int32_t wide_counts;    /* 64-bit counts */
    uint32_t bins;
    uint32_t below, above, nan; /* where such samples are counted, or LW_HIST_SKIP */
    int32_t closed;         /* the last bin contains its upper edge */
    int32_t wide;           /* integers: 64-bit arithmetic */
    int32_t identity;       /* integers: bin = sample - lo */
    int32_t outside;        /* samples outside the bins are counted somewhere */
    int32_t near;           /* reals: an estimate of the bin is at most one off */
    uint64_t flip;          /* integers: sign bit of the key */
    uint64_t lo, range, m;  /* integers: first key, keys covered, and the multiplier of the bin */
    float lo_f, hi_f, step_f, inv_f;
    double lo_d, hi_d, step_d, inv_d;
} lw_hist_params;

enum lw_hist_kind { LW_K8 = 0, LW_K16, LW_K32, LW_K64, LW_KF16, LW_KBF16, LW_KF32, LW_KF64, LW_KINDS };

#endif
