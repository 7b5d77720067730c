/* Handles of conditional nodes: made by the host for a graph, set by kernels, read when the node's turn comes. */
#include <stdlib.h>

#include "host/condition_priv.h"
#include "host/graph_priv.h"
#include "host/handle_priv.h"
#include "host/refuse.h"

#define FIRST_HANDLE UINT64_C(0x100) /* 0 is none */

enum { ASSIGN_DEFAULT = 1 }; /* cudaGraphCondAssignDefault */

static host_condition *find(host_context *c, uint64_t handle)
{
    uint64_t k = handle - FIRST_HANDLE;
    return k < c->graphs->conditions.count ? &c->graphs->conditions.items[k] : NULL;
}

host_error host_condition_create(host_context *c, host_graph *graph, uint32_t value, unsigned flags, uint64_t *out)
{
    if (!out || (flags & ~(unsigned)ASSIGN_DEFAULT) || !host_handle_is(c, graph, HOST_T_GRAPH))
        return HOST_INVALID_VALUE;
    host_condition made = {.graph = graph, .assigned = flags & ASSIGN_DEFAULT, .first = value};
    host_lock(c);
    lw_vec_push(&c->graphs->conditions, made);
    *out = FIRST_HANDLE + c->graphs->conditions.count - 1;
    host_unlock(c);
    return 0;
}

bool host_condition_valid(host_context *c, uint64_t handle)
{
    host_lock(c);
    bool valid = find(c, handle) != NULL;
    host_unlock(c);
    return valid;
}

static bool lies_in(const host_graph *inner, const host_graph *graph)
{
    while (inner && inner != graph) inner = inner->outer;
    return inner;
}

bool host_condition_take(host_context *c, uint64_t handle, const host_graph *graph)
{
    host_lock(c);
    host_condition *k = find(c, handle);
    bool good = k && k->graph && !k->taken && lies_in(graph, k->graph);
    if (good) k->taken = true;
    host_unlock(c);
    return good;
}

void host_condition_set(host_context *c, uint64_t handle, uint32_t value)
{
    host_lock(c);
    host_condition *k = find(c, handle);
    if (k) k->value = value;
    host_unlock(c);
}

uint32_t host_condition_get(host_context *c, uint64_t handle)
{
    host_lock(c);
    const host_condition *k = find(c, handle);
    uint32_t value = k ? k->value : 0;
    host_unlock(c);
    return value;
}

uint32_t host_condition_first(host_context *c, uint64_t handle)
{
    host_lock(c);
    const host_condition *k = find(c, handle);
    uint32_t value = k && k->assigned ? k->first : 0;
    host_unlock(c);
    return value;
}

bool host_conditions_unused(host_context *c, const host_graph *graph)
{
    bool unused = false;
    host_lock(c);
    for (size_t i = 0; i < c->graphs->conditions.count && !unused; i++) {
        const host_condition *k = &c->graphs->conditions.items[i];
        unused = !k->taken && k->graph && lies_in(k->graph, graph);
    }
    host_unlock(c);
    return unused;
}

void host_conditions_orphan(host_context *c, const host_graph *graph)
{
    for (size_t i = 0; i < c->graphs->conditions.count; i++)
        if (c->graphs->conditions.items[i].graph == graph) c->graphs->conditions.items[i].graph = NULL;
}

static bool good_count(int type, uint32_t count)
{
    switch (type) {
    case HOST_CONDITION_IF: return count == 1 || count == 2;
    case HOST_CONDITION_WHILE: return count == 1;
    case HOST_CONDITION_SWITCH: return count > 0;
    default: return false;
    }
}

host_error host_condition_check(host_context *c, uint64_t handle, int type, uint32_t count)
{
    if (good_count(type, count)) return host_condition_valid(c, handle) ? 0 : HOST_INVALID_VALUE;
    return host_refuse(HOST_INVALID_VALUE, "A conditional node is of type if with one or two bodies, while with "
                                           "one, or switch with one or more.");
}

int host_condition_body(host_context *c, const host_op *op, uint64_t done)
{
    uint32_t value = host_condition_get(c, op->u.conditional.handle), count = op->u.conditional.count;
    switch (op->u.conditional.type) {
    case HOST_CONDITION_WHILE: return value ? 0 : -1;
    case HOST_CONDITION_IF:
        if (done) return -1;
        return value ? 0 : count == 2 ? 1 : -1;
    default: return !done && value < count ? (int)value : -1;
    }
}
