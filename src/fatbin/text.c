/* PTX text as far as choosing needs it: is it PTX, and what do its directives ".version 9.0" and ".target sm_90a,
 * debug" say. Reads white space, comments and the first words only; the parser proper is another room's. */
#include <string.h>

#include "fatbin/format.h"

/* The first byte at or after i that is neither white space nor in a comment. */
static size_t skip_blank(lw_span s, size_t i)
{
    while (i < s.size) {
        uint8_t c = s.data[i];
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            i++;
        } else if (c == '/' && i + 1 < s.size && s.data[i + 1] == '/') {
            while (i < s.size && s.data[i] != '\n') i++;
        } else if (c == '/' && i + 1 < s.size && s.data[i + 1] == '*') {
            for (i += 2; i + 1 < s.size && !(s.data[i] == '*' && s.data[i + 1] == '/');) i++;
            i = LW_MIN(i + 2, s.size);
        } else {
            break;
        }
    }
    return i;
}

bool fatbin_is_ptx_text(lw_span s)
{
    size_t i = 0;
    while (i < s.size && (s.data[i] == ' ' || (s.data[i] >= '\t' && s.data[i] <= '\r'))) i++;
    if (i + 1 >= s.size) return false;
    if (s.data[i] == '.') return s.data[i + 1] >= 'a' && s.data[i + 1] <= 'z';
    return s.data[i] == '/' && (s.data[i + 1] == '/' || s.data[i + 1] == '*');
}

static bool has_word(lw_span s, size_t i, const char *word)
{
    size_t n = strlen(word);
    return n <= s.size - i && !memcmp(s.data + i, word, n);
}

static uint32_t read_number(lw_span s, size_t *i)
{
    uint32_t n = 0;
    for (; *i < s.size && s.data[*i] >= '0' && s.data[*i] <= '9'; (*i)++)
        if (n < 100000) n = n * 10 + (s.data[*i] - '0');
    return n;
}

static size_t read_version(lw_span s, size_t i, struct fatbin_entry *e)
{
    i = skip_blank(s, i);
    e->ptx_major = read_number(s, &i);
    if (i < s.size && s.data[i] == '.') {
        i++;
        e->ptx_minor = read_number(s, &i);
    }
    return i;
}

static void read_target(lw_span s, size_t i, struct fatbin_entry *e)
{
    i = skip_blank(s, i);
    if (i >= s.size || !has_word(s, i, "sm_")) return;
    i += 3;
    e->sm = read_number(s, &i);
    if (i < s.size && (s.data[i] == 'a' || s.data[i] == 'f')) e->arch_suffix = (char)s.data[i];
    e->flags |= e->arch_suffix == 'a' ? FATBIN_FLAG_ARCH : e->arch_suffix == 'f' ? FATBIN_FLAG_FAMILY : 0;
}

void fatbin_scan_ptx(lw_span s, struct fatbin_entry *e)
{
    for (size_t i = skip_blank(s, 0); i < s.size; i = skip_blank(s, i)) {
        if (has_word(s, i, ".version")) {
            i = read_version(s, i + 8, e);
        } else if (has_word(s, i, ".target")) {
            read_target(s, i + 7, e);
            return;
        } else {
            return; /* .version and .target open every PTX module */
        }
    }
}
