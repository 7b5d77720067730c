/*
 * Plans of square transpositions in place: tile pairs that are exchanged, by which kernel (inplace.cu, square.cu) and in
 * which order.
 */
#include <stdio.h>
#include "common/plan.h"
#include "inplace/inplace.h"

typedef struct square_plan {
    lw_plan base;
    lw_square_params p[2]; /* for pointers aligned to 16 bytes, and for others */
    uint32_t grid[2];
    int64_t end; /* bytes from the first element to the end of the last matrix */
} square_plan;

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
static void describe(const lw_plan *plan, char *text, size_t size);

static const lw_plan_type square_type = {
    .bytes = sizeof(square_plan), .in_place = true, .run = run, .describe = describe};

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
    if (!ops || !plan) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle or the plan pointer is NULL");
    if (elem_bytes < 1 || elem_bytes > LW_OPS_MAX_ELEM) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "elements of %d bytes; 1 to 64 are possible", elem_bytes);
    }
    if (batch < 0 || n < 0) return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "a negative size");
    if (n > 1 && (row_stride < n * elem_bytes || (batch > 1 && batch_stride < (n - 1) * row_stride + n * elem_bytes))) {
        return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "rows or matrices overlap");
    }
    lw_plan *q = lw_plan_new(ops, &square_type);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    q->align = lw_low_bit((uint64_t)elem_bytes, 16);
    q->useful_bytes = 2.0 * (double)batch * (double)n * (double)n * elem_bytes;
    *plan = q;
    if (batch == 0 || n < 2) return LW_OPS_OK;
    square_plan *w = (square_plan *)q;
    for (int v = 0; v < 2; v++) {
        lw_square_params *p = &w->p[v];
        *p = (lw_square_params){.n = n, .row_stride = row_stride, .batch_stride = batch_stride, .elem = elem_bytes};
        if (square_form(ops, p, batch, v ? q->align : 16, &w->grid[v])) continue;
        *plan = NULL;
        lw_plan_destroy(q);
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    }
    w->end = (batch - 1) * batch_stride + (n - 1) * row_stride + n * elem_bytes;
    q->launches = 1;
    return LW_OPS_OK;
}

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    const square_plan *w = (const square_plan *)plan;
    (void)src;
    (void)workspace;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst) return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)dst % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    int v = (uintptr_t)dst % 16 != 0;
    lw_square_params p = w->p[v];
    p.data = dst;
    p.hi = p.data + w->end;
    return lw_launch_status(lw_square_launch(&p, w->grid[v], stream));
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    static const char *const form[] = {"", ", any alignment", ", odd rows", ", rows by bulk copies"};
    const lw_square_params *p = &((const square_plan *)plan)->p[0];
    if (!plan->launches) snprintf(text, size, "nothing to do");
    else snprintf(text, size, "swap tile pairs of %d-byte elements%s", p->elem, form[p->form]);
}
