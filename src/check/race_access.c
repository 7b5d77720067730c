/* race_access.c: accesses. A whole line that one warp takes in order costs one comparison; all else goes by units. */
#include "check/race_access.h"

#include "check/race_steps.h"

#include <string.h>

/* An access while it is looked at. */
typedef struct access {
    race_worker *worker;
    race_block *block;
    race_warp *warp;
    const event_memory *event;
    shadow_memory *memory; /* of the line's units */
    race_slot slot;        /* of lane 0 */
    uint32_t owner, b;     /* b: as slots hold it */
    uint32_t warp_index, width;
    race_kind kind;
    event_space space; /* EVENT_DSHARED of the own block is EVENT_SHARED */
    bool writes;
    bool atomic;
    bool orders;      /* it may release or acquire */
    uint64_t address; /* of the unit that is looked at */
} access;

/* ---------------------------------------------------------------- what it is */
static race_kind kind_of(const event_memory *e)
{
    const event_insn *what = event_insn_of(e);
    uint32_t scope = what->scope > EVENT_SCOPE_CTA ? (uint32_t)(what->scope - EVENT_SCOPE_CTA) : 0;
    bool atomic_copy = e->op == EVENT_REDUCTION && e->space == EVENT_GLOBAL; /* cp.reduce.async.bulk: relaxed.gpu */
    if (e->async && !atomic_copy) return RACE_ASYNC;
    if (e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION) {
        bool cas = e->atomic == EVENT_ATOMIC_CAS;
        return (race_kind)((cas ? RACE_CAS_CTA : RACE_ATOMIC_CTA) + scope);
    }
    if (what->order == EVENT_ORDER_WEAK || e->flags & EVENT_BULK) return RACE_WEAK;
    if (what->order == EVENT_ORDER_VOLATILE) return RACE_VOLATILE;
    return (race_kind)(RACE_STRONG_CTA + scope);
}

static bool op_writes(event_op op)
{
    return op == EVENT_STORE || op == EVENT_ATOMIC || op == EVENT_REDUCTION || op == EVENT_COPY_WRITE ||
           op == EVENT_MATRIX_STORE;
}

static uint32_t log2_of(uint32_t bytes) { return bytes ? (uint32_t)__builtin_ctz(bytes) : 0; }

static race_slot slot_of(const access *a)
{
    const event_memory *e = a->event;
    uint64_t site = LW_MIN((uint64_t)e->insn + 1, RACE_SITE_MASK);
    return race_put(site, RACE_SITE_AT) | race_put(e->warp, RACE_WARP_AT) | race_put(a->kind, RACE_KIND_AT) |
           race_put(a->width & 7, RACE_WIDTH_AT) | race_put(a->warp->s, RACE_S_AT) | race_put(a->b, RACE_B_AT);
}

/* 1 to 63 for what a lane stores; small numbers have numbers of their own. 0: unknown. */
static inline race_slot value_of(const access *a, uint32_t lane)
{
    const event_memory *e = a->event;
    if (!e->stored || e->op != EVENT_STORE || e->bytes > 8) return 0;
    uint64_t v = 0;
    memcpy(&v, e->stored + (size_t)lane * e->stored_step, LW_MIN((uint32_t)e->bytes, e->stored_step));
    return race_put(1 + v % 63, RACE_VALUE_AT);
}

/* The same for a whole warp, if all lanes store one value. */
static race_slot one_value(const access *a)
{
    const event_memory *e = a->event;
    if (!e->stored || e->op != EVENT_STORE) return 0;
    if (memcmp(e->stored, e->stored + e->stored_step, 31 * (size_t)e->stored_step)) return 0;
    return value_of(a, 0);
}

/* ---------------------------------------------------------------- conflicts */
static void report(access *a, uint32_t lane, race_slot prior, uint32_t prior_owner, race_pair pair, race_why why)
{
    const event_memory *e = a->event;
    race_conflict c = {.pair = pair, .why = why, .space = (uint8_t)a->space, .address = a->address, .count = 1};
    if (a->space == EVENT_GLOBAL && race_heap_again(&a->worker->launch->heap, a->address)) return;
    uint32_t bytes = e->flags & EVENT_BULK ? e->bytes_total : e->bytes;
    c.before = (race_side){.site = RACE_FIELD(prior, SITE), .block = prior_owner - 1, .warp = RACE_FIELD(prior, WARP)};
    c.before.lane = RACE_FIELD(prior, LANE);
    c.before.bytes = 1u << RACE_FIELD(prior, WIDTH);
    c.after = (race_side){RACE_FIELD(a->slot, SITE), a->block->linear, e->warp, lane, bytes, 0, {{0}}};
    race_conflict *kept = race_found_add(&a->worker->found, &c);
    if (kept) race_steps_note(kept, a->block, prior, a->slot);
}

/* Strong accesses by threads of so close blocks do not race. 0: they do not; else why they do. */
static bool strong_apart(const access *a, race_kind prior, uint32_t needed_scope, race_slot slot, race_why *why)
{
    if (!race_is_strong(a->kind) || !race_is_strong(prior)) return false;
    if (race_scope_of(a->kind) < needed_scope || race_scope_of(prior) < needed_scope) {
        *why = RACE_SCOPE;
        return false;
    }
    if (RACE_FIELD(slot, WIDTH) != a->width && !(race_is_atomic(a->kind) && race_is_atomic(prior))) {
        *why = RACE_SIZES;
        return false;
    }
    return true;
}

static bool plain_before_cas(const access *a, race_slot prior, race_pair pair)
{
    race_kind k = race_kind_of(prior);
    if (pair == RACE_WRITE_READ) return race_is_cas(k) && a->kind == RACE_WEAK;
    return pair == RACE_READ_WRITE && race_is_cas(a->kind) && k == RACE_WEAK;
}

static bool same_value(race_slot mine, race_slot prior, race_pair pair)
{
    uint32_t value = RACE_FIELD(prior, VALUE);
    return pair == RACE_WRITE_WRITE && value && value == RACE_FIELD(mine, VALUE) &&
           RACE_FIELD(mine, WIDTH) == RACE_FIELD(prior, WIDTH);
}

/* Two lanes of a warp, the earlier access with the same S or, partially synchronised, not known to the later lane. */
static void lanes_conflict(access *a, uint32_t lane, race_slot mine, race_slot prior, race_pair pair, race_why why)
{
    race_kind k = race_kind_of(prior);
    uint32_t cc = a->worker->launch->launch->cc;
    bool both_volatile = k == RACE_VOLATILE && a->kind == RACE_VOLATILE;
    race_why ignored;
    if (!both_volatile && strong_apart(a, k, 0, prior, &ignored)) return;
    bool one_insn = ((prior ^ mine) & (RACE_SITE_MASK | race_put(RACE_S_MASK, RACE_S_AT))) == 0;
    if (!one_insn && cc && cc < 70) return; /* the lanes of a warp go in step there */
    if (both_volatile && pair != RACE_WRITE_WRITE) why = RACE_VOLATILE_ONLY;
    if (k == RACE_VOLATILE || a->kind == RACE_VOLATILE) why = RACE_VOLATILE_ONLY;
    if (one_insn && pair == RACE_WRITE_WRITE) why = RACE_ONE_INSN;
    if (same_value(mine, prior, pair)) why = RACE_SAME_VALUE;
    if (plain_before_cas(a, prior, pair)) why = RACE_BEFORE_CAS;
    report(a, lane, prior, a->owner, pair, why);
}

static bool knows(const access *a, uint32_t lane, race_slot prior, uint32_t owner, race_know *const *which)
{
    const race_know *k = which[lane];
    if (!k) return false;
    uint32_t b = RACE_FIELD(prior, B);
    if (owner == a->owner) b = a->block->b;  /* callers have seen that it is the current one */
    race_crowd crowd = race_crowd_of(prior); /* the lowest of several blocks stands for all */
    uint32_t of = crowd == RACE_ALONE || crowd == RACE_BLOCKS ? RACE_FIELD(prior, LANE) : 32;
    uint32_t s = RACE_FIELD(prior, S);
    if (race_is_strong(race_kind_of(prior))) s--; /* the flag itself, behind the fence that it made known */
    return race_know_has(k, owner - 1, b, s, RACE_FIELD(prior, WARP), of);
}

/* Has the warp synchronised in between? */
static bool ordered_in_warp(const access *a, uint32_t lane, race_slot prior)
{
    const race_warp *w = a->warp;
    uint32_t s = RACE_FIELD(prior, S);
    if (!w->partial) return s != w->s;
    if (race_crowd_of(prior) == RACE_ALONE) return w->lanes[lane][RACE_FIELD(prior, LANE)] >= s;
    for (uint32_t m = 0; m < 32; m++)
        if (m != lane && w->lanes[lane][m] < s) return false;
    return true;
}

/* Both in one block with the same B. true: ordered. */
static bool check_in_block(access *a, uint32_t lane, race_slot mine, race_slot prior, race_pair pair)
{
    uint32_t warp = RACE_FIELD(prior, WARP);
    race_crowd crowd = race_crowd_of(prior);
    if (crowd != RACE_WARPS && warp == a->warp_index) {
        if (crowd == RACE_ALONE && RACE_FIELD(prior, LANE) == lane) return true;
        if (a->warp->knows && knows(a, lane, prior, a->owner, a->warp->know)) return true;
        if (ordered_in_warp(a, lane, prior)) {
            bool collective = !a->warp->partial && RACE_FIELD(prior, S) >= a->warp->hard;
            if (collective && pair != RACE_PAIR_COUNT) lanes_conflict(a, lane, mine, prior, pair, RACE_COLLECTIVE);
            return true;
        }
        if (pair != RACE_PAIR_COUNT) lanes_conflict(a, lane, mine, prior, pair, RACE_NO_WARP_SYNC);
        return false;
    }
    if (a->warp->knows && knows(a, lane, prior, a->owner, a->warp->know)) return true;
    if (pair == RACE_PAIR_COUNT) return false;
    if (crowd == RACE_WARPS && warp == a->warp_index && a->warp->knows) return true; /* the others are not known */
    race_why why = RACE_NO_BARRIER;
    if (strong_apart(a, race_kind_of(prior), 0, prior, &why)) return false;
    if (a->warp->knows && knows(a, lane, prior, a->owner, a->warp->pending)) why = RACE_NO_FENCE;
    if (plain_before_cas(a, prior, pair)) why = RACE_BEFORE_CAS;
    if (same_value(mine, prior, pair)) why = RACE_SAME_VALUE;
    report(a, lane, prior, a->owner, pair, why);
    return false;
}

/* Scope that two blocks need: 1 within a cluster, else 2. */
static uint32_t scope_between(const access *a, uint32_t owner)
{
    const event_launch *l = a->worker->launch->launch;
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] <= 1) return 2;
    const race_block *other = a->worker->current;
    for (uint32_t n = 0; n < RACE_BUCKETS; n++)
        for (other = a->worker->bucket[n]; other; other = other->next)
            if (other->owner == owner) return other->cluster == a->block->cluster ? 1 : 2;
    return 2;
}

static bool check_blocks(access *a, uint32_t lane, race_slot mine, race_slot prior, uint32_t owner, race_pair pair)
{
    if (a->warp->knows && knows(a, lane, prior, owner, a->warp->know)) return true;
    if (pair == RACE_PAIR_COUNT) return false;
    race_why why = RACE_NO_ORDER;
    if (strong_apart(a, race_kind_of(prior), scope_between(a, owner), prior, &why)) return false;
    if (a->warp->knows && knows(a, lane, prior, owner, a->warp->pending)) why = RACE_NO_FENCE;
    if (why == RACE_NO_ORDER && pair == RACE_READ_WRITE && a->worker->launch->polls) why = RACE_RELAXED;
    if (plain_before_cas(a, prior, pair)) why = RACE_BEFORE_CAS;
    if (same_value(mine, prior, pair)) why = RACE_SAME_VALUE;
    if (a->event->flags & EVENT_NON_COHERENT && pair == RACE_WRITE_READ) why = RACE_NON_COHERENT;
    report(a, lane, prior, owner, pair, why);
    return false;
}

/* Is the earlier access ordered before this one? If not, and pair says which they are, it is a conflict.
 * RACE_PAIR_COUNT: only asks. */
static bool check(access *a, uint32_t lane, race_slot mine, race_slot prior, uint32_t owner, race_pair pair)
{
    if (race_kind_of(prior) == RACE_ASYNC && owner == a->owner) {
        bool own_copy = a->kind == RACE_ASYNC && RACE_FIELD(prior, SITE) == RACE_FIELD(mine, SITE) &&
                        RACE_FIELD(prior, LANE) == lane && RACE_FIELD(prior, WARP) == a->warp_index;
        if (own_copy) return true;
        if (pair != RACE_PAIR_COUNT) report(a, lane, prior, owner, pair, RACE_NO_WAIT);
        return false;
    }
    if (owner != a->owner) return check_blocks(a, lane, mine, prior, owner, pair);
    if (RACE_FIELD(prior, B) != a->b) return true;
    return check_in_block(a, lane, mine, prior, pair);
}

/* ---------------------------------------------------------------- one cell */
/* A second block has read, and nobody has written: the two lowest are remembered. */
static void read_by_blocks(shadow_cell *c, race_slot mine, uint32_t owner)
{
    if (c->w && race_kind_of(c->w) != RACE_READER) {
        if (owner >= c->r_owner) return;
        c->r = mine;
        c->r_owner = owner;
        return;
    }
    race_slot second = race_with_kind(mine, RACE_READER);
    if (owner < c->r_owner) {
        second = race_with_kind(c->r, RACE_READER);
        uint32_t was = c->r_owner;
        c->r = mine;
        c->r_owner = owner;
        owner = was;
    }
    if (c->w && (c->w_owner < owner)) return;
    c->w = second;
    c->w_owner = owner;
}

static void note_read(access *a, uint32_t lane, race_slot mine, shadow_cell *c)
{
    bool fresh = !c->r || c->r == mine;
    if (!fresh && c->r_owner != a->owner) {
        if (check(a, lane, mine, c->r, c->r_owner, RACE_PAIR_COUNT)) fresh = true;
        else read_by_blocks(c, mine, a->owner);
        if (!fresh) return;
    }
    if (fresh || RACE_FIELD(c->r, B) != a->b || race_kind_of(c->r) == RACE_ASYNC) {
        c->r = mine;
        c->r_owner = a->owner;
        return;
    }
    race_crowd crowd = race_crowd_of(c->r);
    if (crowd == RACE_WARPS) return;
    if (check_in_block(a, lane, mine, c->r, RACE_PAIR_COUNT)) {
        c->r = mine;
        return;
    }
    crowd = RACE_FIELD(c->r, WARP) == a->warp_index ? RACE_LANES : RACE_WARPS;
    c->r = race_with_crowd(mine & ~race_put(RACE_CROWD_MASK, RACE_CROWD_AT), crowd);
}

/* A plain write, then an atomic one of the same thread, and whoever knows of one knows of the other: the plain one stays,
 * as it races with more (a counter that is set to zero, and counted up before the others may do so). */
static inline bool plain_stays(const access *a, race_slot prior, race_slot mine)
{
    race_slot differs = RACE_SAME_THREAD | race_put(RACE_S_MASK, RACE_S_AT) | race_put(RACE_B_MASK, RACE_B_AT);
    return race_is_strong(a->kind) && prior && race_kind_of(prior) == RACE_WEAK && !((prior ^ mine) & differs);
}

/* Atomics and strong writes that race with none of each other: of several blocks' the lowest one's stays. */
static void note_write(access *a, uint32_t lane, race_slot mine, shadow_cell *c)
{
    bool reader = !c->w || race_kind_of(c->w) == RACE_READER;
    if (c->w_owner == a->owner && plain_stays(a, c->w, mine)) return;
    if (reader || !race_is_strong(a->kind) || check(a, lane, mine, c->w, c->w_owner, RACE_PAIR_COUNT)) {
        c->w = mine;
        c->w_owner = a->owner;
        return;
    }
    if (c->w_owner != a->owner) {
        race_slot lower = c->w_owner < a->owner ? c->w : mine;
        c->w_owner = LW_MIN(c->w_owner, a->owner);
        c->w = race_with_crowd(lower, RACE_BLOCKS);
        return;
    }
    race_crowd crowd = race_crowd_of(c->w);
    if (crowd == RACE_BLOCKS) return;
    bool one_warp = RACE_FIELD(c->w, WARP) == a->warp_index && crowd != RACE_WARPS;
    c->w = race_with_crowd(mine, one_warp ? RACE_LANES : RACE_WARPS);
}

static void access_cell(access *a, uint32_t lane, race_slot mine, shadow_cell *c)
{
    bool written = c->w && race_kind_of(c->w) != RACE_READER;
    if (a->writes) {
        if (written) check(a, lane, mine, c->w, c->w_owner, RACE_WRITE_WRITE);
        if (c->r) {
            bool foreign = c->r_owner != a->owner;
            check(a, lane, mine, c->r, c->r_owner, RACE_READ_WRITE);
            if (!foreign && c->w && !written) check(a, lane, mine, c->w, c->w_owner, RACE_READ_WRITE);
        }
        note_write(a, lane, mine, c);
        return;
    }
    if (written) check(a, lane, mine, c->w, c->w_owner, RACE_WRITE_READ);
    note_read(a, lane, mine, c);
}

/* ---------------------------------------------------------------- units of a line */
static void access_units(access *a, shadow_line *l, uint32_t lane, race_slot mine, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < first + count; k++) {
        shadow_cell was = shadow_get(l, k);
        shadow_cell now = was;
        access_cell(a, lane, mine, &now);
        shadow_put(a->memory, l, k, &was, &now);
    }
}

static bool is_own(const access *a, const shadow_line *l)
{
    if (l->split & SHADOW_OWNERS) return false;
    return (!l->w_owner || l->w_owner == a->owner) && (!l->r_owner || l->r_owner == a->owner);
}

/* Shared memory that was last accessed before the last barrier of the block is as new. */
static inline void renew(access *a, shadow_line *l)
{
    if (a->space != EVENT_SHARED) return;
    if (l->last_b != a->b && is_own(a, l) && !a->worker->asyncs.count) shadow_clear(l);
    l->last_b = (uint16_t)a->b;
}

/* Bytes at address by one lane. */
static void access_bytes(access *a, uint32_t lane, uint64_t address, uint32_t bytes)
{
    race_slot mine = a->slot | race_put(lane, RACE_LANE_AT) | value_of(a, lane);
    while (bytes) {
        uint32_t at = (uint32_t)(address % SHADOW_LINE);
        uint32_t part = LW_MIN(bytes, SHADOW_LINE - at);
        shadow_line *l = race_line(a->worker, a->block, (event_space)a->event->space, address);
        if (!l) return;
        renew(a, l);
        if ((at | part) & 3) shadow_split(a->memory, l, 0, true);
        uint32_t shift = l->split & SHADOW_BYTES ? 0 : 2;
        a->address = address;
        access_units(a, l, lane, mine, at >> shift, part >> shift);
        address += part;
        bytes -= part;
    }
}

/* ---------------------------------------------------------------- words that nobody else is near */
/* Of this block, and from before the last barrier. */
static inline bool is_old(const access *a, race_slot prior)
{
    return RACE_FIELD(prior, B) != a->b && race_kind_of(prior) != RACE_ASYNC;
}

static inline bool is_free(const access *a, race_slot prior, race_slot mine, bool whole)
{
    if (!prior || is_old(a, prior)) return true;
    return !whole && !((prior ^ mine) & RACE_SAME_THREAD) && race_kind_of(prior) != RACE_ASYNC;
}

/* Atomics of several threads of a block at one word: the slot says that there are several. */
static inline race_slot with_others(race_slot prior, race_slot mine)
{
    bool one_warp = RACE_FIELD(prior, WARP) == RACE_FIELD(mine, WARP);
    race_crowd crowd = one_warp ? RACE_LANES : RACE_WARPS;
    return race_with_crowd(mine, LW_MAX(crowd, race_crowd_of(prior)));
}

static inline bool write_word(access *a, shadow_line *l, uint32_t word, race_slot mine)
{
    bool whole_w = !(l->split & SHADOW_SPLIT_W), whole_r = !(l->split & SHADOW_SPLIT_R);
    race_slot w = whole_w ? l->w : l->ws[word], r = whole_r ? l->r : l->rs[word];
    if (!is_free(a, r, mine, whole_r)) return false;
    if (!is_free(a, w, mine, whole_w)) {
        bool others =
            a->atomic && race_is_atomic(race_kind_of(w)) && race_crowd_of(w) != RACE_BLOCKS && !a->warp->knows;
        if (!others || whole_w) return false;
        mine = with_others(w, mine);
    }
    if (!whole_w && plain_stays(a, w, mine)) return true;
    if (whole_w) shadow_split(a->memory, l, SHADOW_SPLIT_W, false);
    l->ws[word] = mine;
    l->w_owner = a->owner;
    return true;
}

static inline bool read_word(access *a, shadow_line *l, uint32_t word, race_slot mine)
{
    bool whole_w = !(l->split & SHADOW_SPLIT_W), whole_r = !(l->split & SHADOW_SPLIT_R);
    race_slot w = whole_w ? l->w : l->ws[word], r = whole_r ? l->r : l->rs[word];
    if (!is_free(a, w, mine, whole_w) || !is_free(a, r, mine, whole_r)) return false;
    if (whole_r) shadow_split(a->memory, l, SHADOW_SPLIT_R, false);
    l->rs[word] = mine;
    l->r_owner = a->owner;
    return true;
}

/* Aligned words of one line that this block alone has accessed. false: the long way. */
static inline bool access_words(access *a, uint32_t lane, uint64_t address, uint32_t bytes)
{
    shadow_line *l =
        a->space == EVENT_GLOBAL ? shadow_line_at(&a->worker->global, address) : race_shared_line(a->block, address);
    if (l->split & SHADOW_BYTES || !is_own(a, l)) return false;
    renew(a, l);
    race_slot mine = a->slot | race_put(lane, RACE_LANE_AT) | (a->writes ? value_of(a, lane) : 0);
    uint32_t word = (uint32_t)(address % SHADOW_LINE) / 4;
    for (uint32_t k = 0; k < bytes / 4; k++) {
        bool done = a->writes ? write_word(a, l, word + k, mine) : read_word(a, l, word + k, mine);
        if (done) continue;
        a->address = address;
        access_units(a, l, lane, mine, word + k, bytes / 4 - k);
        break;
    }
    return true;
}

/* ---------------------------------------------------------------- whole lines */
/* Does nothing speak against a whole line's slot: is it empty, or by the same lanes, or from before a barrier? */
static inline bool passes(const access *a, race_slot prior, uint32_t owner, race_slot mine)
{
    if (!prior) return true;
    if (owner != a->owner || race_kind_of(prior) == RACE_ASYNC) return false;
    if (RACE_FIELD(prior, B) != a->b) return true;
    return !((prior ^ mine) & (RACE_SAME_THREAD | race_put(RACE_WIDTH_MASK, RACE_WIDTH_AT)));
}

static inline bool read_line(access *a, shadow_line *l, race_slot mine)
{
    bool ok = (race_kind_of(l->w) == RACE_READER && l->w) || passes(a, l->w, l->w_owner, mine);
    if (!ok) return false;
    if (passes(a, l->r, l->r_owner, mine)) {
        l->r = mine;
        l->r_owner = a->owner;
        return true;
    }
    if (l->r_owner == a->owner || a->warp->knows) return false;
    shadow_cell c = {l->w, l->r, l->w_owner, l->r_owner};
    read_by_blocks(&c, mine, a->owner);
    l->w = c.w;
    l->r = c.r;
    l->w_owner = c.w_owner;
    l->r_owner = c.r_owner;
    return true;
}

static inline bool write_line(access *a, shadow_line *l, race_slot mine)
{
    if (!passes(a, l->w, l->w_owner, mine) || !passes(a, l->r, l->r_owner, mine)) return false;
    l->w = mine;
    l->w_owner = a->owner;
    return true;
}

/* 32 lanes of 4, 8 or 16 bytes in order from the beginning of a line on. */
static bool access_lines(access *a)
{
    const event_memory *e = a->event;
    uint64_t address = e->address[0];
    if (e->shape != EVENT_CONSECUTIVE || a->kind != RACE_WEAK || e->bytes < 4 || e->bytes > 16) return false;
    if (address % SHADOW_LINE || e->flags & EVENT_BULK) return false;
    uint32_t lanes = SHADOW_LINE / e->bytes;
    race_slot value = one_value(a);
    for (uint32_t first = 0; first < 32; first += lanes, address += SHADOW_LINE) {
        shadow_line *l = race_line(a->worker, a->block, (event_space)e->space, address);
        if (!l) continue;
        renew(a, l);
        race_slot mine = a->slot | race_put(first, RACE_LANE_AT) | value;
        bool whole = !(l->split & (SHADOW_SPLIT_W | SHADOW_SPLIT_R | SHADOW_OWNERS));
        if (whole && (a->writes ? write_line(a, l, mine) : read_line(a, l, mine))) continue;
        for (uint32_t k = 0; k < lanes; k++) access_bytes(a, first + k, address + (uint64_t)k * e->bytes, e->bytes);
    }
    return true;
}

/* All lanes read one place. */
static bool access_uniform(access *a)
{
    const event_memory *e = a->event;
    if (e->shape != EVENT_UNIFORM || a->writes || e->flags & EVENT_BULK || a->orders) return false;
    uint32_t lane = (uint32_t)__builtin_ctz(e->mask);
    bool several = e->mask & (e->mask - 1);
    bool simple = !a->warp->partial && !a->warp->knows;
    if (several && !simple) return false;
    access_bytes(a, lane, e->address[lane], e->bytes);
    if (!several) return true;
    access_bytes(a, 31 - (uint32_t)__builtin_clz(e->mask), e->address[lane], e->bytes);
    return true;
}

/* ---------------------------------------------------------------- synchronising words */
static race_flags *flags_of(access *a, uint64_t *address)
{
    if (a->event->space == EVENT_GLOBAL) return &a->worker->flags;
    race_block *b = a->block;
    if (a->event->space == EVENT_DSHARED) b = race_worker_rank(a->worker, b->cluster, (uint32_t)(*address >> 24));
    *address &= 0xffffff;
    return b ? &b->flags : NULL;
}

static bool acquires(event_order o)
{
    return o == EVENT_ORDER_ACQUIRE || o == EVENT_ORDER_ACQ_REL || o == EVENT_ORDER_SC;
}
static bool releases(event_order o)
{
    return o == EVENT_ORDER_RELEASE || o == EVENT_ORDER_ACQ_REL || o == EVENT_ORDER_SC;
}

static void see(access *a, uint32_t lane, const race_know *what, bool now)
{
    if (!what) return;
    if (now) {
        race_acquire(a->warp, 1u << lane, what);
        return;
    }
    a->warp->knows = true;
    race_know_join(&a->warp->pending[lane], what);
}

static void read_flag(access *a, uint32_t lane)
{
    uint64_t address = a->event->address[lane];
    race_flags *flags = flags_of(a, &address);
    const race_flag *f = flags ? race_flag_find(flags, address) : NULL;
    if (!f) return;
    const event_insn *what = event_insn_of(a->event);
    bool now = acquires((event_order)what->order);
    if (what->scope >= EVENT_SCOPE_CLUSTER) see(a, lane, f->a, now);
    if (f->block == a->owner) see(a, lane, f->b, now);
}

/* A wide scope includes the own block: readers of scope .cta there see the release as well. */
static void release_on(race_flag *f, uint32_t owner, uint32_t scope, const race_know *what)
{
    bool wide = scope >= EVENT_SCOPE_CLUSTER;
    if (wide) race_know_join(&f->a, what);
    if (wide && f->b && f->block != owner) return;
    if (f->block != owner) {
        race_know_drop(f->b);
        f->b = NULL;
    }
    f->block = owner;
    race_know_join(&f->b, what);
}

static void write_flag(access *a, uint32_t lane)
{
    const event_insn *what = event_insn_of(a->event);
    race_warp *w = a->warp;
    uint64_t address = a->event->address[lane];
    race_flags *flags = flags_of(a, &address);
    if (!flags) return;
    bool strict = releases((event_order)what->order);
    race_know *out = strict ? race_release(a->block, w, 1u << lane) : race_know_hold(w->fence[lane]);
    uint32_t scope = strict ? what->scope : LW_MIN(what->scope, w->fence_scope[lane]);
    race_flag *f = race_flag_find(flags, address);
    bool update = race_is_atomic(a->kind) && a->event->atomic != EVENT_ATOMIC_NONE;
    if (f && !update) race_flag_empty(f);
    if (out && !f) f = race_flag_make(flags, address);
    if (out) release_on(f, a->owner, scope, out);
    race_know_drop(out);
}

static void order(access *a)
{
    const event_memory *e = a->event;
    bool reads = e->op == EVENT_LOAD || e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION;
    for (uint32_t m = e->mask; m && reads && e->op != EVENT_REDUCTION; m &= m - 1)
        read_flag(a, (uint32_t)__builtin_ctz(m));
    for (uint32_t m = e->mask; m && a->writes; m &= m - 1) write_flag(a, (uint32_t)__builtin_ctz(m));
}

/* ---------------------------------------------------------------- asynchronous copies */
static void note_async(access *a)
{
    const event_memory *e = a->event;
    race_async n = {.block = a->block->linear,
                    .number = e->async,
                    .warp = e->warp,
                    .mask = e->mask,
                    .is_write = a->writes,
                    .space = e->space,
                    .bytes = e->flags & EVENT_BULK ? e->bytes_total : e->bytes};
    if (e->op == EVENT_COPY_READ && !(e->flags & EVENT_BULK)) n.mask &= e->sources;
    for (uint32_t m = n.mask; m; m &= m - 1) n.address[__builtin_ctz(m)] = e->address[__builtin_ctz(m)];
    if (n.mask) lw_vec_push(&a->worker->asyncs, n);
}

/* ---------------------------------------------------------------- blocks of a cluster */
/* Another block's shared memory: has that block begun? */
static void check_start(access *a, uint32_t lane)
{
    uint64_t address = a->event->address[lane];
    const race_block *home = race_worker_rank(a->worker, a->block->cluster, (uint32_t)(address >> 24));
    if (!home || home == a->block || race_know_names(a->warp->know[lane], home->linear)) return;
    race_conflict c = {.pair = a->writes ? RACE_WRITE_WRITE : RACE_WRITE_READ,
                       .why = RACE_START,
                       .space = EVENT_DSHARED,
                       .address = address,
                       .before = {.site = RACE_SITE_MASK, .block = home->linear},
                       .after = {RACE_FIELD(a->slot, SITE), a->block->linear, a->warp_index, lane, a->event->bytes},
                       .count = 1};
    race_found_add(&a->worker->found, &c);
}

/* ---------------------------------------------------------------- accesses */
static void access_lane(access *a, uint32_t lane)
{
    const event_memory *e = a->event;
    uint32_t bytes = e->flags & EVENT_BULK ? e->bytes_total : e->bytes;
    if (e->op == EVENT_COPY_READ && !(e->flags & EVENT_BULK) && !(e->sources >> lane & 1)) return;
    if (a->space == EVENT_DSHARED) check_start(a, lane);
    access_bytes(a, lane, e->address[lane], bytes);
}

/* Lanes that access whole words, which need not be looked at by bytes. */
static bool access_by_words(access *a)
{
    const event_memory *e = a->event;
    uint32_t bytes = e->bytes;
    bool simple = (e->op <= EVENT_REDUCTION) && bytes >= 4 && bytes <= 16 && !(e->flags & EVENT_BULK) &&
                  a->kind != RACE_ASYNC && a->space != EVENT_DSHARED;
    if (!simple) return false;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = e->address[lane];
        bool aligned = !(address & (bytes - 1));
        if (!aligned || !access_words(a, lane, address, bytes)) access_bytes(a, lane, address, bytes);
    }
    return true;
}

/* To initialise or invalidate an mbarrier is a plain write of it. All else counts as an atomic read, also what arrives:
 * so the initialisation stays remembered. */
void race_on_mbarrier(race_worker *k, race_block *b, const event_sync *e)
{
    bool writes = e->op == EVENT_MBARRIER_INIT || e->op == EVENT_MBARRIER_INVAL;
    bool own = race_worker_rank(k, b->cluster, (uint32_t)(e->address >> 24)) == b;
    event_memory m = {.launch = e->launch, .insn = e->insn, .warp = e->warp, .mask = e->mask, .bytes = 8};
    m.space = own ? EVENT_SHARED : EVENT_DSHARED;
    m.op = writes ? EVENT_STORE : EVENT_LOAD;
    access a = {.worker = k, .block = b, .warp = &b->warp[e->warp], .event = &m, .owner = b->owner};
    a.b = race_b_of(b);
    a.warp_index = e->warp;
    a.kind = writes ? RACE_WEAK : RACE_STRONG_SYS;
    a.width = log2_of(m.bytes);
    a.writes = writes;
    a.space = (event_space)m.space;
    a.memory = b->memory;
    a.warp->dirty = true;
    a.slot = slot_of(&a);
    uint64_t address = own ? e->address & 0xffffff : e->address;
    for (uint32_t left = e->mask; left; left &= left - 1)
        access_bytes(&a, (uint32_t)__builtin_ctz(left), address, m.bytes);
}

/* The rows of a matrix, 16 bytes each: that of row r of matrix m by lane 8 m + r. */
static uint32_t lanes_of(const event_memory *e)
{
    if (!e->matrices || e->matrices >= 4) return e->mask;
    return e->mask & ((1u << 8 * e->matrices) - 1);
}

static bool is_watched(const event_memory *e)
{
    return e->space == EVENT_GLOBAL || e->space == EVENT_SHARED || e->space == EVENT_DSHARED;
}

void race_on_memory(race_worker *k, const event_memory *e)
{
    if (!is_watched(e)) return;
    race_block *b = race_worker_block(k, e->block, e->cluster);
    access a = {.worker = k, .block = b, .warp = &b->warp[e->warp], .event = e, .owner = b->owner};
    a.b = race_b_of(b);
    a.warp_index = e->warp;
    a.kind = kind_of(e);
    a.width = log2_of(e->bytes);
    a.writes = op_writes((event_op)e->op);
    a.atomic = race_is_atomic(a.kind);
    a.space = (event_space)e->space;
    a.memory = e->space == EVENT_GLOBAL ? &k->global : b->memory;
    a.orders = k->launch->orders && race_is_strong(a.kind);
    a.warp->dirty = true;
    if (a.orders && !a.writes) order(&a);
    a.slot = slot_of(&a);
    if (!access_lines(&a) && !access_uniform(&a) && !access_by_words(&a))
        for (uint32_t m = lanes_of(e); m; m &= m - 1) access_lane(&a, (uint32_t)__builtin_ctz(m));
    if (e->async) note_async(&a);
    if (a.orders && a.writes) order(&a);
}

/* ---------------------------------------------------------------- two workers */
/* An access of `from` as seen by whoever made the one in `into`. */
static void merge_pair(race_worker *k, uint64_t address, race_slot one, uint32_t owner, race_slot two, uint32_t owner2,
                       race_pair pair)
{
    bool none = !one || !two || owner == owner2;
    if (none || race_kind_of(one) == RACE_READER || race_kind_of(two) == RACE_READER) return;
    race_block block = {.linear = owner2 - 1, .owner = owner2};
    race_warp warp = {0};
    event_memory e = {.launch = k->launch->launch,
                      .insn = RACE_FIELD(two, SITE) - 1,
                      .warp = RACE_FIELD(two, WARP),
                      .bytes = (uint8_t)(1u << RACE_FIELD(two, WIDTH)),
                      .block = owner2 - 1};
    access a = {.worker = k,
                .block = &block,
                .warp = &warp,
                .event = &e,
                .slot = two,
                .owner = owner2,
                .warp_index = e.warp,
                .width = RACE_FIELD(two, WIDTH),
                .kind = race_kind_of(two),
                .space = EVENT_GLOBAL,
                .address = address};
    check_blocks(&a, RACE_FIELD(two, LANE), two, one, owner, pair);
}

static void merge_cells(race_worker *k, uint64_t address, const shadow_cell *x, const shadow_cell *y)
{
    merge_pair(k, address, x->w, x->w_owner, y->w, y->w_owner, RACE_WRITE_WRITE);
    merge_pair(k, address, x->w, x->w_owner, y->r, y->r_owner, RACE_WRITE_READ);
    merge_pair(k, address, x->r, x->r_owner, y->w, y->w_owner, RACE_READ_WRITE);
}

/* The lower block's accesses stay, for the next worker. */
static void keep_lower(shadow_cell *x, const shadow_cell *y)
{
    bool reader = !x->w || race_kind_of(x->w) == RACE_READER;
    bool other = y->w && race_kind_of(y->w) != RACE_READER;
    if (other && (reader || y->w_owner < x->w_owner)) {
        x->w = y->w;
        x->w_owner = y->w_owner;
    }
    if (y->r && (!x->r || y->r_owner < x->r_owner)) {
        x->r = y->r;
        x->r_owner = y->r_owner;
    }
}

static void merge_line(race_worker *k, uint64_t address, shadow_line *into, shadow_line *from)
{
    bool read_only = !(into->split | from->split) && (!into->w || race_kind_of(into->w) == RACE_READER) &&
                     (!from->w || race_kind_of(from->w) == RACE_READER);
    bool empty = !(from->split | from->w | from->r);
    if (empty) return;
    if (read_only && into->r) return; /* nobody wrote */
    if ((into->split | from->split) & SHADOW_BYTES) {
        shadow_split(&k->global, into, 0, true);
        shadow_split(&k->global, from, 0, true);
    }
    uint32_t units = shadow_units(into);
    for (uint32_t u = 0; u < units; u++) {
        shadow_cell was = shadow_get(into, u), other = shadow_get(from, u);
        shadow_cell now = was;
        merge_cells(k, address + u * (SHADOW_LINE / units), &was, &other);
        keep_lower(&now, &other);
        shadow_put(&k->global, into, u, &was, &now);
    }
}

void race_merge(race_worker *into, race_worker *from)
{
    into->found.unordered = true;
    race_found_merge(&into->found, &from->found);
    for (size_t k = 0; k < from->global.capacity; k++) {
        shadow_page *page = from->global.slots[k];
        if (!page) continue;
        for (uint32_t n = 0; n < SHADOW_PAGE_LINES; n++) {
            uint64_t address = (page->number << SHADOW_PAGE_LOG2) + (uint64_t)n * SHADOW_LINE;
            merge_line(into, address, shadow_line_at(&into->global, address), &page->lines[n]);
        }
    }
}
