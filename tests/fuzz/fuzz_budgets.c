/* Fuzz target: any bytes as lanewise.toml, and as a condition of --fail-if. Nothing may crash; what is refused says so in one line. */
#include "report/limit.h"

#include <stdlib.h>
#include <string.h>

static void as_budgets(const char *data, size_t size)
{
    result_row row = {.file = "/src/a.cu", .line = 3, .space = "global", .op = "load", .bytes_per_lane = 4};
    row.counters.present = 1u << COUNTER_SECTORS | 1u << COUNTER_SECTORS_IDEAL;
    row.counters.value[COUNTER_SECTORS] = 32;
    row.counters.value[COUNTER_SECTORS_IDEAL] = 4;
    result_launch launch = {.kernel = "sum(int)", .count = 1, .rows = &row, .row_count = 1};
    result_set set = {0};
    lw_text text = {0};
    lw_error error = {0};
    size_t over;
    lw_vec_push(&set.launches, launch);
    if (report_budgets(&set, "b", data, size, &text, &over, &error) && (!*error.message || strchr(error.message, '\n')))
        abort();
    if (over && !text.size) abort();
    lw_text_free(&text);
    result_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    limit_condition condition;
    lw_arena arena = {0};
    lw_error error = {0};
    as_budgets((const char *)data, size);
    const char *text = lw_arena_strndup(&arena, (const char *)data, size);
    if (report_limit_condition(text, &arena, &condition, &error)) {
        if (!*error.message) abort();
    } else {
        report_limit_holds(&condition, 1, 2);
        if (condition.kernel) report_limit_fits(condition.kernel, "sum(int)");
    }
    lw_arena_free(&arena);
    return 0;
}
