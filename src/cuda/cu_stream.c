/* Streams of the driver alone: contexts of streams, memory operations, older versions of calls. */
#include "cuda/cu_calls.h"

/* Gets the stream of a handle into `s` or returns the error. */
#define STREAM(handle)                                                                                                 \
    host_stream *s = cu_stream((handle), per_thread);                                                                  \
    if (!s) return HOST_INVALID_RESOURCE_HANDLE

CU(cuStreamDestroy)(host_stream *stream) { return lw_cuda_cuStreamDestroy_v2(stream); }

static host_error on_cuStreamGetCtx(bool per_thread, void *stream, cu_context **out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = cu_current();
    return 0;
}
CU_PAIR(cuStreamGetCtx, ptsz, (void *stream, cu_context **out), (stream, out))

static host_error on_stream_ctx_v2(bool per_thread, void *stream, cu_context **out, void **green)
{
    if (green) *green = NULL;
    return on_cuStreamGetCtx(per_thread, stream, out);
}
CU_PAIR_OF(stream_ctx_v2, cuStreamGetCtx_v2, ptsz, (void *stream, cu_context **out, void **green), (stream, out, green))

static host_error on_cuStreamAttachMemAsync(bool per_thread, void *stream, uint64_t pointer, size_t bytes,
                                            unsigned flags)
{
    mem_allocation a;
    STREAM(stream);
    (void)bytes;
    if (flags != 1 && flags != 2 && flags != 4) return HOST_INVALID_VALUE;
    bool managed = host_pointer_find(cu_host(), pointer, &a) && a.kind == MEM_MANAGED;
    return managed ? 0 : HOST_INVALID_VALUE;
}
CU_PAIR(cuStreamAttachMemAsync, ptsz, (void *stream, uint64_t pointer, size_t bytes, unsigned flags),
        (stream, pointer, bytes, flags))

/* ---- memory operations. Version 2 has the same signatures. ---- */
static host_error value_op(bool per_thread, void *stream, uint64_t address, uint64_t value, uint32_t bytes, bool wait,
                           unsigned flags)
{
    STREAM(stream);
    return address % bytes ? HOST_INVALID_VALUE : host_value_put(s, address, value, bytes, wait, flags);
}

#define VALUE_OPS(name, type, wait)                                                                                    \
    static host_error on_##name(bool per_thread, void *stream, uint64_t address, type value, unsigned flags)           \
    {                                                                                                                  \
        return value_op(per_thread, stream, address, value, sizeof(type), wait, flags);                                \
    }                                                                                                                  \
    CU_PAIR(name, ptsz, (void *stream, uint64_t address, type value, unsigned flags), (stream, address, value, flags)) \
    CU_PAIR_V2(name, ptsz, (void *stream, uint64_t address, type value, unsigned flags),                               \
               (stream, address, value, flags))
VALUE_OPS(cuStreamWaitValue32, uint32_t, true)
VALUE_OPS(cuStreamWaitValue64, uint64_t, true)
VALUE_OPS(cuStreamWriteValue32, uint32_t, false)
VALUE_OPS(cuStreamWriteValue64, uint64_t, false)

static host_error on_cuStreamBatchMemOp(bool per_thread, void *stream, unsigned count, const cu_memory_op *ops,
                                        unsigned flags)
{
    enum { WAIT32 = 1, WRITE32 = 2, FLUSH = 3, WAIT64 = 4, WRITE64 = 5, BARRIER = 6 };
    STREAM(stream);
    (void)s;
    if (flags || !ops || count > 256) return HOST_INVALID_VALUE;
    host_error error = 0;
    for (unsigned i = 0; i < count && !error; i++) {
        int kind = ops[i].kind;
        if (kind == FLUSH || kind == BARRIER) continue; /* operations are in order */
        if (kind < WAIT32 || kind > WRITE64) return HOST_INVALID_VALUE;
        bool wide = kind == WAIT64 || kind == WRITE64;
        uint64_t value = wide ? ops[i].value.value : (uint32_t)ops[i].value.value;
        error = value_op(per_thread, stream, ops[i].value.address, value, wide ? 8 : 4,
                         kind == WAIT32 || kind == WAIT64, ops[i].value.flags);
    }
    return error;
}
CU_PAIR(cuStreamBatchMemOp, ptsz, (void *stream, unsigned count, const cu_memory_op *ops, unsigned flags),
        (stream, count, ops, flags))
CU_PAIR_V2(cuStreamBatchMemOp, ptsz, (void *stream, unsigned count, const cu_memory_op *ops, unsigned flags),
           (stream, count, ops, flags))

/* ---- older versions ---- */
CU(cuEventDestroy)(host_event *event) { return lw_cuda_cuEventDestroy_v2(event); }

CU(cuEventElapsedTime)(float *out, host_event *start, host_event *end)
{
    return lw_cuda_cuEventElapsedTime_v2(out, start, end);
}

CU(cuStreamBeginCapture)(void *stream) { return lw_cuda_cuStreamBeginCapture_v2(stream, 0); }

CU(cuStreamBeginCapture_ptsz)(void *stream) { return lw_cuda_cuStreamBeginCapture_v2_ptsz(stream, 0); }

#define CAPTURE_INFO(suffix)                                                                                           \
    CU(cuStreamGetCaptureInfo_v2##suffix)(void *stream, int *status, uint64_t *id, host_graph **graph,                 \
                                          host_node *const **dependencies, size_t *count)                              \
    {                                                                                                                  \
        return lw_cuda_cuStreamGetCaptureInfo_v3##suffix(stream, status, id, graph, dependencies, NULL, count);        \
    }                                                                                                                  \
    CU(cuStreamGetCaptureInfo##suffix)(void *stream, int *status, uint64_t *id)                                        \
    {                                                                                                                  \
        return lw_cuda_cuStreamGetCaptureInfo_v3##suffix(stream, status, id, NULL, NULL, NULL, NULL);                  \
    }                                                                                                                  \
    CU(cuStreamUpdateCaptureDependencies##suffix)(void *stream, host_node **nodes, size_t count, unsigned flags)       \
    {                                                                                                                  \
        return lw_cuda_cuStreamUpdateCaptureDependencies_v2##suffix(stream, nodes, NULL, count, flags);                \
    }
CAPTURE_INFO()
CAPTURE_INFO(_ptsz)
