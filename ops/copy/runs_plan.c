/*
 * Boxes that are moved as runs of bytes at any address (runs.cu): limits of a box, the countings of both sides, where
 * the units of an input run belong in the tile, and the tile's pitch, tried against the banks of shared memory for
 * one warp.
 */
#include <math.h>
#include <string.h>
#include "copy/box_plan.h"

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

bool lw_runs_fits(const box_work *b)
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
    for (int i = 0; i < r->b->nd; i++) {
        r->step[i] = (tile_step){0, 0};
        if (i < r->out_dims) {
            r->step[i].bytes = bytes;
            bytes *= r->b->t[i];
        } else {
            r->step[i].runs = runs;
            runs *= r->b->t[i];
        }
    }
}

/* Counts e down the input's dimensions from `from` on: where it stands in the tile. Backward ones are mirrored. */
static tile_step stand(const runs_work *r, int from, int to, uint32_t e, tile_step at)
{
    for (int i = from; i < to; i++) {
        int k = r->b->side[BOX_IN].order[i];
        uint32_t t = (uint32_t)r->b->t[k], c = e < t ? e : e % t;
        e = e < t ? 0 : e / t;
        if (r->b->d[k].in < 0) c = t - 1 - c;
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
    tile_step row = stand(r, r->in_dims, r->b->nd, 0, origin);
    for (uint32_t w = 0; e < 32 && e < all; e++, w++) {
        if (w == windows) {
            w = 0;
            row = stand(r, r->in_dims, r->b->nd, e / windows, origin);
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
        const lw_dim *d = &r->b->d[k];
        int64_t t = r->b->t[k], rest = d->n % t;
        int32_t pos = tile_bytes(r, k, pitch);
        if (t == 1) continue;
        if (d->in < 0) *bias += (int32_t)(t - 1) * pos;
        out[n].t = lw_fdiv_make((uint32_t)t);
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
    for (int i = r->out_dims; i < r->b->nd; i++) {
        if (r->b->t[i] == 1) continue;
        out[n].t = lw_fdiv_make((uint32_t)r->b->t[i]);
        out[n].stride = (uint32_t)r->b->d[i].out;
        out[n].limit = r->limit[i];
        out[n].rest = (int32_t)(r->b->d[i].n % r->b->t[i]);
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
    for (int i = 0; i < b->nd; i++) reach += (b->t[i] - 1) * (b->d[i].in < 0 ? -b->d[i].in : b->d[i].in);
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

void lw_runs_pitch(box_work *b, double most)
{
    runs_work r = work_of(b);
    b->pitch = choose_pitch(&r, most < MOST_PASSES ? (uint32_t)ceil(most) : MOST_PASSES, &b->passes);
}

bool lw_runs_plan(const lw_ops *ops, const box_work *b, lw_copy_variant *v)
{
    runs_work r = work_of(b);
    lw_runs_params *p = &v->p.runs;
    memset(v, 0, sizeof *v);
    if (!lw_box_grid(b, p->d, &p->nd, r.limit, &p->boxes)) return false;
    for (int i = 0; i < b->nd; i++) v->in_adjust += b->d[i].in < 0 ? (b->t[i] - 1) * b->d[i].in : 0;
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
        p->run_rest = p->run_bytes / (uint32_t)b->t[last] * (uint32_t)(b->d[last].n % b->t[last]);
    }
    p->pitch = b->pitch;
    p->passes = b->passes;
    p->nt = input_digits(&r, 0, r.in_dims, p->pitch, p->t, &p->table_bias);
    p->nl = input_digits(&r, r.in_dims, b->nd, p->pitch, p->l, &p->pos_bias);
    p->ns = output_digits(&r, p->s);
    choose_group(p);
    p->reach = reach_of(b);
    p->table_at = round16(8 * p->out_runs);
    p->tile_at = p->table_at + round16(windows * (32 / (uint32_t)b->unit)) + SLACK;
    p->raw_at = p->tile_at + round16(p->out_runs * p->pitch) + SLACK + 16 * p->group;
    p->raw_bytes = 16 * p->in_runs * p->chunks.d;
    v->shared = p->raw_at + 2 * p->raw_bytes;
    if (v->shared > (uint64_t)b->shared || p->out_runs * p->pitch > 0xffff) return false;
    uint64_t most = (uint64_t)lw_runs_blocks(ops, b->unit, v->shared) * (uint64_t)ops->sms, total = p->boxes;
    uint64_t rounds = (total + most - 1) / most;
    v->kind = LW_COPY_RUNS;
    v->grid = (uint32_t)((total + rounds - 1) / rounds);
    v->elem = b->unit;
    v->align = b->unit;
    return true;
}
