/*
 * Plans of histograms with channels, dimensions or weights, and the ranges that are found on the device: checks, the
 * division into blocks, the workspace and the order of launches. The plain histogram is planned in hist_plain.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "hist/hist_plan.h"

#define TILE ((int64_t)LW_HIST_THREADS * LW_ANY_FLIGHT)

bool lw_hist_is_any(const lw_hist *w) { return w->channels > 1 || w->counted > 1 || w->joint || w->weight_type; }

static lw_hist axis_of(const lw_hist *w, int d)
{
    lw_hist one = *w;
    if (d > 0) {
        const lw_hist_axis *x = &w->axis[d - 1];
        one.bins = x->bins;
        one.first = x->first;
        one.lo_int = x->lo_int;
        one.hi_int = x->hi_int;
        one.lo = x->lo;
        one.hi = x->hi;
    }
    return one;
}

static lw_ops_status check_weights(const lw_hist *w, lw_ops_error *err)
{
    if (!w->weight_type) {
        if (w->count_type != LW_U32 && w->count_type != LW_U64)
            return lw_ops_fail(err, LW_OPS_BAD_TYPE, "counts must be u32 or u64");
        if (w->deterministic)
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "deterministic is about weights; counts always are");
        return LW_OPS_OK;
    }
    bool sums = w->count_type == LW_F64 || (w->count_type == LW_F32 && w->weight_type == LW_F32);
    if ((w->weight_type != LW_F32 && w->weight_type != LW_F64) || !sums) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "weights are f32 or f64; their sums are f64, or f32 for f32 weights");
    }
    if (!(w->weight_limit >= 0) || !isfinite(w->weight_limit)) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the limit of the weights is negative or not finite");
    }
    return LW_OPS_OK;
}

/* Checks what lw_hist has beyond the plain histogram. */
lw_ops_status lw_hist_check_any(const lw_hist *w, lw_ops_error *err)
{
    int channels = w->channels ? w->channels : 1, counted = w->counted ? w->counted : channels;
    if (channels < 1 || channels > 4 || counted < 1 || counted > channels) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT,
                           "1 to 4 channels are possible, and no more can be counted than there are");
    }
    if (w->range < LW_HIST_RANGE_GIVEN || w->range > LW_HIST_RANGE_FOUND)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "unknown range");
    if (w->range && (w->binning != LW_HIST_EVEN || channels > 1)) {
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED,
                           "a range that is determined on the device requires LW_HIST_EVEN and one channel");
    }
    if (w->joint && (counted < 2 || counted > 3 || w->outside == LW_HIST_COUNT)) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT,
                           "a joint histogram has 2 or 3 dimensions and does not count what is outside");
    }
    if (w->joint && w->outside != LW_HIST_DROP && w->outside != LW_HIST_CLAMP)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "unknown policy");
    return check_weights(w, err);
}

/* Histogram sizes, and counters in shared memory if they fit and nothing else is forced. */
static lw_ops_status divide_any(const lw_ops *ops, hist_plan *h, lw_ops_error *err)
{
    const lw_hist *w = &h->what;
    lw_hist_any *a = &h->any;
    int bytes = w->weight_type && (h->add == LW_ADD_F64 || h->add == LW_ADD_FIXED) ? 8 : 4;
    int64_t size = lw_type_bytes(w->sample_type) * (int64_t)a->channels;
    bool fits = a->group < ops->shared_optin / bytes; /* one more counter takes what is not counted */
    bool can = w->strategy == LW_HIST_AUTO || w->strategy == LW_HIST_GLOBAL || (w->strategy == LW_HIST_SHARED && fits);
    if (!can)
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED,
                           "channels and weights are counted in shared memory, if it suffices, or globally");
    a->in_shared = fits && w->strategy != LW_HIST_GLOBAL;
    h->strategy = a->in_shared ? LW_HIST_SHARED : LW_HIST_GLOBAL;
    h->shared = a->in_shared ? (uint32_t)((a->group + 1) * bytes) : 0;
    a->rows = w->rows;
    a->row_samples = w->row_samples;
    a->row_pitch = w->rows > 1 ? w->row_pitch : 0;
    a->segmented = w->segmented && w->rows > 1;
    if (!a->segmented && (w->rows <= 1 || a->row_pitch == w->row_samples * size)) {
        a->row_samples *= a->rows;
        a->rows = a->rows > 0;
    }
    a->tiles_per_row = (a->row_samples + TILE - 1) / TILE;
    int64_t blocks = ops->sms, jobs = a->segmented ? a->rows : 1,
            tiles = a->tiles_per_row * (a->segmented ? 1 : a->rows);
    int64_t workers = blocks / (jobs < blocks ? jobs > 0 ? jobs : 1 : blocks);
    if (workers > tiles) workers = tiles > 0 ? tiles : 1;
    if (jobs > blocks / workers) jobs = blocks / workers;
    a->workers = (int32_t)workers;
    h->blocks = (int)(workers * (jobs > 0 ? jobs : 1));
    return LW_OPS_OK;
}

/* One channel of 4-byte samples and f32 weights in shared memory has kernels of its own (hist_sum.cu). */
static void choose_sums(const lw_ops *ops, hist_plan *h)
{
    const lw_hist *w = &h->what;
    lw_hist_any *a = &h->any;
    lw_hist_params *p = &a->axis[0];
    const int64_t chunk = (int64_t)LW_HIST_THREADS * 16 * LW_SUM_WINDOWS;
    bool can = a->channels == 1 && !a->joint && a->in_shared && w->weight_type == LW_F32 &&
               (h->add == LW_ADD_F32 || h->add == LW_ADD_FIXED) && lw_type_bytes(w->sample_type) == 4;
    if (!can) return;
    p->rows = a->rows;
    p->row_bytes = a->row_samples * 4;
    p->row_pitch = a->row_pitch;
    p->segmented = a->segmented;
    p->window = p->entries = a->entries;
    p->chunks_per_row = (p->row_bytes + 15 + chunk - 1) / chunk;
    p->ranges = 1;
    if (h->add == LW_ADD_F32 && a->group < ops->shared_optin / 8) {
        h->add = LW_ADD_NEAR;
        h->shared = (uint32_t)(a->group + 1) * 8;
    }
    lw_hist_place_edges(ops, w, p, &h->shared);
    h->mode = lw_hist_mode_of(w, p, a->entries);
    h->sums = true;
}

/* How samples are added to their bin. */
static int add_of(const lw_hist *w)
{
    if (!w->weight_type) return LW_ADD_COUNT;
    if (w->deterministic) return LW_ADD_FIXED;
    return w->count_type == LW_F32 ? LW_ADD_F32 : LW_ADD_F64;
}

/* The levels of every dimension, and the entries of a histogram and of all of a row. */
static lw_ops_status plan_levels(hist_plan *h, lw_ops_error *err)
{
    const lw_hist *w = &h->what;
    lw_hist_any *a = &h->any;
    int64_t all = 1, step = 1;
    for (int d = a->joint ? a->counted - 1 : 0; d >= 0; d--) {
        lw_hist one = axis_of(w, d);
        lw_ops_status st = lw_hist_check_levels(&one, err);
        if (st != LW_OPS_OK) return st;
        if (one.bins < 1 || one.bins > LW_HIST_MAX_BINS || all * one.bins > LW_HIST_MAX_BINS) {
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "a joint histogram has 1 to 16777216 bins in total");
        }
        lw_hist_constants(&one, &a->axis[d]);
        a->stride[d] = (uint32_t)step;
        all *= one.bins;
        step = all;
    }
    a->entries = a->joint ? all : w->bins + (w->outside == LW_HIST_COUNT ? 2 : 0);
    a->group = a->joint ? all : a->entries * a->counted;
    h->entries = a->entries;
    return LW_OPS_OK;
}

lw_ops_status lw_hist_plan_any(hist_plan *h, lw_ops_error *err)
{
    lw_plan *q = &h->base;
    const lw_hist *w = &h->what;
    lw_hist_any *a = &h->any;
    a->channels = w->channels ? w->channels : 1;
    a->counted = w->counted ? w->counted : a->channels;
    a->joint = w->joint != 0;
    a->edged = w->binning == LW_HIST_EDGES;
    lw_ops_status st = plan_levels(h, err);
    if (st != LW_OPS_OK) return st;
    h->passes = 1;
    h->add = add_of(w);
    a->weight_wide = w->weight_type == LW_F64;
    a->sum_wide = w->count_type == LW_F64;
    a->accumulate = w->accumulate != 0;
    a->limit = w->weight_limit;
    int64_t n = w->row_samples * (w->segmented ? 1 : w->rows);
    while (((int64_t)1 << a->head) < n) a->head++;
    st = divide_any(q->ops, h, err);
    if (st != LW_OPS_OK) return st;
    choose_sums(q->ops, h);
    int64_t hists = a->segmented ? w->rows : 1;
    int64_t values = w->rows * w->row_samples;
    q->align = lw_type_bytes(w->sample_type);
    q->useful_bytes = (double)values * (lw_type_bytes(w->sample_type) * a->channels + lw_type_bytes(w->weight_type)) +
                      (double)(a->group * hists) * lw_type_bytes(w->count_type) * (w->accumulate ? 2 : 1);
    h->clear_bytes = w->accumulate ? 0 : (size_t)(a->group * hists * lw_type_bytes(w->count_type));
    if (h->add == LW_ADD_FIXED) {
        h->fixed_bytes = (size_t)(256 + a->group * hists * 8);
        q->workspace += h->fixed_bytes;
        h->clear_bytes = 0; /* the last kernel writes every sum */
    }
    q->launches += (h->clear_bytes > 0) + (values > 0) + (h->add == LW_ADD_FIXED ? 2 + (a->limit > 0 ? 0 : 1) : 0);
    return LW_OPS_OK;
}

/* The levels' edges into the start of the workspace; returns where they are. */
int lw_hist_make_edges(const hist_plan *h, const void *samples, const void *given, char *workspace, const void **edges,
                       lw_stream stream)
{
    const lw_hist *w = &h->what;
    lw_hist_any a;
    int e = 0, type = lw_hist_edge_type(w->sample_type);
    int64_t bytes = lw_type_bytes(w->sample_type), sms = h->base.ops->sms;
    memset(&a, 0, sizeof a);
    a.samples = samples;
    a.rows = w->rows;
    a.row_samples = w->row_samples;
    a.row_pitch = w->rows > 1 ? w->row_pitch : 0;
    if (a.rows <= 1 || a.row_pitch == a.row_samples * bytes) {
        a.row_samples *= a.rows;
        a.rows = a.rows > 0;
    }
    a.tiles_per_row = (a.row_samples + TILE - 1) / TILE;
    a.axis[0].flip = lw_hist_sign(w->sample_type);
    a.entries = w->bins;
    a.sums = workspace;
    a.weights = given;
    if (w->range == LW_HIST_RANGE_FOUND) {
        int64_t tiles = a.tiles_per_row * a.rows;
        a.fixed = (unsigned long long *)(workspace + 16);
        e = lw_hist_clear(a.fixed, 16, stream);
        if (!e && tiles > 0) {
            e = lw_hist_range_launch(&a, lw_hist_kind_of(w->sample_type), (uint32_t)(tiles < 2 * sms ? tiles : 2 * sms),
                                     stream);
        }
    }
    int64_t blocks = w->bins / LW_HIST_THREADS + 1;
    if (!e) e = lw_hist_edges_launch(&a, type, (uint32_t)(blocks < sms ? blocks : sms), stream);
    *edges = workspace + 256;
    return e;
}

int lw_hist_run_any(const hist_plan *h, void *sums, const void *samples, const void *weights, const void *edges,
                    char *workspace, lw_stream stream)
{
    const lw_hist *w = &h->what;
    lw_hist_any a = h->any;
    int64_t sms = h->base.ops->sms, hists = a.segmented ? a.rows : 1;
    int e = h->clear_bytes ? lw_hist_clear(sums, h->clear_bytes, stream) : 0;
    a.samples = samples;
    a.weights = weights;
    a.sums = sums;
    for (int d = 0; d < 3; d++) { /* edges stand one dimension after the other */
        a.axis[d].edges = edges;
        a.axis[d].counts = sums;
        int64_t n = d ? w->axis[d - 1].bins : w->bins;
        if (edges) edges = (const char *)edges + (n + 1) * lw_type_bytes(lw_hist_edge_type(w->sample_type));
    }
    bool some = w->rows > 0 && w->row_samples > 0;
    if (h->add == LW_ADD_FIXED) {
        a.found = (const double *)workspace;
        a.fixed = (unsigned long long *)(workspace + 256);
        if (!e) e = lw_hist_clear(workspace, h->fixed_bytes, stream);
        if (!e && some && !(a.limit > 0)) e = lw_hist_weights_launch(&a, (uint32_t)(2 * sms), stream);
    }
    int kind = lw_hist_kind_of(w->sample_type);
    if (!e && some && h->sums)
        e = lw_hist_sum_launch(&a, kind, h->mode, h->add, (uint32_t)h->blocks, h->shared, stream);
    else if (!e && some) e = lw_hist_any_launch(&a, kind, h->add, (uint32_t)h->blocks, h->shared, stream);
    if (!e && h->add == LW_ADD_FIXED) {
        int64_t blocks = (a.group * hists + LW_HIST_THREADS - 1) / LW_HIST_THREADS;
        e = lw_hist_finish_launch(&a, (uint32_t)(blocks < 2 * sms ? blocks > 0 ? blocks : 1 : 2 * sms), stream);
    }
    return e;
}

void lw_hist_describe_any(const hist_plan *h, char *text, size_t size)
{
    static const char *const adds[LW_ADDS + 1] = {"counts", "f32 sums", "f64 sums", "fixed-point sums",
                                                  "f32 sums of 64 bits"};
    snprintf(text, size, "%s, %d of %d channels%s, %s, %d blocks, %u shared bytes", lw_hist_strategy_name(h->strategy),
             h->any.counted, h->any.channels, h->any.joint ? " joint" : "", adds[h->add], h->blocks, h->shared);
}
