/*
 * Chooses the boxes of a general strided copy (box.cu): how much of each dimension a block moves, the vectors of both
 * sides and the padding of the shared tile. Host only, a few microseconds: runs of at least 128 bytes on both sides where
 * the shape has them, 8 to 32 KiB a box, bank conflicts counted for one warp per candidate padding.
 */
#include <string.h>
#include "internal.h"

#define BOX_MIN_BYTES 8192
#define BOX_MAX_BYTES 32768
#define BOX_MAX_RUN 1024

typedef struct box_work {
    lw_dim d[LW_BOX_DIMS]; /* by output stride */
    int nd, unit, vload, vstore;
    int in_order[LW_BOX_DIMS];
    int64_t t[LW_BOX_DIMS];
} box_work;

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
            t = (t + multiple - 1) / multiple * multiple;
            if (t > n) t = n;
        }
        if (t > b->t[k]) b->t[k] = t;
        run *= b->t[k];
    }
}

static int64_t volume(const box_work *b) {
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

static int cut_dims(const box_work *b) {
    int cut = 0;
    for (int i = 0; i < b->nd; i++) cut += b->d[i].n % b->t[i] != 0;
    return cut;
}

static bool fits(const box_work *b) {
    return volume(b) <= BOX_MAX_BYTES && cut_dims(b) <= 2;
}

/* Grows the runs of both sides in turn while the box stays within bounds. */
static bool choose_box(box_work *b) {
    int64_t in_run = 128, out_run = 128;
    make_box(b, in_run, out_run);
    while (!fits(b) && in_run > 16) {
        in_run /= 2;
        out_run /= 2;
        make_box(b, in_run, out_run);
    }
    if (!fits(b)) return false;
    for (int side = 0, stuck = 0; volume(b) < BOX_MIN_BYTES && stuck < 2; side ^= 1) {
        int64_t in = side ? in_run : in_run * 2, out = side ? out_run * 2 : out_run;
        box_work next = *b;
        if (in > BOX_MAX_RUN || out > BOX_MAX_RUN) {
            stuck++;
            continue;
        }
        make_box(&next, in, out);
        if (!fits(&next)) {
            stuck++;
            continue;
        }
        stuck = 0;
        *b = next;
        in_run = in;
        out_run = out;
    }
    return true;
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

static void choose_padding(lw_box_params *p, const box_work *b, uint32_t *shared) {
    uint32_t pad = b->vstore > 4 ? (uint32_t)b->vstore : 4, bytes = (uint32_t)volume(b);
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
    *shared = bytes + (bytes >> best_shift) * p->pad_bytes + 16;
}

static int log2_of(int v) {
    int s = 0;
    while (v > 1) {
        v >>= 1;
        s++;
    }
    return s;
}

/* The digits of one side's counting, fastest first. */
static int digits(const box_work *b, const lw_box_params *p, bool input, lw_digit *out) {
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
        out[n].stride = (input ? b->d[k].in : b->d[k].out) * group;
        out[n].limit = p->limit_dim[0] == k ? 1 : p->limit_dim[1] == k ? 2 : 0;
        n++;
    }
    if (!n) {
        memset(&out[0], 0, sizeof out[0]);
        out[0].t = lw_fdiv_make(1);
        n = 1;
    }
    return n;
}

static bool fill(const box_work *b, lw_copy_variant *v) {
    lw_box_params *p = &v->p.box;
    int cut = 0;
    uint64_t grid = 1;
    memset(p, 0, sizeof *p);
    p->limit_dim[0] = p->limit_dim[1] = -1;
    for (int i = 0; i < b->nd; i++) {
        uint64_t boxes = (uint64_t)((b->d[i].n + b->t[i] - 1) / b->t[i]);
        if (boxes >= 0x7fffffff || (grid *= boxes) >= 0x7fffffff) return false;
        if (b->d[i].n % b->t[i]) {
            int lv = i == b->in_order[0] ? b->vload / b->unit : 1, sv = i == 0 ? b->vstore / b->unit : 1;
            p->limit_dim[cut] = i;
            p->limit_box[cut] = (int32_t)b->t[i];
            p->limit_n[cut] = b->d[i].n;
            p->limit_lshift[cut] = log2_of(lv);
            p->limit_sshift[cut++] = log2_of(sv);
        }
        p->d[i].grid = lw_fdiv_make((uint32_t)boxes);
        p->d[i].in = b->d[i].in * b->t[i];
        p->d[i].out = b->d[i].out * b->t[i];
    }
    p->nd = b->nd;
    p->loads = (int32_t)(volume(b) / b->vload);
    p->stores = (int32_t)(volume(b) / b->vstore);
    p->nl = digits(b, p, true, p->l);
    p->ns = digits(b, p, false, p->s);
    choose_padding(p, b, &v->shared);
    v->kind = LW_COPY_BOX;
    v->grid = (uint32_t)grid;
    v->elem = b->unit;
    v->vload = b->vload;
    v->vstore = b->vstore;
    return true;
}

bool lw_box_plan(const lw_copy_shape *shape, int align, lw_copy_variant *v) {
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
    v->align = align;
    return choose_box(&b) && fill(&b, v);
}
