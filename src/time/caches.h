/* caches: L1, L2 and DRAM of a launch, predicted by replaying what its blocks accessed.
 *
 * Blocks are emulated one after the other, a card runs them together. So workers only record (trace.c): per block which
 * sectors of which lines each memory instruction touched. When the launch has ended the traces are replayed interleaved
 * (replay.c): blocks go round-robin to multiprocessors, as many at once as fit, and all resident ones advance by one
 * memory instruction in each step.
 *
 * It is sampled, so that its cost is bounded, and results are ratios that the caller applies to exact counts:
 *   - of a few multiprocessors everything is kept: their L1 is simulated exactly;
 *   - of all others only lines whose address has a hash with enough low zero bits (level): the share 2^-level of all
 *     lines. L2 is simulated on these lines with its size scaled by the same share. What their L1 holds follows from how
 *     long a line lives in an L1 that is simulated exactly.
 * The level is the lowest with which the traces of a launch fit into a budget: small launches are kept whole. Results do
 * not depend on the number of workers.
 *
 * How long lines are to be kept, which cache operators, eviction priorities, policies and access policy windows say, is modelled as an H200
 * does it (tests/hw/h200-hints.csv, h200-hints-l1.csv). Not modelled: constants, what copies to the host leave in L2, clusters' multicast, and
 * policies that the text of a kernel does not tell. */
#ifndef LW_TIME_CACHES_H
#define LW_TIME_CACHES_H

#include "time/chain.h"

#include "device/profile.h"
#include "event/event.h"

/* What a run keeps from launch to launch: the contents of L2. */
typedef struct cache_session cache_session;
/* cold: all caches are empty at the begin of every launch. */
cache_session *cache_session_make(const device_profile *device, bool cold);
void cache_session_free(cache_session *session); /* NULL: nothing to do */

/* The host writes rows of bytes of device memory, by a copy or a fill: they are in L2 then, as far as it holds them. */
void cache_session_write(cache_session *session, uint64_t address, uint64_t bytes, uint64_t rows, uint64_t pitch);

/* No line of L2 goes after others any more (cudaCtxResetPersistingL2Cache). */
void cache_session_reset_persisting(cache_session *session);

/* A profiler goes through memory of its own, and puts back what a launch has changed between its passes over it. Whether that makes a
 * difference with so many bytes; never where all begins cold. */
bool cache_session_watches(const cache_session *session, uint64_t live_bytes);

/* How long lines of a range of addresses are to be kept in L2 (cudaAccessPolicyWindow): hit_ratio of them as `hit` says, the others as
 * `miss` does, which are event_eviction. bytes 0: there is no such range. */
typedef struct cache_window {
    uint64_t address, bytes;
    double hit_ratio;
    uint8_t hit, miss;
} cache_window;

/* What a launch looks like to the caches. */
typedef struct cache_shape {
    uint64_t blocks;
    uint32_t warps_per_block;
    uint32_t blocks_per_sm;    /* resident at once, from the occupancy calculator; at least 1 */
    uint64_t shared_carveout;  /* bytes of L1 that the driver gives to shared memory */
    uint64_t live_bytes;       /* that are allocated on the device */
    bool late_memory;          /* some of it was allocated behind the first launch */
    bool managed_memory;       /* some of it is managed */
    uint32_t insns;            /* event_launch.insn_count */
    uint64_t persisting_bytes; /* of L2, that may persist (cudaLimitPersistingL2CacheSize) */
    cache_window window;
    bool keep_all;        /* no smaller sample than the budgets ask for */
    uint32_t hash_budget; /* entries kept by hash; 0: the default */
    uint32_t full_budget; /* entries of whole multiprocessors; 0: the default */
} cache_shape;

typedef struct cache_launch cache_launch;
cache_launch *cache_launch_make(cache_session *session, const cache_shape *shape);
void cache_launch_free(cache_launch *launch); /* before its session; NULL: nothing to do */

/* Before the replay, any number of times, in order of addresses: the launch has changed this memory. A profiler puts back what it was before
 * it runs the launch once more: that is what L2 holds then, its end dirty, and it takes room in L2 in between. */
void cache_launch_changed(cache_launch *launch, uint64_t address, uint64_t bytes);
/* The same of managed memory: it is put back if the launch stores to it, changed or not. */
void cache_launch_managed(cache_launch *launch, uint64_t address, uint64_t bytes);

/* Before the replay: the instructions that all its warps executed. Not said: loads of neighbours are joined whatever is between them. */
void cache_launch_ran(cache_launch *launch, uint64_t instructions);

/* The hooks of a client of CACHE_KINDS. */
#define CACHE_KINDS                                                                                                    \
    (EVENT_BIT(EVENT_COUNTED) | EVENT_BIT(EVENT_BARRIER_RELEASE) | EVENT_BIT(EVENT_FENCE) | EVENT_BIT(EVENT_BLOCK_EXIT))
void *cache_worker_begin(void *launch, uint32_t worker);
void cache_memory(void *worker, const event_memory *event);
void cache_sync(void *worker, const event_sync *event);

/* What the replay saw of one instruction. Only ratios mean something: the sample differs in size from launch to launch. */
typedef struct cache_site {
    /* Of the multiprocessors that are simulated exactly; where those have nothing, of the sample of lines. */
    double l1_sectors, l1_hits;
    double sectors, sampled_hits;           /* of the sample of lines: sectors, and those that L1 had */
    double l2_reads, l2_writes, l2_atomics; /* sectors that of these went on to L2 */
    /* Of stores on whole multiprocessors whose lines the sample has not: sectors, and those that leave L1. */
    double unseen, unseen_writes;
    double l2_hits;      /* that the first slice asked had, writes and atomics included */
    double later_misses; /* that it has not, although L2 does, in a later pass of a profiler over the same launch */
    double dram_read_bytes, dram_write_bytes;
    double
        dram_openings; /* of pages, if each line had its own: what is fetched or written of a line at once takes one */
    /* For the model of time. Lines asked of L2 by loads, and by stores; of the loads those that went to DRAM. */
    double l2_read_requests, l2_write_requests, dram_requests;
    double l2_write_packets; /* of 64 bytes that stores send, whole or in part */
    double dram_pending;     /* lines asked of L2 that another multiprocessor had just asked DRAM for */
    /* Of the multiprocessors that are simulated exactly: loads of warps, of them those that missed L1, and their lines
     * that did; lines and pages of accesses with many lines. */
    double loads, missed_loads, missed_lines, many_lines, many_pages;
    double polled; /* of its loads those that only ask again whether another thread has stored: left out of all this */
    bool on_host;  /* set by the caller of the replay: its memory is the host's */
    uint64_t line; /* address of a line that it accessed; 0: none is known */
    double wavefronts, lines; /* of accesses in L1's data stage, and their lines */
    double pending_loads;     /* loads that miss nothing, but wait for what another warp has just asked L2 for */
} cache_site;

/* Where atomics go: memory of 512 bytes lies in one slice of L2. And what blocks of a multiprocessor change one after the other. */
typedef struct cache_hot {
    double
        share; /* of the atomics' sectors that lie in the 512 bytes that most lie in at the same time; 0: there are none */
    double lines;      /* 1: all of these lie in one line; 0: in several */
    double turns;      /* times that loads of a multiprocessor have waited for a store of another block to one line */
    double turn_lines; /* that such a load waits for at once */
    cache_chain chain; /* of blocks that wait for each other */
} cache_hot;

/* Replays the launch; once, after all workers have ended. shape.insns sites, owned by the launch. */
cache_site *cache_launch_replay(cache_launch *launch);
cache_hot cache_launch_hot(const cache_launch *launch); /* after the replay */

#endif
