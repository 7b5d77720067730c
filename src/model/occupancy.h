/* model: how many blocks of a kernel are resident on a multiprocessor, and what limits them. Gives NVIDIA's own
 * answer (cuda_occupancy.h; occupancy.c says of which toolkit). Active clusters are counted from the groups of
 * multiprocessors where the profile knows them, else estimated. */
#ifndef LW_MODEL_OCCUPANCY_H
#define LW_MODEL_OCCUPANCY_H

#include "device/profile.h"

#define OCCUPANCY_UNLIMITED UINT32_MAX
#define OCCUPANCY_BY_WARPS 1u
#define OCCUPANCY_BY_REGISTERS 2u
#define OCCUPANCY_BY_SHARED 4u
#define OCCUPANCY_BY_BLOCKS 8u
#define OCCUPANCY_BY_BARRIERS 16u

/* cudaFuncSetCacheConfig; what it means where shared memory and L1 are one memory. */
typedef enum occupancy_cache {
    OCCUPANCY_CACHE_NONE,
    OCCUPANCY_CACHE_SHARED,
    OCCUPANCY_CACHE_L1,
    OCCUPANCY_CACHE_EQUAL,
} occupancy_cache;

typedef struct occupancy_query {
    uint32_t threads;            /* of a block */
    uint32_t registers;          /* of a thread; 0 = not known: no limit */
    uint32_t static_shared;      /* bytes */
    uint32_t dynamic_shared;     /* bytes of the launch */
    uint32_t max_dynamic_shared; /* bytes the kernel has opted in to; used only with opted_in */
    bool opted_in;               /* false: the default limit of 48 KiB */
    int32_t carveout;            /* percent of shared memory preferred, from capability 7.0; -1 = default */
    uint32_t barriers;           /* a block uses; 0 = 1 */
    occupancy_cache cache;       /* counts where carveout says nothing */
    uint32_t shared_per_thread;  /* bytes of dynamic shared memory more for each thread of the block */
} occupancy_query;

typedef struct occupancy {
    uint32_t blocks_per_sm; /* 0: the kernel cannot be launched like this */
    uint32_t warps_per_sm;  /* resident: blocks times warps of a block */
    uint32_t limited_by;    /* OCCUPANCY_BY_... : all that give the least number */
    uint32_t by_warps, by_registers, by_shared, by_blocks, by_barriers; /* blocks each would allow */
    uint64_t registers_per_block; /* allocated: in units of a warp; before capability 2.0 of the block */
    uint64_t shared_per_block;    /* allocated: with the driver's part, rounded up */
    uint64_t shared_per_sm;       /* the carve-out chosen */
} occupancy;

/* LW_INVALID_ARGUMENT: no threads, or a carveout outside -1..100. */
lw_status model_occupancy(const device_profile *device, const occupancy_query *query, occupancy *out, lw_error *error);

/* Bytes that the driver gives to shared memory of a multiprocessor, of what it has in common with L1, from capability 7.0; 0: they are apart. out:
 * what model_occupancy() says of the query. A preference in the query is a percentage as cudaFuncAttributePreferredSharedMemoryCarveout;
 * else the driver leaves room for more blocks than are resident. Measured, of capability 9.0: tests/hw/h100-carveouts.csv. */
uint64_t model_driver_carveout(const device_profile *device, const occupancy_query *query, const occupancy *out);

/* The block size with the most resident threads, the largest of several, as cudaOccupancyMaxPotentialBlockSize does.
 * query->threads is not read. *threads is 0 if no size fits. */
lw_status model_occupancy_best(const device_profile *device, const occupancy_query *query, uint32_t *threads,
                               occupancy *out, lw_error *error);

/* Registers of a thread that can be allocated; a kernel with more has no blocks. */
uint32_t model_register_limit(const device_profile *device);

/* Clusters of size blocks resident on the device at once; exact is false where the groups of multiprocessors are not
 * known and 16 in each are assumed. 0 when clusters of that size cannot run. */
uint32_t model_active_clusters(const device_profile *device, const occupancy *o, uint32_t size, bool *exact);

#endif
