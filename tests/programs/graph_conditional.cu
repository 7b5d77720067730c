// Conditional nodes of graphs: if and else, while, switch, a while around an if, bodies by capture, defaults, parameters
// of a body changed in the executable graph.
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

typedef cudaGraphConditionalHandle condition;
static bool failed;

__global__ void add(int *p, int n) { *p += n; }
__global__ void decide(const int *p, condition c) { cudaGraphSetConditional(c, *p); }
__global__ void odd(const int *p, condition c) { cudaGraphSetConditional(c, *p & 1); }
__global__ void collatz(int *p, condition c) // a step for even numbers, and whether to go on
{
    if (*p % 2 == 0) *p /= 2;
    if (*p == 1) cudaGraphSetConditional(c, 0);
}
__global__ void triple(int *p) { *p = 3 * *p + 1; }

static cudaGraphNode_t kernel(cudaGraph_t g, cudaGraphNode_t after, void *function, void **args)
{
    cudaKernelNodeParams k = {};
    k.func = function, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = args;
    cudaGraphNode_t n;
    CHECK(cudaGraphAddKernelNode(&n, g, after ? &after : NULL, after ? 1 : 0, &k));
    return n;
}

static cudaGraph_t *conditional(cudaGraph_t g, cudaGraphNode_t after, condition c, cudaGraphConditionalNodeType type,
                                unsigned size, cudaGraphNode_t *out)
{
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = c, p.conditional.type = type, p.conditional.size = size;
    CHECK(cudaGraphAddNode(out, g, after ? &after : NULL, NULL, after ? 1 : 0, &p));
    cudaGraphNodeType kind;
    CHECK(cudaGraphNodeGetType(*out, &kind));
    EXPECT(kind, cudaGraphNodeTypeConditional);
    return p.conditional.phGraph_out;
}

static int value_after(cudaGraphExec_t x, int *p, int before)
{
    int after;
    CHECK(cudaMemcpy(p, &before, sizeof before, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaMemcpy(&after, p, sizeof after, cudaMemcpyDeviceToHost));
    return after;
}

static void if_else(int *p)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    condition c;
    int ten = 10, hundred = 100, thousand = 1000;
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&c, g));
    void *asking[] = {&p, &c}, *by_ten[] = {&p, &ten}, *by_hundred[] = {&p, &hundred}, *by_thousand[] = {&p, &thousand};
    cudaGraphNode_t first = kernel(g, NULL, (void *)odd, asking);
    cudaGraph_t *body = conditional(g, first, c, cudaGraphCondTypeIf, 2, &n);
    cudaGraphNode_t then = kernel(body[0], NULL, (void *)add, by_ten);
    kernel(body[1], NULL, (void *)add, by_hundred);
    kernel(g, n, (void *)add, by_thousand);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    EXPECT(value_after(x, p, 1), 1011);
    EXPECT(value_after(x, p, 2), 1102);
    EXPECT(value_after(x, p, 3), 1013);
    cudaKernelNodeParams k = {};
    k.func = (void *)add, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = by_hundred;
    CHECK(cudaGraphExecKernelNodeSetParams(x, then, &k));
    EXPECT(value_after(x, p, 5), 1105);
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
}

/* The default value makes it a do-while, which holds an if. */
static void while_around_if(int *p)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    condition more, is_odd;
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&more, g, 1, cudaGraphCondAssignDefault));
    cudaGraph_t *loop = conditional(g, NULL, more, cudaGraphCondTypeWhile, 1, &n);
    CHECK(cudaGraphConditionalHandleCreate(&is_odd, loop[0]));
    void *asking[] = {&p, &is_odd}, *plain[] = {&p}, *stepping[] = {&p, &more};
    cudaGraphNode_t first = kernel(loop[0], NULL, (void *)odd, asking);
    cudaGraph_t *then = conditional(loop[0], first, is_odd, cudaGraphCondTypeIf, 1, &n);
    kernel(then[0], NULL, (void *)triple, plain);
    kernel(loop[0], n, (void *)collatz, stepping);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    for (int from = 2; from < 10; from++) EXPECT(value_after(x, p, from), 1);
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
}

/* Bodies by capture; a value that names no body runs none. */
static void one_of_three(int *p)
{
    cudaGraph_t g, captured;
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    cudaStream_t s;
    condition c;
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&c, g));
    void *asking[] = {&p, &c};
    cudaGraphNode_t first = kernel(g, NULL, (void *)decide, asking);
    cudaGraph_t *body = conditional(g, first, c, cudaGraphCondTypeSwitch, 3, &n);
    CHECK(cudaStreamCreate(&s));
    for (int k = 0; k < 3; k++) {
        CHECK(cudaStreamBeginCaptureToGraph(s, body[k], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
        for (int i = 0; i <= k; i++) add<<<1, 1, 0, s>>>(p, 10 * (k + 1));
        CHECK(cudaStreamEndCapture(s, &captured));
    }
    CHECK(cudaGraphInstantiate(&x, g, 0));
    EXPECT(value_after(x, p, 0), 10);
    EXPECT(value_after(x, p, 1), 41);
    EXPECT(value_after(x, p, 2), 92);
    EXPECT(value_after(x, p, 3), 3);
    EXPECT(value_after(x, p, -1), -1);
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
}

/* A node put into a capture, and what is captured behind it. */
static void inside_a_capture(int *p)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t n;
    cudaStream_t s;
    condition c;
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *before;
    size_t count;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamGetCaptureInfo(s, &status, NULL, &g, &before, NULL, &count));
    CHECK(cudaGraphConditionalHandleCreate(&c, g));
    decide<<<1, 1, 0, s>>>(p, c);
    CHECK(cudaStreamGetCaptureInfo(s, &status, NULL, &g, &before, NULL, &count));
    EXPECT(count, 1);
    cudaGraph_t *body = conditional(g, before[0], c, cudaGraphCondTypeWhile, 1, &n);
    CHECK(cudaStreamUpdateCaptureDependencies(s, &n, NULL, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(p, 1000);
    CHECK(cudaStreamEndCapture(s, &g));
    int down = -1;
    void *counting[] = {&p, &down}, *asking[] = {&p, &c};
    kernel(body[0], kernel(body[0], NULL, (void *)add, counting), (void *)decide, asking);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    EXPECT(value_after(x, p, 0), 1000);
    EXPECT(value_after(x, p, 7), 1000);
    CHECK(cudaStreamDestroy(s));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
}

static void what_is_wrong()
{
    cudaGraph_t g;
    cudaGraphNode_t n;
    condition c;
    CHECK(cudaGraphCreate(&g, 0));
    EXPECT(cudaGraphConditionalHandleCreate(&c, g, 0, 2), cudaErrorInvalidValue);
    EXPECT(cudaGraphConditionalHandleCreate(NULL, g, 0, 0), cudaErrorInvalidValue);
    CHECK(cudaGraphConditionalHandleCreate(&c, g));
    const int bad[][2] = {{cudaGraphCondTypeIf, 0}, {cudaGraphCondTypeIf, 3}, {cudaGraphCondTypeWhile, 2},
                          {cudaGraphCondTypeSwitch, 0}};
    for (auto &b : bad) {
        cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
        p.conditional.handle = c, p.conditional.type = (cudaGraphConditionalNodeType)b[0], p.conditional.size = b[1];
        EXPECT(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p), cudaErrorInvalidValue);
    }
    cudaGetLastError();
    CHECK(cudaGraphDestroy(g));
}

int main()
{
    int *p;
    CHECK(cudaMalloc(&p, sizeof *p));
    if_else(p);
    while_around_if(p);
    one_of_three(p);
    inside_a_capture(p);
    what_is_wrong();
    CHECK(cudaFree(p));
    puts(failed ? "FAIL" : "PASS");
    return failed;
}
