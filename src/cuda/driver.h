/* driver.h: what the files of the driver face share. Entry points are named lw_cuda_<exported name>; each ends in
 * cu_end(), which turns the runtime's own error numbers into the driver's.
 *
 * All contexts of a device share one device context of the process: handles and memory of one are good in every other.
 * What a program made is freed when the last context of the device goes. */
#ifndef LW_DRIVER_H
#define LW_DRIVER_H

#include <pthread.h>

#include "cuda/cuda_abi.h"
#include "face/face.h"
#include "host/host.h"

#define CU_NOT_SUPPORTED "CUDA_ERROR_NOT_SUPPORTED" /* this face's name of HOST_NOT_SUPPORTED */
extern const face cu_face;                          /* cu_face.c */

#define CU(name) int lw_cuda_##name

/* Returns from the entry point when there is no cuInit() or no current context. */
#define CU_NEED                                                                                                        \
    do {                                                                                                               \
        host_error need_ = cu_need();                                                                                  \
        if (need_) return cu_end(need_);                                                                               \
    } while (0)

/* The same for calls whose handle or pointer says which context is meant. */
#define CU_NEED_INIT                                                                                                   \
    do {                                                                                                               \
        host_error need_ = cu_need_init();                                                                             \
        if (need_) return cu_end(need_);                                                                               \
    } while (0)

/* Entry points that use a stream come twice: plain (handle 0 is the legacy stream) and with a suffix (handle 0 is the
 * calling thread's stream). result is an expression of the parameters and per_thread, which tells the two apart. */
#define CU_TWICE(name, suffix, params, result)                                                                         \
    CU(name) params                                                                                                    \
    {                                                                                                                  \
        const bool per_thread = false;                                                                                 \
        CU_NEED;                                                                                                       \
        return cu_end(result);                                                                                         \
    }                                                                                                                  \
    CU(name##_##suffix) params                                                                                         \
    {                                                                                                                  \
        const bool per_thread = true;                                                                                  \
        CU_NEED;                                                                                                       \
        return cu_end(result);                                                                                         \
    }

typedef struct cu_context {
    struct cu_context *next;
    uint64_t id;
    uint32_t device;
    uint32_t flags, uses; /* uses: of cuCtxAttach, beside the first */
    bool primary, live;
} cu_context;

typedef struct cu_link cu_link;   /* cu_link.c */
typedef struct cu_shape cu_shape; /* cu_legacy.c */

/* Process-wide (host_face): the lock comes first. */
typedef struct cu_state {
    pthread_mutex_t lock;
    bool initialised;
    uint64_t next_id;
    uint32_t primary_uses[HOST_DEVICES_MOST];
    cu_context primary[HOST_DEVICES_MOST];
    cu_context *contexts; /* also destroyed ones: their addresses stay known and are never used again */
    cu_link *links;
    cu_shape *shapes;
} cu_state;
cu_state *cu_state_get(void);

/* Per host thread (host_thread.driver). */
#define CU_STACK_DEPTH 64
typedef struct cu_thread {
    cu_context *stack[CU_STACK_DEPTH];
    uint32_t depth;
} cu_thread;
cu_thread *cu_thread_get(void);

/* HOST_INITIALIZATION_ERROR before cuInit(), HOST_DEVICE_UNINITIALIZED (invalid context) without a current context. */
host_error cu_need(void);
host_error cu_need_init(void);
/* The current context or NULL. A program that has the CUDA runtime in it uses the primary context without saying so. */
cu_context *cu_current(void);
#define CU_PRIMARY_ID 1 /* of the first device; the others follow, then created ones */
cu_context *cu_primary(uint32_t device);
bool cu_context_valid(const cu_context *context);
/* Ends an entry point, every one of them: reports an error, and returns it as the driver numbers it. */
#define cu_end(error) cu_end_call((error), __func__)
int cu_end_call(host_error error, const char *function);
extern const face_book cu_book;              /* cu_book.c */
host_error cu_unsupported(const char *name); /* names the call once on stderr; HOST_NOT_SUPPORTED */
host_error cu_check_device(int device);
/* A live kernel behind CUfunction or CUkernel. */
host_error cu_kernel(const void *function);

typedef struct cu_entry {
    const char *symbol, *name;
    int version;
    bool per_thread;
} cu_entry;
extern const cu_entry lw_cuda_rows[]; /* cu_table.c: the rows of entrypoints.def, and their functions */
extern const void *const lw_cuda_entries[];
extern const size_t lw_cuda_entry_count;
/* The newest function of this name that was there in `version`; flags & 2 prefers the per-thread stream form. */
void *lw_cuda_find_function(const char *name, int version, uint64_t flags);

/* JIT options, read once per call (cu_jit.c). */
typedef struct cu_jit {
    uint32_t count;
    const int *options;
    void **values;
    double started;
} cu_jit;
void cu_jit_begin(cu_jit *jit, uint32_t count, const int *options, void **values);
/* Fills the logs, their sizes and the wall time. error NULL: no error text. */
void cu_jit_end(const cu_jit *jit, host_module *module, const lw_error *error);
uint32_t cu_jit_max_registers(const cu_jit *jit); /* 0: no cap */
/* Tells stderr that an image holds no PTX, and what the program must do. */
void cu_note_no_ptx(const lw_error *error);

/* (cu_load.c) Loads any kind of image, also the result of cuLinkComplete; tells stderr once what cannot be loaded at all. */
host_error cu_load(const host_part *part, const cu_jit *jit, host_module **out);
host_error cu_load_file(const char *path, const cu_jit *jit, host_module **out);
/* (cu_link.c) Splits an image that cuLinkComplete() made into its parts; 0 if it is another kind of image, which may be
 * shorter than CU_LINKED_HEAD bytes only if it is a text that ends with a NUL. */
#define CU_LINKED_HEAD 24
size_t cu_linked_parts(const void *image, host_part *out, size_t capacity);

/* PTX that stands for libcudadevrt.a (cu_devrt.c). */
const char *cu_device_runtime(void);

host_error cu_copy_3d(const void *params, host_copy *out); /* of CUDA_MEMCPY3D */
host_error cu_format(int format, uint32_t channels, host_format *out);
void cu_format_back(const host_format *format, int *out_format, uint32_t *out_channels);

#endif
