/* model: the client of events. Each worker has an array of sites, one per instruction; an instruction that is seen in a second
 * space, op or width gets further sites behind them, linked. A site holds the function that counts it, so one event
 * costs a key comparison and one call. Workers are never freed before the model: results are read from them afterwards.
 *
 * Limits: worker states are handed out under a lock; counting itself shares nothing. */
#include "model/calls.h"
#include "model/model.h"
#include "model/print.h"
#include "model/rules.h"
#include "model/spin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct model_worker {
    struct model *model;
    struct model_worker *next;
    model_site *sites; /* insn_count first ones, then extra ones */
    uint32_t site_count, site_capacity;
    model_spin *spin;     /* NULL: no loop was met */
    model_prints *prints; /* NULL: no call of printf */
    model_calls *calls;   /* NULL: no other call that counts */
} model_worker;

struct model {
    uint32_t insn_count;
    model_chooser chooser;
    uint32_t printf_form;
    char inexact[128]; /* "": nothing */
    pthread_mutex_t lock;
    model_worker *workers;
};

/* ---- the device's rules, compiled for this host ---- */

static const model_rules *rules_for(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("bmi2"))
        return &model_cc7_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return &model_cc7_v3;
#endif
    return &model_cc7_v1;
}

lw_status model_create(model **out, const device_profile *device, uint32_t insn_count, lw_error *error)
{
    *out = NULL;
    const model_generation *generation = model_generation_of(device->cc);
    if (!generation)
        return lw_fail(error, LW_UNSUPPORTED, "memory counters of compute capability %u.%u are not modelled",
                       device->cc / 10, device->cc % 10);
    model *m = lw_alloc(sizeof *m);
    m->insn_count = insn_count;
    m->chooser = (model_chooser){.generation = generation, .rules = rules_for(), .cc = device->cc};
    m->printf_form = (uint32_t)device->printf_form;
    if (device->cc < 70)
        snprintf(
            m->inexact, sizeof m->inexact,
            "the machine code of compute capability %u.%u is not modelled: instructions are counted as written in PTX",
            device->cc / 10, device->cc % 10);
    pthread_mutex_init(&m->lock, NULL);
    *out = m;
    return LW_OK;
}

lw_status model_set_options(model *m, const model_options *options, lw_error *error)
{
    if (options->bank_bytes && options->bank_bytes != 4 && options->bank_bytes != 8)
        return lw_fail(error, LW_INVALID_ARGUMENT, "banks of shared memory are 4 or 8 bytes wide, not %u",
                       options->bank_bytes);
    m->chooser.options = *options;
    return LW_OK;
}

static void free_workers(model *m)
{
    for (model_worker *w = m->workers, *next; w; w = next) {
        next = w->next;
        for (uint32_t i = 0; i < w->site_count; i++) free(w->sites[i].last);
        free(w->sites);
        free(w->spin);
        model_prints_free(w->prints);
        model_calls_free(w->calls);
        free(w);
    }
    m->workers = NULL;
}

void model_destroy(model *m)
{
    if (!m) return;
    free_workers(m);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

const char *model_inexact(const model *m) { return m->inexact[0] ? m->inexact : NULL; }

/* ---- the client ---- */

/* A site's key: bits 0-7 bytes of a lane, 8 bulk, 12-15 event_op, 16-19 event_space; never 0. */
#define KEY_USED (1u << 31)
static inline uint32_t key_of(const event_memory *e)
{
    uint32_t bulk = (uint32_t)(e->flags & EVENT_BULK) << 5;
    return KEY_USED | (uint32_t)e->space << 16 | (uint32_t)e->op << 12 | bulk | e->bytes;
}
_Static_assert(EVENT_BULK << 5 == 1u << 8, "key_of() moves the flag to bit 8");

void *model_worker_begin(void *self, uint32_t worker)
{
    (void)worker;
    model *m = self;
    model_worker *w = lw_alloc(sizeof *w);
    w->model = m;
    w->site_count = m->insn_count;
    w->site_capacity = m->insn_count + 8;
    w->sites = lw_alloc(w->site_capacity * sizeof *w->sites);
    pthread_mutex_lock(&m->lock);
    w->next = m->workers;
    m->workers = w;
    pthread_mutex_unlock(&m->lock);
    return w;
}

static model_site *add_site(model_worker *w, model_site *s, const event_memory *e, uint32_t key);

/* Behind the site of an atomic that is a loop, one for its loads. Returns the atomic's, which may have moved. */
static model_site *add_loads(model_worker *w, model_site *s, const event_memory *e)
{
    event_memory load = *e;
    uint32_t index = (uint32_t)(s - w->sites);
    load.op = EVENT_LOAD;
    model_site *loads = add_site(w, s, &load, key_of(&load));
    s = &w->sites[index];
    s->loads = (uint32_t)(loads - s);
    if (!w->spin) w->spin = model_spin_create();
    s->spin = w->spin;
    return s;
}

static model_site *add_site(model_worker *w, model_site *s, const event_memory *e, uint32_t key)
{
    if (s->key) { /* a further one, linked behind s */
        if (w->site_count == w->site_capacity) {
            uint32_t capacity = w->site_capacity * 2, index = (uint32_t)(s - w->sites);
            w->sites = lw_realloc(w->sites, capacity * sizeof *w->sites);
            w->site_capacity = capacity;
            s = &w->sites[index];
        }
        s->next = w->site_count + 1;
        s = &w->sites[w->site_count++];
    }
    memset(s, 0, sizeof *s);
    s->key = key;
    s->insn = e->insn;
    model_choose(&w->model->chooser, s, e);
    return s->count == model_spin_count ? add_loads(w, s, e) : s;
}

static __attribute__((noinline)) model_site *find_site(model_worker *w, model_site *s, const event_memory *e,
                                                       uint32_t key)
{
    while (s->key != key) {
        if (!s->key || !s->next) return add_site(w, s, e, key);
        s = &w->sites[s->next - 1];
    }
    return s;
}

void model_count(void *state, const event_memory *e)
{
    model_worker *w = state;
    LW_ASSERT(e->insn < w->model->insn_count && e->mask);
    model_site *s = &w->sites[e->insn];
    uint32_t key = key_of(e);
    if (__builtin_expect(s->key != key, 0)) s = find_site(w, s, e, key);
    s->count(s, e);
}

void model_call_count(void *state, const event_sync *e)
{
    model_worker *w = state;
    if (!(MODEL_CALL_KINDS >> e->kind & 1)) return;
    if (e->kind != EVENT_PRINT) model_calls_add(&w->calls, e);
    else model_prints_add(&w->prints, w->model->chooser.cc, w->model->printf_form, e);
}

const event_client model_client = {
    .name = "counts",
    .kinds = EVENT_BIT(EVENT_COUNTED) | MODEL_CALL_KINDS,
    .worker_begin = model_worker_begin,
    .memory = model_count,
    .sync = model_call_count,
};

/* ---- results ---- */

static event_space space_of(const model_site *s) { return (event_space)(s->key >> 16 & 0xf); }
static event_op op_of(const model_site *s) { return (event_op)(s->key >> 12 & 0xf); }
static bool is_bulk(const model_site *s) { return s->key >> 8 & 1; }
static uint32_t bytes_of(const model_site *s) { return s->key & 0xff; }

static void add_to_set(counter_set *into, const model_site *s)
{
    into->present |= s->present;
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (s->present >> c & 1) into->value[c] += s->value[c];
    event_space space = space_of(s);
    bool one_each = space != EVENT_CONSTANT && space != EVENT_PARAM;
    if (s->present & MODEL_BIT(REQUESTS) && one_each) into->value[COUNTER_REQUESTS] += s->value[COUNTER_INST_EXECUTED];
}

static void fill_result(model_site_result *r, const model_site *s)
{
    *r = (model_site_result){
        .insn = s->insn, .space = space_of(s), .op = op_of(s), .bytes_per_lane = bytes_of(s), .bulk = is_bulk(s)};
}

counter_set model_result(model *m, uint32_t insn, event_space space, event_op op)
{
    counter_set set = {0, {0}};
    for (const model_worker *w = m->workers; w && insn < m->insn_count; w = w->next)
        for (uint32_t i = insn + 1; i; i = w->sites[i - 1].next) {
            const model_site *s = &w->sites[i - 1];
            if (s->key && space_of(s) == space && op_of(s) == op) add_to_set(&set, s);
        }
    return set;
}

static int compare_sites(const void *a, const void *b)
{
    const model_site *x = *(model_site *const *)a, *y = *(model_site *const *)b;
    if (x->insn != y->insn) return x->insn < y->insn ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return 0;
}

void model_each(model *m, void (*visit)(void *user, const model_site_result *site), void *user)
{
    LW_VEC(const model_site *) used = {0};
    for (const model_worker *w = m->workers; w; w = w->next)
        for (uint32_t i = 0; i < w->site_count; i++)
            if (w->sites[i].key) lw_vec_push(&used, &w->sites[i]);
    if (used.count) qsort(used.items, used.count, sizeof *used.items, compare_sites);
    for (size_t i = 0; i < used.count;) {
        model_site_result r;
        size_t first = i;
        fill_result(&r, used.items[i]);
        for (; i < used.count && !compare_sites(&used.items[first], &used.items[i]); i++) {
            add_to_set(&r.counters, used.items[i]);
            if (!r.why) r.why = used.items[i]->why;
        }
        visit(user, &r);
    }
    lw_vec_free(&used);
}

const char *model_call_doubt(const model *m)
{
    for (const model_worker *w = m->workers; w; w = w->next)
        if (model_calls_again(w->calls))
            return "lanes call themselves at different depths: where these meet again is not known";
    return NULL;
}

void model_each_call(model *m, void (*visit)(void *user, const model_call_result *call), void *user)
{
    model_prints *prints = NULL;
    model_calls *calls = NULL;
    for (const model_worker *w = m->workers; w; w = w->next) {
        model_prints_merge(&prints, w->prints);
        model_calls_merge(&calls, w->calls);
    }
    model_prints_each(prints, visit, user);
    model_calls_each(calls, m->chooser.cc, m->chooser.options.heap_taken, visit, user);
    model_prints_free(prints);
    model_calls_free(calls);
}
