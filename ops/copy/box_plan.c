/*
 * Chooses the boxes of a general strided copy (box.cu): how much of each dimension a block moves, the vectors of both
 * sides and the padding of the shared tile. Host only, some microseconds: runs of both sides are tried in a few
 * lengths and weighed by an estimate of their time, which also decides between boxes and runs (runs_plan.c); bank
 * conflicts are counted for two stores of a warp per candidate padding.
 */
#include <string.h>
#include "copy/box_plan.h"

#define BOXES_TRIED 3 /* of the cheapest, against the banks: runs */
/* runs of the input for one of the output: of 2200 seeded choices 2 were cheaper among all, of 1038 of gather 11 */
#define INPUTS_TRIED 4
#define MANY_DIMS 5 /* from that many on every second run of the output is tried, and those beside the best */

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* Dimensions by input stride; broadcast ones last. Those of the output are in order. */
static void sort_dimensions(box_work *b)
{
    int *order = b->side[BOX_IN].order;
    for (int i = 0; i < b->nd; i++) {
        int at = i;
        int64_t key = magnitude(b->d[i].in);
        b->side[BOX_OUT].order[i] = i;
        for (; at > 0; at--) {
            int64_t other = magnitude(b->d[order[at - 1]].in);
            if (key == 0 || (other != 0 && other <= key)) break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static void describe_side(box_work *b, box_side_name name)
{
    box_side *s = &b->side[name];
    int64_t reach = b->unit;
    s->even = true;
    s->chain = 0;
    for (int i = 0; i < b->nd; i++) {
        const lw_dim *d = &b->d[s->order[i]];
        s->step[i] = name == BOX_IN ? magnitude(d->in) : d->out;
        if (s->step[i] % 32 && s->step[i] != b->unit) s->even = false;
        if (s->chain < i || s->step[i] != reach) continue;
        reach *= d->n;
        s->chain++;
    }
}

void lw_box_sides(box_work *b)
{
    sort_dimensions(b);
    describe_side(b, BOX_OUT);
    describe_side(b, BOX_IN);
}

/* Widest vector on one side: the fastest dimension is dense and every other step keeps the alignment. */
static int side_vector(const box_work *b, int align, box_side_name name)
{
    const box_side *s = &b->side[name];
    const lw_dim *fast = &b->d[s->order[0]];
    if ((name == BOX_IN ? fast->in : fast->out) != b->unit) return b->unit; /* far apart, or backwards */
    for (int v = 16; v > b->unit; v = v == 16 ? 4 : 0) {
        bool ok = align % v == 0 && fast->n % (v / b->unit) == 0;
        for (int i = 1; ok && i < b->nd; i++) ok = s->step[i] % v == 0;
        if (ok) return v;
    }
    return b->unit;
}

/* Enlarges the box until the first dimensions of an order give a run of `want` units; how many of them that took. */
static int cover(box_work *b, box_side_name name, int64_t want)
{
    int64_t run = 1;
    int i = 0;
    for (; i < b->nd && run < want; i++) {
        int k = b->side[name].order[i];
        int64_t n = b->d[k].n, t = n;
        if (run * n > want + want / 4) {
            int64_t need = (want + run - 1) / run, boxes = (n + need - 1) / need;
            int multiple = 1;
            t = (n + boxes - 1) / boxes;
            if (k == b->side[BOX_IN].order[0]) multiple = b->vload / b->unit;
            if (k == 0 && b->vstore / b->unit > multiple) multiple = b->vstore / b->unit;
            int whole = 32 / lw_low_bit((uint64_t)(run * b->unit), 32); /* boxes begin with sectors */
            if (t >= 2 * whole && whole > multiple) multiple = whole;
            t = (t + multiple - 1) & -multiple;
            if (t > n) t = n;
        }
        if (t > b->t[k]) b->t[k] = (int32_t)t;
        run *= b->t[k];
    }
    return i;
}

int64_t lw_box_volume(const box_work *b)
{
    int64_t v = b->unit;
    for (int i = 0; i < b->nd; i++) v *= b->t[i];
    return v;
}

static void smallest_box(box_work *b)
{
    for (int i = 0; i < b->nd; i++) b->t[i] = 1;
    b->t[b->side[BOX_IN].order[0]] = b->vload / b->unit;
    if (b->vstore / b->unit > b->t[0]) b->t[0] = b->vstore / b->unit;
}

static void look_at_ends(box_work *b)
{
    for (int i = 0; i < b->nd; i++) {
        box_ends *e = &b->ends[i];
        int64_t n = b->d[i].n, t = b->t[i];
        if (e->t == t) continue;
        int64_t places = (n + t - 1) / t * t;
        e->t = (int32_t)t;
        e->cut = places != n;
        e->waste = places > t ? (double)places / (double)n : 1;
    }
}

bool lw_box_fits(box_work *b)
{
    uint64_t in = 16, out = 16;
    int cut = 0;
    look_at_ends(b);
    for (int i = 0; i < b->nd; i++) {
        cut += b->ends[i].cut;
        in += (uint64_t)(b->t[i] - 1) * (uint64_t)magnitude(b->d[i].in);
        out += (uint64_t)(b->t[i] - 1) * (uint64_t)b->d[i].out;
        if (b->t[i] > 1 && (in > 0xffffffffu || out > 0xffffffffu)) return false;
    }
    return cut <= 2;
}

double lw_box_waste(box_work *b)
{
    double waste = 1;
    look_at_ends(b);
    for (int i = 0; i < b->nd; i++) waste *= b->ends[i].waste;
    return waste;
}

#define FEW_BOXES 8 /* for a multiprocessor */
#define FEW_COST 0.04

double lw_box_few(const box_work *b, int64_t volume)
{
    double boxes = b->share / (double)volume;
    return boxes >= FEW_BOXES ? 0 : FEW_COST * (FEW_BOXES / boxes - 1);
}

int lw_box_run(const box_work *b, box_side_name name, int64_t *units)
{
    const box_side *s = &b->side[name];
    int n = 0;
    *units = 1;
    while (n < s->chain) {
        int k = s->order[n++];
        *units *= b->t[k];
        if (b->t[k] < b->d[k].n) break;
    }
    return n;
}

#define SAMPLES 2 /* warps whose stores to the tile are tried */

/* Where the units that a warp stores at once stand in the tile, in bytes. */
static int stand(const lw_box_params *p, int unit, uint32_t first, uint32_t *at)
{
    int lanes = unit == 16 ? 8 : unit == 8 ? 16 : 32, n = 0;
    for (; n < lanes && first + (uint32_t)n < (uint32_t)p->loads; n++) {
        uint32_t e = first + (uint32_t)n;
        at[n] = 0;
        for (int i = 0; i < p->nl && e; i++) {
            uint32_t q = e / p->l[i].t.d;
            at[n] += (e - q * p->l[i].t.d) * (uint32_t)(p->l[i].pos * unit);
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

static void choose_padding(lw_box_params *p, const box_work *b)
{
    uint32_t step = b->vstore > 4 ? (uint32_t)b->vstore : 4, bytes = (uint32_t)lw_box_volume(b), at[SAMPLES][32];
    uint32_t best_shift = 31, best_pad = 0;
    int lanes[SAMPLES], least = 0;
    for (int i = 0; i < SAMPLES; i++) {
        lanes[i] = stand(p, b->unit, (uint32_t)i * (uint32_t)(p->loads / 2 / 32 * 32), at[i]);
        least += passes(at[i], lanes[i], b->unit, 31, 0, 32);
    }
    /* a thread's vectors lie 256 of them apart: padding must come evenly */
    for (uint32_t shift = b->vstore == 1 ? 8 : b->vstore == 2 ? 9 : 10; shift >= 6 && least > SAMPLES; shift--) {
        for (uint32_t pad = step; pad <= 4 * step && pad << 3 <= 1u << shift; pad += step) {
            int n = shift < 7; /* reads of 128 bytes meet there */
            for (int i = 0; i < SAMPLES && n < least; i++) n += passes(at[i], lanes[i], b->unit, shift, pad, least - n);
            if (n >= least) continue;
            least = n;
            best_shift = shift;
            best_pad = pad;
        }
    }
    p->pad_shift = best_shift;
    p->pad_bytes = best_pad;
    p->tile_bytes = (bytes + (bytes >> best_shift) * best_pad + 31) & ~15u;
}

/* The digits of one side's counting, fastest first. */
static int digits(const box_work *b, const int *limit, box_side_name name, lw_digit *out)
{
    int64_t place[LW_BOX_DIMS], units = 1;
    int n = 0, vector = (name == BOX_IN ? b->vload : b->vstore) / b->unit;
    for (int i = 0; i < b->nd; i++) {
        place[i] = units;
        units *= b->t[i];
    }
    for (int i = 0; i < b->nd; i++) {
        int k = b->side[name].order[i], group = i == 0 ? vector : 1;
        if (b->t[k] == 1) continue;
        out[n].t = lw_fdiv_make((uint32_t)(b->t[k] / group));
        out[n].pos = name == BOX_IN ? (int32_t)place[k] * group : 0;
        out[n].stride = (uint32_t)((name == BOX_IN ? b->d[k].in : b->d[k].out) * group);
        out[n].limit = limit[k];
        out[n].rest = (int32_t)(b->d[k].n % b->t[k] / group);
        n++;
    }
    return n;
}

/* What a box costs: constants fitted to seeded shapes that were timed with many boxes each (NOTES.md). */
typedef struct box_weights {
    double in_even, in_odd; /* bytes that a run of the input costs more; even: all runs begin with sectors */
    double out;             /* the output's share */
    double out_even, out_odd;
    double waste, fill;    /* places that stay empty at the ends, boxes below capacity */
    double pass;           /* runs: one more pass of two stores of a warp to the tile */
    double windows, words; /* runs: places of windows and words that stay empty */
} box_weights;

static const box_weights box_weight = {35, 49, 2.04, 12, 104, 0.16, 0.034, 0, 0, 0};
static const box_weights runs_weight = {9, 10, 1.38, 4.3, 52, 0.99, 0.043, 0.075, 0.22, 0.2};

/*
 * Time per byte of a kernel at cost 1, relative to the best copy: units of 1, 2, 4, 8, 16 bytes, loads and stores by
 * units (0), by words of units below 4 (1), by 16 bytes (2).
 */
static const double box_time[5][3][3] = {
    {{1.00, 0.46, 0.61}, {0.82, 0.44, 0.45}, {0.75, 0.43, 0.41}},
    {{0.52, 0.36, 0.45}, {0.52, 0.34, 0.40}, {0.57, 0.46, 0.38}},
    {{0.39, 0, 0.39}, {0, 0, 0}, {0.37, 0, 0.37}},
    {{0.36, 0, 0.38}, {0, 0, 0}, {0.35, 0, 0.36}},
    {{0.36, 0, 0}, {0, 0, 0}, {0, 0, 0}},
};
static const double runs_time[3] = {0.67, 0.59, 0.57};

static int log2_of(int v) { return v <= 1 ? 0 : v == 2 ? 1 : v == 4 ? 2 : v == 8 ? 3 : 4; }

static double kernel_time(const box_work *b)
{
    int unit = log2_of(b->unit), load = b->vload == b->unit ? 0 : b->vload == 4 ? 1 : 2;
    int store = b->vstore == b->unit ? 0 : b->vstore == 4 ? 1 : 2;
    return b->runs ? runs_time[unit] : box_time[unit][load][store];
}

int64_t lw_box_together(const box_work *b, box_side_name name, bool *even)
{
    int64_t run;
    int n = lw_box_run(b, name, &run), last = n ? b->side[name].order[n - 1] : 0;
    run *= b->unit;
    *even = b->side[name].even && (!n || b->t[last] == b->d[last].n || run % 32 == 0); /* else the next box does not */
    return run;
}

/*
 * An estimate of the time per byte, but for meetings in banks; volume: the box's bytes. Anything above `most` if it is
 * at least that: what takes divisions is left out then.
 */
static double cost(box_work *b, int64_t volume, double most)
{
    const box_weights *w = b->runs ? &runs_weight : &box_weight;
    double c;
    bool in_even, out_even;
    int64_t in = lw_box_together(b, BOX_IN, &in_even), out = lw_box_together(b, BOX_OUT, &out_even);
    c = 1 + (in_even ? w->in_even : w->in_odd) / (double)in;
    c += w->out * (1 + (out_even ? w->out_even : w->out_odd) / (double)out);
    c *= 1 + w->fill * ((double)b->capacity / (double)volume - 1);
    if (c >= most) return c;
    c *= 1 + w->waste * (lw_box_waste(b) - 1);
    if (!b->runs) return c;
    int64_t windows = (in + 15) / 16 * 16, group = out > 512 ? 512 : out > 256 ? 256 : 128;
    int64_t words = (out + group - 1) & -group;
    return c + w->windows * ((double)windows / (double)in - 1) + w->words * ((double)words / (double)out - 1);
}

typedef struct box_list {
    int n;
    double cost[BOXES_TRIED], most; /* most: dearer ones are not wanted */
    int32_t t[BOXES_TRIED][LW_BOX_DIMS];
} box_list;

/* Keeps a box among the cheapest, best first. False: it does not fit. */
static box_verdict keep_cheapest(void *context, box_work *b, int64_t volume)
{
    box_list *l = context;
    double most = l->n == BOXES_TRIED ? l->cost[l->n - 1] : l->most, c = cost(b, volume, most);
    if (c >= most) return BOX_WORSE;
    for (int k = 0; k < l->n; k++) {
        if (c == l->cost[k] && !memcmp(b->t, l->t[k], sizeof b->t)) return BOX_WORSE;
    }
    if (!lw_box_fits(b) || (b->runs && !lw_runs_fits(b))) return BOX_UNFIT;
    int at = l->n < BOXES_TRIED ? l->n++ : l->n - 1;
    for (; at > 0 && l->cost[at - 1] > c; at--) {
        l->cost[at] = l->cost[at - 1];
        memcpy(l->t[at], l->t[at - 1], sizeof b->t);
    }
    l->cost[at] = c;
    memcpy(l->t[at], b->t, sizeof b->t);
    return at ? BOX_WORSE : BOX_BEST;
}

static const int64_t tried[] = {1, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 16384}; /* bytes */
#define TRIED ((int)(sizeof tried / sizeof tried[0]))

/* The least box with a run of the input. */
typedef struct input_box {
    int dims; /* that it takes */
    int32_t t[LW_BOX_DIMS];
} input_box;

/* Gives a box that run, too: by what the least one has, unless the box has more there already. */
static void add_input(box_work *b, const input_box *least, int64_t bytes)
{
    const int *order = b->side[BOX_IN].order;
    for (int i = 0; i < least->dims; i++) {
        if (b->t[order[i]] <= least->t[order[i]]) continue;
        cover(b, BOX_IN, bytes / b->unit);
        return;
    }
    for (int i = 0; i < least->dims; i++) b->t[order[i]] = least->t[order[i]];
}

typedef struct box_search {
    box_look look;
    void *context;
    input_box of_in[TRIED];
    int32_t of_out[TRIED][LW_BOX_DIMS]; /* least boxes with a run of the output, `outs` of them */
    int outs, longest[TRIED];           /* run of the input that may fit, by the run of the output */
} box_search;

/* The least box with that run of the output. False: it was tried as that of another one. */
static bool add_output(box_work *b, box_search *s, int o)
{
    smallest_box(b);
    cover(b, BOX_OUT, tried[o] / b->unit);
    for (int i = s->outs - 1; i >= 0; i--) {
        if (!memcmp(s->of_out[i], b->t, sizeof b->t)) return false;
    }
    memcpy(s->of_out[s->outs++], b->t, sizeof b->t);
    return true;
}

/* Boxes with that run of the output and the longest ones of the input that fit; whether one is the best by now. */
static bool try_output(box_work *b, box_search *s, int o)
{
    int32_t last[LW_BOX_DIMS] = {0};
    const int32_t *least = s->of_out[s->outs];
    bool best = false;
    if (o < 0 || o >= TRIED || !add_output(b, s, o)) return false;
    for (int i = s->longest[o], fit = 0; i >= 0 && fit < INPUTS_TRIED; i--) {
        memcpy(b->t, least, sizeof b->t);
        add_input(b, &s->of_in[i], tried[i]);
        int64_t volume = lw_box_volume(b);
        if (volume > b->capacity) {
            for (int k = o; k < TRIED && s->longest[k] >= i; k++) s->longest[k] = i - 1;
            continue;
        }
        if (!memcmp(last, b->t, sizeof last)) continue;
        memcpy(last, b->t, sizeof last);
        box_verdict v = s->look(s->context, b, volume);
        fit += v != BOX_UNFIT;
        best = best || v == BOX_BEST;
    }
    return best;
}

void lw_box_try(box_work *b, box_look look, void *context)
{
    box_search s;
    /* every one for runs.cu, which differ more from one length to the next, and where there are not many dimensions */
    int best = 1, step = b->runs || b->nd < MANY_DIMS ? 1 : 2;
    s.look = look;
    s.context = context;
    s.outs = 0;
    memset(b->ends, 0, sizeof b->ends);
    for (int i = 0; i < TRIED; i++) {
        smallest_box(b);
        s.of_in[i].dims = cover(b, BOX_IN, tried[i] / b->unit);
        memcpy(s.of_in[i].t, b->t, sizeof b->t);
        s.longest[i] = TRIED - 1;
    }
    for (int o = step - 1; o < TRIED; o += step) {
        if (try_output(b, &s, o)) best = o;
    }
    try_output(b, &s, best - 1);
    try_output(b, &s, best + 1);
}

bool lw_box_choose(box_work *b, double most)
{
    box_list l = {.most = most / kernel_time(b)};
    box_work best;
    double least = l.most;
    if (1 + (b->runs ? &runs_weight : &box_weight)->out >= least) return false; /* no box takes less */
    lw_box_try(b, keep_cheapest, &l);
    for (int i = 0; i < l.n && l.cost[i] < least; i++) {
        double c = l.cost[i];
        memcpy(b->t, l.t[i], sizeof b->t);
        if (b->runs) {
            lw_runs_pitch(b, 2 + (least - c) / runs_weight.pass);
            c += runs_weight.pass * (b->passes - 2.0);
        }
        if (c >= least) continue;
        least = c;
        best = *b;
    }
    if (least >= l.most) return false;
    *b = best;
    b->cost = least * kernel_time(b);
    return true;
}

bool lw_box_grid(const box_work *b, lw_box_dim *d, int32_t *nd, int *limit, uint32_t *boxes)
{
    uint64_t total = 1;
    int cut = 0;
    *nd = 0;
    for (int i = 0; i < b->nd; i++) {
        uint64_t n = (uint64_t)((b->d[i].n + b->t[i] - 1) / b->t[i]);
        if (n >= 0x7fffffff || (total *= n) >= 0x7fffffff) return false;
        limit[i] = b->d[i].n % b->t[i] ? ++cut : 0;
        if (n == 1) continue;
        d[*nd].grid = lw_fdiv_make((uint32_t)n);
        d[*nd].limit = limit[i];
        d[*nd].in = b->d[i].in * b->t[i];
        d[*nd].out = b->d[i].out * b->t[i];
        ++*nd;
    }
    *boxes = (uint32_t)total;
    return true;
}

static bool fill(const lw_ops *ops, const box_work *b, lw_copy_variant *v)
{
    lw_box_params *p = &v->p.box;
    int limit[LW_BOX_DIMS];
    int64_t place = 1;
    memset(p, 0, sizeof *p);
    if (!lw_box_grid(b, p->d, &p->nd, limit, &p->boxes)) return false;
    for (int i = 0; i < b->nd; i++) {
        if (i == b->side[BOX_IN].order[0]) p->step = (int32_t)(place * b->unit);
        place *= b->t[i];
        if (b->d[i].in < 0) {
            v->in_adjust += (b->t[i] - 1) * b->d[i].in;
            p->bias += (uint32_t)((b->t[i] - 1) * -b->d[i].in);
        }
    }
    p->loads = (int32_t)(lw_box_volume(b) / b->vload);
    p->stores = (int32_t)(lw_box_volume(b) / b->vstore);
    p->nl = digits(b, limit, BOX_IN, p->l);
    p->ns = digits(b, limit, BOX_OUT, p->s);
    choose_padding(p, b);
    uint64_t total = p->boxes, most = (uint64_t)lw_box_blocks(ops, b->unit, b->vload, b->vstore) * (uint64_t)ops->sms;
    uint64_t rounds = (total + most - 1) / most;
    v->kind = LW_COPY_BOX;
    v->grid = (uint32_t)((total + rounds - 1) / rounds);
    v->shared = 2 * p->tile_bytes;
    v->elem = b->unit;
    v->vload = b->vload;
    v->vstore = b->vstore;
    return true;
}

/* The same as runs, if that is estimated to take less than `most`. */
static bool plan_runs(const lw_ops *ops, const box_work *b, double most, box_memo *memo, lw_copy_variant *v)
{
    box_work *r = &memo->runs;
    if (b->unit > 4 || (b->unit == 4 && b->vload > 4 && b->vstore > 4)) return false; /* vectors are faster */
    if (!memo->runs_known || r->unit != b->unit) {
        *r = *b;
        r->runs = true;
        r->vload = r->vstore = r->unit;
        r->capacity = LW_RUNS_BYTES;
        r->shared = lw_runs_shared(ops);
        memo->runs_found = lw_box_choose(r, memo->again ? LW_ANY_COST : most);
        memo->runs_known = memo->again;
    }
    return memo->runs_found && r->cost < most && lw_runs_plan(ops, r, v);
}

/*
 * Units of 1, 2, 4, 8, 16 bytes: below that time of a gathered box, or of squares, boxes are not tried: of 1400 seeded
 * variants 12 would be estimated to take less, by a twentieth at most; and below RUNS_FROM no runs: 2.
 */
static const double boxes_from[5] = {1.5, 1.5, 1.3, 1.1, 1.15};
#define RUNS_FROM 1.7

bool lw_box_plan(const lw_ops *ops, const lw_copy_shape *shape, int align, box_memo *memo, lw_copy_variant *v)
{
    box_work b;
    int64_t elem = shape->elem;
    int first = 0; /* a run that is dense on both sides moves as one element */
    if (shape->nd && shape->d[0].in == elem && shape->d[0].out == elem) elem *= shape->d[first++].n;
    uint64_t bits = (uint64_t)elem;
    memset(&b, 0, sizeof b);
    for (int i = first; i < shape->nd; i++) bits |= (uint64_t)(shape->d[i].in | shape->d[i].out);
    b.unit = lw_low_bit(bits | (uint64_t)align, 16);
    if (b.unit < elem || shape->nd == first) b.d[b.nd++] = (lw_dim){elem / b.unit, b.unit, b.unit};
    for (int i = first; i < shape->nd; i++) b.d[b.nd++] = shape->d[i];
    lw_box_sides(&b);
    b.share = (double)b.unit / ops->sms;
    for (int i = 0; i < b.nd; i++) b.share *= (double)b.d[i].n;
    b.vload = side_vector(&b, align, BOX_IN);
    b.vstore = side_vector(&b, align, BOX_OUT);
    b.capacity = lw_box_bytes(b.unit, b.vload, b.vstore);
    double most = LW_ANY_COST;
    bool words_back = false, found = lw_direct_plan(&b, align, &most, v);
    memo->again = memo->other && lw_low_bit(bits | (uint64_t)memo->other, 16) == b.unit;
    if (found && b.share < LW_SMALL_SHARE) return true;
    found = lw_gather_plan(ops, &b, &most, memo, v) || found;
    if (found && most < boxes_from[log2_of(b.unit)]) return true;
    bool box = lw_box_choose(&b, most);
    if (found && !box) return true;
    /* words of elements that run backwards: runs were always faster (NOTES.md, reversal) */
    for (int i = 0; i < b.nd; i++) words_back = words_back || (b.unit == 4 && b.d[i].in < 0);
    if ((!found || b.cost >= RUNS_FROM) && plan_runs(ops, &b, box && !words_back ? b.cost : LW_ANY_COST, memo, v))
        return true;
    memset(v, 0, sizeof *v);
    v->align = align;
    return box && fill(ops, &b, v);
}
