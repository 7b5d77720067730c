/* test_events: the event stream of launches: every kind of device event occurs, barriers and asynchronous operations
 * are consistent, what nobody wants is not built, clients do not see each other, workers merge, and events of
 * synchronising accesses come in the order in which the accesses took effect. Kernels: tests/ptx/events/events.ptx. */
#include "event_record.h"
#include "fixture.h"
#include "code/decode.h"

/* A kernel of events.ptx, its buffer, what its last run gave and what the recorder saw. */
typedef struct trial {
    fixture f;
    char *text;
    uint64_t buffer;
    exec_result result;
    record r;
} trial;

enum { BUFFER_BYTES = 8192 };

static bool trial_begin(trial *t, const char *kernel)
{
    size_t size = 0;
    *t = (trial){0};
    record_begin(&t->r);
    bool ok = lw_file_read(unit_path("ptx/events/events.ptx"), &t->text, &size, &t->f.error) == LW_OK;
    ok = ok && load(&t->f, t->text, kernel);
    if (ok) t->buffer = buffer(&t->f, BUFFER_BYTES);
    else UNIT_FAIL("%s: %s", kernel, t->f.error.message);
    return ok;
}

static void trial_end(trial *t)
{
    exec_result_free(&t->result);
    unload(&t->f);
    record_free(&t->r);
    free(t->text);
}

static uint32_t *words(const trial *t) { return (uint32_t *)(uintptr_t)t->buffer; }

/* ---- services of the launches */
static int print_two_words(void *user, const char *format, const uint8_t *packed, uint64_t bytes, exec_printed *out,
                           const exec_strings *strings)
{
    (void)strings;
    (void)user;
    CHECK_STR(format, "%d %d");
    CHECK(packed && bytes >= 8);
    *out = (exec_printed){.read = 8, .arguments = 2};
    return 2;
}

static uint64_t no_memory(void *user, uint64_t bytes)
{
    (void)user;
    CHECK_EQ_INT(bytes, 64);
    return 0;
}

static bool nothing_freed(void *user, uint64_t address, uint64_t *out_bytes)
{
    (void)user;
    *out_bytes = 0;
    CHECK_EQ_INT(address, 0);
    return true;
}

static void run(trial *t, uint32_t blocks, uint32_t threads, uint32_t cluster, uint32_t workers,
                const event_listener *listeners, uint32_t count)
{
    exec_launch l = {.kernel = t->f.kernel,
                     .grid = {blocks, 1, 1},
                     .block = {threads, 1, 1},
                     .cluster = {cluster, 1, 1},
                     .params = (const uint8_t *)&t->buffer,
                     .grid_id = 7,
                     .threads = workers,
                     .memory = t->f.memory,
                     .services = {.print = print_two_words, .heap_alloc = no_memory, .heap_free = nothing_freed},
                     .device = {.cc = 90, .sm_count = 4, .max_blocks_per_sm = 8, .stack_bytes = 1024},
                     .listeners = listeners,
                     .listener_count = count};
    exec_result_free(&t->result);
    CHECK(exec_run(&l, &t->result, &t->f.error) == LW_OK);
    CHECK_STR(t->result.fault.message, "");
}

#define RECORDER(what)                                                                                                 \
    {.name = "recorder",                                                                                               \
     .kinds = (what),                                                                                                  \
     .worker_begin = record_worker_begin,                                                                              \
     .memory = record_memory,                                                                                          \
     .sync = record_sync,                                                                                              \
     .worker_end = record_worker_end}
static const event_client everything = RECORDER(~UINT64_C(0));

/* All that is loaded is undefined. */
static void doubt_memory(void *state, const event_memory *e)
{
    event_undefined *u = e->undefined;
    CHECK(!u == (e->kind != EVENT_ACCESS));
    if (u && e->op == EVENT_LOAD) {
        u->lanes = e->mask;
        u->origin = (event_origin){.insn = e->insn, .space = e->space};
        memset(u->bits, 0xff, sizeof u->bits);
    }
    record_memory(state, e);
}

static const event_client doubting = {.name = "doubting",
                                      .kinds = ~UINT64_C(0),
                                      .fields = EVENT_FIELD_UNDEFINED,
                                      .worker_begin = record_worker_begin,
                                      .memory = doubt_memory,
                                      .sync = record_sync,
                                      .worker_end = record_worker_end};

/* The kernel that has everything, as one cluster of two blocks of three warps, seen by the client. */
static bool run_kinds_for(trial *t, const event_client *client)
{
    if (!trial_begin(t, "kinds")) return false;
    event_listener listener = {client, &t->r};
    run(t, 2, 96, 2, 1, &listener, 1);
    return true;
}

static bool run_kinds(trial *t) { return run_kinds_for(t, &everything); }

/* ---------------------------------------------------------------- kinds */
UNIT_CASE(every_kind_occurs)
{
    trial t;
    REQUIRE(run_kinds_for(&t, &doubting));
    uint64_t device = event_kinds_of(EVENT_PAYLOAD_memory) | event_kinds_of(EVENT_PAYLOAD_sync);
    device &= ~(EVENT_BIT(EVENT_PRINT) | EVENT_BIT(EVENT_HEAP_CALL)); /* prints_are_told, heap_calls_are_told */
    device &= ~(EVENT_BIT(EVENT_SAVE) | EVENT_BIT(EVENT_RESTORE));    /* test_frames: saves_are_told */
    check_kinds(&t.r, device, t.result.events_built);
    for (size_t k = 0; k < t.r.syncs.count; k++) {
        const event_launch *l = t.r.syncs.items[k].launch;
        CHECK(l && t.r.syncs.items[k].block < 2);
    }
    CHECK_EQ_INT(t.r.kinds[EVENT_BLOCK_START], 2);
    CHECK_EQ_INT(t.r.kinds[EVENT_BLOCK_EXIT], 2);
    trial_end(&t);
}

UNIT_CASE(orders_and_scopes_are_those_of_the_text)
{
    trial t;
    REQUIRE(run_kinds(&t));
    const event_sync *first = find_sync(&t.r, EVENT_FENCE, 0);
    REQUIRE(first);
    CHECK_EQ_INT(first->order, EVENT_ORDER_RELEASE); /* fence.mbarrier_init.release.cluster */
    CHECK_EQ_INT(first->scope, EVENT_SCOPE_CLUSTER);
    const event_sync *wait = NULL;
    for (uint32_t n = 0; (wait = find_sync(&t.r, EVENT_MBARRIER, n)) && wait->op != EVENT_MBARRIER_TRY_WAIT; n++) {}
    REQUIRE(wait);
    CHECK_EQ_INT(wait->order, EVENT_ORDER_ACQUIRE);
    CHECK_EQ_INT(wait->scope, EVENT_SCOPE_CTA);
    static const struct {
        const char *mnemonic;
        event_insn want;
    } rows[] = {
        {"ld.global.u32", {.order = EVENT_ORDER_WEAK, .scope = EVENT_SCOPE_NONE, .loads = true}},
        {"ld.acquire.gpu.global.u32", {.order = EVENT_ORDER_ACQUIRE, .scope = EVENT_SCOPE_GPU, .loads = true}},
        {"atom.global.add.u32", {.order = EVENT_ORDER_RELAXED, .scope = EVENT_SCOPE_GPU}},
    };
    uint32_t found = 0;
    for (uint32_t k = 0; k < t.f.kernel->site_count; k++)
        for (size_t n = 0; n < LW_COUNT(rows); n++) {
            if (strcmp(t.f.kernel->sites[k].insn->mnemonic, rows[n].mnemonic)) continue;
            found |= 1u << n;
            CHECK(!memcmp(&t.f.kernel->event_insns[k], &rows[n].want, offsetof(event_insn, variable)));
        }
    CHECK_EQ_INT(found, 6); /* the acquire and the atomic; the weak load is of shared memory */
    trial_end(&t);
}

/* Loads and stores that say how long their lines are to be kept, in this order. */
static const char hinted[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry k(.param .u64 p, .param .u64 policy) {\n"
                             ".reg .b32 %r<2>; .reg .b64 %rd<12>; .reg .pred %p<2>; .reg .f32 %f<2>;\n"
                             "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [policy];\n"
                             "createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0; mov.b64 %rd4, %rd3;\n"
                             "createpolicy.fractional.L2::evict_last.b64 %rd5, 0.5; mov.b64 %rd6, 0x12f0000000000000;\n"
                             "createpolicy.fractional.L2::evict_first.b64 %rd7, 1.0; setp.eq.u64 %p1, %rd2, 0;\n"
                             "@%p1 mov.b64 %rd7, 0x16f0000000000000;\n"
                             "createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd8, 0.25;\n"
                             "createpolicy.range.L2::evict_last.b64 %rd9, [%rd1], 4096, 8192;\n"
                             "createpolicy.cvt.L2.b64 %rd10, %rd6; mov.f32 %f1, 0f3F800000;\n"
                             "createpolicy.fractional.L2::evict_last.b64 %rd11, %f1;\n"
                             "ld.global.u32 %r1, [%rd1];\n"
                             "ld.global.cs.u32 %r1, [%rd1];\n"
                             "ld.global.lu.u32 %r1, [%rd1];\n"
                             "ld.global.L1::evict_last.u32 %r1, [%rd1];\n"
                             "ld.global.L1::evict_unchanged.u32 %r1, [%rd1];\n"
                             "ld.global.nc.L1::no_allocate.u32 %r1, [%rd1];\n"
                             "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd4;\n"
                             "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd6;\n"
                             "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;\n"
                             "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd5;\n"
                             "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd7;\n"
                             "ld.global.L1::no_allocate.L2::cache_hint.u32 %r1, [%rd1], %rd3;\n"
                             "st.global.L1::evict_first.u32 [%rd1], %r1;\n"
                             "st.global.L2::cache_hint.u32 [%rd1], %r1, %rd3;\n"
                             "st.global.L2::cache_hint.u32 [%rd1], %r1, %rd10;\n"
                             "st.global.L2::cache_hint.u32 [%rd1], %r1, %rd11;\n"
                             "ret;\n}\n";

static bool is_global(const char *mnemonic) { return !strncmp(mnemonic + 2, ".global", strlen(".global")); }

UNIT_CASE(how_long_lines_are_to_be_kept_is_what_the_text_says)
{
    enum {
        NORMAL = EVENT_EVICT_NORMAL,
        FIRST = EVENT_EVICT_FIRST,
        LAST = EVENT_EVICT_LAST,
        UNKNOWN = EVENT_EVICT_UNKNOWN
    };
    static const struct {
        uint8_t l1, l2;
    } want[] = {{NORMAL, NORMAL},
                {FIRST, FIRST},
                {EVENT_NO_ALLOCATE, FIRST},
                {LAST, NORMAL},
                {EVENT_EVICT_UNCHANGED, NORMAL},
                {EVENT_NO_ALLOCATE, FIRST},
                {NORMAL, LAST},
                {NORMAL, FIRST},
                {NORMAL, UNKNOWN}, /* a parameter */
                {NORMAL, UNKNOWN}, /* of half of the accesses */
                {NORMAL, UNKNOWN}, /* one of two */
                {EVENT_NO_ALLOCATE, LAST},
                {FIRST, FIRST},
                {NORMAL, LAST},
                {NORMAL, FIRST},    /* converted */
                {NORMAL, UNKNOWN}}; /* of a share in a register */
    fixture f;
    REQUIRE(load(&f, hinted, "k"));
    size_t n = 0;
    for (uint32_t k = 0; k < f.kernel->site_count; k++) {
        if (!is_global(f.kernel->sites[k].insn->mnemonic)) continue;
        if (n < LW_COUNT(want)) CHECK_EQ_INT(f.kernel->event_insns[k].l1_eviction, want[n].l1);
        if (n < LW_COUNT(want)) CHECK_EQ_INT(f.kernel->event_insns[k].l2_eviction, want[n].l2);
        n++;
    }
    CHECK_EQ_INT(n, LW_COUNT(want));
    unload(&f);
}

/* As an H200 gives them. */
UNIT_CASE(policies_have_the_values_of_a_card)
{
    static const uint64_t want[] = {0x14f0000000000000, 0x1470000000000000, 0x12f0000000000000, 0x1530000000000000,
                                    0x14f0000000000000}; /* the last: of a share that is not known before it runs */
    fixture f;
    size_t n = 0;
    REQUIRE(load(&f, hinted, "k"));
    for (uint32_t k = 0; k < f.kernel->site_count; k++) {
        const ptx_insn *in = f.kernel->sites[k].insn;
        if (strncmp(in->mnemonic, "createpolicy.fractional", strlen("createpolicy.fractional"))) continue;
        if (n < LW_COUNT(want)) CHECK_EQ_INT(code_policy(in), want[n]);
        n++;
    }
    CHECK_EQ_INT(n, LW_COUNT(want));
    unload(&f);
}

/* Three guarded stores of what a load of shared memory gives: in machine code only the last one stands behind a branch. */
static const char guarded_stores[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                                     ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
                                     ".reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<2>; .shared .b32 s[4];\n"
                                     "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"
                                     "setp.lt.u32 %p1, %r1, 1; setp.lt.u32 %p2, %r1, 2; setp.lt.u32 %p3, %r1, 3;\n"
                                     "@%p1 bra A; ld.shared.u32 %r2, [s]; st.global.u32 [%rd1], %r2;\n"
                                     "A: @%p2 bra B; ld.shared.u32 %r2, [s+4]; st.global.u32 [%rd1+4], %r2;\n"
                                     "B: @%p3 bra C; ld.shared.u32 %r2, [s+8]; st.global.u32 [%rd1+8], %r2;\n"
                                     "C: ret;\n}\n";

UNIT_CASE(a_store_behind_the_last_branch_may_await_shared_memory)
{
    fixture f;
    REQUIRE(load(&f, guarded_stores, "k"));
    uint32_t stores = 0;
    for (uint32_t k = 0; k < f.kernel->site_count; k++) {
        const event_insn *insn = &f.kernel->event_insns[k];
        bool is_store = !strncmp(f.kernel->sites[k].insn->mnemonic, "st.", 3);
        stores += is_store;
        CHECK_EQ_INT(insn->awaits, is_store && stores == 3);
        CHECK_EQ_INT(insn->part, f.kernel->sites[k].block);
    }
    CHECK_EQ_INT(stores, 3);
    unload(&f);
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
    trial t;
    REQUIRE(run_kinds(&t));
    uint32_t releases = 0, by_exit = 0, by_arrive = 0;
    for (size_t k = 0; k < t.r.syncs.count; k++) {
        const event_sync *e = &t.r.syncs.items[k];
        if (e->kind != EVENT_BARRIER_RELEASE) continue;
        releases++;
        by_exit += e->insn == EVENT_NO_INSN;
        if (e->insn != EVENT_NO_INSN)
            by_arrive += !strncmp(t.f.kernel->sites[e->insn].insn->mnemonic, "bar.arrive", strlen("bar.arrive"));
        CHECK(e->count > 0);
        CHECK_EQ_INT(e->count, arrived_before(&t.r, e, k));
        CHECK_EQ_INT(arrived_before(&t.r, e, t.r.syncs.count), e->count);
    }
    CHECK_EQ_INT(releases, 2 * 3); /* in each block: all threads, warps 0 and 1, warp 2 and the exit of the others */
    CHECK_EQ_INT(by_exit, 2);
    CHECK(by_arrive >= 1); /* who comes last to warps 0 and 1, depends on the schedule */
    const event_sync *cluster = find_sync(&t.r, EVENT_CLUSTER_RELEASE, 0);
    REQUIRE(cluster);
    CHECK_EQ_INT(cluster->count, 192);
    trial_end(&t);
}

UNIT_CASE(completions_follow_their_issue)
{
    trial t;
    REQUIRE(run_kinds(&t));
    uint32_t issues = 0;
    for (size_t k = 0; k < t.r.syncs.count; k++) {
        const event_sync *issue = &t.r.syncs.items[k];
        if (issue->kind != EVENT_ASYNC_ISSUE) continue;
        uint32_t done = 0;
        for (size_t n = 0; n < t.r.syncs.count; n++) {
            const event_sync *e = &t.r.syncs.items[n];
            if (e->kind != EVENT_ASYNC_COMPLETE || e->block != issue->block || e->number != issue->number) continue;
            CHECK(n > k);
            done |= e->mask;
        }
        CHECK_EQ_INT(done, issue->mask);
        uint32_t accesses = 0;
        for (size_t n = 0; n < t.r.accesses.count; n++)
            accesses += t.r.accesses.items[n].e.async == issue->number && t.r.accesses.items[n].e.block == issue->block;
        CHECK_EQ_INT(accesses, 4); /* both sides, counted and as the text says */
        issues++;
    }
    CHECK_EQ_INT(issues, 2 * 3);
    trial_end(&t);
}

/* ---------------------------------------------------------------- clients */
UNIT_CASE(what_nobody_wants_is_not_built)
{
    trial t;
    REQUIRE(trial_begin(&t, "kinds"));
    run(&t, 2, 96, 2, 1, NULL, 0);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) CHECK_EQ_INT(t.result.events_built[k], 0);
    static const event_client fences = RECORDER(EVENT_BIT(EVENT_FENCE));
    event_listener listener = {&fences, &t.r};
    run(&t, 2, 96, 2, 1, &listener, 1);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) {
        CHECK_EQ_INT(t.result.events_built[k] != 0, k == EVENT_FENCE);
        CHECK_EQ_INT(t.r.kinds[k], t.result.events_built[k]);
    }
    CHECK_EQ_INT(t.r.accesses.count, 0);
    trial_end(&t);
}

UNIT_CASE(two_clients_get_what_each_wants)
{
    trial t;
    record counted, ordering;
    record_begin(&counted);
    record_begin(&ordering);
    REQUIRE(trial_begin(&t, "kinds"));
    static const event_client first = RECORDER(EVENT_BIT(EVENT_COUNTED));
    static const event_client second = RECORDER(EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_BARRIER_ARRIVE));
    event_listener listeners[] = {{&first, &counted}, {&second, &ordering}};
    run(&t, 2, 96, 2, 1, listeners, 2);
    CHECK(counted.kinds[EVENT_COUNTED] > 0 && ordering.kinds[EVENT_ACCESS] > 0);
    CHECK(ordering.kinds[EVENT_BARRIER_ARRIVE] > 0);
    CHECK_EQ_INT(counted.accesses.count, counted.kinds[EVENT_COUNTED]);
    CHECK_EQ_INT(ordering.accesses.count, ordering.kinds[EVENT_ACCESS]);
    CHECK_EQ_INT(counted.syncs.count, 0);
    CHECK_EQ_INT(ordering.syncs.count, ordering.kinds[EVENT_BARRIER_ARRIVE]);
    trial_end(&t);
    record_free(&counted);
    record_free(&ordering);
}

UNIT_CASE(workers_merge_to_the_same)
{
    trial t;
    uint64_t one[EVENT_KIND_COUNT];
    REQUIRE(trial_begin(&t, "kinds"));
    event_listener listener = {&everything, &t.r};
    run(&t, 128, 96, 2, 1, &listener, 1);
    memcpy(one, t.r.kinds, sizeof one);
    one[EVENT_MBARRIER] = 0; /* how often lanes that wait are one event depends on who ran first */
    record_clear(&t.r);
    run(&t, 128, 96, 2, 2, &listener, 1);
    t.r.kinds[EVENT_MBARRIER] = 0;
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) CHECK_EQ_INT(t.r.kinds[k], one[k]);
    trial_end(&t);
}

/* ---------------------------------------------------------------- order */
#define ORDERED                                                                                                        \
    {.kinds = EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_MBARRIER),                                                     \
     .fields = EVENT_FIELD_VALUES | EVENT_FIELD_ORDER,                                                                 \
     .worker_begin = record_worker_begin,                                                                              \
     .memory = record_memory,                                                                                          \
     .sync = record_sync,                                                                                              \
     .worker_end = record_worker_end}
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

#ifdef LW_DEBUG /* sanitizer builds: spinning is slow there */
enum { RUNS = 34, BLOCKS = 128 };
#else
enum { RUNS = 334, BLOCKS = 128 };
#endif

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
    trial t;
    REQUIRE(trial_begin(&t, c->kernel));
    event_listener listener = {&ordered, &t.r};
    uint32_t broken = 0;
    for (uint32_t n = 0; n < RUNS && broken < 3; n++) {
        memset(words(&t), 0, BUFFER_BYTES);
        if (!strcmp(c->kernel, "lookback")) words(&t)[0] = 1;
        uint32_t first = words(&t)[0];
        record_clear(&t.r);
        run(&t, BLOCKS, c->threads, 1, 2, &listener, 1);
        bool ok = words(&t)[c->sum_at] == c->sum;
        for (uint32_t w = 0; w < c->words; w++) {
            uint64_t writes = follow(&t.r, t.buffer + 4 * w, w ? 0 : first, &ok);
            if (!w && c->first_word) ok &= writes == c->first_word;
        }
        if (!ok) UNIT_FAIL("%s: run %u breaks the chain", c->kernel, n);
        broken += !ok;
        shared_runs += t.r.by_worker[0] && t.r.by_worker[1];
    }
    trial_end(&t);
}

UNIT_CASE(a_lock_in_order) { prove(&(chain){"lock", 64, 1, 4 * BLOCKS, 1, 2 * BLOCKS}); }
UNIT_CASE(a_ticket_in_order) { prove(&(chain){"ticket", 32, 2, BLOCKS, 2, BLOCKS}); }
UNIT_CASE(a_look_back_in_order)
{
    prove(&(chain){"lookback", 32, BLOCKS + 1, 0, BLOCKS, 1 + BLOCKS * (BLOCKS + 1) / 2});
    CHECK(shared_runs > 0); /* of 3 * RUNS: on one host thread alone the order proves little */
}

/* The object of `kinds` is one location: its operations are numbered one after the other. */
UNIT_CASE(mbarrier_operations_in_order)
{
    trial t;
    REQUIRE(trial_begin(&t, "kinds"));
    event_listener listener = {&ordered, &t.r};
    run(&t, 2, 96, 2, 1, &listener, 1);
    for (uint32_t block = 0; block < 2; block++) {
        uint64_t last = 0, waits = 0;
        for (size_t k = 0; k < t.r.syncs.count; k++) {
            const event_sync *e = &t.r.syncs.items[k];
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
    trial_end(&t);
}

/* ---------------------------------------------------------------- asynchronous updates */
/* Accesses of one operation on the side that it changes, as the text says them. */
static const seen_access *find_update(const record *r, uint64_t number, uint32_t *count)
{
    const seen_access *found = NULL;
    *count = 0;
    for (size_t k = 0; k < r->accesses.count; k++) {
        const seen_access *a = &r->accesses.items[k];
        if (a->e.async != number || a->e.op == EVENT_COPY_READ) continue;
        found = a;
        ++*count;
    }
    return found;
}

static uint32_t completions_of(const record *r, const event_sync *issue)
{
    uint32_t count = 0;
    for (size_t k = 0; k < r->syncs.count; k++) {
        const event_sync *e = &r->syncs.items[k];
        if (e->kind != EVENT_ASYNC_COMPLETE || e->number != issue->number) continue;
        CHECK(e > issue);
        CHECK_EQ_INT(e->mechanism, issue->mechanism);
        CHECK_EQ_INT(e->mask, issue->mask);
        count++;
    }
    return count;
}

/* Bulk reductions and red.async: issue, access and completion have one number. */
UNIT_CASE(asynchronous_updates_share_a_number)
{
    static const event_client client = RECORDER(~EVENT_BIT(EVENT_COUNTED));
    trial t;
    REQUIRE(trial_begin(&t, "updates"));
    event_listener listener = {&client, &t.r};
    run(&t, 1, 1, 1, 1, &listener, 1);
    CHECK_EQ_INT(words(&t)[0], 10);
    CHECK_EQ_INT(words(&t)[4], 10);
    static const event_mechanism how[] = {EVENT_BY_BULK_GROUP, EVENT_BY_BULK_GROUP, EVENT_BY_MBARRIER,
                                          EVENT_BY_MBARRIER};
    for (uint32_t n = 0; n < LW_COUNT(how); n++) {
        uint32_t updates;
        const event_sync *issue = find_sync(&t.r, EVENT_ASYNC_ISSUE, n);
        REQUIRE(issue);
        CHECK_EQ_INT(issue->number, n + 1);
        CHECK_EQ_INT(issue->mechanism, how[n]);
        CHECK_EQ_INT(completions_of(&t.r, issue), 1);
        const seen_access *a = find_update(&t.r, n + 1, &updates);
        REQUIRE(a);
        CHECK_EQ_INT(updates, 1);
        CHECK_EQ_INT(a->e.op, EVENT_REDUCTION);
        CHECK_EQ_INT(a->order, EVENT_ORDER_RELAXED);
    }
    CHECK(!find_sync(&t.r, EVENT_ASYNC_ISSUE, LW_COUNT(how)));
    trial_end(&t);
}

/* And they are writes with numbers of their own: word 2 of global memory by two bulk reductions and an atomic, word 2 of
 * shared memory by a bulk reduction and a red.async, before a volatile load. */
UNIT_CASE(asynchronous_updates_are_numbered_writes)
{
    trial t;
    REQUIRE(trial_begin(&t, "updates"));
    event_listener listener = {&ordered, &t.r};
    run(&t, 1, 1, 1, 1, &listener, 1);
    uint64_t last[EVENT_SPACE_COUNT] = {0};
    for (size_t k = 0; k < t.r.accesses.count; k++) {
        const seen_access *a = &t.r.accesses.items[k];
        if (a->order == EVENT_ORDER_WEAK || a->e.op == EVENT_COPY_READ) continue;
        CHECK_EQ_INT(a->details.read_from[0], last[a->e.space]);
        bool writes = a->e.op != EVENT_LOAD;
        CHECK_EQ_INT(a->details.write[0], writes ? last[a->e.space] + 1 : 0);
        last[a->e.space] += writes;
    }
    CHECK_EQ_INT(last[EVENT_GLOBAL], 3);
    CHECK_EQ_INT(last[EVENT_SHARED], 2);
    uint32_t updates;
    const seen_access *first = find_update(&t.r, 1, &updates);
    REQUIRE(first);
    CHECK_EQ_INT(first->details.after[0].word[0], UINT64_C(0x500000005));
    CHECK_EQ_INT(first->details.after[0].word[1], UINT64_C(0x500000005));
    trial_end(&t);
}

/* A store without a number is noticed though it leaves the value that the last numbered write left. */
UNIT_CASE(weak_overwrites_are_seen)
{
    static const char *const what[] = {"nothing", "st", "cp.async", "bulk copy", "st.async", "stmatrix", "to global"};
    trial t;
    REQUIRE(trial_begin(&t, "overwrites"));
    for (uint32_t k = 0; k < 4; k++) words(&t)[64 + k] = 7;
    event_listener listener = {&ordered, &t.r};
    run(&t, 1, 32, 1, 1, &listener, 1);
    uint32_t reads = 0;
    for (size_t k = 0; k < t.r.accesses.count; k++) {
        const seen_access *a = &t.r.accesses.items[k];
        if (a->order != EVENT_ORDER_VOLATILE) continue;
        REQUIRE(reads < LW_COUNT(what));
        CHECK_EQ_INT(a->details.after[0].word[0] & 0xffff, 7);
        if (a->details.read_from[0] != (reads == 0))
            UNIT_FAIL("%s: reads from write %llu", what[reads], (unsigned long long)a->details.read_from[0]);
        reads++;
    }
    CHECK_EQ_INT(reads, LW_COUNT(what));
    trial_end(&t);
}

/* ---------------------------------------------------------------- frames of calls */
/* What the accesses of a lane to its local memory are: a small check of initialisation. */
typedef struct local_use {
    uint32_t accesses, copies, calls; /* calls: loads and stores that are no instruction's own */
    uint32_t undefined;               /* bytes that were loaded, and never written */
} local_use;

static local_use use_of_local(const record *r, uint32_t lane)
{
    enum { BYTES = 256 };
    bool defined[BYTES] = {false};
    local_use use = {0};
    for (size_t k = 0; k < r->accesses.count; k++) {
        const seen_access *a = &r->accesses.items[k];
        if (a->e.space != EVENT_LOCAL || !(a->e.mask >> lane & 1)) continue;
        CHECK_EQ_INT(a->e.generic, 0);
        bool bulk = a->e.flags & EVENT_BULK;
        bool copy = a->e.op == EVENT_COPY_READ || a->e.op == EVENT_COPY_WRITE;
        CHECK_EQ_INT(copy, a->e.address2 != NULL);
        for (uint64_t at = a->address[lane]; at < a->address[lane] + (bulk ? a->e.bytes_total : a->e.bytes); at++) {
            if (at >= BYTES) UNIT_FAIL("local address %llu", (unsigned long long)at);
            else if (a->e.op == EVENT_STORE || a->e.op == EVENT_COPY_WRITE) defined[at] = true;
            else if (a->e.op == EVENT_LOAD && !defined[at]) use.undefined++;
        }
        use.accesses++;
        use.copies += copy;
        use.calls += bulk && !copy;
    }
    return use;
}

/* What a check of initialisation needs: bytes of frames come into being, travel, and go. */
UNIT_CASE(frames_of_calls_are_told)
{
    static const event_client client =
        RECORDER(EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_FRAME_BEGIN) | EVENT_BIT(EVENT_FRAME_END));
    trial t;
    REQUIRE(trial_begin(&t, "frames"));
    event_listener listener = {&client, &t.r};
    run(&t, 1, 32, 1, 1, &listener, 1);
    for (uint32_t k = 0; k < 32; k++) CHECK_EQ_INT(words(&t)[k], 2 * k);
    const event_sync *begin[2], *end[2];
    for (uint32_t n = 0; n < 2; n++) {
        begin[n] = find_sync(&t.r, EVENT_FRAME_BEGIN, n);
        end[n] = find_sync(&t.r, EVENT_FRAME_END, n);
        REQUIRE(begin[n] && end[n]);
        CHECK(begin[n] < end[n]);
        CHECK_EQ_INT(begin[n]->address, end[n]->address);
        CHECK_EQ_INT(begin[n]->bytes, end[n]->bytes);
        CHECK_EQ_INT(begin[n]->mask, UINT32_MAX);
        CHECK(begin[n]->bytes >= (n ? 16 : 8));
    }
    CHECK_EQ_INT(t.r.kinds[EVENT_FRAME_BEGIN], 2);
    local_use use = use_of_local(&t.r, 5);
    CHECK(use.accesses >= 8 + 4);
    CHECK(use.copies >= 4);
    CHECK_EQ_INT(use.undefined, 0);
    trial_end(&t);
}

/* Loads that the assembler moves behind a branch are made there, once, by the lanes that come there. */
UNIT_CASE(moved_loads_are_told_behind_the_branch)
{
    static const event_client counts = RECORDER(EVENT_BIT(EVENT_COUNTED));
    trial t;
    REQUIRE(trial_begin(&t, "moved"));
    for (uint32_t k = 0; k < 32; k++) words(&t)[k] = k, words(&t)[64 + k] = 7 * k;
    event_listener listener = {&counts, &t.r};
    run(&t, 1, 32, 1, 1, &listener, 1);
    uint32_t loads = 0;
    for (size_t k = 0; k < t.r.accesses.count; k++) {
        const event_memory *e = &t.r.accesses.items[k].e;
        if (e->op != EVENT_LOAD) continue;
        CHECK_EQ_INT(e->mask, loads ? 0xffff0000 : 0xffffff00);
        loads++;
    }
    CHECK_EQ_INT(loads, 2);
    for (uint32_t k = 0; k < 32; k++) {
        CHECK_EQ_INT(words(&t)[256 + k], k < 8 ? 0 : k + 100);
        CHECK_EQ_INT(words(&t)[512 + k], k < 16 ? 0 : 7 * k + 2);
    }
    trial_end(&t);
}

static void keep_print(void *state, const event_sync *e)
{
    if (e->kind != EVENT_PRINT) return;
    CHECK_EQ_INT(e->mask, UINT32_MAX);
    *(event_print *)state = *e->print;
}

/* A call of printf says what it was given: "%d %d", and the service's two arguments. */
UNIT_CASE(prints_are_told)
{
    event_print print = {0};
    const event_client client = {.name = "prints", .kinds = EVENT_BIT(EVENT_PRINT), .sync = keep_print};
    trial t;
    REQUIRE(trial_begin(&t, "builtins"));
    event_listener listener = {&client, &print};
    run(&t, 1, 32, 1, 1, &listener, 1);
    CHECK_EQ_INT(t.result.events_built[EVENT_PRINT], 1);
    CHECK_EQ_INT(print.format_bytes, 5);
    CHECK_EQ_INT(print.arguments, 2);
    CHECK_EQ_INT(print.wide + print.strings, 0);
    CHECK(!print.differs);
    trial_end(&t);
}

UNIT_CASE(heap_calls_are_told)
{
    static const event_client client = RECORDER(EVENT_BIT(EVENT_HEAP_CALL));
    trial t;
    REQUIRE(trial_begin(&t, "builtins"));
    event_listener listener = {&client, &t.r};
    run(&t, 1, 32, 1, 1, &listener, 1);
    REQUIRE(t.r.syncs.count == 2);
    CHECK(!t.r.syncs.items[0].frees && t.r.syncs.items[1].frees);
    CHECK_EQ_INT(t.r.syncs.items[1].mask, UINT32_MAX);
    trial_end(&t);
}

/* printf, malloc and free read their arguments, and write their results, in frames; printf its buffer, too. */
UNIT_CASE(accesses_of_system_functions_are_told)
{
    static const event_client client = RECORDER(EVENT_BIT(EVENT_ACCESS)), counts = RECORDER(EVENT_BIT(EVENT_COUNTED));
    trial t;
    REQUIRE(trial_begin(&t, "builtins"));
    event_listener listener = {&client, &t.r}, counting = {&counts, &t.r};
    run(&t, 1, 32, 1, 1, &listener, 1);
    local_use use = use_of_local(&t.r, 5);
    CHECK_EQ_INT(use.calls, 3 + 1 + 1 + 1 + 1); /* vprintf: two arguments, buffer, result; malloc: both; free: one */
    CHECK_EQ_INT(use.undefined, 0);
    const seen_access *text = NULL, *packed = NULL;
    for (size_t k = 0; k < t.r.accesses.count; k++) {
        const seen_access *a = &t.r.accesses.items[k];
        if (a->e.mask != 1u << 5) continue;
        if (a->e.space == EVENT_GLOBAL) text = a;
        else packed = a;
    }
    REQUIRE(text && packed); /* of a lane of its own */
    CHECK_EQ_INT(text->e.bytes_total, 6);
    CHECK_EQ_INT(packed->e.bytes_total, 8); /* what the text asks for, not all 16 */
    run(&t, 1, 32, 1, 1, &counting, 1);
    CHECK_EQ_INT(t.result.events_built[EVENT_ACCESS], 0);
    CHECK_EQ_INT(t.result.events_built[EVENT_COUNTED], 2); /* the stores to the buffer */
    trial_end(&t);
}

/* Counting models neither get these nor pay for them: parameters of calls are registers on a card. */
UNIT_CASE(frames_cost_nothing_unless_asked_for)
{
    static const event_client counts = RECORDER(EVENT_BIT(EVENT_COUNTED));
    trial t;
    REQUIRE(trial_begin(&t, "frames"));
    event_listener listener = {&counts, &t.r};
    run(&t, 1, 32, 1, 1, NULL, 0);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++) CHECK_EQ_INT(t.result.events_built[k], 0);
    run(&t, 1, 32, 1, 1, &listener, 1);
    for (uint32_t k = 0; k < EVENT_KIND_COUNT; k++)
        CHECK_EQ_INT(t.result.events_built[k], k == EVENT_COUNTED ? 1 : 0); /* the store to global memory */
    trial_end(&t);
}

/* What is counted of a vector load two words of which are used, and what it is. */
UNIT_CASE(words_apart_are_counted_each)
{
    static const event_client counts = RECORDER(EVENT_BIT(EVENT_COUNTED)), states = RECORDER(EVENT_BIT(EVENT_ACCESS));
    trial t;
    REQUIRE(trial_begin(&t, "apart"));
    event_listener listener = {&counts, &t.r}, stating = {&states, &t.r};
    run(&t, 1, 32, 1, 1, &listener, 1);
    REQUIRE(t.r.accesses.count == 3);
    const seen_access *first = &t.r.accesses.items[0], *second = &t.r.accesses.items[1];
    CHECK_EQ_INT(first->e.bytes, 4);
    CHECK_EQ_INT(second->e.bytes, 4);
    for (int lane = 0; lane < 32; lane++) {
        CHECK_EQ_INT(first->address[lane], t.buffer + 16 * (uint64_t)lane);
        CHECK_EQ_INT(second->address[lane], first->address[lane] + 8);
    }
    run(&t, 1, 32, 1, 1, &stating, 1);
    CHECK_EQ_INT(t.result.events_built[EVENT_ACCESS], 2);
    trial_end(&t);
}

UNIT_MAIN()
