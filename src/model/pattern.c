/* model: one access given by hand. The op's name becomes an event, the event goes through the sink. */
#include "model/model.h"
#include "model/rules.h"

#include <stdlib.h>
#include <string.h>

typedef struct pattern_op {
    const char *name;
    uint8_t space, op, atomic, bytes, matrices;
} pattern_op;

#define WIDTHS(prefix, space, op)                                                                                      \
    {prefix "8", space, op, 0, 1, 0}, {prefix "16", space, op, 0, 2, 0}, {prefix "32", space, op, 0, 4, 0},            \
        {prefix "64", space, op, 0, 8, 0}, {prefix "128", space, op, 0, 16, 0}

static const pattern_op pattern_ops[] = {
    WIDTHS("lds", EV_SHARED, EV_LOAD),
    WIDTHS("sts", EV_SHARED, EV_STORE),
    WIDTHS("ldg", EV_GLOBAL, EV_LOAD),
    WIDTHS("stg", EV_GLOBAL, EV_STORE),
    WIDTHS("ldl", EV_LOCAL, EV_LOAD),
    WIDTHS("stl", EV_LOCAL, EV_STORE),
    WIDTHS("dld", EV_DSHARED, EV_LOAD),
    WIDTHS("dst", EV_DSHARED, EV_STORE),
    {"ldg256", EV_GLOBAL, EV_LOAD, 0, 32, 0},
    {"stg256", EV_GLOBAL, EV_STORE, 0, 32, 0},
    {"ldsm1", EV_SHARED, EV_MATRIX_LOAD, 0, 16, 1},
    {"ldsm2", EV_SHARED, EV_MATRIX_LOAD, 0, 16, 2},
    {"ldsm4", EV_SHARED, EV_MATRIX_LOAD, 0, 16, 4},
    {"ldsm4t", EV_SHARED, EV_MATRIX_LOAD, 0, 16, 4},
    {"stsm1", EV_SHARED, EV_MATRIX_STORE, 0, 16, 1},
    {"stsm2", EV_SHARED, EV_MATRIX_STORE, 0, 16, 2},
    {"stsm4", EV_SHARED, EV_MATRIX_STORE, 0, 16, 4},
    /* The recorded atoms_inc1 uses the old value: then an add of 1 is counted like any other. Its other form is below.
     */
    {"atoms_add", EV_SHARED, EV_ATOMIC, EV_ATOMIC_ADD, 4, 0},
    {"atoms_inc1", EV_SHARED, EV_ATOMIC, EV_ATOMIC_ADD, 4, 0},
    {"atoms_cas", EV_SHARED, EV_ATOMIC, EV_ATOMIC_CAS, 4, 0},
    {"atoms_ex64", EV_SHARED, EV_ATOMIC, EV_ATOMIC_EXCH, 8, 0},
    {"reds_add", EV_SHARED, EV_REDUCTION, EV_ATOMIC_ADD, 4, 0},
    {"reds_inc1", EV_SHARED, EV_REDUCTION, EV_ATOMIC_ADD_1, 4, 0},
    {"atom32", EV_GLOBAL, EV_ATOMIC, EV_ATOMIC_ADD, 4, 0},
    {"atom64", EV_GLOBAL, EV_ATOMIC, EV_ATOMIC_ADD, 8, 0},
    {"red32", EV_GLOBAL, EV_REDUCTION, EV_ATOMIC_ADD, 4, 0},
    {"red64", EV_GLOBAL, EV_REDUCTION, EV_ATOMIC_ADD, 8, 0},
    {"datom", EV_DSHARED, EV_ATOMIC, EV_ATOMIC_ADD, 4, 0},
    {"cpa4", EV_SHARED, EV_COPY_WRITE, 0, 4, 0},
    {"cpa8", EV_SHARED, EV_COPY_WRITE, 0, 8, 0},
    {"cpa16", EV_SHARED, EV_COPY_WRITE, 0, 16, 0},
    {"ldci", EV_CONSTANT, EV_LOAD, 0, 4, 0},
};

static const pattern_op *find_op(const char *name)
{
    for (size_t i = 0; i < LW_COUNT(pattern_ops); i++)
        if (!strcmp(pattern_ops[i].name, name)) return &pattern_ops[i];
    return NULL;
}

/* The shape execution would have found. */
static uint8_t shape_of(const uint64_t address[32], uint32_t mask, uint32_t bytes)
{
    bool uniform = true, consecutive = mask == UINT32_MAX;
    uint64_t first = address[__builtin_ctz(mask)];
    for (uint32_t i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        uniform &= address[i] == first;
        consecutive &= address[i] == first + (uint64_t)i * bytes;
    }
    return uniform ? EV_UNIFORM : consecutive ? EV_CONSECUTIVE : EV_GENERAL;
}

typedef struct pattern_result {
    counter_set *counters;
    const char **why;
} pattern_result;

static void take_result(void *user, const model_site_result *site)
{
    pattern_result *r = user;
    *r->counters = site->counters;
    if (r->why) *r->why = site->why;
}

lw_status model_pattern(const device_profile *device, const model_options *options, const char *op,
                        const int64_t offsets[32], counter_set *out, const char **why, lw_error *error)
{
    if (why) *why = NULL;
    *out = (counter_set){0, {0}};
    const pattern_op *p = find_op(op);
    if (!p) return lw_fail(error, LW_UNSUPPORTED, "unknown access '%s' (like lds32, stg64, atoms_add, ldsm4)", op);
    uint64_t address[32] = {0};
    mem_event e = {.space = p->space, .op = p->op, .atomic = p->atomic, .bytes = p->bytes, .matrices = p->matrices,
                   .address = address};
    for (uint32_t i = 0; i < 32; i++) {
        if (offsets[i] < 0) continue;
        if (offsets[i] % p->bytes)
            return lw_fail(error, LW_INVALID_ARGUMENT, "offset %lld of lane %u is not a multiple of %u bytes",
                           (long long)offsets[i], i, p->bytes);
        address[i] = (uint64_t)offsets[i];
        e.mask |= 1u << i;
    }
    uint32_t first_cc = model_first_cc(&e);
    if (device->cc < first_cc)
        return lw_fail(error, LW_UNSUPPORTED, "compute capability %u.%u has no '%s' (%u.%u and later have)",
                       device->cc / 10, device->cc % 10, op, first_cc / 10, first_cc % 10);
    model *m;
    LW_TRY(model_create(&m, device, 1, error));
    lw_status status = options ? model_set_options(m, options, error) : LW_OK;
    if (!status && e.mask) { /* without an active lane nothing is counted */
        e.shape = shape_of(address, e.mask, p->bytes);
        event_sink sink = model_sink(m);
        sink.mem(sink.worker_begin(sink.self, 0), &e);
        pattern_result result = {out, why};
        model_each(m, take_result, &result);
    }
    model_destroy(m);
    return status;
}
