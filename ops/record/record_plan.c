/*
 * Plans of AoS <-> SoA: checks of the layout, the number of records a block takes (up to 16 KiB, 16 records at least
 * where they fit) and how the work on the fields' side is dealt out, see record.cu. The units of a field follow from
 * the pointers, so they are found at the call; so are the groups where a pointer is no multiple of 16.
 */
#include <stdio.h>
#include <string.h>
#include "common/plan.h"
#include "record/record.h"

#ifndef RECORD_TILE
#define RECORD_TILE 16384
#define RECORD_SMALL_TILE 4096 /* and one window per thread, where the other tiles are fewer than multiprocessors */
#endif

typedef struct record_plan {
    lw_plan base;
    lw_record layout;
    int64_t records;
    bool padded; /* some bytes belong to no field */
    bool zero;
    uint32_t grid, shared, threads; /* of the kernel through shared memory */
    int direct;                     /* records of a thread without shared memory, where pointers allow; 0: never */
    uint32_t direct_grid;
    unsigned char order[LW_OPS_MAX_FIELDS]; /* of the parameters' fields in the layout */
    lw_fdiv units[3][LW_OPS_MAX_FIELDS];    /* of 1, 2 and 4 bytes in an element */
    lw_record_params p;
} record_plan;

static void describe(const lw_plan *plan, char *text, size_t size);

static const lw_plan_type record_type = {.bytes = sizeof(record_plan), .describe = describe};

static lw_ops_status check_layout(const lw_record *l, bool *padded, lw_ops_error *err)
{
    unsigned char used[4096];
    if (l->fields < 1 || l->fields > LW_OPS_MAX_FIELDS) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "a record has 1 to 64 fields");
    }
    if (l->record_bytes < 1 || l->record_bytes > 4096) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "records of %d bytes; 1 to 4096 are possible", l->record_bytes);
    }
    memset(used, 0, sizeof used);
    int64_t sum = 0;
    for (int f = 0; f < l->fields; f++) {
        int64_t from = l->offset[f], size = l->size[f];
        if (size < 1 || from < 0 || from + size > l->record_bytes) {
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "field %d is outside the record", f);
        }
        for (int64_t b = from; b < from + size; b++) {
            if (used[b]++) return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "field %d overlaps another field", f);
        }
        sum += size;
    }
    *padded = sum < l->record_bytes;
    return LW_OPS_OK;
}

/* Windows of a run of that many bytes that begins `mis` bytes behind a multiple of 16. */
static uint32_t windows_of(uint32_t bytes, uint32_t mis) { return (bytes + mis + 15) / 16; }

/*
 * Deals the windows of all fields out to groups: first stretches of 4 groups, a warp's, then of 2, then single groups,
 * so that groups of one stretch lie in one warp. left: windows of each field; afterwards 0.
 */
static void deal(lw_record_params *p, uint32_t *left)
{
    uint32_t g = 0, done[LW_OPS_MAX_FIELDS] = {0}, one = LW_RECORD_GROUP * p->turns;
    for (int log = 2; log >= 0; log--) {
        uint32_t side = 1u << log, least = (side - 1) * one;
        for (int f = 0; f < p->fields; f++) {
            while (left[f] > least && left[f]) {
                for (uint32_t i = 0; i < side; i++) {
                    p->group[g++] = (uint32_t)f | (uint32_t)log << 6 | (done[f] / LW_RECORD_GROUP + i) << 8;
                }
                done[f] += side * one;
                left[f] -= left[f] < side * one ? left[f] : side * one;
            }
        }
    }
    p->groups = g;
}

/* Groups of `one` windows that deal() makes of that many. */
static uint32_t groups_of(uint32_t windows, uint32_t one)
{
    uint32_t g = 0;
    for (uint32_t side = 4; side; side /= 2) {
        for (; windows > (side - 1) * one; g += side) { windows -= windows < side * one ? windows : side * one; }
    }
    return g;
}

static uint32_t threads_of(uint32_t groups)
{
    uint32_t threads = (groups * LW_RECORD_GROUP + 31) & ~31u;
    return threads < LW_BLOCK ? threads : LW_BLOCK;
}

static uint32_t part_of(uint32_t used, uint32_t windows, uint32_t turn)
{
    return 1000 * used / ((windows + turn - 1) / turn * turn);
}

/* Used windows of all that the threads of a block go through, of both sides, in thousandths. */
static uint32_t fill_of(const lw_record *l, uint32_t per, uint32_t turns)
{
    uint32_t in = windows_of(per * (uint32_t)l->record_bytes, 0), out = 0, groups = 0, one = LW_RECORD_GROUP * turns;
    for (int f = 0; f < l->fields; f++) {
        uint32_t n = windows_of(per * (uint32_t)l->size[f], 0);
        out += n;
        groups += groups_of(n, one);
    }
    uint32_t turn = turns * threads_of(groups);
    return part_of(in, in, turn) + part_of(out, groups * one, turn);
}

/* Records of a block: a multiple of 16, so that the runs of every field are aligned like its start. */
static uint32_t records_of_block(const lw_ops *ops, const lw_record *l, uint32_t tile, uint32_t turns)
{
    uint32_t most = tile / (uint32_t)l->record_bytes, best = 16, best_fill = 0, step = 16;
    while (step * 16 < most) step *= 2;
    for (uint32_t per = most / 2 / step * step + step; per <= most; per += step) {
        uint32_t fill = fill_of(l, per, turns);
        if (fill >= best_fill) {
            best_fill = fill;
            best = per;
        }
    }
    while (best > 1 && best * (uint32_t)l->record_bytes / 32 * 33 + 64 > (uint32_t)ops->shared_optin) best /= 2;
    return best;
}

/* mis: of a window's first byte from the start of an element, which all kinds but the general ones want to be none. */
static uint32_t kind_of(uint32_t unit, uint32_t size, uint32_t mis)
{
    uint32_t count = size / unit, most = unit == 1 ? 8 : 4, log = 4;
    if (mis % size == 0 && count <= most && (count & (count - 1)) == 0) log = count / 2 - count / 8;
    return 5 * (unit / 2) + log;
}

/* Units of 4 bytes first: a warp's groups should be of one kind. */
static int by_kind(const lw_record *l, unsigned char *order)
{
    int n = 0;
    for (uint32_t kind = 15; kind-- > 0;) {
        for (int f = 0; f < l->fields; f++) {
            int unit = lw_low_bit((uint64_t)(l->record_bytes | l->offset[f] | l->size[f]), 4);
            if (kind == kind_of((uint32_t)unit, (uint32_t)l->size[f], 0)) order[n++] = (unsigned char)f;
        }
    }
    return n;
}

static void fill_params(const lw_ops *ops, record_plan *r)
{
    const lw_record *l = &r->layout;
    uint32_t left[LW_OPS_MAX_FIELDS];
    r->p.records = r->records;
    r->p.fields = by_kind(l, r->order);
    r->p.record_bytes = (uint32_t)l->record_bytes;
    bool small =
        l->record_bytes <= RECORD_SMALL_TILE / 16 && r->records * l->record_bytes <= (int64_t)RECORD_TILE * ops->sms;
    r->p.turns = small ? 1 : LW_RECORD_TURNS;
    r->p.per_block = records_of_block(ops, l, small ? RECORD_SMALL_TILE : RECORD_TILE, r->p.turns);
    for (int f = 0; f < r->p.fields; f++) {
        r->p.field[f].offset = (uint32_t)l->offset[r->order[f]];
        r->p.field[f].size = (uint32_t)l->size[r->order[f]];
        uint32_t run = r->p.per_block * r->p.field[f].size;
        left[f] = windows_of(run, run % 16 ? 15 : 0);
        for (int u = 0; u < 3; u++) r->units[u][f] = lw_fdiv_make((r->p.field[f].size + (1u << u) - 1) >> u);
    }
    deal(&r->p, left);
    r->threads = threads_of(r->p.groups);
    uint32_t bytes = r->p.per_block * r->p.record_bytes;
    r->shared = bytes + (bytes >> 7 << 2) + 16;
}

/* Fields of one size without gaps: records of a thread that needs no shared memory. */
static void plan_direct(record_plan *r)
{
    const lw_record *l = &r->layout;
    for (int f = 1; f < l->fields; f++) {
        if (l->size[f] != l->size[0]) return;
    }
    if (r->padded) return;
    r->direct = lw_record_direct_records(l->size[0], l->fields);
    if (!r->direct) return;
    int64_t threads = r->records / r->direct, grid = (threads + LW_BLOCK - 1) / LW_BLOCK;
    grid += r->records % r->direct != 0;
    if (grid >= 0x7fffffff) r->direct = 0;
    r->direct_grid = (uint32_t)grid;
}

lw_ops_status lw_record_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int padding, lw_plan **plan,
                             lw_ops_error *err)
{
    bool padded = false;
    if (plan) *plan = NULL;
    if (!ops || !layout || !plan)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle, the layout or the plan pointer is NULL");
    if (records < 0) return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "a negative number of records");
    if (padding != LW_PAD_KEEP && padding != LW_PAD_ZERO) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "unknown padding rule");
    }
    lw_ops_status st = check_layout(layout, &padded, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, &record_type);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    record_plan *r = (record_plan *)q;
    int64_t sum = 0;
    for (int f = 0; f < layout->fields; f++) sum += layout->size[f];
    r->layout = *layout;
    r->records = records;
    r->padded = padded;
    r->zero = padding == LW_PAD_ZERO;
    fill_params(ops, r);
    plan_direct(r);
    q->useful_bytes = 2.0 * (double)records * (double)sum;
    int64_t grid = (records + r->p.per_block - 1) / r->p.per_block;
    if (grid >= 0x7fffffff || r->shared + 32 > (uint32_t)ops->shared_optin) {
        lw_plan_destroy(q);
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "too many or too large records for this device");
    }
    r->grid = (uint32_t)grid;
    q->launches = records > 0;
    *plan = q;
    return LW_OPS_OK;
}

static bool meet(const char *a, int64_t an, const char *b, int64_t bn)
{
    return (uintptr_t)a < (uintptr_t)b + (uintptr_t)bn && (uintptr_t)b < (uintptr_t)a + (uintptr_t)an;
}

/* False: a pointer forbids it. */
static bool make_direct(const record_plan *r, char *aos, char *const *fields, lw_record_direct_params *p)
{
    int64_t size = r->layout.size[0], run = size * r->direct;
    if (!r->direct || (uintptr_t)aos % (uintptr_t)(run * r->layout.fields)) return false;
    for (int f = 0; f < r->layout.fields; f++) {
        if ((uintptr_t)fields[f] % (uintptr_t)run) return false;
        p->field[r->layout.offset[f] / size] = fields[f];
    }
    p->aos = aos;
    p->records = r->records;
    return true;
}

static lw_ops_status run(const lw_plan *plan, char *aos, char *const *fields, bool to_soa, lw_stream stream)
{
    if (!plan || plan->type != &record_type) return LW_OPS_BAD_ARGUMENT;
    if (!plan->launches) return LW_OPS_OK;
    if (!aos || !fields) return LW_OPS_BAD_ARGUMENT;
    const record_plan *r = (const record_plan *)plan;
    lw_record_params p = r->p;
    uint32_t left[LW_OPS_MAX_FIELDS];
    bool aligned = true;
    for (int f = 0; f < p.fields; f++) {
        lw_record_field *to = &p.field[f];
        to->data = fields[r->order[f]];
        if (!to->data) return LW_OPS_BAD_ARGUMENT;
        if (meet(aos, r->records * p.record_bytes, to->data, r->records * to->size)) return LW_OPS_OVERLAP;
        uint64_t bits = (uint64_t)((uintptr_t)aos | (uintptr_t)to->data) | to->offset | to->size | p.record_bytes;
        uint32_t unit = (uint32_t)lw_low_bit(bits, 4), run_bytes = p.per_block * to->size;
        uint32_t mis = run_bytes % 16 ? 15 : (uint32_t)((uintptr_t)to->data & 15);
        to->units = r->units[unit / 2][f];
        to->kind = kind_of(unit, to->size, mis);
        left[f] = windows_of(run_bytes, mis);
        aligned = aligned && mis == 0;
    }
    if (!aligned) deal(&p, left);
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    lw_record_direct_params direct;
    if (make_direct(r, aos, fields, &direct)) {
        return lw_launch_status(
            lw_record_direct_launch(&direct, r->layout.size[0], r->layout.fields, to_soa, r->direct_grid, stream));
    }
    p.aos = aos;
    p.even = aligned && (((uintptr_t)aos | p.per_block * p.record_bytes) & 15) == 0;
    p.keep = !to_soa && r->padded && !r->zero;
    p.zero = !to_soa && r->padded && r->zero;
    uint32_t shared = r->shared + (p.even ? 0 : 32); /* records begin up to 15 bytes into the tile */
    return lw_launch_status(lw_record_launch(&p, to_soa, r->grid, r->threads, shared, stream));
}

lw_ops_status lw_aos_to_soa(const lw_plan *plan, void *const *fields, const void *aos, lw_stream stream)
{
    return run(plan, (char *)aos, (char *const *)fields, true, stream);
}

lw_ops_status lw_soa_to_aos(const lw_plan *plan, void *aos, const void *const *fields, lw_stream stream)
{
    return run(plan, aos, (char *const *)fields, false, stream);
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const record_plan *r = (const record_plan *)plan;
    if (r->direct) {
        snprintf(text, size, "records of %u bytes in registers, %d of a thread", r->p.record_bytes, r->direct);
        return;
    }
    snprintf(text, size, "%u records of %u bytes per block of %u threads, %u groups", r->p.per_block, r->p.record_bytes,
             r->threads, r->p.groups);
}
