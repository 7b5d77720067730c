/* Asks NVIDIA's occupancy header for its answers over the grid of occupancy_grid.h. Compile with a toolkit's headers:
 *
 *   cc -I/usr/local/cuda/include -o record_occupancy tests/hw/record_occupancy.c
 *   ./record_occupancy sums >tests/hw/cuda-occupancy-sums.csv      one number per device and block size
 *   ./record_occupancy sample >tests/hw/cuda-occupancy.csv         some of the answers themselves
 *   ./record_occupancy rows CC THREADS                             all answers of a device and block size
 *
 * What a device has is an input of the header: the table below, written by hand from the programming guide's table of
 * technical specifications and not from data/devices. */
#include <cuda_occupancy.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "occupancy_grid.h"

#define K 1024

static const struct device {
    int cc, threads_per_sm, registers_per_sm, registers_per_block;
    int shared_per_sm, shared_optin, reserved;
} devices[] = {
    {30, 2048, 64 * K, 64 * K, 48 * K, 48 * K, 0},    {32, 2048, 64 * K, 32 * K, 48 * K, 48 * K, 0},
    {35, 2048, 64 * K, 64 * K, 48 * K, 48 * K, 0},    {37, 2048, 128 * K, 64 * K, 112 * K, 48 * K, 0},
    {50, 2048, 64 * K, 64 * K, 64 * K, 48 * K, 0},    {52, 2048, 64 * K, 64 * K, 96 * K, 48 * K, 0},
    {53, 2048, 64 * K, 32 * K, 64 * K, 48 * K, 0},    {60, 2048, 64 * K, 64 * K, 64 * K, 48 * K, 0},
    {61, 2048, 64 * K, 64 * K, 96 * K, 48 * K, 0},    {62, 2048, 64 * K, 32 * K, 64 * K, 48 * K, 0},
    {70, 2048, 64 * K, 64 * K, 96 * K, 96 * K, 0},    {72, 2048, 64 * K, 64 * K, 96 * K, 96 * K, 0},
    {75, 1024, 64 * K, 64 * K, 64 * K, 64 * K, 0},    {80, 2048, 64 * K, 64 * K, 164 * K, 163 * K, K},
    {86, 1536, 64 * K, 64 * K, 100 * K, 99 * K, K},   {87, 1536, 64 * K, 64 * K, 164 * K, 163 * K, K},
    {89, 1536, 64 * K, 64 * K, 100 * K, 99 * K, K},   {90, 2048, 64 * K, 64 * K, 228 * K, 227 * K, K},
    {100, 2048, 64 * K, 64 * K, 228 * K, 227 * K, K}, {101, 1536, 64 * K, 64 * K, 228 * K, 227 * K, K},
    {103, 2048, 64 * K, 64 * K, 228 * K, 227 * K, K}, {110, 1536, 64 * K, 64 * K, 228 * K, 227 * K, K},
    {120, 1536, 64 * K, 64 * K, 100 * K, 99 * K, K},  {121, 1536, 64 * K, 64 * K, 100 * K, 99 * K, K},
};

static cudaOccDeviceProp properties(const struct device *d)
{
    cudaOccDeviceProp p;
    memset(&p, 0, sizeof p);
    p.computeMajor = d->cc / 10;
    p.computeMinor = d->cc % 10;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = d->threads_per_sm;
    p.regsPerBlock = d->registers_per_block;
    p.regsPerMultiprocessor = d->registers_per_sm;
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 * K;
    p.sharedMemPerMultiprocessor = (size_t)d->shared_per_sm;
    p.numSms = 1;
    p.sharedMemPerBlockOptin = (size_t)d->shared_optin;
    p.reservedSharedMemPerBlock = (size_t)d->reserved;
    return p;
}

static cudaOccFuncAttributes attributes(const occ_input *in)
{
    cudaOccFuncAttributes f;
    memset(&f, 0, sizeof f);
    f.maxThreadsPerBlock = INT_MAX;
    f.numRegs = in->registers;
    f.sharedSizeBytes = (size_t)in->static_shared;
    f.partitionedGCConfig = PARTITIONED_GC_OFF;
    f.shmemLimitConfig = in->opted_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    f.maxDynamicSharedSizeBytes = (size_t)in->max_dynamic;
    f.numBlockBarriers = in->barriers;
    return f;
}

static cudaOccDeviceState state(const occ_input *in)
{
    static const cudaOccCacheConfig caches[] = {CACHE_PREFER_NONE, CACHE_PREFER_SHARED, CACHE_PREFER_L1,
                                                CACHE_PREFER_EQUAL};
    cudaOccDeviceState s;
    memset(&s, 0, sizeof s);
    s.cacheConfig = caches[in->cache];
    s.carveoutConfig = in->carveout;
    return s;
}

static long long limit(int n) { return n == INT_MAX ? -1 : n; }

/* 0: the header does not know the device. */
static int ask(const struct device *d, const occ_input *in, occ_answer *out)
{
    cudaOccDeviceProp p = properties(d);
    cudaOccFuncAttributes f = attributes(in);
    cudaOccDeviceState s = state(in);
    cudaOccResult r;
    memset(&r, 0, sizeof r);
    size_t dynamic = (size_t)in->dynamic_shared;
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, in->threads, dynamic);
    if (error == CUDA_OCC_ERROR_UNKNOWN_DEVICE) return 0;
    if (error != CUDA_OCC_SUCCESS) {
        fprintf(stderr, "record_occupancy: cc %d, %d threads: error %d\n", d->cc, in->threads, (int)error);
        exit(1);
    }
    out->blocks = r.activeBlocksPerMultiprocessor;
    out->by_warps = r.blockLimitWarps;
    out->by_registers = limit(r.blockLimitRegs);
    out->by_shared = limit(r.blockLimitSharedMem);
    out->by_blocks = r.blockLimitBlocks;
    out->by_barriers = limit(r.blockLimitBarriers);
    out->limited_by = (long long)r.limitingFactors;
    out->registers_per_block = r.allocatedRegistersPerBlock;
    out->shared_per_block = (long long)r.allocatedSharedMemPerBlock;
    return 1;
}

static void print_row(int cc, const occ_input *in, const occ_answer *a)
{
    printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%d,%lld,%lld\n", cc, in->threads,
           in->registers, in->static_shared, in->dynamic_shared, in->max_dynamic, in->opted_in, in->carveout,
           in->barriers, a->blocks, a->by_warps, a->by_registers, a->by_shared, a->by_barriers, a->limited_by,
           a->shared_per_block, in->cache, a->by_blocks, a->registers_per_block);
}

/* sampled: those of the sample; otherwise all. */
static void print_rows(const struct device *d, int threads, int sampled)
{
    for (int i = 0; i < OCC_PER_BLOCK_SIZE; i++) {
        occ_input in = occ_at(threads, i);
        occ_answer a;
        if ((!sampled || occ_sampled(d->cc, threads, i)) && ask(d, &in, &a)) print_row(d->cc, &in, &a);
    }
}

static void print_sum(const struct device *d, int threads)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < OCC_PER_BLOCK_SIZE; i++) {
        occ_input in = occ_at(threads, i);
        occ_answer a;
        if (!ask(d, &in, &a)) return;
        sum = occ_fold(sum, &a);
    }
    printf("%d,%d,%016llx\n", d->cc, threads, (unsigned long long)sum);
}

/* The suggested block size over registers and shared memory, as block size 0. */
static void print_best(const struct device *d)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < OCC_PER_BLOCK_SIZE; i++) {
        occ_input in = occ_at(0, i);
        cudaOccDeviceProp p = properties(d);
        cudaOccFuncAttributes f = attributes(&in);
        cudaOccDeviceState s = state(&in);
        int grid = 0, block = 0;
        if (cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &f, &s, NULL, (size_t)in.dynamic_shared)) return;
        sum = occ_mix(occ_mix(sum, grid), block);
    }
    printf("%d,0,%016llx\n", d->cc, (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int rows = !strcmp(what, "rows") && argc == 4, sample = !strcmp(what, "sample"), sums = !strcmp(what, "sums");
    if (!rows && !sample && !sums) {
        fprintf(stderr, "usage: record_occupancy sums | sample | rows CC THREADS\n");
        return 2;
    }
    if (sums) printf("cc,threads,sum\n");
    if (!sums)
        printf("cc,threads,registers,static_shared,dynamic_shared,max_dynamic_shared,opted_in,carveout,barriers,blocks,"
               "by_warps,by_registers,by_shared,by_barriers,limited_by,shared_per_block,cache,by_blocks,"
               "registers_per_block\n");
    for (int d = 0; d < OCC_COUNT(devices); d++) {
        if (rows && atoi(argv[2]) == devices[d].cc) print_rows(&devices[d], atoi(argv[3]), 0);
        for (int t = 0; sample && t < OCC_COUNT(occ_threads); t++) print_rows(&devices[d], occ_threads[t], 1);
        for (int t = 0; sums && t < OCC_COUNT(occ_threads); t++) print_sum(&devices[d], occ_threads[t]);
        if (sums) print_best(&devices[d]);
    }
    return 0;
}
