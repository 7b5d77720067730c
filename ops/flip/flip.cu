/*
 * Rows at any address, copied or with their elements of any size reversed, out of place and in place. A block writes
 * one or several pieces: runs of output bytes whose mirror images it first reads in aligned 16-byte vectors to shared
 * memory. Then every thread puts words of the output together. Byte p of a row of len bytes, r = p mod e, comes from
 * byte len - p - e + 2 r: within an element bytes go up, from element to element down, so a word is put together from
 * the bytes at its first byte's image and, where the next element begins inside it, from those 2 e bytes before it.
 *  long   a piece is a segment of a row,
 *  pair   in place: two pieces that are each other's mirror image, in one row or in two,
 *  dense  whole short rows that lie one after the other on both sides, as one piece: words may hold the end of a row,
 *  short  several rows per block, each one piece; in place also each other's images.
 * Everything is read before a barrier and written after it. Aligned vectors at the ends of a piece bring bytes of
 * others along, which may be written at that moment: they are never used.
 */
#include "flip/mirror.cuh"

#define BLOCKS 6                              /* per multiprocessor, as many as registers allow at no loss */
#define LOADS (LW_FLIP_BYTES / 16 / LW_BLOCK) /* vectors of a thread */
#define BEFORE (2 * LW_FLIP_MAX_ELEM + 16)    /* bytes of shared memory that words may reach to before the pieces */
#define AFTER (LW_FLIP_MAX_ELEM + 16)
#define LOWEST (2 * LW_FLIP_MAX_ELEM) /* words begin here or above */

/* What a block needs to know of a piece. Its place 0 is the aligned address at or before its first byte. */
struct piece {
    char *dst;          /* address of place 0 */
    const char *window; /* aligned start of the source */
    uint32_t vectors;
    int32_t first, end; /* places that are written */
    int32_t image;      /* shared byte of place q: image - q + 2 r, or image + q */
    uint32_t phase;     /* r of place 0 */
};

LW_DEV uint32_t rest_of(uint32_t n, lw_fdiv f) { return n - fdiv(n, f) * f.d; }

/* bytes at dst, of which the first is byte r of an element; the image of that element ends at src. */
template <bool R> LW_DEV piece piece_make(const lw_flip_rows &f, char *dst, const char *src, uint32_t bytes, uint32_t r,
                                          uint32_t align, uint32_t at)
{
    piece x;
    uint32_t odd = (uint32_t)(uintptr_t)dst & (align - 1), size = bytes, last = 0;
    if (R) {
        uint32_t reach = r + bytes - 1;
        last = rest_of(reach, f.elem);
        size = reach - last + f.elem.d;
        src -= size;
    }
    uint32_t shift = (uint32_t)(uintptr_t)src & 15;
    x.dst = dst - odd;
    x.window = src - shift;
    x.vectors = (size + shift + 15) / 16;
    x.first = (int32_t)odd;
    x.end = (int32_t)(odd + bytes);
    x.image = (int32_t)(BEFORE + at * 16 + shift) + (R ? x.end - 1 - (int32_t)last : -x.first);
    x.phase = R ? rest_of(r + f.whole - odd, f.elem) : 0;
    return x;
}

LW_DEV uint32_t shared_at(const unsigned char *s) { return (uint32_t)__cvta_generic_to_shared(s); }

/* Places in shared memory are 32-bit addresses: the compiler would add the array's to every one. */
LW_DEV uint32_t word_at(uint32_t a)
{
    uint32_t v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(a));
    return v;
}

LW_DEV uint32_t byte_at(uint32_t a)
{
    uint32_t v;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v) : "r"(a));
    return v;
}

LW_DEV void vector_at(uint32_t a, uint2 &v)
{
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(a));
}

LW_DEV void vector_at(uint32_t a, uint4 &v)
{
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(a));
}

/* Four bytes at any place. */
LW_DEV uint32_t four_at(uint32_t i)
{
    uint32_t a = i & ~3u;
    return __funnelshift_r(word_at(a), word_at(a + 4), i * 8);
}

/* The first bits / 8 bytes of a, the others of b; more than 32 bits are 32. */
LW_DEV uint32_t join(uint32_t a, uint32_t b, uint32_t bits)
{
    uint32_t mask = __funnelshift_lc(0, ~0u, bits);
    return (a & ~mask) | (b & mask);
}

/*
 * The word whose first byte is a byte of an element that has `bits` left, and has its image at i. `next` is where that
 * image would be if the word began with the element that follows: 2 e before i, unless a row ends there; of 1 and 2
 * bytes as if it began with the row that follows, which is `rest` bytes away; byte by byte: a row's
 * bytes, and no image lies beyond `last`.
 */
template <int M, bool DENSE>
LW_DEV uint32_t word_of(uint32_t i, uint32_t next, uint32_t bits, uint32_t rest, uint32_t e, uint32_t last)
{
    if (M == LW_FLIP_COPY) return four_at(i);
    if (M == LW_FLIP_1 || M == LW_FLIP_2) {
        const uint32_t order = M == LW_FLIP_1 ? 0x0123 : 0x1032, back = M == LW_FLIP_1 ? 3 : 2;
        uint32_t w = __byte_perm(four_at(i - back), 0, order);
        return DENSE ? join(w, __byte_perm(four_at(next - back), 0, order), rest * 8) : w;
    }
    if (M == LW_FLIP_ODD) return join(four_at(i), four_at(next), bits);
    if (M == LW_FLIP_EVEN) {
        uint32_t a = i & ~3u, b = a + (next - i), shift = i * 8; /* both of one alignment: */
        return join(__funnelshift_r(word_at(a), word_at(a + 4), shift),
                    __funnelshift_r(word_at(DENSE ? next & ~3u : b), word_at((DENSE ? next & ~3u : b) + 4),
                                    DENSE ? next * 8 : shift),
                    bits);
    }
    uint32_t w = 0;
#pragma unroll
    for (uint32_t k = 0; k < 4; k++) { /* any element, byte by byte */
        if (DENSE && k == rest) i = min(i + 2 * next, last);
        w |= byte_at(i) << 8 * k;
        i++;
        if ((bits -= 8) == 0) {
            bits = 8 * e;
            i -= 2 * e;
        }
    }
    return w;
}

template <int M> struct word_type {
    typedef uint32_t t;
};
template <> struct word_type<LW_FLIP_8> {
    typedef uint2 t;
};
template <> struct word_type<LW_FLIP_16> {
    typedef uint4 t;
};

LW_DEV uint32_t wrap(uint32_t r, uint32_t e) { return min(r, r - e); }

/* Image of a place; of places outside the piece, which are not written, some byte of shared memory. */
template <int M, bool DENSE> LW_DEV uint32_t inside(uint32_t i, uint32_t s)
{
    if (M == LW_FLIP_COPY) return min(i, s + BEFORE + LW_FLIP_BYTES);
    int32_t up = max((int32_t)i, (int32_t)(s + LOWEST));
    return (uint32_t)(DENSE ? min(up, (int32_t)(s + BEFORE + LW_FLIP_BYTES)) : up);
}

/* The bytes before the first and after the last whole word, one by one. */
template <bool R, bool DENSE> LW_DEV void write_ends(uint32_t s, const piece &x, const lw_flip_rows &f, uint32_t lane,
                                                     int32_t size)
{
    if (lane >= 2 * (uint32_t)size) return;
    int32_t head = min((x.first + size - 1) & -size, x.end), tail = max(x.end & -size, head);
    bool first = lane < (uint32_t)size;
    int32_t q = first ? x.first + (int32_t)lane : tail + (int32_t)lane - size;
    if (q >= (first ? head : x.end)) return;
    uint32_t r = R ? rest_of(x.phase + (uint32_t)q, f.elem) : 0, i = s + (uint32_t)x.image;
    i += R ? 2 * r - (uint32_t)q : (uint32_t)q;
    if (DENSE) i += 2 * fdiv((uint32_t)(q - x.first), f.windows) * f.windows.d;
    x.dst[q] = (char)byte_at(i);
}

/* Where the present word lies in its row, for pieces of several rows. */
struct row_place {
    uint32_t at; /* byte of the row */
    uint32_t up; /* twice the bytes of the rows before */
};

/* A piece by `lanes` threads, their words `lanes` apart. DENSE: it is made of rows of f.windows.d bytes. */
template <int M, bool DENSE> LW_DEV void write_piece(uint32_t s, const piece &x, const lw_flip_rows &f, uint32_t lane,
                                                     uint32_t lanes)
{
    typedef typename word_type<M>::t word;
    const bool R = M != LW_FLIP_COPY, small = M == LW_FLIP_1 || M == LW_FLIP_2;
    const uint32_t size = sizeof(word), far = lanes * size, e = f.elem.d, len = DENSE ? f.windows.d : 0;
    const int UNROLL = size == 16 ? 2 : 4;
    int32_t q = (int32_t)(lane * size);
    uint32_t r2 = 2 * rest_of(x.phase + (uint32_t)q, f.elem), step2 = 2 * rest_of(far, f.elem); /* twice r */
    uint32_t image = s + (uint32_t)x.image;
    row_place row = {0, 0};
    uint32_t rows_far = 0;
    if (DENSE) { /* places before the piece belong to rows that do not exist */
        uint32_t none = (fdiv(127, f.windows) + 1) * len, at = (uint32_t)(q - x.first) + none;
        uint32_t before = fdiv(at, f.windows) * len;
        row.at = at - before;
        row.up = 2 * (before - none);
        rows_far = fdiv(far, f.windows) * len;
    }
    image += R ? 0u - (uint32_t)q : (uint32_t)q;
    char *to = x.dst + q;
    while (q < x.end) {
        word v[UNROLL];
#pragma unroll
        for (uint32_t k = 0; k < UNROLL; k++) {
            uint32_t i = R ? image - k * far + r2 : image + k * far, up = 0;
            if (DENSE) {
                i += row.up;
                if (small || 2 * row.at - r2 == 2 * (len - e)) up = 2 * len; /* the row's last element */
            }
            i = inside<M, DENSE>(i, s);
            uint32_t next = i + up - (small ? 0 : 2 * e);
            if (DENSE) next = M == LW_FLIP_ANY ? len : inside<M, DENSE>(next, s);
            if constexpr (size > 4) vector_at(i, v[k]);
            else if constexpr (M == LW_FLIP_4) v[k] = word_at(i);
            else v[k] = word_of<M, DENSE>(i, next, 8 * e - 4 * r2, len - row.at, e, s + BEFORE + LW_FLIP_BYTES);
            if (R) r2 = wrap(r2 + step2, 2 * e);
            if constexpr (DENSE) {
                row.at += far - rows_far;
                row.up += 2 * rows_far;
                if (row.at >= len) {
                    row.at -= len;
                    row.up += 2 * len;
                }
            }
        }
#pragma unroll
        for (uint32_t k = 0; k < UNROLL; k++) {
            int32_t at = q + (int32_t)(k * far);
            if (at >= x.first && at + (int32_t)size <= x.end) *(word *)(to + k * far) = v[k];
        }
        q += (int32_t)(UNROLL * far);
        to += UNROLL * far;
        image += R ? 0u - UNROLL * far : UNROLL * far;
    }
    write_ends<R, DENSE>(s, x, f, lane, (int32_t)size);
}

/*
 * Vectors of one piece or of two, to shared memory: all of a thread's are on their way before the first arrives. Those
 * that reach beyond the tensor go byte by byte.
 */
template <int PIECES> LW_DEV void read_long(unsigned char *s, const piece *x, const lw_flip_rows &f)
{
    const int each = LOADS / PIECES;
    bool safe = true;
#pragma unroll
    for (int i = 0; i < PIECES; i++) safe = safe && x[i].window >= f.lo && x[i].window + 16 * x[i].vectors <= f.hi;
    if (!safe) {
#pragma unroll 1
        for (int k = 0; k < LOADS; k++) {
            const char *window = k < each ? x[0].window : x[PIECES - 1].window; /* by value: x stays in registers */
            uint32_t i = threadIdx.x + k % each * LW_BLOCK, vectors = k < each ? x[0].vectors : x[PIECES - 1].vectors;
            const char *at = window + 16 * i;
            unsigned char *to = s + BEFORE + 16 * (threadIdx.x + k * LW_BLOCK);
            if (i < vectors) *(uint4 *)to = load_in(at, f.lo, f.hi);
        }
        return;
    }
    uint4 v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        uint32_t i = threadIdx.x + k % each * LW_BLOCK;
        if (i < x[k / each].vectors) v[k] = load16(x[k / each].window + 16 * i);
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        uint32_t i = threadIdx.x + k % each * LW_BLOCK;
        if (i < x[k / each].vectors) *(uint4 *)(s + BEFORE + 16 * (threadIdx.x + k * LW_BLOCK)) = v[k];
    }
}

/* ---- where the pieces of a block are ---- */

/* A segment of a row of the output: segments end where 128 bytes of the output end. */
template <bool R> LW_DEV bool segment_piece(const lw_flip_params &p, piece *x)
{
    const lw_flip_rows &f = p.rows;
    uint32_t row = fdiv(blockIdx.x, f.segments), segment = blockIdx.x - row * f.segments.d;
    int64_t in = 0, out = 0;
    outer_decode(p.outer, row, &in, &out);
    char *dst = p.out + out;
    int64_t at = (int64_t)segment * f.bytes - (int64_t)((uintptr_t)dst & 127), end = min(at + (int64_t)f.bytes, f.len);
    uint32_t r = 0;
    if (at < 0) {
        at = 0;
    } else if (R) {
        uint32_t odd = (uint32_t)(uintptr_t)dst & 127;
        r = rest_of(rest_of(segment, f.elem) * f.bytes_mod + f.whole - odd, f.elem);
    }
    if (at >= end) return false;
    const char *src = p.in + in + (R ? f.len - at + r : at);
    *x = piece_make<R>(f, dst + at, src, (uint32_t)(end - at), r, 128, 0);
    return true;
}

/* Chunk of row a and its image in row b. */
template <bool R> LW_DEV bool chunk_pieces(const lw_swap_params &p, piece *x)
{
    const lw_flip_rows &f = p.rows;
    uint32_t row = fdiv(blockIdx.x, f.segments), chunk = blockIdx.x - row * f.segments.d;
    int64_t a, b;
    int kind = mirror(p, row, &a, &b);
    if (kind == 0 || (kind == 2 && !R)) return false;
    int64_t most = kind == 1 ? f.len : p.half, at = (int64_t)chunk * f.bytes;
    if (at >= most) return false;
    uint32_t bytes = (uint32_t)min((int64_t)f.bytes, most - at);
    int64_t image = R ? f.len - at : at; /* reversed: where the image ends */
    x[0] = piece_make<R>(f, p.data + a + at, p.data + b + image, bytes, 0, 128, 0);
    x[1] = piece_make<R>(f, p.data + b + (R ? image - bytes : at), p.data + a + (R ? at + bytes : at), bytes, 0, 128,
                         LW_FLIP_BYTES / 32);
    return true;
}

template <bool R> LW_DEV int row_pieces(const lw_flip_params &p, uint32_t i, piece *x)
{
    const lw_flip_rows &f = p.rows;
    int64_t in = 0, out = 0;
    uint32_t row = blockIdx.x * f.rows_per_block + i;
    if (row >= f.rows) return 0;
    outer_decode(p.outer, row, &in, &out);
    x[0] = piece_make<R>(f, p.out + out, p.in + in + (R ? f.len : 0), (uint32_t)f.len, 0, 32, i * f.windows.d);
    return 1;
}

template <bool R> LW_DEV int row_pieces(const lw_swap_params &p, uint32_t i, piece *x)
{
    const lw_flip_rows &f = p.rows;
    int64_t a, b;
    uint32_t row = blockIdx.x * f.rows_per_block + i, len = (uint32_t)f.len;
    int kind = row < f.rows ? mirror(p, row, &a, &b) : 0;
    if (kind == 0 || (kind == 2 && !R)) return 0;
    x[0] = piece_make<R>(f, p.data + a, p.data + b + (R ? len : 0), len, 0, 32, f.slots * i * f.windows.d);
    if (kind == 2) return 1;
    x[1] = piece_make<R>(f, p.data + b, p.data + a + (R ? len : 0), len, 0, 32, (f.slots * i + 1) * f.windows.d);
    return 2;
}

/* Whole rows that lie one after the other on both sides: a piece of several. */
LW_DEV bool dense_piece(const lw_flip_params &p, piece *x)
{
    const lw_flip_rows &f = p.rows;
    uint32_t group = fdiv(blockIdx.x, f.segments), row = (blockIdx.x - group * f.segments.d) * f.rows_per_block;
    uint32_t bytes = min(f.rows_per_block, f.rows - row) * f.windows.d;
    int64_t at = (int64_t)row * f.windows.d, in = at, out = at;
    outer_decode(p.outer, group, &in, &out);
    char *dst = p.out + out;
    const char *src = p.in + in;
    uint32_t odd = (uint32_t)(uintptr_t)dst & 127, shift = (uint32_t)(uintptr_t)src & 15;
    x->dst = dst - odd;
    x->window = src - shift;
    x->vectors = (bytes + shift + 15) / 16;
    x->first = (int32_t)odd;
    x->end = (int32_t)(odd + bytes);
    x->image = (int32_t)(BEFORE + shift + f.windows.d - f.elem.d + odd);
    x->phase = rest_of(f.whole - odd, f.elem);
    return true;
}

/* ---- the kernels ---- */

template <int M, bool DENSE>
__global__ void __launch_bounds__(LW_BLOCK, BLOCKS) flip_long_kernel(const lw_flip_params p)
{
    __shared__ __align__(16) unsigned char s[BEFORE + LW_FLIP_BYTES + AFTER];
    piece x;
    if (!(DENSE ? dense_piece(p, &x) : segment_piece < M != LW_FLIP_COPY > (p, &x))) return;
    read_long<1>(s, &x, p.rows);
    __syncthreads();
    write_piece<M, DENSE>(shared_at(s), x, p.rows, threadIdx.x, LW_BLOCK);
}

template <int M> __global__ void __launch_bounds__(LW_BLOCK, BLOCKS) flip_pair_kernel(const lw_swap_params p)
{
    __shared__ __align__(16) unsigned char s[BEFORE + LW_FLIP_BYTES + AFTER];
    piece x[2];
    if (!chunk_pieces < M != LW_FLIP_COPY > (p, x)) return;
    read_long<2>(s, x, p.rows);
    __syncthreads();
    write_piece<M, false>(shared_at(s), x[0], p.rows, threadIdx.x, LW_BLOCK);
    write_piece<M, false>(shared_at(s), x[1], p.rows, threadIdx.x, LW_BLOCK);
}

template <int M, typename P> __global__ void __launch_bounds__(LW_BLOCK, 5) flip_short_kernel(const P p)
{
    const bool R = M != LW_FLIP_COPY;
    __shared__ __align__(16) unsigned char s[BEFORE + LW_FLIP_BYTES + AFTER];
    __shared__ piece pieces[LW_FLIP_MAX_PIECES];
    const lw_flip_rows &f = p.rows;
    const uint32_t slots = f.rows_per_block * f.slots;
    if (threadIdx.x < f.rows_per_block) {
        piece mine[2];
        int n = row_pieces<R>(p, threadIdx.x, mine);
        for (uint32_t i = 0; i < f.slots; i++) {
            if (i >= (uint32_t)n) {
                mine[i].vectors = 0;
                mine[i].first = mine[i].end = 0;
            }
            pieces[threadIdx.x * f.slots + i] = mine[i];
        }
    }
    __syncthreads();
    const char *at[LOADS];
    bool safe = true;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        uint32_t i = threadIdx.x + k * LW_BLOCK, slot = fdiv(i, f.windows), w = i - slot * f.windows.d;
        at[k] = slot < slots && w < pieces[slot].vectors ? pieces[slot].window + 16 * w : 0;
        safe = safe && (!at[k] || (at[k] >= f.lo && at[k] + 16 <= f.hi));
    }
    if (safe) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            if (at[k]) v[k] = load16(at[k]);
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            if (at[k]) *(uint4 *)(s + BEFORE + 16 * (threadIdx.x + k * LW_BLOCK)) = v[k];
        }
    } else {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            if (at[k]) *(uint4 *)(s + BEFORE + 16 * (threadIdx.x + k * LW_BLOCK)) = load_in(at[k], f.lo, f.hi);
        }
    }
    __syncthreads();
    const uint32_t lane = threadIdx.x & (f.lanes - 1), first = threadIdx.x / f.lanes, groups = LW_BLOCK / f.lanes;
    for (uint32_t slot = first; slot < slots; slot += groups) {
        write_piece<M, false>(shared_at(s), pieces[slot], f, lane, f.lanes);
    }
}

typedef void (*flip_fn)(const lw_flip_params);
typedef void (*swap_fn)(const lw_swap_params);

static const struct flip_entry {
    flip_fn far, near, dense;
    swap_fn pair, both;
} table[LW_FLIP_MODES] = {
#define MODE(M)                                                                                                        \
    {flip_long_kernel<M, false>, flip_short_kernel<M, lw_flip_params>, flip_long_kernel<M, true>, flip_pair_kernel<M>, \
     flip_short_kernel<M, lw_swap_params>}
    MODE(LW_FLIP_COPY), MODE(LW_FLIP_1),    MODE(LW_FLIP_2),   MODE(LW_FLIP_4),   MODE(LW_FLIP_8),
    MODE(LW_FLIP_16),   MODE(LW_FLIP_EVEN), MODE(LW_FLIP_ODD), MODE(LW_FLIP_ANY),
};

extern "C" int lw_flip_launch(const lw_flip_params *p, uint32_t grid, lw_stream stream)
{
    const struct flip_entry *e = &table[p->rows.mode];
    flip_fn fn = p->rows.dense ? e->dense : p->rows.rows_per_block ? e->near : e->far;
    return LW_LAUNCH(fn, grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_swap_rows_launch(const lw_swap_params *p, uint32_t grid, lw_stream stream)
{
    const struct flip_entry *e = &table[p->rows.mode];
    if (p->rows.dense) { /* every row is its own mirror image */
        lw_flip_params q = {p->data, p->data, p->rows, {0}};
        return lw_flip_launch(&q, grid, stream);
    }
    return LW_LAUNCH(p->rows.rows_per_block ? e->both : e->pair, grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_flip_setup(lw_ops *)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < LW_FLIP_MODES && e == cudaSuccess; i++) {
        e = cudaFuncGetAttributes(&a, (const void *)table[i].far);
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)table[i].near);
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)table[i].dense);
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)table[i].pair);
        if (e == cudaSuccess) e = cudaFuncGetAttributes(&a, (const void *)table[i].both);
    }
    return (int)e;
}
