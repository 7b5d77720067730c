/* graph: graphs, their nodes and the user objects they hold (graph.c, graph_exec.c, user_object.c). */
#ifndef LW_HOST_GRAPH_PRIV_H
#define LW_HOST_GRAPH_PRIV_H

#include "host/emit_priv.h"
#include "host/graph.h"
#include "host/op_priv.h"
#include "host/state_priv.h"
#include "host/user_object.h"

struct host_node {
    host_graph *graph;
    host_op op;
    uint64_t id; /* kept by clones: how host_graph_find_clone finds its node */
    host_node_vec from, to;
    void **params;  /* host_node_params() */
    uint32_t index; /* scratch of graph_exec.c */
    bool disabled;  /* of an executable graph */
};

typedef struct host_user_ref {
    host_user *user;
    uint32_t count;
} host_user_ref;

struct host_graph {
    host_context *context;
    LW_VEC(host_user_ref) users;
    host_node_vec nodes; /* in order of creation */
    bool is_child;       /* owned by a node of another graph */
    host_graph *outer;   /* whose conditional node it is a body of */
    host_node **order;   /* of executable graphs: an order that edges allow */
};

/* A handle of conditional nodes. */
typedef struct host_condition {
    const host_graph *graph; /* that it was made for; NULL: destroyed */
    bool taken, assigned;    /* a node has it; each launch begins with `first` */
    uint32_t first, value;
} host_condition;

/* What kernels of a graph that runs have launched: graphs that follow when it has ended, and how many beside it. */
typedef struct host_graph_run {
    LW_VEC(host_graph_exec *) tails;
    uint32_t forgotten;
} host_graph_run;

struct host_graphs {
    host_graph_run run; /* the engine's, or with the lock of a grid's children held */
    bool device_launch; /* some graph was instantiated for launches by kernels */
    LW_VEC(host_condition) conditions;
    LW_VEC(host_graph *) all;
    LW_VEC(host_graph_exec *) execs;
    uint64_t last_node;
    uint64_t launches;     /* the number of the last graph launch */
    LW_VEC(uint64_t) live; /* addresses that allocation nodes gave, and nobody freed yet */
};

/* Memory of allocation nodes stays where it is; for clients of events it is there from the node to its free. at: where
 * the operation stands that does it, or NULL. Memory that is still there when its node runs again is freed first. */
bool host_graph_owns(const mem_allocation *allocation);
void host_graph_memory_begin(host_context *context, uint64_t address, uint64_t bytes, const host_place *at);
void host_graph_memory_end(host_context *context, uint64_t address, const host_place *at);

/* Executable graphs that kernels launch. */
bool host_graph_exec_launchable(host_context *context, const host_graph_exec *exec); /* by a kernel */
const host_graph *host_graph_exec_graph(const host_graph_exec *exec);
void host_graph_execs_free(host_context *context);
void host_graphs_free(host_context *context);
void host_graph_users_copy(const host_graph *from, host_graph *to);
void host_graph_users_drop(host_graph *graph);

#endif
