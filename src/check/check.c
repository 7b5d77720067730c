/* The table of checks, and the lists of their names. */
#include <string.h>

#include "check/check.h"

const check_row check_rows[CHECK_COUNT] = {
#define CHECK_ROW(ID, name, in_all, meaning) {name, meaning, in_all},
#include "check/checks.def"
#undef CHECK_ROW
};

static uint32_t all_checks(void)
{
    uint32_t set = 0;
    for (uint32_t k = 0; k < CHECK_COUNT; k++)
        if (check_rows[k].in_all) set |= 1u << k;
    return set;
}

/* The bits of one word of a list; 0: it is no check's name. */
static uint32_t check_bits(const char *word, size_t length)
{
    if (length == strlen("all") && !strncmp(word, "all", length)) return all_checks();
    for (uint32_t k = 0; k < CHECK_COUNT; k++)
        if (strlen(check_rows[k].name) == length && !strncmp(word, check_rows[k].name, length)) return 1u << k;
    return 0;
}

lw_status check_parse(const char *text, uint32_t *out_set, lw_error *error)
{
    uint32_t set = 0;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        uint32_t bits = check_bits(word, length);
        if (!bits) {
            lw_text names = {0};
            for (uint32_t k = 0; k < CHECK_COUNT; k++) lw_text_add(&names, ", %s", check_rows[k].name);
            lw_status status = lw_fail(error, LW_INVALID_ARGUMENT, "'%.*s' is not a check; there are all%s",
                                       (int)length, word, names.data);
            lw_text_free(&names);
            return status;
        }
        set |= bits;
        word += length;
        if (!*word) break;
    }
    *out_set = set;
    return LW_OK;
}
