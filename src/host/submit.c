/* Where work of the program enters: into the capture of its stream, or into the queue. */
#include "host/capture_priv.h"
#include "host/graph.h"
#include "host/guard_priv.h"
#include "host/queue_priv.h"
#include "host/services_priv.h"
#include "host/state_priv.h"
#include "host/submit_priv.h"
#include "host/trap_priv.h"
#include "host/unwaited_priv.h"

static host_error refused(host_context *c, host_stream *stream)
{
    host_error error = host_status_of(c, stream->device);
    return error ? error : host_capture_check_legacy(stream);
}

void host_submit_goes_on(host_stream *stream, uint64_t number)
{
    host_context *c = stream->context;
    if (!host_guard_wanted(c)) return;
    if (number && !host_queue_wait_for(c, number, HOST_GUARD_SECONDS)) host_guard_give_up(c);
    host_guard_arm(c, host_queue_rests);
}

host_error host_submit(host_stream *stream, const host_op *op, bool wait)
{
    host_context *c = stream->context;
    host_op mine = *op;
    host_error error = refused(c, stream);
    if (error) {
        host_op_free(c, &mine);
        return error;
    }
    if (stream->capture) return host_capture_add(stream, op);
    host_trap_install(c);
    bool small = op->kind == HOST_OP_COPY || op->kind == HOST_OP_FILL;
    if (wait && small && !c->clients->host_kinds && host_queue_idle(c)) {
        host_unwaited_wait(c);
        host_queue_run_now(c, op); /* nothing is before it: no need to wake the engine */
        host_op_free(c, &mine);
    } else {
        uint64_t number = host_queue_put(c, stream, op);
        if (wait) {
            host_place at = host_place_of(stream, number);
            host_queue_wait(c, number);
            host_guard_wait(c, &at, false);
        }
    }
    host_submit_goes_on(stream, wait ? 0 : stream->last);
    if (!wait) return 0;
    host_print_flush(c);
    return host_status_of(c, stream->device);
}
