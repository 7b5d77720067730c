/* event/event.h: what execution tells its clients (models and checks): one event_memory per warp-level memory instruction,
 * sync_events for everything that orders memory. Clients know nothing else of execution.
 *
 * An event and the arrays it points to live only during the call. */
#ifndef LW_EVENT_EVENT_H
#define LW_EVENT_EVENT_H

#include "base/base.h"

typedef enum event_space {
    EVENT_GLOBAL,  /* device, managed, pinned memory */
    EVENT_SHARED,  /* the block's own shared memory */
    EVENT_DSHARED, /* shared memory reached through the cluster window (ld.shared::cluster, generic address of another
                   rank) */
    EVENT_LOCAL,
    EVENT_CONSTANT,
    EVENT_TEXTURE,
    EVENT_PARAM, /* kernel parameters read through memory (dynamic index) */
    EVENT_SPACE_COUNT
} event_space;

typedef enum event_op {
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,      /* atom: the old value is returned */
    EVENT_REDUCTION,   /* red, or atom with a dead result when the plan says so */
    EVENT_COPY_READ,   /* the source side of cp.async / bulk copies */
    EVENT_COPY_WRITE,  /* the destination side */
    EVENT_MATRIX_LOAD, /* ldmatrix: addresses are rows of 16 bytes given by lanes 8m..8m+7 for matrix m */
    EVENT_MATRIX_STORE,
    EVENT_OP_COUNT
} event_op;

/* What the atomic does, as far as counting cares. */
typedef enum event_atomic {
    EVENT_ATOMIC_NONE,
    EVENT_ATOMIC_ADD,   /* integer add */
    EVENT_ATOMIC_ADD_1, /* integer add of the constant 1, result dead: ATOMS.POPC.INC on shared memory */
    EVENT_ATOMIC_FADD,  /* floating-point or packed add */
    EVENT_ATOMIC_CAS,
    EVENT_ATOMIC_EXCH,
    EVENT_ATOMIC_OTHER /* min max inc dec and or xor */
} event_atomic;

typedef enum event_shape {
    EVENT_GENERAL,
    EVENT_UNIFORM,    /* every active lane has address[first active lane] */
    EVENT_CONSECUTIVE /* ALL 32 lanes active and address[i] = address[0] + i * bytes */
} event_shape;

/* Cache operators and qualifiers that models may care for. */
#define EVENT_VOLATILE 1u
#define EVENT_NON_COHERENT 2u /* ld.global.nc */
#define EVENT_BYPASS_L1 4u    /* .cg: cp.async.cg, ld.cg */
#define EVENT_ONE_LANE 16u    /* atomics: the lanes' values are reduced first, the mask holds one lane */
#define EVENT_BULK 8u         /* bulk copies: not LSU accesses; bytes_total holds the length */

typedef struct event_memory {
    uint32_t insn;     /* index into code_kernel's instruction table (code_site) */
    uint8_t space;     /* event_space */
    uint8_t op;        /* event_op */
    uint8_t atomic;    /* event_atomic */
    uint8_t shape;     /* event_shape of address[] */
    uint8_t bytes;     /* per lane: 1, 2, 4, 8, 16 (32 for 256-bit vectors) */
    uint8_t matrices;  /* ldmatrix/stmatrix: 1, 2, 4 */
    uint8_t generic;   /* the address was generic */
    uint8_t flags;     /* EVENT_VOLATILE ... */
    uint32_t mask;     /* lanes that access memory (never 0) */
    uint32_t off_mask; /* lanes of the group switched off by the guard */
    /* Lane addresses; undefined for lanes not in mask. global, constant, texture: device (host) addresses. shared: byte
     * offset in the block's shared memory. dshared: (rank << 24) + offset. local: byte offset in the thread's local
     * memory (the model interleaves it). */
    const uint64_t *address;
    const uint64_t *address2; /* copies: the other side's addresses, in the other side's terms; else NULL */
    uint32_t sources;         /* copies by lanes: lanes of mask that read a source; others fill with zeros */
    uint32_t bytes_total;     /* EVENT_BULK: length of the copy */
    uint32_t block, cluster;  /* linear block index in the grid; linear cluster index */
    uint32_t warp;            /* warp index in the block */
    uint32_t virtual_sm;
} event_memory;

typedef enum event_sync_kind {
    EVENT_BARRIER_ARRIVE,  /* id, mask */
    EVENT_BARRIER_RELEASE, /* the whole block; id */
    EVENT_WARP_SYNC,       /* mask */
    EVENT_FENCE,
    EVENT_ASYNC_COMMIT,
    EVENT_ASYNC_WAIT,
    EVENT_MBARRIER,
    EVENT_CLUSTER_ARRIVE,
    EVENT_CLUSTER_RELEASE,
    EVENT_BLOCK_START,
    EVENT_BLOCK_EXIT
} event_sync_kind;

typedef struct event_sync {
    uint32_t insn;
    uint8_t kind; /* event_sync_kind */
    uint8_t id;
    uint32_t mask;
    uint64_t address; /* mbarrier: (rank << 24) + offset in shared memory */
    uint32_t block, cluster, warp, virtual_sm;
} event_sync;

/* A client. worker_state is what worker_begin returned for the host thread that calls; mem and sync may be NULL. */
typedef struct event_sink {
    void *self;
    void *(*worker_begin)(void *self, uint32_t worker); /* may be NULL: state = self */
    void (*mem)(void *worker_state, const event_memory *event);
    void (*sync)(void *worker_state, const event_sync *event);
    void (*worker_end)(void *self, uint32_t worker, void *worker_state); /* may be NULL */
} event_sink;

#endif
