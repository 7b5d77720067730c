/*
 * Plans of strided copies, permutations and flips. All of them are one thing: for every index, one element goes from
 * an input address to an output address, both linear in the index. The planner brings that to a normal form (output
 * strides positive and ascending, extents of 1 dropped, dimensions merged where both sides allow) and picks a kernel:
 *  rows  the fastest dimension is contiguous on both sides, or reversed on one; at odd addresses or of elements of odd
 *        sizes through shared memory (flip),
 *  tile  one dimension is contiguous in the output, another in the input, both long enough; at odd addresses by bulk
 *        copies of rows (bulk, cc 9.0 and later) or element by element (scalar),
 *  box   everything else; as runs of bytes at any address (runs) where one side would go unit by unit; through input
 *        runs as they lie (gather, cc 9.0 and later) or squares in registers (direct) where those take less time.
 * A plan holds the kernel for well-aligned pointers and, where they differ, the one for the declared alignment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "copy/box_plan.h"

#define ROWS_MIN_BYTES 64  /* shorter contiguous runs go through boxes */
#define ROWS_ANY_BYTES 512 /* runs at odd addresses, shorter ones go through boxes */
#define SCALAR_MIN_ELEM 2  /* at odd addresses, elements this wide go one by one, smaller ones by windows */
#define TILE_MIN_BYTES 96  /* shorter runs on either side fill tiles badly */
/*
 * Tiles of the middle size from that many on, and large ones, which are better where DRAM is the limit: in L2 16 MiB
 * take 3.47 us instead of 3.81 by middle ones, of 2 B 3.67 instead of 3.80 (an H200). Strips of large ones of 8 B are
 * as fast, and lines at odd addresses are written in fewer parts by large ones.
 */
#define MIDDLE_PER_SM 1.5
#define LARGE_PER_SM 12
#define TILE_MIN_USE 0.75   /* below, boxes fit the shape better */
#define BULK_MIN_USE 0.6    /* of the rows of bytes and pairs, with those before the first that tiles reach */
#define SCALAR_MIN_USE 0.85 /* the same of tiles of 4-byte elements that go one by one */
#define TILE_SMALL_MAX 2 /* wider elements, where the large tile does not fit: boxes are faster by a tenth at least */
#define ROW_SEGMENT (4 * LW_BLOCK) /* windows per block, as in rows.cu */

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* ---- checking ---- */

static lw_ops_status check_tensor(const lw_tensor *t, const char *name, int *elem, lw_ops_error *err)
{
    if (!t) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "%s is NULL", name);
    int size = lw_type_bytes(t->type);
    if (t->type < 0 || t->type >= LW_TYPE_COUNT) return lw_fail(err, LW_OPS_BAD_TYPE, "%s: unknown type", name);
    if (size && t->elem_bytes && t->elem_bytes != size) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "%s: %d bytes do not match its type", name, t->elem_bytes);
    }
    if (!size) size = t->elem_bytes;
    if (size < 1 || size > LW_OPS_MAX_ELEM) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "%s: elements of %d bytes; 1 to 64 are possible", name, size);
    }
    if (t->rank < 0 || t->rank > LW_OPS_MAX_RANK) {
        return lw_fail(err, LW_OPS_BAD_SHAPE, "%s: rank %d; 0 to 8 are possible", name, t->rank);
    }
    if (t->align < 0 || (t->align & (t->align - 1))) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "%s: alignment %d is no power of two", name, t->align);
    }
    for (int i = 0; i < t->rank; i++) {
        if (t->extent[i] < 0) return lw_fail(err, LW_OPS_BAD_SHAPE, "%s: extent %d is negative", name, i);
    }
    *elem = size;
    return LW_OPS_OK;
}

static int declared_align(const lw_tensor *t, int elem)
{
    int a = t->align ? t->align : lw_low_bit((uint64_t)elem, 16);
    return a < 16 ? a : 16;
}

/* ---- normal form ---- */

static void sort_by_output(lw_copy_shape *s)
{
    for (int i = 1; i < s->nd; i++) {
        lw_dim d = s->d[i];
        int at = i;
        for (; at > 0 && s->d[at - 1].out > d.out; at--) s->d[at] = s->d[at - 1];
        s->d[at] = d;
    }
}

static void merge(lw_copy_shape *s)
{
    int n = 0;
    for (int i = 0; i < s->nd; i++) {
        lw_dim *last = n ? &s->d[n - 1] : NULL;
        if (last && s->d[i].out == last->n * last->out && s->d[i].in == last->n * last->in) {
            last->n *= s->d[i].n;
        } else {
            s->d[n++] = s->d[i];
        }
    }
    s->nd = n;
}

/* Reach of both sides, and the check that no two elements of the output overlap. */
static bool measure(lw_copy_shape *s, lw_copy_plan_data *c)
{
    int64_t reach = s->elem;
    c->in_lo = 0;
    c->in_hi = c->out_hi = s->elem;
    for (int i = 0; i < s->nd; i++) {
        if (s->d[i].out < reach) return false;
        reach += (s->d[i].n - 1) * s->d[i].out;
        int64_t span = (s->d[i].n - 1) * s->d[i].in;
        if (span < 0) c->in_lo += span;
        else c->in_hi += span;
    }
    c->out_hi = reach;
    return true;
}

static bool normalise(lw_copy_shape *s, lw_copy_plan_data *c)
{
    int n = 0;
    for (int i = 0; i < s->nd; i++) {
        lw_dim d = s->d[i];
        if (d.n == 1) continue;
        if (d.out < 0) {
            c->out_off += (d.n - 1) * d.out;
            c->in_off += (d.n - 1) * d.in;
            d.out = -d.out;
            d.in = -d.in;
        }
        s->d[n++] = d;
    }
    s->nd = n;
    sort_by_output(s);
    if (!measure(s, c)) return false;
    c->in_lo += c->in_off;
    c->in_hi += c->in_off;
    c->out_lo = c->out_off;
    c->out_hi += c->out_off;
    merge(s);
    return true;
}

/* ---- choosing ---- */

static bool set_outer(lw_outer *o, const lw_copy_shape *s, unsigned skip, uint64_t *count)
{
    o->nd = 0;
    for (int i = 0; i < s->nd; i++) {
        if (skip >> i & 1) continue;
        if (s->d[i].n >= 0x7fffffff || (*count *= (uint64_t)s->d[i].n) >= 0x7fffffff) return false;
        o->div[o->nd] = lw_fdiv_make((uint32_t)s->d[i].n);
        o->in[o->nd] = s->d[i].in;
        o->out[o->nd++] = s->d[i].out;
    }
    return true;
}

/* Every stride but those of the dimensions in skip, and the length of the contiguous runs. */
static uint64_t stride_bits(const lw_copy_shape *s, unsigned skip, bool in, bool out)
{
    uint64_t bits = 0;
    for (int i = 0; i < s->nd; i++) {
        if (skip >> i & 1) continue;
        if (in) bits |= (uint64_t)s->d[i].in;
        if (out) bits |= (uint64_t)s->d[i].out;
    }
    return bits;
}

static bool plan_rows(const lw_copy_shape *s, int align, int reversed, lw_copy_variant *v)
{
    lw_rows_params *p = &v->p.rows;
    unsigned skip = s->nd && s->d[0].out == s->elem && magnitude(s->d[0].in) == s->elem ? 1 : 0;
    memset(v, 0, sizeof *v);
    p->len = skip ? s->d[0].n * s->elem : s->elem;
    uint64_t bits = stride_bits(s, skip, true, true) | (uint64_t)p->len;
    int low = lw_low_bit(bits | (uint64_t)align, 16);
    uint64_t rows = 1;
    if (!set_outer(&p->outer, s, skip, &rows)) return false;
    v->misaligned = low < 16;
    p->gran = (uint32_t)lw_low_bit(bits | (uint64_t)align | (reversed ? (uint64_t)reversed : 0), 8);
    int64_t windows = v->misaligned ? (p->len + 15) / 16 + 1 : p->len / 16;
    p->rows = (uint32_t)rows;
    uint64_t grid, all = rows * (uint64_t)windows;
    /* with the last block's threads still below 2^31 */
    p->line = !v->misaligned && p->outer.nd <= LW_LINE_DIMS && (rows == 1 || all < 0x7fffff00);
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
    v->kind = LW_COPY_ROWS;
    v->reversed = reversed;
    if (reversed) v->in_adjust = -(p->len - reversed);
    v->align = align;
    v->grid = (uint32_t)grid;
    return true;
}

/* Rows reversed, or copied, at any address (flip.cu). */
static bool plan_flip(const lw_copy_shape *s, int align, int reversed, lw_copy_variant *v)
{
    lw_flip_params *p = &v->p.flip;
    uint64_t rows = 1, bits = stride_bits(s, 1, true, true) | (uint64_t)align | (uint64_t)s->elem;
    int64_t len = s->d[0].n * s->elem, dense = reversed && len <= LW_FLIP_SEGMENT && s->nd == 1 ? 1 : 0;
    if (reversed && len <= LW_FLIP_SEGMENT && s->nd > 1 && s->d[1].in == len && s->d[1].out == len) dense = s->d[1].n;
    memset(v, 0, sizeof *v);
    if (!set_outer(&p->outer, s, dense && s->nd > 1 ? 3 : 1, &rows)) return false;
    if (dense && (dense >= 0x7fffffff || (rows *= (uint64_t)dense) >= 0x7fffffff)) return false;
    if (!lw_flip_fill(&p->rows, len, reversed, bits, (int64_t)rows, dense, false, 1, &v->grid)) return false;
    v->kind = LW_COPY_FLIP;
    v->reversed = reversed;
    if (reversed) v->in_adjust = -(p->rows.len - reversed);
    v->align = lw_flip_align(&p->rows);
    return true;
}

/* Share of the last tile's places that exist, over all tiles along one side. */
static double tile_use(int64_t n, int side) { return (double)n / (double)((n + side - 1) / side * side); }

typedef struct tile_form {
    lw_copy_kind kind;
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
    for (int i = 0; i < s->nd; i++) {
        if (!(skip >> i & 1)) tiles *= (double)s->d[i].n;
    }
    return tiles >= per_sm * ops->sms;
}

/*
 * Odd addresses from cc 9.0 on, and elements of 12 bytes at any. Elements of 8 bytes that are aligned go well one by
 * one, bytes in aligned rows by windows: 5000 x 50000 0.77 against 0.67 (an H200).
 */
static bool bulk_form(const lw_ops *ops, const lw_tile_params *p, int elem, int align, tile_form *f)
{
    f->kind = LW_COPY_BULK;
    if (ops->cc < 90 || !lw_bulk_size(elem, &f->rows, &f->cols, &f->reach)) return false;
    bool words = elem < 4 ? (int)p->gran == elem : p->gran >= 4;
    if (elem == 1 && lw_low_bit((uint64_t)p->in_row | (uint64_t)align, 16) == 16) return false;
    return words && !(elem == 8 && p->gran == 8) && magnitude(p->in_row) >= 16 && fits(p, f);
}

static bool scalar_form(const lw_copy_shape *s, unsigned skip, const lw_tile_params *p, int elem, int align,
                        tile_form *f)
{
    uint64_t out = stride_bits(s, skip, false, true) | (uint64_t)p->out_col | (uint64_t)align;
    if (elem < SCALAR_MIN_ELEM || (int)p->gran != elem || !lw_scalar_side(elem, 0)) return false;
    f->kind = LW_COPY_SCALAR;
    f->big = lw_low_bit(out, 16) == 16;
    f->rows = f->cols = lw_scalar_side(elem, f->big);
    f->reach = lw_scalar_shift(elem);
    return true;
}

static bool tile_choose(const lw_ops *ops, const lw_copy_shape *s, unsigned skip, const lw_tile_params *p, int elem,
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
        tile_form t = {.kind = LW_COPY_TILE, .big = big};
        if (!lw_tile_size(elem, big, &t.rows, &t.cols) || !fits(p, &t)) continue;
        if (!f->rows || many(ops, s, skip, p, &t, big < 2 ? MIDDLE_PER_SM : many_large)) *f = t;
        found = big == 2 || elem <= TILE_SMALL_MAX;
    }
    return found;
}

static bool plan_tile(const lw_ops *ops, const lw_copy_shape *s, int b, int align, lw_copy_variant *v)
{
    lw_tile_params *p = &v->p.tile;
    tile_form f = {0};
    int elem = (int)s->elem;
    unsigned skip = 1u | 1u << b;
    memset(v, 0, sizeof *v);
    p->rows = s->d[0].n;
    p->cols = s->d[b].n;
    p->in_row = s->d[0].in;
    p->out_col = s->d[b].out;
    uint64_t bits = stride_bits(s, skip, true, true) | (uint64_t)(p->in_row | p->out_col);
    uint64_t sizes = (uint64_t)(p->rows * elem | p->cols * elem);
    v->misaligned = lw_low_bit(bits | sizes | (uint64_t)align, 16) < 16;
    p->gran = (uint32_t)lw_low_bit(bits | (uint64_t)align | (uint64_t)elem, 8);
    if (!tile_choose(ops, s, skip, p, elem, align, v->misaligned, &f)) return false;
    int strip = f.kind == LW_COPY_TILE ? LW_TILE_STRIP(elem) : 1;
    int64_t row_tiles = (p->rows + f.reach + f.rows - 1) / f.rows * strip;
    int64_t col_tiles = (p->cols + f.cols * strip - 1) / (f.cols * strip);
    if (row_tiles >= 0x7fffffff || col_tiles >= 0x7fffffff) return false;
    uint64_t grid = (uint64_t)row_tiles * (uint64_t)col_tiles;
    if (grid >= 0x7fffffff || !set_outer(&p->outer, s, skip, &grid)) return false;
    p->row_tiles = lw_fdiv_make((uint32_t)row_tiles);
    p->col_tiles = lw_fdiv_make((uint32_t)col_tiles);
    v->kind = f.kind;
    v->big = f.big;
    v->elem = elem;
    v->align = align;
    v->grid = (uint32_t)grid;
    return true;
}

static bool power_of_two(int64_t v) { return v > 0 && !(v & (v - 1)); }

/* The dimension that is contiguous in the input, or -1. */
static int input_dim(const lw_copy_shape *s)
{
    for (int i = 1; i < s->nd; i++) {
        if (s->d[i].in == s->elem) return i;
    }
    return -1;
}

static bool choose(const lw_ops *ops, const lw_copy_shape *shape, int align, box_memo *memo, lw_copy_variant *v)
{
    lw_copy_shape s = *shape;
    if (s.nd == 0) return plan_rows(&s, align, 0, v);
    bool run = s.d[0].out == s.elem && s.d[0].in == s.elem;
    if (run) {
        int64_t bytes = s.d[0].n * s.elem;
        if (bytes >= ROWS_MIN_BYTES || s.nd == 1) {
            bool ok = plan_rows(&s, align, 0, v);
            if (ok && v->misaligned && bytes >= ROWS_ANY_BYTES && plan_flip(&s, align, 0, v)) return true;
            if (ok && (!v->misaligned || bytes >= ROWS_ANY_BYTES || s.nd == 1)) return true;
            memset(v, 0, sizeof *v);
            return lw_box_plan(ops, &s, align, memo, v);
        }
        s.elem = bytes; /* a short run moves as one element */
        s.nd--;
        memmove(s.d, s.d + 1, (size_t)s.nd * sizeof s.d[0]);
    }
    bool small = power_of_two(s.elem) && s.elem <= 16;
    if (s.d[0].out == s.elem && s.d[0].in == -s.elem && s.elem <= LW_FLIP_MAX_ELEM &&
        s.d[0].n * s.elem >= LW_FLIP_MIN_ROW) {
        if (small && plan_rows(&s, align, (int)s.elem, v) && !v->misaligned) return true;
        if (plan_flip(&s, align, (int)s.elem, v)) return true;
    }
    int b = input_dim(&s);
    if ((small || s.elem == 12) && b > 0 && s.d[0].out == s.elem && s.d[0].n * s.elem >= TILE_MIN_BYTES &&
        s.d[b].n * s.elem >= TILE_MIN_BYTES) {
        if (plan_tile(ops, &s, b, align, v)) return true;
    }
    memset(v, 0, sizeof *v);
    return lw_box_plan(ops, &s, align, memo, v);
}

/* ---- creation ---- */

/* The variants for pointers aligned to 16 bytes and for what the declared alignment leaves after all offsets. */
static bool choose_variants(const lw_ops *ops, const lw_copy_shape *s, int align, lw_copy_plan_data *c)
{
    box_memo memo = {.other = align < 16 ? align : 0};
    if (!choose(ops, s, 16, &memo, &c->v[0])) return false;
    int low = lw_low_bit((uint64_t)(align | c->in_off | c->out_off | c->v[0].in_adjust), 16);
    c->variants = 1;
    const lw_copy_variant *v = &c->v[0];
    if (v->kind == LW_COPY_BOX && v->vload <= low && v->vstore <= low) { /* no vector asks for more: one form will do */
        c->v[0].align = v->vload > v->vstore ? v->vload : v->vstore;
        return true;
    }
    if (v->kind == LW_COPY_RUNS && v->elem <= low) { /* takes any address */
        c->v[0].align = v->elem;
        return true;
    }
    if (v->kind == LW_COPY_GATHER && v->elem <= low) return true;
    if (v->kind == LW_COPY_DIRECT && v->vload <= low) return true;
    if (v->kind == LW_COPY_FLIP && v->align <= low) return true;
    if (low == 16) return true;
    c->variants = 2;
    return choose(ops, s, low, &memo, &c->v[1]);
}

double lw_read_bytes(const lw_dim *d, int count, int elem)
{
    double bytes = elem;
    for (int i = 0; i < count; i++) {
        if (d[i].in || d[i].n == 0) bytes *= (double)d[i].n;
    }
    return bytes;
}

static lw_ops_status plan_copy(const lw_ops *ops, lw_copy_shape *s, int64_t shift, int align, lw_plan **out,
                               lw_ops_error *err)
{
    lw_plan *plan = lw_plan_new(ops, LW_PLAN_COPY);
    if (!plan) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    lw_copy_plan_data *c = &plan->u.copy;
    c->in_off = shift;
    plan->align = align;
    double written = (double)s->elem;
    for (int i = 0; i < s->nd; i++) written *= (double)s->d[i].n;
    plan->read_bytes = lw_read_bytes(s->d, s->nd, (int)s->elem);
    plan->useful_bytes = written + plan->read_bytes;
    if (plan->useful_bytes == 0) {
        *out = plan;
        return LW_OPS_OK;
    }
    if (!normalise(s, c)) {
        lw_plan_destroy(plan);
        return lw_fail(err, LW_OPS_BAD_STRIDE, "elements of the output overlap, or could");
    }
    if (!choose_variants(ops, s, align, c)) {
        lw_plan_destroy(plan);
        return lw_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    }
    plan->launches = 1;
    *out = plan;
    return LW_OPS_OK;
}

static lw_ops_status strided_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                  uint32_t flip, lw_plan **plan, lw_ops_error *err)
{
    lw_copy_shape s;
    int se = 0, de = 0;
    int64_t shift = 0;
    if (plan) *plan = NULL;
    if (!ops || !plan) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle or no place for the plan");
    lw_ops_status st = check_tensor(dst, "output", &de, err);
    if (st == LW_OPS_OK) st = check_tensor(src, "input", &se, err);
    if (st != LW_OPS_OK) return st;
    if (se != de) return lw_fail(err, LW_OPS_BAD_TYPE, "elements of %d and %d bytes", se, de);
    if (src->rank != dst->rank) return lw_fail(err, LW_OPS_BAD_SHAPE, "ranks %d and %d", src->rank, dst->rank);
    if (flip >> src->rank) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "axes outside the rank");
    unsigned seen = 0;
    memset(&s, 0, sizeof s);
    s.elem = se;
    s.nd = src->rank;
    for (int i = 0; i < s.nd; i++) {
        int from = perm ? perm[i] : i;
        if (from < 0 || from >= s.nd || (seen >> from & 1)) {
            return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no permutation of 0..%d", s.nd - 1);
        }
        seen |= 1u << from;
        if (dst->extent[i] != src->extent[from]) {
            return lw_fail(err, LW_OPS_BAD_SHAPE, "output extent %d does not match input extent %d", i, from);
        }
        s.d[i] = (lw_dim){dst->extent[i], src->stride[from], dst->stride[i]};
        if ((flip >> i & 1) && s.d[i].n > 0) {
            shift += (s.d[i].n - 1) * s.d[i].in;
            s.d[i].in = -s.d[i].in;
        }
    }
    int sa = declared_align(src, se), da = declared_align(dst, de);
    return plan_copy(ops, &s, shift, sa < da ? sa : da, plan, err);
}

lw_ops_status lw_copy_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_plan **plan,
                           lw_ops_error *err)
{
    return strided_plan(ops, dst, src, NULL, 0, plan, err);
}

lw_ops_status lw_permute_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                              lw_plan **plan, lw_ops_error *err)
{
    if (!perm) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no permutation");
    return strided_plan(ops, dst, src, perm, 0, plan, err);
}

lw_ops_status lw_flip_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes, lw_plan **plan,
                           lw_ops_error *err)
{
    return strided_plan(ops, dst, src, NULL, axes, plan, err);
}

lw_ops_status lw_transpose_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols, int elem_bytes, int align,
                                lw_plan **plan, lw_ops_error *err)
{
    const int64_t in[3] = {batch, rows, cols}, out[3] = {batch, cols, rows};
    const int perm[3] = {0, 2, 1};
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem_bytes, 3, in);
    lw_tensor dst = lw_tensor_dense(NULL, LW_BYTES, elem_bytes, 3, out);
    src.align = dst.align = align;
    return strided_plan(ops, &dst, &src, perm, 0, plan, err);
}

/* ---- running ---- */

static int launch(const lw_copy_variant *v, char *dst, const char *src, const char *lo, const char *hi,
                  lw_stream stream)
{
    if (v->kind == LW_COPY_ROWS) {
        lw_rows_params p = v->p.rows;
        p.in = src;
        p.out = dst;
        p.lo = lo;
        p.hi = hi;
        return lw_rows_launch(&p, v->reversed, v->misaligned, v->grid, stream);
    }
    if (v->kind == LW_COPY_TILE || v->kind == LW_COPY_SCALAR || v->kind == LW_COPY_BULK) {
        lw_tile_params p = v->p.tile;
        p.in = src;
        p.out = dst;
        p.lo = lo;
        p.hi = hi;
        if (v->kind == LW_COPY_BULK) return lw_bulk_launch(&p, v->elem, v->grid, stream);
        if (v->kind == LW_COPY_SCALAR) return lw_scalar_launch(&p, v->elem, v->big, v->grid, stream);
        return lw_tile_launch(&p, v->elem, v->big, v->misaligned, v->grid, stream);
    }
    if (v->kind == LW_COPY_FLIP) {
        lw_flip_params p = v->p.flip;
        p.in = src;
        p.out = dst;
        p.rows.lo = lo;
        p.rows.hi = hi;
        return lw_flip_launch(&p, v->grid, stream);
    }
    if (v->kind == LW_COPY_RUNS) {
        lw_runs_params p = v->p.runs;
        p.in = src;
        p.out = dst;
        p.lo = lo;
        p.hi = hi;
        return lw_runs_launch(&p, v->elem, v->grid, v->shared, stream);
    }
    if (v->kind == LW_COPY_GATHER) {
        lw_gather_params p = v->p.gather;
        p.in = src;
        p.out = dst;
        p.lo = lo;
        p.hi = hi;
        return lw_gather_launch(&p, v->elem, v->grid, v->shared, stream);
    }
    if (v->kind == LW_COPY_DIRECT) {
        lw_direct_params p = v->p.direct;
        p.in = src;
        p.out = dst;
        return lw_direct_launch(&p, v->elem, v->vload, v->grid, (uint32_t)v->threads, stream);
    }
    lw_box_params p = v->p.box;
    p.in = src;
    p.out = dst;
    return lw_box_launch(&p, v->elem, v->vload, v->vstore, v->grid, v->shared, stream);
}

lw_ops_status lw_copy_run(const lw_plan *plan, void *dst, const void *src, lw_stream stream)
{
    const lw_copy_plan_data *c = &plan->u.copy;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst || !src) return LW_OPS_BAD_ARGUMENT;
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if ((d | s) % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    if (d + (uintptr_t)c->out_lo < s + (uintptr_t)c->in_hi && s + (uintptr_t)c->in_lo < d + (uintptr_t)c->out_hi) {
        return LW_OPS_OVERLAP;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    char *out = (char *)dst + c->out_off;
    const char *in = (const char *)src + c->in_off;
    const lw_copy_variant *v = &c->v[0];
    if (((uintptr_t)out | (uintptr_t)(in + v->in_adjust)) % (uintptr_t)v->align) v = &c->v[c->variants - 1];
    if (((uintptr_t)out | (uintptr_t)(in + v->in_adjust)) % (uintptr_t)v->align) return LW_OPS_MISALIGNED;
    const char *lo = (const char *)src + c->in_lo, *hi = (const char *)src + c->in_hi;
    return lw_launch_status(plan, launch(v, out, in + v->in_adjust, lo, hi, stream));
}

void lw_copy_describe(const lw_plan *plan, char *text, size_t size)
{
    const lw_copy_variant *v = &plan->u.copy.v[0];
    if (!plan->launches) {
        snprintf(text, size, "nothing to do");
    } else if (v->kind == LW_COPY_ROWS) {
        snprintf(text, size, "rows of %lld bytes%s%s", (long long)v->p.rows.len, v->reversed ? ", reversed" : "",
                 v->misaligned ? ", any alignment" : "");
    } else if (v->kind == LW_COPY_FLIP) {
        snprintf(text, size, "rows of %lld bytes, %s%s", (long long)v->p.flip.rows.len, v->reversed ? "reversed " : "",
                 lw_flip_mode_text(&v->p.flip.rows));
    } else if (v->kind == LW_COPY_SCALAR) {
        int side = lw_scalar_side(v->elem, v->big);
        snprintf(text, size, "tile %d x %d of %d bytes, element by element", side, side, v->elem);
    } else if (v->kind == LW_COPY_BULK) {
        int rows = 0, cols = 0, reach = 0;
        lw_bulk_size(v->elem, &rows, &cols, &reach);
        snprintf(text, size, "tile %d x %d of %d bytes, rows by bulk copies", rows, cols, v->elem);
    } else if (v->kind == LW_COPY_TILE) {
        int rows = 0, cols = 0;
        lw_tile_size(v->elem, v->big, &rows, &cols);
        snprintf(text, size, "tile %d x %d of %d bytes%s", rows, cols, v->elem, v->misaligned ? ", any alignment" : "");
    } else if (v->kind == LW_COPY_RUNS) {
        const lw_runs_params *p = &v->p.runs;
        snprintf(text, size, "box of %u runs of %u bytes, written as %u runs of %u: unit %d, pitch %u", p->in_runs,
                 p->run_units * (uint32_t)v->elem, p->out_runs, p->run_bytes, v->elem, p->pitch);
    } else if (v->kind == LW_COPY_GATHER) {
        const lw_gather_params *p = &v->p.gather;
        snprintf(text, size, "box of %u runs of %u bytes, gathered as %u %s of %u: unit %d, %d lanes", p->in_runs,
                 p->in_bytes, p->out_runs, p->linear ? "lines" : "runs", p->run_units * (uint32_t)v->elem, v->elem,
                 1 << p->group);
    } else if (v->kind == LW_COPY_DIRECT) {
        snprintf(text, size, "box of %u squares of %d x %d elements of %d bytes in registers", v->p.direct.squares,
                 v->vload / v->elem, v->vload / v->elem, v->elem);
    } else {
        snprintf(text, size, "box of %d vectors: unit %d, loads %d, stores %d bytes, padding %u per %u", v->p.box.loads,
                 v->elem, v->vload, v->vstore, v->p.box.pad_bytes, v->p.box.pad_bytes ? 1u << v->p.box.pad_shift : 0);
    }
}

/* ---- one-shot forms ---- */

/* `made` is where the plan was put: an argument's value would be taken before the plan is there. */
static lw_ops_status run_once(lw_ops_status st, lw_plan *const *made, const lw_tensor *dst, const lw_tensor *src,
                              lw_stream stream, lw_ops_error *err)
{
    lw_plan *plan = *made;
    if (st == LW_OPS_OK) {
        st = lw_plan_run(plan, dst->data, src->data, NULL, stream);
        if (st != LW_OPS_OK) lw_fail(err, st, "%s", lw_ops_status_text(st));
    }
    lw_plan_destroy(plan);
    return st;
}

lw_ops_status lw_copy(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_stream stream,
                      lw_ops_error *err)
{
    lw_plan *plan = NULL;
    return run_once(lw_copy_plan(ops, dst, src, &plan, err), &plan, dst, src, stream, err);
}

lw_ops_status lw_permute(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                         lw_stream stream, lw_ops_error *err)
{
    lw_plan *plan = NULL;
    return run_once(lw_permute_plan(ops, dst, src, perm, &plan, err), &plan, dst, src, stream, err);
}

lw_ops_status lw_flip(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes, lw_stream stream,
                      lw_ops_error *err)
{
    lw_plan *plan = NULL;
    return run_once(lw_flip_plan(ops, dst, src, axes, &plan, err), &plan, dst, src, stream, err);
}
