/* time_block: what a warp waits for in a basic block: chains of results, and loads that are under way together (time_block.c). */
#ifndef LW_HOST_TIME_BLOCK_PRIV_H
#define LW_HOST_TIME_BLOCK_PRIV_H

#include "code/code.h"
#include "device/profile.h"
#include "host/time_waits_priv.h"
#include "time/caches.h"
#include "time/time.h"

/* How many loads of the block one behind the other a register's value comes from. */
typedef struct chain {
    uint32_t block; /* + 1; of another block: none */
    uint32_t loads;
    double ready; /* cycles from the begin of the block on */
} chain;

/* Places at one register's address (-1: there are none), from and to which bytes behind it. */
typedef struct place_range {
    int32_t reg;
    int64_t from, to;
} place_range;

/* The basic block that is being looked at. */
typedef struct block_waits {
    const ptx_function *function;
    chain *chains;       /* per register of the function */
    host_loops loops;    /* of the function */
    uint32_t block, now; /* where it began, and the basic block that is looked at: others have been joined to it */
    const ptx_insn *first;
    const ptx_insn *through; /* what begins up to here is joined: a branch over it becomes guards */
    double guarded;    /* how often that branch was executed: as often as the instructions that it became guards of */
    uint32_t loads;    /* the longest chain so far */
    uint32_t floor;    /* loads from here on cannot go before so many: they stand behind a store or a barrier */
    uint32_t branched; /* the same, behind a sequence that has a branch of its own: not even those of constant memory */
    uint32_t count;    /* registers that loads fill */
    uint32_t together; /* those of the wait */
    uint32_t most;     /* host_together_most() */
    double shared;     /* how often something was loaded from shared memory; what follows each other waits once */
    bool ordered;      /* whether something keeps what comes behind it behind it */
    /* Stores at one register's address (-1: there are none) and the bytes behind it up to which they reach: loads at the same register's
     * address and other bytes can go before them. */
    place_range stores;
    uint32_t before_stores; /* floor, but for those stores */
    /* When the last store to shared memory began (or barrier), and the same of these stores: loads of shared memory come behind it. */
    double shared_held;
    place_range shared_stores;
    bool stored;               /* to memory that others see, since the last fence */
    double serial;             /* when the last sequence that has a branch of its own ended */
    double ready, runs, issue; /* the last result; how often the block was executed, and its instructions in sum */
    double accesses;           /* of these those of memory */
    double fetches;            /* of these loads of shared memory */
    double path;               /* cycles until the last result, times how often they pass */
    double branches;           /* that were executed at its end */
    /* The wait for the loads since the last one: how often, and the chance that all of them are in L1; in L1 or L2. */
    double times, in_l1, in_l2;
    /* How often a warp of the mean came by the last of what each executes at most once; and at most by what comes behind it, in loops. */
    double entered, turns;
    double outside; /* entered, the last time that it was not in a loop */
    bool even;      /* whether all warps wait for them as often */
    /* Of its last loads that have one register in their addresses: it (-1: none), and the chance that one misses L1; L1 and L2. */
    int32_t base;
    int64_t offset; /* of the last of them */
    double base_missed, base_beyond;
    /* The same of asynchronous copies that nobody has waited for yet. */
    double copies_missed, copies_beyond;
} block_waits;

/* Registers that loads which wait together fill: more are seldom there. */
uint32_t host_together_most(const device_profile *device, uint32_t registers);

/* Whether it is an access of global memory whose result is waited for. */
bool host_waits_for_global(const code_site *site);

void host_enter_block(block_waits *waits, const code_site *site);

/* Frees what is known of the function; at the end. */
void host_leave_function(block_waits *waits);

/* Adds what the block waits for; once before each host_enter_block(), and at the end. */
void host_end_block(const device_profile *device, time_demand *demand, block_waits *waits);

/* Adds an instruction of the block, which was executed so many times. A warp waits once for all loads of a basic block that do not
 * depend on each other. */
void host_add_waits(const device_profile *device, time_demand *demand, block_waits *waits, const code_site *code,
                    const cache_site *site, double times, const time_work *work);

#endif
