/* cmd_tune: lanewise tune. Compiles and runs a program with each combination of values of macros, several at once, and
 * orders them by predicted time. */
#include "variant.h"

#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_GIVEN UINT64_MAX
#define DEFAULT_MOST 64 /* variants */
#define RANGE_MOST 4096 /* values of a macro */

typedef struct tune_options {
    const char *device, *kernel, *caches, *cc, *cc_args;
    uint64_t jobs, max, seconds;
    bool json, help;
    const char *define; /* only for the help: it may be given several times */
} tune_options;

#define ROW(...) OPT_ROW(tune_options, __VA_ARGS__)
static const opt_row tune_rows[] = {
    ROW('d', "define", "NAME=VALUES", OPT_TEXT, define,
        "a macro and its values: A=8,16,32, or A=FROM:TO:STEP, or A=FROM:TO:*FACTOR; once for each macro. All "
        "combinations are tried"),
    ROW(0, "kernel", "REGEX", OPT_TEXT, kernel,
        "order by the time of the kernels whose name matches this extended regular expression (default: by the time of "
        "the whole program on the device)"),
    ROW(0, "device", "NAME", OPT_TEXT, device, "the device, as for `lanewise run` (default: an H200)"),
    ROW(0, "caches", "STATE", OPT_TEXT, caches, "warm (default) or cold, as for `lanewise run`"),
    ROW('j', "jobs", "N", OPT_COUNT, jobs, "run N variants at once (default: one for each processor)"),
    ROW(0, "max", "N", OPT_COUNT, max, "refuse to try more than N variants (default: 64)"),
    ROW(0, "timeout", "SECONDS", OPT_COUNT, seconds, "drop variants with a kernel whose emulation takes longer"),
    ROW(0, "cc", "nvcc|clang", OPT_TEXT, cc, "compile .cu files with nvcc or clang (default: nvcc if available)"),
    ROW(0, "cc-args", "'ARGS'", OPT_TEXT, cc_args, "additional arguments for the compiler"),
    ROW(0, "json", NULL, OPT_FLAG, json, "write JSON instead of a table"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

typedef struct macro {
    char *name;
    words values;
} macro;

typedef struct search {
    tune_options options;
    macro macros[16];
    size_t macro_count;
    words before, after;
    variant *variants;
    char **names;    /* "TILE=8 PAD=1" */
    double *seconds; /* that they are ordered by */
    size_t *order;   /* best first; those that failed last */
    size_t count;
} search;

/* ---- macros ---- */
static bool add_range(macro *m, const char *text)
{
    char *end;
    long from = strtol(text, &end, 0), to, step = 1;
    if (end == text || *end != ':') return false;
    const char *at = end + 1;
    to = strtol(at, &end, 0);
    if (end == at || (*end && *end != ':')) return false;
    bool times = *end && end[1] == '*';
    if (*end) {
        at = end + 1 + times;
        step = strtol(at, &end, 0);
        if (end == at || *end) return false;
    }
    if (step < 1 + times || (times && from < 1) || to < from) return false;
    for (long v = from; v <= to && m->values.count < RANGE_MOST; v = times ? v * step : v + step)
        words_add(&m->values, text_of("%ld", v));
    return true;
}

static bool is_name(const char *text, size_t length)
{
    bool fine = length > 0 && !isdigit((unsigned char)*text);
    for (size_t k = 0; k < length; k++) fine = fine && (isalnum((unsigned char)text[k]) || text[k] == '_');
    return fine;
}

static int add_macro(search *s, const char *text)
{
    size_t length = strcspn(text, "=");
    const char *values = text[length] ? text + length + 1 : "";
    if (s->macro_count == sizeof s->macros / sizeof s->macros[0]) {
        say("tune: at most %zu macros", sizeof s->macros / sizeof s->macros[0]);
        return EXIT_USAGE;
    }
    macro *m = &s->macros[s->macro_count++];
    m->name = text_of("%.*s", (int)length, text);
    bool fine = is_name(text, length) && *values;
    if (fine && strchr(values, ':')) fine = add_range(m, values);
    else
        for (const char *at = values; fine && *at; at += strcspn(at, ","), at += *at == ',')
            words_add(&m->values, text_of("%.*s", (int)strcspn(at, ","), at));
    if (fine) return 0;
    say("tune: --define takes NAME=8,16,32 or NAME=FROM:TO:STEP or NAME=FROM:TO:*FACTOR, not '%s'", text);
    return EXIT_USAGE;
}

/* Takes the --define options out of argv, as there may be several; returns what is left, NULL: one is wrong. */
static char **take_defines(search *s, char **argv)
{
    words rest = {0};
    size_t i = 0;
    for (; argv[i] && strcmp(argv[i], "--"); i++) {
        const char *value = NULL;
        if (!strcmp(argv[i], "--define") || !strcmp(argv[i], "-d")) value = argv[i + 1] ? argv[++i] : "";
        else if (!strncmp(argv[i], "--define=", 9)) value = argv[i] + 9;
        if (!value) words_add(&rest, argv[i]);
        else if (add_macro(s, value)) return NULL;
    }
    for (; argv[i]; i++) words_add(&rest, argv[i]);
    return rest.items;
}

/* ---- variants ---- */
static void add_option(words *w, const char *name, const char *value)
{
    if (!value) return;
    words_add(w, name);
    words_add(w, value);
}

static void make_variant(search *s, size_t index, uint64_t threads)
{
    const tune_options *o = &s->options;
    words *w = &s->variants[index].arguments;
    add_option(w, "--device", o->device);
    add_option(w, "--cc", o->cc);
    add_option(w, "--cc-args", o->cc_args);
    if (o->caches) words_add(w, text_of("--caches=%s", o->caches));
    if (o->seconds != NOT_GIVEN) words_add(w, text_of("--timeout=%llu", (unsigned long long)o->seconds));
    words_add(w, text_of("--threads=%llu", (unsigned long long)threads));
    words_add_all(w, &s->before);
    char *name = NULL;
    size_t rest = index;
    for (size_t k = s->macro_count; k-- > 0;) {
        const macro *m = &s->macros[k];
        char *define = text_of("%s=%s", m->name, m->values.items[rest % m->values.count]);
        rest /= m->values.count;
        words_add(w, text_of("-D%s", define));
        name = name ? text_of("%s %s", define, name) : define;
    }
    s->names[index] = name;
    words_add_all(w, &s->after);
}

static int make_variants(search *s, uint64_t threads)
{
    uint64_t most = s->options.max == NOT_GIVEN ? DEFAULT_MOST : s->options.max;
    s->count = 1;
    for (size_t k = 0; k < s->macro_count; k++) {
        s->count *= s->macros[k].values.count;
        if (s->count <= most) continue;
        say("tune: there are more than %llu variants; give fewer values, or --max", (unsigned long long)most);
        return EXIT_USAGE;
    }
    s->variants = keep(s->count * sizeof *s->variants);
    s->names = keep(s->count * sizeof *s->names);
    s->seconds = keep(s->count * sizeof *s->seconds);
    s->order = keep(s->count * sizeof *s->order);
    for (size_t k = 0; k < s->count; k++) make_variant(s, k, threads);
    return 0;
}

static void progress(const search *s, size_t done)
{
    if (!isatty(STDERR_FILENO)) return;
    if (done < s->count) fprintf(stderr, "\r\033[K%zu of %zu variants", done, s->count);
    else fprintf(stderr, "\r\033[K");
}

static bool run_variants(search *s, uint64_t jobs)
{
    size_t begun = 0, done = 0;
    while (done < s->count) {
        progress(s, done);
        while (begun < s->count && begun - done < jobs)
            if (!variant_start(&s->variants[begun++])) return false;
        if (!variant_wait(s->variants, s->count)) return false;
        done++;
    }
    progress(s, done);
    return true;
}

/* ---- the order ---- */
static double seconds_of(variant *v, const regex_t *regex)
{
    double sum = 0;
    bool any = false;
    if (!regex) return v->device_seconds;
    for (size_t k = 0; k < v->kernel_count; k++) {
        if (regexec(regex, v->kernels[k].name, 0, NULL, 0)) continue;
        sum += v->kernels[k].seconds;
        any = true;
    }
    if (!any && !v->why) v->why = text_of("no kernel matches --kernel");
    return sum;
}

static bool comes_before(const search *s, size_t a, size_t b)
{
    bool a_failed = s->variants[a].why != NULL, b_failed = s->variants[b].why != NULL;
    if (a_failed != b_failed) return b_failed;
    return !a_failed && s->seconds[a] < s->seconds[b];
}

static void sort(search *s, const regex_t *regex)
{
    for (size_t k = 0; k < s->count; k++) {
        s->seconds[k] = seconds_of(&s->variants[k], regex);
        size_t at = k;
        for (; at > 0 && comes_before(s, k, s->order[at - 1]); at--) s->order[at] = s->order[at - 1];
        s->order[at] = k;
    }
}

/* The kernel that takes longest of those that count. */
static const variant_kernel *main_kernel(const variant *v, const regex_t *regex)
{
    const variant_kernel *most = NULL;
    for (size_t k = 0; k < v->kernel_count; k++) {
        const variant_kernel *kernel = &v->kernels[k];
        if (regex && regexec(regex, kernel->name, 0, NULL, 0)) continue;
        if (!most || kernel->seconds > most->seconds) most = kernel;
    }
    return most;
}

/* ---- text ---- */
static void print_reason(const search *s, const regex_t *regex)
{
    size_t best = s->order[0];
    const variant_kernel *k = main_kernel(&s->variants[best], regex);
    printf("\nbest: %s, %s; %s is limited by %s", s->names[best], variant_time(s->seconds[best]), k->name,
           k->bottleneck);
    printf(", occupancy %.0f %%\n", 100 * k->occupancy);
    if (s->count < 2 || s->variants[s->order[1]].why) return;
    size_t next = s->order[1];
    const variant_kernel *n = main_kernel(&s->variants[next], regex);
    printf("next: %s, %s (+%.0f %%); %s is limited by %s", s->names[next], variant_time(s->seconds[next]),
           100 * (s->seconds[next] / s->seconds[best] - 1), n->name, n->bottleneck);
    if (n->place) printf(", most of it at %s", n->place);
    printf(", occupancy %.0f %%\n", 100 * n->occupancy);
    if (k->low > 0 && n->low < k->high) printf("The predicted ranges of the two overlap: measure both.\n");
}

static void print_text(const search *s, const regex_t *regex)
{
    int width = 7;
    for (size_t k = 0; k < s->count; k++)
        if ((int)strlen(s->names[k]) > width) width = (int)strlen(s->names[k]);
    printf("%-*s %10s %9s  %-10s %9s  %s\n", width, "variant", "time", "to best", "limited by", "occupancy", "at line");
    for (size_t n = 0; n < s->count; n++) {
        size_t at = s->order[n];
        const variant *v = &s->variants[at];
        const variant_kernel *k = main_kernel(v, regex);
        if (v->why) {
            printf("%-*s %10s  %s\n", width, s->names[at], "failed", v->why);
            continue;
        }
        printf("%-*s %10s %8.2fx  %-10s %7.0f %%  %s\n", width, s->names[at], variant_time(s->seconds[at]),
               s->seconds[at] / s->seconds[s->order[0]], k->bottleneck, 100 * k->occupancy, k->place ? k->place : "-");
    }
    if (!s->variants[s->order[0]].why) print_reason(s, regex);
}

/* ---- JSON ---- */
static void json_values(const search *s, size_t index)
{
    size_t rest = index, at[16];
    for (size_t k = s->macro_count; k-- > 0;) {
        at[k] = rest % s->macros[k].values.count;
        rest /= s->macros[k].values.count;
    }
    printf("{");
    for (size_t k = 0; k < s->macro_count; k++) {
        printf("%s", k ? ", " : "");
        json_text(stdout, s->macros[k].name);
        printf(": ");
        json_text(stdout, s->macros[k].values.items[at[k]]);
    }
    printf("}");
}

static void print_json(const search *s, const regex_t *regex)
{
    printf("{\"schema\": 1,\n \"variants\": [");
    for (size_t n = 0; n < s->count; n++) {
        size_t at = s->order[n];
        const variant *v = &s->variants[at];
        const variant_kernel *k = main_kernel(v, regex);
        printf("%s\n  {\"define\": ", n ? "," : "");
        json_values(s, at);
        if (v->why) {
            printf(", \"failed\": ");
            json_text(stdout, v->why);
        } else {
            printf(", \"seconds\": %.9g, \"device_seconds\": %.9g, \"kernel\": ", s->seconds[at], v->device_seconds);
            json_text(stdout, k->name);
            printf(", \"bottleneck\": \"%s\", \"occupancy\": %.4g", k->bottleneck, k->occupancy);
        }
        printf("}");
    }
    printf("]}\n");
}

/* ---- the command ---- */
static int refuse(const char *what)
{
    say("tune: %s", what);
    return EXIT_USAGE;
}

static int check(search *s, regex_t *regex)
{
    const tune_options *o = &s->options;
    if (!s->macro_count) return refuse("give at least one --define NAME=VALUES (--help has examples)");
    if (!s->before.count && !s->after.count) return refuse("nothing to run: lanewise tune --define TILE=8,16 prog.cu");
    if (!s->before.count) return refuse("macros need a source: lanewise tune --define TILE=8,16 prog.cu");
    if (o->jobs == 0 || o->max == 0) return refuse("--jobs and --max take at least 1");
    if (o->kernel && regcomp(regex, o->kernel, REG_EXTENDED | REG_NOSUB))
        return refuse("--kernel is no regular expression");
    return 0;
}

static int run_tune(const command *self, int argc, char **argv)
{
    (void)argc;
    search s = {.options = {.jobs = NOT_GIVEN, .max = NOT_GIVEN, .seconds = NOT_GIVEN}};
    regex_t compiled;
    char **rest = take_defines(&s, argv);
    int status = rest ? variant_parse(self, &s.options, rest, &s.before, &s.after) : EXIT_USAGE;
    if (!status && s.options.help) {
        opt_help(self, stdout);
        return 0;
    }
    if (!status) status = check(&s, &compiled);
    if (status) return status;
    const regex_t *regex = s.options.kernel ? &compiled : NULL;
    uint64_t processors = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = s.options.jobs == NOT_GIVEN ? processors : s.options.jobs;
    if (jobs > processors) jobs = processors;
    status = make_variants(&s, processors / jobs);
    if (status) return status;
    if (!variants_begin()) return EXIT_REFUSED;
    bool ran = run_variants(&s, jobs);
    variants_end();
    if (!ran) return EXIT_REFUSED;
    sort(&s, regex);
    if (s.options.json) print_json(&s, regex);
    else print_text(&s, regex);
    return s.variants[s.order[0]].why ? EXIT_REFUSED : 0;
}

const command command_tune = {
    .name = "tune",
    .usage = "lanewise tune --define NAME=VALUES [--define ...] [options] a.cu [b.cu ...] [-I.. ...] [-- arguments]",
    .about =
        "Compiles and runs a program under `lanewise run --time` with each combination of values of macros, and "
        "orders\n"
        "the variants by predicted time. Variants that do not compile, exit with another status than 0, or have "
        "errors\n"
        "or warnings are out: let the program check its results. Its output is not shown. Exits with 0 if any variant\n"
        "is left.",
    .options = tune_rows,
    .examples = "lanewise tune --define TILE=8,16,32 --define PAD=0,1 --kernel transpose transpose.cu\n"
                "lanewise tune --define BLOCK=64:1024:*2 --device a100 reduce.cu -O3 -- 1000000\n"
                "lanewise tune --define UNROLL=1:8:1 -j 4 --json stencil.cu",
    .run = run_tune};
