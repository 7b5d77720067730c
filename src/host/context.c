/* The process's one context and the per-thread state: made on first use from the environment, kept until the process
 * ends (programs call the API from static destructors). A child of fork() starts with an idle engine and opens the
 * result log anew. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/profile.h"
#include "host/host_priv.h"

/* The core's one context pointer and one thread-local pointer. */
static _Atomic(host_context *) the_context;
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local host_thread *the_thread;

const host_error_desc *host_error_find(int number)
{
    static const host_error_desc rows[] = {
#define HOST_ERROR(id, number, runtime_name, driver_name, text) {number, runtime_name, driver_name, text},
#include "host/errors.def"
#undef HOST_ERROR
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++)
        if (rows[i].number == number) return &rows[i];
    return NULL;
}

/* "512M", "2G", "1000000"; 0 if malformed. */
static uint64_t parse_size(const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || end == text || value <= 0) return 0;
    switch (*end) {
    case 'k':
    case 'K': return (uint64_t)(value * 1024);
    case 'm':
    case 'M': return (uint64_t)(value * (1 << 20));
    case 'g':
    case 'G': return (uint64_t)(value * (1 << 30));
    case 't':
    case 'T': return (uint64_t)(value * 1024 * (1 << 30));
    default: return (uint64_t)value;
    }
}

static bool env_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

static void interrupt_on_signal(int number)
{
    host_context *c = atomic_load(&the_context);
    if (c && c->engine.issued != c->engine.completed) {
        atomic_store(&c->interrupt, 1); /* the engine ends the launch, reports it, and raises the signal again */
    } else {
        raise(number);
    }
}

static void watch_interrupts(void)
{
    struct sigaction old;
    if (sigaction(SIGINT, NULL, &old) || old.sa_handler != SIG_DFL) return;
    struct sigaction action = {.sa_handler = interrupt_on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigaction(SIGINT, &action, NULL);
}

static void open_log(host_context *c)
{
    const char *path = getenv("LANEWISE_RESULTS");
    if (!path || !*path || c->init_error) return;
    lw_error error = {0};
    char cc[8];
    host_device_cc_text(c, cc);
    if (result_log_open(&c->log, path, host_device_name(c), cc, &error)) {
        fprintf(stderr, "lanewise: no report will be written: %s\n", error.message);
        c->log = NULL;
    }
}

static void context_forked(void)
{
    host_context *c = atomic_load(&the_context);
    if (!c) return;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&c->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_mutex_init(&c->handles.lock, NULL);
    pthread_mutex_init(&c->print_lock, NULL);
    c->pid = getpid();
    host_engine_init(&c->engine); /* what was queued belongs to the parent */
    c->log = NULL;                /* the parent's mapping: this process writes records of its own ... */
    c->log_later = true;          /* ... if it has anything to say: most children only call exec or _exit */
}

result_log *host_log(host_context *c)
{
    if (!c->log_later) return c->log;
    host_lock(c);
    if (c->log_later) open_log(c);
    c->log_later = false;
    host_unlock(c);
    return c->log;
}

static void read_filter(host_context *c)
{
    const char *pattern = getenv("LANEWISE_KERNEL");
    if (pattern && *pattern) {
        c->has_filter = !regcomp(&c->filter, pattern, REG_EXTENDED | REG_NOSUB);
        if (!c->has_filter)
            fprintf(stderr, "lanewise: '%s' is no regular expression; every kernel is counted\n", pattern);
    }
    c->launch_skip = env_number("LANEWISE_LAUNCH_SKIP", 0);
    c->launch_limit = env_number("LANEWISE_LAUNCH_COUNT", UINT64_MAX);
    const char *count = getenv("LANEWISE_COUNT");
    c->count_ptx = count && !strcmp(count, "ptx");
    c->no_report = env_set("LANEWISE_NO_REPORT");
    c->progress = env_set("LANEWISE_PROGRESS");
}

/* The least of the profile's memory, LANEWISE_MEMORY, and three quarters of the host's. */
static uint64_t memory_limit(uint64_t device_bytes)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE) / 4 * 3;
    uint64_t limit = LW_MIN(device_bytes, host);
    const char *text = getenv("LANEWISE_MEMORY");
    uint64_t asked = text && *text ? parse_size(text) : 0;
    return asked ? LW_MIN(limit, asked) : limit;
}

static void set_default_limits(host_context *c)
{
    /* As an H200 answers: stack, printf, heap, sync depth (none), pending launches, L2 fetch; the last two come from
     * the device: three tenths of the L2 that can be set aside, and the shared memory of a block. */
    static const uint64_t defaults[HOST_LIMIT_COUNT] = {1024, 8650752, 8388608, 0, 2048, 64, 0, 0};
    memcpy(c->limits, defaults, sizeof defaults);
    if (!c->device) return;
    int persisting = 0, shared = 0;
    host_device_attribute(c, 108, &persisting);
    host_device_attribute(c, 97, &shared);
    c->limits[6] = (uint64_t)persisting / 10 * 3;
    c->limits[7] = (uint64_t)shared;
}

static void set_up_device(host_context *c)
{
    lw_error error = {0};
    const char *name = getenv("LANEWISE_DEVICE");
    c->device = host_device_find(name && *name ? name : NULL, &error);
    if (!c->device) {
        c->init_error = HOST_NO_DEVICE;
    } else {
        c->memory_bytes = memory_limit(host_device_profile_bytes(c->device));
        if (mem_create(&c->memory, c->memory_bytes, &error)) c->init_error = HOST_INITIALIZATION_ERROR;
    }
    if (c->init_error) fprintf(stderr, "lanewise: no device: %s\n", error.message);
}

static host_context *context_create(void)
{
    host_context *c = lw_alloc(sizeof *c);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&c->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_mutex_init(&c->handles.lock, NULL);
    pthread_mutex_init(&c->print_lock, NULL);
    host_engine_init(&c->engine);
    c->pid = getpid();
    c->next_id = 8; /* the first ids belong to the default streams */
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    c->threads = (uint32_t)env_number("LANEWISE_THREADS", cpus > 0 ? (uint64_t)cpus : 1);
    if (c->threads < 1) c->threads = 1;
    if (c->threads > 1024) c->threads = 1024;
    read_filter(c);
    set_up_device(c);
    set_default_limits(c);
    c->legacy = (host_stream){.context = c, .id = 1, .is_default = true};
    for (int kind = 0; kind < HOST_POOL_KINDS; kind++) {
        c->default_pools[kind] = (host_pool){.context = c, .is_default = true, .flags = {0, 1, 1, 1}, .kind = kind};
        c->current_pools[kind] = &c->default_pools[kind];
    }
    return c;
}

host_context *host_get(void)
{
    host_context *c = atomic_load_explicit(&the_context, memory_order_acquire);
    if (c) return c;
    pthread_mutex_lock(&the_lock);
    c = atomic_load(&the_context);
    if (!c) {
        c = context_create();
        atomic_store(&the_context, c);
        open_log(c);
        pthread_atfork(NULL, NULL, context_forked);
        if (c->log) watch_interrupts();
    }
    pthread_mutex_unlock(&the_lock);
    return c;
}

/* The library goes with the process: finish what was launched and say goodbye to the result log. */
__attribute__((destructor)) static void context_goodbye(void)
{
    host_context *c = atomic_load(&the_context);
    if (!c || c->pid != getpid()) return;
    host_engine_drain(c);
    host_print_flush(c);
    if (c->log) result_log_close(c->log);
    c->log = NULL;
}

host_error host_status(host_context *c) { return c->init_error ? c->init_error : atomic_load(&c->sticky); }

void host_fault(host_context *c, host_error error)
{
    int none = 0;
    atomic_compare_exchange_strong(&c->sticky, &none, error);
}

const struct device_profile *host_device(const host_context *c) { return c->device; }

mem_window *host_memory(host_context *c) { return c->memory; }

void host_note(host_context *c, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t n = strlen(text); n && text[n - 1] == '\n'; n--) text[n - 1] = 0;
    char *shown = host_demangle_text(text);
    host_lock(c);
    bool known = false;
    for (size_t i = 0; i < c->notes.count && !known; i++) known = !strcmp(c->notes.items[i], shown);
    if (!known) {
        lw_vec_push(&c->notes, lw_strdup(shown));
        fprintf(stderr, "lanewise: %s\n", shown);
        if (host_log(c)) result_log_message(c->log, shown);
    }
    host_unlock(c);
    free(shown);
}

static void free_program_memory(void *user, const mem_allocation *a)
{
    host_context *c = user;
    if (a->kind == MEM_REGISTERED) {
        mem_unregister(c->memory, a->address);
    } else if (a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED) {
        if (!a->name[0]) mem_free(c->memory, a->address); /* named ones are __managed__ variables */
    }
}

host_error host_reset(host_context *c)
{
    if (c->init_error) return c->init_error;
    host_engine_drain(c);
    host_print_flush(c);
    host_lock(c);
    host_graphs_free(c);
    host_streams_free(c);
    host_textures_free(c);
    lw_vec_free(&c->hints);
    host_heap_destroy(c);
    for (size_t i = 0; i < c->arrays.count; i++) {
        host_handle_remove(c->arrays.items[i]);
        mem_free(c->memory, c->arrays.items[i]->address);
        free(c->arrays.items[i]);
    }
    c->arrays.count = 0;
    mem_each(c->memory, free_program_memory, c);
    for (host_module *m = c->modules; m; m = m->next) host_module_reset(m);
    if (c->workspace) mem_free(c->memory, c->workspace);
    c->workspace = 0;
    set_default_limits(c);
    atomic_store(&c->sticky, 0);
    host_unlock(c);
    return 0;
}

void *host_face(host_context *c, host_face_id id, size_t bytes)
{
    host_lock(c);
    if (!c->faces[id]) {
        c->faces[id] = lw_alloc(bytes);
        pthread_mutex_init(c->faces[id], NULL);
    }
    host_unlock(c);
    return c->faces[id];
}

bool host_face_made(host_context *c, host_face_id id)
{
    host_lock(c);
    bool made = c->faces[id] != NULL;
    host_unlock(c);
    return made;
}

/* ---- threads ---- */
static void thread_free(void *pointer)
{
    host_thread *t = pointer;
    if (t->default_stream) host_stream_destroy_default(t->default_stream);
    free(t->runtime);
    free(t->driver);
    free(t);
}

static pthread_key_t thread_key(void)
{
    static pthread_key_t key;
    static atomic_int made;
    if (!atomic_load(&made)) {
        pthread_mutex_lock(&the_lock);
        if (!atomic_load(&made) && !pthread_key_create(&key, thread_free)) atomic_store(&made, 1);
        pthread_mutex_unlock(&the_lock);
    }
    return key;
}

host_thread *host_thread_get(void)
{
    if (the_thread) return the_thread;
    host_context *c = host_get();
    host_thread *t = lw_alloc(sizeof *t);
    host_lock(c);
    t->id = ++c->next_thread;
    host_unlock(c);
    the_thread = t;
    pthread_setspecific(thread_key(), t);
    return t;
}

/* ---- limits ---- */
host_error host_limit_get(host_context *c, int limit, uint64_t *out)
{
    if (!out || limit < 0 || limit >= HOST_LIMIT_COUNT) return HOST_INVALID_VALUE;
    if (limit == 3) return HOST_UNSUPPORTED_LIMIT; /* device-side synchronisation depth: gone since cc 9.0 */
    *out = c->limits[limit];
    return 0;
}

host_error host_limit_set(host_context *c, int limit, uint64_t value)
{
    if (limit < 0 || limit > 6) return HOST_INVALID_VALUE;
    if (limit == 3) return HOST_UNSUPPORTED_LIMIT;
    if (limit == 0 && value > 512 * 1024) return HOST_INVALID_VALUE; /* 512 KB of local memory per thread at most */
    host_engine_drain(c);
    host_lock(c);
    if (limit == 2) {
        if (c->heap) {
            host_unlock(c);
            return HOST_INVALID_VALUE; /* the heap's size is fixed once a kernel has used it */
        }
        value = LW_MAX(value, UINT64_C(4) << 20);
    }
    if (limit == 0) value = lw_round_up(value, 16);
    if (limit == 5) value = LW_MIN(value, UINT64_C(128));
    c->limits[limit] = value;
    host_unlock(c);
    return 0;
}

host_error host_bank_config(host_context *c, int *config, bool set)
{
    enum { FOUR_BYTES = 1, EIGHT_BYTES = 2 };
    host_error error = host_status(c);
    if (error) return error;
    if (set && (*config < 0 || *config > EIGHT_BYTES)) return HOST_INVALID_VALUE;
    if (set) c->bank_config = *config;
    else *config = c->device->cc / 10 == 3 && c->bank_config == EIGHT_BYTES ? EIGHT_BYTES : FOUR_BYTES;
    return 0;
}

host_error host_cache_config(host_context *c, int *config, bool set)
{
    host_error error = host_status(c);
    if (error) return error;
    if (set && (*config < 0 || *config > 3)) return HOST_INVALID_VALUE;
    if (set) c->cache_config = *config;
    else *config = c->cache_config;
    return 0;
}
