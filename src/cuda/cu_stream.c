/* Streams, events, host functions, memory operations of streams, capture. */
#include <string.h>

#include "cuda/driver.h"

/* Gets the stream of a handle into `s` or returns the error. */
#define STREAM(handle)                                                                                                 \
    host_stream *s = cu_stream((handle), per_thread);                                                                  \
    if (!s) return HOST_INVALID_RESOURCE_HANDLE

CU(cuStreamCreateWithPriority)(host_stream **out, unsigned flags, int priority)
{
    CU_NEED;
    return cu_end(host_stream_create(cu_host(), flags, priority, out));
}

CU(cuStreamCreate)(host_stream **out, unsigned flags) { return lw_cuda_cuStreamCreateWithPriority(out, flags, 0); }

CU(cuStreamDestroy_v2)(host_stream *stream)
{
    CU_NEED_INIT;
    return cu_end(host_stream_destroy(stream));
}

CU(cuStreamDestroy)(host_stream *stream) { return lw_cuda_cuStreamDestroy_v2(stream); }

static host_error on_cuStreamSynchronize(bool per_thread, void *stream)
{
    STREAM(stream);
    return host_stream_synchronize(s);
}
CU_PAIR(cuStreamSynchronize, ptsz, (void *stream), (stream))

static host_error on_cuStreamQuery(bool per_thread, void *stream)
{
    STREAM(stream);
    return host_stream_query(s);
}
CU_PAIR(cuStreamQuery, ptsz, (void *stream), (stream))

static host_error on_cuStreamWaitEvent(bool per_thread, void *stream, host_event *event, unsigned flags)
{
    STREAM(stream);
    return host_stream_wait_event(s, event, flags);
}
CU_PAIR(cuStreamWaitEvent, ptsz, (void *stream, host_event *event, unsigned flags), (stream, event, flags))

static host_error on_cuStreamGetFlags(bool per_thread, void *stream, unsigned *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_flags(s);
    return 0;
}
CU_PAIR(cuStreamGetFlags, ptsz, (void *stream, unsigned *out), (stream, out))

static host_error on_cuStreamGetPriority(bool per_thread, void *stream, int *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_priority(s);
    return 0;
}
CU_PAIR(cuStreamGetPriority, ptsz, (void *stream, int *out), (stream, out))

static host_error on_cuStreamGetId(bool per_thread, void *stream, unsigned long long *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_id(s);
    return 0;
}
CU_PAIR(cuStreamGetId, ptsz, (void *stream, unsigned long long *out), (stream, out))

static host_error on_cuStreamGetDevice(bool per_thread, void *stream, int *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = 0;
    return 0;
}
CU_PAIR(cuStreamGetDevice, ptsz, (void *stream, int *out), (stream, out))

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

/* Attributes of streams are hints; priority is the one that is known from elsewhere. */
static bool attribute_known(int attribute)
{
    return attribute == CU_ATTRIBUTE_ACCESS_POLICY || attribute == CU_ATTRIBUTE_SYNC_POLICY ||
           attribute == CU_ATTRIBUTE_PRIORITY || attribute == CU_ATTRIBUTE_DOMAIN_MAP ||
           attribute == CU_ATTRIBUTE_DOMAIN;
}

static host_error on_cuStreamGetAttribute(bool per_thread, void *stream, int attribute, cu_attribute_value *out)
{
    STREAM(stream);
    if (!out || !attribute_known(attribute)) return HOST_INVALID_VALUE;
    memset(out, 0, sizeof *out);
    if (attribute == CU_ATTRIBUTE_SYNC_POLICY) out->number = 1;
    if (attribute == CU_ATTRIBUTE_PRIORITY) out->number = host_stream_priority(s);
    return 0;
}
CU_PAIR(cuStreamGetAttribute, ptsz, (void *stream, int attribute, cu_attribute_value *out), (stream, attribute, out))

static host_error on_cuStreamSetAttribute(bool per_thread, void *stream, int attribute, const cu_attribute_value *value)
{
    STREAM(stream);
    (void)s;
    return value && attribute_known(attribute) ? 0 : HOST_INVALID_VALUE;
}
CU_PAIR(cuStreamSetAttribute, ptsz, (void *stream, int attribute, const cu_attribute_value *value),
        (stream, attribute, value))

static host_error on_cuStreamCopyAttributes(bool per_thread, void *dst, void *src)
{
    STREAM(dst);
    (void)s;
    return cu_stream(src, per_thread) ? 0 : HOST_INVALID_RESOURCE_HANDLE;
}
CU_PAIR(cuStreamCopyAttributes, ptsz, (void *dst, void *src), (dst, src))

/* ---- host functions ---- */
static host_error on_cuLaunchHostFunc(bool per_thread, void *stream, void (*function)(void *), void *user)
{
    STREAM(stream);
    return function ? host_function_put(s, function, user) : HOST_INVALID_VALUE;
}
CU_PAIR(cuLaunchHostFunc, ptsz, (void *stream, void (*function)(void *), void *user), (stream, function, user))

static host_error on_cuStreamAddCallback(bool per_thread, void *stream, void (*function)(void *, int, void *),
                                         void *user, unsigned flags)
{
    STREAM(stream);
    return flags || !function ? HOST_INVALID_VALUE : host_callback_put(s, function, stream, user);
}
CU_PAIR(cuStreamAddCallback, ptsz, (void *stream, void (*function)(void *, int, void *), void *user, unsigned flags),
        (stream, function, user, flags))

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

/* ---- events ---- */
CU(cuEventCreate)(host_event **out, unsigned flags)
{
    CU_NEED;
    return cu_end(host_event_create(cu_host(), flags, out));
}

CU(cuEventDestroy_v2)(host_event *event)
{
    CU_NEED_INIT;
    return cu_end(host_event_destroy(event));
}

CU(cuEventDestroy)(host_event *event) { return lw_cuda_cuEventDestroy_v2(event); }

static host_error on_cuEventRecordWithFlags(bool per_thread, host_event *event, void *stream, unsigned flags)
{
    STREAM(stream);
    return host_event_record(event, s, flags);
}
CU_PAIR(cuEventRecordWithFlags, ptsz, (host_event * event, void *stream, unsigned flags), (event, stream, flags))

static host_error on_cuEventRecord(bool per_thread, host_event *event, void *stream)
{
    return on_cuEventRecordWithFlags(per_thread, event, stream, 0);
}
CU_PAIR(cuEventRecord, ptsz, (host_event * event, void *stream), (event, stream))

CU(cuEventSynchronize)(host_event *event)
{
    CU_NEED_INIT;
    return cu_end(host_event_synchronize(event));
}

CU(cuEventQuery)(host_event *event)
{
    CU_NEED_INIT;
    return cu_end(host_event_query(event));
}

CU(cuEventElapsedTime_v2)(float *out, host_event *start, host_event *end)
{
    CU_NEED_INIT;
    return cu_end(host_event_elapsed(start, end, out));
}

CU(cuEventElapsedTime)(float *out, host_event *start, host_event *end)
{
    return lw_cuda_cuEventElapsedTime_v2(out, start, end);
}

/* ---- capture ---- */
static host_error on_cuStreamBeginCapture(bool per_thread, void *stream, int mode)
{
    STREAM(stream);
    return host_capture_begin(s, mode, NULL, NULL, 0);
}
CU_PAIR_V2(cuStreamBeginCapture, ptsz, (void *stream, int mode), (stream, mode))

static host_error on_begin_v1(bool per_thread, void *stream) { return on_cuStreamBeginCapture(per_thread, stream, 0); }
CU_PAIR_OF(begin_v1, cuStreamBeginCapture, ptsz, (void *stream), (stream))

static host_error on_cuStreamBeginCaptureToGraph(bool per_thread, void *stream, host_graph *graph,
                                                 host_node *const *dependencies, const cu_edge_data *edges,
                                                 size_t count, int mode)
{
    STREAM(stream);
    (void)edges;
    return graph ? host_capture_begin(s, mode, graph, dependencies, count) : HOST_INVALID_VALUE;
}
CU_PAIR(cuStreamBeginCaptureToGraph, ptsz,
        (void *stream, host_graph *graph, host_node *const *dependencies, const cu_edge_data *edges, size_t count,
         int mode),
        (stream, graph, dependencies, edges, count, mode))

static host_error on_cuStreamEndCapture(bool per_thread, void *stream, host_graph **out)
{
    STREAM(stream);
    return host_capture_end(s, out);
}
CU_PAIR(cuStreamEndCapture, ptsz, (void *stream, host_graph **out), (stream, out))

static host_error on_cuStreamIsCapturing(bool per_thread, void *stream, int *out)
{
    host_capture_info info;
    STREAM(stream);
    host_error error = out ? host_capture_query(s, &info) : HOST_INVALID_VALUE;
    if (!error) *out = info.status;
    return error;
}
CU_PAIR(cuStreamIsCapturing, ptsz, (void *stream, int *out), (stream, out))

static host_error on_info_v3(bool per_thread, void *stream, int *status, unsigned long long *id, host_graph **graph,
                             host_node *const **dependencies, const cu_edge_data **edges, size_t *count)
{
    host_capture_info info;
    STREAM(stream);
    host_error error = status ? host_capture_query(s, &info) : HOST_INVALID_VALUE;
    if (error) return error;
    *status = info.status;
    if (info.status != 1) return 0;
    if (id) *id = info.id;
    if (graph) *graph = info.graph;
    if (dependencies) *dependencies = info.dependencies;
    if (edges) *edges = NULL;
    if (count) *count = info.dependency_count;
    return 0;
}
CU_PAIR_OF(info_v3, cuStreamGetCaptureInfo_v3, ptsz,
           (void *stream, int *status, unsigned long long *id, host_graph **graph, host_node *const **dependencies,
            const cu_edge_data **edges, size_t *count),
           (stream, status, id, graph, dependencies, edges, count))

static host_error on_info_v2(bool per_thread, void *stream, int *status, unsigned long long *id, host_graph **graph,
                             host_node *const **dependencies, size_t *count)
{
    return on_info_v3(per_thread, stream, status, id, graph, dependencies, NULL, count);
}
CU_PAIR_OF(info_v2, cuStreamGetCaptureInfo_v2, ptsz,
           (void *stream, int *status, unsigned long long *id, host_graph **graph, host_node *const **dependencies,
            size_t *count),
           (stream, status, id, graph, dependencies, count))

static host_error on_info_v1(bool per_thread, void *stream, int *status, unsigned long long *id)
{
    return on_info_v3(per_thread, stream, status, id, NULL, NULL, NULL, NULL);
}
CU_PAIR_OF(info_v1, cuStreamGetCaptureInfo, ptsz, (void *stream, int *status, unsigned long long *id),
           (stream, status, id))

static host_error on_cuStreamUpdateCaptureDependencies(bool per_thread, void *stream, host_node **nodes, size_t count,
                                                       unsigned flags)
{
    STREAM(stream);
    if (flags > 1 || (count && !nodes)) return HOST_INVALID_VALUE;
    return host_capture_set_dependencies(s, nodes, count, flags == 1);
}
CU_PAIR(cuStreamUpdateCaptureDependencies, ptsz, (void *stream, host_node **nodes, size_t count, unsigned flags),
        (stream, nodes, count, flags))

static host_error on_update_v2(bool per_thread, void *stream, host_node **nodes, const cu_edge_data *edges,
                               size_t count, unsigned flags)
{
    (void)edges;
    return on_cuStreamUpdateCaptureDependencies(per_thread, stream, nodes, count, flags);
}
CU_PAIR_OF(update_v2, cuStreamUpdateCaptureDependencies_v2, ptsz,
           (void *stream, host_node **nodes, const cu_edge_data *edges, size_t count, unsigned flags),
           (stream, nodes, edges, count, flags))

CU(cuThreadExchangeStreamCaptureMode)(int *mode)
{
    if (!mode || *mode < 0 || *mode > 2) return HOST_INVALID_VALUE;
    host_thread *t = host_thread_get();
    int old = t->capture_mode;
    t->capture_mode = *mode;
    *mode = old;
    return 0;
}
