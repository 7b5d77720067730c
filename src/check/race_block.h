/* race_block: the blocks that run, and what orders the accesses of their threads.
 *
 * While a block uses nothing but barriers of all its threads, (B, S) is the whole clock: accesses with another B are
 * ordered, within a warp those with another S. What orders less (barriers of some warps or lanes, mbarriers, clusters,
 * fences with flags) is in what each lane knows (race_know.h). */
#ifndef LW_CHECK_RACE_BLOCK_H
#define LW_CHECK_RACE_BLOCK_H

#include "check/race_flags.h"
#include "check/race_know.h"
#include "check/race_shadow.h"
#include "event/event.h"

/* A synchronisation that a warp went through (race_steps.h). */
enum { RACE_PASSED = 8 };
typedef struct race_passed {
    uint32_t insn;
    uint32_t b; /* clock of its last access before it */
    uint16_t s;
    uint8_t kind; /* race_step_kind */
} race_passed;

typedef struct race_warp {
    uint32_t live;
    uint16_t s;             /* 1 at least */
    uint16_t hard;          /* accesses with a lower S are ordered by more than collectives */
    bool dirty;             /* has accessed memory with this S */
    bool partial;           /* lanes know different things of each other: lanes[], not S, says what is ordered */
    uint16_t proxy_s;       /* s at the last fence.proxy.async of the block, by any warp */
    bool knows;             /* some know[], pending[] or fence[] is not NULL */
    uint16_t (*lanes)[32];  /* lanes[l][m]: accesses of lane m with an S up to this happened before those of lane l */
    race_know *know[32];    /* NULL: nothing */
    race_know *pending[32]; /* known once a fence or a barrier follows: a relaxed read saw a release */
    race_know *fence[32];   /* what the lane's next strong write releases */
    uint8_t fence_scope[32];
    race_passed passed[RACE_PASSED]; /* a ring */
    uint32_t passed_count;           /* ever */
} race_warp;

typedef struct race_arrival {
    uint32_t warp, mask;
} race_arrival;

/* One of the 16 barriers, in its current round. */
typedef struct race_barrier {
    uint32_t threads; /* that have arrived and wait */
    bool leaves;      /* somebody has arrived and not waited */
    race_know *left;  /* what those released */
    LW_VEC(race_arrival) waiting;
} race_barrier;

typedef struct race_block {
    struct race_block *next; /* of its bucket */
    uint32_t linear, cluster, owner;
    uint32_t b;       /* 1 at least; slots hold it modulo RACE_B_MASK */
    uint32_t proxy_b; /* b at the last fence.proxy.async; 0: there was none */
    uint32_t live_threads, warps;
    race_warp *warp;
    race_barrier barrier[32]; /* the named ones, and those of warpgroups behind them */
    race_flags flags;         /* words of shared memory that threads of the cluster synchronise by */
    race_flags mbarriers;     /* objects in its shared memory: a: of the current phase; b, c: of the last by parity */
    uint16_t landed[32];      /* copies on them, by lane of a clock (race_landed) */
    uint32_t rank;            /* in its cluster */
    shadow_line *shared;      /* its shared memory */
    uint32_t shared_lines;
    uint8_t *values;       /* what stores wrote there last (race_values.h) */
    shadow_memory *memory; /* the lines' units */
} race_block;

static inline uint32_t race_b_of(const race_block *b) { return (b->b - 1) % (uint32_t)RACE_B_MASK + 1; }

/* What accesses of all lanes up to now, and what they know, makes known: of the lanes of mask. The caller drops it.
 * Accesses from now on are not part of it. */
race_know *race_release(race_block *b, race_warp *w, uint32_t mask);
/* What all threads of the block know together; the caller drops it. */
race_know *race_block_knows(race_block *b);
void race_acquire(race_warp *w, uint32_t mask, const race_know *what);

void race_block_begin(race_block *b, const event_launch *launch, uint32_t linear, uint32_t cluster);
void race_block_end(race_block *b); /* frees what it holds, not its warps' and lines' room */

/* Events of one block. */
void race_on_arrive(race_block *b, const event_sync *e);
void race_on_release(race_block *b, const event_sync *e);
void race_on_warp_sync(race_block *b, const event_sync *e);
void race_on_fence(race_block *b, const event_sync *e);
/* Has any thread of the block executed fence.proxy.async since it made this write, or about then? By the slot alone the order within
 * one S cannot be told: then yes. */
bool race_is_fenced(const race_block *b, race_slot write);
void race_on_lanes_exit(race_block *b, const event_sync *e);

#endif
