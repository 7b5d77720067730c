/*
 * This program stands between the library and the runtime: it defines the runtime's calls that a running op may make,
 * so that the dynamic linker binds the library to them, and they pass on to the real ones. So it sees what an op does
 * besides its result:
 *  - it only enqueues, and only in the caller's stream: no allocation, no synchronisation;
 *  - it looks at what a launch returns and at nothing else: not at the last error, neither to read nor to clear it. The
 *    k-th launch of every op is refused, for every k: LW_OPS_LAUNCH, and nothing is enqueued behind it;
 *  - it refuses to run when another device than the handle's is current, and works on a device that is not the first.
 *    Where there is one device, a second is made up, with the first one behind it.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default) /* the library is to find the calls here */
#include <dlfcn.h>
#include <pthread.h>
#include "every_op.h"

#define REAL(type, name) ((type)(uintptr_t)dlsym(RTLD_NEXT, #name))

typedef struct watch {
    bool on;
    int refuse;    /* the enqueueing that fails; -1: none */
    int enqueued;  /* launches, memsets and copies so far */
    int elsewhere; /* of these, in another stream */
    int forbidden; /* allocations and synchronisations */
    int asked;     /* reads of the last error */
    cudaStream_t stream;
    bool two_devices; /* device 1 is made up */
} watch;

static watch seen = {.refuse = -1};
static __thread int current; /* with a device that is made up */

static int enqueue(cudaStream_t stream)
{
    if (!seen.on) return 0;
    if (stream != seen.stream) seen.elsewhere++;
    return seen.enqueued++ == seen.refuse ? (int)cudaErrorLaunchOutOfResources : 0;
}

cudaError_t CUDARTAPI cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s)
{
    typedef cudaError_t (*type)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
    int e = enqueue(s);
    return e ? (cudaError_t)e : REAL(type, cudaLaunchKernel)(f, grid, block, args, shared, s);
}

cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **args)
{
    typedef cudaError_t (*type)(const cudaLaunchConfig_t *, const void *, void **);
    int e = enqueue(config->stream);
    return e ? (cudaError_t)e : REAL(type, cudaLaunchKernelExC)(config, f, args);
}

cudaError_t CUDARTAPI cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s)
{
    typedef cudaError_t (*type)(void *, int, size_t, cudaStream_t);
    int e = enqueue(s);
    return e ? (cudaError_t)e : REAL(type, cudaMemsetAsync)(p, value, bytes, s);
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                      cudaStream_t s)
{
    typedef cudaError_t (*type)(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t);
    int e = enqueue(s);
    return e ? (cudaError_t)e : REAL(type, cudaMemcpyAsync)(to, from, bytes, kind, s);
}

cudaError_t CUDARTAPI cudaMemcpy2DAsync(void *to, size_t dpitch, const void *from, size_t spitch, size_t width,
                                        size_t rows, enum cudaMemcpyKind kind, cudaStream_t s)
{
    typedef cudaError_t (*type)(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind,
                                cudaStream_t);
    int e = enqueue(s);
    return e ? (cudaError_t)e : REAL(type, cudaMemcpy2DAsync)(to, dpitch, from, spitch, width, rows, kind, s);
}

#define FORBIDDEN(name, parameters, types, values)                                                                     \
    cudaError_t CUDARTAPI name parameters                                                                              \
    {                                                                                                                  \
        typedef cudaError_t(*type) types;                                                                              \
        seen.forbidden += seen.on;                                                                                     \
        return REAL(type, name) values;                                                                                \
    }
FORBIDDEN(cudaMalloc, (void **p, size_t bytes), (void **, size_t), (p, bytes))
FORBIDDEN(cudaFree, (void *p), (void *), (p))
FORBIDDEN(cudaStreamSynchronize, (cudaStream_t s), (cudaStream_t), (s))
FORBIDDEN(cudaDeviceSynchronize, (void), (void), ())
FORBIDDEN(cudaEventSynchronize, (cudaEvent_t e), (cudaEvent_t), (e))
FORBIDDEN(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
          (void *, const void *, size_t, enum cudaMemcpyKind), (to, from, bytes, kind))

cudaError_t CUDARTAPI cudaGetLastError(void)
{
    typedef cudaError_t (*type)(void);
    seen.asked += seen.on;
    return REAL(type, cudaGetLastError)();
}

cudaError_t CUDARTAPI cudaPeekAtLastError(void)
{
    typedef cudaError_t (*type)(void);
    seen.asked += seen.on;
    return REAL(type, cudaPeekAtLastError)();
}

cudaError_t CUDARTAPI cudaGetDevice(int *device)
{
    typedef cudaError_t (*type)(int *);
    if (!seen.two_devices) return REAL(type, cudaGetDevice)(device);
    *device = current;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaSetDevice(int device)
{
    typedef cudaError_t (*type)(int);
    if (!seen.two_devices || device < 0 || device > 1) return REAL(type, cudaSetDevice)(device);
    current = device;
    return cudaSuccess;
}

cudaError_t CUDARTAPI cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    typedef cudaError_t (*type)(int *, enum cudaDeviceAttr, int);
    return REAL(type, cudaDeviceGetAttribute)(value, attribute, seen.two_devices && device == 1 ? 0 : device);
}

/* ---- what is seen ---- */

static lw_ops_status watched(every_op *c, int refuse)
{
    seen.refuse = refuse;
    seen.enqueued = seen.elsewhere = seen.forbidden = seen.asked = 0;
    seen.stream = c->t->stream;
    seen.on = true;
    lw_ops_status st = every_call(c, c->t->stream);
    seen.on = false;
    return st;
}

static void only_enqueues(test_state *t, every_op *c, const char *name)
{
    test_check(t, seen.elsewhere == 0, "%s: %d of %d in another stream", name, seen.elsewhere, seen.enqueued);
    test_check(t, seen.forbidden == 0, "%s: %d allocations and synchronisations", name, seen.forbidden);
    test_check(t, seen.asked == 0, "%s: asked %d times for the last error", name, seen.asked);
    if (c->which < EVERY_PLANS) { test_check(t, seen.refuse >= 0 || seen.enqueued >= 1, "%s enqueued nothing", name); }
}

/* Every launch of every op, refused in its turn, with an error of the caller's pending. */
static void refused(test_state *t, every_op *c)
{
    int all = 0;
    for (c->which = 0; c->which < EVERY_CALLS; c->which++) {
        const char *name = c->name[c->which];
        cudaGetLastError();
        cudaSetDevice(9999);
        test_check(t, watched(c, -1) == LW_OPS_OK, "%s", name);
        only_enqueues(t, c, name);
        int launches = seen.enqueued;
        for (int k = 0; k < launches; k++) {
            lw_ops_status st = watched(c, k);
            test_check(t, st == LW_OPS_LAUNCH, "%s: launch %d of %d was refused: %s", name, k, launches,
                       lw_ops_status_text(st));
            test_check(t, seen.enqueued == k + 1, "%s: %d more behind the launch that was refused", name,
                       seen.enqueued - k - 1);
            only_enqueues(t, c, name);
        }
        all += launches;
        test_check(t, cudaGetLastError() == cudaErrorInvalidDevice, "%s: the caller's last error is gone", name);
        test_check(t, watched(c, -1) == LW_OPS_OK && seen.enqueued == launches, "%s afterwards", name);
    }
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "refused launches");
    test_check(t, all > EVERY_CALLS, "%d launches", all);
}

/* A refusal of the runtime's own: a capture that something has made invalid. */
static void invalid_capture(test_state *t, every_op *c)
{
    for (c->which = 0; c->which < EVERY_CALLS; c->which++) {
        enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        cudaGraph_t graph = NULL;
        if (cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
            cudaStreamSynchronize(t->stream); /* not allowed there */
            cudaStreamIsCapturing(t->stream, &status);
        }
        if (status == cudaStreamCaptureStatusInvalidated) {
            lw_ops_status st = watched(c, -1);
            test_check(t, st == LW_OPS_LAUNCH, "%s in an invalid capture: %s", c->name[c->which],
                       lw_ops_status_text(st));
            only_enqueues(t, c, c->name[c->which]);
        } else {
            t->skipped++;
        }
        cudaStreamEndCapture(t->stream, &graph);
        if (graph) cudaGraphDestroy(graph);
        cudaGetLastError();
    }
}

/* ---- devices ---- */

typedef struct caller {
    every_op *c;
    pthread_t thread;
    int ran, device;
} caller;

/* A new thread's current device is 0. */
static void *other_thread(void *arg)
{
    caller *k = arg;
    every_op own = *k->c;
    for (own.which = 0; own.which < EVERY_CALLS; own.which++)
        k->ran += every_call(&own, own.t->stream) != LW_OPS_DEVICE;
    cudaGetDevice(&k->device);
    return NULL;
}

static void with_device_0(test_state *t, every_op *c)
{
    caller k = {c, 0, 0, -1};
    lw_copier *copier = NULL;
    cudaSetDevice(0);
    for (c->which = 0; c->which < EVERY_CALLS; c->which++) {
        lw_ops_status st = watched(c, -1);
        test_check(t, st == LW_OPS_DEVICE, "%s of device 1 with device 0: %s", c->name[c->which],
                   lw_ops_status_text(st));
        test_check(t, seen.enqueued == 0, "%s of device 1 with device 0: %d enqueued", c->name[c->which],
                   seen.enqueued);
    }
    test_check(t, lw_copier_create(&copier, c->ops, NULL, NULL) == LW_OPS_DEVICE && !copier, "a copier with device 0");
    for (int i = 0; i < EVERY_PLANS; i++) {
        lw_plan *plan = NULL;
        test_check(t, every_plan(c->ops, i, &plan, NULL) == LW_OPS_OK, "a plan of %s with device 0", c->name[i]);
        lw_plan_destroy(plan);
    }
    cudaSetDevice(1);
    if (pthread_create(&k.thread, NULL, other_thread, &k)) exit(1);
    pthread_join(k.thread, NULL);
    test_check(t, k.ran == 0 && k.device == 0, "%d calls ran in a thread whose device is %d", k.ran, k.device);
}

/* The same bytes from device 1 as from device 0. */
static void same_results(test_state *t, every_op *first, every_op *second)
{
    unsigned char *a = malloc(first->counts.bytes), *b = malloc(first->counts.bytes);
    cudaStream_t stream = NULL;
    if (!a || !b) exit(1);
    test_cuda(t, (int)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream of device 1");
    for (int i = 0; i < EVERY_CALLS; i++) {
        first->which = second->which = i;
        cudaSetDevice(0);
        memcpy(test_host(every_result(first)), test_host(every_result(second)), every_result(first)->bytes);
        test_upload(t, every_result(first));
        test_check(t, every_call(first, t->stream) == LW_OPS_OK, "%s on device 0", first->name[i]);
        test_cuda(t, (int)cudaStreamSynchronize(t->stream), first->name[i]);
        test_cuda(
            t, (int)cudaMemcpy(a, test_device(every_result(first)), every_result(first)->bytes, cudaMemcpyDeviceToHost),
            first->name[i]);
        cudaSetDevice(1);
        test_upload(t, every_result(second));
        test_check(t, every_call(second, stream) == LW_OPS_OK, "%s on device 1", first->name[i]);
        test_cuda(t, (int)cudaStreamSynchronize(stream), first->name[i]);
        test_cuda(
            t,
            (int)cudaMemcpy(b, test_device(every_result(second)), every_result(second)->bytes, cudaMemcpyDeviceToHost),
            first->name[i]);
        test_check(t, !memcmp(a, b, every_result(first)->bytes), "%s: device 1 has another result", first->name[i]);
    }
    cudaStreamDestroy(stream);
    free(a);
    free(b);
}

static void devices(test_state *t, every_op *c)
{
    int count = 0, device = -1;
    lw_ops *ops = NULL;
    lw_ops_error err = {0};
    every_op second;
    test_check(t, lw_ops_create(&ops, 9999, &err) == LW_OPS_DEVICE && !ops && err.cuda_error && err.text[0],
               "device 9999");
    cudaGetLastError();
    test_cuda(t, (int)cudaGetDeviceCount(&count), "devices");
    seen.two_devices = count < 2;
    test_check(t, lw_ops_create(&ops, 1, &err) == LW_OPS_OK, "device 1: %s", err.text);
    test_cuda(t, (int)cudaGetDevice(&device), "device");
    test_check(t, device == 0, "creation left device %d", device);
    if (ops) {
        cudaSetDevice(1);
        every_setup(t, ops, &second);
        with_device_0(t, &second);
        same_results(t, c, &second);
        every_free(&second);
        cudaSetDevice(0);
    }
    lw_ops_destroy(ops);
    printf("device 1 was %s\n", seen.two_devices ? "made up" : "a real one");
    seen.two_devices = false;
}

int main(void)
{
    test_state t;
    every_op c;
    int code = test_begin(&t);
    if (code) return code;
    every_setup(&t, t.ops, &c);
    refused(&t, &c);
    invalid_capture(&t, &c);
    devices(&t, &c);
    every_free(&c);
    return test_end(&t, "launch");
}
