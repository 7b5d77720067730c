/* Order between streams, events, graphs, copies and fills. Lines of the host are not asked for: a finding names the
 * kernels' lines. */
#include "cases.h"

__global__ void put(int *p, int value)
{
    p[threadIdx.x] = value; // found put_put, put_memset, memset_put, put_copy, copy_put, wait_wrong, wait_early, host_wait_wrong, graph_noedge, legacy_nonblocking, second_half: racecheck error
}

__global__ void get(const int *p, int *out)
{
    out[threadIdx.x] = p[threadIdx.x] + 1; // found memset_get, copy_get, wait_wrong, wait_early, host_wait_wrong, graph_noedge, legacy_nonblocking, second_half: racecheck error
}

struct two {
    cudaStream_t s, t;
    cudaEvent_t e;
    int *a = zeros<int>(128), *d = zeros<int>(128);
    two(unsigned flags = cudaStreamNonBlocking)
    {
        cudaDeviceSynchronize();
        cudaStreamCreateWithFlags(&s, flags);
        cudaStreamCreateWithFlags(&t, flags);
        cudaEventCreate(&e);
    }
    ~two()
    {
        finish(d, 64);
        cudaFree(a);
        cudaEventDestroy(e);
        cudaStreamDestroy(s);
        cudaStreamDestroy(t);
    }
};

CASE(put_put)
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    put<<<1, 64, 0, x.t>>>(x.a, 2);
}
CASE(put_put_one) // silent: one stream
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    put<<<1, 64, 0, x.s>>>(x.a, 2);
}
CASE(put_halves) // silent: other bytes
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    put<<<1, 64, 0, x.t>>>(x.a + 64, 2);
}
CASE(second_half)
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a + 32, 1);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(get_get) // silent: two readers
{
    two x;
    int *d = zeros<int>(64);
    cudaDeviceSynchronize();
    get<<<1, 64, 0, x.s>>>(x.a, x.d);
    get<<<1, 64, 0, x.t>>>(x.a, d);
    finish(d, 64);
}
CASE(put_memset)
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaMemsetAsync(x.a, 0, 256, x.t);
}
CASE(memset_put)
{
    two x;
    cudaMemsetAsync(x.a, 1, 256, x.t);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
}
CASE(memset_get)
{
    two x;
    cudaMemsetAsync(x.a, 1, 256, x.s);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(memset_get_one) // silent: one stream
{
    two x;
    cudaMemsetAsync(x.a, 1, 256, x.s);
    get<<<1, 64, 0, x.s>>>(x.a, x.d);
}
CASE(memset_beside) // silent: the bytes behind
{
    two x;
    cudaMemsetAsync(x.a + 64, 1, 256, x.s);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(put_copy)
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaMemcpyAsync(x.d, x.a, 256, cudaMemcpyDeviceToDevice, x.t);
}
CASE(copy_put)
{
    two x;
    cudaMemcpyAsync(x.d, x.a, 256, cudaMemcpyDeviceToDevice, x.t);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
}
CASE(copy_get)
{
    two x;
    int *d = zeros<int>(64);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(x.a, d, 256, cudaMemcpyDeviceToDevice, x.s);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
    cudaDeviceSynchronize();
    cudaFree(d);
}
CASE(copy_reads_too) // silent: copy and kernel read the same
{
    two x;
    int *d = zeros<int>(64);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(d, x.a, 256, cudaMemcpyDeviceToDevice, x.s);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
    cudaDeviceSynchronize();
    cudaFree(d);
}
CASE(copy_waited) // silent: the host waits for the copy
{
    two x;
    cudaMemcpyAsync(x.d, x.a, 256, cudaMemcpyDeviceToDevice, x.t);
    cudaStreamSynchronize(x.t);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
}
CASE(wait_wrong) // the first stream waits, not the second
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaEventRecord(x.e, x.s);
    cudaStreamWaitEvent(x.s, x.e, 0);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(wait_early) // the event is recorded before the kernel
{
    two x;
    cudaEventRecord(x.e, x.s);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaStreamWaitEvent(x.t, x.e, 0);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(wait_late) // silent: recorded again behind the kernel
{
    two x;
    cudaEventRecord(x.e, x.s);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaEventRecord(x.e, x.s);
    cudaStreamWaitEvent(x.t, x.e, 0);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(host_wait_event) // silent
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaEventRecord(x.e, x.s);
    cudaEventSynchronize(x.e);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(host_wait_stream) // silent
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaStreamSynchronize(x.s);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(host_wait_wrong)
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaStreamSynchronize(x.t);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(host_wait_device) // silent
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaDeviceSynchronize();
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(legacy_blocking) // silent: the legacy stream waits for blocking streams
{
    two x(cudaStreamDefault);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    get<<<1, 64>>>(x.a, x.d);
}
CASE(legacy_between) // silent: s, then the legacy stream, then t
{
    two x(cudaStreamDefault);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    put<<<1, 1>>>(x.d, 0);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
}
CASE(legacy_nonblocking)
{
    two x;
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    get<<<1, 64>>>(x.a, x.d);
}

/* Two kernels as nodes of a graph, the second with or without an edge from the first. */
static void run_graph(bool edge)
{
    two x;
    int value = 3;
    void *puts[] = {&x.a, &value}, *gets[] = {&x.a, &x.d};
    cudaKernelNodeParams p = {}, g = {};
    p.func = (void *)put;
    p.gridDim = g.gridDim = dim3(1);
    p.blockDim = g.blockDim = dim3(64);
    p.kernelParams = puts;
    g.func = (void *)get;
    g.kernelParams = gets;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
    cudaGraphAddKernelNode(&second, graph, edge ? &first : nullptr, edge ? 1 : 0, &g);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, x.s);
    cudaStreamSynchronize(x.s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

CASE(graph_noedge) { run_graph(false); }
CASE(graph_edge) { run_graph(true); } // silent

CASE(graph_captured) // silent: the event becomes an edge
{
    two x;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t back;
    cudaEventCreate(&back);
    cudaStreamBeginCapture(x.s, cudaStreamCaptureModeGlobal);
    put<<<1, 64, 0, x.s>>>(x.a, 1);
    cudaEventRecord(x.e, x.s);
    cudaStreamWaitEvent(x.t, x.e, 0);
    get<<<1, 64, 0, x.t>>>(x.a, x.d);
    cudaEventRecord(back, x.t);
    cudaStreamWaitEvent(x.s, back, 0);
    cudaStreamEndCapture(x.s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, x.s);
    cudaStreamSynchronize(x.s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(back);
}
