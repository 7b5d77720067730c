/* html: the report as one page. The page itself is static (src/report/page); what is written here is its data, as JSON in script
 * elements of type application/json: the run (lw-run), each kernel (lw-kernel-N), the lines of each source file around those that
 * were counted (lw-file-N). The page parses a kernel's data only when it is opened, so that runs of thousands of kernels open fast.
 *
 * Nothing of the run can end a script element: in the JSON every character outside ASCII, and <, > and &, are \u escapes. */
#include "report/document.h"
#include "report/page.h"
#include "report/place.h"
#include "report/words.h"

#include "lanewise/version.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORST 6        /* lines named on top of the page */
#define WHOLE_FILE 600      /* lines: a file up to this long is shown whole */
#define AROUND 12           /* lines around a counted one, of longer files */
#define MOST_PTX (6u << 20) /* bytes of PTX, the costliest kernels' first */
#define MOST_PICTURED 4096  /* rows with pictures, the costliest kernels' first: 1 KB of the page each */

typedef struct ranked_row {
    const result_row *row;
    const result_launch *launch;
    size_t kernel; /* index in the page */
    double cost;
} ranked_row;

typedef struct ranked_kernel {
    const result_launch *launch;
    double cost;
    size_t order;
} ranked_kernel;

typedef struct html_file {
    const char *name;
    int64_t built;          /* newest program that names it */
    LW_VEC(uint32_t) lines; /* counted ones */
} html_file;

typedef struct html_page {
    const result_set *set;
    const report_options *options;
    lw_text *out;
    lw_arena arena;
    report_sources sources;
    ranked_kernel *kernels; /* in the page's order */
    size_t kernel_count;
    LW_VEC(ranked_row) worst; /* all rows that cost, the worst first */
    double cost;              /* of all rows */
    LW_VEC(html_file *) files;
    lw_map file_map;
    LW_VEC(const char *) changed;
    size_t pictured, ptx_bytes;
} html_page;

/* ---- JSON ---- */

static void put(json_t *object, const char *key, const char *s)
{
    if (s) json_object_set_new(object, key, report_document_text(s));
}

static void put_count(json_t *object, const char *key, uint64_t n)
{
    json_object_set_new(object, key, report_document_count(n));
}

static void put_real(json_t *object, const char *key, double x) { json_object_set_new(object, key, json_real(x)); }

/* ---- order ---- */

static int by_cost(const void *left, const void *right)
{
    const ranked_kernel *a = left;
    const ranked_kernel *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int rows_by_cost(const void *left, const void *right)
{
    const ranked_row *a = left;
    const ranked_row *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    if (a->kernel != b->kernel) return a->kernel < b->kernel ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void rank(html_page *page)
{
    const result_set *set = page->set;
    page->kernel_count = set->launches.count;
    page->kernels = LW_NEW_ARRAY(&page->arena, ranked_kernel, page->kernel_count + 1);
    for (size_t i = 0; i < page->kernel_count; i++) {
        const result_launch *l = &set->launches.items[i];
        page->kernels[i] = (ranked_kernel){l, 0, i};
        for (size_t r = 0; r < l->row_count; r++) page->kernels[i].cost += report_cost(&l->rows[r].counters);
        page->cost += page->kernels[i].cost;
    }
    qsort(page->kernels, page->kernel_count, sizeof *page->kernels, by_cost);
    for (size_t k = 0; k < page->kernel_count; k++) {
        const result_launch *l = page->kernels[k].launch;
        for (size_t r = 0; r < l->row_count; r++) {
            double cost = report_cost(&l->rows[r].counters);
            if (cost > 0) lw_vec_push(&page->worst, ((ranked_row){&l->rows[r], l, k, cost}));
        }
    }
    if (page->worst.count) qsort(page->worst.items, page->worst.count, sizeof *page->worst.items, rows_by_cost);
}

/* ---- source files ---- */

/* The file as shown: relative to the working directory. */
static const char *shown(const html_page *page, const char *file)
{
    return report_place_file(page->options->cwd, file);
}

static void note_changed(html_page *page, const char *file)
{
    for (size_t i = 0; i < page->changed.count; i++)
        if (!strcmp(page->changed.items[i], file)) return;
    lw_vec_push(&page->changed, file);
}

/* Whether the text of a file is that of the program, which was built then (0: not known). */
static bool is_current(html_page *page, const char *file, int64_t built)
{
    if (page->options->no_source || !file) return false;
    int64_t written = report_source_written(&page->sources, file);
    if (!written) return false;
    if (!built || written <= built) return true;
    note_changed(page, file);
    return false;
}

static const char *source_of(html_page *page, const char *file, uint32_t line, int64_t built)
{
    return is_current(page, file, built) ? report_source_line(&page->sources, file, line) : NULL;
}

static void take_file(html_page *page, const result_row *row, int64_t built)
{
    if (row->ptx || !row->file || !is_current(page, row->file, built)) return;
    html_file *file = lw_map_get(&page->file_map, row->file, strlen(row->file));
    if (!file) {
        file = LW_NEW(&page->arena, html_file);
        file->name = row->file;
        lw_map_put(&page->file_map, row->file, strlen(row->file), file);
        lw_vec_push(&page->files, file);
    }
    lw_vec_push(&file->lines, row->line);
}

/* Lines of the file to show: a mark each. */
static bool *lines_of(html_page *page, const html_file *file, uint32_t count)
{
    bool *marks = LW_NEW_ARRAY(&page->arena, bool, count + 2);
    bool whole = count <= WHOLE_FILE;
    if (whole) memset(marks, 1, count + 1);
    for (size_t i = 0; !whole && i < file->lines.count; i++) {
        uint32_t at = file->lines.items[i];
        uint32_t first = at > AROUND ? at - AROUND : 1;
        for (uint32_t n = first; n <= count && n <= at + AROUND; n++) marks[n] = true;
    }
    return marks;
}

static json_t *file_text(html_page *page, const html_file *file)
{
    json_t *lines = json_array();
    uint32_t count = report_source_lines(&page->sources, file->name);
    const bool *marks = lines_of(page, file, count);
    for (uint32_t n = 1; n <= count; n++) {
        if (!marks[n]) continue;
        const char *text = report_source_line(&page->sources, file->name, n);
        uint32_t indent = text ? report_source_indent(&page->sources, file->name, n) : 0;
        const char *whole = lw_arena_printf(&page->arena, "%*s%s", (int)indent, "", text ? text : "");
        json_t *line = json_array();
        json_array_append_new(line, report_document_count(n));
        json_array_append_new(line, report_document_text(whole));
        json_array_append_new(lines, line);
    }
    return lines;
}

/* ---- a kernel ---- */

static bool is_stride(const result_sample *s)
{
    if (s->mask != UINT32_MAX) return false;
    for (uint32_t i = 2; i < 32; i++)
        if (s->address[i] - s->address[i - 1] != s->address[1] - s->address[0]) return false;
    return true;
}

/* The addresses of 32 lanes, null for those that are off; of a stride the first and the distance. */
static json_t *lanes_of(const result_sample *s)
{
    if (is_stride(s)) return json_pack("[I,I]", (json_int_t)s->address[0], (json_int_t)(s->address[1] - s->address[0]));
    json_t *lanes = json_array();
    for (uint32_t i = 0; i < 32; i++)
        json_array_append_new(lanes, s->mask >> i & 1 ? report_document_count(s->address[i]) : json_null());
    return lanes;
}

static json_t *sample(const result_sample *s)
{
    json_t *object = json_object();
    put_count(object, "cost", s->cost);
    put_count(object, "alike", s->alike);
    put_count(object, "of", s->of);
    put_count(object, "block", s->block);
    put_count(object, "warp", s->warp);
    json_object_set_new(object, "lanes", lanes_of(s));
    return object;
}

static json_t *samples(const result_sample *all)
{
    json_t *array = json_array();
    for (int i = 0; i < RESULT_SAMPLES; i++) json_array_append_new(array, sample(&all[i]));
    return array;
}

/* What the page shows of every frame beside what the JSON report has. */
static void put_frames(html_page *page, json_t *line)
{
    json_t *frames = json_object_get(line, "inlined");
    for (size_t i = 0; i < json_array_size(frames); i++) {
        json_t *frame = json_array_get(frames, i);
        put(frame, "shown", shown(page, json_string_value(json_object_get(frame, "file"))));
    }
}

static void put_measure(json_t *line, const result_row *row)
{
    report_measure m = report_measure_of(&row->counters);
    put(line, "unit", m.unit ? m.unit : "");
    put_count(line, "actual", m.actual);
    put_count(line, "ideal", m.has_ideal ? m.ideal : 0);
    put_real(line, "cost", report_cost(&row->counters));
}

static void put_line(html_page *page, json_t *line, const result_launch *launch, const result_row *row)
{
    put_frames(page, line);
    put_measure(line, row);
    put(line, "shown", shown(page, row->file));
    if (!row->ptx) put(line, "source", source_of(page, row->file, row->line, launch->built));
    if (report_cost(&row->counters) <= 0) return;
    put(line, "advice", report_advice(row, launch->block, &page->arena));
    if (!row->samples || !row->samples[RESULT_WORST].mask || page->pictured == MOST_PICTURED) return;
    page->pictured++;
    json_object_set_new(line, "samples", samples(row->samples));
}

/* Levels as letters, one a cell; none if all blocks cost the same. */
static json_t *blocks(html_page *page, const result_blocks *b)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t cells = (size_t)b->columns * b->rows;
    json_t *object = json_pack("{s:I,s:i,s:i,s:i,s:b,s:i,s:i,s:i}", "count", (json_int_t)b->count, "columns",
                               b->columns, "rows", b->rows, "across", b->across, "in_line", b->in_line, "sms",
                               b->sm_count, "worst", b->worst, "fold_across", b->fold[0]);
    put_count(object, "fold_down", b->fold[1]);
    put_real(object, "least", b->least);
    put_real(object, "most", b->most);
    put_real(object, "mean", b->mean);
    if (b->most <= b->least) return object;
    char *text = LW_NEW_ARRAY(&page->arena, char, cells + 1);
    for (size_t k = 0; k < cells; k++) text[k] = letters[LW_MIN(b->level[k], RESULT_LEVELS)];
    put(object, "levels", text);
    return object;
}

static void write_kernel(html_page *page, size_t index)
{
    const result_launch *launch = page->kernels[index].launch;
    json_t *object = report_document_launch(launch);
    json_t *lines = json_object_get(object, "lines");
    for (size_t i = 0; i < launch->row_count; i++) {
        put_line(page, json_array_get(lines, i), launch, &launch->rows[i]);
        take_file(page, &launch->rows[i], launch->built);
    }
    put(object, "note", launch->note);
    if (launch->ptx && page->ptx_bytes + strlen(launch->ptx) <= MOST_PTX) {
        page->ptx_bytes += strlen(launch->ptx);
        put(object, "ptx", launch->ptx);
    }
    if (launch->blocks) json_object_set_new(object, "blocks", blocks(page, launch->blocks));
    report_page_data(page->out, lw_arena_printf(&page->arena, "lw-kernel-%zu", index), object);
}

/* ---- the run ---- */

/* [actual, ideal] of the rows in shared memory, or in all others; NULL: there are none. */
static json_t *sum_of(const result_launch *launch, bool in_shared)
{
    uint64_t actual = 0;
    uint64_t ideal = 0;
    for (size_t r = 0; r < launch->row_count; r++) {
        const result_row *row = &launch->rows[r];
        report_measure m = report_measure_of(&row->counters);
        if (!m.has_ideal || !strcmp(row->space, "constant") || !strcmp(row->space, "shared") != in_shared) continue;
        actual += m.actual;
        ideal += m.ideal;
    }
    return ideal ? json_pack("[I,I]", (json_int_t)actual, (json_int_t)ideal) : NULL;
}

/* Whether the kernel was launched in several configurations. */
static bool is_several(const html_page *page, const result_launch *launch, const lw_map *names)
{
    (void)page;
    const char *name = launch->kernel_mangled ? launch->kernel_mangled : "";
    return (uintptr_t)lw_map_get(names, name, strlen(name)) > 1;
}

static json_t *kernel_summary(const html_page *page, const ranked_kernel *k, const lw_map *names)
{
    const result_launch *l = k->launch;
    json_t *object = json_object();
    json_t *shared = sum_of(l, true);
    json_t *memory = sum_of(l, false);
    put(object, "name", l->kernel ? l->kernel : l->kernel_mangled ? l->kernel_mangled : "?");
    put_count(object, "count", l->count);
    put_count(object, "thread_inst", l->thread_inst);
    put_real(object, "cost", k->cost);
    json_object_set_new(object, "many", json_boolean(is_several(page, l, names)));
    json_object_set_new(object, "grid", json_pack("[i,i,i]", l->grid[0], l->grid[1], l->grid[2]));
    json_object_set_new(object, "block", json_pack("[i,i,i]", l->block[0], l->block[1], l->block[2]));
    if (shared) json_object_set_new(object, "shared", shared);
    if (memory) json_object_set_new(object, "memory", memory);
    const result_occupancy *o = &l->occupancy;
    if (o->max_warps_per_sm) put_real(object, "occupancy", (double)o->warps_per_sm / o->max_warps_per_sm);
    if (!l->time.count) return object;
    put_real(object, "seconds", l->time.seconds / (double)l->time.count);
    put(object, "bottleneck", result_resource_names[result_bottleneck(&l->time)]);
    return object;
}

static json_t *kernel_summaries(html_page *page)
{
    json_t *array = json_array();
    lw_map names = {0}; /* mangled name -> number of configurations */
    for (size_t i = 0; i < page->kernel_count; i++) {
        const char *name = page->kernels[i].launch->kernel_mangled;
        name = name ? name : "";
        uintptr_t known = (uintptr_t)lw_map_get(&names, name, strlen(name));
        lw_map_put(&names, name, strlen(name), (void *)(known + 1));
    }
    for (size_t i = 0; i < page->kernel_count; i++)
        json_array_append_new(array, kernel_summary(page, &page->kernels[i], &names));
    lw_map_free(&names);
    return array;
}

static json_t *worst_line(html_page *page, const ranked_row *w)
{
    json_t *object = json_object();
    const result_row *row = w->row;
    put_count(object, "kernel", w->kernel);
    put(object, "shown", shown(page, row->file));
    put_count(object, "line", row->line);
    if (row->ptx) json_object_set_new(object, "ptx", json_true());
    put_measure(object, row);
    put_real(object, "share", w->cost / page->cost);
    if (!row->ptx) put(object, "source", source_of(page, row->file, row->line, w->launch->built));
    put(object, "advice", report_advice(row, w->launch->block, &page->arena));
    return object;
}

/* Each place once: a load and a store of one line are one thing to change. */
static json_t *worst_lines(html_page *page)
{
    json_t *array = json_array();
    for (size_t i = 0; i < page->worst.count && json_array_size(array) < MOST_WORST; i++) {
        const ranked_row *w = &page->worst.items[i];
        bool known = false;
        for (size_t k = 0; k < i && !known; k++) {
            const result_row *other = page->worst.items[k].row;
            known = other->line == w->row->line && !strcmp(other->file, w->row->file);
        }
        if (!known) json_array_append_new(array, worst_line(page, w));
    }
    return array;
}

static int64_t built_of(const result_set *set, const char *kernel)
{
    for (size_t i = 0; kernel && i < set->launches.count; i++) {
        const result_launch *l = &set->launches.items[i];
        if (l->kernel && !strcmp(l->kernel, kernel)) return l->built;
    }
    return 0;
}

static json_t *finding(html_page *page, const result_finding *f)
{
    json_t *object = report_document_finding(f);
    json_t *sides = json_object_get(object, "related");
    int64_t built = built_of(page->set, f->kernel);
    if (f->file) put(object, "shown", shown(page, f->file));
    put(object, "source", source_of(page, f->file, f->line, built));
    for (size_t i = 0; i < f->related_count; i++) {
        const result_related *r = &f->related[i];
        if (r->file) put(json_array_get(sides, i), "shown", shown(page, r->file));
        put(json_array_get(sides, i), "source", source_of(page, r->file, r->line, built));
    }
    return object;
}

static json_t *findings(html_page *page)
{
    json_t *array = json_array();
    const result_set *set = page->set;
    for (int severity = 0; severity < RESULT_SEVERITIES; severity++)
        for (size_t i = 0; i < set->findings.count; i++)
            if ((int)result_severity_find(set->findings.items[i].severity) == severity)
                json_array_append_new(array, finding(page, &set->findings.items[i]));
    return array;
}

static json_t *texts(const char *const *items, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, report_document_text(items[i]));
    return array;
}

static json_t *words(void)
{
    json_t *object = json_object();
    for (size_t i = 0; i < report_word_count; i++) {
        const report_word *w = &report_words[i];
        json_object_set_new(object, w->name, json_pack("[s,s,s]", w->title, w->text, w->picture));
    }
    return object;
}

/* Titles, too, are words for what a row explains. */
static json_t *other_words(void)
{
    json_t *object = json_object();
    for (size_t i = 0; i < report_word_count; i++) put(object, report_words[i].title, report_words[i].name);
    for (size_t i = 0; i < report_other_count; i++) put(object, report_others[i].other, report_others[i].name);
    return object;
}

static json_t *counter_texts(void)
{
    json_t *object = json_object();
    for (int c = 0; c < COUNTER_COUNT; c++) put(object, counter_descs[c].name, counter_descs[c].text);
    return object;
}

/* [operation, process, stream, name, begin, end, count, bytes]: what streams did, in predicted time. */
static json_t *spans(const result_set *set)
{
    json_t *array = json_array();
    for (size_t i = 0; i < set->spans.count; i++) {
        const result_span *s = &set->spans.items[i];
        if (s->kind == RESULT_SPAN_MARK) continue;
        json_t *span = json_pack("[s,i,I]", result_span_names[s->kind], s->process, (json_int_t)s->stream);
        json_array_append_new(span, report_document_text(s->name));
        json_array_append_new(span, json_real(s->begin));
        json_array_append_new(span, json_real(s->end));
        json_array_append_new(span, report_document_count(s->count));
        json_array_append_new(span, report_document_count(s->bytes));
        json_array_append_new(array, span);
    }
    return array;
}

static void write_run(html_page *page)
{
    const result_set *set = page->set;
    json_t *run = json_object();
    json_t *device = json_object();
    json_t *files = json_array();
    put(run, "lanewise", LANEWISE_VERSION);
    put(device, "name", set->device_name ? set->device_name : "?");
    put(device, "cc", set->device_cc ? set->device_cc : "");
    json_object_set_new(run, "device", device);
    json_object_set_new(run, "complete", json_boolean(set->complete));
    json_object_set_new(run, "kernels", kernel_summaries(page));
    json_object_set_new(run, "worst", worst_lines(page));
    json_object_set_new(run, "findings", findings(page));
    if (set->spans.count) json_object_set_new(run, "spans", spans(set));
    json_object_set_new(run, "checks", texts(set->checks.items, set->checks.count));
    json_object_set_new(run, "messages", texts(set->messages.items, set->messages.count));
    for (size_t i = 0; i < page->files.count; i++)
        json_array_append_new(files, report_document_text(page->files.items[i]->name));
    json_object_set_new(run, "files", files);
    for (size_t i = 0; i < page->changed.count; i++) page->changed.items[i] = shown(page, page->changed.items[i]);
    json_object_set_new(run, "changed", texts(page->changed.items, page->changed.count));
    json_object_set_new(run, "words", words());
    json_object_set_new(run, "also", other_words());
    json_object_set_new(run, "counters", counter_texts());
    report_page_data(page->out, "lw-run", run);
}

static void free_page(html_page *page)
{
    for (size_t i = 0; i < page->files.count; i++) lw_vec_free(&page->files.items[i]->lines);
    lw_vec_free(&page->files);
    lw_vec_free(&page->worst);
    lw_vec_free(&page->changed);
    lw_map_free(&page->file_map);
    report_sources_free(&page->sources);
    lw_arena_free(&page->arena);
}

lw_status report_html(const result_set *set, const report_options *options, lw_text *out, lw_error *error)
{
    (void)error;
    html_page page = {.set = set, .options = options, .out = out};
    report_page_begin(out);
    rank(&page);
    for (size_t i = 0; i < page.kernel_count; i++) write_kernel(&page, i);
    for (size_t i = 0; i < page.files.count; i++)
        report_page_data(page.out, lw_arena_printf(&page.arena, "lw-file-%zu", i),
                         file_text(&page, page.files.items[i]));
    write_run(&page);
    report_page_end(out);
    free_page(&page);
    return LW_OK;
}
