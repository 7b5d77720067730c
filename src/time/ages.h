/* ages: when a line was last accessed by whom. Grows as it must, and keeps its storage from launch to launch: fresh pages
 * of the host cost more than what is done with them. */
#ifndef LW_TIME_AGES_H
#define LW_TIME_AGES_H

#include "base/base.h"

/* Of a line. */
typedef struct cache_rewrite {
    uint32_t
        stored; /* when a store last found it, as in cache_age.stored_time, + 1; 0: there was none, or the last found it gone */
    uint32_t insn;   /* that store */
    uint32_t filled; /* when a load last brought it, + 1 */
    bool loaded;     /* since that store */
} cache_rewrite;

/* A line and two multiprocessors that share a way to L2. Times: the low 32 bits of the replay's. */
typedef struct cache_age {
    uint64_t key;                 /* of the line and the pair; never 0 */
    uint32_t epoch;               /* of the table when it was made: an item of another epoch is a free place */
    uint32_t time[2];             /* that each of the two accessed it */
    uint32_t asked_time;          /* that one of them asked L2 for it */
    uint8_t valid[2], touched[2]; /* sectors that the L1 of each has, as in cache_line */
    uint8_t asked;                /* sectors that were asked for then, */
    uint8_t asking, joined;       /* by how many requests, and loads that have joined one of these */
    uint8_t turned[2],
        ahead
            [2]; /* sectors that stores of a turn of warps have written, and by how much the last was behind stored_time */
    uint32_t stored[2];      /* words that each has written by then, at stored_time, by stores in a row */
    uint32_t stored_time[2]; /* in memory instructions of its block */
    uint32_t stored_insn[2]; /* the last of them */
    cache_rewrite rewrite[2];
} cache_age;

typedef struct cache_ages {
    cache_age *items; /* hash table, linear probing */
    size_t mask, count;
    uint32_t epoch;
} cache_ages;

void cache_ages_free(cache_ages *a);
void cache_ages_clear(cache_ages *a); /* its storage stays */
/* A new one has key, and 0 in all else. Valid until the next call. */
cache_age *cache_ages_get(cache_ages *a, uint64_t key);

#endif
