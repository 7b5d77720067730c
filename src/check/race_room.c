/* race_room.c: the room that the shadow takes, and its pages. */
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

void *shadow_units_alloc(shadow_memory *m, size_t bytes)
{
    m->units += bytes;
    return shadow_alloc(m, bytes);
}

void shadow_free(shadow_memory *m)
{
    for (size_t k = 0; k < m->chunks.count; k++) {
        shadow_chunk *c = &m->chunks.items[k];
        if (!pool_give(m->pool, *c)) munmap(c->start, c->bytes);
    }
    lw_vec_free(&m->chunks);
    free(m->slots);
    *m = (shadow_memory){.pool = m->pool, .compact = m->compact, .more_most = m->more_most};
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
