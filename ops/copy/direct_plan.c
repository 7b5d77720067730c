/*
 * Boxes that go without shared memory (direct.cu): the vectors of both sides, the box of a block, by an estimate of its
 * time, and which lanes lie side by side.
 */
#include <stdio.h>
#include <string.h>
#include "copy/copy.h"

#define MOST_BYTES 65536 /* of a box */

typedef struct direct_work {
    box_work *b;
    int vec, side, fast; /* bytes of a vector, its units; the input's fastest dimension */
    const lw_direct_weights *weights;
    double in, out;         /* bytes that lie together on either side, in sectors */
    bool in_even, out_even; /* all runs begin with sectors */
    bool matrices, whole;   /* dense matrices, and boxes of whole ones */
    double least;
    int32_t best[LW_BOX_DIMS]; /* the box of the least time */
} direct_work;

/* Both sides are dense in one dimension, made of vectors, and every other step keeps the alignment. */
static bool has_vectors(const direct_work *w)
{
    const box_work *b = w->b;
    if (w->side < 2 || w->fast == 0 || b->dim[w->fast].in != b->unit || b->dim[0].out != b->unit) return false;
    for (int i = 0; i < b->dims; i++) {
        if ((i == 0 || i == w->fast) && b->dim[i].n % w->side) return false;
        if ((i != w->fast && b->dim[i].in % w->vec) || (i && b->dim[i].out % w->vec) || b->dim[i].in < 0) return false;
    }
    return true;
}

static int divisor(int64_t n, int most)
{
    for (int d = most; d > 1; d--) {
        if (n % d == 0) return d;
    }
    return 1;
}

/* Three lanes side by side and more in an odd number of rows: sectors go in pieces, a third of the speed is lost. */
static bool ragged(int a, int rows) { return a >= 3 && rows % 2; }

/* Lanes side by side in the input, and rows of those side by side in the output: 64 and 128 bytes if the box allows. */
static void lanes(const direct_work *w, int *a, int *c)
{
    int most = w->vec == 4 ? 8 : 64 / w->vec, best = -1;
    for (int d = most; d > 0; d--) {
        if (w->b->box[w->fast] / w->side % d) continue;
        int rows = divisor(w->b->box[0] / w->side, 32 / d), worth = d * (rows < 8 ? rows : 8);
        if (ragged(d, rows)) worth /= 3;
        if (worth <= best) continue;
        best = worth;
        *a = d;
        *c = rows;
    }
}

static double idle(int lanes_bytes) { return lanes_bytes >= 32 ? 0 : 32.0 / lanes_bytes - 1; }

/* The fastest dimensions of both sides make up dense matrices on both. */
static bool matrices(const direct_work *w)
{
    const lw_dim *d = w->b->dim, *f = &d[w->fast];
    return d[0].in == f->n * w->b->unit && f->out == d[0].n * w->b->unit;
}

/* Bytes of the best box where both sides are dense: many blocks with few threads, unless one moves 16 or 256 bytes. */
static double dense_box(const direct_work *w)
{
    int bytes = w->vec * w->side;
    return bytes == 16 || bytes == 256 ? 12288 : 4096;
}

static double apart(double a, double b) { return a > b ? a / b : b / a; }

/* The part of the estimate that the box's ends do not change. */
static double outline(direct_work *w, double bytes)
{
    const box_work *b = w->b;
    const lw_direct_weights *k = w->weights;
    double squares = bytes / (w->vec * w->side), c = k->fixed, rounds = 1;
    int64_t in = lw_box_together(b, BOX_IN, &w->in_even), out = lw_box_together(b, BOX_OUT, &w->out_even);
    int a, l;
    w->in = (double)in / 32;
    w->out = (double)out / 32;
    w->whole = w->matrices && in >= 1024 && out >= 1024;
    if (w->vec < 16 && !(w->whole && b->dim[0].n * b->unit <= 64 && b->dim[w->fast].n * b->unit <= 64)) return 1e30;
    if (squares > LW_BLOCK) rounds = (double)(((int64_t)squares + LW_BLOCK - 1) / LW_BLOCK) * LW_BLOCK / squares;
    c += (k->in + (w->in_even ? 0 : k->in_odd)) / w->in + (k->out + (w->out_even ? 0 : k->out_odd)) / w->out;
    c += k->fill * (rounds - 1);
    if (bytes > 16384) c += k->big * (bytes / 16384 - 1);
    if (bytes < 8192) c += 0.05 * (8192 / bytes - 1);
    if (bytes < 12288 && w->side == 16) c += 0.35 * (12288 / bytes - 1); /* few threads, with 256 bytes each */
    if (c >= w->least && !w->whole) return c;                            /* lanes add to that */
    lanes(w, &a, &l);
    if (w->vec == 16 && ragged(a, l)) c += 0.4;
    c += k->in_lanes * idle(a * w->vec) + k->out_lanes * idle(l * w->vec);
    double dense = 1 + 0.1 * (apart(bytes, dense_box(w)) - 1);
    return w->whole && b->unit < 8 && dense < c ? dense : c;
}

static box_verdict look(void *context, box_work *b, int64_t volume)
{
    direct_work *w = context;
    double c = outline(w, (double)volume);
    if (c >= w->least) return BOX_WORSE;
    if (!lw_box_fits(b)) return BOX_UNFIT;
    c += w->weights->waste * (lw_box_waste(b) - 1) + lw_box_few(b, volume);
    if (c >= w->least) return BOX_WORSE;
    w->least = c;
    memcpy(w->best, b->box, sizeof b->box);
    return BOX_BEST;
}

static void add_digit(lw_direct_params *p, int64_t n, int64_t in, int64_t out, int limit, int64_t step)
{
    if (n == 1) return;
    lw_direct_digit d = {lw_fdiv_make((uint32_t)n), (uint32_t)in, (uint32_t)out, (uint32_t)limit, (uint32_t)step};
    p->square_digit[p->square_digits++] = d;
    p->squares *= (uint32_t)n;
}

static bool fill(const direct_work *w, lw_copy_variant *v)
{
    const box_work *b = w->b;
    lw_direct_params *p = &v->p.direct;
    int limit[LW_BOX_DIMS], a, l, f = w->fast, side = w->side;
    memset(v, 0, sizeof *v);
    if (!lw_box_grid(b, p->grid, &p->grid_dims, limit, &v->grid)) return false;
    for (int i = 0; i < b->dims; i++) {
        if (limit[i]) p->rest[limit[i] - 1] = (uint32_t)(b->dim[i].n % b->box[i] / (i == 0 || i == f ? side : 1));
    }
    lanes(w, &a, &l);
    p->squares = 1;
    p->in_row = b->dim[0].in;
    p->out_col = b->dim[f].out;
    add_digit(p, a, w->vec, side * p->out_col, limit[f], 1);
    add_digit(p, l, side * p->in_row, w->vec, limit[0], 1);
    add_digit(p, b->box[f] / side / a, (int64_t)w->vec * a, side * p->out_col * a, limit[f], a);
    add_digit(p, b->box[0] / side / l, side * p->in_row * l, (int64_t)w->vec * l, limit[0], l);
    for (int i = 1; i < b->dims; i++) {
        if (i != f) add_digit(p, b->box[i], b->dim[i].in, b->dim[i].out, limit[i], 1);
    }
    v->form = &lw_direct_form;
    v->threads = b->share < LW_SMALL_SHARE && p->squares < LW_BLOCK ? (int)(p->squares + 31) & ~31 : LW_BLOCK;
    v->elem = b->unit;
    v->vload = v->align = v->needs = w->vec;
    return true;
}

/*
 * The widest vectors win but where bytes, or words, lie in short rows: then too few lanes would share sectors. Bytes in
 * 16 x 16: 0.99 with words, 0.45 with 8 bytes; in 32 x 32: 0.97, 0.99; 4 x 4 words 1.00 with 8 bytes, 0.63 with 16.
 */
static int narrow(const direct_work *w)
{
    int64_t square = w->b->dim[0].n * w->b->dim[w->fast].n * w->b->unit * w->b->unit;
    if (w->vec == 16 && w->b->unit != 2 && square < 500) return 8;
    if (w->vec == 8 && w->b->unit == 1 && square < 1000) return 4;
    return w->vec;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    box_work box = q->box;
    direct_work w = {.b = &box, .fast = box.side[BOX_IN].order[0], .least = best->cost};
    for (w.vec = 16; w.vec >= 4; w.vec /= 2) {
        w.side = w.vec / box.unit;
        if (q->align % w.vec == 0 && has_vectors(&w)) break;
    }
    while (w.vec >= 4 && narrow(&w) != w.vec) {
        w.vec = narrow(&w);
        w.side = w.vec / box.unit;
    }
    if (w.vec < 4 || w.side < 2) return LW_NO;
    w.weights = &lw_direct_weight[lw_unit_row(box.unit) < 3 ? lw_unit_row(box.unit) : 3];
    w.matrices = matrices(&w);
    box.vload = box.vstore = w.vec;
    box.capacity = MOST_BYTES;
    lw_box_try(&box, look, &w);
    if (w.least >= best->cost) return LW_NO;
    memcpy(box.box, w.best, sizeof box.box);
    if (!fill(&w, v)) return LW_NO;
    best->cost = w.least - lw_box_few(&box, lw_box_volume(&box));
    return box.share < LW_SMALL_SHARE ? LW_DONE : LW_BEST;
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_direct_params p = v->p.direct;
    p.in = ends->in;
    p.out = ends->out;
    return lw_direct_launch(&p, v->elem, v->vload, v->grid, (uint32_t)v->threads, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    int side = v->vload / v->elem;
    snprintf(text, size, "box of %u squares of %d x %d elements of %d bytes in registers", v->p.direct.squares, side,
             side, v->elem);
}

const lw_copy_form lw_direct_form = {.boxes = true, .plan = plan, .launch = launch, .describe = describe};
