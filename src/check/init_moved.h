/* init_moved: where undefined bits came from that a launch stored to shared or local memory. Findings then name the memory that was
 * never written, not the one that they passed through: tiles, arguments of printf, registers that were spilled. */
#ifndef LW_CHECK_INIT_MOVED_H
#define LW_CHECK_INIT_MOVED_H

#include "event/event.h"

/* The last such stores to each of many words; older ones give way. Zero is empty. */
typedef struct init_moved {
    struct init_moved_word *words; /* NULL: nothing was stored yet */
} init_moved;

void init_moved_free(init_moved *moved);
/* Lane's bytes at address (EVENT_SHARED, EVENT_LOCAL) of event e's block now hold bits of that origin. */
void init_moved_note(init_moved *moved, const event_memory *e, uint32_t lane, uint64_t address, uint32_t bytes);
/* The origin of undefined bits that were stored there. NULL: not known. */
const event_origin *init_moved_find(const init_moved *moved, const event_memory *e, uint32_t lane, uint64_t address);

#endif
