/* source: lines of source files by (file, line), each file read once. A file that cannot be read, is not a plain file
 * or is larger than 16 MiB has no lines. Control characters inside a line become spaces, so that a source file cannot
 * steer the terminal. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_FILE (16u << 20)

typedef struct source_file {
    uint32_t line_count;
    const char **lines; /* trimmed, NUL-terminated */
    uint16_t *indents;  /* columns of white space before each */
    int64_t written;    /* Unix seconds; 0: it could not be read */
} source_file;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/* Ends the line at `end`, blanks control characters, returns its first character that is no space. */
static const char *trim(char *line, char *end)
{
    while (end > line && is_space(end[-1])) end--;
    *end = 0;
    while (is_space(*line)) line++;
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = ' ';
    return line;
}

/* Columns of the white space before `text`, tabs to multiples of 8. */
static uint16_t indent_of(const char *line, const char *text)
{
    uint32_t column = 0;
    for (; line < text; line++) column = *line == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return (uint16_t)LW_MIN(column, 200);
}

static void split(source_file *file, lw_arena *arena, char *text, size_t size)
{
    uint32_t count = 1;
    for (size_t i = 0; i < size; i++) count += text[i] == '\n';
    file->lines = LW_NEW_ARRAY(arena, const char *, count);
    file->indents = LW_NEW_ARRAY(arena, uint16_t, count);
    char *line = text, *end = text + size;
    while (line <= end) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *stop = newline ? newline : end;
        const char *trimmed = trim(line, stop);
        file->indents[file->line_count] = indent_of(line, trimmed);
        file->lines[file->line_count++] = trimmed;
        line = stop + 1;
    }
}

static source_file *read_source(report_sources *sources, const char *name)
{
    source_file *file = LW_NEW(&sources->arena, source_file);
    struct stat st;
    if (stat(name, &st) || !S_ISREG(st.st_mode) || st.st_size > LARGEST_FILE) return file;
    char *data = NULL;
    size_t size = 0;
    if (lw_file_read(name, &data, &size, NULL)) return file;
    char *text = lw_arena_alloc(&sources->arena, size + 1);
    memcpy(text, data, size);
    free(data);
    file->written = (int64_t)st.st_mtime;
    split(file, &sources->arena, text, size);
    return file;
}

static source_file *find_source(report_sources *sources, const char *name)
{
    source_file *file = lw_map_get(&sources->files, name, strlen(name));
    if (file) return file;
    const char *key = lw_arena_strdup(&sources->arena, name);
    file = read_source(sources, key);
    lw_map_put(&sources->files, key, strlen(key), file);
    return file;
}

const char *report_source_line(report_sources *sources, const char *name, uint32_t line)
{
    if (!name || !*name || !line) return NULL;
    const source_file *file = find_source(sources, name);
    if (line > file->line_count || !*file->lines[line - 1]) return NULL;
    return file->lines[line - 1];
}

uint32_t report_source_indent(report_sources *sources, const char *name, uint32_t line)
{
    if (!name || !*name || !line) return 0;
    const source_file *file = find_source(sources, name);
    return line > file->line_count ? 0 : file->indents[line - 1];
}

uint32_t report_source_lines(report_sources *sources, const char *name)
{
    return name && *name ? find_source(sources, name)->line_count : 0;
}

int64_t report_source_written(report_sources *sources, const char *name)
{
    return name && *name ? find_source(sources, name)->written : 0;
}

void report_keep_sources(result_set *set)
{
    report_sources sources = {0};
    for (size_t i = 0; i < set->launches.count; i++) {
        const result_launch *launch = &set->launches.items[i];
        for (size_t k = 0; k < launch->row_count; k++) {
            result_row *row = (result_row *)&launch->rows[k]; /* the set is ours to change */
            const char *text = row->ptx ? NULL : report_source_line(&sources, row->file, row->line);
            if (text) row->source = lw_arena_strdup(&set->arena, text);
        }
    }
    report_sources_free(&sources);
}

void report_sources_free(report_sources *sources)
{
    if (!sources) return;
    lw_map_free(&sources->files);
    lw_arena_free(&sources->arena);
}
