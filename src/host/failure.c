/* Calls of the program that failed, as findings. How bad one is shows later: an error stays one until the program reads
 * it (then it is a note), so that what nobody looked at is an error however the process ends. */
#include "host/failure.h"

#include <stdlib.h>

#include "host/call_place.h"
#include "host/refuse.h"
#include "host/results_priv.h"
#include "host/state_priv.h"
#include "host/thread.h"

/* What an error means where nobody said why (host_refuse). */
static const char *meaning_of(host_error error)
{
    static const struct {
        host_error error;
        const char *words;
    } rows[] = {
        {HOST_INVALID_RESOURCE_HANDLE, "A stream, event, function or array that was destroyed, or is none."},
        {HOST_INVALID_DEVICE_FUNCTION, "The function is no kernel of this program: it needs __global__, and a launch "
                                       "takes its name, not a pointer to something else."},
        {HOST_INVALID_DEVICE, "There are as many devices as --devices says (by default one), numbered from 0."},
        {HOST_INVALID_SYMBOL, "The symbol is no __device__, __constant__ or __managed__ variable of this program. Give "
                              "the variable itself, not its name as a text and not its address on the host."},
        {HOST_MEMORY_ALLOCATION, "The device has not so much memory left. --memory sets how much it has."},
        {HOST_NOT_SUPPORTED, "lanewise does not support this: what follows from it is not the program's own result."},
        {HOST_MISSING_CONFIGURATION, "No launch was configured."},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++)
        if (rows[i].error == error) return rows[i].words;
    return "";
}

/* "cudaMemcpy returned cudaErrorInvalidValue (invalid argument). Why, and what to do." */
static void describe(lw_text *out, const host_failure *f, const host_refusal *why)
{
    const host_error_desc *row = host_error_find(f->error);
    const char *words = why ? why->words : meaning_of(f->error);
    if (why && why->kernel[0]) lw_text_add(out, "%s was not launched: ", why->kernel);
    lw_text_add(out, "%s returned %s", f->call, f->error_name);
    if (row) lw_text_add(out, " (%s)", row->text);
    lw_text_add(out, ".%s%s", words[0] ? " " : "", words);
}

/* An open failure that is not in the list for want of memory or of a log stays an error: the safe side. */
static void keep(host_context *c, const host_failure *f, result_open *record, const char *message)
{
    host_open_failure open = {f->thread, f->error, record, c->results->log ? NULL : lw_strdup(message)};
    host_lock(c);
    lw_vec_push(&c->results->failures, open);
    host_unlock(c);
}

void host_failure_report(host_context *c, const host_failure *f)
{
    const host_refusal *why = host_refusal_take(f->error);
    if (host_is_sticky(c, f->error)) return;
    lw_text message = {0};
    const char *kernel = why && why->kernel[0] ? why->kernel : NULL;
    host_call_place place;
    bool known = host_call_place_find(kernel, host_thread_get(c)->launched_from, &place);
    describe(&message, f, why);
    result_finding finding = {
        .check = "api",
        .severity = result_severities[f->pending ? RESULT_ERROR : RESULT_NOTE].name,
        .message = message.data,
        .kernel = kernel,
        .call = f->call,
        .error = f->error_name,
        .site = known ? place.site : NULL,
        .file = known && place.line.line ? place.line.file : NULL,
        .line = known ? place.line.line : 0,
        .call_number = f->number,
        .count = 1,
    };
    result_log *log = host_log(c);
    if (f->pending)
        keep(c, f, log ? result_log_open_finding(log, &finding, result_severities[RESULT_NOTE].name) : NULL,
             message.data);
    else if (log) result_log_finding(log, &finding);
    lw_text_free(&message);
}

/* Settles those that match: thread 0 and error 0 stand for any. */
static void settle(host_context *c, uint64_t thread, host_error error)
{
    host_lock(c);
    size_t kept = 0;
    for (size_t i = 0; i < c->results->failures.count; i++) {
        host_open_failure *f = &c->results->failures.items[i];
        bool read = (!thread || f->thread == thread) && (!error || f->error == error);
        if (!read) {
            c->results->failures.items[kept++] = *f;
            continue;
        }
        if (c->results->log) result_log_settle(c->results->log, f->record);
        free(f->message);
    }
    c->results->failures.count = kept;
    host_unlock(c);
}

void host_failures_read_thread(host_context *c, uint64_t thread) { settle(c, thread, 0); }

void host_failures_read_error(host_context *c, host_error error) { settle(c, 0, error); }
