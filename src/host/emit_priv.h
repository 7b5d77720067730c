/* emit: events of the host, and the clients that listen (emit.c, clients.c). */
#ifndef LW_HOST_EMIT_PRIV_H
#define LW_HOST_EMIT_PRIV_H

#include <pthread.h>

#include "event/event.h"
#include "host/op.h"
#include "host/state_priv.h"

/* Where an operation stands, kept for events: its stream may be gone when it runs. */
typedef struct host_place {
    uint64_t number; /* of the operation: 1, 2, 3 ... as they were submitted; 0: none */
    uint64_t stream; /* id; 0: none */
    uint64_t graph;  /* number of the graph launch; 0: none */
    uint32_t device; /* whose stream it is */
    uint32_t origin; /* where the program asked for it (host_origin_place); 0: not known */
    bool is_default, blocking;
} host_place;

#define HOST_CLIENT_LIMIT 16
typedef struct host_client {
    const event_client *client;
    void *session;
} host_client;
struct host_clients {
    pthread_mutex_t lock; /* events of the host, one at a time */
    event_session session;
    host_client list[HOST_CLIENT_LIMIT];
    uint32_t count;
    uint64_t host_kinds; /* set of kinds of host events that some client wants */
    uint64_t built[EVENT_KIND_COUNT];
};

/* ---- emit.c: one function per kind; `at` NULL: of no operation */
#define host_wants(context, kind) ((context)->clients->host_kinds >> (kind) & 1)
void host_emit_submit(host_context *context, const host_place *at, const uint64_t *after, uint32_t after_count);
void host_emit_launch(host_context *context, event_kind kind, const event_launch *launch, const host_place *at);
/* copies, fills, functions, values */
void host_emit_operation(host_context *context, const host_op *op, const host_place *at);
/* what a call of a library reads or writes: rows of bytes, pitch from row to row */
void host_emit_access(host_context *context, const host_place *at, const char *call, uint64_t address, uint64_t bytes,
                      uint64_t rows, uint64_t pitch, bool writes);
void host_emit_alloc(host_context *context, uint64_t address, uint64_t bytes, bool initialised, const host_place *at);
void host_emit_free(host_context *context, uint64_t address, const host_place *at);
void host_emit_register(host_context *context, uint64_t address, uint64_t bytes);
void host_emit_unregister(host_context *context, uint64_t address);
/* On any thread of exec. launch NULL: of none. */
void host_emit_heap_alloc(host_context *context, uint64_t address, uint64_t bytes, const event_launch *launch);
void host_emit_heap_free(host_context *context, uint64_t address, const event_launch *launch);
/* at: the stream's place behind which the event is, or was, recorded */
void host_emit_record(host_context *context, const host_event *event, const host_place *at);
void host_emit_stream_wait(host_context *context, const host_event *event, const host_place *at);
void host_emit_graph_wait(host_context *context, const host_event *event, uint64_t behind, const host_place *at);
void host_emit_wait(host_context *context, const host_place *at, bool all);
void host_emit_on(host_context *context);
/* pc: the instruction's address; file NULL: not known */
void host_emit_touch(host_context *context, uint64_t address, bool writes, uint64_t pc, const char *file,
                     uint32_t line);

#endif
