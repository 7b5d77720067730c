/* diff: what is better and worse in the later of two runs, per kernel and line, as text and as JSON. All counts are per launch, so that
 * runs with different numbers of launches can be compared. */
#include "report/document.h"
#include "report/limit.h"
#include "report/match.h"
#include "report/page.h"
#include "report/pen.h"
#include "report/place.h"

#include "lanewise/version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counters of which less is better. */
static const counter_id judged[] = {
    COUNTER_WAVEFRONTS,      COUNTER_SECTORS,          COUNTER_TRANSACTIONS,    COUNTER_TAGS,
    COUNTER_T_WAVEFRONTS,    COUNTER_REQUESTS,         COUNTER_BYTES,           COUNTER_INST_EXECUTED,
    COUNTER_L2_READ_SECTORS, COUNTER_L2_WRITE_SECTORS, COUNTER_DRAM_READ_BYTES, COUNTER_DRAM_WRITE_BYTES,
};

typedef enum diff_verdict { DIFF_SAME, DIFF_BETTER, DIFF_WORSE, DIFF_MIXED } diff_verdict;
static const char *const verdicts[] = {"same", "better", "worse", "mixed"};

typedef struct diff_run {
    const result_set *before, *after;
    const report_diff_options *options;
    lw_arena arena;
    match_kernel *kernels;
    size_t count;
    LW_VEC(const char *) failed; /* conditions that hold, with what they hold for */
} diff_run;

/* ---- values ---- */

static double per_launch(const result_launch *l, const counter_set *c, counter_id id)
{
    if (!l || !l->count || !c || !(c->present >> id & 1)) return 0;
    return (double)c->value[id] / (double)l->count;
}

static double kernel_value(const result_launch *l, counter_id id) { return l ? per_launch(l, &l->counters, id) : 0; }

static double cost_of(const result_launch *l)
{
    double cost = 0;
    for (size_t i = 0; l && i < l->row_count; i++) cost += report_cost(&l->rows[i].counters);
    return l && l->count ? cost / (double)l->count : 0;
}

static double time_of(const result_launch *l)
{
    return l && l->time.count ? l->time.seconds / (double)l->time.count : 0;
}

static uint64_t failures_of(const result_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->findings.count; i++)
        count += result_severities[result_severity_find(set->findings.items[i].severity)].counts;
    return count;
}

/* More than a rounding of counts that were divided by launches. */
static bool differs(double a, double b) { return fabs(a - b) > 1e-9 * LW_MAX(fabs(a), fabs(b)); }

/* What is lost above the ideal decides; where that is the same, the counters. */
static diff_verdict verdict_of(const match_kernel *k)
{
    double cost_before = cost_of(k->before);
    double cost_after = cost_of(k->after);
    if (differs(cost_before, cost_after)) return cost_after < cost_before ? DIFF_BETTER : DIFF_WORSE;
    bool less = false;
    bool more = false;
    for (size_t i = 0; i < LW_COUNT(judged); i++) {
        double a = kernel_value(k->before, judged[i]);
        double b = kernel_value(k->after, judged[i]);
        if (differs(a, b)) *(b < a ? &less : &more) = true;
    }
    if (less && more) return DIFF_MIXED;
    return less ? DIFF_BETTER : more ? DIFF_WORSE : DIFF_SAME;
}

/* The measure of a row, of the side that has one. */
static const char *unit_of(const match_row *r)
{
    report_measure m = report_measure_of(&(r->after ? r->after : r->before)->counters);
    return m.unit ? m.unit : "";
}

static double row_value(const result_launch *l, const result_row *row, const char *unit)
{
    if (!row || !l || !l->count) return 0;
    report_measure m = report_measure_of(&row->counters);
    return m.unit && !strcmp(m.unit, unit) ? (double)m.actual / (double)l->count : 0;
}

static bool row_differs(const match_kernel *k, const match_row *r)
{
    const char *unit = unit_of(r);
    return differs(row_value(k->before, r->before, unit), row_value(k->after, r->after, unit)) || !r->before ||
           !r->after;
}

/* ---- conditions ---- */

static void note_failed(diff_run *run, const limit_condition *c, const char *kernel, double before, double after)
{
    char a[PEN_NUMBER];
    char b[PEN_NUMBER];
    const char *where = kernel ? lw_arena_printf(&run->arena, " in %s", kernel) : "";
    lw_vec_push(&run->failed, lw_arena_printf(&run->arena, "%s%s: %s before, %s after", c->text, where,
                                              pen_short(a, before), pen_short(b, after)));
}

static bool has_measure(const limit_condition *c, const result_launch *l)
{
    if (!l) return false;
    if (c->measure == LIMIT_TIME) return l->time.count > 0;
    return c->measure == LIMIT_COST || l->counters.present >> c->counter & 1;
}

static double measure_of(const limit_condition *c, const result_launch *l)
{
    if (c->measure == LIMIT_TIME) return time_of(l);
    return c->measure == LIMIT_COST ? cost_of(l) : kernel_value(l, c->counter);
}

/* A kernel that is new has nothing to be compared with: only absolute numbers hold for it. */
static void check_kernel(diff_run *run, const limit_condition *c, const match_kernel *k)
{
    if (!has_measure(c, k->after) || (!k->before && c->unit != LIMIT_ABSOLUTE)) return;
    if (c->kernel && !report_limit_fits_kernel(c->kernel, k->after->kernel)) return;
    double before = measure_of(c, k->before);
    double after = measure_of(c, k->after);
    if (report_limit_holds(c, before, after)) note_failed(run, c, k->after->kernel, before, after);
}

static lw_status check_conditions(diff_run *run, lw_error *error)
{
    for (size_t i = 0; i < run->options->condition_count; i++) {
        limit_condition c;
        LW_TRY(report_limit_condition(run->options->conditions[i], &run->arena, &c, error));
        if (c.measure == LIMIT_FINDINGS) {
            double before = (double)failures_of(run->before);
            double after = (double)failures_of(run->after);
            if (report_limit_holds(&c, before, after)) note_failed(run, &c, NULL, before, after);
            continue;
        }
        for (size_t k = 0; k < run->count; k++) check_kernel(run, &c, &run->kernels[k]);
    }
    return LW_OK;
}

/* ---- text ---- */

static const char *number(lw_arena *arena, double x)
{
    char text[PEN_NUMBER];
    if (x == floor(x) && x < 1e8) return lw_arena_strdup(arena, pen_count(text, (uint64_t)x));
    return lw_arena_strdup(arena, pen_short(text, x));
}

static const char *times(lw_arena *arena, double before, double after)
{
    if (before <= 0) return "new";
    if (after <= 0) return "gone";
    double x = after / before;
    return lw_arena_printf(arena, x < 0.1 ? "%.3fx" : "%.2fx", x);
}

static pen_style style_of(double before, double after)
{
    if (!differs(before, after)) return PEN_DIM;
    return after < before ? PEN_GOOD : PEN_BAD;
}

static void change(pen *p, lw_arena *arena, const char *name, double before, double after)
{
    pen_cell(p, PEN_PLAIN, 26, name);
    pen_cell(p, PEN_PLAIN, -12, number(arena, before));
    pen_put(p, PEN_DIM, p->unicode ? " → " : " > ");
    pen_cell(p, PEN_PLAIN, -12, number(arena, after));
    pen_cell(p, style_of(before, after), -10, times(arena, before, after));
    pen_line(p);
}

static const char *place_text(diff_run *run, const match_row *r)
{
    const result_row *row = r->after ? r->after : r->before;
    const char *place =
        lw_arena_printf(&run->arena, "%s:%u", report_place_file(run->options->cwd, row->file), row->line);
    if (!r->before) return lw_arena_printf(&run->arena, "%s   new", place);
    if (!r->after) return lw_arena_printf(&run->arena, "%s   gone", place);
    if (report_match_renamed(r)) {
        const char *file = report_place_file(run->options->cwd, r->before->file);
        return lw_arena_printf(&run->arena, "%s (was %s:%u)", place, file, r->before->line);
    }
    return r->before->line == row->line ? place : lw_arena_printf(&run->arena, "%s (was %u)", place, r->before->line);
}

static void diff_line(diff_run *run, pen *p, const match_kernel *k, const match_row *r)
{
    const result_row *row = r->after ? r->after : r->before;
    const char *unit = unit_of(r);
    pen_to(p, 4);
    pen_put(p, PEN_PLACE, "%s", place_text(run, r));
    pen_line(p);
    if (row->source) {
        pen_to(p, 6);
        pen_cell(p, PEN_BOLD, (int)LW_MIN(pen_columns(row->source), p->width - 6), row->source);
        pen_line(p);
    }
    pen_to(p, 6);
    change(p, &run->arena, lw_arena_printf(&run->arena, "%s %s %s", row->space, row->op, unit),
           row_value(k->before, r->before, unit), row_value(k->after, r->after, unit));
}

static void diff_kernel(diff_run *run, pen *p, const match_kernel *k)
{
    static const pen_style styles[] = {PEN_DIM, PEN_GOOD, PEN_BAD, PEN_WARN};
    diff_verdict v = verdict_of(k);
    pen_line(p);
    pen_put(p, PEN_BOLD, "%s   ", k->after->kernel);
    pen_put(p, styles[v], "%s", verdicts[v]);
    pen_line(p);
    for (size_t i = 0; i < LW_COUNT(judged); i++) {
        double a = kernel_value(k->before, judged[i]);
        double b = kernel_value(k->after, judged[i]);
        if (!differs(a, b)) continue;
        pen_to(p, 2);
        change(p, &run->arena, counter_descs[judged[i]].name, a, b);
    }
    double a = time_of(k->before);
    double b = time_of(k->after);
    if (a > 0 && b > 0) {
        pen_to(p, 2);
        change(p, &run->arena, "predicted time, us", 1e6 * a, 1e6 * b);
    }
    for (size_t i = 0; i < k->row_count; i++)
        if (row_differs(k, &k->rows[i])) diff_line(run, p, k, &k->rows[i]);
}

static bool has_finding(const result_set *set, const result_finding *f)
{
    for (size_t i = 0; i < set->findings.count; i++) {
        const result_finding *g = &set->findings.items[i];
        bool kernel = g->kernel == f->kernel || (g->kernel && f->kernel && !strcmp(g->kernel, f->kernel));
        if (!strcmp(g->check, f->check) && !strcmp(g->message, f->message) && kernel) return true;
    }
    return false;
}

/* Findings of `in` that `other` does not have. */
static void findings_only_in(diff_run *run, pen *p, const result_set *in, const result_set *other, bool is_new)
{
    for (size_t i = 0; i < in->findings.count; i++) {
        const result_finding *f = &in->findings.items[i];
        if (has_finding(other, f)) continue;
        pen_put(p, is_new ? PEN_BAD : PEN_GOOD, is_new ? "new %s " : "mended %s ", f->severity);
        pen_wrap(p, PEN_PLAIN, 4, lw_arena_printf(&run->arena, "%s: %s", f->check, f->message));
    }
}

/* Is a line new or gone that would have a counterpart if the texts of lines were known? */
static bool is_lost(const match_row *r)
{
    const result_row *row = r->after ? r->after : r->before;
    return (!r->before || !r->after) && !row->source && !row->ptx;
}

static void tell_lost_lines(const diff_run *run, pen *p)
{
    for (size_t i = 0; i < run->count; i++) {
        const match_kernel *k = &run->kernels[i];
        for (size_t n = 0; n < k->row_count && k->before && k->after; n++) {
            if (!is_lost(&k->rows[n])) continue;
            pen_wrap(p, PEN_DIM, 0,
                     "Lines were paired by their number. To find those that moved, record both runs with "
                     "`lanewise run --sources --json FILE`, which keeps their text.");
            return;
        }
    }
}

static void diff_text(diff_run *run, lw_text *out)
{
    const report_diff_options *o = run->options;
    report_options look = {.colour = o->colour, .unicode = o->unicode, .width = o->width};
    pen p;
    size_t equal = 0;
    pen_init(&p, &look, out);
    for (size_t i = 0; i < run->count; i++) {
        const match_kernel *k = &run->kernels[i];
        bool both = k->before && k->after;
        equal += both && verdict_of(k) == DIFF_SAME;
        if (both && verdict_of(k) != DIFF_SAME) diff_kernel(run, &p, k);
    }
    for (size_t i = 0; i < run->count; i++) {
        const match_kernel *k = &run->kernels[i];
        if (k->before && k->after) continue;
        pen_put(&p, PEN_WARN, k->after ? "only after: " : "only before: ");
        pen_wrap(&p, PEN_PLAIN, 4, (k->after ? k->after : k->before)->kernel);
    }
    findings_only_in(run, &p, run->before, run->after, false);
    findings_only_in(run, &p, run->after, run->before, true);
    if (out->size) pen_line(&p);
    if (equal) pen_put(&p, PEN_DIM, "%zu kernel%s equal; counts are per launch", equal, equal == 1 ? "" : "s");
    else pen_put(&p, PEN_DIM, "Counts are per launch.");
    pen_line(&p);
    tell_lost_lines(run, &p);
    for (size_t i = 0; i < run->failed.count; i++) {
        pen_put(&p, PEN_BAD, "failed: ");
        pen_wrap(&p, PEN_PLAIN, 8, run->failed.items[i]);
    }
}

/* ---- JSON ---- */

static json_t *pair(double before, double after) { return json_pack("{s:f,s:f}", "before", before, "after", after); }

static json_t *json_line(const match_kernel *k, const match_row *r)
{
    const result_row *row = r->after ? r->after : r->before;
    const char *unit = unit_of(r);
    json_t *object = pair(row_value(k->before, r->before, unit), row_value(k->after, r->after, unit));
    json_object_set_new(object, "file", report_document_text(row->file));
    if (report_match_renamed(r)) json_object_set_new(object, "file_before", report_document_text(r->before->file));
    if (r->before) json_object_set_new(object, "line_before", report_document_count(r->before->line));
    if (r->after) json_object_set_new(object, "line_after", report_document_count(r->after->line));
    json_object_set_new(object, "space", report_document_text(row->space));
    json_object_set_new(object, "op", report_document_text(row->op));
    json_object_set_new(object, "counter", report_document_text(unit));
    return object;
}

static json_t *json_kernel(const match_kernel *k)
{
    json_t *object = json_object();
    json_t *counters = json_object();
    json_t *lines = json_array();
    json_object_set_new(object, "kernel", report_document_text((k->after ? k->after : k->before)->kernel));
    json_object_set_new(object, "change",
                        json_string(!k->before  ? "only after"
                                    : !k->after ? "only before"
                                                : verdicts[verdict_of(k)]));
    for (size_t i = 0; i < LW_COUNT(judged); i++) {
        double a = kernel_value(k->before, judged[i]);
        double b = kernel_value(k->after, judged[i]);
        if (a > 0 || b > 0) json_object_set_new(counters, counter_descs[judged[i]].name, pair(a, b));
    }
    for (size_t i = 0; i < k->row_count; i++)
        if (row_differs(k, &k->rows[i])) json_array_append_new(lines, json_line(k, &k->rows[i]));
    json_object_set_new(object, "counters", counters);
    json_object_set_new(object, "cost", pair(cost_of(k->before), cost_of(k->after)));
    if (time_of(k->before) > 0 && time_of(k->after) > 0)
        json_object_set_new(object, "time", pair(time_of(k->before), time_of(k->after)));
    json_object_set_new(object, "lines", lines);
    return object;
}

static int append(const char *buffer, size_t size, void *data)
{
    lw_text_append(data, buffer, size);
    return 0;
}

static json_t *document(diff_run *run)
{
    json_t *root = json_object();
    json_t *kernels = json_array();
    json_t *failed = json_array();
    json_object_set_new(root, "lanewise", json_string(LANEWISE_VERSION));
    for (size_t i = 0; i < run->count; i++) json_array_append_new(kernels, json_kernel(&run->kernels[i]));
    json_object_set_new(root, "kernels", kernels);
    json_object_set_new(root, "findings", pair((double)failures_of(run->before), (double)failures_of(run->after)));
    for (size_t i = 0; i < run->failed.count; i++)
        json_array_append_new(failed, report_document_text(run->failed.items[i]));
    json_object_set_new(root, "failed", failed);
    return root;
}

static void diff_json(diff_run *run, lw_text *out)
{
    json_t *root = document(run);
    json_dump_callback(root, append, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    lw_text_append(out, "\n", 1);
    json_decref(root);
}

/* ---- the page ---- */

/* What the page shows of the lines beside the numbers: the lines of the document are those that differ, in the same order. */
static void put_lines(diff_run *run, const match_kernel *k, json_t *lines)
{
    size_t at = 0;
    for (size_t i = 0; i < k->row_count; i++) {
        const match_row *r = &k->rows[i];
        if (!row_differs(k, r)) continue;
        const result_row *row = r->after ? r->after : r->before;
        json_t *line = json_array_get(lines, at++);
        json_object_set_new(line, "shown", report_document_text(report_place_file(run->options->cwd, row->file)));
        if (report_match_renamed(r))
            json_object_set_new(line, "was",
                                report_document_text(report_place_file(run->options->cwd, r->before->file)));
        if (row->source) json_object_set_new(line, "source", report_document_text(row->source));
    }
}

/* Findings of `in` that `other` does not have. */
static json_t *other_findings(const result_set *in, const result_set *other)
{
    json_t *array = json_array();
    for (size_t i = 0; i < in->findings.count; i++)
        if (!has_finding(other, &in->findings.items[i]))
            json_array_append_new(array, report_document_finding(&in->findings.items[i]));
    return array;
}

static json_t *device_of(const result_set *set)
{
    return json_pack("[o,o]", report_document_text(set->device_name), report_document_text(set->device_cc));
}

static void diff_html(diff_run *run, lw_text *out)
{
    json_t *root = document(run);
    json_t *kernels = json_object_get(root, "kernels");
    for (size_t i = 0; i < run->count; i++)
        put_lines(run, &run->kernels[i], json_object_get(json_array_get(kernels, i), "lines"));
    json_object_set_new(root, "mended", other_findings(run->before, run->after));
    json_object_set_new(root, "new", other_findings(run->after, run->before));
    json_object_set_new(root, "devices", json_pack("[o,o]", device_of(run->before), device_of(run->after)));
    report_page_begin(out);
    report_page_data(out, "lw-diff", root);
    report_page_end(out);
}

lw_status report_diff(const result_set *before, const result_set *after, const report_diff_options *options,
                      lw_text *out, size_t *failed, lw_error *error)
{
    diff_run run = {.before = before, .after = after, .options = options};
    run.count = report_match(before, after, &run.arena, &run.kernels);
    lw_status status = check_conditions(&run, error);
    if (!status && options->html) diff_html(&run, out);
    else if (!status && options->json) diff_json(&run, out);
    else if (!status) diff_text(&run, out);
    *failed = run.failed.count;
    lw_vec_free(&run.failed);
    lw_arena_free(&run.arena);
    return status;
}
