/* session: include/lanewise/session.h over the room host: the same context, launches and counting that serve `run`. A
 * session's options are those of the process (the environment, which lanewise run sets) with its own on top. */
#include "lanewise/session.h"

#include "api/results.h"
#include "device/profile.h"
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lw_module {
    lw_module *next;
    lw_session *session;
    host_module *host;
};

typedef struct buffer {
    struct buffer *next;
    void *memory;
    bool registered;
} buffer;

struct lw_session {
    host_context *host;
    lw_module *modules;
    buffer *buffers;
    char results_path[512];
    bool own_results; /* made here: removed with the session */
};

static int fail(lw_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(lw_message *message, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (message) vsnprintf(message->text, sizeof message->text, format, args);
    va_end(args);
    return 1;
}

/* Names a CUDA error number in the message. */
static int host_failed(lw_message *message, const char *what, host_error error)
{
    const host_error_desc *d = host_error_find(error);
    return fail(message, "%s: %s", what, d ? d->text : "unknown error");
}

/* ---------------------------------------------------------------- session */
static lw_status take_options(host_options *to, const lw_session_options *from, lw_error *error)
{
    if (!from) return LW_OK;
    if (from->device) to->device = from->device;
    if (from->threads) to->threads = from->threads;
    if (from->memory_bytes) to->memory_bytes = from->memory_bytes;
    if (from->count_ptx) to->count_ptx = true;
    if (from->caches) to->caches = from->caches;
    if (from->time) to->time = true;
    if (to->time && !to->caches) to->caches = "warm";
    if (from->schedule) to->schedule = from->schedule;
    if (from->fill && !mem_fill_parse(from->fill, &to->fill))
        return lw_fail(error, LW_INVALID_ARGUMENT, "'%s' is no fill: it is 0 to 255 or random:SEED", from->fill);
    if (from->find_seed) to->find_seed = from->find_seed;
    if (from->check) return check_parse(from->check, &to->checks.set, error);
    return LW_OK;
}

/* Under `lanewise run` (path given) the results go where its report looks; else into a file of this session. */
static int open_results(lw_session *s, const char *given, lw_message *message)
{
    if (given) {
        snprintf(s->results_path, sizeof s->results_path, "%s", given);
        return 0;
    }
    const char *folder = getenv("TMPDIR");
    snprintf(s->results_path, sizeof s->results_path, "%s/lanewise-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(s->results_path);
    if (fd < 0) return fail(message, "cannot make %s", s->results_path);
    close(fd);
    s->own_results = true;
    return lw_results_create(s->results_path, message);
}

static int open_context(lw_session *s, const lw_session_options *options, lw_message *message)
{
    host_options all = host_options_from_environment(); /* what `lanewise run` gave to the whole process */
    lw_error invalid = {0};
    if (take_options(&all, options, &invalid)) return fail(message, "no session: %s", invalid.message);
    if (open_results(s, all.results, message)) return 1;
    all.results = s->results_path;
    host_error error = host_open(&all, &s->host);
    if (error == HOST_ILLEGAL_STATE)
        return fail(message, "no session: the process uses CUDA already, on another device or with other memory");
    return error ? host_failed(message, "no session", error) : 0;
}

int lw_session_create(lw_session **out, const lw_session_options *options, lw_message *message)
{
    *out = NULL;
    lw_device_info device;
    if (options && options->device && lw_device_find(options->device, &device, message)) return 1;
    lw_session *s = calloc(1, sizeof *s);
    if (!s) return fail(message, "out of memory");
    if (open_context(s, options, message)) {
        lw_session_destroy(s);
        return 1;
    }
    *out = s;
    return 0;
}

void lw_session_destroy(lw_session *s)
{
    if (!s) return;
    if (s->host) host_synchronize(s->host);
    while (s->modules) {
        lw_module *m = s->modules;
        s->modules = m->next;
        host_module_unload(host_get(), m->host);
        free(m);
    }
    while (s->buffers) lw_buffer_destroy(s, s->buffers->memory, NULL);
    if (s->host) host_reset(s->host);
    if (s->own_results) unlink(s->results_path);
    free(s);
}

/* ---------------------------------------------------------------- modules */
int lw_module_load(lw_session *s, const void *image, size_t bytes, const char *name, lw_module **out,
                   lw_message *message)
{
    *out = NULL;
    lw_error error = {0};
    host_part part = {name, image, bytes};
    host_module *host;
    host_error status = host_module_load(s->host, &part, 1, &host, &error);
    if (status && *error.message) return fail(message, "%s", error.message);
    if (status) return host_failed(message, name ? name : "module", status);
    lw_module *m = calloc(1, sizeof *m);
    if (!m) return fail(message, "out of memory");
    *m = (lw_module){s->modules, s, host};
    *out = s->modules = m;
    return 0;
}

int lw_module_variable(lw_module *m, const char *name, void **out_address, size_t *out_bytes, lw_message *message)
{
    uint64_t address = 0, bytes = 0;
    host_error error = host_module_symbol(m->host, name, &address, &bytes);
    if (error) return host_failed(message, name, error);
    if (out_address) *out_address = mem_storage(address);
    if (out_bytes) *out_bytes = (size_t)bytes;
    return 0;
}

/* ---------------------------------------------------------------- buffers */
static int keep_buffer(lw_session *s, void *memory, bool registered, lw_message *message)
{
    buffer *b = calloc(1, sizeof *b);
    if (!b) return fail(message, "out of memory");
    *b = (buffer){s->buffers, memory, registered};
    s->buffers = b;
    return 0;
}

int lw_buffer_create(lw_session *s, size_t bytes, void **out, lw_message *message)
{
    *out = NULL;
    uint64_t address = 0;
    host_error error = host_malloc(s->host, bytes, MEM_MANAGED, 0, &address);
    if (error) return host_failed(message, "no buffer", error);
    *out = (void *)(uintptr_t)address;
    return keep_buffer(s, *out, false, message);
}

int lw_buffer_register(lw_session *s, void *memory, size_t bytes, lw_message *message)
{
    host_error error = host_register(s->host, memory, bytes, 0);
    if (error) return host_failed(message, "the memory cannot be registered", error);
    return keep_buffer(s, memory, true, message);
}

int lw_buffer_destroy(lw_session *s, void *memory, lw_message *message)
{
    for (buffer **link = &s->buffers; *link; link = &(*link)->next) {
        buffer *b = *link;
        if (b->memory != memory) continue;
        *link = b->next;
        host_error error = b->registered ? host_unregister(s->host, memory) : host_free(s->host, (uintptr_t)memory);
        free(b);
        return error ? host_failed(message, "the buffer cannot be freed", error) : 0;
    }
    return fail(message, "%p is not a buffer of this session", memory);
}

/* ---------------------------------------------------------------- launches */
static void last_finding(void *user, const lw_finding *f)
{
    lw_message *message = user;
    snprintf(message->text, sizeof message->text, "%s", f->message);
}

/* The words of the fault that just happened. */
static int faulted(lw_session *s, const char *kernel, host_error error, lw_message *message)
{
    lw_results *results;
    host_failed(message, kernel, error);
    if (message && !lw_session_results(s, &results, NULL)) {
        lw_results_each_finding(results, last_finding, message);
        lw_results_free(results);
    }
    return 1;
}

int lw_launch(lw_session *s, lw_module *m, const char *kernel, const lw_shape *shape, void **arguments,
              lw_message *message)
{
    host_kernel *k;
    host_kernel_info info;
    host_error error = host_module_kernel(m->host, kernel, &k);
    if (error) return fail(message, "the module has no kernel '%s'", kernel);
    if ((error = host_kernel_query(k, &info))) return faulted(s, kernel, error, message);
    host_launch_config config = {.dynamic_shared = shape->dynamic_shared_bytes,
                                 .cooperative = shape->cooperative,
                                 .stream = host_stream_resolve(s->host, NULL, false)};
    for (int d = 0; d < 3; d++) {
        config.grid[d] = shape->grid[d] ? shape->grid[d] : 1;
        config.block[d] = shape->block[d] ? shape->block[d] : 1;
        config.cluster[d] = shape->cluster[d] ? shape->cluster[d] : 1;
        config.cluster_given |= shape->cluster[d] > 0;
    }
    if ((error = host_launch(k, &config, arguments, NULL, 0))) return host_failed(message, kernel, error);
    error = host_synchronize(s->host);
    return error ? faulted(s, kernel, error, message) : 0;
}

int lw_session_results(lw_session *s, lw_results **out, lw_message *message)
{
    return lw_results_read(s->results_path, NULL, out, message);
}

/* ---------------------------------------------------------------- results row by row */
void lw_results_each(const lw_results *results, void (*visit)(void *user, const lw_row *row), void *user)
{
    const result_set *set = &results->set;
    for (size_t l = 0; l < set->launches.count; l++) {
        const result_launch *launch = &set->launches.items[l];
        for (size_t r = 0; r < launch->row_count; r++) {
            const result_row *from = &launch->rows[r];
            lw_counter counters[COUNTER_COUNT];
            lw_row row = {
                launch->kernel, from->file, from->function, from->line, from->space, from->op, from->bytes_per_lane,
                from->exact,    from->why,  counters,       0};
            for (uint32_t c = 0; c < COUNTER_COUNT; c++)
                if (from->counters.present >> c & 1)
                    counters[row.counter_count++] = (lw_counter){counter_descs[c].name, from->counters.value[c]};
            visit(user, &row);
        }
    }
}

static lw_related related_of(const result_related *from)
{
    lw_related out = {.message = from->message, .file = from->file, .line = from->line};
    memcpy(out.block, from->block, sizeof out.block);
    memcpy(out.thread, from->thread, sizeof out.thread);
    return out;
}

void lw_results_each_finding(const lw_results *results, void (*visit)(void *user, const lw_finding *finding),
                             void *user)
{
    for (size_t k = 0; k < results->set.findings.count; k++) {
        const result_finding *f = &results->set.findings.items[k];
        lw_finding out = {.check = f->check,
                          .severity = f->severity,
                          .message = f->message,
                          .kernel = f->kernel,
                          .file = f->file,
                          .line = f->line};
        memcpy(out.block, f->block, sizeof out.block);
        memcpy(out.thread, f->thread, sizeof out.thread);
        out.count = f->count;
        lw_related *related = lw_alloc((f->related_count + 1) * sizeof *related);
        for (size_t n = 0; n < f->related_count; n++) related[n] = related_of(&f->related[n]);
        out.related = related;
        out.related_count = f->related_count;
        visit(user, &out);
        free(related);
    }
}
