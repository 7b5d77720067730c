/*
 * Plans of rows: the fastest dimension is contiguous on both sides, or reversed on one (rows.cu). How many threads and
 * blocks a row takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "copy/copy.h"

#define ROW_SEGMENT (4 * LW_BLOCK) /* windows per block, as in rows.cu */

static bool fill(const lw_copy_shape *s, int align, int reversed, lw_copy_variant *v)
{
    lw_rows_params *p = &v->p.rows;
    unsigned skip = s->dims && s->dim[0].out == s->elem && llabs(s->dim[0].in) == s->elem ? 1 : 0;
    memset(v, 0, sizeof *v);
    p->len = skip ? s->dim[0].n * s->elem : s->elem;
    uint64_t bits = lw_stride_bits(s, skip, true, true) | (uint64_t)p->len;
    int low = lw_low_bit(bits | (uint64_t)align, 16);
    uint64_t rows = 1;
    if (!lw_outer_fill(&p->outer, s->dim, s->dims, skip, &rows)) return false;
    v->misaligned = low < 16;
    p->gran = (uint32_t)lw_low_bit(bits | (uint64_t)align | (reversed ? (uint64_t)reversed : 0), 8);
    int64_t windows = v->misaligned ? (p->len + 15) / 16 + 1 : p->len / 16;
    p->rows = (uint32_t)rows;
    uint64_t grid, all = rows * (uint64_t)windows;
    /* with the last block's threads still below 2^31 */
    p->line = !v->misaligned && p->outer.dims <= LW_LINE_DIMS && (rows == 1 || all < 0x7fffff00);
    if (p->line) {
        p->windows = lw_fdiv_make(rows == 1 ? 1 : (uint32_t)windows);
        grid = (all + LW_BLOCK - 1) / LW_BLOCK;
    } else if (windows > ROW_SEGMENT / 2) {
        int64_t segments = (windows + ROW_SEGMENT - 1) / ROW_SEGMENT;
        if (segments >= 0x7fffffff) return false;
        p->segments = lw_fdiv_make((uint32_t)segments);
        p->windows = lw_fdiv_make(1);
        grid = rows * (uint64_t)segments;
    } else {
        p->windows = lw_fdiv_make((uint32_t)windows);
        p->segments = lw_fdiv_make(1);
        p->rows_per_block = (uint32_t)(ROW_SEGMENT / windows);
        grid = (rows + p->rows_per_block - 1) / p->rows_per_block;
    }
    if (grid >= 0x7fffffff) return false;
    v->form = &lw_rows_form;
    v->reversed = reversed;
    if (reversed) v->in_adjust = -(p->len - reversed);
    v->align = v->needs = align;
    v->grid = (uint32_t)grid;
    return true;
}

/* Long rows at odd addresses are left to flip.cu, short ones to boxes if there are others beside them. */
static bool takes(const lw_copy_query *q, const lw_copy_variant *v)
{
    if (!v->misaligned) return true;
    return !v->reversed && q->row < ROWS_ANY_BYTES && q->shape.dims <= 1;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    int reversed = q->row ? 0 : lw_reversed_elem(&q->shape);
    bool whole = !(reversed & (reversed - 1)) && reversed <= 16; /* no element lies in two vectors */
    (void)best;
    if (!q->row && (!reversed || !whole)) return LW_NO;
    return fill(&q->shape, q->align, reversed, v) && takes(q, v) ? LW_DONE : LW_NO;
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_rows_params p = v->p.rows;
    p.in = ends->in;
    p.out = ends->out;
    p.lo = ends->lo;
    p.hi = ends->hi;
    return lw_rows_launch(&p, v->reversed, v->misaligned, v->grid, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    snprintf(text, size, "rows of %lld bytes%s%s", (long long)v->p.rows.len, v->reversed ? ", reversed" : "",
             v->misaligned ? ", any alignment" : "");
}

const lw_copy_form lw_rows_form = {.plan = plan, .launch = launch, .describe = describe};
