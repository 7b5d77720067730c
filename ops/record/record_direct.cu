/*
 * AoS <-> SoA of 2 or 4 fields of one size, without gaps, at most 16 bytes together: a thread takes 16 bytes of whole
 * records, turns them in its registers and writes 8 or 4 bytes of each field; no shared memory, no barrier.
 */
#include "common/kernel.cuh"
#include "record/record.h"

typedef void (*direct_fn)(const lw_record_direct_params);

LW_DEV void swap_pairs(uint32_t a, uint32_t b, uint32_t *lo, uint32_t *hi)
{ /* 16-bit units of two words, 2 x 2 */
    *lo = __byte_perm(a, b, 0x5410);
    *hi = __byte_perm(a, b, 0x7632);
}

LW_DEV void zip_bytes(uint32_t a, uint32_t b, uint32_t *lo, uint32_t *hi)
{
    *lo = __byte_perm(a, b, 0x5140);
    *hi = __byte_perm(a, b, 0x7362);
}

/* Even and odd bytes of two words, and back. */
LW_DEV void split_bytes(uint32_t a, uint32_t b, uint32_t *even, uint32_t *odd)
{
    *even = __byte_perm(a, b, 0x6420);
    *odd = __byte_perm(a, b, 0x7531);
}

/* 16 bytes of records become 16 / F bytes of each field, one field behind the other, or back: one transposition. */
template <int S, int F, bool TO_SOA> LW_DEV void turn_words(const uint32_t *v, uint32_t *w)
{
    uint32_t t[4];
    if (S == 1 && F == 2 && TO_SOA) {
        split_bytes(v[0], v[1], &w[0], &w[2]);
        split_bytes(v[2], v[3], &w[1], &w[3]);
    } else if (S == 1 && F == 2) {
        zip_bytes(v[0], v[2], &w[0], &w[1]);
        zip_bytes(v[1], v[3], &w[2], &w[3]);
    } else if (S == 1) {
        zip_bytes(v[0], v[1], &t[0], &t[1]);
        zip_bytes(v[2], v[3], &t[2], &t[3]);
        swap_pairs(t[0], t[2], &w[0], &w[1]);
        swap_pairs(t[1], t[3], &w[2], &w[3]);
    } else if (S == 2 && (F == 2) == TO_SOA) {
        swap_pairs(v[0], v[1], &w[0], &w[2]);
        swap_pairs(v[2], v[3], &w[1], &w[3]);
    } else if (S == 2) {
        swap_pairs(v[0], v[2], &w[0], &w[1]);
        swap_pairs(v[1], v[3], &w[2], &w[3]);
    } else {
        w[0] = v[0];
        w[1] = v[S == 4 && F == 2 ? 2 : 1];
        w[2] = v[S == 4 && F == 2 ? 1 : 2];
        w[3] = v[3];
    }
}

template <int BYTES> LW_DEV void get_words(uint32_t *w, const char *from)
{
    *(typename vec<BYTES>::t *)w = *(const typename vec<BYTES>::t *)from;
}

template <int BYTES> LW_DEV void put_words(char *to, const uint32_t *w)
{
    *(typename vec<BYTES>::t *)to = *(const typename vec<BYTES>::t *)w;
}

/* Records behind the last 16 bytes, a byte a thread, by a block of their own. */
template <int S, int F, bool TO_SOA> LW_DEV void last_records(const lw_record_direct_params &p)
{
    const int n = 16 / (S * F);
    int64_t first = p.records - p.records % n;
    if (threadIdx.x >= (uint32_t)(p.records - first) * (S * F)) return;
    char *aos = p.aos + first * (S * F) + threadIdx.x;
    uint32_t r = threadIdx.x / (S * F), b = threadIdx.x % (S * F), f = b / S;
    char *field = f == 0 ? p.field[0] : f == 1 ? p.field[1] : f == 2 ? p.field[2] : p.field[3];
    field += (first + r) * S + b % S;
    if (TO_SOA) *field = *aos;
    else *aos = *field;
}

template <int S, int F, bool TO_SOA>
__global__ void __launch_bounds__(LW_BLOCK) record_direct_kernel(const lw_record_direct_params p)
{
    const int n = 16 / (S * F), run = 16 / F; /* records of a thread; bytes of each of their fields */
    int64_t r = ((int64_t)blockIdx.x * LW_BLOCK + threadIdx.x) * n;
    __align__(16) uint32_t v[4], w[4];
    if (r + n > p.records) {
        if (n > 1 && blockIdx.x + 1 == gridDim.x) last_records<S, F, TO_SOA>(p);
        return;
    }
    if (TO_SOA) {
        get_words<16>(v, p.aos + r * (S * F));
        turn_words<S, F, true>(v, w);
#pragma unroll
        for (int f = 0; f < F; f++) put_words<run>(p.field[f] + r * S, w + f * (run / 4));
    } else {
#pragma unroll
        for (int f = 0; f < F; f++) get_words<run>(v + f * (run / 4), p.field[f] + r * S);
        turn_words<S, F, false>(v, w);
        put_words<16>(p.aos + r * (S * F), w);
    }
}

#define WAYS(S, F) {record_direct_kernel<S, F, false>, record_direct_kernel<S, F, true>}
static const direct_fn table[7][2] = {
    WAYS(1, 2), WAYS(1, 4), WAYS(2, 2), WAYS(2, 4), WAYS(4, 2), WAYS(4, 4), WAYS(8, 2),
};

/* Row of the table; -1: no such kernel. */
static int row_of(int size, int fields)
{
    for (int i = 0; i < 7; i++) {
        static const unsigned char sizes[7] = {1, 1, 2, 2, 4, 4, 8};
        if (size == sizes[i] && fields == (i % 2 ? 4 : 2)) return i;
    }
    return -1;
}

extern "C" int lw_record_direct_records(int size, int fields)
{
    return row_of(size, fields) < 0 ? 0 : 16 / (size * fields);
}

extern "C" int lw_record_direct_launch(const lw_record_direct_params *p, int size, int fields, bool to_soa,
                                       uint32_t grid, lw_stream stream)
{
    return LW_LAUNCH(table[row_of(size, fields)][to_soa], grid, LW_BLOCK, 0, stream, p);
}

extern "C" int lw_record_direct_setup(lw_ops *)
{
    cudaFuncAttributes a;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 14 && e == cudaSuccess; i++) e = cudaFuncGetAttributes(&a, (const void *)table[i / 2][i % 2]);
    return (int)e;
}
