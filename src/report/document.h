/* document: the parts of the JSON report (json.c), for the reports that embed them. Internal to report/. */
#ifndef LW_REPORT_DOCUMENT_H
#define LW_REPORT_DOCUMENT_H

#include "report/report.h"

#include <jansson.h>

json_t *report_document_text(const char *s); /* "" for NULL; bytes that are no UTF-8 become '?' */
json_t *report_document_count(uint64_t n);
json_t *report_document_launch(const result_launch *launch); /* its `lines` are in the order of launch->rows */
json_t *report_document_finding(const result_finding *finding);

#endif
