/* race_know.c: vector clocks. */
#include "check/race_know.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- threads of one block */
race_clock *race_clock_new(uint32_t first, uint32_t count)
{
    race_clock *c = lw_alloc(sizeof *c + count * sizeof c->s[0]);
    c->refs = 1;
    c->first = (uint16_t)first;
    c->count = (uint16_t)count;
    return c;
}

void race_clock_drop(race_clock *c)
{
    if (c && !--c->refs) free(c);
}

static void raise_to(race_clock *into, const race_clock *from)
{
    for (uint32_t w = 0; w < from->count; w++) {
        uint16_t *to = into->s[from->first + w - into->first];
        for (uint32_t l = 0; l < 32; l++) to[l] = LW_MAX(to[l], from->s[w][l]);
    }
}

static bool covers(const race_clock *a, const race_clock *b)
{
    return a->first <= b->first && a->first + a->count >= b->first + b->count;
}

static void clock_join(race_clock **into, const race_clock *from)
{
    if (!from || *into == from) return;
    race_clock *old = *into;
    if (old && old->refs == 1 && covers(old, from)) {
        raise_to(old, from);
        return;
    }
    uint32_t first = old ? LW_MIN(old->first, from->first) : from->first;
    uint32_t end = from->first + (uint32_t)from->count;
    if (old) end = LW_MAX(end, old->first + (uint32_t)old->count);
    race_clock *now = race_clock_new(first, end - first);
    if (old) raise_to(now, old);
    raise_to(now, from);
    race_clock_drop(old);
    *into = now;
}

/* ---------------------------------------------------------------- blocks */
race_know *race_know_hold(race_know *k)
{
    if (k) k->refs++;
    return k;
}

void race_know_drop(race_know *k)
{
    if (!k || --k->refs) return;
    for (size_t n = 0; n < k->entries.count; n++) race_clock_drop(k->entries.items[n].detail);
    lw_vec_free(&k->entries);
    free(k);
}

static race_know *copy_of(const race_know *from)
{
    race_know *k = lw_alloc(sizeof *k);
    k->refs = 1;
    if (!from) return k;
    lw_vec_reserve(&k->entries, from->entries.count + 1);
    for (size_t n = 0; n < from->entries.count; n++) {
        race_entry e = from->entries.items[n];
        if (e.detail) e.detail->refs++;
        lw_vec_push(&k->entries, e);
    }
    return k;
}

static void make_own(race_know **k)
{
    if (*k && (*k)->refs == 1) return;
    race_know *mine = copy_of(*k);
    race_know_drop(*k);
    *k = mine;
}

/* The first entry whose block is not lower. */
static size_t place_of(const race_know *k, uint32_t block)
{
    size_t low = 0, high = k->entries.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (k->entries.items[middle].block < block) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void insert(race_know *k, size_t at, uint32_t block)
{
    lw_vec_push(&k->entries, ((race_entry){0}));
    race_entry *e = &k->entries.items[at];
    memmove(e + 1, e, (k->entries.count - 1 - at) * sizeof *e);
    *e = (race_entry){.block = block};
}

static void entry_join(race_entry *e, uint32_t b, const race_clock *detail)
{
    if (b < e->b) return;
    if (b > e->b) {
        race_clock_drop(e->detail);
        e->detail = NULL;
        e->b = b;
    }
    clock_join(&e->detail, detail);
}

/* Whether joining would change nothing, as far as that is seen at once. */
static bool has_entry(const race_know *k, uint32_t block, uint32_t b, const race_clock *detail)
{
    if (!k) return false;
    size_t at = place_of(k, block);
    if (at >= k->entries.count || k->entries.items[at].block != block) return false;
    const race_entry *e = &k->entries.items[at];
    return e->b > b || (e->b == b && (!detail || e->detail == detail));
}

void race_know_join_entry(race_know **into, uint32_t block, uint32_t b, const race_clock *detail)
{
    if (has_entry(*into, block, b, detail)) return;
    make_own(into);
    size_t at = place_of(*into, block);
    if (at >= (*into)->entries.count || (*into)->entries.items[at].block != block) insert(*into, at, block);
    entry_join(&(*into)->entries.items[at], b, detail);
}

void race_know_join(race_know **into, const race_know *from)
{
    if (!from || *into == from) return;
    if (!*into) {
        *into = race_know_hold((race_know *)from);
        return;
    }
    for (size_t n = 0; n < from->entries.count; n++) {
        const race_entry *e = &from->entries.items[n];
        race_know_join_entry(into, e->block, e->b, e->detail);
    }
}

/* Copies are accesses of a block of their own, of one warp with a B that never ends. */
static uint32_t copies_of(uint32_t block) { return block | 1u << 31; }

void race_know_join_copy(race_know **into, uint32_t block, uint32_t number, uint32_t lane)
{
    race_clock *c = race_clock_new(0, 1);
    c->s[0][lane] = (uint16_t)number;
    race_know_join_entry(into, copies_of(block), 1, c);
    race_clock_drop(c);
}

bool race_know_has_copy(const race_know *k, uint32_t block, race_slot landed)
{
    return race_know_has(k, copies_of(block), 1, RACE_FIELD(landed, B), 0, RACE_FIELD(landed, S));
}

bool race_know_names(const race_know *k, uint32_t block)
{
    if (!k) return false;
    size_t at = place_of(k, block);
    return at < k->entries.count && k->entries.items[at].block == block;
}

bool race_know_has(const race_know *k, uint32_t block, uint32_t b, uint32_t s, uint32_t warp, uint32_t lane)
{
    if (!k) return false;
    size_t at = place_of(k, block);
    if (at >= k->entries.count || k->entries.items[at].block != block) return false;
    const race_entry *e = &k->entries.items[at];
    if (e->b != b) return e->b > b;
    const race_clock *c = e->detail;
    if (!c || warp < c->first || warp >= (uint32_t)c->first + c->count) return false;
    const uint16_t *known = c->s[warp - c->first];
    if (lane < 32) return known[lane] >= s;
    for (uint32_t l = 0; l < 32; l++)
        if (known[l] < s) return false;
    return true;
}
