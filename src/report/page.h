/* page: the static part of the HTML report, src/report/page/ as one text. Internal to report/. */
#ifndef LW_REPORT_PAGE_H
#define LW_REPORT_PAGE_H

/* NUL-terminated; @DATA@ in it is where the run's data goes. */
extern const unsigned char report_page_template[];

#endif
