/*
 * AoS <-> SoA. A block moves a run of records through shared memory: whole records on the AoS side in 16-byte windows,
 * one field after the other on the SoA side in windows as well. Windows are aligned in memory on both sides; the pieces
 * at a run's ends go in units, the largest power of two that divides every size, offset and pointer. Padding against bank
 * conflicts: one word after every 32.
 */
#include "kernel.cuh"

typedef void (*record_fn)(const lw_record_params);

/* Address of byte b in the padded tile. */
LW_DEV uint32_t tile_at(uint32_t b) {
    return b + (b >> 7 << 2);
}

template <int U> struct unit;
template <> struct unit<1> { typedef uint8_t t; };
template <> struct unit<2> { typedef uint16_t t; };
template <> struct unit<4> { typedef uint32_t t; };

template <int U> LW_DEV typename unit<U>::t tile_get(const unsigned char *tile, uint32_t b) {
    return *(const typename unit<U>::t *)(tile + tile_at(b));
}

template <int U> LW_DEV void tile_set(unsigned char *tile, uint32_t b, typename unit<U>::t v) {
    *(typename unit<U>::t *)(tile + tile_at(b)) = v;
}

/* Words of 4 bytes made of units that `at` finds for bytes 0, U, 2U, 3U. */
template <int U, typename F> LW_DEV uint32_t gather_word(const unsigned char *tile, F at) {
    if constexpr (U == 4) return tile_get<4>(tile, at(0));
    else if constexpr (U == 2) return tile_get<2>(tile, at(0)) | (uint32_t)tile_get<2>(tile, at(2)) << 16;
    else return tile_get<1>(tile, at(0)) | (uint32_t)tile_get<1>(tile, at(1)) << 8 |
                (uint32_t)tile_get<1>(tile, at(2)) << 16 | (uint32_t)tile_get<1>(tile, at(3)) << 24;
}

template <int U, typename F> LW_DEV void scatter_word(unsigned char *tile, uint32_t w, F at) {
    if constexpr (U == 4) {
        tile_set<4>(tile, at(0), w);
    } else if constexpr (U == 2) {
        tile_set<2>(tile, at(0), (uint16_t)w);
        tile_set<2>(tile, at(2), (uint16_t)(w >> 16));
    } else {
        for (int i = 0; i < 4; i++) tile_set<1>(tile, at(i), (uint8_t)(w >> 8 * i));
    }
}

/* Reads bytes of global memory into the tile: byte b of the run goes to at(b). Thread t of `team` threads, 32 at least. */
template <int U, typename F> LW_DEV void run_in(unsigned char *tile, const char *src, uint32_t bytes, uint32_t t, uint32_t team,
                                                F at) {
    typedef typename unit<U>::t piece;
    uint32_t head = min((uint32_t)(16 - ((uintptr_t)src & 15)) & 15, bytes), body = (bytes - head) & ~15u;
    for (uint32_t i = t; i < body / 16; i += team) {
        uint32_t b = head + 16 * i;
        uint4 v = load16(src + b);
        scatter_word<U>(tile, v.x, [&](uint32_t k) { return at(b + k); });
        scatter_word<U>(tile, v.y, [&](uint32_t k) { return at(b + 4 + k); });
        scatter_word<U>(tile, v.z, [&](uint32_t k) { return at(b + 8 + k); });
        scatter_word<U>(tile, v.w, [&](uint32_t k) { return at(b + 12 + k); });
    }
    uint32_t i = t * U;
    if (i < bytes - body) {
        uint32_t b = i < head ? i : i + body;
        tile_set<U>(tile, at(b), *(const piece *)(src + b));
    }
}

/* The other way: byte b of the run comes from at(b). */
template <int U, typename F> LW_DEV void run_out(const unsigned char *tile, char *dst, uint32_t bytes, uint32_t t,
                                                 uint32_t team, F at) {
    typedef typename unit<U>::t piece;
    uint32_t head = min((uint32_t)(16 - ((uintptr_t)dst & 15)) & 15, bytes), body = (bytes - head) & ~15u;
    for (uint32_t i = t; i < body / 16; i += team) {
        uint32_t b = head + 16 * i;
        uint4 v;
        v.x = gather_word<U>(tile, [&](uint32_t k) { return at(b + k); });
        v.y = gather_word<U>(tile, [&](uint32_t k) { return at(b + 4 + k); });
        v.z = gather_word<U>(tile, [&](uint32_t k) { return at(b + 8 + k); });
        v.w = gather_word<U>(tile, [&](uint32_t k) { return at(b + 12 + k); });
        store16(dst + b, v);
    }
    uint32_t i = t * U;
    if (i < bytes - body) {
        uint32_t b = i < head ? i : i + body;
        *(piece *)(dst + b) = tile_get<U>(tile, at(b));
    }
}

/* Byte b of field f's run: record b / size. */
struct field_map {
    uint32_t offset, record;
    lw_fdiv size;
    __device__ uint32_t operator()(uint32_t b) const {
        uint32_t r = fdiv(b, size);
        return r * record + offset + (b - r * size.d);
    }
};

struct straight {
    __device__ uint32_t operator()(uint32_t b) const { return b; }
};

/* keep: SoA -> AoS reads the records first, so that the bytes between fields stay. */
template <int U, bool TO_SOA> __global__ void __launch_bounds__(LW_BLOCK) record_kernel(const lw_record_params p) {
    LW_DYNAMIC_SHARED(tile);
    int64_t first = (int64_t)blockIdx.x * p.per_block;
    uint32_t n = (uint32_t)min(p.records - first, (int64_t)p.per_block), bytes = n * p.record_bytes;
    char *aos = p.aos + first * p.record_bytes;
    if (TO_SOA || p.keep) {
        run_in<U>(tile, aos, bytes, threadIdx.x, LW_BLOCK, straight());
        __syncthreads();
    } else if (p.padded) {
        for (uint32_t b = threadIdx.x * U; b < bytes; b += LW_BLOCK * U) tile_set<U>(tile, b, 0);
        __syncthreads();
    }
    /* few fields: all threads or half of them to each; many: a warp to each */
    uint32_t team = p.fields == 1 ? LW_BLOCK : p.fields < 4 ? LW_BLOCK / 2 : p.fields < 8 ? LW_BLOCK / 4 : 32;
    uint32_t t = threadIdx.x % team;
    for (int f = threadIdx.x / team; f < p.fields; f += LW_BLOCK / team) {
        field_map at = { p.field[f].offset, p.record_bytes, p.field[f].size };
        char *field = p.field[f].data + first * p.field[f].size.d;
        if (TO_SOA) run_out<U>(tile, field, n * p.field[f].size.d, t, team, at);
        else run_in<U>(tile, field, n * p.field[f].size.d, t, team, at);
    }
    if (!TO_SOA) {
        __syncthreads();
        run_out<U>(tile, aos, bytes, threadIdx.x, LW_BLOCK, straight());
    }
}

static const record_fn table[3][2] = {
    { record_kernel<1, false>, record_kernel<1, true> },
    { record_kernel<2, false>, record_kernel<2, true> },
    { record_kernel<4, false>, record_kernel<4, true> },
};

extern "C" int lw_record_launch(const lw_record_params *p, uint32_t unit_bytes, bool to_soa, uint32_t grid,
                                uint32_t shared, lw_stream stream) {
    return LW_LAUNCH(table[unit_bytes >= 4 ? 2 : unit_bytes / 2][to_soa], grid, LW_BLOCK, shared, stream, p);
}

extern "C" int lw_record_setup(const struct lw_ops *ops) {
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 6 && e == cudaSuccess; i++) {
        e = cudaFuncSetAttribute((const void *)table[i / 2][i % 2], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 ops->shared_optin);
    }
    return (int)e;
}
