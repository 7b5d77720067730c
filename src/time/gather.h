/* gather: what workers recorded of a launch, put together. */
#ifndef LW_TIME_GATHER_H
#define LW_TIME_GATHER_H

#include "time/trace.h"

/* The entries of a block. */
typedef struct cache_piece {
    uint32_t block, count;
    cache_entry *entries;
} cache_piece;

typedef struct cache_record {
    uint32_t level, rank;       /* the least that are kept */
    LW_VEC(cache_piece) pieces; /* in order of blocks */
    cache_entry *entries;       /* of blocks that workers recorded in several pieces */
    double kept;                /* share of the accesses of the multiprocessor that is kept whole for longest */
    bool barriers;              /* warps wait at one in their loops */
    uint64_t lines,
        fetched; /* that instructions touched; words that warps have fetched from shared memory, of a lane */
    bool paced;  /* the older a block, the faster it goes, if multiprocessors are busy */
} cache_record;

/* Into *record, which is empty; its caller frees it, before the launch, whose workers' entries it changes. */
void cache_gather(cache_record *record, cache_launch *launch);
void cache_record_free(cache_record *record);

/* Whether the entry is of a multiprocessor that is simulated exactly, and still is then; block_rank: as in trace.h. */
bool cache_is_whole(const cache_record *record, uint32_t block_rank, const cache_entry *e);

#endif
