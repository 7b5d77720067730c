/* Device, managed, pinned and registered memory, over the memory room. Freeing waits for all work that was issued before
 * (a card does too), so that no operation ever touches freed memory because of the engine's delay. */
#include "host/capture_priv.h"
#include "host/devices.h"
#include "host/guard_priv.h"
#include "host/ipc_priv.h"
#include "host/memory_priv.h"
#include "host/origin_priv.h"
#include "host/pool_priv.h"
#include "host/queue_priv.h"
#include "host/refuse_memory.h"
#include "host/services_priv.h"
#include "host/state_priv.h"
#include "host/unwaited_priv.h"

host_error host_malloc(host_context *c, uint64_t bytes, mem_kind kind, uint32_t flags, uint64_t *out)
{
    if (!out) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (!error) error = host_capture_forbid(c);
    if (error) return error;
    *out = 0;
    if (!bytes) return 0; /* as cards do: success and a null pointer */
    error = host_memory_error(mem_alloc_on(c->memory, host_device_current(c), bytes, 0, kind, flags, NULL, out));
    if (error == HOST_MEMORY_ALLOCATION) return host_refuse_allocation(c, bytes);
    if (!error) mem_note_made(c->memory, *out, host_origin_here(c));
    bool of_graph = kind == MEM_DEVICE && (flags & HOST_GRAPH_MEMORY); /* allocated when the graph runs */
    if (!error && kind == MEM_DEVICE) host_fill_fresh(c, *out, bytes);
    if (!error && !of_graph) host_emit_alloc(c, *out, bytes, false, NULL);
    return error;
}

static host_error free_kinds(host_context *c, uint64_t address, bool pinned)
{
    host_error error = host_status(c);
    if (!error && (address || !pinned)) error = host_capture_forbid(c); /* also of cudaFree(0) */
    if (error || !address) return error;
    mem_allocation a;
    bool found = mem_find(c->memory, address, &a) && a.address == address && !a.name[0];
    if (!found || (a.mapped && !host_ipc_pool_of(c, address))) return host_refuse_free(c, address, pinned);
    bool right = pinned ? a.kind == MEM_PINNED : a.kind == MEM_DEVICE || a.kind == MEM_MANAGED || host_in_pool(&a);
    if (!right) return host_refuse_free(c, address, pinned);
    host_queue_synchronize(c);
    host_print_flush(c);
    mem_note_freed(c->memory, address, host_origin_here(c), false);
    host_release(c, address, host_queue_place(c));
    return host_status(c);
}

host_error host_free(host_context *c, uint64_t address) { return free_kinds(c, address, false); }

host_error host_free_pinned(host_context *c, uint64_t address) { return free_kinds(c, address, true); }

host_error host_register(host_context *c, void *pointer, uint64_t bytes, uint32_t flags)
{
    if (!pointer || !bytes || (flags & ~0xfu)) return HOST_INVALID_VALUE;
    host_error error = host_status(c);
    if (error) return error;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    lw_status status = mem_register(c->memory, address, bytes, flags);
    if (!status) mem_note_made(c->memory, address, host_origin_here(c));
    if (!status) host_emit_register(c, address, bytes);
    return status == LW_INVALID_ARGUMENT ? HOST_HOST_MEMORY_ALREADY_REGISTERED : host_memory_error(status);
}

host_error host_unregister(host_context *c, void *pointer)
{
    host_error error = host_status(c);
    if (error) return error;
    host_queue_drain(c);
    host_unwaited_wait(c);
    host_guard_tell(c);
    host_guard_lift(c);
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    mem_allocation a;
    bool known = mem_find(c->memory, address, &a) && a.kind == MEM_REGISTERED && a.address == address;
    if (!known) return HOST_HOST_MEMORY_NOT_REGISTERED;
    mem_note_freed(c->memory, address, host_origin_here(c), false);
    host_emit_unregister(c, address); /* before it can be registered again */
    return mem_unregister(c->memory, address) ? HOST_HOST_MEMORY_NOT_REGISTERED : 0;
}

bool host_pointer_find(host_context *c, uint64_t pointer, mem_allocation *out)
{
    return c->memory && mem_find(c->memory, pointer, out);
}
