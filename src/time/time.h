/* time: how long a launch takes on a device, by a model of bottlenecks that can be checked by hand (docs/REPORT.md).
 *
 * Each resource alone would take a time for what the launch asks of it. Together they take longer than the slowest, as
 * far as they do not overlap: the K-norm of all, K = TIME_OVERLAP, or TIME_OVERLAP_FEW where a multiprocessor has one or two blocks at a
 * time, waves of them, which do less at once than many; with starting blocks by TIME_OVERLAP_STARTS. What starts and ends a launch comes on top,
 * and the latency of its first loads. */
#ifndef LW_TIME_TIME_H
#define LW_TIME_TIME_H

#include "device/profile.h"
#include "result/result.h"

#define TIME_OVERLAP 3.5
#define TIME_OVERLAP_FEW 3.0
#define TIME_CHAINED                                                                                                   \
    0.5 /* share of a warp's time that chains of results take, from which on it waits for shared memory */
#define TIME_BARRIER_INSNS 500  /* instructions from a barrier to the next with which ... */
#define TIME_BARRIER_WARPS 7    /* ... so many others of a block are there at the same time */
#define TIME_OVERLAP_STARTS 5.0 /* blocks that start while others run */
#define TIME_OVERLAP_QUEUE 8.0  /* atomics that one slice of L2 serves and nobody waits for */

/* Machine instructions of warps, by pipe. */
typedef struct time_work {
    double issue, fp32, integer, fp64, sfu, lsu, tensor;
    double latency; /* cycles until its result can be used */
    double either;  /* of the integer pipe or the fp32 pipe, as the assembler likes */
    bool parts;     /* work.def */
    double reads;   /* cycles more of its scheduler until its registers are read */
} time_work;

/* What a warp instruction costs; mnemonic: of PTX. Without tensor. */
time_work time_work_of(const char *mnemonic);

/* Products of 16 bits of a tensor-core instruction (".m16n8k16" has 2048) that take as long on a device; of a warp group's a warp's
 * share. Others: 0. */
double time_tensor_of(const device_profile *device, const char *mnemonic);

/* What a launch asks for; sums over the launch. */
typedef struct time_demand {
    uint64_t blocks;
    uint32_t warps_per_block, blocks_per_sm;
    time_work work;
    /* Cycles of warps alone, in sum: per basic block the longest chain of results, or its instructions if they take longer. What
     * loads of global memory take is not in it. */
    double path;
    double chain;                            /* of that the longest chains of results alone */
    double shared_wavefronts, l1_wavefronts; /* l1: without stores */
    double constant_words;                   /* of loads of constant memory, beside those of one lane */
    double texels;                           /* that lanes fetch from textures */
    /* Instructions of the unit of constants, barriers and places of blocks; wavefronts of L1's data stage that no count of memory has:
     * threads' places, shuffles, accesses all of whose lanes are off; and instructions all of whose lanes are. */
    double uniforms, other_wavefronts, off_issue;
    double l2_read_sectors, l2_write_sectors, l2_atomic_sectors;
    double l2_read_requests, l2_write_packets; /* packets: 64 bytes or less of stores */
    double dram_read_bytes, dram_write_bytes;
    double dram_scattered; /* pages that were opened for them where each line has its own */
    double hot_atomics;    /* share of the atomics that go to the 512 bytes that most go to */
    double hot_lines;      /* lines of these that they go to, if it is one; else 0 */
    double turns; /* cache_hot: loads of a multiprocessor that wait for stores of other blocks, one behind the other */
    double turn_lines;        /* lines of each that it waits for */
    double links, link_loads; /* cache_hot.chain: blocks that wait for the one before, and what they load in between */
    bool link_fences;         /* they order what they hand on */
    double read_atomics;      /* share of the atomics whose result is read */
    double atomic_lines;      /* of lanes of their warps: each holds the stage of L1 for a cycle */
    double float_atomics;     /* share of the atomics that add numbers of floating point */
    /* Atomics on one word that go one after the other: each needs the value that the last one left; and lanes that try at once. */
    double atomic_chain, atomic_crowd;
    bool
        atomic_yields; /* those whose value is no longer wanted leave: of the chain only the first steps are waited for */
    /* Times that a warp waits: for global memory, for shared memory, at a barrier. Loads of one basic block wait once. */
    double global_loads; /* that they are for */
    double global_waits, shared_waits, barrier_waits;
    double even_waits; /* those of global_waits that all warps have equally often */
    double even_path;  /* the same of path */
    /* From the begin to the end of a block, in times of what a warp executes in the mean: in the mean of the blocks, and of the
     * block that takes longest. 1: all warps do the same. 0: not known. */
    double block_mean, block_longest;
    result_range
        doubt;      /* why little is known of what warps wait for: from RESULT_RANGE_BLOCKS on; below it is not so */
    bool policies;  /* how long L2 is to keep lines is not known of all accesses */
    double inexact; /* share of the wavefronts of L1 and shared memory that are of rows whose counts are not exact */
    double fence_cycles; /* that warps wait at fences longer than for L2 */
    double grid_cycles;  /* that warps wait at barriers of all blocks: nothing goes on beside them */
    double host_read_bytes, host_write_bytes; /* of memory of the host: by the bus */
    double prints;                            /* calls of printf, one behind the other */
    double heap_calls;                        /* of malloc and free, of a warp */
    double heap_lanes;                        /* ... and of all threads */
    double print_warps, print_lanes;          /* calls of all warps, and of all their lanes */
    double code;                              /* machine instructions that were executed, each once */
    double missed_l1, missed_l2; /* share of the waits for global memory in which not all is in L1; in L2 */
} time_demand;

typedef struct time_prediction {
    double seconds, low, high;
    double resource[RESULT_RESOURCES]; /* seconds that each would take alone */
    double busy[RESULT_RESOURCES];     /* result_time */
    result_range range;
} time_prediction;

time_prediction time_predict(const device_profile *device, const time_demand *demand);

/* Of a launch that was stopped: what it executed is the work of so many blocks, those that it had begun but not ended taken to be half
 * done. 0: fewer ended than were stopped midway, which says too little of what a block does. */
double time_counted_blocks(double begun, double done);

#endif
