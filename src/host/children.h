/* children: what a kernel launches, copies and fills (children.c). Kept until its grid has ended, then carried out
 * (run.c): a child is complete when its own children are, so one after the other is a valid order for programs without
 * races. Tail launches come last. */
#ifndef LW_HOST_CHILDREN_H
#define LW_HOST_CHILDREN_H

#include <pthread.h>

#include "exec/exec.h"
#include "host/op.h"

/* Streams that the device runtime has without making them, cuda_device_runtime_api.h. */
enum { HOST_STREAM_OF_BLOCK, HOST_STREAM_LEGACY, HOST_STREAM_PER_THREAD, HOST_STREAM_TAIL, HOST_STREAM_FORGET };

typedef struct host_child {
    host_op op;
    uint64_t block; /* linear, of the block that asked for it */
    size_t number;  /* in the order in which they came */
    bool tail;
} host_child;

/* The last value that a grid gives to a handle of conditional nodes: that of the highest block. */
typedef struct host_condition_set_by {
    uint64_t handle, block;
    uint32_t value;
} host_condition_set_by;

typedef struct host_buffer host_buffer;
typedef struct host_thread_error host_thread_error;

/* What the blocks of one grid have asked for. */
typedef struct host_children {
    host_context *context;
    const host_op *parent;      /* a kernel's launch */
    bool in_graph;              /* it is a node of a graph */
    uint32_t device;            /* it runs on */
    const event_launch *launch; /* the same, for events */
    pthread_mutex_t lock;       /* of all that follows: threads of one grid run on several host threads */
    LW_VEC(host_child) list;
    LW_VEC(host_buffer *) buffers;
    LW_VEC(host_thread_error) errors;
    LW_VEC(host_condition_set_by) conditions;
    LW_VEC(uint64_t) chunks; /* device memory of buffers and texts */
    uint64_t chunk_used, chunk_bytes;
    uint64_t tails;   /* of the list */
    uint64_t handles; /* streams and events made so far */
    lw_arena arena;
} host_children;

void host_children_begin(host_children *children, host_context *context, const host_op *parent, bool in_graph);
/* The grid has ended: its children stand in the order in which they are to be carried out. */
void host_children_settle(host_children *children);
void host_children_let_go(host_children *children); /* what only the grid itself could use */
void host_children_end(host_children *children);    /* frees all, with the operations that were not taken */

/* A call of the device runtime by a thread of the grid; any thread of exec. user: a host_children. */
void host_device_call(void *user, exec_device_call *call);

#endif
