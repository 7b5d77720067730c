/* pen: the typesetting of the text report. Texts from outside (kernel names, messages) lose their control characters
 * here, so that no guest can steer the terminal. A column is a code point: wide and combining characters are not
 * handled. */
#include "report/pen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_WIDTH 100
#define LEAST_WIDTH 72 /* the columns of figures need that much */

static const char *const ansi[PEN_STYLE_COUNT] = {
    [PEN_PLAIN] = "",        [PEN_BOLD] = "\033[1m",  [PEN_DIM] = "\033[2m",    [PEN_BAD] = "\033[31m",
    [PEN_WARN] = "\033[33m", [PEN_GOOD] = "\033[32m", [PEN_PLACE] = "\033[36m",
};

void pen_init(pen *p, const report_options *options, lw_text *out)
{
    uint32_t width = options->width ? options->width : DEFAULT_WIDTH;
    *p = (pen){out, options->colour, options->unicode, LW_MAX(width, LEAST_WIDTH), 0};
}

uint32_t pen_columns(const char *text)
{
    uint32_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* Appends size bytes with control characters made spaces. */
static void put_bytes(pen *p, pen_style style, const char *text, size_t size)
{
    if (!size) return;
    bool styled = p->colour && *ansi[style];
    if (styled) lw_text_append(p->out, ansi[style], strlen(ansi[style]));
    size_t start = p->out->size;
    lw_text_append(p->out, text, size);
    for (size_t i = start; i < p->out->size; i++) {
        unsigned char c = (unsigned char)p->out->data[i];
        p->column += (c & 0xc0) != 0x80;
        if (c < 0x20 || c == 0x7f) p->out->data[i] = ' ';
        /* U+0080 to U+009F are control characters too: 0x9b alone begins an escape sequence. */
        if (i > start && c >= 0x80 && c < 0xa0 && (unsigned char)p->out->data[i - 1] == 0xc2)
            p->out->data[i - 1] = p->out->data[i] = '?';
    }
    if (styled) lw_text_append(p->out, "\033[0m", 4);
}

void pen_put(pen *p, pen_style style, const char *format, ...)
{
    va_list args;
    char small[256];
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < (int)sizeof small) {
        put_bytes(p, style, small, n > 0 ? (size_t)n : 0);
        return;
    }
    char *large = lw_alloc((size_t)n + 1);
    va_start(args, format);
    vsnprintf(large, (size_t)n + 1, format, args);
    va_end(args);
    put_bytes(p, style, large, (size_t)n);
    free(large);
}

static void spaces(pen *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) lw_text_append(p->out, " ", 1);
    p->column += n;
}

void pen_to(pen *p, uint32_t column)
{
    if (column > p->column) spaces(p, column - p->column);
}

/* Bytes of the first `columns` code points. */
static size_t prefix_bytes(const char *text, uint32_t columns)
{
    size_t i = 0;
    while (text[i]) {
        if (((unsigned char)text[i] & 0xc0) != 0x80 && !columns--) break;
        i++;
    }
    return i;
}

void pen_cell(pen *p, pen_style style, int width, const char *text)
{
    uint32_t field = (uint32_t)abs(width), have = pen_columns(text);
    if (width < 0 && have < field) spaces(p, field - have);
    if (have <= field) {
        put_bytes(p, style, text, strlen(text));
    } else {
        const char *ellipsis = p->unicode ? "…" : "...";
        uint32_t marks = pen_columns(ellipsis), keep = field > marks ? field - marks : 0;
        put_bytes(p, style, text, prefix_bytes(text, keep));
        put_bytes(p, style, ellipsis, field > marks ? strlen(ellipsis) : 0);
    }
    if (width > 0 && have < field) spaces(p, field - have);
}

void pen_line(pen *p)
{
    while (p->out->size && p->out->data[p->out->size - 1] == ' ') p->out->data[--p->out->size] = 0;
    lw_text_append(p->out, "\n", 1);
    p->column = 0;
}

void pen_wrap(pen *p, pen_style style, uint32_t indent, const char *text)
{
    bool fresh = true; /* nothing of the text on this line yet */
    pen_to(p, indent);
    while (*text) {
        size_t space = strspn(text, " \t\n\r");
        text += space;
        size_t size = strcspn(text, " \t\n\r");
        if (!size) break;
        uint32_t columns = 0;
        for (size_t i = 0; i < size; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (p->column > indent && p->column + !fresh + columns > p->width) {
            pen_line(p);
            pen_to(p, indent);
            fresh = true;
        }
        if (!fresh) spaces(p, 1);
        while (columns > p->width - p->column && p->width > indent) { /* longer than a line: cut hard */
            uint32_t room = p->width - p->column;
            size_t part = prefix_bytes(text, room);
            put_bytes(p, style, text, part);
            pen_line(p);
            pen_to(p, indent);
            text += part;
            size -= part;
            columns -= room;
        }
        put_bytes(p, style, text, size);
        text += size;
        fresh = false;
    }
    pen_line(p);
}

void pen_bar(pen *p, uint32_t cells, uint64_t actual, uint64_t ideal)
{
    if (!actual) return;
    double share = (double)LW_MIN(ideal, actual) / (double)actual;
    uint32_t solid = (uint32_t)(share * cells + 0.5);
    if (!solid && ideal) solid = 1;
    if (solid == cells && ideal < actual) solid = cells - 1;
    for (uint32_t i = 0; i < cells; i++) {
        bool good = i < solid;
        const char *mark = p->unicode ? (good ? "█" : "░") : (good ? "#" : "-");
        put_bytes(p, good ? PEN_GOOD : PEN_BAD, mark, strlen(mark));
    }
}

const char *pen_count(char buffer[PEN_NUMBER], uint64_t n)
{
    if (n >= 100000000) return pen_short(buffer, (double)n);
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0) buffer[at++] = ',';
        buffer[at++] = digits[i];
    }
    buffer[at] = 0;
    return buffer;
}

const char *pen_short(char buffer[PEN_NUMBER], double x)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    size_t i = 0;
    while (x >= 999.5 && i + 1 < LW_COUNT(prefixes)) x /= 1000, i++;
    int digits = !i && x == (double)(uint64_t)x ? 0 : x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
    snprintf(buffer, PEN_NUMBER, "%.*f%s", digits, x, prefixes[i]);
    return buffer;
}

const char *pen_bytes(char buffer[PEN_NUMBER], double bytes)
{
    pen_short(buffer, bytes);
    size_t used = strlen(buffer);
    bool prefixed = strchr(buffer, ' ') != NULL;
    snprintf(buffer + used, PEN_NUMBER - used, "%s", prefixed ? "B" : " B");
    return buffer;
}

const char *pen_time(char buffer[PEN_NUMBER], double s)
{
    double value = s >= 1 ? s : s >= 1e-3 ? s * 1e3 : s * 1e6;
    const char *unit = s >= 1 ? "s" : s >= 1e-3 ? "ms" : "us";
    snprintf(buffer, PEN_NUMBER, "%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
    return buffer;
}

const char *pen_ratio(char buffer[PEN_NUMBER], uint64_t actual, uint64_t ideal)
{
    *buffer = 0;
    if (!actual || !ideal) return buffer;
    double ratio = (double)actual / (double)ideal;
    /* "1.0x" is kept for what is at its ideal. */
    if (actual > ideal && ratio < 1.005) snprintf(buffer, PEN_NUMBER, ">1.00x");
    else snprintf(buffer, PEN_NUMBER, actual > ideal && ratio < 1.995 ? "%.2fx" : "%.1fx", ratio);
    return buffer;
}
