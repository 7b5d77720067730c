/*
 * Strided copies of units of 1 to 16 bytes, boxes of the index space through shared memory, cc 9.0 and later. The
 * input's runs of a box come in as they lie, in the aligned chunks of 16 bytes that hold them, by bulk copies or chunk
 * by chunk, one or two boxes ahead: a run keeps its misalignment, and as the distances of runs in shared memory are
 * those of the input modulo 16, a unit's place is linear in its index. Per unit of the output that leaves an addition
 * and a shared read, per word one store. Two forms write the output:
 *  listed  runs of several dimensions; a lane's places in a run are worked out once for all runs and boxes. Runs that
 *          begin at different bytes of a word are told apart (classes): groups of lanes keep to runs of one kind.
 *  linear  lines of the output's fastest dimension; their words begin with a sector of the output.
 */
#include "copy/box.cuh"
#include "copy/bulk.cuh"

typedef void (*gather_fn)(const lw_gather_params);

#define SECTOR 32
#define RING 64   /* places of boxes that are known ahead, a power of two above 32 + stages */
#define EXISTS 30 /* the two highest bits of a run's place: it is there in the last box of either cut dimension */
#define PLACE ((1u << EXISTS) - 1)

struct gather_place {
    int64_t in, out;
    uint32_t need, safe; /* need: bit per cut dimension whose last box it is; safe: no chunk leaves the tensor */
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 /* below, the kernels are empty */
/* One warp works out the next 32 places of the block at once. */
LW_DEV void find_places(gather_place *ring, const lw_gather_params &p, uint32_t index, uint32_t turn)
{
    if (threadIdx.x >= 32) return;
    uint32_t i = index + threadIdx.x * gridDim.x;
    if (i >= p.boxes) return;
    place at = place_of(p.grid, p.grid_dims, i);
    const char *in = p.in + at.in;
    gather_place to = {at.in, at.out, (at.last0 ? 1u : 0) | (at.last1 ? 2u : 0),
                       in - 16 >= p.lo && in + p.reach + 16 <= p.hi};
    ring[(turn + threadIdx.x) & (RING - 1)] = to;
}

/* x: bytes in global memory, y: place and where it exists. */
LW_DEV uint2 run_of(const lw_gather_digit *digit, int n, uint32_t e)
{
    uint2 r = make_uint2(0, 0);
    uint32_t exists = 3;
    for (int i = 0; i < n; i++) {
        uint32_t q = fdiv(e, digit[i].steps), c = e - q * digit[i].steps.d;
        e = q;
        r.x += c * digit[i].stride;
        r.y += c * digit[i].pos + (c >> digit[i].shift) * digit[i].pad;
        if (digit[i].limit && c >= digit[i].rest) exists &= ~digit[i].limit;
    }
    r.y |= exists << EXISTS;
    return r;
}

/*
 * Where words are padded, eight of a line fall into every fourth bank. The four groups of a warp take lines that are a
 * word apart in the input and so use the banks between, wherever lines begin in sectors: 1.7 to 2.5 times fewer passes.
 */
template <int PER> LW_DEV uint32_t spread(uint32_t n, uint32_t all)
{
    uint32_t first = n / (4 * PER) * (4 * PER), k = n - first;
    return PER == 1 || first + 4 * PER > all ? n : first + k % 4 * PER + k / 4;
}

/* One warp: the runs of the output in order, those of a class together; begin: of the classes. */
LW_DEV void list_classes(uint2 *outs, uint32_t *begin, const lw_gather_params &p)
{
    uint32_t n = 0, low = 2 - p.classes;
    for (uint32_t c = 0; c < 1u << p.classes; c++) {
        if (threadIdx.x == 0) begin[c] = n;
        for (uint32_t r0 = 0; r0 < p.out_runs; r0 += 32) {
            uint2 run = run_of(p.out_digit, p.out_digits, r0 + threadIdx.x);
            bool mine = r0 + threadIdx.x < p.out_runs && ((run.x & 3) >> low) == c;
            uint32_t all = __ballot_sync(~0u, mine);
            if (mine) outs[n + __popc(all & ((1u << threadIdx.x) - 1))] = run;
            n += __popc(all);
        }
    }
    if (threadIdx.x == 0) begin[1 << p.classes] = n;
}

/* PER: units of a word of lines, or 1. */
template <int T, int PER> LW_DEV void list_runs(uint2 *outs, uint32_t *begin, const lw_gather_params &p)
{
    if (p.classes) {
        if (threadIdx.x < 32) list_classes(outs, begin, p);
        return;
    }
    for (uint32_t r = threadIdx.x; r < p.out_runs; r += T) {
        outs[r] = run_of(p.out_digit, p.out_digits, p.unit_pad ? spread<PER>(r, p.out_runs) : r);
    }
    if (threadIdx.x == 0) {
        begin[0] = 0;
        begin[1] = p.out_runs;
    }
}

LW_DEV void chunk_async(uint32_t to, const char *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

LW_DEV void commit(void) { asm volatile("cp.async.commit_group;" : : : "memory"); }

/* Until the oldest of stages - 1 boxes under way is there. */
LW_DEV void wait_async(uint32_t stages)
{
    if (stages == 2) asm volatile("cp.async.wait_group 0;" : : : "memory");
    else if (stages == 3) asm volatile("cp.async.wait_group 1;" : : : "memory");
    else asm volatile("cp.async.wait_group 2;" : : : "memory");
}

/* The bytes of a chunk that belong to the tensor. */
static __device__ __noinline__ void chunk_edge(unsigned char *to, const char *from, const char *lo, const char *hi)
{
    for (int i = 0; i < 16; i++) {
        if (from + i >= lo && from + i < hi) to[i] = (unsigned char)from[i];
    }
}

/* The aligned chunks that hold a run, and where they go. */
struct run_chunks {
    const char *from;
    uint32_t to, size;
};

LW_DEV run_chunks chunks_of(const lw_gather_params &p, const gather_place &at, uint2 run, uint32_t stage)
{
    const char *in = p.in + at.in;
    uint32_t low = (uint32_t)(uintptr_t)(in + run.x) & 15, len = at.need & p.in_limit ? p.in_rest : p.in_bytes;
    run_chunks c = {in + run.x - low, stage + ((uint32_t)(uintptr_t)in & 15) + (run.y & PLACE) - low,
                    (len + low + 15) & ~15u};
    if ((run.y >> EXISTS & at.need) != at.need) c.size = 0;
    return c;
}

/* Chunk by chunk: 4 to 32 lanes to a run. */
template <int T> LW_DEV void fetch_async(const lw_gather_params &p, unsigned char *shared, const uint2 *ins,
                                         const gather_place &at, uint32_t stage)
{
    const uint32_t lanes = 1u << p.in_lanes, first = threadIdx.x & (lanes - 1), base = shared_address(shared);
    for (uint32_t r = threadIdx.x >> p.in_lanes; r < p.in_runs; r += T >> p.in_lanes) {
        run_chunks c = chunks_of(p, at, ins[r], stage);
        for (uint32_t b = 16 * first; b < c.size; b += 16 * lanes) {
            const char *from = c.from + b;
            if (at.safe || (from >= p.lo && from + 16 <= p.hi)) chunk_async(base + c.to + b, from);
            else chunk_edge(shared + c.to + b, from, p.lo, p.hi);
        }
    }
}

/* Where the first or last chunk of a run reaches beyond the tensor: moves what is there, and takes the chunk off. */
LW_DEV void trim(run_chunks *c, unsigned char *shared, const char *lo, const char *hi)
{
    if (c->from < lo) {
        chunk_edge(shared + c->to, c->from, lo, hi);
        c->from += 16;
        c->to += 16;
        c->size -= 16;
    }
    if (c->size && c->from + c->size > hi) {
        c->size -= 16;
        chunk_edge(shared + c->to + c->size, c->from + c->size, lo, hi);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* A bulk copy per run, the runs dealt out to all warps; every warp arrives once at the stage's barrier. */
template <int T> LW_DEV void fetch_bulk(const lw_gather_params &p, unsigned char *shared, const uint2 *ins,
                                        const gather_place &at, uint32_t stage, uint32_t bar)
{
    const uint32_t mine = (threadIdx.x & 31) * (T / 32) + threadIdx.x / 32, base = shared_address(shared);
    for (uint32_t r0 = 0; r0 < p.in_runs; r0 += T) {
        run_chunks c = {0, 0, 0};
        if (r0 + mine < p.in_runs) c = chunks_of(p, at, ins[r0 + mine], stage);
        if (c.size && !at.safe && (c.from < p.lo || c.from + c.size > p.hi)) trim(&c, shared, p.lo, p.hi);
        uint32_t sum = __reduce_add_sync(~0u, c.size);
        if (threadIdx.x % 32 == 0 && r0 + T >= p.in_runs) {
            bulk_expect(bar, sum);
        } else if (threadIdx.x % 32 == 0) {
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(sum) : "memory");
        }
        __syncwarp();
        if (c.size) bulk_copy(base + c.to, c.from, c.size, bar);
    }
}

template <int T> LW_DEV void fetch(const lw_gather_params &p, unsigned char *shared, const uint2 *ins,
                                   const gather_place &at, uint32_t stage, uint64_t *full)
{
    uint32_t to = p.stages_at + stage * p.stage_bytes;
    if (p.bulk) fetch_bulk<T>(p, shared, ins, at, to, shared_address(&full[stage]));
    else fetch_async<T>(p, shared, ins, at, to);
}

/* A word of units of U bytes, a unit of 4 bytes and more by itself. */
template <int U> LW_DEV void gather(typename vec<(U < 4 ? 4 : U)>::t *v, const unsigned char *const *at)
{
    if constexpr (U == 1) {
        *v = __byte_perm(__byte_perm(*at[0], *at[1], 0x0040), __byte_perm(*at[2], *at[3], 0x0040), 0x5410);
    } else if constexpr (U == 2) {
        *v = __byte_perm(*(const uint16_t *)at[0], *(const uint16_t *)at[1], 0x5410);
    } else {
        *v = *(const typename vec<U>::t *)at[0];
    }
}

/* What a lane writes of a listed run: units' places relative to the run's, its whole words, a unit at the ends. */
template <int U, int N> struct lane_words {
    static const int word = U < 4 ? 4 : U, per = word / U;
    uint32_t at[N * per], whole, end_at, end_out;
    uint32_t skip, len; /* units by which words begin before the run; of the run */
};

template <int U, int N> LW_DEV void place_words(lane_words<U, N> *o, const uint16_t *units, const lw_gather_params &p,
                                                uint32_t part, uint32_t lane)
{
    const uint32_t per = lane_words<U, N>::per;
    o->whole = 0;
#pragma unroll
    for (int k = 0; k < N; k++) {
        int32_t e = (int32_t)((((part * p.words + k) << p.group) + lane) * per) - (int32_t)o->skip;
        if (k < p.words && e >= 0 && e + (int32_t)per <= (int32_t)o->len) o->whole |= 1u << k;
#pragma unroll
        for (int j = 0; j < per; j++) o->at[k * per + j] = units[min((uint32_t)max(e + j, 0), p.run_units - 1)];
    }
    o->end_out = ~0u;
    if (U < 4 && part == 0) {
        uint32_t head = min((per - o->skip) % per, o->len), tail = head + (o->len - head) / per * per;
        uint32_t e = lane < 4 ? lane : tail + lane - 4;
        if (lane < 8 && e < (lane < 4 ? head : o->len)) {
            o->end_out = e * U;
            o->end_at = units[e];
        }
    }
}

/* Lanes of a group and the runs they take: kind and part stay, the runs go on. */
struct lane_group {
    uint32_t lane, first, apart, part, kind;
};

template <int T> LW_DEV lane_group find_group(const lw_gather_params &p)
{
    uint32_t g = threadIdx.x >> p.group, fixed = p.classes + p.parts;
    lane_group to = {threadIdx.x & ((1u << p.group) - 1), g >> fixed, (uint32_t)T >> (p.group + fixed),
                     (g >> p.classes) & ((1u << p.parts) - 1), g & ((1u << p.classes) - 1)};
    return to;
}

template <int U, int N> LW_DEV void store_runs(const lw_gather_params &p, const uint2 *outs, uint32_t first,
                                               uint32_t last, const unsigned char *tile, char *out, uint32_t need,
                                               const lane_group &g, const lane_words<U, N> &o)
{
    typedef lane_words<U, N> S;
    typedef typename vec<S::word>::t wide;
    const int batch = 4;
    const int32_t begin = (int32_t)(((g.part * p.words << p.group) + g.lane) * S::word) - (int32_t)(o.skip * U);
    for (uint32_t n = first + g.first; n < last; n += g.apart) {
        const uint2 run = outs[n];
        if ((run.y >> EXISTS & need) != need) continue;
        const unsigned char *from = tile + (run.y & PLACE);
        char *dst = out + run.x, *to = dst + begin;
#pragma unroll
        for (int k = 0; k < N; k += batch) {
            if (k && k >= p.words) break;
            wide v[batch];
#pragma unroll
            for (int i = 0; i < batch; i++) {
                const unsigned char *at[S::per];
#pragma unroll
                for (int j = 0; j < S::per; j++) at[j] = from + o.at[(k + i) * S::per + j];
                if (o.whole >> (k + i) & 1) gather<U>(&v[i], at);
            }
#pragma unroll
            for (int i = 0; i < batch; i++) {
                if (o.whole >> (k + i) & 1) *(wide *)(to + ((uint32_t)(S::word * (k + i)) << p.group)) = v[i];
            }
        }
        if (U < 4 && o.end_out != ~0u) {
            typedef typename vec<U>::t unit;
            *(unit *)(dst + o.end_out) = *(const unit *)(from + o.end_at);
        }
    }
}

/* Runs of this group's kind: their words begin at the same byte in all boxes whose output is aligned alike. */
template <int U, int N> LW_DEV void store_listed(const lw_gather_params &p, const uint2 *outs, const uint32_t *begin,
                                                 const uint16_t *units, const unsigned char *tile, char *out,
                                                 uint32_t need, const lane_group &g, lane_words<U, N> *o)
{
    uint32_t low = 2 - p.classes, odd = (uint32_t)(uintptr_t)out & 3, list = 0, skip = 0;
    uint32_t len = need & p.run_limit ? p.run_rest : p.run_units;
    if (U < 4) {
        list = (g.kind - (odd >> low)) & ((1u << p.classes) - 1);
        skip = ((g.kind << low) + (odd & ((1u << low) - 1))) / U;
    }
    if (skip != o->skip || len != o->len) {
        o->skip = skip;
        o->len = len;
        place_words<U, N>(o, units, p, g.part, g.lane);
    }
    store_runs<U, N>(p, outs, begin[list], begin[list + 1], tile, out, need, g, *o);
}

/* The units of a line before its first and after its last whole word; before: units from a sector's begin. */
template <int U> LW_DEV void store_ends(const lw_gather_params &p, const unsigned char *from, char *dst, int32_t before,
                                        int32_t len, int32_t lane)
{
    typedef typename vec<U>::t unit;
    const int32_t per = 4 / U;
    int32_t head = min((0 - before) & (per - 1), len), tail = head + ((len - head) & ~(per - 1));
    int32_t e = lane < 4 ? lane : tail + lane - 4;
    if (lane >= 8 || e >= (lane < 4 ? head : len)) return;
    *(unit *)(dst + e * U) = *(const unit *)(from + e * (int32_t)p.unit_step + e / per * (int32_t)p.unit_pad);
}

/* Lines, four words of a lane at once. */
template <int U> LW_DEV void store_linear(const lw_gather_params &p, const uint2 *outs, const unsigned char *tile,
                                          char *out, uint32_t need, const lane_group &g)
{
    const int per = 4 / U, batch = 4;
    const int32_t len = (int32_t)(need & p.run_limit ? p.run_rest : p.run_units);
    const int32_t word = (int32_t)(per * p.unit_step + (per > 1 ? p.unit_pad : 0)), further = word << p.group;
    for (uint32_t n = g.first; n < p.out_runs; n += g.apart) {
        const uint2 run = outs[n];
        if ((run.y >> EXISTS & need) != need) continue;
        const unsigned char *from = tile + (run.y & PLACE), *at[per];
        char *dst = out + run.x;
        const int32_t before = (int32_t)((uint32_t)(uintptr_t)dst & (SECTOR - 1)) / U;
        int32_t u = (int32_t)g.lane * per - before;
        char *to = dst + u * U;
#pragma unroll
        for (int j = 0; j < per; j++) { /* floor: words before the line have places too, which are not read */
            at[j] = from + (u + j) * (int32_t)p.unit_step;
            if (per > 1) at[j] += ((u + j) >> (per / 2)) * (int32_t)p.unit_pad;
        }
        for (int32_t done = -before; done < len; done += batch * per << p.group) {
            uint32_t v[batch];
#pragma unroll
            for (int i = 0; i < batch; i++) {
                int32_t e = u + (i * per << p.group);
                const unsigned char *more[per];
#pragma unroll
                for (int j = 0; j < per; j++) more[j] = at[j] + i * further;
                if (e >= 0 && e + per <= len) gather<U>(&v[i], more);
            }
#pragma unroll
            for (int i = 0; i < batch; i++) {
                int32_t e = u + (i * per << p.group);
                if (e >= 0 && e + per <= len) *(uint32_t *)(to + ((uint32_t)(4 * i) << p.group)) = v[i];
            }
            u += batch * per << p.group;
            to += (uint32_t)(batch * 4) << p.group;
#pragma unroll
            for (int j = 0; j < per; j++) at[j] += batch * further;
        }
        if (U < 4) store_ends<U>(p, from, dst, before, len, (int32_t)g.lane);
    }
}

/* What a block works out once. */
struct gather_tables {
    uint2 *outs, *ins;
    uint16_t *units;
};

template <int N, int T, int PER> LW_DEV gather_tables make_tables(const lw_gather_params &p, unsigned char *shared,
                                                                  uint32_t *begin, uint64_t *full)
{
    gather_tables t = {(uint2 *)shared, (uint2 *)(shared + p.ins_at), (uint16_t *)(shared + p.units_at)};
    if (p.bulk && threadIdx.x == 0) {
        for (uint32_t k = 0; k < p.stages; k++) bulk_init(shared_address(&full[k]), T / 32);
    }
    for (uint32_t r = threadIdx.x; r < p.in_runs; r += T) t.ins[r] = run_of(p.in_digit, p.in_digits, r);
    if (N) {
        for (uint32_t e = threadIdx.x; e < p.run_units; e += T)
            t.units[e] = (uint16_t)run_of(p.unit_digit, p.unit_digits, e).y;
    }
    list_runs<T, PER>(t.outs, begin, p);
    return t;
}

#endif

/* N: words of a lane, 0: linear. */
template <int U, int N, int T>
__global__ void __launch_bounds__(T, T == 512 ? 2 : 3) gather_kernel(const lw_gather_params p)
{
#if __CUDA_ARCH__ >= 900
    LW_DYNAMIC_SHARED(shared);
    __shared__ gather_place ring[RING];
    __shared__ uint32_t begin[5];
    __shared__ __align__(8) uint64_t full[LW_GATHER_STAGES];
    const uint32_t step = gridDim.x, S = p.stages;
    find_places(ring, p, blockIdx.x, 0);
    const gather_tables t = make_tables<N, T, (N || U >= 4 ? 1 : 4 / U)>(p, shared, begin, full);
    __syncthreads();
    for (uint32_t i = 0; i + 1 < S; i++) {
        if (blockIdx.x + i * step < p.boxes) fetch<T>(p, shared, t.ins, ring[i], i, full);
        if (!p.bulk) commit();
    }
    const lane_group g = find_group<T>(p);
    lane_words<U, N ? N : 1> o;
    o.skip = o.len = ~0u;
    uint32_t turn = 0, now = 0, ahead = S - 1, parity = 0;
    for (uint32_t index = blockIdx.x; index < p.boxes; index += step) {
        if (!p.bulk) wait_async(S);
        __syncthreads(); /* all have left the stage that is filled next */
        if (index + (S - 1) * step < p.boxes) {
            fetch<T>(p, shared, t.ins, ring[(turn + S - 1) & (RING - 1)], ahead, full);
        }
        if (!p.bulk) commit();
        if (turn % 32 == 0) find_places(ring, p, index + 32 * step, turn + 32);
        if (p.bulk) bulk_wait(shared_address(&full[now]), parity);
        const gather_place at = ring[turn & (RING - 1)];
        const unsigned char *tile = shared + p.stages_at + now * p.stage_bytes;
        tile += (uint32_t)(uintptr_t)(p.in + at.in) & 15;
        char *out = p.out + at.out;
        if constexpr (N == 0) store_linear<U>(p, t.outs, tile, out, at.need, g);
        else store_listed<U, N>(p, t.outs, begin, t.units, tile, out, at.need, g, &o);
        turn++;
        if (++ahead == S) ahead = 0;
        if (++now == S) {
            now = 0;
            parity ^= 1;
        }
    }
#endif
}

/* Listed ones of units of 1, 2, 4, 8, 16 bytes; linear ones of 1, 2, 4: bytes gain up to a tenth from more warps. */
static const struct gather_entry {
    int threads, words;
    gather_fn fn;
} table[8] = {
#define LISTED(U, N) {256, N, gather_kernel<U, N, 256>}
#define LINEAR(U, T) {T, 0, gather_kernel<U, 0, T>}
    LISTED(1, 8),  LISTED(2, 8),   LISTED(4, 8),   LISTED(8, 4),
    LISTED(16, 4), LINEAR(1, 512), LINEAR(2, 512), LINEAR(4, 256),
};

static int entry_of(int unit, int linear)
{
    return (unit == 1 ? 0 : unit == 2 ? 1 : unit == 4 ? 2 : unit == 8 ? 3 : 4) + (linear ? 5 : 0);
}

extern "C" int lw_gather_words(int unit) { return table[entry_of(unit, 0)].words; }

extern "C" int lw_gather_threads(int unit, int linear) { return table[entry_of(unit, linear)].threads; }

extern "C" int lw_gather_blocks(const lw_ops *ops, int unit, int linear)
{
    return ops->gather_blocks[entry_of(unit, linear)];
}

extern "C" int lw_gather_launch(const lw_gather_params *p, int unit, uint32_t grid, uint32_t shared, lw_stream stream)
{
    const struct gather_entry *e = &table[entry_of(unit, p->linear)];
    return LW_LAUNCH(e->fn, grid, (unsigned)e->threads, shared, stream, p);
}

extern "C" int lw_gather_setup(lw_ops *ops)
{
    for (int i = 0; i < 8; i++) {
        const struct gather_entry *e = &table[i];
        cudaError_t r = cudaSuccess;
        int n = 0;
        if (ops->cc >= 90) {
            r = cudaFuncSetAttribute((const void *)e->fn, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     ops->shared_optin - LW_GATHER_STATIC);
        }
        if (r == cudaSuccess) r = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)e->fn, e->threads, 0);
        if (r != cudaSuccess) return (int)r;
        ops->gather_blocks[i] = n > 0 ? n : 1;
    }
    return 0;
}
