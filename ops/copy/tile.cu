/*
 * Transposition of matrices with elements of 1, 2, 4, 8 or 16 bytes, 16-byte vectors on both sides.
 *
 * A thread reads the same 16-byte chunk of W rows (W elements make a unit of at least 4 bytes), transposes W x W
 * elements in registers and stores units into the shared tile, which holds one line per matrix column. Lines are made
 * of 16-byte quads; quad q of column c stands at q ^ swizzle(c) within its group of eight, so that both the unit stores
 * (8 chunks x R rows per warp) and the quad loads (8 quads of a line) touch every bank once.
 *
 * The "any" form takes any alignment, any size: rows are read by aligned vectors and a shift, lines are written in
 * windows aligned in the destination, line ends in pieces of `gran` bytes.
 */
#include "copy/tile.cuh"

typedef void (*tile_fn)(const lw_tile_params);

template <int E, int KC, int KR, bool ANY>
__global__ void __launch_bounds__(LW_BLOCK) tile_kernel(const lw_tile_params p)
{
    typedef tile_shape<E, KC, KR> S;
    __shared__ __align__(16) unsigned char tile[S::cols * S::line];
    uint32_t i = blockIdx.x;
    uint32_t q1 = fdiv(i, p.row_tiles), rest = i - q1 * p.row_tiles.d;
    uint32_t q2 = fdiv(q1, p.col_tiles), strip = q1 - q2 * p.col_tiles.d;
    uint32_t row_tile = rest / LW_TILE_STRIP(E), col_tile = strip * LW_TILE_STRIP(E) + rest % LW_TILE_STRIP(E);
    int64_t in = 0, out = 0;
    if (LW_TILE_STRIP(E) > 1 && (int64_t)col_tile * S::cols >= p.cols) return;
    outer_decode(p.outer, q2, &in, &out);
    int64_t row0 = (int64_t)row_tile * S::rows, col0 = (int64_t)col_tile * S::cols;
    const char *src = p.in + in + row0 * p.in_row + col0 * E;
    char *dst = p.out + out + col0 * p.out_col + row0 * E;
    uint32_t rows = (uint32_t)min(p.rows - row0, (int64_t)S::rows),
             cols = (uint32_t)min(p.cols - col0, (int64_t)S::cols);

    uint4 v[S::loads];
    tile_load<E, KC, KR, ANY>(v, src, p.in_row, p.lo, p.hi, rows, cols, p.gran);
    tile_put<E, KC, KR>(tile, v);
    __syncthreads();
    tile_store<E, KC, KR, ANY>(tile, dst, p.out_col, rows, cols, p.gran);
}

#define TILE_ROW(E, KC, KR) {tile_kernel<E, KC, KR, false>, tile_kernel<E, KC, KR, true>}

static const struct tile_entry {
    int elem, big, rows, cols;
    tile_fn fn[2];
} table[] = {
#define TILE(E, big, KC, KR) {E, big, tile_shape<E, KC, KR>::rows, tile_shape<E, KC, KR>::cols, TILE_ROW(E, KC, KR)}
    TILE(1, 0, 1, 1),  TILE(1, 2, 1, 2),                     /* 128 x 128, 256 x 128 */
    TILE(2, 0, 1, 1),  TILE(2, 1, 2, 1),  TILE(2, 2, 2, 2),  /* 64 x 64, 64 x 128, 128 x 128 */
    TILE(4, 0, 1, 1),  TILE(4, 1, 2, 1),  TILE(4, 2, 2, 2),  /* 32 x 32, 32 x 64, 64 x 64 */
    TILE(8, 0, 1, 1),  TILE(8, 1, 2, 1),  TILE(8, 2, 2, 2),  /* 32 x 16, 32 x 32, 64 x 32 */
    TILE(16, 0, 1, 1), TILE(16, 1, 2, 1), TILE(16, 2, 2, 1), /* 32 x 8, 32 x 16 */
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct tile_entry *find(int elem, int big)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].elem == elem && table[i].big == big) return &table[i];
    }
    return 0;
}

extern "C" int lw_tile_size(int elem, int big, int *rows, int *cols)
{
    const struct tile_entry *e = find(elem, big);
    if (!e) return 0;
    *rows = e->rows;
    *cols = e->cols;
    return 1;
}

extern "C" int lw_tile_launch(const lw_tile_params *p, int elem, int big, bool misaligned, uint32_t grid,
                              lw_stream stream)
{
    const struct tile_entry *e = find(elem, big);
    if (!e) return (int)cudaErrorInvalidValue;
    return LW_LAUNCH(e->fn[misaligned], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_tile_setup(lw_ops *)
{
    cudaFuncAttributes a;
    for (int i = 0; i < 2 * ENTRIES; i++) {
        cudaError_t e = cudaFuncGetAttributes(&a, (const void *)table[i / 2].fn[i % 2]);
        if (e != cudaSuccess) return (int)e;
    }
    return 0;
}
