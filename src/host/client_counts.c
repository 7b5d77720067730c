/* The counting client: result rows, what the model counted per instruction, joined with what execution counted, grouped by source line,
 * function, space, operation and width, and handed to the result log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/blocks_priv.h"
#include "host/caches_priv.h"
#include "host/clocks_priv.h"
#include "host/finding_priv.h"
#include "host/flops_priv.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/ordered_priv.h"
#include "host/ptx_lines_priv.h"
#include "host/results_priv.h"
#include "host/samples_priv.h"
#include "host/services_priv.h"
#include "host/sites_priv.h"
#include "host/state_priv.h"
#include "host/timeline_priv.h"
#include "host/what_if_priv.h"
#include "model/model.h"

/* The state of a launch. */
typedef struct counting {
    model *model;
} counting;

static void *session_begin(const event_session *session) { return session->owner; }

static void *launch_begin(void *session, const event_launch *launch)
{
    host_context *c = session;
    const host_launch_facts *facts = launch->owner;
    host_kernel *k = facts->op->u.kernel.kernel;
    if (!host_selection_take(c, k)) return NULL;
    lw_error error = {0};
    counting *counts = lw_alloc(sizeof *counts);
    if (model_create(&counts->model, c->device, k->code->site_count, &error)) {
        host_note(c, "nothing is counted: %s", error.message);
        free(counts);
        return NULL;
    }
    model_options options = {.bank_bytes = facts->op->u.kernel.bank_bytes,
                             .global_l1 = (model_l1)k->module->global_l1,
                             .heap_taken = host_heap_taken(c, k->module->device)};
    model_set_options(counts->model, &options, NULL);
    if (!k->sites) k->sites = host_sites_make(k->code);
    return counts;
}

static void *worker_begin(void *launch, uint32_t worker)
{
    return model_worker_begin(((counting *)launch)->model, worker);
}

static const char *space_name(event_space space)
{
    switch (space) {
    case EVENT_GLOBAL: return "global";
    case EVENT_SHARED: return "shared";
    case EVENT_DSHARED: return "dshared";
    case EVENT_LOCAL: return "local";
    case EVENT_TEXTURE: return "texture";
    default: return "constant"; /* constant memory; parameters read by index lie there too */
    }
}

static const char *op_name(event_op op)
{
    switch (op) {
    case EVENT_LOAD: return "load";
    case EVENT_STORE: return "store";
    case EVENT_ATOMIC: return "atomic";
    case EVENT_REDUCTION: return "reduction";
    case EVENT_COPY_READ:
    case EVENT_COPY_WRITE: return "copy";
    default: return "matrix";
    }
}

typedef struct row_builder {
    const host_context *context;
    const host_kernel *kernel;
    const exec_result *result;
    const char *inexact;             /* the whole model's reason, or NULL */
    const struct cache_site *caches; /* by instruction; NULL: not asked for */
    LW_VEC(result_row) rows;
    uint32_t ordered;                        /* host_ordered_of_launch() */
    const char **partings;                   /* per site: why it is not certain (code_parting); NULL: none is */
    uint8_t *seen;                           /* per site: it has a row already */
    uint32_t *shared_row_of, *global_row_of; /* per site: the number + 1 of its row of that memory; NULL: nobody asks */
} row_builder;

static bool same_row(const result_row *a, const result_row *b)
{
    return a->file == b->file && a->line == b->line && a->function == b->function && a->space == b->space &&
           a->op == b->op && a->dir == b->dir && a->bytes_per_lane == b->bytes_per_lane && a->ptx == b->ptx;
}

static result_row *find_row(row_builder *b, const result_row *key)
{
    for (size_t i = b->rows.count; i-- > 0;)
        if (same_row(&b->rows.items[i], key)) return &b->rows.items[i];
    lw_vec_push(&b->rows, *key);
    return &b->rows.items[b->rows.count - 1];
}

/* The model sees executions with at least one lane on; those with none are known to execution alone. An instruction
 * that appears under several spaces (generic addresses) keeps what was seen: its idle executions belong to none. */
static void add_idle_executions(row_builder *b, const model_site_result *site, counter_set *counters)
{
    if (!(counters->present >> COUNTER_INST_EXECUTED & 1) || !b->result->site_inst) return;
    if (b->seen[site->insn]) return;
    b->seen[site->insn] = 1;
    uint64_t executed = b->result->site_inst[site->insn];
    if (executed > counters->value[COUNTER_INST_EXECUTED] && b->result->site_lanes_on &&
        b->result->site_lanes_on[site->insn] == counters->value[COUNTER_LANES])
        counters->value[COUNTER_INST_EXECUTED] = executed;
}

/* By site, why its counts are not certain since lanes parted, or since blocks have several warps; NULL: nothing of the
 * kernel depends on that. free() it. */
static const char **partings_of(const code_kernel *code, const exec_result *result, const uint32_t block[3])
{
    if (!code->parting_count || !result->site_parted) return NULL;
    const char **why = lw_alloc((code->site_count + 1) * sizeof *why);
    uint32_t *before = lw_alloc((code->site_count + 1) * sizeof *before); /* how many sites below parted */
    for (uint32_t s = 0; s < code->site_count; s++) before[s + 1] = before[s] + result->site_parted[s];
    bool several_warps = (uint64_t)block[0] * block[1] * block[2] > 32;
    for (uint32_t k = 0; k < code->parting_count; k++) {
        const code_parting *p = &code->partings[k];
        bool holds = p->warps ? several_warps : before[p->last + 1] > before[p->first];
        if (holds && !why[p->site]) why[p->site] = p->why;
    }
    free(before);
    return why;
}

/* Did lanes of a warp access several sectors, of blocks that malloc gave? A card's heap has another layout. */
static bool on_heap_apart(const row_builder *b, const model_site_result *site)
{
    const counter_set *c = &site->counters;
    bool touched = site->space == EVENT_GLOBAL && b->result->site_on_heap && b->result->site_on_heap[site->insn];
    return touched && c->value[COUNTER_SECTORS] > c->value[COUNTER_REQUESTS];
}

/* Why the counts of a site are not certain; NULL: they are. */
static const char *inexact_of(const row_builder *b, const model_site_result *site)
{
    const code_site *code = &b->kernel->code->sites[site->insn];
    if (site->why) return site->why;
    if (b->inexact) return b->inexact;
    if (code->address_from & b->ordered) return HOST_ORDERED_WHY;
    if (on_heap_apart(b, site))
        return "lanes access several blocks of the device heap: where a card puts them is not known";
    if (!code->exact) return code->why ? code->why : "not recorded on hardware";
    return b->partings ? b->partings[site->insn] : NULL;
}

static void add_site(void *user, const model_site_result *site)
{
    row_builder *b = user;
    const code_site *code = &b->kernel->code->sites[site->insn];
    const host_site_place *place = &b->kernel->sites->places[site->insn];
    result_row key = {
        .file = place->file ? place->file : code->module->name,
        .line = place->line,
        .function = place->function,
        .inlined = place->inlined,
        .inlined_count = place->inlined_count,
        .ptx = place->ptx,
        .space = space_name(site->space),
        .op = op_name(site->op),
        .dir = site->op == EVENT_MATRIX_LOAD    ? "load"
               : site->op == EVENT_MATRIX_STORE ? "store"
                                                : NULL,
        .bytes_per_lane = site->bytes_per_lane,
        .exact = true,
    };
    counter_set counters = site->counters;
    add_idle_executions(b, site, &counters);
    if (b->caches) host_caches_add(&b->caches[site->insn], site, &counters);
    result_row *row = find_row(b, &key);
    counter_set_add(&row->counters, &counters);
    host_samples_add(b->context, site, row);
    uint32_t *row_of = site->space == EVENT_SHARED   ? b->shared_row_of
                       : site->space == EVENT_GLOBAL ? b->global_row_of
                                                     : NULL;
    if (row_of) row_of[site->insn] = (uint32_t)(row - b->rows.items) + 1;
    const char *why = inexact_of(b, site);
    if (why && row->exact) {
        row->exact = false;
        row->why = why;
    }
}

/* Blocks that run one after the other find done what those of a card, which run at once, wait for: where a line that loads
 * was executed, but not its loop that waits (a look-back loads once before it), a card's counts may have more. */
static void mark_waits(row_builder *b)
{
    const code_kernel *code = b->kernel->code;
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        const host_site_place *place = &b->kernel->sites->places[k];
        if (!site->waits || !site->is_memory || site->exact || b->result->site_inst[k]) continue;
        for (size_t i = 0; i < b->rows.count; i++) {
            result_row *row = &b->rows.items[i];
            bool there = row->exact && row->line == place->line && row->ptx == place->ptx && row->file == place->file;
            if (!there || strcmp(row->op, "load") != 0 || strcmp(row->space, "global") != 0) continue;
            row->exact = false;
            row->why = site->why;
        }
    }
}

/* What a call accesses by itself: rows of their own at the line of the call. */
static void add_call(void *user, const model_call_result *call)
{
    static const char *const names[] = {
        [MODEL_PRINT] = RESULT_PRINTF, [MODEL_HEAP] = RESULT_HEAP, [MODEL_SAVES] = RESULT_SAVES};
    row_builder *b = user;
    const host_site_place *place = host_site_of(b->kernel->sites, b->kernel->code, call->insn);
    result_row key = {
        .file = place->file ? place->file : b->kernel->code->sites[call->insn].module->name,
        .line = place->line,
        .function = names[call->what],
        .inlined = place->inlined,
        .inlined_count = place->inlined_count,
        .ptx = place->ptx,
        .space = space_name(call->space),
        .op = op_name(call->op),
        .exact = true,
    };
    counter_set counters = call->counters;
    if (b->caches) host_caches_add_call(call, &counters);
    result_row *row = find_row(b, &key);
    counter_set_add(&row->counters, &counters);
    const code_site *site = &b->kernel->code->sites[call->insn];
    const char *why = b->inexact ? b->inexact : call->why;
    if (!why && call->what == MODEL_SAVES && !site->exact) why = site->why;
    if (why && row->exact) {
        row->exact = false;
        row->why = why;
    }
}

/* Rows of their own, as a line may also access memory. */
static void add_flops(row_builder *b)
{
    const code_kernel *code = b->kernel->code;
    counter_set counters;
    for (uint32_t k = 0; k < code->site_count; k++) {
        if (!host_flops_of_site(code, b->result, k, &counters)) continue;
        const host_site_place *place = host_site_of(b->kernel->sites, code, k);
        result_row key = {
            .file = place->ptx ? code->sites[k].module->name : place->file,
            .line = place->line,
            .function = place->function,
            .inlined = place->inlined,
            .inlined_count = place->inlined_count,
            .ptx = place->ptx,
            .space = RESULT_MATH,
            .op = "flop",
            .exact = true,
        };
        counter_set_add(&find_row(b, &key)->counters, &counters);
    }
}

/* After all that is predicted from the rows: the time of a call is known as a whole (time.c). */
static void add_calls(row_builder *b, model *m, result_launch *launch)
{
    size_t first = b->rows.count;
    model_each_call(m, add_call, b);
    for (size_t k = first; k < b->rows.count; k++) counter_set_add(&launch->counters, &b->rows.items[k].counters);
    launch->rows = b->rows.items;
    launch->row_count = b->rows.count;
}

static const char *launch_note(const exec_result *result)
{
    switch (result->fault.kind) {
    case EXEC_NO_FAULT: return NULL;
    case EXEC_INTERRUPTED: return "interrupted";
    default: return RESULT_STOPPED_BY_ERROR;
    }
}

/* A child names the line that launched it. */
static void name_parent(const host_op *op, result_launch *out)
{
    host_kernel *parent = op->u.kernel.parent;
    if (!parent) return;
    out->parent = host_kernel_demangled(parent);
    host_source_of(parent->code, op->u.kernel.parent_site, &out->parent_file, &out->parent_line);
}

static void add_time(host_context *c, const host_launch_facts *facts, result_launch *launch, result_row *rows)
{
    launch->time = host_time_of_launch(c, facts, launch, rows);
    if (launch->time.count) host_add_clock_wait(c, facts, launch, &launch->time);
    else
        host_note(c,
                  "%s was stopped when fewer of its blocks had ended than were under way: no time is predicted for it",
                  launch->kernel);
    host_caches_add_idle(c->device, launch);
    host_timeline_predicted(c, launch->time.seconds);
}

static void write_launch(host_context *c, const counting *counts, const host_launch_facts *facts)
{
    host_kernel *k = facts->op->u.kernel.kernel;
    const host_launch_config *g = &facts->op->u.kernel.config;
    const exec_result *result = facts->result;
    row_builder b = {.context = c, .kernel = k, .result = result, .inexact = model_inexact(counts->model)};
    if (result->fault.kind) b.inexact = "the launch did not end: what ran until then is counted";
    if (!b.inexact && c->options.count_ptx) b.inexact = "counted as written in PTX (--count ptx)";
    if (!b.inexact) b.inexact = model_call_doubt(counts->model);
    b.seen = lw_alloc(k->code->site_count + 1);
    if (host_what_if_seen(c)) {
        b.shared_row_of = lw_alloc((k->code->site_count + 1) * sizeof *b.shared_row_of);
        b.global_row_of = lw_alloc((k->code->site_count + 1) * sizeof *b.global_row_of);
    }
    b.ordered = host_ordered_of_launch(c, facts);
    b.partings = partings_of(k->code, result, g->block);
    b.caches = host_caches_of_launch(c);
    model_each(counts->model, add_site, &b);
    if (result->site_inst) host_ordered_note(c, facts, b.ordered);
    if (result->site_inst && (uint64_t)g->grid[0] * g->grid[1] * g->grid[2] > 1) mark_waits(&b);
    if (c->options.time) add_flops(&b);
    result_launch launch = {
        .kernel = host_kernel_demangled(k),
        .kernel_mangled = k->name,
        .dynamic_shared_bytes = (uint32_t)g->dynamic_shared,
        .count = 1,
        .seconds = result->seconds,
        .inst_executed = result->inst_executed,
        .thread_inst = result->thread_inst,
        .schedule_dependent = result->schedule_dependent,
        .note = launch_note(result),
        .built = k->module->built,
        .device = k->module->device,
        .occupancy = host_occupancy_of_launch(k, g),
        .blocks = host_blocks_of_launch(c),
        .rows = b.rows.items,
        .row_count = b.rows.count,
    };
    name_parent(facts->op, &launch);
    memcpy(launch.grid, g->grid, sizeof launch.grid);
    memcpy(launch.block, g->block, sizeof launch.block);
    memcpy(launch.cluster, g->cluster, sizeof launch.cluster);
    for (size_t i = 0; i < b.rows.count; i++) counter_set_add(&launch.counters, &b.rows.items[i].counters);
    if (c->options.time && b.caches) add_time(c, facts, &launch, b.rows.items);
    if (b.shared_row_of) host_what_if_add(c, facts, &launch, b.rows.items, b.shared_row_of, b.global_row_of);
    add_calls(&b, counts->model, &launch);
    lw_text ptx = {0};
    if (host_ptx_lines(c, k, result, &ptx)) launch.ptx = ptx.data;
    result_log_launch(c->results->log, &launch);
    lw_text_free(&ptx);
    lw_vec_free(&b.rows);
    free(b.shared_row_of);
    free(b.global_row_of);
    free(b.partings);
    free(b.seen);
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    host_context *c = session;
    counting *counts = state;
    const host_launch_facts *facts = launch->owner;
    if (facts->result && c->results->log) write_launch(c, counts, facts);
    model_destroy(counts->model);
    free(counts);
}

const event_client host_client_counts = {
    .name = "counts",
    .kinds = EVENT_BIT(EVENT_COUNTED) | MODEL_CALL_KINDS,
    .session_begin = session_begin,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .worker_begin = worker_begin,
    .memory = model_count,
    .sync = model_call_count,
};
