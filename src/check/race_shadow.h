/* race_shadow: racecheck's memory of accesses: for each line of 128 bytes the last write and the last read, of the whole
 * line where one warp's lanes took it in order, else of each word, or of each byte where part of a word was accessed.
 *
 * Bytes of shadow for each byte of memory: a line's header 0.5; split by words 2 (writes) + 2 (reads). Where several blocks
 * met in a line, or parts of words were accessed: in shared memory 2 more, and four times as much; in global memory, which
 * is `compact`, units are packed (race_pack.h): 4 by words, 4.5 by bytes. So it never takes more than SHADOW_UNITS_MOST for
 * the units of a line, and SHADOW_MORE in all. */
#ifndef LW_CHECK_RACE_SHADOW_H
#define LW_CHECK_RACE_SHADOW_H

#include "check/race_slot.h"

#include <pthread.h>

enum { SHADOW_RECENT = 64 };
enum { SHADOW_LINE = 128, SHADOW_PAGE_LOG2 = 16, SHADOW_PAGE_LINES = (1 << SHADOW_PAGE_LOG2) / SHADOW_LINE };

/* What a line is split in. */
enum { SHADOW_SPLIT_W = 1, SHADOW_SPLIT_R = 2, SHADOW_OWNERS = 4, SHADOW_BYTES = 8 };
enum { SHADOW_LANDED = 16 }; /* beside it: a copy landed here, of which a barrier does not make all know */
enum { SHADOW_PACKED = 32 }; /* then also SHADOW_SPLIT_W, SHADOW_SPLIT_R and SHADOW_OWNERS */
enum { SHADOW_ASIDE = 64 };  /* packed: its writes have no other value than RACE_VALUE_ASIDE */
enum {
    SHADOW_ARRAY = 256,      /* bytes: of an array of a line's units by words, or of one of packed units */
    SHADOW_PART = 192,       /* bytes: of 15 states of a packed line */
    SHADOW_UNITS_MOST = 576, /* bytes: of the units of a line of global memory, without what comes out of SHADOW_MORE */
    SHADOW_MORE = 64 << 20   /* bytes: for more states of packed lines, of one shadow_memory */
};

typedef uint16_t shadow_unit; /* a packed one; 0: nothing */
typedef struct shadow_state shadow_state;
typedef struct shadow_states shadow_states;

/* One cache line of the host. */
typedef struct __attribute__((aligned(64))) shadow_line {
    race_slot w, r; /* not split: of the whole line; lanes follow each other by the width of their access */
    union {
        race_slot *ws; /* split: of each unit; else NULL, or room for later */
        shadow_unit *w_units;
    };
    union {
        race_slot *rs;
        shadow_unit *r_units;
    };
    union {
        uint32_t *owners; /* SHADOW_OWNERS: of each unit: those of the writes, then those of the reads */
        shadow_states *states;
    };
    uint32_t w_owner, r_owner; /* without SHADOW_OWNERS: block + 1 that made all accesses; 0: none */
    uint16_t last_b;           /* B of the last access (shared memory) */
    uint8_t split;
    uint16_t next_forgotten; /* packed: number of a state */
    uint16_t recent_number;  /* packed: of that state */
    shadow_state *recent;    /* packed: looked for last; NULL: none */
} shadow_line;

/* One unit's, or one whole line's. */
typedef struct shadow_cell {
    race_slot w, r;
    uint32_t w_owner, r_owner;
} shadow_cell;

typedef struct shadow_page {
    uint64_t number; /* address >> SHADOW_PAGE_LOG2 */
    shadow_line lines[SHADOW_PAGE_LINES];
} shadow_page;

typedef struct shadow_chunk {
    void *start;
    size_t bytes;
} shadow_chunk;

/* Chunks that launches have left, for later ones: the host's kernel takes long to give fresh memory. */
typedef struct shadow_pool {
    pthread_mutex_t lock;
    LW_VEC(shadow_chunk) chunks;
} shadow_pool;

typedef struct shadow_memory {
    shadow_pool *pool;   /* NULL: none */
    bool used;           /* the last chunk is not zero */
    shadow_page **slots; /* by hash of their number; a power of two, at most half full */
    size_t capacity, count;
    shadow_page *recent[SHADOW_RECENT]; /* looked up last, by the low bits of their number */
    LW_VEC(shadow_chunk) chunks;
    uint8_t *free; /* of the last chunk */
    size_t left;
    uint64_t bytes; /* of all chunks */
    bool compact;
    uint64_t units, more, more_most; /* bytes: of all units; of these, for more states; of these at most */
    uint64_t forgotten;              /* states, of which all lines had too many */
} shadow_memory;

static inline uint32_t shadow_units(const shadow_line *l)
{
    return l->split & SHADOW_BYTES ? SHADOW_LINE : SHADOW_LINE / 4;
}

void shadow_pool_begin(shadow_pool *p);
void shadow_pool_end(shadow_pool *p);
void *shadow_alloc(shadow_memory *m, size_t bytes);       /* zeroed; lives as long as m */
void *shadow_units_alloc(shadow_memory *m, size_t bytes); /* counted as units */
void shadow_free(shadow_memory *m);
shadow_page *shadow_find_page(shadow_memory *m, uint64_t number);
shadow_page *shadow_known_page(const shadow_memory *m, uint64_t number); /* NULL: nothing there was accessed */

static inline shadow_line *shadow_line_at(shadow_memory *m, uint64_t address)
{
    uint64_t number = address >> SHADOW_PAGE_LOG2;
    shadow_page *page = m->recent[number % SHADOW_RECENT];
    if (__builtin_expect(!page || page->number != number, 0)) page = shadow_find_page(m, number);
    return &page->lines[address / SHADOW_LINE % SHADOW_PAGE_LINES];
}

/* From now on each unit has its own; by bytes, if part of a word is accessed. */
void shadow_split(shadow_memory *m, shadow_line *l, uint8_t what, bool by_bytes);
/* Nothing is known of the line any more. */
static inline void shadow_clear(shadow_line *l)
{
    l->w = l->r = 0;
    l->w_owner = l->r_owner = 0;
    l->split &= SHADOW_BYTES; /* its room stays as it is */
}
shadow_cell shadow_get(const shadow_line *l, uint32_t unit);
/* was: what shadow_get() gave. */
void shadow_put(shadow_memory *m, shadow_line *l, uint32_t unit, const shadow_cell *was, const shadow_cell *now);

#endif
