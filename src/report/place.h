/* place: names of source files as all reports show them. Internal to report/. */
#ifndef LW_REPORT_PLACE_H
#define LW_REPORT_PLACE_H

/* Relative to cwd (NULL: none) if it lies below it; of a library's header as one would include it; "?" for NULL. */
const char *report_place_file(const char *cwd, const char *file);

#endif
