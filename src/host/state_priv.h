/* state: the context as every file of the room sees it: what all share, and its parts. A file that uses a part includes the
 * part's header. The context's lock protects the parts unless their header says otherwise (state.c). */
#ifndef LW_HOST_STATE_PRIV_H
#define LW_HOST_STATE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "host/context.h"

typedef struct host_array_list host_array_list;
typedef struct host_caches host_caches;
typedef struct host_samples host_samples;
typedef struct host_blocks host_blocks;
typedef struct host_clients host_clients;
typedef struct host_graphs host_graphs;
typedef struct host_guard host_guard;
typedef struct host_unwaited host_unwaited;
typedef struct host_handles host_handles;
typedef struct host_heap host_heap;
typedef struct host_hints host_hints;
typedef struct host_ipc host_ipc;
typedef struct host_launches host_launches;
typedef struct host_modules host_modules;
typedef struct host_ordered host_ordered;
typedef struct host_origins host_origins;
typedef struct host_pools host_pools;
typedef struct host_printer host_printer;
typedef struct host_queue host_queue;
typedef struct host_repeats host_repeats;
typedef struct host_results host_results;
typedef struct host_selection host_selection;
typedef struct host_settings host_settings;
typedef struct host_streams host_streams;
typedef struct host_surfaces host_surfaces;
typedef struct host_textures host_textures;
typedef struct host_timeline host_timeline;
typedef struct host_virtual host_virtual;
typedef struct host_what_if host_what_if;

struct host_context {
    pthread_mutex_t lock; /* recursive; never held while waiting for the engine */
    pid_t pid;            /* the process it works for: another one is a child of fork() */
    host_options options; /* with strings of its own */
    host_error init_error;
    atomic_int sticky[HOST_DEVICES_MOST]; /* by device: host_error of its first fault; 0: none */
    const struct device_profile *device;  /* NULL with init_error */
    atomic_int told;    /* the sticky error that the program was told of: with several devices that of all; 0: none */
    atomic_uint gone;   /* set of the devices that were reset after that: they do not come back */
    atomic_bool looked; /* CUDA_VISIBLE_DEVICES was read (devices.c) */
    mem_window *memory; /* NULL with init_error */
    uint64_t memory_bytes;
    uint32_t peers[HOST_DEVICES_MOST]; /* by device: set of those whose memory it may access (devices.c) */
    uint64_t last_thread;              /* thread.c: host_thread.id of the last one */
    void *faces[HOST_FACE_COUNT];
    /* the parts, never NULL unless said otherwise */
    host_handles *handles;
    host_results *results;
    host_settings *settings;
    host_clients *clients;
    host_guard *guard;
    host_unwaited *unwaited;
    host_queue *queue;
    host_modules *modules;
    host_selection *selection;
    host_streams *streams;
    host_graphs *graphs;
    host_origins *origins;
    host_pools *pools;
    host_array_list *arrays;
    host_hints *hints;
    host_textures *textures;
    host_surfaces *surfaces;
    host_virtual *virtual_memory;
    host_ipc *ipc;
    host_repeats *repeats;
    host_printer *print;
    host_heap *heaps[HOST_DEVICES_MOST]; /* by device; NULL until a kernel allocates there */
    host_launches *launches;
    host_ordered *ordered;
    host_caches *caches;     /* NULL unless they are asked for */
    host_timeline *timeline; /* likewise */
    host_samples *samples;   /* likewise */
    host_blocks *blocks;     /* likewise */
    host_what_if *what_if;   /* likewise */
};

static inline void host_lock(host_context *c) { pthread_mutex_lock(&c->lock); }
static inline void host_unlock(host_context *c) { pthread_mutex_unlock(&c->lock); }

/* Makes an error sticky on a device; the first wins. */
void host_fault(host_context *context, uint32_t device, host_error error);
host_error host_status_of(host_context *context, uint32_t device); /* host_status() of a device that is not current */
/* Whether the error is some device's sticky one; 0: whether any device has one. */
bool host_is_sticky(host_context *context, host_error error);

#endif
