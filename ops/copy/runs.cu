/*
 * Strided copies of units of 1, 2 or 4 bytes between runs at any address. A box of the index space has runs on both
 * sides: bytes that lie together in the input, and bytes that lie together in the output. The aligned chunks of 16
 * bytes that hold the input's runs come into shared memory by asynchronous copies (cc 8.0) one box ahead; a thread
 * takes windows of 16 bytes from them (two chunks and a shift), puts every unit where it belongs in a tile of the
 * output's runs, and the block writes those in words aligned in the output, put together from two words of the tile;
 * only the ends of a run go in pieces. Where a unit of a run belongs stands in a table in shared memory that is the
 * same for all runs; where a run begins is worked out once per block, as blocks are resident and move many boxes. The
 * last window of a run ends with the run, so it may overlap the one before: both write the same. A tile's runs lie a
 * pitch apart that the planner chose against bank conflicts; it need not be a multiple of 4.
 */
#include "copy/box.cuh"

typedef void (*runs_fn)(const lw_runs_params);

#define PLACES LW_RUNS_PLACES
#define CHUNKS LW_RUNS_CHUNKS
#define LW_RUNS_RING 64 /* places of boxes that are known ahead, a power of two above 32 */
#define LW_RUNS_PLANE 8 /* places of a window that are read at once */

LW_DEV void put_unit(uint32_t at, uint32_t v, int bytes)
{
    if (bytes == 1) asm volatile("st.shared.u8 [%0], %1;" : : "r"(at), "r"(v));
    else if (bytes == 2) asm volatile("st.shared.u16 [%0], %1;" : : "r"(at), "h"((unsigned short)v));
    else asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(v));
}

/* Where the units of an input run belong: entry j of window w, relative to the run's first unit. */
template <int U> LW_DEV void fill_places(uint16_t *table, const lw_runs_params &p)
{
    const uint32_t per = 16 / U, total = p.windows.d * per;
    for (uint32_t i = threadIdx.x; i < total; i += LW_BLOCK) {
        uint32_t w = i / per, first = min(w * per, p.run_units - per), e = first + i % per;
        int32_t at = 0;
        for (int k = 0; k < p.unit_digits; k++) {
            uint32_t q = fdiv(e, p.unit_digit[k].steps);
            at += (int32_t)(e - q * p.unit_digit[k].steps.d) * p.unit_digit[k].pos;
            e = q;
        }
        uint32_t j = i % per, part = j / LW_RUNS_PLANE; /* a plane has 16 bytes of every window */
        table[(part * p.windows.d + w) * (per < LW_RUNS_PLANE ? per : LW_RUNS_PLANE) + j % LW_RUNS_PLANE] =
            (uint16_t)(at + p.table_bias);
    }
}

struct run_place {
    uint32_t offset, exists; /* bit 0: in the last box of the first cut dimension, bit 1: of the second */
};

LW_DEV run_place place_run(const lw_digit *digit, int n, uint32_t e, int32_t *pos)
{
    run_place r = {0, 3};
    for (int i = 0; i < n; i++) {
        uint32_t q = fdiv(e, digit[i].steps), c = e - q * digit[i].steps.d;
        e = q;
        r.offset += c * digit[i].stride;
        *pos += (int32_t)c * digit[i].pos;
        if (digit[i].limit && (uint32_t)((int32_t)c - digit[i].first) >= (uint32_t)digit[i].rest) {
            r.exists &= ~(uint32_t)digit[i].limit;
        }
    }
    return r;
}

/* Units of a window to their places: two 16-bit places in one word. */
template <int U> LW_DEV void scatter(uint4 v, const uint16_t *table, uint32_t plane, uint32_t base)
{
    const uint32_t w[4] = {v.x, v.y, v.z, v.w};
    __align__(16) uint32_t places[8 / U];
    if (U == 4) {
        *(uint2 *)places = *(const uint2 *)table;
    } else {
#pragma unroll
        for (int i = 0; i < 2 / U; i++) ((uint4 *)places)[i] = ((const uint4 *)table)[i * plane];
    }
#pragma unroll
    for (int i = 0; i < 8 / U; i++) {
        uint32_t two = places[i], a = base + (two & 0xffff), b = base + (two >> 16);
        if (U == 1) {
            put_unit(a, w[i / 2] >> (i % 2 * 16), 1);
            put_unit(b, w[i / 2] >> (i % 2 * 16 + 8), 1);
        } else if (U == 2) {
            put_unit(a, w[i], 2);
            put_unit(b, w[i] >> 16, 2);
        } else {
            put_unit(a, w[2 * i], 4);
            put_unit(b, w[2 * i + 1], 4);
        }
    }
}

/* 16 bytes of which some may lie outside the tensor; those are zero. */
static __device__ __noinline__ uint4 load_edge(const char *p, const char *lo, const char *hi)
{
    uint32_t w[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 16; i++) {
        if (p + i >= lo && p + i < hi) w[i / 4] |= (uint32_t)*(const unsigned char *)(p + i) << (i % 4 * 8);
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/* Where boxes lie: one warp works out the next 32 places of the block at once. */
struct box_place {
    int64_t in, out;
    uint32_t need, safe; /* need: bit per cut dimension whose last box it is; safe: no window reaches past the tensor */
};

LW_DEV void find_places(box_place *ring, const lw_runs_params &p, uint32_t index, uint32_t turn)
{
    if (threadIdx.x >= 32) return;
    uint32_t i = index + threadIdx.x * gridDim.x;
    if (i >= p.boxes) return;
    place at = place_of(p.grid, p.grid_dims, i);
    box_place *to = &ring[(turn + threadIdx.x) & (LW_RUNS_RING - 1)];
    const char *in = p.in + at.in;
    to->in = at.in;
    to->out = at.out;
    to->need = (at.last0 ? 1u : 0) | (at.last1 ? 2u : 0);
    to->safe = in - 16 >= p.lo && in + p.reach + 32 <= p.hi;
}

/*
 * A group of G lanes writes up to 4 G words of an output run, from the tile's bytes at `at`; the bytes before the first
 * and after the last whole word are written one by one.
 */
template <int U, int G> LW_DEV void store_run(char *dst, const unsigned char *at, uint32_t len, uint32_t part,
                                              uint32_t lane)
{
    uint32_t head = min((0u - (uint32_t)(uintptr_t)dst) & 3, len), words = (len - head) / 4, w = part * (4 * G) + lane;
    const unsigned char *from = at + head;
    uint32_t odd = (uint32_t)__cvta_generic_to_shared(from) & 3;
    const uint32_t *src = (const uint32_t *)(from - odd) + w;
    uint32_t *to = (uint32_t *)(dst + head) + w;
    uint32_t lo[4], hi[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        lo[i] = src[i * G];
        if (U < 4) hi[i] = src[i * G + 1];
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t v = U < 4 ? __funnelshift_r(lo[i], hi[i], odd * 8) : lo[i];
        if (w + i * G < words) to[i * G] = v;
    }
    if (U == 4 || part || lane >= 8) return;
    uint32_t b = lane < 4 ? lane : head + 4 * words + (lane - 4), end = lane < 4 ? head : len;
    if (b < end) dst[b] = (char)at[b];
}

LW_DEV void chunk_async(uint32_t to, unsigned char *generic, const char *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
#else
    *(uint4 *)generic = load16(from);
#endif
}

LW_DEV void commit(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

LW_DEV void wait_all(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 0;" : : : "memory");
#endif
}

LW_DEV uint32_t existing(const masks &m, uint32_t need)
{
    return m.all & (need & 1 ? m.cut0 : ~0u) & (need & 2 ? m.cut1 : ~0u);
}

/* The aligned chunks of 16 bytes that hold the box's input runs, to the raw area: run after run, p.chunks each. */
LW_DEV void fetch_chunks(const lw_runs_params &p, const box_place &at, unsigned char *raw, const uint32_t *off,
                         const masks &m, uint32_t final)
{
    const char *in = p.in + at.in;
    const uint32_t mask = existing(m, at.need), to = (uint32_t)__cvta_generic_to_shared(raw);
    const int32_t full = p.last_chunk;
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        const char *from = in + off[k];
        uint32_t low = (uint32_t)(uintptr_t)from & 15, e = (threadIdx.x + k * LW_BLOCK) * 16;
        if (!(mask >> k & 1) || ((final >> k & 1) && (int32_t)low <= full)) continue;
        from -= low;
        if (at.safe) chunk_async(to + e, raw + e, from);
        else if (from >= p.lo && from + 16 <= p.hi) chunk_async(to + e, raw + e, from);
        else *(uint4 *)(raw + e) = load_edge(from, p.lo, p.hi);
    }
}

/* A thread's windows of a box from the raw area to their places in the tile. */
template <int U> LW_DEV void scatter_windows(const lw_runs_params &p, const box_place &at, const unsigned char *raw,
                                             const uint16_t *table, uint32_t tile, const uint32_t *source,
                                             const uint32_t *base, const masks &m)
{
    const uint32_t odd = (uint32_t)(uintptr_t)(p.in + at.in) & 15, mask = existing(m, at.need);
#pragma unroll
    for (int k = 0; k < PLACES; k++) {
        if (!(mask >> k & 1)) continue;
        uint32_t low = ((source[k] & 15) + odd) & 15, b = (source[k] >> 4) + low, shift = b & 15;
        const uint4 *q = (const uint4 *)(raw + (b & ~15u));
        uint4 v = shift32(q[0], q[shift != 0], shift);
        scatter<U>(v, table + (base[k] & 0xffff), p.windows.d, tile + (base[k] >> 16));
    }
}

/* Notes of a thread's chunk or window k whether its run exists, and in the last boxes of the cut dimensions, too. */
LW_DEV void mark(masks *m, int k, bool all, uint32_t exists)
{
    if (all) m->all |= 1u << k;
    m->cut0 |= (exists & 1) << k;
    m->cut1 |= (exists >> 1 & 1) << k;
}

/* The runs of the output, for all threads of the block. */
LW_DEV void place_out_runs(run_place *runs, const lw_runs_params &p)
{
    for (uint32_t r = threadIdx.x; r < p.out_runs; r += LW_BLOCK) {
        int32_t unused = 0;
        runs[r] = place_run(p.out_digit, p.out_digits, r, &unused);
    }
}

/*
 * What a thread keeps of its chunks k and its windows k, for all boxes:
 * chunk: where in the input it begins; final, bit k: it is the last of its run; cm, m: which exist;
 * source: byte of the raw area if the run begins with a chunk, 28 bits, and its misalignment, 4 bits;
 * base: the run's byte of the tile, 16 bits, and the window's entry of the table, 16 bits.
 * That is computed here and not in functions of its own: then the compiler gives other, untimed, machine code.
 */
template <int U, int G> __global__ void __launch_bounds__(LW_BLOCK, 3) runs_kernel(const lw_runs_params p)
{
    LW_DYNAMIC_SHARED(shared);
    __shared__ box_place ring[LW_RUNS_RING];
    run_place *runs = (run_place *)shared;
    uint16_t *table = (uint16_t *)(shared + p.table_at);
    const uint32_t tile = (uint32_t)__cvta_generic_to_shared(shared + p.tile_at);
    uint32_t chunk[CHUNKS], source[PLACES], base[PLACES], final = 0;
    masks cm = {0, 0, 0}, m = {0, 0, 0};
    fill_places<U>(table, p);
    place_out_runs(runs, p);
#pragma unroll
    for (int k = 0; k < CHUNKS; k++) {
        uint32_t e = threadIdx.x + k * LW_BLOCK, run = fdiv(e, p.chunks), c = e - run * p.chunks.d;
        int32_t unused = 0;
        run_place r = place_run(p.in_digit, p.in_digits, run, &unused);
        mark(&cm, k, run < p.in_runs, r.exists);
        if (c + 1 == p.chunks.d) final |= 1u << k;
        chunk[k] = r.offset + 16 * c;
    }
#pragma unroll
    for (int k = 0; k < PLACES; k++) {
        uint32_t e = threadIdx.x + k * LW_BLOCK, run = fdiv(e, p.windows), w = e - run * p.windows.d;
        int32_t pos = p.pos_bias;
        run_place r = place_run(p.in_digit, p.in_digits, run, &pos);
        mark(&m, k, run < p.in_runs, r.exists);
        source[k] = (run * p.chunks.d * 16 + min(16 * w, p.run_units * U - 16)) << 4 | (r.offset & 15);
        base[k] = (uint32_t)pos << 16 | (w * (U == 1 ? LW_RUNS_PLANE : 16 / U));
    }
    const uint32_t lane = threadIdx.x % G, first = threadIdx.x / G, slots = p.out_runs * p.parts.d;
    const uint32_t step = gridDim.x;
    find_places(ring, p, blockIdx.x, 0);
    __syncthreads();
    fetch_chunks(p, ring[0], shared + p.raw_at, chunk, cm, final);
    commit();
    uint32_t turn = 0;
    for (uint32_t index = blockIdx.x; index < p.boxes; index += step) {
        const unsigned char *raw = shared + p.raw_at + (turn & 1) * p.raw_bytes;
        wait_all();
        __syncthreads();
        if (index + step < p.boxes) {
            unsigned char *other = shared + p.raw_at + (~turn & 1) * p.raw_bytes;
            fetch_chunks(p, ring[(turn + 1) & (LW_RUNS_RING - 1)], other, chunk, cm, final);
        }
        commit();
        if (turn % 32 == 0) find_places(ring, p, index + 32 * step, turn + 32);
        const box_place at = ring[turn & (LW_RUNS_RING - 1)];
        scatter_windows<U>(p, at, raw, table, tile, source, base, m);
        __syncthreads();
        char *out = p.out + at.out;
        uint32_t len = p.run_limit & at.need ? p.run_rest : p.run_bytes;
        for (uint32_t slot = first; slot < slots; slot += LW_BLOCK / G) {
            uint32_t r = fdiv(slot, p.parts);
            run_place to = runs[r];
            if ((to.exists & at.need) != at.need) continue;
            store_run<U, G>(out + to.offset, shared + p.tile_at + r * p.pitch, len, slot - r * p.parts.d, lane);
        }
        turn++;
    }
}

#define ROW(U) {runs_kernel<U, 8>, runs_kernel<U, 16>, runs_kernel<U, 32>}
static const runs_fn table[3][3] = {ROW(1), ROW(2), ROW(4)};

extern "C" int lw_runs_launch(const lw_runs_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream)
{
    return LW_LAUNCH(table[unit / 2][p->group / 16], grid, LW_BLOCK, shared, stream, p);
}

/* Resident blocks per multiprocessor with that much shared memory. */
extern "C" int lw_runs_blocks(const lw_ops *ops, int unit, uint32_t shared)
{
    int by_shared = (int)((uint32_t)ops->shared_sm / (shared + 1024 + 64)), most = ops->runs_blocks[unit / 2];
    return by_shared < 1 ? 1 : by_shared < most ? by_shared : most;
}

/* Most dynamic shared bytes of a block. */
extern "C" int lw_runs_shared(const lw_ops *ops)
{
    int most = ops->shared_optin - (int)(LW_RUNS_RING * sizeof(box_place)) - 64;
    return most < LW_RUNS_SHARED ? most : LW_RUNS_SHARED;
}

extern "C" int lw_runs_setup(lw_ops *ops)
{
    for (int i = 0; i < 9; i++) {
        int n = 0;
        const void *fn = (const void *)table[i / 3][i % 3];
        cudaError_t e = cudaFuncSetAttribute(fn, cudaFuncAttributeMaxDynamicSharedMemorySize, lw_runs_shared(ops));
        if (e == cudaSuccess) e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fn, LW_BLOCK, 0);
        if (e != cudaSuccess) return (int)e;
        if (i % 3 == 0 || n < ops->runs_blocks[i / 3]) ops->runs_blocks[i / 3] = n > 0 ? n : 1;
    }
    return 0;
}
