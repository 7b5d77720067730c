/* race_shadow.c: lines and their units. */
#include "check/race_shadow.h"

#include <string.h>

#include "check/race_pack.h"

/* ---------------------------------------------------------------- units */
/* The slot of one unit of a whole line. */
static race_slot unit_of(race_slot whole, uint32_t word)
{
    if (!whole) return 0;
    uint32_t width = RACE_FIELD(whole, WIDTH);
    uint32_t step = width > 2 ? width - 2 : 0;
    return race_with_lane(whole, (RACE_FIELD(whole, LANE) + (word >> step)) & 31);
}

static void split_whole(shadow_memory *m, race_slot whole, race_slot **units, bool by_bytes)
{
    uint32_t count = by_bytes ? SHADOW_LINE : SHADOW_LINE / 4;
    if (!*units) *units = shadow_units_alloc(m, count * sizeof **units);
    if (!whole) {
        memset(*units, 0, count * sizeof **units);
        return;
    }
    for (uint32_t k = 0; k < count; k++) (*units)[k] = unit_of(whole, by_bytes ? k / 4 : k);
}

static race_slot *bytes_of_words(shadow_memory *m, const race_slot *words)
{
    race_slot *out = shadow_units_alloc(m, SHADOW_LINE * sizeof *out);
    for (uint32_t k = 0; k < SHADOW_LINE; k++) out[k] = words[k / 4];
    return out;
}

static void owners_by_bytes(shadow_memory *m, shadow_line *l)
{
    const uint32_t words = SHADOW_LINE / 4;
    uint32_t *out = shadow_units_alloc(m, 2 * SHADOW_LINE * sizeof *out);
    for (uint32_t k = 0; k < SHADOW_LINE; k++) {
        out[k] = l->owners[k / 4];
        out[SHADOW_LINE + k] = l->owners[words + k / 4];
    }
    l->owners = out;
}

static void split_bytes(shadow_memory *m, shadow_line *l)
{
    if (l->split & SHADOW_SPLIT_W) l->ws = bytes_of_words(m, l->ws);
    else l->ws = NULL;
    if (l->split & SHADOW_SPLIT_R) l->rs = bytes_of_words(m, l->rs);
    else l->rs = NULL;
    if (l->split & SHADOW_OWNERS) owners_by_bytes(m, l);
    else l->owners = NULL;
    l->split |= SHADOW_BYTES;
}

static void split_owners(shadow_memory *m, shadow_line *l)
{
    uint32_t units = shadow_units(l);
    if (!l->owners) l->owners = shadow_units_alloc(m, 2 * units * sizeof *l->owners);
    for (uint32_t k = 0; k < units; k++) {
        l->owners[k] = l->w_owner;
        l->owners[units + k] = l->r_owner;
    }
}

/* A line of global memory is packed from now on, and keeps what was known of its words. */
static void pack(shadow_memory *m, shadow_line *l, bool by_bytes)
{
    const uint32_t words = SHADOW_LINE / 4, each = by_bytes ? 4 : 1, step = shadow_units(l) / words;
    shadow_cell cells[SHADOW_LINE / 4];
    const shadow_cell nothing = {0};
    for (uint32_t k = 0; k < words; k++) cells[k] = shadow_get(l, k * step);
    shadow_pack_begin(m, l, by_bytes);
    for (uint32_t k = 0; k < words * each; k++) shadow_pack_put(m, l, k, &nothing, &cells[k / each]);
}

/* Lines of compact memory that are not packed are not split by bytes. */
static void split_compact(shadow_memory *m, shadow_line *l, bool by_bytes)
{
    if (!by_bytes || l->split & SHADOW_BYTES) return;
    if (l->split & (SHADOW_SPLIT_W | SHADOW_SPLIT_R)) pack(m, l, true);
    l->split |= SHADOW_BYTES; /* a whole line is packed when its units come to differ */
}

void shadow_split(shadow_memory *m, shadow_line *l, uint8_t what, bool by_bytes)
{
    if (m->compact) split_compact(m, l, by_bytes);
    else if (by_bytes && !(l->split & SHADOW_BYTES)) split_bytes(m, l);
    by_bytes = l->split & SHADOW_BYTES;
    uint8_t fresh = what & (uint8_t)~l->split;
    if (fresh & SHADOW_SPLIT_W) split_whole(m, l->w, &l->ws, by_bytes);
    if (fresh & SHADOW_SPLIT_R) split_whole(m, l->r, &l->rs, by_bytes);
    if (fresh & SHADOW_OWNERS) split_owners(m, l);
    l->split |= what;
}

shadow_cell shadow_get(const shadow_line *l, uint32_t unit)
{
    if (l->split & SHADOW_PACKED) return shadow_pack_get(l, unit);
    uint32_t word = l->split & SHADOW_BYTES ? unit / 4 : unit;
    shadow_cell c = {.w_owner = l->w_owner, .r_owner = l->r_owner};
    c.w = l->split & SHADOW_SPLIT_W ? l->ws[unit] : unit_of(l->w, word);
    c.r = l->split & SHADOW_SPLIT_R ? l->rs[unit] : unit_of(l->r, word);
    if (l->split & SHADOW_OWNERS) {
        c.w_owner = l->owners[unit];
        c.r_owner = l->owners[shadow_units(l) + unit];
    }
    if (!c.w) c.w_owner = 0;
    if (!c.r) c.r_owner = 0;
    return c;
}

/* Do the owners fit those of the line? */
static bool owners_fit(const shadow_line *l, const shadow_cell *was, const shadow_cell *now)
{
    if (now->w_owner == was->w_owner && now->r_owner == was->r_owner) return true;
    return (!now->w || now->w_owner == l->w_owner || !l->w_owner) &&
           (!now->r || now->r_owner == l->r_owner || !l->r_owner);
}

static void put_owners(shadow_memory *m, shadow_line *l, uint32_t unit, const shadow_cell *was, const shadow_cell *now)
{
    if (!(l->split & SHADOW_OWNERS) && owners_fit(l, was, now)) {
        if (now->w) l->w_owner = now->w_owner;
        if (now->r) l->r_owner = now->r_owner;
        return;
    }
    shadow_split(m, l, SHADOW_OWNERS, false);
    l->owners[unit] = now->w_owner;
    l->owners[shadow_units(l) + unit] = now->r_owner;
}

void shadow_put(shadow_memory *m, shadow_line *l, uint32_t unit, const shadow_cell *was, const shadow_cell *now)
{
    bool owners = now->w_owner != was->w_owner || now->r_owner != was->r_owner;
    if (!owners && now->w == was->w && now->r == was->r) return;
    bool apart = l->split & SHADOW_BYTES || !owners_fit(l, was, now);
    if (m->compact && apart && !(l->split & SHADOW_PACKED)) pack(m, l, l->split & SHADOW_BYTES);
    if (l->split & SHADOW_PACKED) {
        shadow_pack_put(m, l, unit, was, now);
        return;
    }
    if (now->w != was->w) {
        shadow_split(m, l, SHADOW_SPLIT_W, false);
        l->ws[unit] = now->w;
    }
    if (now->r != was->r) {
        shadow_split(m, l, SHADOW_SPLIT_R, false);
        l->rs[unit] = now->r;
    }
    if (owners) put_owners(m, l, unit, was, now);
}
