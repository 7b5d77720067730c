/* json: the machine-readable report, schema 1 (docs/REPORT.md). A counter, place or frame that does not apply is left
 * out, never null; `findings` is always there. Texts that are not UTF-8 (paths, kernel names) have their bad bytes
 * replaced by
 * '?'; counts above 2^63-1 are clamped to it, JSON integers being signed 64-bit in most readers. */
#include "report/document.h"

#include "lanewise/version.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

static json_t *text(const char *s)
{
    json_t *value = json_string(s ? s : "");
    if (value) return value;
    char *clean = lw_strdup(s);
    for (unsigned char *c = (unsigned char *)clean; *c; c++)
        if (*c >= 0x80) *c = '?';
    value = json_string(clean);
    free(clean);
    return value;
}

static json_t *count(uint64_t n) { return json_integer(n > INT64_MAX ? INT64_MAX : (json_int_t)n); }

static json_t *triple(const uint32_t v[3], uint32_t least)
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++) json_array_append_new(array, count(LW_MAX(v[i], least)));
    return array;
}

static void put_text(json_t *object, const char *key, const char *s)
{
    if (s) json_object_set_new(object, key, text(s));
}

static json_t *counters(const counter_set *set)
{
    json_t *object = json_object();
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (set->present >> c & 1) json_object_set_new(object, counter_descs[c].name, count(set->value[c]));
    if (set->present >> COUNTER_BYTES_MOVED & 1 && set->value[COUNTER_BYTES_MOVED])
        json_object_set_new(
            object, "bus_utilisation",
            json_real((double)set->value[COUNTER_BYTES_USEFUL] / (double)set->value[COUNTER_BYTES_MOVED]));
    return object;
}

static json_t *frames(const result_row *row)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < row->inlined_count; i++) {
        json_t *frame = json_object();
        put_text(frame, "file", row->inlined[i].file ? row->inlined[i].file : "");
        json_object_set_new(frame, "line", count(row->inlined[i].line));
        put_text(frame, "function", row->inlined[i].function);
        json_array_append_new(array, frame);
    }
    return array;
}

static json_t *line(const result_row *row)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", text(row->file));
    json_object_set_new(object, "line", count(row->line));
    put_text(object, "function", row->function);
    json_object_set_new(object, "inlined", frames(row));
    if (row->ptx) json_object_set_new(object, "ptx", json_true());
    json_object_set_new(object, "space", text(row->space));
    json_object_set_new(object, "op", text(row->op));
    put_text(object, "dir", row->dir);
    json_object_set_new(object, "bytes_per_lane", count(row->bytes_per_lane));
    json_object_set_new(object, "exact", json_boolean(row->exact));
    if (!row->exact) put_text(object, "why", row->why);
    put_text(object, "source", row->source);
    json_object_set_new(object, "counters", counters(&row->counters));
    return object;
}

static json_t *occupancy(const result_occupancy *o)
{
    json_t *object = json_object(), *limits = json_array();
    if (o->registers) json_object_set_new(object, "registers", count(o->registers));
    json_object_set_new(object, "registers_known", json_boolean(o->registers_known));
    json_object_set_new(object, "static_shared_bytes", count(o->static_shared_bytes));
    json_object_set_new(object, "blocks_per_sm", count(o->blocks_per_sm));
    json_object_set_new(object, "warps_per_sm", count(o->warps_per_sm));
    json_object_set_new(object, "max_warps_per_sm", count(o->max_warps_per_sm));
    json_object_set_new(object, "theoretical", json_real((double)o->warps_per_sm / o->max_warps_per_sm));
    for (int i = 0; i < RESULT_LIMITS; i++)
        if (o->limited_by >> i & 1) json_array_append_new(limits, text(result_limit_names[i]));
    json_object_set_new(object, "limited_by", limits);
    if (o->active_clusters) {
        json_object_set_new(object, "active_clusters", count(o->active_clusters));
        json_object_set_new(object, "active_clusters_exact", json_boolean(o->clusters_exact));
    }
    return object;
}

/* The mean of the launches. */
static json_t *predicted_time(const result_launch *l)
{
    const result_time *t = &l->time;
    json_t *object = json_object(), *shares = json_object(), *units = json_object();
    double count = (double)t->count;
    json_object_set_new(object, "seconds", json_real(t->seconds / count));
    json_object_set_new(object, "low", json_real(t->low / count));
    json_object_set_new(object, "high", json_real(t->high / count));
    if (*result_range_words[t->range]) json_object_set_new(object, "wide", text(result_range_words[t->range]));
    json_object_set_new(object, "bottleneck", text(result_resource_names[result_bottleneck(t)]));
    for (int k = 0; k < RESULT_RESOURCES; k++)
        json_object_set_new(shares, result_resource_names[k], json_real(t->resource[k] / t->seconds));
    json_object_set_new(object, "shares", shares);
    for (int k = 0; k < RESULT_RESOURCES; k++)
        if (k != RESULT_LATENCY && k != RESULT_LAUNCH)
            json_object_set_new(units, result_resource_names[k], json_real(t->busy[k] / t->seconds));
    json_object_set_new(object, "units", units);
    const result_row *slowest = report_slowest(l);
    if (!slowest) return object;
    json_t *line = json_object();
    json_object_set_new(line, "file", text(slowest->file));
    json_object_set_new(line, "line", json_integer(slowest->line));
    json_object_set_new(line, "share", json_real(slowest->seconds / t->seconds));
    json_object_set_new(object, "line", line);
    json_object_set_new(object, "seconds_at_ideal", json_real((t->seconds - slowest->seconds_saved) / count));
    return object;
}

static json_t *parent(const result_launch *l)
{
    json_t *object = json_object();
    json_object_set_new(object, "kernel", text(l->parent));
    if (l->parent_file) json_object_set_new(object, "file", text(l->parent_file));
    if (l->parent_file) json_object_set_new(object, "line", count(l->parent_line));
    return object;
}

static json_t *what_if(const result_what_if *w)
{
    json_t *object = json_object();
    json_object_set_new(object, "array", text(w->array));
    json_object_set_new(object, "space", text(w->global ? "global" : "shared"));
    put_text(object, "about", w->about);
    json_object_set_new(object, "now", text(w->now));
    put_text(object, "then", w->then);
    put_text(object, "index", w->index);
    put_text(object, "refused", w->refused);
    json_object_set_new(object, "best", json_boolean(w->best));
    if (w->then) json_object_set_new(object, "exact", json_boolean(w->exact));
    json_object_set_new(object, w->global ? "sectors_before" : "wavefronts_before", count(w->before));
    if (!w->then) return object;
    json_object_set_new(object, w->global ? "sectors_after" : "wavefronts_after", count(w->after));
    if (!w->global) {
        json_object_set_new(object, "shared_bytes_before", count(w->bytes_before));
        json_object_set_new(object, "shared_bytes_after", count(w->bytes_after));
        json_object_set_new(object, "blocks_per_sm_before", count(w->blocks_before));
        json_object_set_new(object, "blocks_per_sm_after", count(w->blocks_after));
    }
    if (w->seconds_before <= 0) return object;
    json_object_set_new(object, "seconds_before", json_real(w->seconds_before));
    json_object_set_new(object, "seconds_after", json_real(w->seconds_after));
    return object;
}

static json_t *launch(const result_launch *l)
{
    json_t *object = json_object(), *lines = json_array();
    json_object_set_new(object, "kernel", text(l->kernel ? l->kernel : l->kernel_mangled));
    json_object_set_new(object, "kernel_mangled", text(l->kernel_mangled));
    json_object_set_new(object, "grid", triple(l->grid, 1));
    json_object_set_new(object, "block", triple(l->block, 1));
    json_object_set_new(object, "cluster", triple(l->cluster, 1));
    json_object_set_new(object, "dynamic_shared_bytes", count(l->dynamic_shared_bytes));
    if (l->device) json_object_set_new(object, "device", count(l->device));
    if (l->parent) json_object_set_new(object, "launched_by", parent(l));
    json_object_set_new(object, "count", count(l->count));
    json_object_set_new(object, "seconds", json_real(l->seconds));
    json_object_set_new(object, "inst_executed", count(l->inst_executed));
    json_object_set_new(object, "thread_inst", count(l->thread_inst));
    json_object_set_new(object, "schedule_dependent", json_boolean(l->schedule_dependent));
    if (l->note) json_object_set_new(object, "note", text(l->note));
    if (l->library) {
        json_object_set_new(object, "library", json_true());
        json_object_set_new(object, "least_bytes", count(l->library_bytes));
    }
    if (l->occupancy.max_warps_per_sm) json_object_set_new(object, "occupancy", occupancy(&l->occupancy));
    json_object_set_new(object, "counters", counters(&l->counters));
    if (l->time.count) json_object_set_new(object, "time", predicted_time(l));
    for (size_t i = 0; i < l->row_count; i++) json_array_append_new(lines, line(&l->rows[i]));
    json_object_set_new(object, "lines", lines);
    if (!l->what_if_count) return object;
    json_t *layouts = json_array();
    for (size_t i = 0; i < l->what_if_count; i++) json_array_append_new(layouts, what_if(&l->what_if[i]));
    json_object_set_new(object, "what_if", layouts);
    return object;
}

static json_t *related(const result_related *r)
{
    json_t *object = json_object();
    put_text(object, "message", r->message);
    put_text(object, "file", r->file);
    if (r->file) json_object_set_new(object, "line", count(r->line));
    if (r->role == RESULT_HOST) return object;
    json_object_set_new(object, "block", triple(r->block, 0));
    json_object_set_new(object, "thread", triple(r->thread, 0));
    return object;
}

/* One side of a race: its access, and its synchronisations in order; behind: after its access. */
static json_t *side_of(const result_finding *f, uint8_t side)
{
    json_t *object = json_object(), *all = json_array();
    bool behind = false;
    for (size_t i = 0; i < f->step_count; i++) {
        const result_related *r = &f->steps[i];
        if (r->role == RESULT_MISSING || r->side != side) continue;
        json_t *to = r->role == RESULT_ACCESS ? object : json_object();
        put_text(to, r->role == RESULT_ACCESS ? "access" : "what", r->message);
        put_text(to, "file", r->file);
        if (r->file) json_object_set_new(to, "line", count(r->line));
        if (r->role == RESULT_ACCESS) {
            put_text(to, "kernel", f->kernel);
            json_object_set_new(to, "block", triple(r->block, 0));
            json_object_set_new(to, "thread", triple(r->thread, 0));
            behind = true;
            continue;
        }
        json_object_set_new(to, "common", json_boolean(r->role == RESULT_COMMON));
        json_object_set_new(to, "behind", json_boolean(behind));
        json_array_append_new(all, to);
    }
    json_object_set_new(object, "synchronisations", all);
    return object;
}

static void sides(json_t *object, const result_finding *f)
{
    const result_related *last = f->step_count ? &f->steps[f->step_count - 1] : NULL;
    if (!last || last->role != RESULT_MISSING) return;
    json_t *both = json_array();
    json_array_append_new(both, side_of(f, 0));
    json_array_append_new(both, side_of(f, 1));
    json_object_set_new(object, "sides", both);
    put_text(object, "missing", last->message);
}

static json_t *finding(const result_finding *f)
{
    json_t *object = json_object(), *all = json_array();
    json_object_set_new(object, "check", text(f->check));
    json_object_set_new(object, "severity", text(f->severity));
    json_object_set_new(object, "message", text(f->message));
    put_text(object, "call", f->call);
    put_text(object, "error", f->error);
    if (f->call_number) json_object_set_new(object, "call_number", count(f->call_number));
    put_text(object, "site", f->site);
    put_text(object, "kernel", f->kernel);
    put_text(object, "file", f->file);
    if (f->file) json_object_set_new(object, "line", count(f->line));
    if (f->has_place) {
        json_object_set_new(object, "block", triple(f->block, 0));
        json_object_set_new(object, "thread", triple(f->thread, 0));
    }
    if (f->has_address) json_object_set_new(object, "address", json_sprintf("0x%llx", (unsigned long long)f->address));
    if (f->bytes) json_object_set_new(object, "bytes", count(f->bytes));
    json_object_set_new(object, "count", count(f->count));
    for (size_t i = 0; i < f->related_count; i++) json_array_append_new(all, related(&f->related[i]));
    json_object_set_new(object, "related", all);
    sides(object, f);
    return object;
}

static json_t *uncounted_kernel(const result_uncounted *u)
{
    json_t *object = json_object();
    json_object_set_new(object, "kernel", text(u->kernel));
    json_object_set_new(object, "why", text(u->why == RESULT_NOT_SELECTED ? "kernel" : "launch"));
    json_object_set_new(object, "count", count(u->count));
    return object;
}

static json_t *span(const result_span *s)
{
    json_t *object = json_object();
    json_object_set_new(object, "process", count(s->process));
    json_object_set_new(object, "stream", count(s->stream));
    json_object_set_new(object, "operation", text(result_span_names[s->kind]));
    put_text(object, "kernel", s->name);
    json_object_set_new(object, "start", json_real(s->begin));
    json_object_set_new(object, "end", json_real(s->end));
    json_object_set_new(object, "seconds", json_real(s->seconds));
    if (s->bytes) json_object_set_new(object, "bytes", count(s->bytes));
    json_object_set_new(object, "count", count(s->count));
    return object;
}

static json_t *timeline(const result_set *set)
{
    json_t *object = json_object(), *rows = json_array();
    for (size_t i = 0; i < set->spans.count; i++) json_array_append_new(rows, span(&set->spans.items[i]));
    json_object_set_new(object, "seconds", json_real(report_timeline_seconds(set)));
    json_object_set_new(object, "rows", rows);
    return object;
}

static json_t *document(const result_set *set)
{
    json_t *root = json_object(), *device = json_object(), *launches = json_array(), *findings = json_array(),
           *uncounted = json_array();
    json_object_set_new(root, "lanewise", text(LANEWISE_VERSION));
    json_object_set_new(root, "schema", count(SCHEMA));
    json_object_set_new(root, "complete", json_boolean(set->complete));
    json_object_set_new(device, "name", text(set->device_name));
    json_object_set_new(device, "cc", text(set->device_cc));
    json_object_set_new(root, "device", device);
    for (size_t i = 0; i < set->launches.count; i++) json_array_append_new(launches, launch(&set->launches.items[i]));
    json_object_set_new(root, "launches", launches);
    for (size_t i = 0; i < set->findings.count; i++) json_array_append_new(findings, finding(&set->findings.items[i]));
    json_object_set_new(root, "findings", findings);
    if (set->spans.count) json_object_set_new(root, "timeline", timeline(set));
    if (set->checks.count) {
        json_t *checks = json_array();
        for (size_t i = 0; i < set->checks.count; i++) json_array_append_new(checks, text(set->checks.items[i]));
        json_object_set_new(root, "checks", checks);
    }
    for (size_t i = 0; i < set->uncounted.count; i++)
        json_array_append_new(uncounted, uncounted_kernel(&set->uncounted.items[i]));
    if (set->uncounted.count) json_object_set(root, "uncounted", uncounted);
    json_decref(uncounted);
    return root;
}

json_t *report_document_text(const char *s) { return text(s); }
json_t *report_document_count(uint64_t n) { return count(n); }
json_t *report_document_launch(const result_launch *l) { return launch(l); }
json_t *report_document_finding(const result_finding *f) { return finding(f); }

static int append(const char *buffer, size_t size, void *data)
{
    lw_text_append(data, buffer, size);
    return 0;
}

lw_status report_json(const result_set *set, lw_text *out, lw_error *error)
{
    json_t *root = document(set);
    int failed = !root || json_dump_callback(root, append, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    if (failed) return lw_fail(error, LW_NO_MEMORY, "cannot write the report as JSON");
    lw_text_append(out, "\n", 1);
    return LW_OK;
}
