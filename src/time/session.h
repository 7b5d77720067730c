/* session: the caches of the device: what stays from launch to launch, and its figures. */
#ifndef LW_TIME_SESSION_H
#define LW_TIME_SESSION_H

#include "time/caches.h"
#include "time/ages.h"
#include "time/lru.h"

/* Entries that a launch keeps at most: of lines chosen by their hash (fewer are kept of most launches, trace.c), and of
 * whole multiprocessors, a dozen times what L1 holds or more. */
#define CACHE_HASH_BUDGET (1u << 22)
#define CACHE_FULL_BUDGET (1u << 16)

#define CACHE_PARTITIONS 2u

/* Tags of lines in the order in which they came in; a line that has gone may still stand there. */
typedef struct cache_queue {
    LW_VEC(uint64_t) tags;
    size_t begin; /* before it: taken */
} cache_queue;

/* A partition of L2, of the lines of the sample. */
typedef struct cache_l2 {
    cache_lru lines;
    cache_queue dirty;    /* lines that became dirty */
    cache_queue partial;  /* lines of which sectors were written in part */
    uint64_t dirty_count; /* lines that are dirty */
} cache_l2;

struct cache_session {
    device_profile device;
    uint32_t sm_count;
    uint64_t l1_bytes;    /* with shared memory */
    uint64_t l2_lines;    /* that it holds: both partitions, all lines */
    uint64_t all_lines;   /* that it has, of what pass after pass uses */
    uint64_t dirty_lines; /* of them dirty at most: more are written back */
    /* Dirty lines that a profiler's putting back leaves: the same share of what L2 holds for a kernel. Measured: 22.7 MB of the 60
     * of an H200, 18 of the 50 of an H100. */
    uint64_t restored_lines;
    uint64_t partial_lines; /* with sectors written in part at most: those of more are completed and written back */
    bool cold;
    double lost;       /* share of what the last launch left that a profiler's saving has driven out before this one */
    double saved;      /* the same of what the launch itself changes, before the next */
    uint32_t launches; /* begun so far */
    /* The sample of L2: lines of this level and above. Of the past only lines of known_level and above are known: a
     * launch that needed a smaller sample kept no others. It is forgotten when as much as L2 holds came after it. */
    uint32_t level, known_level;
    uint64_t lines_since; /* brought in since then, all lines */
    cache_l2 l2[CACHE_PARTITIONS];
    cache_ages ages, asked; /* room of the replays */
};

/* The partition that a line is at home in. */
static inline uint32_t cache_home_of(uint64_t line)
{
    return (uint32_t)(cache_mix(line ^ UINT64_C(0x5bd1e995)) >> 40) % CACHE_PARTITIONS;
}

/* Prepares the caches for a launch whose sample has this level. live_bytes: that are allocated. A profiler saves them before it
 * measures, if they have been written since it last did, which drives out a part of what L2 had, or all. */
void cache_session_begin(cache_session *session, uint32_t level, uint64_t live_bytes, bool written);
/* After it, in order of addresses: these lines were put back from a copy elsewhere in memory, which goes through L2 as
 * well; the last dirty ones have still to be written. */
void cache_session_restore(cache_session *session, uint64_t begin, uint64_t end, uint64_t dirty);

/* At its end: it has changed memory that a profiler saves before the next launch. What it has stored is written to memory then, and
 * driven out. Measured with 32 to 50 MB allocated: a launch that reads what the one before has written reads it from memory (sums of a
 * matrix that was just made, digits of keys just sorted: 95 to 100 %), not what neither has written (weights of a step). */
void cache_session_save_changed(cache_session *session);

#endif
