/* test_events: the event stream of launches: every kind of device event occurs, barriers and asynchronous operations
 * are consistent, what nobody wants is not built, clients do not see each other, workers merge, and events of
 * synchronising accesses come in the order in which the accesses took effect. Kernels: tests/ptx/events/events.ptx. */
#include "unit.h"

#include "exec/exec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    code_kernel *kernel;
    char *text;
    uint64_t buffer;
    lw_error error;
    exec_result result;
} fixture;

enum { BUFFER_BYTES = 8192 };

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(((fixture *)user)->memory, v->bytes, 0, MEM_GLOBAL_VAR, 0, v->name, out_address);
}

static lw_status open_kernel(fixture *f, const char *kernel)
{
    size_t size = 0;
    code_linker linker = {f, place, NULL};
    *f = (fixture){0};
    LW_TRY(mem_create(&f->memory, UINT64_C(1) << 28, &f->error));
    LW_TRY(mem_alloc(f->memory, BUFFER_BYTES, 0, MEM_DEVICE, 0, NULL, &f->buffer));
    LW_TRY(lw_file_read(unit_path("ptx/events/events.ptx"), &f->text, &size, &f->error));
    LW_TRY(ptx_parse(&f->module, "events.ptx", f->text, size, &f->error));
    const ptx_module *modules[] = {f->module};
    LW_TRY(code_link(&f->image, modules, 1, &linker, &f->error));
    LW_TRY(code_kernel_build(&f->kernel, f->image, code_find_entry(f->image, kernel), NULL, &f->error));
    exec_prepare(f->kernel);
    return LW_OK;
}

static bool load(fixture *f, const char *kernel)
{
    bool ok = open_kernel(f, kernel) == LW_OK;
    if (!ok) UNIT_FAIL("%s: %s", kernel, f->error.message);
    return ok;
}

static void unload(fixture *f)
{
    exec_result_free(&f->result);
    code_kernel_free(f->kernel);
    code_image_free(f->image);
    ptx_module_free(f->module);
    mem_destroy(f->memory);
    free(f->text);
}

static uint32_t *words(const fixture *f) { return (uint32_t *)(uintptr_t)f->buffer; }

static void run(fixture *f, uint32_t blocks, uint32_t threads, uint32_t cluster, uint32_t workers,
                const event_listener *listeners, uint32_t count)
{
    exec_launch l = {.kernel = f->kernel,
                     .grid = {blocks, 1, 1},
                     .block = {threads, 1, 1},
                     .cluster = {cluster, 1, 1},
                     .params = (const uint8_t *)&f->buffer,
                     .grid_id = 7,
                     .threads = workers,
                     .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 4, .max_blocks_per_sm = 8, .stack_bytes = 1024},
                     .listeners = listeners,
                     .listener_count = count};
    exec_result_free(&f->result);
    CHECK(exec_run(&l, &f->result, &f->error) == LW_OK);
    CHECK_STR(f->result.fault.message, "");
}

/* ---------------------------------------------------------------- a client that keeps what it sees */
typedef struct seen_access {
    event_memory e;
    event_details details;
    uint64_t address[32];
    uint8_t order; /* event_order */
} seen_access;

typedef struct record {
    pthread_mutex_t lock;
    LW_VEC(seen_access) accesses;
    LW_VEC(event_sync) syncs;
    uint64_t kinds[EVENT_KIND_COUNT], by_worker[8];
} record;

/* Its state of a worker. */
typedef struct scribe {
    record *all;
    uint32_t worker;
} scribe;

static void *begin(void *launch, uint32_t worker)
{
    scribe *s = lw_alloc(sizeof *s);
    *s = (scribe){launch, worker};
    return s;
}

static void on_memory(void *state, const event_memory *e)
{
    scribe *s = state;
    record *r = s->all;
    seen_access a = {.e = *e, .order = event_insn_of(e)->order};
    for (uint32_t l = 0; l < 32; l++)
        if (e->mask >> l & 1) a.address[l] = e->address[l];
    if (e->details) a.details = *e->details;
    pthread_mutex_lock(&r->lock);
    r->kinds[e->kind]++;
    r->by_worker[s->worker]++;
    lw_vec_push(&r->accesses, a);
    pthread_mutex_unlock(&r->lock);
}

static void on_sync(void *state, const event_sync *e)
{
    record *r = ((scribe *)state)->all;
    pthread_mutex_lock(&r->lock);
    r->kinds[e->kind]++;
    lw_vec_push(&r->syncs, *e);
    pthread_mutex_unlock(&r->lock);
}

static void end(void *launch, uint32_t worker, void *state)
{
    (void)launch;
    (void)worker;
    free(state);
}

static void record_begin(record *r)
{
    *r = (record){0};
    pthread_mutex_init(&r->lock, NULL);
}

static void record_clear(record *r)
{
    r->accesses.count = r->syncs.count = 0;
    memset(r->kinds, 0, sizeof r->kinds);
}

static void record_free(record *r)
{
    lw_vec_free(&r->accesses);
    lw_vec_free(&r->syncs);
    pthread_mutex_destroy(&r->lock);
}

#define RECORDER(what)                                                                                                 \
    {.name = "recorder",                                                                                               \
     .kinds = (what),                                                                                                  \
     .worker_begin = begin,                                                                                            \
     .memory = on_memory,                                                                                              \
     .sync = on_sync,                                                                                                  \
     .worker_end = end}
static const event_client everything = RECORDER(~UINT64_C(0));

static const event_sync *find_sync(const record *r, event_kind kind, uint32_t n)
{
    for (size_t k = 0; k < r->syncs.count; k++)
        if (r->syncs.items[k].kind == kind && !n--) return &r->syncs.items[k];
    return NULL;
}

/* ---------------------------------------------------------------- kinds */
UNIT_CASE(every_kind_occurs)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    event_listener listener = {&everything, &r};
    run(&f, 2, 96, 2, 1, &listener, 1);
    uint64_t device = event_kinds_of(EVENT_PAYLOAD_memory) | event_kinds_of(EVENT_PAYLOAD_sync);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) {
        if (!(device >> k & 1)) continue;
        if (!r.kinds[k]) UNIT_FAIL("no event of kind '%s'", event_kinds[k].name);
        CHECK_EQ_INT(r.kinds[k], f.result.events_built[k]);
    }
    for (size_t k = 0; k < r.syncs.count; k++) {
        const event_launch *l = r.syncs.items[k].launch;
        CHECK(l && r.syncs.items[k].block < 2);
    }
    CHECK_EQ_INT(r.kinds[EVENT_BLOCK_START], 2);
    CHECK_EQ_INT(r.kinds[EVENT_BLOCK_EXIT], 2);
    unload(&f);
    record_free(&r);
}

UNIT_CASE(orders_and_scopes_are_those_of_the_text)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    event_listener listener = {&everything, &r};
    run(&f, 2, 96, 2, 1, &listener, 1);
    const event_sync *first = find_sync(&r, EVENT_FENCE, 0);
    REQUIRE(first);
    CHECK_EQ_INT(first->order, EVENT_ORDER_RELEASE); /* fence.mbarrier_init.release.cluster */
    CHECK_EQ_INT(first->scope, EVENT_SCOPE_CLUSTER);
    const event_sync *wait = NULL;
    for (uint32_t n = 0; (wait = find_sync(&r, EVENT_MBARRIER, n)) && wait->op != EVENT_MBARRIER_TRY_WAIT; n++) {}
    REQUIRE(wait);
    CHECK_EQ_INT(wait->order, EVENT_ORDER_ACQUIRE);
    CHECK_EQ_INT(wait->scope, EVENT_SCOPE_CTA);
    static const struct {
        const char *mnemonic;
        event_insn want;
    } rows[] = {
        {"ld.global.u32", {EVENT_ORDER_WEAK, EVENT_SCOPE_NONE, EVENT_PROXY_GENERIC, false, false, false}},
        {"ld.acquire.gpu.global.u32", {EVENT_ORDER_ACQUIRE, EVENT_SCOPE_GPU, EVENT_PROXY_GENERIC, false, false, false}},
        {"atom.global.add.u32", {EVENT_ORDER_RELAXED, EVENT_SCOPE_GPU, EVENT_PROXY_GENERIC, false, false, false}},
    };
    uint32_t found = 0;
    for (uint32_t k = 0; k < f.kernel->site_count; k++)
        for (size_t n = 0; n < LW_COUNT(rows); n++) {
            if (strcmp(f.kernel->sites[k].insn->mnemonic, rows[n].mnemonic)) continue;
            found |= 1u << n;
            CHECK(!memcmp(&f.kernel->event_insns[k], &rows[n].want, sizeof rows[n].want));
        }
    CHECK_EQ_INT(found, 6); /* the acquire and the atomic; the weak load is of shared memory */
    unload(&f);
    record_free(&r);
}

/* ---------------------------------------------------------------- consistency */
/* Threads that arrived at a round of a barrier before position `end`. */
static uint32_t arrived_before(const record *r, const event_sync *release, size_t end)
{
    uint32_t sum = 0;
    for (size_t k = 0; k < end; k++) {
        const event_sync *e = &r->syncs.items[k];
        if (e->kind == EVENT_BARRIER_ARRIVE && e->block == release->block && e->id == release->id &&
            e->number == release->number)
            sum += e->count;
    }
    return sum;
}

UNIT_CASE(releases_follow_their_arrivals)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    event_listener listener = {&everything, &r};
    run(&f, 2, 96, 2, 1, &listener, 1);
    uint32_t releases = 0, by_exit = 0, by_arrive = 0;
    for (size_t k = 0; k < r.syncs.count; k++) {
        const event_sync *e = &r.syncs.items[k];
        if (e->kind != EVENT_BARRIER_RELEASE) continue;
        releases++;
        by_exit += e->insn == EVENT_NO_INSN;
        if (e->insn != EVENT_NO_INSN)
            by_arrive += !strncmp(f.kernel->sites[e->insn].insn->mnemonic, "bar.arrive", strlen("bar.arrive"));
        CHECK(e->count > 0);
        CHECK_EQ_INT(e->count, arrived_before(&r, e, k));
        CHECK_EQ_INT(arrived_before(&r, e, r.syncs.count), e->count);
    }
    CHECK_EQ_INT(releases, 2 * 3); /* in each block: all threads, warps 0 and 1, warp 2 and the exit of the others */
    CHECK_EQ_INT(by_exit, 2);
    CHECK(by_arrive >= 1); /* who comes last to warps 0 and 1, depends on the schedule */
    const event_sync *cluster = find_sync(&r, EVENT_CLUSTER_RELEASE, 0);
    REQUIRE(cluster);
    CHECK_EQ_INT(cluster->count, 192);
    unload(&f);
    record_free(&r);
}

UNIT_CASE(completions_follow_their_issue)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    event_listener listener = {&everything, &r};
    run(&f, 2, 96, 2, 1, &listener, 1);
    uint32_t issues = 0;
    for (size_t k = 0; k < r.syncs.count; k++) {
        const event_sync *issue = &r.syncs.items[k];
        if (issue->kind != EVENT_ASYNC_ISSUE) continue;
        uint32_t done = 0;
        for (size_t n = 0; n < r.syncs.count; n++) {
            const event_sync *e = &r.syncs.items[n];
            if (e->kind != EVENT_ASYNC_COMPLETE || e->block != issue->block || e->number != issue->number) continue;
            CHECK(n > k);
            done |= e->mask;
        }
        CHECK_EQ_INT(done, issue->mask);
        uint32_t accesses = 0;
        for (size_t n = 0; n < r.accesses.count; n++)
            accesses += r.accesses.items[n].e.async == issue->number && r.accesses.items[n].e.block == issue->block;
        CHECK_EQ_INT(accesses, 4); /* both sides, counted and as the text says */
        issues++;
    }
    CHECK_EQ_INT(issues, 2 * 3);
    unload(&f);
    record_free(&r);
}

/* ---------------------------------------------------------------- clients */
UNIT_CASE(what_nobody_wants_is_not_built)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    run(&f, 2, 96, 2, 1, NULL, 0);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) CHECK_EQ_INT(f.result.events_built[k], 0);
    static const event_client fences = RECORDER(EVENT_BIT(EVENT_FENCE));
    event_listener listener = {&fences, &r};
    run(&f, 2, 96, 2, 1, &listener, 1);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) {
        CHECK_EQ_INT(f.result.events_built[k] != 0, k == EVENT_FENCE);
        CHECK_EQ_INT(r.kinds[k], f.result.events_built[k]);
    }
    CHECK_EQ_INT(r.accesses.count, 0);
    unload(&f);
    record_free(&r);
}

UNIT_CASE(two_clients_get_what_each_wants)
{
    fixture f;
    record counted, ordering;
    record_begin(&counted);
    record_begin(&ordering);
    REQUIRE(load(&f, "kinds"));
    static const event_client first = RECORDER(EVENT_BIT(EVENT_COUNTED));
    static const event_client second = RECORDER(EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_BARRIER_ARRIVE));
    event_listener listeners[] = {{&first, &counted}, {&second, &ordering}};
    run(&f, 2, 96, 2, 1, listeners, 2);
    CHECK(counted.kinds[EVENT_COUNTED] > 0 && ordering.kinds[EVENT_ACCESS] > 0);
    CHECK(ordering.kinds[EVENT_BARRIER_ARRIVE] > 0);
    CHECK_EQ_INT(counted.accesses.count, counted.kinds[EVENT_COUNTED]);
    CHECK_EQ_INT(ordering.accesses.count, ordering.kinds[EVENT_ACCESS]);
    CHECK_EQ_INT(counted.syncs.count, 0);
    CHECK_EQ_INT(ordering.syncs.count, ordering.kinds[EVENT_BARRIER_ARRIVE]);
    unload(&f);
    record_free(&counted);
    record_free(&ordering);
}

UNIT_CASE(workers_merge_to_the_same)
{
    fixture f;
    record r;
    uint64_t one[EVENT_KIND_COUNT];
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    event_listener listener = {&everything, &r};
    run(&f, 128, 96, 2, 1, &listener, 1);
    memcpy(one, r.kinds, sizeof one);
    one[EVENT_MBARRIER] = 0; /* how often lanes that wait are one event depends on who ran first */
    record_clear(&r);
    run(&f, 128, 96, 2, 2, &listener, 1);
    r.kinds[EVENT_MBARRIER] = 0;
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) CHECK_EQ_INT(r.kinds[k], one[k]);
    unload(&f);
    record_free(&r);
}

/* ---------------------------------------------------------------- order */
#define ORDERED                                                                                                        \
    {.kinds = EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_MBARRIER),                                                     \
     .fields = EVENT_FIELD_VALUES | EVENT_FIELD_ORDER,                                                                 \
     .worker_begin = begin,                                                                                            \
     .memory = on_memory,                                                                                              \
     .sync = on_sync,                                                                                                  \
     .worker_end = end}
static const event_client ordered = ORDERED;

/* Follows one word of the buffer through the log: every read sees the last write, values and numbers chain. Returns the
 * number of writes; false in *ok if the chain breaks. */
static uint64_t follow(const record *r, uint64_t address, uint32_t initial, bool *ok)
{
    uint64_t last = 0;
    uint32_t value = initial;
    for (size_t k = 0; k < r->accesses.count; k++) {
        const seen_access *a = &r->accesses.items[k];
        if (a->e.space != EVENT_GLOBAL || a->order == EVENT_ORDER_WEAK) continue;
        bool reads = a->e.op != EVENT_STORE;
        for (uint32_t m = a->e.mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            if (a->address[lane] != address) continue;
            uint64_t wrote = a->details.write[lane];
            *ok &= !reads || a->details.read_from[lane] == last;
            *ok &= (uint32_t)a->details.before[lane].word[0] == value;
            *ok &= !wrote || wrote == last + 1;
            if (wrote) last = wrote;
            value = (uint32_t)a->details.after[lane].word[0];
        }
    }
    return last;
}

enum { RUNS = 334, BLOCKS = 128 };

typedef struct chain {
    const char *kernel;
    uint32_t threads;
    uint32_t words;       /* followed, from the start of the buffer */
    uint64_t first_word;  /* writes of word 0 in one run; 0: any number */
    uint32_t sum_at, sum; /* what the kernel computes, in word sum_at */
} chain;

static uint64_t shared_runs;

static void prove(const chain *c)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, c->kernel));
    event_listener listener = {&ordered, &r};
    uint32_t broken = 0;
    for (uint32_t n = 0; n < RUNS && broken < 3; n++) {
        memset(words(&f), 0, BUFFER_BYTES);
        if (!strcmp(c->kernel, "lookback")) words(&f)[0] = 1;
        uint32_t first = words(&f)[0];
        record_clear(&r);
        memset(r.by_worker, 0, sizeof r.by_worker);
        run(&f, BLOCKS, c->threads, 1, 2, &listener, 1);
        bool ok = words(&f)[c->sum_at] == c->sum;
        for (uint32_t w = 0; w < c->words; w++) {
            uint64_t writes = follow(&r, f.buffer + 4 * w, w ? 0 : first, &ok);
            if (!w && c->first_word) ok &= writes == c->first_word;
        }
        if (!ok) UNIT_FAIL("%s: run %u breaks the chain", c->kernel, n);
        broken += !ok;
        shared_runs += r.by_worker[0] && r.by_worker[1];
    }
    unload(&f);
    record_free(&r);
}

UNIT_CASE(a_lock_in_order) { prove(&(chain){"lock", 64, 1, 4 * BLOCKS, 1, 2 * BLOCKS}); }
UNIT_CASE(a_ticket_in_order) { prove(&(chain){"ticket", 32, 2, BLOCKS, 2, BLOCKS}); }
UNIT_CASE(a_look_back_in_order)
{
    prove(&(chain){"lookback", 32, BLOCKS + 1, 0, BLOCKS, 1 + BLOCKS * (BLOCKS + 1) / 2});
    CHECK(shared_runs > 0); /* of 1,002: on one host thread alone the order proves little */
}

/* The object of `kinds` is one location: its operations are numbered one after the other. */
UNIT_CASE(mbarrier_operations_in_order)
{
    fixture f;
    record r;
    record_begin(&r);
    REQUIRE(load(&f, "kinds"));
    event_listener listener = {&ordered, &r};
    run(&f, 2, 96, 2, 1, &listener, 1);
    for (uint32_t block = 0; block < 2; block++) {
        uint64_t last = 0, waits = 0;
        for (size_t k = 0; k < r.syncs.count; k++) {
            const event_sync *e = &r.syncs.items[k];
            if (e->block != block) continue;
            CHECK_EQ_INT(e->read_from, last);
            waits += e->op == EVENT_MBARRIER_TRY_WAIT;
            if (!e->write) continue;
            CHECK_EQ_INT(e->write, last + lw_popcount(e->mask));
            last = e->write;
        }
        CHECK_EQ_INT(last, 1 + 96); /* the initialisation and an arrival of each thread */
        CHECK(waits > 0);
    }
    unload(&f);
    record_free(&r);
}

UNIT_MAIN()
