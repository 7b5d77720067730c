/* chain: blocks that wait for what other blocks hand on, one after the other: scans that pass sums from block to block, queues in order.
 * In emulation what a block waits for is there, as blocks run in order; so their polls and what these find are noted. */
#ifndef LW_TIME_CHAIN_H
#define LW_TIME_CHAIN_H

#include "event/event.h"

/* A lane has polled an address, or stored there. */
typedef struct cache_note {
    uint64_t address;
    uint32_t block;
    uint32_t number; /* in the order of its worker */
    uint32_t loads;  /* of its warp before that */
    bool polls;
    bool hands_on; /* the first store of its block there */
} cache_note;

typedef struct cache_notes {
    LW_VEC(cache_note) list;
} cache_notes;

/* The longest chain: blocks that wait for the one before, and loads of memory between what they wait for and what they hand on. */
typedef struct cache_chain {
    double links, loads;
} cache_chain;

/* Whether blocks may wait for each other in a launch: it has loads or atomics that poll. */
bool cache_chain_may(const event_launch *launch);
/* Notes an access to global memory that polls, or by which one lane stores; loads: of its warp before it. */
void cache_chain_note(cache_notes *notes, const event_memory *event, uint32_t loads);
/* Of the notes of one launch, in any order of blocks, those of a block in order of time. Words that several blocks store to are left out:
 * barriers of all blocks, locks. Reorders the notes. */
cache_chain cache_chain_of(cache_notes *notes);

#endif
