/*
 * Plans of histograms: checks, the constants of the binning, the strategy and the division of blocks into ranges of
 * bins, workers and rows. Also lw_hist_edges(), which defines even levels.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/internal.h"
#include "common/plans.h"
#include "hist/hist.h"
#include "hist/hist_table.h"

#define MAX_BINS 16777216
#define FIELD_EXTRA (128 + LW_FIELD_QUEUE * 4 * 32) /* packed: unused words and the queues of the warps */
/* Few samples (hist_few.cu): limits in bytes of a multiprocessor, measured on an H200 */
#define FEW_BYTES 262144 /* so many are few; twice as many with several counters of a bin */
#define FEW_MANY 65536   /* from that on there are several, with up to FEW_ENTRIES */
#define FEW_ENTRIES 1536
#define FEW_MOST 32768 /* entries */
#define FEW_SQUARE 512 /* best number of blocks: the root of the bytes by this */
#define CHUNK ((int64_t)LW_HIST_THREADS * LW_HIST_WINDOWS * 16)

static const char *const names[LW_HIST_STRATEGY_COUNT] = {"auto",   "shared", "packed", "cluster",
                                                          "global", "lanes",  "pairs",  "partition"};

static bool is_real(int type) { return type >= LW_F16; }

static bool is_signed(int type) { return type == LW_I8 || type == LW_I16 || type == LW_I32 || type == LW_I64; }

int lw_hist_kind_of(int type)
{
    switch (type) {
    case LW_F16: return LW_KF16;
    case LW_BF16: return LW_KBF16;
    case LW_F32: return LW_KF32;
    case LW_F64: return LW_KF64;
    default: break;
    }
    int bytes = lw_type_bytes(type);
    return bytes == 1 ? LW_K8 : bytes == 2 ? LW_K16 : bytes == 4 ? LW_K32 : LW_K64;
}

uint64_t lw_hist_sign(int type) { return is_signed(type) ? (uint64_t)1 << (8 * lw_type_bytes(type) - 1) : 0; }

int lw_hist_edge_type(int type)
{
    if (type <= LW_BYTES || type > LW_F64) return LW_BYTES;
    if (type == LW_F64) return LW_F64;
    if (is_real(type)) return LW_F32;
    return type == LW_U64 ? LW_U64 : LW_I64;
}

/* ---- even levels ---- */

/* First key and number of keys, in the order of unsigned 64-bit keys (signed values have their sign bit turned). */
static void int_levels(const lw_hist *w, uint64_t *lo, uint64_t *range)
{
    uint64_t turn = w->sample_type == LW_U64 ? 0 : (uint64_t)1 << 63;
    if (w->binning == LW_HIST_INTEGER) {
        *lo = (uint64_t)w->first ^ turn;
        *range = (uint64_t)w->bins;
    } else {
        *lo = (uint64_t)w->lo_int ^ turn;
        *range = (uint64_t)w->hi_int - (uint64_t)w->lo_int;
    }
}

static float even_edge(float lo, float hi, float step, int64_t i, int64_t bins)
{
    return i >= bins ? hi : fminf(fmaf((float)i, step, lo), hi);
}

static double even_edge_wide(double lo, double hi, double step, int64_t i, int64_t bins)
{
    return i >= bins ? hi : fmin(fma((double)i, step, lo), hi);
}

lw_ops_status lw_hist_edges(const lw_hist *w, void *edges)
{
    lw_ops_error err;
    if (!w || !edges || w->bins < 1 || w->bins > MAX_BINS) return LW_OPS_BAD_ARGUMENT;
    if (w->binning == LW_HIST_EDGES) return LW_OPS_BAD_ARGUMENT;
    int type = lw_hist_edge_type(w->sample_type);
    lw_ops_status st = lw_hist_check_levels(w, &err);
    if (type == LW_BYTES || st != LW_OPS_OK) return LW_OPS_BAD_ARGUMENT;
    for (int64_t i = 0; i <= w->bins; i++) {
        if (type == LW_F32) {
            float lo = (float)w->lo, hi = (float)w->hi;
            ((float *)edges)[i] = even_edge(lo, hi, (float)(((double)hi - lo) / (double)w->bins), i, w->bins);
        } else if (type == LW_F64) {
            ((double *)edges)[i] = even_edge_wide(w->lo, w->hi, (w->hi - w->lo) / (double)w->bins, i, w->bins);
        } else {
            uint64_t lo, range;
            int_levels(w, &lo, &range);
            unsigned __int128 step = (unsigned __int128)(uint64_t)i * range + (uint64_t)w->bins - 1;
            uint64_t key = lo + (uint64_t)(step / (uint64_t)w->bins);
            ((uint64_t *)edges)[i] = type == LW_U64 ? key : key ^ ((uint64_t)1 << 63);
        }
    }
    return LW_OPS_OK;
}

/* ---- checks ---- */

lw_ops_status lw_hist_check_levels(const lw_hist *w, lw_ops_error *err)
{
    if (w->binning == LW_HIST_INTEGER && is_real(w->sample_type)) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "integer bins need integer samples");
    }
    if (w->binning != LW_HIST_EVEN) return LW_OPS_OK;
    if (is_real(w->sample_type)) {
        bool narrow = w->sample_type != LW_F64;
        double lo = narrow ? (double)(float)w->lo : w->lo, hi = narrow ? (double)(float)w->hi : w->hi;
        if (!isfinite(lo) || !isfinite(hi) || !(lo < hi) || !isfinite(hi - lo) ||
            (narrow && hi - lo > (double)FLT_MAX)) {
            return lw_fail(err, LW_OPS_BAD_ARGUMENT, "levels %g to %g are no finite range of the sample's type", w->lo,
                           w->hi);
        }
    } else if (w->sample_type == LW_U64 ? (uint64_t)w->lo_int >= (uint64_t)w->hi_int : w->lo_int >= w->hi_int) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "the upper level is not above the lower");
    }
    return LW_OPS_OK;
}

static lw_ops_status check(const lw_hist *w, lw_ops_error *err)
{
    int bytes = lw_type_bytes(w->sample_type);
    if (!bytes || w->sample_type > LW_F64) return lw_fail(err, LW_OPS_BAD_TYPE, "unknown sample type");
    if (w->bins < 1 || w->bins > MAX_BINS) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "1 to 16777216 bins are possible");
    if (w->binning < LW_HIST_INTEGER || w->binning > LW_HIST_EDGES || w->outside < LW_HIST_DROP ||
        w->outside > LW_HIST_COUNT || w->strategy < 0 || w->strategy >= LW_HIST_STRATEGY_COUNT) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "unknown binning, outside policy or strategy");
    }
    lw_ops_status st = lw_hist_check_any(w, err);
    if (st != LW_OPS_OK) return st;
    if (w->rows < 0 || w->row_samples < 0)
        return lw_fail(err, LW_OPS_BAD_SHAPE, "a negative number of rows or samples");
    if (w->rows > 1 && (w->row_pitch < 0 || w->row_pitch % bytes)) {
        return lw_fail(err, LW_OPS_BAD_STRIDE, "the row pitch is negative or no multiple of the sample size");
    }
    return w->range ? LW_OPS_OK : lw_hist_check_levels(w, err);
}

/* ---- constants ---- */

static void int_constants(const lw_hist *w, lw_hist_params *p)
{
    int bits = 8 * lw_type_bytes(w->sample_type);
    uint64_t lo, range, turn = w->sample_type == LW_U64 ? 0 : (uint64_t)1 << 63;
    int_levels(w, &lo, &range);
    p->flip = lw_hist_sign(w->sample_type);
    if (bits < 64) { /* 32-bit arithmetic when all keys of the levels are keys of the type */
        uint64_t least = is_signed(w->sample_type) ? (uint64_t)0 - p->flip : 0, first = lo - (least ^ turn);
        p->wide = lo < (least ^ turn) || first >= (uint64_t)1 << bits || range >= (uint64_t)1 << 32 ||
                  first + range > (uint64_t)1 << 32;
        if (!p->wide) lo = first;
    } else {
        p->wide = 1;
    }
    p->lo = lo;
    p->range = range;
    p->identity = range == (uint64_t)w->bins;
    if ((uint64_t)w->bins < range) {
        unsigned __int128 m = (unsigned __int128)(uint64_t)w->bins << 64;
        if (!p->wide) m += range - 1;
        p->m = (uint64_t)(m / range);
        p->scaled = !p->wide;
    }
}

void lw_hist_constants(const lw_hist *w, lw_hist_params *p)
{
    memset(p, 0, sizeof *p);
    p->bins = (uint32_t)w->bins;
    p->closed = w->last_closed != 0;
    p->below = w->outside == LW_HIST_DROP ? LW_HIST_SKIP : w->outside == LW_HIST_CLAMP ? 0 : (uint32_t)w->bins;
    p->above = w->outside == LW_HIST_DROP    ? LW_HIST_SKIP
               : w->outside == LW_HIST_CLAMP ? (uint32_t)w->bins - 1
                                             : (uint32_t)w->bins + 1;
    p->nan = w->nan_above ? p->above : LW_HIST_SKIP;
    p->wide_counts = w->count_type == LW_U64;
    p->outside = w->outside != LW_HIST_DROP || w->last_closed;
    if (!is_real(w->sample_type)) {
        if (w->binning != LW_HIST_EDGES) int_constants(w, p);
        else p->flip = lw_hist_sign(w->sample_type);
        return;
    }
    p->lo_f = (float)w->lo;
    p->hi_f = (float)w->hi;
    p->step_f = (float)(((double)p->hi_f - p->lo_f) / (double)w->bins);
    p->inv_f = (float)((double)w->bins / ((double)p->hi_f - p->lo_f));
    if (!isfinite(p->inv_f)) p->inv_f = FLT_MAX;
    p->off_f = (float)(-(double)p->lo_f * (double)p->inv_f);
    /* error of the estimate in bins: rounding of (x - lo) * inv, and of the edges, whose spacing is that of lo and hi
     */
    double most = fmax(fabs(w->lo), fabs(w->hi)), unit = w->sample_type == LW_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double width = (w->hi - w->lo) / (double)w->bins;
    p->near = 4 * (double)w->bins * unit + 2 * most * unit / width < 0.5 && w->bins <= 4194304;
    p->lo_d = w->lo;
    p->hi_d = w->hi;
    p->step_d = (w->hi - w->lo) / (double)w->bins;
    p->inv_d = (double)w->bins / (w->hi - w->lo);
    if (!isfinite(p->inv_d)) p->inv_d = DBL_MAX;
    p->off_d = -p->lo_d * p->inv_d;
}

/* ---- strategy ---- */

static int choose_strategy(const lw_ops *ops, const lw_hist *w, int64_t entries)
{
    int best = LW_HIST_GLOBAL, best_cc = 0;
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices; i++) {
        const lw_hist_choice *c = &lw_hist_choices[i];
        if (c->cc > ops->cc || c->cc <= best_cc || entries > c->entries) continue;
        if (c->sample_bytes && c->sample_bytes != lw_type_bytes(w->sample_type)) continue;
        best = c->strategy;
        best_cc = c->cc;
    }
    if (best == LW_HIST_PARTITION && w->rows * w->row_samples < 4194304)
        best = LW_HIST_GLOBAL; /* not worth two passes */
    return best;
}

static uint32_t shared_bytes(const lw_hist_data *h)
{
    if (h->strategy == LW_HIST_LANES) return 4 * 256 * 32;
    if (h->strategy == LW_HIST_PAIRS) return 4 * (32768 + 256);
    /* what is not counted goes behind the counters: one word, or one for each lane */
    if (h->strategy == LW_HIST_PACKED)
        return (h->p.field_window + h->p.field_per - 1) / h->p.field_per * 4 + FIELD_EXTRA;
    return h->strategy == LW_HIST_SHARED ? (uint32_t)(h->window + 1) * 4 : 0;
}

/* Packed: as few ranges of bins as possible, then counters as wide as possible. Ranges are interleaved by 32 bins. */
static void choose_fields(const lw_ops *ops, lw_hist_data *h, lw_hist_params *p)
{
    static const struct {
        uint32_t per, bits;
    } widths[] = {{2, 16}, {4, 8}, {5, 6}, {6, 5}, {8, 4}, {10, 3}};
    int64_t words = (ops->shared_optin - FIELD_EXTRA) / 4, groups = (h->entries + 31) / 32;
    h->passes = (int)((groups + words * 10 / 32 - 1) / (words * 10 / 32));
    int64_t window = (groups + h->passes - 1) / h->passes * 32;
    int i = 0;
    while (i < 5 && (window + widths[i].per - 1) / widths[i].per > words) i++;
    p->field_per = widths[i].per;
    p->field_bits = widths[i].bits;
    p->field_window = (uint32_t)window;
    p->field_per_m = 0xffffffffu / widths[i].per + 1;
    p->ranges_m = 0xffffffffu / (uint32_t)h->passes + 1;
    h->window = h->entries; /* every block looks at all samples' bins */
}

/* The edges and their cells behind the counters in shared memory, if there is room. */
void lw_hist_place_edges(const lw_ops *ops, const lw_hist *w, lw_hist_params *p, uint32_t *shared)
{
    if (w->binning != LW_HIST_EDGES) return;
    uint32_t at = (*shared + 15) & ~15u, cells = LW_HIST_CELLS;
    uint32_t size = (uint32_t)(w->bins + 1) * (uint32_t)lw_type_bytes(lw_hist_edge_type(w->sample_type));
    uint32_t room =
        w->bins < 65534 && at + size < (uint32_t)ops->shared_optin ? (uint32_t)ops->shared_optin - at - size : 0;
    while (cells > 256 && 4 * (cells + 2) > room) cells /= 2;
    if (lw_hist_edge_type(w->sample_type) == LW_F32) { /* fewer cells: more bits inside each */
        while (cells > 1024 && cells > 32 * w->bins) cells /= 2;
    }
    if (4 * (cells + 2) > room) return;
    p->edges_at = at;
    p->cells = cells;
    p->cells_at = at + size;
    *shared = at + size + 4 * (cells + 2);
}

/* The kernels' mode: INTEGER also for even levels of reals whose estimate is good. */
int lw_hist_mode_of(const lw_hist *w, const lw_hist_params *p, int64_t entries)
{
    /* the short way looks twice at what it does not find in its range of bins, if that may have to be counted */
    bool simple = p->identity && !p->wide && (!p->outside || entries <= 32768) && lw_type_bytes(w->sample_type) <= 4 &&
                  !is_real(w->sample_type);
    bool near = w->binning == LW_HIST_EVEN && is_real(w->sample_type) && p->near;
    return w->binning == LW_HIST_EDGES ? LW_HIST_EDGES : simple || near ? LW_HIST_INTEGER : LW_HIST_EVEN;
}

/* Ranges of bins, workers and rows; false if the device cannot. */
static bool divide(const lw_ops *ops, lw_hist_data *h, lw_hist_params *p)
{
    const lw_hist *w = &h->what;
    int64_t most = h->strategy == LW_HIST_SHARED ? ops->shared_optin / 4 - 1 : h->entries;
    h->passes = (int)((h->entries + most - 1) / most);
    h->window = (h->entries + h->passes - 1) / h->passes;
    if (h->strategy == LW_HIST_PACKED) choose_fields(ops, h, p);
    h->shared = shared_bytes(h);
    if (h->shared > (uint32_t)ops->shared_optin || h->passes > ops->sms) return false;
    if (h->strategy == LW_HIST_SHARED || h->strategy == LW_HIST_PACKED) lw_hist_place_edges(ops, w, p, &h->shared);
    /* 1024 threads with 64 registers fill a multiprocessor; the kernel for bytes needs half of that */
    int blocks =
        h->strategy == LW_HIST_LANES && ops->shared_sm >= 2 * (int)(h->shared + 1024) ? 2 * ops->sms : ops->sms;
    int64_t bytes = lw_type_bytes(w->sample_type);
    p->rows = w->rows;
    p->row_bytes = w->row_samples * bytes;
    p->row_pitch = w->rows > 1 ? w->row_pitch : 0;
    p->segmented = w->segmented != 0 && w->rows > 1;
    if (!p->segmented && p->row_pitch == p->row_bytes) {
        p->row_bytes *= p->rows;
        p->rows = 1;
    }
    p->chunks_per_row = (p->row_bytes + 15 + CHUNK - 1) / CHUNK;
    int64_t jobs = p->segmented ? p->rows : 1, chunks = p->chunks_per_row * (p->segmented ? 1 : p->rows);
    int64_t workers = blocks / h->passes / (jobs < blocks ? jobs : blocks);
    if (workers < 1) workers = 1;
    if (workers > chunks) workers = chunks;
    int64_t together = blocks / h->passes / workers;
    if (together < 1) together = 1;
    if (jobs > together) jobs = together;
    p->ranges = h->passes;
    p->keep = h->passes > 1;
    p->workers = (int32_t)workers;
    p->window = h->window;
    p->entries = h->entries;
    h->blocks = (int)(jobs * workers * h->passes);
    return true;
}

/*
 * Few samples of one row, unless a strategy is forced. Every block adds its counts to the result: with twice the
 * samples only 1.4 times the blocks.
 */
static void plan_few(const lw_ops *ops, lw_hist_data *h)
{
    int64_t bytes = h->p.row_bytes, blocks = 1;
    bool many = bytes > (int64_t)FEW_MANY * ops->sms && h->entries <= FEW_ENTRIES;
    if (h->what.strategy || h->strategy != LW_HIST_SHARED || h->passes > 1 || h->p.rows != 1) return;
    if (h->mode == LW_HIST_EDGES || h->entries > FEW_MOST) return;
    if (bytes > (int64_t)FEW_BYTES * (many ? 2 : 1) * ops->sms) return;
    while (blocks < ops->sms && blocks * blocks * FEW_SQUARE < bytes) blocks++;
    h->few = many ? LW_FEW_COUNTERS : 1;
    h->blocks = (int)blocks;
    h->shared = ((uint32_t)(h->entries + 1) * 4 * (uint32_t)h->few + 15) & ~15u;
}

/* Rounds of tiles over a workspace of at most the caller's limit; false if the case or the workspace forbids it. */
static bool divide_parts(const lw_ops *ops, lw_hist_data *h, lw_hist_params *p, size_t *workspace)
{
    const lw_hist *w = &h->what;
    int64_t bytes = lw_type_bytes(w->sample_type), limit = w->workspace_limit ? w->workspace_limit : (int64_t)1 << 30;
    if (bytes < 4 || p->segmented || (size_t)ops->shared_optin < (size_t)4 << LW_PART_BITS) return false;
    p->parts = (uint32_t)((h->entries - 1) >> LW_PART_BITS) + 1;
    while (((uint32_t)1 << p->part_bits) < p->parts) p->part_bits++;
    p->table_pitch = (p->parts + 2) & ~1u;
    p->tile_samples = (uint32_t)(CHUNK / bytes);
    int64_t tiles = p->chunks_per_row * p->rows, per_tile = 2 * (int64_t)p->tile_samples + 2 * p->table_pitch;
    int64_t fixed = 8 * (int64_t)p->parts + 3 * 256, most = (limit - fixed) / per_tile;
    if (tiles == 0) tiles = 1;
    if (most > tiles) most = tiles;
    if (most < 1 || (most < tiles && most < 8 * ops->sms))
        return false; /* rounds that small cost more than they save */
    h->shared = 2 * p->tile_samples + 4 * (2 * 32 + 1) * (p->parts + 1) + 4 * p->parts;
    if (h->shared > (uint32_t)ops->shared_optin) return false;
    h->round_tiles = most;
    h->tiles_bytes = (size_t)(2 * (int64_t)p->tile_samples * most);
    h->table_bytes = ((size_t)(2 * (int64_t)p->table_pitch * most) + 255) & ~(size_t)255;
    *workspace = h->tiles_bytes + h->table_bytes + 8 * (size_t)p->parts;
    p->edges_at = 0;
    p->window = h->entries;
    p->ranges = 1;
    p->keep = 0;
    p->workers = ops->sms;
    h->passes = 1;
    h->blocks = (int)(most < ops->sms ? most : ops->sms);
    return true;
}

/* Clusters of as few blocks as hold the counters; 32,768 in each, less if two suffice. */
static bool divide_clusters(const lw_ops *ops, lw_hist_data *h, lw_hist_params *p)
{
    if (ops->cc < 90 || lw_type_bytes(h->what.sample_type) < 4 || p->segmented || h->entries > 8 << LW_PART_BITS)
        return false;
    p->part_bits = LW_PART_BITS;
    while (p->part_bits > 1 && (int64_t)1 << p->part_bits >= h->entries) p->part_bits--;
    h->cluster = 2;
    while ((int64_t)h->cluster << p->part_bits < h->entries) h->cluster *= 2;
    h->shared = 4u << p->part_bits;
    int64_t clusters = ops->sms / h->cluster, chunks = p->chunks_per_row * p->rows;
    if (clusters * h->cluster > chunks) clusters = (chunks + h->cluster - 1) / h->cluster;
    h->blocks = (int)(clusters > 0 ? clusters : 1) * h->cluster;
    p->edges_at = 0;
    p->window = h->entries;
    p->keep = 0;
    h->passes = 1;
    return true;
}

static bool has_samples(const lw_hist *w) { return w->rows > 0 && w->row_samples > 0; }

/* What a result moves: counts that are added to are read as well. */
static double output_bytes(const lw_hist *w) { return (w->accumulate ? 2.0 : 1.0) * lw_type_bytes(w->count_type); }

/* Edges or a range that are given in device memory. */
static double edges_bytes(const lw_hist *w)
{
    double edges = (double)w->bins + 1;
    for (int i = 0; w->joint && i + 1 < (w->counted ? w->counted : w->channels); i++) {
        edges += (double)w->axis[i].bins + 1;
    }
    if (w->range) edges = w->range == LW_HIST_RANGE_DEVICE ? 2 : 0;
    else if (w->binning != LW_HIST_EDGES) edges = 0;
    return edges * lw_type_bytes(lw_hist_edge_type(w->sample_type));
}

/* A plain histogram: one value per sample, counted. */
static lw_ops_status plan_plain(lw_plan *q, lw_ops_error *err)
{
    lw_hist_data *h = &q->u.hist;
    const lw_hist *w = &h->what;
    size_t workspace = 0;
    h->entries = w->bins + (w->outside == LW_HIST_COUNT ? 2 : 0);
    h->strategy = w->strategy ? w->strategy : choose_strategy(q->ops, w, h->entries);
    lw_hist_constants(w, &h->p);
    h->mode = lw_hist_mode_of(w, &h->p, h->entries);
    bool lanes_ok =
        (h->strategy != LW_HIST_LANES && h->strategy != LW_HIST_PAIRS) || lw_type_bytes(w->sample_type) == 1;
    bool ok = lanes_ok && divide(q->ops, h, &h->p);
    if (ok && h->strategy == LW_HIST_CLUSTER) ok = divide_clusters(q->ops, h, &h->p);
    if (ok && h->strategy == LW_HIST_PARTITION) ok = divide_parts(q->ops, h, &h->p, &workspace);
    if (!ok && !w->strategy) { /* little shared memory, or no workspace for a partition */
        h->strategy = h->strategy == LW_HIST_PARTITION && h->entries <= 1000000 ? LW_HIST_PACKED : LW_HIST_GLOBAL;
        ok = divide(q->ops, h, &h->p);
        if (!ok) {
            h->strategy = LW_HIST_GLOBAL;
            ok = divide(q->ops, h, &h->p);
        }
    }
    if (!ok)
        return lw_fail(err, LW_OPS_UNSUPPORTED, "strategy %s cannot count this on this device", names[h->strategy]);
    plan_few(q->ops, h);
    int64_t tiles = h->p.chunks_per_row * h->p.rows;
    q->align = lw_type_bytes(w->sample_type);
    q->workspace += workspace;
    h->clear_bytes =
        w->accumulate ? 0 : (size_t)(h->entries * lw_type_bytes(w->count_type) * (h->p.segmented ? w->rows : 1));
    q->useful_bytes = (double)w->rows * (double)w->row_samples * lw_type_bytes(w->sample_type) +
                      (double)h->entries * (h->p.segmented ? (double)w->rows : 1) * output_bytes(w);
    if (has_samples(w)) {
        q->launches += h->strategy == LW_HIST_PARTITION ? (int)((tiles + h->round_tiles - 1) / h->round_tiles) * 3 : 1;
    }
    q->launches += h->clear_bytes > 0;
    return LW_OPS_OK;
}

lw_ops_status lw_hist_plan(const lw_ops *ops, const lw_hist *what, lw_plan **plan, lw_ops_error *err)
{
    if (plan) *plan = NULL;
    if (!ops || !what || !plan)
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, description or place for the plan");
    lw_ops_status st = check(what, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_HIST);
    if (!q) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    lw_hist_data *h = &q->u.hist;
    h->what = *what;
    h->is_any = lw_hist_is_any(what);
    if (what->range) { /* the levels become edges in the workspace */
        h->what.binning = LW_HIST_EDGES;
        h->edges_bytes = (256 + (size_t)(what->bins + 1) * 8 + 255) & ~(size_t)255;
        q->workspace = h->edges_bytes;
        q->launches = what->range == LW_HIST_RANGE_FOUND ? 3 : 1;
    }
    st = h->is_any ? lw_hist_plan_any(q, err) : plan_plain(q, err);
    if (st == LW_OPS_OK) *plan = q;
    else lw_plan_destroy(q);
    if (st == LW_OPS_OK) q->useful_bytes += edges_bytes(what);
    return st;
}

static int run_parts(const lw_hist_data *h, lw_hist_params *p, char *workspace, lw_stream stream)
{
    int64_t tiles = p->chunks_per_row * p->rows;
    int e = 0;
    p->tiles = (uint16_t *)workspace;
    p->table = (uint16_t *)(workspace + h->tiles_bytes);
    p->totals = (unsigned long long *)(workspace + h->tiles_bytes + h->table_bytes);
    for (int64_t first = 0; first < tiles && !e; first += h->round_tiles) {
        p->first_tile = first;
        p->end_tile = first + h->round_tiles < tiles ? first + h->round_tiles : tiles;
        e = lw_hist_part_launch(p, lw_hist_kind_of(h->what.sample_type), h->mode, (uint32_t)h->blocks, h->shared,
                                stream);
    }
    return e;
}

static int run_plain(const lw_plan *plan, void *counts, const void *samples, const void *edges, char *workspace,
                     lw_stream stream)
{
    const lw_hist_data *h = &plan->u.hist;
    int e = h->clear_bytes ? lw_hist_clear(counts, h->clear_bytes, stream) : 0;
    if (e || !has_samples(&h->what)) return e;
    lw_hist_params p = h->p;
    p.samples = samples;
    p.edges = edges;
    p.counts = counts;
    if (h->strategy == LW_HIST_PARTITION) return run_parts(h, &p, workspace, stream);
    if (h->strategy == LW_HIST_CLUSTER) {
        return lw_hist_cluster_launch(&p, lw_hist_kind_of(h->what.sample_type), h->mode, (uint32_t)h->blocks,
                                      (uint32_t)h->cluster, h->shared, stream);
    }
    if (h->few) {
        return lw_hist_few_launch(&p, lw_hist_kind_of(h->what.sample_type), h->mode, h->few > 1, (uint32_t)h->blocks,
                                  h->shared, stream);
    }
    return lw_hist_launch(&p, lw_hist_kind_of(h->what.sample_type), h->mode, h->strategy, (uint32_t)h->blocks,
                          h->shared, stream);
}

lw_ops_status lw_hist_run_weighted(const lw_plan *plan, void *sums, const void *samples, const void *weights,
                                   const void *edges, void *workspace, lw_stream stream)
{
    if (!plan || plan->kind != LW_PLAN_HIST) return LW_OPS_BAD_ARGUMENT;
    if (plan->workspace && (!workspace || (uintptr_t)workspace % 256)) return LW_OPS_WORKSPACE;
    const lw_hist_data *h = &plan->u.hist;
    const lw_hist *w = &h->what;
    bool some = has_samples(w), edged = w->range ? w->range == LW_HIST_RANGE_DEVICE : w->binning == LW_HIST_EDGES;
    int weight_bytes = lw_type_bytes(w->weight_type), edge_bytes = lw_type_bytes(lw_hist_edge_type(w->sample_type));
    if (!sums || (some && !samples) || (edged && !edges) || (some && !weights != !weight_bytes))
        return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)samples % (uintptr_t)plan->align || (uintptr_t)sums % (uintptr_t)lw_type_bytes(w->count_type) ||
        (edged && (uintptr_t)edges % (uintptr_t)edge_bytes) ||
        (weight_bytes && (uintptr_t)weights % (uintptr_t)weight_bytes)) {
        return LW_OPS_MISALIGNED;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    char *room = workspace;
    int e = 0;
    if (w->range) {
        e = lw_hist_make_edges(plan, samples, edges, room, &edges, stream);
        room += h->edges_bytes;
    }
    if (!e && h->is_any)
        e = lw_hist_run_any(plan, sums, samples, weights, w->binning == LW_HIST_EDGES ? edges : NULL, room, stream);
    else if (!e) e = run_plain(plan, sums, samples, edges, room, stream);
    return lw_launch_status(plan, e);
}

lw_ops_status lw_hist_run(const lw_plan *plan, void *counts, const void *samples, const void *edges, void *workspace,
                          lw_stream stream)
{
    return lw_hist_run_weighted(plan, counts, samples, NULL, edges, workspace, stream);
}

lw_ops_status lw_hist_count(const lw_ops *ops, const lw_hist *what, void *counts, const void *samples,
                            const void *edges, lw_stream stream, lw_ops_error *err)
{
    if (!what) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no description");
    lw_hist w = *what;
    lw_plan *plan;
    w.workspace_limit = -1;
    if (w.range || w.weight_type || w.strategy == LW_HIST_PARTITION) {
        return lw_fail(err, LW_OPS_UNSUPPORTED, "this histogram needs a plan with a workspace, or weights");
    }
    lw_ops_status st = lw_hist_plan(ops, &w, &plan, err);
    if (st == LW_OPS_OK) st = lw_hist_run(plan, counts, samples, edges, NULL, stream);
    if (st != LW_OPS_OK && plan) lw_fail(err, st, "%s", lw_ops_status_text(st));
    lw_plan_destroy(plan);
    return st;
}

void lw_hist_describe(const lw_plan *plan, char *text, size_t size)
{
    const lw_hist_data *h = &plan->u.hist;
    static const char *const adds[LW_ADDS + 1] = {"counts", "f32 sums", "f64 sums", "fixed-point sums",
                                                  "f32 sums of 64 bits"};
    if (h->is_any) {
        snprintf(text, size, "%s, %d of %d channels%s, %s, %d blocks, %u shared bytes", names[h->strategy],
                 h->any.counted, h->any.channels, h->any.joint ? " joint" : "", adds[h->add], h->blocks, h->shared);
        return;
    }
    char bits[32] = "";
    if (h->strategy == LW_HIST_PACKED) snprintf(bits, sizeof bits, ", %u-bit counters", h->p.field_bits);
    if (h->few > 1) snprintf(bits, sizeof bits, ", %d counters a bin", h->few);
    snprintf(text, size, "%s%s, %d range%s, %d blocks, %u shared bytes", names[h->strategy], bits, h->passes,
             h->passes > 1 ? "s" : "", h->blocks, h->shared);
}

void lw_hist_table(int compute_capability, char *text, size_t size)
{
    size_t used = 0;
    int cc = 0;
    if (!text || !size) return;
    text[0] = 0;
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices; i++) {
        if (lw_hist_choices[i].cc <= compute_capability && lw_hist_choices[i].cc > cc) cc = lw_hist_choices[i].cc;
    }
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices && used < size; i++) {
        const lw_hist_choice *c = &lw_hist_choices[i];
        if (c->cc != cc) continue;
        char samples[32] = "samples";
        if (c->sample_bytes) snprintf(samples, sizeof samples, "%d-byte samples", c->sample_bytes);
        int n = snprintf(text + used, size - used, "%s, up to %lld entries: %s\n", samples, (long long)c->entries,
                         names[c->strategy]);
        if (n > 0) used += (size_t)n;
    }
}
