/* findings: errors, warnings and notes of the checks, before everything else, the worst first: what, where (source line,
 * kernel, block, thread; or which call), the source text, and what it is related to. Equal findings were counted where
 * they were made. */
#include "report/text.h"

#include <string.h>

static void place(report_page *page, const char *file, uint32_t line)
{
    if (!file) return;
    pen_put(&page->pen, PEN_PLAIN, "at ");
    if (line) pen_put(&page->pen, PEN_PLACE, "%s:%u", text_file(page, file), line);
    else pen_put(&page->pen, PEN_PLACE, "%s", text_file(page, file));
}

static void source(report_page *page, const char *file, uint32_t line)
{
    const char *text = file ? text_source(page, file, line) : NULL;
    pen *p = &page->pen;
    if (!text) return;
    pen_to(p, 6);
    pen_cell(p, PEN_BOLD, (int)LW_MIN(pen_columns(text), p->width - 6), text);
    pen_line(p);
}

/* file and line: of the finding, whose source is shown already */
static void related(report_page *page, const result_related *r, const char *file, uint32_t line)
{
    pen *p = &page->pen;
    pen_wrap(p, PEN_PLAIN, 6, r->message ? r->message : "related");
    if (!r->file) return;
    const uint32_t *b = r->block;
    const uint32_t *t = r->thread;
    pen_to(p, 8);
    place(page, r->file, r->line);
    if (r->role != RESULT_HOST)
        pen_put(p, PEN_PLAIN, ", block (%u,%u,%u), thread (%u,%u,%u)", b[0], b[1], b[2], t[0], t[1], t[2]);
    pen_line(p);
    if (r->file != file || r->line != line) source(page, r->file, r->line);
}

/* result_launch.built of the kernel that a finding is about; 0: not known. */
static int64_t built_of(const result_set *set, const result_finding *f)
{
    for (size_t i = 0; f->kernel && i < set->launches.count; i++) {
        const result_launch *launch = &set->launches.items[i];
        if (launch->kernel && !strcmp(launch->kernel, f->kernel)) return launch->built;
    }
    return 0;
}

/* A call of the host: "at app.cu:12, 3rd call of cudaMemcpy, in main (app+0x1139)" with the source; the address stays
 * beside the line, for debuggers. */
static void call_place(report_page *page, const result_finding *f)
{
    pen *p = &page->pen;
    lw_text where = {0};
    char count[PEN_NUMBER];
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    uint64_t n = f->call_number;
    bool teen = n / 10 % 10 == 1;
    const char *ending = endings[teen || n % 10 > 3 ? 0 : n % 10];
    const char *comma = f->file ? ", " : "";
    if (n) lw_text_add(&where, "%s%s%s call of %s", comma, pen_count(count, n), ending, f->call);
    if (f->site) lw_text_add(&where, "%sin %s", n ? ", " : comma, f->site);
    if (f->count > 1) lw_text_add(&where, "; %s times", pen_count(count, f->count));
    if (f->file || where.size) pen_to(p, 4);
    place(page, f->file, f->line);
    if (where.size) pen_wrap(p, PEN_PLAIN, 4, where.data);
    else if (f->file) pen_line(p);
    lw_text_free(&where);
    source(page, f->file, f->line);
}

static void launch_place(report_page *page, const result_finding *f)
{
    pen *p = &page->pen;
    const uint32_t *b = f->block;
    const uint32_t *t = f->thread;
    char count[PEN_NUMBER];
    lw_text where = {0};
    pen_to(p, 4);
    place(page, f->file, f->line);
    if (f->kernel) lw_text_add(&where, "%sin %s", f->file ? " " : "", text_kernel(page, f->kernel));
    if (f->has_place) lw_text_add(&where, ", block (%u,%u,%u), thread (%u,%u,%u)", b[0], b[1], b[2], t[0], t[1], t[2]);
    if (f->count > 1) lw_text_add(&where, "; %s times", pen_count(count, f->count));
    if (f->file && f->kernel) pen_to(p, p->column + 1);
    pen_wrap(p, PEN_PLAIN, 6, where.data ? where.data : "");
    lw_text_free(&where);
    source(page, f->file, f->line);
}

static pen_style style_of(result_severity_id severity)
{
    switch (severity) {
    case RESULT_WARNING: return PEN_WARN;
    case RESULT_NOTE: return PEN_DIM;
    default: return PEN_BAD;
    }
}

static void finding(report_page *page, const result_finding *f)
{
    pen *p = &page->pen;
    result_severity_id severity = result_severity_find(f->severity);
    pen_line(p);
    pen_put(p, style_of(severity), "  %s", result_severities[severity].name);
    pen_put(p, PEN_PLAIN, " %s: ", f->check ? f->check : "?");
    pen_wrap(p, PEN_PLAIN, 4, f->message ? f->message : "");
    if (f->call || f->site) call_place(page, f);
    else if (f->file || f->kernel || f->has_place) launch_place(page, f);
    for (size_t i = 0; i < f->related_count; i++) related(page, &f->related[i], f->file, f->line);
    text_sides(page, f);
}

/* "2 findings, 1 note" */
static void heading(report_page *page, size_t findings, size_t notes)
{
    pen *p = &page->pen;
    if (findings) pen_put(p, PEN_BAD, "%zu finding%s", findings, findings == 1 ? "" : "s");
    if (notes) pen_put(p, PEN_PLAIN, "%s%zu note%s", findings ? ", " : "", notes, notes == 1 ? "" : "s");
    pen_line(p);
}

/* "memcheck, racecheck and synccheck": the checks that found nothing; 0: there are none. */
static size_t list_quiet(const result_set *set, lw_text *out)
{
    const char *names[32];
    size_t count = 0;
    for (size_t k = 0; k < set->checks.count && count < LW_COUNT(names); k++) {
        bool has = false;
        for (size_t i = 0; i < set->findings.count && !has; i++)
            has = !strcmp(set->findings.items[i].check, set->checks.items[k]);
        if (!has) names[count++] = set->checks.items[k];
    }
    for (size_t k = 0; k < count; k++) lw_text_add(out, "%s%s", !k ? "" : k + 1 == count ? " and " : ", ", names[k]);
    return count;
}

void text_checked(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    lw_text clean = {0};
    size_t quiet = list_quiet(set, &clean);
    if (quiet || set->suppressed) pen_line(p);
    if (quiet) pen_put(p, PEN_PLAIN, "nothing found by %s", clean.data);
    if (quiet) pen_line(p);
    if (set->suppressed)
        pen_put(p, PEN_DIM, "%llu finding%s suppressed", (unsigned long long)set->suppressed,
                set->suppressed == 1 ? "" : "s");
    if (set->suppressed) pen_line(p);
    lw_text_free(&clean);
}

void text_findings(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    size_t bad = 0;
    size_t notes = 0;
    size_t shown = 0;
    for (size_t i = 0; i < set->findings.count; i++) {
        bool counts = result_severities[result_severity_find(set->findings.items[i].severity)].counts;
        bad += counts;
        notes += !counts && !page->only_bad;
    }
    size_t count = bad + notes;
    if (!count) return;
    if (!page->only_bad) pen_line(p);
    heading(page, bad, notes);
    for (int severity = 0; severity < RESULT_SEVERITIES; severity++) { /* the worst first */
        if (page->only_bad && !result_severities[severity].counts) continue;
        for (size_t i = 0; i < set->findings.count && shown < page->findings; i++) {
            if ((int)result_severity_find(set->findings.items[i].severity) != severity) continue;
            page->built = built_of(set, &set->findings.items[i]);
            finding(page, &set->findings.items[i]);
            shown++;
        }
    }
    if (shown == count) return;
    pen_line(p);
    pen_put(p, PEN_DIM, "  and %zu more findings (--all shows them)", count - shown);
    pen_line(p);
}
