/* turns: loads of a line that a store of another block is on its way from. They wait until L2 has it, and the stores that follow them are
 * waited for in turn: blocks of a multiprocessor that change the same line go one after the other. */
#ifndef LW_TIME_TURNS_H
#define LW_TIME_TURNS_H

#include "time/trace.h"

/* A line of L1. */
typedef struct cache_turn {
    uint64_t line;
    uint64_t stored_at; /* when a warp stored last; warps are not replayed in order of time */
    uint32_t storer;    /* its block, + 1 */
    uint32_t pending;   /* stores that no load has waited for */
    uint32_t waited;    /* loads that have waited for one */
} cache_turn;

/* Of a multiprocessor. */
typedef struct cache_turns {
    cache_turn *places;             /* per place of a line in its L1 */
    uint32_t most;                  /* loads of one line that have waited */
    uint64_t lines;                 /* of all loads those that have waited, */
    uint64_t loads;                 /* and the loads */
    uint64_t last_time;             /* of the last of them, */
    uint32_t last_insn, last_block; /* and what it was */
} cache_turns;

/* What accesses the line at this place; time: when its warp does, in memory instructions. */
void cache_turns_note(cache_turns *turns, size_t place, const cache_entry *entry, uint32_t block, uint64_t time);

#endif
