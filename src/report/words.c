/* words: the table words.def. */
#include "report/words.h"

#include <string.h>
#include <strings.h>

const report_word report_words[] = {
#define WORD(name, title, text, picture) {name, title, text, picture},
#include "report/words.def"
};
const size_t report_word_count = LW_COUNT(report_words);

const report_also report_others[] = {
#define ALSO(other, name) {other, name},
#include "report/words.def"
};
const size_t report_other_count = LW_COUNT(report_others);

/* "Bank conflicts", "bank-conflicts" and "bank_conflicts" are one word. */
static bool is_word(const char *asked, const char *name)
{
    for (; *asked && *name; asked++, name++) {
        bool gap = strchr(" -_", *asked) && strchr(" -_", *name);
        if (!gap && strncasecmp(asked, name, 1)) return false;
    }
    return !*asked && !*name;
}

const report_word *report_word_find(const char *name)
{
    for (size_t i = 0; i < report_word_count; i++)
        if (is_word(name, report_words[i].name) || is_word(name, report_words[i].title)) return &report_words[i];
    for (size_t i = 0; i < report_other_count; i++)
        if (is_word(name, report_others[i].other)) return report_word_find(report_others[i].name);
    return NULL;
}
