/* Suppressions: findings that a user knows and does not want to see. A file has one per line:
 *
 *     CHECK:KERNEL[@FILE[:LINE]]        # a comment
 *
 * CHECK is a check's name, KERNEL a pattern for the demangled name, FILE one for the path or its last parts; in patterns
 * * stands for anything, ? for one character, [...] for one of these, and \ makes the next character ordinary. A finding
 * is dropped if all that is given fits it: its own place or that of a related access. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

typedef struct suppression {
    char *check, *kernel;
    char *file;     /* NULL: any */
    uint32_t line;  /* 0: any */
    uint32_t where; /* its line in the file of suppressions */
    bool used;
} suppression;

typedef LW_VEC(suppression) suppression_list;

/* The text without blanks at both ends; changes it. */
static char *trimmed(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1])) text[--length] = 0;
    return text;
}

/* Splits FILE:LINE; the line is what stands behind the last colon, if it is a number. */
static void split_place(suppression *s, char *place)
{
    char *colon = strrchr(place, ':');
    s->file = place;
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1)) return;
    *colon = 0;
    s->line = (uint32_t)strtoul(colon + 1, NULL, 10);
}

static bool parse_line(char *text, suppression *s)
{
    char *colon = strchr(text, ':');
    if (!colon || colon == text) return false;
    *colon = 0;
    char *at = strrchr(colon + 1, '@');
    if (at) {
        *at = 0;
        split_place(s, trimmed(at + 1));
        if (!*s->file) return false;
    }
    s->check = trimmed(text);
    s->kernel = trimmed(colon + 1);
    if (!*s->kernel) s->kernel = (char *)"*";
    return !strpbrk(s->check, " \t");
}

/* A comment begins with # at the start of a line or behind a blank. */
static void cut_comment(char *text)
{
    for (char *c = text; (c = strchr(c, '#')); c++)
        if (c == text || c[-1] == ' ' || c[-1] == '\t') {
            *c = 0;
            return;
        }
}

/* Parses text in place. */
static lw_status parse_all(char *text, const char *path, suppression_list *out, lw_error *error)
{
    uint32_t where = 0;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        where++;
        cut_comment(line);
        line = trimmed(line);
        if (!*line) continue;
        suppression s = {.where = where};
        if (!parse_line(line, &s))
            return lw_fail(error, LW_INVALID_ARGUMENT,
                           "%s:%u: not a suppression: CHECK:KERNEL, or CHECK:KERNEL@FILE:LINE; * stands for anything",
                           path, where);
        lw_vec_push(out, s);
    }
    return LW_OK;
}

static bool fits_place(const suppression *s, const char *file, uint32_t line)
{
    if (!s->file) return true;
    if (!file || (s->line && s->line != line)) return false;
    if (!fnmatch(s->file, file, 0)) return true;
    for (const char *part = file; (part = strchr(part, '/')); part++)
        if (!fnmatch(s->file, part + 1, 0)) return true;
    return false;
}

static bool fits(const suppression *s, const result_finding *f)
{
    if (fnmatch(s->check, f->check, 0) || fnmatch(s->kernel, f->kernel ? f->kernel : "", 0)) return false;
    if (fits_place(s, f->file, f->line)) return true;
    for (size_t k = 0; k < f->related_count; k++)
        if (fits_place(s, f->related[k].file, f->related[k].line)) return true;
    return false;
}

static bool is_suppressed(suppression_list *list, const result_finding *f)
{
    bool found = false;
    for (size_t k = 0; k < list->count; k++) {
        if (!fits(&list->items[k], f)) continue;
        list->items[k].used = true;
        found = true;
    }
    return found;
}

static void apply(result_set *set, suppression_list *list, const char *path)
{
    size_t kept = 0;
    for (size_t k = 0; k < set->findings.count; k++) {
        if (is_suppressed(list, &set->findings.items[k])) set->suppressed++;
        else set->findings.items[kept++] = set->findings.items[k];
    }
    set->findings.count = kept;
    for (size_t k = 0; k < list->count; k++) {
        const suppression *s = &list->items[k];
        if (s->used) continue;
        const char *text = lw_arena_printf(&set->arena, "%s:%u: this suppression fits nothing: %s:%s%s%s", path,
                                           s->where, s->check, s->kernel, s->file ? "@" : "", s->file ? s->file : "");
        lw_vec_push(&set->messages, text);
    }
}

lw_status result_suppress(result_set *set, const char *path, const char *text, size_t size, lw_error *error)
{
    lw_text copy = {0}; /* ends with NUL; one within ends it early */
    lw_text_append(&copy, text, size);
    lw_text_append(&copy, "", 1);
    suppression_list list = {0};
    lw_status status = parse_all(copy.data, path, &list, error);
    if (!status) apply(set, &list, path);
    lw_vec_free(&list);
    lw_text_free(&copy);
    return status;
}

/* Adds text as a pattern that fits only it. */
static void add_literal(lw_text *out, const char *text)
{
    for (; *text; text++) lw_text_add(out, "%s%c", strchr("*?[]\\", *text) ? "\\" : "", *text);
}

/* Is line, which ends in a newline, one of those of text? */
static bool has_line(const lw_text *text, const char *line)
{
    const char *at = text->data;
    while (at && (at = strstr(at, line)) && at != text->data && at[-1] != '\n') at++;
    return at != NULL;
}

void result_suppression_of(const result_finding *f, lw_text *out)
{
    lw_text line = {0};
    const char *slash = f->file ? strrchr(f->file, '/') : NULL;
    const char *file = slash ? slash + 1 : f->file;
    lw_text_add(&line, "%s:", f->check);
    if (f->kernel) add_literal(&line, f->kernel);
    else lw_text_add(&line, "*");
    if (file) {
        lw_text_add(&line, "@");
        add_literal(&line, file);
        if (f->line) lw_text_add(&line, ":%u", f->line);
    }
    lw_text_add(&line, "\n");
    if (!has_line(out, line.data)) lw_text_add(out, "%s", line.data);
    lw_text_free(&line);
}
