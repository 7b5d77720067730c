/* model, internal: the rule set of cc 7.0 and later. Included by cc7_v1.c, cc7_v3.c and cc7_v4.c, which name the host
 * instruction set, MODEL_RULES and, where there is one, VECTOR: a vector type, VECTOR_LOAD and VECTOR_LEAST of 32-bit
 * numbers; for vectors of 16 also VECTOR_PICK: words of two vectors by their numbers, and VECTOR_CONFLICTS: how many words differ
 * from all those before them that `among` has a bit for. */
#include "model/rules.h"
#include "model/spin.h"

#include <string.h>

#include "model/lanes.inl"

#include "model/banks.inl"
#include "model/coalesce.inl"
#include "model/cluster.inl"
#include "model/copy.inl"
#include "model/constant.inl"
#include "model/texture.inl"

#define BIT MODEL_BIT
#define EVERY MODEL_EVERY
#define SHARED_SET (EVERY | BIT(WAVEFRONTS) | BIT(WAVEFRONTS_IDEAL) | BIT(BANK_CONFLICTS))
#define LINE_SET (EVERY | BIT(REQUESTS) | BIT(SECTORS) | BIT(SECTORS_IDEAL) | BIT(TAGS))

static void choose_shared(model_site *s, const event_memory *e)
{
    s->present = SHARED_SET;
    switch ((event_op)e->op) {
    case EVENT_LOAD:
    case EVENT_COPY_READ: s->count = shared_load; break;
    case EVENT_COPY_WRITE:
        s->count = e->flags & EVENT_BYPASS_L1 ? shared_copy_bypass : shared_copy;
        if (e->flags & EVENT_BYPASS_L1) s->why = bypass_why;
        break;
    case EVENT_ATOMIC:
    case EVENT_REDUCTION: s->count = model_spins(e) ? model_spin_count : shared_atomic; break;
    case EVENT_MATRIX_LOAD:
    case EVENT_MATRIX_STORE: s->count = shared_matrix; break;
    default: s->count = shared_store; break;
    }
}

static void choose_line(model_site *s, const event_memory *e, bool hash)
{
    bool local = e->space == EVENT_LOCAL;
    bool window = hash && e->space == EVENT_DSHARED;
    s->present = LINE_SET | (window ? BIT(T_WAVEFRONTS) : 0);
    switch ((event_op)e->op) {
    case EVENT_STORE:
    case EVENT_COPY_WRITE:
        if (local) s->count = local_store;
        else s->count = window ? window_store : line_store;
        s->present |= BIT(SECTORS_PARTIAL);
        break;
    case EVENT_ATOMIC:
    case EVENT_REDUCTION: s->count = window ? window_atomic : line_atomic; break;
    case EVENT_COPY_READ:
        s->count = e->flags & EVENT_BYPASS_L1 && e->address2 ? line_copy_bypass : line_load;
        if (s->count == line_copy_bypass) s->why = bypass_ideal_why;
        break;
    default:
        if (local) s->count = local_load;
        else s->count = window ? window_load : line_load;
        if (hash && e->space == EVENT_GLOBAL && e->op == EVENT_LOAD) {
            s->count = line_load_hashed;
            s->present |= BIT(T_WAVEFRONTS);
        }
        break;
    }
}

static void choose(model_site *s, const event_memory *e, bool hash)
{
    if (e->flags & EVENT_BULK) {
        s->count = bulk_copy;
        s->present = EVERY | BIT(BYTES) | (e->space == EVENT_SHARED ? 0 : BIT(SECTORS) | BIT(SECTORS_IDEAL));
    } else if (e->space == EVENT_SHARED) {
        choose_shared(s, e);
    } else if (e->space == EVENT_CONSTANT || e->space == EVENT_PARAM) {
        s->count = constant_load;
        s->present = EVERY | BIT(REQUESTS);
    } else if (e->space == EVENT_TEXTURE) {
        s->count = texture_access;
        if (!hash) s->why = "how texels lie in sectors was recorded on compute capability 9.0 only";
        s->present = EVERY | BIT(SECTORS) | BIT(SECTORS_IDEAL);
    } else {
        choose_line(s, e, hash);
    }
}

const model_rules MODEL_RULES = {choose};
