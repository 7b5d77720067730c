/* sides.c: a race drawn: what the two threads did since they last synchronised, side by side, and what is missing. */
#include "report/text.h"

#include <string.h>

enum { LEFT = 6, ROWS_MOST = 8 };

static void cell(report_page *page, const result_related *r, uint32_t width)
{
    lw_text line = {0};
    const char *file = r->file ? text_file(page, r->file) : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file) lw_text_add(&line, "%s:%u ", slash ? slash + 1 : file, r->line);
    lw_text_add(&line, "%s", r->message);
    pen_style style = r->role == RESULT_ACCESS ? PEN_BOLD : PEN_PLAIN;
    pen_cell(&page->pen, style, (int)LW_MIN(width, pen_columns(line.data)), line.data);
    lw_text_free(&line);
}

static void heads(report_page *page, const result_related *const side[2], uint32_t width)
{
    pen *p = &page->pen;
    const char *bar = p->unicode ? "│" : "|";
    for (int k = 0; k < 2; k++) {
        lw_text head = {0};
        const uint32_t *t = side[k]->thread;
        lw_text_add(&head, "thread (%u,%u,%u)", t[0], t[1], t[2]);
        pen_to(p, k ? LEFT + width : LEFT);
        if (k) pen_put(p, PEN_DIM, "%s ", bar);
        pen_put(p, PEN_DIM, "%s", head.data);
        lw_text_free(&head);
    }
    pen_line(p);
}

/* left or right may be NULL. */
static void row(report_page *page, const result_related *left, const result_related *right, uint32_t width)
{
    pen *p = &page->pen;
    bool both = left && right && left->role == RESULT_COMMON && right->role == RESULT_COMMON;
    const char *bar = both ? (p->unicode ? "┼" : "+") : p->unicode ? "│" : "|";
    pen_to(p, LEFT);
    if (left) cell(page, left, width - 2);
    pen_to(p, LEFT + width);
    pen_put(p, PEN_DIM, "%s", bar);
    if (right) pen_to(p, LEFT + width + 2);
    if (right) cell(page, right, width - 2);
    pen_line(p);
}

static void missing(report_page *page, const result_related *r, uint32_t width)
{
    pen *p = &page->pen;
    uint32_t columns = pen_columns(r->message) + 4;
    uint32_t left = columns / 2 < width ? LEFT + width - columns / 2 : LEFT;
    pen_to(p, left);
    pen_put(p, PEN_BAD, "%s %s %s", p->unicode ? "×" : "x", r->message, p->unicode ? "×" : "x");
    pen_line(p);
}

void text_sides(report_page *page, const result_finding *f)
{
    const result_related *steps[2][ROWS_MOST] = {{NULL}};
    const result_related *gap = NULL;
    uint32_t count[2] = {0, 0};
    for (size_t i = 0; i < f->step_count; i++) {
        const result_related *r = &f->steps[i];
        if (r->role == RESULT_MISSING) gap = r;
        else if (count[r->side & 1] < ROWS_MOST) steps[r->side & 1][count[r->side & 1]++] = r;
    }
    if (!count[0] || !count[1] || !gap) return;
    uint32_t width = (LW_MIN(page->pen.width, 80u) - LEFT) / 2;
    uint32_t access = 0; /* of the right side: below all of the left, behind what is missing */
    while (access < count[1] && steps[1][access]->role != RESULT_ACCESS) access++;
    const result_related *const firsts[2] = {steps[0][0], steps[1][0]};
    heads(page, firsts, width);
    bool apart = steps[0][0]->role == RESULT_COMMON && steps[1][0]->role != RESULT_COMMON;
    uint32_t shift = apart ? 1 : 0; /* the right one has forgotten its barrier */
    for (uint32_t n = 0; n < LW_MAX(count[0], access + shift); n++) {
        const result_related *right = n >= shift && n - shift < access ? steps[1][n - shift] : NULL;
        row(page, n < count[0] ? steps[0][n] : NULL, right, width);
    }
    missing(page, gap, width);
    for (uint32_t n = access; n < count[1]; n++) row(page, NULL, steps[1][n], width);
}
