/*
 * What the histogram's planner, kernels and CPU reference share: parameters, and the definition of a sample's bin as
 * code that compiles for both. Order keys: integers are compared as unsigned after their sign bit is turned.
 */
#ifndef LW_OPS_HIST_H
#define LW_OPS_HIST_H

#include <stdint.h>

#define LW_HIST_SKIP 0xffffffffu
#define LW_HIST_THREADS 1024
#define LW_PART_BITS 15    /* partition: bits of a bin inside its part; its counters take 128 KiB */
#define LW_FIELD_QUEUE 160 /* words of a warp: how many fields ran over, and which: 31 left behind, 4 of every lane */
#define LW_HIST_CELLS 8192 /* most cells of the table that shortens the search among edges; a multiple of the threads */
#define LW_HIST_WINDOWS 4  /* 16-byte vectors in flight per thread */
#define LW_FEW_THREADS 512 /* few samples: of a block; with many of them LW_HIST_THREADS */
#define LW_FEW_COUNTERS 8  /* and then counters of a bin */

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
    uint32_t field_per, field_bits, field_window; /* packed: fields of a word, their bits, fields of a block */
    uint32_t field_per_m, ranges_m;               /* reciprocals, rounded up */
    uint32_t cells, cells_at;                     /* cells of the table, and the byte in shared memory where it is */
    uint32_t edges_at;   /* byte in shared memory where the edges are kept, 0: they stay in global memory */
    int32_t wide_counts; /* 64-bit counts */
    uint32_t bins;
    uint32_t below, above, nan; /* where such samples are counted, or LW_HIST_SKIP */
    int32_t closed;             /* the last bin contains its upper edge */
    int32_t wide;               /* integers: 64-bit arithmetic */
    int32_t identity;           /* integers: bin = sample - lo */
    int32_t outside;            /* samples outside the bins are counted somewhere */
    int32_t scaled; /* integers: 32-bit keys and fewer bins than keys, so that one multiplication gives the bin */
    int32_t keep;   /* several blocks read the same samples */
    int32_t near;   /* reals: an estimate of the bin errs by less than half a bin */
    uint64_t flip;  /* integers: sign bit of the key */
    uint64_t lo, range, m; /* integers: first key, keys covered, and the multiplier of the bin */
    /* partition: the workspace, and what a launch does of it */
    uint16_t *tiles, *table;
    unsigned long long *totals;   /* samples of each part */
    int64_t first_tile, end_tile; /* of this round */
    uint32_t parts, part_bits;
    uint32_t table_pitch; /* entries of the table for one tile */
    uint32_t tile_samples;
    float lo_f, hi_f, step_f, inv_f, off_f; /* bin of x: about x * inv + off */
    double lo_d, hi_d, step_d, inv_d, off_d;
} lw_hist_params;

/* Channels, dimensions and weights. */
typedef struct lw_hist_any {
    lw_hist_params axis[3]; /* levels of each dimension; of all channels: the first */
    const char *samples;
    const void *weights;
    void *sums;
    unsigned long long *fixed; /* deterministic: sums in multiples, in the workspace */
    const double *found;       /* deterministic: greatest |weight|, if limit is 0 */
    double limit;
    int64_t rows, row_samples, row_pitch;
    int64_t entries; /* of one histogram */
    int64_t group;   /* entries of a row's histograms together */
    int64_t tiles_per_row;
    uint32_t stride[3];
    int32_t channels, counted, joint, segmented, edged;
    int32_t workers;
    int32_t in_shared;
    int32_t weight_wide, sum_wide, accumulate;
    int32_t head; /* deterministic: ceil(log2(samples of a histogram)) */
} lw_hist_any;

enum lw_hist_add { LW_ADD_COUNT = 0, LW_ADD_F32, LW_ADD_F64, LW_ADD_FIXED, LW_ADDS };
#define LW_ADD_NEAR LW_ADDS /* f32 sums as multiples whose unit every block chooses: hist_sum.cu */
#define LW_ANY_FLIGHT 4     /* samples in flight per thread */
#define LW_SUM_WINDOWS 2    /* vectors of samples and of weights in flight per thread */

enum lw_hist_kind { LW_K8 = 0, LW_K16, LW_K32, LW_K64, LW_KF16, LW_KBF16, LW_KF32, LW_KF64, LW_KINDS };

#endif
