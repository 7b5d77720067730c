/* model: which rules a device has. One row per range of compute capabilities; one that is not there is refused.
 *
 * Exactness: a site whose rule is no vendor's text and was not measured says why. Sources: programming guides 4.2 and
 * 5.0, appendix F (1.x to 3.x), counters of an H200 (9.0), published measurements for others. Atomics below 5.0 have no
 * rule (shared ones are loops of locked loads and stores, whose length the data decide): executions are counted. */
#include "model/rules.h"
#include "model/spin.h"

#define L1_FOR_GLOBAL 1u   /* loads use L1 unless told otherwise */
#define L1_IF_ASKED 2u     /* loads use L1 when told so (-dlcm=ca) */
#define READ_ONLY_CACHE 4u /* ld.global.nc has a cache of its own */
#define WIDE_BANKS 8u      /* the width of banks can be chosen */
#define TAG_HASH 16u       /* the hash of the tag banks is known */

struct model_generation {
    uint16_t from, to; /* compute capabilities, both included: 10 * major + minor */
    uint16_t traits;
    /* How accesses are counted. NULL: by the rules of cc 5.0 and later (rules_cc7.inl) */
    model_counter shared_load, shared_store;
    model_counter global;    /* what does not go through L1, or all where loads never do */
    model_counter global_l1; /* loads that do; NULL: none can */
    model_counter local, constant;
    const char *why; /* why these rules are assumed, or NULL */
};

static const model_generation generations[] = {
    {.from = 10,
     .to = 11,
     .shared_load = model_old_shared_load_1x,
     .shared_store = model_old_shared_store_1x,
     .global = model_old_global_10,
     .local = model_old_local_10,
     .constant = model_old_constant_1x},
    {.from = 12,
     .to = 13,
     .shared_load = model_old_shared_load_1x,
     .shared_store = model_old_shared_store_1x,
     .global = model_old_global_12,
     .local = model_old_local_12,
     .constant = model_old_constant_1x},
    {.from = 20,
     .to = 21,
     .traits = L1_FOR_GLOBAL,
     .shared_load = model_old_shared_2x,
     .shared_store = model_old_shared_2x,
     .global = model_old_global_segments,
     .global_l1 = model_old_global_lines,
     .local = model_old_local_lines,
     .constant = model_old_constant},
    {.from = 30,
     .to = 30,
     .traits = WIDE_BANKS,
     .shared_load = model_old_shared_3x_4,
     .shared_store = model_old_shared_3x_4,
     .global = model_old_global_segments,
     .local = model_old_local_lines,
     .constant = model_old_constant},
    {.from = 32,
     .to = 32,
     .traits = WIDE_BANKS | READ_ONLY_CACHE,
     .shared_load = model_old_shared_3x_4,
     .shared_store = model_old_shared_3x_4,
     .global = model_old_global_segments,
     .local = model_old_local_lines,
     .constant = model_old_constant},
    {.from = 35,
     .to = 37,
     .traits = WIDE_BANKS | READ_ONLY_CACHE | L1_IF_ASKED,
     .shared_load = model_old_shared_3x_4,
     .shared_store = model_old_shared_3x_4,
     .global = model_old_global_segments,
     .global_l1 = model_old_global_lines,
     .local = model_old_local_lines,
     .constant = model_old_constant},
    {.from = 50,
     .to = 62,
     .constant = model_old_constant,
     .why = "the rules of compute capability 7.0 are assumed for 5.x and 6.x"},
    {.from = 70, .to = 89},
    {.from = 90, .to = 90, .traits = TAG_HASH},
    {.from = 100, .to = 121},
};

const model_generation *model_generation_of(uint32_t cc)
{
    for (size_t i = 0; i < LW_COUNT(generations); i++)
        if (cc >= generations[i].from && cc <= generations[i].to) return &generations[i];
    return NULL;
}

uint32_t model_first_cc(const event_memory *e)
{
    if (e->bytes > 16) return 100;
    if (e->flags & EVENT_BULK || e->space == EVENT_DSHARED || e->op == EVENT_MATRIX_STORE) return 90;
    if (e->op == EVENT_COPY_READ || e->op == EVENT_COPY_WRITE) return 80;
    if (e->op == EVENT_MATRIX_LOAD) return 75;
    if (e->op != EVENT_ATOMIC && e->op != EVENT_REDUCTION) return 10;
    if (e->space == EVENT_SHARED) return e->bytes > 4 ? 20 : 12;
    return e->bytes > 4 ? 12 : 11;
}

#define OLD_SHARED (MODEL_EVERY | MODEL_BIT(WAVEFRONTS) | MODEL_BIT(WAVEFRONTS_IDEAL) | MODEL_BIT(BANK_CONFLICTS))
#define OLD_BYTES                                                                                                      \
    (MODEL_EVERY | MODEL_BIT(REQUESTS) | MODEL_BIT(TRANSACTIONS) | MODEL_BIT(TRANSACTIONS_IDEAL) |                     \
     MODEL_BIT(BYTES_MOVED) | MODEL_BIT(BYTES_USEFUL))
#define OLD_SIZES (MODEL_BIT(TRANSACTIONS_32) | MODEL_BIT(TRANSACTIONS_64) | MODEL_BIT(TRANSACTIONS_128))

static void use(model_site *s, model_counter count, uint32_t present, const char *why)
{
    s->count = count;
    s->present = present;
    s->why = why;
}

static void choose_old_shared(const model_chooser *c, model_site *s, const event_memory *e)
{
    const model_generation *g = c->generation;
    model_counter count = e->op == EVENT_LOAD ? g->shared_load : g->shared_store;
    if (g->traits & WIDE_BANKS && c->options.bank_bytes == 8) count = model_old_shared_3x_8;
    use(s, count, OLD_SHARED, NULL);
    if (e->bytes != 16 || c->cc < 20) return;
    s->why = "no source documents the passes of 16-byte accesses to shared memory on 2.x and 3.x";
    if (c->cc < 30) s->present &= ~MODEL_BIT(BANK_CONFLICTS);
}

/* Loads of global memory that go through L1, in its lines. */
static bool uses_l1(const model_chooser *c, const event_memory *e)
{
    uint32_t traits = c->generation->traits;
    if (e->op != EVENT_LOAD || e->flags & EVENT_BYPASS_L1) return false;
    if (traits & READ_ONLY_CACHE && e->flags & EVENT_NON_COHERENT) return false; /* 32 bytes, as from L2 */
    if (traits & L1_FOR_GLOBAL) return c->options.global_l1 != MODEL_L1_UNCACHED;
    return traits & L1_IF_ASKED && c->options.global_l1 == MODEL_L1_CACHED;
}

static void choose_old(const model_chooser *c, model_site *s, const event_memory *e)
{
    const model_generation *g = c->generation;
    uint32_t requests = MODEL_EVERY | MODEL_BIT(REQUESTS);
    if (e->space == EVENT_TEXTURE) {
        use(s, model_old_uncounted, MODEL_EVERY, "no source documents the requests of texture fetches");
    } else if (e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION) {
        if (e->space == EVENT_SHARED)
            use(s, model_old_uncounted, MODEL_EVERY, "shared atomics are loops whose length the data decide");
        else use(s, model_old_uncounted, requests, "no source documents the transactions of global atomics");
    } else if (e->space == EVENT_SHARED) {
        choose_old_shared(c, s, e);
    } else if (e->space == EVENT_LOCAL) {
        use(s, g->local, OLD_BYTES | (c->cc < 20 ? OLD_SIZES : MODEL_BIT(TRANSACTIONS_128)), NULL);
    } else if (c->cc < 20) {
        use(s, g->global, OLD_BYTES | OLD_SIZES, NULL);
    } else if (uses_l1(c, e)) {
        use(s, g->global_l1, OLD_BYTES | MODEL_BIT(TRANSACTIONS_128), NULL);
    } else {
        use(s, g->global, OLD_BYTES | MODEL_BIT(TRANSACTIONS_32), NULL);
    }
}

static void choose_constant(const model_chooser *c, model_site *s, const event_memory *e)
{
    bool in_shared = e->space == EVENT_PARAM && c->cc < 20;
    use(s, c->generation->constant, MODEL_EVERY | MODEL_BIT(REQUESTS),
        in_shared ? "parameters lie in shared memory on 1.x" : NULL);
}

/* An atomic whose address turns out to lie in shared memory, of a kind that shared memory does not have. */
static bool is_generic_loop(const event_memory *e)
{
    bool shared = e->space == EVENT_SHARED || e->space == EVENT_DSHARED;
    return shared && e->generic && model_is_loop(e);
}

static void choose_new(const model_chooser *c, model_site *s, const event_memory *e)
{
    const model_generation *g = c->generation;
    c->rules->choose(s, e, g->traits & TAG_HASH);
    if (is_generic_loop(e))
        s->why = "a generic f32, f64 or 64-bit atomic in shared memory is a loop of compare-and-swaps";
    if (!g->why) return;
    bool plain = e->op == EVENT_LOAD || e->op == EVENT_STORE;
    bool described = plain && e->space == EVENT_SHARED && e->bytes <= 4; /* the guides do for 5.x and 6.x too */
    s->why = described ? NULL : g->why;
}

void model_choose(const model_chooser *c, model_site *s, const event_memory *e)
{
    const model_generation *g = c->generation;
    bool constant = e->space == EVENT_CONSTANT || e->space == EVENT_PARAM;
    if (c->cc < model_first_cc(e)) use(s, model_old_uncounted, MODEL_EVERY, "this capability has no such access");
    else if (constant && g->constant) choose_constant(c, s, e);
    else if (g->shared_load) choose_old(c, s, e);
    else choose_new(c, s, e);
}
