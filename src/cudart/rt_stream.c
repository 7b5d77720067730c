/* Streams and events of the runtime alone. */
#include "cudart/rt_calls.h"

RT(cudaStreamCreate)(host_stream **out) { return lw_cudart_cudaStreamCreateWithFlags(out, 0); }

RT(cudaEventCreate)(host_event **out) { return lw_cudart_cudaEventCreateWithFlags(out, 0); }

/* The stream an allocation belongs to is a hint; the checks are those of the runtime. */
static host_error on_cudaStreamAttachMemAsync(bool per_thread, void *stream, uint64_t pointer, size_t bytes,
                                              unsigned flags)
{
    if (!face_attach_known(flags)) return HOST_INVALID_VALUE;
    if (!rt_stream(stream, per_thread)) return HOST_INVALID_RESOURCE_HANDLE;
    return host_managed_check(rt_context(), pointer, bytes ? bytes : 1);
}
RT_PAIR(cudaStreamAttachMemAsync, ptsz, (void *stream, uint64_t pointer, size_t bytes, unsigned flags),
        (stream, pointer, bytes, flags))
