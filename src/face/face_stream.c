/* Streams and capture. */
#include <string.h>

#include "face/face.h"

host_error face_stream_flags(const host_stream *stream, unsigned *out)
{
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_flags(stream);
    return 0;
}

host_error face_stream_priority(const host_stream *stream, int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_priority(stream);
    return 0;
}

host_error face_stream_id(const host_stream *stream, uint64_t *out)
{
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_id(stream);
    return 0;
}

host_error face_stream_copy_attributes(host_stream *stream, const host_stream *source)
{
    if (!source) return HOST_INVALID_RESOURCE_HANDLE;
    if (host_stream_device(stream) != host_stream_device(source)) return HOST_INVALID_VALUE;
    host_access_window window = host_stream_window(source);
    return host_stream_set_window(stream, &window);
}

host_error face_stream_device(const host_stream *stream, int *out)
{
    if (!out) return HOST_INVALID_VALUE;
    *out = host_stream_device(stream);
    return 0;
}

/* Of these attributes access windows are kept, and priority is known from elsewhere; the others are hints. */
static bool attribute_known(int attribute)
{
    switch (attribute) {
    case FACE_ATTRIBUTE_ACCESS_POLICY:
    case FACE_ATTRIBUTE_SYNC_POLICY:
    case FACE_ATTRIBUTE_PRIORITY:
    case FACE_ATTRIBUTE_DOMAIN_MAP:
    case FACE_ATTRIBUTE_DOMAIN: return true;
    default: return false;
    }
}

host_error face_stream_attribute(const host_stream *stream, int attribute, face_attribute_value *out)
{
    enum { SYNC_POLICY_AUTO = 1 };
    if (!out || !attribute_known(attribute)) return HOST_INVALID_VALUE;
    memset(out, 0, sizeof *out);
    if (attribute == FACE_ATTRIBUTE_SYNC_POLICY) out->number = SYNC_POLICY_AUTO;
    if (attribute == FACE_ATTRIBUTE_PRIORITY) out->number = host_stream_priority(stream);
    if (attribute == FACE_ATTRIBUTE_ACCESS_POLICY) out->window = host_stream_window(stream);
    return 0;
}

host_error face_stream_set_attribute(host_stream *stream, int attribute, const face_attribute_value *value)
{
    if (!value || !attribute_known(attribute)) return HOST_INVALID_VALUE;
    return attribute == FACE_ATTRIBUTE_ACCESS_POLICY ? host_stream_set_window(stream, &value->window) : 0;
}

/* ---- capture ---- */
host_error face_capture_begin_into(host_stream *stream, host_graph *graph, host_node *const *dependencies, size_t count,
                                   int mode)
{
    if (!graph) return HOST_INVALID_VALUE; /* host_capture_begin would make one */
    return host_capture_begin(stream, mode, graph, dependencies, count);
}

host_error face_capture_status(host_stream *stream, int *out)
{
    host_capture_info info;
    host_error error = out ? host_capture_query(stream, &info) : HOST_INVALID_VALUE;
    if (!error) *out = info.status;
    return error;
}

host_error face_capture_info(host_stream *stream, int *out_status, uint64_t *out_id, host_graph **out_graph,
                             host_node *const **out_dependencies, const face_edge_data **out_edges, size_t *out_count)
{
    host_capture_info info;
    host_error error = out_status ? host_capture_query(stream, &info) : HOST_INVALID_VALUE;
    if (error) return error;
    *out_status = info.status;
    if (info.status != HOST_CAPTURE_ACTIVE) return 0;
    if (out_id) *out_id = info.id;
    if (out_graph) *out_graph = info.graph;
    if (out_dependencies) *out_dependencies = info.dependencies;
    if (out_edges) *out_edges = NULL;
    if (out_count) *out_count = info.dependency_count;
    return 0;
}

host_error face_capture_update(host_stream *stream, host_node **nodes, size_t count, unsigned flags)
{
    enum { ADD = 0, SET = 1 };
    if (flags > SET || (count && !nodes)) return HOST_INVALID_VALUE;
    return host_capture_set_dependencies(stream, nodes, count, flags == SET);
}

host_error face_capture_exchange_mode(int *mode)
{
    if (!mode || *mode < HOST_CAPTURE_GLOBAL || *mode > HOST_CAPTURE_RELAXED) return HOST_INVALID_VALUE;
    host_thread *t = host_thread_get(host_get());
    int old = t->capture_mode;
    t->capture_mode = *mode;
    *mode = old;
    return 0;
}
