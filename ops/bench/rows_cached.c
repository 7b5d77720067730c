/*
 * Rows of small calls. "cached": 256 KiB to 32 MiB of useful bytes, always the same buffers, so that all is in L2; op
 * and denominator by graph replay, the denominator chosen in the same state. "hostcall": what a planned call takes on
 * the host, beside bare launches of kernels that do nothing, with as many bytes of parameters. And, as comment lines,
 * what making a plan takes.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "convert/convert.h"
#include "copy/kernels.h"
#include "hist/hist.h"
#include "record/record.h"
#include "peers.h"

#define CALLS 64 /* of one timing: fewer than a stream's queue holds */
#define TRIES 41 /* an odd number */
#define PLAN_TRIES 9

typedef enum small_kind { SMALL_COPY, SMALL_HIST, SMALL_TO_SOA, SMALL_TO_AOS, SMALL_GATHER } small_kind;

typedef struct small_context {
    bench_state *b;
    lw_plan *plan;
    small_kind kind;
    int64_t bytes; /* of one side */
} small_context;

static int call_small(void *context, int set, cudaStream_t stream)
{
    const small_context *c = context;
    char *in = c->b->a, *out = c->b->b;
    void *fields[4];
    (void)set;
    for (int f = 0; f < 4; f++) fields[f] = (c->kind == SMALL_TO_SOA ? out : in) + f * (c->bytes / 4);
    switch (c->kind) {
    case SMALL_HIST: return (int)lw_hist_run(c->plan, out, in, NULL, out + ((size_t)1 << 30), stream);
    case SMALL_TO_SOA: return (int)lw_aos_to_soa(c->plan, fields, in, stream);
    case SMALL_TO_AOS: return (int)lw_soa_to_aos(c->plan, out, (const void *const *)fields, stream);
    case SMALL_GATHER: /* the index is behind the rows */
        return (int)lw_gather_rows(c->b->ops, out, 256, in, c->bytes / 256, 256, 256, in + c->bytes, 4, c->bytes / 256,
                                   LW_INDEX_WRAP, stream);
    default: return (int)lw_plan_run(c->plan, out, in, NULL, stream);
    }
}

/* ---- in the cache ---- */

static void cached(bench_state *b, const char *what, small_context *c)
{
    char chosen[128], name[96];
    if (!c->plan) return;
    lw_plan_describe(c->plan, chosen, sizeof chosen);
    snprintf(name, sizeof name, "%s %lld KiB", what,
             (long long)((c->kind == SMALL_HIST ? c->bytes : 2 * c->bytes) >> 10));
    bench_row row = {.op = "cached",
                     .what = name,
                     .plan = chosen,
                     .bytes = (double)c->bytes * 2,
                     .in_bytes = (size_t)c->bytes,
                     .call = call_small,
                     .context = c,
                     .peer_name = "",
                     .cached = true};
    if (c->kind == SMALL_HIST) {
        row.bytes = (double)c->bytes;
        row.read_only = true;
        bench_samples(b->a, c->bytes / 4, 1024, 0, b->stream);
    }
    bench_measure(b, &row);
    if (c->kind == SMALL_HIST) bench_fill(b->a, (size_t)c->bytes, 1, b->stream);
    lw_plan_destroy(c->plan);
}

static lw_plan *small_permute(bench_state *b, int64_t side)
{
    static const int perm[4] = {0, 3, 2, 1};
    const int64_t in[4] = {side / 16, 16, side / 16, 16}, out[4] = {in[0], in[3], in[2], in[1]};
    lw_tensor src = lw_tensor_dense(NULL, LW_F32, 0, 4, in), dst = lw_tensor_dense(NULL, LW_F32, 0, 4, out);
    lw_plan *plan = NULL;
    lw_permute_plan(b->ops, &dst, &src, perm, &plan, NULL);
    return plan;
}

static lw_plan *small_flip(bench_state *b, int64_t bytes, int elem)
{
    int64_t n = bytes / elem;
    lw_tensor t = lw_tensor_dense(NULL, LW_BYTES, elem, 1, &n);
    lw_plan *plan = NULL;
    lw_flip_plan(b->ops, &t, &t, 1, &plan, NULL);
    return plan;
}

static lw_plan *small_hist(bench_state *b, int64_t bytes, int64_t bins)
{
    lw_hist w = {.sample_type = LW_I32,
                 .binning = LW_HIST_INTEGER,
                 .count_type = LW_U32,
                 .bins = bins,
                 .rows = 1,
                 .row_samples = bytes / 4};
    lw_plan *plan = NULL;
    lw_hist_plan(b->ops, &w, &plan, NULL);
    return plan;
}

static lw_plan *small_record(bench_state *b, int64_t bytes)
{
    const lw_record l = {.fields = 4, .record_bytes = 16, .offset = {0, 4, 8, 12}, .size = {4, 4, 4, 4}};
    lw_plan *plan = NULL;
    lw_record_plan(b->ops, &l, bytes / 16, LW_PAD_KEEP, &plan, NULL);
    return plan;
}

static int call_empty(void *context, int set, cudaStream_t stream)
{
    (void)set;
    return bench_empty(*(const int *)context, stream);
}

/* What no kernel of a graph goes below. */
static void bound(bench_state *b)
{
    int bytes = (int)sizeof(lw_tile_params);
    if (b->limit.counting || (b->filter && !strstr("cached", b->filter))) return;
    double ms = bench_graph_time(b, call_empty, &bytes);
    fprintf(b->csv, "# cached: a kernel that does nothing takes %.2f us in the same graphs\n", ms * 1e3);
    printf("cached: a kernel that does nothing takes %.2f us in the same graphs\n", ms * 1e3);
}

void bench_rows_cached(bench_state *b)
{
    static const int elems[] = {4, 2, 1, 8};
    bound(b);
    for (int64_t bytes = 128 << 10; bytes <= 16 << 20; bytes *= bytes < 8 << 20 ? 4 : 2) {
        small_context c = {b, NULL, SMALL_COPY, bytes};
        for (int e = 0; e < 4; e++) {
            char what[40];
            int64_t rows = 256, cols = bytes / elems[e] / rows;
            while (cols > 2 * rows) rows *= 2, cols /= 2;
            snprintf(what, sizeof what, "transpose e%d", elems[e]);
            lw_transpose_plan(b->ops, 1, rows, cols, elems[e], 0, &c.plan, NULL);
            cached(b, what, &c);
        }
        int64_t side = 1;
        while (side * side * 4 < bytes) side *= 2;
        if (side * side * 4 == bytes || side * side * 2 == bytes) {
            c.plan = small_permute(b, side);
            c.bytes = side * side * 4;
            cached(b, "permute p0321 e4", &c);
            c.bytes = bytes;
        }
        c.plan = small_flip(b, bytes, 4);
        cached(b, "flip e4", &c);
        c.plan = small_flip(b, bytes, 1);
        cached(b, "flip e1", &c);
        for (c.kind = SMALL_TO_SOA; c.kind <= SMALL_TO_AOS; c.kind++) {
            c.plan = small_record(b, bytes);
            cached(b, c.kind == SMALL_TO_SOA ? "aos2soa 4 x 4 B" : "soa2aos 4 x 4 B", &c);
        }
        c.kind = SMALL_HIST;
        c.bytes = 2 * bytes;
        c.plan = small_hist(b, c.bytes, 1024);
        cached(b, "hist i32 bins 1024", &c);
    }
}

/* ---- on the host ---- */

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* Milliseconds of one call of CALLS in a row; call: NULL for bare launches. */
static double host_time(bench_state *b, small_context *c, int parameters, int launches)
{
    cudaStreamSynchronize(b->stream);
    double start = bench_now();
    for (int i = 0; i < CALLS; i++) {
        if (c) {
            call_small(c, 0, b->stream);
        } else {
            for (int k = 0; k < launches; k++) bench_empty(parameters, b->stream);
        }
    }
    double took = bench_now() - start;
    cudaStreamSynchronize(b->stream);
    return took * 1e3 / CALLS;
}

static void host_row(bench_state *b, const char *what, small_context *c, int parameters)
{
    double ours[TRIES], bare[TRIES], ratio[TRIES];
    char chosen[128] = "";
    if (!bench_rounds(b, "hostcall")) return;
    int launches = c->plan ? lw_plan_launches(c->plan) : 1;
    lw_plan_describe(c->plan, chosen, sizeof chosen);
    for (int i = -3; i < TRIES; i++) {
        int k = i < 0 ? 0 : i;
        ours[k] = host_time(b, c, 0, 0);
        bare[k] = host_time(b, NULL, parameters, launches);
        ratio[k] = bare[k] / ours[k];
    }
    qsort(ours, TRIES, sizeof *ours, by_value);
    qsort(bare, TRIES, sizeof *bare, by_value);
    qsort(ratio, TRIES, sizeof *ratio, by_value);
    fprintf(b->csv, "hostcall,%s,\"%s\",0,%.5f,0,%.4f,%.4f,%.4f,%d bare of %d bytes,%.5f,,0,\n", what, chosen,
            ours[TRIES / 2], ratio[TRIES / 2], ratio[TRIES / 10], ratio[TRIES - 1 - TRIES / 10], launches, parameters,
            bare[TRIES / 2]);
    fflush(b->csv);
    printf("hostcall   %-34s %8.2f us, %.2f us above %d bare launch%s of %d bytes\n", what, ours[TRIES / 2] * 1e3,
           (ours[TRIES / 2] - bare[TRIES / 2]) * 1e3, launches, launches > 1 ? "es" : "", parameters);
}

static int parameters_of(const lw_plan *plan)
{
    char chosen[128] = "";
    lw_plan_describe(plan, chosen, sizeof chosen);
    if (strstr(chosen, "gathered")) return (int)sizeof(lw_gather_params);
    if (strstr(chosen, "in registers")) return (int)sizeof(lw_direct_params);
    if (!strncmp(chosen, "box", 3)) return (int)sizeof(lw_box_params);
    if (!strncmp(chosen, "runs", 4)) return (int)sizeof(lw_runs_params);
    if (!strncmp(chosen, "rows", 4)) return (int)sizeof(lw_rows_params);
    return (int)sizeof(lw_tile_params);
}

static void host_plan(bench_state *b, const char *what, lw_plan *plan, small_kind kind, int parameters)
{
    small_context c = {b, plan, kind, 256 << 10};
    if (!plan) return;
    host_row(b, what, &c, parameters ? parameters : parameters_of(plan));
    lw_plan_destroy(plan);
}

/* ---- plans ---- */

typedef struct plan_times {
    double *us;
    int count;
    double most;
    char worst[160];
} plan_times;

static void add_time(plan_times *p, double us, const char *what)
{
    p->us[p->count++] = us;
    if (us <= p->most) return;
    p->most = us;
    snprintf(p->worst, sizeof p->worst, "%s", what);
}

static void plan_line(bench_state *b, const char *what, plan_times *p)
{
    if (!p->count) return;
    qsort(p->us, (size_t)p->count, sizeof *p->us, by_value);
    fprintf(b->csv, "# plans of %s: %d, median %.2f us, nine tenths below %.2f us, most %.2f us (%s)\n", what, p->count,
            p->us[p->count / 2], p->us[p->count * 9 / 10], p->most, p->worst);
    printf("plans of %s: %d, median %.2f us, most %.2f us (%s)\n", what, p->count, p->us[p->count / 2], p->most,
           p->worst);
    p->count = 0;
    p->most = 0;
}

/* Median of some tries, in microseconds. */
static double permute_plan_time(bench_state *b, int rank, const int64_t *in, const int *perm, int elem)
{
    int64_t out[8];
    double us[PLAN_TRIES];
    for (int i = 0; i < rank; i++) out[i] = in[perm[i]];
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(NULL, LW_BYTES, elem, rank, out);
    for (int k = 0; k < PLAN_TRIES; k++) {
        lw_plan *plan = NULL;
        double start = bench_now();
        lw_permute_plan(b->ops, &dst, &src, perm, &plan, NULL);
        us[k] = (bench_now() - start) * 1e6;
        lw_plan_destroy(plan);
    }
    qsort(us, PLAN_TRIES, sizeof *us, by_value);
    return us[PLAN_TRIES / 2];
}

static void plan_rows(bench_state *b, uint64_t seed, int shapes)
{
    static const int elems[] = {4, 8, 16, 4, 1, 2};
    plan_times p = {.us = calloc((size_t)shapes + 8, sizeof *p.us)};
    if (!p.us || b->limit.counting || (b->filter && !strstr("hostcall", b->filter))) {
        free(p.us);
        return;
    }
    for (int i = 0; i < shapes; i++) {
        int64_t in[8];
        int perm[8], elem = elems[i % 6], rank = bench_permute_shape(&seed, elem, in, perm);
        char what[160] = "";
        for (int k = 0; k < rank; k++)
            snprintf(what + strlen(what), sizeof what - strlen(what), k ? "x%lld" : "%lld", (long long)in[k]);
        snprintf(what + strlen(what), sizeof what - strlen(what), " p");
        for (int k = 0; k < rank; k++) snprintf(what + strlen(what), sizeof what - strlen(what), "%d", perm[k]);
        snprintf(what + strlen(what), sizeof what - strlen(what), " e%d", elem);
        add_time(&p, permute_plan_time(b, rank, in, perm, elem), what);
    }
    plan_line(b, "seeded permutations", &p);
    for (int kind = 0; kind < 5; kind++) {
        static const char *const names[] = {"transpose", "flip", "permute", "records", "histogram"};
        double us[PLAN_TRIES];
        for (int k = 0; k < PLAN_TRIES; k++) {
            lw_plan *plan = NULL;
            double start = bench_now();
            if (kind == 0) lw_transpose_plan(b->ops, 1, 8191, 8193, 4, 0, &plan, NULL);
            else if (kind == 1) plan = small_flip(b, 1 << 30, 4);
            else if (kind == 2) plan = small_permute(b, 4096);
            else if (kind == 3) plan = small_record(b, 1 << 30);
            else plan = small_hist(b, 1 << 30, 1000000);
            us[k] = (bench_now() - start) * 1e6;
            lw_plan_destroy(plan);
        }
        qsort(us, PLAN_TRIES, sizeof *us, by_value);
        add_time(&p, us[PLAN_TRIES / 2], names[kind]);
    }
    plan_line(b, "one of each op", &p);
    free(p.us);
}

void bench_rows_calls(bench_state *b, uint64_t seed, int shapes)
{
    lw_plan *plan = NULL;
    if (!b->filter || strstr("hostcall", b->filter)) {
        cudaMemsetAsync(b->a + (256 << 10), 0, 4096, b->stream); /* the rows' index */
        lw_transpose_plan(b->ops, 1, 256, 256, 4, 0, &plan, NULL);
        host_plan(b, "transpose 256x256 e4", plan, SMALL_COPY, 0);
        plan = NULL;
        lw_transpose_plan(b->ops, 1, 255, 257, 4, 0, &plan, NULL);
        host_plan(b, "transpose 255x257 e4", plan, SMALL_COPY, 0);
        host_plan(b, "flip 256 KiB e4", small_flip(b, 256 << 10, 4), SMALL_COPY, 0);
        host_plan(b, "permute 256 KiB p0321 e4", small_permute(b, 256), SMALL_COPY, 0);
        host_plan(b, "aos2soa 256 KiB 4 x 4 B", small_record(b, 256 << 10), SMALL_TO_SOA,
                  (int)sizeof(lw_record_direct_params));
        host_plan(b, "soa2aos 256 KiB 4 x 4 B", small_record(b, 256 << 10), SMALL_TO_AOS,
                  (int)sizeof(lw_record_direct_params));
        host_plan(b, "hist 256 KiB i32 bins 1024", small_hist(b, 256 << 10, 1024), SMALL_HIST,
                  (int)sizeof(lw_hist_params));
        small_context rows = {b, NULL, SMALL_GATHER, 256 << 10};
        host_row(b, "gather 1024 rows of 256 B", &rows, (int)sizeof(lw_index_params));
    }
    plan_rows(b, seed, shapes);
}
