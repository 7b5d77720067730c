/*
 * Boxes that are moved as runs of bytes at any address (runs.cu): limits of a box, the countings of both sides, where
 * the units of an input run belong in the tile, and the tile's pitch, tried against the banks of shared memory for
 * one warp.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "copy/copy.h"

#define MOST_UNITS 8192 /* of an input run: the table has 16 bits for each */
#define LEAST_RUN 56    /* bytes: shorter ones of the input waste windows */
#define PITCHES 12      /* tried; of 430 seeded plans 14 have a better one beyond */
#define MOST_PASSES 65  /* more than two stores can take */
#define SLACK 16        /* before and after the tile: words are read whole */

static int64_t count_runs(const box_work *b, box_side_name side, int64_t *units)
{
    lw_box_run(b, side, units);
    return lw_box_volume(b) / b->unit / *units;
}

static bool fits(const box_work *b)
{
    int64_t in, out, in_runs = count_runs(b, BOX_IN, &in), out_runs = count_runs(b, BOX_OUT, &out);
    int64_t windows = (in * b->unit + 15) / 16;
    int64_t chunks = (in * b->unit + 30) / 16 * in_runs;
    if (in * b->unit < LEAST_RUN || in > MOST_UNITS || windows * in_runs > LW_BLOCK * LW_RUNS_PLACES) return false;
    if (chunks > LW_BLOCK * LW_RUNS_CHUNKS) return false;
    int64_t tables = out_runs * 8 + windows * 32 / b->unit, tile = out_runs * (out * b->unit + 44) + 4 * SLACK + 512;
    return 32 * chunks + tables + tile <= b->shared;
}

/* Where a unit of an input run, and a run, stand in the tile: so many output runs and so many bytes further. */
typedef struct tile_step {
    int64_t runs, bytes;
} tile_step;

typedef struct runs_work {
    const box_work *b;
    int in_dims, out_dims; /* of one run */
    int64_t in_units, out_units;
    tile_step step[LW_BOX_DIMS];
    int limit[LW_BOX_DIMS];
} runs_work;

/* Windows of 16 bytes in a run of the input, and such runs. */
static uint32_t windows_of(const runs_work *r) { return (uint32_t)(r->in_units * r->b->unit + 15) / 16; }

static uint32_t in_runs_of(const runs_work *r) { return (uint32_t)(lw_box_volume(r->b) / r->b->unit / r->in_units); }

static void find_steps(runs_work *r)
{
    int64_t bytes = r->b->unit, runs = 1;
    for (int i = 0; i < r->b->dims; i++) {
        r->step[i] = (tile_step){0, 0};
        if (i < r->out_dims) {
            r->step[i].bytes = bytes;
            bytes *= r->b->box[i];
        } else {
            r->step[i].runs = runs;
            runs *= r->b->box[i];
        }
    }
}

/* Counts e down the input's dimensions from `from` on: where it stands in the tile. Backward ones are mirrored. */
static tile_step stand(const runs_work *r, int from, int to, uint32_t e, tile_step at)
{
    for (int i = from; i < to; i++) {
        int k = r->b->side[BOX_IN].order[i];
        uint32_t t = (uint32_t)r->b->box[k], c = e < t ? e : e % t;
        e = e < t ? 0 : e / t;
        if (r->b->dim[k].in < 0) c = t - 1 - c;
        at.runs += c * r->step[k].runs;
        at.bytes += c * r->step[k].bytes;
    }
    return at;
}

/*
 * Passes of one warp's stores of a unit each, over the places in `at`; lanes of one word are neighbours. From `most`
 * on any number will do.
 */
static int passes(const tile_step *at, int lanes, uint32_t pitch, int most)
{
    uint32_t seen[32];
    uint8_t count[32] = {0};
    int worst = 0;
    for (int i = 0; i < lanes && worst < most; i++) {
        uint32_t w = ((uint32_t)at[i].runs * pitch + (uint32_t)at[i].bytes) >> 2, bank = w & 31;
        if (count[bank] && seen[bank] == w) continue;
        seen[bank] = w;
        if (++count[bank] > worst) worst = count[bank];
    }
    return worst;
}

/* Where a warp's lanes, each with a window, put the unit of so many units into it; how many lanes there are. */
static int places_of(const runs_work *r, uint32_t unit, tile_step *at)
{
    const tile_step origin = {0, 0};
    uint32_t windows = windows_of(r), all = windows * in_runs_of(r), per = 16 / (uint32_t)r->b->unit, e = 0;
    tile_step row = stand(r, r->in_dims, r->b->dims, 0, origin);
    for (uint32_t w = 0; e < 32 && e < all; e++, w++) {
        if (w == windows) {
            w = 0;
            row = stand(r, r->in_dims, r->b->dims, e / windows, origin);
        }
        uint32_t first = w * per;
        if (first + per > r->in_units) first = (uint32_t)r->in_units - per;
        at[e] = stand(r, 0, r->in_dims, first + unit, row);
    }
    return (int)e;
}

/* The pitch of the tile with the fewest passes, if these are fewer than `most`. */
static uint32_t choose_pitch(const runs_work *r, uint32_t most, uint32_t *passes_then)
{
    uint32_t run = (uint32_t)(r->out_units * r->b->unit), unit = (uint32_t)r->b->unit, best = run;
    tile_step at[2][32];
    int lanes = places_of(r, 0, at[0]), least = (int)most;
    bool second = false;
    for (uint32_t i = 0; i < PITCHES && i * unit <= 44 && least > 2; i++) {
        int n = passes(at[0], lanes, run + i * unit, least - 1);
        if (n >= least - 1) continue; /* the second store takes one at least */
        if (!second) places_of(r, 16 / unit / 2 + 1, at[1]);
        second = true;
        n += passes(at[1], lanes, run + i * unit, least - n);
        if (n >= least) continue;
        least = n;
        best = run + i * unit;
    }
    *passes_then = (uint32_t)least;
    return best;
}

static int32_t tile_bytes(const runs_work *r, int k, uint32_t pitch)
{
    return (int32_t)(r->step[k].runs * pitch + r->step[k].bytes);
}

/* Digits of the input's dimensions from..to; the sum of what mirrored ones begin with. */
static int input_digits(const runs_work *r, int from, int to, uint32_t pitch, lw_digit *out, int32_t *bias)
{
    int n = 0;
    for (int i = from; i < to; i++) {
        int k = r->b->side[BOX_IN].order[i];
        const lw_dim *d = &r->b->dim[k];
        int64_t t = r->b->box[k], rest = d->n % t;
        int32_t pos = tile_bytes(r, k, pitch);
        if (t == 1) continue;
        if (d->in < 0) *bias += (int32_t)(t - 1) * pos;
        out[n].steps = lw_fdiv_make((uint32_t)t);
        out[n].pos = d->in < 0 ? -pos : pos;
        out[n].stride = (uint32_t)(d->in < 0 ? -d->in : d->in);
        out[n].limit = r->limit[k];
        out[n].rest = (int32_t)rest;
        out[n].first = d->in < 0 ? (int32_t)(t - rest) : 0;
        n++;
    }
    return n;
}

static int output_digits(const runs_work *r, lw_digit *out)
{
    int n = 0;
    for (int i = r->out_dims; i < r->b->dims; i++) {
        if (r->b->box[i] == 1) continue;
        out[n].steps = lw_fdiv_make((uint32_t)r->b->box[i]);
        out[n].stride = (uint32_t)r->b->dim[i].out;
        out[n].limit = r->limit[i];
        out[n].rest = (int32_t)(r->b->dim[i].n % r->b->box[i]);
        n++;
    }
    return n;
}

/* Lanes to a run that waste the fewest places, wider groups first; the parts of a run. */
static void choose_group(lw_runs_params *p)
{
    uint32_t words = p->run_bytes / 4, least = ~0u;
    for (uint32_t g = 32; g >= 8; g /= 2) {
        uint32_t parts = (words + 4 * g - 1) / (4 * g);
        uint32_t places = parts * (4 * g) * (g == 32 ? 2 : 3); /* several groups of a warp meet in banks */
        if (places >= least) continue;
        least = places;
        p->group = g;
        p->parts = lw_fdiv_make(parts ? parts : 1);
    }
}

static int64_t reach_of(const box_work *b)
{
    int64_t reach = b->unit;
    for (int i = 0; i < b->dims; i++) reach += (b->box[i] - 1) * (b->dim[i].in < 0 ? -b->dim[i].in : b->dim[i].in);
    return reach;
}

static uint32_t round16(uint32_t n) { return (n + 15) & ~15u; }

static runs_work work_of(const box_work *b)
{
    runs_work r;
    memset(&r, 0, sizeof r);
    r.b = b;
    r.in_dims = lw_box_run(b, BOX_IN, &r.in_units);
    r.out_dims = lw_box_run(b, BOX_OUT, &r.out_units);
    find_steps(&r);
    return r;
}

/* Chooses the pitch; what its passes cost, or any more than `most`. */
static double arrange(box_work *b, double most)
{
    runs_work r = work_of(b);
    double pass = lw_runs_weight.pass, passes_most = 2 + most / pass;
    b->pitch = choose_pitch(&r, passes_most < MOST_PASSES ? (uint32_t)ceil(passes_most) : MOST_PASSES, &b->passes);
    return pass * (b->passes - 2.0);
}

static double kernel_time(const box_work *b) { return lw_runs_time[lw_unit_row(b->unit)]; }

static const box_estimate estimate = {&lw_runs_weight, kernel_time, fits, arrange};

static bool fill(const lw_ops *ops, const box_work *b, lw_copy_variant *v)
{
    runs_work r = work_of(b);
    lw_runs_params *p = &v->p.runs;
    memset(v, 0, sizeof *v);
    if (!lw_box_grid(b, p->grid, &p->grid_dims, r.limit, &p->boxes)) return false;
    for (int i = 0; i < b->dims; i++) v->in_adjust += b->dim[i].in < 0 ? (b->box[i] - 1) * b->dim[i].in : 0;
    uint32_t volume = (uint32_t)(lw_box_volume(b) / b->unit), windows = windows_of(&r);
    p->in_runs = in_runs_of(&r);
    p->run_units = (uint32_t)r.in_units;
    p->windows = lw_fdiv_make(windows);
    p->chunks = lw_fdiv_make((p->run_units * (uint32_t)b->unit + 30) / 16);
    p->last_chunk = (int32_t)(16 * (p->chunks.d - 1) - p->run_units * (uint32_t)b->unit);
    p->out_runs = volume / (uint32_t)r.out_units;
    p->run_bytes = p->run_rest = (uint32_t)(r.out_units * b->unit);
    if (r.out_dims && r.limit[r.out_dims - 1]) {
        int last = r.out_dims - 1;
        p->run_limit = (uint32_t)r.limit[last];
        p->run_rest = p->run_bytes / (uint32_t)b->box[last] * (uint32_t)(b->dim[last].n % b->box[last]);
    }
    p->pitch = b->pitch;
    p->passes = b->passes;
    p->unit_digits = input_digits(&r, 0, r.in_dims, p->pitch, p->unit_digit, &p->table_bias);
    p->in_digits = input_digits(&r, r.in_dims, b->dims, p->pitch, p->in_digit, &p->pos_bias);
    p->out_digits = output_digits(&r, p->out_digit);
    choose_group(p);
    p->reach = reach_of(b);
    p->table_at = round16(8 * p->out_runs);
    p->tile_at = p->table_at + round16(windows * (32 / (uint32_t)b->unit)) + SLACK;
    p->raw_at = p->tile_at + round16(p->out_runs * p->pitch) + SLACK + 16 * p->group;
    p->raw_bytes = 16 * p->in_runs * p->chunks.d;
    v->shared = p->raw_at + 2 * p->raw_bytes;
    if (v->shared > (uint64_t)b->shared || p->out_runs * p->pitch > 0xffff) return false;
    v->form = &lw_runs_form;
    v->grid = lw_box_blocks_even(p->boxes, lw_runs_blocks(ops, b->unit, v->shared), ops->sms);
    v->elem = v->align = v->needs = b->unit;
    return true;
}

/* Words of elements that run backwards: runs were always faster (EXPERIMENTS.md, reversal). */
static bool words_back(const box_work *b)
{
    for (int i = 0; i < b->dims; i++) {
        if (b->unit == 4 && b->dim[i].in < 0) return true;
    }
    return false;
}

/* The box, whatever the alignment. */
static bool choose(const lw_copy_query *q, double most)
{
    const box_work *b = &q->box;
    box_memo *memo = q->memo;
    box_work *r = &memo->runs;
    if (memo->runs_known && r->unit == b->unit) return memo->runs_found;
    *r = *b;
    r->every_length = true;
    r->vload = r->vstore = r->unit;
    r->capacity = LW_RUNS_BYTES;
    r->shared = lw_runs_shared(q->ops);
    memo->runs_found = lw_box_choose(r, &estimate, memo->again ? LW_ANY_COST : most);
    memo->runs_known = memo->again;
    return memo->runs_found;
}

static lw_verdict plan(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v)
{
    const box_work *b = &q->box;
    double most = words_back(b) ? LW_ANY_COST : best->cost;
    if (b->unit > 4 || (b->unit == 4 && b->vload > 4 && b->vstore > 4)) return LW_NO; /* vectors are faster */
    if (best->found > 1 && best->cost < RUNS_FROM) return LW_NO;
    if (!choose(q, most) || q->memo->runs.cost >= most || !fill(q->ops, &q->memo->runs, v)) return LW_NO;
    best->cost = q->memo->runs.cost;
    return LW_BEST;
}

static int launch(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream)
{
    lw_runs_params p = v->p.runs;
    p.in = ends->in;
    p.out = ends->out;
    p.lo = ends->lo;
    p.hi = ends->hi;
    return lw_runs_launch(&p, v->elem, v->grid, v->shared, stream);
}

static void describe(const lw_copy_variant *v, char *text, size_t size)
{
    const lw_runs_params *p = &v->p.runs;
    snprintf(text, size, "box of %u runs of %u bytes, written as %u runs of %u: unit %d, pitch %u", p->in_runs,
             p->run_units * (uint32_t)v->elem, p->out_runs, p->run_bytes, v->elem, p->pitch);
}

const lw_copy_form lw_runs_form = {.boxes = true, .plan = plan, .launch = launch, .describe = describe};
