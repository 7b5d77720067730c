/* trace: what the blocks of a launch accessed, as far as the sample keeps it. */
#ifndef LW_TIME_TRACE_H
#define LW_TIME_TRACE_H

#include "time/caches.h"
#include "time/chain.h"
#include "time/hot.h"
#include "time/lru.h"

#include <pthread.h>

/* How an access treats the caches. */
typedef enum cache_kind {
    CACHE_LOAD,    /* through L1 */
    CACHE_LOAD_L2, /* past L1: ld.cg, cp.async.cg, bulk copies, volatile */
    CACHE_STORE,
    CACHE_ATOMIC, /* atomics and reductions: in L2 */
} cache_kind;

#define CACHE_L1_CLEARED                                                                                               \
    0 /* as the line of an entry: the multiprocessor drops what its L1 has; every sample keeps it */
#define CACHE_LOCAL_LINE                                                                                               \
    (UINT64_C(1) << 41) /* and above: lines of local memory; device addresses have at most 48 bits */

/* How many lines an access has. */
typedef enum cache_reach {
    CACHE_CLOSE,  /* up to CACHE_VERY_FEW_LINES */
    CACHE_NEAR,   /* up to CACHE_FEW_LINES */
    CACHE_SPREAD, /* up to CACHE_SOME_LINES */
    CACHE_WIDE    /* more */
} cache_reach;

/* One line of one memory instruction of a warp. */
typedef struct cache_entry {
    uint64_t line : 42; /* address >> CACHE_LINE_SHIFT, or in local memory */
    uint64_t kind : 2;  /* cache_kind */
    uint64_t insn : 19;
    uint64_t released : 1; /* its warp has left a barrier, and loaded nothing from memory since then */
    uint32_t time : 24;    /* memory instructions of its warp before it, as in cache_warp */
    uint32_t narrow : 1;   /* its lanes access less than a word each, of CACHE_VERY_FEW_LINES */
    uint32_t first : 1;    /* line of its access */
    uint32_t reach : 2;    /* cache_reach of its access */
    uint32_t looped : 1;   /* its warp has carried out memory instructions again */
    uint32_t
        unloaded : 1; /* of more lines than CACHE_VERY_FEW_LINES, of a warp that has loaded nothing: it goes abreast */
    uint32_t
        row : 1; /* since its warp last stored it has carried out but few loads, which may go before that: ld.global.nc */
    uint32_t abreast : 1; /* ... released, and fetched but little from shared memory since then */
    uint32_t words;       /* bit w: bytes 4 w to 4 w + 3 of the line, or some of them */
} cache_entry;

/* The line to reckon with: GCC does so in as many bits as a bit-field has, Clang in 64. */
static inline uint64_t cache_line_of(const cache_entry *e) { return e->line; }
static inline bool cache_is_close(const cache_entry *e) { return e->reach <= CACHE_CLOSE; }
static inline bool cache_is_spread(const cache_entry *e) { return e->reach >= CACHE_SPREAD; }
static inline bool cache_is_wide(const cache_entry *e) { return e->reach >= CACHE_WIDE; }

/* Memory instructions that a warp carries out before the next warp of its block, as they are replayed: loads that hit take a small part of
 * the time of those that miss, so a warp whose lines are there runs ahead. */
#define CACHE_TURN 16u
#define CACHE_TIME_MAX ((1u << 24) - 1)
#define CACHE_FEW_FETCHES 4u /* from shared memory behind a barrier, with which warps still go abreast */
#define CACHE_ROW_LOADS 2u   /* between stores that leave L1 together */
#define CACHE_VERY_FEW_LINES 4u
#define CACHE_FEW_LINES 8u
#define CACHE_SOME_LINES 16u

/* Consecutive entries of one block, as one worker recorded them. */
typedef struct cache_segment {
    uint32_t block;
    uint32_t begin, count; /* in the entries of the worker */
} cache_segment;

/* ---- the sample ----
 * An entry is kept if its line is of a level or its place of a rank that is still wanted. When too many are kept, the
 * least level or rank that is wanted goes up. Both are properties of the entry alone, and what one worker keeps is never
 * more than what all keep: so in the end a level and a rank follow from the launch, however many workers there were. */
#define CACHE_INSNS (1u << 19) /* instructions that have results of their own */
#define CACHE_RANKS 48
#define CACHE_NO_RANK UINT32_MAX /* its multiprocessor is never kept whole */

/* What has to be wanted for a line to be kept, and how many of those entries there are. */
typedef struct cache_sample {
    uint32_t level, rank;            /* the least that are kept */
    uint64_t hashed, whole;          /* entries kept by level; by rank */
    uint64_t lines;                  /* that instructions touched, kept or not */
    uint64_t at_level[CACHE_LEVELS]; /* of the levels that are kept */
    uint64_t at_rank[CACHE_RANKS];
} cache_sample;

/* A warp of a block that has begun and not ended. */
typedef struct cache_warp {
    uint32_t
        time; /* its memory instructions so far. A barrier sets those of all warps of the block to the highest: warps that
                       * waited for others are not ahead of them */
    uint32_t insn; /* the last of them, + 1 */
    bool looped;   /* it has come to one again */
    bool loaded;   /* one of them is a load */
    bool stored;   /* the last of them is a store */
    bool released; /* from a barrier, and since then it has not loaded from memory */
    uint8_t
        hoisted; /* 1, and the loads since its last store that may go before it; 0: no store, more loads, or others */
    uint32_t loads;     /* of memory, so far */
    uint64_t stored_at; /* address of the first lane of its last store */
    uint8_t fetched;    /* of shared memory, since then: instructions, up to one more than CACHE_FEW_FETCHES */
} cache_warp;

/* Loads of an instruction that orders others. */
typedef struct cache_polls {
    uint64_t taken, left_out;
} cache_polls;

/* Lines that an instruction stores to, and those of them that the next warp does not find, as in banks.h. */
typedef struct cache_gone {
    uint64_t lines, next; /* right behind it, ... */
    uint64_t next_but_one;
} cache_gone;

/* Shares of them. */
typedef struct cache_share {
    double next, next_but_one;
} cache_share;

typedef struct cache_worker {
    cache_launch *launch;
    struct cache_worker *next;
    LW_VEC(cache_entry) entries;
    LW_VEC(cache_segment) segments;
    cache_sample sample;
    uint64_t check_at; /* entries kept by level from which on cache_sample_limit() is asked */
    uint32_t drop;     /* lines are kept whose hash has none of these bits */
    /* of the event that is being recorded */
    cache_entry entry;               /* as which its entries are, but for their lines */
    bool whole;                      /* all its lines are kept */
    bool loop_barriers;              /* warps have waited at one after they had carried out memory instructions again */
    uint64_t loop_loads, loop_bytes; /* such loads, and their bytes of a lane */
    uint64_t loop_others;            /* such stores and atomics */
    uint64_t stored_lines;           /* of all stores */
    uint64_t fetched;                /* from shared memory: words of a lane */
    /* of the block of the last event */
    uint32_t block;
    cache_warp *warps;       /* its warps */
    uint32_t place;          /* of its entries if no limit of time drops them: a rank, or CACHE_NO_RANK */
    uint64_t local;          /* line of local memory of the block's first warp */
    const event_insn *hints; /* the kernel's instructions, if one says how long a line is to be kept */
    bool seen, strong;       /* the kernel has been looked at; it has accesses that order others */
    cache_polls *polls;      /* per instruction, if it has */
    cache_gone *gone;        /* per instruction, of some stores of many lines; NULL: none yet */
    bool may_chain;          /* blocks may wait for each other: their notes */
    cache_notes notes;
    cache_hot_counts *hot;
    cache_hot_wave wave; /* of the block */
    bool banks;          /* where stores of the block lie is looked at */
    bool simple;         /* of its accesses nothing is to be noted but what the sample keeps */
} cache_worker;

/* Whole lines of memory: line numbers, end excluded. */
typedef struct cache_range {
    uint64_t begin, end;
    bool stored; /* the launch has changed something there, or, of managed memory, has stored to it */
} cache_range;

struct cache_launch {
    cache_session *session;
    cache_shape shape;
    pthread_mutex_t lock;
    cache_worker *workers;
    cache_warp **warps;    /* per block that has begun and not ended */
    uint32_t *block_time;  /* per block: the highest of its warps at its end */
    uint64_t instructions; /* of all warps; 0: not known */
    double stored_lines;   /* lines of all stores */
    cache_site *sites;
    double turns, turn_lines;     /* as in cache_hot */
    LW_VEC(cache_range) put_back; /* by a profiler, where stored; by address */
    bool managed;                 /* some of it is managed memory */
};

/* No more comes of a block. */
void cache_block_end(cache_launch *launch, uint32_t block);
/* Of the lines that an instruction stores to; 0: it has stored to few lines only. Once all workers have ended. */
cache_share cache_share_gone(const cache_launch *launch, uint32_t insn);

/* The rank of a block: how far the sample of multiprocessors may shrink until it is dropped... */
uint32_t cache_block_rank(const cache_launch *launch, uint32_t block);
/* ... of an entry of it... */
uint32_t cache_rank_of(uint32_t block_rank, uint32_t time);
/* ... and of what the multiprocessor that is kept whole for longest does in a round, whether it has a block then or not. */
uint32_t cache_usual_rank(const cache_launch *launch, uint64_t round, uint32_t time);
/* Raises level and rank as the number of lines asks for, and until the counts are within the budgets. */
void cache_sample_limit(cache_sample *sample, const cache_shape *shape);

#endif
