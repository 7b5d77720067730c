/*
 * Histograms against the CPU reference: every sample type, binning, strategy and policy at sizes 0, 1, 31, 32, 33, odd and
 * above one chunk, with rows, misaligned samples, constant data, and the wrong-count cases of other libraries: full-range
 * int8 and int16, bf16 above 256 bins, half above 2048, int16 with more than 32,768 bins, 64 K and 100 K bins, 10 million
 * bins, and even levels that equal their own edges.
 */
#include <math.h>
#include "harness.h"

typedef struct hist_case {
    lw_plan *plan;
    void *counts;
    const void *samples, *edges;
} hist_case;

static lw_ops_status run_case(void *context, cudaStream_t stream) {
    hist_case *c = context;
    return lw_hist_run(c->plan, c->counts, c->samples, c->edges, NULL, stream);
}

static const char *const type_names[] = { "bytes", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
                                          "f16", "bf16", "f32", "f64" };

/* Samples around the levels: random bits, values on edges and next to them, constants, infinities and NaN. */
static void fill_samples(test_state *t, const lw_hist *w, unsigned char *at, size_t bytes, const void *edges, int style) {
    int size = lw_type_bytes(w->sample_type);
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        uint64_t r = test_random(t, 0), pick = style == 1 ? 0 : test_random(t, (uint64_t)w->bins + 1);
        memcpy(at + i, &r, (size_t)size);
        if (style == 0 || (style == 2 && r % 7 == 0)) continue;
        int64_t jitter = style == 1 ? 0 : (int64_t)test_random(t, 3) - 1;
        if (w->binning == LW_HIST_INTEGER) {
            uint64_t v = (uint64_t)w->first + pick + (uint64_t)jitter;
            memcpy(at + i, &v, (size_t)size);
        } else if (w->sample_type == LW_F64) {
            double v = ((const double *)edges)[pick];
            if (jitter) v = nextafter(v, jitter > 0 ? INFINITY : -INFINITY);
            memcpy(at + i, &v, 8);
        } else if (w->sample_type == LW_F32 || w->sample_type == LW_BF16) {
            float v = ((const float *)edges)[pick];
            if (jitter) v = nextafterf(v, jitter > 0 ? INFINITY : -INFINITY);
            memcpy(at + i, (const char *)&v + 4 - size, (size_t)size);
        } else if (w->sample_type != LW_F16) {
            uint64_t v = ((const uint64_t *)edges)[pick] + (uint64_t)jitter;
            memcpy(at + i, &v, (size_t)size);
        }
    }
}

static void compare(test_state *t, lw_hist w, int style, int mis, bool capture) {
    char what[256], chosen[96];
    lw_ops_error err;
    lw_plan *plan = NULL;
    int size = lw_type_bytes(w.sample_type), edge_size = lw_type_bytes(lw_hist_edge_type(w.sample_type));
    int64_t entries = w.bins + (w.outside == LW_HIST_COUNT ? 2 : 0), hists = w.segmented ? w.rows : 1;
    lw_hist even = w;
    even.binning = w.binning == LW_HIST_EDGES ? LW_HIST_EVEN : w.binning;
    size_t sample_bytes = (size_t)(w.rows == 0 ? 0 : (w.rows - 1) * w.row_pitch + w.row_samples * size);
    test_buffer edges = test_buffer_make(t, (size_t)((w.bins + 1) * edge_size), 0);
    test_buffer samples = test_buffer_make(t, sample_bytes, (size_t)(mis * size));
    test_buffer counts = test_buffer_make(t, (size_t)(entries * hists * lw_type_bytes(w.count_type)), 0);
    test_check(t, lw_hist_edges(&even, test_host(&edges)) == LW_OPS_OK, "edges");
    fill_samples(t, &w, test_host(&samples), sample_bytes, test_host(&edges), style);
    lw_ops_status st = lw_hist_plan(t->ops, &w, &plan, &err);
    snprintf(what, sizeof what, "%s binning %d bins %lld rows %lld x %lld outside %d strategy %d style %d mis %d",
             type_names[w.sample_type], w.binning, (long long)w.bins, (long long)w.rows, (long long)w.row_samples, w.outside,
             w.strategy, style, mis);
    test_check(t, st == LW_OPS_OK, "%s: %s", what, st == LW_OPS_OK ? "" : err.text);
    if (st == LW_OPS_OK) {
        lw_plan_describe(plan, chosen, sizeof chosen);
        snprintf(what + strlen(what), sizeof what - strlen(what), " [%s]", chosen);
        test_upload(t, &edges);
        test_upload(t, &samples);
        test_upload(t, &counts);
        hist_case c = { plan, test_device(&counts), test_device(&samples), test_device(&edges) };
        st = run_case(&c, t->stream);
        test_check(t, st == LW_OPS_OK, "%s: %s", what, lw_ops_status_text(st));
        lw_ref_hist(&w, test_host(&counts), test_host(&samples), test_host(&edges));
        test_same(t, &counts, what);
        test_graph g;
        if (capture && test_capture(t, &g, run_case, &c)) {
            for (int replay = 0; replay < 2; replay++) {
                fill_samples(t, &w, test_host(&samples), sample_bytes, test_host(&edges), 2);
                test_upload(t, &samples);
                test_replay(t, &g);
                lw_ref_hist(&w, test_host(&counts), test_host(&samples), test_host(&edges));
                test_same(t, &counts, what);
            }
            test_graph_free(&g);
        }
    }
    lw_plan_destroy(plan);
    test_buffer_free(&edges);
    test_buffer_free(&samples);
    test_buffer_free(&counts);
}

static lw_hist basic(int type, int binning, int64_t bins, int64_t samples) {
    lw_hist w;
    memset(&w, 0, sizeof w);
    w.sample_type = type;
    w.binning = binning;
    w.bins = bins;
    w.count_type = LW_U32;
    w.rows = 1;
    w.row_samples = samples;
    w.lo = -3.5;
    w.hi = 117.25;
    w.lo_int = type == LW_U8 || type == LW_U16 || type == LW_U32 || type == LW_U64 ? 3 : -100;
    w.hi_int = 120;
    w.first = w.lo_int;
    return w;
}

static void types(test_state *t) {
    static const int64_t sizes[] = { 0, 1, 31, 32, 33, 1000, 5003 };
    for (int type = LW_U8; type < LW_TYPE_COUNT; type++) {
        for (int binning = type >= LW_F16 ? LW_HIST_EVEN : LW_HIST_INTEGER; binning <= LW_HIST_EDGES; binning++) {
            for (size_t i = 0; i < 7; i++) {
                lw_hist w = basic(type, binning, binning == LW_HIST_INTEGER ? 100 : 37, sizes[i]);
                w.outside = (int)(i % 3);
                w.last_closed = i & 1;
                w.nan_above = i >> 1 & 1;
                w.count_type = i % 2 ? LW_U64 : LW_U32;
                w.accumulate = i == 5;
                compare(t, w, (int)(i % 4 == 3 ? 1 : i % 3), (int)i % 3, i == 4);
            }
        }
    }
}

static void strategies(test_state *t) {
    static const int types[] = { LW_U8, LW_I16, LW_I32, LW_F32, LW_F64 };
    for (int s = LW_HIST_SHARED; s <= LW_HIST_PAIRS; s++) {
        if (s == LW_HIST_CLUSTER) continue;
        for (int k = 0; k < 5; k++) {
            if (s >= LW_HIST_LANES && types[k] != LW_U8) continue;
            for (int style = 0; style < 3; style++) {
                lw_hist w = basic(types[k], types[k] >= LW_F16 ? LW_HIST_EVEN : LW_HIST_INTEGER, 64, 70000 / lw_type_bytes(types[k]));
                w.strategy = s;
                w.outside = style;
                compare(t, w, style, 1, false);
                w.rows = 5;
                w.row_samples = 1003;
                w.row_pitch = (1003 + style) * lw_type_bytes(types[k]);
                w.segmented = style == 1;
                compare(t, w, style, 0, style == 1);
            }
        }
    }
}

/* Cases that other libraries are known to count wrongly. */
static void traps(test_state *t) {
    lw_hist w = basic(LW_I8, LW_HIST_EVEN, 256, 4000);
    w.lo_int = -128;
    w.hi_int = 128;
    compare(t, w, 0, 0, false);
    w = basic(LW_I16, LW_HIST_EVEN, 65536, 5000);
    w.lo_int = -32768;
    w.hi_int = 32768;
    compare(t, w, 0, 0, false);
    w.bins = 40000;
    compare(t, w, 0, 0, false);
    w = basic(LW_BF16, LW_HIST_EVEN, 300, 4000);
    compare(t, w, 2, 0, false);
    w = basic(LW_F16, LW_HIST_EVEN, 3000, 4000);
    compare(t, w, 0, 0, false);
    w = basic(LW_I32, LW_HIST_EVEN, 65536, 5000);
    w.hi_int = 1000000000;
    compare(t, w, 2, 0, false);
    w.bins = 100000;
    compare(t, w, 2, 0, false);
    w.strategy = LW_HIST_PACKED;
    compare(t, w, 2, 0, false);
    w = basic(LW_I32, LW_HIST_EVEN, 7, 4000);
    w.lo_int = INT32_MIN;
    w.hi_int = INT32_MAX;
    w.last_closed = 1;
    compare(t, w, 0, 0, false);
    w = basic(LW_U64, LW_HIST_EVEN, 1000, 2000);
    w.lo_int = 0;
    w.hi_int = -1; /* 2^64 - 1 */
    compare(t, w, 0, 0, false);
    w = basic(LW_I64, LW_HIST_EVEN, 999, 2000);
    w.lo_int = INT64_MIN;
    w.hi_int = INT64_MAX;
    compare(t, w, 2, 0, false);
    w = basic(LW_U8, LW_HIST_EVEN, 1000, 2000); /* more bins than values, levels outside the type */
    w.lo_int = -5;
    w.hi_int = 300;
    compare(t, w, 0, 0, false);
    w = basic(LW_F32, LW_HIST_EVEN, 1000, 3000); /* bins narrower than the spacing of floats */
    w.lo = 16777000;
    w.hi = 16777100;
    compare(t, w, 2, 0, false);
    w = basic(LW_F64, LW_HIST_EVEN, 33333, 3000);
    w.lo = 1e-300;
    w.hi = 1e300;
    compare(t, w, 2, 0, false);
    w = basic(LW_I32, LW_HIST_INTEGER, 10000000, 500);
    if (t->cases > 100) compare(t, w, 2, 0, false); /* large: not under an emulator */
}

/* One bin takes more than a packed counter holds. */
static void overflow(test_state *t) {
    lw_hist w = basic(LW_I32, LW_HIST_INTEGER, 16, t->cases > 100 ? 3000000 : 40000);
    w.strategy = LW_HIST_PACKED;
    compare(t, w, 1, 0, false);
    w = basic(LW_U8, LW_HIST_INTEGER, 200, t->cases > 100 ? 30000001 : 300001);
    w.strategy = LW_HIST_LANES;
    compare(t, w, 1, 3, false);
    w.strategy = LW_HIST_PAIRS;
    compare(t, w, 1, 3, false);
    compare(t, w, 2, 0, false);
}

static void refusals(test_state *t) {
    lw_plan *plan = NULL;
    lw_ops_error err;
    lw_hist w = basic(LW_F32, LW_HIST_INTEGER, 10, 10);
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_TYPE, "integer bins of floats");
    w = basic(LW_F32, LW_HIST_EVEN, 10, 10);
    w.hi = w.lo;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_ARGUMENT, "empty levels");
    w = basic(LW_F32, LW_HIST_EVEN, 0, 10);
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_ARGUMENT, "no bins");
    w = basic(LW_F32, LW_HIST_EVEN, 10, 10);
    w.strategy = LW_HIST_LANES;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_UNSUPPORTED && !plan, "lanes of floats");
    char text[200];
    lw_hist_table(90, text, sizeof text);
    test_check(t, strstr(text, "shared") != NULL, "table of 9.0");
}

int main(void) {
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    types(&t);
    strategies(&t);
    traps(&t);
    overflow(&t);
    refusals(&t);
    return test_end(&t, "hist");
}
