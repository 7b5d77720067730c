/* worker.h: the host's side of a launch: what a host thread holds, what its micro-operations see, what all share. */
#ifndef LW_EXEC_WORKER_H
#define LW_EXEC_WORKER_H

#include "exec/exec.h"
#include "exec/state.h"

#include <pthread.h>

typedef struct exec_worker exec_worker;
typedef struct exec_run_state exec_run_state;
typedef struct exec_order exec_order; /* order.c */
typedef struct exec_watch exec_watch;
typedef struct exec_defined exec_defined; /* defined.h */

#define EXEC_NOTHING_BYTES 32 /* what one lane's ordinary access takes at most */

/* Of a site: the allocation it touched last, so that one comparison checks a warp. */
typedef struct exec_alloc_cache {
    uint64_t low, high; /* [low, high): a live allocation; low > high: none yet */
    uint64_t distance;  /* from its addresses to their storage */
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
    uint8_t *file[4];      /* lane files: frame, launch, block, warp */
    const code_insn *pc;   /* next micro-operation */
    uint32_t mask;         /* lanes of the running group */
    uint32_t go;           /* 0: leave the loop */
    uint64_t *block_inst;  /* per basic block: warp executions */
    uint64_t *block_lanes; /* per basic block: lanes of the group, summed */
    int64_t slice;         /* time left, in backward branches; see EXEC_COST_BRANCH and its neighbours */
    uint8_t *shared;       /* the block's shared memory */
    uint32_t shared_bytes; /* of it, the system's part included */
    uint32_t listener_count;
    uint64_t wants;    /* set of event kinds that some client wants; 0: nobody listens */
    exec_group *group; /* the running one; NULL: it has ended, waits for its warp, or is part of another */
    exec_warp *warp;
    exec_block *block;
    exec_alloc_cache *caches; /* per site */
    uint64_t *lanes_on;       /* per site: lanes with the guard on, summed */
    bool *on_heap;            /* per site: it touched what malloc gave a kernel */
    bool *parted;             /* per site: lanes of a warp parted at this branch */
    const exec_listener *listeners;
    const event_launch *event_launch;
    uint32_t fields;              /* EVENT_FIELD_... that some client asks for */
    const event_details *details; /* of the access that is being emitted; NULL: nobody asks */
    event_undefined *undefined;   /* of the access that is being emitted; NULL: nobody asks */
    exec_worker *worker;
    const exec_launch *launch;
    uint32_t local_stride; /* bytes of local memory of a thread */
    bool tells_plain;      /* clients want counted accesses only, without details: exec_emit_plain() may be used */
    bool stops_at_stores;  /* leave the loop at a basic block that stores; then false */
    event_memory plain;    /* exec_emit_plain()'s: who runs is always right, the access is the last one */
} exec_ctx;

/* The lanes of an operand, and the word of a predicate, in `x`'s lane files. */
#define LANES(T, ref) ((T *)__builtin_assume_aligned(x->file[(ref) & 3] + ((ref) & ~3u), 64))
#define PREDICATE(ref) (*(uint32_t *)(x->file[(ref) & 3] + ((ref) & ~3u)))

/* Of the barriers that completed in a turn of a cluster: did one let go all threads of a block, or part of one? */
typedef enum exec_released { RELEASED_NONE, RELEASED_SOME, RELEASED_ALL } exec_released;

/* A host thread. What counts up is compared before and after a turn (schedule.c). */
struct exec_worker {
    exec_ctx x;
    exec_run_state *run;
    uint32_t index;                   /* 0: the thread that called exec_run() */
    exec_cluster *active;             /* resident clusters, the newest first */
    exec_cluster *free_clusters;      /* storage of those that ended */
    uint32_t active_count;            /* of active */
    exec_frame *free_frames[8];       /* by size class (call.c) */
    lw_arena arena;                   /* all of the above; ends with the launch */
    double last_progress;             /* when the host was last told */
    exec_released released;           /* barriers that completed in this turn of a cluster */
    uint64_t random;                  /* of --schedule=random */
    bool spun;                        /* the last slice ended in a spin loop */
    const code_insn *spin_branch;     /* the backward branch taken last */
    uint64_t spin_edges;              /* times round a spin loop */
    uint64_t retired;                 /* clusters that ended */
    uint64_t signals;                 /* global atomics and fences: others may wait for what came before */
    uint64_t updates;                 /* of mbarrier objects: a slice that made one did more than spin */
    uint64_t phases;                  /* of mbarrier objects that were completed */
    uint64_t built[EVENT_KIND_COUNT]; /* events by kind */
    exec_watch *watch;                /* the access under watch; NULL until a client asks */
    LW_VEC(exec_passed *) passed;     /* accesses that a card lets through, by instruction and owner */
    uint8_t nothing[32][EXEC_NOTHING_BYTES] __attribute__((aligned(32))); /* where red zones are, lane by lane */
    uint64_t clock_wait;                                                  /* exec_result */
    uint32_t clock_site;
    uint64_t *waits;                                  /* per site, exec_result.site_waits; NULL: there were none */
    uint64_t clock_work, clock_blocks, clock_longest; /* exec_result; work: what warps waited for others is taken off */
    bool schedule_dependent;                          /* the order of turns may show in results or counts */
    bool host_visible; /* has read memory that the host may write meanwhile: a wait there is no hang */
};

/* One launch, shared by all workers. */
struct exec_run_state {
    const exec_launch *launch;
    exec_result *result;     /* its fault and warning: under fault_lock */
    uint64_t assertions;     /* threads whose assert failed; under fault_lock */
    uint8_t *launch_file;    /* lane file CODE_LAUNCH */
    uint8_t *params;         /* the parameter image as kernels may address it (device memory) */
    uint64_t params_address; /* the same, as the guest sees it */
    uint64_t grid_workspace; /* exec_launch.grid_workspace */
    uint64_t block_count, cluster_count;
    uint32_t cluster_size; /* blocks */
    uint32_t warps_per_block, threads_per_block;
    uint32_t shared_bytes; /* static + dynamic; behind it, for a kernel that asks where it is, the system's */
    uint32_t reserved_at;  /* where the system's begins */
    uint32_t shared_end;   /* where all ends */
    uint32_t local_stride; /* bytes of local memory of a thread */
    uint32_t residency;    /* clusters resident at once, per worker */
    uint64_t next_cluster; /* atomic: how many have begun */
    uint64_t first_cluster, cluster_stride; /* in which order: 0 and 1 but with --schedule=random */
    uint64_t blocks_done;                   /* atomic */
    uint64_t events;  /* atomic: turns with progress, clusters ended: shows that another worker goes on */
    uint64_t stop_at; /* atomic: clusters from this one on stop: a fault there; 0: all; UINT64_MAX: none */
    const event_launch *event_launch; /* the launch's, or own_event_launch */
    event_launch own_event_launch;
    exec_order *order; /* numbers of writes; NULL: nobody asks */
    void *fault_lock;  /* pthread_mutex_t */
    double started;    /* seconds, lw_now() */
    lw_arena arena;
    exec_worker *workers;
    uint32_t worker_count;
    uint32_t helpers; /* 0 until the helper threads are started; then one past the last */
    pthread_t *threads;
};

#endif
