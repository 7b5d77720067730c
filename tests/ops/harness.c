/* Shared parts of the ops tests: see harness.h. */
#include <stdarg.h>
#include "harness.h"

int test_begin(test_state *t)
{
    lw_ops_error err;
    int n = 0;
    memset(t, 0, sizeof *t);
    t->seed = 0x9e3779b97f4a7c15u;
    const char *cases = getenv("LW_OPS_TEST_CASES");
    t->cases = cases ? atoi(cases) : 24;
    if (cudaGetDeviceCount(&n) != cudaSuccess || n == 0) {
        printf("SKIPPED: no CUDA device\n");
        return 77;
    }
    if (lw_ops_create(&t->ops, 0, &err) != LW_OPS_OK) {
        printf("FAIL: lw_ops_create: %s\n", err.text);
        return 1;
    }
    if (!test_cuda(t, cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking), "stream")) return 1;
    return 0;
}

int test_end(test_state *t, const char *name)
{
    cudaStreamDestroy(t->stream);
    lw_ops_destroy(t->ops);
    printf("%s: %d checks, %d failures, %d skipped\n", name, t->checks, t->failures, t->skipped);
    return t->failures ? 1 : 0;
}

uint64_t test_random(test_state *t, uint64_t below)
{
    uint64_t x = t->seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    t->seed = x;
    return below ? (x * 0x2545f4914f6cdd1du >> 11) % below : x * 0x2545f4914f6cdd1du;
}

void test_check(test_state *t, bool ok, const char *format, ...)
{
    va_list args;
    t->checks++;
    if (ok) return;
    if (t->failures++ > 40) return;
    printf("FAIL: ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
}

bool test_cuda(test_state *t, int error, const char *what)
{
    if (error) test_check(t, false, "%s: %s", what, cudaGetErrorString((cudaError_t)error));
    return error == 0;
}

test_buffer test_buffer_make(test_state *t, size_t bytes, size_t offset)
{
    test_buffer b = {NULL, NULL, bytes, offset};
    size_t all = bytes + offset + 2 * GUARD;
    b.host = malloc(all + 8);
    if (!b.host || cudaMalloc((void **)&b.device, all) != cudaSuccess) {
        printf("FAIL: out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < all; i += 8) {
        uint64_t r = test_random(t, 0);
        memcpy(b.host + i, &r, 8);
    }
    return b;
}

void test_buffer_free(test_buffer *b)
{
    free(b->host);
    cudaFree(b->device);
    b->host = b->device = NULL;
}

void *test_host(const test_buffer *b) { return b->host + GUARD + b->offset; }

void *test_device(const test_buffer *b) { return b->device + GUARD + b->offset; }

void test_upload(test_state *t, const test_buffer *b)
{
    test_cuda(t, cudaMemcpy(b->device, b->host, b->bytes + b->offset + 2 * GUARD, cudaMemcpyHostToDevice), "upload");
    /* the copy from pageable memory may still be on its way, and the test's stream does not wait for it */
    test_cuda(t, cudaDeviceSynchronize(), "upload");
}

bool test_has_hopper(test_state *t)
{
    const char *code = getenv("LW_OPS_TEST_CODE");
    int major = 0;
    test_cuda(t, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "compute capability");
    return major >= 9 && (!code || atoi(code) >= 90);
}

void test_fill(test_state *t, void *device, int byte, size_t bytes)
{
    test_cuda(t, cudaMemset(device, byte, bytes), "fill");
    test_cuda(t, cudaDeviceSynchronize(), "fill"); /* as above */
}

bool test_same(test_state *t, const test_buffer *b, const char *what)
{
    size_t all = b->bytes + b->offset + 2 * GUARD, bad = 0, first = 0;
    unsigned char *got = malloc(all);
    if (!got) exit(1);
    bool ok = test_cuda(t, cudaStreamSynchronize(t->stream), what) &&
              test_cuda(t, cudaMemcpy(got, b->device, all, cudaMemcpyDeviceToHost), "download");
    for (size_t i = 0; ok && i < all; i++) {
        if (got[i] != b->host[i] && bad++ == 0) first = i;
    }
    test_check(t, ok && bad == 0, "%s: %zu of %zu bytes differ, first at %lld", what, bad, b->bytes,
               (long long)first - (long long)(GUARD + b->offset));
    free(got);
    return ok && bad == 0;
}

lw_hist test_hist_of(int type, int binning, int64_t bins, int64_t samples)
{
    lw_hist w;
    memset(&w, 0, sizeof w);
    w.sample_type = type;
    w.binning = binning;
    w.bins = bins;
    w.count_type = LW_U32;
    w.rows = 1;
    w.row_samples = samples;
    return w;
}

bool test_capture(test_state *t, test_graph *g, test_call call, void *context)
{
    g->graph = NULL;
    g->exec = NULL;
    if (cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeGlobal) != cudaSuccess) {
        cudaGetLastError();
        t->skipped++;
        return false;
    }
    lw_ops_status st = call(context, t->stream);
    cudaError_t e = cudaStreamEndCapture(t->stream, &g->graph);
    test_check(t, st == LW_OPS_OK, "captured call: %s", lw_ops_status_text(st));
    if (!test_cuda(t, (int)e, "end of capture")) return false;
    return test_cuda(t, (int)cudaGraphInstantiate(&g->exec, g->graph, 0), "instantiate");
}

void test_replay(test_state *t, test_graph *g) { test_cuda(t, (int)cudaGraphLaunch(g->exec, t->stream), "replay"); }

void test_graph_free(test_graph *g)
{
    if (g->exec) cudaGraphExecDestroy(g->exec);
    if (g->graph) cudaGraphDestroy(g->graph);
}
