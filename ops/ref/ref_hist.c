/*
 * Reference of histograms: every sample is compared with the edges themselves (INTEGER: with first + i), so that it
 * shares no arithmetic with the kernels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"

static float half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(m + 1024), e - 25) : ldexpf((float)m, -24);
    return h & 0x8000 ? -v : v;
}

typedef struct value {
    int kind; /* 0: signed, 1: unsigned, 2: real */
    int64_t i;
    uint64_t u;
    double d;
} value;

static value read_value(int type, const void *at)
{
    value v = {0, 0, 0, 0};
    uint16_t h;
    uint32_t f;
    float x;
    switch (type) {
    case LW_U8: v.i = *(const uint8_t *)at; break;
    case LW_I8: v.i = *(const int8_t *)at; break;
    case LW_U16: v.i = *(const uint16_t *)at; break;
    case LW_I16: v.i = *(const int16_t *)at; break;
    case LW_U32: v.i = *(const uint32_t *)at; break;
    case LW_I32: v.i = *(const int32_t *)at; break;
    case LW_I64: v.i = *(const int64_t *)at; break;
    case LW_U64:
        v.kind = 1;
        v.u = *(const uint64_t *)at;
        break;
    case LW_F16:
        memcpy(&h, at, 2);
        v.kind = 2;
        v.d = half_value(h);
        break;
    case LW_BF16:
        memcpy(&h, at, 2);
        f = (uint32_t)h << 16;
        memcpy(&x, &f, 4);
        v.kind = 2;
        v.d = x;
        break;
    case LW_F32:
        v.kind = 2;
        v.d = *(const float *)at;
        break;
    default:
        v.kind = 2;
        v.d = *(const double *)at;
        break;
    }
    return v;
}

/* -1, 0, 1: the value against edge i. */
static int against(const lw_hist *w, value v, const void *edges, int64_t i)
{
    if (w->binning == LW_HIST_INTEGER) {
        if (v.kind == 1) {
            uint64_t e = (uint64_t)w->first + (uint64_t)i;
            return v.u < e ? -1 : v.u > e;
        }
        int64_t e = w->first + i;
        return v.i < e ? -1 : v.i > e;
    }
    if (v.kind == 1) return v.u<((const uint64_t *)edges)[i] ? -1 : v.u>((const uint64_t *)edges)[i];
    if (v.kind == 0) return v.i<((const int64_t *)edges)[i] ? -1 : v.i>((const int64_t *)edges)[i];
    double e = w->sample_type == LW_F64 ? ((const double *)edges)[i] : (double)((const float *)edges)[i];
    return v.d < e ? -1 : v.d > e;
}

/* The entry that counts a value, -1: none. */
static int64_t entry_of(const lw_hist *w, value v, const void *edges)
{
    int64_t below = w->outside == LW_HIST_DROP ? -1 : w->outside == LW_HIST_CLAMP ? 0 : w->bins;
    int64_t above = w->outside == LW_HIST_DROP ? -1 : w->outside == LW_HIST_CLAMP ? w->bins - 1 : w->bins + 1;
    if (v.kind == 2 && isnan(v.d)) return w->nan_above ? above : -1;
    if (against(w, v, edges, 0) < 0) return below;
    int last = against(w, v, edges, w->bins);
    if (last == 0 && w->last_closed) return w->bins - 1;
    if (last >= 0) return above;
    int64_t lo = 0, hi = w->bins; /* edge lo <= v < edge hi */
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        if (against(w, v, edges, mid) >= 0) lo = mid;
        else hi = mid;
    }
    return lo;
}

/* Levels of dimension d. */
static lw_hist axis_of(const lw_hist *w, int d)
{
    lw_hist one = *w;
    if (d) {
        one.bins = w->axis[d - 1].bins;
        one.first = w->axis[d - 1].first;
    }
    return one;
}

/* Entry of a sample in its row's histograms for channel c (joint: of all its dimensions), -1: none. */
static int64_t sample_entry(const lw_hist *w, const char *sample, int c, const char *edges)
{
    int bytes = lw_type_bytes(w->sample_type), edge_bytes = lw_type_bytes(lw_hist_edge_type(w->sample_type));
    int dims = w->joint ? (w->counted ? w->counted : w->channels) : 1;
    int64_t e = 0;
    for (int d = 0; d < dims; d++) {
        lw_hist one = axis_of(w, d);
        int64_t b = entry_of(&one, read_value(w->sample_type, sample + (c + d) * bytes), edges);
        if (b < 0) return -1;
        e = e * one.bins + b;
        if (edges) edges += (one.bins + 1) * edge_bytes;
    }
    return w->joint ? e : e + c * (w->bins + (w->outside == LW_HIST_COUNT ? 2 : 0));
}

static int64_t group_entries(const lw_hist *w)
{
    int counted = w->counted ? w->counted : w->channels ? w->channels : 1;
    int64_t n = w->bins;
    if (!w->joint) return (n + (w->outside == LW_HIST_COUNT ? 2 : 0)) * counted;
    for (int d = 1; d < counted; d++) n *= w->axis[d - 1].bins;
    return n;
}

typedef void (*add_call)(void *context, int64_t entry, int64_t sample);

/* Calls add for every sample that is counted. */
static void walk(const lw_hist *w, const void *samples, const void *edges, add_call add, void *context)
{
    int bytes = lw_type_bytes(w->sample_type), channels = w->channels ? w->channels : 1;
    int counted = w->joint ? 1 : w->counted ? w->counted : channels;
    for (int64_t r = 0; r < w->rows; r++) {
        const char *row = (const char *)samples + (w->rows > 1 ? r * w->row_pitch : 0);
        for (int64_t i = 0; i < w->row_samples; i++) {
            for (int c = 0; c < counted; c++) {
                int64_t e = sample_entry(w, row + i * channels * bytes, c, edges);
                if (e >= 0) add(context, e + (w->segmented ? r * group_entries(w) : 0), r * w->row_samples + i);
            }
        }
    }
}

typedef struct sums {
    const lw_hist *w;
    void *out;
    const void *weights;
    int64_t *fixed;
    double limit;
    int bits;
} sums;

static void add_count(void *context, int64_t e, int64_t sample)
{
    sums *s = context;
    (void)sample;
    if (s->w->count_type == LW_U64) ((uint64_t *)s->out)[e]++;
    else ((uint32_t *)s->out)[e]++;
}

static double weight_at(const lw_hist *w, const void *weights, int64_t i)
{
    return w->weight_type == LW_F64 ? ((const double *)weights)[i] : (double)((const float *)weights)[i];
}

static void add_weight(void *context, int64_t e, int64_t sample)
{
    sums *s = context;
    double v = weight_at(s->w, s->weights, sample);
    if (s->fixed) {
        v = isnan(v) ? 0 : fmin(fmax(v, -s->limit), s->limit);
        s->fixed[e] += llrint(ldexp(v, s->bits));
    } else if (s->w->count_type == LW_F64) {
        ((double *)s->out)[e] += v;
    } else {
        ((float *)s->out)[e] += (float)v;
    }
}

void lw_ref_hist(const lw_hist *w, void *counts, const void *samples, const void *edges)
{
    int64_t hists = w->segmented ? w->rows : 1;
    sums s = {w, counts, NULL, NULL, 0, 0};
    if (!w->accumulate) memset(counts, 0, (size_t)(group_entries(w) * hists * lw_type_bytes(w->count_type)));
    walk(w, samples, edges, add_count, &s);
}

int lw_ref_hist_weighted(const lw_hist *w, void *out, const void *samples, const void *weights, const void *edges)
{
    int64_t n = group_entries(w) * (w->segmented ? w->rows : 1), all = w->rows * w->row_samples, head = 0;
    sums s = {w, out, weights, NULL, w->weight_limit, 0};
    if (w->deterministic) {
        for (int64_t i = 0; !(w->weight_limit > 0) && i < all; i++) {
            double v = fabs(weight_at(w, weights, i));
            if (isfinite(v) && v > s.limit) s.limit = v;
        }
        while (((int64_t)1 << head) < (w->segmented ? w->row_samples : all)) head++;
        s.bits = s.limit > 0 ? 61 - (int)head - ilogb(s.limit) : 0;
        s.fixed = calloc((size_t)n, sizeof *s.fixed);
        if (!s.fixed) return -1;
    } else if (!w->accumulate) {
        memset(out, 0, (size_t)(n * lw_type_bytes(w->count_type)));
    }
    walk(w, samples, edges, add_weight, &s);
    for (int64_t i = 0; s.fixed && i < n; i++) {
        double v = ldexp((double)s.fixed[i], -s.bits);
        if (w->count_type == LW_F64) ((double *)out)[i] = w->accumulate ? ((double *)out)[i] + v : v;
        else ((float *)out)[i] = w->accumulate ? ((float *)out)[i] + (float)v : (float)v;
    }
    free(s.fixed);
    return 0;
}
