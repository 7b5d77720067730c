/* bench_svg: a chart per op, one below the other: a bar for every case as its part of the limit (the best plain copy or
 * read of the same bytes, 1.0), a mark for the peer, a whisker from the 10th to the 90th percentile. Ops of many cases
 * are thin bars sorted by ratio. Plain shapes with a <title> on every bar; no scripts; the sheet is painted. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 330  /* where bars begin */
#define SCALE 460 /* pixels of 1.0 */
#define RIGHT 200 /* room for numbers */
#define TOP 112   /* title, notes, legend */
#define HEAD 44   /* of a chart: name and scale */
#define FOOT 22
#define NAMED_MOST 40  /* more cases than that get thin bars without names */
#define RANGE_MOST 2.0 /* what is further right is cut */
#define LABEL_MOST 52  /* letters of a case's name that fit */
#define NOTE_MOST 150

#define INK "#1b1f24"
#define GREY "#57606a"
#define BAR "#5b8fd6"
#define SUSPECT "#b58ad6"
#define PEER "#d9662b"
#define LIMIT "#c2353a"

typedef struct sheet {
    FILE *out;
    double range; /* ratio at the right end of bars */
} sheet;

/* The first `most` bytes of s (whole characters), with what XML would take for its own escaped. */
static char *xml(const char *s, size_t most)
{
    size_t n = strlen(s), cut = n;
    if (n > most)
        for (cut = most - 1; cut && ((unsigned char)s[cut] & 0xc0) == 0x80;) cut--;
    char *text = keep(6 * cut + 8), *to = text;
    for (size_t i = 0; i < cut; i++) {
        unsigned char c = (unsigned char)s[i];
        const char *entity = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
        if (entity) to = stpcpy(to, entity);
        else *to++ = c < 0x20 ? ' ' : (char)c;
    }
    strcpy(to, cut < n ? "…" : "");
    return text;
}

static double place(const sheet *s, double ratio) { return LEFT + SCALE * (ratio < s->range ? ratio : s->range); }

static void label(const sheet *s, double x, double y, const char *anchor, const char *style, const char *text)
{
    fprintf(s->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>\n", x, y, anchor, style, text);
}

static void line(const sheet *s, double x1, double y1, double x2, double y2, const char *style)
{
    fprintf(s->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

static char *title_of(const bench_row *r)
{
    char *peer = bench_has_peer(r) ? text_of("; %s %.3f", r->peer, r->peer_ratio) : text_of("%s", "");
    char *limit = *r->limit ? text_of(" of %s", r->limit) : text_of("%s", "");
    char *text = text_of("%s %s: %.1f GB/s, %.3f%s%s (%s)", r->op, r->what, r->rate, r->ratio, limit, peer, r->plan);
    return xml(text, 400);
}

static void bar(const sheet *s, const bench_row *r, double y, double height, bool named)
{
    double middle = y + height / 2;
    fprintf(s->out, "<g><title>%s</title><rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            title_of(r), LEFT, y, place(s, r->ratio) - LEFT, height, r->ratio > 1 ? SUSPECT : BAR);
    if (named && !isnan(r->low) && !isnan(r->high))
        line(s, place(s, r->low), middle, place(s, r->high), middle, "stroke=\"" INK "\"");
    if (bench_has_peer(r))
        fprintf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"3\" height=\"%.1f\" fill=\"" PEER "\"/>\n",
                place(s, r->peer_ratio) - 1.5, named ? y - 1 : y, named ? height + 2 : height);
    if (named) {
        label(s, LEFT - 8, middle + 4, "end", "fill=\"" INK "\"", xml(r->what, LABEL_MOST));
        char *peer = bench_has_peer(r) ? text_of("  %s %.3f", xml(r->peer, 20), r->peer_ratio) : text_of("%s", "");
        label(s, place(s, s->range) + 8, middle + 4, "start", "fill=\"" GREY "\"", text_of("%.3f%s", r->ratio, peer));
    }
    fputs("</g>\n", s->out);
}

static int by_ratio(const void *a, const void *b)
{
    const bench_row *x = *(const bench_row *const *)a, *y = *(const bench_row *const *)b;
    if (x->ratio != y->ratio) return x->ratio < y->ratio ? 1 : -1;
    return strcmp(x->what, y->what);
}

static double step_of(size_t count) { return count <= NAMED_MOST ? 17 : 4; }

static double chart_height(size_t count) { return HEAD + step_of(count) * (double)count + FOOT; }

static void scale(const sheet *s, double top, double bottom)
{
    for (int tick = 0; tick * 0.25 <= s->range + 1e-9; tick++) {
        bool limit = tick == 4;
        double x = place(s, tick * 0.25);
        const char *style = limit ? "fill=\"" LIMIT "\"" : "fill=\"" GREY "\"";
        label(s, x, top - 5, "middle", style, text_of("%.2f", tick * 0.25));
        if (!limit) line(s, x, top, x, bottom, "stroke=\"#e3e7eb\"");
    }
}

/* One of the few cases that are named beside thin bars. */
static void extreme(const sheet *s, const char *name, const bench_row *r, double y)
{
    char *text = text_of("%s: %s", name, xml(r->what, LABEL_MOST - 10));
    label(s, LEFT - 8, y, "end", "fill=\"" GREY "\"", text);
    label(s, place(s, s->range) + 8, y, "start", "fill=\"" GREY "\"", text_of("%.3f", r->ratio));
}

static void chart(const sheet *s, const bench_row *rows, size_t count, double y)
{
    double step = step_of(count), top = y + HEAD, bottom = top + step * (double)count + 3;
    bool named = count <= NAMED_MOST;
    const bench_row **order = keep(count * sizeof *order);
    for (size_t i = 0; i < count; i++) order[i] = &rows[i];
    if (!named) qsort(order, count, sizeof *order, by_ratio);
    label(s, 12, y + 18, "start", "font-size=\"14\" font-weight=\"bold\" fill=\"" INK "\"", xml(rows->op, 40));
    label(s, 12, y + 34, "start", "fill=\"" GREY "\"", text_of("%zu case%s", count, count == 1 ? "" : "s"));
    scale(s, top, bottom);
    for (size_t i = 0; i < count; i++) bar(s, order[i], top + 3 + step * (double)i, named ? step - 5 : step - 1, named);
    if (!named) {
        extreme(s, "best", order[0], top + 14);
        extreme(s, "middle", order[count / 2], top + step * (double)count / 2 + 4);
        extreme(s, "worst", order[count - 1], bottom - 4);
    }
    line(s, place(s, 1), top, place(s, 1), bottom,
         "stroke=\"" LIMIT "\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\"");
}

static void legend(const sheet *s, double y)
{
    static const struct key {
        double x;
        const char *fill, *text;
        int width;
    } keys[] = {{12, BAR, "the op", 22},
                {112, PEER, "its peer", 3},
                {200, LIMIT, "1.00: the best plain copy (or read) of the same bytes", 2},
                {552, SUSPECT, "above the limit: suspect", 22}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        fprintf(s->out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"12\" fill=\"%s\"/>\n", keys[i].x, y - 10,
                keys[i].width, keys[i].fill);
        label(s, keys[i].x + keys[i].width + 7, y, "start", "fill=\"" INK "\"", keys[i].text);
    }
}

static double range_of(const bench_result *r)
{
    double range = 1.1;
    for (size_t i = 0; i < r->count; i++) {
        const bench_row *row = &r->rows[i];
        if (row->ratio > range) range = row->ratio;
        if (bench_has_peer(row) && row->peer_ratio > range) range = row->peer_ratio;
    }
    return range < RANGE_MOST ? range : RANGE_MOST;
}

static void draw(const sheet *s, const bench_result *r)
{
    double height = TOP, y = TOP, width = LEFT + SCALE * s->range + RIGHT;
    for (size_t i = 0, end; i < r->count; i = end) end = bench_group_end(r, i), height += chart_height(end - i);
    fprintf(s->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"11\">\n"
            "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
            width, height, width, height, width, height);
    label(s, 12, 24, "start", "font-size=\"15\" font-weight=\"bold\" fill=\"" INK "\"",
          "liblanewise-ops: time of the best plain copy / time of the op");
    for (size_t i = 0; i < r->notes.count && i < 3; i++)
        label(s, 12, 42 + 15 * (double)i, "start", "fill=\"" GREY "\"", xml(r->notes.items[i], NOTE_MOST));
    legend(s, TOP - 14);
    for (size_t i = 0, end; i < r->count; i = end) {
        end = bench_group_end(r, i);
        chart(s, &r->rows[i], end - i, y);
        y += chart_height(end - i);
    }
    fputs("</svg>\n", s->out);
}

bool bench_svg(const char *file, const bench_result *result)
{
    FILE *out = strcmp(file, "-") ? fopen(file, "w") : stdout;
    if (!out) return false;
    sheet s = {out, range_of(result)};
    draw(&s, result);
    bool fine = !ferror(out);
    return out == stdout ? !fflush(out) && fine : !fclose(out) && fine;
}
