/* The form of copies that flip.cu does: rows at any address, copied or with their elements reversed. */
#include <stdio.h>
#include <string.h>
#include "copy/copy.h"

/* Rows that lie one after the other on both sides and go as one stretch; 0: none. */
static int64_t dense_rows(const lw_copy_shape *s, int64_t len)
{
    if (len > LW_FLIP_SEGMENT) return 0;
    if (s->dims == 1) return 1;
    return s->dim[1].in == len && s->dim[1].out == len ? s->dim[1].n : 0;
}

static bool fill(const lw_copy_shape *s, int align, int reversed, lw_copy_variant *v)
{
    memset(v, 0, sizeof *v);
    lw_flip_params *p = &v->p.flip;
    uint64_t rows = 1, bits = lw_stride_bits(s, 1, true, true) | (uint64_t)align | (uint64_t)s->elem;
    int64_t len = s->dim[0].n * s->elem, dense = reversed ? dense_rows(s, len) : 0;
    if (!lw_outer_fill(&p->outer, s->dim, s->dims, dense && s->dims > 1 ? 3 : 1, &rows)) return false;
    if (dense && (dense >= 0x7fffffff || (rows *= (uint64_t)dense) >= 0x7fffffff)) return false;
    if (!lw_flip_fill(&p->rows, len, reversed, bits, (int64_t)rows, dense, false, 1, &v->grid)) return false;
    v->form = &lw_flip_form;
    v->reversed = reversed;
    if (reversed) v->in_adjust = -(p->rows.len - reversed);
    v->align = v->needs = lw_flip_align(&p->rows);
    return true;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    int reversed = q->row ? 0 : lw_reversed_elem(&q->shape);
    (void)best;
    if (!reversed && q->row < ROWS_ANY_BYTES) return LW_NO;
    return fill(&q->shape, q->align, reversed, v) ? LW_DONE : LW_NO;
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_flip_params p = v->p.flip;
    p.in = ends->in;
    p.out = ends->out;
    p.rows.lo = ends->lo;
    p.rows.hi = ends->hi;
    return lw_flip_launch(&p, v->grid, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    const lw_flip_rows *rows = &v->p.flip.rows;
    snprintf(text, size, "rows of %lld bytes, %s%s", (long long)rows->len, v->reversed ? "reversed " : "",
             lw_flip_mode_text(rows));
}

const lw_copy_form lw_flip_form = {.plan = plan, .launch = launch, .describe = describe};
