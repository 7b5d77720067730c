/* session: the caches of the device: what stays from launch to launch, and its figures. */
#ifndef LW_TIME_SESSION_H
#define LW_TIME_SESSION_H

#include "time/caches.h"
#include "time/arrivals.h"
#include "time/table.h"

#include <pthread.h>

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
    cache_arrivals arrivals;
    cache_queue partial; /* lines of which sectors were written in part */
} cache_l2;

struct cache_session {
    device_profile device;
    uint32_t sm_count;
    uint64_t l1_bytes; /* with shared memory */
    uint64_t l2_lines; /* both partitions, all lines */
    /* Of the lines of a set those that may be dirty: of more the one that was used longest ago is written back. Measured of fills of 28
     * to 96 MiB: 30.0 MB stay behind in the 62.9 of an H200, 25.5 in the 52.4 of an H100, however long the kernel takes. */
    double dirty_share;
    uint64_t restored_lines;   /* dirty lines that a profiler's putting back leaves: 23.5 MB there, 20.6 here */
    uint64_t other_lines_left; /* of a profiler's own, those that it goes through behind what it puts back */
    double persisting_share;   /* of L2, that lines take at most which are to go last */
    uint64_t partial_lines;    /* with sectors written in part at most: those of more are completed and written back */
    bool cold;
    uint32_t launches; /* begun so far */
    /* The sample of L2: lines of this level and above. Of the past only lines of known_level and above are known: a
     * launch that needed a smaller sample kept no others. It is forgotten when as much as L2 holds came after it. */
    uint32_t level, known_level;
    uint64_t lines_since;  /* brought in since then, all lines */
    uint64_t other_lines;  /* of a profiler's own, so far */
    uint64_t used_lines;   /* that were used since it last went through its own, copies too, ... */
    uint64_t copied_lines; /* ... and of them those that the host has written */
    cache_l2 l2[CACHE_PARTITIONS];
    cache_table ages, asked;   /* room of the replays */
    pthread_mutex_t lock;      /* of what follows: launches are recorded while others are */
    struct cache_worker *idle; /* that have storage from launches before */
};

/* One that has recorded nothing yet... */
struct cache_worker *cache_session_worker(cache_session *session);
/* ... and one that is of no launch any more, as empty. */
void cache_session_idle(cache_session *session, struct cache_worker *worker);

/* The partition that a line is at home in. */
static inline uint32_t cache_home_of(uint64_t line)
{
    return (uint32_t)(cache_mix(line ^ UINT64_C(0x5bd1e995)) >> 40) % CACHE_PARTITIONS;
}

/* Prepares the caches for a launch whose sample has this level. Where what is allocated counts beside L2 a profiler has written back what
 * is dirty, and has gone through most of its own memory... put_back: lines that it then puts back. */
void cache_session_begin(cache_session *session, uint32_t level, const cache_shape *shape, uint64_t put_back);
/* ... and through the rest of it, behind what it has put back. */
void cache_session_ready(cache_session *session, const cache_shape *shape);
/* Between the two, in order of addresses: these lines were put back from a copy elsewhere in memory, which goes through L2 as
 * well; the last dirty ones have still to be written. */
void cache_session_restore(cache_session *session, uint64_t begin, uint64_t end, uint64_t dirty);

#endif
