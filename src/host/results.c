/* The results file of the context, and what is said once: on stderr and there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/device_priv.h"
#include "host/results_priv.h"
#include "host/source_priv.h"
#include "host/state_priv.h"

void host_results_open(host_context *c)
{
    const char *path = c->options.results;
    if (!path || c->init_error) return;
    lw_error error = {0};
    char cc[8];
    host_device_cc_text(c, cc);
    if (result_log_open(&c->results->log, path, host_device_name(c), cc, &error)) {
        fprintf(stderr, "lanewise: no report will be written: %s\n", error.message);
        c->results->log = NULL;
        return;
    }
    for (uint32_t k = 0; k < CHECK_COUNT; k++)
        if (check_wanted(&c->options.checks, k)) result_log_check(c->results->log, check_rows[k].name);
}

/* What nobody read, where there is no results file. */
static void print_failures(host_context *c)
{
    const size_t most = 8;
    size_t printed = 0;
    for (size_t i = 0; i < c->results->failures.count; i++) {
        host_open_failure *f = &c->results->failures.items[i];
        if (f->message && printed++ < most) fprintf(stderr, "lanewise: api: %s\n", f->message);
        free(f->message);
    }
    if (printed > most) fprintf(stderr, "lanewise: api: %zu more calls failed\n", printed - most);
    c->results->failures.count = 0;
}

void host_results_close(host_context *c)
{
    print_failures(c);
    if (c->results->log) result_log_close(c->results->log);
    c->results->log = NULL;
    c->results->open_later = false;
}

void host_results_forked(host_context *c)
{
    c->results->failures.count = 0;
    if (c->results->log) c->results->parents = c->results->log;
    c->results->log = NULL;
    c->results->open_later = true;
}

result_log *host_log_in_signal(host_context *c) { return c->results->log ? c->results->log : c->results->parents; }

result_log *host_log(host_context *c)
{
    if (!c->results->open_later) return c->results->log;
    host_lock(c);
    if (c->results->open_later) host_results_open(c);
    c->results->open_later = false;
    host_unlock(c);
    return c->results->log;
}

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
    for (size_t i = 0; i < c->results->notes.count && !known; i++) known = !strcmp(c->results->notes.items[i], shown);
    if (!known) {
        lw_vec_push(&c->results->notes, lw_strdup(shown));
        fprintf(stderr, "lanewise: %s\n", shown);
        if (host_log(c)) result_log_message(c->results->log, shown);
    }
    host_unlock(c);
    free(shown);
}
