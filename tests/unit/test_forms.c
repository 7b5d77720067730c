/* SARIF, JUnit and Markdown over results made by hand, with names as hostile as programs can have them. What they must be made of is
 * checked by tests/forms/check.py, in the files that this test leaves in the build directory. */
#include "unit.h"

#include "report/report.h"

#include <jansson.h>
#include <sys/stat.h>

#define HOSTILE "a]]>--><b c=\"'&\n`|*_ \\ \x01\xff \xe2\x80\xa8"

static counter_set sectors_of(uint64_t sectors, uint64_t ideal)
{
    counter_set c = {0, {0}};
    c.present = 1u << COUNTER_INST_EXECUTED | 1u << COUNTER_LANES | 1u << COUNTER_REQUESTS | 1u << COUNTER_SECTORS |
                1u << COUNTER_SECTORS_IDEAL;
    c.value[COUNTER_INST_EXECUTED] = c.value[COUNTER_REQUESTS] = ideal / 4;
    c.value[COUNTER_LANES] = 8 * ideal;
    c.value[COUNTER_SECTORS] = sectors;
    c.value[COUNTER_SECTORS_IDEAL] = ideal;
    return c;
}

static result_row row_of(const char *file, uint32_t line, uint64_t sectors)
{
    return (result_row){.file = file,
                        .line = line,
                        .space = "global",
                        .op = "load",
                        .bytes_per_lane = 4,
                        .exact = true,
                        .counters = sectors_of(sectors, 40)};
}

static result_launch launch_of(const char *kernel, const result_row *rows, size_t count)
{
    return (result_launch){
        .kernel = kernel, .block = {256, 1, 1}, .count = 1, .seconds = 0.5, .rows = rows, .row_count = count};
}

/* Two kernels, three findings: a race with two sides, a failed call, a note. */
static result_set make_set(result_row own[3], const result_related *other)
{
    result_set set = {.device_name = "NVIDIA H200", .device_cc = "9.0", .complete = true};
    own[0] = row_of("/work here/src/a.cu", 7, 320);
    own[1] = row_of("/work here/src/a.cu", 9, 44);
    own[2] = row_of(HOSTILE, 3, 80);
    lw_vec_push(&set.launches, launch_of("sum(int*)", own, 2));
    lw_vec_push(&set.launches, launch_of(HOSTILE, own + 2, 1));
    result_finding race = {.check = "racecheck",
                           .severity = "error",
                           .message = "a race",
                           .kernel = "sum(int*)",
                           .file = "/work here/src/a.cu",
                           .line = 12,
                           .has_place = true,
                           .count = 3,
                           .related = other,
                           .related_count = 1};
    result_finding call = {
        .check = "api", .severity = "warning", .message = HOSTILE, .call = "cudaMemcpy", .site = HOSTILE, .count = 1};
    result_finding note = {.check = "api", .severity = "note", .message = "a note", .count = 1};
    lw_vec_push(&set.findings, race);
    lw_vec_push(&set.findings, call);
    lw_vec_push(&set.findings, note);
    return set;
}

static void keep(const char *name, const lw_text *text)
{
    const char *build = getenv("LW_BUILD_DIR");
    char path[4200];
    if (!build) return;
    snprintf(path, sizeof path, "%s/pages", build);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/pages/forms.%s", build, name);
    CHECK_EQ_INT(lw_file_write(path, text->data, text->size, NULL), LW_OK);
}

static const result_related other = {
    .message = "the other access", .file = "/usr/include/b.h", .line = 3, .thread = {1, 0, 0}};

UNIT_CASE(sarif_has_findings_and_costly_lines)
{
    result_row own[3];
    result_set set = make_set(own, &other);
    lw_text text = {0};
    report_sarif(&set, "/work here", &text);
    keep("sarif", &text);
    json_t *root = json_loadb(text.data, text.size, 0, NULL);
    REQUIRE(root);
    const json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    const json_t *results = json_object_get(run, "results");
    CHECK_EQ_INT(json_array_size(results), 5); /* 3 findings; line 9 is too near to its ideal */
    CHECK_HAS(text.data, "\"uri\": \"src/a.cu\"");
    CHECK_HAS(text.data, "\"uri\": \"file:///usr/include/b.h\"");
    CHECK_HAS(text.data, "\"uri\": \"file:///work%20here/\"");
    CHECK_HAS(text.data, "8.0x: global load, 320 sectors, ideal 40.");
    CHECK_EQ_INT(json_array_size(json_object_get(json_array_get(results, 0), "relatedLocations")), 1);
    json_decref(root);
    lw_text_free(&text);
    result_set_free(&set);
}

UNIT_CASE(junit_fails_the_kernels_with_findings)
{
    result_row own[3];
    result_set set = make_set(own, &other);
    lw_text text = {0};
    report_junit(&set, "/work here", &text);
    keep("xml", &text);
    CHECK_HAS(text.data, "<testsuites tests=\"3\" failures=\"2\">");
    CHECK_HAS(text.data, "error at src/a.cu:12");
    CHECK(!strstr(text.data, "a note"));
    lw_text_free(&text);
    result_set_free(&set);
}

UNIT_CASE(markdown_names_the_worst_line_first)
{
    result_row own[3];
    result_set set = make_set(own, &other);
    lw_text text = {0};
    report_markdown(&set, "/work here", &text);
    keep("md", &text);
    CHECK_HAS(text.data, "| **8.0x** | <code>src/a.cu:7</code> |");
    CHECK_HAS(text.data, "- **error** racecheck: a race, at <code>src/a.cu:12</code>; the other access at");
    CHECK(!strstr(text.data, "<b"));
    CHECK(strstr(text.data, "src/a.cu:7") < strstr(text.data, "src/a.cu:9"));
    lw_text_free(&text);
    result_set_free(&set);
}

UNIT_CASE(an_empty_run)
{
    result_set set = {.complete = true};
    lw_text text = {0};
    report_sarif(&set, NULL, &text);
    CHECK_HAS(text.data, "\"results\": []");
    report_junit(&set, NULL, &text);
    CHECK_HAS(text.data, "failures=\"0\"");
    report_markdown(&set, NULL, &text);
    CHECK_HAS(text.data, "## lanewise");
    lw_text_free(&text);
}

UNIT_CASE(a_line_in_two_kernels_is_one)
{
    lw_arena arena = {0};
    result_row own[] = {row_of("a.cu", 3, 100), row_of("a.cu", 3, 400), row_of("a.cu", 4, 40)};
    result_set set = {.complete = true};
    lw_vec_push(&set.launches, launch_of("k", own, 1));
    lw_vec_push(&set.launches, launch_of("l", own + 1, 2));
    report_costly *lines;
    CHECK_EQ_INT(report_costly_lines(&set, &arena, &lines), 1);
    CHECK_EQ_INT(lines[0].row->counters.value[COUNTER_SECTORS], 400);
    lw_arena_free(&arena);
    result_set_free(&set);
}

UNIT_MAIN()
