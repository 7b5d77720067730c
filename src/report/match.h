/* match: which kernel and which line of one run are which of another. Internal to report/. */
#ifndef LW_REPORT_MATCH_H
#define LW_REPORT_MATCH_H

#include "report/report.h"

/* One of the two is NULL if it has no counterpart. */
typedef struct match_row {
    const result_row *before, *after;
} match_row;

typedef struct match_kernel {
    const result_launch *before, *after;
    match_row *rows; /* in the order of the later run's lines, then what is gone */
    size_t row_count;
} match_kernel;

/* Kernels by name and configuration, else by name and order; files by name, and one left on each side of a kernel; lines by the text of
 * the source where both runs have it (they may have moved), else by number. All in arena. Returns their number. */
size_t report_match(const result_set *before, const result_set *after, lw_arena *arena, match_kernel **out);
/* Are the two of files of different name? */
bool report_match_renamed(const match_row *r);

#endif
