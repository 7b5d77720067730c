/*
 * Pairs of tiles of square matrices that are transposed in place: which pair a block takes (inplace.cu, square.cu).
 */
#ifndef LW_OPS_SQUARE_CUH
#define LW_OPS_SQUARE_CUH

#include "common/kernel.cuh"
#include "inplace/inplace.h"

/* Pair k counts the lower triangle by rows: (0,0) (1,0) (1,1) (2,0) ... */
LW_DEV void triangle(uint32_t k, uint32_t *i, uint32_t *j)
{
    uint32_t r = (uint32_t)((sqrt(8.0 * k + 1.0) - 1.0) * 0.5);
    while ((uint64_t)r * (r + 1) / 2 > k) r--;
    while ((uint64_t)(r + 1) * (r + 2) / 2 <= k) r++;
    *i = r;
    *j = k - (uint32_t)((uint64_t)r * (r + 1) / 2);
}

/* The block's matrix and pair of tiles; false: there is none. Groups keep both sides' lines together in time. */
LW_DEV bool find_pair(const lw_square_params &p, char **data, uint32_t *i, uint32_t *j)
{
    uint32_t batch = fdiv(blockIdx.x, p.pairs), k = blockIdx.x - batch * p.pairs.d, side = 1u << p.group, a, b;
    triangle(k >> 2 * p.group, &a, &b);
    *data = p.data + batch * p.batch_stride;
    *i = a * side + (k >> p.group & (side - 1));
    *j = b * side + (k & (side - 1));
    return *i < p.tiles && *j <= *i;
}

#endif
