// A graph built by hand: memset, memcpy, kernel, host and empty nodes with dependencies; parameters changed later.
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));                                           \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void reduce(const float *in, double *out, size_t n) {
    __shared__ double s[128];
    double v = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 64; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

struct HostData {
    const double *result;
    double seen;
    int calls;
};
void CUDART_CB host_node(void *p) {
    HostData *d = (HostData *)p;
    d->seen = *d->result;
    d->calls++;
}

int main() {
    size_t n = 5000;
    std::vector<float> h(n);
    double want = 0, *d_out, *result;
    for (size_t i = 0; i < n; i++) want += h[i] = (i % 100) * 0.25f;
    float *d_in;
    OK(cudaMalloc(&d_in, n * sizeof(float)));
    OK(cudaMalloc(&d_out, sizeof(double)));
    OK(cudaMallocHost(&result, sizeof(double)));
    *result = -1;
    HostData data = {result, 0, 0};

    cudaGraph_t graph;
    cudaGraphNode_t copy_in, clear, kernel, copy_out, host, empty;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemcpyNode1D(&copy_in, graph, NULL, 0, d_in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cudaMemsetParams ms;
    memset(&ms, 0, sizeof ms);
    ms.dst = d_out;
    ms.value = 0;
    ms.elementSize = 4;
    ms.width = 2;
    ms.height = 1;
    OK(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &ms));
    cudaGraphNode_t before[] = {copy_in, clear};
    OK(cudaGraphAddEmptyNode(&empty, graph, before, 2));
    void *args[] = {&d_in, &d_out, &n};
    cudaKernelNodeParams kp;
    memset(&kp, 0, sizeof kp);
    kp.func = (void *)reduce;
    kp.gridDim = dim3(6);
    kp.blockDim = dim3(128);
    kp.kernelParams = args;
    OK(cudaGraphAddKernelNode(&kernel, graph, &empty, 1, &kp));
    OK(cudaGraphAddMemcpyNode1D(&copy_out, graph, &kernel, 1, result, d_out, sizeof(double), cudaMemcpyDeviceToHost));
    cudaHostNodeParams hp = {host_node, &data};
    OK(cudaGraphAddHostNode(&host, graph, &copy_out, 1, &hp));
    size_t edges = 0;
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
    bool ok = edges == 5;

    cudaGraphExec_t exec;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ok &= *result == want && data.seen == want && data.calls == 1;

    size_t half = 1000;
    double want_half = 0;
    for (size_t i = 0; i < half; i++) want_half += h[i];
    void *args2[] = {&d_in, &d_out, &half};
    kp.kernelParams = args2;
    OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &kp));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    ok &= *result == want_half && data.seen == want_half && data.calls == 2;

    // a clone is independent of later changes, and the original still has the old parameters
    cudaGraph_t clone;
    cudaGraphExec_t exec2;
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphInstantiate(&exec2, clone, 0));
    OK(cudaGraphLaunch(exec2, stream));
    OK(cudaStreamSynchronize(stream));
    ok &= *result == want && data.calls == 3;
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(exec2));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(clone));
    OK(cudaStreamDestroy(stream));
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFreeHost(result);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
