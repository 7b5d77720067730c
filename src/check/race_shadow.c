/* race_shadow.c: pages, lines and their units. */
#include "check/race_shadow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---------------------------------------------------------------- memory */
enum { CHUNK_BYTES = 4 << 20, SMALL_CHUNK_BYTES = 64 << 10, SMALL_CHUNKS = 4, POOL_MOST = 256 };

void shadow_pool_begin(shadow_pool *p)
{
    *p = (shadow_pool){0};
    pthread_mutex_init(&p->lock, NULL);
}

void shadow_pool_end(shadow_pool *p)
{
    for (size_t k = 0; k < p->chunks.count; k++) munmap(p->chunks.items[k].start, p->chunks.items[k].bytes);
    lw_vec_free(&p->chunks);
    pthread_mutex_destroy(&p->lock);
}

static bool pool_take(shadow_pool *p, shadow_chunk *out)
{
    if (!p) return false;
    pthread_mutex_lock(&p->lock);
    bool any = p->chunks.count > 0;
    if (any) *out = p->chunks.items[--p->chunks.count];
    pthread_mutex_unlock(&p->lock);
    return any;
}

static bool pool_give(shadow_pool *p, shadow_chunk chunk)
{
    if (!p || chunk.bytes != CHUNK_BYTES) return false;
    pthread_mutex_lock(&p->lock);
    bool room = p->chunks.count < POOL_MOST;
    if (room) lw_vec_push(&p->chunks, chunk);
    pthread_mutex_unlock(&p->lock);
    return room;
}

static void add_chunk(shadow_memory *m, size_t least)
{
    size_t bytes = m->chunks.count < SMALL_CHUNKS ? SMALL_CHUNK_BYTES : CHUNK_BYTES;
    shadow_chunk chunk = {NULL, LW_MAX(bytes, lw_round_up(least, SMALL_CHUNK_BYTES))};
    m->used = chunk.bytes == CHUNK_BYTES && pool_take(m->pool, &chunk);
    if (!m->used) {
        chunk.start = mmap(NULL, chunk.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk.start == MAP_FAILED) lw_out_of_memory(chunk.bytes);
        if (chunk.bytes >= CHUNK_BYTES) madvise(chunk.start, chunk.bytes, MADV_HUGEPAGE);
    }
    lw_vec_push(&m->chunks, chunk);
    m->free = chunk.start;
    m->left = chunk.bytes;
    m->bytes += chunk.bytes;
}

void *shadow_alloc(shadow_memory *m, size_t bytes)
{
    bytes = lw_round_up(bytes, 64);
    if (m->left < bytes) add_chunk(m, bytes);
    void *p = m->free;
    m->free += bytes;
    m->left -= bytes;
    if (m->used) memset(p, 0, bytes);
    return p;
}

void shadow_free(shadow_memory *m)
{
    for (size_t k = 0; k < m->chunks.count; k++) {
        shadow_chunk *c = &m->chunks.items[k];
        if (!pool_give(m->pool, *c)) munmap(c->start, c->bytes);
    }
    lw_vec_free(&m->chunks);
    free(m->slots);
    *m = (shadow_memory){.pool = m->pool};
}

/* ---------------------------------------------------------------- pages */
static size_t slot_of(const shadow_memory *m, uint64_t number)
{
    size_t k = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (m->capacity - 1);
    while (m->slots[k] && m->slots[k]->number != number) k = (k + 1) & (m->capacity - 1);
    return k;
}

static void grow(shadow_memory *m)
{
    shadow_page **old = m->slots;
    size_t count = m->capacity;
    m->capacity = count ? count * 2 : 64;
    m->slots = lw_alloc(m->capacity * sizeof *m->slots);
    for (size_t k = 0; k < count; k++)
        if (old[k]) m->slots[slot_of(m, old[k]->number)] = old[k];
    free(old);
}

shadow_page *shadow_find_page(shadow_memory *m, uint64_t number)
{
    if (m->count * 2 >= m->capacity) grow(m);
    size_t k = slot_of(m, number);
    if (!m->slots[k]) {
        m->slots[k] = shadow_alloc(m, sizeof(shadow_page));
        m->slots[k]->number = number;
        m->count++;
    }
    m->recent[number % SHADOW_RECENT] = m->slots[k];
    return m->slots[k];
}

shadow_page *shadow_known_page(const shadow_memory *m, uint64_t number)
{
    return m->count ? m->slots[slot_of(m, number)] : NULL;
}

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
    if (!*units) *units = shadow_alloc(m, count * sizeof **units);
    if (!whole) {
        memset(*units, 0, count * sizeof **units);
        return;
    }
    for (uint32_t k = 0; k < count; k++) (*units)[k] = unit_of(whole, by_bytes ? k / 4 : k);
}

static race_slot *bytes_of_words(shadow_memory *m, const race_slot *words)
{
    race_slot *out = shadow_alloc(m, SHADOW_LINE * sizeof *out);
    for (uint32_t k = 0; k < SHADOW_LINE; k++) out[k] = words[k / 4];
    return out;
}

static void owners_by_bytes(shadow_memory *m, shadow_line *l)
{
    const uint32_t words = SHADOW_LINE / 4;
    uint32_t *out = shadow_alloc(m, 2 * SHADOW_LINE * sizeof *out);
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
    if (!l->owners) l->owners = shadow_alloc(m, 2 * units * sizeof *l->owners);
    for (uint32_t k = 0; k < units; k++) {
        l->owners[k] = l->w_owner;
        l->owners[units + k] = l->r_owner;
    }
}

void shadow_split(shadow_memory *m, shadow_line *l, uint8_t what, bool by_bytes)
{
    if (by_bytes && !(l->split & SHADOW_BYTES)) split_bytes(m, l);
    by_bytes = l->split & SHADOW_BYTES;
    uint8_t fresh = what & (uint8_t)~l->split;
    if (fresh & SHADOW_SPLIT_W) split_whole(m, l->w, &l->ws, by_bytes);
    if (fresh & SHADOW_SPLIT_R) split_whole(m, l->r, &l->rs, by_bytes);
    if (fresh & SHADOW_OWNERS) split_owners(m, l);
    l->split |= what;
}

shadow_cell shadow_get(const shadow_line *l, uint32_t unit)
{
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

static void put_owners(shadow_memory *m, shadow_line *l, uint32_t unit, const shadow_cell *now)
{
    bool fits = (!now->w || now->w_owner == l->w_owner || !l->w_owner) &&
                (!now->r || now->r_owner == l->r_owner || !l->r_owner);
    if (!(l->split & SHADOW_OWNERS) && fits) {
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
    if (now->w != was->w) {
        shadow_split(m, l, SHADOW_SPLIT_W, false);
        l->ws[unit] = now->w;
    }
    if (now->r != was->r) {
        shadow_split(m, l, SHADOW_SPLIT_R, false);
        l->rs[unit] = now->r;
    }
    if (now->w_owner != was->w_owner || now->r_owner != was->r_owner) put_owners(m, l, unit, now);
}
