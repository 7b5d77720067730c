/* ages: when a line was last accessed by whom, as items of a table. */
#ifndef LW_TIME_AGES_H
#define LW_TIME_AGES_H

#include <stdbool.h>
#include <stdint.h>

/* Of a line. */
typedef struct cache_rewrite {
    uint32_t
        stored; /* when a store last found it, as in cache_age.stored_time, + 1; 0: there was none, or the last found it gone */
    uint32_t insn;   /* that store */
    uint32_t filled; /* when a load last brought it, + 1 */
    bool loaded;     /* since that store */
    uint8_t own;     /* sectors all of whose words had been stored before the last access */
} cache_rewrite;

/* A line and two multiprocessors that share a way to L2. Times: the low 32 bits of the replay's. */
typedef struct cache_age {
    uint64_t key;                 /* of the line and the pair */
    uint32_t time[2];             /* that each of the two accessed it */
    uint8_t valid[2], touched[2]; /* sectors that the L1 of each has, as in cache_line */
    uint32_t words[2];            /* that stores have written there */
    uint8_t turned[2],
        ahead
            [2]; /* sectors that stores of a turn of warps have written, and by how much the last was behind stored_time */
    uint32_t stored[2];      /* words that each has written by then, at stored_time, by stores in a row */
    uint32_t stored_time[2]; /* in memory instructions of its block */
    uint32_t stored_insn[2]; /* the last of them */
    uint32_t storer[2];      /* its block */
    bool shared[2];          /* blocks store there one right behind the other */
    cache_rewrite rewrite[2];
} cache_age;

/* What multiprocessors of a cluster ask L2 for. */
typedef struct cache_asked {
    uint64_t key;            /* of the line and the cluster */
    uint32_t time;           /* that one of them last did, as in cache_age */
    uint8_t sectors;         /* then, */
    uint8_t requests, joins; /* by how many requests, and loads that have joined one of these */
} cache_asked;

#endif
