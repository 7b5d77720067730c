/* pen: how the text report is put on paper: colours, columns, numbers, wrapped sentences. Internal to report/. */
#ifndef LW_REPORT_PEN_H
#define LW_REPORT_PEN_H

#include "report/report.h"

typedef enum pen_style {
    PEN_PLAIN,
    PEN_BOLD,
    PEN_DIM,
    PEN_BAD,
    PEN_WARN,
    PEN_GOOD,
    PEN_PLACE,
    PEN_STYLE_COUNT
} pen_style;

typedef struct pen {
    lw_text *out;
    bool colour, unicode;
    uint32_t width;
    uint32_t column; /* columns already used on this line */
} pen;

void pen_init(pen *p, const report_options *options, lw_text *out);

/* Writes text as it is, counting its columns (one per code point). */
void pen_put(pen *p, pen_style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Writes text in a field of `width` columns, right-aligned if negative; longer text is cut with an ellipsis. */
void pen_cell(pen *p, pen_style style, int width, const char *text);
/* Fills up with spaces to a column. */
void pen_to(pen *p, uint32_t column);
void pen_line(pen *p); /* ends the line */
/* Words wrapped to the page between `indent` and its width. Starts where the pen is, ends the line. */
void pen_wrap(pen *p, pen_style style, uint32_t indent, const char *text);
/* A bar of `cells`: the ideal's share of the actual solid, the rest shaded. */
void pen_bar(pen *p, uint32_t cells, uint64_t actual, uint64_t ideal);

uint32_t pen_columns(const char *text);

#define PEN_NUMBER 32
/* 8192 -> "8,192"; from 100 million on "123.4 M". The text is in buffer. */
const char *pen_count(char buffer[PEN_NUMBER], uint64_t n);
/* "1.21 M", "580 M": three digits and a decimal prefix. */
const char *pen_short(char buffer[PEN_NUMBER], double x);
/* "1.21 MB", "17 B". */
const char *pen_bytes(char buffer[PEN_NUMBER], double bytes);
/* "2.1 ms". */
const char *pen_time(char buffer[PEN_NUMBER], double seconds);
/* "16.0x"; actual 0 or ideal 0 give "". */
const char *pen_ratio(char buffer[PEN_NUMBER], uint64_t actual, uint64_t ideal);

#endif
