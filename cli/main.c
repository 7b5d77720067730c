/* main: lanewise COMMAND ... Each command is a row of commands.def with its own file; help and version live here. */
#include "cli.h"

#include "lanewise/version.h"

#include <string.h>

#define COMMAND(name, summary) extern const command command_##name;
#include "commands.def"
#undef COMMAND

const command_row command_rows[] = {
#define COMMAND(name, summary) {summary, &command_##name},
#include "commands.def"
#undef COMMAND
};
const size_t command_row_count = sizeof command_rows / sizeof command_rows[0];

static const command *find_row(const char *name)
{
    for (size_t i = 0; i < command_row_count; i++)
        if (!strcmp(command_rows[i].command->name, name)) return command_rows[i].command;
    return NULL;
}

static void overview(FILE *out)
{
    fputs("lanewise runs CUDA programs without a GPU and reports what every source line did to memory.\n\n"
          "usage: lanewise COMMAND [arguments]\n\ncommands:\n",
          out);
    for (size_t i = 0; i < command_row_count; i++)
        fprintf(out, "  %-9s %s\n", command_rows[i].command->name, command_rows[i].summary);
    fputs("\nfirst steps:\n"
          "  lanewise run prog.cu              compile prog.cu and run it\n"
          "  lanewise run ./prog arguments     run a program built with `lanewise build`\n"
          "  lanewise run --help               all options, with examples\n",
          out);
}

/* ---- version ---- */

static int run_version(const command *self, int argc, char **argv)
{
    (void)self;
    (void)argc;
    (void)argv;
    printf("lanewise %s\n", LANEWISE_VERSION);
    return 0;
}

static const opt_row no_options[] = {{0}};

const command command_version = {.name = "version",
                                 .usage = "lanewise version",
                                 .about = "Shows the version.",
                                 .options = no_options,
                                 .run = run_version};

/* ---- help ---- */

static int run_help(const command *self, int argc, char **argv)
{
    (void)self;
    if (argc < 2) {
        overview(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--man")) {
        opt_manual(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--completion")) return completion_write(argc > 2 ? argv[2] : "", stdout);
    const command *c = find_row(argv[1]);
    if (!c) {
        say("unknown command '%s'; lanewise help lists the commands", argv[1]);
        return EXIT_USAGE;
    }
    opt_help(c, stdout);
    return 0;
}

const command command_help = {
    .name = "help",
    .usage = "lanewise help [COMMAND]\nlanewise help --man\nlanewise help --completion bash|zsh|fish",
    .about = "Shows the list of commands, the help of one command, the manual page (roff), or the completion\n"
             "file for a shell, which `make install` installs.",
    .options = no_options,
    .run = run_help};

int main(int argc, char **argv)
{
    if (argc < 2) {
        overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) name = "version";
    const command *c = find_row(name);
    if (!c) {
        bool program = ends_with(name, ".cu") || file_exists(name);
        say("unknown command '%s'; %s", name,
            program ? "to run a program: lanewise run PROGRAM" : "lanewise help lists the commands");
        return EXIT_USAGE;
    }
    if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
        opt_help(c, stdout);
        return 0;
    }
    return c->run(c, argc - 1, argv + 1);
}
