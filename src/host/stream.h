/* Streams and events (stream.c). */
#ifndef LW_HOST_STREAM_H
#define LW_HOST_STREAM_H

#include "host/cuda_numbers.h"
#include "host/types.h"

/* Raw stream handles of both APIs: 0 and 1 are the legacy default stream, 2 the per-thread default stream; with
 * per_thread set, 0 is the per-thread one too. NULL if the handle is not live. */
host_stream *host_stream_resolve(host_context *context, void *handle, bool per_thread);
host_error host_stream_create(host_context *context, uint32_t flags, int priority, host_stream **out);
host_error host_stream_destroy(host_context *context, host_stream *stream);
host_error host_stream_synchronize(host_stream *stream);
host_error host_stream_query(host_stream *stream); /* 0 or HOST_NOT_READY */
uint32_t host_stream_flags(const host_stream *stream);
int host_stream_priority(const host_stream *stream);
uint64_t host_stream_id(const host_stream *stream);
int host_stream_device(const host_stream *stream);
/* Of the kernels that are launched on it from now on. HOST_INVALID_VALUE: of more bytes than the device allows, a share outside of 0 to 1, or
 * persisting as `miss`. */
host_error host_stream_set_window(host_stream *stream, const host_access_window *window);
host_access_window host_stream_window(const host_stream *stream);
host_error host_access_window_check(host_context *context, uint32_t device, const host_access_window *window);
host_error host_synchronize(host_context *context);
/* callback: runs on the engine thread when all earlier work of the stream is done. error_function:
 * cudaStreamAddCallback. */
host_error host_function_put(host_stream *stream, void (*function)(void *user), void *user);
host_error host_callback_put(host_stream *stream, void (*function)(void *stream, int error, void *user), void *handle,
                             void *user);
/* Stream memory operations of the driver API (cuStreamWriteValue32/64, cuStreamWaitValue32/64; flags as there). */
host_error host_value_put(host_stream *stream, uint64_t address, uint64_t value, uint32_t bytes, bool wait,
                          uint32_t flags);

host_error host_event_create(host_context *context, uint32_t flags /* host_event_flag */, host_event **out);
host_error host_event_destroy(host_context *context, host_event *event);
host_error host_event_record(host_event *event, host_stream *stream, uint32_t flags /* host_event_use */);
host_error host_event_synchronize(host_context *context, host_event *event);
host_error host_event_query(host_context *context, host_event *event);
host_error host_event_elapsed(host_context *context, host_event *start, host_event *end, float *out_milliseconds);
host_error host_stream_wait_event(host_stream *stream, host_event *event, uint32_t flags /* host_event_use */);
bool host_event_valid(host_context *context, const host_event *event);

#endif
