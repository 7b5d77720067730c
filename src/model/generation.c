/* model: which rules a device has. One row per range of compute capabilities; one that is not there is refused.
 *
 * Exactness: a site whose rule is no vendor's text and was not measured says why. Sources: programming guides 4.2 and
 * 5.0, appendix F (1.x to 3.x), counters of an H200 (9.0), published measurements for others. Atomics below 5.0 have no
 * rule (shared ones are loops of locked loads and stores, whose length the data decide): executions are counted. */
#include "model/rules.h"

#define L1_FOR_GLOBAL 1u   /* loads use L1 unless told otherwise */
#define L1_IF_ASKED 2u     /* loads use L1 when told so (-dlcm=ca) */
#define READ_ONLY_CACHE 4u /* ld.global.nc has a cache of its own */
#define WIDE_BANKS 8u      /* the width of banks can be chosen */
#define TAG_HASH 16u       /* the hash of the tag banks is known */

struct model_generation {
    uint16_t from, to; /* 10 * major + minor */
    uint16_t traits;
    /* NULL: the rules of cc 5.0 and later (rules_cc7.inl) */
    model_counter shared_load, shared_store, global, global_l1, local, constant;
    const char *why; /* why these rules are assumed, or NULL */
};

static const model_generation generations[] = {
    {10, 11, 0, model_old_shared_load_1x, model_old_shared_store_1x, model_old_global_10, NULL, model_old_local_10,
     model_old_constant_1x, NULL},
    {12, 13, 0, model_old_shared_load_1x, model_old_shared_store_1x, model_old_global_12, NULL, model_old_local_12,
     model_old_constant_1x, NULL},
    {20, 21, L1_FOR_GLOBAL, model_old_shared_2x, model_old_shared_2x, model_old_global_segments, model_old_global_lines,
     model_old_local_lines, model_old_constant, NULL},
    {30, 30, WIDE_BANKS, model_old_shared_3x_4, model_old_shared_3x_4, model_old_global_segments, NULL,
     model_old_local_lines, model_old_constant, NULL},
    {32, 32, WIDE_BANKS | READ_ONLY_CACHE, model_old_shared_3x_4, model_old_shared_3x_4, model_old_global_segments,
     NULL, model_old_local_lines, model_old_constant, NULL},
    {35, 37, WIDE_BANKS | READ_ONLY_CACHE | L1_IF_ASKED, model_old_shared_3x_4, model_old_shared_3x_4,
     model_old_global_segments, model_old_global_lines, model_old_local_lines, model_old_constant, NULL},
    {50, 62, 0, NULL, NULL, NULL, NULL, NULL, model_old_constant,
     "the rules of compute capability 7.0 are assumed for 5.x and 6.x"},
    {70, 89, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {90, 90, TAG_HASH, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {100, 121, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
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

void model_choose(const model_chooser *c, model_site *s, const event_memory *e)
{
    const model_generation *g = c->generation;
    if (c->cc < model_first_cc(e)) {
        use(s, model_old_uncounted, MODEL_EVERY, "this capability has no such access");
    } else if ((e->space == EVENT_CONSTANT || e->space == EVENT_PARAM) && g->constant) {
        use(s, g->constant, MODEL_EVERY | MODEL_BIT(REQUESTS),
            e->space == EVENT_PARAM && c->cc < 20 ? "parameters lie in shared memory on 1.x" : NULL);
    } else if (g->shared_load) {
        choose_old(c, s, e);
    } else {
        c->rules->choose(s, e, g->traits & TAG_HASH);
        if (g->why) s->why = g->why;
        /* the guides describe these for 5.x and 6.x too */
        if (g->why && e->space == EVENT_SHARED && e->bytes <= 4 && (e->op == EVENT_LOAD || e->op == EVENT_STORE))
            s->why = NULL;
    }
}
