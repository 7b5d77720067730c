/* Samples as a client: of each memory instruction it keeps the addresses of two warps, to be drawn in a report: the access that
 * cost most, and one that cost what most of them cost. Only with LANEWISE_SAMPLES: it prices every access that it looks at.
 *
 * Accesses of one site that cost the same are one class, of which the access of the lowest (block, warp) is kept, so that the
 * result does not depend on which host thread ran which block. Of large grids some blocks are looked at, evenly spaced. */
#include <stdlib.h>
#include <string.h>

#include "host/launch_priv.h"
#include "host/samples_priv.h"

#define MOST_BLOCKS 256u /* that are looked at in one launch */
#define MOST_CLASSES 80u /* costs of one site that are told apart: 32 lanes have at most 64 wavefronts or sectors */

typedef struct sample_class {
    uint64_t count;       /* accesses with this cost */
    result_sample sample; /* one of them; its cost is the class's */
} sample_class;

/* One instruction in one space, as one operation, of one width. */
typedef struct sample_site {
    uint32_t key;
    LW_VEC(sample_class) classes;
} sample_site;

typedef LW_VEC(sample_site *) sample_list;

typedef struct sample_table {
    uint32_t insns;
    sample_list *sites; /* by instruction */
} sample_table;

typedef struct sample_launch {
    sample_table table; /* of all workers, filled as they end */
    uint32_t stride;    /* every stride-th block is looked at */
    const device_profile *device;
    lw_arena arena; /* what rows are given */
} sample_launch;

struct host_samples {
    sample_launch *launch; /* the last one, until the next begins */
};

typedef struct sample_worker {
    sample_table table;
    model *model; /* prices single accesses, all as its instruction 0 */
    void *pricing;
    uint32_t stride;
} sample_worker;

/* ---- tables ---- */

static uint32_t key_of(event_space space, event_op op, uint32_t bytes)
{
    return (uint32_t)space << 16 | (uint32_t)op << 8 | bytes;
}

static void table_make(sample_table *table, uint32_t insns)
{
    table->insns = insns;
    table->sites = lw_alloc(((size_t)insns + 1) * sizeof *table->sites);
}

static void table_free(sample_table *table)
{
    for (uint32_t i = 0; i < table->insns; i++) {
        sample_list *list = &table->sites[i];
        for (size_t k = 0; k < list->count; k++) {
            lw_vec_free(&list->items[k]->classes);
            free(list->items[k]);
        }
        lw_vec_free(list);
    }
    free(table->sites);
    table->sites = NULL;
}

static sample_site *site_find(const sample_table *table, uint32_t insn, uint32_t key)
{
    const sample_list *list = &table->sites[insn];
    for (size_t k = 0; k < list->count; k++)
        if (list->items[k]->key == key) return list->items[k];
    return NULL;
}

static sample_site *site_take(sample_table *table, uint32_t insn, uint32_t key)
{
    sample_site *site = site_find(table, insn, key);
    if (site) return site;
    site = lw_alloc(sizeof *site);
    site->key = key;
    lw_vec_push(&table->sites[insn], site);
    return site;
}

static bool is_before(const result_sample *a, const result_sample *b)
{
    return a->block != b->block ? a->block < b->block : a->warp < b->warp;
}

/* Adds `count` accesses that cost what the sample does. */
static void site_add(sample_site *site, const result_sample *sample, uint64_t count)
{
    for (size_t k = 0; k < site->classes.count; k++) {
        sample_class *c = &site->classes.items[k];
        if (c->sample.cost != sample->cost) continue;
        c->count += count;
        if (is_before(sample, &c->sample)) c->sample = *sample;
        return;
    }
    if (site->classes.count == MOST_CLASSES) return;
    sample_class fresh = {count, *sample};
    lw_vec_push(&site->classes, fresh);
}

/* ---- the client ---- */

static void *session_begin(const event_session *session)
{
    host_context *c = session->owner;
    if (!c->options.samples || !c->device) return NULL;
    c->samples = lw_alloc(sizeof *c->samples);
    return c;
}

static void drop_launch(host_samples *samples)
{
    sample_launch *launch = samples->launch;
    if (!launch) return;
    table_free(&launch->table);
    lw_arena_free(&launch->arena);
    free(launch);
    samples->launch = NULL;
}

static void session_end(void *session)
{
    host_context *c = session;
    drop_launch(c->samples);
    free(c->samples);
    c->samples = NULL;
}

static void *launch_begin(void *session, const event_launch *launch)
{
    host_context *c = session;
    const host_launch_facts *facts = launch->owner;
    drop_launch(c->samples);
    if (!host_selection_has(c, facts->op->u.kernel.kernel)) return NULL;
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    sample_launch *state = lw_alloc(sizeof *state);
    table_make(&state->table, launch->insn_count);
    state->stride = (uint32_t)((blocks + MOST_BLOCKS - 1) / MOST_BLOCKS);
    state->device = c->device;
    c->samples->launch = state;
    return state;
}

static void *worker_begin(void *launch, uint32_t worker)
{
    const sample_launch *l = launch;
    sample_worker *w = lw_alloc(sizeof *w);
    table_make(&w->table, l->table.insns);
    w->stride = l->stride;
    if (!model_create(&w->model, l->device, 1, NULL)) w->pricing = model_worker_begin(w->model, worker);
    return w;
}

static uint64_t cost_of(const counter_set *counters)
{
    static const counter_id measures[] = {COUNTER_WAVEFRONTS, COUNTER_SECTORS, COUNTER_TRANSACTIONS};
    for (size_t k = 0; k < LW_COUNT(measures); k++)
        if (counters->present >> measures[k] & 1) return counters->value[measures[k]];
    return 0;
}

/* What the model counts for this access alone. */
static uint64_t price(sample_worker *w, const event_memory *e)
{
    event_memory one = *e;
    one.insn = 0;
    counter_set before = model_result(w->model, 0, e->space, e->op);
    model_count(w->pricing, &one);
    counter_set after = model_result(w->model, 0, e->space, e->op);
    return cost_of(&after) - cost_of(&before);
}

/* Accesses by lanes, of memory whose layout can be drawn. */
static bool is_drawn(const event_memory *e)
{
    bool space = e->space == EVENT_SHARED || e->space == EVENT_GLOBAL || e->space == EVENT_DSHARED;
    return space && !(e->flags & EVENT_BULK);
}

static void memory(void *state, const event_memory *e)
{
    sample_worker *w = state;
    if (!w->pricing || e->block % w->stride || !is_drawn(e)) return;
    uint32_t rows = e->matrices ? UINT32_MAX >> (32 - 8 * e->matrices) : UINT32_MAX; /* lanes that give addresses */
    result_sample sample = {.mask = e->mask & rows, .block = e->block, .warp = e->warp};
    for (uint32_t i = 0; i < 32; i++)
        if (sample.mask >> i & 1) sample.address[i] = e->address[i];
    sample.cost = price(w, e);
    sample_site *site = site_take(&w->table, e->insn, key_of(e->space, e->op, e->bytes));
    site_add(site, &sample, 1);
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    (void)worker;
    sample_launch *l = launch;
    sample_worker *w = state;
    for (uint32_t i = 0; i < w->table.insns; i++) {
        for (size_t k = 0; k < w->table.sites[i].count; k++) {
            const sample_site *from = w->table.sites[i].items[k];
            sample_site *to = site_take(&l->table, i, from->key);
            for (size_t c = 0; c < from->classes.count; c++)
                site_add(to, &from->classes.items[c].sample, from->classes.items[c].count);
        }
    }
    table_free(&w->table);
    model_destroy(w->model);
    free(w);
}

/* ---- rows ---- */

/* The class with most accesses; of several the cheapest. */
static const sample_class *typical_of(const sample_site *site)
{
    const sample_class *best = &site->classes.items[0];
    for (size_t k = 1; k < site->classes.count; k++) {
        const sample_class *c = &site->classes.items[k];
        bool cheaper = c->count == best->count && c->sample.cost < best->sample.cost;
        if (c->count > best->count || cheaper) best = c;
    }
    return best;
}

static const sample_class *worst_of(const sample_site *site)
{
    const sample_class *worst = &site->classes.items[0];
    for (size_t k = 1; k < site->classes.count; k++)
        if (site->classes.items[k].sample.cost > worst->sample.cost) worst = &site->classes.items[k];
    return worst;
}

static void put(result_sample *to, const sample_class *c, uint64_t of)
{
    *to = c->sample;
    to->alike = c->count;
    to->of = of;
}

void host_samples_add(const host_context *context, const model_site_result *found, result_row *row)
{
    sample_launch *l = context->samples ? context->samples->launch : NULL;
    if (!l || found->bulk || found->insn >= l->table.insns) return;
    const sample_site *site = site_find(&l->table, found->insn, key_of(found->space, found->op, found->bytes_per_lane));
    if (!site || !site->classes.count) return;
    uint64_t all = 0;
    for (size_t k = 0; k < site->classes.count; k++) all += site->classes.items[k].count;
    result_sample *kept = (result_sample *)row->samples;
    bool first = !kept;
    if (first) kept = LW_NEW_ARRAY(&l->arena, result_sample, RESULT_SAMPLES);
    const sample_class *worst = worst_of(site);
    if (first || worst->sample.cost > kept[RESULT_WORST].cost) put(&kept[RESULT_WORST], worst, all);
    if (first || all > kept[RESULT_TYPICAL].of) put(&kept[RESULT_TYPICAL], typical_of(site), all);
    row->samples = kept;
}

const event_client host_client_samples = {
    .name = "samples",
    .kinds = EVENT_BIT(EVENT_COUNTED),
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .worker_begin = worker_begin,
    .memory = memory,
    .worker_end = worker_end,
};
