/* limit: conditions and their parts. The grammar is in docs/REPORT.md, "Comparing runs". */
#include "report/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && !memcmp(text, word, size);
}

bool report_limit_measure(const char *name, size_t size, limit_measure *measure, counter_id *counter)
{
    *counter = COUNTER_COUNT;
    *measure = LIMIT_COUNTER;
    if (same(name, size, "cost")) *measure = LIMIT_COST;
    else if (same(name, size, "time")) *measure = LIMIT_TIME;
    else if (same(name, size, "findings")) *measure = LIMIT_FINDINGS;
    if (*measure != LIMIT_COUNTER) return true;
    for (int c = 0; c < COUNTER_COUNT; c++) {
        if (!same(name, size, counter_descs[c].name)) continue;
        *counter = (counter_id)c;
        return true;
    }
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool report_limit_number(const char *text, size_t size, double *value, limit_unit *unit)
{
    char digits[32];
    *unit = LIMIT_ABSOLUTE;
    if (size && (text[size - 1] == 'x' || text[size - 1] == '%')) {
        *unit = text[size - 1] == 'x' ? LIMIT_TIMES : LIMIT_PERCENT;
        for (size--; size && is_blank(text[size - 1]);) size--;
    }
    if (!size || size >= sizeof digits) return false;
    memcpy(digits, text, size);
    digits[size] = 0;
    if (strspn(digits, "0123456789.eE+-") != size || strchr("+-", digits[0])) return false;
    char *end;
    *value = strtod(digits, &end);
    return end == digits + size && isfinite(*value);
}

bool report_limit_fits(const char *pattern, const char *name)
{
    const char *star = NULL;
    const char *retry = name;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

/* Of "smem_2d<0>(float*)" the part before the parameters. */
static size_t name_length(const char *kernel)
{
    uint32_t depth = 0;
    for (size_t k = 0; kernel[k]; k++) {
        if (kernel[k] == '<') depth++;
        else if (kernel[k] == '>' && depth) depth--;
        else if (kernel[k] == '(' && !depth && k) return k;
    }
    return strlen(kernel);
}

bool report_limit_fits_kernel(const char *pattern, const char *kernel)
{
    const char *name = strncmp(kernel, "void ", 5) ? kernel : kernel + 5;
    if (report_limit_fits(pattern, kernel) || report_limit_fits(pattern, name)) return true;
    lw_text alone = {0};
    lw_text_append(&alone, name, name_length(name));
    bool fits = report_limit_fits(pattern, alone.data ? alone.data : "");
    lw_text_free(&alone);
    return fits;
}

static const char *skip(const char *at)
{
    while (is_blank(*at)) at++;
    return at;
}

/* Where the number ends: at "in", or at the end without blanks. */
static const char *end_of_number(const char *at)
{
    const char *end = at + strlen(at);
    const char *in = strstr(at, " in ");
    if (in) end = in;
    while (end > at && is_blank(end[-1])) end--;
    return end;
}

lw_status report_limit_condition(const char *text, lw_arena *arena, limit_condition *out, lw_error *error)
{
    static const char form[] = "write NAME > NUMBER, NAME > NUMBERx or NAME > NUMBER%, and `in KERNEL` behind it";
    memset(out, 0, sizeof *out);
    out->text = lw_arena_strdup(arena, text);
    const char *at = skip(out->text);
    size_t name = strcspn(at, " \t<>=");
    if (!report_limit_measure(at, name, &out->measure, &out->counter))
        return lw_fail(error, LW_INVALID_ARGUMENT, "'%.*s' is no counter, and none of cost, time, findings",
                       (int)LW_MIN(name, (size_t)60), at);
    at = skip(at + name);
    if (*at != '<' && *at != '>') return lw_fail(error, LW_INVALID_ARGUMENT, "'%.100s': %s", text, form);
    out->below = *at++ == '<';
    out->equal = *at == '=';
    at = skip(at + out->equal);
    const char *end = end_of_number(at);
    if (!report_limit_number(at, (size_t)(end - at), &out->value, &out->unit))
        return lw_fail(error, LW_INVALID_ARGUMENT, "'%.100s': %s", text, form);
    const char *in = strstr(at, " in ");
    if (!in) return LW_OK;
    out->kernel = skip(in + 4);
    if (!*out->kernel) return lw_fail(error, LW_INVALID_ARGUMENT, "'%.100s': no kernel behind `in`", text);
    return LW_OK;
}

/* after, in the condition's unit; a growth from nothing is larger than any number. */
static double in_unit(const limit_condition *c, double before, double after)
{
    if (c->unit == LIMIT_ABSOLUTE) return after;
    double times = before > 0 ? after / before : after > 0 ? INFINITY : 1;
    return c->unit == LIMIT_TIMES ? times : 100 * (times - 1);
}

bool report_limit_holds(const limit_condition *c, double before, double after)
{
    double x = in_unit(c, before, after);
    if (c->below) return c->equal ? x <= c->value : x < c->value;
    return c->equal ? x >= c->value : x > c->value;
}
