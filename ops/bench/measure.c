/*
 * One row: see bench.h. The denominator is chosen first (every candidate three times), then op, denominator and peer take
 * turns. Times come from CUDA events around the call, or around a graph of 20 calls for small sizes.
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

static int denominator_call(void *context, int set, cudaStream_t stream) {
    const denominator *d = context;
    size_t at = (size_t)set * d->row->in_bytes;
    if (d->row->read_only) return bench_read(d->candidate, d->b->b, d->b->a, d->row->in_bytes, stream);
    size_t bytes = (size_t)(d->row->bytes / 2) & ~(size_t)15;
    if (d->candidate < bench_copies()) return bench_copy(d->candidate, d->b->b + at, d->b->a + at, bytes, stream);
    return (int)cudaMemcpyAsync(d->b->b + at, d->b->a + at, bytes, cudaMemcpyDeviceToDevice, stream);
}

static const char *denominator_name(const denominator *d) {
    if (d->row->read_only) return bench_read_name(d->candidate);
    return d->candidate < bench_copies() ? bench_copy_name(d->candidate) : "cudaMemcpyAsync";
}

int bench_sets(const bench_state *b, size_t in_bytes) {
    size_t want = (size_t)b->l2 * 4 / in_bytes + 1, most = b->size / in_bytes;
    if (want > most) want = most;
    return want < 1 ? 1 : want > 64 ? 64 : (int)want;
}

static int make_graph(bench_state *b, subject *s) {
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
static double time_once(bench_state *b, subject *s) {
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

static int by_value(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double quantile(double *v, int n, double q) {
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[(int)(q * (n - 1) + 0.5)];
}

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int bench_rounds(bench_state *b, const char *op) {
    if (b->filter && !strstr(op, b->filter)) return 0;
    return bench_limit_rounds(&b->limit, bench_now() - b->started, b->rounds < MAX_ROUNDS ? b->rounds : MAX_ROUNDS);
}

static void choose_denominator(bench_state *b, denominator *d, subject *s) {
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

void bench_measure(bench_state *b, const bench_row *row) {
    denominator d = { b, row, 0 };
    int sets = row->read_only ? 1 : bench_sets(b, row->in_bytes), rounds = bench_rounds(b, row->op);
    subject den = { denominator_call, &d, NULL, 0, sets }, op = { row->call, row->context, NULL, 0, sets };
    subject peer = { row->peer, row->context, NULL, 0, sets };
    double ratio[MAX_ROUNDS], t_op[MAX_ROUNDS], t_den[MAX_ROUNDS], peer_ratio[MAX_ROUNDS];
    if (!rounds) return;
    choose_denominator(b, &d, &den);
    if (row->bytes < (64 << 20) && (make_graph(b, &op) || make_graph(b, &den) || (row->peer && make_graph(b, &peer)))) {
        fprintf(stderr, "%s %s: no graph\n", row->op, row->what);
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (time_once(b, &op) < 0) return;
        time_once(b, &den);
        if (row->peer) time_once(b, &peer);
    }
    for (int i = 0; i < rounds; i++) {
        t_op[i] = time_once(b, &op);
        t_den[i] = time_once(b, &den);
        ratio[i] = t_den[i] / t_op[i];
        peer_ratio[i] = row->peer ? t_den[i] / time_once(b, &peer) : 0;
    }
    double low = quantile(ratio, rounds, 0.1), high = quantile(ratio, rounds, 0.9), mid = quantile(ratio, rounds, 0.5);
    double ms = quantile(t_op, rounds, 0.5), dms = quantile(t_den, rounds, 0.5), pr = quantile(peer_ratio, rounds, 0.5);
    fprintf(b->csv, "%s,%s,\"%s\",%.0f,%.5f,%.1f,%.4f,%.4f,%.4f,%s,%.5f,%s,%.4f\n", row->op, row->what, row->plan, row->bytes, ms,
            row->bytes / ms * 1e-6, mid, low, high, denominator_name(&d), dms, row->peer ? row->peer_name : "", pr);
    fflush(b->csv);
    printf("%-10s %-34s %8.1f GB/s  ratio %.3f (%.3f..%.3f)%s%s", row->op, row->what, row->bytes / ms * 1e-6, mid, low, high,
           row->peer ? "  " : "", row->peer ? row->peer_name : "");
    if (row->peer) printf(" %.3f", pr);
    printf("  [%s] vs %s%s\n", row->plan, denominator_name(&d), mid > 1.0 ? "  ABOVE 1: suspect" : "");
    if (op.graph) cudaGraphExecDestroy(op.graph);
    if (den.graph) cudaGraphExecDestroy(den.graph);
    if (peer.graph) cudaGraphExecDestroy(peer.graph);
}
