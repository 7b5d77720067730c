/* In place: parameters of the kernels and their launchers, which return the launch's own cudaError_t. Not installed. */
#ifndef LW_OPS_INPLACE_H
#define LW_OPS_INPLACE_H

#include "common/base.h"
#include "flip/flip.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* A pass of a transposition in place over an m x n matrix of elements of k units: see shuffle.cu. */
enum { LW_PASS_BAND = 0, LW_PASS_LINES, LW_PASS_TURN, LW_PASS_SPREAD };
typedef enum lw_lines { LW_LINES_STRAIGHT = 0, LW_LINES_GATHER, LW_LINES_SCATTER } lw_lines;

typedef struct lw_shuffle_params {
    const char *src;
    char *dst;
    int64_t src_row, dst_row; /* bytes */
    lw_fdiv m, n, a, b;       /* a = m / gcd, b = n / gcd */
    lw_fdiv k;                /* units per element; lines: vectors per row */
    lw_fdiv row_units;        /* units of a row of the matrix */
    lw_fdiv col_tiles;        /* band: tiles across a strip; spread: blocks of a row */
    uint32_t m_mod_n;
    uint32_t units;      /* of one row of what the kernel works on */
    uint32_t first_unit; /* band: of the strip, in a row of the matrix */
    uint32_t first_row;  /* spread: of the rows in the scratch */
    uint32_t rows_per_block;
    int32_t lines;     /* lw_lines */
    int32_t by_block;  /* band: column j goes by j / b, else by j */
    int32_t backwards; /* the inverse pass */
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

int lw_swap_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream);
int lw_square_launch(const lw_square_params *p, uint32_t grid, lw_stream stream);
int lw_square_tile(int elem, int form); /* elements along a side; 0 if there is no such kernel */
int lw_pairs_launch(const lw_square_params *p, uint32_t grid, lw_stream stream);
int lw_pairs_side(const lw_ops *ops, int elem, int choice); /* along a tile, best first; 0: there is no more */
int lw_shuffle_launch(const lw_shuffle_params *p, int pass, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_shuffle_band_rows(int unit);
int lw_panel_launch(const lw_panel_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream);
int lw_chunk_launch(const lw_panel_params *p, int vec, lw_stream stream);

#ifdef __cplusplus
}
#endif
#endif
