/*
 * Reference of histograms: every sample is compared with the edges themselves (INTEGER: with first + i), so that it shares
 * no arithmetic with the kernels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ref.h"

static float half_value(uint16_t h) {
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

static value read_value(int type, const void *at) {
    value v = { 0, 0, 0, 0 };
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
    case LW_U64: v.kind = 1; v.u = *(const uint64_t *)at; break;
    case LW_F16: memcpy(&h, at, 2); v.kind = 2; v.d = half_value(h); break;
    case LW_BF16: memcpy(&h, at, 2); f = (uint32_t)h << 16; memcpy(&x, &f, 4); v.kind = 2; v.d = x; break;
    case LW_F32: v.kind = 2; v.d = *(const float *)at; break;
    default: v.kind = 2; v.d = *(const double *)at; break;
    }
    return v;
}

/* -1, 0, 1: the value against edge i. */
static int against(const lw_hist *w, value v, const void *edges, int64_t i) {
    if (w->binning == LW_HIST_INTEGER) {
        if (v.kind == 1) {
            uint64_t e = (uint64_t)w->first + (uint64_t)i;
            return v.u < e ? -1 : v.u > e;
        }
        int64_t e = w->first + i;
        return v.i < e ? -1 : v.i > e;
    }
    if (v.kind == 1) return v.u < ((const uint64_t *)edges)[i] ? -1 : v.u > ((const uint64_t *)edges)[i];
    if (v.kind == 0) return v.i < ((const int64_t *)edges)[i] ? -1 : v.i > ((const int64_t *)edges)[i];
    double e = w->sample_type == LW_F64 ? ((const double *)edges)[i] : (double)((const float *)edges)[i];
    return v.d < e ? -1 : v.d > e;
}

/* The entry that counts a value, -1: none. */
static int64_t entry_of(const lw_hist *w, value v, const void *edges) {
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

void lw_ref_hist(const lw_hist *w, void *counts, const void *samples, const void *edges) {
    int64_t entries = w->bins + (w->outside == LW_HIST_COUNT ? 2 : 0), hists = w->segmented ? w->rows : 1;
    int bytes = lw_type_bytes(w->sample_type), count_bytes = lw_type_bytes(w->count_type);
    if (!w->accumulate) memset(counts, 0, (size_t)(entries * hists * count_bytes));
    for (int64_t r = 0; r < w->rows; r++) {
        const char *row = (const char *)samples + (w->rows > 1 ? r * w->row_pitch : 0);
        for (int64_t i = 0; i < w->row_samples; i++) {
            int64_t e = entry_of(w, read_value(w->sample_type, row + i * bytes), edges);
            if (e < 0) continue;
            e += w->segmented ? r * entries : 0;
            if (w->count_type == LW_U64) ((uint64_t *)counts)[e]++;
            else ((uint32_t *)counts)[e]++;
        }
    }
}
