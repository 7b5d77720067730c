/* host: the device runtime below both faces (cudart/, cuda/): one process context, modules, memory, streams,
 * events, graphs, launches, and the collection of results.
 *
 * Rules. Every function that can fail returns a host_error: 0 or a CUDA error number (the runtime's cudaError_t and the
 * driver's CUresult share their numbers, errors.def). Nothing here keeps a "last error": that belongs to the faces.
 * Device pointers are host addresses (uint64_t). Handles are pointers to objects of this room; they are checked against
 * a table of live handles before use, so a stale or foreign handle gives an error and not a crash.
 *
 * Order of execution. All streams feed one FIFO that one engine thread drains: the order of issue is a valid order of
 * any stream program, and kernel launches stay asynchronous to the caller. Faults are sticky and appear at the next
 * call that asks. Every function may be called from any host thread. */
#ifndef LW_HOST_H
#define LW_HOST_H

#include "code/code.h"
#include "exec/exec.h"
#include "host/options.h"
#include "memory/memory.h"

typedef int host_error;
enum {
#define HOST_ERROR(id, number, runtime_name, driver_name, text) HOST_##id = number,
#include "host/errors.def"
#undef HOST_ERROR
};

typedef struct host_error_desc {
    int number;
    const char *runtime_name, *driver_name, *text; /* driver_name NULL: not an error of the driver API */
} host_error_desc;
/* The row of an error number, or NULL. */
const host_error_desc *host_error_find(int number);

typedef struct host_context host_context;
typedef struct host_module host_module;
typedef struct host_kernel host_kernel;
typedef struct host_stream host_stream;
typedef struct host_event host_event;
typedef struct host_graph host_graph;
typedef struct host_node host_node;
typedef struct host_graph_exec host_graph_exec;
typedef struct host_pool host_pool;
typedef struct host_array host_array;

struct device_profile;

/* ---------------------------------------------------------------- context (context.c) */
/* The process's context, for the faces: made on first use with the environment's options. Never NULL. */
host_context *host_get(void);
/* The process's context with these options. If there is one already it takes them on; another device or another
 * amount of memory is then an HOST_ILLEGAL_STATE while modules are loaded or registered, and else like host_reset().
 * Else host_status(). *out is never NULL. One caller at a time. */
host_error host_open(const host_options *options, host_context **out);
/* 0, or why there is no device (HOST_NO_DEVICE, HOST_INITIALIZATION_ERROR; the reason was written to stderr once), or
 * the sticky error of a faulted kernel. */
host_error host_status(host_context *context);
const struct device_profile *host_device(const host_context *context);
mem_window *host_memory(host_context *context);
/* Waits for all work, frees everything the program made (memory, streams, events, graphs, loaded modules keep their
 * registration), clears the sticky error: cudaDeviceReset, destruction of the last driver context. */
host_error host_reset(host_context *context);
/* Says a thing once: one line on stderr ("lanewise: ...") and a message in the results. */
void host_note(host_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a face keeps per host thread. Made on first use; zero-initialised; freed at thread exit. */
typedef struct host_thread {
    host_stream *default_stream; /* the per-thread default stream, made by host_thread_stream() */
    int capture_mode;            /* cudaStreamCaptureMode of the thread; 0 global */
    uint64_t id;                 /* 1, 2, 3 ... */
    void *runtime, *driver;      /* the faces' own state, free()d with the thread */
} host_thread;
host_thread *host_thread_get(void);

/* Zeroed memory of a face, made at the first call, one per process; it starts with a pthread_mutex_t, initialised. */
typedef enum host_face_id { HOST_FACE_RUNTIME, HOST_FACE_DRIVER, HOST_FACE_COUNT } host_face_id;
void *host_face(host_context *context, host_face_id id, size_t bytes);
bool host_face_made(host_context *context, host_face_id id); /* whether that face was used in this process */

/* Limits with cudaLimit / CUlimit numbers (0 stack, 1 printf fifo, 2 malloc heap, 3 sync depth, 4 pending launches,
 * 5 L2 fetch granularity, 6 persisting L2). */
host_error host_limit_get(host_context *context, int limit, uint64_t *out_value);
host_error host_limit_set(host_context *context, int limit, uint64_t value);

/* The device's preferred cache configuration (cudaFuncCache number): read or set. */
host_error host_cache_config(host_context *context, int *config, bool set);
/* Width of the banks of shared memory (cudaSharedMemConfig number): read or set. Only 3.x takes notice. */
host_error host_bank_config(host_context *context, int *config, bool set);

/* Device attribute by its CUDA number (cudaDeviceAttr = CUdevice_attribute); HOST_INVALID_VALUE if unknown. */
host_error host_device_attribute(host_context *context, int attribute, int *out_value);
const char *host_device_name(const host_context *context);
void host_device_uuid(const host_context *context, uint8_t out[16]);
uint64_t host_device_memory_bytes(host_context *context);
void host_memory_info(host_context *context, uint64_t *out_free, uint64_t *out_total);

/* ---------------------------------------------------------------- modules (module.c) */
/* What a module is made of: each part is PTX text, a fatbin container, a __fatBinC_Wrapper, or an ELF cubin/relocatable
 * (cubins carry no PTX and are named as such). Parts are linked together (-rdc, cuLink*). bytes 0: unknown, taken from
 * the data. The data of parts may go away after the call. */
typedef struct host_part {
    const char *name; /* for messages; NULL: "module" */
    const void *data;
    size_t bytes;
} host_part;

/* Parses and links at once. HOST_NO_KERNEL_IMAGE_FOR_DEVICE (no PTX usable on the device), HOST_INVALID_PTX,
 * HOST_INVALID_KERNEL_IMAGE, HOST_SYMBOL_NOT_FOUND / duplicates -> HOST_INVALID_PTX; error has the text for a JIT log.
 */
/* Caps the registers of kernels that are not yet decoded, as -maxrregcount does. 0: no cap. */
void host_module_cap_registers(host_module *module, uint32_t most);
host_error host_module_load(host_context *context, const host_part *parts, size_t part_count, host_module **out,
                            lw_error *error);
/* Like host_module_load, but only remembers the parts (which must stay); the work is done by host_module_need(). */
host_module *host_module_declare(host_context *context, const void *fatbin_wrapper);
/* Parses and links a declared module if that was not done yet; prints the reason of a failure once. */
host_error host_module_need(host_module *module);
/* Waits for all work, frees the module, its kernels and variables. */
host_error host_module_unload(host_module *module);
/* HOST_SYMBOL_NOT_FOUND. Kernels are owned by the module; equal names give the equal pointer. */
host_error host_module_kernel(host_module *module, const char *name, host_kernel **out);
host_error host_module_symbol(host_module *module, const char *name, uint64_t *out_address, uint64_t *out_bytes);
size_t host_module_kernel_count(host_module *module);
host_error host_module_kernels(host_module *module, host_kernel **out, size_t capacity);
bool host_kernel_valid(const host_kernel *kernel);
bool host_module_valid(const host_module *module);

/* ---------------------------------------------------------------- kernels (kernel.c) */
typedef struct host_kernel_info {
    const char *name; /* mangled */
    host_module *module;
    uint32_t param_count;
    uint64_t static_shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version /* 90 */, binary_version /* 90 */;
    bool registers_estimated;
    int required_cluster[3];
    bool cluster_must_be_set;
} host_kernel_info;
/* Decodes the kernel if needed. HOST_NOT_SUPPORTED when it contains what is not supported (named on stderr once). */
host_error host_kernel_query(host_kernel *kernel, host_kernel_info *out);
host_error host_kernel_param(host_kernel *kernel, size_t index, size_t *out_offset, size_t *out_bytes);
/* Function attributes that can be set: numbers of cudaFuncAttribute = CUfunction_attribute (8 max dynamic shared bytes,
 * 9 carveout, 10 cluster must be set, 11..13 required cluster, 14 non-portable cluster, 15 cluster scheduling). */
host_error host_kernel_attribute_set(host_kernel *kernel, int attribute, int value);
host_error host_kernel_attribute_get(host_kernel *kernel, int attribute, int *out_value);
/* cudaFuncCache number. */
host_error host_kernel_cache_set(host_kernel *kernel, int config);
host_error host_kernel_bank_set(host_kernel *kernel, int config);

/* Occupancy with the kernel's resources. cluster NULL: none. */
host_error host_occupancy_blocks(host_kernel *kernel, int block_threads, uint64_t dynamic_shared,
                                 int *out_blocks_per_sm);
host_error host_occupancy_available_shared(host_kernel *kernel, int blocks, int block_threads, uint64_t *out_bytes);

/* fatbin_select_ptx for the context's device. Devices that toolkits compile no more for take PTX of
 * FATBIN_OLDEST_TARGET too, with a note. */
struct fatbin_entry;
lw_status host_select_ptx(host_context *context, lw_span image, lw_arena *arena, lw_span *out_text,
                          struct fatbin_entry *out_entry, lw_error *error);

typedef struct host_launch_config {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* if cluster_given; else the kernel's own, if any */
    bool cluster_given;
    uint64_t dynamic_shared;
    host_stream *stream; /* resolved by host_stream_resolve() */
    bool cooperative;
    bool programmatic;            /* programmatic stream serialisation: accepted, no effect on the order */
    host_event *completion_event; /* launch completion / programmatic event, or NULL */
    int priority;
} host_launch_config;

host_error host_occupancy_clusters(host_kernel *kernel, const host_launch_config *config, int *out_clusters);
host_error host_occupancy_cluster_size(host_kernel *kernel, const host_launch_config *config, int *out_size);

/* Checks the configuration against the device and puts the launch on the stream (or into its capture). params: one
 * pointer per parameter; packed: all of them in one buffer laid out as the PTX says (params NULL). */
host_error host_launch(host_kernel *kernel, const host_launch_config *config, void *const *params, const void *packed,
                       size_t packed_bytes);

/* ---------------------------------------------------------------- memory (memory.c) */
/* A flag of MEM_DEVICE: memory of an allocation node. Its address is the graph's for good, and the next launch of the
 * graph needs it again: freeing it, by a node or a call, leaves it where it is. */
#define HOST_GRAPH_MEMORY UINT32_C(0x40000000)
host_error host_malloc(host_context *context, uint64_t bytes, mem_kind kind, uint32_t flags, uint64_t *out_address);
/* Frees memory of this kind group after all work is done: device (also managed, pool memory) or pinned. */
host_error host_free(host_context *context, uint64_t address);
host_error host_free_pinned(host_context *context, uint64_t address);
host_error host_register(host_context *context, void *pointer, uint64_t bytes, uint32_t flags);
host_error host_unregister(host_context *context, void *pointer);
/* The allocation that holds pointer; false for pageable host memory. */
bool host_pointer_find(host_context *context, uint64_t pointer, mem_allocation *out);

/* Hints about managed memory (managed.c): kept, without effect. type and id as in cudaMemLocation, advice as
 * cudaMemoryAdvise, attribute as cudaMemRangeAttribute number them; data: `size` bytes, a multiple of 4. */
typedef struct host_location {
    int type, id;
} host_location;
host_error host_location_check(host_location location); /* 0, invalid device or value */
host_error host_managed_check(host_context *context, uint64_t pointer, uint64_t bytes);
host_error host_managed_advise(host_context *context, uint64_t pointer, uint64_t bytes, int advice,
                               host_location location);
host_error host_managed_prefetch(host_context *context, uint64_t pointer, uint64_t bytes, host_location location);
host_error host_managed_attribute(host_context *context, void *data, size_t size, int attribute, uint64_t pointer,
                                  uint64_t bytes);

/* Pools (stream-ordered allocation) of device, managed or pinned memory. NULL pool: the device's current one.
 * host_pool_kind: what cudaMemLocationType and cudaMemAllocationType name together. */
host_error host_pool_kind(int location, int allocation, mem_kind *out);
host_pool *host_pool_default(host_context *context, mem_kind kind);
host_pool *host_pool_current(host_context *context, mem_kind kind);
host_error host_pool_set_current(host_context *context, mem_kind kind, host_pool *pool);
host_error host_pool_create(host_context *context, mem_kind kind, uint64_t max_bytes, host_pool **out);
/* cudaMemAccessFlags of the device (location 1) or the host; 0 for what is no pool. */
int host_pool_access(const host_pool *pool, int location);
host_error host_pool_destroy(host_pool *pool);
/* cudaMemPoolAttr numbers; value: int for 1..3, uint64_t from 4 on. */
host_error host_pool_attribute(host_pool *pool, int attribute, void *value, bool set);
host_error host_malloc_async(host_context *context, host_pool *pool, host_stream *stream, uint64_t bytes,
                             uint64_t *out_address);
host_error host_free_async(host_context *context, host_stream *stream, uint64_t address);

/* Arrays (textures): rows of pitch bytes in device memory. */
typedef struct host_format {
    int bits[4]; /* x, y, z, w */
    int kind;    /* cudaChannelFormatKind: 0 signed, 1 unsigned, 2 float */
} host_format;
struct host_array {
    uint64_t address, pitch;
    uint64_t width, height, depth; /* elements, as asked; height/depth 0 for lower dimensions */
    host_format format;
    uint32_t element_bytes, flags;
};
host_error host_array_create(host_context *context, const host_format *format, uint64_t width, uint64_t height,
                             uint64_t depth, uint32_t flags, host_array **out);
host_error host_array_destroy(host_context *context, host_array *array);
bool host_array_valid(const host_array *array);

/* ---------------------------------------------------------------- copies and sets (copy.c) */
/* One side of a copy: rows of pitch bytes, slices of pitch * rows bytes. */
typedef struct host_side {
    uint64_t address; /* first byte that takes part */
    uint64_t pitch, rows;
} host_side;
enum { HOST_COPY_H2H, HOST_COPY_H2D, HOST_COPY_D2H, HOST_COPY_D2D, HOST_COPY_DEFAULT }; /* = cudaMemcpyKind */
typedef struct host_copy {
    host_side dst, src;
    uint64_t width, height, depth; /* bytes, rows, slices; height and depth at least 1 unless the copy is empty */
    int kind;
} host_copy;
static inline host_copy host_copy_flat(uint64_t dst, uint64_t src, uint64_t bytes, int kind)
{
    return (host_copy){{dst, bytes, 1}, {src, bytes, 1}, bytes, 1, 1, kind};
}
typedef struct host_fill {
    host_side dst;
    uint32_t value, element_bytes; /* 1, 2, 4 */
    uint64_t width, height, depth; /* elements, rows, slices */
} host_fill;
/* wait: the synchronous form. HOST_INVALID_VALUE, HOST_INVALID_MEMCPY_DIRECTION, HOST_INVALID_PITCH_VALUE. */
host_error host_copy_put(host_context *context, host_stream *stream, const host_copy *copy, bool wait);
host_error host_fill_put(host_context *context, host_stream *stream, const host_fill *fill, bool wait);

/* ---------------------------------------------------------------- streams and events (stream.c, engine.c) */
/* Raw stream handles of both APIs: 0 and 1 are the legacy default stream, 2 the per-thread default stream; with
 * per_thread set, 0 is the per-thread one too. NULL if the handle is not live. */
host_stream *host_stream_resolve(host_context *context, void *handle, bool per_thread);
host_error host_stream_create(host_context *context, uint32_t flags, int priority, host_stream **out);
host_error host_stream_destroy(host_stream *stream);
host_error host_stream_synchronize(host_stream *stream);
host_error host_stream_query(host_stream *stream); /* 0 or HOST_NOT_READY */
uint32_t host_stream_flags(const host_stream *stream);
int host_stream_priority(const host_stream *stream);
uint64_t host_stream_id(const host_stream *stream);
host_error host_synchronize(host_context *context);
/* callback: runs on the engine thread when all earlier work of the stream is done. error_function:
 * cudaStreamAddCallback. */
host_error host_function_put(host_stream *stream, void (*function)(void *user), void *user);
host_error host_callback_put(host_stream *stream, void (*function)(void *stream, int error, void *user), void *handle,
                             void *user);
/* Stream memory operations of the driver API (cuStreamWriteValue32/64, cuStreamWaitValue32/64; flags as there). */
host_error host_value_put(host_stream *stream, uint64_t address, uint64_t value, uint32_t bytes, bool wait,
                          uint32_t flags);

host_error host_event_create(host_context *context, uint32_t flags,
                             host_event **out); /* 1 blocking, 2 no timing, 4 ipc */
host_error host_event_destroy(host_event *event);
host_error host_event_record(host_event *event, host_stream *stream, uint32_t flags /* 1: external */);
host_error host_event_synchronize(host_event *event);
host_error host_event_query(host_event *event);
host_error host_event_elapsed(host_event *start, host_event *end, float *out_milliseconds);
host_error host_stream_wait_event(host_stream *stream, host_event *event, uint32_t flags /* 1: external */);
bool host_event_valid(const host_event *event);

/* ---------------------------------------------------------------- operations */
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
                            HOST_OP_CALLBACK = 100, /* from here on: streams only */
                            HOST_OP_VALUE
} host_op_kind;

typedef struct host_op {
    host_op_kind kind;
    union {
        struct {
            host_kernel *kernel;
            host_launch_config config; /* stream NULL in graphs */
            uint8_t *params;           /* the packed image; owned by the operation */
            uint32_t param_bytes;
            uint32_t bank_bytes; /* of shared memory, as set when it was launched */
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
    } u;
} host_op;

/* ---------------------------------------------------------------- graphs (graph.c, graph_exec.c, capture.c) */
host_error host_graph_create(host_context *context, host_graph **out);
host_error host_graph_destroy(host_graph *graph);
host_error host_graph_clone(host_graph *graph, host_graph **out);
bool host_graph_valid(const host_graph *graph);
bool host_node_valid(const host_node *node);
bool host_graph_exec_valid(const host_graph_exec *exec);
/* Takes over what *op owns. */
host_error host_graph_add(host_graph *graph, const host_op *op, host_node *const *dependencies, size_t count,
                          host_node **out);
host_error host_node_destroy(host_node *node);
host_error host_graph_add_edges(host_graph *graph, host_node *const *from, host_node *const *to, size_t count);
host_error host_graph_remove_edges(host_graph *graph, host_node *const *from, host_node *const *to, size_t count);
const host_op *host_node_op(const host_node *node);
/* Replaces the operation by one of the same kind; takes over what *op owns. */
host_error host_node_set(host_node *node, const host_op *op);
/* Kernel nodes: one pointer per parameter into the node's own image; valid until the node changes. */
void **host_node_params(host_node *node);
size_t host_graph_nodes(const host_graph *graph, host_node **out, size_t capacity); /* returns how many there are */
size_t host_graph_roots(const host_graph *graph, host_node **out, size_t capacity);
/* The nodes and edges in the language of Graphviz. */
host_error host_graph_write_dot(const host_graph *graph, const char *path);
size_t host_graph_edges(const host_graph *graph, host_node **from, host_node **to, size_t capacity);
size_t host_node_dependencies(const host_node *node, host_node **out, size_t capacity);
size_t host_node_dependents(const host_node *node, host_node **out, size_t capacity);
host_node *host_graph_find_clone(host_graph *clone, const host_node *original);

/* HOST_INVALID_VALUE for a cycle. */
host_error host_graph_instantiate(host_graph *graph, uint64_t flags, host_graph_exec **out);
host_error host_graph_exec_destroy(host_graph_exec *exec);
host_error host_graph_launch(host_graph_exec *exec, host_stream *stream);
uint64_t host_graph_exec_flags(const host_graph_exec *exec);
/* node: of the graph it was instantiated from (or of a clone's original). Takes over what *op owns. */
host_error host_graph_exec_set(host_graph_exec *exec, const host_node *node, const host_op *op);
host_error host_graph_exec_enable(host_graph_exec *exec, const host_node *node, bool enabled);
host_error host_graph_exec_enabled(host_graph_exec *exec, const host_node *node, bool *out);
/* Whole-graph update; *out_result: cudaGraphExecUpdateResult. */
host_error host_graph_exec_update(host_graph_exec *exec, host_graph *graph, host_node **out_error_node,
                                  int *out_result);
void host_op_free(host_op *op);
/* Deep copy (params, staged data, child graphs). */
host_op host_op_copy(const host_op *op);
/* A kernel operation from launch arguments, checked as host_launch does. */
host_error host_kernel_op(host_kernel *kernel, const host_launch_config *config, void *const *params,
                          const void *packed, size_t packed_bytes, host_op *out);

/* User objects: something with a destructor that runs when the last reference goes. Graphs (and their clones) keep the
 * references they retain until they are destroyed; work that was launched is finished first. */
typedef struct host_user host_user;
host_user *host_user_create(void *pointer, void (*destroy)(void *pointer), uint32_t count);
host_error host_user_retain(host_user *user, uint32_t count);
host_error host_user_release(host_user *user, uint32_t count);
/* move: the caller's references become the graph's. */
host_error host_graph_retain(host_graph *graph, host_user *user, uint32_t count, bool move);
host_error host_graph_release(host_graph *graph, host_user *user, uint32_t count);

/* Capture: status numbers of cudaStreamCaptureStatus (0 none, 1 active, 2 invalidated). */
host_error host_capture_begin(host_stream *stream, int mode, host_graph *into /* NULL: a new graph */,
                              host_node *const *dependencies, size_t count);
host_error host_capture_end(host_stream *stream, host_graph **out);
typedef struct host_capture_info {
    int status;
    uint64_t id;
    host_graph *graph;
    host_node *const *dependencies; /* valid until the next call on the stream */
    size_t dependency_count;
} host_capture_info;
host_error host_capture_query(host_stream *stream, host_capture_info *out);
host_error host_capture_set_dependencies(host_stream *stream, host_node *const *nodes, size_t count, bool replace);
/* For calls that are not allowed while a stream of this thread captures in a strict mode:
 * HOST_STREAM_CAPTURE_UNSUPPORTED (the captures are invalidated), else 0. */
host_error host_capture_forbid(host_context *context);

/* ---------------------------------------------------------------- textures (texture.c) */
typedef struct host_texture_desc {
    int resource; /* cudaResourceType: 0 array, 2 linear, 3 pitch 2-D */
    host_array *array;
    uint64_t address, bytes;       /* linear: bytes in all; pitch: address of row 0 */
    uint64_t width, height, pitch; /* pitch 2-D */
    host_format format;
    int address_mode[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border */
    int filter_mode;     /* 0 point, 1 linear */
    int read_mode;       /* 0 element type, 1 normalized float */
    bool normalized_coordinates, srgb;
    float border[4];
} host_texture_desc;
host_error host_texture_create(host_context *context, const host_texture_desc *desc, uint64_t *out_handle);
host_error host_texture_destroy(host_context *context, uint64_t handle);
const host_texture_desc *host_texture_get(host_context *context, uint64_t handle);

#endif
