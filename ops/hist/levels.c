/*
 * Levels of histograms, the base of their planners: kinds of samples, even levels (lw_hist_edges() defines them), the
 * constants by which kernels find a sample's bin.
 */
#include <float.h>
#include <math.h>
#include <string.h>
#include "hist/hist_plan.h"

bool lw_hist_is_real(int type) { return type >= LW_F16; }

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
    static const int of_bytes[9] = {[1] = LW_K8, [2] = LW_K16, [4] = LW_K32, [8] = LW_K64};
    return of_bytes[bytes];
}

uint64_t lw_hist_sign(int type) { return is_signed(type) ? (uint64_t)1 << (8 * lw_type_bytes(type) - 1) : 0; }

int lw_hist_edge_type(int type)
{
    if (type <= LW_BYTES || type > LW_F64) return LW_BYTES;
    if (type == LW_F64) return LW_F64;
    if (lw_hist_is_real(type)) return LW_F32;
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
    if (!w || !edges || w->bins < 1 || w->bins > LW_HIST_MAX_BINS) return LW_OPS_BAD_ARGUMENT;
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

lw_ops_status lw_hist_check_levels(const lw_hist *w, lw_ops_error *err)
{
    if (w->binning == LW_HIST_INTEGER && lw_hist_is_real(w->sample_type)) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "LW_HIST_INTEGER requires integer samples");
    }
    if (w->binning != LW_HIST_EVEN) return LW_OPS_OK;
    if (lw_hist_is_real(w->sample_type)) {
        bool narrow = w->sample_type != LW_F64;
        double lo = narrow ? (double)(float)w->lo : w->lo, hi = narrow ? (double)(float)w->hi : w->hi;
        if (!isfinite(lo) || !isfinite(hi) || !(lo < hi) || !isfinite(hi - lo) ||
            (narrow && hi - lo > (double)FLT_MAX)) {
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "%g to %g is not a finite range of the sample type", w->lo,
                               w->hi);
        }
    } else if (w->sample_type == LW_U64 ? (uint64_t)w->lo_int >= (uint64_t)w->hi_int : w->lo_int >= w->hi_int) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the upper limit is not above the lower limit");
    }
    return LW_OPS_OK;
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

static void real_constants(const lw_hist *w, lw_hist_params *p)
{
    p->lo_f = (float)w->lo;
    p->hi_f = (float)w->hi;
    p->step_f = (float)(((double)p->hi_f - p->lo_f) / (double)w->bins);
    p->inv_f = (float)((double)w->bins / ((double)p->hi_f - p->lo_f));
    if (!isfinite(p->inv_f)) p->inv_f = FLT_MAX;
    p->off_f = (float)(-(double)p->lo_f * (double)p->inv_f);
    /* error of the estimate in bins: rounding of (x - lo) * inv, and of the edges, spaced as lo and hi are */
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

void lw_hist_constants(const lw_hist *w, lw_hist_params *p)
{
    memset(p, 0, sizeof *p);
    p->bins = (uint32_t)w->bins;
    p->closed = w->last_closed != 0;
    p->below = p->above = LW_HIST_SKIP;
    if (w->outside == LW_HIST_CLAMP) {
        p->below = 0;
        p->above = p->bins - 1;
    } else if (w->outside == LW_HIST_COUNT) { /* two counts behind the bins */
        p->below = p->bins;
        p->above = p->bins + 1;
    }
    p->nan = w->nan_above ? p->above : LW_HIST_SKIP;
    p->wide_counts = w->count_type == LW_U64;
    p->outside = w->outside != LW_HIST_DROP || w->last_closed;
    if (lw_hist_is_real(w->sample_type)) real_constants(w, p);
    else if (w->binning != LW_HIST_EDGES) int_constants(w, p);
    else p->flip = lw_hist_sign(w->sample_type);
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
                  !lw_hist_is_real(w->sample_type);
    bool near = w->binning == LW_HIST_EVEN && lw_hist_is_real(w->sample_type) && p->near;
    if (w->binning == LW_HIST_EDGES) return LW_HIST_EDGES;
    return simple || near ? LW_HIST_INTEGER : LW_HIST_EVEN;
}
