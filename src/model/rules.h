/* model, internal: a site and the table of functions that count.
 *
 * A rule set is a function that gives the counting function of (space, op): model_rules. The same text is compiled for
 * several instruction sets of the host (cc7_v1.c, cc7_v3.c, cc7_v4.c); rules_for() in count.c chooses. */
#ifndef LW_MODEL_RULES_H
#define LW_MODEL_RULES_H

#include "exec/event.h"
#include "result/result.h"

typedef struct model_site model_site;
typedef void (*model_counter)(model_site *site, const mem_event *event);

/* Counters of one (instruction, space, op, bytes) in one worker. */
struct model_site {
    uint32_t key;     /* 0: not in use */
    uint32_t next;    /* index + 1 of the next site of the same instruction */
    uint32_t present; /* counters that apply */
    uint32_t insn;
    model_counter count;
    uint64_t value[COUNTER_COUNT]; /* REQUESTS of all but constant sites stays 0: it equals INST_EXECUTED */
};

typedef struct model_rules {
    /* Fills present and count. hash: the tag banks of the device are known. */
    void (*choose)(model_site *site, const mem_event *event, bool hash);
} model_rules;

extern const model_rules model_cc7_v1, model_cc7_v3, model_cc7_v4;

#endif
