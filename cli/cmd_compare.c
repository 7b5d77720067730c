/* cmd_compare: lanewise compare. Runs a program once a device, one after the other, as what it does may depend on the
 * device, and puts predicted times side by side. */
#include "variant.h"

#include <stdlib.h>
#include <string.h>

#define KERNELS_SHOWN 12
#define LABEL_WIDTH 14
#define DEVICE_WIDTH 16

typedef struct compare_options {
    const char *device, *kernel, *caches, *cc, *cc_args;
    bool json, all, help;
} compare_options;

#define ROW(...) OPT_ROW(compare_options, __VA_ARGS__)
static const opt_row compare_rows[] = {
    ROW(0, "device", "NAMES", OPT_TEXT, device,
        "the devices, with commas between: names from `lanewise devices`, or capabilities such as cc:8.6"),
    ROW(0, "kernel", "REGEX", OPT_TEXT, kernel, "only kernels whose name matches this extended regular expression"),
    ROW(0, "caches", "STATE", OPT_TEXT, caches, "warm (default) or cold, as for `lanewise run`"),
    ROW(0, "cc", "nvcc|clang", OPT_TEXT, cc, "compile .cu files with nvcc or clang (default: nvcc if available)"),
    ROW(0, "cc-args", "'ARGS'", OPT_TEXT, cc_args, "additional arguments for the compiler"),
    ROW(0, "json", NULL, OPT_FLAG, json, "write JSON instead of a table"),
    ROW(0, "all", NULL, OPT_FLAG, all, "show all kernels, not only those that take longest"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

typedef struct comparison {
    lw_device_info *devices;
    variant *runs; /* as many */
    size_t count;
    char **kernels; /* names, those that take longest first */
    size_t kernel_count;
} comparison;

/* ---- the devices ---- */
static int find_devices(comparison *c, const char *list)
{
    lw_message message;
    while (*list) {
        size_t length = strcspn(list, ",");
        c->devices = realloc(c->devices, (c->count + 1) * sizeof *c->devices);
        if (!c->devices) abort();
        if (lw_device_find(text_of("%.*s", (int)length, list), &c->devices[c->count], &message)) {
            say("%s", message.text);
            return EXIT_USAGE;
        }
        c->count++;
        list += length + (list[length] == ',');
    }
    return 0;
}

static void add_option(words *w, const char *name, const char *value)
{
    if (!value) return;
    words_add(w, name);
    words_add(w, value);
}

static int run_all(comparison *c, const compare_options *o, const words *before, const words *after)
{
    int failed = 0;
    c->runs = keep(c->count * sizeof *c->runs);
    for (size_t k = 0; k < c->count; k++) {
        variant *v = &c->runs[k];
        add_option(&v->arguments, "--device", c->devices[k].id);
        add_option(&v->arguments, "--kernel", o->kernel);
        if (o->caches) words_add(&v->arguments, text_of("--caches=%s", o->caches));
        add_option(&v->arguments, "--cc", o->cc);
        add_option(&v->arguments, "--cc-args", o->cc_args);
        words_add_all(&v->arguments, before);
        words_add_all(&v->arguments, after);
        if (!variant_start(v) || !variant_wait(c->runs, c->count)) return EXIT_REFUSED;
        if (!v->why) continue;
        say("%s: %s", c->devices[k].id, v->why);
        failed = v->status ? v->status : EXIT_REFUSED;
    }
    return failed;
}

/* ---- kernels ---- */
static double longest_of(const comparison *c, const char *name)
{
    double most = 0;
    for (size_t k = 0; k < c->count; k++) {
        const variant_kernel *kernel = variant_kernel_of(&c->runs[k], name);
        if (kernel && kernel->seconds > most) most = kernel->seconds;
    }
    return most;
}

static void insert_kernel(comparison *c, char *name)
{
    for (size_t k = 0; k < c->kernel_count; k++)
        if (!strcmp(c->kernels[k], name)) return;
    c->kernels = realloc(c->kernels, (c->kernel_count + 1) * sizeof *c->kernels);
    if (!c->kernels) abort();
    size_t at = c->kernel_count++;
    double seconds = longest_of(c, name);
    for (; at > 0 && longest_of(c, c->kernels[at - 1]) < seconds; at--) c->kernels[at] = c->kernels[at - 1];
    c->kernels[at] = name;
}

static void find_kernels(comparison *c)
{
    for (size_t k = 0; k < c->count; k++)
        for (size_t n = 0; n < c->runs[k].kernel_count; n++) insert_kernel(c, c->runs[k].kernels[n].name);
}

/* ---- text ---- */
static void label(const char *text) { printf("  %-*s", LABEL_WIDTH, text); }
static void cell(const char *text) { printf("%*s", DEVICE_WIDTH, text); }

static void print_devices(const comparison *c)
{
    label("");
    for (size_t k = 0; k < c->count; k++) cell(text_of("%.*s", DEVICE_WIDTH - 2, c->devices[k].id));
    putchar('\n');
}

static void print_relative(double seconds, double first)
{
    cell(first > 0 && seconds > 0 ? text_of("%.2fx", seconds / first) : "-");
}

static void print_kernel(const comparison *c, const char *name)
{
    const variant_kernel *first = variant_kernel_of(&c->runs[0], name);
    printf("\n%s\n", name);
    enum { TIME, RANGE, RELATIVE, BOTTLENECK, OCCUPANCY, LINE, LAUNCHES, FACTS };
    static const char *const facts[FACTS] = {"time",      "from, to", "relative", "limited by",
                                             "occupancy", "at line",  "launches"};
    for (int fact = 0; fact < FACTS; fact++) {
        label(facts[fact]);
        for (size_t k = 0; k < c->count; k++) {
            const variant_kernel *v = variant_kernel_of(&c->runs[k], name);
            if (!v) {
                cell("-");
                continue;
            }
            switch (fact) {
            case TIME: cell(variant_time(v->seconds)); break;
            case RANGE: cell(variant_range(v->low, v->high)); break;
            case RELATIVE: print_relative(v->seconds, first ? first->seconds : 0); break;
            case BOTTLENECK: cell(v->bottleneck); break;
            case OCCUPANCY: cell(text_of("%.0f %%", 100 * v->occupancy)); break;
            case LINE: cell(v->place ? text_of("%.*s", DEVICE_WIDTH - 2, v->place) : "-"); break;
            case LAUNCHES: cell(text_of("%llu", (unsigned long long)v->launches)); break;
            default: break;
            }
        }
        putchar('\n');
    }
}

static void print_text(const comparison *c, bool all)
{
    size_t shown = all || c->kernel_count < KERNELS_SHOWN ? c->kernel_count : KERNELS_SHOWN;
    printf(
        "Predicted times; the program ran once for each device. They are compared with measurements on an\n"
        "H200 alone (docs/ACCURACY.md): of other devices, `lanewise devices NAME` says which figures are assumed.\n\n");
    print_devices(c);
    for (size_t k = 0; k < shown; k++) print_kernel(c, c->kernels[k]);
    if (shown < c->kernel_count) printf("\nand %zu more kernels (--all shows them)\n", c->kernel_count - shown);
    printf("\nthe whole program on the device: kernels, copies, gaps\n");
    label("time");
    for (size_t k = 0; k < c->count; k++) cell(c->runs[k].why ? "failed" : variant_time(c->runs[k].device_seconds));
    putchar('\n');
    label("relative");
    for (size_t k = 0; k < c->count; k++)
        print_relative(c->runs[k].why ? 0 : c->runs[k].device_seconds, c->runs[0].device_seconds);
    putchar('\n');
}

/* ---- JSON ---- */
static void json_kernel(const comparison *c, const char *name)
{
    const char *gap = "";
    printf("{\"kernel\": ");
    json_text(stdout, name);
    printf(", \"devices\": [");
    for (size_t k = 0; k < c->count; k++) {
        const variant_kernel *v = variant_kernel_of(&c->runs[k], name);
        if (!v) continue;
        printf("%s\n    {\"device\": ", gap);
        json_text(stdout, c->devices[k].id);
        printf(", \"seconds\": %.9g, \"low\": %.9g, \"high\": %.9g, \"launches\": %llu, \"bottleneck\": \"%s\", "
               "\"occupancy\": %.4g}",
               v->seconds, v->low, v->high, (unsigned long long)v->launches, v->bottleneck, v->occupancy);
        gap = ",";
    }
    printf("]}");
}

static void print_json(const comparison *c)
{
    printf("{\"schema\": 1,\n \"devices\": [");
    for (size_t k = 0; k < c->count; k++) {
        printf("%s\n  {\"device\": ", k ? "," : "");
        json_text(stdout, c->devices[k].id);
        printf(", \"device_seconds\": %.9g", c->runs[k].device_seconds);
        if (c->runs[k].why) printf(", \"failed\": ");
        if (c->runs[k].why) json_text(stdout, c->runs[k].why);
        printf("}");
    }
    printf("],\n \"kernels\": [");
    for (size_t k = 0; k < c->kernel_count; k++) {
        printf("%s\n  ", k ? "," : "");
        json_kernel(c, c->kernels[k]);
    }
    printf("]}\n");
}

static int run_compare(const command *self, int argc, char **argv)
{
    (void)argc;
    compare_options o = {0};
    comparison c = {0};
    words before = {0}, after = {0};
    int status = variant_parse(self, &o, argv, &before, &after);
    if (status) return status;
    if (o.help) {
        opt_help(self, stdout);
        return 0;
    }
    if (!o.device || !*o.device) {
        say("compare: name the devices, such as --device h200,a100 (lanewise devices lists them)");
        return EXIT_USAGE;
    }
    if (!before.count && !after.count) {
        say("compare: nothing to run: lanewise compare --device h200,a100 prog.cu");
        return EXIT_USAGE;
    }
    status = find_devices(&c, o.device);
    if (status) return status;
    if (!variants_begin()) return EXIT_REFUSED;
    status = run_all(&c, &o, &before, &after);
    variants_end();
    find_kernels(&c);
    if (o.json) print_json(&c);
    else if (c.kernel_count) print_text(&c, o.all);
    return status;
}

const command command_compare = {
    .name = "compare",
    .usage = "lanewise compare --device NAMES [options] a.cu [b.cu ...] [-I.. -D.. ...] [-- arguments]\n"
             "lanewise compare --device NAMES [options] PROGRAM [arguments]",
    .about = "Runs a program under `lanewise run --time` once for each device, one after the other, and shows the "
             "predicted\n"
             "times of its kernels, what limits them, and their occupancy side by side. The program's own output is "
             "not shown.\n"
             "Exits with the status of the last run that failed.",
    .options = compare_rows,
    .examples = "lanewise compare --device h200,a100,rtx4090 transpose.cu\n"
                "lanewise compare --device h200,h100 --kernel 'gemm.*' gemm.cu -O3 -- 1024\n"
                "lanewise compare --device cc:8.6,cc:8.9 --json ./app input.bin",
    .run = run_compare};
