// A graph captured from streams, with a fork and join by events; launched many times; updated parameters by re-capture.
#include <cstdio>
#include <vector>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));                                           \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void add(int *p, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += k;
}
__global__ void combine(const int *a, const int *b, int *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += a[i] * b[i];
}

int main() {
    const int n = 2000, G = (n + 127) / 128;
    int *a, *b, *c;
    std::vector<int> h(n, 1), out(n);
    OK(cudaMalloc(&a, n * 4));
    OK(cudaMalloc(&b, n * 4));
    OK(cudaMalloc(&c, n * 4));
    OK(cudaMemset(b, 0, n * 4));
    OK(cudaMemset(c, 0, n * 4));
    cudaStream_t s1, s2;
    cudaEvent_t fork, join;
    OK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    OK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
    OK(cudaStreamIsCapturing(s1, &status));
    bool ok = status == cudaStreamCaptureStatusActive;
    OK(cudaMemcpyAsync(a, h.data(), n * 4, cudaMemcpyHostToDevice, s1));
    OK(cudaEventRecord(fork, s1));
    OK(cudaStreamWaitEvent(s2, fork, 0));
    add<<<G, 128, 0, s1>>>(a, n, 2);
    add<<<G, 128, 0, s2>>>(b, n, 1);
    OK(cudaEventRecord(join, s2));
    OK(cudaStreamWaitEvent(s1, join, 0));
    combine<<<G, 128, 0, s1>>>(a, b, c, n);
    OK(cudaStreamEndCapture(s1, &graph));
    size_t nodes = 0;
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    ok &= nodes == 4;
    std::vector<cudaGraphNode_t> list(nodes);
    OK(cudaGraphGetNodes(graph, list.data(), &nodes));
    int kernels = 0, copies = 0;
    for (auto node : list) {
        cudaGraphNodeType type;
        OK(cudaGraphNodeGetType(node, &type));
        kernels += type == cudaGraphNodeTypeKernel;
        copies += type == cudaGraphNodeTypeMemcpy;
    }
    ok &= kernels == 3 && copies == 1;
    OK(cudaMemcpy(out.data(), c, n * 4, cudaMemcpyDeviceToHost));
    ok &= out[0] == 0; // capture has run nothing
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 5; i++) OK(cudaGraphLaunch(exec, s1));
    OK(cudaStreamSynchronize(s1));
    OK(cudaMemcpy(out.data(), c, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) ok &= out[i] == 3 * (1 + 2 + 3 + 4 + 5);
    h.assign(n, 10); // the copy reads the host memory at each launch
    OK(cudaGraphLaunch(exec, s1));
    OK(cudaStreamSynchronize(s1));
    OK(cudaMemcpy(out.data(), c, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) ok &= out[i] == 45 + 12 * 6;

    // the same shape with another constant, brought in by an update
    cudaGraph_t graph2;
    OK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeThreadLocal));
    OK(cudaMemcpyAsync(a, h.data(), n * 4, cudaMemcpyHostToDevice, s1));
    OK(cudaEventRecord(fork, s1));
    OK(cudaStreamWaitEvent(s2, fork, 0));
    add<<<G, 128, 0, s1>>>(a, n, 90);
    add<<<G, 128, 0, s2>>>(b, n, 4);
    OK(cudaEventRecord(join, s2));
    OK(cudaStreamWaitEvent(s1, join, 0));
    combine<<<G, 128, 0, s1>>>(a, b, c, n);
    OK(cudaStreamEndCapture(s1, &graph2));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(exec, graph2, &info));
    ok &= info.result == cudaGraphExecUpdateSuccess;
    OK(cudaGraphLaunch(exec, s1));
    OK(cudaStreamSynchronize(s1));
    OK(cudaMemcpy(out.data(), c, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) ok &= out[i] == 45 + 72 + 100 * 10;
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(graph2));
    OK(cudaStreamDestroy(s1));
    OK(cudaStreamDestroy(s2));
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaFree(a); cudaFree(b); cudaFree(c);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
