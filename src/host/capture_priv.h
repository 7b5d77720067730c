/* capture: streams whose operations become nodes of a graph (capture.c). */
#ifndef LW_HOST_CAPTURE_PRIV_H
#define LW_HOST_CAPTURE_PRIV_H

#include "host/capture.h"
#include "host/stream_priv.h"

typedef struct host_capture {
    host_graph *graph;
    bool own_graph; /* made by the capture */
    int status;     /* host_capture_status */
    int mode;       /* host_capture_mode */
    uint64_t id, thread;
    host_stream *origin;
    host_node_vec left; /* fronts of streams that were destroyed meanwhile */
} host_capture;

/* Streams and events forget a capture that has ended; frees it and, if asked, the graph it made. */
void host_capture_drop(host_capture *capture, bool with_graph);
void host_capture_invalidate(host_capture *capture);
/* A stream that is destroyed leaves its capture: what it had to be joined for must be joined still. */
void host_capture_leave(host_stream *stream);
/* Called before work on a stream: HOST_STREAM_CAPTURE_IMPLICIT when the legacy stream is used during a capture. */
host_error host_capture_check_legacy(host_stream *stream);
host_error host_capture_record(host_event *event, host_stream *stream, uint32_t flags);
host_error host_capture_wait(host_stream *stream, host_event *event, uint32_t flags);
/* The node of a captured operation; takes over what *op owns. */
host_error host_capture_add(host_stream *stream, const host_op *op);

#endif
