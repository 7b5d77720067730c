/* model: one access given by hand. The op's name becomes an event, the event goes to the client of events; of a copy there are
 * two, one for each side. */
#include "model/model.h"
#include "model/rules.h"

#include <stdlib.h>
#include <string.h>

typedef struct pattern_op {
    const char *name;
    uint8_t space, op, atomic; /* event_space, event_op, event_atomic */
    uint8_t bytes, matrices;   /* of a lane; of ldmatrix and stmatrix */
} pattern_op;

#define WIDTHS(prefix, space, op)                                                                                      \
    {prefix "8", space, op, 0, 1, 0}, {prefix "16", space, op, 0, 2, 0}, {prefix "32", space, op, 0, 4, 0},            \
        {prefix "64", space, op, 0, 8, 0}, {prefix "128", space, op, 0, 16, 0}

static const pattern_op pattern_ops[] = {
    WIDTHS("lds", EVENT_SHARED, EVENT_LOAD),
    WIDTHS("sts", EVENT_SHARED, EVENT_STORE),
    WIDTHS("ldg", EVENT_GLOBAL, EVENT_LOAD),
    WIDTHS("stg", EVENT_GLOBAL, EVENT_STORE),
    WIDTHS("ldl", EVENT_LOCAL, EVENT_LOAD),
    WIDTHS("stl", EVENT_LOCAL, EVENT_STORE),
    WIDTHS("dld", EVENT_DSHARED, EVENT_LOAD),
    WIDTHS("dst", EVENT_DSHARED, EVENT_STORE),
    {"ldg256", EVENT_GLOBAL, EVENT_LOAD, 0, 32, 0},
    {"stg256", EVENT_GLOBAL, EVENT_STORE, 0, 32, 0},
    {"ldsm1", EVENT_SHARED, EVENT_MATRIX_LOAD, 0, 16, 1},
    {"ldsm2", EVENT_SHARED, EVENT_MATRIX_LOAD, 0, 16, 2},
    {"ldsm4", EVENT_SHARED, EVENT_MATRIX_LOAD, 0, 16, 4},
    {"ldsm4t", EVENT_SHARED, EVENT_MATRIX_LOAD, 0, 16, 4},
    {"stsm1", EVENT_SHARED, EVENT_MATRIX_STORE, 0, 16, 1},
    {"stsm2", EVENT_SHARED, EVENT_MATRIX_STORE, 0, 16, 2},
    {"stsm4", EVENT_SHARED, EVENT_MATRIX_STORE, 0, 16, 4},
    /* The recorded atoms_inc1 uses the old value: then an add of 1 is counted like any other. Its other form is below.
     */
    {"atoms_add", EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 4, 0},
    {"atoms_inc1", EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 4, 0},
    {"atoms_cas", EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_CAS, 4, 0},
    {"atoms_ex64", EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_EXCH, 8, 0},
    {"reds_add", EVENT_SHARED, EVENT_REDUCTION, EVENT_ATOMIC_ADD, 4, 0},
    {"reds_inc1", EVENT_SHARED, EVENT_REDUCTION, EVENT_ATOMIC_ADD_1, 4, 0},
    {"atom32", EVENT_GLOBAL, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 4, 0},
    {"atom64", EVENT_GLOBAL, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 8, 0},
    {"red32", EVENT_GLOBAL, EVENT_REDUCTION, EVENT_ATOMIC_ADD, 4, 0},
    {"red64", EVENT_GLOBAL, EVENT_REDUCTION, EVENT_ATOMIC_ADD, 8, 0},
    {"datom", EVENT_DSHARED, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 4, 0},
    {"cpa4", EVENT_SHARED, EVENT_COPY_WRITE, 0, 4, 0},
    {"cpa8", EVENT_SHARED, EVENT_COPY_WRITE, 0, 8, 0},
    {"cpa16", EVENT_SHARED, EVENT_COPY_WRITE, 0, 16, 0},
    {"cpg16", EVENT_SHARED, EVENT_COPY_WRITE, 0, 16, 0},
    {"ldci", EVENT_CONSTANT, EVENT_LOAD, 0, 4, 0},
    {"ldci64", EVENT_CONSTANT, EVENT_LOAD, 0, 8, 0},
    {"ldci128", EVENT_CONSTANT, EVENT_LOAD, 0, 16, 0},
    {"cas32", EVENT_GLOBAL, EVENT_ATOMIC, EVENT_ATOMIC_CAS, 4, 0},
    {"cas64", EVENT_GLOBAL, EVENT_ATOMIC, EVENT_ATOMIC_CAS, 8, 0},
};

static bool bypasses(const pattern_op *p) { return !strcmp(p->name, "cpg16"); }

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
    if (uniform) return EVENT_UNIFORM;
    return consecutive ? EVENT_CONSECUTIVE : EVENT_GENERAL;
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

/* Fills addresses and mask; a lane whose offset is -1 in either list is off. */
static lw_status place_lanes(event_memory *e, const int64_t offsets[32], const int64_t other[32], uint64_t address[32],
                             lw_error *error)
{
    for (uint32_t i = 0; i < 32; i++) {
        address[i] = 0;
        if (offsets[i] < 0 || other[i] < 0) continue;
        if (offsets[i] % e->bytes)
            return lw_fail(error, LW_INVALID_ARGUMENT, "offset %lld of lane %u is not a multiple of %u bytes",
                           (long long)offsets[i], i, e->bytes);
        address[i] = (uint64_t)offsets[i];
        e->mask |= 1u << i;
    }
    if (e->mask) e->shape = shape_of(address, e->mask, e->bytes);
    e->address = address;
    return LW_OK;
}

static lw_status count_event(const device_profile *device, const model_options *options, const char *op,
                             const event_memory *e, counter_set *out, const char **why, lw_error *error)
{
    uint32_t first_cc = model_first_cc(e);
    if (device->cc < first_cc)
        return lw_fail(error, LW_UNSUPPORTED, "compute capability %u.%u has no '%s' (%u.%u and later have)",
                       device->cc / 10, device->cc % 10, op, first_cc / 10, first_cc % 10);
    model *m;
    LW_TRY(model_create(&m, device, 1, error));
    lw_status status = options ? model_set_options(m, options, error) : LW_OK;
    if (!status && e->mask) { /* without an active lane nothing is counted */
        model_client.memory(model_client.worker_begin(m, 0), e);
        pattern_result result = {out, why};
        model_each(m, take_result, &result);
    }
    model_destroy(m);
    return status;
}

static lw_status find_copy(const char *op, const pattern_op **out, lw_error *error)
{
    *out = find_op(op);
    if (!*out || (*out)->op != EVENT_COPY_WRITE)
        return lw_fail(error, LW_UNSUPPORTED, "'%s' is not a copy (cpa4, cpa8, cpa16, cpg16)", op);
    return LW_OK;
}

lw_status model_copy_pattern(const device_profile *device, const char *op, const int64_t source[32],
                             const int64_t destination[32], counter_set *global, counter_set *shared, const char **why,
                             lw_error *error)
{
    const pattern_op *p;
    uint64_t from[32], to[32];
    if (why) *why = NULL;
    *global = *shared = (counter_set){0, {0}};
    LW_TRY(find_copy(op, &p, error));
    event_memory e = {
        .space = EVENT_GLOBAL, .op = EVENT_COPY_READ, .bytes = p->bytes, .flags = bypasses(p) ? EVENT_BYPASS_L1 : 0};
    event_memory write = e;
    write.space = EVENT_SHARED;
    write.op = EVENT_COPY_WRITE;
    LW_TRY(place_lanes(&e, source, destination, from, error));
    LW_TRY(place_lanes(&write, destination, source, to, error));
    e.address2 = to;
    write.address2 = from;
    e.sources = e.mask;
    write.sources = e.mask;
    LW_TRY(count_event(device, NULL, op, &e, global, NULL, error));
    return count_event(device, NULL, op, &write, shared, why, error);
}

/* cp.async.cg as it is tabled: its destination, from a source of neighbours; both sides in one set. */
static lw_status bypass_pattern(const device_profile *device, const char *op, const int64_t offsets[32],
                                counter_set *out, const char **why, lw_error *error)
{
    counter_set global;
    int64_t source[32];
    for (int i = 0; i < 32; i++) source[i] = i * 16;
    LW_TRY(model_copy_pattern(device, op, source, offsets, &global, out, why, error));
    for (int c = 0; c < COUNTER_COUNT; c++)
        if (global.present >> c & 1) out->value[c] = global.value[c];
    out->present |= global.present;
    return LW_OK;
}

lw_status model_pattern(const device_profile *device, const model_options *options, const char *op,
                        const int64_t offsets[32], counter_set *out, const char **why, lw_error *error)
{
    if (why) *why = NULL;
    *out = (counter_set){0, {0}};
    const pattern_op *p = find_op(op);
    if (!p) return lw_fail(error, LW_UNSUPPORTED, "unknown access '%s' (like lds32, stg64, atoms_add, ldsm4)", op);
    if (bypasses(p)) return bypass_pattern(device, op, offsets, out, why, error);
    uint64_t address[32];
    event_memory e = {.space = p->space, .op = p->op, .atomic = p->atomic, .bytes = p->bytes, .matrices = p->matrices};
    LW_TRY(place_lanes(&e, offsets, offsets, address, error));
    return count_event(device, options, op, &e, out, why, error);
}
