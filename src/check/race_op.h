/* race_op: an operation of a stream, and what it accessed. */
#ifndef LW_CHECK_RACE_OP_H
#define LW_CHECK_RACE_OP_H

#include "check/race_worker.h"

/* What one or more pages hold of an allocation: what the operation accessed there the host may not access before it has
 * waited. */
typedef struct race_guard {
    uint64_t address, bytes;
    bool written; /* else the host's reads are not looked at */
    bool sparse;  /* the operation left more alone than short gaps */
} race_guard;

typedef struct race_op {
    uint64_t number;
    char *name;            /* "kernel 'k'", "a copy" */
    race_worker *accesses; /* of a kernel: its shadow; NULL: a range */
    event_place *places;   /* of a kernel that is kept: by instruction */
    uint32_t place_count;
    uint32_t grid[3], block[3]; /* of a kernel */
    uint64_t address, bytes;
    bool writes;     /* a range */
    uint32_t origin; /* of no kernel: where the program asked for it; 0: not known */
    bool frees;      /* as a write: nothing may be under way there */
    LW_VEC(race_guard) guards;
    bool signals; /* a kernel that writes what the host may poll */
    bool told;    /* the host may know of its end without a wait: by such a word, or a host function */
} race_op;

static inline bool race_op_writes(race_slot s) { return s && race_kind_of(s) != RACE_READER; }
static inline bool race_line_used(const shadow_line *l)
{
    return l->split & (SHADOW_SPLIT_W | SHADOW_SPLIT_R) || l->w || l->r;
}
static inline uint32_t race_op_insn(race_slot slot)
{
    uint32_t site = RACE_FIELD(slot, SITE);
    return site == RACE_SITE_MASK ? EVENT_NO_INSN : site - 1;
}
/* Which thread an access is of. */
void race_op_thread(const race_op *op, race_slot slot, uint32_t owner, uint32_t thread[3], uint32_t block[3]);

#endif
