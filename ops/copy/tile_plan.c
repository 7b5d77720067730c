/*
 * Plans of transposes: one dimension is contiguous in the output, another in the input, both long enough for tiles
 * (tile.cu); at odd addresses by bulk copies of rows (bulk.cu, cc 9.0 and later) or element by element (scalar.cu).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "copy/copy.h"

/* Share of the last tile's places that exist, over all tiles along one side. */
static double tile_use(int64_t n, int side) { return (double)n / (double)((n + side - 1) / side * side); }

/* A kernel and its tiles. */
typedef struct tile_form {
    const lw_copy_form *form;
    int big, rows, cols;
    int reach; /* rows that the tiles go beyond the last one */
} tile_form;

static double used(const lw_tile_params *p, const tile_form *f)
{
    return tile_use(p->rows, f->rows) * tile_use(p->cols, f->cols);
}

static bool fits(const lw_tile_params *p, const tile_form *f) { return used(p, f) >= TILE_MIN_USE; }

/* Whether there are so many tiles. */
static bool many(const lw_ops *ops, const lw_copy_shape *s, unsigned skip, const lw_tile_params *p, const tile_form *f,
                 double per_sm)
{
    double tiles = (double)((p->rows + f->rows - 1) / f->rows) * (double)((p->cols + f->cols - 1) / f->cols);
    for (int i = 0; i < s->dims; i++) {
        if (!(skip >> i & 1)) tiles *= (double)s->dim[i].n;
    }
    return tiles >= per_sm * ops->sms;
}

/*
 * Odd addresses from cc 9.0 on, and elements of 12 bytes at any. Elements of 8 bytes that are aligned go well one by
 * one, bytes in aligned rows by windows: 5000 x 50000 0.77 against 0.67 (an H200).
 */
static bool bulk_form(const lw_ops *ops, const lw_tile_params *p, int elem, int align, tile_form *f)
{
    f->form = &lw_bulk_form;
    if (ops->cc < 90 || !lw_bulk_size(elem, &f->rows, &f->cols, &f->reach)) return false;
    bool words = elem < 4 ? (int)p->gran == elem : p->gran >= 4;
    if (elem == 1 && lw_low_bit((uint64_t)p->in_row | (uint64_t)align, 16) == 16) return false;
    return words && !(elem == 8 && p->gran == 8) && llabs(p->in_row) >= 16 && fits(p, f);
}

static bool scalar_form(const lw_copy_shape *s, unsigned skip, const lw_tile_params *p, int elem, int align,
                        tile_form *f)
{
    uint64_t out = lw_stride_bits(s, skip, false, true) | (uint64_t)p->out_col | (uint64_t)align;
    if (elem < SCALAR_MIN_ELEM || (int)p->gran != elem || !lw_scalar_side(elem, 0)) return false;
    f->form = &lw_scalar_form;
    f->big = lw_low_bit(out, 16) == 16;
    f->rows = f->cols = lw_scalar_side(elem, f->big);
    f->reach = lw_scalar_shift(elem);
    return true;
}

/* Which kernel, with which tiles; false: boxes. */
static bool choose(const lw_ops *ops, const lw_copy_shape *s, unsigned skip, const lw_tile_params *p, int elem,
                   int align, bool misaligned, tile_form *f)
{
    tile_form large = {0};
    bool bulk = (misaligned || elem == 12) && bulk_form(ops, p, elem, align, &large);
    /* 128 rows of 2 bytes take two tiles of bulk.cu: 0.56, boxes that gather 0.82 (an H200) */
    if (bulk && elem <= 2 && tile_use(p->rows + large.reach, large.rows) < BULK_MIN_USE) return false;
    if (bulk && many(ops, s, skip, p, &large, MIDDLE_PER_SM)) {
        *f = large;
        return true;
    }
    if (misaligned && scalar_form(s, skip, p, elem, align, f)) {
        if (used(p, f) >= (elem == 4 ? SCALAR_MIN_USE : TILE_MIN_USE)) return true;
        *f = large;
        return bulk;
    }
    if (bulk) {
        *f = large;
        return true;
    }
    double many_large = misaligned || elem == 8 ? MIDDLE_PER_SM : LARGE_PER_SM;
    bool found = false;
    for (int big = 0; big < 3; big++) { /* the larger one if there is work for it, or if the smaller ones fit badly */
        tile_form t = {.form = &lw_tile_form, .big = big};
        if (!lw_tile_size(elem, big, &t.rows, &t.cols) || !fits(p, &t)) continue;
        if (!f->rows || many(ops, s, skip, p, &t, big < 2 ? MIDDLE_PER_SM : many_large)) *f = t;
        found = big == 2 || elem <= TILE_SMALL_MAX;
    }
    return found;
}

/* How far apart things are: everything but the tiles. */
static void measure(lw_copy_variant *v, const lw_copy_shape *s, int b, int align)
{
    lw_tile_params *p = &v->p.tile;
    unsigned skip = 1u | 1u << b;
    int elem = (int)s->elem;
    memset(v, 0, sizeof *v);
    p->rows = s->dim[0].n;
    p->cols = s->dim[b].n;
    p->in_row = s->dim[0].in;
    p->out_col = s->dim[b].out;
    uint64_t bits = lw_stride_bits(s, skip, true, true) | (uint64_t)(p->in_row | p->out_col) | (uint64_t)align;
    uint64_t sizes = (uint64_t)(p->rows * elem | p->cols * elem);
    v->misaligned = lw_low_bit(bits | sizes, 16) < 16;
    p->gran = (uint32_t)lw_low_bit(bits | (uint64_t)elem, 8);
    v->elem = elem;
    v->align = v->needs = align;
}

static bool fill(const lw_copy_query *q, int b, lw_copy_variant *v)
{
    const lw_copy_shape *s = &q->shape;
    lw_tile_params *p = &v->p.tile;
    tile_form f = {0};
    unsigned skip = 1u | 1u << b;
    measure(v, s, b, q->align);
    if (!choose(q->ops, s, skip, p, v->elem, q->align, v->misaligned, &f)) return false;
    int strip = f.form == &lw_tile_form ? LW_TILE_STRIP(v->elem) : 1;
    int64_t row_tiles = (p->rows + f.reach + f.rows - 1) / f.rows * strip;
    int64_t col_tiles = (p->cols + f.cols * strip - 1) / (f.cols * strip);
    if (row_tiles >= 0x7fffffff || col_tiles >= 0x7fffffff) return false;
    uint64_t grid = (uint64_t)row_tiles * (uint64_t)col_tiles;
    if (grid >= 0x7fffffff || !lw_outer_fill(&p->outer, s->dim, s->dims, skip, &grid)) return false;
    p->row_tiles = lw_fdiv_make((uint32_t)row_tiles);
    p->col_tiles = lw_fdiv_make((uint32_t)col_tiles);
    v->form = f.form;
    v->big = f.big;
    v->grid = (uint32_t)grid;
    return true;
}

/* The dimension that is contiguous in the input, or 0. */
static int input_dim(const lw_copy_shape *s)
{
    for (int i = 1; i < s->dims; i++) {
        if (s->dim[i].in == s->elem) return i;
    }
    return 0;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    const lw_copy_shape *s = &q->shape;
    bool size = s->elem == 12 || (s->elem <= 16 && !(s->elem & (s->elem - 1)));
    int b = q->row ? 0 : input_dim(s);
    (void)best;
    if (!size || !b || s->dim[0].out != s->elem) return LW_NO;
    if (s->dim[0].n * s->elem < TILE_MIN_BYTES || s->dim[b].n * s->elem < TILE_MIN_BYTES) return LW_NO;
    return fill(q, b, v) ? LW_DONE : LW_NO;
}

static lw_tile_params params_of(const lw_copy_variant *v, const lw_copy_ends *ends)
{
    lw_tile_params p = v->p.tile;
    p.in = ends->in;
    p.out = ends->out;
    p.lo = ends->lo;
    p.hi = ends->hi;
    return p;
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_tile_params p = params_of(v, ends);
    return lw_tile_launch(&p, v->elem, v->big, v->misaligned, v->grid, stream);
}

static int launch_scalar(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_tile_params p = params_of(v, ends);
    return lw_scalar_launch(&p, v->elem, v->big, v->grid, stream);
}

static int launch_bulk(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_tile_params p = params_of(v, ends);
    return lw_bulk_launch(&p, v->elem, v->grid, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    int rows = 0, cols = 0;
    lw_tile_size(v->elem, v->big, &rows, &cols);
    snprintf(text, size, "tile %d x %d of %d bytes%s", rows, cols, v->elem, v->misaligned ? ", any alignment" : "");
}

static void describe_scalar(const lw_copy_variant *v, char *text, size_t size)
{
    int side = lw_scalar_side(v->elem, v->big);
    snprintf(text, size, "tile %d x %d of %d bytes, element by element", side, side, v->elem);
}

static void describe_bulk(const lw_copy_variant *v, char *text, size_t size)
{
    int rows = 0, cols = 0, reach = 0;
    lw_bulk_size(v->elem, &rows, &cols, &reach);
    snprintf(text, size, "tile %d x %d of %d bytes, rows by bulk copies", rows, cols, v->elem);
}

const lw_copy_form lw_tile_form = {.plan = plan, .launch = launch, .describe = describe};
const lw_copy_form lw_scalar_form = {.launch = launch_scalar, .describe = describe_scalar};
const lw_copy_form lw_bulk_form = {.launch = launch_bulk, .describe = describe_bulk};
