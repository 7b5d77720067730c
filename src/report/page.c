/* page: the parts that all pages have: the static template around the data, and the data's script elements. */
#include "report/page.h"

#include <string.h>

#define MARK "@DATA@" /* tests/unit/test_html.c sees to it that it is there */

static const char *mark_of(const char *template) { return strstr(template, MARK); }

void report_page_begin(lw_text *out)
{
    const char *template = (const char *)report_page_template;
    lw_text_append(out, template, (size_t)(mark_of(template) - template));
}

void report_page_end(lw_text *out)
{
    const char *rest = mark_of((const char *)report_page_template) + strlen(MARK);
    lw_text_append(out, rest, strlen(rest));
}

/* All of it is ASCII; <, > and & occur in strings only. */
static int write_escaped(const char *buffer, size_t size, void *data)
{
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (buffer[i] != '<' && buffer[i] != '>' && buffer[i] != '&') continue;
        lw_text_append(data, buffer + begin, i - begin);
        lw_text_add(data, "\\u%04x", (unsigned)buffer[i]);
        begin = i + 1;
    }
    lw_text_append(data, buffer + begin, size - begin);
    return 0;
}

void report_page_data(lw_text *out, const char *id, json_t *value)
{
    lw_text_add(out, "<script type=\"application/json\" id=\"%s\">", id);
    json_dump_callback(value, write_escaped, out, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    lw_text_add(out, "</script>\n");
    json_decref(value);
}
