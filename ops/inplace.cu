/*
 * Operations in place: reversal of any axes by swapping mirrored pairs, and transposition of square matrices by swapping
 * pairs of tiles across the diagonal. No scratch memory.
 */
#include "tile.cuh"

#define PAIRS 4 /* per thread */

typedef void (*swap_fn)(const lw_swap_params);
typedef void (*square_fn)(const lw_square_params);

template <int B> struct vec;
template <> struct vec<1> { typedef unsigned char t; };
template <> struct vec<2> { typedef uint16_t t; };
template <> struct vec<4> { typedef uint32_t t; };
template <> struct vec<8> { typedef uint2 t; };
template <> struct vec<16> { typedef uint4 t; };

template <int V, int R> LW_DEV typename vec<V>::t turn(typename vec<V>::t v) {
    if constexpr (V == 16 && R != 0) return reverse16<R>(v);
    else return v;
}

/*
 * Offsets of a position and of its mirror. Only the first half of the slowest flipped dimension is enumerated; in its
 * middle the next flipped dimension decides, so that every pair is met once. Returns 0: skip, 1: pair, 2: own mirror.
 */
LW_DEV int mirror(const lw_swap_params &p, int64_t index, int64_t *a, int64_t *b) {
    int order = 0;
    *a = *b = 0;
    for (int i = 0; i < p.nd; i++) {
        int64_t n = i == p.outermost ? (p.n[i] + 1) / 2 : p.n[i], c = index;
        if (i + 1 < p.nd) {
            int64_t q = p.total < 0x7fffffff ? (uint32_t)index / (uint32_t)n : index / n;
            c = index - q * n;
            index = q;
        }
        int64_t m = p.flipped >> i & 1 ? p.n[i] - 1 - c : c;
        if (c != m) order = c < m ? 1 : -1;
        *a += c * p.stride[i];
        *b += m * p.stride[i];
    }
    return order < 0 ? 0 : order > 0 ? 1 : 2;
}

template <int V, int R> __global__ void __launch_bounds__(LW_BLOCK) swap_kernel(const lw_swap_params p) {
    typedef typename vec<V>::t value;
    value x[PAIRS], y[PAIRS];
    int64_t a[PAIRS], b[PAIRS];
    int what[PAIRS];
    int64_t first = (int64_t)blockIdx.x * (LW_BLOCK * PAIRS) + threadIdx.x;
    #pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        int64_t i = first + k * LW_BLOCK;
        what[k] = i < p.total ? mirror(p, i, &a[k], &b[k]) : 0;
        if (what[k]) {
            x[k] = *(const value *)(p.data + a[k]);
            y[k] = *(const value *)(p.data + b[k]);
        }
    }
    #pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        if (what[k]) *(value *)(p.data + b[k]) = turn<V, R>(x[k]);
        if (what[k] == 1) *(value *)(p.data + a[k]) = turn<V, R>(y[k]);
    }
}

static swap_fn swap_of(int vec, int elem) {
    switch (vec) {
    case 1: return swap_kernel<1, 0>;
    case 2: return swap_kernel<2, 0>;
    case 4: return swap_kernel<4, 0>;
    case 8: return swap_kernel<8, 0>;
    default: break;
    }
    switch (elem) {
    case 1: return swap_kernel<16, 1>;
    case 2: return swap_kernel<16, 2>;
    case 4: return swap_kernel<16, 4>;
    case 8: return swap_kernel<16, 8>;
    default: return swap_kernel<16, 0>;
    }
}

extern "C" int lw_swap_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream) {
    return LW_LAUNCH(swap_of(p->vec, p->elem), grid, LW_BLOCK, 0, stream, p);
}

/* ---- square matrices ---- */

/* Pair k counts the lower triangle by rows: (0,0) (1,0) (1,1) (2,0) ... */
LW_DEV void triangle(uint32_t k, uint32_t *i, uint32_t *j) {
    uint32_t r = (uint32_t)((sqrt(8.0 * k + 1.0) - 1.0) * 0.5);
    while ((uint64_t)r * (r + 1) / 2 > k) r--;
    while ((uint64_t)(r + 1) * (r + 2) / 2 <= k) r++;
    *i = r;
    *j = k - (uint32_t)((uint64_t)r * (r + 1) / 2);
}

template <int E, int KC, int KR, bool ANY>
__global__ void __launch_bounds__(LW_BLOCK) square_kernel(const lw_square_params p) {
    typedef tile_shape<E, KC, KR> S;
    __shared__ __align__(16) unsigned char tile[S::cols * S::line];
    uint32_t batch = fdiv(blockIdx.x, p.pairs), i, j;
    triangle(blockIdx.x - batch * p.pairs.d, &i, &j);
    char *data = p.data + batch * p.batch_stride;
    int64_t row = (int64_t)i * S::rows, col = (int64_t)j * S::rows;
    uint32_t rows = (uint32_t)min(p.n - row, (int64_t)S::rows), cols = (uint32_t)min(p.n - col, (int64_t)S::rows);
    char *lower = data + row * p.row_stride, *upper = data + col * p.row_stride;
    int64_t len = p.n * E;
    uint32_t gran = (uint32_t)p.gran;
    uint4 a[S::loads], b[S::loads];
    tile_load<E, KC, KR, ANY>(a, lower, p.row_stride, col * E, len, rows, cols, gran);
    if (i != j) tile_load<E, KC, KR, ANY>(b, upper, p.row_stride, row * E, len, cols, rows, gran);
    tile_put<E, KC, KR>(tile, a);
    __syncthreads();
    tile_store<E, KC, KR, ANY>(tile, upper + row * E, p.row_stride, rows, cols, gran);
    if (i == j) return;
    __syncthreads();
    tile_put<E, KC, KR>(tile, b);
    __syncthreads();
    tile_store<E, KC, KR, ANY>(tile, lower + col * E, p.row_stride, cols, rows, gran);
}

/* Elements of other sizes: 16 x 16 tiles, one element per thread, in pieces of gran bytes. */
__global__ void __launch_bounds__(LW_BLOCK) square_any_kernel(const lw_square_params p) {
    __shared__ __align__(16) unsigned char tile[2][16 * 16 * LW_OPS_MAX_ELEM];
    uint32_t batch = fdiv(blockIdx.x, p.pairs), i, j;
    triangle(blockIdx.x - batch * p.pairs.d, &i, &j);
    char *data = p.data + batch * p.batch_stride;
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
    int elem, side;
    square_fn fn[2];
} table[] = {
#define SQUARE(E, KC, KR) \
    { E, tile_shape<E, KC, KR>::rows, { square_kernel<E, KC, KR, false>, square_kernel<E, KC, KR, true> } }
    SQUARE(1, 1, 1), SQUARE(2, 1, 1), SQUARE(4, 2, 2), SQUARE(8, 2, 1), SQUARE(16, 4, 1),
    { 0, 16, { square_any_kernel, square_any_kernel } },
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct square_entry *entry_of(int elem) {
    int i = 0;
    while (table[i].elem && table[i].elem != elem) i++;
    return &table[i];
}

extern "C" int lw_square_tile(int elem) {
    return entry_of(elem)->side;
}

extern "C" int lw_square_launch(const lw_square_params *p, uint32_t grid, lw_stream stream) {
    return LW_LAUNCH(entry_of(p->elem)->fn[p->misaligned != 0], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_inplace_setup(void) {
    static const int swaps[9][2] = { { 1, 0 }, { 2, 0 }, { 4, 0 }, { 8, 0 }, { 16, 0 }, { 16, 1 }, { 16, 2 }, { 16, 4 },
                                     { 16, 8 } };
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 9 && e == cudaSuccess; i++) {
        e = cudaFuncGetAttributes(&a, (const void *)swap_of(swaps[i][0], swaps[i][1]));
    }
    for (int i = 0; i < 2 * ENTRIES && e == cudaSuccess; i++) {
        e = cudaFuncGetAttributes(&a, (const void *)table[i / 2].fn[i % 2]);
    }
    return (int)e;
}
