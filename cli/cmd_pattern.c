/* cmd_pattern: lanewise pattern, one access of one warp without a kernel. Everything is computed behind
 * lanewise/pattern.h; here are the options, the texts and what goes where. */
#include "cli.h"
#include "pattern.h"
#include "picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct pattern_options {
    const char *op, *space, *type, *structure, *member, *stride, *offset, *lanes, *permute, *tile, *by, *offsets;
    const char *cc, *device, *l1, *svg, *table;
    uint64_t bank_bytes;
    bool all, json, help;
    const char *json_file; /* NULL: stdout */
} pattern_options;

#define ROW(...) OPT_ROW(pattern_options, __VA_ARGS__)
static const opt_row pattern_rows[] = {
    ROW(0, "op", "OP", OPT_TEXT, op,
        "load (default), store, atomic, reduction, increment, cas, exchange, copy (cp.async), ldmatrix.x4, "
        "stmatrix.x4, or a complete access name: lds32, stg128, atoms_add, ldsm4"),
    ROW(0, "space", "SPACE", OPT_TEXT, space,
        "shared (default), global, local, constant, or dshared (shared memory of another block)"),
    ROW(0, "type", "TYPE", OPT_TEXT, type,
        "the type that each lane accesses: float (default), double, float4, int8, half2, uint64_t..."),
    ROW(0, "struct", "'MEMBERS'", OPT_TEXT, structure, "an array of structs instead: 'float x, y, z; int id'"),
    ROW(0, "member", "NAME", OPT_TEXT, member, "the member that the lanes access: x, or v[2]"),
    ROW(0, "stride", "N", OPT_TEXT, stride,
        "distance between lanes in elements (or structs); 0 is the same address, and it may be negative (default: 1)"),
    ROW(0, "offset", "BYTES", OPT_TEXT, offset, "bytes before the first element (default: 0)"),
    ROW(0, "lanes", "N", OPT_TEXT, lanes, "only the first N lanes take part (default: 32)"),
    ROW(0, "permute", "HOW", OPT_TEXT, permute,
        "which element each lane accesses: reverse, xor:K, rotate:K, or the index of every lane: '3 2 1 0 ...'"),
    ROW(0, "tile", "RxC[+P]", OPT_TEXT, tile,
        "a tile of R rows and C columns, with P columns of padding; lanes 0, 1, 2... access its elements in order"),
    ROW(0, "by", "WAY", OPT_TEXT, by, "order of the lanes in the tile: column (default) or row"),
    ROW(0, "offsets", "LIST", OPT_TEXT, offsets,
        "32 byte offsets instead of a description, - for an inactive lane: '0 4 8 - ...', or @FILE to read them"),
    ROW(0, "cc", "X.Y", OPT_TEXT, cc, "compute capability whose counting rules are used: 1.0 to 12.1"),
    ROW(0, "device", "NAME", OPT_TEXT, device,
        "device instead of a capability: a name from `lanewise devices` (default: an H200)"),
    ROW(0, "all", NULL, OPT_FLAG, all, "compare all generations"),
    ROW(0, "bank-bytes", "N", OPT_COUNT, bank_bytes, "width of the banks on cc 3.x: 4 (default) or 8"),
    ROW(0, "l1", "on|off", OPT_TEXT, l1, "whether global loads use L1, on generations that have the choice"),
    ROW(0, "svg", "FILE", OPT_TEXT, svg, "write the picture to FILE (- for stdout) instead of the terminal"),
    ROW(0, "json", "[FILE]", OPT_FLAG, json, "write JSON to FILE or to stdout, instead of text"),
    ROW(0, "table", "FILE", OPT_TEXT, table,
        "count every row of a CSV file with the columns op and offsets (- for stdin), and print CSV"),
    ROW('h', "help", NULL, OPT_FLAG, help, "show this help"),
    {0}};

static int wrong(const char *what)
{
    say("pattern: %s", what);
    return EXIT_USAGE;
}

/* ---- the command line ---- */

static int parse(const command *self, pattern_options *o, char **argv)
{
    int i = 1;
    while (argv[i]) {
        bool json = !strcmp(argv[i], "--json"), json_to = !strncmp(argv[i], "--json=", 7);
        if (json_to) {
            o->json = true;
            o->json_file = argv[i++] + 7;
            continue;
        }
        opt_result taken = opt_take(self, o, argv, &i);
        if (taken == OPT_WRONG) return EXIT_USAGE;
        if (taken == OPT_OTHER && argv[i][0] == '-' && argv[i][1]) return opt_unknown(self, argv[i]);
        if (taken == OPT_OTHER) return wrong(text_of("unexpected argument '%s' (--help has examples)", argv[i]));
        if (json && argv[i] && (argv[i][0] != '-' || !argv[i][1])) o->json_file = argv[i++];
    }
    if (o->json_file && !strcmp(o->json_file, "-")) o->json_file = NULL;
    return 0;
}

static bool describes(const pattern_options *o)
{
    return o->op || o->space || o->type || o->structure || o->member || o->stride || o->offset || o->lanes ||
           o->permute || o->tile || o->by || o->offsets;
}

static int check(const pattern_options *o)
{
    if (o->cc && o->device) return wrong("--cc and --device both choose the device: give one");
    if (o->l1 && strcmp(o->l1, "on") && strcmp(o->l1, "off"))
        return wrong(text_of("--l1 takes on or off, not '%s'", o->l1));
    if (o->bank_bytes && o->bank_bytes != 4 && o->bank_bytes != 8)
        return wrong(text_of("--bank-bytes takes 4 or 8, not %llu", (unsigned long long)o->bank_bytes));
    if (o->table && (describes(o) || o->all || o->svg || o->json))
        return wrong("--table reads its accesses from the file: only --cc, --device, --bank-bytes and --l1 go with it");
    if (o->all && (o->cc || o->device)) return wrong("--all is every generation: --cc and --device do not go with it");
    if (o->all && o->svg) return wrong("--svg draws one device: it does not go with --all");
    if (!o->table && !describes(o))
        return wrong("describe an access, as --type float --stride 2 --space shared (--help has examples)");
    return 0;
}

/* ---- texts ---- */

char *pattern_name(const lw_access *a)
{
    const char *op = a->op->op;
    const char *where = !strcmp(a->op->space, "dshared") ? "distributed shared" : a->op->space;
    if (a->op->matrices) return text_of("%s of %u matrices in %s memory", op, a->op->matrices, where);
    return text_of("%u-bit %s in %s memory", 8 * a->op->bytes, op, where);
}

static void print_head(FILE *out, const pattern_report *r)
{
    unsigned active = 0;
    for (unsigned i = 0; i < LW_LANES; i++) active += r->access.offset[i] >= 0;
    fprintf(out, "%s (%s), %u lane%s, %s, cc %d.%d\n", pattern_name(&r->access), r->access.op->name, active,
            active == 1 ? "" : "s", r->counts.device.name, r->counts.device.major, r->counts.device.minor);
}

static void print_counts(FILE *out, const pattern_report *r)
{
    const lw_access_counts *c = &r->counts;
    if (!c->counter_count) fputs("no lane is active: nothing is counted\n", out);
    for (size_t i = 0; i < c->counter_count; i++) {
        const lw_counter *counter = &c->counters[i];
        const char *end = counter->name + strlen(counter->name);
        uint64_t ideal;
        if (!pattern_is_shown(counter->name) || (end - counter->name > 6 && !strcmp(end - 6, "_ideal"))) continue;
        fprintf(out, "  %-18s %6llu", counter->name, (unsigned long long)counter->value);
        if (lw_access_counter(c, text_of("%s_ideal", counter->name), &ideal))
            fprintf(out, "   ideal %llu", (unsigned long long)ideal);
        fputc('\n', out);
    }
    uint64_t moved, useful;
    if (lw_access_counter(c, "bytes_moved", &moved) && lw_access_counter(c, "bytes_useful", &useful) && moved)
        fprintf(out, "  %-18s %5.4g%%\n", "bus utilisation", 100.0 * (double)useful / (double)moved);
    if (*c->why) fprintf(out, "  not exact: %s\n", c->why);
}

/* "1 wavefront", "2 wavefronts" */
static char *amount(uint64_t n, const char *plural)
{
    size_t size = strlen(plural), cut = n == 1 && ends_with(plural, "s");
    return text_of("%llu %.*s", (unsigned long long)n, (int)(size - cut), plural);
}

/* Words behind a mark of 4 columns, wrapped. */
static void print_wrapped(FILE *out, const char *mark, const char *text, unsigned width)
{
    size_t column = (size_t)fprintf(out, "%s", mark);
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        if (!first && column + 1 + n > width) column = (size_t)fprintf(out, "\n%4s", "") - 1;
        else if (!first) column += (size_t)fprintf(out, " ");
        column += (size_t)fprintf(out, "%.*s", (int)n, text);
        text += n + strspn(text + n, " ");
    }
    fputc('\n', out);
}

static void print_remedies(FILE *out, const pattern_report *r, unsigned width)
{
    const char *name = r->counts.cost_name;
    if (!*name) return;
    fputc('\n', out);
    if (!r->remedy_count) {
        fprintf(out, "free: no more %s than these lanes and sizes need\n", name);
        return;
    }
    fprintf(out, "what helps (%s now, %llu would be free)\n", amount(r->counts.cost, name),
            (unsigned long long)r->counts.ideal);
    for (size_t i = 0; i < r->remedy_count; i++) {
        const lw_remedy *m = &r->remedies[i];
        bool hint = m->kind == LW_REMEDY_HINT;
        print_wrapped(out, hint || m->cost > m->ideal ? "  - " : "  * ", m->text, width);
        if (hint) continue;
        fprintf(out, "      %s", amount(m->cost, name));
        if (m->cost == m->ideal) fputs(": free", out);
        else if (m->ideal != r->counts.ideal) fprintf(out, ", ideal %llu", (unsigned long long)m->ideal);
        fprintf(out, "; %s\n",
                m->bytes ? text_of("%llu bytes more memory", (unsigned long long)m->bytes) : "no more memory");
    }
}

/* ---- one access ---- */

/* "@FILE", or the name of a file: its text. */
static const char *offsets_of(const char *word)
{
    bool named = word[0] == '@';
    if (!named && (strpbrk(word, " ,") || !file_exists(word))) return word;
    char *text = file_read(word + named, NULL);
    if (!text) say("pattern: offsets: cannot read %s: %s", word + named, strerror(errno));
    return text;
}

static int describe(const pattern_options *o, lw_access *access)
{
    lw_message message = {""};
    lw_access_text text = {.op = o->op,
                           .space = o->space,
                           .type = o->type,
                           .structure = o->structure,
                           .member = o->member,
                           .stride = o->stride,
                           .offset = o->offset,
                           .lanes = o->lanes,
                           .permute = o->permute,
                           .tile = o->tile,
                           .by = o->by,
                           .offsets = o->offsets};
    if (o->offsets && !(text.offsets = offsets_of(o->offsets))) return EXIT_USAGE;
    if (o->offsets && !text.offsets[strspn(text.offsets, " \t\r\n,")])
        return wrong("offsets: 0 instead of 32 (one per lane)");
    return lw_access_describe(&text, access, &message) ? wrong(message.text) : 0;
}

/* 128 where a load moves whole lines into L1 (cc 2.x), 4 for constant memory, which moves words. */
static uint32_t granule_of(const pattern_report *r)
{
    const lw_access_op *op = r->access.op;
    if (!strcmp(op->space, "constant")) return 4;
    bool load = !strcmp(op->op, "load") && (!strcmp(op->space, "global") || !strcmp(op->space, "local"));
    bool lines = r->counts.device.major == 2 && !r->options.uncached;
    return load && lines ? 128 : 32;
}

static int evaluate(const char *device, pattern_report *r)
{
    lw_message message = {""};
    uint64_t wavefronts;
    if (lw_access_count(device, &r->access, &r->options, &r->counts, &message)) return wrong(message.text);
    r->has_banks = lw_access_counter(&r->counts, "wavefronts", &wavefronts);
    if ((r->has_banks && lw_access_banks(device, &r->access, &r->options, &r->banks, &message)) ||
        lw_access_remedies(device, &r->access, &r->options, r->remedies, &r->remedy_count, &message))
        return wrong(message.text);
    return 0;
}

static int show(const pattern_options *o, const pattern_report *r)
{
    const lw_device_info *d = &r->counts.device;
    char *title = text_of("%s, %s, cc %d.%d", pattern_name(&r->access), d->name, d->major, d->minor);
    if (*r->counts.cost_name)
        title = text_of("%s: %s, ideal %llu", title, amount(r->counts.cost, r->counts.cost_name),
                        (unsigned long long)r->counts.ideal);
    picture p = {&r->access, &r->counts, r->has_banks ? &r->banks : NULL, granule_of(r), title};
    if (o->svg && !picture_svg(o->svg, &p)) {
        say("cannot write %s: %s", o->svg, strerror(errno));
        return EXIT_REFUSED;
    }
    if (o->json || (o->svg && !strcmp(o->svg, "-"))) return 0;
    print_head(stdout, r);
    print_counts(stdout, r);
    picture_look look = picture_look_of(stdout);
    if (!o->svg && *r->counts.cost_name) {
        fputc('\n', stdout);
        picture_text(stdout, &p, &look);
    }
    print_remedies(stdout, r, look.width);
    return 0;
}

static int write_json(const pattern_options *o, const pattern_report *r, const pattern_generations *all)
{
    FILE *out = o->json_file ? fopen(o->json_file, "w") : stdout;
    bool fine = out != NULL;
    if (fine) {
        pattern_json(out, r, all);
        fine = !ferror(out);
        fine = (o->json_file ? !fclose(out) : !fflush(out)) && fine;
    }
    if (fine) return 0;
    say("cannot write %s: %s", o->json_file ? o->json_file : "to stdout", strerror(errno));
    return EXIT_REFUSED;
}

static int show_all(const pattern_options *o, pattern_report *r)
{
    pattern_generations all;
    lw_message message = {""};
    if (pattern_generations_of(&r->access, &r->options, &all, &message)) return wrong(message.text);
    if (o->json) return write_json(o, r, &all);
    printf("%s (%s) on every generation\n\n", pattern_name(&r->access), r->access.op->name);
    pattern_all_text(stdout, &all, picture_look_of(stdout).width);
    return 0;
}

/* ---- tables ---- */

static char *read_stream(FILE *in, size_t *size)
{
    char *data = NULL;
    size_t capacity = 0;
    *size = 0;
    do {
        if (*size == capacity && !(data = realloc(data, capacity = capacity ? 2 * capacity : 1 << 16))) return NULL;
        *size += fread(data + *size, 1, capacity - *size, in);
    } while (!feof(in) && !ferror(in));
    return data;
}

static int count_table(const pattern_options *o, const char *device, const lw_access_options *options)
{
    lw_message message = {""};
    size_t size = 0;
    bool from_stdin = !strcmp(o->table, "-");
    char *out, *text = from_stdin ? read_stream(stdin, &size) : file_read(o->table, &size);
    if (!text) return wrong(text_of("cannot read %s: %s", o->table, strerror(errno)));
    int failed = lw_access_table(text, size, from_stdin ? "stdin" : o->table, device, options, &out, &message);
    free(text);
    if (failed) return wrong(message.text);
    bool fine = fputs(out, stdout) >= 0 && !fflush(stdout);
    free(out);
    return fine ? 0 : EXIT_REFUSED;
}

static int run_pattern(const command *self, int argc, char **argv)
{
    (void)argc;
    pattern_options o = {0};
    pattern_report *r = keep(sizeof *r);
    int status = parse(self, &o, argv);
    if (!status && o.help) {
        opt_help(self, stdout);
        return 0;
    }
    if (!status) status = check(&o);
    if (status) return status;
    const char *device = o.cc ? text_of("cc:%s", o.cc) : o.device;
    r->options = (lw_access_options){(uint32_t)o.bank_bytes, o.l1 && !strcmp(o.l1, "on"), o.l1 && !strcmp(o.l1, "off")};
    if (o.table) return count_table(&o, device, &r->options);
    status = describe(&o, &r->access);
    if (status) return status;
    if (o.all) return show_all(&o, r);
    status = evaluate(device, r);
    if (!status) status = show(&o, r);
    if (!status && o.json) status = write_json(&o, r, NULL);
    return status;
}

const command command_pattern = {
    .name = "pattern",
    .usage = "lanewise pattern DESCRIPTION [--cc X.Y | --device NAME | --all] [--svg FILE] [--json [FILE]]\n"
             "lanewise pattern --table FILE [--cc X.Y | --device NAME]",
    .about =
        "Analyses a single memory access of one warp, without a kernel: what it costs, a picture of lanes and banks or "
        "of\n"
        "bytes and sectors, and which padding, swizzle or layout removes the excess. The counting rules are those of\n"
        "`lanewise run`. With --table, the output has the columns op, name, offsets, requests, wavefronts, conflicts,\n"
        "sectors, tags and t_wavefronts for every row, empty if a counter does not apply; it stops at the first\n"
        "invalid row.",
    .options = pattern_rows,
    .examples =
        "lanewise pattern --type float --stride 2 --space shared\n"
        "lanewise pattern --type float --tile 32x32 --by column --svg tile.svg\n"
        "lanewise pattern --struct 'float x, y, z' --member x --space global --cc 8.6\n"
        "lanewise pattern --type double --stride 3 --lanes 16 --op store --space global --all\n"
        "lanewise pattern --op lds32 --offsets '0 4 8 12 - - - - 0 4 8 12 - - - - 0 4 8 12 - - - - 0 4 8 12 - - - -'\n"
        "lanewise pattern --cc 9.0 --table accesses.csv",
    .run = run_pattern};
