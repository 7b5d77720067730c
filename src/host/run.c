/* Carries operations out: what the queue calls for each, and what a call does at once when nothing is before it. */
#include <stdlib.h>
#include <unistd.h>

#include "host/condition_priv.h"
#include "host/copy_priv.h"
#include "host/graph_priv.h"
#include "host/launch_priv.h"
#include "host/kernel_priv.h"
#include "host/library_priv.h"
#include "host/module_priv.h"
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

/* The sticky error of the device that an operation is carried out on. */
static const atomic_int *sticky_of(host_context *c, const host_op *op, const host_place *at)
{
    uint32_t device = at ? at->device : 0;
    if (op && op->kind == HOST_OP_KERNEL) device = op->u.kernel.kernel->module->device;
    return &c->sticky[device];
}

/* The writer is the program: another thread or mapped memory. */
static void wait_for_value(host_context *c, const host_op *op, const host_place *at)
{
    const atomic_int *interrupt = host_queue_interrupt_flag(c), *sticky = sticky_of(c, op, at);
    for (unsigned spin = 0; !atomic_load(interrupt) && !atomic_load(sticky); spin++) {
        if (value_reached(op)) return;
        usleep(spin < 100 ? 10 : 1000);
    }
}

static void write_value(const host_op *op)
{
    if (op->u.value.bytes == 8) *(volatile uint64_t *)mem_storage(op->u.value.address) = op->u.value.value;
    else *(volatile uint32_t *)mem_storage(op->u.value.address) = (uint32_t)op->u.value.value;
}

/* A grid that has ended, and which of what it launched is carried out next. */
typedef struct frame {
    struct frame *outer;
    host_children children;
    size_t next;
} frame;

static frame *push_kernel(host_context *c, const host_op *op, const host_place *at, frame *outer)
{
    frame *f = lw_alloc(sizeof *f);
    f->outer = outer;
    host_children_begin(&f->children, c, op, at && at->graph);
    host_launch_run(c, op, at, &f->children);
    for (size_t k = 0; k < f->children.conditions.count; k++)
        host_condition_set(c, f->children.conditions.items[k].handle, f->children.conditions.items[k].value);
    host_children_let_go(&f->children);
    return f;
}

static frame *pop_kernel(frame *f)
{
    frame *outer = f->outer;
    host_children_end(&f->children);
    free(f);
    return outer;
}

/* A kernel, and what it launches: each child with all of its own before the next. The operation is over when all of it
 * is. Grids may nest as deep as they like, so the nesting is not this function's. */
static void run_kernel(host_context *c, const host_op *kernel, const host_place *at)
{
    const atomic_int *interrupt = host_queue_interrupt_flag(c), *sticky = sticky_of(c, kernel, at);
    for (frame *f = push_kernel(c, kernel, at, NULL); f;) {
        if (f->next == f->children.list.count || atomic_load(interrupt) || atomic_load(sticky)) {
            f = pop_kernel(f);
            continue;
        }
        const host_op *op = &f->children.list.items[f->next++].op;
        if (op->kind == HOST_OP_KERNEL) f = push_kernel(c, op, at, f);
        else host_run(c, op, at);
    }
}

static void run_nodes(host_context *c, const host_graph *g, host_graph_exec *in, const host_place *at)
{
    for (size_t i = 0; i < g->nodes.count; i++) {
        const host_node *n = g->order[i];
        if (n->disabled) continue;
        host_op op = n->op; /* borrows what it owns */
        if (op.kind == HOST_OP_KERNEL) op.u.kernel.graph = in;
        if (op.kind == HOST_OP_GRAPH) run_nodes(c, op.u.graph.graph, in, at);
        else host_run(c, &op, at);
    }
}

/* A graph that a kernel launched. */
static void run_exec(host_context *c, host_graph_exec *x, const host_place *at)
{
    if (host_graph_exec_valid(c, x)) run_nodes(c, host_graph_exec_graph(x), x, at);
}

/* The graphs that follow one that has ended; those that follow one of them come before the next. */
static void run_tails(host_context *c, const host_place *at)
{
    const atomic_int *interrupt = host_queue_interrupt_flag(c), *sticky = sticky_of(c, NULL, at);
    host_graph_run *run = &c->graphs->run;
    LW_VEC(host_graph_exec *) next = {0}; /* the last first */
    do {
        while (run->tails.count) lw_vec_push(&next, run->tails.items[--run->tails.count]);
        run->forgotten = 0;
        if (next.count) run_exec(c, next.items[--next.count], at);
    } while ((next.count || run->tails.count) && !atomic_load(interrupt) && !atomic_load(sticky));
    run->tails.count = 0;
    lw_vec_free(&next);
}

static void run_launch(host_context *c, const host_op *op, const host_place *at)
{
    host_graph_run outer = c->graphs->run;
    if (op->u.launch.tail) {
        lw_vec_push(&c->graphs->run.tails, op->u.launch.exec);
        return;
    }
    c->graphs->run = (host_graph_run){0};
    run_exec(c, op->u.launch.exec, at);
    run_tails(c, at);
    lw_vec_free(&c->graphs->run.tails);
    c->graphs->run = outer;
}

/* A conditional node and its bodies are one operation: what stands in them has its place. */
static void run_conditional(host_context *c, const host_op *op, const host_place *at)
{
    const atomic_int *interrupt = host_queue_interrupt_flag(c), *sticky = sticky_of(c, NULL, at);
    for (uint64_t done = 0; !atomic_load(interrupt) && !atomic_load(sticky); done++) {
        int body = host_condition_body(c, op, done);
        if (body < 0) return;
        run_nodes(c, op->u.conditional.bodies[body], NULL, at);
    }
}

void host_run(host_context *c, const host_op *op, const host_place *at)
{
    int sticky = atomic_load(sticky_of(c, op, at));
    if (op->kind == HOST_OP_CALLBACK) {
        host_emit_operation(c, op, at);
        op->u.function.callback(op->u.function.handle, sticky, op->u.function.user);
        return;
    }
    if (sticky) return;
    if (op->kind != HOST_OP_VALUE) host_emit_operation(c, op, at);
    switch (op->kind) {
    case HOST_OP_KERNEL: run_kernel(c, op, at); break;
    case HOST_OP_COPY: host_copy_run(&op->u.copy.copy); break;
    case HOST_OP_FILL: host_fill_run(&op->u.fill); break;
    case HOST_OP_LIBRARY: host_library_run(c, op, at); break;
    case HOST_OP_FUNCTION: op->u.function.function(op->u.function.user); break;
    case HOST_OP_MEMORY_ALLOC: host_graph_memory_begin(c, op->u.memory.address, op->u.memory.bytes, at); break;
    case HOST_OP_MEMORY_FREE: host_release(c, op->u.memory.address, at); break;
    case HOST_OP_CONDITIONAL: run_conditional(c, op, at); break;
    case HOST_OP_GRAPH_LAUNCH: run_launch(c, op, at); break;
    case HOST_OP_GRAPH_END: run_tails(c, at); break;
    case HOST_OP_CONDITION: host_condition_set(c, op->u.condition.handle, op->u.condition.value); break;
    case HOST_OP_VALUE:
        if (op->u.value.wait) wait_for_value(c, op, at);
        else write_value(op);
        host_emit_operation(c, op, at);
        break;
    default: break;
    }
}
