/* test_cudart_errors: which error each misuse of the runtime gives. The numbers on the right were recorded on an H200
 * with CUDA 13.0 (driver 580) by a program that makes the same calls. */
#include "unit.h"

#include "cudart/cudart.h"

int lw_cudart_cudaMalloc(void **out, size_t bytes);
int lw_cudart_cudaMallocManaged(void **out, size_t bytes, unsigned flags);
int lw_cudart_cudaMallocHost(void **out, size_t bytes);
int lw_cudart_cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
int lw_cudart_cudaHostAlloc(void **out, size_t bytes, unsigned flags);
int lw_cudart_cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
int lw_cudart_cudaHostUnregister(void *pointer);
int lw_cudart_cudaHostGetDevicePointer(void **out, void *pointer, unsigned flags);
int lw_cudart_cudaHostGetFlags(unsigned *out, void *pointer);
int lw_cudart_cudaFree(void *pointer);
int lw_cudart_cudaFreeHost(void *pointer);
int lw_cudart_cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int lw_cudart_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           int kind);
int lw_cudart_cudaMemset(void *dst, int value, size_t bytes);
int lw_cudart_cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
int lw_cudart_cudaPointerGetAttributes(rt_pointer_attributes *out, const void *pointer);
int lw_cudart_cudaGetSymbolAddress(void **out, const void *symbol);
int lw_cudart_cudaEventCreate(host_event **out);
int lw_cudart_cudaEventCreateWithFlags(host_event **out, unsigned flags);
int lw_cudart_cudaEventDestroy(host_event *event);
int lw_cudart_cudaEventRecord(host_event *event, void *stream);
int lw_cudart_cudaEventQuery(host_event *event);
int lw_cudart_cudaEventSynchronize(host_event *event);
int lw_cudart_cudaEventElapsedTime(float *out, host_event *start, host_event *end);
int lw_cudart_cudaStreamCreate(host_stream **out);
int lw_cudart_cudaStreamCreateWithFlags(host_stream **out, unsigned flags);
int lw_cudart_cudaStreamDestroy(host_stream *stream);
int lw_cudart_cudaStreamSynchronize(void *stream);
int lw_cudart_cudaStreamQuery(void *stream);
int lw_cudart_cudaStreamWaitEvent(void *stream, host_event *event, unsigned flags);
int lw_cudart_cudaStreamBeginCapture(void *stream, int mode);
int lw_cudart_cudaStreamEndCapture(void *stream, host_graph **out);
int lw_cudart_cudaDeviceSynchronize(void);
int lw_cudart_cudaDeviceSetLimit(int limit, size_t value);
int lw_cudart_cudaDeviceCanAccessPeer(int *out, int device, int peer);
int lw_cudart_cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int lw_cudart_cudaDeviceDisablePeerAccess(int peer);
int lw_cudart_cudaSetDevice(int device);
int lw_cudart_cudaSetDeviceFlags(unsigned flags);

enum { H2H, H2D, D2H, D2D, DEFAULT };

UNIT_CASE(allocation)
{
    void *p = (void *)1, *d;
    CHECK_EQ_INT(lw_cudart_cudaMalloc(&p, 0), 0);
    CHECK(p == NULL);
    CHECK_EQ_INT(lw_cudart_cudaMalloc(NULL, 8), 1);
    CHECK_EQ_INT(lw_cudart_cudaMalloc(&p, (size_t)1 << 50), 2);
    CHECK_EQ_INT(lw_cudart_cudaMallocManaged(&p, 10, 0), 1);
    CHECK_EQ_INT(lw_cudart_cudaMallocManaged(&p, 0, 1), 0);
    CHECK_EQ_INT(lw_cudart_cudaHostAlloc(&p, 10, 0x100), 1);
    CHECK_EQ_INT(lw_cudart_cudaHostAlloc(&p, 0, 0), 0);
    CHECK(p == NULL);
    size_t pitch;
    CHECK_EQ_INT(lw_cudart_cudaMallocPitch(&d, &pitch, 100, 10), 0);
    CHECK_EQ_INT(pitch, 512);
    CHECK_EQ_INT(lw_cudart_cudaFree(d), 0);
    CHECK_EQ_INT(lw_cudart_cudaMallocPitch(&d, &pitch, 513, 10), 0);
    CHECK_EQ_INT(pitch, 1024);
    CHECK_EQ_INT(lw_cudart_cudaFree((char *)d + 4), 1);
    CHECK_EQ_INT(lw_cudart_cudaFreeHost(d), 1);
    CHECK_EQ_INT(lw_cudart_cudaFree(d), 0);
    CHECK_EQ_INT(lw_cudart_cudaFree(d), 1);
    CHECK_EQ_INT(lw_cudart_cudaFree(&p), 1);
    CHECK_EQ_INT(lw_cudart_cudaFree(NULL), 0);
    CHECK_EQ_INT(lw_cudart_cudaFreeHost(NULL), 0);
}

UNIT_CASE(host_memory)
{
    void *p = malloc(10000), *d, *pinned;
    unsigned flags;
    CHECK_EQ_INT(lw_cudart_cudaHostRegister(p, 10000, 0), 0);
    CHECK_EQ_INT(lw_cudart_cudaHostRegister(p, 10000, 0), 712);
    CHECK_EQ_INT(lw_cudart_cudaHostGetDevicePointer(&d, p, 0), 0);
    CHECK(d == p);
    CHECK_EQ_INT(lw_cudart_cudaHostUnregister(p), 0);
    CHECK_EQ_INT(lw_cudart_cudaHostUnregister(p), 713);
    CHECK_EQ_INT(lw_cudart_cudaHostGetDevicePointer(&d, p, 0), 1);
    CHECK_EQ_INT(lw_cudart_cudaHostRegister(p, 0, 0), 1);
    CHECK_EQ_INT(lw_cudart_cudaHostRegister(p, 100, 0x100), 1);
    CHECK_EQ_INT(lw_cudart_cudaHostGetFlags(&flags, p), 1);
    CHECK_EQ_INT(lw_cudart_cudaHostAlloc(&pinned, 10, 4 | 2), 0); /* write-combined, mapped */
    CHECK_EQ_INT(lw_cudart_cudaHostGetFlags(&flags, pinned), 0);
    CHECK_EQ_INT(flags, 6);
    CHECK_EQ_INT(lw_cudart_cudaFree(pinned), 1);
    CHECK_EQ_INT(lw_cudart_cudaFreeHost(pinned), 0);
    CHECK_EQ_INT(lw_cudart_cudaFreeHost(p), 1);
    free(p);
}

UNIT_CASE(copies)
{
    int h[250] = {0};
    void *d, *e, *pinned;
    CHECK_EQ_INT(lw_cudart_cudaMalloc(&d, 1000), 0);
    CHECK_EQ_INT(lw_cudart_cudaMalloc(&e, 1000), 0);
    CHECK_EQ_INT(lw_cudart_cudaMallocHost(&pinned, 1000), 0);
    const struct {
        void *dst;
        const void *src;
        size_t bytes;
        int kind, error;
    } rows[] = {
        {d, h, 1001, H2D, 1},
        {NULL, h, 4, H2D, 1},
        {NULL, h, 0, H2D, 0},
        {d, h, 40, D2H, 1},
        {d, e, 40, H2D, 0},
        {d, e, 40, D2H, 0},
        {d, h, 40, D2D, 1},
        {d, h, 40, H2H, 0},
        {h, h + 50, 40, H2H, 0},
        {h, d, 40, D2D, 1},
        {pinned, (char *)pinned + 400, 40, H2D, 0},
        {pinned, d, 40, D2D, 0},
        {d, h, 40, 7, 21},
        {d, h, 40, DEFAULT, 0},
        {h, h + 20, 40, DEFAULT, 0},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        int got = lw_cudart_cudaMemcpy(rows[i].dst, rows[i].src, rows[i].bytes, rows[i].kind);
        if (got != rows[i].error) UNIT_FAIL("copy %zu: error %d, recorded %d", i, got, rows[i].error);
    }
    CHECK_EQ_INT(lw_cudart_cudaMemset(h, 0, 8), 1);
    CHECK_EQ_INT(lw_cudart_cudaMemset(pinned, 0, 8), 0);
    CHECK_EQ_INT(lw_cudart_cudaMemset(NULL, 0, 8), 1);
    CHECK_EQ_INT(lw_cudart_cudaMemset(NULL, 0, 0), 0);
    CHECK_EQ_INT(lw_cudart_cudaMemset(d, 0, 8 << 20), 1);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 10, h, 20, 15, 2, H2D), 12);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 0, h, 0, 15, 2, H2D), 12);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 0, h, 0, 15, 1, H2D), 0);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 1, h, 0, 15, 1, H2D), 1);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 0, h, 14, 15, 1, H2D), 1);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 1, h, 14, 15, 0, H2D), 0);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 20, h, 20, 15, 2, H2D), 0);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy2D(d, 20, h, 20, 0, 2, H2D), 0);
    CHECK_EQ_INT(lw_cudart_cudaMemset2D(d, 10, 0, 20, 2), 1);
    lw_cudart_cudaFree(e);
    CHECK_EQ_INT(lw_cudart_cudaMemcpy(e, h, 40, H2D), 1);
    lw_cudart_cudaFree(d);
    lw_cudart_cudaFreeHost(pinned);
}

static void check_pointer(const void *pointer, int type, int device, bool on_device, bool on_host)
{
    rt_pointer_attributes a;
    CHECK_EQ_INT(lw_cudart_cudaPointerGetAttributes(&a, pointer), 0);
    CHECK_EQ_INT(a.type, type);
    CHECK_EQ_INT(a.device, device);
    CHECK_EQ_INT(a.device_pointer == pointer, on_device);
    CHECK_EQ_INT(a.host_pointer == pointer, on_host);
}

UNIT_CASE(pointer_attributes)
{
    int h;
    void *d, *managed, *pinned;
    lw_cudart_cudaMalloc(&d, 100);
    lw_cudart_cudaMallocManaged(&managed, 100, 1);
    lw_cudart_cudaMallocHost(&pinned, 100);
    check_pointer(d, 2, 0, true, false);
    check_pointer((char *)d + 4, 2, 0, true, false);
    check_pointer(&h, 0, -2, false, true);
    check_pointer(managed, 3, 0, true, true);
    check_pointer(pinned, 1, 0, true, true);
    lw_cudart_cudaFree(d);
    lw_cudart_cudaFree(managed);
    lw_cudart_cudaFreeHost(pinned);
    CHECK_EQ_INT(lw_cudart_cudaGetSymbolAddress(&d, &h), 13);
}

UNIT_CASE(events)
{
    host_event *a, *b, *quiet;
    float ms = -1;
    lw_cudart_cudaEventCreate(&a);
    lw_cudart_cudaEventCreate(&b);
    lw_cudart_cudaEventCreateWithFlags(&quiet, 2);
    CHECK_EQ_INT(lw_cudart_cudaEventElapsedTime(&ms, a, b), 400);
    CHECK_EQ_INT(lw_cudart_cudaEventQuery(a), 0);
    CHECK_EQ_INT(lw_cudart_cudaEventSynchronize(a), 0);
    CHECK_EQ_INT(lw_cudart_cudaEventRecord(a, NULL), 0);
    CHECK_EQ_INT(lw_cudart_cudaEventElapsedTime(&ms, a, b), 400);
    CHECK_EQ_INT(lw_cudart_cudaEventRecord(b, NULL), 0);
    CHECK_EQ_INT(lw_cudart_cudaEventSynchronize(b), 0);
    CHECK_EQ_INT(lw_cudart_cudaEventElapsedTime(&ms, a, b), 0);
    CHECK(ms > 0);
    lw_cudart_cudaEventRecord(quiet, NULL);
    lw_cudart_cudaDeviceSynchronize();
    CHECK_EQ_INT(lw_cudart_cudaEventElapsedTime(&ms, a, quiet), 400);
    CHECK_EQ_INT(lw_cudart_cudaEventRecord(NULL, NULL), 400);
    CHECK_EQ_INT(lw_cudart_cudaEventDestroy(NULL), 400);
    CHECK_EQ_INT(lw_cudart_cudaEventQuery(NULL), 400);
    CHECK_EQ_INT(lw_cudart_cudaStreamWaitEvent(NULL, NULL, 0), 400);
    CHECK_EQ_INT(lw_cudart_cudaEventDestroy(a), 0);
    CHECK_EQ_INT(lw_cudart_cudaEventCreateWithFlags(&a, 0x77), 1);
    lw_cudart_cudaEventDestroy(b);
    lw_cudart_cudaEventDestroy(quiet);
}

/* A capture that one call spoils; returns what ending it gives. */
static int spoil(host_stream *s, int (*call)(void *), void *argument, int want)
{
    host_graph *g;
    CHECK_EQ_INT(lw_cudart_cudaStreamBeginCapture(s, 0), 0);
    CHECK_EQ_INT(call(argument), want);
    return lw_cudart_cudaStreamEndCapture(s, &g);
}

static int call_malloc(void *unused)
{
    void *p;
    (void)unused;
    return lw_cudart_cudaMalloc(&p, 10);
}

static int call_device_synchronize(void *unused)
{
    (void)unused;
    return lw_cudart_cudaDeviceSynchronize();
}

static int call_memcpy(void *device)
{
    int h = 0;
    return lw_cudart_cudaMemcpy(device, &h, 4, H2D);
}

UNIT_CASE(streams_and_captures)
{
    host_stream *s;
    host_graph *g;
    void *d;
    CHECK_EQ_INT(lw_cudart_cudaStreamCreateWithFlags(&s, 7), 1);
    CHECK_EQ_INT(lw_cudart_cudaStreamDestroy(NULL), 400);
    CHECK_EQ_INT(lw_cudart_cudaStreamDestroy((host_stream *)1), 400);
    CHECK_EQ_INT(lw_cudart_cudaStreamCreate(&s), 0);
    lw_cudart_cudaMalloc(&d, 4);
    CHECK_EQ_INT(lw_cudart_cudaStreamBeginCapture(NULL, 0), 900);
    CHECK_EQ_INT(lw_cudart_cudaStreamEndCapture(s, &g), 401);
    CHECK_EQ_INT(spoil(s, call_malloc, NULL, 900), 901);
    CHECK_EQ_INT(spoil(s, lw_cudart_cudaStreamSynchronize, s, 900), 901);
    CHECK_EQ_INT(spoil(s, lw_cudart_cudaStreamQuery, s, 900), 901);
    CHECK_EQ_INT(spoil(s, call_device_synchronize, NULL, 900), 901);
    CHECK_EQ_INT(spoil(s, call_memcpy, d, 906), 901);
    lw_cudart_cudaStreamDestroy(s);
    lw_cudart_cudaFree(d);
}

UNIT_CASE(devices_and_limits)
{
    int can = 1;
    CHECK_EQ_INT(lw_cudart_cudaDeviceCanAccessPeer(&can, 0, 0), 0);
    CHECK_EQ_INT(can, 0);
    CHECK_EQ_INT(lw_cudart_cudaDeviceEnablePeerAccess(0, 0), 217);
    CHECK_EQ_INT(lw_cudart_cudaDeviceDisablePeerAccess(0), 705);
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(1000), 101);
    CHECK_EQ_INT(lw_cudart_cudaSetDevice(-1), 101);
    CHECK_EQ_INT(lw_cudart_cudaSetDeviceFlags(0xff), 1);
    CHECK_EQ_INT(lw_cudart_cudaDeviceSetLimit(50, 1), 1);
    CHECK_EQ_INT(lw_cudart_cudaDeviceSetLimit(3, 1), 215);
    CHECK_EQ_INT(lw_cudart_cudaDeviceSetLimit(0, 1 << 20), 1);
}

UNIT_MAIN()
