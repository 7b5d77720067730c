/*
 * What everybody writes first, as negative controls of the counter bars: correct, and slow in a known way.
 *  - chunk:  a thread takes 16 neighbours, byte by byte, each place worked out by divisions: neighbouring lanes are far
 *            apart, and every store writes part of a sector.
 *  - staged: the host cuts the work into parts, a launch each; bytes go through shared memory, all of it claimed, 32
 *            lanes in one bank.
 * Limits: at most 8 dimensions; fewer than 2^31 elements.
 */
#include <stdint.h>
#include <cuda_runtime_api.h>

#define CHUNK 16
#define PARTS 64
#define STAGE_BYTES 8192

/* dst element i... = the last out_elem bytes of src element i...; an index replaces the place along dimension 0. */
typedef struct naive_move {
    char *dst;
    const char *src;
    const int *dst_index, *src_index;
    int64_t extent[8], dst_stride[8], src_stride[8];
    int32_t rank, elem, skip, reserved;
} naive_move;

/* Samples of `size` bytes: integers are binned by value, else by a search through edges (f64 of the sample's value). */
typedef struct naive_hist {
    uint32_t *counts;
    float *sums; /* with weights, in place of counts */
    const char *samples;
    const float *weights;
    const double *edges; /* bins + 1; NULL: bin = sample - first */
    int64_t n, bins, first;
    int32_t size, real; /* real: f32 or f64 by size */
} naive_hist;

static __device__ void places(const naive_move *m, int64_t e, int64_t *to, int64_t *from)
{
    *to = *from = 0;
    for (int d = m->rank - 1; d >= 0; d--) {
        int64_t i = e % m->extent[d];
        e /= m->extent[d];
        *to += (d == 0 && m->dst_index ? m->dst_index[i] : i) * m->dst_stride[d];
        *from += (d == 0 && m->src_index ? m->src_index[i] : i) * m->src_stride[d];
    }
}

/* A byte through shared memory, every lane of a warp in the same bank. */
static __device__ char staged(char value)
{
    extern __shared__ volatile char stage[];
    int at = (threadIdx.x & 31) * 128 + (threadIdx.x >> 5) * 4;
    stage[at] = value;
    __syncwarp(__activemask());
    return stage[at];
}

static __device__ void move_one(const naive_move *m, int64_t e, bool through)
{
    int64_t to, from;
    places(m, e, &to, &from);
    for (int b = 0; b < m->elem; b++) {
        volatile char *dst = m->dst + to + b;
        char value = ((const volatile char *)m->src)[from + m->skip + b];
        *dst = through ? staged(staged(value)) : value;
    }
}

static __global__ void move_chunk(naive_move m, int64_t n)
{
    int64_t first = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * CHUNK;
    for (int64_t e = first; e < first + CHUNK && e < n; e++) move_one(&m, e, false);
}

static __global__ void move_staged(naive_move m, int64_t first, int64_t end)
{
    int64_t e = first + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (e < end) move_one(&m, e, true);
}

static __device__ void count_one(const naive_hist *h, int64_t i, bool through)
{
    union {
        char bytes[8];
        int32_t i32;
        float f32;
        double f64;
    } v;
    v.f64 = 0;
    for (int b = 0; b < h->size; b++) {
        char byte = ((const volatile char *)h->samples)[i * h->size + b];
        v.bytes[b] = through ? staged(staged(byte)) : byte;
    }
    int64_t bin = h->size == 1 ? (int64_t)(uint8_t)v.bytes[0] - h->first : (int64_t)v.i32 - h->first;
    if (h->edges) {
        double x = h->real ? h->size == 4 ? (double)v.f32 : v.f64 : (double)v.i32;
        int64_t lo = -1, hi = h->bins + 1; /* edges[lo] <= x < edges[hi] */
        while (hi - lo > 1) {
            int64_t mid = (lo + hi) / 2;
            if (((const volatile double *)h->edges)[mid] <= x) lo = mid;
            else hi = mid;
        }
        bin = lo;
    }
    if (bin < 0 || bin >= h->bins) return;
    if (h->weights) atomicAdd(&h->sums[bin], ((const volatile float *)h->weights)[i]);
    else atomicAdd(&h->counts[bin], 1u);
}

static __global__ void hist_chunk(naive_hist h)
{
    int64_t first = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * CHUNK;
    for (int64_t i = first; i < first + CHUNK && i < h.n; i++) count_one(&h, i, false);
}

static __global__ void hist_staged(naive_hist h, int64_t first, int64_t end)
{
    int64_t i = first + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < end) count_one(&h, i, true);
}

static int all_shared(const void *kernel, int *bytes)
{
    int device = 0;
    cudaGetDevice(&device);
    int e = (int)cudaDeviceGetAttribute(bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (!e && *bytes < STAGE_BYTES) e = (int)cudaErrorInvalidValue;
    return e ? e : (int)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, *bytes);
}

static unsigned blocks(int64_t threads) { return (unsigned)((threads + 255) / 256); }

extern "C" int naive_run_move(const naive_move *m, int through)
{
    int64_t n = 1;
    int shared = 0, e = 0;
    for (int d = 0; d < m->rank; d++) n *= m->extent[d];
    if (!n) return 0;
    if (!through) {
        move_chunk<<<blocks((n + CHUNK - 1) / CHUNK), 256>>>(*m, n);
        return (int)cudaGetLastError();
    }
    e = all_shared((const void *)move_staged, &shared);
    for (int part = 0; part < PARTS && !e; part++) {
        int64_t first = n * part / PARTS, end = n * (part + 1) / PARTS;
        if (first < end) move_staged<<<blocks(end - first), 256, shared>>>(*m, first, end);
        e = (int)cudaGetLastError();
    }
    return e;
}

extern "C" int naive_run_hist(const naive_hist *h, int through)
{
    int shared = 0, e = 0;
    if (!through) {
        hist_chunk<<<blocks((h->n + CHUNK - 1) / CHUNK), 256>>>(*h);
        return (int)cudaGetLastError();
    }
    e = all_shared((const void *)hist_staged, &shared);
    for (int part = 0; part < PARTS && !e; part++) {
        int64_t first = h->n * part / PARTS, end = h->n * (part + 1) / PARTS;
        if (first < end) hist_staged<<<blocks(end - first), 256, shared>>>(*h, first, end);
        e = (int)cudaGetLastError();
    }
    return e;
}
