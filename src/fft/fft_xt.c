/* cufftXt's plans of several devices. Data lie in one piece, in their natural order, of which each device is told its share: what a card
 * would exchange between devices needs no exchange here. */
#include <stdlib.h>

#include "face/face.h"
#include "fft/fft_entry.h"

enum { FORMAT_LAST = 6 };                                              /* of cufftXtSubFormat_t */
enum { HOST_TO_DEVICE = 0, DEVICE_TO_HOST = 1, DEVICE_TO_DEVICE = 2 }; /* cufftXtCopyType_t */
enum { DESCRIPTOR_DEVICES = 64 };

/* As the program sees them: cudaXtDesc, cudaLibXtDesc. */
typedef struct xt_data {
    int version, devices;
    int device[DESCRIPTOR_DEVICES];
    void *data[DESCRIPTOR_DEVICES];
    size_t size[DESCRIPTOR_DEVICES];
    void *state;
} xt_data;
typedef struct xt_descriptor {
    int version;
    xt_data *data;
    int library, format;
    void *plan;
} xt_descriptor;

FFT(cufftXtSetGPUs)(int handle, int count, const int *devices)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan) return fft_end(FFT_INVALID_PLAN);
    if (count < 1 || count > FFT_MAX_DEVICES || !devices) return fft_end(FFT_INVALID_VALUE);
    /* An H200 that answers so has taken the count all the same: NVIDIA's sample of R2C goes on, with two shares of device 0. */
    bool all = true;
    for (int i = 0; i < count; i++) {
        bool known = devices[i] >= 0 && devices[i] < (int)host_device_count(host_get());
        plan->device[i] = known ? devices[i] : 0;
        all = all && known;
    }
    plan->devices = count;
    return all ? FFT_OK : fft_end(FFT_INVALID_DEVICE);
}

/* Elements of the complex side, or of both: a transform in place has room for either. */
static int64_t elements(const fft_plan *p)
{
    int64_t out = p->batch;
    for (int i = 0; i < p->rank; i++)
        out *= i < p->rank - 1 || (p->type & ~FFT_DOUBLE) == FFT_C2C ? p->n[i] : p->n[i] / 2 + 1;
    return out;
}

FFT(cufftXtMalloc)(int handle, xt_descriptor **out, int format)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan || !plan->rank) return fft_end(FFT_INVALID_PLAN);
    if (!out || format < 0 || format > FORMAT_LAST) return fft_end(FFT_INVALID_VALUE);
    size_t element = plan->type & FFT_DOUBLE ? 16 : 8;
    int devices = LW_MAX(plan->devices, 1); /* without names: the current one, as on a card */
    int64_t slabs = plan->rank > 1 ? plan->n[0] : plan->batch > 1 ? plan->batch : elements(plan), given = 0;
    uint64_t address = 0;
    /* each device reaches its share and its neighbours' */
    mem_kind kind = devices > 1 ? MEM_MANAGED : MEM_DEVICE;
    uint32_t flags = kind == MEM_MANAGED ? FACE_ATTACH_GLOBAL : 0;
    if (host_malloc(host_get(), (uint64_t)elements(plan) * element, kind, flags, &address))
        return fft_end(FFT_ALLOC_FAILED);
    xt_descriptor *d = lw_alloc(sizeof *d);
    d->data = lw_alloc(sizeof *d->data);
    d->format = format;
    d->data->devices = devices;
    for (int i = 0; i < devices; i++) {
        int64_t mine = slabs / devices + (i < slabs % devices);
        size_t slab = (size_t)(elements(plan) / slabs) * element;
        d->data->device[i] = plan->devices ? plan->device[i] : (int)host_device_current(host_get());
        d->data->data[i] = (char *)(uintptr_t)address + (size_t)given * slab;
        d->data->size[i] = (size_t)mine * slab;
        given += mine;
    }
    *out = d;
    return FFT_OK;
}

FFT(cufftXtFree)(xt_descriptor *d)
{
    if (!d) return FFT_OK;
    int failed = host_free(host_get(), (uint64_t)(uintptr_t)d->data->data[0]);
    free(d->data);
    free(d);
    return failed ? fft_end(FFT_INVALID_VALUE) : FFT_OK;
}

static size_t bytes_of(const xt_descriptor *d)
{
    size_t out = 0;
    for (int i = 0; i < d->data->devices; i++) out += d->data->size[i];
    return out;
}

FFT(cufftXtMemcpy)(int handle, void *to, void *from, int kind)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan) return fft_end(FFT_INVALID_PLAN);
    if (!to || !from || kind < HOST_TO_DEVICE || kind > DEVICE_TO_DEVICE) return fft_end(FFT_INVALID_VALUE);
    const xt_descriptor *d = kind == HOST_TO_DEVICE ? to : from;
    uint64_t bytes = bytes_of(d);
    const void *source = kind == HOST_TO_DEVICE ? from : d->data->data[0];
    void *target = kind == DEVICE_TO_HOST ? to : ((xt_descriptor *)to)->data->data[0];
    static const int kinds[] = {HOST_COPY_H2D, HOST_COPY_D2H, HOST_COPY_D2D};
    host_copy copy = {.dst = {(uint64_t)(uintptr_t)target, bytes, 1},
                      .src = {(uint64_t)(uintptr_t)source, bytes, 1},
                      .width = bytes,
                      .height = 1,
                      .depth = 1,
                      .kind = kinds[kind]};
    return face_copy_put(plan->stream, false, &copy, true) ? fft_end(FFT_EXEC_FAILED) : FFT_OK;
}

static int execute(int handle, const xt_descriptor *in, const xt_descriptor *out, int direction, const char *function)
{
    fft_plan *plan = fft_find_plan(handle);
    if (!plan) return fft_end_call(FFT_INVALID_PLAN, function);
    if (!in || !out) return fft_end_call(FFT_INVALID_VALUE, function);
    return fft_execute(handle, plan->type, in->data->data[0], out->data->data[0], direction, function);
}

/* A plan of real numbers knows its direction. */
FFT(cufftXtExecDescriptor)(int handle, xt_descriptor *in, xt_descriptor *out, int direction)
{
    fft_plan *plan = fft_find_plan(handle);
    int kind = plan ? plan->type & ~FFT_DOUBLE : 0;
    if (kind != FFT_C2C) direction = kind == FFT_R2C ? FFT_FORWARD : FFT_INVERSE;
    return execute(handle, in, out, direction, __func__);
}
#define EXECUTE_COMPLEX(name)                                                                                          \
    FFT(name)(int handle, xt_descriptor *in, xt_descriptor *out, int direction)                                        \
    {                                                                                                                  \
        return execute(handle, in, out, direction, __func__);                                                          \
    }
#define EXECUTE_REAL(name, direction)                                                                                  \
    FFT(name)(int handle, xt_descriptor *in, xt_descriptor *out)                                                       \
    {                                                                                                                  \
        return execute(handle, in, out, direction, __func__);                                                          \
    }
EXECUTE_COMPLEX(cufftXtExecDescriptorC2C)
EXECUTE_COMPLEX(cufftXtExecDescriptorZ2Z)
EXECUTE_REAL(cufftXtExecDescriptorR2C, FFT_FORWARD)
EXECUTE_REAL(cufftXtExecDescriptorD2Z, FFT_FORWARD)
EXECUTE_REAL(cufftXtExecDescriptorC2R, FFT_INVERSE)
EXECUTE_REAL(cufftXtExecDescriptorZ2D, FFT_INVERSE)
