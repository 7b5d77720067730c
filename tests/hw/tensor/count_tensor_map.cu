// nvcc: -gencode arch=compute_90a,code=[sm_90a,compute_90a] -lcuda
/* What the profiler counts of copies by tensor maps of 1 to 5 dimensions, with element strides, im2col, interleaved, multicast: one
 * launch a case; a line per case, in the order of the launches. Even cases are those that rules may be fitted to, odd ones are
 * held out.
 *   count_tensor_map PART      tiles | strides | columns | casts | others | interleaved, under ncu
 *   count_tensor_map PART 1    also prints FNV-1a of shared memory of each case that loads
 * The size of dynamic shared memory tells the cases apart in a report: 32,768 bytes and 16 a case. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED = 32768, WORDS = 1 << 20 };
enum { LOAD, STORE, REDUCE, PREFETCH };

struct Case {
    int how, type, rank, bytes, im2col, interleave, swizzle, ranks, mask;
    uint64_t dims[5], strides[4];
    uint32_t box[5], steps[5], pixels;
    int lower[3], upper[3];
    int at[5], offset[3];
};

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

static __device__ void wait(unsigned bar)
{
    unsigned done = 0;
    for (int k = 0; !done && k < 20000; k++)
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(bar) : "memory");
}

static __device__ void load(const CUtensorMap &map, const Case &c, unsigned to, unsigned bar)
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

static __device__ void other(const CUtensorMap &map, const Case &c, unsigned to)
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
}

__global__ void copy_box(const __grid_constant__ CUtensorMap map, const __grid_constant__ Case c, unsigned expected,
                         unsigned *dump)
{
    extern __shared__ __align__(1024) unsigned tile[];
    __shared__ __align__(8) uint64_t barrier;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(tile), rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    for (int k = 0; dump && k < SHARED / 4; k++) tile[k] = 0xeeeeeeee;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    if (c.how == LOAD) {
        bool receives = !c.mask || c.mask >> rank & 1;
        if (receives) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(expected) : "memory");
        if (c.mask) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        if (rank == 0) load(map, c, to, bar);
        if (receives) wait(bar);
        if (c.mask) asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        for (int k = 0; dump && rank == 0 && k < SHARED / 4; k++) dump[k] = tile[k];
        return;
    }
    other(map, c, to);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static void *words;
static unsigned *dump;
static int number;

static unsigned random_of(unsigned k, unsigned among) /* splitmix64's finalizer of the case and k */
{
    uint64_t x = 20261125u + ((uint64_t)number << 20) + k;
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return (unsigned)((x ^ (x >> 31)) % among);
}

/* A tensor of `rank` dimensions without gaps, of 64-byte rows or more. */
static Case plain(int how, int type, int rank)
{
    static const unsigned dims[] = {64, 12, 6, 5, 3};
    Case c = {};
    c.how = how, c.type = type, c.rank = rank, c.bytes = sizes[type], c.ranks = 1;
    uint64_t stride = 0;
    for (int k = 0; k < rank; k++) {
        c.dims[k] = rank == 1 ? 1024 : k ? dims[k] : dims[0] * 4 / c.bytes;
        if (k) c.strides[k - 1] = stride;
        stride = k ? stride * c.dims[k] : c.dims[0] * c.bytes;
        c.box[k] = c.steps[k] = 1;
    }
    return c;
}

static void describe(const Case *c)
{
    static const char *const hows[] = {"load", "store", "reduce", "prefetch"};
    printf("CASE %s rank %d type %d%s interleave %d swizzle %d mask %d/%d dims", hows[c->how], c->rank, c->type,
           c->im2col ? " im2col" : "", c->interleave, c->swizzle, c->mask, c->ranks);
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

static CUresult encode(const Case *c, CUtensorMap *map)
{
    if (c->im2col)
        return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)c->type, c->rank, words, c->dims, c->strides, c->lower, c->upper,
                                       c->box[0], c->pixels, c->steps, (CUtensorMapInterleave)c->interleave,
                                       (CUtensorMapSwizzle)c->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)c->type, c->rank, words, c->dims, c->strides, c->box, c->steps,
                                  (CUtensorMapInterleave)c->interleave, (CUtensorMapSwizzle)c->swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static uint64_t bytes_of(const Case *c)
{
    uint64_t n = c->bytes;
    if (c->im2col) return n * c->box[0] * c->pixels;
    for (int k = 0; k < c->rank; k++) n *= k == 0 && !c->interleave ? c->box[k] : (c->box[k] + c->steps[k] - 1) / c->steps[k];
    return n;
}

static void run(Case c)
{
    CUtensorMap map;
    CUresult made = encode(&c, &map);
    describe(&c);
    printf(" encode %d", (int)made);
    if (made) {
        printf("\n");
        number++;
        return;
    }
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = c.ranks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = c.ranks, config.blockDim = 1, config.dynamicSmemBytes = SHARED + 16 * number;
    config.attrs = &attribute, config.numAttrs = c.ranks > 1;
    cudaError_t error = cudaLaunchKernelEx(&config, copy_box, map, c, (unsigned)bytes_of(&c), dump);
    if (!error) error = cudaDeviceSynchronize();
    uint64_t hash = 14695981039346656037ull;
    for (int k = 0; dump && !error && k < SHARED; k++) hash = (hash ^ ((uint8_t *)dump)[k]) * 1099511628211ull;
    printf(" launch %d", error);
    if (dump && c.how == LOAD) printf(" hash %016llx", (unsigned long long)hash);
    printf("\n");
    fflush(stdout);
    number++;
    if (error) exit(1);
}

/* A box of at most `most` bytes with an inner row of 16 to 128 bytes and places over all edges; swizzled as it fits. */
static Case random_box(Case c, unsigned most)
{
    unsigned inner = 16 << random_of(1, 4), all;
    c.swizzle = random_of(2, 2) ? inner == 16 ? random_of(3, 4) : inner == 32 ? 1 + random_of(3, 3) : inner == 64 ? 2 : 3 : 0;
    c.box[0] = inner / c.bytes;
    if (c.rank == 1) c.box[0] = (16 + 16 * random_of(4, 16)) / c.bytes, c.swizzle = 0;
    if (c.box[0] > 256) c.box[0] = 256;
    all = c.swizzle ? 16u << c.swizzle : c.box[0] * c.bytes;
    for (int k = 1; k < c.rank; k++) {
        c.box[k] = 1 + random_of(4 + k, k < 3 ? 8 : 3);
        while (all * c.box[k] > most) c.box[k]--;
        all *= c.box[k];
    }
    for (int k = 0; k < c.rank; k++) {
        unsigned kind = random_of(10 + k, 5);
        int align = k ? 1 : 16 / c.bytes;
        if (kind == 1) c.at[k] = align * (int)random_of(20 + k, (unsigned)(c.dims[k] / align));
        if (kind == 2 && c.how == LOAD) c.at[k] = -align;
        if (kind == 3) c.at[k] = (int)c.dims[k] - align;
        if (kind == 4 && k == 0) c.at[k] = align;
    }
    return c;
}

static void tiles(void)
{
    static const int ranks[] = {1, 3, 4, 5}, types[] = {2, 6, 0, 4, 7};
    for (int k = 0; k < 16 * 4; k++) run(random_box(plain(LOAD, types[random_of(0, 5)], ranks[k / 2 % 4]), 16384));
}

static void strides(void)
{
    static const int types[] = {2, 6, 7};
    for (int k = 0; k < 44; k++) {
        Case c = random_box(plain(k % 11 == 10 ? STORE : LOAD, types[random_of(0, 3)], 2 + k / 2 % 4), 16384);
        for (int d = 1; d < c.rank; d++)
            if (d == 1 + k / 8 % (c.rank - 1) || k > 30) c.steps[d] = 2 + random_of(30 + d, k % 3 ? 2 : 7);
        if (k % 8 == 7) c.steps[0] = 2;
        run(c);
    }
}

static void columns(void)
{
    for (int k = 0; k < 44; k++) {
        Case c = plain(k % 11 == 10 ? STORE : k == 20 ? REDUCE : k == 31 ? PREFETCH : LOAD, k & 2 ? 2 : 6, 3 + k / 2 % 3);
        if (k == 20 || k == 31) c = plain(c.how, 2, 4);
        unsigned inner = 16 << random_of(1, 4);
        c.im2col = 1, c.box[0] = inner / c.bytes, c.pixels = 8 + random_of(2, 57);
        c.swizzle = random_of(3, 2) && inner > 16 ? inner == 32 ? 1 : inner == 64 ? 2 : 3 : 0;
        for (int d = 0; d < c.rank - 2; d++) {
            c.lower[d] = c.how == LOAD ? -(int)random_of(4 + d, 3) : 0;
            c.upper[d] = c.how == LOAD ? (int)random_of(8 + d, 3) - 2 : 0;
            c.offset[d] = c.how == LOAD ? (int)random_of(12 + d, 3) : 0;
            c.at[d + 1] = c.lower[d] + (int)random_of(16 + d, 2);
            if (k > 30 && c.how == LOAD) c.steps[d + 1] = 1 + random_of(20 + d, 3);
        }
        c.at[0] = random_of(25, 4) ? 0 : 16 / c.bytes;
        if (random_of(26, 4) == 0) c.at[c.rank - 1] = 1;
        run(c);
    }
}

static void casts(void)
{
    static const int masks[][2] = {{2, 3}, {2, 1}, {2, 2}, {4, 15}, {4, 5}, {4, 14}};
    for (int k = 0; k < 12; k++) {
        Case c = random_box(plain(LOAD, k & 1 ? 6 : 2, 2 + k / 6), 8192);
        c.ranks = masks[k % 6][0], c.mask = masks[k % 6][1];
        run(c);
    }
}

static void others(void)
{
    static const int ranks[] = {1, 3, 4, 5}, types[] = {2, 6, 7};
    for (int k = 0; k < 36; k++) run(random_box(plain(STORE + k / 2 % 3, types[random_of(0, 3)], ranks[k / 6 % 4]), 8192));
}

/* NC/8HWC8 and NC/16HWC16: slices of 16 or 32 bytes; dimension 0: channels of all slices (as cuTensorMapEncodeTiled takes them). */
static void interleaved(void)
{
    for (int k = 0; k < 40; k++) {
        Case c = plain(LOAD, k & 4 ? 2 : 6, 3 + k / 2 % 3);
        unsigned slice = 16u << (k & 1);
        c.interleave = 1 + (k & 1), c.swizzle = c.interleave == 2;
        c.strides[0] = slice, c.strides[1] = slice * c.dims[1];
        for (int d = 2; d + 1 < c.rank; d++) c.strides[d] = c.strides[d - 1] * c.dims[d];
        c.box[0] = k < 24 ? slice / c.bytes : (1 + k % 3) * slice / c.bytes;
        c.box[1] = 1 + random_of(1, 6), c.box[2] = 1 + random_of(2, 4);
        if (c.rank > 3) c.box[3] = 1 + random_of(3, 2);
        if (k >= 8)
            for (int d = 1; d < c.rank; d++) c.at[d] = (int)random_of(4 + d, 3) - (k >= 16);
        if (k >= 32) c.at[0] = (int)(slice / c.bytes);
        run(c);
    }
}

int main(int argc, char **argv)
{
    static uint32_t host[WORDS];
    const char *part = argc > 1 ? argv[1] : "tiles";
    for (uint32_t k = 0; k < WORDS; k++) host[k] = k | (k * 2654435761u & 0xff000000u);
    cudaMalloc(&words, sizeof host);
    cudaMemcpy(words, host, sizeof host, cudaMemcpyHostToDevice);
    if (argc > 2) cudaMallocManaged(&dump, SHARED);
    cudaFuncSetAttribute(copy_box, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED + 16 * 128);
    if (!strcmp(part, "tiles")) tiles();
    if (!strcmp(part, "strides")) strides();
    if (!strcmp(part, "columns")) columns();
    if (!strcmp(part, "casts")) casts();
    if (!strcmp(part, "others")) others();
    if (!strcmp(part, "interleaved")) interleaved();
    return 0;
}
