/*
 * The pieces of a tile transposition: thread shares, the swizzled shared tile, and stores at any alignment. tile.cu
 * moves one tile per block, inplace.cu swaps two.
 */
#ifndef LW_OPS_TILE_CUH
#define LW_OPS_TILE_CUH

#include "common/kernel.cuh"
#include "copy/kernels.h"

template <int E, int KC, int KR> struct tile_shape {
    static const int unit = E < 4 ? 4 : E; /* bytes */
    static const int w = unit / E;         /* rows per unit */
    static const int c = 16 / E;           /* columns per chunk */
    static const int r = 16 / unit;        /* units per quad */
    static const int cols = 8 * KC * c;
    static const int rows = 32 * KR * w;
    static const int quads = 32 * KR / r; /* per line */
    static const int line = quads * 16;   /* bytes */
    static const int loads = KC * KR * w; /* vectors per thread, either way */
};

template <int E> LW_DEV uint32_t swizzle(uint32_t col) { return (col / (16 / E)) ^ (col % (16 / E)); }

/* Byte address in the tile of byte b of column col's line. */
template <int E, int LINE> LW_DEV uint32_t line_at(uint32_t col, uint32_t b)
{
    uint32_t q = b >> 4;
    return col * LINE + ((q ^ (swizzle<E>(col) & 7)) << 4) + (b & 15);
}

/* Units of the 16 / E columns in W chunks, to the tile: row unit u, first column col. */
template <int E, int LINE> LW_DEV void put_units(unsigned char *tile, const uint4 *v, uint32_t u, uint32_t col)
{
    if (E == 16) {
        *(uint4 *)(tile + line_at<E, LINE>(col, u * 16)) = v[0];
    } else if (E == 8) {
        *(uint2 *)(tile + line_at<E, LINE>(col, u * 8)) = make_uint2(v[0].x, v[0].y);
        *(uint2 *)(tile + line_at<E, LINE>(col + 1, u * 8)) = make_uint2(v[0].z, v[0].w);
    } else if (E == 4) {
        const uint32_t w[4] = {v[0].x, v[0].y, v[0].z, v[0].w};
#pragma unroll
        for (int j = 0; j < 4; j++) *(uint32_t *)(tile + line_at<E, LINE>(col + j, u * 4)) = w[j];
    } else if (E == 2) {
        const uint32_t a[4] = {v[0].x, v[0].y, v[0].z, v[0].w}, b[4] = {v[1].x, v[1].y, v[1].z, v[1].w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            *(uint32_t *)(tile + line_at<E, LINE>(col + 2 * j, u * 4)) = __byte_perm(a[j], b[j], 0x5410);
            *(uint32_t *)(tile + line_at<E, LINE>(col + 2 * j + 1, u * 4)) = __byte_perm(a[j], b[j], 0x7632);
        }
    } else {
        const uint32_t a[4] = {v[0].x, v[0].y, v[0].z, v[0].w}, b[4] = {v[1].x, v[1].y, v[1].z, v[1].w};
        const uint32_t c[4] = {v[2].x, v[2].y, v[2].z, v[2].w}, d[4] = {v[3].x, v[3].y, v[3].z, v[3].w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint32_t ab0 = __byte_perm(a[j], b[j], 0x5140), cd0 = __byte_perm(c[j], d[j], 0x5140);
            uint32_t ab1 = __byte_perm(a[j], b[j], 0x7362), cd1 = __byte_perm(c[j], d[j], 0x7362);
            *(uint32_t *)(tile + line_at<E, LINE>(col + 4 * j + 0, u * 4)) = __byte_perm(ab0, cd0, 0x5410);
            *(uint32_t *)(tile + line_at<E, LINE>(col + 4 * j + 1, u * 4)) = __byte_perm(ab0, cd0, 0x7632);
            *(uint32_t *)(tile + line_at<E, LINE>(col + 4 * j + 2, u * 4)) = __byte_perm(ab1, cd1, 0x5410);
            *(uint32_t *)(tile + line_at<E, LINE>(col + 4 * j + 3, u * 4)) = __byte_perm(ab1, cd1, 0x7632);
        }
    }
}

/* The end of a row near the end of the tensor: the bytes that exist, in pieces; the rest is zero and never stored. */
LW_DEV uint4 load_end(const char *p, const char *hi, uint32_t gran)
{
    uint32_t w[4] = {0, 0, 0, 0};
    gran = min(gran, 4u);
#pragma unroll
    for (int i = 0; i < 16; i++) {
        if ((i & (gran - 1)) == 0 && p + i < hi) {
            if (gran >= 4) w[i / 4] = *(const uint32_t *)(p + i);
            else if (gran == 2) w[i / 4] |= (uint32_t)*(const uint16_t *)(p + i) << (i % 4 * 8);
            else w[i / 4] |= (uint32_t)*(const unsigned char *)(p + i) << (i % 4 * 8);
        }
    }
    return make_uint4(w[0], w[1], w[2], w[3]);
}

/*
 * Column lines to rows of the output at any alignment. 16-byte windows aligned in the destination are put together
 * from two quads; the bytes before the first and after the last window go in pieces of gran bytes.
 */
template <int E, int LINE> LW_DEV void store_any(const unsigned char *tile, char *dst, uint32_t col, uint32_t q,
                                                 uint32_t bytes, uint32_t gran)
{
    const uint32_t quads = LINE / 16;
    uint32_t a = (uint32_t)(uintptr_t)dst & 15;
    uint32_t start = 16 * q - a; /* wraps for q = 0, a > 0: then it is no full window */
    if (start + 16 <= bytes && (q || !a)) {
        uint4 v = *(const uint4 *)(tile + line_at<E, LINE>(col, 16 * q));
        if (a) v = shift32(*(const uint4 *)(tile + line_at<E, LINE>(col, 16 * q - 16)), v, 16 - a);
        store16(dst + start, v);
    }
    uint32_t head = min((16 - a) & 15, bytes);
    uint32_t tail = (bytes - head) & 15, body = bytes - head - tail;
    /* the last window of a line whose windows do not start at quad 0 is nobody's quad: its bytes count as the tail */
    uint32_t rest = head + tail;
    for (uint32_t i = q * gran; i < rest; i += quads * gran) {
        uint32_t b = i < head ? i : i + body;
        copy_small(dst + b, (const char *)tile + line_at<E, LINE>(col, b), gran);
    }
}

/* A thread's share of a tile: rows x cols elements at src, inside a tensor that occupies lo..hi. NEAR: load16_near. */
template <int E, int KC, int KR, bool ANY, bool NEAR = false>
LW_DEV void tile_load(uint4 *v, const char *src, int64_t in_row, const char *lo, const char *hi, uint32_t rows,
                      uint32_t cols, uint32_t gran)
{
    typedef tile_shape<E, KC, KR> S;
    uint32_t chunk = threadIdx.x & 7, unit = threadIdx.x >> 3;
#pragma unroll
    for (int k = 0; k < KC * KR; k++) {
        uint32_t c = (chunk + 8 * (k % KC)) * S::c, u = unit + 32 * (k / KC);
#pragma unroll
        for (int j = 0; j < S::w; j++) {
            uint32_t row = u * S::w + j;
            if (row >= rows || c >= cols) continue;
            const char *at = src + row * in_row + c * E;
            if (!ANY) v[k * S::w + j] = load16_as<NEAR>(at);
            else if (at + 16 <= hi) v[k * S::w + j] = load16_any<NEAR>(at, lo, hi, gran);
            else v[k * S::w + j] = load_end(at, hi, gran);
        }
    }
}

template <int E, int KC, int KR> LW_DEV void tile_put(unsigned char *tile, const uint4 *v)
{
    typedef tile_shape<E, KC, KR> S;
    uint32_t chunk = threadIdx.x & 7, unit = threadIdx.x >> 3;
#pragma unroll
    for (int k = 0; k < KC * KR; k++) {
        put_units<E, S::line>(tile, v + k * S::w, unit + 32 * (k / KC), (chunk + 8 * (k % KC)) * S::c);
    }
}

/* Writes the tile's lines: cols rows of the output, rows * E bytes each. */
template <int E, int KC, int KR, bool ANY> LW_DEV void tile_store(const unsigned char *tile, char *dst, int64_t out_col,
                                                                  uint32_t rows, uint32_t cols, uint32_t gran)
{
    typedef tile_shape<E, KC, KR> S;
#pragma unroll
    for (int k = 0; k < S::loads; k++) {
        uint32_t e = threadIdx.x + k * LW_BLOCK, col = e / S::quads, q = e % S::quads;
        if (col >= cols) continue;
        char *line = dst + col * out_col;
        if (ANY) {
            store_any<E, S::line>(tile, line, col, q, rows * E, gran);
        } else if (q * 16 < rows * E) {
            store16(line + q * 16, *(const uint4 *)(tile + line_at<E, S::line>(col, q * 16)));
        }
    }
}

#endif
