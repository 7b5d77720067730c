/* race_cell.c: is an earlier access ordered before this one, and what stays remembered. */
#include "check/race_cell.h"

#include "check/race_steps.h"

/* ---------------------------------------------------------------- conflicts */
/* The thread that is remembered of several that read is the one that writes: another one is named. */
static void name_another(race_side *side, race_slot prior)
{
    uint32_t other = RACE_FIELD(prior, VALUE) - 1;
    if (race_crowd_of(prior) == RACE_LANES) side->lane = other;
    if (race_crowd_of(prior) != RACE_WARPS) return;
    side->warp = other;
    side->lane = 0;
    side->some_lane = true;
}

static void report(race_access *a, uint32_t lane, race_slot prior, uint32_t prior_owner, race_pair pair, race_why why)
{
    const event_memory *e = a->event;
    race_conflict c = {.pair = pair, .why = why, .space = (uint8_t)a->space, .address = a->address, .count = 1};
    if (a->space == EVENT_GLOBAL && race_heap_again(&a->worker->launch->heap, a->address)) return;
    uint32_t bytes = e->flags & EVENT_BULK ? e->bytes_total : e->bytes;
    c.before = (race_side){.site = RACE_FIELD(prior, SITE), .block = prior_owner - 1, .warp = RACE_FIELD(prior, WARP)};
    c.before.lane = RACE_FIELD(prior, LANE);
    if (pair == RACE_READ_WRITE && c.before.lane == lane && c.before.warp == e->warp) name_another(&c.before, prior);
    c.before.bytes = 1u << RACE_FIELD(prior, WIDTH);
    c.after = (race_side){.site = RACE_FIELD(a->slot, SITE), .block = a->block->linear, .warp = e->warp};
    c.after.lane = lane;
    c.after.bytes = bytes;
    race_conflict *kept = race_found_add(&a->worker->found, &c);
    if (kept) race_steps_note(kept, a->block, prior, a->slot);
}

void race_cell_check_proxy(race_access *a, uint32_t lane, uint64_t address, uint32_t bytes)
{
    for (uint64_t at = address, end = address + bytes; at < end;) {
        uint32_t line = (uint32_t)(at / SHADOW_LINE);
        uint64_t next = LW_MIN((at / SHADOW_LINE + 1) * SHADOW_LINE, end);
        const shadow_line *l = line < a->block->shared_lines ? &a->block->shared[line] : NULL;
        uint32_t each = l ? SHADOW_LINE / shadow_units(l) : SHADOW_LINE;
        for (; l && at < next; at += each) {
            shadow_cell c = shadow_get(l, (uint32_t)(at % SHADOW_LINE) / each);
            race_kind k = race_kind_of(c.w);
            bool generic = c.w && k != RACE_ASYNC && k != RACE_READER && c.w_owner == a->owner;
            if (!generic || race_is_fenced(a->block, c.w)) continue;
            a->address = at;
            report(a, lane, c.w, c.w_owner, RACE_WRITE_READ, RACE_NO_PROXY);
            return; /* once for each copy */
        }
        at = next;
    }
}

/* Strong accesses by threads of so close blocks do not race. 0: they do not; else why they do. */
static bool strong_apart(const race_access *a, race_kind prior, uint32_t needed_scope, race_slot slot, race_why *why)
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

static bool plain_before_cas(const race_access *a, race_slot prior, race_pair pair)
{
    race_kind k = race_kind_of(prior);
    if (pair == RACE_WRITE_READ) return race_is_cas(k) && a->kind == RACE_WEAK;
    return pair == RACE_READ_WRITE && race_is_cas(a->kind) && k == RACE_WEAK;
}

void race_cell_note_shared(race_access *a, uint64_t address, const uint8_t *from, uint32_t bytes)
{
    race_block *b = a->block;
    if (a->space == EVENT_DSHARED) b = race_worker_rank(a->worker, b->cluster, (uint32_t)(address >> 24));
    if (b) memcpy(b->values + (address & 0xffffff), from, bytes);
}

/* What the earlier write left in the unit that is looked at. NULL: not known. */
static const uint8_t *stored_before(const race_access *a)
{
    if (a->space == EVENT_GLOBAL) return race_values_at(a->worker->values, a->unit_address, a->unit_bytes);
    const race_block *b = a->block;
    if (a->space == EVENT_DSHARED) b = race_worker_rank(a->worker, b->cluster, (uint32_t)(a->unit_address >> 24));
    return b ? b->values + (a->unit_address & 0xffffff) : NULL;
}

/* Why two writes race, if it is not only that they write one same value: then that. Both sides' bytes decide; where they
 * are not known any more, the digests of what lanes stored. */
static race_why unless_same(const race_access *a, race_slot mine, race_slot prior, race_pair pair, race_why why)
{
    uint32_t one = RACE_FIELD(prior, VALUE), two = RACE_FIELD(mine, VALUE);
    bool comparable = pair == RACE_WRITE_WRITE && one && two && RACE_FIELD(mine, WIDTH) == RACE_FIELD(prior, WIDTH);
    if (!comparable) return why;
    bool digests = one != RACE_VALUE_ASIDE && two != RACE_VALUE_ASIDE;
    if (digests && one != two) return why;
    const uint8_t *before = stored_before(a);
    if (before && a->stored)
        return memcmp(before, a->stored + (a->unit_address - a->address), a->unit_bytes) ? why : RACE_SAME_VALUE;
    return digests ? RACE_SAME_DIGEST : why;
}

/* Both lanes store one value with this instruction: CUDA defines that one of the stores is performed, whichever. */
static bool lanes_agree(const race_access *a, uint32_t lane, race_slot prior, race_pair pair)
{
    const event_memory *e = a->event;
    uint32_t other = RACE_FIELD(prior, LANE);
    if (pair != RACE_WRITE_WRITE || e->op != EVENT_STORE || !e->stored || !(e->mask >> other & 1)) return false;
    uint32_t bytes = LW_MIN((uint32_t)e->bytes, e->stored_step);
    bool same_place = e->address[lane] == e->address[other] && bytes == e->bytes;
    const uint8_t *stored = (const uint8_t *)e->stored;
    return same_place &&
           !memcmp(stored + (size_t)lane * e->stored_step, stored + (size_t)other * e->stored_step, bytes);
}

/* Two lanes of a warp, the earlier access with the same S or, partially synchronised, not known to the later lane. */
static void lanes_conflict(race_access *a, uint32_t lane, race_slot mine, race_slot prior, race_pair pair, race_why why)
{
    race_kind k = race_kind_of(prior);
    uint32_t cc = a->worker->launch->launch->cc;
    bool both_volatile = k == RACE_VOLATILE && a->kind == RACE_VOLATILE;
    race_why ignored;
    if (!both_volatile && strong_apart(a, k, 0, prior, &ignored)) return;
    bool one_insn = ((prior ^ mine) & (RACE_SITE_MASK | race_put(RACE_S_MASK, RACE_S_AT))) == 0;
    if (!one_insn && cc && cc < 70) return; /* the lanes of a warp go in step there */
    if (one_insn && lanes_agree(a, lane, prior, pair)) return;
    if (both_volatile && pair != RACE_WRITE_WRITE) why = RACE_VOLATILE_ONLY;
    if (k == RACE_VOLATILE || a->kind == RACE_VOLATILE) why = RACE_VOLATILE_ONLY;
    if (one_insn && pair == RACE_WRITE_WRITE) why = RACE_ONE_INSN;
    if (!one_insn) why = unless_same(a, mine, prior, pair, why);
    if (plain_before_cas(a, prior, pair)) why = RACE_BEFORE_CAS;
    report(a, lane, prior, a->owner, pair, why);
}

static bool knows(const race_access *a, uint32_t lane, race_slot prior, uint32_t owner, race_know *const *which)
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
static bool ordered_in_warp(const race_access *a, uint32_t lane, race_slot prior)
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
static bool check_in_block(race_access *a, uint32_t lane, race_slot mine, race_slot prior, race_pair pair)
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
    why = unless_same(a, mine, prior, pair, why);
    report(a, lane, prior, a->owner, pair, why);
    return false;
}

/* Scope that two blocks need: 1 within a cluster, else 2. */
static uint32_t scope_between(const race_access *a, uint32_t owner)
{
    const event_launch *l = a->worker->launch->launch;
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] <= 1) return 2;
    const race_block *other = a->worker->current;
    for (uint32_t n = 0; n < RACE_BUCKETS; n++)
        for (other = a->worker->bucket[n]; other; other = other->next)
            if (other->owner == owner) return other->cluster == a->block->cluster ? 1 : 2;
    return 2;
}

bool race_cell_check_blocks(race_access *a, uint32_t lane, race_slot mine, race_slot prior, uint32_t owner,
                            race_pair pair)
{
    if (a->warp->knows && knows(a, lane, prior, owner, a->warp->know)) return true;
    if (pair == RACE_PAIR_COUNT) return false;
    race_why why = RACE_NO_ORDER;
    if (strong_apart(a, race_kind_of(prior), scope_between(a, owner), prior, &why)) return false;
    if (a->warp->knows && knows(a, lane, prior, owner, a->warp->pending)) why = RACE_NO_FENCE;
    if (why == RACE_NO_ORDER && pair == RACE_READ_WRITE && a->worker->launch->polls) why = RACE_RELAXED;
    if (plain_before_cas(a, prior, pair)) why = RACE_BEFORE_CAS;
    why = unless_same(a, mine, prior, pair, why);
    if (a->event->flags & EVENT_NON_COHERENT && pair == RACE_WRITE_READ) why = RACE_NON_COHERENT;
    report(a, lane, prior, owner, pair, why);
    return false;
}

/* The block in whose shared memory the unit lies. */
static const race_block *home_of(const race_access *a, uint32_t lane)
{
    if (a->space != EVENT_DSHARED) return a->block;
    return race_worker_rank(a->worker, a->block->cluster, (uint32_t)(a->event->address[lane] >> 24));
}

/* Does the lane know of the end of a copy that has landed? Reductions of two copies do not race. */
static bool knows_copy(const race_access *a, uint32_t lane, race_slot prior)
{
    if (a->kind == RACE_ASYNC && a->event->op == EVENT_REDUCTION) return true;
    const race_block *home = a->warp->knows ? home_of(a, lane) : NULL;
    return home && race_know_has_copy(a->warp->know[lane], home->linear, prior);
}

/* Is the earlier access ordered before this one? If not, and pair says which they are, it is a conflict.
 * RACE_PAIR_COUNT: only asks. */
static bool check(race_access *a, uint32_t lane, race_slot mine, race_slot prior, uint32_t owner, race_pair pair)
{
    bool landed = race_is_landed(prior);
    if (landed && knows_copy(a, lane, prior)) return true;
    if (race_kind_of(prior) == RACE_ASYNC && (owner == a->owner || landed)) {
        bool own_copy = a->kind == RACE_ASYNC && RACE_FIELD(prior, SITE) == RACE_FIELD(mine, SITE) &&
                        RACE_FIELD(prior, LANE) == lane && RACE_FIELD(prior, WARP) == a->warp_index;
        if (own_copy) return true;
        if (pair != RACE_PAIR_COUNT) report(a, lane, prior, owner, pair, RACE_NO_WAIT);
        return false;
    }
    if (owner != a->owner) return race_cell_check_blocks(a, lane, mine, prior, owner, pair);
    if (RACE_FIELD(prior, B) != a->b) return true;
    return check_in_block(a, lane, mine, prior, pair);
}

/* ---------------------------------------------------------------- one cell */
void race_cell_read_by_blocks(shadow_cell *c, race_slot mine, uint32_t owner)
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

/* Several threads read: the last one is remembered, and in place of a value the number of another lane of its warp, or of
 * another warp, since the thread that writes next may be the one that is remembered. */
static race_slot reads_of_several(race_slot first, race_slot last)
{
    bool one_warp = RACE_FIELD(first, WARP) == RACE_FIELD(last, WARP);
    uint32_t other = one_warp ? RACE_FIELD(first, LANE) + 1 : RACE_FIELD(first, WARP) + 1;
    if (one_warp && RACE_FIELD(first, LANE) == RACE_FIELD(last, LANE)) other = RACE_FIELD(first, VALUE);
    last &= ~(race_put(RACE_CROWD_MASK, RACE_CROWD_AT) | race_put(RACE_VALUE_MASK, RACE_VALUE_AT));
    return race_with_crowd(last, one_warp ? RACE_LANES : RACE_WARPS) | race_put(other, RACE_VALUE_AT);
}

static void note_read(race_access *a, uint32_t lane, race_slot mine, shadow_cell *c)
{
    bool fresh = !c->r || c->r == mine;
    if (!fresh && c->r_owner != a->owner) {
        if (check(a, lane, mine, c->r, c->r_owner, RACE_PAIR_COUNT)) fresh = true;
        else race_cell_read_by_blocks(c, mine, a->owner);
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
    c->r = reads_of_several(c->r, mine);
}

/* Atomics and strong writes that race with none of each other: of several blocks' the lowest one's stays. */
static void note_write(race_access *a, uint32_t lane, race_slot mine, shadow_cell *c)
{
    bool reader = !c->w || race_kind_of(c->w) == RACE_READER;
    if (c->w_owner == a->owner && race_cell_plain_stays(a, c->w, mine)) return;
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

static void access_cell(race_access *a, uint32_t lane, race_slot mine, shadow_cell *c)
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
void race_cells_access(race_access *a, shadow_line *l, uint32_t lane, race_slot mine, uint32_t first, uint32_t count)
{
    a->unit_bytes = SHADOW_LINE / shadow_units(l);
    for (uint32_t k = first; k < first + count; k++) {
        a->unit_address = a->address / SHADOW_LINE * SHADOW_LINE + (uint64_t)k * a->unit_bytes;
        shadow_cell was = shadow_get(l, k);
        shadow_cell now = was;
        access_cell(a, lane, mine, &now);
        shadow_put(a->memory, l, k, &was, &now);
    }
}

void race_cells_bytes(race_access *a, uint32_t lane, uint64_t address, uint32_t bytes)
{
    race_slot mine = a->slot | race_put(lane, RACE_LANE_AT) | race_cell_value(a, lane);
    const uint8_t *stored = race_cell_stored(a, lane);
    while (bytes) {
        uint32_t at = (uint32_t)(address % SHADOW_LINE);
        uint32_t part = LW_MIN(bytes, SHADOW_LINE - at);
        shadow_line *l = race_line(a->worker, a->block, (event_space)a->event->space, address);
        if (!l) return;
        race_cell_renew(a, l);
        if ((at | part) & 3) shadow_split(a->memory, l, 0, true);
        uint32_t shift = l->split & SHADOW_BYTES ? 0 : 2;
        a->address = address;
        a->stored = stored;
        race_cells_access(a, l, lane, mine, at >> shift, part >> shift);
        if (stored) {
            race_cell_note(a, address, stored, part);
            stored += part;
        }
        address += part;
        bytes -= part;
    }
}
