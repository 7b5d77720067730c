/*
 * What ops.h promises of every op alike: the caller's last error is neither read nor cleared; a captured call replays
 * on changed data; one handle and one plan serve many threads with workspaces of their own; plans are made on the host
 * alone, in microseconds; what cannot run is refused with a status.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include "harness.h"

#define N 4096 /* elements of 4 bytes, as 64 x 64 */
#define PLANS 9
#define CALLS (PLANS + 6)
#define THREADS 6
#define PLAN_MICROSECONDS 20

/* Every kind of plan and every call without one, on the same buffers. */
typedef struct contract {
    test_state *t;
    lw_plan *plan[PLANS];
    const char *name[CALLS];
    test_buffer in, out, index, counts;
    void *workspace;
    int which;
} contract;

enum { COPY, PERMUTE, FLIP, FLIP_IN_PLACE, IN_PLACE, CONVERT, PAD, RECORD, HIST, TO_AOS, GATHER, SCATTER, ONE_COPY,
       ONE_PERMUTE, ONE_HIST };

static lw_tensor square(void *data) {
    const int64_t side[2] = { 64, 64 };
    return lw_tensor_dense(data, LW_F32, 0, 2, side);
}

static lw_hist levels(void) {
    lw_hist w;
    memset(&w, 0, sizeof w);
    w.sample_type = LW_U8;
    w.count_type = LW_U32;
    w.bins = 256;
    w.rows = 1;
    w.row_samples = 4 * N;
    return w;
}

static lw_ops_status make_plan(const lw_ops *ops, int which, lw_plan **plan, lw_ops_error *err) {
    static const int turned[2] = { 1, 0 };
    const int64_t n = N, inner[2] = { 60, 60 }, before[2] = { 2, 2 };
    const float value = 1;
    const lw_record layout = { .fields = 2, .record_bytes = 8, .offset = { 0, 4 }, .size = { 4, 4 } };
    lw_tensor a = square(NULL), line = lw_tensor_dense(NULL, LW_F32, 0, 1, &n), half = a;
    lw_hist w = levels();
    half = lw_tensor_dense(NULL, LW_BF16, 0, 2, a.extent);
    lw_tensor small = lw_tensor_dense(NULL, LW_F32, 0, 2, inner);
    switch (which) {
    case COPY: return lw_copy_plan(ops, &a, &a, plan, err);
    case PERMUTE: return lw_permute_plan(ops, &a, &a, turned, plan, err);
    case FLIP: return lw_flip_plan(ops, &line, &line, 1, plan, err);
    case FLIP_IN_PLACE: return lw_flip_inplace_plan(ops, &line, 1, plan, err);
    case IN_PLACE: return lw_transpose_inplace_plan(ops, 1, 128, 32, 4, 128 * 4 * 8, plan, err);
    case CONVERT: return lw_convert_plan(ops, &half, &a, turned, 0, plan, err);
    case PAD: return lw_pad_plan(ops, &a, &small, before, &value, plan, err);
    case RECORD: return lw_record_plan(ops, &layout, N / 2, LW_PAD_ZERO, plan, err);
    default: return lw_hist_plan(ops, &w, plan, err);
    }
}

static lw_ops_status call(void *context, cudaStream_t stream) {
    static const int turned[2] = { 1, 0 };
    contract *c = context;
    char *in = test_device(&c->in), *out = test_device(&c->out), *counts = test_device(&c->counts);
    void *fields[2] = { out, out + N * 2 };
    const void *from[2] = { in, in + N * 2 };
    const lw_ops *ops = c->t->ops;
    lw_tensor a = square(in), b = square(out);
    lw_hist w = levels();
    const void *index = test_device(&c->index);
    switch (c->which) {
    case FLIP_IN_PLACE:
    case IN_PLACE: return lw_plan_run(c->plan[c->which], out, out, c->workspace, stream);
    case RECORD: return lw_aos_to_soa(c->plan[RECORD], fields, in, stream);
    case TO_AOS: return lw_soa_to_aos(c->plan[RECORD], out, from, stream);
    case HIST: return lw_hist_run(c->plan[HIST], counts, in, NULL, c->workspace, stream);
    case GATHER: return lw_gather_rows(ops, out, 256, in, 64, 256, 256, index, 4, 64, LW_INDEX_SKIP, stream);
    case SCATTER: return lw_scatter_rows(ops, out, 64, 256, in, 256, 256, index, 4, 64, LW_INDEX_SKIP, stream);
    case ONE_COPY: return lw_copy(ops, &b, &a, stream, NULL);
    case ONE_PERMUTE: return lw_permute(ops, &b, &a, turned, stream, NULL);
    case ONE_HIST: return lw_hist_count(ops, &w, counts, in, NULL, stream, NULL);
    default: return lw_plan_run(c->plan[c->which], out, in, NULL, stream);
    }
}

static void setup(test_state *t, contract *c) {
    static const char *const names[CALLS] = { "copy", "permute", "flip", "flip in place", "in place", "convert", "pad",
                                              "aos to soa", "hist", "soa to aos", "gather", "scatter", "copy at once",
                                              "permute at once", "hist at once" };
    size_t space = 256;
    memset(c, 0, sizeof *c);
    c->t = t;
    memcpy(c->name, names, sizeof names);
    c->in = test_buffer_make(t, N * 4, 0);
    c->out = test_buffer_make(t, N * 4, 0);
    c->index = test_buffer_make(t, 64 * 4, 0);
    c->counts = test_buffer_make(t, 256 * 4, 0);
    for (int i = 0; i < 64; i++) ((int *)test_host(&c->index))[i] = (i * 13 + 5) % 64;
    test_upload(t, &c->index);
    for (int i = 0; i < PLANS; i++) {
        lw_ops_error err = { 0 };
        lw_ops_status st = make_plan(t->ops, i, &c->plan[i], &err);
        test_check(t, st == LW_OPS_OK, "plan of %s: %s", c->name[i], err.text);
        if (lw_plan_workspace(c->plan[i]) > space) space = lw_plan_workspace(c->plan[i]);
    }
    test_cuda(t, (int)cudaMalloc(&c->workspace, space), "workspace");
}

static void teardown(contract *c) {
    for (int i = 0; i < PLANS; i++) lw_plan_destroy(c->plan[i]);
    cudaFree(c->workspace);
    test_buffer_free(&c->in);
    test_buffer_free(&c->out);
    test_buffer_free(&c->index);
    test_buffer_free(&c->counts);
}

/* An error of the caller's own stays the caller's, and no op takes it for its own. */
static void last_error(test_state *t, contract *c) {
    for (c->which = 0; c->which < CALLS; c->which++) {
        cudaGetLastError();
        cudaSetDevice(9999);
        lw_ops_status st = call(c, t->stream);
        test_check(t, st == LW_OPS_OK, "%s after the caller's error: %s", c->name[c->which], lw_ops_status_text(st));
        test_check(t, cudaPeekAtLastError() == cudaErrorInvalidDevice, "%s: the caller's last error is gone",
                   c->name[c->which]);
    }
    lw_plan *plan = NULL;
    for (int i = 0; i < PLANS; i++) {
        make_plan(t->ops, i, &plan, NULL);
        lw_plan_destroy(plan);
    }
    test_check(t, cudaGetLastError() == cudaErrorInvalidDevice, "plans took the caller's last error");
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "after errors");
    test_check(t, cudaGetLastError() == cudaSuccess, "calls left an error");
}

/* Both results of a call, on the same input; the first directly, the second replayed. */
static void replayed(test_state *t, contract *c) {
    unsigned char *want = malloc(2 * N * 4);
    if (!want) exit(1);
    for (c->which = 0; c->which < CALLS; c->which++) {
        bool counting = c->which == HIST || c->which == ONE_HIST;
        test_buffer *result = counting ? &c->counts : &c->out;
        test_graph g;
        if (!test_capture(t, &g, call, c)) continue;
        for (int round = 0; round < 2; round++) {
            for (int again = 0; again < 2; again++) {
                test_upload(t, result);
                for (size_t i = 0; i < N * 4; i++)
                    ((unsigned char *)test_host(&c->in))[i] =
                        (unsigned char)((i * 37 + i / 256 + (size_t)round * 99) % 125);
                test_upload(t, &c->in);
                if (again) test_replay(t, &g);
                else test_check(t, call(c, t->stream) == LW_OPS_OK, "%s", c->name[c->which]);
                test_cuda(t, (int)cudaStreamSynchronize(t->stream), c->name[c->which]);
                test_cuda(t, (int)cudaMemcpy(want + again * N * 4, test_device(result), result->bytes,
                                             cudaMemcpyDeviceToHost), "result");
            }
            test_check(t, !memcmp(want, want + N * 4, result->bytes), "%s: replay %d", c->name[c->which], round);
            test_check(t, memcmp(want, test_host(result), result->bytes) != 0, "%s wrote nothing", c->name[c->which]);
        }
        test_graph_free(&g);
    }
    free(want);
}

/* One plan and one handle, a thread's own stream, memory and workspace. */
typedef struct worker {
    const lw_ops *ops;
    const lw_plan *plan;
    pthread_t thread;
    int seed, wrong;
} worker;

static void *work(void *arg) {
    worker *w = arg;
    char *data = NULL, *space = NULL;
    uint32_t *host = malloc(N * 4), *got = malloc(N * 4);
    cudaStream_t stream = NULL;
    w->wrong = !host || !got || cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
               cudaMalloc((void **)&data, N * 4) != cudaSuccess ||
               cudaMalloc((void **)&space, lw_plan_workspace(w->plan) + 256) != cudaSuccess;
    for (int round = 0; round < 5 && !w->wrong; round++) {
        lw_plan *own = NULL; /* made meanwhile, by the same handle */
        for (int i = 0; i < N; i++) host[i] = (uint32_t)(w->seed * 1000003 + round * 7919 + i);
        w->wrong += cudaMemcpyAsync(data, host, N * 4, cudaMemcpyHostToDevice, stream) != cudaSuccess;
        w->wrong += lw_plan_run(w->plan, data, data, space, stream) != LW_OPS_OK;
        w->wrong += make_plan(w->ops, PERMUTE, &own, NULL) != LW_OPS_OK;
        w->wrong += cudaMemcpyAsync(got, data, N * 4, cudaMemcpyDeviceToHost, stream) != cudaSuccess;
        w->wrong += cudaStreamSynchronize(stream) != cudaSuccess;
        for (int i = 0; i < N; i++) w->wrong += got[i % 32 * 128 + i / 32] != host[i]; /* 128 x 32 became 32 x 128 */
        lw_plan_destroy(own);
    }
    cudaFree(data);
    cudaFree(space);
    if (stream) cudaStreamDestroy(stream);
    free(host);
    free(got);
    return NULL;
}

static void threads(test_state *t, contract *c) {
    worker w[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){ .ops = t->ops, .plan = c->plan[IN_PLACE], .seed = i };
        if (pthread_create(&w[i].thread, NULL, work, &w[i])) exit(1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        test_check(t, w[i].wrong == 0, "thread %d: %d wrong", i, w[i].wrong);
    }
}

static double cpu_microseconds(void) {
    struct timespec s;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &s);
    return (double)s.tv_sec * 1e6 + (double)s.tv_nsec * 1e-3;
}

/* The least of some tries, for a busy machine: the processor's time, not the clock's. */
static void plan_time(test_state *t, contract *c) {
    static const int perm[7] = { 6, 3, 5, 2, 1, 0, 4 };
    const int64_t in[7] = { 25, 16, 8, 16, 11, 29, 11 };
    int64_t out[7];
    for (int i = 0; i < 7; i++) out[i] = in[perm[i]];
    lw_tensor src = lw_tensor_dense(NULL, LW_F32, 0, 7, in), dst = lw_tensor_dense(NULL, LW_F32, 0, 7, out);
    for (int which = 0; which <= PLANS; which++) {
        double best = 1e9;
        for (int k = 0; k < 200; k++) {
            lw_plan *plan = NULL;
            double start = cpu_microseconds();
            lw_ops_status st = which < PLANS ? make_plan(t->ops, which, &plan, NULL)
                                             : lw_permute_plan(t->ops, &dst, &src, perm, &plan, NULL);
            double took = cpu_microseconds() - start;
            if (st == LW_OPS_OK && took < best) best = took;
            lw_plan_destroy(plan);
        }
        test_check(t, best <= PLAN_MICROSECONDS, "a plan of %s takes %.1f us",
                   which < PLANS ? c->name[which] : "a permutation of rank 7", best);
    }
}

/* Refused with a status, nothing enqueued: NULL handles, plans of another op, a missing workspace. */
static void refused(test_state *t, contract *c) {
    lw_plan *plan = NULL;
    lw_ops_error err = { 0 };
    lw_tensor a = square(NULL);
    char *p = test_device(&c->out);
    test_check(t, lw_copy_plan(t->ops, &a, NULL, &plan, &err) != LW_OPS_OK && err.text[0] && !plan, "no tensor");
    test_check(t, lw_plan_run(NULL, p, p, NULL, t->stream) == LW_OPS_BAD_ARGUMENT, "no plan");
    test_check(t, lw_plan_run(c->plan[HIST], p, p, NULL, t->stream) == LW_OPS_BAD_ARGUMENT, "a histogram as a copy");
    test_check(t, lw_plan_run(c->plan[IN_PLACE], p, p, NULL, t->stream) == LW_OPS_WORKSPACE, "no workspace");
    test_check(t, lw_plan_run(c->plan[IN_PLACE], p, p, (char *)c->workspace + 16, t->stream) == LW_OPS_WORKSPACE,
               "a workspace at 16 bytes");
    test_check(t, lw_ops_status_text(-1) && lw_ops_status_text(999), "texts of unknown statuses");
    lw_ops_destroy(NULL);
    lw_plan_destroy(NULL);
}

/* Useful bytes: every input byte once however often it is used, every output byte once. */
static void useful_bytes(test_state *t) {
    const int64_t extent[2] = { 30, 50 };
    lw_plan *plan = NULL;
    lw_tensor dst = lw_tensor_dense(NULL, LW_F32, 4, 2, extent), src = dst;
    lw_hist w = { .sample_type = LW_I32, .count_type = LW_U64, .bins = 100, .lo_int = 0, .hi_int = 100, .rows = 3,
                  .binning = LW_HIST_EVEN, .row_samples = 1000, .row_pitch = 4000, .segmented = 1 };
    test_check(t, lw_copy_plan(t->ops, &dst, &src, &plan, NULL) == LW_OPS_OK && lw_plan_useful_bytes(plan) == 12000,
               "useful bytes of a copy");
    lw_plan_destroy(plan);
    src.stride[0] = 0;
    test_check(t, lw_copy_plan(t->ops, &dst, &src, &plan, NULL) == LW_OPS_OK && lw_plan_useful_bytes(plan) == 6200,
               "useful bytes of a broadcast row");
    lw_plan_destroy(plan);
    test_check(t, lw_hist_plan(t->ops, &w, &plan, NULL) == LW_OPS_OK && lw_plan_useful_bytes(plan) == 12000 + 2400,
               "useful bytes of histograms");
    lw_plan_destroy(plan);
    w.accumulate = 1;
    w.segmented = 0;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, NULL) == LW_OPS_OK && lw_plan_useful_bytes(plan) == 12000 + 1600,
               "useful bytes of a histogram that is added to");
    lw_plan_destroy(plan);
    w.binning = LW_HIST_EDGES;
    w.row_samples = 0;
    test_check(t, lw_hist_plan(t->ops, &w, &plan, NULL) == LW_OPS_OK && lw_plan_useful_bytes(plan) == 1600 + 808,
               "useful bytes of edges without samples");
    lw_plan_destroy(plan);
}

int main(void) {
    test_state t;
    contract c;
    int code = test_begin(&t);
    if (code) return code;
    setup(&t, &c);
    last_error(&t, &c);
    replayed(&t, &c);
    threads(&t, &c);
    plan_time(&t, &c);
    refused(&t, &c);
    useful_bytes(&t);
    teardown(&c);
    return test_end(&t, "contract");
}
