/* limit: what must not be exceeded, for CI: conditions of `diff --fail-if` and the budgets of lanewise.toml. Internal to report/. */
#ifndef LW_REPORT_LIMIT_H
#define LW_REPORT_LIMIT_H

#include "report/report.h"

/* What is compared. */
typedef enum limit_measure {
    LIMIT_COUNTER, /* a counter of a kernel or line, per launch */
    LIMIT_COST,    /* cycles lost above the ideal, per launch (report_cost) */
    LIMIT_TIME,    /* predicted seconds of a launch */
    LIMIT_FINDINGS /* errors and warnings of the run */
} limit_measure;

typedef enum limit_unit {
    LIMIT_ABSOLUTE, /* a count */
    LIMIT_TIMES,    /* 1.05x: of the other run, or of the ideal */
    LIMIT_PERCENT   /* 5 %: more than in the other run */
} limit_unit;

/* A counter's name, or cost, time, findings; false: it is none of these. */
bool report_limit_measure(const char *name, size_t size, limit_measure *measure, counter_id *counter);
/* "1.05x", "5 %", "8192", whole text. false: it is no such number, or negative. */
bool report_limit_number(const char *text, size_t size, double *value, limit_unit *unit);
/* Whether a name fits a pattern in which * stands for any text. */
bool report_limit_fits(const char *pattern, const char *name);

/* The same of a kernel's demangled name: whole, without "void " before it, or as reports shorten it ("smem_2d<0>"). */
bool report_limit_fits_kernel(const char *pattern, const char *kernel);

/* NAME >|>=|<|<= NUMBER[x|%] [in KERNEL]: what must not hold. */
typedef struct limit_condition {
    limit_measure measure;
    counter_id counter;
    bool below, equal; /* < or <=; >= or <= */
    double value;
    limit_unit unit;
    const char *kernel; /* pattern; NULL: every kernel */
    const char *text;   /* as it was written */
} limit_condition;
lw_status report_limit_condition(const char *text, lw_arena *arena, limit_condition *out, lw_error *error);
bool report_limit_holds(const limit_condition *condition, double before, double after);

#endif
