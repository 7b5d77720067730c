/* Streams of the driver alone: their contexts, memory operations, older versions of calls. */
#include "cuda/cu_calls.h"

static host_error stream_context(void *stream, bool per_thread, cu_context **out)
{
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    if (!out) return HOST_INVALID_VALUE;
    *out = cu_current();
    return 0;
}
CU_TWICE(cuStreamGetCtx, ptsz, (void *stream, cu_context **out), stream_context(stream, per_thread, out))

/* There are no green contexts. */
static host_error stream_context_v2(void *stream, bool per_thread, cu_context **out, void **green)
{
    if (green) *green = NULL;
    return stream_context(stream, per_thread, out);
}
CU_TWICE(cuStreamGetCtx_v2, ptsz, (void *stream, cu_context **out, void **green),
         stream_context_v2(stream, per_thread, out, green))

static host_error attach(void *stream, bool per_thread, uint64_t pointer, unsigned flags)
{
    mem_allocation a;
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    if (!face_attach_known(flags)) return HOST_INVALID_VALUE;
    bool managed = host_pointer_find(host_get(), pointer, &a) && a.kind == MEM_MANAGED;
    return managed ? 0 : HOST_INVALID_VALUE;
}
CU_TWICE(cuStreamAttachMemAsync, ptsz,
         (void *stream, uint64_t pointer, size_t bytes __attribute__((unused)), unsigned flags),
         attach(stream, per_thread, pointer, flags))

/* ---- memory operations. Version 2 has the same signatures. ---- */
static host_error value_op(void *stream, bool per_thread, uint64_t address, uint64_t value, uint32_t bytes, bool wait,
                           unsigned flags)
{
    host_stream *s = face_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    return address % bytes ? HOST_INVALID_VALUE : host_value_put(s, address, value, bytes, wait, flags);
}

#define VALUE_OP(name, type, wait)                                                                                     \
    CU_TWICE(name, ptsz, (void *stream, uint64_t address, type value, unsigned flags),                                 \
             value_op(stream, per_thread, address, value, sizeof(type), wait, flags))
VALUE_OP(cuStreamWaitValue32, uint32_t, true)
VALUE_OP(cuStreamWaitValue32_v2, uint32_t, true)
VALUE_OP(cuStreamWaitValue64, uint64_t, true)
VALUE_OP(cuStreamWaitValue64_v2, uint64_t, true)
VALUE_OP(cuStreamWriteValue32, uint32_t, false)
VALUE_OP(cuStreamWriteValue32_v2, uint32_t, false)
VALUE_OP(cuStreamWriteValue64, uint64_t, false)
VALUE_OP(cuStreamWriteValue64_v2, uint64_t, false)

/* CUstreamBatchMemOpType */
enum { WAIT32 = 1, WRITE32 = 2, FLUSH = 3, WAIT64 = 4, WRITE64 = 5, BARRIER = 6 };
#define MOST_OPS 256

static host_error one_of_batch(void *stream, bool per_thread, const cu_memory_op *op)
{
    if (op->kind == FLUSH || op->kind == BARRIER) return 0; /* operations are in order */
    if (op->kind < WAIT32 || op->kind > WRITE64) return HOST_INVALID_VALUE;
    bool wide = op->kind == WAIT64 || op->kind == WRITE64;
    bool wait = op->kind == WAIT32 || op->kind == WAIT64;
    uint64_t value = wide ? op->value.value : (uint32_t)op->value.value;
    return value_op(stream, per_thread, op->value.address, value, wide ? 8 : 4, wait, op->value.flags);
}

static host_error batch(void *stream, bool per_thread, unsigned count, const cu_memory_op *ops, unsigned flags)
{
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    if (flags || !ops || count > MOST_OPS) return HOST_INVALID_VALUE;
    host_error error = 0;
    for (unsigned i = 0; i < count && !error; i++) error = one_of_batch(stream, per_thread, &ops[i]);
    return error;
}
CU_TWICE(cuStreamBatchMemOp, ptsz, (void *stream, unsigned count, const cu_memory_op *ops, unsigned flags),
         batch(stream, per_thread, count, ops, flags))
CU_TWICE(cuStreamBatchMemOp_v2, ptsz, (void *stream, unsigned count, const cu_memory_op *ops, unsigned flags),
         batch(stream, per_thread, count, ops, flags))

/* ---- older versions ---- */
CU(cuStreamDestroy)(host_stream *stream) { return lw_cuda_cuStreamDestroy_v2(stream); }

CU(cuEventDestroy)(host_event *event) { return lw_cuda_cuEventDestroy_v2(event); }

CU(cuEventElapsedTime)(float *out, host_event *start, host_event *end)
{
    return lw_cuda_cuEventElapsedTime_v2(out, start, end);
}

CU(cuStreamBeginCapture)(void *stream) { return lw_cuda_cuStreamBeginCapture_v2(stream, 0); }

CU(cuStreamBeginCapture_ptsz)(void *stream) { return lw_cuda_cuStreamBeginCapture_v2_ptsz(stream, 0); }

/* Versions without edge data, for both default streams. */
#define WITHOUT_EDGES(suffix)                                                                                          \
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
WITHOUT_EDGES()
WITHOUT_EDGES(_ptsz)
