/*
 * Any strided copy of units of 1..16 bytes. A block moves boxes of the index space through shared memory: it reads a
 * box in the order of the input's strides and writes it in the order of the output's, with vectors on each side whose
 * fastest dimension allows it. Both orders are mixed-radix countings (lw_digit). Every thread works its places out
 * once and keeps them in registers as 32-bit offsets; boxes at the end of a cut dimension select places by
 * precomputed masks. The next box is on its way in registers while the present one is written; the tile is in output
 * order, twice, with padding chosen by the planner against bank conflicts.
 */
#include "copy/box.cuh"

typedef void (*box_fn)(const lw_box_params);

#define LW_BOX_RING 64 /* places of boxes that are known ahead, a power of two above 32 */
#define LW_BOX_WIDE 4  /* boxes of 16 KiB from this vector width on */

/*
 * Narrow vectors are many to a thread: 512 threads share them, and one warp works the boxes' places out for all. With
 * wide ones every thread works them out itself, with 256 threads more blocks are resident.
 */
template <int VL, int VS> struct box_size {
    static const int narrow = VL < VS ? VL : VS;
    static const int bytes = narrow >= LW_BOX_WIDE ? 16384 : narrow >= 2 ? 8192 : 4096;
    static const bool shares = narrow < 8;
    static const int threads = shares && bytes >= 8192 ? 512 : 256;
    static const int nl = bytes / (threads * VL), ns = bytes / (threads * VS);
    /* per multiprocessor, at least */
    static const int blocks = shares ? threads == 256 && nl + ns > 20 ? 3 : 1024 / threads : narrow == 8 ? 3 : 4;
};

LW_DEV uint32_t padded(const lw_box_params &p, uint32_t b) { return b + (b >> p.pad_shift) * p.pad_bytes; }

/* Keeps the compiler from computing what follows from x before the loop, for want of registers. */
LW_DEV void keep(uint32_t *x) { asm volatile("" : "+r"(*x)); }

template <int N, int T> LW_DEV masks count_out(const lw_digit *digit, int n, uint32_t total, uint32_t bias,
                                               uint32_t *off, uint32_t *pos)
{
    masks m = {0, 0, 0};
#pragma unroll
    for (int k = 0; k < N; k++) {
        uint32_t e = threadIdx.x + k * T, o = bias, at = 0;
        bool in0 = true, in1 = true;
        if (e < total) m.all |= 1u << k;
        for (int i = 0; i < n; i++) {
            uint32_t q = fdiv(e, digit[i].steps), c = e - q * digit[i].steps.d;
            e = q;
            o += c * (uint32_t)digit[i].stride;
            at += c * (uint32_t)digit[i].pos;
            if (digit[i].limit == 1) in0 = c < (uint32_t)digit[i].rest;
            if (digit[i].limit == 2) in1 = c < (uint32_t)digit[i].rest;
        }
        m.cut0 |= (uint32_t)in0 << k;
        m.cut1 |= (uint32_t)in1 << k;
        off[k] = o;
        pos[k] = at;
    }
    return m;
}

template <int V, int N> LW_DEV void fetch(typename vec<V>::t *v, const char *in, const uint32_t *off, uint32_t mask)
{
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (mask >> k & 1) v[k] = __ldg((const typename vec<V>::t *)(in + off[k]));
    }
}

struct box_place {
    int64_t in, out;
    uint32_t need; /* bit per cut dimension whose last box it is */
};

LW_DEV box_place find_place(const lw_box_params &p, uint32_t index)
{
    place at = place_of(p.grid, p.grid_dims, index);
    box_place to = {at.in, at.out, (at.last0 ? 1u : 0) | (at.last1 ? 2u : 0)};
    return to;
}

/* One warp works out the next 32 places of the block at once. */
LW_DEV void find_places(box_place *ring, const lw_box_params &p, uint32_t index, uint32_t turn)
{
    if (threadIdx.x >= 32) return;
    uint32_t i = index + threadIdx.x * gridDim.x;
    if (i >= p.boxes) return;
    ring[(turn + threadIdx.x) & (LW_BOX_RING - 1)] = find_place(p, i);
}

LW_DEV uint32_t existing(const masks &m, uint32_t need)
{
    return m.all & (need & 1 ? m.cut0 : ~0u) & (need & 2 ? m.cut1 : ~0u);
}

template <int U, int VL, int VS>
__global__ void __launch_bounds__((box_size<VL, VS>::threads), (box_size<VL, VS>::blocks))
    box_kernel(const lw_box_params p)
{
    typedef box_size<VL, VS> S;
    typedef typename vec<U>::t unit;
    typedef typename vec<VS>::t wide;
    const int T = S::threads;
    LW_DYNAMIC_SHARED(shared);
    __shared__ box_place ring[S::shares ? LW_BOX_RING : 1];
    uint32_t in_off[S::nl], pos[S::nl], two[(S::nl + 1) / 2], out_off[S::ns], unused[S::ns];
    typename vec<VL>::t v[S::nl];
    uint32_t index = blockIdx.x, flip = 0, turn = 0;
    if (S::shares) find_places(ring, p, index, 0);
    masks lm = count_out<S::nl, T>(p.load_digit, p.load_digits, (uint32_t)p.loads, p.bias, in_off, pos);
    masks sm = count_out<S::ns, T>(p.store_digit, p.store_digits, (uint32_t)p.stores, 0, out_off, unused);
    const uint32_t step = (uint32_t)p.step;
#pragma unroll
    for (int k = 0; k < S::nl; k++) {
        uint32_t at = VL == U ? padded(p, pos[k] * U) : pos[k] * U;
        two[k / 2] = k % 2 ? two[k / 2] | at << 16 : at;
    }
    /* padding never reaches beyond the distance of a thread's vectors, which therefore lie evenly */
    const uint32_t first = padded(p, threadIdx.x * VS), apart = padded(p, T * VS);
    if (S::shares) __syncthreads();
    box_place at = S::shares ? ring[0] : find_place(p, index);
    uint32_t mask = existing(lm, at.need);
    fetch<VL, S::nl>(v, p.in + at.in, in_off, mask);
    for (;;) {
        unsigned char *tile = shared + flip;
#pragma unroll
        for (int k = 0; k < S::nl; k++) {
            if (!(mask >> k & 1)) continue;
            const unit *u = (const unit *)&v[k];
            uint32_t base = k % 2 ? two[k / 2] >> 16 : two[k / 2] & 0xffff;
            if (VL != U) keep(&base);
#pragma unroll
            for (int j = 0; j < VL / U; j++) { *(unit *)(tile + (VL == U ? base : padded(p, base + j * step))) = u[j]; }
        }
        __syncthreads();
        char *out = p.out + at.out;
        const uint32_t store = existing(sm, at.need);
        index += gridDim.x;
        turn++;
        if (index < p.boxes) {
            at = S::shares ? ring[turn & (LW_BOX_RING - 1)] : find_place(p, index);
            mask = existing(lm, at.need);
            fetch<VL, S::nl>(v, p.in + at.in, in_off, mask);
        }
        if (S::shares && turn % 32 == 1) find_places(ring, p, index + 31 * gridDim.x, turn + 31);
        const unsigned char *from = tile + first;
#pragma unroll
        for (int k = 0; k < S::ns; k++) {
            if (store >> k & 1) *(wide *)(out + out_off[k]) = *(const wide *)(from + k * apart);
        }
        if (index >= p.boxes) return;
        flip ^= p.tile_bytes; /* the other tile: nobody reads it any more since the last barrier */
    }
}

static const struct box_entry {
    int unit, vload, vstore, bytes, threads;
    box_fn fn;
} table[] = {
#define BOX(U, L, S) {U, L, S, box_size<L, S>::bytes, box_size<L, S>::threads, box_kernel<U, L, S>}
    BOX(1, 1, 1),   BOX(1, 1, 4),   BOX(1, 1, 16), BOX(1, 4, 1),   BOX(1, 4, 4),   BOX(1, 4, 16),   BOX(1, 16, 1),
    BOX(1, 16, 4),  BOX(1, 16, 16), BOX(2, 2, 2),  BOX(2, 2, 4),   BOX(2, 2, 16),  BOX(2, 4, 2),    BOX(2, 4, 4),
    BOX(2, 4, 16),  BOX(2, 16, 2),  BOX(2, 16, 4), BOX(2, 16, 16), BOX(4, 4, 4),   BOX(4, 4, 16),   BOX(4, 16, 4),
    BOX(4, 16, 16), BOX(8, 8, 8),   BOX(8, 8, 16), BOX(8, 16, 8),  BOX(8, 16, 16), BOX(16, 16, 16),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct box_entry *find(int unit, int vload, int vstore)
{
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].unit == unit && table[i].vload == vload && table[i].vstore == vstore) return &table[i];
    }
    return 0;
}

extern "C" int lw_box_bytes(int unit, int vload, int vstore)
{
    const struct box_entry *e = find(unit, vload, vstore);
    return e ? e->bytes : 0;
}

extern "C" int lw_box_blocks(const lw_ops *ops, int unit, int vload, int vstore)
{
    const struct box_entry *e = find(unit, vload, vstore);
    return e ? ops->box_blocks[e - table] : 1;
}

extern "C" int lw_box_launch(const lw_box_params *p, int unit, int vload, int vstore, uint32_t grid, uint32_t shared,
                             lw_stream stream)
{
    const struct box_entry *e = find(unit, vload, vstore);
    if (!e) return (int)cudaErrorInvalidValue;
    return LW_LAUNCH(e->fn, grid, (unsigned)e->threads, shared, stream, p);
}

extern "C" int lw_box_setup(lw_ops *ops)
{
    for (int i = 0; i < ENTRIES; i++) {
        int n = 0, shared = 2 * (table[i].bytes + table[i].bytes / 8);
        const void *fn = (const void *)table[i].fn;
        cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fn, table[i].threads, shared);
        if (e != cudaSuccess) return (int)e;
        ops->box_blocks[i] = n > 0 ? n : 1;
    }
    return 0;
}
