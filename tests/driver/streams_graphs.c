/* Streams, events, host functions, memory operations, capture, graphs made by hand, occupancy. */
#include "driver_test.h"

static CUfunction fill;

static void count_up(void *user) { ++*(int *)user; }

static void CUDA_CB told(CUstream stream, CUresult status, void *user)
{
    (void)stream;
    *(int *)user = status == CUDA_SUCCESS ? 5 : -1;
}

static unsigned first_word(CUdeviceptr p)
{
    unsigned value = 0;
    CHECK(cuMemcpyDtoH(&value, p, 4));
    return value;
}

static void check_streams(CUdeviceptr out)
{
    CUstream stream, other;
    CUevent start, end;
    int calls = 0, told_value = 0, priority = 1, low = 1, high = 1;
    unsigned value = 4, n = 64, flags = 0;
    float milliseconds = -1;
    void *params[] = {&out, &value, &n};
    CHECK(cuCtxGetStreamPriorityRange(&low, &high));
    EXPECT(low == 0 && high < 0);
    CHECK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, high));
    CHECK(cuStreamGetPriority(stream, &priority));
    CHECK(cuStreamGetFlags(stream, &flags));
    EXPECT(priority == high && flags == CU_STREAM_NON_BLOCKING);
    CHECK(cuStreamCreate(&other, 0));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuEventRecord(start, stream));
    CHECK(cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuStreamWaitEvent(other, end, 0));
    CHECK(cuLaunchHostFunc(other, count_up, &calls));
    CHECK(cuStreamAddCallback(other, told, &told_value, 0));
    CHECK(cuStreamWriteValue32(other, out + 4, 77, 0));
    CHECK(cuStreamWaitValue32(other, out + 4, 77, CU_STREAM_WAIT_VALUE_EQ));
    CHECK(cuStreamSynchronize(other));
    EXPECT(calls == 1 && told_value == 5 && first_word(out) == 12 && first_word(out + 4) == 77);
    CHECK(cuEventSynchronize(end));
    CHECK(cuEventQuery(end));
    CHECK(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds > 0);
    CHECK(cuStreamQuery(stream));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuStreamDestroy(other));
    EXPECT_ERROR(cuStreamSynchronize(other), CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEventDestroy(start));
    CHECK(cuEventDestroy(end));
}

static void check_capture(CUdeviceptr out)
{
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    size_t nodes = 0;
    unsigned value = 10, n = 64;
    void *params[] = {&out, &value, &n};
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cuStreamIsCapturing(stream, &status));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CHECK(cuMemsetD32Async(out, 0, 64, stream));
    CHECK(cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, stream, params, NULL));
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuGraphGetNodes(graph, NULL, &nodes));
    EXPECT(nodes == 2 && first_word(out) != 30);
    CHECK(cuGraphInstantiate(&exec, graph, 0));
    CHECK(cuGraphLaunch(exec, stream));
    CHECK(cuStreamSynchronize(stream));
    EXPECT(first_word(out) == 30);
    CHECK(cuGraphExecDestroy(exec));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuStreamDestroy(stream));
}

static void check_graph(CUdeviceptr out)
{
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode set, kernel, host, copy;
    CUgraphNodeType type;
    int calls = 0;
    unsigned value = 2, n = 64, result[64] = {0};
    void *params[] = {&out, &value, &n};
    CUcontext context;
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuGraphCreate(&graph, 0));
    CUDA_MEMSET_NODE_PARAMS s = {.dst = out, .value = 1, .elementSize = 4, .width = 64, .height = 1};
    CHECK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &s, context));
    CUDA_KERNEL_NODE_PARAMS k = {.func = fill,
                                 .gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 64,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .kernelParams = params};
    CHECK(cuGraphAddKernelNode(&kernel, graph, &set, 1, &k));
    CUDA_HOST_NODE_PARAMS h = {count_up, &calls};
    CHECK(cuGraphAddHostNode(&host, graph, &kernel, 1, &h));
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = out,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = result,
                       .WidthInBytes = sizeof result,
                       .Height = 1,
                       .Depth = 1};
    CHECK(cuGraphAddMemcpyNode(&copy, graph, &host, 1, &c, context));
    CHECK(cuGraphNodeGetType(copy, &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_MEMCPY);
    CHECK(cuGraphInstantiate(&exec, graph, 0));
    CHECK(cuGraphLaunch(exec, NULL));
    CHECK(cuCtxSynchronize());
    EXPECT(result[0] == 6 && result[63] == 6 && calls == 1);
    value = 5;
    CHECK(cuGraphExecKernelNodeSetParams(exec, kernel, &k));
    CHECK(cuGraphLaunch(exec, NULL));
    CHECK(cuCtxSynchronize());
    EXPECT(result[63] == 15 && calls == 2);
    CHECK(cuGraphExecDestroy(exec));
    CHECK(cuGraphDestroy(graph));
}

static size_t no_shared(int block)
{
    (void)block;
    return 0;
}

/* A node of a child graph is set through the executable of its parent. */
static void check_child_graph(CUdeviceptr out)
{
    CUgraph child, parent, inner;
    CUgraphNode set, node;
    CUgraphExec exec;
    CUcontext context;
    size_t count = 1;
    CUDA_MEMSET_NODE_PARAMS s = {.dst = out, .value = 3, .elementSize = 4, .width = 1, .height = 1};
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuGraphCreate(&child, 0));
    CHECK(cuGraphAddMemsetNode(&set, child, NULL, 0, &s, context));
    CHECK(cuGraphCreate(&parent, 0));
    CHECK(cuGraphAddChildGraphNode(&node, parent, NULL, 0, child));
    CHECK(cuGraphChildGraphNodeGetGraph(node, &inner));
    CHECK(cuGraphGetNodes(inner, &set, &count));
    EXPECT(count == 1);
    CHECK(cuGraphInstantiate(&exec, parent, 0));
    s.value = 4;
    CHECK(cuGraphExecMemsetNodeSetParams(exec, set, &s, context));
    CHECK(cuGraphLaunch(exec, NULL));
    EXPECT(first_word(out) == 4);
    CHECK(cuGraphExecDestroy(exec));
    CHECK(cuGraphDestroy(parent));
    CHECK(cuGraphDestroy(child));
}

static void check_occupancy(void)
{
    int blocks = 0, grid = 0, block = 0;
    size_t shared = 0;
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    EXPECT(blocks >= 1 && blocks <= 8);
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, no_shared, 0, 0));
    EXPECT(block > 0 && block <= 1024 && grid > 0);
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, fill, NULL, 0, 96));
    EXPECT(block <= 96);
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, fill, 2, 256));
    EXPECT(shared > 0);
}

static void count_end(void *user) { ++*(int *)user; }

/* An object lives until the graph that keeps it is destroyed; the graph as text; pools by location. */
static void check_objects(void)
{
    const char *path = "streams_graphs.dot";
    int ends = 0;
    CUuserObject object;
    CUgraph graph;
    CUgraphNode a, b;
    char text[400] = "";
    EXPECT_ERROR(cuUserObjectCreate(&object, &ends, count_end, 1, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuUserObjectCreate(&object, &ends, count_end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    CHECK(cuUserObjectRetain(object, 2));
    CHECK(cuUserObjectRelease(object, 1));
    CHECK(cuGraphCreate(&graph, 0));
    CHECK(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
    CHECK(cuGraphReleaseUserObject(graph, object, 1));
    CHECK(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    CHECK(cuGraphAddEmptyNode(&b, graph, &a, 1));
    CHECK(cuGraphDebugDotPrint(graph, path, 0));
    FILE *f = fopen(path, "r");
    EXPECT(f && fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    remove(path);
    EXPECT(strstr(text, "digraph") && strstr(text, "\"empty\"") && strstr(text, "->"));
    EXPECT(ends == 0);
    CHECK(cuGraphDestroy(graph));
    EXPECT(ends == 1);
    CUmemoryPool pool, same;
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                  nowhere = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 7};
    CHECK(cuMemGetDefaultMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    CHECK(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    CHECK(cuMemGetMemPool(&same, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
    EXPECT(pool == same);
    EXPECT_ERROR(cuMemGetMemPool(&same, &nowhere, CU_MEM_ALLOCATION_TYPE_PINNED), CUDA_ERROR_INVALID_DEVICE);
}

int main(void)
{
    CUmodule module;
    CUdeviceptr out;
    begin();
    CHECK(cuModuleLoadData(&module, PTX_FILL));
    CHECK(cuModuleGetFunction(&fill, module, "fill"));
    CHECK(cuMemAlloc(&out, 256));
    check_streams(out);
    check_capture(out);
    check_graph(out);
    check_child_graph(out);
    check_occupancy();
    check_objects();
    printf("ok streams_graphs\n");
    return 0;
}
