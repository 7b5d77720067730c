/* model, internal: the rule set of cc 7.0 and later. Included by cc7_v1.c, cc7_v3.c and cc7_v4.c, which name the host
 * instruction set, MODEL_RULES and, where there is one, VECTOR: a vector type, VECTOR_LOAD and VECTOR_LEAST of 32-bit
 * numbers. */
#include "model/rules.h"

#include <string.h>

#include "model/lanes.inl"

#include "model/banks.inl"
#include "model/coalesce.inl"
#include "model/cluster.inl"
#include "model/copy.inl"
#include "model/constant.inl"

#define BIT(counter) (1u << COUNTER_##counter)
#define EVERY (BIT(INST_EXECUTED) | BIT(LANES))
#define SHARED_SET (EVERY | BIT(WAVEFRONTS) | BIT(WAVEFRONTS_IDEAL) | BIT(BANK_CONFLICTS))
#define LINE_SET (EVERY | BIT(REQUESTS) | BIT(SECTORS) | BIT(SECTORS_IDEAL) | BIT(TAGS))

static void choose_shared(model_site *s, const mem_event *e)
{
    s->present = SHARED_SET;
    switch ((mem_op)e->op) {
    case EV_LOAD:
    case EV_COPY_READ: s->count = shared_load; break;
    case EV_COPY_WRITE:
        s->count = e->flags & EV_BYPASS_L1 ? shared_copy_bypass : shared_copy;
        if (e->flags & EV_BYPASS_L1) s->why = bypass_why;
        break;
    case EV_ATOMIC:
    case EV_REDUCTION: s->count = shared_atomic; break;
    case EV_MATRIX_LOAD:
    case EV_MATRIX_STORE: s->count = shared_matrix; break;
    default: s->count = shared_store; break;
    }
}

static void choose_line(model_site *s, const mem_event *e, bool hash)
{
    bool local = e->space == EV_LOCAL, window = hash && e->space == EV_DSHARED;
    s->present = LINE_SET | (window ? BIT(T_WAVEFRONTS) : 0);
    switch ((mem_op)e->op) {
    case EV_STORE:
    case EV_COPY_WRITE:
        s->count = local ? local_store : window ? window_store : line_store;
        s->present |= BIT(SECTORS_PARTIAL);
        break;
    case EV_ATOMIC:
    case EV_REDUCTION: s->count = window ? window_atomic : line_atomic; break;
    case EV_COPY_READ:
        s->count = e->flags & EV_BYPASS_L1 && e->address2 ? line_copy_bypass : line_load;
        if (s->count == line_copy_bypass) s->why = bypass_ideal_why;
        break;
    default:
        s->count = local ? local_load : window ? window_load : line_load;
        if (hash && e->space == EV_GLOBAL && e->op == EV_LOAD) {
            s->count = line_load_hashed;
            s->present |= BIT(T_WAVEFRONTS);
        }
        break;
    }
}

static void choose(model_site *s, const mem_event *e, bool hash)
{
    if (e->flags & EV_BULK) {
        s->count = bulk_copy;
        s->present = EVERY | BIT(BYTES) | (e->space == EV_SHARED ? 0 : BIT(SECTORS) | BIT(SECTORS_IDEAL));
    } else if (e->space == EV_SHARED) {
        choose_shared(s, e);
    } else if (e->space == EV_CONSTANT || e->space == EV_PARAM) {
        s->count = constant_load;
        s->present = EVERY | BIT(REQUESTS);
    } else if (e->space == EV_TEXTURE) {
        s->count = texture_load;
        s->present = EVERY | BIT(SECTORS) | BIT(SECTORS_IDEAL);
    } else {
        choose_line(s, e, hash);
    }
}

const model_rules MODEL_RULES = {choose};
