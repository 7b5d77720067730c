/* slots: a table from small handles to objects (slots.c), for objects that kernels name while they run. */
#ifndef LW_HOST_SLOTS_PRIV_H
#define LW_HOST_SLOTS_PRIV_H

#include <stdint.h>

/* Handles count from 1 and are never used again. Who adds and removes holds the context's lock; who only looks needs
 * none: entries never move. */
typedef struct host_slots {
    void **chunks[24]; /* chunk k holds HOST_SLOTS_FIRST << k entries; NULL entry: removed */
    uint64_t count;    /* handles given out */
} host_slots;

uint64_t host_slots_add(host_slots *slots, void *object);
void *host_slots_find(const host_slots *slots, uint64_t handle); /* NULL: no live object has this handle */
void *host_slots_remove(host_slots *slots, uint64_t handle);     /* what it was; NULL: none */
void host_slots_free(host_slots *slots);                         /* the objects, and all handles: it is empty again */

#endif
