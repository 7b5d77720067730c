/* stores: which stores find their line in L1, and which leave it together. */
#ifndef LW_TIME_STORES_H
#define LW_TIME_STORES_H

#include "time/ages.h"
#include "time/lru.h"
#include "time/trace.h"
#include "time/watch.h"

/* Memory instructions of which stores to a line are told apart: within a turn of a warp they are not in order of time. */
#define CACHE_STORE_TIMES 4u

/* Stores to a line of L1, of the last memory instructions that stored there. */
typedef struct cache_stores {
    uint64_t line;
    uint32_t at[CACHE_STORE_TIMES];    /* time, + 1; 0: none */
    uint8_t count[CACHE_STORE_TIMES];  /* that have come */
    uint8_t before[CACHE_STORE_TIMES]; /* sectors that were touched when the first did */
    cache_rewrite rewrite;
} cache_stores;

/* What a store accesses of a line. */
typedef struct cache_store {
    const cache_launch *launch;
    const cache_entry *entry;
    uint32_t sectors;
    uint32_t time; /* when its warp stores, in memory instructions */
    uint32_t block;
    uint32_t lines; /* in L1 of the multiprocessor that is kept whole for longest */
    uint32_t wave;  /* of blocks, that its block is of */
    double
        stands; /* waves that this one stands for: of a launch of many only the first ones are kept of a whole multiprocessor */
    uint64_t now;             /* of the replay */
    const cache_watch *watch; /* loads so far */
    cache_share gone;         /* of the lines of its instruction */
    uint8_t *mates;           /* the most that have come to a line at the same time, of its instruction */
} cache_store;

/* Notes a store to a line that L1 has now, or had before. true: others have come at the same time, and it finds none yet. */
bool cache_store_races(cache_stores *s, const cache_line *line, const cache_store *store);

/* Notes a store; time: as in cache_store. true: the warp's last one to the line is on its way, so that this does not find it, nor does a load
 * behind it. */
bool cache_store_again(cache_rewrite *rewrite, const cache_entry *store, uint32_t time);

/* The sectors of a store that go to L2 by themselves; which: of the two multiprocessors of the age. */
uint32_t cache_store_leaves(cache_age *age, uint32_t which, const cache_store *store);

#endif
