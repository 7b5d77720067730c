/* race_know: what a thread knows of others: whose accesses, up to when, happened before what it does now (a vector clock
 * over blocks, in each over threads). Values are shared and counted; who changes one that others hold too gets a copy. */
#ifndef LW_CHECK_RACE_KNOW_H
#define LW_CHECK_RACE_KNOW_H

#include "check/race_slot.h"

/* Of the threads of some warps of one block: their accesses with an S up to s[warp - first][lane]. */
typedef struct race_clock {
    uint32_t refs;
    uint16_t first, count; /* warps */
    uint16_t s[][32];
} race_clock;

typedef struct race_entry {
    uint32_t block;
    uint32_t b;         /* everything of the block with a lower B, */
    race_clock *detail; /* and of this B what it says; NULL: nothing */
} race_entry;

typedef struct race_know {
    uint32_t refs;
    LW_VEC(race_entry) entries; /* in order of blocks */
} race_know;

race_clock *race_clock_new(uint32_t first, uint32_t count);
void race_clock_drop(race_clock *c); /* NULL is nothing */

race_know *race_know_hold(race_know *k); /* NULL stays NULL */
void race_know_drop(race_know *k);
void race_know_join(race_know **into, const race_know *from);
/* One block's entry; detail may be NULL and stays the caller's. */
void race_know_join_entry(race_know **into, uint32_t block, uint32_t b, const race_clock *detail);
/* Whether it has the access of a thread of a block at (b, s); lane 32: that of all lanes of the warp. */
bool race_know_has(const race_know *k, uint32_t block, uint32_t b, uint32_t s, uint32_t warp, uint32_t lane);
/* Copies that have landed in the shared memory of a block: numbered, by mbarrier (race_landed). */
void race_know_join_copy(race_know **into, uint32_t block, uint32_t number, uint32_t lane);
bool race_know_has_copy(const race_know *k, uint32_t block, race_slot landed);
/* Whether it has anything of the block. */
bool race_know_names(const race_know *k, uint32_t block);

#endif
