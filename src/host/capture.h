/* Capture of streams into graphs (capture.c). */
#ifndef LW_HOST_CAPTURE_H
#define LW_HOST_CAPTURE_H

#include "host/cuda_numbers.h"
#include "host/types.h"

/* mode: a host_capture_mode. */
host_error host_capture_begin(host_stream *stream, int mode, host_graph *into /* NULL: a new graph */,
                              host_node *const *dependencies, size_t count);
host_error host_capture_end(host_stream *stream, host_graph **out);
typedef struct host_capture_info {
    int status; /* host_capture_status */
    uint64_t id;
    host_graph *graph;
    host_node *const *dependencies; /* valid until the next call on the stream */
    size_t dependency_count;
} host_capture_info;
host_error host_capture_query(host_stream *stream, host_capture_info *out);
host_error host_capture_set_dependencies(host_stream *stream, host_node *const *nodes, size_t count, bool replace);
/* For calls that are not allowed while a stream of this thread captures in a strict mode:
 * HOST_STREAM_CAPTURE_UNSUPPORTED (the captures are invalidated), else 0. */
host_error host_capture_forbid(host_context *context);
/* A call that a capture cannot take, a copy to a device that is no peer: spoils the stream's. 0 without one. */
host_error host_capture_forbid_peer(host_stream *stream);

#endif
