/* text: the parts of the text report. Internal to report/. */
#ifndef LW_REPORT_TEXT_H
#define LW_REPORT_TEXT_H

#include "report/pen.h"

typedef struct report_page {
    pen pen;
    lw_arena arena; /* advice and other texts */
    report_sources sources;
    const char *cwd;
    uint32_t lines, ideal_lines; /* most source lines per kernel: in full, and at their ideal in short */
    uint32_t kernels, findings;  /* most of these */
    bool all;                    /* leave nothing out */
    bool no_source, only_bad;
    bool any_ptx;        /* a row without line information was shown */
    int64_t built;       /* result_launch.built of what is shown at the moment */
    const char *missing; /* a source named without a folder that is not there: the text of a run-time compilation */
    LW_VEC(const char *) changed; /* files that are newer than the program that was made of them */
} report_page;

/* A file name as shown: relative to the working directory if it lies below it. */
const char *text_file(const report_page *page, const char *file);
/* A kernel's name as shown: without the "void" that C++ puts before the names of templates, and without the tags by
 * which Numba tells compilations of one function apart ([abi:v1][abi:...], 100 characters of them). */
const char *text_kernel(report_page *page, const char *name);
/* The source text of a line, or NULL. A file that was changed after the program was built gives none (the line may have
 * moved) and is remembered in `changed`. */
const char *text_source(report_page *page, const char *file, uint32_t line);

/* The findings, first thing of the report; with only_bad all of it (findings.c). */
void text_findings(report_page *page, const result_set *set);
void text_sides(report_page *page, const result_finding *f); /* a race drawn, if it can be */
void text_checked(report_page *page, const result_set *set); /* which checks were on and found nothing */
/* Caches and DRAM of one launch, if they were predicted (caches.c). */
void text_caches(report_page *page, const result_launch *launch);
/* Other layouts of a launch's arrays, if they were counted (what_if.c). */
void text_what_if(report_page *page, const result_launch *launch);
/* The timeline of the program, if there is one (timeline.c). */
void text_timeline(report_page *page, const result_set *set);
/* The rows of one launch: worst lines in full, the rest in short (lines.c). */
void text_lines(report_page *page, const result_launch *launch);

#endif
