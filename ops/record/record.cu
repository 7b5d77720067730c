/*
 * AoS <-> SoA. A block moves a run of records through shared memory. Both sides are moved in windows of 16 bytes that
 * are aligned in memory, one or four under way per thread: the AoS side straight, the fields' side by groups of 8
 * lanes, which the plan has dealt out over fields so that all threads have as much to do. A window that lies only in
 * part in the block's run goes by bytes. In shared memory a word is left out after every 32 against bank conflicts.
 */
#include "common/kernel.cuh"
#include "record/record.h"

#ifndef LW_RECORD_BLOCKS
#define LW_RECORD_BLOCKS 6 /* per multiprocessor, at least */
#endif

typedef void (*record_fn)(const lw_record_params);

/* Address of byte b in the padded tile. */
LW_DEV uint32_t tile_at(uint32_t b) { return b + (b >> 7 << 2); }

template <int U> struct unit;
template <> struct unit<1> {
    typedef uint8_t t;
};
template <> struct unit<2> {
    typedef uint16_t t;
};
template <> struct unit<4> {
    typedef uint32_t t;
};

template <int U> LW_DEV uint32_t tile_get(const unsigned char *tile, uint32_t b)
{
    return *(const typename unit<U>::t *)(tile + tile_at(b));
}

template <int U> LW_DEV void tile_set(unsigned char *tile, uint32_t b, uint32_t v)
{
    *(typename unit<U>::t *)(tile + tile_at(b)) = (typename unit<U>::t)v;
}

/* 16 bytes at b, a multiple of 16: no gap lies inside, but in the tile they are aligned to 4 only. */
LW_DEV uint4 tile_get16(const unsigned char *tile, uint32_t b)
{
    const uint32_t *w = (const uint32_t *)(tile + tile_at(b));
    return make_uint4(w[0], w[1], w[2], w[3]);
}

LW_DEV void tile_set16(unsigned char *tile, uint32_t b, uint4 v)
{
    uint32_t *w = (uint32_t *)(tile + tile_at(b));
    w[0] = v.x;
    w[1] = v.y;
    w[2] = v.z;
    w[3] = v.w;
}

/* Units of U bytes; elements of N units, N = 0: any number. */
template <int U, int N> struct shape {
    static const int unit = U, count = N;
};

template <typename F> LW_DEV void by_kind(uint32_t kind, F f)
{
    switch (kind) {
    case 10: f(shape<4, 1>()); break;
    case 11: f(shape<4, 2>()); break;
    case 12: f(shape<4, 4>()); break;
    case 14: f(shape<4, 0>()); break;
    case 5: f(shape<2, 1>()); break;
    case 6: f(shape<2, 2>()); break;
    case 7: f(shape<2, 4>()); break;
    case 9: f(shape<2, 0>()); break;
    case 0: f(shape<1, 1>()); break;
    case 1: f(shape<1, 2>()); break;
    case 2: f(shape<1, 4>()); break;
    case 3: f(shape<1, 8>()); break;
    default: f(shape<1, 0>()); break;
    }
}

LW_DEV uint32_t unit_log(uint32_t kind) { return kind / 5; }

/* Where the units of a field lie in the tile: `at` of unit j of an element. */
struct walk {
    uint32_t at, j, n, skip; /* skip: from the end of an element to the next */
};

/* From unit i of a window to the next. */
template <int U, int N> LW_DEV void step(walk &w, int i)
{
    w.at += U;
    if constexpr (N > 0) {
        if (i % N == N - 1) w.at += w.skip;
    } else if (++w.j == w.n) {
        w.j = 0;
        w.at += w.skip;
    }
}

/* 4 bytes of one element at any address, by the one or two words that hold them. */
LW_DEV uint32_t tile_bytes4(const unsigned char *tile, uint32_t b)
{
    uint32_t lo = tile_get<4>(tile, b & ~3u), hi = tile_get<4>(tile, (b + 3) & ~3u);
    return __funnelshift_r(lo, hi, 8 * (b & 3));
}

/* Word i of a window, from a field and into it. */
template <int U, int N> LW_DEV uint32_t gather_word(const unsigned char *tile, walk &w, int i)
{
    if constexpr (U < 4 && U * N >= 4) {
        uint32_t v = tile_bytes4(tile, w.at);
#pragma unroll
        for (int k = 0; k < 4 / U; k++) step<U, N>(w, i * (4 / U) + k);
        return v;
    } else {
        uint32_t u[4];
#pragma unroll
        for (int k = 0; k < 4 / U; k++) {
            u[k] = tile_get<U>(tile, w.at);
            step<U, N>(w, i * (4 / U) + k);
        }
        if constexpr (U == 4) return u[0];
        else if constexpr (U == 2) return __byte_perm(u[0], u[1], 0x5410);
        else return __byte_perm(__byte_perm(u[0], u[1], 0x0040), __byte_perm(u[2], u[3], 0x0040), 0x5410);
    }
}

template <int U, int N> LW_DEV void scatter_word(unsigned char *tile, walk &w, int i, uint32_t v)
{
#pragma unroll
    for (int k = 0; k < 4 / U; k++) {
        tile_set<U>(tile, w.at, v >> (8 * U * k & 31));
        step<U, N>(w, i * (4 / U) + k);
    }
}

template <int U, int N> LW_DEV uint4 gather(const unsigned char *tile, walk w)
{
    uint4 v;
    v.x = gather_word<U, N>(tile, w, 0);
    v.y = gather_word<U, N>(tile, w, 1);
    v.z = gather_word<U, N>(tile, w, 2);
    v.w = gather_word<U, N>(tile, w, 3);
    return v;
}

template <int U, int N> LW_DEV void scatter(unsigned char *tile, walk w, uint4 v)
{
    scatter_word<U, N>(tile, w, 0, v.x);
    scatter_word<U, N>(tile, w, 1, v.y);
    scatter_word<U, N>(tile, w, 2, v.z);
    scatter_word<U, N>(tile, w, 3, v.w);
}

/*
 * A window: bytes b .. b + 15 of a run of `bytes` bytes at data; b is negative for the first one of a misaligned run.
 * EVEN, here and below: the block is full, runs begin at multiples of 16 and are such, so that no window is cut.
 */
struct window {
    char *data;
    int32_t b, bytes;
};

template <bool EVEN> LW_DEV bool whole(const window &w)
{
    return EVEN ? w.b < w.bytes : w.b >= 0 && w.b + 16 <= w.bytes;
}

template <bool EVEN> LW_DEV window straight_window(char *aos, uint32_t bytes, uint32_t i)
{
    window w = {aos, (int32_t)(16 * i) - (EVEN ? 0 : (int32_t)((uintptr_t)aos & 15)), (int32_t)bytes};
    return w;
}

/* A thread's part of a group: its first window and the distance of the others. */
struct part {
    window w;
    const lw_record_field *f;
    uint32_t record, base; /* bytes of a record; where the first one begins in the tile */
    int32_t stride;
};

template <bool EVEN> LW_DEV part group_part(const lw_record_params &p, int64_t first, uint32_t n, uint32_t group,
                                            uint32_t base)
{
    part q;
    uint32_t entry = p.group[group];
    q.f = &p.field[entry & 63];
    q.w.data = q.f->data + first * q.f->size;
    q.w.b = (int32_t)(16 * LW_RECORD_GROUP * (entry >> 8) + 16 * (threadIdx.x % LW_RECORD_GROUP)) -
            (EVEN ? 0 : (int32_t)((uintptr_t)q.w.data & 15));
    q.w.bytes = (int32_t)(n * q.f->size);
    q.stride = 16 * LW_RECORD_GROUP << (entry >> 6 & 3);
    q.record = p.record_bytes;
    q.base = base;
    return q;
}

/* Start of byte b, a multiple of a unit, of a field. */
template <int U, int N> LW_DEV walk walk_at(const part &q, uint32_t b)
{
    uint32_t u = b / U, r;
    if constexpr (N > 0) r = u / N;
    else r = fdiv(u, q.f->units);
    walk k;
    k.n = N ? N : q.f->units.d;
    k.j = u - r * k.n;
    k.at = q.base + r * q.record + q.f->offset + k.j * U;
    k.skip = q.record - k.n * U;
    return k;
}

/* A window that lies in the run only in part, by bytes: f(byte of the run, place in the tile). */
template <typename F> LW_DEV void field_bytes(const part &q, const window &w, F f)
{
    uint32_t from = (uint32_t)max(w.b, 0), to = (uint32_t)max(min(w.b + 16, w.bytes), 0), log = unit_log(q.f->kind);
#pragma unroll 1
    for (uint32_t b = from; b < to; b++) {
        uint32_t u = b >> log, r = fdiv(u, q.f->units);
        f(b, tile_at(q.base + r * q.record + q.f->offset + b - (r * q.f->units.d << log)));
    }
}

template <typename F> LW_DEV void straight_bytes(const window &w, uint32_t base, F f)
{
    uint32_t from = (uint32_t)max(w.b, 0), to = (uint32_t)max(min(w.b + 16, w.bytes), 0);
#pragma unroll 1
    for (uint32_t b = from; b < to; b++) f(b, tile_at(base + b));
}

/* Records into the tile: byte b at base + b, where base makes windows begin on 16 bytes. */
template <bool EVEN, int TURNS> LW_DEV void records_in(unsigned char *tile, char *aos, uint32_t bytes, uint32_t base)
{
    for (uint32_t i = threadIdx.x; 16 * i < base + bytes; i += TURNS * blockDim.x) {
        uint4 v[TURNS];
#pragma unroll
        for (int k = 0; k < TURNS; k++) {
            window w = straight_window<EVEN>(aos, bytes, i + k * blockDim.x);
            if (whole<EVEN>(w)) v[k] = load16(w.data + w.b);
        }
#pragma unroll
        for (int k = 0; k < TURNS; k++) {
            window w = straight_window<EVEN>(aos, bytes, i + k * blockDim.x);
            if (whole<EVEN>(w)) {
                tile_set16(tile, base + (uint32_t)w.b, v[k]);
            } else if (!EVEN) {
                straight_bytes(w, base, [&](uint32_t b, uint32_t at) { tile[at] = (unsigned char)w.data[b]; });
            }
        }
    }
}

template <bool EVEN> LW_DEV void records_out(const unsigned char *tile, char *aos, uint32_t bytes, uint32_t base)
{
    for (uint32_t i = threadIdx.x; 16 * i < base + bytes; i += blockDim.x) {
        window w = straight_window<EVEN>(aos, bytes, i);
        if (whole<EVEN>(w)) store16(w.data + w.b, tile_get16(tile, base + (uint32_t)w.b));
        else if (!EVEN) straight_bytes(w, base, [&](uint32_t b, uint32_t at) { w.data[b] = (char)tile[at]; });
    }
}

template <bool EVEN, int TURNS>
LW_DEV void fields_out(const lw_record_params &p, const unsigned char *tile, int64_t first, uint32_t n, uint32_t base)
{
    for (uint32_t g = threadIdx.x / LW_RECORD_GROUP; g < p.groups; g += blockDim.x / LW_RECORD_GROUP) {
        part q = group_part<EVEN>(p, first, n, g, base);
        by_kind(q.f->kind, [&](auto kind) {
            const int U = kind.unit, N = kind.count, unroll = U == 4 ? TURNS : 1;
            window w = q.w;
#pragma unroll unroll
            for (int k = 0; k < TURNS; k++) {
                if (whole<EVEN>(w)) store16(w.data + w.b, gather<U, N>(tile, walk_at<U, N>(q, (uint32_t)w.b)));
                else if (!EVEN) field_bytes(q, w, [&](uint32_t b, uint32_t at) { w.data[b] = (char)tile[at]; });
                w.b += q.stride;
            }
        });
    }
}

template <bool EVEN, int TURNS>
LW_DEV void fields_in(const lw_record_params &p, unsigned char *tile, int64_t first, uint32_t n, uint32_t base)
{
    for (uint32_t g = threadIdx.x / LW_RECORD_GROUP; g < p.groups; g += blockDim.x / LW_RECORD_GROUP) {
        uint4 v[TURNS];
        part q = group_part<EVEN>(p, first, n, g, base);
        window w = q.w;
#pragma unroll
        for (int k = 0; k < TURNS; k++) {
            if (whole<EVEN>(w)) v[k] = load16(w.data + w.b);
            w.b += q.stride;
        }
        by_kind(q.f->kind, [&](auto kind) {
            const int U = kind.unit, N = kind.count;
            window w = q.w;
#pragma unroll
            for (int k = 0; k < TURNS; k++) {
                if (whole<EVEN>(w)) scatter<U, N>(tile, walk_at<U, N>(q, (uint32_t)w.b), v[k]);
                else if (!EVEN) {
                    field_bytes(q, w, [&](uint32_t b, uint32_t at) { tile[at] = (unsigned char)w.data[b]; });
                }
                w.b += q.stride;
            }
        });
    }
}

template <bool TO_SOA, bool EVEN, int TURNS>
LW_DEV void turn_records(const lw_record_params &p, unsigned char *tile, int64_t first, uint32_t n)
{
    uint32_t bytes = n * p.record_bytes;
    char *aos = p.aos + first * p.record_bytes;
    uint32_t base = EVEN ? 0 : (uint32_t)((uintptr_t)aos & 15);
    if (TO_SOA) {
        records_in<EVEN, TURNS>(tile, aos, bytes, base);
        __syncthreads();
        fields_out<EVEN, TURNS>(p, tile, first, n, base);
        return;
    }
    if (p.keep) records_in<EVEN, TURNS>(tile, aos, bytes, base);
    if (p.zero) {
        for (uint32_t b = 4 * threadIdx.x; b < base + bytes; b += 4 * blockDim.x) tile_set<4>(tile, b, 0);
    }
    if (p.keep || p.zero) __syncthreads();
    fields_in<EVEN, TURNS>(p, tile, first, n, base);
    __syncthreads();
    records_out<EVEN>(tile, aos, bytes, base);
}

template <bool TO_SOA, int TURNS>
__global__ void __launch_bounds__(LW_BLOCK, LW_RECORD_BLOCKS) record_kernel(const lw_record_params p)
{
    LW_DYNAMIC_SHARED(tile);
    int64_t first = (int64_t)blockIdx.x * p.per_block;
    uint32_t n = (uint32_t)min(p.records - first, (int64_t)p.per_block);
    if (p.even && n == p.per_block) turn_records<TO_SOA, true, TURNS>(p, tile, first, n);
    else turn_records<TO_SOA, false, TURNS>(p, tile, first, n);
}

/* By direction; by windows per thread: one, or all that a thread can have. */
static const record_fn table[2][2] = {
    {record_kernel<false, 1>, record_kernel<false, LW_RECORD_TURNS>},
    {record_kernel<true, 1>, record_kernel<true, LW_RECORD_TURNS>},
};

extern "C" int lw_record_launch(const lw_record_params *p, bool to_soa, uint32_t grid, uint32_t threads,
                                uint32_t shared, lw_stream stream)
{
    return LW_LAUNCH(table[to_soa][p->turns > 1], grid, threads, shared, stream, p);
}

extern "C" int lw_record_setup(lw_ops *ops)
{
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 4 && e == cudaSuccess; i++) {
        e = cudaFuncSetAttribute((const void *)table[i / 2][i % 2], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 ops->shared_optin);
    }
    return (int)e;
}
