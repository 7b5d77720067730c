// nvcc: -rdc=true -lcudadevrt
// Graphs that kernels launch: fire and forget, behind the launching graph, again and again by the graph itself, in the
// order that tail launches have; what is refused.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e_));                                           \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define EXPECT(have, want)                                                                                             \
    do {                                                                                                               \
        long have_ = (long)(have), want_ = (long)(want);                                                               \
        if (have_ != want_) {                                                                                          \
            printf("%d: %s is %ld, not %ld\n", __LINE__, #have, have_, want_);                                         \
            failed = true;                                                                                             \
        }                                                                                                              \
    } while (0)

static bool failed;
static __managed__ int value, answer, accepted;

__global__ void append(int digit) { value = 10 * value + digit; }
__global__ void launch(cudaGraphExec_t g, cudaStream_t s) { answer = (int)cudaGraphLaunch(g, s); }
__global__ void launch_two(cudaGraphExec_t a, cudaGraphExec_t b)
{
    cudaGraphLaunch(a, cudaStreamGraphTailLaunch);
    cudaGraphLaunch(b, cudaStreamGraphTailLaunch);
}
__global__ void many(cudaGraphExec_t g, int n, cudaStream_t s)
{
    for (int i = 0; i < n; i++) {
        int e = (int)cudaGraphLaunch(g, s);
        accepted += !e;
        if (e) answer = e;
    }
}
__global__ void again(int n)
{
    if (++value < n) answer = (int)cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void beside_itself() { answer = (int)cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphFireAndForget); }

static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, void *function, void **args)
{
    cudaKernelNodeParams k = {};
    k.func = function, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = args;
    cudaGraphNode_t n;
    CHECK(cudaGraphAddKernelNode(&n, g, after ? &after : NULL, after ? 1 : 0, &k));
    return n;
}

/* A graph of one kernel, or of two. */
static cudaGraphExec_t graph(bool for_device, void *function, void **args, void *then = NULL, void **then_args = NULL)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    CHECK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t first = kernel(g, NULL, function, args);
    if (then) kernel(g, first, then, then_args);
    CHECK(cudaGraphInstantiate(&x, g, for_device ? cudaGraphInstantiateFlagDeviceLaunch : 0));
    CHECK(cudaGraphDestroy(g));
    return x;
}

static cudaGraphExec_t appending(int digit)
{
    void *args[] = {&digit};
    return graph(true, (void *)append, args);
}

static void run(cudaGraphExec_t x)
{
    value = accepted = 0;
    answer = -1;
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaDeviceSynchronize());
}

static void ways(cudaGraphExec_t one)
{
    int two = 2;
    cudaStream_t stream;
    void *args[] = {&one, &stream}, *digit[] = {&two};
    const struct {
        cudaStream_t stream;
        int before, after; // the upload
    } rows[] = {{cudaStreamGraphFireAndForget, cudaErrorInvalidValue, cudaSuccess},
                {cudaStreamGraphTailLaunch, cudaErrorInvalidValue, cudaSuccess},
                {cudaStreamGraphFireAndForgetAsSibling, cudaErrorInvalidValue, cudaSuccess},
                {0, cudaErrorInvalidValue, cudaErrorInvalidValue}};
    for (int uploaded = 0; uploaded < 2; uploaded++) {
        if (uploaded) CHECK(cudaGraphUpload(one, 0));
        for (auto &row : rows) {
            stream = row.stream;
            cudaGraphExec_t x = graph(false, (void *)launch, args);
            run(x);
            int want = uploaded ? row.after : row.before;
            EXPECT(answer, want);
            EXPECT(value, !want);
            CHECK(cudaGraphExecDestroy(x));
        }
    }
    stream = cudaStreamGraphTailLaunch; // behind the whole graph
    cudaGraphExec_t x = graph(false, (void *)launch, args, (void *)append, digit);
    run(x);
    EXPECT(value, 21);
    CHECK(cudaGraphExecDestroy(x));
}

/* The tails of a tail come before its graph's next one. */
static void order(cudaGraphExec_t one)
{
    cudaGraphExec_t three = appending(3), four = appending(4);
    CHECK(cudaGraphUpload(three, 0));
    CHECK(cudaGraphUpload(four, 0));
    void *inner_args[] = {&one, &three};
    cudaGraphExec_t inner = graph(true, (void *)launch_two, inner_args);
    CHECK(cudaGraphUpload(inner, 0));
    void *outer_args[] = {&inner, &four};
    cudaGraphExec_t outer = graph(false, (void *)launch_two, outer_args);
    run(outer);
    EXPECT(value, 134);
    cudaGraphExec_t all[] = {outer, inner, three, four};
    for (cudaGraphExec_t x : all) CHECK(cudaGraphExecDestroy(x));
}

static void limits(cudaGraphExec_t one)
{
    int n = 600;
    cudaStream_t stream = cudaStreamGraphFireAndForget;
    void *args[] = {&one, &n, &stream};
    cudaGraphExec_t x = graph(false, (void *)many, args);
    run(x);
    EXPECT(accepted, 120);
    EXPECT(answer, cudaErrorInvalidValue);
    CHECK(cudaGraphExecDestroy(x));
    stream = cudaStreamGraphTailLaunch;
    x = graph(false, (void *)many, args);
    run(x);
    EXPECT(accepted, 1);
    CHECK(cudaGraphExecDestroy(x));
}

static void itself()
{
    int times = 10;
    void *args[] = {&times};
    cudaGraphExec_t x = graph(true, (void *)again, args);
    run(x);
    EXPECT(value, 10);
    EXPECT(answer, 0);
    CHECK(cudaGraphExecDestroy(x));
    x = graph(true, (void *)beside_itself, NULL);
    run(x);
    EXPECT(answer, cudaErrorInvalidValue);
    CHECK(cudaGraphExecDestroy(x));
}

static void refused()
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    cudaHostNodeParams host = {[](void *) {}, NULL};
    CHECK(cudaGraphCreate(&g, 0));
    EXPECT(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorInvalidValue);
    CHECK(cudaGraphAddHostNode(&n, g, NULL, 0, &host));
    EXPECT(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorInvalidValue);
    CHECK(cudaGraphDestroy(g));
    cudaGetLastError();
}

int main()
{
    cudaGraphExec_t one = appending(1);
    ways(one);
    order(one);
    limits(one);
    itself();
    refused();
    CHECK(cudaGraphExecDestroy(one));
    puts(failed ? "FAIL" : "PASS");
    return failed;
}
