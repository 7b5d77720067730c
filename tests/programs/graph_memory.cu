// Memory of graphs: allocated in a capture that forks into a stream destroyed before the end, freed outside of the
// graph between launches, by a call and by another graph.
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e = (call);                                                                                        \
        if (e != cudaSuccess) {                                                                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                                          \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

const int N = 1000;

__global__ void square(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = in[i] * in[i];
}

__global__ void count_wrong(const int *squares, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && squares[i] != i * i) atomicAdd(wrong, 1);
}

// Captures: allocate two arrays, copy in, square, copy out in a side stream, free the first. *squares stays allocated.
static int capture(cudaStream_t stream, const int *in, int *out, int **squares, cudaGraphExec_t *exec)
{
    cudaStream_t side;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    int *input;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMallocAsync(&input, N * sizeof(int), stream));
    CHECK(cudaMallocAsync(squares, N * sizeof(int), stream));
    CHECK(cudaMemcpyAsync(input, in, N * sizeof(int), cudaMemcpyHostToDevice, stream));
    square<<<(N + 127) / 128, 128, 0, stream>>>(input, *squares);
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    CHECK(cudaMemcpyAsync(out, *squares, N * sizeof(int), cudaMemcpyDeviceToHost, side));
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaFreeAsync(input, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}

static int free_graph(int *squares, cudaGraphExec_t *exec)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemFreeNode(&node, graph, NULL, 0, squares));
    CHECK(cudaGraphInstantiate(exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return 0;
}

int main()
{
    static int in[N], out[N];
    int *squares = NULL, *wrong, host_wrong = -1;
    cudaStream_t stream;
    cudaGraphExec_t exec, exec_free;
    for (int i = 0; i < N; i++) in[i] = i;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&wrong, sizeof(int)));
    CHECK(cudaMemset(wrong, 0, sizeof(int)));
    if (capture(stream, in, out, &squares, &exec) || free_graph(squares, &exec_free)) return 1;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) out[i] = -1;
        CHECK(cudaGraphLaunch(exec, stream));
        count_wrong<<<(N + 127) / 128, 128, 0, stream>>>(squares, wrong);
        if (round == 0) CHECK(cudaFreeAsync(squares, stream)); // the launch may not have allocated yet
        if (round == 1) CHECK(cudaGraphLaunch(exec_free, stream));
        CHECK(cudaStreamSynchronize(stream));
        if (round == 2) CHECK(cudaFree(squares));
        for (int i = 0; i < N; i++)
            if (out[i] != i * i) return printf("round %d: out[%d] = %d\n", round, i, out[i]), 1;
    }
    CHECK(cudaMemcpy(&host_wrong, wrong, sizeof(int), cudaMemcpyDeviceToHost));
    if (host_wrong) return printf("%d wrong\n", host_wrong), 1;
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(exec_free));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(wrong));
    printf("PASS\n");
    return 0;
}
