/* Findings: what clients of events found, and the faults that stop a kernel. Under `lanewise run` they go to the result log;
 * a program started by itself gets them on stderr. Failed asserts are printed when they happen
 * (launch_run.c), as the device runtime does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/finding_priv.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/origin_priv.h"
#include "host/results_priv.h"
#include "host/source_priv.h"
#include "host/state_priv.h"

static const char *check_of(exec_fault_kind kind)
{
    if (kind == EXEC_ASSERT) return "assert";
    return kind == EXEC_HANG || kind == EXEC_DIVERGENT_BARRIER ? "synccheck" : "memcheck";
}

static bool has_address(exec_fault_kind kind)
{
    switch (kind) {
    case EXEC_ILLEGAL_ADDRESS:
    case EXEC_MISALIGNED:
    case EXEC_INVALID_SPACE:
    case EXEC_SHARED_RANGE:
    case EXEC_CLUSTER_EXITED:
    case EXEC_INVALID_PC: return true;
    default: return false;
    }
}

static void print_finding(const result_finding *f)
{
    fprintf(stderr, "lanewise: %s: %s\n", f->check, f->message);
    if (f->file) fprintf(stderr, "    at %s:%u in %s\n", f->file, f->line, f->kernel);
    if (f->has_place)
        fprintf(stderr, "    block (%u,%u,%u), thread (%u,%u,%u)\n", f->block[0], f->block[1], f->block[2],
                f->thread[0], f->thread[1], f->thread[2]);
}

void host_source_of(const code_kernel *code, uint32_t insn, const char **file, uint32_t *line)
{
    if (insn >= code->site_count) return;
    const code_site *site = &code->sites[insn];
    const ptx_line *shown = host_visible_frame(site->insn->source);
    *file = shown ? shown->file : site->module->name;
    *line = shown ? shown->line : site->insn->line;
}

static const host_kernel *kernel_of(const event_launch *launch)
{
    return launch ? ((const host_launch_facts *)launch->owner)->op->u.kernel.kernel : NULL;
}

_Static_assert((int)EVENT_ROLE_STEP == RESULT_STEP && (int)EVENT_ROLE_MISSING == RESULT_MISSING, "the same roles");

static result_related related_of(const host_kernel *k, const event_related *from)
{
    result_related out = {.message = from->message, .role = from->role, .side = from->side};
    if (from->place) {
        out.file = from->place->file;
        out.line = from->place->line;
    } else if (k) {
        host_source_of(k->code, from->insn, &out.file, &out.line);
    }
    memcpy(out.block, from->block, sizeof out.block);
    memcpy(out.thread, from->thread, sizeof out.thread);
    return out;
}

/* Where clang does not inline our header's part of assert(), the instruction stands in that header. The line that was
 * printed begins with the right place: "a.cu:4: ". A file name for the caller to free, with the finding's line set, or
 * NULL. */
static char *assert_file(result_finding *f)
{
    bool ours = f->file && strstr(f->file, "/lanewise_clang/");
    if (!ours || strcmp(f->check, "assert")) return NULL;
    const char *end = strstr(f->message, ": ");
    const char *colon = end ? end - 1 : f->message;
    while (colon > f->message && *colon != ':') colon--;
    if (colon <= f->message) return NULL;
    f->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    char *file = lw_alloc((size_t)(colon - f->message) + 1);
    memcpy(file, f->message, (size_t)(colon - f->message));
    return file;
}

/* said: stderr has it already */
static void report(host_context *c, const event_finding *found, bool said)
{
    if (!strcmp(found->check, "racecheck") && strcmp(found->severity, "note")) atomic_fetch_add(&c->results->races, 1);
    host_kernel *k = (host_kernel *)kernel_of(found->launch);
    char *message = host_demangle_text(found->message);
    result_related *related = lw_alloc((found->related_count + 1) * sizeof *related);
    for (uint32_t n = 0; n < found->related_count; n++) related[n] = related_of(k, &found->related[n]);
    result_finding f = {
        .check = found->check,
        .severity = found->severity,
        .message = message,
        .kernel = k ? host_kernel_demangled(k) : NULL,
        .has_place = found->has_place,
        .address = found->address,
        .has_address = found->has_address,
        .bytes = found->bytes,
        .count = LW_MAX(found->count, UINT64_C(1)),
    };
    result_finding_relate(&f, related, found->related_count);
    if (k) host_source_of(k->code, found->insn, &f.file, &f.line);
    char *kernel = found->place && found->place->kernel ? host_demangle_text(found->place->kernel) : NULL;
    if (found->place) {
        f.kernel = kernel;
        f.file = found->place->file;
        f.line = found->place->line;
    }
    char *own = assert_file(&f);
    if (own) f.file = own;
    memcpy(f.block, found->block, sizeof f.block);
    memcpy(f.thread, found->thread, sizeof f.thread);
    if (host_log(c)) result_log_finding(c->results->log, &f);
    else if (!said) print_finding(&f);
    free(own);
    free(kernel);
    free(related);
    free(message);
}

void host_report(void *context, const event_finding *finding) { report(context, finding, false); }

/* A copy that lives as long as the process; one for equal names. */
static const char *kept_name(host_results *r, const char *name)
{
    if (!name) return NULL;
    pthread_mutex_lock(&r->names_lock);
    char *kept = lw_map_get(&r->names, name, strlen(name));
    if (!kept) {
        kept = lw_strdup(name);
        lw_map_put(&r->names, kept, strlen(kept), kept);
    }
    pthread_mutex_unlock(&r->names_lock);
    return kept;
}

void host_locate(void *context, const event_launch *launch, uint32_t insn, event_place *out)
{
    host_results *r = ((host_context *)context)->results;
    const host_kernel *k = kernel_of(launch);
    *out = (event_place){.kernel = kept_name(r, launch->kernel)};
    if (!k) return;
    host_source_of(k->code, insn, &out->file, &out->line);
    out->file = kept_name(r, out->file);
}

void host_asked(void *context, uint32_t origin, event_place *out)
{
    host_context *c = context;
    const host_call_place *place = host_origin_place(c, origin);
    *out = (event_place){0};
    if (!place || !place->line.line) return;
    out->file = kept_name(c->results, place->line.file);
    out->line = place->line.line;
}

void host_describe(void *context, uint64_t address, char *out, size_t size)
{
    mem_window *memory = ((host_context *)context)->memory;
    mem_allocation near;
    if (mem_nearest(memory, address, &near)) mem_describe(memory, &near, address, out, size);
    else mem_describe_host(address, out, size);
}

static event_finding finding_of(const event_launch *launch, const exec_fault *fault)
{
    event_finding f = {
        .check = check_of(fault->kind),
        .severity = fault->kind == EXEC_DIVERGENT_BARRIER ? "warning" : "error",
        .message = fault->message,
        .launch = launch,
        .insn = fault->site,
        .has_place = fault->kind != EXEC_HANG,
        .address = fault->address,
        .has_address = has_address(fault->kind),
        .bytes = fault->bytes,
        .count = fault->count,
    };
    memcpy(f.block, fault->block, sizeof f.block);
    memcpy(f.thread, fault->thread, sizeof f.thread);
    return f;
}

void host_finding(host_context *c, const event_launch *launch, const exec_fault *fault)
{
    event_finding f = finding_of(launch, fault);
    report(c, &f, fault->kind == EXEC_ASSERT);
}

/* What was let pass is reported once per source line and kind of memory: later ones count for the first, whose words
 * they take. */
static exec_passed *first_at_place(host_context *c, const host_kernel *k, const exec_passed *passed, bool *out_new)
{
    const char *file = "";
    uint32_t line = 0;
    host_source_of(k->code, passed->fault.site, &file, &line);
    lw_text key = {0};
    lw_text_add(&key, "%u\n%u\n%s\n%s", line, passed->owner, file ? file : "", k->name);
    exec_passed *first = lw_map_get(&c->results->passed, key.data, key.size);
    *out_new = !first;
    if (!first) {
        first = lw_alloc(sizeof *first);
        *first = *passed;
        char *kept = lw_alloc(key.size); /* the map keeps the pointer */
        memcpy(kept, key.data, key.size);
        lw_map_put(&c->results->passed, kept, key.size, first);
    }
    lw_text_free(&key);
    return first;
}

void host_finding_passed(host_context *c, const event_launch *launch, const exec_passed *passed)
{
    bool is_new;
    exec_passed *first = first_at_place(c, kernel_of(launch), passed, &is_new);
    event_finding f = finding_of(launch, &first->fault);
    f.count = passed->count;
    report(c, &f, !is_new);
}
