/* occupancy.h: how many blocks of a kernel are resident on a multiprocessor, and what limits them.
 *
 *   lw_occupancy_query query = {.threads = 256, .registers = 40, .carveout = LW_CARVEOUT_DEFAULT};
 *   lw_occupancy answer;
 *   lw_message message;
 *   if (lw_occupancy_of(&query, &answer, &message)) fail(message.text);
 *   printf("%u of %u warps\n", answer.warps_per_sm, answer.max_warps_per_sm);
 *
 * Source of the rules: for compute capability 3.0 and later, NVIDIA's cuda_occupancy.h (without partitioned global
 * caching); for older devices, the last version of that header that supported them. The number of active clusters is
 * calculated from the groups of multiprocessors (GPCs) in the device's profile, or estimated if the profile has none.
 *
 * Errors: functions return 0 on success. If the query is impossible on the device (1025 threads, 300 registers), they
 * return a positive number and write one sentence to *message (which may be NULL). A query that is possible but does
 * not fit (1024 threads with 65 registers each) is not an error: the answer is 0 blocks, and what limits them.
 * Threads: all functions may be called from any thread. No function prints anything or keeps state. */
#ifndef LANEWISE_OCCUPANCY_H
#define LANEWISE_OCCUPANCY_H

#include "lanewise/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* lw_occupancy_query.carveout: the preferred share of shared memory in percent, 0 to 100 (compute capability 7.0 and
 * later), or one of these values. LW_CARVEOUT_PREFER_* are the preferences of cudaFuncSetCacheConfig; devices with a
 * fixed amount of shared memory ignore them. */
#define LW_CARVEOUT_DEFAULT (-1)
#define LW_CARVEOUT_PREFER_SHARED (-2)
#define LW_CARVEOUT_PREFER_L1 (-3)
#define LW_CARVEOUT_PREFER_EQUAL (-4)

typedef struct lw_occupancy_query {
    const char *device;         /* see lw_device_find(); NULL: the default device */
    uint32_t threads;           /* per block */
    uint32_t registers;         /* per thread; 0: unknown, registers then limit nothing */
    uint32_t shared;            /* bytes per block, static and dynamic */
    uint32_t shared_per_thread; /* additional dynamic bytes for each thread of the block */
    int carveout;
    uint32_t barriers; /* per block; 0 means 1 */
    uint32_t cluster;  /* blocks per cluster; 0 or 1: no clusters */
} lw_occupancy_query;

/* The resources that can limit the number of blocks: indices of lw_occupancy.limits, and bit numbers of
 * lw_occupancy.limited_by. */
typedef enum lw_limit {
    LW_LIMIT_WARPS,
    LW_LIMIT_REGISTERS,
    LW_LIMIT_SHARED,
    LW_LIMIT_BLOCKS,
    LW_LIMIT_BARRIERS,
    LW_LIMITS,
} lw_limit;
#define LW_UNLIMITED UINT32_MAX

typedef struct lw_occupancy {
    uint32_t threads;       /* per block, as in the query */
    uint32_t blocks_per_sm; /* resident blocks; 0: such a block cannot run */
    uint32_t warps_per_sm;  /* warps of these blocks */
    uint32_t max_warps_per_sm;
    uint32_t registers_per_sm;
    uint32_t limits[LW_LIMITS];   /* blocks that each resource alone would allow, or LW_UNLIMITED */
    unsigned limited_by;          /* a set of bits 1 << lw_limit: the resources that allow no more than blocks_per_sm */
    uint64_t registers_per_block; /* allocated, rounded to the hardware's unit */
    uint64_t shared_per_block;    /* allocated bytes, including shared_reserved */
    uint64_t shared_reserved;     /* bytes per block that the driver uses itself */
    uint64_t shared_per_sm;       /* bytes of shared memory with the carve-out that is chosen for these blocks */
    bool needs_opt_in;        /* the block uses more shared memory than a kernel gets by default: it must be dynamic,
                                      and cudaFuncAttributeMaxDynamicSharedMemorySize must be set */
    uint32_t cluster;         /* blocks per cluster; 1: no clusters */
    uint32_t active_clusters; /* on the whole device at the same time; only if cluster > 1 */
    bool clusters_estimated;  /* the profile does not say which multiprocessors form a group */
    bool needs_nonportable;   /* the cluster is larger than the portable cluster size of this capability */
} lw_occupancy;

/* "warps", "registers", "shared memory", "blocks" or "barriers": a static string. */
LW_RUN_API const char *lw_limit_name(lw_limit limit);

/* Calculates one block size. Fails if the device is unknown or the query is impossible on it; *out is then unchanged.
 */
LW_RUN_API int lw_occupancy_of(const lw_occupancy_query *query, lw_occupancy *out, lw_message *message);

#define LW_OCCUPANCY_SIZES 64
/* Calculates all block sizes from one warp to the largest block, in steps of one warp. query->threads is ignored. Sets
 * *count to the number of sizes, and *best to the index of the size that cudaOccupancyMaxPotentialBlockSize suggests
 * (the largest block among those with the most resident threads), or to LW_OCCUPANCY_SIZES if no size fits. */
LW_RUN_API int lw_occupancy_sizes(const lw_occupancy_query *query, lw_occupancy out[LW_OCCUPANCY_SIZES], size_t *count,
                                  size_t *best, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
