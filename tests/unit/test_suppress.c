/* suppressions: which findings a file drops, what is said of it, what is generated. */
#include "result/result.h"
#include "unit.h"

static const result_related other = {.message = "the other access", .file = "/home/me/src/other.cu", .line = 9};

static result_set findings(void)
{
    result_set set = {0};
    result_finding race = {.check = "racecheck",
                           .severity = "error",
                           .message = "a race",
                           .kernel = "sum(int*)",
                           .file = "/home/me/src/sum.cu",
                           .line = 42,
                           .related = &other,
                           .related_count = 1};
    result_finding bounds = race;
    bounds.check = "memcheck";
    bounds.related_count = 0;
    result_finding call = {.check = "api", .severity = "error", .message = "cudaMalloc: out of memory"};
    lw_vec_push(&set.findings, race);
    lw_vec_push(&set.findings, bounds);
    lw_vec_push(&set.findings, call);
    return set;
}

/* How many of the three findings remain. */
static size_t left_by(const char *text)
{
    result_set set = findings();
    lw_error error = {0};
    size_t left = result_suppress(&set, "file", text, strlen(text), &error) ? 99 : set.findings.count;
    if (left != 99) CHECK_EQ_INT(set.suppressed, 3 - left);
    result_set_free(&set);
    return left;
}

UNIT_CASE(what_is_given_must_fit)
{
    CHECK_EQ_INT(left_by(""), 3);
    CHECK_EQ_INT(left_by("*:*\n"), 0);
    CHECK_EQ_INT(left_by("racecheck:*\n"), 2);
    CHECK_EQ_INT(left_by("racecheck:sum*"), 2);
    CHECK_EQ_INT(left_by("racecheck:prod*"), 3);
    CHECK_EQ_INT(left_by("racecheck:"), 2);
    CHECK_EQ_INT(left_by("*:sum(int\\*)"), 1);
    CHECK_EQ_INT(left_by("api:*"), 2);
}

UNIT_CASE(places_are_parts_of_paths_and_lines)
{
    CHECK_EQ_INT(left_by("*:*@sum.cu"), 1);
    CHECK_EQ_INT(left_by("*:*@src/sum.cu:42"), 1);
    CHECK_EQ_INT(left_by("*:*@/home/me/src/sum.cu:42"), 1);
    CHECK_EQ_INT(left_by("*:*@sum.cu:41"), 3);
    CHECK_EQ_INT(left_by("*:*@um.cu"), 3);
    CHECK_EQ_INT(left_by("*:*@other.cu:9"), 2); /* the other side of the race */
    CHECK_EQ_INT(left_by("*:*@*.h"), 3);
}

UNIT_CASE(comments_and_blanks_are_nothing)
{
    CHECK_EQ_INT(left_by("# racecheck:*\n\n   \n"), 3);
    CHECK_EQ_INT(left_by("  racecheck : sum* @ sum.cu:42   # known, see issue 7\r\n"), 2);
}

UNIT_CASE(a_wrong_line_drops_nothing)
{
    result_set set = findings();
    lw_error error = {0};
    const char *text = "*:*\nrace\n";
    CHECK_EQ_INT(result_suppress(&set, "known.txt", text, strlen(text), &error), LW_INVALID_ARGUMENT);
    CHECK_HAS(error.message, "known.txt:2: not a suppression");
    CHECK_EQ_INT(set.findings.count, 3);
    result_set_free(&set);
    CHECK_EQ_INT(left_by("*:*@\n"), 99);
    CHECK_EQ_INT(left_by(":k\n"), 99);
}

UNIT_CASE(what_fits_nothing_is_named)
{
    result_set set = findings();
    const char *text = "racecheck:*\nmemcheck:old_kernel@gone.cu\n";
    CHECK_EQ_INT(result_suppress(&set, "known.txt", text, strlen(text), NULL), LW_OK);
    REQUIRE(set.messages.count == 1);
    CHECK_STR(set.messages.items[0], "known.txt:2: this suppression fits nothing: memcheck:old_kernel@gone.cu");
    result_set_free(&set);
}

UNIT_CASE(generated_lines_drop_their_findings)
{
    result_set set = findings();
    lw_text lines = {0};
    for (int twice = 0; twice < 2; twice++)
        for (size_t k = 0; k < set.findings.count; k++) result_suppression_of(&set.findings.items[k], &lines);
    CHECK_STR(lines.data, "racecheck:sum(int\\*)@sum.cu:42\nmemcheck:sum(int\\*)@sum.cu:42\napi:*\n");
    CHECK_EQ_INT(left_by(lines.data), 0);
    lw_text_free(&lines);
    result_set_free(&set);
}

UNIT_MAIN()
