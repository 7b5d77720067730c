/* race_access.c: accesses. A whole line that one warp takes in order costs one comparison; all else goes by units. */
#include "check/race_access.h"

#include "check/race_cell.h"
#include "check/race_words.h"

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

static race_slot slot_of(const race_access *a)
{
    const event_memory *e = a->event;
    uint64_t site = LW_MIN((uint64_t)e->insn + 1, RACE_SITE_MASK);
    return race_put(site, RACE_SITE_AT) | race_put(e->warp, RACE_WARP_AT) | race_put(a->kind, RACE_KIND_AT) |
           race_put(a->width & 7, RACE_WIDTH_AT) | race_put(a->warp->s, RACE_S_AT) | race_put(a->b, RACE_B_AT);
}

/* RACE_VALUE of a whole warp. */
static race_slot value_of_all(const race_access *a)
{
    const event_memory *e = a->event;
    if (!a->stores) return 0;
    bool differ = memcmp(e->stored, e->stored + e->stored_step, 31 * (size_t)e->stored_step);
    return differ ? race_put(RACE_VALUE_ASIDE, RACE_VALUE_AT) : race_cell_value(a, 0);
}

/* ---------------------------------------------------------------- words that nobody else is near */
/* Of this block, and from before the last barrier. */
static inline bool is_old(const race_access *a, race_slot prior)
{
    return RACE_FIELD(prior, B) != a->b && race_kind_of(prior) != RACE_ASYNC;
}

static inline bool is_free(const race_access *a, race_slot prior, race_slot mine, bool whole)
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

static inline bool write_word(race_access *a, shadow_line *l, uint32_t word, race_slot mine)
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
    if (!whole_w && race_cell_plain_stays(a, w, mine)) return true;
    if (whole_w) shadow_split(a->memory, l, SHADOW_SPLIT_W, false);
    l->ws[word] = mine;
    l->w_owner = a->owner;
    return true;
}

static inline bool read_word(race_access *a, shadow_line *l, uint32_t word, race_slot mine)
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
static inline bool access_words(race_access *a, uint32_t lane, uint64_t address, uint32_t bytes)
{
    shadow_line *l =
        a->space == EVENT_GLOBAL ? shadow_line_at(&a->worker->global, address) : race_shared_line(a->block, address);
    if (l->split & SHADOW_BYTES || !race_cell_is_own(a, l)) return false;
    race_cell_renew(a, l);
    race_slot mine = a->slot | race_put(lane, RACE_LANE_AT) | (a->writes ? race_cell_value(a, lane) : 0);
    uint32_t word = (uint32_t)(address % SHADOW_LINE) / 4;
    for (uint32_t k = 0; k < bytes / 4; k++) {
        bool done = a->writes ? write_word(a, l, word + k, mine) : read_word(a, l, word + k, mine);
        if (done) continue;
        a->address = address;
        a->stored = race_cell_stored(a, lane);
        race_cells_access(a, l, lane, mine, word + k, bytes / 4 - k);
        break;
    }
    return true;
}

/* ---------------------------------------------------------------- whole lines */
/* Does nothing speak against a whole line's slot: is it empty, or by the same lanes, or from before a barrier? */
static inline bool passes(const race_access *a, race_slot prior, uint32_t owner, race_slot mine)
{
    if (!prior) return true;
    if (owner != a->owner || race_kind_of(prior) == RACE_ASYNC) return false;
    if (RACE_FIELD(prior, B) != a->b) return true;
    return !((prior ^ mine) & (RACE_SAME_THREAD | race_put(RACE_WIDTH_MASK, RACE_WIDTH_AT)));
}

static inline bool read_line(race_access *a, shadow_line *l, race_slot mine)
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
    race_cell_read_by_blocks(&c, mine, a->owner);
    l->w = c.w;
    l->r = c.r;
    l->w_owner = c.w_owner;
    l->r_owner = c.r_owner;
    return true;
}

static inline bool write_line(race_access *a, shadow_line *l, race_slot mine)
{
    if (!passes(a, l->w, l->w_owner, mine) || !passes(a, l->r, l->r_owner, mine)) return false;
    l->w = mine;
    l->w_owner = a->owner;
    return true;
}

/* What the lanes from `first` on stored to a whole line. */
static void note_line(race_access *a, uint64_t address, uint32_t first)
{
    const event_memory *e = a->event;
    uint32_t lanes = SHADOW_LINE / e->bytes;
    const uint8_t *from = race_cell_stored(a, first);
    if (e->stored_step == e->bytes) {
        race_cell_note(a, address, from, SHADOW_LINE);
        return;
    }
    for (uint32_t k = 0; k < lanes; k++, from += e->stored_step)
        race_cell_note(a, address + (uint64_t)k * e->bytes, from, e->bytes);
}

/* 32 lanes of 4, 8 or 16 bytes in order from the beginning of a line on. */
static bool access_lines(race_access *a)
{
    const event_memory *e = a->event;
    uint64_t address = e->address[0];
    if (e->shape != EVENT_CONSECUTIVE || a->kind != RACE_WEAK || e->bytes < 4 || e->bytes > 16) return false;
    if (address % SHADOW_LINE || e->flags & EVENT_BULK) return false;
    uint32_t lanes = SHADOW_LINE / e->bytes;
    race_slot value = a->writes ? value_of_all(a) : 0;
    for (uint32_t first = 0; first < 32; first += lanes, address += SHADOW_LINE) {
        shadow_line *l = race_line(a->worker, a->block, (event_space)e->space, address);
        if (!l) continue;
        race_cell_renew(a, l);
        race_slot mine = a->slot | race_put(first, RACE_LANE_AT) | value;
        bool whole = !(l->split & (SHADOW_SPLIT_W | SHADOW_SPLIT_R | SHADOW_OWNERS));
        if (whole && (a->writes ? write_line(a, l, mine) : read_line(a, l, mine))) {
            if (value) note_line(a, address, first);
            continue;
        }
        for (uint32_t k = 0; k < lanes; k++) race_cells_bytes(a, first + k, address + (uint64_t)k * e->bytes, e->bytes);
    }
    return true;
}

/* All lanes read one place. */
static bool access_uniform(race_access *a)
{
    const event_memory *e = a->event;
    if (e->shape != EVENT_UNIFORM || a->writes || e->flags & EVENT_BULK || a->orders) return false;
    uint32_t lane = (uint32_t)__builtin_ctz(e->mask);
    bool several = e->mask & (e->mask - 1);
    bool simple = !a->warp->partial && !a->warp->knows;
    if (several && !simple) return false;
    race_cells_bytes(a, lane, e->address[lane], e->bytes);
    if (!several) return true;
    race_cells_bytes(a, 31 - (uint32_t)__builtin_clz(e->mask), e->address[lane], e->bytes);
    return true;
}

/* ---------------------------------------------------------------- asynchronous copies */
static void note_async(race_access *a)
{
    const event_memory *e = a->event;
    race_async n = {.block = a->block->linear,
                    .number = e->async,
                    .warp = e->warp,
                    .mask = e->mask,
                    .insn = e->insn,
                    .is_write = a->writes,
                    .is_bulk = e->op == EVENT_COPY_READ && e->flags & EVENT_BULK,
                    .space = e->space,
                    .bytes = e->flags & EVENT_BULK ? e->bytes_total : e->bytes};
    if (e->op == EVENT_COPY_READ && !(e->flags & EVENT_BULK)) n.mask &= e->sources;
    for (uint32_t m = n.mask; m; m &= m - 1) n.address[__builtin_ctz(m)] = e->address[__builtin_ctz(m)];
    if (n.mask) lw_vec_push(&a->worker->asyncs, n);
}

/* ---------------------------------------------------------------- blocks of a cluster */
/* Another block's shared memory: has that block begun? */
static void check_start(race_access *a, uint32_t lane)
{
    uint64_t address = a->event->address[lane];
    const race_block *home = race_worker_rank(a->worker, a->block->cluster, (uint32_t)(address >> 24));
    if (!home || home == a->block || race_know_names(a->warp->know[lane], home->linear)) return;
    race_conflict c = {.pair = a->writes ? RACE_WRITE_WRITE : RACE_WRITE_READ,
                       .why = RACE_START,
                       .space = EVENT_DSHARED,
                       .address = address,
                       .before = {.site = RACE_SITE_MASK, .block = home->linear},
                       .after = {.site = RACE_FIELD(a->slot, SITE),
                                 .block = a->block->linear,
                                 .warp = a->warp_index,
                                 .lane = lane,
                                 .bytes = a->event->bytes},
                       .count = 1};
    race_found_add(&a->worker->found, &c);
}

/* ---------------------------------------------------------------- accesses */
static void access_lane(race_access *a, uint32_t lane)
{
    const event_memory *e = a->event;
    uint32_t bytes = e->flags & EVENT_BULK ? e->bytes_total : e->bytes;
    if (e->op == EVENT_COPY_READ && !(e->flags & EVENT_BULK) && !(e->sources >> lane & 1)) return;
    if (a->space == EVENT_DSHARED) check_start(a, lane);
    race_cells_bytes(a, lane, e->address[lane], bytes);
}

/* What all lanes stored is remembered at once: lanes of one instruction that meet are compared with each other. */
static void note_words(race_access *a)
{
    const event_memory *e = a->event;
    const uint32_t bytes = e->bytes, step = e->stored_step;
    uint32_t aligned = e->mask; /* others went by bytes */
    for (uint32_t m = e->mask; m; m &= m - 1)
        if (e->address[__builtin_ctz(m)] & (bytes - 1)) aligned &= ~(m & -m);
    if (a->space == EVENT_SHARED) {
        for (uint32_t m = aligned; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            race_values_put(a->block->values + e->address[lane], e->stored + (size_t)lane * step, bytes);
        }
        return;
    }
    race_values *v = race_worker_values(a->worker);
    for (uint32_t m = aligned; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        race_values_note_words(v, e->address[lane], e->stored + (size_t)lane * step, bytes);
    }
}

/* Lanes that access whole words, which need not be looked at by bytes. */
static bool access_by_words(race_access *a)
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
        if (!aligned || !access_words(a, lane, address, bytes)) race_cells_bytes(a, lane, address, bytes);
    }
    if (a->stores) note_words(a);
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
    race_access a = {.worker = k, .block = b, .warp = &b->warp[e->warp], .event = &m, .owner = b->owner};
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
        race_cells_bytes(&a, (uint32_t)__builtin_ctz(left), address, m.bytes);
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
    race_access a = {.worker = k, .block = b, .warp = &b->warp[e->warp], .event = e, .owner = b->owner};
    a.b = race_b_of(b);
    a.warp_index = e->warp;
    a.kind = kind_of(e);
    a.width = log2_of(e->bytes);
    a.writes = op_writes((event_op)e->op);
    a.atomic = race_is_atomic(a.kind);
    a.stores = e->stored && e->op == EVENT_STORE && e->bytes <= e->stored_step;
    a.space = (event_space)e->space;
    a.memory = e->space == EVENT_GLOBAL ? &k->global : b->memory;
    a.orders = k->launch->orders && race_is_strong(a.kind);
    a.warp->dirty = true;
    if (a.orders && !a.writes) race_words_order(&a);
    a.slot = slot_of(&a);
    if (e->async && e->op == EVENT_COPY_READ && e->flags & EVENT_BULK && e->space == EVENT_SHARED)
        for (uint32_t m = e->mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            race_cell_check_proxy(&a, lane, e->address[lane], e->bytes_total);
        }
    if (!access_lines(&a) && !access_uniform(&a) && !access_by_words(&a))
        for (uint32_t m = lanes_of(e); m; m &= m - 1) access_lane(&a, (uint32_t)__builtin_ctz(m));
    if (e->async) note_async(&a);
    if (a.orders && a.writes) race_words_order(&a);
}
