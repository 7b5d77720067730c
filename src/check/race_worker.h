/* race_worker: what racecheck holds of one launch, and of one host thread of it. Workers share nothing: each has a shadow
 * of the global memory that its blocks accessed, and these are compared when the launch ends. */
#ifndef LW_CHECK_RACE_WORKER_H
#define LW_CHECK_RACE_WORKER_H

#include "check/race_block.h"
#include "check/race_found.h"
#include "check/race_values.h"

/* Device heap of one launch: what was allocated after something had been freed may have been somebody else's before. */
typedef struct race_range {
    uint64_t address, bytes;
} race_range;

typedef struct race_heap {
    pthread_mutex_t lock; /* any worker allocates */
    bool freed;
    LW_VEC(race_range) again;
} race_heap;

typedef struct race_launch {
    struct race_session *session;
    const event_launch *launch;
    shadow_pool *pool;        /* the session's */
    race_values_pool *values; /* the same */
    bool orders_blocks;       /* some instruction releases or acquires beyond its block: one worker runs all */
    bool orders;              /* some instruction releases or acquires */
    bool polls;               /* some instruction reads what other blocks write with relaxed or volatile order */
    race_heap heap;
    race_found found;
    struct race_worker *first; /* the worker that the others are merged into; NULL: none yet */
} race_launch;

/* One side of an asynchronous copy that is under way, of the lanes that have not waited for it. */
typedef struct race_async {
    uint32_t block, number, warp, mask, insn;
    bool is_write, is_bulk;
    uint8_t space;
    uint32_t bytes;
    uint64_t address[32];
} race_async;

/* Of a cluster barrier. */
typedef struct race_cluster {
    struct race_cluster *next;
    uint32_t index;
    race_know *arriving, *released;
} race_cluster;

enum { RACE_BUCKETS = 64 };

typedef struct race_worker {
    race_launch *launch;
    race_block *bucket[RACE_BUCKETS]; /* resident blocks, by number */
    race_block *current;              /* looked up last */
    race_block *idle;                 /* room of blocks that ended */
    race_cluster *clusters;
    shadow_memory global;
    race_values *values; /* of global memory; NULL: none yet */
    race_flags flags;    /* words of global memory */
    race_found found;
    LW_VEC(race_async) asyncs;
    LW_VEC(race_block *) all; /* to free */
} race_worker;

void race_heap_note(race_heap *h, const event_host *e);
bool race_heap_again(race_heap *h, uint64_t address);

race_worker *race_worker_new(race_launch *launch);
void race_worker_free(race_worker *k);
race_block *race_worker_block(race_worker *k, uint32_t block, uint32_t cluster);
race_block *race_worker_rank(race_worker *k, uint32_t cluster, uint32_t rank); /* NULL: it has exited */
void race_worker_block_exit(race_worker *k, race_block *b);
race_cluster *race_worker_cluster(race_worker *k, uint32_t index);

void race_grow_shared(race_block *b, uint32_t line);
static inline shadow_line *race_shared_line(race_block *b, uint64_t address)
{
    uint32_t line = (uint32_t)(address / SHADOW_LINE);
    if (__builtin_expect(line >= b->shared_lines, 0)) race_grow_shared(b, line);
    return &b->shared[line];
}
/* What the blocks stored to global memory. */
static inline race_values *race_worker_values(race_worker *k)
{
    if (__builtin_expect(!k->values, 0)) k->values = race_values_take(k->launch->values);
    return k->values;
}
void race_worker_forget_values(race_worker *k); /* gives their room back */
/* The line of an address as events give it; NULL: not watched. */
shadow_line *race_line(race_worker *k, race_block *b, event_space space, uint64_t address);

#endif
