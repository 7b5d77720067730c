/* lines: the source lines of one launch. Rows of one place (file, line and call sites it was inlined into) make one
 * group; groups are ordered by what they cost above their ideal. The first ones are shown in full, those at their ideal
 * in one line each, and what is left out is counted. A count that is not exact is marked ~ and has its reason in a
 * footnote. */
#include "report/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NOTES 9
#define MOST_CALLERS 4
#define MOST_SAID 16 /* advice beyond these may be repeated */

typedef struct row_ref {
    const result_row *row;
    double cost;
    size_t order;
} row_ref;

typedef struct row_group {
    const row_ref *rows;
    size_t count, order;
    double cost;
} row_group;

typedef struct said_advice {
    const char *advice, *place, *last; /* where it was said in full, and where last */
} said_advice;

typedef struct row_table {
    row_ref *rows;
    row_group *groups;
    size_t row_count, group_count;
    uint32_t count_width, ideal_width, what_width; /* columns of the widest cells */
    const char *notes[MOST_NOTES];                 /* reasons of inexact rows */
    uint32_t note_count;
    said_advice said[MOST_SAID];
    uint32_t said_count;
    const uint32_t *block; /* the launch's dimensions */
} row_table;

/* ---- groups ---- */

/* The first frame of the chain beyond the row's own place: its caller. */
static uint32_t first_caller(const result_row *row)
{
    for (uint32_t i = 0; i < row->inlined_count; i++) {
        const result_frame *f = &row->inlined[i];
        if (f->line == row->line && f->file && row->file && !strcmp(f->file, row->file)) return i + 1;
    }
    return row->inlined_count;
}

static int compare_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

static int compare_place(const result_row *a, const result_row *b)
{
    int c = compare_text(a->file, b->file);
    if (c) return c;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    uint32_t i = first_caller(a), j = first_caller(b);
    for (; i < a->inlined_count && j < b->inlined_count; i++, j++) {
        if (a->inlined[i].line != b->inlined[j].line) return a->inlined[i].line < b->inlined[j].line ? -1 : 1;
        c = compare_text(a->inlined[i].file, b->inlined[j].file);
        if (c) return c;
    }
    return (int)(i < a->inlined_count) - (int)(j < b->inlined_count);
}

static int by_place(const void *left, const void *right)
{
    const row_ref *a = left, *b = right;
    int c = compare_place(a->row, b->row);
    if (c) return c;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_cost(const void *left, const void *right)
{
    const row_group *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void make_groups(row_table *table, lw_arena *arena, const result_launch *launch)
{
    table->block = launch->block;
    table->rows = LW_NEW_ARRAY(arena, row_ref, launch->row_count);
    table->groups = LW_NEW_ARRAY(arena, row_group, launch->row_count);
    for (size_t i = 0; i < launch->row_count; i++) {
        const result_row *row = &launch->rows[i];
        if (!strcmp(row->space, RESULT_MATH)) continue;
        table->rows[table->row_count++] = (row_ref){row, report_cost(&row->counters), i};
    }
    qsort(table->rows, table->row_count, sizeof *table->rows, by_place);
    for (size_t i = 0; i < table->row_count; i++) {
        row_group *last = table->group_count ? &table->groups[table->group_count - 1] : NULL;
        if (!last || compare_place(last->rows[0].row, table->rows[i].row)) {
            last = &table->groups[table->group_count++];
            *last = (row_group){&table->rows[i], 0, i, 0};
        }
        last->count++;
        last->cost += table->rows[i].cost;
    }
    qsort(table->groups, table->group_count, sizeof *table->groups, by_cost);
}

/* ---- parts of a row ---- */

/* The name of a call if the row is what it accesses by itself; NULL: it is not. */
static const char *call_of(const result_row *row)
{
    static const char *const calls[] = {RESULT_PRINTF, RESULT_HEAP, RESULT_SAVES};
    for (size_t k = 0; row->function && k < LW_COUNT(calls); k++)
        if (!strcmp(row->function, calls[k])) return calls[k];
    return NULL;
}

static const char *what_of(lw_arena *arena, const result_row *row)
{
    const char *dir = row->dir ? row->dir : "", *gap = row->dir ? " " : "";
    if (call_of(row)) return lw_arena_printf(arena, "%s: %s %s", call_of(row), row->space, row->op);
    if (!row->bytes_per_lane) return lw_arena_printf(arena, "%s %s%s%s", row->space, row->op, gap, dir);
    return lw_arena_printf(arena, "%s %s%s%s %u B", row->space, row->op, gap, dir, row->bytes_per_lane);
}

static const char *actual_of(lw_arena *arena, const result_row *row, report_measure m)
{
    char text[PEN_NUMBER];
    return lw_arena_printf(arena, "%s%s", row->exact ? "" : "~", pen_count(text, m.actual));
}

/* The number of a reason's footnote; 0 if there are too many. */
static uint32_t note_of(row_table *table, const char *why)
{
    for (uint32_t i = 0; i < table->note_count; i++)
        if (!strcmp(table->notes[i], why)) return i + 1;
    if (table->note_count == MOST_NOTES) return 0;
    table->notes[table->note_count++] = why;
    return table->note_count;
}

static void measure_columns(row_table *table, lw_arena *arena, size_t groups)
{
    char text[PEN_NUMBER];
    for (size_t g = 0; g < groups; g++) {
        for (size_t r = 0; r < table->groups[g].count; r++) {
            const result_row *row = table->groups[g].rows[r].row;
            report_measure m = report_measure_of(&row->counters);
            table->what_width = LW_MAX(table->what_width, pen_columns(what_of(arena, row)));
            table->count_width = LW_MAX(table->count_width, pen_columns(actual_of(arena, row, m)));
            table->ideal_width = LW_MAX(table->ideal_width, pen_columns(pen_count(text, m.ideal)));
        }
    }
}

static void row_in_full(report_page *page, row_table *table, const result_row *row)
{
    pen *p = &page->pen;
    char text[PEN_NUMBER];
    report_measure m = report_measure_of(&row->counters);
    bool bad = m.has_ideal && m.actual > m.ideal;
    pen_to(p, 4);
    pen_cell(p, PEN_PLAIN, (int)table->what_width, what_of(&page->arena, row));
    pen_put(p, PEN_PLAIN, "  ");
    pen_cell(p, bad ? PEN_BOLD : PEN_PLAIN, -(int)table->count_width, actual_of(&page->arena, row, m));
    pen_put(p, PEN_PLAIN, " %-10s", m.unit ? m.unit : "");
    if (m.has_ideal) {
        pen_put(p, PEN_PLAIN, "  ideal ");
        pen_cell(p, PEN_PLAIN, -(int)table->ideal_width, pen_count(text, m.ideal));
        pen_cell(p, bad ? PEN_BAD : PEN_GOOD, -8, pen_ratio(text, m.actual, m.ideal));
    }
    uint32_t note = !row->exact && row->why ? note_of(table, row->why) : 0;
    uint32_t used = p->column + 2 + (note ? 4 : 0), cells = used < p->width ? LW_MIN(p->width - used, 24) : 0;
    if (bad && cells >= 6) {
        pen_put(p, PEN_PLAIN, "  ");
        pen_bar(p, cells, m.actual, m.ideal);
    }
    if (note) pen_put(p, PEN_DIM, " [%u]", note);
    pen_line(p);
}

/* ---- places ---- */

/* The source text of a row, or NULL. */
static const char *source_of(report_page *page, const result_row *row)
{
    if (row->ptx || !row->file) return NULL;
    const char *text = text_source(page, row->file, row->line);
    bool named_only = *row->file && !strchr(row->file, '/');
    if (!text && named_only && !page->no_source && !report_source_written(&page->sources, row->file))
        page->missing = row->file;
    return text;
}

static const char *place_of(report_page *page, const result_row *row)
{
    if (!row->ptx) return lw_arena_printf(&page->arena, "%s:%u", text_file(page, row->file), row->line);
    page->any_ptx = true;
    return lw_arena_printf(&page->arena, "PTX %s:%u", text_file(page, row->file), row->line);
}

/* Where the line was inlined: the nearest call sites and the outermost one. Ends the line. */
static void callers(report_page *page, const result_row *row)
{
    pen *p = &page->pen;
    uint32_t first = first_caller(row), count = row->inlined_count - first;
    const char *list = "";
    if (!count) {
        pen_line(p);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const result_frame *f = &row->inlined[first + i];
        if (count > MOST_CALLERS && i == MOST_CALLERS - 1) {
            list = lw_arena_printf(&page->arena, "%s < (%u more)", list, count - MOST_CALLERS);
            i = count - 2;
            continue;
        }
        list = lw_arena_printf(&page->arena, "%s%s%s:%u", list, i ? " < " : "", text_file(page, f->file), f->line);
    }
    pen_put(p, PEN_DIM, "   inlined at ");
    pen_wrap(p, PEN_DIM, 6, list);
}

/* Whether an advice is to be shown at a place: not twice at one place. *as_at: the other place where it was said in
 * full, or NULL if it is new. */
static bool is_new(row_table *table, const char *advice, const char *place, const char **as_at)
{
    *as_at = NULL;
    for (uint32_t i = table->said_count; i-- > 0;) {
        if (strcmp(table->said[i].advice, advice)) continue;
        if (!strcmp(table->said[i].last, place)) return false;
        table->said[i].last = place;
        *as_at = table->said[i].place;
        return true;
    }
    if (table->said_count < MOST_SAID) table->said[table->said_count++] = (said_advice){advice, place, place};
    return true;
}

/* Whether two sentences differ in their numbers alone. */
static bool same_hint(const char *a, const char *b)
{
    static const char numbers[] = "0123456789.";
    for (;;) {
        a += strspn(a, numbers);
        b += strspn(b, numbers);
        if (!*a || *a != *b) return *a == *b;
        a++;
        b++;
    }
}

/* Whether a row of the group before `end` has had the same advice, but for its numbers: a load and a store of one line
 * share their reason. */
static bool said_before(const char *const *advice, size_t end)
{
    for (size_t i = 0; i < end; i++)
        if (advice[i] && same_hint(advice[i], advice[end])) return true;
    return false;
}

static void group_advice(report_page *page, row_table *table, const row_group *group)
{
    pen *p = &page->pen;
    const char *here = place_of(page, group->rows[0].row), *place, *referred = NULL;
    const char **advice = LW_NEW_ARRAY(&page->arena, const char *, group->count);
    for (size_t i = 0; i < group->count; i++) {
        advice[i] = report_advice(group->rows[i].row, table->block, &page->arena);
        if (!advice[i] || said_before(advice, i) || !is_new(table, advice[i], here, &place)) continue;
        if (place && referred && !strcmp(place, referred)) continue; /* once for a load and a store */
        if (place) referred = place;
        pen_to(p, 4);
        pen_put(p, PEN_WARN, page->pen.unicode ? "→ " : "> ");
        pen_wrap(p, PEN_PLAIN, 6, place ? lw_arena_printf(&page->arena, "As at %s.", place) : advice[i]);
    }
}

static void group_in_full(report_page *page, row_table *table, const row_group *group)
{
    pen *p = &page->pen;
    const result_row *first = group->rows[0].row;
    const char *source = source_of(page, first);
    pen_line(p);
    pen_to(p, 2);
    pen_put(p, PEN_PLACE, "%s", place_of(page, first));
    callers(page, first);
    if (source) {
        pen_to(p, 4);
        pen_cell(p, PEN_BOLD, (int)LW_MIN(pen_columns(source), p->width - 4), source);
        pen_line(p);
    }
    for (size_t i = 0; i < group->count; i++) row_in_full(page, table, group->rows[i].row);
    group_advice(page, table, group);
}

/* ---- lines at their ideal, in short ---- */

/* "global load 64 requests, shared store": the counts only where there is room. */
static const char *short_rows(lw_arena *arena, row_table *table, const row_group *group, bool counts)
{
    const char *list = "";
    char text[PEN_NUMBER];
    for (size_t i = 0; i < group->count; i++) {
        const result_row *row = group->rows[i].row;
        report_measure m = report_measure_of(&row->counters);
        const char *gap = i ? ", " : "", *dir = row->dir ? row->dir : "", *space = row->dir ? " " : "";
        const char *call = call_of(row), *colon = call ? ": " : "";
        list = lw_arena_printf(arena, "%s%s%s%s%s%s %s%s%s", list, gap, row->exact ? "" : "~", call ? call : "", colon,
                               row->space, row->op, space, dir);
        if (counts && m.unit) list = lw_arena_printf(arena, "%s %s %s", list, pen_count(text, m.actual), m.unit);
        uint32_t note = !row->exact && row->why ? note_of(table, row->why) : 0;
        if (note) list = lw_arena_printf(arena, "%s [%u]", list, note);
    }
    return list;
}

/* The end of a text that is too long for its columns: of a place, the line number matters most. */
static const char *tail(lw_arena *arena, const char *text, uint32_t columns)
{
    uint32_t have = pen_columns(text);
    if (have <= columns || columns < 4) return text;
    for (uint32_t skip = have - (columns - 3); skip && *text; text++) skip -= ((unsigned char)text[1] & 0xc0) != 0x80;
    return lw_arena_printf(arena, "...%s", text);
}

static void group_in_short(report_page *page, row_table *table, const row_group *group, uint32_t place_width,
                           uint32_t list_width)
{
    pen *p = &page->pen;
    const result_row *first = group->rows[0].row;
    const char *source = source_of(page, first);
    pen_to(p, 4);
    pen_cell(p, PEN_PLACE, (int)place_width, tail(&page->arena, place_of(page, first), place_width));
    pen_put(p, PEN_PLAIN, "  ");
    const char *list = short_rows(&page->arena, table, group, p->width >= 100);
    pen_cell(p, PEN_PLAIN, (int)LW_MIN(LW_MAX(list_width, pen_columns(list)), p->width - p->column), list);
    if (source && p->column + 10 < p->width) {
        pen_put(p, PEN_PLAIN, "  ");
        pen_cell(p, PEN_DIM, (int)LW_MIN(pen_columns(source), p->width - p->column), source);
    }
    pen_line(p);
}

static void ideal_groups(report_page *page, row_table *table, size_t begin)
{
    pen *p = &page->pen;
    size_t total = table->group_count - begin, shown = LW_MIN(total, page->ideal_lines);
    uint32_t place = 0, list = 0;
    if (!total) return;
    for (size_t g = begin; g < begin + shown; g++) {
        place = LW_MAX(place, pen_columns(place_of(page, table->groups[g].rows[0].row)));
        list = LW_MAX(list, pen_columns(short_rows(&page->arena, table, &table->groups[g], p->width >= 100)));
    }
    pen_line(p);
    pen_to(p, 2);
    pen_put(p, PEN_GOOD, "Memory traffic at the ideal");
    pen_line(p);
    for (size_t g = begin; g < begin + shown; g++)
        group_in_short(page, table, &table->groups[g], LW_MIN(place, p->width / 2), LW_MIN(list, p->width / 2));
    if (shown == total) return;
    pen_put(p, PEN_DIM, "    and %zu more line%s", total - shown, total - shown == 1 ? "" : "s");
    pen_line(p);
}

static void footnotes(report_page *page, const row_table *table)
{
    pen *p = &page->pen;
    if (table->note_count) pen_line(p);
    for (uint32_t i = 0; i < table->note_count; i++) {
        pen_put(p, PEN_DIM, "  [%u] ~ is not exact: ", i + 1);
        pen_wrap(p, PEN_DIM, 6, table->notes[i]);
    }
}

void text_lines(report_page *page, const result_launch *launch)
{
    pen *p = &page->pen;
    row_table table = {0};
    make_groups(&table, &page->arena, launch);
    if (!table.row_count) {
        pen_put(p, PEN_DIM, "  No memory access was counted.");
        pen_line(p);
        return;
    }
    size_t bad = 0;
    while (bad < table.group_count && table.groups[bad].cost > 0) bad++;
    size_t shown = LW_MIN(bad, page->lines);
    measure_columns(&table, &page->arena, shown);
    for (size_t g = 0; g < shown; g++) group_in_full(page, &table, &table.groups[g]);
    if (shown < bad) {
        pen_line(p);
        pen_put(p, PEN_DIM, "  and %zu more line%s above the ideal (--all shows them)", bad - shown,
                bad - shown == 1 ? "" : "s");
        pen_line(p);
    }
    ideal_groups(page, &table, bad);
    footnotes(page, &table);
}
