/* init_shadow: which bits of global memory are undefined: a byte for each byte, 1 bits undefined. Pages that are wholly
 * defined, as all memory but fresh device memory is, and pages that nobody has written yet take no room. Any thread may
 * call. */
#ifndef LW_CHECK_INIT_SHADOW_H
#define LW_CHECK_INIT_SHADOW_H

#include <pthread.h>

#include "base/base.h"

#define INIT_PAGE_LOG2 16
#define INIT_PAGE (UINT64_C(1) << INIT_PAGE_LOG2)

/* An allocation that is followed. */
typedef struct init_range {
    uint64_t address, bytes;
} init_range;

/* A word of 4 bytes that holds what was computed from undefined bits. */
typedef struct init_word {
    uint64_t word;   /* address / 4; 0: free */
    uint32_t record; /* who computed it (init_found.h) */
} init_word;

typedef struct init_shadow {
    uint8_t ***top;   /* by address / 4 GiB, then by page; a NULL page is defined */
    uint8_t *unknown; /* the page of those that nobody has written: all ones, never written */
    pthread_mutex_t lock;
    LW_VEC(init_range) ranges;
    init_word *words;
    uint32_t word_count, word_room; /* room: 0 or a power of two */
} init_shadow;

void init_shadow_new(init_shadow *s);
void init_shadow_free(init_shadow *s);

/* Followed from now on; undefined or not. */
void init_shadow_add(init_shadow *s, uint64_t address, uint64_t bytes, bool undefined);
void init_shadow_remove(init_shadow *s, uint64_t address);
bool init_shadow_follows(init_shadow *s, uint64_t address);

static inline const uint8_t *init_shadow_page(const init_shadow *s, uint64_t address)
{
    uint8_t **pages = s->top[address >> 32 & 0xffff];
    return pages ? __atomic_load_n(&pages[address >> INIT_PAGE_LOG2 & 0xffff], __ATOMIC_RELAXED) : NULL;
}

/* Has any of the bytes undefined bits? */
bool init_shadow_any(const init_shadow *s, uint64_t address, uint64_t bytes);
void init_shadow_read(const init_shadow *s, uint64_t address, uint8_t *out, uint64_t bytes);
void init_shadow_write(init_shadow *s, uint64_t address, const uint8_t *bits, uint64_t bytes);
void init_shadow_set(init_shadow *s, uint64_t address, uint64_t bytes, bool undefined);

/* Words that were computed; meaningful while they have undefined bits. */
void init_shadow_note_word(init_shadow *s, uint64_t address, uint32_t record);
bool init_shadow_find_word(init_shadow *s, uint64_t address, uint32_t *out_record);

#endif
