/* l2: the two partitions of L2 and what they move from and to DRAM.
 *
 * Each line has a home in one partition. Loads go to the partition of their multiprocessor; what is not there is copied from
 * the home, which reads DRAM. Stores and atomics act at the home, and drop the other partition's copy. */
#ifndef LW_TIME_L2_H
#define LW_TIME_L2_H

#include "time/session.h"

typedef struct cache_access {
    uint64_t line, now;
    uint32_t sectors, words;
    uint32_t counted;   /* of a store: sectors that did not leave L1 together with earlier ones */
    uint32_t partition; /* of the multiprocessor */
    uint32_t insn;
    uint8_t eviction; /* event_eviction */
    bool spread;      /* of a store: it is of many lines */
    bool placed; /* its block runs on the same multiprocessor in every pass of a profiler: it is of the first wave */
} cache_access;

/* What L2 does is added to sites[]. */
typedef struct cache_l2_use {
    cache_session *session;
    cache_site *sites;
    /* Lines that were not there, or were from before this launch: of those whose past is known, and of the others. */
    double known_there, known_not, other_there, other_not;
    double lines, stored_lines; /* of the sample that the launch has touched, copies too; that it has written */
} cache_l2_use;

void cache_l2_load(cache_l2_use *use, const cache_access *access);
void cache_l2_store(cache_l2_use *use, const cache_access *access);
void cache_l2_atomic(cache_l2_use *use, const cache_access *access);

/* Behind the last access of the launch. waves: its blocks do not all run at once. */
void cache_l2_end(cache_l2_use *use, uint32_t sites, double changed_lines, bool waves);

#endif
