/* cudart.h: what the files of the runtime face share. Entry points are named lw_cudart_<name>; each ends in rt_end(),
 * which keeps the error for cudaGetLastError(). */
#ifndef LW_CUDART_H
#define LW_CUDART_H

#include "cudart/cudart_abi.h"
#include "face/face.h"
#include "host/host.h"

#define RT_NOT_SUPPORTED "cudaErrorNotSupported" /* this face's name of HOST_NOT_SUPPORTED */
extern const face rt_face;                       /* rt_face.c */

#define RT(name) int lw_cudart_##name

/* Entry points that take a stream come twice: plain (handle 0 is the legacy stream) and with a suffix (handle 0 is the
 * calling thread's stream). result is an expression of the parameters and per_thread, which tells the two apart. */
#define RT_TWICE(name, suffix, params, result)                                                                         \
    RT(name) params                                                                                                    \
    {                                                                                                                  \
        const bool per_thread = false;                                                                                 \
        return rt_end(result);                                                                                         \
    }                                                                                                                  \
    RT(name##_##suffix) params                                                                                         \
    {                                                                                                                  \
        const bool per_thread = true;                                                                                  \
        return rt_end(result);                                                                                         \
    }

/* Per host thread (host_thread.runtime). */
#define RT_CALL_DEPTH 32
typedef struct rt_call {
    rt_dim3 grid, block;
    size_t shared;
    void *stream;
    const void *from; /* return address of __cudaPushCallConfiguration */
} rt_call;
/* Each object that is linked with the static runtime has last errors of its own, as with NVIDIA's; all users of the shared
 * one have them in common (instance NULL). */
#define RT_INSTANCES 16
typedef struct rt_last {
    const void *instance; /* where the object was loaded */
    int error;
} rt_last;
typedef struct rt_thread {
    rt_last last[RT_INSTANCES];
    uint32_t last_count;
    bool failed; /* an error has been kept since all were read: else nothing need be looked for */
    rt_call calls[RT_CALL_DEPTH];
    uint32_t call_count;
} rt_thread;
rt_thread *rt_thread_get(void);

/* What makes the primary context current on a card: the driver's calls see from now on that the runtime is in use. */
void rt_use(void);

/* Ends an entry point, every one of them: keeps an error as the last one (0 leaves that), reports it, and returns it. Doors jump to
 * entry points, so that these return to the code that called the runtime: its object tells the instance. */
#define rt_end(error) rt_end_call((error), __func__, __builtin_return_address(0))
int rt_end_call(host_error error, const char *function, const void *caller);
void rt_add_instance(const void *door);      /* an address of the code of an object that holds the runtime's door */
extern const face_book rt_book;              /* rt_book.c */
host_error rt_unsupported(const char *name); /* names the call once on stderr; HOST_NOT_SUPPORTED */

/* What the program registered (rt_register.c). */
/* The kernel behind a host function's address, a handle of __cudaGetKernel or of the driver API. */
host_error rt_kernel_on(const void *function, int device, host_kernel **out); /* a launch's: of its stream's device */
host_error rt_kernel(const void *function, host_kernel **out);
/* The device address and size behind a host variable. HOST_INVALID_SYMBOL. */
host_error rt_symbol(const void *symbol, uint64_t *out_address, uint64_t *out_bytes);
/* The address `offset` bytes into it, with `bytes` bytes of it behind. Else HOST_INVALID_VALUE. */
host_error rt_symbol_range(const void *symbol, size_t bytes, size_t offset, uint64_t *out);
host_error rt_check_device(int device);
host_error rt_copy_3d(const void *params, host_copy *out); /* of cudaMemcpy3DParms */
void rt_single_row(host_side *side, size_t width);         /* a pitch of 0 is that of a single row */
host_error rt_refuse_pitch(size_t width);                  /* HOST_INVALID_PITCH_VALUE */
host_format rt_format(const rt_channel_desc *desc);
rt_channel_desc rt_channel(const host_format *format);

#endif
