/* face.h: what the two faces have in common. A face is the implementation of one API over host/: cudart/ of the runtime,
 * cuda/ of the driver. A call that both have under two names is a row of calls.def; its body, where it is more than one
 * call of host/, is here. What the APIs do differently stays in the face, or is a field of `face`.
 *
 * Every function returns a host_error as the checks of both APIs order them; the face makes of it what its callers get:
 * the runtime keeps a last error, the driver has fewer numbers. */
#ifndef LW_FACE_H
#define LW_FACE_H

#include "face/face_abi.h"

/* What the shared bodies must know of the face they work for. */
typedef struct face {
    const char *prefix;                     /* of the names of its calls: "cuda", "cu" */
    const char *not_supported;              /* its name of HOST_NOT_SUPPORTED, for messages */
    const char *updatable_node;             /* its name of FACE_ATTRIBUTE_UPDATABLE_NODE, for messages */
    host_error bad_array;                   /* its answer to what is no array */
    size_t kernel_params_bytes;             /* how much of face_kernel_params its newest calls have */
    host_error (*check_device)(int device); /* 0 for a device that there is */
    host_error (*kernel)(const void *function, host_kernel **out); /* what a handle of a function stands for */
    host_error (*copy)(const void *params, host_copy *out);        /* its structure for copies in three dimensions */
} face;

/* ---------------------------------------------------------------- all subjects (face.c) */
/* Says once on stderr that `what`, with the prefix before it, is not supported and which error it returns. Gives
 * HOST_NOT_SUPPORTED. */
host_error face_unsupported(const char *prefix, const char *what, const char *error_name);

/* ---------------------------------------------------------------- calls that fail (face_failure.c) */
/* What a row of a face's entrypoints.def is. */
typedef enum face_entry_kind { FACE_IMPLEMENTED, FACE_UNSUPPORTED, FACE_LAUNCH, FACE_PROBE } face_entry_kind;
typedef struct face_entry {
    const char *symbol;
    face_entry_kind kind;
} face_entry;

typedef struct face_book {
    const face_entry *rows; /* of entrypoints.def */
    size_t count;
    const char *prefix; /* of the functions behind the rows: "lw_cudart_" */
    bool keeps_last;    /* the API keeps a last error, which stays pending until it is read */
    bool runtime_names; /* of errors; else the driver's */
} face_book;

/* The single place where calls of both faces end. function: the entry point's own name (__func__), which is kept by its
 * address. An error becomes a finding unless the call only asks (PROBE), the error
 * is the answer to a question, or it only repeats an earlier fault. */
void face_end(const face_book *book, const char *function, host_error error);

/* ---------------------------------------------------------------- streams behind handles (face.c) */
/* The stream behind a handle, NULL if it is none. per_thread: handle 0 is the calling thread's stream. */
host_stream *face_stream(void *handle, bool per_thread);
/* Puts a copy or a fill on the stream of a handle. wait: the synchronous form. */
host_error face_copy_put(void *stream, bool per_thread, const host_copy *copy, bool wait);
/* Between devices. As two H100s answer: no bytes, nothing is looked at; a side that is the program's own memory is
 * refused; and in a capture the devices have to be peers. */
host_error face_copy_peer(void *stream, bool per_thread, uint64_t dst, int to, uint64_t src, int from, size_t bytes,
                          bool wait);
host_error face_copy_flat(void *stream, bool per_thread, uint64_t dst, uint64_t src, size_t bytes, int kind, bool wait);
host_error face_copy_3d(const face *self, void *stream, bool per_thread, const void *params, bool wait);
host_error face_fill_put(void *stream, bool per_thread, const host_fill *fill, bool wait);

/* ---------------------------------------------------------------- surfaces (face_surface.c) */
host_error face_surface_create(const face *self, const face_array_resource *resource, uint64_t *out);
host_error face_surface_resource(face_array_resource *out, uint64_t surface);

/* ---------------------------------------------------------------- views (face_surface.c) */
host_error face_view_read(const face_resource_view *view, host_resource_view *out); /* view NULL: none */
host_error face_view_of_texture(face_resource_view *out, uint64_t texture);

/* ---------------------------------------------------------------- devices (face_device.c) */
int face_device_attribute(int attribute); /* 0 if there is none of this number */
host_error face_pci_bus_id(const face *self, char *out, int length, int device);
host_error face_device_by_pci_bus_id(const face *self, int *out, const char *id);
/* Whether the bits of flags that say how a host thread waits (auto, spin, yield, blocking sync) are one of these. */
bool face_schedule_known(unsigned flags);
host_error face_limit(size_t *out, int limit);
host_error face_priority_range(int *out_least, int *out_greatest);
host_error face_version(int *out);
host_error face_can_access_peer(const face *self, int *out, int device, int peer);
host_error face_peer_attribute(const face *self, int *out, int attribute, int from, int to);
host_error face_graph_memory_attribute(const face *self, int device, int attribute, void *out);
host_error face_graph_memory_set_attribute(const face *self, int device, int attribute, const void *value);

/* ---------------------------------------------------------------- memory (face_memory.c) */
#define FACE_ROW_ALIGNMENT 512 /* bytes: as an H200's driver rounds pitches */
enum { FACE_HOST_PORTABLE = 1, FACE_HOST_MAPPED = 2, FACE_HOST_WRITE_COMBINED = 4 }; /* cudaHostAlloc, cuMemHostAlloc */
#define FACE_HOST_FLAGS ((unsigned)(FACE_HOST_PORTABLE | FACE_HOST_MAPPED | FACE_HOST_WRITE_COMBINED))
enum { FACE_IPC_LAZY_PEERS = 1 }; /* cudaIpcMemLazyEnablePeerAccess, the only flag, which must be given */
enum { FACE_ATTACH_GLOBAL = 1, FACE_ATTACH_HOST = 2, FACE_ATTACH_SINGLE = 4 }; /* cudaMemAttach..., CU_MEM_ATTACH_... */
static inline bool face_attach_known(unsigned flags)
{
    return flags == FACE_ATTACH_GLOBAL || flags == FACE_ATTACH_HOST || flags == FACE_ATTACH_SINGLE;
}

host_error face_copy_batch(void *stream, bool per_thread, const uint64_t *dsts, const uint64_t *srcs,
                           const size_t *sizes, size_t count);
host_error face_prefetch(void *stream, bool per_thread, uint64_t pointer, size_t bytes, host_location location,
                         unsigned flags);
host_error face_range_attributes(void **data, const size_t *sizes, const int *attributes, size_t count,
                                 uint64_t pointer, size_t bytes);

host_error face_device_pool(const face *self, int device, bool current, void **out);
host_error face_device_set_pool(const face *self, int device, void *pool);
host_error face_location_pool(const face *self, const host_location *location, int type, bool current, void **out);
host_error face_location_set_pool(const face *self, const host_location *location, int type, void *pool);
host_error face_pool_create(const face *self, const face_pool_props *props, void **out);
host_error face_pool_export(const face *self, void *out, void *pool, int type, unsigned flags);
host_error face_pool_import(const face *self, void **out, void *handle, int type, unsigned flags);
host_error face_pool_check(void *pool); /* 0 for a live pool */
host_error face_pool_set_access(void *pool, const face_access_desc *list, size_t count);
host_error face_pool_access(void *pool, const host_location *location, int *out);

/* ---------------------------------------------------------------- streams and capture (face_stream.c) */
host_error face_stream_flags(const host_stream *stream, unsigned *out);
host_error face_stream_priority(const host_stream *stream, int *out);
host_error face_stream_id(const host_stream *stream, uint64_t *out);
host_error face_stream_copy_attributes(host_stream *stream, const host_stream *source); /* source: NULL is refused */
host_error face_stream_device(const host_stream *stream, int *out);
host_error face_stream_attribute(const host_stream *stream, int attribute, face_attribute_value *out);
host_error face_stream_set_attribute(host_stream *stream, int attribute, const face_attribute_value *value);

host_error face_capture_begin_into(host_stream *stream, host_graph *graph, host_node *const *dependencies, size_t count,
                                   int mode);
host_error face_capture_status(host_stream *stream, int *out);
/* out_status is needed, the others may be NULL. Edge data are never given: all edges are plain. */
host_error face_capture_info(host_stream *stream, int *out_status, uint64_t *out_id, host_graph **out_graph,
                             host_node *const **out_dependencies, const face_edge_data **out_edges, size_t *out_count);
host_error face_capture_update(host_stream *stream, host_node **nodes, size_t count, unsigned flags);
host_error face_capture_exchange_mode(int *mode);

/* ---------------------------------------------------------------- launches (face_launch.c) */
host_launch_config face_config(const uint32_t grid[3], const uint32_t block[3], uint64_t shared, host_stream *stream);
host_error face_config_attributes(const face *self, host_launch_config *config, const face_attribute *attributes,
                                  uint32_t count);
/* The packed parameters that extra[] names: pairs of key and value up to a NULL key. NULL and 0 without them. */
host_error face_packed(void **extra, const void **out, size_t *out_bytes);

/* ---------------------------------------------------------------- kernels and libraries (face_kernel.c) */
/* function: a handle as the face takes it. */
host_error face_kernel_set_attribute(const face *self, const void *function, int attribute, int value);
host_error face_kernel_set_cache(const face *self, const void *function, int config);
host_error face_kernel_set_banks(const face *self, const void *function, int config);
host_error face_kernel_name(const face *self, const void *function, const char **out);
host_error face_kernel_param(const face *self, const void *function, size_t index, size_t *out_offset,
                             size_t *out_bytes);
host_error face_occupancy_shared(const face *self, const void *function, int blocks, int block_threads, size_t *out);

host_error face_library_check(const host_module *library); /* 0 for a live library */
host_error face_library_unload(host_module *library);
host_error face_library_kernel(host_module *library, const char *name, host_kernel **out);
host_error face_library_kernel_count(host_module *library, unsigned *out);
host_error face_library_kernels(host_module *library, host_kernel **out, unsigned count);

/* ---------------------------------------------------------------- graph nodes: operations (face_op.c) */
/* From the parameters of a node to the operation it holds. On success the caller owns what *out owns. */
host_error face_op_kernel(const face *self, const face_kernel_params *params, size_t params_bytes, host_op *out);
host_error face_op_copy(const face *self, const void *params, host_op *out);
host_error face_op_fill(const face_memset_params *params, host_op *out);
host_error face_op_host(const face_host_params *params, host_op *out);
host_error face_op_event(host_event *event, bool record, host_op *out);
host_error face_op_child(host_graph *graph, host_op *out);
host_error face_op_alloc(face_alloc_params *params, host_op *out); /* params->pointer gets the address */
host_error face_op_free(uint64_t pointer, host_op *out);
host_error face_op_empty(host_op *out);
host_error face_op_any(const face *self, face_node_params *params, host_op *out);

/* Give the operation to a new node, a node or a node of an executable graph, unless making it failed with `error`. */
host_error face_graph_add(host_error error, const host_op *op, host_graph *graph, host_node *const *dependencies,
                          size_t count, host_node **out);
host_error face_node_set(host_error error, const host_op *op, host_node *node);
host_error face_exec_set(host_error error, const host_op *op, host_graph_exec *exec, host_node *node);

/* The same as expressions, in a function with parameters of these names; make is an expression that fills `op` and gives
 * a host_error. */
#define FACE_ADD_NODE(make)                                                                                            \
    ({                                                                                                                 \
        host_op op;                                                                                                    \
        face_graph_add(make, &op, graph, dependencies, count, out);                                                    \
    })
#define FACE_SET_NODE(make)                                                                                            \
    ({                                                                                                                 \
        host_op op;                                                                                                    \
        face_node_set(make, &op, node);                                                                                \
    })
#define FACE_EXEC_SET(make)                                                                                            \
    ({                                                                                                                 \
        host_op op;                                                                                                    \
        face_exec_set(make, &op, exec, node);                                                                          \
    })

/* And back. HOST_INVALID_VALUE for a node of another kind. */
const host_op *face_node_op(const host_node *node, host_op_kind kind); /* NULL for another kind */
host_error face_node_kernel(host_node *node, face_kernel_params *out, size_t out_bytes);
host_error face_node_fill(const host_node *node, face_memset_params *out);
host_error face_node_host(const host_node *node, face_host_params *out);
host_error face_node_event(const host_node *node, bool record, host_event **out);
host_error face_node_child(const host_node *node, host_graph **out);
host_error face_node_alloc(const host_node *node, face_alloc_params *out);
host_error face_node_free(const host_node *node, uint64_t *out);
host_error face_node_attribute(const host_node *node, int attribute, face_attribute_value *out);
host_error face_node_set_attribute(const face *self, host_node *node, int attribute, const face_attribute_value *value);
host_error face_node_copy_attributes(host_node *dst, const host_node *src);

/* ---------------------------------------------------------------- graphs (face_graph.c) */
/* Lists: *count is the room on the way in, what there is (or was given) on the way out; room that is left over is
 * cleared. Without a list only *count is set. */
host_error face_graph_destroy(host_graph *graph);
host_error face_graph_clone(host_graph *graph, host_graph **out);
host_error face_graph_nodes(const host_graph *graph, host_node **out, size_t *count);
host_error face_graph_roots(const host_graph *graph, host_node **out, size_t *count);
host_error face_graph_edges(const host_graph *graph, host_node **from, host_node **to, face_edge_data *edges,
                            size_t *count);
host_error face_node_dependencies(const host_node *node, host_node **out, face_edge_data *edges, size_t *count);
host_error face_node_dependents(const host_node *node, host_node **out, face_edge_data *edges, size_t *count);
host_error face_node_type(const host_node *node, int *out);
host_error face_node_in_clone(const host_node *original, host_graph *clone, host_node **out);

host_error face_graph_instantiate(const face *self, host_graph *graph, uint64_t flags, host_graph_exec **out);
host_error face_graph_instantiate_with(const face *self, host_graph *graph, face_instantiate_params *params,
                                       host_graph_exec **out);
host_error face_exec_flags(const host_graph_exec *exec, uint64_t *out);
host_error face_exec_update(host_graph_exec *exec, host_graph *graph, face_update_info *out);
host_error face_exec_enabled(host_graph_exec *exec, const host_node *node, unsigned *out);

host_error face_user_create(host_user **out, void *pointer, void (*destroy)(void *), unsigned count, unsigned flags);
host_error face_graph_retain(host_graph *graph, host_user *user, unsigned count, unsigned flags);

#endif
