/* The inputs over which occupancy is compared with NVIDIA's cuda_occupancy.h: shared by record_occupancy.c, which asks
 * the header, and tests/unit/test_occupancy.c, which asks the model. Answers are folded into one number per device and
 * block size, and a sample of them is written out. Plain C, nothing of the project, so that any cc compiles it. */
#ifndef LW_TESTS_OCCUPANCY_GRID_H
#define LW_TESTS_OCCUPANCY_GRID_H

#include <stdint.h>

typedef struct occ_input {
    int threads, registers, static_shared, dynamic_shared, max_dynamic, opted_in, carveout, cache, barriers;
} occ_input;

/* limits: -1 = no limit. limited_by: bits warps 1, registers 2, shared 4, blocks 8, barriers 16. */
typedef struct occ_answer {
    long long blocks, by_warps, by_registers, by_shared, by_blocks, by_barriers, limited_by;
    long long registers_per_block, shared_per_block;
} occ_answer;

static const int occ_threads[] = {1,   31,  32,  33,  64,  96,  100, 128, 160, 192,  224,
                                  256, 288, 320, 384, 448, 512, 640, 768, 896, 1000, 1024};
static const int occ_registers[] = {0,  1,  8,  16, 20, 21, 24, 30,  32,  33,  37,  40,  48,
                                    56, 63, 64, 65, 72, 80, 96, 128, 168, 192, 255, 256, 257};
/* static, dynamic, most dynamic, opted in */
static const int occ_shared[][4] = {
    {0, 0, 0, 0},           {1, 0, 0, 0},           {1024, 0, 0, 0},          {4096, 100, 0, 0},
    {0, 8192, 0, 0},        {16384, 0, 0, 0},       {16385, 0, 0, 0},         {20000, 12345, 0, 0},
    {33000, 0, 0, 0},       {48000, 0, 0, 0},       {49152, 0, 0, 0},         {49153, 0, 0, 0},
    {0, 49152, 49152, 1},   {0, 49152, 65536, 1},   {1000, 65000, 65536, 1},  {0, 65536, 65536, 1},
    {0, 98304, 98304, 1},   {0, 101376, 101376, 1}, {2048, 99328, 101376, 1}, {512, 110000, 166912, 1},
    {0, 166912, 166912, 1}, {0, 200000, 232448, 1}, {0, 232448, 232448, 1},   {0, 232449, 232449, 1},
    {0, 1000, 500, 1}};
/* carve-out in percent or -1, cache preference (none, shared, L1, equal) */
static const int occ_split[][2] = {{-1, 0}, {-1, 1}, {-1, 2}, {-1, 3}, {0, 0},
                                   {7, 0},  {25, 1}, {50, 2}, {72, 0}, {100, 2}};
static const int occ_barriers[] = {1, 3, 16};

#define OCC_COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))
#define OCC_PER_BLOCK_SIZE                                                                                             \
    (OCC_COUNT(occ_registers) * OCC_COUNT(occ_shared) * OCC_COUNT(occ_split) * OCC_COUNT(occ_barriers))

/* Input i of a block size. */
static inline occ_input occ_at(int threads, int i)
{
    occ_input in = {0};
    in.threads = threads;
    in.barriers = occ_barriers[i % OCC_COUNT(occ_barriers)];
    i /= OCC_COUNT(occ_barriers);
    in.carveout = occ_split[i % OCC_COUNT(occ_split)][0];
    in.cache = occ_split[i % OCC_COUNT(occ_split)][1];
    i /= OCC_COUNT(occ_split);
    const int *shared = occ_shared[i % OCC_COUNT(occ_shared)];
    in.static_shared = shared[0];
    in.dynamic_shared = shared[1];
    in.max_dynamic = shared[2];
    in.opted_in = shared[3];
    in.registers = occ_registers[i / OCC_COUNT(occ_shared)];
    return in;
}

static inline uint64_t occ_mix(uint64_t sum, long long value)
{
    return (sum ^ (uint64_t)value) * UINT64_C(0x100000001b3); /* FNV-1a, by words */
}

/* The header forgets the other limits when barriers lower its result: what limits is then left out. */
static inline uint64_t occ_fold(uint64_t sum, const occ_answer *a)
{
    int forgotten = a->by_barriers >= 0 && a->by_barriers <= a->blocks;
    const long long by = a->limited_by & (forgotten ? 16 : ~0);
    const long long values[] = {a->blocks,      a->by_warps, a->by_registers,        a->by_shared,       a->by_blocks,
                                a->by_barriers, by,          a->registers_per_block, a->shared_per_block};
    for (int i = 0; i < OCC_COUNT(values); i++) sum = occ_mix(sum, values[i]);
    return sum;
}

/* Whether input i of a device and block size belongs to the sample that is written out. */
static inline int occ_sampled(int cc, int threads, int i)
{
    uint64_t h = occ_mix(occ_mix(occ_mix(UINT64_C(0xcbf29ce484222325), cc), threads), i);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return (h >> 33) % 5000 == 0;
}

#endif
