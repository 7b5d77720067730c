/* Operations: what a stream carries out and what a node of a graph holds. */
#ifndef LW_HOST_OP_H
#define LW_HOST_OP_H

#include "host/copy.h"
#include "host/launch.h"
#include "host/library.h"
#include "host/types.h"

/* What a stream carries out and what a graph node holds. */
typedef enum host_op_kind { /* = cudaGraphNodeType = CUgraphNodeType */
                            HOST_OP_KERNEL = 0,
                            HOST_OP_COPY = 1,
                            HOST_OP_FILL = 2,
                            HOST_OP_FUNCTION = 3,
                            HOST_OP_GRAPH = 4,
                            HOST_OP_EMPTY = 5,
                            HOST_OP_EVENT_WAIT = 6,
                            HOST_OP_EVENT_RECORD = 7,
                            HOST_OP_MEMORY_ALLOC = 10,
                            HOST_OP_MEMORY_FREE = 11,
                            HOST_OP_CONDITIONAL = 13,
                            HOST_OP_LIBRARY = 50,   /* a call of cuBLAS and others; to the program it is a kernel */
                            HOST_OP_CALLBACK = 100, /* from here on: streams only */
                            HOST_OP_VALUE,
                            HOST_OP_CONDITION,    /* the value of a handle, before a graph's first node */
                            HOST_OP_GRAPH_LAUNCH, /* by a kernel */
                            HOST_OP_GRAPH_END     /* behind a graph's last node: what its kernels left for then */
} host_op_kind;

typedef struct host_op {
    host_op_kind kind;
    union {
        struct {
            host_kernel *kernel;
            host_launch_config config; /* stream NULL in graphs */
            uint8_t *params;           /* the packed image; owned by the operation */
            uint32_t param_bytes;
            uint32_t bank_bytes;    /* of shared memory, as set when it was launched */
            host_kernel *parent;    /* the kernel that launched it; NULL: the host did */
            uint32_t parent_site;   /* the launch, in the parent's code_kernel.sites */
            host_graph_exec *graph; /* that it runs in, if kernels may launch it */
        } kernel;
        struct {
            host_copy copy;
            uint8_t *staged; /* owned copy of pageable source bytes, or NULL */
        } copy;
        host_fill fill;
        struct {
            void (*function)(void *user);
            void (*callback)(void *stream, int error, void *user);
            void *user, *handle;
        } function;
        struct {
            host_graph *graph; /* owned by the node */
        } graph;
        struct {
            uint64_t handle;
            host_graph **bodies; /* count of them, owned by the node; a queued operation borrows them */
            int type;
            uint32_t count;
        } conditional;
        struct {
            uint64_t handle;
            uint32_t value;
        } condition;
        struct {
            host_graph_exec *exec;
            bool tail;
        } launch;
        struct {
            host_event *event;
        } event;
        struct {
            uint64_t address, bytes;
        } memory;
        struct {
            uint64_t address, value;
            uint32_t bytes, flags;
            bool wait;
        } value;
        struct {
            host_library_call call;
            void *args; /* owned by the operation */
        } library;
    } u;
} host_op;

#endif
