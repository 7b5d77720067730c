/* state.h: the guest while it runs: frames, joins, groups, warps, blocks, clusters.
 *
 * A warp is a set of groups: lanes that share a pc. A divergent branch splits a group in two under a join, the record
 * of where (immediate post-dominator) and for whom they wait. Nothing of the guest lives on the host's stack, so a
 * group may stop before any micro-operation: at a barrier, at a join, at the end of its time slice.
 * docs/EXECUTION.md explains it, invariants.h checks it. Masks have a bit for each lane. */
#ifndef LW_EXEC_STATE_H
#define LW_EXEC_STATE_H

#include "code/code_priv.h"
#include "event/event.h"

#define FULL_MASK UINT32_MAX
#define EXEC_BARRIERS 16  /* named barriers of a block */
#define EXEC_WARPGROUPS 8 /* most of a block: each has a barrier of its own behind the named ones */

/* One activation of a function by some lanes of a warp. */
typedef struct exec_frame {
    struct exec_frame *parent; /* the caller's; NULL: the kernel's */
    const code_function *function;
    const code_call *call;      /* the call that made it */
    const code_insn *return_to; /* in the caller */
    uint8_t *registers;         /* lane file CODE_FRAME: function->register_bytes, aligned to 64 */
    uint32_t lanes;             /* live lanes in it or in what it calls */
    uint32_t base;              /* offset of its frame in each thread's local memory, bytes */
    uint32_t extra;             /* bytes taken by alloca beyond the frame */
    struct exec_frame *next_free;
    struct exec_defined *defined; /* undefined bits of its registers (defined.h); NULL: there never were any */
} exec_frame;

/* Where lanes that parted meet again. Used while its bit in exec_warp.joins_used is set. */
typedef struct exec_join {
    const code_insn *pc; /* a block micro-operation that is a meeting point; NULL: the return of frame */
    exec_frame *frame;   /* meeting needs the same activation, not only the same pc */
    struct exec_join *parent;
    const code_insn *creator; /* where they parted */
    uint32_t mask;            /* live lanes that will come here, or have */
    uint32_t arrived;         /* those that have: they are in no group; never all of mask */
    bool counted;             /* the others wait at a barrier, where these count as arrived */
} exec_join;

typedef enum exec_group_state {
    GROUP_FREE,
    GROUP_READY,   /* runs, or may run */
    GROUP_BARRIER, /* waits at a barrier of the block; pc is behind it */
    GROUP_COUNTED, /* waits for those of its warp who wait at a barrier, where it counts as arrived; pc is where it goes on */
    GROUP_WARPSYNC, /* waits for lanes of its warp; pc is the collective */
    GROUP_CLUSTER   /* waits at the cluster barrier; pc is the wait */
} exec_group_state;

/* Lanes that stand at one pc. While it runs, pc and mask are those of exec_ctx. */
typedef struct exec_group {
    const code_insn *pc;
    exec_frame *frame;
    exec_join *join;    /* where it waits next; NULL: nowhere */
    uint32_t mask;      /* not empty; disjoint from those of the other groups */
    uint32_t wait_mask; /* GROUP_WARPSYNC: lanes waited for */
    uint32_t spins;     /* consecutive slices that ended in a spin loop */
    uint8_t state;      /* enum exec_group_state */
    uint8_t barrier;    /* GROUP_BARRIER, GROUP_COUNTED: which */
    bool waited;        /* its last look at an mbarrier was too early */
    bool forced;        /* the next collective runs with the lanes that are here */
    uint8_t rounds;     /* left in a piece of a loop (pieces.c); 0: it is in none */
} exec_group;

typedef struct exec_async exec_async;

/* A loop that a warp goes round to wait for others (code_branch.spin), by its backward branch. Cycles: of the clock, without
 * those waited. */
typedef struct exec_rounds {
    const code_insn *branch;
    uint64_t clock;   /* at the last round */
    uint64_t cycles;  /* that it took */
    uint32_t alike;   /* rounds one after the other that took as long, since it was noted that it waits */
    bool waits;       /* that has been noted of these rounds */
    uint64_t changes; /* times that the loop had changed memory, when these began */
} exec_rounds;

#define EXEC_ROUNDS 4 /* loops of a warp that are remembered */

typedef struct exec_warp {
    struct exec_block *block;
    uint32_t index;                /* in the block */
    uint32_t live;                 /* lanes that exist and have not exited */
    uint32_t started;              /* lanes that exist: not all in the last warp of an odd block */
    uint32_t ready;                /* number of groups in GROUP_READY */
    uint32_t groups_used;          /* bit g: groups[g] is not GROUP_FREE */
    uint64_t joins_used;           /* bit j: joins[j] is in use */
    uint32_t last_group;           /* index of the group that ran last */
    uint64_t clock;                /* virtual cycles */
    const code_insn *clock_reader; /* what read the clock last */
    uint64_t clock_read;           /* and what it saw */
    uint64_t clock_since;          /* when it began to read in a loop that does nothing else */
    uint32_t clock_reads;          /* since then */
    uint64_t waited;               /* cycles of the clock in rounds of loops in which it only waited */
    uint32_t rounds_used;          /* of rounds */
    exec_rounds rounds[EXEC_ROUNDS];
    uint32_t long_slices;     /* that ended in a loop which computes */
    uint32_t products;        /* lanes that took part in wgmma since the warps of their group last met */
    uint32_t cluster_arrived; /* live lanes that arrived at the cluster barrier in this phase */
    uint32_t cluster_owing;   /* lanes that arrived there and have not waited since */
    exec_frame root;          /* of the kernel */
    uint8_t *file;            /* lane file CODE_WARP: the same for every block that is here in turn */
    uint8_t *local;           /* 32 threads x local_stride bytes, made on first use */
    bool local_unfilled;      /* this block's threads did not use it yet, and exec_launch.fill is to be seen there */
    exec_async *async;        /* asynchronous copies under way (async_groups.c); NULL until a client asks */
    exec_group groups[32];
    exec_join joins[64];
} exec_warp;

/* A named barrier of a block, in its current phase. */
typedef struct exec_barrier {
    uint32_t arrived;    /* threads; less than expected, or the barrier would have let them go */
    uint32_t expected;   /* threads; 0: all live threads of the block */
    uint32_t popc;       /* reductions: threads whose predicate is true */
    bool all, any;       /* the same, and'ed and or'ed */
    uint32_t generation; /* phases completed */
} exec_barrier;

typedef struct exec_block {
    struct exec_cluster *cluster;
    uint8_t *shared; /* exec_run_state.shared_end bytes, aligned to 128 */
    uint8_t *file;   /* lane file CODE_BLOCK */
    exec_warp *warps;
    uint32_t id[3];        /* %ctaid */
    uint32_t linear;       /* in the grid */
    uint32_t rank;         /* in the cluster */
    uint32_t warp_count;   /* of the launch's block size: exited warps stay */
    uint32_t live_threads; /* sum over warps of live lanes */
    uint32_t ready_warps;  /* warps with ready groups */
    bool done;             /* no live thread is left */
    uint32_t virtual_sm;   /* multiprocessor that events name */
    uint32_t async_issued; /* asynchronous operations: the number of the last one */
    exec_barrier barriers[EXEC_BARRIERS + EXEC_WARPGROUPS];
    uint32_t barriers_open;     /* bit b: threads have arrived at named barrier b in its current phase */
    const code_insn *remote_by; /* the last access of another block to its shared memory; NULL: none, or nobody asks */
    uint32_t remote_phase;      /* rounds of the cluster barrier then */
    uint64_t *mbarriers;        /* bit per 8 bytes of shared memory: a valid mbarrier object; made on first use */
    uint64_t mbarriers_of;      /* linear + 1 of the block that they belong to */
} exec_block;

/* What is begun and ended as a whole; without clusters one block. */
typedef struct exec_cluster {
    exec_block *blocks; /* by rank */
    uint32_t block_count;
    uint32_t blocks_done;
    uint32_t index;            /* linear, in the grid */
    uint32_t live_threads;     /* of all blocks */
    uint32_t barrier_arrived;  /* live threads that arrived at the cluster barrier in this phase */
    uint32_t barrier_phase;    /* rounds of the cluster barrier completed; events name it */
    struct exec_cluster *next; /* of the worker's active or free ones */
} exec_cluster;

#endif
