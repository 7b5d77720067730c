/* host_priv.h: what the files of the host room share. */
#ifndef LW_HOST_PRIV_H
#define LW_HOST_PRIV_H

#include <pthread.h>
#include <regex.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "code/code.h"
#include "exec/exec.h"
#include "host/cuda_numbers.h"
#include "host/emit_priv.h"
#include "host/host.h"
#include "host/queue_priv.h"
#include "result/result.h"

/* ---- handles: the live objects that programs hold pointers to (handle.c) ---- */
typedef enum host_type {
    HOST_T_STREAM = 1,
    HOST_T_EVENT,
    HOST_T_MODULE,
    HOST_T_KERNEL,
    HOST_T_GRAPH,
    HOST_T_NODE,
    HOST_T_GRAPH_EXEC,
    HOST_T_POOL,
    HOST_T_ARRAY,
    HOST_T_USER
} host_type;
typedef struct host_handle_slot {
    const void *key; /* NULL free, HOST_TOMB removed */
    host_type type;
} host_handle_slot;
typedef struct host_handles {
    pthread_mutex_t lock;
    host_handle_slot *slots;
    size_t capacity, used, live;
} host_handles;
void host_handle_add(host_context *context, const void *object, host_type type);
void host_handle_remove(host_context *context, const void *object);
bool host_handle_is(host_context *context, const void *object, host_type type);

void host_run(host_context *context, const host_op *op, const host_place *at); /* run.c: carries an operation out */

/* ---- launches ---- */
/* What event_launch.owner points to. */
typedef struct host_launch_facts {
    host_context *context;
    const host_op *op;
    const exec_result *result; /* NULL until the launch has run, and if it could not */
} host_launch_facts;
/* The clients that listen to one launch. */
typedef struct host_listeners {
    event_listener listener[HOST_CLIENT_LIMIT];
    void *session[HOST_CLIENT_LIMIT];
    uint32_t count;
} host_listeners;
void host_clients_begin(host_context *context, const event_client *const *clients, size_t count,
                        void (*finding)(void *owner, const event_finding *finding));
void host_clients_end(host_context *context);
void host_client_add(host_context *context, const event_client *client); /* beside the rows of the table */
void host_clients_launch_begin(host_context *context, const event_launch *launch, const host_place *at,
                               host_listeners *out);
void host_clients_launch_end(host_context *context, const event_launch *launch, const host_place *at,
                             const host_listeners *listeners);

/* ---- objects ---- */
typedef LW_VEC(host_node *) host_node_vec;

typedef struct host_capture {
    host_graph *graph;
    bool own_graph; /* made by the capture */
    int status;     /* host_capture_status */
    int mode;       /* host_capture_mode */
    uint64_t id, thread;
    host_stream *origin;
    host_node_vec left; /* fronts of streams that were destroyed meanwhile */
} host_capture;

struct host_stream {
    host_context *context;
    uint32_t flags; /* host_stream_flag */
    int priority;
    uint64_t id, last; /* serial of the last operation put */
    bool is_default;
    host_capture *capture; /* NULL: not capturing */
    host_node_vec front;   /* nodes the next captured operation depends on */
};

/* Where an operation of the stream with this number stands. NULL: of no stream. */
static inline host_place host_place_of(const host_stream *s, uint64_t number)
{
    if (!s) return (host_place){.number = number};
    return (host_place){.number = number,
                        .stream = s->id,
                        .is_default = s->is_default,
                        .blocking = !(s->flags & HOST_STREAM_NON_BLOCKING)};
}

struct host_event {
    host_context *context;
    uint32_t flags;
    bool recorded;
    uint64_t serial; /* of the last record */
    double time;     /* seconds; valid when that serial is done */
    host_capture *capture;
    host_node_vec front;
};

struct host_node {
    host_graph *graph;
    host_op op;
    uint64_t id; /* kept by clones: how host_graph_find_clone finds its node */
    host_node_vec from, to;
    void **params;  /* host_node_params() */
    uint32_t index; /* scratch of graph_exec.c */
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
};

struct host_pool {
    host_context *context;
    uint64_t max_bytes, used, used_high, release_threshold;
    int flags[4];
    bool is_default;
    mem_kind kind;
};
#define HOST_POOL_KINDS 3 /* MEM_DEVICE, MEM_MANAGED, MEM_PINNED */

/* A kernel of a module. */
struct host_kernel {
    host_module *module;
    const char *name; /* owned by the entry function */
    const ptx_function *entry;
    code_kernel *code; /* NULL until needed */
    host_error build_error;
    bool built;
    int machine_registers; /* of the machine code beside the PTX; 0 unknown */
    uint32_t machine_local;
    int max_dynamic_shared, carveout, cache, nonportable_cluster, cluster_policy, required_cluster[3];
    int bank_config; /* cudaSharedMemConfig; 0: the device's */
    char *demangled; /* made when needed */
    /* Facts for result rows, made at the first counted launch (client_counts.c). */
    struct host_sites *sites;
};

typedef struct host_variable {
    uint64_t address, bytes;
    uint8_t *initial; /* NULL: zeros */
    bool initialised;
} host_variable;

struct host_module {
    host_context *context;
    struct host_module *next;
    uint32_t number;     /* 1, 2, 3 ... */
    const void *wrapper; /* declared modules: the registration data */
    int64_t built;       /* of declared modules: when their program or library was written, in Unix seconds; else 0 */
    bool tried;
    host_error error;
    LW_VEC(ptx_module *) parts;
    LW_VEC(lw_span) images; /* containers that may hold machine code of the kernels */
    LW_VEC(host_variable) variables;
    LW_VEC(host_kernel *) kernels;
    code_image *image;
    int global_l1; /* model_l1: -dlcm of the assembler */
    uint64_t constant_bytes;
    uint32_t max_registers; /* -maxrregcount, CU_JIT_MAX_REGISTERS; 0: none */
    lw_arena arena;
};

typedef struct host_heap host_heap;

typedef struct host_hint host_hint;
typedef struct host_texture host_texture;
enum { HOST_TEXTURES_FIRST = 64 }; /* textures in the first chunk of the table */

/* ---- the context's parts, each with the file that keeps it; the context's lock protects them unless said otherwise */
typedef struct host_results { /* results.c */
    result_log *log;          /* through host_log(); NULL: nobody listens */
    bool open_later;          /* child of fork(): opens the log when it has something to write */
    LW_VEC(char *) notes;     /* said already */
} host_results;

typedef struct host_selection { /* client_counts.c: which launches are counted */
    bool has_filter;
    regex_t filter; /* valid with has_filter: on the name, mangled or not */
    uint64_t index; /* launches that passed the filter so far; the engine's thread alone */
} host_selection;

typedef struct host_modules { /* module.c */
    host_module *first;
    uint32_t made; /* the last one's number */
} host_modules;

typedef struct host_streams { /* stream.c, capture.c */
    host_stream legacy;
    LW_VEC(host_stream *) all; /* but legacy */
    LW_VEC(host_event *) events;
    LW_VEC(host_capture *) captures; /* under way */
    uint64_t last_id, last_capture;
} host_streams;

typedef struct host_graphs { /* graph.c, graph_exec.c */
    LW_VEC(host_graph *) all;
    LW_VEC(host_graph_exec *) execs;
    uint64_t last_node;
} host_graphs;

typedef struct host_pools {                                         /* memory.c */
    LW_VEC(host_pool *) all;                                        /* but the defaults */
    host_pool defaults[HOST_POOL_KINDS], *current[HOST_POOL_KINDS]; /* by mem_kind */
} host_pools;

typedef struct host_textures { /* texture.c */
    host_texture **chunks[24]; /* handles count from 1; NULL: destroyed */
    uint64_t count;
} host_textures;

typedef struct host_printer { /* print.c: output of the kernels' printf that was not written yet */
    pthread_mutex_t lock;     /* protects text */
    lw_text text;
} host_printer;

typedef struct host_launches { /* launch.c; the engine's thread alone */
    uint64_t last_id;          /* of a grid: %gridid */
    uint64_t workspace;        /* address of what grid.sync() counts in; 0: not made yet */
} host_launches;

typedef struct host_settings {         /* settings.c: what cudaDeviceSetLimit and the like set */
    uint64_t limits[HOST_LIMIT_COUNT]; /* by host_limit */
    int cache;                         /* host_cache_preference */
    int banks;                         /* host_bank_width */
} host_settings;

struct host_context {
    pthread_mutex_t lock; /* recursive; never held while waiting for the engine */
    pid_t pid;            /* the process it works for: another one is a child of fork() */
    host_options options; /* with strings of its own */
    host_error init_error;
    atomic_int sticky;                   /* host_error of the first fault; 0: none */
    const struct device_profile *device; /* NULL with init_error */
    mem_window *memory;                  /* NULL with init_error */
    uint64_t memory_bytes;
    host_queue *queue;
    host_clients clients;
    uint64_t graph_launches;
    host_handles handles;
    host_results results;
    host_selection selection;
    host_modules modules;
    host_streams streams;
    host_graphs graphs;
    host_pools pools;
    LW_VEC(host_array *) arrays; /* memory.c */
    LW_VEC(host_hint) hints;     /* managed.c */
    host_textures textures;
    host_printer print;
    host_heap *heap; /* heap.c; NULL until a kernel allocates */
    host_launches launches;
    host_settings settings;
    uint64_t last_thread; /* thread.c */
    void *faces[HOST_FACE_COUNT];
};

static inline void host_lock(host_context *c) { pthread_mutex_lock(&c->lock); }
static inline void host_unlock(host_context *c) { pthread_mutex_unlock(&c->lock); }

/* op.c: what an operation owns but for a child graph. copy: after a copy by assignment. */
void host_op_free_buffers(host_op *op);
void host_op_copy_buffers(host_op *op);
/* submit.c: puts an operation on the stream, or into its capture. wait: returns when it is done (not for captures). */
host_error host_submit(host_stream *stream, const host_op *op, bool wait);

/* device.c: profile by name ("H200", "cc:9.0"; NULL: the default), or NULL with a reason */
const struct device_profile *host_device_find(const char *name, lw_error *error);
uint64_t host_device_profile_bytes(const struct device_profile *profile);
uint32_t host_device_cc(const host_context *context); /* 90 */
void host_device_cc_text(const host_context *context, char out[8]);
/* settings.c */
void host_settings_default(host_context *context);
/* results.c */
result_log *host_log(host_context *context); /* NULL: nobody listens */
void host_results_open(host_context *context);
void host_results_close(host_context *context);
/* context.c: the process's context, made with these options if there is none; *out_made: it was */
host_context *host_context_make(const host_options *options, bool *out_made);
host_context *host_context_current(void); /* NULL: none was made */
void host_context_set_selection(host_context *context);
void host_context_set_device(host_context *context);
void host_watch_interrupts(void);
void host_fault(host_context *context, host_error error); /* makes an error sticky; the first wins */
void host_print_flush(host_context *context);             /* device printf -> stdout */
void host_module_reset(host_module *module);              /* forgets kernels and variables; a later use loads again */
/* print.c */
int host_print(void *context, const char *format, const uint8_t *arguments, uint64_t bytes);
/* heap.c */
uint64_t host_heap_alloc(void *context, uint64_t bytes);
void host_heap_free(void *context, uint64_t address);
void host_heap_destroy(host_context *context);
/* texture.c */
bool host_texture_fetch(void *context, uint64_t texture, uint32_t dimensions, bool layered, bool coordinates_float,
                        const uint32_t *coordinates, ptx_type type, uint32_t out[4], uint64_t *out_address);
void host_textures_free(host_context *context);
/* kernel.c */
host_error host_kernel_need(host_kernel *kernel);
void host_kernel_free(host_kernel *kernel);
int host_kernel_max_dynamic(const host_kernel *kernel);
const char *host_kernel_demangled(host_kernel *kernel);
/* residency.c; the kernel is built */
uint32_t host_blocks_per_sm(const host_kernel *kernel, uint64_t threads, uint64_t dynamic_shared);
uint32_t host_resident_clusters(const host_kernel *kernel, const host_launch_config *config, uint64_t size);
result_occupancy host_occupancy_of_launch(const host_kernel *kernel, const host_launch_config *config);
/* launch.c */
host_error host_cluster_check(const host_kernel *kernel, host_launch_config *config, bool any_size);
/* launch_run.c: runs a checked kernel operation to its end */
void host_launch_run(host_context *context, const host_op *op, const host_place *at);
/* source_place.c */
bool host_is_toolkit_file(const char *file);
const ptx_line *host_visible_frame(const ptx_line *leaf);
const char *host_frame_function(const ptx_line *frame, const ptx_function *function);
/* finding.c */
void host_report(void *context, const event_finding *finding); /* what any client found */
void host_finding(host_context *context, const event_launch *launch, const exec_fault *fault);
/* demangle.c: malloc'ed text; never NULL */
char *host_demangle(const char *mangled);
char *host_demangle_text(const char *text); /* a copy with every mangled name in it demangled */
/* stream.c, graph.c, copy.c, memory.c */
void host_streams_free(host_context *context);
void host_graph_execs_free(host_context *context);
void host_graphs_free(host_context *context);
void host_graph_users_copy(const host_graph *from, host_graph *to);
void host_graph_users_drop(host_graph *graph);
host_error host_copy_check(host_context *context, host_copy *copy);
void host_copy_run(const host_copy *copy);
void host_fill_run(const host_fill *fill);
bool host_side_is_pageable(host_context *context, const host_side *side, uint64_t width, uint64_t height,
                           uint64_t depth);
/* Frees an allocation if there is one; at: where the operation stands that does, or NULL. */
void host_release(host_context *context, uint64_t address, const host_place *at);
/* Streams and events forget a capture that has ended; frees it and, if asked, the graph it made. */
void host_capture_drop(host_capture *capture, bool with_graph);
void host_capture_invalidate(host_capture *capture);
/* A stream that is destroyed leaves its capture: what it had to be joined for must be joined still. */
void host_capture_leave(host_stream *s);
/* Called before work on a stream: HOST_STREAM_CAPTURE_IMPLICIT when the legacy stream is used during a capture. */
host_error host_capture_check_legacy(host_stream *stream);
host_error host_capture_record(host_event *event, host_stream *stream, uint32_t flags);
host_error host_capture_wait(host_stream *stream, host_event *event, uint32_t flags);
/* The node of a captured operation; takes over what *op owns. */
host_error host_capture_add(host_stream *stream, const host_op *op);

#endif
