/*
 * Plans of pads: a copy into a larger or smaller tensor whose other elements get a constant. In one launch where
 * pad_one.c can, else a copy into the middle and boxes around it. Host only.
 */
#include <stdio.h>
#include <string.h>
#include "common/plan.h"
#include "convert/pad.h"

/* One box of the output, around the middle. */
typedef struct pad_fill {
    int64_t offset, bytes; /* of a row */
    uint64_t bits;         /* what limits the vector */
    bool power;            /* the element is a power of two */
    lw_fill_params p;
} pad_fill;

typedef struct pad_plan {
    lw_plan base;
    lw_plan *copy;
    int64_t dst_offset, src_offset; /* of the copy, bytes */
    lw_pad_one one;
    int fills;
    pad_fill fill[2 * LW_OPS_MAX_RANK];
} pad_plan;

/* Indices of the output, lo to hi - 1, whose elements come from the input. */
typedef struct pad_box {
    int64_t lo[LW_OPS_MAX_RANK], hi[LW_OPS_MAX_RANK];
} pad_box;

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
static void describe(const lw_plan *plan, char *text, size_t size);
static void release(lw_plan *plan);

static const lw_plan_type pad_type = {.bytes = sizeof(pad_plan), .run = run, .describe = describe, .release = release};

/* One box of the output that lies outside the input, as rows of a pattern. */
static bool plan_fill(pad_fill *f, const lw_tensor *t, int elem, const int64_t *from, const int64_t *n,
                      const void *value)
{
    lw_dim d[LW_OPS_MAX_RANK];
    lw_span span = {0};
    int count = 0;
    for (int i = 0; i < t->rank; i++) {
        f->offset += from[i] * t->stride[i];
        d[count++] = (lw_dim){n[i], t->stride[i], t->stride[i]};
    }
    if (!lw_dims_normalise(d, &count, elem, elem, &span)) return false;
    f->offset += span.out_off;
    bool run = count > 0 && d[0].out == elem;
    int64_t bytes = run ? d[0].n * elem : elem;
    uint64_t bits = (uint64_t)bytes | (uint64_t)f->offset, rows = 1;
    for (int i = run ? 1 : 0; i < count; i++) bits |= (uint64_t)d[i].out;
    f->bits = bits;
    f->bytes = bytes;
    f->power = !(elem & (elem - 1));
    lw_fill_params *p = &f->p;
    p->elem = elem;
    for (int i = 0; i < 64; i++) p->pattern[i] = ((const unsigned char *)value)[i % elem];
    if (!lw_outer_fill(&p->outer, d, count, run ? 1 : 0, &rows)) return false;
    p->rows = (uint32_t)rows;
    return true;
}

/* Margins of the output that lie before and after the input's box along dimension `at`, inside the slower ones. */
static bool plan_margins(pad_plan *pad, const lw_tensor *dst, const pad_box *box, int at, const void *value)
{
    int elem = dst->type == LW_BYTES ? dst->elem_bytes : lw_type_bytes(dst->type);
    for (int side = 0; side < 2; side++) {
        int64_t from[LW_OPS_MAX_RANK], n[LW_OPS_MAX_RANK];
        bool none = false;
        for (int k = 0; k < dst->rank; k++) {
            from[k] = k < at ? box->lo[k] : 0;
            n[k] = k < at ? box->hi[k] - box->lo[k] : dst->extent[k];
        }
        from[at] = side ? box->hi[at] : 0;
        n[at] = side ? dst->extent[at] - box->hi[at] : box->lo[at];
        for (int k = 0; k < dst->rank; k++) none = none || n[k] == 0;
        if (!none && !plan_fill(&pad->fill[pad->fills++], dst, elem, from, n, value)) return false;
    }
    return true;
}

/* Where the output's elements come from the input; false: none do. */
static bool find_box(const lw_tensor *dst, const lw_tensor *src, const int64_t *before, pad_box *box)
{
    bool empty = false;
    for (int i = 0; i < dst->rank; i++) {
        int64_t end = before[i] + src->extent[i];
        box->lo[i] = before[i] > 0 ? before[i] : 0;
        box->hi[i] = end < dst->extent[i] ? end : dst->extent[i];
        if (box->lo[i] > dst->extent[i]) box->lo[i] = dst->extent[i];
        if (box->hi[i] < box->lo[i]) box->hi[i] = box->lo[i];
        empty = empty || box->hi[i] == box->lo[i];
    }
    return !empty;
}

/* The copy of the input into that box. The corners of both are aligned no better than elements are. */
static lw_ops_status plan_inner(pad_plan *pad, const lw_tensor *dst, const lw_tensor *src, const int64_t *before,
                                const pad_box *box, int elem, lw_ops_error *err)
{
    lw_tensor inner = *dst, part = *src;
    int align = lw_low_bit((uint64_t)elem, 16);
    if (dst->align && dst->align < align) align = dst->align;
    if (src->align && src->align < align) align = src->align;
    inner.align = part.align = pad->base.align = align;
    for (int i = 0; i < dst->rank; i++) {
        inner.extent[i] = part.extent[i] = box->hi[i] - box->lo[i];
        pad->dst_offset += box->lo[i] * dst->stride[i];
        pad->src_offset += (box->lo[i] - before[i]) * src->stride[i];
    }
    return lw_copy_plan(pad->base.ops, &inner, &part, &pad->copy, err);
}

static lw_ops_status fill(pad_plan *pad, const lw_tensor *dst, const lw_tensor *src, const int64_t *before,
                          const void *value, lw_ops_error *err)
{
    lw_plan *q = &pad->base;
    int elem = dst->type == LW_BYTES ? dst->elem_bytes : lw_type_bytes(dst->type);
    pad_box box;
    bool some = find_box(dst, src, before, &box);
    lw_ops_status st = plan_inner(pad, dst, src, before, &box, elem, err);
    if (st != LW_OPS_OK) return st;
    for (int i = 0; i < dst->rank; i++) {
        if (!plan_margins(pad, dst, &box, i, value)) {
            return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 rows");
        }
    }
    if (pad->fills && some) lw_pad_one_plan(&pad->one, dst, src, elem, before, value);
    q->launches = pad->one.grid ? 1 : pad->fills + (some ? lw_plan_launches(pad->copy) : 0);
    q->useful_bytes = elem;
    for (int i = 0; i < dst->rank; i++) q->useful_bytes *= (double)dst->extent[i];
    q->useful_bytes += pad->copy->read_bytes;
    return LW_OPS_OK;
}

lw_ops_status lw_pad_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int64_t *before,
                          const void *value, lw_plan **plan, lw_ops_error *err)
{
    lw_plan *probe = NULL;
    if (plan) *plan = NULL;
    if (!ops || !dst || !src || !before || !value || !plan) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle, a tensor, before, value or the plan pointer is NULL");
    }
    lw_ops_status st = lw_copy_plan(ops, dst, dst, &probe, err); /* checks the output */
    lw_plan_destroy(probe);
    if (st != LW_OPS_OK) return st;
    if (src->rank != dst->rank)
        return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "the ranks differ: %d and %d", src->rank, dst->rank);
    lw_plan *q = lw_plan_new(ops, &pad_type);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    st = fill((pad_plan *)q, dst, src, before, value, err);
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

static void release(lw_plan *plan) { lw_plan_destroy(((pad_plan *)plan)->copy); }

static int run_fill(const pad_fill *f, char *dst, lw_stream stream)
{
    lw_fill_params p = f->p;
    p.out = dst + f->offset;
    int vec = lw_low_bit(f->bits | (uint64_t)(uintptr_t)p.out, 16);
    if (!f->power && vec > 8) vec = 8;
    if (!f->power || vec > f->p.elem) { /* whole elements in a vector, or whole vectors in an element */
        if (!f->power) vec = lw_low_bit((uint64_t)(vec | p.elem), 8);
    }
    p.pieces = f->bytes / vec;
    uint64_t grid;
    if (p.pieces <= LW_CONVERT_SEGMENT / 2) {
        p.width = lw_fdiv_make((uint32_t)p.pieces);
        p.rows_per_block = (uint32_t)(LW_CONVERT_SEGMENT / p.pieces);
        grid = (p.rows + (uint64_t)p.rows_per_block - 1) / p.rows_per_block;
    } else {
        int64_t parts = (p.pieces + LW_CONVERT_SEGMENT - 1) / LW_CONVERT_SEGMENT;
        if (parts >= 0x7fffffff) return 1;
        p.width = lw_fdiv_make(1);
        p.parts = lw_fdiv_make((uint32_t)parts);
        grid = (uint64_t)p.rows * (uint64_t)parts;
    }
    return grid >= 0x7fffffff ? 1 : lw_fill_launch(&p, vec, (uint32_t)grid, stream);
}

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    const pad_plan *pad = (const pad_plan *)plan;
    (void)workspace;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst || !src) return LW_OPS_BAD_ARGUMENT;
    if (((uintptr_t)dst | (uintptr_t)src) % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    lw_ops_status st = lw_check_device(plan->ops);
    if (st == LW_OPS_OK && pad->one.grid && ((uintptr_t)dst | (uintptr_t)src) % 16 == 0) {
        return lw_pad_one_run(&pad->one, dst, src, stream);
    }
    if (st == LW_OPS_OK) {
        const char *from = (const char *)src + pad->src_offset;
        st = lw_plan_run(pad->copy, (char *)dst + pad->dst_offset, from, NULL, stream);
    }
    for (int i = 0; i < pad->fills && st == LW_OPS_OK; i++) {
        if (run_fill(&pad->fill[i], dst, stream)) st = LW_OPS_LAUNCH;
    }
    return st;
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const pad_plan *pad = (const pad_plan *)plan;
    if (pad->one.grid) snprintf(text, size, "rows of vectors in one launch");
    else snprintf(text, size, "copy and %d fills", pad->fills);
}
