/* Streams and events of the runtime alone. */
#include "cudart/cudart.h"

RT(cudaStreamCreate)(host_stream **out) { return rt_end(host_stream_create(host_get(), 0, 0, out)); }

RT(cudaEventCreate)(host_event **out) { return rt_end(host_event_create(host_get(), 0, out)); }

/* The stream that managed memory belongs to is a hint. */
static host_error attach(void *stream, bool per_thread, uint64_t pointer, size_t bytes, unsigned flags)
{
    if (!face_attach_known(flags)) return HOST_INVALID_VALUE;
    if (!face_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_managed_check(host_get(), pointer, bytes ? bytes : 1);
}
RT_TWICE(cudaStreamAttachMemAsync, ptsz, (void *stream, uint64_t pointer, size_t bytes, unsigned flags),
         attach(stream, per_thread, pointer, bytes, flags))
