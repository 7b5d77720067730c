/* stream: streams and events as the queue and captures see them (stream.c). */
#ifndef LW_HOST_STREAM_PRIV_H
#define LW_HOST_STREAM_PRIV_H

#include "host/emit_priv.h"
#include "host/op_priv.h"
#include "host/state_priv.h"
#include "host/stream.h"

struct host_capture; /* capture_priv.h */

#define HOST_LEGACY_STREAMS 0x10000 /* with the device: host_stream.id of the default stream of a further device */
#define HOST_RESERVED_STREAMS 8     /* host_stream.id of the default stream, and numbers that CUDA reserves */

struct host_stream {
    host_context *context;
    uint32_t flags; /* host_stream_flag */
    int priority;
    uint32_t device;   /* whose it is */
    uint64_t id, last; /* last: number of the last operation put */
    bool is_default;
    host_access_window window;    /* with host_lock() */
    struct host_capture *capture; /* NULL: not capturing */
    host_node_vec front;          /* nodes the next captured operation depends on */
};

struct host_event {
    host_context *context;
    uint32_t flags, device;
    bool recorded, opened;        /* opened: of another process */
    struct host_ipc_slot *shared; /* with other processes; NULL: it is this one's own */
    uint64_t serial;              /* number of the last record */
    double time;                  /* seconds; valid when that record is done */
    struct host_capture *capture; /* that it was recorded in last; NULL: in none that is under way */
    host_node_vec front;
};

struct host_streams {
    host_stream legacy[HOST_DEVICES_MOST];
    LW_VEC(host_stream *) all; /* but legacy */
    LW_VEC(host_event *) events;
    LW_VEC(struct host_capture *) captures; /* under way */
    uint64_t last_id, last_capture;
};

static inline bool host_stream_is_legacy(const host_stream *s) { return s == &s->context->streams->legacy[s->device]; }

/* Where an operation of the stream with this number stands. NULL: of no stream. */
static inline host_place host_place_of(const host_stream *s, uint64_t number)
{
    if (!s) return (host_place){.number = number};
    return (host_place){.number = number,
                        .stream = s->id,
                        .device = s->device,
                        .is_default = s->is_default,
                        .blocking = !(s->flags & HOST_STREAM_NON_BLOCKING)};
}

host_streams *host_streams_make(host_context *context);
void host_streams_free_device(host_context *context, uint32_t device);
void host_streams_free(host_context *context); /* all but the threads' own */

#endif
