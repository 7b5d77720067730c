/* Conversions, pads and rows by index: parameters of the kernels and their launchers. Not installed. */
#ifndef LW_OPS_CONVERT_H
#define LW_OPS_CONVERT_H

#include "common/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#define LW_CONVERT_SEGMENT (4 * LW_BLOCK) /* elements or vectors of a row that a block takes; pads: the same */
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
    int32_t in_type, out_type;   /* lw_type */
    int32_t in_bytes, out_bytes; /* of a component */
    int32_t parts;               /* components of an element: 2 if it is complex */
    int32_t swap_in, swap_out;   /* bytes in reverse order */
    int32_t conjugate;
    int64_t across, across_in, across_out; /* the output's fastest dimension: its extent, bytes from one to the next */
    int64_t down, down_in, down_out;       /* tiles: the same of the input's fastest */
    uint32_t rows, rows_per_block;         /* straight: rows_per_block is 0 for long rows */
    lw_fdiv width;                         /* straight: elements, or vectors, of a short row */
    lw_fdiv col_tiles, row_tiles;          /* along across and down; straight: blocks of a long row */
    lw_outer outer;                        /* the other dimensions */
} lw_convert_params;

typedef struct lw_fill_params {
    char *out;
    int64_t pieces;                /* of a row */
    uint32_t rows, rows_per_block; /* rows_per_block: 0 for long rows */
    int32_t elem;                  /* bytes */
    lw_fdiv width, parts;          /* pieces of a short row; blocks of a long one */
    lw_outer outer;
    __attribute__((aligned(16))) unsigned char pattern[64];
} lw_fill_params;

/* A pad of a dense output in rows of whole vectors: see pad.cu. */
typedef struct lw_pad_dim {
    lw_fdiv extent;        /* of the output */
    uint32_t before, size; /* elements before the source's first, modulo 2^32; the source's */
    int64_t stride;        /* of the source */
} lw_pad_dim;

typedef struct lw_pad_params {
    const char *in; /* what byte `first` of a row comes from, with all coordinates of the source 0 */
    char *out;
    int64_t width, first, len; /* bytes of a row of the output; of these, len from the source */
    lw_fdiv segments;          /* blocks per row */
    int32_t dims;
    lw_pad_dim dim[LW_OUTER_MAX]; /* of rows, fastest first */
    __attribute__((aligned(16))) unsigned char pattern[16];
} lw_pad_params;

/* Launchers return the launch's own cudaError_t. form: LW_CONVERT_...; arithmetic: 0 bits, 1 f32, 2 f64 */
int lw_convert_launch(const lw_convert_params *p, int form, int arithmetic, uint32_t grid, lw_stream stream);
int lw_fill_launch(const lw_fill_params *p, int vec, uint32_t grid, lw_stream stream);
int lw_pad_launch(const lw_pad_params *p, uint32_t grid, lw_stream stream);
int lw_pad_segment(void); /* bytes of a row that a block writes */
int lw_index_launch(const lw_index_params *p, uint32_t grid, lw_stream stream);

#ifdef __cplusplus
}
#endif
#endif
