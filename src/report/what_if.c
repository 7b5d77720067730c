/* what_if: the table of other layouts of a launch's arrays, as --what-if counted them. */
#include "report/text.h"

#include <string.h>

enum { MOST_LAYOUTS = 12, LEAST_VERDICT = 24 }; /* layouts of an array, without --all; columns */

/* Columns of the table's texts. */
typedef struct layout_table {
    uint32_t then_width, index_width;
} layout_table;

static layout_table columns_of(const result_launch *launch)
{
    layout_table t = {0};
    for (size_t i = 0; i < launch->what_if_count; i++) {
        const result_what_if *w = &launch->what_if[i];
        if (!w->then) continue;
        t.then_width = LW_MAX(t.then_width, pen_columns(w->then));
        t.index_width = LW_MAX(t.index_width, pen_columns(w->index));
    }
    t.then_width = LW_MIN(t.then_width, 40u);
    t.index_width = LW_MIN(t.index_width, 28u);
    return t;
}

static void array_head(report_page *page, const result_what_if *w)
{
    pen *p = &page->pen;
    char number[PEN_NUMBER];
    pen_line(p);
    pen_to(p, 2);
    pen_put(p, PEN_BOLD, "%s", w->then ? w->now : w->array);
    pen_put(p, PEN_PLAIN, "  %s %s%s", pen_count(number, w->before), w->global ? "sectors" : "wavefronts",
            w->then ? ". Other layouts, counted:" : "");
    pen_line(p);
    if (!w->about) return;
    pen_to(p, 4);
    pen_wrap(p, PEN_DIM, 4,
             lw_arena_printf(&page->arena, "%s; other kernels and the host would have to follow", w->about));
}

static const char *verdict(lw_arena *arena, const result_what_if *w)
{
    if (w->best) return "recommended";
    if (w->refused) return w->refused;
    uint32_t more = w->bytes_after - w->bytes_before;
    return more ? lw_arena_printf(arena, "%u B more shared memory", more) : "";
}

static void layout_row(report_page *page, const layout_table *t, const result_what_if *w)
{
    pen *p = &page->pen;
    char number[PEN_NUMBER];
    bool fewer = w->after < w->before;
    pen_to(p, 4);
    pen_cell(p, w->best ? PEN_GOOD : PEN_PLAIN, (int)t->then_width, w->then);
    pen_put(p, PEN_PLAIN, "  ");
    pen_cell(p, PEN_DIM, (int)t->index_width, w->index);
    const char *after = lw_arena_printf(&page->arena, "%s%s", w->exact ? "" : "~", pen_count(number, w->after));
    pen_cell(p, w->best ? PEN_GOOD : fewer ? PEN_PLAIN : PEN_DIM, -12, after);
    if (w->seconds_before > 0) pen_cell(p, PEN_PLAIN, -10, pen_time(number, w->seconds_after));
    const char *said = verdict(&page->arena, w);
    if (p->column + 2 + LW_MIN(pen_columns(said), (uint32_t)LEAST_VERDICT) > p->width) {
        pen_line(p);
        pen_to(p, 8);
    } else {
        pen_put(p, PEN_PLAIN, "  ");
    }
    pen_wrap(p, w->best ? PEN_GOOD : PEN_DIM, p->column, said);
}

static bool same_array(const result_what_if *a, const result_what_if *b)
{
    return a->global == b->global && !strcmp(a->array, b->array);
}

/* How many layouts of the array of the i-th stand before it. */
static size_t before(const result_launch *launch, size_t i)
{
    size_t n = 0;
    while (n < i && same_array(&launch->what_if[i - n - 1], &launch->what_if[i])) n++;
    return n;
}

static void say_more(report_page *page, size_t hidden)
{
    if (!hidden) return;
    pen_to(&page->pen, 4);
    pen_wrap(&page->pen, PEN_DIM, 4, lw_arena_printf(&page->arena, "and %zu more (--all shows them)", hidden));
}

void text_what_if(report_page *page, const result_launch *launch)
{
    layout_table t = columns_of(launch);
    size_t hidden = 0;
    for (size_t i = 0; i < launch->what_if_count; i++) {
        const result_what_if *w = &launch->what_if[i];
        size_t position = before(launch, i);
        if (!position) {
            say_more(page, hidden);
            hidden = 0;
            array_head(page, w);
        }
        if (w->then && position >= MOST_LAYOUTS && !page->all) {
            hidden++;
            continue;
        }
        if (w->then) {
            layout_row(page, &t, w);
            continue;
        }
        pen_to(&page->pen, 4);
        pen_wrap(&page->pen, PEN_DIM, 4, lw_arena_printf(&page->arena, "no other layout is counted: %s", w->refused));
    }
    say_more(page, hidden);
}
