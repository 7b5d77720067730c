/*
 * One row: see bench.h. The denominator is chosen first (every candidate three times), then op, denominator and peer
 * take turns. Times come from CUDA events around the call, or around a graph of 20 calls for small sizes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench.h"

#define MAX_ROUNDS 64
#define GRAPH_CALLS 20

typedef struct subject {
    bench_call call;
    void *context;
    cudaGraphExec_t graph; /* NULL: direct calls */
    int next_set, sets;
} subject;

typedef struct denominator {
    bench_state *b;
    const bench_row *row;
    int candidate;
} denominator;

static int denominator_call(void *context, int set, cudaStream_t stream)
{
    const denominator *d = context;
    size_t at = (size_t)set * d->row->in_bytes;
    if (d->row->read_only) return bench_read(d->candidate, d->b->b, d->b->a, d->row->in_bytes, stream);
    size_t bytes = (size_t)(d->row->bytes / 2) & ~(size_t)15;
    if (d->candidate < bench_copies()) return bench_copy(d->candidate, d->b->b + at, d->b->a + at, bytes, stream);
    return (int)cudaMemcpyAsync(d->b->b + at, d->b->a + at, bytes, cudaMemcpyDeviceToDevice, stream);
}

static const char *denominator_name(const denominator *d)
{
    if (d->row->read_only) return bench_read_name(d->candidate);
    return d->candidate < bench_copies() ? bench_copy_name(d->candidate) : "cudaMemcpyAsync";
}

int bench_sets(const bench_state *b, size_t in_bytes)
{
    size_t want = (size_t)b->l2 * 4 / in_bytes + 1, most = b->size / in_bytes;
    if (want > most) want = most;
    return want < 1 ? 1 : want > 64 ? 64 : (int)want;
}

static int make_graph(bench_state *b, subject *s)
{
    cudaGraph_t g = NULL;
    int e = (int)cudaStreamBeginCapture(b->stream, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; !e && i < GRAPH_CALLS; i++) e = s->call(s->context, i % s->sets, b->stream);
    int end = (int)cudaStreamEndCapture(b->stream, &g);
    if (!e) e = end;
    if (!e) e = (int)cudaGraphInstantiate(&s->graph, g, 0);
    if (g) cudaGraphDestroy(g);
    return e;
}

/* Milliseconds of one call, negative on error. */
static double time_once(bench_state *b, subject *s)
{
    float ms = 0;
    int e = 0, calls = s->graph ? GRAPH_CALLS : 1;
    cudaEventRecord(b->start, b->stream);
    if (s->graph) e = (int)cudaGraphLaunch(s->graph, b->stream);
    else e = s->call(s->context, s->next_set++ % s->sets, b->stream);
    cudaEventRecord(b->stop, b->stream);
    if (!e) e = (int)cudaEventSynchronize(b->stop);
    if (!e) e = (int)cudaEventElapsedTime(&ms, b->start, b->stop);
    if (e) {
        fprintf(stderr, "error: %s\n", cudaGetErrorString((cudaError_t)e));
        return -1;
    }
    return ms / calls;
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double quantile(double *v, int n, double q)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[(int)(q * (n - 1) + 0.5)];
}

double bench_graph_time(bench_state *b, bench_call call, void *context)
{
    subject s = {call, context, NULL, 0, 1};
    double v[9];
    if (make_graph(b, &s)) return -1;
    for (int i = -2; i < 9; i++) v[i < 0 ? 0 : i] = time_once(b, &s);
    cudaGraphExecDestroy(s.graph);
    return quantile(v, 9, 0.5);
}

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int bench_rounds(bench_state *b, const char *op)
{
    if (b->filter && !strstr(op, b->filter)) return 0;
    return bench_limit_rounds(&b->limit, bench_now() - b->started, b->rounds < MAX_ROUNDS ? b->rounds : MAX_ROUNDS);
}

static void choose_denominator(bench_state *b, denominator *d, subject *s)
{
    double best = 1e30;
    int count = d->row->read_only ? bench_reads() : bench_copies() + 1, winner = 0;
    for (int i = 0; i < count; i++) {
        double v[4];
        d->candidate = i;
        for (int k = 0; k < 4; k++) v[k] = time_once(b, s);
        double m = quantile(v, 4, 0.34);
        if (m > 0 && m < best) {
            best = m;
            winner = i;
        }
    }
    d->candidate = winner;
}

/* The same in the state of the row: by graphs, the bytes in the cache. */
static void choose_cached(bench_state *b, denominator *d, subject *s)
{
    double best = 1e30;
    int count = d->row->read_only ? bench_reads() : bench_copies() + 1, winner = 0;
    for (int i = 0; i < count; i++) {
        double v[5];
        d->candidate = i;
        if (make_graph(b, s)) continue;
        for (int k = 0; k < 5; k++) v[k] = time_once(b, s);
        cudaGraphExecDestroy(s->graph);
        s->graph = NULL;
        double m = quantile(v, 5, 0.25);
        if (m > 0 && m < best) {
            best = m;
            winner = i;
        }
    }
    d->candidate = winner;
}

/* Everything that one row times. */
typedef struct contest {
    subject op, den, peer[BENCH_PEERS];
    const char *peer_name[BENCH_PEERS];
    int peers;
    double ratio[MAX_ROUNDS], t_op[MAX_ROUNDS], t_den[MAX_ROUNDS], peer_ratio[BENCH_PEERS][MAX_ROUNDS];
} contest;

static void add_peer(contest *c, const bench_row *row, bench_call call, const char *name, int sets)
{
    if (!call) return;
    c->peer[c->peers] = (subject){call, row->context, NULL, 0, sets};
    c->peer_name[c->peers++] = name;
}

static bool make_graphs(bench_state *b, contest *c)
{
    if (make_graph(b, &c->op) || make_graph(b, &c->den)) return false;
    for (int i = 0; i < c->peers; i++) {
        if (make_graph(b, &c->peer[i])) {
            fprintf(stderr, "%s: no graph\n", c->peer_name[i]);
            cudaGetLastError();
            c->peer[i] = c->peer[c->peers - 1];
            c->peer_name[i--] = c->peer_name[--c->peers];
        }
    }
    return true;
}

static void free_graphs(contest *c)
{
    if (c->op.graph) cudaGraphExecDestroy(c->op.graph);
    if (c->den.graph) cudaGraphExecDestroy(c->den.graph);
    for (int i = 0; i < c->peers; i++) {
        if (c->peer[i].graph) cudaGraphExecDestroy(c->peer[i].graph);
    }
}

/* All take turns. */
static bool race(bench_state *b, contest *c, int rounds)
{
    for (int i = -3; i < rounds; i++) {
        double op = time_once(b, &c->op), den = time_once(b, &c->den);
        if (op < 0 || den < 0) return false;
        int k = i < 0 ? 0 : i;
        c->t_op[k] = op;
        c->t_den[k] = den;
        c->ratio[k] = den / op;
        for (int p = 0; p < c->peers; p++) c->peer_ratio[p][k] = den / time_once(b, &c->peer[p]);
    }
    return true;
}

static void print_row(bench_state *b, const bench_row *row, contest *c, const char *limit, int rounds)
{
    double low = quantile(c->ratio, rounds, 0.1), high = quantile(c->ratio, rounds, 0.9);
    double mid = quantile(c->ratio, rounds, 0.5), ms = quantile(c->t_op, rounds, 0.5);
    double dms = quantile(c->t_den, rounds, 0.5), best = 0, rate = row->bytes / ms * 1e-6;
    const char *name = "";
    char all[200] = "";
    for (int p = 0; p < c->peers; p++) {
        double r = quantile(c->peer_ratio[p], rounds, 0.5);
        size_t at = strlen(all);
        snprintf(all + at, sizeof all - at, "%s%s %.4f", at ? "; " : "", c->peer_name[p], r);
        if (r > best) {
            best = r;
            name = c->peer_name[p];
        }
    }
    fprintf(b->csv, "%s,\"%s\",\"%s\",%.0f,%.5f,%.1f,%.4f,%.4f,%.4f,%s,%.5f,%s,%.4f,%s\n", row->op, row->what,
            row->plan, row->bytes, ms, rate, mid, low, high, limit, dms, name, best, all);
    fflush(b->csv);
    printf("%-10s %-34s %8.1f GB/s  ratio %.3f (%.3f..%.3f)%s%s  [%s] vs %s%s\n", row->op, row->what, rate, mid, low,
           high, c->peers ? "  " : "", all, row->plan, limit, mid > 1.0 ? "  ABOVE 1: suspect" : "");
}

void bench_measure(bench_state *b, const bench_row *row)
{
    denominator d = {b, row, 0};
    int sets = row->read_only || row->cached ? 1 : bench_sets(b, row->in_bytes), rounds = bench_rounds(b, row->op);
    contest c = {.op = {row->call, row->context, NULL, 0, sets}, .den = {denominator_call, &d, NULL, 0, sets}};
    if (!rounds) return;
    add_peer(&c, row, row->peer, row->peer_name, sets);
    for (int i = 0; i < BENCH_PEERS - 1; i++) add_peer(&c, row, row->more[i].call, row->more[i].name, sets);
    bool graphs = row->cached || row->bytes < (64 << 20);
    if (row->cached) choose_cached(b, &d, &c.den);
    else choose_denominator(b, &d, &c.den);
    if (graphs && !make_graphs(b, &c)) fprintf(stderr, "%s %s: no graph\n", row->op, row->what);
    else if (race(b, &c, rounds)) print_row(b, row, &c, denominator_name(&d), rounds);
    free_graphs(&c);
}
