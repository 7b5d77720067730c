/* budget: limits for counts from a file, lanewise.toml. The file is a subset of TOML: comments, blank lines, tables [[budget]], and
 * in them NAME = "text" (without escapes) or NAME = number. What it does not know is an error with its line, not a surprise. */
#include "report/limit.h"
#include "report/pen.h"
#include "report/place.h"

#include <stdlib.h>
#include <string.h>

typedef struct budget {
    const char *kernel; /* pattern; NULL: every kernel */
    const char *file;   /* of a line, the end of its path; NULL: whole kernels */
    uint32_t line;      /* 0: every line of the file */
    limit_measure measure;
    counter_id counter;
    bool has_counter, has_limit;
    double value;
    limit_unit unit;    /* LIMIT_TIMES: of the ideal */
    uint32_t file_line; /* where it stands in the file */
} budget;

typedef LW_VEC(budget) budget_list;

typedef struct budget_reader {
    const char *path;
    uint32_t line;
    lw_arena *arena;
    budget_list *out;
    lw_error *error;
} budget_reader;

/* ---- the file ---- */

static lw_status wrong(const budget_reader *r, const char *what)
{
    return lw_fail(r->error, LW_INVALID_ARGUMENT, "%s:%u: %s", r->path, r->line, what);
}

static lw_status finish_budget(budget_reader *r)
{
    if (!r->out->count) return LW_OK;
    const budget *b = &r->out->items[r->out->count - 1];
    if (b->has_counter && b->has_limit) return LW_OK;
    r->line = b->file_line;
    return wrong(r, "a [[budget]] needs a counter and a limit");
}

static lw_status set_line(budget_reader *r, budget *b, const char *text)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
    bool fine = colon && colon > text && colon[1] >= '1' && colon[1] <= '9' && !*end && number <= UINT32_MAX;
    if (!fine) return wrong(r, "line = \"FILE:NUMBER\"");
    b->file = lw_arena_strndup(r->arena, text, (size_t)(colon - text));
    b->line = (uint32_t)number;
    return LW_OK;
}

static lw_status set_limit(budget_reader *r, budget *b, const char *text)
{
    bool fine = report_limit_number(text, strlen(text), &b->value, &b->unit);
    if (!fine || b->unit == LIMIT_PERCENT) return wrong(r, "limit = NUMBER, or limit = \"NUMBERx\" of the ideal");
    b->has_limit = true;
    return LW_OK;
}

static lw_status set_counter(budget_reader *r, budget *b, const char *text)
{
    if (!report_limit_measure(text, strlen(text), &b->measure, &b->counter))
        return wrong(r, "counter: none of lanewise's, and none of cost, time, findings");
    b->has_counter = true;
    return LW_OK;
}

static lw_status set_value(budget_reader *r, const char *name, const char *text, bool quoted)
{
    if (!r->out->count) return wrong(r, "values stand below a [[budget]]");
    budget *b = &r->out->items[r->out->count - 1];
    if (!strcmp(name, "limit")) return set_limit(r, b, text);
    if (!quoted) return wrong(r, "this value is a text in quotes");
    if (!strcmp(name, "counter")) return set_counter(r, b, text);
    if (!strcmp(name, "line")) return set_line(r, b, text);
    if (strcmp(name, "kernel")) return wrong(r, "a [[budget]] has kernel, line, counter and limit");
    b->kernel = lw_arena_strdup(r->arena, text);
    return LW_OK;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n && strchr(" \t\r", text[n - 1])) text[--n] = 0;
    return text;
}

/* NAME = VALUE, with a comment behind it. */
static lw_status read_value(budget_reader *r, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) return wrong(r, "expected [[budget]] or NAME = VALUE");
    *equals = 0;
    char *value = trimmed(equals + 1);
    bool quoted = *value == '"';
    char *end = quoted ? strchr(value + 1, '"') : value + strcspn(value, "#");
    if (!end || (quoted && memchr(value, '\\', (size_t)(end - value))))
        return wrong(r, "a text is \"...\", without \\");
    if (quoted) {
        char *rest = trimmed(end + 1);
        if (*rest && *rest != '#') return wrong(r, "something stands behind the text");
    }
    *end = 0;
    return set_value(r, trimmed(text), quoted ? value + 1 : trimmed(value), quoted);
}

static lw_status read_line(budget_reader *r, char *text)
{
    text = trimmed(text);
    if (!*text || *text == '#') return LW_OK;
    if (*text != '[') return read_value(r, text);
    char *comment = strchr(text, '#');
    if (comment) *comment = 0;
    if (strcmp(trimmed(text), "[[budget]]")) return wrong(r, "the only table is [[budget]]");
    LW_TRY(finish_budget(r));
    budget fresh = {.file_line = r->line};
    lw_vec_push(r->out, fresh);
    return LW_OK;
}

static lw_status read_budgets(const char *path, const char *text, size_t size, lw_arena *arena, budget_list *out,
                              lw_error *error)
{
    budget_reader r = {.path = path, .arena = arena, .out = out, .error = error};
    const char *end = text + size;
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        r.line++;
        if (memchr(at, 0, (size_t)(stop - at))) return wrong(&r, "a zero byte");
        LW_TRY(read_line(&r, lw_arena_strndup(arena, at, (size_t)(stop - at))));
        at = stop + 1;
    }
    return finish_budget(&r);
}

/* ---- the run ---- */

static bool is_ideal_of(counter_id id, counter_id *ideal)
{
    static const counter_id pairs[][2] = {{COUNTER_WAVEFRONTS, COUNTER_WAVEFRONTS_IDEAL},
                                          {COUNTER_SECTORS, COUNTER_SECTORS_IDEAL},
                                          {COUNTER_TRANSACTIONS, COUNTER_TRANSACTIONS_IDEAL}};
    for (size_t i = 0; i < LW_COUNT(pairs); i++) {
        if (pairs[i][0] != id) continue;
        *ideal = pairs[i][1];
        return true;
    }
    return false;
}

/* The count a budget is about, summed over rows: of a launch, or times its ideal. */
typedef struct budget_sum {
    double value, ideal;
    bool seen;
} budget_sum;

static void add_row(budget_sum *sum, const budget *b, const result_row *row)
{
    counter_id ideal;
    const counter_set *c = &row->counters;
    if (b->measure == LIMIT_COST) {
        sum->value += report_cost(c);
        sum->seen = true;
        return;
    }
    if (!(c->present >> b->counter & 1)) return;
    sum->seen = true;
    sum->value += (double)c->value[b->counter];
    if (is_ideal_of(b->counter, &ideal)) sum->ideal += (double)c->value[ideal];
}

static bool is_file(const char *path, const char *end)
{
    size_t n = strlen(path);
    size_t m = strlen(end);
    return n >= m && !strcmp(path + n - m, end) && (n == m || end[0] == '/' || path[n - m - 1] == '/');
}

static budget_sum sum_of(const budget *b, const result_launch *launch)
{
    budget_sum sum = {0};
    if (b->measure == LIMIT_TIME)
        return (budget_sum){launch->time.count ? launch->time.seconds : 0, 0, launch->time.count > 0};
    for (size_t i = 0; i < launch->row_count; i++) {
        const result_row *row = &launch->rows[i];
        if (!b->file || (row->line == b->line && is_file(row->file, b->file))) add_row(&sum, b, row);
    }
    return sum;
}

static void exceeded(lw_text *out, const budget *b, const char *path, const char *where, double value)
{
    char is[PEN_NUMBER];
    char may[PEN_NUMBER];
    const char *name = b->measure == LIMIT_COUNTER ? counter_descs[b->counter].name
                       : b->measure == LIMIT_COST  ? "cost"
                       : b->measure == LIMIT_TIME  ? "time"
                                                   : "findings";
    if (b->unit == LIMIT_TIMES)
        lw_text_add(out, "over budget: %s:%u: %s of %s: %.3gx of the ideal, limit %.3gx\n", path, b->file_line, name,
                    where, value, b->value);
    else
        lw_text_add(out, "over budget: %s:%u: %s of %s: %s, limit %s\n", path, b->file_line, name, where,
                    pen_short(is, value), pen_short(may, b->value));
}

static size_t check_launch(const budget *b, const result_launch *launch, const char *path, lw_text *out, bool *fits)
{
    if (b->kernel && !report_limit_fits_kernel(b->kernel, launch->kernel ? launch->kernel : "")) return 0;
    budget_sum sum = sum_of(b, launch);
    if (!sum.seen || !launch->count || (b->unit == LIMIT_TIMES && sum.ideal <= 0)) return 0;
    *fits = true;
    double value = b->unit == LIMIT_TIMES ? sum.value / sum.ideal : sum.value / (double)launch->count;
    if (value <= b->value * (1 + 1e-12)) return 0;
    lw_text where = {0};
    lw_text_add(&where, "%s", launch->kernel ? launch->kernel : "?");
    if (b->file) lw_text_add(&where, ", %s:%u", b->file, b->line);
    exceeded(out, b, path, where.data, value);
    lw_text_free(&where);
    return 1;
}

static size_t check_findings(const budget *b, const result_set *set, const char *path, lw_text *out)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->findings.count; i++)
        count += result_severities[result_severity_find(set->findings.items[i].severity)].counts;
    if ((double)count <= b->value) return 0;
    exceeded(out, b, path, "the run", (double)count);
    return 1;
}

/* A budget that nothing is compared with would never fail: a kernel that was renamed, a line that moved. */
static void fits_nothing(const budget *b, const char *path, lw_text *out)
{
    lw_text_add(out, "%s:%u: this budget fits nothing in the run", path, b->file_line);
    if (b->kernel) lw_text_add(out, ", kernel %s", b->kernel);
    if (b->file) lw_text_add(out, ", line %s:%u", b->file, b->line);
    lw_text_add(out, "\n");
}

lw_status report_budgets(const result_set *set, const char *path, const char *text, size_t size, lw_text *out,
                         size_t *over, lw_error *error)
{
    lw_arena arena = {0};
    budget_list budgets = {0};
    *over = 0;
    lw_status status = read_budgets(path, text, size, &arena, &budgets, error);
    for (size_t i = 0; !status && i < budgets.count; i++) {
        const budget *b = &budgets.items[i];
        if (b->measure == LIMIT_FINDINGS) *over += check_findings(b, set, path, out);
        bool fits = b->measure == LIMIT_FINDINGS;
        for (size_t k = 0; b->measure != LIMIT_FINDINGS && k < set->launches.count; k++)
            *over += check_launch(b, &set->launches.items[k], path, out, &fits);
        if (!fits) fits_nothing(b, path, out);
    }
    lw_vec_free(&budgets);
    lw_arena_free(&arena);
    return status;
}
