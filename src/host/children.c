/* What kernels launch: buffers of arguments, and the list of what is to be carried out when the grid has ended. */
#include <stdlib.h>
#include <string.h>

#include "host/children_priv.h"
#include "host/emit_priv.h"
#include "host/kernel_priv.h"
#include "host/op_priv.h"
#include "host/refuse.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"

#define FIRST_HANDLE UINT64_C(0x10000) /* of a stream or event made by device code; each is used once */
#define CHUNK_BYTES (UINT64_C(64) << 10)
#define BUFFER_ALIGNMENT 128 /* no two threads write to one cache line: counts do not depend on who came first */

void host_children_begin(host_children *l, host_context *c, const host_op *parent, bool in_graph)
{
    *l = (host_children){.context = c, .parent = parent, .in_graph = in_graph};
    pthread_mutex_init(&l->lock, NULL);
}

void host_children_let_go(host_children *l)
{
    for (size_t k = 0; k < l->chunks.count; k++) mem_free(l->context->memory, l->chunks.items[k]);
    l->chunks.count = 0;
}

void host_children_end(host_children *l)
{
    for (size_t k = 0; k < l->list.count; k++) host_op_free_buffers(&l->list.items[k].op);
    host_children_let_go(l);
    lw_vec_free(&l->list);
    lw_vec_free(&l->buffers);
    lw_vec_free(&l->errors);
    lw_vec_free(&l->conditions);
    lw_vec_free(&l->chunks);
    lw_arena_free(&l->arena);
    pthread_mutex_destroy(&l->lock);
}

/* By block and not by the time at which they came, which depends on the host's threads; tail launches last. */
static int by_order(const void *pa, const void *pb)
{
    const host_child *a = pa, *b = pb;
    if (a->tail != b->tail) return a->tail ? 1 : -1;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

void host_children_settle(host_children *l)
{
    for (size_t k = 0; k < l->buffers.count; k++)
        host_emit_heap_free(l->context, l->buffers.items[k]->address, l->launch);
    if (l->list.count) qsort(l->list.items, l->list.count, sizeof *l->list.items, by_order);
}

uint64_t host_children_memory(host_children *l, uint64_t bytes)
{
    uint64_t need = lw_round_up(LW_MAX(bytes, UINT64_C(1)), BUFFER_ALIGNMENT), address;
    if (!l->chunks.count || l->chunk_used + need > l->chunk_bytes) {
        l->chunk_bytes = LW_MAX(need, CHUNK_BYTES);
        l->chunk_used = 0;
        if (mem_alloc(l->context->memory, l->chunk_bytes, 0, MEM_INTERNAL, 0, "device launches", &address)) return 0;
        lw_vec_push(&l->chunks, address);
    }
    address = l->chunks.items[l->chunks.count - 1] + l->chunk_used;
    l->chunk_used += need;
    return address;
}

host_error host_children_buffer(host_children *l, host_kernel *kernel, const host_launch_config *config, uint64_t *out)
{
    uint64_t bytes = LW_MAX(kernel->code->param_bytes, 1u);
    uint64_t address = host_children_memory(l, bytes);
    if (!address) return HOST_MEMORY_ALLOCATION;
    memset(mem_storage(address), 0, bytes);
    host_emit_heap_alloc(l->context, address, bytes, l->launch); /* whoever had these addresses before is gone */
    host_buffer *b = LW_NEW(&l->arena, host_buffer);
    *b = (host_buffer){.address = address, .kernel = kernel, .config = *config, .open = true};
    lw_vec_push(&l->buffers, b);
    *out = address;
    return 0;
}

static host_buffer *find_buffer(const host_children *l, uint64_t address)
{
    for (size_t k = l->buffers.count; k-- > 0;) /* the latest first: a launch follows its buffer at once */
        if (l->buffers.items[k]->address == address) return l->buffers.items[k]->open ? l->buffers.items[k] : NULL;
    return NULL;
}

bool host_children_stream(const host_children *l, uint64_t stream)
{
    return stream <= HOST_STREAM_FORGET || stream - FIRST_HANDLE < l->handles;
}

uint64_t host_children_handle(host_children *l) { return FIRST_HANDLE + l->handles++; }

host_error host_children_put(host_children *l, const exec_device_call *call, const host_op *op, uint64_t stream)
{
    bool tail = stream == HOST_STREAM_TAIL;
    uint64_t most = host_limit_of(l->context, l->device, HOST_LIMIT_PENDING_LAUNCHES);
    if (tail && l->tails >= most)
        return host_refuse(HOST_LAUNCH_PENDING_COUNT_EXCEEDED,
                           "%llu tail launches of a grid may be pending. Raise the limit: "
                           "cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, count).",
                           (unsigned long long)most);
    l->tails += tail;
    host_child child = {*op, call->block, l->list.count, tail};
    lw_vec_push(&l->list, child);
    return 0;
}

host_error host_children_launch(host_children *l, const exec_device_call *call, uint64_t buffer, uint64_t stream)
{
    host_buffer *b = find_buffer(l, buffer);
    if (!b) return HOST_INVALID_VALUE;
    if (!host_children_stream(l, stream)) return HOST_INVALID_VALUE;
    host_op op = {.kind = HOST_OP_KERNEL};
    const code_kernel *code = b->kernel->code;
    op.u.kernel.kernel = b->kernel;
    op.u.kernel.config = b->config;
    op.u.kernel.bank_bytes = l->parent->u.kernel.bank_bytes;
    op.u.kernel.param_bytes = code->param_bytes;
    op.u.kernel.params = lw_alloc(LW_MAX(code->param_bytes, 1u));
    op.u.kernel.parent = l->parent->u.kernel.kernel;
    op.u.kernel.parent_site = call->site;
    memcpy(op.u.kernel.params, mem_storage(buffer), code->param_bytes);
    b->open = false;
    host_error error = host_children_put(l, call, &op, stream);
    if (error) host_op_free_buffers(&op);
    return error;
}
