/*
 * Rows at any address, copied or with their elements reversed, out of place and in place (flip.cu): parameters, the
 * planner's choice of pieces, launchers. Not installed.
 */
#ifndef LW_OPS_FLIP_H
#define LW_OPS_FLIP_H

#include "common/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    int64_t total;     /* pairs to look at */
    int32_t dims;      /* of the arrays below, fastest first */
    int32_t outermost; /* slowest flipped dimension, -1: none */
    uint32_t flipped;  /* bit k: dimension k is mirrored */
    int32_t vec;       /* without rows: bytes moved per side */
    int32_t elem;      /* element bytes of reversed vectors, else 0 */
    int64_t half;      /* bytes of the elements in a row's first half */
    int64_t extent[LW_OUTER_MAX + 1];
    int64_t stride[LW_OUTER_MAX + 1]; /* bytes */
    lw_flip_rows rows;
} lw_swap_params;

/* flip.cu. Launchers return the launch's own cudaError_t */
int lw_flip_launch(const lw_flip_params *p, uint32_t grid, lw_stream stream);
int lw_swap_rows_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream);

/*
 * How rows of len bytes are cut into pieces. elem: bytes of the elements that are reversed, 0: copied. bits: what all
 * addresses are multiples of. dense: so many rows at once lie one after the other on both sides, 0: none. slots: pieces
 * of a short row. False: too many blocks.
 */
bool lw_flip_fill(lw_flip_rows *f, int64_t len, int elem, uint64_t bits, int64_t rows, int64_t dense, bool in_place,
                  int slots, uint32_t *grid);
int lw_flip_align(const lw_flip_rows *f); /* of pointers, bytes */
const char *lw_flip_mode_text(const lw_flip_rows *f);

#ifdef __cplusplus
}
#endif
#endif
