/*
 * Plans of reversals in place: every element is swapped with its mirror, the slowest flipped dimension enumerated to its
 * middle. Dense rows are exchanged as a whole at any alignment (flip.cu), all else element by element (inplace.cu).
 */
#include <stdio.h>
#include <string.h>
#include "common/plan.h"
#include "inplace/inplace.h"

typedef struct flip_dim {
    int64_t n, stride; /* elements, bytes */
    bool flipped;
} flip_dim;

typedef struct swap_plan {
    lw_plan base;
    lw_swap_params p[2]; /* for pointers aligned to 16 bytes, and for the declared alignment */
    uint32_t grid[2];
    int64_t offset; /* from the caller's pointer to the lowest byte */
    int64_t hi;     /* bytes of the tensor from its lowest element on */
} swap_plan;

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
static void describe(const lw_plan *plan, char *text, size_t size);

static const lw_plan_type swap_type = {.bytes = sizeof(swap_plan), .in_place = true, .run = run, .describe = describe};

/* Positive ascending strides, extents of 1 dropped, neighbours merged; false if elements overlap. */
static bool normalise(const lw_tensor *t, int elem, uint32_t axes, flip_dim *d, int *count, int64_t *offset)
{
    int n = 0, m = 0;
    int64_t reach = elem;
    *offset = 0;
    for (int i = 0; i < t->rank; i++) {
        flip_dim x = {t->extent[i], t->stride[i], axes >> i & 1};
        if (x.n == 1) continue;
        if (x.stride < 0) {
            *offset += (x.n - 1) * x.stride;
            x.stride = -x.stride;
        }
        int at = n++;
        for (; at > 0 && d[at - 1].stride > x.stride; at--) d[at] = d[at - 1];
        d[at] = x;
    }
    for (int i = 0; i < n; i++) {
        if (d[i].stride < reach) return false;
        reach += (d[i].n - 1) * d[i].stride;
    }
    for (int i = 0; i < n; i++) {
        flip_dim *last = m ? &d[m - 1] : NULL;
        if (last && last->flipped == d[i].flipped && d[i].stride == last->n * last->stride) last->n *= d[i].n;
        else d[m++] = d[i];
    }
    *count = m;
    return true;
}

#define SWAP_MIN_ROW LW_FLIP_MIN_ROW /* bytes; shorter rows go element by element */

/* 16-byte vectors where everything is aligned; their elements are reversed if the fastest dimension is flipped. */
static bool choose_aligned(lw_swap_params *p, flip_dim *d, const int *count, int elem, int align)
{
    uint64_t bits = (uint64_t)align;
    bool dense = *count > 0 && d[0].stride == elem, small = elem <= 16 && !(elem & (elem - 1));
    for (int i = 1; i < *count; i++) bits |= (uint64_t)d[i].stride;
    if (!dense || lw_low_bit(bits | (uint64_t)(d[0].n * elem), 16) < 16 || (d[0].flipped && !small)) return false;
    p->vec = 16;
    p->elem = d[0].flipped ? elem : 0;
    d[0].n = d[0].n * elem / 16;
    d[0].stride = 16;
    return true;
}

/* Removes the fastest dimension when rows can be exchanged as a whole: bytes of a row, or 0. */
static int64_t choose_rows(lw_swap_params *p, flip_dim *d, int *count, int elem, int align, uint64_t *bits)
{
    int n = *count;
    if (n == 0 || d[0].stride != elem || d[0].n * elem < SWAP_MIN_ROW) return 0;
    *bits = (uint64_t)align | (uint64_t)elem;
    for (int i = 1; i < n; i++) *bits |= (uint64_t)d[i].stride;
    int64_t len = d[0].n * elem;
    p->elem = d[0].flipped ? elem : 0;
    p->half = d[0].n / 2 * elem;
    memmove(d, d + 1, (size_t)(n - 1) * sizeof *d);
    *count = n - 1;
    return len;
}

/* Single elements: the widest vector that divides one; its units are one more dimension, not mirrored. */
static void choose_vector(lw_swap_params *p, flip_dim *d, int *count, int elem, int align)
{
    uint64_t bits = (uint64_t)align | (uint64_t)elem;
    int n = *count;
    bool run = n > 0 && d[0].stride == elem && !d[0].flipped;
    for (int i = run ? 1 : 0; i < n; i++) bits |= (uint64_t)d[i].stride;
    p->vec = lw_low_bit(bits, 16);
    if (run) {
        d[0].n = d[0].n * elem / p->vec;
        d[0].stride = p->vec;
    } else if (p->vec < elem) {
        memmove(d + 1, d, (size_t)n * sizeof *d);
        d[0] = (flip_dim){elem / p->vec, p->vec, false};
        (*count)++;
    }
}

/* The enumeration; false if it needs too many blocks. */
static bool fill(lw_swap_params *p, const flip_dim *d, int count, int64_t len, uint64_t bits, uint32_t *grid)
{
    p->outermost = -1;
    p->total = 1;
    p->dims = count;
    for (int i = 0; i < count; i++) {
        p->extent[i] = d[i].n;
        p->stride[i] = d[i].stride;
        if (!d[i].flipped) continue;
        p->flipped |= 1u << i;
        p->outermost = i;
    }
    for (int i = 0; i < count; i++) p->total *= i == p->outermost ? (p->extent[i] + 1) / 2 : p->extent[i];
    int64_t blocks = (p->total + 4 * LW_BLOCK - 1) / (4 * LW_BLOCK);
    if (len) { /* without a flipped dimension every row is its own mirror */
        bool own = p->outermost < 0, dense = own && (count == 0 || (count == 1 && d[0].stride == len));
        return lw_flip_fill(&p->rows, len, p->elem, bits, p->total, dense ? p->total : 0, true, own ? 1 : 2, grid);
    }
    *grid = (uint32_t)blocks;
    return blocks < 0x7fffffff;
}

/* For aligned pointers, or for what is declared. */
static bool plan_variant(swap_plan *w, const flip_dim *dims, int count, int elem, bool declared)
{
    lw_swap_params *p = &w->p[declared];
    flip_dim d[LW_OPS_MAX_RANK + 1];
    int align = declared ? lw_low_bit((uint64_t)(w->base.align | w->offset), 16) : 16;
    uint64_t bits = 0;
    memcpy(d, dims, sizeof d);
    int64_t len = choose_aligned(p, d, &count, elem, align) ? 0 : choose_rows(p, d, &count, elem, align, &bits);
    if (!p->vec && !len) choose_vector(p, d, &count, elem, align);
    return fill(p, d, count, len, bits, &w->grid[declared]);
}

/* w->base is there, with the tensor's alignment. */
static lw_ops_status plan_swap(swap_plan *w, const lw_tensor *t, int elem, uint32_t axes, lw_ops_error *err)
{
    flip_dim d[LW_OPS_MAX_RANK + 1];
    int count = 0;
    bool any = false;
    if (!normalise(t, elem, axes, d, &count, &w->offset)) {
        return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "elements overlap, or could overlap");
    }
    w->hi = elem;
    for (int i = 0; i < count; i++) {
        any = any || d[i].flipped;
        w->hi += (d[i].n - 1) * d[i].stride;
    }
    if (!any) return LW_OPS_OK; /* nothing is flipped */
    if (!plan_variant(w, d, count, elem, false) || !plan_variant(w, d, count, elem, true)) {
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    }
    w->base.launches = 1;
    return LW_OPS_OK;
}

lw_ops_status lw_flip_inplace_plan(const lw_ops *ops, const lw_tensor *t, uint32_t axes, lw_plan **plan,
                                   lw_ops_error *err)
{
    lw_plan *probe = NULL;
    if (plan) *plan = NULL;
    if (!ops || !t || !plan)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle, a tensor or the plan pointer is NULL");
    lw_tensor other = *t;
    lw_ops_status st = lw_flip_plan(ops, &other, t, axes, &probe, err); /* checks everything */
    lw_plan_destroy(probe);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, &swap_type);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    int elem = t->type == LW_BYTES ? t->elem_bytes : lw_type_bytes(t->type);
    q->align = t->align ? t->align : lw_low_bit((uint64_t)elem, 16);
    if (q->align > 16) q->align = 16;
    q->useful_bytes = 2.0 * elem;
    for (int i = 0; i < t->rank; i++) q->useful_bytes *= (double)t->extent[i];
    if (q->useful_bytes > 0) st = plan_swap((swap_plan *)q, t, elem, axes, err);
    if (st != LW_OPS_OK) lw_plan_destroy(q);
    else *plan = q;
    return st;
}

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    const swap_plan *w = (const swap_plan *)plan;
    (void)src;
    (void)workspace;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst) return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)dst % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    int v = ((uintptr_t)dst + (uintptr_t)w->offset) % 16 != 0;
    lw_swap_params p = w->p[v];
    p.data = (char *)dst + w->offset;
    p.rows.lo = p.data;
    p.rows.hi = p.data + w->hi;
    return lw_launch_status(lw_swap_launch(&p, w->grid[v], stream));
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const lw_swap_params *p = &((const swap_plan *)plan)->p[0];
    if (!plan->launches) {
        snprintf(text, size, "nothing to do");
    } else if (p->rows.len) {
        snprintf(text, size, "swap rows of %lld bytes%s, %s", (long long)p->rows.len, p->elem ? ", reversed" : "",
                 lw_flip_mode_text(&p->rows));
    } else {
        snprintf(text, size, "swap pairs of %d bytes", p->vec);
    }
}
