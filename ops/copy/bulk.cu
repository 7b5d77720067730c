/*
 * Transposition of matrices whose rows lie at odd addresses, cc 9.0 and later: elements of 1 and 2 bytes, and of 4 to
 * 16 bytes in words of 4.
 *
 * A warp's lanes send bulk copies: each brings the 16-byte chunks that one row of the tile touches into shared memory,
 * where the row keeps its misalignment. Output lines are put together word by word, one word a lane, and begin with a
 * whole sector: a tile has some rows more than it writes, of which every line takes as many as its own misalignment
 * asks for. Rows stand in groups of 16 / E, groups an odd number of chunks apart: where rows of an odd pitch differ in
 * their misalignment by one element from one to the next, a warp's reads of a column fall into all banks.
 */
#include "copy/bulk.cuh"
#include "copy/kernels.h"

typedef void (*bulk_fn)(const lw_tile_params);

#define WARPS (LW_BLOCK / 32)
#define SECTOR 32

template <int E, int C, int R> struct bulk_shape {
    static const int unit = E < 4 ? E : 4;                  /* bytes that move together */
    static const int units = E / unit;                      /* per element */
    static const int per = 4 / unit;                        /* units to a word of the output */
    static const int classes = SECTOR / unit;               /* lines that far apart begin alike in a sector */
    static const int extra = (classes + units - 1) / units; /* rows before the tile's own */
    static const int reach = (classes + units - 2) / units; /* rows the tiles must go beyond the last */
    static const int rows = R + extra;
    static const int group = E >= 16 ? 1 : E > 8 ? 4 : 16 / E;
    static const int chunks = C * E / 16 + 1;    /* of a row */
    static const int pitch = group * chunks | 1; /* chunks from one group of rows to the next */
    static const int bytes = (rows + group - 1) / group * pitch * 16;
    static const int words = R * E / 128; /* per lane and line */
};

template <int E, int C, int R> LW_DEV uint32_t place(uint32_t row)
{
    typedef bulk_shape<E, C, R> S;
    return (row / S::group * S::pitch + row % S::group * S::chunks) * 16;
}

/* One row of the tile, in the chunks it touches; false: these are not all the tensor's, as may be in its first and last
 * row. */
LW_DEV bool row_chunks(const char *row, uint32_t bytes, const char *lo, const char *hi, const char **at, uint32_t *size)
{
    uintptr_t a = (uintptr_t)row & ~(uintptr_t)15, b = ((uintptr_t)row + bytes + 15) & ~(uintptr_t)15;
    *at = (const char *)a;
    *size = (uint32_t)(b - a);
    return (const char *)a >= lo && (const char *)b <= hi;
}

/* The first warps: a lane to a row. */
template <int E, int C, int R> LW_DEV void bulk_load(unsigned char *tile, uint32_t bar, const char *src, int64_t in_row,
                                                     const char *lo, const char *hi, int64_t first, int64_t rows,
                                                     uint32_t bytes)
{
    typedef bulk_shape<E, C, R> S;
    uint32_t row = threadIdx.x, size = 0;
    const char *at = 0;
    bool here = row < S::rows && first + row >= 0 && first + row < rows &&
                row_chunks(src + row * in_row, bytes, lo, hi, &at, &size);
    uint32_t sum = warp_sum(here ? size : 0);
    if (threadIdx.x % 32 == 0) bulk_expect(bar, sum);
    __syncwarp();
    if (here) bulk_copy(shared_address(tile) + place<E, C, R>(row), at, size, bar);
}

/* The first and the last row where their chunks reach beyond the tensor. */
template <int E, int C, int R> LW_DEV void load_ends(unsigned char *tile, const char *src, int64_t in_row,
                                                     const char *lo, const char *hi, int64_t first, int64_t rows,
                                                     uint32_t bytes)
{
    typedef bulk_shape<E, C, R> S;
    for (int i = 0; i < 2; i++) {
        int64_t row = (i ? rows - 1 : 0) - first;
        uint32_t size;
        const char *at, *p = src + row * in_row;
        if (row < 0 || row >= S::rows || row_chunks(p, bytes, lo, hi, &at, &size)) continue;
        unsigned char *to = tile + place<E, C, R>((uint32_t)row) + ((uintptr_t)p & 15);
        for (uint32_t b = threadIdx.x * S::unit; b < bytes; b += LW_BLOCK * S::unit)
            copy_small((char *)to + b, p + b, S::unit);
    }
}

/* The units of a word that lie in the line, which has `all` of them; unit: of the word's first. */
template <int U> LW_DEV void store_part(char *to, uint32_t v, int64_t unit, int64_t all)
{
#pragma unroll
    for (int j = 0; j < 4; j += U) {
        uint32_t u = v >> 8 * j;
        if (unit + j / U >= 0 && unit + j / U < all) copy_small(to + j, (const char *)&u, U);
    }
}

/* Lines of the tile that begin alike: the places of a lane's words are worked out once for all of them. */
template <int E, int C, int R, bool FULL>
LW_DEV void store_lines(const unsigned char *tile, const char *src, int64_t in_row, char *dst, int64_t out_col,
                        uint32_t line, int64_t row0, int64_t rows, uint32_t cols)
{
    typedef bulk_shape<E, C, R> S;
    const uint32_t step = S::classes > WARPS ? S::classes : WARPS;
    char *to = dst + line * out_col;
    uint32_t back = ((uint32_t)(uintptr_t)to & (SECTOR - 1)) / S::unit, lane = threadIdx.x % 32;
    const unsigned char *at[S::words][S::per];
    uint32_t misaligned = (uint32_t)(uintptr_t)src, skew = (uint32_t)in_row;
#pragma unroll
    for (int w = 0; w < S::words; w++) {
#pragma unroll
        for (int j = 0; j < S::per; j++) {
            uint32_t u = S::extra * S::units - back + (lane + 32 * w) * S::per + j, row = u / S::units;
            at[w][j] =
                tile + place<E, C, R>(row) + ((misaligned + row * skew) & 15) + u % S::units * S::unit + line * E;
        }
    }
    /* units of the line, from the tensor's first row on */
    int64_t unit0 = row0 * S::units + (int64_t)(lane * S::per) - back, all = rows * S::units;
    to += ((int)(lane * S::per) - (int)back) * S::unit;
#pragma unroll
    for (uint32_t m = 0; m < C / step; m++, to += step * out_col) {
        if (!FULL && line + m * step >= cols) break;
#pragma unroll
        for (int w = 0; w < S::words; w++) {
            uint32_t v;
            const uint32_t b = m * step * E;
            if (S::per == 1) v = *(const uint32_t *)(at[w][0] + b);
            else if (S::per == 2)
                v = *(const uint16_t *)(at[w][0] + b) | (uint32_t)*(const uint16_t *)(at[w][S::per - 1] + b) << 16;
            else
                v = __byte_perm(__byte_perm(at[w][0][b], at[w][S::per > 1][b], 0x0040),
                                __byte_perm(at[w][S::per > 2 ? 2 : 0][b], at[w][S::per - 1][b], 0x0040), 0x5410);
            int64_t unit = unit0 + 32 * S::per * w;
            if (FULL || (unit >= 0 && unit + S::per <= all)) *(uint32_t *)(to + 128 * w) = v;
            else store_part<S::unit>(to + 128 * w, v, unit, all);
        }
    }
}

template <int E, int C, int R> __global__ void __launch_bounds__(LW_BLOCK) bulk_kernel(const lw_tile_params p)
{
    typedef bulk_shape<E, C, R> S;
    LW_DYNAMIC_SHARED(tile);
    __shared__ __align__(8) uint64_t barrier;
    const int loaders = (S::rows + 31) / 32;
    uint32_t bar = shared_address(&barrier), warp = threadIdx.x / 32;
    if (threadIdx.x == 0) bulk_init(bar, loaders);
    uint32_t i = blockIdx.x, q1 = fdiv(i, p.row_tiles), q2 = fdiv(q1, p.col_tiles);
    int64_t in = 0, out = 0, row0 = (int64_t)(i - q1 * p.row_tiles.d) * R,
            col0 = (int64_t)(q1 - q2 * p.col_tiles.d) * C;
    outer_decode(p.outer, q2, &in, &out);
    int64_t first = row0 - S::extra; /* row of the tile's row 0 */
    uint32_t cols = (uint32_t)min(p.cols - col0, (int64_t)C);
    const char *src = p.in + in + first * p.in_row + col0 * E;
    char *dst = p.out + out + col0 * p.out_col + row0 * E;
    __syncthreads();
    if (warp < loaders) bulk_load<E, C, R>(tile, bar, src, p.in_row, p.lo, p.hi, first, p.rows, cols * E);
    bool edge = first <= 0 || row0 + R >= p.rows;
    if (edge) {
        load_ends<E, C, R>(tile, src, p.in_row, p.lo, p.hi, first, p.rows, cols * E);
        __syncthreads();
    }
    bulk_wait(bar, 0);
    for (uint32_t line = warp; line < (S::classes > WARPS ? S::classes : WARPS); line += WARPS) {
        if (!edge && cols == C)
            store_lines<E, C, R, true>(tile, src, p.in_row, dst, p.out_col, line, row0, p.rows, cols);
        else store_lines<E, C, R, false>(tile, src, p.in_row, dst, p.out_col, line, row0, p.rows, cols);
    }
}

static const struct bulk_entry {
    int elem, rows, cols, reach, shared;
    bulk_fn fn;
} table[] = {
#define BULK(E, C, R) {E, R, C, bulk_shape<E, C, R>::reach, bulk_shape<E, C, R>::bytes, bulk_kernel<E, C, R>}
    BULK(1, 128, 128), BULK(2, 128, 128), BULK(4, 160, 64), BULK(8, 64, 32), BULK(12, 64, 32), BULK(16, 64, 16),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct bulk_entry *find(int elem)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].elem == elem) return &table[i];
    }
    return 0;
}

extern "C" int lw_bulk_size(int elem, int *rows, int *cols, int *reach)
{
    const struct bulk_entry *e = find(elem);
    if (!e) return 0;
    *rows = e->rows;
    *cols = e->cols;
    *reach = e->reach;
    return 1;
}

extern "C" int lw_bulk_launch(const lw_tile_params *p, int elem, uint32_t grid, lw_stream stream)
{
    const struct bulk_entry *e = find(elem);
    if (!e) return (int)cudaErrorInvalidValue;
    return LW_LAUNCH(e->fn, grid, LW_BLOCK, e->shared, stream, p);
}

extern "C" int lw_bulk_setup(lw_ops *)
{
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < ENTRIES && e == cudaSuccess; i++) {
        e = cudaFuncSetAttribute((const void *)table[i].fn, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 table[i].shared);
    }
    return (int)e;
}
