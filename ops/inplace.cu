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

/* R: elements of R bytes are reversed inside the vector. */
template <int V, int R> __global__ void __launch_bounds__(LW_BLOCK) swap_kernel(const lw_swap_params p) {
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

/*
 * Rows: a block exchanges chunk j of row a with its mirror in row b (or, when a row is its own mirror, the two halves).
 * Both are written in 16-byte windows aligned where they go and read by load16_any; the pieces at the ends of a chunk are
 * one per thread. Everything is read before the barrier and written after it, and no other block touches these bytes.
 */
#define SWAP_WINDOWS 2
#define SWAP_CHUNK (LW_BLOCK * SWAP_WINDOWS * 16)

struct swap_side {
    char *to;         /* row that is written */
    const char *from; /* row that is read */
    int64_t s, e;     /* bytes of `to` that are written */
};

template <int R> LW_DEV int64_t mirrored(int64_t x, int64_t bytes, int64_t len) {
    return R ? len - x - bytes : x;
}

/* Byte position of piece i of a side's ends; -1: there is none. */
LW_DEV int64_t piece_at(const swap_side &d, uint32_t i, uint32_t gran) {
    int64_t bytes = d.e - d.s;
    uint32_t head = (16 - ((uint32_t)(uintptr_t)(d.to + d.s) & 15)) & 15;
    if (head > bytes) head = (uint32_t)bytes;
    uint32_t tail = (uint32_t)(bytes - head) & 15, b = i * gran;
    if (b >= head + tail) return -1;
    return d.s + (b < head ? b : b + (bytes - head - tail));
}

template <int R> LW_DEV const char *piece_from(const swap_side &d, int64_t b, int64_t len) {
    if (!R) return d.from + b;
    int64_t e = b / (R ? R : 1);
    return d.from + len - (e + 1) * R + (b - e * R);
}

template <int R> __global__ void __launch_bounds__(LW_BLOCK) swap_rows_kernel(const lw_swap_params p) {
    int64_t row = blockIdx.x / p.chunks, chunk = blockIdx.x - row * p.chunks, a, b;
    int kind = mirror(p, row, &a, &b);
    if (kind == 0 || (kind == 2 && !R)) return;
    int64_t unit = R ? R : 1, most = kind == 1 ? p.len : p.len / unit / 2 * unit;
    int64_t s = chunk * SWAP_CHUNK, e = min(s + SWAP_CHUNK, most);
    if (s >= e) return;
    swap_side side[2] = { { p.data + a, p.data + b, s, e },
                          { p.data + b, p.data + a, mirrored<R>(s, e - s, p.len), mirrored<R>(s, e - s, p.len) + e - s } };
    uint4 v[2][SWAP_WINDOWS + 1];
    int64_t at[2][SWAP_WINDOWS + 1];
    #pragma unroll
    for (int d = 0; d < 2; d++) {
        int64_t first = side[d].s - (int64_t)((uintptr_t)(side[d].to + side[d].s) & 15);
        #pragma unroll
        for (int k = 0; k < SWAP_WINDOWS + 1; k++) {
            int64_t x = first + 16 * (int64_t)(threadIdx.x + k * LW_BLOCK);
            bool full = x >= side[d].s && x + 16 <= side[d].e && (k < SWAP_WINDOWS || threadIdx.x == 0);
            at[d][k] = full ? x : -1;
            if (full) v[d][k] = load16_any(side[d].from + mirrored<R>(x, 16, p.len), p.lo, p.hi, p.gran);
        }
    }
    uint32_t pieces = 32 / p.gran, mine = threadIdx.x / pieces;
    int64_t piece = mine < 2 ? piece_at(side[mine], threadIdx.x % pieces, p.gran) : -1;
    uint2 held;
    if (piece >= 0) copy_small((char *)&held, piece_from<R>(side[mine], piece, p.len), p.gran);
    __syncthreads();
    #pragma unroll
    for (int d = 0; d < 2; d++) {
        #pragma unroll
        for (int k = 0; k < SWAP_WINDOWS + 1; k++) {
            if (at[d][k] >= 0) store16(side[d].to + at[d][k], R ? reverse16<R ? R : 16>(v[d][k]) : v[d][k]);
        }
    }
    if (piece >= 0) copy_small(side[mine].to + piece, (const char *)&held, p.gran);
}

static swap_fn swap_of(int vec, int elem, bool rows) {
    if (rows) {
        return elem == 1 ? swap_rows_kernel<1> : elem == 2 ? swap_rows_kernel<2> : elem == 4 ? swap_rows_kernel<4> :
               elem == 8 ? swap_rows_kernel<8> : elem == 16 ? swap_rows_kernel<16> : swap_rows_kernel<0>;
    }
    if (vec == 16) {
        return elem == 1 ? swap_kernel<16, 1> : elem == 2 ? swap_kernel<16, 2> : elem == 4 ? swap_kernel<16, 4> :
               elem == 8 ? swap_kernel<16, 8> : swap_kernel<16, 0>;
    }
    return vec == 1 ? swap_kernel<1, 0> : vec == 2 ? swap_kernel<2, 0> : vec == 4 ? swap_kernel<4, 0> : swap_kernel<8, 0>;
}

extern "C" int64_t lw_swap_chunk(void) {
    return SWAP_CHUNK;
}

extern "C" int lw_swap_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream) {
    return LW_LAUNCH(swap_of(p->vec, p->elem, p->len > 0), grid, LW_BLOCK, 0, stream, p);
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
    uint32_t gran = (uint32_t)p.gran;
    uint4 a[S::loads], b[S::loads];
    tile_load<E, KC, KR, ANY>(a, lower + col * E, p.row_stride, p.data, p.hi, rows, cols, gran);
    if (i != j) tile_load<E, KC, KR, ANY>(b, upper + row * E, p.row_stride, p.data, p.hi, cols, rows, gran);
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
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 1; i <= 16 && e == cudaSuccess; i *= 2) {
        e = cudaFuncGetAttributes(&a, (const void *)swap_of(i, 0, false));
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)swap_of(16, i, false));
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)swap_of(0, i, true));
    }
    if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)swap_of(0, 0, true));
    for (int i = 0; i < 2 * ENTRIES && e == cudaSuccess; i++) {
        e = cudaFuncGetAttributes(&a, (const void *)table[i / 2].fn[i % 2]);
    }
    return (int)e;
}
