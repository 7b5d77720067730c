/* opt: options from tables of rows. The same rows parse the command line and write --help and the manual page, so that
 * they cannot drift apart. Accepted: --name, --name value, --name=value, -n value, -nvalue. */
#include "cli.h"

#include "lanewise/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 24
#define HELP_WIDTH 80

/* ---- parsing ---- */

/* "64M" -> bytes; suffixes K M G T, powers of 1024, with an optional B or iB. */
static bool parse_size(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    double value = strtod(s, &end);
    static const char units[] = "KMGT";
    if (end == s || errno || !(value >= 0)) return false;
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit) {
        for (const char *u = units; u <= unit; u++) value *= 1024;
        end++;
    }
    if (*end == 'i' && unit) end++;
    if (*end == 'B' || *end == 'b') end++;
    if (*end || value >= 1.8e19) return false;
    *out = (uint64_t)value;
    return true;
}

static bool parse_count(const char *s, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(s, &end, 10);
    if (*s < '0' || *s > '9' || *end || errno) return false;
    *out = value;
    return true;
}

static opt_result store(const opt_row *row, void *values, const char *argument, const char *shown)
{
    void *place = (char *)values + row->offset;
    switch (row->kind) {
    case OPT_FLAG: *(bool *)place = true; return OPT_TAKEN;
    case OPT_MAYBE:
    case OPT_TEXT: *(const char **)place = argument; return OPT_TAKEN;
    case OPT_COUNT:
        if (parse_count(argument, place)) return OPT_TAKEN;
        say("%s expects an integer, not '%s'", shown, argument);
        return OPT_WRONG;
    case OPT_SIZE:
        if (parse_size(argument, place)) return OPT_TAKEN;
        say("%s expects a size such as 512M or 4G, not '%s'", shown, argument);
        return OPT_WRONG;
    }
    return OPT_WRONG;
}

/* The row of an option word; *attached is the argument that stands in the same word, or NULL. */
static const opt_row *find_row(const command *c, const char *word, const char **attached)
{
    *attached = NULL;
    if (word[0] != '-' || !word[1]) return NULL;
    bool is_long = word[1] == '-';
    size_t n = strcspn(word + 2, "=");
    for (const opt_row *row = c->options; row->name; row++) {
        if (is_long && strlen(row->name) == n && !strncmp(word + 2, row->name, n)) {
            if (word[2 + n]) *attached = word + 2 + n + 1;
            return row;
        }
        if (!is_long && row->letter && word[1] == row->letter && (!word[2] || row->kind != OPT_FLAG)) {
            if (word[2]) *attached = word + 2;
            return row;
        }
    }
    return NULL;
}

opt_result opt_take(const command *c, void *values, char **argv, int *i)
{
    const char *argument, *word = argv[*i];
    const opt_row *row = find_row(c, word, &argument);
    if (!row) return OPT_OTHER;
    char *shown = word[1] == '-' ? text_of("--%s", row->name) : text_of("-%c", row->letter);
    if (row->kind == OPT_FLAG && argument) {
        say("%s does not take a value", shown);
        return OPT_WRONG;
    }
    if (row->kind == OPT_MAYBE && !argument) argument = "";
    if (row->kind != OPT_FLAG && !argument) {
        argument = argv[*i + 1];
        if (!argument) {
            say("%s needs a value: %s %s", shown, shown, row->argument);
            return OPT_WRONG;
        }
        ++*i;
    }
    ++*i;
    return store(row, values, argument, shown);
}

/* Letters that must change to make one word of the other (Levenshtein), for words below 32 letters. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[33];
    size_t n = strlen(a), m = strlen(b);
    if (n > 32 || m > 32) return 99;
    for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = diagonal + (a[i - 1] != b[j - 1]);
            unsigned insert = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < insert ? change : insert;
        }
    }
    return row[m];
}

int opt_unknown(const command *c, const char *option)
{
    const char *best = NULL;
    unsigned least = 3; /* further away it is a guess */
    char *name = text_of("%.*s", (int)strcspn(option, "="), option);
    for (const opt_row *row = c->options; row->name && !strncmp(name, "--", 2); row++) {
        unsigned d = distance(name + 2, row->name);
        if (d < least && 2 * d < strlen(row->name)) least = d, best = row->name;
    }
    if (best) say("%s: unknown option %s; did you mean --%s?", c->name, name, best);
    else say("%s: unknown option %s (lanewise %s --help lists them)", c->name, name, c->name);
    return EXIT_USAGE;
}

/* ---- help ---- */

/* Words wrapped between column `indent` and HELP_WIDTH; the cursor is at `column`. */
static void wrap(FILE *out, size_t column, size_t indent, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column > indent && column + 1 + n > HELP_WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        if (column < indent) column += (size_t)fprintf(out, "%*s", (int)(indent - column), "");
        else if (column > indent) column += (size_t)fprintf(out, " ");
        column += (size_t)fprintf(out, "%.*s", (int)n, text);
        text += n;
        while (*text == ' ') text++;
    }
    fputc('\n', out);
}

static char *option_words(const opt_row *row)
{
    bool may_lack = row->kind == OPT_MAYBE;
    char *argument = !row->argument ? text_of("%s", "")
                     : may_lack     ? text_of("[=%s]", row->argument)
                                    : text_of(" %s", row->argument);
    return row->letter ? text_of("-%c, --%s%s", row->letter, row->name, argument)
                       : text_of("--%s%s", row->name, argument);
}

static void lines(FILE *out, const char *first, const char *rest, const char *text)
{
    for (bool begin = true; *text; begin = false) {
        size_t n = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", begin ? first : rest, (int)n, text);
        text += n + (text[n] == '\n');
    }
}

void opt_help(const command *c, FILE *out)
{
    lines(out, "usage: ", "       ", c->usage);
    fputc('\n', out);
    lines(out, "", "", c->about);
    if (c->options->name) fputs("\noptions:\n", out);
    for (const opt_row *row = c->options; row->name; row++) {
        size_t column = (size_t)fprintf(out, "  %s", option_words(row));
        if (column > HELP_COLUMN - 2) {
            fputc('\n', out);
            column = 0;
        }
        wrap(out, column, HELP_COLUMN, row->help);
    }
    if (c->examples) fputs("\nexamples:\n", out);
    if (c->examples) lines(out, "  ", "  ", c->examples);
}

/* ---- manual page ---- */

/* Text with what roff would take for its own escaped. */
static void roff(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool start = c == text || c[-1] == '\n';
        if (start && (*c == '.' || *c == '\'')) fputs("\\&", out);
        if (*c == '\\') fputs("\\e", out);
        else if (*c == '-') fputs("\\-", out);
        else fputc(*c, out);
    }
}

static void manual_command(const command_row *row, FILE *out)
{
    const command *c = row->command;
    fprintf(out, ".SS lanewise %s\n", c->name);
    fputs(".nf\n", out);
    roff(out, c->usage);
    fputs("\n.fi\n.PP\n", out);
    roff(out, c->about);
    fputc('\n', out);
    for (const opt_row *option = c->options; option->name; option++) {
        fputs(".TP\n.B ", out);
        roff(out, option_words(option));
        fputc('\n', out);
        roff(out, option->help);
        fputc('\n', out);
    }
    if (!c->examples) return;
    fputs(".PP\nExamples:\n.PP\n.nf\n", out);
    roff(out, c->examples);
    fputs("\n.fi\n", out);
}

/* Of commands that run something; `enum EXIT_...` in cli.h has the numbers. */
static const struct {
    const char *status, *meaning;
} exit_rows[] = {
    {"0", "Success."},
    {"1", "lanewise cannot do what is asked: no compiler, a program that it cannot attach to, a file that it cannot "
          "write."},
    {"2", "The command line is wrong."},
    {"3", "lanewise diff: a condition of --fail-if holds. lanewise run: a budget of --budgets is exceeded, and the "
          "program itself "
          "exited with 0."},
    {"126, 127", "The program cannot be started; it cannot be found."},
    {"128 + N", "Signal N ended the program or the build."},
    {"--error-exitcode N",
     "lanewise run: the program exited with 0, but the report has errors or warnings. A kernel that --timeout ended is "
     "such an error; the program itself sees cudaErrorLaunchTimeout and goes on."},
    {"others",
     "The program's own status (lanewise run), the build's (lanewise build), or the compiler's if it failed."},
};

static void manual_exit(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof exit_rows / sizeof exit_rows[0]; i++) {
        fputs(".TP\n.B ", out);
        roff(out, exit_rows[i].status);
        fputc('\n', out);
        roff(out, exit_rows[i].meaning);
        fputc('\n', out);
    }
}

void opt_manual(FILE *out)
{
    fprintf(out, ".\\\" Written by `lanewise help --man`.\n.TH LANEWISE 1 \"\" \"lanewise %s\" \"User Commands\"\n",
            LANEWISE_VERSION);
    fputs(".SH NAME\nlanewise \\- run CUDA programs without a GPU and report what every line does to memory\n", out);
    fputs(".SH SYNOPSIS\n.B lanewise\n.I command\n[\\fIarguments\\fR]\n.SH COMMANDS\n", out);
    for (size_t i = 0; i < command_row_count; i++) manual_command(&command_rows[i], out);
    manual_exit(out);
    fputs(".SH FILES\n.TP\n.I $XDG_CACHE_HOME/lanewise, ~/.cache/lanewise\n"
          "Programs that \\fBlanewise run\\fR compiled. The directory can be removed at any time.\n",
          out);
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf set and not empty, the report has no colours.\n"
          ".TP\n.B CUDA_HOME, CUDA_PATH\nWhere to look for nvcc if it is not in PATH.\n"
          ".TP\n.B LANEWISE_LIBDIR\nThe directory of lanewise's libraries, if they are not where they were installed.\n"
          ".TP\n.B LANEWISE_LIB\nThe core library that a program's runtime loads; set by \\fBlanewise run\\fR.\n"
          ".TP\n.B LANEWISE_CLANG, LANEWISE_CUDART_DIR, LANEWISE_CLANG_INCLUDE\nFor lanewise\\-clang\\-cc: "
          "the clang to use, the directory of libcudart, the directory of the CUDA headers.\n"
          ".TP\n.B LANEWISE_OPS_BENCH\nThe measuring program that \\fBlanewise bench\\fR starts, if it is not in the "
          "directory of the libraries.\n",
          out);
}
