/* markdown: the report in short, for the summary of a CI job or a comment on a change: the line to change first, findings, kernels. */
#include "report/pen.h"
#include "report/place.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#define MOST_LINES 10
#define MOST_KERNELS 20
#define MOST_FINDINGS 20

/* Text of a table cell or sentence: nothing in it is markup. */
static void plain(lw_text *out, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '&') lw_text_add(out, "&amp;");
        else if (*c == '<') lw_text_add(out, "&lt;");
        else if (*c == '>') lw_text_add(out, "&gt;");
        else if (strchr("\\`*_{}[]|#~!$@", *c)) lw_text_add(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f) lw_text_append(out, " ", 1);
        else lw_text_append(out, c, 1);
    }
}

/* Code inside a table cell: in the element, as backticks cannot hold a backtick or a bar. */
static void code(lw_text *out, const char *text)
{
    lw_text_add(out, "<code>");
    plain(out, text);
    lw_text_add(out, "</code>");
}

static void place(lw_text *out, const char *cwd, const char *file, uint32_t line)
{
    lw_text where = {0};
    lw_text_add(&where, "%s", report_place_file(cwd, file));
    if (line) lw_text_add(&where, ":%u", line);
    code(out, where.data);
    lw_text_free(&where);
}

static void finding(lw_text *out, const result_finding *f, const char *cwd)
{
    lw_text_add(out, "- **%s** ", result_severities[result_severity_find(f->severity)].name);
    plain(out, f->check);
    lw_text_add(out, ": ");
    plain(out, f->message);
    if (f->file) lw_text_add(out, ", at ");
    if (f->file) place(out, cwd, f->file, f->line);
    for (size_t i = 0; i < f->related_count; i++) {
        lw_text_add(out, "; ");
        plain(out, f->related[i].message);
        if (f->related[i].file) lw_text_add(out, " at ");
        if (f->related[i].file) place(out, cwd, f->related[i].file, f->related[i].line);
    }
    lw_text_add(out, "\n");
}

static void findings(lw_text *out, const result_set *set, const char *cwd)
{
    size_t shown = 0;
    if (!set->findings.count) return;
    lw_text_add(out, "\n### %zu finding%s\n\n", set->findings.count, set->findings.count == 1 ? "" : "s");
    for (int severity = 0; severity < RESULT_SEVERITIES; severity++)
        for (size_t i = 0; i < set->findings.count && shown < MOST_FINDINGS; i++) {
            if ((int)result_severity_find(set->findings.items[i].severity) != severity) continue;
            finding(out, &set->findings.items[i], cwd);
            shown++;
        }
    if (shown < set->findings.count) lw_text_add(out, "- and %zu more\n", set->findings.count - shown);
}

static void line(lw_text *out, const report_costly *c, const char *cwd, report_sources *sources)
{
    const result_row *row = c->row;
    char actual[PEN_NUMBER];
    char ideal[PEN_NUMBER];
    char ratio[PEN_NUMBER];
    report_measure m = report_measure_of(&row->counters);
    bool current = !c->launch->built || report_source_written(sources, row->file) <= c->launch->built;
    const char *source = row->ptx || !current ? NULL : report_source_line(sources, row->file, row->line);
    lw_text_add(out, "| **%s** | ", pen_ratio(ratio, m.actual, m.ideal));
    place(out, cwd, row->file, row->line);
    lw_text_add(out, " | ");
    if (source) code(out, source);
    lw_text_add(out, " | %s %s, %s %s, ideal %s |\n", row->space, row->op, pen_count(actual, m.actual), m.unit,
                pen_count(ideal, m.ideal));
}

static void lines(lw_text *out, const result_set *set, const char *cwd)
{
    lw_arena arena = {0};
    report_sources sources = {0};
    report_costly *costly;
    size_t count = report_costly_lines(set, &arena, &costly);
    if (count) {
        const char *advice = report_advice(costly[0].row, costly[0].launch->block, &arena);
        lw_text_add(
            out,
            "\n### Lines above their ideal, the worst first\n\n| | line | source | counted |\n|---|---|---|---|\n");
        for (size_t i = 0; i < LW_MIN(count, (size_t)MOST_LINES); i++) line(out, &costly[i], cwd, &sources);
        if (count > MOST_LINES) lw_text_add(out, "\nand %zu more\n", count - MOST_LINES);
        if (advice) lw_text_add(out, "\nThe first: ");
        if (advice) plain(out, advice);
        if (advice) lw_text_add(out, "\n");
    } else if (set->launches.count) {
        lw_text_add(out, "\nMemory traffic at the ideal in every line.\n");
    }
    report_sources_free(&sources);
    lw_arena_free(&arena);
}

static void kernels(lw_text *out, const result_set *set)
{
    size_t count = set->launches.count;
    bool timed = false;
    char text[PEN_NUMBER];
    if (!count) return;
    for (size_t i = 0; i < count; i++) timed |= set->launches.items[i].time.count > 0;
    lw_text_add(out, "\n<details><summary>%zu kernel%s</summary>\n\n", count, count == 1 ? "" : "s");
    lw_text_add(out, "| kernel | launches | occupancy |%s\n|---|--:|--:|%s\n", timed ? " predicted |" : "",
                timed ? "--:|" : "");
    for (size_t i = 0; i < LW_MIN(count, (size_t)MOST_KERNELS); i++) {
        const result_launch *l = &set->launches.items[i];
        const result_occupancy *o = &l->occupancy;
        lw_text_add(out, "| ");
        code(out, l->kernel ? l->kernel : l->kernel_mangled);
        lw_text_add(out, " | %s | ", pen_count(text, l->count));
        if (o->max_warps_per_sm) lw_text_add(out, "%.0f %%", 100.0 * o->warps_per_sm / o->max_warps_per_sm);
        lw_text_add(out, " |");
        if (timed)
            lw_text_add(out, " %s |", l->time.count ? pen_time(text, l->time.seconds / (double)l->time.count) : "");
        lw_text_add(out, "\n");
    }
    if (count > MOST_KERNELS) lw_text_add(out, "\nand %zu more\n", count - MOST_KERNELS);
    lw_text_add(out, "\n</details>\n");
}

void report_markdown(const result_set *set, const char *cwd, lw_text *out)
{
    lw_text_add(out, "## lanewise: ");
    plain(out, set->device_name);
    lw_text_add(out, "\n");
    if (!set->complete) lw_text_add(out, "\n**Incomplete**: a process ended before it could close its results.\n");
    findings(out, set, cwd);
    lines(out, set, cwd);
    kernels(out, set);
}
