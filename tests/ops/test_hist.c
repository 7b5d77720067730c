/*
 * Histograms against the CPU reference: every sample type, binning, strategy and policy at sizes 0, 1, 31, 32, 33, odd
 * and above one chunk, with rows, misaligned samples, constant data, and the wrong-count cases of other libraries:
 * full-range int8 and int16, bf16 above 256 bins, half above 2048, int16 with more than 32,768 bins, 64 K and 100 K
 * bins, 10 million bins, and even levels that equal their own edges.
 */
#include <math.h>
#include "harness.h"

typedef struct hist_case {
    lw_plan *plan;
    void *counts;
    const void *samples, *edges;
    void *workspace;
} hist_case;

static lw_ops_status run_case(void *context, cudaStream_t stream)
{
    hist_case *c = context;
    return lw_hist_run(c->plan, c->counts, c->samples, c->edges, c->workspace, stream);
}

static const char *const type_names[] = {"bytes", "u8",  "i8",  "u16",  "i16", "u32", "i32",
                                         "u64",   "i64", "f16", "bf16", "f32", "f64"};

/* Samples around the levels: random bits, values on edges and next to them, constants, infinities and NaN. */
static void fill_samples(test_state *t, const lw_hist *w, unsigned char *at, size_t bytes, const void *edges, int style)
{
    int size = lw_type_bytes(w->sample_type);
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        uint64_t r = test_random(t, 0), pick = style == 1 ? 0 : test_random(t, style == 3 ? 24 : (uint64_t)w->bins + 1);
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

/* Uneven edges: 1 geometric, 2 nearly all in one place with equal neighbours (empty bins). */
static void bend_edges(const lw_hist *w, void *edges, int shape)
{
    int type = lw_hist_edge_type(w->sample_type);
    for (int64_t i = 0; shape && i <= w->bins; i++) {
        double x = (double)i / (double)w->bins, v = shape == 1 ? pow(2, 20 * x)
                                                    : x > 0.5  ? 1e6 * x
                                                               : 100 + floor(i / 3.0) * 1e-2;
        if (type == LW_F32) ((float *)edges)[i] = (float)v;
        else if (type == LW_F64) ((double *)edges)[i] = v;
        else ((int64_t *)edges)[i] = (int64_t)v;
    }
}

/* Forced strategies may need more shared memory than a device has: below 132 KiB a block. */
static bool too_small(lw_ops_status st, int strategy)
{
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    return st == LW_OPS_UNSUPPORTED && strategy && most < 132 * 1024;
}

static void compare_edges(test_state *t, lw_hist w, int style, int mis, bool capture, int shape)
{
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
    bend_edges(&w, test_host(&edges), shape);
    fill_samples(t, &w, test_host(&samples), sample_bytes, test_host(&edges), style);
    lw_ops_status st = lw_hist_plan(t->ops, &w, &plan, &err);
    snprintf(what, sizeof what, "%s binning %d bins %lld rows %lld x %lld outside %d strategy %d style %d mis %d",
             type_names[w.sample_type], w.binning, (long long)w.bins, (long long)w.rows, (long long)w.row_samples,
             w.outside, w.strategy, style, mis);
    if (too_small(st, w.strategy)) t->skipped++;
    else test_check(t, st == LW_OPS_OK, "%s: %s", what, st == LW_OPS_OK ? "" : err.text);
    if (st == LW_OPS_OK) {
        lw_plan_describe(plan, chosen, sizeof chosen);
        snprintf(what + strlen(what), sizeof what - strlen(what), " [%s]", chosen);
        test_upload(t, &edges);
        test_upload(t, &samples);
        test_upload(t, &counts);
        hist_case c = {plan, test_device(&counts), test_device(&samples), test_device(&edges), NULL};
        if (lw_plan_workspace(plan)) {
            test_check(t, run_case(&c, t->stream) == LW_OPS_WORKSPACE, "%s: no workspace", what);
            test_cuda(t, (int)cudaMalloc(&c.workspace, lw_plan_workspace(plan)), "workspace");
            test_fill(t, c.workspace, 0xa5, lw_plan_workspace(plan));
        }
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
        cudaFree(c.workspace);
    }
    lw_plan_destroy(plan);
    test_buffer_free(&edges);
    test_buffer_free(&samples);
    test_buffer_free(&counts);
}

static void compare(test_state *t, lw_hist w, int style, int mis, bool capture)
{
    compare_edges(t, w, style, mis, capture, 0);
}

static lw_hist basic(int type, int binning, int64_t bins, int64_t samples)
{
    lw_hist w = test_hist_of(type, binning, bins, samples);
    w.lo = -3.5;
    w.hi = 117.25;
    w.lo_int = type == LW_U8 || type == LW_U16 || type == LW_U32 || type == LW_U64 ? 3 : -100;
    w.hi_int = 120;
    w.first = w.lo_int;
    return w;
}

static void types(test_state *t)
{
    static const int64_t sizes[] = {0, 1, 31, 32, 33, 1000, 5003};
    for (int type = LW_U8; type <= LW_F64; type++) {
        for (int binning = type >= LW_F16 ? LW_HIST_EVEN : LW_HIST_INTEGER; binning <= LW_HIST_EDGES; binning++) {
            for (size_t i = 0; i < 7; i++) {
                lw_hist w = basic(type, binning, binning == LW_HIST_INTEGER ? 100 : 37, sizes[i]);
                w.outside = (int)(i % 3);
                w.last_closed = i & 1;
                w.nan_above = i >> 1 & 1;
                w.count_type = i % 2 ? LW_U64 : LW_U32;
                w.accumulate = i == 5;
                compare(t, w, (int)(i % 4 == 3 ? 1 : i % 3), (int)i % 3, i == 4);
                w.strategy = LW_HIST_SHARED; /* not by the kernels for few samples */
                if (binning != LW_HIST_EDGES) compare(t, w, (int)(i % 3), (int)(i + 1) % 3, false);
            }
        }
    }
}

static void strategies(test_state *t)
{
    static const int types[] = {LW_U8, LW_I16, LW_I32, LW_F32, LW_F64};
    for (int s = LW_HIST_SHARED; s < LW_HIST_STRATEGY_COUNT; s++) {
        if (s == LW_HIST_CLUSTER && !test_has_hopper(t)) continue;
        for (int k = 0; k < 5; k++) {
            if ((s == LW_HIST_LANES || s == LW_HIST_PAIRS) && types[k] != LW_U8) continue;
            bool wide_only = s == LW_HIST_PARTITION || s == LW_HIST_CLUSTER;
            if (wide_only && lw_type_bytes(types[k]) < 4) continue;
            for (int style = 0; style < 3; style++) {
                lw_hist w = basic(types[k], types[k] >= LW_F16 ? LW_HIST_EVEN : LW_HIST_INTEGER, 64,
                                  70000 / lw_type_bytes(types[k]));
                w.strategy = s;
                w.outside = style;
                compare(t, w, style, 1, false);
                w.rows = 5;
                w.row_samples = 1003;
                w.row_pitch = (1003 + style) * lw_type_bytes(types[k]);
                w.segmented = style == 1 && !wide_only;
                compare(t, w, style, 0, style == 1);
            }
        }
    }
}

/* Several parts, tiles, types and rounds of a small workspace. */
static void partitions(test_state *t)
{
    static const int types[] = {LW_I32, LW_F32, LW_U64, LW_F64};
    for (int k = 0; k < 4; k++) {
        lw_hist w = basic(types[k], types[k] >= LW_F16 ? LW_HIST_EVEN : LW_HIST_INTEGER, 100000, 40000);
        w.strategy = LW_HIST_PARTITION;
        w.outside = k == 1 ? LW_HIST_COUNT : LW_HIST_DROP;
        w.hi = 3e9;
        compare(t, w, 2, 1, k == 0);
        w.binning = k & 1 ? LW_HIST_EDGES : LW_HIST_EVEN;
        w.hi_int = (int64_t)1 << 30;
        w.bins = 70000;
        w.count_type = LW_U64;
        w.accumulate = 1;
        compare(t, w, 2, 0, false);
    }
    for (int64_t bins = 60000; bins <= 240000 && test_has_hopper(t); bins *= 2) { /* clusters of 2, 4 and 8 */
        lw_hist w = basic(LW_I32, LW_HIST_INTEGER, bins, 20001);
        w.strategy = LW_HIST_CLUSTER;
        w.outside = LW_HIST_COUNT;
        compare(t, w, 2, 1, bins == 60000);
    }
    lw_hist w = basic(LW_I32, LW_HIST_INTEGER, t->cases > 100 ? 16777216 : 200000, t->cases > 100 ? 5000003 : 20000);
    w.strategy = LW_HIST_PARTITION;
    compare(t, w, 1, 0, false);
    if (t->cases <= 100) return;
    compare(t, w, 2, 0, false);
    w.bins = 1000000;
    w.row_samples = 50000001; /* more than one round of 64 MiB */
    w.workspace_limit = 64 << 20;
    compare(t, w, 2, 1, false);
}

/* Few samples, on many blocks and several rounds, with samples before the first aligned vector and behind the last. */
static void few(test_state *t)
{
    static const int types[] = {LW_I32, LW_F32, LW_U16, LW_I64, LW_F64, LW_BF16, LW_U32};
    for (int k = 0; k < 7; k++) {
        for (int mis = 0; mis < 3; mis++) {
            int size = lw_type_bytes(types[k]);
            lw_hist w = basic(types[k], types[k] >= LW_F16 || k == 6 ? LW_HIST_EVEN : LW_HIST_INTEGER, 1000 + k,
                              (k == 0 && t->cases > 100 ? 8000000 : 500000) / size + 5 * mis + k);
            w.outside = (mis + k) % 3;
            w.count_type = k & 1 ? LW_U64 : LW_U32;
            w.accumulate = k == 2 || k == 4;
            compare(t, w, (mis + k) % 3, mis, mis == 1 && k < 2);
            w.row_samples = mis + 1; /* less than a vector, or just one */
            compare(t, w, 2, 3 - mis, false);
        }
    }
}

static void edges(test_state *t)
{
    static const int types[] = {LW_I32, LW_F32, LW_F64, LW_I64, LW_F16};
    for (int k = 0; k < 5; k++) {
        for (int shape = 0; shape < 3; shape++) {
            lw_hist w = basic(types[k], LW_HIST_EDGES, shape ? 300 : 3000, 3000);
            w.last_closed = shape;
            w.outside = shape;
            compare_edges(t, w, 2, 0, false, shape);
        }
    }
}

/* Cases that other libraries are known to count wrongly. */
static void traps(test_state *t)
{
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
    for (int64_t bins = 65535; bins <= 65537; bins++) { /* around the number of 16-bit values */
        w = basic(LW_I32, LW_HIST_INTEGER, bins, 3000);
        w.first = 0;
        compare(t, w, 2, 0, false);
        w.sample_type = LW_U16;
        compare(t, w, 0, 1, false);
    }
    w = basic(LW_U8, LW_HIST_INTEGER, 256,
              101); /* a region of interest: odd rows of a larger image, at an odd address */
    w.first = 0;
    w.rows = 37;
    w.row_pitch = 640;
    compare(t, w, 0, 3, false);
    w.strategy = LW_HIST_SHARED;
    compare(t, w, 0, 3, false);
    w = basic(LW_I32, LW_HIST_INTEGER, 100, 5000); /* an upper edge that belongs to the last bin, of integers */
    w.last_closed = 1;
    compare(t, w, 2, 0, false);
    w = basic(LW_I32, LW_HIST_INTEGER, 10000000, 500);
    if (t->cases > 100) compare(t, w, 2, 0, false); /* large: not under an emulator */
}

/* One bin takes more than a packed counter holds. */
static void overflow(test_state *t)
{
    lw_hist w = basic(LW_I32, LW_HIST_INTEGER, 16, t->cases > 100 ? 3000000 : 40000);
    w.strategy = LW_HIST_PACKED;
    compare(t, w, 1, 0, false);
    /* counters of 16, 8, 6, 5, 4 and 3 bits, in one and in several ranges; few bins, so that neighbours run over */
    static const int64_t bins[] = {100000, 200000, 262144, 300000, 400000, 550000, 1000000, 1500001};
    for (int i = 0; i < 8; i++) {
        w = basic(i & 1 ? LW_U32 : LW_I32, LW_HIST_INTEGER, bins[i], t->cases > 100 ? 3000000 : 12000);
        w.strategy = LW_HIST_PACKED;
        w.outside = i % 3;
        w.count_type = i & 2 ? LW_U64 : LW_U32;
        compare(t, w, 3, 1, false);
        if (i % 4 == 2 || t->cases > 100) compare(t, w, 2, 0, i == 2);
    }
    w = basic(LW_U8, LW_HIST_INTEGER, 200, t->cases > 100 ? 30000001 : 300001);
    w.strategy = LW_HIST_LANES;
    compare(t, w, 1, 3, false);
    w.strategy = LW_HIST_PAIRS;
    compare(t, w, 1, 3, false);
    compare(t, w, 2, 0, false);
}

/* More than 2^32 samples and counts above 2^24 and 2^32: only where the device has the memory, and not under an
 * emulator. */
static void one_large(test_state *t, int type, int strategy, int64_t bins, int64_t n)
{
    static const unsigned char value[3] = {3, 7, 9}; /* the first 13 samples, nearly all, the last 1000 */
    lw_hist w = basic(type, LW_HIST_INTEGER, bins, n);
    int size = lw_type_bytes(type);
    char *samples = NULL, *counts = NULL, *workspace = NULL;
    lw_plan *plan = NULL;
    size_t bytes = (size_t)n * (size_t)size, free_bytes = 0, all = 0;
    uint64_t got[3] = {0, 0, 0}, first = size == 4 ? 0x03030303 : 0;
    w.count_type = LW_U64;
    w.strategy = strategy;
    w.first = (int64_t)first;
    if (size == 4) { /* bins of 1000 values */
        w.binning = LW_HIST_EVEN;
        w.lo_int = (int64_t)first;
        w.hi_int = w.lo_int + bins * 1000;
    }
    lw_ops_status st = lw_hist_plan(t->ops, &w, &plan, NULL);
    test_check(t, st == LW_OPS_OK || too_small(st, strategy), "plan of %lld samples", (long long)n);
    cudaMemGetInfo(&free_bytes, &all);
    if (t->cases <= 100 || !plan || free_bytes < bytes + lw_plan_workspace(plan) + (1u << 30)) {
        t->skipped++;
        lw_plan_destroy(plan);
        return;
    }
    test_cuda(t, (int)cudaMalloc((void **)&samples, bytes), "samples");
    test_cuda(t, (int)cudaMalloc((void **)&counts, (size_t)bins * 8), "counts");
    test_cuda(t, (int)cudaMalloc((void **)&workspace, lw_plan_workspace(plan) + 256), "workspace");
    test_fill(t, samples, value[1], bytes);
    test_fill(t, samples, value[0], (size_t)(13 * size));
    test_fill(t, samples + (n - 1000) * size, value[2], (size_t)(1000 * size));
    test_cuda(t, (int)cudaDeviceSynchronize(), "fill");
    test_check(t, lw_hist_run(plan, counts, samples, NULL, workspace, t->stream) == LW_OPS_OK, "run");
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "run");
    for (int i = 0; i < 3; i++) {
        uint64_t bin = size == 4 ? (value[i] * (uint64_t)0x01010101 - first) / 1000 : value[i];
        test_cuda(t, (int)cudaMemcpy(&got[i], counts + bin * 8, 8, cudaMemcpyDeviceToHost), "count");
    }
    test_check(t, got[0] == 13 && got[1] == (uint64_t)n - 1013 && got[2] == 1000,
               "%lld samples, strategy %d: %llu %llu %llu", (long long)n, strategy, (unsigned long long)got[0],
               (unsigned long long)got[1], (unsigned long long)got[2]);
    cudaFree(samples);
    cudaFree(counts);
    cudaFree(workspace);
    lw_plan_destroy(plan);
}

static void large(test_state *t)
{
    static const int bytes[] = {LW_HIST_SHARED, LW_HIST_PACKED, LW_HIST_LANES, LW_HIST_PAIRS};
    for (int i = 0; i < 4; i++) one_large(t, LW_U8, bytes[i], 256, ((int64_t)1 << 32) + 4321);
    one_large(t, LW_U8, LW_HIST_AUTO, 256, ((int64_t)1 << 24) + 77);
    one_large(t, LW_I32, LW_HIST_PARTITION, 200000, ((int64_t)1 << 32) + 4321);
}

/* No rows of samples: a plan that counts nothing. */
static void no_rows(test_state *t)
{
    for (int strategy = 0; strategy < LW_HIST_STRATEGY_COUNT; strategy++) {
        if (strategy == LW_HIST_CLUSTER && !test_has_hopper(t)) continue;
        lw_hist w =
            basic(strategy == LW_HIST_LANES || strategy == LW_HIST_PAIRS ? LW_U8 : LW_I32, LW_HIST_INTEGER, 100, 5000);
        lw_plan *plan = NULL;
        w.strategy = strategy;
        w.rows = 0;
        lw_ops_status st = lw_hist_plan(t->ops, &w, &plan, NULL);
        test_check(t, st == LW_OPS_OK || too_small(st, strategy), "plan of no rows, strategy %d: %d", strategy, st);
        test_check(t, lw_plan_launches(plan) == (plan ? 1 : 0), "no rows: %d launches", lw_plan_launches(plan));
        lw_plan_destroy(plan);
    }
}

/* One call, with more bins than a partition would be chosen for. */
static void one_shot(test_state *t)
{
    static const int64_t bins[] = {100, 700000};
    for (int i = 0; i < 2; i++) {
        lw_hist w = basic(LW_I32, LW_HIST_INTEGER, bins[i], 5001);
        test_buffer samples = test_buffer_make(t, 5001 * 4, 0), counts = test_buffer_make(t, (size_t)bins[i] * 4, 0);
        lw_ops_error err;
        fill_samples(t, &w, test_host(&samples), 5001 * 4, NULL, 2);
        test_upload(t, &samples);
        test_upload(t, &counts);
        test_check(t,
                   lw_hist_count(t->ops, &w, test_device(&counts), test_device(&samples), NULL, t->stream, &err) ==
                       LW_OPS_OK,
                   "one-shot");
        lw_ref_hist(&w, test_host(&counts), test_host(&samples), NULL);
        test_same(t, &counts, "one-shot");
        w.strategy = LW_HIST_PARTITION;
        test_check(t,
                   lw_hist_count(t->ops, &w, test_device(&counts), test_device(&samples), NULL, t->stream, &err) ==
                       LW_OPS_UNSUPPORTED,
                   "one-shot partition");
        test_buffer_free(&samples);
        test_buffer_free(&counts);
    }
}

static void refusals(test_state *t)
{
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
    char text[1000];
    lw_hist_table(90, text, sizeof text);
    test_check(t, strstr(text, "shared") && strstr(text, "up to 16777218 entries: partition"), "table of 9.0");
}

typedef struct test_group {
    const char *name;
    void (*run)(test_state *);
} test_group;

/* usage: test_hist [group...] */
int main(int argc, char **argv)
{
    static const test_group groups[] = {
        {"types", types}, {"strategies", strategies}, {"partitions", partitions}, {"edges", edges},
        {"few", few},     {"traps", traps},           {"overflow", overflow},     {"one_shot", one_shot},
        {"large", large}, {"no_rows", no_rows},       {"refusals", refusals}};
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; a++) wanted = wanted || !strcmp(argv[a], groups[i].name);
        if (wanted) groups[i].run(&t);
    }
    return test_end(&t, "hist");
}
