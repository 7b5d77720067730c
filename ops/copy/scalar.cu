/*
 * Transposition of matrices that are not aligned to 16 bytes but to their elements of 1, 2, 4 or 8 bytes: element by
 * element through a padded tile, consecutive lanes on consecutive addresses on both sides, up to 16 loads in flight per
 * thread.
 */
#include "common/kernel.cuh"
#include "copy/kernels.h"

typedef void (*scalar_fn)(const lw_tile_params);

#define FLIGHT 16   /* loads of a thread on the way at once, unless a few more take them all */
#define SHIFT_MIN 8 /* elements this wide write whole sectors */

template <int E, int SIDE> struct scalar_shape {
    static const int side = SIDE;
    /* most elements by which a line is moved to begin with a sector; below 8 bytes that cost more than it gained */
    static const int shift = E >= SHIFT_MIN ? 32 / E : 0;
    static const int rows = side + shift;
    /* lines an odd number of words apart: consecutive columns fall into different banks */
    static const int pitch = E >= 4 ? rows + 1 : rows + 4 / E - (rows * E / 4 % 2 ? 4 / E : 0);
};

/*
 * A tile of wide elements has `shift` more rows than it writes: every output line writes `side` elements from the last
 * sector boundary at or before its start, so that sectors are written whole although each line is misaligned
 * differently.
 */
template <int E, int SIDE> __global__ void __launch_bounds__(LW_BLOCK) scalar_kernel(const lw_tile_params p)
{
    typedef scalar_shape<E, SIDE> S;
    typedef typename vec<E>::t elem;
    const int side = S::side, lines = LW_BLOCK / side, total = (S::rows + lines - 1) / lines;
    const int flight = total <= FLIGHT + 4 ? total : FLIGHT;
    __shared__ elem tile[side * S::pitch];
    uint32_t i = blockIdx.x, q1 = fdiv(i, p.row_tiles), q2 = fdiv(q1, p.col_tiles);
    int64_t in = 0, out = 0, row0 = (int64_t)(i - q1 * p.row_tiles.d) * side,
            col0 = (int64_t)(q1 - q2 * p.col_tiles.d) * side;
    outer_decode(p.outer, q2, &in, &out);
    int cols = (int)min(p.cols - col0, (int64_t)side);
    int64_t first = row0 - S::shift; /* row of the tile's row 0 */
    const char *src = p.in + in + first * p.in_row + col0 * E;
    int x = threadIdx.x % side, y = threadIdx.x / side;
    for (int k0 = 0; k0 < total; k0 += flight) {
        elem v[flight];
#pragma unroll
        for (int k = 0; k < flight; k++) {
            int r = y + (k0 + k) * lines;
            if (r < S::rows && first + r >= 0 && first + r < p.rows && x < cols) {
                v[k] = *((const elem *)(src + r * p.in_row) + x);
            }
        }
#pragma unroll
        for (int k = 0; k < flight; k++) {
            if (y + (k0 + k) * lines < S::rows) tile[x * S::pitch + y + (k0 + k) * lines] = v[k];
        }
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < side / lines; k++) {
        int c = y + k * lines;
        if (c >= cols) continue;
        char *dst = p.out + out + (col0 + c) * p.out_col + row0 * E;
        int back = S::shift ? (int)((uintptr_t)dst & 31) / E : 0;
        int64_t row = row0 - back + x;
        if (row >= 0 && row < p.rows) *((elem *)dst + x - back) = tile[c * S::pitch + S::shift - back + x];
    }
}

/* Lines of the output that begin with a sector take larger tiles; of 4-byte elements elsewhere small ones won. */
static const struct scalar_entry {
    int elem, aligned, side;
    scalar_fn fn;
} table[] = {
#define SCALAR(E, A, SIDE) {E, A, SIDE, scalar_kernel<E, SIDE>}
    SCALAR(1, 0, 128), SCALAR(1, 1, 128), SCALAR(2, 0, 128), SCALAR(2, 1, 128),
    SCALAR(4, 0, 32),  SCALAR(4, 1, 64),  SCALAR(8, 0, 32),  SCALAR(8, 1, 32),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct scalar_entry *find(int elem, int aligned)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].elem == elem && table[i].aligned == aligned) return &table[i];
    }
    return 0;
}

extern "C" int lw_scalar_side(int elem, int aligned)
{
    const struct scalar_entry *e = find(elem, aligned);
    return e ? e->side : 0;
}

extern "C" int lw_scalar_shift(int elem) { return elem >= SHIFT_MIN ? 32 / elem - 1 : 0; }

extern "C" int lw_scalar_launch(const lw_tile_params *p, int elem, int aligned, uint32_t grid, lw_stream stream)
{
    const struct scalar_entry *e = find(elem, aligned);
    if (!e) return (int)cudaErrorInvalidValue;
    return LW_LAUNCH(e->fn, grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_scalar_setup(lw_ops *)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < ENTRIES && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)table[i].fn);
    return (int)e;
}
