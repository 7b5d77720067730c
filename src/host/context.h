/* The process's context: making it, its state, what the faces keep in it (context.c, results.c, reset.c). */
#ifndef LW_HOST_CONTEXT_H
#define LW_HOST_CONTEXT_H

#include "memory/memory.h"
#include "host/options.h"
#include "host/types.h"

/* The process's context, for the faces: made on first use with the environment's options. Never NULL. */
host_context *host_get(void);
/* The process's context with these options. If there is one already it takes them on; another device or another
 * amount of memory is then an HOST_ILLEGAL_STATE while modules are loaded or registered, and else like host_reset().
 * Else host_status(). *out is never NULL. One caller at a time. */
host_error host_open(const host_options *options, host_context **out);
/* 0, or why there is no device (HOST_NO_DEVICE, HOST_INITIALIZATION_ERROR; the reason was written to stderr once), or
 * the sticky error of a faulted kernel. */
host_error host_status(host_context *context);
/* The same without a kernel's error, which stays untold. */
host_error host_no_device(host_context *context);
const struct device_profile *host_device(const host_context *context);
mem_window *host_memory(host_context *context);
/* Waits for all work, frees everything the program made (memory, streams, events, graphs, loaded modules keep their
 * registration), clears the sticky error: cudaDeviceReset, destruction of the last driver context. */
host_error host_reset(host_context *context);
/* The same of one of several devices: its memory, streams, events, and the variables of its modules. */
host_error host_reset_device(host_context *context, uint32_t device);
/* Says a thing once: one line on stderr ("lanewise: ...") and a message in the results. */
void host_note(host_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory of a face, made at the first call, one per process; it starts with a pthread_mutex_t, initialised. */
typedef enum host_face_id { HOST_FACE_RUNTIME, HOST_FACE_DRIVER, HOST_FACE_COUNT } host_face_id;
void *host_face(host_context *context, host_face_id id, size_t bytes);
bool host_face_made(host_context *context, host_face_id id); /* whether that face was used in this process */

#endif
