/* What two NVIDIA GPUs answer about contexts, pointers, virtual memory and memory of other processes.
 * nvcc -arch=native record_two_contexts.cu -lcuda && ./a.out; h100-two-contexts.txt is its output (see record_two_devices.cu). */
#include "record_two_devices.h"
#include <fcntl.h>

static void part_peer_driver(void)
{
    CUcontext c[2], extra;
    cuInit(0);
    for (int d = 0; d < 2; d++) cuDevicePrimaryCtxRetain(&c[d], d);
    cuCtxSetCurrent(c[0]);
    tell(cuCtxEnablePeerAccess(c[0], 0));
    tell(cuCtxEnablePeerAccess(c[1], 1));
    tell(cuCtxEnablePeerAccess(NULL, 0));
    tell(cuCtxDisablePeerAccess(c[1]));
    tell(cuCtxEnablePeerAccess(c[1], 0));
    tell(cuCtxEnablePeerAccess(c[1], 0));
    say("  what the runtime hears:\n");
    ask(cudaDeviceEnablePeerAccess(1, 0));
    tell(cuCtxDisablePeerAccess(c[1]));
    ask(cudaDeviceDisablePeerAccess(1));
    tell(cuCtxCreate(&extra, NULL, 0, 0));
    say("  a second context of device 0:\n");
    tell(cuCtxEnablePeerAccess(c[0], 0));
    tell(cuCtxEnablePeerAccess(c[1], 0));
    CUdeviceptr p, q;
    unsigned v = 0;
    cuMemAlloc(&q, 4);
    cuMemsetD32(q, 3, 1);
    cuCtxSetCurrent(c[0]);
    cuMemAlloc(&p, 4);
    cuMemsetD32(p, 4, 1);
    tell(cuMemcpyDtoH(&v, q, 4));
    tell(cuMemcpy(p, q, 4));
    tell(cuMemcpyPeer(p, c[0], q, extra, 4));
    tell(cuMemcpyPeer(p, c[1], q, c[1], 4));
    tell(cuMemcpyPeer(p, NULL, q, extra, 4));
    add<<<1, 1>>>((int *)q, 1);
    ask(cudaDeviceSynchronize());
    tell(cuMemcpyDtoH(&v, p, 4));
    cuCtxSetCurrent(extra);
    tell(cuMemcpyDtoH(&v, q, 4));
    say("  %u\n", v);
    tell(cuMemFree(q));
    tell(cuCtxDestroy(extra));
    tell(cuCtxEnablePeerAccess(extra, 0));
}
static void attributes(const char *what, const void *p)
{
    cudaPointerAttributes a = {};
    say("  %s:\n", what);
    ask(cudaPointerGetAttributes(&a, p));
    say("  type %d device %d, device pointer %s, host pointer %s\n", a.type, a.device,
        a.devicePointer == p ? "same"
        : a.devicePointer    ? "other"
                             : "none",
        a.hostPointer == p ? "same"
        : a.hostPointer    ? "other"
                           : "none");
    int ordinal = -9;
    CUcontext c = NULL, primary[2];
    for (int d = 0; d < 2; d++) cuDevicePrimaryCtxRetain(&primary[d], d), cuDevicePrimaryCtxRelease(d);
    int e = (int)cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, (CUdeviceptr)p);
    int f = (int)cuPointerGetAttribute(&c, CU_POINTER_ATTRIBUTE_CONTEXT, (CUdeviceptr)p);
    say("  ordinal -> %d: %d, context -> %d: %s\n", e, ordinal, f,
        !c                ? "none"
        : c == primary[0] ? "0"
        : c == primary[1] ? "1"
                          : "?");
    unsigned char legacy = 9, managed = 9;
    int access = -9;
    CUmemoryPool pool = NULL;
    e = (int)cuPointerGetAttribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, (CUdeviceptr)p);
    say("  legacy IPC -> %d: %d", e, legacy);
    e = (int)cuPointerGetAttribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, (CUdeviceptr)p);
    say(", access -> %d: %d", e, access);
    e = (int)cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, (CUdeviceptr)p);
    say(", managed -> %d: %d", e, managed);
    e = (int)cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)p);
    say(", pool -> %d: %d\n", e, pool != NULL);
}
static void part_pointers(void)
{
    both();
    int *managed[2], *pinned, *mapped, *pooled;
    for (int d = 0; d < 2; d++) cudaSetDevice(d), cudaMallocManaged(&managed[d], 4);
    cudaMallocHost(&pinned, 4);
    cudaHostAlloc(&mapped, 4, cudaHostAllocMapped | cudaHostAllocPortable);
    cudaHostRegister(back, N * 4, 0);
    cudaMallocAsync(&pooled, 4, stream[1]);
    cudaStreamSynchronize(stream[1]);
    void *variable;
    cudaGetSymbolAddress(&variable, mark);
    cudaSetDevice(0);
    attributes("memory of device 0", on[0]);
    attributes("memory of device 1", on[1]);
    attributes("managed memory made with device 0 current", managed[0]);
    attributes("managed memory made with device 1 current", managed[1]);
    attributes("pinned memory made with device 1 current", pinned);
    attributes("the same, mapped and portable", mapped);
    attributes("memory registered with device 1 current", back);
    attributes("pool memory of device 1", pooled);
    attributes("a variable of device 1", variable);
    attributes("the stack", &managed);
    say("  with device 1 current:\n");
    cudaSetDevice(1);
    attributes("memory of device 0", on[0]);
    attributes("managed memory made with device 0 current", managed[0]);
    attributes("pinned memory made with device 1 current", pinned);
    cudaDeviceEnablePeerAccess(0, 0);
    say("  with peer access to device 0:\n");
    attributes("memory of device 0", on[0]);
    void *q;
    ask(cudaHostGetDevicePointer(&q, pinned, 0));
    cudaSetDevice(0);
    ask(cudaHostGetDevicePointer(&q, pinned, 0));
    ask(cudaFreeHost(pinned));
    ask(cudaHostUnregister(back));
    ask(cudaFree(managed[1]));
    ask(cudaFreeAsync(pooled, stream[0]));
    ask(cudaFree(on[1]));
}

static const char *module = ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 cell = 5;\n"
                            ".visible .entry put(.param .u64 p) { .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p];\n"
                            "ld.global.u32 %v, [cell]; st.global.u32 [%a], %v; ret; }\n";

static int launch_in(CUfunction f, CUstream s, CUdeviceptr p)
{
    void *args[] = {&p};
    return (int)cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, NULL);
}
static void part_contexts(void)
{
    CUcontext c[2], now, old;
    CUdevice d = -1;
    CUdeviceptr p[2];
    CUstream s[2];
    CUmodule m;
    CUfunction f;
    CUevent e;
    unsigned flags = 9;
    int active = 9;
    cuInit(0);
    tell(cuDevicePrimaryCtxGetState(1, &flags, &active));
    say("  flags %u active %d\n", flags, active);
    for (int i = 0; i < 2; i++) {
        tell(cuCtxCreate(&c[i], NULL, 0, i));
        cuMemAlloc(&p[i], 4096);
        cuStreamCreate(&s[i], 0);
    }
    tell(cuCtxGetDevice(&d));
    say("  device %d\n", d);
    tell(cuModuleLoadData(&m, module));
    tell(cuModuleGetFunction(&f, m, "put"));
    say("  a function of device 1: in stream of 0, of 1, with context 0 current, in stream 0 of context 0:\n");
    tell(launch_in(f, s[0], p[1]));
    tell(launch_in(f, s[1], p[1]));
    tell(cuCtxPushCurrent(c[0]));
    tell(launch_in(f, s[1], p[1]));
    tell(launch_in(f, s[0], p[0]));
    tell(launch_in(f, 0, p[0]));
    CUdeviceptr cell;
    size_t size;
    tell(cuModuleGetGlobal(&cell, &size, m, "cell"));
    tell(cuMemsetD32(cell, 8, 1));
    tell(cuEventCreate(&e, 0));
    tell(cuEventRecord(e, s[1]));
    tell(cuEventRecord(e, s[0]));
    tell(cuStreamWaitEvent(s[1], e, 0));
    tell(cuStreamGetCtx(s[1], &now));
    say("  the stream's context is the second: %d\n", now == c[1]);
    tell(cuMemcpyDtoD(p[0], p[1], 4));
    tell(cuMemcpyDtoDAsync(p[0], p[1], 4, s[1]));
    tell(cuMemcpyPeer(p[0], c[0], p[1], c[1], 4));
    tell(cuMemcpyPeer(p[0], c[1], p[1], c[0], 4));
    tell(cuMemsetD8Async(p[1], 1, 4, s[0]));
    tell(cuModuleUnload(m));
    tell(cuMemFree(p[1]));
    tell(cuStreamDestroy(s[1]));
    tell(cuCtxPopCurrent(&old));
    say("  popped the first: %d\n", old == c[0]);
    tell(cuCtxDestroy(c[0]));
    tell(cuCtxPushCurrent(c[0]));
    tell(cuCtxSynchronize());
    tell(cuMemcpyDtoH(&flags, p[0], 4));
    tell(cuStreamQuery(s[0]));
    tell(cuCtxDestroy(c[1]));
    tell(cuCtxGetCurrent(&now));
    say("  current then: %s\n", now ? "some" : "none");
}
static void part_primary(void)
{
    CUcontext c, now;
    unsigned flags = 9;
    int active = 9;
    void *p;
    tell(cuInit(0));
    tell(cuDevicePrimaryCtxRelease(1));
    tell(cuDevicePrimaryCtxReset(1));
    tell(cuDevicePrimaryCtxSetFlags(1, CU_CTX_SCHED_YIELD));
    ask(cudaSetDevice(1));
    tell(cuDevicePrimaryCtxGetState(1, &flags, &active));
    say("  after cudaSetDevice: flags %u active %d\n", flags, active);
    tell(cuDevicePrimaryCtxGetState(0, &flags, &active));
    say("  device 0: flags %u active %d\n", flags, active);
    tell(cuDevicePrimaryCtxRetain(&c, 1));
    tell(cuCtxGetCurrent(&now));
    say("  the same: %d\n", now == c);
    tell(cuDevicePrimaryCtxRelease(1));
    tell(cuDevicePrimaryCtxRelease(1));
    tell(cuDevicePrimaryCtxGetState(1, &flags, &active));
    say("  released as often as retained and once more: active %d\n", active);
    ask(cudaMalloc(&p, 4));
    tell(cuDevicePrimaryCtxGetState(1, &flags, &active));
    say("  active %d\n", active);
    tell(cuDevicePrimaryCtxGetState(2, &flags, &active));
    tell(cuDevicePrimaryCtxRetain(&c, 2));
}
static void part_virtual(void)
{
    both();
    CUmemAllocationProp prop = {};
    CUmemGenericAllocationHandle h, bad;
    size_t g = 0;
    CUdeviceptr p = 0;
    unsigned v = 0;
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED, prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE, prop.location.id = 1;
    tell(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    tell(cuMemCreate(&h, g, &prop, 0));
    prop.location.id = 2;
    tell(cuMemCreate(&bad, g, &prop, 0));
    tell(cuMemAddressReserve(&p, g, 0, 0, 0));
    tell(cuMemMap(p, g, 0, h, 0));
    unsigned long long flags = 9;
    CUmemLocation l = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    tell(cuMemGetAccess(&flags, &l, p));
    say("  device 0: %llu\n", flags);
    tell(cuMemcpyDtoH(&v, p, 4));
    CUmemAccessDesc d = {{CU_MEM_LOCATION_TYPE_DEVICE, 2}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    tell(cuMemSetAccess(p, g, &d, 1));
    d.location.id = 0;
    tell(cuMemSetAccess(p, g, &d, 1));
    for (int i = 0; i < 3; i++) {
        l.id = i, flags = 9;
        tell(cuMemGetAccess(&flags, &l, p));
        say("  device %d: %llu\n", i, flags);
    }
    cudaPointerAttributes a = {};
    ask(cudaPointerGetAttributes(&a, (void *)p));
    say("  type %d device %d\n", a.type, a.device);
    tell(cuMemsetD32(p, 5, 1));
    add<<<1, 1>>>((int *)p, 1);
    ask(cudaDeviceSynchronize());
    tell(cuMemcpyDtoH(&v, p, 4));
    say("  device 0 changed it: %u\n", v);
    cudaSetDevice(1);
    say("  device 1, which has the memory and no access:\n");
    tell(cuMemcpyDtoH(&v, p, 4));
    tell(cuMemcpyDtoD((CUdeviceptr)on[1], p, 4));
    add<<<1, 1>>>((int *)p, 1);
    ask(cudaDeviceSynchronize());
    cudaSetDevice(0);
    ask(cudaDeviceSynchronize());
}
/* A child makes an object of device `owner`, the parent's other child opens it with device `opener` current. */
static void shared_memory(int owner, int opener)
{
    int to[2], done[2];
    char c = 0;
    cudaIpcMemHandle_t h;
    cudaIpcEventHandle_t k;
    if (pipe(to) || pipe(done)) return;
    say("  made on device %d, opened with device %d current:\n", owner, opener);
    pid_t child = fork();
    if (!child) {
        alarm(30);
        both();
        cudaSetDevice(owner);
        cudaEvent_t e;
        ask(cudaIpcGetMemHandle(&h, on[owner]));
        ask(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
        ask(cudaIpcGetEventHandle(&k, e));
        ask(cudaIpcGetEventHandle(&k, event[owner]));
        cudaIpcGetEventHandle(&k, e);
        void *own;
        ask(cudaIpcOpenMemHandle(&own, h, cudaIpcMemLazyEnablePeerAccess));
        if (write(to[1], &h, sizeof h) < 0 || write(to[1], &k, sizeof k) < 0 || read(done[0], &c, 1) < 0) _exit(1);
        say("  the owner reads %d\n", first(on[owner]));
        _exit(0);
    }
    pid_t other = fork();
    if (!other) {
        alarm(30);
        if (read(to[0], &h, sizeof h) != sizeof h || read(to[0], &k, sizeof k) != sizeof k) _exit(1);
        int *p = NULL, *again = NULL;
        cudaEvent_t e = NULL;
        cudaSetDevice(opener);
        ask(cudaIpcOpenMemHandle((void **)&p, h, 0));
        ask(cudaIpcOpenMemHandle((void **)&p, h, cudaIpcMemLazyEnablePeerAccess));
        ask(cudaIpcOpenMemHandle((void **)&again, h, cudaIpcMemLazyEnablePeerAccess));
        say("  a second time the same address: %d\n", p == again);
        cudaPointerAttributes a = {};
        ask(cudaPointerGetAttributes(&a, p));
        say("  type %d device %d, reads %d\n", a.type, a.device, first(p));
        ask(cudaIpcOpenEventHandle(&e, k));
        ask(cudaEventRecord(e, 0));
        ask(cudaStreamWaitEvent(0, e, 0));
        add<<<1, 1>>>(p, 100);
        ask(cudaDeviceSynchronize());
        ask(cudaDeviceEnablePeerAccess(!opener, 0));
        ask(cudaFree(p));
        ask(cudaIpcCloseMemHandle(p));
        ask(cudaIpcCloseMemHandle(p));
        ask(cudaIpcCloseMemHandle(p));
        say("  ended\n");
        if (write(done[1], &c, 1) < 0) _exit(1);
        _exit(0);
    }
    waitpid(other, NULL, 0);
    if (write(done[1], &c, 1) < 0) say("  the pipe is gone\n");
    waitpid(child, NULL, 0);
}
static void part_shared(void)
{
    for (int i = 0; i < 4; i++) shared_memory(i / 2, i % 2);
}
int main(int argc, char **argv)
{
    const struct part parts[] = {
        {"peer contexts", part_peer_driver}, {"contexts", part_contexts}, {"primary", part_primary},
        {"pointers", part_pointers},         {"virtual", part_virtual},   {"shared", part_shared},
    };
    return run_parts(parts, sizeof parts / sizeof *parts, argc > 1 ? argv[1] : NULL);
}
