/* recount: the accesses of a launch, kept so that they can be counted again as if they had gone elsewhere. Accesses that repeat, as
 * those of the blocks to shared memory do, are kept once, with their number. */
#ifndef LW_MODEL_RECOUNT_H
#define LW_MODEL_RECOUNT_H

#include "device/profile.h"
#include "event/event.h"

/* Warp accesses that are alike: instruction, lanes, and addresses. */
typedef struct model_access {
    uint32_t insn, mask, sources;
    uint8_t space, op, atomic, bytes, matrices, flags;
    uint8_t copies;       /* source[] holds the other side */
    uint8_t zero;         /* compared as bytes: nothing is left undefined */
    uint32_t address[32]; /* shared memory; 0 for lanes that are off */
    uint32_t source[32];  /* from the begin of the first line of 128 bytes */
} model_access;

typedef struct model_accesses model_accesses;
/* most: different accesses that are kept; more are only numbered. */
model_accesses *model_accesses_make(uint32_t most);
void model_accesses_free(model_accesses *a);
void model_accesses_add(model_accesses *a, const event_memory *event); /* shared memory, not bulk */
void model_accesses_join(model_accesses *into, const model_accesses *from);
uint64_t model_accesses_dropped(const model_accesses *a); /* accesses that were not kept */
uint32_t model_accesses_count(const model_accesses *a);
const model_access *model_accesses_at(const model_accesses *a, uint32_t index, uint64_t *times);

/* Counts single accesses to shared memory: wavefronts. */
typedef struct model_pricer model_pricer;
model_pricer *model_pricer_make(const device_profile *device); /* NULL: a device that is not modelled */
void model_pricer_free(model_pricer *p);
/* address: in the place of access->address. *ideal, if not NULL: the least wavefronts for the same lanes and sizes. */
uint64_t model_price(model_pricer *p, const model_access *access, const uint64_t address[32], uint64_t *ideal);

#endif
