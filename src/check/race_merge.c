/* race_merge.c: what two host threads saw of one launch, compared: nothing orders their blocks. */
#include "check/race_access.h"
#include "check/race_cell.h"

/* A unit of memory. */
typedef struct merged_unit {
    uint64_t address;
    uint32_t bytes;
    const uint8_t *stored; /* what `from` stored there last; NULL: not known */
} merged_unit;

/* An access of `from` as seen by whoever made the one in `into`. */
static void merge_pair(race_worker *k, const merged_unit *u, race_slot one, uint32_t owner, race_slot two,
                       uint32_t owner2, race_pair pair)
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
    race_access a = {.worker = k,
                     .block = &block,
                     .warp = &warp,
                     .event = &e,
                     .slot = two,
                     .owner = owner2,
                     .warp_index = e.warp,
                     .width = RACE_FIELD(two, WIDTH),
                     .kind = race_kind_of(two),
                     .space = EVENT_GLOBAL,
                     .address = u->address,
                     .unit_address = u->address,
                     .unit_bytes = u->bytes,
                     .stored = u->stored};
    race_cell_check_blocks(&a, RACE_FIELD(two, LANE), two, one, owner, pair);
}

static void merge_cells(race_worker *k, const merged_unit *u, const shadow_cell *x, const shadow_cell *y)
{
    merge_pair(k, u, x->w, x->w_owner, y->w, y->w_owner, RACE_WRITE_WRITE);
    merge_pair(k, u, x->w, x->w_owner, y->r, y->r_owner, RACE_WRITE_READ);
    merge_pair(k, u, x->r, x->r_owner, y->w, y->w_owner, RACE_READ_WRITE);
}

/* The write of `from` takes the place of that of `into`. */
static void take_stored(race_worker *into, const merged_unit *u)
{
    if (u->stored) race_values_note(race_worker_values(into), u->address, u->stored, u->bytes);
    else if (into->values) race_values_forget(into->values, u->address, u->bytes);
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

static void merge_line(race_worker *k, const race_values *values, uint64_t address, shadow_line *into,
                       shadow_line *from)
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
        merged_unit unit = {address + u * (SHADOW_LINE / units), SHADOW_LINE / units, NULL};
        if (RACE_FIELD(other.w, VALUE)) unit.stored = race_values_at(values, unit.address, unit.bytes);
        merge_cells(k, &unit, &was, &other);
        keep_lower(&now, &other);
        if (now.w != was.w || now.w_owner != was.w_owner) take_stored(k, &unit);
        shadow_put(&k->global, into, u, &was, &now);
    }
}

void race_merge(race_worker *into, race_worker *from)
{
    into->found.unordered = true;
    race_found_merge(&into->found, &from->found);
    into->global.forgotten += from->global.forgotten;
    for (size_t k = 0; k < from->global.capacity; k++) {
        shadow_page *page = from->global.slots[k];
        if (!page) continue;
        for (uint32_t n = 0; n < SHADOW_PAGE_LINES; n++) {
            uint64_t address = (page->number << SHADOW_PAGE_LOG2) + (uint64_t)n * SHADOW_LINE;
            merge_line(into, from->values, address, shadow_line_at(&into->global, address), &page->lines[n]);
        }
    }
}
