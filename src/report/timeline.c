/* timeline: what the program did on the device, in predicted time: a bar a stream, and sums by kind of operation. */
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#define STREAMS_SHOWN 8
#define CELLS_MOST 120

/* How a kind is drawn; the order is that of ties. */
static const struct {
    result_span_kind kind;
    const char *mark, *legend, *total;
    pen_style style;
} looks[] = {
    {RESULT_SPAN_KERNEL, "#", "kernel", "kernels", PEN_GOOD},
    {RESULT_SPAN_TO_DEVICE, ">", "to the device", "to the device", PEN_WARN},
    {RESULT_SPAN_TO_HOST, "<", "to the host", "to the host", PEN_WARN},
    {RESULT_SPAN_ON_DEVICE, "=", "copy on the device", "on the device", PEN_PLACE},
    {RESULT_SPAN_SET, "0", "set", "sets", PEN_PLACE},
    {RESULT_SPAN_ON_HOST, "h", "copy on the host", "on the host", PEN_PLACE},
};

/* The spans of the process that is shown. */
typedef struct shown {
    const result_span **spans;
    size_t count;
    double begin, end;
    uint64_t streams[STREAMS_SHOWN];
    size_t stream_count, more_streams;
} shown;

static int by_stream(const void *left, const void *right)
{
    const result_span *a = *(const result_span *const *)left;
    const result_span *b = *(const result_span *const *)right;
    if (a->stream != b->stream) return a->stream < b->stream ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void find_streams(shown *s)
{
    for (size_t k = 0; k < s->count; k++) {
        if (k && s->spans[k]->stream == s->spans[k - 1]->stream) continue;
        if (s->stream_count < STREAMS_SHOWN) s->streams[s->stream_count++] = s->spans[k]->stream;
        else s->more_streams++;
    }
}

static shown gather(report_page *page, const result_set *set)
{
    shown s = {.spans = LW_NEW_ARRAY(&page->arena, const result_span *, set->spans.count)};
    for (size_t k = 0; k < set->spans.count; k++) {
        const result_span *span = &set->spans.items[k];
        if (span->process != 1) continue;
        if (!s.count || span->begin < s.begin) s.begin = span->begin;
        s.end = LW_MAX(s.end, span->end);
        s.spans[s.count++] = span;
    }
    qsort(s.spans, s.count, sizeof *s.spans, by_stream);
    find_streams(&s);
    return s;
}

/* ---- the picture ---- */
/* Adds to each cell what of it the span fills. */
static void fill_cells(const shown *s, const result_span *span, uint32_t cells, double *filled)
{
    double step = (s->end - s->begin) / cells;
    double density = span->end > span->begin ? span->seconds / (span->end - span->begin) : 0;
    uint32_t first = (uint32_t)((span->begin - s->begin) / step);
    for (uint32_t k = first; k < cells; k++) {
        double from = LW_MAX(s->begin + k * step, span->begin);
        double to = LW_MIN(s->begin + (k + 1) * step, span->end);
        if (from >= to && k > first) break;
        filled[k] += LW_MAX(to - from, 0.0) * density;
    }
}

static void draw_cell(pen *p, double filled[][CELLS_MOST], uint32_t cell)
{
    size_t most = 0;
    for (size_t k = 1; k < LW_COUNT(looks); k++)
        if (filled[k][cell] > filled[most][cell]) most = k;
    if (filled[most][cell] > 0) pen_put(p, looks[most].style, "%s", looks[most].mark);
    else pen_put(p, PEN_DIM, ".");
}

static void draw_stream(report_page *page, const shown *s, uint64_t stream)
{
    pen *p = &page->pen;
    double filled[LW_COUNT(looks)][CELLS_MOST] = {{0}};
    pen_to(p, 2);
    if (stream) pen_put(p, PEN_PLAIN, "stream %llu", (unsigned long long)stream);
    else pen_put(p, PEN_PLAIN, "default");
    pen_to(p, 14);
    uint32_t cells = LW_MIN(p->width - 14, (uint32_t)CELLS_MOST);
    for (size_t k = 0; k < s->count; k++)
        for (size_t look = 0; look < LW_COUNT(looks) && s->spans[k]->stream == stream; look++)
            if (looks[look].kind == s->spans[k]->kind) fill_cells(s, s->spans[k], cells, filled[look]);
    for (uint32_t cell = 0; cell < cells; cell++) draw_cell(p, filled, cell);
    pen_line(p);
}

/* ---- sums ---- */
static result_span sum_of(const shown *s, result_span_kind kind)
{
    result_span sum = {.kind = kind};
    for (size_t k = 0; k < s->count; k++)
        if (s->spans[k]->kind == kind) result_span_add(&sum, s->spans[k]);
    return sum;
}

static void legend(pen *p, const shown *s)
{
    pen_to(p, 14);
    for (size_t k = 0; k < LW_COUNT(looks); k++) {
        if (!sum_of(s, looks[k].kind).count) continue;
        pen_put(p, looks[k].style, "%s", looks[k].mark);
        pen_put(p, PEN_DIM, " %s  ", looks[k].legend);
    }
    pen_line(p);
}

static void total(pen *p, const result_span *sum, const char *name)
{
    char text[PEN_NUMBER];
    pen_to(p, 2);
    pen_cell(p, PEN_BOLD, 14, name);
    pen_cell(p, PEN_PLAIN, -8, pen_count(text, sum->count));
    pen_cell(p, PEN_PLAIN, -10, pen_time(text, sum->seconds));
    if (sum->bytes) {
        pen_cell(p, PEN_PLAIN, -11, pen_bytes(text, (double)sum->bytes));
        pen_put(p, PEN_PLAIN, "   %s/s", pen_bytes(text, (double)sum->bytes / sum->seconds));
    }
    pen_line(p);
}

void text_timeline(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    char text[PEN_NUMBER];
    if (!set->spans.count) return;
    shown s = gather(page, set);
    pen_line(p);
    pen_put(p, PEN_BOLD, "Timeline");
    pen_put(p, PEN_PLAIN, "   %s predicted from the first operation's begin to the last one's end",
            pen_time(text, s.end - s.begin));
    pen_line(p);
    if (s.end > s.begin)
        for (size_t k = 0; k < s.stream_count; k++) draw_stream(page, &s, s.streams[k]);
    if (s.more_streams) pen_put(p, PEN_DIM, "  and %zu more streams", s.more_streams);
    if (s.more_streams) pen_line(p);
    legend(p, &s);
    for (size_t k = 0; k < LW_COUNT(looks); k++) {
        result_span sum = sum_of(&s, looks[k].kind);
        if (sum.count) total(p, &sum, looks[k].total);
    }
    uint32_t processes = 0;
    for (size_t k = 0; k < set->spans.count; k++) processes = LW_MAX(processes, set->spans.items[k].process);
    pen_to(p, 2);
    if (processes > 1)
        pen_wrap(p, PEN_PLAIN, 2,
                 lw_arena_printf(&page->arena, "This is the first of %u processes; --json has all.", processes));
    pen_wrap(p, PEN_PLAIN, 2,
             "cudaEventElapsedTime() gives the program these times. Clocks of the host (clock_gettime, std::chrono) "
             "measure the emulation. The program's own work on the host counts as no time.");
}
