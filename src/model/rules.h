/* model, internal: a site, the table of generations and the functions that count.
 *
 * A site holds the function that counts it, chosen when the first event comes: by generation (generation.c: one row per
 * range of compute capabilities), then by space, operation and width. The rules of cc 5.0 and later are one text
 * (rules_cc7.inl), compiled for several instruction sets of the host (cc7_v1.c, cc7_v3.c, cc7_v4.c); those of cc 1.0 to
 * 3.7 are plain C (old_shared.c, old_global.c). */
#ifndef LW_MODEL_RULES_H
#define LW_MODEL_RULES_H

#include "event/event.h"
#include "model/model.h"
#include "result/result.h"

typedef struct model_site model_site;
typedef struct model_spin model_spin; /* spin.h */
typedef struct model_last model_last; /* lanes.inl */
typedef void (*model_counter)(model_site *site, const event_memory *event);

/* Counters of one (instruction, space, op, bytes) in one worker. */
struct model_site {
    uint32_t key;     /* which accesses it counts (count.c, key_of()); 0: not in use */
    uint32_t next;    /* index + 1 of the next site of the same instruction */
    uint32_t present; /* counters that apply */
    uint32_t insn;
    model_counter count;
    model_spin *spin; /* of atomics that are loops: what the worker's loops share; else NULL */
    model_last *last; /* the last access that was counted lane by lane (lanes.inl), free()d with it; NULL: none yet */
    uint32_t loads;   /* of atomics that are loops: how many sites further on their loads are counted */
    const char *why;  /* why this is not exact by the rules, or NULL; counting functions may set it later */
    uint64_t value[COUNTER_COUNT]; /* REQUESTS of all but constant sites stays 0: it equals INST_EXECUTED */
};

typedef struct model_rules {
    /* Fills present and count. hash: the tag banks of the device are known. */
    void (*choose)(model_site *site, const event_memory *event, bool hash);
} model_rules;

extern const model_rules model_cc7_v1, model_cc7_v3, model_cc7_v4;

#define MODEL_BIT(counter) (1u << COUNTER_##counter)
#define MODEL_EVERY (MODEL_BIT(INST_EXECUTED) | MODEL_BIT(LANES))

/* The rules of a range of compute capabilities: a row of the table in generation.c. */
typedef struct model_generation model_generation;
const model_generation *model_generation_of(uint32_t cc); /* NULL: none */

typedef struct model_chooser {
    const model_generation *generation;
    const model_rules *rules; /* of cc 5.0 and later, for this host */
    uint32_t cc;
    model_options options;
} model_chooser;
/* Fills present, count and why of a new site. */
void model_choose(const model_chooser *c, model_site *site, const event_memory *event);
/* The first compute capability that has such an access. */
uint32_t model_first_cc(const event_memory *event);

/* ---- cc 1.0 to 3.7 (old_shared.c, old_global.c) ---- */
void model_old_shared_load_1x(model_site *s, const event_memory *e);
void model_old_shared_store_1x(model_site *s, const event_memory *e);
void model_old_shared_2x(model_site *s, const event_memory *e);
void model_old_shared_3x_4(model_site *s, const event_memory *e); /* banks of 4 bytes */
void model_old_shared_3x_8(model_site *s, const event_memory *e);

void model_old_global_10(model_site *s, const event_memory *e);
void model_old_global_12(model_site *s, const event_memory *e);
void model_old_global_lines(model_site *s, const event_memory *e);    /* 2.x, 3.x: lines of L1 */
void model_old_global_segments(model_site *s, const event_memory *e); /* 2.x, 3.x: segments of L2 */
void model_old_local_10(model_site *s, const event_memory *e);
void model_old_local_12(model_site *s, const event_memory *e);
void model_old_local_lines(model_site *s, const event_memory *e);

void model_old_constant_1x(model_site *s, const event_memory *e);
void model_old_constant(model_site *s, const event_memory *e); /* 2.0 to 6.2 */
void model_old_uncounted(model_site *s, const event_memory *e);

#endif
