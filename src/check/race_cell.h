/* race_cell: an access of a warp while it is looked at, and what each unit of the shadow that it touches says to it. */
#ifndef LW_CHECK_RACE_CELL_H
#define LW_CHECK_RACE_CELL_H

#include "check/race_worker.h"

#include <string.h>

/* An access while it is looked at. */
typedef struct race_access {
    race_worker *worker;
    race_block *block;
    race_warp *warp;
    const event_memory *event;
    shadow_memory *memory; /* of the line's units */
    race_slot slot;        /* of lane 0 */
    uint32_t owner, b;     /* b: as slots hold it */
    uint32_t warp_index, width;
    race_kind kind;
    event_space space; /* EVENT_DSHARED of the own block is EVENT_SHARED */
    bool writes;
    bool atomic;
    bool stores;      /* it is a store of known values */
    bool orders;      /* it may release or acquire */
    uint64_t address; /* of the units that are looked at */
    uint64_t unit_address;
    uint32_t unit_bytes;
    const uint8_t *stored; /* what is written at `address`; NULL: not known */
} race_access;

/* What a lane writes (race_values.h). NULL: not known. */
static inline const uint8_t *race_cell_stored(const race_access *a, uint32_t lane)
{
    return a->stores ? a->event->stored + (size_t)lane * a->event->stored_step : NULL;
}

/* RACE_VALUE of what a lane stores. */
static inline race_slot race_cell_value(const race_access *a, uint32_t lane)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    const uint8_t *from = race_cell_stored(a, lane);
    if (!from) return 0;
    uint64_t v = 0, word = 0;
    uint32_t bytes = a->event->bytes;
    memcpy(&v, from, LW_MIN(bytes, 8u));
    v *= odd;
    /* vectors are aligned: two of one width that meet in a unit have one address, and so one value if all words are equal */
    for (uint32_t k = 8; k < bytes; k += 8) {
        memcpy(&word, from + k, 8);
        v = ((v ^ v >> 29) + word) * odd;
    }
    return race_put(1 + ((v >> 32) * RACE_VALUE_DIGESTS >> 32), RACE_VALUE_AT);
}

void race_cell_note_shared(race_access *a, uint64_t address, const uint8_t *from, uint32_t bytes);
/* What a store wrote to bytes of one line is remembered. */
static inline void race_cell_note(race_access *a, uint64_t address, const uint8_t *from, uint32_t bytes)
{
    if (a->space == EVENT_GLOBAL) race_values_note(race_worker_values(a->worker), address, from, bytes);
    else race_cell_note_shared(a, address, from, bytes);
}

/* A plain write, then an atomic one of the same thread, and whoever knows of one knows of the other: the plain one stays,
 * as it races with more (a counter that is set to zero, and counted up before the others may do so). */
static inline bool race_cell_plain_stays(const race_access *a, race_slot prior, race_slot mine)
{
    race_slot differs = RACE_SAME_THREAD | race_put(RACE_S_MASK, RACE_S_AT) | race_put(RACE_B_MASK, RACE_B_AT);
    return race_is_strong(a->kind) && prior && race_kind_of(prior) == RACE_WEAK && !((prior ^ mine) & differs);
}

static inline bool race_cell_is_own(const race_access *a, const shadow_line *l)
{
    if (l->split & SHADOW_OWNERS) return false;
    return (!l->w_owner || l->w_owner == a->owner) && (!l->r_owner || l->r_owner == a->owner);
}

/* Shared memory that was last accessed before the last barrier of the block is as new. */
static inline void race_cell_renew(race_access *a, shadow_line *l)
{
    if (a->space != EVENT_SHARED) return;
    bool older = l->last_b != a->b && !(l->split & SHADOW_LANDED);
    if (older && race_cell_is_own(a, l) && !a->worker->asyncs.count) shadow_clear(l);
    l->last_b = (uint16_t)a->b;
}

/* A bulk copy reads bytes of the block's shared memory: is there a fence between that and the threads' writes? Before anything else
 * is done about the access. */
void race_cell_check_proxy(race_access *a, uint32_t lane, uint64_t address, uint32_t bytes);
/* Bytes at address by one lane. */
void race_cells_bytes(race_access *a, uint32_t lane, uint64_t address, uint32_t bytes);
/* Units of one line; mine: what is remembered of the access. */
void race_cells_access(race_access *a, shadow_line *l, uint32_t lane, race_slot mine, uint32_t first, uint32_t count);
/* A second block has read, and nobody has written: the two lowest are remembered. */
void race_cell_read_by_blocks(shadow_cell *c, race_slot mine, uint32_t owner);
/* An earlier access by another block. true: ordered; RACE_PAIR_COUNT only asks, else it is reported if it is not. */
bool race_cell_check_blocks(race_access *a, uint32_t lane, race_slot mine, race_slot prior, uint32_t owner,
                            race_pair pair);

#endif
