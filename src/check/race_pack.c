/* race_pack.c: packed lines. */
#include "check/race_pack.h"

#include <string.h>

/* All of a slot but the lane, in two halves, and block + 1. */
struct shadow_state {
    uint32_t low, high; /* both 0: free */
    uint32_t owner;
};

/* Some of a line's states; their numbers go on in the next part. */
struct shadow_states {
    struct shadow_states *next;
    uint32_t count;
    shadow_state items[];
};

enum {
    ARRAY = SHADOW_ARRAY,    /* units of the writes, of the reads */
    WORDS = SHADOW_LINE / 4, /* units by words: the rest of their arrays holds states */
    SMALL_PART = 64,         /* bytes: what a line by bytes always has */
    NUMBER_AT = 5,           /* of a unit: number of the state + 1, above the lane */
    FEW = 4,                 /* states */
    STATES_MOST = 1 << (16 - NUMBER_AT)
};
_Static_assert(ARRAY - WORDS * sizeof(shadow_unit) == SHADOW_PART, "the rest of an array is a part");

static race_slot slot_of(const shadow_state *s) { return (race_slot)s->high << 32 | s->low; }

static void part_make(shadow_states *s, uint32_t bytes)
{
    memset(s, 0, bytes);
    s->count = (bytes - (uint32_t)offsetof(shadow_states, items)) / (uint32_t)sizeof *s->items;
}

void shadow_pack_begin(shadow_memory *m, shadow_line *l, bool by_bytes)
{
    bool was_packed = l->split & SHADOW_PACKED;
    shadow_states *more = was_packed ? l->states->next->next : NULL; /* behind those in the arrays */
    if (!l->w_units) l->w_units = shadow_units_alloc(m, ARRAY);
    if (!l->r_units) l->r_units = shadow_units_alloc(m, ARRAY);
    memset(l->w_units, 0, ARRAY);
    memset(l->r_units, 0, ARRAY);
    l->split |= SHADOW_PACKED | SHADOW_SPLIT_W | SHADOW_SPLIT_R | SHADOW_OWNERS;
    l->split &= (uint8_t)~SHADOW_ASIDE;
    l->next_forgotten = 0;
    l->recent = NULL;
    if (!by_bytes) {
        shadow_states *one = (shadow_states *)(void *)(l->w_units + WORDS),
                      *two = (shadow_states *)(void *)(l->r_units + WORDS);
        part_make(one, SHADOW_PART);
        part_make(two, SHADOW_PART);
        one->next = two;
        l->states = one;
        return;
    }
    l->split |= SHADOW_BYTES;
    if (!more) {
        more = shadow_units_alloc(m, SMALL_PART);
        part_make(more, SMALL_PART);
    }
    l->states = more;
    for (; more; more = more->next) memset(more->items, 0, more->count * sizeof *more->items);
}

static shadow_state *state_at(const shadow_line *l, uint32_t number)
{
    shadow_states *s = l->states;
    for (; number >= s->count; s = s->next) number -= s->count;
    return &s->items[number];
}

/* ---------------------------------------------------------------- reading */
/* Of several lanes that read (race_cell.c) the value is the number of another one + 1. Lanes follow each other, and so do the
 * others: what states hold is how far they are from each other. by: the lane or its negative. */
static race_slot with_other_moved(race_slot slot, bool writes, uint32_t by)
{
    uint32_t other = RACE_FIELD(slot, VALUE);
    bool reads = !writes || race_kind_of(slot) == RACE_READER;
    if (!reads || race_crowd_of(slot) != RACE_LANES || !other || other > 32) return slot;
    slot &= ~race_put(RACE_VALUE_MASK, RACE_VALUE_AT);
    return slot | race_put(((other - 1 + by) & 31) + 1, RACE_VALUE_AT);
}

static race_slot look_up(const shadow_line *l, shadow_unit unit, bool writes, uint32_t *out_owner)
{
    *out_owner = 0;
    if (!unit) return 0;
    const shadow_state *s = state_at(l, (uint32_t)(unit >> NUMBER_AT) - 1);
    *out_owner = s->owner;
    uint32_t lane = unit & RACE_LANE_MASK;
    return race_with_lane(with_other_moved(slot_of(s), writes, lane), lane);
}

shadow_cell shadow_pack_get(const shadow_line *l, uint32_t unit)
{
    shadow_cell c;
    c.w = look_up(l, l->w_units[unit], true, &c.w_owner);
    c.r = look_up(l, l->r_units[unit], false, &c.r_owner);
    return c;
}

/* ---------------------------------------------------------------- room for one more state */
static void mark(const shadow_unit *units, uint32_t count, uint64_t *used)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t number = (uint32_t)(units[k] >> NUMBER_AT); /* + 1; bit 0 is that of units without */
        used[number / 64] |= UINT64_C(1) << number % 64;
    }
}

static bool is_marked(const uint64_t *used, uint32_t number)
{
    return used[(number + 1) / 64] >> (number + 1) % 64 & 1;
}

/* Frees the states that no unit has any more. Returns the number of a free one, or STATES_MOST. */
static uint32_t sweep(shadow_line *l)
{
    uint64_t used[STATES_MOST / 64] = {0};
    uint32_t free = STATES_MOST, number = 0;
    mark(l->w_units, shadow_units(l), used);
    mark(l->r_units, shadow_units(l), used);
    for (shadow_states *s = l->states; s; s = s->next)
        for (uint32_t k = 0; k < s->count; k++, number++) {
            if (is_marked(used, number)) continue;
            s->items[k] = (shadow_state){0};
            free = LW_MIN(free, number);
        }
    return free;
}

/* Returns the number of the first state of a new part, or STATES_MOST: there is no room. */
static uint32_t add_part(shadow_memory *m, shadow_line *l)
{
    if (m->more + SHADOW_PART > m->more_most) return STATES_MOST;
    uint32_t number = 0;
    shadow_states **end = &l->states;
    for (; *end; end = &(*end)->next) number += (*end)->count;
    *end = shadow_units_alloc(m, SHADOW_PART);
    m->more += SHADOW_PART;
    part_make(*end, SHADOW_PART);
    return number;
}

/* Forgets the next 16th of the states in turn. Returns the number of a free one. */
static uint32_t forget(shadow_memory *m, shadow_line *l)
{
    uint32_t count = 0, units = shadow_units(l);
    for (const shadow_states *s = l->states; s; s = s->next) count += s->count;
    uint32_t from = l->next_forgotten % count, to = LW_MIN(count, from + count / 16 + 1);
    l->next_forgotten = (uint16_t)to;
    for (uint32_t k = 0; k < 2 * units; k++) {
        shadow_unit *unit = k < units ? &l->w_units[k] : &l->r_units[k - units];
        uint32_t number = (uint32_t)(*unit >> NUMBER_AT);
        if (number > from && number <= to) *unit = 0;
    }
    m->forgotten++;
    return sweep(l);
}

/* ---------------------------------------------------------------- values */
/* The slot of a write, but that only the bytes (race_values.h) say what was stored. */
static race_slot with_value_aside(race_slot w)
{
    bool known = RACE_FIELD(w, VALUE) && race_kind_of(w) != RACE_READER;
    return known ? w | race_put(RACE_VALUE_ASIDE, RACE_VALUE_AT) : w;
}

static void state_set(shadow_state *s, race_slot slot, uint32_t owner)
{
    *s = (shadow_state){(uint32_t)slot, (uint32_t)(slot >> 32), owner};
}

static bool same_but_value(const shadow_state *x, const shadow_state *y)
{
    return x->owner == y->owner && with_value_aside(slot_of(x)) == with_value_aside(slot_of(y));
}

/* Would a quarter of all states be the same as another one, if values were put aside? All of them are in use. */
static bool values_cost_much(const shadow_line *l)
{
    enum { LOOKED_AT_MOST = 64 };
    uint64_t written[STATES_MOST / 64] = {0};
    const shadow_state *kept[LOOKED_AT_MOST];
    uint32_t count = 0, same = 0, number = 0;
    mark(l->w_units, shadow_units(l), written);
    for (const shadow_states *s = l->states; s; s = s->next)
        for (uint32_t k = 0; k < s->count && number < LOOKED_AT_MOST; k++, number++) {
            if (!is_marked(written, number)) continue;
            uint32_t n = 0;
            while (n < count && !same_but_value(kept[n], &s->items[k])) n++;
            same += n < count;
            if (n == count) kept[count++] = &s->items[k];
        }
    return same * 4 >= number;
}

static bool is_state(const shadow_state *s, race_slot slot, uint32_t owner)
{
    return s->low == (uint32_t)slot && s->high == (uint32_t)(slot >> 32) && s->owner == owner;
}

/* Lanes that stored different values then share a state. */
static void put_values_aside(shadow_line *l)
{
    uint32_t units = shadow_units(l);
    uint64_t read[STATES_MOST / 64] = {0};
    mark(l->r_units, units, read);
    l->split |= SHADOW_ASIDE;
    l->recent = NULL;
    for (uint32_t k = 0; k < units; k++) {
        uint32_t number = (uint32_t)(l->w_units[k] >> NUMBER_AT) - 1;
        if (!l->w_units[k] || is_marked(read, number)) continue;
        shadow_state *s = state_at(l, number);
        state_set(s, with_value_aside(slot_of(s)), s->owner);
    }
    for (uint32_t k = 0; k < units; k++) {
        if (!l->w_units[k]) continue;
        const shadow_state *s = state_at(l, (uint32_t)(l->w_units[k] >> NUMBER_AT) - 1);
        uint32_t first = 0;
        while (!is_state(state_at(l, first), slot_of(s), s->owner)) first++;
        l->w_units[k] = (shadow_unit)((first + 1) << NUMBER_AT | (l->w_units[k] & RACE_LANE_MASK));
    }
}

/* ---------------------------------------------------------------- writing */
/* The line's state with this slot, whose lane is 0, is the recent one. false: there is none. */
static bool find_state(shadow_line *l, race_slot slot, uint32_t owner)
{
    if (l->recent && is_state(l->recent, slot, owner)) return true;
    uint32_t number = 0;
    for (shadow_states *s = l->states; s; s = s->next)
        for (uint32_t k = 0; k < s->count; k++, number++) {
            if (!is_state(&s->items[k], slot, owner)) continue;
            l->recent = &s->items[k];
            l->recent_number = (uint16_t)number;
            return true;
        }
    return false;
}

/* Returns the number of a free state, or STATES_MOST. */
static uint32_t find_free(shadow_memory *m, shadow_line *l)
{
    uint32_t number = 0;
    for (shadow_states *s = l->states; s; s = s->next)
        for (uint32_t k = 0; k < s->count; k++, number++)
            if (!s->items[k].low && !s->items[k].high) return number;
    bool few = number <= FEW && m->more < m->more_most / 4; /* with few states each new one would be a sweep */
    uint32_t free = few ? add_part(m, l) : STATES_MOST;
    return free == STATES_MOST ? sweep(l) : free;
}

/* Lanes of one access follow each other, so that most look for the state that was looked for last. */
static shadow_unit unit_of(shadow_memory *m, shadow_line *l, race_slot slot, uint32_t owner, bool writes)
{
    if (!slot) return 0;
    uint32_t lane = RACE_FIELD(slot, LANE);
    race_slot any = race_with_lane(with_other_moved(slot, writes, 0u - lane), 0);
    if (writes && l->split & SHADOW_ASIDE) any = with_value_aside(any);
    if (!find_state(l, any, owner)) {
        uint32_t free = find_free(m, l);
        if (free == STATES_MOST && !(l->split & SHADOW_ASIDE) && values_cost_much(l)) {
            put_values_aside(l);
            return unit_of(m, l, slot, owner, writes);
        }
        if (free == STATES_MOST) free = add_part(m, l);
        if (free == STATES_MOST) free = forget(m, l);
        l->recent = state_at(l, free);
        l->recent_number = (uint16_t)free;
        state_set(l->recent, any, owner);
    }
    return (shadow_unit)((l->recent_number + 1u) << NUMBER_AT | lane);
}

void shadow_pack_put(shadow_memory *m, shadow_line *l, uint32_t unit, const shadow_cell *was, const shadow_cell *now)
{
    if (now->w != was->w || now->w_owner != was->w_owner) {
        l->w_units[unit] = 0; /* nobody else may have its state */
        l->w_units[unit] = unit_of(m, l, now->w, now->w_owner, true);
    }
    if (now->r != was->r || now->r_owner != was->r_owner) {
        l->r_units[unit] = 0;
        l->r_units[unit] = unit_of(m, l, now->r, now->r_owner, false);
    }
}
