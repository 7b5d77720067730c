/* exec/event.h: what execution tells its clients (models and checks): one mem_event per warp-level memory instruction,
 * sync_events for everything that orders memory. Clients know nothing else of execution.
 *
 * An event and the arrays it points to live only during the call. */
#ifndef LW_EXEC_EVENT_H
#define LW_EXEC_EVENT_H

#include "base/base.h"

typedef enum mem_space_kind {
    EV_GLOBAL,  /* device, managed, pinned memory */
    EV_SHARED,  /* the block's own shared memory */
    EV_DSHARED, /* shared memory reached through the cluster window (ld.shared::cluster, generic address of another
                   rank) */
    EV_LOCAL,
    EV_CONSTANT,
    EV_TEXTURE,
    EV_PARAM, /* kernel parameters read through memory (dynamic index) */
    EV_SPACE_COUNT
} mem_space_kind;

typedef enum mem_op {
    EV_LOAD,
    EV_STORE,
    EV_ATOMIC,      /* atom: the old value is returned */
    EV_REDUCTION,   /* red, or atom with a dead result when the plan says so */
    EV_COPY_READ,   /* the source side of cp.async / bulk copies */
    EV_COPY_WRITE,  /* the destination side */
    EV_MATRIX_LOAD, /* ldmatrix: addresses are rows of 16 bytes given by lanes 8m..8m+7 for matrix m */
    EV_MATRIX_STORE,
    EV_OP_COUNT
} mem_op;

/* What the atomic does, as far as counting cares. */
typedef enum mem_atomic {
    EV_ATOMIC_NONE,
    EV_ATOMIC_ADD,   /* integer add */
    EV_ATOMIC_ADD_1, /* integer add of the constant 1, result dead: ATOMS.POPC.INC on shared memory */
    EV_ATOMIC_FADD,  /* floating-point or packed add */
    EV_ATOMIC_CAS,
    EV_ATOMIC_EXCH,
    EV_ATOMIC_OTHER /* min max inc dec and or xor */
} mem_atomic;

typedef enum mem_shape {
    EV_GENERAL,
    EV_UNIFORM,    /* every active lane has address[first active lane] */
    EV_CONSECUTIVE /* ALL 32 lanes active and address[i] = address[0] + i * bytes */
} mem_shape;

/* Cache operators and qualifiers that models may care for. */
#define EV_VOLATILE 1u
#define EV_NON_COHERENT 2u /* ld.global.nc */
#define EV_BYPASS_L1 4u    /* .cg: cp.async.cg, ld.cg */
#define EV_ONE_LANE 16u    /* atomics: the lanes' values are reduced first, the mask holds one lane */
#define EV_BULK 8u         /* bulk copies: not LSU accesses; bytes_total holds the length */

typedef struct mem_event {
    uint32_t insn;     /* index into code_kernel's instruction table (code_site) */
    uint8_t space;     /* mem_space_kind */
    uint8_t op;        /* mem_op */
    uint8_t atomic;    /* mem_atomic */
    uint8_t shape;     /* mem_shape of address[] */
    uint8_t bytes;     /* per lane: 1, 2, 4, 8, 16 (32 for 256-bit vectors) */
    uint8_t matrices;  /* ldmatrix/stmatrix: 1, 2, 4 */
    uint8_t generic;   /* the address was generic */
    uint8_t flags;     /* EV_VOLATILE ... */
    uint32_t mask;     /* lanes that access memory (never 0) */
    uint32_t off_mask; /* lanes of the group switched off by the guard */
    /* Lane addresses; undefined for lanes not in mask. global, constant, texture: device (host) addresses. shared: byte
     * offset in the block's shared memory. dshared: (rank << 24) + offset. local: byte offset in the thread's local
     * memory (the model interleaves it). */
    const uint64_t *address;
    const uint64_t *address2; /* copies: the other side's addresses, in the other side's terms; else NULL */
    uint32_t sources;         /* copies by lanes: lanes of mask that read a source; others fill with zeros */
    uint32_t bytes_total;     /* EV_BULK: length of the copy */
    uint32_t block, cluster;  /* linear block index in the grid; linear cluster index */
    uint32_t warp;            /* warp index in the block */
    uint32_t virtual_sm;
} mem_event;

typedef enum sync_kind {
    EV_BARRIER_ARRIVE,  /* id, mask */
    EV_BARRIER_RELEASE, /* the whole block; id */
    EV_WARP_SYNC,       /* mask */
    EV_FENCE,
    EV_ASYNC_COMMIT,
    EV_ASYNC_WAIT,
    EV_MBARRIER,
    EV_CLUSTER_ARRIVE,
    EV_CLUSTER_RELEASE,
    EV_BLOCK_START,
    EV_BLOCK_EXIT
} sync_kind;

typedef struct sync_event {
    uint32_t insn;
    uint8_t kind; /* sync_kind */
    uint8_t id;
    uint32_t mask;
    uint64_t address; /* mbarrier: (rank << 24) + offset in shared memory */
    uint32_t block, cluster, warp, virtual_sm;
} sync_event;

/* A client. worker_state is what worker_begin returned for the host thread that calls; mem and sync may be NULL. */
typedef struct event_sink {
    void *self;
    void *(*worker_begin)(void *self, uint32_t worker); /* may be NULL: state = self */
    void (*mem)(void *worker_state, const mem_event *event);
    void (*sync)(void *worker_state, const sync_event *event);
    void (*worker_end)(void *self, uint32_t worker, void *worker_state); /* may be NULL */
} event_sink;

#endif
