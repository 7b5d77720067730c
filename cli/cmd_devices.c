/* cmd_devices: lanewise devices: the list of devices, one of them with the source of every number, or several side by
 * side with what differs marked. Widths follow the terminal. */
#include "cli.h"

#include "lanewise/devices.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_LEAST 40
#define WIDTH_UNKNOWN 80
#define NAME_WIDTH 24
#define VALUE_WIDTH 16
#define TEXTS_FROM 110 /* columns from which a number's description fits beside it */

typedef struct devices_options {
    const char *profile;
    bool different, json, help;
} devices_options;

#define ROW(...) OPT_ROW(devices_options, __VA_ARGS__)
static const opt_row devices_rows[] = {
    ROW('d', "different", NULL, OPT_FLAG, different, "with several devices, show only the differences"),
    ROW('p', "profile", "FILE", OPT_TEXT, profile,
        "show your own profile, in the format of data/devices; can be repeated, and combined with names"),
    ROW(0, "json", NULL, OPT_FLAG, json, "write JSON: every number with its source"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

/* The devices asked for, and how they are drawn. */
typedef struct view {
    lw_device_profile **items;
    size_t count, width;
    const char *mark, *bold, *dim, *plain;
    bool different;
} view;

static view view_of_stdout(void)
{
    terminal t = terminal_of(stdout);
    return (view){.width = !t.width                ? WIDTH_UNKNOWN
                           : t.width < WIDTH_LEAST ? WIDTH_LEAST
                                                   : t.width,
                  .mark = t.colour ? "\033[33m" : "",
                  .bold = t.colour ? "\033[1m" : "",
                  .dim = t.colour ? "\033[2m" : "",
                  .plain = t.colour ? "\033[0m" : ""};
}

static void add(view *v, lw_device_profile *device)
{
    v->items = realloc(v->items, (v->count + 1) * sizeof *v->items);
    if (!v->items) abort();
    v->items[v->count++] = device;
}

static void close_all(view *v)
{
    for (size_t i = 0; i < v->count; i++) lw_device_close(v->items[i]);
    free(v->items);
}

/* ---- numbers as people read them ---- */

/* "228 KiB", "139.8 GiB", "2097120 B" */
static char *bytes_text(uint64_t n)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    uint64_t whole = n;
    for (; unit < 2 && whole && whole % 1024 == 0; unit++) whole /= 1024;
    if (n == INT32_MAX) return text_of("2^31-1 B");
    if (n >= 1u << 30) return text_of("%.1f GiB", (double)n / (1u << 30));
    if (n >> 20 && 2 * n % (1u << 20) == 0 && unit < 2) return text_of("%.1f MiB", (double)n / (1u << 20));
    return n ? text_of("%llu %s", (unsigned long long)whole, units[unit]) : text_of("0");
}

static char *list_text(const lw_device_number *n)
{
    if (!n->list_count) return text_of("-");
    bool bytes = !strcmp(n->unit, "bytes");
    char *text = text_of("%s", "");
    for (size_t i = 0; i < n->list_count; i++)
        text = text_of("%s%s%llu", text, i ? " " : "", (unsigned long long)n->list[i] / (bytes ? 1024 : 1));
    return bytes ? text_of("%s KiB", text) : text;
}

static char *value_text(const lw_device_number *n)
{
    if (n->list) return list_text(n);
    if (!strcmp(n->unit, "bytes")) return bytes_text(n->value);
    if (!strcmp(n->unit, "kHz")) return text_of("%.6g MHz", (double)n->value / 1000);
    return n->value == INT32_MAX ? text_of("2^31-1") : text_of("%llu", (unsigned long long)n->value);
}

static bool same(const lw_device_number *a, const lw_device_number *b)
{
    if (a->list) return a->list_count == b->list_count && !memcmp(a->list, b->list, a->list_count * sizeof *a->list);
    return a->value == b->value;
}

/* Words from column on, folded at the width, further lines indented to the same column. */
static void fold(const char *text, size_t column, size_t width)
{
    size_t at = column;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (at > column && at + 1 + length > width) {
            printf("\n%*s", (int)column, "");
            at = column;
        }
        at += (size_t)printf("%s%.*s", at > column ? " " : "", (int)length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

/* ---- the list ---- */

static uint64_t number(const lw_device_profile *d, const char *name)
{
    const lw_device_number *n;
    size_t count = lw_device_numbers(d, &n);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(n[i].name, name)) return n[i].value;
    return 0;
}

static int by_generation(const void *a, const void *b)
{
    const lw_device_info *x = lw_device_profile_info(*(lw_device_profile *const *)a);
    const lw_device_info *y = lw_device_profile_info(*(lw_device_profile *const *)b);
    int kind = !strncmp(x->id, "cc:", 3) - !strncmp(y->id, "cc:", 3);
    int cc = 10 * (x->major - y->major) + x->minor - y->minor;
    return kind ? kind : cc ? cc : strcmp(x->id, y->id);
}

static char *amount(uint64_t n, uint64_t unit)
{
    if (!n) return text_of("-");
    return n % unit && n < 100 * unit ? text_of("%.1f", (double)n / (double)unit)
                                      : text_of("%llu", (unsigned long long)(n / unit));
}

static void list_row(const lw_device_profile *d, bool wide)
{
    const lw_device_info *info = lw_device_profile_info(d);
    printf("%-13s %-25.25s %2d.%d %4d %7.1f %6s %6s %7s", info->id, info->name, info->major, info->minor,
           info->multiprocessors, (double)info->memory_bytes / (1u << 30), amount(info->l2_bytes, 1u << 20),
           amount(info->shared_per_multiprocessor, 1024), amount(info->shared_per_block, 1024));
    if (wide) {
        printf(" %6s %7llu %6llu %6s %6llu", amount(number(d, "l1_bytes"), 1024),
               (unsigned long long)(number(d, "warp_size") * number(d, "warps_per_sm")),
               (unsigned long long)number(d, "blocks_per_sm"), amount(number(d, "registers_per_sm"), 1024),
               (unsigned long long)number(d, "clock_khz") / 1000);
    }
    putchar('\n');
}

static void show_list(const view *v)
{
    bool wide = v->width >= 115, generic = false;
    printf("%s%-13s %-25s %4s %4s %7s %6s %6s %7s", v->bold, "--device", "name", "cc", "SMs", "memory", "L2", "shared",
           "shared");
    if (wide) printf(" %6s %7s %6s %6s %6s", "L1", "threads", "blocks", "regs", "clock");
    printf("%s\n%s%-13s %-25s %4s %4s %7s %6s %6s %7s", v->plain, v->dim, "", "", "", "", "GiB", "MiB", "KiB/SM",
           "KiB/blk");
    if (wide) printf(" %6s %7s %6s %6s %6s", "KiB/SM", "/SM", "/SM", "Ki/SM", "MHz");
    printf("%s\n", v->plain);
    for (size_t i = 0; i < v->count; i++) {
        bool is_generic = !strncmp(lw_device_profile_info(v->items[i])->id, "cc:", 3);
        if (is_generic && !generic)
            printf("\n%sany device of a capability; the board's numbers are those of one such card%s\n", v->dim,
                   v->plain);
        generic = is_generic;
        list_row(v->items[i], wide);
    }
}

/* ---- one device ---- */

/* The index of the source among those seen so far; it is added if it is new. */
static size_t footnote(words *sources, const char *source)
{
    for (size_t i = 0; i < sources->count; i++)
        if (!strcmp(sources->items[i], source)) return i + 1;
    words_add(sources, source);
    return sources->count;
}

static void show_number(const view *v, const lw_device_number *n, words *sources)
{
    const char *value = value_text(n);
    char *note = *n->confidence ? text_of("[%zu]", footnote(sources, n->source)) : text_of("%s", "");
    const char *sure = *n->confidence ? n->confidence : "none known";
    if (strlen(value) > VALUE_WIDTH) { /* a list */
        printf("  %-*s ", NAME_WIDTH, n->name);
        fold(value, NAME_WIDTH + 3, v->width);
        printf("  %-*s %*s", NAME_WIDTH, "", VALUE_WIDTH, "");
    } else {
        printf("  %-*s %*s", NAME_WIDTH, n->name, VALUE_WIDTH, value);
    }
    if (v->width < TEXTS_FROM) {
        printf("  %-10s %s\n", sure, note);
        return;
    }
    size_t column = NAME_WIDTH + VALUE_WIDTH + 3 + (size_t)printf("  %-10s %-5s", sure, note);
    fold(n->text, column, v->width);
}

static void show_one(const view *v)
{
    const lw_device_info *info = lw_device_profile_info(v->items[0]);
    const lw_device_number *n;
    size_t count = lw_device_numbers(v->items[0], &n);
    words sources = {0};
    printf("%s%s%s (%s), compute capability %d.%d\n", v->bold, info->name, v->plain, info->id, info->major,
           info->minor);
    for (size_t i = 0; i < count; i++) {
        if (!i || strcmp(n[i].group, n[i - 1].group)) printf("\n%s%s%s\n", v->bold, n[i].group, v->plain);
        show_number(v, &n[i], &sources);
    }
    printf("\n%ssources%s\n", v->bold, v->plain);
    for (size_t i = 0; i < sources.count; i++)
        fold(sources.items[i], (size_t)printf("  %5s ", text_of("[%zu]", i + 1)), v->width);
}

/* ---- several devices ---- */

static bool differs(const view *v, size_t row)
{
    const lw_device_number *first, *other;
    lw_device_numbers(v->items[0], &first);
    for (size_t i = 1; i < v->count; i++) {
        lw_device_numbers(v->items[i], &other);
        if (!same(&first[row], &other[row])) return true;
    }
    return false;
}

static char *cell(const view *v, size_t device, size_t row)
{
    const lw_device_number *n;
    lw_device_numbers(v->items[device], &n);
    if (n[row].list && n[row].list_count > 2) /* as a range: sizes in full are in the view of one device */
        return text_of("%zu values", n[row].list_count);
    return value_text(&n[row]);
}

/* The rows of devices first to last, which fit side by side. */
static void compare_block(const view *v, size_t first, size_t last, size_t column)
{
    const lw_device_number *n;
    size_t count = lw_device_numbers(v->items[0], &n);
    printf("%s  %-*s", v->bold, NAME_WIDTH, "");
    for (size_t d = first; d < last; d++) printf(" %*s", (int)column, lw_device_profile_info(v->items[d])->id);
    printf("%s\n", v->plain);
    for (size_t i = 0; i < count; i++) {
        bool different = differs(v, i);
        if (v->different && !different) continue;
        printf("%s%c %-*s", different ? v->mark : "", different ? '*' : ' ', NAME_WIDTH, n[i].name);
        for (size_t d = first; d < last; d++) printf(" %*s", (int)column, cell(v, d, i));
        printf("%s\n", different ? v->plain : "");
    }
}

static void show_compared(const view *v)
{
    const lw_device_number *n;
    size_t count = lw_device_numbers(v->items[0], &n), column = 8, different = 0;
    for (size_t d = 0; d < v->count; d++) {
        const lw_device_info *info = lw_device_profile_info(v->items[d]);
        printf("%-13s %s, compute capability %d.%d\n", info->id, info->name, info->major, info->minor);
        if (strlen(info->id) > column) column = strlen(info->id);
        for (size_t i = 0; i < count; i++) {
            size_t length = strlen(cell(v, d, i));
            if (length > column) column = length;
        }
    }
    for (size_t i = 0; i < count; i++) different += differs(v, i);
    size_t room = v->width > NAME_WIDTH + 2 ? (v->width - NAME_WIDTH - 2) / (column + 1) : 1;
    for (size_t first = 0; first < v->count; first += room ? room : 1) {
        size_t last = first + (room ? room : 1);
        putchar('\n');
        compare_block(v, first, last < v->count ? last : v->count, column);
    }
    printf("\n* differs: %zu of %zu numbers\n", different, count);
}

/* ---- the command ---- */

static void open_listed(void *user, const lw_device_info *info)
{
    lw_device_profile *device;
    if (!lw_device_open(info->id, &device, NULL)) add(user, device);
}

/* false: it has been said what is wrong. */
static bool open_words(view *v, devices_options *o, const command *self, char **argv)
{
    lw_message message = {""};
    for (int i = 1; argv[i];) {
        lw_device_profile *device = NULL;
        opt_result r = opt_take(self, o, argv, &i);
        if (r == OPT_WRONG) return false;
        if (r == OPT_TAKEN && !o->profile) continue;
        if (r == OPT_OTHER && argv[i][0] == '-') return opt_unknown(self, argv[i]), false;
        int failed = o->profile ? lw_device_open_file(o->profile, &device, &message)
                                : lw_device_open(argv[i++], &device, &message);
        o->profile = NULL;
        if (failed) {
            say("%s", message.text);
            return false;
        }
        add(v, device);
    }
    return true;
}

static int show(view *v, const devices_options *o, bool named)
{
    lw_message message = {""};
    char *json = NULL;
    if (!named && lw_device_each(open_listed, v, &message)) {
        say("%s", message.text);
        return EXIT_REFUSED;
    }
    if (!named) qsort(v->items, v->count, sizeof *v->items, by_generation);
    if (o->json) {
        if (lw_device_json(v->items, v->count, &json, &message)) {
            say("%s", message.text);
            return EXIT_REFUSED;
        }
        puts(json);
        free(json);
    } else if (!named) {
        show_list(v);
    } else if (v->count == 1) {
        show_one(v);
    } else {
        show_compared(v);
    }
    return 0;
}

static int run_devices(const command *self, int argc, char **argv)
{
    (void)argc;
    devices_options o = {0};
    view v = view_of_stdout();
    int status = EXIT_USAGE;
    if (open_words(&v, &o, self, argv)) {
        v.different = o.different;
        status = 0;
        if (o.help) opt_help(self, stdout);
        else status = show(&v, &o, v.count > 0);
    }
    close_all(&v);
    return status;
}

const command command_devices = {
    .name = "devices",
    .usage = "lanewise devices [options] [NAME...]",
    .about = "Lists the devices that can be emulated: graphics cards, then compute capabilities. Given one name, it\n"
             "shows every number of that device and its source; given several, it compares them.\n"
             "`lanewise run --device NAME` accepts the names in the first column, the full name of a card, or a\n"
             "capability written as 9.0, sm_90 or cc:9.0.",
    .options = devices_rows,
    .examples = "lanewise devices\n"
                "lanewise devices h200\n"
                "lanewise devices -d v100 a100 h100\n"
                "lanewise devices --profile mycard.json rtx4090\n"
                "lanewise devices --json a100 | jq '.devices[0].numbers.shared_per_sm'\n"
                "lanewise run --device gtx980 prog.cu",
    .run = run_devices};
