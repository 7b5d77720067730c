/*
 * Histograms with channels, two and three dimensions, weights, and ranges from the device, against the CPU reference:
 * every sample type, sizes 0, 1, 31, 32, 33 and odd, rows and segments, constant data, NaN and infinite weights,
 * captured and replayed twice on changed data. Weights of the float sums are small multiples of 1/8, so that every
 * order gives the same bits; free weights are compared within the error of a sum.
 */
#include <math.h>
#include "harness.h"

typedef struct any_case {
    lw_plan *plan;
    void *sums;
    const void *samples, *weights, *edges;
    void *workspace;
} any_case;

static lw_ops_status run_case(void *context, cudaStream_t stream)
{
    any_case *c = context;
    if (!c->weights) return lw_hist_run(c->plan, c->sums, c->samples, c->edges, c->workspace, stream);
    return lw_hist_run_weighted(c->plan, c->sums, c->samples, c->weights, c->edges, c->workspace, stream);
}

static int channels_of(const lw_hist *w) { return w->channels ? w->channels : 1; }

static int counted_of(const lw_hist *w) { return w->counted ? w->counted : channels_of(w); }

static int64_t group_of(const lw_hist *w)
{
    int64_t n = w->bins;
    for (int d = 1; w->joint && d < counted_of(w); d++) n *= w->axis[d - 1].bins;
    return w->joint ? n : (n + (w->outside == LW_HIST_COUNT ? 2 : 0)) * counted_of(w);
}

/* Edges of all dimensions, one after the other; returns their number. */
static int64_t make_edges(const lw_hist *w, char *edges)
{
    int bytes = lw_type_bytes(lw_hist_edge_type(w->sample_type));
    int64_t n = 0;
    for (int d = 0; d < (w->joint ? counted_of(w) : 1); d++) {
        lw_hist one = *w;
        if (one.binning == LW_HIST_EDGES) one.binning = LW_HIST_EVEN;
        if (d) {
            one.bins = w->axis[d - 1].bins;
            one.first = w->axis[d - 1].first;
            one.lo_int = w->axis[d - 1].lo_int;
            one.hi_int = w->axis[d - 1].hi_int;
            one.lo = w->axis[d - 1].lo;
            one.hi = w->axis[d - 1].hi;
        }
        if (edges && lw_hist_edges(&one, edges + n * bytes) != LW_OPS_OK) return -1;
        n += one.bins + 1;
    }
    return n;
}

/* Values at and next to edges, and some random bits; style 1: all equal. */
static void fill_samples(test_state *t, const lw_hist *w, unsigned char *at, size_t bytes, const char *edges,
                         int64_t count, int style)
{
    int size = lw_type_bytes(w->sample_type), edge_type = lw_hist_edge_type(w->sample_type);
    for (size_t i = 0; i + (size_t)size <= bytes; i += (size_t)size) {
        uint64_t r = test_random(t, 0);
        int64_t pick = style == 1 ? count / 2 : (int64_t)test_random(t, (uint64_t)count);
        memcpy(at + i, &r, (size_t)size);
        if (style == 2 && r % 9 == 0) continue;
        if (w->sample_type == LW_F64) {
            memcpy(at + i, edges + 8 * pick, 8);
        } else if (w->sample_type == LW_F32 || w->sample_type == LW_BF16) {
            memcpy(at + i, edges + 4 * pick + 4 - size, (size_t)size);
        } else if (w->sample_type == LW_F16) {
            uint16_t h = (uint16_t)(0x3c00 + (style == 1 ? 5 : r % 0x2000));
            memcpy(at + i, &h, 2);
        } else if (edge_type != LW_F32) {
            uint64_t v;
            memcpy(&v, edges + 8 * pick, 8);
            v += style == 1 ? 0 : r % 3 - 1;
            memcpy(at + i, &v, (size_t)size);
        }
    }
}

/* exact: multiples of 1/8 up to 64; else any finite number, and a few that are none. */
static void fill_weights(test_state *t, const lw_hist *w, void *at, int64_t n, bool exact)
{
    for (int64_t i = 0; i < n; i++) {
        double v = ((double)test_random(t, 1025) - 512) / 8;
        if (!exact) v = ldexp((double)test_random(t, 1u << 30) - (1 << 29), (int)test_random(t, 20) - 40);
        if (!exact && w->deterministic && i % 50 == 7) v = i % 100 == 7 ? NAN : INFINITY;
        if (w->weight_type == LW_F64) ((double *)at)[i] = v;
        else ((float *)at)[i] = (float)v;
    }
}

typedef struct any_data {
    test_buffer samples, edges, weights, sums;
    size_t sample_bytes;
    int64_t values, edge_count;
    bool exact;
    int style;
} any_data;

static void refill(test_state *t, const lw_hist *w, any_data *d)
{
    fill_samples(t, w, test_host(&d->samples), d->sample_bytes, test_host(&d->edges), d->edge_count, d->style);
    if (w->weight_type) fill_weights(t, w, test_host(&d->weights), d->values, d->exact);
    test_upload(t, &d->samples);
    test_upload(t, &d->weights);
}

/* What the device should hold; `w` says EDGES where the edges in d are those of a range. */
static void reference(const lw_hist *w, any_data *d)
{
    if (w->weight_type) {
        lw_ref_hist_weighted(w, test_host(&d->sums), test_host(&d->samples), test_host(&d->weights),
                             test_host(&d->edges));
    } else {
        lw_ref_hist(w, test_host(&d->sums), test_host(&d->samples), test_host(&d->edges));
    }
}

/* Sums of free weights: within m * eps * (sum of |w|) of the reference in double, m samples at most. */
static void near_sums(test_state *t, const lw_hist *w, any_data *d, const char *what)
{
    int64_t n = group_of(w) * (w->segmented ? w->rows : 1), bad = 0;
    double *sum = calloc((size_t)n, 8), *all = calloc((size_t)n, 8), *wide = malloc((size_t)d->values * 8 + 8);
    unsigned char *got = malloc(d->sums.bytes + 8);
    if (!sum || !all || !wide || !got) exit(1);
    lw_hist exact = *w;
    exact.weight_type = exact.count_type = LW_F64;
    for (int abs = 0; abs < 2; abs++) {
        for (int64_t i = 0; i < d->values; i++) {
            double v = w->weight_type == LW_F64 ? ((double *)test_host(&d->weights))[i]
                                                : (double)((float *)test_host(&d->weights))[i];
            wide[i] = abs ? fabs(v) : v;
        }
        lw_ref_hist_weighted(&exact, abs ? all : sum, test_host(&d->samples), wide, test_host(&d->edges));
    }
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), what);
    test_cuda(t, (int)cudaMemcpy(got, test_device(&d->sums), d->sums.bytes, cudaMemcpyDeviceToHost), what);
    for (int64_t i = 0; i < n; i++) {
        double v = w->count_type == LW_F64 ? ((double *)got)[i] : (double)((float *)got)[i];
        double eps = w->count_type == LW_F64 ? 1e-15 : 1e-6;
        bad += !(fabs(v - sum[i]) <= eps * 64 * all[i]);
    }
    test_check(t, bad == 0, "%s: %lld sums are off", what, (long long)bad);
    free(sum);
    free(all);
    free(wide);
    free(got);
}

static void compare(test_state *t, lw_hist w, int style, bool exact, bool capture)
{
    char what[256], chosen[128];
    lw_ops_error err;
    any_data d;
    any_case c;
    int size = lw_type_bytes(w.sample_type) * channels_of(&w);
    int64_t group = group_of(&w) * (w.segmented ? w.rows : 1);
    d.style = style;
    d.exact = exact;
    d.values = w.rows * w.row_samples;
    d.edge_count = make_edges(&w, NULL);
    d.sample_bytes = (size_t)(w.rows ? (w.rows - 1) * w.row_pitch + w.row_samples * size : 0);
    d.edges = test_buffer_make(t, (size_t)(d.edge_count * lw_type_bytes(lw_hist_edge_type(w.sample_type))), 0);
    d.samples = test_buffer_make(t, d.sample_bytes, (size_t)lw_type_bytes(w.sample_type));
    d.weights = test_buffer_make(t, (size_t)(d.values * lw_type_bytes(w.weight_type)), 0);
    d.sums = test_buffer_make(t, (size_t)(group * lw_type_bytes(w.count_type)), 0);
    if (w.accumulate && w.count_type >= LW_F32) memset(test_host(&d.sums), 0, d.sums.bytes);
    test_check(t, make_edges(&w, test_host(&d.edges)) == d.edge_count, "edges");
    snprintf(what, sizeof what,
             "type %d binning %d bins %lld rows %lld x %lld channels %d/%d joint %d weight %d sums %d det %d style %d",
             w.sample_type, w.binning, (long long)w.bins, (long long)w.rows, (long long)w.row_samples, w.counted,
             w.channels, w.joint, w.weight_type, w.count_type, w.deterministic, style);
    memset(&c, 0, sizeof c);
    lw_ops_status st = lw_hist_plan(t->ops, &w, &c.plan, &err);
    test_check(t, st == LW_OPS_OK, "%s: %s", what, st == LW_OPS_OK ? "" : err.text);
    if (st == LW_OPS_OK) {
        lw_plan_describe(c.plan, chosen, sizeof chosen);
        snprintf(what + strlen(what), sizeof what - strlen(what), " [%s]", chosen);
        if (lw_plan_workspace(c.plan))
            test_cuda(t, (int)cudaMalloc(&c.workspace, lw_plan_workspace(c.plan)), "workspace");
        c.sums = test_device(&d.sums);
        c.samples = test_device(&d.samples);
        c.weights = w.weight_type ? test_device(&d.weights) : NULL;
        c.edges = test_device(&d.edges);
        test_upload(t, &d.edges);
        test_upload(t, &d.sums);
        refill(t, &w, &d);
        st = run_case(&c, t->stream);
        test_check(t, st == LW_OPS_OK, "%s: %s", what, lw_ops_status_text(st));
        if (w.weight_type && !exact && !w.deterministic) {
            near_sums(t, &w, &d, what);
        } else {
            reference(&w, &d);
            test_same(t, &d.sums, what);
        }
        test_graph g;
        if (capture && test_capture(t, &g, run_case, &c)) {
            for (int replay = 0; replay < 2; replay++) {
                refill(t, &w, &d);
                test_replay(t, &g);
                reference(&w, &d);
                test_same(t, &d.sums, what);
            }
            test_graph_free(&g);
        }
        cudaFree(c.workspace);
    }
    lw_plan_destroy(c.plan);
    test_buffer_free(&d.samples);
    test_buffer_free(&d.edges);
    test_buffer_free(&d.weights);
    test_buffer_free(&d.sums);
}

static lw_hist basic(int type, int binning, int64_t bins, int64_t samples)
{
    lw_hist w = test_hist_of(type, binning, bins, samples);
    w.hi = 97;
    w.lo_int = w.first = 5;
    w.hi_int = 120;
    for (int d = 0; d < 2; d++) w.axis[d] = (lw_hist_axis){7 + 4 * d, 20, 20, 90, -3.5, 60};
    return w;
}

static const int64_t sizes[] = {0, 1, 31, 32, 33, 1003, 9001};

static void channels(test_state *t)
{
    for (int type = LW_U8; type <= LW_F64; type++) {
        for (int i = 0; i < 7; i++) {
            int integer = type < LW_F16 && i % 3 == 0;
            lw_hist w = basic(type, integer ? LW_HIST_INTEGER : 1 + i % 2, 40, sizes[i]);
            w.channels = 2 + i % 3;
            w.counted = i % 2 ? w.channels - 1 : 0;
            w.outside = i % 3;
            w.last_closed = i & 1;
            w.nan_above = i >> 1 & 1;
            w.count_type = i % 2 ? LW_U64 : LW_U32;
            w.strategy = i % 3 == 1 ? LW_HIST_GLOBAL : LW_HIST_AUTO;
            compare(t, w, i == 6 ? 1 : 2, true, i == 5);
        }
    }
    lw_hist w = basic(LW_U8, LW_HIST_INTEGER, 256, 1001); /* an image of three of four channels, rows with a pitch */
    w.first = 0;
    w.rows = 7;
    w.channels = 4;
    w.counted = 3;
    w.row_pitch = 4100;
    compare(t, w, 2, true, false);
    w.segmented = 1;
    compare(t, w, 2, true, false);
    w = basic(LW_F32, LW_HIST_EVEN, 40000, 3000); /* too many counters for shared memory */
    w.channels = 2;
    compare(t, w, 2, true, false);
}

static void joints(test_state *t)
{
    for (int type = LW_U8; type <= LW_F64; type++) {
        for (int i = 0; i < 7; i++) {
            lw_hist w = basic(type, type < LW_F16 && i % 3 == 0 ? LW_HIST_INTEGER : 1 + i % 2, 13, sizes[i]);
            w.joint = 1;
            w.channels = 3;
            w.counted = 2 + i % 2;
            w.outside = i % 2 ? LW_HIST_CLAMP : LW_HIST_DROP;
            w.last_closed = i & 1;
            w.nan_above = i >> 1 & 1;
            compare(t, w, i == 6 ? 1 : 2, true, i == 5);
        }
    }
    lw_hist w = basic(LW_F32, LW_HIST_EVEN, 300, 5000);
    w.joint = 1;
    w.channels = 2;
    w.axis[0].bins = 400;
    compare(t, w, 2, true, false);
}

static void weights(test_state *t)
{
    for (int type = LW_U8; type <= LW_F64; type++) {
        for (int i = 0; i < 14; i++) {
            lw_hist w = basic(type, type < LW_F16 && i % 3 == 0 ? LW_HIST_INTEGER : 1 + i % 2, 90, sizes[i % 7]);
            w.weight_type = i % 3 ? LW_F32 : LW_F64;
            w.count_type = w.weight_type == LW_F32 && i % 2 ? LW_F32 : LW_F64;
            w.deterministic = i >= 7;
            w.accumulate = i == 4 || i == 11;
            w.strategy = i % 4 == 1 ? LW_HIST_GLOBAL : LW_HIST_AUTO;
            w.weight_limit = i == 9 ? 3 : 0;
            w.outside = i % 3;
            compare(t, w, i % 7 == 6 ? 1 : 2, i < 7, i == 5 || i == 12);
            if (!w.deterministic && !w.accumulate) compare(t, w, 2, false, false);
        }
    }
    lw_hist w = basic(LW_I32, LW_HIST_INTEGER, 100, 777); /* rows, segments, channels and dimensions with weights */
    w.weight_type = LW_F32;
    w.count_type = LW_F32;
    w.rows = 5;
    w.channels = 2;
    w.row_pitch = 777 * 8;
    for (int i = 0; i < 4; i++) {
        w.deterministic = i & 1;
        w.segmented = i >> 1;
        compare(t, w, 2, true, false);
        w.joint = 1;
        compare(t, w, 2, true, false);
        w.joint = 0;
    }
}

/* The order of the samples must not matter to deterministic sums: the same ones reversed, with other blocks. */
static void same_bits(test_state *t)
{
    int64_t n = t->cases > 100 ? 3000001 : 20011;
    lw_hist w = basic(LW_I32, LW_HIST_INTEGER, 50, n);
    w.weight_type = LW_F32;
    w.count_type = LW_F32;
    w.deterministic = 1;
    w.first = 0;
    test_buffer s[2], x[2], sums = test_buffer_make(t, 200, 0);
    void *workspace = NULL;
    lw_plan *plan[2] = {NULL, NULL};
    for (int k = 0; k < 2; k++) {
        s[k] = test_buffer_make(t, (size_t)n * 4, 0);
        x[k] = test_buffer_make(t, (size_t)n * 4, 0);
        w.strategy = k ? LW_HIST_GLOBAL : LW_HIST_SHARED;
        test_check(t, lw_hist_plan(t->ops, &w, &plan[k], NULL) == LW_OPS_OK, "plan");
    }
    for (int64_t i = 0; i < n; i++) {
        ((int32_t *)test_host(&s[0]))[i] = ((int32_t *)test_host(&s[1]))[n - 1 - i] = (int32_t)test_random(t, 50);
        float v = (float)ldexp((double)test_random(t, 1 << 24), (int)test_random(t, 30) - 30);
        ((float *)test_host(&x[0]))[i] = ((float *)test_host(&x[1]))[n - 1 - i] = v;
    }
    test_cuda(t, (int)cudaMalloc(&workspace, lw_plan_workspace(plan[0])), "workspace");
    test_upload(t, &sums);
    for (int k = 0; k < 2; k++) {
        test_upload(t, &s[k]);
        test_upload(t, &x[k]);
        test_check(t,
                   lw_hist_run_weighted(plan[k], test_device(&sums), test_device(&s[k]), test_device(&x[k]), NULL,
                                        workspace, t->stream) == LW_OPS_OK,
                   "run");
        test_cuda(t, (int)cudaStreamSynchronize(t->stream), "run");
        if (k == 0)
            test_cuda(t, (int)cudaMemcpy(test_host(&sums), test_device(&sums), 200, cudaMemcpyDeviceToHost),
                      "download");
        test_same(t, &sums, "deterministic sums of reversed samples");
    }
    cudaFree(workspace);
    for (int k = 0; k < 2; k++) {
        lw_plan_destroy(plan[k]);
        test_buffer_free(&s[k]);
        test_buffer_free(&x[k]);
    }
    test_buffer_free(&sums);
}

/* ---- ranges ---- */

/* Least and greatest finite sample, as the edge type; the documented rule where they do not make a range. */
static void find_range(const lw_hist *w, const void *samples, int64_t n, lw_hist *levels)
{
    int some = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = 0;
        int64_t v = 0;
        uint64_t u = 0;
        switch (w->sample_type) {
        case LW_U8: v = ((const uint8_t *)samples)[i]; break;
        case LW_I16: v = ((const int16_t *)samples)[i]; break;
        case LW_I32: v = ((const int32_t *)samples)[i]; break;
        case LW_U64: u = ((const uint64_t *)samples)[i]; break;
        case LW_F32: x = ((const float *)samples)[i]; break;
        default: x = ((const double *)samples)[i]; break;
        }
        if (!isfinite(x)) continue;
        if (w->sample_type == LW_U64) {
            if (!some || u < (uint64_t)levels->lo_int) levels->lo_int = (int64_t)u;
            if (!some || u > (uint64_t)levels->hi_int) levels->hi_int = (int64_t)u;
        } else {
            if (!some || v < levels->lo_int) levels->lo_int = v;
            if (!some || v > levels->hi_int) levels->hi_int = v;
        }
        if (!some || x < levels->lo) levels->lo = x;
        if (!some || x > levels->hi) levels->hi = x;
        some = 1;
    }
    if (!some) {
        levels->lo = 0;
        levels->hi = 1;
        levels->lo_int = 0;
        levels->hi_int = 1;
    } else if (levels->lo == levels->hi) {
        bool narrow = w->sample_type == LW_F32;
        double x = levels->lo;
        levels->lo =
            narrow ? fminf((float)x - 0.5f, nextafterf((float)x, -INFINITY)) : fmin(x - 0.5, nextafter(x, -INFINITY));
        levels->hi =
            narrow ? fmaxf((float)x + 0.5f, nextafterf((float)x, INFINITY)) : fmax(x + 0.5, nextafter(x, INFINITY));
    }
    if (levels->lo_int == levels->hi_int) levels->hi_int++;
}

static void one_range(test_state *t, int type, int64_t bins, int64_t n, int style, int source)
{
    char what[96];
    lw_hist w = basic(type, LW_HIST_EVEN, bins, n), levels;
    int size = lw_type_bytes(type), edge_type = lw_hist_edge_type(type), edge_bytes = lw_type_bytes(edge_type);
    lw_plan *plan = NULL;
    void *workspace = NULL;
    w.last_closed = 1;
    test_buffer samples = test_buffer_make(t, (size_t)(n * size), 0), counts = test_buffer_make(t, (size_t)bins * 4, 0);
    test_buffer edges = test_buffer_make(t, (size_t)((bins + 1) * edge_bytes), 0), given = test_buffer_make(t, 16, 0);
    lw_hist_edges(&w, test_host(&edges));
    fill_samples(t, &w, test_host(&samples), (size_t)(n * size), test_host(&edges), bins + 1, style);
    for (int64_t i = 0; i < n; i++) { /* no range that overflows: lw_hist_edges() refuses it */
        float *f = (float *)test_host(&samples) + i;
        double *d = (double *)test_host(&samples) + i;
        if (type == LW_F32 && fabsf(*f) > 1e30f && isfinite(*f)) *f *= 1e-20f;
        if (type == LW_F64 && fabs(*d) > 1e290 && isfinite(*d)) *d *= 1e-200;
    }
    levels = w;
    if (source == LW_HIST_RANGE_FOUND) find_range(&w, test_host(&samples), n, &levels);
    test_check(t, lw_hist_edges(&levels, test_host(&edges)) == LW_OPS_OK, "edges");
    memcpy(test_host(&given), test_host(&edges), (size_t)edge_bytes);
    memcpy((char *)test_host(&given) + edge_bytes, (char *)test_host(&edges) + bins * edge_bytes, (size_t)edge_bytes);
    w.range = source;
    w.lo = w.hi = 0; /* not looked at */
    snprintf(what, sizeof what, "range %d type %d bins %lld samples %lld style %d", source, type, (long long)bins,
             (long long)n, style);
    test_check(t, lw_hist_plan(t->ops, &w, &plan, NULL) == LW_OPS_OK, "%s: plan", what);
    test_cuda(t, (int)cudaMalloc(&workspace, lw_plan_workspace(plan)), "workspace");
    test_upload(t, &samples);
    test_upload(t, &counts);
    test_upload(t, &given);
    any_case c = {plan,
                  test_device(&counts),
                  test_device(&samples),
                  NULL,
                  source == LW_HIST_RANGE_DEVICE ? test_device(&given) : NULL,
                  workspace};
    test_graph g;
    levels.binning = LW_HIST_EDGES;
    test_check(t, run_case(&c, t->stream) == LW_OPS_OK, "%s: run", what);
    lw_ref_hist(&levels, test_host(&counts), test_host(&samples), test_host(&edges));
    test_same(t, &counts, what);
    unsigned char used[16];
    test_cuda(t, (int)cudaMemcpy(used, workspace, (size_t)(2 * edge_bytes), cudaMemcpyDeviceToHost), what);
    test_check(t, !memcmp(used, test_host(&given), (size_t)(2 * edge_bytes)), "%s: the range it tells", what);
    if (test_capture(t, &g, run_case, &c)) { /* the same counts again */
        test_replay(t, &g);
        test_same(t, &counts, what);
        test_graph_free(&g);
    }
    cudaFree(workspace);
    lw_plan_destroy(plan);
    test_buffer_free(&samples);
    test_buffer_free(&counts);
    test_buffer_free(&edges);
    test_buffer_free(&given);
}

static void ranges(test_state *t)
{
    static const int types[] = {LW_U8, LW_I16, LW_I32, LW_U64, LW_F32, LW_F64};
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 7; i++) {
            for (int source = LW_HIST_RANGE_DEVICE; source <= LW_HIST_RANGE_FOUND; source++) {
                one_range(t, types[k], i == 5 ? 3000 : 17, sizes[i], i == 4 ? 1 : i == 6 && k < 4 ? 0 : 2, source);
            }
        }
    }
}

static void refusals(test_state *t)
{
    lw_plan *plan = NULL;
    lw_ops_error err;
    lw_hist w = basic(LW_U8, LW_HIST_INTEGER, 10, 10);
    w.channels = 5;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_ARGUMENT, "five channels");
    w.channels = 2;
    w.counted = 3;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_ARGUMENT, "three of two channels");
    w.counted = 0;
    w.joint = 1;
    w.outside = LW_HIST_COUNT;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_ARGUMENT, "joint counts of the outside");
    w.outside = LW_HIST_DROP;
    w.axis[0].bins = 1 << 22;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_ARGUMENT, "too many joint bins");
    w = basic(LW_F32, LW_HIST_EVEN, 10, 10);
    w.weight_type = LW_F64;
    w.count_type = LW_F32;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_BAD_TYPE, "f32 sums of f64 weights");
    w.count_type = LW_F64;
    w.strategy = LW_HIST_PACKED;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_UNSUPPORTED, "packed weights");
    w.strategy = LW_HIST_AUTO;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_OK, "f64 weights");
    char sums[80], samples[64];
    test_check(t, lw_hist_run(plan, sums, samples, NULL, NULL, t->stream) == LW_OPS_BAD_ARGUMENT,
               "weights are missing");
    lw_plan_destroy(plan);
    w.range = LW_HIST_RANGE_FOUND;
    w.binning = LW_HIST_EDGES;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, &err) == LW_OPS_UNSUPPORTED && !plan, "the range of edges");
}

int main(void)
{
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    channels(&t);
    joints(&t);
    weights(&t);
    same_bits(&t);
    ranges(&t);
    refusals(&t);
    return test_end(&t, "hist_any");
}
