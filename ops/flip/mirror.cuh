/* What the kernels of reversals and of squares share: pairs of positions, vectors at a tensor's ends. */
#ifndef LW_OPS_MIRROR_CUH
#define LW_OPS_MIRROR_CUH

#include "common/kernel.cuh"
#include "flip/flip.h"

/* 16 bytes of which some may lie outside the tensor. */
static __device__ __noinline__ uint4 load_edge(const char *p, const char *lo, const char *hi)
{
    uint32_t w[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 16; i++) {
        if (p + i >= lo && p + i < hi) w[i / 4] |= (uint32_t)*(const unsigned char *)(p + i) << (i % 4 * 8);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

LW_DEV uint4 load_in(const char *p, const char *lo, const char *hi)
{
    return p >= lo && p + 16 <= hi ? load16(p) : load_edge(p, lo, hi);
}

/*
 * Offsets of a position and of its mirror. Only the first half of the slowest flipped dimension is enumerated; in its
 * middle the next flipped dimension decides, so that every pair is met once. Returns 0: skip, 1: pair, 2: own mirror.
 */
LW_DEV int mirror(const lw_swap_params &p, int64_t index, int64_t *a, int64_t *b)
{
    int order = 0;
    *a = *b = 0;
    for (int i = 0; i < p.dims; i++) {
        int64_t n = i == p.outermost ? (p.extent[i] + 1) / 2 : p.extent[i], c = index;
        if (i + 1 < p.dims) {
            int64_t q = p.total < 0x7fffffff ? (uint32_t)index / (uint32_t)n : index / n;
            c = index - q * n;
            index = q;
        }
        int64_t m = p.flipped >> i & 1 ? p.extent[i] - 1 - c : c;
        if (c != m) order = c < m ? 1 : -1;
        *a += c * p.stride[i];
        *b += m * p.stride[i];
    }
    return order < 0 ? 0 : order > 0 ? 1 : 2;
}

#endif
