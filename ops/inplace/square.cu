/*
 * Square matrices of elements of 1 to 8 bytes in rows that are no multiples of 16 bytes, in place, cc 9.0 and later. A
 * block swaps two tiles across the diagonal; each row comes by one bulk copy of the whole 128-byte lines it touches, to
 * a place in shared memory that lies in a line of 128 bytes as the row does in memory: with places that are apart from
 * that by 16 bytes a copy is sent for in half as many requests again. Rows of odd pitches so begin in all banks, and
 * columns are read without conflicts. Output lines are cut at lines of memory, so that a warp's store lies in one of
 * them (elements of 8 bytes: in two).
 */
#include "copy/bulk.cuh"
#include "inplace/square.cuh"

#define LINE 128 /* bytes */

typedef void (*pairs_fn)(const lw_square_params);

template <int E> struct word_of {
    typedef uint32_t t;
};
template <> struct word_of<8> {
    typedef uint2 t;
};

template <int E, int T> struct pairs_shape {
    typedef typename word_of<E>::t word;
    static const int slot = T * E + LINE;     /* bytes of shared memory for a row */
    static const int bytes = T * slot;        /* of a tile */
    static const int per = E < 4 ? 4 / E : 1; /* elements of a word */
    static const int span = 32 * (int)sizeof(word);
    static const int words = (T * E + LINE - E + span - 1) / span; /* of a lane in a line */
    static_assert(T * E % LINE == 0, "whole lines");
};

struct pairs_tile {
    char *base;
    uint32_t rows, cols; /* that exist */
};

/* The first element of row x in shared memory, for rows from `first` on, `stride` apart; x may be negative. */
template <int E, int T> LW_DEV int place(uint32_t first, uint32_t stride, int x)
{
    return x * pairs_shape<E, T>::slot + (int)((first + (uint32_t)x * stride) & (LINE - 1));
}

/* The lines that a row touches, as far as they are the tensor's, in whole chunks of 16 bytes. */
LW_DEV uint32_t row_lines(const char *row, uint32_t bytes, const lw_square_params &p, const char **at)
{
    const uintptr_t mask = ~(uintptr_t)(LINE - 1);
    uintptr_t a = (uintptr_t)row & mask, b = ((uintptr_t)row + bytes + LINE - 1) & mask;
    a = max(a, ((uintptr_t)p.data + 15) & ~(uintptr_t)15);
    b = min(b, (uintptr_t)p.hi & ~(uintptr_t)15);
    *at = (const char *)a;
    return b > a ? (uint32_t)(b - a) : 0;
}

/* What row_lines leaves out: some bytes of the tensor's first and last rows. */
template <int E> LW_DEV void load_rest(unsigned char *to, const char *row, uint32_t bytes, const char *at,
                                       uint32_t size)
{
    for (uint32_t b = 0; b < bytes; b += E) {
        if (row + b < at || row + b >= at + size) copy_small((char *)to + b, row + b, E);
    }
}

/* A lane to a row, rows dealt out to all warps; what does not come by bulk copies is there before the warp arrives. */
template <int E, int T> LW_DEV void load_pair(unsigned char *tiles, uint32_t bar, const pairs_tile *t,
                                              const lw_square_params &p)
{
    typedef pairs_shape<E, T> S;
    uint32_t k = threadIdx.x % 32 * (blockDim.x / 32) + threadIdx.x / 32, second = k >= T, row = k - second * T;
    uint32_t size = 0;
    pairs_tile mine = t[0]; /* by value: they stay in registers */
    if (second) mine = t[1];
    const char *r = mine.base + row * p.row_stride, *at = r;
    unsigned char *to = tiles + second * S::bytes + row * S::slot;
    if (k < 2 * T && row < mine.rows) {
        uint32_t bytes = mine.cols * E;
        size = row_lines(r, bytes, p, &at);
        if (at > r || at + size < r + bytes) load_rest<E>(to + ((uintptr_t)r & (LINE - 1)), r, bytes, at, size);
    }
    uint32_t sum = warp_sum(size);
    __syncwarp();
    if (threadIdx.x % 32 == 0) bulk_expect(bar, sum);
    __syncwarp();
    if (size) bulk_copy(shared_address(to) + ((uint32_t)(uintptr_t)at & (LINE - 1)), at, size, bar);
}

/* Before the first and after the last whole word of a line, elements of 1 and 2 bytes. */
template <int E, int T> LW_DEV void store_ends(const pairs_tile &to, const unsigned char *tile, uint32_t from,
                                               int64_t stride)
{
    const uint32_t per = 4 / E, slots = 2 * per; /* of a line, of which 2 (per - 1) are used at most */
    for (uint32_t i = threadIdx.x; i < slots * to.rows; i += blockDim.x) {
        uint32_t line = i / slots, k = i % slots;
        char *dst = to.base + line * stride;
        uint32_t head = min((4 - ((uint32_t)(uintptr_t)dst & 3)) % 4 / E, to.cols), tail = (to.cols - head) % per;
        if (k >= head + tail) continue;
        uint32_t x = k < head ? k : to.cols - tail + k - head;
        copy_small(dst + x * E, (const char *)tile + place<E, T>(from, (uint32_t)stride, (int)x) + line * E, E);
    }
}

/* A word of the output: `per` rows of a column. */
template <int E> LW_DEV typename word_of<E>::t gather(const unsigned char *const *at, int b)
{
    if constexpr (E == 2) return *(const uint16_t *)(at[0] + b) | (uint32_t)*(const uint16_t *)(at[1] + b) << 16;
    else if constexpr (E == 1) {
        return __byte_perm(__byte_perm(at[0][b], at[1][b], 0x0040), __byte_perm(at[2][b], at[3][b], 0x0040), 0x5410);
    } else return *(const typename word_of<E>::t *)(at[0] + b);
}

/* Line `line` of `to` is column `line` of the tile that was read from `from`. */
template <int E, int T> LW_DEV void store_pair_tile(const pairs_tile &to, const unsigned char *tile, const char *from,
                                                    int64_t stride)
{
    typedef pairs_shape<E, T> S;
    typedef typename S::word word;
    const int lane = threadIdx.x % 32, step = S::span / E;
    const uint32_t first = (uint32_t)(uintptr_t)from, skew = (uint32_t)stride;
#pragma unroll 2
    for (uint32_t line = threadIdx.x / 32; line < to.rows; line += blockDim.x / 32) {
        char *dst = to.base + line * stride;
        int x = lane * S::per - (int)((uint32_t)(uintptr_t)dst & (LINE - 1)) / E;
        const unsigned char *at[S::per];
#pragma unroll
        for (int j = 0; j < S::per; j++) at[j] = tile + line * E + place<E, T>(first, skew, x + j);
        dst += x * E;
        word v[S::words];
#pragma unroll
        for (int w = 0; w < S::words; w++) {
            if (x + w * step < 0 || x + w * step + S::per > (int)to.cols) continue;
            v[w] = gather<E>(at, w * step * S::slot); /* so many rows further, the place in the line is the same */
        }
#pragma unroll
        for (int w = 0; w < S::words; w++) {
            if (x + w * step < 0 || x + w * step + S::per > (int)to.cols) continue;
            *(word *)(dst + w * S::span) = v[w];
        }
    }
    if constexpr (S::per > 1) store_ends<E, T>(to, tile, first, stride);
}

template <int E, int T, int THREADS> __global__ void __launch_bounds__(THREADS) pairs_kernel(const lw_square_params p)
{
    extern __shared__ __align__(LINE) unsigned char s[];
    __shared__ __align__(8) uint64_t barrier;
    static_assert(2 * T <= THREADS, "a lane to a row");
    uint32_t i, j, bar = shared_address(&barrier);
    char *data;
    if (!find_pair(p, &data, &i, &j)) return;
    int64_t row = (int64_t)i * T, col = (int64_t)j * T;
    pairs_tile t[2];
    t[0].base = data + row * p.row_stride + col * E;
    t[1].base = data + col * p.row_stride + row * E;
    t[0].rows = t[1].cols = (uint32_t)min(p.n - row, (int64_t)T);
    t[0].cols = t[1].rows = (uint32_t)min(p.n - col, (int64_t)T);
    if (i == j) t[1].rows = 0; /* one tile, turned in itself */
    if (threadIdx.x == 0) bulk_init(bar, THREADS / 32);
    __syncthreads();
    load_pair<E, T>(s, bar, t, p);
    bulk_wait(bar, 0);
    const unsigned char *other = i == j ? s : s + pairs_shape<E, T>::bytes;
    store_pair_tile<E, T>(t[0], other, i == j ? t[0].base : t[1].base, p.row_stride);
    if (i != j) store_pair_tile<E, T>(t[1], s, t[0].base, p.row_stride);
}

static const struct pairs_entry {
    int elem, side, threads, shared;
    pairs_fn fn;
} table[] = {
/* of one element the best first; measured at 1201 to 8191 squared */
#define PAIRS(E, T, THREADS) {E, T, THREADS, 2 * pairs_shape<E, T>::bytes, pairs_kernel<E, T, THREADS>}
    PAIRS(1, 256, 512), PAIRS(1, 128, 512), PAIRS(2, 128, 512), PAIRS(4, 96, 512), PAIRS(8, 64, 512),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

extern "C" int lw_pairs_side(const lw_ops *ops, int elem, int choice)
{
    for (int i = 0; i < ENTRIES && ops->cc >= 90; i++) {
        if (table[i].elem == elem && table[i].shared < ops->shared_optin && choice-- == 0) return table[i].side;
    }
    return 0;
}

extern "C" int lw_pairs_launch(const lw_square_params *p, uint32_t grid, lw_stream stream)
{
    for (int i = 0; i < ENTRIES; i++) {
        const struct pairs_entry *e = &table[i];
        if (e->elem == p->elem && e->side == p->side) return LW_LAUNCH(e->fn, grid, e->threads, e->shared, stream, p);
    }
    return (int)cudaErrorInvalidValue;
}

extern "C" int lw_pairs_setup(lw_ops *ops)
{
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < ENTRIES && e == cudaSuccess && ops->cc >= 90; i++) {
        if (table[i].shared >= ops->shared_optin) continue; /* the barrier has its place as well */
        e = cudaFuncSetAttribute((const void *)table[i].fn, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 table[i].shared);
    }
    return (int)e;
}
