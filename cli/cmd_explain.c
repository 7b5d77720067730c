/* cmd_explain: lanewise explain: what a word of the report means. The texts are the core's, which puts them below the page of
 * --html, too. */
#include "cli.h"

#include <string.h>

#define EXPLAIN_WIDTH 78

typedef struct explain_options {
    bool help;
} explain_options;

static const opt_row explain_rows[] = {OPT_ROW(explain_options, 'h', "help", NULL, OPT_FLAG, help, "show this help"),
                                       {0}};

/* A paragraph, wrapped. */
static void wrapped(const char *text, size_t width)
{
    for (size_t column = 0; *text;) {
        size_t n = strcspn(text, " ");
        if (column && column + 1 + n > width) {
            putchar('\n');
            column = 0;
        }
        column += (size_t)printf("%s%.*s", column ? " " : "", (int)n, text);
        text += n + strspn(text + n, " ");
    }
    putchar('\n');
}

static void explain(const lw_word *w)
{
    terminal t = terminal_of(stdout);
    size_t width = t.width >= 30 && t.width < EXPLAIN_WIDTH ? t.width : EXPLAIN_WIDTH;
    printf("%s%s%s\n\n", t.colour ? "\033[1m" : "", w->title, t.colour ? "\033[0m" : "");
    wrapped(w->text, width);
    if (!*w->picture) return;
    putchar('\n');
    for (const char *line = w->picture; *line;) {
        size_t n = strcspn(line, "\n");
        printf("%s%.*s\n", n ? "    " : "", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

/* Characters of the first sentence, or of its part before a colon. */
static size_t first_part(const char *text)
{
    const char *stop = strstr(text, ". ");
    const char *colon = strstr(text, ": ");
    if (colon && (!stop || colon < stop)) stop = colon;
    size_t n = stop ? (size_t)(stop - text) : strlen(text);
    return n && text[n - 1] == '.' ? n - 1 : n;
}

static void list(void)
{
    const lw_word *w;
    for (size_t i = 0; (w = lw_word_at(i)); i++) printf("  %-20s %.*s\n", w->name, (int)first_part(w->text), w->text);
}

static int run_explain(const command *self, int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-') return opt_unknown(self, argv[1]);
    if (argc < 2) {
        list();
        return 0;
    }
    const lw_word *w = lw_word_find(argv[1]);
    if (w) {
        explain(w);
        return 0;
    }
    say("no word of the report is '%s'; lanewise explain lists them", argv[1]);
    return EXIT_USAGE;
}

const command command_explain = {.name = "explain",
                                 .usage = "lanewise explain [WORD]",
                                 .about = "Explains a word of the report, with a picture; without a word, lists them.",
                                 .options = explain_rows,
                                 .examples = "lanewise explain wavefronts\n"
                                             "lanewise explain 'bank conflicts'\n"
                                             "lanewise explain latency",
                                 .run = run_explain};
