/* cli: the command `lanewise`, a client of the public headers in include/lanewise/ and of nothing else.
 *
 * main.c        picks the command
 * opt.c         option tables: parsing and --help from the same rows
 * cmd_*.c       one file per command
 * compile.c     .cu files -> program, with a cache
 * includes.c    which files a source includes (for the cache)
 * child.c       starts programs and passes signals on
 * variant.c     runs of compare and tune: in processes of their own, quietly
 * built.c       what a build left behind
 * picture*.c    an access drawn
 * bench*.c      what the GPU benchmark measured: read, shown, drawn
 * place.c       where lanewise's libraries and the compilers are
 * util.c        words, files, texts, the terminal */
#ifndef LW_CLI_H
#define LW_CLI_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "lanewise/run.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses of lanewise's own failures; otherwise a command returns the status of the program it ran. */
enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* For the host compiler below nvcc: line tables, so that findings name the program's line. */
#define HOST_LINES "-g1"

/* ---- util.c ---- */
/* One line on stderr: "lanewise: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Zeroed memory, a text, that live as long as the process. */
void *keep(size_t size);
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
void json_text(FILE *out, const char *s); /* as a JSON string, quoted */

typedef struct words { /* zero-initialise */
    char **items;      /* NULL-terminated once anything was added */
    size_t count, capacity;
} words;
void words_add(words *w, const char *word); /* copies */
void words_add_all(words *w, const words *more);
/* Splits like a shell: blanks, '...', "...", backslash. false: a quote is open. */
bool words_split(words *w, const char *line);

bool ends_with(const char *s, const char *end);
bool file_exists(const char *path);
bool is_directory(const char *path);
/* NULL if it cannot be read; NUL-terminated; the caller frees it. */
char *file_read(const char *path, size_t *out_size);
bool file_write(const char *path, const char *data, size_t size);
bool make_directories(const char *path);
/* The file a command name stands for, by PATH unless it has a slash; NULL if none. */
char *find_command(const char *name);
char *real_path(const char *path); /* NULL if there is no such file */
char *current_directory(void);     /* "" if it is not known */

/* What is shown behind `file`, a stream with a descriptor. */
typedef struct terminal {
    bool colour;    /* a terminal that takes ANSI sequences, and NO_COLOR is not set */
    bool unicode;   /* the locale is UTF-8 */
    unsigned width; /* columns: of the terminal, else COLUMNS; 0: not known */
} terminal;
terminal terminal_of(FILE *file);

typedef struct hash128 {
    uint64_t a, b;
} hash128;
void hash_add(hash128 *h, const void *data, size_t size);
void hash_text(hash128 *h, const char *s); /* with its NUL, so that joined words differ */

/* ---- opt.c ---- */
typedef enum opt_kind {
    OPT_FLAG,
    OPT_TEXT,
    OPT_COUNT,
    OPT_SIZE,
    OPT_MAYBE /* a text that may be left out: --name, which gives "", or --name=text */
} opt_kind;

typedef struct opt_row {
    char letter;          /* 0: none */
    const char *name;     /* long name without dashes; NULL ends the table */
    const char *argument; /* as shown in the help; NULL for OPT_FLAG */
    opt_kind kind;
    size_t offset; /* of the value in the command's struct: bool, const char * or uint64_t */
    const char *help;
} opt_row;

/* A row of the options in a struct `type`. */
#define OPT_ROW(type, letter, name, argument, kind, field, help)                                                       \
    {letter, name, argument, kind, offsetof(type, field), help}

typedef struct command {
    const char *name;
    const char *usage; /* lines after "usage: " */
    const char *about;
    const opt_row *options;
    const char *examples;                                          /* lines */
    int (*run)(const struct command *self, int argc, char **argv); /* argv[0]: the command's name */
} command;

typedef struct command_row {
    const char *summary;
    const command *command;
} command_row;
extern const command_row command_rows[];
extern const size_t command_row_count;

typedef enum opt_result { OPT_TAKEN, OPT_OTHER, OPT_WRONG } opt_result;
/* Takes the option at argv[*i] (and its argument) into values, moves *i behind it. OPT_OTHER: it is none of the table.
 * OPT_WRONG: it is, but its argument is not; said on stderr. */
opt_result opt_take(const command *c, void *values, char **argv, int *i);
/* Says that argv's option is unknown, with the nearest known one. Returns EXIT_USAGE. */
int opt_unknown(const command *c, const char *option);
void opt_help(const command *c, FILE *out);
/* The manual page of all commands, in roff. */
void opt_manual(FILE *out);

/* ---- completion.c ---- */
/* Writes the completion file of a shell: "bash", "zsh" or "fish". Returns 0, or EXIT_USAGE and a message. */
int completion_write(const char *shell, FILE *out);

/* ---- place.c ---- */
/* The directory of liblanewise.so.0, libcudart.so.13, libcudart_static.a, libcuda.so.1; NULL and a message if not
 * found. */
const char *place_libraries(void);
char *place_nvcc(void); /* NULL: none */
/* The clang that lanewise-clang-cc takes (which checks its version): LANEWISE_CLANG, else the newest; NULL: none. */
char *place_clang(void);
char *place_clang_cc(void); /* lanewise-clang-cc, if there is a clang for it; NULL: none */
/* A directory of the user's for cached things; made if needed. NULL and a message if there is none. */
char *place_cache(void);

/* ---- child.c ---- */
/* Starts argv (found by PATH) with `environment` ("NAME=value") added, passes on signals, waits. Returns its exit
 * status, 128 + signal if one ended it, 126 or 127 if it could not be started (said on stderr). *ended_by, if asked for:
 * the signal that ended it, or 0. The program does not outlive this process, however that ends. */
int child_run(char *const *argv, const words *environment, bool stdout_to_stderr, int *ended_by);
/* Says on stderr by which signal the program ended; nothing for 0. */
void child_say_signal(const char *program, int number);
/* Runs argv and returns the first 64 KiB of what it wrote to stdout; NULL if it failed. */
char *child_output(char *const *argv);
/* "DIRECTORY:old value" of an environment variable that is a list of directories. */
char *path_with(const char *variable, const char *directory);

/* ---- compile.c ---- */
typedef struct compile_request {
    words sources, flags; /* files; arguments for the compiler */
    const char *compiler; /* "nvcc", "clang" or NULL: nvcc if there is one */
    const lw_device_info *device;
} compile_request;
bool compile_is_source(const char *word); /* something a compiler takes as input: .cu .cpp .cc .c .o .a ... */
/* Words that a flag of the compiler takes up, its value included: 1, 2, or 0: a long option that nvcc does not have. */
int compile_flag_words(const char *word);

/* ---- built.c ---- */
/* Names what was built below the current directory since start and cannot attach. */
struct timespec;
void warn_of_built(const struct timespec *start, const char *libraries);
/* Compiles unless the cache has it. Returns 0 and the program in *out_program, else the exit status. */
int compile_program(const compile_request *request, char **out_program);

/* ---- cmd_build.c ---- */
/* Adds what makes a build link with lanewise's runtime. */
void build_environment(const char *libraries, words *environment);

/* ---- cmd_run.c ---- */
/* lanewise run of this process leaves its results at path. */
void run_keep_results(const char *path);

/* ---- includes.c ---- */
/* Adds to files every source in `sources` and what they include, found beside them or in `directories`. */
void includes_of(const words *sources, const words *directories, words *files);
/* Says of each `#include "x"` that is found nowhere, but near the file that includes it, which -I would do. */
void includes_tell_missing(const words *sources, const words *directories);

#endif
