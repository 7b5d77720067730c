/* The process's one context, kept until the process ends (programs call the API from static destructors). A child of
 * fork() starts with an idle engine and opens the results file anew. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/profile.h"
#include "host/apart_priv.h"
#include "host/array_priv.h"
#include "host/clients_priv.h"
#include "host/context_priv.h"
#include "host/device_priv.h"
#include "host/finding_priv.h"
#include "host/graph_priv.h"
#include "host/guard_priv.h"
#include "host/handle_priv.h"
#include "host/ipc_priv.h"
#include "host/launch_priv.h"
#include "host/library_priv.h"
#include "host/managed_priv.h"
#include "host/module_priv.h"
#include "host/ordered_priv.h"
#include "host/origin_priv.h"
#include "host/pool_priv.h"
#include "host/queue_priv.h"
#include "host/results_priv.h"
#include "host/services_priv.h"
#include "host/surface_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"
#include "host/stream_priv.h"
#include "host/submit_priv.h"
#include "host/timeline_priv.h"
#include "host/trap_priv.h"
#include "host/virtual_priv.h"

static _Atomic(host_context *) the_context;
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER; /* making it */

#define HOST_CLIENT(client) extern const event_client client;
#include "host/clients.def"
#include "host/unwaited_priv.h"
#undef HOST_CLIENT

static const event_client *const client_rows[] = {
#define HOST_CLIENT(client) &client,
#include "host/clients.def"
#undef HOST_CLIENT
};

/* A launch that runs is ended first, so that it is counted; the engine then ends the process by the signal. */
static void end_launch_on_signal(int number)
{
    host_context *c = atomic_load(&the_context);
    if (c && host_queue_interrupt(c->queue, number)) return;
    signal(number, SIG_DFL);
    raise(number); /* delivered when this returns */
}

void host_watch_interrupts(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction old, action = {.sa_handler = end_launch_on_signal, .sa_flags = SA_RESTART};
        if (sigaction(ending[i], NULL, &old) || old.sa_handler != SIG_DFL) continue; /* the program's own, or ignored */
        sigaction(ending[i], &action, NULL);
    }
}

static void init_lock(host_context *c)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&c->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void context_forked(void)
{
    host_context *c = atomic_load(&the_context);
    if (!c) return;
    init_lock(c);
    c->pid = getpid();
    host_queue_forked(c->queue);
    host_handles_forked(c->handles);
    host_clients_forked(c);
    host_timeline_forked(c);
    host_guard_forked(c);
    host_unwaited_forked(c);
    host_origins_forked(c);
    host_modules_forked(c);
    host_print_forked(c);
    host_results_forked(c);
}

/* The least of the profile's memory, what was asked for, and three quarters of the host's. */
static uint64_t memory_limit(uint64_t device_bytes, uint64_t asked)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE) / 4 * 3;
    uint64_t limit = LW_MIN(device_bytes, host);
    return asked ? LW_MIN(limit, asked) : limit;
}

void host_context_set_device(host_context *c)
{
    lw_error error = {0};
    c->init_error = 0;
    c->device = host_device_find(c->options.device, &error);
    if (!c->device) {
        c->init_error = HOST_NO_DEVICE;
    } else {
        c->memory_bytes = memory_limit(host_device_profile_bytes(c->device), c->options.memory_bytes);
        if (mem_create(&c->memory, c->memory_bytes, &error)) c->init_error = HOST_INITIALIZATION_ERROR;
        else mem_set_namer(c->memory, host_origin_name, c);
    }
    if (c->init_error) fprintf(stderr, "lanewise: no device: %s\n", error.message);
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++) host_settings_default(c, d);
    host_pools_default(c);
}

static void make_parts(host_context *c)
{
    c->handles = host_handles_make();
    c->results = lw_alloc(sizeof *c->results);
    pthread_mutex_init(&c->results->names_lock, NULL);
    c->settings = lw_alloc(sizeof *c->settings);
    c->guard = host_guard_make();
    c->unwaited = host_unwaited_make();
    c->queue = host_queue_make(host_run);
    c->modules = lw_alloc(sizeof *c->modules);
    host_modules_forked(c);
    c->streams = host_streams_make(c);
    c->graphs = lw_alloc(sizeof *c->graphs);
    c->origins = host_origins_make();
    c->pools = lw_alloc(sizeof *c->pools);
    c->arrays = lw_alloc(sizeof *c->arrays);
    c->hints = host_hints_make();
    c->textures = host_textures_make();
    c->surfaces = host_surfaces_make();
    c->virtual_memory = host_virtual_make();
    c->ipc = host_ipc_make();
    c->repeats = host_repeats_make();
    c->print = lw_alloc(sizeof *c->print);
    c->launches = host_launches_make();
    c->ordered = host_ordered_make();
    host_print_forked(c);
}

void host_context_begin_clients(host_context *c)
{
    const event_session services = {.finding = host_report,
                                    .describe = host_describe,
                                    .locate = host_locate,
                                    .asked = host_asked,
                                    .shared = host_guard_shared,
                                    .guard = host_guard_add,
                                    .checks = &c->options.checks};
    host_clients_begin(c, client_rows, LW_COUNT(client_rows), &services);
}

static host_context *context_create(const host_options *options)
{
    host_context *c = lw_alloc(sizeof *c);
    init_lock(c);
    c->pid = getpid();
    c->options = host_options_copy(options);
    make_parts(c);
    host_selection_set(c);
    host_context_set_device(c);
    host_context_begin_clients(c);
    return c;
}

typedef struct creation {
    const host_options *options;
    host_context *context;
} creation;

static void create_for(void *user)
{
    creation *made = user;
    made->context = context_create(made->options);
}

/* In a thread of its own, whose allocations come from another part of the heap: memory that the program allocates before
 * its first call is as fresh, and so as often zero, as it is on a machine with a GPU. Programs rely on that unknowingly. */
static host_context *context_create_apart(const host_options *options)
{
    creation made = {.options = options};
    if (!host_apart_call(create_for, &made)) create_for(&made);
    return made.context;
}

host_context *host_context_make(const host_options *options, bool *out_made)
{
    pthread_mutex_lock(&the_lock);
    host_context *c = atomic_load(&the_context);
    *out_made = !c;
    if (!c) {
        c = context_create_apart(options);
        atomic_store(&the_context, c);
        host_results_open(c);
        pthread_atfork(NULL, NULL, context_forked);
        if (c->results->log) host_watch_interrupts();
        host_trap_install(c);
    }
    pthread_mutex_unlock(&the_lock);
    return c;
}

host_context *host_context_current(void) { return atomic_load_explicit(&the_context, memory_order_acquire); }

host_context *host_get(void)
{
    host_context *c = host_context_current();
    if (c) return c;
    bool made;
    host_options options = host_options_from_environment();
    return host_context_make(&options, &made);
}
