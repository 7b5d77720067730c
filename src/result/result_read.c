/* result log, the reading side: sums the records of all processes into a result_set.
 *
 * Everything in the file is checked before it is used: a record counts if it lies inside the file, is committed and is
 * where its mark says; a place is followed only to such a record of the right kind. Records of one launch, rows of one
 * identity, equal findings and equal messages become one, in the order they were first written. */
#include "result/log_format.h"

#include <stdlib.h>
#include <string.h>

typedef struct launch_sum {
    result_launch launch;
    LW_VEC(result_row) rows;
} launch_sum;

typedef struct reader {
    const char *data;
    uint64_t size;
    result_set *out;
    lw_map launches, findings, messages; /* identity -> launch_sum, index + 1, text */
    LW_VEC(launch_sum *) sums;
    size_t process_count;
    LW_VEC(uint32_t) pids; /* of processes with a timeline */
} reader;

/* ---- checked access ---- */

static const log_record *record_at(const reader *r, uint64_t place)
{
    if (place < LOG_FIRST || place % LOG_ALIGN || place > r->size || r->size - place < sizeof(log_record)) return NULL;
    const log_record *record = (const log_record *)(r->data + place);
    if (record->mark != (LOG_MARK ^ place) || record->size < sizeof *record || record->size > r->size - place)
        return NULL;
    return record;
}

static const void *committed_at(const reader *r, uint64_t place, log_kind kind, size_t least)
{
    const log_record *record = record_at(r, place);
    return record && record->committed && record->kind == kind && record->size >= least ? record : NULL;
}

/* A copy of the text in the result's arena; NULL if there is none. */
static const char *text_at(const reader *r, uint64_t place)
{
    const log_string *s = committed_at(r, place, LOG_STRING, sizeof *s + 1);
    return s && s->length < s->head.size - sizeof *s ? lw_arena_strndup(&r->out->arena, s->text, s->length) : NULL;
}

static const char *text_or(const reader *r, uint64_t place, const char *otherwise)
{
    const char *text = text_at(r, place);
    return text ? text : otherwise;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* ---- launches ---- */

static void read_frames(const reader *r, const log_row *row, result_row *out)
{
    const log_frames *f = committed_at(r, row->inlined, LOG_FRAMES, sizeof *f);
    if (!f || f->count > (f->head.size - sizeof *f) / sizeof f->frame[0]) return;
    result_frame *frames = LW_NEW_ARRAY(&r->out->arena, result_frame, f->count);
    for (uint32_t i = 0; i < f->count; i++)
        frames[i] =
            (result_frame){text_or(r, f->frame[i].file, "?"), f->frame[i].line, text_at(r, f->frame[i].function)};
    out->inlined = frames;
    out->inlined_count = f->count;
}

static const result_sample *read_samples(const reader *r, uint64_t place)
{
    const log_samples *s = committed_at(r, place, LOG_SAMPLES, sizeof *s);
    if (!s) return NULL;
    result_sample *samples = LW_NEW_ARRAY(&r->out->arena, result_sample, RESULT_SAMPLES);
    memcpy(samples, s->sample, sizeof s->sample);
    return samples;
}

static void read_what_if(const reader *r, uint64_t place, result_launch *out)
{
    const log_what_if *w = committed_at(r, place, LOG_WHAT_IF, sizeof *w);
    if (!w || w->count > (w->head.size - sizeof *w) / sizeof w->layout[0]) return;
    result_what_if *all = LW_NEW_ARRAY(&r->out->arena, result_what_if, w->count + 1);
    for (uint32_t i = 0; i < w->count; i++) {
        const log_layout *from = &w->layout[i];
        all[i] = from->numbers;
        all[i].array = text_or(r, from->array, "?");
        all[i].about = text_at(r, from->about);
        all[i].now = text_or(r, from->now, "?");
        all[i].then = text_at(r, from->then);
        all[i].index = text_at(r, from->index);
        all[i].refused = text_at(r, from->refused);
    }
    out->what_if = all;
    out->what_if_count = w->count;
}

static void read_blocks(const reader *r, uint64_t place, result_launch *out)
{
    const log_blocks *b = committed_at(r, place, LOG_BLOCKS, sizeof *b);
    if (!b) return;
    uint64_t cells = (uint64_t)b->blocks.columns * b->blocks.rows;
    if (!cells || cells > b->head.size - sizeof *b) return;
    result_blocks *to = LW_NEW(&r->out->arena, result_blocks);
    uint8_t *level = LW_NEW_ARRAY(&r->out->arena, uint8_t, cells);
    memcpy(level, b->level, cells);
    *to = b->blocks;
    to->level = level;
    out->blocks = to;
}

static result_row read_row(const reader *r, const log_row *row)
{
    result_row out = {0};
    out.file = text_or(r, row->file, "?");
    out.line = row->line;
    out.function = text_at(r, row->function);
    out.ptx = row->ptx;
    out.space = text_or(r, row->space, "?");
    out.op = text_or(r, row->op, "?");
    out.dir = text_at(r, row->dir);
    out.bytes_per_lane = row->bytes_per_lane;
    out.exact = row->exact;
    out.why = text_at(r, row->why);
    out.advice = text_at(r, row->advice);
    out.counters = row->counters;
    out.seconds = row->seconds;
    out.seconds_saved = row->seconds_saved;
    out.counters.present &= (1u << COUNTER_COUNT) - 1;
    out.samples = read_samples(r, row->samples);
    read_frames(r, row, &out);
    return out;
}

static bool same_row(const result_row *a, const result_row *b)
{
    if (a->line != b->line || a->bytes_per_lane != b->bytes_per_lane || a->ptx != b->ptx ||
        a->inlined_count != b->inlined_count)
        return false;
    if (!same_text(a->space, b->space) || !same_text(a->op, b->op) || !same_text(a->dir, b->dir) ||
        !same_text(a->file, b->file) || !same_text(a->function, b->function))
        return false;
    for (uint32_t i = 0; i < a->inlined_count; i++)
        if (a->inlined[i].line != b->inlined[i].line || !same_text(a->inlined[i].file, b->inlined[i].file) ||
            !same_text(a->inlined[i].function, b->inlined[i].function))
            return false;
    return true;
}

static void sum_row(launch_sum *sum, size_t position, const result_row *row)
{
    result_row *to = NULL;
    if (position < sum->rows.count && same_row(&sum->rows.items[position], row)) to = &sum->rows.items[position];
    for (size_t i = 0; !to && i < sum->rows.count; i++)
        if (same_row(&sum->rows.items[i], row)) to = &sum->rows.items[i];
    if (!to) {
        lw_vec_push(&sum->rows, *row);
        return;
    }
    counter_set_add(&to->counters, &row->counters);
    to->seconds += row->seconds;
    to->seconds_saved += row->seconds_saved;
    to->exact = to->exact && row->exact;
    if (!to->why) to->why = row->why;
    if (!to->advice) to->advice = row->advice;
    if (!to->samples) to->samples = row->samples;
}

static launch_sum *sum_of(reader *r, const log_launch *l, const char *kernel, const char *mangled)
{
    lw_arena *arena = &r->out->arena;
    const char *parent = text_at(r, l->parent), *parent_file = text_at(r, l->parent_file);
    const char *key = lw_arena_printf(arena, "%s %u,%u,%u %u,%u,%u %u,%u,%u %u %s %s %u %u", mangled, l->grid[0],
                                      l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->cluster[0],
                                      l->cluster[1], l->cluster[2], l->dynamic_shared_bytes, parent ? parent : "",
                                      parent_file ? parent_file : "", l->parent_line, l->device);
    launch_sum *sum = lw_map_get(&r->launches, key, strlen(key));
    if (sum) return sum;
    sum = LW_NEW(arena, launch_sum);
    sum->launch.kernel = kernel;
    sum->launch.kernel_mangled = mangled;
    memcpy(sum->launch.grid, l->grid, sizeof l->grid);
    memcpy(sum->launch.block, l->block, sizeof l->block);
    memcpy(sum->launch.cluster, l->cluster, sizeof l->cluster);
    sum->launch.dynamic_shared_bytes = l->dynamic_shared_bytes;
    sum->launch.parent = parent;
    sum->launch.parent_file = parent_file;
    sum->launch.parent_line = l->parent_line;
    sum->launch.device = l->device;
    sum->launch.built = l->built;
    sum->launch.occupancy = l->occupancy;
    lw_map_put(&r->launches, key, strlen(key), sum);
    lw_vec_push(&r->sums, sum);
    return sum;
}

static void read_launch(reader *r, const log_launch *l)
{
    if (l->head.size < sizeof *l || l->row_count > (l->head.size - sizeof *l) / sizeof l->row[0]) return;
    const char *mangled = text_or(r, l->kernel_mangled, "?"), *note = text_at(r, l->note);
    launch_sum *sum = sum_of(r, l, text_or(r, l->kernel, mangled), mangled);
    result_launch *to = &sum->launch;
    counter_set counters = l->counters;
    counters.present &= (1u << COUNTER_COUNT) - 1;
    to->count += l->count;
    to->seconds += l->seconds;
    to->inst_executed += l->inst_executed;
    to->thread_inst += l->thread_inst;
    to->library = l->library != 0;
    to->library_bytes += l->library_bytes;
    to->schedule_dependent = to->schedule_dependent || l->schedule_dependent;
    if (!note && l->busy) note = "interrupted";
    if (!to->note) to->note = note;
    if (l->what_if && !to->what_if) read_what_if(r, l->what_if, to);
    if (l->ptx && !to->ptx) to->ptx = text_at(r, l->ptx);
    if (l->blocks && !to->blocks) read_blocks(r, l->blocks, to);
    counter_set_add(&to->counters, &counters);
    result_time_add(&to->time, &l->time);
    for (uint32_t i = 0; i < l->row_count; i++) {
        result_row row = read_row(r, &l->row[i]);
        sum_row(sum, i, &row);
    }
}

static void finish_launches(reader *r)
{
    for (size_t i = 0; i < r->sums.count; i++) {
        launch_sum *sum = r->sums.items[i];
        result_row *rows = LW_NEW_ARRAY(&r->out->arena, result_row, sum->rows.count + 1);
        if (sum->rows.count) memcpy(rows, sum->rows.items, sum->rows.count * sizeof *rows);
        sum->launch.rows = rows;
        sum->launch.row_count = sum->rows.count;
        lw_vec_free(&sum->rows);
        lw_vec_push(&r->out->launches, sum->launch);
    }
}

/* ---- the rest ---- */

/* What makes a finding's message another one: of a race at a line of the source not the bytes, as unrolled loops have one
 * pair of instructions for each. */
static const char *words_of(lw_arena *arena, const result_finding *f)
{
    if (!f->line || strcmp(f->check, "racecheck")) return f->message;
    char *words = lw_arena_strndup(arena, f->message, strlen(f->message));
    char *out = words;
    for (const char *in = words; *in; in++)
        if (*in < '0' || *in > '9') *out++ = *in;
    *out = 0;
    return words;
}

static void read_finding(reader *r, const log_finding *f)
{
    if (f->head.size < sizeof *f || f->related_count > (f->head.size - sizeof *f) / sizeof f->related[0]) return;
    lw_arena *arena = &r->out->arena;
    result_finding out = {0};
    bool settled = f->settled && !f->open;
    out.check = text_or(r, f->check, "?");
    out.severity = text_or(r, settled ? f->settled : f->severity, "error");
    out.message = text_or(r, f->message, "?");
    out.kernel = text_at(r, f->kernel);
    out.file = text_at(r, f->file);
    out.call = text_at(r, f->call);
    out.error = text_at(r, f->error);
    out.site = text_at(r, f->site);
    out.call_number = f->call_number;
    out.line = f->line;
    memcpy(out.block, f->block, sizeof out.block);
    memcpy(out.thread, f->thread, sizeof out.thread);
    out.has_place = f->has_place;
    out.address = f->address;
    out.has_address = f->has_address;
    out.bytes = f->bytes;
    out.count = f->count ? f->count : 1; /* 0: cut between writing and counting */
    const char *key = lw_arena_printf(arena, "%s\n%s\n%s\n%s\n%s\n%u\n%s\n%u", out.check, out.severity,
                                      words_of(arena, &out), out.kernel ? out.kernel : "", out.file ? out.file : "",
                                      out.line, out.site ? out.site : "", f->related_count ? f->related[0].line : 0);
    uintptr_t known = (uintptr_t)lw_map_get(&r->findings, key, strlen(key));
    if (known) {
        r->out->findings.items[known - 1].count += out.count;
        return;
    }
    result_related *related = LW_NEW_ARRAY(arena, result_related, f->related_count + 1);
    for (uint32_t i = 0; i < f->related_count; i++) {
        related[i].message = text_or(r, f->related[i].message, "?");
        related[i].file = text_at(r, f->related[i].file);
        related[i].line = f->related[i].line;
        related[i].role = (uint8_t)f->related[i].role_side;
        related[i].side = (uint8_t)(f->related[i].role_side >> 8);
        memcpy(related[i].block, f->related[i].block, sizeof related[i].block);
        memcpy(related[i].thread, f->related[i].thread, sizeof related[i].thread);
    }
    result_finding_relate(&out, related, f->related_count);
    lw_vec_push(&r->out->findings, out);
    lw_map_put(&r->findings, key, strlen(key), (void *)(uintptr_t)r->out->findings.count);
}

static void add_message(reader *r, const char *text)
{
    if (!text || lw_map_get(&r->messages, text, strlen(text))) return;
    lw_map_put(&r->messages, text, strlen(text), (void *)text);
    lw_vec_push(&r->out->messages, text);
}

static void add_check(reader *r, const char *name)
{
    bool known = !name;
    for (size_t k = 0; k < r->out->checks.count && !known; k++) known = !strcmp(r->out->checks.items[k], name);
    if (!known) lw_vec_push(&r->out->checks, name);
}

static void read_uncounted(reader *r, const log_uncounted *u)
{
    if (u->head.size < sizeof *u || u->why > RESULT_NOT_IN_RANGE) return;
    result_uncounted add = {text_or(r, u->kernel, "?"), (result_why_uncounted)u->why, LW_MAX(u->count, UINT64_C(1))};
    for (size_t i = 0; i < r->out->uncounted.count; i++) {
        result_uncounted *known = &r->out->uncounted.items[i];
        if (known->why != add.why || strcmp(known->kernel, add.kernel)) continue;
        known->count += add.count;
        return;
    }
    lw_vec_push(&r->out->uncounted, add);
}

static void read_process(reader *r, const log_process *p)
{
    if (p->head.size < sizeof *p) return;
    if (!r->process_count++) {
        r->out->device_name = text_or(r, p->device_name, "");
        r->out->device_cc = text_or(r, p->device_cc, "");
    }
    if (!p->closed) r->out->complete = false;
}

static uint32_t process_of(reader *r, uint32_t pid)
{
    for (uint32_t k = 0; k < r->pids.count; k++)
        if (r->pids.items[k] == pid) return k + 1;
    lw_vec_push(&r->pids, pid);
    return (uint32_t)r->pids.count;
}

static void read_span(reader *r, const log_span *s)
{
    if (s->head.size < sizeof *s || s->span.kind >= RESULT_SPAN_KINDS) return;
    result_span span = s->span;
    span.name = text_at(r, s->name);
    span.process = process_of(r, s->pid);
    lw_vec_push(&r->out->spans, span);
}

static void read_record(reader *r, const log_record *record)
{
    if (!record->committed) {
        r->out->complete = false;
        return;
    }
    switch (record->kind) {
    case LOG_PROCESS: read_process(r, (const log_process *)record); break;
    case LOG_LAUNCH: read_launch(r, (const log_launch *)record); break;
    case LOG_UNCOUNTED: read_uncounted(r, (const log_uncounted *)record); break;
    case LOG_SPAN: read_span(r, (const log_span *)record); break;
    case LOG_FINDING: read_finding(r, (const log_finding *)record); break;
    case LOG_MESSAGE:
        if (record->size >= sizeof(log_message)) add_message(r, text_at(r, ((const log_message *)record)->text));
        break;
    case LOG_CHECK:
        if (record->size >= sizeof(log_message)) add_check(r, text_at(r, ((const log_message *)record)->text));
        break;
    default: break; /* strings and frames are read where they are named */
    }
}

lw_status result_log_read(const char *path, result_set *out, lw_error *error)
{
    memset(out, 0, sizeof *out);
    char *data;
    size_t size;
    LW_TRY(lw_file_read(path, &data, &size, error));
    const log_header *header = (const log_header *)data;
    if (size < LOG_FIRST || header->magic != LOG_MAGIC || header->counter_count != COUNTER_COUNT) {
        free(data);
        return lw_fail(error, LW_CORRUPT, "%s is not a result file of this version", path);
    }
    reader r = {.data = data, .size = LW_MIN(size, header->used), .out = out};
    out->complete = true;
    out->device_name = out->device_cc = "";
    for (uint64_t place = LOG_FIRST; place + sizeof(log_record) <= r.size;) {
        const log_record *record = record_at(&r, place);
        if (record) read_record(&r, record);
        place += record ? lw_round_up(record->size, LOG_ALIGN) : LOG_ALIGN; /* taken and never written: look on */
    }
    if (header->full) {
        out->complete = false;
        add_message(&r, "the result file is full: some results were dropped");
    }
    finish_launches(&r);
    lw_vec_free(&r.sums);
    lw_map_free(&r.launches);
    lw_map_free(&r.findings);
    lw_map_free(&r.messages);
    lw_vec_free(&r.pids);
    free(data);
    return LW_OK;
}
