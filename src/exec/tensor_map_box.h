/* tensor_map_box.h: inside exec/: which elements of a tensor a copy by a tensor map means, row by row (PTX ISA 9.0,
 * "Tensors": tiled mode, im2col mode), and where they lie in shared memory. */
#ifndef LW_EXEC_TENSOR_MAP_BOX_H
#define LW_EXEC_TENSOR_MAP_BOX_H

#include "exec/tensor_map.h"

/* What one copy asks for: rows of neighbouring elements along dimension 0; of interleaved maps: slices. */
typedef struct exec_tensor_box {
    const exec_tensor_map *map;
    uint32_t rank;
    uint32_t outer;     /* the first dimension that numbers rows: 1; interleaved: 0 */
    uint32_t element;   /* bytes */
    uint32_t inner;     /* elements of a row */
    uint32_t row_bytes; /* inner * element */
    uint32_t
        pitch; /* bytes from row to row in shared memory: row_bytes, or the swizzle's span if that is more; slices lie close */
    uint64_t rows;
    bool follows;                    /* the next row, as exec_tensor_row says it */
    int64_t at[EXEC_TENSOR_DIMS];    /* coordinates of the next row */
    int64_t start[EXEC_TENSOR_DIMS]; /* where a dimension begins anew: im2col: the lower corner */
    int64_t last[EXEC_TENSOR_DIMS];  /* the last coordinate of a dimension */
    uint32_t step[EXEC_TENSOR_DIMS];
    uint32_t offset[EXEC_TENSOR_DIMS]; /* im2col: added to coordinates when the element is looked up */
} exec_tensor_box;

/* A row, and the part of it that lies in the tensor. */
typedef struct exec_tensor_row {
    uint64_t whole;   /* address of the row's first byte, as if the tensor had no edges */
    uint64_t address; /* of the part's first byte in global memory */
    uint32_t skip;    /* bytes of the row in front of it */
    uint32_t bytes;   /* 0: none */
    bool follows;     /* a slice that lies behind the one before, along W */
} exec_tensor_row;

/* NULL, or why a card could not carry the copy out, or why we do not. offset: im2col, W H D. */
const char *exec_tensor_box_open(exec_tensor_box *box, const exec_tensor_map *map, uint32_t rank, bool im2col,
                                 const int32_t *coordinates, const uint32_t *offset);
/* The next row; only box->rows times. */
exec_tensor_row exec_tensor_box_next(exec_tensor_box *box);

/* Where byte `offset` of shared memory lies by the map's swizzle: chunks of 16 bytes change places within 32, 64 or 128
 * bytes, by the address of the 128 bytes that they lie in. */
static inline uint64_t exec_tensor_swizzle(const exec_tensor_map *map, uint64_t offset)
{
    uint64_t mask = (UINT64_C(1) << map->swizzle) - 1;
    return offset ^ (offset >> 7 & mask) << 4;
}

#endif
