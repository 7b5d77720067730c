/*
 * Histograms with more bins than shared memory holds, in two steps over a workspace:
 *  split  a block takes tiles of 64 KiB of samples, orders the bins of a tile by part (bin >> LW_PART_BITS) in shared
 * memory and writes the low bits, 2 bytes a sample, as one contiguous tile; a table holds where each part starts in it;
 *  count  every part gets blocks in proportion to its samples; they collect the part's runs from all tiles and count
 * them in 32-bit shared counters. Traffic: every sample is read once; 2 bytes a sample are written and read again.
 */
#include "hist/hist.cuh"

#define TILE_BYTES ((int64_t)LW_HIST_THREADS * LW_HIST_WINDOWS * 16)
#define WARPS (LW_HIST_THREADS / 32)
#define LOW ((1u << LW_PART_BITS) - 1)

/* The bins of a tile's samples that belong to this thread; not below p.entries: not counted. */
template <int K, int MODE>
LW_DEV void tile_bins(const lw_hist_params &p, const target &t, const uint4 *v, uint32_t *bin)
{
    const int per = 16 / kind<K>::bytes;
#pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        uint64_t raw[per];
#pragma unroll
        for (int i = 0; i < per; i++) raw[i] = sample_of<K>(v[k], i);
        counters_of<K, MODE, per>(p, t, raw, bin + k * per);
    }
}

/* The same for a tile at a row's end. */
template <int K, int MODE>
LW_DEV void edge_bins(const lw_hist_params &p, const target &t, const cursor &at, uint32_t *bin)
{
    const int per = 16 / kind<K>::bytes;
#pragma unroll
    for (int i = 0; i < LW_HIST_WINDOWS * per; i++) {
        int64_t b = at.x + i / per * SPAN + i % per * kind<K>::bytes;
        bin[i] = LW_HIST_SKIP;
        if (b < 0 || b >= p.row_bytes) continue;
        uint64_t raw = load_sample<K>(at.row + b);
        counters_of<K, MODE, 1>(p, t, &raw, bin + i);
    }
}

/*
 * The offset of a bin's counter. A tile has one for every part and lane, each lane's in a bank of its own, so that no
 * lanes meet whatever the samples are; a last part takes the uncounted.
 */
LW_DEV uint32_t part_counter(uint32_t bin, uint32_t lane) { return (bin >> (LW_PART_BITS - 7) & ~127u) | lane * 4; }

/*
 * The uncounted get a bin of the last part. Bit v of the result: all lanes have vector v in one part, and take turns in
 * the first lane's counter.
 */
template <int N, int PER> LW_DEV uint32_t tidy_bins(const lw_hist_params &p, uint32_t *bin)
{
    uint32_t together = 0, none = p.parts << LW_PART_BITS;
#pragma unroll
    for (int v = 0; v < N / PER; v++) {
        uint32_t differ = 0;
#pragma unroll
        for (int i = v * PER; i < (v + 1) * PER; i++) {
            if (bin[i] >= (uint32_t)p.entries) bin[i] = none;
            differ |= bin[i] ^ bin[v * PER];
        }
        differ |= bin[v * PER] ^ __shfl_sync(0xffffffffu, bin[v * PER], 0);
        if (__all_sync(0xffffffffu, differ >> LW_PART_BITS == 0)) together |= 1u << v;
    }
    return together;
}

template <int N, int PER> LW_DEV void count_parts(uint32_t count, const uint32_t *bin, uint32_t together)
{
    uint32_t lane = threadIdx.x & 31;
#pragma unroll
    for (int v = 0; v < N / PER; v++) {
        if (together >> v & 1) {
            if (lane == 0)
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(count + part_counter(bin[v * PER], 0)), "r"(32 * PER)
                             : "memory");
            continue;
        }
#pragma unroll
        for (int i = v * PER; i < (v + 1) * PER; i++) count_one(count + part_counter(bin[i], lane), 0);
    }
}

LW_DEV uint32_t take_places(uint32_t at, uint32_t n)
{
    uint32_t first;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(first) : "r"(at), "r"(n) : "memory");
    return first;
}

/* Every bin to its place in the tile: all places are written, those of the uncounted are the last. */
template <int N, int PER>
LW_DEV void order_bins(uint32_t count, uint32_t stage, const uint32_t *bin, uint32_t together)
{
    uint32_t lane = threadIdx.x & 31;
#pragma unroll
    for (int v = 0; v < N / PER; v++) {
        uint32_t at[PER];
        if (together >> v & 1) {
            uint32_t first = 0;
            if (lane == 0) first = take_places(count + part_counter(bin[v * PER], 0), 32 * PER);
            first = __shfl_sync(0xffffffffu, first, 0) + lane;
#pragma unroll
            for (int i = 0; i < PER; i++) at[i] = first + 32 * i;
        } else {
#pragma unroll
            for (int i = 0; i < PER; i++) at[i] = take_places(count + part_counter(bin[v * PER + i], lane), 1);
        }
#pragma unroll
        for (int i = 0; i < PER; i++) store_shared16(stage + 2 * at[i], bin[v * PER + i] & LOW);
    }
}

LW_DEV uint32_t sum_up_to(uint32_t n)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        uint32_t up = __shfl_up_sync(0xffffffffu, n, d);
        if ((threadIdx.x & 31) >= (uint32_t)d) n += up;
    }
    return n;
}

/*
 * From counts to first places in the tile: inside each part first, then every warp adds up the parts for itself. Where
 * they begin goes to the table, the last entry is where the uncounted do; what they have to the totals.
 */
LW_DEV void place_parts(const lw_hist_params &p, uint32_t *count, uint32_t *sums, uint16_t *table, uint32_t *total)
{
    uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32, carry = 0;
    for (uint32_t part = warp; part <= p.parts; part += WARPS) {
        uint32_t n = count[part * 32 + lane], sum = sum_up_to(n);
        count[part * 32 + lane] = sum - n;
        if (lane == 31) sums[part] = sum;
    }
    __syncthreads();
    for (uint32_t base = 0; base < p.parts; base += 32) {
        uint32_t part = base + lane, n = part < p.parts ? sums[part] : 0, sum = sum_up_to(n), first = carry + sum - n;
        carry += __shfl_sync(0xffffffffu, sum, 31);
        uint32_t mine = __shfl_sync(0xffffffffu, first, warp);
        if (base + warp < p.parts) count[(base + warp) * 32 + lane] += mine;
        if (warp || part >= p.parts) continue;
        table[part] = (uint16_t)first;
        total[part] += n;
    }
    if (warp) return;
    count[p.parts * 32 + lane] += carry;
    if (lane == 0) table[p.parts] = (uint16_t)carry;
}

template <int K, int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) split_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    const int n = LW_HIST_WINDOWS * 16 / kind<K>::bytes, per = 16 / kind<K>::bytes;
    const int64_t tile_samples = TILE_BYTES / kind<K>::bytes;
    uint32_t *count = (uint32_t *)(shared + 2 * tile_samples),
             turn = (p.parts + 1) * 32; /* of this tile, of the next */
    uint32_t *sums = count + 2 * turn, *total = sums + p.parts + 1, odd = 0;
    uint32_t place = shared_address(shared), counts = shared_address(count);
    target t = target_of<K, MODE>(p, shared, 0);
    for (uint32_t i = threadIdx.x; i < 2 * turn; i += LW_HIST_THREADS) count[i] = 0;
    for (uint32_t i = threadIdx.x; i < p.parts; i += LW_HIST_THREADS) total[i] = 0;
    uint4 v[LW_HIST_WINDOWS];
    line l = line_of(p, t);
    uint32_t c = (uint32_t)p.first_tile + blockIdx.x, end = (uint32_t)p.end_tile; /* of 64 KiB: below 2^31 */
    const uint4 *from = c < end ? chunk_at(p, t, l, c) : NULL;
    if (from) fetch_chunk(from, v);
    __syncthreads();
    for (; c < end; c += gridDim.x, odd ^= 1) {
        uint32_t bin[n], now = counts + odd * turn * 4;
        int64_t tile = c - (uint32_t)p.first_tile;
        if (from) tile_bins<K, MODE>(p, t, v, bin);
        else edge_bins<K, MODE>(p, t, cursor_of(p, p.samples, c), bin);
        uint32_t together = tidy_bins<n, per>(p, bin);
        count_parts<n, per>(now, bin, together);
        from = c + gridDim.x < end ? chunk_at(p, t, l, c + gridDim.x) : NULL;
        if (from) fetch_chunk(from, v); /* on its way while this tile is ordered */
        __syncthreads();
        place_parts(p, count + odd * turn, sums, p.table + tile * p.table_pitch, total);
        __syncthreads();
        order_bins<n, per>(now, place, bin, together);
        for (uint32_t i = threadIdx.x; i < turn; i += LW_HIST_THREADS) count[(odd ^ 1) * turn + i] = 0;
        __syncthreads();
        uint4 *out = (uint4 *)(p.tiles + tile * tile_samples);
        for (uint32_t i = threadIdx.x; i < tile_samples / 8; i += LW_HIST_THREADS) out[i] = ((const uint4 *)shared)[i];
    }
    for (uint32_t i = threadIdx.x; i < p.parts; i += LW_HIST_THREADS) {
        if (total[i]) atomicAdd(&p.totals[i], (unsigned long long)total[i]);
    }
}

/*
 * Which part a block counts, and as which of how many blocks: a part gets its share of the multiprocessors, at least
 * one block if it has samples. word[] is scratch for parts + 1 words.
 */
LW_DEV bool part_of_block(const lw_hist_params &p, uint32_t *word, uint32_t *part, uint32_t *worker, uint32_t *workers)
{
    uint32_t lane = threadIdx.x & 31;
    unsigned long long all = 0, share = 1;
    if (threadIdx.x < 32) {
        for (uint32_t i = lane; i < p.parts; i += 32) all += p.totals[i];
        for (int d = 16; d; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
        for (uint32_t k = 0; k < 24; k++) { /* the least share with which all blocks run at once, if there is one */
            unsigned long long blocks = 0;
            share = all * (32 + k) / ((unsigned long long)p.workers * 32) + 1;
            for (uint32_t i = lane; i < p.parts; i += 32) blocks += (p.totals[i] + share - 1) / share;
            for (int d = 16; d; d /= 2) blocks += __shfl_xor_sync(0xffffffffu, blocks, d);
            if (blocks <= (unsigned long long)p.workers) break;
        }
        uint32_t carry = 0;
        for (uint32_t base = 0; base < p.parts; base += 32) {
            uint32_t n = base + lane < p.parts ? (uint32_t)((p.totals[base + lane] + share - 1) / share) : 0;
            uint32_t sum = sum_up_to(n);
            if (base + lane < p.parts) word[base + lane] = carry + sum - n;
            carry += __shfl_sync(0xffffffffu, sum, 31);
        }
        if (lane == 0) word[p.parts] = carry;
    }
    __syncthreads();
    uint32_t lo = 0, n = p.parts;
    bool some = blockIdx.x < word[p.parts];
    while (n > 1) { /* last part that starts at or before this block */
        uint32_t half = n / 2;
        bool up = word[lo + half] <= blockIdx.x;
        lo += up ? half : 0;
        n = up ? n - half : half;
    }
    *part = lo;
    *worker = blockIdx.x - word[lo];
    *workers = word[lo + 1] - word[lo];
    __syncthreads();
    return some;
}

LW_DEV void count_halves(uint32_t word, uint32_t w, uint32_t from, uint32_t to, uint32_t at)
{
    if (at >= from && at < to) count_one(word, w & 0xffff);
    if (at + 1 >= from && at + 1 < to) count_one(word, w >> 16);
}

/* Samples from..to-1 of a tile, by the lanes of one group: whole vectors, the ends sample by sample. */
LW_DEV void count_run(uint32_t word, const uint16_t *tile, uint32_t from, uint32_t to, uint32_t lane, uint32_t lanes)
{
    const int flight = 4;
    for (uint32_t base = from / 8 + lane; base * 8 < to; base += flight * lanes) {
        uint4 v[flight];
#pragma unroll
        for (int k = 0; k < flight; k++) {
            if ((base + k * lanes) * 8 < to) v[k] = __ldcs((const uint4 *)tile + base + k * lanes);
        }
#pragma unroll
        for (int k = 0; k < flight; k++) {
            uint32_t at = (base + k * lanes) * 8;
            const uint32_t w[4] = {v[k].x, v[k].y, v[k].z, v[k].w};
            if (at >= to) break;
            if (at >= from && at + 8 <= to) {
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    count_one(word, w[i] & 0xffff);
                    count_one(word, w[i] >> 16);
                }
            } else {
#pragma unroll
                for (int i = 0; i < 4; i++) count_halves(word, w[i], from, to, at + 2 * i);
            }
        }
    }
}

__global__ void __launch_bounds__(LW_HIST_THREADS, 1) parts_kernel(const lw_hist_params p)
{
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, part, worker, workers;
    if (!part_of_block(p, word, &part, &worker, &workers)) return;
    uint32_t first = part << LW_PART_BITS, size = (uint32_t)min((int64_t)LOW + 1, p.entries - first);
    for (uint32_t i = threadIdx.x; i < size; i += LW_HIST_THREADS) word[i] = 0;
    __syncthreads();
    uint32_t place = shared_address(word);
    int64_t tiles = p.end_tile - p.first_tile;
    /* lanes that share a run: enough vectors of 8 samples for each to have one or two. Short runs are bound by latency
     */
    uint32_t lanes = 4, vectors = (uint32_t)(p.totals[part] / (8 * (unsigned long long)tiles));
    while (lanes < 32 && lanes < vectors) lanes *= 2;
    uint32_t group = threadIdx.x / lanes, groups = LW_HIST_THREADS / lanes, lane = threadIdx.x % lanes;
    int64_t step = (int64_t)workers * groups;
    uint32_t from = 0, to = 0;
    int64_t tile = (int64_t)group * workers + worker;
    if (tile < tiles) {
        from = p.table[tile * p.table_pitch + part];
        to = p.table[tile * p.table_pitch + part + 1];
    }
    while (tile < tiles) {
        int64_t next = tile + step;
        uint32_t from_next = 0, to_next = 0;
        if (next < tiles) { /* where the next run lies is looked up while this one is counted */
            from_next = p.table[next * p.table_pitch + part];
            to_next = p.table[next * p.table_pitch + part + 1];
        }
        count_run(place, p.tiles + tile * p.tile_samples, from, to, lane, lanes);
        from = from_next;
        to = to_next;
        tile = next;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < size; i += LW_HIST_THREADS) {
        if (word[i]) add_global(p, (int64_t)first + i, word[i]);
    }
}

/* ---- table ---- */

#define MODES(K) {split_kernel<K, LW_HIST_INTEGER>, split_kernel<K, LW_HIST_EVEN>, split_kernel<K, LW_HIST_EDGES>}
#define LONG(K) {0, split_kernel<K, LW_HIST_EVEN>, split_kernel<K, LW_HIST_EDGES>}

static hist_fn find(int kind, int mode)
{
    static const hist_fn table[4][3] = {MODES(LW_K32), LONG(LW_K64), MODES(LW_KF32), MODES(LW_KF64)};
    int row = kind == LW_K32 ? 0 : kind == LW_K64 ? 1 : kind == LW_KF32 ? 2 : kind == LW_KF64 ? 3 : -1;
    return row < 0 ? 0 : table[row][mode];
}

extern "C" int lw_hist_part_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t shared,
                                   lw_stream stream)
{
    int e = (int)cudaMemsetAsync(p->totals, 0, p->parts * sizeof *p->totals, stream);
    if (!e) e = LW_LAUNCH(find(kind, mode), blocks, LW_HIST_THREADS, shared, stream, p);
    if (!e) e = LW_LAUNCH(parts_kernel, p->workers + p->parts, LW_HIST_THREADS, 4 << LW_PART_BITS, stream, p);
    return e;
}

extern "C" int lw_hist_part_setup(lw_ops *ops)
{
    cudaError_t e = cudaFuncSetAttribute((const void *)parts_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         ops->shared_optin);
    for (int i = 0; i < LW_KINDS * 3 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 3, i % 3);
        if (fn)
            e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
