/* race_values.c: see race_values.h. */
#include "check/race_values.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- the pool */
void race_values_pool_begin(race_values_pool *p)
{
    *p = (race_values_pool){0};
    pthread_mutex_init(&p->lock, NULL);
}

void race_values_pool_end(race_values_pool *p)
{
    for (race_values *v = p->free, *next; v; v = next) {
        next = v->next;
        free(v);
    }
    pthread_mutex_destroy(&p->lock);
}

race_values *race_values_take(race_values_pool *p)
{
    pthread_mutex_lock(&p->lock);
    race_values *v = p->free;
    if (v) p->free = v->next;
    pthread_mutex_unlock(&p->lock);
    if (!v) v = lw_alloc(sizeof *v);
    v->use++; /* what others left is not known any more */
    return v;
}

void race_values_give(race_values_pool *p, race_values *v)
{
    if (!v) return;
    pthread_mutex_lock(&p->lock);
    v->next = p->free;
    p->free = v;
    pthread_mutex_unlock(&p->lock);
}

/* ---------------------------------------------------------------- bytes */
/* Those of the half of a line that begins 64 * half bytes behind its beginning. */
static uint64_t bits_in(uint32_t half, uint32_t at, uint32_t bytes)
{
    uint32_t from = LW_MAX(at, half * 64), to = LW_MIN(at + bytes, half * 64 + 64);
    if (from >= to) return 0;
    return (UINT64_MAX >> (64 - (to - from))) << from % 64;
}

void race_values_note(race_values *v, uint64_t address, const uint8_t *from, uint32_t bytes)
{
    race_value_line *l = race_values_line(v, address);
    uint32_t at = (uint32_t)(address % SHADOW_LINE);
    memcpy(l->bytes + at, from, bytes);
    l->known[0] |= bits_in(0, at, bytes);
    l->known[1] |= bits_in(1, at, bytes);
}

void race_values_forget(race_values *v, uint64_t address, uint32_t bytes)
{
    race_value_line *l = race_values_line(v, address);
    uint32_t at = (uint32_t)(address % SHADOW_LINE);
    l->known[0] &= ~bits_in(0, at, bytes);
    l->known[1] &= ~bits_in(1, at, bytes);
}

const uint8_t *race_values_at(const race_values *v, uint64_t address, uint32_t bytes)
{
    if (!v) return NULL;
    uint64_t number = address / SHADOW_LINE;
    const race_value_line *l = &v->lines[number % RACE_VALUE_LINES];
    uint32_t at = (uint32_t)(address % SHADOW_LINE);
    if (l->number != number || l->use != v->use) return NULL;
    bool all = !(bits_in(0, at, bytes) & ~l->known[0]) && !(bits_in(1, at, bytes) & ~l->known[1]);
    return all ? l->bytes + at : NULL;
}
