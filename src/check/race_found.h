/* race_found: conflicts, folded by what they are and by their pair of instructions, and how they are told. */
#ifndef LW_CHECK_RACE_FOUND_H
#define LW_CHECK_RACE_FOUND_H

#include "check/race_slot.h"
#include "event/event.h"

/* Which accesses meet: the earlier one comes first, but between blocks, where neither does. */
typedef enum race_pair { RACE_READ_WRITE, RACE_WRITE_READ, RACE_WRITE_WRITE, RACE_PAIR_COUNT } race_pair;

/* Why nothing orders two accesses; the order of the rows of found.c. */
typedef enum race_why {
    RACE_NO_BARRIER,    /* warps of a block */
    RACE_NO_WARP_SYNC,  /* lanes of a warp */
    RACE_COLLECTIVE,    /* lanes of a warp, with a shuffle or vote between them */
    RACE_VOLATILE_ONLY, /* lanes of a warp, volatile accesses */
    RACE_ONE_INSN,      /* lanes of one instruction */
    RACE_SAME_VALUE,    /* writes of one value */
    RACE_SAME_DIGEST,   /* writes of one value, as far as is remembered */
    RACE_NO_ORDER,      /* blocks */
    RACE_RELAXED,       /* blocks that exchange relaxed or volatile values: a read, then a write */
    RACE_NO_FENCE,      /* ordered but for a fence behind the read of the flag */
    RACE_SCOPE,         /* atomics or strong accesses, of too narrow scope */
    RACE_SIZES,         /* strong accesses of different size */
    RACE_BEFORE_CAS,    /* a plain read of a word that is updated by compare-and-swap */
    RACE_NO_WAIT,       /* a copy that nobody has waited for */
    RACE_NO_PROXY,      /* a bulk copy reads what threads wrote, without fence.proxy.async between */
    RACE_NON_COHERENT,  /* ld.global.nc of what the launch writes */
    RACE_EXIT,          /* a block of a cluster may have exited; `before` is the block, without a site */
    RACE_EXIT_COPY,     /* a block may have exited before a bulk copy has read its shared memory; as above */
    RACE_START,         /* a block of a cluster may not have begun */
    RACE_WHY_COUNT
} race_why;

typedef enum race_step_kind {
    RACE_STEP_NONE,
    RACE_STEP_BARRIER,
    RACE_STEP_ARRIVE,
    RACE_STEP_WARP,
    RACE_STEP_COLLECTIVE,
    RACE_STEP_FENCE,
    RACE_STEP_CLUSTER,
    RACE_STEP_MBARRIER
} race_step_kind;

typedef enum race_step_place { RACE_STEP_COMMON, RACE_STEP_BEFORE, RACE_STEP_ACCESS, RACE_STEP_BEHIND } race_step_place;

/* What a side did since both last synchronised, in order of time, and its access. */
enum { RACE_STEPS = 6 };
typedef struct race_step {
    uint32_t insn;
    uint8_t kind;  /* race_step_kind; of the access none */
    uint8_t place; /* race_step_place */
} race_step;

typedef struct race_side {
    uint32_t site; /* event.insn + 1; RACE_SITE_MASK: unknown */
    uint32_t block, warp, lane;
    uint32_t bytes;
    bool some_lane;      /* of the warp: which one is not remembered */
    uint32_t step_count; /* 0: not known */
    race_step steps[RACE_STEPS];
} race_side;

typedef struct race_conflict {
    race_pair pair;
    race_why why;
    uint8_t space; /* event_space */
    uint64_t address;
    race_side before, after; /* in the order of pair */
    uint64_t count;
} race_conflict;

typedef struct race_found {
    LW_VEC(race_conflict) list;
    uint64_t total;
    bool unordered; /* several host threads ran the launch: nothing orders any two of its blocks */
} race_found;

/* The conflict as it is remembered now, if it was not known, or takes the place of one; else NULL. */
race_conflict *race_found_add(race_found *f, const race_conflict *c);
void race_found_merge(race_found *into, const race_found *from);
void race_found_free(race_found *f);
/* Tells those that were not told for this kernel before; told: keys of those that were. */
void race_found_tell(race_found *f, const event_launch *launch, const event_session *session, lw_map *told,
                     lw_arena *keys);
/* Some accesses were forgotten (race_pack.h): once for each kernel. */
void race_found_tell_forgotten(const event_launch *launch, const event_session *session, lw_map *told, lw_arena *keys);

#endif
