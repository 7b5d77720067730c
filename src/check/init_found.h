/* init_found: what initcheck finds, folded by the pair of instructions: the one that uses undefined bits and the one that
 * read them. */
#ifndef LW_CHECK_INIT_FOUND_H
#define LW_CHECK_INIT_FOUND_H

#include "event/event.h"

/* What is found: a use by its number in event_use, or one of these. */
enum {
    INIT_ATOMIC = EVENT_USE_COUNT, /* an atomic combines undefined memory, or an undefined operand */
    INIT_READ,                     /* --init-at-load */
    INIT_HOST,                     /* computed from undefined bits, stored where the host sees it */
    INIT_KINDS
};

typedef struct init_seen {
    uint8_t kind;
    uint32_t insn;
    event_origin origin;
    uint64_t count;
    uint64_t thread; /* the lowest: linear in the grid */
} init_seen;

typedef LW_VEC(init_seen) init_found;

/* Lanes of a warp of a block. */
typedef struct init_who {
    const event_launch *launch;
    uint32_t insn, block, warp, mask;
} init_who;

void init_found_add(init_found *found, uint32_t kind, const init_who *who, const event_origin *origin);
void init_found_merge(init_found *into, const init_found *from);
void init_found_report(const init_found *found, const event_session *services, const event_launch *launch);

/* Who computed a value from undefined bits and stored it: kept beyond the launch. */
typedef struct init_record {
    uint64_t launch; /* its number */
    uint32_t insn, origin_insn;
    event_place stored, read;
    char *memory; /* what was read */
    bool told;
} init_record;

void init_say_origin(lw_text *out, const event_session *services, const event_launch *launch,
                     const event_origin *origin);

#endif
