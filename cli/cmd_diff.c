/* cmd_diff: lanewise diff: what is better and worse in the second of two JSON reports, and whether that is too much. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define DIFF_WIDTH_MOST 120

typedef struct diff_options {
    const char *fail_if, *json, *html;
    bool help;
} diff_options;

#define ROW(...) OPT_ROW(diff_options, __VA_ARGS__)
static const opt_row diff_rows[] = {
    ROW(0, "fail-if", "CONDITION", OPT_TEXT, fail_if,
        "exit with status 3 if it holds for a kernel: NAME > NUMBERx (times the first run), NAME > NUMBER% or NAME > "
        "NUMBER, "
        "also <, >= and <=, and `in KERNEL` behind it, where * stands for anything; NAME is a counter, cost, time or "
        "findings; can be repeated"),
    ROW(0, "json", "FILE", OPT_TEXT, json, "write the differences to FILE as JSON (- for stdout, instead of text)"),
    ROW(0, "html", "FILE", OPT_TEXT, html, "write the differences to FILE as one page"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

typedef struct diff_request {
    diff_options options;
    words conditions, files;
} diff_request;

static int parse(const command *self, diff_request *r, char **argv)
{
    for (int i = 1; argv[i];) {
        if (argv[i][0] != '-' || !argv[i][1]) {
            words_add(&r->files, argv[i++]);
            continue;
        }
        opt_result taken = opt_take(self, &r->options, argv, &i);
        if (taken == OPT_WRONG) return EXIT_USAGE;
        if (taken == OPT_OTHER) return opt_unknown(self, argv[i]);
        if (r->options.fail_if) words_add(&r->conditions, r->options.fail_if);
        r->options.fail_if = NULL;
    }
    return 0;
}

typedef enum diff_form { DIFF_TEXT, DIFF_JSON, DIFF_HTML } diff_form;

static lw_diff_options look_of(const diff_request *r, diff_form form)
{
    terminal t = terminal_of(stdout);
    return (lw_diff_options){.colour = t.colour,
                             .unicode = t.unicode,
                             .width = t.width < DIFF_WIDTH_MOST ? t.width : DIFF_WIDTH_MOST,
                             .json = form == DIFF_JSON,
                             .html = form == DIFF_HTML,
                             .cwd = current_directory(),
                             .conditions = (const char *const *)r->conditions.items,
                             .condition_count = r->conditions.count};
}

/* Compares and writes to a file, or to stdout for NULL; *failed is set. */
static int compare(const diff_request *r, diff_form form, const char *file, size_t *failed)
{
    lw_message message = {""};
    lw_diff_options look = look_of(r, form);
    char *text = NULL;
    int status = 0;
    if (lw_diff(r->files.items[0], r->files.items[1], &look, &text, failed, &message)) {
        say("%s", message.text);
        status = EXIT_USAGE;
    } else if (file) {
        if (!file_write(file, text, strlen(text))) status = EXIT_REFUSED;
        if (status) say("cannot write %s", file);
    } else {
        fputs(text, stdout);
    }
    free(text);
    return status;
}

static int run_diff(const command *self, int argc, char **argv)
{
    (void)argc;
    diff_request r = {0};
    size_t failed = 0;
    int status = parse(self, &r, argv);
    if (status) return status;
    if (r.options.help) {
        opt_help(self, stdout);
        return 0;
    }
    if (r.files.count != 2) {
        say("diff takes two files that `lanewise run --json FILE` wrote");
        return EXIT_USAGE;
    }
    bool only_json = r.options.json && !strcmp(r.options.json, "-");
    status = compare(&r, only_json ? DIFF_JSON : DIFF_TEXT, NULL, &failed);
    if (!status && r.options.json && !only_json) status = compare(&r, DIFF_JSON, r.options.json, &failed);
    if (!status && r.options.html) status = compare(&r, DIFF_HTML, r.options.html, &failed);
    if (status) return status;
    return failed ? EXIT_EXCEEDED : 0;
}

const command command_diff = {
    .name = "diff",
    .usage = "lanewise diff [options] BEFORE.json AFTER.json",
    .about = "Compares two reports that `lanewise run --json FILE` wrote: what is better and worse per kernel and "
             "line, and\n"
             "which findings are new. Counts are per launch. Lines that moved are recognised by their text if the "
             "reports have\n"
             "it (`lanewise run --sources`), else by their number.",
    .options = diff_rows,
    .examples = "lanewise run --sources --json before.json app.cu\n"
                "lanewise diff before.json after.json\n"
                "lanewise diff --fail-if 'sectors > 1.05x' --fail-if 'findings > 0' before.json after.json\n"
                "lanewise diff --fail-if 'wavefronts > 10% in transpose*' before.json after.json",
    .run = run_diff};
