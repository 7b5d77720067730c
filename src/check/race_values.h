/* race_values: what stores wrote, byte by byte, beside the six bits of it that a slot has room for: of global memory the
 * lines that the blocks of one host thread stored to last, of shared memory (race_block.values) all. A store is noted if
 * its slot says so (RACE_VALUE); whether the slot is still that of the last store is for who asks to know. */
#ifndef LW_CHECK_RACE_VALUES_H
#define LW_CHECK_RACE_VALUES_H

#include "check/race_shadow.h"

#include <string.h>

enum { RACE_VALUE_LINES = 8192 }; /* 1 MiB of what was stored */

typedef struct race_value_line {
    uint64_t number; /* address / SHADOW_LINE */
    uint64_t use;    /* whose it is: race_values.use; 0: nobody's */
    uint64_t known[SHADOW_LINE / 64];
    uint8_t bytes[SHADOW_LINE];
} race_value_line;

/* Of one host thread in one launch; used again by later ones without being cleared. */
typedef struct race_values {
    struct race_values *next; /* free ones of the pool */
    uint64_t use;
    race_value_line lines[RACE_VALUE_LINES];
} race_values;

typedef struct race_values_pool {
    pthread_mutex_t lock;
    race_values *free;
} race_values_pool;

void race_values_pool_begin(race_values_pool *p);
void race_values_pool_end(race_values_pool *p);
race_values *race_values_take(race_values_pool *p);         /* nothing is known */
void race_values_give(race_values_pool *p, race_values *v); /* v may be NULL */

/* The line of an address, made to be that. */
static inline race_value_line *race_values_line(race_values *v, uint64_t address)
{
    uint64_t number = address / SHADOW_LINE;
    race_value_line *l = &v->lines[number % RACE_VALUE_LINES];
    if (__builtin_expect(l->number == number && l->use == v->use, 1)) return l;
    l->number = number;
    l->use = v->use;
    l->known[0] = l->known[1] = 0;
    return l;
}

/* What a lane stored: 4, 8 or 16 bytes at a multiple of that. */
static inline void race_values_put(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    memcpy(to, from, 4);
    if (bytes >= 8) memcpy(to + 4, from + 4, 4);
    if (bytes == 16) memcpy(to + 8, from + 8, 8);
}
static inline void race_values_note_words(race_values *v, uint64_t address, const uint8_t *from, uint32_t bytes)
{
    race_value_line *l = race_values_line(v, address);
    uint32_t at = (uint32_t)(address % SHADOW_LINE);
    race_values_put(l->bytes + at, from, bytes);
    l->known[at / 64] |= ((UINT64_C(1) << bytes) - 1) << at % 64;
}
/* Bytes of one line. */
void race_values_note(race_values *v, uint64_t address, const uint8_t *from, uint32_t bytes);
void race_values_forget(race_values *v, uint64_t address, uint32_t bytes);
/* The bytes as they were noted last; NULL: not all are known. v may be NULL. */
const uint8_t *race_values_at(const race_values *v, uint64_t address, uint32_t bytes);

#endif
