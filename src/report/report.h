/* report: turns a result_set into what a person reads (text) and what programs read (JSON, design:
 * docs/ARCHITECTURE.md). Pure functions of the result set; the only outside thing read is the text of source files
 * named in it.
 *
 * Words: a row's measure is the counter that has an ideal (wavefronts in shared memory, sectors elsewhere); its excess
 * is actual minus ideal; its cost is the excess in cycles of one SM (report_cost). */
#ifndef LW_REPORT_H
#define LW_REPORT_H

#include "result/result.h"

typedef struct report_options {
    bool colour;     /* ANSI colours */
    bool unicode;    /* bars and marks outside ASCII */
    uint32_t width;  /* columns; 0: 100. Narrower than 72 counts as 72. */
    uint32_t lines;  /* most source lines shown in full per kernel; 0: 8 */
    bool all;        /* leave nothing out: every kernel, line and finding */
    bool only_bad;   /* only the findings that count for --error-exitcode: nothing if there are none */
    bool no_source;  /* do not read source files */
    const char *cwd; /* file names below this directory are shown relative to it; NULL: as they are */
} report_options;

/* Appends the report. Never fails: what cannot be read (a source file) is left out. */
void report_text(const result_set *set, const report_options *options, lw_text *out);

/* Appends one JSON document and a newline. */
lw_status report_json(const result_set *set, lw_text *out, lw_error *error);

/* Appends one page of HTML with everything in it: no network, no other file. Of options only cwd and no_source count. */
lw_status report_html(const result_set *set, const report_options *options, lw_text *out, lw_error *error);

/* ---- for other tools: SARIF 2.1.0, JUnit XML, Markdown. cwd: files below it are relative to it; NULL: as recorded. ---- */
void report_sarif(const result_set *set, const char *cwd, lw_text *out);
void report_junit(const result_set *set, const char *cwd, lw_text *out);
void report_markdown(const result_set *set, const char *cwd, lw_text *out);

/* A row above its ideal. */
typedef struct report_costly {
    const result_row *row;
    const result_launch *launch;
    double cost; /* report_cost() */
} report_costly;
#define REPORT_COSTLY_MOST 400
/* The rows above their ideal of all launches, the worst first, each source line once, at most REPORT_COSTLY_MOST. In arena. */
size_t report_costly_lines(const result_set *set, lw_arena *arena, report_costly **out);

/* Reads a JSON report back; *out is freed with result_set_free(). LW_CORRUPT: it is none. */
lw_status report_json_read(const char *data, size_t size, result_set *out, lw_error *error);
/* Gives every row of a set the text of its source line, as far as it can be read: the JSON report has it then. */
void report_keep_sources(result_set *set);

/* ---- two runs (docs/REPORT.md, "Comparing runs") ---- */
typedef struct report_diff_options {
    bool colour, unicode, json;
    bool html;      /* one page, as report_html() writes */
    uint32_t width; /* columns; 0: 100 */
    const char *cwd;
    const char *const *conditions; /* what must not hold */
    size_t condition_count;
} report_diff_options;
/* Appends what is better and worse in `after`. *failed: conditions that hold. LW_INVALID_ARGUMENT: a condition is none. */
lw_status report_diff(const result_set *before, const result_set *after, const report_diff_options *options,
                      lw_text *out, size_t *failed, lw_error *error);
/* Checks a run against the budgets of a file's text and appends a line for each that is exceeded, or that fits nothing; *over: how many are exceeded.
 * LW_INVALID_ARGUMENT: the file is malformed. path: of the file, for messages. */
lw_status report_budgets(const result_set *set, const char *path, const char *text, size_t size, lw_text *out,
                         size_t *over, lw_error *error);

/* ---- measures ---- */
typedef struct report_measure {
    const char
        *unit; /* "wavefronts" or "sectors"; "requests" or "bytes" when there is no ideal; NULL: nothing counted */
    bool has_ideal;
    uint64_t actual, ideal;
} report_measure;
report_measure report_measure_of(const counter_set *counters);
double report_cost(const counter_set *counters);

/* The row that stands for the line which causes most of the predicted time; NULL: none is known. */
const result_row *report_slowest(const result_launch *launch);

/* Seconds from the first begin to the last end of the timeline: of the process that takes longest. */
double report_timeline_seconds(const result_set *set);

/* One or two sentences: why the row costs more than its ideal and what usually mends it; NULL if it does not or nothing
 * is known. row->advice wins when it is there. block: the launch's, or NULL. The text lives in arena. */
const char *report_advice(const result_row *row, const uint32_t block[3], lw_arena *arena);

/* ---- source lines ---- */
typedef struct report_sources {
    lw_arena arena;
    lw_map files;
} report_sources; /* zero-initialise */
/* The text of a line without the white space around it, or NULL. It lives as long as the sources. */
const char *report_source_line(report_sources *sources, const char *file, uint32_t line);
uint32_t report_source_indent(report_sources *sources, const char *file, uint32_t line); /* columns before its text */
uint32_t report_source_lines(report_sources *sources, const char *file); /* how many; 0: it cannot be read */
/* When the file was last written, in Unix seconds; 0: there is none. */
int64_t report_source_written(report_sources *sources, const char *file);
void report_sources_free(report_sources *sources);

#endif
