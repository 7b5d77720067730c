/* Carries operations out: what the queue calls for each, and what a call does at once when nothing is before it. */
#include <unistd.h>

#include "host/copy_priv.h"
#include "host/graph_priv.h"
#include "host/launch_priv.h"
#include "host/library_priv.h"
#include "host/pool_priv.h"
#include "host/queue_priv.h"
#include "host/state_priv.h"
#include "host/submit_priv.h"

static bool value_reached(const host_op *op)
{
    enum { WAIT_MASK = 3 }; /* the other bits ask for a flush */
    bool wide = op->u.value.bytes == 8;
    uint64_t want = op->u.value.value;
    uint64_t have = wide ? *(const volatile uint64_t *)mem_storage(op->u.value.address)
                         : *(const volatile uint32_t *)mem_storage(op->u.value.address);
    switch (op->u.value.flags & WAIT_MASK) {
    case HOST_WAIT_GEQ: return wide ? (int64_t)(have - want) >= 0 : (int32_t)(uint32_t)(have - want) >= 0;
    case HOST_WAIT_EQ: return have == want;
    case HOST_WAIT_AND: return (have & want) != 0;
    default: return (wide ? ~(have | want) : (uint32_t)~(have | want)) != 0; /* HOST_WAIT_NOR */
    }
}

/* The writer is the program: another thread or mapped memory. */
static void wait_for_value(host_context *c, const host_op *op)
{
    const atomic_int *interrupt = host_queue_interrupt_flag(c);
    for (unsigned spin = 0; !atomic_load(interrupt) && !atomic_load(&c->sticky); spin++) {
        if (value_reached(op)) return;
        usleep(spin < 100 ? 10 : 1000);
    }
}

static void write_value(const host_op *op)
{
    if (op->u.value.bytes == 8) *(volatile uint64_t *)mem_storage(op->u.value.address) = op->u.value.value;
    else *(volatile uint32_t *)mem_storage(op->u.value.address) = (uint32_t)op->u.value.value;
}

/* A kernel, and what it launches; depth, pending: of host_children. The operation is over when all of it is. */
static void run_kernel(host_context *c, const host_op *op, const host_place *at, uint32_t depth, uint64_t pending);

static void run_child(host_context *c, const host_op *op, const host_place *at, uint32_t depth, uint64_t pending)
{
    if (op->kind == HOST_OP_KERNEL) {
        run_kernel(c, op, at, depth, pending);
        return;
    }
    host_emit_operation(c, op, at);
    if (op->kind == HOST_OP_COPY) host_copy_run(&op->u.copy.copy);
    else host_fill_run(&op->u.fill);
}

static void run_kernel(host_context *c, const host_op *op, const host_place *at, uint32_t depth, uint64_t pending)
{
    const atomic_int *interrupt = host_queue_interrupt_flag(c);
    host_children children;
    host_children_begin(&children, c, op, depth, pending);
    host_launch_run(c, op, at, &children);
    for (size_t k = 0; k < children.list.count && !atomic_load(interrupt) && !atomic_load(&c->sticky); k++)
        run_child(c, &children.list.items[k].op, at, depth + 1, pending + children.list.count - k - 1);
    host_children_end(&children);
}

void host_run(host_context *c, const host_op *op, const host_place *at)
{
    int sticky = atomic_load(&c->sticky);
    if (op->kind == HOST_OP_CALLBACK) {
        host_emit_operation(c, op, at);
        op->u.function.callback(op->u.function.handle, sticky, op->u.function.user);
        return;
    }
    if (sticky) return;
    if (op->kind != HOST_OP_VALUE) host_emit_operation(c, op, at);
    switch (op->kind) {
    case HOST_OP_KERNEL: run_kernel(c, op, at, 0, 0); break;
    case HOST_OP_COPY: host_copy_run(&op->u.copy.copy); break;
    case HOST_OP_FILL: host_fill_run(&op->u.fill); break;
    case HOST_OP_LIBRARY: host_library_run(c, op, at); break;
    case HOST_OP_FUNCTION: op->u.function.function(op->u.function.user); break;
    case HOST_OP_MEMORY_ALLOC: host_graph_memory_begin(c, op->u.memory.address, op->u.memory.bytes, at); break;
    case HOST_OP_MEMORY_FREE: host_release(c, op->u.memory.address, at); break;
    case HOST_OP_VALUE:
        if (op->u.value.wait) wait_for_value(c, op);
        else write_value(op);
        host_emit_operation(c, op, at);
        break;
    default: break;
    }
}
