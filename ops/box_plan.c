/*
 * Chooses the boxes of a general strided copy (box.cu): how much of each dimension a block moves, the vectors of both
 * sides and the padding of the shared tile. Host only, some microseconds: runs of both sides are tried in a few
 * lengths and weighed by an estimate of their cost; bank conflicts are counted for one warp per candidate padding.
 */
#include <string.h>
#include "box_plan.h"

#define RUNS_LEAST 56        /* bytes of a run on either side, of units of 1 and 2 bytes */
#define RUNS_LEAST_WORDS 400 /* of units of 4 */
#define RUNS_MOST_PASSES 6   /* of two stores to the tile */

static int64_t magnitude(int64_t v) {
    return v < 0 ? -v : v;
}

/* Dimensions by input stride; broadcast ones last. */
static void sort_by_input(box_work *b) {
    for (int i = 0; i < b->nd; i++) {
        int at = i;
        int64_t key = magnitude(b->d[i].in);
        for (; at > 0; at--) {
            int64_t other = magnitude(b->d[b->in_order[at - 1]].in);
            if (key == 0 || (other != 0 && other <= key)) break;
            b->in_order[at] = b->in_order[at - 1];
        }
        b->in_order[at] = i;
    }
}

/* Widest vector on one side: the fastest dimension is dense and every other step keeps the alignment. */
static int side_vector(const box_work *b, int align, bool input) {
    int fast = input ? b->in_order[0] : 0;
    int64_t step = input ? b->d[fast].in : b->d[fast].out;
    if (step != b->unit) return b->unit;
    for (int v = 16; v > b->unit; v = v == 16 ? 4 : 0) {
        bool ok = align % v == 0 && b->d[fast].n % (v / b->unit) == 0;
        for (int i = 0; ok && i < b->nd; i++) {
            if (i != fast) ok = (input ? b->d[i].in : b->d[i].out) % v == 0;
        }
        if (ok) return v;
    }
    return b->unit;
}

/* Enlarges the box until the first dimensions of an order give a run of `want` units. */
static void cover(box_work *b, bool input, int64_t want) {
    int64_t run = 1;
    for (int i = 0; i < b->nd && run < want; i++) {
        int k = input ? b->in_order[i] : i;
        int64_t n = b->d[k].n, t;
        if (run * n <= want + want / 4) {
            t = n;
        } else {
            int64_t need = (want + run - 1) / run, boxes = (n + need - 1) / need;
            int multiple = 1;
            t = (n + boxes - 1) / boxes;
            if (k == b->in_order[0]) multiple = b->vload / b->unit;
            if (k == 0 && b->vstore / b->unit > multiple) multiple = b->vstore / b->unit;
            if (b->runs && run == 1 && t * b->unit >= 64) multiple = 32 / b->unit; /* boxes begin with sectors */
            t = (t + multiple - 1) / multiple * multiple;
            if (t > n) t = n;
        }
        if (t > b->t[k]) b->t[k] = t;
        run *= b->t[k];
    }
}

int64_t lw_box_volume(const box_work *b) {
    int64_t v = b->unit;
    for (int i = 0; i < b->nd; i++) v *= b->t[i];
    return v;
}

static void make_box(box_work *b, int64_t in_run, int64_t out_run) {
    int fast = b->in_order[0];
    for (int i = 0; i < b->nd; i++) b->t[i] = 1;
    b->t[fast] = b->vload / b->unit;
    if (b->vstore / b->unit > b->t[0]) b->t[0] = b->vstore / b->unit;
    cover(b, false, out_run / b->unit);
    cover(b, true, in_run / b->unit);
}

/* Small enough for the kernel, at most two cut dimensions, and offsets inside a box below 2^32. */
static bool fits(const box_work *b) {
    uint64_t in = 16, out = 16;
    int cut = 0;
    for (int i = 0; i < b->nd; i++) {
        cut += b->d[i].n % b->t[i] != 0;
        in += (uint64_t)(b->t[i] - 1) * (uint64_t)magnitude(b->d[i].in);
        out += (uint64_t)(b->t[i] - 1) * (uint64_t)b->d[i].out;
        if (b->t[i] > 1 && (in > 0xffffffffu || out > 0xffffffffu)) return false;
    }
    return lw_box_volume(b) <= b->capacity && cut <= 2 && (!b->runs || lw_runs_fits(b));
}

int lw_box_run(const box_work *b, bool input, int64_t *units) {
    int64_t reach = b->unit;
    int n = 0;
    *units = 1;
    while (n < b->nd) {
        int k = input ? b->in_order[n] : n;
        if (magnitude(input ? b->d[k].in : b->d[k].out) != reach) break;
        reach *= b->d[k].n;
        *units *= b->t[k];
        n++;
        if (b->t[k] < b->d[k].n) break;
    }
    return n;
}

/* What one side costs relative to whole lines: runs are bytes that lie together in memory. */
static double side_cost(const box_work *b, bool input) {
    int64_t run = b->unit, reach = b->unit;
    bool aligned = true;
    for (int i = 0; i < b->nd; i++) {
        int k = input ? b->in_order[i] : i;
        int64_t step = magnitude(input ? b->d[k].in : b->d[k].out);
        if (step == reach) {
            run *= b->t[k];
            reach = b->t[k] == b->d[k].n ? reach * b->d[k].n : -1;
        } else {
            reach = -1;
        }
        if (step % 32 && step != b->unit) aligned = false;
    }
    return 1 + (aligned ? 16.0 : 40.0) / (double)run;
}

/* An estimate of the time per byte: runs of both sides, places that stay empty at the ends, boxes far below capacity. */
static double cost(const box_work *b) {
    double waste = 1, fill = (double)b->capacity / (double)lw_box_volume(b);
    for (int i = 0; i < b->nd; i++) {
        int64_t boxes = (b->d[i].n + b->t[i] - 1) / b->t[i];
        waste *= (double)(boxes * b->t[i]) / (double)b->d[i].n;
    }
    return (side_cost(b, true) + 1.5 * side_cost(b, false)) * (1 + 0.6 * (waste - 1)) * (1 + 0.12 * (fill - 1));
}

bool lw_box_choose(box_work *b) {
    static const int runs[] = { 1, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 16384 };
    const int count = (int)(sizeof runs / sizeof runs[0]);
    double least = 1e30;
    box_work best = *b;
    for (int o = 0; o < count; o++) {
        for (int i = 0; i < count; i++) {
            make_box(b, runs[i], runs[o]);
            if (!fits(b)) {
                if (lw_box_volume(b) > b->capacity) break;
                continue;
            }
            double c = cost(b);
            if (c < least) {
                least = c;
                best = *b;
            }
        }
    }
    *b = best;
    return least < 1e30;
}

/* Shared wavefronts of one warp's unit stores under a padding: the largest number of distinct words in one bank. */
static int conflicts(const lw_box_params *p, int unit, uint32_t shift, uint32_t pad) {
    uint32_t word[32][32];
    int count[32] = { 0 }, worst = 0, lanes = p->loads < 32 ? p->loads : 32;
    int group = unit == 16 ? 8 : unit == 8 ? 16 : 32;
    for (int lane = 0; lane < lanes && lane < group; lane++) {
        uint32_t e = (uint32_t)lane, pos = 0;
        for (int i = 0; i < p->nl; i++) {
            uint32_t q = e / p->l[i].t.d;
            pos += (e - q * p->l[i].t.d) * (uint32_t)p->l[i].pos;
            e = q;
        }
        uint32_t b = pos * (uint32_t)unit;
        b += (b >> shift) * pad;
        uint32_t w = b / 4, bank = w % 32;
        bool known = false;
        for (int i = 0; i < count[bank] && !known; i++) known = word[bank][i] == w;
        if (!known) word[bank][count[bank]++] = w;
        if (count[bank] > worst) worst = count[bank];
    }
    return worst;
}

static void choose_padding(lw_box_params *p, const box_work *b) {
    uint32_t pad = b->vstore > 4 ? (uint32_t)b->vstore : 4, bytes = (uint32_t)lw_box_volume(b);
    uint32_t best_shift = 31, least = (uint32_t)conflicts(p, b->unit, 31, 0);
    for (uint32_t shift = 10; shift >= 6 && least > 1; shift--) {
        uint32_t c = (uint32_t)conflicts(p, b->unit, shift, pad);
        if (c < least) {
            least = c;
            best_shift = shift;
        }
    }
    p->pad_shift = best_shift;
    p->pad_bytes = best_shift == 31 ? 0 : pad;
    p->tile_bytes = (bytes + (bytes >> best_shift) * p->pad_bytes + 31) & ~15u;
}

/* The digits of one side's counting, fastest first. */
static int digits(const box_work *b, const int *limit, bool input, lw_digit *out) {
    int64_t place[LW_BOX_DIMS], units = 1;
    int n = 0, vector = (input ? b->vload : b->vstore) / b->unit;
    for (int i = 0; i < b->nd; i++) {
        place[i] = units;
        units *= b->t[i];
    }
    for (int i = 0; i < b->nd; i++) {
        int k = input ? b->in_order[i] : i, group = i == 0 ? vector : 1;
        if (b->t[k] == 1) continue;
        out[n].t = lw_fdiv_make((uint32_t)(b->t[k] / group));
        out[n].pos = input ? (int32_t)place[k] * group : 0;
        out[n].stride = (uint32_t)((input ? b->d[k].in : b->d[k].out) * group);
        out[n].limit = limit[k];
        out[n].rest = (int32_t)(b->d[k].n % b->t[k] / group);
        n++;
    }
    return n;
}

static bool fill(const lw_ops *ops, const box_work *b, lw_copy_variant *v) {
    lw_box_params *p = &v->p.box;
    int cut = 0, limit[LW_BOX_DIMS] = { 0 };
    int64_t place = 1;
    uint64_t total = 1, most = (uint64_t)lw_box_blocks(ops, b->unit, b->vload, b->vstore) * (uint64_t)ops->sms;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < b->nd; i++) {
        uint64_t boxes = (uint64_t)((b->d[i].n + b->t[i] - 1) / b->t[i]);
        if (boxes >= 0x7fffffff || (total *= boxes) >= 0x7fffffff) return false;
        if (b->d[i].n % b->t[i]) limit[i] = ++cut;
        if (i == b->in_order[0]) p->step = (int32_t)(place * b->unit);
        place *= b->t[i];
        if (b->d[i].in < 0) {
            v->in_adjust += (b->t[i] - 1) * b->d[i].in;
            p->bias += (uint32_t)((b->t[i] - 1) * -b->d[i].in);
        }
        if (boxes == 1) continue;
        p->d[p->nd].grid = lw_fdiv_make((uint32_t)boxes);
        p->d[p->nd].limit = limit[i];
        p->d[p->nd].in = b->d[i].in * b->t[i];
        p->d[p->nd++].out = b->d[i].out * b->t[i];
    }
    p->loads = (int32_t)(lw_box_volume(b) / b->vload);
    p->stores = (int32_t)(lw_box_volume(b) / b->vstore);
    p->boxes = (uint32_t)total;
    p->nl = digits(b, limit, true, p->l);
    p->ns = digits(b, limit, false, p->s);
    choose_padding(p, b);
    uint64_t rounds = (total + most - 1) / most;
    v->kind = LW_COPY_BOX;
    v->grid = (uint32_t)((total + rounds - 1) / rounds);
    v->shared = 2 * p->tile_bytes;
    v->elem = b->unit;
    v->vload = b->vload;
    v->vstore = b->vstore;
    return true;
}

/*
 * Runs pay off where one side goes unit by unit, if they are long enough and the tile's banks do not meet too often;
 * with units of 4 only where a dimension runs backwards. The limits are those of 88 seeded shapes timed both ways
 * (NOTES.md).
 */
static bool plan_runs(const lw_ops *ops, const box_work *b, lw_copy_variant *v) {
    box_work r = *b;
    bool backwards = false;
    for (int i = 0; i < b->nd; i++) backwards = backwards || b->d[i].in < 0;
    if (b->unit > 4 || (b->vload > b->unit && b->vstore > b->unit) || (b->unit == 4 && !backwards)) return false;
    r.runs = true;
    r.vload = r.vstore = r.unit;
    r.capacity = LW_RUNS_BYTES;
    if (!lw_box_choose(&r) || !lw_runs_plan(ops, &r, v)) return false;
    const lw_runs_params *p = &v->p.runs;
    uint32_t in = p->run_units * (uint32_t)b->unit, least = in < p->run_bytes ? in : p->run_bytes;
    return p->passes <= RUNS_MOST_PASSES && least >= (b->unit == 4 ? RUNS_LEAST_WORDS : RUNS_LEAST);
}

bool lw_box_plan(const lw_ops *ops, const lw_copy_shape *shape, int align, lw_copy_variant *v) {
    box_work b;
    uint64_t bits = (uint64_t)shape->elem;
    memset(&b, 0, sizeof b);
    for (int i = 0; i < shape->nd; i++) bits |= (uint64_t)(shape->d[i].in | shape->d[i].out);
    b.unit = lw_low_bit(bits | (uint64_t)align, 16);
    if (b.unit < shape->elem || shape->nd == 0) {
        b.d[b.nd++] = (lw_dim){ shape->elem / b.unit, b.unit, b.unit };
    }
    for (int i = 0; i < shape->nd; i++) b.d[b.nd++] = shape->d[i];
    sort_by_input(&b);
    b.vload = side_vector(&b, align, true);
    b.vstore = side_vector(&b, align, false);
    if (plan_runs(ops, &b, v)) return true;
    memset(v, 0, sizeof *v);
    b.capacity = lw_box_bytes(b.unit, b.vload, b.vstore);
    v->align = align;
    return lw_box_choose(&b) && fill(ops, &b, v);
}
