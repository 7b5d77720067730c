/* What an NVIDIA GPU answers about conditional nodes, launches of graphs by kernels and the limit of pending launches.
 * nvcc -arch=native -rdc=true -lcudadevrt record_graph_control.cu && ./a.out; h200-graph-control.txt is its output. */
#include <cstdio>
#include <cuda_runtime.h>

#define SAY(...) (printf(__VA_ARGS__), fflush(stdout))
#define LAST() SAY("  then last error %d\n", (int)cudaGetLastError())

__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void set(cudaGraphConditionalHandle h, unsigned v) { cudaGraphSetConditional(h, v); }
__global__ void step(int *p, cudaGraphConditionalHandle h, int end)
{
    if (++*p >= end) cudaGraphSetConditional(h, 0);
}
__global__ void all_set(cudaGraphConditionalHandle h)
{
    cudaGraphSetConditional(h, blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void launch_graph(cudaGraphExec_t g, int *out, int way)
{
    cudaStream_t s = way == 0   ? cudaStreamGraphFireAndForget
                     : way == 1 ? cudaStreamGraphTailLaunch
                     : way == 2 ? cudaStreamGraphFireAndForgetAsSibling
                                : 0;
    *out = (int)cudaGraphLaunch(g, s);
}
__global__ void many(cudaGraphExec_t g, int *out, int n, int way)
{
    int ok = 0, first = 0;
    for (int i = 0; i < n; i++) {
        int e = (int)cudaGraphLaunch(g, way ? cudaStreamGraphTailLaunch : cudaStreamGraphFireAndForget);
        if (e == 0) ok++;
        else if (!first) first = e;
    }
    out[0] = ok, out[1] = first;
}
__global__ void again(int *p, int n)
{
    if (++*p < n) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void self_now(int *p) { *p = (int)cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphFireAndForget); }
__global__ void current(unsigned long long *p) { *p = (unsigned long long)cudaGetCurrentGraphExec(); }
__global__ void nothing() {}
__global__ void tails(int n, int *out)
{
    int ok = 0, first = 0;
    for (int i = 0; i < n; i++) {
        nothing<<<1, 1, 0, cudaStreamTailLaunch>>>();
        int e = (int)cudaGetLastError();
        if (!e) ok++;
        else if (!first) first = e;
    }
    out[0] = ok, out[1] = first;
}

static int *p;
static cudaGraphNode_t kernel_node(cudaGraph_t g, cudaGraphNode_t *after, void *f, void **args, int blocks = 1,
                                   int threads = 1)
{
    cudaKernelNodeParams k = {};
    k.func = f, k.gridDim = dim3(blocks), k.blockDim = dim3(threads), k.kernelParams = args;
    cudaGraphNode_t n = 0;
    cudaError_t e = cudaGraphAddKernelNode(&n, g, after, after ? 1 : 0, &k);
    if (e) SAY("  add kernel node: %d\n", (int)e);
    return n;
}
static int read()
{
    int v = -1;
    cudaError_t e = cudaMemcpy(&v, p, 4, cudaMemcpyDefault);
    if (e) SAY("  copy back: %d\n", (int)e);
    return v;
}
static cudaError_t conditional(cudaGraph_t g, cudaGraphNode_t *after, cudaGraphConditionalHandle h, int type,
                               unsigned size, cudaGraph_t **body, cudaGraphNode_t *node)
{
    cudaGraphNodeParams c = {cudaGraphNodeTypeConditional};
    c.conditional.handle = h, c.conditional.type = (cudaGraphConditionalNodeType)type, c.conditional.size = size;
    cudaError_t e = cudaGraphAddNode(node, g, after, NULL, after ? 1 : 0, &c);
    *body = c.conditional.phGraph_out;
    return e;
}
static void graphs_of_handles()
{
    cudaGraph_t g, *b;
    cudaGraphNode_t n;
    cudaGraphConditionalHandle h = 99, h2 = 99;
    cudaGraphCreate(&g, 0);
    SAY("handle: flags 2: %d", (int)cudaGraphConditionalHandleCreate(&h, g, 0, 2));
    SAY("; NULL out: %d", (int)cudaGraphConditionalHandleCreate(NULL, g, 0, 0));
    SAY("; NULL graph: %d", (int)cudaGraphConditionalHandleCreate(&h, NULL, 0, 0));
    SAY("; default without the flag: %d", (int)cudaGraphConditionalHandleCreate(&h, g, 7, 0));
    SAY("; good: %d\n", (int)cudaGraphConditionalHandleCreate(&h2, g, 0, 0));
    SAY("handles %llx %llx\n", (unsigned long long)h, (unsigned long long)h2);
    cudaGraphExec_t x = 0;
    SAY("instantiate with unused handles: %d\n", (int)cudaGraphInstantiate(&x, g, 0));
    LAST();
    int sizes[][2] = {{0, 0}, {0, 3}, {1, 0}, {1, 2}, {2, 0}, {2, 5}, {3, 1}};
    for (auto &s : sizes) {
        cudaGraph_t g2;
        cudaGraphCreate(&g2, 0);
        cudaGraphConditionalHandleCreate(&h2, g2, 0, 0);
        SAY("type %d size %d: %d\n", s[0], s[1], (int)conditional(g2, NULL, h2, s[0], s[1], &b, &n));
    }
    SAY("no such handle: %d\n", (int)conditional(g, NULL, 12345, 0, 1, &b, &n));
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandle mine;
    cudaGraphConditionalHandleCreate(&mine, g, 0, 0);
    SAY("first use: %d\n", (int)conditional(g, NULL, mine, 0, 1, &b, &n));
    cudaGraphNodeType t;
    cudaGraphNodeGetType(n, &t);
    SAY("type of node %d\n", (int)t);
    cudaGraphNode_t n2;
    cudaGraph_t *b2;
    SAY("second use of a handle: %d\n", (int)conditional(g, NULL, mine, 0, 1, &b2, &n2));
    cudaHostNodeParams host = {[](void *) {}, NULL};
    SAY("host node in a body: %d\n", (int)cudaGraphAddHostNode(&n2, b[0], NULL, 0, &host));
    LAST();
    SAY("instantiate: %d\n", (int)cudaGraphInstantiate(&x, g, 0));
    LAST();
    cudaGraph_t c;
    SAY("clone: %d\n", (int)cudaGraphClone(&c, g));
    LAST();
    cudaGraph_t outer;
    cudaGraphCreate(&outer, 0);
    SAY("as child graph: %d\n", (int)cudaGraphAddChildGraphNode(&n2, outer, NULL, 0, g));
    SAY("destroy body: %d\n", (int)cudaGraphDestroy(b[0]));
    SAY("destroy node: %d\n", (int)cudaGraphDestroyNode(n));
    SAY("destroy graph: %d\n", (int)cudaGraphDestroy(g));
    LAST();
}
static void values()
{
    cudaGraph_t g, *b;
    cudaGraphNode_t n;
    cudaGraphConditionalHandle h;
    cudaGraphExec_t x;
    void *args[] = {&p};
    int end = 5;
    void *stepping[] = {&p, &h, &end};
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault);
    conditional(g, NULL, h, cudaGraphCondTypeWhile, 1, &b, &n);
    kernel_node(b[0], NULL, (void *)step, stepping);
    SAY("while: instantiate %d\n", (int)cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++) {
        cudaMemset(p, 0, 4);
        SAY("  launch %d", (int)cudaGraphLaunch(x, 0));
        SAY(" -> %d steps\n", read());
    }
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandleCreate(&h, g, 1, 0);
    conditional(g, NULL, h, cudaGraphCondTypeIf, 1, &b, &n);
    kernel_node(b[0], NULL, (void *)count, args);
    cudaGraphInstantiate(&x, g, 0);
    cudaMemset(p, 0, 4);
    for (int i = 0; i < 2; i++) {
        cudaGraphLaunch(x, 0);
        SAY("default 1 without the flag: %d bodies\n", read());
    }
    cudaGraphCreate(&g, 0);
    cudaGraphConditionalHandleCreate(&h, g, 0, 0);
    int which = 0;
    unsigned value = 2;
    void *setting[] = {&h, &value};
    cudaGraphNode_t first = kernel_node(g, NULL, (void *)set, setting);
    conditional(g, &first, h, cudaGraphCondTypeSwitch, 3, &b, &n);
    for (which = 0; which < 3; which++)
        for (int k = 0; k < 1 + 9 * (which == 1) + 99 * (which == 2); k++)
            kernel_node(b[which], NULL, (void *)count, args);
    cudaGraphInstantiate(&x, g, 0);
    for (value = 0; value < 5; value++) {
        cudaKernelNodeParams k = {};
        k.func = (void *)set, k.gridDim = k.blockDim = dim3(1), k.kernelParams = setting;
        cudaGraphExecKernelNodeSetParams(x, first, &k);
        cudaMemset(p, 0, 4);
        cudaGraphLaunch(x, 0);
        SAY("switch %u: %d\n", value, read());
    }
    set<<<1, 1>>>(h, 1);
    SAY("set outside a graph: %d\n", (int)cudaDeviceSynchronize());
    LAST();
}
static void of_kernels(int *out)
{
    cudaGraph_t g, l;
    cudaGraphExec_t x = 0, y, z = 0;
    void *args[] = {&p};
    cudaGraphCreate(&g, 0);
    kernel_node(g, NULL, (void *)count, args);
    cudaHostNodeParams host = {[](void *) {}, NULL};
    cudaGraph_t bad;
    cudaGraphNode_t n;
    cudaGraphCreate(&bad, 0);
    SAY("instantiate an empty graph for devices: %d\n",
        (int)cudaGraphInstantiate(&z, bad, cudaGraphInstantiateFlagDeviceLaunch));
    cudaGraphAddHostNode(&n, bad, NULL, 0, &host);
    SAY("with a host node: %d\n", (int)cudaGraphInstantiate(&z, bad, cudaGraphInstantiateFlagDeviceLaunch));
    LAST();
    SAY("flags 5 (free on launch): %d\n", (int)cudaGraphInstantiate(&z, g, 5));
    LAST();
    SAY("instantiate: %d\n", (int)cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagDeviceLaunch));
    for (int uploaded = 0; uploaded < 2; uploaded++) {
        if (uploaded) SAY("upload: %d\n", (int)cudaGraphUpload(x, 0));
        for (int way = 0; way < 4; way++) {
            void *launching[] = {&x, &out, &way};
            cudaGraphCreate(&l, 0);
            kernel_node(l, NULL, (void *)launch_graph, launching);
            cudaGraphInstantiate(&y, l, 0);
            cudaMemset(p, 0, 4);
            cudaGraphLaunch(y, 0);
            cudaError_t e = cudaDeviceSynchronize();
            int answer = -1;
            cudaMemcpy(&answer, out, 4, cudaMemcpyDefault);
            SAY("uploaded %d way %d: sync %d answer %d ran %d\n", uploaded, way, (int)e, answer, read());
            LAST();
        }
    }
    int way = 0;
    launch_graph<<<1, 1>>>(x, out, way);
    cudaError_t e = cudaDeviceSynchronize();
    int answer = -1;
    cudaMemcpy(&answer, out, 4, cudaMemcpyDefault);
    SAY("from a kernel of no graph: sync %d answer %d\n", (int)e, answer);
    for (way = 0; way < 2; way++) {
        int n = 600, got[2];
        void *a[] = {&x, &out, &n, &way};
        cudaGraphCreate(&l, 0);
        kernel_node(l, NULL, (void *)many, a);
        cudaGraphInstantiate(&y, l, 0);
        cudaMemset(p, 0, 4);
        cudaGraphLaunch(y, 0);
        e = cudaDeviceSynchronize();
        cudaMemcpy(got, out, 8, cudaMemcpyDefault);
        SAY("600 launches, tail %d: sync %d, %d accepted, then %d, ran %d\n", way, (int)e, got[0], got[1], read());
    }
    int times = 10;
    void *repeat[] = {&p, &times};
    cudaGraphCreate(&l, 0);
    kernel_node(l, NULL, (void *)again, repeat);
    SAY("self: instantiate %d\n", (int)cudaGraphInstantiate(&y, l, cudaGraphInstantiateFlagDeviceLaunch));
    SAY("upload %d\n", (int)cudaGraphUpload(y, 0));
    cudaMemset(p, 0, 4);
    SAY("launch %d\n", (int)cudaGraphLaunch(y, 0));
    SAY("sync %d\n", (int)cudaDeviceSynchronize());
    SAY("tail launches of itself: %d\n", read());
    void *one[] = {&p};
    cudaGraphCreate(&l, 0);
    kernel_node(l, NULL, (void *)self_now, one);
    cudaGraphInstantiate(&y, l, cudaGraphInstantiateFlagDeviceLaunch);
    cudaGraphUpload(y, 0);
    cudaGraphLaunch(y, 0);
    SAY("fire and forget of itself: sync %d", (int)cudaDeviceSynchronize());
    SAY(" answer %d\n", read());
    unsigned long long *c, v;
    cudaMalloc(&c, 8);
    current<<<1, 1>>>(c);
    cudaMemcpy(&v, c, 8, cudaMemcpyDefault);
    SAY("current graph of a plain kernel: %llx\n", v);
}
static void limits(int *out)
{
    size_t want[] = {1, 100, 2048, 3000, 5000}, have;
    for (size_t w : want) {
        int set = (int)cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, w), got[2];
        cudaDeviceGetLimit(&have, cudaLimitDevRuntimePendingLaunchCount);
        tails<<<1, 1>>>(6000, out);
        cudaError_t e = cudaDeviceSynchronize();
        cudaMemcpy(got, out, 8, cudaMemcpyDefault);
        SAY("pending %zu: set %d, is %zu; tail launches accepted %d, then error %d; sync %d\n", w, set, have, got[0],
            got[1], (int)e);
    }
}
int main(int argc, char **argv)
{
    int *out;
    cudaMalloc(&p, 4);
    cudaMalloc(&out, 8);
    char part = argc > 1 ? argv[1][0] : 'a';
    if (part == 'a' || part == 'h') graphs_of_handles();
    if (part == 'a' || part == 'v') values();
    if (part == 'a' || part == 'k') of_kernels(out);
    if (part == 'a' || part == 'l') limits(out);
    return 0;
}
