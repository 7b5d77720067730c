/* cmd_occupancy: lanewise occupancy, the calculator: blocks and warps on a multiprocessor, what limits them, a table
 * over block sizes or devices. Pictures are bars of characters; JSON is written here because it holds numbers only. */
#include "cli.h"

#include "lanewise/occupancy.h"
#include "lanewise/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_GIVEN UINT64_MAX
#define BAR_CELLS 24

typedef struct occupancy_options {
    const char *device, *cc, *carveout;
    uint64_t threads, registers, shared, dynamic_shared, shared_per_thread, barriers, cluster;
    bool all, json, help;
} occupancy_options;

#define ROW(...) OPT_ROW(occupancy_options, __VA_ARGS__)
static const opt_row occupancy_rows[] = {
    ROW('t', "threads", "N", OPT_COUNT, threads,
        "threads per block; without it, only the table of block sizes is shown"),
    ROW('r', "registers", "N", OPT_COUNT, registers,
        "registers per thread, as shown by `nvcc -Xptxas -v` or `lanewise run` (default: not a limit)"),
    ROW('s', "shared", "SIZE", OPT_SIZE, shared,
        "shared memory per block, static and dynamic: in bytes, or such as 48K"),
    ROW(0, "dynamic-shared", "SIZE", OPT_SIZE, dynamic_shared, "dynamic shared memory per block, added to --shared"),
    ROW(0, "shared-per-thread", "SIZE", OPT_SIZE, shared_per_thread,
        "dynamic shared memory that depends on the block size: bytes per thread"),
    ROW(0, "carveout", "WHAT", OPT_TEXT, carveout,
        "how memory is divided between shared memory and L1: percentage of shared memory (from cc 7.0), or l1, shared, "
        "equal as for cudaFuncSetCacheConfig (default: whatever fits the most blocks)"),
    ROW(0, "barriers", "N", OPT_COUNT, barriers, "barriers per block (default: 1)"),
    ROW(0, "cluster", "N", OPT_COUNT, cluster, "blocks per cluster (from cc 9.0)"),
    ROW(0, "device", "NAME", OPT_TEXT, device, "device: a name from `lanewise devices` (default: an H200)"),
    ROW(0, "cc", "X.Y", OPT_TEXT, cc, "compute capability instead of a device"),
    ROW(0, "all", NULL, OPT_FLAG, all, "compare all devices; without --threads, each with its best block size"),
    ROW(0, "json", NULL, OPT_FLAG, json, "write JSON"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

/* How it is drawn. */
typedef struct look {
    const char *full, *empty, *bold, *dim, *plain;
} look;

static look look_of_stdout(void)
{
    terminal t = terminal_of(stdout);
    return (look){t.unicode ? "\u2588" : "#", t.unicode ? "\u2591" : ".", t.colour ? "\033[1m" : "",
                  t.colour ? "\033[2m" : "", t.colour ? "\033[0m" : ""};
}

static void bar(const look *l, uint32_t part, uint32_t whole)
{
    unsigned cells = whole ? (unsigned)(((uint64_t)part * BAR_CELLS + whole / 2) / whole) : 0;
    if (part && !cells) cells = 1;
    for (unsigned i = 0; i < BAR_CELLS; i++) fputs(i < cells ? l->full : l->empty, stdout);
}

/* "12,288" */
static char *count(uint64_t n)
{
    return n < 1000 ? text_of("%u", (unsigned)n) : text_of("%s,%03u", count(n / 1000), (unsigned)(n % 1000));
}

static char *percent(const lw_occupancy *o)
{
    double p = o->max_warps_per_sm ? 100.0 * o->warps_per_sm / o->max_warps_per_sm : 0;
    return p == (int)p ? text_of("%d %%", (int)p) : text_of("%.1f %%", p);
}

/* "registers and shared memory" */
static char *limiting(const lw_occupancy *o)
{
    char *text = text_of("%s", "");
    unsigned left = o->limited_by;
    for (int i = 0; i < LW_LIMITS; i++) {
        if (!(left >> i & 1)) continue;
        left &= ~(1u << i);
        text = text_of("%s%s%s", text, !*text ? "" : left ? ", " : " and ", lw_limit_name(i));
    }
    return text;
}

/* ---- the command line ---- */

static bool small(const char *option, uint64_t value, uint32_t *out)
{
    if (value == NOT_GIVEN) return true;
    *out = (uint32_t)value;
    if (value <= INT32_MAX) return true;
    say("occupancy: %s is too large: %llu", option, (unsigned long long)value);
    return false;
}

static bool parse_carveout(const char *word, int *out)
{
    static const struct {
        const char *word;
        int value;
    } known[] = {{"default", LW_CARVEOUT_DEFAULT},
                 {"l1", LW_CARVEOUT_PREFER_L1},
                 {"shared", LW_CARVEOUT_PREFER_SHARED},
                 {"equal", LW_CARVEOUT_PREFER_EQUAL}};
    *out = LW_CARVEOUT_DEFAULT;
    if (!word) return true;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(word, known[i].word)) return *out = known[i].value, true;
    char *end;
    unsigned long value = strtoul(word, &end, 10);
    if (*end == '%') end++;
    if (*word >= '0' && *word <= '9' && !*end && value <= 100) return *out = (int)value, true;
    say("occupancy: --carveout takes 0 to 100 (percent), l1, shared, equal or default, not '%s'", word);
    return false;
}

/* "9.0", "9" and "90" -> what lw_device_find takes. */
static const char *capability(const char *word)
{
    bool digits = strspn(word, "0123456789") == strlen(word);
    if (strchr(word, '.')) return text_of("cc:%s", word);
    return !digits ? word : strlen(word) == 1 ? text_of("cc:%s.0", word) : text_of("sm_%s", word);
}

static bool make_query(const occupancy_options *o, lw_occupancy_query *q)
{
    uint32_t dynamic = 0;
    *q = (lw_occupancy_query){.device = o->device};
    if (o->cc && o->device) {
        say("occupancy: --cc and --device cannot be combined");
        return false;
    }
    if (o->cc) q->device = capability(o->cc);
    if (o->threads == 0 || o->cluster == 0) {
        say("occupancy: %s takes at least 1", o->threads == 0 ? "--threads" : "--cluster");
        return false;
    }
    if (!small("--threads", o->threads, &q->threads) || !small("--registers", o->registers, &q->registers) ||
        !small("--shared", o->shared, &q->shared) || !small("--dynamic-shared", o->dynamic_shared, &dynamic) ||
        !small("--shared-per-thread", o->shared_per_thread, &q->shared_per_thread) ||
        !small("--barriers", o->barriers, &q->barriers) || !small("--cluster", o->cluster, &q->cluster))
        return false;
    q->shared += dynamic;
    return parse_carveout(o->carveout, &q->carveout);
}

static int parse(const command *self, occupancy_options *o, char **argv)
{
    int i = 1;
    while (argv[i]) {
        char *word = argv[i];
        opt_result taken = word[0] == '-' ? opt_take(self, o, argv, &i) : OPT_OTHER;
        if (taken == OPT_WRONG) return EXIT_USAGE;
        if (taken == OPT_TAKEN) continue;
        if (word[0] == '-') return opt_unknown(self, word);
        say("occupancy: unknown option '%s' (lanewise occupancy --help lists them)", word);
        return EXIT_USAGE;
    }
    return 0;
}

/* ---- JSON ---- */

static void json_limited_by(const lw_occupancy *o)
{
    bool any = false;
    fputs("[", stdout);
    for (int i = 0; i < LW_LIMITS; i++)
        if (o->limited_by >> i & 1) printf("%s\"%s\"", any ? ", " : "", lw_limit_name(i)), any = true;
    fputs("]", stdout);
}

/* The members of one answer, without braces. */
static void json_answer(const lw_occupancy *o, const char *indent)
{
    printf("%s\"threads\": %u, \"blocks_per_sm\": %u, \"warps_per_sm\": %u, \"max_warps_per_sm\": %u,\n"
           "%s\"occupancy\": %.6g, \"limited_by\": ",
           indent, o->threads, o->blocks_per_sm, o->warps_per_sm, o->max_warps_per_sm, indent,
           o->max_warps_per_sm ? (double)o->warps_per_sm / o->max_warps_per_sm : 0);
    json_limited_by(o);
    printf(",\n%s\"limits\": {", indent);
    bool any = false;
    for (int i = 0; i < LW_LIMITS; i++)
        if (o->limits[i] != LW_UNLIMITED) {
            printf("%s\"%s\": %u", any ? ", " : "", lw_limit_name(i), o->limits[i]);
            any = true;
        }
    printf("},\n%s\"registers_per_block\": %llu, \"shared_bytes_per_block\": %llu, \"shared_bytes_per_sm\": %llu",
           indent, (unsigned long long)o->registers_per_block, (unsigned long long)o->shared_per_block,
           (unsigned long long)o->shared_per_sm);
    if (o->cluster > 1)
        printf(",\n%s\"cluster\": %u, \"active_clusters\": %u, \"active_clusters_exact\": %s", indent, o->cluster,
               o->active_clusters, o->clusters_estimated ? "false" : "true");
}

static void json_device(const lw_device_info *d)
{
    fputs("\"device\": {\"id\": ", stdout);
    json_text(stdout, d->id);
    fputs(", \"name\": ", stdout);
    json_text(stdout, d->name);
    printf(", \"cc\": \"%d.%d\"}", d->major, d->minor);
}

static void json_open(void) { printf("{\n \"lanewise\": \"%s\", \"schema\": 1,\n ", LANEWISE_VERSION); }

static void json_one(const lw_device_info *d, const lw_occupancy *asked, const lw_occupancy *sizes, size_t n,
                     size_t best)
{
    json_open();
    json_device(d);
    if (asked) {
        fputs(",\n \"answer\": {\n", stdout);
        json_answer(asked, "  ");
        fputs("\n }", stdout);
    }
    if (best < n) printf(",\n \"best_threads\": %u", sizes[best].threads);
    fputs(",\n \"block_sizes\": [", stdout);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\n  {\n" : "\n  {\n", stdout);
        json_answer(&sizes[i], "   ");
        fputs("\n  }", stdout);
    }
    fputs("\n ]\n}\n", stdout);
}

/* ---- one device ---- */

static void title(const lw_device_info *d, const lw_occupancy_query *q)
{
    printf("%s (cc %d.%d)\n", d->name, d->major, d->minor);
    if (q->threads) printf("blocks of %s threads, ", count(q->threads));
    if (q->registers) printf("%u registers", q->registers);
    else fputs("registers not given", stdout);
    if (q->shared || !q->shared_per_thread) printf(", %s B shared", count(q->shared));
    if (q->shared_per_thread) printf(", %s B shared a thread", count(q->shared_per_thread));
    if (q->cluster > 1) printf(", clusters of %u", q->cluster);
    fputs("\n\n", stdout);
}

static void limits_table(const lw_occupancy *o, const lw_occupancy_query *q)
{
    printf("  %-15s blocks\n", "allowed by");
    for (int i = 0; i < LW_LIMITS; i++) {
        if (o->limits[i] == LW_UNLIMITED) continue;
        bool least = o->limited_by >> i & 1;
        printf("  %-15s %6u", lw_limit_name(i), o->limits[i]);
        if (i == LW_LIMIT_REGISTERS)
            printf("  %s %s of %s a block", least ? "<" : " ", count(o->registers_per_block),
                   count(o->registers_per_sm));
        else if (i == LW_LIMIT_SHARED)
            printf("  %s %s of %s bytes a block%s", least ? "<" : " ", count(o->shared_per_block),
                   count(o->shared_per_sm),
                   o->shared_reserved ? text_of(", %s for the driver", count(o->shared_reserved)) : "");
        else if (least) fputs("  <", stdout);
        fputs("\n", stdout);
    }
    if (!q->registers) fputs("  registers       not given: no limit\n", stdout);
}

static void clusters(const lw_occupancy *o, const lw_device_info *d)
{
    if (o->cluster <= 1) return;
    printf("\n  clusters: %s%u of %u blocks at once on %d multiprocessors (%.2f blocks on each)\n",
           o->clusters_estimated ? "about " : "", o->active_clusters, o->cluster, d->multiprocessors,
           d->multiprocessors ? (double)o->active_clusters * o->cluster / d->multiprocessors : 0);
    if (o->clusters_estimated) fputs("  estimated: how the multiprocessors are grouped is not known\n", stdout);
    if (o->needs_nonportable)
        fputs("  so large a cluster needs cudaFuncAttributeNonPortableClusterSizeAllowed\n", stdout);
}

static void show_asked(const lw_occupancy *o, const lw_occupancy_query *q, const lw_device_info *d, const look *l)
{
    if (o->blocks_per_sm)
        printf("  %soccupancy %s%s: %u block%s, %u of %u warps on a multiprocessor\n  ", l->bold, percent(o), l->plain,
               o->blocks_per_sm, o->blocks_per_sm == 1 ? "" : "s", o->warps_per_sm, o->max_warps_per_sm);
    else printf("  %sno such block can run%s: it needs more %s than there is\n  ", l->bold, l->plain, limiting(o));
    bar(l, o->warps_per_sm, o->max_warps_per_sm);
    if (o->blocks_per_sm) printf("  limited by %s", limiting(o));
    fputs("\n\n", stdout);
    limits_table(o, q);
    if (o->needs_opt_in)
        fputs("\n  So much shared memory must be dynamic, and the kernel must opt in:\n"
              "  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)\n",
              stdout);
    clusters(o, d);
    fputs("\n", stdout);
}

static void show_sizes(const lw_occupancy *sizes, size_t n, size_t best, uint32_t asked, const look *l)
{
    printf("  %sthreads  blocks  warps  occupancy  %-*s  limited by%s\n", l->dim, BAR_CELLS, "", l->plain);
    for (size_t i = 0; i < n; i++) {
        const lw_occupancy *o = &sizes[i];
        printf("%c%s%c%7u %7u %6u %10s  ", o->threads == asked ? '>' : ' ', i == best ? l->bold : "",
               i == best ? '*' : ' ', o->threads, o->blocks_per_sm, o->warps_per_sm, percent(o));
        bar(l, o->warps_per_sm, o->max_warps_per_sm);
        printf("  %s%s\n", limiting(o), i == best ? l->plain : "");
    }
    if (best >= n) {
        fputs("\n  no block size fits\n", stdout);
        return;
    }
    size_t least = 0;
    while (sizes[least].warps_per_sm < sizes[best].warps_per_sm) least++;
    printf("\n  * best: %u threads, %s: what cudaOccupancyMaxPotentialBlockSize suggests", sizes[best].threads,
           percent(&sizes[best]));
    if (least < best) printf("\n    the smallest block with as much: %u threads", sizes[least].threads);
    fputs("\n", stdout);
}

static int one_device(const lw_occupancy_query *q, bool json)
{
    lw_message message = {""};
    lw_device_info device;
    lw_occupancy asked, sizes[LW_OCCUPANCY_SIZES];
    size_t n, best;
    if (lw_device_find(q->device, &device, &message) || (q->threads && lw_occupancy_of(q, &asked, &message)) ||
        lw_occupancy_sizes(q, sizes, &n, &best, &message)) {
        say("occupancy: %s", message.text);
        return EXIT_USAGE;
    }
    if (json) {
        json_one(&device, q->threads ? &asked : NULL, sizes, n, best);
        return 0;
    }
    look l = look_of_stdout();
    title(&device, q);
    if (q->threads) show_asked(&asked, q, &device, &l);
    show_sizes(sizes, n, best, q->threads, &l);
    return 0;
}

/* ---- all devices ---- */

typedef struct device_list {
    lw_device_info *items;
    size_t count, capacity;
} device_list;

static void add_device(void *user, const lw_device_info *d)
{
    device_list *list = user;
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 128;
        lw_device_info *items = keep(list->capacity * sizeof *items);
        if (list->count) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
    }
    list->items[list->count++] = *d;
}

/* By capability; the boards of one in the order of their names, behind the generic device. */
static int by_capability(const void *left, const void *right)
{
    const lw_device_info *a = left, *b = right;
    if (a->major != b->major) return a->major - b->major;
    if (a->minor != b->minor) return a->minor - b->minor;
    bool generic_a = !strncmp(a->id, "cc:", 3), generic_b = !strncmp(b->id, "cc:", 3);
    return generic_a != generic_b ? generic_b - generic_a : strcmp(a->id, b->id);
}

/* The block size asked for, or the best one. */
static int answer(const lw_occupancy_query *q, lw_occupancy *out, lw_message *message)
{
    lw_occupancy sizes[LW_OCCUPANCY_SIZES];
    size_t n, best;
    if (q->threads) return lw_occupancy_of(q, out, message);
    int failed = lw_occupancy_sizes(q, sizes, &n, &best, message);
    if (!failed) *out = sizes[best < n ? best : 0];
    return failed;
}

static void json_all(const device_list *list, lw_occupancy_query q)
{
    json_open();
    fputs("\"devices\": [", stdout);
    for (size_t i = 0; i < list->count; i++) {
        lw_occupancy o;
        lw_message message = {""};
        q.device = list->items[i].id;
        int failed = answer(&q, &o, &message);
        fputs(i ? ",\n  {" : "\n  {", stdout);
        json_device(&list->items[i]);
        fputs(",\n   ", stdout);
        if (failed) fputs("\"impossible\": ", stdout), json_text(stdout, message.text);
        else json_answer(&o, "   ");
        fputs("\n  }", stdout);
    }
    fputs("\n ]\n}\n", stdout);
}

static void table_all(const device_list *list, lw_occupancy_query q)
{
    look l = look_of_stdout();
    printf("%s%-13s %4s %7s %6s %7s %7s %-*s %s%s\n", l.dim, "device", "cc", "threads", "blocks", "warps", "",
           BAR_CELLS, "occupancy", "limited by", l.plain);
    for (size_t i = 0; i < list->count; i++) {
        const lw_device_info *d = &list->items[i];
        lw_occupancy o;
        lw_message message = {""};
        q.device = d->id;
        bool failed = answer(&q, &o, &message) != 0;
        printf("%-13s %2d.%d ", d->id, d->major, d->minor);
        if (failed) {
            printf("%s%s%s\n", l.dim, message.text, l.plain);
            continue;
        }
        printf("%7u %6u %3u/%-3u %7s ", o.threads, o.blocks_per_sm, o.warps_per_sm, o.max_warps_per_sm, percent(&o));
        bar(&l, o.warps_per_sm, o.max_warps_per_sm);
        printf(" %s\n", limiting(&o));
    }
}

/* What is impossible on every device is one error, in the words of the default device. */
static int all_devices(const lw_occupancy_query *q, bool json)
{
    device_list list = {0};
    lw_occupancy o;
    lw_message message = {""};
    lw_occupancy_query each = *q;
    bool possible = false;
    if (lw_device_each(add_device, &list, &message)) {
        say("occupancy: %s", message.text);
        return EXIT_REFUSED;
    }
    for (size_t i = 0; i < list.count && !possible; i++) {
        each.device = list.items[i].id;
        possible = !answer(&each, &o, NULL);
    }
    if (!possible && answer(q, &o, &message)) {
        say("occupancy: %s", message.text);
        return EXIT_USAGE;
    }
    qsort(list.items, list.count, sizeof *list.items, by_capability);
    if (json) json_all(&list, *q);
    else table_all(&list, *q);
    return 0;
}

static int run_occupancy(const command *self, int argc, char **argv)
{
    occupancy_options o = {.threads = NOT_GIVEN,
                           .registers = NOT_GIVEN,
                           .shared = NOT_GIVEN,
                           .dynamic_shared = NOT_GIVEN,
                           .shared_per_thread = NOT_GIVEN,
                           .barriers = NOT_GIVEN,
                           .cluster = NOT_GIVEN};
    lw_occupancy_query query;
    if (argc < 2) {
        say("occupancy: give at least --threads, --registers or --shared (--help has examples)");
        return EXIT_USAGE;
    }
    int status = parse(self, &o, argv);
    if (status) return status;
    if (o.help) {
        opt_help(self, stdout);
        return 0;
    }
    if (!make_query(&o, &query)) return EXIT_USAGE;
    if (o.all && query.device) {
        say("occupancy: --all cannot be combined with --%s", o.cc ? "cc" : "device");
        return EXIT_USAGE;
    }
    return o.all ? all_devices(&query, o.json) : one_device(&query, o.json);
}

const command command_occupancy = {
    .name = "occupancy",
    .usage = "lanewise occupancy [--threads N] [--registers N] [--shared SIZE] [options]",
    .about = "Shows how many blocks and warps of a kernel are resident on a multiprocessor, what limits them, how "
             "other block\n"
             "sizes compare, and which is best. The results are those of NVIDIA's cuda_occupancy.h.",
    .options = occupancy_rows,
    .examples = "lanewise occupancy --threads 256 --registers 40\n"
                "lanewise occupancy -t 128 -r 64 --shared 24K --device a100\n"
                "lanewise occupancy --registers 32 --shared-per-thread 16 --cc 8.6\n"
                "lanewise occupancy -t 256 -r 40 --shared 100K --cluster 8\n"
                "lanewise occupancy -t 256 -r 37 --all",
    .run = run_occupancy};
