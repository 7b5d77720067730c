/* Nodes of graphs: from parameters to operations of host/ and back. */
#include <string.h>

#include "face/face.h"
#include "host/refuse.h"

/* ---- parameters to operations ---- */
host_error face_op_kernel(const face *self, const face_kernel_params *params, size_t params_bytes, host_op *out)
{
    const void *packed;
    size_t bytes;
    host_kernel *kernel;
    face_kernel_params p = {0};
    LW_ASSERT(params_bytes == FACE_KERNEL_PARAMS_V1 || params_bytes == FACE_KERNEL_PARAMS_V2);
    if (!params) return HOST_INVALID_VALUE;
    memcpy(&p, params, params_bytes);
    if (p.params && p.extra) return HOST_INVALID_VALUE;
    host_error error = self->kernel(p.function ? p.function : p.kernel, &kernel);
    if (!error) error = face_packed(p.extra, &packed, &bytes);
    if (error) return error;
    host_launch_config config = face_config(p.grid, p.block, p.shared, NULL);
    return host_kernel_op(kernel, &config, p.params, packed, bytes, out);
}

host_error face_op_copy(const face *self, const void *params, host_op *out)
{
    *out = (host_op){.kind = HOST_OP_COPY};
    return self->copy(params, &out->u.copy.copy);
}

host_error face_op_fill(const face_memset_params *p, host_op *out)
{
    if (!p || !p->dst) return HOST_INVALID_VALUE;
    if (p->element_size != 1 && p->element_size != 2 && p->element_size != 4) return HOST_INVALID_VALUE;
    if (p->dst % p->element_size) return HOST_INVALID_VALUE;
    if (p->height > 1 && p->pitch < p->width * p->element_size) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_FILL};
    out->u.fill = (host_fill){{p->dst, p->pitch, p->height}, p->value, p->element_size, p->width, p->height, 1};
    return 0;
}

host_error face_op_host(const face_host_params *p, host_op *out)
{
    if (!p || !p->function) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_FUNCTION};
    out->u.function.function = p->function;
    out->u.function.user = p->user;
    return 0;
}

host_error face_op_event(host_event *event, bool record, host_op *out)
{
    if (!host_event_valid(host_get(), event)) return HOST_INVALID_RESOURCE_HANDLE;
    *out = (host_op){.kind = record ? HOST_OP_EVENT_RECORD : HOST_OP_EVENT_WAIT};
    out->u.event.event = event;
    return 0;
}

host_error face_op_child(host_graph *graph, host_op *out)
{
    if (!host_graph_valid(host_get(), graph)) return HOST_INVALID_VALUE;
    if (host_graph_has_bodies(graph))
        return host_refuse(HOST_NOT_SUPPORTED, "Graphs with conditional nodes cannot be child graphs.");
    host_op one = {.kind = HOST_OP_GRAPH};
    one.u.graph.graph = graph;
    *out = host_op_copy(host_get(), &one); /* a clone of its own */
    return 0;
}

host_error face_op_alloc(face_alloc_params *p, host_op *out)
{
    if (!p || !p->bytes) return HOST_INVALID_VALUE;
    *out = (host_op){.kind = HOST_OP_MEMORY_ALLOC};
    host_error error = host_malloc(host_get(), p->bytes, MEM_DEVICE, HOST_GRAPH_MEMORY, &out->u.memory.address);
    out->u.memory.bytes = p->bytes;
    if (!error) p->pointer = out->u.memory.address;
    return error;
}

host_error face_op_free(uint64_t pointer, host_op *out)
{
    mem_allocation a;
    *out = (host_op){.kind = HOST_OP_MEMORY_FREE};
    out->u.memory.address = pointer;
    return host_pointer_find(host_get(), pointer, &a) ? 0 : HOST_INVALID_VALUE;
}

host_error face_op_empty(host_op *out)
{
    *out = (host_op){.kind = HOST_OP_EMPTY};
    return 0;
}

static host_error face_op_conditional(face_node_params *p, host_op *out)
{
    host_error error =
        host_conditional_op(host_get(), p->u.conditional.handle, p->u.conditional.type, p->u.conditional.count, out);
    if (!error) p->u.conditional.bodies = out->u.conditional.bodies;
    return error;
}

host_error face_op_any(const face *self, face_node_params *p, host_op *out)
{
    if (!p) return HOST_INVALID_VALUE;
    switch (p->type) {
    case HOST_OP_KERNEL: return face_op_kernel(self, &p->u.kernel, self->kernel_params_bytes, out);
    case HOST_OP_COPY: return face_op_copy(self, p->u.memcpy.copy, out);
    case HOST_OP_FILL: return face_op_fill(&p->u.memset, out);
    case HOST_OP_FUNCTION: return face_op_host(&p->u.host, out);
    case HOST_OP_GRAPH: return face_op_child(p->u.graph.graph, out);
    case HOST_OP_EMPTY: return face_op_empty(out);
    case HOST_OP_EVENT_WAIT: return face_op_event(p->u.event.event, false, out);
    case HOST_OP_EVENT_RECORD: return face_op_event(p->u.event.event, true, out);
    case HOST_OP_MEMORY_ALLOC: return face_op_alloc(&p->u.alloc, out);
    case HOST_OP_MEMORY_FREE: return face_op_free(p->u.free.pointer, out);
    case HOST_OP_CONDITIONAL: return face_op_conditional(p, out);
    default: return face_unsupported(self->prefix, "GraphAddNode of this node type", self->not_supported);
    }
}

/* ---- where operations go ---- */
host_error face_graph_add(host_error error, const host_op *op, host_graph *graph, host_node *const *dependencies,
                          size_t count, host_node **out)
{
    if (error) return error;
    if (!out || !host_graph_valid(host_get(), graph)) {
        host_op dropped = *op;
        host_op_free(host_get(), &dropped);
        return HOST_INVALID_VALUE;
    }
    return host_graph_add(host_get(), graph, op, dependencies, count, out);
}

/* The parameters of a conditional node are for its life. */
static host_error drop_conditional(const host_op *op)
{
    host_op dropped = *op;
    host_op_free(host_get(), &dropped);
    return HOST_INVALID_VALUE;
}

host_error face_node_set(host_error error, const host_op *op, host_node *node)
{
    if (!error && op->kind == HOST_OP_CONDITIONAL) error = drop_conditional(op);
    return error ? error : host_node_set(host_get(), node, op);
}

host_error face_exec_set(host_error error, const host_op *op, host_graph_exec *exec, host_node *node)
{
    if (!error && op->kind == HOST_OP_CONDITIONAL) error = drop_conditional(op);
    return error ? error : host_graph_exec_set(host_get(), exec, node, op);
}

/* ---- operations to parameters ---- */
const host_op *face_node_op(const host_node *node, host_op_kind kind)
{
    if (!host_node_valid(host_get(), node)) return NULL;
    const host_op *op = host_node_op(node);
    return op->kind == kind ? op : NULL;
}

host_error face_node_kernel(host_node *node, face_kernel_params *out, size_t out_bytes)
{
    const host_op *op = face_node_op(node, HOST_OP_KERNEL);
    if (!op || !out) return HOST_INVALID_VALUE;
    const host_launch_config *config = &op->u.kernel.config;
    face_kernel_params p = {.function = op->u.kernel.kernel, .shared = (uint32_t)config->dynamic_shared};
    memcpy(p.grid, config->grid, sizeof p.grid);
    memcpy(p.block, config->block, sizeof p.block);
    p.params = host_node_params(node);
    LW_ASSERT(out_bytes == FACE_KERNEL_PARAMS_V1 || out_bytes == FACE_KERNEL_PARAMS_V2);
    memcpy(out, &p, out_bytes);
    return 0;
}

host_error face_node_fill(const host_node *node, face_memset_params *out)
{
    const host_op *op = face_node_op(node, HOST_OP_FILL);
    if (!op || !out) return HOST_INVALID_VALUE;
    const host_fill *f = &op->u.fill;
    *out = (face_memset_params){f->dst.address, f->dst.pitch, f->value, f->element_bytes, f->width, f->height};
    return 0;
}

host_error face_node_host(const host_node *node, face_host_params *out)
{
    const host_op *op = face_node_op(node, HOST_OP_FUNCTION);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = (face_host_params){op->u.function.function, op->u.function.user};
    return 0;
}

host_error face_node_event(const host_node *node, bool record, host_event **out)
{
    const host_op *op = face_node_op(node, record ? HOST_OP_EVENT_RECORD : HOST_OP_EVENT_WAIT);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = op->u.event.event;
    return 0;
}

host_error face_node_child(const host_node *node, host_graph **out)
{
    const host_op *op = face_node_op(node, HOST_OP_GRAPH);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = op->u.graph.graph;
    return 0;
}

host_error face_node_alloc(const host_node *node, face_alloc_params *out)
{
    const host_op *op = face_node_op(node, HOST_OP_MEMORY_ALLOC);
    if (!op || !out) return HOST_INVALID_VALUE;
    memset(out, 0, sizeof *out);
    out->props.alloc_type = HOST_ALLOCATION_PINNED;
    out->props.location.type = HOST_LOCATION_DEVICE;
    out->bytes = op->u.memory.bytes;
    out->pointer = op->u.memory.address;
    return 0;
}

host_error face_node_free(const host_node *node, uint64_t *out)
{
    const host_op *op = face_node_op(node, HOST_OP_MEMORY_FREE);
    if (!op || !out) return HOST_INVALID_VALUE;
    *out = op->u.memory.address;
    return 0;
}

/* ---- attributes of kernel nodes: those of a launch ---- */
host_error face_node_attribute(const host_node *node, int attribute, face_attribute_value *out)
{
    const host_op *op = face_node_op(node, HOST_OP_KERNEL);
    if (!op || !out || attribute < 0 || attribute > FACE_ATTRIBUTE_LAST) return HOST_INVALID_VALUE;
    const host_launch_config *config = &op->u.kernel.config;
    memset(out, 0, sizeof *out);
    if (attribute == FACE_ATTRIBUTE_COOPERATIVE) out->number = config->cooperative;
    if (attribute == FACE_ATTRIBUTE_CLUSTER) memcpy(out->cluster, config->cluster, sizeof config->cluster);
    if (attribute == FACE_ATTRIBUTE_PRIORITY) out->number = config->priority;
    if (attribute == FACE_ATTRIBUTE_ACCESS_POLICY) out->window = config->window;
    return 0;
}

host_error face_node_set_attribute(const face *self, host_node *node, int attribute, const face_attribute_value *value)
{
    const host_op *now = face_node_op(node, HOST_OP_KERNEL);
    if (!now || !value) return HOST_INVALID_VALUE;
    face_attribute one = {attribute, 0, *value};
    host_op op = host_op_copy(host_get(), now);
    host_error error = face_config_attributes(self, &op.u.kernel.config, &one, 1);
    if (error) host_op_free(host_get(), &op);
    return face_node_set(error, &op, node);
}

host_error face_node_copy_attributes(host_node *dst, const host_node *src)
{
    const host_op *from = face_node_op(src, HOST_OP_KERNEL);
    const host_op *to = face_node_op(dst, HOST_OP_KERNEL);
    if (!from || !to) return HOST_INVALID_VALUE;
    host_op op = host_op_copy(host_get(), to);
    op.u.kernel.config.cooperative = from->u.kernel.config.cooperative;
    op.u.kernel.config.priority = from->u.kernel.config.priority;
    op.u.kernel.config.window = from->u.kernel.config.window;
    return face_node_set(0, &op, dst);
}
