/*
 * Operations in place: reversal of any axes by swapping mirrored pairs, and transposition of square matrices by
 * swapping pairs of tiles across the diagonal. No scratch memory.
 */
#include "inplace/square.cuh"
#include "copy/tile.cuh"
#include "flip/mirror.cuh"

#define PAIRS 4 /* per thread */

typedef void (*swap_fn)(const lw_swap_params);
typedef void (*square_fn)(const lw_square_params);

template <int V, int R> LW_DEV typename vec<V>::t turn(typename vec<V>::t v)
{
    if constexpr (V == 16 && R != 0) return reverse16<R>(v);
    else return v;
}

/* R: elements of R bytes are reversed inside the vector. */
template <int V, int R> __global__ void __launch_bounds__(LW_BLOCK) swap_kernel(const lw_swap_params p)
{
    typedef typename vec<V>::t value;
    value x[PAIRS], y[PAIRS];
    int64_t a[PAIRS], b[PAIRS];
    int pair[PAIRS];
    int64_t first = (int64_t)blockIdx.x * (LW_BLOCK * PAIRS) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        int64_t i = first + k * LW_BLOCK;
        pair[k] = i < p.total ? mirror(p, i, &a[k], &b[k]) : 0;
        if (pair[k]) {
            x[k] = *(const value *)(p.data + a[k]);
            y[k] = *(const value *)(p.data + b[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (!pair[k]) continue;
        *(value *)(p.data + b[k]) = turn<V, R>(x[k]);
        if (pair[k] == 1) *(value *)(p.data + a[k]) = turn<V, R>(y[k]);
    }
}

static swap_fn swap_of(int vec, int elem)
{
    if (vec == 16) {
        return elem == 1   ? swap_kernel<16, 1>
               : elem == 2 ? swap_kernel<16, 2>
               : elem == 4 ? swap_kernel<16, 4>
               : elem == 8 ? swap_kernel<16, 8>
                           : swap_kernel<16, 0>;
    }
    return vec == 1   ? swap_kernel<1, 0>
           : vec == 2 ? swap_kernel<2, 0>
           : vec == 4 ? swap_kernel<4, 0>
                      : swap_kernel<8, 0>;
}

extern "C" int lw_swap_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream)
{
    if (p->rows.len) return lw_swap_rows_launch(p, grid, stream);
    return LW_LAUNCH(swap_of(p->vec, p->elem), grid, LW_BLOCK, 0, stream, p);
}

/* ---- square matrices ---- */

template <int E, int KC, int KR, bool ANY>
__global__ void __launch_bounds__(LW_BLOCK) square_kernel(const lw_square_params p)
{
    typedef tile_shape<E, KC, KR> S;
    __shared__ __align__(16) unsigned char tile[S::cols * S::line];
    uint32_t i, j;
    char *data;
    if (!find_pair(p, &data, &i, &j)) return;
    int64_t row = (int64_t)i * S::rows, col = (int64_t)j * S::rows;
    uint32_t rows = (uint32_t)min(p.n - row, (int64_t)S::rows), cols = (uint32_t)min(p.n - col, (int64_t)S::rows);
    char *lower = data + row * p.row_stride, *upper = data + col * p.row_stride;
    uint32_t gran = (uint32_t)p.gran;
    uint4 a[S::loads], b[S::loads];
    tile_load<E, KC, KR, ANY, true>(a, lower + col * E, p.row_stride, p.data, p.hi, rows, cols, gran);
    if (i != j) tile_load<E, KC, KR, ANY, true>(b, upper + row * E, p.row_stride, p.data, p.hi, cols, rows, gran);
    tile_put<E, KC, KR>(tile, a);
    __syncthreads();
    tile_store<E, KC, KR, ANY>(tile, upper + row * E, p.row_stride, rows, cols, gran);
    if (i == j) return;
    __syncthreads();
    tile_put<E, KC, KR>(tile, b);
    __syncthreads();
    tile_store<E, KC, KR, ANY>(tile, lower + col * E, p.row_stride, cols, rows, gran);
}

/*
 * Elements of 4 bytes in rows at odd addresses: both tiles are read in aligned vectors and kept as they are. The pitch
 * is a row's length modulo 16, so that vectors stay aligned in shared memory and a column's elements fall into
 * different banks. Smaller elements lost by the same form (words put together from single ones), wider ones gained
 * nothing.
 */
#define ODD 64                                     /* side of a tile, elements */
#define ODD_VECTORS (ODD * 4 / 16 + 1)             /* of a row */
#define ODD_BYTES (ODD * (ODD * 4 + 30 + 15) + 48) /* of a tile at the widest pitch */
#define ODD_LOADS ((2 * ODD * ODD_VECTORS + LW_BLOCK - 1) / LW_BLOCK)

struct odd_tile {
    char *base;
    uint32_t rows, cols; /* that exist */
    uint32_t at;         /* of its first byte in shared memory */
};

/* Line `line` of the output is column `line` of the other tile. */
LW_DEV void odd_store(const odd_tile &to, const odd_tile &from, const unsigned char *s, const lw_square_params &p)
{
    const uint32_t chunks = ODD / 32; /* of a line, a warp each */
#pragma unroll 4
    for (uint32_t k = threadIdx.x / 32; k < ODD * chunks; k += LW_BLOCK / 32) {
        uint32_t line = k / chunks, x = k % chunks * 32 + (threadIdx.x & 31);
        if (line >= to.rows || x >= to.cols) continue;
        *((uint32_t *)(to.base + line * p.row_stride) + x) = *(const uint32_t *)(s + from.at + x * p.pitch + line * 4);
    }
}

__global__ void __launch_bounds__(LW_BLOCK) square_odd_kernel(const lw_square_params p)
{
    __shared__ __align__(16) unsigned char s[2 * ODD_BYTES];
    uint32_t i, j;
    char *data;
    if (!find_pair(p, &data, &i, &j)) return;
    int64_t row = (int64_t)i * ODD, col = (int64_t)j * ODD;
    odd_tile t[2];
    t[0].base = data + row * p.row_stride + col * 4;
    t[1].base = data + col * p.row_stride + row * 4;
    t[0].rows = t[1].cols = (uint32_t)min(p.n - row, (int64_t)ODD);
    t[0].cols = t[1].rows = (uint32_t)min(p.n - col, (int64_t)ODD);
    t[0].at = (uint32_t)(uintptr_t)t[0].base & 15;
    t[1].at = ((uint32_t)(uintptr_t)t[1].base & 15) + ODD_BYTES / 16 * 16;
    const uint32_t total = (i == j ? 1 : 2) * ODD * ODD_VECTORS;
    const char *at[ODD_LOADS];
    uint32_t to[ODD_LOADS];
    bool safe = true;
#pragma unroll
    for (int k = 0; k < ODD_LOADS; k++) {
        uint32_t v = threadIdx.x + k * LW_BLOCK, second = v >= ODD * ODD_VECTORS, x = v - second * (ODD * ODD_VECTORS);
        uint32_t r = x / ODD_VECTORS, w = x % ODD_VECTORS;
        odd_tile mine = t[0]; /* by value: they stay in registers */
        if (second) mine = t[1];
        const char *start = mine.base + r * p.row_stride;
        at[k] = start - ((uintptr_t)start & 15) + 16 * w;
        to[k] = ((mine.at + r * p.pitch) & ~15u) + 16 * w;
        if (v >= total || r >= mine.rows || at[k] >= start + mine.cols * 4) at[k] = 0;
        safe = safe && (!at[k] || (at[k] >= p.data && at[k] + 16 <= p.hi));
    }
    if (__syncthreads_and(safe)) { /* all warps go one way */
        uint4 v[ODD_LOADS];
#pragma unroll
        for (int k = 0; k < ODD_LOADS; k++) {
            if (at[k]) v[k] = load16_near(at[k]);
        }
#pragma unroll
        for (int k = 0; k < ODD_LOADS; k++) {
            if (at[k]) *(uint4 *)(s + to[k]) = v[k];
        }
    } else {
#pragma unroll
        for (int k = 0; k < ODD_LOADS; k++) {
            if (at[k]) *(uint4 *)(s + to[k]) = load_in(at[k], p.data, p.hi);
        }
    }
    __syncthreads();
    odd_tile other = t[1];
    if (i == j) other = t[0];
    odd_store(t[0], other, s, p);
    if (i != j) odd_store(t[1], t[0], s, p);
}

/* Elements of other sizes: 16 x 16 tiles, one element per thread, in pieces of gran bytes. */
__global__ void __launch_bounds__(LW_BLOCK) square_any_kernel(const lw_square_params p)
{
    __shared__ __align__(16) unsigned char tile[2][16 * 16 * LW_OPS_MAX_ELEM];
    uint32_t i, j;
    char *data;
    if (!find_pair(p, &data, &i, &j)) return;
    uint32_t x = threadIdx.x & 15, y = threadIdx.x >> 4, e = (uint32_t)p.elem, gran = (uint32_t)p.gran;
    int64_t r = (int64_t)i * 16 + y, c = (int64_t)j * 16 + x, r2 = (int64_t)j * 16 + y, c2 = (int64_t)i * 16 + x;
    char *lower = data + r * p.row_stride + c * e, *upper = data + r2 * p.row_stride + c2 * e;
    bool has_lower = r < p.n && c < p.n, has_upper = r2 < p.n && c2 < p.n;
    for (uint32_t b = 0; b < e; b += gran) {
        if (has_lower) copy_small((char *)tile[0] + threadIdx.x * e + b, lower + b, gran);
        if (has_upper) copy_small((char *)tile[1] + threadIdx.x * e + b, upper + b, gran);
    }
    __syncthreads();
    uint32_t turned = (x * 16 + y) * e;
    for (uint32_t b = 0; b < e; b += gran) {
        if (has_lower) copy_small(lower + b, (const char *)tile[1] + turned + b, gran);
        if (has_upper && i != j) copy_small(upper + b, (const char *)tile[0] + turned + b, gran);
    }
}

static const struct square_entry {
    int elem, side[3];
    square_fn fn[3]; /* by form: aligned to 16 bytes, any alignment, aligned to the element */
} table[] = {
#define ALIGNED(E, KC, KR) square_kernel<E, KC, KR, false>
#define ANY(E, KC, KR) square_kernel<E, KC, KR, true>
    {1, {128, 128, 0}, {ALIGNED(1, 1, 1), ANY(1, 1, 1), 0}},
    {2, {128, 64, 0}, {ALIGNED(2, 2, 2), ANY(2, 1, 1), 0}},
    {4, {64, 64, ODD}, {ALIGNED(4, 2, 2), ANY(4, 2, 2), square_odd_kernel}},
    {8, {64, 32, 0}, {ALIGNED(8, 4, 2), ANY(8, 2, 1), 0}},
    {16, {32, 32, 0}, {ALIGNED(16, 4, 1), ANY(16, 4, 1), 0}},
    {0, {16, 16, 0}, {square_any_kernel, square_any_kernel, 0}},
};
static_assert(tile_shape<2, 2, 2>::rows == 128 && tile_shape<8, 4, 2>::rows == 64 && tile_shape<1, 1, 1>::rows == 128 &&
                  tile_shape<4, 2, 2>::rows == 64 && tile_shape<8, 2, 1>::rows == 32 &&
                  tile_shape<16, 4, 1>::rows == 32 && tile_shape<2, 1, 1>::rows == 64,
              "sides of tiles");
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct square_entry *entry_of(int elem)
{
    int i = 0;
    while (table[i].elem && table[i].elem != elem) i++;
    return &table[i];
}

extern "C" int lw_square_tile(int elem, int form) { return entry_of(elem)->side[form]; }

extern "C" int lw_square_launch(const lw_square_params *p, uint32_t grid, lw_stream stream)
{
    if (p->form == LW_SQUARE_BULK) return lw_pairs_launch(p, grid, stream);
    return LW_LAUNCH(entry_of(p->elem)->fn[p->form], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_inplace_setup(lw_ops *)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 1; i <= 16 && e == cudaSuccess; i *= 2) {
        e = cudaFuncGetAttributes(&a, (const void *)swap_of(i, 0));
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)swap_of(16, i));
    }
    for (int i = 0; i < 3 * ENTRIES && e == cudaSuccess; i++) {
        if (table[i / 3].fn[i % 3]) e = cudaFuncGetAttributes(&a, (const void *)table[i / 3].fn[i % 3]);
    }
    return (int)e;
}
