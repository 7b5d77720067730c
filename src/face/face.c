/* What all subjects share: messages, streams behind handles, copies and fills on them. */
#include "face/face.h"

host_error face_unsupported(const char *prefix, const char *what, const char *error_name)
{
    host_note(host_get(), "%s%s is not supported: it returns %s", prefix, what, error_name);
    return HOST_NOT_SUPPORTED;
}

host_stream *face_stream(void *handle, bool per_thread) { return host_stream_resolve(host_get(), handle, per_thread); }

host_error face_copy_put(void *stream, bool per_thread, const host_copy *copy, bool wait)
{
    host_stream *s = face_stream(stream, per_thread);
    return s ? host_copy_put(host_get(), s, copy, wait) : HOST_INVALID_RESOURCE_HANDLE;
}

host_error face_copy_flat(void *stream, bool per_thread, uint64_t dst, uint64_t src, size_t bytes, int kind, bool wait)
{
    host_copy copy = host_copy_flat(dst, src, bytes, kind);
    return face_copy_put(stream, per_thread, &copy, wait);
}

host_error face_copy_peer(void *stream, bool per_thread, uint64_t dst, int to, uint64_t src, int from, size_t bytes,
                          bool wait)
{
    host_copy copy = host_copy_flat(dst, src, bytes, HOST_COPY_DEFAULT);
    mem_allocation a;
    copy.between = true;
    if (!bytes) return 0;
    if (!host_pointer_find(host_get(), dst, &a) || !host_pointer_find(host_get(), src, &a)) return HOST_INVALID_VALUE;
    host_stream *s = face_stream(stream, per_thread);
    if (!s) return HOST_INVALID_RESOURCE_HANDLE;
    if (to != from && !host_peer_enabled(host_get(), (uint32_t)from, (uint32_t)to)) {
        host_error error = host_capture_forbid_peer(s);
        if (error) return error;
    }
    return host_copy_put(host_get(), s, &copy, wait);
}

host_error face_copy_3d(const face *self, void *stream, bool per_thread, const void *params, bool wait)
{
    host_copy copy;
    host_error error = self->copy(params, &copy);
    return error ? error : face_copy_put(stream, per_thread, &copy, wait);
}

host_error face_fill_put(void *stream, bool per_thread, const host_fill *fill, bool wait)
{
    host_stream *s = face_stream(stream, per_thread);
    return s ? host_fill_put(host_get(), s, fill, wait) : HOST_INVALID_RESOURCE_HANDLE;
}
