/* page: the static part of the HTML report, src/report/page/ as one text. Internal to report/. */
#ifndef LW_REPORT_PAGE_H
#define LW_REPORT_PAGE_H

#include "base/base.h"

#include <jansson.h>

/* NUL-terminated; @DATA@ in it is where the data goes. */
extern const unsigned char report_page_template[];

/* The page before its data, and behind it. Between them: report_page_data(), once for each script element. */
void report_page_begin(lw_text *out);
void report_page_end(lw_text *out);
/* Writes a script element of type application/json, and frees the value. Nothing in it can end the element: what is not ASCII, and <, >
 * and &, are \u escapes. */
void report_page_data(lw_text *out, const char *id, json_t *value);

#endif
