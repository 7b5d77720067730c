/* Streams, events, host functions, capture. */
#include <string.h>

#include "cudart/cudart.h"

/* Gets the stream of a handle into `s` or returns the error. */
#define STREAM(handle)                                                                                                 \
    host_stream *s = rt_stream((handle), per_thread);                                                                  \
    if (!s) return HOST_INVALID_RESOURCE_HANDLE

RT(cudaStreamCreateWithPriority)(host_stream **out, unsigned flags, int priority)
{
    return rt_end(host_stream_create(rt_context(), flags, priority, out));
}

RT(cudaStreamCreateWithFlags)(host_stream **out, unsigned flags)
{
    return lw_cudart_cudaStreamCreateWithPriority(out, flags, 0);
}

RT(cudaStreamCreate)(host_stream **out) { return lw_cudart_cudaStreamCreateWithPriority(out, 0, 0); }

RT(cudaStreamDestroy)(host_stream *stream) { return rt_end(host_stream_destroy(stream)); }

static host_error on_cudaStreamSynchronize(bool per_thread, void *stream)
{
    STREAM(stream);
    return host_stream_synchronize(s);
}
RT_PAIR(cudaStreamSynchronize, ptsz, (void *stream), (stream))

static host_error on_cudaStreamQuery(bool per_thread, void *stream)
{
    STREAM(stream);
    return host_stream_query(s);
}
RT_PAIR(cudaStreamQuery, ptsz, (void *stream), (stream))

static host_error on_cudaStreamWaitEvent(bool per_thread, void *stream, host_event *event, unsigned flags)
{
    STREAM(stream);
    return host_stream_wait_event(s, event, flags);
}
RT_PAIR(cudaStreamWaitEvent, ptsz, (void *stream, host_event *event, unsigned flags), (stream, event, flags))

static host_error on_cudaStreamGetFlags(bool per_thread, void *stream, unsigned *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_flags(s);
    return 0;
}
RT_PAIR(cudaStreamGetFlags, ptsz, (void *stream, unsigned *out), (stream, out))

static host_error on_cudaStreamGetPriority(bool per_thread, void *stream, int *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_priority(s);
    return 0;
}
RT_PAIR(cudaStreamGetPriority, ptsz, (void *stream, int *out), (stream, out))

static host_error on_cudaStreamGetId(bool per_thread, void *stream, unsigned long long *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_id(s);
    return 0;
}
RT_PAIR(cudaStreamGetId, ptsz, (void *stream, unsigned long long *out), (stream, out))

static host_error on_cudaStreamGetDevice(bool per_thread, void *stream, int *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    *out = 0;
    return 0;
}
RT_PAIR(cudaStreamGetDevice, ptsz, (void *stream, int *out), (stream, out))

/* Attributes of streams are hints; priority is the one that is known from elsewhere. */
static host_error on_cudaStreamGetAttribute(bool per_thread, void *stream, int attribute, rt_attribute_value *out)
{
    STREAM(stream);
    if (!out) return HOST_INVALID_VALUE;
    memset(out, 0, sizeof *out);
    switch (attribute) {
    case RT_ATTRIBUTE_ACCESS_POLICY: return 0;
    case RT_ATTRIBUTE_SYNC_POLICY: out->number = 1; return 0;
    case RT_ATTRIBUTE_PRIORITY: out->number = host_stream_priority(s); return 0;
    case RT_ATTRIBUTE_DOMAIN_MAP:
    case RT_ATTRIBUTE_DOMAIN: return 0;
    default: return HOST_INVALID_VALUE;
    }
}
RT_PAIR(cudaStreamGetAttribute, ptsz, (void *stream, int attribute, rt_attribute_value *out), (stream, attribute, out))

static host_error on_cudaStreamSetAttribute(bool per_thread, void *stream, int attribute,
                                            const rt_attribute_value *value)
{
    STREAM(stream);
    (void)s;
    bool known = attribute == RT_ATTRIBUTE_ACCESS_POLICY || attribute == RT_ATTRIBUTE_SYNC_POLICY ||
                 attribute == RT_ATTRIBUTE_PRIORITY || attribute == RT_ATTRIBUTE_DOMAIN_MAP ||
                 attribute == RT_ATTRIBUTE_DOMAIN;
    return value && known ? 0 : HOST_INVALID_VALUE;
}
RT_PAIR(cudaStreamSetAttribute, ptsz, (void *stream, int attribute, const rt_attribute_value *value),
        (stream, attribute, value))

static host_error on_cudaStreamCopyAttributes(bool per_thread, void *dst, void *src)
{
    STREAM(dst);
    (void)s;
    return rt_stream(src, per_thread) ? 0 : HOST_INVALID_RESOURCE_HANDLE;
}
RT_PAIR(cudaStreamCopyAttributes, ptsz, (void *dst, void *src), (dst, src))

/* ---- host functions ---- */
static host_error on_cudaLaunchHostFunc(bool per_thread, void *stream, void (*function)(void *), void *user)
{
    STREAM(stream);
    return host_function_put(s, function, user);
}
RT_PAIR(cudaLaunchHostFunc, ptsz, (void *stream, void (*function)(void *), void *user), (stream, function, user))

static host_error on_cudaStreamAddCallback(bool per_thread, void *stream, void (*function)(void *, int, void *),
                                           void *user, unsigned flags)
{
    STREAM(stream);
    return flags ? HOST_INVALID_VALUE : host_callback_put(s, function, stream, user);
}
RT_PAIR(cudaStreamAddCallback, ptsz, (void *stream, void (*function)(void *, int, void *), void *user, unsigned flags),
        (stream, function, user, flags))

/* ---- events ---- */
RT(cudaEventCreateWithFlags)(host_event **out, unsigned flags)
{
    return rt_end(host_event_create(rt_context(), flags, out));
}

RT(cudaEventCreate)(host_event **out) { return lw_cudart_cudaEventCreateWithFlags(out, 0); }

RT(cudaEventDestroy)(host_event *event) { return rt_end(host_event_destroy(event)); }

static host_error on_cudaEventRecordWithFlags(bool per_thread, host_event *event, void *stream, unsigned flags)
{
    STREAM(stream);
    return host_event_record(event, s, flags);
}
RT_PAIR(cudaEventRecordWithFlags, ptsz, (host_event * event, void *stream, unsigned flags), (event, stream, flags))

static host_error on_cudaEventRecord(bool per_thread, host_event *event, void *stream)
{
    return on_cudaEventRecordWithFlags(per_thread, event, stream, 0);
}
RT_PAIR(cudaEventRecord, ptsz, (host_event * event, void *stream), (event, stream))

RT(cudaEventSynchronize)(host_event *event) { return rt_end(host_event_synchronize(event)); }

RT(cudaEventQuery)(host_event *event) { return rt_end(host_event_query(event)); }

RT(cudaEventElapsedTime)(float *out, host_event *start, host_event *end)
{
    return rt_end(host_event_elapsed(start, end, out));
}

/* ---- capture ---- */
static host_error on_cudaStreamBeginCapture(bool per_thread, void *stream, int mode)
{
    STREAM(stream);
    return host_capture_begin(s, mode, NULL, NULL, 0);
}
RT_PAIR(cudaStreamBeginCapture, ptsz, (void *stream, int mode), (stream, mode))

static host_error on_cudaStreamBeginCaptureToGraph(bool per_thread, void *stream, host_graph *graph,
                                                   host_node *const *dependencies, const rt_edge_data *edges,
                                                   size_t count, int mode)
{
    STREAM(stream);
    (void)edges;
    if (!graph) return HOST_INVALID_VALUE;
    return host_capture_begin(s, mode, graph, dependencies, count);
}
RT_PAIR(cudaStreamBeginCaptureToGraph, ptsz,
        (void *stream, host_graph *graph, host_node *const *dependencies, const rt_edge_data *edges, size_t count,
         int mode),
        (stream, graph, dependencies, edges, count, mode))

static host_error on_cudaStreamEndCapture(bool per_thread, void *stream, host_graph **out)
{
    STREAM(stream);
    return host_capture_end(s, out);
}
RT_PAIR(cudaStreamEndCapture, ptsz, (void *stream, host_graph **out), (stream, out))

static host_error on_cudaStreamIsCapturing(bool per_thread, void *stream, int *out)
{
    host_capture_info info;
    STREAM(stream);
    host_error error = out ? host_capture_query(s, &info) : HOST_INVALID_VALUE;
    if (!error) *out = info.status;
    return error;
}
RT_PAIR(cudaStreamIsCapturing, ptsz, (void *stream, int *out), (stream, out))

static host_error on_cudaStreamGetCaptureInfo(bool per_thread, void *stream, int *status, unsigned long long *id,
                                              host_graph **graph, host_node *const **dependencies,
                                              const rt_edge_data **edges, size_t *count)
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
RT_PAIR(cudaStreamGetCaptureInfo, ptsz,
        (void *stream, int *status, unsigned long long *id, host_graph **graph, host_node *const **dependencies,
         const rt_edge_data **edges, size_t *count),
        (stream, status, id, graph, dependencies, edges, count))

static host_error on_cudaStreamUpdateCaptureDependencies(bool per_thread, void *stream, host_node **nodes,
                                                         const rt_edge_data *edges, size_t count, unsigned flags)
{
    STREAM(stream);
    (void)edges;
    if (flags > 1 || (count && !nodes)) return HOST_INVALID_VALUE;
    return host_capture_set_dependencies(s, nodes, count, flags == 1);
}
RT_PAIR(cudaStreamUpdateCaptureDependencies, ptsz,
        (void *stream, host_node **nodes, const rt_edge_data *edges, size_t count, unsigned flags),
        (stream, nodes, edges, count, flags))

RT(cudaThreadExchangeStreamCaptureMode)(int *mode)
{
    if (!mode || *mode < 0 || *mode > 2) return rt_end(HOST_INVALID_VALUE);
    host_thread *t = host_thread_get();
    int old = t->capture_mode;
    t->capture_mode = *mode;
    *mode = old;
    return 0;
}
