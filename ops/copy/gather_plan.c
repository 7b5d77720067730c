/*
 * Boxes whose input runs come into shared memory as they lie (gather.cu): which box, by an estimate of its time, the
 * distances of runs in shared memory, and the countings of both sides.
 */
#include <stdio.h>
#include <string.h>
#include "copy/copy.h"

#define LISTED_WORDS 512   /* most words of an output run of several dimensions: so many lanes have places for */
#define MOST_EXTENT 0xffff /* places of units have 16 bits */

typedef struct gather_work {
    const box_work *b;
    const gather_form *f;
    int per, word;         /* units of a word of the output, its bytes */
    int in_dims, out_dims; /* of one run */
    int64_t in_units, out_units;
    uint32_t pos[LW_BOX_DIMS]; /* bytes in the stage from one step of a dimension to the next */
    uint32_t pad;              /* after every word of the output's fastest dimension */
    int limit[LW_BOX_DIMS];
    uint32_t extent; /* bytes from the lowest unit to the end of the highest */
    uint32_t in_runs, out_runs;
    int out_order[LW_BOX_DIMS], outs; /* dimensions that count the output's runs */
} gather_work;

static uint32_t round16(uint32_t n) { return (n + 15) & ~15u; }

/* ---- a box in shared memory ---- */

/* Lanes that take neighbouring words of the output meet in banks if these are so far apart. */
static bool meet(const gather_work *g, uint32_t step) { return (uint32_t)g->per * step % 32 == 0; }

static void find_runs(gather_work *g)
{
    const box_work *b = g->b;
    int64_t volume = lw_box_volume(b) / b->unit;
    g->word = b->unit < 4 ? 4 : b->unit;
    g->per = g->word / b->unit;
    g->in_dims = lw_box_run(b, BOX_IN, &g->in_units);
    for (int i = 1; i < g->in_dims; i++) {
        if (b->side[BOX_IN].order[i] != 0 || b->dim[0].in < LEAST_ROW || !meet(g, (uint32_t)b->dim[0].in)) continue;
        g->in_dims = i; /* rows of their own, which can lie further apart */
        g->in_units = 1;
        for (int k = 0; k < i; k++) g->in_units *= b->box[b->side[BOX_IN].order[k]];
    }
    g->out_dims = lw_box_run(b, BOX_OUT, &g->out_units);
    while (g->out_dims > 1 && (g->f->linear || g->out_units > LISTED_WORDS * g->per)) {
        g->out_units /= b->box[--g->out_dims];
    }
    g->out_runs = (uint32_t)(volume / g->out_units);
    g->in_runs = 1;
    for (int i = g->in_dims; i < b->dims; i++) {
        int k = b->side[BOX_IN].order[i];
        if (b->dim[k].in) g->in_runs *= (uint32_t)b->box[k];
    }
    g->outs = 0;
    for (int i = 0; i < b->dims; i++) {
        int k = b->side[BOX_IN].order[i]; /* runs side by side in the input are read without conflicts */
        if (k >= g->out_dims && b->box[k] > 1) g->out_order[g->outs++] = k;
    }
}

/*
 * Distances in the stage: those of the input modulo 16, and so far that no chunk holds bytes of two runs. Eight words
 * of the output's fastest dimension fall into different banks, an odd number of chunks apart or padded.
 */
static void place_runs(gather_work *g)
{
    const box_work *b = g->b;
    uint32_t extent = (uint32_t)(g->in_units * b->unit);
    g->pad = 0;
    for (int i = 0; i < g->in_dims; i++)
        g->pos[b->side[BOX_IN].order[i]] = (uint32_t)b->dim[b->side[BOX_IN].order[i]].in;
    for (int i = g->in_dims; i < b->dims; i++) {
        int k = b->side[BOX_IN].order[i];
        uint32_t t = (uint32_t)b->box[k], step;
        g->pos[k] = 0;
        if (t == 1 || b->dim[k].in == 0) continue;
        step = extent + 15;
        step += ((uint32_t)b->dim[k].in - step) & 15;
        if (k == 0 && step % 32 == 0) step += 16;
        if (k == 0 && g->per > 1 && meet(g, step)) g->pad = 16;
        g->pos[k] = step;
        extent += step * (t - 1) + (k == 0 ? (t - 1) / (uint32_t)g->per * g->pad : 0);
    }
    g->extent = extent;
}

static uint32_t tables_bytes(const gather_work *g)
{
    uint32_t units = g->f->linear ? 0 : round16(2 * (uint32_t)g->out_units);
    return round16(8 * g->out_runs) + round16(8 * g->in_runs) + units;
}

static uint32_t stage_bytes(const gather_work *g) { return round16(g->extent + 31); }

/* Resident blocks per multiprocessor, 0: too large. */
static int blocks_of(const lw_ops *ops, const gather_work *g, uint32_t stages)
{
    uint32_t shared = tables_bytes(g) + stages * stage_bytes(g);
    int most = lw_gather_blocks(ops, g->b->unit, g->f->linear);
    if (g->extent > MOST_EXTENT || shared > (uint32_t)ops->shared_optin - LW_GATHER_STATIC) return 0;
    int n = ops->shared_sm / (int)(shared + 1024 + LW_GATHER_STATIC);
    return n < 1 ? 1 : n < most ? n : most;
}

static lw_gather_digit digit(const gather_work *g, int k, bool input)
{
    const box_work *b = g->b;
    lw_gather_digit d;
    memset(&d, 0, sizeof d);
    d.steps = lw_fdiv_make((uint32_t)b->box[k]);
    d.stride = (uint32_t)(input ? b->dim[k].in : b->dim[k].out);
    d.pos = g->pos[k];
    d.shift = k == 0 && g->pad ? (uint32_t)lw_unit_row(g->per) : 31;
    d.pad = k == 0 ? g->pad : 0;
    d.limit = (uint32_t)g->limit[k];
    d.rest = (uint32_t)(b->dim[k].n % b->box[k]);
    return d;
}

static void set_digits(const gather_work *g, lw_gather_params *p)
{
    const box_work *b = g->b;
    for (int i = g->in_dims; i < b->dims; i++) {
        int k = b->side[BOX_IN].order[i];
        if (b->box[k] > 1 && b->dim[k].in) p->in_digit[p->in_digits++] = digit(g, k, true);
    }
    for (int i = 0; i < g->outs; i++) p->out_digit[p->out_digits++] = digit(g, g->out_order[i], false);
    for (int i = 0; i < g->out_dims && !g->f->linear; i++) {
        if (b->box[i] > 1) p->unit_digit[p->unit_digits++] = digit(g, i, false);
    }
    p->reach = b->unit;
    for (int i = 0; i < b->dims; i++) p->reach += (b->box[i] - 1) * b->dim[i].in;
}

/* Kinds of output runs by their misalignment in a word, as a power of two. */
static uint32_t classes_of(const gather_work *g)
{
    uint64_t bits = 4;
    for (int i = 0; i < g->outs; i++) bits |= (uint64_t)g->b->dim[g->out_order[i]].out;
    int low = lw_low_bit(bits, 4);
    return g->per == 1 ? 0 : 2 - (uint32_t)lw_unit_row(low);
}

/* Parts of a listed run and words of a lane in each; false: too long. */
static bool set_words(const gather_work *g, lw_gather_params *p)
{
    uint32_t per = (uint32_t)g->per, words = ((uint32_t)g->out_units + 2 * per - 2) / per, parts = 0;
    uint32_t most = (uint32_t)lw_gather_words(g->b->unit) << g->f->group;
    p->group = (uint32_t)g->f->group;
    p->unit_step = g->pos[0];
    p->unit_pad = g->pad;
    if (g->f->linear) return true;
    p->classes = classes_of(g);
    while (most << parts < words) parts++;
    p->parts = parts;
    p->words = (words + (1u << (p->group + parts)) - 1) >> (p->group + parts);
    return 1 << (p->group + p->classes + parts) <= lw_gather_threads(g->b->unit, false);
}

/* What lies in a run of a side where a dimension is cut that ends it. */
static void set_rests(const gather_work *g, lw_gather_params *p)
{
    const box_work *b = g->b;
    int last = g->in_dims ? b->side[BOX_IN].order[g->in_dims - 1] : -1;
    p->in_bytes = p->in_rest = (uint32_t)(g->in_units * b->unit);
    p->run_units = p->run_rest = (uint32_t)g->out_units;
    if (last >= 0 && g->limit[last]) {
        p->in_limit = (uint32_t)g->limit[last];
        p->in_rest = p->in_bytes / (uint32_t)b->box[last] * (uint32_t)(b->dim[last].n % b->box[last]);
    }
    last = g->out_dims - 1;
    if (last >= 0 && g->limit[last]) {
        p->run_limit = (uint32_t)g->limit[last];
        p->run_rest = p->run_units / (uint32_t)b->box[last] * (uint32_t)(b->dim[last].n % b->box[last]);
    }
    uint32_t chunks = (p->in_bytes + 30) / 16;
    for (p->in_lanes = 2; p->in_lanes < 5 && 1u << p->in_lanes < chunks; p->in_lanes++) {}
    p->bulk = p->in_bytes >= BULK_BYTES;
}

static bool fill(const lw_ops *ops, const box_work *b, const gather_form *f, lw_copy_variant *v)
{
    lw_gather_params *p = &v->p.gather;
    gather_work g;
    memset(&g, 0, sizeof g);
    memset(v, 0, sizeof *v);
    g.b = b;
    g.f = f;
    if ((f->linear && b->dim[0].out != b->unit) || !lw_box_grid(b, p->grid, &p->grid_dims, g.limit, &p->boxes))
        return false;
    find_runs(&g);
    place_runs(&g);
    if (!set_words(&g, p)) return false;
    set_rests(&g, p);
    set_digits(&g, p);
    p->linear = f->linear;
    p->in_runs = g.in_runs;
    p->out_runs = g.out_runs;
    int blocks = blocks_of(ops, &g, 2);
    if (!blocks) return false;
    p->stages = blocks_of(ops, &g, 3) == blocks ? 3 : 2;
    p->stage_bytes = stage_bytes(&g);
    p->ins_at = round16(8 * p->out_runs);
    p->units_at = p->ins_at + round16(8 * p->in_runs);
    p->stages_at = tables_bytes(&g);
    v->shared = p->stages_at + p->stages * p->stage_bytes;
    v->form = &lw_gather_form;
    v->grid = lw_box_blocks_even(p->boxes, blocks, ops->sms);
    v->elem = v->align = v->needs = b->unit;
    return true;
}

/* ---- choosing ---- */

typedef struct gather_side {
    double run; /* bytes that lie together, in sectors */
    bool even;  /* all of them begin with sectors */
} gather_side;

static gather_side side_of(const box_work *b, box_side_name name)
{
    gather_side s;
    s.run = (double)lw_box_together(b, name, &s.even) / 32;
    return s;
}

/* Passes of a group's shared reads along the output's fastest dimension: how many words meet in a bank. */
static double passes_of(const gather_work *g, int lanes)
{
    uint32_t step = (uint32_t)g->per * g->pos[0] + g->pad;
    int width = g->b->unit < 4 ? 4 : g->b->unit, banks = 128 / width;
    int apart = lw_low_bit(step / (uint32_t)width, banks);
    double n = (double)(lanes < banks ? lanes : banks) * apart / banks;
    return step % (uint32_t)width ? 1 : n > 1 ? n : 1;
}

/* Lanes of listed runs that waste the fewest slots; the share of the estimate. */
static double choose_group(const gather_work *g, const lw_gather_weights *w, bool even, int *group)
{
    double words = (double)g->out_units / g->per, least = 1e30;
    for (int k = 5; k >= 3; k--) {
        double lanes = 1 << k, slots = (double)(((int64_t)words + (1 << k)) >> k) * lanes / words;
        int side = (int)lanes; /* groups of a warp that take parts of one run read side by side */
        while (side < 32 && words > side * lw_gather_words(g->b->unit)) side *= 2;
        double c = w->slots * (slots - 1) + w->pass * (passes_of(g, side) - 1);
        c += w->run * lanes / words;
        if (!even) c += w->part * 32 / (lanes * g->word);
        if (c >= least) continue;
        least = c;
        *group = k;
    }
    return least;
}

typedef struct gather_box {
    gather_side in, out;
    double waste; /* places beyond the ends, as a share */
} gather_box;

/* The part of the estimate that does not depend on places in shared memory. */
static double outline(const gather_box *x, const lw_gather_weights *w)
{
    double c = w->fixed + (w->in + (x->in.even ? 0 : w->in_odd)) / x->in.run;
    return c + (w->out + (x->out.even ? 0 : w->out_odd)) / x->out.run + w->waste * x->waste;
}

/* The rest of it; chooses the group. */
static double estimate(const lw_ops *ops, const box_work *b, const gather_box *x, const lw_gather_weights *w,
                       gather_form *f)
{
    gather_work g;
    g.b = b;
    g.f = f;
    find_runs(&g);
    place_runs(&g);
    int blocks = blocks_of(ops, &g, 2);
    if (!blocks) return 1e30;
    double c = w->warps * 512 / (blocks * lw_gather_threads(b->unit, f->linear));
    if (!f->linear) return c + choose_group(&g, w, x->out.even, &f->group);
    double words = (double)g.out_units / g.per;
    f->group = 3;
    c += w->pass * (passes_of(&g, 8) - 1);
    return c + w->slots * ((double)(((int64_t)words + (x->out.even ? 0 : 3) + 31) / 32) * 32 / words - 1);
}

/* Lines by themselves lose against longer runs of several dimensions until they are some sectors long. */
static bool lines_do(const box_work *b, const gather_box *x)
{
    int64_t line = b->box[0] * b->unit;
    return b->unit <= 4 && b->dim[0].out == b->unit &&
           line >= (x->out.run * 32 > (double)line ? LONG_LINE : LEAST_LINE);
}

typedef struct gather_search {
    const lw_ops *ops;
    double least;
    gather_form form;
    int32_t box[LW_BOX_DIMS]; /* the best one */
} gather_search;

static box_verdict look(void *context, box_work *b, int64_t volume)
{
    gather_search *s = context;
    gather_box x = {side_of(b, BOX_IN), side_of(b, BOX_OUT), 0};
    bool best = false;
    if (volume < LEAST_BOX) return BOX_WORSE;
    for (int linear = 0; linear < 2; linear++) {
        const lw_gather_weights *w = &lw_gather_weight[linear][lw_unit_row(b->unit)];
        gather_form f = {.linear = linear};
        if ((linear && !lines_do(b, &x)) || outline(&x, w) >= s->least) continue;
        if (!lw_box_fits(b)) return BOX_UNFIT;
        x.waste = lw_box_waste(b) - 1;
        double c = outline(&x, w) + lw_box_few(b, volume);
        if (volume < GOOD_BOX) c += SMALL_COST * (GOOD_BOX / (double)volume - 1);
        if (c >= s->least) continue;
        c += estimate(s->ops, b, &x, w, &f);
        if (c >= s->least) continue;
        best = true;
        s->least = c;
        s->form = f;
        memcpy(s->box, b->box, sizeof b->box);
    }
    return best ? BOX_BEST : BOX_WORSE;
}

/* The best box into memo->gather, if one takes less than `most`; its cost there is `most` otherwise. */
static void choose(const lw_ops *ops, const box_work *b, double most, box_memo *memo)
{
    gather_search s = {.ops = ops, .least = most};
    box_work *g = &memo->gather;
    *g = *b;
    g->vload = g->vstore = g->unit;
    g->capacity = MOST_EXTENT;
    lw_box_try(g, look, &s);
    memcpy(g->box, s.box, sizeof g->box);
    g->cost = s.least < most ? s.least - lw_box_few(g, lw_box_volume(g)) : most;
    memo->form = s.form;
}

/* Nothing runs backwards, and rows do not stay rows, which runs.cu does. */
static bool permuted(const box_work *b)
{
    bool moved = false;
    for (int i = 0; i < b->dims; i++) {
        if (b->dim[i].in < 0) return false;
        moved = moved || b->side[BOX_IN].order[i] != i;
    }
    return moved;
}

/* Whether a gathered box is the best form by now. */
static bool better(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    box_memo *memo = q->memo;
    double least = lw_gather_fastest[lw_unit_row(q->box.unit)];
    if (q->ops->cc < 90 || least >= best->cost || !permuted(&q->box)) return false;
    if (!memo->gather_known || memo->gather.unit != q->box.unit) {
        choose(q->ops, &q->box, memo->again ? LW_ANY_COST : best->cost, memo);
        memo->gather_known = memo->again;
    }
    if (memo->gather.cost >= best->cost || !fill(q->ops, &memo->gather, &memo->form, v)) return false;
    best->cost = memo->gather.cost > least ? memo->gather.cost : least;
    return true;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    bool is_best = better(q, best, v);
    bool last = (is_best || best->found) && best->cost < lw_boxes_from[lw_unit_row(q->box.unit)];
    return (is_best ? LW_BEST : LW_NO) | (last ? LW_LAST : LW_NO);
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_gather_params p = v->p.gather;
    p.in = ends->in;
    p.out = ends->out;
    p.lo = ends->lo;
    p.hi = ends->hi;
    return lw_gather_launch(&p, v->elem, v->grid, v->shared, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    const lw_gather_params *p = &v->p.gather;
    snprintf(text, size, "box of %u runs of %u bytes, gathered as %u %s of %u: unit %d, %d lanes", p->in_runs,
             p->in_bytes, p->out_runs, p->linear ? "lines" : "runs", p->run_units * (uint32_t)v->elem, v->elem,
             1 << p->group);
}

const lw_copy_form lw_gather_form = {.boxes = true, .plan = plan, .launch = launch, .describe = describe};
