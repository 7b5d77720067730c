/*
 * Any strided copy of units of 1..16 bytes. A block moves a box of the index space through shared memory: it reads the
 * box in the order of the input's strides and writes it in the order of the output's, with vectors on each side whose
 * fastest dimension allows it. Both orders are mixed-radix countings (lw_digit) of the box; the shared tile is in output
 * order, with padding chosen by the planner against bank conflicts.
 */
#include "kernel.cuh"

typedef void (*box_fn)(const lw_box_params);

template <int B> struct vec;
template <> struct vec<1> { typedef unsigned char t; };
template <> struct vec<2> { typedef uint16_t t; };
template <> struct vec<4> { typedef uint32_t t; };
template <> struct vec<8> { typedef uint2 t; };
template <> struct vec<16> { typedef uint4 t; };

LW_DEV uint32_t padded(const lw_box_params &p, uint32_t b) {
    return b + (b >> p.pad_shift) * p.pad_bytes;
}

/* Counts N vectors at once: offsets in global memory, units in the tile, and whether the box holds them. */
template <int N> LW_DEV void count_out(const lw_digit *digit, int n, uint32_t *e, int64_t *off, uint32_t *pos, bool *ok,
                                       int32_t limit0, int32_t limit1) {
    for (int i = 0; i < n; i++) {
        const lw_fdiv t = digit[i].t;
        const int64_t stride = digit[i].stride;
        const int32_t step = digit[i].pos, limit = digit[i].limit;
        #pragma unroll
        for (int k = 0; k < N; k++) {
            uint32_t q = fdiv(e[k], t), c = e[k] - q * t.d;
            e[k] = q;
            off[k] += c * stride;
            pos[k] += c * step;
            if (limit == 1) ok[k] = ok[k] && (int32_t)c < limit0;
            if (limit == 2) ok[k] = ok[k] && (int32_t)c < limit1;
        }
    }
}

/* The U-byte units of a vector to their places in the tile. */
template <int U, int V> LW_DEV void scatter(const lw_box_params &p, unsigned char *tile, const typename vec<V>::t *v,
                                            uint32_t pos, int32_t step) {
    typedef typename vec<U>::t unit;
    const unit *u = (const unit *)v;
    #pragma unroll
    for (int j = 0; j < V / U; j++) *(unit *)(tile + padded(p, (pos + j * step) * U)) = u[j];
}

template <int U, int VL, int VS> __global__ void __launch_bounds__(LW_BLOCK) box_kernel(const lw_box_params p) {
    LW_DYNAMIC_SHARED(tile);
    typedef typename vec<VL>::t lvec;
    typedef typename vec<VS>::t svec;
    enum { NL = VL == 16 ? 4 : 8, NS = VS == 16 ? 4 : 8 };
    const char *in = p.in;
    char *out = p.out;
    int32_t limit[2] = { 0x7fffffff, 0x7fffffff };
    uint32_t index = blockIdx.x;
    for (int i = 0; i < p.nd; i++) {
        uint32_t q = i + 1 < p.nd ? fdiv(index, p.d[i].grid) : 0, c = index - q * p.d[i].grid.d;
        in += c * p.d[i].in;
        out += c * p.d[i].out;
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            if (p.limit_dim[k] == i) limit[k] = (int32_t)min(p.limit_n[k] - (int64_t)c * p.limit_box[k],
                                                             (int64_t)p.limit_box[k]);
        }
        index = q;
    }
    int32_t l0 = limit[0] >> p.limit_lshift[0], l1 = limit[1] >> p.limit_lshift[1];
    for (uint32_t base = threadIdx.x; base < (uint32_t)p.loads; base += LW_BLOCK * NL) {
        uint32_t e[NL], pos[NL];
        int64_t off[NL];
        bool ok[NL];
        lvec v[NL];
        #pragma unroll
        for (int k = 0; k < NL; k++) {
            e[k] = base + k * LW_BLOCK;
            ok[k] = e[k] < (uint32_t)p.loads;
            off[k] = 0;
            pos[k] = 0;
        }
        count_out<NL>(p.l, p.nl, e, off, pos, ok, l0, l1);
        #pragma unroll
        for (int k = 0; k < NL; k++) {
            if (ok[k]) v[k] = __ldg((const lvec *)(in + off[k]));
        }
        #pragma unroll
        for (int k = 0; k < NL; k++) {
            /* a vector's first digit steps VL / U units at a time */
            if (ok[k]) scatter<U, VL>(p, tile, &v[k], pos[k], p.l[0].pos / (VL / U));
        }
    }
    __syncthreads();
    l0 = limit[0] >> p.limit_sshift[0];
    l1 = limit[1] >> p.limit_sshift[1];
    for (uint32_t base = threadIdx.x; base < (uint32_t)p.stores; base += LW_BLOCK * NS) {
        uint32_t e[NS], pos[NS];
        int64_t off[NS];
        bool ok[NS];
        #pragma unroll
        for (int k = 0; k < NS; k++) {
            e[k] = base + k * LW_BLOCK;
            ok[k] = e[k] < (uint32_t)p.stores;
            off[k] = 0;
            pos[k] = 0;
        }
        count_out<NS>(p.s, p.ns, e, off, pos, ok, l0, l1);
        #pragma unroll
        for (int k = 0; k < NS; k++) {
            if (ok[k]) *(svec *)(out + off[k]) = *(const svec *)(tile + padded(p, (base + k * LW_BLOCK) * VS));
        }
    }
}

static const struct box_entry {
    int unit, vload, vstore;
    box_fn fn;
} table[] = {
#define BOX(U, L, S) { U, L, S, box_kernel<U, L, S> }
    BOX(1, 1, 1), BOX(1, 1, 4), BOX(1, 1, 16), BOX(1, 4, 1), BOX(1, 4, 4), BOX(1, 4, 16), BOX(1, 16, 1), BOX(1, 16, 4),
    BOX(1, 16, 16), BOX(2, 2, 2), BOX(2, 2, 4), BOX(2, 2, 16), BOX(2, 4, 2), BOX(2, 4, 4), BOX(2, 4, 16), BOX(2, 16, 2),
    BOX(2, 16, 4), BOX(2, 16, 16), BOX(4, 4, 4), BOX(4, 4, 16), BOX(4, 16, 4), BOX(4, 16, 16), BOX(8, 8, 8),
    BOX(8, 8, 16), BOX(8, 16, 8), BOX(8, 16, 16), BOX(16, 16, 16),
};
#define ENTRIES ((int)(sizeof table / sizeof table[0]))

extern "C" int lw_box_launch(const lw_box_params *p, int unit, int vload, int vstore, uint32_t grid, uint32_t shared,
                             lw_stream stream) {
    for (int i = 0; i < ENTRIES; i++) {
        if (table[i].unit == unit && table[i].vload == vload && table[i].vstore == vstore) {
            return LW_LAUNCH(table[i].fn, grid, LW_BLOCK, shared, stream, p);
        }
    }
    return (int)cudaErrorInvalidValue;
}

extern "C" int lw_box_setup(void) {
    cudaFuncAttributes a;
    for (int i = 0; i < ENTRIES; i++) {
        cudaError_t e = cudaFuncGetAttributes(&a, (const void *)table[i].fn);
        if (e != cudaSuccess) return (int)e;
    }
    return 0;
}
