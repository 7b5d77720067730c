/* words: what the words of the report mean, rows of words.def. */
#ifndef LW_REPORT_WORDS_H
#define LW_REPORT_WORDS_H

#include "base/base.h"
#include "lanewise/run.h"

typedef lw_word report_word; /* the public header's, as both show the same rows */
extern const report_word report_words[];
extern const size_t report_word_count;

/* Another word that a row of report_words explains as well. */
typedef struct report_also {
    const char *other, *name;
} report_also;
extern const report_also report_others[];
extern const size_t report_other_count;

/* By its name, its title or another word for it, in upper or lower case, with gaps as " ", "-" or "_"; NULL: there is none. */
const report_word *report_word_find(const char *name);

#endif
