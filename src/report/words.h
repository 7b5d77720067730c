/* words: what the words of the report mean, rows of words.def. */
#ifndef LW_REPORT_WORDS_H
#define LW_REPORT_WORDS_H

#include "base/base.h"
#include "lanewise/run.h"

typedef lw_word report_word; /* the public header's, as both show the same rows */
extern const report_word report_words[];
extern const size_t report_word_count;
const report_word *report_word_find(const char *name); /* NULL: there is none */

#endif
