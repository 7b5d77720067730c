/* occupancy.h: how many blocks of a kernel are resident on a multiprocessor of a device, and what limits them. From
 * capability 3.0 on the answers are those of NVIDIA's cuda_occupancy.h (without partitioned global caching); before, of
 * the last such header that knew those devices. Active clusters come from the groups of multiprocessors that a
 * device's profile names, else they are estimated.
 *
 *   lw_occupancy_query query = {.threads = 256, .registers = 40, .carveout = LW_CARVEOUT_DEFAULT};
 *   lw_occupancy answer;
 *   lw_message message;
 *   if (lw_occupancy_of(&query, &answer, &message)) fail(message.text);
 *   printf("%u of %u warps\n", answer.warps_per_sm, answer.max_warps_per_sm);
 *
 * Functions return 0, or a positive number when the input is impossible on the device (1025 threads, 300 registers) and
 * then fill *message (NULL allowed) with a sentence. An input that is possible by itself and still does not fit (1024
 * threads of 65 registers) is an answer: 0 blocks, and what limits. Nothing here prints or keeps anything; everything
 * may be called from any thread. */
#ifndef LANEWISE_OCCUPANCY_H
#define LANEWISE_OCCUPANCY_H

#include "lanewise/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* lw_occupancy_query.carveout: percent of shared memory preferred (0..100; from capability 7.0 on), or one of these.
 * The preferences are those of cudaFuncSetCacheConfig; devices whose shared memory is fixed ignore them. */
#define LW_CARVEOUT_DEFAULT (-1)
#define LW_CARVEOUT_PREFER_SHARED (-2)
#define LW_CARVEOUT_PREFER_L1 (-3)
#define LW_CARVEOUT_PREFER_EQUAL (-4)

typedef struct lw_occupancy_query {
    const char *device;         /* as lw_device_find takes it; NULL: the default device */
    uint32_t threads;           /* of a block */
    uint32_t registers;         /* of a thread; 0: not known, they limit nothing */
    uint32_t shared;            /* bytes of a block, static and dynamic */
    uint32_t shared_per_thread; /* bytes more for each thread of the block, dynamic */
    int carveout;
    uint32_t barriers; /* a block uses; 0: 1 */
    uint32_t cluster;  /* blocks of a cluster; 0 and 1: no clusters */
} lw_occupancy_query;

/* What limits: bits of lw_occupancy.limited_by, indices of lw_occupancy.limits. */
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
    uint32_t threads;       /* of the block asked about */
    uint32_t blocks_per_sm; /* resident; 0: such a block cannot run */
    uint32_t warps_per_sm;  /* of these blocks */
    uint32_t max_warps_per_sm;
    uint32_t registers_per_sm;
    uint32_t limits[LW_LIMITS];   /* blocks each resource would allow, or LW_UNLIMITED */
    unsigned limited_by;          /* bit 1 << limit: all that allow no more than blocks_per_sm */
    uint64_t registers_per_block; /* allocated, in units of the hardware */
    uint64_t shared_per_block;    /* bytes allocated, with what the driver takes */
    uint64_t shared_reserved;     /* bytes the driver takes of them */
    uint64_t shared_per_sm;       /* bytes, as the carve-out is set for these blocks */
    bool needs_opt_in;            /* more shared memory than a kernel has without asking: it must be dynamic, and
                                      cudaFuncAttributeMaxDynamicSharedMemorySize set */
    uint32_t cluster;             /* blocks of a cluster; 1: none */
    uint32_t active_clusters;     /* on the whole device at once, if cluster > 1 */
    bool clusters_estimated;      /* the profile does not say which multiprocessors belong together */
    bool needs_nonportable;       /* the cluster is larger than every device of this capability takes */
} lw_occupancy;

/* "warps", "registers", "shared memory", "blocks", "barriers"; it lives for ever. */
LW_RUN_API const char *lw_limit_name(lw_limit limit);

/* Fails if the device is unknown or the query impossible on it; *out is then not written. */
LW_RUN_API int lw_occupancy_of(const lw_occupancy_query *query, lw_occupancy *out, lw_message *message);

#define LW_OCCUPANCY_SIZES 64
/* Every block size from one warp to the most a block has, in steps of a warp; query->threads is not read. *best: index
 * of the size that cudaOccupancyMaxPotentialBlockSize suggests (most resident threads, the largest such block), or
 * LW_OCCUPANCY_SIZES if none fits. */
LW_RUN_API int lw_occupancy_sizes(const lw_occupancy_query *query, lw_occupancy out[LW_OCCUPANCY_SIZES], size_t *count,
                                  size_t *best, lw_message *message);

#ifdef __cplusplus
}
#endif

#endif
