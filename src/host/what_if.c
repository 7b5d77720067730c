/* Other layouts of a launch's arrays in shared memory, counted. Each array is looked at alone: what a layout changes is
 * what its own accesses cost, as arrays begin at multiples of their alignment and only distances within one matter.
 * Recommended is only what was counted: the cheapest layout that no line pays for, that all accesses are aligned with, and
 * with which as many blocks are resident as now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/caches_priv.h"
#include "host/finding_priv.h"
#include "host/kernel_priv.h"
#include "host/source_priv.h"
#include "host/what_if_priv.h"
#include "model/candidates.h"

enum {
    LEAST_GAIN = 20,              /* 1/20 of what the array costs: below that nothing is recommended */
    MOST_SHOWN = 16,              /* layouts of one array in the table */
    STATIC_SHARED_MOST = 48 << 10 /* bytes of a kernel's static variables */
};

/* The work on one launch. */
typedef struct recount {
    host_context *context;
    const host_launch_facts *facts;
    const what_if_seen *seen;
    const host_kernel *kernel;
    const host_launch_config *config;
    model_pricer *pricer;
    lw_arena *arena;
    result_launch *launch;
    result_row *rows;
    const uint32_t *row_of;
    uint64_t *row_before, *row_after; /* of the array's accesses, by row */
    LW_VEC(result_what_if) table;
} recount;

/* One array. */
typedef struct recount_array {
    model_array at;
    const char *name;
    bool dynamic;
    bool joined;      /* the compiler has made one access of several */
    uint64_t *before; /* wavefronts by instruction, as it is */
    uint64_t sum;
} recount_array;

/* "kernel(float*)::tile" -> "tile" */
static const char *short_name(lw_arena *arena, const char *mangled)
{
    char *name = host_demangle(mangled);
    char *last = name;
    for (char *at = strstr(name, "::"); at; at = strstr(at + 2, "::")) last = at + 2;
    const char *kept = lw_arena_strdup(arena, last);
    free(name);
    return kept;
}

static const char *place_of(const recount *r, uint32_t insn)
{
    const char *file;
    uint32_t line;
    host_source_of(r->kernel->code, insn, &file, &line);
    const char *base = file ? strrchr(file, '/') : NULL;
    return lw_arena_printf(r->arena, "%s:%u", base ? base + 1 : file ? file : "?", line);
}

/* ---- the array's elements ---- */
/* Bytes of the type that an instruction ends with: 4 of "ld.shared.v2.f32"; 0: it does not say. */
static uint32_t type_bytes(const char *mnemonic)
{
    const char *type = strrchr(mnemonic, '.');
    size_t letters = type ? strcspn(type, "0123456789") : 0;
    return letters ? (uint32_t)strtoul(type + letters, NULL, 10) / 8 : 0;
}

static uint32_t lanes_vector(const char *mnemonic)
{
    if (strstr(mnemonic, ".v2.")) return 2;
    if (strstr(mnemonic, ".v4.")) return 4;
    return strstr(mnemonic, ".v8.") ? 8 : 1;
}

/* The narrowest type that the array is accessed by, and what PTX moves at once. */
static void find_element(const recount *r, recount_array *a, uint8_t *parts)
{
    a->at.element = 16;
    a->at.parts = parts;
    for (uint32_t k = 0; k < model_accesses_count(r->seen->accesses); k++) {
        uint64_t times;
        const model_access *access = model_accesses_at(r->seen->accesses, k, &times);
        if (!model_array_has(&a->at, access)) continue;
        const char *mnemonic = r->kernel->code->sites[access->insn].insn->mnemonic;
        uint32_t bytes = type_bytes(mnemonic);
        if (!bytes || bytes > access->bytes) bytes = access->bytes;
        uint32_t together = access->matrices ? access->bytes : bytes * lanes_vector(mnemonic);
        parts[access->insn] = (uint8_t)together;
        a->at.element = LW_MIN(a->at.element, bytes);
        a->joined |= access->bytes > bytes && !access->matrices;
    }
}

/* ---- whether an array may be laid out anew ---- */

/* Why other layouts of the array say nothing; NULL: its bounds are proven. */
static const char *unproven(const recount *r, const recount_array *a)
{
    if (r->seen->bulk) return "bulk copies move shared memory as one piece";
    if (r->seen->clusters) return "other blocks of the cluster access shared memory";
    if (model_accesses_dropped(r->seen->accesses)) return "it is accessed in too many different ways";
    for (uint32_t k = 0; k < model_accesses_count(r->seen->accesses); k++) {
        uint64_t times;
        const model_access *access = model_accesses_at(r->seen->accesses, k, &times);
        const event_variable *named = r->kernel->code->event_insns[access->insn].variable;
        bool inside = model_array_has(&a->at, access);
        bool meant = named && named->offset == a->at.begin;
        if (meant && !inside) return lw_arena_printf(r->arena, "%s goes beyond its end", place_of(r, access->insn));
        if (!inside || named || r->kernel->code->shared_variable_count < 2) continue;
        return lw_arena_printf(r->arena, "the address at %s may be one of another array", place_of(r, access->insn));
    }
    return NULL;
}

/* ---- one layout ---- */
static void sum_rows(const recount *r, const uint64_t *by_insn, uint64_t *by_row)
{
    memset(by_row, 0, r->launch->row_count * sizeof *by_row);
    for (uint32_t k = 0; k < r->kernel->code->site_count; k++)
        if (by_insn[k] && r->row_of[k]) by_row[r->row_of[k] - 1] += by_insn[k];
}

/* A row that costs more than before; NULL: none does. */
static const result_row *worse_row(const recount *r)
{
    for (size_t k = 0; k < r->launch->row_count; k++)
        if (r->row_after[k] > r->row_before[k]) return &r->rows[k];
    return NULL;
}

static const char *refusal(const recount *r, const recount_array *a, const result_what_if *w)
{
    const result_row *worse = worse_row(r);
    bool over = !a->dynamic &&
                r->kernel->code->static_shared_bytes + (w->bytes_after - w->bytes_before) > STATIC_SHARED_MOST &&
                w->bytes_after > w->bytes_before;
    if (worse) return lw_arena_printf(r->arena, "line %u gets worse", worse->line);
    if (w->after >= w->before) return "nothing is gained";
    if (w->before - w->after < w->before / LEAST_GAIN) return "hardly anything is gained";
    if (!w->blocks_after) return "a block would need more shared memory than there is";
    if (w->blocks_after < w->blocks_before)
        return lw_arena_printf(r->arena, "occupancy falls: %u blocks of a multiprocessor instead of %u",
                               w->blocks_after, w->blocks_before);
    if (over) return "static shared memory ends at 48 KiB: dynamic shared memory is needed";
    return NULL;
}

/* Of the launch if it had so many wavefronts fewer: the prediction knows their sum alone. */
static double predict(const recount *r, uint64_t saved, uint32_t blocks)
{
    size_t bytes = r->launch->row_count * sizeof *r->rows;
    result_row *rows = lw_alloc(bytes + 1);
    result_launch launch = *r->launch;
    memcpy(rows, r->rows, bytes);
    for (size_t k = 0; k < launch.row_count; k++) {
        if (strcmp(rows[k].space, "shared")) continue;
        uint64_t *value = &rows[k].counters.value[COUNTER_WAVEFRONTS];
        uint64_t part = LW_MIN(*value, saved);
        *value -= part;
        saved -= part;
    }
    launch.rows = rows;
    launch.occupancy.blocks_per_sm = blocks;
    double seconds = host_time_of_launch(r->context, r->facts, &launch, rows).seconds;
    free(rows);
    return seconds;
}

static void add_time(const recount *r, result_what_if *w)
{
    if (!r->launch->time.count || !w->blocks_after || w->after > w->before) return;
    w->seconds_before = predict(r, 0, w->blocks_before);
    w->seconds_after = predict(r, w->before - w->after, w->blocks_after);
}

static const char *kept(lw_arena *arena, lw_text *text)
{
    const char *copy = lw_arena_strndup(arena, text->data, text->size);
    lw_text_free(text);
    return copy;
}

static result_what_if describe(const recount *r, const recount_array *a, const model_layout *layout)
{
    lw_text now = {0}, then = {0}, index = {0};
    uint32_t shared = r->kernel->code->static_shared_bytes + (uint32_t)r->config->dynamic_shared;
    uint32_t more = model_layout_bytes(layout) - layout->bytes;
    model_layout_now(layout, a->name, &now);
    model_layout_then(layout, a->name, &then);
    model_layout_index(layout, &index);
    return (result_what_if){.array = a->name,
                            .now = kept(r->arena, &now),
                            .then = kept(r->arena, &then),
                            .index = kept(r->arena, &index),
                            .exact = !a->joined,
                            .before = a->sum,
                            .bytes_before = shared,
                            .bytes_after = shared + more,
                            .blocks_before = host_blocks_with_shared(r->kernel, r->config, 0),
                            .blocks_after = host_blocks_with_shared(r->kernel, r->config, more)};
}

/* Counts the array with a layout; by_row: r->row_before and row_after. */
static result_what_if try_layout(recount *r, const recount_array *a, const model_layout *layout)
{
    result_what_if w = describe(r, a, layout);
    uint32_t insn;
    uint64_t *after = lw_alloc((r->kernel->code->site_count + 1) * sizeof *after);
    if (model_recount(r->seen->accesses, &a->at, layout, r->pricer, after, &insn)) {
        for (uint32_t k = 0; k < r->kernel->code->site_count; k++) w.after += after[k];
        sum_rows(r, a->before, r->row_before);
        sum_rows(r, after, r->row_after);
        w.refused = refusal(r, a, &w);
        add_time(r, &w);
    } else {
        w.after = w.before;
        w.refused = lw_arena_printf(r->arena, "%s: accesses would not be aligned, or cross a row", place_of(r, insn));
    }
    free(after);
    return w;
}

/* ---- the table ---- */
typedef struct ranked {
    result_what_if what;
    const model_layout *layout; /* in the order of the candidates */
} ranked;

/* What is recommended first; then the cheapest; of equals the one whose rows are more likely those of the program. */
static int by_worth(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (!a->what.refused != !b->what.refused) return a->what.refused ? 1 : -1;
    if (a->what.after != b->what.after) return a->what.after < b->what.after ? -1 : 1;
    return a->layout < b->layout ? -1 : a->layout > b->layout;
}

static const char *saved_time(const recount *r, const result_what_if *w)
{
    if (w->seconds_before <= 0 || w->seconds_after >= w->seconds_before) return "";
    return lw_arena_printf(r->arena, ", -%.0f %% predicted time", 100 * (1 - w->seconds_after / w->seconds_before));
}

/* 17408 -> "17,408" */
static const char *grouped(lw_arena *arena, uint64_t n)
{
    const char *tail = "";
    for (; n >= 1000; n /= 1000) tail = lw_arena_printf(arena, ",%03u%s", (uint32_t)(n % 1000), tail);
    return lw_arena_printf(arena, "%u%s", (uint32_t)n, tail);
}

/* What the best layout does to each row of the array's accesses. */
static void advise(recount *r, const recount_array *a, const result_what_if *best)
{
    const char *before = grouped(r->arena, best->before);
    const char *after = grouped(r->arena, best->after);
    const char *about = best->exact ? "" : "~";
    for (size_t k = 0; k < r->launch->row_count; k++) {
        result_row *row = &r->rows[k];
        if (r->row_after[k] >= r->row_before[k]) continue;
        double actual = (double)row->counters.value[COUNTER_WAVEFRONTS];
        double ideal = (double)row->counters.value[COUNTER_WAVEFRONTS_IDEAL];
        double then = actual - (double)(r->row_before[k] - r->row_after[k]);
        row->advice = lw_arena_printf(
            r->arena,
            "Counted: with %s instead of %s (%u-byte element i at %s) %.1fx -> %s%.1fx here, no line worse, %s -> %s "
            "wavefronts%s.",
            best->then, best->now, a->at.element, best->index, actual / ideal, about, then / ideal, before, after,
            saved_time(r, best));
    }
}

/* No layout that was counted is better: then none is guessed either. */
static void advise_nothing(recount *r, const recount_array *a, size_t count)
{
    sum_rows(r, a->before, r->row_before);
    for (size_t k = 0; k < r->launch->row_count; k++) {
        result_row *row = &r->rows[k];
        const uint64_t *value = row->counters.value;
        if (!r->row_before[k] || value[COUNTER_WAVEFRONTS] <= value[COUNTER_WAVEFRONTS_IDEAL]) continue;
        row->advice = lw_arena_printf(r->arena,
                                      "Counted: none of %zu other layouts of %s is better. Let the lanes of a warp "
                                      "access neighbouring elements, or the same one.",
                                      count, a->name);
    }
}

/* The layouts of one array: counted, sorted, and the best marked. */
static void try_layouts(recount *r, const recount_array *a, const model_layouts *layouts)
{
    LW_VEC(ranked) all = {0};
    for (size_t k = 0; k < layouts->count; k++) {
        ranked one = {try_layout(r, a, &layouts->items[k]), &layouts->items[k]};
        lw_vec_push(&all, one);
    }
    qsort(all.items, all.count, sizeof *all.items, by_worth);
    ranked *best = all.items[0].what.refused ? NULL : &all.items[0];
    if (best) {
        best->what = try_layout(r, a, best->layout); /* once more, for its rows */
        best->what.best = true;
        advise(r, a, &best->what);
    } else {
        advise_nothing(r, a, all.count);
    }
    for (size_t k = 0; k < all.count && k < MOST_SHOWN; k++) lw_vec_push(&r->table, all.items[k].what);
    lw_vec_free(&all);
}

static void say_unproven(recount *r, const recount_array *a, const char *why)
{
    result_what_if w = {.array = a->name, .now = a->name, .refused = why, .before = a->sum, .after = a->sum};
    lw_vec_push(&r->table, w);
}

static void recount_one(recount *r, const event_variable *v)
{
    uint32_t insn;
    uint32_t bytes = v->bytes ? v->bytes : (uint32_t)r->config->dynamic_shared;
    recount_array a = {
        .at = {.begin = v->offset, .bytes = bytes}, .name = short_name(r->arena, v->name), .dynamic = !v->bytes};
    model_layouts layouts = {0};
    uint8_t *parts = lw_alloc(r->kernel->code->site_count + 1);
    find_element(r, &a, parts);
    model_candidates(r->seen->accesses, &a.at, r->pricer, &layouts);
    if (layouts.count) {
        a.before = lw_alloc((r->kernel->code->site_count + 1) * sizeof *a.before);
        model_recount(r->seen->accesses, &a.at, NULL, r->pricer, a.before, &insn);
        for (uint32_t k = 0; k < r->kernel->code->site_count; k++) a.sum += a.before[k];
        const char *why = unproven(r, &a);
        if (why) say_unproven(r, &a, why);
        else try_layouts(r, &a, &layouts);
        free(a.before);
    }
    lw_vec_free(&layouts);
    free(parts);
}

static bool was_looked_at(const code_kernel *code, uint32_t variable)
{
    for (uint32_t k = 0; k < variable; k++)
        if (code->shared_variables[k].offset == code->shared_variables[variable].offset) return true;
    return false; /* several dynamic arrays are one */
}

void host_what_if_add(host_context *context, const host_launch_facts *facts, result_launch *launch, result_row *rows,
                      const uint32_t *row_of)
{
    what_if_seen *seen = host_what_if_seen(context);
    if (!seen || !launch->row_count) return;
    recount r = {.context = context,
                 .facts = facts,
                 .seen = seen,
                 .kernel = facts->op->u.kernel.kernel,
                 .config = &facts->op->u.kernel.config,
                 .pricer = model_pricer_make(context->device),
                 .arena = host_what_if_arena(context),
                 .launch = launch,
                 .rows = rows,
                 .row_of = row_of};
    const code_kernel *code = r.kernel->code;
    r.row_before = lw_alloc(launch->row_count * sizeof *r.row_before);
    r.row_after = lw_alloc(launch->row_count * sizeof *r.row_after);
    for (uint32_t k = 0; r.pricer && k < code->shared_variable_count; k++)
        if (!was_looked_at(code, k)) recount_one(&r, &code->shared_variables[k]);
    result_what_if *table = LW_NEW_ARRAY(r.arena, result_what_if, r.table.count + 1);
    if (r.table.count) memcpy(table, r.table.items, r.table.count * sizeof *table);
    launch->what_if = table;
    launch->what_if_count = r.table.count;
    if (r.table.count) host_what_if_done(context, facts);
    lw_vec_free(&r.table);
    free(r.row_before);
    free(r.row_after);
    model_pricer_free(r.pricer);
}
