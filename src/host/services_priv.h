/* services: what kernels ask of the host while they run: printf, malloc, textures (print.c, heap.c, texture.c). */
#ifndef LW_HOST_SERVICES_PRIV_H
#define LW_HOST_SERVICES_PRIV_H

#include <pthread.h>

#include "event/event.h"
#include "exec/exec.h"
#include "host/state_priv.h"
#include "ptx/module.h"

struct host_printer {     /* output of the kernels' printf that was not written yet */
    pthread_mutex_t lock; /* protects text and kernel */
    lw_text text;
    char kernel[128]; /* the name of the first one whose output it is */
};

void host_print_forked(host_context *context); /* in a child of fork() */
/* kernel: its name; strings: of a thread's own memory; NULL: there are none */
int host_print(void *context, const char *kernel, const char *format, const uint8_t *arguments, uint64_t bytes,
               exec_printed *out, const exec_strings *strings);
void host_print_flush(host_context *context); /* device printf -> stdout */
/* The process ends: a warning of synccheck, if it is wanted and there is output that the program did not wait for.
 * False: there is none. */
bool host_print_report(host_context *context);

/* launch: whose thread it is, for events; NULL: nobody's */
uint64_t host_heap_alloc(host_context *context, uint32_t device, uint64_t bytes, const event_launch *launch);
/* *out_bytes: how many the block had, or NULL. false: no such block is allocated; 0 is none, and no error. */
bool host_heap_free(host_context *context, uint64_t address, const event_launch *launch, uint64_t *out_bytes);
/* Blocks that nobody freed end, for clients of events. */
void host_heap_tell_end(host_context *context, uint32_t device);
uint64_t host_heap_used(host_context *context, uint64_t *out_bytes);    /* blocks that nobody freed, on all devices */
uint64_t host_heap_taken(const host_context *context, uint32_t device); /* of a device, at once: model_heap_taken() */
void host_heap_destroy(host_context *context, uint32_t device);

host_textures *host_textures_make(void);
bool host_texture_fetch(void *context, const exec_texture_fetch *fetch, uint32_t *out_bad);
/* query: enum code_texture_query. false: the handle names no such object. */
bool host_texture_query(void *context, uint64_t handle, uint32_t query, uint32_t level, uint32_t *out);
bool host_surface_query(void *context, uint64_t handle, uint32_t query, uint32_t *out);
void host_textures_free(host_context *context);

#endif
