/*
 * Plans of boxes, which do every strided copy (box.cu): the vectors of both sides, the countings and the padding of the
 * shared tile, for which bank conflicts are counted for two stores of a warp per candidate.
 */
#include <stdio.h>
#include <string.h>
#include "copy/copy.h"

#define SAMPLES 2 /* warps whose stores to the tile are tried */

/* Where the units that a warp stores at once stand in the tile, in bytes. */
static int stand(const lw_box_params *p, int unit, uint32_t first, uint32_t *at)
{
    int lanes = unit == 16 ? 8 : unit == 8 ? 16 : 32, n = 0;
    for (; n < lanes && first + (uint32_t)n < (uint32_t)p->loads; n++) {
        uint32_t e = first + (uint32_t)n;
        at[n] = 0;
        for (int i = 0; i < p->load_digits && e; i++) {
            uint32_t q = e / p->load_digit[i].steps.d;
            at[n] += (e - q * p->load_digit[i].steps.d) * (uint32_t)(p->load_digit[i].pos * unit);
            e = q;
        }
    }
    return n;
}

/* Passes of that store under a padding: the most distinct words of one bank. From `most` on any number will do. */
static int passes(const uint32_t *at, int lanes, int unit, uint32_t shift, uint32_t pad, int most)
{
    uint8_t count[32] = {0};
    uint32_t seen[32], width = unit >= 16 ? 4 : unit == 8 ? 3 : 2, banks = (128u >> width) - 1;
    int worst = 0;
    for (int i = 0; i < lanes && worst < most; i++) {
        uint32_t w = (at[i] + (at[i] >> shift) * pad) >> width, bank = w & banks;
        if (unit < 4 && count[bank] && seen[bank] == w) continue; /* lanes of one word, which are neighbours */
        seen[bank] = w;
        if (++count[bank] > worst) worst = count[bank];
    }
    return worst;
}

/* The padding of the fewest passes; takes its time, so only of the box that is taken. */
static void finish(lw_copy_variant *v)
{
    lw_box_params *p = &v->p.box;
    uint32_t step = v->vstore > 4 ? (uint32_t)v->vstore : 4, bytes = (uint32_t)(p->loads * v->vload);
    uint32_t at[SAMPLES][32];
    uint32_t best_shift = 31, best_pad = 0;
    int lanes[SAMPLES], least = 0;
    for (int i = 0; i < SAMPLES; i++) {
        lanes[i] = stand(p, v->elem, (uint32_t)i * (uint32_t)(p->loads / 2 / 32 * 32), at[i]);
        least += passes(at[i], lanes[i], v->elem, 31, 0, 32);
    }
    /* a thread's vectors lie 256 of them apart: padding must come evenly */
    uint32_t evenly = 8 + (uint32_t)(v->vstore < 4 ? lw_unit_row(v->vstore) : 2);
    for (uint32_t shift = evenly; shift >= 6 && least > SAMPLES; shift--) {
        for (uint32_t pad = step; pad <= 4 * step && pad << 3 <= 1u << shift; pad += step) {
            int n = shift < 7; /* reads of 128 bytes meet there */
            for (int i = 0; i < SAMPLES && n < least; i++) n += passes(at[i], lanes[i], v->elem, shift, pad, least - n);
            if (n >= least) continue;
            least = n;
            best_shift = shift;
            best_pad = pad;
        }
    }
    p->pad_shift = best_shift;
    p->pad_bytes = best_pad;
    p->tile_bytes = (bytes + (bytes >> best_shift) * best_pad + 31) & ~15u;
    v->shared = 2 * p->tile_bytes;
}

/* The digits of one side's counting, fastest first. */
static int digits(const box_work *b, const int *limit, box_side_name name, lw_digit *out)
{
    int64_t place[LW_BOX_DIMS], units = 1;
    int n = 0, vector = (name == BOX_IN ? b->vload : b->vstore) / b->unit;
    for (int i = 0; i < b->dims; i++) {
        place[i] = units;
        units *= b->box[i];
    }
    for (int i = 0; i < b->dims; i++) {
        int k = b->side[name].order[i], group = i == 0 ? vector : 1;
        if (b->box[k] == 1) continue;
        out[n].steps = lw_fdiv_make((uint32_t)(b->box[k] / group));
        out[n].pos = name == BOX_IN ? (int32_t)place[k] * group : 0;
        out[n].stride = (uint32_t)((name == BOX_IN ? b->dim[k].in : b->dim[k].out) * group);
        out[n].limit = limit[k];
        out[n].rest = (int32_t)(b->dim[k].n % b->box[k] / group);
        n++;
    }
    return n;
}

/* Column of lw_box_time: by units, words, vectors of 16 bytes. */
static int column(int unit, int vector)
{
    if (vector == unit) return 0;
    return vector == 4 ? 1 : 2;
}

static double kernel_time(const box_work *b)
{
    return lw_box_time[lw_unit_row(b->unit)][column(b->unit, b->vload)][column(b->unit, b->vstore)];
}

static const box_estimate estimate = {.weights = &lw_box_weight, .time = kernel_time};

static bool fill(const lw_ops *ops, const box_work *b, int align, lw_copy_variant *v)
{
    lw_box_params *p = &v->p.box;
    int limit[LW_BOX_DIMS];
    int64_t place = 1;
    memset(v, 0, sizeof *v);
    if (!lw_box_grid(b, p->grid, &p->grid_dims, limit, &p->boxes)) return false;
    for (int i = 0; i < b->dims; i++) {
        if (i == b->side[BOX_IN].order[0]) p->step = (int32_t)(place * b->unit);
        place *= b->box[i];
        if (b->dim[i].in < 0) {
            v->in_adjust += (b->box[i] - 1) * b->dim[i].in;
            p->bias += (uint32_t)((b->box[i] - 1) * -b->dim[i].in);
        }
    }
    p->loads = (int32_t)(lw_box_volume(b) / b->vload);
    p->stores = (int32_t)(lw_box_volume(b) / b->vstore);
    p->load_digits = digits(b, limit, BOX_IN, p->load_digit);
    p->store_digits = digits(b, limit, BOX_OUT, p->store_digit);
    v->form = &lw_box_form;
    v->grid = lw_box_blocks_even(p->boxes, lw_box_blocks(ops, b->unit, b->vload, b->vstore), ops->sms);
    v->elem = b->unit;
    v->vload = b->vload;
    v->vstore = b->vstore;
    v->align = align;
    v->needs = b->vload > b->vstore ? b->vload : b->vstore;
    return true;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    box_work b = q->box;
    b.capacity = lw_box_bytes(b.unit, b.vload, b.vstore);
    if (!lw_box_choose(&b, &estimate, best->cost)) return best->found ? LW_LAST : LW_NO;
    if (!fill(q->ops, &b, q->align, v)) return LW_NO;
    best->cost = b.cost;
    return LW_BEST;
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_box_params p = v->p.box;
    p.in = ends->in;
    p.out = ends->out;
    return lw_box_launch(&p, v->elem, v->vload, v->vstore, v->grid, v->shared, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    const lw_box_params *p = &v->p.box;
    snprintf(text, size, "box of %d vectors: unit %d, loads %d, stores %d bytes, padding %u per %u", p->loads, v->elem,
             v->vload, v->vstore, p->pad_bytes, p->pad_bytes ? 1u << p->pad_shift : 0);
}

const lw_copy_form lw_box_form = {
    .boxes = true, .plan = plan, .finish = finish, .launch = launch, .describe = describe};
