/*
 * What the files of liblanewise-ops share: the handle, the plan, launchers and small helpers. Not installed.
 */
#ifndef LW_OPS_INTERNAL_H
#define LW_OPS_INTERNAL_H

#include <stdbool.h>
#include "lanewise/ops.h"
#include "common/params.h"
#include "hist/hist.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lw_ops {
    int device;
    int cc; /* 10 * major + minor */
    int sms;
    int shared_optin; /* shared bytes one block can have at most */
    int shared_sm;    /* shared bytes of one multiprocessor */
    int64_t l2_bytes;
    int box_blocks[32];   /* resident blocks per multiprocessor of each box kernel */
    int runs_blocks[3];   /* of the kernels of runs, shared memory left aside */
    int gather_blocks[8]; /* likewise, of the kernels of gather */
};

typedef enum lw_plan_kind {
    LW_PLAN_COPY = 1,
    LW_PLAN_SWAP,
    LW_PLAN_SQUARE,
    LW_PLAN_RECORD,
    LW_PLAN_HIST,
    LW_PLAN_STEPS,
    LW_PLAN_CONVERT,
    LW_PLAN_PAD
} lw_plan_kind;

typedef enum lw_copy_kind {
    LW_COPY_NONE = 0,
    LW_COPY_ROWS,
    LW_COPY_TILE,
    LW_COPY_SCALAR,
    LW_COPY_BULK,
    LW_COPY_BOX,
    LW_COPY_RUNS,
    LW_COPY_FLIP,
    LW_COPY_GATHER,
    LW_COPY_DIRECT
} lw_copy_kind;

/* One way to run a copy, valid for pointers aligned to `align`. */
typedef struct lw_copy_variant {
    lw_copy_kind kind;
    int align;
    uint32_t grid;
    uint32_t shared;
    int64_t in_adjust; /* what the kernel's input lies before the first element: reversed rows */
    int reversed;      /* rows: element bytes if the row is reversed, else 0 */
    int elem;          /* tile: element bytes; box, runs: unit bytes */
    int big;           /* tile: 0 to 2, from small to large; scalar: 1 if output lines are aligned */
    int threads;       /* direct: of a block */
    int vload, vstore; /* box: vector bytes */
    bool misaligned;   /* rows, tile: the form that takes any alignment */
    union {
        lw_rows_params rows;
        lw_tile_params tile;
        lw_box_params box;
        lw_runs_params runs;
        lw_gather_params gather;
        lw_direct_params direct;
        lw_flip_params flip;
    } p;
} lw_copy_variant;

typedef struct lw_copy_plan_data {
    int64_t in_off, out_off; /* from the tensors' element 0 to the kernels' start */
    int64_t in_lo, in_hi;    /* bytes touched around the tensors' element 0: [lo, hi) */
    int64_t out_lo, out_hi;
    int variants;
    lw_copy_variant v[2]; /* best alignment first */
} lw_copy_plan_data;

typedef struct lw_record_data {
    lw_record layout;
    int64_t records;
    bool padded; /* some bytes belong to no field */
    bool zero;
    uint32_t shared, threads;
    int direct; /* records of a thread without shared memory, where pointers allow; 0: never */
    uint32_t direct_grid;
    unsigned char order[LW_OPS_MAX_FIELDS]; /* of the parameters' fields in the layout */
    lw_fdiv units[3][LW_OPS_MAX_FIELDS];    /* of 1, 2 and 4 bytes in an element */
    lw_record_params p;
} lw_record_data;

typedef struct lw_hist_data {
    lw_hist what;
    int strategy, mode;
    int passes;
    uint32_t shared;
    int blocks; /* per launch of one pass */
    int few;    /* few samples (hist_few.cu): counters of a bin; 0: not by that kernel */
    size_t clear_bytes;
    lw_hist_params p;
    int64_t window;      /* bins per pass */
    int64_t entries;     /* of one histogram, with the two outside counts */
    int64_t round_tiles; /* partition: tiles of one round, and the workspace's parts */
    size_t tiles_bytes, table_bytes;
    lw_hist_any any;                 /* channels, dimensions, weights: is_any */
    bool is_any, sums;               /* sums: by the kernels of hist_sum.cu */
    int cluster;                     /* blocks of a cluster */
    int add;                         /* lw_hist_add */
    size_t edges_bytes, fixed_bytes; /* workspace of ranges from the device, and of deterministic sums */
} lw_hist_data;

typedef struct lw_swap_plan_data {
    lw_swap_params p[2]; /* for pointers aligned to 16 bytes, and for the declared alignment */
    uint32_t grid[2];
    int64_t hi; /* bytes of the tensor from its lowest element on */
} lw_swap_plan_data;

/* A step of a permutation in place: batch times m x n blocks become n x m. */
typedef enum lw_step_kind {
    LW_STEP_SQUARE = 1,
    LW_STEP_FIT,
    LW_STEP_PASSES,
    LW_STEP_PLAN,
    LW_STEP_TILES,
    LW_STEP_CHUNKS
} lw_step_kind;
typedef struct lw_inplace_step {
    lw_step_kind kind;
    lw_plan *whole, *rest; /* square, plan: the plan; fit: into the scratch, `group` at once and what is left over */
    int64_t offset;        /* plan: where its data begins */
    int64_t batch, one;    /* one: bytes of one of the batch */
    int64_t group, scratch;
    lw_shuffle_params p;   /* passes */
    lw_panel_params panel; /* tiles, chunks */
    uint32_t tiles;
    int unit;
    bool backwards, rotate;
    int64_t row;          /* bytes */
    int64_t strip;        /* units of a strip of columns */
    int64_t rows_each;    /* rows of a block, or rows in the scratch */
    uint32_t turn_shared; /* 0: rows do not fit into shared memory */
} lw_inplace_step;

typedef struct lw_convert_data {
    int64_t in_off, out_off, in_lo, in_hi, out_lo, out_hi, in_elem; /* as in lw_copy_plan_data */
    bool turned;
    int arithmetic; /* 0: bits, 1: f32, 2: f64 */
    lw_convert_params p;
    lw_convert_params v; /* by vectors, where pointers are multiples of in_vector and out_vector bytes */
    uint32_t vector_grid, in_vector, out_vector; /* grid 0: strides forbid it */
} lw_convert_data;

/* A pad in one launch, of pointers aligned to 16 bytes. */
typedef struct lw_pad_one {
    int64_t in_off, out_off, in_lo, in_hi; /* as in lw_copy_plan_data */
    int64_t bytes;                         /* of the output */
    uint32_t grid;                         /* 0: the shape is not for one launch */
    lw_pad_params p;
} lw_pad_one;

/* A pad: in one launch, or a copy into the middle, and boxes around it. */
typedef struct lw_pad_fill {
    int64_t offset, bytes; /* of a row */
    uint64_t bits;         /* what limits the vector */
    bool power;            /* the element is a power of two */
    lw_fill_params p;
} lw_pad_fill;
typedef struct lw_pad_data {
    lw_plan *copy;
    int64_t dst_offset, src_offset;
    lw_pad_one one;
    int fills;
    lw_pad_fill fill[2 * LW_OPS_MAX_RANK];
} lw_pad_data;

struct lw_plan {
    lw_plan_kind kind;
    const lw_ops *ops;
    int align;
    size_t workspace;
    int64_t offset; /* in place: from the caller's pointer to the lowest byte */
    double useful_bytes;
    double read_bytes; /* copies: the input's part of them */
    int launches;
    union {
        lw_copy_plan_data copy;
        lw_swap_plan_data swap;
        struct {
            lw_square_params p[2]; /* for pointers aligned to 16 bytes, and for others */
            uint32_t grid[2];
        } square;
        lw_record_data record;
        lw_hist_data hist;
        lw_convert_data convert;
    } u;
    uint32_t grid;
    lw_inplace_step *steps; /* LW_PLAN_STEPS */
    int step_count;
    lw_pad_data *pad; /* LW_PLAN_PAD */
};

/* ops.c */
lw_ops_status lw_fail(lw_ops_error *err, lw_ops_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
lw_ops_status lw_launch_status(const lw_plan *plan, int cuda_error);
lw_ops_status lw_check_device(const lw_ops *ops);
lw_plan *lw_plan_new(const lw_ops *ops, lw_plan_kind kind);
lw_fdiv lw_fdiv_make(uint32_t d);
int lw_low_bit(uint64_t bits, int cap); /* largest power of two that divides bits, at most cap */

/* copy_plan.c */
typedef struct lw_dim {
    int64_t n, in, out;
} lw_dim;
typedef struct lw_copy_shape {
    lw_dim d[LW_OPS_MAX_RANK];
    int nd;
    int64_t elem;
} lw_copy_shape;
double lw_read_bytes(const lw_dim *d, int count, int elem); /* every input element once, however often it is used */
lw_ops_status lw_copy_run(const lw_plan *plan, void *dst, const void *src, lw_stream stream);
void lw_copy_describe(const lw_plan *plan, char *text, size_t size);

/*
 * flip_plan.c: rows of len bytes; elem 0: copied. bits: what all addresses are multiples of. dense: so many rows
 * at once lie one after the other on both sides, 0: none. False: too many blocks.
 */
bool lw_flip_fill(lw_flip_rows *f, int64_t len, int elem, uint64_t bits, int64_t rows, int64_t dense, bool in_place,
                  int slots, uint32_t *grid);
int lw_flip_align(const lw_flip_rows *f);
const char *lw_flip_mode_text(const lw_flip_rows *f);

/* inplace_plan.c */
lw_ops_status lw_inplace_run(const lw_plan *plan, void *data, lw_stream stream);

/* convert_plan.c */
lw_ops_status lw_convert_run(const lw_plan *plan, void *dst, const void *src, lw_stream stream);
lw_ops_status lw_pad_run(const lw_plan *plan, void *dst, const void *src, lw_stream stream);
void lw_pad_free(lw_plan *plan);

/* pad_plan.c */
void lw_pad_one_plan(lw_pad_one *one, const lw_tensor *dst, const lw_tensor *src, int64_t elem, const int64_t *before,
                     const void *value);
lw_ops_status lw_pad_one_run(const lw_plan *plan, const lw_pad_one *one, char *dst, const char *src, lw_stream stream);

/* shuffle_plan.c */
lw_ops_status lw_steps_run(const lw_plan *plan, void *data, void *workspace, lw_stream stream);
void lw_steps_free(lw_plan *plan);

/* hist_plan.c, hist_any_plan.c */
int lw_hist_kind_of(int type);
uint64_t lw_hist_sign(int type); /* sign bit of a signed integer type, else 0 */
lw_ops_status lw_hist_check_levels(const lw_hist *w, lw_ops_error *err);
void lw_hist_constants(const lw_hist *w, lw_hist_params *p);
void lw_hist_place_edges(const lw_ops *ops, const lw_hist *w, lw_hist_params *p, uint32_t *shared);
int lw_hist_mode_of(const lw_hist *w, const lw_hist_params *p, int64_t entries);
bool lw_hist_is_any(const lw_hist *w);
lw_ops_status lw_hist_check_any(const lw_hist *w, lw_ops_error *err);
lw_ops_status lw_hist_plan_any(lw_plan *q, lw_ops_error *err);
int lw_hist_make_edges(const lw_plan *plan, const void *samples, const void *given, char *workspace, const void **edges,
                       lw_stream stream);
int lw_hist_run_any(const lw_plan *plan, void *sums, const void *samples, const void *weights, const void *edges,
                    char *workspace, lw_stream stream);

/* Launchers in the .cu files: they return the launch's own cudaError_t. */
int lw_rows_launch(const lw_rows_params *p, int reversed, bool misaligned, uint32_t grid, lw_stream stream);
int lw_tile_launch(const lw_tile_params *p, int elem, int big, bool misaligned, uint32_t grid, lw_stream stream);
int lw_tile_size(int elem, int big, int *rows, int *cols); /* 0 if there is no such kernel */
int lw_scalar_launch(const lw_tile_params *p, int elem, int aligned, uint32_t grid, lw_stream stream);
int lw_scalar_side(int elem, int aligned); /* 0 if there is no such kernel; aligned: output lines are */
int lw_scalar_shift(int elem);             /* rows that tiles must reach beyond the last one */
int lw_bulk_launch(const lw_tile_params *p, int elem, uint32_t grid, lw_stream stream);
int lw_bulk_size(int elem, int *rows, int *cols, int *reach); /* 0: no such kernel; reach: as lw_scalar_shift */
int lw_box_launch(const lw_box_params *p, int unit, int vload, int vstore, uint32_t grid, uint32_t shared,
                  lw_stream stream);
int lw_box_bytes(int unit, int vload, int vstore); /* most bytes of one box; 0: no such kernel */
int lw_box_blocks(const struct lw_ops *ops, int unit, int vload, int vstore);
int lw_runs_launch(const lw_runs_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_runs_blocks(const struct lw_ops *ops, int unit, uint32_t shared);
int lw_runs_shared(const struct lw_ops *ops); /* most shared bytes of a block */
int lw_gather_launch(const lw_gather_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_gather_words(int unit); /* of a lane, where runs of the output are of several dimensions */
int lw_gather_threads(int unit, int linear);
int lw_gather_blocks(const struct lw_ops *ops, int unit, int linear); /* per multiprocessor, shared memory left aside */
int lw_direct_launch(const lw_direct_params *p, int unit, int vec, uint32_t grid, uint32_t threads, lw_stream stream);
int lw_swap_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream);
int lw_flip_launch(const lw_flip_params *p, uint32_t grid, lw_stream stream);
int lw_swap_rows_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream);
int lw_square_launch(const lw_square_params *p, uint32_t grid, lw_stream stream);
int lw_square_tile(int elem, int form); /* 0 if there is no such kernel */
int lw_pairs_launch(const lw_square_params *p, uint32_t grid, lw_stream stream);
int lw_pairs_side(const struct lw_ops *ops, int elem, int choice); /* along a tile, best first; 0: there is no more */
int lw_shuffle_launch(const lw_shuffle_params *p, int pass, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_panel_launch(const lw_panel_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_chunk_launch(const lw_panel_params *p, int vec, lw_stream stream);
int lw_convert_launch(const lw_convert_params *p, int form, int arithmetic, uint32_t grid, lw_stream stream);
int lw_fill_launch(const lw_fill_params *p, int vec, uint32_t grid, lw_stream stream);
int lw_pad_launch(const lw_pad_params *p, uint32_t grid, lw_stream stream);
int lw_pad_segment(void); /* bytes of a row that a block writes */
int lw_shuffle_band_rows(int unit);
int lw_record_launch(const lw_record_params *p, bool to_soa, uint32_t grid, uint32_t threads, uint32_t shared,
                     lw_stream stream);
int lw_record_direct_launch(const lw_record_direct_params *p, int size, int fields, bool to_soa, uint32_t grid,
                            lw_stream stream);
int lw_record_direct_records(int size, int fields); /* of a thread; 0: no such kernel */
int lw_index_launch(const lw_index_params *p, uint32_t grid, lw_stream stream);
int lw_hist_launch(const lw_hist_params *p, int kind, int mode, int strategy, uint32_t grid, uint32_t shared,
                   lw_stream stream);
int lw_hist_few_launch(const lw_hist_params *p, int kind, int mode, bool many, uint32_t grid, uint32_t shared,
                       lw_stream stream); /* many: LW_FEW_COUNTERS counters of a bin */
int lw_hist_part_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t shared,
                        lw_stream stream);
int lw_hist_cluster_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t cluster,
                           uint32_t shared, lw_stream stream);
int lw_hist_any_launch(const lw_hist_any *a, int kind, int add, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_hist_sum_launch(const lw_hist_any *a, int kind, int mode, int add, uint32_t grid, uint32_t shared,
                       lw_stream stream);
int lw_hist_finish_launch(const lw_hist_any *a, uint32_t grid, lw_stream stream);
int lw_hist_weights_launch(const lw_hist_any *a, uint32_t grid, lw_stream stream);
int lw_hist_range_launch(const lw_hist_any *a, int kind, uint32_t grid, lw_stream stream);
int lw_hist_edges_launch(const lw_hist_any *a, int type, uint32_t grid, lw_stream stream);
int lw_hist_clear(void *counts, size_t bytes, lw_stream stream);

/* Loads the kernels of a file onto the current device and sets their attributes; cudaError_t. */
int lw_rows_setup(int *code); /* code: compute capability that the kernels in use were compiled for */
int lw_tile_setup(void);
int lw_scalar_setup(void);
int lw_bulk_setup(void);
int lw_box_setup(struct lw_ops *ops);
int lw_runs_setup(struct lw_ops *ops);
int lw_direct_setup(void);
int lw_gather_setup(struct lw_ops *ops);
int lw_inplace_setup(void);
int lw_pairs_setup(const struct lw_ops *ops);
int lw_flip_setup(void);
int lw_convert_setup(void);
int lw_pad_setup(void);
int lw_shuffle_setup(const struct lw_ops *ops);
int lw_panel_setup(const struct lw_ops *ops);
int lw_record_setup(const struct lw_ops *ops);
int lw_record_direct_setup(void);
int lw_index_setup(void);
int lw_hist_setup(const struct lw_ops *ops);
int lw_hist_few_setup(const struct lw_ops *ops);
int lw_hist_part_setup(const struct lw_ops *ops);
int lw_hist_cluster_setup(const struct lw_ops *ops);
int lw_hist_any_setup(const struct lw_ops *ops);
int lw_hist_sum_setup(const struct lw_ops *ops);

#ifdef __cplusplus
}
#endif
#endif
