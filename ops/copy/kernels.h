/*
 * The kernels of copies: parameters of each, and how a planner asks for and launches them. Launchers return the launch's
 * own cudaError_t. Not installed.
 */
#ifndef LW_OPS_COPY_KERNELS_H
#define LW_OPS_COPY_KERNELS_H

#include "common/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LW_BOX_DIMS 9 /* 8 dimensions and the units of one element */
#define LW_LINE_DIMS 2

/* Rows of `len` contiguous bytes, copied or with their elements reversed. */
typedef struct lw_rows_params {
    const char *in; /* lowest address of the first row, also of reversed ones */
    char *out;
    const char *lo, *hi; /* the source tensor's bytes */
    int64_t len;
    uint32_t rows;
    uint32_t gran;           /* power of two that divides len, all strides and pointers; at most 8 */
    uint32_t rows_per_block; /* short rows; 0 for long rows */
    uint32_t line;           /* a window a thread, in up to LW_LINE_DIMS outer dimensions */
    lw_fdiv windows;         /* short rows and lines: 16-byte windows per row */
    lw_fdiv segments;        /* long rows: blocks per row */
    lw_outer outer;
} lw_rows_params;

/* Matrices: in is a rows x cols matrix with contiguous rows, out the transpose with contiguous (former) columns. */
typedef struct lw_tile_params {
    const char *in;
    char *out;
    const char *lo, *hi;     /* the source tensor's bytes */
    int64_t rows, cols;      /* elements: cols run along the input's contiguous bytes, rows along the output's */
    int64_t in_row, out_col; /* distance of input rows, distance of output rows (one per column) */
    uint32_t gran;
    lw_fdiv row_tiles, col_tiles; /* blocks of a strip, strips */
    lw_outer outer;
} lw_tile_params;

/* Columns of aligned tiles that blocks take side by side. Two of 8-byte elements: 1-3 % (10000 and 16384 squared, an
 * H200). */
#define LW_TILE_STRIP(elem) ((elem) == 8 ? 2 : 1)

/* One digit of the counting of a box: extent, what one step adds, and which cut dimension limits it (0: none). */
typedef struct lw_digit {
    lw_fdiv steps;   /* how many: a box's extent in this dimension */
    int32_t pos;     /* of one step in the shared tile: units; runs: bytes */
    int32_t limit;   /* 0, 1 or 2 */
    int32_t rest;    /* steps that exist in the last box of that dimension */
    int32_t first;   /* runs: the first of them */
    uint32_t stride; /* of one step in global memory, bytes */
} lw_digit;

/* A dimension along which boxes are counted. */
typedef struct lw_box_dim {
    lw_fdiv boxes;
    int32_t limit;   /* 1 or 2: its last box is cut */
    int64_t in, out; /* bytes one box further */
} lw_box_dim;

typedef struct lw_box_params {
    const char *in; /* lowest addresses of the first box */
    char *out;
    int32_t grid_dims, load_digits, store_digits; /* of the arrays below */
    int32_t loads, stores;                        /* vectors per box */
    int32_t step;                                 /* bytes in the tile from one unit of a load vector to the next */
    uint32_t bias;                                /* added to every input offset: dimensions that run backwards */
    uint32_t boxes;
    uint32_t pad_shift, pad_bytes; /* tile address b becomes b + (b >> pad_shift) * pad_bytes */
    uint32_t tile_bytes;           /* of one of the two tiles */
    lw_digit load_digit[LW_BOX_DIMS], store_digit[LW_BOX_DIMS]; /* vectors, by input and by output stride */
    lw_box_dim grid[LW_BOX_DIMS];
} lw_box_params;

/* Boxes whose sides are runs of bytes at any address: see runs.cu. */
#define LW_RUNS_PLACES 4     /* windows of 16 bytes per thread */
#define LW_RUNS_CHUNKS 6     /* aligned chunks of 16 bytes per thread that hold them */
#define LW_RUNS_SHARED 74752 /* most shared bytes of a block: three blocks on a multiprocessor of 228 KiB */
typedef struct lw_runs_params {
    const char *in; /* lowest address of the first box */
    char *out;
    const char *lo, *hi;                                   /* the source tensor's bytes */
    int32_t grid_dims, in_digits, unit_digits, out_digits; /* of the arrays below */
    uint32_t boxes;
    uint32_t in_runs, run_units; /* runs of the input in a box, units of one */
    lw_fdiv windows;             /* of one run */
    lw_fdiv chunks;              /* aligned ones of 16 bytes that can hold a run */
    int32_t last_chunk; /* the last of them is needed if the run begins more bytes than that after a boundary */
    int32_t pos_bias, table_bias;           /* dimensions that run backwards in the input */
    uint32_t out_runs, run_bytes, run_rest; /* runs of the output; bytes of one, and in the last box of dimension: */
    uint32_t run_limit;
    uint32_t pitch;                                /* bytes from one output run to the next in the tile */
    uint32_t passes;                               /* an estimate: of two stores of a warp to the tile, 2 at best */
    uint32_t table_at, tile_at, raw_at, raw_bytes; /* places in shared memory; raw: two areas */
    uint32_t group;                                /* lanes to a run of the output: 8, 16 or 32 */
    lw_fdiv parts;                                 /* of a run: a group writes four words a lane at once */
    int64_t reach;                    /* bytes from a box's lowest address to the end of its highest window */
    lw_digit in_digit[LW_BOX_DIMS];   /* runs of the input */
    lw_digit unit_digit[LW_BOX_DIMS]; /* units of one */
    lw_digit out_digit[LW_BOX_DIMS];  /* runs of the output */
    lw_box_dim grid[LW_BOX_DIMS];
} lw_runs_params;

/* Boxes whose input runs come into shared memory as they lie: see gather.cu. */
#define LW_GATHER_STAGES 4    /* most boxes under way in a block */
#define LW_GATHER_STATIC 2048 /* at most so many shared bytes beside the dynamic ones */
typedef struct lw_gather_digit {
    lw_fdiv steps;        /* how many: a box's extent in this dimension */
    uint32_t stride;      /* of one step in global memory, bytes */
    uint32_t pos;         /* of one step in the stage, bytes */
    uint32_t shift, pad;  /* `pad` bytes more in the stage after every 2^shift steps */
    uint32_t limit, rest; /* as in lw_digit */
} lw_gather_digit;

typedef struct lw_gather_params {
    const char *in; /* lowest address of the first box */
    char *out;
    const char *lo, *hi;                                   /* the source tensor's bytes */
    int32_t grid_dims, in_digits, out_digits, unit_digits; /* of the arrays below */
    int32_t linear, bulk; /* runs of the output of one dimension; runs of the input by bulk copies */
    uint32_t boxes;
    uint32_t in_runs, in_bytes, in_rest, in_limit; /* runs of the input; bytes of one, in the last box of in_limit */
    uint32_t in_lanes;                             /* log2 of the lanes that bring a run */
    uint32_t out_runs, run_units, run_rest, run_limit;
    uint32_t group;               /* log2 of the lanes to a run of the output: 3 to 5 */
    uint32_t words;               /* of a lane in a part of a run */
    uint32_t parts, classes;      /* log2: parts of a run; runs of the output whose misalignment in a word differs */
    uint32_t unit_step, unit_pad; /* linear: bytes in the stage from unit to unit, and more after every word */
    uint32_t stages, stage_bytes;
    uint32_t ins_at, units_at, stages_at;    /* places in shared memory */
    int64_t reach;                           /* bytes from a box's lowest address to the end of its highest run */
    lw_gather_digit in_digit[LW_BOX_DIMS];   /* runs of the input */
    lw_gather_digit out_digit[LW_BOX_DIMS];  /* runs of the output */
    lw_gather_digit unit_digit[LW_BOX_DIMS]; /* units of one of the output */
    lw_box_dim grid[LW_BOX_DIMS];
} lw_gather_params;

/* Squares of elements turned in registers, vectors on both sides: see direct.cu. */
typedef struct lw_direct_digit {
    lw_fdiv steps;
    uint32_t in, out;     /* bytes in global memory of one step */
    uint32_t limit, step; /* the cut dimension, and what one step counts there */
} lw_direct_digit;

typedef struct lw_direct_params {
    const char *in;
    char *out;
    int64_t in_row, out_col;          /* bytes between the vectors of a square on either side */
    int32_t grid_dims, square_digits; /* of the arrays below */
    uint32_t squares;                 /* of a box */
    uint32_t rest[2];                 /* of the cut dimensions in their last box */
    lw_direct_digit square_digit[LW_BOX_DIMS + 2];
    lw_box_dim grid[LW_BOX_DIMS];
} lw_direct_params;

/* rows.cu */
int lw_rows_launch(const lw_rows_params *p, int reversed, bool misaligned, uint32_t grid, lw_stream stream);
int lw_rows_code(int *code); /* compute capability that the kernels in use were compiled for, 10 * major + minor */

/* tile.cu, scalar.cu, bulk.cu. Sizes in elements; 0 if there is no such kernel. */
int lw_tile_launch(const lw_tile_params *p, int elem, int big, bool misaligned, uint32_t grid, lw_stream stream);
int lw_tile_size(int elem, int big, int *rows, int *cols);
int lw_scalar_launch(const lw_tile_params *p, int elem, int aligned, uint32_t grid, lw_stream stream);
int lw_scalar_side(int elem, int aligned); /* aligned: all output lines begin at multiples of 16 bytes */
int lw_scalar_shift(int elem);             /* rows that tiles must reach beyond the last one */
int lw_bulk_launch(const lw_tile_params *p, int elem, uint32_t grid, lw_stream stream);
int lw_bulk_size(int elem, int *rows, int *cols, int *reach); /* reach: as lw_scalar_shift */

/* box.cu. Blocks, here and below: resident ones per multiprocessor. */
int lw_box_launch(const lw_box_params *p, int unit, int vload, int vstore, uint32_t grid, uint32_t shared,
                  lw_stream stream);
int lw_box_bytes(int unit, int vload, int vstore); /* most bytes of one box; 0: no such kernel */
int lw_box_blocks(const lw_ops *ops, int unit, int vload, int vstore);

/* runs.cu */
int lw_runs_launch(const lw_runs_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_runs_blocks(const lw_ops *ops, int unit, uint32_t shared);
int lw_runs_shared(const lw_ops *ops); /* most shared bytes of a block */

/* gather.cu. linear: runs of the output are of one dimension, else listed */
int lw_gather_launch(const lw_gather_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_gather_words(int unit); /* of a lane, of listed runs */
int lw_gather_threads(int unit, int linear);
int lw_gather_blocks(const lw_ops *ops, int unit, int linear); /* shared memory left aside */

/* direct.cu */
int lw_direct_launch(const lw_direct_params *p, int unit, int vec, uint32_t grid, uint32_t threads, lw_stream stream);

#ifdef __cplusplus
}
#endif
#endif
