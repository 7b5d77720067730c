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

enum { STATIC_SHARED_MOST = 48 << 10 }; /* bytes of a kernel's static variables */

/* One array. */
typedef struct recount_array {
    model_array at;
    const char *name;
    bool dynamic;
    bool joined;      /* the compiler has made one access of several */
    uint64_t *before; /* wavefronts by instruction, as it is */
    uint64_t sum;
} recount_array;

/* ---- the array's elements ---- */
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
        uint32_t bytes, together = host_what_if_parts(mnemonic, &bytes);
        if (!bytes || bytes > access->bytes) bytes = access->bytes;
        if (access->matrices || !together) together = access->bytes;
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
        if (meant && !inside)
            return lw_arena_printf(r->arena, "%s goes beyond its end", host_what_if_place(r, access->insn));
        if (!inside || named || r->kernel->code->shared_variable_count < 2) continue;
        return lw_arena_printf(r->arena, "the address at %s may be one of another array",
                               host_what_if_place(r, access->insn));
    }
    return NULL;
}

/* ---- one layout ---- */
static const char *refusal(const recount *r, const recount_array *a, const result_what_if *w)
{
    const char *why = host_what_if_no_gain(r, w);
    bool over = !a->dynamic &&
                r->kernel->code->static_shared_bytes + (w->bytes_after - w->bytes_before) > STATIC_SHARED_MOST &&
                w->bytes_after > w->bytes_before;
    if (why) return why;
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

static result_what_if describe(const recount *r, const recount_array *a, const model_layout *layout)
{
    lw_text now = {0}, then = {0}, index = {0};
    uint32_t shared = r->kernel->code->static_shared_bytes + (uint32_t)r->config->dynamic_shared;
    uint32_t more = model_layout_bytes(layout) - layout->bytes;
    model_layout_now(layout, a->name, &now);
    model_layout_then(layout, a->name, &then);
    model_layout_index(layout, &index);
    return (result_what_if){.array = a->name,
                            .now = host_what_if_text(r->arena, &now),
                            .then = host_what_if_text(r->arena, &then),
                            .index = host_what_if_text(r->arena, &index),
                            .exact = !a->joined,
                            .before = a->sum,
                            .bytes_before = shared,
                            .bytes_after = shared + more,
                            .blocks_before = host_blocks_with_shared(r->kernel, r->config, 0),
                            .blocks_after = host_blocks_with_shared(r->kernel, r->config, more)};
}

/* Counts the array with a layout; by_row: r->row_before and row_after. */
static result_what_if try_layout(recount *r, model_pricer *pricer, const recount_array *a, const model_layout *layout)
{
    result_what_if w = describe(r, a, layout);
    uint32_t insn;
    uint64_t *after = lw_alloc((r->kernel->code->site_count + 1) * sizeof *after);
    if (model_recount(r->seen->accesses, &a->at, layout, pricer, after, &insn)) {
        for (uint32_t k = 0; k < r->kernel->code->site_count; k++) w.after += after[k];
        host_what_if_sum_rows(r, a->before, r->row_before);
        host_what_if_sum_rows(r, after, r->row_after);
        w.refused = refusal(r, a, &w);
        add_time(r, &w);
    } else {
        w.after = w.before;
        w.refused =
            lw_arena_printf(r->arena, "%s: accesses would not be aligned, or cross a row", host_what_if_place(r, insn));
    }
    free(after);
    return w;
}

/* ---- the table ---- */
/* No layout that was counted is better: then none is guessed either. */
static void advise_nothing(recount *r, const recount_array *a, size_t count)
{
    host_what_if_sum_rows(r, a->before, r->row_before);
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
static void try_layouts(recount *r, model_pricer *pricer, const recount_array *a, const model_layouts *layouts)
{
    ranked_list all = {0};
    for (size_t k = 0; k < layouts->count; k++) {
        ranked one = {try_layout(r, pricer, a, &layouts->items[k]), &layouts->items[k]};
        lw_vec_push(&all, one);
    }
    host_what_if_sort(&all);
    ranked *best = all.items[0].what.refused ? NULL : &all.items[0];
    if (best) {
        best->what = try_layout(r, pricer, a, best->layout); /* once more, for its rows */
        best->what.best = true;
        const char *what = lw_arena_printf(r->arena, "%s instead of %s", best->what.then, best->what.now);
        host_what_if_advise(r, &best->what, a->at.element, what, "");
    } else {
        advise_nothing(r, a, all.count);
    }
    host_what_if_show(r, &all);
}

static void say_unproven(recount *r, const recount_array *a, const char *why)
{
    result_what_if w = {.array = a->name, .now = a->name, .refused = why, .before = a->sum, .after = a->sum};
    lw_vec_push(&r->table, w);
}

static void recount_one(recount *r, model_pricer *pricer, const event_variable *v)
{
    uint32_t insn;
    uint32_t bytes = v->bytes ? v->bytes : (uint32_t)r->config->dynamic_shared;
    recount_array a = {.at = {.begin = v->offset, .bytes = bytes},
                       .name = host_what_if_short_name(r->arena, v->name),
                       .dynamic = !v->bytes};
    model_layouts layouts = {0};
    uint8_t *parts = lw_alloc(r->kernel->code->site_count + 1);
    find_element(r, &a, parts);
    model_candidates(r->seen->accesses, &a.at, pricer, &layouts);
    if (layouts.count) {
        a.before = lw_alloc((r->kernel->code->site_count + 1) * sizeof *a.before);
        model_recount(r->seen->accesses, &a.at, NULL, pricer, a.before, &insn);
        for (uint32_t k = 0; k < r->kernel->code->site_count; k++) a.sum += a.before[k];
        const char *why = unproven(r, &a);
        if (why) say_unproven(r, &a, why);
        else try_layouts(r, pricer, &a, &layouts);
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

static void recount_shared(recount *r)
{
    const code_kernel *code = r->kernel->code;
    model_pricer *pricer = model_pricer_make(r->context->device);
    for (uint32_t k = 0; pricer && k < code->shared_variable_count; k++)
        if (!was_looked_at(code, k)) recount_one(r, pricer, &code->shared_variables[k]);
    model_pricer_free(pricer);
}

void host_what_if_add(host_context *context, const host_launch_facts *facts, result_launch *launch, result_row *rows,
                      const uint32_t *shared_row_of, const uint32_t *global_row_of)
{
    what_if_seen *seen = host_what_if_seen(context);
    if (!seen || !launch->row_count) return;
    recount r = {.context = context,
                 .facts = facts,
                 .seen = seen,
                 .kernel = facts->op->u.kernel.kernel,
                 .config = &facts->op->u.kernel.config,
                 .arena = host_what_if_arena(context),
                 .launch = launch,
                 .rows = rows,
                 .row_of = shared_row_of};
    r.row_before = lw_alloc(launch->row_count * sizeof *r.row_before);
    r.row_after = lw_alloc(launch->row_count * sizeof *r.row_after);
    recount_shared(&r);
    r.row_of = global_row_of;
    if (!facts->result->fault.kind) host_what_if_global(&r);
    result_what_if *table = LW_NEW_ARRAY(r.arena, result_what_if, r.table.count + 1);
    if (r.table.count) memcpy(table, r.table.items, r.table.count * sizeof *table);
    launch->what_if = table;
    launch->what_if_count = r.table.count;
    if (r.table.count) host_what_if_done(context, facts);
    lw_vec_free(&r.table);
    free(r.row_before);
    free(r.row_after);
}
