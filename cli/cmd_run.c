/* cmd_run: lanewise run. Compiles if it is given sources, starts the program with lanewise's runtime in the place of
 * NVIDIA's, waits, and renders what its processes left in the results file, however they ended. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_GIVEN UINT64_MAX
#define DEVICES_MOST 16
#define WIDTH_MOST 140 /* columns of a report: wider lines do not read well */

typedef struct run_options {
    const char *device, *kernel, *count, *caches, *schedule, *output, *json, *html, *sarif, *junit, *markdown, *budgets,
        *on_error, *cc, *cc_args, *check, *fill, *find_seed;
    const char *suppressions, *gen_suppressions;
    uint64_t devices, threads, timeout, memory, launch_skip, launch_count, error_exitcode, lines;
    bool all, sources, no_report, time, what_if, init_at_load, help;
} run_options;

#define ROW(...) OPT_ROW(run_options, __VA_ARGS__)
static const opt_row run_rows[] = {
    ROW(0, "device", "NAME", OPT_TEXT, device,
        "the device to emulate: a name from `lanewise devices`, or a capability such as cc:8.6 (default: an H200); "
        "several of one kind as h200,h200"),
    ROW(0, "devices", "N", OPT_COUNT, devices, "emulate N such devices in one process, 1 to 16 (default: 1)"),
    ROW('o', "output", "FILE", OPT_TEXT, output, "write the report to FILE instead of stderr"),
    ROW(0, "json", "FILE", OPT_TEXT, json, "write all counts to FILE as JSON (- for stdout)"),
    ROW(0, "sources", NULL, OPT_FLAG, sources,
        "put the text of source lines into the JSON file, so that `lanewise diff` recognises lines that moved"),
    ROW(0, "html", "FILE", OPT_TEXT, html,
        "write the report as one page to FILE: source with counts, and a picture of a warp for each costly line"),
    ROW(0, "sarif", "FILE", OPT_TEXT, sarif,
        "write findings, and lines above their ideal as notes, to FILE as SARIF 2.1.0, for code scanning (- for "
        "stdout)"),
    ROW(0, "junit", "FILE", OPT_TEXT, junit,
        "write a test case per kernel, failed by its errors and warnings, to FILE as JUnit XML (- for stdout)"),
    ROW(0, "markdown", "FILE", OPT_TEXT, markdown, "write a summary to FILE as Markdown (- for stdout)"),
    ROW(0, "lines", "N", OPT_COUNT, lines, "show at most N source lines per kernel in full (default: 8)"),
    ROW(0, "all", NULL, OPT_FLAG, all, "show all kernels, lines and findings"),
    ROW(0, "kernel", "REGEX", OPT_TEXT, kernel,
        "only count kernels whose name matches this extended regular expression; the others run without counting"),
    ROW(0, "launch-skip", "N", OPT_COUNT, launch_skip,
        "do not count the first N launches (of those that --kernel selects)"),
    ROW(0, "launch-count", "N", OPT_COUNT, launch_count, "count at most N launches"),
    ROW(0, "count", "ptx", OPT_TEXT, count,
        "count the PTX as written, without modelling what the assembler makes of it"),
    ROW(0, "caches", "STATE", OPT_MAYBE, caches,
        "predict hits in L1 and L2 and bytes from and to DRAM: warm (default: kernels find in L2 what those before "
        "them "
        "left) or cold (each begins with empty caches, as under a profiler)"),
    ROW(0, "time", NULL, OPT_FLAG, time,
        "predict how long each kernel takes on the device, between which bounds, and what limits it"),
    ROW(0, "what-if", NULL, OPT_FLAG, what_if,
        "count other layouts of arrays in shared memory (padded rows, swizzles, other orders) and in global memory "
        "(structures of arrays, aligned rows, swapped indices), recommend what is cheaper and show all of them in a "
        "table"),
    ROW(0, "no-report", NULL, OPT_FLAG, no_report,
        "only run the program, without counting (faster); of the report only errors and warnings are shown"),
    ROW(0, "error-exitcode", "N", OPT_COUNT, error_exitcode,
        "exit with status N if there are errors or warnings (notes do not count) and the program itself exited with 0"),
    ROW(0, "budgets", "FILE", OPT_TEXT, budgets,
        "exit with status 3 if a count exceeds its budget in FILE, such as lanewise.toml, and the program itself "
        "exited with "
        "0"),
    ROW(0, "check", "LIST", OPT_MAYBE, check,
        "find bugs: all, or some of memcheck,racecheck,initcheck,synccheck,leakcheck (default: all but leakcheck)"),
    ROW(0, "find-seed", "N", OPT_MAYBE, find_seed,
        "run each launch that racecheck finds a race in again, from a snapshot of memory, under --schedule=random:1 to "
        "random:N (default: 50), until its result differs"),
    ROW(0, "init-at-load", NULL, OPT_FLAG, init_at_load,
        "initcheck reports where memory that nobody has written is read, not only where the value is used"),
    ROW(0, "fill", "BYTE", OPT_TEXT, fill,
        "what fresh device memory, and shared and local memory when a block begins, hold: 0 to 255, or random:SEED; by "
        "default zeros, which hide that a program forgot to initialise"),
    ROW(0, "suppressions", "FILE", OPT_TEXT, suppressions,
        "leave out the findings that FILE names, one CHECK:KERNEL[@FILE[:LINE]] per line; * stands for anything"),
    ROW(0, "gen-suppressions", "FILE", OPT_TEXT, gen_suppressions,
        "write the lines that would leave out all errors and warnings of this run to FILE (- for stdout)"),
    ROW(0, "on-error", "stop", OPT_TEXT, on_error,
        "stop a kernel at its first access out of bounds; by default it goes on where a GPU would not notice"),
    ROW(0, "threads", "N", OPT_COUNT, threads,
        "number of host threads that execute blocks (default: all; 1 makes schedule-dependent programs reproducible)"),
    ROW(0, "schedule", "ORDER", OPT_TEXT, schedule,
        "the order of warps and blocks: card (default: warps of a block go on together, as on a GPU), to-barrier (one "
        "warp "
        "after the other, each until it waits) or random:SEED, to find what only luck hides"),
    ROW(0, "timeout", "SECONDS", OPT_COUNT, timeout,
        "end a kernel that runs for longer with an error (cudaErrorLaunchTimeout); what ran until then is counted"),
    ROW(0, "memory", "SIZE", OPT_SIZE, memory,
        "device memory, such as 512M or 4G (default: that of the device, limited by the host's memory)"),
    ROW(0, "cc", "nvcc|clang", OPT_TEXT, cc, "compile .cu files with nvcc or clang (default: nvcc if available)"),
    ROW(0, "cc-args", "'ARGS'", OPT_TEXT, cc_args, "additional arguments for the compiler"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

typedef struct run_plan {
    run_options options;
    lw_device_info device;
    compile_request compile; /* sources.count 0: a program */
    words program;           /* the program and its arguments; for sources only the arguments */
    const char *libraries;
    bool preload;  /* libcudart.so.13, because an RPATH of the program may name another */
    char *results; /* path of the results file */
} run_plan;

/* ---- the command line ---- */

/* Words after a.cu: options of ours, sources, flags for the compiler; "--" ends them. */
static int parse_sources(const command *self, run_plan *plan, char **argv, int *i)
{
    while (argv[*i] && strcmp(argv[*i], "--")) {
        const char *word = argv[*i];
        opt_result taken = opt_take(self, &plan->options, argv, i);
        if (taken == OPT_WRONG) return EXIT_USAGE;
        if (taken == OPT_TAKEN) continue;
        int flag_words = compile_flag_words(word);
        if (word[0] == '-' && !flag_words) {
            int status = opt_unknown(self, word);
            say("pass compiler options with --cc-args '%s', and program options after --", word);
            return status;
        }
        if (word[0] != '-' && !compile_is_source(word)) {
            say("'%s' is not a source file; the program's arguments go after --:\n  lanewise run %s -- %s", word,
                plan->compile.sources.items[0], word);
            return EXIT_USAGE;
        }
        words_add(word[0] == '-' ? &plan->compile.flags : &plan->compile.sources, word);
        ++*i;
        if (word[0] == '-' && flag_words == 2 && argv[*i]) words_add(&plan->compile.flags, argv[(*i)++]);
    }
    *i += argv[*i] != NULL;
    return 0;
}

/* prog.cu, or another source before one: main.cpp kernels.cu */
static bool sources_follow(char **words)
{
    if (!words[0] || !compile_is_source(words[0])) return false;
    for (; *words && strcmp(*words, "--"); words++)
        if (ends_with(*words, ".cu")) return true;
    return false;
}

static int parse(const command *self, run_plan *plan, char **argv)
{
    int i = 1;
    while (argv[i] && argv[i][0] == '-' && strcmp(argv[i], "--")) {
        opt_result taken = opt_take(self, &plan->options, argv, &i);
        if (taken == OPT_WRONG) return EXIT_USAGE;
        if (taken == OPT_TAKEN) continue;
        int flag_words = compile_flag_words(argv[i]); /* -O3 -Iinclude prog.cu, as compilers take them */
        if (!flag_words) return opt_unknown(self, argv[i]);
        for (words_add(&plan->compile.flags, argv[i++]); --flag_words && argv[i];)
            words_add(&plan->compile.flags, argv[i++]);
    }
    bool program_follows = argv[i] && !strcmp(argv[i], "--");
    i += program_follows;
    if (plan->compile.flags.count && (!argv[i] || !compile_is_source(argv[i])))
        return opt_unknown(self, plan->compile.flags.items[0]);
    if (argv[i] && !program_follows && (sources_follow(argv + i) || plan->compile.flags.count)) {
        words_add(&plan->compile.sources, argv[i++]);
        int status = parse_sources(self, plan, argv, &i);
        if (status) return status;
    }
    while (argv[i]) words_add(&plan->program, argv[i++]);
    return 0;
}

static int wrong(const char *what)
{
    say("%s", what);
    return EXIT_USAGE;
}

/* Schedules that --find-seed tries; 0: the text is no such number. */
static unsigned long long seeds_of(const char *text)
{
    char *end;
    if (!*text) return 50;
    unsigned long long seeds = strtoull(text, &end, 10);
    return *end || *text == '-' || seeds > 100000 ? 0 : seeds;
}

static bool checks_races(const char *list) { return list && (strstr(list, "all") || strstr(list, "racecheck")); }

static bool is_schedule(const char *text)
{
    static const char random[] = "random:";
    if (!strcmp(text, "card") || !strcmp(text, "to-barrier")) return true;
    if (strncmp(text, random, strlen(random))) return false;
    const char *seed = text + strlen(random);
    return *seed && strspn(seed, "0123456789") == strlen(seed);
}

/* h200,h200: each name is looked up; they must name one kind. */
static int find_devices(run_plan *plan)
{
    run_options *o = &plan->options;
    lw_message message = {""};
    char *names = o->device ? text_of("%s", o->device) : NULL;
    uint64_t count = 0;
    for (char *name = names ? strtok(names, ",") : NULL; name; name = strtok(NULL, ",")) {
        lw_device_info one;
        if (lw_device_find(name, &one, &message)) return wrong(message.text);
        if (!count++) plan->device = one;
        if (strcmp(one.id, plan->device.id))
            return wrong(
                text_of("--device: the devices of a run are of one kind, not %s and %s", plan->device.id, one.id));
    }
    if (!count && lw_device_find(o->device, &plan->device, &message)) return wrong(message.text);
    if (o->devices == NOT_GIVEN) o->devices = count ? count : 1;
    else if (count > 1 && o->devices != count)
        return wrong(text_of("--device names %llu devices, --devices says %llu", (unsigned long long)count,
                             (unsigned long long)o->devices));
    return o->devices >= 1 && o->devices <= DEVICES_MOST ? 0 : wrong("--devices takes 1 to 16");
}

static int check_options(run_plan *plan)
{
    run_options *o = &plan->options;
    lw_message message = {""};
    regex_t regex;
    if (!plan->program.count && !plan->compile.sources.count)
        return wrong("nothing to run: lanewise run prog.cu, or lanewise run PROGRAM (--help has examples)");
    if (o->count && strcmp(o->count, "ptx")) return wrong(text_of("--count takes ptx, not '%s'", o->count));
    if (o->on_error && strcmp(o->on_error, "stop"))
        return wrong(text_of("--on-error takes stop, not '%s'", o->on_error));
    if (o->threads != NOT_GIVEN && (o->threads < 1 || o->threads > 1024)) return wrong("--threads takes 1 to 1024");
    if (o->error_exitcode != NOT_GIVEN && (o->error_exitcode < 1 || o->error_exitcode > 255))
        return wrong("--error-exitcode takes 1 to 255");
    if (o->schedule && !is_schedule(o->schedule))
        return wrong(text_of("--schedule takes card, to-barrier or random:SEED, not '%s'", o->schedule));
    if (o->check && !*o->check) o->check = "all";
    if (o->check && lw_checks_valid(o->check, &message)) return wrong(text_of("--check: %s", message.text));
    if ((o->caches && !*o->caches) || (o->time && !o->caches)) o->caches = "warm";
    if (o->caches && strcmp(o->caches, "warm") && strcmp(o->caches, "cold"))
        return wrong(text_of("--caches takes warm or cold, not '%s'", o->caches));
    if (o->fill && !lw_fill_valid(o->fill))
        return wrong(text_of("--fill takes 0 to 255 or random:SEED, not '%s'", o->fill));
    if (o->find_seed && !seeds_of(o->find_seed)) return wrong("--find-seed takes 1 to 100000");
    if (o->find_seed && !checks_races(o->check)) return wrong("--find-seed needs --check, or --check=racecheck");
    if (o->suppressions && lw_suppressions_valid(o->suppressions, &message)) return wrong(message.text);
    if (o->budgets && lw_budgets_valid(o->budgets, &message)) return wrong(message.text);
    if (o->timeout == 0) return wrong("--timeout takes at least 1");
    if (o->memory != NOT_GIVEN && o->memory < (1u << 20)) return wrong("--memory takes at least 1M");
    if (o->kernel) {
        char reason[256];
        int failed = regcomp(&regex, o->kernel, REG_EXTENDED | REG_NOSUB);
        if (failed) {
            regerror(failed, &regex, reason, sizeof reason);
            return wrong(text_of("--kernel '%s': %s", o->kernel, reason));
        }
        regfree(&regex);
    }
    if (o->cc_args && !words_split(&plan->compile.flags, o->cc_args)) return wrong("--cc-args: a quote is not closed");
    return find_devices(plan);
}

/* ---- running ---- */

static void set_count(words *environment, const char *name, uint64_t value)
{
    if (value != NOT_GIVEN) words_add(environment, text_of("%s=%llu", name, (unsigned long long)value));
}

/* Triton's assemblers, of devices below and from compute capability 9.0: it takes them from these variables. */
static const char *const triton_assemblers[] = {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"};

/* XLA's autotuning would time its candidates on this machine, and compares results with kernels of its own, which are machine code for
 * most devices. JAX asks NVIDIA's profiling library, which needs NVIDIA's driver, for its version before it begins. */
static void prepare_xla(words *environment)
{
    static const char level[] = "--xla_gpu_autotune_level";
    const char *flags = getenv("XLA_FLAGS");
    if (!getenv("JAX_SKIP_CUDA_CONSTRAINTS_CHECK"))
        words_add(environment, text_of("JAX_SKIP_CUDA_CONSTRAINTS_CHECK=1"));
    if (flags && strstr(flags, level)) return;
    words_add(environment, text_of("XLA_FLAGS=%s%s%s=0", flags ? flags : "", flags && *flags ? " " : "", level));
}

/* What the runtime inside the program reads (src/host/context.c). */
static void make_environment(const run_plan *plan, words *environment)
{
    const run_options *o = &plan->options;
    words_add(environment, text_of("LANEWISE_LIB=%s/liblanewise.so.0", plan->libraries));
    words_add(environment, path_with("LD_LIBRARY_PATH", plan->libraries));
    if (plan->preload) {
        words_add(environment, path_with("LD_PRELOAD", text_of("%s/libcudart.so.13", plan->libraries)));
        /* A program built with -fsanitize=address wants its own library first; ours replaces nothing of it. */
        words_add(environment, path_with("ASAN_OPTIONS", "verify_asan_link_order=0"));
    }
    char *audit = text_of("%s/liblanewise-rtc.so", plan->libraries); /* src/cuda/rtc_audit.c */
    if (file_exists(audit)) words_add(environment, path_with("LD_AUDIT", audit));
    for (size_t i = 0; i < sizeof triton_assemblers / sizeof triton_assemblers[0]; i++)
        words_add(environment, text_of("%s=%s/shims/ptxas", triton_assemblers[i], plan->libraries));
    prepare_xla(environment);
    words_add(environment, text_of("LANEWISE_RESULTS=%s", plan->results));
    words_add(environment, text_of("LANEWISE_DEVICE=%s", plan->device.id));
    if (o->devices > 1) set_count(environment, "LANEWISE_DEVICES", o->devices);
    set_count(environment, "LANEWISE_THREADS", o->threads);
    set_count(environment, "LANEWISE_MEMORY", o->memory);
    set_count(environment, "LANEWISE_TIMEOUT", o->timeout);
    set_count(environment, "LANEWISE_LAUNCH_SKIP", o->launch_skip);
    set_count(environment, "LANEWISE_LAUNCH_COUNT", o->launch_count);
    if (o->schedule) words_add(environment, text_of("LANEWISE_SCHEDULE=%s", o->schedule));
    if (o->caches) words_add(environment, text_of("LANEWISE_CACHES=%s", o->caches));
    if (o->time) words_add(environment, "LANEWISE_TIME=1");
    if (o->html) words_add(environment, "LANEWISE_SAMPLES=1"); /* for the pictures */
    if (o->what_if) words_add(environment, "LANEWISE_WHAT_IF=1");
    if (o->check) words_add(environment, text_of("LANEWISE_CHECK=%s", o->check));
    if (o->init_at_load) words_add(environment, "LANEWISE_INIT_AT_LOAD=1");
    if (o->find_seed) words_add(environment, text_of("LANEWISE_FIND_SEED=%llu", seeds_of(o->find_seed)));
    if (o->fill) words_add(environment, text_of("LANEWISE_FILL=%s", o->fill));
    if (o->kernel) words_add(environment, text_of("LANEWISE_KERNEL=%s", o->kernel));
    if (o->count) words_add(environment, "LANEWISE_COUNT=ptx");
    if (o->on_error) words_add(environment, "LANEWISE_ON_ERROR=stop");
    if (o->no_report) words_add(environment, "LANEWISE_NO_REPORT=1");
    if (isatty(STDERR_FILENO)) words_add(environment, "LANEWISE_PROGRESS=1");
    /* What is started may build first (make test). */
    if (!plan->compile.sources.count) build_environment(plan->libraries, environment);
}

static const char *kept_results; /* where the results are left; NULL: they are removed */
void run_keep_results(const char *path) { kept_results = path; }

static int create_results(run_plan *plan)
{
    const char *directory = getenv("TMPDIR");
    lw_message message = {""};
    plan->results = text_of("%s/lanewise-XXXXXX", directory && *directory ? directory : "/tmp");
    if (kept_results) plan->results = text_of("%s", kept_results);
    int fd = kept_results ? open(plan->results, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : mkstemp(plan->results);
    if (fd < 0) {
        say("cannot create %s: %s; set TMPDIR to a writable directory", plan->results, strerror(errno));
        return EXIT_REFUSED;
    }
    close(fd);
    if (!lw_results_create(plan->results, &message)) return 0;
    say("%s", message.text);
    unlink(plan->results);
    return EXIT_REFUSED;
}

/* What is wrong with a file that cannot be a program, and what to do; NULL: it may be one. */
static const char *not_a_program(const char *name)
{
    static const struct {
        const char *end, *advice;
    } kinds[] = {
        {".ptx", "holds device code only: run the program that loads it"},
        {".fatbin", "holds device code only: run the program that loads it"},
        {".cubin", "holds device code only: run the program that loads it"},
        {".o", "is not linked: link it under `lanewise build`, then run the program"},
        {".py", "is a script: lanewise run python3 SCRIPT"},
        {".cpp", "is a source without CUDA code: name a .cu file, too"},
        {".cc", "is a source without CUDA code: name a .cu file, too"},
        {".c", "is a source without CUDA code: name a .cu file, too"},
    };
    if (is_directory(name)) return "is a directory: name a program in it, or the sources (lanewise run prog.cu)";
    if (!file_exists(name) || !access(name, X_OK)) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (ends_with(name, kinds[i].end)) return kinds[i].advice;
    return NULL;
}

static int check_program(run_plan *plan)
{
    lw_message message = {""};
    const char *name = plan->program.items[0];
    char *path = find_command(name);
    const char *wrong_kind = path && !strchr(name, '/') ? NULL : not_a_program(name);
    if (wrong_kind) {
        say("%s %s", name, wrong_kind);
        return EXIT_USAGE;
    }
    if (!path) {
        say("cannot find %s%s", plan->program.items[0],
            file_exists(plan->program.items[0])
                ? text_of("; to run the file in this directory: ./%s", plan->program.items[0])
                : "");
        return EXIT_NOT_FOUND;
    }
    lw_program_verdict verdict = lw_program_check(path, &plan->device, plan->libraries, &message);
    plan->preload = verdict == LW_PROGRAM_SHARED;
    if (verdict != LW_PROGRAM_REFUSED) return 0;
    say("%s", message.text);
    return EXIT_REFUSED;
}

/* ---- reporting ---- */

static int write_text(const run_plan *plan, const lw_results *results)
{
    const char *file = plan->options.output;
    terminal t = terminal_of(stderr);
    lw_report_options look = {.colour = !file && t.colour,
                              .unicode = t.unicode,
                              .width = file                   ? 0
                                       : t.width < WIDTH_MOST ? t.width
                                                              : WIDTH_MOST,
                              .cwd = current_directory(),
                              .all = plan->options.all,
                              .only_bad = plan->options.no_report,
                              .lines = plan->options.lines == NOT_GIVEN ? 0 : (unsigned)plan->options.lines};
    char *text = NULL;
    lw_message message = {""};
    if (lw_results_text(results, &look, &text, &message)) return wrong(message.text);
    if (!*text) {
        free(text);
        return 0;
    }
    if (!file) {
        fprintf(stderr, "\n%s", text);
    } else if (!file_write(file, text, strlen(text))) {
        say("cannot write %s: %s", file, strerror(errno));
        return EXIT_REFUSED;
    }
    free(text);
    return 0;
}

/* Writes text to a file, or to stdout for "-", and frees it. */
static int write_out(const char *file, char *text)
{
    bool fine = strcmp(file, "-") ? file_write(file, text, strlen(text)) : fputs(text, stdout) >= 0 && !fflush(stdout);
    free(text);
    if (fine) return 0;
    say("cannot write %s: %s", file, strerror(errno));
    return EXIT_REFUSED;
}

static int write_json(const char *file, const lw_results *results)
{
    char *text = NULL;
    lw_message message = {""};
    if (lw_results_json(results, &text, &message)) return wrong(message.text);
    return write_out(file, text);
}

/* A form of the report whose file was asked for, or NULL. */
static int write_form(lw_report_form form, const char *file, const lw_results *results)
{
    char *text = NULL;
    lw_message message = {""};
    lw_report_options look = {.cwd = current_directory()};
    if (!file) return 0;
    if (lw_results_form(results, form, &look, &text, &message)) return wrong(message.text);
    return write_out(file, text);
}

/* All forms but the text and JSON. Returns whether one failed. */
static int write_forms(const run_options *o, const lw_results *results)
{
    int failed = write_form(LW_REPORT_HTML, o->html, results);
    failed = write_form(LW_REPORT_SARIF, o->sarif, results) || failed;
    failed = write_form(LW_REPORT_JUNIT, o->junit, results) || failed;
    return write_form(LW_REPORT_MARKDOWN, o->markdown, results) || failed;
}

/* What is dropped and what is written before the report; 0, or what the command exits with. */
static int suppress(const run_options *o, lw_results *results)
{
    lw_message message = {""};
    if (o->suppressions && lw_results_suppress(results, o->suppressions, &message)) return wrong(message.text);
    return o->gen_suppressions ? write_out(o->gen_suppressions, lw_results_suppressions(results)) : 0;
}

/* Says what exceeds its budget; how many do. */
static size_t check_budgets(const run_options *o, const lw_results *results)
{
    lw_message message = {""};
    char *text = NULL;
    size_t over = 0;
    if (!o->budgets) return 0;
    if (lw_results_budgets(results, o->budgets, &text, &over, &message)) say("%s", message.text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) say("%s", line);
    free(text);
    return over;
}

static void nothing_attached(const run_plan *plan, int program_status)
{
    if (program_status == EXIT_NOT_EXECUTABLE || program_status == EXIT_NOT_FOUND) return; /* it did not even start */
    if (plan->compile.sources.count) say("the program made no CUDA calls: nothing to report");
    else
        say("%s made no CUDA calls through lanewise: nothing to report. A CUDA program attaches if it was built with "
            "`lanewise build`, or linked with -cudart shared",
            plan->program.items[0]);
}

/* Returns what the command exits with. */
static int report(const run_plan *plan, int program_status)
{
    const run_options *o = &plan->options;
    lw_results *results = NULL;
    lw_message message = {""};
    int failed = 0;
    if (lw_results_read(plan->results, &plan->device, &results, &message)) {
        say("no report: %s", message.text);
        return program_status ? program_status : EXIT_REFUSED;
    }
    failed = suppress(o, results);
    if (o->sources) lw_results_keep_sources(results);
    if (o->json) failed = write_json(o->json, results) || failed;
    failed = write_forms(o, results) || failed;
    if (lw_results_attached(results)) failed = write_text(plan, results) || failed ? EXIT_REFUSED : 0;
    else if (!o->no_report) nothing_attached(plan, program_status);
    bool found = lw_results_failures(results) > 0;
    bool over = check_budgets(o, results) > 0;
    lw_results_free(results);
    if (program_status) return program_status;
    if (found && o->error_exitcode != NOT_GIVEN) return (int)o->error_exitcode;
    return over && !failed ? EXIT_EXCEEDED : failed;
}

static void warn_of_closed_libraries(const run_plan *plan)
{
    lw_message message = {""};
    char *path = find_command(plan->program.items[0]);
    if (path && lw_program_uses_closed_library(path, &message)) say("%s", message.text);
}

static int run_program(run_plan *plan)
{
    warn_of_closed_libraries(plan);
    words environment = {0};
    int status = create_results(plan);
    if (status) return status;
    make_environment(plan, &environment);
    int ended_by;
    status = child_run(plan->program.items, &environment, false, &ended_by);
    child_say_signal(plan->compile.sources.count ? plan->compile.sources.items[0] : plan->program.items[0], ended_by);
    status = report(plan, status);
    if (!kept_results) unlink(plan->results);
    return status;
}

static int compile_first(run_plan *plan)
{
    char *program;
    words whole = {0};
    plan->compile.device = &plan->device;
    plan->compile.compiler = plan->options.cc;
    int status = compile_program(&plan->compile, &program);
    if (status) return status;
    words_add(&whole, program);
    words_add_all(&whole, &plan->program);
    plan->program = whole;
    return 0;
}

static int run_run(const command *self, int argc, char **argv)
{
    (void)argc;
    run_plan plan = {.options = {.devices = NOT_GIVEN,
                                 .threads = NOT_GIVEN,
                                 .timeout = NOT_GIVEN,
                                 .memory = NOT_GIVEN,
                                 .launch_skip = NOT_GIVEN,
                                 .launch_count = NOT_GIVEN,
                                 .error_exitcode = NOT_GIVEN,
                                 .lines = NOT_GIVEN}};
    int status = parse(self, &plan, argv);
    if (!status && plan.options.help) {
        opt_help(self, stdout);
        return 0;
    }
    if (!status) status = check_options(&plan);
    if (status) return status;
    plan.libraries = place_libraries();
    if (!plan.libraries) return EXIT_REFUSED;
    status = plan.compile.sources.count ? compile_first(&plan) : check_program(&plan);
    return status ? status : run_program(&plan);
}

const command command_run = {
    .name = "run",
    .usage = "lanewise run [options] a.cu [b.cu ...] [-I.. -D.. -std=.. -l.. ...] [-- arguments]\n"
             "lanewise run [options] PROGRAM [arguments]",
    .about =
        "Runs a CUDA program without a GPU. Source files are compiled first, with nvcc if available, else with clang;\n"
        "compiled programs are cached. A program, or anything that starts one (python3 x.py, make test), attaches to\n"
        "lanewise if it was built with `lanewise build` or linked with a shared CUDA runtime. The program's input,\n"
        "output and exit status are unchanged; the report is written to stderr when the program ends.",
    .options = run_rows,
    .examples = "lanewise run transpose.cu\n"
                "lanewise run transpose.cu -O3 -DTILE=16 -- 1024 1024\n"
                "lanewise run --kernel 'transpose.*' --json counts.json ./app input.bin\n"
                "lanewise run --device cc:8.6 -o report.txt main.cu util.cu -Iinclude\n"
                "lanewise run --error-exitcode 9 make test",
    .run = run_run};
