/*
 * What ops.h promises of every op alike: the caller's last error is neither read nor cleared; a captured call replays
 * on changed data; one handle and one plan serve many threads with workspaces of their own; plans are made on the host
 * alone, in microseconds; what cannot run is refused with a status.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <time.h>
#include "every_op.h"

#define N EVERY_N
#define THREADS 6
#define PLAN_MOST 20 /* microseconds */
#define PLAN_BUSY 2  /* times that for a single plan, on a busy machine; the benchmark says what a quiet one takes */
#define PLAN_SHAPES 60

/* An error of the caller's own stays the caller's, and no op takes it for its own. */
static void last_error(test_state *t, every_op *c)
{
    for (c->which = 0; c->which < EVERY_CALLS; c->which++) {
        cudaGetLastError();
        cudaSetDevice(9999);
        lw_ops_status st = every_call(c, t->stream);
        test_check(t, st == LW_OPS_OK, "%s after the caller's error: %s", c->name[c->which], lw_ops_status_text(st));
        test_check(t, cudaPeekAtLastError() == cudaErrorInvalidDevice, "%s: the caller's last error is gone",
                   c->name[c->which]);
    }
    lw_plan *plan = NULL;
    for (int i = 0; i < EVERY_PLANS; i++) {
        every_plan(t->ops, i, &plan, NULL);
        lw_plan_destroy(plan);
    }
    test_check(t, cudaGetLastError() == cudaErrorInvalidDevice, "plans took the caller's last error");
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "after errors");
    test_check(t, cudaGetLastError() == cudaSuccess, "calls left an error");
}

/* Both results of a call, on the same input; the first directly, the second replayed. */
static void replayed(test_state *t, every_op *c)
{
    size_t most = c->counts.bytes > c->out.bytes ? c->counts.bytes : c->out.bytes;
    unsigned char *want = malloc(2 * most);
    if (!want) exit(1);
    for (c->which = 0; c->which < EVERY_CALLS; c->which++) {
        test_buffer *result = every_result(c);
        test_graph g;
        if (!test_capture(t, &g, every_call, c)) continue;
        for (int round = 0; round < 2; round++) {
            for (int again = 0; again < 2; again++) {
                test_upload(t, result);
                for (size_t i = 0; i < N * 4; i++)
                    ((unsigned char *)test_host(&c->in))[i] =
                        (unsigned char)((i * 37 + i / 256 + (size_t)round * 99) % 125);
                test_upload(t, &c->in);
                if (again) test_replay(t, &g);
                else test_check(t, every_call(c, t->stream) == LW_OPS_OK, "%s", c->name[c->which]);
                test_cuda(t, (int)cudaStreamSynchronize(t->stream), c->name[c->which]);
                test_cuda(t,
                          (int)cudaMemcpy(want + (size_t)again * most, test_device(result), result->bytes,
                                          cudaMemcpyDeviceToHost),
                          "result");
            }
            test_check(t, !memcmp(want, want + most, result->bytes), "%s: replay %d", c->name[c->which], round);
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

static void *work(void *arg)
{
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
        w->wrong += every_plan(w->ops, EVERY_PERMUTE, &own, NULL) != LW_OPS_OK;
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

static void threads(test_state *t, every_op *c)
{
    worker w[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.ops = t->ops, .plan = c->plan[EVERY_IN_PLACE], .seed = i};
        if (pthread_create(&w[i].thread, NULL, work, &w[i])) exit(1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        test_check(t, w[i].wrong == 0, "thread %d: %d wrong", i, w[i].wrong);
    }
}

static double cpu_microseconds(void)
{
    struct timespec s;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &s);
    return (double)s.tv_sec * 1e6 + (double)s.tv_nsec * 1e-3;
}

/* The least of some tries, for a busy machine: the processor's time, not the clock's. */
static double plan_time_of(const lw_ops *ops, int which)
{
    double best = 1e9;
    for (int k = 0; k < 100; k++) {
        lw_plan *plan = NULL;
        double start = cpu_microseconds();
        lw_ops_status st = every_plan(ops, which, &plan, NULL);
        double took = cpu_microseconds() - start;
        if (st == LW_OPS_OK && took < best) best = took;
        lw_plan_destroy(plan);
    }
    return best;
}

static double permute_time_of(const lw_ops *ops, int rank, const int64_t *in, const int *perm, int elem)
{
    int64_t out[LW_OPS_MAX_RANK];
    double best = 1e9;
    for (int i = 0; i < rank; i++) out[i] = in[perm[i]];
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem, rank, in),
              dst = lw_tensor_dense(NULL, LW_BYTES, elem, rank, out);
    for (int k = 0; k < 8; k++) {
        lw_plan *plan = NULL;
        double start = cpu_microseconds();
        lw_ops_status st = lw_permute_plan(ops, &dst, &src, perm, &plan, NULL);
        double took = cpu_microseconds() - start;
        if (st == LW_OPS_OK && took < best) best = took;
        lw_plan_destroy(plan);
    }
    return best;
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* Plans of every op, and of seeded permutations as large as those that the benchmark runs. */
static void plan_time(test_state *t, every_op *c)
{
    static const int elems[] = {1, 2, 4, 8, 16, 12};
    double took[PLAN_SHAPES];
    for (int which = 0; which < EVERY_PLANS; which++) {
        double best = plan_time_of(t->ops, which);
        test_check(t, best <= PLAN_BUSY * PLAN_MOST, "a plan of %s takes %.1f us", c->name[which], best);
    }
    for (int i = 0; i < PLAN_SHAPES; i++) {
        int rank = 3 + (int)test_random(t, 5), perm[LW_OPS_MAX_RANK], elem = elems[i % 6];
        double mean = pow(3e8 / elem, 1.0 / rank);
        int64_t in[LW_OPS_MAX_RANK];
        char shape[160] = "";
        for (int k = 0; k < rank; k++) {
            in[k] = 2 + (int64_t)(mean * (0.4 + (double)test_random(t, 1000) / 700));
            if (test_random(t, 2)) in[k] = (in[k] + 7) & ~7;
            perm[k] = k;
        }
        for (int k = rank - 1; k > 0; k--) {
            int j = (int)test_random(t, (uint64_t)k + 1), x = perm[k];
            perm[k] = perm[j];
            perm[j] = x;
        }
        took[i] = permute_time_of(t->ops, rank, in, perm, elem);
        for (int k = 0; k < rank; k++)
            snprintf(shape + strlen(shape), sizeof shape - strlen(shape), " %lld:%d", (long long)in[k], perm[k]);
        if (took[i] > PLAN_MOST) printf("a plan of a permutation takes %.1f us:%s elem %d\n", took[i], shape, elem);
    }
    qsort(took, PLAN_SHAPES, sizeof *took, by_value);
    double most = took[PLAN_SHAPES - 1], tenth = took[PLAN_SHAPES * 9 / 10];
    test_check(t, took[PLAN_SHAPES / 2] <= PLAN_MOST, "half of the plans take more than %.1f us",
               took[PLAN_SHAPES / 2]);
    test_check(t, most <= PLAN_BUSY * PLAN_MOST, "a plan takes %.1f us", most);
    printf("plans of %d permutations: median %.1f us, nine tenths %.1f us, most %.1f us\n", PLAN_SHAPES,
           took[PLAN_SHAPES / 2], tenth, most);
}

/* Refused with a status, nothing enqueued: NULL handles, plans of another op, a missing workspace. */
static void refused(test_state *t, every_op *c)
{
    lw_plan *plan = NULL;
    lw_ops_error err = {0};
    const int64_t side[2] = {64, 64};
    lw_tensor a = lw_tensor_dense(NULL, LW_F32, 0, 2, side);
    char *p = test_device(&c->out);
    test_check(t, lw_copy_plan(t->ops, &a, NULL, &plan, &err) != LW_OPS_OK && err.text[0] && !plan, "no tensor");
    test_check(t, lw_plan_run(NULL, p, p, NULL, t->stream) == LW_OPS_BAD_ARGUMENT, "no plan");
    test_check(t, lw_plan_run(c->plan[EVERY_HIST], p, p, NULL, t->stream) == LW_OPS_BAD_ARGUMENT,
               "a histogram as a copy");
    test_check(t, lw_plan_run(c->plan[EVERY_IN_PLACE], p, p, NULL, t->stream) == LW_OPS_WORKSPACE, "no workspace");
    test_check(t, lw_plan_run(c->plan[EVERY_IN_PLACE], p, p, (char *)c->workspace + 16, t->stream) == LW_OPS_WORKSPACE,
               "a workspace at 16 bytes");
    test_check(t, lw_ops_status_text(-1) && lw_ops_status_text(999), "texts of unknown statuses");
    lw_ops_destroy(NULL);
    lw_plan_destroy(NULL);
}

/* Useful bytes: every input byte once however often it is used, every output byte once. */
static void useful_bytes(test_state *t)
{
    const int64_t extent[2] = {30, 50};
    lw_plan *plan = NULL;
    lw_tensor dst = lw_tensor_dense(NULL, LW_F32, 4, 2, extent), src = dst;
    lw_hist w = {.sample_type = LW_I32,
                 .count_type = LW_U64,
                 .bins = 100,
                 .lo_int = 0,
                 .hi_int = 100,
                 .rows = 3,
                 .binning = LW_HIST_EVEN,
                 .row_samples = 1000,
                 .row_pitch = 4000,
                 .segmented = 1};
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

int main(void)
{
    test_state t;
    every_op c;
    int code = test_begin(&t);
    if (code) return code;
    every_setup(&t, t.ops, &c);
    last_error(&t, &c);
    replayed(&t, &c);
    threads(&t, &c);
    plan_time(&t, &c);
    refused(&t, &c);
    useful_bytes(&t);
    every_free(&c);
    return test_end(&t, "contract");
}
