/* text: the report a person reads. In this order: what ran where; findings; a table of the kernels, worst first; per
 * kernel its totals, its worst source lines in full (actual against ideal, why, what mends it), the others in short;
 * remarks. "Worst" is report_cost, the least time lost (measure.c). */
#include "report/text.h"

#include "lanewise/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEW_KERNELS 3 /* with no more than these, those at their ideal are shown in full too */
#define NAME_LINES 2  /* most lines of a kernel's full name */

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

static void header(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    uint64_t launches = 0, calls = 0;
    size_t kernels = 0;
    char a[PEN_NUMBER], b[PEN_NUMBER];
    for (size_t i = 0; i < set->launches.count; i++) {
        const result_launch *launch = &set->launches.items[i];
        *(launch->library ? &calls : &launches) += launch->count;
        kernels += !launch->library;
    }
    pen_put(p, PEN_BOLD, "lanewise %s", LANEWISE_VERSION);
    if (set->device_name) pen_put(p, PEN_PLAIN, "   %s", set->device_name);
    if (set->device_cc) pen_put(p, PEN_PLAIN, " (cc %s)", set->device_cc);
    pen_put(p, PEN_PLAIN, "   %s kernel%s, %s launch%s", pen_count(a, kernels), plural(kernels), pen_count(b, launches),
            launches == 1 ? "" : "es");
    if (calls) pen_put(p, PEN_PLAIN, ", %s library call%s", pen_count(a, calls), plural(calls));
    pen_line(p);
    if (!set->complete) {
        pen_put(p, PEN_WARN, "INCOMPLETE: ");
        pen_wrap(p, PEN_PLAIN, 0,
                 "a process ended before it could close its results (killed, crashed or _exit). What ran until "
                 "then is counted.");
    }
}

/* ---- the kernels, worst first ---- */

typedef struct ranked_launch {
    const result_launch *launch;
    double cost;
    size_t order;
} ranked_launch;

static int by_cost(const void *left, const void *right)
{
    const ranked_launch *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static ranked_launch *rank_launches(report_page *page, const result_set *set)
{
    ranked_launch *ranked = LW_NEW_ARRAY(&page->arena, ranked_launch, set->launches.count);
    for (size_t i = 0; i < set->launches.count; i++) {
        const result_launch *launch = &set->launches.items[i];
        ranked[i] = (ranked_launch){launch, 0, i};
        for (size_t r = 0; r < launch->row_count; r++) ranked[i].cost += report_cost(&launch->rows[r].counters);
    }
    qsort(ranked, set->launches.count, sizeof *ranked, by_cost);
    return ranked;
}

/* Sums what the rows of a space (NULL: all but shared) count in `unit`. */
static report_measure sum_rows(const result_launch *launch, const char *space, const char *unit)
{
    report_measure sum = {unit, true, 0, 0};
    for (size_t r = 0; r < launch->row_count; r++) {
        const result_row *row = &launch->rows[r];
        report_measure m = report_measure_of(&row->counters);
        if (!m.has_ideal || strcmp(m.unit, unit) || (space && strcmp(space, row->space))) continue;
        sum.actual += m.actual;
        sum.ideal += m.ideal;
    }
    return sum;
}

static const char *name_of(report_page *page, const result_launch *launch)
{
    return text_kernel(page, launch->kernel ? launch->kernel : launch->kernel_mangled);
}

/* "kernel<int>(float*, int)" -> "kernel<int>": up to the first parenthesis outside < >. */
static const char *short_name(lw_arena *arena, const char *name)
{
    int depth = 0;
    for (const char *c = name; *c; c++) {
        depth += *c == '<';
        depth -= *c == '>' && depth > 0;
        if (*c == '(' && !depth && c > name) return lw_arena_strndup(arena, name, (size_t)(c - name));
    }
    return name;
}

/* "a::b<c::d>" -> "b<c::d>". */
static const char *without_scope(const char *name)
{
    int depth = 0;
    const char *last = name;
    for (const char *c = name; *c && *c != '('; c++) {
        depth += *c == '<';
        depth -= *c == '>' && depth > 0;
        if (!depth && c[0] == ':' && c[1] == ':' && c[2]) last = c + 2;
    }
    return last;
}

/* "8 x 8". */
static const char *dimensions(lw_arena *arena, const uint32_t d[3])
{
    if (d[2] > 1) return lw_arena_printf(arena, "%u x %u x %u", d[0], d[1], d[2]);
    if (d[1] > 1) return lw_arena_printf(arena, "%u x %u", d[0], d[1]);
    return lw_arena_printf(arena, "%u", d[0]);
}

/* "8x8". */
static const char *short_dimensions(lw_arena *arena, const uint32_t d[3])
{
    if (d[2] > 1) return lw_arena_printf(arena, "%ux%ux%u", d[0], d[1], d[2]);
    if (d[1] > 1) return lw_arena_printf(arena, "%ux%u", d[0], d[1]);
    return lw_arena_printf(arena, "%u", d[0]);
}

static bool same_kernel(const result_launch *a, const result_launch *b)
{
    return a->kernel_mangled && b->kernel_mangled && !strcmp(a->kernel_mangled, b->kernel_mangled);
}

/* In how many configurations the kernel of ranked[i] stands among ranked[begin] to ranked[end - 1]. */
static size_t configurations(const ranked_launch *ranked, size_t begin, size_t end, size_t i)
{
    size_t n = 0;
    for (size_t k = begin; k < end; k++) n += same_kernel(ranked[k].launch, ranked[i].launch);
    return n;
}

/* The name in the table, at most `width` columns: with its configuration, as CUDA C++ writes it, if the kernel was
 * launched in several. */
static const char *table_name(report_page *page, const ranked_launch *ranked, size_t all, size_t i, uint32_t width)
{
    lw_arena *arena = &page->arena;
    const result_launch *l = ranked[i].launch;
    const char *name = short_name(arena, name_of(page, l)), *how = "";
    if (configurations(ranked, 0, all, i) > 1) {
        how = lw_arena_printf(arena, "<<<%s, %s", short_dimensions(arena, l->grid), short_dimensions(arena, l->block));
        if (l->dynamic_shared_bytes) how = lw_arena_printf(arena, "%s, %u", how, l->dynamic_shared_bytes);
        how = lw_arena_printf(arena, "%s>>>", how);
    }
    uint32_t room = width - LW_MIN(pen_columns(how), width / 2);
    if (pen_columns(name) > room) name = without_scope(name);
    if (pen_columns(name) > room && *how) name = lw_arena_printf(arena, "%.*s...", (int)room - 3, name);
    return lw_arena_printf(arena, "%s%s", name, how);
}

static void ratio_cell(pen *p, report_measure m)
{
    char ratio[PEN_NUMBER];
    pen_cell(p, m.actual > m.ideal ? PEN_BAD : PEN_GOOD, -9, pen_ratio(ratio, m.actual, m.ideal));
}

static void table(report_page *page, const ranked_launch *ranked, size_t all)
{
    size_t count = LW_MIN(all, 2 * (size_t)page->kernels);
    pen *p = &page->pen;
    char text[PEN_NUMBER];
    int name = (int)p->width - 2 - 10 - 10 - 10 - 9 - 9;
    if (name > 60) name = 60;
    pen_line(p);
    pen_put(p, PEN_DIM, "  %-*s%10s%10s%10s%9s%9s", name, "kernel, worst first", "launches", "emulated", "instr.",
            "shared", "memory");
    pen_line(p);
    for (size_t i = 0; i < count; i++) {
        const result_launch *launch = ranked[i].launch;
        pen_to(p, 2);
        pen_cell(p, PEN_PLAIN, name, table_name(page, ranked, all, i, (uint32_t)name));
        pen_cell(p, PEN_PLAIN, -10, pen_count(text, launch->count));
        pen_cell(p, PEN_PLAIN, -10, pen_time(text, launch->seconds));
        pen_cell(p, PEN_PLAIN, -10, pen_short(text, (double)launch->thread_inst));
        ratio_cell(p, sum_rows(launch, NULL, "wavefronts"));
        report_measure moved = sum_rows(launch, NULL, "sectors");
        ratio_cell(p, moved.actual ? moved : sum_rows(launch, NULL, "transactions"));
        pen_line(p);
    }
    if (count == all) return;
    pen_put(p, PEN_DIM, "  and %zu more", all - count);
    pen_line(p);
}

/* ---- one kernel ---- */

static void kernel_name(report_page *page, const char *name)
{
    pen *p = &page->pen;
    size_t most = (size_t)p->width * NAME_LINES - 8;
    pen_line(p);
    if (strlen(name) > most) name = lw_arena_printf(&page->arena, "%.*s...", (int)most, name);
    pen_wrap(p, PEN_BOLD, 0, name);
}

/* Puts an item of the line of facts, on a new line if it does not fit. */
static void fact(pen *p, const char *text)
{
    if (p->column > 2 && p->column + 3 + pen_columns(text) > p->width) pen_line(p);
    pen_to(p, p->column > 2 ? p->column + 3 : 2);
    pen_put(p, PEN_PLAIN, "%s", text);
}

/* Of a call of a library, which has no kernel that could be looked into. */
static void library_facts(report_page *page, const result_launch *launch)
{
    pen *p = &page->pen;
    lw_arena *arena = &page->arena;
    char a[PEN_NUMBER];
    fact(p, "library");
    fact(p, launch->count == 1 ? "called once" : lw_arena_printf(arena, "%s calls", pen_count(a, launch->count)));
    fact(p, lw_arena_printf(arena, "computed on the host in %s", pen_time(a, launch->seconds)));
    fact(p, lw_arena_printf(arena, "at least %s bytes to read and write", pen_short(a, (double)launch->library_bytes)));
    pen_line(p);
}

static void facts(report_page *page, const result_launch *launch)
{
    if (launch->library) {
        library_facts(page, launch);
        return;
    }
    pen *p = &page->pen;
    lw_arena *arena = &page->arena;
    char a[PEN_NUMBER], b[PEN_NUMBER];
    const uint32_t *cluster = launch->cluster;
    fact(p, lw_arena_printf(arena, "grid %s", dimensions(arena, launch->grid)));
    fact(p, lw_arena_printf(arena, "block %s", dimensions(arena, launch->block)));
    if ((uint64_t)cluster[0] * cluster[1] * cluster[2] > 1)
        fact(p, lw_arena_printf(arena, "cluster %s", dimensions(arena, cluster)));
    if (launch->dynamic_shared_bytes)
        fact(p, lw_arena_printf(arena, "dynamic shared %s B", pen_count(a, launch->dynamic_shared_bytes)));
    if (launch->device) fact(p, lw_arena_printf(arena, "device %u", launch->device));
    fact(p, launch->count == 1 ? "launched once" : lw_arena_printf(arena, "%s launches", pen_count(a, launch->count)));
    fact(p, lw_arena_printf(arena, "emulated in %s", pen_time(a, launch->seconds)));
    fact(p, launch->seconds > 0
                ? lw_arena_printf(arena, "%s thread instructions, %s/s", pen_short(a, (double)launch->thread_inst),
                                  pen_short(b, (double)launch->thread_inst / launch->seconds))
                : lw_arena_printf(arena, "%s thread instructions", pen_short(a, (double)launch->thread_inst)));
    pen_line(p);
    if (launch->parent && launch->parent_file)
        pen_wrap(p, PEN_DIM, 2,
                 lw_arena_printf(arena, "launched by %s at %s:%u", short_name(arena, text_kernel(page, launch->parent)),
                                 launch->parent_file, launch->parent_line));
}

static const char *limiting(lw_arena *arena, uint32_t limited_by)
{
    const char *list = "";
    for (int i = 0; i < RESULT_LIMITS; i++) {
        if (!(limited_by >> i & 1)) continue;
        limited_by &= ~(1u << i);
        list = lw_arena_printf(arena, "%s%s%s", list, !*list ? "" : limited_by ? ", " : " and ", result_limit_names[i]);
    }
    return list;
}

/* How full the blocks can make a multiprocessor; where no machine code tells the registers, so it is said. */
static void occupancy(report_page *page, const result_occupancy *o)
{
    pen *p = &page->pen;
    lw_arena *arena = &page->arena;
    if (!o->max_warps_per_sm) return;
    double percent = 100.0 * o->warps_per_sm / o->max_warps_per_sm;
    fact(p, lw_arena_printf(arena, "occupancy %s%.3g %%", o->registers_known ? "" : "about ", percent));
    fact(p, lw_arena_printf(arena, "%u block%s, %u of %u warps", o->blocks_per_sm, plural(o->blocks_per_sm),
                            o->warps_per_sm, o->max_warps_per_sm));
    if (o->warps_per_sm < o->max_warps_per_sm)
        fact(p, lw_arena_printf(arena, "limited by %s", limiting(arena, o->limited_by)));
    if (o->registers_known) fact(p, lw_arena_printf(arena, "%u registers", o->registers));
    else if (o->registers) fact(p, lw_arena_printf(arena, "registers unknown, estimated: %u", o->registers));
    else fact(p, "registers unknown, not counted");
    if (o->active_clusters)
        fact(p, lw_arena_printf(arena, "%s%u cluster%s at once", o->clusters_exact ? "" : "about ", o->active_clusters,
                                plural(o->active_clusters)));
    pen_line(p);
}

static void remarks(report_page *page, const result_launch *launch)
{
    pen *p = &page->pen;
    if (launch->note) {
        pen_to(p, 2);
        pen_put(p, PEN_WARN, "%s: ", launch->note);
        pen_wrap(p, PEN_PLAIN, 2, "what ran until then is counted.");
    }
    if (launch->schedule_dependent) {
        pen_to(p, 2);
        pen_put(p, PEN_WARN, "schedule-dependent: ");
        pen_wrap(p, PEN_PLAIN, 2,
                 "a block read what another block of the launch wrote, so counts can differ from run to run; "
                 "--threads 1 repeats.");
    }
}

/* What a kernel's lines are summed up by. */
static const struct {
    const char *space, *unit;
} totals[] = {{"shared", "wavefronts"},   {"global", "sectors"},     {"dshared", "sectors"},  {"local", "sectors"},
              {"global", "transactions"}, {"local", "transactions"}, {"constant", "requests"}};

static void space_total(report_page *page, const result_launch *launch, const char *space, const char *unit)
{
    pen *p = &page->pen;
    char text[PEN_NUMBER];
    report_measure m = sum_rows(launch, space, unit);
    if (!m.actual) return;
    bool bad = m.actual > m.ideal;
    pen_to(p, 2);
    pen_cell(p, PEN_BOLD, 9, space);
    pen_cell(p, PEN_PLAIN, -12, pen_count(text, m.actual));
    pen_put(p, PEN_PLAIN, " %-10s  ideal", unit);
    pen_cell(p, PEN_PLAIN, -12, pen_count(text, m.ideal));
    pen_put(p, PEN_PLAIN, "  ");
    pen_cell(p, bad ? PEN_BAD : PEN_GOOD, -7, pen_ratio(text, m.actual, m.ideal));
    if (bad) {
        pen_put(p, PEN_PLAIN, "  ");
        pen_bar(p, LW_MIN(p->width - p->column, 24), m.actual, m.ideal);
    }
    pen_line(p);
}

static bool stopped_by_error(const result_launch *launch)
{
    return launch->note && !strcmp(launch->note, RESULT_STOPPED_BY_ERROR);
}

/* One line: until its error is mended, what a kernel costs matters little. */
static void counts_until_error(report_page *page, const result_launch *launch)
{
    pen *p = &page->pen;
    lw_arena *arena = &page->arena;
    char count[PEN_NUMBER], ratio[PEN_NUMBER];
    const char *list = "";
    for (size_t i = 0; i < LW_COUNT(totals); i++) {
        report_measure m = sum_rows(launch, totals[i].space, totals[i].unit);
        if (!m.actual) continue;
        list = lw_arena_printf(arena, "%s%s%s %s %s (%s)", list, *list ? ", " : "", totals[i].space,
                               pen_count(count, m.actual), m.unit, pen_ratio(ratio, m.actual, m.ideal));
    }
    pen_to(p, 2);
    pen_put(p, PEN_WARN, "%s: ", launch->note);
    pen_wrap(p, PEN_PLAIN, 2,
             *list ? lw_arena_printf(arena, "until then %s; --all shows the lines.", list)
                   : "no memory access was counted until then.");
}

static void kernel(report_page *page, const result_launch *launch)
{
    page->built = launch->built;
    kernel_name(page, name_of(page, launch));
    facts(page, launch);
    occupancy(page, &launch->occupancy);
    if (stopped_by_error(launch) && !page->all) {
        counts_until_error(page, launch);
        return;
    }
    remarks(page, launch);
    pen_line(&page->pen);
    for (size_t i = 0; i < LW_COUNT(totals); i++) space_total(page, launch, totals[i].space, totals[i].unit);
    text_caches(page, launch);
    text_lines(page, launch);
    text_what_if(page, launch);
}

/* Whether the kernel of ranked[i] stands among ranked[begin] to ranked[i - 1], too. */
static bool is_repeated(const ranked_launch *ranked, size_t begin, size_t i)
{
    return configurations(ranked, begin, i, i) > 0;
}

/* The kernels from `begin` on, all at their ideal: each name once. */
static void ideal_kernels(report_page *page, const ranked_launch *ranked, size_t begin, size_t count)
{
    pen *p = &page->pen;
    lw_arena *arena = &page->arena;
    const char *list = "";
    size_t named = 0, left_out = 0;
    for (size_t i = begin; i < count; i++) {
        if (ranked[i].launch->library || is_repeated(ranked, begin, i)) continue;
        if (named++ >= 2 * (size_t)page->kernels) {
            left_out++;
            continue;
        }
        size_t n = configurations(ranked, begin, count, i);
        list = lw_arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
                               short_name(arena, name_of(page, ranked[i].launch)));
        if (n > 1) list = lw_arena_printf(arena, "%s (%zu configurations)", list, n);
    }
    if (!named) return;
    if (left_out) list = lw_arena_printf(arena, "%s and %zu more", list, left_out);
    pen_line(p);
    pen_put(p, PEN_GOOD, "Memory traffic at the ideal in every line: ");
    pen_wrap(p, PEN_PLAIN, 2, lw_arena_printf(arena, "%s (--all shows the lines)", list));
}

/* "a, b (3 launches)": the kernels that were not counted for one reason, "" if there are none. */
static const char *uncounted(report_page *page, const result_set *set, result_why_uncounted why)
{
    lw_arena *arena = &page->arena;
    const char *list = "";
    size_t named = 0;
    uint64_t left_out = 0;
    for (size_t i = 0; i < set->uncounted.count; i++) {
        const result_uncounted *u = &set->uncounted.items[i];
        if (u->why != why) continue;
        if (named++ >= page->kernels) {
            left_out++;
            continue;
        }
        list =
            lw_arena_printf(arena, "%s%s%s", list, *list ? ", " : "", short_name(arena, text_kernel(page, u->kernel)));
        if (u->count > 1) list = lw_arena_printf(arena, "%s (%llu launches)", list, (unsigned long long)u->count);
    }
    return left_out ? lw_arena_printf(arena, "%s and %llu more", list, (unsigned long long)left_out) : list;
}

/* Kernels ran, and an option left out every one of them. */
static void nothing_counted(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    const char *unselected = uncounted(page, set, RESULT_NOT_SELECTED);
    const char *beyond = uncounted(page, set, RESULT_NOT_IN_RANGE);
    pen_line(p);
    pen_put(p, PEN_WARN, "Nothing was counted: ");
    if (*beyond)
        pen_wrap(
            p, PEN_PLAIN, 2,
            lw_arena_printf(&page->arena, "--launch-skip and --launch-count leave out every launch of %s.", beyond));
    else
        pen_wrap(
            p, PEN_PLAIN, 2,
            lw_arena_printf(&page->arena, "no kernel that was launched matches --kernel. Launched: %s.", unselected));
}

static void kernels(report_page *page, const ranked_launch *ranked, size_t count)
{
    pen *p = &page->pen;
    size_t bad = 0, shown;
    while (bad < count && ranked[bad].cost > 0) bad++;
    bool fold = count > FEW_KERNELS && count > bad && page->kernels < UINT32_MAX;
    if (!fold) bad = count;
    shown = LW_MIN(bad, page->kernels);
    for (size_t i = 0; i < shown; i++) kernel(page, ranked[i].launch);
    if (!count || shown < bad) pen_line(p);
    if (!count) pen_put(p, PEN_DIM, "No kernel was launched.");
    if (shown < bad)
        pen_put(p, PEN_DIM, "and %zu more kernel%s (--all shows them, --kernel REGEX selects)", bad - shown,
                plural(bad - shown));
    if (!count || shown < bad) pen_line(p);
    if (fold) ideal_kernels(page, ranked, bad, count);
}

/* Numba's names carry a tag for the version of a function. */
static bool is_numba(const result_set *set)
{
    for (size_t i = 0; i < set->launches.count; i++) {
        const char *mangled = set->launches.items[i].kernel_mangled;
        if (mangled && !strncmp(mangled, "_Z", 2) && strstr(mangled, "B2v1B")) return true;
    }
    return false;
}

static void closing(report_page *page, const result_set *set)
{
    pen *p = &page->pen;
    if (page->any_ptx || page->missing || page->changed.count || set->messages.count) pen_line(p);
    if (page->missing)
        pen_wrap(
            p, PEN_PLAIN, 0,
            lw_arena_printf(&page->arena,
                            "There is no file %s, so the text of its lines is not shown. A program that compiles at "
                            "run time (NVRTC) can write its source to a file of the name that it passes to "
                            "nvrtcCreateProgram().",
                            page->missing));
    for (size_t i = 0; i < page->changed.count; i++) {
        const char *file = text_file(page, page->changed.items[i]);
        pen_put(p, PEN_WARN, "warning: ");
        pen_wrap(
            p, PEN_PLAIN, 6,
            lw_arena_printf(&page->arena,
                            "%s is newer than the program: lines may have moved, so their text is not shown. Build "
                            "the program again.",
                            file));
    }
    if (page->any_ptx && is_numba(set))
        pen_wrap(p, PEN_PLAIN, 0,
                 "Lines marked PTX have no line information. For source lines compile with @cuda.jit(lineinfo=True).");
    else if (page->any_ptx)
        pen_wrap(
            p, PEN_PLAIN, 0,
            "Lines marked PTX have no line information. For source lines compile with -lineinfo (nvcc, NVRTC) or "
            "-gline-tables-only (clang), build with `lanewise build`, or unset TRITON_DISABLE_LINE_INFO (Triton).");
    for (size_t i = 0; i < set->messages.count; i++) {
        pen_put(p, PEN_WARN, "note: ");
        pen_wrap(p, PEN_PLAIN, 6, set->messages.items[i]);
    }
}

/* Who reads it on a terminal can ask what its words mean; files stay as they are. */
static void words_hint(pen *p, const result_set *set)
{
    if (!p->colour || !set->launches.count) return;
    pen_line(p);
    pen_wrap(p, PEN_DIM, 0,
             "What a word means, with a picture: lanewise explain wavefronts (sectors, ideal, occupancy ...)");
}

static void launches(report_page *page, const result_set *set)
{
    ranked_launch *ranked = rank_launches(page, set);
    if (set->launches.count > 1) table(page, ranked, set->launches.count);
    if (!set->launches.count && set->uncounted.count) nothing_counted(page, set);
    else kernels(page, ranked, set->launches.count);
    text_timeline(page, set);
    closing(page, set);
    words_hint(&page->pen, set);
}

void report_text(const result_set *set, const report_options *options, lw_text *out)
{
    report_page page = {.cwd = options->cwd,
                        .lines = options->all     ? UINT32_MAX
                                 : options->lines ? options->lines
                                                  : 8,
                        .ideal_lines = options->all ? UINT32_MAX : 6,
                        .kernels = options->all ? UINT32_MAX : 12,
                        .all = options->all,
                        .findings = options->all ? UINT32_MAX : 20,
                        .no_source = options->no_source,
                        .only_bad = options->only_bad};
    pen_init(&page.pen, options, out);
    if (!page.only_bad) header(&page, set);
    text_findings(&page, set);
    if (!page.only_bad) text_checked(&page, set);
    if (!page.only_bad) launches(&page, set);
    report_sources_free(&page.sources);
    lw_vec_free(&page.changed);
    lw_arena_free(&page.arena);
}
