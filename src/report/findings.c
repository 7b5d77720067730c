/* findings: errors and warnings of the checks, before everything else: what, where (source line, kernel, block,
 * thread), the source text, and what it is related to. Equal findings were counted where they were made. */
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

static void related(report_page *page, const result_related *r)
{
    pen *p = &page->pen;
    pen_wrap(p, PEN_PLAIN, 6, r->message ? r->message : "related");
    if (!r->file) return;
    pen_to(p, 8);
    place(page, r->file, r->line);
    pen_line(p);
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

static void finding(report_page *page, const result_finding *f)
{
    pen *p = &page->pen;
    char count[PEN_NUMBER];
    pen_style style = f->severity && !strcmp(f->severity, "warning") ? PEN_WARN : PEN_BAD;
    pen_line(p);
    pen_put(p, style, "  %s", f->severity ? f->severity : "error");
    pen_put(p, PEN_PLAIN, " %s: ", f->check ? f->check : "?");
    pen_wrap(p, PEN_PLAIN, 4, f->message ? f->message : "");
    if (f->file || f->kernel || f->has_place) {
        const uint32_t *b = f->block, *t = f->thread;
        lw_text where = {0};
        pen_to(p, 4);
        place(page, f->file, f->line);
        if (f->kernel) lw_text_add(&where, "%sin %s", f->file ? " " : "", text_kernel(page, f->kernel));
        if (f->has_place)
            lw_text_add(&where, ", block (%u,%u,%u), thread (%u,%u,%u)", b[0], b[1], b[2], t[0], t[1], t[2]);
        if (f->count > 1) lw_text_add(&where, "; %s times", pen_count(count, f->count));
        if (f->file && f->kernel) pen_to(p, p->column + 1);
        pen_wrap(p, PEN_PLAIN, 6, where.data ? where.data : "");
        lw_text_free(&where);
        source(page, f->file, f->line);
    }
    for (size_t i = 0; i < f->related_count; i++) related(page, &f->related[i]);
}

void text_findings(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    size_t count = set->findings.count;
    if (!count) return;
    pen_line(p);
    pen_put(p, PEN_BAD, "%zu finding%s", count, count == 1 ? "" : "s");
    pen_line(p);
    for (size_t i = 0; i < count && i < page->findings; i++) {
        page->built = built_of(set, &set->findings.items[i]);
        finding(page, &set->findings.items[i]);
    }
    if (count <= page->findings) return;
    pen_line(p);
    pen_put(p, PEN_DIM, "  and %zu more findings (--all shows them)", count - page->findings);
    pen_line(p);
}
