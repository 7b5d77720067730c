/* Two runs compared: the JSON reader, the pairing of kernels and lines, conditions, budgets. */
#include "unit.h"

#include "report/limit.h"
#include "report/match.h"

#include <sys/stat.h>

/* ---- reports as text ---- */

#define HEAD                                                                                                           \
    "{\"lanewise\": \"0\", \"schema\": 1, \"device\": {\"name\": \"D\", \"cc\": \"9.0\"}, \"findings\": [], "          \
    "\"launches\": ["
#define TAIL "]}"
#define KERNEL(name, count, counters, lines)                                                                           \
    "{\"kernel\": \"" name "\", \"grid\": [1,1,1], \"block\": [32,1,1], \"cluster\": [1,1,1], \"count\": " #count      \
    ", \"counters\": {" counters "}, \"lines\": [" lines "]}"
#define LINE(file, line, source, n)                                                                                    \
    "{\"file\": \"" file "\", \"line\": " #line ", \"source\": \"" source                                              \
    "\", \"space\": \"global\", \"op\": \"load\", \"bytes_per_lane\": 4, \"exact\": true, "                            \
    "\"counters\": {\"sectors\": " #n ", \"sectors_ideal\": 4}}"

static result_set read_set(const char *text)
{
    result_set set = {0};
    lw_error error = {0};
    CHECK_EQ_INT(report_json_read(text, strlen(text), &set, &error), LW_OK);
    if (*error.message) printf("%s\n", error.message);
    return set;
}

static void refused(const char *text, const char *message)
{
    result_set set;
    lw_error error = {0};
    CHECK_EQ_INT(report_json_read(text, strlen(text), &set, &error), LW_CORRUPT);
    CHECK_HAS(error.message, message);
    CHECK_EQ_INT(set.launches.count, 0);
}

UNIT_CASE(json_is_read_back)
{
    result_set set = read_set(HEAD KERNEL("k", 2, "\"sectors\": 10", LINE("/src/a.cu", 3, "x = y;", 10)) TAIL);
    REQUIRE(set.launches.count == 1);
    const result_launch *l = &set.launches.items[0];
    CHECK_STR(l->kernel, "k");
    CHECK_EQ_INT(l->count, 2);
    CHECK_EQ_INT(l->counters.value[COUNTER_SECTORS], 10);
    REQUIRE(l->row_count == 1);
    CHECK_STR(l->rows[0].source, "x = y;");
    CHECK_EQ_INT(l->rows[0].counters.value[COUNTER_SECTORS_IDEAL], 4);
    result_set_free(&set);
}

UNIT_CASE(what_is_written_is_read)
{
    result_row row = {
        .file = "a\xff.cu", .line = 3, .space = "shared", .op = "load", .bytes_per_lane = 8, .exact = true};
    row.counters.present = 1u << COUNTER_WAVEFRONTS | 1u << COUNTER_WAVEFRONTS_IDEAL;
    row.counters.value[COUNTER_WAVEFRONTS] = UINT64_MAX;
    result_launch launch = {
        .kernel = "k\"\n", .kernel_mangled = "k", .count = 3, .counters = row.counters, .rows = &row, .row_count = 1};
    result_finding finding = {.check = "api", .severity = "note", .message = "m", .file = "f", .line = 9, .count = 1};
    result_set set = {.device_name = "D", .device_cc = "9.0", .complete = true};
    lw_vec_push(&set.launches, launch);
    lw_vec_push(&set.findings, finding);
    lw_text text = {0};
    CHECK_EQ_INT(report_json(&set, &text, NULL), LW_OK);
    result_set back = read_set(text.data);
    REQUIRE(back.launches.count == 1 && back.findings.count == 1);
    CHECK_STR(back.launches.items[0].kernel, "k\"\n");
    CHECK_STR(back.launches.items[0].rows[0].file, "a?.cu");
    CHECK_EQ_INT(back.launches.items[0].rows[0].counters.value[COUNTER_WAVEFRONTS], INT64_MAX);
    CHECK_EQ_INT(back.findings.items[0].line, 9);
    lw_text_free(&text);
    result_set_free(&set);
    result_set_free(&back);
}

UNIT_CASE(other_json_is_refused)
{
    refused("", "not JSON");
    refused("[1]", "not an object");
    refused("{}", "\"lanewise\"");
    refused("{\"lanewise\": \"0\", \"schema\": 2}", "\"schema\"");
    refused(HEAD "3" TAIL, "objects");
    refused(HEAD "{\"kernel\": 3}" TAIL, "\"kernel\" is not a string");
    refused(HEAD "{\"count\": -1}" TAIL, "\"count\" is not a count");
    refused(HEAD "{\"grid\": [1,2]}" TAIL, "three numbers");
    refused(HEAD "{\"lines\": [{\"line\": 4294967296}]}" TAIL, "below 2^32");
    refused(HEAD "{\"count\": 1, \"count\": 2}" TAIL, "not JSON");
}

/* ---- pairs ---- */

/* The line before of each line after, in order; 0: new. Lines that are gone follow as -line. */
static void pairs(const char *before, const char *after, const int *expected, size_t count)
{
    lw_arena arena = {0};
    result_set a = read_set(before);
    result_set b = read_set(after);
    match_kernel *kernels;
    CHECK_EQ_INT(report_match(&a, &b, &arena, &kernels), 1);
    CHECK_EQ_INT(kernels[0].row_count, count);
    for (size_t i = 0; i < LW_MIN(count, kernels[0].row_count); i++) {
        const match_row *r = &kernels[0].rows[i];
        int got = r->before ? (int)r->before->line : 0;
        CHECK_EQ_INT(r->after ? got : -got, expected[i]);
    }
    result_set_free(&a);
    result_set_free(&b);
    lw_arena_free(&arena);
}

#define ONE(lines)                                                                                                     \
    HEAD KERNEL("k", 1, "", lines)                                                                                     \
    TAIL

UNIT_CASE(lines_that_moved)
{
    pairs(ONE(LINE("a.cu", 3, "x", 4) "," LINE("a.cu", 5, "y", 4)),
          ONE(LINE("a.cu", 4, "x", 4) "," LINE("a.cu", 9, "y", 4)), (int[]){3, 5}, 2);
    pairs(ONE(LINE("/old/a.cu", 3, "x", 4)), ONE(LINE("/new/a.cu", 8, "x", 4)), (int[]){3}, 1); /* another checkout */
}

UNIT_CASE(lines_that_were_edited)
{
    pairs(ONE(LINE("a.cu", 3, "x", 4) "," LINE("a.cu", 5, "old", 4) "," LINE("a.cu", 7, "z", 4)),
          ONE(LINE("a.cu", 4, "x", 4) "," LINE("a.cu", 6, "new", 4) "," LINE("a.cu", 8, "z", 4)), (int[]){3, 5, 7}, 3);
}

UNIT_CASE(lines_that_are_new_and_gone)
{
    pairs(ONE(LINE("a.cu", 3, "x", 4) "," LINE("a.cu", 5, "y", 4)), ONE(LINE("a.cu", 3, "y", 4)), (int[]){5, -3}, 2);
    pairs(ONE(LINE("a.cu", 3, "x", 4)), ONE(LINE("a.cu", 2, "w", 4) "," LINE("a.cu", 3, "x", 4)), (int[]){0, 3}, 2);
}

UNIT_CASE(files_that_were_renamed)
{
    pairs(ONE(LINE("a.cu", 3, "x", 4)), ONE(LINE("b.cu", 4, "x", 4)), (int[]){3}, 1);
    pairs(ONE(LINE("a.cu", 3, "x", 4) "," LINE("h.h", 1, "y", 4)),
          ONE(LINE("b.cu", 4, "x", 4) "," LINE("h.h", 2, "y", 4)), (int[]){3, 1}, 2);
    pairs(ONE(LINE("a.cu", 3, "x", 4) "," LINE("b.cu", 3, "x", 4)), ONE(LINE("c.cu", 3, "x", 4)), (int[]){0, -3, -3},
          3); /* which? */
}

#define BARE(line)                                                                                                     \
    "{\"file\": \"a.cu\", \"line\": " #line ", \"space\": \"global\", \"op\": \"load\", \"counters\": {\"sectors\": "  \
    "1}}"

UNIT_CASE(lines_without_text_go_by_number)
{
    pairs(ONE(BARE(3) "," BARE(5)), ONE(BARE(5) "," BARE(6)), (int[]){5, 0, -3}, 3);
}

/* ---- differences ---- */

static size_t failed_of(const char *before, const char *after, const char *condition)
{
    result_set a = read_set(before);
    result_set b = read_set(after);
    report_diff_options options = {.conditions = &condition, .condition_count = 1};
    lw_text text = {0};
    size_t failed = 99;
    CHECK_EQ_INT(report_diff(&a, &b, &options, &text, &failed, NULL), LW_OK);
    lw_text_free(&text);
    result_set_free(&a);
    result_set_free(&b);
    return failed;
}

UNIT_CASE(conditions_compare_per_launch)
{
    const char *before = HEAD KERNEL("sum(int)", 1, "\"sectors\": 100", "") TAIL;
    const char *twice = HEAD KERNEL("sum(int)", 2, "\"sectors\": 200", "") TAIL;
    const char *more = HEAD KERNEL("sum(int)", 1, "\"sectors\": 106", "") TAIL;
    const char *other = HEAD KERNEL("new", 1, "\"sectors\": 106", "") TAIL;
    CHECK_EQ_INT(failed_of(before, twice, "sectors > 1x"), 0);
    CHECK_EQ_INT(failed_of(before, more, "sectors > 1.05x"), 1);
    CHECK_EQ_INT(failed_of(before, more, "sectors>1.06x"), 0);
    CHECK_EQ_INT(failed_of(before, more, "sectors >= 1.06x"), 1);
    CHECK_EQ_INT(failed_of(before, more, "sectors > 5 %"), 1);
    CHECK_EQ_INT(failed_of(before, more, "sectors > 105"), 1);
    CHECK_EQ_INT(failed_of(before, more, "sectors < 1x"), 0);
    CHECK_EQ_INT(failed_of(before, more, "sectors > 1x in s*(*)"), 1);
    CHECK_EQ_INT(failed_of(before, more, "sectors > 1x in prod*"), 0);
    CHECK_EQ_INT(failed_of(before, other, "sectors > 1x"), 0); /* nothing to compare it with */
    CHECK_EQ_INT(failed_of(before, other, "sectors > 1"), 1);
    CHECK_EQ_INT(failed_of(before, more, "time > 0"), 0); /* not predicted */
}

/* The page of two runs; left for tests/browser/check.py. */
UNIT_CASE(page_of_two_runs)
{
    const char *condition = "sectors > 1x";
    result_set a =
        read_set(HEAD KERNEL("k</script><img src=x>", 1, "\"sectors\": 100", LINE("f.cu", 3, "a[i]", 100)) TAIL);
    result_set b =
        read_set(HEAD KERNEL("k</script><img src=x>", 1, "\"sectors\": 106", LINE("f.cu", 4, "a[i]", 106)) TAIL);
    report_diff_options options = {.html = true, .conditions = &condition, .condition_count = 1};
    lw_text text = {0};
    size_t failed = 0;
    CHECK_EQ_INT(report_diff(&a, &b, &options, &text, &failed, NULL), LW_OK);
    CHECK_EQ_INT(failed, 1);
    CHECK_HAS(text.data, "id=\"lw-diff\">{");
    CHECK_HAS(text.data, "\"line_before\":3");
    CHECK_HAS(text.data, "\"source\":\"a[i]\"");
    CHECK(!strstr(text.data, "<img"));
    CHECK(!strstr(text.data, "@DATA@"));
    const char *build = getenv("LW_BUILD_DIR");
    char path[4200];
    if (build) {
        snprintf(path, sizeof path, "%s/pages", build);
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/pages/diff.html", build);
        CHECK_EQ_INT(lw_file_write(path, text.data, text.size, NULL), LW_OK);
    }
    lw_text_free(&text);
    result_set_free(&a);
    result_set_free(&b);
}

UNIT_CASE(conditions_that_are_none)
{
    static const char *const bad[] = {
        "",      "sectors",       "sector > 1",    "sectors > ",    "sectors = 1",   "sectors > -1x",
        "> 1",   "sectors > 1y",  "sectors > 1xx", "sectors > nan", "sectors > inf", "sectors > 1x in ",
        "x > 1", "sectors > 1 2", "sectors >> 1",  "sectors > x"};
    lw_arena arena = {0};
    for (size_t i = 0; i < LW_COUNT(bad); i++) {
        limit_condition c;
        lw_error error = {0};
        if (!report_limit_condition(bad[i], &arena, &c, &error)) UNIT_FAIL("taken: '%s'", bad[i]);
    }
    lw_arena_free(&arena);
}

UNIT_CASE(patterns)
{
    CHECK(report_limit_fits("*", ""));
    CHECK(report_limit_fits("a*c", "abcbc"));
    CHECK(!report_limit_fits("a*c", "abcb"));
    CHECK(report_limit_fits("**x**", "x"));
    CHECK(!report_limit_fits("", "x"));
    CHECK(report_limit_fits_kernel("sum<*", "void sum<int (*)(int)>(int*)"));
    CHECK(report_limit_fits_kernel("sum<int (*)(int)>", "void sum<int (*)(int)>(int*)"));
    CHECK(report_limit_fits_kernel("void sum<*>(int*)", "void sum<int (*)(int)>(int*)"));
    CHECK(report_limit_fits_kernel("sum", "sum(int)"));
    CHECK(!report_limit_fits_kernel("su", "sum(int)"));
    CHECK(!report_limit_fits_kernel("sum", "void sum<1>(int)"));
}

/* ---- budgets ---- */

static size_t over_of(const char *report, const char *budgets, char *message, size_t room)
{
    result_set set = read_set(report);
    lw_text text = {0};
    lw_error error = {0};
    size_t over;
    lw_status status = report_budgets(&set, "b.toml", budgets, strlen(budgets), &text, &over, &error);
    snprintf(message, room, "%.399s", status ? error.message : text.data ? text.data : "");
    lw_text_free(&text);
    result_set_free(&set);
    return status ? SIZE_MAX : over;
}

UNIT_CASE(budgets_of_kernels_and_lines)
{
    const char *report = HEAD KERNEL("sum(int)", 2, "\"sectors\": 48",
                                     LINE("/src/a.cu", 3, "x", 40) "," LINE("/src/a.cu", 4, "y", 8)) TAIL;
    char m[400];
    CHECK_EQ_INT(over_of(report, "[[budget]]\ncounter = \"sectors\"\nlimit = 24\n", m, sizeof m), 0);
    CHECK_EQ_INT(over_of(report, "[[budget]]\ncounter = \"sectors\"\nlimit = 23\n", m, sizeof m), 1);
    CHECK_STR(m, "over budget: b.toml:1: sectors of sum(int): 24, limit 23\n");
    CHECK_EQ_INT(over_of(report, "[[budget]] # c\nline = \"a.cu:4\"\ncounter=\"sectors\"\nlimit = 4.0\n", m, sizeof m),
                 0);
    CHECK_EQ_INT(over_of(report, "[[budget]]\nline = \"a.cu:3\"\ncounter=\"sectors\"\nlimit = \"9.9x\"\n", m, sizeof m),
                 1);
    CHECK_STR(m, "over budget: b.toml:1: sectors of sum(int), a.cu:3: 10x of the ideal, limit 9.9x\n");
    CHECK_EQ_INT(over_of(report, "[[budget]]\nline = \"b.cu:3\"\ncounter=\"sectors\"\nlimit = 0\n", m, sizeof m), 0);
    CHECK_STR(m, "b.toml:1: this budget fits nothing in the run, line b.cu:3\n");
    CHECK_EQ_INT(over_of(report, "[[budget]]\nkernel = \"prod*\"\ncounter=\"sectors\"\nlimit = 0\n", m, sizeof m), 0);
    CHECK_EQ_INT(over_of(report, "[[budget]]\ncounter=\"findings\"\nlimit = 0\n", m, sizeof m), 0);
    CHECK_EQ_INT(over_of(report, "\n# nothing\n", m, sizeof m), 0);
}

UNIT_CASE(budgets_that_are_wrong)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"counter = \"sectors\"\n", "b.toml:1: values stand below"},
        {"[budget]\n", "b.toml:1: the only table"},
        {"[[budget]]\n\n[[budget]]\n", "b.toml:1: a [[budget]] needs"},
        {"[[budget]]\ncounter = \"sectors\"\n", "needs a counter and a limit"},
        {"[[budget]]\ncounter = \"sector\"\n", "b.toml:2: counter: none"},
        {"[[budget]]\ncounter = sectors\n", "text in quotes"},
        {"[[budget]]\ncounter = \"sec\\u0074ors\"\n", "without \\"},
        {"[[budget]]\ncounter = \"sectors\" x\n", "behind the text"},
        {"[[budget]]\nlimit = 5%\n", "limit ="},
        {"[[budget]]\nlimit = -1\n", "limit ="},
        {"[[budget]]\nline = \"a.cu\"\n", "line ="},
        {"[[budget]]\nline = \"a.cu:0\"\n", "line ="},
        {"[[budget]]\nname = \"x\"\n", "has kernel, line"},
        {"[[budget]]\nwhat\n", "expected [[budget]]"},
    };
    char m[400];
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        CHECK(over_of(HEAD TAIL, rows[i].text, m, sizeof m) == SIZE_MAX);
        CHECK_HAS(m, rows[i].message);
    }
}

UNIT_MAIN()
