/* race_slot: what racecheck remembers of one access, in 64 bits.
 *
 *   B 14 | S 10 | value 6 | width 3 | kind 4 | crowd 2 | warp 5 | lane 5 | site 15       0: no access
 *
 * B counts the barriers of a block that all its threads waited at, S the synchronisations of a warp: the block and its
 * warps are in race_block.h. Both wrap; B is never 0. */
#ifndef LW_CHECK_RACE_SLOT_H
#define LW_CHECK_RACE_SLOT_H

#include "base/base.h"

typedef uint64_t race_slot;

enum {
    RACE_SITE_AT = 0,
    RACE_LANE_AT = 15,
    RACE_WARP_AT = 20,
    RACE_CROWD_AT = 25,
    RACE_KIND_AT = 27,
    RACE_WIDTH_AT = 31,
    RACE_VALUE_AT = 34,
    RACE_S_AT = 40,
    RACE_B_AT = 50
};
#define RACE_SITE_MASK UINT64_C(0x7fff)
#define RACE_LANE_MASK UINT64_C(31)
#define RACE_CROWD_MASK UINT64_C(3)
#define RACE_KIND_MASK UINT64_C(15)
#define RACE_WIDTH_MASK UINT64_C(7)
#define RACE_VALUE_MASK UINT64_C(63)
#define RACE_S_MASK UINT64_C(1023)
#define RACE_B_MASK UINT64_C(0x3fff)

/* The value of a write: 0 unknown, else a digest of what one lane stored; ASIDE: the bytes alone (race_values.h) say. */
enum { RACE_VALUE_DIGESTS = 62, RACE_VALUE_ASIDE = 63 };

/* Who else made such an access, later than or together with the one that is remembered. */
typedef enum race_crowd {
    RACE_ALONE,
    RACE_LANES, /* other lanes of the warp */
    RACE_WARPS, /* other warps of the block, with the same B */
    RACE_BLOCKS /* other blocks of the launch */
} race_crowd;

typedef enum race_kind {
    RACE_WEAK,
    RACE_STRONG_CTA, /* ld.relaxed.cta, st.release.cta ...: four scopes in the order of event_scope */
    RACE_STRONG_CLUSTER,
    RACE_STRONG_GPU,
    RACE_STRONG_SYS,
    RACE_ATOMIC_CTA, /* atom, red: four scopes */
    RACE_ATOMIC_CLUSTER,
    RACE_ATOMIC_GPU,
    RACE_ATOMIC_SYS,
    RACE_CAS_CTA, /* atom.cas: four scopes */
    RACE_CAS_CLUSTER,
    RACE_CAS_GPU,
    RACE_CAS_SYS,
    RACE_VOLATILE, /* as RACE_STRONG_SYS, but between lanes of a warp */
    RACE_ASYNC,    /* a copy that has been issued and is not known to be complete */
    RACE_READER    /* in the place of a write: no write, but a second block that has read */
} race_kind;

#define RACE_FIELD(slot, NAME) ((uint32_t)((slot) >> RACE_##NAME##_AT & RACE_##NAME##_MASK))
#define RACE_WARP_MASK RACE_LANE_MASK

static inline race_slot race_put(uint64_t value, uint32_t at) { return value << at; }
static inline race_kind race_kind_of(race_slot s) { return (race_kind)RACE_FIELD(s, KIND); }
static inline race_crowd race_crowd_of(race_slot s) { return (race_crowd)RACE_FIELD(s, CROWD); }
static inline race_slot race_with_crowd(race_slot s, race_crowd crowd) { return s | race_put(crowd, RACE_CROWD_AT); }
static inline race_slot race_with_lane(race_slot s, uint32_t lane)
{
    return (s & ~race_put(RACE_LANE_MASK, RACE_LANE_AT)) | race_put(lane, RACE_LANE_AT);
}
static inline race_slot race_with_kind(race_slot s, race_kind kind)
{
    return (s & ~race_put(RACE_KIND_MASK, RACE_KIND_AT)) | race_put(kind, RACE_KIND_AT);
}

static inline bool race_is_atomic(race_kind k) { return k >= RACE_ATOMIC_CTA && k <= RACE_CAS_SYS; }
static inline bool race_is_cas(race_kind k) { return k >= RACE_CAS_CTA && k <= RACE_CAS_SYS; }
static inline bool race_is_strong(race_kind k) { return k >= RACE_STRONG_CTA && k <= RACE_VOLATILE; }
/* A copy into shared memory that completes on an mbarrier has landed, and who has waited for it knows its number: in the
 * place of B, of those on the mbarriers of one lane of a clock, which stands in the place of S. An asynchronous write has
 * no crowd of its own. */
static inline bool race_is_landed(race_slot s)
{
    return race_kind_of(s) == RACE_ASYNC && race_crowd_of(s) == RACE_BLOCKS;
}
static inline race_slot race_landed(uint32_t number, uint32_t lane)
{
    return race_put(RACE_ASYNC, RACE_KIND_AT) | race_put(RACE_BLOCKS, RACE_CROWD_AT) | race_put(number, RACE_B_AT) |
           race_put(lane, RACE_S_AT);
}
/* Scope of a strong access, 0 (cta) to 3 (sys). */
static inline uint32_t race_scope_of(race_kind k)
{
    if (k == RACE_VOLATILE) return 3;
    return (uint32_t)(k - RACE_STRONG_CTA) & 3;
}

/* Who and when are the same: neither site nor kind nor value need be. */
#define RACE_SAME_THREAD                                                                                               \
    (race_put(RACE_LANE_MASK, RACE_LANE_AT) | race_put(RACE_WARP_MASK, RACE_WARP_AT) |                                 \
     race_put(RACE_CROWD_MASK, RACE_CROWD_AT))

#endif
