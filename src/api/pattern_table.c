/* api: a table of accesses, CSV in, CSV out. RFC 4180: fields in double quotes may hold commas, line ends and doubled
 * quotes; lines end in LF or CRLF. Empty lines are skipped; a line may leave out columns behind those that are needed.
 */
#include "api/pattern_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MOST 256

enum { COLUMN_OP, COLUMN_NAME, COLUMN_OFFSETS, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = {"op", "name", "offsets"};
static const char *const result_names[][2] = {/* column, counter */
                                              {"requests", "requests"},
                                              {"wavefronts", "wavefronts"},
                                              {"conflicts", "bank_conflicts"},
                                              {"sectors", "sectors"},
                                              {"tags", "tags"},
                                              {"t_wavefronts", "t_wavefronts"}};

typedef struct table {
    const char *at, *end, *name;
    unsigned long line, next_line; /* of the row being read; of `at` */
    lw_text fields;                /* the row's fields, each with a NUL */
    size_t start[COLUMNS_MOST];    /* of every field */
    size_t field_count;
    int column[COLUMN_COUNT]; /* which field; -1: none */
    size_t heading_count;
    lw_message *message;
} table;

static int table_fail(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int table_fail(table *t, const char *format, ...)
{
    va_list args;
    lw_message reason;
    va_start(args, format);
    vsnprintf(reason.text, sizeof reason.text, format, args);
    va_end(args);
    return pattern_fail(t->message, "%s:%lu: %.1500s", t->name, t->line, reason.text);
}

/* "" if the row has no such field. */
static const char *field(const table *t, size_t i) { return i < t->field_count ? t->fields.data + t->start[i] : ""; }

/* ---- reading ---- */

static int quoted_field(table *t)
{
    for (t->at++;; t->at++) {
        if (t->at == t->end) return table_fail(t, "a quote is not closed");
        if (*t->at == '"' && (t->at + 1 == t->end || t->at[1] != '"')) break;
        if (*t->at == '"') t->at++;
        t->next_line += *t->at == '\n';
        lw_text_append(&t->fields, t->at, 1);
    }
    t->at++;
    if (t->at < t->end && *t->at != ',' && *t->at != '\n' && *t->at != '\r')
        return table_fail(t, "a comma expected behind the closing quote");
    return 0;
}

static int one_field(table *t)
{
    if (t->field_count == COLUMNS_MOST) return table_fail(t, "more than %d fields", COLUMNS_MOST);
    t->start[t->field_count++] = t->fields.size;
    if (t->at < t->end && *t->at == '"') {
        if (quoted_field(t)) return 1;
    } else {
        size_t n = 0, left = (size_t)(t->end - t->at);
        while (n < left && t->at[n] != ',' && t->at[n] != '\n') n++;
        size_t keep = n && t->at[n - 1] == '\r' && (n == left || t->at[n] == '\n') ? n - 1 : n;
        lw_text_append(&t->fields, t->at, keep);
        t->at += n;
    }
    lw_text_append(&t->fields, "", 1);
    return 0;
}

static void trim(char *s)
{
    size_t n = strlen(s), blank = strspn(s, " \t");
    while (n > blank && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
    memmove(s, s + blank, n - blank);
    s[n - blank] = 0;
}

/* The next row that is not empty. *more false: there is none. */
static int next_row(table *t, bool *more)
{
    do {
        *more = t->at < t->end;
        t->line = t->next_line;
        t->fields.size = t->field_count = 0;
        if (!*more) return 0;
        do {
            if (one_field(t)) return 1;
        } while (t->at < t->end && *t->at == ',' && t->at++);
        for (size_t i = 0; i < t->field_count; i++) trim(t->fields.data + t->start[i]);
        if (t->at < t->end && *t->at == '\r') t->at++;
        if (t->at < t->end && *t->at == '\n') t->at++, t->next_line++;
    } while (t->field_count == 1 && !*field(t, 0));
    return 0;
}

static int read_heading(table *t)
{
    bool more;
    if (next_row(t, &more)) return 1;
    if (!more) return table_fail(t, "the table is empty: a heading with the columns op and offsets expected");
    for (int c = 0; c < COLUMN_COUNT; c++) t->column[c] = -1;
    for (size_t i = 0; i < t->field_count; i++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            if (strcmp(field(t, i), column_names[c])) continue;
            if (t->column[c] >= 0) return table_fail(t, "two columns are named %s", column_names[c]);
            t->column[c] = (int)i;
        }
    }
    t->heading_count = t->field_count;
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (t->column[c] < 0 && c != COLUMN_NAME)
            return table_fail(t, "the heading has no column %s (op and offsets are needed)", column_names[c]);
    return 0;
}

/* ---- writing ---- */

static void write_field(lw_text *out, const char *s)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        lw_text_append(out, s, strlen(s));
        return;
    }
    lw_text_append(out, "\"", 1);
    for (; *s; s++) {
        if (*s == '"') lw_text_append(out, s, 1);
        lw_text_append(out, s, 1);
    }
    lw_text_append(out, "\"", 1);
}

static int write_row(table *t, const device_profile *device, const lw_access_options *options, lw_text *out)
{
    lw_access access;
    lw_access_counts counts = {.counter_count = 0};
    lw_message reason = {""};
    const char *text[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; c++) text[c] = t->column[c] < 0 ? "" : field(t, (size_t)t->column[c]);
    if (t->field_count > t->heading_count)
        return table_fail(t, "%zu fields, the heading has %zu", t->field_count, t->heading_count);
    bool bypass = !strcmp(text[COLUMN_OP], "cpg16"); /* described as cpa16; its wavefronts have no rule */
    if (lw_access_from_offsets(bypass ? "cpa16" : text[COLUMN_OP], text[COLUMN_OFFSETS], &access, &reason) ||
        pattern_count_as(device, text[COLUMN_OP], &access, options, &counts, &reason))
        return table_fail(t, "%s", reason.text);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        write_field(out, text[c]);
        lw_text_append(out, ",", 1);
    }
    for (size_t i = 0; i < LW_COUNT(result_names); i++) {
        uint64_t value;
        if (i) lw_text_append(out, ",", 1);
        if (bypass && !strcmp(result_names[i][1], "wavefronts")) continue;
        if (lw_access_counter(&counts, result_names[i][1], &value)) lw_text_add(out, "%llu", (unsigned long long)value);
    }
    lw_text_append(out, "\n", 1);
    return 0;
}

static int count_rows(table *t, const device_profile *device, const lw_access_options *options, lw_text *out)
{
    if (read_heading(t)) return 1;
    lw_text_add(out, "op,name,offsets");
    for (size_t i = 0; i < LW_COUNT(result_names); i++) lw_text_add(out, ",%s", result_names[i][0]);
    lw_text_append(out, "\n", 1);
    for (;;) {
        bool more;
        if (next_row(t, &more)) return 1;
        if (!more) return 0;
        if (write_row(t, device, options, out)) return 1;
    }
}

int lw_access_table(const char *text, size_t bytes, const char *name, const char *device,
                    const lw_access_options *options, char **out, lw_message *message)
{
    device_profile profile;
    lw_text result = {0};
    *out = NULL;
    if (pattern_device(device, &profile, message)) return 1;
    table t = {.at = text, .end = text + bytes, .name = name, .line = 1, .next_line = 1, .message = message};
    if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) t.at += 3; /* a byte order mark */
    const char *nul = memchr(text, 0, bytes);
    int failed = nul ? pattern_fail(message, "%s: byte %zu is NUL: no text", name, (size_t)(nul - text)) : 0;
    if (!failed) failed = count_rows(&t, &profile, options, &result);
    lw_text_free(&t.fields);
    if (failed) lw_text_free(&result);
    else *out = result.data;
    return failed;
}
