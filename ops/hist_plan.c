/*
 * Plans of histograms: checks, the constants of the binning, the strategy and the division of blocks into ranges of bins,
 * workers and rows. Also lw_hist_edges(), which defines even levels.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "plans.h"
#include "hist.h"
#include "hist_table.h"

#define MAX_BINS 16777216
#define CHUNK ((int64_t)LW_HIST_THREADS * LW_HIST_WINDOWS * 16)

static const char *const names[LW_HIST_STRATEGY_COUNT] = { "auto", "shared", "packed", "cluster", "global", "lanes", "pairs" };

static bool is_real(int type) {
    return type >= LW_F16;
}

static bool is_signed(int type) {
    return type == LW_I8 || type == LW_I16 || type == LW_I32 || type == LW_I64;
}

static int kind_of(int type) {
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

int lw_hist_edge_type(int type) {
    if (type <= LW_BYTES || type >= LW_TYPE_COUNT) return LW_BYTES;
    if (type == LW_F64) return LW_F64;
    if (is_real(type)) return LW_F32;
    return type == LW_U64 ? LW_U64 : LW_I64;
}

/* ---- even levels ---- */

/* First key and number of keys, in the order of unsigned 64-bit keys (signed values have their sign bit turned). */
static void int_levels(const lw_hist *w, uint64_t *lo, uint64_t *range) {
    uint64_t turn = w->sample_type == LW_U64 ? 0 : (uint64_t)1 << 63;
    if (w->binning == LW_HIST_INTEGER) {
        *lo = (uint64_t)w->first ^ turn;
        *range = (uint64_t)w->bins;
    } else {
        *lo = (uint64_t)w->lo_int ^ turn;
        *range = (uint64_t)w->hi_int - (uint64_t)w->lo_int;
    }
}

static float even_edge(float lo, float hi, float step, int64_t i, int64_t bins) {
    return i >= bins ? hi : fminf(fmaf((float)i, step, lo), hi);
}

static double even_edge_wide(double lo, double hi, double step, int64_t i, int64_t bins) {
    return i >= bins ? hi : fmin(fma((double)i, step, lo), hi);
}

static lw_ops_status check_levels(const lw_hist *w, lw_ops_error *err);

lw_ops_status lw_hist_edges(const lw_hist *w, void *edges) {
    lw_ops_error err;
    if (!w || !edges || w->bins < 1 || w->bins > MAX_BINS) return LW_OPS_BAD_ARGUMENT;
    if (w->binning == LW_HIST_EDGES) return LW_OPS_BAD_ARGUMENT;
    int type = lw_hist_edge_type(w->sample_type);
    lw_ops_status st = check_levels(w, &err);
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

static lw_ops_status check_levels(const lw_hist *w, lw_ops_error *err) {
    if (w->binning == LW_HIST_INTEGER && is_real(w->sample_type)) {
        return lw_fail(err, LW_OPS_BAD_TYPE, "integer bins need integer samples");
    }
    if (w->binning != LW_HIST_EVEN) return LW_OPS_OK;
    if (is_real(w->sample_type)) {
        bool narrow = w->sample_type != LW_F64;
        double lo = narrow ? (double)(float)w->lo : w->lo, hi = narrow ? (double)(float)w->hi : w->hi;
        if (!isfinite(lo) || !isfinite(hi) || !(lo < hi) || !isfinite(hi - lo) || (narrow && hi - lo > (double)FLT_MAX)) {
            return lw_fail(err, LW_OPS_BAD_ARGUMENT, "levels %g to %g are no finite range of the sample's type", w->lo, w->hi);
        }
    } else if (w->sample_type == LW_U64 ? (uint64_t)w->lo_int >= (uint64_t)w->hi_int : w->lo_int >= w->hi_int) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "the upper level is not above the lower");
    }
    return LW_OPS_OK;
}

static lw_ops_status check(const lw_hist *w, lw_ops_error *err) {
    int bytes = lw_type_bytes(w->sample_type);
    if (!bytes) return lw_fail(err, LW_OPS_BAD_TYPE, "unknown sample type");
    if (w->count_type != LW_U32 && w->count_type != LW_U64) return lw_fail(err, LW_OPS_BAD_TYPE, "counts are u32 or u64");
    if (w->bins < 1 || w->bins > MAX_BINS) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "1 to 16777216 bins are possible");
    if (w->binning < LW_HIST_INTEGER || w->binning > LW_HIST_EDGES || w->outside < LW_HIST_DROP ||
        w->outside > LW_HIST_COUNT || w->strategy < 0 || w->strategy >= LW_HIST_STRATEGY_COUNT) {
        return lw_fail(err, LW_OPS_BAD_ARGUMENT, "unknown binning, outside policy or strategy");
    }
    if (w->rows < 0 || w->row_samples < 0) return lw_fail(err, LW_OPS_BAD_SHAPE, "a negative number of rows or samples");
    if (w->rows > 1 && (w->row_pitch < 0 || w->row_pitch % bytes)) {
        return lw_fail(err, LW_OPS_BAD_STRIDE, "the row pitch is negative or no multiple of the sample size");
    }
    return check_levels(w, err);
}

/* ---- constants ---- */

static void int_constants(const lw_hist *w, lw_hist_params *p) {
    int bits = 8 * lw_type_bytes(w->sample_type);
    uint64_t lo, range, turn = w->sample_type == LW_U64 ? 0 : (uint64_t)1 << 63;
    int_levels(w, &lo, &range);
    p->flip = is_signed(w->sample_type) ? (uint64_t)1 << (bits - 1) : 0;
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
    }
}

static void constants(const lw_hist *w, lw_hist_params *p) {
    memset(p, 0, sizeof *p);
    p->bins = (uint32_t)w->bins;
    p->closed = w->last_closed != 0;
    p->below = w->outside == LW_HIST_DROP ? LW_HIST_SKIP : w->outside == LW_HIST_CLAMP ? 0 : (uint32_t)w->bins;
    p->above = w->outside == LW_HIST_DROP ? LW_HIST_SKIP : w->outside == LW_HIST_CLAMP ? (uint32_t)w->bins - 1
                                                                                        : (uint32_t)w->bins + 1;
    p->nan = w->nan_above ? p->above : LW_HIST_SKIP;
    p->wide_counts = w->count_type == LW_U64;
    p->outside = w->outside != LW_HIST_DROP || (w->last_closed && w->binning == LW_HIST_EVEN);
    if (!is_real(w->sample_type)) {
        if (w->binning != LW_HIST_EDGES) int_constants(w, p);
        else if (is_signed(w->sample_type)) p->flip = (uint64_t)1 << (8 * lw_type_bytes(w->sample_type) - 1);
        return;
    }
    p->lo_f = (float)w->lo;
    p->hi_f = (float)w->hi;
    p->step_f = (float)(((double)p->hi_f - p->lo_f) / (double)w->bins);
    p->inv_f = (float)((double)w->bins / ((double)p->hi_f - p->lo_f));
    if (!isfinite(p->inv_f)) p->inv_f = FLT_MAX;
    /* error of the estimate in bins: rounding of (x - lo) * inv, and of the edges, whose spacing is that of lo and hi */
    double most = fmax(fabs(w->lo), fabs(w->hi)), unit = w->sample_type == LW_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double width = (w->hi - w->lo) / (double)w->bins;
    p->near = 4 * (double)w->bins * unit + 2 * most * unit / width < 0.5 && w->bins <= 4194304;
    p->lo_d = w->lo;
    p->hi_d = w->hi;
    p->step_d = (w->hi - w->lo) / (double)w->bins;
    p->inv_d = (double)w->bins / (w->hi - w->lo);
    if (!isfinite(p->inv_d)) p->inv_d = DBL_MAX;
}

/* ---- strategy ---- */

static int choose_strategy(const lw_ops *ops, const lw_hist *w, int64_t entries) {
    int best = LW_HIST_GLOBAL, best_cc = 0;
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices; i++) {
        const lw_hist_choice *c = &lw_hist_choices[i];
        if (c->cc > ops->cc || c->cc <= best_cc || entries > c->entries) continue;
        if (c->sample_bytes && c->sample_bytes != lw_type_bytes(w->sample_type)) continue;
        best = c->strategy;
        best_cc = c->cc;
    }
    return best;
}

static uint32_t shared_bytes(const lw_hist_data *h) {
    if (h->strategy == LW_HIST_LANES) return 4 * 256 * 32;
    if (h->strategy == LW_HIST_PAIRS) return 4 * (32768 + 256);
    if (h->strategy == LW_HIST_PACKED) return (uint32_t)((h->window + 1) / 2 * 4);
    return h->strategy == LW_HIST_SHARED ? (uint32_t)h->window * 4 : 0;
}

/* Ranges of bins, workers and rows; false if the device cannot. */
static bool divide(const lw_ops *ops, lw_hist_data *h, lw_hist_params *p) {
    const lw_hist *w = &h->what;
    int64_t most = h->strategy == LW_HIST_SHARED ? ops->shared_optin / 4 : h->strategy == LW_HIST_PACKED
                                                                               ? ops->shared_optin / 2 : h->entries;
    h->passes = (int)((h->entries + most - 1) / most);
    h->window = (h->entries + h->passes - 1) / h->passes;
    if (h->strategy == LW_HIST_PACKED) h->window += h->window & 1;
    h->shared = shared_bytes(h);
    if (h->shared > (uint32_t)ops->shared_optin || h->passes > ops->sms) return false;
    if (w->binning == LW_HIST_EDGES && (h->strategy == LW_HIST_SHARED || h->strategy == LW_HIST_PACKED)) {
        uint32_t at = (h->shared + 15) & ~15u;
        uint32_t size = (uint32_t)(w->bins + 1) * (uint32_t)lw_type_bytes(lw_hist_edge_type(w->sample_type));
        uint32_t all = at + size + 2 * (LW_HIST_CELLS + 2);
        if (w->bins < 65534 && all <= (uint32_t)ops->shared_optin) {
            p->edges_at = at;
            p->cells_at = size;
            h->shared = all;
        }
    }
    /* 1024 threads with 64 registers fill a multiprocessor; the kernel for bytes needs half of that */
    int blocks = h->strategy == LW_HIST_LANES && ops->shared_sm >= 2 * (int)(h->shared + 1024) ? 2 * ops->sms : ops->sms;
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
    p->workers = (int32_t)workers;
    p->window = h->window;
    p->entries = h->entries;
    h->blocks = (int)(jobs * workers * h->passes);
    return true;
}

lw_ops_status lw_hist_plan(const lw_ops *ops, const lw_hist *what, lw_plan **plan, lw_ops_error *err) {
    if (plan) *plan = NULL;
    if (!ops || !what || !plan) return lw_fail(err, LW_OPS_BAD_ARGUMENT, "no handle, description or place for the plan");
    lw_ops_status st = check(what, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, LW_PLAN_HIST);
    if (!q) return lw_fail(err, LW_OPS_NO_MEMORY, "no memory for the plan");
    lw_hist_data *h = &q->u.hist;
    h->what = *what;
    h->entries = what->bins + (what->outside == LW_HIST_COUNT ? 2 : 0);
    h->strategy = what->strategy ? what->strategy : choose_strategy(ops, what, h->entries);
    constants(what, &h->p);
    bool simple = h->p.identity && !h->p.wide && !h->p.outside && lw_type_bytes(what->sample_type) <= 4 &&
                  !is_real(what->sample_type);
    bool near = what->binning == LW_HIST_EVEN && is_real(what->sample_type) && h->p.near;
    h->mode = what->binning == LW_HIST_EDGES ? LW_HIST_EDGES : simple || near ? LW_HIST_INTEGER : LW_HIST_EVEN;
    bool lanes_ok = (h->strategy != LW_HIST_LANES && h->strategy != LW_HIST_PAIRS) || lw_type_bytes(what->sample_type) == 1;
    bool ok = h->strategy != LW_HIST_CLUSTER && lanes_ok && divide(ops, h, &h->p);
    if (!ok && !what->strategy) { /* a device with little shared memory */
        h->strategy = LW_HIST_GLOBAL;
        ok = divide(ops, h, &h->p);
    }
    if (!ok) {
        int s = h->strategy;
        lw_plan_destroy(q);
        return lw_fail(err, LW_OPS_UNSUPPORTED, "strategy %s cannot count this on this device", names[s]);
    }
    int count_bytes = lw_type_bytes(what->count_type);
    q->align = lw_type_bytes(what->sample_type);
    h->clear_bytes = what->accumulate ? 0 : (size_t)(h->entries * count_bytes * (h->p.segmented ? what->rows : 1));
    q->useful_bytes = (double)what->rows * (double)what->row_samples * lw_type_bytes(what->sample_type);
    if (q->useful_bytes > 0) q->launches = 1;
    q->launches += h->clear_bytes > 0;
    *plan = q;
    return LW_OPS_OK;
}

lw_ops_status lw_hist_run(const lw_plan *plan, void *counts, const void *samples, const void *edges, void *workspace,
                          lw_stream stream) {
    (void)workspace;
    if (!plan || plan->kind != LW_PLAN_HIST) return LW_OPS_BAD_ARGUMENT;
    const lw_hist_data *h = &plan->u.hist;
    bool edged = h->what.binning == LW_HIST_EDGES;
    if (!counts || (plan->useful_bytes > 0 && !samples) || (edged && !edges)) return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)samples % (uintptr_t)plan->align || (uintptr_t)counts % (uintptr_t)lw_type_bytes(h->what.count_type) ||
        (edged && (uintptr_t)edges % (uintptr_t)lw_type_bytes(lw_hist_edge_type(h->what.sample_type)))) {
        return LW_OPS_MISALIGNED;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    int e = h->clear_bytes ? lw_hist_clear(counts, h->clear_bytes, stream) : 0;
    if (!e && plan->useful_bytes > 0) {
        lw_hist_params p = h->p;
        p.samples = samples;
        p.edges = edges;
        p.counts = counts;
        e = lw_hist_launch(&p, kind_of(h->what.sample_type), h->mode, h->strategy, (uint32_t)h->blocks, h->shared, stream);
    }
    return lw_launch_status(plan, e);
}

void lw_hist_describe(const lw_plan *plan, char *text, size_t size) {
    const lw_hist_data *h = &plan->u.hist;
    snprintf(text, size, "%s, %d range%s, %d blocks, %u shared bytes", names[h->strategy], h->passes, h->passes > 1 ? "s" : "",
             h->blocks, h->shared);
}

void lw_hist_table(int compute_capability, char *text, size_t size) {
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
        int n = c->sample_bytes ? snprintf(text + used, size - used, "%d-byte samples: %s\n", c->sample_bytes, names[c->strategy])
                                : snprintf(text + used, size - used, "up to %lld entries: %s\n", (long long)c->entries,
                                           names[c->strategy]);
        if (n > 0) used += (size_t)n;
    }
}
