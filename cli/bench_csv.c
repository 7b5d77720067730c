/* bench_csv: reads the CSV of lanewise-ops-bench: comment lines (#), a line with the names of columns, one line per
 * case. Fields may be quoted; a quoted field ends on its line. Columns are found by name: their order is free, unknown
 * ones are passed over. The first thing that is wrong ends reading. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 64

typedef enum column_kind { KIND_text, KIND_number } column_kind;

static const struct column {
    const char *name;
    column_kind kind;
    bool required;
    size_t offset;
} columns[] = {
#define BENCH_COLUMN(field, name, kind, required) {name, KIND_##kind, required, offsetof(bench_row, field)},
    BENCH_COLUMNS
#undef BENCH_COLUMN
};
#define COLUMNS (sizeof columns / sizeof columns[0])

typedef struct reader {
    const char *file;
    unsigned line;
    const struct column *column[FIELDS_MAX]; /* of every field; NULL: unknown */
    size_t fields;                           /* 0: the header has not come */
} reader;

static bool wrong(const reader *r, const char *reason)
{
    say("%s:%u: %s", r->file, r->line, reason);
    return false;
}

/* Splits a line in place. */
static bool split(const reader *r, char *line, char **fields, size_t *count)
{
    for (*count = 0;; line++) {
        if (*count == FIELDS_MAX) return wrong(r, text_of("more than %d fields", FIELDS_MAX));
        char *to = line;
        fields[(*count)++] = to;
        if (*line == '"') {
            for (line++; *line != '"' || line[1] == '"'; line++) {
                if (*line == '"') line++;
                if (!*line) return wrong(r, text_of("the quote of field %zu is open", *count));
                *to++ = *line;
            }
            line++;
            if (*line && *line != ',') return wrong(r, text_of("text after the quote of field %zu", *count));
        } else {
            line += strcspn(line, ",");
            to = line;
        }
        bool last = !*line;
        *to = 0;
        if (last) return true;
    }
}

static bool read_header(reader *r, char **fields, size_t count)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(fields[i], columns[c].name)) continue;
            if (found) return wrong(r, text_of("column '%s' stands twice", columns[c].name));
            r->column[i] = &columns[c];
            found = true;
        }
        if (!found && columns[c].required)
            return wrong(r, text_of("no column '%s': this is not a table of lanewise-ops-bench", columns[c].name));
    }
    r->fields = count;
    return true;
}

static bool read_number(const reader *r, const struct column *column, const char *field, double *out)
{
    char *end;
    *out = NAN;
    if (!*field && !column->required) return true;
    errno = 0;
    *out = strtod(field, &end);
    if (end != field && !*end && !errno && isfinite(*out) && *out >= 0) return true;
    return wrong(r, text_of("%s is not a number: '%s'", column->name, field));
}

static bool read_row(const reader *r, char **fields, size_t count, bench_row *row)
{
    if (count != r->fields) return wrong(r, text_of("%zu fields where the header has %zu", count, r->fields));
    for (size_t c = 0; c < COLUMNS; c++) {
        void *place = (char *)row + columns[c].offset;
        if (columns[c].kind == KIND_text) *(const char **)place = "";
        else *(double *)place = NAN;
    }
    for (size_t i = 0; i < count; i++) {
        const struct column *column = r->column[i];
        if (!column) continue;
        void *place = (char *)row + column->offset;
        if (column->kind == KIND_text) *(const char **)place = text_of("%s", fields[i]);
        else if (!read_number(r, column, fields[i], place)) return false;
    }
    return *row->op ? true : wrong(r, "the op has no name");
}

static bool wanted(const char *op, const words *ops)
{
    for (size_t i = 0; i < ops->count; i++)
        if (strstr(op, ops->items[i])) return true;
    return !ops->count;
}

static void add_row(bench_result *result, const bench_row *row)
{
    if (result->count == result->capacity) {
        result->capacity = result->capacity ? 2 * result->capacity : 64;
        result->rows = realloc(result->rows, result->capacity * sizeof *result->rows);
        if (!result->rows) abort();
    }
    result->rows[result->count++] = *row;
}

static bool read_line(reader *r, bench_result *result, char *line, const words *ops)
{
    char *fields[FIELDS_MAX];
    size_t count = strlen(line);
    bench_row row;
    if (count && line[count - 1] == '\r') line[--count] = 0;
    if (!count) return true;
    if (*line == '#') {
        words_add(&result->notes, line + 1 + (line[1] == ' '));
        return true;
    }
    if (!split(r, line, fields, &count)) return false;
    if (!r->fields) return read_header(r, fields, count);
    if (!read_row(r, fields, count, &row)) return false;
    if (wanted(row.op, ops)) add_row(result, &row);
    return true;
}

bool bench_read(bench_result *result, const char *file, const words *ops)
{
    reader r = {.file = file};
    size_t size;
    char *data = file_read(file, &size);
    bool fine = true;
    if (!data) {
        say("%s: %s", file, strerror(errno));
        return false;
    }
    for (char *line = data, *end; fine && line < data + size; line = end + 1) {
        end = memchr(line, '\n', (size_t)(data + size - line));
        if (!end) end = data + size;
        r.line++;
        *end = 0;
        fine = strlen(line) == (size_t)(end - line) ? read_line(&r, result, line, ops) : wrong(&r, "a NUL byte");
    }
    free(data);
    if (fine && !r.fields) {
        r.line++;
        return wrong(&r, "the file ends before the names of columns");
    }
    return fine;
}

size_t bench_group_end(const bench_result *r, size_t first)
{
    size_t end = first;
    while (end < r->count && !strcmp(r->rows[end].op, r->rows[first].op)) end++;
    return end;
}

void bench_group(bench_result *result)
{
    bench_row *rows = result->rows;
    for (size_t i = 0; i + 1 < result->count; i++) {
        size_t next = i + 1;
        while (next < result->count && strcmp(rows[next].op, rows[i].op)) next++;
        if (next == i + 1 || next == result->count) continue;
        bench_row moved = rows[next];
        memmove(&rows[i + 2], &rows[i + 1], (next - i - 1) * sizeof *rows);
        rows[i + 1] = moved;
    }
}
