/*
 * Boxes of the index space: what both sides' strides say, which boxes are tried and how they are estimated. Host only,
 * some microseconds: runs of both sides are tried in a few lengths and weighed by an estimate of their time.
 */
#include "copy/box.h"
#include <string.h>

#define BOXES_TRIED 3 /* of the cheapest, against the banks: runs */
/* runs of the input for one of the output: of 2200 seeded choices 2 were cheaper among all, of 1038 of gather 11 */
#define INPUTS_TRIED 4
#define MANY_DIMS 5 /* from that many on every second run of the output is tried, and those beside the best */

int lw_unit_row(int unit)
{
    int row = 0;
    while (row < 4 && 1 << row < unit) row++;
    return row;
}

/* Bytes that a group of lanes writes of a run at once, in runs.cu. */
static int64_t group_bytes(int64_t run)
{
    if (run > 512) return 512;
    return run > 256 ? 256 : 128;
}

/* ---- both sides ---- */

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* Dimensions by input stride; broadcast ones last. Those of the output are in order. */
static void sort_dimensions(box_work *b)
{
    int *order = b->side[BOX_IN].order;
    for (int i = 0; i < b->dims; i++) {
        int at = i;
        int64_t key = magnitude(b->dim[i].in);
        b->side[BOX_OUT].order[i] = i;
        for (; at > 0; at--) {
            int64_t other = magnitude(b->dim[order[at - 1]].in);
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
    for (int i = 0; i < b->dims; i++) {
        const lw_dim *d = &b->dim[s->order[i]];
        s->step[i] = name == BOX_IN ? magnitude(d->in) : d->out;
        if (s->step[i] % 32 && s->step[i] != b->unit) s->even = false;
        if (s->chain < i || s->step[i] != reach) continue;
        reach *= d->n;
        s->chain++;
    }
}

/* Widest vector on one side: the fastest dimension is dense and every other step keeps the alignment. */
static int side_vector(const box_work *b, int align, box_side_name name)
{
    const box_side *s = &b->side[name];
    const lw_dim *fast = &b->dim[s->order[0]];
    if ((name == BOX_IN ? fast->in : fast->out) != b->unit) return b->unit; /* far apart, or backwards */
    for (int v = 16; v > b->unit; v = v == 16 ? 4 : 0) {
        bool ok = align % v == 0 && fast->n % (v / b->unit) == 0;
        for (int i = 1; ok && i < b->dims; i++) ok = s->step[i] % v == 0;
        if (ok) return v;
    }
    return b->unit;
}

void lw_box_make(box_work *b, const lw_dim *d, int dims, int64_t elem, int align, int sms)
{
    int first = 0; /* a run that is dense on both sides moves as one element */
    if (dims && d[0].in == elem && d[0].out == elem) elem *= d[first++].n;
    uint64_t bits = (uint64_t)elem;
    memset(b, 0, sizeof *b);
    for (int i = first; i < dims; i++) bits |= (uint64_t)(d[i].in | d[i].out);
    b->low = lw_low_bit(bits, 16);
    b->unit = b->low < align ? b->low : align;
    if (b->unit < elem || dims == first) b->dim[b->dims++] = (lw_dim){elem / b->unit, b->unit, b->unit};
    for (int i = first; i < dims; i++) b->dim[b->dims++] = d[i];
    sort_dimensions(b);
    describe_side(b, BOX_OUT);
    describe_side(b, BOX_IN);
    b->share = (double)b->unit / sms;
    for (int i = 0; i < b->dims; i++) b->share *= (double)b->dim[i].n;
    b->vload = side_vector(b, align, BOX_IN);
    b->vstore = side_vector(b, align, BOX_OUT);
}

/* ---- a box ---- */

int64_t lw_box_volume(const box_work *b)
{
    int64_t v = b->unit;
    for (int i = 0; i < b->dims; i++) v *= b->box[i];
    return v;
}

static void look_at_ends(box_work *b)
{
    for (int i = 0; i < b->dims; i++) {
        box_ends *e = &b->ends[i];
        int64_t n = b->dim[i].n, t = b->box[i];
        if (e->extent == t) continue;
        int64_t places = (n + t - 1) / t * t;
        e->extent = (int32_t)t;
        e->cut = places != n;
        e->waste = places > t ? (double)places / (double)n : 1;
    }
}

bool lw_box_fits(box_work *b)
{
    uint64_t in = 16, out = 16;
    int cut = 0;
    look_at_ends(b);
    for (int i = 0; i < b->dims; i++) {
        cut += b->ends[i].cut;
        in += (uint64_t)(b->box[i] - 1) * (uint64_t)magnitude(b->dim[i].in);
        out += (uint64_t)(b->box[i] - 1) * (uint64_t)b->dim[i].out;
        if (b->box[i] > 1 && (in > 0xffffffffu || out > 0xffffffffu)) return false;
    }
    return cut <= 2;
}

double lw_box_waste(box_work *b)
{
    double waste = 1;
    look_at_ends(b);
    for (int i = 0; i < b->dims; i++) waste *= b->ends[i].waste;
    return waste;
}

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
        *units *= b->box[k];
        if (b->box[k] < b->dim[k].n) break;
    }
    return n;
}

int64_t lw_box_together(const box_work *b, box_side_name name, bool *even)
{
    int64_t run;
    int n = lw_box_run(b, name, &run), last = n ? b->side[name].order[n - 1] : 0;
    run *= b->unit;
    *even =
        b->side[name].even && (!n || b->box[last] == b->dim[last].n || run % 32 == 0); /* else the next box does not */
    return run;
}

bool lw_box_grid(const box_work *b, lw_box_dim *grid, int32_t *grid_dims, int *limit, uint32_t *boxes)
{
    uint64_t total = 1;
    int cut = 0;
    *grid_dims = 0;
    for (int i = 0; i < b->dims; i++) {
        uint64_t n = (uint64_t)((b->dim[i].n + b->box[i] - 1) / b->box[i]);
        if (n >= 0x7fffffff || (total *= n) >= 0x7fffffff) return false;
        limit[i] = b->dim[i].n % b->box[i] ? ++cut : 0;
        if (n == 1) continue;
        grid[*grid_dims].boxes = lw_fdiv_make((uint32_t)n);
        grid[*grid_dims].limit = limit[i];
        grid[*grid_dims].in = b->dim[i].in * b->box[i];
        grid[*grid_dims].out = b->dim[i].out * b->box[i];
        ++*grid_dims;
    }
    *boxes = (uint32_t)total;
    return true;
}

uint32_t lw_box_blocks_even(uint32_t boxes, int blocks, int sms)
{
    uint64_t most = (uint64_t)blocks * (uint64_t)sms, rounds = ((uint64_t)boxes + most - 1) / most;
    return (uint32_t)(((uint64_t)boxes + rounds - 1) / rounds);
}

/* ---- which boxes are tried ---- */

/* Enlarges the box until the first dimensions of an order give a run of `want` units; how many of them that took. */
static int cover(box_work *b, box_side_name name, int64_t want)
{
    int64_t run = 1;
    int i = 0;
    for (; i < b->dims && run < want; i++) {
        int k = b->side[name].order[i];
        int64_t n = b->dim[k].n, t = n;
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
        if (t > b->box[k]) b->box[k] = (int32_t)t;
        run *= b->box[k];
    }
    return i;
}

static void smallest_box(box_work *b)
{
    for (int i = 0; i < b->dims; i++) b->box[i] = 1;
    b->box[b->side[BOX_IN].order[0]] = b->vload / b->unit;
    if (b->vstore / b->unit > b->box[0]) b->box[0] = b->vstore / b->unit;
}

static const int64_t tried[] = {1, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 16384}; /* bytes */
#define TRIED ((int)(sizeof tried / sizeof tried[0]))

/* The least box with a run of the input. */
typedef struct input_box {
    int dims; /* that it takes */
    int32_t box[LW_BOX_DIMS];
} input_box;

/* Gives a box that run, too: by what the least one has, unless the box has more there already. */
static void add_input(box_work *b, const input_box *least, int64_t bytes)
{
    const int *order = b->side[BOX_IN].order;
    for (int i = 0; i < least->dims; i++) {
        if (b->box[order[i]] <= least->box[order[i]]) continue;
        cover(b, BOX_IN, bytes / b->unit);
        return;
    }
    for (int i = 0; i < least->dims; i++) b->box[order[i]] = least->box[order[i]];
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
        if (!memcmp(s->of_out[i], b->box, sizeof b->box)) return false;
    }
    memcpy(s->of_out[s->outs++], b->box, sizeof b->box);
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
        memcpy(b->box, least, sizeof b->box);
        add_input(b, &s->of_in[i], tried[i]);
        int64_t volume = lw_box_volume(b);
        if (volume > b->capacity) {
            for (int k = o; k < TRIED && s->longest[k] >= i; k++) s->longest[k] = i - 1;
            continue;
        }
        if (!memcmp(last, b->box, sizeof last)) continue;
        memcpy(last, b->box, sizeof last);
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
    int best = 1, step = b->every_length || b->dims < MANY_DIMS ? 1 : 2;
    s.look = look;
    s.context = context;
    s.outs = 0;
    memset(b->ends, 0, sizeof b->ends);
    for (int i = 0; i < TRIED; i++) {
        smallest_box(b);
        s.of_in[i].dims = cover(b, BOX_IN, tried[i] / b->unit);
        memcpy(s.of_in[i].box, b->box, sizeof b->box);
        s.longest[i] = TRIED - 1;
    }
    for (int o = step - 1; o < TRIED; o += step) {
        if (try_output(b, &s, o)) best = o;
    }
    try_output(b, &s, best - 1);
    try_output(b, &s, best + 1);
}

/* ---- the estimate ---- */

/*
 * An estimate of the time per byte, but for meetings in banks; volume: the box's bytes. Anything above `most` if it is
 * at least that: what takes divisions is left out then.
 */
static double cost(box_work *b, const lw_box_weights *w, int64_t volume, double most)
{
    double c;
    bool in_even, out_even;
    int64_t in = lw_box_together(b, BOX_IN, &in_even), out = lw_box_together(b, BOX_OUT, &out_even);
    c = 1 + (in_even ? w->in_even : w->in_odd) / (double)in;
    c += w->out * (1 + (out_even ? w->out_even : w->out_odd) / (double)out);
    c *= 1 + w->fill * ((double)b->capacity / (double)volume - 1);
    if (c >= most) return c;
    c *= 1 + w->waste * (lw_box_waste(b) - 1);
    if (w->windows == 0) return c;
    int64_t windows = (in + 15) / 16 * 16, group = group_bytes(out);
    int64_t words = (out + group - 1) & -group;
    return c + w->windows * ((double)windows / (double)in - 1) + w->words * ((double)words / (double)out - 1);
}

typedef struct box_list {
    const box_estimate *e;
    int n;
    double cost[BOXES_TRIED], most; /* most: dearer ones are not wanted */
    int32_t box[BOXES_TRIED][LW_BOX_DIMS];
} box_list;

/* Keeps a box among the cheapest, best first. False: it does not fit. */
static box_verdict keep_cheapest(void *context, box_work *b, int64_t volume)
{
    box_list *l = context;
    double most = l->n == BOXES_TRIED ? l->cost[l->n - 1] : l->most, c = cost(b, l->e->weights, volume, most);
    if (c >= most) return BOX_WORSE;
    for (int k = 0; k < l->n; k++) {
        if (c == l->cost[k] && !memcmp(b->box, l->box[k], sizeof b->box)) return BOX_WORSE;
    }
    if (!lw_box_fits(b) || (l->e->fits && !l->e->fits(b))) return BOX_UNFIT;
    int at = l->n < BOXES_TRIED ? l->n++ : l->n - 1;
    for (; at > 0 && l->cost[at - 1] > c; at--) {
        l->cost[at] = l->cost[at - 1];
        memcpy(l->box[at], l->box[at - 1], sizeof b->box);
    }
    l->cost[at] = c;
    memcpy(l->box[at], b->box, sizeof b->box);
    return at ? BOX_WORSE : BOX_BEST;
}

bool lw_box_choose(box_work *b, const box_estimate *e, double most)
{
    box_list l = {.e = e, .most = most / e->time(b)};
    box_work best;
    double least = l.most;
    if (1 + e->weights->out >= least) return false; /* no box takes less */
    lw_box_try(b, keep_cheapest, &l);
    for (int i = 0; i < l.n && l.cost[i] < least; i++) {
        double c = l.cost[i];
        memcpy(b->box, l.box[i], sizeof b->box);
        if (e->arrange) c += e->arrange(b, least - c);
        if (c >= least) continue;
        least = c;
        best = *b;
    }
    if (least >= l.most) return false;
    *b = best;
    b->cost = least * e->time(b);
    return true;
}
