/*
 * Parameters that planners (C) fill in and kernels (CUDA) read. Plain data, passed by value to a launch.
 * Units: bytes unless said otherwise. "in" strides belong to the source, "out" strides to the destination.
 */
#ifndef LW_OPS_PARAMS_H
#define LW_OPS_PARAMS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LW_OUTER_MAX 8
#define LW_BOX_DIMS 9 /* 8 dimensions and the units of one element */
#define LW_BLOCK 256  /* threads per block of every copy kernel */

/* Division by a constant d for numerators below 2^31: q = (mulhi(n, m) + n) >> s (Granlund and Montgomery). */
typedef struct lw_fdiv {
    uint32_t d, m, s;
} lw_fdiv;

/* Dimensions that blocks enumerate, fastest first. */
typedef struct lw_outer {
    int32_t nd;
    lw_fdiv div[LW_OUTER_MAX];
    int64_t in[LW_OUTER_MAX], out[LW_OUTER_MAX];
} lw_outer;

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
    lw_fdiv t;
    int32_t pos;     /* units in the shared tile; runs: bytes */
    int32_t limit;   /* 0, 1 or 2 */
    int32_t rest;    /* steps that exist in the last box of that dimension */
    int32_t first;   /* runs: the first of them */
    uint32_t stride; /* bytes in global memory */
} lw_digit;

typedef struct lw_box_dim {
    lw_fdiv grid;    /* boxes along this dimension */
    int32_t limit;   /* 1 or 2: its last box is cut */
    int64_t in, out; /* bytes one box further */
} lw_box_dim;

typedef struct lw_box_params {
    const char *in; /* lowest addresses of the first box */
    char *out;
    int32_t nd, nl, ns;
    int32_t loads, stores; /* vectors per box */
    int32_t step;          /* bytes in the tile from one unit of a load vector to the next */
    uint32_t bias;         /* added to every input offset: dimensions that run backwards */
    uint32_t boxes;
    uint32_t pad_shift, pad_bytes; /* tile address b becomes b + (b >> pad_shift) * pad_bytes */
    uint32_t tile_bytes;           /* of one of the two tiles */
    lw_digit l[LW_BOX_DIMS], s[LW_BOX_DIMS];
    lw_box_dim d[LW_BOX_DIMS];
} lw_box_params;

/* Boxes whose sides are runs of bytes at any address: see runs.cu. */
#define LW_RUNS_PLACES 4     /* windows of 16 bytes per thread */
#define LW_RUNS_CHUNKS 6     /* aligned chunks of 16 bytes per thread that hold them */
#define LW_RUNS_SHARED 74752 /* most shared bytes of a block: three blocks on a multiprocessor of 228 KiB */
typedef struct lw_runs_params {
    const char *in; /* lowest address of the first box */
    char *out;
    const char *lo, *hi; /* the source tensor's bytes */
    int32_t nd, nl, nt, ns;
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
    int64_t reach; /* bytes from a box's lowest address to the end of its highest window */
    lw_digit l[LW_BOX_DIMS], t[LW_BOX_DIMS], s[LW_BOX_DIMS]; /* runs of the input, units of one, runs of the output */
    lw_box_dim d[LW_BOX_DIMS];
} lw_runs_params;

/* Boxes whose input runs come into shared memory as they lie: see gather.cu. */
#define LW_GATHER_STAGES 4    /* most boxes under way in a block */
#define LW_GATHER_STATIC 2048 /* at most so many shared bytes beside the dynamic ones */
typedef struct lw_gather_digit {
    lw_fdiv t;
    uint32_t stride;      /* bytes in global memory */
    uint32_t pos;         /* bytes in the stage */
    uint32_t shift, pad;  /* `pad` bytes more in the stage after every 2^shift steps */
    uint32_t limit, rest; /* as in lw_digit */
} lw_gather_digit;

typedef struct lw_gather_params {
    const char *in; /* lowest address of the first box */
    char *out;
    const char *lo, *hi; /* the source tensor's bytes */
    int32_t nd, nl, ns, nu;
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
    uint32_t ins_at, units_at, stages_at; /* places in shared memory */
    int64_t reach;                        /* bytes from a box's lowest address to the end of its highest run */
    lw_gather_digit l[LW_BOX_DIMS], s[LW_BOX_DIMS], u[LW_BOX_DIMS]; /* runs of the input, of the output, units of one */
    lw_box_dim d[LW_BOX_DIMS];
} lw_gather_params;

/* Squares of elements turned in registers, vectors on both sides: see direct.cu. */
typedef struct lw_direct_digit {
    lw_fdiv t;
    uint32_t in, out;     /* bytes in global memory of one step */
    uint32_t limit, step; /* the cut dimension, and what one step counts there */
} lw_direct_digit;

typedef struct lw_direct_params {
    const char *in;
    char *out;
    int64_t in_row, out_col; /* bytes between the vectors of a square on either side */
    int32_t nd, ns;
    uint32_t squares; /* of a box */
    uint32_t rest[2]; /* of the cut dimensions in their last box */
    lw_direct_digit s[LW_BOX_DIMS + 2];
    lw_box_dim d[LW_BOX_DIMS];
} lw_direct_params;

/* Rows at any address, copied or with their elements reversed: see flip.cu. */
#define LW_FLIP_BYTES 16384   /* of shared memory: what a block reads */
#define LW_FLIP_SEGMENT 16128 /* most bytes of a row that a block writes; its ends bring some along */
#define LW_FLIP_CHUNK 8064    /* the same for each of two pieces */
#define LW_FLIP_MAX_ELEM 64
#define LW_FLIP_MIN_ROW 64
#define LW_FLIP_MAX_PIECES 128 /* of a block */
enum {
    LW_FLIP_COPY = 0,
    LW_FLIP_1,
    LW_FLIP_2,
    LW_FLIP_4,
    LW_FLIP_8,
    LW_FLIP_16,
    LW_FLIP_EVEN,
    LW_FLIP_ODD,
    LW_FLIP_ANY,
    LW_FLIP_MODES
}; /* elements of 1 or 2 bytes, multiples of 4, 8, 16, all aligned to that; even, odd, any size */

typedef struct lw_flip_rows {
    const char *lo, *hi; /* the source tensor's bytes */
    int64_t len;         /* of a row */
    int32_t mode;
    lw_fdiv elem;   /* bytes of an element; 1 for copies */
    uint32_t whole; /* a multiple of that, at least 128 */
    uint32_t rows;
    uint32_t bytes;          /* long rows: of a piece, a multiple of 128, or in place of elements */
    uint32_t bytes_mod;      /* modulo the element */
    lw_fdiv segments;        /* long rows: pieces, or pairs, of a row; dense rows: blocks for `rows` */
    uint32_t rows_per_block; /* short rows; 0 for long rows */
    uint32_t slots;          /* short rows: pieces of one */
    uint32_t lanes;          /* short rows: threads that write a piece, a power of two */
    uint32_t dense;          /* short rows lie one after the other: one piece a block; `rows`, then `outer` */
    lw_fdiv windows;         /* short rows: vectors of a piece; dense rows: their length */
} lw_flip_rows;

typedef struct lw_flip_params {
    const char *in; /* lowest address of the first row */
    char *out;
    lw_flip_rows rows;
    lw_outer outer;
} lw_flip_params;

/*
 * Reversal in place. The slowest flipped dimension is enumerated to its middle. With rows.len, the fastest dimension is
 * a row of bytes that is not enumerated: rows are exchanged, reversed inside unless they are copied.
 */
typedef struct lw_swap_params {
    char *data;
    int64_t total; /* pairs to look at */
    int32_t nd;
    int32_t outermost;      /* slowest flipped dimension, -1: none */
    uint32_t flipped;       /* bit k: dimension k is mirrored */
    int32_t vec;            /* without rows: bytes moved per side */
    int32_t elem;           /* element bytes of reversed vectors, else 0 */
    int64_t half;           /* bytes of the elements in a row's first half */
    int64_t n[LW_BOX_DIMS]; /* extents, fastest first */
    int64_t stride[LW_BOX_DIMS];
    lw_flip_rows rows;
} lw_swap_params;

/*
 * Records and their fields. Work on the fields' side is dealt out in groups: 8 lanes, each with `turns` windows of 16
 * bytes. Groups side by side in a warp share a stretch of a field, their windows alternating, where it is long
 * enough.
 */
#define LW_RECORD_GROUP 8
#define LW_RECORD_TURNS 4
#define LW_RECORD_GROUPS 320 /* most of a block */
typedef struct lw_record_field {
    char *data;
    uint32_t offset, size; /* bytes in the record */
    uint32_t kind;         /* 5 x log2 of the bytes of a unit + log2 of units per element; + 4: any number of them */
    lw_fdiv units;         /* of one element */
} lw_record_field;

typedef struct lw_record_params {
    char *aos;
    int64_t records;
    uint32_t per_block, record_bytes;
    int32_t fields, keep, zero; /* bytes between fields: keep what there is, or write zeros */
    int32_t even;               /* all pointers and all runs of a full block are multiples of 16 */
    uint32_t groups;
    uint32_t turns; /* windows of a lane: 1 or LW_RECORD_TURNS */
    lw_record_field field[64];
    uint32_t group[LW_RECORD_GROUPS]; /* field, 2 bits log2 of groups side by side, first window / 8 */
} lw_record_params;

/* Records of 2 or 4 fields of one size: see record_direct.cu. */
typedef struct lw_record_direct_params {
    char *aos;
    char *field[4]; /* by their place in the record */
    int64_t records;
} lw_record_direct_params;

/* Rows chosen by an index. */
typedef struct lw_index_params {
    char *out;
    const char *in;
    const char *lo, *hi; /* the source's bytes */
    const void *index;
    int64_t count, table_rows;
    int64_t in_pitch, out_pitch, row_bytes;
    int32_t wide, wrap, scatter; /* wide: 64-bit indices */
    uint32_t gran, rows_per_block;
    lw_fdiv windows;
    uint32_t segments; /* blocks per row, for long rows */
} lw_index_params;

/* Rows: aligned to 16 bytes, at any address, aligned to the element; the same by bulk copies (square.cu). */
enum { LW_SQUARE_ALIGNED = 0, LW_SQUARE_ANY, LW_SQUARE_ODD, LW_SQUARE_BULK };
typedef struct lw_square_params {
    char *data;
    const char *hi; /* end of the last matrix */
    int64_t n, row_stride, batch_stride;
    int32_t elem;
    int32_t gran;
    int32_t form;
    uint32_t pitch; /* LW_SQUARE_ODD: of a tile in shared memory */
    int32_t side;   /* LW_SQUARE_BULK: elements along a tile */
    int32_t group;  /* tile pairs go in groups of so many by so many tiles, a power of two, given by its logarithm */
    uint32_t tiles; /* along one side */
    lw_fdiv pairs;  /* tile pairs per matrix, with those of groups at the end and on the diagonal that do not exist */
} lw_square_params;

/* A copy that changes its elements, of one or two (complex) parts: see convert.cu. */
enum { LW_CONVERT_STRAIGHT = 0, LW_CONVERT_TURNED, LW_CONVERT_VECTORS, LW_CONVERT_TURNED_VECTORS };
/*
 * Turned by vectors: components of `in` bytes become such of `out` bytes. Every thread turns SIDE x SIDE of them; a
 * tile has SLOTS times as many along the output's rows, and 256 / SLOTS times along the input's.
 */
#define LW_CONVERT_WIDE(in, out) ((in) > (out) ? (in) : (out))
#define LW_CONVERT_SIDE(in, out) (LW_CONVERT_WIDE(in, out) == 1 ? 8 : 16 / LW_CONVERT_WIDE(in, out))
#define LW_CONVERT_SLOTS(in, out) ((in) >= 4 * (out) ? 32 : (out) >= 4 * (in) ? 8 : 16)
typedef struct lw_convert_params {
    const char *in;
    char *out;
    int32_t in_type, out_type, in_bytes, out_bytes, parts;
    int32_t swap_in, swap_out, conjugate;
    int64_t n0, in0, out0;         /* the output's fastest dimension */
    int64_t n1, in1, out1;         /* tiles: the input's */
    uint32_t rows, rows_per_block; /* straight: rows_per_block is 0 for long rows */
    lw_fdiv width, col_tiles, row_tiles;
    lw_outer outer;
} lw_convert_params;

typedef struct lw_fill_params {
    char *out;
    int64_t n0; /* pieces per row */
    uint32_t rows, rows_per_block;
    int32_t elem;
    lw_fdiv width, parts;
    lw_outer outer;
    __attribute__((aligned(16))) unsigned char pattern[64];
} lw_fill_params;

/* A pad of a dense output in rows of whole vectors: see pad.cu. */
typedef struct lw_pad_dim {
    lw_fdiv n;             /* of the output */
    uint32_t before, size; /* elements before the source's first, modulo 2^32; the source's */
    int64_t stride;        /* of the source */
} lw_pad_dim;

typedef struct lw_pad_params {
    const char *in; /* what byte `first` of a row comes from, with all coordinates of the source 0 */
    char *out;
    int64_t width, first, len; /* bytes of a row of the output; of these, len from the source */
    lw_fdiv segments;          /* blocks per row */
    int32_t nd;
    lw_pad_dim dim[LW_OUTER_MAX]; /* of rows, fastest first */
    __attribute__((aligned(16))) unsigned char pattern[16];
} lw_pad_params;

/* A pass of a transposition in place over an m x n matrix of elements of k units: see shuffle.cu. */
enum { LW_PASS_BAND = 0, LW_PASS_LINES, LW_PASS_TURN, LW_PASS_SPREAD };
typedef enum lw_lines { LW_LINES_STRAIGHT = 0, LW_LINES_GATHER, LW_LINES_SCATTER } lw_lines;

typedef struct lw_shuffle_params {
    const char *src;
    char *dst;
    int64_t src_row, dst_row; /* bytes */
    lw_fdiv m, n, a, b;       /* a = m / gcd, b = n / gcd */
    lw_fdiv k;                /* units per element; lines: vectors per row */
    lw_fdiv row_units, col_tiles;
    uint32_t m_mod_n;
    uint32_t units; /* of one row of what the kernel works on */
    uint32_t first_unit, first_row, rows_per_block;
    int32_t lines, by_block, backwards;
} lw_shuffle_params;

/* Tiles of rows x cols elements and chunks in place: see panel.cu. */
#define LW_PANEL_CHUNK 2048 /* most bytes of a chunk */
typedef struct lw_panel_params {
    char *data;
    const char *scratch;
    int64_t panel_bytes;
    lw_fdiv rows, cols;
    uint32_t pitch;                /* elements */
    int32_t back;                  /* cols x rows become rows x cols */
    uint32_t chunk, chunks, saved; /* chunks and saved ones of one batch */
    int64_t one;                   /* bytes of one batch */
    lw_fdiv warps;                 /* of one batch */
    uint32_t batches;
    lw_fdiv source; /* the content of place x comes from (x mod source) others + x / source */
    uint32_t others;
} lw_panel_params;

#ifdef __cplusplus
}
#endif
#endif
