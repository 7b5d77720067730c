/*
 * Histograms with narrow counters in shared memory: fields of 3 to 16 bits in 32-bit words, one returning atomic a
 * sample.
 *
 * A field that runs over gives 2^bits to the global count and its carry back to its neighbour. The neighbour can run
 * over because of that carry, or fall below zero when it is given back: every atomic returns what it met, so every
 * wrong step is known exactly and undone the same way, at any later time (settle()). No width is too narrow to be
 * right; narrow ones only settle more often. What runs over waits in a queue of the warp until there is one for every
 * lane.
 *
 * Blocks that share the samples own every ranges-th group of 32 bins, so that skewed samples load them alike. Warps
 * whose samples are all in one bin count them in a register until the bin changes.
 */
#include "hist/hist.cuh"

struct fields {
    uint32_t range, unused; /* unused: the word of this lane behind the counters, which stays 0 */
    uint32_t queue;         /* shared address of the warp's queue; the word before it counts */
    uint32_t run_at, run_count;
};

/* The field that counts entry `at`, or SKIP if another block does. */
LW_DEV uint32_t field_of(const lw_hist_params &p, const fields &f, uint32_t at)
{
    if (p.ranges == 1) return at < (uint32_t)p.entries ? at : LW_HIST_SKIP;
    uint32_t group = at >> 5, turn = __umulhi(group, p.ranges_m);
    return at < (uint32_t)p.entries && group - turn * p.ranges == f.range ? turn * 32 + (at & 31) : LW_HIST_SKIP;
}

LW_DEV uint32_t entry_of(const lw_hist_params &p, uint32_t range, uint32_t field)
{
    return p.ranges == 1 ? field : ((field >> 5) * p.ranges + range) * 32 + (field & 31);
}

LW_DEV uint32_t add_word(uint32_t at, uint32_t n)
{
    uint32_t old;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(n) : "memory");
    return old;
}

LW_DEV void add_signed(const lw_hist_params &p, int64_t at, int32_t n)
{
    if (p.wide_counts) atomicAdd((unsigned long long *)p.counts + at, (unsigned long long)(long long)n);
    else atomicAdd((unsigned int *)p.counts + at, (unsigned int)n);
}

/*
 * Field k of a word and the m above it ran over when k was increased by one. What other fields changed by is given back
 * until nothing is left: minus and plus have the fields that are to change, modulo their size.
 */
LW_DEV void settle(const lw_hist_params &p, int64_t base, uint32_t range, uint32_t place, uint32_t word, uint32_t k,
                   uint32_t m)
{
    const uint32_t bits = p.field_bits, per = p.field_per, most = (1u << bits) - 1;
    uint32_t plus = 0, minus = 0, change = 0;
    for (uint32_t i = k; i <= k + m; i++) {
        add_signed(p, base + entry_of(p, range, word * per + i), 1 << bits);
        if (i + 1 == per) break;
        minus |= 2u << i;
        change -= 1u << (i + 1) * bits;
    }
    while (plus | minus) {
        uint32_t before = add_word(place + word * 4, change), after = before + change, more = 0, less = 0;
        change = 0;
        for (uint32_t i = __ffs(plus | minus) - 1; i < per; i++) {
            uint32_t shift = i * bits;
            if (!((before ^ after) >> shift) && !((plus | minus) >> i)) break;
            int32_t missing = (int32_t)((before >> shift & most) + (plus >> i & 1)) -
                              (int32_t)((after >> shift & most) + (minus >> i & 1));
            int32_t times = (missing + 1) >> bits, step = missing - (times << bits); /* step: -1, 0 or 1 */
            if (times) add_signed(p, base + entry_of(p, range, word * per + i), times << bits);
            if (step > 0) more |= 1u << i;
            if (step < 0) less |= 1u << i;
            change += (uint32_t)step << shift;
        }
        plus = more;
        minus = less;
    }
}

/* How many fields above the one at `shift` ran over with it when the word held `old`. */
LW_DEV uint32_t chain_of(const lw_hist_params &p, uint32_t shift, uint32_t old)
{
    uint32_t m = 0, most = (1u << p.field_bits) - 1, end = p.field_per * p.field_bits;
    for (shift += p.field_bits; shift < end && (~(old >> shift) & most) == 0; shift += p.field_bits) m++;
    return m;
}

/* Settles n queued fields of the warp, the last ones. */
LW_DEV void settle_queued(const lw_hist_params &p, const target &t, const fields &f, uint32_t queued, uint32_t n)
{
    uint32_t lane = threadIdx.x & 31;
    if (lane < n) {
        uint32_t what = load_shared(f.queue + (queued - n + lane) * 4);
        settle(p, t.base, f.range, t.place, what & 0xffff, (what >> 16 & 31) / p.field_bits, what >> 21);
    }
    __syncwarp();
}

/* Remembers that the field at `shift` of `word`, which held `old`, ran over. */
LW_DEV void run_over(const lw_hist_params &p, const fields &f, uint32_t word, uint32_t shift, uint32_t old)
{
    uint32_t at = add_word(f.queue - 4, 1);
    store_shared(f.queue + at * 4, word | shift << 16 | chain_of(p, shift, old) << 21);
}

/* Counts of the warp's run of equal samples go to the global count at once. */
LW_DEV void end_run(const lw_hist_params &p, const target &t, fields &f)
{
    if (f.run_count && f.run_at < (uint32_t)p.entries && (threadIdx.x & 31) == 0)
        add_global(p, t.base + f.run_at, f.run_count);
    f.run_count = 0;
}

LW_DEV void add_run(const lw_hist_params &p, const target &t, fields &f, uint32_t at, uint32_t n)
{
    if (field_of(p, f, at) == LW_HIST_SKIP) return;
    if (at != f.run_at || f.run_count >= 0x40000000u) end_run(p, t, f);
    f.run_at = at;
    f.run_count += n;
}

/* What ran over in a warp's atomics: old[i] was met at shift[i] of word[i]. */
template <int N>
LW_DEV void remember(const lw_hist_params &p, const target &t, const fields &f, const uint32_t *word,
                     const uint32_t *shift, const uint32_t *old)
{
    const uint32_t most = (1u << p.field_bits) - 1;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if ((~(old[i] >> shift[i]) & most) == 0) run_over(p, f, word[i], shift[i], old[i]);
    }
    __syncwarp();
    uint32_t queued = load_shared(f.queue - 4);
    if (queued < 32) return;
#pragma unroll 1
    for (; queued >= 32; queued -= 32) settle_queued(p, t, f, queued, 32);
    if ((threadIdx.x & 31) == 0) store_shared(f.queue - 4, queued);
    __syncwarp();
}

/* N samples of every lane of a warp at once, so that their atomics are on the way together. */
template <int N, bool ONE>
LW_DEV void add_fields(const lw_hist_params &p, const target &t, fields &f, const uint32_t *at)
{
    uint32_t word[N], shift[N], old[N], least = ~0u, less = 0u - p.field_per * p.field_bits;
#pragma unroll
    for (int i = 0; i < N; i++) {
        uint32_t field = ONE ? at[i] : field_of(p, f, at[i]), w = __umulhi(field, p.field_per_m);
        bool mine = ONE ? at[i] < (uint32_t)p.entries : field != LW_HIST_SKIP;
        shift[i] = field * p.field_bits + w * less;
        word[i] = mine ? w : f.unused;
        old[i] = add_word(t.place + word[i] * 4, mine ? 1u << shift[i] : 0);
    }
    const uint32_t most = (1u << p.field_bits) - 1;
#pragma unroll
    for (int i = 0; i < N; i++) least = min(least, ~(old[i] >> shift[i]) & most);
    if (__any_sync(0xffffffffu, least == 0)) remember<N>(p, t, f, word, shift, old);
}

template <int N> LW_DEV void add_warp(const lw_hist_params &p, const target &t, fields &f, const uint32_t *at)
{
    uint32_t one = __shfl_sync(0xffffffffu, at[0], 0);
    bool same = true;
#pragma unroll
    for (int i = 0; i < N; i++) same = same && at[i] == one;
    if (__all_sync(0xffffffffu, same)) add_run(p, t, f, one, 32 * N);
    else if (p.ranges == 1) add_fields<N, true>(p, t, f, at);
    else add_fields<N, false>(p, t, f, at);
}

LW_DEV void add_field(const lw_hist_params &p, const target &t, const fields &f, uint32_t at)
{
    uint32_t field = field_of(p, f, at);
    if (field == LW_HIST_SKIP) return;
    uint32_t w = field / p.field_per, k = field - w * p.field_per, most = (1u << p.field_bits) - 1;
    uint32_t old = add_word(t.place + w * 4, 1u << k * p.field_bits);
    if ((old >> k * p.field_bits & most) == most)
        settle(p, t.base, f.range, t.place, w, k, chain_of(p, k * p.field_bits, old));
}

template <int K, int MODE> LW_DEV void count_fields(const lw_hist_params &p, const target &t, fields &f, uint4 v)
{
    const int all = 16 / kind<K>::bytes, group = all < 4 ? all : 4;
#pragma unroll
    for (int i = 0; i < all; i += group) {
        uint32_t at[group];
        vector_counters<K, MODE, group>(p, t, v, i, at);
        add_warp<group>(p, t, f, at);
    }
}

/* Windows of a chunk that does not lie inside the row. */
template <int K, int MODE>
LW_DEV void count_edge(const lw_hist_params &p, const target &t, fields &f, const cursor &at)
{
    const int bytes = kind<K>::bytes;
#pragma unroll 1
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        int64_t x = at.x + k * SPAN, from = x < 0 ? 0 : x, to = x + 16 < p.row_bytes ? x + 16 : p.row_bytes;
#pragma unroll 1
        for (int64_t b = from; b < to; b += bytes) {
            uint64_t raw = load_sample<K>(at.row + b);
            uint32_t bin;
            counters_of<K, MODE, 1>(p, t, &raw, &bin);
            add_field(p, t, f, bin);
        }
    }
}

/* All samples of a histogram's share. The next chunk is brought to L2 while the present one is counted. */
template <int K, int MODE>
LW_DEV void count_all(const lw_hist_params &p, const target &t, fields &f, uint32_t first, uint32_t chunks)
{
    uint4 v[LW_HIST_WINDOWS];
    line l = line_of(p, t);
    const uint4 *next = first < chunks ? chunk_at(p, t, l, first) : NULL;
    bool all = next != NULL;
    if (all) fetch_chunk(next, v);
    for (uint32_t c = first; c < chunks; c += p.workers) {
        next = c + p.workers < chunks ? chunk_at(p, t, l, c + p.workers) : NULL;
        if (!all) count_edge<K, MODE>(p, t, f, cursor_of(p, t.samples, c));
        if (next) {
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) prefetch(next + k * LW_HIST_THREADS);
        }
        if (all) {
#pragma unroll
            for (int k = 0; k < LW_HIST_WINDOWS; k++) count_fields<K, MODE>(p, t, f, v[k]);
        }
        all = next != NULL;
        if (all) fetch_chunk(next, v);
    }
    end_run(p, t, f);
    __syncwarp();
    settle_queued(p, t, f, load_shared(f.queue - 4), load_shared(f.queue - 4));
}

LW_DEV void flush_fields(const lw_hist_params &p, const target &t, const fields &f)
{
    const uint32_t most = (1u << p.field_bits) - 1;
    for (uint32_t i = threadIdx.x; i < p.field_window; i += LW_HIST_THREADS) {
        uint32_t w = __umulhi(i, p.field_per_m), n = t.word[w] >> (i - w * p.field_per) * p.field_bits & most;
        uint32_t at = entry_of(p, f.range, i);
        if (n && at < (uint32_t)p.entries) add_global(p, t.base + at, n);
    }
}

template <int K, int MODE>
__global__ void __launch_bounds__(LW_HIST_THREADS, 1) fields_kernel(const __grid_constant__ lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t range = blockIdx.x % p.ranges, rest = blockIdx.x / p.ranges, lane = threadIdx.x & 31;
    uint32_t worker = rest % p.workers, job = rest / p.workers, jobs = gridDim.x / p.ranges / p.workers;
    uint32_t words = (p.field_window + p.field_per - 1) / p.field_per;
    target t = target_of<K, MODE>(p, shared, 0);
    fields f = {range, words + lane,
                shared_address(shared + (words + 32) * 4 + threadIdx.x / 32 * LW_FIELD_QUEUE * 4) + 4, LW_HIST_SKIP, 0};
    for (int64_t row = job; row < (p.segmented ? p.rows : 1); row += jobs) {
        uint32_t chunks = (uint32_t)(p.chunks_per_row * (p.segmented ? 1 : p.rows)); /* of 64 KiB: below 2^31 */
        t.samples = p.samples + (p.segmented ? row * p.row_pitch : 0);
        t.base = row * p.entries;
        for (uint32_t i = threadIdx.x; i < words + 32; i += LW_HIST_THREADS) t.word[i] = 0;
        if (lane == 0) store_shared(f.queue - 4, 0);
        __syncthreads();
        count_all<K, MODE>(p, t, f, worker, chunks);
        __syncthreads();
        flush_fields(p, t, f);
        __syncthreads();
    }
}

#define MODES(K) {fields_kernel<K, LW_HIST_INTEGER>, fields_kernel<K, LW_HIST_EVEN>, fields_kernel<K, LW_HIST_EDGES>}
#define LONG(K) {0, fields_kernel<K, LW_HIST_EVEN>, fields_kernel<K, LW_HIST_EDGES>}

hist_fn lw_hist_fields_kernel(int kind, int mode)
{
    static const hist_fn table[LW_KINDS][3] = {MODES(LW_K8),   MODES(LW_K16),   MODES(LW_K32),  LONG(LW_K64),
                                               MODES(LW_KF16), MODES(LW_KBF16), MODES(LW_KF32), MODES(LW_KF64)};
    return table[kind][mode];
}
