/* cmd_bench: lanewise bench: starts lanewise-ops-bench, which times liblanewise-ops on this machine's GPU (this command
 * itself links no CUDA), reads the CSV that it writes, and shows it as a table, JSON or a chart. --from shows a CSV
 * that was recorded before. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUICK_ROUNDS "5"
#define QUICK_SHAPES "20"
#define QUICK_SECONDS 60
#define FULL_SECONDS 480

typedef struct bench_options {
    bool quick, rows, help;
    uint64_t seed;
    const char *json, *svg, *csv, *from;
} bench_options;

#define ROW(...) OPT_ROW(bench_options, __VA_ARGS__)
static const opt_row bench_rows[] = {
    ROW(0, "quick", NULL, OPT_FLAG, quick,
        "fewer rounds and random shapes, at most 60 s (otherwise 8 minutes); the results vary more"),
    ROW(0, "seed", "N", OPT_COUNT, seed, "seed of the random shapes, 0 or more (default: 1)"),
    ROW(0, "rows", NULL, OPT_FLAG, rows, "show every case, not just one line per op"),
    ROW(0, "json", "FILE", OPT_TEXT, json, "write every case to FILE as JSON (- for stdout, instead of the table)"),
    ROW(0, "svg", "FILE", OPT_TEXT, svg,
        "write a chart per op to FILE, with the limit and the peers (- for stdout, instead of the table)"),
    ROW(0, "csv", "FILE", OPT_TEXT, csv, "keep the measurements in FILE"),
    ROW(0, "from", "FILE", OPT_TEXT, from, "do not measure: show measurements kept with --csv"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

/* What the measuring program can time, and its part that does it. Its --only takes a part of an op's name, for
 * host copies the word host. */
enum { PART_COPY = 1, PART_HIST = 2, PART_HOST = 4, PART_RECORD = 8 };
static const struct known_op {
    const char *name;
    unsigned part;
} known_ops[] = {
    {"transpose", PART_COPY},  {"transodd", PART_COPY},  {"square", PART_COPY},      {"batch", PART_COPY},
    {"small", PART_COPY},      {"permute4", PART_COPY},  {"permute1", PART_COPY},    {"flip", PART_COPY},
    {"flipin", PART_COPY},     {"inplace", PART_COPY},   {"inplacefew", PART_COPY},  {"inplacend", PART_COPY},
    {"inplacerec", PART_COPY}, {"convert", PART_COPY},   {"pad", PART_COPY},         {"crop", PART_COPY},
    {"gather", PART_COPY},     {"scatter", PART_COPY},   {"cached", PART_RECORD},    {"hostcall", PART_RECORD},
    {"hist", PART_HIST},       {"hist8", PART_HIST},     {"hist16", PART_HIST},      {"histeven", PART_HIST},
    {"histedges", PART_HIST},  {"histrange", PART_HIST}, {"histweights", PART_HIST}, {"histchannels", PART_HIST},
    {"histjoint", PART_HIST},  {"aos2soa", PART_RECORD}, {"soa2aos", PART_RECORD},   {"h2d", PART_HOST},
    {"d2h", PART_HOST}};
#define KNOWN (sizeof known_ops / sizeof known_ops[0])

/* The parts whose ops have `word` in their names. */
static unsigned parts_of(const char *word)
{
    unsigned parts = !strcmp(word, "host") ? PART_HOST : 0;
    for (size_t i = 0; i < KNOWN; i++)
        if (strstr(known_ops[i].name, word)) parts |= known_ops[i].part;
    return parts;
}

static void say_ops(const char *word)
{
    char *list = text_of("%s", known_ops[0].name);
    for (size_t i = 1; i < KNOWN; i++) list = text_of("%s %s", list, known_ops[i].name);
    say("bench: no op with '%s' in its name: %s", word, list);
}

/* ---- measuring ---- */

/* LANEWISE_OPS_BENCH, else beside the libraries, else where the build tree has it; NULL: said. */
static char *find_program(void)
{
    const char *given = getenv("LANEWISE_OPS_BENCH");
    if (given && *given) {
        if (!access(given, X_OK)) return text_of("%s", given);
        say("LANEWISE_OPS_BENCH=%s: %s", given, strerror(errno));
        return NULL;
    }
    const char *libraries = place_libraries();
    if (!libraries) return NULL;
    char *places[] = {text_of("%s/lanewise-ops-bench", libraries), text_of("%s/../ops/lanewise-ops-bench", libraries)};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!access(places[i], X_OK)) return places[i];
    say("no lanewise-ops-bench in %s: build it where nvcc and cuBLAS are and install it there (cmake -S ops "
        "-B build/ops -DLW_OPS_BENCH=ON && cmake --build build/ops && cmake --install build/ops), or set "
        "LANEWISE_OPS_BENCH to it; recorded figures need none: lanewise bench --from FILE.csv",
        libraries);
    return NULL;
}

static void explain(int status)
{
    if (status > 128) return; /* a signal: Ctrl-C */
    if (access("/dev/nvidiactl", F_OK) && access("/dev/dxg", F_OK))
        say("bench measures time on the card, and this machine has no NVIDIA GPU (no /dev/nvidiactl); without one, "
            "lanewise run counts what a kernel does to memory, and bench --from FILE.csv shows recorded figures");
    else say("lanewise-ops-bench exited with status %d", status);
}

/* One run of the measuring program, for one op (NULL: all), within a time; its progress goes to stderr. */
static int measure(const char *program, const bench_options *o, const char *op, double seconds, const char *csv)
{
    words argv = {0};
    const char *first[] = {program,
                           "--out",
                           csv,
                           "--seed",
                           text_of("%llu", (unsigned long long)o->seed),
                           "--limit",
                           text_of("%.0f", ceil(seconds))};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) words_add(&argv, first[i]);
    const char *quick[] = {"--rounds", QUICK_ROUNDS, "--shapes", QUICK_SHAPES};
    for (size_t i = 0; o->quick && i < sizeof quick / sizeof quick[0]; i++) words_add(&argv, quick[i]);
    if (op) {
        unsigned parts = parts_of(op);
        words_add(&argv, "--only");
        words_add(&argv, op);
        if (!(parts & PART_COPY)) words_add(&argv, "--skip-copy");
        if (!(parts & PART_HIST)) words_add(&argv, "--skip-hist");
    }
    int status = child_run(argv.items, NULL, true, NULL);
    if (status) explain(status);
    return status;
}

/* Adds the text of `from` to `to`; not its head, if `to` has one. */
static bool append(const char *to, const char *from, bool head)
{
    size_t size;
    char *data = file_read(from, &size), *start = data;
    if (!data) return false;
    while (!head && *start) {
        bool names = *start != '#';
        start += strcspn(start, "\n");
        start += *start == '\n';
        if (names) break;
    }
    FILE *out = fopen(to, head ? "wb" : "ab");
    bool fine = out && fwrite(start, 1, size - (size_t)(start - data), out) == size - (size_t)(start - data);
    if (out && fclose(out)) fine = false;
    free(data);
    return fine;
}

/* Whether an earlier word of the list, or a shorter one, covers this one. */
static bool covered(const words *ops, size_t i)
{
    for (size_t k = 0; k < ops->count; k++)
        if (k != i && strstr(ops->items[i], ops->items[k]) && (strcmp(ops->items[i], ops->items[k]) || k < i))
            return true;
    return false;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All runs, into one CSV, which keeps what was measured before something failed. */
static int measure_all(const bench_options *o, const words *ops, const char *csv, const char *part)
{
    char *program = find_program();
    words runs = {0};
    int status = 0;
    bool head = true;
    double limit = o->quick ? QUICK_SECONDS : FULL_SECONDS, started = seconds_now();
    if (!program) return EXIT_NOT_FOUND;
    for (size_t i = 0; i < ops->count; i++)
        words_add(&runs, parts_of(ops->items[i]) == PART_HOST ? "host" : ops->items[i]);
    for (size_t i = 0; !status && (i < runs.count || (!i && !runs.count)); i++) {
        if (runs.count && covered(&runs, i)) continue;
        double left = limit - (seconds_now() - started);
        if (left < 1) {
            say("bench: %s was not measured: the time limit of %.0f s was reached", runs.items[i], limit);
            continue;
        }
        status = measure(program, o, runs.count ? runs.items[i] : NULL, left, part);
        if (!append(csv, part, head)) {
            say("%s: %s", csv, strerror(errno));
            return EXIT_REFUSED;
        }
        head = false;
    }
    return status;
}

/* An empty file of our own in the directory for such; NULL: said. */
static char *temporary(void)
{
    const char *directory = getenv("TMPDIR");
    char *path = text_of("%s/lanewise-bench-XXXXXX", directory && *directory ? directory : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0) {
        say("%s: %s", path, strerror(errno));
        return NULL;
    }
    close(fd);
    return path;
}

static int measure_and_read(const bench_options *o, const words *ops, bench_result *result)
{
    char *part = temporary(), *whole = o->csv || !part ? NULL : temporary();
    const char *csv = o->csv ? o->csv : whole;
    int status = part && csv ? measure_all(o, ops, csv, part) : EXIT_REFUSED;
    if (!status && !bench_read(result, csv, ops)) status = EXIT_REFUSED;
    if (part) unlink(part);
    if (whole) unlink(whole);
    return status;
}

/* ---- the command ---- */

/* "host" stands for both of its ops. */
static bool add_op(words *ops, const char *word)
{
    if (!strcmp(word, "host")) {
        words_add(ops, "h2d");
        words_add(ops, "d2h");
        return true;
    }
    if (!parts_of(word)) return say_ops(word), false;
    words_add(ops, word);
    return true;
}

static int show(const bench_options *o, const bench_result *result)
{
    bool taken = (o->json && !strcmp(o->json, "-")) || (o->svg && !strcmp(o->svg, "-"));
    if (o->json && !bench_json(o->json, result)) {
        say("%s: %s", o->json, strerror(errno));
        return EXIT_REFUSED;
    }
    if (o->svg && !bench_svg(o->svg, result)) {
        say("%s: %s", o->svg, strerror(errno));
        return EXIT_REFUSED;
    }
    if (!taken) bench_table(stdout, result, o->rows);
    return 0;
}

static int parse(const command *self, bench_options *o, words *ops, char **argv)
{
    for (int i = 1; argv[i];) {
        opt_result r = opt_take(self, o, argv, &i);
        if (r == OPT_WRONG) return EXIT_USAGE;
        if (r == OPT_TAKEN) continue;
        if (argv[i][0] == '-') return opt_unknown(self, argv[i]);
        if (!add_op(ops, argv[i++])) return EXIT_USAGE;
    }
    if (o->from && (o->csv || o->quick)) {
        say("bench: --%s cannot be combined with --from, which does not measure", o->csv ? "csv" : "quick");
        return EXIT_USAGE;
    }
    if (o->json && o->svg && !strcmp(o->json, "-") && !strcmp(o->svg, "-")) {
        say("bench: --json and --svg cannot both go to stdout");
        return EXIT_USAGE;
    }
    return 0;
}

static int run_bench(const command *self, int argc, char **argv)
{
    (void)argc;
    bench_options o = {.seed = 1};
    bench_result result = {0};
    words ops = {0};
    int status = parse(self, &o, &ops, argv);
    if (status) return status;
    if (o.help) return opt_help(self, stdout), 0;
    if (o.from) status = bench_read(&result, o.from, &ops) ? 0 : EXIT_REFUSED;
    else status = measure_and_read(&o, &ops, &result);
    if (!status && !result.count) {
        say("%s: no cases%s", o.from ? o.from : "lanewise-ops-bench", ops.count ? " of these ops" : "");
        status = EXIT_REFUSED;
    }
    bench_group(&result);
    if (!status) status = show(&o, &result);
    free(result.rows);
    return status;
}

const command command_bench = {
    .name = "bench",
    .usage = "lanewise bench [options] [OP...]\nlanewise bench --from FILE.csv [options] [OP...]",
    .about =
        "Times liblanewise-ops on this machine's GPU, compares it with the best plain copy of the same bytes (the "
        "limit,\n"
        "1.0) and with other libraries (its peers), and shows one line per op. OP is an op or part of its name (host:\n"
        "copies between host and device); without OP, all are measured. If the time is not sufficient, fewer rounds\n"
        "are measured, and the output says what was left out.\n"
        "The measurements are made by a separate program, lanewise-ops-bench, which must be built and needs a GPU\n"
        "with its driver.",
    .options = bench_rows,
    .examples = "lanewise bench --quick\n"
                "lanewise bench transpose permute --rows --svg transpose.svg\n"
                "lanewise bench hist --seed 7 --csv hist.csv --json hist.json\n"
                "lanewise bench --from hist.csv --svg hist.svg",
    .run = run_bench};
