/* exec_priv.h: inside exec/: warps, groups, joins, blocks, workers.
 *
 * A warp is a set of groups: lanes that share a pc. A divergent branch splits a group in two under a join, the record
 * of where (immediate post-dominator) and for whom they wait. Nothing of the guest lives on the host's stack, so a
 * group may stop before any micro-operation: at a barrier, at a join, at the end of its time slice. */
#ifndef LW_EXEC_PRIV_H
#define LW_EXEC_PRIV_H

#include "code/code_priv.h"
#include "exec/exec.h"

#include <pthread.h>

#define FULL_MASK UINT32_MAX
#define EXEC_BARRIERS 16

struct exec_worker;

/* One activation of a function by some lanes of a warp. */
typedef struct exec_frame {
    struct exec_frame *parent;
    const code_function *function;
    const code_call *call;
    const code_insn *return_to;
    uint8_t *registers;
    uint32_t lanes; /* live lanes in it */
    uint32_t base;  /* offset of its frame in each thread's local memory */
    uint32_t extra; /* bytes taken by alloca beyond the frame */
    struct exec_frame *next_free;
} exec_frame;

typedef struct exec_join {
    const code_insn *pc; /* NULL: the return of frame */
    exec_frame *frame;
    struct exec_join *parent;
    const code_insn *creator;
    uint32_t mask; /* live lanes that will come here */
    uint32_t arrived;
} exec_join;

typedef enum exec_group_state {
    GROUP_FREE,
    GROUP_READY,
    GROUP_BARRIER,
    GROUP_WARPSYNC,
    GROUP_CLUSTER
} exec_group_state;

typedef struct exec_group {
    const code_insn *pc;
    exec_frame *frame;
    exec_join *join;
    uint32_t mask;
    uint32_t wait_mask; /* GROUP_WARPSYNC: lanes waited for */
    uint32_t spins;     /* consecutive slices that ended in a spin loop */
    uint8_t state, barrier;
    bool forced; /* GROUP_WARPSYNC: run on with the lanes that are here */
} exec_group;

typedef struct exec_async exec_async;
typedef struct exec_order exec_order; /* order.c */
typedef struct exec_watch exec_watch;

typedef struct exec_warp {
    struct exec_block *block;
    uint32_t index;       /* in the block */
    uint32_t live;        /* lanes that exist and have not exited */
    uint32_t started;     /* lanes that exist */
    uint32_t ready;       /* groups in GROUP_READY */
    uint32_t groups_used; /* bit g: groups[g] in use */
    uint64_t joins_used;  /* bit j: joins[j] in use */
    uint32_t last_group;
    uint64_t clock;           /* virtual cycles */
    uint32_t cluster_arrived; /* lanes that arrived at the cluster barrier in this phase */
    exec_frame root;
    uint8_t *file;     /* CODE_WARP lanes */
    uint8_t *local;    /* 32 threads x local_stride bytes, made on first use */
    exec_async *async; /* asynchronous copies under way (async_groups.c); NULL until a client asks */
    exec_group groups[32];
    exec_join joins[64];
} exec_warp;

typedef struct exec_barrier {
    uint32_t arrived;  /* threads */
    uint32_t expected; /* threads; 0: all live threads of the block */
    uint32_t popc;     /* reduction */
    bool all, any, divergent;
    uint32_t generation;
} exec_barrier;

typedef struct exec_block {
    struct exec_cluster *cluster;
    uint8_t *shared;
    uint8_t *file; /* CODE_BLOCK lanes */
    exec_warp *warps;
    uint32_t id[3], linear, rank;
    uint32_t warp_count;
    uint32_t live_threads;
    uint32_t ready_warps;
    bool done;
    uint32_t virtual_sm;   /* multiprocessor that events name */
    uint32_t async_issued; /* asynchronous operations: the number of the last one */
    exec_barrier barriers[EXEC_BARRIERS];
    uint64_t *mbarriers;   /* bit per 8 bytes of shared memory: a valid mbarrier object; made on first use */
    uint64_t mbarriers_of; /* linear + 1 of the block that they belong to */
} exec_block;

typedef struct exec_cluster {
    exec_block *blocks;
    uint32_t block_count, blocks_done;
    uint32_t index; /* linear cluster index */
    uint32_t live_threads, barrier_arrived;
    uint32_t barrier_phase;
    bool all_stuck;
    struct exec_cluster *next;
} exec_cluster;

typedef struct exec_alloc_cache {
    uint64_t low, high; /* [low, high): a live allocation */
    uint64_t last;      /* where the site's last access began */
} exec_alloc_cache;

/* A client as the emitter calls it: its hooks and its state of this worker. */
typedef struct exec_listener {
    uint64_t kinds;
    void (*memory)(void *worker, const event_memory *event);
    void (*sync)(void *worker, const event_sync *event);
    void *state;
} exec_listener;

/* What a worker's micro-operations see. Hot fields first. */
typedef struct exec_ctx {
    uint8_t *file[4];                   /* lane files: frame, launch, block, warp */
    const code_insn *pc;                /* next micro-operation */
    uint32_t mask;                      /* lanes of the running group */
    uint32_t go;                        /* 0: leave the loop */
    uint64_t *block_inst, *block_lanes; /* per basic block */
    int64_t slice;                      /* backward branches left */
    uint8_t *shared;                    /* the block's shared memory */
    uint32_t shared_bytes;
    uint32_t listener_count;
    uint64_t wants; /* set of event kinds that some client wants; 0: nobody listens */
    exec_group *group;
    exec_warp *warp;
    exec_block *block;
    exec_alloc_cache *caches; /* per site */
    uint64_t *lanes_on;       /* per site */
    const exec_listener *listeners;
    const event_launch *event_launch;
    uint32_t fields;              /* EVENT_FIELD_... that some client asks for */
    const event_details *details; /* of the access that is being emitted; NULL: nobody asks */
    struct exec_worker *worker;
    const exec_launch *launch;
    uint32_t local_stride;
} exec_ctx;

#define LANES(T, ref) ((T *)__builtin_assume_aligned(x->file[(ref) & 3] + ((ref) & ~3u), 64))
#define PREDICATE(ref) (*(uint32_t *)(x->file[(ref) & 3] + ((ref) & ~3u)))

typedef struct exec_run_state exec_run_state;

typedef struct exec_worker {
    exec_ctx x;
    exec_run_state *run;
    uint32_t index;
    exec_cluster *active, *free_clusters;
    uint32_t active_count;
    exec_frame *free_frames[8]; /* by size class */
    lw_arena arena;
    double last_progress;
    bool spun;           /* the last slice ended in a spin loop */
    uint64_t spin_edges; /* times round a spin loop */
    uint64_t retired;    /* clusters that ended */
    uint64_t signals;    /* global atomics and fences: others may wait for what came before */
    uint64_t updates;    /* of mbarrier objects: a slice that made one did more than spin */
    uint64_t phases;     /* of mbarrier objects that were completed */
    const code_insn *spin_branch;
    uint64_t built[EVENT_KIND_COUNT]; /* events by kind */
    exec_watch *watch;                /* the access under watch; NULL until a client asks */
    bool schedule_dependent;
    bool host_visible; /* has read memory that the host may write meanwhile: a wait there is no hang */
} exec_worker;

/* One launch, shared by all workers. */
struct exec_run_state {
    const exec_launch *launch;
    exec_result *result;
    uint8_t *launch_file;
    uint8_t *params; /* the parameter image as kernels may address it (device memory) */
    uint64_t params_address, grid_workspace;
    uint64_t cluster_count, block_count;
    uint32_t cluster_size, warps_per_block, threads_per_block;
    uint32_t shared_bytes; /* static + dynamic; behind it, for a kernel that asks where it is, the system's */
    uint32_t reserved_at, shared_end; /* the system's reserved shared memory: its start; the end of all */
    uint32_t local_stride;
    uint32_t residency;    /* clusters resident at once, per worker */
    uint64_t next_cluster; /* atomic */
    uint64_t blocks_done;  /* atomic */
    uint64_t thread_inst;  /* atomic, for progress */
    uint64_t events;       /* atomic: blocks done, barriers released: any of them shows that another worker goes on */
    uint64_t stop_at;      /* atomic: clusters from this one on stop: a fault there; 0: all; UINT64_MAX: none */
    const event_launch *event_launch; /* the launch's, or own_event_launch */
    event_launch own_event_launch;
    exec_order *order; /* numbers of writes; NULL: nobody asks */
    void *fault_lock;
    double started;
    lw_arena arena;
    exec_worker *workers;
    uint32_t worker_count;
    uint32_t helpers; /* 0 until the helper threads are started; then one past the last */
    pthread_t *threads;
};

/* ---- faults (fault.c) ---- */
/* Records the fault (lowest block wins), stops the launch and ends the running group's loop. lane: 0..31 */
void exec_fail(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, uint64_t address, uint32_t bytes,
               bool is_write, const char *space, const char *format, ...) __attribute__((format(printf, 9, 10)));
/* Records a warning of the whole cluster's state; the launch goes on. The lowest place is kept. */
void exec_warn(exec_ctx *x, const code_insn *i, exec_fault_kind kind, uint32_t lane, const char *message);
void exec_thread_of_lane(const exec_warp *w, uint32_t lane, const uint32_t block_dim[3], uint32_t out[3]);

/* ---- calls (call.c) ---- */
/* Lanes that exit leave f and the frames of its callers. */
void exec_frames_leave(exec_ctx *x, exec_frame *f, uint32_t lanes);

/* ---- barriers (barrier.c) ---- */
void exec_threads_exit(exec_ctx *x, exec_block *b, uint32_t threads);
/* May a collective over these members run now? Then *out_lanes are the lanes that take part. false: the group waits. */
bool exec_warpsync_ready(exec_ctx *x, const code_insn *i, uint32_t members, uint32_t mask, uint32_t *out_lanes);
void exec_warpsync_check(exec_ctx *x, exec_warp *w); /* runs collectives whose lanes have all come */
bool exec_warpsync_force(exec_warp *w);              /* last resort: every waiting group runs alone */
void exec_cluster_barrier_check(exec_ctx *x, exec_cluster *c);
void exec_barrier_check(exec_ctx *x, const code_insn *i, exec_block *b, uint32_t id); /* i: who asks; NULL: an exit */

/* ---- memory (ldst.c and friends) ---- */
uint8_t *exec_warp_local(exec_ctx *x); /* local memory of the running warp: 32 x local_stride */
/* Host pointer of a lane's access in any space, checked; NULL after exec_fail(). *out_space: where it lies. */
uint8_t *exec_lane_pointer(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                           uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event_address);
/* The same without the check that the address is aligned to `bytes`: copies of any length. */
uint8_t *exec_lane_range(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                         uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event_address);
void exec_lane_addresses(exec_ctx *x, const code_insn *i, uint64_t out[32]);
const char *exec_space_name(event_space space);

/* One atomic operation on memory found by exec_lane_pointer(); returns the old bits (atom.c). */
uint64_t exec_atomic_update(exec_ctx *x, uint32_t operation, ptx_type type, uint8_t *p, event_space space,
                            uint64_t value);

/* ---- asynchronous operations (async.c, mbarrier.c) ---- */
/* An operation that completes by groups is issued; its number. */
uint32_t exec_groups_issue(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t bytes);
void exec_groups_use(exec_ctx *x, const code_insn *i, uint32_t mask); /* commit_group, wait_group, wait_all */
/* cp.async.mbarrier.arrive of a lane on the object at (rank << 24) + offset. */
void exec_groups_arrive(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address);
void exec_groups_reset(exec_warp *w); /* a block begins */
/* Transaction bytes arrive at the mbarrier object at (rank << 24) + offset in shared memory. false: a fault. */
bool exec_mbarrier_complete_tx(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint32_t bytes);

static inline uint32_t exec_async_number(exec_ctx *x) { return ++x->block->async_issued; }

static inline void exec_note_allocation(exec_ctx *x, exec_alloc_cache *c, const mem_allocation *a)
{
    c->low = a->address, c->high = a->address + a->bytes;
    if (a->kind == MEM_MANAGED || a->kind == MEM_PINNED || a->kind == MEM_REGISTERED) x->worker->host_visible = true;
}

/* ---- executors ---- */
typedef struct exec_run_entry {
    uint16_t op;
    code_run_fn run;
} exec_run_entry;
#define UOP(id, ...) void run_##id(exec_ctx *x, const code_insn *i, uint32_t mask);
#include "code/uops.def"
#undef UOP

#endif
