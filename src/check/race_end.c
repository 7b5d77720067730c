/* race_end.c: what is looked at again when something ends: an asynchronous copy, a block of a cluster. */
#include "check/race_access.h"

/* ---------------------------------------------------------------- copies */
#define STAMP                                                                                                          \
    (race_put(RACE_KIND_MASK, RACE_KIND_AT) | race_put(RACE_CROWD_MASK, RACE_CROWD_AT) |                               \
     race_put(RACE_S_MASK, RACE_S_AT) | race_put(RACE_B_MASK, RACE_B_AT))

/* The units of a copy that no other access took since get another kind and clock. */
static void stamp(race_worker *k, race_block *b, const race_async *n, uint32_t lane, race_slot as)
{
    uint64_t end = n->address[lane] + n->bytes;
    for (uint64_t at = n->address[lane]; at < end;) {
        shadow_line *l = race_line(k, b, (event_space)n->space, at);
        if (!l) return;
        uint32_t shift = l->split & SHADOW_BYTES ? 0 : 2;
        uint32_t unit = (uint32_t)(at % SHADOW_LINE) >> shift;
        shadow_cell was = shadow_get(l, unit), now = was;
        race_slot *slot = n->is_write ? &now.w : &now.r;
        bool under_way = race_kind_of(*slot) == RACE_ASYNC && !race_is_landed(*slot);
        if (*slot && under_way && RACE_FIELD(*slot, WARP) == n->warp) {
            *slot = (*slot & ~STAMP) | as;
            shadow_put(n->space == EVENT_GLOBAL ? &k->global : b->memory, l, unit, &was, &now);
            if (n->space == EVENT_SHARED) l->last_b = (uint16_t)race_b_of(b);
            if (race_is_landed(as)) l->split |= SHADOW_LANDED;
        }
        at += UINT64_C(1) << shift;
    }
}

/* They count as accessed by the lane now. */
static void complete(race_worker *k, race_block *b, const race_async *n, uint32_t lane)
{
    race_warp *w = &b->warp[n->warp];
    stamp(k, b, n, lane,
          race_put(RACE_WEAK, RACE_KIND_AT) | race_put(w->s, RACE_S_AT) | race_put(race_b_of(b), RACE_B_AT));
    w->dirty = true;
}

static bool is_of(const race_async *a, const race_block *b, const event_sync *e)
{
    return a->block == b->linear && a->number == e->number && a->warp == e->warp;
}

bool race_lands(const race_worker *k, const race_block *b, const event_sync *e)
{
    if (e->mechanism != EVENT_BY_MBARRIER || e->bulk) return e->mechanism == EVENT_BY_MBARRIER;
    for (size_t n = 0; n < k->asyncs.count; n++)
        if (is_of(&k->asyncs.items[n], b, e) && k->asyncs.items[n].insn == e->insn) return true;
    return false;
}

/* landed: what their writes are from now on; 0: as if the lane had made them now. */
static void end_copies(race_worker *k, race_block *b, const event_sync *e, race_slot landed)
{
    size_t kept = 0;
    for (size_t n = 0; n < k->asyncs.count; n++) {
        race_async *a = &k->asyncs.items[n];
        bool side = !e->reads_only || !a->is_write;
        uint32_t done = is_of(a, b, e) && side ? a->mask & e->mask : 0;
        for (uint32_t m = done; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            if (landed && a->is_write) stamp(k, b, a, lane, landed);
            else complete(k, b, a, lane);
        }
        a->mask &= ~done;
        if (!a->mask) continue;
        if (kept != n) k->asyncs.items[kept] = *a;
        kept++;
    }
    k->asyncs.count = kept;
}

void race_on_complete(race_worker *k, race_block *b, const event_sync *e) { end_copies(k, b, e, 0); }

void race_on_land(race_worker *k, race_block *b, const event_sync *e, race_block *home, race_flag *f)
{
    uint32_t lane = (uint32_t)(e->address / 8 % 32);
    if (home->landed[lane] == RACE_B_MASK) { /* out of numbers: as if the issuing thread had made it */
        end_copies(k, b, e, 0);
        return;
    }
    uint32_t number = ++home->landed[lane];
    end_copies(k, b, e, race_landed(number, lane));
    race_know_join_copy(&f->a, home->linear, number, lane);
}

/* ---------------------------------------------------------------- blocks of a cluster */
static void exit_slot(race_worker *k, const race_block *b, const race_know *know, uint64_t address, race_slot slot,
                      uint32_t owner, race_pair pair)
{
    if (!slot || owner == b->owner || race_kind_of(slot) == RACE_READER) return;
    uint32_t lane = RACE_FIELD(slot, LANE);
    bool known = race_is_landed(slot) ? race_know_has_copy(know, b->linear, slot)
                                      : race_know_has(know, owner - 1, RACE_FIELD(slot, B), RACE_FIELD(slot, S),
                                                      RACE_FIELD(slot, WARP), lane);
    if (known) return;
    race_conflict c = {.pair = pair,
                       .why = RACE_EXIT,
                       .space = EVENT_DSHARED,
                       .address = ((uint64_t)b->rank << 24) + address,
                       .before = {.site = RACE_SITE_MASK, .block = b->linear},
                       .after = {.site = RACE_FIELD(slot, SITE),
                                 .block = owner - 1,
                                 .warp = RACE_FIELD(slot, WARP),
                                 .lane = lane,
                                 .bytes = 1u << RACE_FIELD(slot, WIDTH)},
                       .count = 1};
    race_found_add(&k->found, &c);
}

/* Bulk copies that still read the block's shared memory. */
static void exit_copies(race_worker *k, const race_block *b)
{
    for (size_t n = 0; n < k->asyncs.count; n++) {
        const race_async *a = &k->asyncs.items[n];
        if (a->block != b->linear || !a->is_bulk || a->is_write || a->space != EVENT_SHARED) continue;
        uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
        race_conflict c = {
            .pair = RACE_WRITE_READ,
            .why = RACE_EXIT_COPY,
            .space = EVENT_SHARED,
            .address = a->address[lane],
            .before = {.site = RACE_SITE_MASK, .block = b->linear},
            .after = {.site = a->insn + 1, .block = b->linear, .warp = a->warp, .lane = lane, .bytes = a->bytes},
            .count = 1};
        race_found_add(&k->found, &c);
    }
}

void race_on_exit(race_worker *k, race_block *b)
{
    exit_copies(k, b);
    const uint32_t *cluster = k->launch->launch->cluster;
    if (cluster[0] * cluster[1] * cluster[2] <= 1) return;
    race_know *know = race_block_knows(b);
    for (uint32_t n = 0; n < b->shared_lines; n++) {
        const shadow_line *l = &b->shared[n];
        uint32_t units = shadow_units(l);
        bool foreign = l->split & SHADOW_OWNERS || (l->w_owner && l->w_owner != b->owner) ||
                       (l->r_owner && l->r_owner != b->owner);
        for (uint32_t u = 0; foreign && u < units; u++) {
            shadow_cell c = shadow_get(l, u);
            uint64_t address = (uint64_t)n * SHADOW_LINE + u * (SHADOW_LINE / units);
            exit_slot(k, b, know, address, c.w, c.w_owner, RACE_WRITE_WRITE);
            exit_slot(k, b, know, address, c.r, c.r_owner, RACE_WRITE_READ);
        }
    }
    race_know_drop(know);
}
