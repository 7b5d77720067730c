/*
 * Plans of reversals and square transpositions in place. A reversal swaps every element with its mirror: the slowest
 * flipped dimension is enumerated to its middle. Dense rows are exchanged as a whole at any alignment (flip.cu), all
 * else element by element.
 */
#include <stdio.h>
#include <string.h>
#include "common/internal.h"
#include "common/plans.h"

typedef struct flip_dim {
    int64_t n, stride;
    bool flipped;
} flip_dim;

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
    p->nd = count;
    for (int i = 0; i < count; i++) {
        p->n[i] = d[i].n;
        p->stride[i] = d[i].stride;
        if (!d[i].flipped) continue;
        p->flipped |= 1u << i;
        p->outermost = i;
    }
    for (int i = 0; i < count; i++) p->total *= i == p->outermost ? (p->n[i] + 1) / 2 : p->n[i];
    int64_t blocks = (p->total + 4 * LW_BLOCK - 1) / (4 * LW_BLOCK);
    if (len) { /* without a flipped dimension every row is its own mirror */
        bool own = p->outermost < 0, dense = own && (count == 0 || (count == 1 && d[0].stride == len));
        return lw_flip_fill(&p->rows, len, p->elem, bits, p->total, dense ? p->total : 0, true, own ? 1 : 2, grid);
    }
    *grid = (uint32_t)blocks;
    return blocks < 0x7fffffff;
}

lw_ops_status lw_flip_inplace_plan(const lw_ops *ops, const lw_tensor *t, uint32_t axes, lw_plan **plan,
                                   lw_ops_error *err)
{
    flip_dim d[LW_OPS_MAX_RANK + 1];
    lw_plan *probe = NULL;
    lw_tensor other;
    int count = 0;
    if (plan) *plan = NULL;
    if (!ops || !t || !plan) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, tensor or place for the plan");
    other = *t;
    lw_ops_status st = lw_flip_plan(ops, &other, t, axes, &probe, err); /* checks everything */
    lw_plan_destroy(probe);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_SWAP);
    if (!q) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    lw_swap_params *p;
    int elem = t->type == LW_BYTES ? t->elem_bytes : lw_type_bytes(t->type);
    q->align = t->align ? t->align : lw_low_bit((uint64_t)elem, 16);
    if (q->align > 16) q->align = 16;
    q->useful_bytes = 2.0 * elem;
    for (int i = 0; i < t->rank; i++) q->useful_bytes *= (double)t->extent[i];
    *plan = q;
    if (q->useful_bytes == 0) return LW_OPS_OK;
    if (!normalise(t, elem, axes, d, &count, &q->offset)) {
        *plan = NULL;
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_BAD_STRIDE, "elements overlap, or could");
    }
    bool any = false;
    q->u.swap.hi = elem;
    for (int i = 0; i < count; i++) {
        any = any || d[i].flipped;
        q->u.swap.hi += (d[i].n - 1) * d[i].stride;
    }
    if (!any) return LW_OPS_OK; /* nothing is flipped */
    bool ok = true;
    for (int v = 0; v < 2 && ok; v++) { /* for aligned pointers, then for what is declared */
        flip_dim e[LW_OPS_MAX_RANK + 1];
        int n = count, align = v ? lw_low_bit((uint64_t)(q->align | q->offset), 16) : 16;
        memcpy(e, d, sizeof e);
        p = &q->u.swap.p[v];
        uint64_t bits = 0;
        int64_t len = choose_aligned(p, e, &n, elem, align) ? 0 : choose_rows(p, e, &n, elem, align, &bits);
        if (!p->vec && !len) choose_vector(p, e, &n, elem, align);
        ok = fill(p, e, n, len, bits, &q->u.swap.grid[v]);
    }
    if (!ok) {
        *plan = NULL;
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    }
    q->launches = 1;
    return LW_OPS_OK;
}

/* Pitch of a tile for rows at odd addresses; 0 if a column's elements would meet in banks, more than two in one. */
static uint32_t odd_pitch(const lw_square_params *p, int side)
{
    uint32_t pitch = (uint32_t)(side * p->elem + 30);
    while (((uint64_t)pitch ^ (uint64_t)p->row_stride) & 15) pitch++;
    return lw_low_bit(pitch, 64) <= 8 ? pitch : 0;
}

/* Tile pairs of all matrices, in groups; 0: too many. */
static uint64_t count_pairs(lw_square_params *p, int64_t batch, int side)
{
    int64_t tiles = (p->n + side - 1) / side, groups = (tiles + (1 << p->group) - 1) >> p->group;
    int64_t pairs = (groups * (groups + 1) / 2) << 2 * p->group;
    if (tiles > 65535 || pairs >= 0x7fffffff || (double)pairs * (double)batch >= 0x7fffffff) return 0;
    p->tiles = (uint32_t)tiles;
    p->pairs = lw_fdiv_make((uint32_t)pairs);
    return (uint64_t)(pairs * batch);
}

#define BULK_TILES 3 /* along a side, at least: smaller matrices waste too much of the last */
#define BULK_SHARE 3 /* a pair for every so many multiprocessors, at least; measured down to 55 on 132 */

/* Tiles by bulk copies. Rows at multiples of 16 bytes, for bytes of 4, have columns whose elements meet in banks. */
static bool square_bulk(const lw_ops *ops, lw_square_params *p, int64_t batch, uint64_t bits, uint32_t *grid)
{
    int even = lw_low_bit((uint64_t)p->row_stride, 16);
    if (lw_low_bit(bits, 16) < p->elem || even > (p->elem == 1 ? 2 : 8)) return false;
    for (int i = 0; (p->side = lw_pairs_side(ops, p->elem, i)) != 0; i++) {
        uint64_t pairs = count_pairs(p, batch, p->side);
        if (pairs < (uint64_t)(ops->sms / BULK_SHARE) || p->n <= BULK_TILES * p->side) continue;
        p->form = LW_SQUARE_BULK;
        *grid = (uint32_t)pairs;
        return true;
    }
    return false;
}

/* Which kernel, and its tiles; false: too many blocks. */
static bool square_form(const lw_ops *ops, lw_square_params *p, int64_t batch, int align, uint32_t *grid)
{
    uint64_t bits = (uint64_t)(p->row_stride | (batch > 1 ? p->batch_stride : 0)) | (uint64_t)align;
    if (square_bulk(ops, p, batch, bits, grid)) return true;
    p->gran = lw_low_bit(bits | (uint64_t)p->elem, 8);
    p->form = lw_low_bit(bits | (uint64_t)(p->n * p->elem), 16) < 16 ? LW_SQUARE_ANY : LW_SQUARE_ALIGNED;
    int side = lw_square_tile(p->elem, LW_SQUARE_ODD);
    if (p->form && side && p->gran == p->elem && (p->pitch = odd_pitch(p, side)) != 0) p->form = LW_SQUARE_ODD;
    else side = lw_square_tile(p->elem, p->form);
    /* rows at any address: 2-8 %; others are 1-2 % slower by groups */
    p->group = p->form && p->n > 15 * side && p->row_stride % 128 ? 3 : 0;
    uint64_t pairs = count_pairs(p, batch, side);
    *grid = (uint32_t)pairs;
    return pairs != 0;
}

lw_ops_status lw_transpose_square_inplace_plan(const lw_ops *ops, int64_t batch, int64_t n, int elem_bytes,
                                               int64_t row_stride, int64_t batch_stride, lw_plan **plan,
                                               lw_ops_error *err)
{
    if (plan) *plan = NULL;
    if (!ops || !plan) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle or no place for the plan");
    if (elem_bytes < 1 || elem_bytes > LW_OPS_MAX_ELEM) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "elements of %d bytes; 1 to 64 are possible", elem_bytes);
    }
    if (batch < 0 || n < 0) return lw_fail(err, LW_OPS_BAD_SHAPE, "a negative size");
    if (n > 1 && (row_stride < n * elem_bytes || (batch > 1 && batch_stride < (n - 1) * row_stride + n * elem_bytes))) {
        return lw_fail(err, LW_OPS_BAD_STRIDE, "rows or matrices overlap");
    }
    lw_plan *q = lw_plan_new(ops, LW_PLAN_SQUARE);
    if (!q) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    q->align = lw_low_bit((uint64_t)elem_bytes, 16);
    q->useful_bytes = 2.0 * (double)batch * (double)n * (double)n * elem_bytes;
    *plan = q;
    if (batch == 0 || n < 2) return LW_OPS_OK;
    for (int v = 0; v < 2; v++) {
        lw_square_params *p = &q->u.square.p[v];
        *p = (lw_square_params){.n = n, .row_stride = row_stride, .batch_stride = batch_stride, .elem = elem_bytes};
        if (square_form(ops, p, batch, v ? q->align : 16, &q->u.square.grid[v])) continue;
        *plan = NULL;
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    }
    q->offset = (batch - 1) * batch_stride + (n - 1) * row_stride + n * elem_bytes; /* the end */
    q->launches = 1;
    return LW_OPS_OK;
}

lw_ops_status lw_inplace_run(const lw_plan *plan, void *data, lw_stream stream)
{
    if (!plan->launches) return LW_OPS_OK;
    if (!data) return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)data % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    if (plan->kind == LW_PLAN_SWAP) {
        int v = ((uintptr_t)data + (uintptr_t)plan->offset) % 16 != 0;
        lw_swap_params p = plan->u.swap.p[v];
        p.data = (char *)data + plan->offset;
        p.rows.lo = p.data;
        p.rows.hi = p.data + plan->u.swap.hi;
        return lw_launch_status(plan, lw_swap_launch(&p, plan->u.swap.grid[v], stream));
    }
    int v = (uintptr_t)data % 16 != 0;
    lw_square_params p = plan->u.square.p[v];
    p.data = data;
    p.hi = (const char *)data + plan->offset;
    return lw_launch_status(plan, lw_square_launch(&p, plan->u.square.grid[v], stream));
}

void lw_inplace_describe(const lw_plan *plan, char *text, size_t size)
{
    static const char *const square_text[] = {"", ", any alignment", ", odd rows", ", rows by bulk copies"};
    const lw_swap_params *p = &plan->u.swap.p[0];
    if (!plan->launches) snprintf(text, size, "nothing to do");
    else if (plan->kind == LW_PLAN_SQUARE)
        snprintf(text, size, "swap tile pairs of %d-byte elements%s", plan->u.square.p[0].elem,
                 square_text[plan->u.square.p[0].form]);
    else if (p->rows.len) {
        snprintf(text, size, "swap rows of %lld bytes%s, %s", (long long)p->rows.len, p->elem ? ", reversed" : "",
                 lw_flip_mode_text(&p->rows));
    } else snprintf(text, size, "swap pairs of %d bytes", p->vec);
}
