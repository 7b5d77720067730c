/*
 * Plans of AoS <-> SoA: checks of the layout and the number of records a block takes (about 16 KiB, at least one).
 */
#include <stdio.h>
#include <string.h>
#include "internal.h"
#include "plans.h"

#define RECORD_TILE 16384

static lw_ops_status check_layout(const lw_record *l, bool *padded, lw_ops_error *err) {
    unsigned char used[4096];
    if (l->fields < 1 || l->fields > LW_OPS_MAX_FIELDS) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "1 to 64 fields are possible");
    if (l->record_bytes < 1 || l->record_bytes > 4096) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "records of %d bytes; 1 to 4096 are possible", l->record_bytes);
    }
    memset(used, 0, sizeof used);
    int64_t sum = 0;
    for (int f = 0; f < l->fields; f++) {
        int64_t from = l->offset[f], size = l->size[f];
        if (size < 1 || from < 0 || from + size > l->record_bytes) {
            return lw_fail(err, LW_OPS_BAD_ARGUMENT, "field %d lies outside the record", f);
        }
        for (int64_t b = from; b < from + size; b++) {
            if (used[b]++) return lw_fail(err, LW_OPS_BAD_STRIDE, "field %d overlaps another", f);
        }
        sum += size;
    }
    *padded = sum < l->record_bytes;
    return LW_OPS_OK;
}

lw_ops_status lw_record_plan(const lw_ops *ops, const lw_record *layout, int64_t records, int padding, lw_plan **plan,
                             lw_ops_error *err) {
    bool padded = false;
    if (plan) *plan = NULL;
    if (!ops || !layout || !plan) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, layout or place for the plan");
    if (records < 0) return lw_fail(err, LW_OPS_BAD_SHAPE, "a negative number of records");
    if (padding != LW_PAD_KEEP && padding != LW_PAD_ZERO) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "unknown padding rule");
    lw_ops_status st = check_layout(layout, &padded, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_RECORD);
    if (!q) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    lw_record_data *r = &q->u.record;
    uint64_t bits = (uint64_t)layout->record_bytes;
    int64_t sum = 0;
    for (int f = 0; f < layout->fields; f++) {
        bits |= (uint64_t)(layout->offset[f] | layout->size[f]);
        sum += layout->size[f];
        r->p.field[f].offset = (uint32_t)layout->offset[f];
        r->p.field[f].size = lw_fdiv_make((uint32_t)layout->size[f]);
    }
    r->layout = *layout;
    r->records = records;
    r->padded = padded;
    r->zero = padding == LW_PAD_ZERO;
    r->unit = (uint32_t)lw_low_bit(bits, 16);
    r->p.records = records;
    r->p.fields = layout->fields;
    r->p.record_bytes = (uint32_t)layout->record_bytes;
    /* a multiple of 32 records keeps the runs of every field aligned like its start, up to whole lines for words */
    uint32_t per = RECORD_TILE / r->p.record_bytes;
    r->p.per_block = per >= 32 ? per & ~31u : per ? per : 1;
    uint32_t bytes = r->p.per_block * r->p.record_bytes;
    r->shared = bytes + (bytes >> 7 << 2) + 16;
    q->useful_bytes = 2.0 * (double)records * (double)sum;
    int64_t grid = (records + r->p.per_block - 1) / r->p.per_block;
    if (grid >= 0x7fffffff || r->shared > (uint32_t)ops->shared_optin) {
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_UNSUPPORTED, "too many records or too large ones for this device");
    }
    q->grid = (uint32_t)grid;
    q->launches = records > 0;
    *plan = q;
    return LW_OPS_OK;
}

static bool meet(const char *a, int64_t an, const char *b, int64_t bn) {
    return (uintptr_t)a < (uintptr_t)b + (uintptr_t)bn && (uintptr_t)b < (uintptr_t)a + (uintptr_t)an;
}

static lw_ops_status run(const lw_plan *plan, char *aos, char *const *fields, bool to_soa, lw_stream stream) {
    if (!plan || plan->kind != LW_PLAN_RECORD) return LW_OPS_BAD_ARGUMENT;
    if (!plan->launches) return LW_OPS_OK;
    if (!aos || !fields) return LW_OPS_BAD_ARGUMENT;
    const lw_record_data *r = &plan->u.record;
    lw_record_params p = r->p;
    uint64_t bits = (uint64_t)(uintptr_t)aos | r->unit;
    for (int f = 0; f < p.fields; f++) {
        if (!fields[f]) return LW_OPS_BAD_ARGUMENT;
        if (meet(aos, r->records * r->layout.record_bytes, fields[f], r->records * r->layout.size[f])) return LW_OPS_OVERLAP;
        p.field[f].data = fields[f];
        bits |= (uint64_t)(uintptr_t)fields[f];
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    p.aos = aos;
    p.keep = !to_soa && r->padded && !r->zero;
    p.padded = !to_soa && r->padded && r->zero;
    return lw_launch_status(plan, lw_record_launch(&p, (uint32_t)lw_low_bit(bits, 4), to_soa, plan->grid, r->shared, stream));
}

lw_ops_status lw_aos_to_soa(const lw_plan *plan, void *const *fields, const void *aos, lw_stream stream) {
    return run(plan, (char *)aos, (char *const *)fields, true, stream);
}

lw_ops_status lw_soa_to_aos(const lw_plan *plan, void *aos, const void *const *fields, lw_stream stream) {
    return run(plan, aos, (char *const *)fields, false, stream);
}

void lw_record_describe(const lw_plan *plan, char *text, size_t size) {
    const lw_record_data *r = &plan->u.record;
    snprintf(text, size, "%u records of %u bytes per block, unit %u", r->p.per_block, r->p.record_bytes, r->unit);
}
