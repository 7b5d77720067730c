/* map_case.h: a copy by a tensor map as the recorders describe it: its map, what the kernel asks for, and the line that tells both. */
#ifndef LW_HW_MAP_CASE_H
#define LW_HW_MAP_CASE_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, STORE, REDUCE, PREFETCH, BULK };

/* BULK: a copy of dims[0] bytes from byte at[0] without a map; dims, box and so on from the innermost dimension outwards; lower, upper, offset: im2col. */
struct Case {
    int how, type, rank, bytes, im2col, interleave, swizzle, fill;
    int ranks, mask;  /* blocks of the cluster, and those that a multicast reaches; mask 0: no multicast */
    int base, hashed; /* record_tensor_map.cu: where in shared memory; which data */
    uint64_t dims[5], strides[4];
    uint32_t box[5], steps[5], pixels;
    int lower[3], upper[3];
    int at[5], offset[3];
};

/* ---------------------------------------------------------------- on the device */
#define COORDINATES "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])
#define TAPS "h"((short)c.offset[0]), "h"((short)c.offset[1]), "h"((short)c.offset[2])
#define DO_LOAD(rank, mode, coordinates, offsets)                                                                           \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global" mode                                                \
                 ".mbarrier::complete_tx::bytes [%0], [%1, " coordinates "], [%2]" offsets ";" ::"r"(to), "l"(&map),        \
                 "r"(bar), COORDINATES, TAPS : "memory")
#define DO_CAST(rank, coordinates)                                                                                          \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"                   \
                 ".multicast::cluster [%0], [%1, " coordinates "], [%2], %8;" ::"r"(to), "l"(&map), "r"(bar), COORDINATES,  \
                 "h"((short)c.mask) : "memory")
#define DO_STORE(rank, mode, coordinates)                                                                                   \
    asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta" mode ".bulk_group [%0, " coordinates "], [%1];" ::"l"(  \
                     &map), "r"(to), COORDINATES : "memory")
#define DO_REDUCE(rank, mode, coordinates)                                                                                  \
    asm volatile("cp.reduce.async.bulk.tensor." rank ".global.shared::cta.add" mode ".bulk_group [%0, " coordinates         \
                 "], [%1];" ::"l"(&map), "r"(to), COORDINATES : "memory")
#define DO_PREFETCH(rank, mode, coordinates, offsets)                                                                       \
    asm volatile("cp.async.bulk.prefetch.tensor." rank ".L2.global" mode " [%0, " coordinates "]" offsets ";" ::"l"(&map),  \
                 "r"(0), COORDINATES, TAPS : "memory")

/* Until the first phase of the mbarrier has ended, or for long enough that it never will. Returns whether it has. */
static __device__ unsigned wait(unsigned bar)
{
    unsigned done = 0;
    for (int k = 0; !done && k < 20000; k++)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(bar) : "memory");
    return done;
}

static __device__ void load_box(const CUtensorMap &map, const Case &c, unsigned to, unsigned bar)
{
    if (c.im2col) {
        if (c.rank == 3) DO_LOAD("3d", ".im2col", "{%3, %4, %5}", ", {%8}");
        if (c.rank == 4) DO_LOAD("4d", ".im2col", "{%3, %4, %5, %6}", ", {%8, %9}");
        if (c.rank == 5) DO_LOAD("5d", ".im2col", "{%3, %4, %5, %6, %7}", ", {%8, %9, %10}");
    } else if (c.mask) {
        if (c.rank == 2) DO_CAST("2d", "{%3, %4}");
        if (c.rank == 3) DO_CAST("3d", "{%3, %4, %5}");
    } else {
        if (c.rank == 1) DO_LOAD("1d", ".tile", "{%3}", "");
        if (c.rank == 2) DO_LOAD("2d", ".tile", "{%3, %4}", "");
        if (c.rank == 3) DO_LOAD("3d", ".tile", "{%3, %4, %5}", "");
        if (c.rank == 4) DO_LOAD("4d", ".tile", "{%3, %4, %5, %6}", "");
        if (c.rank == 5) DO_LOAD("5d", ".tile", "{%3, %4, %5, %6, %7}", "");
    }
}

static __device__ void load_bulk(const void *from, const Case &c, unsigned to, unsigned bar)
{
    if (c.mask)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to),
                     "l"((const char *)from + c.at[0]), "r"((unsigned)c.dims[0]), "r"(bar), "h"((short)c.mask) : "memory");
    else
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"((const char *)from + c.at[0]), "r"((unsigned)c.dims[0]), "r"(bar) : "memory");
}

/* Everything but loads. */
static __device__ void move_box(const CUtensorMap &map, const Case &c, unsigned to)
{
    if (c.how == STORE && c.im2col) {
        if (c.rank == 3) DO_STORE("3d", ".im2col_no_offs", "{%2, %3, %4}");
        if (c.rank == 4) DO_STORE("4d", ".im2col_no_offs", "{%2, %3, %4, %5}");
        if (c.rank == 5) DO_STORE("5d", ".im2col_no_offs", "{%2, %3, %4, %5, %6}");
    } else if (c.how == STORE) {
        if (c.rank == 1) DO_STORE("1d", ".tile", "{%2}");
        if (c.rank == 2) DO_STORE("2d", ".tile", "{%2, %3}");
        if (c.rank == 3) DO_STORE("3d", ".tile", "{%2, %3, %4}");
        if (c.rank == 4) DO_STORE("4d", ".tile", "{%2, %3, %4, %5}");
        if (c.rank == 5) DO_STORE("5d", ".tile", "{%2, %3, %4, %5, %6}");
    } else if (c.how == REDUCE && c.im2col) {
        if (c.rank == 4) DO_REDUCE("4d", ".im2col_no_offs", "{%2, %3, %4, %5}");
    } else if (c.how == REDUCE) {
        if (c.rank == 1) DO_REDUCE("1d", ".tile", "{%2}");
        if (c.rank == 3) DO_REDUCE("3d", ".tile", "{%2, %3, %4}");
        if (c.rank == 4) DO_REDUCE("4d", ".tile", "{%2, %3, %4, %5}");
        if (c.rank == 5) DO_REDUCE("5d", ".tile", "{%2, %3, %4, %5, %6}");
    } else if (c.im2col) {
        if (c.rank == 4) DO_PREFETCH("4d", ".im2col", "{%2, %3, %4, %5}", ", {%7, %8}");
    } else {
        if (c.rank == 1) DO_PREFETCH("1d", ".tile", "{%2}", "");
        if (c.rank == 3) DO_PREFETCH("3d", ".tile", "{%2, %3, %4}", "");
        if (c.rank == 4) DO_PREFETCH("4d", ".tile", "{%2, %3, %4, %5}", "");
        if (c.rank == 5) DO_PREFETCH("5d", ".tile", "{%2, %3, %4, %5, %6}", "");
    }
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---------------------------------------------------------------- on the host */
static unsigned random_of(unsigned number, unsigned k, unsigned among) /* splitmix64's finalizer of the case and k */
{
    uint64_t x = 20261125u + ((uint64_t)number << 20) + k;
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return (unsigned)((x ^ (x >> 31)) % among);
}

static int size_of(int type) { static const int n[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}; return n[type]; }

static CUresult encode(const Case *c, void *data, CUtensorMap *map)
{
    if (c->im2col)
        return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)c->type, c->rank, data, c->dims, c->strides, c->lower, c->upper,
                                       c->box[0], c->pixels, c->steps, (CUtensorMapInterleave)c->interleave,
                                       (CUtensorMapSwizzle)c->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       (CUtensorMapFloatOOBfill)c->fill);
    return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)c->type, c->rank, data, c->dims, c->strides, c->box, c->steps,
                                  (CUtensorMapInterleave)c->interleave, (CUtensorMapSwizzle)c->swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)c->fill);
}

/* What the mbarrier is told to expect: of interleaved maps one slice, whatever the box says of channels. */
static uint64_t bytes_of(const Case *c)
{
    uint64_t n = c->interleave ? 16u << (c->interleave - 1) : (uint64_t)c->bytes * c->box[0];
    if (c->im2col) return n * c->pixels;
    for (int k = c->interleave ? 0 : 1; k < c->rank; k++)
        if (!c->interleave || k != c->rank - 2) n *= (c->box[k] + c->steps[k] - 1) / c->steps[k];
    return n;
}

/* NC/8HWC8 and NC/16HWC16 at random: slices of 16 or 32 bytes, dimensions from the innermost outwards W (H, D), slices, images; dimension 0
 * has no stride of its own. What the box says of slices is set at random, too. */
static Case slices(unsigned number)
{
    static const int types[] = {1, 1, 0, 2, 6, 4, 11, 9};
    Case c = {};
    c.type = types[random_of(number, 0, 8)], c.rank = 3 + number % 3, c.bytes = size_of(c.type), c.ranks = 1;
    int slice_dim = c.rank - 2;
    c.interleave = 1 + number / 3 % 2;
    c.swizzle = random_of(number, 1, 2) ? (int)random_of(number, 2, 4) : c.interleave - 1;
    c.fill = c.type >= 6 ? (int)random_of(number, 3, 2) : 0;
    uint64_t stride = 16 << (c.interleave - 1);
    for (int k = 0; k < c.rank; k++) {
        c.dims[k] = k == 0 ? 4 + random_of(number, 4, 9) : 2 + random_of(number, 4 + k, k == 1 ? 5 : 3);
        if (k) c.strides[k - 1] = stride;
        stride *= c.dims[k] + random_of(number, 10 + k, 2);
        c.box[k] = 1 + random_of(number, 20 + k, k == 0 ? 10 : k == slice_dim ? 40 : 3);
        if (k == 0) c.box[0] = 16 / c.bytes * (1 + random_of(number, 20, c.bytes > 2 ? 4 : 2)); /* else it is refused */
        c.steps[k] = random_of(number, 30 + k, 3) ? 1 : 1 + random_of(number, 40 + k, 4);
        c.at[k] = (int)random_of(number, 50 + k, (unsigned)c.dims[k] + 3) - 2;
    }
    return c;
}

static void as_columns(unsigned number, Case *c)
{
    c->im2col = 1, c->pixels = 1 + random_of(number, 60, 100);
    for (int k = 0; k < c->rank - 2; k++) {
        c->lower[k] = -(int)random_of(number, 61 + k, 3), c->upper[k] = 1 - (int)random_of(number, 64 + k, 3);
        c->offset[k] = random_of(number, 67 + k, 3);
        c->at[k] = c->lower[k] + (int)random_of(number, 70 + k, 2);
    }
}

/* The end of a case's line, from its dimensions on. */
static void describe_box(const Case *c)
{
    printf(" dims");
    for (int k = 0; k < c->rank; k++) printf(" %llu", (unsigned long long)c->dims[k]);
    printf(" strides");
    for (int k = 0; k + 1 < c->rank; k++) printf(" %llu", (unsigned long long)c->strides[k]);
    if (c->im2col) {
        printf(" channels %u pixels %u corners", c->box[0], c->pixels);
        for (int k = 0; k < c->rank - 2; k++) printf(" %d:%d+%d", c->lower[k], c->upper[k], c->offset[k]);
    } else {
        printf(" box");
        for (int k = 0; k < c->rank; k++) printf(" %u", c->box[k]);
    }
    printf(" steps");
    for (int k = 0; k < c->rank; k++) printf(" %u", c->steps[k]);
    printf(" at");
    for (int k = 0; k < c->rank; k++) printf(" %d", c->at[k]);
}

static uint64_t hash_of(const void *data, size_t bytes) /* FNV-1a */
{
    uint64_t hash = 14695981039346656037ull;
    for (size_t k = 0; k < bytes; k++) hash = (hash ^ ((const uint8_t *)data)[k]) * 1099511628211ull;
    return hash;
}

#endif
