/*
 * Rows of the histogram: 4-byte samples over bins and distributions with every strategy that fits, bytes, 16-bit, real
 * samples with even levels and edges. The denominator is the best plain read of the samples. CUB's DeviceHistogram is
 * the peer (peers.cu).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "peers.h"

#define SAMPLES ((int64_t)1 << 28)

typedef struct hist_context {
    bench_state *b;
    lw_plan *plan;
    const void *edges, *weights;
    int64_t bins, samples;
    int type;
} hist_context;

static int call_hist(void *context, int set, cudaStream_t stream)
{
    const hist_context *c = context;
    (void)set;
    /* counts at the start of b, the workspace 1 GiB further on, CUB's in its second half */
    return (int)lw_hist_run_weighted(c->plan, c->b->b, c->b->a, c->weights, c->edges, c->b->b + ((size_t)1 << 30),
                                     stream);
}

static int call_cub(void *context, int set, cudaStream_t stream)
{
    const hist_context *c = context;
    (void)set;
    size_t half = c->b->size / 2; /* the edges stand in the last MiB */
    return peer_cub_hist(c->type, c->b->b + half, half - (1 << 20), c->b->a, c->b->b, c->edges, (int)c->bins, 0,
                         c->type == LW_I32 ? (double)c->bins : 1, c->samples, stream);
}

static const char *const style_names[] = {"uniform", "constant", "skewed", "sorted"};

static void hist_row(bench_state *b, const char *op, lw_hist w, const char *label, const void *edges, bool peer)
{
    char what[96], chosen[128];
    hist_context c = {b, NULL, edges, NULL, w.bins, w.row_samples, w.sample_type};
    if (lw_hist_plan(b->ops, &w, &c.plan, NULL) != LW_OPS_OK) return;
    lw_plan_describe(c.plan, chosen, sizeof chosen);
    snprintf(what, sizeof what, "%s bins %lld", label, (long long)w.bins);
    size_t bytes = (size_t)(w.row_samples * lw_type_bytes(w.sample_type) * (w.channels ? w.channels : 1));
    if (w.weight_type) { /* the weights lie behind the samples */
        c.weights = b->a + bytes;
        bytes += (size_t)(w.row_samples * lw_type_bytes(w.weight_type));
    }
    bench_row row = {.op = op,
                     .what = what,
                     .plan = chosen,
                     .bytes = (double)bytes,
                     .in_bytes = bytes,
                     .read_only = true,
                     .call = call_hist,
                     .peer = peer ? call_cub : NULL,
                     .context = &c,
                     .peer_name = "CUB"};
    bench_measure(b, &row);
    lw_plan_destroy(c.plan);
}

static lw_hist basic(int type, int binning, int64_t bins, int64_t samples)
{
    lw_hist w;
    memset(&w, 0, sizeof w);
    w.sample_type = type;
    w.binning = binning;
    w.bins = bins;
    w.count_type = LW_U32;
    w.rows = 1;
    w.row_samples = samples;
    w.hi_int = bins;
    w.hi = 1;
    return w;
}

static void integers(bench_state *b)
{
    static const int64_t bins[] = {64,     256,    1024,   4096,   16384,  32768,  57000,   65536,
                                   100000, 114000, 131072, 200000, 262144, 524288, 1048576, 4194304};
    static const int strategies[] = {LW_HIST_AUTO, LW_HIST_SHARED, LW_HIST_PACKED, LW_HIST_GLOBAL, LW_HIST_PARTITION};
    char label[64];
    for (int style = 0; style < 4; style++) {
        for (int i = 0; i < 16; i++) {
            if (style && i % 2 == 0 && i != 8 && i != 12) continue;
            bench_samples(b->a, SAMPLES, (uint32_t)bins[i], style, b->stream);
            for (int s = 0; s < 5; s++) {
                if (s == 4 && bins[i] < 100000) continue;
                if ((s == 3 && (bins[i] < 131072 || style == 1)) || (s == 2 && bins[i] < 4096) ||
                    (s == 1 && bins[i] < 65536) || (s && s < 4 && bins[i] > 2000000))
                    continue;
                lw_hist w = basic(LW_I32, LW_HIST_INTEGER, bins[i], SAMPLES);
                w.strategy = strategies[s];
                snprintf(label, sizeof label, "i32 %s s%d", style_names[style], strategies[s]);
                hist_row(b, "hist", w, label, NULL, s == 0 && style < 2 && bins[i] <= 524288);
            }
        }
    }
}

enum { EDGES_REGULAR, EDGES_LOG, EDGES_SQUARES, EDGES_CLUSTERED, EDGES_SHAPES };
static const char *const shape_names[] = {"regular", "logarithmic", "quantile", "adversarial"};

/* Edges over 0..1; quantile: as of samples whose density grows; adversarial: all but a few inside one thousandth. */
static void *make_edges(bench_state *b, const lw_hist *w, int shape)
{
    void *host = malloc((size_t)(w->bins + 1) * 8), *device = b->b + b->size - (1 << 20);
    if (!host) return NULL;
    lw_hist_edges(w, host);
    for (int64_t i = 0; shape != EDGES_REGULAR && i <= w->bins; i++) {
        double x = (double)i / (double)w->bins;
        double v = shape == EDGES_LOG       ? (i ? pow(2, 20 * (x - 1)) : 0)
                   : shape == EDGES_SQUARES ? sqrt(x)
                   : x < 0.99               ? 0.5 + x * 1e-3
                                            : x;
        if (shape == EDGES_CLUSTERED && i == 0) v = 0;
        if (w->sample_type == LW_F64) ((double *)host)[i] = v;
        else ((float *)host)[i] = (float)v;
    }
    cudaMemcpy(device, host, (size_t)(w->bins + 1) * (size_t)lw_type_bytes(w->sample_type), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    free(host);
    return device;
}

static void reals(bench_state *b)
{
    static const int64_t bins[] = {64, 1000, 4096, 32768};
    char label[64];
    for (int type = LW_F32; type <= LW_F64; type++) {
        const char *name = type == LW_F64 ? "f64" : "f32";
        int64_t n = ((int64_t)1 << 30) / lw_type_bytes(type);
        bench_samples_real(b->a, n, type == LW_F64, b->stream);
        for (int i = 0; i < 4; i++) {
            lw_hist w = basic(type, LW_HIST_EVEN, bins[i], n), e = w;
            snprintf(label, sizeof label, "%s uniform", name);
            hist_row(b, "histeven", w, label, NULL, true);
            e.binning = LW_HIST_EDGES;
            for (int shape = 0; shape < EDGES_SHAPES && bins[i] <= 4096; shape++) {
                snprintf(label, sizeof label, "%s %s edges", name, shape_names[shape]);
                hist_row(b, "histedges", e, label, make_edges(b, &w, shape), true);
            }
        }
        lw_hist w = basic(type, LW_HIST_EVEN, 1000, n);
        w.range = LW_HIST_RANGE_FOUND;
        w.last_closed = 1;
        snprintf(label, sizeof label, "%s range found", name);
        hist_row(b, "histrange", w, label, NULL, false);
    }
}

/* Weights behind the samples; channels; two dimensions. */
static void general(bench_state *b)
{
    static const int64_t bins[] = {256, 4096, 20000};
    char label[64];
    bench_samples_real(b->a + ((size_t)1 << 30), SAMPLES, 0, b->stream);
    for (int style = 0; style < 2; style++) {
        for (int i = 0; i < 3; i++) {
            bench_samples(b->a, SAMPLES, (uint32_t)bins[i], style, b->stream);
            for (int fixed = 0; fixed < 3; fixed++) {
                lw_hist w = basic(LW_I32, LW_HIST_INTEGER, bins[i], SAMPLES);
                w.weight_type = w.count_type = LW_F32;
                w.deterministic = fixed > 0;
                w.weight_limit = fixed == 2 ? 1 : 0;
                snprintf(label, sizeof label, "i32 %s f32 weights%s", style_names[style],
                         fixed == 2 ? " determ. limit"
                         : fixed    ? " deterministic"
                                    : "");
                hist_row(b, "histweights", w, label, NULL, false);
            }
        }
    }
    bench_fill(b->a, (size_t)1 << 30, 7, b->stream);
    lw_hist w = basic(LW_U8, LW_HIST_INTEGER, 256, SAMPLES);
    w.channels = 4;
    w.counted = 3;
    hist_row(b, "histchannels", w, "u8 3 of 4 channels", NULL, false);
    w = basic(LW_F32, LW_HIST_EVEN, 128, SAMPLES / 2);
    bench_samples_real(b->a, SAMPLES, 0, b->stream);
    w.channels = 2;
    w.joint = 1;
    w.axis[0] = (lw_hist_axis){128, 0, 0, 0, 0, 1};
    hist_row(b, "histjoint", w, "f32 128 x 128", NULL, false);
}

static void other_types(bench_state *b)
{
    char label[64];
    for (int style = 0; style < 4; style++) {
        bench_samples_bytes(b->a, (int64_t)1 << 30, style, b->stream);
        for (int s = 0; s < 3; s++) {
            lw_hist w = basic(LW_U8, LW_HIST_INTEGER, 256, (int64_t)1 << 30);
            w.strategy = s == 2 ? LW_HIST_SHARED : s ? LW_HIST_PAIRS : LW_HIST_AUTO;
            snprintf(label, sizeof label, "u8 %s s%d", style_names[style], w.strategy);
            hist_row(b, "hist8", w, label, NULL, s == 0);
        }
    }
    bench_fill(b->a, (size_t)1 << 30, 7, b->stream);
    for (int s = LW_HIST_SHARED; s <= LW_HIST_PACKED; s++) {
        lw_hist w = basic(LW_U16, LW_HIST_INTEGER, 65536, (int64_t)1 << 29);
        w.strategy = s;
        snprintf(label, sizeof label, "u16 uniform s%d", s);
        hist_row(b, "hist16", w, label, NULL, false);
    }
    reals(b);
    bench_fill(b->a, (size_t)1 << 30, 7, b->stream);
    lw_hist w = basic(LW_I32, LW_HIST_EVEN, 1000, SAMPLES);
    w.lo_int = INT32_MIN;
    w.hi_int = INT32_MAX;
    hist_row(b, "histeven", w, "i32 full range", NULL, false);
    w = basic(LW_I64, LW_HIST_EVEN, 1000, SAMPLES / 2);
    w.lo_int = INT64_MIN;
    w.hi_int = INT64_MAX;
    hist_row(b, "histeven", w, "i64 full range", NULL, false);
}

void bench_rows_hist(bench_state *b)
{
    integers(b);
    other_types(b);
    general(b);
}
