/* words: the table words.def. */
#include "report/words.h"

#include <string.h>

const report_word report_words[] = {
#define WORD(name, title, text, picture) {name, title, text, picture},
#include "report/words.def"
#undef WORD
};
const size_t report_word_count = LW_COUNT(report_words);

const report_word *report_word_find(const char *name)
{
    for (size_t i = 0; i < report_word_count; i++)
        if (!strcmp(report_words[i].name, name)) return &report_words[i];
    return NULL;
}
