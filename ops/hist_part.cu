/*
 * Histograms with more bins than shared memory holds, in two steps over a workspace:
 *  split  a block takes tiles of 64 KiB of samples, orders the bins of a tile by part (bin >> LW_PART_BITS) in shared
 * memory and writes the low bits, 2 bytes a sample, as one contiguous tile; a table holds where each part starts in it;
 *  count  every part gets blocks in proportion to its samples; they collect the part's runs from all tiles and count
 * them in 32-bit shared counters. Traffic: every sample is read once; 2 bytes a sample are written and read again.
 */
#include "hist.cuh"

#define TILE_BYTES ((int64_t)LW_HIST_THREADS * LW_HIST_WINDOWS * 16)
#define WARPS (LW_HIST_THREADS / 32)
#define LOW ((1u << LW_PART_BITS) - 1)

/* The bins of a tile's samples that belong to this thread; SKIP for those that lie outside the row or are not counted.
 */
template <int K, int MODE>
LW_DEV void tile_bins(const lw_hist_params &p, const target &t, const cursor &at, const uint4 *v, uint32_t *bin) {
    const int per = 16 / kind<K>::bytes;
    bool all = whole(p, at);
    #pragma unroll
    for (int k = 0; k < LW_HIST_WINDOWS; k++) {
        uint64_t raw[per];
        uint32_t valid = (1u << per) - 1;
        #pragma unroll
        for (int i = 0; i < per; i++) raw[i] = all ? sample_of<K>(v[k], i) : 0;
        if (!all) {
            valid = 0;
            #pragma unroll
            for (int i = 0; i < per; i++) {
                int64_t b = at.x + k * SPAN + i * kind<K>::bytes;
                if (b < 0 || b >= p.row_bytes) continue;
                raw[i] = load_sample<K>(at.row + b);
                valid |= 1u << i;
            }
        }
        counters_of<K, MODE, per>(p, t, raw, bin + k * per);
        #pragma unroll
        for (int i = 0; i < per; i++) {
            if (!(valid >> i & 1)) bin[k * per + i] = LW_HIST_SKIP;
        }
    }
}

/*
 * Ranks of this thread's bins among those of its warp and part; counts of the warp's parts go to mine[]. Lanes of the
 * same part are found bit by bit, for all samples at once.
 */
template <int N>
LW_DEV void rank_in_warp(const lw_hist_params &p, uint32_t *mine, const uint32_t *bin, uint32_t *rank) {
    uint32_t lane = threadIdx.x & 31, below = (1u << lane) - 1;
    for (uint32_t i = lane; i < p.parts; i += 32) mine[i] = 0;
    #pragma unroll
    for (int i = 0; i < N; i++) rank[i] = __ballot_sync(0xffffffffu, bin[i] < (uint32_t)p.entries);
    for (uint32_t b = LW_PART_BITS; b < LW_PART_BITS + p.part_bits; b++) {
        #pragma unroll
        for (int i = 0; i < N; i++) {
            bool set = bin[i] >> b & 1;
            uint32_t lanes = __ballot_sync(0xffffffffu, set);
            rank[i] &= set ? lanes : ~lanes;
        }
    }
    __syncwarp();
    uint32_t place = shared_address(mine);
    #pragma unroll
    for (int i = 0; i < N; i++) {
        bool valid = bin[i] < (uint32_t)p.entries;
        uint32_t mask = rank[i], at = place + (valid ? bin[i] >> LW_PART_BITS : 0) * 4, before = load_shared(at);
        rank[i] = before + __popc(mask & below);
        __syncwarp();
        if (valid && !(mask & below)) store_shared(at, before + __popc(mask));
        __syncwarp();
    }
}

/* From counts per warp and part to places in the tile. first[] gets the start of each part, first[parts] the total. */
LW_DEV void place_parts(const lw_hist_params &p, uint32_t *count, uint32_t *first) {
    uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32, stride = p.parts | 1;
    __syncthreads();
    for (uint32_t part = warp; part < p.parts; part += WARPS) { /* over the warps, which are the lanes here */
        uint32_t n = count[lane * stride + part], sum = n;
        for (int d = 1; d < 32; d *= 2) {
            uint32_t up = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= (uint32_t)d) sum += up;
        }
        count[lane * stride + part] = sum - n;
        if (lane == 31) first[part] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        uint32_t carry = 0;
        for (uint32_t base = 0; base < p.parts; base += 32) {
            uint32_t n = base + lane < p.parts ? first[base + lane] : 0, sum = n;
            for (int d = 1; d < 32; d *= 2) {
                uint32_t up = __shfl_up_sync(0xffffffffu, sum, d);
                if (lane >= (uint32_t)d) sum += up;
            }
            if (base + lane < p.parts) first[base + lane] = carry + sum - n;
            carry += __shfl_sync(0xffffffffu, sum, 31);
        }
        if (lane == 0) first[p.parts] = carry;
    }
    __syncthreads();
    for (uint32_t i = lane; i < p.parts; i += 32) count[warp * stride + i] += first[i];
    __syncwarp();
}

template <int K, int MODE> __global__ void __launch_bounds__(LW_HIST_THREADS, 1) split_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    const int n = LW_HIST_WINDOWS * 16 / kind<K>::bytes;
    const int64_t tile_samples = TILE_BYTES / kind<K>::bytes;
    uint16_t *stage = (uint16_t *)shared;
    uint32_t *count = (uint32_t *)(shared + 2 * tile_samples + 16), stride = p.parts | 1,
             *first = count + WARPS * stride;
    uint32_t *total = first + p.parts + 1, *mine = count + threadIdx.x / 32 * stride;
    uint32_t place = shared_address(shared), mine_place = shared_address(mine);
    target t = target_of<K, MODE>(p, shared, 0);
    for (uint32_t i = threadIdx.x; i < p.parts; i += LW_HIST_THREADS) total[i] = 0;
    uint4 v[LW_HIST_WINDOWS];
    int64_t c = p.first_tile + blockIdx.x;
    cursor at = cursor_of(p, p.samples, c);
    if (c < p.end_tile) fetch(p, at, v);
    for (; c < p.end_tile; c += gridDim.x) {
        uint32_t bin[n], rank[n];
        tile_bins<K, MODE>(p, t, at, v, bin);
        rank_in_warp<n>(p, mine, bin, rank);
        if (c + gridDim.x < p.end_tile) { /* the next tile is on its way while this one is ordered */
            at = cursor_of(p, p.samples, c + gridDim.x);
            fetch(p, at, v);
        }
        place_parts(p, count, first);
        #pragma unroll
        for (int i = 0; i < n; i++) {
            if (bin[i] >= (uint32_t)p.entries) continue;
            store_shared16(place + 2 * (load_shared(mine_place + (bin[i] >> LW_PART_BITS) * 4) + rank[i]),
                           bin[i] & LOW);
        }
        if (threadIdx.x < 8) stage[min(first[p.parts] + threadIdx.x, (uint32_t)tile_samples)] = 0; /* the last vector */
        int64_t tile = c - p.first_tile;
        for (uint32_t i = threadIdx.x; i <= p.parts; i += LW_HIST_THREADS) {
            p.table[tile * p.table_pitch + i] = first[i];
            if (i < p.parts) total[i] += first[i + 1] - first[i];
        }
        __syncthreads();
        uint32_t vectors = (2 * first[p.parts] + 15) / 16;
        uint4 *out = (uint4 *)(p.tiles + tile * tile_samples);
        for (uint32_t i = threadIdx.x; i < vectors; i += LW_HIST_THREADS) out[i] = ((const uint4 *)stage)[i];
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < p.parts; i += LW_HIST_THREADS) {
        if (total[i]) atomicAdd(&p.totals[i], (unsigned long long)total[i]);
    }
}

/*
 * Which part a block counts, and as which of how many blocks: a part gets its share of the multiprocessors, at least
 * one block if it has samples. word[] is scratch for parts + 1 words.
 */
LW_DEV bool part_of_block(const lw_hist_params &p, uint32_t *word, uint32_t *part, uint32_t *worker,
                          uint32_t *workers) {
    uint32_t lane = threadIdx.x & 31;
    unsigned long long all = 0;
    if (threadIdx.x < 32) {
        for (uint32_t i = lane; i < p.parts; i += 32) all += p.totals[i];
        for (int d = 16; d; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
        uint32_t carry = 0;
        for (uint32_t base = 0; base < p.parts; base += 32) {
            unsigned long long mine = base + lane < p.parts ? p.totals[base + lane] : 0;
            uint32_t n = mine ? max(1u, (uint32_t)(mine * (uint32_t)p.workers / all)) : 0, sum = n;
            for (int d = 1; d < 32; d *= 2) {
                uint32_t up = __shfl_up_sync(0xffffffffu, sum, d);
                if (lane >= (uint32_t)d) sum += up;
            }
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

LW_DEV void count_halves(uint32_t word, uint32_t w, uint32_t from, uint32_t to, uint32_t at) {
    if (at >= from && at < to) count_one(word, w & 0xffff);
    if (at + 1 >= from && at + 1 < to) count_one(word, w >> 16);
}

/* Samples from..to-1 of a tile, by the lanes of one group: whole vectors, the ends sample by sample. */
LW_DEV void count_run(uint32_t word, const uint16_t *tile, uint32_t from, uint32_t to, uint32_t lane, uint32_t lanes) {
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
            const uint32_t w[4] = { v[k].x, v[k].y, v[k].z, v[k].w };
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

__global__ void __launch_bounds__(LW_HIST_THREADS, 1) parts_kernel(const lw_hist_params p) {
    LW_DYNAMIC_SHARED(shared);
    uint32_t *word = (uint32_t *)shared, part, worker, workers;
    if (!part_of_block(p, word, &part, &worker, &workers)) return;
    uint32_t first = part << LW_PART_BITS, size = (uint32_t)min((int64_t)LOW + 1, p.entries - first);
    for (uint32_t i = threadIdx.x; i < size; i += LW_HIST_THREADS) word[i] = 0;
    __syncthreads();
    uint32_t place = shared_address(word);
    uint32_t group = threadIdx.x / p.run_lanes, groups = LW_HIST_THREADS / p.run_lanes,
             lane = threadIdx.x % p.run_lanes;
    int64_t tiles = p.end_tile - p.first_tile, step = (int64_t)workers * groups;
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
        count_run(place, p.tiles + tile * p.tile_samples, from, to, lane, p.run_lanes);
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

#define MODES(K) { split_kernel<K, LW_HIST_INTEGER>, split_kernel<K, LW_HIST_EVEN>, split_kernel<K, LW_HIST_EDGES> }
#define LONG(K) { 0, split_kernel<K, LW_HIST_EVEN>, split_kernel<K, LW_HIST_EDGES> }

static hist_fn find(int kind, int mode) {
    static const hist_fn table[4][3] = { MODES(LW_K32), LONG(LW_K64), MODES(LW_KF32), MODES(LW_KF64) };
    int row = kind == LW_K32 ? 0 : kind == LW_K64 ? 1 : kind == LW_KF32 ? 2 : kind == LW_KF64 ? 3 : -1;
    return row < 0 ? 0 : table[row][mode];
}

extern "C" int lw_hist_part_launch(const lw_hist_params *p, int kind, int mode, uint32_t blocks, uint32_t shared,
                                   lw_stream stream) {
    int e = (int)cudaMemsetAsync(p->totals, 0, p->parts * sizeof *p->totals, stream);
    if (!e) e = LW_LAUNCH(find(kind, mode), blocks, LW_HIST_THREADS, shared, stream, p);
    if (!e) e = LW_LAUNCH(parts_kernel, p->workers + p->parts, LW_HIST_THREADS, 4 << LW_PART_BITS, stream, p);
    return e;
}

extern "C" int lw_hist_part_setup(const struct lw_ops *ops) {
    cudaError_t e = cudaFuncSetAttribute((const void *)parts_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         ops->shared_optin);
    for (int i = 0; i < LW_KINDS * 3 && e == cudaSuccess; i++) {
        hist_fn fn = find(i / 3, i % 3);
        if (fn)
            e = cudaFuncSetAttribute((const void *)fn, cudaFuncAttributeMaxDynamicSharedMemorySize, ops->shared_optin);
    }
    return (int)e;
}
