/* Fuzz target: any bytes as a JSON report. What is refused leaves an empty set and one line of message; what is read can be compared with
 * itself without differences, written as text, JSON and a page, and read again. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static void compare(const result_set *set)
{
    static const char *const conditions[] = {"sectors > 1x", "cost > 1x", "findings > 1x"};
    report_diff_options options = {.conditions = conditions, .condition_count = 3};
    lw_text text = {0};
    size_t failed;
    if (report_diff(set, set, &options, &text, &failed, NULL) || failed) abort();
    options.json = true;
    if (report_diff(set, set, &options, &text, &failed, NULL)) abort();
    lw_text_free(&text);
}

static void render(const result_set *set)
{
    report_options options = {.all = true, .no_source = true};
    lw_text text = {0};
    lw_text json = {0};
    result_set again;
    report_text(set, &options, &text);
    if (report_html(set, &options, &text, NULL)) abort();
    if (report_json(set, &json, NULL)) abort();
    if (report_json_read(json.data, json.size, &again, NULL)) abort();
    if (again.launches.count != set->launches.count) abort();
    result_set_free(&again);
    lw_text_free(&json);
    lw_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    result_set set;
    lw_error error = {0};
    if (report_json_read((const char *)data, size, &set, &error)) {
        if (set.launches.count || !*error.message) abort();
        return 0;
    }
    compare(&set);
    render(&set);
    result_set_free(&set);
    return 0;
}
