/* Calls of libraries: put on a stream like a kernel, run like a function of the host. What they access is checked against
 * the allocations, told to who listens, and counted as the least that must be moved. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/finding_priv.h"
#include "host/library_priv.h"
#include "host/op_priv.h"
#include "host/results_priv.h"
#include "host/submit_priv.h"

struct host_library {
    host_context *context;
    const host_library_call *call;
    const host_place *at;
    uint64_t bytes; /* read and written */
    bool failed;
    bool untold;  /* it used memory of the host, of which nobody is told */
    bool repeats; /* host_library_repeats() */
    LW_VEC(host_library_said) said;
};

host_error host_library_put(host_stream *stream, const host_library_call *call, const void *args, bool wait)
{
    host_op op = {.kind = HOST_OP_LIBRARY};
    op.u.library.call = *call;
    op.u.library.args = host_op_copy_args(call, args);
    return host_submit(stream, &op, wait);
}

/* ---- what a call accesses ---- */
static void fail(host_library *l, host_error error, char *message)
{
    event_finding f = {.check = "memcheck", .severity = "error", .message = message, .insn = EVENT_NO_INSN, .count = 1};
    if (!l->failed) host_report(l->context, &f);
    l->failed = true;
    host_fault(l->context, l->at ? l->at->device : 0, error);
    free(message);
}

void host_library_fail(host_library *l, const char *words)
{
    fail(l, HOST_LAUNCH_FAILURE, lw_printf("%s: %s", l->call->name, words));
}

static const char *const access_verbs[] = {"reads", "writes", "reads and writes"};

static void fail_access(host_library *l, uint64_t address, uint64_t bytes, host_library_access access)
{
    char where[512] = "";
    host_describe(l->context, address, where, sizeof where);
    fail(l, HOST_ILLEGAL_ADDRESS,
         lw_printf("%s %s %llu bytes at 0x%llx, %s: some of them are beyond what a GPU can access", l->call->name,
                   access_verbs[access], (unsigned long long)bytes, (unsigned long long)address, where));
}

void *host_library_use(host_library *l, host_library_memory m, host_library_access access)
{
    static char nothing;
    if (!m.bytes || !m.rows) return &nothing;
    uint64_t span = (m.rows - 1) * m.pitch + m.bytes;
    mem_allocation a;
    mem_zone zone = mem_locate(l->context->memory, m.address, span, &a);
    if (zone != MEM_INSIDE && zone != MEM_SLACK) {
        fail_access(l, m.address, span, access);
        return NULL;
    }
    lw_vec_push(&l->said, ((host_library_said){m, access}));
    l->bytes += m.bytes * m.rows * (access == HOST_LIBRARY_UPDATES ? 2 : 1);
    const char *name = l->call->name;
    if (access != HOST_LIBRARY_WRITES)
        host_emit_access(l->context, l->at, name, m.address, m.bytes, m.rows, m.pitch, false);
    if (access != HOST_LIBRARY_READS)
        host_emit_access(l->context, l->at, name, m.address, m.bytes, m.rows, m.pitch, true);
    return mem_storage(m.address);
}

void *host_library_use_anywhere(host_library *l, host_library_memory m, host_library_access access)
{
    mem_allocation a;
    bool device = m.bytes && m.rows && mem_locate(l->context->memory, m.address, 1, &a) != MEM_NOWHERE;
    if (device) return host_library_use(l, m, access);
    l->untold = true;
    return (void *)(uintptr_t)m.address;
}

void host_library_repeats(host_library *l) { l->repeats = true; }

/* ---- running ---- */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_result(const host_library *l, double seconds)
{
    result_log *log = host_log(l->context);
    if (!log || l->context->options.no_report) return;
    result_launch launch = {
        .kernel = l->call->name,
        .kernel_mangled = l->call->name,
        .count = 1,
        .seconds = seconds,
        .library = true,
        .library_bytes = l->bytes,
        .note = l->failed ? RESULT_STOPPED_BY_ERROR : NULL,
    };
    result_log_launch(log, &launch);
}

void host_library_run(host_context *c, const host_op *op, const host_place *at)
{
    host_library l = {.context = c, .call = &op->u.library.call, .at = at};
    const void *args = op->u.library.args;
    double begin = now();
    size_t count = 0;
    const host_library_said *repeated = host_repeat(c, l.call, args, &count);
    for (size_t i = 0; repeated && i < count; i++) host_library_use(&l, repeated[i].memory, repeated[i].access);
    if (!repeated) l.call->run(&l, args);
    double seconds = now() - begin;
    if (!repeated && l.repeats && !l.failed && !l.untold)
        host_repeat_keep(c, l.call, args, l.said.items, l.said.count, seconds);
    write_result(&l, seconds);
    lw_vec_free(&l.said);
}
