/* completion: what bash, zsh and fish complete, written from the tables of commands and options, so that a new option is
 * completed without another edit. An argument written "a|b" is one of these words, FILE is a file, --device a device. */
#include "cli.h"

#include <string.h>

/* ---- what an option's value may be ---- */

static void add_device(void *user, const lw_device_info *device) { words_add(user, device->id); }

static words devices(void)
{
    words found = {0};
    lw_message message;
    if (lw_device_each(add_device, &found, &message)) found.count = 0; /* no memory: nothing is completed */
    return found;
}

/* The words that the option's value may be, with blanks between; NULL: a file or free text. */
static char *choices(const opt_row *row)
{
    words found = {0};
    if (!strcmp(row->name, "device")) found = devices();
    else if (row->argument && strchr(row->argument, '|'))
        for (const char *at = row->argument; *at; at += strspn(at, "|")) {
            size_t n = strcspn(at, "|");
            words_add(&found, text_of("%.*s", (int)n, at));
            at += n;
        }
    if (!found.count) return NULL;
    char *all = text_of("%s", found.items[0]);
    for (size_t i = 1; i < found.count; i++) all = text_of("%s %s", all, found.items[i]);
    return all;
}

/* Text between single quotes of a shell. fish escapes a quote inside with a backslash, the others cannot. */
static void quoted(FILE *out, const char *text, bool backslash)
{
    fputc('\'', out);
    for (const char *c = text; *c; c++) {
        if (*c == '\'') fputs(backslash ? "\\'" : "'\\''", out);
        else if (*c == '\\' && backslash) fputs("\\\\", out);
        else fputc(*c, out);
    }
    fputc('\'', out);
}

/* ---- bash ---- */

static void bash_command(const command *c, FILE *out)
{
    fprintf(out, "    %s)\n        options='", c->name);
    for (const opt_row *row = c->options; row->name; row++) fprintf(out, "--%s ", row->name);
    fputs("'\n        case $before in\n", out);
    for (const opt_row *row = c->options; row->name; row++) {
        char *words_of = choices(row);
        if (words_of) fprintf(out, "        --%s) values='%s' ;;\n", row->name, words_of);
    }
    fputs("        esac\n        ;;\n", out);
}

static void bash(FILE *out)
{
    fputs("# bash completion of lanewise, written by `lanewise help --completion bash`\n"
          "_lanewise() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options='' values=''\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          out);
    for (size_t i = 0; i < command_row_count; i++) fprintf(out, "%s ", command_rows[i].command->name);
    fputs("' -- \"$word\")\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (size_t i = 0; i < command_row_count; i++) bash_command(command_rows[i].command, out);
    fputs("    esac\n"
          "    if [ -n \"$values\" ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
          "    elif [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _lanewise lanewise\n",
          out);
}

/* ---- zsh ---- */

/* "--name[help]:argument:choices": brackets and colons of the help would end it. */
static void zsh_option(const opt_row *row, FILE *out)
{
    char *words_of = choices(row), *help = text_of("%s", row->help);
    for (char *c = help; *c; c++) *c = *c == '[' ? '(' : *c == ']' ? ')' : *c == ':' ? ',' : *c;
    char *spec = text_of("--%s[%s]", row->name, help);
    if (words_of) spec = text_of("%s:%s:(%s)", spec, row->name, words_of);
    else if (row->argument && !strcmp(row->argument, "FILE")) spec = text_of("%s:file:_files", spec);
    else if (row->argument && row->kind != OPT_MAYBE) spec = text_of("%s:%s: ", spec, row->name);
    fputs(" \\\n            ", out);
    quoted(out, spec, false);
}

static void zsh(FILE *out)
{
    fputs("#compdef lanewise\n# zsh completion of lanewise, written by `lanewise help --completion zsh`\n"
          "_lanewise() {\n    local -a commands=(\n",
          out);
    for (size_t i = 0; i < command_row_count; i++) {
        fputs("        ", out);
        quoted(out, text_of("%s:%s", command_rows[i].command->name, command_rows[i].summary), false);
        fputc('\n', out);
    }
    fputs("    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
          "    local name=$words[2]\n    shift words\n    ((CURRENT--))\n    case $name in\n",
          out);
    for (size_t i = 0; i < command_row_count; i++) {
        fprintf(out, "    %s)\n        _arguments", command_rows[i].command->name);
        for (const opt_row *row = command_rows[i].command->options; row->name; row++) zsh_option(row, out);
        fputs(" \\\n            '*:file:_files'\n        ;;\n", out);
    }
    fputs("    esac\n}\n_lanewise \"$@\"\n", out);
}

/* ---- fish ---- */

static void fish_option(const command *c, const opt_row *row, FILE *out)
{
    char *words_of = choices(row);
    fprintf(out, "complete -c lanewise -n '__fish_seen_subcommand_from %s' -l %s", c->name, row->name);
    if (row->letter) fprintf(out, " -s %c", row->letter);
    if (words_of) fprintf(out, " -x -a '%s'", words_of);
    else if (row->argument && row->kind != OPT_MAYBE) fputs(" -r", out);
    fputs(" -d ", out);
    quoted(out, row->help, true);
    fputc('\n', out);
}

static void fish(FILE *out)
{
    fputs("# fish completion of lanewise, written by `lanewise help --completion fish`\n", out);
    for (size_t i = 0; i < command_row_count; i++) {
        const command_row *row = &command_rows[i];
        fprintf(out, "complete -c lanewise -f -n __fish_use_subcommand -a %s -d ", row->command->name);
        quoted(out, row->summary, true);
        fputc('\n', out);
    }
    for (size_t i = 0; i < command_row_count; i++)
        for (const opt_row *row = command_rows[i].command->options; row->name; row++)
            fish_option(command_rows[i].command, row, out);
}

int completion_write(const char *shell, FILE *out)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shell, shells[i].shell)) continue;
        shells[i].write(out);
        return 0;
    }
    say("completions are for bash, zsh and fish, not '%s'", shell);
    return EXIT_USAGE;
}
