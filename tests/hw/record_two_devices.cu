/* What two NVIDIA GPUs answer about each other: peer access, copies, streams, events, errors, limits, pools, managed memory, IPC.
 * nvcc -arch=native record_two_devices.cu -lcuda && ./a.out; h100-two-devices.txt is its output. Each part is a process of its own,
 * so that what breaks a context (or the process) breaks one part. A line: the call, "->", the number of its error, and in brackets
 * what cudaGetLastError says after it where that is something else. */
#include "record_two_devices.h"

static void visible(const char *list)
{
    int n = -1, e;
    pid_t child = fork();
    if (!child) {
        setenv("CUDA_VISIBLE_DEVICES", list, 1);
        e = (int)cudaGetDeviceCount(&n);
        say("  CUDA_VISIBLE_DEVICES=%s: count -> %d, %d devices\n", list, e, n);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}
static void part_count(void)
{
    const char *lists[] = {"0", "1", "1,0", "", "0,0", "7", "0,7,1", "-1", "1,-1,0", "NoDevFiles"};
    for (const char *l : lists) visible(l);
    int n = -1, can = -1;
    ask(cudaGetDeviceCount(&n));
    say("  %d devices\n", n);
    int pairs[][2] = {{0, 1}, {1, 0}, {0, 0}, {0, 2}, {2, 0}, {-1, 0}};
    for (auto &p : pairs) {
        can = -1;
        say("  %d to %d:\n", p[0], p[1]);
        ask(cudaDeviceCanAccessPeer(&can, p[0], p[1]));
        say("  can %d\n", can);
        int a = cudaDevP2PAttrAccessSupported;
        for (; a <= cudaDevP2PAttrCudaArrayAccessSupported; a++) {
            int v = -1;
            int e = (int)cudaDeviceGetP2PAttribute(&v, (cudaDeviceP2PAttr)a, p[0], p[1]);
            say("  attribute %d -> %d%s\n", a, e, e ? "" : v < 0 ? "" : v ? " yes" : " no");
        }
        cudaGetLastError();
    }
    ask(cudaSetDevice(2));
    ask(cudaSetDevice(-1));
    ask(cudaInitDevice(1, 0, 0));
    ask(cudaGetDevice(&n));
    say("  current %d\n", n);
    int order[] = {1, 0};
    ask(cudaSetValidDevices(order, 2));
    ask(cudaGetDevice(&n));
    say("  current %d\n", n);
    ask(cudaSetDevice(1));
    char id[32];
    for (int d = 0; d < 3; d++) {
        ask(cudaDeviceGetPCIBusId(id, sizeof id, d));
        n = -1;
        if (d < 2) ask(cudaDeviceGetByPCIBusId(&n, id)), say("  it is device %d\n", n);
    }
    std::thread([] {
        int d = -1;
        cudaGetDevice(&d);
        say("  current in a new thread %d\n", d);
    }).join();
    cudaMemPool_t pool[2];
    for (int d = 0; d < 2; d++) cudaDeviceGetDefaultMemPool(&pool[d], d);
    say("  pools differ: %d\n", pool[0] != pool[1]);
    ask(cudaDeviceGetDefaultMemPool(&pool[0], 2));
    size_t free0[2], free1[2], all;
    for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaMemGetInfo(&free0[d], &all);
    cudaMalloc(&back, 1 << 30);
    for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaMemGetInfo(&free1[d], &all);
    say("  1 GiB on device 1 taken from: %d %d\n", free0[0] - free1[0] >= 1 << 30, free0[1] - free1[1] >= 1 << 30);
}
static void part_peer(void)
{
    both();
    ask(cudaDeviceDisablePeerAccess(1));
    ask(cudaDeviceEnablePeerAccess(0, 0));
    ask(cudaDeviceEnablePeerAccess(1, 1));
    ask(cudaDeviceEnablePeerAccess(2, 0));
    ask(cudaDeviceEnablePeerAccess(-1, 0));
    ask(cudaDeviceDisablePeerAccess(2));
    ask(cudaDeviceDisablePeerAccess(0));
    ask(cudaDeviceEnablePeerAccess(1, 0));
    ask(cudaDeviceEnablePeerAccess(1, 0));
    add<<<1, 1>>>(on[1], 5);
    ask(cudaDeviceSynchronize());
    say("  device 0 added to device 1's memory: %d\n", first(on[1]));
    int *later, *pinned;
    cudaSetDevice(1);
    cudaMalloc(&later, 4);
    cudaMemset(later, 0, 4);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    add<<<1, 1>>>(later, 7);
    ask(cudaDeviceSynchronize());
    say("  memory allocated after it was enabled: %d\n", first(later));
    cudaSetDevice(1);
    ask(cudaHostAlloc(&pinned, 4, 0));
    *pinned = 1;
    cudaSetDevice(0);
    add<<<1, 1>>>(pinned, 7);
    ask(cudaDeviceSynchronize());
    say("  pinned memory of device 1: %d\n", *pinned);
    ask(cudaDeviceDisablePeerAccess(1));
    ask(cudaDeviceDisablePeerAccess(1));
    ask(cudaMemcpy(back, on[1], 4, cudaMemcpyDeviceToHost));
    add<<<1, 1>>>(on[1], 5);
    ask(cudaDeviceSynchronize());
    ask(cudaMemcpy(back, on[1], 4, cudaMemcpyDeviceToHost));
    ask(cudaMemcpy(back, on[0], 4, cudaMemcpyDeviceToHost));
}
static void part_copies(void)
{
    both();
    cudaStream_t s0 = stream[0], s1 = stream[1];
    ask(cudaMemcpyPeer(on[0], 0, on[1], 1, 4));
    ask(cudaMemcpyPeer(on[0], 1, on[1], 0, 4));
    ask(cudaMemcpyPeer(on[0], 0, on[1], 0, 4));
    ask(cudaMemcpyPeer(on[0], 0, on[0] + 9, 0, 4));
    ask(cudaMemcpyPeer(on[0], 1, on[0] + 9, 1, 4));
    ask(cudaMemcpyPeer(on[0], 0, on[1], 2, 4));
    ask(cudaMemcpyPeer(on[0], -1, on[1], 1, 4));
    ask(cudaMemcpyPeer(on[0], 2, on[1], 1, 0));
    ask(cudaMemcpyPeer(on[0], 0, on[1], 1, 0));
    ask(cudaMemcpyPeer(NULL, 0, on[1], 1, 4));
    ask(cudaMemcpyPeer(back, 0, on[1], 1, 4));
    ask(cudaMemcpyPeer(on[0], 0, on[1], 1, N * 4 + (4 << 20)));
    ask(cudaMemcpyPeerAsync(on[0], 0, on[1], 1, 4, s0));
    ask(cudaMemcpyPeerAsync(on[0], 0, on[1], 1, 4, s1));
    ask(cudaMemcpyPeerAsync(on[1], 1, on[0], 0, 4, 0));
    ask(cudaDeviceSynchronize());
    ask(cudaMemcpy(on[0], on[1], 4, cudaMemcpyDeviceToDevice));
    ask(cudaMemcpy(on[0], on[1], 4, cudaMemcpyDefault));
    ask(cudaMemcpy(on[1], on[0], 4, cudaMemcpyDeviceToHost));
    ask(cudaMemcpyAsync(on[1], on[0], 4, cudaMemcpyDefault, s0));
    ask(cudaMemcpyAsync(on[1], on[0], 4, cudaMemcpyDefault, s1));
    ask(cudaMemcpyAsync(on[1], back, 4, cudaMemcpyHostToDevice, s0));
    ask(cudaMemcpyAsync(back, on[1], 4, cudaMemcpyDeviceToHost, s0));
    ask(cudaMemcpy(on[1], back, 4, cudaMemcpyHostToDevice));
    ask(cudaMemset(on[1], 3, 4));
    ask(cudaMemsetAsync(on[1], 3, 4, s0));
    ask(cudaMemsetAsync(on[1], 3, 4, s1));
    ask(cudaMemset2D(on[1], 64, 1, 4, 4));
    ask(cudaMemcpy2D(on[1], 64, on[0], 64, 4, 4, cudaMemcpyDefault));
    ask(cudaDeviceSynchronize());
    int value = 40, other = 0;
    cudaSetDevice(1);
    ask(cudaMemcpyToSymbol(mark, &value, 4));
    cudaSetDevice(0);
    ask(cudaMemcpyFromSymbol(&other, mark, 4));
    say("  a variable set on device 1 is %d on device 0\n", other);
    void *at[2];
    for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaGetSymbolAddress(&at[d], mark);
    say("  addresses of the variable differ: %d\n", at[0] != at[1]);
    ask(cudaMemcpy(at[0], at[1], 4, cudaMemcpyDefault));
}
static cudaArray_t array_on(int d)
{
    cudaArray_t a = NULL;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    cudaSetDevice(d);
    cudaMallocArray(&a, &f, 32, 4, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(a, 0, 0, back, 128, 128, 4, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    return a;
}
static void copy_3d_peer(void *d, cudaArray_t da, int dd, void *s, cudaArray_t sa, int sd)
{
    cudaMemcpy3DPeerParms p = {};
    p.dstArray = da, p.srcArray = sa, p.dstDevice = dd, p.srcDevice = sd;
    if (!da) p.dstPtr = make_cudaPitchedPtr(d, 128, 128, 4);
    if (!sa) p.srcPtr = make_cudaPitchedPtr(s, 128, 128, 4);
    p.extent = make_cudaExtent(da || sa ? 32 : 128, 4, 1);
    say("  %s%d to %s%d: ", sa ? "array " : "", sd, da ? "array " : "", dd);
    ask(cudaMemcpy3DPeer(&p));
    ask(cudaMemcpy3DPeerAsync(&p, stream[0]));
    ask(cudaStreamSynchronize(stream[0]));
}
static void part_arrays(void)
{
    both();
    for (int i = 0; i < N; i++) back[i] = i;
    cudaArray_t a[2] = {array_on(0), array_on(1)};
    copy_3d_peer(on[0], NULL, 0, on[1], NULL, 1);
    copy_3d_peer(on[0], NULL, 1, on[1], NULL, 0);
    copy_3d_peer(on[0], NULL, 0, on[1], NULL, 2);
    copy_3d_peer(NULL, a[0], 0, NULL, a[1], 1);
    copy_3d_peer(NULL, a[0], 1, NULL, a[1], 0);
    copy_3d_peer(on[0], NULL, 0, NULL, a[1], 1);
    copy_3d_peer(NULL, a[0], 0, on[1], NULL, 1);
    ask(cudaMemcpy2DArrayToArray(a[0], 0, 0, a[1], 0, 0, 128, 4, cudaMemcpyDeviceToDevice));
    ask(cudaMemcpy2DToArray(a[1], 0, 0, on[0], 128, 128, 4, cudaMemcpyDefault));
    ask(cudaMemcpy2DFromArray(back, 128, a[1], 0, 0, 128, 4, cudaMemcpyDeviceToHost));
    for (int d = 0; d < 2; d++) {
        cudaResourceDesc r = {};
        cudaTextureDesc t = {};
        cudaTextureObject_t x[2] = {};
        cudaSetDevice(d);
        say("  with device %d current, of device 1's array and memory:\n", d);
        r.resType = cudaResourceTypeArray, r.res.array.array = a[1];
        ask(cudaCreateTextureObject(&x[0], &r, &t, NULL));
        r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = on[1], r.res.linear.sizeInBytes = N * 4;
        r.res.linear.desc = cudaCreateChannelDesc<int>();
        ask(cudaCreateTextureObject(&x[1], &r, &t, NULL));
        r.resType = cudaResourceTypeArray, r.res.array.array = a[1];
        cudaSurfaceObject_t s = 0;
        ask(cudaCreateSurfaceObject(&s, &r));
        ask(cudaDestroySurfaceObject(s));
        for (int k = 0; k < 2; k++) ask(cudaDestroyTextureObject(x[k]));
    }
    cudaSetDevice(0);
    ask(cudaFreeArray(a[1]));
    ask(cudaFree(on[1]));
    ask(cudaFree(on[1]));
}
static void part_streams(void)
{
    both();
    cudaStream_t s1 = stream[1];
    float ms;
    int d = -1, least, most;
    nothing<<<1, 1, 0, s1>>>();
    ask(cudaPeekAtLastError());
    ask(cudaLaunchKernel((void *)nothing, dim3(1), dim3(1), NULL, 0, s1));
    ask(cudaStreamGetDevice(s1, &d));
    say("  device %d\n", d);
    ask(cudaEventRecord(event[0], s1));
    ask(cudaEventRecord(event[1], s1));
    ask(cudaEventRecord(event[1], stream[0]));
    ask(cudaEventRecord(event[1], 0));
    ask(cudaEventRecord(event[0], 0));
    ask(cudaStreamWaitEvent(s1, event[0], 0));
    ask(cudaStreamWaitEvent(stream[0], event[1], 0));
    ask(cudaStreamWaitEvent(0, event[1], 0));
    ask(cudaEventSynchronize(event[1]));
    ask(cudaEventQuery(event[1]));
    ask(cudaEventElapsedTime(&ms, event[0], event[1]));
    ask(cudaEventElapsedTime(&ms, event[1], event[0]));
    ask(cudaStreamSynchronize(s1));
    ask(cudaStreamQuery(s1));
    ask(cudaLaunchHostFunc(s1, [](void *) {}, NULL));
    ask(cudaStreamAddCallback(s1, [](cudaStream_t, cudaError_t, void *) {}, NULL, 0));
    ask(cudaStreamGetPriority(s1, &least));
    ask(cudaDeviceGetStreamPriorityRange(&least, &most));
    ask(cudaStreamAttachMemAsync(s1, &everywhere, 0, cudaMemAttachGlobal));
    ask(cudaStreamCopyAttributes(stream[0], s1));
    cudaStream_t foreign;
    ask(cudaStreamCreate(&foreign));
    cudaSetDevice(1);
    nothing<<<1, 1, 0, foreign>>>();
    ask(cudaPeekAtLastError());
    nothing<<<1, 1, 0, cudaStreamPerThread>>>();
    ask(cudaStreamSynchronize(cudaStreamPerThread));
    ask(cudaStreamDestroy(foreign));
    ask(cudaEventDestroy(event[0]));
    cudaSetDevice(0);
    ask(cudaStreamDestroy(s1));
    ask(cudaEventDestroy(event[1]));
}
static void part_capture(void)
{
    both();
    cudaStream_t s0 = stream[0], s1 = stream[1];
    cudaGraph_t g = NULL;
    cudaGraphExec_t x = NULL;
    cudaEvent_t fork_event;
    cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming);
    ask(cudaStreamBeginCapture(s0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s0>>>(on[0], 1);
    ask(cudaMemcpyPeerAsync(on[1], 1, on[0], 0, 4, s0));
    ask(cudaEventRecord(fork_event, s0));
    ask(cudaStreamWaitEvent(s1, fork_event, 0));
    cudaSetDevice(1);
    add<<<1, 1, 0, s1>>>(on[1], 10);
    ask(cudaGetLastError());
    ask(cudaEventRecord(event[1], s1));
    cudaSetDevice(0);
    ask(cudaStreamWaitEvent(s0, event[1], 0));
    add<<<1, 1, 0, s0>>>(on[0], 2);
    ask(cudaStreamEndCapture(s0, &g));
    ask(cudaGraphInstantiate(&x, g, 0));
    ask(cudaGraphLaunch(x, s0));
    ask(cudaStreamSynchronize(s0));
    say("  %d %d\n", first(on[0]), first(on[1]));
    say("  launched in device 1's stream:\n");
    ask(cudaGraphLaunch(x, s1));
    ask(cudaStreamSynchronize(s1));
    cudaSetDevice(1);
    ask(cudaGraphLaunch(x, s1));
    ask(cudaStreamSynchronize(s1));
    say("  %d %d\n", first(on[0]), first(on[1]));
    ask(cudaGraphUpload(x, s1));
    cudaSetDevice(0);
    say("  begun with another device current:\n");
    ask(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
    ask(cudaMemsetAsync(on[1], 0, 4, s1));
    nothing<<<1, 1, 0, s1>>>();
    ask(cudaPeekAtLastError());
    ask(cudaStreamEndCapture(s1, &g));
    cudaGraphNode_t n;
    cudaKernelNodeParams k = {};
    int five = 5;
    void *args[] = {&on[1], &five};
    k.func = (void *)add, k.gridDim = k.blockDim = dim3(1), k.kernelParams = args;
    cudaSetDevice(1);
    ask(cudaGraphCreate(&g, 0));
    ask(cudaGraphAddKernelNode(&n, g, NULL, 0, &k));
    cudaSetDevice(0);
    ask(cudaGraphInstantiate(&x, g, 0));
    ask(cudaGraphLaunch(x, s0));
    ask(cudaStreamSynchronize(s0));
    say("  the node's kernel ran where the node was made: %d\n", first(on[1]));
    cudaMemAllocNodeParams m = {};
    m.poolProps.allocType = cudaMemAllocationTypePinned, m.poolProps.location.type = cudaMemLocationTypeDevice;
    m.poolProps.location.id = 1, m.bytesize = 4096;
    ask(cudaGraphCreate(&g, 0));
    ask(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &m));
    cudaPointerAttributes a = {};
    ask(cudaPointerGetAttributes(&a, m.dptr));
    say("  type %d device %d\n", a.type, a.device);
    m.poolProps.location.id = 2;
    ask(cudaGraphAddMemAllocNode(&n, g, NULL, 0, &m));
}
static volatile int set_flag, seen;
static void wait_for_flag(void *)
{
    for (int i = 0; i < 2000 && !set_flag; i++) usleep(1000);
    seen = set_flag;
}
/* Which waits of the host and which work of device 0 come before work of device 1 that cannot end yet. */
static void order(const char *what, void (*work)(void), cudaStream_t where)
{
    set_flag = seen = 0;
    cudaSetDevice(1);
    cudaLaunchHostFunc(where, wait_for_flag, NULL);
    cudaSetDevice(0);
    work();
    set_flag = 1;
    cudaSetDevice(1);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    say("  %s waits for device 1: %d\n", what, !seen);
}
static void part_order(void)
{
    both();
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    order("cudaDeviceSynchronize", [] { cudaDeviceSynchronize(); }, stream[1]);
    order("a kernel in the default stream", [] { nothing<<<1, 1>>>(), cudaDeviceSynchronize(); }, stream[1]);
    order("the same against the default stream", [] { nothing<<<1, 1>>>(), cudaDeviceSynchronize(); }, 0);
    order("cudaMemcpy of device 0", [] { cudaMemcpy(back, on[0], 4, cudaMemcpyDefault); }, stream[1]);
    order("cudaMemcpy of device 1", [] { cudaMemcpy(back, on[1], 4, cudaMemcpyDefault); }, stream[1]);
    order("cudaMemcpy of device 1, default stream", [] { cudaMemcpy(back, on[1], 4, cudaMemcpyDefault); }, 0);
    order("cudaMemcpyPeer", [] { cudaMemcpyPeer(on[0], 0, on[1], 1, 4); }, stream[1]);
    order(
        "cudaMemcpyPeer, then a wait for device 0",
        [] { cudaMemcpyPeer(on[0], 0, on[1], 1, 4), cudaDeviceSynchronize(); }, 0);
    order("cudaMemset of device 1", [] { cudaMemset(on[1], 0, 4), cudaDeviceSynchronize(); }, 0);
    order(
        "cudaMalloc and cudaFree",
        [] {
            void *p;
            cudaMalloc(&p, 1 << 20), cudaFree(p);
        },
        stream[1]);
}
static void part_errors(void)
{
    faults("memory of device 1, not enabled", [] {
        add<<<1, 1>>>(on[1], 1);
        ask(cudaDeviceSynchronize());
    });
    faults("device 1 is enabled for 0 only, device 1 accesses device 0", [] {
        cudaDeviceEnablePeerAccess(1, 0);
        cudaSetDevice(1);
        add<<<1, 1>>>(on[0], 1);
        ask(cudaDeviceSynchronize());
        cudaSetDevice(0);
    });
    faults("enabled, then disabled", [] {
        cudaDeviceEnablePeerAccess(1, 0);
        cudaDeviceDisablePeerAccess(1);
        add<<<1, 1>>>(on[1], 1);
        ask(cudaDeviceSynchronize());
    });
    faults("trap on device 0, peers enabled both ways", [] {
        cudaDeviceEnablePeerAccess(1, 0), cudaSetDevice(1), cudaDeviceEnablePeerAccess(0, 0), cudaSetDevice(0);
        trap<<<1, 1>>>();
        ask(cudaDeviceSynchronize());
    });
    faults("trap on device 1", [] {
        cudaSetDevice(1), trap<<<1, 1>>>();
        ask(cudaDeviceSynchronize()), cudaSetDevice(0);
    });
    faults("a trap of device 1 that nobody waited for", [] {
        cudaSetDevice(1), trap<<<1, 1>>>();
        usleep(200000), cudaSetDevice(0);
    });
    faults("a launch that is refused on device 1", [] {
        cudaSetDevice(1), nothing<<<1, 2000>>>();
        cudaSetDevice(0);
    });
    faults("pinned memory of device 1 that was freed", [] {
        int *p;
        cudaSetDevice(1), cudaMallocHost(&p, 4), cudaSetDevice(0);
        ask(cudaFreeHost(p));
        add<<<1, 1>>>(p, 1);
        ask(cudaDeviceSynchronize());
    });
}
static void part_texture_fault(void)
{
    faults("a texture object of device 0 in a kernel of device 1", [] {
        cudaResourceDesc r = {};
        cudaTextureDesc t = {};
        cudaTextureObject_t x = 0;
        r.resType = cudaResourceTypeArray, r.res.array.array = array_on(0);
        ask(cudaCreateTextureObject(&x, &r, &t, NULL));
        cudaSetDevice(1);
        fetch<<<1, 1>>>(x, on[1]);
        ask(cudaDeviceSynchronize());
        cudaSetDevice(0);
    });
}
static void part_limits(void)
{
    both();
    const cudaLimit of[] = {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize};
    size_t v[2], to[] = {4096, 2 << 20, 64 << 20};
    for (int i = 0; i < 3; i++) {
        cudaSetDevice(1);
        cudaDeviceGetLimit(&v[0], of[i]);
        cudaSetDevice(0);
        ask(cudaDeviceSetLimit(of[i], to[i]));
        cudaDeviceGetLimit(&v[1], of[i]);
        say("  limit %d of device 0 is as set: %d", (int)of[i], v[1] == to[i]);
        cudaSetDevice(1);
        cudaDeviceGetLimit(&v[1], of[i]);
        say(", device 1 keeps its own: %d\n", v[0] == v[1]);
        cudaSetDevice(0);
    }
    ask(cudaFuncSetAttribute(much_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    cudaFuncAttributes f;
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        ask(cudaFuncGetAttributes(&f, much_shared));
        say("  on device %d: %d\n", d, f.maxDynamicSharedSizeBytes);
        much_shared<<<1, 1, 100000>>>(NULL);
        ask(cudaDeviceSynchronize());
    }
    cudaSetDevice(0);
    unsigned flags = 99;
    ask(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaGetDeviceFlags(&flags);
        say("  flags of device %d: %u\n", d, flags);
    }
    cudaFuncCache c;
    cudaSetDevice(0);
    ask(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaDeviceGetCacheConfig(&c), say("  cache of device %d: %d\n", d, c);
}
static void part_heaps(void)
{
    both();
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        ask(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (16 + 48 * d) << 20));
    }
    for (int d = 0; d < 2; d++) {
        int n = -1;
        cudaSetDevice(d);
        many_mallocs<<<1, 1>>>(on[d]);
        ask(cudaDeviceSynchronize());
        n = first(on[d]);
        say("  device %d with a heap of %d MiB gave more than 10 MiB: %d, more than 20: %d\n", d, 16 + 48 * d, n > 10,
            n > 20);
    }
    ask(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 80 << 20));
}
static void part_managed(void)
{
    both();
    int *m, v = -1, e;
    cudaMallocManaged(&m, 1 << 20);
    *m = 1;
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        add<<<1, 1>>>(m, 10);
        add<<<1, 1>>>(&everywhere, 10);
        ask(cudaDeviceSynchronize());
    }
    say("  both added: %d %d\n", *m, everywhere);
    for (int d = -1; d < 3; d++) {
        cudaMemLocation l = {d < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, d < 0 ? 0 : d};
        say("  location %d:\n", d);
        ask(cudaMemPrefetchAsync(m, 1 << 20, l, 0, stream[1]));
        ask(cudaDeviceSynchronize());
        e = (int)cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 1 << 20);
        say("  last prefetch -> %d: %d\n", e, v);
        ask(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, l));
        ask(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, l));
        e = (int)cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributePreferredLocation, m, 1 << 20);
        say("  preferred -> %d: %d\n", e, v);
    }
    int by[3] = {-9, -9, -9};
    e = (int)cudaMemRangeGetAttribute(by, 12, cudaMemRangeAttributeAccessedBy, m, 1 << 20);
    say("  accessed by -> %d: %d %d %d\n", e, by[0], by[1], by[2]);
    ask(cudaMemPrefetchAsync(on[1], 4, {cudaMemLocationTypeDevice, 0}, 0, 0));
    int *held;
    cudaSetDevice(1);
    ask(cudaMallocManaged(&held, 4, cudaMemAttachHost));
    add<<<1, 1>>>(held, 1);
    ask(cudaDeviceSynchronize());
}
static void part_pools(void)
{
    both();
    cudaMemPool_t pool[2], made;
    int *p0, *p1, *p;
    for (int d = 0; d < 2; d++) cudaDeviceGetDefaultMemPool(&pool[d], d);
    cudaMemAccessFlags flags;
    for (int d = 0; d < 3; d++) {
        cudaMemLocation l = {cudaMemLocationTypeDevice, d};
        flags = (cudaMemAccessFlags)9;
        ask(cudaMemPoolGetAccess(&flags, pool[0], &l));
        say("  pool 0 for device %d: %d\n", d, (int)flags);
    }
    ask(cudaMallocAsync(&p0, 4096, stream[0]));
    ask(cudaMallocAsync(&p1, 4096, stream[1]));
    ask(cudaStreamSynchronize(stream[1]));
    cudaPointerAttributes a = {};
    ask(cudaPointerGetAttributes(&a, p1));
    say("  memory of a stream of device 1: device %d\n", a.device);
    ask(cudaMallocFromPoolAsync(&p, 4096, pool[1], stream[0]));
    ask(cudaPointerGetAttributes(&a, p));
    say("  memory of the pool of device 1 in a stream of device 0: device %d\n", a.device);
    ask(cudaMemsetAsync(p, 0, 4096, stream[0]));
    ask(cudaStreamSynchronize(stream[0]));
    ask(cudaMemcpy(p0, p1, 4, cudaMemcpyDefault));
    ask(cudaMemcpyPeer(p0, 0, p1, 1, 4));
    ask(cudaFreeAsync(p, stream[1]));
    ask(cudaDeviceSetMemPool(0, pool[1]));
    cudaMemAccessDesc d = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtRead};
    ask(cudaMemPoolSetAccess(pool[0], &d, 1));
    d.flags = cudaMemAccessFlagsProtReadWrite;
    ask(cudaMemPoolSetAccess(pool[0], &d, 1));
    ask(cudaMemPoolGetAccess(&flags, pool[0], &d.location));
    say("  now %d\n", (int)flags);
    cudaSetDevice(1);
    add<<<1, 1>>>(p0, 1);
    ask(cudaDeviceSynchronize());
    d.flags = cudaMemAccessFlagsProtNone;
    ask(cudaMemPoolSetAccess(pool[0], &d, 1));
    d.location.id = 0;
    ask(cudaMemPoolSetAccess(pool[0], &d, 1));
    d.location.id = 2, d.flags = cudaMemAccessFlagsProtReadWrite;
    ask(cudaMemPoolSetAccess(pool[0], &d, 1));
    d.location.id = 1;
    ask(cudaMemPoolSetAccess(pool[0], &d, 0));
    cudaMemAccessDesc two[2] = {d, d};
    ask(cudaMemPoolSetAccess(pool[0], two, 2));
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned, props.location = {cudaMemLocationTypeDevice, 1};
    ask(cudaMemPoolCreate(&made, &props));
    ask(cudaDeviceSetMemPool(0, made));
    ask(cudaDeviceSetMemPool(1, made));
    ask(cudaMemPoolDestroy(pool[1]));
    ask(cudaMemPoolDestroy(made));
    props.location.id = 2;
    ask(cudaMemPoolCreate(&made, &props));
    ask(cudaFree(p0));
    ask(cudaFreeAsync(p1, 0));
}
static void part_pool_faults(void)
{
    faults("pool memory of device 1, peers enabled, no access set", [] {
        int *p;
        cudaDeviceEnablePeerAccess(1, 0);
        cudaMallocAsync(&p, 4096, stream[1]);
        cudaStreamSynchronize(stream[1]);
        add<<<1, 1>>>(p, 1);
        ask(cudaDeviceSynchronize());
    });
    faults("pool memory whose access was taken back", [] {
        int *p;
        cudaMemPool_t pool;
        cudaMemAccessDesc d = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
        cudaDeviceGetDefaultMemPool(&pool, 1);
        ask(cudaMemPoolSetAccess(pool, &d, 1));
        cudaMallocAsync(&p, 4096, stream[1]);
        cudaStreamSynchronize(stream[1]);
        add<<<1, 1>>>(p, 1);
        ask(cudaDeviceSynchronize());
        d.flags = cudaMemAccessFlagsProtNone;
        ask(cudaMemPoolSetAccess(pool, &d, 1));
        add<<<1, 1>>>(p, 1);
        ask(cudaDeviceSynchronize());
    });
}
static void part_reset(void)
{
    both();
    int *pinned, *managed;
    cudaMallocHost(&pinned, 4), cudaMallocManaged(&managed, 4);
    *pinned = 1;
    cudaDeviceEnablePeerAccess(1, 0);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    cudaSetDevice(0);
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    cudaMemcpyToSymbol(mark, managed, 4);
    ask(cudaDeviceReset());
    cudaPointerAttributes a = {};
    for (int d = 0; d < 2; d++) {
        ask(cudaPointerGetAttributes(&a, on[d]));
        say("  memory of device %d: type %d\n", d, a.type);
    }
    ask(cudaPointerGetAttributes(&a, pinned));
    say("  pinned: type %d\n", a.type);
    ask(cudaPointerGetAttributes(&a, managed));
    say("  managed: type %d\n", a.type);
    size_t v = 0;
    cudaDeviceGetLimit(&v, cudaLimitStackSize);
    say("  stack limit back at its default: %d\n", v != 4096);
    int value = -1;
    ask(cudaMemcpyFromSymbol(&value, mark, 4));
    say("  variable %d\n", value);
    ask(cudaMemcpy(back, on[1], 4, cudaMemcpyDefault));
    ask(cudaMemcpy(back, on[0], 4, cudaMemcpyDefault));
    ask(cudaDeviceEnablePeerAccess(1, 0));
    ask(cudaFree(on[0]));
    ask(cudaFree(on[1]));
    ask(cudaSetDevice(1));
    ask(cudaDeviceEnablePeerAccess(0, 0));
    ask(cudaDeviceDisablePeerAccess(0));
    ask(cudaStreamSynchronize(stream[1]));
    ask(cudaEventRecord(event[1], stream[1]));
}
static void part_reset_handles(void)
{
    both();
    ask(cudaDeviceReset());
    ask(cudaEventQuery(event[0]));
    ask(cudaStreamQuery(stream[0]));
}
int main(int argc, char **argv)
{
    const struct part parts[] = {
        {"count", part_count},           {"peer", part_peer},
        {"copies", part_copies},         {"arrays", part_arrays},
        {"streams", part_streams},       {"capture", part_capture},
        {"order", part_order},           {"errors", part_errors},
        {"texture", part_texture_fault}, {"limits", part_limits},
        {"heaps", part_heaps},           {"managed", part_managed},
        {"pools", part_pools},           {"pool faults", part_pool_faults},
        {"reset", part_reset},           {"handles after a reset", part_reset_handles},
    };
    return run_parts(parts, sizeof parts / sizeof *parts, argc > 1 ? argv[1] : NULL);
}
