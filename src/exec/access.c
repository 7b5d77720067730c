/* access.c: one lane's access in any space, checked: where an address lies, its host pointer, or a fault that names the
 * allocation. The slow path of loads and stores, and the only path of atomics and copies on mixed addresses. */
#include "exec/emit.h"

#include <stdio.h>
#include <string.h>

uint8_t *exec_warp_local(exec_ctx *x)
{
    exec_warp *w = x->warp;
    size_t bytes = (size_t)32 * x->local_stride;
    if (!w->local) w->local = lw_arena_alloc_aligned(&x->worker->arena, bytes, 64);
    if (w->local_unfilled) {
        w->local_unfilled = false;
        mem_fill_bytes(&x->launch->fill, (uint64_t)x->block->linear << 32 | (w->index + 1), w->local, bytes);
    }
    return w->local;
}

void exec_lane_addresses(exec_ctx *x, const code_insn *i, uint64_t out[32])
{
    uint64_t offset = (uint64_t)i->mem.offset;
    if (i->a == CODE_NO_REF) {
        for (uint32_t l = 0; l < 32; l++) out[l] = offset;
    } else if (i->mem.narrow) {
        const uint32_t *base = LANES(uint32_t, i->a);
        for (uint32_t l = 0; l < 32; l++) out[l] = (uint32_t)(base[l] + (uint32_t)offset);
    } else {
        const uint64_t *base = LANES(uint64_t, i->a);
        for (uint32_t l = 0; l < 32; l++) out[l] = base[l] + offset;
    }
}

/* ---------------------------------------------------------------- messages */
static void describe_nearest(exec_ctx *x, uint64_t address, char *out, size_t size)
{
    mem_allocation a;
    bool near = address >= 4096 && mem_nearest(x->launch->memory, address, &a);
    uint64_t distance = !near ? 0 : address < a.address ? a.address - address : address - a.address;
    if (near && distance < LW_MAX(a.bytes, UINT64_C(1) << 30)) mem_describe(x->launch->memory, &a, address, out, size);
    else mem_describe_host(address, out, size);
}

/* An access of one lane, to be checked. */
typedef struct lane_access {
    exec_ctx *x;
    const code_insn *insn;
    uint32_t lane, bytes;
    uint64_t address;
    bool is_write;
} lane_access;

static void say(const lane_access *a, event_space space, const char *what, char *out, size_t size)
{
    snprintf(out, size, "%s %s of %u byte%s at 0x%llx: %s", exec_space_name(space), a->is_write ? "write" : "read",
             a->bytes, a->bytes == 1 ? "" : "s", (unsigned long long)a->address, what);
}

static void *fail_access(const lane_access *a, event_space space, exec_fault_kind kind, const char *what)
{
    char text[900];
    say(a, space, what, text, sizeof text);
    exec_fail(a->x, a->insn, kind, a->lane, a->address, a->bytes, a->is_write, exec_space_name(space), "%s", text);
    return NULL;
}

/* ---------------------------------------------------------------- what a card lets through */
/* Reports the access and lets it go on. owner: with the instruction, what is reported once; memory that holds it is
 * `storage`, NULL: none, what is written is dropped and what is read is 0. NULL after a fault: the launch stops at
 * such accesses. */
static uint8_t *pass_access(const lane_access *a, event_space space, exec_fault_kind kind, uint32_t owner,
                            uint8_t *storage, const char *what)
{
    exec_ctx *x = a->x;
    if (x->launch->stop_at_errors) return fail_access(a, space, kind, what);
    exec_fault *record = exec_pass(x, a->insn, kind, a->lane, (uint32_t)space << 8 | owner);
    if (record) {
        char text[900];
        say(a, space, what, text, sizeof text);
        const char *then = kind == EXEC_CLUSTER_EXITED ? "A GPU may not notice it, and the kernel goes on"
                           : storage                   ? "A GPU does not notice it, and the kernel goes on"
                           : a->is_write ? "A GPU may not notice it; here nothing is written, and the kernel goes on"
                                         : "A GPU may not notice it; here 0 is read, and the kernel goes on";
        snprintf(record->message, sizeof record->message, "%s. %s.", text, then);
        record->address = a->address;
        record->bytes = a->bytes;
        record->is_write = a->is_write;
        record->space = exec_space_name(space);
    }
    if (storage) return storage;
    uint8_t *nothing = x->worker->nothing[a->lane];
    memset(nothing, 0, EXEC_NOTHING_BYTES);
    return nothing;
}

/* Storage of an access that ends in a red zone: scratch memory of the lane for all but copies of any length. */
static uint8_t *red_storage(const lane_access *a, const mem_allocation *allocation)
{
    if (a->bytes <= EXEC_NOTHING_BYTES) return NULL;
    mem_clear_red(a->x->launch->memory, allocation, a->address, a->bytes);
    return mem_storage(a->address);
}

/* Memory of another device, or memory that this one may only read. */
static uint8_t *out_of_reach(const lane_access *a, const mem_allocation *allocation)
{
    char block[512];
    char what[760];
    uint32_t own = a->x->launch->device_number;
    mem_describe_block(a->x->launch->memory, allocation, block, sizeof block);
    if (allocation->listed)
        snprintf(what, sizeof what, "%s; device %u may not %s it (access is granted per device)", block, own,
                 a->is_write ? "write" : "read");
    else
        snprintf(what, sizeof what,
                 "%s; it is memory of device %u, and device %u accesses it only after cudaDeviceEnablePeerAccess(%u)",
                 block, allocation->device, own, allocation->device);
    return fail_access(a, EVENT_GLOBAL, EXEC_ILLEGAL_ADDRESS, what);
}

/* ---------------------------------------------------------------- spaces */
static uint8_t *outside_global(const lane_access *a)
{
    mem_allocation allocation;
    char what[760];
    mem_zone zone = mem_locate(a->x->launch->memory, a->address, a->bytes, &allocation);
    if (zone == MEM_INSIDE) {
        if (exec_reaches(a->x, &allocation, true))
            exec_note_allocation(a->x, &a->x->caches[a->insn->site], &allocation);
        else if (!exec_reaches(a->x, &allocation, a->is_write)) return out_of_reach(a, &allocation);
        return mem_storage(a->address);
    }
    describe_nearest(a->x, a->address, what, sizeof what);
    if (zone == MEM_NOWHERE || (zone == MEM_BESIDE && a->bytes > EXEC_NOTHING_BYTES))
        return fail_access(a, EVENT_GLOBAL, EXEC_ILLEGAL_ADDRESS, what);
    uint8_t *storage = zone == MEM_BESIDE ? NULL
                       : zone == MEM_RED  ? red_storage(a, &allocation)
                                          : mem_storage(a->address);
    return pass_access(a, EVENT_GLOBAL, EXEC_ILLEGAL_ADDRESS, allocation.kind, storage, what);
}

static uint8_t *global_pointer(const lane_access *a)
{
    const exec_alloc_cache *c = &a->x->caches[a->insn->site];
    bool inside = a->address >= c->low && a->address < c->high && a->bytes <= c->high - a->address;
    return inside ? (uint8_t *)(uintptr_t)(a->address + c->distance) : outside_global(a);
}

/* Outside the block's bytes: a card takes whole granules of shared memory, and has its own part of 1 KiB below it. */
static uint8_t *outside_shared(const lane_access *a, event_space space, uint8_t *shared, uint64_t at)
{
    char what[128];
    uint32_t bytes = a->x->shared_bytes, granules = (uint32_t)lw_round_up(bytes, EXEC_SHARED_GRANULE);
    bool below = -at <= EXEC_SHARED_BELOW && a->bytes <= -at;
    snprintf(what, sizeof what, "outside the block's %u bytes of shared memory", bytes);
    if (at <= granules && a->bytes <= granules - at)
        return pass_access(a, space, EXEC_SHARED_RANGE, 0, shared + at, what);
    if (below && a->bytes <= EXEC_NOTHING_BYTES) return pass_access(a, space, EXEC_SHARED_RANGE, 0, NULL, what);
    return fail_access(a, space, EXEC_SHARED_RANGE, what);
}

/* Is the address at most EXEC_SHARED_BELOW bytes below the block's own memory? Then *at is how many, as 2^64 - n. */
static bool below_own(const exec_ctx *x, uint64_t offset, uint64_t *at)
{
    uint32_t below = (x->block->rank << MEM_SHARED_SLOT_SHIFT) - (uint32_t)offset;
    if (below == 0 || below > EXEC_SHARED_BELOW) return false;
    *at = -(uint64_t)below;
    return true;
}

/* The block has exited. An H200 lets stores, arrivals and copies pass, from which nothing comes back, but for those that are late
 * in a grid whose further blocks may have begun there; reads and atomics fault (tests/hw/h200-exited-blocks.csv). */
static uint8_t *exited_pointer(const lane_access *a, exec_block *owner, uint64_t at)
{
    char what[128];
    bool inside = at <= a->x->shared_bytes && a->bytes <= a->x->shared_bytes - at;
    snprintf(what, sizeof what, "the block of rank %u has exited: a cluster barrier is missing before its end",
             owner->rank);
    if (a->is_write && a->insn->op != OP_atom && inside)
        return pass_access(a, EVENT_DSHARED, EXEC_CLUSTER_EXITED, 0, owner->shared + at, what);
    return fail_access(a, EVENT_DSHARED, EXEC_CLUSTER_EXITED, what);
}

/* An access to the shared memory of another block of the cluster. */
static void note_remote(const lane_access *a, exec_block *owner)
{
    exec_ctx *x = a->x;
    if (!exec_wants(x, EVENT_MISUSE)) return;
    owner->remote_by = a->insn;
    owner->remote_phase = owner->cluster->barrier_phase;
    if (!owner->remote_phase) exec_emit_misuse(x, a->insn, EVENT_MISUSE_CLUSTER_START, 1u << a->lane, 0);
}

static uint8_t *shared_pointer(const lane_access *a, bool own_block, event_space *out_space, uint64_t *out_event)
{
    exec_ctx *x = a->x;
    uint64_t offset =
        (uint32_t)a->address; /* machine code takes the low half of a 64-bit register: of a generic address, too */
    uint64_t rank = own_block ? x->block->rank : offset >> MEM_SHARED_SLOT_SHIFT;
    uint64_t at = own_block ? offset : exec_shared_offset(offset);
    if (!own_block && below_own(x, offset, &at)) rank = x->block->rank;
    exec_cluster *c = x->block->cluster;
    char what[256];
    *out_space = rank == x->block->rank ? EVENT_SHARED : EVENT_DSHARED;
    *out_event = rank == x->block->rank ? at : offset;
    if (rank >= c->block_count) {
        snprintf(what, sizeof what, "block rank %llu of a cluster of %u", (unsigned long long)rank, c->block_count);
        return fail_access(a, EVENT_DSHARED, EXEC_SHARED_RANGE, what);
    }
    if (c->blocks[rank].done) return exited_pointer(a, &c->blocks[rank], at);
    if (rank != x->block->rank) note_remote(a, &c->blocks[rank]);
    if (at <= x->shared_bytes && a->bytes <= x->shared_bytes - at) return c->blocks[rank].shared + at;
    lane_access shown = *a;
    shown.address = at;
    return outside_shared(&shown, *out_space, c->blocks[rank].shared, at);
}

/* Bytes of a thread's local memory that its frames take. */
static uint64_t frames_end(const exec_ctx *x)
{
    const exec_frame *f = x->group->frame;
    return (uint64_t)f->base + (f->extra ? f->function->local_bytes + f->extra : f->function->local_used);
}

static uint8_t *local_pointer(const lane_access *a)
{
    exec_ctx *x = a->x;
    uint64_t end = frames_end(x), address = a->address, most = end + EXEC_LOCAL_BEYOND;
    char what[160];
    bool has_storage = address <= x->local_stride && a->bytes <= x->local_stride - address;
    uint8_t *p = has_storage ? exec_warp_local(x) + (size_t)a->lane * x->local_stride + address : NULL;
    if (address <= end && a->bytes <= end - address) return p;
    snprintf(what, sizeof what, "outside the %llu bytes of the thread's local variables", (unsigned long long)end);
    bool passes = address <= most && a->bytes <= most - address;
    if (passes && (has_storage || a->bytes <= EXEC_NOTHING_BYTES))
        return pass_access(a, EVENT_LOCAL, EXEC_SHARED_RANGE, 0, p, what);
    return fail_access(a, EVENT_LOCAL, EXEC_SHARED_RANGE, what);
}

/* Which space a generic address names, and the address there. What lies just below shared memory is its red zone. */
static ptx_space resolve(uint64_t *address)
{
    if (*address - (MEM_SHARED_WINDOW - EXEC_SHARED_BELOW) < MEM_SHARED_WINDOW_BYTES + EXEC_SHARED_BELOW) {
        *address -= MEM_SHARED_WINDOW;
        return PTX_SHARED_CLUSTER;
    }
    if (!mem_in_local_window(*address)) return PTX_GLOBAL;
    *address -= MEM_LOCAL_WINDOW;
    return PTX_LOCAL;
}

uint8_t *exec_lane_range(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                         uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event)
{
    lane_access a = {x, i, lane, bytes, address, is_write};
    if (space == PTX_GENERIC) space = resolve(&a.address);
    *out_event = a.address;
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER:
        return shared_pointer(&a, space == PTX_SHARED && i->a == CODE_NO_REF, out_space, out_event);
    case PTX_LOCAL: *out_space = EVENT_LOCAL; return local_pointer(&a);
    default:
        *out_space = space == PTX_CONST ? EVENT_CONSTANT : space == PTX_PARAM ? EVENT_PARAM : EVENT_GLOBAL;
        return global_pointer(&a);
    }
}

uint8_t *exec_lane_pointer(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address,
                           uint32_t bytes, bool is_write, event_space *out_space, uint64_t *out_event)
{
    uint8_t *p = exec_lane_range(x, i, space, lane, address, bytes, is_write, out_space, out_event);
    if (p && lw_is_power_of_2(bytes) && (address & (bytes - 1))) {
        char what[80];
        snprintf(what, sizeof what, "misaligned address; it must be a multiple of %u", bytes);
        return fail_access(&(lane_access){x, i, lane, bytes, address, is_write}, *out_space, EXEC_MISALIGNED, what);
    }
    return p;
}
