/*
 * Any strided copy of units of 1..16 bytes. A block moves boxes of the index space through shared memory: it reads a box
 * in the order of the input's strides and writes it in the order of the output's, with vectors on each side whose fastest
 * dimension allows it. Both orders are mixed-radix countings (lw_digit). Every thread works its places out once and keeps
 * them in registers as 32-bit offsets; boxes at the end of a cut dimension select places by precomputed masks. The next
 * box is on its way in registers while the present one is written; the tile is in output order, twice, with padding
 * chosen by the planner against bank conflicts.
 */
#include "box.cuh"

typedef void (*box_fn)(const lw_box_params);

template <int B> struct vec;
template <> struct vec<1> { typedef unsigned char t; };
template <> struct vec<2> { typedef uint16_t t; };
template <> struct vec<4> { typedef uint32_t t; };
template <> struct vec<8> { typedef uint2 t; };
template <> struct vec<16> { typedef uint4 t; };

#define LW_BOX_WIDE 4 /* boxes of 16 KiB from this vector width on */

template <int VL, int VS> struct box_size {
    static const int narrow = VL < VS ? VL : VS;
    static const int bytes = narrow >= LW_BOX_WIDE ? 16384 : narrow >= 2 ? 8192 : 4096;
    static const int nl = bytes / (LW_BLOCK * VL), ns = bytes / (LW_BLOCK * VS);
    static const int blocks = narrow == 8 ? 3 : narrow >= 4 ? narrow >= LW_BOX_WIDE && narrow < 8 ? 2 : 4 : 2; /* per multiprocessor, at least */
};

LW_DEV uint32_t padded(const lw_box_params &p, uint32_t b) {
    return b + (b >> p.pad_shift) * p.pad_bytes;
}

/* Keeps the compiler from computing what follows from x before the loop, for want of registers. */
LW_DEV void keep(uint32_t *x) {
    asm volatile("" : "+r"(*x));
}

template <int N> LW_DEV masks count_out(const lw_digit *digit, int n, uint32_t total, uint32_t bias,
                                        uint32_t *off, uint32_t *pos) {
    masks m = { 0, 0, 0 };
    #pragma unroll
    for (int k = 0; k < N; k++) {
        uint32_t e = threadIdx.x + k * LW_BLOCK, o = bias, at = 0;
        bool in0 = true, in1 = true;
        if (e < total) m.all |= 1u << k;
        for (int i = 0; i < n; i++) {
            uint32_t q = fdiv(e, digit[i].t), c = e - q * digit[i].t.d;
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

template <int V, int N> LW_DEV void fetch(typename vec<V>::t *v, const char *in, const uint32_t *off, uint32_t mask) {
    #pragma unroll
    for (int k = 0; k < N; k++) {
        if (mask >> k & 1) v[k] = __ldg((const typename vec<V>::t *)(in + off[k]));
    }
}

template <int U, int VL, int VS>
__global__ void __launch_bounds__(LW_BLOCK, (box_size<VL, VS>::blocks)) box_kernel(const lw_box_params p) {
    typedef box_size<VL, VS> S;
    typedef typename vec<U>::t unit;
    LW_DYNAMIC_SHARED(shared);
    uint32_t in_off[S::nl], pos[S::nl], out_off[S::ns], unused[S::ns];
    typename vec<VL>::t v[S::nl];
    masks lm = count_out<S::nl>(p.l, p.nl, (uint32_t)p.loads, p.bias, in_off, pos);
    masks sm = count_out<S::ns>(p.s, p.ns, (uint32_t)p.stores, 0, out_off, unused);
    const uint32_t step = (uint32_t)p.step;
    #pragma unroll
    for (int k = 0; k < S::nl; k++) pos[k] = VL == U ? padded(p, pos[k] * U) : pos[k] * U;
    uint32_t index = blockIdx.x, flip = 0;
    place at = place_of(p.d, p.nd, index);
    uint32_t mask = select(lm, at);
    fetch<VL, S::nl>(v, p.in + at.in, in_off, mask);
    for (;;) {
        unsigned char *tile = shared + flip;
        uint32_t first = threadIdx.x * VS;
        keep(&first);
        #pragma unroll
        for (int k = 0; k < S::nl; k++) {
            if (!(mask >> k & 1)) continue;
            const unit *u = (const unit *)&v[k];
            uint32_t base = pos[k];
            if (VL != U) keep(&base);
            #pragma unroll
            for (int j = 0; j < VL / U; j++) {
                *(unit *)(tile + (VL == U ? base : padded(p, base + j * step))) = u[j];
            }
        }
        __syncthreads();
        char *out = p.out + at.out;
        uint32_t store = select(sm, at);
        index += gridDim.x;
        if (index < p.boxes) {
            at = place_of(p.d, p.nd, index);
            mask = select(lm, at);
            fetch<VL, S::nl>(v, p.in + at.in, in_off, mask);
        }
        #pragma unroll
        for (int k = 0; k < S::ns; k++) {
            typedef typename vec<VS>::t wide;
            if (store >> k & 1) {
                *(wide *)(out + out_off[k]) = *(const wide *)(tile + padded(p, first + k * LW_BLOCK * VS));
            }
        }
        if (index >= p.boxes) return;
        flip ^= p.tile_bytes; /* the other tile: nobody reads it any more since the last barrier */
    }
}

static const struct box_entry {
    int unit, vload, vstore, bytes;
    box_fn fn;
} table[] = {
#define BOX(U, L, S) { U, L, S, box_size<L, S>::bytes, box_kernel<U, L, S> }
    BOX(1, 1, 1), BOX(1, 1, 4), BOX(1, 1, 16), BOX(1, 4, 1), BOX(1, 4, 4), BOX(1, 4, 16), BOX(1, 16, 1), BOX(1, 16, 4),
    BOX(1, 16, 16), BOX(2, 2, 2), BOX(2, 2, 4), BOX(2, 2, 16), BOX(2, 4, 2), BOX(2, 4, 4), BOX(2, 4, 16), BOX(2, 16, 2),
    BOX(2, 16, 4), BOX(2, 16, 16), BOX(4, 4, 4), BOX(4, 4, 16), BOX(4, 16, 4), BOX(4, 16, 16), BOX(8, 8, 8),
    BOX(8, 8, 16), BOX(8, 16, 8), BOX(8, 16, 16), BOX(16, 16, 16),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

static const struct box_entry *find(int unit, int vload, int vstore) {
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].unit == unit && table[i].vload == vload && table[i].vstore == vstore) return &table[i];
    }
    return 0;
}

extern "C" int lw_box_bytes(int unit, int vload, int vstore) {
    const struct box_entry *e = find(unit, vload, vstore);
    return e ? e->bytes : 0;
}

extern "C" int lw_box_blocks(const struct lw_ops *ops, int unit, int vload, int vstore) {
    const struct box_entry *e = find(unit, vload, vstore);
    return e ? ops->box_blocks[e - table] : 1;
}

extern "C" int lw_box_launch(const lw_box_params *p, int unit, int vload, int vstore, uint32_t grid, uint32_t shared,
                             lw_stream stream) {
    const struct box_entry *e = find(unit, vload, vstore);
    if (!e) return (int)cudaErrorInvalidValue;
    return LW_LAUNCH(e->fn, grid, LW_BLOCK, shared, stream, p);
}

extern "C" int lw_box_setup(struct lw_ops *ops) {
    for (int i = 0; i < ENTRIES; i++) {
        int n = 0, shared = 2 * (table[i].bytes + table[i].bytes / 8);
        cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)table[i].fn, LW_BLOCK, shared);
        if (e != cudaSuccess) return (int)e;
        ops->box_blocks[i] = n > 0 ? n : 1;
    }
    return 0;
}
