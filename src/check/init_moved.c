/* init_moved.c: see init_moved.h. */
#include "check/init_moved.h"

#include <stdlib.h>

enum { WORDS = 4096 };

typedef struct init_moved_word {
    uint64_t block_and_word; /* the word's number below, the block above */
    uint32_t owner;          /* 0: empty; else shared memory, or the thread whose local memory it is */
    event_origin origin;
} init_moved_word;

static init_moved_word key_of(const event_memory *e, uint32_t lane, uint64_t address)
{
    init_moved_word key = {.block_and_word = (uint64_t)e->block << 32 | (uint32_t)(address / 4), .owner = 1};
    if (e->space == EVENT_LOCAL) key.owner = 2 + 32 * (uint32_t)e->warp + lane;
    return key;
}

static init_moved_word *place_of(const init_moved *m, const init_moved_word *key)
{
    uint64_t hash = (key->block_and_word ^ (uint64_t)key->owner << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return &m->words[hash >> 52];
}

void init_moved_free(init_moved *m)
{
    free(m->words);
    m->words = NULL;
}

void init_moved_note(init_moved *m, const event_memory *e, uint32_t lane, uint64_t address, uint32_t bytes)
{
    if (!m->words) m->words = lw_alloc(WORDS * sizeof *m->words);
    for (uint64_t at = address; at < address + bytes; at += 4) {
        init_moved_word key = key_of(e, lane, at);
        key.origin = e->undefined->origin;
        *place_of(m, &key) = key;
    }
}

const event_origin *init_moved_find(const init_moved *m, const event_memory *e, uint32_t lane, uint64_t address)
{
    if (!m->words) return NULL;
    init_moved_word key = key_of(e, lane, address);
    const init_moved_word *w = place_of(m, &key);
    return w->owner == key.owner && w->block_and_word == key.block_and_word ? &w->origin : NULL;
}
